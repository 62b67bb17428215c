//! The estimates from the first few resamples, one more at a time, from the kept fits.
//!
//! A page that draws one training set after the other shows the estimates from 4, 5, 6, … of them.
//! They follow from the kept predictions, without fitting again.

use std::sync::Arc;

use super::probe::Probes;
use super::summary::decompose_groups;
use super::{BestPredictions, KeptResample, RunError, at_test_points, worker};
use crate::decompose::{Decomposition, Loss, Tally, groups_for};
use crate::plan::Plan;
use crate::probability::Preference;
use crate::stream::{Purpose, Stream};

/// Adds up kept resamples in order; every estimate is, to the last bit, that of a run of as many.
pub struct Replay {
    plan: Arc<Plan>,
    at_test: BestPredictions,
    sd: Vec<Vec<f64>>,
    unit: Vec<f64>,
    fresh: Vec<Vec<f64>>,
    /// By test point and output.
    weights: Vec<f64>,
    /// Of classes: the fresh labels, and the scores of a prediction.
    classes: Vec<usize>,
    scores: Vec<f64>,
    /// The kept resamples so far, in order.
    kept: Vec<KeptResample>,
    probes: Probes,
    /// By group and learner.
    groups: Vec<Vec<Tally>>,
}

impl Replay {
    /// The fewest resamples that an estimate with its error bar can come from.
    pub const FEWEST: usize = 4;

    /// The most: beyond, a group's resamples are joined from several blocks.
    pub const MOST: usize = 48;

    /// Without resamples yet. `None` where the kept fits are not enough: with crossed draws.
    ///
    /// # Errors
    ///
    /// If truth or noise has no finite value at a test point.
    pub fn new(plan: Arc<Plan>) -> Result<Option<Self>, RunError> {
        if plan.run.sources {
            return Ok(None);
        }
        let at_test = at_test_points(&plan)?;
        let (truth, noise) = &at_test;
        let outputs = truth.len() / plan.test.points.len().max(1);
        Ok(Some(Replay {
            sd: worker::standard_deviations(noise),
            unit: vec![0.0; truth.len()],
            fresh: vec![vec![0.0; truth.len()]; noise.len()],
            weights: worker::weights_of_outputs(&plan),
            classes: vec![0; plan.test.points.len()],
            scores: vec![0.0; plan.test.points.len() * plan.run.loss.scores(outputs)],
            at_test,
            probes: Probes::new(&plan),
            plan,
            kept: Vec::new(),
            groups: Vec::new(),
        }))
    }

    /// Adds the next resample, whose predictions are kept.
    pub fn add(&mut self, kept: &KeptResample) {
        self.kept.push(kept.clone());
        let count = self.kept.len();
        let groups = groups_for(count as u64);
        if groups < self.groups.len() {
            // From here on resamples share groups: all are dealt anew.
            self.groups.clear();
            for place in 0..count - 1 {
                self.tally(place, place % groups);
            }
        }
        self.tally(count - 1, (count - 1) % groups);
    }

    /// How many were added.
    pub fn count(&self) -> usize {
        self.kept.len()
    }

    /// The estimates from what was added, one per learner.
    ///
    /// # Panics
    ///
    /// If fewer than [`Replay::FEWEST`] were added.
    pub fn decompose(&mut self) -> Vec<Decomposition> {
        let groups: Vec<&[Tally]> = self.groups.iter().map(Vec::as_slice).collect();
        let count = self.kept.len() as u64;
        let probed = self.probes.judge(&self.plan, &self.kept, count);
        let (truth, noise) = &self.at_test;
        decompose_groups(&self.plan, truth, noise, &groups, probed)
    }

    /// Adds a kept resample to a group.
    fn tally(&mut self, place: usize, group: usize) {
        let plan = &self.plan;
        if group == self.groups.len() {
            self.groups.push(worker::tallies(plan));
        }
        self.draw_fresh(place);
        let plan = &self.plan;
        let kept = &self.kept[place];
        let (truth, _) = &self.at_test;
        let points = truth.len();
        let stream = Stream::new(plan.run.seed, Purpose::Algorithm, kept.resample);
        let preference = Preference::of(&stream);
        let is_scored = plan.run.loss != Loss::Squared;
        let learners = plan.paths.iter().zip(&kept.fits);
        for ((path, fit), tally) in learners.zip(&mut self.groups[group]) {
            tally.begin();
            for (setting, problem) in path.problems().into_iter().enumerate() {
                let predictions = &fit.predictions[setting * points..][..points];
                let train = fit.train[setting];
                if is_scored {
                    let (seen, zeros) = worker::scored(
                        plan.run.loss,
                        (predictions, preference),
                        truth,
                        &self.classes,
                        &plan.test.weights,
                        &mut self.scores,
                    );
                    tally.add_scores(setting, &self.scores, seen, train, zeros);
                } else {
                    let fresh = &self.fresh[problem];
                    tally.add(setting, predictions, truth, fresh, &self.weights, train);
                }
            }
        }
    }

    /// Draws the fresh labels of a kept resample.
    fn draw_fresh(&mut self, place: usize) {
        let (plan, resample) = (&self.plan, self.kept[place].resample);
        match plan.problem().classes() {
            0 => worker::fresh_noise(plan, resample, &self.sd, &mut self.unit, &mut self.fresh),
            _ => {
                let (truth, _) = &self.at_test;
                let classes = &mut self.classes;
                worker::fresh_labels(plan, resample, truth, classes, &mut self.fresh);
            }
        }
    }
}
