//! Work that takes long asks as it goes, and work that was interrupted leaves nothing behind.

use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use bvlab::data::{Points, Training};
use bvlab::engine::{self, GroupState, Observer, Options, RunError, Unwatched};
use bvlab::interrupt::{Interrupt, Interrupted};
use bvlab::learner::Learner;
use bvlab::outcome::Tables;
use bvlab::parameter::DataSize;
use bvlab::simulation::{self, SIMULATIONS, Setup, Simulate};

use crate::going_on::SavesAlways;
use crate::setup::{algorithm, plan};

/// Fits and predicts everywhere, as the engine does.
fn all(
    learner: &mut dyn Learner,
    (data, points): (&Training, &Points),
    outputs: usize,
    interrupt: &Interrupt,
) -> Result<Vec<f64>, Interrupted> {
    let settings = learner.capacities();
    let mut at_test = vec![f64::NAN; settings * points.len() * outputs];
    let mut at_train = vec![f64::NAN; settings * data.len() * outputs];
    learner.try_fit(data, &algorithm(3), interrupt)?;
    learner.try_predict(points, &mut at_test, interrupt)?;
    learner.try_predict_training(data, &mut at_train, interrupt)?;
    learner.predict_members(points, interrupt, &mut |_, _, found| {
        at_test.extend_from_slice(found);
    })?;
    learner.diagnose(data, interrupt)?;
    at_test.append(&mut at_train);
    Ok(at_test)
}

/// Every family, with fits that take more than a moment.
const LONG: [(&str, &str, &str); 25] = [
    (
        "network",
        "numbers",
        "network = { width = 100, epochs = 200 }",
    ),
    (
        "network of classes",
        "classes",
        "network = { width = 50, epochs = 200 }",
    ),
    ("forest", "plane", "forest = { trees = 400 }"),
    (
        "bagged trees",
        "numbers",
        "bagging = { members = 800, base = { tree = {} } }",
    ),
    (
        "bagging by shares",
        "numbers",
        "bagging = { members = 4, sample = \"split\", base = { network = { width = 50, epochs = 200 } } }",
    ),
    (
        "bagged networks",
        "numbers",
        "bagging = { members = 3, base = { network = { width = 50, epochs = 200 } } }",
    ),
    ("boosting", "numbers", "boosting = { rounds = 1000 }"),
    (
        "boosting in the plane",
        "plane",
        "boosting = { rounds = 400, depth = 8 }",
    ),
    (
        "adaboost",
        "classes",
        "adaboost = { rounds = 5000, depth = 2 }",
    ),
    ("logistic", "classes", "logistic = { degree = 9 }"),
    (
        "discriminant",
        "many classes",
        "discriminant = { rung = 4 }",
    ),
    (
        "naive Bayes",
        "many classes",
        "naive-bayes = {}, sweep = { smoothing = { from = 1, to = 30, count = 30 } }",
    ),
    ("linear", "many", "linear = {}"),
    ("polynomial", "numbers", "polynomial = { degree = 150 }"),
    (
        "gaussians",
        "numbers",
        "gaussians = { count = 100, width = 1 }",
    ),
    (
        "fourier",
        "numbers",
        "fourier = { features = 300, scale = 1 }",
    ),
    ("kernel", "plane", "kernel = { bandwidth = 0.5 }"),
    ("local", "plane", "local = { bandwidth = 0.5 }"),
    (
        "spline",
        "numbers",
        "spline = {}, sweep = { df = { from = 3, to = 300, count = 60 } }",
    ),
    ("lasso", "many", "lasso = { lambda = 0.001 }"),
    ("components", "many", "components = { components = 9 }"),
    ("subset", "many", "subset = { size = 9 }"),
    (
        "best subset",
        "some",
        "subset = { size = 9, search = \"best\" }",
    ),
    ("knn", "plane", "knn = { k = 5 }"),
    ("tree", "many", "tree = {}"),
];

fn long(problem: &str, learner: &str) -> (Box<dyn Learner>, Training, Points, usize) {
    let zeros = ["0"; 19].join(", ");
    let many_classes = format!(
        "classes = {{ gaussians = [{{ mean = [0, {zeros}] }}, {{ mean = [1, {zeros}] }}] }}"
    );
    let (problem, train, test) = match problem {
        "numbers" => (
            r#"truth = "sin(x)", inputs = { uniform = [0, 15] }, noise = { normal = 0.5 }"#,
            400,
            "grid = 300",
        ),
        "plane" => (
            r#"truth = "x1*x2", inputs = { uniform = [0, 1], dimension = 2 }, noise = { normal = 0.5 }"#,
            1000,
            "draw = 6000",
        ),
        "many" => (
            r#"truth = "x1", inputs = { normal = [0, 1], dimension = 100 }, noise = { normal = 0.5 }"#,
            6000,
            "draw = 100",
        ),
        "some" => (
            r#"truth = "x1", inputs = { normal = [0, 1], dimension = 20 }, noise = { normal = 0.5 }"#,
            60,
            "draw = 50",
        ),
        "many classes" => (many_classes.as_str(), 1000, "draw = 20000"),
        _ => (
            r#"classes = { probabilities = ["x1", "x2"] }, inputs = { uniform = [0, 1], dimension = 2 }"#,
            500,
            "draw = 500",
        ),
    };
    let text = format!(
        "problem = {{ {problem}, train = {train} }}\nlearner = [{{ {learner} }}]\nrun = {{ resamples = 4, test = {{ {test} }} }}"
    );
    let plan = plan(&text);
    let mut data = Training::default();
    plan.problem().draw(1, 0, &mut data).unwrap();
    let outputs = plan.problem().outputs();
    let stage = &plan.paths[0].stages[0];
    (
        stage.learner.clone(),
        data,
        plan.test.points.clone(),
        outputs,
    )
}

#[test]
fn long_fits_ask_and_what_was_interrupted_can_be_done_again() {
    for (name, problem, text) in LONG {
        let (learner, data, points, outputs) = long(problem, text);
        let asked = Cell::new(0_u64);
        let counts = || {
            asked.set(asked.get() + 1);
            false
        };
        let given = (&data, &points);
        let mut fresh = learner.clone();
        let whole = all(&mut *fresh, given, outputs, &Interrupt::new(&counts)).unwrap();
        let questions = asked.get();
        assert!(questions > 0, "{name} asks nothing");
        let whole: Vec<u64> = whole.iter().map(|value| value.to_bits()).collect();
        // Interrupted at the first, at some and at the last question, one learner after the other
        // takes, and at last finishes: the same to the last bit.
        let mut learner = learner;
        for at in [1, questions.div_ceil(2), questions] {
            asked.set(0);
            let stops = || {
                asked.set(asked.get() + 1);
                asked.get() >= at
            };
            let stopped = all(&mut *learner, given, outputs, &Interrupt::new(&stops));
            assert_eq!(
                stopped,
                Err(Interrupted),
                "{name} went on at {at} of {questions}"
            );
            assert_eq!(asked.get(), at, "{name}");
        }
        let again = all(&mut *learner, given, outputs, &Interrupt::never()).unwrap();
        let again: Vec<u64> = again.iter().map(|value| value.to_bits()).collect();
        assert!(again == whole, "{name} remembers what was interrupted");
    }
}

/// Stops at the n-th question.
struct At {
    left: AtomicU64,
}

impl At {
    fn question(number: u64) -> Self {
        At {
            left: AtomicU64::new(number),
        }
    }
}

impl Observer for At {
    fn stopped(&self) -> bool {
        let left = self.left.load(Ordering::SeqCst).saturating_sub(1);
        self.left.store(left, Ordering::SeqCst);
        left == 0
    }
}

#[test]
fn a_run_that_stops_within_a_resample_goes_on_to_the_same_end() {
    let plan = plan(
        r#"
        problem = { truth = "sin(x)", inputs = { uniform = [0, 15] }, noise = { normal = 0.5 }, train = 60 }
        sweep = { width = [2, 40] }
        learner = [{ network = { epochs = 400 } }]
        run = { resamples = 60, test = { grid = 20 } }
        "#,
    );
    let whole = engine::run(&plan, 1, &Unwatched).unwrap();
    let whole = Tables::new(&plan, &whole);
    let mut within = 0;
    for number in [1, 2, 3, 40, 77, 110] {
        let saved: Mutex<Vec<GroupState>> = Mutex::new(Vec::new());
        let save = |_: usize, state: &GroupState| {
            let mut saved = saved.lock().unwrap();
            saved.retain(|other| other.group != state.group);
            saved.push(state.clone());
        };
        let at = At::question(number);
        let saves = SavesAlways {
            observer: &at,
            save: &save,
        };
        let stopped = engine::run_with(&plan, Options::new(1, &saves));
        let Err(RunError::Stopped { done, .. }) = stopped else {
            panic!("it went on after question {number}");
        };
        // One question comes before every resample; the others within.
        within += u64::from(done + 1 < number);
        let begun = saved.lock().unwrap().clone();
        let counted = begun
            .iter()
            .map(|state| state.tallies[0].count())
            .sum::<u64>();
        assert!(counted <= done, "{counted} of {done} resamples are saved");
        let begun = |_: usize| begun.clone();
        let options = Options {
            begun: Some(&begun),
            ..Options::new(1, &Unwatched)
        };
        let results = engine::run_with(&plan, options).unwrap();
        assert!(whole == Tables::new(&plan, &results), "{number}");
    }
    assert!(within >= 4, "hardly a question is asked within a resample");
}

/// A simulation with every number as large as it may be, and lists of one.
fn largest(which: &'static simulation::Simulation) -> Setup {
    let mut setup = Setup::new(which);
    for (values, rule) in setup.values.iter_mut().zip(which.parameters) {
        if rule.whole {
            *values = vec![rule.largest(DataSize::UNKNOWN)];
        }
    }
    setup
}

#[test]
fn simulations_ask_as_often_as_their_work_says() {
    for which in SIMULATIONS {
        let setup = largest(which);
        let every = Interrupt::EVERY as f64;
        // The largest take minutes: they are interrupted after so many questions.
        let most = 20.0;
        let asked = Cell::new(0.0);
        let stops = || {
            asked.set(asked.get() + 1.0);
            asked.get() >= most
        };
        let mut simulation: Box<dyn Simulate> = (which.build)(&setup);
        let mut out = vec![0.0; simulation.observations()];
        let seen = simulation.observe(1, 0, &mut out, &Interrupt::new(&stops));
        let expected = (setup.operations() / every).floor();
        println!(
            "{}: work {:.1e}, asked {}",
            which.name,
            setup.operations(),
            asked.get()
        );
        assert!(setup.operations().is_finite() && setup.operations() > 0.0);
        if seen.is_ok() {
            assert!(expected <= 10.0 * (asked.get() + 1.0), "{}", which.name);
        } else {
            assert!(expected >= most / 10.0, "{}: {expected}", which.name);
        }
    }
}

#[test]
fn a_long_resample_of_a_simulation_is_dropped_whole() {
    let which = simulation::find("bootstrap-estimates").unwrap();
    let setup = Setup {
        resamples: 10,
        seed: 1,
        ..largest(which)
    };
    let stopped = simulation::run(&setup, &At::question(1));
    assert!(
        matches!(stopped, Err(RunError::Stopped { done: 0, total: 10 })),
        "{:?}",
        stopped.err()
    );
}
