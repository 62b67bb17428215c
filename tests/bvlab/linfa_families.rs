//! Models of linfa in experiments: `bvlab-linfa`, in the registry of the program.

use bvlab::data::Training;
use bvlab::engine::{self, Unwatched};
use bvlab::experiment::{Bounds, Experiment, Source};
use bvlab::plan::Plan;
use linfa::Dataset;
use linfa::traits::{Fit, Predict};
use linfa_elasticnet::ElasticNet;
use ndarray::{Array1, Array2};
use serde_json::Value;

use crate::schema::accepts_by;
use crate::setup::Place;

const CLASSES: &str = r#"
[problem]
classes = { moons = 0.3, flip = 0.1 }
train = 30
[[learner]]
linfa-tree = { min-leaf = 2, criterion = "entropy" }
sweep = { depth = "0..6" }
[[learner]]
linfa-bayes = {}
sweep = { smoothing = [1e-9, 0.1, 10] }
[[learner]]
linfa-svm = { width = 0.5 }
sweep = { c = [0.1, 1, 10] }
[[learner]]
name = "linear machine"
linfa-svm = { kernel = "linear" }
sweep = { c = [0.1, 1] }
[[learner]]
linfa-knn = {}
sweep = { k = [1, 5, 15, 30] }
[[learner]]
name = "bagged"
bagging = { members = 5, base = { linfa-tree = {} } }
sweep = { depth = [1, 3] }
[run]
resamples = 48
test = { draw = 40 }
[[figure]]
tradeoff = {}
"#;

const NUMBERS: &str = r#"
[problem]
truth = "x1 - 0.5*x2"
inputs = { normal = [0, 1], dimension = 5 }
noise = { normal = 1 }
train = 25
[[learner]]
linfa-elasticnet = { l1-ratio = 1 }
sweep = { penalty = [0.001, 0.1, 0.3, 0.9] }
[[learner]]
linfa-svr = { width = 2 }
sweep = { c = [0.1, 1, 10] }
[[learner]]
linfa-knn = { search = "linear" }
sweep = { k = [1, 5, 25] }
[run]
resamples = 48
test = { draw = 40 }
"#;

fn plan(text: &str) -> Plan {
    let source = Source::new("test.toml", text, &[]);
    let read = Experiment::read_with("test", source, &bvlab::registry(), &Bounds::default());
    match read {
        Ok(experiment) => experiment.plan().expect("it is a study").clone(),
        Err(error) => panic!("{:?}", miette::Report::new(*error)),
    }
}

#[test]
fn tables_are_the_same_on_any_number_of_threads_and_from_shards() {
    for (name, text) in [("classes", CLASSES), ("numbers", NUMBERS)] {
        let place = Place::with(&[("all.toml", text)]);
        place.done(&["run", "all.toml", "--threads", "1", "--out", "one"]);
        place.done(&["run", "all.toml", "--threads", "2", "--out", "two"]);
        let one = place.tables("one/all");
        assert!(one == place.tables("two/all"), "{name}: 1 and 2 threads");
        for shard in ["1/2", "2/2"] {
            place.done(&["run", "all.toml", "--shard", shard, "--out", "parts"]);
        }
        let shards = ["parts/all/shard-1-of-2", "parts/all/shard-2-of-2"];
        place.done(&["merge", shards[0], shards[1], "--out", "merged"]);
        assert!(one == place.tables("merged/all"), "{name}: two shards");
    }
}

#[test]
fn capacity_trades_bias_for_variance() {
    let results = engine::run(&plan(CLASSES), 2, &Unwatched).unwrap();
    let tree = results.parts(0);
    assert_eq!(tree.len(), 7);
    assert!(tree[0].bias2.value > tree[6].bias2.value + 3.0 * tree[0].bias2.se);
    assert!(tree[6].variance.value > tree[1].variance.value);
    let results = engine::run(&plan(NUMBERS), 2, &Unwatched).unwrap();
    let lasso = results.parts(0);
    assert!(lasso[3].bias2.value > lasso[0].bias2.value + 3.0 * lasso[3].bias2.se);
    assert!(lasso[3].variance.value < lasso[0].variance.value);
}

/// Kept fits of a run are those of linfa, called directly on the same training sets.
#[test]
fn the_engine_gets_what_linfa_gives() {
    let plan = plan(NUMBERS);
    let results = engine::run(&plan, 2, &Unwatched).unwrap();
    let points = &plan.test.points;
    let matrix = |points: &bvlab::data::Points| {
        let shape = (points.len(), points.dimension());
        Array2::from_shape_vec(shape, points.values().to_vec()).unwrap()
    };
    let mut compared = 0;
    for kept in results
        .kept
        .iter()
        .filter(|kept| !kept.fits[0].predictions.is_empty())
    {
        let mut data = Training::default();
        plan.problem()
            .draw(plan.run.seed, kept.resample, &mut data)
            .unwrap();
        let dataset = Dataset::new(matrix(&data.inputs), Array1::from_vec(data.labels.clone()));
        for (c, penalty) in [0.001, 0.1, 0.3, 0.9].into_iter().enumerate() {
            let model = ElasticNet::lasso().penalty(penalty).fit(&dataset).unwrap();
            let theirs = model.predict(&matrix(points)).to_vec();
            let ours = &kept.fits[0].predictions[c * points.len()..][..points.len()];
            assert_eq!(ours, theirs);
            compared += 1;
        }
    }
    assert!(compared > 0, "no fits were kept");
}

#[test]
fn they_are_listed_and_in_the_schema() {
    let place = Place::new();
    let (out, _) = place.done(&["list", "--learners"]);
    for line in [
        "linfa-tree: linfa's decision tree: the most frequent class of a leaf",
        "linfa-elasticnet: ",
        "linfa-bayes: ",
        "linfa-svm: ",
        "linfa-svr: ",
        "linfa-knn: ",
        "share of the L1 penalty: 1 is the lasso, 0 ridge regression (from 0 to 1; default 0.5)",
    ] {
        assert!(out.contains(line), "{line}: {out}");
    }
    let schema: Value = serde_json::from_str(&place.done(&["schema"]).0).unwrap();
    assert!(accepts_by(&schema, CLASSES) && accepts_by(&schema, NUMBERS));
    let wrong = NUMBERS.replace("l1-ratio = 1", "l1-ratio = 2");
    assert!(!accepts_by(&schema, &wrong));
}

#[test]
fn errors_know_their_names_and_what_they_cannot_learn() {
    let place = Place::new();
    let three =
        "classes = { probabilities = [\"1\", \"1\", \"1\"] }\ninputs = { uniform = [0, 1] }";
    for (text, change, words) in [
        (
            CLASSES,
            ("linfa-bayes = {}", "linfa-bays = {}"),
            "did you mean `linfa-bayes`?",
        ),
        (
            CLASSES,
            ("min-leaf = 2", "min-leef = 2"),
            "did you mean `min-leaf`?",
        ),
        (
            CLASSES,
            ("\"entropy\"", "\"gain\""),
            "expected `gini` or `entropy`",
        ),
        (
            CLASSES,
            ("smoothing = [", "smooth = ["),
            "did you mean `smoothing`?",
        ),
        (
            CLASSES,
            ("\"0..6\"", "[1001]"),
            "`depth` can be at most 1000, not 1001",
        ),
        (
            CLASSES,
            ("classes = { moons = 0.3, flip = 0.1 }", three),
            "`linfa-svm` learns two classes, but there are 3",
        ),
        (
            NUMBERS,
            ("train = 25", "train = 6000"),
            "`linfa-svr` takes at most 5000 training points",
        ),
        (
            NUMBERS,
            ("linfa-svr", "linfa-svm"),
            "`linfa-svm` learns classes, but the labels are numbers",
        ),
    ] {
        let changed = text.replace(change.0, change.1);
        assert_ne!(changed, text);
        place.write("wrong.toml", &changed);
        let (code, _, err) = place.run(&["check", "wrong.toml"]);
        assert_eq!(code, 2, "{change:?}: {err}");
        let err = unwrapped(&err);
        assert!(err.contains(words), "{change:?}: {err}");
    }
}

/// Inputs so large that naive Bayes has no numbers: the run ends with learner, setting and resample,
/// whatever the loss.
#[test]
fn what_cannot_be_fitted_ends_the_run_with_a_name() {
    for loss in ["squared", "cross-entropy", "zero-one"] {
        let text = format!(
            r#"
            problem = {{ classes = {{ probabilities = ["1", "1"] }}, inputs = {{ uniform = [-1e200, 1e200] }}, train = 10 }}
            sweep = {{ smoothing = [1e-9, 1] }}
            learner = [{{ linfa-bayes = {{}} }}]
            run = {{ resamples = 24, loss = "{loss}" }}
            "#
        );
        let place = Place::with(&[("large.toml", &text)]);
        let (code, _, err) = place.run(&["run", "large.toml"]);
        let err = unwrapped(&err);
        assert_eq!(code, 1, "{loss}: {err}");
        assert!(
            err.contains("`linfa-bayes` at smoothing = 1e-9: "),
            "{loss}: {err}"
        );
        assert!(err.contains("in resample"), "{loss}: {err}");
    }
}

/// An error message without the breaks of its lines.
fn unwrapped(err: &str) -> String {
    let words = err.split_whitespace().filter(|word| *word != "│");
    words.collect::<Vec<_>>().join(" ")
}
