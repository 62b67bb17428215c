//! What watches a run from outside.

use super::{GroupState, KeptResample};
use crate::decompose::Decomposition;
use crate::row::Row;

/// Watches a run from outside: progress bars, pages, saving and Ctrl-C all use this one trait.
///
/// Observers form a chain: what an observer does not handle goes to the next ([`Observer::next`]).
pub trait Observer: Sync {
    /// The observer that receives everything that this one does not handle.
    fn next(&self) -> Option<&dyn Observer> {
        None
    }

    /// Called when `done` of at most `total` resamples are finished.
    fn progress(&self, done: u64, total: u64) {
        if let Some(next) = self.next() {
            next.progress(done, total);
        }
    }

    /// Called before every resample, and every few milliseconds within a long one. It may block until
    /// it is the run's turn.
    fn wait_turn(&self) {
        if let Some(next) = self.next() {
            next.wait_turn();
        }
    }

    /// Whether the run must stop; asked after every [`Observer::wait_turn`].
    fn stopped(&self) -> bool {
        self.next().is_some_and(|next| next.stopped())
    }

    /// Whether the run calls [`Observer::kept`] and [`Observer::frame`], or [`Observer::table`], as it
    /// goes.
    fn watches(&self) -> bool {
        self.next().is_some_and(|next| next.watches())
    }

    /// Called for every kept resample once it is fitted, in no fixed order.
    fn kept(&self, kept: &KeptResample) {
        if let Some(next) = self.next() {
            next.kept(kept);
        }
    }

    /// Called with the estimates from the first `count` resamples, one per learner: to the last bit
    /// those of a run of `count` resamples.
    fn frame(&self, count: u64, learners: &[Decomposition]) {
        if let Some(next) = self.next() {
            next.frame(count, learners);
        }
    }

    /// Called with the table of a simulation after its first `count` resamples: to the last bit that of a
    /// run of `count` resamples.
    fn table(&self, count: u64, rows: &[Row]) {
        if let Some(next) = self.next() {
            next.table(count, rows);
        }
    }

    /// Whether the run calls [`Observer::save_is_due`] and [`Observer::save`].
    fn saves(&self) -> bool {
        self.next().is_some_and(|next| next.saves())
    }

    /// Whether a group of a slab, which has just grown, should be saved now.
    fn save_is_due(&self, slab: usize, group: usize) -> bool {
        self.next()
            .is_some_and(|next| next.save_is_due(slab, group))
    }

    /// Saves a group of a slab: one that is due, and every group when its slab or shard is complete.
    fn save(&self, slab: usize, state: &GroupState) {
        if let Some(next) = self.next() {
            next.save(slab, state);
        }
    }
}

/// Waits for the run's turn, then returns whether it must stop.
pub(super) fn must_stop(observer: &dyn Observer) -> bool {
    observer.wait_turn();
    observer.stopped()
}

/// Watches nothing.
pub struct Unwatched;

impl Observer for Unwatched {}
