//! Estimates of the parts and their standard errors.

use super::bars::{Average, Bars, Pointwise};
use super::interval::{Ends, Fluctuation, deviations};
use super::probe::Probed;
use super::{Doubt, Loss, Sources, Tally, classes, diversity, interval_factor, sources};
use crate::learner::RiskMoments;
use crate::maths::{hypot, ln};

/// How many groups resamples are dealt to: intervals from 20 to 25 groups with Student's t cover
/// as they should even where bias² is near zero, where fewer groups or single resamples do not.
pub const GROUPS: usize = 24;

/// Below so many resamples each is a group of its own.
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

    pub(super) fn within(value: f64, se: f64, interval: Ends) -> Self {
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
    /// The noise's variance, known exactly at every test point; under another loss its noise. NaN
    /// where nobody knows it, because the data are real: it is then part of the bias.
    pub noise: f64,
    /// Its standard error: 0 but for Domingos' noise, whose factor is estimated, and for test points
    /// that are drawn.
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
    /// test - risk, with the error of the paired difference: zero but for chance.
    pub gap: Estimate,
    /// The risk's standard error from the spread over resamples alone, without that of test points
    /// that are drawn: what more resamples can shrink.
    pub risk_resampling_se: f64,
    /// How much of bias² + variance, summed over all resamples, comes from the one with the most.
    pub largest_share: f64,
    /// The lower quartile, the median and the upper quartile of the risks of single resamples.
    pub risk_quartiles: [f64; 3],
    /// The median's standard error.
    pub risk_median_se: f64,
    /// The variance by source, where draws were crossed.
    pub sources: Option<Sources>,
    /// Under cross-entropy: which share of the predicted probabilities was exactly 0.
    pub zeros: f64,
    /// What else a loss has to tell, by name.
    pub extra: Vec<(&'static str, Estimate)>,
    /// Reasons to doubt these numbers, the gravest first.
    pub doubts: Vec<Doubt>,
    /// What an exact form is compared with.
    pub(super) against_theory: AgainstTheory,
    /// The risk with each group left out in turn, for paired comparisons.
    pub(super) left_out: Vec<f64>,
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
    /// Whether the means over training sets themselves mean nothing.
    pub fn is_spoiled(&self) -> bool {
        self.doubts.iter().any(|doubt| doubt.spoils_mean())
    }

    /// By how much bias² or variance is off because the test points are a grid.
    pub fn grid_error(&self) -> f64 {
        let [bias2, variance] = self.against_theory.points;
        bias2.max(variance)
    }

    /// How many standard errors bias² and variance are apart from their exact values, which are
    /// those at the test points, or with `of_all_inputs` averages over the inputs' distribution.
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
        // Rounding is no difference.
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
    /// zero-one loss the mean score.
    pub mean: Vec<f64>,
    /// By setting and test point: the noise, where it is not the same for every learner.
    pub noise: Option<Vec<f64>>,
    /// By setting and test point: bias².
    pub bias2: Vec<f64>,
    /// By setting and test point: variance.
    pub variance: Vec<f64>,
    pub(super) points: PointsError,
}

impl Decomposition {
    /// The difference of two risks on the same problem, resamples and test points, with the error of
    /// the paired difference.
    pub fn risk_minus(&self, setting: usize, other: &Decomposition, others: usize) -> Estimate {
        let [a, b] = [&self.parts[setting], &other.parts[others]];
        let left_out = a.left_out.iter().zip(&b.left_out).map(|(a, b)| a - b);
        // Of one problem, so the noise at a point is the same for both where it is not told.
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
    /// Takes back what is said of noise, where labels stood in for a truth that nobody knows.
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

    /// Makes room for so many settings in all.
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

    /// Adds more settings of the same learner, resamples and test points behind these.
    pub(crate) fn append(&mut self, mut more: Decomposition) {
        self.parts.append(&mut more.parts);
        self.mean.append(&mut more.mean);
        self.bias2.append(&mut more.bias2);
        self.variance.append(&mut more.variance);
        if let (Some(noise), Some(mut more)) = (&mut self.noise, more.noise) {
            noise.append(&mut more);
        }
    }
}

/// The unbiased variance of d over some resamples, and the bias² that follows.
#[derive(Clone, Copy)]
pub(super) struct Unbiased {
    pub bias2: f64,
    pub variance: f64,
}

impl Unbiased {
    /// From the mean of so many d and the sum of their squared deviations from it.
    pub fn of(mean: f64, squares: f64, count: f64) -> Self {
        let variance = squares / (count - 1.0);
        Unbiased {
            bias2: mean * mean - variance / count,
            variance,
        }
    }
}

/// What a learner was tested on.
#[derive(Clone, Copy, Debug)]
pub struct Tested<'a> {
    /// By which loss.
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
    /// By setting: what other points tell of averages over the test points.
    pub probed: Option<&'a [Option<Probed>]>,
}

/// Splits the error of one learner.
///
/// # Panics
///
/// If there are no groups, or fewer than three resamples.
pub fn decompose(groups: &[&Tally], tested: Tested) -> Decomposition {
    let Tested {
        weights,
        drawn,
        outputs,
        ..
    } = tested;
    let mut all = groups[0].clone();
    groups[1..].iter().for_each(|group| all.join(group));
    assert!(all.count > 2, "an error bar needs three resamples");
    if tested.loss != Loss::Squared {
        return classes::decompose(groups, all, tested);
    }
    let count = all.count as f64;
    let numbers = (weights.len() * outputs).max(1);
    let (mut bias2, mut variance) = (Vec::new(), Vec::new());
    for (place, (mean, squares)) in all.mean.iter().zip(&all.squares).enumerate() {
        let split = Unbiased::of(*mean, *squares, count);
        let contrasts = all.contrasts_of(place / numbers);
        let crossed: f64 = contrasts.map(|sums| sums[place % numbers]).sum();
        let all_variance = split.variance + crossed / count;
        match place % outputs {
            0 => {
                bias2.push(split.bias2);
                variance.push(all_variance);
            }
            // The parts at a point are those of all classes together.
            _ => {
                if let (Some(b), Some(v)) = (bias2.last_mut(), variance.last_mut()) {
                    *b += split.bias2;
                    *v += all_variance;
                }
            }
        }
    }
    let points = PointsError {
        weights: weights.to_vec(),
        drawn,
    };
    let mut whole = Decomposition {
        resamples: all.count,
        groups: groups.len(),
        parts: Vec::new(),
        mean: Vec::new(),
        noise: None,
        bias2,
        variance,
        points,
    };
    whole.parts = (0..all.train.len())
        .map(|setting| whole.parts_of(setting, &all, groups, tested))
        .collect();
    whole.mean = all.mean;
    whole
}

impl Decomposition {
    /// The averages of one setting over x.
    fn parts_of(&self, setting: usize, all: &Tally, groups: &[&Tally], tested: Tested) -> Parts {
        let Tested {
            noise,
            weights,
            outputs,
            ..
        } = tested;
        let noise = noise[setting];
        let points = weights.len();
        let count = all.count as f64;
        let at = setting * points..(setting + 1) * points;
        let numbers = at.start * outputs..at.end * outputs;
        let average = |values: &[f64]| values.iter().zip(weights).map(|(v, w)| v * w).sum::<f64>();
        // Relative to one of them, so that constant noise comes out as just that number.
        let first = noise.first().copied().unwrap_or(0.0);
        let above: Vec<f64> = noise.iter().map(|noise| noise - first).collect();
        let noise_mean = first + average(&above);
        let [mean, squares] = [&all.mean[numbers.clone()], &all.squares[numbers.clone()]];
        let [bias2, variance] = [&self.bias2[at.clone()], &self.variance[at.clone()]];
        let contrasted = contrasts(all, setting, weights, outputs);
        let bars = Bars::new(tested, setting, groups.len(), count);
        let mut left_out: [Vec<f64>; 6] = Default::default();
        // The variance between cubes and the squared contrasts, with each group left out.
        let mut left_sources: Vec<(f64, [f64; 7])> = Vec::new();
        let mut pointwise = match bars.needs_points() {
            true => Pointwise::new(groups.len(), points),
            false => Pointwise::default(),
        };
        for group in groups {
            let rest = Rest::new(count, group.count as f64);
            let (mut b, mut v) = (0.0, 0.0);
            let theirs = group.mean[numbers.clone()]
                .iter()
                .zip(&group.squares[numbers.clone()]);
            let mut sums = mean.iter().zip(squares).zip(theirs);
            for (j, weight) in weights.iter().enumerate() {
                let (mut at_b, mut at_v) = (0.0, 0.0);
                for ((m, s), (gm, gs)) in sums.by_ref().take(outputs) {
                    let without = rest.split(*m, *s, *gm, *gs);
                    at_b += without.bias2;
                    at_v += without.variance;
                }
                b += weight * at_b;
                v += weight * at_v;
                if bars.needs_points() {
                    pointwise.add(j, [at_b - bias2[j], at_v - variance[j]]);
                }
            }
            if let Some(sums) = &contrasted {
                let theirs = contrasts(group, setting, weights, outputs).unwrap_or([0.0; 7]);
                let means = std::array::from_fn(|set| rest.mean(sums[set], theirs[set]));
                left_sources.push((v, means));
                v += means.iter().sum::<f64>();
            }
            let train = rest.mean(all.train[setting], group.train[setting]);
            let test = rest.mean(all.test[setting], group.test[setting]);
            let risk = noise_mean + b + v;
            for (list, value) in left_out
                .iter_mut()
                .zip([b, v, risk, train, test, test - risk])
            {
                list.push(value);
            }
        }
        let [b, v] = [average(bias2), average(variance)];
        let risk = noise_mean + b + v;
        let train = all.train[setting] / count;
        let test = all.test[setting] / count;
        let risks: Vec<f64> = (0..points)
            .map(|j| noise[j] + bias2[j] + variance[j])
            .collect();
        let [b_se, v_se, risk_se, _, _, gap_se] =
            std::array::from_fn(|i| jackknife(left_out[i].iter().copied()));
        let roots: Vec<f64> = weights
            .iter()
            .flat_map(|weight| std::iter::repeat_n(weight.sqrt(), outputs))
            .collect();
        let fluctuation = {
            let apart = deviations(all, groups, numbers.clone(), &roots);
            let mean: Vec<f64> = mean.iter().zip(&roots).map(|(m, root)| root * m).collect();
            let counts: Vec<f64> = groups.iter().map(|group| group.count as f64).collect();
            Fluctuation::new(&apart, &mean, &counts)
        };
        let of_bias2 = bars.points(Average::Bias2, bias2, &pointwise, fluctuation.se());
        let of_variance = bars.points(Average::Variance, variance, &pointwise, v_se);
        let of_risk = bars.points(Average::Risk, &risks, &pointwise, risk_se);
        let of_noise = bars.points(Average::Noise, noise, &pointwise, 0.0);
        let estimates = [
            bars.squared_mean(b, b_se, Some(fluctuation), of_bias2),
            bars.above(0.0, v, &left_out[1], of_variance),
            bars.above(noise_mean, risk, &left_out[2], of_risk),
            bars.above(0.0, train, &left_out[3], Default::default()),
            bars.above(0.0, test, &left_out[4], of_risk),
            Estimate::new(test - risk, gap_se),
        ];
        let sources = contrasted.map(|sums| {
            let members = tested.members.map(|members| members[setting]);
            let active = sources::active(&sums);
            self.sources(setting, all, outputs, active, &left_sources, members)
        });
        let [bias2, variance, risk, train, test, gap] = estimates;
        let extra = diversity::of_setting(
            setting,
            all,
            groups,
            tested,
            (variance.value, &left_out[1]),
            noise_mean,
        );
        let [_, _, left_out, ..] = left_out;
        let risks = Parts::of_risks(all, setting, noise_mean, b + v, of_risk.se);
        let parts = [(bias2, of_bias2), (variance, of_variance), (risk, of_risk)];
        Parts {
            against_theory: AgainstTheory {
                fluctuation,
                variance_se: v_se,
                points: [of_bias2.se, of_variance.se],
            },
            doubts: bars.doubts(
                setting,
                all,
                (risks.largest_share, fluctuation.rank()),
                parts,
            ),
            noise: noise_mean,
            noise_se: of_noise.se,
            bias2,
            variance,
            risk,
            train,
            test,
            gap,
            risk_resampling_se: risk_se,
            sources,
            extra,
            left_out,
            ..risks
        }
    }

    /// The variance of one setting by source; `active` are those that vary, one bit each.
    fn sources(
        &self,
        setting: usize,
        all: &Tally,
        outputs: usize,
        active: usize,
        left_out: &[(f64, [f64; 7])],
        members: Option<usize>,
    ) -> Sources {
        let points = self.points.weights.len();
        let count = all.count as f64;
        let at_point = |j: usize| {
            let here = j * outputs..(j + 1) * outputs;
            let sum = |all: &[f64]| all[here.clone()].iter().sum::<f64>();
            let between = sum(&all.squares[setting * points * outputs..]) / (count - 1.0);
            let mut squares = [0.0; 7];
            for (square, sums) in squares.iter_mut().zip(all.contrasts_of(setting)) {
                *square = sum(sums) / count;
            }
            sources::parts(between, &squares, active)
        };
        let by_point: Vec<[f64; 7]> = (0..points).map(at_point).collect();
        let left_out: Vec<[f64; 7]> = left_out
            .iter()
            .map(|(between, squares)| sources::parts(*between, squares, active))
            .collect();
        let mut values = [0.0; 7];
        for (parts, weight) in by_point.iter().zip(&self.points.weights) {
            for (value, part) in values.iter_mut().zip(parts) {
                *value += weight * part;
            }
        }
        let parts = std::array::from_fn(|i| {
            let along: Vec<f64> = by_point.iter().map(|parts| parts[i]).collect();
            let se = jackknife(left_out.iter().map(|parts| parts[i]));
            Estimate::new(values[i], hypot(se, self.points.of(&along, values[i])))
        });
        let correlation = members.map(|members| {
            let left_out = left_out.iter();
            let without = left_out.map(|parts| sources::correlation(parts, members));
            Estimate::new(sources::correlation(&values, members), jackknife(without))
        });
        Sources { parts, correlation }
    }
}

/// Sums of squared contrasts of one setting, averaged over x; `None` where nothing was crossed.
fn contrasts(tally: &Tally, setting: usize, weights: &[f64], outputs: usize) -> Option<[f64; 7]> {
    let average = |sums: &[f64]| {
        let points = sums.chunks_exact(outputs).zip(weights);
        points
            .flat_map(|(sums, w)| sums.iter().map(move |v| v * w))
            .sum::<f64>()
    };
    let sums: Vec<f64> = tally.contrasts_of(setting).map(average).collect();
    sums.try_into().ok()
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

/// All resamples but those of one group.
pub(super) struct Rest {
    all: f64,
    group: f64,
}

impl Rest {
    pub(super) fn new(all: f64, group: f64) -> Self {
        Rest { all, group }
    }

    pub(super) fn count(&self) -> f64 {
        self.all - self.group
    }

    /// The mean of the rest, from that of all and of the group.
    pub(super) fn mean_without(&self, mean: f64, group_mean: f64) -> f64 {
        mean + (mean - group_mean) * (self.group / self.count())
    }

    pub(super) fn mean(&self, sum: f64, group_sum: f64) -> f64 {
        (sum - group_sum) / self.count()
    }

    /// The inverse of joining two tallies.
    fn split(&self, mean: f64, squares: f64, group_mean: f64, group_squares: f64) -> Unbiased {
        let rest = self.count();
        let left = self.mean_without(mean, group_mean);
        let apart = group_mean - left;
        let between = apart * apart * (self.group * rest / self.all);
        // Rounding may leave a tiny negative rest where nothing varies.
        let squares = (squares - group_squares - between).max(0.0);
        Unbiased::of(left, squares, rest)
    }
}

/// The error of an average over test points that are themselves drawn.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PointsError {
    pub(super) weights: Vec<f64>,
    pub(super) drawn: bool,
}

impl PointsError {
    pub(super) fn of(&self, values: &[f64], mean: f64) -> f64 {
        let count = values.len() as f64;
        if !self.drawn || values.len() < 2 {
            return 0.0;
        }
        let unit = unit(values.iter().map(|value| value - mean));
        let squares = values.iter().zip(&self.weights);
        let squares = squares.map(|(v, w)| w * ((v - mean) / unit) * ((v - mean) / unit));
        unit * (squares.sum::<f64>() / (count - 1.0)).sqrt()
    }
}

/// The standard error from values with one group left out each.
pub(super) fn jackknife(left_out: impl Iterator<Item = f64> + Clone) -> f64 {
    let groups = left_out.clone().count() as f64;
    let mean = left_out.clone().sum::<f64>() / groups;
    let unit = unit(left_out.clone().map(|value| value - mean));
    let squares = left_out.map(|value| ((value - mean) / unit) * ((value - mean) / unit));
    unit * ((groups - 1.0) / groups * squares.sum::<f64>()).sqrt()
}

/// A power of two as large as the largest of some numbers, or 1 where that is zero. What is measured
/// are squares already: their squares would leave the range of numbers where data are of the order of
/// 10^80 or 10^-80. Dividing by a power of two rounds nothing.
pub(super) fn unit(numbers: impl Iterator<Item = f64>) -> f64 {
    let most = numbers.map(f64::abs).fold(0.0, f64::max);
    let exponent = f64::from_bits(most.to_bits() & f64::INFINITY.to_bits());
    match exponent.is_normal() {
        true => exponent,
        false => 1.0,
    }
}
