//! `bvlab run`: from an experiment to tables and figures.

use std::io::{self, Write};
use std::path::Path;

use clap::Args;

use super::options::{Output, Work};
use super::progress::{Progress, watch_interrupts};
use super::{Failure, shards};
use crate::engine::{Observer, Shard};
use crate::experiment::Experiment;
use crate::lab::Recorder;
use crate::learner::Registry;
use crate::make::{FinishedResult, RequestedFiles, compute, compute_shard};
use crate::outcome::{CheckedClaim, Verdict};

/// Run experiments: tables and figures go to results/NAME/.
///
/// A FILE is a TOML file, or the name of an experiment that ships with bvlab (see `bvlab list`).
/// The same file and seed give the same tables to the last bit, on any number of threads.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct RunCommand {
    /// Experiments: files, or names of experiments that ship with bvlab
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,

    #[command(flatten)]
    work: Work,

    #[command(flatten)]
    output: Output,

    /// Also write page.html: the live page of this run, in one file that computes by itself
    #[arg(long, conflicts_with = "shard")]
    page: bool,

    /// End with exit code 1 if a claim of an experiment is refuted
    #[arg(long, conflicts_with = "shard")]
    strict: bool,

    /// Compute only a part of the groups, as in 2/4; `bvlab merge` joins the parts
    #[arg(long, value_name = "I/N", value_parser = shards::parse)]
    shard: Option<Shard>,
}

const EXAMPLES: &str = "\
Examples:
  bvlab run tree-tradeoff                          an experiment that ships with bvlab
  bvlab run mine.toml --resamples 10000 --seed 7   more training sets, another seed
  bvlab run mine.toml --set problem.train=50       change any key
  bvlab run mine.toml --page                       and a live page in one file
  bvlab run mine.toml --strict                     fail if a claim is refuted
  bvlab run mine.toml --shard 2/4                  a quarter of the work; see bvlab merge
  bvlab run mine.toml --set 'problem.noise = { normal = 1 }' --format png,svg --out slides";

impl RunCommand {
    /// Runs every experiment; all are checked before the first is run.
    pub fn execute(&self, registry: &Registry) -> Result<(), Failure> {
        let load = |file: &String| self.work.changes.load(file, registry);
        let experiments: Vec<Experiment> = self.files.iter().map(load).collect::<Result<_, _>>()?;
        for (i, experiment) in experiments.iter().enumerate() {
            let same = |other: &Experiment| other.name == experiment.name;
            if experiments[..i].iter().any(same) {
                return Err(Failure::wrong(miette::miette!(
                    help = "rename one of the files: results are stored in a folder of that name",
                    "two experiments are called `{}`",
                    experiment.name
                )));
            }
        }
        watch_interrupts();
        let mut claims = Vec::new();
        for experiment in &experiments {
            match self.shard {
                None => claims.extend(self.run(experiment)?),
                Some(shard) => self.run_shard(experiment, shard)?,
            }
        }
        let is_refuted = |claim: &&CheckedClaim| claim.verdict == Verdict::Refuted;
        match claims.iter().filter(is_refuted).count() {
            refuted if refuted > 0 && self.strict => Err(Failure::failed(miette::miette!(
                help = "tables and figures are written; without --strict this is a warning",
                "{refuted} of {} claims refuted",
                claims.len()
            ))),
            _ => Ok(()),
        }
    }

    /// Runs one shard, whose groups stay in a folder of their own for `bvlab merge`.
    fn run_shard(&self, experiment: &Experiment, shard: Shard) -> Result<(), Failure> {
        shards::shareable(experiment)?;
        let home = self.work.out.join(&experiment.name);
        let folder = shards::folder(&home, shard);
        let progress = Progress::new(self.output.quiet);
        progress.begin(&experiment.name, experiment.task.most_resamples());
        let done = compute_shard(
            experiment,
            shard,
            (&home, &folder),
            self.work.threads.count(),
            self.output.overwrite,
            (&progress, &progress),
        );
        progress.finish();
        done?;
        if !self.output.quiet {
            writeln!(
                io::stdout(),
                "shard {} of {} of {} → {}/",
                shard.index,
                shard.of,
                experiment.name,
                folder.display()
            )?;
        }
        Ok(())
    }

    fn run(&self, experiment: &Experiment) -> Result<Vec<CheckedClaim>, Failure> {
        let home = self.work.out.join(&experiment.name);
        let progress = Progress::new(self.output.quiet);
        progress.begin(&experiment.name, experiment.task.most_resamples());
        let recorder = self.page.then(|| Recorder::new(experiment, &progress));
        let observer: &dyn Observer = match &recorder {
            Some(recorder) => recorder,
            None => &progress,
        };
        let threads = self.work.threads.count();
        let wanted = RequestedFiles {
            formats: &self.output.format,
            page: self.page,
            overwrite: self.output.overwrite,
        };
        let computed = compute(experiment, &home, threads, wanted, &progress, observer);
        progress.finish();
        let finished = computed?.write(&self.output.format, recorder.as_ref(), &progress)?;
        tell(&finished, &experiment.name, &home, self.output.quiet)?;
        Ok(finished.claims)
    }
}

/// Prints what a run has to say of an experiment, and where the files are.
pub fn tell(
    finished: &FinishedResult,
    name: &str,
    home: &Path,
    quiet: bool,
) -> Result<(), Failure> {
    if !quiet {
        io::stdout().write_all(finished.report.text.as_bytes())?;
        io::stdout().write_all(files_line(home, &finished.files).as_bytes())?;
    }
    for warning in &finished.report.warnings {
        writeln!(io::stderr(), "warning: {name}: {warning}")?;
    }
    Ok(())
}

/// Where the files are.
pub fn files_line(home: &Path, files: &[String]) -> String {
    format!("→ {}/: {}\n", home.display(), files.join(", "))
}
