//! Fits to a part of the training set, and their losses on the rest.

use super::Bench;
use crate::data::Training;
use crate::decompose::{ClaimedRisk, Loss};
use crate::interrupt::Interrupted;
use crate::probability::Preference;
use crate::problem::MOST_CLASSES;

/// Memory that is kept between training sets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Room {
    part: Training,
    held: Training,
    /// By pair: how often it is in a part, and in what is held out.
    pub counts: Vec<u32>,
    held_counts: Vec<u32>,
    /// The pairs that are held out, in the order of `held`.
    held_pairs: Vec<usize>,
    predictions: Vec<f64>,
    /// By setting and pair.
    pub losses: Vec<f64>,
}

impl Room {
    /// Zeros for the losses of so many settings and pairs.
    pub fn clear_losses(&mut self, settings: usize, pairs: usize) {
        self.losses.clear();
        self.losses.resize(settings * pairs, 0.0);
    }
}

/// The loss of a prediction of one label.
pub(super) fn loss_of(loss: Loss, prediction: &[f64], preference: Preference, label: f64) -> f64 {
    match prediction {
        [number] => (number - label) * (number - label),
        probabilities => {
            let mut room = [0.0; MOST_CLASSES];
            let score = &mut room[..probabilities.len()];
            loss.score(probabilities, preference, score);
            loss.of(score, label as usize)
        }
    }
}

/// The mean of some losses and its naive standard error.
pub(super) fn mean_loss(losses: impl Iterator<Item = f64> + Clone) -> ClaimedRisk {
    let count = losses.clone().count() as f64;
    let mean = losses.clone().sum::<f64>() / count;
    let squares = losses
        .map(|loss| (loss - mean) * (loss - mean))
        .sum::<f64>();
    ClaimedRisk {
        estimate: mean,
        se: match count > 1.0 {
            true => (squares / (count - 1.0) / count).sqrt(),
            false => f64::NAN,
        },
    }
}

impl Bench<'_> {
    pub(super) fn pairs(&self) -> usize {
        self.data.len()
    }

    /// Fits the path to the part of the training set in which pair i stands `room.counts[i]` times,
    /// and calls `visit` with every setting, every pair that the part lacks and that `tests` accepts,
    /// and its loss.
    pub(super) fn fit_part(
        &mut self,
        tests: impl Fn(usize) -> bool,
        mut visit: impl FnMut(&mut Vec<f64>, usize, usize, f64),
    ) -> Result<(), Interrupted> {
        let (data, outputs) = (self.data, self.outputs);
        let Room {
            part,
            held,
            counts,
            held_counts,
            held_pairs,
            predictions,
            losses,
        } = &mut *self.room;
        held_counts.clear();
        let left = counts.iter().enumerate();
        held_counts.extend(left.map(|(i, count)| u32::from(*count == 0 && tests(i))));
        held_pairs.clear();
        // The order in which [`Training::repeat_into`] writes.
        let wanted = |i: &usize| held_counts[*i] > 0;
        match data.inputs.dimension() {
            1 => {
                let sorted = data.inputs.order().iter().map(|i| *i as usize);
                held_pairs.extend(sorted.filter(wanted));
            }
            _ => held_pairs.extend((0..data.len()).filter(wanted)),
        }
        if held_pairs.is_empty() {
            return Ok(());
        }
        data.repeat_into(counts, part);
        data.repeat_into(held_counts, held);
        self.learner.try_fit(part, self.stream, self.interrupt)?;
        let length = held_pairs.len() * outputs;
        predictions.clear();
        predictions.resize(self.learner.capacities() * length, 0.0);
        self.learner
            .try_predict(&held.inputs, predictions, self.interrupt)?;
        for (c, predictions) in predictions.chunks_exact(length).enumerate() {
            let each = predictions.chunks_exact(outputs).zip(&*held_pairs);
            for (prediction, &pair) in each {
                let label = data.labels[pair];
                let loss = loss_of(self.loss, prediction, self.preference, label);
                visit(losses, c, pair, loss);
            }
        }
        Ok(())
    }

    /// The loss of the fit to all pairs at one of them.
    pub(super) fn fitted_loss(&self, setting: usize, pair: usize) -> f64 {
        let prediction = self.fitted_at(setting, pair);
        loss_of(
            self.loss,
            prediction,
            self.preference,
            self.data.labels[pair],
        )
    }

    pub(super) fn fitted_at(&self, setting: usize, pair: usize) -> &[f64] {
        &self.fitted[(setting * self.pairs() + pair) * self.outputs..][..self.outputs]
    }
}
