//! `bvlab run`: from an experiment to tables and figures.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

use clap::Args;

use super::load::Changes;
use super::progress::{Progress, interrupted, uninterrupted, watch_interrupts};
use super::report::Report;
use super::{Failure, Format, report, simulate};
use crate::decompose::{groups_for, interval_factor};
use crate::engine::{self, Observer, Results, RunError};
use crate::experiment::{Experiment, Figure, Length};
use crate::figure;
use crate::outcome::{Manifest, Staging, Tables};
use crate::simulation::{self, Row, Setup};

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

    /// The folder that results go to
    #[arg(long, value_name = "DIR", default_value = "results")]
    out: PathBuf,

    #[command(flatten)]
    changes: Changes,

    /// How many threads to use (default: all cores)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// The formats of figures
    #[arg(long, value_delimiter = ',', default_value = "png")]
    format: Vec<Format>,

    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  bvlab run tree-tradeoff                          an experiment that ships with bvlab
  bvlab run mine.toml --resamples 10000 --seed 7   more training sets, other ones
  bvlab run mine.toml --set problem.train=50       change any key
  bvlab run mine.toml --set 'problem.noise = { normal = 1 }' --format png,svg --out slides";

impl Run {
    /// Runs every experiment; all are checked before the first is run.
    pub fn execute(&self) -> Result<(), Failure> {
        let load = |file: &String| self.changes.load(file);
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
            self.run(experiment)?;
        }
        Ok(())
    }

    fn run(&self, experiment: &Experiment) -> Result<(), Failure> {
        let home = self.out.join(&experiment.name);
        let mut staging = Staging::open(&home).map_err(Failure::failed)?;
        // A simulation runs on one.
        let threads = match experiment.simulation {
            Some(_) => 1,
            None => self.threads.map_or_else(cores, usize::from),
        };
        let total = match experiment.run.length {
            Length::Resamples(count) => count,
            Length::Precision { most, .. } => most,
        };
        let started = chrono::DateTime::<chrono::Utc>::from(SystemTime::now());
        let clock = Instant::now();
        let progress = Progress::new(&experiment.name, total, self.quiet);
        let done = compute(experiment, threads, &progress);
        progress.finish();
        let done = done.map_err(|error| explain(&error, &home))?;
        let seconds = clock.elapsed().as_secs_f64();
        let tables = done.tables(experiment);
        staging.write_tables(&tables).map_err(Failure::failed)?;
        draw_all(
            experiment,
            &experiment.figures,
            &tables,
            &self.format,
            &mut staging,
        )?;
        let (resamples, groups) = done.counts();
        if interrupted() {
            let (done, total) = (resamples, total);
            return Err(explain(&RunError::Stopped { done, total }, &home));
        }
        let manifest = Manifest {
            bvlab: env!("CARGO_PKG_VERSION").to_owned(),
            name: experiment.name.clone(),
            experiment: experiment.source.file_text().to_owned(),
            set: experiment.source.sets(),
            seed: experiment.run.seed,
            resamples,
            groups,
            t95: interval_factor(0.95, groups),
            precision: done.reached(),
            started: started.format("%Y-%m-%dT%H:%M:%SZ").to_string(),
            seconds,
            threads,
            files: Vec::new(),
        };
        let files = uninterrupted(|| staging.finish(manifest)).map_err(Failure::failed)?;
        let report = done.report(experiment, seconds);
        if !self.quiet {
            io::stdout().write_all(report.text.as_bytes())?;
            io::stdout().write_all(report::files(&home, &files).as_bytes())?;
        }
        for warning in &report.warnings {
            writeln!(io::stderr(), "warning: {}: {warning}", experiment.name)?;
        }
        Ok(())
    }
}

/// What an experiment or a simulation gave.
enum Done<'a> {
    Results(Box<Results>),
    Simulated {
        setup: &'a Setup,
        rows: Vec<Row>,
        resamples: u64,
    },
}

fn compute<'a>(
    experiment: &'a Experiment,
    threads: usize,
    observer: &dyn Observer,
) -> Result<Done<'a>, RunError> {
    match (&experiment.simulation, experiment.run.length) {
        (Some(setup), Length::Resamples(resamples)) => Ok(Done::Simulated {
            setup,
            rows: simulation::run(setup, resamples, experiment.run.seed, observer)?,
            resamples,
        }),
        _ => engine::run(experiment, threads, observer).map(|r| Done::Results(Box::new(r))),
    }
}

impl Done<'_> {
    fn tables(&self, experiment: &Experiment) -> Tables {
        match self {
            Done::Results(results) => Tables::new(experiment, results),
            Done::Simulated { rows, .. } => Tables::of_simulation(rows),
        }
    }

    /// How many resamples there were, and in how many groups.
    fn counts(&self) -> (u64, usize) {
        match self {
            Done::Results(results) => (results.resamples, groups_for(results.resamples)),
            // The error bars of a simulation come from single resamples.
            Done::Simulated { resamples, .. } => (*resamples, *resamples as usize),
        }
    }

    fn reached(&self) -> Option<f64> {
        match self {
            Done::Results(results) => results.reached,
            Done::Simulated { .. } => None,
        }
    }

    fn report(&self, experiment: &Experiment, seconds: f64) -> Report {
        match self {
            Done::Results(results) => report::report(experiment, results, seconds),
            Done::Simulated {
                setup,
                rows,
                resamples,
            } => simulate::report(experiment, setup, rows, *resamples, seconds),
        }
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
            let (ending, bytes) = match format {
                Format::Png => ("png", drawing.to_png().map_err(failed)?),
                Format::Svg => ("svg", drawing.to_svg().into_bytes()),
                Format::Pdf => ("pdf", drawing.to_pdf().map_err(failed)?),
            };
            let file = format!("{}.{ending}", figure.name);
            staging.write(&file, &bytes).map_err(Failure::failed)?;
        }
    }
    Ok(())
}

fn explain(error: &RunError, home: &Path) -> Failure {
    let kept = match home.join("manifest.json").exists() {
        true => format!(
            "nothing was written; {} still holds the result of an earlier run",
            home.display()
        ),
        false => "nothing was written".to_owned(),
    };
    let help = match error {
        RunError::Stopped { .. } => kept,
        RunError::Problem(..) => {
            format!("make truth and noise finite wherever an input can fall; {kept}")
        }
        RunError::Learner { .. } => {
            format!("try a less extreme setting, or another scale of the data; {kept}")
        }
        RunError::Threads(_) => format!("ask for fewer with --threads; {kept}"),
    };
    Failure::failed(miette::miette!(help = help, "{error}"))
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}
