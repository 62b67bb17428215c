//! Runs for many clients at once.
//!
//! Equal requests share one run. Every run has threads of its own. Before every training set, and every
//! few milliseconds within a long one, they ask whether it is their turn. The scheduler gives turns to as
//! many students' runs as there are cores, and to the lecturer's runs always. New runs come first, then
//! short runs that have waited too long, then runs of the clients that have used the least computing time.
//! So a new setting shows at once, no client starves another, a run without listeners stops at its next
//! question, and the numbers of running, waiting and cached runs are bounded.
//!
//! A run that has computed for half a second is *long*. It gives up its place, so that the next run can
//! start; long runs share a quarter of the computing time and whatever the others leave. Otherwise a few
//! clients with long runs would hold all places, and everybody else would wait to start.
//!
//! A client is a network (see `identity`), which may be a whole class: it can have many runs under
//! way, and none is refused as long as there is room. When room is short, runs start in the order of their
//! requests, those of clients with a sixth of the places after the others. Clients with several runs
//! together leave the last quarter of the places to clients that have none. When the queue is full, a new
//! request replaces the latest one of the client that has the most. Half of the memory is reserved for the
//! lecturer, and threads of students' runs have a lower priority.

mod listener;
mod observer;
mod run;
mod schedule;

#[cfg(test)]
mod crowd;
#[cfg(test)]
mod tests;

pub use listener::Listener;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use super::identity::Client;
use super::priority::lower_priority;
use crate::limits::memory;
use crate::messages;
use crate::scene::Refusal;
use bvlab_core::engine::RunError;
use bvlab_experiment::Experiment;
use run::SharedRun;
use schedule::{MOST_MEMORY, MOST_WAITING, STUDENTS_MEMORY, Schedule, TURN};

/// All runs of the lab.
pub struct Scheduler {
    cores: usize,
    schedule: Mutex<Schedule>,
    changed: Condvar,
    closing: AtomicBool,
}

impl Scheduler {
    /// A scheduler without runs, for a machine with this many cores. Starts the thread that assigns
    /// turns.
    pub fn new(cores: usize) -> Arc<Self> {
        let scheduler = Arc::new(Scheduler {
            cores: cores.max(1),
            schedule: Mutex::default(),
            changed: Condvar::new(),
            closing: AtomicBool::new(false),
        });
        let shared = scheduler.clone();
        // If the thread cannot start, every run keeps the turn that it starts with: less fair, but usable.
        let _ = std::thread::Builder::new()
            .name("scheduler".to_owned())
            .spawn(move || shared.assign_turns());
        scheduler
    }

    /// Subscribes to the run of an experiment, and starts the run if there is none yet.
    pub fn request(
        self: &Arc<Self>,
        experiment: Experiment,
        client: Client,
    ) -> Result<Listener, Refusal> {
        if self.closing.load(Ordering::Relaxed) {
            return Err(Refusal::Busy("the lab is closing".to_owned()));
        }
        // Both take a while for a long text, so they are made before the lock is taken.
        let key = key(&experiment);
        let head = messages::head(&experiment);
        let mut schedule = self.lock();
        if let Some(run) = schedule.find(&key) {
            return Ok(self.join(&mut schedule, run, client));
        }
        let run = self.admit(&mut schedule, key, experiment, client)?;
        // Before any computing: the page can draw its axes.
        run.publish(&head);
        schedule.waiting.push(run.clone());
        self.start_runs(&mut schedule);
        Ok(Listener::new(self.clone(), run))
    }

    /// Subscribes to a run of the same numbers, whatever its figures look like, and starts one if there is
    /// none yet.
    pub fn request_numbers(
        self: &Arc<Self>,
        experiment: Experiment,
        client: Client,
    ) -> Result<Listener, Refusal> {
        match self.alike(&experiment, client) {
            Some(listener) => Ok(listener),
            None => self.request(experiment, client),
        }
    }

    /// Subscribes to a run of the same numbers, if there is one.
    pub fn alike(self: &Arc<Self>, experiment: &Experiment, client: Client) -> Option<Listener> {
        let numbers = numbers_key(experiment);
        let mut schedule = self.lock();
        let run = schedule.find_alike(&numbers)?;
        Some(self.join(&mut schedule, run, client))
    }

    fn join(
        self: &Arc<Self>,
        schedule: &mut Schedule,
        run: Arc<SharedRun>,
        client: Client,
    ) -> Listener {
        run.listeners.fetch_add(1, Ordering::Relaxed);
        if client.lecturer {
            run.lecturer.store(true, Ordering::Relaxed);
        }
        self.start_runs(schedule);
        Listener::new(self.clone(), run)
    }

    /// A new run, if the client and the lab have room for it.
    fn admit(
        &self,
        schedule: &mut Schedule,
        key: String,
        experiment: Experiment,
        client: Client,
    ) -> Result<Arc<SharedRun>, Refusal> {
        let most_runs = client.limits().runs;
        if schedule.under_way(client) >= most_runs {
            return Err(Refusal::TooMany(format!(
                "your network already has {most_runs} runs under way, the maximum: wait until one has finished"
            )));
        }
        let (threads, most) = match client.lecturer {
            true => (self.cores, MOST_MEMORY),
            false => (1, STUDENTS_MEMORY),
        };
        let memory = memory(&experiment, threads);
        if memory > most {
            return Err(Refusal::Asked(format!(
                "this run needs about {} MB of memory; the limit here is {} MB: keep fewer fits, sweep fewer values, or use fewer test points",
                memory >> 20,
                most >> 20
            )));
        }
        if schedule.waiting.len() >= MOST_WAITING && !client.lecturer {
            let message =
                format!("{MOST_WAITING} runs are waiting already: try again in a few seconds");
            let Some(other) = schedule.displace_for(client) else {
                return Err(Refusal::Busy(message));
            };
            other.publish(&messages::busy(&message));
            other.finish();
        }
        let mut run = SharedRun::new(key, Arc::new(experiment), client, Instant::now());
        (run.memory, run.threads) = (memory, threads);
        Ok(Arc::new(run))
    }

    /// Starts the waiting runs that there is room for.
    fn start_runs(self: &Arc<Self>, schedule: &mut Schedule) {
        while let Some(index) = schedule.next_to_start(self.cores) {
            let run = schedule.waiting.remove(index);
            schedule.running.push(run.clone());
            let (scheduler, started) = (self.clone(), run.clone());
            let thread = std::thread::Builder::new()
                .name("run".to_owned())
                .spawn(move || {
                    if !started.is_lecturer() {
                        lower_priority();
                    }
                    started.execute();
                    scheduler.run_ended(&started);
                });
            if let Err(error) = thread {
                schedule.running.retain(|other| !Arc::ptr_eq(other, &run));
                let message = RunError::Threads(error.to_string());
                run.publish(&messages::error(&message));
                run.finish();
            }
        }
        self.changed.notify_all();
    }

    /// Caches a run that has ended, and starts the next.
    fn run_ended(self: &Arc<Self>, run: &Arc<SharedRun>) {
        let mut schedule = self.lock();
        schedule.running.retain(|other| !Arc::ptr_eq(other, run));
        if run.outcome.get().is_some() {
            schedule.cached.push_back(run.clone());
            schedule.evict();
        }
        self.start_runs(&mut schedule);
    }

    /// Cancels a run when its last listener has left.
    fn listener_left(self: &Arc<Self>, run: &Arc<SharedRun>) {
        let mut schedule = self.lock();
        if run.listeners.fetch_sub(1, Ordering::Relaxed) == 1 && !run.is_finished() {
            run.cancel();
            schedule.waiting.retain(|other| !Arc::ptr_eq(other, run));
            self.start_runs(&mut schedule);
        }
    }

    /// Assigns turns as long as the lab is open.
    fn assign_turns(&self) {
        let mut schedule = self.lock();
        while !self.closing.load(Ordering::Relaxed) {
            let contended = schedule.assign_turns(self.cores, Instant::now());
            let pause = match (contended, schedule.running.is_empty()) {
                (true, _) => TURN,
                (false, false) => 10 * TURN,
                (false, true) => Duration::from_secs(1),
            };
            let waited = self.changed.wait_timeout(schedule, pause);
            (schedule, _) = waited.unwrap_or_else(|poison| poison.into_inner());
        }
    }

    /// Cancels all runs and waits up to two seconds for them to end.
    pub fn close(&self) {
        self.closing.store(true, Ordering::Relaxed);
        let deadline = Instant::now() + Duration::from_secs(2);
        let mut schedule = self.lock();
        for run in schedule.running.iter().chain(&schedule.waiting) {
            run.cancel();
        }
        schedule.waiting.clear();
        self.changed.notify_all();
        while !schedule.running.is_empty() && Instant::now() < deadline {
            let waited = self.changed.wait_timeout(schedule, TURN);
            (schedule, _) = waited.unwrap_or_else(|poison| poison.into_inner());
        }
    }

    fn lock(&self) -> MutexGuard<'_, Schedule> {
        self.schedule
            .lock()
            .unwrap_or_else(|poison| poison.into_inner())
    }
}

/// What identifies a run: equal for equal requests, and for no others.
fn key(experiment: &Experiment) -> String {
    let figures = experiment.source.figure_hash().unwrap_or_default();
    format!("{} {figures}", numbers_key(experiment))
}

/// The part of it that the numbers follow from.
fn numbers_key(experiment: &Experiment) -> String {
    let hash = experiment.source.run_hash().unwrap_or_default();
    format!("{} {hash}", experiment.name)
}
