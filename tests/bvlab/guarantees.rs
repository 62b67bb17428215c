//! Sweeps over the dimension, and simulations about what can be promised of a learner, against closed
//! forms.

use bvlab::engine::Unwatched;
use bvlab::experiment::{Experiment, Source};
use bvlab::simulation::{self, Row, Setup};

use crate::setup::{experiment, run};

fn swept(dimension: &str, sweep: &str, learner: &str) -> String {
    format!(
        r#"
        problem = {{ truth = "sin(3*x1)", inputs = {{ uniform = [-1, 1]{dimension} }}, noise = {{ normal = 0.3 }}, train = 60 }}
        sweep   = {{ {sweep} }}
        learner = [{{ {learner} }}]
        run     = {{ resamples = 200, seed = 3, test = {{ draw = 300 }} }}
        "#
    )
}

/// By setting: bias², variance and risk with their errors.
fn parts(text: &str) -> Vec<[(f64, f64); 3]> {
    let (_, results) = run(text);
    let parts = results.learners[0].decomposition.parts.iter();
    parts
        .map(|parts| [parts.bias2, parts.variance, parts.risk].map(|e| (e.value, e.se)))
        .collect()
}

#[test]
fn sweeping_the_dimension_is_running_every_dimension() {
    for (learner, fixed, other) in [
        ("knn = { k = 4 }", "knn = {}", "k = [4]"),
        ("tree = { depth = 3 }", "tree = {}", "depth = [3]"),
        (
            "bagging = { members = 3, base = { tree = { depth = 3 } } }",
            "bagging = { base = { tree = { depth = 3 } } }",
            "members = [3]",
        ),
    ] {
        let all = parts(&swept("", "dimension = [1, 2, 5]", learner));
        for (dimension, swept_parts) in [1, 2, 5].into_iter().zip(&all) {
            let dimension_key = format!(", dimension = {dimension}");
            let alone = parts(&swept(&dimension_key, other, fixed))[0];
            if dimension == 5 {
                // The most coordinates: the very same training sets and test points.
                assert_eq!(alone, *swept_parts, "{learner}");
            }
            for (a, b) in alone.iter().zip(swept_parts) {
                let apart = (a.0 - b.0).abs() / a.1.hypot(b.1).max(1e-3);
                assert!(apart < 5.0, "{learner} {dimension}: {a:?} {b:?}");
            }
        }
    }
}

#[test]
fn two_parameters_can_be_swept_with_the_dimension() {
    let both = parts(&swept("", "k = [1, 7], dimension = [1, 4]", "knn = {}"));
    for (i, k) in [1, 7].into_iter().enumerate() {
        let one = parts(&swept(
            "",
            "dimension = [1, 4]",
            &format!("knn = {{ k = {k} }}"),
        ));
        assert_eq!([both[i], both[2 + i]], [one[0], one[1]], "{k}");
    }
}

#[test]
fn a_dimension_that_cannot_be_swept_is_refused() {
    let refused = |text: &str| {
        let error = Experiment::read("bad", Source::new("bad.toml", text, &[]));
        match error {
            Ok(_) => panic!("it was accepted: {text}"),
            Err(error) => (
                error.message().to_owned(),
                error.help().unwrap_or_default().to_owned(),
            ),
        }
    };
    let text = swept("", "dimension = [1, 2, 5]", "knn = { k = 4 }");
    let cases = [
        (
            text.replace("x1", "x2"),
            "the labels depend on x2: the dimension cannot be 1",
        ),
        (text.replace("[1, 2, 5]", "[0, 2]"), "`dimension`"),
        (text.replace("[1, 2, 5]", "[1.5, 2]"), "`dimension`"),
        (text.replace("[1, 2, 5]", "[1, 20000]"), "`dimension`"),
        (
            text.replace("uniform", "grid")
                .replace("train = 60", "train = 32"),
            "the dimension of a grid cannot be swept",
        ),
        (
            text.replace("\"sin(3*x1)\"", "{ linear = 1 }"),
            "the truth changes with the dimension",
        ),
        (
            text.replace("knn = { k = 4 }", "spline = { df = 4 }"),
            "needs one-dimensional inputs",
        ),
        (
            text.replace(
                "truth = \"sin(3*x1)\", inputs = { uniform = [-1, 1] }, noise = { normal = 0.3 }",
                "classes = { moons = 0.3 }",
            ),
            "cannot be swept",
        ),
    ];
    for (text, words) in cases {
        let (message, help) = refused(&text);
        assert!(message.contains(words), "{message} ({help})");
    }
}

fn simulate(name: &str, with: &str, resamples: u64, seed: u64) -> Vec<Row> {
    let text = format!("simulation = \"{name}\"\nwith = {{ {with} }}\n");
    let setup = Setup {
        resamples,
        seed,
        ..experiment(&text).task.simulation().unwrap().clone()
    };
    simulation::run(&setup, &Unwatched).unwrap()
}

fn find<'a>(rows: &'a [Row], panel: &str, series: &str, x: f64) -> &'a Row {
    let mut rows = rows.iter();
    rows.find(|row| row.panel == panel && row.series == series && row.x == x)
        .unwrap_or_else(|| panic!("no {series} at {x} in {panel}"))
}

#[test]
fn parts_of_the_excess_risk_add_up_in_both_splits() {
    let with =
        "sizes = [100, 1000], degrees = [0, 3, 6], epochs = [1, 30, 3000], degree = 5, train = 100";
    let rows = simulate("excess-risk", with, 300, 2);
    for row in rows.iter().filter(|row| row.theory.is_finite()) {
        assert!(row.apart() < 1.0, "{row:?}");
    }
    for t in [1.0, 30.0, 3000.0] {
        let value = |panel: &str, series: &str| find(&rows, panel, series, t).value;
        let excess = value("split", "excess risk");
        assert!((value("split", "bias²") + value("split", "variance") - excess).abs() < 1e-10);
        assert_eq!(excess, value("epochs", "excess risk"));
        assert!(value("split", "bias²") > 0.9 * value("epochs", "approximation"));
    }
    // After many steps descent is at the least-squares fit.
    assert!(find(&rows, "epochs", "optimisation", 3000.0).value.abs() < 1e-3);
    // The class is a constant: E (sin(5x + 1) − mean)², and the noise's share of the mean's variance.
    let mean = 1_f64.sin() * 5_f64.sin() / 5.0;
    let square = 0.5 * (1.0 - 2_f64.cos() * 10_f64.sin() / 10.0);
    let constant = find(&rows, "capacity", "approximation", 0.0).value;
    assert!((constant - (square - mean * mean)).abs() < 1e-12);
    for n in [100.0, 1000.0] {
        let known = (constant + 0.25) / n;
        let row = find(&rows, "capacity", &format!("estimation, n = {n}"), 0.0);
        assert!((row.value - known).abs() < 4.0 * row.se, "{row:?} {known}");
    }
}

#[test]
fn gradient_descent_ends_where_theory_says() {
    let with = "train = 6, weights = 30, batches = [1, 4], epochs = [1, 3000]";
    let rows = simulate("gradient-descent", with, 2000, 4);
    let known: Vec<&Row> = rows.iter().filter(|row| row.theory.is_finite()).collect();
    assert_eq!(known.len(), 18);
    for row in known {
        assert!(row.apart() < 5.0, "{row:?}");
    }
    assert!(find(&rows, "interpolant", "from 0", 3000.0).value < 1e-8);
    assert!(find(&rows, "interpolant", "training error", 3000.0).value < 1e-8);
    // What of the start is orthogonal to six of thirty dimensions.
    let elsewhere = find(&rows, "interpolant", "from elsewhere", 3000.0);
    assert!(
        (elsewhere.value - 4.0 * 0.8).abs() < 5.0 * elsewhere.se,
        "{elsewhere:?}"
    );
    // On the bowl w²/4 shrinks by (1 − 0.075)² in every step.
    let [first, last] = [0.0, 25.0].map(|t| find(&rows, "steps", "bowl, from 2.9", t).value);
    assert!((last / first - 0.925_f64.powi(50)).abs() < 1e-12);
}

#[test]
fn every_row_of_the_matrix_averages_one_half() {
    let rows = simulate("no-free-lunch", "points = 6, train = 3", 4, 7);
    for learner in ["nearest neighbour", "majority", "minority", "always 1"] {
        let own = rows
            .iter()
            .filter(|row| row.panel == "matrix" && row.series == learner);
        let own: Vec<f64> = own.map(|row| row.value).collect();
        assert_eq!(own.len(), 64);
        assert!(
            (own.iter().sum::<f64>() / 64.0 - 0.5).abs() < 1e-12,
            "{learner}"
        );
    }
    // The first concepts are the constants, the last those whose labels alternate.
    assert_eq!(find(&rows, "matrix", "nearest neighbour", 1.0).value, 1.0);
    assert_eq!(find(&rows, "matrix", "always 1", 1.0).value, 0.0);
    assert!(find(&rows, "matrix", "nearest neighbour", 64.0).value < 0.2);
}
