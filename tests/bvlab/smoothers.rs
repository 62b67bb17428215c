//! Kernel smoothing and Gaussian bumps against solutions by other roads.

use bvlab::data::{Points, Training};
use bvlab::learner::{Gaussians, GaussiansSetting, Kernel, KernelShape};
use faer::Mat;
use faer::linalg::solvers::SolveLstsq;

use crate::setup::{close, data, fit_predict, points};

#[test]
fn kernel_is_the_weighted_mean_of_its_definition() {
    type Weight = fn(f64) -> f64;
    let shapes: [(KernelShape, Weight); 4] = [
        (KernelShape::Gaussian, |u| (-u * u / 2.0).exp()),
        (KernelShape::Epanechnikov, |u| (1.0 - u * u).max(0.0)),
        (KernelShape::Tricube, |u| (1.0 - u.powi(3)).max(0.0).powi(3)),
        (KernelShape::Uniform, |u| f64::from(u <= 1.0)),
    ];
    for (shape, weight) in shapes {
        for dimension in [1, 3] {
            let data = data(5, 40, dimension, None);
            let points = points(5, 60, dimension, 1.0);
            // Wide enough that every point is reached.
            for h in [0.9, 3.0] {
                let got = fit_predict(&mut Kernel::new(vec![h], shape), &data, &points);
                for (x, got) in points.rows().zip(&got[0]) {
                    let weights: Vec<f64> = data
                        .inputs
                        .rows()
                        .map(|row| {
                            let square: f64 = row.iter().zip(x).map(|(a, b)| (a - b).powi(2)).sum();
                            weight(square.sqrt() / h)
                        })
                        .collect();
                    let total: f64 = weights.iter().sum();
                    let sum: f64 = weights.iter().zip(&data.labels).map(|(w, y)| w * y).sum();
                    assert!(close(*got, sum / total, 1e-10), "{shape:?}, h = {h}");
                }
            }
        }
    }
}

#[test]
fn a_point_out_of_reach_gets_the_nearest_label() {
    let data = Training {
        inputs: Points::new(1, vec![0.0, 10.0, 4.0]),
        labels: vec![1.0, 2.0, 3.0],
    };
    // 7 is as near to 10 as to 4: the earlier one counts.
    let points = Points::new(1, vec![-50.0, 7.0, 1e12]);
    for shape in [
        KernelShape::Gaussian,
        KernelShape::Epanechnikov,
        KernelShape::Tricube,
        KernelShape::Uniform,
    ] {
        let got = fit_predict(&mut Kernel::new(vec![1e-3], shape), &data, &points);
        let middle = if shape == KernelShape::Gaussian {
            2.5
        } else {
            2.0
        };
        assert_eq!(got[0], [1.0, middle, 2.0], "{shape:?}");
    }
}

#[test]
fn gaussians_agree_with_augmented_least_squares() {
    // Ridge as least squares on data to which √λ w_j = 0 is added for every weight, that of the
    // constant too.
    let data = data(2, 25, 1, None);
    let points = Points::new(1, (0..40).map(|i| f64::from(i) / 39.0).collect());
    for (count, width) in [(24, 0.05), (6, 0.3)] {
        let value = |x: f64, j: usize| match j < count {
            true => (-(x - j as f64 / (count - 1) as f64).powi(2) / (2.0 * width * width)).exp(),
            false => 1.0,
        };
        for lambda in [1e-3_f64, 0.7334, 13.0] {
            let columns = count + 1;
            let design = Mat::from_fn(25 + columns, columns, |i, j| match i < 25 {
                true => value(data.inputs.get(i, 0), j),
                false if i - 25 == j => lambda.sqrt(),
                false => 0.0,
            });
            let labels = Mat::from_fn(25 + columns, 1, |i, _| {
                data.labels.get(i).copied().unwrap_or(0.0)
            });
            let weights = design.qr().solve_lstsq(labels);
            let setting = GaussiansSetting {
                count,
                width,
                lambda,
            };
            let got = fit_predict(
                &mut Gaussians::new(vec![setting], (0.0, 1.0)),
                &data,
                &points,
            );
            for (x, got) in points.values().iter().zip(&got[0]) {
                let wanted: f64 = (0..columns).map(|j| value(*x, j) * weights[(j, 0)]).sum();
                assert!(
                    close(*got, wanted, 1e-9),
                    "{setting:?}: {got}, not {wanted}"
                );
            }
        }
    }
}
