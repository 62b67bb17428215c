//! `bvlab submit`, as far as no cluster is needed: tests/slurm/run.sh has a real one.

use crate::setup::Place;

const LITTLE: &str = r#"
    problem = { truth = "x", inputs = { uniform = [0, 1] }, noise = { normal = 1 }, train = 9 }
    learner = [{ knn = { k = 2 } }]
    run     = { resamples = 100, test = { grid = 5 } }
"#;

#[test]
fn a_dry_run_prints_scripts_and_writes_nothing() {
    let place = Place::with(&[("it's mine.toml", LITTLE)]);
    let (out, _) = place.done(&[
        "submit",
        "--slurm",
        "it's mine.toml",
        "--shards",
        "3",
        "--threads",
        "2",
        "--seed",
        "7",
        "--format",
        "svg,pdf",
        "--sbatch",
        "--partition=short --time=1:00",
        "--dry-run",
    ]);
    let folder = place.path().display();
    for words in [
        "#SBATCH --array=1-3\n".to_owned(),
        "#SBATCH --cpus-per-task=2\n".to_owned(),
        "#SBATCH --partition=short --time=1:00\n".to_owned(),
        "#SBATCH --job-name=bvlab-it_s_mine\n".to_owned(),
        // A shell reads these as the paths they are.
        format!(r"'{folder}/results/it'\''s mine/slurm/it'\''s mine.toml'"),
        format!("--out '{folder}/results' --threads 2"),
        "--set \\\n  'run.seed=7'".to_owned(),
        "--shard \"$SLURM_ARRAY_TASK_ID/3\"".to_owned(),
        format!(r"'{folder}/results/it'\''s mine/shard-3-of-3'"),
        "--format svg,pdf".to_owned(),
        "--dependency=afterok:".to_owned(),
    ] {
        assert!(out.contains(&words), "no `{words}` in:\n{out}");
    }
    assert!(!out.contains("shard-4"), "{out}");
    assert_eq!(place.files(), ["it's mine.toml"]);
}

#[test]
fn what_cannot_be_shared_out_is_refused() {
    let place = Place::with(&[("little.toml", LITTLE)]);
    let refused = |arguments: &[&str], code: i32, words: &str| {
        let (got, out, err) = place.run(&[&["submit"], arguments].concat());
        assert_eq!((got, out.as_str()), (code, ""), "{arguments:?}: {err}");
        let err: Vec<&str> = err
            .split(['│', ' ', '\n'])
            .filter(|w| !w.is_empty())
            .collect();
        let err = err.join(" ");
        assert!(err.contains(words), "{arguments:?}: no `{words}` in {err}");
        assert_eq!(place.files(), ["little.toml"], "{arguments:?}");
    };
    refused(&["little.toml"], 2, "--slurm");
    refused(
        &["--slurm", "majority-vote"],
        2,
        "a simulation, which cannot be divided into shards",
    );
    let precise = "run={ precision = 0.1, max-resamples = 100 }";
    refused(
        &["--slurm", "little.toml", "--set", precise],
        2,
        "to a precision",
    );
    refused(
        &["--slurm", "little.toml", "--shards", "0"],
        2,
        "1 to 24 shards, not 0",
    );
    let few = [
        "--slurm",
        "little.toml",
        "--shards",
        "9",
        "--resamples",
        "8",
    ];
    refused(&few, 2, "1 to 8 shards, not 9");
    refused(
        &["--slurm", "little.toml", "--sbatch", "--a\n--b"],
        2,
        "on one line",
    );
    refused(&["--slurm", "none.toml"], 2, "cannot read none.toml");
}

/// A folder without sbatch, and one whose sbatch says no.
#[cfg(unix)]
#[test]
fn a_machine_without_slurm_is_told_apart_from_one_that_refuses() {
    use std::os::unix::fs::PermissionsExt;

    let submit = ["submit", "--slurm", "little.toml", "--shards", "2"];
    let place = Place::with(&[("little.toml", LITTLE)]).and("PATH", "/nowhere");
    let (code, _, err) = place.run(&submit);
    assert_eq!(code, 1);
    assert!(
        err.contains("cannot call sbatch") && err.contains("--dry-run"),
        "{err}"
    );
    assert_eq!(place.files(), ["little.toml"]);

    let says = |script: &str| {
        let place = Place::with(&[("little.toml", LITTLE), ("bin/sbatch", script)]);
        let path = place.path().join("bin");
        let sbatch = path.join("sbatch");
        std::fs::set_permissions(sbatch, PermissionsExt::from_mode(0o755)).unwrap();
        let place = place.and("PATH", &format!("{}:/usr/bin:/bin", path.display()));
        let (code, out, err) = place.run(&submit);
        let words: Vec<&str> = err
            .split([' ', '\n', '│'])
            .filter(|w| !w.is_empty())
            .collect();
        (code, out, words.join(" "))
    };
    let version = "#!/bin/sh\n[ $1 = --version ] && exit 0\n";
    let (code, _, err) = says(&format!("{version}echo no such partition >&2; exit 1"));
    assert_eq!(code, 1);
    assert!(err.contains("no such partition"), "{err}");
    let second = "case $* in *dependency*) echo too many jobs >&2; exit 1;; esac; echo '12;here'";
    let (code, _, err) = says(&format!("{version}{second}"));
    assert_eq!(code, 1);
    assert!(
        err.contains("scancel 12`") && err.contains("too many jobs"),
        "{err}"
    );
}
