//! One pass over all resamples: all settings of a plan, or of one slab of it.

use super::blocks::boundary;
use super::executor::Executor;
use super::observer::{Observer, must_stop};
use super::pool::Pool;
use super::summary::{effective, exact_forms, expected, medians, remarked};
use super::{
    BestPredictions, KeptResample, LearnerResults, Options, Results, RunError, Shard,
    at_test_points,
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
    let estimated = Estimates {
        resamples,
        at_test: (truth.clone(), noise.clone()),
        decompositions,
        kept: std::mem::take(&mut pool.kept),
        reached,
    };
    estimated.complete(plan, &pool.executor, observer)
}

/// The estimates from all resamples, without exact forms.
pub(super) struct Estimates {
    pub resamples: u64,
    pub at_test: BestPredictions,
    pub decompositions: Vec<Decomposition>,
    pub kept: Vec<KeptResample>,
    pub reached: Option<f64>,
}

impl Estimates {
    /// The results of the run, with exact forms and diagnoses.
    pub fn complete(
        self,
        plan: &Plan,
        executor: &Executor,
        observer: &dyn Observer,
    ) -> Result<Results, RunError> {
        let Estimates {
            resamples,
            at_test: (truth, noise),
            decompositions,
            mut kept,
            reached,
        } = self;
        kept.sort_by_key(|kept| kept.resample);
        let mut learners = Vec::new();
        for (path, decomposition) in plan.paths.iter().zip(decompositions) {
            let exact = exact_forms(plan, path, executor, &|| must_stop(observer));
            let exact = exact.map_err(|error| RunError::Problem(error, 0))?;
            if observer.stopped() {
                return Err(RunError::Stopped {
                    done: resamples,
                    total: plan.most_resamples(),
                });
            }
            let fits = kept.iter().map(|kept| &kept.fits[learners.len()]);
            let remarks = remarked(fits.clone(), path.curve.settings());
            let effective = effective(fits.clone(), path.curve.settings());
            let diagnoses = medians(fits, path.curve.settings());
            learners.push(LearnerResults {
                decomposition,
                exact,
                expected: expected(plan, path),
                diagnoses,
                effective,
                remarks,
            });
        }
        Ok(Results {
            resamples,
            truth,
            noise,
            learners,
            kept,
            reached,
        })
    }
}

/// The largest standard error of a risk, as a share of the risk. A mean with too heavy a tail would
/// never settle, and does not count.
pub(super) fn largest_share(decompositions: &[Decomposition]) -> Option<f64> {
    let parts = decompositions.iter().flat_map(|learner| &learner.parts);
    let parts = parts.filter(|parts| !parts.is_spoiled());
    let shares = parts.map(|parts| parts.risk_resampling_se / parts.risk.value);
    shares.filter(|share| !share.is_nan()).reduce(f64::max)
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
            let reached = largest_share(&decompositions);
            if reached.is_some_and(|worst| worst <= share) || round >= most {
                return Ok((decompositions, reached));
            }
            if observer.watches() {
                observer.frame(self.resamples, &decompositions);
            }
        }
    }
}
