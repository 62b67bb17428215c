//! The program as a user meets it.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::setup::{Place, answer};

const SMALL: &str = r#"
title = "Small"
[problem]
truth  = "sin(x)"
inputs = { uniform = [0, 10] }
noise  = { normal = 0.3 }
train  = 20
[sweep]
k = "1..10"
[[learner]]
knn = {}
[[learner]]
name = "line"
reference = true
polynomial = { degree = 1 }
[run]
resamples = 100
[[figure]]
tradeoff = {}
"#;

#[test]
fn a_run_leaves_tables_a_figure_and_a_manifest() {
    let place = Place::new();
    place.write("small.toml", SMALL);
    let (code, out, err) = place.run(&["run", "small.toml"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    for words in [
        "Small",
        "100 training sets of 20 points",
        "knn",
        "line",
        "k = ",
        "agrees with the testing error at all 11 values",
        "line − knn, each at its lowest risk: risk differs by",
        "± is half of a 95 % interval",
    ] {
        assert!(out.contains(words), "no `{words}` in:\n{out}");
    }
    let files = [
        "curves.csv",
        "curves.parquet",
        "fits.parquet",
        "manifest.json",
        "points.parquet",
        "runs.parquet",
        "tradeoff.png",
        "training.parquet",
    ];
    let mut wanted: Vec<String> = files
        .iter()
        .map(|file| format!("results/small/{file}"))
        .collect();
    wanted.extend(["results", "results/small", "small.toml"].map(String::from));
    wanted.sort();
    assert_eq!(place.files(), wanted);
    let csv = place.read("results/small/curves.csv");
    assert_eq!(csv.lines().count(), 12);
    assert!(
        csv.lines()
            .last()
            .unwrap()
            .starts_with("line,,,20,100,0.09,"),
        "{csv}"
    );
    let manifest: serde_json::Value =
        serde_json::from_str(&place.read("results/small/manifest.json")).unwrap();
    assert_eq!(manifest["experiment"], SMALL);
    assert_eq!(manifest["seed"], 1);
    assert_eq!(manifest["resamples"], 100);
    assert_eq!(manifest["groups"], 24);
    assert_eq!(manifest["bvlab"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn options_change_the_run() {
    let place = Place::new();
    place.write("small.toml", SMALL);
    let arguments = [
        "run",
        "small.toml",
        "--resamples",
        "50",
        "--seed",
        "3",
        "--set",
        "problem.train=30",
        "--out",
        "there",
        "--format",
        "svg,png",
        "--threads",
        "1",
        "--quiet",
    ];
    assert_eq!(place.run(&arguments), (0, String::new(), String::new()));
    let csv = place.read("there/small/curves.csv");
    assert!(csv.contains("knn,k,1.0,30,50,"), "{csv}");
    assert!(place.read("there/small/tradeoff.svg").starts_with("<svg"));
    let manifest = place.read("there/small/manifest.json");
    assert!(manifest.contains("run.resamples=50") && manifest.contains("\"seed\": 3"));
}

#[test]
fn shipped_experiments_are_known_by_name() {
    let place = Place::new();
    let (code, out, _) = place.run(&["list"]);
    assert_eq!(code, 0);
    for name in [
        "knn-fits",
        "knn-tradeoff",
        "pointwise",
        "tree-fits",
        "tree-tradeoff",
        "tree-train-test",
    ] {
        assert!(out.lines().any(|line| line.starts_with(name)), "{out}");
    }
    let (code, out, _) = place.run(&["run", "tree-tradeoff", "--resamples", "40"]);
    assert_eq!(code, 0);
    assert!(out.contains("Deeper trees"));
    assert!(
        place
            .path()
            .join("results/tree-tradeoff/tradeoff.png")
            .exists()
    );
    let (_, text, _) = place.run(&["list", "--show", "tree-tradeoff"]);
    place.write("copy.toml", &text);
    assert_eq!(place.run(&["check", "copy.toml"]).0, 0);
    let (code, out, _) = place.run(&["list", "--learners"]);
    assert_eq!(code, 0);
    assert!(out.contains("min-leaf") && out.contains("default: no limit"));
}

#[test]
fn a_new_experiment_runs_as_it_is_and_is_never_overwritten() {
    let place = Place::new();
    let (code, out, _) = place.run(&["new", "mine"]);
    assert_eq!((code, out.contains("bvlab run mine.toml")), (0, true));
    let (code, out, err) = place.run(&["run", "mine.toml"]);
    assert_eq!(code, 0, "{out}{err}");
    // The lines that are commented out are good too.
    let text = place.read("mine.toml");
    let on = text
        .replace("# [[learner]]", "[[learner]]")
        .replace("# name", "name");
    let on = on
        .replace("# reference", "reference")
        .replace("# bagging", "bagging");
    assert_ne!(text, on);
    place.write("mine.toml", &on);
    let (code, out, err) = place.run(&["run", "mine.toml", "--resamples", "40"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("bagged tree − knn"), "{out}");
    let (code, _, err) = place.run(&["new", "mine.toml"]);
    assert_eq!(code, 2);
    assert!(
        err.contains("mine.toml") && err.contains("another name"),
        "{err}"
    );
    assert_eq!(place.read("mine.toml"), on);
}

#[test]
fn figures_are_redrawn_from_tables() {
    let place = Place::new();
    place.write("small.toml", SMALL);
    assert_eq!(place.run(&["run", "small.toml", "--quiet"]).0, 0);
    let csv = place.read("results/small/curves.csv");
    let before = fs::read(place.path().join("results/small/tradeoff.png")).unwrap();
    fs::remove_file(place.path().join("results/small/tradeoff.png")).unwrap();
    let (code, out, err) = place.run(&["draw", "results/small"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("tradeoff.png"));
    assert_eq!(
        fs::read(place.path().join("results/small/tradeoff.png")).unwrap(),
        before
    );
    // Other figures, from an edited file; the tables stay.
    place.write(
        "edited.toml",
        &(SMALL.replace("tradeoff = {}", "tradeoff = { overlay = true }")
            + "[[figure]]\nfits = {}\n"),
    );
    let (code, out, err) = place.run(&[
        "draw",
        "results/small",
        "--figures",
        "edited.toml",
        "--format",
        "svg",
    ]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("tradeoff.svg, fits.svg"), "{out}");
    let (code, ..) = place.run(&[
        "draw",
        "results/small",
        "--set",
        "figure.0.title=Other",
        "--format",
        "svg",
    ]);
    assert_eq!(code, 0);
    assert!(place.read("results/small/tradeoff.svg").contains("Other"));
    assert_eq!(place.read("results/small/curves.csv"), csv);
    // What would need a new run is refused.
    let (code, _, err) = place.run(&["draw", "results/small", "--set", "problem.train=9"]);
    assert_eq!(code, 2);
    assert!(err.contains("bvlab run --set"), "{err}");
    place.write("other.toml", &SMALL.replace("1..10", "1..12"));
    let (code, _, err) = place.run(&["draw", "results/small", "--figures", "other.toml"]);
    assert_eq!(code, 2);
    assert!(err.contains("another problem, sweep"), "{err}");
    let (code, _, err) = place.run(&["draw", "nowhere"]);
    assert_eq!(code, 2);
    assert!(
        err.contains("nowhere") && err.contains("bvlab run"),
        "{err}"
    );
}

/// Rewrites a manifest.
fn edit_manifest(place: &Place, edit: impl FnOnce(&mut serde_json::Map<String, Value>)) {
    let file = "results/small/manifest.json";
    let mut manifest: Value = serde_json::from_str(&place.read(file)).unwrap();
    edit(manifest.as_object_mut().unwrap());
    place.write(file, &manifest.to_string());
}

#[test]
fn results_are_drawn_without_their_learners() {
    let place = Place::new();
    place.write("small.toml", SMALL);
    place.done(&["run", "small.toml", "--quiet"]);
    let before = place.bytes("results/small/tradeoff.png");
    // A learner that this version does not have, as of a result from another one.
    edit_manifest(&place, |manifest| {
        let text = manifest["experiment"].as_str().unwrap();
        assert!(text.contains("knn"), "{text}");
        let text = text.replace("knn", "oracle");
        manifest.insert("experiment".to_owned(), text.into());
    });
    assert_eq!(place.run(&["check", "small.toml"]).0, 0);
    place.done(&["draw", "results/small", "--quiet"]);
    assert_eq!(place.bytes("results/small/tradeoff.png"), before);
}

#[test]
fn results_that_do_not_describe_themselves_are_drawn_too() {
    let place = Place::new();
    place.write("small.toml", SMALL);
    place.done(&["run", "small.toml", "--quiet"]);
    let before = place.bytes("results/small/tradeoff.png");
    edit_manifest(&place, |manifest| {
        assert!(manifest.remove("description").is_some());
    });
    place.done(&["draw", "results/small", "--quiet"]);
    assert_eq!(place.bytes("results/small/tradeoff.png"), before);
    // Now it does.
    let manifest: Value = serde_json::from_str(&place.read("results/small/manifest.json")).unwrap();
    let curve = &manifest["description"]["study"]["curves"][0];
    assert_eq!(curve["axes"][0]["name"], "k");
    place.done(&["verify", "results/small"]);
}

#[test]
fn a_new_run_replaces_the_old_one_and_leaves_other_files_alone() {
    let place = Place::new();
    place.write("small.toml", SMALL);
    assert_eq!(
        place
            .run(&["run", "small.toml", "--quiet", "--format", "png,svg"])
            .0,
        0
    );
    place.write("results/small/notes.txt", "mine");
    assert_eq!(
        place
            .run(&["run", "small.toml", "--quiet", "--seed", "2"])
            .0,
        0
    );
    let files = place.files();
    assert!(files.contains(&"results/small/notes.txt".to_owned()));
    // The old SVG showed the old run.
    assert!(!files.contains(&"results/small/tradeoff.svg".to_owned()));
    assert!(files.contains(&"results/small/tradeoff.png".to_owned()));
}

#[test]
fn wrong_use_exits_with_2_and_shows_the_line() {
    let place = Place::new();
    place.write(
        "bad.toml",
        &SMALL.replace("train  = 20", "train  = 20\nnoize = 3"),
    );
    for command in ["run", "check"] {
        let (code, out, err) = place.run(&[command, "bad.toml"]);
        assert_eq!((code, out.as_str()), (2, ""));
        for words in [
            "`noize` is not known here",
            "bad.toml:8:1",
            "noize = 3",
            "did you mean `noise`?",
        ] {
            assert!(err.contains(words), "no `{words}` in:\n{err}");
        }
    }
    assert_eq!(
        place.files(),
        ["bad.toml"],
        "a wrong file leaves nothing behind"
    );
    let (code, _, err) = place.run(&["check", "bad.toml", "tree-tradeoff"]);
    assert_eq!(code, 2);
    assert!(err.contains("1 of 2 experiments have errors"), "{err}");
    for (arguments, words) in [
        (&["run", "nothing.toml"][..], "cannot read nothing.toml"),
        (
            &["run", "tree-tradeof"],
            "did you mean tree-tradeoff, which ships",
        ),
        (&["run", "bda.toml"], "did you mean ./bad.toml?"),
        (&["run", "."], "it is a folder"),
        (
            &["run", "tree-tradeoff", "tree-tradeoff"],
            "two experiments are called",
        ),
        (&["run", "tree-tradeoff", "--set", "run.seed=x"], "--set"),
        (&["run", "tree-tradeoff", "--resamples", "-3"], ""),
        (
            &["run", "tree-tradeoff", "--resamples", "many"],
            "expected a number",
        ),
        (
            &["run", "tree-tradeoff", "--threads", "0"],
            "0 is not in 1..=1024",
        ),
        (&["run", "tree-tradeoff", "--format", "gif"], "png, svg"),
        (&["run"], "FILE"),
        (&["rnu"], "unrecognized subcommand"),
        (&["list", "--show", "tree-fit"], "`tree-fits`"),
        (&["new", "no/such/folder"], "cannot write"),
        (&["new", ".."], ""),
    ] {
        let (code, out, err) = place.run(arguments);
        assert_eq!(code, 2, "{arguments:?}: {out}{err}");
        assert!(
            err.contains(words),
            "{arguments:?}: no `{words}` in:\n{err}"
        );
    }
    place.write("binary.toml", "");
    fs::write(place.path().join("binary.toml"), [0xff, 0xfe, 0]).unwrap();
    let (code, _, err) = place.run(&["run", "binary.toml"]);
    assert_eq!(code, 2);
    assert!(err.contains("not text"), "{err}");
}

#[test]
fn an_output_folder_that_cannot_be_is_a_clear_failure() {
    let place = Place::new();
    place.write("small.toml", SMALL);
    let (code, out, err) = place.run(&["run", "small.toml", "--out", "small.toml/results"]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(
        err.contains("cannot write small.toml/results/small") && err.contains("--out"),
        "{err}"
    );
    assert_eq!(place.files(), ["small.toml"]);
}

/// A limit on the size of files stands in for a disk that fills up while the result is written.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_earlier_result_as_it_was() {
    let place = Place::new();
    place.write("small.toml", SMALL);
    assert_eq!(place.run(&["run", "small.toml", "--quiet"]).0, 0);
    let contents = |place: &Place| {
        let read = |file: String| fs::read(place.path().join(file)).ok();
        place.files().into_iter().map(read).collect::<Vec<_>>()
    };
    let before = contents(&place);
    let mut full = place.after(
        "trap '' XFSZ; ulimit -f 16",
        &["run", "small.toml", "--seed", "2"],
    );
    let (code, _, err) = answer(full.output().unwrap());
    assert_eq!(code, 1, "{err}");
    assert!(
        err.contains("cannot write") && err.contains("unchanged"),
        "{err}"
    );
    assert_eq!(before, contents(&place));
}

/// Ctrl-C in the middle of a run.
#[cfg(unix)]
#[test]
fn an_interrupted_run_says_what_was_kept_and_leaves_nothing_half_done() {
    let place = Place::new();
    place.write(
        "long.toml",
        &SMALL.replace("resamples = 100", "resamples = 1_000_000_000"),
    );
    let child = place
        .command(&["run", "long.toml"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The hidden folder shows that the run has begun.
    let begun = || {
        place
            .files()
            .iter()
            .any(|file| file.contains(".bvlab-new-"))
    };
    while !begun() {
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(200));
    let interrupt = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(interrupt.unwrap().success());
    let (code, out, err) = answer(child.wait_with_output().unwrap());
    assert_eq!((code, out.as_str()), (130, ""));
    assert!(
        err.contains("stopped after") && err.contains("of 1000000000 resamples"),
        "{err}"
    );
    assert!(err.contains("nothing was written"), "{err}");
    assert_eq!(place.files(), ["long.toml"]);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let place = Place::new();
    let mut child = place
        .command(&["schema"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let (code, _, err) = answer(child.wait_with_output().unwrap());
    assert_eq!((code, err.as_str()), (0, ""));
}

#[test]
fn what_a_killed_run_left_is_cleared_away_by_the_next() {
    let place = Place::new();
    place.write("small.toml", SMALL);
    place.write(
        "long.toml",
        &SMALL.replace("resamples = 100", "resamples = 1_000_000_000"),
    );
    let mut child = place
        .command(&["run", "long.toml"])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begun = || {
        place
            .files()
            .iter()
            .any(|file| file.ends_with("owner.json"))
    };
    while !begun() {
        std::thread::sleep(Duration::from_millis(10));
    }
    // A run beside it leaves the living one alone.
    let beside = ["run", "long.toml", "--resamples", "50", "--quiet"];
    assert_eq!(place.run(&beside).0, 0);
    assert!(begun(), "the living run's folder was taken away");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(begun());
    assert_eq!(place.run(&beside).0, 0);
    assert!(!begun(), "{:?}", place.files());
}

#[test]
fn a_result_is_replaced_whole_or_not_at_all() {
    let place = Place::new();
    place.write("small.toml", SMALL);
    assert_eq!(place.run(&["run", "small.toml", "--quiet"]).0, 0);
    // A folder where the figure belongs: the tables before it must come back.
    let figure = place.path().join("results/small/tradeoff.png");
    fs::remove_file(&figure).unwrap();
    fs::create_dir(&figure).unwrap();
    let before = place.read("results/small/curves.csv");
    let (code, _, err) = place.run(&["run", "small.toml", "--seed", "2"]);
    assert_eq!(code, 1);
    assert!(
        err.contains("tradeoff.png") && err.contains("already exists"),
        "{err}"
    );
    assert_eq!(place.read("results/small/curves.csv"), before);
    assert!(
        place
            .read("results/small/manifest.json")
            .contains("\"seed\": 1")
    );
}

#[test]
fn near_misses_are_put_right() {
    let place = Place::new();
    place.write("mine.toml", SMALL);
    fs::create_dir(place.path().join("tree-tradeoff")).unwrap();
    let run = ["run", "tree-tradeoff", "--resamples", "40", "--quiet"];
    assert_eq!(
        place.run(&run).0,
        0,
        "a folder of the same name hides a shipped experiment"
    );
    assert!(
        place
            .run(&["run", "mine"])
            .2
            .contains("did you mean mine.toml?")
    );
    fs::remove_dir(place.path().join("tree-tradeoff")).unwrap();
    let err = place.run(&["draw", "tree-tradeoff"]).2;
    assert!(err.contains("did you mean results/tree-tradeoff?"), "{err}");
    fs::copy(place.path().join("mine.toml"), place.path().join("...toml")).unwrap();
    let (code, _, err) = place.run(&["run", "...toml"]);
    assert_eq!(code, 2);
    assert!(err.contains("begin with a dot"), "{err}");
    // The example of the help text.
    let set = "problem.noise = { normal = 1 }";
    assert_eq!(
        place
            .run(&[
                "run",
                "mine.toml",
                "--set",
                set,
                "--format",
                "png,svg",
                "--out",
                "slides",
                "--quiet"
            ])
            .0,
        0
    );
    assert!(place.path().join("slides/mine/tradeoff.svg").exists());
}

#[test]
fn warnings_go_to_stderr_even_when_quiet() {
    let place = Place::new();
    let text = SMALL.replace("resamples = 100", "precision = 0.0001\nmax-resamples = 100");
    place.write("precise.toml", &text);
    let (code, out, err) = place.run(&["run", "precise.toml", "--quiet"]);
    assert_eq!((code, out.as_str()), (0, ""));
    assert!(
        err.contains("warning: precise: the wanted precision was not reached"),
        "{err}"
    );
    let manifest: serde_json::Value =
        serde_json::from_str(&place.read("results/precise/manifest.json")).unwrap();
    assert!(manifest["precision"].as_f64().unwrap() > 0.0001);
    // A mean that does not exist: as many features as points.
    let text = SMALL.replace("uniform = [0, 10]", "normal = [0, 1], dimension = 20");
    let text = text.replace("sin(x)", "x1").replace(
        "polynomial = { degree = 1 }",
        "linear = { intercept = false }",
    );
    place.write(
        "threshold.toml",
        &text.replace("resamples = 100", "resamples = 1000\ntest = { draw = 50 }"),
    );
    let (code, _, err) = place.run(&["run", "threshold.toml", "--quiet"]);
    assert_eq!(code, 0, "{err}");
    assert!(
        err.contains("the risk of `line` has no finite mean over training sets"),
        "{err}"
    );
}
