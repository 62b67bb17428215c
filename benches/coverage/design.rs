//! What is run: problems, learners, test points and numbers of resamples.

use bvlab::experiment::{Experiment, Source};
use bvlab::plan::Plan;

/// How many points a training set has.
const TRAIN: usize = 30;

/// Where the error is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TestPoints {
    Grid(usize),
    Draw(usize),
}

impl TestPoints {
    pub fn name(self) -> String {
        match self {
            TestPoints::Grid(_) => "grid".to_owned(),
            TestPoints::Draw(count) => format!("draw {count}"),
        }
    }

    fn toml(self) -> String {
        match self {
            TestPoints::Grid(count) => format!("{{ grid = {count} }}"),
            TestPoints::Draw(count) => format!("{{ draw = {count} }}"),
        }
    }
}

/// Where true values come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrueValues {
    /// The exact forms of linear smoothers on inputs that are the same for every seed, and a long
    /// run for other learners.
    ExactOnce,
    /// The exact forms of linear smoothers on the inputs of every seed; other learners are left out.
    ExactBySeed,
    /// A long run of so many resamples.
    LongRun(u64),
    /// None: only alarms are counted.
    Unknown,
}

/// A problem with its learners, run at several kinds of test points and numbers of resamples.
pub struct Setup {
    /// The noise's law, or the loss.
    pub noise: &'static str,
    /// How inputs come about.
    pub inputs: &'static str,
    pub tests: Vec<TestPoints>,
    pub resamples: Vec<u64>,
    pub true_values: TrueValues,
    /// Every how many seeds it is run.
    pub one_seed_in: u64,
    problem: String,
    run: &'static str,
    /// Names, and how they are written in TOML.
    learners: Vec<(&'static str, &'static str)>,
}

impl Setup {
    pub fn name(&self) -> String {
        format!("{}, {}", self.noise, self.inputs)
    }

    pub fn learner(&self, learner: usize) -> &'static str {
        self.learners[learner].0
    }

    /// How many learners it has.
    pub fn learners(&self) -> usize {
        self.learners.len()
    }

    /// The same with some of its learners.
    pub fn with_learners(&self, keep: impl Fn(usize) -> bool) -> Setup {
        let learners = self.learners.iter().enumerate();
        let learners = learners.filter(|(learner, _)| keep(*learner));
        Setup {
            learners: learners.map(|(_, named)| *named).collect(),
            tests: self.tests.clone(),
            resamples: self.resamples.clone(),
            problem: self.problem.clone(),
            ..*self
        }
    }

    /// Whether runs of this kind are made with this seed: those at 1000 points, which take as long as
    /// all others, with every fourth only.
    pub fn includes(&self, test: TestPoints, seed: u64) -> bool {
        test != TestPoints::Draw(1000) || seed.is_multiple_of(4)
    }

    /// The plan with one kind of test points, so many resamples, and a seed.
    pub fn plan(&self, test: TestPoints, resamples: u64, seed: u64) -> Plan {
        let learners = self.learners.iter();
        let learners: Vec<String> = learners
            .map(|(name, learner)| format!("{{ name = \"{name}\", {learner} }}"))
            .collect();
        let text = format!(
            "problem = {{ {} }}\nlearner = [{}]\nrun = {{ {} test = {}, resamples = {resamples}, \
             seed = {seed}, keep = 1 }}",
            self.problem,
            learners.join(", "),
            self.run,
            test.toml(),
        );
        let name = self.name();
        match Experiment::read(&name, Source::new(&name, &text, &[])) {
            Ok(experiment) => experiment.plan().expect("it is a study").clone(),
            Err(error) => panic!("{name}: {error:?}"),
        }
    }
}

/// Six cheap learners, from no bias to no variance to speak of.
#[rustfmt::skip]
const CHEAP: &[(&str, &str)] = &[
    ("knn, k = 1", "knn = { k = 1 }"),
    ("knn, k = 5", "knn = { k = 5 }"),
    ("knn, k = n", "knn = { k = 30 }"),
    ("kernel, bandwidth .1", "kernel = { bandwidth = 0.1 }"),
    ("tree, depth 2", "tree = { depth = 2 }"),
    ("tree, full", "tree = {}"),
    ("polynomial, degree 1", "polynomial = { degree = 1 }"),
    ("polynomial, degree 3", "polynomial = { degree = 3 }"),
    ("gaussians, λ = .3", "gaussians = { count = 10, width = 0.1, lambda = 0.3 }"),
    ("linear, λ = 1", "linear = { lambda = 1 }"),
];

/// Learners that take longer.
#[rustfmt::skip]
const DEARER: &[(&str, &str)] = &[
    ("fourier", "fourier = { features = 10, scale = 6, lambda = 0.1 }"),
    ("network", "network = { width = 4, epochs = 20 }"),
    ("bagging", "bagging = { members = 10, base = { tree = {} } }"),
    ("forest", "forest = { trees = 10, leaves = 6 }"),
    ("boosting", "boosting = { rounds = 15 }"),
];

#[rustfmt::skip]
const CLASSIFIERS: &[(&str, &str)] = &[
    ("knn, k = 5", "knn = { k = 5 }"),
    ("knn, k = 15", "knn = { k = 15 }"),
    ("logistic, degree 1", "logistic = { degree = 1, lambda = 0.5 }"),
    ("logistic, degree 3", "logistic = { degree = 3, lambda = 0.5 }"),
    ("discriminant", "discriminant = { rung = 3 }"),
];

#[rustfmt::skip]
const DEARER_CLASSIFIERS: &[(&str, &str)] = &[
    ("adaboost", "adaboost = { rounds = 10 }"),
    ("forest of classes", "forest = { trees = 10 }"),
];

/// A setting of [noise] and its name.
const NOISES: [(&str, &str); 3] = [
    ("normal", "{ normal = 0.3 }"),
    ("heteroscedastic", "{ normal = \"0.1 + 0.4*x\" }"),
    ("student-t 5", "{ student-t = 0.3, degrees = 5 }"),
];

/// Those that only have to raise no alarm.
const MORE_NOISES: [(&str, &str); 4] = [
    ("uniform", "{ uniform = 0.3 }"),
    ("laplace", "{ laplace = 0.3 }"),
    ("student-t 3", "{ student-t = 0.3, degrees = 3 }"),
    ("student-t 9", "{ student-t = 0.3, degrees = 9 }"),
];

const LOSSES: [(&str, &str); 4] = [
    ("squared loss of classes", "loss = \"squared\","),
    (
        "cross-entropy",
        "loss = \"cross-entropy\", smoothing = 0.01,",
    ),
    (
        "zero-one, Kohavi–Wolpert",
        "loss = \"zero-one\", split = \"kohavi-wolpert\",",
    ),
    ("zero-one, Domingos", "loss = \"zero-one\","),
];

/// Fixed inputs that are the same for every seed, fixed ones of every seed, and fresh ones.
const INPUTS: [(&str, &str); 3] = [
    ("fixed", "{ grid = [0, 1] }"),
    ("fixed", "{ uniform = [0, 1], fixed = true }"),
    ("fresh", "{ uniform = [0, 1] }"),
];

fn numbers(noise: &str, inputs: &str) -> String {
    format!("truth = \"sin(2*pi*x)\", inputs = {inputs}, noise = {noise}, train = {TRAIN}")
}

fn classes() -> String {
    let probability = "0.5 + 0.4*sin(2*pi*x)";
    format!(
        "classes = {{ probability = \"{probability}\" }}, inputs = {{ uniform = [0, 1] }}, train = {TRAIN}"
    )
}

/// All setups of the study.
pub fn setups() -> Vec<Setup> {
    let resamples = || vec![40, 100, 1000];
    let draws = || [30, 100, 1000].map(TestPoints::Draw);
    let grid = TestPoints::Grid(200);
    let mut all = Vec::new();
    for (noise, law) in NOISES {
        for (kind, (inputs, written)) in INPUTS.into_iter().enumerate() {
            let (tests, true_values) = match kind {
                0 => (vec![grid], TrueValues::ExactOnce),
                1 => (draws().to_vec(), TrueValues::ExactBySeed),
                _ => {
                    let tests = std::iter::once(grid).chain(draws());
                    (tests.collect(), TrueValues::LongRun(150_000))
                }
            };
            all.push(Setup {
                noise,
                inputs,
                tests,
                resamples: resamples(),
                true_values,
                one_seed_in: 1,
                problem: numbers(law, written),
                run: "",
                learners: CHEAP.to_vec(),
            });
        }
    }
    for (noise, law) in MORE_NOISES {
        for (inputs, written) in [INPUTS[0], INPUTS[2]] {
            all.push(Setup {
                noise,
                inputs,
                tests: vec![TestPoints::Grid(50)],
                resamples: vec![40, 100],
                true_values: TrueValues::Unknown,
                one_seed_in: 1,
                problem: numbers(law, written),
                run: "",
                learners: CHEAP.to_vec(),
            });
        }
    }
    for (noise, run) in LOSSES {
        all.push(Setup {
            noise,
            inputs: "fresh",
            tests: vec![grid, TestPoints::Draw(100)],
            resamples: resamples(),
            true_values: TrueValues::LongRun(150_000),
            one_seed_in: 1,
            problem: classes(),
            run,
            learners: CLASSIFIERS.to_vec(),
        });
    }
    all.push(Setup {
        noise: "normal, other learners",
        inputs: "fresh",
        tests: vec![grid, TestPoints::Draw(100)],
        resamples: vec![100],
        true_values: TrueValues::LongRun(20_000),
        one_seed_in: 4,
        problem: numbers(NOISES[0].1, INPUTS[2].1),
        run: "",
        learners: DEARER.to_vec(),
    });
    all.push(Setup {
        noise: "zero-one, other learners",
        inputs: "fresh",
        tests: vec![grid],
        resamples: vec![100],
        true_values: TrueValues::LongRun(20_000),
        one_seed_in: 4,
        problem: classes(),
        run: LOSSES[2].1,
        learners: DEARER_CLASSIFIERS.to_vec(),
    });
    all
}
