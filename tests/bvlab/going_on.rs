//! Shards, and runs that were killed: the tables are those of one undisturbed run, byte for byte.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bvlab::engine::{self, GroupState, Observer, Options, Results, RunError, Unwatched};
use bvlab::outcome::Tables;
use rand::RngExt;

use crate::setup::{algorithm, experiment};

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

fn bvlab(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bvlab"));
    command.args(arguments).current_dir(folder);
    command.env("BVLAB_SAVE_SECONDS", "0").stdin(Stdio::null());
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn done(folder: &Path, arguments: &[&str]) -> Output {
    let output = bvlab(folder, arguments).output().unwrap();
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        text(&output.stderr)
    );
    output
}

/// The tables of a result.
fn tables(home: &Path) -> Vec<Vec<u8>> {
    let files = [
        "curves.csv",
        "curves.parquet",
        "points.parquet",
        "training.parquet",
    ];
    let files = files.iter().chain(&["fits.parquet", "runs.parquet"]);
    files
        .map(|file| fs::read(home.join(file)).unwrap())
        .collect()
}

fn setup() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("long.toml"), LONG).unwrap();
    folder
}

#[test]
fn shards_merge_to_the_tables_of_one_run() {
    let folder = setup();
    let here = folder.path();
    done(here, &["run", "long.toml", "--out", "whole"]);
    let whole = tables(&here.join("whole/long"));
    for count in [1, 2, 5] {
        let out = format!("out{count}");
        let mut merge = vec!["merge".to_owned()];
        for index in 1..=count {
            let shard = format!("{index}/{count}");
            done(
                here,
                &["run", "long.toml", "--out", &out, "--shard", &shard],
            );
            merge.push(format!("{out}/long/shard-{index}-of-{count}"));
        }
        merge.extend(["--out", "merged"].map(str::to_owned));
        let merge: Vec<&str> = merge.iter().map(String::as_str).collect();
        let output = done(here, &merge);
        assert!(text(&output.stdout).contains("6007 training sets"));
        assert!(whole == tables(&here.join("merged/long")), "{count} shards");
    }
}

#[test]
fn shards_that_do_not_belong_together_are_refused_by_name() {
    let folder = setup();
    let here = folder.path();
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
        done(here, &[&arguments[..], more].concat());
    };
    shard("a", "1/3", &[]);
    shard("a", "3/3", &[]);
    shard("b", "2/3", &["--seed", "9"]);
    let refused = |folders: &[&str], words: &[&str]| {
        let arguments = [&["merge"], folders].concat();
        let output = bvlab(here, &arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{folders:?}");
        let error = text(&output.stderr).replace('\n', " ");
        for word in words {
            let squeezed: String = error.split_whitespace().collect::<Vec<_>>().join(" ");
            let squeezed = squeezed.replace("│ ", "");
            assert!(
                squeezed.contains(word),
                "{folders:?}: no `{word}` in {squeezed}"
            );
        }
        assert!(!here.join("results").exists());
    };
    let (one, three) = ("a/long/shard-1-of-3", "a/long/shard-3-of-3");
    refused(&[one, three], &["missing: 2/3", "--shard 2/3"]);
    refused(
        &[one, "b/long/shard-2-of-3", three],
        &["shard-2-of-3", "another experiment or seed"],
    );
    refused(&[one, one, three], &["hold the same groups"]);
    refused(&["a"], &["shard.json"]);
    shard("c", "2/4", &[]);
    refused(&[one, "c/long/shard-2-of-4", three], &["one of 4 shards"]);
    // A part that was altered, and a shard that was killed.
    shard("a", "2/3", &[]);
    let two = "a/long/shard-2-of-3";
    let part = fs::read_dir(here.join(two)).unwrap().flatten();
    let part = part.map(|entry| entry.path()).find(|path| {
        path.file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("group-"))
    });
    let part = part.unwrap();
    let good = fs::read(&part).unwrap();
    fs::write(&part, &good[..good.len() / 2]).unwrap();
    refused(&[one, two, three], &["is damaged", "--shard 2/3"]);
    shard("a", "2/3", &[]);
    done(here, &["merge", one, two, three, "--out", "fine"]);
    let note = here.join(two).join("shard.json");
    let changed = fs::read_to_string(&note)
        .unwrap()
        .replace("\"complete\": true", "\"complete\": false");
    fs::write(&note, changed).unwrap();
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
        let output = bvlab(here, &arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(
            text(&output.stderr).contains(words),
            "{}",
            text(&output.stderr)
        );
    }
}

#[test]
fn a_run_that_is_killed_ten_times_ends_as_if_nothing_had_happened() {
    let folder = setup();
    let here = folder.path();
    let many = ["--resamples", "60007"];
    let whole = [&["run", "long.toml", "--out", "whole"][..], &many].concat();
    done(here, &whole);
    let killed = [&["run", "long.toml", "--out", "killed"][..], &many].concat();
    let mut random = algorithm(3);
    let mut went_on = 0;
    for _ in 0..10 {
        let mut child = bvlab(here, &killed)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(random.random_range(20..250)));
        let _ = child.kill();
        let output = child.wait_with_output().unwrap();
        went_on += usize::from(text(&output.stderr).contains("going on after"));
    }
    done(here, &killed);
    assert!(went_on > 0, "no run had anything to go on from");
    let [whole, killed] = ["whole/long", "killed/long"].map(|home| here.join(home));
    assert!(tables(&whole) == tables(&killed));
    assert!(
        !killed.join(".parts").exists(),
        "what is done is cleared away"
    );
    let left = fs::read_dir(&killed)
        .unwrap()
        .flatten()
        .map(|e| e.file_name());
    let left: Vec<_> = left
        .filter(|name| name.to_string_lossy().starts_with('.'))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn parts_of_another_experiment_are_not_gone_on_from_and_damaged_ones_are_made_anew() {
    let folder = setup();
    let here = folder.path();
    let parts = |from: &str, to: &Path| {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(here.join(from)).unwrap().flatten() {
            if entry.file_name().to_string_lossy().starts_with("group-") {
                fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
            }
        }
    };
    done(here, &["run", "long.toml", "--out", "whole", "--seed", "2"]);
    done(
        here,
        &["run", "long.toml", "--out", "other", "--shard", "1/1"],
    );
    // Those of seed 1 are no use for seed 2.
    parts("other/long/shard-1-of-1", &here.join("again/long/.parts"));
    let again = ["run", "long.toml", "--out", "again", "--seed", "2"];
    let output = done(here, &again);
    assert!(text(&output.stderr).contains("starting afresh"));
    let whole = tables(&here.join("whole/long"));
    assert!(whole == tables(&here.join("again/long")));
    // Of those of seed 2, one is torn and one altered.
    done(
        here,
        &[
            "run",
            "long.toml",
            "--out",
            "other",
            "--seed",
            "2",
            "--shard",
            "1/1",
        ],
    );
    let going_on = here.join("again/long/.parts");
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
    let output = done(here, &again);
    let said = text(&output.stderr);
    assert!(
        said.contains("2 saved groups are damaged") && said.contains("going on after"),
        "{said}"
    );
    assert!(whole == tables(&here.join("again/long")));
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
        let experiment = experiment(text);
        let all = |results: &Results| {
            let tables = Tables::new(&experiment, results);
            (results.resamples, tables)
        };
        let whole = all(&engine::run(&experiment, 2, &Unwatched).unwrap());
        let mut random = algorithm(5);
        for _ in 0..12 {
            // Groups as they were saved last, some long before the run was killed.
            let saved: Mutex<Vec<GroupState>> = Mutex::new(Vec::new());
            let chance = Mutex::new(algorithm(random.random::<u32>().into()));
            let save = |state: &GroupState| {
                if chance.lock().unwrap().random_bool(0.5) {
                    let mut saved = saved.lock().unwrap();
                    saved.retain(|other| other.group != state.group);
                    saved.push(state.clone());
                }
            };
            let until = Until(AtomicU64::new(random.random_range(1..whole.0)));
            let killed = engine::run_with(
                &experiment,
                Options {
                    threads: 2,
                    observer: &until,
                    begun: Vec::new(),
                    save: Some((&save, Duration::ZERO)),
                },
            );
            assert!(matches!(killed, Err(RunError::Stopped { .. })));
            let begun = saved.into_inner().unwrap();
            let results = engine::run_with(
                &experiment,
                Options {
                    threads: 2,
                    observer: &Unwatched,
                    begun,
                    save: None,
                },
            );
            assert!(whole == all(&results.unwrap()));
        }
    }
}
