//! Whole runs with selection and degrees of freedom, against theory.

use std::sync::Arc;

use crate::data::{Points, Training};
use crate::decompose::{Loss, interval_factor};
use crate::engine::{self, JoinedShares, Results, Shard, Share, ShareStep, Unwatched};
use crate::interrupt::{Interrupt, Interrupted};
use crate::learner::{
    Basis, Gaussians, GaussiansSetting, InputScale, Knn, Lasso, Learner, Linear, LinearSetting,
    Polynomial, PolynomialSetting, Search, Subset, Tree, TreeSetting,
};
use crate::plan::{CapacityPath, Plan, PlanError, SweepAxis, TestPoints};
use crate::problem::{ClassLaw, Classes, Expression, Inputs, Labels, Noise, Problem, Truth};
use crate::selection::{FAMILIES, Method};
use crate::stream::{Purpose, Stream};

fn unit() -> Inputs {
    Inputs::uniform(0.0, 1.0)
}

fn method(name: &str) -> Method {
    Method::named(name).unwrap()
}

fn polynomial(degrees: std::ops::RangeInclusive<usize>, lambda: f64) -> Polynomial {
    let settings = degrees.map(|degree| PolynomialSetting { degree, lambda });
    Polynomial::new(settings.collect(), Basis::Legendre, (0.0, 1.0))
}

fn axis(name: &str, count: usize) -> SweepAxis {
    let values: Vec<f64> = (1..=count).map(|value| value as f64).collect();
    SweepAxis::new(name, &values)
}

fn run(plan: &Plan) -> Results {
    engine::run(plan, 2, &Unwatched).unwrap()
}

fn problem(truth: &str, noise: f64, train: usize) -> Problem {
    Problem::numbers(truth, unit(), Noise::normal(noise).unwrap(), train).unwrap()
}

/// Standard normal inputs and a linear truth.
fn normal_problem(dimension: usize, train: usize) -> Problem {
    let mut weights = vec![0.0; dimension];
    weights[0] = 1.0;
    Problem {
        labels: Labels::Numbers {
            truth: Truth::Linear(weights),
            noise: Noise::normal(1.0).unwrap(),
        },
        inputs: Inputs::normal(0.0, 1.0),
        fixed: false,
        dimension,
        train,
    }
}

#[test]
fn cross_validation_of_least_squares_has_the_mean_of_its_closed_form() {
    // From m pairs on p standard normal inputs that carry all of the truth, without a constant, the
    // risk is σ² (1 + p/(m - p - 1)).
    let features = [1, 3, 6].map(|features| LinearSetting {
        features,
        lambda: 0.0,
    });
    let plan = Plan::builder(normal_problem(6, 40))
        .learner(
            "linear",
            SweepAxis::new("features", &[1.0, 3.0, 6.0]),
            Linear::new(features.to_vec(), false),
        )
        .test(TestPoints::Draw(300))
        .resamples(2000)
        .select(method("5-fold"))
        .select(method("10-fold"))
        .select(method("loo"))
        .select(method("gcv"))
        .select(method("cp"))
        .build()
        .unwrap();
    let results = run(&plan);
    let selection = results.learners[0]
        .decomposition
        .selection
        .as_ref()
        .unwrap();
    let t = 2.0 * interval_factor(0.95, 24);
    for (summary, pairs) in selection.iter().zip([32.0, 36.0, 39.0]) {
        for (value, p) in summary.values.iter().zip([1.0, 3.0, 6.0]) {
            let wanted = 1.0 + p / (pairs - p - 1.0);
            let found = value.estimate;
            assert!(
                (found.value - wanted).abs() < t * found.se,
                "{pairs} {p}: {found:?} {wanted}"
            );
        }
    }
    // E RSS = σ² (n - p), whatever the inputs.
    for (summary, criterion) in selection[3..].iter().zip(["gcv", "cp"]) {
        for (value, p) in summary.values.iter().zip([1.0, 3.0, 6.0]) {
            let wanted = match criterion {
                "gcv" => 40.0 / (40.0 - p),
                _ => (40.0 - p + 2.0 * p) / 40.0,
            };
            let found = value.estimate;
            assert!(
                (found.value - wanted).abs() < t * found.se,
                "{criterion} {p}: {found:?}"
            );
        }
    }
}

/// A learner that hides that it is a smoother.
#[derive(Clone)]
struct Hidden(Box<dyn Learner>);

impl Learner for Hidden {
    fn capacities(&self) -> usize {
        self.0.capacities()
    }

    fn try_fit(
        &mut self,
        data: &Training,
        stream: &Stream,
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        self.0.try_fit(data, stream, interrupt)
    }

    fn try_predict(
        &mut self,
        points: &Points,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        self.0.try_predict(points, out, interrupt)
    }
}

fn extra(results: &Results, learner: usize, setting: usize, name: &str) -> (f64, f64) {
    let parts = &results.parts(learner)[setting];
    let found = parts
        .extra
        .iter()
        .find(|(other, _)| *other == name)
        .unwrap();
    (found.1.value, found.1.se)
}

#[test]
fn degrees_of_freedom_are_those_of_theory() {
    let ks = vec![1, 3, 10];
    let lambdas = [0.0, 0.5, 8.0];
    let bumps = lambdas.map(|lambda| GaussiansSetting {
        count: 6,
        width: 0.2,
        lambda,
    });
    let three = |name: &str| SweepAxis::new(name, &[1.0, 2.0, 3.0]);
    let mut parts = Plan::builder(problem("sin(6*x)", 0.4, 30))
        .learner("knn", three("k"), Knn::new(ks.clone()))
        .learner("hidden", three("k"), Hidden(Box::new(Knn::new(ks.clone()))))
        .learner("polynomial", three("degree"), polynomial(1..=3, 0.0))
        .learner(
            "gaussians",
            three("lambda"),
            Gaussians::new(bumps.to_vec(), (0.0, 1.0)),
        )
        .test(TestPoints::Grid(30))
        .resamples(1500)
        .degrees_of_freedom()
        .build()
        .unwrap()
        .into_parts();
    for fixed in [false, true] {
        parts.problems[0].fixed = fixed;
        let plan = Plan::new(parts.clone()).unwrap();
        let results = run(&plan);
        for (c, k) in ks.iter().enumerate() {
            let wanted = 30.0 / *k as f64;
            assert!((extra(&results, 0, c, "df").0 - wanted).abs() < 1e-9);
            let (found, se) = extra(&results, 1, c, "df");
            assert!((found - wanted).abs() < 4.0 * se, "k = {k}: {found} ± {se}");
            // 2 σ² df/n.
            let (optimism, se) = extra(&results, 0, c, "optimism");
            let theory = 2.0 * 0.16 * wanted / 30.0;
            assert!(
                (optimism - theory).abs() < 4.0 * se,
                "{optimism} ± {se}, {theory}"
            );
            assert!((extra(&results, 2, c, "df").0 - (c as f64 + 2.0)).abs() < 1e-9);
        }
        // n/k also at the test points, for neighbours.
        let effective = results.learners[0].effective.as_ref().unwrap();
        for (effective, k) in effective.iter().zip(&ks) {
            assert!((effective.value - 30.0 / *k as f64).abs() < 1e-9);
        }
        assert!(results.learners[1].effective.is_none());
        if fixed {
            // Σ s²/(s² + λ) with the singular values of the features on the inputs.
            let mut data = Training::default();
            plan.problem().draw(plan.run.seed, 0, &mut data).unwrap();
            let phi = faer::Mat::from_fn(30, 7, |i, j| match j {
                6 => 1.0,
                _ => (-0.5 * ((data.inputs.get(i, 0) - j as f64 / 5.0) / 0.2).powi(2)).exp(),
            });
            let s = phi.singular_values().unwrap();
            for (c, lambda) in lambdas.iter().enumerate() {
                let wanted: f64 = s.iter().map(|s| s * s / (s * s + lambda)).sum();
                let (found, se) = extra(&results, 3, c, "df");
                assert!(
                    (found - wanted).abs() < 1e-8 && se == 0.0,
                    "{found} {wanted}"
                );
            }
        }
    }
}

/// Labels that have nothing to do with ten inputs.
fn without_signal(train: usize) -> Problem {
    let mut problem = normal_problem(10, train);
    if let Labels::Numbers { truth, .. } = &mut problem.labels {
        *truth = Truth::Linear(vec![0.0; 10]);
    }
    problem
}

#[test]
fn a_search_for_inputs_has_more_degrees_of_freedom_than_weights() {
    let plan = Plan::builder(without_signal(40))
        .learner(
            "best",
            axis("size", 4),
            Subset::new(vec![0, 1, 3, 10], Search::Best),
        )
        .test(TestPoints::Draw(20))
        .resamples(1000)
        .degrees_of_freedom()
        .build()
        .unwrap();
    let results = run(&plan);
    let of = |c: usize| extra(&results, 0, c, "df");
    // Without a search, one for every weight and one for the constant.
    for (c, weights) in [(0, 0.0), (3, 10.0)] {
        let (df, se) = of(c);
        assert!((df - 1.0 - weights).abs() < 4.0 * se, "{df} ± {se}");
    }
    // The best single input has the largest of ten squared t-values, each of mean about 1: near 3.8.
    let (df, se) = of(1);
    assert!(df - 8.0 * se > 3.0 && df < 6.5, "{df} ± {se}");
    let (df, se) = of(2);
    assert!(df - 8.0 * se > 5.5 && df < 11.0, "{df} ± {se}");
}

#[test]
fn lasso_has_as_many_degrees_of_freedom_as_weights_that_are_not_zero() {
    let lambdas = [0.05, 0.2, 0.4];
    let lasso = || Lasso::new(lambdas.to_vec(), true, InputScale::None);
    for fixed in [false, true] {
        let mut problem = normal_problem(8, 30);
        problem.fixed = fixed;
        let resamples = 1500;
        let plan = Plan::builder(problem)
            .learner("lasso", SweepAxis::new("lambda", &lambdas), lasso())
            .test(TestPoints::Draw(20))
            .resamples(resamples)
            .degrees_of_freedom()
            .build()
            .unwrap();
        let results = run(&plan);
        // Zero, and a unit vector for every input.
        let mut places = vec![0.0; 9 * 8];
        (0..8).for_each(|j| places[(j + 1) * 8 + j] = 1.0);
        let places = Points::new(8, places);
        let mut learner = lasso();
        let mut counts = [0.0; 3];
        let (mut data, mut out) = (Training::default(), vec![0.0; 27]);
        for resample in 0..resamples {
            plan.problem()
                .draw(plan.run.seed, resample, &mut data)
                .unwrap();
            let stream = Stream::new(plan.run.seed, Purpose::Algorithm, resample);
            learner.fit(&data, &stream);
            learner.predict(&places, &mut out);
            for (count, out) in counts.iter_mut().zip(out.chunks_exact(9)) {
                let used = out[1..].iter().filter(|p| (**p - out[0]).abs() > 1e-12);
                *count += used.count() as f64 / resamples as f64;
            }
        }
        for (c, count) in counts.iter().enumerate() {
            let (df, se) = extra(&results, 0, c, "df");
            // And one for the constant. Counts vary, too, but less.
            let apart = (df - 1.0 - count).abs();
            assert!(apart < 4.5 * se, "λ = {}: {df} ± {se}, {count}", lambdas[c]);
        }
        assert!(counts[0] > counts[1] + 1.0 && counts[1] > counts[2] + 0.5);
    }
}

/// The residual sum of squares of a polynomial, by normal equations in powers of x - 1/2.
fn residuals(data: &Training, degree: usize) -> f64 {
    let columns = degree + 1;
    let power = |i: usize, j: usize| (data.inputs.get(i, 0) - 0.5).powi(j as i32);
    let mut matrix = vec![vec![0.0; columns + 1]; columns];
    for i in 0..data.len() {
        for (a, row) in matrix.iter_mut().enumerate() {
            for (b, cell) in row.iter_mut().enumerate().take(columns) {
                *cell += power(i, a) * power(i, b);
            }
            row[columns] += power(i, a) * data.labels[i];
        }
    }
    for pivot in 0..columns {
        for other in 0..columns {
            if other != pivot {
                let factor = matrix[other][pivot] / matrix[pivot][pivot];
                let row = matrix[pivot].clone();
                for (cell, pivot) in matrix[other].iter_mut().zip(row) {
                    *cell -= factor * pivot;
                }
            }
        }
    }
    (0..data.len())
        .map(|i| {
            let fit: f64 = (0..columns)
                .map(|j| matrix[j][columns] / matrix[j][j] * power(i, j))
                .sum();
            (data.labels[i] - fit).powi(2)
        })
        .sum()
}

#[test]
fn every_criterion_is_that_of_its_formula_on_the_kept_training_sets() {
    let names = ["gcv", "cp", "aic", "bic", "adjusted-r2"];
    let mut builder = Plan::builder(problem("sin(6*x)", 0.4, 40))
        .learner("polynomial", axis("degree", 5), polynomial(1..=5, 0.0))
        .test(TestPoints::Grid(20))
        .resamples(48)
        .keep(20);
    for name in names {
        builder = builder.select(method(name));
    }
    let results = run(&builder.build().unwrap());
    for kept in &results.kept[..20] {
        let data = &kept.data[0];
        let n = 40.0;
        let mean = data.labels.iter().sum::<f64>() / n;
        let total: f64 = data.labels.iter().map(|y| (y - mean).powi(2)).sum();
        // Of degree 5, which has 6 of at most 20 degrees of freedom.
        let variance = residuals(data, 5) / (n - 6.0);
        let wanted = |degree: usize| {
            let (rss, d) = (residuals(data, degree), degree as f64 + 1.0);
            [
                (rss / n) / (1.0 - d / n).powi(2),
                (rss + 2.0 * d * variance) / n,
                n * (rss / n).ln() + 2.0 * d,
                (rss + n.ln() * d * variance) / n,
                1.0 - (rss / (n - d)) / (total / (n - 1.0)),
            ]
        };
        let all: Vec<[f64; 5]> = (1..=5).map(wanted).collect();
        for (c, wanted) in all.iter().enumerate() {
            for (which, wanted) in wanted.iter().enumerate() {
                let found = kept.fits[0].estimates[c * 5 + which];
                assert!(
                    (found - wanted).abs() < 1e-8 * (1.0 + wanted.abs()),
                    "{}",
                    names[which]
                );
            }
        }
        for which in 0..5 {
            let rank = |c: &usize| match which {
                4 => -all[*c][which],
                _ => all[*c][which],
            };
            let best = (0..5).min_by(|a, b| rank(a).total_cmp(&rank(b))).unwrap();
            assert_eq!(
                kept.fits[0].chosen[which] as usize, best,
                "{}",
                names[which]
            );
        }
    }
}

#[test]
fn a_useless_variable_is_taken_as_often_as_theory_says() {
    let mut builder = Plan::builder(problem("0", 1.0, 100))
        .learner("polynomial", axis("degree", 2), polynomial(0..=1, 0.0))
        .test(TestPoints::Grid(5))
        .resamples(8000);
    for name in ["aic", "bic", "adjusted-r2"] {
        builder = builder.select(method(name));
    }
    let results = run(&builder.build().unwrap());
    let selection = results.learners[0]
        .decomposition
        .selection
        .as_ref()
        .unwrap();
    // Student's t on 98 degrees of freedom is a little wider than the normal distribution.
    for (summary, rate) in selection.iter().zip([0.157, 0.032, 0.317]) {
        let found = summary.values[1].chosen;
        let room = 4.0 * (rate * (1.0 - rate) / 8000.0_f64).sqrt() + 0.004;
        assert!((found - rate).abs() < room, "{found} {rate}");
        let both = found + summary.values[0].chosen;
        assert!((both - 1.0).abs() < 1e-12);
        // The risk of the choice lies above that of the true model.
        assert!(summary.choices[0].best == 0 && summary.choices[0].regret.value > 0.0);
    }
}

#[test]
fn the_632_of_a_neighbour_that_learns_nothing() {
    let classes = Classes {
        law: ClassLaw::Weights(vec![Expression::constant(1.0), Expression::constant(1.0)]),
        flip: 0.0,
    };
    let problem = Problem {
        labels: Labels::Classes(classes),
        inputs: unit(),
        fixed: false,
        dimension: 1,
        train: 200,
    };
    let results = run(&Plan::builder(problem)
        .learner("knn", axis("k", 1), Knn::classifier(vec![1], 2))
        .loss(Loss::ZeroOne(Default::default()))
        .test(TestPoints::Grid(40))
        .resamples(600)
        .select(method("bootstrap-632"))
        .select(method("bootstrap-632+"))
        .select(method("loo"))
        .degrees_of_freedom()
        .build()
        .unwrap());
    let selection = results.learners[0]
        .decomposition
        .selection
        .as_ref()
        .unwrap();
    for (summary, wanted) in selection.iter().zip([0.316, 0.5, 0.5]) {
        let found = summary.values[0].estimate;
        // .632+ cuts at the error without information, which varies.
        assert!(
            (found.value - wanted).abs() < 4.0 * found.se + 0.02,
            "{found:?} {wanted}"
        );
    }
    let (optimism, se) = extra(&results, 0, 0, "optimism");
    assert!(
        (optimism - 0.5).abs() < 4.0 * se + 1e-9,
        "{optimism} ± {se}"
    );
}

fn shared(plan: &Arc<Plan>, of: usize) -> Results {
    let mut all = JoinedShares::new(plan.clone()).unwrap();
    let share = |index| Share::new(plan.clone(), Shard { index, of }).unwrap();
    let mut shares: Vec<Share> = (1..=of).map(share).collect();
    loop {
        for share in &mut shares {
            let groups = loop {
                match share.step().unwrap() {
                    ShareStep::Resample(kept) => kept.into_iter().for_each(|k| all.keep(*k)),
                    ShareStep::Round { groups, .. } => break groups,
                    ShareStep::Complete => unreachable!("there is another round"),
                }
            };
            assert!(groups.into_iter().all(|state| all.add(state)));
        }
        let round = all.round().unwrap();
        if round.is_last {
            return all.complete(round, &Unwatched).unwrap();
        }
    }
}

#[test]
fn threads_and_shares_give_the_same_results() {
    let mut builder = Plan::builder(problem("sin(6*x)", 0.4, 20))
        .learner("knn", axis("k", 8), Knn::new((1..=8).collect()))
        .test(TestPoints::Grid(20))
        .resamples(100)
        .degrees_of_freedom();
    // Those of densities have labels to refuse.
    let densities = ["lscv", "sturges", "scott", "silverman"];
    let families = FAMILIES.iter();
    for family in families.filter(|family| !densities.contains(&family.name)) {
        builder = builder.select(method(&family.name.replace('K', "4")));
    }
    let plan = Arc::new(builder.build().unwrap());
    let alone = engine::run(&plan, 1, &Unwatched).unwrap();
    let words = format!("{alone:?}");
    assert_eq!(format!("{:?}", run(&plan)), words);
    assert_eq!(format!("{:?}", shared(&plan, 3)), words);
    // What is estimated otherwise does not change.
    let mut parts = Plan::clone(&plan).into_parts();
    (parts.run.select, parts.run.df) = (Vec::new(), false);
    let plain = run(&Plan::new(parts).unwrap());
    for (with, without) in alone.parts(0).iter().zip(plain.parts(0)) {
        assert_eq!(with.risk, without.risk);
        assert_eq!(with.variance, without.variance);
    }
    for summary in alone.learners[0].decomposition.selection.iter().flatten() {
        let shares: f64 = summary.values.iter().map(|value| value.chosen).sum();
        assert!((shares - 1.0).abs() < 1e-12);
        // Nothing beats every training set's own best.
        assert!(summary.choices[0].regret_own.value >= 0.0);
    }
}

#[test]
fn what_does_not_suit_is_refused_by_name() {
    let tree = Tree::new(vec![TreeSetting::default()]);
    let refused = |name: &str| {
        let plan = Plan::builder(problem("x", 1.0, 8))
            .learner("tree", axis("depth", 1), tree.clone())
            .select(method("loo"))
            .select(method(name))
            .build();
        plan.map(|_| ()).unwrap_err()
    };
    for name in [
        "gcv",
        "cp",
        "aic",
        "bic",
        "adjusted-r2",
        "10-fold",
        "1-fold",
        "nested-8-fold",
    ] {
        let error = refused(name);
        let PlanError::Method { which, .. } = &error else {
            panic!("{error}");
        };
        assert_eq!(*which, 1);
        assert!(
            error.to_string().contains(name) && error.help().is_some(),
            "{error}"
        );
    }
    assert!(matches!(
        refused("loo"),
        PlanError::SameMethod { which: 1, .. }
    ));
    let mut parts = Plan::builder(problem("x", 1.0, 8))
        .learner("knn", axis("k", 2), Knn::new(vec![1, 2]))
        .select(method("loo"))
        .build()
        .unwrap()
        .into_parts();
    parts.run.sources = true;
    let refused = Plan::new(parts.clone()).map(|_| ()).unwrap_err();
    assert_eq!(refused, PlanError::SelectAndSources);
    parts.run.sources = false;
    let one = |settings: Vec<usize>| crate::plan::Stage {
        problem: 0,
        learner: Box::new(Knn::new(vec![1])),
        settings,
    };
    let CapacityPath { stages, .. } = &mut parts.paths[0];
    *stages = vec![one(vec![0]), one(vec![1])];
    let refused = Plan::new(parts).map(|_| ()).unwrap_err();
    assert!(matches!(refused, PlanError::SelectAmongData { .. }));
}
