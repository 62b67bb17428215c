//! Variance by source: against a learner whose parts are known, and for bagging.

use bvlab::data::{Points, Training};
use bvlab::decompose::{SOURCES, interval_factor};
use bvlab::engine::{self, Results, Unwatched};
use bvlab::interrupt::{Interrupt, Interrupted};
use bvlab::learner::Learner;
use bvlab::outcome::Tables;
use bvlab::plan::SweepAxis;
use bvlab::stream::Stream;
use rand_distr::{Distribution, StandardNormal};

use crate::setup::{plan, run, with_learner};

/// Predicts a polynomial of three independent standard normal numbers: an input, a label's noise
/// and a draw of its own. The variance of every term is the square of its coefficient.
#[derive(Clone)]
struct Known {
    prediction: f64,
}

/// By set of sources, one bit each.
const COEFFICIENTS: [f64; 8] = [0.5, 1.0, 0.7, 0.4, 0.9, 0.6, 0.3, 0.8];

impl Learner for Known {
    fn capacities(&self) -> usize {
        1
    }

    fn try_fit(
        &mut self,
        data: &Training,
        stream: &Stream,
        _: &Interrupt,
    ) -> Result<(), Interrupted> {
        let own: f64 = StandardNormal.sample(&mut stream.child(0));
        let sources = [data.inputs.get(0, 0), data.labels[0], own];
        self.prediction = (0..8)
            .map(|set| {
                let chosen = (0..3).filter(|source| set >> source & 1 == 1);
                COEFFICIENTS[set] * chosen.map(|source| sources[source]).product::<f64>()
            })
            .sum();
        Ok(())
    }

    fn try_predict(
        &mut self,
        _: &Points,
        out: &mut [f64],
        _: &Interrupt,
    ) -> Result<(), Interrupted> {
        out.fill(self.prediction);
        Ok(())
    }
}

fn known(inputs: &str, resamples: u64) -> (Results, Tables) {
    let plan = plan(&format!(
        r#"
        problem = {{ truth = "0", inputs = {inputs}, noise = {{ normal = 1 }}, train = 2 }}
        learner = [{{ knn = {{ k = 1 }} }}]
        run = {{ resamples = {resamples}, sources = true, test = {{ grid = 3 }} }}
        "#
    ));
    let axis = SweepAxis::new("one", &[1.0]);
    let plan = with_learner(&plan, "known", axis, Known { prediction: 0.0 });
    let results = engine::run(&plan, 2, &Unwatched).unwrap();
    let tables = Tables::new(&plan, &results);
    (results, tables)
}

#[test]
fn the_parts_are_found_and_sum_to_the_variance() {
    let (results, tables) = known("{ normal = [0, 1] }", 20_000);
    let parts = &results.learners[0].decomposition.parts[0];
    let sources = parts.sources.as_ref().unwrap();
    let limit = interval_factor(1.0 - 1e-4, 24);
    let mut sum = 0.0;
    for ((set, name), found) in SOURCES.iter().zip(&sources.parts) {
        let exact = COEFFICIENTS[*set].powi(2);
        assert!(
            (found.value - exact).abs() < limit * found.se,
            "{name}: {} ± {} for {exact}",
            found.value,
            found.se
        );
        assert!(found.se < 0.1, "{name}: {}", found.se);
        sum += found.value;
        assert_eq!(
            tables.curves.numbers(&format!("variance_{name}")),
            [found.value]
        );
    }
    assert!((sum / parts.variance.value - 1.0).abs() < 1e-12);
    let bias2 = COEFFICIENTS[0].powi(2);
    assert!((parts.bias2.value - bias2).abs() < limit * parts.bias2.se);
    assert!((parts.gap.value).abs() < limit * parts.gap.se);
}

#[test]
fn the_parts_error_bars_cover() {
    let factor = interval_factor(0.95, 24);
    let mut outside = 0;
    for seed in 0..60 {
        let plan = plan(&format!(
            r#"
            problem = {{ truth = "0", inputs = {{ normal = [0, 1] }}, noise = {{ normal = 1 }}, train = 2 }}
            learner = [{{ knn = {{ k = 1 }} }}]
            run = {{ resamples = 480, seed = {seed}, sources = true, test = {{ grid = 2 }} }}
            "#
        ));
        let axis = SweepAxis::new("one", &[1.0]);
        let plan = with_learner(&plan, "known", axis, Known { prediction: 0.0 });
        let results = engine::run(&plan, 2, &Unwatched).unwrap();
        let sources = results.learners[0].decomposition.parts[0].sources.as_ref();
        for ((set, _), found) in SOURCES.iter().zip(&sources.unwrap().parts) {
            let exact = COEFFICIENTS[*set].powi(2);
            outside += usize::from((found.value - exact).abs() > factor * found.se);
        }
    }
    // One in twenty of 420, a little more because the parts are skewed.
    assert!((6..50).contains(&outside), "{outside} of 420");
}

#[test]
fn what_does_not_vary_has_no_part() {
    let part = |results: &Results, set: usize| {
        let sources = results.learners[0].decomposition.parts[0].sources.as_ref();
        let at = SOURCES.iter().position(|(other, _)| *other == set).unwrap();
        sources.unwrap().parts[at].value
    };
    let (fixed, _) = known("{ normal = [0, 1], fixed = true }", 400);
    for set in [1, 3, 5, 7] {
        assert_eq!(part(&fixed, set), 0.0, "inputs that are fixed");
    }
    assert!(part(&fixed, 2) > 0.0 && part(&fixed, 4) > 0.0);
    let (_, knn) = run(r#"
        problem = { truth = "x", inputs = { uniform = [0, 1] }, noise = { normal = 1 }, train = 9 }
        learner = [{ knn = { k = 3 } }]
        run = { resamples = 100, sources = true }
    "#);
    for set in 4..8 {
        assert_eq!(part(&knn, set), 0.0, "a learner that draws nothing");
    }
    let parts = &knn.learners[0].decomposition.parts[0];
    let sum = part(&knn, 1) + part(&knn, 2) + part(&knn, 3);
    assert!((sum / parts.variance.value - 1.0).abs() < 1e-12);
}

const BAGS: &str = r#"
    [problem]
    truth  = "sin(x)"
    inputs = { uniform = [0, 15] }
    noise  = { normal = 0.5 }
    train  = 40

    [sweep]
    members = [1, 2, 4, 8, 16]

    [[learner]]
    bagging = { base = { tree = {} } }

    [run]
    resamples = 1200
    sources = SOURCES
    test = { grid = 50 }
"#;

#[test]
fn crossed_and_plain_runs_agree() {
    let (_, plain) = run(&BAGS.replace("SOURCES", "false"));
    let (_, crossed) = run(&BAGS.replace("SOURCES", "true"));
    let limit = interval_factor(1.0 - 1e-4, 24);
    let kept = [plain.kept.clone(), crossed.kept.clone()];
    let [plain, crossed] = [plain, crossed].map(|results| results.learners[0].clone());
    let both = plain
        .decomposition
        .parts
        .iter()
        .zip(&crossed.decomposition.parts);
    for (a, b) in both {
        for (a, b) in [
            (a.bias2, b.bias2),
            (a.variance, b.variance),
            (a.train, b.train),
        ] {
            assert!(
                (a.value - b.value).abs() < limit * a.se.hypot(b.se),
                "{a:?} {b:?}"
            );
        }
        // The first of a cube's fits is the plain run's.
        assert_eq!(a.risk_quartiles, b.risk_quartiles);
    }
    for (a, b) in kept[0].iter().zip(&kept[1]) {
        assert_eq!(
            (&a.fits[0].risk, &a.fits[0].train),
            (&b.fits[0].risk, &b.fits[0].train)
        );
    }
}

#[test]
fn bagged_variance_over_members_follows_from_their_correlation() {
    let plan = plan(&BAGS.replace("SOURCES", "true"));
    let results = engine::run(&plan, 2, &Unwatched).unwrap();
    let tables = Tables::new(&plan, &results);
    let formula = tables.curves.numbers("variance_from_members");
    let limit = interval_factor(1.0 - 1e-4, 24);
    let parts = &results.learners[0].decomposition.parts;
    for (parts, formula) in parts.iter().zip(formula) {
        let variance = parts.variance;
        assert!(
            (variance.value - formula).abs() < limit * variance.se,
            "{variance:?} for {formula}"
        );
        // Every ensemble's own parts give the same correlation of members.
        let mine = parts.sources.as_ref().unwrap().correlation.unwrap();
        let last = results.learners[0].decomposition.parts[4].sources.as_ref();
        let last = last.unwrap().correlation.unwrap();
        assert!((mine.value - last.value).abs() < limit * mine.se.hypot(last.se));
        assert!((0.2..0.7).contains(&mine.value), "{mine:?}");
    }
    // From one member to sixteen it falls by far more than its error: the test can fail.
    assert!(parts[0].variance.value - parts[4].variance.value > 20.0 * parts[0].variance.se);
}
