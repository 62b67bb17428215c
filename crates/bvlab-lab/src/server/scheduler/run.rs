//! One run, shared by all clients that asked for it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, RwLock, RwLockWriteGuard};
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::Value;
use tokio::sync::watch;

use super::observer::RunObserver;
use super::schedule::{LONG, TURN};
use crate::limits::Limits;
use crate::messages;
use crate::partial::PartialTables;
use crate::server::identity::Client;
use bvlab_core::engine::{Observer, Options, RunError};
use bvlab_core::simulation::Row;
use bvlab_core::task::{Outcome, Task};
use bvlab_experiment::Experiment;
use bvlab_outcome::{Statements, Tables, report};

/// After how much computing time a run counts as slow: the frames of its first training sets are then
/// published as they come. Those of a fast run are made only on request.
const SLOW: Duration = Duration::from_millis(150);

/// A run and its messages so far.
pub struct SharedRun {
    pub(super) key: String,
    pub(super) client: Client,
    pub(super) lecturer: AtomicBool,
    pub(super) limits: Limits,
    pub(super) memory: usize,
    pub(super) threads: usize,
    pub(super) experiment: Arc<Experiment>,
    /// The number of listeners; changed only while the schedule is locked.
    pub(super) listeners: AtomicUsize,
    pub(super) cancelled: AtomicBool,
    /// Whether it has used up its computing time.
    pub(super) overdue: AtomicBool,
    has_turn: AtomicBool,
    gate: Mutex<()>,
    turn_changed: Condvar,
    /// When it was first requested.
    pub(super) requested: Instant,
    /// Its computing time so far, in microseconds.
    pub(super) used: AtomicU64,
    pub(super) log: RwLock<Log>,
    pub(super) news: watch::Sender<usize>,
    /// The outcome, and those of variants where they were computed.
    pub(super) outcome: OnceLock<(Outcome, Vec<Outcome>)>,
    /// Of a simulation: its tables on the way.
    partial: Mutex<PartialTables>,
}

/// The messages of a run, one JSON object per line.
#[derive(Default)]
pub struct Log {
    pub messages: Vec<Bytes>,
    /// In bytes.
    pub size: usize,
    pub finished: bool,
}

/// Takes turns and stops as another observer, and watches nothing.
struct Aside<'a>(&'a RunObserver<'a>);

impl Observer for Aside<'_> {
    fn wait_turn(&self) {
        self.0.wait_turn();
    }

    fn stopped(&self) -> bool {
        self.0.stopped()
    }
}

impl SharedRun {
    /// A run with one listener, on one thread, without memory reserved for it.
    pub fn new(
        key: String,
        experiment: Arc<Experiment>,
        client: Client,
        requested: Instant,
    ) -> Self {
        SharedRun {
            key,
            client,
            lecturer: AtomicBool::new(client.lecturer),
            limits: *client.limits(),
            memory: 0,
            threads: 1,
            experiment,
            listeners: AtomicUsize::new(1),
            cancelled: AtomicBool::new(false),
            overdue: AtomicBool::new(false),
            has_turn: AtomicBool::new(true),
            gate: Mutex::new(()),
            turn_changed: Condvar::new(),
            requested,
            used: AtomicU64::new(0),
            log: RwLock::default(),
            news: watch::Sender::new(0),
            outcome: OnceLock::new(),
            partial: Mutex::default(),
        }
    }

    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
        self.turn_changed.notify_all();
    }

    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    pub fn is_lecturer(&self) -> bool {
        self.lecturer.load(Ordering::Relaxed)
    }

    /// Its computing time so far, in microseconds.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Adds computing time, and notes when there is more than the limit.
    pub fn charge(&self, microseconds: u64) {
        let used = self.used.fetch_add(microseconds, Ordering::Relaxed) + microseconds;
        if Duration::from_micros(used) > self.limits.time {
            self.overdue.store(true, Ordering::Relaxed);
        }
    }

    pub fn is_long(&self) -> bool {
        self.used() >= LONG.as_micros() as u64
    }

    pub fn is_slow(&self) -> bool {
        self.used() > SLOW.as_micros() as u64
    }

    pub fn has_turn(&self) -> bool {
        self.has_turn.load(Ordering::Relaxed)
    }

    pub fn set_turn(&self, turn: bool) {
        if self.has_turn.swap(turn, Ordering::Relaxed) != turn {
            self.turn_changed.notify_all();
        }
    }

    pub fn must_stop(&self) -> bool {
        self.is_cancelled() || self.overdue.load(Ordering::Relaxed)
    }

    /// Waits for its turn, or until it must stop.
    pub fn wait_turn(&self) {
        if self.has_turn() || self.must_stop() {
            return;
        }
        let mut guard = self
            .gate
            .lock()
            .unwrap_or_else(|poison| poison.into_inner());
        while !self.has_turn() && !self.must_stop() {
            // The flags are not under this lock: a notification that came in between costs one timeout.
            let waited = self.turn_changed.wait_timeout(guard, 2 * TURN);
            (guard, _) = waited.unwrap_or_else(|poison| poison.into_inner());
        }
    }

    /// Sends a message to all listeners, present and future.
    pub fn publish(&self, message: &Value) {
        let mut line = message.to_string();
        line.push('\n');
        let mut log = self.log();
        log.size += line.len();
        log.messages.push(Bytes::from(line));
        self.news.send_replace(log.messages.len());
    }

    /// Marks the last message as the last.
    pub fn finish(&self) {
        self.log().finished = true;
        self.news.send_modify(|_| {});
    }

    fn log(&self) -> RwLockWriteGuard<'_, Log> {
        self.log
            .write()
            .unwrap_or_else(|poison| poison.into_inner())
    }

    /// Keeps the table of a simulation after so many resamples, for pictures of them.
    pub fn keep_partial(&self, count: u64, rows: &[Row]) {
        if let Ok(mut partial) = self.partial.lock() {
            partial.keep(count, rows);
        }
    }

    /// The outcome after so many resamples, if it was kept.
    pub fn partial(&self, count: u64) -> Option<Outcome> {
        self.partial.lock().ok()?.outcome(count)
    }

    pub fn is_finished(&self) -> bool {
        let log = self.log.read();
        log.unwrap_or_else(|poison| poison.into_inner()).finished
    }

    /// About how many bytes it holds once it has ended.
    pub fn cached_size(&self) -> usize {
        let messages = self.log.read().map_or(0, |log| log.size);
        let plan = self.experiment.plan();
        let kept = plan.map_or(0, |plan| plan.run.keep_fits as usize);
        let partial = self.partial.lock().map_or(0, |partial| partial.size());
        messages + partial + 8 * messages::cells(&self.experiment) * (kept + 5)
    }

    /// Runs the experiment on this thread; the last message says how it ended.
    pub fn execute(&self) {
        let started = Instant::now();
        // A bug in one run must not take the lab down.
        if catch_unwind(AssertUnwindSafe(|| self.compute(started))).is_err() {
            let message =
                "the run failed because of a bug in bvlab; please report it with its TOML";
            self.publish(&serde_json::json!({ "is": "error", "message": message, "help": null }));
        }
        self.finish();
    }

    fn compute(&self, started: Instant) {
        let experiment = &*self.experiment;
        let observer = RunObserver::new(self, started);
        let task = &experiment.task;
        let outcome = task.run(Options::new(self.threads, &observer));
        let seconds = started.elapsed().as_secs_f64();
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(RunError::Stopped { .. }) if self.overdue.load(Ordering::Relaxed) => {
                self.publish_overdue(&observer, seconds);
                return;
            }
            Err(RunError::Stopped { .. }) => return,
            Err(error) => {
                self.publish(&messages::error(&error));
                return;
            }
        };
        if self.is_slow() {
            observer.publish_first_frames();
        }
        if let (Task::Study(plan), Outcome::Study(results), false) =
            (task, &outcome, observer.pictured)
        {
            let curves = Tables::main_table(task, &outcome);
            let last = [
                Some(messages::best(plan, results)),
                messages::theory(experiment, &curves),
                messages::solving(experiment, &curves),
                messages::points(experiment, results),
            ];
            last.iter()
                .flatten()
                .for_each(|message| self.publish(message));
        }
        let variants = self.limits.variants(experiment).iter();
        // They take turns and stop as the run does, and nothing of them is shown.
        let variants = variants.map(|one| {
            let aside = Aside(&observer);
            one.experiment.task.run(Options::new(self.threads, &aside))
        });
        let variants: Vec<Outcome> = variants.collect::<Result<_, _>>().unwrap_or_default();
        if experiment.speaks() {
            let statements = Statements::of(experiment, &outcome, &variants);
            self.publish(&messages::words(&statements));
        }
        let seconds = started.elapsed().as_secs_f64();
        let report = report(experiment.heading(), task, &outcome, seconds);
        self.publish(&messages::end(outcome.counts().0, seconds, &report));
        let _ = self.outcome.set((outcome, variants));
    }

    fn publish_overdue(&self, observer: &RunObserver, seconds: f64) {
        let most = self.limits.time.as_secs();
        let consequence = match observer.pictured {
            true => ": use fewer training sets, or smaller numbers",
            false => "; the page shows the training sets finished by then",
        };
        let why = format!("stopped after {most} seconds of computing, the limit here{consequence}");
        self.publish(&messages::stopped(observer.reached(), seconds, &why));
    }
}
