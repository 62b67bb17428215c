//! Fits to a training set that somebody chose.

use super::worker::{Unfinished, Worker};
use super::{KeptResample, RunError, at_test_points};
use crate::data::Training;
use crate::interrupt::Interrupt;
use crate::plan::{Length, Plan, Run};

/// The fits of every learner to `data`, which stands in place of the training set of a resample: their
/// predictions at the test points, risks and training errors, as a run keeps them. With the resample's own
/// data they are those of the run to the last bit, because the learners' random numbers are the same.
///
/// # Errors
///
/// If the plan has more than one problem, or data of another kind; if a learner returns a value that is
/// not finite; [`RunError::Stopped`] if it was interrupted.
pub fn refit(
    plan: &Plan,
    resample: u64,
    data: &Training,
    interrupt: &Interrupt,
) -> Result<KeptResample, RunError> {
    let [problem] = plan.problems.as_slice() else {
        let message = "the training sets of a sweep over the data cannot be changed by hand";
        return Err(RunError::Setup(message.to_owned()));
    };
    if data.inputs.dimension() != problem.dimension || data.len() != problem.train {
        return Err(RunError::Setup(format!(
            "expected {} training points of dimension {}",
            problem.train, problem.dimension
        )));
    }
    let classes = problem.classes();
    let is_class = |label: &f64| label.fract() == 0.0 && (0.0..classes as f64).contains(label);
    if classes > 0 && !data.labels.iter().all(is_class) {
        return Err(RunError::Setup(format!(
            "expected the labels 0 to {}, the numbers of the classes",
            classes - 1
        )));
    }
    let mut parts = plan.clone().into_parts();
    let kept = resample + 1;
    // Only the fits: no selection, no crossed draws, no members.
    parts.run = Run {
        length: Length::Resamples(kept.max(plan.most_resamples())),
        keep: kept,
        keep_data: kept,
        keep_fits: kept,
        loss: plan.run.loss,
        seed: plan.run.seed,
        ..Run::default()
    };
    parts.keep_asked = true;
    parts.test.probe = None;
    let plan = Plan::new(parts).map_err(|error| RunError::Setup(error.to_string()))?;
    let (truth, noise) = at_test_points(&plan)?;
    let mut worker = Worker::new(&plan, &truth, &noise);
    worker.give(data);
    match worker.resample(resample, interrupt) {
        Ok(Some(kept)) => Ok(kept),
        Err(Unfinished::Failed(error)) => Err(error),
        Ok(None) | Err(Unfinished::Interrupted) => Err(RunError::Stopped { done: 0, total: 1 }),
    }
}
