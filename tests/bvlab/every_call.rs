//! Every system call that writes a result is killed, and made to fail, once: the folder holds the
//! earlier result or the new one, whole, and the next run leaves nothing behind. The new one may lack
//! figures that could not be written: then the run has failed, and the manifest names them.
//!
//! `BVLAB_EVERY_CALL=all cargo test --release every_call` also interferes with calls that only close
//! or stretch files, and with drawing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use bvlab::outcome::files::{self, Condition};

use crate::setup::{PROGRAM, Place, answer};

const TINY: &str = r#"
    problem = { truth = "x", inputs = { uniform = [0, 1] }, noise = { normal = 0.3 }, train = 4 }
    learner = [{ knn = {} }]
    sweep   = { k = [1, 2] }
    run     = { resamples = 4, test = { grid = 3 } }
    figure  = [{ name = "old", tradeoff = {} }]
"#;

/// The earlier result, which has a figure.
const OLD: [&str; 6] = ["run", "t.toml", "--seed", "1", "--format", "svg"];

/// The new one, which has none: the earlier figure goes.
const NEW: [&str; 6] = ["run", "t.toml", "--seed", "2", "--set", "figure=[]"];

/// The new one with figures of its own.
const RICH: [&str; 6] = ["run", "t.toml", "--seed", "2", "--format", "png,svg"];

const CALLS: &str = "openat,write,writev,pwrite64,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,flock";
const MORE_CALLS: &str = ",close,ftruncate,fallocate,copy_file_range,statx,getdents64";

fn all() -> bool {
    std::env::var("BVLAB_EVERY_CALL").is_ok_and(|value| value == "all")
}

/// The program under strace.
fn straced(place: &Place, options: &[&str], arguments: &[&str]) -> Command {
    let mut run = Command::new("strace");
    run.args(["-f", "-qq", "-s", "200"]).args(options);
    run.arg(PROGRAM).args(arguments).args(["--threads", "1"]);
    run.current_dir(place.path()).stdin(Stdio::null());
    run.env("NO_COLOR", "1").env("BVLAB_SAVE_SECONDS", "0");
    run
}

/// The calls of a run from the first that has to do with the folder of results, each with its number
/// among those of its kind and thread, which is how strace counts; only those that name one of some
/// files, if any are given.
fn calls(place: &Place, arguments: &[&str], about: &[&str]) -> BTreeSet<(String, usize)> {
    let kinds = match all() {
        true => format!("trace={CALLS}{MORE_CALLS}"),
        false => format!("trace={CALLS}"),
    };
    let run = straced(place, &["-y", "-o", "log", "-e", &kinds], arguments).output();
    let run = run.expect("strace is needed: apt-get install strace");
    assert!(run.status.success(), "strace does not work here: {run:?}");
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut found = BTreeSet::new();
    let mut begun = false;
    for line in place.read("log").lines() {
        let Some((thread, rest)) = line.split_once(' ') else {
            continue;
        };
        let Some((call, _)) = rest.trim_start().split_once('(') else {
            continue;
        };
        if !call.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            continue;
        }
        let count = counts
            .entry((thread.to_owned(), call.to_owned()))
            .or_default();
        *count += 1;
        begun |= rest.contains("results");
        let named = about.is_empty() || about.iter().any(|file| rest.contains(file));
        if begun && named {
            found.insert((call.to_owned(), *count));
        }
    }
    found
}

/// The files of a folder with their contents; `None` for a folder in it.
fn contents(home: &Path) -> BTreeMap<String, Option<Vec<u8>>> {
    let entries = fs::read_dir(home).into_iter().flatten().flatten();
    let entry = |entry: fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        (name, fs::read(entry.path()).ok())
    };
    entries.map(entry).collect()
}

/// All but the manifest, which has times in it.
fn files(home: &Path) -> BTreeMap<String, Option<Vec<u8>>> {
    let mut files = contents(home);
    files.remove("manifest.json");
    files
}

fn put(home: &Path, files: &BTreeMap<String, Option<Vec<u8>>>) {
    let _ = fs::remove_dir_all(home);
    fs::create_dir_all(home).unwrap();
    for (file, content) in files {
        fs::write(home.join(file), content.as_ref().unwrap()).unwrap();
    }
}

/// The figures that the result in a folder lacks; `None` if there is no result. Every file is as its
/// manifest says, and a figure that is lacking is not among them.
fn undrawn(home: &Path, case: &str) -> Option<Vec<String>> {
    let Ok(verified) = files::verify(home) else {
        assert!(!home.join("manifest.json").exists(), "{case}");
        return None;
    };
    let undrawn = verified.manifest.undrawn;
    for (file, condition) in &verified.files {
        let expected = match undrawn.contains(file) {
            true => Condition::Missing,
            false => Condition::Whole,
        };
        assert_eq!(*condition, expected, "{case}: {file}");
    }
    for file in &undrawn {
        assert!(file.ends_with(".png") || file.ends_with(".svg"), "{case}");
        assert!(!home.join(file).exists(), "{case}: {file}");
        assert!(!verified.manifest.files.contains(file), "{case}: {file}");
        assert!(!verified.manifest.sha256.contains_key(file), "{case}");
    }
    Some(undrawn)
}

/// Whether the folder holds a result that lacks nothing.
fn whole(home: &Path, case: &str) -> bool {
    undrawn(home, case).is_some_and(|undrawn| undrawn.is_empty())
}

const NOTES: &str = "notes.txt";

/// Interferes with one call after another, of a run over an earlier result or into nothing.
fn interfere(new: &[&str], earlier: bool) {
    let begin = || Place::with(&[("t.toml", TINY)]).and("BVLAB_SAVE_SECONDS", "0");
    let place = begin();
    let home = place.path().join("results/t");
    place.done(new);
    let made = files(&home);
    let _ = fs::remove_dir_all(place.path().join("results"));
    place.done(&OLD);
    place.write(&format!("results/t/{NOTES}"), "a person's own");
    let before = contents(&home);
    if !earlier {
        fs::remove_dir_all(place.path().join("results")).unwrap();
    }
    let calls: Vec<(String, usize)> = calls(&place, new, &[]).into_iter().collect();
    let renames = calls.iter().filter(|(call, _)| call.starts_with("rename"));
    let synced = calls.iter().filter(|(call, _)| call == "fsync");
    assert!(renames.count() >= 8 && synced.count() >= 10, "{calls:?}");

    let faults = ["error=EIO", "signal=KILL"];
    let cases: Vec<(&(String, usize), &str)> = calls
        .iter()
        .flat_map(|call| faults.map(|fault| (call, fault)))
        // The standard library panics where a folder cannot be closed, and nothing depends on it.
        .filter(|((call, _), fault)| call != "close" || *fault == "signal=KILL")
        .collect();
    let (next, kept, replaced) = (
        AtomicUsize::new(0),
        AtomicUsize::new(0),
        AtomicUsize::new(0),
    );
    let work = || {
        let place = begin();
        let home = place.path().join("results/t");
        while let Some(((call, number), fault)) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let case = format!("{call} {number}: {fault}, earlier {earlier}");
            let _ = fs::remove_dir_all(place.path().join("results"));
            if earlier {
                put(&home, &before);
            }
            let inject = format!("inject={call}:{fault}:when={number}");
            let trace = format!("trace={call}");
            let options = ["-o", "/dev/null", "-e", &trace, "-e", &inject];
            let (code, out, err) = answer(straced(&place, &options, new).output().unwrap());
            // The same call of another thread may keep the program from being loaded (127), or the
            // experiment from being read (2).
            let unread = code == 2 && err.contains("cannot read t.toml");
            let known = unread || [-1, 0, 1, 127].contains(&code);
            assert!(known, "{case}: {code} {out}{err}");
            assert!(!err.contains("panicked"), "{case}: {err}");

            // One of the two, whole, beside what is a person's own.
            let found = undrawn(&home, &case);
            let mut now = files(&home);
            now.retain(|name, _| !name.starts_with('.'));
            let notes = now.remove(NOTES);
            assert_eq!(notes.is_some(), earlier, "{case}");
            // Tables are not given up for a figure; the run has failed all the same, and `verify` says
            // what is missing.
            let mut made_but = made.clone();
            for file in found.iter().flatten() {
                assert!(made_but.remove(file).is_some(), "{case}: {file}");
                assert_eq!((code, *fault), (1, "error=EIO"), "{case}: {out}{err}");
                let (code, out, _) = place.run(&["verify", "results/t"]);
                let words = format!("missing {file}");
                assert!(code == 1 && out.contains(&words), "{case}: {code} {out}");
            }
            let is_new = now == made_but;
            if !is_new {
                let mut old = before.clone();
                old.remove("manifest.json");
                old.remove(NOTES);
                match earlier {
                    true => assert!(now == old, "{case}: neither old nor new {:?}", now.keys()),
                    false => assert!(now.is_empty(), "{case}: {:?}", now.keys()),
                }
                assert_ne!(code, 0, "{case}");
            }
            assert_eq!(found.is_some(), earlier || is_new, "{case}");
            match is_new {
                true => replaced.fetch_add(1, Ordering::Relaxed),
                false => kept.fetch_add(1, Ordering::Relaxed),
            };

            // The next run ends in the new result, and nothing is left of this one.
            place.done(new);
            assert!(whole(&home, &case), "{case}");
            let mut now = files(&home);
            let notes = now.remove(NOTES);
            assert_eq!(notes.is_some(), earlier, "{case}");
            assert!(now == made, "{case}: {:?}", now.keys());
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(work);
        }
    });
    let [kept, replaced] = [kept, replaced].map(AtomicUsize::into_inner);
    eprintln!("{} faults, {kept} kept what was there", cases.len());
    assert_eq!(kept + replaced, cases.len());
    assert!(kept > 20 && replaced > 20, "{kept} and {replaced}");
}

#[test]
fn a_figure_that_cannot_be_written_is_left_out_and_named() {
    let place = Place::with(&[("t.toml", TINY)]);
    let home = place.path().join("results/t");
    place.done(&RICH);
    let made = files(&home);
    let about = ["old.png", "old.svg"];
    let calls = calls(&place, &RICH, &about);
    let calls = calls.iter().filter(|(call, _)| call == "write");
    let (mut tried, mut lacking) = (0, 0);
    for (call, number) in calls {
        let case = format!("{call} {number}");
        place.done(&OLD);
        let inject = format!("inject={call}:error=EIO:when={number}");
        let options = [
            "-o",
            "/dev/null",
            "-e",
            &format!("trace={call}"),
            "-e",
            &inject,
        ];
        let (code, out, err) = answer(straced(&place, &options, &RICH).output().unwrap());
        tried += 1;
        let Some(undrawn) = undrawn(&home, &case) else {
            panic!("{case}: {code} {out}{err}");
        };
        let mut expected = made.clone();
        expected.retain(|file, _| !undrawn.contains(file));
        if undrawn.is_empty() {
            continue;
        }
        lacking += 1;
        assert!(files(&home) == expected, "{case}");
        assert!(
            code == 1 && err.contains("cannot write old."),
            "{case}: {code} {err}"
        );
        let (code, out, _) = place.run(&["verify", "results/t"]);
        assert!(
            code == 1 && out.contains("missing old."),
            "{case}: {code} {out}"
        );
        // Drawn from the tables, nothing is missing any more.
        place.done(&["draw", "results/t", "--format", "png,svg"]);
        assert!(whole(&home, &case) && files(&home) == made, "{case}");
    }
    assert!(tried >= 2 && lacking >= 2, "{tried}, {lacking}");
}

#[test]
fn over_an_earlier_result_every_call_can_be_the_last_or_fail() {
    interfere(&NEW, true);
    if all() {
        interfere(&RICH, true);
    }
}

#[test]
fn in_a_fresh_folder_every_call_can_be_the_last_or_fail() {
    interfere(&NEW, false);
    if all() {
        interfere(&RICH, false);
    }
}
