//! Naive Bayes, and problems with discrete inputs.

use bvlab::data::{Points, Training};
use bvlab::engine::{self, RunError, Unwatched};
use bvlab::experiment::{Experiment, Source};
use bvlab::learner::{CountLaw, Learner, NaiveBayes};

use crate::setup::{algorithm, data, plan, run};

const BITS: &str =
    "classes = { bernoulli = [{ ones = [0.2, 0.5, 0.9] }, { ones = [0.6, 0.5, 0.3], share = 2 }] }";
const COUNTS: &str = "classes = { multinomial = [{ counts = [4, 3, 3] }, { counts = [1, 3, 6] }, { counts = [2, 6, 2] }] }";

fn predicted(
    learner: &mut NaiveBayes,
    data: &Training,
    points: &Points,
    classes: usize,
) -> Vec<f64> {
    learner.fit(data, &algorithm(7));
    let mut out = vec![f64::NAN; learner.capacities() * points.len() * classes];
    learner.predict(points, &mut out);
    out
}

#[test]
fn a_path_is_a_loop() {
    let smoothing = [1.0, 1e-9, 30.0, 1.0, 1e15];
    for law in [CountLaw::Bernoulli, CountLaw::Multinomial] {
        for dimension in [1, 4] {
            let mut data = data(3, 23, dimension, Some(3));
            // No point is of class 2.
            data.labels
                .iter_mut()
                .for_each(|y| *y = f64::from(*y > 1.0));
            let points = crate::setup::data(4, 9, dimension, Some(4)).inputs;
            let mut path = NaiveBayes::new(smoothing.to_vec(), law, 3);
            let together = predicted(&mut path, &data, &points, 3);
            for (alpha, together) in smoothing.iter().zip(together.chunks_exact(27)) {
                let mut alone = NaiveBayes::new(vec![*alpha], law, 3);
                assert_eq!(
                    together,
                    predicted(&mut alone, &data, &points, 3),
                    "{law:?} {alpha}"
                );
                for p in together.chunks_exact(3) {
                    assert!(
                        (p.iter().sum::<f64>() - 1.0).abs() < 1e-12 && p[2] == 0.0,
                        "{p:?}"
                    );
                }
            }
        }
    }
}

/// The probability of every class by Bayes' rule, written out over all inputs of three bits.
#[test]
fn the_truth_of_discrete_inputs_is_bayes_rule() {
    let plan = plan(&format!(
        "problem = {{ {BITS}, train = 9 }}\nlearner = [{{ naive-bayes = {{}} }}]\nrun = {{ resamples = 4 }}"
    ));
    for x in plan.test.points.rows() {
        let mass = |ones: [f64; 3]| -> f64 {
            let factors = x
                .iter()
                .zip(ones)
                .map(|(x, p)| if *x == 1.0 { p } else { 1.0 - p });
            factors.product()
        };
        let [a, b] = [mass([0.2, 0.5, 0.9]), 2.0 * mass([0.6, 0.5, 0.3])];
        let mut truth = [0.0; 2];
        plan.problem().truth_at(x, &mut truth).unwrap();
        assert!((truth[0] - a / (a + b)).abs() < 1e-14, "{x:?}: {truth:?}");
    }
    assert_eq!(
        plan.test.points.len(),
        1000,
        "discrete inputs are drawn to test at"
    );
}

/// Where its assumption holds, naive Bayes comes near the truth as training sets grow, and the more
/// the smoothing, the more bias.
#[test]
fn naive_bayes_learns_problems_of_its_own_kind() {
    for (problem, law) in [(BITS, "bernoulli"), (COUNTS, "multinomial")] {
        let (_, results) = run(&format!(
            r#"
            problem = {{ {problem}, train = 4000 }}
            learner = [{{ naive-bayes = {{ law = "{law}" }}, sweep = {{ smoothing = [1, 1e5] }} }}]
            run = {{ resamples = 40, loss = "cross-entropy", test = {{ draw = 300 }} }}
            "#
        ));
        let parts = &results.learners[0].decomposition.parts;
        let excess = |c: usize| parts[c].bias2.value + parts[c].variance.value;
        assert!(excess(0) < 0.003, "{law}: {}", excess(0));
        assert!(
            parts[1].bias2.value > 0.05,
            "{law}: {}",
            parts[1].bias2.value
        );
    }
}

#[test]
fn inputs_that_are_no_counts_are_refused_with_a_reason() {
    let text = r#"
        problem = { classes = { gaussians = [{ mean = [0, 0] }, { mean = [2, 0] }] }, train = 20 }
        learner = [{ naive-bayes = { law = "multinomial" } }]
        run = { resamples = 8, test = { draw = 20 } }
    "#;
    let error = engine::run(&plan(text), 1, &Unwatched).unwrap_err();
    assert!(matches!(error, RunError::Learner { .. }), "{error}");
    assert!(
        error.to_string().contains("counts from 0 to 1e15"),
        "{error}"
    );
}

#[test]
fn wrong_discrete_problems_are_refused() {
    for (classes, test, words) in [
        ("bernoulli = 3", "draw = 9", "expected a list of classes"),
        (
            "bernoulli = [{ ones = [0.5] }]",
            "draw = 9",
            "2 to 100 classes, not 1",
        ),
        (
            "bernoulli = [{ ones = [0.5] }, 3]",
            "draw = 9",
            "expected a table",
        ),
        (
            "bernoulli = [{ ones = [0.5] }, {}]",
            "draw = 9",
            "`ones` is missing",
        ),
        (
            "bernoulli = [{ ones = [0.5] }, { one = [1] }]",
            "draw = 9",
            "did you mean `ones`",
        ),
        (
            "bernoulli = [{ ones = [0.5] }, { ones = [1] }]",
            "draw = 9",
            "between 0 and 1",
        ),
        (
            "bernoulli = [{ ones = [0.5] }, { ones = [nan] }]",
            "draw = 9",
            "finite",
        ),
        (
            "bernoulli = [{ ones = [] }, { ones = [] }]",
            "draw = 9",
            "1 to 100 coordinates",
        ),
        (
            "bernoulli = [{ ones = [0.5] }, { ones = [0.5, 0.1] }]",
            "draw = 9",
            "class 0 have 1 coordinates, these 2",
        ),
        (
            "bernoulli = [{ ones = [0.5] }, { ones = [0.1], share = 0 }]",
            "draw = 9",
            "`share` must be above 0",
        ),
        (
            "bernoulli = [{ ones = [0.5] }, { ones = [0.1] }]",
            "grid = 9",
            "does not stand for discrete inputs",
        ),
        (
            "multinomial = [{ counts = [1, 2] }, { counts = [2, 2] }]",
            "draw = 9",
            "sum to 3, these to 4",
        ),
        (
            "multinomial = [{ counts = [1, 0.5] }, { counts = [1, 0.5] }]",
            "draw = 9",
            "whole number from 1 to 1000",
        ),
        (
            "multinomial = [{ counts = [3, -1] }, { counts = [1, 1] }]",
            "draw = 9",
            "every count is above 0",
        ),
        (
            "multinomial = [{ counts = [1e9, 1] }, { counts = [1, 1] }]",
            "draw = 9",
            "whole number from 1 to 1000",
        ),
    ] {
        let text = format!(
            "problem = {{ classes = {{ {classes} }}, train = 9 }}\nlearner = [{{ naive-bayes = {{}} }}]\n\
             run = {{ resamples = 4, test = {{ {test} }} }}"
        );
        let error = Experiment::read("test", Source::new("test.toml", &text, &[]))
            .err()
            .expect("it is refused");
        let told = format!("{:?}", miette::Report::new(*error)).replace('\n', " ");
        assert!(told.contains(words), "{classes}: {told}");
    }
}
