//! Linear regression on isotropic Gaussian inputs, on both sides of the interpolation threshold,
//! against the exact forms for finite n and p (no intercept, minimum norm).

use bvlab::interrupt::Interrupt;
use bvlab::learner::{Learner, Linear, LinearSetting};
use bvlab::outcome::Tables;
use bvlab::problem::{Labels, Truth};

use crate::setup::{algorithm, data, plan, run};

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
