//! Kernel smoothing and Gaussian bumps against solutions by other roads.

use bvlab::data::{Points, Training};
use bvlab::learner::{
    Gaussians, GaussiansSetting, Kernel, KernelShape, Learner, Local, Spline, SplineSetting,
};
use faer::Mat;
use faer::linalg::solvers::SolveLstsq;

use crate::setup::{close, data, fit_predict, points, run};

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

type Weight = fn(f64) -> f64;

const SHAPES: [(KernelShape, Weight); 4] = [
    (KernelShape::Gaussian, |u| (-u * u / 2.0).exp()),
    (KernelShape::Epanechnikov, |u| (1.0 - u * u).max(0.0)),
    (KernelShape::Tricube, |u| (1.0 - u.powi(3)).max(0.0).powi(3)),
    (KernelShape::Uniform, |u| f64::from(u <= 1.0)),
];

#[test]
fn local_regression_is_weighted_least_squares() {
    for (shape, weight) in SHAPES {
        for dimension in [1, 3] {
            let data = data(6, 40, dimension, None);
            let points = points(6, 60, dimension, 1.0);
            for h in [0.9, 3.0] {
                let got = fit_predict(&mut Local::new(vec![h], shape), &data, &points);
                for (x, got) in points.rows().zip(&got[0]) {
                    let root = |i: usize| {
                        let row = data.inputs.row(i).iter().zip(x);
                        let square: f64 = row.map(|(a, b)| (a - b).powi(2)).sum();
                        weight(square.sqrt() / h).sqrt()
                    };
                    let design = Mat::from_fn(40, dimension + 1, |i, k| match k {
                        0 => root(i),
                        _ => root(i) * (data.inputs.get(i, k - 1) - x[k - 1]),
                    });
                    let labels = Mat::from_fn(40, 1, |i, _| root(i) * data.labels[i]);
                    let plane = design.qr().solve_lstsq(labels);
                    assert!(close(*got, plane[(0, 0)], 1e-9), "{shape:?}, h = {h}");
                }
            }
        }
    }
}

#[test]
fn local_regression_falls_back_where_slopes_are_not_determined() {
    let data = Training {
        inputs: Points::new(1, vec![0.0, 10.0, 10.0, 4.0]),
        labels: vec![1.0, 2.0, 4.0, 3.0],
    };
    let points = Points::new(1, vec![-50.0, 7.0, 10.1, 0.0]);
    for (shape, _) in SHAPES {
        let got = fit_predict(&mut Local::new(vec![0.5], shape), &data, &points);
        if shape != KernelShape::Gaussian {
            // Out of reach the nearest label, the earlier one of two; in reach the mean of equal inputs.
            assert_eq!(got[0], [1.0, 2.0, 3.0, 1.0], "{shape:?}");
        }
    }
    // In the plane, points on a line determine the slope along it; across there is none.
    let plane = Training {
        inputs: Points::new(2, vec![0.0, 0.0, 1.0, 1.0, 2.0, 2.0]),
        labels: vec![0.0, 2.0, 4.0],
    };
    let points = Points::new(2, vec![1.0, 1.0, 2.0, 0.0, 3.0, 3.0, 0.0, 5.0]);
    for (shape, _) in SHAPES {
        let got = fit_predict(&mut Local::new(vec![9.0], shape), &plane, &points);
        for (got, wanted) in got[0].iter().zip([2.0, 2.0, 6.0, 5.0]) {
            assert!(close(*got, wanted, 1e-12), "{shape:?}: {got}, not {wanted}");
        }
    }
}

/// Given the inputs, a prediction is a weighted sum of the labels with weights that sum to one and
/// reproduce lines.
#[test]
fn splines_and_local_regression_reproduce_lines() {
    let mut data = data(8, 40, 1, Some(25));
    let points = Points::new(1, (0..60).map(|i| f64::from(i) / 2.0 - 2.0).collect());
    for (y, x) in data.labels.iter_mut().zip(data.inputs.values()) {
        *y = 3.0 - 0.7 * x;
    }
    let settings = [
        (0.0, f64::INFINITY),
        (3.0, f64::INFINITY),
        (1e40, f64::INFINITY),
        (0.0, 5.5),
    ];
    let settings = settings.map(|(lambda, df)| SplineSetting { lambda, df });
    let mut learners: Vec<Box<dyn Learner>> = vec![Box::new(Spline::new(settings.to_vec()))];
    for (shape, _) in SHAPES {
        learners.push(Box::new(Local::new(vec![6.0, 100.0], shape)));
    }
    for learner in &mut learners {
        assert!(learner.is_linear());
        for found in fit_predict(&mut **learner, &data, &points) {
            for (x, found) in points.values().iter().zip(found) {
                // In reach of two inputs at least.
                if (0.5..24.0).contains(x) {
                    assert!(close(found, 3.0 - 0.7 * x, 1e-9), "{x}: {found}");
                }
            }
        }
    }
}

/// The definition: no natural cubic spline with knots at the inputs does better, tried along random
/// directions through ∫ f''², by the rule of trapezoids on the piecewise linear f''.
#[test]
fn splines_minimise_their_objective() {
    let data = data(9, 15, 1, None);
    let mut sites: Vec<f64> = data.inputs.values().to_vec();
    sites.sort_by(f64::total_cmp);
    let lambda = 1e-3;
    let objective = |labels: &[f64], values: &dyn Fn(&Points) -> Vec<f64>| {
        let fitted = values(&data.inputs);
        let sum: f64 = fitted
            .iter()
            .zip(labels)
            .map(|(f, y)| (f - y).powi(2))
            .sum();
        let mut bend = 0.0;
        for pair in sites.windows(2) {
            // A cubic's second differences on an even grid are h² f'' at the middle points.
            let h = (pair[1] - pair[0]) / 4.0;
            let places = (0..5).map(|k| pair[0] + f64::from(k) * h).collect();
            let f = values(&Points::new(1, places));
            let second = |k: usize| (f[k - 1] - 2.0 * f[k] + f[k + 1]) / (h * h);
            let slope = (second(3) - second(1)) / 2.0;
            let [a, b] = [second(1) - slope, second(3) + slope];
            bend += 4.0 * h * (a * a + a * b + b * b) / 3.0;
        }
        sum + lambda * bend
    };
    let df = f64::INFINITY;
    let spline = |lambda: f64, labels: &[f64]| {
        let inputs = data.inputs.clone();
        let labels = labels.to_vec();
        let training = Training { inputs, labels };
        let setting = SplineSetting { lambda, df };
        move |points: &Points| {
            fit_predict(&mut Spline::new(vec![setting]), &training, points).remove(0)
        }
    };
    let labels = &data.labels;
    let fitted = spline(lambda, labels)(&data.inputs);
    let least = objective(labels, &spline(lambda, labels));
    for k in 0..15 {
        for step in [1e-3, -1e-3, 0.1] {
            let mut moved = fitted.clone();
            moved[k] += step;
            let other = objective(labels, &spline(0.0, &moved));
            assert!(other > least, "{k} {step}: {other} below {least}");
        }
    }
    let again = objective(labels, &spline(0.0, &fitted));
    assert!(close(again, least, 1e-9), "{again} {least}");
}

/// On fixed inputs the exact curves go through the estimates, and at the ends of the path they are those of
/// least squares on a line, s² (1/n + (x - x̄)²/Σ (x_i - x̄)²), and of the interpolant, s².
#[test]
fn exact_forms_of_splines_and_local_regression() {
    let (plan, results) = run(r#"
        problem = { truth = "sin(x)", inputs = { uniform = [0, 10], fixed = true }, noise = { normal = 0.3 }, train = 30 }
        learner = [
            { spline = {}, sweep = { lambda = [0, 0.1, 10, 1e30] } },
            { name = "df", spline = {}, sweep = { df = [2, 5, 12] } },
            { local = {}, sweep = { bandwidth = [0.5, 2, 1e6] } },
            { components = {}, sweep = { components = [0, 1] } },
        ]
        run = { resamples = 2000, test = "inputs" }
    "#);
    let weights = &plan.test.weights;
    let points = weights.len();
    let average = |values: &[f64]| -> f64 { values.iter().zip(weights).map(|(v, w)| v * w).sum() };
    for learner in &results.learners {
        let exact = learner.exact.as_ref().expect("it is a linear smoother");
        for (c, parts) in learner.decomposition.parts.iter().enumerate() {
            let row = c * points..(c + 1) * points;
            let bias2 = average(&exact.bias2[row.clone()]);
            let variance = average(&exact.variance[row]);
            let apart = (parts.variance.value - variance) / parts.variance.se;
            assert!(
                apart.abs() < 4.0,
                "variance {c}: {apart} se from {variance}"
            );
            let apart = (parts.bias2.value - bias2).abs();
            assert!(apart < 4.0 * parts.bias2.se + 1e-9, "bias² {c}: {apart}");
        }
    }
    let x = plan.test.points.values();
    let mean = x.iter().sum::<f64>() / 30.0;
    let spread: f64 = x.iter().map(|x| (x - mean).powi(2)).sum();
    let line = |j: usize| 0.09 * (1.0 / 30.0 + (x[j] - mean).powi(2) / spread);
    for (learner, c) in [(0, 3), (1, 0), (2, 2), (3, 1)] {
        let exact = results.learners[learner].exact.as_ref().unwrap();
        for j in 0..points {
            let found = exact.variance[c * points + j];
            assert!(
                close(found, line(j), 1e-9),
                "{learner}: {found}, not {}",
                line(j)
            );
        }
    }
    let interpolant = results.learners[0].exact.as_ref().unwrap();
    assert!(
        interpolant.variance[..points]
            .iter()
            .all(|v| close(*v, 0.09, 1e-9))
    );
}
