//! Damaged and hostile files of results: saved groups, notes of shards, manifests, and results that a
//! killed run left. Never a panic, never much memory, never a change outside the folder.
//!
//! `BVLAB_FUZZ_CASES=100000 cargo test --release fuzz_files` runs longer than the default.

use std::fs::{self, File};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;

use bvlab::engine::{self, GroupState, Observer, Options, Unwatched};
use bvlab::outcome::Tables;
use bvlab::outcome::files::{self, Manifest, SavedGroups, ShardNote, Staging, is_plain_name};
use bvlab::plan::Plan;
use bvlab::stream::Stream;
use rand::RngExt;
use serde_json::Value;

use crate::fuzz::cases;
use crate::setup::{Place, algorithm, experiment};

const TINY: &str = r#"
    problem = { truth = "x", inputs = { uniform = [0, 1] }, noise = { normal = 0.3 }, train = 4 }
    learner = [{ knn = {} }, { name = "bagged", bagging = { members = 2, base = { knn = {} } } }]
    sweep   = { k = [1, 2] }
    run     = { resamples = 80, sources = true, test = { grid = 3 } }
"#;

const MAGIC: &[u8] = b"bvlab part 3\n";

/// Runs a case; a panic names it.
fn survives<T>(case: u64, what: &str, run: impl FnOnce() -> T) -> T {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(done) => done,
        Err(_) => panic!("case {case}: {what} panicked"),
    }
}

/// Holds every group as often as it grows.
#[derive(Default)]
struct Saver(Mutex<Vec<GroupState>>);

impl Observer for Saver {
    fn saves(&self) -> bool {
        true
    }

    fn save_is_due(&self, _: usize, _: usize) -> bool {
        true
    }

    fn save(&self, slab: usize, state: &GroupState) {
        assert_eq!(slab, 0);
        self.0.lock().unwrap().push(state.clone());
    }
}

/// Every group of a run, halfway and at its end.
fn saved(plan: &Plan) -> Vec<GroupState> {
    let saver = Saver::default();
    engine::run(plan, 1, &saver).unwrap();
    saver.0.into_inner().unwrap()
}

/// Changes bytes a little, or a lot: bits, runs, lengths as postcard writes them, cuts, repeats.
fn damaged(random: &mut Stream, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..random.random_range(1..4) {
        let place = random.random_range(0..=bytes.len());
        match random.random_range(0..7) {
            0 | 1 if place < bytes.len() => bytes[place] ^= 1 << random.random_range(0..8),
            2 if place < bytes.len() => bytes[place] = random.random(),
            3 => bytes.truncate(place),
            4 => {
                // A length or a number of up to 64 bits.
                let huge = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
                let count = random.random_range(1..=huge.len());
                let end = (place + 1).min(bytes.len());
                bytes.splice(place..end, huge[huge.len() - count..].iter().copied());
            }
            5 => {
                let end = (place + random.random_range(0..40)).min(bytes.len());
                let part = bytes[place..end].to_vec();
                bytes.splice(place..place, part);
            }
            _ => {
                let end = (place + random.random_range(0..40)).min(bytes.len());
                bytes.drain(place..end);
            }
        }
    }
    bytes
}

#[test]
fn saved_groups_that_were_damaged_or_forged_do_no_harm() {
    forge_groups(TINY, 31);
    forge_groups(&TINY.replace("sources", "diversity"), 34);
}

fn forge_groups(text: &str, seed: u64) {
    let experiment = experiment(text);
    let folder = tempfile::tempdir().unwrap();
    let parts = SavedGroups::new(folder.path(), &experiment, "1").unwrap();
    let plan = experiment.plan().expect("it is a study");
    let states = saved(plan);
    let whole = engine::run(plan, 1, &Unwatched).unwrap();
    // Compared as text, in which a number that is none equals itself.
    let whole = format!("{:?}", Tables::new(plan, &whole));
    let mut random = algorithm(seed);
    let (mut taken, mut rejected) = (0, 0);
    for case in 0..cases(1000) {
        let state = &states[random.random_range(0..states.len())];
        parts.save(state).unwrap();
        let path = folder.path().join(format!("group-{:04}", state.group));
        let bytes = fs::read(&path).unwrap();
        let content = &bytes[MAGIC.len() + 4..];
        // With a right checksum most of the time: it guards against accidents only.
        let forged = match random.random_range(0..5) {
            0 => damaged(&mut random, &bytes),
            _ => {
                let content = damaged(&mut random, content);
                let sum = crc32fast::hash(&content).to_le_bytes();
                [MAGIC, &sum, &content].concat()
            }
        };
        fs::write(&path, &forged).unwrap();
        let mut found = None;
        let memory = allocation_counter::measure(|| {
            found = Some(survives(case, "reading a part", || parts.find()));
        });
        let most = 64 * forged.len() as u64 + (4 << 20);
        assert!(memory.bytes_max < most, "case {case}: {}", memory.bytes_max);
        let begun = found.unwrap().states;
        match begun.len() {
            0 => rejected += 1,
            _ => taken += 1,
        }
        if !begun.is_empty() {
            let begun = |_: usize| begun.clone();
            let options = Options {
                begun: Some(&begun),
                ..Options::new(1, &Unwatched)
            };
            let results = survives(case, "going on", || engine::run_with(plan, options));
            let results = results.unwrap();
            assert_eq!(results.resamples, 80, "case {case}");
            survives(case, "a table", || Tables::new(plan, &results));
        }
        fs::remove_file(&path).unwrap();
    }
    assert!(
        taken > 50 && rejected > 50,
        "{taken} taken, {rejected} rejected"
    );
    // Undamaged ones are gone on from to the same end.
    for state in &states {
        parts.save(state).unwrap();
    }
    let begun = parts.find().states;
    assert_eq!(begun.len(), 24);
    let begun = |_: usize| begun.clone();
    let options = Options {
        begun: Some(&begun),
        ..Options::new(1, &Unwatched)
    };
    let again = engine::run_with(plan, options).unwrap();
    assert!(format!("{:?}", Tables::new(plan, &again)) == whole);
}

#[test]
fn a_part_of_a_terabyte_is_not_read() {
    let experiment = experiment(TINY);
    let folder = tempfile::tempdir().unwrap();
    let parts = SavedGroups::new(folder.path(), &experiment, "1").unwrap();
    for (group, start) in [(0, &b""[..]), (1, MAGIC)] {
        let path = folder.path().join(format!("group-{group:04}"));
        fs::write(&path, start).unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        file.set_len(1 << 40).unwrap();
    }
    fs::create_dir(folder.path().join("group-0002")).unwrap();
    let mut damaged = Vec::new();
    let memory = allocation_counter::measure(|| damaged = parts.find().damaged);
    assert_eq!(damaged, ["group-0000", "group-0001", "group-0002"]);
    assert!(memory.bytes_max < 16 << 20, "{}", memory.bytes_max);
}

/// Values that are wrong in most places, and now and then right.
fn hostile(random: &mut Stream, outside: &Path) -> Value {
    let names = [
        "../../outside/precious.txt",
        "../precious.txt",
        "..",
        ".",
        "",
        "/",
        "notes.txt",
        "photo.png",
        "manifest.json",
        "curves.csv",
        ".bvlab-in-use",
        "a\0b",
        "\u{202e}gpj.png",
        "sub",
        "sub/inner.png",
    ];
    let number = |random: &mut Stream| -> Value {
        match random.random_range(0..6) {
            0 => 0.into(),
            1 => u64::MAX.into(),
            2 => (-1).into(),
            3 => 1e308.into(),
            4 => 24.into(),
            _ => Value::Null,
        }
    };
    match random.random_range(0..8) {
        0 => number(random),
        1 => outside.join("precious.txt").display().to_string().into(),
        2 => "x".repeat(100_000).into(),
        3 => Value::Array((0..50).map(|i| i.into()).collect()),
        4 => names.iter().map(|name| Value::from(*name)).collect(),
        5 => {
            let entry = |name: &&str| ((*name).to_owned(), Value::from("0".repeat(64)));
            Value::Object(names.iter().map(entry).collect())
        }
        _ => names[random.random_range(0..names.len())].into(),
    }
}

/// Changes a file of JSON: some values, or some bytes, or how deep it is.
fn hostile_json(random: &mut Stream, text: &str, outside: &Path) -> Vec<u8> {
    let mut value: Value = serde_json::from_str(text).unwrap();
    match random.random_range(0..8) {
        0 => return damaged(random, text.as_bytes()),
        1 => {
            let depth = random.random_range(1..200_000);
            return "[".repeat(depth).into_bytes();
        }
        _ => {}
    }
    for _ in 0..random.random_range(1..4) {
        let fields = value.as_object_mut().unwrap();
        let keys: Vec<String> = fields.keys().cloned().collect();
        let key = &keys[random.random_range(0..keys.len())];
        match &mut fields[key] {
            Value::Array(all) if random.random() => all.push(hostile(random, outside)),
            Value::Object(all) if random.random() => {
                if let Value::String(name) = hostile(random, outside) {
                    all.insert(name, hostile(random, outside));
                }
            }
            other => *other = hostile(random, outside),
        }
    }
    value.to_string().into_bytes()
}

#[test]
fn hostile_notes_of_shards_do_no_harm() {
    let place = Place::with(&[("t.toml", TINY)]);
    place.done(&["run", "t.toml", "--shard", "1/1"]);
    let folder = place.path().join("results/t/shard-1-of-1");
    let good = place.read("results/t/shard-1-of-1/shard.json");
    let mut random = algorithm(32);
    let mut taken = 0;
    for case in 0..cases(3000) {
        let text = hostile_json(&mut random, &good, place.path());
        fs::write(folder.join(ShardNote::FILE), text).unwrap();
        if let Ok(note) = survives(case, "reading a note", || ShardNote::read(&folder)) {
            taken += 1;
            assert!(is_plain_name(&note.name), "case {case}: {:?}", note.name);
            assert!((1..=24).contains(&note.of) && (1..=note.of).contains(&note.shard));
            // Some go through the whole program.
            if case % 50 == 0 {
                let (code, _, err) = place.run(&["merge", "results/t/shard-1-of-1"]);
                assert!([0, 1, 2].contains(&code), "case {case}: {code} {err}");
                assert!(!err.contains("panicked"), "case {case}: {err}");
            }
        }
    }
    assert!(taken > 20, "{taken} were taken");
}

/// Everything that is not bvlab's.
fn precious(place: &Place) -> Vec<(String, Vec<u8>)> {
    let files = [
        "outside/precious.txt",
        "results/precious.txt",
        "results/t/notes.txt",
        "results/t/photo.png",
        "results/t/sub/inner.png",
    ];
    let there = files.iter().filter(|file| place.has(file));
    there
        .map(|file| ((*file).to_owned(), place.bytes(file)))
        .collect()
}

#[test]
fn hostile_manifests_and_remains_do_no_harm() {
    let place = Place::with(&[("t.toml", TINY)]);
    place.done(&["run", "t.toml"]);
    let home = place.path().join("results/t");
    for file in [
        "outside/precious.txt",
        "results/precious.txt",
        "results/t/notes.txt",
        "results/t/photo.png",
        "results/t/sub/inner.png",
    ] {
        place.write(file, "a person's own");
    }
    let all = precious(&place);
    assert_eq!(all.len(), 5);
    let outside = place.path().join("outside");
    let good = place.read("results/t/manifest.json");
    let manifest: Manifest = serde_json::from_str(&good).unwrap();
    let journal = r#"{"remove": {"curves.csv": null, "old.png": "00"}}"#;
    let mut random = algorithm(33);
    let (mut read, mut replaced, mut repaired) = (0, 0, 0);
    for case in 0..cases(400) {
        let manifest_path = home.join("manifest.json");
        let remains = random.random_range(0..3) == 0;
        let committed = home.join(".bvlab-commit-0123456789abcdef");
        if remains {
            fs::create_dir(&committed).unwrap();
            for (file, good) in [("manifest.json", &*good), ("commit.json", journal)] {
                let text = match random.random() {
                    true => good.as_bytes().to_vec(),
                    false => hostile_json(&mut random, good, &outside),
                };
                fs::write(committed.join(file), text).unwrap();
            }
            fs::write(committed.join("tradeoff.png"), "new").unwrap();
        } else {
            let text = hostile_json(&mut random, &good, &outside);
            fs::write(&manifest_path, text).unwrap();
        }
        let verified = survives(case, "verifying", || files::verify(&home));
        read += usize::from(verified.is_ok());
        repaired += usize::from(remains && !committed.exists());
        let _ = survives(case, "reading a result", || files::read(&home));
        let files = vec!["curves.csv".to_owned()];
        let staged = survives(case, "opening", || Staging::open(&home, &files, false));
        if let Ok(mut staging) = staged {
            staging.write("curves.csv", b"new").unwrap();
            let done = survives(case, "replacing", || staging.finish(manifest.clone()));
            replaced += usize::from(done.is_ok());
        }
        assert!(
            precious(&place) == all,
            "case {case}: a person's file was touched"
        );
        // A fresh start.
        let _ = fs::remove_dir_all(&committed);
        let _ = fs::remove_file(home.join("tradeoff.png"));
        fs::write(home.join("curves.csv"), "").unwrap();
        fs::write(&manifest_path, &good).unwrap();
    }
    assert!(
        read > 20 && replaced > 20 && repaired > 5,
        "{read}, {replaced}, {repaired}"
    );
}
