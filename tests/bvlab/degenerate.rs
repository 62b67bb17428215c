//! Data that leave a learner little to go by: no panic, finite numbers or a clear error, and the right
//! ones where they are known.

use bvlab::data::{Points, Training};
use bvlab::engine::{self, RunError, Unwatched};
use bvlab::interrupt::{Interrupt, Interrupted};
use bvlab::learner::{Learner, Registry};
use bvlab::plan::SweepAxis;
use bvlab::stream::Stream;

use crate::setup::{changed, close, fit_predict, plan, with_learner};

/// Every family, some in several ways, as a file has them: for training sets of so many points on
/// [0, reach].
fn learners(train: usize, reach: f64) -> Vec<(String, Box<dyn Learner>)> {
    let some = [1, 2, 7, train].map(|k| k.min(train));
    let mut ks = some.to_vec();
    ks.sort_unstable();
    ks.dedup();
    let degrees = (0..train.min(4)).map(|degree| degree.to_string());
    let degrees = degrees.collect::<Vec<_>>().join(", ");
    let width = 0.2 * reach;
    let shapes = ["gaussian", "epanechnikov", "tricube", "uniform"];
    let kernels = shapes.map(|shape| {
        format!(
            "sweep = {{ bandwidth = [{width:e}, {reach:e}] }}\nkernel = {{ shape = \"{shape}\" }}"
        )
    });
    let mut all = vec![
        format!("sweep = {{ k = {ks:?} }}\nknn = {{}}"),
        "sweep = { depth = [0, 1, 3, 20] }\ntree = {}".to_owned(),
        format!("sweep = {{ leaves = [1, 2, 9] }}\ntree = {{ min-leaf = {} }}", train.min(2)),
        "sweep = { alpha = [0, 0.1, 1e6] }\ntree = {}".to_owned(),
        "sweep = { pruned-leaves = [1, 2, 9] }\ntree = {}".to_owned(),
        format!("sweep = {{ degree = [{degrees}] }}\npolynomial = {{}}"),
        format!("sweep = {{ degree = [{degrees}] }}\npolynomial = {{ lambda = 0.1, basis = \"monomial\" }}"),
        format!("sweep = {{ lambda = [0, 1] }}\ngaussians = {{ count = 5, width = {width:e} }}"),
        "sweep = { lambda = [0, 1] }\nlinear = {}".to_owned(),
        "linear = { intercept = false }".to_owned(),
        "sweep = { lambda = [0, 0.01, 1e6] }\nspline = {}".to_owned(),
        "sweep = { df = [2, 3, 4.5, 50] }\nspline = {}".to_owned(),
        "sweep = { lambda = [0, 0.01, 1e6] }\nlasso = {}".to_owned(),
        "sweep = { lambda = [0, 0.1] }\nlasso = { scale = \"sd\" }".to_owned(),
        "sweep = { components = [0, 1] }\ncomponents = {}".to_owned(),
        "components = { components = 1, scale = \"sd\" }".to_owned(),
        "sweep = { size = [0, 1] }\nsubset = {}".to_owned(),
        "subset = { size = 1, search = \"backward\" }".to_owned(),
        "subset = { size = 1, search = \"best\" }".to_owned(),
        "sweep = { features = [1, 3, 20, 60] }\nfourier = { scale = 3 }".to_owned(),
        "sweep = { lambda = [0.1, 10] }\nfourier = { scale = 3, features = 15 }".to_owned(),
        "sweep = { epochs = [0, 5, 500] }\nfourier = { scale = 3, features = 15 }".to_owned(),
        "sweep = { features = [1, 3, 60] }\nfeatures = {}".to_owned(),
        "sweep = { features = [1, 3, 60] }\nfeatures = { bias = 1, kind = \"projection\" }".to_owned(),
        "sweep = { lambda = [0.1, 10] }\nfeatures = { bias = 1, features = 15 }".to_owned(),
        "sweep = { epochs = [0, 20] }\nnetwork = { width = 4 }".to_owned(),
        "sweep = { batch = [1, 3, 50] }\nnetwork = { width = 4, second = 3, decay = 0.1, epochs = 9 }"
            .to_owned(),
        "sweep = { epochs = [0, 20] }\nnetwork = { width = 4, activation = \"relu\", optimiser = \"descent\" }".to_owned(),
        "sweep = { members = [1, 5] }\nbagging = { base = { tree = {} } }".to_owned(),
        "bagging = { members = 1, sample = \"split\", base = { knn = { k = 1 } } }".to_owned(),
        "sweep = { trees = [1, 6] }\nforest = {}".to_owned(),
        "sweep = { rounds = [0, 1, 30] }\nboosting = { rate = 0.5 }".to_owned(),
    ];
    let locals = kernels
        .clone()
        .map(|kernel| kernel.replace("\nkernel", "\nlocal"));
    all.extend(kernels);
    all.extend(locals);
    let named = all.iter().enumerate();
    let named = named.map(|(i, learner)| format!("[[learner]]\nname = \"{i}\"\n{learner}\n"));
    let text = format!(
        "[problem]\ntruth = \"x\"\ninputs = {{ uniform = [0, {reach:e}] }}\nnoise = {{ normal = 1 }}\n\
         train = {train}\n{}",
        named.collect::<String>()
    );
    let registry = Registry::standard();
    let families = registry.families().iter();
    for family in families.filter(|family| family.labels.includes(false)) {
        let used = format!("\n{} = {{", family.name);
        assert!(text.contains(&used), "{} is not looked at", family.name);
    }
    let paths = plan(&text).into_parts().paths.into_iter();
    let learners = paths.map(|mut path| path.stages.remove(0).learner);
    all.into_iter().zip(learners).collect()
}

fn one_dimensional(inputs: &[f64], labels: &[f64]) -> Training {
    Training {
        inputs: Points::new(1, inputs.to_vec()),
        labels: labels.to_vec(),
    }
}

/// Whether a learner's prediction where all inputs are the same is the mean of the labels: all but
/// those that shrink, that begin with other weights, that see a sample, or the nearest few only, and
/// random features, which may be zero there and have no constant.
fn knows_the_mean(learner: &str) -> bool {
    let not = [
        "fourier",
        "\nfeatures = {",
        "network",
        "bagging",
        "forest",
        "intercept = false",
        "lambda = 0.1",
    ];
    !not.iter().any(|word| learner.contains(word))
}

#[test]
fn all_inputs_equal() {
    let labels = [1.0, 5.0, -2.0, 4.0, 3.0, 7.0, 0.5, 2.5];
    let mean = labels.iter().sum::<f64>() / 8.0;
    let data = one_dimensional(&[3.0; 8], &labels);
    let points = Points::new(1, vec![3.0, 0.0, 10.0]);
    for (name, mut learner) in learners(8, 10.0) {
        let found = fit_predict(&mut *learner, &data, &points);
        for (c, found) in found.iter().enumerate() {
            assert!(
                found.iter().all(|p| p.is_finite()),
                "{name}, {c}: {found:?}"
            );
            // Few neighbours, and a penalty, give something else.
            let plain = !name.contains("knn") || c + 1 == learner.capacities();
            let plain = plain && !(name.contains("lambda = [0, 1]") && c == 1);
            if knows_the_mean(&name) && plain {
                assert!(close(found[0], mean, 1e-9), "{name}, {c}: {found:?}");
            }
        }
    }
}

#[test]
fn one_training_point() {
    let data = one_dimensional(&[4.0], &[-1.5]);
    let points = Points::new(1, vec![4.0, 0.0, 10.0]);
    for (name, mut learner) in learners(1, 10.0) {
        let found = fit_predict(&mut *learner, &data, &points);
        for (c, found) in found.iter().enumerate() {
            assert!(
                found.iter().all(|p| p.is_finite()),
                "{name}, {c}: {found:?}"
            );
            let shrunk = name.contains("lambda = [0, 1]") && c == 1 && name.contains("gaussians");
            if (knows_the_mean(&name) || name.contains("bagging")) && !shrunk {
                assert!(close(found[0], -1.5, 1e-9), "{name}, {c}: {found:?}");
            }
        }
    }
}

#[test]
fn constant_labels() {
    let inputs: Vec<f64> = (0..12).map(|i| f64::from(i * i % 11)).collect();
    let data = one_dimensional(&inputs, &[0.25; 12]);
    let points = Points::new(1, (0..20).map(|i| f64::from(i) / 2.0).collect());
    for (name, mut learner) in learners(12, 10.0) {
        let found = fit_predict(&mut *learner, &data, &points);
        for (c, found) in found.iter().enumerate() {
            assert!(
                found.iter().all(|p| p.is_finite()),
                "{name}, {c}: {found:?}"
            );
            // Means of labels, and lines with a constant that is not penalised.
            let not = [
                "fourier",
                "\nfeatures = {",
                "network",
                "gaussians",
                "intercept = false",
                "monomial",
            ];
            if !not.iter().any(|word| name.contains(word)) {
                let all = found.iter().all(|p| close(*p, 0.25, 1e-9));
                assert!(all, "{name}, {c}: {found:?}");
            }
        }
    }
}

#[test]
fn every_input_twice_and_no_noise() {
    let inputs: Vec<f64> = (0..6).flat_map(|i| [f64::from(i), f64::from(i)]).collect();
    let labels: Vec<f64> = inputs.iter().map(|x| 3.0 - 2.0 * x).collect();
    let data = one_dimensional(&inputs, &labels);
    let points = Points::new(1, inputs.clone());
    let exact = [
        "k = [1",
        "depth = [0, 1, 3, 20]",
        "degree = [0, 1, 2, 3] }\npolynomial = {}",
        "lambda = [0, 1] }\nlinear",
    ];
    for (name, mut learner) in learners(12, 10.0) {
        let found = fit_predict(&mut *learner, &data, &points);
        assert!(found.iter().flatten().all(|p| p.is_finite()), "{name}");
        // One neighbour, a full tree, and a line hit all points.
        if let Some(which) = exact.iter().position(|words| name.contains(words)) {
            let hit = &found[[0, 3, 1, 0][which]];
            let all = hit.iter().zip(&labels).all(|(p, y)| close(*p, *y, 1e-9));
            assert!(all, "{name}: {hit:?}");
        }
    }
}

/// A power of two near 10¹⁵⁰, so that nothing is rounded, and its inverse.
const HUGE: f64 = 1.0e150;

fn power_of_two(near: f64) -> f64 {
    near.log2().round().exp2()
}

#[test]
fn labels_of_any_size_give_predictions_of_that_size() {
    let data = crate::setup::data(3, 14, 1, None);
    let points = Points::new(1, (0..15).map(|i| f64::from(i) / 14.0).collect());
    for scale in [HUGE, 1.0 / HUGE].map(power_of_two) {
        let labels = data.labels.iter().map(|y| y * scale).collect();
        let scaled = Training {
            inputs: data.inputs.clone(),
            labels,
        };
        for (name, mut learner) in learners(14, 1.0) {
            let plain = fit_predict(&mut *learner, &data, &points);
            let found = fit_predict(&mut *learner, &scaled, &points);
            let all = found.iter().flatten().zip(plain.iter().flatten());
            for (found, plain) in all {
                assert!(found.is_finite(), "{name} at {scale:e}: {found}");
                let same = close(found / scale, *plain, 1e-9);
                // Steps of a network are not in proportion to the labels, nor is what a lasso shrinks by
                // or a leaf costs.
                let own = ["network", "lasso", "alpha"]
                    .iter()
                    .any(|word| name.contains(word));
                assert!(same || own, "{name} at {scale:e}: {found} for {plain}");
            }
        }
    }
}

#[test]
fn inputs_of_any_size_give_the_same_predictions() {
    let data = crate::setup::data(4, 14, 1, None);
    let at: Vec<f64> = (0..15).map(|i| f64::from(i) / 14.0).collect();
    for scale in [HUGE, 1.0 / HUGE].map(power_of_two) {
        let all = |values: &[f64]| values.iter().map(|x| x * scale).collect::<Vec<f64>>();
        let scaled = Training {
            inputs: Points::new(1, all(data.inputs.values())),
            labels: data.labels.clone(),
        };
        let points = [Points::new(1, at.clone()), Points::new(1, all(&at))];
        let pairs = learners(14, 1.0).into_iter().zip(learners(14, scale));
        for ((name, mut plain), (_, mut learner)) in pairs {
            let plain = fit_predict(&mut *plain, &data, &points[0]);
            let found = fit_predict(&mut *learner, &scaled, &points[1]);
            for (found, plain) in found.iter().flatten().zip(plain.iter().flatten()) {
                assert!(found.is_finite(), "{name} at {scale:e}: {found}");
                // Frequencies, penalties and steps have a size of their own.
                let own = [
                    "fourier",
                    "{ bias = 1",
                    "network",
                    "linear = {}",
                    "monomial",
                    "lasso",
                    "lambda = [0, 0.01, 1e6] }\nspline",
                ];
                let own = own.iter().any(|word| name.contains(word));
                assert!(
                    own || close(*found, *plain, 1e-6),
                    "{name} at {scale:e}: {found} for {plain}"
                );
            }
        }
    }
}

#[test]
fn whole_runs_of_degenerate_problems() {
    let families = r#"
        [[learner]]
        knn = { k = 1 }
        [[learner]]
        kernel = { bandwidth = WIDTH }
        [[learner]]
        local = { bandwidth = WIDTH }
        [[learner]]
        spline = { df = 4 }
        [[learner]]
        lasso = { lambda = 0.1 }
        [[learner]]
        components = { components = 1 }
        [[learner]]
        subset = { size = 1 }
        [[learner]]
        tree = {}
        [[learner]]
        polynomial = { degree = 0 }
        [[learner]]
        gaussians = { width = WIDTH, lambda = 0.1 }
        [[learner]]
        linear = {}
        [[learner]]
        fourier = { features = 9, scale = 1, lambda = 0.1 }
        [[learner]]
        network = { width = 3, epochs = 10 }
        [[learner]]
        bagging = { members = 3, base = { tree = {} } }
        [[learner]]
        forest = { trees = 3 }
        [[learner]]
        boosting = { rounds = 5 }
    "#;
    for (truth, reach, noise, train) in [
        ("sin(x)", 10.0, "0", 12),
        ("0", 10.0, "0", 12),
        ("sin(x)", 10.0, "0.5", 1),
        ("0", 10.0, "0", 1),
        ("1e150*sin(x)", 10.0, "1e150", 12),
        ("1e-150*sin(x)", 10.0, "1e-150", 12),
        ("x", 1e150, "1e150", 12),
        ("x", 1e-150, "1e-150", 12),
        ("sin(x)", 1e150, "1", 12),
        ("(x > 5)", 10.0, "1e-300", 2),
    ] {
        for sources in [false, true] {
            let text = format!(
                "[problem]\ntruth = \"{truth}\"\ninputs = {{ uniform = [0, {reach:e}] }}\n\
                 noise = {{ normal = {noise} }}\ntrain = {train}\n{}\n\
                 [run]\nresamples = 50\nsources = {sources}\ntest = {{ grid = 9 }}",
                families.replace("WIDTH", &format!("{:e}", 0.1 * reach))
            );
            let results = match engine::run(&plan(&text), 2, &Unwatched) {
                Ok(results) => results,
                // A clear error will do, if it is the learner's.
                Err(RunError::Learner { learner, .. }) => {
                    assert_eq!(learner, "network", "{truth} on {reach:e}, noise {noise}");
                    continue;
                }
                Err(error) => panic!("{error}"),
            };
            for (learner, family) in results.learners.iter().zip(Registry::standard().families()) {
                let parts = &learner.decomposition.parts[0];
                for part in [
                    parts.bias2,
                    parts.variance,
                    parts.risk,
                    parts.test,
                    parts.train,
                ] {
                    let finite = part.value.is_finite() && part.se.is_finite();
                    assert!(finite, "{}: {truth} on {reach:e}, {part:?}", family.name);
                }
                let gap = (parts.test.value - parts.risk.value).abs();
                let rounding = 1e-9 * parts.risk.value;
                assert!(
                    gap <= 6.0 * parts.gap.se + rounding,
                    "{truth} on {reach:e}: {parts:?}"
                );
            }
            if truth == "0" {
                for learner in &results.learners[..11] {
                    let parts = &learner.decomposition.parts[0];
                    assert_eq!([parts.bias2.value, parts.variance.value], [0.0, 0.0]);
                }
            }
        }
    }
}

/// The mean of the labels, but sometimes no number.
#[derive(Clone)]
struct Broken {
    mean: f64,
    broken: bool,
    value: f64,
}

impl Learner for Broken {
    fn capacities(&self) -> usize {
        4
    }

    fn try_fit(&mut self, data: &Training, _: &Stream, _: &Interrupt) -> Result<(), Interrupted> {
        self.mean = data.labels.iter().sum::<f64>() / data.len() as f64;
        // In about one resample of ten.
        self.broken = self.mean > 0.4;
        Ok(())
    }

    fn try_predict(
        &mut self,
        points: &Points,
        out: &mut [f64],
        _: &Interrupt,
    ) -> Result<(), Interrupted> {
        out.fill(self.mean);
        if self.broken {
            // The second setting at three test points, the fourth everywhere.
            out[points.len()..points.len() + 3].fill(self.value);
            out[3 * points.len()..].fill(self.value);
        }
        Ok(())
    }
}

#[test]
fn what_is_not_a_number_is_counted_and_ends_the_run() {
    let text = r#"
        problem = { truth = "0", inputs = { uniform = [0, 1] }, noise = { normal = 1 }, train = 10 }
        learner = [{ tree = { depth = 0 } }]
        run     = { resamples = 400, test = { grid = 20 } }
    "#;
    for (value, what) in [
        (f64::NAN, "3 of 20 predictions are not finite"),
        (f64::NEG_INFINITY, "3 of 20 predictions are not finite"),
        // Finite, but its square is not.
        (1e200, "errors are not finite"),
    ] {
        let broken = Broken {
            mean: 0.0,
            broken: false,
            value,
        };
        let axis = SweepAxis::new("number", &[1.0, 2.0, 3.0, 4.0]);
        let plan = with_learner(&plan(text), "broken", axis, broken);
        let error = engine::run(&plan, 1, &Unwatched).unwrap_err();
        let RunError::Learner {
            resample, count, ..
        } = &error
        else {
            panic!("{error}");
        };
        assert_eq!((count.settings, count.of_settings), (2, 4));
        let words =
            format!("`broken` at number = 2: {what} in resample {resample} (in 2 of 4 settings)");
        assert_eq!(error.to_string(), words);
        // It is the resample in which that happens.
        let mut data = Training::default();
        plan.problem().draw(1, *resample, &mut data).unwrap();
        assert!(data.labels.iter().sum::<f64>() > 4.0);
        // In a cube of eight fits the others count, too.
        let crossed = changed(&plan, |parts| parts.run.sources = true);
        let error = engine::run(&crossed, 2, &Unwatched)
            .unwrap_err()
            .to_string();
        let cubes = [
            "3 of 160",
            "6 of 160",
            "9 of 160",
            "12 of 160",
            "15 of 160",
            "18 of 160",
            "24 of 160",
        ];
        let counted = cubes.iter().any(|words| error.contains(words));
        assert!(counted || error.contains("errors are"), "{error}");
    }
}
