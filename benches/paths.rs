//! One benchmark per learner path: fit it to a training set, and predict at 200 test points and at
//! the training points, which is what a run does for every resample.
//!
//!     cargo bench --bench paths            # all
//!     cargo bench --bench paths -- tree    # some

use bvlab::learner::Learner;
use bvlab::problem::Training;
use bvlab::stream::{Purpose, Stream};
use divan::Bencher;

#[path = "common/experiments.rs"]
mod experiments;

use experiments::{LINE, SPACE, UNIT, experiment};

fn main() {
    divan::main();
}

/// Fits and predicts, training set after training set.
fn path(bencher: Bencher, problem: &str, sweep: &str, learner: &str) {
    let experiment = experiment(problem, sweep, learner, 1);
    let mut learner: Box<dyn Learner> = experiment.curves[0].stages[0].learner.clone();
    let test = &experiment.test.points;
    let sets: Vec<Training> = (0..16)
        .map(|resample| {
            let mut data = Training::default();
            let drawn = experiment.problems[0].draw(1, resample, &mut data);
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

#[divan::bench]
fn knn_k_1_to_50(bencher: Bencher) {
    path(bencher, LINE, r#"k = "1..50""#, "knn = {}");
}

#[divan::bench]
fn knn_in_three_dimensions(bencher: Bencher) {
    path(bencher, SPACE, r#"k = "1..50""#, "knn = {}");
}

#[divan::bench]
fn kernel_of_30_bandwidths(bencher: Bencher) {
    let sweep = r#"bandwidth = { from = 0.05, to = 5, count = 30, scale = "log" }"#;
    path(bencher, LINE, sweep, "kernel = {}");
}

#[divan::bench]
fn tree_depth_1_to_16(bencher: Bencher) {
    path(bencher, LINE, r#"depth = "1..16""#, "tree = {}");
}

#[divan::bench]
fn tree_leaves_1_to_50(bencher: Bencher) {
    path(bencher, LINE, r#"leaves = "1..50""#, "tree = {}");
}

#[divan::bench]
fn tree_in_three_dimensions(bencher: Bencher) {
    path(bencher, SPACE, r#"depth = "1..16""#, "tree = {}");
}

#[divan::bench]
fn polynomial_degree_0_to_15(bencher: Bencher) {
    path(bencher, UNIT, r#"degree = "0..15""#, "polynomial = {}");
}

#[divan::bench]
fn polynomial_degree_0_to_15_with_ridge(bencher: Bencher) {
    let learner = "polynomial = { lambda = 0.1 }";
    path(bencher, UNIT, r#"degree = "0..15""#, learner);
}

#[divan::bench]
fn gaussians_of_30_lambdas(bencher: Bencher) {
    let sweep = r#"lambda = { from = 1e-6, to = 10, count = 30, scale = "log" }"#;
    path(bencher, UNIT, sweep, "gaussians = { width = 0.1 }");
}

#[divan::bench]
fn linear_of_30_lambdas(bencher: Bencher) {
    let sweep = r#"lambda = { from = 1e-6, to = 10, count = 30, scale = "log" }"#;
    path(bencher, SPACE, sweep, "linear = {}");
}

#[divan::bench]
fn fourier_features_1_to_1000(bencher: Bencher) {
    let sweep = r#"features = { from = 1, to = 1000, count = 60, scale = "log" }"#;
    let grid = UNIT.replace("uniform", "grid").replace("50", "100");
    path(bencher, &grid, sweep, "fourier = { scale = 236 }");
}

#[divan::bench]
fn fourier_of_30_epochs(bencher: Bencher) {
    let sweep = r#"epochs = { from = 1, to = 1000000, count = 30, scale = "log" }"#;
    let learner = "fourier = { features = 60, scale = 80 }";
    path(bencher, UNIT, sweep, learner);
}

#[divan::bench]
fn network_of_100_epochs(bencher: Bencher) {
    let learner = "network = { width = 20 }";
    path(bencher, UNIT, "epochs = [10, 30, 100]", learner);
}

#[divan::bench]
fn bagging_of_50_full_trees(bencher: Bencher) {
    let learner = "bagging = { base = { tree = {} } }";
    path(bencher, LINE, "members = [50]", learner);
}

#[divan::bench]
fn forest_of_50_trees_in_three_dimensions(bencher: Bencher) {
    path(bencher, SPACE, "trees = [50]", "forest = { tries = 1 }");
}

#[divan::bench]
fn boosting_of_100_rounds(bencher: Bencher) {
    path(bencher, LINE, r#"rounds = "0..100""#, "boosting = {}");
}
