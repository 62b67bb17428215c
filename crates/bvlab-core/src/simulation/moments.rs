//! Mean and variance of what is seen one by one, with their standard errors.

use crate::decompose::Estimate;

/// The first four moments of numbers that come one by one.
///
/// With R numbers of mean m and central moments m₂, m₃, m₄ the unbiased variance is
/// s² = R m₂/(R−1). The standard error of m is s/√R, that of s² is √((m₄ − s⁴ (R−3)/(R−1))/R).
///
/// **Reference**: Pébay, *Formulas for robust, one-pass parallel computation of covariances and
/// arbitrary-order statistical moments* (2008).
///
/// ```
/// use bvlab_core::simulation::Moments;
///
/// let mut seen = Moments::default();
/// for value in [1.0, 2.0, 3.0, 6.0] {
///     seen.add(value);
/// }
/// assert_eq!(seen.mean().value, 3.0);
/// assert!((seen.variance().value - 14.0 / 3.0).abs() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    count: f64,
    mean: f64,
    /// Sums of the second, third and fourth powers of distances from the mean.
    sums: [f64; 3],
}

impl Moments {
    /// Adds a number.
    pub fn add(&mut self, value: f64) {
        let before = self.count;
        self.count += 1.0;
        let n = self.count;
        let [second, third, fourth] = &mut self.sums;
        let away = value - self.mean;
        let step = away / n;
        let square = away * step * before;
        *fourth += square * step * step * (n * n - 3.0 * n + 3.0) + 6.0 * step * step * *second
            - 4.0 * step * *third;
        *third += square * step * (n - 2.0) - 3.0 * step * *second;
        *second += square;
        self.mean += step;
    }

    /// How many there were.
    pub fn count(&self) -> f64 {
        self.count
    }

    /// Their mean.
    pub fn mean(&self) -> Estimate {
        Estimate::new(self.mean, (self.variance_value() / self.count).sqrt())
    }

    /// Their variance.
    pub fn variance(&self) -> Estimate {
        let (n, value) = (self.count, self.variance_value());
        let fourth = self.sums[2] / n;
        let spread = fourth - value * value * (n - 3.0) / (n - 1.0);
        Estimate::new(value, (spread.max(0.0) / n).sqrt())
    }

    fn variance_value(&self) -> f64 {
        self.sums[0] / (self.count - 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_two_passes() {
        let values: Vec<f64> = (0..50).map(|i| 1e3 + f64::from(i * i % 17)).collect();
        let mut seen = Moments::default();
        values.iter().for_each(|value| seen.add(*value));
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let power = |p: i32| values.iter().map(|v| (v - mean).powi(p)).sum::<f64>();
        for (sum, p) in seen.sums.iter().zip(2..) {
            assert!((sum - power(p)).abs() < 1e-7 * power(4), "{p}");
        }
        assert!((seen.mean().value - mean).abs() < 1e-12 * mean);
        let s2 = power(2) / (n - 1.0);
        let se = ((power(4) / n - s2 * s2 * (n - 3.0) / (n - 1.0)) / n).sqrt();
        assert!((seen.variance().se - se).abs() < 1e-9);
    }
}
