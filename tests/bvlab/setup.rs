//! What several tests need.

use bvlab::engine::{self, Results, Unwatched};
use bvlab::experiment::{Experiment, Source};
use bvlab::learner::Learner;
use bvlab::problem::{Points, Training};
use bvlab::stream::{Purpose, Stream};
use rand::RngExt;

/// The stream that a learner in a test draws from.
pub fn algorithm(seed: u64) -> Stream {
    Stream::new(seed, Purpose::Algorithm, 0)
}

/// Fits and predicts: `result[c][j]` is setting c at point j.
pub fn fit_predict(learner: &mut dyn Learner, data: &Training, points: &Points) -> Vec<Vec<f64>> {
    learner.fit(data, &algorithm(7));
    let mut out = vec![f64::NAN; learner.capacities() * points.len()];
    learner.predict(points, &mut out);
    out.chunks_exact(points.len())
        .map(<[f64]>::to_vec)
        .collect()
}

/// Random data. Whole numbers with few values make ties, duplicates and constant columns.
pub fn data(seed: u64, count: usize, dimension: usize, values: Option<u32>) -> Training {
    let mut stream = Stream::new(seed, Purpose::Inputs, 0);
    let mut draw = || match values {
        Some(values) => f64::from(stream.random_range(0..values)),
        None => stream.random::<f64>(),
    };
    let inputs = (0..count * dimension).map(|_| draw()).collect();
    let labels = (0..count).map(|_| draw()).collect();
    Training {
        inputs: Points::new(dimension, inputs),
        labels,
    }
}

/// Random points, some of them on whole and half numbers.
pub fn points(seed: u64, count: usize, dimension: usize, reach: f64) -> Points {
    let mut stream = Stream::new(seed, Purpose::TestPoints, 0);
    let values = (0..count * dimension).map(|_| {
        let x = reach * (1.2 * stream.random::<f64>() - 0.1);
        if stream.random() {
            (2.0 * x).round() / 2.0
        } else {
            x
        }
    });
    Points::new(dimension, values.collect())
}

pub fn experiment(text: &str) -> Experiment {
    match Experiment::read("test", Source::new("test.toml", text, &[])) {
        Ok(experiment) => experiment,
        Err(error) => panic!("{:?}", miette::Report::new(*error)),
    }
}

pub fn run(text: &str) -> (Experiment, Results) {
    let experiment = experiment(text);
    let results = engine::run(&experiment, 2, &Unwatched).unwrap();
    (experiment, results)
}

pub fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs()))
}
