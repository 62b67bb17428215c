//! What classifiers share: probabilities of K classes, side by side, one row per point.

use crate::maths::{exp, ln};

/// The ε of [`smooth_logs`] where none is given.
pub const SMOOTHING: f64 = 1e-6;

/// Writes ln p of the probabilities of K classes. Where one of them is below ε/(1 + Kε), all are
/// moved away from 0 and 1 first, where a logarithm would be infinite: p' = (p + ε)/(1 + Kε), which
/// still sum to 1. What was smoothed once is left alone the next time.
///
/// ```
/// use bvlab::learner::probability::smooth_logs;
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

/// The class of the largest number, the lowest among equals.
///
/// ```
/// use bvlab::learner::probability::argmax;
///
/// assert_eq!(argmax(&[0.2, 0.4, 0.4]), 1);
/// ```
pub fn argmax(row: &[f64]) -> usize {
    let mut best = 0;
    for (class, number) in row.iter().enumerate() {
        if *number > row[best] {
            best = class;
        }
    }
    best
}

/// Divides a row by its sum.
///
/// ```
/// use bvlab::learner::probability::normalise;
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
/// use bvlab::learner::probability::softmax;
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

    #[test]
    fn one_probability_of_two_gives_the_other() {
        let mut out = [0.25, 1.0, 0.0, f64::NAN, f64::NAN, f64::NAN];
        both_of_two(&mut out);
        assert_eq!(out, [0.75, 0.25, 0.0, 1.0, 1.0, 0.0]);
    }

    #[test]
    fn equal_numbers_go_to_the_lower_class() {
        assert_eq!(argmax(&[0.5, 0.5]), 0);
        assert_eq!(argmax(&[0.0, 0.0, 1.0]), 2);
    }
}
