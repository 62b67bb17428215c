//! Error bars and intervals of averages over x, and when to doubt them.

use super::estimate::TestSetup;
use super::interval::{Fluctuation, of_positive_mean, widened};
use super::jackknife::{jackknife, unit};
use super::probe::{FEW_POINTS, MOST_PROBES, ProbeResult, Spread};
use super::{Doubt, Estimate, Loss, Split, Tally, heavy_tail, interval_factor};
use crate::learner::RiskMoments;
use crate::maths::hypot;

/// The half-width of an interval from many points, in standard deviations.
const NORMAL_REACH: f64 = 1.959_963_984_540_054;

/// Above this skewness, an average over drawn points counts as resting on few of them.
const MOST_SKEWNESS: f64 = 1.25;

/// From this number of resamples on, shares of votes are fine enough.
const ENOUGH_RESAMPLES: u64 = 40;

/// Shares of R votes are coarse: the reach below Kohavi and Wolpert's bias is stretched by
/// 1 + COARSE_VOTES/R.
const COARSE_VOTES: f64 = 20.0;

/// From this rank on, coarse shares average out.
const ENOUGH_DIRECTIONS: f64 = 5.0;

/// Which average.
#[derive(Clone, Copy)]
pub(super) enum Average {
    Bias2,
    Variance,
    Risk,
    Noise,
}

/// How much estimates at single points, and their average, vary with the resamples: the jackknife at
/// every point, of bias², variance and their sum.
#[derive(Default)]
pub(super) struct PointDeviations {
    groups: f64,
    /// By part and point: sums of what leaving out a group changes, and of its square.
    sums: [Vec<f64>; 3],
    squares: [Vec<f64>; 3],
}

impl PointDeviations {
    pub fn new(groups: usize, points: usize) -> Self {
        let zeros = || std::array::from_fn(|_| vec![0.0; points]);
        PointDeviations {
            groups: groups as f64,
            sums: zeros(),
            squares: zeros(),
        }
    }

    /// Adds by how much bias² and variance at a point differ with a group left out.
    pub fn add(&mut self, point: usize, [bias2, variance]: [f64; 2]) {
        let changes = [bias2, variance, bias2 + variance];
        for (part, change) in changes.into_iter().enumerate() {
            self.sums[part][point] += change;
            self.squares[part][point] += change * change;
        }
    }

    /// The variance of an estimate at a point, averaged over the points.
    fn variance(&self, part: Average) -> f64 {
        let part = match part {
            Average::Bias2 => 0,
            Average::Variance => 1,
            Average::Risk => 2,
            Average::Noise => return 0.0,
        };
        let points = self.sums[part].iter().zip(&self.squares[part]);
        let count = points.len().max(1) as f64;
        let each = points.map(|(sum, square)| square - sum * sum / self.groups);
        (self.groups - 1.0) / self.groups * each.sum::<f64>() / count
    }
}

/// The error of an average over the test points, which are a sample or a grid.
#[derive(Clone, Copy, Default)]
pub(super) struct PointsPart {
    /// Its standard deviation, and the half-width of its 95 % interval.
    pub se: f64,
    reach: f64,
    /// How skewed it is.
    skewness: f64,
}

/// The error bars of one setting.
pub(super) struct Bars<'a> {
    tested: TestSetup<'a>,
    probed: Option<ProbeResult>,
    /// The half-width of an interval, in standard errors.
    t: f64,
    resamples: f64,
}

impl<'a> Bars<'a> {
    pub fn new(tested: TestSetup<'a>, setting: usize, groups: usize, resamples: f64) -> Self {
        Bars {
            resamples,
            tested,
            probed: tested.probed.and_then(|probed| probed[setting]),
            t: interval_factor(0.95, groups),
        }
    }

    /// Whether the test points are a sample, so that [`PointDeviations`] is needed.
    pub fn needs_points(&self) -> bool {
        self.tested.drawn
    }

    /// The error that the test points have in an average of these values, whose error from the
    /// resamples is `se`.
    pub fn points(
        &self,
        part: Average,
        values: &[f64],
        pointwise: &PointDeviations,
        se: f64,
    ) -> PointsPart {
        let index = part as usize;
        if let (false, Some(ProbeResult::Grid { error })) = (self.tested.drawn, self.probed) {
            return PointsPart {
                se: error[index],
                reach: NORMAL_REACH * error[index],
                skewness: 0.0,
            };
        }
        let count = values.len();
        if !self.tested.drawn || count < 2 {
            return PointsPart::default();
        }
        let sample = Spread::of(values);
        let scale = unit([sample.variance.sqrt(), se].into_iter());
        let chance = (pointwise.variance(part) - se * se) / scale / scale;
        // The resamples make the points differ more than they do.
        let own = (sample.variance / scale / scale - chance).max(0.0) * scale * scale;
        let (variance, skewness, degrees) = match self.probed {
            Some(ProbeResult::Sample { variance, skewness }) => {
                let probed = variance[index];
                let variance = match part {
                    // Few test points, and fits enough to see a bias at the others: each point counts
                    // alike, unless the few differ more than the many.
                    Average::Bias2 if count < FEW_POINTS => {
                        let [own_points, others] = [count as f64, MOST_PROBES as f64];
                        let pooled = (own_points * own + others * probed) / (own_points + others);
                        pooled.max(0.5 * (own + probed))
                    }
                    // A bias that is small beside the fluctuations is seen by many resamples only.
                    Average::Bias2 => own.max(probed),
                    _ => 0.5 * (own + probed),
                };
                (variance, sample.skewness.max(skewness[index]), None)
            }
            _ => (own, sample.skewness, Some(count)),
        };
        let points_se = (variance / count as f64).sqrt();
        // What is the same everywhere differs by rounding at most.
        let points_se = match points_se > 1e-12 * values[0].abs() {
            true => points_se,
            false => 0.0,
        };
        let reach = degrees.map_or(NORMAL_REACH, |count| interval_factor(0.95, count));
        let share = match points_se > 0.0 {
            true => {
                let ratio = se / points_se;
                1.0 / (1.0 + ratio * ratio)
            }
            false => 0.0,
        };
        PointsPart {
            se: points_se,
            reach: reach * points_se,
            skewness: skewness * share * share.sqrt() / (count as f64).sqrt(),
        }
    }

    /// An estimate of bias² with its interval.
    pub fn squared_mean(
        &self,
        value: f64,
        se: f64,
        fluctuation: Option<Fluctuation>,
        points: PointsPart,
    ) -> Estimate {
        let all = hypot(se, points.se);
        match fluctuation {
            Some(fluctuation) => {
                let stretch = match self.tested.loss {
                    Loss::ZeroOne(_) => 1.0 + COARSE_VOTES / self.resamples,
                    _ => 1.0,
                };
                let [low, high] = fluctuation.interval(value, self.t, stretch);
                // Widening is from the estimate, which may lie outside.
                let ends = [low.min(value), high.max(value)];
                let [low, high] = match points.reach > 0.0 {
                    true => widened(value, ends, points.reach),
                    false => [low, high],
                };
                Estimate::within(value, all, [low.max(0.0), high])
            }
            None => Estimate::without_error(value),
        }
    }

    /// An estimate above a part that is known, from its values with one group left out each, with its
    /// interval.
    pub fn above(&self, known: f64, value: f64, left_out: &[f64], points: PointsPart) -> Estimate {
        let se = jackknife(left_out.iter().copied());
        let inner = of_positive_mean(known, value, left_out, self.resamples, self.t);
        let ends = widened(value, inner, points.reach);
        Estimate::within(value, hypot(se, points.se), ends)
    }

    /// What to doubt, from the parts of the error that the test points have beside those from the
    /// resamples.
    pub fn doubts(
        &self,
        setting: usize,
        all: &Tally,
        (largest_share, rank): (f64, f64),
        parts: [(Estimate, PointsPart); 3],
    ) -> Vec<Doubt> {
        let tested = &self.tested;
        let moments = tested
            .moments
            .map_or(RiskMoments::Enough, |all| all[setting]);
        let unbounded = !tested.loss.is_bounded(tested.outputs);
        let few_points = tested.drawn
            && parts
                .iter()
                .any(|(_, points)| points.skewness > MOST_SKEWNESS);
        // Of so few votes shares are too coarse, unless they vary in many directions.
        let few_resamples = tested.loss == Loss::ZeroOne(Split::KohaviWolpert)
            && all.count < ENOUGH_RESAMPLES
            && rank < ENOUGH_DIRECTIONS;
        let heavy_noise = tested.noise_degrees.is_some_and(|degrees| degrees <= 4.0);
        // Named where it is most of the error, and more than a twentieth of the number.
        let coarse = parts.iter().any(|(estimate, points)| {
            let own = (estimate.se * estimate.se - points.se * points.se).max(0.0);
            !tested.drawn
                && points.se > 0.0
                && points.se * points.se > own
                && points.se > 0.05 * estimate.value.abs()
        });
        let found = [
            (Doubt::InfiniteMean, moments == RiskMoments::NoMean),
            (Doubt::InfiniteSpread, moments == RiskMoments::NoSpread),
            (
                Doubt::HeavyTail,
                moments == RiskMoments::Enough && unbounded && heavy_tail(largest_share, all.count),
            ),
            (Doubt::HeavyNoise, heavy_noise),
            (Doubt::FewResamples, few_resamples),
            (Doubt::FewPoints, few_points),
            (Doubt::CoarseGrid, coarse),
        ];
        let found = found.into_iter().filter(|(_, applies)| *applies);
        found.map(|(doubt, _)| doubt).collect()
    }
}
