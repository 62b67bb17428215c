//! What happens to a run that the machine lets down: a clear error or a whole result, never a damaged
//! one.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rand::RngExt;

use crate::setup::{Place, algorithm, answer};

const SMALL: &str = r#"
    problem = { truth = "sin(x)", inputs = { uniform = [0, 6] }, noise = { normal = 0.3 }, train = 12 }
    learner = [{ knn = {} }]
    sweep   = { k = [1, 3, 9] }
    run     = { resamples = 300, test = { grid = 40 } }
    figure  = [{ tradeoff = {} }]
"#;

fn small() -> Place {
    Place::with(&[("small.toml", SMALL)]).and("BVLAB_SAVE_SECONDS", "0")
}

fn seeded(seed: &str) -> [&str; 4] {
    ["run", "small.toml", "--seed", seed]
}

/// The tables that every seed gives, undisturbed.
fn undisturbed(place: &Place, seeds: &[&str]) -> Vec<Vec<Vec<u8>>> {
    let run = |seed: &&str| {
        let out = format!("undisturbed{seed}");
        place.done(&[&seeded(seed)[..], &["--out", &out]].concat());
        place.tables(&format!("{out}/small"))
    };
    seeds.iter().map(run).collect()
}

/// If there is a manifest, the tables beside it are those of its seed, all of them.
#[track_caller]
fn assert_whole(place: &Place, home: &str, seeds: &[&str], tables: &[Vec<Vec<u8>>]) -> bool {
    if !place.has(&format!("{home}/manifest.json")) {
        return false;
    }
    let manifest = place.read(&format!("{home}/manifest.json"));
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let seed = manifest["seed"].to_string();
    let at = seeds.iter().position(|other| *other == seed).unwrap();
    assert!(
        tables[at] == place.tables(home),
        "mixed tables, seed {seed}"
    );
    true
}

/// Runs a script as root of its own mounts, with a folder `disk` to mount things on; `None` where that
/// is not allowed.
fn with_mounts(place: &Place, script: &str) -> Option<(i32, String, String)> {
    std::fs::create_dir_all(place.path().join("disk")).unwrap();
    let shell = |script: &str| {
        let mut command = Command::new("unshare");
        command.args([
            "--mount",
            "bash",
            "-ec",
            script,
            "bash",
            crate::setup::PROGRAM,
        ]);
        command.current_dir(place.path()).env("NO_COLOR", "1");
        command.stdin(Stdio::null()).output().ok().map(answer)
    };
    let allowed = shell("mount -t tmpfs -o size=64k tmpfs disk");
    if allowed.is_none_or(|(code, ..)| code != 0) {
        eprintln!("skipped: mounting is not allowed here");
        return None;
    }
    shell(script)
}

#[test]
fn a_disk_that_fills_up_keeps_the_earlier_result() {
    let place = small();
    // Tables and a figure take about 150 kB, and the second run needs its room beside the first.
    let script = r#"
        mount -t tmpfs -o size=220k tmpfs disk
        "$1" run small.toml --out disk --quiet
        (cd disk && find . -type f | sort | xargs md5sum) >before
        ! "$1" run small.toml --seed 2 --set run.test.grid=2000 --out disk 2>words
        ! "$1" run small.toml --seed 2 --set run.test.grid=2000 --out disk --shard 1/2 2>>words
        rm -rf disk/small/shard-1-of-2
        (cd disk && find . -type f | sort | xargs md5sum) >after
        cmp before after
        "$1" run small.toml --seed 3 --set run.test.grid=5 --set figure=[] --out disk --quiet
    "#;
    let Some((code, out, err)) = with_mounts(&place, script) else {
        return;
    };
    assert_eq!(code, 0, "{out}{err}{}", place.read("words"));
    let words = place.read("words");
    assert_eq!(
        words.matches("× cannot write disk/small").count(),
        2,
        "{words}"
    );
    assert!(words.contains("No space left"), "{words}");
}

#[test]
fn a_folder_that_is_read_only_is_told_at_once() {
    let place = small();
    // So many resamples that only an error before the run comes in time.
    let long = "--resamples 1000000000000";
    let script = format!(
        r#"
        mount -t tmpfs tmpfs disk
        "$1" run small.toml --out disk --quiet
        mount -o remount,ro disk
        "$1" verify disk/small
        ! timeout 60 "$1" run small.toml {long} --out disk 2>words
        ! timeout 60 "$1" run small.toml {long} --out disk --shard 1/2 2>>words
        ! "$1" draw disk/small 2>>words
        ! "$1" figures small.toml --seed 2 --out disk >>words 2>&1
        ! (cd disk && "$1" new mine 2>>../words)
        ! "$1" merge nowhere --out disk 2>>words
        "#
    );
    let Some((code, out, err)) = with_mounts(&place, &script) else {
        return;
    };
    let words = place.read("words");
    assert_eq!(code, 0, "{out}{err}{words}");
    assert!(
        words.matches("Read-only file system").count() >= 4,
        "{words}"
    );
    assert!(words.contains("cannot write disk/small"), "{words}");
}

#[test]
fn a_folder_of_results_may_be_a_mount_point() {
    let place = small();
    let script = r#"
        mkdir disk/small
        mount -t tmpfs tmpfs disk/small
        "$1" run small.toml --out disk --quiet
        "$1" run small.toml --seed 2 --out disk --quiet
        mountpoint -q disk/small
        "$1" verify disk/small
        ls -A disk/small
    "#;
    let Some((code, out, err)) = with_mounts(&place, script) else {
        return;
    };
    assert_eq!(code, 0, "{out}{err}");
    assert!(
        out.contains("as written") && !out.contains(".bvlab"),
        "{out}"
    );
}

#[test]
fn few_open_files_are_enough_or_too_few_is_said() {
    let place = small();
    let tables = undisturbed(&place, &["1", "2"]);
    place.done(&seeded("1"));
    let mut done = 0;
    for limit in 3..12 {
        let mut run = place.after(&format!("ulimit -n {limit}"), &seeded("2"));
        let (code, out, err) = answer(run.output().unwrap());
        assert!(assert_whole(&place, "results/small", &["1", "2"], &tables));
        match code {
            0 => done += 1,
            _ => assert!(!err.is_empty(), "{limit}: {out}"),
        }
    }
    assert!(done > 2, "{done} runs were done");
}

/// A library between the program and the clock, where there is one.
#[test]
fn no_clock_changes_a_result() {
    let place = small();
    let tables = undisturbed(&place, &["1"]);
    for clock in [
        "1960-01-01 00:00:00",
        "@2262-04-11 00:00:00 x1000",
        // Backwards, ten times as fast.
        "@2000-01-01 00:00:00 x-10",
        "-1d i-3600",
    ] {
        let mut run = Command::new("faketime");
        run.args(["-f", clock, crate::setup::PROGRAM]);
        run.args(seeded("1")).current_dir(place.path());
        run.env("BVLAB_SAVE_SECONDS", "0");
        let Ok(output) = run.output() else {
            eprintln!("skipped: faketime is missing");
            break;
        };
        let (code, _, err) = answer(output);
        assert_eq!(code, 0, "{clock}: {err}");
        assert!(tables[0] == place.tables("results/small"), "{clock}");
    }
    // Nor do the dates of files: what was made is told by its content.
    let figures = ["figures", "small.toml", "--seed", "1"];
    place.done(&figures);
    for date in ["1971-01-01", "2037-01-01"] {
        let files = place.files().into_iter().filter(|f| f.contains("small"));
        let touched = Command::new("touch")
            .args(["-d", date])
            .args(files)
            .current_dir(place.path())
            .status();
        assert!(touched.unwrap().success());
        let (out, _) = place.done(&figures);
        assert!(out.contains("reused"), "{out}");
    }
}

#[test]
fn several_runs_into_one_folder_leave_the_result_of_one() {
    let place = small();
    let seeds = ["1", "2", "3", "4"];
    let tables = undisturbed(&place, &seeds);
    for round in 0..6 {
        let start = |seed: &&str| {
            let mut run = place.command(&seeded(seed));
            run.stdout(Stdio::null()).stderr(Stdio::piped());
            run.spawn().unwrap()
        };
        let children: Vec<Child> = seeds.iter().map(start).collect();
        for child in children {
            let (code, _, err) = answer(child.wait_with_output().unwrap());
            assert_eq!(code, 0, "round {round}: {err}");
        }
        assert!(assert_whole(&place, "results/small", &seeds, &tables));
        let hidden = place.files().into_iter().filter(|file| file.contains("/."));
        assert_eq!(
            hidden.collect::<Vec<_>>(),
            Vec::<String>::new(),
            "round {round}"
        );
    }
}

/// A slow disk: one run ends while another is putting its files in their place.
#[test]
fn a_run_that_ends_in_the_midst_of_another_waits_for_it() {
    let place = small();
    let seeds = ["1", "2"];
    let tables = undisturbed(&place, &seeds);
    let Some(mut slow) = straced(&place, "inject=rename:delay_exit=100000", &seeded("1")) else {
        return;
    };
    let mut slow = slow.spawn().unwrap();
    while !place.has("results/small/curves.csv") && slow.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    place.done(&seeded("2"));
    assert!(slow.wait().unwrap().success());
    assert!(assert_whole(&place, "results/small", &seeds, &tables));
}

#[test]
fn several_runs_of_one_experiment_share_what_is_saved() {
    let place = small();
    let many = ["run", "small.toml", "--resamples", "20000"];
    place.done(&[&many[..], &["--out", "alone"]].concat());
    let start = || {
        let mut run = place.command(&many);
        run.stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    for round in 0..3 {
        let mut killed = start();
        let others = [start(), start()];
        std::thread::sleep(Duration::from_millis(30 * round));
        let _ = killed.kill();
        let _ = killed.wait();
        for other in others {
            let (code, _, err) = answer(other.wait_with_output().unwrap());
            assert_eq!(code, 0, "{err}");
        }
        assert!(place.tables("alone/small") == place.tables("results/small"));
    }
}

/// A run whose calls to rename are interfered with; `None` where that is not possible.
fn straced(place: &Place, inject: &str, arguments: &[&str]) -> Option<Command> {
    let strace = |program: &str, arguments: &[&str]| {
        let mut run = Command::new("strace");
        run.args([
            "-f",
            "-qq",
            "-o",
            "/dev/null",
            "-e",
            "trace=rename",
            "-e",
            inject,
        ]);
        run.arg(program).args(arguments).current_dir(place.path());
        // Nothing is saved on the way, so that all renaming is that of the result.
        run.env("BVLAB_SAVE_SECONDS", "1000").stdin(Stdio::null());
        run
    };
    let possible = strace("true", &[]).output();
    if !possible.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: strace is missing, or not allowed here");
        return None;
    }
    Some(strace(crate::setup::PROGRAM, arguments))
}

#[test]
fn a_run_that_is_killed_at_any_moment_leaves_no_mixture() {
    let place = small();
    let seeds = ["1", "2", "3"];
    let tables = undisturbed(&place, &seeds);
    let mut random = algorithm(11);
    place.done(&seeded("1"));
    let mut seen = 0;
    for round in 0..20 {
        let mut child = place
            .command(&seeded(seeds[round % 3]))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(random.random_range(5..500)));
        let _ = child.kill();
        let _ = child.wait();
        seen += usize::from(assert_whole(&place, "results/small", &seeds, &tables));
    }
    assert!(seen > 0, "no result was left");
    place.done(&seeded("1"));
    assert!(tables[0] == place.tables("results/small"));
}
