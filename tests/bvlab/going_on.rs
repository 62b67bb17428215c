//! Shards, and runs that were killed: the tables are those of one undisturbed run, byte for byte.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bvlab::engine::{self, GroupState, Observer, Options, Results, RunError, Unwatched};
use bvlab::outcome::Tables;
use rand::RngExt;

use crate::setup::{Place, algorithm, answer, plan};

const LONG: &str = r#"
    [problem]
    truth  = "sin(x)"
    inputs = { uniform = [0, 10] }
    noise  = { normal = 0.5 }
    train  = 30

    [sweep]
    depth = "1..8"

    [[learner]]
    tree = {}

    [[learner]]
    name = "bagged"
    bagging = { members = 3, base = { tree = {} } }

    [run]
    resamples = 6007
    test = { grid = 40 }

    [[figure]]
    tradeoff = { runs = 5 }
"#;

fn setup() -> Place {
    Place::with(&[("long.toml", LONG)]).and("BVLAB_SAVE_SECONDS", "0")
}

#[test]
fn shards_merge_to_the_tables_of_one_run() {
    let place = setup();
    place.done(&["run", "long.toml", "--out", "whole"]);
    let whole = place.tables("whole/long");
    for count in [1, 2, 5] {
        let out = format!("out{count}");
        let mut merge = vec!["merge".to_owned()];
        for index in 1..=count {
            let shard = format!("{index}/{count}");
            place.done(&["run", "long.toml", "--out", &out, "--shard", &shard]);
            merge.push(format!("{out}/long/shard-{index}-of-{count}"));
        }
        merge.extend(["--out", "merged"].map(str::to_owned));
        let merge: Vec<&str> = merge.iter().map(String::as_str).collect();
        let (out, _) = place.done(&merge);
        assert!(out.contains("6007 training sets"));
        assert!(whole == place.tables("merged/long"), "{count} shards");
    }
}

#[test]
fn shards_that_do_not_belong_together_are_refused_by_name() {
    let place = setup();
    let shard = |out: &str, shard: &str, more: &[&str]| {
        let arguments = [
            "run",
            "long.toml",
            "--resamples",
            "100",
            "--out",
            out,
            "--shard",
            shard,
        ];
        place.done(&[&arguments[..], more].concat());
    };
    shard("a", "1/3", &[]);
    shard("a", "3/3", &[]);
    shard("b", "2/3", &["--seed", "9"]);
    let refused = |folders: &[&str], words: &[&str]| {
        let arguments = [&["merge"], folders].concat();
        let (code, _, error) = place.run(&arguments);
        assert_eq!(code, 2, "{folders:?}");
        for word in words {
            let squeezed: String = error.split_whitespace().collect::<Vec<_>>().join(" ");
            let squeezed = squeezed.replace("│ ", "");
            assert!(
                squeezed.contains(word),
                "{folders:?}: no `{word}` in {squeezed}"
            );
        }
        assert!(!place.has("results"));
    };
    let (one, three) = ("a/long/shard-1-of-3", "a/long/shard-3-of-3");
    refused(&[one, three], &["missing: 2/3", "--shard 2/3"]);
    refused(
        &[one, "b/long/shard-2-of-3", three],
        &["shard-2-of-3", "another experiment or seed"],
    );
    refused(&[one, one, three], &["contain the same groups"]);
    refused(&["a"], &["shard.json"]);
    shard("c", "2/4", &[]);
    refused(&[one, "c/long/shard-2-of-4", three], &["one of 4 shards"]);
    // A part that was altered, and a shard that was killed.
    shard("a", "2/3", &[]);
    let two = "a/long/shard-2-of-3";
    let part = fs::read_dir(place.path().join(two)).unwrap().flatten();
    let part = part.map(|entry| entry.path()).find(|path| {
        path.file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("group-"))
    });
    let part = part.unwrap();
    let good = fs::read(&part).unwrap();
    fs::write(&part, &good[..good.len() / 2]).unwrap();
    refused(&[one, two, three], &["is damaged", "--shard 2/3"]);
    shard("a", "2/3", &[]);
    place.done(&["merge", one, two, three, "--out", "fine"]);
    let note = format!("{two}/shard.json");
    let changed = place.read(&note);
    place.write(
        &note,
        &changed.replace("complete\": true", "complete\": false"),
    );
    refused(&[one, two, three], &["not complete"]);
    // What cannot be shared out.
    for (arguments, words) in [
        (&["--shard", "0/3"][..], "expected two numbers"),
        (&["--shard", "4/3"], "expected two numbers"),
        (&["--shard", "1/99"], "at most 24 shards"),
        (
            &[
                "--shard",
                "1/2",
                "--set",
                "run={ precision = 0.1, max-resamples = 100 }",
            ],
            "to a precision",
        ),
    ] {
        let arguments = [&["run", "long.toml"], arguments].concat();
        let (code, _, err) = place.run(&arguments);
        assert_eq!(code, 2, "{arguments:?}");
        assert!(err.contains(words), "{err}");
    }
}

#[test]
fn a_run_that_is_killed_ten_times_ends_as_if_nothing_had_happened() {
    let place = setup();
    let many = ["--resamples", "60007"];
    let whole = [&["run", "long.toml", "--out", "whole"][..], &many].concat();
    place.done(&whole);
    let killed = [&["run", "long.toml", "--out", "killed"][..], &many].concat();
    let mut random = algorithm(3);
    let mut went_on = 0;
    for _ in 0..10 {
        let mut child = place
            .command(&killed)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(random.random_range(20..250)));
        let _ = child.kill();
        let (_, _, err) = answer(child.wait_with_output().unwrap());
        went_on += usize::from(err.contains("continuing after"));
    }
    place.done(&killed);
    assert!(went_on > 0, "no run had anything to go on from");
    assert!(place.tables("whole/long") == place.tables("killed/long"));
    let left = place.files();
    let left: Vec<_> = left.iter().filter(|name| name.contains("/.")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn parts_of_another_experiment_are_not_gone_on_from_and_damaged_ones_are_made_anew() {
    let place = setup();
    let parts = |from: &str, to: &Path| {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(place.path().join(from)).unwrap().flatten() {
            if entry.file_name().to_string_lossy().starts_with("group-") {
                fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
            }
        }
    };
    place.done(&["run", "long.toml", "--out", "whole", "--seed", "2"]);
    place.done(&["run", "long.toml", "--out", "other", "--shard", "1/1"]);
    // Those of seed 1 are no use for seed 2.
    let going_on = place.path().join("again/long/.parts");
    parts("other/long/shard-1-of-1", &going_on);
    let again = ["run", "long.toml", "--out", "again", "--seed", "2"];
    let (_, said) = place.done(&again);
    assert!(said.contains("starting afresh"));
    let whole = place.tables("whole/long");
    assert!(whole == place.tables("again/long"));
    // Of those of seed 2, one is torn and one altered.
    let other = ["run", "long.toml", "--out", "other", "--seed", "2"];
    place.done(&[&other[..], &["--shard", "1/1"]].concat());
    parts("other/long/shard-1-of-1", &going_on);
    let mut files: Vec<_> = fs::read_dir(&going_on)
        .unwrap()
        .flatten()
        .map(|e| e.path())
        .collect();
    files.sort();
    let bytes = fs::read(&files[3]).unwrap();
    fs::write(&files[3], &bytes[..100]).unwrap();
    let mut bytes = fs::read(&files[7]).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&files[7], bytes).unwrap();
    let (_, said) = place.done(&again);
    assert!(
        said.contains("2 saved groups are damaged") && said.contains("continuing after"),
        "{said}"
    );
    assert!(whole == place.tables("again/long"));
}

/// Stops a run after so many resamples.
struct Until(AtomicU64);

impl Observer for Until {
    fn stopped(&self) -> bool {
        self.0
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
                left.checked_sub(1)
            })
            .is_err()
    }
}

/// Hands every group to a function as soon as it has grown, by the number of its slab; otherwise
/// another observer.
pub struct SavesAlways<'a> {
    pub observer: &'a dyn Observer,
    pub save: &'a (dyn Fn(usize, &GroupState) + Sync),
}

impl Observer for SavesAlways<'_> {
    fn wait_turn(&self) {
        self.observer.wait_turn();
    }

    fn stopped(&self) -> bool {
        self.observer.stopped()
    }

    fn saves(&self) -> bool {
        true
    }

    fn save_is_due(&self, _: usize, _: usize) -> bool {
        true
    }

    fn save(&self, slab: usize, state: &GroupState) {
        (self.save)(slab, state);
    }
}

#[test]
fn a_run_to_a_precision_goes_on_to_the_same_end() {
    for text in [
        r#"
        problem = { truth = "x", inputs = { uniform = [0, 1] }, noise = { normal = 1 }, train = 9 }
        sweep = { k = [1, 4, 9] }
        learner = [{ knn = {} }]
        run = { precision = 0.01, max-resamples = 20000, test = { grid = 10 } }
        "#,
        r#"
        problem = { truth = "x", inputs = { uniform = [0, 1] }, noise = { normal = 1 }, train = 9 }
        sweep = { k = [1, 4, 9] }
        learner = [{ knn = {} }]
        run = { resamples = 3000, sources = true, test = { grid = 10 } }
        "#,
    ] {
        let plan = plan(text);
        let all = |results: &Results| {
            let tables = Tables::new(&plan, results);
            (results.resamples, tables)
        };
        let whole = all(&engine::run(&plan, 2, &Unwatched).unwrap());
        let mut random = algorithm(5);
        for _ in 0..12 {
            // Groups as they were saved last, some long before the run was killed.
            let saved: Mutex<Vec<GroupState>> = Mutex::new(Vec::new());
            let chance = Mutex::new(algorithm(random.random::<u32>().into()));
            let save = |_: usize, state: &GroupState| {
                if chance.lock().unwrap().random_bool(0.5) {
                    let mut saved = saved.lock().unwrap();
                    saved.retain(|other| other.group != state.group);
                    saved.push(state.clone());
                }
            };
            let until = Until(AtomicU64::new(random.random_range(1..whole.0)));
            let saves = SavesAlways {
                observer: &until,
                save: &save,
            };
            let killed = engine::run_with(&plan, Options::new(2, &saves));
            assert!(matches!(killed, Err(RunError::Stopped { .. })));
            let begun = |_: usize| saved.lock().unwrap().clone();
            let results = engine::run_with(
                &plan,
                Options {
                    begun: Some(&begun),
                    ..Options::new(2, &Unwatched)
                },
            );
            assert!(whole == all(&results.unwrap()));
        }
    }
}
