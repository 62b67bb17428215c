//! What classifiers share: probabilities of K classes, side by side, one row per point.

use crate::maths::{exp, ln};
use crate::stream::{GOLDEN, Stream, mix};

/// The ε of [`smooth_logs`] where none is given.
pub const SMOOTHING: f64 = 1e-6;

/// Writes ln p of the probabilities of K classes. Where one of them is below ε/(1 + Kε), all are
/// moved away from 0 and 1 first, where a logarithm would be infinite: p' = (p + ε)/(1 + Kε), which
/// still sum to 1. What was smoothed once is left alone the next time.
///
/// ```
/// use bvlab_core::probability::smooth_logs;
///
/// let mut logs = [0.0; 2];
/// smooth_logs(&[0.25, 0.75], 1e-6, &mut logs);
/// assert_eq!(logs, [0.25_f64.ln(), 0.75_f64.ln()]);
/// smooth_logs(&[0.0, 1.0], 1e-6, &mut logs);
/// assert!((logs[0].exp() - 1e-6).abs() < 1e-11);
/// assert!((logs[0].exp() + logs[1].exp() - 1.0).abs() < 1e-15);
/// ```
pub fn smooth_logs(row: &[f64], smoothing: f64, logs: &mut [f64]) {
    let sum = 1.0 + smoothing * row.len() as f64;
    let least = row.iter().copied().fold(1.0, f64::min);
    // A hair lower, so that rounding does not smooth again.
    let (more, sum) = match least < (1.0 - 1e-9) * smoothing / sum {
        true => (smoothing, sum),
        false => (0.0, 1.0),
    };
    for (log, p) in logs.iter_mut().zip(row) {
        *log = ln((p + more) / sum);
    }
}

/// The classes of the largest number in a row of numbers from 0: one, or several that are equal to
/// rounding.
///
/// ```
/// use bvlab_core::probability::largest;
///
/// assert!(largest(&[0.3, 0.5, 0.2]).eq([1]));
/// assert!(largest(&[0.2, 0.4, 0.1 + 0.3]).eq([1, 2]));
/// ```
pub fn largest(row: &[f64]) -> impl Iterator<Item = usize> + Clone {
    let most = row.iter().copied().fold(0.0, f64::max);
    let bar = most * (1.0 - 1e-12);
    let classes = row.iter().enumerate();
    classes.filter(move |(_, p)| **p >= bar).map(|(k, _)| k)
}

/// How one fit chooses between classes that are equally probable: by an order of all classes that
/// is drawn for every fit, and for every member of an ensemble.
///
/// So a classifier is a function of x, also where votes are even, and over training sets no class is
/// favoured.
///
/// ```
/// use bvlab_core::probability::Preference;
/// use bvlab_core::stream::{Purpose, Stream};
///
/// let of = |resample| Preference::of(&Stream::new(1, Purpose::Algorithm, resample));
/// assert_eq!(of(0).choose(&[0.1, 0.2, 0.7]), 2);
/// let first = (0..1000).filter(|resample| of(*resample).choose(&[0.4, 0.4, 0.2]) == 0);
/// assert!((450..550).contains(&first.count()));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Preference(u64);

impl Preference {
    /// That of a learner which was fitted with a stream.
    pub fn of(stream: &Stream) -> Self {
        Preference(mix(!stream.salt()))
    }

    /// That of a member of an ensemble with this one.
    pub fn of_member(self, member: usize) -> Self {
        Preference(mix(self.0.wrapping_add(GOLDEN) ^ member as u64))
    }

    /// The class of the [largest] number; the preferred one among equals.
    pub fn choose(self, row: &[f64]) -> usize {
        let rank = |class: &usize| mix(self.0 ^ *class as u64);
        let mut equals = largest(row);
        match (equals.next(), equals.next()) {
            (Some(only), None) => only,
            _ => largest(row).max_by_key(rank).unwrap_or(0),
        }
    }
}

/// Divides a row by its sum.
///
/// ```
/// use bvlab_core::probability::normalise;
///
/// let mut row = [1.0, 3.0];
/// normalise(&mut row);
/// assert_eq!(row, [0.25, 0.75]);
/// ```
pub fn normalise(row: &mut [f64]) {
    let sum: f64 = row.iter().sum();
    row.iter_mut().for_each(|number| *number /= sum);
}

/// Turns logarithms, known up to a constant that they share, into probabilities that sum to 1:
/// p_k = exp(l_k) / Σ_i exp(l_i).
///
/// ```
/// use bvlab_core::probability::softmax;
///
/// let mut row = [1000.0, 1000.0 + f64::ln(3.0)];
/// softmax(&mut row);
/// assert!((row[1] - 0.75).abs() < 1e-12);
/// ```
pub fn softmax(row: &mut [f64]) {
    let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    row.iter_mut().for_each(|l| *l = exp(*l - largest));
    normalise(row);
}

/// Spreads the probabilities p of class 1 of two, in the first half of `out`, to rows (1 - p, p).
pub(super) fn both_of_two(out: &mut [f64]) {
    for i in (0..out.len() / 2).rev() {
        let p = out[i];
        out[2 * i] = 1.0 - p;
        out[2 * i + 1] = p;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Purpose;

    #[test]
    fn one_probability_of_two_gives_the_other() {
        let mut out = [0.25, 1.0, 0.0, f64::NAN, f64::NAN, f64::NAN];
        both_of_two(&mut out);
        assert_eq!(out, [0.75, 0.25, 0.0, 1.0, 1.0, 0.0]);
    }

    #[test]
    fn a_fit_prefers_each_class_as_often_and_its_members_on_their_own() {
        const FITS: usize = 30_000;
        let mut counts = [[0_usize; 3]; 2];
        let mut same = 0_usize;
        for resample in 0..FITS {
            let stream = Stream::new(1, Purpose::Algorithm, resample as u64);
            let fit = Preference::of(&stream);
            let members = [0, 1].map(|member| fit.of_member(member));
            for (preference, counts) in [fit, members[0]].iter().zip(&mut counts) {
                let chosen = preference.choose(&[0.25, 0.25, 0.25, 0.2]);
                // One order of all classes, so that fewer equals change nothing for the preferred.
                let mut others = [0.25, 0.25, 0.25, 0.2];
                others[(chosen + 1) % 3] = 0.0;
                assert_eq!(preference.choose(&others), chosen);
                counts[chosen] += 1;
            }
            let even = [fit, members[0], members[1]].map(|p| p.choose(&[0.5, 0.5]));
            same += usize::from(even[0] == even[1]) + usize::from(even[1] == even[2]);
        }
        // Five standard deviations.
        for count in counts.as_flattened() {
            assert!(count.abs_diff(FITS / 3) < 410, "{counts:?}");
        }
        assert!(same.abs_diff(FITS) < 620, "{same}");
    }

    #[test]
    fn what_is_equal_to_rounding_is_equal() {
        let third = 1.0 / 3.0;
        let sums = [third + (1.0 - third) + 0.2, 0.7 + 0.4 + 0.1];
        assert_ne!(sums[0], sums[1]);
        assert!(largest(&sums).eq([0, 1]));
        assert!(largest(&[0.5, 0.5 - 1e-9]).eq([0]));
        assert!(largest(&[0.0, 0.0]).eq([0, 1]));
        assert_eq!(Preference::default().choose(&[f64::NAN, f64::NAN]), 0);
    }
}
