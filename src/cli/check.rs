//! `bvlab check`: reads experiments without running them.

use std::io::{self, Write};

use clap::Args;

use super::Failure;
use super::load::Changes;
use crate::experiment::Experiment;
use crate::learner::Registry;
use crate::plan::Length;
use crate::task::Task;
use bvlab_core::words::{number, printable, thousands};

/// Check experiments without running them.
///
/// Every file is checked; the first error of each is shown with its line.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bvlab check experiments/*.toml")]
pub struct CheckCommand {
    /// Experiments: files, or names of experiments that ship with bvlab
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,

    #[command(flatten)]
    changes: Changes,
}

impl CheckCommand {
    /// Checks every file.
    pub fn execute(&self, registry: &Registry) -> Result<(), Failure> {
        let mut wrong = Vec::new();
        for file in &self.files {
            match self.changes.load(file, registry) {
                Ok(experiment) => {
                    let (file, summary) = (printable(file), summary(&experiment));
                    writeln!(io::stdout(), "{file}: ok, {summary}")?;
                }
                Err(Failure::Wrong(report)) => wrong.push((file, report)),
                Err(other) => return Err(other),
            }
        }
        if self.files.len() == 1
            && let Some((_, report)) = wrong.pop()
        {
            return Err(Failure::Wrong(report));
        }
        for (_, report) in &wrong {
            writeln!(io::stderr(), "{report:?}")?;
        }
        match wrong.len() {
            0 => Ok(()),
            count => Err(Failure::wrong(miette::miette!(
                "{count} of {} experiments have errors",
                self.files.len()
            ))),
        }
    }
}

fn summary(experiment: &Experiment) -> String {
    let plan = match &experiment.task {
        Task::Study(plan) => plan,
        Task::Simulation(setup) => {
            let (name, drawn) = (setup.simulation.name, setup.simulation.resamples);
            return format!("{name}; {} {drawn}", thousands(setup.resamples));
        }
    };
    let learners = plan.curves().map(|curve| {
        let axes = curve.axes.iter();
        let axes = axes.map(|axis| format!("{} values of {}", axis.values.len(), axis.name));
        match axes.collect::<Vec<_>>().join(" × ") {
            axes if axes.is_empty() => curve.name.clone(),
            axes => format!("{} over {axes}", curve.name),
        }
    });
    let length = match plan.run.length {
        Length::Resamples(count) => format!("{} training sets", thousands(count)),
        Length::Precision { share, most } => {
            format!(
                "a precision of {}, at most {} training sets",
                number(share),
                thousands(most)
            )
        }
    };
    let learners = learners.collect::<Vec<_>>().join("; ");
    format!(
        "{learners}; {length} of {} points",
        plan.describe().train_sizes()
    )
}
