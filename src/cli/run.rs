//! `bvlab run`: from an experiment to tables and figures.

use std::io::{self, Write};

use clap::Args;

use super::make::{compute, most_resamples};
use super::options::{Output, Work};
use super::progress::{Progress, watch_interrupts};
use super::{Failure, Format, report};
use crate::experiment::{Experiment, Figure};
use crate::figure;
use crate::outcome::{Staging, Tables};

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
            self.run(experiment)?;
        }
        Ok(())
    }

    fn run(&self, experiment: &Experiment) -> Result<(), Failure> {
        let home = self.work.out.join(&experiment.name);
        let progress = Progress::new(self.output.quiet);
        progress.begin(&experiment.name, most_resamples(experiment));
        let computed = compute(experiment, &home, self.work.threads(), &progress);
        progress.finish();
        let finished = computed?.write(&self.output.format)?;
        if !self.output.quiet {
            io::stdout().write_all(finished.report.text.as_bytes())?;
            io::stdout().write_all(report::files(&home, &finished.files).as_bytes())?;
        }
        for warning in &finished.report.warnings {
            writeln!(io::stderr(), "warning: {}: {warning}", experiment.name)?;
        }
        Ok(())
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
