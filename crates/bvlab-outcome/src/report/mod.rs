//! What a run prints: every learner at its lowest risk, checks of the numbers, and warnings.

mod checks;
mod numbers;
mod simulated;
mod study;
mod warnings;

use bvlab_core::engine::Results;
use bvlab_core::plan::Plan;
use bvlab_core::task::{Outcome, Task};
use checks::Finding;

/// What a run prints.
#[derive(Debug, Default)]
pub struct Report {
    /// The results, for stdout.
    pub text: String,
    /// Reasons to doubt them, for stderr.
    pub warnings: Vec<String>,
    /// How well risk = noise + bias² + variance agrees with the testing error; `None` where the two
    /// cannot be compared.
    pub agreement: Option<Agreement>,
}

impl Report {
    /// Adds a fact to the results, or a warning.
    fn add(&mut self, finding: Finding) {
        match finding {
            Ok(fact) => self.text.push_str(&(fact + "\n")),
            Err(warning) => self.warnings.push(warning),
        }
    }
}

/// How far noise + bias² + variance and the error measured on fresh labels are apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// The largest difference, in standard errors.
    pub largest: f64,
    /// What chance allows, once in a thousand runs.
    pub allowed: f64,
    /// At how many values it was looked at.
    pub values: u64,
}

/// The report of a run; empty if the outcome is that of another task.
pub fn report(heading: &str, task: &Task, outcome: &Outcome, seconds: f64) -> Report {
    match (task, outcome) {
        (Task::Study(plan), Outcome::Study(results)) => {
            study_report(heading, plan, results, seconds)
        }
        (Task::Simulation(setup), Outcome::Simulation { rows, resamples }) => {
            simulated::report(heading, setup, rows, *resamples, seconds)
        }
        _ => Report::default(),
    }
}

/// The report of a study.
pub fn study_report(heading: &str, plan: &Plan, results: &Results, seconds: f64) -> Report {
    let mut report = Report::default();
    let _ = study::write(&mut report.text, heading, plan, results, seconds);
    report.warnings.extend(warnings::remarks(plan, results));
    report.warnings.extend(warnings::doubts(plan, results));
    let (identity, agreement) = checks::identity(plan, results).unzip();
    report.agreement = agreement;
    let theory = checks::theory(plan, results);
    let precision = checks::precision(plan, results);
    for finding in [identity, theory, precision].into_iter().flatten() {
        report.add(finding);
    }
    report
}
