//! The network against plain implementations of its training, and what is known of it in advance.

use bvlab::data::{Points, Training};
use bvlab::engine::{self, Unwatched};
use bvlab::learner::{Activation, Learner, Network, NetworkSetting, Optimiser};

use crate::setup::{algorithm, close, data, fit_predict, plan, points, run};

const ACTIVATIONS: [Activation; 2] = [Activation::Tanh, Activation::Relu];
const OPTIMISERS: [Optimiser; 2] = [Optimiser::Adam, Optimiser::Descent];

fn setting(width: usize, epochs: usize, rate: f64) -> NetworkSetting {
    NetworkSetting {
        width,
        epochs,
        rate,
        ..NetworkSetting::default()
    }
}

/// Mean 0 and standard deviation 1, by the values of `by`.
fn standard(values: &[f64], by: &[f64]) -> Vec<f64> {
    let n = by.len() as f64;
    let mean = by.iter().sum::<f64>() / n;
    let sd = (by.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt();
    values.iter().map(|x| (x - mean) / sd).collect()
}

/// Standardised rows, by the columns of `by`.
fn standard_rows(points: &Points, by: &Points) -> Vec<Vec<f64>> {
    let column = |points: &Points, k: usize| points.rows().map(|row| row[k]).collect::<Vec<_>>();
    let columns: Vec<Vec<f64>> = (0..by.dimension())
        .map(|k| standard(&column(points, k), &column(by, k)))
        .collect();
    (0..points.len())
        .map(|i| columns.iter().map(|column| column[i]).collect())
        .collect()
}

/// A unit's activation, and the slope of it.
fn unit(parameters: &[f64], h: usize, x: &[f64], activation: Activation) -> (f64, f64) {
    let unit = &parameters[h * (x.len() + 2)..];
    let mut z = unit[x.len()];
    for (w, x) in unit.iter().zip(x) {
        z += w * x;
    }
    match activation {
        Activation::Tanh => (z.tanh(), 1.0 / z.cosh().powi(2)),
        Activation::Relu => (z.max(0.0), f64::from(z > 0.0)),
    }
}

fn output(parameters: &[f64], x: &[f64], activation: Activation) -> f64 {
    let each = x.len() + 2;
    let width = parameters.len() / each;
    let mut f = parameters[width * each];
    for h in 0..width {
        f += parameters[h * each + x.len() + 1] * unit(parameters, h, x, activation).0;
    }
    f
}

/// The gradient of Σ (f(x) - y)²/(2n), point by point and unit by unit.
fn gradient(parameters: &[f64], x: &[Vec<f64>], y: &[f64], activation: Activation) -> Vec<f64> {
    let mut gradient = vec![0.0; parameters.len()];
    let count = y.len() as f64;
    for (x, y) in x.iter().zip(y) {
        let each = x.len() + 2;
        let width = parameters.len() / each;
        let residual = (output(parameters, x, activation) - y) / count;
        for h in 0..width {
            let (a, slope) = unit(parameters, h, x, activation);
            let v = parameters[h * each + x.len() + 1];
            for (k, x) in x.iter().enumerate() {
                gradient[h * each + k] += residual * v * slope * x;
            }
            gradient[h * each + x.len()] += residual * v * slope;
            gradient[h * each + x.len() + 1] += residual * a;
        }
        gradient[width * each] += residual;
    }
    gradient
}

/// So many steps from the parameters given, as the definitions have it.
fn train(
    mut parameters: Vec<f64>,
    x: &[Vec<f64>],
    y: &[f64],
    activation: Activation,
    optimiser: Optimiser,
    (steps, rate): (i32, f64),
) -> Vec<f64> {
    let mut means = vec![0.0; parameters.len()];
    let mut squares = vec![0.0; parameters.len()];
    for t in 1..=steps {
        let gradient = gradient(&parameters, x, y, activation);
        for (p, g) in gradient.iter().enumerate() {
            means[p] = 0.9 * means[p] + 0.1 * g;
            squares[p] = 0.999 * squares[p] + 0.001 * g * g;
            let mean = means[p] / (1.0 - 0.9_f64.powi(t));
            let square = squares[p] / (1.0 - 0.999_f64.powi(t));
            parameters[p] -= match optimiser {
                Optimiser::Adam => rate * mean / (square.sqrt() + 1e-8),
                Optimiser::Descent => rate * g,
            };
        }
    }
    parameters
}

/// y = sin(3x₁) + noise, in any dimension.
fn wave(seed: u64, count: usize, dimension: usize) -> Training {
    let mut data = data(seed, count, dimension, None);
    for (x, y) in data.inputs.rows().zip(&mut data.labels) {
        *y = 5.0 + 100.0 * ((3.0 * x[0]).sin() + 0.2 * *y);
    }
    data
}

#[test]
fn training_is_what_the_definitions_say() {
    for (seed, n, dimension, width) in [(1, 20, 1, 7), (2, 17, 3, 1), (3, 8, 10, 12)] {
        let data = wave(seed, n, dimension);
        let points = points(seed, 30, dimension, 1.0);
        let x = standard_rows(&data.inputs, &data.inputs);
        let at = standard_rows(&points, &data.inputs);
        let y = standard(&data.labels, &data.labels);
        let mean = data.labels.iter().sum::<f64>() / n as f64;
        let sd = (data.labels[0] - mean) / y[0];
        for activation in ACTIVATIONS {
            for optimiser in OPTIMISERS {
                let path = [0, 1, 50].map(|epochs| setting(width, epochs, 0.03));
                let mut network = Network::new(path.to_vec(), activation, optimiser);
                let got = fit_predict(&mut network, &data, &points);
                for (c, steps) in [0, 1, 50].into_iter().enumerate() {
                    let start = network.parameters(0).to_vec();
                    let wanted = train(start, &x, &y, activation, optimiser, (steps, 0.03));
                    for (got, wanted) in network.parameters(c).iter().zip(&wanted) {
                        assert!(close(*got, *wanted, 1e-9), "{activation:?} {optimiser:?}");
                    }
                    for (got, x) in got[c].iter().zip(&at) {
                        let wanted = mean + sd * output(&wanted, x, activation);
                        assert!(close(*got, wanted, 1e-9), "{activation:?} {optimiser:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn units_of_measurement_do_not_matter() {
    let here = wave(4, 15, 2);
    let at = points(4, 20, 2, 1.0);
    let elsewhere = |points: &Points| {
        let values = points.rows().flat_map(|x| [1e6 * x[0] - 3e6, 1e-6 * x[1]]);
        Points::new(2, values.collect())
    };
    let there = Training {
        inputs: elsewhere(&here.inputs),
        labels: here.labels.iter().map(|y| 1e3 * y - 7.0).collect(),
    };
    for activation in ACTIVATIONS {
        let path = vec![setting(9, 100, 0.01)];
        let mut network = Network::new(path, activation, Optimiser::Adam);
        let wanted = fit_predict(&mut network, &here, &at);
        let got = fit_predict(&mut network, &there, &elsewhere(&at));
        for (got, wanted) in got[0].iter().zip(&wanted[0]) {
            assert!(close(*got, 1e3 * wanted - 7.0, 1e-6), "{activation:?}");
        }
    }
}

#[test]
fn the_first_units_are_the_same_whatever_the_width() {
    let path = [3, 50].map(|width| setting(width, 0, 0.01)).to_vec();
    let mut network = Network::new(path, Activation::Tanh, Optimiser::Adam);
    network.fit(&data(5, 10, 2, None), &algorithm(5));
    let (few, many) = (network.parameters(0), network.parameters(1));
    assert_eq!((few.len(), many.len()), (3 * 4 + 1, 50 * 4 + 1));
    for h in 0..3 {
        let (a, b) = (&few[h * 4..][..4], &many[h * 4..][..4]);
        assert_eq!(a[..3], b[..3]);
        assert!(close(a[3] * 3.0_f64.sqrt(), b[3] * 50.0_f64.sqrt(), 1e-14));
        assert!((0..h).all(|other| few[other * 4] != a[0]), "units differ");
    }
}

#[test]
fn a_wide_network_interpolates() {
    for (n, dimension) in [(1, 1), (2, 1), (9, 1), (12, 4)] {
        let data = wave(6, n, dimension);
        for activation in ACTIVATIONS {
            let path = vec![setting(100, 8000, 0.003)];
            let mut network = Network::new(path, activation, Optimiser::Adam);
            let got = fit_predict(&mut network, &data, &data.inputs);
            for (got, wanted) in got[0].iter().zip(&data.labels) {
                assert!(close(*got, *wanted, 5e-3), "{activation:?}: {got} {wanted}");
            }
        }
    }
}

#[test]
fn constant_inputs_and_labels_are_no_trouble() {
    let flat = Training {
        inputs: Points::new(2, [0.1, 1.0, 0.1, 2.0, 0.1, 3.0].to_vec()),
        labels: vec![0.7; 3],
    };
    for activation in ACTIVATIONS {
        let path = [0, 2000].map(|epochs| setting(10, epochs, 0.01)).to_vec();
        let mut network = Network::new(path, activation, Optimiser::Adam);
        let far = Points::new(2, vec![0.2, 2.0]);
        let got = fit_predict(&mut network, &flat, &far);
        assert!(got.iter().all(|at| at[0].abs() < 10.0), "{got:?}");
        let inside = fit_predict(&mut network, &flat, &flat.inputs);
        assert!(inside[1].iter().all(|y| close(*y, 0.7, 1e-3)), "{inside:?}");
    }
}

#[test]
fn a_training_that_runs_off_is_an_error_with_its_place() {
    let text = r#"
        problem = { truth = "x", inputs = { uniform = [0, 1] }, noise = { normal = 0.1 }, train = 10 }
        sweep   = { width = [2, 40] }
        learner = [{ network = { optimiser = "descent", rate = 50, epochs = 3000 } }]
        run     = { resamples = 4, test = { grid = 5 } }
    "#;
    for activation in ["tanh", "relu"] {
        let text = text.replace("rate =", &format!("activation = \"{activation}\", rate ="));
        let error = engine::run(&plan(&text), 2, &Unwatched).unwrap_err();
        let error = error.to_string();
        assert!(error.contains("network"), "{error}");
        assert!(error.contains("width = "), "{error}");
        assert!(error.contains("resample "), "{error}");
    }
}

#[test]
fn the_risk_peaks_where_parameters_meet_points() {
    let (_, results) = run(r#"
        problem = { truth = "sin(1.5*x1) + 0.5*x2*x3", inputs = { normal = [0, 1], dimension = 10 }, noise = { normal = 0.3 }, train = 60 }
        sweep   = { width = [1, 5, 50] }
        learner = [{ network = { epochs = 4000 } }]
        run     = { resamples = 20, test = { draw = 200 } }
    "#);
    // 13, 61 and 601 parameters for 60 points.
    let parts = &results.learners[0].decomposition.parts;
    let risk: Vec<f64> = parts.iter().map(|part| part.risk.value).collect();
    assert!(
        risk[1] > 2.0 * risk[0] && risk[1] > 2.0 * risk[2],
        "{risk:?}"
    );
}
