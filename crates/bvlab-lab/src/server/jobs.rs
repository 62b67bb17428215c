//! Runs for many clients at once.
//!
//! Equal requests share one run. Every run has threads of its own, which ask before every training
//! set, and every few milliseconds within a long one, whether it is their turn: the conductor opens
//! the gates of as many students' runs as there are cores, and those of the lecturer always. New runs
//! come first, then short ones that have waited for long, then those of clients that have had the
//! least computing. So a new setting is seen at once, nobody starves another, a run that nobody listens
//! to any more ends when it asks next, and how many run, wait and are remembered is bounded.
//!
//! A run that has computed for half a second is *long*. It gives its place up: the next run begins, and
//! long ones share a quarter of the computing and whatever the others leave. Otherwise a few clients
//! with long runs would have all places, and everybody else would wait to begin.
//!
//! A client is a network (see `identity`), which may be a whole class: it can have many runs under
//! way, and is refused none as long as there is room. Where room is short, runs begin in the order in
//! which they were asked for, those of clients with a sixth of the places after the others; clients with
//! several runs together leave the last quarter to those that have none; and a run that would be one
//! too many to wait takes the place of the latest of whoever has the most. Half of the memory is the
//! lecturer's, and threads of students' runs have a lower priority.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, RwLock, RwLockWriteGuard};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream::unfold;
use serde_json::Value;
use tokio::sync::watch;

use super::identity::Client;
use super::priority::give_way;
use crate::limits::{Limits, memory};
use crate::messages;
use crate::scene::Refusal;
use crate::sequence::Sequence;
use bvlab_core::decompose::Decomposition;
use bvlab_core::engine::{Kept, Observer, Options, RunError};
use bvlab_core::task::{Outcome, Task};
use bvlab_experiment::Experiment;
use bvlab_outcome::{Tables, report};

/// The most short runs of students that have begun, for every core,
const RUNNING_PER_CORE: usize = 16;
/// and the most runs, with the long ones, each of which is a thread that waits for its turn.
const BEGUN_PER_CORE: usize = 128;
/// As how many students a network can count, by the runs that it has begun: a class behind one address
/// gets more than one student at home, and a hostile client not much more.
const CROWD: usize = 10;
/// The most runs that wait to begin.
const MOST_WAITING: usize = 400;
/// The most bytes that all runs under way may hold together, and those of students.
const MOST_MEMORY: usize = 2 << 30;
const STUDENTS_MEMORY: usize = 1 << 30;
/// The most bytes of finished runs that are remembered.
const MOST_REMEMBERED: usize = 64 << 20;
/// How much computing a run has before all others: enough for a first picture of most.
const HEAD_START: Duration = Duration::from_millis(20);
/// How long a turn is, where there are more runs than cores.
const TURN: Duration = Duration::from_millis(10);
/// After how much computing a run is long.
const LONG: Duration = Duration::from_millis(500);
/// The most that long runs are ahead of their share or behind it, in microseconds.
const OWED: i64 = 1_000_000;
/// After how long a short run goes before the others, the oldest first.
const LATE: Duration = Duration::from_secs(5);
/// The share of students' computing that long runs have, whatever the others ask for: one of so many.
const LONG_SHARE: i64 = 4;
/// After how much computing a run counts as slow: the frames of its first training sets are then said as they
/// come. Those of a quick one are made only when they are asked for.
const SLOW: Duration = Duration::from_millis(150);
/// How often a run that shows nothing as it goes says how far it is.
const PROGRESS: Duration = Duration::from_millis(250);
/// How often a stream without news shows that it lives.
const SIGN_OF_LIFE: Duration = Duration::from_secs(5);

/// All runs of the lab.
pub struct Jobs {
    cores: usize,
    state: Mutex<State>,
    changed: Condvar,
    closing: AtomicBool,
}

#[derive(Default)]
struct State {
    waiting: Vec<Arc<Job>>,
    running: Vec<Arc<Job>>,
    /// Finished, the one that was used last at the end.
    remembered: VecDeque<Arc<Job>>,
    /// When turns were dealt last.
    dealt: Option<Instant>,
    /// By client with runs under way: how much computing it has had, in microseconds, counted from
    /// what the others had when it came.
    had: HashMap<Client, u64>,
    /// How much of their share long runs have not had yet, in microseconds.
    owed: i64,
}

/// A run, and what it has said so far.
pub struct Job {
    key: String,
    client: Client,
    lecturer: AtomicBool,
    limits: Limits,
    memory: usize,
    threads: usize,
    experiment: Arc<Experiment>,
    /// How many listen; changed under the lock of the state alone.
    listeners: AtomicUsize,
    cancelled: AtomicBool,
    /// Whether it has computed for as long as it may.
    overdue: AtomicBool,
    /// Whether it is its turn.
    open: AtomicBool,
    gate: Mutex<()>,
    opened: Condvar,
    /// When it was asked for.
    asked: Instant,
    /// How long it has computed, in microseconds.
    used: AtomicU64,
    log: RwLock<Log>,
    news: watch::Sender<usize>,
    outcome: OnceLock<Outcome>,
}

#[derive(Default)]
struct Log {
    messages: Vec<Bytes>,
    size: usize,
    finished: bool,
}

impl Jobs {
    /// No runs yet, for a machine of so many cores; starts the conductor.
    pub fn new(cores: usize) -> Arc<Self> {
        let jobs = Arc::new(Jobs {
            cores: cores.max(1),
            state: Mutex::default(),
            changed: Condvar::new(),
            closing: AtomicBool::new(false),
        });
        let conducted = jobs.clone();
        // Without a conductor every gate is open from the start, which is fair enough.
        let _ = std::thread::Builder::new()
            .name("conductor".to_owned())
            .spawn(move || conducted.conduct());
        jobs
    }

    /// Listens to the run of an experiment, which begins if there is none yet.
    pub fn ask(
        self: &Arc<Self>,
        experiment: Experiment,
        client: Client,
    ) -> Result<Listener, Refusal> {
        if self.closing.load(Ordering::Relaxed) {
            return Err(Refusal::Busy("the lab is closing".to_owned()));
        }
        // Before the lock: of a long text both take a while.
        let key = key(&experiment);
        let head = messages::head(&experiment);
        let mut state = self.lock();
        if let Some(job) = state.find(&key) {
            job.listeners.fetch_add(1, Ordering::Relaxed);
            if client.lecturer {
                job.lecturer.store(true, Ordering::Relaxed);
            }
            self.start(&mut state);
            return Ok(self.listener(job));
        }
        let limits = client.limits();
        let under_way = state.running.iter().chain(&state.waiting);
        let mine = under_way.filter(|job| job.client == client && !job.is_cancelled());
        if mine.count() >= limits.runs {
            let runs = limits.runs;
            return Err(Refusal::TooMany(format!(
                "{runs} runs of your network are under way, which is the most: wait until one has ended"
            )));
        }
        let (threads, most) = match client.lecturer {
            true => (self.cores, MOST_MEMORY),
            false => (1, STUDENTS_MEMORY),
        };
        let memory = memory(&experiment, threads);
        if memory > most {
            return Err(Refusal::Asked(format!(
                "this run would take about {} MB of memory, and the page takes at most {}: keep fewer fits, sweep fewer values, or test at fewer points",
                memory >> 20,
                most >> 20
            )));
        }
        if state.waiting.len() >= MOST_WAITING && !client.lecturer {
            let message =
                format!("{MOST_WAITING} runs are waiting already: try again in a few seconds");
            let Some(other) = state.one_too_many(client) else {
                return Err(Refusal::Busy(message));
            };
            other.say(&messages::busy(&message));
            other.finish();
        }
        let job = Job {
            memory,
            threads,
            ..Job::new(key, Arc::new(experiment), client, Instant::now())
        };
        let job = Arc::new(job);
        // Before any computing: the page can draw its axes.
        job.say(&head);
        state.waiting.push(job.clone());
        self.start(&mut state);
        Ok(self.listener(job))
    }

    fn listener(self: &Arc<Self>, job: Arc<Job>) -> Listener {
        let jobs = self.clone();
        Listener { jobs, job }
    }

    /// Begins the runs that there is room for.
    fn start(self: &Arc<Self>, state: &mut State) {
        while let Some(place) = state.next(self.cores) {
            let job = state.waiting.remove(place);
            state.running.push(job.clone());
            let (jobs, run) = (self.clone(), job.clone());
            let begun = std::thread::Builder::new()
                .name("run".to_owned())
                .spawn(move || {
                    if !run.is_lecturer() {
                        give_way();
                    }
                    run.work();
                    jobs.ended(&run);
                });
            if let Err(error) = begun {
                state.running.retain(|other| !Arc::ptr_eq(other, &job));
                let message = RunError::Threads(error.to_string());
                job.say(&messages::error(&message));
                job.finish();
            }
        }
        self.changed.notify_all();
    }

    /// A run has ended: it is remembered, and the next begins.
    fn ended(self: &Arc<Self>, job: &Arc<Job>) {
        let mut state = self.lock();
        state.running.retain(|other| !Arc::ptr_eq(other, job));
        if job.outcome.get().is_some() {
            state.remembered.push_back(job.clone());
            state.forget();
        }
        self.start(&mut state);
    }

    /// A listener has left; a run that nobody listens to ends.
    fn left(self: &Arc<Self>, job: &Arc<Job>) {
        let mut state = self.lock();
        if job.listeners.fetch_sub(1, Ordering::Relaxed) == 1 && !job.is_finished() {
            job.cancelled.store(true, Ordering::Relaxed);
            job.opened.notify_all();
            state.waiting.retain(|other| !Arc::ptr_eq(other, job));
            self.start(&mut state);
        }
    }

    /// Deals turns as long as the lab is open.
    fn conduct(&self) {
        let mut state = self.lock();
        while !self.closing.load(Ordering::Relaxed) {
            let contended = state.deal(self.cores, Instant::now());
            let pause = match (contended, state.running.is_empty()) {
                (true, _) => TURN,
                (false, false) => 10 * TURN,
                (false, true) => Duration::from_secs(1),
            };
            let waited = self.changed.wait_timeout(state, pause);
            (state, _) = waited.unwrap_or_else(|poison| poison.into_inner());
        }
    }

    /// Ends all runs and waits a while for them.
    pub fn close(&self) {
        self.closing.store(true, Ordering::Relaxed);
        let patience = Instant::now() + Duration::from_secs(2);
        let mut state = self.lock();
        for job in state.running.iter().chain(&state.waiting) {
            job.cancelled.store(true, Ordering::Relaxed);
            job.opened.notify_all();
        }
        state.waiting.clear();
        self.changed.notify_all();
        while !state.running.is_empty() && Instant::now() < patience {
            let waited = self.changed.wait_timeout(state, TURN);
            (state, _) = waited.unwrap_or_else(|poison| poison.into_inner());
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state
            .lock()
            .unwrap_or_else(|poison| poison.into_inner())
    }
}

impl State {
    /// A run that goes on, or a finished one that is remembered.
    fn find(&mut self, key: &str) -> Option<Arc<Job>> {
        let usable = |job: &&Arc<Job>| job.key == key && !job.is_cancelled();
        if let Some(job) = self.running.iter().chain(&self.waiting).find(usable) {
            // One that failed or was cut off is tried again.
            let usable = !job.is_finished() || job.outcome.get().is_some();
            return usable.then(|| job.clone());
        }
        let place = self.remembered.iter().position(|job| job.key == key)?;
        let job = self.remembered.remove(place)?;
        self.remembered.push_back(job.clone());
        Some(job)
    }

    /// Takes the latest run from those that wait of the client that has the most, if that is more
    /// than the one who asks has. A long run counts for many.
    fn one_too_many(&mut self, client: Client) -> Option<Arc<Job>> {
        let mut counts: HashMap<Client, usize> = HashMap::new();
        for job in self.waiting.iter().filter(|job| !job.is_lecturer()) {
            *counts.entry(job.client).or_insert(0) += 1;
        }
        for job in self.running.iter().filter(|job| job.is_long()) {
            if let Some(count) = counts.get_mut(&job.client) {
                *count += CROWD;
            }
        }
        let mine = counts.get(&client).copied().unwrap_or(0);
        let most = counts.values().copied().max()?;
        let crowded = |job: &Arc<Job>| !job.is_lecturer() && counts[&job.client] == most;
        let place = self.waiting.iter().rposition(crowded)?;
        (most > mine).then(|| self.waiting.remove(place))
    }

    /// The place among those that wait of the one that is to begin, if there is room: the lecturer
    /// before all others, then who has few running.
    fn next(&self, cores: usize) -> Option<usize> {
        let waiting = || self.waiting.iter().enumerate();
        // A large run of the lecturer's waits for room: others must not take it.
        if let Some((place, job)) = waiting().find(|(_, job)| job.is_lecturer()) {
            return self.has_room_for_lecturer(job).then_some(place);
        }
        let room = Room::of(&self.running, cores);
        let able = waiting().filter(|(_, job)| room.is_for(job));
        let first = able.min_by_key(|(place, job)| (room.has_many(job.client), *place));
        first.map(|(place, _)| place)
    }

    /// Whether the memory is there: half of it is the lecturer's, and what is left of the other half.
    fn has_room_for_lecturer(&self, job: &Job) -> bool {
        let (lecturer, students) = self.memory();
        let own = lecturer + job.memory <= MOST_MEMORY - STUDENTS_MEMORY;
        own || lecturer + students + job.memory <= MOST_MEMORY || self.running.is_empty()
    }

    /// The bytes that runs hold, those of the lecturer and those of students.
    fn memory(&self) -> (usize, usize) {
        let sum = |lecturer: bool| {
            let theirs = self
                .running
                .iter()
                .filter(|job| job.is_lecturer() == lecturer);
            theirs.map(|job| job.memory).sum()
        };
        (sum(true), sum(false))
    }

    /// Opens the gates of those whose turn it is, and closes the others'. Returns whether there are
    /// more than can run at once.
    fn deal(&mut self, cores: usize, now: Instant) -> bool {
        let passed = now - self.dealt.replace(now).unwrap_or(now);
        let passed = passed.as_micros() as u64;
        let newcomer = self.had.values().copied().min().unwrap_or(0);
        self.had
            .retain(|client, _| self.running.iter().any(|job| job.client == *client));
        let mut begun: HashMap<Client, usize> = HashMap::new();
        for job in &self.running {
            *begun.entry(job.client).or_insert(0) += 1;
        }
        for job in &self.running {
            let had = self.had.entry(job.client).or_insert(newcomer);
            if job.is_open() {
                *had += passed / begun[&job.client].min(CROWD) as u64;
                let used = job.used.fetch_add(passed, Ordering::Relaxed) + passed;
                if Duration::from_micros(used) > job.limits.time {
                    job.overdue.store(true, Ordering::Relaxed);
                }
            }
        }
        let (lecturers, mut students): (Vec<_>, Vec<_>) =
            self.running.iter().partition(|job| job.is_lecturer());
        lecturers.iter().for_each(|job| job.set_open(true));
        let slots = match lecturers.is_empty() {
            true => cores,
            false => (cores - 1).max(1),
        };
        let contended = students.len() > slots;
        let mut long: HashMap<Client, u64> = HashMap::new();
        for job in students.iter().filter(|job| job.is_long()) {
            *long.entry(job.client).or_insert(0) += job.used();
        }
        let head_start = HEAD_START.as_micros() as u64;
        students.sort_by_key(|job| {
            let used = job.used();
            let since = now.duration_since(job.asked);
            let since_ms = since.as_millis() as u64;
            match used {
                used if used < head_start => (0, used, 0),
                _ if job.is_long() => (3, long[&job.client], used),
                _ if since > LATE => (1, u64::MAX - since_ms, 0),
                // Of one client's, the run that has had the least for the time it has waited: an older
                // one would otherwise wait for all that come after it.
                used => (2, self.had[&job.client], 1000 * used / since_ms.max(1)),
            }
        });
        let computed = (passed as usize * slots) as i64;
        let first_long = students.iter().position(|job| job.is_long());
        self.owed = match first_long {
            Some(place) if contended => {
                let had = students.iter().filter(|job| job.is_long() && job.is_open());
                let owed = self.owed + computed / LONG_SHARE - had.count() as i64 * passed as i64;
                if owed > 0 {
                    students[..=place].rotate_right(1);
                }
                owed.clamp(-OWED, OWED)
            }
            _ => 0,
        };
        for (place, job) in students.iter().enumerate() {
            job.set_open(place < slots);
        }
        contended
    }

    /// Forgets the finished runs that were used longest ago, until the others are few enough.
    fn forget(&mut self) {
        let size = |job: &Arc<Job>| job.remembered_size();
        let mut held: usize = self.remembered.iter().map(size).sum();
        while held > MOST_REMEMBERED
            && let Some(oldest) = self.remembered.pop_front()
        {
            held -= size(&oldest);
        }
    }
}

/// What students' runs that have begun leave to others.
struct Room {
    places: usize,
    begun: usize,
    clients: HashMap<Client, Held>,
    all: Held,
    /// Short runs of clients that have more than one.
    several: usize,
}

/// What some runs hold.
#[derive(Clone, Copy, Default)]
struct Held {
    short: usize,
    begun: usize,
    memory: usize,
}

impl Held {
    fn add(&mut self, job: &Job) {
        self.short += usize::from(!job.is_long());
        self.begun += 1;
        self.memory += job.memory;
    }
}

impl Room {
    fn of(running: &[Arc<Job>], cores: usize) -> Self {
        let mut clients: HashMap<Client, Held> = HashMap::new();
        let mut all = Held::default();
        for job in running.iter().filter(|job| !job.is_lecturer()) {
            clients.entry(job.client).or_default().add(job);
            all.add(job);
        }
        let several = clients.values().map(|held| held.short);
        Room {
            places: RUNNING_PER_CORE * cores,
            begun: BEGUN_PER_CORE * cores,
            several: several.filter(|short| *short > 1).sum(),
            clients,
            all,
        }
    }

    fn held_by(&self, client: Client) -> Held {
        self.clients.get(&client).copied().unwrap_or_default()
    }

    /// How often a client has a sixth of the places.
    fn has_many(&self, client: Client) -> usize {
        self.held_by(client).begun / (self.places / 6).max(1)
    }

    /// Whether a place and the memory are there; the last quarter of both is kept for those that have
    /// no run yet, or in the case of memory hold little.
    fn is_for(&self, job: &Job) -> bool {
        let kept = |all: usize, keep: bool| if keep { all - all / 4 } else { all };
        let mine = self.held_by(job.client);
        // Only clients with several runs leave the last quarter, together. If all runs counted, this one
        // would never begin while others, with one each, have most of the places.
        let several = match mine.short {
            0 => 0,
            1 => self.several + 1,
            _ => self.several,
        };
        let memory = kept(STUDENTS_MEMORY, mine.memory > STUDENTS_MEMORY / 8);
        self.all.short < self.places
            && several < kept(self.places, true)
            && self.all.begun < kept(self.begun, mine.begun > 0)
            && self.all.memory + job.memory <= memory
    }
}

impl Job {
    /// A run that somebody listens to, and that holds nothing yet.
    fn new(key: String, experiment: Arc<Experiment>, client: Client, asked: Instant) -> Self {
        Job {
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
            open: AtomicBool::new(true),
            gate: Mutex::new(()),
            opened: Condvar::new(),
            asked,
            used: AtomicU64::new(0),
            log: RwLock::default(),
            news: watch::Sender::new(0),
            outcome: OnceLock::new(),
        }
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    fn is_lecturer(&self) -> bool {
        self.lecturer.load(Ordering::Relaxed)
    }

    fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    fn is_long(&self) -> bool {
        self.used() >= LONG.as_micros() as u64
    }

    fn is_slow(&self) -> bool {
        self.used() > SLOW.as_micros() as u64
    }

    fn is_open(&self) -> bool {
        self.open.load(Ordering::Relaxed)
    }

    fn set_open(&self, open: bool) {
        if self.open.swap(open, Ordering::Relaxed) != open {
            self.opened.notify_all();
        }
    }

    /// Whether it is to stop.
    fn must_stop(&self) -> bool {
        self.is_cancelled() || self.overdue.load(Ordering::Relaxed)
    }

    /// Waits for its turn, or until it is to stop.
    fn wait(&self) {
        if self.is_open() || self.must_stop() {
            return;
        }
        let mut guard = self
            .gate
            .lock()
            .unwrap_or_else(|poison| poison.into_inner());
        while !self.is_open() && !self.must_stop() {
            // The flags are not under this lock: a call that came in between is not missed for long.
            let waited = self.opened.wait_timeout(guard, 2 * TURN);
            (guard, _) = waited.unwrap_or_else(|poison| poison.into_inner());
        }
    }

    /// Says a message to all who listen, now or later.
    fn say(&self, message: &Value) {
        let mut line = message.to_string();
        line.push('\n');
        let mut log = self.log();
        log.size += line.len();
        log.messages.push(Bytes::from(line));
        self.news.send_replace(log.messages.len());
    }

    fn finish(&self) {
        self.log().finished = true;
        self.news.send_modify(|_| {});
    }

    fn log(&self) -> RwLockWriteGuard<'_, Log> {
        self.log
            .write()
            .unwrap_or_else(|poison| poison.into_inner())
    }

    fn is_finished(&self) -> bool {
        let log = self.log.read();
        log.unwrap_or_else(|poison| poison.into_inner()).finished
    }

    /// About how many bytes it holds when it has ended.
    fn remembered_size(&self) -> usize {
        let messages = self.log.read().map_or(0, |log| log.size);
        let plan = self.experiment.plan();
        let kept = plan.map_or(0, |plan| plan.run.keep_fits as usize);
        messages + 8 * messages::cells(&self.experiment) * (kept + 5)
    }

    /// Runs the experiment; its messages end with one that says so.
    fn work(&self) {
        let started = Instant::now();
        let run = || self.run(started);
        // A mistake of ours must not take the lab down.
        if catch_unwind(AssertUnwindSafe(run)).is_err() {
            let message = "the run failed in an unexpected way; please report it with its TOML";
            self.say(&serde_json::json!({ "is": "error", "message": message, "help": null }));
        }
        self.finish();
    }

    fn run(&self, started: Instant) {
        let experiment = &*self.experiment;
        let watch = Watch {
            job: self,
            pictured: messages::pictured(experiment).is_some(),
            reached: AtomicU64::new(0),
            told: Mutex::new(started),
            first: Mutex::new(Sequence::new(&self.experiment)),
        };
        let task = &experiment.task;
        let outcome = task.run(Options::new(self.threads, &watch));
        let seconds = started.elapsed().as_secs_f64();
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(RunError::Stopped { .. }) if self.overdue.load(Ordering::Relaxed) => {
                let most = self.limits.time.as_secs();
                let so = match watch.pictured {
                    true => ": take fewer training sets",
                    false => "; what is shown comes from fewer training sets",
                };
                let why = format!(
                    "stopped after {most} seconds of computing, which is the most here{so}"
                );
                let reached = watch.reached.load(Ordering::Relaxed);
                self.say(&messages::stopped(reached, seconds, &why));
                return;
            }
            Err(RunError::Stopped { .. }) => return,
            Err(error) => {
                self.say(&messages::error(&error));
                return;
            }
        };
        if self.is_slow() {
            watch.catch_up();
        }
        if let (Task::Study(plan), Outcome::Study(results), false) =
            (task, &outcome, watch.pictured)
        {
            let curves = Tables::main_table(task, &outcome);
            let last = [
                Some(messages::best(plan, results)),
                messages::theory(experiment, &curves),
                messages::solving(experiment, &curves),
                messages::points(experiment, results),
            ];
            last.iter().flatten().for_each(|message| self.say(message));
        }
        let report = report(experiment.heading(), task, &outcome, seconds);
        self.say(&messages::end(outcome.counts().0, seconds, &report));
        let _ = self.outcome.set(outcome);
    }
}

/// What a run is called: the same for equal requests, and for no others.
fn key(experiment: &Experiment) -> String {
    let hash = |hash: Option<String>| hash.unwrap_or_default();
    let source = &experiment.source;
    let (run, figure) = (hash(source.run_hash()), hash(source.figure_hash()));
    format!("{} {run} {figure}", experiment.name)
}

/// Passes on what a run has as it goes, and holds it where it is not its turn.
struct Watch<'a> {
    job: &'a Job,
    /// Whether only figures are shown, when all is done.
    pictured: bool,
    /// The resamples of the last frame.
    reached: AtomicU64,
    /// When it was last said how far the run is.
    told: Mutex<Instant>,
    first: Mutex<Option<Sequence>>,
}

impl Watch<'_> {
    /// Says the frames of the first resamples.
    fn catch_up(&self) {
        let mut first = self
            .first
            .lock()
            .unwrap_or_else(|poison| poison.into_inner());
        if let Some(first) = &mut *first {
            let frames = first.frames();
            frames.iter().for_each(|frame| self.job.say(frame));
            self.reached.fetch_max(first.count(), Ordering::Relaxed);
        }
    }
}

impl Observer for Watch<'_> {
    fn progress(&self, done: u64, _: u64) {
        if !self.pictured {
            return;
        }
        self.reached.fetch_max(done, Ordering::Relaxed);
        if let Ok(mut told) = self.told.try_lock()
            && told.elapsed() > PROGRESS
        {
            *told = Instant::now();
            self.job.say(&messages::progress(done));
        }
    }

    fn wait_turn(&self) {
        self.job.wait();
    }

    fn stopped(&self) -> bool {
        self.job.must_stop()
    }

    fn watches(&self) -> bool {
        !self.pictured
    }

    fn kept(&self, kept: &Kept) {
        if kept.resample >= messages::sent(&self.job.experiment) as u64 {
            return;
        }
        self.job.say(&messages::draw(kept));
        if let Ok(mut first) = self.first.lock()
            && let Some(first) = &mut *first
        {
            first.add(kept);
        }
        if self.job.is_slow() {
            self.catch_up();
        }
    }

    fn frame(&self, count: u64, learners: &[Decomposition]) {
        self.reached.fetch_max(count, Ordering::Relaxed);
        if let Some(plan) = self.job.experiment.plan() {
            self.job.say(&messages::frame(count, plan, learners, true));
        }
    }
}

/// Listens to a run; dropped, it no longer does.
pub struct Listener {
    jobs: Arc<Jobs>,
    job: Arc<Job>,
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.jobs.left(&self.job);
    }
}

impl Listener {
    /// All messages from the first to the last, as they come.
    pub fn stream(self) -> impl Stream<Item = Result<Bytes, std::convert::Infallible>> {
        let news = self.job.news.subscribe();
        unfold((self, news, 0), |(listener, mut news, next)| async move {
            let line = loop {
                news.borrow_and_update();
                match listener.line(next) {
                    Line::There(line) => break (line, next + 1),
                    Line::End => return None,
                    Line::NotYet => {}
                }
                match tokio::time::timeout(SIGN_OF_LIFE, news.changed()).await {
                    Ok(Ok(())) => {}
                    Ok(Err(_)) => return None,
                    Err(_) => break (Bytes::from_static(b"\n"), next),
                }
            };
            let (line, next) = line;
            Some((Ok(line), (listener, news, next)))
        })
    }

    fn line(&self, place: usize) -> Line {
        let Ok(log) = self.job.log.read() else {
            return Line::End;
        };
        match (log.messages.get(place), log.finished) {
            (Some(line), _) => Line::There(line.clone()),
            (None, true) => Line::End,
            (None, false) => Line::NotYet,
        }
    }

    /// Waits for the end of the run.
    pub async fn finished(&self) {
        let mut news = self.job.news.subscribe();
        while !self.job.is_finished() {
            if news.changed().await.is_err() {
                break;
            }
        }
    }

    /// What a finished run gave.
    ///
    /// # Errors
    ///
    /// If it failed or was cut off: its last words.
    pub fn outcome(&self) -> Result<(&Experiment, &Outcome), Refusal> {
        match self.job.outcome.get() {
            Some(outcome) => Ok((&self.job.experiment, outcome)),
            None => Err(Refusal::Failed(self.last_words())),
        }
    }

    fn last_words(&self) -> String {
        let log = self.job.log.read().ok();
        let last = log.and_then(|log| log.messages.last().cloned());
        let last: Value = last
            .and_then(|line| serde_json::from_slice(&line).ok())
            .unwrap_or_default();
        let words = last["message"].as_str().or(last["stopped"].as_str());
        words.unwrap_or("the run did not end").to_owned()
    }
}

enum Line {
    There(Bytes),
    NotYet,
    End,
}

#[cfg(test)]
mod crowd;

#[cfg(test)]
mod tests {
    use super::*;
    use bvlab_core::data::{Points, Training};
    use bvlab_core::interrupt::{Interrupt, Interrupted};
    use bvlab_core::learner::Learner;
    use bvlab_core::plan::{Axis, CapacityPath, Plan, PlanParts};
    use bvlab_core::stream::Stream;

    use bvlab_experiment::Source;
    use std::net::IpAddr;

    /// An experiment of many cheap training sets.
    fn experiment(seed: u64) -> Experiment {
        let text = format!(
            r#"
            problem = {{ truth = "sin(x)", inputs = {{ uniform = [0, 15] }}, noise = {{ normal = 0.5 }}, train = 30 }}
            sweep   = {{ k = "1..5" }}
            learner = [{{ knn = {{}} }}]
            run     = {{ resamples = 10_000_000, seed = {seed}, test = {{ grid = 20 }} }}
            "#
        );
        Experiment::read("test", Source::new("", &text, &[])).unwrap()
    }

    /// The same experiment with another plan.
    fn changed(mut experiment: Experiment, change: impl FnOnce(&mut PlanParts)) -> Experiment {
        let mut parts = experiment.plan().unwrap().clone().into_parts();
        change(&mut parts);
        experiment.task = Task::Study(Arc::new(Plan::new(parts).unwrap()));
        experiment
    }

    fn student(number: u8) -> Client {
        Client::at(IpAddr::from([10, 0, 0, number]))
    }

    const LECTURER: Client = Client {
        address: IpAddr::V4(std::net::Ipv4Addr::LOCALHOST),
        lecturer: true,
    };

    impl Jobs {
        fn is_running(&self, job: &Arc<Job>) -> bool {
            let state = self.lock();
            state.running.iter().any(|other| Arc::ptr_eq(other, job))
        }
    }

    /// Waits for something that must come about.
    fn wait_for(what: &str, holds: impl Fn() -> bool) {
        let patience = Instant::now() + Duration::from_secs(60);
        while !holds() {
            assert!(Instant::now() < patience, "{what}");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn reached(listener: &Listener) -> usize {
        listener.job.log.read().unwrap().messages.len()
    }

    #[test]
    fn equal_requests_share_one_run_and_it_ends_with_its_last_listener() {
        let jobs = Jobs::new(2);
        let first = jobs.ask(experiment(1), student(1)).unwrap();
        let second = jobs.ask(experiment(1), student(2)).unwrap();
        let other = jobs.ask(experiment(2), student(2)).unwrap();
        assert!(Arc::ptr_eq(&first.job, &second.job));
        assert!(!Arc::ptr_eq(&first.job, &other.job));
        assert_eq!(jobs.lock().running.len(), 2);
        drop(first);
        wait_for("goes on for the second", || reached(&second) > 60);
        assert!(!second.job.is_cancelled());
        drop(second);
        wait_for("ends", || jobs.lock().running.len() == 1);
        drop(other);
        wait_for("ends too", || jobs.lock().running.is_empty());
        jobs.close();
    }

    #[test]
    fn a_network_has_so_many_runs_and_no_more() {
        let jobs = Jobs::new(1);
        let most = Limits::STUDENT.runs as u64;
        let mine: Vec<Listener> = (0..most)
            .map(|seed| jobs.ask(experiment(seed), student(1)).unwrap())
            .collect();
        let refused = jobs.ask(experiment(999), student(1)).err().unwrap();
        assert!(matches!(&refused, Refusal::TooMany(words) if words.contains("100 runs")));
        assert_eq!(refused.parts().0, 429);
        // Another has the same right, and one that was given up makes room at once.
        let theirs = jobs.ask(experiment(999), student(2)).unwrap();
        drop(mine);
        let mine = jobs.ask(experiment(998), student(1)).unwrap();
        drop((mine, theirs));
        jobs.close();
    }

    #[test]
    fn only_so_many_run_and_wait() {
        let jobs = Jobs::new(1);
        let all = RUNNING_PER_CORE + MOST_WAITING;
        let asked: Vec<Listener> = (0..all)
            .map(|i| {
                let client = Client::at(IpAddr::from([10, 1, (i / 200) as u8, (i % 200) as u8]));
                jobs.ask(experiment(i as u64), client).unwrap()
            })
            .collect();
        assert_eq!(jobs.lock().running.len(), RUNNING_PER_CORE);
        // One more of the same is refused; another client's first takes the latest one's place.
        let refused = jobs.ask(experiment(9999), asked[all - 1].job.client);
        assert_eq!(refused.err().unwrap().parts().0, 503);
        let first = jobs.ask(experiment(9999), student(1)).unwrap();
        assert_eq!(jobs.lock().waiting.len(), MOST_WAITING);
        let last = asked.last().unwrap();
        assert!(last.job.is_finished() && !first.job.is_finished());
        assert!(last.last_words().contains("400 runs are waiting"));
        // The lecturer's begins although hundreds wait.
        let lecturer = jobs.ask(experiment(7777), LECTURER).unwrap();
        assert!(jobs.is_running(&lecturer.job));
        wait_for("the lecturer's is computed", || reached(&lecturer) > 60);
        drop((asked, first, lecturer));
        jobs.close();
    }

    #[test]
    fn a_client_with_many_runs_leaves_room_for_others() {
        let jobs = Jobs::new(1);
        let many: Vec<Listener> = (0..40)
            .map(|seed| jobs.ask(experiment(seed), student(1)).unwrap())
            .collect();
        assert_eq!(jobs.lock().running.len(), RUNNING_PER_CORE * 3 / 4);
        let other = jobs.ask(experiment(99), student(2)).unwrap();
        assert!(jobs.is_running(&other.job));
        drop((many, other));
        jobs.close();
    }

    #[test]
    fn the_lecturer_has_memory_that_students_cannot_fill() {
        let jobs = Jobs::new(1);
        // Runs that hold much, as far as the count of bytes goes.
        let large = |seed: u64| {
            changed(experiment(seed), |parts| {
                (parts.run.keep, parts.keep_asked) = (150_000, true);
            })
        };
        let each = memory(&large(0), 1);
        assert!(
            each > STUDENTS_MEMORY / 4 && each < STUDENTS_MEMORY / 2,
            "{each}"
        );
        let asked: Vec<Listener> = (0..8)
            .map(|i| jobs.ask(large(i), student(i as u8)).unwrap())
            .collect();
        let (lecturer, students) = jobs.lock().memory();
        assert!(lecturer == 0 && students + each > STUDENTS_MEMORY);
        assert!(!jobs.lock().waiting.is_empty());
        let mine = jobs.ask(large(77), LECTURER).unwrap();
        assert!(jobs.is_running(&mine.job));
        drop((asked, mine));
        jobs.close();
    }

    #[test]
    fn the_lecturer_and_a_student_at_one_address_are_two() {
        let jobs = Jobs::new(1);
        let most = Limits::STUDENT.runs as u64;
        let students: Vec<Listener> = (0..most)
            .map(|seed| {
                let client = Client::at(LECTURER.address);
                jobs.ask(experiment(seed), client).unwrap()
            })
            .collect();
        let lecturer = jobs.ask(experiment(7777), LECTURER).unwrap();
        assert!(jobs.is_running(&lecturer.job));
        drop((students, lecturer));
        jobs.close();
    }

    #[test]
    fn runs_of_all_clients_go_on_together() {
        let jobs = Jobs::new(1);
        // One client asks for much, three for little.
        let asked: Vec<Listener> = [1; 12]
            .into_iter()
            .chain([2, 3, 4])
            .zip(0..)
            .map(|(client, seed)| jobs.ask(experiment(seed), student(client)).unwrap())
            .collect();
        wait_for("all are computed", || {
            asked.iter().all(|listener| reached(listener) > 60)
        });
        // However much a client asks for, it counts as a few at most, and the others are equal.
        let used = |client: u8| {
            let mine = asked.iter().filter(|l| l.job.client == student(client));
            mine.map(|listener| listener.job.used()).sum::<u64>()
        };
        let second = Duration::from_secs(1).as_micros() as u64;
        wait_for("a while", || (1..=4).map(used).sum::<u64>() > second);
        let shares: Vec<u64> = (1..=4).map(used).collect();
        let (most, least) = (
            shares[1..].iter().max().unwrap(),
            shares[1..].iter().min().unwrap(),
        );
        assert!(*most < 2 * least, "{shares:?}");
        assert!(shares[0] < 2 * CROWD as u64 * least, "{shares:?}");
        drop(asked);
        jobs.close();
    }

    #[test]
    fn a_run_that_takes_too_long_is_cut_off_and_says_so() {
        let jobs = Jobs::new(1);
        let listener = jobs.ask(experiment(1), student(1)).unwrap();
        wait_for("begins", || reached(&listener) > 60);
        let limit = Limits::STUDENT.time.as_micros() as u64;
        listener.job.used.store(limit, Ordering::Relaxed);
        wait_for("ends", || listener.job.is_finished());
        let refusal = listener.outcome().err().unwrap();
        assert!(matches!(refusal, Refusal::Failed(words) if words.contains("20 seconds")));
        // The same again is a new run.
        wait_for("is gone", || jobs.lock().running.is_empty());
        let again = jobs.ask(experiment(1), student(1)).unwrap();
        assert!(!Arc::ptr_eq(&again.job, &listener.job));
        drop((again, listener));
        jobs.close();
    }

    /// A learner with a mistake in it.
    #[derive(Clone)]
    struct Panicking;

    impl Learner for Panicking {
        fn capacities(&self) -> usize {
            1
        }

        fn try_fit(&mut self, _: &Training, _: &Stream, _: &Interrupt) -> Result<(), Interrupted> {
            panic!("a mistake");
        }

        fn try_predict(
            &mut self,
            _: &Points,
            _: &mut [f64],
            _: &Interrupt,
        ) -> Result<(), Interrupted> {
            Ok(())
        }
    }

    #[test]
    fn a_run_that_panics_is_told_of_and_gives_its_place_back() {
        let jobs = Jobs::new(1);
        let most = Limits::STUDENT.runs as u64 + 2;
        // More of them than there are places for one client, one after the other.
        for seed in 0..most {
            let broken = changed(experiment(seed), |parts| {
                let axis = Axis::new("one", &[1.0]);
                parts.paths = vec![CapacityPath::new("broken", axis, Box::new(Panicking))];
            });
            let listener = jobs.ask(broken, student(1)).unwrap();
            wait_for("ends", || listener.job.is_finished());
            let refusal = listener.outcome().err().unwrap();
            assert!(matches!(refusal, Refusal::Failed(words) if words.contains("failed")));
            wait_for("is gone", || jobs.lock().running.is_empty());
        }
        let good = jobs.ask(experiment(most), student(1)).unwrap();
        wait_for("the next is computed", || reached(&good) > 60);
        drop(good);
        jobs.close();
    }

    #[test]
    fn a_run_is_left_and_cut_off_within_a_training_set() {
        // One training set takes hours.
        let endless = |seed: u64| {
            let text = format!(
                r#"
                problem = {{ truth = "sin(x)", inputs = {{ uniform = [0, 15] }}, noise = {{ normal = 0.5 }}, train = 30 }}
                learner = [{{ network = {{ width = 100, epochs = 1_000_000_000 }} }}]
                run     = {{ resamples = 10, seed = {seed}, test = {{ grid = 20 }} }}
                "#
            );
            Experiment::read("test", Source::new("", &text, &[])).unwrap()
        };
        let simulated = |seed: u64| {
            let text = format!(
                "simulation = \"bootstrap-estimates\"\nwith = {{ train = 10000, rounds = 1000 }}\nrun = {{ seed = {seed} }}"
            );
            Experiment::read("test", Source::new("", &text, &[])).unwrap()
        };
        let jobs = Jobs::new(1);
        for experiment in [endless(1), simulated(1)] {
            let listener = jobs.ask(experiment, student(1)).unwrap();
            wait_for("begins", || listener.job.used() > 50_000);
            drop(listener);
            wait_for("ends", || jobs.lock().running.is_empty());
        }
        for experiment in [endless(2), simulated(2)] {
            let listener = jobs.ask(experiment, student(1)).unwrap();
            let limit = Limits::STUDENT.time.as_micros() as u64;
            listener.job.used.store(limit, Ordering::Relaxed);
            wait_for("is cut off", || listener.job.is_finished());
            let refusal = listener.outcome().err().unwrap();
            assert!(matches!(refusal, Refusal::Failed(words) if words.contains("20 seconds")));
        }
        jobs.close();
    }

    #[test]
    fn finished_runs_are_remembered_until_there_are_too_many() {
        let jobs = Jobs::new(2);
        let short = |seed: u64| {
            let source = Source::new(
                "",
                experiment(seed).source.file_text(),
                &["run.resamples=10".to_owned()],
            );
            Experiment::read("test", source).unwrap()
        };
        let first = jobs.ask(short(1), student(1)).unwrap();
        wait_for("ends", || jobs.lock().remembered.len() == 1);
        let again = jobs.ask(short(1), student(2)).unwrap();
        assert!(Arc::ptr_eq(&first.job, &again.job));
        let size = first.job.remembered_size();
        assert!(size > 1000);
        let mut state = jobs.lock();
        let more = MOST_REMEMBERED / size + 10;
        for _ in 0..more {
            let job = first.job.clone();
            state.remembered.push_back(job);
        }
        state.forget();
        assert!(state.remembered.len() * size <= MOST_REMEMBERED);
        drop(state);
        jobs.close();
    }
}
