//! Saving what is done as a run goes.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use bvlab_core::engine::{GroupState, Observer};

use super::{OutcomeError, SavedGroups};

/// An observer that saves the groups of a run every so often, and passes everything else on. Groups
/// that take long to save are saved less often.
pub struct Saving<'a> {
    inner: &'a dyn Observer,
    parts: &'a SavedGroups,
    every: Duration,
    /// By slab and group, when it is to be saved next.
    due: Mutex<HashMap<(usize, usize), Instant>>,
    begun: Instant,
    failed: Mutex<Option<OutcomeError>>,
    warn: &'a (dyn Fn(&OutcomeError) + Sync),
}

impl<'a> Saving<'a> {
    /// Saves to `parts`; `warn` hears of the first group that cannot be saved. A full disk must not
    /// end a run that may still finish.
    pub fn new(
        inner: &'a dyn Observer,
        parts: &'a SavedGroups,
        every: Duration,
        warn: &'a (dyn Fn(&OutcomeError) + Sync),
    ) -> Self {
        Saving {
            inner,
            parts,
            every,
            due: Mutex::default(),
            begun: Instant::now(),
            failed: Mutex::default(),
            warn,
        }
    }

    /// Why a group could not be saved, if one could not.
    pub fn into_failure(self) -> Option<OutcomeError> {
        self.failed
            .into_inner()
            .unwrap_or_else(|poison| poison.into_inner())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poison| poison.into_inner())
}

impl Observer for Saving<'_> {
    fn next(&self) -> Option<&dyn Observer> {
        Some(self.inner)
    }

    fn saves(&self) -> bool {
        true
    }

    fn save_is_due(&self, slab: usize, group: usize) -> bool {
        let first = self.begun + self.every;
        let due = lock(&self.due);
        Instant::now() >= due.get(&(slab, group)).copied().unwrap_or(first)
    }

    fn save(&self, slab: usize, state: &GroupState) {
        let started = Instant::now();
        if let Err(error) = self.parts.of_slab(slab).save(state) {
            let mut failed = lock(&self.failed);
            if failed.is_none() {
                (self.warn)(&error);
                *failed = Some(error);
            }
        }
        let pause = self.every.max(20 * started.elapsed());
        lock(&self.due).insert((slab, state.group), Instant::now() + pause);
    }
}
