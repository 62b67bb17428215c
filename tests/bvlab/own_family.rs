//! A model family of one's own has all that those of bvlab have: `examples/own_program.rs`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

use crate::schema::accepts_by;
use crate::setup::{PROGRAM, Place, answer};

/// The example, built as the program was.
fn example() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let beside = Path::new(PROGRAM).parent().unwrap();
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--offline", "--example", "own_program"]);
        build.current_dir(env!("CARGO_MANIFEST_DIR"));
        build.env("CARGO_TARGET_DIR", beside.parent().unwrap());
        if beside.ends_with("release") {
            build.arg("--release");
        }
        let (code, _, err) = answer(build.output().unwrap());
        assert_eq!(code, 0, "{err}");
        beside.join("examples/own_program")
    })
}

fn run(place: &Place, arguments: &[&str]) -> (i32, String, String) {
    answer(place.command_of(example(), arguments).output().unwrap())
}

const EXPERIMENT: &str = r#"
[problem]
truth = "0.3"
inputs = { uniform = [0, 1] }
noise = { normal = 1 }
train = 10
[sweep]
share = { from = 0, to = 1, count = 11 }
[[learner]]
shrunk = {}
[run]
resamples = 4000
[[figure]]
tradeoff = {}
"#;

#[test]
fn a_sweep_over_its_parameter_has_the_values_that_theory_says() {
    let place = Place::with(&[("mine.toml", EXPERIMENT)]);
    let (code, out, err) = run(&place, &["run", "mine.toml"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(place.has("results/mine/tradeoff.png"));
    let csv = place.read("results/mine/curves.csv");
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = lines.next().unwrap();
    let column = |name: &str| head.iter().position(|known| *known == name).unwrap();
    let columns = ["value", "bias2", "bias2_se", "variance", "variance_se"].map(column);
    let mut rows = 0;
    for line in lines {
        let [share, bias2, bias2_se, variance, variance_se] =
            columns.map(|at| line[at].parse::<f64>().unwrap());
        // A share s of a mean of ten labels of mean 0.3 and variance 1.
        let wanted = [(0.3 * (1.0 - share)).powi(2), share * share / 10.0];
        let rounding = 1e-12;
        assert!(
            (bias2 - wanted[0]).abs() <= 4.0 * bias2_se + rounding,
            "{line:?}"
        );
        assert!(
            (variance - wanted[1]).abs() <= 4.0 * variance_se + rounding,
            "{line:?}"
        );
        rows += 1;
    }
    assert_eq!(rows, 11);
}

#[test]
fn it_can_be_the_base_of_an_ensemble() {
    let bagged = EXPERIMENT.replace(
        "shrunk = {}",
        "bagging = { members = 3, base = { shrunk = {} } }",
    );
    let bagged = bagged.replace("4000", "20");
    let place = Place::with(&[("bagged.toml", &bagged)]);
    let (code, out, err) = run(&place, &["run", "bagged.toml"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
}

#[test]
fn it_is_listed_and_in_the_schema() {
    let place = Place::new();
    let (code, out, _) = run(&place, &["list", "--learners"]);
    assert_eq!(code, 0);
    assert!(out.contains("shrunk: a share of the mean label\n  share      share of the mean (from 0 to 1; must be given or swept)\n"), "{out}");
    assert!(out.contains("\ntree: "));
    let (code, out, _) = run(&place, &["schema"]);
    assert_eq!(code, 0);
    let schema: Value = serde_json::from_str(&out).unwrap();
    for definition in ["Learner", "Base"] {
        let shrunk = &schema["$defs"][definition]["properties"]["shrunk"];
        assert_eq!(
            shrunk["properties"]["share"]["maximum"], 1.0,
            "{definition}"
        );
    }
    assert!(accepts_by(&schema, EXPERIMENT));
    let wrong = EXPERIMENT.replace("shrunk = {}", "shrunk = { share = 2 }");
    assert!(!accepts_by(&schema, &wrong));
    // bvlab itself does not have it.
    assert!(!place.done(&["list", "--learners"]).0.contains("shrunk"));
    assert!(!place.done(&["schema"]).0.contains("shrunk"));
}

#[test]
fn errors_know_its_names() {
    let place = Place::new();
    for (what, change, token, words) in [
        (
            "family",
            ("shrunk = {}", "shrunck = {}"),
            "shrunck",
            "did you mean `shrunk`?",
        ),
        (
            "key",
            ("shrunk = {}", "shrunk = { shere = 1 }"),
            "shere",
            "did you mean `share`?",
        ),
        (
            "value",
            ("to = 1,", "to = 2,"),
            "",
            "`share` can be at most 1, not 1.2",
        ),
        (
            "sweep",
            ("share =", "shar ="),
            "shar",
            "did you mean `share`?",
        ),
    ] {
        place.write("wrong.toml", &EXPERIMENT.replace(change.0, change.1));
        let (code, _, err) = run(&place, &["check", "wrong.toml"]);
        assert_eq!(code, 2, "{what}: {err}");
        assert!(err.contains(words) && err.contains(token), "{what}: {err}");
    }
    let (code, _, err) = place.run(&["check", "wrong.toml"]);
    assert_eq!(code, 2);
    assert!(err.contains("`shrunk` is not known here"), "{err}");
}
