//! A run says so where a number, an interval or an average cannot be trusted, and says nothing where
//! it can.

use bvlab::data::{Points, Training};
use bvlab::decompose::Doubt;
use bvlab::engine::{self, Results, Unwatched};
use bvlab::learner::{Kernel, KernelShape};
use bvlab::outcome::{Report, Tables, study_report};
use bvlab::plan::Plan;

use crate::setup::{fit_predict, plan};

fn run(text: &str) -> (Plan, Results, Report) {
    let plan = plan(text);
    let results = engine::run(&plan, 2, &Unwatched).expect("the run ends");
    let report = study_report("test", &plan, &results, 0.0);
    (plan, results, report)
}

fn warned(report: &Report, words: &str) -> bool {
    report
        .warnings
        .iter()
        .any(|warning| warning.contains(words))
}

/// What is printed of the one learner, a knn.
fn row(report: &Report) -> &str {
    let mut lines = report.text.lines();
    lines
        .find(|line| line.starts_with("knn "))
        .expect("a row for the learner")
}

const THRESHOLD: &str = r#"
    problem = { truth = { linear = 10.0 }, inputs = { normal = [0, 1], dimension = 5 }, noise = { normal = 0.1 }, train = TRAIN }
    sweep   = { features = "1..5" }
    learner = [{ linear = { intercept = false } }]
    run     = { seed = SEED }
"#;

#[test]
fn a_setting_whose_mean_is_infinite_is_never_the_best() {
    for seed in 1..9 {
        let text = THRESHOLD
            .replace("TRAIN", "6")
            .replace("SEED", &seed.to_string());
        let (_, results, report) = run(&text);
        assert!(warned(&report, "at features = 5 has no finite mean"));
        assert!(warned(&report, "at features = 3, 4 has a finite mean"));
        assert!(!report.text.contains("features = 5  "), "{}", report.text);
        let parts = &results.learners[0].decomposition.parts;
        assert!(parts[4].is_spoiled() && !parts[1].is_spoiled());
    }
    // With ten points more nothing is wrong, and nothing is said.
    let (_, _, report) = run(&THRESHOLD.replace("TRAIN", "16").replace("SEED", "1"));
    assert!(report.warnings.is_empty(), "{:?}", report.warnings);
    assert!(report.text.contains("agree with theory"), "{}", report.text);
}

#[test]
fn estimates_that_disagree_with_theory_are_called_wrong() {
    let text = r#"
        problem = { truth = "sin(x)", inputs = { grid = [0, 6] }, noise = { normal = 0.5 }, train = 30 }
        sweep   = { k = [1, 5, 30] }
        learner = [{ knn = {} }]
        run     = { resamples = 400 }
    "#;
    let (plan, mut results, honest) = run(text);
    assert!(honest.text.contains("agree with theory"), "{}", honest.text);
    for (part, factor) in [(0, 0.8), (1, 1.3)] {
        let exact = results.learners[0].exact.as_mut().expect("it is linear");
        let list = [&mut exact.bias2, &mut exact.variance];
        let changed: Vec<f64> = list[part].iter().map(|value| value * factor).collect();
        let mut wrong = results.clone();
        let exact = wrong.learners[0].exact.as_mut().expect("it is linear");
        *[&mut exact.bias2, &mut exact.variance][part] = changed;
        let report = study_report("test", &plan, &wrong, 0.0);
        assert!(
            warned(&report, "DISAGREES with theory"),
            "{:?}",
            report.warnings
        );
    }
}

#[test]
fn bounded_losses_have_means() {
    let text = r#"
        problem = { classes = { moons = 0.3 }, train = 30 }
        sweep   = { k = [1, 9] }
        learner = [{ knn = {} }]
        run     = { resamples = 100, loss = "LOSS", seed = SEED, test = { grid = 100 } }
    "#;
    for loss in ["zero-one", "squared", "cross-entropy"] {
        for seed in 0..20 {
            let text = text
                .replace("LOSS", loss)
                .replace("SEED", &seed.to_string());
            let (_, _, report) = run(&text);
            assert!(!warned(&report, "may not exist"), "{loss}, seed {seed}");
        }
    }
}

#[test]
fn noise_without_a_fourth_moment_is_named() {
    let text = r#"
        problem = { truth = "sin(x)", inputs = { uniform = [0, 6] }, noise = { student-t = 0.5, degrees = DEGREES }, train = 30 }
        learner = [{ knn = { k = 5 } }]
        run     = { resamples = 100 }
    "#;
    for degrees in ["2.1", "3", "4"] {
        let (_, _, report) = run(&text.replace("DEGREES", degrees));
        assert!(warned(&report, "no fourth moment"), "{degrees} degrees");
        assert!(report.agreement.is_none(), "{degrees} degrees");
    }
    let (_, _, report) = run(&text.replace("DEGREES", "5"));
    assert!(report.warnings.is_empty(), "{:?}", report.warnings);
    assert!(report.agreement.is_some());
}

/// The grid sees nothing of a truth that is zero at every one of its points.
#[test]
fn a_grid_in_step_with_the_truth_is_named_and_its_error_included() {
    let text = r#"
        problem = { truth = "sin(400*pi*x)", inputs = { uniform = [0, 1] }, noise = { normal = 0.1 }, train = 25 }
        sweep   = { k = [1, 25] }
        learner = [{ knn = {} }]
        run     = { resamples = 200, test = { grid = GRID } }
    "#;
    let (_, results, report) = run(&text.replace("GRID", "200"));
    assert!(warned(&report, "too coarse"), "{:?}", report.warnings);
    let parts = &results.learners[0].decomposition.parts[1];
    assert!(parts.doubts.contains(&Doubt::CoarseGrid));
    let [low, high] = parts.bias2.interval.expect("it has an interval");
    assert!((low..=high).contains(&0.5), "{low} to {high}");
    // A grid that is out of step needs no warning.
    let (_, results, report) = run(&text.replace("GRID", "1009"));
    assert!(!warned(&report, "too coarse"), "{:?}", report.warnings);
    let bias2 = results.learners[0].decomposition.parts[1].bias2;
    assert!((bias2.value - 0.5).abs() < 0.02, "{bias2:?}");
}

/// Test points that stand at the same place between training inputs everywhere would see one phase of
/// the bias only.
#[test]
fn a_test_grid_meets_every_phase_of_equispaced_inputs() {
    let text = r#"
        problem = { truth = "sin(20*x)", inputs = { grid = [0, 6] }, noise = { normal = 0.1 }, train = 200 }
        learner = [{ knn = { k = 1 } }]
        run     = { resamples = 100, test = { grid = GRID } }
    "#;
    let bias2 = |grid: &str| {
        let (_, results, _) = run(&text.replace("GRID", grid));
        let exact = results.learners[0].exact.as_ref().expect("it is linear");
        exact.bias2.iter().sum::<f64>() / exact.bias2.len() as f64
    };
    // As many test points as inputs: at their midpoints the bias would be 0 everywhere.
    let (coarse, fine) = (bias2("200"), bias2("100000"));
    assert!((coarse / fine - 1.0).abs() < 0.05, "{coarse} for {fine}");
}

#[test]
fn averages_over_few_drawn_points_are_named_and_noise_has_its_error() {
    let text = r#"
        problem = { truth = "sin(x)", inputs = { uniform = [0, 6] }, noise = { normal = "0.1 + 0.2*x" }, train = 30 }
        learner = [{ polynomial = { degree = 1 } }]
        run     = { resamples = 200, seed = SEED, test = { draw = DRAW } }
    "#;
    let noise = |seed: u64, draw: &str| {
        let text = text
            .replace("SEED", &seed.to_string())
            .replace("DRAW", draw);
        let (_, results, report) = run(&text);
        let parts = results.learners[0].decomposition.parts[0].clone();
        (parts.noise, parts.noise_se, warned(&report, "rest on few"))
    };
    // The mean of (0.1 + 0.2 x)² over [0, 6].
    let exact = 0.01 + 0.02 * 6.0 + 0.04 * 12.0;
    let covered = (0..40)
        .map(|seed| noise(seed, "50"))
        .filter(|(value, se, _)| (value - exact).abs() < 1.96 * se)
        .count();
    assert!((33..=40).contains(&covered), "{covered} of 40");
    assert!((0..10).all(|seed| noise(seed, "2").2), "two points are few");
    assert!((0..10).all(|seed| !noise(seed, "500").2));
    // On a grid noise is known but for the grid.
    let (_, results, _) = run(&text
        .replace("SEED", "1")
        .replace("{ draw = DRAW }", "{ grid = 500 }"));
    assert!(results.learners[0].decomposition.parts[0].noise_se < 1e-4);
}

#[test]
fn parts_that_follow_from_the_main_prediction_have_no_error_bar() {
    let text = r#"
        problem = { classes = { moons = 0.3 }, train = 30 }
        learner = [{ knn = { k = 3 } }]
        run     = { resamples = 100, loss = "zero-one", split = "SPLIT", test = { grid = 100 } }
    "#;
    for split in ["domingos", "effects"] {
        let (plan, results, report) = run(&text.replace("SPLIT", split));
        let parts = &results.learners[0].decomposition.parts[0];
        for part in [parts.bias2, parts.variance] {
            assert!(part.se.is_nan() && part.interval.is_none());
        }
        assert!(parts.risk.interval.is_some());
        let curves = Tables::curves(&plan, &results);
        for column in [
            "domingos_bias_se",
            "domingos_variance_se",
            "bias2_se",
            "bias2_low",
        ] {
            assert!(curves.numbers(column)[0].is_nan(), "{column}");
        }
        assert!(curves.numbers("kw_bias2_se")[0] > 0.0);
        let row = row(&report);
        // Noise, risk, testing and training error.
        assert_eq!(
            row.matches('±').count(),
            if split == "domingos" { 4 } else { 3 },
            "{row}"
        );
    }
    let (_, results, _) = run(&text.replace("SPLIT", "kohavi-wolpert"));
    let parts = &results.learners[0].decomposition.parts[0];
    assert!(parts.bias2.interval.is_some() && parts.variance.interval.is_some());
}

#[test]
fn the_share_that_a_grid_leaves_out_is_in_the_table() {
    let left_out = |problem: &str| {
        let text = format!(
            "{problem}\nlearner = [{{ knn = {{ k = 3 }} }}]\nrun = {{ resamples = 8, test = {{ grid = 2500 }} }}"
        );
        let (plan, results, report) = run(&text);
        let curves = Tables::curves(&plan, &results);
        let share = curves.numbers("left_out").first().copied();
        assert_eq!(share.is_some(), report.text.contains("leaves out"));
        share
    };
    let normal = r#"problem = { truth = "x", inputs = { normal = [5, 2] }, noise = { normal = 1 }, train = 9 }"#;
    assert!((left_out(normal).expect("tails are left out") - 0.0027).abs() < 1e-6);
    // A product of two normal distributions in a square that reaches 3 sd.
    let one = r#"problem = { classes = { gaussians = [{ mean = [0, 0] }, { mean = [0, 0] }] }, train = 9 }"#;
    let both = 1.0 - (1.0 - 0.002_699_8_f64).powi(2);
    assert!((left_out(one).expect("tails are left out") - both).abs() < 1e-4);
    let uniform = r#"problem = { truth = "x", inputs = { uniform = [0, 1] }, noise = { normal = 1 }, train = 9 }"#;
    assert_eq!(left_out(uniform), None);
}

#[test]
fn a_kernel_does_not_mind_the_unit_of_the_inputs() {
    let fits = |unit: f64| {
        let inputs = [0.3, 1.0, 2.5, 4.0].map(|x| x * unit);
        let data = Training {
            inputs: Points::new(1, inputs.to_vec()),
            labels: vec![1.0, -2.0, 0.5, 3.0],
        };
        let points = Points::new(1, [0.0, 0.9, 3.0].map(|x| x * unit).to_vec());
        let shapes = [
            KernelShape::Gaussian,
            KernelShape::Epanechnikov,
            KernelShape::Tricube,
            KernelShape::Uniform,
        ];
        shapes.map(|shape| {
            let mut kernel = Kernel::new(vec![0.55 * unit, 2.1 * unit], shape);
            fit_predict(&mut kernel, &data, &points)
        })
    };
    let plain = fits(1.0);
    assert!(plain[0][0].windows(2).all(|pair| pair[0] != pair[1]));
    for unit in [1e-200, 1e-120, 1e120, 1e200] {
        for (found, plain) in fits(unit)
            .iter()
            .flatten()
            .flatten()
            .zip(plain.iter().flatten().flatten())
        {
            assert!((found - plain).abs() < 1e-9, "{unit}: {found} for {plain}");
        }
    }
}

#[test]
fn classes_that_can_be_told_apart_are_named() {
    let text = r#"
        problem = { classes = { gaussians = [{ mean = [0, 0] }, { mean = [DISTANCE, 0] }] }, train = 30 }
        learner = [{ logistic = { lambda = LAMBDA } }]
        run     = { resamples = 40, loss = "cross-entropy", test = { grid = 100 } }
    "#;
    let warns = |distance: &str, lambda: &str| {
        let text = text.replace("DISTANCE", distance).replace("LAMBDA", lambda);
        warned(&run(&text).2, "separates the classes perfectly")
    };
    assert!(warns("9", "0"));
    assert!(!warns("9", "0.1"));
    assert!(!warns("0.5", "0"));
}

#[test]
fn descent_that_diverges_is_not_called_a_heavy_tail() {
    let text = r#"
        problem = { truth = "sin(x)", inputs = { uniform = [0, 6] }, noise = { normal = 0.3 }, train = 20 }
        learner = [{ fourier = { features = 30, scale = 2, epochs = 200, rate = 1, lambda = LAMBDA } }]
        run     = { resamples = 100 }
    "#;
    let (_, _, report) = run(&text.replace("LAMBDA", "45"));
    assert!(warned(&report, "diverges"), "{:?}", report.warnings);
    assert!(!warned(&report, "may not exist"), "{:?}", report.warnings);
    let (_, _, report) = run(&text.replace("LAMBDA", "0.1"));
    assert!(report.warnings.is_empty(), "{:?}", report.warnings);
}

#[test]
fn numbers_of_any_size_are_short() {
    for sd in ["1e-7", "1e150"] {
        let text = format!(
            r#"
            problem = {{ truth = "0*x", inputs = {{ uniform = [0, 6] }}, noise = {{ normal = {sd} }}, train = 20 }}
            learner = [{{ knn = {{ k = 3 }} }}]
            run     = {{ resamples = 100 }}
        "#
        );
        let (_, _, report) = run(&text);
        let row = row(&report);
        assert!(row.chars().count() < 200, "{row}");
        assert!(row.contains('e') && !row.contains("0.000000"), "{row}");
    }
}

/// No interval of a square lies below zero, whatever the seed.
#[test]
fn intervals_of_bias2_hold_possible_values() {
    let text = r#"
        problem = { truth = "0*x", inputs = { uniform = [0, 6] }, noise = { normal = 0.5 }, train = 20 }
        learner = [{ knn = { k = 20 } }]
        run     = { resamples = 60, seed = SEED, test = { grid = 20 } }
    "#;
    let covered = (0..300).filter(|seed| {
        let (_, results, _) = run(&text.replace("SEED", &seed.to_string()));
        let bias2 = results.learners[0].decomposition.parts[0].bias2;
        let [low, high] = bias2.interval.expect("it has an interval");
        assert!(low >= 0.0 && high >= low, "{bias2:?}");
        low == 0.0
    });
    // 93 to 99 %, and three standard errors of 300 seeds.
    let share = covered.count() as f64 / 300.0;
    assert!((0.886..=1.0).contains(&share), "{share}");
}
