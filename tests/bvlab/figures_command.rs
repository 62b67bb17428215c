//! `bvlab figures`: what it makes, draws anew and leaves as it is.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::setup::Place;

/// A place with experiments/ in it.
struct Course(Place);

impl std::ops::Deref for Course {
    type Target = Place;

    fn deref(&self) -> &Place {
        &self.0
    }
}

/// A tiny experiment.
const TINY: &str = r#"
title    = "Tiny"
look-for = "That 1 < 2 & \"so on\"."
question = "Which k?"
answer   = "That with the lowest <risk>."
[problem]
truth  = "sin(x)"
inputs = { uniform = [0, 6] }
noise  = { normal = 0.3 }
train  = 10
[sweep]
k = [1, 3]
[[learner]]
knn = {}
[run]
resamples = 10
test = { grid = 5 }
[[figure]]
tradeoff = {}
"#;

/// Finite at the test points, but not wherever an input can fall.
const SINGULAR: &str = r#"
[problem]
truth  = "sqrt(x - 0.002)"
inputs = { uniform = [0, 20] }
noise  = { normal = 0.3 }
train  = 100
[[learner]]
knn = { k = 1 }
[run]
resamples = 4000
test = { grid = 5 }
"#;

impl Course {
    fn new(experiments: &[(&str, &str)]) -> Self {
        let place = Place::new();
        fs::create_dir(place.path().join("experiments")).unwrap();
        for (name, text) in experiments {
            place.write(&format!("experiments/{name}.toml"), text);
        }
        Course(place)
    }

    /// What `figures` says of every experiment, as `made a, reused b`; it must succeed.
    fn figures(&self, arguments: &[&str]) -> String {
        let (code, out, err) = self.run(&[&["figures"], arguments].concat());
        assert_eq!(code, 0, "{out}{err}");
        endings(&out)
    }
}

fn endings(summary: &str) -> String {
    let words = ["made ", "redrawn ", "reused ", "failed ", "stopped "];
    let lines = summary.lines();
    let lines = lines.filter(|line| words.iter().any(|word| line.starts_with(word)));
    let lines = lines.map(|line| {
        let words: Vec<&str> = line.split_whitespace().take(2).collect();
        words.join(" ")
    });
    lines.collect::<Vec<_>>().join(", ")
}

#[test]
fn what_is_missing_or_stale_is_run_and_the_rest_is_not() {
    let course = Course::new(&[("a", TINY), ("b", TINY)]);
    assert_eq!(course.figures(&["a", "b"]), "made a, made b");
    let manifest = course.bytes("results/a/manifest.json");
    assert_eq!(course.figures(&["a", "b"]), "reused a, reused b");
    assert_eq!(course.bytes("results/a/manifest.json"), manifest);

    // How a file is written does not matter.
    let rewritten = TINY
        .replace("train  = 10", "train=10 # points")
        .replace("look-for", "# a comment\nlook-for");
    course.write("experiments/a.toml", &rewritten);
    assert_eq!(course.figures(&["a"]), "reused a");
    assert_eq!(course.bytes("results/a/manifest.json"), manifest);

    let more = TINY.replace("resamples = 10", "resamples = 12");
    course.write("experiments/a.toml", &more);
    assert_eq!(course.figures(&["a", "b"]), "made a, reused b");
    assert!(course.read("results/a/curves.csv").contains(",10,12,"));

    // The same from the command line, where it is another way to say the same.
    let twelve = ["a", "b", "--resamples", "12"];
    assert_eq!(course.figures(&twelve), "reused a, made b");
    assert_eq!(course.figures(&["b", "--seed", "1"]), "made b");
    assert_eq!(course.figures(&["b", "--seed", "2"]), "made b");
    assert_eq!(course.figures(&["b", "--set", "run.seed=2"]), "reused b");
    assert_eq!(course.figures(&["b", "--seed", "2", "--force"]), "made b");
}

#[test]
fn another_version_makes_everything_anew() {
    let course = Course::new(&[("a", TINY)]);
    assert_eq!(course.figures(&["a"]), "made a");
    let version = format!("\"bvlab\": \"{}\"", env!("CARGO_PKG_VERSION"));
    let manifest = course.read("results/a/manifest.json");
    assert!(manifest.contains(&version), "{manifest}");
    let older = manifest.replace(&version, "\"bvlab\": \"0.0.1\"");
    course.write("results/a/manifest.json", &older);
    assert_eq!(course.figures(&["a"]), "made a");
    assert!(course.read("results/a/manifest.json").contains(&version));
    assert_eq!(course.figures(&["a"]), "reused a");
}

#[test]
fn a_change_of_words_or_figures_only_draws() {
    let course = Course::new(&[("a", TINY)]);
    assert_eq!(course.figures(&["a"]), "made a");
    let (tables, first) = (
        course.bytes("results/a/curves.parquet"),
        course.bytes("results/a/tradeoff.png"),
    );
    let started = |course: &Course| {
        let manifest: serde_json::Value =
            serde_json::from_str(&course.read("results/a/manifest.json")).unwrap();
        (manifest["started"].clone(), manifest["seconds"].clone())
    };
    let made = started(&course);

    course.write("experiments/a.toml", &TINY.replace("Tiny", "Little"));
    assert_eq!(course.figures(&["a"]), "redrawn a");
    assert_ne!(course.bytes("results/a/tradeoff.png"), first);
    assert!(course.read("results/a/manifest.json").contains("Little"));
    assert_eq!(course.figures(&["a"]), "reused a");

    // A figure of another name takes the place of the old one.
    let named = TINY.replace("tradeoff = {}", "tradeoff = {}\nname = 'curve'");
    course.write("experiments/a.toml", &named);
    assert_eq!(course.figures(&["a"]), "redrawn a");
    assert_eq!(course.bytes("results/a/curve.png"), first);
    assert!(!course.has("results/a/tradeoff.png"));

    for damage in ["", "gone"] {
        match damage {
            "" => course.write("results/a/curve.png", ""),
            _ => fs::remove_file(course.path().join("results/a/curve.png")).unwrap(),
        }
        assert_eq!(course.figures(&["a"]), "redrawn a");
        assert_eq!(course.bytes("results/a/curve.png"), first);
    }
    assert_eq!(course.bytes("results/a/curves.parquet"), tables);
    assert_eq!(started(&course), made);
}

#[test]
fn formats_are_added_and_those_that_are_there_stay() {
    let course = Course::new(&[("a", TINY)]);
    assert_eq!(course.figures(&["a"]), "made a");
    assert_eq!(course.figures(&["a", "--format", "svg"]), "redrawn a");
    assert!(course.has("results/a/tradeoff.png") && course.has("results/a/tradeoff.svg"));
    assert_eq!(course.figures(&["a", "--format", "png,svg"]), "reused a");
    // A picture that no longer shows what is asked for does not stay.
    course.write("experiments/a.toml", &TINY.replace("Tiny", "Little"));
    assert_eq!(course.figures(&["a"]), "redrawn a");
    assert!(course.has("results/a/tradeoff.png") && !course.has("results/a/tradeoff.svg"));
}

#[test]
fn damaged_results_count_as_missing() {
    let course = Course::new(&[("a", TINY)]);
    assert_eq!(course.figures(&["a"]), "made a");
    let whole = course.bytes("results/a/curves.csv");
    // Nothing says any more that the files are bvlab's.
    course.write("results/a/manifest.json", "{");
    let (code, _, err) = course.run(&["figures", "a"]);
    assert_eq!(code, 1);
    assert!(err.contains("holds files that bvlab did not make"), "{err}");
    assert_eq!(course.figures(&["a", "--overwrite"]), "made a");
    for (file, content) in [
        ("points.parquet", Some("PAR1 and nothing more")),
        ("runs.parquet", None),
        ("curves.csv", None),
    ] {
        let file = format!("results/a/{file}");
        match content {
            Some(text) => course.write(&file, text),
            None => fs::remove_file(course.path().join(&file)).unwrap(),
        }
        assert_eq!(course.figures(&["a"]), "made a", "{file}");
        assert_eq!(course.bytes("results/a/curves.csv"), whole);
    }
}

#[test]
fn an_altered_result_is_not_reused() {
    let course = Course::new(&[("a", TINY)]);
    assert_eq!(course.figures(&["a", "--format", "png,svg"]), "made a");
    let all = |course: &Course| {
        let files = ["curves.csv", "fits.parquet", "tradeoff.png", "tradeoff.svg"];
        files.map(|file| course.bytes(&format!("results/a/{file}")))
    };
    let whole = all(&course);
    for (file, ending) in [
        ("curves.csv", "made a"),
        ("fits.parquet", "made a"),
        ("tradeoff.png", "redrawn a"),
        // Also where another format is asked for.
        ("tradeoff.svg", "redrawn a"),
    ] {
        let path = course.path().join("results/a").join(file);
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        // A digit of a number, say: the file can be read as before.
        bytes[middle] ^= 1;
        fs::write(&path, bytes).unwrap();
        let formats = match file {
            "tradeoff.svg" => "png",
            _ => "png,svg",
        };
        let (code, out, err) = course.run(&["figures", "a", "--format", formats]);
        assert_eq!(code, 0, "{out}{err}");
        assert_eq!(endings(&out), ending, "{file}");
        assert!(
            err.contains(&format!("a: {file} is not as written; ")),
            "{err}"
        );
        assert!(all(&course) == whole, "{file}");
        assert_eq!(course.figures(&["a", "--format", "png,svg"]), "reused a");
    }
}

/// A simulation's table stays where only its figure is drawn anew.
#[test]
fn a_redrawn_simulation_keeps_its_tables() {
    let simulation = r#"
        simulation = "bootstrap-share"
        [run]
        resamples = 5
        [[figure]]
        simulation = {}
    "#;
    let course = Course::new(&[("a", simulation)]);
    assert_eq!(course.figures(&["a"]), "made a");
    let titled = format!("title = 'Another'\n{simulation}");
    course.write("experiments/a.toml", &titled);
    assert_eq!(course.figures(&["a"]), "redrawn a");
    assert!(course.has("results/a/simulation.csv") && course.has("results/a/simulation.parquet"));
    assert_eq!(course.figures(&["a"]), "reused a");
    course.done(&["verify", "results/a"]);
}

#[test]
fn run_draw_and_figures_know_each_others_results() {
    let course = Course::new(&[("a", TINY)]);
    assert_eq!(course.run(&["run", "experiments/a.toml"]).0, 0);
    assert_eq!(course.figures(&["a"]), "reused a");
    let first = course.bytes("results/a/tradeoff.png");
    let log = [
        "draw",
        "results/a",
        "--set",
        "figure.0.tradeoff.y-scale=log",
    ];
    assert_eq!(course.run(&log).0, 0);
    assert_ne!(course.bytes("results/a/tradeoff.png"), first);
    assert_eq!(course.figures(&["a"]), "redrawn a");
    assert_eq!(course.bytes("results/a/tradeoff.png"), first);
    // What `figures` has made can be drawn.
    let (code, out, err) = course.run(&["draw", "results/a", "--format", "svg"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert_eq!(course.figures(&["a", "--format", "svg"]), "reused a");
    // A result from before there were hashes is read, and made anew.
    let manifest = course.read("results/a/manifest.json");
    let mut manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let fields = manifest.as_object_mut().unwrap();
    assert!(fields.remove("run_hash").is_some() && fields.remove("figure_hash").is_some());
    course.write("results/a/manifest.json", &manifest.to_string());
    assert_eq!(course.run(&["draw", "results/a"]).0, 0);
    assert_eq!(course.figures(&["a"]), "made a");
}

#[test]
fn names_patterns_and_paths_choose() {
    let course = Course::new(&[("my-a", TINY), ("my-b", TINY), ("other", TINY)]);
    course.write("c.toml", TINY);
    assert_eq!(
        course.figures(&["my-*", "c.toml", "my-a"]),
        "made my-a, made my-b, made c"
    );
    assert_eq!(
        course.figures(&["my-?", "experiments/my-b.toml"]),
        "reused my-a, reused my-b"
    );
    assert!(!course.has("results/other"));

    for (words, message, help) in [
        (
            "my-c*",
            "no experiment is called `my-c*`",
            "did you mean 'my-*'?",
        ),
        (
            "othr",
            "no experiment is called `othr`",
            "did you mean other?",
        ),
        (
            "tree-tradeof",
            "`tree-tradeof`",
            "did you mean tree-tradeoff?",
        ),
        ("*zzz*", "`*zzz*`", "bvlab list"),
        ("d.toml", "`d.toml`", "did you mean"),
    ] {
        let (code, out, err) = course.run(&["figures", "my-a", words]);
        assert_eq!((code, out.as_str()), (2, ""), "{err}");
        assert!(err.contains(message) && err.contains(help), "{err}");
    }
    fs::create_dir(course.path().join("elsewhere")).unwrap();
    course.write("elsewhere/my-a.toml", TINY);
    let (code, _, err) = course.run(&["figures", "my-a", "elsewhere/my-a.toml"]);
    assert_eq!(code, 2);
    assert!(err.contains("two experiments are called `my-a`"), "{err}");
    assert_eq!(
        course.figures(&["my-*", "--from", "elsewhere"]),
        "reused my-a"
    );
    let (code, _, err) = course.run(&["figures", "--from", "nowhere"]);
    assert_eq!(code, 2);
    assert!(err.contains("nowhere"), "{err}");
}

#[test]
fn a_local_file_replaces_the_shipped_experiment_of_its_name() {
    let course = Course::new(&[("tree-fits", TINY)]);
    let few = [
        "tree-*",
        "--resamples",
        "10",
        "--quiet",
        "--set",
        "run.test={ grid = 5 }",
    ];
    assert_eq!(course.figures(&few), "");
    assert!(
        course
            .read("results/tree-fits/manifest.json")
            .contains("Tiny")
    );
    let shipped = course.read("results/tree-tradeoff/manifest.json");
    assert!(shipped.contains("Deeper trees"), "{shipped}");
}

#[test]
fn one_that_fails_does_not_stop_the_others() {
    let broken = TINY.replace("k = [1, 3]", "kk = [1, 3]");
    let course = Course::new(&[
        ("my-a", TINY),
        ("my-broken", &broken),
        ("my-singular", SINGULAR),
        ("my-z", TINY),
    ]);
    let (code, out, err) = course.run(&["figures", "my-*", "--page"]);
    assert_eq!(code, 1, "{out}{err}");
    assert_eq!(
        endings(&out),
        "made my-a, failed my-broken, failed my-singular, made my-z"
    );
    for words in [
        "`knn` has no parameter `kk` to sweep",
        "the truth is NaN at x = 0.00",
        "(resample ",
        "→ results/my-z/",
        "4 experiments in ",
        ": 2 made, 2 failed",
    ] {
        assert!(out.contains(words), "no `{words}` in:\n{out}");
    }
    // The whole diagnosis, with its place, and one line for each that is done.
    for words in [
        "my-broken.toml:12",
        "did you mean `k`?",
        "my-singular failed:\n",
        "made my-a\n",
        "made my-z\n",
        "2 of 4 experiments failed",
    ] {
        assert!(err.contains(words), "no `{words}` in:\n{err}");
    }
    assert!(!course.has("results/my-broken") && !course.has("results/my-singular"));
    let page = course.read("results/index.html");
    assert!(page.contains("This experiment failed:"), "{page}");

    // Nothing can be read: that is wrong use.
    let (code, out, err) = course.run(&["figures", "my-broken"]);
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    course.write("experiments/my-broken2.toml", "title = ");
    let (code, _, err) = course.run(&["figures", "my-broken*"]);
    assert_eq!(code, 2);
    assert!(
        err.contains("none of the 2 experiments can be read"),
        "{err}"
    );
}

#[test]
fn the_page_has_everything_and_needs_nothing() {
    let sharp = TINY.replace("Tiny", "Sharp <b> & 'odd' {{{{contents}}}}");
    let figures = sharp + "[[figure]]\npointwise = { value = 3 }\n";
    let course = Course::new(&[("a", TINY), ("b", &figures)]);
    // The page has pictures whatever formats are asked for.
    let arguments = ["a", "b", "--page", "--format", "svg", "--seed", "5"];
    assert_eq!(course.figures(&arguments), "made a, made b");
    let page = course.read("results/index.html");
    for words in [
        "<h2>Tiny</h2>",
        "<h2>Sharp &lt;b&gt; &amp; &#39;odd&#39; {{contents}}</h2>",
        "href=\"#e-a\"",
        "id=\"e-a\"",
        "alt=\"Tiny. That 1 &lt; 2 &amp; &quot;so on&quot;.\"",
        "<summary>The answer</summary>\n<p>That with the lowest &lt;risk&gt;.</p>",
        "# --set run.seed=5",
        "<th scope=\"col\" class=\"n\">bias2</th>",
        "prefers-color-scheme: dark",
    ] {
        assert!(page.contains(words), "no `{words}` in the page");
    }
    // A small picture for each experiment, and three figures.
    assert_eq!(
        page.matches("<img src=\"data:image/png;base64,").count(),
        2 + 3
    );
    assert!(!page.contains("<script") && !page.contains("<b> &"));
    for attribute in ["src=\"", "href=\""] {
        let targets = page.split(attribute).skip(1);
        for target in targets.map(|rest| rest.split('"').next().unwrap()) {
            assert!(
                target.starts_with('#') || target.starts_with("data:image/png;base64,"),
                "{target}"
            );
        }
    }
    assert!(!page.contains("url(") && !page.contains("@import"));
    let left = fs::read_dir(course.path().join("results"))
        .unwrap()
        .flatten();
    let mut left: Vec<_> = left.map(|entry| entry.file_name()).collect();
    left.sort();
    assert_eq!(left, ["a", "b", "index.html"]);
    // It is written from what is there, too.
    fs::remove_file(course.path().join("results/index.html")).unwrap();
    assert_eq!(course.figures(&arguments), "reused a, reused b");
    assert_eq!(course.read("results/index.html"), page);
}

/// Ctrl-C in the middle: what is finished stays, the rest is not begun.
#[cfg(unix)]
#[test]
fn an_interrupted_course_keeps_what_is_finished() {
    let endless = TINY.replace("resamples = 10", "resamples = 900_000_000");
    let course = Course::new(&[("a", TINY), ("b", &endless), ("c", TINY)]);
    let mut child = course
        .command(&["figures", "a", "b", "c", "--page"])
        // On a busy machine the progress of b would be saved, and kept.
        .env("BVLAB_SAVE_SECONDS", "1000")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    let running = |folder: &str| {
        let entries = fs::read_dir(course.path().join(folder))
            .into_iter()
            .flatten();
        let mut names = entries.flatten().map(|entry| entry.file_name());
        names.any(|name| name.to_string_lossy().starts_with(".bvlab-new-"))
    };
    while !(course.has("results/a/manifest.json") && running("results/b")) {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "it does not begin"
        );
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(Duration::from_millis(10));
    }
    let interrupt = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(interrupt.unwrap().success());
    let status = child.wait().unwrap();
    let output = child.wait_with_output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(status.code(), Some(130), "{out}{err}");
    assert_eq!(endings(&out), "made a, stopped b, stopped c");
    assert!(err.contains("2 of 3 experiments are not finished"), "{err}");
    assert!(!course.has("results/b") && !course.has("results/c"));
    assert!(!course.has("results/index.html"));
    assert!(course.has("results/a/tradeoff.png"));
}
