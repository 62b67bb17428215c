//! Estimates of densities: against numpy, scipy and scikit-learn, against closed forms, and by brute
//! force.

use bvlab::data::{Points, Training};
use bvlab::experiment::{Experiment, Source};
use bvlab::interrupt::Interrupt;
use bvlab::learner::{CellSetting, DensityKernel, HistogramDensity, KernelDensity, Learner};
use bvlab::problem::{Density, DensityForm, MARRON_WAND, Problem, grid};
use serde::Deserialize;

use crate::setup::{algorithm, experiment, fit_predict, run};

#[derive(Deserialize)]
struct References {
    range: (f64, f64),
    values: Vec<f64>,
    at: Vec<f64>,
    case: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    learner: String,
    by: String,
    settings: Vec<f64>,
    predictions: Vec<f64>,
}

fn sample(values: &[f64]) -> Training {
    Training {
        inputs: Points::new(1, values.to_vec()),
        labels: vec![0.0; values.len()],
    }
}

fn drawn(density: &Density, train: usize, seed: u64) -> Training {
    let mut data = Training::default();
    let problem = Problem::of_density(density.clone(), train).unwrap();
    problem.draw(seed, 0, &mut data).unwrap();
    data
}

fn learner_of(case: &Case, (from, to): (f64, f64)) -> Box<dyn Learner> {
    let settings = || case.settings.iter().copied();
    let kernel = |shape| Box::new(KernelDensity::new(case.settings.clone(), shape));
    match case.learner.as_str() {
        "histogram" => Box::new(HistogramDensity::new(
            settings()
                .map(|bins| CellSetting {
                    width: (to - from) / bins,
                    origin: from,
                })
                .collect(),
        )),
        "gaussian" => kernel(DensityKernel::Gaussian),
        "epanechnikov" => kernel(DensityKernel::Epanechnikov),
        _ => kernel(DensityKernel::Uniform),
    }
}

/// What a rule of thumb makes of a sample.
type Rule<'a> = dyn Fn(&[f64]) -> f64 + 'a;

#[test]
fn estimates_are_those_of_numpy_scipy_and_scikit_learn() {
    let text = include_str!("../references/densities.toml");
    let all: References = toml::from_str(text).expect("the references can be read");
    assert_eq!(all.case.len(), 5);
    let points = Points::new(1, all.at.clone());
    for case in &all.case {
        let mut learner = learner_of(case, all.range);
        let found = fit_predict(&mut *learner, &sample(&all.values), &points).concat();
        assert_eq!(found.len(), case.predictions.len());
        for (found, expected) in found.iter().zip(&case.predictions) {
            let apart = (found - expected).abs();
            assert!(apart < 1e-12, "{} {found} {expected}", case.by);
        }
    }
}

const STUDY: &str = r#"
    [problem]
    density = DENSITY
    train   = 60

    [[learner]]
    histogram = { origin = 0.3 }
    sweep = { bins = [1, 2, 3, 7, 15, 40] }

    [[learner]]
    name = "by width"
    histogram = {}
    sweep = { width = [0.1, 0.5, 2] }

    [[learner]]
    name = "smoothed"
    histogram = { bins = 12, origin = 0.3 }
    sweep = { smoothing = [0, 0.5, 20] }

    [[learner]]
    name = "gaussian"
    kernel-density = {}
    sweep = { bandwidth = { from = 0.02, to = 3, count = 12, scale = "log" } }

    [[learner]]
    name = "uniform"
    kernel-density = { shape = "uniform" }
    sweep = { bandwidth = [0.05, 0.3, 2] }

    [run]
    resamples = 1000
    test = { grid = 150 }
"#;

const DENSITIES: [&str; 5] = [
    "{ normal = [3, 0.5] }",
    "{ marron-wand = \"claw\" }",
    "{ normals = [{ mean = -2, sd = 0.3, share = 3 }, { mean = 1 }] }",
    "{ uniform = [0, 1], range = [-0.5, 1.5] }",
    "{ marron-wand = \"strongly-skewed\", range = [-3.5, 0] }",
];

#[test]
fn measured_parts_lie_within_four_standard_errors_of_the_exact_ones() {
    for density in DENSITIES {
        let (plan, results) = run(&STUDY.replace("DENSITY", density));
        let weights = &plan.test.weights;
        let (from, to) = plan.problem().inputs.range();
        let total: f64 = weights.iter().sum();
        assert!((total - (to - from)).abs() < 1e-12 * total);
        for (curve, learner) in plan.curves().zip(&results.learners) {
            let exact = learner.exact.as_ref().expect("these have closed forms");
            for (c, parts) in learner.decomposition.parts.iter().enumerate() {
                let integral = |values: &[f64]| -> f64 {
                    let at = values[c * weights.len()..].iter().zip(weights);
                    at.map(|(value, weight)| value * weight).sum()
                };
                let (bias2, variance) = (integral(&exact.bias2), integral(&exact.variance));
                for (name, estimate, exact) in [
                    ("bias²", parts.bias2, bias2),
                    ("variance", parts.variance, variance),
                    ("risk", parts.risk, bias2 + variance),
                ] {
                    // A cell that holds everything is right, up to rounding, in every sample.
                    let apart = (estimate.value - exact).abs();
                    let (at, se) = (curve.describe(c), estimate.se);
                    assert!(
                        apart < 4.0 * se + 1e-12,
                        "{density} {} {at} {name}: {apart}, se {se}",
                        curve.name
                    );
                }
            }
        }
    }
}

/// Squared errors of every kept estimate, integrated again: their mean is the risk, and the parts of it
/// sum to that to rounding. There is no noise, and no training error.
#[test]
fn the_parts_sum_to_the_mean_integrated_squared_error() {
    let text = STUDY.replace("DENSITY", DENSITIES[1]);
    let text = text.replace("resamples = 1000", "resamples = 100\nkeep = 100");
    let (plan, results) = run(&text);
    let points = plan.test.points.len();
    let step = 8.0 / points as f64;
    let density = Density::marron_wand("claw").unwrap();
    for (which, learner) in results.learners.iter().enumerate() {
        for (c, parts) in learner.decomposition.parts.iter().enumerate() {
            let mut mean = 0.0;
            for kept in &results.kept {
                let estimate = &kept.fits[which].predictions[c * points..][..points];
                let errors = plan.test.points.values().iter().zip(estimate);
                let squares = errors.map(|(x, f)| (f - density.at(*x)).powi(2));
                mean += step * squares.sum::<f64>() / results.kept.len() as f64;
            }
            let sum = parts.bias2.value + parts.variance.value;
            for found in [parts.risk.value, parts.test.value, sum] {
                assert!((found - mean).abs() < 1e-12 * mean, "{found} {mean}");
            }
            assert_eq!((parts.noise, parts.noise_se), (0.0, 0.0));
            assert!(parts.train.value.is_nan());
        }
    }
}

/// Marron and Wand's closed form of the mean integrated squared error of a Gaussian kernel.
fn closed_form(density: &Density, n: f64, h: f64) -> f64 {
    let phi = |x: f64, variance: f64| {
        (-0.5 * x * x / variance).exp() / (2.0 * std::f64::consts::PI * variance).sqrt()
    };
    let parts: Vec<[f64; 3]> = density
        .parts()
        .iter()
        .map(|part| match part.form {
            DensityForm::Normal { mean, sd } => [part.share, mean, sd * sd],
            DensityForm::Uniform { .. } => panic!("all are normal"),
        })
        .collect();
    let mut sum = 1.0 / (2.0 * std::f64::consts::PI.sqrt() * n * h);
    for [a, m, s] in &parts {
        for [b, k, t] in &parts {
            let at = |times: f64| phi(m - k, times * h * h + s + t);
            sum += a * b * ((1.0 - 1.0 / n) * at(2.0) - 2.0 * at(1.0) + at(0.0));
        }
    }
    sum
}

/// The integrated error by the exact forms at points.
fn integrated(density: &Density, n: f64, bandwidths: &[f64]) -> Vec<f64> {
    let (from, to, count) = (-15.0, 15.0, 12_000);
    let points = grid(from, to, count, 1);
    let learner = KernelDensity::new(bandwidths.to_vec(), DensityKernel::Gaussian);
    let estimator = learner.as_density().unwrap();
    let moments = estimator.moments(density, n as usize, &points).unwrap();
    let step = (to - from) / count as f64;
    let each = moments.chunks_exact(count).map(|moments| {
        let parts = points.values().iter().zip(moments);
        let parts = parts.map(|(x, [mean, second])| {
            (mean - density.at(*x)).powi(2) + (second - mean * mean) / n
        });
        step * parts.sum::<f64>()
    });
    each.collect()
}

#[test]
fn exact_forms_integrate_to_the_closed_form_of_marron_and_wand() {
    for name in MARRON_WAND {
        let density = Density::marron_wand(name).unwrap();
        let bandwidths = [0.05, 0.2, 0.7, 1.5];
        let found = integrated(&density, 100.0, &bandwidths);
        for (h, found) in bandwidths.iter().zip(found) {
            let expected = closed_form(&density, 100.0, *h);
            assert!(
                (found - expected).abs() < 1e-6 * expected,
                "{name} {h}: {found} {expected}"
            );
        }
    }
}

#[test]
fn the_best_bandwidth_for_a_normal_density_is_where_theory_puts_it() {
    let density = Density::marron_wand("gaussian").unwrap();
    let bandwidths: Vec<f64> = (4400..4500).map(|i| f64::from(i) * 1e-4).collect();
    let errors = integrated(&density, 100.0, &bandwidths);
    let least = (0..errors.len()).min_by(|a, b| errors[*a].total_cmp(&errors[*b]));
    let least = least.unwrap();
    assert!(
        (bandwidths[least] - 0.4454).abs() < 1.5e-4,
        "{}",
        bandwidths[least]
    );
    assert_eq!(format!("{:.5}", errors[least]), "0.00541");
}

/// ∫ f̂² by a fine grid and f̂ without each value by as many fits.
#[test]
fn cross_validation_is_that_of_fits_without_each_value() {
    let data = drawn(&Density::marron_wand("bimodal").unwrap(), 25, 5);
    let bandwidths = vec![0.1, 0.6];
    let cells = [0.2, 0.9].map(|width| CellSetting {
        width,
        origin: -4.03,
    });
    let learners: Vec<Box<dyn Learner>> = vec![
        Box::new(HistogramDensity::new(cells.to_vec())),
        Box::new(HistogramDensity::new(cells.to_vec()).smoothed(vec![0.5, 2.0], (-3.0, 2.0))),
        Box::new(KernelDensity::new(
            bandwidths.clone(),
            DensityKernel::Gaussian,
        )),
        Box::new(KernelDensity::new(
            bandwidths.clone(),
            DensityKernel::Epanechnikov,
        )),
        Box::new(KernelDensity::new(bandwidths, DensityKernel::Uniform)),
    ];
    let values = data.inputs.values();
    for mut learner in learners {
        let fine = grid(-8.03, 8.03, 160_600, 1);
        let squares = fit_predict(&mut *learner, &data, &fine);
        let squares = squares
            .iter()
            .map(|row| row.iter().map(|f| f * f * 1e-4).sum::<f64>());
        let mut expected: Vec<f64> = squares.collect();
        for i in 0..values.len() {
            let rest: Vec<f64> = (0..values.len())
                .filter(|j| *j != i)
                .map(|j| values[j])
                .collect();
            let here = Points::new(1, vec![values[i]]);
            let left_out = fit_predict(&mut *learner, &sample(&rest), &here);
            for (expected, left_out) in expected.iter_mut().zip(left_out) {
                *expected -= 2.0 / values.len() as f64 * left_out[0];
            }
        }
        learner.fit(&data, &algorithm(7));
        let estimator = learner.as_density().unwrap();
        let found = estimator.try_cross_validate(&Interrupt::never());
        let found = found.ok().flatten().expect("it has a closed form");
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 2e-4, "{found} {expected}");
        }
    }
}

/// Every rule takes the setting nearest to what its formula gives, by ratio.
#[test]
fn rules_of_thumb_take_the_nearest_setting() {
    let text = r#"
        [problem]
        density = { marron-wand = "bimodal" }
        train   = 50
        [[learner]]
        LEARNER
        [run]
        resamples = 20
        keep = 20
        select = SELECT
    "#;
    let deviation = |values: &[f64]| {
        let mean = values.iter().sum::<f64>() / 50.0;
        (values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 49.0).sqrt()
    };
    let sorted = |values: &[f64]| {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        sorted
    };
    let widths =
        "histogram = {}\nsweep = { width = { from = 0.1, to = 4, count = 30, scale = \"log\" } }";
    let kernels = "kernel-density = {}\n\
        sweep = { bandwidth = { from = 0.05, to = 2, count = 30, scale = \"log\" } }";
    let sturges = |values: &[f64]| {
        let sorted = sorted(values);
        (sorted[49] - sorted[0]) / (1.0 + 50_f64.log2())
    };
    let scott_cells = |values: &[f64]| 3.49 * deviation(values) / 50_f64.cbrt();
    let silverman = |values: &[f64]| {
        let s = sorted(values);
        // Numbers 12.25 and 36.75 of 0 to 49.
        let low = s[12] + 0.25 * (s[13] - s[12]);
        let high = s[36] + 0.75 * (s[37] - s[36]);
        0.9 * deviation(values).min((high - low) / 1.34) / 50_f64.powf(0.2)
    };
    let scott = |values: &[f64]| 1.06 * deviation(values) / 50_f64.powf(0.2);
    let of_cells: [&Rule; 2] = [&sturges, &scott_cells];
    let of_kernels: [&Rule; 2] = [&silverman, &scott];
    for (learner, select, rules) in [
        (widths, r#"["sturges", "scott"]"#, of_cells),
        (kernels, r#"["silverman", "scott"]"#, of_kernels),
    ] {
        let (plan, results) = run(&text.replace("LEARNER", learner).replace("SELECT", select));
        let settings = &plan.paths[0].curve.axes[0].values;
        for kept in &results.kept {
            for (method, rule) in rules.iter().enumerate() {
                let wanted = rule(kept.data[0].inputs.values());
                let distance = |h: &f64| (h / wanted).ln().abs();
                let nearest = settings.iter().map(distance).fold(f64::INFINITY, f64::min);
                let chosen = settings[kept.fits[0].chosen[method] as usize];
                assert!(
                    (distance(&chosen) - nearest).abs() < 1e-9,
                    "{select} {method}"
                );
            }
        }
    }
}

#[test]
fn a_path_is_made_of_single_estimates() {
    let data = drawn(&Density::marron_wand("claw").unwrap(), 40, 3);
    let points = grid(-4.0, 4.0, 101, 1);
    let bandwidths = [0.01, 0.3, 0.3, 2.0];
    for shape in [
        DensityKernel::Gaussian,
        DensityKernel::Epanechnikov,
        DensityKernel::Uniform,
    ] {
        let mut all = KernelDensity::new(bandwidths.to_vec(), shape);
        let all = fit_predict(&mut all, &data, &points);
        for (h, row) in bandwidths.iter().zip(&all) {
            let mut one = KernelDensity::new(vec![*h], shape);
            assert_eq!(fit_predict(&mut one, &data, &points)[0], *row);
        }
    }
    let cells = [0.01, 0.5, 8.0].map(|width| CellSetting {
        width,
        origin: -1.0,
    });
    let all = fit_predict(&mut HistogramDensity::new(cells.to_vec()), &data, &points);
    for (cell, row) in cells.iter().zip(&all) {
        let one = fit_predict(&mut HistogramDensity::new(vec![*cell]), &data, &points);
        assert_eq!(one[0], *row);
        // Backwards, where no two neighbours share a cell that is remembered.
        let back: Vec<f64> = points.values().iter().rev().copied().collect();
        let back = fit_predict(
            &mut HistogramDensity::new(vec![*cell]),
            &data,
            &Points::new(1, back),
        );
        assert!(back[0].iter().rev().eq(row));
    }
}

/// Every estimate integrates to 1, also where values lie beyond the range, are equal, or are one.
#[test]
fn estimates_integrate_to_one_whatever_the_sample() {
    let points = grid(-20.0, 20.0, 40_000, 1);
    for values in [vec![0.25], vec![1.5; 9], vec![-7.0, 0.1, 0.1, 7.9]] {
        let cells = [0.05, 1.0].map(|width| CellSetting {
            width,
            origin: 0.02,
        });
        let learners: Vec<Box<dyn Learner>> = vec![
            Box::new(HistogramDensity::new(cells.to_vec())),
            Box::new(HistogramDensity::new(cells.to_vec()).smoothed(vec![1.0; 2], (-5.0, 4.98))),
            Box::new(KernelDensity::new(vec![0.05, 1.0], DensityKernel::Gaussian)),
            Box::new(KernelDensity::new(
                vec![0.05, 1.0],
                DensityKernel::Epanechnikov,
            )),
            Box::new(KernelDensity::new(vec![0.05, 1.0], DensityKernel::Uniform)),
        ];
        for mut learner in learners {
            for row in fit_predict(&mut *learner, &sample(&values), &points) {
                assert!(row.iter().all(|f| *f >= 0.0));
                let total = row.iter().sum::<f64>() * 1e-3;
                assert!((total - 1.0).abs() < 0.021, "{total}");
            }
        }
    }
}

/// What an experiment is refused with.
fn refused(text: &str) -> String {
    match Experiment::read("test", Source::new("test.toml", text, &[])) {
        Ok(_) => panic!("nothing is wrong with {text}"),
        Err(error) => error.message().to_owned(),
    }
}

#[test]
fn what_does_not_suit_a_density_is_refused_by_name() {
    let text = |problem: &str, learner: &str, run: &str| {
        format!(
            "[problem]\n{problem}\ntrain = 30\n[[learner]]\n{learner}\n[run]\nresamples = 20\n{run}\n"
        )
    };
    let normal = "density = { normal = [0, 1] }";
    let sine = "truth = \"sin(x)\"\ninputs = { uniform = [0, 1] }\nnoise = { normal = 1 }";
    let kernel = "kernel-density = {}\nsweep = { bandwidth = [0.1, 1] }";
    let cells = "histogram = { bins = 5 }";
    let mixture = "mixture = {}\nsweep = { components = [1, 3] }";
    experiment(&text(normal, kernel, ""));
    experiment(&text(normal, mixture, ""));
    for (problem, learner, run, words) in [
        (
            normal,
            "knn = { k = 3 }",
            "",
            "`knn` learns labels, but the problem is a density",
        ),
        (
            sine,
            cells,
            "",
            "`histogram` estimates densities, but the labels are numbers",
        ),
        (
            "classes = { moons = 0.2 }",
            cells,
            "",
            "estimates densities, but the labels are classes",
        ),
        (
            normal,
            "bagging = { base = { histogram = { bins = 5 } } }",
            "",
            "`bagging` learns labels",
        ),
        (
            normal,
            "histogram = {}",
            "",
            "`histogram` needs either `bins` or `width`",
        ),
        (
            normal,
            "histogram = { bins = 5, width = 1 }",
            "",
            "`histogram` needs either `bins` or `width`",
        ),
        (
            normal,
            "kernel-density = { bandwidth = 1e-9 }",
            "",
            "`bandwidth` can be at least",
        ),
        (
            normal,
            cells,
            "test = { draw = 100 }",
            "is integrated over a grid",
        ),
        (
            normal,
            cells,
            "sources = true",
            "all variance comes from the inputs",
        ),
        (
            normal,
            cells,
            "df = true",
            "degrees of freedom and optimism need labels",
        ),
        (
            normal,
            cells,
            "loss = \"zero-one\"",
            "zero-one loss needs classes, but a density is estimated",
        ),
        (
            normal,
            kernel,
            "select = [\"10-fold\"]",
            "compares predictions with labels",
        ),
        (
            normal,
            kernel,
            "select = [\"sturges\"]",
            "is a rule for histograms",
        ),
        (
            normal,
            mixture,
            "select = [\"lscv\"]",
            "has a closed form for histograms and kernels alone",
        ),
        (
            normal,
            mixture,
            "select = [\"scott\"]",
            "is a rule for histograms and Gaussian kernels",
        ),
        (
            normal,
            "mixture = { components = 31 }",
            "",
            "`components` can be at most 30, not 31",
        ),
        (
            sine,
            mixture,
            "",
            "`mixture` estimates densities, but the labels are numbers",
        ),
        (
            sine,
            "knn = {}\nsweep = { k = [1, 2] }",
            "select = [\"lscv\"]",
            "but the problem has labels",
        ),
        (
            "density = { marron-wand = \"clew\" }",
            cells,
            "",
            "`clew` is no density of Marron and Wand",
        ),
        (
            "density = { normal = [0, 0] }",
            cells,
            "",
            "the sd must be above 0, not 0",
        ),
        (
            "density = { normal = [0] }",
            cells,
            "",
            "expected two numbers, [mean, sd]",
        ),
        (
            "density = { uniform = [1, 0] }",
            cells,
            "",
            "the range is empty",
        ),
        (
            "density = { normals = [] }",
            cells,
            "",
            "there are 1 to 100 parts, not 0",
        ),
        ("density = {}", cells, "", "`density` needs exactly one of"),
        (
            "density = { normal = [0, 1], range = [2, 1] }",
            cells,
            "",
            "the range is empty",
        ),
        (
            "density = { normal = [0, 1] }\ntruth = \"x\"",
            cells,
            "",
            "`truth` and `density` exclude each other",
        ),
    ] {
        let error = refused(&text(problem, learner, run));
        assert!(error.contains(words), "{words}\n{error}");
    }
}
