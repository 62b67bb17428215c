//! Gaussian classifiers against their formula, written out, and against scikit-learn.

use bvlab::data::{Points, Training};
use bvlab::learner::{CovarianceForm, Discriminant, DiscriminantSetting, Learner};

use crate::classes::{assert_habits, probabilities, sample, three};

const RUNGS: [CovarianceForm; 4] = [
    CovarianceForm::Spherical,
    CovarianceForm::Diagonal,
    CovarianceForm::Full,
    CovarianceForm::Separate,
];

fn discriminant(settings: &[(CovarianceForm, f64)], classes: usize) -> Discriminant {
    let settings = settings
        .iter()
        .map(|&(rung, shrink)| DiscriminantSetting { rung, shrink });
    Discriminant::new(settings.collect(), classes)
}

/// Values of scikit-learn 1.9.1: `predict_proba` at the three points of
/// `LinearDiscriminantAnalysis(solver="svd")` and of `QuadraticDiscriminantAnalysis()`. Both
/// divide by n and n_k: for the first that makes the logarithms of p_k/π_k larger by n/(n - K), as here;
/// of the second `scalings_` were multiplied by n_k/(n_k - 1) before predicting.
#[test]
fn probabilities_are_those_of_scikit_learn() {
    type Case = (
        (u64, usize, usize, usize),
        CovarianceForm,
        [&'static [f64]; 3],
    );
    let cases: [Case; 4] = [
        (
            (1, 60, 2, 2),
            CovarianceForm::Full,
            [
                &[0.893675338, 0.106324662],
                &[0.831554583, 0.168445417],
                &[0.517736925, 0.482263075],
            ],
        ),
        (
            (1, 60, 2, 2),
            CovarianceForm::Separate,
            [
                &[0.894049153, 0.105950847],
                &[0.791975229, 0.208024771],
                &[0.529645054, 0.470354946],
            ],
        ),
        (
            (2, 80, 3, 3),
            CovarianceForm::Full,
            [
                &[0.153118043, 0.743105336, 0.103776622],
                &[0.01353896, 0.540970766, 0.445490274],
                &[0.748491644, 0.249679331, 0.001829025],
            ],
        ),
        (
            (2, 80, 3, 3),
            CovarianceForm::Separate,
            [
                &[0.014245272, 0.955725511, 0.030029217],
                &[0.017139278, 0.390852892, 0.59200783],
                &[0.795547171, 0.202021984, 0.002430845],
            ],
        ),
    ];
    for ((seed, count, dimension, classes), rung, wanted) in cases {
        let data = sample(seed, count, dimension, classes);
        let mut learner = discriminant(&[(rung, 0.0)], classes);
        let found = probabilities(&mut learner, &data, &three(dimension), classes);
        let n = count as f64;
        let power = match rung {
            CovarianceForm::Full => n / (n - classes as f64),
            _ => 1.0,
        };
        let shares: Vec<f64> = (0..classes)
            .map(|k| data.labels.iter().filter(|y| **y == k as f64).count() as f64 / n)
            .collect();
        for (found, wanted) in found[0].iter().zip(wanted) {
            let each = found.iter().zip(&shares);
            let found: Vec<f64> = each
                .map(|(p, share)| share * (p / share).powf(power))
                .collect();
            let total: f64 = found.iter().sum();
            for (p, q) in found.iter().map(|p| p / total).zip(wanted) {
                assert!((p - q).abs() < 1e-8, "{rung:?}: {found:?} {wanted:?}");
            }
        }
    }
}

/// The inverse and the determinant, by elimination.
fn invert(mut matrix: Vec<Vec<f64>>) -> (Vec<Vec<f64>>, f64) {
    let size = matrix.len();
    let unit = |i: usize| (0..size).map(move |j| f64::from(u8::from(i == j)));
    let mut inverse: Vec<Vec<f64>> = (0..size).map(|i| unit(i).collect()).collect();
    let mut determinant = 1.0;
    for i in 0..size {
        let pivot = matrix[i][i];
        determinant *= pivot;
        for j in 0..size {
            matrix[i][j] /= pivot;
            inverse[i][j] /= pivot;
        }
        for k in (0..size).filter(|k| *k != i) {
            let factor = matrix[k][i];
            for j in 0..size {
                matrix[k][j] -= factor * matrix[i][j];
                inverse[k][j] -= factor * inverse[i][j];
            }
        }
    }
    (inverse, determinant)
}

/// π_k N(x; μ_k, Σ_k) for all classes, divided by their sum.
fn by_formula(
    data: &Training,
    setting: (CovarianceForm, f64),
    classes: usize,
    x: &[f64],
) -> Vec<f64> {
    let (rung, shrink) = setting;
    let d = x.len();
    let members = |k: usize| {
        let all = data.inputs.rows().zip(&data.labels);
        all.filter(move |(_, label)| **label == k as f64)
            .map(|(x, _)| x)
    };
    let mean =
        |k: usize, j: usize| members(k).map(|x| x[j]).sum::<f64>() / members(k).count() as f64;
    let scatter = |k: usize, i: usize, j: usize| {
        let products = members(k).map(|x| (x[i] - mean(k, i)) * (x[j] - mean(k, j)));
        products.sum::<f64>()
    };
    let covariance = |k: usize, i: usize, j: usize| match rung {
        CovarianceForm::Separate => scatter(k, i, j) / (members(k).count() as f64 - 1.0),
        _ => {
            let sum: f64 = (0..classes).map(|k| scatter(k, i, j)).sum();
            sum / (data.len() - classes) as f64
        }
    };
    let density = |k: usize| {
        let sphere = (0..d).map(|i| covariance(k, i, i)).sum::<f64>() / d as f64;
        let entry = |i: usize, j: usize| {
            let own = match (rung, i == j) {
                (CovarianceForm::Spherical, true) => sphere,
                (CovarianceForm::Spherical | CovarianceForm::Diagonal, false) => 0.0,
                _ => covariance(k, i, j),
            };
            (1.0 - shrink) * own + if i == j { shrink * sphere } else { 0.0 }
        };
        let matrix = (0..d).map(|i| (0..d).map(|j| entry(i, j)).collect());
        let (inverse, determinant) = invert(matrix.collect());
        let mut distance = 0.0;
        for i in 0..d {
            for j in 0..d {
                distance += (x[i] - mean(k, i)) * inverse[i][j] * (x[j] - mean(k, j));
            }
        }
        let share = members(k).count() as f64 / data.len() as f64;
        share * (-0.5 * distance).exp() / determinant.sqrt()
    };
    let densities: Vec<f64> = (0..classes).map(density).collect();
    let total: f64 = densities.iter().sum();
    densities.iter().map(|density| density / total).collect()
}

#[test]
fn probabilities_are_those_of_the_formula() {
    for (seed, dimension, classes) in [(1, 1, 2), (2, 2, 3), (3, 4, 2), (4, 5, 4)] {
        let data = sample(seed, 120, dimension, classes);
        let points = sample(seed + 20, 15, dimension, classes).inputs;
        let settings: Vec<(CovarianceForm, f64)> = RUNGS
            .iter()
            .flat_map(|rung| [0.0, 0.3, 1.0].map(|shrink| (*rung, shrink)))
            .collect();
        let mut learner = discriminant(&settings, classes);
        let found = probabilities(&mut learner, &data, &points, classes);
        for (setting, found) in settings.iter().zip(found) {
            for (x, found) in points.rows().zip(found) {
                let wanted = by_formula(&data, *setting, classes, x);
                for (p, q) in found.iter().zip(&wanted) {
                    assert!((p - q).abs() < 1e-8, "{setting:?}: {found:?} {wanted:?}");
                }
            }
        }
    }
}

/// Class 2 has two points in three dimensions.
#[test]
fn a_class_of_few_points_takes_the_pooled_covariance_until_it_is_shrunk() {
    let mut data = sample(5, 60, 3, 2);
    data.labels[0] = 2.0;
    data.labels[1] = 2.0;
    let settings = [
        (CovarianceForm::Full, 0.0),
        (CovarianceForm::Separate, 0.0),
        (CovarianceForm::Separate, 0.5),
    ];
    let mut learner = discriminant(&settings, 3);
    let points = sample(6, 30, 3, 2).inputs;
    let found = probabilities(&mut learner, &data, &points, 3);
    let wanted = |x: &[f64]| by_formula(&data, (CovarianceForm::Separate, 0.5), 3, x);
    for (x, found) in points.rows().zip(&found[2]) {
        for (p, q) in found.iter().zip(wanted(x)) {
            assert!((p - q).abs() < 1e-7);
        }
    }
    // Of classes 0 and 1 the ratio is that of their own covariances, whatever class 2 has.
    let two = Training {
        inputs: Points::new(3, data.inputs.values()[6..].to_vec()),
        labels: data.labels[2..].to_vec(),
    };
    let alone = &mut discriminant(&settings[1..2], 2);
    let alone = probabilities(alone, &two, &points, 2);
    for (three, two) in found[1].iter().zip(&alone[0]) {
        let ratios = [three, two].map(|row| (row[0] / row[1]).ln());
        assert!((ratios[0] - ratios[1]).abs() < 1e-6, "{ratios:?}");
        assert!(three[2] > 0.0);
    }
}

#[test]
fn units_do_not_matter_however_large_or_small() {
    let data = sample(7, 40, 2, 3);
    let points = sample(8, 12, 2, 3).inputs;
    let settings = RUNGS.map(|rung| (rung, 0.2));
    let near = probabilities(&mut discriminant(&settings, 3), &data, &points, 3);
    for unit in [1e-200, 1e-9, 1e9, 1e200] {
        let stretch = |points: &Points| {
            let values = points.values().iter().map(|x| unit * x);
            Points::new(2, values.collect())
        };
        let far = Training {
            inputs: stretch(&data.inputs),
            labels: data.labels.clone(),
        };
        let away = &mut discriminant(&settings, 3);
        let away = probabilities(away, &far, &stretch(&points), 3);
        for (near, away) in near.iter().flatten().zip(away.iter().flatten()) {
            assert!(near.iter().zip(away).all(|(a, b)| (a - b).abs() < 1e-8));
        }
    }
}

#[test]
fn more_coordinates_than_points_give_probabilities() {
    for (dimension, count) in [(10, 8), (20, 5), (6, 7)] {
        let mut data = sample(9, count, dimension, 2);
        data.labels[0] = 0.0;
        data.labels[1] = 1.0;
        let settings: Vec<(CovarianceForm, f64)> = RUNGS
            .iter()
            .flat_map(|rung| [0.0, 0.1].map(|shrink| (*rung, shrink)))
            .collect();
        let points = sample(10, 20, dimension, 2).inputs;
        probabilities(&mut discriminant(&settings, 2), &data, &points, 2);
    }
}

#[test]
fn its_habits_are_those_of_a_learner() {
    let settings: Vec<(CovarianceForm, f64)> = RUNGS
        .iter()
        .flat_map(|rung| [0.0, 0.4].map(|shrink| (*rung, shrink)))
        .collect();
    for classes in [2, 3] {
        let mut path = discriminant(&settings, classes);
        let single =
            |c: usize| Box::new(discriminant(&settings[c..=c], classes)) as Box<dyn Learner>;
        assert_habits(&mut path, single, classes);
    }
}
