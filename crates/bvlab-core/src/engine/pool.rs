//! Workers, and the groups that they fill.

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use super::blocks::{self, ResampleBlock};
use super::executor::Executor;
use super::observer::must_stop;
use super::pass::Pass;
use super::probe::Probes;
use super::summary::decompose_groups;
use super::worker::{self, Unfinished, Worker};
use super::{GroupState, KeptResample, RunError, Shard};
use crate::decompose::{Decomposition, Tally, groups_for};
use crate::interrupt::Interrupt;
use crate::plan::{Length, Plan};

/// Workers, and the groups they fill.
pub(super) struct Pool<'a> {
    pub plan: &'a Plan,
    truth: &'a [f64],
    noise: &'a [Vec<f64>],
    pub pass: Pass<'a>,
    shard: Option<Shard>,
    pub executor: Executor,
    /// Whether no groups of an earlier run were given.
    pub afresh: bool,
    workers: Vec<Mutex<Worker<&'a Plan>>>,
    groups: Vec<Mutex<GroupProgress>>,
    pub kept: Vec<KeptResample>,
    probes: Probes,
    pub total: u64,
    pub resamples: u64,
    pub rounds: usize,
}

/// The tallies of a group so far, one per learner, and finished blocks that wait for an earlier one.
pub(super) struct GroupProgress {
    tallies: Vec<Tally>,
    joined: usize,
    waiting: Vec<(usize, Vec<Tally>)>,
}

impl<'a> Pool<'a> {
    pub fn new(
        plan: &'a Plan,
        truth: &'a [f64],
        noise: &'a [Vec<f64>],
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
        let groups: Vec<GroupProgress> = (0..groups_for(total))
            .map(|group| {
                let (joined, tallies) = match begun.remove(&group) {
                    Some(state) => (state.blocks, state.tallies),
                    None => (0, empty.clone()),
                };
                GroupProgress {
                    tallies,
                    joined,
                    waiting: Vec::new(),
                }
            })
            .collect();
        // A round starts only after the one before it was judged.
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
            truth,
            noise,
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

    /// Runs until there are `count` resamples in all.
    pub fn advance(&mut self, count: u64) -> Result<(), RunError> {
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
    pub fn save_all(&self) {
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

    /// Fits again the resamples that must be kept and that an earlier run has finished.
    fn restore_kept(&mut self) -> Result<(), RunError> {
        let most = worker::most_kept(self.plan).min(self.resamples);
        let have: HashSet<u64> = self.kept.iter().map(|kept| kept.resample).collect();
        let missing: Vec<u64> = (0..most).filter(|r| !have.contains(r)).collect();
        let next = AtomicUsize::new(0);
        let found: Mutex<Vec<Result<Option<KeptResample>, Unfinished>>> = Mutex::new(Vec::new());
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
    pub fn decompose(&mut self) -> Result<Vec<Decomposition>, RunError> {
        self.restore_kept()?;
        let groups: Vec<_> = self.groups.iter().map(lock).collect();
        let tallies: Vec<&[Tally]> = groups.iter().map(|group| &*group.tallies).collect();
        let probed = self.probes.judge(self.plan, &self.kept, self.resamples);
        Ok(decompose_groups(
            self.plan, self.truth, self.noise, &tallies, probed,
        ))
    }
}

impl GroupProgress {
    /// Nothing joined yet.
    pub fn new(tallies: Vec<Tally>) -> Self {
        GroupProgress {
            tallies,
            joined: 0,
            waiting: Vec::new(),
        }
    }

    pub fn state(&self, group: usize) -> GroupState {
        GroupState {
            group,
            blocks: self.joined,
            tallies: self.tallies.clone(),
        }
    }

    /// Joins finished blocks in order; a block that is early waits.
    pub fn join(&mut self, block: &ResampleBlock, tallies: &[Tally]) {
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

/// Locks even after a panic: a worker that panics ends the run anyway.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poison| poison.into_inner())
}
