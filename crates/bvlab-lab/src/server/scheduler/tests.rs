use super::schedule::{CROWD, MOST_CACHED, RUNNING_PER_CORE};
use super::*;
use crate::limits::Limits;
use bvlab_core::data::{Points, Training};
use bvlab_core::interrupt::{Interrupt, Interrupted};
use bvlab_core::learner::Learner;
use bvlab_core::plan::{CapacityPath, Plan, PlanParts, SweepAxis};
use bvlab_core::stream::Stream;
use bvlab_core::task::Task;
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

impl Scheduler {
    fn is_running(&self, run: &Arc<SharedRun>) -> bool {
        let state = self.lock();
        state.running.iter().any(|other| Arc::ptr_eq(other, run))
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
    listener.run.log.read().unwrap().messages.len()
}

#[test]
fn equal_requests_share_one_run_and_it_ends_with_its_last_listener() {
    let lab = Scheduler::new(2);
    let first = lab.request(experiment(1), student(1)).unwrap();
    let second = lab.request(experiment(1), student(2)).unwrap();
    let other = lab.request(experiment(2), student(2)).unwrap();
    assert!(Arc::ptr_eq(&first.run, &second.run));
    assert!(!Arc::ptr_eq(&first.run, &other.run));
    assert_eq!(lab.lock().running.len(), 2);
    drop(first);
    wait_for("goes on for the second", || reached(&second) > 60);
    assert!(!second.run.is_cancelled());
    drop(second);
    wait_for("ends", || lab.lock().running.len() == 1);
    drop(other);
    wait_for("ends too", || lab.lock().running.is_empty());
    lab.close();
}

#[test]
fn a_network_has_so_many_runs_and_no_more() {
    let lab = Scheduler::new(1);
    let most = Limits::STUDENT.runs as u64;
    let mine: Vec<Listener> = (0..most)
        .map(|seed| lab.request(experiment(seed), student(1)).unwrap())
        .collect();
    let refused = lab.request(experiment(999), student(1)).err().unwrap();
    assert!(matches!(&refused, Refusal::TooMany(words) if words.contains("100 runs")));
    assert_eq!(refused.parts().0, 429);
    // Another has the same right, and one that was given up makes room at once.
    let theirs = lab.request(experiment(999), student(2)).unwrap();
    drop(mine);
    let mine = lab.request(experiment(998), student(1)).unwrap();
    drop((mine, theirs));
    lab.close();
}

#[test]
fn only_so_many_run_and_wait() {
    let lab = Scheduler::new(1);
    let all = RUNNING_PER_CORE + MOST_WAITING;
    let asked: Vec<Listener> = (0..all)
        .map(|i| {
            let client = Client::at(IpAddr::from([10, 1, (i / 200) as u8, (i % 200) as u8]));
            lab.request(experiment(i as u64), client).unwrap()
        })
        .collect();
    assert_eq!(lab.lock().running.len(), RUNNING_PER_CORE);
    // One more of the same is refused; another client's first takes the latest one's place.
    let refused = lab.request(experiment(9999), asked[all - 1].run.client);
    assert_eq!(refused.err().unwrap().parts().0, 503);
    let first = lab.request(experiment(9999), student(1)).unwrap();
    assert_eq!(lab.lock().waiting.len(), MOST_WAITING);
    let last = asked.last().unwrap();
    assert!(last.run.is_finished() && !first.run.is_finished());
    assert!(last.final_message().contains("400 runs are waiting"));
    // The lecturer's begins although hundreds wait.
    let lecturer = lab.request(experiment(7777), LECTURER).unwrap();
    assert!(lab.is_running(&lecturer.run));
    wait_for("the lecturer's is computed", || reached(&lecturer) > 60);
    drop((asked, first, lecturer));
    lab.close();
}

#[test]
fn a_client_with_many_runs_leaves_room_for_others() {
    let lab = Scheduler::new(1);
    let many: Vec<Listener> = (0..40)
        .map(|seed| lab.request(experiment(seed), student(1)).unwrap())
        .collect();
    assert_eq!(lab.lock().running.len(), RUNNING_PER_CORE * 3 / 4);
    let other = lab.request(experiment(99), student(2)).unwrap();
    assert!(lab.is_running(&other.run));
    drop((many, other));
    lab.close();
}

#[test]
fn the_lecturer_has_memory_that_students_cannot_fill() {
    let lab = Scheduler::new(1);
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
        .map(|i| lab.request(large(i), student(i as u8)).unwrap())
        .collect();
    let (lecturer, students) = lab.lock().memory();
    assert!(lecturer == 0 && students + each > STUDENTS_MEMORY);
    assert!(!lab.lock().waiting.is_empty());
    let mine = lab.request(large(77), LECTURER).unwrap();
    assert!(lab.is_running(&mine.run));
    drop((asked, mine));
    lab.close();
}

#[test]
fn the_lecturer_and_a_student_at_one_address_are_two() {
    let lab = Scheduler::new(1);
    let most = Limits::STUDENT.runs as u64;
    let students: Vec<Listener> = (0..most)
        .map(|seed| {
            let client = Client::at(LECTURER.address);
            lab.request(experiment(seed), client).unwrap()
        })
        .collect();
    let lecturer = lab.request(experiment(7777), LECTURER).unwrap();
    assert!(lab.is_running(&lecturer.run));
    drop((students, lecturer));
    lab.close();
}

#[test]
fn runs_of_all_clients_go_on_together() {
    let lab = Scheduler::new(1);
    // One client asks for much, three for little.
    let asked: Vec<Listener> = [1; 12]
        .into_iter()
        .chain([2, 3, 4])
        .zip(0..)
        .map(|(client, seed)| lab.request(experiment(seed), student(client)).unwrap())
        .collect();
    wait_for("all are computed", || {
        asked.iter().all(|listener| reached(listener) > 60)
    });
    // However much a client asks for, it counts as a few at most, and the others are equal.
    let used = |client: u8| {
        let mine = asked.iter().filter(|l| l.run.client == student(client));
        mine.map(|listener| listener.run.used()).sum::<u64>()
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
    lab.close();
}

#[test]
fn a_run_that_takes_too_long_is_cut_off_and_says_so() {
    let lab = Scheduler::new(1);
    let listener = lab.request(experiment(1), student(1)).unwrap();
    wait_for("begins", || reached(&listener) > 60);
    let limit = Limits::STUDENT.time.as_micros() as u64;
    listener.run.used.store(limit, Ordering::Relaxed);
    wait_for("ends", || listener.run.is_finished());
    let refusal = listener.outcome().err().unwrap();
    assert!(matches!(refusal, Refusal::Failed(words) if words.contains("20 seconds")));
    // The same again is a new run.
    wait_for("is gone", || lab.lock().running.is_empty());
    let again = lab.request(experiment(1), student(1)).unwrap();
    assert!(!Arc::ptr_eq(&again.run, &listener.run));
    drop((again, listener));
    lab.close();
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

    fn try_predict(&mut self, _: &Points, _: &mut [f64], _: &Interrupt) -> Result<(), Interrupted> {
        Ok(())
    }
}

#[test]
fn a_run_that_panics_is_reported_and_frees_its_place() {
    let lab = Scheduler::new(1);
    let most = Limits::STUDENT.runs as u64 + 2;
    // More of them than there are places for one client, one after the other.
    for seed in 0..most {
        let broken = changed(experiment(seed), |parts| {
            let axis = SweepAxis::new("one", &[1.0]);
            parts.paths = vec![CapacityPath::new("broken", axis, Box::new(Panicking))];
        });
        let listener = lab.request(broken, student(1)).unwrap();
        wait_for("ends", || listener.run.is_finished());
        let refusal = listener.outcome().err().unwrap();
        assert!(matches!(refusal, Refusal::Failed(words) if words.contains("failed")));
        wait_for("is gone", || lab.lock().running.is_empty());
    }
    let good = lab.request(experiment(most), student(1)).unwrap();
    wait_for("the next is computed", || reached(&good) > 60);
    drop(good);
    lab.close();
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
    let lab = Scheduler::new(1);
    for experiment in [endless(1), simulated(1)] {
        let listener = lab.request(experiment, student(1)).unwrap();
        wait_for("begins", || listener.run.used() > 50_000);
        drop(listener);
        wait_for("ends", || lab.lock().running.is_empty());
    }
    for experiment in [endless(2), simulated(2)] {
        let listener = lab.request(experiment, student(1)).unwrap();
        let limit = Limits::STUDENT.time.as_micros() as u64;
        listener.run.used.store(limit, Ordering::Relaxed);
        wait_for("is cut off", || listener.run.is_finished());
        let refusal = listener.outcome().err().unwrap();
        assert!(matches!(refusal, Refusal::Failed(words) if words.contains("20 seconds")));
    }
    lab.close();
}

#[test]
fn finished_runs_are_remembered_until_there_are_too_many() {
    let lab = Scheduler::new(2);
    let short = |seed: u64| {
        let source = Source::new(
            "",
            experiment(seed).source.file_text(),
            &["run.resamples=10".to_owned()],
        );
        Experiment::read("test", source).unwrap()
    };
    let first = lab.request(short(1), student(1)).unwrap();
    wait_for("ends", || lab.lock().cached.len() == 1);
    let again = lab.request(short(1), student(2)).unwrap();
    assert!(Arc::ptr_eq(&first.run, &again.run));
    let size = first.run.cached_size();
    assert!(size > 1000);
    let mut state = lab.lock();
    let more = MOST_CACHED / size + 10;
    for _ in 0..more {
        let run = first.run.clone();
        state.cached.push_back(run);
    }
    state.evict();
    assert!(state.cached.len() * size <= MOST_CACHED);
    drop(state);
    lab.close();
}
