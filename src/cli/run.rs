//! `bvlab run`: from an experiment to tables and figures.

use std::io::{self, Write};
use std::sync::Mutex;

use clap::Args;

use super::make::{VERSION, Wanted, compute, explain, go_on, save_every, saves};
use super::options::{Output, Work};
use super::progress::{Progress, watch_interrupts};
use super::{Failure, Format, shards};
use crate::engine::{self, GroupState, Observer, Options, Shard, most_resamples};
use crate::experiment::{Experiment, Figure};
use crate::figure;
use crate::lab::Recorder;
use crate::outcome::{OutcomeError, Parts, ShardNote, Staging, Tables, write_whole};

/// Run experiments: tables and figures go to results/NAME/.
///
/// A FILE is a TOML file, or the name of an experiment that ships with bvlab (see `bvlab list`).
/// The same file and seed give the same tables to the last digit, on any number of threads.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Run {
    /// Experiments: files, or names of experiments that ship with bvlab
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,

    #[command(flatten)]
    work: Work,

    #[command(flatten)]
    output: Output,

    /// Also write page.html: the live page of this run, in one file that needs no server
    #[arg(long, conflicts_with = "shard")]
    page: bool,

    /// Compute only a part of the groups, as in 2/4; `bvlab merge` joins the parts
    #[arg(long, value_name = "I/N", value_parser = shards::parse)]
    shard: Option<Shard>,
}

const EXAMPLES: &str = "\
Examples:
  bvlab run tree-tradeoff                          an experiment that ships with bvlab
  bvlab run mine.toml --resamples 10000 --seed 7   more training sets, other ones
  bvlab run mine.toml --set problem.train=50       change any key
  bvlab run mine.toml --page                       and a live page in one file
  bvlab run mine.toml --shard 2/4                  a quarter of the work; see bvlab merge
  bvlab run mine.toml --set 'problem.noise = { normal = 1 }' --format png,svg --out slides";

impl Run {
    /// Runs every experiment; all are checked before the first is run.
    pub fn execute(&self) -> Result<(), Failure> {
        let load = |file: &String| self.work.changes.load(file);
        let experiments: Vec<Experiment> = self.files.iter().map(load).collect::<Result<_, _>>()?;
        for (i, experiment) in experiments.iter().enumerate() {
            let same = |other: &Experiment| other.name == experiment.name;
            if experiments[..i].iter().any(same) {
                return Err(Failure::wrong(miette::miette!(
                    help = "rename one of the files: the name is that of the folder of results",
                    "two experiments are called `{}`",
                    experiment.name
                )));
            }
        }
        watch_interrupts();
        for experiment in &experiments {
            match self.shard {
                None => self.run(experiment)?,
                Some(shard) => self.run_shard(experiment, shard)?,
            }
        }
        Ok(())
    }

    /// Computes the groups of a shard into a folder of their own, in the experiment's.
    fn run_shard(&self, experiment: &Experiment, shard: Shard) -> Result<(), Failure> {
        shards::shareable(experiment)?;
        let home = self.work.out.join(&experiment.name);
        let folder = shards::folder(&home, shard);
        let unnamed = || Failure::failed(miette::miette!("the experiment has no hash"));
        let parts = Parts::new(&folder, experiment, VERSION).ok_or_else(unnamed)?;
        let progress = Progress::new(self.output.quiet);
        let mut note = ShardNote {
            bvlab: VERSION.to_owned(),
            name: experiment.name.clone(),
            experiment: experiment.source.file_text().to_owned(),
            set: experiment.source.sets(),
            shard: shard.index,
            of: shard.of,
            complete: false,
        };
        let table = experiment.source.table();
        let copy = table.map(|table| table.copy_name());
        let copies: Vec<String> = copy.into_iter().collect();
        ShardNote::refuse_foreign(&folder, &copies, self.output.overwrite)
            .and_then(|()| note.write(&folder))
            .map_err(Failure::failed)?;
        if let Some(table) = table {
            let copy = folder.join(table.copy_name());
            write_whole(&copy, &table.bytes).map_err(Failure::failed)?;
        }
        progress.begin(&experiment.name, most_resamples(experiment));
        let failure: Mutex<Option<OutcomeError>> = Mutex::new(None);
        let save = |slab: usize, state: &GroupState| {
            if let Err(error) = parts.of_slab(slab).save(state) {
                let mut failure = failure.lock().unwrap_or_else(|poison| poison.into_inner());
                *failure = Some(error);
            }
        };
        let saves = saves(experiment, &save);
        let done = engine::run_shard(experiment, shard, &|slab| Options {
            threads: self.work.threads.count(),
            observer: &progress,
            begun: go_on(experiment, &parts.of_slab(slab), slab, &progress),
            save: Some((&*saves[slab], save_every())),
        });
        progress.finish();
        drop(saves);
        done.map_err(|error| explain(&error, &home))?;
        // A shard that could not be saved is no shard.
        let failure = failure
            .into_inner()
            .unwrap_or_else(|poison| poison.into_inner());
        if let Some(error) = failure {
            return Err(Failure::failed(error));
        }
        note.complete = true;
        note.write(&folder).map_err(Failure::failed)?;
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

    fn run(&self, experiment: &Experiment) -> Result<(), Failure> {
        let home = self.work.out.join(&experiment.name);
        let progress = Progress::new(self.output.quiet);
        progress.begin(&experiment.name, most_resamples(experiment));
        let recorder = self.page.then(|| Recorder::new(experiment, &progress));
        let observer: &dyn Observer = match &recorder {
            Some(recorder) => recorder,
            None => &progress,
        };
        let threads = self.work.threads.count();
        let wanted = Wanted {
            formats: &self.output.format,
            page: self.page,
            overwrite: self.output.overwrite,
        };
        let computed = compute(experiment, &home, threads, wanted, &progress, observer);
        progress.finish();
        let finished = computed?.write(&self.output.format, recorder.as_ref())?;
        finished.tell(&experiment.name, &home, self.output.quiet)
    }
}

/// Draws figures into a result that is being written.
pub fn draw_all(
    experiment: &Experiment,
    figures: &[Figure],
    tables: &Tables,
    formats: &[Format],
    staging: &mut Staging,
) -> Result<(), Failure> {
    for figure in figures {
        let failed = |error: figure::FigureError| {
            Failure::failed(miette::miette!("cannot draw `{}`: {error}", figure.name))
        };
        let drawing = figure::draw(experiment, figure, tables).map_err(failed)?;
        for format in formats {
            let bytes = match format {
                Format::Png => drawing.to_png().map_err(failed)?,
                Format::Svg => drawing.to_svg().into_bytes(),
                Format::Pdf => drawing.to_pdf().map_err(failed)?,
            };
            let file = format.file(&figure.name);
            staging.write(&file, &bytes).map_err(|error| {
                let reason = std::error::Error::source(&error).map(ToString::to_string);
                Failure::failed(miette::miette!(
                    help = "check write permission and free disk space; `bvlab draw DIR` draws the figures of saved tables",
                    "cannot write {file}: {}",
                    reason.unwrap_or_default()
                ))
            })?;
        }
    }
    Ok(())
}
