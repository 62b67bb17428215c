//! The exponential, for one number or many.
//!
//! Written by hand because no crate on stable Rust has an exponential that becomes vector
//! instructions: this one is arithmetic without branches, so a loop over a slice runs several lanes
//! at once, with the bits of the numbers one by one.

use super::{WHOLE, horner, power_of_two, series};
use crate::lanes::wide;

/// ln 2 in two parts; a multiple of the first below 2²⁰ is exact.
const LN_2: [f64; 2] = [6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10];

/// 1/k! for k = 13, 12, …, 2.
const SERIES: [f64; 12] = series(2, 1, false);

/// Beyond, an exponential is 0 or infinite.
const REACH: f64 = 1000.0;

/// The smallest number for which [`weight_exp`] is not 0.
pub(crate) const LEAST: f64 = -700.0;

/// e^x, with an error below 1 ulp.
///
/// ```
/// use bvlab_core::maths::exp;
///
/// assert_eq!(exp(0.0), 1.0);
/// assert_eq!(exp(-800.0), 0.0);
/// assert_eq!(exp(710.0), f64::INFINITY);
/// ```
pub fn exp(x: f64) -> f64 {
    kernel(x)
}

/// Replaces every number by its exponential, with the bits of [`exp`].
pub fn exp_all(numbers: &mut [f64]) {
    wide(
        #[inline(always)]
        || {
            for number in numbers {
                *number = kernel(*number);
            }
        },
    );
}

#[inline(always)]
fn kernel(x: f64) -> f64 {
    // The comparisons choose without a branch, and leave NaN as it is.
    let near = if x < -REACH { -REACH } else { x };
    let near = if near > REACH { REACH } else { near };
    let (sum, multiple, _) = reduced(near);
    // In two steps, since 2^q itself may be no number where the exponential is one.
    let half = 0.5 * multiple + WHOLE;
    let other = (multiple - (half - WHOLE)) + WHOLE;
    sum * power_of_two(half) * power_of_two(other)
}

/// e^x for x ≤ 0, with the bits of [`exp`] down to x = -700 and 0 below: a few instructions shorter,
/// for the weights of a kernel and for probabilities relative to the largest. What it is for x above
/// 700 is not defined. NaN stays NaN.
#[inline(always)]
pub fn weight_exp(x: f64) -> f64 {
    let near = if x < LEAST { LEAST } else { x };
    let (sum, _, shifted) = reduced(near);
    let found = sum * power_of_two(shifted);
    if x < LEAST { 0.0 } else { found }
}

/// e^x = 2^q e^r with q the nearest whole number to x/ln 2: e^r by its series, q, and q + [`WHOLE`].
#[inline(always)]
fn reduced(x: f64) -> (f64, f64, f64) {
    let shifted = x * std::f64::consts::LOG2_E + WHOLE;
    let multiple = shifted - WHOLE;
    let (high, low) = (x - multiple * LN_2[0], multiple * LN_2[1]);
    let rest = high - low;
    // What the difference was rounded by.
    let lost = (high - rest) - low;
    let sum = 1.0 + (rest + (rest * rest * horner(&SERIES, rest) + lost));
    (sum, multiple, shifted)
}

#[cfg(test)]
mod tests {
    use super::super::recorded::{spread, ulps_apart};
    use super::*;

    #[test]
    fn it_is_the_exponential() {
        for x in spread(-745.0, 709.7, 200_000) {
            let apart = ulps_apart(exp(x), x.exp());
            assert!(apart <= 1, "exp {x}: {apart} ulp");
        }
        for x in spread(-1e-3, 1e-3, 10_000) {
            assert!(ulps_apart(exp(x), x.exp()) <= 1, "exp {x}");
        }
        for x in [1e-300, 5e-324, -1e-17, 1e-17] {
            assert_eq!(exp(x), 1.0);
        }
        let edges = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300];
        let known = [1.0, 1.0, f64::INFINITY, 0.0, f64::INFINITY, 0.0];
        assert_eq!(edges.map(exp), known);
        assert!(exp(f64::NAN).is_nan());
        assert_eq!(exp(709.782_712_893_384), 709.782_712_893_384_f64.exp());
        assert_eq!(exp(709.782_712_893_385), f64::INFINITY);
        // The smallest numbers, and half of the smallest.
        assert_eq!(exp(-745.133_219_101_941), f64::from_bits(1));
        assert_eq!(exp(-745.133_219_101_942), 0.0);
    }

    #[test]
    fn a_weight_is_the_exponential_or_zero() {
        for x in spread(-700.0, 0.0, 100_000) {
            assert_eq!(weight_exp(x).to_bits(), exp(x).to_bits(), "{x}");
        }
        assert_eq!([-700.5, -1e9, f64::NEG_INFINITY].map(weight_exp), [0.0; 3]);
        assert_eq!([0.0, -0.0].map(weight_exp), [1.0; 2]);
        assert!(weight_exp(f64::NAN).is_nan());
    }

    #[test]
    fn vector_instructions_do_not_change_a_bit() {
        let xs: Vec<f64> = spread(-800.0, 800.0, 10_003).collect();
        let mut found = xs.clone();
        exp_all(&mut found);
        for (x, found) in xs.iter().zip(&found) {
            assert_eq!(exp(*x).to_bits(), found.to_bits(), "{x}");
        }
    }
}
