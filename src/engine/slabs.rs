//! Runs that outgrow memory: one slab of the settings at a time, each over all resamples.

use std::ops::Range;

use super::{
    Kept, KeptFit, LearnerResults, Observer, Options, Results, RunError, Shard, at_test_points,
    most_resamples, run_pass, run_shard_pass,
};
use crate::decompose::Exact;
use crate::experiment::Experiment;
use crate::problem::Training;

/// Runs an experiment slab by slab (see [`Experiment::slabs`]). `options` is asked for those of
/// every slab when its turn comes, so that what earlier runs had done is in memory for one only.
/// Groups of a slab that is done are saved whole.
///
/// # Errors
///
/// As [`super::run`].
pub fn run_in_slabs<'a>(
    experiment: &Experiment,
    options: &dyn Fn(usize) -> Options<'a>,
) -> Result<Results, RunError> {
    let slabs = experiment.slabs();
    if slabs.len() == 1 {
        return run_pass(experiment, options(0), false);
    }
    let (truth, noise) = at_test_points(experiment)?;
    let mut learners: Vec<Option<LearnerResults>> = vec![None; experiment.curves.len()];
    let mut kept: Vec<Kept> = Vec::new();
    let mut resamples = 0;
    let mut observer: Option<&dyn Observer> = None;
    for (index, slab) in slabs.iter().enumerate() {
        let options = options(index);
        observer = Some(options.observer);
        let part = Part::new(options.observer, experiment, index, slabs.len());
        let options = Options {
            observer: &part,
            ..options
        };
        let results = run_pass(&slab.experiment, options, true).map_err(|e| part.of_all(e))?;
        resamples = results.resamples;
        for (which, found) in slab.curves.clone().zip(results.learners) {
            let settings = experiment.curves[which].settings();
            join(
                &mut learners[which],
                found,
                settings,
                experiment.test.points.len(),
            );
        }
        join_kept(experiment, &mut kept, results.kept, &slab.curves);
    }
    for one in &mut kept {
        if one.resample < experiment.run.keep_data {
            one.data = training_sets(experiment, one.resample)?;
        }
    }
    let learners: Vec<LearnerResults> = learners.into_iter().flatten().collect();
    // Slabs have nothing to show of the whole before the last is done.
    if let Some(observer) = observer.filter(|observer| observer.watches()) {
        kept.iter().for_each(|kept| observer.kept(kept));
        let learners = learners.iter().map(|learner| learner.decomposition.clone());
        observer.frame(resamples, &learners.collect::<Vec<_>>());
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

/// Runs the groups of one shard, slab by slab, and saves them when they are complete, and before.
///
/// # Errors
///
/// As [`super::run`].
pub fn run_shard<'a>(
    experiment: &Experiment,
    shard: Shard,
    options: &dyn Fn(usize) -> Options<'a>,
) -> Result<(), RunError> {
    let slabs = experiment.slabs();
    for (index, slab) in slabs.iter().enumerate() {
        let options = options(index);
        let part = Part::new(options.observer, experiment, index, slabs.len());
        let options = Options {
            observer: &part,
            ..options
        };
        run_shard_pass(&slab.experiment, shard, options).map_err(|e| part.of_all(e))?;
    }
    Ok(())
}

/// Sees one slab's run as a part of all.
struct Part<'a> {
    observer: &'a dyn Observer,
    slab: u64,
    slabs: u64,
    total: u64,
}

impl<'a> Part<'a> {
    fn new(observer: &'a dyn Observer, all: &Experiment, slab: usize, slabs: usize) -> Self {
        Part {
            observer,
            slab: slab as u64,
            slabs: slabs as u64,
            total: most_resamples(all),
        }
    }

    /// How many resamples the work that is done amounts to.
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

impl Observer for Part<'_> {
    fn progress(&self, done: u64, total: u64) {
        self.observer.progress(self.done(done), total);
    }

    fn stopped(&self) -> bool {
        self.observer.stopped()
    }
}

/// Adds what another slab found for a learner that has so many settings in all.
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
    experiment: &Experiment,
    all: &mut Vec<Kept>,
    found: Vec<Kept>,
    curves: &Range<usize>,
) {
    if all.is_empty() {
        let empty = |kept: &Kept| Kept {
            resample: kept.resample,
            data: Vec::new(),
            fits: experiment
                .curves
                .iter()
                .map(|_| KeptFit::default())
                .collect(),
        };
        all.extend(found.iter().map(empty));
    }
    for (all, found) in all.iter_mut().zip(found) {
        for (which, mut found) in curves.clone().zip(found.fits) {
            let fit = &mut all.fits[which];
            if fit.predictions.is_empty() && !found.predictions.is_empty() {
                let points = found.predictions.len() / found.risk.len().max(1);
                let settings = experiment.curves[which].settings();
                fit.predictions.reserve_exact(settings * points);
            }
            fit.predictions.append(&mut found.predictions);
            fit.risk.append(&mut found.risk);
            fit.train.append(&mut found.train);
            fit.diversity.append(&mut found.diversity);
            fit.diagnoses.append(&mut found.diagnoses);
        }
    }
}

/// The training sets of a resample, one for every problem.
fn training_sets(experiment: &Experiment, resample: u64) -> Result<Vec<Training>, RunError> {
    let draw = |problem: &crate::problem::Problem| {
        let mut data = Training::default();
        problem.draw(experiment.run.seed, resample, &mut data)?;
        Ok(data)
    };
    let sets = experiment.problems.iter().map(draw);
    sets.collect::<Result<_, _>>()
        .map_err(|error| RunError::Problem(error, resample))
}
