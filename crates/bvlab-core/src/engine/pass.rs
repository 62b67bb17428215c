//! One pass over all resamples: all settings of a plan, or of one slab of it.

use super::blocks::boundary;
use super::pool::Pool;
use super::summary::{exact_forms, expected, medians, remarked};
use super::{
    Kept, LearnerResults, Options, Results, RunError, Shard, at_test_points, observer::must_stop,
};
use crate::decompose::{Decomposition, groups_for};
use crate::plan::{Length, Plan};

/// How one slab is run.
#[derive(Clone, Copy)]
pub(super) struct Pass<'a> {
    pub slab: usize,
    pub options: Options<'a>,
    /// Whether every group is saved when all are complete.
    pub save_all: bool,
}

/// Runs the groups of one shard, all settings at once, and saves them when they are complete.
pub(super) fn run_shard_pass(plan: &Plan, shard: Shard, pass: Pass) -> Result<(), RunError> {
    let (truth, noise) = at_test_points(plan)?;
    let mut pool = Pool::new(plan, &truth, &noise, pass, Some(shard))?;
    pool.advance(plan.most_resamples())?;
    pool.save_all();
    Ok(())
}

/// Runs all settings of a plan at once.
pub(super) fn run_pass(plan: &Plan, pass: Pass) -> Result<Results, RunError> {
    let (truth, noise) = at_test_points(plan)?;
    let observer = pass.options.observer;
    let mut pool = Pool::new(plan, &truth, &noise, pass, None)?;
    let (decompositions, reached) = match plan.run.length {
        Length::Resamples(count) => (pool.run_count(count)?, None),
        Length::Precision { share, most } => pool.run_to_precision(share, most)?,
    };
    let resamples = pool.resamples;
    if observer.watches() {
        observer.frame(resamples, &decompositions);
    }
    if pass.save_all {
        pool.save_all();
    }
    let mut kept = std::mem::take(&mut pool.kept);
    kept.sort_by_key(|kept| kept.resample);
    let learners = pool.learner_results(decompositions, &kept)?;
    Ok(Results {
        resamples,
        truth,
        noise,
        learners,
        kept,
        reached,
    })
}

impl Pool<'_> {
    /// Runs that many resamples.
    fn run_count(&mut self, count: u64) -> Result<Vec<Decomposition>, RunError> {
        let observer = self.pass.options.observer;
        if observer.watches() && self.afresh {
            // Rounds that end where every group has finished the same block.
            let groups = groups_for(count) as u64;
            let ends = (0..).map(|round| boundary(round) * groups);
            for end in ends.take_while(|end| *end < count) {
                self.advance(end)?;
                observer.frame(end, &self.decompose()?);
            }
        }
        self.advance(count)?;
        self.decompose()
    }

    /// Runs until the standard error of every risk is at most this share of the risk, or until there
    /// are `most` resamples. Also returns the share that was reached.
    fn run_to_precision(
        &mut self,
        share: f64,
        most: u64,
    ) -> Result<(Vec<Decomposition>, Option<f64>), RunError> {
        let observer = self.pass.options.observer;
        loop {
            // A round ends where every group has finished the same block.
            let round = boundary(self.rounds) * groups_for(most) as u64;
            self.advance(round.min(most))?;
            let decompositions = self.decompose()?;
            // A mean with too heavy a tail would never settle.
            let parts = decompositions.iter().flat_map(|learner| &learner.parts);
            let parts = parts.filter(|parts| !parts.is_spoiled());
            let shares = parts.map(|parts| parts.risk_resampling_se / parts.risk.value);
            let reached = shares.filter(|share| !share.is_nan()).reduce(f64::max);
            if reached.is_some_and(|worst| worst <= share) || round >= most {
                return Ok((decompositions, reached));
            }
            if observer.watches() {
                observer.frame(self.resamples, &decompositions);
            }
        }
    }

    /// The estimates of every learner, with exact forms and diagnoses.
    fn learner_results(
        &self,
        decompositions: Vec<Decomposition>,
        kept: &[Kept],
    ) -> Result<Vec<LearnerResults>, RunError> {
        let observer = self.pass.options.observer;
        let mut learners = Vec::new();
        for (path, decomposition) in self.plan.paths.iter().zip(decompositions) {
            let exact = exact_forms(self.plan, path, &self.executor, &|| must_stop(observer));
            let exact = exact.map_err(|error| RunError::Problem(error, 0))?;
            if observer.stopped() {
                return Err(RunError::Stopped {
                    done: self.resamples,
                    total: self.total,
                });
            }
            let fits = kept.iter().map(|kept| &kept.fits[learners.len()]);
            let remarks = remarked(fits.clone(), path.curve.settings());
            let diagnoses = medians(fits, path.curve.settings());
            learners.push(LearnerResults {
                decomposition,
                exact,
                expected: expected(self.plan, path),
                diagnoses,
                remarks,
            });
        }
        Ok(learners)
    }
}
