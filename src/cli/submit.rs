//! `bvlab submit`: shards as jobs of a cluster.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;

use super::load::Changes;
use super::options::{Output, thread_count};
use super::{Failure, shards};
use crate::decompose::groups_for;
use crate::engine::Shard;
use crate::experiment::Experiment;
use crate::learner::Registry;
use crate::outcome::files::{refuse_link, write_whole};

/// Run an experiment on a cluster: an array of jobs, one per shard, and one that merges them.
///
/// Scripts, logs and a copy of the experiment go to results/NAME/slurm/, shards and the result to
/// results/NAME/ as `bvlab run --shard` and `bvlab merge` put them. All machines must see that folder
/// and this program under the same paths. If a shard fails or is interrupted, give the same
/// command again: it continues from its saved progress.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct SubmitCommand {
    /// The experiment: a file, or the name of one that ships with bvlab
    #[arg(value_name = "FILE")]
    file: String,

    /// Submit to Slurm, with sbatch
    #[arg(long, required = true)]
    slurm: bool,

    /// Number of shards, one job each (default: 24, or as many as there are groups)
    #[arg(long, value_name = "N")]
    shards: Option<usize>,

    /// Options for sbatch, for all jobs: --sbatch '--partition=short --time=1:00:00'
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    sbatch: Vec<String>,

    /// Print the scripts; write and submit nothing
    #[arg(long)]
    dry_run: bool,

    /// Folder for the results
    #[arg(long, value_name = "DIR", default_value = "results")]
    out: PathBuf,

    #[command(flatten)]
    changes: Changes,

    /// Threads, and therefore cores, of each job
    #[arg(long, value_name = "N", default_value = "1", value_parser = thread_count())]
    threads: u16,

    #[command(flatten)]
    output: Output,
}

const EXAMPLES: &str = "\
Examples:
  bvlab submit --slurm mine.toml                        24 jobs of one core, then a merge
  bvlab submit --slurm mine.toml --shards 6 --threads 4 --sbatch '--partition=short --time=1:00:00'
  bvlab submit --slurm mine.toml --dry-run              what would be submitted";

impl SubmitCommand {
    /// Writes the scripts and submits them.
    pub fn execute(&self, registry: &Registry) -> Result<(), Failure> {
        let experiment = self.changes.load(&self.file, registry)?;
        shards::shareable(&experiment)?;
        let jobs = self.jobs(&experiment)?;
        if self.dry_run {
            return Ok(io::stdout().write_all(jobs.told().as_bytes())?);
        }
        // Found out before anything is written.
        sbatch(Path::new("."), &["--version"])?;
        refuse_link(&jobs.folder).map_err(Failure::failed)?;
        let text = experiment.source.file_text();
        for (file, content) in [
            (&jobs.experiment, text),
            (&jobs.folder.join(SHARDS), &jobs.shards),
            (&jobs.folder.join(MERGE), &jobs.merge),
        ] {
            write_whole(file, content.as_bytes()).map_err(Failure::failed)?;
        }
        if let (Some(copy), Some(table)) = (&jobs.table, experiment.source.table()) {
            write_whole(copy, &table.bytes).map_err(Failure::failed)?;
        }
        let array = sbatch(&jobs.folder, &["--parsable", SHARDS])?;
        let after = format!("--dependency=afterok:{array}");
        let merge =
            sbatch(&jobs.folder, &["--parsable", &after, MERGE]).map_err(
                |failure| match failure {
                    Failure::Failed(report) => Failure::Failed(report.wrap_err(format!(
                        "the shards are submitted as job {array}, but not the job that merges them \
                     (`scancel {array}` takes them back)"
                    ))),
                    other => other,
                },
            )?;
        if !self.output.quiet {
            writeln!(
                io::stdout(),
                "{}: {} as job {array}, merged by job {merge}\n→ {}/: scripts and logs",
                experiment.name,
                match jobs.count {
                    1 => "1 shard".to_owned(),
                    count => format!("{count} shards"),
                },
                jobs.folder.display()
            )?;
        }
        Ok(())
    }

    fn jobs(&self, experiment: &Experiment) -> Result<Jobs, Failure> {
        let groups = groups_for(experiment.task.most_resamples());
        let count = self.shards.unwrap_or(groups);
        if !(1..=groups).contains(&count) {
            return Err(Failure::wrong(miette::miette!(
                "`{}` can be divided into 1 to {groups} shards, not {count}",
                experiment.name
            )));
        }
        if self.sbatch.iter().any(|options| options.contains('\n')) {
            return Err(Failure::wrong(miette::miette!(
                "options for sbatch must be on one line"
            )));
        }
        let cannot = |error: io::Error| {
            let out = self.out.display();
            Failure::failed(miette::miette!(
                "cannot find {out} or this program: {error}"
            ))
        };
        let out = std::path::absolute(&self.out).map_err(cannot)?;
        let program = std::env::current_exe().map_err(cannot)?;
        let home = out.join(&experiment.name);
        let folder = home.join("slurm");
        // A copy, because jobs may start long after the file was changed again.
        let copy = folder.join(format!("{}.toml", experiment.name));
        let mut run = vec![quoted(&program)?, "run".to_owned(), quoted(&copy)?];
        for set in experiment.source.sets() {
            run.extend(["--set".to_owned(), quoted(Path::new(&set))?]);
        }
        let table = experiment.source.table();
        let table = table.map(|table| folder.join(table.copy_name()));
        if let Some(table) = &table {
            run.push(format!("--set problem.table={}", quoted(table)?));
        }
        let end = format!("--out {} --threads {}", quoted(&out)?, self.threads);
        run.push(end.clone());
        run.push(format!("--shard \"$SLURM_ARRAY_TASK_ID/{count}\""));
        let mut merge = vec![quoted(&program)?, "merge".to_owned()];
        for index in 1..=count {
            let shard = Shard { index, of: count };
            merge.push(quoted(&shards::folder(&home, shard))?);
        }
        merge.push(end);
        let formats: Vec<&str> = self.output.format.iter().map(|f| f.ending()).collect();
        merge.push(format!("--format {}", formats.join(",")));
        if self.output.overwrite {
            merge.push("--overwrite".to_owned());
        }
        // Slurm has its own rules for quotes and percent signs.
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let name = experiment.name.replace(|c| !plain(c), "_");
        let array = [
            format!("--job-name=bvlab-{name}"),
            format!("--array=1-{count}"),
            "--output=shard-%a.log".to_owned(),
            "--requeue".to_owned(),
        ];
        let one = [
            format!("--job-name=bvlab-{name}-merge"),
            "--kill-on-invalid-dep=yes".to_owned(),
            "--output=merge.log".to_owned(),
        ];
        Ok(Jobs {
            count,
            experiment: copy,
            table,
            shards: self.script(&array, &run),
            merge: self.script(&one, &merge),
            folder,
        })
    }

    /// A script for sbatch; what the user asks for comes last, and so wins.
    fn script(&self, options: &[String], command: &[String]) -> String {
        let shared = [
            format!("--cpus-per-task={}", self.threads),
            "--open-mode=append".to_owned(),
        ];
        let options = options.iter().chain(&shared).chain(&self.sbatch);
        let options: String = options
            .map(|option| format!("#SBATCH {option}\n"))
            .collect();
        format!("#!/bin/sh\n{options}exec {}\n", command.join(" \\\n  "))
    }
}

const SHARDS: &str = "shards.sh";
const MERGE: &str = "merge.sh";

/// What is submitted.
struct Jobs {
    count: usize,
    /// Where scripts and logs are.
    folder: PathBuf,
    /// Where the copy of the experiment is.
    experiment: PathBuf,
    /// Where the copy of its table is, if it has one.
    table: Option<PathBuf>,
    /// The script of the array.
    shards: String,
    /// The script of the job after it.
    merge: String,
}

impl Jobs {
    /// What would be done, in words that a shell would understand.
    fn told(&self) -> String {
        let folder = self.folder.display();
        let file = |name: &str, text: &str| format!("# {folder}/{name}\n{text}\n");
        format!(
            "{}{}# in {folder}, beside a copy of the experiment\nsbatch --parsable {SHARDS}\nsbatch \
             --parsable --dependency=afterok:JOB {MERGE}\n",
            file(SHARDS, &self.shards),
            file(MERGE, &self.merge)
        )
    }
}

/// Calls sbatch in a folder; returns what it printed, which is the number of a job.
fn sbatch(folder: &Path, arguments: &[&str]) -> Result<String, Failure> {
    let called = Command::new("sbatch")
        .args(arguments)
        .current_dir(folder)
        .output();
    let output = called.map_err(|error| {
        Failure::failed(miette::miette!(
            help = "submit on a machine of the cluster; --dry-run prints the scripts, `bvlab run --shard 1/4` computes a shard anywhere",
            "cannot call sbatch: {error}"
        ))
    })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(Failure::failed(miette::miette!(
            "sbatch {} failed: {}",
            arguments.join(" "),
            said.trim()
        )));
    }
    let said = String::from_utf8_lossy(&output.stdout);
    // Where there are several clusters: `job;cluster`.
    let job = said.trim().split(';').next().unwrap_or_default();
    Ok(job.to_owned())
}

/// A word that a shell takes as it is.
fn quoted(word: &Path) -> Result<String, Failure> {
    let text = word.to_str().ok_or_else(|| {
        Failure::wrong(miette::miette!(
            "{} is not valid text, so it cannot be put into a script",
            word.display()
        ))
    })?;
    Ok(format!("'{}'", text.replace('\'', r"'\''")))
}
