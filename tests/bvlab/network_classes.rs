//! The network for classes against a plain implementation of its training.

use bvlab::data::{Points, Training};
use bvlab::learner::{Activation, Learner, Network, NetworkSetting, Optimiser};

use crate::classes::{assert_habits, class, probabilities, sample};
use crate::setup::algorithm;

const WAYS: [(Activation, Optimiser); 4] = [
    (Activation::Tanh, Optimiser::Adam),
    (Activation::Tanh, Optimiser::Descent),
    (Activation::Relu, Optimiser::Adam),
    (Activation::Relu, Optimiser::Descent),
];

fn network(
    settings: &[(usize, usize)],
    classes: usize,
    (activation, optimiser): (Activation, Optimiser),
) -> Network {
    let settings = settings.iter().map(|&(width, epochs)| NetworkSetting {
        width,
        epochs,
        rate: 0.05,
        ..NetworkSetting::default()
    });
    Network::classifier(settings.collect(), classes, activation, optimiser)
}

/// Every coordinate with mean 0 and standard deviation 1, by the points of `by`.
fn standard(points: &Points, by: &Points) -> Vec<Vec<f64>> {
    let mut rows: Vec<Vec<f64>> = points.rows().map(<[f64]>::to_vec).collect();
    for k in 0..by.dimension() {
        let n = by.len() as f64;
        let mean = by.rows().map(|x| x[k]).sum::<f64>() / n;
        let variance = by.rows().map(|x| (x[k] - mean).powi(2)).sum::<f64>() / n;
        rows.iter_mut()
            .for_each(|x| x[k] = (x[k] - mean) / variance.sqrt());
    }
    rows
}

/// A network whose weights stand in arrays of their own.
struct Plain {
    w: Vec<Vec<f64>>,
    b: Vec<f64>,
    v: Vec<Vec<f64>>,
    c: Vec<f64>,
}

impl Plain {
    fn new(parameters: &[f64], dimension: usize, classes: usize) -> Self {
        let each = dimension + 1 + classes;
        let (units, c) = parameters.split_at(parameters.len() / each * each);
        let units = units.chunks_exact(each);
        Plain {
            w: units
                .clone()
                .map(|unit| unit[..dimension].to_vec())
                .collect(),
            b: units.clone().map(|unit| unit[dimension]).collect(),
            v: units.map(|unit| unit[dimension + 1..].to_vec()).collect(),
            c: c.to_vec(),
        }
    }

    fn flat(&self) -> Vec<f64> {
        let units = self.w.iter().zip(&self.b).zip(&self.v);
        let mut all: Vec<f64> = units
            .flat_map(|((w, b), v)| [&w[..], &[*b], &v[..]].concat())
            .collect();
        all.extend(&self.c);
        all
    }

    fn sums(&self, x: &[f64]) -> Vec<f64> {
        let units = self.w.iter().zip(&self.b);
        let sum = |(w, b): (&Vec<f64>, &f64)| b + w.iter().zip(x).map(|(w, x)| w * x).sum::<f64>();
        units.map(sum).collect()
    }

    fn shares(&self, x: &[f64], activation: Activation) -> Vec<f64> {
        let mut scores = self.c.clone();
        for (z, v) in self.sums(x).iter().zip(&self.v) {
            let a = match activation {
                Activation::Tanh => z.tanh(),
                Activation::Relu => z.max(0.0),
            };
            scores
                .iter_mut()
                .zip(v)
                .for_each(|(score, v)| *score += v * a);
        }
        let total: f64 = scores.iter().map(|score| score.exp()).sum();
        scores.iter().map(|score| score.exp() / total).collect()
    }

    fn gradient(&self, rows: &[Vec<f64>], labels: &[f64], activation: Activation) -> Vec<f64> {
        let zero = |vector: &Vec<f64>| vec![0.0; vector.len()];
        let mut slopes = Plain {
            w: self.w.iter().map(zero).collect(),
            b: zero(&self.b),
            v: self.v.iter().map(zero).collect(),
            c: zero(&self.c),
        };
        let n = labels.len() as f64;
        for (x, label) in rows.iter().zip(labels) {
            let shares = self.shares(x, activation);
            for (k, p) in shares.iter().enumerate() {
                let miss = (p - f64::from(u8::from(k as f64 == *label))) / n;
                slopes.c[k] += miss;
                for (h, z) in self.sums(x).iter().enumerate() {
                    let (a, slope) = match activation {
                        Activation::Tanh => (z.tanh(), 1.0 / z.cosh().powi(2)),
                        Activation::Relu => (z.max(0.0), f64::from(u8::from(*z > 0.0))),
                    };
                    slopes.v[h][k] += miss * a;
                    slopes.b[h] += miss * self.v[h][k] * slope;
                    for (j, x) in x.iter().enumerate() {
                        slopes.w[h][j] += miss * self.v[h][k] * slope * x;
                    }
                }
            }
        }
        slopes.flat()
    }
}

#[test]
fn training_is_that_of_a_plain_implementation() {
    for (seed, dimension, classes) in [(1, 1, 2), (2, 3, 3), (3, 2, 5)] {
        let data = sample(seed, 21, dimension, classes);
        let points = sample(seed + 9, 6, dimension, classes).inputs;
        let rows = standard(&data.inputs, &data.inputs);
        for way @ (activation, optimiser) in WAYS {
            let mut learner = network(&[(4, 0), (4, 60)], classes, way);
            let found = probabilities(&mut learner, &data, &points, classes);
            let mut parameters = learner.parameters(0).to_vec();
            let (mut means, mut squares) =
                (vec![0.0; parameters.len()], vec![0.0; parameters.len()]);
            for t in 1..=60 {
                let plain = Plain::new(&parameters, dimension, classes);
                let gradient = plain.gradient(&rows, &data.labels, activation);
                for (i, g) in gradient.iter().enumerate() {
                    means[i] = 0.9 * means[i] + 0.1 * g;
                    squares[i] = 0.999 * squares[i] + 0.001 * g * g;
                    let step = match optimiser {
                        Optimiser::Descent => *g,
                        Optimiser::Adam => {
                            let mean = means[i] / (1.0 - 0.9_f64.powi(t));
                            let square: f64 = squares[i] / (1.0 - 0.999_f64.powi(t));
                            mean / (square.sqrt() + 1e-8)
                        }
                    };
                    parameters[i] -= 0.05 * step;
                }
            }
            for (found, wanted) in learner.parameters(1).iter().zip(&parameters) {
                assert!((found - wanted).abs() < 1e-7, "{way:?}: {found} {wanted}");
            }
            let plain = Plain::new(&parameters, dimension, classes);
            for (x, found) in standard(&points, &data.inputs).iter().zip(&found[1]) {
                for (p, q) in found.iter().zip(plain.shares(x, activation)) {
                    assert!((p - q).abs() < 1e-7, "{way:?}");
                }
            }
        }
    }
}

/// A ring around a disc, which no line divides.
#[test]
fn it_learns_what_a_line_cannot_divide() {
    let mut data = sample(5, 150, 2, 2);
    let inside = |x: &[f64]| (x[0] - 0.5).powi(2) + (x[1] - 0.5).powi(2) < 0.12;
    let labels = data.inputs.rows().map(|x| f64::from(u8::from(inside(x))));
    data.labels = labels.collect();
    let points = sample(6, 300, 2, 2).inputs;
    for classes in [2, 3] {
        let way = (Activation::Tanh, Optimiser::Adam);
        let mut learner = network(&[(1, 0), (12, 600)], classes, way);
        let found = probabilities(&mut learner, &data, &points, classes);
        let wrong = |rows: &[Vec<f64>]| {
            let pairs = rows.iter().zip(points.rows());
            pairs
                .filter(|(row, x)| class(row) != usize::from(inside(x)))
                .count()
        };
        assert!(wrong(&found[1]) < 20, "{} of 300", wrong(&found[1]));
        assert!(wrong(&found[0]) > 60, "{} of 300", wrong(&found[0]));
    }
}

/// Adding the same to all outputs changes no probability, so that training does not move their sums.
#[test]
fn the_outputs_slopes_cancel() {
    let data = sample(7, 30, 2, 4);
    let way = (Activation::Tanh, Optimiser::Descent);
    let mut learner = network(&[(5, 0), (5, 200)], 4, way);
    learner.fit(&data, &algorithm(1));
    let sums = |setting: usize| {
        let all = learner.parameters(setting);
        let constants = all[all.len() - 4..].iter().sum::<f64>();
        let first = all[3..7].iter().sum::<f64>();
        [constants, first]
    };
    for (start, end) in sums(0).iter().zip(sums(1)) {
        assert!((start - end).abs() < 1e-12, "{start} {end}");
    }
}

/// The engine reports NaN; anything else has to be probabilities.
#[test]
fn steps_too_large_give_probabilities_or_nan() {
    let data = Training {
        inputs: Points::new(1, vec![0.0, 1.0, 2.0, 3.0]),
        labels: vec![0.0, 1.0, 0.0, 1.0],
    };
    for (rate, epochs) in [
        (10.0, 300),
        (1e150, 2),
        (1e150, 300),
        (1e308, 1),
        (1e308, 300),
    ] {
        for (activation, optimiser) in WAYS {
            let setting = NetworkSetting {
                width: 3,
                epochs,
                rate,
                ..NetworkSetting::default()
            };
            let mut learner = Network::classifier(vec![setting], 2, activation, optimiser);
            learner.fit(&data, &algorithm(1));
            let mut out = [0.0; 8];
            learner.predict(&data.inputs, &mut out);
            for row in out.chunks_exact(2) {
                let total = row[0] + row[1];
                let shares = row.iter().all(|p| *p >= 0.0) && (total - 1.0).abs() < 1e-12;
                let nan = row.iter().all(|p| p.is_nan());
                assert!(shares || nan, "{rate:e}, {epochs}: {row:?}");
            }
        }
    }
}

#[test]
fn its_habits_are_those_of_a_learner() {
    let settings = [(1, 0), (6, 40), (6, 10), (3, 25)];
    for way in WAYS {
        for classes in [2, 3] {
            let mut path = network(&settings, classes, way);
            let single =
                |c: usize| Box::new(network(&settings[c..=c], classes, way)) as Box<dyn Learner>;
            assert_habits(&mut path, single, classes);
        }
    }
}
