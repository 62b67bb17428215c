//! Estimates of the parts and their standard errors.

use super::interval::{Fluctuation, IntervalEnds};
use super::jackknife::PointsError;
pub(super) use super::jackknife::{jackknife, unit};
use super::probe::ProbeResult;
use super::{
    Doubt, Loss, MethodSummary, SelectionTally, Sources, Tally, classes, interval_factor,
    selection, squared,
};
use crate::learner::RiskMoments;
use crate::maths::{hypot, ln};

/// The number of groups of resamples: intervals from 20 to 25 groups with Student's t have the right
/// coverage even where bias² is near zero; those from fewer groups or from single resamples do not.
pub const GROUPS: usize = 24;

/// Below this number of resamples, each is a group of its own.
const FEW: u64 = 40;

/// The number of groups for a number of resamples.
pub fn groups_for(resamples: u64) -> usize {
    match resamples < FEW {
        true => resamples as usize,
        false => GROUPS,
    }
}

/// A value and its standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// Its standard error; NaN where none is known.
    pub se: f64,
    /// Its 95 % interval, where one is known.
    pub interval: Option<[f64; 2]>,
}

impl Estimate {
    /// A value and its standard error, without an interval.
    pub fn new(value: f64, se: f64) -> Self {
        Estimate {
            value,
            se,
            interval: None,
        }
    }

    /// A value whose error is not known.
    pub(super) fn without_error(value: f64) -> Self {
        Estimate::new(value, f64::NAN)
    }

    pub(super) fn within(value: f64, se: f64, interval: IntervalEnds) -> Self {
        Estimate {
            value,
            se,
            interval: Some(interval),
        }
    }
}

/// The parts of the error of one setting, averaged over the inputs' distribution.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parts {
    /// The noise's variance, known exactly at every test point; under another loss its noise. NaN for
    /// real data, where it is unknown and part of the bias.
    pub noise: f64,
    /// Its standard error: 0, except for Domingos' noise, whose factor is estimated, and for drawn test
    /// points.
    pub noise_se: f64,
    /// Unbiased bias².
    pub bias2: Estimate,
    /// Unbiased variance.
    pub variance: Estimate,
    /// noise + bias² + variance.
    pub risk: Estimate,
    /// The error on the training set.
    pub train: Estimate,
    /// The error on fresh labels.
    pub test: Estimate,
    /// test - risk, with the error of the paired difference: zero apart from chance.
    pub gap: Estimate,
    /// The risk's standard error from the spread over resamples alone, without that of test points
    /// that are drawn: what more resamples can shrink.
    pub risk_resampling_se: f64,
    /// The largest share of one resample in bias² + variance, summed over all resamples.
    pub largest_share: f64,
    /// The lower quartile, the median and the upper quartile of the risks of single resamples.
    pub risk_quartiles: [f64; 3],
    /// The median's standard error.
    pub risk_median_se: f64,
    /// The variance by source, where draws were crossed.
    pub sources: Option<Sources>,
    /// Under cross-entropy: which share of the predicted probabilities was exactly 0.
    pub zeros: f64,
    /// Further quantities of the loss, by name.
    pub extra: Vec<(&'static str, Estimate)>,
    /// Reasons to doubt these numbers, the most serious first.
    pub doubts: Vec<Doubt>,
    /// What an exact form is compared with.
    pub(super) against_theory: AgainstTheory,
    /// The averages with each group left out in turn, for paired comparisons.
    pub(super) left_out: LeftOutAverages,
}

/// An average over x that is known with each group of resamples left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Averaged {
    /// Noise.
    Noise,
    /// Bias².
    Bias2,
    /// Variance.
    Variance,
    /// Risk.
    Risk,
    /// The error on the training set.
    Train,
    /// The error on fresh labels.
    Test,
}

/// The averages over x with each group left out in turn. Noise is empty where it is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct LeftOutAverages {
    pub noise: Vec<f64>,
    pub bias2: Vec<f64>,
    pub variance: Vec<f64>,
    pub risk: Vec<f64>,
    pub train: Vec<f64>,
    pub test: Vec<f64>,
}

/// What is needed to compare bias² and variance with an exact form.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct AgainstTheory {
    pub fluctuation: Fluctuation,
    pub variance_se: f64,
    /// The errors of bias² and variance that the test points have.
    pub points: [f64; 2],
}

impl Parts {
    /// Whether the means over training sets may not exist.
    pub fn is_spoiled(&self) -> bool {
        self.doubts.iter().any(|doubt| doubt.spoils_mean())
    }

    /// By how much bias² or variance is off because the test points are a grid.
    pub fn grid_error(&self) -> f64 {
        let [bias2, variance] = self.against_theory.points;
        bias2.max(variance)
    }

    /// By how many standard errors bias² and variance differ from their exact values, which are those
    /// at the test points, or with `of_all_inputs` averages over the inputs' distribution.
    pub fn apart_from(&self, bias2: f64, variance: f64, of_all_inputs: bool) -> [f64; 2] {
        let AgainstTheory {
            fluctuation,
            variance_se,
            points,
        } = self.against_theory;
        let with_points = |apart: f64, se: f64, points: f64| match of_all_inputs && se > 0.0 {
            true => apart / hypot(1.0, points / se),
            false => apart,
        };
        // Differences within rounding count as none.
        let same = |a: f64, b: f64, scale: f64| (a - b).abs() <= 1e-9 * scale;
        let scale = self.bias2.value.abs() + self.variance.value.abs();
        let of_bias2 = match same(self.bias2.value, bias2, scale) {
            true => 0.0,
            false => {
                let apart = fluctuation.above(self.bias2.value, bias2);
                with_points(apart, fluctuation.se(), points[0])
            }
        };
        let of_variance = match same(self.variance.value, variance, scale) {
            true => 0.0,
            false => {
                let apart = ln(self.variance.value / variance) * self.variance.value;
                with_points(apart / variance_se, variance_se, points[1])
            }
        };
        [of_bias2, of_variance]
    }
}

/// The parts at every test point and averaged, for every setting of one learner.
#[derive(Clone, Debug, PartialEq)]
pub struct Decomposition {
    /// How many resamples there were.
    pub resamples: u64,
    /// How many groups.
    pub groups: usize,
    /// The averages, by setting.
    pub parts: Vec<Parts>,
    /// By setting, test point and output: the mean of prediction - truth; under cross-entropy and
    /// zero-one loss the mean score; under log-loss exp(E ln p) - f.
    pub mean: Vec<f64>,
    /// By setting and test point: the noise, where it is not the same for every learner.
    pub noise: Option<Vec<f64>>,
    /// By setting and test point: bias².
    pub bias2: Vec<f64>,
    /// By setting and test point: variance.
    pub variance: Vec<f64>,
    /// By method, where capacity is selected from the training set.
    pub selection: Option<Vec<MethodSummary>>,
    pub(super) points: PointsError,
}

impl Decomposition {
    /// The difference of two risks on the same problem, resamples and test points, with the error of
    /// the paired difference.
    pub fn risk_minus(&self, setting: usize, other: &Decomposition, others: usize) -> Estimate {
        let [a, b] = [&self.parts[setting], &other.parts[others]];
        let left_out = a.left_out.risk.iter().zip(&b.left_out.risk);
        let left_out = left_out.map(|(a, b)| a - b);
        // One problem: noise at a point is the same for both where it is not stored.
        let excess = |all: &Decomposition, setting: usize, j: usize| {
            let at = setting * self.points.weights.len() + j;
            let noise = all.noise.as_ref().map_or(0.0, |noise| noise[at]);
            noise + all.bias2[at] + all.variance[at]
        };
        let apart: Vec<f64> = (0..self.points.weights.len())
            .map(|j| excess(self, setting, j) - excess(other, others, j))
            .collect();
        let value = a.risk.value - b.risk.value;
        let se = hypot(jackknife(left_out), self.points.of(&apart, value));
        let reach = interval_factor(0.95, self.groups) * se;
        Estimate::within(value, se, [value - reach, value + reach])
    }
}

impl Decomposition {
    /// An average at a setting with each group of resamples left out in turn.
    pub fn left_out(&self, setting: usize, average: Averaged) -> Vec<f64> {
        let parts = &self.parts[setting];
        let all = &parts.left_out;
        match average {
            Averaged::Noise if all.noise.is_empty() => vec![parts.noise; self.groups],
            Averaged::Noise => all.noise.clone(),
            Averaged::Bias2 => all.bias2.clone(),
            Averaged::Variance => all.variance.clone(),
            Averaged::Risk => all.risk.clone(),
            Averaged::Train => all.train.clone(),
            Averaged::Test => all.test.clone(),
        }
    }

    /// What an average at a setting is the average of, by test point; `noise` is the noise of its
    /// problem, for losses whose noise is the same for every learner. The error on fresh labels has
    /// the risk in its place, and that on the training set knows no test points.
    pub fn at_points(&self, setting: usize, average: Averaged, noise: &[f64]) -> Option<Vec<f64>> {
        let points = self.points.weights.len();
        let at = setting * points..(setting + 1) * points;
        let noise = match &self.noise {
            Some(all) => all.get(at.clone())?,
            None => noise,
        };
        let [bias2, variance] = [self.bias2.get(at.clone())?, self.variance.get(at)?];
        match average {
            Averaged::Noise => Some(noise.to_vec()),
            Averaged::Bias2 => Some(bias2.to_vec()),
            Averaged::Variance => Some(variance.to_vec()),
            Averaged::Risk | Averaged::Test => {
                let parts = noise.iter().zip(bias2).zip(variance);
                Some(parts.map(|((n, b), v)| n + b + v).collect())
            }
            Averaged::Train => None,
        }
    }

    /// The standard error that drawn test points have in an average of `values`, whose average is
    /// `mean`; 0 where test points are not drawn.
    pub fn points_error(&self, values: &[f64], mean: f64) -> f64 {
        self.points.of(values, mean)
    }

    /// How much each test point counts.
    pub fn weights(&self) -> &[f64] {
        &self.points.weights
    }
}

impl Decomposition {
    /// Marks everything about noise as unknown, for real data, where labels stand in for the truth.
    pub(crate) fn forget_noise(&mut self) {
        for parts in &mut self.parts {
            (parts.noise, parts.noise_se) = (f64::NAN, f64::NAN);
            for (name, estimate) in &mut parts.extra {
                if name.contains("noise") || *name == "bayes_error" {
                    (estimate.value, estimate.se) = (f64::NAN, f64::NAN);
                }
            }
        }
    }

    /// Marks the training error as unknown, where training sets have no labels.
    pub(crate) fn forget_training(&mut self) {
        for parts in &mut self.parts {
            parts.train = Estimate::new(f64::NAN, f64::NAN);
        }
    }

    /// Reserves memory for that many settings in all.
    pub(crate) fn reserve(&mut self, settings: usize, points: usize) {
        let outputs = self.mean.len() / self.bias2.len().max(1);
        let lists = [
            (&mut self.mean, outputs),
            (&mut self.bias2, 1),
            (&mut self.variance, 1),
        ];
        for (list, outputs) in lists {
            list.reserve_exact((settings * points * outputs).saturating_sub(list.len()));
        }
    }

    /// Appends more settings of the same learner, resamples and test points.
    pub(crate) fn append(&mut self, mut more: Decomposition) {
        self.parts.append(&mut more.parts);
        self.mean.append(&mut more.mean);
        self.bias2.append(&mut more.bias2);
        self.variance.append(&mut more.variance);
        if let (Some(noise), Some(mut more)) = (&mut self.noise, more.noise) {
            noise.append(&mut more);
        }
        if let (Some(all), Some(more)) = (&mut self.selection, more.selection) {
            let pairs = all.iter_mut().zip(more);
            pairs.for_each(|(all, more)| all.append(more));
        }
    }

    /// Adds what follows from the degrees of freedom of the groups, where they were counted; of
    /// classes the optimism alone.
    pub(crate) fn add_degrees(&mut self, groups: &[&Tally], classes: bool) {
        let sum = |setting: usize, which: usize| {
            move |tally: &&Tally| tally.degrees.get(setting).map_or(0.0, |sums| sums[which])
        };
        let counted = groups.iter().all(|tally| !tally.degrees.is_empty());
        let total: f64 = groups.iter().map(|tally| tally.count as f64).sum();
        for (setting, parts) in self.parts.iter_mut().enumerate().filter(|_| counted) {
            for (which, name) in ["df", "optimism"].into_iter().enumerate() {
                if classes && which == 0 {
                    continue;
                }
                let all: f64 = groups.iter().map(sum(setting, which)).sum();
                let without = groups
                    .iter()
                    .map(|tally| (all - sum(setting, which)(tally)) / (total - tally.count as f64));
                // What is the same for every training set has no error but rounding.
                let (value, se) = (all / total, jackknife(without));
                let se = if se < 1e-12 * value.abs() { 0.0 } else { se };
                let estimate = Estimate::new(value, se);
                parts.extra.push((name, estimate));
            }
        }
    }

    /// Adds what methods of selection did, where they were asked for; `is_risk` says of every method
    /// whether it estimates the risk.
    pub(crate) fn add_selection(&mut self, groups: &[&Tally], is_risk: &[bool]) {
        let tallies: Option<Vec<&SelectionTally>> = groups
            .iter()
            .map(|tally| tally.selection.as_deref())
            .collect();
        let tallies = tallies.filter(|_| !is_risk.is_empty());
        self.selection =
            tallies.map(|tallies| selection::summarise(&tallies, is_risk, &self.parts));
    }
}

/// What a learner was tested on.
#[derive(Clone, Copy, Debug)]
pub struct TestSetup<'a> {
    /// The loss.
    pub loss: Loss,
    /// How many numbers a prediction has.
    pub outputs: usize,
    /// By test point and output: the best possible prediction.
    pub truth: &'a [f64],
    /// By setting: the noise at the test points, the least risk there can be.
    pub noise: &'a [&'a [f64]],
    /// How much each test point counts; they sum to 1.
    pub weights: &'a [f64],
    /// Whether the test points are a sample themselves, whose error is then added to the error
    /// bars of averages over x.
    pub drawn: bool,
    /// By setting, for learners that average members: how many.
    pub members: Option<&'a [usize]>,
    /// By setting: what theory says of the moments of the risk over training sets.
    pub moments: Option<&'a [RiskMoments]>,
    /// The degrees of freedom of noise that is Student's t: how heavy its tails are.
    pub noise_degrees: Option<f64>,
    /// By setting: how far averages over the test points are off, judged at other points.
    pub probed: Option<&'a [Option<ProbeResult>]>,
}

/// Splits the error of one learner.
///
/// # Panics
///
/// If there are no groups, or fewer than three resamples.
pub fn decompose(groups: &[&Tally], tested: TestSetup) -> Decomposition {
    let mut all = groups[0].clone();
    groups[1..].iter().for_each(|group| all.join(group));
    assert!(all.count > 2, "an error bar needs three resamples");
    match tested.loss {
        Loss::Squared => squared::decompose(groups, all, tested),
        _ => classes::decompose(groups, all, tested),
    }
}

impl Parts {
    /// What follows from the risks of single resamples; the rest is left to be filled in. `least` is
    /// the least risk there can be, `excess` what this one lies above it, and `spread` the error of
    /// test points that are drawn.
    pub(super) fn of_risks(
        all: &Tally,
        setting: usize,
        least: f64,
        excess: f64,
        spread: f64,
    ) -> Self {
        let histogram = &all.risks[setting];
        Parts {
            largest_share: match excess > 0.0 {
                true => all.largest[setting] / (all.count as f64 * excess),
                false => 0.0,
            },
            risk_quartiles: [0.25, 0.5, 0.75].map(|share| least + histogram.quantile(share)),
            // Test points that are drawn move the median about as much as the mean.
            risk_median_se: {
                let ratio = histogram.quantile(0.5) / excess;
                let ratio = if ratio.is_finite() { ratio } else { 0.0 };
                hypot(histogram.quantile_se(0.5), ratio * spread)
            },
            ..Parts::default()
        }
    }
}
