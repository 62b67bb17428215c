//! Whose files are whose: nothing outside a folder of results is touched, nothing in it that bvlab
//! did not make, and runs in the same folder do not mix.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::setup::{PROGRAM, Place, answer};

const TINY: &str = r#"
    problem = { truth = "x", inputs = { uniform = [0, 1] }, noise = { normal = 0.3 }, train = 4 }
    learner = [{ knn = {} }]
    sweep   = { k = [1, 2] }
    run     = { resamples = 48, test = { grid = 3 } }
    figure  = [{ tradeoff = {} }]
"#;

fn tiny() -> Place {
    Place::with(&[("t.toml", TINY)]).and("BVLAB_SAVE_SECONDS", "0")
}

/// A message without its line breaks.
fn squeezed(text: &str) -> String {
    let text = text.replace('│', " ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Changes the manifest of results/t, or another file of JSON.
fn edit(place: &Place, file: &str, change: impl FnOnce(&mut serde_json::Value)) {
    let mut value: serde_json::Value = serde_json::from_str(&place.read(file)).unwrap();
    change(&mut value);
    place.write(file, &value.to_string());
}

const MANIFEST: &str = "results/t/manifest.json";

#[test]
fn a_file_that_bvlab_did_not_make_is_not_overwritten() {
    let place = tiny();
    place.write("results/t/curves.csv", "my own");
    place.write("results/t/notes.txt", "mine too");
    // So many resamples that only an error before the run comes in time.
    let long = ["run", "t.toml", "--resamples", "1000000000000"];
    let mut long = place.after("ulimit -t 30", &long);
    let (code, _, err) = answer(long.output().unwrap());
    assert_eq!(code, 1, "{err}");
    for words in ["did not make: curves.csv", "--overwrite", "--out"] {
        assert!(squeezed(&err).contains(words), "no `{words}` in {err}");
    }
    assert_eq!(place.read("results/t/curves.csv"), "my own");
    assert_eq!(
        place.files(),
        [
            "results",
            "results/t",
            "results/t/curves.csv",
            "results/t/notes.txt",
            "t.toml"
        ]
    );
    place.done(&["run", "t.toml", "--overwrite"]);
    assert_ne!(place.read("results/t/curves.csv"), "my own");
    assert_eq!(place.read("results/t/notes.txt"), "mine too");
    // What bvlab made it replaces without asking, and a figure of another name goes.
    place.done(&["run", "t.toml", "--set", "figure.0.name=other"]);
    assert!(place.has("results/t/other.png") && !place.has("results/t/tradeoff.png"));

    // The same for drawing, shards, merging and the page of all figures.
    place.write("results/t/other.svg", "my own");
    let draw = ["draw", "results/t", "--format", "svg"];
    assert!(squeezed(&place.run(&draw).2).contains("did not make: other.svg"));
    assert_eq!(place.read("results/t/other.svg"), "my own");
    place.done(&[&draw[..], &["--overwrite"]].concat());
    place.write("results/t/shard-1-of-1/shard.json", "my own");
    let shard = ["run", "t.toml", "--shard", "1/1"];
    assert!(squeezed(&place.run(&shard).2).contains("did not make: shard.json"));
    assert_eq!(place.read("results/t/shard-1-of-1/shard.json"), "my own");
    place.done(&[&shard[..], &["--overwrite"]].concat());
    place.write("merged/t/fits.parquet", "my own");
    let merge = ["merge", "results/t/shard-1-of-1", "--out", "merged"];
    assert!(squeezed(&place.run(&merge).2).contains("did not make: fits.parquet"));
    place.done(&[&merge[..], &["--overwrite"]].concat());
    place.write("results/index.html", "<h1>my own</h1>");
    let figures = ["figures", "t.toml", "--page"];
    let (code, _, err) = place.run(&figures);
    assert_eq!(code, 1);
    assert!(
        squeezed(&err).contains("did not make results/index.html"),
        "{err}"
    );
    assert_eq!(place.read("results/index.html"), "<h1>my own</h1>");
    place.done(&[&figures[..], &["--overwrite"]].concat());
    place.done(&figures);
}

#[test]
fn a_manifest_does_not_make_a_file_bvlabs() {
    let place = tiny();
    place.write("precious.txt", "outside");
    place.done(&["run", "t.toml", "--format", "svg"]);
    for file in ["notes.txt", "photo.png", "old.parquet"] {
        place.write(&format!("results/t/{file}"), "my own");
    }
    let names = [
        "notes.txt",
        "photo.png",
        "old.parquet",
        "../../precious.txt",
        "..",
        "",
        "/etc/hostname",
    ];
    edit(&place, MANIFEST, |manifest| {
        let files = manifest["files"].as_array_mut().unwrap();
        files.extend(names.map(serde_json::Value::from));
        manifest["sha256"]["photo.png"] = "0".repeat(64).into();
    });
    // Neither by its name, nor by a hash that is another's.
    let (code, out, _) = place.run(&["verify", "results/t"]);
    assert_eq!(code, 1);
    assert!(
        out.contains("outside the folder, not looked at: ../../precious.txt"),
        "{out}"
    );
    place.done(&["run", "t.toml", "--seed", "2"]);
    for file in ["notes.txt", "photo.png", "old.parquet"] {
        assert_eq!(place.read(&format!("results/t/{file}")), "my own");
    }
    assert_eq!(place.read("precious.txt"), "outside");
    // What it did make goes, as long as it is as it was made.
    assert!(!place.has("results/t/tradeoff.svg"));
    place.done(&["run", "t.toml", "--format", "svg"]);
    place.write("results/t/tradeoff.svg", "drawn over by hand");
    place.done(&["run", "t.toml"]);
    assert_eq!(place.read("results/t/tradeoff.svg"), "drawn over by hand");
}

#[test]
fn folders_of_its_own_that_are_links_are_not_followed() {
    let place = tiny();
    for file in [
        "group-0001",
        "slab-0001-group-0002",
        ".group-0003-77",
        "shard.json",
    ] {
        place.write(&format!("elsewhere/{file}"), "precious");
    }
    let elsewhere = place.path().join("elsewhere");
    let untouched = || {
        let mut names: Vec<String> = place.files();
        names.retain(|name| name.starts_with("elsewhere/"));
        assert_eq!(names.len(), 4, "{names:?}");
        for name in names {
            assert_eq!(place.read(&name), "precious", "{name}");
        }
    };
    for (link, arguments) in [
        (".parts", &["run", "t.toml"][..]),
        ("shard-1-of-2", &["run", "t.toml", "--shard", "1/2"]),
    ] {
        let link = place.path().join("results/t").join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(&elsewhere, &link).unwrap();
        let (code, _, err) = place.run(arguments);
        assert_eq!(code, 1, "{err}");
        assert!(squeezed(&err).contains("does not follow links"), "{err}");
        untouched();
        fs::remove_file(link).unwrap();
    }
    // Remains are links to elsewhere: they are not bvlab's, and stay.
    for name in [
        ".bvlab-new-0123456789abcdef",
        ".bvlab-commit-0123456789abcdef",
    ] {
        symlink(&elsewhere, place.path().join("results/t").join(name)).unwrap();
    }
    place.done(&["run", "t.toml"]);
    place.done(&["verify", "results/t"]);
    untouched();
    // A file that is a link is replaced, not what it leads to.
    fs::remove_file(place.path().join("results/t/curves.csv")).unwrap();
    symlink(
        elsewhere.join("shard.json"),
        place.path().join("results/t/curves.csv"),
    )
    .unwrap();
    assert!(
        place
            .run(&["verify", "results/t"])
            .1
            .contains("altered curves.csv")
    );
    place.done(&["run", "t.toml"]);
    untouched();
    place.done(&["verify", "results/t"]);
}

#[test]
fn a_folder_of_results_may_be_a_link_or_where_a_shell_is() {
    let place = tiny();
    fs::create_dir_all(place.path().join("large-disk/t")).unwrap();
    place.write("large-disk/t/notes.txt", "mine");
    symlink("large-disk", place.path().join("out")).unwrap();
    fs::create_dir(place.path().join("other")).unwrap();
    symlink("../large-disk/t", place.path().join("other/t")).unwrap();
    for out in ["out", "other"] {
        place.done(&["run", "t.toml", "--out", out, "--seed", "3"]);
        place.done(&["verify", "large-disk/t"]);
        assert!(fs::symlink_metadata(place.path().join(out)).is_ok());
    }
    let link = fs::symlink_metadata(place.path().join("other/t")).unwrap();
    assert!(link.is_symlink(), "the link was replaced");
    // A shell in the folder sees the new result.
    let script = r#"cd large-disk/t && "$0" run ../../t.toml --seed 4 --out ../ --quiet &&
        "$0" run ../../t.toml --seed 5 --out .. --quiet && cat manifest.json && "$0" verify . && ls"#;
    let output = Command::new("bash")
        .args(["-c", script, PROGRAM])
        .current_dir(place.path())
        .output()
        .unwrap();
    let (code, out, err) = answer(output);
    assert_eq!(code, 0, "{out}{err}");
    assert!(
        out.contains("\"seed\": 5") && out.contains("notes.txt"),
        "{out}"
    );
}

#[test]
fn a_shard_cannot_say_where_its_result_goes() {
    let place = tiny();
    place.done(&["run", "t.toml", "--shard", "1/1", "--out", "a/b/shards"]);
    let note = "a/b/shards/t/shard-1-of-1/shard.json";
    let folder = "a/b/shards/t/shard-1-of-1";
    let good = place.read(note);
    let before = place.files();
    let outside = place.path().join("absolute").display().to_string();
    for name in [
        "../../x",
        outside.as_str(),
        "..",
        ".",
        "",
        ".hidden",
        "a/b",
        "a\0b",
        "/",
    ] {
        place.write(note, &good);
        edit(&place, note, |note| note["name"] = name.into());
        let (code, _, err) = place.run(&["merge", folder, "--out", "a/b/results"]);
        assert_eq!(code, 2, "{name:?}: {err}");
        assert!(
            squeezed(&err).contains("is not the name of an experiment"),
            "{err}"
        );
        assert_eq!(place.files(), before, "{name:?}");
    }
    for (shard, of) in [(0, 1), (2, 1), (1, 0), (1, 25), (0, 0)] {
        place.write(note, &good);
        edit(&place, note, |note| {
            note["shard"] = shard.into();
            note["of"] = of.into();
        });
        let (code, _, err) = place.run(&["merge", folder]);
        assert_eq!(code, 2, "{shard} of {of}: {err}");
    }
    place.write(note, &good);
    place.done(&["merge", folder]);
}

/// A run that goes on, and ends with the test at the latest.
struct Going(Option<Child>);

impl Going {
    fn start(mut command: Command) -> Self {
        Going(Some(command.spawn().unwrap()))
    }

    fn has_ended(&mut self) -> bool {
        self.0
            .as_mut()
            .is_none_or(|run| run.try_wait().unwrap().is_some())
    }

    /// Waits for its end.
    fn answer(mut self) -> (i32, String, String) {
        answer(self.0.take().unwrap().wait_with_output().unwrap())
    }
}

impl Drop for Going {
    fn drop(&mut self) {
        if let Some(mut run) = self.0.take() {
            let _ = run.kill();
            let _ = run.wait();
        }
    }
}

/// A run in a process namespace of its own, so that all have the same process id, on a file system
/// whose locks fail.
fn contained(place: &Place, error: &str, arguments: &[&str]) -> Command {
    let inject = format!("inject=flock:error={error}");
    let mut run = Command::new("unshare");
    run.args([
        "--pid",
        "--fork",
        "--kill-child",
        "strace",
        "-f",
        "-qq",
        "-o",
        "/dev/null",
    ]);
    run.args(["-e", "trace=flock", "-e", &inject, PROGRAM]);
    run.args(arguments).current_dir(place.path());
    run.env("NO_COLOR", "1").env("BVLAB_SAVE_SECONDS", "0");
    run.stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    run
}

#[test]
fn without_locks_only_one_run_writes_and_the_other_is_told() {
    let place = tiny();
    place.done(&["run", "t.toml"]);
    let long = |seed: &'static str| {
        [
            "run",
            "t.toml",
            "--resamples",
            "1000000000000",
            "--seed",
            seed,
        ]
    };
    for error in ["ENOLCK", "EOPNOTSUPP", "ENOSYS"] {
        let start = |seed: &'static str| Going::start(contained(&place, error, &long(seed)));
        let mut runs = [start("2"), start("3")];
        // One of the two is told, while the other goes on.
        let begun = Instant::now();
        let loser = loop {
            if let Some(loser) = runs.iter_mut().position(Going::has_ended) {
                break loser;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "both go on");
            std::thread::sleep(Duration::from_millis(10));
        };
        let [first, second] = runs;
        let (mut winner, loser) = match loser {
            0 => (second, first),
            _ => (first, second),
        };
        let (code, out, err) = loser.answer();
        assert_eq!(code, 1, "{out}{err}");
        let err = squeezed(&err);
        for words in [
            "another run may be writing to results/t: process ",
            ", since 20",
            "files cannot be locked here",
            "if it has ended, remove results/t/.bvlab-in-use",
        ] {
            assert!(err.contains(words), "no `{words}` in {err}");
        }
        assert!(!winner.has_ended(), "the winner has ended");
        // A run that has locks sees the mark, too.
        let (code, _, err) = place.run(&["run", "t.toml"]);
        assert_eq!(code, 1, "{err}");
        assert!(
            squeezed(&err).contains("another run may be writing"),
            "{err}"
        );
        place.done(&["verify", "results/t"]);
        // Killed, it leaves its mark, which a person removes.
        drop(winner);
        let mut short = contained(&place, error, &["run", "t.toml", "--seed", "4"]);
        let (code, _, err) = answer(short.output().unwrap());
        assert_eq!(code, 1, "{err}");
        fs::remove_file(place.path().join("results/t/.bvlab-in-use")).unwrap();
        let mut again = contained(&place, error, &["run", "t.toml", "--seed", "4"]);
        let (code, _, err) = answer(again.output().unwrap());
        assert_eq!(code, 0, "{err}");
        place.done(&["verify", "results/t"]);
        let hidden = place
            .files()
            .into_iter()
            .filter(|file| file.contains("/.b"));
        assert_eq!(hidden.collect::<Vec<_>>(), Vec::<String>::new());
    }
    // A run with locks is there.
    let mut locked = place.command(&long("5"));
    locked.stdout(Stdio::null()).stderr(Stdio::null());
    let locked = Going::start(locked);
    let begun = Instant::now();
    while !place
        .files()
        .iter()
        .any(|file| file.ends_with("owner.json"))
    {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "it does not begin"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    let (code, _, err) = answer(
        contained(&place, "ENOLCK", &["run", "t.toml"])
            .output()
            .unwrap(),
    );
    assert_eq!(code, 1, "{err}");
    assert!(
        squeezed(&err).contains("another run may be writing"),
        "{err}"
    );
    drop(locked);
    place.done(&["run", "t.toml"]);
}

#[test]
fn verify_tells_what_is_altered_missing_or_foreign() {
    let place = tiny();
    place.done(&["run", "t.toml"]);
    let (out, err) = place.done(&["verify", "results/t"]);
    assert_eq!(
        (out.as_str(), err.as_str()),
        ("results/t: as written, 7 files\n", "")
    );
    // The hashes are those of sha256sum.
    let manifest: serde_json::Value = serde_json::from_str(&place.read(MANIFEST)).unwrap();
    let sums = manifest["sha256"].as_object().unwrap().iter();
    let sums: String = sums
        .map(|(file, hash)| format!("{}  {file}\n", hash.as_str().unwrap()))
        .collect();
    place.write("results/t/SUMS", &sums);
    let check = Command::new("sha256sum")
        .args(["--strict", "-c", "SUMS"])
        .current_dir(place.path().join("results/t"))
        .output();
    assert!(check.unwrap().status.success());

    let mut bytes = place.bytes("results/t/curves.csv");
    let last = bytes.len() - 2;
    bytes[last] ^= 1;
    fs::write(place.path().join("results/t/curves.csv"), bytes).unwrap();
    fs::remove_file(place.path().join("results/t/tradeoff.png")).unwrap();
    let (code, out, err) = place.run(&["verify", "results/t", "nowhere"]);
    assert_eq!(code, 1);
    assert!(err.contains("2 of 2 folders are not as written"), "{err}");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(
        lines[..4],
        [
            "results/t: not as written",
            "  altered curves.csv",
            "  missing tradeoff.png",
            "  foreign SUMS"
        ]
    );
    assert!(lines[4].starts_with("nowhere: no result: cannot read nowhere/manifest.json"));
    let (_, err) = place.done(&["draw", "results/t"]);
    assert!(
        err.contains("warning: results/t: curves.csv was altered"),
        "{err}"
    );

    // A result from before there were hashes.
    edit(&place, MANIFEST, |manifest| {
        manifest.as_object_mut().unwrap().remove("sha256");
        manifest["bvlab"] = "0.1.0".into();
    });
    let (out, _) = place.done(&["verify", "results/t"]);
    assert!(
        out.contains("7 files, no hashes recorded (made by bvlab 0.1.0)"),
        "{out}"
    );
    let (_, err) = place.done(&["draw", "results/t"]);
    assert_eq!(err, "");
    let (out, _) = place.done(&["verify", "results/t"]);
    assert!(out.contains("6 of them without a recorded hash"), "{out}");
    place.done(&["run", "t.toml"]);
    place.done(&["verify", "results/t", "--quiet"]);
}

/// Figures of one result never stand beside another's tables.
#[test]
fn figures_of_a_result_that_was_replaced_meanwhile_are_not_put_beside_the_new_one() {
    let place = tiny();
    place.done(&["run", "t.toml"]);
    // Held up when it has read the tables and drawn.
    let mut draw = Command::new("strace");
    draw.args(["-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync"]);
    draw.args(["-e", "inject=fsync:delay_enter=5000000:when=1", PROGRAM]);
    draw.args(["draw", "results/t", "--format", "svg"]);
    draw.current_dir(place.path()).stderr(Stdio::piped());
    let draw = draw
        .spawn()
        .expect("strace is needed: apt-get install strace");
    let begun = Instant::now();
    while !place
        .files()
        .iter()
        .any(|file| file.ends_with("/tradeoff.svg"))
    {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "it does not begin"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    place.done(&["run", "t.toml", "--seed", "2"]);
    let (code, _, err) = answer(draw.wait_with_output().unwrap());
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("another run has replaced"), "{err}");
    place.done(&["verify", "results/t"]);
    assert!(!place.has("results/t/tradeoff.svg"));
}
