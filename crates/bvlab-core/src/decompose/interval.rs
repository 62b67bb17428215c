//! 95 % intervals.
//!
//! **Bias².** The unbiased estimate of a squared mean is a quadratic form, whose distribution is
//! skewed where the bias is small, so that no symmetric interval covers. A score test does: for every
//! θ ≥ 0 the variance of the estimate is 4a(θ) + 2τ, where τ is the part from the square of the
//! fluctuations and a(θ), what the fluctuations along the bias add, grows with θ; the upper end is the
//! largest θ within t standard errors. An estimate that is too high comes more often than one that is
//! too low, and the lower end is the smallest θ that the estimate is within t of by Wilson and
//! Hilferty's cube root, with third cumulant 8 s₃ + 24 A₂ a(θ)/A. With group means M_g of n_g resamples each, overall mean m, both
//! as distances from the truth, G groups, ν = G - 1, R resamples and inner products averaged over x:
//!
//! - K_gh = ⟨M_g - m, M_h - m⟩ √(n_g n_h)/(νR), T = tr K,
//! - τ = ν²/((ν-1)(ν+2)) (tr K² - T²/ν), unbiased for the trace of the squared covariance of m,
//! - s₃ = [tr K³ - 3(1/ν + 1/ν²) T τ - T³/ν²]/(1 + 3/ν + 4/ν²), kept within [τ²/T, τ^1.5],
//! - c_g = ⟨M_g - m, m⟩ √(n_g/(νR)), A = Σ c_g² - τ, which is a at the estimate B,
//! - A₂ = (Σ c_g K_gh c_h - T Σ c_g²/ν)/(1 + 1/ν) - s₃, the same with the squared covariance of m,
//! - κ = (2 A₂ + s₃)/(2 A + τ), A and A₂ not below 0 and κ not above √τ: how A changes with B,
//! - a(θ) = max(0, A + κ(θ - B)).
//!
//! Where the bias is small beside the fluctuations κ is s₃/τ; where it is large, κ is that of the
//! fluctuations along the bias, which may be much weaker than others.
//!
//! Other losses whose bias is a smooth function g of a mean score use the same form with the metric
//! ½∇²g in place of the inner product and ½∇g in place of m.
//!
//! **Variance, risk and measured errors** are means of positive numbers, and skewed. Hall's
//! transformation (1992) takes most of the skewness from a studentised mean; the skewness is that of
//! the groups, within what so many resamples can have. An interval that is symmetric on the log scale, for the risk on that of what it lies
//! above the noise, has a lower end above zero. The larger of both lower ends and the larger of both
//! upper ends are taken.
//!
//! **Test points that are drawn** have an error of their own, independent of the resamples: the
//! distances to either end are added as squares (the method of variance estimates recovery, Zou and
//! Donner 2008).

use super::Tally;
use super::estimate::{jackknife, unit};
use crate::lanes::dot;
use crate::maths::{exp, hypot, pow};

/// Groups are few, and show less skewness than there is. Means of 40 and 100 squares of normal
/// numbers, of exponential ones and of squares of Student's t with 5 degrees of freedom came out best
/// with this factor.
const SKEWNESS_OF_FEW: f64 = 1.3;

/// The most skewness that a single resample is taken to have, about that of the square of a normal
/// number. With many resamples in a group, what groups show beyond that is chance.
const MOST_SKEWNESS: f64 = 3.0;

/// How far skewness may stretch one side of an interval.
const MOST_STRETCH: f64 = 2.0;

/// How often an end is halved in on: enough for 18 digits of the estimate.
const BISECTIONS: usize = 60;

/// Both ends of an interval.
pub(super) type IntervalEnds = [f64; 2];

/// What the groups tell about the fluctuations of a mean.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Fluctuation {
    /// A, what the fluctuations along the bias add to a quarter of the estimate's variance.
    along: f64,
    /// κ, by how much that grows with θ.
    slope: f64,
    /// τ, half of what the square of the fluctuations adds.
    square: f64,
    /// s₃, an eighth of its third cumulant where there is no bias.
    third: f64,
    /// A₂, a 24th of what the bias adds to that.
    twice: f64,
    /// How skewed the estimate is, as far as the fluctuations along the bias make it: the skewness
    /// of the groups along the bias, over the root of their number.
    skewness: f64,
    /// T²/τ, about how many directions the fluctuations have.
    rank: f64,
    /// What all of it has to be multiplied by.
    unit: f64,
}

impl Fluctuation {
    /// From the deviations M_g - m of the groups of so many resamples, one row each, in coordinates
    /// in which the metric is that of plain products, and from m (or ½∇g) in the same.
    pub fn new(deviations: &[f64], mean: &[f64], counts: &[f64]) -> Self {
        let groups = counts.len();
        let nu = groups as f64 - 1.0;
        let all: f64 = counts.iter().sum();
        let length = mean.len();
        let row = |g: usize| &deviations[g * length..][..length];
        let size = |numbers: &[f64]| numbers.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        // Fourth powers of the numbers are formed below: near 1 they stay within range.
        let unit = match power_of_two(size(deviations)) {
            0.0 => return Fluctuation::default(),
            unit => unit,
        };
        let scale = |g: usize| (counts[g] / (nu * all)).sqrt() / unit;
        let mut gram = vec![0.0; groups * groups];
        for g in 0..groups {
            for h in 0..=g {
                let product = dot(row(g), row(h)) * scale(g) * scale(h);
                gram[g * groups + h] = product;
                gram[h * groups + g] = product;
            }
        }
        let trace: f64 = (0..groups).map(|g| gram[g * groups + g]).sum();
        let squares = dot(&gram, &gram);
        let mut cubes = 0.0;
        for g in 0..groups {
            for h in 0..groups {
                let (a, b) = (&gram[g * groups..][..groups], &gram[h * groups..][..groups]);
                cubes += gram[g * groups + h] * dot(a, b);
            }
        }
        let square =
            (nu * nu / ((nu - 1.0) * (nu + 2.0)) * (squares - trace * trace / nu)).max(0.0);
        if square == 0.0 {
            return Fluctuation::default();
        }
        let third = cubes
            - 3.0 * (1.0 / nu + 1.0 / (nu * nu)) * trace * square
            - trace * trace * trace / (nu * nu);
        let third = third / (1.0 + 3.0 / nu + 4.0 / (nu * nu));
        let (least, most) = (square * square / trace, square * square.sqrt());
        let third = third.max(least).min(most);
        let products: Vec<f64> = (0..groups)
            .map(|g| dot(row(g), mean) / unit * scale(g))
            .collect();
        let along = dot(&products, &products);
        let mut twice = 0.0;
        for (g, product) in products.iter().enumerate() {
            twice += product * dot(&gram[g * groups..][..groups], &products);
        }
        let twice = (twice - trace * along / nu) / (1.0 + 1.0 / nu);
        let slope =
            (2.0 * (twice - third).max(0.0) + third) / (2.0 * (along - square).max(0.0) + square);
        // What the square of the fluctuations adds is accounted for by a(θ).
        let share = 4.0 * (along - square).max(0.0);
        let share = share / (share + 2.0 * square);
        let skewness = skewness_of_mean(&products, all) * share * share.sqrt();
        Fluctuation {
            along: along - square,
            skewness,
            slope: slope.min(square.sqrt()),
            square,
            third,
            twice: (twice - third).max(0.0),
            rank: trace * trace / square,
            unit: unit * unit,
        }
    }

    /// About how many directions there are; 0 where nothing fluctuates.
    pub fn rank(&self) -> f64 {
        self.rank
    }

    /// The standard error at the estimate.
    pub fn se(&self) -> f64 {
        self.unit * (4.0 * self.along.max(0.0) + 2.0 * self.square).sqrt()
    }

    /// How many standard errors an estimate lies above θ, also far out: a squared mean is nearly a
    /// gamma variable that is shifted, and the cube root of one nearly normal (Wilson and Hilferty
    /// 1931).
    pub fn above(&self, estimate: f64, theta: f64) -> f64 {
        if self.unit == 0.0 {
            return 0.0;
        }
        let apart = (estimate - theta) / self.unit;
        let along = (self.along - self.slope * apart).max(0.0);
        let sd = (4.0 * along + 2.0 * self.square).sqrt();
        // The lower tail is lighter than that of a normal variable, but how light is uncertain.
        if apart < 0.0 {
            return apart / sd;
        }
        let share = match self.along > 0.0 {
            true => along / self.along,
            false => 0.0,
        };
        let third = 8.0 * self.third + 24.0 * share * self.twice;
        let skewness = third / (sd * sd * sd);
        let root = (1.0 + skewness * apart / sd / 2.0).max(0.0);
        let root = cube_root(root);
        6.0 / skewness * (root - 1.0) + skewness / 6.0
    }

    /// The interval around an estimate of a squared mean: all θ ≥ 0 within t standard errors, more or
    /// fewer to either side where the estimate is skewed, and `stretch` times as many below it.
    pub fn interval(&self, estimate: f64, t: f64, stretch: f64) -> IntervalEnds {
        if self.unit == 0.0 {
            return [estimate.max(0.0); 2];
        }
        let [below, above] = reaches(t, self.skewness);
        let [_, high] = self.symmetric(estimate, above);
        [self.lowest(estimate, stretch * below), high]
    }

    /// The smallest θ ≥ 0 that the estimate lies no more than t standard errors above, by bisection.
    fn lowest(&self, estimate: f64, t: f64) -> f64 {
        let (mut out, mut within) = (0.0, estimate.max(0.0));
        if self.above(estimate, out) <= t {
            return out;
        }
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (out + within);
            match self.above(estimate, middle) > t {
                true => out = middle,
                false => within = middle,
            }
        }
        within
    }

    /// All θ ≥ 0 within t standard errors.
    fn symmetric(&self, estimate: f64, t: f64) -> IntervalEnds {
        let Fluctuation {
            along,
            slope,
            square,
            ..
        } = *self;
        let flat = t * (2.0 * square).sqrt();
        // u = θ - B. To the right of the edge a(θ) rises, to the left it is 0.
        let edge = -along / slope;
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut add = |from: f64, to: f64| {
            if from <= to {
                (low, high) = (low.min(from), high.max(to));
            }
        };
        let middle = 2.0 * t * t * slope;
        let root = middle * middle + t * t * (4.0 * along + 2.0 * square);
        if root >= 0.0 {
            add((middle - root.sqrt()).max(edge), middle + root.sqrt());
        }
        add(-flat, flat.min(edge));
        match estimate + self.unit * high {
            // Nothing that is possible is within reach: the estimate is far below zero.
            end if end < 0.0 || low > high => [0.0, self.unit * flat],
            end => [(estimate + self.unit * low).max(0.0), end],
        }
    }
}

fn cube_root(number: f64) -> f64 {
    pow(number.abs(), 1.0 / 3.0).copysign(number)
}

/// How many standard errors below and above a mean are within reach of t: Hall's transformation
/// (1992), the other way round.
fn reaches(t: f64, skewness: f64) -> [f64; 2] {
    if skewness.abs() < 1e-3 {
        return [t, t];
    }
    let back = |t: f64| {
        let root = cube_root(1.0 + skewness * (t - skewness / 6.0));
        3.0 / skewness * (root - 1.0)
    };
    [back(t), -back(-t)].map(|reach| reach.min(MOST_STRETCH * t))
}

/// The deviations of the groups' means from the mean of all, `at` some numbers of a tally, each
/// times the root of its weight.
pub(super) fn deviations(
    all: &Tally,
    groups: &[&Tally],
    at: std::ops::Range<usize>,
    roots: &[f64],
) -> Vec<f64> {
    let mean = &all.mean[at.clone()];
    let each = groups.iter().flat_map(|group| {
        let pairs = group.mean[at.clone()].iter().zip(mean).zip(roots);
        pairs.map(|((group, mean), root)| root * (group - mean))
    });
    each.collect()
}

/// The skewness of the mean of so many resamples, from the deviations of its groups, which sum to
/// about zero.
fn skewness_of_mean(deviations: &[f64], resamples: f64) -> f64 {
    let sum = |term: fn(f64) -> f64| deviations.iter().map(|x| term(*x)).sum::<f64>();
    let squares = sum(|x| x * x);
    if squares == 0.0 {
        return 0.0;
    }
    let found = SKEWNESS_OF_FEW * sum(|x| x * x * x) / (squares * squares.sqrt());
    let most = MOST_SKEWNESS / resamples.sqrt();
    found.clamp(-most, most)
}

/// The interval of a mean over so many resamples of numbers above `known`, from its values with one
/// group left out each.
pub(super) fn of_positive_mean(
    known: f64,
    value: f64,
    left_out: &[f64],
    resamples: f64,
    t: f64,
) -> IntervalEnds {
    let se = jackknife(left_out.iter().copied());
    let mean = left_out.iter().sum::<f64>() / left_out.len() as f64;
    let unit = unit(left_out.iter().map(|left| mean - left));
    let deviations: Vec<f64> = left_out.iter().map(|left| (mean - left) / unit).collect();
    let [below, above] = reaches(t, skewness_of_mean(&deviations, resamples));
    let [low, high] = on_log_scale(value - known, se, t).map(|end| known + end);
    [low.max(value - below * se), high.max(value + above * se)]
}

/// The ends of an interval of ± t standard errors on the log scale around a positive estimate.
fn on_log_scale(value: f64, se: f64, t: f64) -> IntervalEnds {
    match value > 0.0 && se > 0.0 {
        true => {
            let factor = exp(t * se / value);
            [value / factor, value * factor]
        }
        false => [value - t * se, value + t * se],
    }
}

/// Widens an interval by an independent error that reaches as far to either side.
pub(super) fn widened(value: f64, [low, high]: IntervalEnds, reach: f64) -> IntervalEnds {
    match reach > 0.0 {
        true => [
            value - hypot(value - low, reach),
            value + hypot(high - value, reach),
        ],
        false => [low, high],
    }
}

/// The power of two at or below a positive number; 0 for 0, and for what is too small to tell.
fn power_of_two(number: f64) -> f64 {
    let exponent = f64::from_bits(number.to_bits() & f64::INFINITY.to_bits());
    match exponent.is_normal() {
        true => exponent,
        false => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decompose::interval_factor;
    use crate::stream::{Purpose, Stream};
    use rand_distr::{Distribution, StandardNormal};

    /// Coverage of the interval for ‖μ‖² from the means of 24 groups in so many dimensions, with
    /// bias along the first of them.
    fn coverage(rank: usize, bias: f64) -> f64 {
        let (groups, runs) = (24, 2000);
        let t = interval_factor(0.95, groups);
        let covered = (0..runs).filter(|run| {
            let mut stream = Stream::new(*run, Purpose::Noise, 0);
            let mut means: Vec<f64> = (0..groups * rank)
                .map(|_| -> f64 { StandardNormal.sample(&mut stream) })
                .collect();
            means.chunks_mut(rank).for_each(|mean| mean[0] += bias);
            let mean: Vec<f64> = (0..rank)
                .map(|i| means.iter().skip(i).step_by(rank).sum::<f64>() / groups as f64)
                .collect();
            for group in means.chunks_mut(rank) {
                group.iter_mut().zip(&mean).for_each(|(g, m)| *g -= m);
            }
            let fluctuation = Fluctuation::new(&means, &mean, &vec![1.0; groups]);
            let within = dot(&means, &means) / (groups as f64 - 1.0);
            let estimate = dot(&mean, &mean) - within / groups as f64;
            let [low, high] = fluctuation.interval(estimate, t, 1.0);
            (low..=high).contains(&(bias * bias))
        });
        covered.count() as f64 / runs as f64
    }

    #[test]
    fn intervals_for_a_squared_mean_cover() {
        for rank in [1, 2, 5, 30] {
            for bias in [0.0, 0.1, 0.2, 0.5, 2.0] {
                let covered = coverage(rank, bias);
                // Four standard errors of 2000 runs beyond 93 to 99 %.
                let found = format!("rank {rank}, bias {bias}: {covered}");
                assert!((0.907..=0.998).contains(&covered), "{found}");
            }
        }
    }

    #[test]
    fn no_interval_lies_below_zero() {
        let deviations = [1.0, -1.0, 0.5, -0.5];
        let fluctuation = Fluctuation::new(&deviations, &[0.0], &[1.0; 4]);
        for estimate in [-9.0, -1.0, -0.1, 0.0, 0.1, 5.0] {
            let [low, high] = fluctuation.interval(estimate, 2.0, 1.0);
            assert!(0.0 <= low && low <= high, "{estimate}: {low} to {high}");
        }
        let none = Fluctuation::new(&[0.0; 4], &[1.0], &[1.0; 4]);
        assert_eq!(none.interval(1.0, 2.0, 1.0), [1.0, 1.0]);
    }

    #[test]
    fn the_unit_of_the_numbers_does_not_matter() {
        let deviations = [1.0, -1.5, 0.5, 0.0];
        let of = |unit: f64| {
            let scaled = deviations.map(|x| x * unit);
            Fluctuation::new(&scaled, &[0.3 * unit], &[1.0; 4]).interval(
                0.2 * unit * unit,
                2.0,
                1.0,
            )
        };
        let [low, high] = of(1.0);
        for power in [-260.0, -500.0, 260.0, 500.0] {
            let unit = pow(2.0, power);
            let found = of(unit).map(|end| end / unit / unit);
            assert_eq!(found, [low, high], "2^{power}");
        }
    }
}
