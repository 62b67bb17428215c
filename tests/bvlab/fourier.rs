//! Random Fourier features against fresh solves, explicit gradient descent, and the double descent
//! that they are known for.

use bvlab::data::{Points, Training};
use bvlab::interrupt::Interrupt;
use bvlab::learner::{Fourier, FourierSetting, Learner};
use faer::Mat;

use crate::setup::{algorithm, close, data, fit_predict, points, run};

fn plain(features: usize, scale: f64) -> FourierSetting {
    FourierSetting {
        features,
        scale,
        lambda: 0.0,
        epochs: f64::INFINITY,
        rate: 0.5,
    }
}

fn matrix(rows: &[Vec<f64>]) -> Mat<f64> {
    Mat::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
}

/// Predictions of the minimum-norm solution, by an SVD of its own, with the condition number.
fn fresh(design: &Mat<f64>, y: &[f64], at: &Mat<f64>) -> (Vec<f64>, f64, usize) {
    let svd = design.thin_svd().unwrap();
    let s = svd.S().column_vector();
    let cut = design.nrows().max(design.ncols()) as f64 * f64::EPSILON * s[0];
    let rank = (0..s.nrows()).filter(|&k| s[k] > cut).count();
    let y = Mat::from_fn(y.len(), 1, |i, _| y[i]);
    let mut w = Mat::<f64>::zeros(design.ncols(), 1);
    for k in 0..rank {
        let along = (svd.U().col(k).transpose() * y.col(0)) / s[k];
        w += svd.V().subcols(k, 1) * faer::Scale(along);
    }
    let p = at * &w;
    (
        (0..at.nrows()).map(|i| p[(i, 0)]).collect(),
        s[0] / s[rank - 1],
        rank,
    )
}

/// y = sin(2πx) + noise on the midpoints of n cells.
fn equispaced(n: usize, seed: u64) -> Training {
    let x: Vec<f64> = (0..n).map(|i| (i as f64 + 0.5) / n as f64).collect();
    let noise = data(seed, n, 1, None).labels;
    let label = |(x, e): (&f64, &f64)| (std::f64::consts::TAU * x).sin() + 0.6 * (e - 0.5);
    let labels = x.iter().zip(&noise).map(label).collect();
    Training {
        inputs: Points::new(1, x),
        labels,
    }
}

#[test]
fn every_value_of_the_path_is_a_fresh_minimum_norm_solve() {
    let mut compared = 0;
    let cases = [
        (equispaced(20, 1), 31.4, points(1, 50, 1, 1.0)),
        (equispaced(50, 2), 78.5, points(2, 50, 1, 1.0)),
        (data(3, 40, 10, None), 0.8, points(3, 50, 10, 1.0)),
    ];
    for (data, scale, points) in cases {
        let n = data.len();
        let ps = [
            1,
            2,
            n / 2,
            n - 5,
            n - 1,
            n,
            n + 1,
            n + 7,
            2 * n,
            3 * n,
            10 * n,
        ];
        let settings: Vec<FourierSetting> = ps.iter().rev().map(|&p| plain(p, scale)).collect();
        let mut learner = Fourier::new(settings);
        let got = fit_predict(&mut learner, &data, &points);
        let inside = {
            let mut out = vec![0.0; ps.len() * n];
            bvlab::learner::Learner::predict(&mut learner, &data.inputs, &mut out);
            out
        };
        for (c, got) in got.iter().enumerate() {
            let design = matrix(&learner.features(&data.inputs, c));
            let at = matrix(&learner.features(&points, c));
            let (wanted, condition, rank) = fresh(&design, &data.labels, &at);
            let size = wanted.iter().fold(1.0_f64, |a, b| a.max(b.abs()));
            let tolerance = if condition < 1e6 {
                1e-8
            } else {
                1e-13 * condition
            };
            for (got, wanted) in got.iter().zip(&wanted) {
                let apart = (got - wanted).abs() / size;
                assert!(
                    apart < tolerance,
                    "n = {n}, p = {}: {apart}, condition {condition:e}",
                    design.ncols()
                );
            }
            compared += usize::from(condition < 1e6);
            if rank == n {
                let errors = inside[c * n..][..n].iter().zip(&data.labels);
                let worst = errors.map(|(p, y)| (p - y).abs()).fold(0.0, f64::max);
                assert!(
                    worst < 1e-13 * condition + 1e-10,
                    "training error {worst} at p = {}",
                    design.ncols()
                );
            }
        }
    }
    assert!(
        compared > 20,
        "only {compared} well-conditioned values were compared"
    );
}

/// Next to p = n a factor's diagonal may look harmless where the matrix is not.
#[test]
fn beyond_the_threshold_no_more_digits_are_lost_than_the_condition_costs() {
    let path = [108, 122, 137, 154];
    let points = points(1, 50, 1, 1.0);
    for seed in 0..20 {
        let data = equispaced(100, seed);
        let mut learner = Fourier::new(path.map(|p| plain(p, 236.0)).to_vec());
        learner.fit(&data, &algorithm(seed));
        let mut got = vec![f64::NAN; path.len() * points.len()];
        learner.predict(&points, &mut got);
        for (c, got) in got.chunks_exact(points.len()).enumerate() {
            let design = matrix(&learner.features(&data.inputs, c));
            let at = matrix(&learner.features(&points, c));
            let (wanted, condition, _) = fresh(&design, &data.labels, &at);
            let size = wanted.iter().fold(1.0_f64, |a, b| a.max(b.abs()));
            for (got, wanted) in got.iter().zip(&wanted) {
                let apart = (got - wanted).abs() / size;
                assert!(
                    apart < 1e-13 * condition,
                    "p = {}: {apart:e} at condition {condition:e}",
                    path[c]
                );
            }
        }
    }
}

#[test]
fn gradient_descent_by_the_spectrum_is_gradient_descent() {
    let data = equispaced(15, 4);
    let points = points(4, 20, 1, 1.0);
    for (p, lambda) in [(5, 0.0), (15, 0.0), (40, 0.0), (40, 0.3)] {
        let setting = |epochs: f64| FourierSetting {
            lambda,
            epochs,
            rate: 0.7,
            ..plain(p, 20.0)
        };
        let epochs = [0.0, 1.0, 7.0, 300.0];
        let mut learner = Fourier::new(epochs.map(setting).to_vec());
        let got = fit_predict(&mut learner, &data, &points);
        let design = matrix(&learner.features(&data.inputs, 0));
        let at = matrix(&learner.features(&points, 0));
        let y = Mat::from_fn(15, 1, |i, _| data.labels[i]);
        let mut w = Mat::<f64>::zeros(p, 1);
        for t in 0..=300 {
            if let Some(c) = epochs.iter().position(|e| *e == f64::from(t)) {
                let wanted = &at * &w;
                for (j, got) in got[c].iter().enumerate() {
                    assert!(close(*got, wanted[(j, 0)], 1e-9), "p = {p}, epoch {t}");
                }
            }
            let gradient = (design.transpose() * (&design * &w - &y) + &w * faer::Scale(lambda))
                * faer::Scale(1.0 / 15.0);
            w -= gradient * faer::Scale(0.7);
        }
    }
}

#[test]
fn ridge_solves_its_normal_equations() {
    let data = data(6, 30, 3, None);
    let points = points(6, 20, 3, 1.0);
    for (p, lambda) in [(10, 0.01), (30, 1.0), (100, 0.1)] {
        let setting = FourierSetting {
            lambda,
            ..plain(p, 2.0)
        };
        let mut learner = Fourier::new(vec![setting]);
        let got = fit_predict(&mut learner, &data, &points);
        let design = matrix(&learner.features(&data.inputs, 0));
        let at = matrix(&learner.features(&points, 0));
        let y = Mat::from_fn(30, 1, |i, _| data.labels[i]);
        let normal =
            design.transpose() * &design + Mat::<f64>::identity(p, p) * faer::Scale(lambda);
        use faer::prelude::Solve;
        let w = normal.partial_piv_lu().solve(design.transpose() * y);
        let wanted = at * w;
        for (j, got) in got[0].iter().enumerate() {
            assert!(close(*got, wanted[(j, 0)], 1e-8), "p = {p}");
        }
    }
}

/// Medians over training sets of the risk without noise, by setting.
fn median_excess(text: &str) -> Vec<f64> {
    let (plan, results) = run(text);
    let noise = results.learners[0].decomposition.parts[0].noise;
    (0..plan.paths[0].curve.settings())
        .map(|c| {
            let mut risks: Vec<f64> = results
                .kept
                .iter()
                .map(|kept| kept.fits[0].risk[c] - noise)
                .collect();
            risks.sort_by(f64::total_cmp);
            risks[risks.len() / 2]
        })
        .collect()
}

fn descent(n: usize, scale: f64, features: &str, lambda: f64) -> Vec<f64> {
    median_excess(&format!(
        r#"
        problem = {{ truth = "sin(2*pi*x)", inputs = {{ grid = [0, 1] }}, noise = {{ normal = 0.3 }}, train = {n} }}
        sweep   = {{ features = {features} }}
        learner = [{{ fourier = {{ scale = {scale}, lambda = {lambda} }} }}]
        run     = {{ resamples = 201, keep = 201, test = {{ grid = 100 }} }}
        "#
    ))
}

#[test]
fn the_risk_descends_twice_and_ridge_removes_the_peak() {
    for (n, scale, features) in [
        (20, 31.4, "[4, 8, 10, 12, 14, 16, 20, 30, 60, 200, 400]"),
        (50, 78.5, "[10, 20, 25, 30, 35, 40, 50, 80, 150, 300, 1000]"),
    ] {
        let excess = descent(n, scale, features, 0.0);
        let first = excess[..6].iter().copied().fold(f64::INFINITY, f64::min);
        let (peak, last) = (excess[6], excess[10]);
        assert!(
            peak > 10.0 * first && peak > 10.0 * last,
            "n = {n}: {excess:?}"
        );
        assert!(last < 1.15 * first, "n = {n}: {excess:?}");
        let calm = descent(n, scale, features, 0.1);
        assert!(
            calm[6] < 3.0 * calm[10] && calm[6] < peak / 10.0,
            "n = {n}: {calm:?}"
        );
    }
}

#[test]
fn rank_condition_and_norm_are_those_of_the_matrix_and_its_solution() {
    let data = equispaced(20, 3);
    let path = [5, 19, 20, 21, 60, 400];
    // At the small scale the matrix loses rank, at the large one it is well conditioned.
    for scale in [3.0, 31.4] {
        let settings = path.map(|p| plain(p, scale));
        let mut learner = Fourier::new(settings.to_vec());
        learner.fit(&data, &algorithm(7));
        let found = learner.diagnose(&data, &Interrupt::never());
        let found = found.unwrap().unwrap();
        for (c, (p, found)) in path.iter().zip(found).enumerate() {
            let design = matrix(&learner.features(&data.inputs, c));
            let svd = design.thin_svd().unwrap();
            let s = svd.S().column_vector();
            let cut = 20.max(*p) as f64 * f64::EPSILON * s[0];
            let rank = (0..s.nrows()).filter(|&k| s[k] > cut).count();
            // A singular value just at the cut may fall on either side.
            assert!(
                (found.rank - rank as f64).abs() <= 1.0,
                "{scale} {p}: {}",
                found.rank
            );
            let condition = s[0] / s[s.nrows() - 1];
            if condition < 1e10 {
                assert!(
                    (found.condition / condition - 1.0).abs() < 1e-4,
                    "{scale} {p}"
                );
                assert_eq!(found.rank, rank as f64);
                // ‖w‖² of the minimum-norm solution is Σ (u·y/s)².
                let along = |k: usize| -> f64 {
                    let u = svd.U().col(k);
                    u.iter().zip(&data.labels).map(|(u, y)| u * y).sum::<f64>() / s[k]
                };
                let norm = (0..rank).map(|k| along(k).powi(2)).sum::<f64>().sqrt();
                assert!(
                    (found.weight_norm / norm - 1.0).abs() < 1e-4,
                    "{scale} {p}: {norm}"
                );
            } else {
                assert!(found.condition > 1e9, "{scale} {p}: {}", found.condition);
            }
        }
    }
}
