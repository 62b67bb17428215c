//! Random projections and ReLU features against fresh solves and known forms, and the lower bound on the
//! label noise's part.

use bvlab::interrupt::Interrupt;
use bvlab::learner::{FeatureKind, Fourier, FourierSetting, Learner, Remark};
use bvlab::outcome::Tables;
use faer::Mat;

use crate::setup::{algorithm, close, data, fit_predict, points, run};

fn setting(features: usize, bias: f64, lambda: f64) -> FourierSetting {
    FourierSetting {
        features,
        scale: bias,
        lambda,
        epochs: f64::INFINITY,
        rate: 0.1,
    }
}

/// Ridge, or the minimum norm where λ is 0, by the singular values above the cut of the learner.
fn ridge(design: &[Vec<f64>], y: &[f64], lambda: f64, at: &[Vec<f64>]) -> Vec<f64> {
    let (n, p) = (design.len(), design[0].len());
    let matrix = Mat::from_fn(n, p, |i, j| design[i][j]);
    let svd = matrix.thin_svd().expect("it converges");
    let values = svd.S().column_vector();
    let cut = n.max(p) as f64 * f64::EPSILON * values[0];
    let labels = Mat::from_fn(n, 1, |i, _| y[i]);
    let mut shares = svd.U().transpose() * labels;
    for (k, s) in values.iter().enumerate() {
        let kept = lambda > 0.0 || *s > cut;
        shares[(k, 0)] *= if kept { s / (s * s + lambda) } else { 0.0 };
    }
    let weights = svd.V() * shares;
    let predict = |row: &Vec<f64>| (0..p).map(|j| row[j] * weights[(j, 0)]).sum();
    at.iter().map(predict).collect()
}

#[test]
fn every_value_of_the_path_is_a_fresh_solve() {
    let at = points(5, 30, 4, 1.0);
    let data = data(4, 20, 4, None);
    for kind in [FeatureKind::Relu, FeatureKind::Projection] {
        let counts = match kind {
            FeatureKind::Relu => vec![60, 2, 10, 25, 200],
            _ => vec![3, 1, 4, 2],
        };
        for lambda in [0.0, 0.3] {
            let path = counts.iter().map(|&p| setting(p, 1.0, lambda)).collect();
            let mut learner = Fourier::of(kind, path, 0);
            let got = fit_predict(&mut learner, &data, &at);
            for (c, got) in got.iter().enumerate() {
                let design = learner.features(&data.inputs, c);
                let features = learner.features(&at, c);
                let wanted = ridge(&design, &data.labels, lambda, &features);
                for (got, wanted) in got.iter().zip(&wanted) {
                    assert!(
                        close(*got, *wanted, 1e-8),
                        "{kind:?}, p = {}, λ = {lambda}: {got}, not {wanted}",
                        counts[c]
                    );
                }
            }
        }
    }
}

#[test]
fn features_are_what_they_say_and_nested() {
    let at = points(5, 200, 3, 1.0);
    let data = data(4, 20, 3, None);
    let path = || vec![setting(7, 0.5, 0.0), setting(40, 0.5, 0.0)];
    let [relu, plain] = [FeatureKind::Relu, FeatureKind::Projection].map(|kind| {
        let mut learner = Fourier::of(kind, path(), 0);
        learner.fit(&data, &algorithm(3));
        [0, 1].map(|c| learner.features(&at, c))
    });
    for i in 0..at.len() {
        for (c, p) in [(0, 7), (1, 40)] {
            for j in 0..p {
                let sum = plain[c][i][j] * (p as f64).sqrt();
                let wanted = (2.0 / p as f64).sqrt() * sum.max(0.0);
                assert!(close(relu[c][i][j], wanted, 1e-12));
            }
        }
        for (few, many) in plain[0][i].iter().zip(&plain[1][i]) {
            assert!(close(few * 7_f64.sqrt(), many * 40_f64.sqrt(), 1e-12));
        }
    }
}

#[test]
fn more_projections_than_coordinates_add_nothing_and_are_called_out() {
    let at = points(5, 30, 3, 1.0);
    let data = data(4, 20, 3, None);
    let path = [3, 4, 30].map(|p| setting(p, 0.0, 0.0));
    let mut learner = Fourier::of(FeatureKind::Projection, path.to_vec(), 0);
    let got = fit_predict(&mut learner, &data, &at);
    let all: Vec<Vec<f64>> = data.inputs.rows().map(<[f64]>::to_vec).collect();
    let rows: Vec<Vec<f64>> = at.rows().map(<[f64]>::to_vec).collect();
    let wanted = ridge(&all, &data.labels, 0.0, &rows);
    for got in &got {
        assert!(got.iter().zip(&wanted).all(|(a, b)| close(*a, *b, 1e-8)));
    }
    let lost = Some(Remark::LostRank);
    assert_eq!(learner.remarks().unwrap(), [None, lost, lost]);
    let found = learner
        .diagnose(&data, &Interrupt::never())
        .unwrap()
        .unwrap();
    assert!(found.iter().all(|found| found.rank == 3.0));
}

/// Random projections of isotropic normal inputs to p < n - 1 of d dimensions: a share p/d of the truth
/// is within reach, so that r_o² = r² (1 - p/d) is left out, and the excess risk is
/// r_o² + (σ² + r_o²) p/(n - p - 1); the mean prediction is p/d of the truth.
#[test]
fn projections_have_the_risk_that_theory_gives() {
    let (_, results) = run(r#"
        [problem]
        truth  = { linear = 1 }
        inputs = { normal = [0, 1], dimension = 20 }
        noise  = { normal = 0.5 }
        train  = 30
        [sweep]
        features = [2, 8, 14]
        [[learner]]
        features = { kind = "projection" }
        [run]
        resamples = 2000
        test = { draw = 1000 }
    "#);
    for (parts, p) in results.learners[0]
        .decomposition
        .parts
        .iter()
        .zip([2.0, 8.0, 14.0])
    {
        let outside = 1.0 - p / 20.0;
        let excess = outside + (0.25 + outside) * p / (30.0 - p - 1.0);
        let bias2 = outside * outside;
        for (name, got, wanted) in [
            ("risk", parts.risk, 0.25 + excess),
            ("bias²", parts.bias2, bias2),
        ] {
            let apart = (got.value - wanted).abs();
            assert!(
                apart < 4.5 * got.se,
                "{name}, p = {p}: {} for {wanted}",
                got.value
            );
        }
    }
}

/// The bound lies below the variance without signal, where all of it comes from the labels' noise, and
/// a form of its own gives its values.
#[test]
fn no_features_get_below_the_bound() {
    let text = r#"
        [problem]
        truth  = { weights = [0] }
        inputs = { normal = [0, 1], dimension = 10 }
        noise  = { normal = 0.5 }
        train  = 20
        [sweep]
        features = [2, 10, 30, 80]
        [[learner]]
        LEARNER
        [run]
        resamples = 400
        test = { draw = 500 }
    "#;
    for learner in ["fourier = { scale = 0.5 }", "fourier = { scale = 3 }"] {
        let (experiment, results) = run(&text.replace("LEARNER", learner));
        let table = Tables::new(&experiment, &results).curves;
        let bound = table.numbers("label_noise_bound");
        let known = [2.0 / 19.0, 10.0 / 11.0, 20.0 / 11.0, 20.0 / 61.0];
        for c in 0..4 {
            assert!((bound[c] - 0.25 * known[c]).abs() < 1e-12, "{}", bound[c]);
            let (variance, se) = (
                table.numbers("variance")[c],
                table.numbers("variance_se")[c],
            );
            assert!(
                variance > bound[c] - 3.0 * se,
                "{variance} for {}",
                bound[c]
            );
        }
    }
    // No bound with a penalty, for features that need not have full rank, or on a fixed design.
    for (from, to) in [
        ("LEARNER", "fourier = { scale = 1, lambda = 1 }"),
        ("LEARNER", "features = { bias = 1 }"),
        ("dimension = 10 }", "dimension = 10, fixed = true }"),
    ] {
        let text = text
            .replace(from, to)
            .replace("LEARNER", "fourier = { scale = 1 }");
        let (experiment, results) = run(&text.replace("400", "30"));
        let table = Tables::new(&experiment, &results).curves;
        assert!(table.numbers("label_noise_bound").is_empty(), "{to}");
    }
}
