//! What the tests of several classifiers need.

use allocation_counter::measure;
use bvlab::data::{Points, Training};
use bvlab::learner::Learner;

use crate::setup::algorithm;

/// Numbers of 10 bits from a linear congruence, easily made elsewhere.
fn draws(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = (state * 1_103_515_245 + 12_345) % (1 << 31);
        ((state >> 16) % 1024) as f64 / 1024.0
    }
}

/// K classes that overlap, by the first and the last coordinate of inputs in [0, 1)^d and a third
/// number u: t = 2 (x_1 + x_d + u)/3 - ½, cut to [0, 0.999], and the class is ⌊K t⌋.
pub fn sample(seed: u64, count: usize, dimension: usize, classes: usize) -> Training {
    let mut draw = draws(seed);
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let x: Vec<f64> = (0..dimension).map(|_| draw()).collect();
        let t = (x[0] + x[dimension - 1] + draw()) / 3.0;
        let t = (2.0 * t - 0.5).clamp(0.0, 0.999);
        labels.push((classes as f64 * t).floor());
        values.extend(x);
    }
    Training {
        inputs: Points::new(dimension, values),
        labels,
    }
}

/// Three points, whose coordinate j of point i is 0.1 + 0.2 ((3i + 2j) mod 5).
pub fn three(dimension: usize) -> Points {
    let value = |i: usize, j: usize| 0.1 + 0.2 * ((3 * i + 2 * j) % 5) as f64;
    let row = |i: usize| (0..dimension).map(move |j| value(i, j));
    Points::new(dimension, (0..3).flat_map(row).collect())
}

/// Fits and predicts: `result[c][j][k]` is the probability of class k of setting c at point j. They
/// must be probabilities.
#[track_caller]
pub fn probabilities(
    learner: &mut dyn Learner,
    data: &Training,
    points: &Points,
    classes: usize,
) -> Vec<Vec<Vec<f64>>> {
    learner.fit(data, &algorithm(7));
    let mut out = vec![f64::NAN; learner.capacities() * points.len() * classes];
    learner.predict(points, &mut out);
    for row in out.chunks_exact(classes) {
        assert!(row.iter().all(|p| (0.0..=1.0).contains(p)), "{row:?}");
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{row:?}");
    }
    let settings = out.chunks_exact(points.len() * classes);
    let rows = |setting: &[f64]| setting.chunks_exact(classes).map(<[f64]>::to_vec).collect();
    settings.map(rows).collect()
}

/// The class of the largest probability, the first among equals.
pub fn class(row: &[f64]) -> usize {
    (1..row.len()).fold(0, |best, k| if row[k] > row[best] { k } else { best })
}

/// Asserts that every setting is bit for bit what a learner with that setting alone gives, that
/// missing classes and few points do no harm, and that fits allocate nothing after the first ones.
pub fn assert_habits(
    path: &mut dyn Learner,
    single: impl Fn(usize) -> Box<dyn Learner>,
    classes: usize,
) {
    for (seed, dimension) in [(1, 1), (2, 2), (3, 4)] {
        let points = sample(seed + 10, 30, dimension, classes).inputs;
        for count in [1, 2, 3, 5, 9, 40] {
            let mut data = sample(seed, count, dimension, classes);
            if count == 9 {
                data.labels
                    .iter_mut()
                    .for_each(|label| *label = label.max(1.0));
            }
            let together = probabilities(path, &data, &points, classes);
            for (c, together) in together.iter().enumerate() {
                let alone = probabilities(&mut *single(c), &data, &points, classes);
                assert_eq!(together, &alone[0], "setting {c}, {count} points");
            }
            let mut inside = vec![f64::NAN; path.capacities() * count * classes];
            path.predict_training(&data, &mut inside);
            let inside = inside.chunks_exact(classes);
            let again = probabilities(path, &data, &data.inputs, classes);
            for (a, b) in inside.zip(again.iter().flatten()) {
                assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9));
            }
        }
        // All inputs equal: nothing tells the classes apart.
        let mut data = sample(seed, 20, dimension, classes);
        data.inputs = Points::new(dimension, vec![0.5; 20 * dimension]);
        probabilities(path, &data, &points, classes);
    }
    let sets: Vec<Training> = (0..30).map(|seed| sample(seed, 40, 2, classes)).collect();
    let points = sample(99, 25, 2, classes).inputs;
    let mut out = vec![0.0; path.capacities() * 40 * classes];
    let mut work = |sets: &[Training], seed: u64| {
        for (data, seed) in sets.iter().zip(seed..) {
            path.fit(data, &algorithm(seed));
            path.predict(&points, &mut out[..]);
            path.predict_training(data, &mut out[..]);
        }
    };
    work(&sets[..20], 0);
    let allocated = measure(|| work(&sets[20..], 100)).count_total;
    assert_eq!(allocated, 0, "allocations after a warm-up");
}
