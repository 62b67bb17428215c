//! Classes by squared loss on one-hot labels, against solves of their own, brute force, and refusals by
//! name.

use bvlab::data::{Points, Training};
use bvlab::learner::{
    Activation, Bagging, BaggingSample, BaggingSetting, Combine, Fourier, FourierSetting, Learner,
    Network, NetworkSetting, Optimiser,
};
use faer::Mat;
use faer::linalg::solvers::Solve;

use crate::classes::sample;
use crate::setup::{Place, algorithm, close, fit_predict};

fn setting(features: usize, lambda: f64, epochs: f64) -> FourierSetting {
    FourierSetting {
        features,
        scale: 3.0,
        lambda,
        epochs,
        rate: 0.5,
    }
}

/// The labels of a class, as numbers.
fn hot(data: &Training, class: usize) -> Training {
    let label = |label: &f64| f64::from(u8::from(*label == class as f64));
    Training {
        inputs: data.inputs.clone(),
        labels: data.labels.iter().map(label).collect(),
    }
}

/// Every class has the weights of a regression on its own zeros and ones; at p < n they solve the normal
/// equations, which are written out here.
#[test]
fn every_class_is_a_regression_of_its_own() {
    let (data, classes) = (sample(1, 40, 3, 4), 4);
    let points = sample(2, 50, 3, 4).inputs;
    let infinite = f64::INFINITY;
    let path = [
        setting(5, 0.0, infinite),
        setting(30, 0.0, infinite),
        setting(40, 0.0, infinite),
        setting(60, 0.0, infinite),
        setting(400, 0.0, infinite),
        setting(60, 0.1, infinite),
        setting(60, 0.0, 100.0),
    ];
    let mut learner = Fourier::classifier(path.to_vec(), classes);
    assert!(learner.predicts_scores());
    let got = fit_predict_classes(&mut learner, &data, &points, classes);
    let inside = {
        let mut out = vec![f64::NAN; path.len() * data.len() * classes];
        learner.predict_training(&data, &mut out);
        out
    };
    let mut again = vec![f64::NAN; inside.len()];
    learner.predict(&data.inputs, &mut again);
    for (a, b) in inside.iter().zip(&again) {
        assert!(close(*a, *b, 1e-9), "{a} {b}");
    }
    for class in 0..classes {
        let mut alone = Fourier::new(path.to_vec());
        let wanted = fit_predict_classes(&mut alone, &hot(&data, class), &points, 1);
        for (c, wanted) in wanted.chunks_exact(points.len()).enumerate() {
            let size = wanted.iter().fold(1.0_f64, |a, b| a.max(b.abs()));
            for (j, wanted) in wanted.iter().enumerate() {
                let got = got[(c * points.len() + j) * classes + class];
                assert!((got - wanted).abs() < 1e-8 * size, "{c} {got} {wanted}");
            }
        }
        // The normal equations of the first setting, by another solver.
        let phi = learner.features(&data.inputs, 0);
        let phi = Mat::from_fn(data.len(), 5, |i, j| phi[i][j]);
        let y = hot(&data, class).labels;
        let y = Mat::from_fn(data.len(), 1, |i, _| y[i]);
        let normal = phi.transpose() * &phi;
        let weights = normal.partial_piv_lu().solve(phi.transpose() * y);
        let at = learner.features(&points, 0);
        for (j, at) in at.iter().enumerate() {
            let wanted: f64 = at
                .iter()
                .enumerate()
                .map(|(k, x)| x * weights[(k, 0)])
                .sum();
            let got = got[j * classes + class];
            assert!((got - wanted).abs() < 1e-8, "{got} {wanted}");
        }
    }
    // Past p = n every training point is hit.
    let interpolated = &inside[4 * data.len() * classes..][..data.len() * classes];
    for (scores, label) in interpolated.chunks_exact(classes).zip(&data.labels) {
        for (k, score) in scores.iter().enumerate() {
            let wanted = f64::from(u8::from(k as f64 == *label));
            assert!((score - wanted).abs() < 1e-9, "{score} {wanted}");
        }
    }
}

fn fit_predict_classes(
    learner: &mut dyn Learner,
    data: &Training,
    points: &Points,
    classes: usize,
) -> Vec<f64> {
    learner.fit(data, &algorithm(1));
    let mut out = vec![f64::NAN; learner.capacities() * points.len() * classes];
    learner.predict(points, &mut out);
    out
}

#[test]
fn a_class_that_is_missing_has_score_zero() {
    let mut data = sample(3, 12, 2, 3);
    data.labels
        .iter_mut()
        .for_each(|label| *label = label.min(1.0));
    let mut learner = Fourier::classifier(
        vec![
            setting(6, 0.0, f64::INFINITY),
            setting(30, 0.0, f64::INFINITY),
        ],
        3,
    );
    let out = fit_predict_classes(&mut learner, &data, &data.inputs, 3);
    assert!(out.chunks_exact(3).all(|scores| scores[2] == 0.0));
}

#[test]
fn bagged_scores_are_their_mean() {
    let data = sample(4, 30, 2, 3);
    let base = || Fourier::classifier(vec![setting(10, 0.1, f64::INFINITY)], 3);
    let members = 5;
    let bagging = |combine| {
        let settings = vec![BaggingSetting { members, base: 0 }];
        Bagging::classifier(settings, Box::new(base()), BaggingSample::All, 3, combine)
    };
    assert!(bagging(Combine::Probability).predicts_scores());
    assert!(!bagging(Combine::Vote).predicts_scores());
    let got = fit_predict_classes(&mut bagging(Combine::Probability), &data, &data.inputs, 3);
    let mut sums = vec![0.0; got.len()];
    let mut whole = bagging(Combine::Probability);
    whole.fit(&data, &algorithm(1));
    let visited = whole.predict_members(
        &data.inputs,
        &bvlab::interrupt::Interrupt::never(),
        &mut |_, _, scores| {
            sums.iter_mut()
                .zip(scores)
                .for_each(|(sum, score)| *sum += score)
        },
    );
    assert!(visited.unwrap());
    for (sum, got) in sums.iter().zip(&got) {
        assert!(close(sum / members as f64, *got, 1e-12));
    }
    let votes = fit_predict_classes(&mut bagging(Combine::Vote), &data, &data.inputs, 3);
    for shares in votes.chunks_exact(3) {
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

fn network(setting: NetworkSetting, classes: usize, optimiser: Optimiser) -> Network {
    Network::classifier(vec![setting], classes, Activation::Tanh, optimiser)
}

#[test]
fn a_wide_network_reaches_its_one_hot_labels() {
    let data = sample(5, 20, 2, 3);
    let setting = NetworkSetting {
        width: 60,
        epochs: 4000,
        ..NetworkSetting::default()
    };
    for second in [0, 20] {
        let setting = NetworkSetting { second, ..setting };
        let mut learner = network(setting, 3, Optimiser::Adam).squared();
        assert!(learner.predicts_scores());
        let out = fit_predict_classes(&mut learner, &data, &data.inputs, 3);
        for (scores, label) in out.chunks_exact(3).zip(&data.labels) {
            for (k, score) in scores.iter().enumerate() {
                let wanted = f64::from(u8::from(k as f64 == *label));
                assert!((score - wanted).abs() < 0.05, "{second}: {score} {wanted}");
            }
        }
    }
}

/// f(x) and its gradient by finite differences of (f(x) - y)²/2, for a network with the parameters of
/// [`Network::parameters`].
fn value(parameters: &[f64], x: f64, second: usize) -> f64 {
    let act = |z: f64| z.tanh();
    if second == 0 {
        let (units, c) = parameters.split_at(parameters.len() - 1);
        let units = units.chunks_exact(3);
        return c[0] + units.map(|u| u[2] * act(u[0] * x + u[1])).sum::<f64>();
    }
    let width = (parameters.len() - 1 - 2 * second) / (2 + second);
    let (first, rest) = parameters.split_at(2 * width);
    let a: Vec<f64> = first
        .chunks_exact(2)
        .map(|u| act(u[0] * x + u[1]))
        .collect();
    let (units, c) = rest.split_at(rest.len() - 1);
    let of = |u: &[f64]| {
        let z: f64 = u[..width].iter().zip(&a).map(|(u, a)| u * a).sum();
        u[width + 1] * act(z + u[width])
    };
    c[0] + units.chunks_exact(width + 2).map(of).sum::<f64>()
}

/// One epoch of single points is a step for every point, in one of all orders; and points in one batch
/// are the step of full batches.
#[test]
fn mini_batches_are_steps_in_some_order() {
    // Mean 0 and sd 1, so that standardisation changes nothing.
    let root = 1.5_f64.sqrt();
    let data = Training {
        inputs: Points::new(1, vec![-root, 0.0, root]),
        labels: vec![root, -root, 0.0],
    };
    for second in [0, 2] {
        let setting = |epochs, batch| NetworkSetting {
            width: 3,
            second,
            epochs,
            batch,
            rate: 0.2,
            ..NetworkSetting::default()
        };
        let trained = |setting| {
            let mut learner = Network::new(vec![setting], Activation::Tanh, Optimiser::Descent);
            learner.fit(&data, &algorithm(2));
            learner.parameters(0).to_vec()
        };
        assert_eq!(trained(setting(5, 3)), trained(setting(5, usize::MAX)));
        let start = trained(setting(0, 1));
        let got = trained(setting(1, 1));
        let step = |parameters: &mut Vec<f64>, i: usize| {
            let (x, y) = (data.inputs.row(i)[0], data.labels[i]);
            let loss = |p: &[f64]| (value(p, x, second) - y).powi(2) / 2.0;
            let slope = |k: usize| {
                let at = |by: f64| {
                    let mut moved = parameters.clone();
                    moved[k] += by;
                    loss(&moved)
                };
                (at(1e-6) - at(-1e-6)) / 2e-6
            };
            let slopes: Vec<f64> = (0..parameters.len()).map(slope).collect();
            parameters
                .iter_mut()
                .zip(slopes)
                .for_each(|(p, s)| *p -= 0.2 * s);
        };
        let orders = [
            [0, 1, 2],
            [0, 2, 1],
            [1, 0, 2],
            [1, 2, 0],
            [2, 0, 1],
            [2, 1, 0],
        ];
        let matching = orders.iter().filter(|order| {
            let mut parameters = start.clone();
            order.iter().for_each(|&i| step(&mut parameters, i));
            parameters
                .iter()
                .zip(&got)
                .all(|(a, b)| (a - b).abs() < 1e-7)
        });
        assert_eq!(matching.count(), 1, "{second}");
    }
}

/// A strong penalty leaves the constant, the mean of the labels.
#[test]
fn weight_decay_shrinks_to_the_mean() {
    let data = crate::setup::data(6, 30, 2, None);
    let mean = data.labels.iter().sum::<f64>() / 30.0;
    for second in [0, 4] {
        let setting = NetworkSetting {
            width: 8,
            second,
            decay: 10.0,
            epochs: 4000,
            ..NetworkSetting::default()
        };
        let mut learner = Network::new(vec![setting], Activation::Tanh, Optimiser::Adam);
        for prediction in &fit_predict(&mut learner, &data, &data.inputs)[0] {
            assert!((prediction - mean).abs() < 1e-3, "{prediction} {mean}");
        }
    }
}

#[test]
fn cross_entropy_and_geometric_means_of_scores_are_refused_by_name() {
    let text = |learner: &str, loss: &str| {
        format!(
            "problem = {{ classes = {{ moons = 0.3 }}, train = 30 }}\nlearner = [{learner}]\n\
             run = {{ resamples = 20, loss = \"{loss}\", test = {{ grid = 25 }} }}\n"
        )
    };
    let fourier = "{ name = \"cosines\", fourier = { features = 10, scale = 1 } }";
    let network =
        "{ name = \"net\", network = { width = 3, epochs = 10, objective = \"squared\" } }";
    let bagging = "{ bagging = { combine = \"geometric\", base = { fourier = { features = 10, scale = 1 } } } }";
    let place = Place::new();
    for (learner, loss, refusal) in [
        (fourier, "cross-entropy", Some("`cosines` predicts scores")),
        (network, "cross-entropy", Some("`net` predicts scores")),
        (
            bagging,
            "squared",
            Some("`combine = \"geometric\"` needs probabilities"),
        ),
        (fourier, "zero-one", None),
        (fourier, "squared", None),
        (network, "zero-one", None),
    ] {
        place.write("it.toml", &text(learner, loss));
        match refusal {
            None => drop(place.done(&["run", "it.toml"])),
            Some(refusal) => {
                let (code, _, said) = place.run(&["check", "it.toml"]);
                let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
                assert!(code != 0 && said.contains(refusal), "{said}");
            }
        }
    }
}
