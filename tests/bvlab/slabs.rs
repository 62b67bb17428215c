//! Large two-way sweeps are computed a slab at a time. That changes no byte of the tables.

use bvlab::engine::{self, Unwatched};
use bvlab::experiment::shipped;
use bvlab::experiment::{Experiment, Source};
use bvlab::outcome::Tables;

use crate::setup::{Place, plan};

/// Two axes in every way there are: over numbers, over sizes and noise, first and second; beside
/// them one axis, and none.
const MANY: &str = r#"
    [problem]
    truth  = "sin(x)"
    inputs = { grid = [0, 6] }
    noise  = { normal = 0.5 }
    train  = 24

    [[learner]]
    sweep = { depth = "1..4", min-leaf = "1..7" }
    tree = {}

    [[learner]]
    sweep = { k = "1..8" }
    knn = {}

    [[learner]]
    name = "ridge"
    sweep = { degree = "0..3", lambda = [0, 0.1, 1, 10, 100] }
    polynomial = {}

    [[learner]]
    name = "sizes"
    sweep = { train = [12, 24, 30], k = "1..7" }
    knn = {}

    [[learner]]
    name = "noises"
    sweep = { bandwidth = [0.1, 1, 3], noise = [0, 0.5, 2] }
    kernel = {}

    [[learner]]
    name = "mean"
    knn = { k = 24 }

    [[learner]]
    name = "trees"
    sweep = { members = [1, 3], base.depth = "1..5" }
    bagging = { base = { tree = {} } }

    [run]
    resamples = 131
    keep = 9
    test = { grid = 11 }

    [[figure]]
    fits = { learners = ["tree", "noises"] }
    [[figure]]
    pointwise = { learners = ["ridge"], second = 10 }
    [[figure]]
    dartboard = { at = [1, 5], learners = ["tree", "sizes"] }
    [[figure]]
    stack = [{ heatmap = { learners = ["tree"] } }, { fits = { learners = ["knn"], values = [3] } }]
"#;

/// All numbers of all tables in a form in which a missing value equals itself.
fn bits(tables: &Tables) -> String {
    format!("{tables:?}")
}

#[test]
fn slabs_of_any_size_give_the_tables_of_one_pass() {
    let tables = |text: &str, threads: usize| {
        let plan = plan(text);
        let results = engine::run(&plan, threads, &Unwatched).unwrap();
        let tables = Tables::new(&plan, &results);
        (plan.slab_count(), bits(&tables))
    };
    for (text, sources) in [(MANY, "sources = false"), (MANY, "sources = true")] {
        let text = text.replace("keep = 9", &format!("keep = 9\n{sources}"));
        let (one, whole) = tables(&text, 2);
        assert_eq!(one, 1);
        let mut counts = Vec::new();
        for slab in [1, 5, 12, 40, 1000] {
            let text = text.replace("keep = 9", &format!("keep = 9\nslab = {slab}"));
            let (count, tables) = tables(&text, 1 + slab % 3);
            assert!(whole == tables, "slabs of {slab} settings, {sources}");
            counts.push(count);
        }
        // A slab has at least one value of the second axis, and learners without one are whole.
        assert_eq!(counts[..2], [7 + 1 + 5 + 7 + 3 + 1 + 5, 26]);
        assert!(counts[2] > counts[3] && counts[3] > 1 && counts[4] == 1);
    }
}

#[test]
fn exact_forms_and_solved_weights_come_together_again() {
    let text = r#"
        problem = { truth = { linear = 1.0 }, inputs = { normal = [0, 1], dimension = 12 }, noise = { normal = 0.5 }, train = 9 }
        learner = [{ linear = { intercept = false } }, { name = "random", sweep = { features = [2, 5, 20], lambda = [0.1, 1] }, fourier = { scale = 0.3 } }]
        sweep   = { features = [1, 2, 12], noise = [0, 0.5, 1] }
        run     = { resamples = 60, test = { draw = 20 }, SLAB }
    "#;
    let tables = |slab: &str| {
        let plan = plan(&text.replace("SLAB", slab));
        let results = engine::run(&plan, 2, &Unwatched).unwrap();
        Tables::new(&plan, &results)
    };
    let whole = tables("seed = 1");
    assert!(whole.curves.numbers("variance_exact")[0].is_finite());
    assert!(whole.curves.numbers("rank").iter().all(|rank| *rank > 0.0));
    assert!(bits(&whole) == bits(&tables("seed = 1, slab = 3")));
}

/// All files of a result but the manifest, which tells times.
fn files(place: &Place, home: &str) -> Vec<(String, Vec<u8>)> {
    let files = place.files().into_iter();
    let files = files.filter_map(|file| Some(file.strip_prefix(home)?.to_owned()));
    let files = files.filter(|file| file.contains('.') && file != "/manifest.json");
    let content = |file: String| {
        let content = place.bytes(&format!("{home}{file}"));
        (file, content)
    };
    files.map(content).collect()
}

#[test]
fn files_shards_and_redrawing_know_no_difference() {
    let place = Place::with(&[("many.toml", MANY)]);
    let slab = ["--set", "run.slab=10"];
    place.done(&["run", "many.toml", "--out", "whole"]);
    place.done(&[&["run", "many.toml", "--out", "slabs"], &slab[..]].concat());
    let whole = files(&place, "whole/many");
    assert_eq!(whole.len(), 6 + 4);
    assert!(whole == files(&place, "slabs/many"));
    place.done(&["draw", "slabs/many"]);
    assert!(whole == files(&place, "slabs/many"));
    for shard in ["1/3", "2/3", "3/3"] {
        let run = ["run", "many.toml", "--out", "parts", "--shard", shard];
        place.done(&[&run, &slab[..]].concat());
    }
    let shards = [1, 2, 3].map(|i| format!("parts/many/shard-{i}-of-3"));
    let merge = [
        "merge", &shards[0], &shards[1], &shards[2], "--out", "merged",
    ];
    place.done(&merge);
    assert!(whole == files(&place, "merged/many"));
    // A part that is missing from a later slab is missed.
    let lost = place.files().into_iter();
    let lost = lost.filter(|file| file.contains("shard-2-of-3/slab-0003-group-"));
    for file in lost {
        std::fs::remove_file(place.path().join(file)).unwrap();
    }
    let (code, _, err) = place.run(&merge);
    assert_eq!(code, 2);
    assert!(err.contains("shards are missing: 2/3"), "{err}");
}

#[test]
fn a_killed_run_goes_on_from_the_slabs_that_are_done() {
    let place = Place::with(&[("many.toml", MANY)]).and("BVLAB_SAVE_SECONDS", "0");
    let run = |out: &str| {
        let arguments = ["run", "many.toml", "--resamples", "4007", "--out", out];
        place.command(&[&arguments, &["--set", "run.slab=10"][..]].concat())
    };
    assert!(run("whole").output().unwrap().status.success());
    let mut child = run("killed").spawn().unwrap();
    // In the third slab, or later.
    let begun = || {
        place
            .files()
            .iter()
            .any(|file| file.contains("/slab-0003-"))
    };
    while !begun() {
        assert!(
            child.try_wait().unwrap().is_none(),
            "done before it was killed"
        );
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let (code, _, err) = crate::setup::answer(run("killed").output().unwrap());
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("continuing after 4007 of 4007"), "{err}");
    assert!(files(&place, "whole/many") == files(&place, "killed/many"));
    let left = place.files().into_iter().filter(|file| file.contains("/."));
    assert_eq!(left.collect::<Vec<_>>(), Vec::<String>::new());
}

/// The largest that is promised: 100 × 100 values, 1000 test points. tests/memory/run.sh runs it.
const LARGE: &str = r#"
    problem = { truth = "sin(x)", inputs = { uniform = [0, 15] }, noise = { normal = 0.5 }, train = 100 }
    learner = [{ knn = {} }]
    sweep   = { k = "1..100", noise = { from = 0, to = 1, count = 100 } }
    run     = { resamples = 40, test = { grid = 1000 } }
    figure  = [{ heatmap = {} }, { fits = { values = [1, 10] } }]
"#;

#[test]
fn memory_holds_the_sums_of_one_slab() {
    assert!(plan(LARGE).slab_count() > 10);
    for name in shipped::names() {
        let source = Source::shipped(&name, &[]).unwrap();
        let experiment = Experiment::read(&name, source).unwrap();
        assert!(
            experiment.task.slab_count() <= 1,
            "{name} is computed at once"
        );
    }
    let small = LARGE
        .replace("1..100", "1..26")
        .replace("count = 100", "count = 26");
    assert_eq!(plan(&small).slab_count(), 1);
    let place = Place::with(&[("large.toml", &small)]);
    let peak = |set: &str| place.peak(&["run", "large.toml", "--set", set]);
    let (Some(whole), Some(slab)) = (peak("run.seed=1"), peak("run.slab=26")) else {
        eprintln!("skipped: /usr/bin/time is missing");
        return;
    };
    // Two numbers for each of 24 groups, 26² settings and 1000 test points; a 26th in a slab.
    let sums = 2 * 24 * 26 * 26 * 1000 * 8;
    assert!(slab + sums / 2 < whole, "{slab} and {whole} bytes");
}

#[test]
fn memory_does_not_grow_with_the_number_of_resamples() {
    let text = r#"
        problem = { truth = "sin(x)", inputs = { uniform = [0, 15] }, noise = { normal = 0.5 }, train = 20 }
        learner = [{ tree = {} }]
        sweep   = { depth = "1..8" }
        run     = { resamples = 1000, test = { grid = 50 } }
    "#;
    let place = Place::with(&[("tree.toml", text)]);
    let peak = |resamples: &str| place.peak(&["run", "tree.toml", "--resamples", resamples]);
    let (Some(few), Some(many)) = (peak("1000"), peak("200000")) else {
        eprintln!("skipped: /usr/bin/time is missing");
        return;
    };
    assert!(many as f64 <= 1.1 * few as f64, "{few} and {many} bytes");
}
