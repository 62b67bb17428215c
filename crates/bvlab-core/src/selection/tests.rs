use super::*;
use crate::data::Points;
use crate::learner::{
    Basis, Fourier, FourierSetting, Gaussians, GaussiansSetting, Kernel, KernelShape, Knn, Linear,
    LinearSetting, Local, Polynomial, PolynomialSetting, Spline, SplineSetting, Tree, TreeSetting,
};
use crate::stream::Purpose;
use rand::RngExt;

fn method(name: &str) -> Method {
    Method::named(name).unwrap()
}

fn polynomial(degrees: std::ops::RangeInclusive<usize>, lambda: f64) -> Polynomial {
    let settings = degrees.map(|degree| PolynomialSetting { degree, lambda });
    Polynomial::new(settings.collect(), Basis::Legendre, (0.0, 1.0))
}

#[test]
fn names_are_read_and_numbers_in_them() {
    let knn = Knn::new(vec![1]);
    for (name, folds) in [("5-fold", 5.0), ("10-fold", 10.0), ("37-fold", 37.0)] {
        let method = method(name);
        assert_eq!((method.name(), method.paths(&knn, 40)), (name, folds));
    }
    for name in [
        "validation",
        "loo",
        "gcv",
        "bootstrap-632+",
        "nested-5-fold",
    ] {
        assert_eq!(method(name).name(), name);
    }
    for name in ["", "fold", "-fold", "05-fold", "K-fold", "5-folds", "aicc"] {
        assert!(Method::named(name).is_err(), "{name}");
    }
    assert!(
        Method::named("adjusted-r")
            .unwrap_err()
            .contains("adjusted-r2")
    );
}

/// Random data; the labels are numbers, or classes.
fn data(seed: u64, count: usize, dimension: usize, classes: u32) -> Training {
    let mut stream = Stream::new(seed, Purpose::Inputs, 0);
    let inputs = (0..count * dimension)
        .map(|_| stream.random::<f64>())
        .collect();
    let labels = (0..count).map(|_| match classes {
        0 => 3.0 * stream.random::<f64>() - 1.0,
        classes => f64::from(stream.random_range(0..classes)),
    });
    let labels = labels.collect();
    Training {
        inputs: Points::new(dimension, inputs),
        labels,
    }
}

/// What a method says of a learner that is fitted to some data.
fn estimated(
    name: &str,
    learner: &dyn Learner,
    data: &Training,
    classes: usize,
) -> Vec<ClaimedRisk> {
    let mut learner = learner.replicate();
    let interrupt = Interrupt::never();
    let stream = Stream::new(1, Purpose::Algorithm, 0);
    let draws = Stream::new(1, Purpose::Selection, 0);
    let (settings, outputs) = (learner.capacities(), classes.max(1));
    learner.fit(data, &stream);
    let mut fitted = vec![0.0; settings * data.len() * outputs];
    learner.predict_training(data, &mut fitted);
    let mut leverages = vec![0.0; settings * data.len()];
    if !learner.is_smoother()
        || !learner
            .try_leverages(data, &mut leverages, &interrupt)
            .unwrap()
    {
        leverages.clear();
    }
    let preference = Preference::of(&stream);
    let train_error = fitted.chunks_exact(data.len() * outputs).map(|fitted| {
        let pairs = fitted.chunks_exact(outputs).zip(&data.labels);
        let losses = pairs.map(|(p, y)| parts::loss_of(Loss::Squared, p, preference, *y));
        losses.sum::<f64>() / data.len() as f64
    });
    let train_error: Vec<f64> = train_error.collect();
    let mut out = RiskEstimates::default();
    let mut bench = Bench {
        learner: &mut *learner,
        data,
        fitted: &fitted,
        train_error: &train_error,
        leverages: &leverages,
        rows: &[(0..settings).collect()],
        stream: &stream,
        draws: &draws,
        loss: Loss::Squared,
        outputs,
        preference,
        interrupt: &interrupt,
        room: &mut Room::default(),
    };
    method(name).estimate(&mut bench, &mut out).unwrap();
    out.claims
}

/// The pairs of some data whose number a rule accepts, in order.
fn part(data: &Training, keep: impl Fn(usize) -> bool) -> Training {
    let kept: Vec<usize> = (0..data.len()).filter(|i| keep(*i)).collect();
    let rows = kept.iter().flat_map(|i| data.inputs.row(*i).to_vec());
    Training {
        inputs: Points::new(data.inputs.dimension(), rows.collect()),
        labels: kept.iter().map(|i| data.labels[*i]).collect(),
    }
}

/// The squared error of fresh fits to all but some pairs on these, averaged over all pairs.
fn refitted(learner: &dyn Learner, data: &Training, outputs: usize, fold: &[usize]) -> Vec<f64> {
    let stream = Stream::new(1, Purpose::Algorithm, 0);
    let folds = fold.iter().max().unwrap() + 1;
    let mut sums = vec![0.0; learner.capacities()];
    for out in 0..folds {
        let mut learner = learner.replicate();
        learner.fit(&part(data, |i| fold[i] != out), &stream);
        let held = part(data, |i| fold[i] == out);
        let mut predictions = vec![0.0; sums.len() * held.len() * outputs];
        learner.predict(&held.inputs, &mut predictions);
        let each = predictions.chunks_exact(held.len() * outputs);
        for (sum, predictions) in sums.iter_mut().zip(each) {
            for (p, y) in predictions.chunks_exact(outputs).zip(&held.labels) {
                *sum += match outputs {
                    1 => (p[0] - y) * (p[0] - y),
                    _ => (0..outputs)
                        .map(|k| (p[k] - f64::from(u8::from(*y == k as f64))).powi(2))
                        .sum::<f64>(),
                };
            }
        }
    }
    sums.iter().map(|sum| sum / data.len() as f64).collect()
}

#[track_caller]
fn same(found: &[ClaimedRisk], wanted: &[f64], tolerance: f64) {
    assert_eq!(found.len(), wanted.len());
    for (c, (found, wanted)) in found.iter().zip(wanted).enumerate() {
        let apart = (found.estimate - wanted).abs();
        assert!(
            apart <= tolerance * (1.0 + wanted.abs()),
            "{c}: {found:?} {wanted}"
        );
    }
}

fn spline(lambdas: &[f64], df: f64) -> Box<dyn Learner> {
    let settings = lambdas.iter().map(|&lambda| SplineSetting { lambda, df });
    Box::new(Spline::new(settings.collect()))
}

/// Learners whose leave-one-out follows from one fit, with data for them.
fn with_formula() -> Vec<(Box<dyn Learner>, Training, usize)> {
    let line = data(3, 31, 1, 0);
    let linear = |features: usize, lambda: f64| LinearSetting { features, lambda };
    let settings = vec![
        linear(2, 0.0),
        linear(5, 0.0),
        linear(5, 0.7),
        linear(5, 40.0),
    ];
    let bumps = [0.05, 1.0, 9.0].map(|lambda| GaussiansSetting {
        count: 9,
        width: 0.1,
        lambda,
    });
    let kernel = |shape| Box::new(Kernel::new(vec![0.08, 0.2, 0.9], shape));
    vec![
        (
            Box::new(Linear::new(settings.clone(), true)),
            data(4, 24, 5, 0),
            0,
        ),
        (Box::new(Linear::new(settings, false)), data(5, 24, 5, 0), 0),
        (Box::new(polynomial(0..=8, 0.0)), line.clone(), 0),
        (Box::new(polynomial(0..=8, 0.3)), line.clone(), 0),
        (Box::new(polynomial(0..=8, 1e-7)), line.clone(), 0),
        (
            Box::new(Gaussians::new(bumps.to_vec(), (0.0, 1.0))),
            line.clone(),
            0,
        ),
        (kernel(KernelShape::Gaussian), line.clone(), 0),
        (kernel(KernelShape::Tricube), data(6, 40, 2, 0), 0),
        (
            Box::new(Local::new(vec![0.1, 0.3, 4.0], KernelShape::Gaussian)),
            line.clone(),
            0,
        ),
        (
            Box::new(Local::new(vec![0.6, 1.1], KernelShape::Tricube)),
            data(6, 40, 2, 0),
            0,
        ),
        (
            spline(&[1e-6, 1e-3, 10.0, 1e30], f64::INFINITY),
            line.clone(),
            0,
        ),
        (Box::new(Knn::new(vec![1, 2, 5, 30, 31])), line.clone(), 0),
        (Box::new(Knn::new(vec![1, 4, 12])), data(7, 40, 3, 0), 0),
        (
            Box::new(Knn::classifier(vec![1, 4, 12], 2)),
            data(8, 40, 1, 2),
            2,
        ),
        (
            Box::new(Knn::classifier(vec![1, 4, 12], 3)),
            data(9, 40, 2, 3),
            3,
        ),
    ]
}

#[test]
fn leave_one_out_by_formula_is_that_of_as_many_fits() {
    for (number, (learner, data, classes)) in with_formula().into_iter().enumerate() {
        let found = estimated("loo", &*learner, &data, classes);
        let fold: Vec<usize> = (0..data.len()).collect();
        let wanted = refitted(&*learner, &data, classes.max(1), &fold);
        println!("{number}");
        same(&found, &wanted, 1e-10);
    }
}

#[test]
fn leverages_are_the_fitted_values_of_unit_labels() {
    let mut repeated = data(3, 20, 1, 0);
    repeated.inputs = Points::new(1, (0..20).map(|i| f64::from(i / 2) / 7.0).collect());
    let line = data(3, 31, 1, 0);
    let fourier = |features, lambda, epochs| FourierSetting {
        features,
        scale: 3.0,
        lambda,
        epochs,
        rate: 0.5,
    };
    let endless = f64::INFINITY;
    let features = vec![
        fourier(4, 0.0, endless),
        fourier(12, 0.0, endless),
        fourier(12, 0.3, endless),
        fourier(90, 0.0, endless),
        fourier(90, 0.0, 50.0),
        fourier(200, 0.0, endless),
    ];
    let mut cases = with_formula();
    cases.retain(|(_, _, classes)| *classes == 0);
    cases.push((
        spline(&[0.0, 1e-5, 1e-3, 1e40], endless),
        repeated.clone(),
        0,
    ));
    cases.push((spline(&[0.0], 5.5), line, 0));
    let local = Local::new(vec![0.2, 0.7], KernelShape::Epanechnikov);
    cases.push((Box::new(local), repeated, 0));
    cases.push((Box::new(Fourier::new(features)), data(4, 25, 3, 0), 0));
    let interrupt = Interrupt::never();
    let stream = Stream::new(1, Purpose::Algorithm, 0);
    for (number, (mut learner, mut data, _)) in cases.into_iter().enumerate() {
        let (settings, pairs) = (learner.capacities(), data.len());
        learner.fit(&data, &stream);
        let mut found = vec![f64::NAN; settings * pairs];
        let known = learner.try_leverages(&data, &mut found, &interrupt);
        assert!(known.unwrap(), "{number}");
        data.labels.fill(0.0);
        let mut fitted = vec![0.0; settings * pairs];
        for i in 0..pairs {
            data.labels[i] = 1.0;
            learner.fit(&data, &stream);
            learner.predict_training(&data, &mut fitted);
            data.labels[i] = 0.0;
            for c in 0..settings {
                let [found, wanted] = [found[c * pairs + i], fitted[c * pairs + i]];
                let close = (found - wanted).abs() < 1e-8;
                assert!(close, "{number}, {c}, {i}: {found} {wanted}");
            }
        }
    }
}

#[test]
fn leave_one_out_without_a_formula_is_that_of_as_many_fits() {
    // Equal inputs, interpolation, and learners without a formula.
    let mut repeated = data(3, 20, 1, 0);
    repeated.inputs = Points::new(1, (0..20).map(|i| f64::from(i / 2)).collect());
    let settings = (1..=6).map(|depth| TreeSetting {
        depth,
        ..TreeSetting::default()
    });
    let tree = Tree::new(settings.collect());
    let features = [3, 9, 20, 29].map(|features| LinearSetting {
        features,
        lambda: 0.0,
    });
    let cases: [(Box<dyn Learner>, Training); 6] = [
        (spline(&[0.0, 0.01], 6.0), data(2, 25, 1, 0)),
        (spline(&[0.0, 0.01], f64::INFINITY), repeated.clone()),
        (Box::new(Knn::new(vec![1, 3, 7])), repeated),
        (Box::new(tree), data(2, 25, 1, 0)),
        (
            Box::new(Linear::new(features.to_vec(), true)),
            data(2, 20, 30, 0),
        ),
        (
            Box::new(Kernel::new(vec![1e-9, 0.5], KernelShape::Gaussian)),
            data(2, 25, 1, 0),
        ),
    ];
    for (learner, data) in cases {
        let found = estimated("loo", &*learner, &data, 0);
        let fold: Vec<usize> = (0..data.len()).collect();
        same(&found, &refitted(&*learner, &data, 1, &fold), 1e-9);
    }
}

#[test]
fn folds_are_those_of_fresh_fits() {
    let (line, plane) = (data(3, 33, 1, 0), data(9, 40, 2, 3));
    let draws = Stream::new(1, Purpose::Selection, 0);
    for (count, data, learner, classes) in [
        (
            5,
            &line,
            Box::new(polynomial(0..=6, 0.0)) as Box<dyn Learner>,
            0,
        ),
        (10, &plane, Box::new(Knn::classifier(vec![1, 6], 3)), 3),
    ] {
        let fold = folds::folds(&draws, data.len(), count);
        let sizes: Vec<usize> = (0..count)
            .map(|which| fold.iter().filter(|fold| **fold == which).count())
            .collect();
        assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
        let found = estimated(&format!("{count}-fold"), &*learner, data, classes);
        same(
            &found,
            &refitted(&*learner, data, classes.max(1), &fold),
            1e-12,
        );
        // The curve of a nested one is the same.
        let nested = estimated(&format!("nested-{count}-fold"), &*learner, data, classes);
        assert_eq!(nested, found);
    }
}
