//! Leave-one-out cross-validation: by a formula where one is exact, else by as many fits as there
//! are pairs.

use std::sync::Arc;

use super::parts::{loss_of, mean_loss};
use super::{Bench, Estimator, MethodFamily, MethodRefusal, RiskEstimates};
use crate::interrupt::Interrupted;
use crate::learner::Learner;
use crate::problem::Problem;

pub(super) const FAMILY: MethodFamily = MethodFamily {
    name: "loo",
    label: "leave-one-out",
    meaning: "leave-one-out cross-validation, by formula where one is exact",
    make: |_| Arc::new(LeaveOneOut),
};

/// Leave-one-out cross-validation.
struct LeaveOneOut;

/// Where 1 - h is below this, e/(1 - h) has lost too many digits, or does not exist.
const SMALLEST_REST: f64 = 1e-6;

impl LeaveOneOut {
    /// Fills in the losses that follow from the fit to all pairs; returns which settings have none.
    fn by_formula(bench: &mut Bench) -> Result<Vec<bool>, Interrupted> {
        let (pairs, outputs) = (bench.pairs(), bench.outputs);
        let settings = bench.learner.capacities();
        bench.room.clear_losses(settings, pairs);
        let mut predictions = vec![0.0; settings * pairs * outputs];
        let data = bench.data;
        // Other methods may have fitted it to a part.
        bench.learner.try_fit(data, bench.stream, bench.interrupt)?;
        let known = bench
            .learner
            .try_leave_one_out(data, &mut predictions, bench.interrupt)?;
        if known {
            let each = predictions.chunks_exact(outputs).enumerate();
            for (place, prediction) in each {
                let label = data.labels[place % pairs];
                let loss = loss_of(bench.loss, prediction, bench.preference, label);
                bench.room.losses[place] = loss;
            }
            return Ok(vec![false; settings]);
        }
        let formula = bench.learner.residuals_leave_one_out() && outputs == 1;
        if !formula || bench.leverages.is_empty() {
            return Ok(vec![true; settings]);
        }
        let mut refit = vec![false; settings];
        for (c, refit) in refit.iter_mut().enumerate() {
            for pair in 0..pairs {
                let rest = 1.0 - bench.leverages[c * pairs + pair];
                // Also where it is not a number.
                *refit |= rest.is_nan() || rest < SMALLEST_REST;
                let residual = (data.labels[pair] - bench.fitted[c * pairs + pair]) / rest;
                bench.room.losses[c * pairs + pair] = residual * residual;
            }
        }
        Ok(refit)
    }
}

impl Estimator for LeaveOneOut {
    fn estimate(&self, bench: &mut Bench, out: &mut RiskEstimates) -> Result<(), Interrupted> {
        let pairs = bench.pairs();
        let refit = LeaveOneOut::by_formula(bench)?;
        if refit.contains(&true) {
            for left_out in 0..pairs {
                bench.room.counts.clear();
                let others = (0..pairs).map(|pair| u32::from(pair != left_out));
                bench.room.counts.extend(others);
                bench.fit_part(
                    |_| true,
                    |losses, c, pair, loss| {
                        if refit[c] {
                            losses[c * pairs + pair] = loss;
                        }
                    },
                )?;
            }
        }
        let losses = bench.room.losses.chunks_exact(pairs);
        for (claim, losses) in out.claims.iter_mut().zip(losses) {
            *claim = mean_loss(losses.iter().copied());
        }
        Ok(())
    }

    fn needs_leverages(&self, learner: &dyn Learner) -> bool {
        learner.residuals_leave_one_out()
    }

    fn paths(&self, learner: &dyn Learner, train: usize) -> f64 {
        match learner.is_linear() {
            true => 1.0,
            false => train as f64,
        }
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
