//! A class under attack, on a clock that is a number: how long runs wait to begin, and to end.
//!
//! The decisions are those of the lab's [`State`]; runs are no threads but counts of the computing that
//! they need.

use std::net::IpAddr;

use super::*;
use bvlab_experiment::Source;

const CORES: usize = 2;
/// When a client of good will gives up.
const PATIENCE: Duration = Duration::from_secs(60);
/// How many clients of good will share one network, and how many have one of their own.
const SHARED: usize = 30;
const ALONE: usize = 150;
/// More computing than a student's run may have.
const ENDLESS: Duration = Duration::from_secs(3600);

const fn ms(number: u64) -> Duration {
    Duration::from_millis(number)
}

/// A run under way.
struct Run {
    job: Arc<Job>,
    needs: Duration,
}

/// What became of runs of good will: how long each took to begin and to end.
#[derive(Default)]
struct Fate {
    ended: Vec<(Duration, Duration)>,
    without_end: usize,
    refused: usize,
}

impl Fate {
    /// The longest times to begin and to end.
    fn longest(&self) -> (Duration, Duration) {
        let begun = self.ended.iter().map(|(begun, _)| *begun).max();
        let ended = self.ended.iter().map(|(_, ended)| *ended).max();
        (begun.unwrap_or_default(), ended.unwrap_or_default())
    }
}

/// The lab, and the time.
struct Model {
    state: State,
    experiment: Arc<Experiment>,
    start: Instant,
    now: Duration,
    dice: u64,
    /// When runs began, by the address of their job.
    begun: HashMap<*const Job, Duration>,
}

impl Model {
    fn new() -> Self {
        let text = r#"
            problem = { truth = "x", inputs = { uniform = [0, 1] }, noise = { normal = 0.3 }, train = 4 }
            learner = [{ knn = { k = 1 } }]
            run     = { resamples = 4, test = { grid = 3 } }
        "#;
        let experiment = Experiment::read("test", Source::new("", text, &[])).unwrap();
        Model {
            state: State::default(),
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
    fn ask(&mut self, client: Client, needs: Duration, memory: usize) -> Option<Run> {
        if self.state.waiting.len() >= MOST_WAITING {
            let other = self.state.one_too_many(client)?;
            other.cancelled.store(true, Ordering::Relaxed);
        }
        let asked = self.start + self.now;
        let job = Job {
            memory,
            ..Job::new(String::new(), self.experiment.clone(), client, asked)
        };
        let job = Arc::new(job);
        self.state.waiting.push(job.clone());
        Some(Run { job, needs })
    }

    fn leave(&mut self, run: &Run) {
        run.job.cancelled.store(true, Ordering::Relaxed);
        let other = |job: &Arc<Job>| !Arc::ptr_eq(job, &run.job);
        self.state.waiting.retain(other);
        self.state.running.retain(other);
    }

    /// Ends a run that has computed as long as it needs, or may.
    fn ended(&mut self, run: &Run) -> bool {
        let used = Duration::from_micros(run.job.used());
        let ended = used >= run.needs || run.job.overdue.load(Ordering::Relaxed);
        if ended {
            self.leave(run);
        }
        ended
    }

    /// Begins what there is room for, and deals one turn.
    fn turn(&mut self) {
        while let Some(place) = self.state.next(CORES) {
            let job = self.state.waiting.remove(place);
            self.begun.insert(Arc::as_ptr(&job), self.now);
            self.state.running.push(job);
        }
        self.state.deal(CORES, self.start + self.now);
        self.now += TURN;
        // Only counts what those have had whose turn it was.
        self.state.deal(CORES, self.start + self.now);
    }
}

/// A student who moves a slider, watches the run to its end, and thinks for about two seconds.
struct Student {
    client: Client,
    thinks_until: Duration,
    run: Option<Run>,
}

impl Student {
    fn act(&mut self, model: &mut Model, fate: &mut Fate) {
        let Some(run) = self.run.take() else {
            if model.now >= self.thinks_until {
                let needs = match model.roll(10) {
                    0..5 => ms(100),
                    5 | 6 => ms(150),
                    7 | 8 => ms(200),
                    _ => ms(700),
                };
                self.run = model.ask(self.client, needs, 10 << 20);
                fate.refused += usize::from(self.run.is_none());
                self.thinks_until = model.now + ms(2000);
            }
            return;
        };
        let asked = run.job.asked.duration_since(model.start);
        let waited = model.now - asked;
        if model.ended(&run) {
            let begun = model.begun[&Arc::as_ptr(&run.job)] - asked;
            fate.ended.push((begun, waited));
            self.thinks_until = model.now + ms(1000 + model.roll(2000));
        } else if run.job.is_cancelled() {
            fate.refused += 1;
            self.thinks_until = model.now + ms(2000);
        } else if waited > PATIENCE {
            model.leave(&run);
            fate.without_end += 1;
            self.thinks_until = model.now;
        } else {
            self.run = Some(run);
        }
    }
}

/// A hostile network that keeps so many runs of a kind under way, each for so long.
struct Attacker {
    client: Client,
    runs: usize,
    needs: Duration,
    memory: usize,
    stays: Duration,
    held: Vec<Run>,
}

impl Attacker {
    fn act(&mut self, model: &mut Model) {
        for run in std::mem::take(&mut self.held) {
            let asked = run.job.asked.duration_since(model.start);
            if run.job.is_cancelled() || model.ended(&run) {
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

/// So many hostile networks that keep so many runs, each for so long.
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

/// What becomes of the students who share a network, and of the others.
fn class(mut attackers: Vec<Attacker>, seconds: u64) -> [Fate; 2] {
    let mut model = Model::new();
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
    let mut fates = [Fate::default(), Fate::default()];
    while model.now < Duration::from_secs(seconds) {
        for (number, student) in students.iter_mut().enumerate() {
            student.act(&mut model, &mut fates[usize::from(number >= SHARED)]);
        }
        attackers.iter_mut().for_each(|one| one.act(&mut model));
        model.turn();
    }
    for (fate, who) in fates.iter().zip(["shared", "alone"]) {
        let mut begun: Vec<Duration> = fate.ended.iter().map(|(begun, _)| *begun).collect();
        begun.sort_unstable();
        let middle = begun.get(begun.len() / 2);
        println!(
            "{who}: {} ended, half of them began after {middle:?}, longest {:?}; {} without an end, {} refused",
            fate.ended.len(),
            fate.longest(),
            fate.without_end,
            fate.refused
        );
    }
    fates
}

/// Everybody's runs end in time, and those of a shared network about as soon as the others.
fn all_end([shared, alone]: &[Fate; 2], patience: Duration) {
    for fate in [shared, alone] {
        assert_eq!((fate.without_end, fate.refused), (0, 0));
        assert!(fate.longest().1 < patience, "{:?}", fate.longest());
    }
    let each = |fate: &Fate, students: usize| fate.ended.len() as f64 / students as f64;
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
    let fates = class(attackers(5, 20, 10, ENDLESS, ENDLESS), 120);
    all_end(&fates, PATIENCE);
}
