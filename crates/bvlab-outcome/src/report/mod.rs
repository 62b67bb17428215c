//! What a run prints: every learner at its lowest risk, checks of the numbers, and warnings.

mod checks;
mod numbers;
mod selection;
mod simulated;
mod study;
mod warnings;

use crate::claims::{CheckedClaim, Verdict};
use crate::words::Statements;
use bvlab_core::engine::Results;
use bvlab_core::plan::Plan;
use bvlab_core::task::{Outcome, Task};
use bvlab_core::words::short;
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
    /// Adds what became of claims, and what is to be said of the words.
    pub fn add_statements(&mut self, statements: &Statements) {
        let claims = &statements.claims;
        if !claims.is_empty() {
            self.text.push_str(&claims_in_words(claims));
        }
        let refuted = claims.iter().filter(|one| one.verdict == Verdict::Refuted);
        let refuted = refuted.map(|one| format!("claim refuted: {}", one.claim));
        self.warnings.extend(refuted);
        self.warnings.extend(statements.warnings.iter().cloned());
    }

    /// Adds a fact to the results, or a warning.
    fn add(&mut self, finding: Finding) {
        match finding {
            Ok(fact) => self.text.push_str(&(fact + "\n")),
            Err(warning) => self.warnings.push(warning),
        }
    }
}

/// A line for all claims and one for each.
fn claims_in_words(claims: &[CheckedClaim]) -> String {
    let count = |verdict: Verdict| claims.iter().filter(|one| one.verdict == verdict).count();
    let counts = [Verdict::Holds, Verdict::Refuted, Verdict::Undecided];
    let counts = counts.map(|verdict| (count(verdict), verdict.name()));
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts = counts.map(|(count, name)| match (count, *name) {
        (2.., "holds") => format!("{count} hold"),
        (count, name) => format!("{count} {name}"),
    });
    let counts: Vec<String> = counts.collect();
    let mut text = format!("claims: {}\n", counts.join(", "));
    for one in claims {
        let numbers = match (one.left, one.right) {
            (Some(left), Some(right)) => {
                let se = one.se.filter(|se| *se > 0.0);
                let error = se.map(|se| format!("; their difference ± {}", short(se)));
                let [left, right] = [left, right].map(short);
                format!(" ({left} and {right}{})", error.unwrap_or_default())
            }
            _ => String::new(),
        };
        let reason = one.reason.as_ref().map(|reason| format!(": {reason}"));
        text.push_str(&format!(
            "  {:<9}  {}{numbers}{}\n",
            one.verdict.name(),
            one.claim,
            reason.unwrap_or_default()
        ));
    }
    text
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
    let _ = selection::write(&mut report.text, plan, results);
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
