//! Exact forms against closed formulas, and estimates against exact forms.

use crate::setup::{close, run};

const LINEAR: &str = r#"
    [problem]
    truth  = "sin(x)"
    inputs = { uniform = [0, 10], fixed = true }
    noise  = { normal = "0.2 + 0.04*x" }
    train  = 40

    [[learner]]
    knn = {}
    sweep = { k = "1..40" }

    [[learner]]
    polynomial = {}
    sweep = { degree = "0..12" }

    [[learner]]
    name = "ridge"
    polynomial = { degree = 10 }
    sweep = { lambda = { from = 1e-4, to = 1000, count = 15, scale = "log" } }

    [run]
    resamples = 3000
    test = { grid = 60 }
"#;

fn average(values: &[f64], weights: &[f64]) -> f64 {
    values.iter().zip(weights).map(|(v, w)| v * w).sum()
}

#[test]
fn estimates_lie_within_four_standard_errors_of_the_exact_curves() {
    let (plan, results) = run(LINEAR);
    let weights = &plan.test.weights;
    for (curve, learner) in plan.curves().zip(&results.learners) {
        let exact = learner
            .exact
            .as_ref()
            .expect("these learners are linear smoothers");
        let points = weights.len();
        for (c, parts) in learner.decomposition.parts.iter().enumerate() {
            let bias2 = average(&exact.bias2[c * points..][..points], weights);
            let variance = average(&exact.variance[c * points..][..points], weights);
            for (name, estimate, exact) in [
                ("bias²", parts.bias2, bias2),
                ("variance", parts.variance, variance),
                ("risk", parts.risk, parts.noise + bias2 + variance),
                ("testing error", parts.test, parts.noise + bias2 + variance),
            ] {
                let apart = (estimate.value - exact) / estimate.se;
                assert!(
                    apart.abs() < 4.0,
                    "{} {name} {c}: {apart} se from {exact}",
                    curve.name
                );
            }
        }
    }
}

#[test]
fn the_parts_sum_to_the_mean_squared_distance_at_every_point() {
    // Everything is kept, so the mean squared distance can be computed again from the fits.
    let text = LINEAR.replace("resamples = 3000", "resamples = 300\nkeep = 300");
    let (plan, results) = run(&text);
    let points = plan.test.points.len();
    for (which, learner) in results.learners.iter().enumerate() {
        let split = &learner.decomposition;
        for at in 0..split.bias2.len() {
            let truth = results.truth[at % points];
            let squares = results
                .kept
                .iter()
                .map(|kept| (kept.fits[which].predictions[at] - truth).powi(2));
            let mean = squares.sum::<f64>() / results.kept.len() as f64;
            let sum = split.bias2[at] + split.variance[at];
            assert!(
                close(sum, mean, 1e-12),
                "learner {which} at {at}: {sum}, not {mean}"
            );
        }
    }
}

#[test]
fn the_parts_of_kept_predictions_are_unbiased_estimates() {
    // The textbook formulas on the kept predictions, point by point.
    let text = LINEAR.replace("resamples = 3000", "resamples = 50\nkeep = 50");
    let (plan, results) = run(&text);
    let points = plan.test.points.len();
    let split = &results.learners[0].decomposition;
    for at in 0..split.bias2.len() {
        let p: Vec<f64> = results
            .kept
            .iter()
            .map(|kept| kept.fits[0].predictions[at])
            .collect();
        let count = p.len() as f64;
        let mean = p.iter().sum::<f64>() / count;
        let variance = p.iter().map(|p| (p - mean).powi(2)).sum::<f64>() / (count - 1.0);
        let bias2 = (mean - results.truth[at % points]).powi(2) - variance / count;
        assert!(close(split.variance[at], variance, 1e-12));
        assert!(close(split.bias2[at], bias2, 1e-12));
    }
}

#[test]
fn knn_has_the_variance_noise_over_k_and_the_bias_of_its_neighbours() {
    let (plan, results) = run(r#"
        problem = { truth = "0.01*x^2 + 1", inputs = { grid = [0, 16] }, noise = { normal = 0.3 }, train = 16 }
        sweep   = { k = "1..16" }
        learner = [{ knn = {} }]
        run     = { resamples = 4, test = "inputs" }
    "#);
    let exact = results.learners[0].exact.as_ref().unwrap();
    let x = plan.test.points.values();
    let f = |x: f64| 0.01 * x * x + 1.0;
    for k in 1..=16 {
        for (j, &x0) in x.iter().enumerate() {
            let at = (k - 1) * 16 + j;
            assert!(close(exact.variance[at], 0.09 / k as f64, 1e-12));
            // Test points are the inputs: neighbours are the nearest cells, the lower first.
            let mut order: Vec<usize> = (0..16).collect();
            order.sort_by_key(|&i| (i.abs_diff(j), i));
            let mean = order[..k].iter().map(|&i| f(x[i])).sum::<f64>() / k as f64;
            assert!(
                close(exact.bias2[at], (mean - f(x0)).powi(2), 1e-9),
                "k = {k} at {x0}"
            );
        }
    }
}

#[test]
fn least_squares_has_in_sample_variance_of_its_number_of_columns() {
    let (_, results) = run(r#"
        problem = { truth = "cos(x)", inputs = { normal = [0, 2], fixed = true }, noise = { laplace = 0.7 }, train = 30 }
        sweep   = { degree = "0..29" }
        learner = [{ polynomial = {} }]
        run     = { resamples = 4, test = "inputs" }
    "#);
    let exact = results.learners[0].exact.as_ref().unwrap();
    for degree in 0..30 {
        let variance: f64 = exact.variance[degree * 30..][..30].iter().sum::<f64>() / 30.0;
        let wanted = 0.49 * (degree + 1) as f64 / 30.0;
        assert!(
            close(variance, wanted, 1e-10),
            "degree {degree}: {variance}, not {wanted}"
        );
    }
}

#[test]
fn ridge_has_the_variance_of_its_shrunken_singular_values() {
    // In-sample mean variance is s²/n (1 + Σ (d²/(d²+λ))²) with d the singular values of the
    // centred basis; its trace with power one is the degrees of freedom.
    let (plan, results) = run(r#"
        problem = { truth = "x", inputs = { grid = [-1, 1] }, noise = { normal = 1 }, train = 20 }
        sweep   = { lambda = [0.01, 1, 30] }
        learner = [{ polynomial = { degree = 2 } }]
        run     = { resamples = 4, test = "inputs" }
    "#);
    let exact = results.learners[0].exact.as_ref().unwrap();
    let t = plan.test.points.values();
    // On a symmetric grid t and P_2 - mean are orthogonal: their lengths are the singular values.
    let second: Vec<f64> = t.iter().map(|t| (3.0 * t * t - 1.0) / 2.0).collect();
    let mean = second.iter().sum::<f64>() / 20.0;
    let squares = [
        t.iter().map(|t| t * t).sum::<f64>(),
        second.iter().map(|p| (p - mean).powi(2)).sum::<f64>(),
    ];
    for (c, lambda) in [0.01, 1.0, 30.0].into_iter().enumerate() {
        let variance = exact.variance[c * 20..][..20].iter().sum::<f64>() / 20.0;
        let shrunk: f64 = squares.iter().map(|d2| (d2 / (d2 + lambda)).powi(2)).sum();
        let wanted = (1.0 + shrunk) / 20.0;
        assert!(
            close(variance, wanted, 1e-10),
            "λ = {lambda}: {variance}, not {wanted}"
        );
    }
}

#[test]
fn knn_on_a_circle_follows_its_closed_form() {
    // k odd, equispaced points, x0 among them: the mean prediction is D sin(2πx0). Away
    // from the ends a line of points is as good as a circle.
    let (plan, results) = run(r#"
        problem = { truth = "sin(2*pi*x)", inputs = { grid = [0, 1] }, noise = { normal = 0.1 }, train = 100 }
        sweep   = { k = [1, 3, 7, 15] }
        learner = [{ knn = {} }]
        run     = { resamples = 4, test = "inputs" }
    "#);
    let exact = results.learners[0].exact.as_ref().unwrap();
    let pi = std::f64::consts::PI;
    for (c, k) in [1.0, 3.0, 7.0, 15.0].into_iter().enumerate() {
        let h = 0.01;
        let d = (pi * k * h).sin() / (k * (pi * h).sin());
        for (j, x) in plan
            .test
            .points
            .values()
            .iter()
            .enumerate()
            .skip(8)
            .take(84)
        {
            let wanted = ((1.0 - d) * (2.0 * pi * x).sin()).powi(2);
            assert!(
                close(exact.bias2[c * 100 + j], wanted, 1e-12),
                "k = {k} at {x}"
            );
        }
    }
}
