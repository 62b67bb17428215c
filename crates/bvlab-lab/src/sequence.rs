//! The frames of the very first resamples: the estimates from 4, 5, 6, … of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::messages;
use bvlab_core::engine::{KeptResample, Replay};
use bvlab_core::plan::Plan;
use bvlab_core::task::{Outcome, Task};
use bvlab_experiment::Experiment;

/// The kept resamples in order, and the frames that follow from the first of them.
pub struct Sequence {
    plan: Arc<Plan>,
    replay: Replay,
    /// Those that came before their turn.
    early: BTreeMap<u64, KeptResample>,
    most: u64,
    total: u64,
}

impl Sequence {
    /// Nothing yet; `None` where there are no such frames.
    pub fn new(experiment: &Experiment) -> Option<Self> {
        let Task::Study(plan) = &experiment.task else {
            return None;
        };
        if messages::pictured(experiment).is_some() {
            return None;
        }
        Some(Sequence {
            plan: plan.clone(),
            replay: Replay::new(plan.clone()).ok()??,
            early: BTreeMap::new(),
            most: messages::sent(experiment) as u64,
            total: plan.most_resamples(),
        })
    }

    /// A resample, in any order.
    pub fn add(&mut self, kept: &KeptResample) {
        if kept.resample < self.most {
            self.early.insert(kept.resample, kept.clone());
        }
    }

    /// The frames of those that are there in order and have none yet.
    pub fn frames(&mut self) -> Vec<Value> {
        let mut frames = Vec::new();
        while let Some(kept) = self.early.remove(&self.count()) {
            self.replay.add(&kept);
            let count = self.count();
            if count >= Replay::FEWEST as u64 && count < self.total {
                let learners = self.replay.decompose();
                frames.push(messages::frame(count, &self.plan, &learners, false));
            }
        }
        frames
    }

    /// How many were added in order.
    pub fn count(&self) -> u64 {
        self.replay.count() as u64
    }
}

/// All such frames of a finished run.
pub fn steps(experiment: &Experiment, outcome: &Outcome) -> Vec<Value> {
    let (Outcome::Study(results), Some(mut sequence)) = (outcome, Sequence::new(experiment)) else {
        return Vec::new();
    };
    results.kept.iter().for_each(|kept| sequence.add(kept));
    sequence.frames()
}
