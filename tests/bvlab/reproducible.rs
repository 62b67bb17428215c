//! The same file gives the same bytes, whoever computes them and however often.

use std::fs;
use std::path::Path;

use bvlab::engine::{self, Results, Unwatched};
use bvlab::outcome::{Table, Tables};

use crate::setup::plan;

const MIXED: &str = r#"
    [problem]
    truth  = "sin(x)"
    inputs = { uniform = [0, 10] }
    noise  = { student-t = 0.4, degrees = 5 }
    train  = 25

    [[learner]]
    sweep = { depth = "0..6" }
    tree = {}

    [[learner]]
    sweep = { k = [1, 5, 20] }
    knn = {}

    [[learner]]
    sweep = { members = [1, 4, 9] }
    bagging = { base = { polynomial = { degree = 3, lambda = 0.1 } } }

    [run]
    resamples = 1003
    test = { grid = 30 }
"#;

/// Everything that makes work uneven: two axes, several sizes, crossed draws, random features.
const CROSSED: &str = r#"
    [problem]
    truth  = { linear = 1.0 }
    inputs = { normal = [0, 1], dimension = 2 }
    noise  = { normal = 0.4 }

    [sweep]
    train = [5, 12]

    [[learner]]
    sweep = { features = [3, 5, 12, 30], train = [5, 12] }
    fourier = { scale = 1 }

    [[learner]]
    network = { width = 3, epochs = 20 }

    [[learner]]
    sweep = { members = [1, 3], noise = [0, 1] }
    bagging = { base = { tree = {} } }

    [run]
    resamples = 101
    sources = true
    test = { draw = 20 }
"#;

fn bytes(text: &str, threads: usize, folder: &Path) -> Vec<Vec<u8>> {
    let plan = plan(text);
    let results = engine::run(&plan, threads, &Unwatched).unwrap();
    let tables = Tables::new(&plan, &results);
    let all = [
        &tables.curves,
        &tables.points,
        &tables.training,
        &tables.fits,
        &tables.runs,
    ];
    let mut bytes = Vec::new();
    for table in all {
        let path = folder.join("table");
        table.write_csv(&path).unwrap();
        bytes.push(fs::read(&path).unwrap());
        table.write_parquet(&path).unwrap();
        bytes.push(fs::read(&path).unwrap());
    }
    bytes
}

#[test]
fn tables_are_identical_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let one = bytes(MIXED, 1, folder.path());
    for threads in [2, 3, 7] {
        assert!(
            one == bytes(MIXED, threads, folder.path()),
            "{threads} threads"
        );
    }
    let crossed = CROSSED.replace(
        "noise  = { normal = 0.4 }",
        "noise  = { normal = 0.4 }\n    train = 9",
    );
    let one_crossed = bytes(&crossed, 1, folder.path());
    for threads in [2, 5] {
        assert!(one_crossed == bytes(&crossed, threads, folder.path()));
    }
    let other = bytes(
        &MIXED.replace("resamples = 1003", "resamples = 1003\nseed = 2"),
        1,
        folder.path(),
    );
    assert!(one != other, "another seed must give other tables");
}

fn parts(results: &Results) -> Vec<f64> {
    let learners = results
        .learners
        .iter()
        .flat_map(|learner| &learner.decomposition.parts);
    learners
        .flat_map(|p| [p.bias2.value, p.variance.value, p.risk.se, p.test.value])
        .collect()
}

#[test]
fn a_learner_gives_the_same_with_others_beside_it() {
    let alone = MIXED
        .split("[[learner]]")
        .take(2)
        .collect::<Vec<_>>()
        .join("[[learner]]")
        + "[run]\nresamples = 1003\ntest = { grid = 30 }";
    let run = |text: &str| engine::run(&plan(text), 2, &Unwatched).unwrap();
    let (alone, together) = (parts(&run(&alone)), parts(&run(MIXED)));
    assert_eq!(alone[..], together[..alone.len()]);
}

#[test]
fn a_run_to_a_precision_is_the_run_of_as_many_resamples() {
    let text = MIXED.replace(
        "resamples = 1003",
        "precision = 0.02\nmax-resamples = 100_000",
    );
    let run = |text: &str| engine::run(&plan(text), 3, &Unwatched).unwrap();
    let precise = run(&text);
    assert!(precise.reached.unwrap() <= 0.02);
    assert!(precise.resamples < 100_000 && precise.resamples % 24 == 0);
    let shares = precise
        .learners
        .iter()
        .flat_map(|learner| &learner.decomposition.parts);
    assert!(
        shares
            .map(|p| p.risk.se / p.risk.value)
            .all(|share| share <= 0.02)
    );
    let fixed = MIXED.replace("1003", &precise.resamples.to_string());
    assert_eq!(parts(&precise), parts(&run(&fixed)));
    // A precision out of reach ends at the limit and says what was reached.
    let text = MIXED.replace(
        "resamples = 1003",
        "precision = 0.0001\nmax-resamples = 500",
    );
    let short = run(&text);
    assert_eq!(short.resamples, 500);
    assert!(short.reached.unwrap() > 0.0001);
}

#[test]
fn tables_survive_the_way_to_disk_and_back() {
    let plan = plan(MIXED);
    let results = engine::run(&plan, 2, &Unwatched).unwrap();
    let tables = Tables::new(&plan, &results);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.parquet");
    for table in [
        &tables.curves,
        &tables.points,
        &tables.training,
        &tables.fits,
        &tables.runs,
    ] {
        table.write_parquet(&path).unwrap();
        assert_eq!(*table, Table::read_parquet(&path).unwrap());
    }
}

#[test]
fn the_tables_have_the_promised_columns() {
    let plan = plan(MIXED);
    let results = engine::run(&plan, 2, &Unwatched).unwrap();
    let tables = Tables::new(&plan, &results);
    let names = |table: &Table| table.names().collect::<Vec<_>>().join(", ");
    insta::assert_snapshot!(names(&tables.curves), @"learner, axis, value, train, resamples, noise, noise_se, bias2, bias2_se, bias2_low, bias2_high, variance, variance_se, variance_low, variance_high, risk, risk_se, risk_low, risk_high, train_risk, train_risk_se, train_risk_low, train_risk_high, test_risk, test_risk_se, test_risk_low, test_risk_high, risk_q25, risk_median, risk_median_se, risk_q75, largest_share, doubt, best, risk_above_best, risk_above_best_se");
    insta::assert_snapshot!(names(&tables.points), @"learner, axis, value, x, truth, noise, mean, bias2, variance");
    insta::assert_snapshot!(names(&tables.training), @"resample, x, y");
    insta::assert_snapshot!(names(&tables.fits), @"learner, value, resample, x, prediction");
    insta::assert_snapshot!(names(&tables.runs), @"learner, value, resample, risk, train_risk");
    assert_eq!(tables.curves.rows(), 7 + 3 + 3);
    assert_eq!(tables.points.rows(), 13 * 30);
    assert_eq!(tables.training.rows(), 50 * 25);
    assert_eq!(tables.fits.rows(), 13 * 50 * 30);
    assert_eq!(tables.runs.rows(), 13 * 50);
}

#[test]
fn several_dimensions_number_their_inputs() {
    let text = r#"
        problem = { truth = "x1*x2 - x3", inputs = { normal = [0, 1], dimension = 3 }, noise = { normal = 0.1 }, train = 30 }
        learner = [{ knn = { k = 3 } }, { tree = {} }]
        run     = { resamples = 50, test = { draw = 20 } }
    "#;
    let plan = plan(text);
    let results = engine::run(&plan, 2, &Unwatched).unwrap();
    let tables = Tables::new(&plan, &results);
    let names: Vec<&str> = tables.training.names().collect();
    assert_eq!(names, ["resample", "x1", "x2", "x3", "y"]);
    let names: Vec<&str> = tables.points.names().collect();
    assert_eq!(
        names,
        [
            "learner", "axis", "value", "x1", "x2", "x3", "truth", "noise", "mean", "bias2",
            "variance"
        ]
    );
    let truth = |i: usize| {
        let x = |name: &str| tables.points.numbers(name)[i];
        x("x1") * x("x2") - x("x3")
    };
    assert!((0..40).all(|i| tables.points.numbers("truth")[i] == truth(i)));
}

#[test]
fn averages_follow_the_distribution_of_the_inputs() {
    // Noise of sd |x| under standard normal inputs has mean variance E x² = 1, on a grid too (cut
    // off at three sd, which loses 3 %).
    let noise = |test: &str| {
        let text = format!(
            r#"
            problem = {{ truth = "0", inputs = {{ normal = [0, 1] }}, noise = {{ normal = "abs(x)" }}, train = 5 }}
            learner = [{{ tree = {{}} }}]
            run     = {{ resamples = 4, test = {test} }}
            "#
        );
        let results = engine::run(&plan(&text), 1, &Unwatched).unwrap();
        results.learners[0].decomposition.parts[0].noise
    };
    assert!(
        (noise("{ grid = 500 }") - 0.9733).abs() < 0.001,
        "{}",
        noise("{ grid = 500 }")
    );
    assert!((noise("{ draw = 100_000 }") - 1.0).abs() < 0.02);
}
