use bvlab_core::data::{Points, Training};
use bvlab_core::learner::{Family, Learner, Registry};
use bvlab_core::parameter::{DataSize, ParameterError};
use bvlab_core::stream::{Purpose, Stream};
use linfa::Dataset;
use linfa::traits::{Fit, Predict};
use linfa_bayes::{GaussianNb, NaiveBayes};
use linfa_elasticnet::ElasticNet;
use linfa_nn::distance::L2Dist;
use linfa_nn::{BallTree, NearestNeighbour};
use linfa_svm::Svm;
use linfa_trees::{DecisionTree, SplitQuality};
use ndarray::{Array1, Array2};
use rand::RngExt;

use crate::{FAMILIES, register};

const SIZE: DataSize = DataSize {
    train: 1000,
    dimension: 2,
};

/// A setting as an experiment has it: a family, values and options.
#[derive(Clone, Copy)]
struct SettingRequest<'a>(&'a str, &'a [(&'a str, f64)], &'a [(&'a str, &'a str)]);

impl SettingRequest<'_> {
    fn learner(self, classes: usize) -> Result<Box<dyn Learner>, ParameterError> {
        let SettingRequest(name, given, options) = self;
        let family: &Family = FAMILIES.iter().find(|family| family.name == name).unwrap();
        let setting = family.setting(given).unwrap();
        let blueprint = family.blueprint(vec![setting]).classes(classes);
        let blueprint = options
            .iter()
            .fold(blueprint, |blueprint, (choice, option)| {
                blueprint.with(choice, option).unwrap()
            });
        family.learner(blueprint, SIZE)
    }

    /// Predictions of a fit to a resample's data, by point and class.
    fn predicted(
        self,
        data: &Training,
        points: &Points,
        classes: usize,
        resample: u64,
    ) -> Vec<f64> {
        let mut learner = self.learner(classes).unwrap();
        learner.fit(data, &Stream::new(1, Purpose::Algorithm, resample));
        let mut out = vec![f64::NAN; points.len() * classes.max(1)];
        learner.predict(points, &mut out);
        out
    }
}

/// Inputs in the unit square; labels that are numbers, or classes that depend on the inputs in part.
/// Inputs on a grid make ties and duplicates.
fn draw(seed: u64, count: usize, classes: usize, grid: Option<u32>) -> Training {
    let mut stream = Stream::new(seed, Purpose::Inputs, 0);
    let mut coordinate = || match grid {
        Some(grid) => f64::from(stream.random_range(0..grid)),
        None => stream.random::<f64>(),
    };
    let inputs: Vec<f64> = (0..2 * count).map(|_| coordinate()).collect();
    let mut stream = Stream::new(seed, Purpose::Noise, 0);
    let labels = inputs.chunks_exact(2).map(|x| {
        let sum = x[0] + x[1] + stream.random::<f64>();
        match classes {
            0 => sum,
            _ => ((sum * 2.0) as usize % classes) as f64,
        }
    });
    Training {
        labels: labels.collect(),
        inputs: Points::new(2, inputs),
    }
}

fn matrix(points: &Points) -> Array2<f64> {
    Array2::from_shape_vec((points.len(), 2), points.values().to_vec()).unwrap()
}

fn numbers(data: &Training) -> Dataset<f64, f64, ndarray::Ix1> {
    Dataset::new(matrix(&data.inputs), Array1::from_vec(data.labels.clone()))
}

fn classes_of(data: &Training) -> Array1<usize> {
    data.labels.iter().map(|label| *label as usize).collect()
}

/// The class that has probability 1.
fn hard(probabilities: &[f64], classes: usize) -> Vec<usize> {
    let rows = probabilities.chunks_exact(classes);
    let chosen = rows.map(|row| {
        assert!(row.iter().all(|p| *p == 0.0 || *p == 1.0), "{row:?}");
        row.iter().position(|p| *p == 1.0).unwrap()
    });
    chosen.collect()
}

#[test]
fn every_family_can_be_registered_and_built_with_every_option() {
    let registry = register(Registry::standard()).unwrap();
    assert!(register(registry).is_err(), "names are taken");
    for family in FAMILIES {
        let missing = family.parameters.iter().filter(|p| p.default.is_none());
        let given: Vec<(&str, f64)> = missing.map(|p| (p.name, 1.0)).collect();
        for classes in [0, 2]
            .into_iter()
            .filter(|c| family.labels.includes(*c > 0))
        {
            assert_eq!(
                SettingRequest(family.name, &given, &[])
                    .learner(classes)
                    .unwrap()
                    .capacities(),
                1
            );
            for choice in family.choices {
                for option in choice.options {
                    SettingRequest(family.name, &given, &[(choice.name, option)])
                        .learner(classes)
                        .unwrap();
                }
            }
        }
    }
}

#[test]
fn the_elastic_net_is_linfas() {
    let (data, points) = (draw(1, 50, 0, None), draw(2, 30, 0, None).inputs);
    let given = [("penalty", 0.02), ("l1-ratio", 0.3), ("tolerance", 1e-8)];
    for (option, intercept) in [("true", true), ("false", false)] {
        let ours = SettingRequest("linfa-elasticnet", &given, &[("intercept", option)]);
        let net = ElasticNet::params()
            .penalty(0.02)
            .l1_ratio(0.3)
            .tolerance(1e-8);
        let net = net.with_intercept(intercept).fit(&numbers(&data)).unwrap();
        let theirs = net.predict(&matrix(&points));
        assert_eq!(ours.predicted(&data, &points, 0, 0), theirs.to_vec());
        assert!(net.hyperplane().iter().all(|weight| *weight != 0.0));
    }
}

#[test]
fn naive_bayes_is_linfas() {
    let (data, points) = (draw(1, 60, 3, None), draw(2, 30, 3, None).inputs);
    for smoothing in [1e-9, 0.5] {
        let ours = SettingRequest("linfa-bayes", &[("smoothing", smoothing)], &[]);
        let ours = ours.predicted(&data, &points, 3, 0);
        let model = GaussianNb::params().var_smoothing(smoothing);
        let model = model
            .fit(&Dataset::new(matrix(&data.inputs), classes_of(&data)))
            .unwrap();
        let (theirs, order) = model.predict_proba(matrix(&points).view());
        assert_eq!(order, [&0, &1, &2]);
        for (ours, theirs) in ours.iter().zip(&theirs) {
            assert!((ours - theirs).abs() < 1e-12, "{ours} is not {theirs}");
        }
    }
    // Far away, where linfa's probabilities are not numbers.
    let far = Points::new(2, vec![1e4, -1e4]);
    let ours = SettingRequest("linfa-bayes", &[], &[]).predicted(&data, &far, 3, 0);
    assert!((ours.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{ours:?}");
}

#[test]
fn support_vector_machines_are_linfas() {
    let points = draw(2, 40, 0, None).inputs;
    let given = [("c", 3.0), ("width", 0.5), ("tolerance", 1e-6)];
    for kernel in ["gaussian", "linear"] {
        let options = [("kernel", kernel)];
        let mut data = draw(1, 60, 0, None);
        for label in &mut data.labels {
            *label = f64::from(u8::from(*label > 1.5));
        }
        let ours = SettingRequest("linfa-svm", &given, &options).predicted(&data, &points, 2, 0);
        let labels: Array1<bool> = data.labels.iter().map(|label| *label == 1.0).collect();
        let svm = Svm::<f64, bool>::params()
            .eps(1e-6)
            .pos_neg_weights(3.0, 3.0);
        let svm = match kernel {
            "gaussian" => svm.gaussian_kernel(0.5),
            _ => svm.linear_kernel(),
        };
        let theirs = svm
            .fit(&Dataset::new(matrix(&data.inputs), labels))
            .unwrap();
        let theirs: Array1<bool> = theirs.predict(&matrix(&points));
        let theirs: Vec<usize> = theirs.iter().map(|one| usize::from(*one)).collect();
        assert_eq!(hard(&ours, 2), theirs, "{kernel}");
        assert!(theirs.contains(&0) && theirs.contains(&1));

        let data = draw(1, 60, 0, None);
        let ours = SettingRequest("linfa-svr", &given, &options).predicted(&data, &points, 0, 0);
        let svr = Svm::<f64, f64>::params().eps(1e-6).c_svr(3.0, Some(0.1));
        let svr = match kernel {
            "gaussian" => svr.gaussian_kernel(0.5),
            _ => svr.linear_kernel(),
        };
        let theirs = svr.fit(&numbers(&data)).unwrap().predict(&matrix(&points));
        assert_eq!(ours, theirs.to_vec(), "{kernel}");
    }
}

/// What defines the machine's optimum, without linfa: with a wide kernel and a large C a line's
/// residuals are at most ε, and at the optimum of two points the boundary is halfway.
#[test]
fn support_vector_machines_find_what_theory_says() {
    let xs: Vec<f64> = (0..21).map(|i| f64::from(i) / 10.0).collect();
    let line = Training {
        labels: xs.iter().map(|x| 3.0 - 2.0 * x).collect(),
        inputs: Points::new(1, xs),
    };
    let given = [("c", 1e3), ("epsilon", 0.05), ("tolerance", 1e-6)];
    let fitted = SettingRequest("linfa-svr", &given, &[("kernel", "linear")]);
    let fitted = fitted.predicted(&line, &line.inputs, 0, 0);
    let residuals = fitted.iter().zip(&line.labels).map(|(p, y)| (p - y).abs());
    let largest = residuals.fold(0.0, f64::max);
    // The flattest line within ε of all labels touches it at both ends.
    assert!((largest - 0.05).abs() < 1e-4, "{largest}");
    assert!(
        (fitted[0] - 2.95).abs() < 1e-4 && (fitted[20] + 0.95).abs() < 1e-4,
        "{fitted:?}"
    );

    let two = Training {
        inputs: Points::new(1, vec![0.0, 1.0]),
        labels: vec![1.0, 0.0],
    };
    let at = Points::new(1, vec![-5.0, 0.49, 0.51, 5.0]);
    let classes = SettingRequest("linfa-svm", &[("c", 100.0)], &[("kernel", "linear")]);
    assert_eq!(hard(&classes.predicted(&two, &at, 2, 0), 2), [1, 1, 0, 0]);
}

#[test]
fn nearest_neighbours_are_those_of_every_search() {
    let (data, points) = (draw(1, 300, 0, None), draw(2, 30, 0, None).inputs);
    let batch = matrix(&data.inputs);
    let index = BallTree.from_batch(&batch, L2Dist).unwrap();
    for search in ["kd-tree", "linear"] {
        for k in [1, 7, 300] {
            let ours = SettingRequest("linfa-knn", &[("k", k as f64)], &[("search", search)]);
            let ours = ours.predicted(&data, &points, 0, 0);
            for (ours, row) in ours.iter().zip(matrix(&points).rows()) {
                let found = index.k_nearest(row, k).unwrap();
                let sum: f64 = found.iter().map(|(_, i)| data.labels[*i]).sum();
                assert!((ours - sum / k as f64).abs() < 1e-12);
            }
        }
    }
}

/// Where linfa's own tree always says the same, ours does; elsewhere it says one of linfa's answers.
#[test]
fn trees_are_linfas() {
    for (classes, criterion, quality) in [
        (2, "gini", SplitQuality::Gini),
        (3, "gini", SplitQuality::Gini),
        (3, "entropy", SplitQuality::Entropy),
    ] {
        let points = draw(2, 60, 0, Some(5)).inputs;
        let data = draw(1, 80, classes, Some(5));
        let theirs = (0..100).map(|_| {
            let tree = DecisionTree::params().split_quality(quality);
            let tree = tree.max_depth(Some(4)).min_weight_leaf(2.0);
            let tree = tree
                .fit(&Dataset::new(matrix(&data.inputs), classes_of(&data)))
                .unwrap();
            tree.predict(&matrix(&points)).to_vec()
        });
        let theirs: Vec<Vec<usize>> = theirs.collect();
        let given = [("depth", 4.0), ("min-leaf", 2.0)];
        let ours = SettingRequest("linfa-tree", &given, &[("criterion", criterion)]);
        for resample in 0..20 {
            let ours = hard(&ours.predicted(&data, &points, classes, resample), classes);
            for (j, ours) in ours.iter().enumerate() {
                assert!(
                    theirs.iter().any(|theirs| theirs[j] == *ours),
                    "{classes}: point {j}"
                );
            }
        }
    }
}

/// linfa's own trees differ between two fits here: leaves have equally many points of two classes.
#[test]
fn trees_are_the_same_whenever_they_are_grown() {
    let mut linfa_differs = 0;
    let mut resamples_differ = 0;
    for (seed, classes) in [(1, 2), (2, 2), (3, 3), (4, 5), (5, 9)] {
        let data = draw(seed, 60, classes, Some(3));
        let points = draw(seed + 10, 50, 0, Some(3)).inputs;
        for criterion in ["gini", "entropy"] {
            let asked =
                SettingRequest("linfa-tree", &[("depth", 3.0)], &[("criterion", criterion)]);
            let first = asked.predicted(&data, &points, classes, 0);
            for _ in 0..50 {
                assert_eq!(asked.predicted(&data, &points, classes, 0), first);
            }
            // Every thread draws keys of its own for its hash tables.
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        assert_eq!(asked.predicted(&data, &points, classes, 0), first);
                    });
                }
            });
            let other =
                (1..20).any(|resample| asked.predicted(&data, &points, classes, resample) != first);
            resamples_differ += usize::from(other);
        }
        let theirs = || {
            let data = Dataset::new(matrix(&data.inputs), classes_of(&data));
            let tree = DecisionTree::params()
                .max_depth(Some(3))
                .fit(&data)
                .unwrap();
            tree.predict(&matrix(&points))
        };
        let first = theirs();
        linfa_differs += usize::from((0..50).any(|_| theirs() != first));
    }
    assert!(
        linfa_differs > 0,
        "the data have no ties, and the test shows nothing"
    );
    assert!(
        resamples_differ > 0,
        "ties are broken by the resample's stream"
    );
}

/// All families, with settings that fit little.
fn extremes() -> Vec<(SettingRequest<'static>, &'static [usize])> {
    vec![
        (SettingRequest("linfa-tree", &[], &[]), &[2, 3]),
        (
            SettingRequest(
                "linfa-tree",
                &[("min-leaf", 5.0)],
                &[("criterion", "entropy")],
            ),
            &[2, 3],
        ),
        (
            SettingRequest("linfa-elasticnet", &[("penalty", 0.0)], &[]),
            &[0],
        ),
        (
            SettingRequest("linfa-elasticnet", &[("penalty", 1e6)], &[]),
            &[0],
        ),
        (SettingRequest("linfa-bayes", &[], &[]), &[2, 3]),
        (SettingRequest("linfa-svm", &[("c", 100.0)], &[]), &[2]),
        (
            SettingRequest("linfa-svm", &[("c", 1e-3)], &[("kernel", "linear")]),
            &[2],
        ),
        (SettingRequest("linfa-svr", &[("c", 100.0)], &[]), &[0]),
        (
            SettingRequest("linfa-svr", &[("c", 1.0)], &[("kernel", "linear")]),
            &[0],
        ),
        (SettingRequest("linfa-knn", &[("k", 3.0)], &[]), &[0, 2, 3]),
        (
            SettingRequest("linfa-knn", &[("k", 3.0)], &[("search", "linear")]),
            &[0, 2, 3],
        ),
    ]
}

/// Constant labels, one class, one point, equal points and equal inputs with different labels: every
/// prediction is a number, and constant labels are predicted exactly.
#[test]
fn odd_training_sets_are_fitted() {
    let points = draw(3, 20, 0, None).inputs;
    for (asked, kinds) in extremes() {
        for &classes in kinds {
            let base = draw(1, 30, classes, None);
            let constant = |inputs: &Points, label: f64| Training {
                inputs: inputs.clone(),
                labels: vec![label; inputs.len()],
            };
            let equal = Points::new(2, [0.25, 0.5].repeat(30));
            let one = Points::new(2, vec![0.25, 0.5]);
            let odd = [
                (constant(&base.inputs, 1.0), true),
                (constant(&equal, 1.0), true),
                (constant(&one, 1.0), true),
                (constant(&one, 0.0), true),
                (
                    Training {
                        inputs: equal,
                        labels: base.labels.clone(),
                    },
                    false,
                ),
                (draw(1, 30, classes, Some(2)), false),
                (draw(1, 2, classes, None), false),
            ];
            for (which, (data, exact)) in odd.iter().enumerate() {
                let out = asked.predicted(data, &points, classes, 0);
                let name = (asked.0, asked.2, classes, which);
                assert!(out.iter().all(|p| p.is_finite()), "{name:?}: {out:?}");
                if classes > 0 {
                    let sums = out.chunks_exact(classes).map(|row| row.iter().sum::<f64>());
                    sums.for_each(|sum| assert!((sum - 1.0).abs() < 1e-9, "{name:?}: {out:?}"));
                }
                if *exact {
                    let label = data.labels[0];
                    let rows = out.chunks_exact(classes.max(1));
                    rows.for_each(|row| match classes {
                        0 => assert!((row[0] - label).abs() < 1e-9, "{name:?}: {out:?}"),
                        _ => assert_eq!(row[label as usize], 1.0, "{name:?}: {out:?}"),
                    });
                }
            }
        }
    }
}

/// Very large and very small inputs, and neighbours that differ by rounding alone, end in numbers or in
/// NaN, which the engine reports; nothing panics and no stack overflows.
#[test]
fn extreme_inputs_do_not_panic() {
    for (asked, kinds) in extremes() {
        for &classes in kinds {
            for scale in [1e-300, 1e-30, 1e12, 1e150, 1e300] {
                let mut data = draw(1, 60, classes, None);
                let inputs = data.inputs.values().iter().map(|x| x * scale).collect();
                data.inputs = Points::new(2, inputs);
                let points = data.inputs.clone();
                asked.predicted(&data, &points, classes, 0);
            }
            let next = |i: u32| f64::from_bits(1e12_f64.to_bits() + u64::from(i));
            let mut data = draw(1, 600, classes, None);
            data.inputs = Points::new(2, (0..1200).map(|i| next(i / 2)).collect());
            let points = data.inputs.clone();
            asked.predicted(&data, &points, classes, 0);
        }
    }
    let equal = Training {
        inputs: Points::new(2, vec![0.5; 20_000]),
        labels: (0..10_000).map(|i| f64::from(i % 2)).collect(),
    };
    let points = Points::new(2, vec![0.5, 0.5, 0.0, 1.0]);
    let asked = SettingRequest("linfa-knn", &[("k", 10.0)], &[]);
    asked.predicted(&equal, &points, 2, 0);
}

#[test]
fn a_machine_that_would_not_converge_is_refused_in_words() {
    let mut data = draw(1, 60, 0, None);
    let inputs = data.inputs.values().iter().map(|x| x * 1e12).collect();
    data.inputs = Points::new(2, inputs);
    let asked = SettingRequest("linfa-svr", &[], &[("kernel", "linear")]);
    let mut learner = asked.learner(0).unwrap();
    learner.fit(&data, &Stream::new(1, Purpose::Algorithm, 0));
    let reason = learner.refusal(0).unwrap();
    assert!(
        reason.contains("too large for `c` and `tolerance`"),
        "{reason}"
    );
    let mut out = [0.0; 60];
    learner.predict(&data.inputs, &mut out);
    assert!(out.iter().all(|p| p.is_nan()));
}

#[test]
fn data_that_do_not_suit_are_refused() {
    let asked = SettingRequest("linfa-svm", &[], &[]);
    let error = asked.learner(3).err().unwrap().to_string();
    assert!(
        error.starts_with("`linfa-svm` learns two classes, but there are 3; use"),
        "{error}"
    );
    let family = FAMILIES
        .iter()
        .find(|family| family.name == "linfa-svr")
        .unwrap();
    let blueprint = family.blueprint(vec![family.setting(&[]).unwrap()]);
    let size = DataSize {
        train: 5001,
        dimension: 1,
    };
    let error = family.learner(blueprint, size).err().unwrap().to_string();
    assert!(
        error.starts_with("`linfa-svr` takes at most 5000 training points, not 5001"),
        "{error}"
    );
}
