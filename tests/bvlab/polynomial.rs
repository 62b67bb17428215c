//! Polynomials against solutions by other roads.

use bvlab::data::{Points, Training};
use bvlab::learner::{Basis, Polynomial, PolynomialSetting};
use faer::Mat;
use faer::linalg::solvers::SolveLstsq;

use crate::setup::{close, data, fit_predict};

/// φ_0(t) = 1, φ_1(t), … by their definition, not by the recurrence of the learner.
fn row(basis: Basis, t: f64, degree: usize) -> Vec<f64> {
    (0..=degree)
        .map(|k| match basis {
            Basis::Monomial => t.powi(k as i32),
            Basis::Chebyshev => (k as f64 * t.clamp(-1.0, 1.0).acos()).cos(),
            // P_k(t) = 2^-k Σ_j (-1)^j C(k,j) C(2k-2j,k) t^(k-2j)
            Basis::Legendre => {
                let choose = |n: usize, k: usize| {
                    (0..k).fold(1.0, |c, i| c * (n - i) as f64 / (i + 1) as f64)
                };
                let term = |j: usize| {
                    (-1.0_f64).powi(j as i32)
                        * choose(k, j)
                        * choose(2 * k - 2 * j, k)
                        * t.powi((k - 2 * j) as i32)
                };
                (0..=k / 2).map(term).sum::<f64>() / 2.0_f64.powi(k as i32)
            }
        })
        .collect()
}

/// Ridge as plain least squares on data to which √λ w_j = 0 is added for every weight but that of
/// the constant.
fn augmented(
    basis: Basis,
    data: &Training,
    degree: usize,
    lambda: f64,
    points: &Points,
) -> Vec<f64> {
    let scale = |x: f64| 2.0 * x - 1.0;
    let count = data.len();
    let design = Mat::from_fn(count + degree, degree + 1, |i, j| match i < count {
        true => row(basis, scale(data.inputs.get(i, 0)), degree)[j],
        false if i - count + 1 == j => lambda.sqrt(),
        false => 0.0,
    });
    let labels = Mat::from_fn(count + degree, 1, |i, _| {
        data.labels.get(i).copied().unwrap_or(0.0)
    });
    let weights = design.qr().solve_lstsq(labels);
    let predict = |x: &[f64]| {
        let row = row(basis, scale(x[0]), degree);
        row.iter()
            .enumerate()
            .map(|(j, value)| value * weights[(j, 0)])
            .sum()
    };
    points.rows().map(predict).collect()
}

#[test]
fn agrees_with_augmented_least_squares() {
    let points = Points::new(1, (0..50).map(|i| f64::from(i) / 49.0).collect());
    for seed in 0..5 {
        let data = data(seed, 30, 1, None);
        for basis in [Basis::Legendre, Basis::Monomial, Basis::Chebyshev] {
            let mut settings = Vec::new();
            for degree in [0, 1, 2, 5, 8] {
                for lambda in [0.0, 1e-6, 1e-3, 0.5, 20.0] {
                    settings.push(PolynomialSetting { degree, lambda });
                }
            }
            let mut learner = Polynomial::new(settings.clone(), basis, (0.0, 1.0));
            let got = fit_predict(&mut learner, &data, &points);
            for (setting, got) in settings.iter().zip(&got) {
                let wanted = augmented(basis, &data, setting.degree, setting.lambda, &points);
                for (got, wanted) in got.iter().zip(&wanted) {
                    assert!(
                        close(*got, *wanted, 1e-8),
                        "{setting:?}, {basis:?}: {got}, not {wanted}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_highest_degree_interpolates_where_monomials_would_fail() {
    // 25 equispaced points at degree 24: condition number 3e18 with monomials on [0, 1].
    let inputs: Vec<f64> = (0..25).map(|i| f64::from(i) / 24.0).collect();
    let labels = crate::setup::data(1, 25, 1, None).labels;
    let data = Training {
        inputs: Points::new(1, inputs),
        labels,
    };
    let setting = PolynomialSetting {
        degree: 24,
        lambda: 0.0,
    };
    let mut learner = Polynomial::new(vec![setting], Basis::Legendre, (0.0, 1.0));
    let got = fit_predict(&mut learner, &data, &data.inputs);
    for (got, label) in got[0].iter().zip(&data.labels) {
        assert!(close(*got, *label, 1e-9), "{got}, not {label}");
    }
}

#[test]
fn degrees_beyond_the_distinct_inputs_add_nothing() {
    let data = Training {
        inputs: Points::new(1, vec![0.1, 0.1, 0.5, 0.9, 0.9, 0.9]),
        labels: vec![1.0, 2.0, 0.0, 4.0, 5.0, 6.0],
    };
    let settings = (0..6).map(|degree| PolynomialSetting {
        degree,
        lambda: 0.0,
    });
    let mut learner = Polynomial::new(settings.collect(), Basis::Legendre, (0.0, 1.0));
    let got = fit_predict(
        &mut learner,
        &data,
        &Points::new(1, vec![0.1, 0.5, 0.9, 0.3]),
    );
    assert!(close(got[2][0], 1.5, 1e-12) && close(got[2][2], 5.0, 1e-12));
    assert_eq!(got[3], got[2]);
    assert_eq!(got[5], got[2]);
}
