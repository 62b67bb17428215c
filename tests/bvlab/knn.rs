//! Nearest neighbours against a brute-force ranking of all training points.

use bvlab::data::{Points, Training};
use bvlab::learner::Knn;

use crate::setup::{close, data, fit_predict, points};

fn brute_force(data: &Training, x: &[f64], k: usize) -> f64 {
    let mut ranked: Vec<(f64, usize)> = data
        .inputs
        .rows()
        .map(|row| row.iter().zip(x).map(|(a, b)| (a - b) * (a - b)).sum())
        .enumerate()
        .map(|(i, distance)| (distance, i))
        .collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    ranked[..k]
        .iter()
        .map(|&(_, i)| data.labels[i])
        .sum::<f64>()
        / k as f64
}

#[test]
fn agrees_with_brute_force_with_and_without_ties() {
    for dimension in [1, 2, 5] {
        for seed in 0..20 {
            let values = [None, Some(2), Some(6)][seed as usize % 3];
            let data = data(seed, 30, dimension, values);
            let points = points(seed, 50, dimension, values.map_or(1.0, f64::from));
            let ks: Vec<usize> = (1..=30).collect();
            let got = fit_predict(&mut Knn::new(ks.clone()), &data, &points);
            for (k, got) in ks.into_iter().zip(&got) {
                for (x, got) in points.rows().zip(got) {
                    let wanted = brute_force(&data, x, k);
                    assert!(
                        close(*got, wanted, 1e-12),
                        "k = {k} at {x:?}: {got}, not {wanted}"
                    );
                }
            }
        }
    }
}

#[test]
fn equal_distances_go_to_the_earlier_point() {
    // Left, right, right, left of 0, all at distance 1.
    let data = Training {
        inputs: Points::new(1, vec![-1.0, 1.0, 1.0, -1.0]),
        labels: vec![1.0, 10.0, 100.0, 1000.0],
    };
    let got = fit_predict(
        &mut Knn::new(vec![1, 2, 3, 4]),
        &data,
        &Points::new(1, vec![0.0]),
    );
    let sums: Vec<f64> = got
        .iter()
        .zip(1..)
        .map(|(mean, k)| mean[0] * f64::from(k))
        .collect();
    assert_eq!(sums, [1.0, 11.0, 111.0, 1111.0]);
}

#[test]
fn many_equal_points_in_several_dimensions_do_not_hang_the_search() {
    let data = Training {
        inputs: Points::new(2, vec![0.5; 400]),
        labels: (0..200).map(f64::from).collect(),
    };
    let got = fit_predict(
        &mut Knn::new(vec![1, 3]),
        &data,
        &Points::new(2, vec![0.0, 0.0]),
    );
    assert_eq!(got, [[0.0], [1.0]]);
}

#[test]
fn distances_that_overflow_are_as_far_as_any() {
    let data = Training {
        inputs: Points::new(1, vec![f64::MAX, 0.0, f64::MIN]),
        labels: vec![1.0, 10.0, 100.0],
    };
    let at = Points::new(1, vec![f64::MIN, f64::MAX]);
    let got = fit_predict(&mut Knn::new(vec![1, 2, 3]), &data, &at);
    assert_eq!(got, [[100.0, 1.0], [55.0, 5.5], [37.0, 37.0]]);
}
