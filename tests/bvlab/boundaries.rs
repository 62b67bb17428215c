//! What the live page is told of classes over two inputs: labels, probabilities and parts are those of the
//! files that the command line writes.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::lab::{Server, column, command_line, numbers, of};
use bvlab::outcome::Table;

/// Labels of so many bits, from the lowest.
pub(crate) fn unpacked(value: &Value) -> Vec<usize> {
    let (name, text) = value.as_object().unwrap().iter().next().unwrap();
    let bits: usize = name.strip_prefix('u').unwrap().parse().unwrap();
    let bytes = STANDARD.decode(text.as_str().unwrap()).unwrap();
    let of_byte = |byte: &u8| {
        let byte = *byte as usize;
        (0..8 / bits).map(move |i| (byte >> (i * bits)) & ((1 << bits) - 1))
    };
    bytes.iter().flat_map(of_byte).collect()
}

/// The estimates from most training sets. Those from the first few may come after them.
pub(crate) fn newest(messages: &[Value]) -> &Value {
    let frames = of(messages, "frame").into_iter();
    let newest = frames.max_by_key(|frame| frame["count"].as_u64());
    newest.unwrap()
}

/// The class with the largest of some columns, row by row; `None` where two are equal.
fn largest(columns: &[Vec<f64>]) -> Vec<Option<usize>> {
    let of_row = |i: usize| {
        let most = columns
            .iter()
            .map(|all| all[i])
            .fold(f64::NEG_INFINITY, f64::max);
        let mut best = (0..columns.len()).filter(|k| columns[*k][i] == most);
        best.next().filter(|_| best.next().is_none())
    };
    (0..columns[0].len()).map(of_row).collect()
}

pub(crate) fn single(values: &[f64]) -> Vec<f64> {
    values
        .iter()
        .map(|value| f64::from(*value as f32))
        .collect()
}

/// Columns of a table, one for every class; of one resample alone where it is given.
pub(crate) fn by_class(
    table: &Table,
    name: &str,
    classes: usize,
    resample: Option<i64>,
) -> Vec<Vec<f64>> {
    let each = (0..classes).map(|k| {
        let all = table.numbers(&format!("{name}_{k}")).iter().copied();
        match resample {
            None => all.collect(),
            Some(wanted) => {
                let rows = all.zip(table.wholes("resample"));
                rows.filter(|(_, r)| **r as i64 == wanted)
                    .map(|(value, _)| value)
                    .collect()
            }
        }
    });
    each.collect()
}

/// Runs a scene on the page and by the command line, and compares.
fn compare(server: &Server, scene: &Value, experiment: &str, arguments: &[&str], classes: usize) {
    let out = tempfile::tempdir().unwrap();
    let csv = command_line(out.path(), experiment, arguments);
    let name = Path::new(experiment).file_stem().unwrap();
    let folder = out.path().join(name);
    let table =
        |name: &str| Table::read_parquet(&folder.join(name).with_extension("parquet")).unwrap();
    let messages = server.run(scene);
    let head = &messages[0];
    assert!(head["pictured"].is_null(), "{}", head["pictured"]);
    assert_eq!(head["classes"], classes);
    // The points of the grid, and Bayes' rule.
    let (points, fits) = (table("points"), table("fits"));
    let [xs, ys] = ["xs", "ys"].map(|axis| numbers(&head["plane"][axis]));
    let grid = xs.len() * ys.len();
    let [x1, x2] = ["x1", "x2"].map(|name| points.numbers(name));
    for j in 0..grid {
        assert_eq!((xs[j / ys.len()], ys[j % ys.len()]), (x1[j], x2[j]));
    }
    let truth = by_class(&points, "truth", classes, None);
    let bayes = unpacked(&head["plane"]["bayes"]);
    for (told, best) in bayes.iter().zip(largest(&truth)).take(grid) {
        assert!(best.is_none_or(|best| best == *told));
    }
    // Where the marked points are in the grid.
    let places = numbers(&head["test"]["x"]);
    let marked: Vec<usize> = places
        .chunks_exact(2)
        .map(|x| {
            (0..grid)
                .find(|j| (x1[*j], x2[*j]) == (x[0], x[1]))
                .unwrap()
        })
        .collect();
    assert_eq!(head["plane"]["count"], marked.len());
    assert!(marked.len() >= 100, "{}", marked.len());
    // Labels and probabilities of every refit.
    let draws = of(&messages, "draw");
    assert_eq!(head["keep"], draws.len());
    assert!(draws.len() >= 8);
    for draw in &draws {
        let resample = draw["resample"].as_i64().unwrap();
        let predicted = by_class(&fits, "prediction", classes, Some(resample));
        let labels = unpacked(&draw["labels"][0]);
        assert!(labels.len() >= predicted[0].len());
        for (label, best) in labels.iter().zip(largest(&predicted)) {
            assert!(best.is_none_or(|best| best == *label), "of {resample}");
        }
        let told = numbers(&draw["fits"][0]);
        let settings = predicted[0].len() / grid;
        let written: Vec<f64> = (0..settings)
            .flat_map(|setting| marked.iter().map(move |j| setting * grid + j))
            .flat_map(|row| predicted[1..].iter().map(move |all| all[row]))
            .collect();
        assert_eq!(told, single(&written), "of {resample}");
    }
    // What all of them together choose, and the parts at the marked points.
    let last = &newest(&messages)["learners"][0];
    let main = unpacked(&last["main"]);
    let mean = by_class(&points, "mean", classes, None);
    for (told, best) in main.iter().zip(largest(&mean)) {
        assert!(best.is_none_or(|best| best == *told));
    }
    let told = &of(&messages, "points")[0]["learners"][0];
    let at_marked = |name: &str| -> Vec<f64> {
        let all = points.numbers(name);
        let settings = all.chunks_exact(grid);
        settings
            .flat_map(|all| marked.iter().map(|j| all[*j]))
            .collect()
    };
    for name in ["bias2", "variance"] {
        assert_eq!(numbers(&told[name]), single(&at_marked(name)), "{name}");
    }
    let means: Vec<f64> = (0..mean[0].len() / grid)
        .flat_map(|setting| marked.iter().map(move |j| setting * grid + j))
        .flat_map(|row| mean.iter().map(move |all| all[row]))
        .collect();
    for (told, written) in numbers(&told["mean"]).iter().zip(&means) {
        assert!((told - written).abs() < 1e-6, "{told} and {written}");
    }
    // The estimates, from the first few training sets, too.
    for name in ["noise", "bias2", "variance", "risk", "risk_se", "test_risk"] {
        let (told, written) = (numbers(&last[name]), column(&csv, name));
        assert_eq!(told, written, "{name}");
    }
}

#[test]
fn the_boundaries_of_the_page_are_those_of_the_files() {
    let server = Server::start(&[]);
    for (lesson, more) in [
        ("moons-zero-one", None),
        ("moons-zero-one", Some("run.split=\"effects\"")),
        ("moons-cross-entropy", None),
        ("moons-squared", None),
    ] {
        let sets = ["run.resamples=60", "run.seed=9", "run.test={ grid = 400 }"];
        let sets: Vec<&str> = sets.into_iter().chain(more).collect();
        let scene = json!({ "lesson": lesson, "set": sets });
        let arguments: Vec<&str> = sets.iter().flat_map(|set| ["--set", set]).collect();
        compare(&server, &scene, lesson, &arguments, 2);
    }
}

/// Three classes, and a learner without a sweep.
const THREE: &str = "[problem]\nclasses = { gaussians = [{ mean = [0, 0] }, { mean = [2, 0] }, { mean = [1, 2] }] }\ntrain = 40\n[[learner]]\ntree = { depth = 3 }\n[run]\nresamples = 50\nkeep = 12\nloss = \"zero-one\"\ntest = { grid = 225 }\n";

#[test]
fn three_classes_are_told_apart() {
    let server = Server::start(&[]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("three.toml");
    std::fs::write(&file, THREE).unwrap();
    compare(
        &server,
        &json!({ "toml": THREE }),
        file.to_str().unwrap(),
        &[],
        3,
    );
}

#[test]
fn the_first_training_sets_of_classes_give_what_a_run_of_as_many_gives() {
    let server = Server::start(&[]);
    let out = tempfile::tempdir().unwrap();
    for lesson in [
        "moons-zero-one",
        "moons-cross-entropy",
        "moons-squared",
        "diversity-votes",
    ] {
        let set = ["run.resamples=60", "run.test={ grid = 144 }"];
        let scene = json!({ "lesson": lesson, "set": set, "what": "steps" });
        server.run(&json!({ "lesson": lesson, "set": set }));
        let steps = String::from_utf8(server.export(&scene)).unwrap();
        let frames: Vec<Value> = steps
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let frame = frames.iter().find(|frame| frame["count"] == 11).unwrap();
        let arguments = ["--set", set[1], "--resamples", "11"];
        let csv = command_line(out.path(), lesson, &arguments);
        for name in [
            "noise",
            "bias2",
            "variance",
            "risk",
            "risk_se",
            "test_risk",
            "train_risk",
        ] {
            let learners = frame["learners"].as_array().unwrap().iter();
            let told: Vec<f64> = learners.flat_map(|one| numbers(&one[name])).collect();
            let written = single(&column(&csv, name));
            let same = |a: &f64, b: &f64| a == b || a.is_nan() && b.is_nan();
            assert!(
                told.iter().zip(&written).all(|(a, b)| same(a, b)),
                "{name} of {lesson}: {told:?} and {written:?}"
            );
        }
        // Its classes follow from the mean of its first predictions.
        assert!(unpacked(&frame["learners"][0]["main"]).len() >= 144);
    }
}

#[test]
fn a_plane_that_cannot_be_drawn_says_why() {
    let server = Server::start(&[]);
    let why = |set: &[&str]| -> String {
        let scene = json!({ "lesson": "moons-zero-one", "set": set });
        let messages = server.run(&scene);
        messages[0]["pictured"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let drawn = why(&["run.test={ draw = 200 }", "run.resamples=20", "figure=[]"]);
    assert!(
        drawn.contains("no grid") && drawn.contains("grid = 2500"),
        "{drawn}"
    );
    let line = "problem={ classes = { probability = \"1/(1 + exp(-x))\" }, inputs = { uniform = [-3, 3] }, train = 80 }";
    let one = why(&[
        line,
        "run.test={ grid = 100 }",
        "run.resamples=20",
        "figure=[]",
    ]);
    assert!(one.contains("here there is one"), "{one}");
    assert_eq!(why(&["run.resamples=20"]), "");
}
