//! The parts of cross-entropy, of zero-one loss and of log-loss, from mean scores.
//!
//! **Cross-entropy.** With c the normalised geometric mean of the predictions, c ∝ exp(E ln p), the
//! risk is H(p*) + K(p*‖c) + E K(c‖p), exactly, where K is Kullback and Leibler's divergence. With
//! m = E ln p and ln Z = ln Σ exp mₖ, the variance E K(c‖p) is -ln Z and the bias is
//! Σ p* (ln p* - m) + ln Z. From R training sets -ln Z comes out too small and the bias too large by
//! about as much as a constant over R; the jackknife takes that off. Their sum is a mean, and as it
//! was.
//!
//! **Log-loss of a density.** With d(f, p) = f ln(f/p) - f + p at a point and the centre
//! g = exp(E ln p), E d(f, p) = d(f, g) + E d(g, p), exactly, because d(f, p) - d(g, p) is linear in
//! ln p. The variance E d(g, p) is E p - g. From R training sets g comes out too large by about a
//! constant over R, which the jackknife takes off as above.
//!
//! **Zero-one.** The shares of votes q say it all: see [`Split`]. Kohavi and Wolpert's parts are made
//! unbiased by their own 1/(R - 1). The main prediction is the most frequent one among R, and may be
//! another than among all training sets where votes are nearly even; what follows from it is not
//! corrected, because no correction is known. Where several classes have as many votes, or are
//! equally probable, the parts are the mean over all choices between them.

use super::bars::{Average, Bars, PointDeviations};
use super::estimate::{AgainstTheory, LeftOutAverages, Parts, TestSetup};
use super::interval::{Fluctuation, deviations};
use super::jackknife::{LeaveGroupOut, PointsError, jackknife};
use super::loss::times_log;
use super::{Decomposition, Estimate, Loss, Split, Tally, diversity};
use crate::maths::{exp, hypot, ln};
use crate::probability::largest;

/// The names of the quantities besides noise, bias and variance.
const ZERO_ONE: [&str; 14] = [
    "bayes_error",
    "domingos_noise",
    "domingos_bias",
    "domingos_variance",
    "domingos_variance_right",
    "domingos_variance_wrong",
    "domingos_noise_effect",
    "domingos_variance_effect",
    "kw_noise",
    "kw_bias2",
    "kw_variance",
    "effect_noise",
    "effect_bias",
    "effect_variance",
];

/// Those of them that depend on which class is the main prediction. They jump where votes are nearly
/// even, and no interval for them is known.
const BY_MAIN_PREDICTION: [usize; 7] = [2, 3, 4, 5, 7, 12, 13];

/// The number of parts: noise, bias and variance, and the quantities besides.
const MOST: usize = 3 + ZERO_ONE.len();

impl Loss {
    /// The names of the quantities besides noise, bias and variance.
    fn names(self) -> &'static [&'static str] {
        match self {
            Loss::ZeroOne(_) => &ZERO_ONE,
            _ => &[],
        }
    }

    /// The parts at one point, from the probabilities of the classes and the mean score of so many
    /// resamples.
    fn parts(self, truth: &[f64], mean: &[f64], count: f64) -> [f64; MOST] {
        let mut parts = [0.0; MOST];
        let least = self.least(truth);
        match self {
            Loss::Squared => unreachable!("squared loss has estimates of its own"),
            Loss::CrossEntropy { .. } => {
                let most = mean.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let sum: f64 = mean.iter().map(|m| exp(m - most)).sum();
                let log_sum = most + ln(sum);
                let excess: f64 = truth
                    .iter()
                    .zip(mean)
                    .map(|(&p, m)| times_log(p, p) - if p > 0.0 { p * m } else { 0.0 })
                    .sum();
                parts[..3].copy_from_slice(&[least, excess + log_sum, -log_sum]);
            }
            Loss::ZeroOne(split) => {
                let quantities = zero_one(truth, mean, count);
                parts[3..].copy_from_slice(&quantities);
                let chosen = match split {
                    Split::Domingos => [quantities[6], quantities[2], quantities[7]],
                    Split::KohaviWolpert => [quantities[8], quantities[9], quantities[10]],
                    Split::Effects => [quantities[11], quantities[12], quantities[13]],
                };
                parts[..3].copy_from_slice(&chosen);
            }
            Loss::Log => {
                let centre = exp(mean[0]);
                let variance = mean[1] - centre;
                let bias = match truth[0] > 0.0 {
                    true => truth[0] * (ln(truth[0]) - mean[0] - 1.0) + centre,
                    false => centre,
                };
                parts[..3].copy_from_slice(&[least, bias, variance]);
            }
        }
        parts
    }

    /// Noise, bias and variance at one point.
    pub(super) fn three(self, truth: &[f64], mean: &[f64], count: f64) -> [f64; 3] {
        let [noise, bias, variance, ..] = self.parts(truth, mean, count);
        [noise, bias, variance]
    }

    /// Whether bias and variance are smooth in the mean score, so that intervals for them are known.
    pub fn has_intervals(self) -> bool {
        !matches!(self, Loss::ZeroOne(Split::Domingos | Split::Effects))
    }

    /// Moves deviations of a mean score at one point to coordinates in which the bias is a sum of
    /// squares to second order, and returns half of its gradient there; `root` is that of the
    /// point's weight. Under cross-entropy with centre c the bias has the gradient c - p* and the
    /// Hessian diag(c) - ccᵀ, for Kohavi and Wolpert q - p* and the identity; under log-loss with centre
    /// g it has g - f and g along ln p.
    fn straighten(
        self,
        truth: &[f64],
        mean: &[f64],
        root: f64,
        deviations: &mut [&mut [f64]],
        gradient: &mut [f64],
    ) {
        let half = root * 0.5_f64.sqrt();
        if let Loss::CrossEntropy { .. } = self {
            let mut centre = mean.to_vec();
            self.mean_prediction(truth, &mut centre);
            for deviation in deviations {
                let middle: f64 = centre.iter().zip(&**deviation).map(|(c, u)| c * u).sum();
                for (u, c) in deviation.iter_mut().zip(&centre) {
                    *u = half * c.sqrt() * (*u - middle);
                }
            }
            for ((g, c), p) in gradient.iter_mut().zip(&centre).zip(truth) {
                *g = half * (c - p) / c.max(f64::MIN_POSITIVE).sqrt();
            }
        } else if self == Loss::Log {
            let root = exp(0.5 * mean[0]).max(f64::MIN_POSITIVE);
            for deviation in deviations {
                deviation[0] *= half * root;
                deviation[1] = 0.0;
            }
            gradient[0] = half * (root - truth[0] / root);
        } else {
            for deviation in deviations {
                deviation.iter_mut().for_each(|u| *u *= half);
            }
            for ((g, q), p) in gradient.iter_mut().zip(mean).zip(truth) {
                *g = half * (q - p);
            }
        }
    }

    /// Whether a part is corrected for the finite number of resamples by the jackknife.
    fn corrects(self, part: usize) -> bool {
        matches!(self, Loss::CrossEntropy { .. } | Loss::Log) && (1..3).contains(&part)
    }
}

/// In the order of the names; the mean over all choices of y* and of m where several classes are
/// equally probable or have as many votes.
fn zero_one(truth: &[f64], votes: &[f64], count: f64) -> [f64; ZERO_ONE.len()] {
    let choices = largest(truth).flat_map(|best| largest(votes).map(move |main| (best, main)));
    let mut sums = [0.0; ZERO_ONE.len()];
    let mut number = 0.0;
    for (best, main) in choices {
        number += 1.0;
        let parts = zero_one_with(truth, votes, count, best, main);
        sums.iter_mut().zip(parts).for_each(|(sum, p)| *sum += p);
    }
    sums.map(|sum| sum / number)
}

/// The same for one choice.
fn zero_one_with(
    truth: &[f64],
    votes: &[f64],
    count: f64,
    best: usize,
    main: usize,
) -> [f64; ZERO_ONE.len()] {
    let both = || truth.iter().zip(votes);
    let bayes = 1.0 - truth[best];
    let right: f64 = both().map(|(p, q)| p * q).sum();
    let bias = if main == best { 0.0 } else { 1.0 };
    let variance = 1.0 - votes[main];
    // The noise counts where the vote is for the best class, and pays where it is for another.
    let paid = right - truth[best] * votes[best];
    let noise_effect = votes[best] * bayes - paid;
    let variance_effect = match main == best {
        true => variance,
        false => -votes[best],
    };
    let squares = |all: &[f64]| all.iter().map(|p| p * p).sum::<f64>();
    let spread = (1.0 - squares(votes)) / (count - 1.0);
    let distance: f64 = both().map(|(p, q)| (p - q) * (p - q)).sum();
    [
        bayes,
        bayes,
        bias,
        variance,
        variance * (1.0 - bias),
        variance * bias,
        noise_effect,
        variance_effect,
        0.5 * (1.0 - squares(truth)),
        0.5 * (distance - spread),
        0.5 * spread * count,
        bayes,
        truth[best] - truth[main],
        truth[main] - right,
    ]
}

/// Splits the error of one learner under a loss that is not squared.
pub(super) fn decompose(groups: &[&Tally], all: Tally, tested: TestSetup) -> Decomposition {
    let points = tested.weights.len();
    let settings = all.train.len();
    let empty = || Vec::with_capacity(settings * points);
    let mut whole = Decomposition {
        resamples: all.count,
        groups: groups.len(),
        parts: Vec::new(),
        mean: Vec::new(),
        noise: Some(empty()),
        selection: None,
        bias2: empty(),
        variance: empty(),
        points: PointsError {
            weights: tested.weights.to_vec(),
            drawn: tested.drawn,
        },
    };
    for setting in 0..settings {
        let (parts, at_points) = of_setting(setting, &all, groups, tested, &whole.points);
        whole.parts.push(parts);
        let noise = whole.noise.get_or_insert_default();
        noise.extend_from_slice(&at_points[0]);
        whole.bias2.extend_from_slice(&at_points[1]);
        whole.variance.extend_from_slice(&at_points[2]);
    }
    whole.mean = match tested.loss {
        Loss::Log => all.mean.chunks_exact(2).map(|mean| exp(mean[0])).collect(),
        _ => all.mean,
    };
    whole
}

/// The parts of one setting.
struct SettingParts<'a> {
    setting: usize,
    all: &'a Tally,
    groups: &'a [&'a Tally],
    tested: TestSetup<'a>,
    /// By part and test point.
    at_points: Vec<Vec<f64>>,
    /// By group: every part, averaged over x, with the group left out.
    left_out: Vec<[f64; MOST]>,
    deviations: PointDeviations,
}

impl<'a> SettingParts<'a> {
    fn new(
        setting: usize,
        all: &'a Tally,
        groups: &'a [&'a Tally],
        tested: TestSetup<'a>,
        needs_points: bool,
    ) -> Self {
        let TestSetup {
            loss,
            truth,
            weights,
            outputs,
            ..
        } = tested;
        let points = weights.len();
        let count = all.count as f64;
        let kinds = 3 + loss.names().len();
        let scores = loss.scores(outputs);
        let at = |tally: &Tally, j: usize| {
            let start = (setting * points + j) * scores;
            start..(start + scores).min(tally.mean.len())
        };
        let mut at_points = vec![vec![0.0; points]; kinds];
        let mut left_out = vec![[0.0; MOST]; groups.len()];
        let mut rest_mean = vec![0.0; scores];
        let mut deviations = match needs_points {
            true => PointDeviations::new(groups.len(), points),
            false => PointDeviations::default(),
        };
        for j in 0..points {
            let p = &truth[j * outputs..][..outputs];
            let mean = &all.mean[at(all, j)];
            let mut here = loss.parts(p, mean, count);
            let mut correction = [0.0; MOST];
            for (group, left_out) in groups.iter().zip(&mut left_out) {
                let rest = LeaveGroupOut::new(count, group.count as f64);
                for ((rest_mean, m), g) in rest_mean
                    .iter_mut()
                    .zip(mean)
                    .zip(&group.mean[at(group, j)])
                {
                    *rest_mean = rest.mean_without(*m, *g);
                }
                let without = loss.parts(p, &rest_mean, rest.count());
                let share = rest.count() / count;
                for i in 0..kinds {
                    left_out[i] += weights[j] * without[i];
                    correction[i] += share * (here[i] - without[i]);
                }
                if needs_points {
                    deviations.add(j, [without[1] - here[1], without[2] - here[2]]);
                }
            }
            for (i, here) in here[..kinds].iter_mut().enumerate() {
                // Delete-a-group jackknife for groups of unequal size (Busing, Meijer and van der
                // Leeden 1999): G θ - Σ (1 - n_g/n) θ_(g), and Σ (1 - n_g/n) = G - 1.
                if loss.corrects(i) {
                    *here += correction[i];
                }
                at_points[i][j] = *here;
            }
        }
        SettingParts {
            setting,
            all,
            groups,
            tested,
            at_points,
            left_out,
            deviations,
        }
    }

    /// An average over x.
    fn average(&self, values: &[f64]) -> f64 {
        let weighted = values.iter().zip(self.tested.weights);
        weighted.map(|(v, w)| v * w).sum::<f64>()
    }

    /// A part with each group left out in turn.
    fn left_out_of(&self, part: usize) -> Vec<f64> {
        self.left_out.iter().map(|parts| parts[part]).collect()
    }

    /// The jackknife's standard error of a part.
    fn se(&self, part: usize) -> f64 {
        jackknife(self.left_out.iter().map(|parts| parts[part]))
    }

    /// The further quantities of the loss, and those of an ensemble; `least` is the least risk.
    fn extra(&self, points_error: &PointsError, least: f64) -> Vec<(&'static str, Estimate)> {
        let estimate = |i: usize| {
            let value = self.average(&self.at_points[i]);
            if BY_MAIN_PREDICTION.contains(&(i - 3)) {
                return Estimate::without_error(value);
            }
            let of_points = points_error.of(&self.at_points[i], value);
            Estimate::new(value, hypot(self.se(i), of_points))
        };
        let names = self.tested.loss.names().iter().enumerate();
        let mut extra: Vec<_> = names.map(|(i, name)| (*name, estimate(3 + i))).collect();
        let variances = self.left_out_of(2);
        extra.extend(diversity::of_setting(
            self.setting,
            self.all,
            self.groups,
            self.tested,
            (self.average(&self.at_points[2]), &variances),
            least,
        ));
        extra
    }

    /// A mean of measured errors, and with each group left out.
    fn measured(&self, sums: impl Fn(&Tally) -> f64) -> (f64, Vec<f64>) {
        let count = self.all.count as f64;
        let without = self.groups.iter().map(|group| {
            LeaveGroupOut::new(count, group.count as f64).mean(sums(self.all), sums(group))
        });
        (sums(self.all) / count, without.collect())
    }
}

/// The averages of one setting over x, and every part at every point.
fn of_setting(
    setting: usize,
    all: &Tally,
    groups: &[&Tally],
    tested: TestSetup,
    points_error: &PointsError,
) -> (Parts, Vec<Vec<f64>>) {
    let TestSetup {
        loss,
        truth,
        weights,
        outputs,
        ..
    } = tested;
    let points = weights.len();
    let bars = Bars::new(tested, setting, groups.len(), all.count as f64);
    let found = SettingParts::new(setting, all, groups, tested, bars.needs_points());
    let (at_points, deviations) = (&found.at_points, &found.deviations);
    let [noise, b, v] = [0, 1, 2].map(|i| found.average(&at_points[i]));
    let [noise_se, b_se, v_se] = [0, 1, 2].map(|i| found.se(i));
    // Noise is known at every point, except for Domingos' factor.
    let noise_se = match loss {
        Loss::ZeroOne(Split::Domingos) => noise_se,
        _ => 0.0,
    };
    let risks: Vec<f64> = (0..points)
        .map(|j| (0..3).map(|i| at_points[i][j]).sum())
        .collect();
    let least: Vec<f64> = (0..points)
        .map(|j| loss.least(&truth[j * outputs..][..outputs]))
        .collect();
    let least = found.average(&least);
    let value = noise + b + v;
    let left_out = found.left_out.iter();
    let risk_left_out: Vec<f64> = left_out.map(|parts| parts[..3].iter().sum()).collect();
    let (train, train_left_out) = found.measured(|tally| tally.train[setting]);
    let (test, test_left_out) = found.measured(|tally| tally.test[setting]);
    let gaps = test_left_out.iter().zip(&risk_left_out);
    let gap_se = jackknife(gaps.map(|(test, risk)| test - risk));
    let risk_se = jackknife(risk_left_out.iter().copied());
    let fluctuation = loss.has_intervals().then(|| {
        let each = points * loss.scores(outputs);
        let numbers = setting * each..(setting + 1) * each;
        fluctuation(loss, all, groups, numbers, tested)
    });
    let b_se = fluctuation.map_or(f64::NAN, |found| found.se().max(b_se));
    let of_noise = bars.points(Average::Noise, &at_points[0], deviations, noise_se);
    let of_bias2 = match fluctuation {
        Some(found) => bars.points(Average::Bias2, &at_points[1], deviations, found.se()),
        None => Default::default(),
    };
    let of_variance = match fluctuation {
        Some(_) => bars.points(Average::Variance, &at_points[2], deviations, v_se),
        None => Default::default(),
    };
    let of_risk = bars.points(Average::Risk, &risks, deviations, risk_se);
    let bias2 = bars.squared_mean(b, b_se, fluctuation, of_bias2);
    let variances = found.left_out_of(2);
    let variance = match fluctuation {
        Some(_) => bars.above(0.0, v, &variances, of_variance),
        None => Estimate::without_error(v),
    };
    let risk = bars.above(least, value, &risk_left_out, of_risk);
    let of_risks = Parts::of_risks(all, setting, least, value - least, of_risk.se);
    let doubtful = [(bias2, of_bias2), (variance, of_variance), (risk, of_risk)];
    let rank = fluctuation.map_or(f64::INFINITY, |found| found.rank());
    let parts = Parts {
        against_theory: AgainstTheory {
            points: [of_bias2.se, of_variance.se],
            ..AgainstTheory::default()
        },
        doubts: bars.doubts(setting, all, (of_risks.largest_share, rank), doubtful),
        noise,
        noise_se: hypot(noise_se, of_noise.se),
        bias2,
        variance,
        risk,
        train: bars.above(0.0, train, &train_left_out, Default::default()),
        test: bars.above(0.0, test, &test_left_out, of_risk),
        gap: Estimate::new(test - value, gap_se),
        risk_resampling_se: risk_se,
        zeros: all.zeros_of(setting),
        extra: found.extra(points_error, least),
        left_out: LeftOutAverages {
            noise: match loss {
                Loss::ZeroOne(Split::Domingos) => found.left_out_of(0),
                _ => Vec::new(),
            },
            bias2: found.left_out_of(1),
            variance: variances,
            risk: risk_left_out,
            train: train_left_out,
            test: test_left_out,
        },
        ..of_risks
    };
    (parts, found.at_points)
}

/// How the bias fluctuates, where it is smooth in the mean score.
fn fluctuation(
    loss: Loss,
    all: &Tally,
    groups: &[&Tally],
    numbers: std::ops::Range<usize>,
    tested: TestSetup,
) -> Fluctuation {
    let TestSetup {
        truth,
        weights,
        outputs,
        ..
    } = tested;
    let length = numbers.len();
    let mut apart = deviations(all, groups, numbers.clone(), &vec![1.0; length]);
    let mut gradient = vec![0.0; length];
    let mean = &all.mean[numbers];
    let scores = loss.scores(outputs);
    for (j, weight) in weights.iter().enumerate() {
        let at = j * scores..(j + 1) * scores;
        let mut here: Vec<&mut [f64]> = apart
            .chunks_exact_mut(length)
            .map(|row| &mut row[at.clone()])
            .collect();
        loss.straighten(
            &truth[j * outputs..][..outputs],
            &mean[at.clone()],
            weight.sqrt(),
            &mut here,
            &mut gradient[at],
        );
    }
    let counts: Vec<f64> = groups.iter().map(|group| group.count as f64).collect();
    Fluctuation::new(&apart, &gradient, &counts)
}
