//! What clients see of a run while it goes on.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::run::SharedRun;
use crate::messages;
use crate::sequence::Sequence;
use bvlab_core::decompose::Decomposition;
use bvlab_core::engine::{KeptResample, Observer};
use bvlab_core::simulation::Row;

/// How often a run without frames reports its progress.
const PROGRESS: Duration = Duration::from_millis(250);

/// Publishes the progress of a run, and makes it wait for its turn.
pub struct RunObserver<'a> {
    run: &'a SharedRun,
    /// Whether the page shows only figures.
    pub pictured: bool,
    /// The number of resamples in the last frame.
    reached: AtomicU64,
    /// When progress was last reported.
    last_progress: Mutex<Instant>,
    first: Mutex<Option<Sequence>>,
}

impl<'a> RunObserver<'a> {
    pub fn new(run: &'a SharedRun, started: Instant) -> Self {
        RunObserver {
            run,
            pictured: messages::pictured(&run.experiment).is_some(),
            reached: AtomicU64::new(0),
            last_progress: Mutex::new(started),
            first: Mutex::new(Sequence::new(&run.experiment)),
        }
    }

    /// The number of resamples behind what clients have been sent.
    pub fn reached(&self) -> u64 {
        self.reached.load(Ordering::Relaxed)
    }

    /// Publishes the frames of the first resamples that have not been published yet.
    pub fn publish_first_frames(&self) {
        let mut first = self
            .first
            .lock()
            .unwrap_or_else(|poison| poison.into_inner());
        if let Some(first) = &mut *first {
            let frames = first.frames();
            frames.iter().for_each(|frame| self.run.publish(frame));
            self.reached.fetch_max(first.count(), Ordering::Relaxed);
        }
    }
}

impl Observer for RunObserver<'_> {
    fn progress(&self, done: u64, _: u64) {
        if !self.pictured {
            return;
        }
        self.reached.fetch_max(done, Ordering::Relaxed);
        if let Ok(mut last) = self.last_progress.try_lock()
            && last.elapsed() > PROGRESS
        {
            *last = Instant::now();
            self.run.publish(&messages::progress(done));
        }
    }

    fn wait_turn(&self) {
        self.run.wait_turn();
    }

    fn stopped(&self) -> bool {
        self.run.must_stop()
    }

    fn watches(&self) -> bool {
        !self.pictured || self.run.experiment.plan().is_none()
    }

    fn table(&self, count: u64, rows: &[Row]) {
        self.reached.fetch_max(count, Ordering::Relaxed);
        self.run.keep_partial(count, rows);
        self.run.publish(&messages::partial(count));
    }

    fn kept(&self, kept: &KeptResample) {
        let experiment = &self.run.experiment;
        let (Some(plan), true) = (
            experiment.plan(),
            kept.resample < messages::sent(experiment) as u64,
        ) else {
            return;
        };
        self.run.publish(&messages::draw(plan, kept));
        if let Ok(mut first) = self.first.lock()
            && let Some(first) = &mut *first
        {
            first.add(kept);
        }
        if self.run.is_slow() {
            self.publish_first_frames();
        }
    }

    fn frame(&self, count: u64, learners: &[Decomposition]) {
        self.reached.fetch_max(count, Ordering::Relaxed);
        if let Some(plan) = self.run.experiment.plan() {
            self.run
                .publish(&messages::frame(count, plan, learners, true));
        }
    }
}
