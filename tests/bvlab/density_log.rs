//! Log-loss of estimated densities: against closed forms, binomial sums and fits of the test's own.

use std::sync::Arc;

use bvlab::data::Training;
use bvlab::decompose::{Averaged, Estimate, Loss};
use bvlab::engine::{self, Replay, Results, RunError, Unwatched};
use bvlab::experiment::{Experiment, Source};
use bvlab::maths::binomial;
use bvlab::outcome::study_report;
use bvlab::plan::{Plan, PlanError};
use bvlab::problem::Problem;

use crate::setup::{changed, plan, run};

const STUDY: &str = r#"
    [problem]
    density = { marron-wand = "kurtotic-unimodal" }
    train   = 40

    [[learner]]
    histogram = { origin = 0.3 }
    sweep = { bins = [3, 15], smoothing = [0.2, 2] }

    [[learner]]
    kernel-density = {}
    sweep = { bandwidth = [0.25, 0.4, 1.5] }

    [[learner]]
    mixture = { floor = 0.1 }
    sweep = { components = [1, 2] }

    [run]
    resamples = 60
    keep = 60
    loss = "log"
    test = { grid = 120 }
"#;

/// f ln(f/p) - f + p.
fn divergence(f: f64, p: f64) -> f64 {
    match f > 0.0 {
        true => f * (f / p).ln() - f + p,
        false => p,
    }
}

#[test]
fn the_parts_sum_to_the_mean_divergence() {
    for density in [
        r#"{ marron-wand = "kurtotic-unimodal" }"#,
        "{ uniform = [0, 1], range = [-0.5, 1.5] }",
    ] {
        let (plan, results) =
            run(&STUDY.replace(r#"{ marron-wand = "kurtotic-unimodal" }"#, density));
        let density = plan.problem().density().expect("it is a density").clone();
        let weights = &plan.test.weights;
        let points = weights.len();
        for (which, learner) in results.learners.iter().enumerate() {
            let split = &learner.decomposition;
            for (c, parts) in split.parts.iter().enumerate() {
                let mut mean = 0.0;
                for kept in &results.kept {
                    let estimate = &kept.fits[which].predictions[c * points..][..points];
                    let each = plan.test.points.values().iter().zip(estimate).zip(weights);
                    let sum: f64 = each
                        .map(|((x, p), w)| w * divergence(density.at(*x), *p))
                        .sum();
                    assert!((kept.fits[which].risk[c] - sum).abs() < 1e-12);
                    mean += sum / results.kept.len() as f64;
                }
                let of_points: f64 = (c * points..(c + 1) * points)
                    .map(|j| weights[j % points] * (split.bias2[j] + split.variance[j]))
                    .sum();
                let sum = parts.bias2.value + parts.variance.value;
                for found in [parts.risk.value, parts.test.value, sum, of_points] {
                    assert!(
                        (found - mean).abs() < 1e-12 * (1.0 + mean),
                        "{found} {mean}"
                    );
                }
                assert_eq!((parts.noise, parts.noise_se), (0.0, 0.0));
                assert!(parts.train.value.is_nan() && learner.exact.is_none());
                // The difference is that of numbers with one group left out each, too.
                let left_out = |average| split.left_out(c, average);
                let both = left_out(Averaged::Bias2)
                    .into_iter()
                    .zip(left_out(Averaged::Variance));
                for ((b, v), risk) in both.zip(left_out(Averaged::Risk)) {
                    assert!((b + v - risk).abs() < 1e-12 * (1.0 + risk));
                }
            }
        }
    }
}

fn check(name: &str, found: Estimate, right: f64, own: f64) {
    let se = found.se.hypot(own);
    let apart = (found.value - right).abs();
    assert!(
        apart < 4.0 * se + 1e-9,
        "{name}: {found:?}, right {right} ± {own}"
    );
    assert!(found.interval.is_some(), "{name} has no interval");
}

/// One value: the estimate is N(X, h²), and X is N(0, 1).
#[test]
fn a_kernel_on_one_value_has_the_parts_of_divergences_between_normals() {
    let (plan, results) = run(r#"
        [problem]
        density = { normal = [0, 1], range = [-14, 14] }
        train   = 1
        [[learner]]
        kernel-density = {}
        sweep = { bandwidth = [0.7, 1, 2] }
        [run]
        resamples = 3000
        loss = "log"
        test = { grid = 1400 }
    "#);
    let bandwidths = &plan.paths[0].curve.axes[0].values;
    for (h, parts) in bandwidths.iter().zip(results.parts(0)) {
        // Kullback and Leibler's divergence of normals, and E ln p is that of exp(-1/(2h²)) N(0, h²).
        let risk = h.ln() + (1.0 + 1.0) / (2.0 * h * h) - 0.5;
        let variance = 1.0 - (-0.5 / (h * h)).exp();
        check("risk", parts.risk, risk, 0.0);
        check("variance", parts.variance, variance, 0.0);
        check("bias", parts.bias2, risk - variance, 0.0);
    }
}

/// The parts of a smoothed histogram with `bins` cells on a uniform density that fills `inside` of them.
fn by_binomials(n: usize, (bins, inside): (usize, usize), a: f64, range: f64) -> [f64; 2] {
    let width = range / bins as f64;
    let height = |count: f64| (count + a) / ((n as f64 + a * bins as f64) * width);
    let f = 1.0 / (inside as f64 * width);
    let law = binomial(n, 1.0 / inside as f64);
    let mean = |of: &dyn Fn(f64) -> f64| -> f64 {
        let each = law.iter().enumerate();
        each.map(|(count, chance)| chance * of(height(count as f64)))
            .sum()
    };
    let centre = mean(&f64::ln).exp();
    let here = inside as f64 * width;
    let beyond = (bins - inside) as f64 * width;
    [
        here * divergence(f, centre) + beyond * height(0.0),
        here * (mean(&|p| p) - centre),
    ]
}

#[test]
fn a_smoothed_histogram_of_a_uniform_density_has_the_parts_that_binomials_give() {
    for (range, share) in [("[0, 1]", 1), ("[-0.5, 1.5]", 2)] {
        let text = format!(
            r#"
            [problem]
            density = {{ uniform = [0, 1], range = {range} }}
            train   = 30
            [[learner]]
            histogram = {{}}
            sweep = {{ bins = [4, 8, 20], smoothing = [0.05, 0.5, 3] }}
            [run]
            resamples = 3000
            loss = "log"
            test = {{ grid = 400 }}
            "#
        );
        let (plan, results) = run(&text);
        let curve = &plan.paths[0].curve;
        for (c, parts) in results.parts(0).iter().enumerate() {
            let (bins, a) = (curve.value(c) as usize, curve.second(c));
            let [bias, variance] = by_binomials(30, (bins, bins / share), a, share as f64);
            let at = format!("{} {range}", curve.describe(c));
            check(&format!("bias {at}"), parts.bias2, bias, 0.0);
            check(&format!("variance {at}"), parts.variance, variance, 0.0);
            check(&format!("risk {at}"), parts.risk, bias + variance, 0.0);
        }
    }
}

const KERNEL: &str = r#"
    [problem]
    density = { normals = [{ mean = 0 }, { mean = 0, sd = 0.2 }] }
    train   = 30
    [[learner]]
    kernel-density = {}
    sweep = { bandwidth = [0.3, 0.6] }
    [run]
    resamples = RESAMPLES
    seed = SEED
    loss = "log"
    test = { grid = 60 }
"#;

/// By bandwidth: bias and variance, and their standard errors, from many fits in a loop of its own.
fn by_brute_force(plan: &Plan) -> Vec<[f64; 2]> {
    const FITS: usize = 40_000;
    let density = plan.problem().density().expect("it is a density").clone();
    let problem = Problem::of_density(density.clone(), 30).unwrap();
    let mut data = Training::default();
    let points = plan.test.points.values();
    let mut found = vec![[0.0; 2]; 2];
    let mut sums = vec![[0.0; 2]; 2 * points.len()];
    for resample in 0..FITS {
        problem.draw(4711, resample as u64, &mut data).unwrap();
        for (sums, (h, x)) in sums.iter_mut().zip(
            [0.3, 0.6]
                .iter()
                .flat_map(|h| points.iter().map(move |x| (h, x))),
        ) {
            let values = data.inputs.values().iter();
            let p: f64 = values
                .map(|value| (-0.5 * ((x - value) / h).powi(2)).exp())
                .sum();
            let p = p / (30.0 * h * (2.0 * std::f64::consts::PI).sqrt());
            sums[0] += p.ln() / FITS as f64;
            sums[1] += p / FITS as f64;
        }
    }
    for (place, [log, mean]) in sums.into_iter().enumerate() {
        let weight = plan.test.weights[place % points.len()];
        let f = density.at(points[place % points.len()]);
        let parts = &mut found[place / points.len()];
        parts[0] += weight * divergence(f, log.exp());
        parts[1] += weight * (mean - log.exp());
    }
    found
}

/// Bias and variance are those of very many fits, also on average over short runs: what a geometric mean
/// of few estimates is too large by is taken off.
#[test]
fn bias_and_variance_are_those_of_very_many_fits() {
    let of = |resamples: u64, seed: u64| {
        let text = KERNEL.replace("RESAMPLES", &resamples.to_string());
        run(&text.replace("SEED", &seed.to_string()))
    };
    let (plan, results) = of(600, 1);
    let right = by_brute_force(&plan);
    for (parts, right) in results.parts(0).iter().zip(&right) {
        // So many fits have an error of their own, an eighth of that of 600.
        check("bias", parts.bias2, right[0], parts.bias2.se / 8.0);
        check(
            "variance",
            parts.variance,
            right[1],
            parts.variance.se / 8.0,
        );
    }
    const RUNS: u64 = 120;
    let short: Vec<Results> = (0..RUNS).map(|seed| of(24, 100 + seed).1).collect();
    for (setting, right) in right.iter().enumerate() {
        for (part, right) in right.iter().enumerate() {
            let values = short.iter().map(|results| {
                let parts = &results.parts(0)[setting];
                [parts.bias2, parts.variance][part].value
            });
            let values: Vec<f64> = values.collect();
            let mean = values.iter().sum::<f64>() / RUNS as f64;
            let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
            let se = (squares / (RUNS * (RUNS - 1)) as f64).sqrt();
            let apart = (mean - right) / se;
            assert!(
                apart.abs() < 4.0,
                "setting {setting}, part {part}: {mean} {right}, {apart} se"
            );
        }
    }
}

/// Intervals of 95 % hold the right values in about as many runs.
#[test]
fn intervals_cover() {
    let right = by_brute_force(&plan(
        &KERNEL.replace("RESAMPLES", "10").replace("SEED", "1"),
    ));
    const RUNS: u64 = 150;
    let mut covered = [0_u64; 3];
    for seed in 0..RUNS {
        let text = KERNEL.replace("RESAMPLES", "48");
        let (_, results) = run(&text.replace("SEED", &(1000 + seed).to_string()));
        let (parts, [bias, variance]) = (&results.parts(0)[1], right[1]);
        let pairs = [
            (parts.bias2, bias),
            (parts.variance, variance),
            (parts.risk, bias + variance),
        ];
        for (covered, (estimate, right)) in covered.iter_mut().zip(pairs) {
            let [low, high] = estimate.interval.unwrap();
            *covered += u64::from(low <= right && right <= high);
        }
    }
    // Four standard errors below 95 %, and what the right values are off by.
    for covered in covered {
        assert!(
            covered as f64 > (0.95 - 0.09) * RUNS as f64,
            "{covered} of {RUNS}"
        );
    }
}

#[test]
fn threads_do_not_change_a_digit() {
    let plan = plan(STUDY);
    let of = |threads| format!("{:?}", engine::run(&plan, threads, &Unwatched).unwrap());
    let alone = of(1);
    assert!(alone == of(3));
}

fn refused(text: &str) -> (String, Option<usize>) {
    match Experiment::read("test", Source::new("test.toml", text, &[])) {
        Ok(_) => panic!("nothing is wrong with {text}"),
        Err(error) => (error.message().to_owned(), error.line()),
    }
}

#[test]
fn where_there_is_no_finite_log_loss_is_said_before_the_run() {
    let text = |problem: &str, learner: &str, run: &str| {
        format!(
            "[problem]\n{problem}\ntrain = 30\n[[learner]]\n{learner}\n[run]\nresamples = 20\n{run}\n"
        )
    };
    let normal = "density = { normal = [0, 1] }";
    let sine = "truth = \"sin(x)\"\ninputs = { uniform = [0, 1] }\nnoise = { normal = 1 }";
    let log = "loss = \"log\"";
    for (problem, learner, run, line, words) in [
        (
            normal,
            "histogram = { bins = 5 }",
            log,
            4,
            "`histogram` can be 0 where the density is not",
        ),
        (
            normal,
            "histogram = { bins = 5 }\nsweep = { smoothing = [1, 0] }",
            log,
            4,
            "`histogram` at smoothing = 0 can be 0 where the density is not",
        ),
        (
            normal,
            "name = \"bounded\"\nkernel-density = { bandwidth = 1, shape = \"epanechnikov\" }",
            log,
            4,
            "`bounded` can be 0",
        ),
        (
            normal,
            "kernel-density = { bandwidth = 1, shape = \"uniform\" }",
            log,
            4,
            "`kernel-density` can be 0",
        ),
        (
            normal,
            "histogram = { bins = 5, smoothing = -1 }",
            log,
            5,
            "`smoothing` must be at least 0",
        ),
        (
            normal,
            "kernel-density = { bandwidth = 1 }",
            "loss = \"log\"\nsmoothing = 0.1",
            9,
            "`smoothing` needs `loss = \"cross-entropy\"`",
        ),
        (
            normal,
            "kernel-density = { bandwidth = 1 }",
            "loss = \"cross-entropy\"",
            8,
            "cross-entropy loss needs classes, but a density is estimated",
        ),
        (
            normal,
            "kernel-density = { bandwidth = 1 }",
            "loss = \"log\"\ndiversity = true",
            9,
            "`diversity` and log-loss exclude each other",
        ),
        (
            sine,
            "knn = { k = 3 }",
            log,
            10,
            "log loss needs a density to be estimated, but the labels are numbers",
        ),
        (
            "classes = { moons = 0.2 }",
            "knn = { k = 3 }",
            log,
            8,
            "log loss needs a density to be estimated, but the labels are classes",
        ),
    ] {
        let (error, at) = refused(&text(problem, learner, run));
        assert!(error.contains(words), "{words}\n{error}");
        assert_eq!(at, Some(line), "{error}");
    }
    // The same of a plan made without a file.
    let plan = plan(&text(normal, "kernel-density = { bandwidth = 1 }", log));
    let mut parts = plan.clone().into_parts();
    parts.run.diversity = true;
    assert_eq!(Plan::new(parts).err(), Some(PlanError::LogAndDiversity));
    let numbers = crate::setup::plan(&text(sine, "knn = { k = 3 }", ""));
    let mut parts = numbers.into_parts();
    parts.run.loss = Loss::Log;
    assert_eq!(Plan::new(parts).err(), Some(PlanError::LossOfDensity));
}

/// Far beyond the sample a Gaussian kernel is too small for a number.
#[test]
fn an_estimate_that_comes_out_as_0_ends_the_run_with_the_reason() {
    let text = KERNEL.replace("[0.3, 0.6]", "[0.6, 0.01, 0.02]");
    let plan = plan(&text.replace("RESAMPLES", "10").replace("SEED", "1"));
    let Err(error) = engine::run(&plan, 2, &Unwatched) else {
        panic!("it has no finite log-loss");
    };
    assert!(matches!(error, RunError::Learner { .. }));
    let words = "`kernel-density` at bandwidth = 0.01: errors are not finite in resample 0 (in 2 of 3 settings): \
                 its estimate is 0, or too small for a number, where the density is not";
    assert!(error.to_string().starts_with(words), "{error}");
    // The squared error is finite.
    let plan = changed(&plan, |parts| parts.run.loss = Loss::Squared);
    assert!(engine::run(&plan, 2, &Unwatched).is_ok());
}

/// Where the density is 0 an estimate may be 0, and costs nothing.
#[test]
fn an_estimate_may_be_0_where_the_density_is() {
    let (_, results) = run(r#"
        problem = { density = { uniform = [0, 1], range = [-4, 4] }, train = 30 }
        learner = [{ kernel-density = {}, sweep = { bandwidth = [0.04, 0.3] } }]
        run = { resamples = 50, loss = "log", test = { grid = 400 }, keep = 50 }
    "#);
    let zeros = results
        .kept
        .iter()
        .flat_map(|kept| &kept.fits[0].predictions);
    assert!(zeros.filter(|p| **p == 0.0).count() > 100);
    for parts in results.parts(0) {
        let all = [parts.bias2, parts.variance, parts.risk, parts.test];
        assert!(all.iter().all(|part| part.value > 0.0 && part.value < 5.0));
        let sum = parts.bias2.value + parts.variance.value;
        assert!((sum - parts.test.value).abs() < 1e-12);
    }
}

/// Mass of estimates beyond the range of x is missing where the density is, and costs nothing there: K(f‖p)
/// is larger than what is found within the range, which a wider one shows.
#[test]
fn mass_beyond_the_range_is_named() {
    let found = |density: &str| {
        let (plan, results) = run(&format!(
            "problem = {{ density = {density}, train = 100 }}
             learner = [{{ kernel-density = {{}}, sweep = {{ bandwidth = [0.04, 0.3] }} }}]
             run = {{ resamples = 40, loss = \"log\", test = {{ grid = 800 }} }}"
        ));
        let said = study_report("", &plan, &results, 0.0);
        let warned = said.warnings.iter().any(|one| {
            one.contains("`kernel-density`") && one.contains("of their mass outside 0 to 1")
        });
        (warned, results.parts(0)[1].risk.value)
    };
    let (warned, within) = found("{ uniform = [0, 1] }");
    let (quiet, whole) = found("{ uniform = [0, 1], range = [-2, 3] }");
    assert!(warned && !quiet);
    assert!(whole > 4.0 * within, "{within} {whole}");
}

/// Estimates that are put together from kept fits are those of the run, to the last bit.
#[test]
fn kept_fits_give_the_parts_again() {
    let (plan, results) = run(STUDY);
    let mut replay = Replay::new(Arc::new(plan))
        .expect("the truth is finite")
        .expect("no draws are crossed");
    for kept in &results.kept {
        replay.add(kept);
    }
    for (learner, again) in results.learners.iter().zip(replay.decompose()) {
        let split = &learner.decomposition;
        assert_eq!(
            (&split.bias2, &split.variance),
            (&again.bias2, &again.variance)
        );
        for (parts, again) in split.parts.iter().zip(&again.parts) {
            assert_eq!(
                (parts.risk, parts.test, parts.bias2),
                (again.risk, again.test, again.bias2)
            );
        }
    }
}
