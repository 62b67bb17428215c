//! What an experiment computes, a study or a simulation, and how either is run.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::decompose::groups_for;
use crate::engine::{self, GroupState, Options, Results, RunError};
use crate::plan::{Plan, StudyDescription};
use crate::simulation::{self, Row, Setup, SimulationDescription};

/// What an experiment computes.
#[derive(Clone)]
pub enum Task {
    /// Learners on a problem.
    Study(Arc<Plan>),
    /// A simulation.
    Simulation(Setup),
}

/// The result of a task.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Of a study.
    Study(Box<Results>),
    /// Of a simulation.
    Simulation {
        /// The rows of its table.
        rows: Vec<Row>,
        /// How many resamples there were.
        resamples: u64,
    },
}

/// What the tables of a task contain: enough to draw and label them.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Description {
    /// Of a study.
    Study(StudyDescription),
    /// Of a simulation.
    Simulation(SimulationDescription),
}

impl Task {
    /// Computes it. A simulation runs on one thread and always starts from the beginning, whatever the
    /// options say.
    ///
    /// # Errors
    ///
    /// If it is stopped, or if the problem or a learner returns a value that is not finite.
    pub fn run(&self, options: Options) -> Result<Outcome, RunError> {
        match self {
            Task::Study(plan) => {
                let results = engine::run_with(plan, options)?;
                Ok(Outcome::Study(Box::new(results)))
            }
            Task::Simulation(setup) => Ok(Outcome::Simulation {
                rows: simulation::run(setup, options.observer)?,
                resamples: setup.resamples,
            }),
        }
    }

    /// What its tables are about.
    pub fn describe(&self) -> Description {
        match self {
            Task::Study(plan) => Description::Study(plan.describe()),
            Task::Simulation(setup) => Description::Simulation(setup.describe()),
        }
    }

    /// The plan, if it is a study.
    pub fn plan(&self) -> Option<&Plan> {
        match self {
            Task::Study(plan) => Some(plan),
            Task::Simulation(_) => None,
        }
    }

    /// The simulation, if it is one.
    pub fn simulation(&self) -> Option<&Setup> {
        match self {
            Task::Study(_) => None,
            Task::Simulation(setup) => Some(setup),
        }
    }

    /// The most resamples that it can take.
    pub fn most_resamples(&self) -> u64 {
        match self {
            Task::Study(plan) => plan.most_resamples(),
            Task::Simulation(setup) => setup.resamples,
        }
    }

    /// The seed that all random numbers follow from.
    pub fn seed(&self) -> u64 {
        match self {
            Task::Study(plan) => plan.run.seed,
            Task::Simulation(setup) => setup.seed,
        }
    }

    /// The number of parts that it is computed in, one after the other.
    pub fn slab_count(&self) -> usize {
        self.plan().map_or(1, Plan::slab_count)
    }

    /// An upper bound on the bytes of a saved group; a simulation saves none.
    pub fn most_group_bytes(&self) -> u64 {
        self.plan().map_or(0, GroupState::most_bytes)
    }
}

impl Outcome {
    /// The number of resamples, and of groups that error bars come from.
    pub fn counts(&self) -> (u64, usize) {
        match self {
            Outcome::Study(results) => (results.resamples, groups_for(results.resamples)),
            // The error bars of a simulation come from single resamples.
            Outcome::Simulation { resamples, .. } => (*resamples, *resamples as usize),
        }
    }

    /// For a run to a precision: the relative standard error that was reached.
    pub fn reached(&self) -> Option<f64> {
        match self {
            Outcome::Study(results) => results.reached,
            Outcome::Simulation { .. } => None,
        }
    }
}

impl Description {
    /// That of a study, if it is one.
    pub fn study(&self) -> Option<&StudyDescription> {
        match self {
            Description::Study(study) => Some(study),
            Description::Simulation(_) => None,
        }
    }

    /// That of a simulation, if it is one.
    pub fn simulation(&self) -> Option<&SimulationDescription> {
        match self {
            Description::Study(_) => None,
            Description::Simulation(simulation) => Some(simulation),
        }
    }
}
