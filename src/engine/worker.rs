//! One thread's share of a run: draws, fits and adds up one resample after the other.

use super::{Kept, KeptFit, RunError};
use crate::decompose::Tally;
use crate::experiment::Experiment;
use crate::learner::Learner;
use crate::problem::Training;
use crate::stream::{Purpose, Stream};
use crate::words::number;

/// Copies of the learners and all the memory that a resample needs.
pub(super) struct Worker<'a> {
    experiment: &'a Experiment,
    truth: &'a [f64],
    /// The noise's sd at the test points, and its mean variance.
    sd: Vec<f64>,
    noise: f64,
    learners: Vec<Box<dyn Learner>>,
    pub tallies: Vec<Tally>,
    data: Training,
    fresh: Vec<f64>,
    at_test: Vec<f64>,
    at_train: Vec<f64>,
}

/// An empty tally for every learner.
pub(super) fn tallies(experiment: &Experiment) -> Vec<Tally> {
    let points = experiment.test.points.len();
    let curves = experiment.curves.iter();
    curves
        .map(|curve| Tally::new(curve.learner.capacities(), points))
        .collect()
}

impl<'a> Worker<'a> {
    pub fn new(experiment: &'a Experiment, truth: &'a [f64], noise: &'a [f64]) -> Self {
        let learners = experiment.curves.iter().map(|curve| curve.learner.clone());
        let learners: Vec<_> = learners.collect();
        let most = learners.iter().map(|learner| learner.capacities()).max();
        let most = most.unwrap_or(0);
        Worker {
            experiment,
            truth,
            sd: noise.iter().map(|variance| variance.sqrt()).collect(),
            noise: noise
                .iter()
                .zip(&experiment.test.weights)
                .map(|(n, w)| n * w)
                .sum(),
            learners,
            tallies: tallies(experiment),
            data: Training::default(),
            fresh: vec![0.0; truth.len()],
            at_test: vec![0.0; most * truth.len()],
            at_train: vec![0.0; most * experiment.problem.train],
        }
    }

    /// Starts a block.
    pub fn begin(&mut self) {
        self.tallies.iter_mut().for_each(Tally::clear);
    }

    /// Draws one training set, fits every learner to it, and adds up the errors.
    pub fn resample(&mut self, resample: u64) -> Result<Option<Kept>, RunError> {
        let Experiment {
            problem, test, run, ..
        } = self.experiment;
        problem
            .draw(run.seed, resample, &mut self.data)
            .map_err(|error| RunError::Problem(error, resample))?;
        let mut stream = Stream::new(run.seed, Purpose::Test, resample);
        problem.noise.draw_unit(&mut stream, &mut self.fresh);
        for (fresh, sd) in self.fresh.iter_mut().zip(&self.sd) {
            *fresh *= sd;
        }
        let mut kept = (resample < run.keep).then(|| Kept {
            resample,
            data: self.data.clone(),
            fits: Vec::new(),
        });
        let (points, train) = (test.points.len(), self.data.len());
        for (which, learner) in self.learners.iter_mut().enumerate() {
            let settings = learner.capacities();
            let at_test = &mut self.at_test[..settings * points];
            let at_train = &mut self.at_train[..settings * train];
            // Every learner begins the same stream: equal bootstraps make differences real.
            learner.fit(
                &self.data,
                &Stream::new(run.seed, Purpose::Algorithm, resample),
            );
            learner.predict(&test.points, at_test);
            learner.predict(&self.data.inputs, at_train);
            let mut fit = kept.as_ref().map(|_| KeptFit {
                predictions: at_test.to_vec(),
                risk: Vec::new(),
                train: Vec::new(),
            });
            let tally = &mut self.tallies[which];
            tally.begin();
            for setting in 0..settings {
                let predictions = &at_train[setting * train..][..train];
                let errors = predictions.iter().zip(&self.data.labels);
                let train_error =
                    errors.map(|(p, y)| (p - y) * (p - y)).sum::<f64>() / train as f64;
                let predictions = &at_test[setting * points..][..points];
                let seen = tally.add(
                    setting,
                    predictions,
                    self.truth,
                    &self.fresh,
                    &test.weights,
                    train_error,
                );
                if !(seen.excess.is_finite() && seen.test.is_finite() && train_error.is_finite()) {
                    return Err(self.not_finite(which, setting, resample));
                }
                if let Some(fit) = &mut fit {
                    fit.risk.push(self.noise + seen.excess);
                    fit.train.push(train_error);
                }
            }
            if let (Some(kept), Some(fit)) = (&mut kept, fit) {
                kept.fits.push(fit);
            }
        }
        Ok(kept)
    }

    fn not_finite(&self, learner: usize, setting: usize, resample: u64) -> RunError {
        let curve = &self.experiment.curves[learner];
        let setting = curve.axis.as_ref().map_or(String::new(), |axis| {
            format!(" at {} = {}", axis.name, number(axis.values[setting]))
        });
        RunError::Learner {
            learner: curve.name.clone(),
            setting,
            resample,
        }
    }
}
