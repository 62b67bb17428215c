//! Whether methods of selection suit a plan.

use super::{CapacityPath, PlanError, PlanParts};
use crate::problem::{Problem, Resample};

/// Checks that every method can be used with every learner, and that degrees of freedom exist.
pub(super) fn check(parts: &PlanParts) -> Result<(), PlanError> {
    let PlanParts {
        problems,
        paths,
        run,
        ..
    } = parts;
    if run.df && run.sources {
        return Err(PlanError::DegreesAndSources);
    }
    let rows = problems.first().and_then(Problem::rows);
    if run.df && rows.is_some() {
        return Err(PlanError::DegreesOfTable);
    }
    if run.df && problems.iter().any(|problem| problem.density().is_some()) {
        return Err(PlanError::DegreesOfDensity);
    }
    if run.select.is_empty() {
        return Ok(());
    }
    if run.sources {
        return Err(PlanError::SelectAndSources);
    }
    if let Some(rows) = rows
        && rows.resample == Resample::Bootstrap
    {
        return Err(PlanError::SelectFromBootstrap);
    }
    if let Some(path) = paths.iter().find(|path| !has_whole_rows(path)) {
        let axis = path.curve.axes.first();
        return Err(PlanError::SelectAmongData {
            learner: path.curve.name.clone(),
            axis: axis.map_or(String::new(), |axis| axis.name.clone()),
        });
    }
    for (which, method) in run.select.iter().enumerate() {
        if run.select[..which].contains(method) {
            return Err(PlanError::SameMethod {
                which,
                method: method.name().to_owned(),
            });
        }
        for path in paths {
            for stage in &path.stages {
                let problem = &problems[stage.problem];
                if let Some(refusal) = method.refusal(&*stage.learner, problem) {
                    return Err(PlanError::Method {
                        which,
                        method: method.name().to_owned(),
                        learner: path.curve.name.clone(),
                        reason: refusal.reason,
                        help: refusal.help,
                    });
                }
            }
        }
    }
    Ok(())
}

/// Whether the settings that compete, a row of the sweep, are all fitted to the same data in one go.
fn has_whole_rows(path: &CapacityPath) -> bool {
    let row = path.curve.row();
    path.stages.iter().all(|stage| {
        let mut rows = stage.settings.chunk_by(|a, b| a / row == b / row);
        rows.all(|settings| settings.len() == row)
    })
}
