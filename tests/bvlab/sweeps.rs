//! Sweeps over train and noise, and over two numbers, give what separate experiments give.

use bvlab::decompose::Parts;
use bvlab::engine::{self, Unwatched};
use bvlab::outcome::Tables;

use rand::RngExt;

use crate::setup::{algorithm, plan, run};

/// An experiment with its places to be filled in.
fn text(inputs: &str, noise: &str, train: &str, sweep: &str, learner: &str) -> String {
    format!(
        r#"
        [problem]
        truth  = "sin(x)"
        inputs = {inputs}
        noise  = {{ normal = {noise} }}
        {train}

        [sweep]
        {sweep}

        [[learner]]
        {learner}

        [run]
        resamples = 60
        test = {{ grid = 25 }}
        "#
    )
}

/// Everything that is estimated of a setting.
fn numbers(parts: &Parts) -> Vec<f64> {
    let estimates = [
        parts.bias2,
        parts.variance,
        parts.risk,
        parts.train,
        parts.test,
    ];
    let estimates = estimates.iter().flat_map(|e| [e.value, e.se]);
    let others = [parts.noise, parts.largest_share, parts.risk_median_se];
    estimates
        .chain(others)
        .chain(parts.risk_quartiles)
        .collect()
}

fn all(text: &str) -> Vec<Vec<f64>> {
    let (_, results) = run(text);
    results.learners[0]
        .decomposition
        .parts
        .iter()
        .map(numbers)
        .collect()
}

const INPUTS: [&str; 3] = [
    "{ uniform = [0, 10] }",
    "{ normal = [5, 2], fixed = true }",
    "{ grid = [0, 10] }",
];

#[test]
fn sweeping_train_is_running_every_size() {
    for inputs in INPUTS {
        let swept = all(&text(
            inputs,
            "0.4",
            "",
            "train = [8, 20, 50]",
            "tree = { depth = 3 }",
        ));
        for (train, parts) in [8, 20, 50].iter().zip(&swept) {
            let train = format!("train = {train}");
            let one = all(&text(inputs, "0.4", &train, "depth = [3]", "tree = {}"));
            assert_eq!(one[0], *parts, "{inputs} {train}");
        }
    }
}

#[test]
fn sweeping_noise_is_running_every_sd() {
    for inputs in INPUTS {
        let train = "train = 20";
        let swept = all(&text(
            inputs,
            "9",
            train,
            "noise = [0, 0.3, 1]",
            "knn = { k = 4 }",
        ));
        for (noise, parts) in ["0", "0.3", "1"].iter().zip(&swept) {
            let one = all(&text(inputs, noise, train, "k = [4]", "knn = {}"));
            assert_eq!(one[0], *parts, "{inputs} {noise}");
        }
    }
}

#[test]
fn a_two_way_sweep_is_one_sweep_for_every_value_of_the_second() {
    let inputs = INPUTS[0];
    let both = "depth = [1, 3, 5]\nmin-leaf = [1, 4]";
    let swept = all(&text(inputs, "0.4", "train = 30", both, "tree = {}"));
    assert_eq!(swept.len(), 6);
    for (j, min_leaf) in [1, 4].iter().enumerate() {
        let learner = format!("tree = {{ min-leaf = {min_leaf} }}");
        let one = all(&text(
            inputs,
            "0.4",
            "train = 30",
            "depth = [1, 3, 5]",
            &learner,
        ));
        assert_eq!(one, swept[3 * j..3 * j + 3], "min-leaf {min_leaf}");
    }
}

#[test]
fn train_can_be_either_axis_and_both_can_be_of_the_problem() {
    let inputs = INPUTS[0];
    let learner = "tree = {}";
    let first = all(&text(
        inputs,
        "0.4",
        "",
        "train = [10, 30]\ndepth = [1, 2, 4]",
        learner,
    ));
    let second = all(&text(
        inputs,
        "0.4",
        "",
        "depth = [1, 2, 4]\ntrain = [10, 30]",
        learner,
    ));
    for train in 0..2 {
        for depth in 0..3 {
            assert_eq!(first[depth * 2 + train], second[train * 3 + depth]);
        }
    }
    let sweep = "train = [10, 30]\nnoise = [0.1, 0.4]";
    let both = all(&text(inputs, "9", "", sweep, "tree = { depth = 2 }"));
    assert_eq!(both[2], first[2], "train = 10, noise = 0.4");
    assert_eq!(both[3], first[3], "train = 30, noise = 0.4");
}

#[test]
fn an_ensemble_can_be_swept_over_members_and_base_at_once() {
    let inputs = INPUTS[0];
    let both = "members = [2, 5]\ndepth = [1, 3]";
    let bagging = "bagging = { base = { tree = {} } }";
    let swept = all(&text(inputs, "0.4", "train = 30", both, bagging));
    for (j, depth) in [1, 3].iter().enumerate() {
        let learner = format!("bagging = {{ base = {{ tree = {{ depth = {depth} }} }} }}");
        let one = all(&text(
            inputs,
            "0.4",
            "train = 30",
            "members = [2, 5]",
            &learner,
        ));
        assert_eq!(one, swept[2 * j..2 * j + 2], "depth {depth}");
    }
}

#[test]
fn tables_name_both_axes_and_every_size() {
    let text = text(
        INPUTS[0],
        "0.4",
        "",
        "depth = [1, 2]\ntrain = [10, 30]",
        "tree = {}",
    );
    let plan = plan(&text);
    let results = engine::run(&plan, 2, &Unwatched).unwrap();
    let tables = Tables::new(&plan, &results);
    assert_eq!(tables.curves.numbers("value"), [1.0, 2.0, 1.0, 2.0]);
    assert_eq!(tables.curves.numbers("value2"), [10.0, 10.0, 30.0, 30.0]);
    assert_eq!(tables.curves.wholes("train"), [10, 10, 30, 30]);
    let axes = tables.curves.texts("axis2");
    assert!(axes.iter().all(|axis| **axis == *"train"));
    for table in [&tables.points, &tables.fits, &tables.runs] {
        assert!(table.names().any(|name| name == "value2"));
    }
    // A smaller training set is the beginning of the larger one.
    let (x, train) = (
        tables.training.numbers("x"),
        tables.training.wholes("train"),
    );
    assert_eq!(train[..40], [[10_u64; 10].as_slice(), &[30; 30]].concat());
    assert_eq!(x[..10], x[10..20]);
}

#[test]
fn a_reference_lies_flat_where_others_are_swept_over_two_numbers() {
    let text = r#"
        problem = { truth = "x", inputs = { uniform = [0, 1] }, noise = { normal = 1 }, train = 9 }
        sweep = { depth = [1, 2], min-leaf = [1, 2, 3] }
        learner = [{ tree = {} }, { reference = true, knn = { k = 2 } }]
        run = { resamples = 40 }
    "#;
    let (plan, results) = run(text);
    assert_eq!(plan.paths[0].curve.settings(), 6);
    assert_eq!(plan.paths[1].curve.settings(), 1);
    assert_eq!(results.learners[1].decomposition.parts.len(), 1);
    let curve = &plan.paths[0].curve;
    assert_eq!(curve.describe(3), "depth = 2, min-leaf = 2");
}

#[test]
fn medians_and_quartiles_are_those_of_single_training_sets() {
    let text = r#"
        problem = { truth = "sin(x)", inputs = { uniform = [0, 10] }, noise = { normal = 0.5 }, train = 30 }
        sweep = { degree = [1, 5, 12] }
        learner = [{ polynomial = {} }]
        run = { resamples = 400, keep = 400 }
    "#;
    let (_, results) = run(text);
    for (setting, parts) in results.learners[0].decomposition.parts.iter().enumerate() {
        let risks = results.kept.iter().map(|kept| kept.fits[0].risk[setting]);
        let mut risks: Vec<f64> = risks.collect();
        risks.sort_by(f64::total_cmp);
        for (quartile, found) in (1..).zip(parts.risk_quartiles) {
            let (low, high) = (risks[quartile * 100 - 1], risks[quartile * 100]);
            assert!(
                found > low * 0.995 && found < high * 1.005,
                "{quartile}: {found} for {low} to {high}"
            );
        }
        // The median's error against that of 200 bootstraps of the risks themselves.
        let mut stream = algorithm(1);
        let medians: Vec<f64> = (0..200)
            .map(|_| {
                let mut sample: Vec<f64> = (0..400)
                    .map(|_| risks[stream.random_range(0..400)])
                    .collect();
                sample.sort_by(f64::total_cmp);
                sample[200]
            })
            .collect();
        let mean = medians.iter().sum::<f64>() / 200.0;
        let spread = medians.iter().map(|m| (m - mean).powi(2)).sum::<f64>() / 199.0;
        let ratio = parts.risk_median_se / spread.sqrt();
        assert!((0.6..1.6).contains(&ratio), "setting {setting}: {ratio}");
    }
}

#[test]
fn no_precision_is_claimed_where_no_mean_can_be_believed() {
    // At p = n every mean has too heavy a tail.
    let (_, results) = run(r#"
        problem = { truth = { linear = 1 }, inputs = { normal = [0, 1], dimension = 10 }, noise = { normal = 0.3 }, train = 20 }
        learner = [{ fourier = { features = 20, scale = 0.3 } }]
        run = { precision = 0.01, max-resamples = 300, test = { draw = 20 } }
    "#);
    assert_eq!(results.resamples, 300);
    assert_eq!(results.reached, None);
}

#[test]
fn the_medians_error_counts_that_test_points_are_drawn() {
    let medians: Vec<(f64, f64)> = (1..=12)
        .map(|seed| {
            let (_, results) = run(&format!(
                r#"
                problem = {{ truth = "4*x", inputs = {{ uniform = [0, 1] }}, noise = {{ normal = 0.1 }}, train = 30 }}
                learner = [{{ tree = {{ depth = 0 }} }}]
                run = {{ seed = {seed}, resamples = 60, test = {{ draw = 20 }} }}
                "#
            ));
            let parts = &results.learners[0].decomposition.parts[0];
            (parts.risk_quartiles[1], parts.risk_median_se)
        })
        .collect();
    let count = medians.len() as f64;
    let mean = medians.iter().map(|(median, _)| median).sum::<f64>() / count;
    let spread = medians
        .iter()
        .map(|(median, _)| (median - mean).powi(2))
        .sum::<f64>();
    let spread = (spread / (count - 1.0)).sqrt();
    let said = medians.iter().map(|(_, se)| se).sum::<f64>() / count;
    assert!((0.5..2.0).contains(&(said / spread)), "{said} for {spread}");
}
