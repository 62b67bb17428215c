//! The .632 and .632+ estimates.
//!
//! With err the training error and out the mean, over pairs, of the mean loss of fits to bootstraps
//! that lack the pair: .632 is .368 err + .632 out. A learner that interpolates has no training error
//! whatever it learned, which .632+ corrects: with γ the loss where labels and inputs have nothing to
//! do with each other, the mean loss over all pairs of a prediction and a label, and out at most γ,
//! R = (out - err)/(γ - err), between 0 and 1, and w = .632/(1 - .368 R), it is (1 - w) err + w out.
//!
//! **Reference**: Efron and Tibshirani, *Improvements on cross-validation: the .632+ bootstrap
//! method*, Journal of the American Statistical Association 92 (1997).

use std::sync::Arc;

use rand::RngExt;

use super::parts::loss_of;
use super::{Bench, Estimator, MethodFamily, MethodRefusal, RiskEstimates};
use crate::decompose::ClaimedRisk;
use crate::interrupt::Interrupted;
use crate::learner::Learner;
use crate::problem::Problem;

pub(super) const PLAIN: MethodFamily = MethodFamily {
    name: "bootstrap-632",
    label: ".632 bootstrap",
    meaning: "0.368 of the training error and 0.632 of that of 50 bootstraps on what each left out",
    make: |_| Arc::new(Bootstrap { plus: false }),
};
pub(super) const PLUS: MethodFamily = MethodFamily {
    name: "bootstrap-632+",
    label: ".632+ bootstrap",
    meaning: "the same, with more of the second for learners that interpolate",
    make: |_| Arc::new(Bootstrap { plus: true }),
};

/// How many bootstraps are drawn.
const BOOTSTRAPS: u64 = 50;

/// The shares of a bootstrap: the limit 1 - 1/e, to the three digits of the method's name.
const IN_BAG: f64 = 0.632;

/// The .632 estimate, or .632+.
struct Bootstrap {
    plus: bool,
}

impl Bootstrap {
    /// The loss where labels and inputs have nothing to do with each other.
    fn no_information(bench: &Bench, setting: usize) -> f64 {
        let pairs = bench.pairs();
        let labels = &bench.data.labels;
        let count = (pairs * pairs) as f64;
        if bench.outputs == 1 {
            // Σ (p - y)² over all pairs of p and y, from their moments.
            let fitted = &bench.fitted[setting * pairs..][..pairs];
            let mean = |all: &[f64]| all.iter().sum::<f64>() / pairs as f64;
            let spread = |all: &[f64], mean: f64| {
                all.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / pairs as f64
            };
            let [p, y] = [mean(fitted), mean(labels)];
            return spread(fitted, p) + spread(labels, y) + (p - y) * (p - y);
        }
        let mut shares = vec![0.0; bench.outputs];
        labels
            .iter()
            .for_each(|label| shares[*label as usize] += 1.0);
        let losses = (0..pairs).map(|pair| {
            let prediction = bench.fitted_at(setting, pair);
            let classes = shares.iter().enumerate().filter(|(_, share)| **share > 0.0);
            classes
                .map(|(class, share)| {
                    let label = class as f64;
                    share * loss_of(bench.loss, prediction, bench.preference, label)
                })
                .sum::<f64>()
        });
        losses.sum::<f64>() / count
    }

    fn combine(&self, train: f64, out: f64, no_information: impl FnOnce() -> f64) -> f64 {
        if !self.plus {
            return (1.0 - IN_BAG) * train + IN_BAG * out;
        }
        let gamma = no_information();
        let out = out.min(gamma);
        let overfit = match out > train && gamma > train {
            true => (out - train) / (gamma - train),
            false => 0.0,
        };
        let weight = IN_BAG / (1.0 - (1.0 - IN_BAG) * overfit);
        (1.0 - weight) * train + weight * out
    }
}

impl Estimator for Bootstrap {
    fn estimate(&self, bench: &mut Bench, out: &mut RiskEstimates) -> Result<(), Interrupted> {
        let pairs = bench.pairs();
        let settings = bench.learner.capacities();
        bench.room.clear_losses(settings, pairs);
        let mut times = vec![0.0; pairs];
        for number in 0..BOOTSTRAPS {
            // The children before are those of folds, of which there are no more than pairs.
            let mut stream = bench.draws.child((1 << 40) + number);
            bench.room.counts.clear();
            bench.room.counts.resize(pairs, 0);
            for _ in 0..pairs {
                bench.room.counts[stream.random_range(0..pairs)] += 1;
            }
            let left = times.iter_mut().zip(&bench.room.counts);
            left.for_each(|(times, count)| *times += f64::from(u8::from(*count == 0)));
            bench.fit_part(
                |_| true,
                |losses, c, pair, loss| {
                    losses[c * pairs + pair] += loss;
                },
            )?;
        }
        for (c, claim) in out.claims.iter_mut().enumerate() {
            let sums = &bench.room.losses[c * pairs..][..pairs];
            let left = sums.iter().zip(&times).filter(|(_, times)| **times > 0.0);
            let (total, count) = left.fold((0.0, 0.0), |(total, count), (sum, times)| {
                (total + sum / times, count + 1.0)
            });
            let train = (0..pairs).map(|pair| bench.fitted_loss(c, pair));
            let train = train.sum::<f64>() / pairs as f64;
            let gamma = || Bootstrap::no_information(bench, c);
            *claim = ClaimedRisk {
                estimate: self.combine(train, total / count, gamma),
                se: f64::NAN,
            };
        }
        Ok(())
    }

    fn paths(&self, _: &dyn Learner, _: usize) -> f64 {
        BOOTSTRAPS as f64
    }

    fn refusal(&self, _: &dyn Learner, problem: &Problem) -> Option<MethodRefusal> {
        match problem.train < 2 {
            true => MethodRefusal::new(
                "needs at least 2 training points",
                "take larger training sets",
            ),
            false => None,
        }
    }
}
