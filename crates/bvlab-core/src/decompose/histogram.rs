//! Medians and quartiles that survive where means do not exist.

use serde::{Deserialize, Serialize};

/// Mantissa bits that a bin keeps: 256 bins to the octave, each 0.2 to 0.4 % wide.
const BITS: u32 = 8;

/// Counts of numbers from 0 up in bins of fixed, logarithmic width. Which bin a number falls into
/// depends on nothing else, so two histograms join by adding counts: exactly, in any order.
///
/// ```
/// use bvlab_core::decompose::Histogram;
/// let mut histogram = Histogram::default();
/// (1..=1001).for_each(|i| histogram.add(f64::from(i)));
/// assert!((histogram.quantile(0.5) - 501.0).abs() < 2.0);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Histogram {
    /// The bins that are not empty, rising.
    bins: Vec<u32>,
    counts: Vec<u64>,
    count: u64,
}

impl Histogram {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.bins.clear();
        self.counts.clear();
        self.count = 0;
    }

    /// Whether every bin has its count; a histogram that was read from a file may be anything.
    pub(super) fn is_sound(&self) -> bool {
        let all = self
            .counts
            .iter()
            .try_fold(0, |sum: u64, n| sum.checked_add(*n));
        self.bins.len() == self.counts.len()
            && self.bins.is_sorted_by(|a, b| a < b)
            && all == Some(self.count)
    }

    /// Counts a number; what is below 0 counts as 0.
    pub fn add(&mut self, value: f64) {
        // The bits of a positive number rise with it: exponent first, then mantissa.
        let bin = (value.max(0.0).to_bits() >> (52 - BITS)) as u32;
        self.add_count(bin, 1);
    }

    fn add_count(&mut self, bin: u32, count: u64) {
        match self.bins.binary_search(&bin) {
            Ok(place) => self.counts[place] += count,
            Err(place) => {
                self.bins.insert(place, bin);
                self.counts.insert(place, count);
            }
        }
        self.count += count;
    }

    /// Adds another histogram's counts.
    pub fn join(&mut self, other: &Histogram) {
        for (bin, count) in other.bins.iter().zip(&other.counts) {
            self.add_count(*bin, *count);
        }
    }

    /// The number below which a share of all numbers lies, to 0.4 % at worst: within a bin
    /// they count as evenly spread. NaN if there are none.
    pub fn quantile(&self, share: f64) -> f64 {
        let wanted = share.clamp(0.0, 1.0) * self.count as f64;
        let mut below = 0.0;
        for (bin, count) in self.bins.iter().zip(&self.counts) {
            let count = *count as f64;
            if below + count >= wanted {
                let edge = |bin: u64| f64::from_bits(bin << (52 - BITS));
                let (low, high) = (edge(u64::from(*bin)), edge(u64::from(*bin) + 1));
                return match high.is_finite() && *bin > 0 {
                    true => low + (high - low) * ((wanted - below) / count),
                    false => low,
                };
            }
            below += count;
        }
        f64::NAN
    }

    /// The standard error of a quantile, from the binomial spread of the share below it: half the
    /// distance between the quantiles one standard error of that share to either side.
    pub fn quantile_se(&self, share: f64) -> f64 {
        let spread = (share * (1.0 - share) / self.count as f64).sqrt();
        (self.quantile(share + spread) - self.quantile(share - spread)) / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::{Purpose, Stream};
    use rand_distr::{Cauchy, Distribution};

    /// Numbers without a mean: the squares of Cauchy variables.
    fn wild(seed: u64, count: usize) -> Vec<f64> {
        let cauchy = Cauchy::new(0.0, 1.0).unwrap();
        let stream = Stream::new(seed, Purpose::Noise, 0);
        cauchy
            .sample_iter(stream)
            .take(count)
            .map(|x: f64| x * x)
            .collect()
    }

    #[test]
    fn quantiles_are_those_of_the_sorted_numbers() {
        let mut values = wild(1, 9999);
        let mut histogram = Histogram::default();
        values.iter().for_each(|value| histogram.add(*value));
        values.sort_by(f64::total_cmp);
        for share in [0.01, 0.25, 0.5, 0.75, 0.99] {
            let exact = values[(share * values.len() as f64) as usize];
            let found = histogram.quantile(share);
            assert!(
                (found / exact - 1.0).abs() < 0.005,
                "{share}: {found} for {exact}"
            );
        }
    }

    #[test]
    fn the_median_of_numbers_without_a_mean_has_an_honest_error() {
        // The median of a squared Cauchy variable is 1.
        let runs = 400;
        let far = (0..runs).filter(|seed| {
            let mut histogram = Histogram::default();
            wild(*seed, 500)
                .iter()
                .for_each(|value| histogram.add(*value));
            let [median, se] = [histogram.quantile(0.5), histogram.quantile_se(0.5)];
            (median - 1.0).abs() > 1.96 * se
        });
        // One in twenty, give or take four standard errors.
        let far = far.count() as f64;
        assert!(
            (far - 20.0).abs() < 4.0 * 20.0_f64.sqrt(),
            "{far} of {runs}"
        );
    }

    #[test]
    fn joining_is_exact_in_any_order() {
        let parts: Vec<Histogram> = (0..5)
            .map(|seed| {
                let mut part = Histogram::default();
                wild(seed, 100).iter().for_each(|value| part.add(*value));
                part
            })
            .collect();
        let join = |order: [usize; 5]| {
            let mut all = Histogram::default();
            order.iter().for_each(|i| all.join(&parts[*i]));
            all
        };
        assert_eq!(join([0, 1, 2, 3, 4]), join([3, 1, 4, 0, 2]));
    }

    #[test]
    fn zeros_and_infinities_have_their_bins() {
        let mut histogram = Histogram::default();
        for value in [0.0, 0.0, 0.0, 5.0, f64::INFINITY] {
            histogram.add(value);
        }
        assert_eq!(histogram.quantile(0.5), 0.0);
        assert_eq!(histogram.quantile(1.0), f64::INFINITY);
        assert!(Histogram::default().quantile(0.5).is_nan());
    }
}
