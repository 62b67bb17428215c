//! What classifiers share: probabilities of K classes, side by side, one row per point.

/// The ε of [`smooth`].
pub const SMOOTHING: f64 = 1e-6;

/// Moves the probabilities of K classes away from 0 and 1, where cross-entropy is infinite:
/// p' = (p + ε) / (1 + K ε) with ε = [`SMOOTHING`]. They still sum to 1.
///
/// ```
/// use bvlab::learner::probability::smooth;
///
/// let p = smooth(0.0, 2);
/// assert!(p > 0.0 && p < 1e-6);
/// assert!((p + smooth(1.0, 2) - 1.0).abs() < 1e-15);
/// ```
pub fn smooth(probability: f64, classes: usize) -> f64 {
    (probability + SMOOTHING) / (1.0 + classes as f64 * SMOOTHING)
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
    row.iter_mut().for_each(|l| *l = (*l - largest).exp());
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
