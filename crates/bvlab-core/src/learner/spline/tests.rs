use super::*;
use crate::stream::Purpose;

fn fitted(settings: Vec<SplineSetting>, data: &Training) -> Vec<Vec<f64>> {
    let mut spline = Spline::new(settings);
    spline.fit(data, &Stream::new(1, Purpose::Algorithm, 0));
    let mut out = vec![f64::NAN; spline.capacities() * data.len()];
    spline.predict_training(data, &mut out);
    out.chunks_exact(data.len()).map(<[f64]>::to_vec).collect()
}

/// Inputs with equal ones and close ones among them.
fn inputs(count: u32) -> Vec<f64> {
    let spread = |i: u32| f64::from(i * i * 7 % 31) * 0.3 + f64::from(i % 3) * 1e-4;
    (0..count).map(spread).collect()
}

fn of(lambda: f64, df: f64) -> SplineSetting {
    SplineSetting { lambda, df }
}

/// The trace of the matrix whose columns are fits to unit vectors.
#[test]
fn degrees_of_freedom_are_the_trace() {
    let inputs = inputs(40);
    for df in [2.0, 2.001, 3.0, 7.5, 15.0] {
        let mut trace = 0.0;
        for i in 0..inputs.len() {
            let mut labels = vec![0.0; inputs.len()];
            labels[i] = 1.0;
            let inputs = Points::new(1, inputs.clone());
            trace += fitted(vec![of(0.0, df)], &Training { inputs, labels })[0][i];
        }
        assert!((trace - df).abs() < 1e-9 * df, "{trace}, not {df}");
    }
}

/// The limits, and what lies just inside of them, are the same to rounding.
#[test]
fn the_ends_of_the_path_are_continuous() {
    let inputs = inputs(30);
    let labels: Vec<f64> = (0..30).map(|i| f64::from(i * 37 % 11)).collect();
    let inputs = Points::new(1, inputs);
    let data = Training { inputs, labels };
    let mut sites = SplineSites::default();
    sites.load(&data);
    let range = 2.0 * sites.half;
    let [low, high] = [1e-23 * 1e-15, 30e18].map(|lambda| lambda * range * range * range);
    let path = [
        0.0,
        1.1 * low,
        1e3 * low,
        1e-3 * high,
        0.9 * high,
        1.1 * high,
    ];
    let all = f64::INFINITY;
    let found = fitted(path.iter().map(|lambda| of(*lambda, all)).collect(), &data);
    for (a, b) in [(0, 1), (0, 2), (3, 5), (4, 5)] {
        for (a, b) in found[a].iter().zip(&found[b]) {
            assert!((a - b).abs() < 1e-9, "{a} {b}");
        }
    }
}
