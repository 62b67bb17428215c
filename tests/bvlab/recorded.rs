//! Digits are a promise: the estimates of every learner, noise law, input law and loss are those on
//! record, to the last bit where only Rust's own arithmetic is used, and to 10⁻⁹ where faer's kernels
//! are, which use the instructions that the processor offers. A change of an existing value needs a
//! major version; then
//!
//! ```sh
//! BVLAB_BLESS=1 cargo test --release recorded
//! ```

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use bvlab::engine::{self, Unwatched};
use bvlab::outcome::Tables;
use bvlab::simulation::{self, SIMULATIONS, Setup};

use crate::setup::plan;

const NUMBERS: &str = r#"truth = "sin(x) + 0.3*x", inputs = { uniform = [0, 6] }, noise = { normal = 0.5 }, train = 24"#;
const EVEN: &str =
    r#"truth = "sin(x)", inputs = { grid = [0, 6] }, noise = { normal = 0.5 }, train = 24"#;
const SQUARE: &str = r#"truth = "sin(3*x1) + x2^2", inputs = { uniform = [0, 1], dimension = 3 }, noise = { normal = 0.3 }, train = 24"#;
const DENSITY: &str = r#"density = { marron-wand = "claw" }, train = 30"#;
const CLASSES: &str = r#"classes = { moons = 0.3 }, train = 30"#;

/// Name, problem, learner, run; and whether faer has a part in it.
const CASES: &[(&str, &str, &str, &str, bool)] = &[
    (
        "knn",
        NUMBERS,
        "knn = {}, sweep = { k = [1, 5, 24] }",
        "",
        false,
    ),
    (
        "knn-space",
        SQUARE,
        "knn = {}, sweep = { k = [1, 5] }",
        "",
        false,
    ),
    (
        "kernel",
        NUMBERS,
        "kernel = {}, sweep = { bandwidth = [0.1, 1] }",
        "",
        false,
    ),
    (
        "tricube",
        NUMBERS,
        r#"kernel = { shape = "tricube" }, sweep = { bandwidth = [0.1, 1] }"#,
        "",
        false,
    ),
    (
        "tree",
        NUMBERS,
        "tree = {}, sweep = { depth = [1, 3, 9] }",
        "",
        false,
    ),
    (
        "tree-space",
        SQUARE,
        "tree = {}, sweep = { depth = [1, 3, 9] }",
        "",
        false,
    ),
    (
        "tree-leaves",
        SQUARE,
        "tree = {}, sweep = { leaves = [2, 5] }",
        "",
        false,
    ),
    (
        "polynomial",
        NUMBERS,
        "polynomial = {}, sweep = { degree = [0, 3, 7] }",
        "",
        false,
    ),
    (
        "polynomial-ridge",
        NUMBERS,
        "polynomial = { lambda = 0.1 }, sweep = { degree = [1, 5] }",
        "",
        true,
    ),
    (
        "gaussians",
        NUMBERS,
        "gaussians = { width = 0.5 }, sweep = { lambda = [0.01, 1] }",
        "",
        true,
    ),
    (
        "linear",
        SQUARE,
        "linear = {}, sweep = { features = [1, 3] }",
        "",
        true,
    ),
    (
        "fourier",
        NUMBERS,
        "fourier = { scale = 2 }, sweep = { features = [3, 60] }",
        "",
        true,
    ),
    (
        "fourier-epochs",
        NUMBERS,
        "fourier = { scale = 2, features = 9 }, sweep = { epochs = [3, 60] }",
        "",
        true,
    ),
    (
        "polynomial-beyond",
        EVEN,
        "polynomial = {}, sweep = { degree = [40, 120] }",
        "",
        true,
    ),
    (
        "polynomial-chebyshev",
        EVEN,
        r#"polynomial = { basis = "chebyshev" }, sweep = { degree = [5, 60] }"#,
        "",
        true,
    ),
    (
        "linear-epochs",
        SQUARE,
        "linear = { rate = 0.5 }, sweep = { epochs = [3, 60] }",
        "",
        true,
    ),
    (
        "linear-sds",
        r#"truth = { weights = [1, 2] }, inputs = { normal = [0, 1], sds = [1, 0.2, 3] }, noise = { normal = 0.3 }, train = 24"#,
        "linear = {}, sweep = { features = [1, 3] }",
        "test = { draw = 100 }",
        true,
    ),
    (
        "features",
        SQUARE,
        "features = { bias = 1 }, sweep = { features = [3, 60] }",
        "",
        true,
    ),
    (
        "features-projection",
        SQUARE,
        r#"features = { kind = "projection", lambda = 0.1 }, sweep = { features = [2, 3] }"#,
        "",
        true,
    ),
    (
        "network",
        NUMBERS,
        "network = { epochs = 40 }, sweep = { width = [2, 5] }",
        "",
        false,
    ),
    (
        "network-relu",
        SQUARE,
        r#"network = { epochs = 40, activation = "relu", optimiser = "descent" }, sweep = { width = [2, 5] }"#,
        "",
        false,
    ),
    (
        "bagging",
        NUMBERS,
        "bagging = { base = { tree = { depth = 3 } } }, sweep = { members = [1, 7] }",
        "",
        false,
    ),
    (
        "forest",
        SQUARE,
        "forest = { tries = 2 }, sweep = { trees = [1, 7] }",
        "",
        false,
    ),
    (
        "boosting",
        SQUARE,
        "boosting = {}, sweep = { rounds = [1, 20] }",
        "",
        false,
    ),
    (
        "tree-pruned",
        NUMBERS,
        "tree = {}, sweep = { alpha = [0.01, 0.1] }",
        "",
        false,
    ),
    (
        "tree-pruned-space",
        SQUARE,
        "tree = { min-leaf = 2 }, sweep = { pruned-leaves = [2, 6] }",
        "",
        false,
    ),
    (
        "local",
        NUMBERS,
        "local = {}, sweep = { bandwidth = [0.1, 1] }",
        "",
        false,
    ),
    (
        "local-space",
        SQUARE,
        r#"local = { shape = "tricube" }, sweep = { bandwidth = [0.3, 1] }"#,
        "",
        false,
    ),
    (
        "spline",
        NUMBERS,
        "spline = {}, sweep = { lambda = [0, 0.1, 10] }",
        "",
        false,
    ),
    (
        "spline-df",
        NUMBERS,
        "spline = {}, sweep = { df = [3, 8] }",
        "",
        false,
    ),
    (
        "lasso",
        SQUARE,
        "lasso = {}, sweep = { lambda = [0, 0.03] }",
        "",
        false,
    ),
    (
        "components",
        SQUARE,
        "components = {}, sweep = { components = [1, 3] }",
        "",
        true,
    ),
    (
        "subset",
        SQUARE,
        r#"subset = {}, sweep = { size = [1, 2] }"#,
        "",
        false,
    ),
    (
        "subset-backward",
        SQUARE,
        r#"subset = { search = "backward" }, sweep = { size = [1, 2] }"#,
        "",
        false,
    ),
    (
        "subset-best",
        SQUARE,
        r#"subset = { search = "best" }, sweep = { size = [1, 2] }"#,
        "",
        false,
    ),
    (
        "uniform-noise",
        r#"truth = "abs(x - 2)", inputs = { normal = [1, 2] }, noise = { uniform = "0.1 + 0.1*abs(x)" }, train = 20"#,
        "knn = { k = 3 }",
        "test = { draw = 60 }",
        false,
    ),
    (
        "laplace-noise",
        r#"truth = "exp(-x^2)", inputs = { normal = [0, 1] }, noise = { laplace = 0.3 }, train = 20"#,
        "knn = { k = 3 }",
        "",
        false,
    ),
    (
        "student-noise",
        r#"truth = "tanh(x)", inputs = { uniform = [-2, 2] }, noise = { student-t = 0.3, degrees = 5 }, train = 20"#,
        "knn = { k = 3 }",
        "",
        false,
    ),
    (
        "sources",
        SQUARE,
        "bagging = { members = 3, base = { tree = {} } }",
        "sources = true",
        false,
    ),
    (
        "knn-classes",
        CLASSES,
        "knn = {}, sweep = { k = [1, 4] }",
        r#"loss = "zero-one", test = { grid = 100 }"#,
        false,
    ),
    (
        "tree-classes",
        CLASSES,
        "tree = {}, sweep = { depth = [1, 9] }",
        r#"loss = "cross-entropy", test = { grid = 100 }"#,
        false,
    ),
    (
        "pruned-classes",
        CLASSES,
        "tree = {}, sweep = { alpha = [0.01, 0.05] }",
        r#"loss = "cross-entropy", test = { grid = 100 }"#,
        false,
    ),
    (
        "entropy-classes",
        CLASSES,
        r#"tree = { criterion = "entropy" }, sweep = { depth = [1, 9] }"#,
        r#"loss = "squared", test = { grid = 100 }"#,
        false,
    ),
    (
        "votes",
        CLASSES,
        r#"bagging = { members = 5, combine = "vote", base = { tree = {} } }"#,
        r#"loss = "zero-one", diversity = true, test = { grid = 100 }"#,
        false,
    ),
    (
        "geometric",
        CLASSES,
        r#"forest = { trees = 5, combine = "geometric" }"#,
        r#"loss = "cross-entropy", test = { grid = 100 }"#,
        false,
    ),
    (
        "logistic",
        CLASSES,
        "logistic = { lambda = 0.1 }, sweep = { degree = [1, 3] }",
        r#"loss = "cross-entropy", test = { grid = 100 }"#,
        false,
    ),
    (
        "discriminant",
        CLASSES,
        "discriminant = {}, sweep = { rung = [1, 2, 3, 4] }",
        r#"loss = "cross-entropy", test = { grid = 100 }"#,
        false,
    ),
    (
        "naive-bayes",
        "classes = { bernoulli = [{ ones = [0.2, 0.5, 0.9] }, { ones = [0.6, 0.5, 0.3], share = 2 }] }, train = 20",
        "naive-bayes = {}, sweep = { smoothing = [0.1, 1, 10] }",
        r#"loss = "cross-entropy", test = { draw = 60 }"#,
        false,
    ),
    (
        "naive-bayes-counts",
        "classes = { multinomial = [{ counts = [4, 3, 3] }, { counts = [1, 3, 6] }, { counts = [2, 6, 2] }] }, train = 20",
        r#"naive-bayes = { law = "multinomial" }, sweep = { smoothing = [0.1, 1, 10] }"#,
        r#"loss = "zero-one", test = { draw = 60 }"#,
        false,
    ),
    (
        "adaboost",
        CLASSES,
        "adaboost = {}, sweep = { rounds = [1, 15] }",
        r#"loss = "zero-one", split = "effects", test = { grid = 100 }"#,
        false,
    ),
    (
        "adaboost-resample",
        CLASSES,
        r#"adaboost = { sample = "resample", depth = 2 }, sweep = { rounds = [15] }"#,
        r#"loss = "zero-one", split = "kohavi-wolpert", test = { grid = 100 }"#,
        false,
    ),
    (
        "network-classes",
        CLASSES,
        "network = { width = 4, epochs = 40 }",
        r#"loss = "cross-entropy", test = { grid = 100 }"#,
        false,
    ),
    (
        "fourier-classes",
        CLASSES,
        "fourier = { scale = 1 }, sweep = { features = [5, 60] }",
        r#"loss = "zero-one", test = { grid = 100 }"#,
        true,
    ),
    (
        "network-one-hot",
        CLASSES,
        r#"network = { epochs = 40, objective = "squared" }, sweep = { width = [2, 5] }"#,
        r#"loss = "squared", test = { grid = 100 }"#,
        false,
    ),
    (
        "network-deep",
        SQUARE,
        "network = { width = 4, second = 3, epochs = 40 }, sweep = { decay = [0, 0.1] }",
        "",
        false,
    ),
    (
        "network-batches",
        CLASSES,
        "network = { width = 4, epochs = 9 }, sweep = { batch = [1, 8, 30] }",
        r#"loss = "cross-entropy", test = { grid = 100 }"#,
        false,
    ),
    (
        "histogram",
        DENSITY,
        "histogram = { origin = 0.4 }, sweep = { bins = [2, 9, 50] }",
        "",
        false,
    ),
    (
        "histogram-log",
        DENSITY,
        "histogram = { bins = 9, origin = 0.4 }, sweep = { smoothing = [0.1, 1, 5] }",
        r#"loss = "log", test = { grid = 40 }"#,
        false,
    ),
    (
        "kernel-density-log",
        DENSITY,
        "kernel-density = {}, sweep = { bandwidth = [0.3, 1] }",
        r#"loss = "log", test = { grid = 40 }"#,
        false,
    ),
    (
        "kernel-density",
        DENSITY,
        "kernel-density = {}, sweep = { bandwidth = [0.05, 0.3, 1] }",
        "",
        false,
    ),
    (
        "kernel-density-epanechnikov",
        DENSITY,
        r#"kernel-density = { shape = "epanechnikov" }, sweep = { bandwidth = [0.3, 1] }"#,
        "",
        false,
    ),
    (
        "mixture",
        DENSITY,
        "mixture = {}, sweep = { components = [1, 3, 8] }",
        "",
        false,
    ),
    (
        "mixture-tied",
        DENSITY,
        r#"mixture = { covariance = "tied", restarts = 1, floor = 0.1 }, sweep = { components = [2, 6] }"#,
        "",
        false,
    ),
];

/// One line for every number: `case setting column bits value`.
fn record() -> String {
    let mut lines = String::new();
    for (name, problem, learner, run, _) in CASES {
        let run = match *run {
            "" => "test = { grid = 40 }".to_owned(),
            given if given.contains("test") => given.to_owned(),
            given => format!("{given}, test = {{ draw = 40 }}"),
        };
        let run = match problem.contains("dimension") && !run.contains("draw") {
            true => "test = { draw = 40 }".to_owned(),
            false => run,
        };
        let text = format!(
            "problem = {{ {problem} }}\nlearner = [{{ {learner} }}]\nrun = {{ resamples = 48, {run} }}"
        );
        let plan = plan(&text);
        let results = engine::run(&plan, 2, &Unwatched).expect("the run ends");
        let curves = Tables::curves(&plan, &results);
        // Columns that come later are no change.
        let columns = [
            "noise",
            "bias2",
            "bias2_se",
            "bias2_low",
            "bias2_high",
            "variance",
            "variance_se",
            "variance_low",
            "variance_high",
            "risk",
            "risk_se",
            "risk_low",
            "risk_high",
            "train_risk",
            "test_risk",
            "test_risk_se",
            "risk_median",
            "variance_algorithm",
            "domingos_bias",
            "kw_variance",
            "effect_bias",
            "average_bias",
        ];
        for column in columns {
            for (row, value) in curves.numbers(column).iter().enumerate() {
                let _ = writeln!(
                    lines,
                    "{name} {row} {column} {:016x} {value:e}",
                    value.to_bits()
                );
            }
        }
    }
    for simulation in SIMULATIONS {
        let setup = Setup {
            resamples: 50,
            seed: 1,
            ..Setup::new(simulation)
        };
        let rows = simulation::run(&setup, &Unwatched).expect("it ends");
        for (i, row) in rows.iter().enumerate().step_by(rows.len().div_ceil(12)) {
            for (column, value) in [("value", row.value), ("se", row.se), ("theory", row.theory)] {
                let bits = value.to_bits();
                let _ = writeln!(
                    lines,
                    "{} {i} {column} {bits:016x} {value:e}",
                    simulation.name
                );
            }
        }
    }
    lines
}

fn home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bvlab/recorded.txt")
}

#[test]
fn every_number_is_the_one_on_record() {
    let found = record();
    if std::env::var_os("BVLAB_BLESS").is_some() {
        fs::write(home(), &found).expect("the record can be written");
        return;
    }
    let recorded = fs::read_to_string(home()).expect("there is a record");
    assert_eq!(
        found.lines().count(),
        recorded.lines().count(),
        "another number of numbers"
    );
    let mut changed = Vec::new();
    for (found, recorded) in found.lines().zip(recorded.lines()) {
        let [found, recorded] = [found, recorded].map(|line| line.split(' ').collect::<Vec<_>>());
        assert_eq!(found[..3], recorded[..3], "another order");
        let bits = |line: &[&str]| u64::from_str_radix(line[3], 16).expect("bits are hexadecimal");
        let [a, b] = [bits(&found), bits(&recorded)].map(f64::from_bits);
        let faer = CASES
            .iter()
            .any(|(name, .., faer)| *name == found[0] && *faer);
        // The sign of NaN depends on how the program was compiled.
        let same = match faer {
            true => (a - b).abs() <= 1e-9 * b.abs().max(1e-3),
            false => a.to_bits() == b.to_bits(),
        };
        if !(same || a.is_nan() && b.is_nan()) {
            changed.push(format!(
                "{} {} {}: {a:e}, recorded {b:e}",
                found[0], found[1], found[2]
            ));
        }
    }
    assert!(
        changed.is_empty(),
        "{} changed:\n{}",
        changed.len(),
        changed.join("\n")
    );
}
