//! Runs a plan: resamples × threads.
//!
//! Resample r belongs to group r mod G. A group adds its resamples in order, in blocks whose ends
//! are fixed once and for all; blocks are joined in order, and groups are joined in order. Threads
//! only decide who computes which block, so tables are the same to the last bit on any number of
//! them.

mod blocks;
mod exact;
mod executor;
mod probe;
mod replay;
mod slabs;
mod worker;

pub use exact::{Exact, exact};
pub use slabs::{run_shard, run_with};

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use serde::{Deserialize, Serialize};

use crate::data::{Points, Training};
use crate::decompose::{self, Decomposition, Parts, Tally, Tested, groups_for};
use crate::interrupt::Interrupt;
use crate::learner::{Diagnosis, Expected, Remark};
use crate::maths::square;
use crate::plan::{CapacityPath, Length, Plan, Stage, TestKind};
use crate::problem::{Labels, Noise, NotFinite};
use blocks::{Block, boundary};
use executor::Executor;
use probe::{ProbedSettings, Probes};
pub use replay::Replay;
use worker::{Unfinished, Worker};

/// Sees a run from outside: the one seam for progress bars, pages, saving and Ctrl-C.
///
/// What an observer does not handle goes to the one that it stands before ([`Observer::next`]).
pub trait Observer: Sync {
    /// The observer that hears of everything that this one does not handle itself.
    fn next(&self) -> Option<&dyn Observer> {
        None
    }

    /// `done` of `total` resamples are finished; `total` is the most there can be.
    fn progress(&self, done: u64, total: u64) {
        if let Some(next) = self.next() {
            next.progress(done, total);
        }
    }

    /// Called before every resample, and every few milliseconds within one that takes long. It may
    /// hold the run until its turn has come.
    fn wait_turn(&self) {
        if let Some(next) = self.next() {
            next.wait_turn();
        }
    }

    /// Whether the run is to stop; asked after every [`Observer::wait_turn`].
    fn stopped(&self) -> bool {
        self.next().is_some_and(|next| next.stopped())
    }

    /// Whether the run is to show what it has as it goes, by [`Observer::kept`] and
    /// [`Observer::frame`].
    fn watches(&self) -> bool {
        self.next().is_some_and(|next| next.watches())
    }

    /// A resample that is kept has been fitted; they come in no fixed order.
    fn kept(&self, kept: &Kept) {
        if let Some(next) = self.next() {
            next.kept(kept);
        }
    }

    /// The estimates from the first `count` resamples, one per learner: to the last bit those of a
    /// run of just so many.
    fn frame(&self, count: u64, learners: &[Decomposition]) {
        if let Some(next) = self.next() {
            next.frame(count, learners);
        }
    }

    /// Whether groups of resamples are saved, by [`Observer::save`].
    fn saves(&self) -> bool {
        self.next().is_some_and(|next| next.saves())
    }

    /// Whether a group of a slab, which has just grown, is to be saved now.
    fn save_is_due(&self, slab: usize, group: usize) -> bool {
        self.next()
            .is_some_and(|next| next.save_is_due(slab, group))
    }

    /// Saves a group of a slab: one that was due, and every group when its slab or shard is complete.
    fn save(&self, slab: usize, state: &GroupState) {
        if let Some(next) = self.next() {
            next.save(slab, state);
        }
    }
}

/// Whether a run is to stop, once it is its turn.
fn must_stop(observer: &dyn Observer) -> bool {
    observer.wait_turn();
    observer.stopped()
}

/// Watches nothing.
pub struct Unwatched;

impl Observer for Unwatched {}

/// What a run gave.
#[derive(Clone, Debug)]
pub struct Results {
    /// How many training sets were drawn.
    pub resamples: u64,
    /// The best possible prediction at the test points: the truth, or the probabilities of the
    /// classes, one after the other.
    pub truth: Vec<f64>,
    /// By problem: the noise at the test points, its variance or the least risk that there can be.
    pub noise: Vec<Vec<f64>>,
    /// One per learner, in the plan's order.
    pub learners: Vec<LearnerResults>,
    /// The first resamples, kept for drawing and for a look at the solving.
    pub kept: Vec<Kept>,
    /// With a wanted precision: what was reached, by all means that can be believed; `None` if
    /// there is none.
    pub reached: Option<f64>,
}

impl Results {
    /// By setting of a learner: the averages over x.
    ///
    /// # Panics
    ///
    /// If there are not so many learners.
    pub fn parts(&self, learner: usize) -> &[Parts] {
        &self.learners[learner].decomposition.parts
    }
}

/// What a run gave for one learner.
#[derive(Clone, Debug)]
pub struct LearnerResults {
    /// The estimates.
    pub decomposition: Decomposition,
    /// The exact forms, where there are any.
    pub exact: Option<Exact>,
    /// By setting, the exact averages over x, where only these are known.
    pub expected: Option<Vec<Expected>>,
    /// By setting, where the learner solves for weights: the medians of what that met with over
    /// the first training sets.
    pub diagnoses: Option<Vec<Diagnosis>>,
    /// By setting: a remark that fits to the first training sets gave cause for, and for how many of
    /// them.
    pub remarks: Vec<Option<Remarked>>,
}

/// A remark on some of the first training sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remarked {
    /// The remark.
    pub remark: Remark,
    /// On how many training sets.
    pub count: usize,
    /// Of how many.
    pub of: usize,
}

/// A resample that is kept whole.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Which one.
    pub resample: u64,
    /// Its training set, by problem; empty where training sets are not kept.
    pub data: Vec<Training>,
    /// One per learner.
    pub fits: Vec<KeptFit>,
}

/// One learner's fit to a kept resample.
#[derive(Clone, Debug, Default)]
pub struct KeptFit {
    /// By setting, test point and output; empty where fits are not kept.
    pub predictions: Vec<f64>,
    /// By setting: the risk of this very fit, noise included.
    pub risk: Vec<f64>,
    /// By setting: its error on its training set.
    pub train: Vec<f64>,
    /// By setting: the diversity of this very ensemble; empty where it is not wanted.
    pub diversity: Vec<f64>,
    /// By setting: what the solving for weights met with, for the very first resamples.
    pub diagnoses: Vec<Option<Diagnosis>>,
    /// By setting: what the fit met with, for the very first resamples.
    pub(crate) remarks: Vec<Option<Remark>>,
    /// By setting, point and output: predictions at the probe points, for the very first resamples.
    pub(crate) probe: Vec<f64>,
}

/// Why a run did not end.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RunError {
    /// It was told to stop.
    #[error("stopped after {done} of {total} resamples")]
    Stopped {
        /// How many resamples were finished.
        done: u64,
        /// How many there were to be.
        total: u64,
    },
    /// The machine would not start so many threads.
    #[error("cannot start the threads: {0}")]
    Threads(String),
    /// A simulation was given values that it does not allow.
    #[error("{0}")]
    Setup(String),
    /// Truth or noise has no finite value at an input.
    #[error("{0} (resample {1})")]
    Problem(NotFinite, u64),
    /// A learner gave something that is not a number.
    #[error("`{learner}`{setting} gave {} in resample {resample}{}{reason}", count.what(), count.further())]
    Learner {
        /// Which learner.
        learner: String,
        /// Which setting, as text: the first.
        setting: String,
        /// In which resample.
        resample: u64,
        /// How many there were.
        count: NotNumbers,
        /// Why, as far as the learner knows: empty, or `: ` and the reason.
        reason: String,
    },
}

/// How much of what a learner gave in one resample is not a number. None of it was averaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotNumbers {
    /// How many predictions of the setting at test points are not finite; none where their squared
    /// errors, or the predictions at training points, are not.
    pub predictions: usize,
    /// Of how many.
    pub of: usize,
    /// How many settings of the learner gave something that is not a number.
    pub settings: usize,
    /// Of how many that are fitted together.
    pub of_settings: usize,
}

impl NotNumbers {
    fn what(&self) -> String {
        match (self.predictions, self.of) {
            (0, _) => "errors that are not finite".to_owned(),
            (1, 1) => "a prediction that is not finite".to_owned(),
            (some, of) => format!("{some} of {of} predictions that are not finite"),
        }
    }

    fn further(&self) -> String {
        match (self.settings, self.of_settings) {
            (_, 1) => String::new(),
            (some, of) => format!(" ({some} of its {of} settings did)"),
        }
    }
}

/// A group's resamples so far: what is saved as a run goes, and what a run can begin with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupState {
    /// Which group.
    pub group: usize,
    /// How many of its blocks are done, which are its first ones.
    pub blocks: usize,
    /// One tally per learner.
    pub tallies: Vec<Tally>,
}

impl GroupState {
    /// At least as many bytes as a group of a plan takes up when it is saved.
    pub fn most_bytes(plan: &Plan) -> u64 {
        let values = plan.test.points.len() as u64 * plan.problem().outputs() as u64;
        // Mean, squares, seven contrasts, and three sums over members, of 8 bytes each.
        let sums = values.saturating_mul(12 * 8);
        // As many bins of a histogram as there are resamples, or as there are numbers of its precision.
        let total = plan.most_resamples();
        let group = total.div_ceil(groups_for(total).max(1) as u64);
        let bins = group.min(1 << 19).saturating_mul(15);
        // The risks of a block that are not counted yet, and single numbers.
        let rest = 32 * 20 + 256;
        let each = sums.saturating_add(bins).saturating_add(rest);
        let curves = 1024 * plan.paths.len() as u64;
        (plan.settings() as u64)
            .saturating_mul(each)
            .saturating_add(curves)
    }

    /// Whether a run of so many resamples can have saved it: it has the size of `empty`, and as many
    /// resamples as its blocks have. What is read from a file may be anything.
    fn fits(&self, empty: &[Tally], total: u64) -> bool {
        let count = blocks::count(self.group, self.blocks, total, groups_for(total) as u64);
        self.tallies.len() == empty.len()
            && self.tallies.iter().zip(empty).all(|(mine, empty)| {
                mine.fits(empty) && mine.is_sound() && Some(mine.count()) == count
            })
    }
}

/// One of several parts of a run, which owns every `of`-th group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which one, from 1.
    pub index: usize,
    /// Of how many.
    pub of: usize,
}

impl Shard {
    /// Whether a group belongs to it.
    pub fn owns(&self, group: usize) -> bool {
        group.checked_rem(self.of).map(|rest| rest + 1) == Some(self.index)
    }
}

/// What an earlier run of the same plan had done of a slab.
pub type Begun<'a> = dyn Fn(usize) -> Vec<GroupState> + 'a;

/// How a run is carried out. None of it changes a digit of the results.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// On how many threads.
    pub threads: usize,
    /// Who watches.
    pub observer: &'a dyn Observer,
    /// What was done before, by slab.
    pub begun: Option<&'a Begun<'a>>,
}

impl<'a> Options<'a> {
    /// A run from the beginning.
    pub fn new(threads: usize, observer: &'a dyn Observer) -> Self {
        Options {
            threads,
            observer,
            begun: None,
        }
    }
}

/// Runs a plan on so many threads.
///
/// # Errors
///
/// If it is stopped, or if the problem or a learner gives a value that is not finite.
pub fn run(plan: &Plan, threads: usize, observer: &dyn Observer) -> Result<Results, RunError> {
    run_with(plan, Options::new(threads, observer))
}

/// How one slab is run.
#[derive(Clone, Copy)]
struct Pass<'a> {
    slab: usize,
    options: Options<'a>,
    /// Whether every group is saved when all are complete.
    save_all: bool,
}

/// Runs the groups of one shard, all settings at once, and saves them when they are complete.
fn run_shard_pass(plan: &Plan, shard: Shard, pass: Pass) -> Result<(), RunError> {
    let (truth, noise) = at_test_points(plan)?;
    let mut pool = Pool::new(plan, &truth, &noise, pass, Some(shard))?;
    pool.advance(plan.most_resamples())?;
    pool.save_all();
    Ok(())
}

/// The best possible prediction at the test points, by point and output, and by problem the noise
/// there: the least risk.
type AtTestPoints = (Vec<f64>, Vec<Vec<f64>>);

fn at_test_points(plan: &Plan) -> Result<AtTestPoints, RunError> {
    at_points(plan, &plan.test.points)
}

/// The same at other points.
fn at_points(plan: &Plan, points: &Points) -> Result<AtTestPoints, RunError> {
    let problem_error = |error| RunError::Problem(error, 0);
    let outputs = plan.problem().outputs();
    let truth = plan.problem().truth_of(points);
    let truth = truth.map_err(problem_error)?;
    let loss = plan.run.loss;
    let mut noise: Vec<Vec<f64>> = Vec::new();
    for problem in &plan.problems {
        noise.push(match problem.labels {
            Labels::Numbers { .. } => {
                let variances = points.rows().map(|x| Ok(square(problem.sd_at(x)?)));
                variances.collect::<Result<_, _>>().map_err(problem_error)?
            }
            Labels::Classes(_) => truth.chunks_exact(outputs).map(|p| loss.least(p)).collect(),
            Labels::Rows(_) => vec![0.0; points.len()],
        });
    }
    Ok((truth, noise))
}

/// Runs all settings of a plan at once.
fn run_pass(plan: &Plan, pass: Pass) -> Result<Results, RunError> {
    let problem_error = |error| RunError::Problem(error, 0);
    let (truth, noise) = at_test_points(plan)?;
    let observer = pass.options.observer;
    let total = plan.most_resamples();
    let mut pool = Pool::new(plan, &truth, &noise, pass, None)?;
    let afresh = pool.afresh;
    let mut reached = None;
    let decompositions = match plan.run.length {
        Length::Resamples(count) => {
            if observer.watches() && afresh {
                // Rounds that end where every group has finished the same block.
                let groups = groups_for(count) as u64;
                let ends = (0..).map(|round| boundary(round) * groups);
                for end in ends.take_while(|end| *end < count) {
                    pool.advance(end)?;
                    observer.frame(end, &pool.decompose(&truth, &noise)?);
                }
            }
            pool.advance(count)?;
            pool.decompose(&truth, &noise)?
        }
        Length::Precision { share, most } => loop {
            // A round ends where every group has finished the same block.
            let round = boundary(pool.rounds) * groups_for(most) as u64;
            pool.advance(round.min(most))?;
            let decompositions = pool.decompose(&truth, &noise)?;
            // A mean with too heavy a tail would never settle.
            let count = pool.resamples;
            let parts = decompositions.iter().flat_map(|learner| &learner.parts);
            let parts = parts.filter(|parts| !parts.is_spoiled());
            let shares = parts.map(|parts| parts.risk_resampling_se / parts.risk.value);
            reached = shares.filter(|share| !share.is_nan()).reduce(f64::max);
            if reached.is_some_and(|worst| worst <= share) || round >= most {
                break decompositions;
            }
            if observer.watches() {
                observer.frame(count, &decompositions);
            }
        },
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
    let mut learners = Vec::new();
    for (path, decomposition) in plan.paths.iter().zip(decompositions) {
        let exact = exact_forms(plan, path, &pool.executor, &|| must_stop(observer));
        let exact = exact.map_err(problem_error)?;
        if observer.stopped() {
            return Err(RunError::Stopped {
                done: resamples,
                total,
            });
        }
        let fits = kept.iter().map(|kept| &kept.fits[learners.len()]);
        let remarks = remarked(fits.clone(), path.curve.settings());
        let diagnoses = medians(fits, path.curve.settings());
        learners.push(LearnerResults {
            decomposition,
            exact,
            expected: expected(plan, path),
            diagnoses,
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

/// The exact forms of all stages of a learner, or `None` where one has none.
fn exact_forms(
    plan: &Plan,
    path: &CapacityPath,
    executor: &Executor,
    stopped: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Exact>, NotFinite> {
    let points = &plan.test.points;
    let length = points.len();
    let none = || vec![f64::NAN; path.curve.settings() * length];
    let mut all = Exact {
        bias2: none(),
        variance: none(),
    };
    for stage in &path.stages {
        let problem = &plan.problems[stage.problem];
        let seed = plan.run.seed;
        let learner = &*stage.learner;
        let exact = exact::exact_on(executor, learner, problem, seed, points, stopped)?;
        let Some(exact) = exact else {
            return Ok(None);
        };
        for (c, &setting) in stage.settings.iter().enumerate() {
            let (from, to) = (c * length, setting * length);
            all.bias2[to..to + length].copy_from_slice(&exact.bias2[from..from + length]);
            all.variance[to..to + length].copy_from_slice(&exact.variance[from..from + length]);
        }
    }
    Ok(Some(all))
}

/// Puts what the stages of a learner give into the order of the curve's settings; `None` where one
/// stage gives nothing.
fn by_setting<T: Clone>(
    path: &CapacityPath,
    of: impl Fn(&Stage) -> Option<Vec<T>>,
) -> Option<Vec<T>> {
    let mut all: Vec<Option<T>> = vec![None; path.curve.settings()];
    for stage in &path.stages {
        for (one, &setting) in of(stage)?.into_iter().zip(&stage.settings) {
            all[setting] = Some(one);
        }
    }
    all.into_iter().collect()
}

/// The exact averages of a learner over the whole distribution of the inputs, which only test
/// points drawn from it stand for.
fn expected(plan: &Plan, path: &CapacityPath) -> Option<Vec<Expected>> {
    match plan.test.kind {
        TestKind::Drawn => by_setting(path, |stage| {
            stage.learner.expected(&plan.problems[stage.problem])
        }),
        TestKind::Grid | TestKind::Inputs | TestKind::Rows => None,
    }
}

/// By setting, what was remarked on the first training sets.
fn remarked<'a>(
    fits: impl Iterator<Item = &'a KeptFit> + Clone,
    settings: usize,
) -> Vec<Option<Remarked>> {
    let first = fits.take(worker::DIAGNOSED as usize);
    let of = first.clone().count();
    let each = (0..settings).map(|setting| {
        let found = first.clone().filter_map(|fit| fit.remarks[setting]);
        let remark = found.clone().next()?;
        let count = found.filter(|other| *other == remark).count();
        Some(Remarked { remark, count, of })
    });
    each.collect()
}

/// By setting, the medians of what the solving for weights met with.
fn medians<'a>(
    fits: impl Iterator<Item = &'a KeptFit> + Clone,
    settings: usize,
) -> Option<Vec<Diagnosis>> {
    let median = |setting: usize, number: fn(&Diagnosis) -> f64| {
        let found = fits
            .clone()
            .filter_map(|fit| fit.diagnoses[setting].as_ref());
        let mut found: Vec<f64> = found.map(number).collect();
        found.sort_by(f64::total_cmp);
        let middle = found.len().checked_sub(1)? / 2;
        Some((found[middle] + found[found.len() / 2]) / 2.0)
    };
    let all = (0..settings).map(|setting| {
        Some(Diagnosis {
            rank: median(setting, |found| found.rank)?,
            condition: median(setting, |found| found.condition)?,
            weight_norm: median(setting, |found| found.weight_norm)?,
        })
    });
    all.collect()
}

/// Workers, and the groups they fill.
struct Pool<'a> {
    plan: &'a Plan,
    pass: Pass<'a>,
    shard: Option<Shard>,
    executor: Executor,
    /// Whether nothing had been done before.
    afresh: bool,
    workers: Vec<Mutex<Worker<'a>>>,
    groups: Vec<Mutex<Group>>,
    kept: Vec<Kept>,
    probes: Probes,
    total: u64,
    resamples: u64,
    rounds: usize,
}

/// A group's resamples so far, one tally per learner, and finished blocks that wait for an
/// earlier one.
struct Group {
    tallies: Vec<Tally>,
    joined: usize,
    waiting: Vec<(usize, Vec<Tally>)>,
}

impl<'a> Pool<'a> {
    fn new(
        plan: &'a Plan,
        truth: &'a [f64],
        noise: &[Vec<f64>],
        pass: Pass<'a>,
        shard: Option<Shard>,
    ) -> Result<Self, RunError> {
        let total = plan.most_resamples();
        let executor = Executor::new(pass.options.threads)?;
        let begun = pass.options.begun.map(|begun| begun(pass.slab));
        let begun = begun.unwrap_or_default();
        let afresh = begun.is_empty();
        let empty = worker::tallies(plan);
        // Empty groups are made only where there are none: together they may fill the memory.
        let begun = begun.into_iter().filter(|state| state.fits(&empty, total));
        let mut begun: HashMap<usize, GroupState> =
            begun.map(|state| (state.group, state)).collect();
        let groups: Vec<Group> = (0..groups_for(total))
            .map(|group| {
                let (joined, tallies) = match begun.remove(&group) {
                    Some(state) => (state.blocks, state.tallies),
                    None => (0, empty.clone()),
                };
                Group {
                    tallies,
                    joined,
                    waiting: Vec::new(),
                }
            })
            .collect();
        // A round is begun only after the one before it was looked at.
        let begun = groups.iter().map(|group| group.joined).max().unwrap_or(0);
        let rounds = match plan.run.length {
            Length::Resamples(_) => 0,
            Length::Precision { .. } => begun.saturating_sub(1),
        };
        let workers = (0..executor.threads())
            .map(|_| Mutex::new(Worker::new(plan, truth, noise)))
            .collect();
        Ok(Pool {
            plan,
            pass,
            shard,
            executor,
            afresh,
            workers,
            groups: groups.into_iter().map(Mutex::new).collect(),
            kept: Vec::new(),
            probes: Probes::new(plan),
            total,
            resamples: 0,
            rounds,
        })
    }

    /// Goes on until there are `count` resamples.
    fn advance(&mut self, count: u64) -> Result<(), RunError> {
        let groups = self.groups.len() as u64;
        let next = AtomicU64::new(0);
        let begun: Vec<usize> = self.groups.iter().map(|group| lock(group).joined).collect();
        let first = begun.iter().copied().min().unwrap_or(0);
        let shard = self.shard;
        let owned = |group: usize| shard.is_none_or(|shard| shard.owns(group));
        let take = || loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let block = blocks::block(first, number, count, groups)?;
            if owned(block.group) && block.index >= begun[block.group] {
                return Some(block);
            }
        };
        let before = self.groups.iter().map(|group| {
            let group = lock(group);
            group.tallies.first().map_or(0, Tally::count)
        });
        let done = AtomicU64::new(before.sum());
        let slab = self.pass.slab;
        let (failed, interrupted) = (AtomicBool::new(false), AtomicBool::new(false));
        let failure: Mutex<Option<(u64, RunError)>> = Mutex::new(None);
        let kept = Mutex::new(&mut self.kept);
        let (workers, shared_groups) = (&self.workers, &self.groups);
        let (observer, total) = (self.pass.options.observer, self.total);
        let stopped = || must_stop(observer) || failed.load(Ordering::Relaxed);
        self.executor.broadcast(|thread| {
            let mut worker = lock(&workers[thread]);
            while let Some(block) = take() {
                worker.begin();
                for resample in block.resamples(groups) {
                    if stopped() {
                        return;
                    }
                    match worker.resample(resample, &Interrupt::new(&stopped)) {
                        Ok(None) => {}
                        Ok(Some(one)) => {
                            if observer.watches() {
                                observer.kept(&one);
                            }
                            lock(&kept).push(one);
                        }
                        // The block is dropped with its resamples.
                        Err(Unfinished::Interrupted) => {
                            interrupted.store(true, Ordering::Relaxed);
                            return;
                        }
                        Err(Unfinished::Failed(error)) => {
                            failed.store(true, Ordering::Relaxed);
                            let mut failure = lock(&failure);
                            if failure.as_ref().is_none_or(|(first, _)| resample < *first) {
                                *failure = Some((resample, error));
                            }
                            return;
                        }
                    }
                    observer.progress(done.fetch_add(1, Ordering::Relaxed) + 1, total);
                }
                let mut group = lock(&shared_groups[block.group]);
                group.join(&block, &worker.tallies);
                if observer.saves() && observer.save_is_due(slab, block.group) {
                    observer.save(slab, &group.state(block.group));
                }
            }
        });
        let failure = failure
            .into_inner()
            .unwrap_or_else(|poison| poison.into_inner());
        if let Some((_, error)) = failure {
            return Err(error);
        }
        if interrupted.into_inner() || observer.stopped() {
            let done = done.into_inner();
            return Err(RunError::Stopped { done, total });
        }
        self.resamples = count;
        self.rounds += 1;
        Ok(())
    }

    /// Saves every group of this shard as it is.
    fn save_all(&self) {
        let observer = self.pass.options.observer;
        if !observer.saves() {
            return;
        }
        for (index, group) in self.groups.iter().enumerate() {
            if self.shard.is_none_or(|shard| shard.owns(index)) {
                observer.save(self.pass.slab, &lock(group).state(index));
            }
        }
    }

    /// Draws again what is to be kept of resamples that an earlier run had done.
    fn keep_the_rest(&mut self) -> Result<(), RunError> {
        let most = worker::most_kept(self.plan).min(self.resamples);
        let have: HashSet<u64> = self.kept.iter().map(|kept| kept.resample).collect();
        let missing: Vec<u64> = (0..most).filter(|r| !have.contains(r)).collect();
        let next = AtomicUsize::new(0);
        let found: Mutex<Vec<Result<Option<Kept>, Unfinished>>> = Mutex::new(Vec::new());
        let workers = &self.workers;
        let observer = self.pass.options.observer;
        let stopped = || must_stop(observer);
        self.executor.broadcast(|thread| {
            let mut worker = lock(&workers[thread]);
            while let Some(resample) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
                if stopped() {
                    lock(&found).push(Err(Unfinished::Interrupted));
                    return;
                }
                worker.begin();
                let one = worker.resample(*resample, &Interrupt::new(&stopped));
                lock(&found).push(one);
            }
        });
        let found = found.into_inner();
        for one in found.unwrap_or_else(|poison| poison.into_inner()) {
            match one {
                Ok(kept) => self.kept.extend(kept),
                Err(Unfinished::Failed(error)) => return Err(error),
                Err(Unfinished::Interrupted) => {
                    return Err(RunError::Stopped {
                        done: self.resamples,
                        total: self.total,
                    });
                }
            }
        }
        Ok(())
    }

    /// The estimates from the resamples so far.
    fn decompose(
        &mut self,
        truth: &[f64],
        noise: &[Vec<f64>],
    ) -> Result<Vec<Decomposition>, RunError> {
        self.keep_the_rest()?;
        let groups: Vec<_> = self.groups.iter().map(lock).collect();
        let tallies: Vec<&[Tally]> = groups.iter().map(|group| &*group.tallies).collect();
        let probed = self.probes.judge(self.plan, &self.kept, self.resamples);
        Ok(decompose_groups(self.plan, truth, noise, &tallies, probed))
    }
}

/// Splits the error of every learner, from the tallies of all groups.
fn decompose_groups(
    plan: &Plan,
    truth: &[f64],
    noise: &[Vec<f64>],
    groups: &[&[Tally]],
    probed: Option<&ProbedSettings>,
) -> Vec<Decomposition> {
    let test = &plan.test;
    let decompose = |(which, path): (usize, &CapacityPath)| {
        let tallies: Vec<&Tally> = groups.iter().map(|tallies| &tallies[which]).collect();
        let problems = path.problems();
        let noise: Vec<&[f64]> = problems.iter().map(|p| noise[*p].as_slice()).collect();
        let mut split = decompose::decompose(
            &tallies,
            Tested {
                loss: plan.run.loss,
                outputs: plan.problem().outputs(),
                truth,
                noise: &noise,
                weights: &test.weights,
                drawn: matches!(test.kind, TestKind::Drawn | TestKind::Rows),
                members: by_setting(path, |stage| stage.learner.members()).as_deref(),
                moments: by_setting(path, |stage| {
                    stage.learner.moments(&plan.problems[stage.problem])
                })
                .as_deref(),
                noise_degrees: plan.problem().noise().and_then(Noise::degrees),
                probed: probed.map(|probed| &*probed[which]),
            },
        );
        if plan.problem().rows().is_some() {
            split.forget_noise();
        }
        split
    };
    plan.paths.iter().enumerate().map(decompose).collect()
}

impl Group {
    fn state(&self, group: usize) -> GroupState {
        GroupState {
            group,
            blocks: self.joined,
            tallies: self.tallies.clone(),
        }
    }

    /// Joins a finished block in its turn; one that is early waits.
    fn join(&mut self, block: &Block, tallies: &[Tally]) {
        if block.index == self.joined {
            self.add(tallies);
        } else {
            self.waiting.push((block.index, tallies.to_vec()));
        }
        while let Some(place) = self
            .waiting
            .iter()
            .position(|(index, _)| *index == self.joined)
        {
            let (_, tallies) = self.waiting.swap_remove(place);
            self.add(&tallies);
        }
    }

    fn add(&mut self, tallies: &[Tally]) {
        for (mine, theirs) in self.tallies.iter_mut().zip(tallies) {
            mine.join(theirs);
        }
        self.joined += 1;
    }
}

/// A worker that panics ends the run anyway; its lock is no reason to panic again.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poison| poison.into_inner())
}
