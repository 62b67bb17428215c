//! One benchmark per learner path: fit it to a training set, and predict at 200 test points and at
//! the training points, which is what a run does for every resample.
//!
//!     cargo bench --bench paths            # all
//!     cargo bench --bench paths -- tree    # some

use std::fmt;

use bvlab::data::{Points, Training};
use bvlab::experiment::{Experiment, Source};
use bvlab::learner::{Criterion, Learner, Tree, TreeSetting};
use bvlab::plan::Plan;
use bvlab::stream::{Purpose, Stream};
use divan::Bencher;
use rand::RngExt;

fn main() {
    divan::main();
}

/// y = sin x on 100 points.
const LINE: &str = r#"
    truth  = "sin(x)"
    inputs = { uniform = [0, 15] }
    noise  = { normal = 0.5 }
    train  = 100
"#;

/// A period of a sine on 50 points.
const UNIT: &str = r#"
    truth  = "sin(2*pi*x)"
    inputs = { uniform = [0, 1] }
    noise  = { normal = 0.3 }
    train  = 50
"#;

/// The same on 100 points of a grid.
const GRID: &str = r#"
    truth  = "sin(2*pi*x)"
    inputs = { grid = [0, 1] }
    noise  = { normal = 0.3 }
    train  = 100
"#;

/// Three inputs, 100 points.
const SPACE: &str = r#"
    truth  = "sin(3*x1) + x2*x3"
    inputs = { uniform = [-1, 1], dimension = 3 }
    noise  = { normal = 0.3 }
    train  = 100
"#;

/// A learner and its sweep, on one of the problems.
struct Path {
    name: &'static str,
    problem: &'static str,
    sweep: &'static str,
    learner: &'static str,
}

impl Path {
    /// With 200 test points.
    fn plan(&self) -> Plan {
        let Path {
            name,
            problem,
            sweep,
            learner,
        } = self;
        let test = match *problem == SPACE {
            true => "draw",
            false => "grid",
        };
        let text = format!(
            "[problem]\n{problem}\n[sweep]\n{sweep}\n[[learner]]\n{learner}\n\
             [run]\nresamples = 48\ntest = {{ {test} = 200 }}\n"
        );
        match Experiment::read(name, Source::new(name, &text, &[])) {
            Ok(experiment) => experiment.plan().expect("it is a study").clone(),
            Err(error) => panic!("{name}: {error:?}"),
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

const fn path(
    name: &'static str,
    problem: &'static str,
    sweep: &'static str,
    learner: &'static str,
) -> Path {
    Path {
        name,
        problem,
        sweep,
        learner,
    }
}

const LAMBDAS: &str = r#"lambda = { from = 1e-6, to = 10, count = 30, scale = "log" }"#;

#[rustfmt::skip]
const PATHS: &[Path] = &[
    path("knn, k 1 to 50", LINE, r#"k = "1..50""#, "knn = {}"),
    path("knn in three dimensions", SPACE, r#"k = "1..50""#, "knn = {}"),
    path("kernel, 30 bandwidths", LINE, r#"bandwidth = { from = 0.05, to = 5, count = 30, scale = "log" }"#, "kernel = {}"),
    path("tree, depth 1 to 16", LINE, r#"depth = "1..16""#, "tree = {}"),
    path("tree, 1 to 50 leaves", LINE, r#"leaves = "1..50""#, "tree = {}"),
    path("tree in three dimensions", SPACE, r#"depth = "1..16""#, "tree = {}"),
    path("polynomial, degree 0 to 15", UNIT, r#"degree = "0..15""#, "polynomial = {}"),
    path("polynomial with ridge", UNIT, r#"degree = "0..15""#, "polynomial = { lambda = 0.1 }"),
    path("gaussians, 30 lambdas", UNIT, LAMBDAS, "gaussians = { width = 0.1 }"),
    path("linear, 30 lambdas", SPACE, LAMBDAS, "linear = {}"),
    path("fourier, 1 to 1000 features", GRID, r#"features = { from = 1, to = 1000, count = 60, scale = "log" }"#, "fourier = { scale = 236 }"),
    path("fourier, 30 epochs", UNIT, r#"epochs = { from = 1, to = 1000000, count = 30, scale = "log" }"#, "fourier = { features = 60, scale = 80 }"),
    path("network, 100 epochs", UNIT, "epochs = [10, 30, 100]", "network = { width = 20 }"),
    path("bagging, 50 full trees", LINE, "members = [50]", "bagging = { base = { tree = {} } }"),
    path("forest, 50 trees in three dimensions", SPACE, "trees = [50]", "forest = { tries = 1 }"),
    path("boosting, 100 rounds", LINE, r#"rounds = "0..100""#, "boosting = {}"),
];

/// Fits and predicts, training set after training set.
#[divan::bench(args = PATHS)]
fn fit_and_predict(bencher: Bencher, path: &Path) {
    let plan = path.plan();
    let mut learner: Box<dyn Learner> = plan.paths[0].stages[0].learner.clone();
    let test = &plan.test.points;
    let sets: Vec<Training> = (0..16)
        .map(|resample| {
            let mut data = Training::default();
            let drawn = plan.problem().draw(1, resample, &mut data);
            drawn.expect("the problems of the benchmarks are finite");
            data
        })
        .collect();
    let mut at_test = vec![0.0; learner.capacities() * test.len()];
    let mut at_train = vec![0.0; learner.capacities() * sets[0].len()];
    let mut resamples = (0..).zip(sets.iter().cycle());
    bencher.bench_local(|| {
        let (resample, data) = resamples.next().expect("the training sets go round");
        learner.fit(data, &Stream::new(1, Purpose::Algorithm, resample));
        learner.predict(test, &mut at_test);
        learner.predict_training(data, &mut at_train);
    });
}

/// A full tree on a bootstrap of a table of 300 rows and 10 columns, and its predictions for 100
/// rows: numbers for 0 classes.
#[divan::bench(args = [0, 2, 3])]
fn tree_on_a_table(bencher: Bencher, classes: usize) {
    let mut stream = Stream::new(1, Purpose::Inputs, 0);
    let rows = |stream: &mut Stream, count: usize| {
        let values = (0..10 * count).map(|_| stream.random::<f64>());
        Points::new(10, values.collect())
    };
    let (inputs, test) = (rows(&mut stream, 300), rows(&mut stream, 100));
    let label = |x: &[f64]| {
        let number = x[0] + x[1] * x[2] + 0.5 * bvlab::maths::sin(9.0 * x[3]) + 0.5 * x[4];
        match classes {
            0 => number,
            _ => (number * classes as f64 / 2.0)
                .floor()
                .clamp(0.0, classes as f64 - 1.0),
        }
    };
    let labels = inputs.rows().map(label).collect();
    let table = Training { inputs, labels };
    let sets: Vec<Training> = (0..64)
        .map(|_| {
            let mut counts = vec![0; 300];
            (0..300).for_each(|_| counts[stream.random_range(0..300)] += 1);
            let mut sample = Training::default();
            table.repeat_into(&counts, &mut sample);
            sample
        })
        .collect();
    let path = vec![TreeSetting::default()];
    let mut tree = match classes {
        0 => Tree::new(path),
        _ => Tree::classifier(path, classes, Criterion::Gini),
    };
    let mut out = vec![0.0; test.len() * classes.max(1)];
    let mut sets = sets.iter().cycle();
    bencher.bench_local(|| {
        let data = sets.next().expect("the training sets go round");
        tree.fit(data, &Stream::new(1, Purpose::Algorithm, 0));
        tree.predict(&test, &mut out);
    });
}
