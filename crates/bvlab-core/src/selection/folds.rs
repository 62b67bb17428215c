//! A validation set, K-fold cross-validation, and nested cross-validation.

use std::sync::Arc;

use rand::RngExt;

use super::parts::mean_loss;
use super::{Bench, Estimator, MethodFamily, MethodRefusal, RiskEstimates, choose};
use crate::interrupt::Interrupted;
use crate::learner::Learner;
use crate::problem::Problem;
use crate::stream::Stream;

pub(super) const VALIDATION: MethodFamily = MethodFamily {
    name: "validation",
    label: "validation set",
    meaning: "the error of a fit to 70 % of the training set on the other 30 %",
    make: |_| Arc::new(Validation),
};

pub(super) const K_FOLD: MethodFamily = MethodFamily {
    name: "K-fold",
    label: "K-fold",
    meaning: "cross-validation: each of K parts is predicted from the others",
    make: |folds| Arc::new(Folds(folds)),
};

pub(super) const NESTED: MethodFamily = MethodFamily {
    name: "nested-K-fold",
    label: "nested K-fold",
    meaning: "K-fold, and for the risk of the choice K-fold of choosing by K-fold",
    make: |folds| Arc::new(Nested(folds)),
};

/// The share of the training set that a validation set takes.
const HELD_OUT: f64 = 0.3;

/// A random half-way split: pairs that are held out, out of so many.
struct Validation;

/// K-fold cross-validation.
struct Folds(usize);

/// K-fold cross-validation of a choice by K-fold cross-validation.
struct Nested(usize);

/// By pair its fold: sizes differ by one at most, and which pair is in which fold follows from the
/// stream and the number of pairs and folds.
pub(super) fn folds(draws: &Stream, pairs: usize, folds: usize) -> Vec<usize> {
    let mut stream = draws.child(folds as u64);
    let mut order: Vec<usize> = (0..pairs).collect();
    for i in (1..pairs).rev() {
        order.swap(i, stream.random_range(0..=i));
    }
    let mut fold_of = vec![0; pairs];
    for (place, pair) in order.into_iter().enumerate() {
        fold_of[pair] = place % folds;
    }
    fold_of
}

/// Whether a training set has a pair for every fold, and what to do if not.
fn enough(folds: usize, problem: &Problem, help: &str) -> Option<MethodRefusal> {
    if folds < 2 {
        return MethodRefusal::new("needs at least 2 folds", help);
    }
    match problem.train < folds {
        true => MethodRefusal::new(
            format!(
                "needs at least {folds} training points, and there are {}",
                problem.train
            ),
            help,
        ),
        false => None,
    }
}

impl Estimator for Validation {
    fn estimate(&self, bench: &mut Bench, out: &mut RiskEstimates) -> Result<(), Interrupted> {
        let pairs = bench.pairs();
        let held = ((HELD_OUT * pairs as f64).round() as usize).clamp(1, pairs - 1);
        // One fold for every pair is a random order.
        let order = folds(bench.draws, pairs, pairs);
        bench.room.counts.clear();
        let kept = order.iter().map(|place| u32::from(*place >= held));
        bench.room.counts.extend(kept);
        bench.room.losses.clear();
        let settings = bench.learner.capacities();
        bench.fit_part(|_| true, |losses, _, _, loss| losses.push(loss))?;
        for (c, claim) in out.claims.iter_mut().enumerate().take(settings) {
            let losses = &bench.room.losses[c * held..][..held];
            *claim = mean_loss(losses.iter().copied());
        }
        Ok(())
    }

    fn paths(&self, _: &dyn Learner, _: usize) -> f64 {
        1.0
    }

    fn refusal(&self, _: &dyn Learner, problem: &Problem) -> Option<MethodRefusal> {
        enough(2, problem, "take larger training sets")
    }
}

/// Fills in the loss of every setting at every pair, predicted from the other folds.
fn cross_validate(bench: &mut Bench, fold_of: &[usize], folds: usize) -> Result<(), Interrupted> {
    let pairs = bench.pairs();
    let settings = bench.learner.capacities();
    bench.room.clear_losses(settings, pairs);
    for fold in 0..folds {
        bench.room.counts.clear();
        let others = fold_of.iter().map(|other| u32::from(*other != fold));
        bench.room.counts.extend(others);
        bench.fit_part(
            |_| true,
            |losses, c, pair, loss| {
                losses[c * pairs + pair] = loss;
            },
        )?;
    }
    Ok(())
}

impl Estimator for Folds {
    fn estimate(&self, bench: &mut Bench, out: &mut RiskEstimates) -> Result<(), Interrupted> {
        let pairs = bench.pairs();
        let fold_of = folds(bench.draws, pairs, self.0);
        cross_validate(bench, &fold_of, self.0)?;
        let losses = bench.room.losses.chunks_exact(pairs);
        for (claim, losses) in out.claims.iter_mut().zip(losses) {
            *claim = mean_loss(losses.iter().copied());
        }
        Ok(())
    }

    fn paths(&self, _: &dyn Learner, _: usize) -> f64 {
        self.0 as f64
    }

    fn refusal(&self, _: &dyn Learner, problem: &Problem) -> Option<MethodRefusal> {
        enough(
            self.0,
            problem,
            "take fewer folds, as in `5-fold`, or `loo`",
        )
    }
}

impl Nested {
    /// By row: the setting that K-fold chooses from all pairs but those of one fold, each of which
    /// counts for what is left.
    fn choices(
        &self,
        bench: &mut Bench,
        outer: &[usize],
        left_out: usize,
    ) -> Result<Vec<Option<usize>>, Interrupted> {
        let (pairs, settings) = (bench.pairs(), bench.learner.capacities());
        let inside: Vec<usize> = (0..pairs).filter(|i| outer[*i] != left_out).collect();
        let draws = bench.draws.child(left_out as u64);
        let inner_folds = folds(&draws, inside.len(), self.0);
        let mut inner = vec![usize::MAX; pairs];
        for (&pair, fold) in inside.iter().zip(inner_folds) {
            inner[pair] = fold;
        }
        let mut sums = vec![0.0; settings];
        for fold in 0..self.0 {
            bench.room.counts.clear();
            let others = inner
                .iter()
                .map(|other| u32::from(*other != usize::MAX && *other != fold));
            bench.room.counts.extend(others);
            let inner = &inner;
            let sums = &mut sums;
            bench.fit_part(|pair| inner[pair] == fold, |_, c, _, loss| sums[c] += loss)?;
        }
        let rows = bench.rows.iter();
        let chosen = rows.map(|row| choose(row, |c| sums[c], bench.train_error, false));
        Ok(chosen.collect())
    }
}

impl Estimator for Nested {
    fn estimate(&self, bench: &mut Bench, out: &mut RiskEstimates) -> Result<(), Interrupted> {
        let pairs = bench.pairs();
        let outer = folds(bench.draws, pairs, self.0);
        let mut choices = Vec::new();
        for fold in 0..self.0 {
            choices.push(self.choices(bench, &outer, fold)?);
        }
        cross_validate(bench, &outer, self.0)?;
        let losses = &bench.room.losses;
        for (claim, losses) in out.claims.iter_mut().zip(losses.chunks_exact(pairs)) {
            *claim = mean_loss(losses.iter().copied());
        }
        let nested = (0..bench.rows.len()).map(|row| {
            let loss = |pair: usize| match choices[outer[pair]][row] {
                Some(c) => losses[c * pairs + pair],
                None => f64::NAN,
            };
            mean_loss((0..pairs).map(loss))
        });
        out.of_choice.extend(nested);
        Ok(())
    }

    fn paths(&self, _: &dyn Learner, _: usize) -> f64 {
        let folds = self.0 as f64;
        folds * (folds + 1.0)
    }

    fn refusal(&self, _: &dyn Learner, problem: &Problem) -> Option<MethodRefusal> {
        let help = "take fewer folds, as in `nested-5-fold`";
        let inside = problem.train - problem.train.div_ceil(self.0.max(1));
        enough(self.0, problem, help).or_else(|| match inside < self.0 {
            true => MethodRefusal::new(
                format!("needs {} pairs outside of every fold", self.0),
                help,
            ),
            false => None,
        })
    }
}
