//! A class under attack, in simulated time: how long runs wait to start, and to end.
//!
//! The decisions are those of the lab's [`Schedule`]; a run is not a thread but the computing time that it
//! needs.

use std::net::IpAddr;

use super::schedule::*;
use super::*;
use bvlab_experiment::Source;
use std::collections::HashMap;

const CORES: usize = 2;
/// When a student gives up.
const PATIENCE: Duration = Duration::from_secs(60);
/// How many students share one network, and how many have one of their own.
const SHARED: usize = 30;
const ALONE: usize = 150;
/// More computing than a student's run may have.
const ENDLESS: Duration = Duration::from_secs(3600);

const fn ms(number: u64) -> Duration {
    Duration::from_millis(number)
}

/// A run under way.
struct ModelRun {
    shared: Arc<SharedRun>,
    needs: Duration,
}

/// How long each run of a student took to start and to end.
#[derive(Default)]
struct WaitTimes {
    ended: Vec<(Duration, Duration)>,
    without_end: usize,
    refused: usize,
}

impl WaitTimes {
    /// The longest times to begin and to end.
    fn longest(&self) -> (Duration, Duration) {
        let begun = self.ended.iter().map(|(begun, _)| *begun).max();
        let ended = self.ended.iter().map(|(_, ended)| *ended).max();
        (begun.unwrap_or_default(), ended.unwrap_or_default())
    }
}

/// The lab, and the time.
struct ModelLab {
    schedule: Schedule,
    experiment: Arc<Experiment>,
    start: Instant,
    now: Duration,
    dice: u64,
    /// When runs started, by the address of their shared state.
    begun: HashMap<*const SharedRun, Duration>,
}

impl ModelLab {
    fn new() -> Self {
        let text = r#"
            problem = { truth = "x", inputs = { uniform = [0, 1] }, noise = { normal = 0.3 }, train = 4 }
            learner = [{ knn = { k = 1 } }]
            run     = { resamples = 4, test = { grid = 3 } }
        "#;
        let experiment = Experiment::read("test", Source::new("", text, &[])).unwrap();
        ModelLab {
            schedule: Schedule::default(),
            experiment: Arc::new(experiment),
            start: Instant::now(),
            now: Duration::ZERO,
            dice: 0x1234_5678_9abc_def1,
            begun: HashMap::new(),
        }
    }

    /// A number below another, without pattern.
    fn roll(&mut self, below: u64) -> u64 {
        self.dice ^= self.dice << 13;
        self.dice ^= self.dice >> 7;
        self.dice ^= self.dice << 17;
        (self.dice >> 16) % below
    }

    /// A run that waits from now on; `None` if it is refused.
    fn ask(&mut self, client: Client, needs: Duration, memory: usize) -> Option<ModelRun> {
        if self.schedule.waiting.len() >= MOST_WAITING {
            let other = self.schedule.displace_for(client)?;
            other.cancelled.store(true, Ordering::Relaxed);
        }
        let asked = self.start + self.now;
        let experiment = self.experiment.clone();
        let mut shared = SharedRun::new(String::new(), experiment, client, asked);
        shared.memory = memory;
        let shared = Arc::new(shared);
        self.schedule.waiting.push(shared.clone());
        Some(ModelRun { shared, needs })
    }

    fn leave(&mut self, run: &ModelRun) {
        run.shared.cancelled.store(true, Ordering::Relaxed);
        let other = |shared: &Arc<SharedRun>| !Arc::ptr_eq(shared, &run.shared);
        self.schedule.waiting.retain(other);
        self.schedule.running.retain(other);
    }

    /// Ends a run that has computed as long as it needs, or may.
    fn ended(&mut self, run: &ModelRun) -> bool {
        let used = Duration::from_micros(run.shared.used());
        let ended = used >= run.needs || run.shared.overdue.load(Ordering::Relaxed);
        if ended {
            self.leave(run);
        }
        ended
    }

    /// Begins what there is room for, and deals one turn.
    fn turn(&mut self) {
        while let Some(place) = self.schedule.next_to_start(CORES) {
            let shared = self.schedule.waiting.remove(place);
            self.begun.insert(Arc::as_ptr(&shared), self.now);
            self.schedule.running.push(shared);
        }
        self.schedule.assign_turns(CORES, self.start + self.now);
        self.now += TURN;
        // Only counts what those have had whose turn it was.
        self.schedule.assign_turns(CORES, self.start + self.now);
    }
}

/// A student who moves a slider, watches the run to its end, and thinks for about two seconds.
struct Student {
    client: Client,
    thinks_until: Duration,
    run: Option<ModelRun>,
}

impl Student {
    fn act(&mut self, model: &mut ModelLab, waits: &mut WaitTimes) {
        let Some(run) = self.run.take() else {
            if model.now >= self.thinks_until {
                let needs = match model.roll(10) {
                    0..5 => ms(100),
                    5 | 6 => ms(150),
                    7 | 8 => ms(200),
                    _ => ms(700),
                };
                self.run = model.ask(self.client, needs, 10 << 20);
                waits.refused += usize::from(self.run.is_none());
                self.thinks_until = model.now + ms(2000);
            }
            return;
        };
        let asked = run.shared.requested.duration_since(model.start);
        let waited = model.now - asked;
        if model.ended(&run) {
            let begun = model.begun[&Arc::as_ptr(&run.shared)] - asked;
            waits.ended.push((begun, waited));
            self.thinks_until = model.now + ms(1000 + model.roll(2000));
        } else if run.shared.is_cancelled() {
            waits.refused += 1;
            self.thinks_until = model.now + ms(2000);
        } else if waited > PATIENCE {
            model.leave(&run);
            waits.without_end += 1;
            self.thinks_until = model.now;
        } else {
            self.run = Some(run);
        }
    }
}

/// A hostile network that keeps `runs` runs of a kind under way, each for the time `stays`.
struct Attacker {
    client: Client,
    runs: usize,
    needs: Duration,
    memory: usize,
    stays: Duration,
    held: Vec<ModelRun>,
}

impl Attacker {
    fn act(&mut self, model: &mut ModelLab) {
        for run in std::mem::take(&mut self.held) {
            let asked = run.shared.requested.duration_since(model.start);
            if run.shared.is_cancelled() || model.ended(&run) {
                continue;
            }
            match model.now - asked > self.stays {
                true => model.leave(&run),
                false => self.held.push(run),
            }
        }
        while self.held.len() < self.runs
            && let Some(run) = model.ask(self.client, self.needs, self.memory)
        {
            self.held.push(run);
        }
    }
}

fn network(kind: u8, number: usize) -> Client {
    Client::at(IpAddr::from([10, kind, 0, number as u8]))
}

/// `count` hostile networks that keep `runs` runs each.
fn attackers(
    kind: u8,
    count: usize,
    runs: usize,
    needs: Duration,
    stays: Duration,
) -> Vec<Attacker> {
    let attacker = |number: usize| Attacker {
        client: network(kind, number),
        runs,
        needs,
        memory: 1 << 20,
        stays,
        held: Vec::new(),
    };
    (0..count).map(attacker).collect()
}

/// The waiting times of the students who share a network, and of the others.
fn class(mut attackers: Vec<Attacker>, seconds: u64) -> [WaitTimes; 2] {
    let mut model = ModelLab::new();
    let mut students: Vec<Student> = (0..SHARED + ALONE)
        .map(|number| Student {
            client: match number < SHARED {
                true => network(1, 1),
                false => network(2, number - SHARED),
            },
            thinks_until: ms(model.roll(2000)),
            run: None,
        })
        .collect();
    let mut waits = [WaitTimes::default(), WaitTimes::default()];
    while model.now < Duration::from_secs(seconds) {
        for (number, student) in students.iter_mut().enumerate() {
            student.act(&mut model, &mut waits[usize::from(number >= SHARED)]);
        }
        attackers.iter_mut().for_each(|one| one.act(&mut model));
        model.turn();
    }
    for (waits, who) in waits.iter().zip(["shared", "alone"]) {
        let mut begun: Vec<Duration> = waits.ended.iter().map(|(begun, _)| *begun).collect();
        begun.sort_unstable();
        let middle = begun.get(begun.len() / 2);
        println!(
            "{who}: {} ended, half of them began after {middle:?}, longest {:?}; {} without an end, {} refused",
            waits.ended.len(),
            waits.longest(),
            waits.without_end,
            waits.refused
        );
    }
    waits
}

/// Everybody's runs end in time, and those of a shared network about as soon as the others.
fn all_end([shared, alone]: &[WaitTimes; 2], patience: Duration) {
    for waits in [shared, alone] {
        assert_eq!((waits.without_end, waits.refused), (0, 0));
        assert!(waits.longest().1 < patience, "{:?}", waits.longest());
    }
    let each = |waits: &WaitTimes, students: usize| waits.ended.len() as f64 / students as f64;
    let (shared, alone) = (each(shared, SHARED), each(alone, ALONE));
    assert!(shared > alone / 2.0, "{shared} and {alone} runs a student");
}

#[test]
fn thirty_students_at_one_address_are_served_like_the_others() {
    all_end(&class(Vec::new(), 120), Duration::from_secs(40));
}

#[test]
fn clients_that_begin_runs_and_leave_keep_nobody_waiting() {
    // Four hold long runs for a few seconds each, four begin by the dozen and leave at once.
    let mut hostile = attackers(3, 4, 20, ENDLESS, ms(4000));
    hostile.extend(attackers(4, 4, 20, ms(150), ms(100)));
    all_end(&class(hostile, 120), Duration::from_secs(40));
}

#[test]
fn twenty_networks_with_long_runs_do_not_keep_a_class_from_beginning() {
    let waits = class(attackers(5, 20, 10, ENDLESS, ENDLESS), 120);
    all_end(&waits, PATIENCE);
}
