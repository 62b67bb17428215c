//! Logistic regression against the conditions of its optimum and against scikit-learn.

use bvlab::data::{Points, Training};
use bvlab::learner::{Learner, Logistic, LogisticSetting};

use crate::classes::{assert_habits, class, probabilities, sample, three};
use crate::setup::algorithm;

fn logistic(settings: &[(usize, f64)], classes: usize) -> Logistic {
    let settings = settings
        .iter()
        .map(|&(degree, lambda)| LogisticSetting { degree, lambda });
    Logistic::new(settings.collect(), classes, (0.0, 1.0))
}

/// Values of scikit-learn 1.9.1: `predict_proba` at the three points of
/// `LogisticRegression(C=1/(2λ), solver="newton-cholesky", tol=1e-13)`, `C=inf` for λ = 0, on all
/// products of `numpy.polynomial.legendre` polynomials of 2x - 1 up to the degree, but the constant.
#[test]
fn probabilities_are_those_of_scikit_learn() {
    type Case = (
        (u64, usize, usize, usize),
        (usize, f64),
        [&'static [f64]; 3],
    );
    let cases: [Case; 5] = [
        (
            (1, 60, 2, 2),
            (1, 0.0),
            [
                &[0.884562927, 0.115437073],
                &[0.826288946, 0.173711054],
                &[0.497641384, 0.502358616],
            ],
        ),
        (
            (1, 60, 2, 2),
            (3, 0.05),
            [
                &[0.958290899, 0.041709101],
                &[0.794664388, 0.205335612],
                &[0.382670744, 0.617329256],
            ],
        ),
        (
            (2, 80, 3, 3),
            (1, 0.0),
            [
                &[0.034930116, 0.886915435, 0.078154449],
                &[0.007205435, 0.499970043, 0.492824522],
                &[0.827920297, 0.170291233, 0.00178847],
            ],
        ),
        (
            (2, 80, 3, 3),
            (2, 0.5),
            [
                &[0.236101365, 0.575292293, 0.188606342],
                &[0.064450348, 0.47245258, 0.463097071],
                &[0.652448185, 0.319733953, 0.027817862],
            ],
        ),
        (
            (3, 90, 1, 4),
            (4, 0.01),
            [
                &[0.909133439, 0.090677089, 0.000181805, 7.668e-06],
                &[0.0123907, 0.034067325, 0.214945805, 0.73859617],
                &[0.303777929, 0.620140468, 0.0760419, 3.9703e-05],
            ],
        ),
    ];
    for ((seed, count, dimension, classes), setting, wanted) in cases {
        let data = sample(seed, count, dimension, classes);
        let mut learner = logistic(&[setting], classes);
        let found = probabilities(&mut learner, &data, &three(dimension), classes);
        for (found, wanted) in found[0].iter().zip(wanted) {
            for (p, q) in found.iter().zip(wanted) {
                assert!((p - q).abs() < 3e-8, "{setting:?}: {found:?} {wanted:?}");
            }
        }
    }
}

/// p_k(x) - [y = k].
fn miss(row: &[f64], label: f64, k: usize) -> f64 {
    row[k] - f64::from(u8::from(label == k as f64))
}

/// 2λ w_k = Σ_i ([y_i = k] - p_k(x_i)) φ(x_i), and the same without λ for the constant. The weights
/// of degree 1 are read off the logarithms of the probabilities.
#[test]
fn the_gradient_is_zero_at_the_optimum() {
    for (classes, seed) in [(2, 1), (2, 2), (3, 3), (5, 4)] {
        let data = sample(seed, 70, 2, classes);
        let lambdas = [1e-3, 0.1, 3.0, 1e4];
        let mut learner = logistic(&lambdas.map(|lambda| (1, lambda)), classes);
        let inside = probabilities(&mut learner, &data, &data.inputs, classes);
        let corners = Points::new(2, vec![0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
        let corners = probabilities(&mut learner, &data, &corners, classes);
        for (c, lambda) in lambdas.iter().enumerate() {
            // ln p less its mean over the classes is the score less the scores' mean.
            let score = |j: usize, k: usize| {
                let row = &corners[c][j];
                let mean = row.iter().map(|p| p.ln()).sum::<f64>() / classes as f64;
                row[k].ln() - mean
            };
            for k in 0..classes {
                let mut slopes = [0.0; 3];
                for (i, x) in data.inputs.rows().enumerate() {
                    let miss = miss(&inside[c][i], data.labels[i], k);
                    slopes[0] += miss;
                    slopes[1] += miss * (2.0 * x[0] - 1.0);
                    slopes[2] += miss * (2.0 * x[1] - 1.0);
                }
                for j in [1, 2] {
                    let weight = (score(j, k) - score(0, k)) / 2.0;
                    // With two classes ±weight is half of the one vector.
                    let factor = if classes == 2 { 4.0 } else { 2.0 };
                    slopes[j] += factor * lambda * weight;
                }
                assert!(
                    slopes.iter().all(|slope| slope.abs() < 1e-6),
                    "{classes} classes, {lambda}: {slopes:?}"
                );
            }
        }
    }
}

/// Without a penalty the residuals are orthogonal to every monomial, however they were written.
#[test]
fn residuals_are_orthogonal_to_all_monomials() {
    for (classes, degree) in [(2, 4), (3, 3)] {
        let data = sample(5, 400, 2, classes);
        let mut learner = logistic(&[(degree, 0.0)], classes);
        let inside = probabilities(&mut learner, &data, &data.inputs, classes);
        for k in 0..classes {
            for (a, b) in (0..=degree).flat_map(|a| (0..=degree - a).map(move |b| (a, b))) {
                let terms = data.inputs.rows().enumerate().map(|(i, x)| {
                    miss(&inside[0][i], data.labels[i], k)
                        * x[0].powi(a as i32)
                        * x[1].powi(b as i32)
                });
                let sum: f64 = terms.sum();
                assert!(sum.abs() < 1e-4, "{classes} classes, {a} {b}: {sum:e}");
            }
        }
    }
}

#[test]
fn two_classes_are_the_general_form_with_twice_the_penalty() {
    let data = sample(6, 50, 2, 2);
    let points = sample(7, 20, 2, 2).inputs;
    for (degree, lambda) in [(1, 0.1), (3, 2.0)] {
        let two = probabilities(&mut logistic(&[(degree, lambda)], 2), &data, &points, 2);
        // A third class that never occurs.
        let three = &mut logistic(&[(degree, 2.0 * lambda)], 3);
        let three = probabilities(three, &data, &points, 3);
        for (two, three) in two[0].iter().zip(&three[0]) {
            assert!((two[0] - three[0]).abs() < 1e-9 && three[2] == 0.0);
        }
    }
}

#[test]
fn classes_that_can_be_told_apart_have_finite_weights() {
    for seed in 1..60 {
        let count = 6 + seed as usize;
        let mut data = sample(seed, count, 2, 3);
        let side = |x: &[f64]| f64::from(u8::from(x[0] + 0.5 * x[1] > 0.7));
        let labels = data.inputs.rows().map(side).collect();
        data.labels = labels;
        let mut learner = logistic(&[(1, 0.0), (2, 0.0), (5, 0.0), (9, 0.0)], 2);
        let found = probabilities(&mut learner, &data, &data.inputs, 2);
        for (c, found) in found.iter().enumerate() {
            for (row, label) in found.iter().zip(&data.labels) {
                assert_eq!(class(row) as f64, *label, "seed {seed}, {c}: {row:?}");
            }
        }
    }
}

#[test]
fn degree_0_predicts_the_shares_and_a_large_penalty_too() {
    let data = sample(8, 50, 3, 4);
    let mut learner = logistic(&[(0, 0.0), (2, 1e9)], 4);
    let found = probabilities(&mut learner, &data, &three(3), 4);
    for row in found.iter().flatten() {
        for (k, p) in row.iter().enumerate() {
            let size = data.labels.iter().filter(|y| **y == k as f64).count();
            assert!((p - size as f64 / 50.0).abs() < 1e-7, "{row:?}");
        }
    }
}

#[test]
fn a_polynomial_of_too_many_terms_is_refused() {
    let data = sample(1, 20, 30, 3);
    let mut learner = logistic(&[(1, 1.0), (9, 1.0)], 3);
    learner.fit(&data, &algorithm(1));
    let mut out = [0.0; 6];
    learner.predict(&Points::new(30, vec![0.5; 30]), &mut out);
    assert!(out[..3].iter().all(|p| p.is_finite()));
    assert!(out[3..].iter().all(|p| p.is_nan()));
}

#[test]
fn its_habits_are_those_of_a_learner() {
    for classes in [2, 4] {
        let settings = [(1, 0.0), (1, 0.5), (3, 0.0), (3, 10.0), (0, 0.0)];
        let mut path = logistic(&settings, classes);
        let single = |c: usize| Box::new(logistic(&[settings[c]], classes)) as Box<dyn Learner>;
        assert_habits(&mut path, single, classes);
    }
}

#[test]
fn units_do_not_matter() {
    let data = sample(9, 40, 2, 3);
    let points = sample(10, 12, 2, 3).inputs;
    let stretch = |points: &Points| {
        let values = points.values().iter().map(|x| 5.0 + 1000.0 * x);
        Points::new(2, values.collect())
    };
    let far = Training {
        inputs: stretch(&data.inputs),
        labels: data.labels.clone(),
    };
    let setting = LogisticSetting {
        degree: 2,
        lambda: 0.3,
    };
    let mut near = Logistic::new(vec![setting], 3, (0.0, 1.0));
    let near = probabilities(&mut near, &data, &points, 3);
    let mut away = Logistic::new(vec![setting], 3, (5.0, 1005.0));
    let away = probabilities(&mut away, &far, &stretch(&points), 3);
    for (near, away) in near[0].iter().zip(&away[0]) {
        assert!(near.iter().zip(away).all(|(a, b)| (a - b).abs() < 1e-9));
    }
}
