//! What an experiment gave, whether it has learners or is a simulation.

use super::report::{self, Report};
use super::{Table, Tables, simulated};
use crate::decompose::groups_for;
use crate::engine::{self, Observer, Options, Results, RunError};
use crate::experiment::{Experiment, Length};
use crate::simulation::{self, Row};

/// What an experiment gave.
#[derive(Clone, Debug)]
pub enum Done {
    /// The decompositions of its learners.
    Results(Box<Results>),
    /// The rows of a simulation.
    Simulated {
        /// One per panel, series and x.
        rows: Vec<Row>,
        /// How many resamples they come from.
        resamples: u64,
    },
}

impl Done {
    /// Runs an experiment, of either kind; `options` is asked for those of every slab.
    ///
    /// # Errors
    ///
    /// As [`engine::run`].
    pub fn make<'a>(
        experiment: &Experiment,
        observer: &dyn Observer,
        options: &dyn Fn(usize) -> Options<'a>,
    ) -> Result<Self, RunError> {
        match (&experiment.simulation, experiment.run.length) {
            (Some(setup), Length::Resamples(resamples)) => {
                let seed = experiment.run.seed;
                let rows = simulation::run(setup, resamples, seed, observer)?;
                Ok(Done::Simulated { rows, resamples })
            }
            _ => engine::run_in_slabs(experiment, options).map(|r| Done::Results(Box::new(r))),
        }
    }

    /// All its tables.
    pub fn tables(&self, experiment: &Experiment) -> Tables {
        match self {
            Done::Results(results) => Tables::new(experiment, results),
            Done::Simulated { rows, .. } => Tables::of_simulation(rows),
        }
    }

    /// The table that it is about.
    pub fn main_table(&self, experiment: &Experiment) -> Table {
        match self {
            Done::Results(results) => Tables::curves(experiment, results),
            Done::Simulated { rows, .. } => Tables::of_simulation(rows).simulation,
        }
    }

    /// How many resamples there were, and in how many groups.
    pub fn counts(&self) -> (u64, usize) {
        match self {
            Done::Results(results) => (results.resamples, groups_for(results.resamples)),
            // The error bars of a simulation come from single resamples.
            Done::Simulated { resamples, .. } => (*resamples, *resamples as usize),
        }
    }

    /// With a wanted precision: what was reached.
    pub fn reached(&self) -> Option<f64> {
        match self {
            Done::Results(results) => results.reached,
            Done::Simulated { .. } => None,
        }
    }

    /// What the run has to say.
    pub fn report(&self, experiment: &Experiment, seconds: f64) -> Report {
        match (self, &experiment.simulation) {
            (Done::Simulated { rows, resamples }, Some(setup)) => {
                simulated::report(experiment, setup, rows, *resamples, seconds)
            }
            (Done::Results(results), _) => report::report(experiment, results, seconds),
            (Done::Simulated { .. }, None) => Report::default(),
        }
    }
}
