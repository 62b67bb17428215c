//! Exact bias² and variance of linear smoothers on fixed inputs, and of estimates of densities.

use super::executor::Executor;
use crate::data::{Points, Training};
use crate::interrupt::{Interrupt, Interrupted};
use crate::learner::{DensityEstimator, Learner};
use crate::maths::square;
use crate::problem::{Density, NotFinite, Problem};
use crate::stream::{Purpose, Stream};

/// How many parts the labels are shared out in, whatever the number of threads.
const SHARES: usize = 8;

/// Exact bias² and variance, by setting and test point.
#[derive(Clone, Debug, PartialEq)]
pub struct Exact {
    /// Bias² of every setting at every test point.
    pub bias2: Vec<f64>,
    /// Variance of every setting at every test point.
    pub variance: Vec<f64>,
}

/// The exact bias² and variance of a linear smoother on the fixed inputs of a problem, or `None`
/// where there is no such form: other learners, or inputs that are drawn anew.
///
/// A linear smoother predicts w(x)·y with weights that depend on the inputs alone. So its bias is
/// w·f(X) - f(x), and its variance Σ w_i² s²(x_i). The weights themselves are read off by fitting
/// to unit vectors: label i set to one and all others to zero gives back w_i. That is shared
/// among the threads of the pool it is called in, in parts whose ends are fixed. `None` also when
/// `stopped` returns true.
///
/// # Errors
///
/// If truth or noise has no finite value at an input.
pub fn exact(
    learner: &dyn Learner,
    problem: &Problem,
    seed: u64,
    points: &Points,
    stopped: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Exact>, NotFinite> {
    let alone = Executor::new(1);
    let Ok(alone) = alone else { return Ok(None) };
    exact_on(&alone, learner, problem, seed, points, stopped)
}

/// Those of an estimated density, which is the mean of one number for every value of the sample.
fn of_density(
    estimator: &dyn DensityEstimator,
    density: &Density,
    train: usize,
    points: &Points,
) -> Option<Exact> {
    let moments = estimator.moments(density, train, points)?;
    let (mut bias2, mut variance) = (Vec::new(), Vec::new());
    for (place, [mean, second]) in moments.into_iter().enumerate() {
        let truth = density.at(points.values()[place % points.len()]);
        bias2.push(square(mean - truth));
        variance.push((second - square(mean)).max(0.0) / train as f64);
    }
    Some(Exact { bias2, variance })
}

/// The same on some threads.
pub(super) fn exact_on(
    executor: &Executor,
    learner: &dyn Learner,
    problem: &Problem,
    seed: u64,
    points: &Points,
    stopped: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Exact>, NotFinite> {
    if let (Some(estimator), Some(density)) = (learner.as_density(), problem.density()) {
        return Ok(of_density(estimator, density, problem.train, points));
    }
    // Weights of classes would sum to probabilities, but labels of classes cannot be added.
    if !(problem.fixed && learner.is_linear() && problem.classes() == 0) {
        return Ok(None);
    }
    let mut learner = learner.replicate();
    let stream = Stream::new(seed, Purpose::Algorithm, 0);
    let mut data = Training::default();
    problem.draw(seed, 0, &mut data)?;
    let variances = data
        .inputs
        .rows()
        .map(|x| Ok(square(problem.sd_at(x)?)))
        .collect::<Result<Vec<f64>, NotFinite>>()?;
    for (x, label) in data.inputs.rows().zip(&mut data.labels) {
        problem.truth_at(x, std::slice::from_mut(label))?;
    }
    let mut bias2 = vec![0.0; learner.capacities() * points.len()];
    let interrupt = Interrupt::new(stopped);
    let predicted = learner
        .try_fit(&data, &stream, &interrupt)
        .and_then(|()| learner.try_predict(points, &mut bias2, &interrupt));
    if predicted.is_err() {
        return Ok(None);
    }
    for predictions in bias2.chunks_exact_mut(points.len()) {
        for (x, value) in points.rows().zip(predictions) {
            let mut truth = [0.0];
            problem.truth_at(x, &mut truth)?;
            *value = square(*value - truth[0]);
        }
    }
    data.labels.fill(0.0);
    let share = variances.len().div_ceil(SHARES);
    let parts: Vec<&[f64]> = variances.chunks(share).collect();
    let shares = executor.map(parts.len(), |part| {
        let noises = parts[part];
        let (mut learner, mut data) = (learner.replicate(), data.clone());
        let mut variance = vec![0.0; bias2.len()];
        let mut weights = vec![0.0; bias2.len()];
        for (i, noise) in (part * share..).zip(noises) {
            if stopped() {
                return Err(Interrupted);
            }
            let interrupt = Interrupt::new(stopped);
            data.labels[i] = 1.0;
            learner.try_fit(&data, &stream, &interrupt)?;
            data.labels[i] = 0.0;
            learner.try_predict(points, &mut weights, &interrupt)?;
            for (variance, weight) in variance.iter_mut().zip(&weights) {
                *variance += noise * weight * weight;
            }
        }
        Ok(variance)
    });
    let shares: Result<Vec<Vec<f64>>, Interrupted> = shares.into_iter().collect();
    let Ok(shares) = shares else {
        return Ok(None);
    };
    let mut variance = vec![0.0; bias2.len()];
    for share in &shares {
        for (variance, part) in variance.iter_mut().zip(share) {
            *variance += part;
        }
    }
    Ok(Some(Exact { bias2, variance }))
}
