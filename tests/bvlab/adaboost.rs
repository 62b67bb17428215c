//! AdaBoost against scikit-learn, under its bound, and where it ends.

use bvlab::data::{Points, Training};
use bvlab::learner::{AdaBoost, AdaBoostSample, AdaBoostSetting, Learner};
use rand::RngExt;

use crate::classes::{assert_habits, class, probabilities, sample, three};
use crate::setup::algorithm;

const SAMPLES: [AdaBoostSample; 2] = [AdaBoostSample::Reweight, AdaBoostSample::Resample];

fn adaboost(rounds: &[usize], depth: usize, classes: usize, sample: AdaBoostSample) -> AdaBoost {
    let settings = rounds
        .iter()
        .map(|&rounds| AdaBoostSetting { rounds, depth });
    AdaBoost::new(settings.collect(), classes, sample)
}

fn wrong(rows: &[Vec<f64>], labels: &[f64]) -> usize {
    let pairs = rows.iter().zip(labels);
    pairs
        .filter(|(row, label)| class(row) as f64 != **label)
        .count()
}

/// Values of scikit-learn 1.9.1, `AdaBoostClassifier(DecisionTreeClassifier(max_depth=depth),
/// n_estimators=60)`: how many training points `staged_predict` has wrong after some rounds, and the
/// softmax of Σ_t `estimator_weights_[t]` [`estimators_[t].predict(x)` = k] over 20 rounds at the three
/// points (its own `predict_proba` divides the sums by that of the weights). In these data no two
/// features or classes are equal: scikit-learn says the same with every seed and whatever the classes
/// are called.
#[test]
fn rounds_are_those_of_scikit_learn() {
    const ROUNDS: [usize; 8] = [1, 2, 3, 5, 10, 20, 40, 60];
    type Case = (
        (u64, usize, usize, usize),
        usize,
        [usize; 8],
        [&'static [f64]; 3],
    );
    let cases: [Case; 6] = [
        (
            (1, 50, 2, 2),
            1,
            [16, 16, 13, 9, 7, 6, 5, 3],
            [
                &[0.971298888, 0.028701112],
                &[0.94110171, 0.05889829],
                &[0.092034526, 0.907965474],
            ],
        ),
        (
            (2, 80, 3, 2),
            1,
            [18, 23, 14, 14, 13, 8, 7, 7],
            [
                &[0.556921988, 0.443078012],
                &[0.551783023, 0.448216977],
                &[0.95653605, 0.04346395],
            ],
        ),
        (
            (1, 60, 2, 3),
            1,
            [30, 34, 28, 24, 15, 15, 14, 11],
            [
                &[0.973583015, 0.026287352, 0.000129633],
                &[0.123772387, 0.864880124, 0.011347489],
                &[0.397288409, 0.576842732, 0.025868859],
            ],
        ),
        (
            (2, 90, 3, 4),
            1,
            [54, 57, 60, 48, 40, 41, 33, 31],
            [
                &[0.083361247, 0.194698308, 0.488791833, 0.233148611],
                &[0.004796823, 0.160948769, 0.602797544, 0.231456864],
                &[0.917502198, 0.035627267, 0.046115422, 0.000755113],
            ],
        ),
        (
            (5, 70, 2, 3),
            2,
            [23, 31, 22, 18, 13, 9, 5, 7],
            [
                &[0.394617566, 0.605365716, 1.6718e-05],
                &[0.037120015, 0.962848785, 3.12e-05],
                &[0.006784989, 0.721261922, 0.271953089],
            ],
        ),
        (
            (4, 60, 2, 2),
            3,
            [12, 6, 3, 0, 0, 0, 0, 0],
            [
                &[1.0, 0.0],
                &[3.4259e-05, 0.999965741],
                &[2.93e-07, 0.999999707],
            ],
        ),
    ];
    for ((seed, count, dimension, classes), depth, errors, wanted) in cases {
        let data = sample(seed, count, dimension, classes);
        let mut learner = adaboost(&ROUNDS, depth, classes, AdaBoostSample::Reweight);
        let inside = probabilities(&mut learner, &data, &data.inputs, classes);
        let found: Vec<usize> = inside
            .iter()
            .map(|rows| wrong(rows, &data.labels))
            .collect();
        assert_eq!(found, errors, "data {seed}");
        let found = probabilities(&mut learner, &data, &three(dimension), classes);
        for (found, wanted) in found[5].iter().zip(wanted) {
            for (p, q) in found.iter().zip(wanted) {
                assert!((p - q).abs() < 1e-8, "data {seed}: {found:?} {wanted:?}");
            }
        }
    }
}

/// Random points, on a coarse grid now and then, with labels of which a share is wrong.
fn noisy(seed: u64, classes: usize) -> Training {
    let mut stream = algorithm(seed);
    let count = 10 + (seed as usize * 7) % 60;
    let steps = [4.0, 30.0, 1e6][seed as usize % 3];
    let values = (0..2 * count).map(|_| (steps * stream.random::<f64>()).floor() / steps);
    let inputs = Points::new(2, values.collect());
    let label = |x: &[f64]| match stream.random::<f64>() < 0.2 {
        true => stream.random_range(0..classes) as f64,
        false => (classes as f64 * (0.5 + 2.0 * (x[0] - 0.5) * x[1]).clamp(0.0, 0.99)).floor(),
    };
    let labels = inputs.rows().map(label).collect();
    Training { inputs, labels }
}

/// With F_k the votes, ln p_k is F_k but for a constant.
#[test]
fn the_training_error_is_under_the_bound_in_every_round() {
    for seed in 0..300 {
        for sample in SAMPLES {
            for depth in [1, 2] {
                let data = noisy(seed, 2);
                let rounds: Vec<usize> = (1..=40).collect();
                let mut learner = adaboost(&rounds, depth, 2, sample);
                let inside = probabilities(&mut learner, &data, &data.inputs, 2);
                let n = data.len() as f64;
                let mut before = 1.0;
                for (c, rows) in inside.iter().enumerate() {
                    let bound = learner.bound(c);
                    assert!(bound <= before, "{seed}, round {c}: {bound} {before}");
                    let error = wrong(rows, &data.labels) as f64 / n;
                    let case = format!("{seed}, {sample:?}, depth {depth}, round {c}");
                    assert!(error <= bound * (1.0 + 1e-10), "{case}: {error} {bound}");
                    let losses = rows.iter().zip(&data.labels).map(|(row, label)| {
                        let own = *label as usize;
                        (row[1 - own] / row[own]).sqrt()
                    });
                    let loss = losses.sum::<f64>() / n;
                    assert!(
                        (loss - bound).abs() <= 1e-9 * loss,
                        "{case}: {loss} {bound}"
                    );
                    before = bound;
                }
            }
        }
    }
}

/// exp(-f_y/(K-1)) = exp(mean_k F_k - F_y).
#[test]
fn the_bound_is_the_exponential_loss_of_many_classes_too() {
    for seed in 0..60 {
        for (sample, classes) in SAMPLES.into_iter().flat_map(|s| [(s, 3), (s, 5)]) {
            let data = noisy(seed, classes);
            let mut learner = adaboost(&[1, 4, 15], 1, classes, sample);
            let inside = probabilities(&mut learner, &data, &data.inputs, classes);
            for (c, rows) in inside.iter().enumerate() {
                let losses = rows.iter().zip(&data.labels).map(|(row, label)| {
                    let mean = row.iter().map(|p| p.ln()).sum::<f64>() / classes as f64;
                    (mean - row[*label as usize].ln()).exp()
                });
                let loss = losses.sum::<f64>() / data.len() as f64;
                let bound = learner.bound(c);
                assert!(
                    (loss - bound).abs() <= 1e-9 * loss,
                    "{seed}: {loss} {bound}"
                );
            }
        }
    }
}

#[test]
fn a_tree_without_error_decides_alone_and_boosting_ends() {
    let data = Training {
        inputs: Points::new(1, vec![0.0, 1.0, 2.0]),
        labels: vec![0.0, 0.0, 2.0],
    };
    for sample in SAMPLES {
        let mut learner = adaboost(&[40, 100], 1, 3, sample);
        let found = probabilities(&mut learner, &data, &data.inputs, 3);
        for found in found {
            assert_eq!(found[0], [1.0, 0.0, 0.0]);
            assert_eq!(found[2], [0.0, 0.0, 1.0]);
        }
        assert_eq!(learner.bound(0), 0.0);
    }
    // XOR: no first split gains anything, and yet two levels tell all apart.
    let data = Training {
        inputs: Points::new(2, vec![0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0]),
        labels: vec![0.0, 1.0, 1.0, 0.0],
    };
    let learner = &mut adaboost(&[1], 2, 2, AdaBoostSample::Reweight);
    let found = probabilities(learner, &data, &data.inputs, 2);
    assert_eq!(wrong(&found[0], &data.labels), 0);
}

#[test]
fn a_tree_no_better_than_chance_does_not_vote() {
    // Three points in one place with three labels.
    let data = Training {
        inputs: Points::new(1, vec![0.5; 3]),
        labels: vec![0.0, 1.0, 2.0],
    };
    for sample in SAMPLES {
        let mut learner = adaboost(&[1, 30], 1, 3, sample);
        let found = probabilities(&mut learner, &data, &data.inputs, 3);
        for row in found.iter().flatten() {
            assert!(row.iter().all(|p| (p - 1.0 / 3.0).abs() < 1e-12));
        }
        assert_eq!(learner.bound(1), 1.0);
    }
}

#[test]
fn another_stream_draws_other_samples() {
    let data = noisy(11, 2);
    let rounds: Vec<usize> = (1..=25).collect();
    let mut learner = adaboost(&rounds, 1, 2, AdaBoostSample::Resample);
    let mut seen = std::collections::HashSet::new();
    for seed in 0..20 {
        learner.fit(&data, &algorithm(seed));
        let bounds: Vec<u64> = (0..25).map(|c| learner.bound(c).to_bits()).collect();
        assert!(seen.insert(bounds), "two streams give the same trees");
    }
    learner.fit(&data, &algorithm(3));
    let again: Vec<u64> = (0..25).map(|c| learner.bound(c).to_bits()).collect();
    assert!(!seen.insert(again));
}

#[test]
fn its_habits_are_those_of_a_learner() {
    let settings = [(1, 1), (20, 1), (5, 3), (50, 1), (12, 3)]
        .map(|(rounds, depth)| AdaBoostSetting { rounds, depth });
    for sample in SAMPLES {
        for classes in [2, 4] {
            let mut path = AdaBoost::new(settings.to_vec(), classes, sample);
            let single = |c: usize| {
                Box::new(AdaBoost::new(vec![settings[c]], classes, sample)) as Box<dyn Learner>
            };
            assert_habits(&mut path, single, classes);
        }
    }
}
