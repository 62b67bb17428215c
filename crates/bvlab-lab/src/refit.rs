//! A training set that was changed by hand on the page, and the fits to it.

use serde::Deserialize;

use super::limits::{Limits, fit_memory};
use super::messages;
use super::scene::{Refusal, Scene};
use bvlab_core::data::{Points, Training};
use bvlab_core::engine::{RunError, refit};
use bvlab_core::interrupt::Interrupt;
use bvlab_experiment::Experiment;

/// The most bytes that fits to it may hold.
const MOST_MEMORY: usize = 128 << 20;

/// The training set that stands in place of the one that a resample drew.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandMadeData {
    resample: u64,
    x: Vec<f64>,
    y: Vec<f64>,
}

impl HandMadeData {
    /// The scene with as many training points as there are, so that learners check whether they suffice.
    pub fn scene(&self, mut scene: Scene) -> Scene {
        scene.set.push(format!("problem.train={}", self.x.len()));
        scene
    }

    /// The fits to it, as the message of a training set.
    ///
    /// # Errors
    ///
    /// If the experiment has no training sets along one input, the numbers are no such set, a learner
    /// returns a value that is not finite or holds too much, or the work is interrupted.
    pub fn refit(
        &self,
        experiment: &Experiment,
        interrupt: &Interrupt,
    ) -> Result<Vec<u8>, Refusal> {
        let asked = |message: &str| Refusal::Asked(message.to_owned());
        let plan = experiment.plan();
        let plan = plan.filter(|plan| {
            messages::pictured(experiment).is_none()
                && plan.problem().dimension == 1
                && plan.problem().rows().is_none()
        });
        let Some(plan) = plan else {
            return Err(asked(
                "only training sets of numbers along one input can be changed by hand",
            ));
        };
        if self.x.len() != self.y.len() {
            return Err(asked("`x` and `y` must have the same length"));
        }
        if !self.x.iter().chain(&self.y).all(|value| value.is_finite()) {
            return Err(asked("`x` and `y` must be finite numbers"));
        }
        if self.resample >= plan.most_resamples() {
            return Err(asked("the run has no such training set"));
        }
        // Whoever drags a point asks for many fits.
        Limits::STUDENT.allow(experiment).map_err(Refusal::Asked)?;
        if fit_memory(plan) > MOST_MEMORY {
            return Err(asked(
                "these learners hold too much to be fitted by hand: use fewer members, settings or points",
            ));
        }
        let data = Training {
            inputs: Points::new(1, self.x.clone()),
            labels: self.y.clone(),
        };
        match refit(plan, self.resample, &data, interrupt) {
            Ok(kept) => Ok(messages::draw(plan, &kept).to_string().into_bytes()),
            Err(RunError::Stopped { .. }) => Err(asked(
                "fitting these points takes too long: use smaller learners, or fewer settings or points",
            )),
            Err(error @ RunError::Setup(_)) => Err(Refusal::Asked(error.to_string())),
            Err(error) => Err(Refusal::Asked(format!(
                "these points cannot be fitted: {error}"
            ))),
        }
    }
}
