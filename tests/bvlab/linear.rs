//! Linear regression on isotropic Gaussian inputs, on both sides of the interpolation threshold,
//! against the exact forms for finite n and p (no intercept, minimum norm).

use bvlab::interrupt::Interrupt;
use bvlab::learner::{GradientSteps, Learner, Linear, LinearSetting};
use bvlab::outcome::Tables;
use bvlab::problem::{Labels, Truth};

use crate::setup::{algorithm, close, data, fit_predict, plan, points, run};

const N: f64 = 20.0;
const S2: f64 = 0.25;

/// (bias², variance) with p features that carry r_in² of ‖β‖², r_out² outside.
fn exact(p: f64, r_in2: f64, r_out2: f64) -> (f64, f64) {
    let noise = S2 + r_out2;
    match p < N {
        true => (r_out2, noise * p / (N - p - 1.0)),
        false => {
            let g = N / p;
            (
                r_in2 * (1.0 - g).powi(2) + r_out2,
                r_in2 * g * (1.0 - g) + noise * N / (p - N - 1.0),
            )
        }
    }
}

fn assert_theory(truth: &str, features: &[u32], shares: impl Fn(u32) -> (f64, f64)) {
    let list = features
        .iter()
        .map(u32::to_string)
        .collect::<Vec<_>>()
        .join(", ");
    let text = format!(
        r#"
        [problem]
        truth  = "{truth}"
        inputs = {{ normal = [0, 1], dimension = 60 }}
        noise  = {{ normal = 0.5 }}
        train  = 20
        [[learner]]
        linear = {{ intercept = false }}
        sweep = {{ features = [{list}] }}
        [run]
        resamples = 1500
        test = {{ draw = 1000 }}
        "#
    );
    let (_, results) = run(&text);
    for (parts, p) in results.learners[0].decomposition.parts.iter().zip(features) {
        let (r_in2, r_out2) = shares(*p);
        let (bias2, variance) = exact(f64::from(*p), r_in2, r_out2);
        for (name, estimate, exact) in [
            ("bias²", parts.bias2, bias2),
            ("variance", parts.variance, variance),
            ("risk", parts.risk, S2 + bias2 + variance),
        ] {
            let apart = (estimate.value - exact) / estimate.se;
            assert!(
                apart.abs() < 4.0,
                "{name} at p = {p}: {} ± {}, not {exact}",
                estimate.value,
                estimate.se
            );
        }
    }
}

#[test]
fn with_all_of_the_signal_inside() {
    assert_theory("x1", &[2, 5, 10, 14, 26, 30, 40, 60], |_| (1.0, 0.0));
}

#[test]
fn with_a_part_of_the_signal_outside() {
    // x40 is a feature only from p = 40 on.
    assert_theory(
        "0.8*x1 + 0.6*x40",
        &[2, 8, 13, 27, 39, 45, 60],
        |p| match p < 40 {
            true => (0.64, 0.36),
            false => (1.0, 0.0),
        },
    );
}

/// n = 10, p = 20, r = 1, sd = 0.5: r²(1 - n/p) + s² n/(p - n - 1) = 0.5 + 2.5/9, whatever the
/// direction.
#[test]
fn the_excess_of_minimum_norm_in_a_random_direction() {
    for seed in [1, 2] {
        let (_, results) = run(&format!(
            r#"
            [problem]
            truth  = {{ linear = 1.0 }}
            inputs = {{ normal = [0, 1], dimension = 20 }}
            noise  = {{ normal = 0.5 }}
            train  = 10
            [[learner]]
            linear = {{ intercept = false }}
            [run]
            seed = {seed}
            resamples = 4000
            test = {{ draw = 2000 }}
            "#
        ));
        let risk = results.learners[0].decomposition.parts[0].risk;
        let excess = risk.value - S2;
        assert!(
            (excess - 0.7778).abs() < 4.0 * risk.se && risk.se < 0.03,
            "seed {seed}: {excess} ± {}, not 0.7778",
            risk.se
        );
    }
}

#[test]
fn another_seed_gives_another_direction() {
    let text = "
        problem = { truth = { linear = 2 }, inputs = { normal = [0, 1], dimension = 5 }, noise = { normal = 1 }, train = 9 }
        learner = [{ linear = {} }]
        run = { seed = SEED }
    ";
    let beta = |seed: &str| match plan(&text.replace("SEED", seed))
        .into_parts()
        .problems
        .remove(0)
        .labels
    {
        Labels::Numbers {
            truth: Truth::Linear(beta),
            ..
        } => beta,
        other => panic!("{other:?}"),
    };
    assert_eq!(beta("1"), beta("1"));
    assert_ne!(beta("1"), beta("2"));
    for seed in ["1", "2"] {
        let norm = beta(seed).iter().map(|b| b * b).sum::<f64>().sqrt();
        assert!((norm - 2.0).abs() < 1e-12, "{norm}");
    }
}

#[test]
fn a_constant_is_found_and_not_shrunk() {
    let (_, results) = run(r#"
        [problem]
        truth  = "100 + 0*x1"
        inputs = { normal = [0, 1], dimension = 3 }
        noise  = { normal = 0.1 }
        train  = 30
        [[learner]]
        linear = {}
        sweep = { lambda = [0, 1, 1e9] }
        [run]
        resamples = 50
        test = { draw = 50 }
    "#);
    for parts in &results.learners[0].decomposition.parts {
        assert!(parts.bias2.value.abs() < 0.01, "{}", parts.bias2.value);
    }
}

/// At p = n the expected risk is infinite: the sample's mean is whatever its worst resample was,
/// and the run must say so, there and nowhere else.
#[test]
fn a_mean_that_does_not_exist_is_called_out() {
    let (_, results) = run(r#"
        [problem]
        truth  = "x1"
        inputs = { normal = [0, 1], dimension = 40 }
        noise  = { normal = 0.5 }
        train  = 20
        [[learner]]
        linear = { intercept = false }
        sweep = { features = [10, 14, 19, 20, 21, 26, 40] }
        [run]
        resamples = 1000
        test = { draw = 300 }
    "#);
    let parts = &results.learners[0].decomposition.parts;
    let heavy: Vec<bool> = parts
        .iter()
        .map(|p| bvlab::decompose::heavy_tail(p.largest_share, 1000))
        .collect();
    assert_eq!(heavy, [false, false, true, true, true, false, false]);
}

/// Where the truth is linear and the inputs are normal, the table carries the exact forms, on both
/// sides of the threshold, for features that miss a part of the truth, and for any scale.
#[test]
fn the_table_has_the_exact_forms_of_normal_inputs() {
    let text = r#"
        [problem]
        truth  = { linear = 1.5 }
        inputs = { normal = [0, 2], dimension = 30 }
        noise  = { normal = 0.5 }
        train  = 15
        [sweep]
        features = [3, 8, 14, 15, 16, 22, 30]
        [[learner]]
        linear = { intercept = false }
        [run]
        resamples = 2000
        test = { draw = 2000 }
    "#;
    let (experiment, results) = run(text);
    let table = Tables::new(&experiment, &results).curves;
    let get = |name: &str| table.numbers(name).to_vec();
    let exact: Vec<f64> = get("bias2_exact")
        .iter()
        .zip(get("variance_exact"))
        .map(|(bias2, variance)| bias2 + variance)
        .collect();
    let (risk, se) = (get("risk"), get("risk_se"));
    for c in [0, 1, 5, 6] {
        let excess = risk[c] - 0.25;
        assert!(
            (excess - exact[c]).abs() < 4.5 * se[c],
            "{c}: {excess} for {}",
            exact[c]
        );
        assert!(se[c] < 0.1 * exact[c]);
    }
    // All thirty features: r² = 9, n = 15, p = 30, r²(1-g)² + r² g(1-g) + s² n/(p-n-1).
    assert!((exact[6] - (9.0 * 0.5 + 0.25 * 15.0 / 14.0)).abs() < 1e-12);
    assert!(
        (2..5).all(|c| !exact[c].is_finite()),
        "near p = n nothing is finite"
    );
    // With a constant, with a penalty or on other inputs there is no such form.
    for (from, to) in [
        ("intercept = false", "intercept = true"),
        ("intercept = false", "intercept = false, lambda = 1"),
        ("normal = [0, 2]", "normal = [1, 2]"),
        ("normal = [0, 2]", "uniform = [-1, 1]"),
        ("{ linear = 1.5 }", "\"x1\""),
        // A grid ends at three sd and stands for less than the whole distribution.
        ("dimension = 30", "dimension = 1"),
    ] {
        let text = match to {
            "dimension = 1" => text
                .replace("[3, 8, 14, 15, 16, 22, 30]", "[1]")
                .replace("{ draw = 2000 }", "{ grid = 50 }"),
            _ => text.to_owned(),
        };
        let (experiment, results) = run(&text.replace(from, to).replace("2000", "40"));
        let table = Tables::new(&experiment, &results).curves;
        assert!(table.numbers("bias2_exact").is_empty(), "{to}");
    }
}

#[test]
fn without_noise_nothing_is_infinite() {
    let problem = |train: usize| {
        let text = format!(
            r#"
            problem = {{ truth = {{ linear = 1 }}, inputs = {{ normal = [0, 1], dimension = 10 }}, noise = {{ normal = 0 }}, train = {train} }}
            learner = [{{ linear = {{ intercept = false }} }}]
            run = {{ resamples = 200, test = {{ draw = 200 }} }}
            "#
        );
        let (_, results) = run(&text);
        let found = &results.learners[0];
        let expected = found.expected.as_ref().unwrap()[0];
        let parts = &found.decomposition.parts[0];
        let risk = expected.bias2 + expected.variance;
        assert!(
            (parts.risk.value - risk).abs() <= 5.0 * parts.risk.se + 1e-9,
            "{train}"
        );
        risk
    };
    assert_eq!([problem(10), problem(11), problem(20)], [0.0; 3]);
    assert!(problem(5) > 0.4);
}

/// Taking off the means costs a rank; the condition number is that of what is left.
#[test]
fn the_condition_number_of_centred_inputs_is_finite() {
    let data = data(5, 12, 30, None);
    let settings = [5, 11, 12, 30].map(|features| LinearSetting {
        features,
        lambda: 0.0,
    });
    for intercept in [true, false] {
        let mut learner = Linear::new(settings.to_vec(), intercept);
        learner.fit(&data, &algorithm(1));
        let found = learner.diagnose(&data, &Interrupt::never());
        let found = found.unwrap().unwrap();
        let full: f64 = if intercept { 11.0 } else { 12.0 };
        for (setting, found) in settings.iter().zip(found) {
            assert_eq!(found.rank, full.min(setting.features as f64));
            assert!(
                found.condition < 1e4,
                "{intercept} {setting:?}: {}",
                found.condition
            );
        }
    }
}

/// Gradient descent on ‖y - Xw‖²/(2n) + λ‖w‖²/(2n), step by step.
fn stepwise(x: &[Vec<f64>], y: &[f64], lambda: f64, rate: f64, steps: usize) -> Vec<f64> {
    let n = y.len() as f64;
    let mut w = vec![0.0; x[0].len()];
    for _ in 0..steps {
        let misses: Vec<f64> = x
            .iter()
            .zip(y)
            .map(|(x, y)| x.iter().zip(&w).map(|(x, w)| x * w).sum::<f64>() - y)
            .collect();
        let slope = |j: usize| -> f64 {
            let terms = x.iter().zip(&misses).map(|(x, miss)| x[j] * miss);
            (terms.sum::<f64>() + lambda * w[j]) / n
        };
        w = (0..w.len()).map(|j| w[j] - rate * slope(j)).collect();
    }
    w
}

#[test]
fn an_epoch_is_a_step_of_gradient_descent() {
    let at = points(1, 20, 6, 1.0);
    for n in [4, 15] {
        let data = data(9, n, 6, None);
        for (intercept, lambda, rate) in [(false, 0.0, 0.4), (false, 0.7, 0.3), (true, 0.0, 1.5)] {
            let epochs = [0, 1, 2, 7, 100, 3000];
            let settings = epochs.map(|_| LinearSetting {
                features: 5,
                lambda,
            });
            let steps = epochs.map(|epochs| GradientSteps {
                epochs: f64::from(epochs),
                rate,
            });
            let mut learner = Linear::new(settings.to_vec(), intercept).descending(steps.to_vec());
            let got = fit_predict(&mut learner, &data, &at);
            assert!(learner.remarks().unwrap().iter().all(Option::is_none));
            assert!(!learner.residuals_leave_one_out());
            let mean = |column: &dyn Fn(usize) -> f64| match intercept {
                true => (0..n).map(column).sum::<f64>() / n as f64,
                false => 0.0,
            };
            let means: Vec<f64> = (0..5).map(|j| mean(&|i| data.inputs.get(i, j))).collect();
            let middle = mean(&|i| data.labels[i]);
            let centred = |row: &[f64]| -> Vec<f64> {
                row[..5]
                    .iter()
                    .zip(&means)
                    .map(|(x, mean)| x - mean)
                    .collect()
            };
            let x: Vec<Vec<f64>> = data.inputs.rows().map(centred).collect();
            let y: Vec<f64> = data.labels.iter().map(|y| y - middle).collect();
            for (epochs, got) in epochs.iter().zip(&got) {
                let w = stepwise(&x, &y, lambda, rate, *epochs as usize);
                for (row, got) in at.rows().zip(got) {
                    let terms = centred(row);
                    let terms = terms.iter().zip(&w).map(|(x, w)| x * w);
                    let wanted = middle + terms.sum::<f64>();
                    assert!(
                        close(*got, wanted, 1e-9),
                        "{epochs} epochs: {got}, not {wanted}"
                    );
                }
            }
        }
    }
}

#[test]
fn steps_that_are_too_long_are_called_out() {
    let data = data(9, 15, 3, None);
    let setting = LinearSetting {
        features: 3,
        lambda: 0.0,
    };
    let steps = |rate| vec![GradientSteps { epochs: 50.0, rate }];
    for (rate, diverges) in [(0.1, false), (50.0, true)] {
        let mut learner = Linear::new(vec![setting], false).descending(steps(rate));
        learner.fit(&data, &algorithm(1));
        assert_eq!(learner.remarks().unwrap()[0].is_some(), diverges);
    }
}

/// Least squares is the same in any coordinates: below n the exact forms hold for any scales. Beyond,
/// none is known.
#[test]
fn exact_forms_of_coordinates_with_scales() {
    let text = r#"
        [problem]
        truth  = { weights = [2, 1, 0, 0.5, 3] }
        inputs = { normal = [0, 2], sds = { spikes = 2, rest = 0.1 }, dimension = 30 }
        noise  = { normal = 0.5 }
        train  = 15
        [sweep]
        features = [3, 8, 22]
        [[learner]]
        linear = { intercept = false }
        [run]
        resamples = 2000
        test = { draw = 2000 }
    "#;
    let (experiment, results) = run(text);
    let table = Tables::new(&experiment, &results).curves;
    let get = |name: &str| table.numbers(name).to_vec();
    let (risk, se) = (get("risk"), get("risk_se"));
    let (bias2, variance) = (get("bias2_exact"), get("variance_exact"));
    // Outside of the first three: (0.2 · 0.5)² + (0.2 · 3)².
    assert!((bias2[0] - 0.37).abs() < 1e-12, "{}", bias2[0]);
    assert!((variance[0] - (0.25 + 0.37) * 3.0 / 11.0).abs() < 1e-12);
    for c in [0, 1] {
        let exact = 0.25 + bias2[c] + variance[c];
        assert!(
            (risk[c] - exact).abs() < 4.5 * se[c],
            "{}: {exact}",
            risk[c]
        );
    }
    assert!(bias2[2].is_nan() && variance[2].is_nan());
}

#[test]
fn scales_are_those_of_the_draws() {
    use bvlab::data::Points;
    use bvlab::problem::Inputs;
    use bvlab::stream::{Purpose, Stream};
    let inputs = Inputs::scaled_normal(1.0, 2.0, vec![1.0, 0.15]);
    let mut points = Points::default();
    inputs.draw(
        20_000,
        2,
        &mut Stream::new(1, Purpose::Inputs, 0),
        &mut points,
    );
    for (axis, sd) in [(0, 2.0), (1, 0.3)] {
        let values = || points.rows().map(|row| row[axis]);
        let mean = values().sum::<f64>() / 20_000.0;
        let variance = values().map(|x| (x - 1.0).powi(2)).sum::<f64>() / 20_000.0;
        assert!((mean - 1.0).abs() < 4.0 * sd / 20_000_f64.sqrt());
        assert!((variance.sqrt() / sd - 1.0).abs() < 4.0 / 40_000_f64.sqrt());
    }
    assert_eq!(inputs.as_normal(), None);
    assert_eq!(inputs.range(), (-5.0, 7.0));
    // The density of a point is that of its coordinates in their own units.
    let ratio = inputs.weight(&[1.0, 1.3]) / inputs.weight(&[1.0, 1.0]);
    assert!((ratio - (-0.5_f64).exp()).abs() < 1e-12);
}
