//! Cross-entropy, zero-one loss and squared loss of probabilities: against a classifier whose
//! predictions are known, by the definitions.

use bvlab::data::{Points, Training};
use bvlab::decompose::{Decomposition, Parts, interval_factor};
use bvlab::engine::{self, Results, Unwatched};
use bvlab::interrupt::{Interrupt, Interrupted};
use bvlab::learner::Learner;
use bvlab::outcome::Tables;
use bvlab::plan::{Plan, SweepAxis};
use bvlab::stream::Stream;
use rand::RngExt;

use crate::setup::{plan, with_learner};

/// How often each of its predictions is made, and at every x from 0 to 1 which.
const OFTEN: [f64; 4] = [0.3, 0.45, 0.15, 0.1];

fn prediction(which: usize, x: f64) -> [f64; 3] {
    let weights = match which {
        0 => [3.0, 1.0 + x, 1.0],
        1 => [1.0, 3.0 * x, 2.0],
        2 => [1.0, 1.0, 5.0 - x],
        _ => [0.2, 4.0, x],
    };
    let sum: f64 = weights.iter().sum();
    weights.map(|weight| weight / sum)
}

fn truth(x: f64) -> [f64; 3] {
    let weights = [2.0 - x, 1.0 + x, 1.5 * x];
    let sum: f64 = weights.iter().sum();
    weights.map(|weight| weight / sum)
}

/// Makes one of its predictions, whatever the data.
#[derive(Clone)]
struct Known {
    which: usize,
}

impl Learner for Known {
    fn capacities(&self) -> usize {
        1
    }

    fn try_fit(&mut self, _: &Training, stream: &Stream, _: &Interrupt) -> Result<(), Interrupted> {
        let mut even: f64 = stream.child(0).random();
        self.which = 0;
        while even >= OFTEN[self.which] && self.which < 3 {
            even -= OFTEN[self.which];
            self.which += 1;
        }
        Ok(())
    }

    fn try_predict(
        &mut self,
        points: &Points,
        out: &mut [f64],
        _: &Interrupt,
    ) -> Result<(), Interrupted> {
        for (x, out) in points.rows().zip(out.chunks_exact_mut(3)) {
            out.copy_from_slice(&prediction(self.which, x[0]));
        }
        Ok(())
    }
}

const POINTS: usize = 5;

fn points() -> impl Iterator<Item = f64> {
    (0..POINTS).map(|j| (j as f64 + 0.5) / POINTS as f64)
}

fn known(resamples: u64, seed: u64, how: &str) -> (Plan, Results) {
    let plan = plan(&format!(
        r#"
        problem = {{ classes = {{ probabilities = ["2 - x", "1 + x", "1.5*x"] }}, inputs = {{ uniform = [0, 1] }}, train = 2 }}
        learner = [{{ knn = {{ k = 1 }} }}]
        run = {{ resamples = {resamples}, seed = {seed}, test = {{ grid = {POINTS} }}, {how} }}
        "#
    ));
    let axis = SweepAxis::new("one", &[1.0]);
    let plan = with_learner(&plan, "known", axis, Known { which: 0 });
    let results = engine::run(&plan, 2, &Unwatched).unwrap();
    (plan, results)
}

fn parts(results: &Results) -> &Parts {
    &results.learners[0].decomposition.parts[0]
}

/// The mean over the predictions and test points.
fn mean(of: impl Fn(f64, [f64; 3]) -> f64) -> f64 {
    let at = |x: f64| {
        (0..4)
            .map(|i| OFTEN[i] * of(x, prediction(i, x)))
            .sum::<f64>()
    };
    points().map(at).sum::<f64>() / POINTS as f64
}

fn divergence(p: [f64; 3], q: [f64; 3]) -> f64 {
    p.iter().zip(q).map(|(p, q)| p * (p / q).ln()).sum()
}

/// Noise, bias and variance of cross-entropy, by their definitions.
fn cross_entropy() -> [f64; 3] {
    let centroid = |x: f64| {
        let logs: Vec<f64> = (0..3)
            .map(|k| (0..4).map(|i| OFTEN[i] * prediction(i, x)[k].ln()).sum())
            .collect();
        let sum: f64 = logs.iter().map(|log: &f64| log.exp()).sum();
        [0, 1, 2].map(|k| logs[k].exp() / sum)
    };
    [
        mean(|x, _| truth(x).iter().map(|p| -p * p.ln()).sum()),
        mean(|x, _| divergence(truth(x), centroid(x))),
        mean(|x, p| divergence(centroid(x), p)),
    ]
}

fn largest(p: [f64; 3]) -> usize {
    (0..3).fold(0, |best, k| if p[k] > p[best] { k } else { best })
}

/// The shares of votes at x.
fn votes(x: f64) -> [f64; 3] {
    let mut votes = [0.0; 3];
    (0..4).for_each(|i| votes[largest(prediction(i, x))] += OFTEN[i]);
    votes
}

fn average(of: impl Fn(f64) -> f64) -> f64 {
    points().map(of).sum::<f64>() / POINTS as f64
}

/// What is right of every part of zero-one loss, by name. At x = 0.5 two classes are equally probable:
/// there the parts are the mean of those for one and for the other.
fn zero_one() -> Vec<(&'static str, f64)> {
    let [first, second] = [largest, last_largest].map(zero_one_with);
    let both = first.into_iter().zip(second);
    both.map(|((name, a), (_, b))| (name, (a + b) / 2.0))
        .collect()
}

fn last_largest(p: [f64; 3]) -> usize {
    (0..3).fold(0, |best, k| if p[k] >= p[best] { k } else { best })
}

/// The same by definition, with the best class chosen that way: a label and a vote are drawn apart,
/// and every pair of them is counted.
fn zero_one_with(choose: fn([f64; 3]) -> usize) -> Vec<(&'static str, f64)> {
    let pairs = |x: f64, of: &dyn Fn(usize, usize) -> f64| {
        let (p, q) = (truth(x), votes(x));
        (0..9)
            .map(|i| p[i / 3] * q[i % 3] * of(i / 3, i % 3))
            .sum::<f64>()
    };
    let unequal = |a: usize, b: usize| f64::from(u8::from(a != b));
    let risk = move |x: f64| pairs(x, &unequal);
    let constant = move |x: f64, class: usize| pairs(x, &|y, _| unequal(y, class));
    let best = move |x: f64| choose(truth(x));
    let main = |x: f64| largest(votes(x));
    let noise = move |x: f64| constant(x, best(x));
    let bias = move |x: f64| unequal(best(x), main(x));
    let variance = move |x: f64| pairs(x, &|_, vote| unequal(vote, main(x)));
    // Domingos' factors, in his words: P(vote is best) - P(it is not) P(vote is the label | label is
    // not best); 1, or minus P(vote is best | vote is not main).
    let c1 = move |x: f64| {
        let is_best = pairs(x, &|_, vote| 1.0 - unequal(vote, best(x)));
        let off = pairs(x, &|y, vote| unequal(y, best(x)) * unequal(vote, best(x)));
        let lucky = pairs(x, &|y, vote| {
            unequal(y, best(x)) * unequal(vote, best(x)) * (1.0 - unequal(vote, y))
        });
        is_best - (1.0 - is_best) * lucky / off
    };
    let c2 = move |x: f64| match bias(x) {
        0.0 => 1.0,
        _ => -pairs(x, &|_, vote| 1.0 - unequal(vote, best(x))) / variance(x),
    };
    let squares = |p: [f64; 3]| p.iter().map(|p| p * p).sum::<f64>();
    let apart = |x: f64| {
        (0..3)
            .map(|k| (truth(x)[k] - votes(x)[k]).powi(2))
            .sum::<f64>()
    };
    vec![
        ("bayes_error", average(noise)),
        ("domingos_noise", average(noise)),
        ("domingos_bias", average(bias)),
        ("domingos_variance", average(variance)),
        (
            "domingos_variance_right",
            average(|x| variance(x) * (1.0 - bias(x))),
        ),
        (
            "domingos_variance_wrong",
            average(|x| variance(x) * bias(x)),
        ),
        ("domingos_noise_effect", average(|x| c1(x) * noise(x))),
        ("domingos_variance_effect", average(|x| c2(x) * variance(x))),
        ("kw_noise", average(|x| 0.5 * (1.0 - squares(truth(x))))),
        ("kw_bias2", average(|x| 0.5 * apart(x))),
        ("kw_variance", average(|x| 0.5 * (1.0 - squares(votes(x))))),
        ("effect_noise", average(noise)),
        ("effect_bias", average(|x| constant(x, main(x)) - noise(x))),
        (
            "effect_variance",
            average(|x| risk(x) - constant(x, main(x))),
        ),
    ]
}

fn within(name: &str, found: bvlab::decompose::Estimate, right: f64) {
    // What follows from the main prediction has no error bar: four times the most that the share of
    // a vote of 20 000 can err.
    let se = match found.se.is_nan() {
        true => 0.5 / 20_000_f64.sqrt(),
        false => found.se,
    };
    let limit = interval_factor(1.0 - 1e-4, 24) * se + 1e-12;
    assert!(
        (found.value - right).abs() <= limit,
        "{name}: {} ± {} for {right}",
        found.value,
        found.se
    );
}

#[test]
fn cross_entropy_splits_by_the_geometric_mean() {
    let (_, results) = known(20_000, 1, "loss = \"cross-entropy\"");
    let found = parts(&results);
    let [noise, bias, variance] = cross_entropy();
    assert!((found.noise - noise).abs() < 1e-12);
    within("bias", found.bias2, bias);
    within("variance", found.variance, variance);
    assert!(found.bias2.se < 0.05 * bias && found.variance.se < 0.05 * variance);
    // The sum is the mean of the losses, by definition.
    let risk = mean(|x, p| {
        let truth = truth(x);
        (0..3).map(|k| -truth[k] * p[k].ln()).sum()
    });
    assert!((noise + bias + variance - risk).abs() < 1e-12);
    within("risk", found.risk, risk);
    within("testing error", found.test, risk);
    within("gap", found.gap, 0.0);
    let sum = found.noise + found.bias2.value + found.variance.value;
    assert!((sum - found.risk.value).abs() < 1e-13);
}

/// From ten training sets the plain estimates of bias and variance are off by a fifth and more.
#[test]
fn a_few_training_sets_are_enough_for_cross_entropy_to_be_unbiased() {
    let [_, bias, variance] = cross_entropy();
    let (runs, resamples) = (2000, 10);
    let mut sums = [[0.0; 2]; 3];
    for seed in 0..runs {
        let (_, results) = known(resamples, seed, "loss = \"cross-entropy\"");
        let found = parts(&results);
        let Decomposition { mean, .. } = &results.learners[0].decomposition;
        // Without a correction the variance is -ln Σ exp m at every point.
        let plain = mean
            .chunks_exact(3)
            .map(|m| -m.iter().map(|m| m.exp()).sum::<f64>().ln());
        let plain = plain.sum::<f64>() / POINTS as f64;
        for (sum, value) in sums
            .iter_mut()
            .zip([found.bias2.value, found.variance.value, plain])
        {
            sum[0] += value;
            sum[1] += value * value;
        }
    }
    let count = runs as f64;
    let [bias_mean, variance_mean, plain_mean] = sums.map(|[sum, squares]| {
        let mean = sum / count;
        (mean, ((squares / count - mean * mean) / count).sqrt())
    });
    for ((mean, se), right) in [(bias_mean, bias), (variance_mean, variance)] {
        // What is left is of the order 1/R²: a hundredth of the variance.
        assert!(
            (mean - right).abs() < 4.0 * se + 0.01 * variance,
            "{mean} ± {se} for {right}"
        );
    }
    let (mean, se) = plain_mean;
    assert!(mean < variance - 10.0 * se, "{mean} ± {se} for {variance}");
}

#[test]
fn zero_one_loss_splits_by_name_and_every_split_adds_up() {
    let right = zero_one();
    let value = |name: &str| right.iter().find(|(n, _)| *n == name).unwrap().1;
    let risk = mean(|x, p| 1.0 - truth(x)[largest(p)]);
    for (split, names) in [
        (
            "domingos",
            [
                "domingos_noise_effect",
                "domingos_bias",
                "domingos_variance_effect",
            ],
        ),
        ("kohavi-wolpert", ["kw_noise", "kw_bias2", "kw_variance"]),
        (
            "effects",
            ["effect_noise", "effect_bias", "effect_variance"],
        ),
    ] {
        let sum: f64 = names.iter().map(|name| value(name)).sum();
        assert!((sum - risk).abs() < 1e-12, "{split}: {sum} for {risk}");
        let how = format!("loss = \"zero-one\", split = \"{split}\"");
        let (plan, results) = known(20_000, 2, &how);
        let found = parts(&results);
        assert_eq!(found.extra.len(), right.len());
        for ((name, found), (also, right)) in found.extra.iter().zip(&right) {
            assert_eq!(name, also);
            within(name, *found, *right);
        }
        within("risk", found.risk, risk);
        within("gap", found.gap, 0.0);
        let sum = found.noise + found.bias2.value + found.variance.value;
        assert!((sum - found.risk.value).abs() < 1e-13, "{split}");
        let curves = Tables::new(&plan, &results).curves;
        let shown = ["noise", "bias2", "variance"].map(|name| curves.numbers(name)[0]);
        assert_eq!(shown, names.map(|name| curves.numbers(name)[0]), "{split}");
    }
    // Bias and variance alone do not sum to the risk.
    let plain = value("domingos_bias") + value("domingos_variance");
    assert!((plain - risk).abs() > 0.05, "{plain} for {risk}");
}

#[test]
fn kohavi_and_wolpert_are_unbiased_from_few_training_sets() {
    let right = zero_one();
    let runs = 2000;
    let mut values: Vec<[f64; 2]> = Vec::new();
    for seed in 0..runs {
        let (_, results) = known(6, seed, "loss = \"zero-one\", split = \"kohavi-wolpert\"");
        let found = parts(&results);
        values.push([found.bias2.value, found.variance.value]);
    }
    for (i, name) in ["kw_bias2", "kw_variance"].into_iter().enumerate() {
        let exact = right.iter().find(|(n, _)| *n == name).unwrap().1;
        let count = runs as f64;
        let mean = values.iter().map(|v| v[i]).sum::<f64>() / count;
        let squares = values.iter().map(|v| (v[i] - mean).powi(2)).sum::<f64>();
        let se = (squares / (count - 1.0) / count).sqrt();
        assert!(
            (mean - exact).abs() < 4.0 * se,
            "{name}: {mean} ± {se} for {exact}"
        );
    }
}

#[test]
fn squared_loss_of_probabilities_is_summed_over_classes() {
    let (_, results) = known(20_000, 3, "loss = \"squared\"");
    let found = parts(&results);
    let sum = |of: &dyn Fn(usize) -> f64| (0..3).map(of).sum::<f64>();
    let centre = |x: f64, k: usize| (0..4).map(|i| OFTEN[i] * prediction(i, x)[k]).sum::<f64>();
    let noise = mean(|x, _| sum(&|k| truth(x)[k] * (1.0 - truth(x)[k])));
    assert!((found.noise - noise).abs() < 1e-12);
    within(
        "bias²",
        found.bias2,
        mean(|x, _| sum(&|k| (centre(x, k) - truth(x)[k]).powi(2))),
    );
    within(
        "variance",
        found.variance,
        mean(|x, p| sum(&|k| (p[k] - centre(x, k)).powi(2))),
    );
    let risk = mean(|x, p| {
        let brier = |y: usize| sum(&|k| (p[k] - f64::from(u8::from(k == y))).powi(2));
        sum(&|y| truth(x)[y] * brier(y))
    });
    within("risk", found.risk, risk);
    within("testing error", found.test, risk);
    within("gap", found.gap, 0.0);
}

/// Error bars of every part hold what is right 95 times in a hundred.
#[test]
fn the_error_bars_of_all_losses_cover() {
    let [_, bias, variance] = cross_entropy();
    let right = zero_one();
    let runs = 200;
    let mut outside = [0; 4];
    for seed in 0..runs {
        let (_, results) = known(960, seed, "loss = \"cross-entropy\"");
        let found = parts(&results);
        let (_, votes) = known(960, seed, "loss = \"zero-one\", split = \"kohavi-wolpert\"");
        let exact = |name: &str| right.iter().find(|(n, _)| *n == name).unwrap().1;
        let looked_at = [
            (found.bias2, bias),
            (found.variance, variance),
            (parts(&votes).bias2, exact("kw_bias2")),
            (parts(&votes).variance, exact("kw_variance")),
        ];
        for (outside, (found, right)) in outside.iter_mut().zip(looked_at) {
            let [low, high] = found.interval.expect("there is an interval");
            *outside += u32::from(!(low..=high).contains(&right));
        }
    }
    // Of 200 about 10, give or take 3.1.
    for outside in outside {
        assert!((1..=22).contains(&outside), "{outside} of {runs}");
    }
}

#[test]
fn a_probability_of_zero_is_smoothed_and_counted() {
    let text = r#"
        problem = { classes = { probability = 0.5 }, inputs = { uniform = [0, 1] }, train = 3 }
        learner = [{ knn = { k = 1 } }]
        run = { resamples = 100, test = { grid = 4 }, loss = "cross-entropy", smoothing = 0.01 }
    "#;
    let (experiment, results) = crate::setup::run(text);
    let found = parts(&results);
    // A single neighbour is always sure: half of its probabilities are 0.
    assert_eq!(found.zeros, 0.5);
    let [sure, not] = [1.01_f64, 0.01].map(|p| -(p / 1.02).ln());
    assert!((found.risk.value - (sure + not) / 2.0).abs() < 1e-12);
    let curves = Tables::new(&experiment, &results).curves;
    assert_eq!(curves.numbers("zero_share"), [0.5]);
}
