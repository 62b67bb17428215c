//! Which runs wait, which have started, and whose turn it is. No threads and no clock: the decisions
//! alone.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::run::SharedRun;
use crate::server::identity::Client;

/// The most short runs of students that have started, per core.
pub const RUNNING_PER_CORE: usize = 16;
/// The most runs of students that have started, long ones included, per core. Each is a thread that
/// waits for its turn.
const STARTED_PER_CORE: usize = 128;
/// The most students that a network counts as, by the runs that it has started: a class behind one
/// address gets more than one student at home, and a hostile client not much more.
pub const CROWD: usize = 10;
/// The most runs that wait to start.
pub const MOST_WAITING: usize = 400;
/// The most bytes that all runs under way may hold together.
pub const MOST_MEMORY: usize = 2 << 30;
/// The most bytes that students' runs may hold together.
pub const STUDENTS_MEMORY: usize = 1 << 30;
/// The most bytes of cached runs.
pub const MOST_CACHED: usize = 64 << 20;
/// For how much computing time a run goes before all others: enough for a first picture of most.
const HEAD_START: Duration = Duration::from_millis(20);
/// The length of a turn, when there are more runs than cores.
pub const TURN: Duration = Duration::from_millis(10);
/// After how much computing time a run is long.
pub const LONG: Duration = Duration::from_millis(500);
/// How far long runs may get ahead of their share or fall behind it, in microseconds.
const MOST_CREDIT: i64 = 1_000_000;
/// How long after its request a short run goes before the others, the oldest first.
const LATE: Duration = Duration::from_secs(5);
/// Long runs always have one part in this many of the students' computing time.
const LONG_SHARE: i64 = 4;

/// The state of the scheduler.
#[derive(Default)]
pub struct Schedule {
    pub waiting: Vec<Arc<SharedRun>>,
    pub running: Vec<Arc<SharedRun>>,
    /// Finished runs, least recently used first.
    pub cached: VecDeque<Arc<SharedRun>>,
    /// When turns were last assigned.
    last_assigned: Option<Instant>,
    /// By client with runs under way: its computing time in microseconds, per student that it counts as.
    /// A newcomer starts with the least of the others.
    computing: HashMap<Client, u64>,
    /// The computing time that long runs are still entitled to, in microseconds.
    long_credit: i64,
}

impl Schedule {
    /// A run under way, or a cached one.
    pub fn find(&mut self, key: &str) -> Option<Arc<SharedRun>> {
        self.find_by(|run| run.key == key)
    }

    /// One of the same numbers, whatever its figures look like.
    pub fn find_alike(&mut self, numbers: &str) -> Option<Arc<SharedRun>> {
        self.find_by(|run| run.key.rsplit_once(' ').map(|(own, _)| own) == Some(numbers))
    }

    fn find_by(&mut self, wanted: impl Fn(&SharedRun) -> bool) -> Option<Arc<SharedRun>> {
        let matches = |run: &&Arc<SharedRun>| wanted(run) && !run.is_cancelled();
        if let Some(run) = self.running.iter().chain(&self.waiting).find(matches) {
            // A run that failed or was stopped is tried again.
            let usable = !run.is_finished() || run.outcome.get().is_some();
            return usable.then(|| run.clone());
        }
        let index = self.cached.iter().position(|run| wanted(run))?;
        let run = self.cached.remove(index)?;
        self.cached.push_back(run.clone());
        Some(run)
    }

    /// The number of runs that a client has waiting or running.
    pub fn under_way(&self, client: Client) -> usize {
        let all = self.running.iter().chain(&self.waiting);
        all.filter(|run| run.client == client && !run.is_cancelled())
            .count()
    }

    /// Removes the latest waiting run of the client that has the most, if that is more than `client`
    /// has. A long run counts as several.
    pub fn displace_for(&mut self, client: Client) -> Option<Arc<SharedRun>> {
        let mut counts: HashMap<Client, usize> = HashMap::new();
        for run in self.waiting.iter().filter(|run| !run.is_lecturer()) {
            *counts.entry(run.client).or_insert(0) += 1;
        }
        for run in self.running.iter().filter(|run| run.is_long()) {
            if let Some(count) = counts.get_mut(&run.client) {
                *count += CROWD;
            }
        }
        let own = counts.get(&client).copied().unwrap_or(0);
        let most = counts.values().copied().max()?;
        let crowded = |run: &Arc<SharedRun>| !run.is_lecturer() && counts[&run.client] == most;
        let index = self.waiting.iter().rposition(crowded)?;
        (most > own).then(|| self.waiting.remove(index))
    }

    /// The index of the waiting run that starts next, if there is room: the lecturer's before all
    /// others, then those of clients with few running.
    pub fn next_to_start(&self, cores: usize) -> Option<usize> {
        let waiting = || self.waiting.iter().enumerate();
        // A large run of the lecturer's waits for room, which others must not take meanwhile.
        if let Some((index, run)) = waiting().find(|(_, run)| run.is_lecturer()) {
            return self.has_room_for_lecturer(run).then_some(index);
        }
        let room = FreeCapacity::new(&self.running, cores);
        let able = waiting().filter(|(_, run)| room.admits(run));
        let first = able.min_by_key(|(index, run)| (room.sixths_held_by(run.client), *index));
        first.map(|(index, _)| index)
    }

    /// Whether there is memory in the lecturer's half, or in what students leave of theirs.
    fn has_room_for_lecturer(&self, run: &SharedRun) -> bool {
        let (lecturer, students) = self.memory();
        let own = lecturer + run.memory <= MOST_MEMORY - STUDENTS_MEMORY;
        own || lecturer + students + run.memory <= MOST_MEMORY || self.running.is_empty()
    }

    /// The bytes held by the lecturer's runs and by students' runs.
    pub fn memory(&self) -> (usize, usize) {
        let sum = |lecturer: bool| {
            let runs = self.running.iter();
            let runs = runs.filter(|run| run.is_lecturer() == lecturer);
            runs.map(|run| run.memory).sum()
        };
        (sum(true), sum(false))
    }

    /// Gives turns to the runs that come first, and takes them from the others. Returns whether there
    /// are more runs than turns.
    pub fn assign_turns(&mut self, cores: usize, now: Instant) -> bool {
        let passed = now - self.last_assigned.replace(now).unwrap_or(now);
        let passed = passed.as_micros() as u64;
        self.charge(passed);
        let (lecturers, mut students): (Vec<_>, Vec<_>) = self
            .running
            .iter()
            .cloned()
            .partition(|run| run.is_lecturer());
        lecturers.iter().for_each(|run| run.set_turn(true));
        let slots = match lecturers.is_empty() {
            true => cores,
            false => (cores - 1).max(1),
        };
        let contended = students.len() > slots;
        self.sort_by_precedence(&mut students, now);
        self.long_credit = match students.iter().position(|run| run.is_long()) {
            Some(first_long) if contended => {
                let computed = (passed as usize * slots) as i64;
                let had = students
                    .iter()
                    .filter(|run| run.is_long() && run.has_turn());
                let used = had.count() as i64 * passed as i64;
                let credit = self.long_credit + computed / LONG_SHARE - used;
                if credit > 0 {
                    students[..=first_long].rotate_right(1);
                }
                credit.clamp(-MOST_CREDIT, MOST_CREDIT)
            }
            _ => 0,
        };
        for (index, run) in students.iter().enumerate() {
            run.set_turn(index < slots);
        }
        contended
    }

    /// Adds the time that has passed to the runs that had a turn, and to their clients.
    fn charge(&mut self, passed: u64) {
        let newcomer = self.computing.values().copied().min().unwrap_or(0);
        let running = &self.running;
        self.computing
            .retain(|client, _| running.iter().any(|run| run.client == *client));
        let mut started: HashMap<Client, usize> = HashMap::new();
        for run in running {
            *started.entry(run.client).or_insert(0) += 1;
        }
        for run in running {
            let computing = self.computing.entry(run.client).or_insert(newcomer);
            if run.has_turn() {
                *computing += passed / started[&run.client].min(CROWD) as u64;
                run.charge(passed);
            }
        }
    }

    /// New runs, then late short runs, then short runs by their client's computing time, then long
    /// ones by their client's computing time in long runs.
    fn sort_by_precedence(&self, students: &mut [Arc<SharedRun>], now: Instant) {
        let mut long: HashMap<Client, u64> = HashMap::new();
        for run in students.iter().filter(|run| run.is_long()) {
            *long.entry(run.client).or_insert(0) += run.used();
        }
        let head_start = HEAD_START.as_micros() as u64;
        students.sort_by_key(|run| {
            let used = run.used();
            let since = now.duration_since(run.requested);
            let since_ms = since.as_millis() as u64;
            match used {
                used if used < head_start => (0, used, 0),
                _ if run.is_long() => (3, long[&run.client], used),
                _ if since > LATE => (1, u64::MAX - since_ms, 0),
                // Among one client's runs, the one with the least computing for the time since its
                // request: otherwise an older run would wait for all that come after it.
                used => (
                    2,
                    self.computing[&run.client],
                    1000 * used / since_ms.max(1),
                ),
            }
        });
    }

    /// Drops the least recently used cached runs until the rest is small enough.
    pub fn evict(&mut self) {
        let size = |run: &Arc<SharedRun>| run.cached_size();
        let mut held: usize = self.cached.iter().map(size).sum();
        while held > MOST_CACHED
            && let Some(oldest) = self.cached.pop_front()
        {
            held -= size(&oldest);
        }
    }
}

/// What students' started runs leave to others.
struct FreeCapacity {
    places: usize,
    most_started: usize,
    clients: HashMap<Client, Usage>,
    all: Usage,
    /// Short runs of clients that have more than one.
    several: usize,
}

/// What some runs hold.
#[derive(Clone, Copy, Default)]
struct Usage {
    short: usize,
    started: usize,
    memory: usize,
}

impl Usage {
    fn add(&mut self, run: &SharedRun) {
        self.short += usize::from(!run.is_long());
        self.started += 1;
        self.memory += run.memory;
    }
}

impl FreeCapacity {
    fn new(running: &[Arc<SharedRun>], cores: usize) -> Self {
        let mut clients: HashMap<Client, Usage> = HashMap::new();
        let mut all = Usage::default();
        for run in running.iter().filter(|run| !run.is_lecturer()) {
            clients.entry(run.client).or_default().add(run);
            all.add(run);
        }
        let short = clients.values().map(|usage| usage.short);
        FreeCapacity {
            places: RUNNING_PER_CORE * cores,
            most_started: STARTED_PER_CORE * cores,
            several: short.filter(|short| *short > 1).sum(),
            clients,
            all,
        }
    }

    fn usage_of(&self, client: Client) -> Usage {
        self.clients.get(&client).copied().unwrap_or_default()
    }

    /// How many sixths of the places a client holds.
    fn sixths_held_by(&self, client: Client) -> usize {
        self.usage_of(client).started / (self.places / 6).max(1)
    }

    /// Whether there are a place and the memory for a run. The last quarter of the places is reserved
    /// for clients without runs, that of the memory for clients that hold little.
    fn admits(&self, run: &SharedRun) -> bool {
        let limit = |all: usize, reserve: bool| if reserve { all - all / 4 } else { all };
        let own = self.usage_of(run.client);
        // Only clients with several runs leave the last quarter, together. If all runs counted, this one
        // would never start while others, with one each, have most of the places.
        let several = match own.short {
            0 => 0,
            1 => self.several + 1,
            _ => self.several,
        };
        let memory = limit(STUDENTS_MEMORY, own.memory > STUDENTS_MEMORY / 8);
        self.all.short < self.places
            && several < limit(self.places, true)
            && self.all.started < limit(self.most_started, own.started > 0)
            && self.all.memory + run.memory <= memory
    }
}
