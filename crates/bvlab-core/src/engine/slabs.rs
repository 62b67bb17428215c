//! Runs that outgrow memory: one slab of the settings at a time, each over all resamples.

use std::ops::Range;

use super::pass::{Pass, run_pass, run_shard_pass};
use super::{
    Exact, KeptFit, KeptResample, LearnerResults, Observer, Options, Results, RunError, Shard,
    at_test_points,
};
use crate::data::Training;
use crate::decompose::Decomposition;
use crate::plan::Plan;
use crate::problem::Problem;

/// Runs a plan, slab by slab (see [`Plan::slabs`]), resuming from saved groups.
///
/// # Errors
///
/// If it is stopped, or if the problem or a learner returns a value that is not finite.
pub fn run_with(plan: &Plan, options: Options) -> Result<Results, RunError> {
    let slabs = plan.slab_count();
    if slabs == 1 {
        return run_pass(
            plan,
            Pass {
                slab: 0,
                options,
                save_all: false,
            },
        );
    }
    let (truth, noise) = at_test_points(plan)?;
    let mut learners: Vec<Option<LearnerResults>> = vec![None; plan.paths.len()];
    let mut kept: Vec<KeptResample> = Vec::new();
    let mut resamples = 0;
    let observer = options.observer;
    for (index, slab) in plan.slabs().enumerate() {
        let slab_observer = SlabObserver::new(observer, plan, index, slabs);
        let pass = slab_observer.pass(options);
        let results = run_pass(&slab.plan, pass).map_err(|e| slab_observer.of_all(e))?;
        resamples = results.resamples;
        for (which, found) in slab.paths.clone().zip(results.learners) {
            let settings = plan.paths[which].curve.settings();
            join(
                &mut learners[which],
                found,
                settings,
                plan.test.points.len(),
            );
        }
        join_kept(plan, &mut kept, results.kept, &slab.paths);
    }
    for one in &mut kept {
        if one.resample < plan.run.keep_data {
            one.data = training_sets(plan, one.resample)?;
        }
    }
    let learners: Vec<LearnerResults> = learners.into_iter().flatten().collect();
    // Slabs have nothing to show of the whole before the last is done.
    if observer.watches() {
        kept.iter().for_each(|kept| observer.kept(kept));
        let learners = learners.iter().map(|learner| learner.decomposition.clone());
        observer.frame(resamples, &learners.collect::<Vec<Decomposition>>());
    }
    Ok(Results {
        resamples,
        truth,
        noise,
        learners,
        kept,
        reached: None,
    })
}

/// Runs the groups of one shard, slab by slab, and saves them when they are complete.
///
/// # Errors
///
/// As [`run_with`].
pub fn run_shard(plan: &Plan, shard: Shard, options: Options) -> Result<(), RunError> {
    let slabs = plan.slab_count();
    for (index, slab) in plan.slabs().enumerate() {
        let slab_observer = SlabObserver::new(options.observer, plan, index, slabs);
        let pass = slab_observer.pass(options);
        run_shard_pass(&slab.plan, shard, pass).map_err(|e| slab_observer.of_all(e))?;
    }
    Ok(())
}

/// Reports the run of one slab as a part of the whole run.
struct SlabObserver<'a> {
    observer: &'a dyn Observer,
    slab: u64,
    slabs: u64,
    total: u64,
}

impl<'a> SlabObserver<'a> {
    fn new(observer: &'a dyn Observer, all: &Plan, slab: usize, slabs: usize) -> Self {
        SlabObserver {
            observer,
            slab: slab as u64,
            slabs: slabs as u64,
            total: all.most_resamples(),
        }
    }

    /// How the slab is run.
    fn pass<'b>(&'b self, options: Options<'b>) -> Pass<'b> {
        Pass {
            slab: self.slab as usize,
            options: Options {
                observer: self,
                ..options
            },
            save_all: true,
        }
    }

    /// How many resamples of the whole run the finished work corresponds to.
    fn done(&self, done: u64) -> u64 {
        (self.slab * self.total + done) / self.slabs
    }

    fn of_all(&self, error: RunError) -> RunError {
        match error {
            RunError::Stopped { done, total } => RunError::Stopped {
                done: self.done(done),
                total,
            },
            other => other,
        }
    }
}

impl Observer for SlabObserver<'_> {
    fn next(&self) -> Option<&dyn Observer> {
        Some(self.observer)
    }

    fn progress(&self, done: u64, total: u64) {
        self.observer.progress(self.done(done), total);
    }

    fn watches(&self) -> bool {
        // Only the whole has something to show.
        false
    }
}

/// Adds another slab's results of a learner that has `settings` settings in all.
fn join(
    all: &mut Option<LearnerResults>,
    mut found: LearnerResults,
    settings: usize,
    points: usize,
) {
    match all {
        None => {
            // Room for all at once: a list that grows by doubling takes twice its size.
            found.decomposition.reserve(settings, points);
            if let Some(Exact { bias2, variance }) = &mut found.exact {
                for list in [bias2, variance] {
                    list.reserve_exact(settings * points - list.len());
                }
            }
            *all = Some(found);
        }
        Some(all) => {
            all.decomposition.append(found.decomposition);
            all.exact = both(all.exact.take(), found.exact, |mut all, mut more| {
                all.bias2.append(&mut more.bias2);
                all.variance.append(&mut more.variance);
                all
            });
            all.expected = both(all.expected.take(), found.expected, joined);
            all.remarks.append(&mut found.remarks);
            all.diagnoses = both(all.diagnoses.take(), found.diagnoses, joined);
            all.effective = both(all.effective.take(), found.effective, joined);
        }
    }
}

/// What is known only where it is known for all settings.
fn both<T>(all: Option<T>, more: Option<T>, join: impl FnOnce(T, T) -> T) -> Option<T> {
    Some(join(all?, more?))
}

fn joined<T>(mut all: Vec<T>, mut more: Vec<T>) -> Vec<T> {
    all.append(&mut more);
    all
}

/// Adds what another slab kept.
fn join_kept(
    plan: &Plan,
    all: &mut Vec<KeptResample>,
    found: Vec<KeptResample>,
    curves: &Range<usize>,
) {
    if all.is_empty() {
        let empty = |kept: &KeptResample| KeptResample {
            resample: kept.resample,
            data: Vec::new(),
            fits: vec![KeptFit::default(); plan.paths.len()],
        };
        all.extend(found.iter().map(empty));
    }
    for (all, found) in all.iter_mut().zip(found) {
        for (which, mut found) in curves.clone().zip(found.fits) {
            let fit = &mut all.fits[which];
            if fit.predictions.is_empty() && !found.predictions.is_empty() {
                let points = found.predictions.len() / found.risk.len().max(1);
                let settings = plan.paths[which].curve.settings();
                fit.predictions.reserve_exact(settings * points);
            }
            fit.predictions.append(&mut found.predictions);
            fit.risk.append(&mut found.risk);
            fit.train.append(&mut found.train);
            fit.diversity.append(&mut found.diversity);
            fit.estimates.append(&mut found.estimates);
            fit.chosen.append(&mut found.chosen);
            fit.diagnoses.append(&mut found.diagnoses);
        }
    }
}

/// The training sets of a resample, one for every problem.
fn training_sets(plan: &Plan, resample: u64) -> Result<Vec<Training>, RunError> {
    let draw = |problem: &Problem| {
        let mut data = Training::default();
        problem.draw(plan.run.seed, resample, &mut data)?;
        Ok(data)
    };
    let sets = plan.problems.iter().map(draw);
    sets.collect::<Result<_, _>>()
        .map_err(|error| RunError::Problem(error, resample))
}
