//! Error bars are honest: over 200 seeds, 95 % intervals cover the exact value about 95 % of the
//! time.

use bvlab::decompose::interval_factor;
use bvlab::engine::{self, Unwatched};
use bvlab::experiment::{Experiment, Source};

const SEEDS: u64 = 200;

/// The share of seeds whose interval covers the exact value: of bias², variance and risk.
fn coverage(text: &str) -> [f64; 3] {
    let mut covered = [0; 3];
    for seed in 0..SEEDS {
        let sets = [format!("run.seed={seed}")];
        let source = Source::new("coverage.toml", text, &sets);
        let experiment = Experiment::read("coverage", source).unwrap();
        let results = engine::run(&experiment, 2, &Unwatched).unwrap();
        let learner = &results.learners[0];
        let exact = learner.exact.as_ref().unwrap();
        let weights = &experiment.test.weights;
        let average = |v: &[f64]| v.iter().zip(weights).map(|(v, w)| v * w).sum::<f64>();
        let [bias2, variance] = [average(&exact.bias2), average(&exact.variance)];
        let parts = &learner.decomposition.parts[0];
        let factor = interval_factor(0.95, learner.decomposition.groups);
        let pairs = [
            (parts.bias2, bias2),
            (parts.variance, variance),
            (parts.risk, parts.noise + bias2 + variance),
        ];
        for (count, (estimate, exact)) in covered.iter_mut().zip(pairs) {
            if (estimate.value - exact).abs() <= factor * estimate.se {
                *count += 1;
            }
        }
    }
    covered.map(|count| f64::from(count) / SEEDS as f64)
}

fn assert_honest(text: &str) {
    let [bias2, variance, risk] = coverage(text);
    let shares = format!("bias² {bias2}, variance {variance}, risk {risk}: {text}");
    assert!(bias2 >= 0.90, "{shares}");
    assert!((0.90..=0.99).contains(&variance), "{shares}");
    assert!((0.90..=0.99).contains(&risk), "{shares}");
}

// Inputs on a grid, so that the exact value is the same for every seed.
const PROBLEM: &str = r#"problem = { truth = "TRUTH", inputs = { grid = [0, 6] }, noise = { normal = 0.5 }, train = 30 }"#;

fn case(truth: &str, learner: &str, resamples: u64) -> String {
    let problem = PROBLEM.replace("TRUTH", truth);
    format!(
        "{problem}\nlearner = [{{ {learner} }}]\nrun = {{ resamples = {resamples}, test = {{ grid = 40 }} }}"
    )
}

#[test]
fn knn_with_bias() {
    assert_honest(&case("sin(x)", "knn = { k = 7 }", 240));
}

#[test]
fn least_squares_with_bias() {
    assert_honest(&case("sin(x)", "polynomial = { degree = 2 }", 240));
}

#[test]
fn least_squares_without_bias() {
    assert_honest(&case("1 + x - 0.2*x^2", "polynomial = { degree = 3 }", 240));
}

#[test]
fn ridge() {
    assert_honest(&case(
        "sin(x)",
        "polynomial = { degree = 9, lambda = 2 }",
        250,
    ));
}

#[test]
fn few_resamples_each_a_group_of_its_own() {
    assert_honest(&case("sin(x)", "knn = { k = 7 }", 30));
}

#[test]
fn a_plug_in_bias_would_be_caught() {
    // The estimator that most people use, (m - f)², is too large by v/R. With no bias and few
    // resamples the unbiased one averages to zero over seeds and the plug-in one clearly does not.
    let text = case("1 + x", "polynomial = { degree = 3 }", 40);
    let (mut honest, mut plug_in) = (Vec::new(), Vec::new());
    for seed in 0..SEEDS {
        let sets = [format!("run.seed={seed}")];
        let experiment = Experiment::read("plug-in", Source::new("", &text, &sets)).unwrap();
        let results = engine::run(&experiment, 2, &Unwatched).unwrap();
        let split = &results.learners[0].decomposition;
        honest.push(split.parts[0].bias2.value);
        plug_in.push(split.mean.iter().map(|m| m * m).sum::<f64>() / split.mean.len() as f64);
    }
    let mean_and_se = |values: &[f64]| {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
        (mean, (variance / n).sqrt())
    };
    let (mean, se) = mean_and_se(&honest);
    assert!(mean.abs() < 4.0 * se, "unbiased: {mean} ± {se}");
    let (mean, se) = mean_and_se(&plug_in);
    assert!(mean > 10.0 * se, "plug-in: {mean} ± {se}");
}

#[test]
fn paired_differences_are_sharper_than_unpaired_ones() {
    let text = case(
        "sin(x)",
        "knn = { k = 5 } }, { name = \"other\", knn = { k = 6 }",
        240,
    );
    let experiment = Experiment::read("paired", Source::new("", &text, &[])).unwrap();
    let results = engine::run(&experiment, 2, &Unwatched).unwrap();
    let [all_a, all_b] = [0, 1].map(|i| &results.learners[i].decomposition);
    let [a, b] = [&all_a.parts[0], &all_b.parts[0]];
    let paired = all_a.risk_minus(0, all_b, 0);
    assert!(paired.se > 0.0 && paired.se < 0.5 * a.risk.se.hypot(b.risk.se));
    assert!((paired.value - (a.risk.value - b.risk.value)).abs() < 1e-15);
}

/// Test points that are drawn are a sample too: over seeds, averages and paired differences vary
/// because of them, and the intervals must know it.
#[test]
fn drawn_test_points_are_in_the_error_bars() {
    let text = r#"
        problem = { truth = "sin(x)", inputs = { uniform = [0, 6] }, noise = { normal = 0.1 }, train = 30 }
        learner = [{ polynomial = { degree = 1 } }, { name = "flat", polynomial = { degree = 0 } }]
        run     = { resamples = 400, test = { draw = 60 } }
    "#;
    let run = |sets: &[String]| {
        let experiment = Experiment::read("drawn", Source::new("", text, sets)).unwrap();
        engine::run(&experiment, 2, &Unwatched).unwrap()
    };
    // A fine grid and many resamples stand in for the exact values.
    let fine = [
        "run.test={ grid = 2000 }".to_owned(),
        "run.resamples=20000".to_owned(),
    ];
    let fine = run(&fine);
    let values = |results: &bvlab::engine::Results| {
        let [line, flat] = [0, 1].map(|i| &results.learners[i].decomposition);
        let parts = &line.parts[0];
        [parts.bias2, parts.risk, flat.risk_minus(0, line, 0)]
    };
    let wanted = values(&fine);
    let mut covered = [0; 3];
    for seed in 0..SEEDS {
        let results = run(&[format!("run.seed={seed}")]);
        let factor = interval_factor(0.95, results.learners[0].decomposition.groups);
        for (i, got) in values(&results).into_iter().enumerate() {
            if (got.value - wanted[i].value).abs() <= factor * got.se {
                covered[i] += 1;
            }
        }
    }
    for count in covered {
        assert!(
            count as f64 >= 0.9 * SEEDS as f64,
            "of {SEEDS}: {covered:?}"
        );
    }
}
