//! Estimates with one group of resamples left out at a time.

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

/// All resamples but those of one group.
pub(super) struct LeaveGroupOut {
    all: f64,
    group: f64,
}

impl LeaveGroupOut {
    pub(super) fn new(all: f64, group: f64) -> Self {
        LeaveGroupOut { all, group }
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
    pub(super) fn split(
        &self,
        mean: f64,
        squares: f64,
        group_mean: f64,
        group_squares: f64,
    ) -> Unbiased {
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
