//! Functions for the inner loops of learners, right to an absolute error only.
//!
//! They are arithmetic without branches, which the compiler turns into vector instructions. No crate
//! on stable Rust has such functions.

use super::{WHOLE, cos, horner, series};
use crate::lanes::wide;

/// The numbers that the reduction is exact for.
const MOST: f64 = 1e6;

/// π in three parts of 33, 33 and 53 bits, so that a multiple of the first two below 2²⁰ is exact.
const PI: [f64; 3] = [
    2.0 * 1.570_796_326_734_125_6,
    2.0 * 6.077_100_506_303_966e-11,
    2.0 * 2.022_266_248_795_950_7e-21,
];

/// (-1)^k/(2k)! for k = 10, 9, …, 0.
const COSINE: [f64; 11] = series(0, 2, true);

/// Replaces every number by its cosine, to 5·10⁻¹⁶, for random Fourier features, which spend most of
/// their time here: half the instructions of [`cos_all`](super::cos_all).
pub(crate) fn fast_cosines(numbers: &mut [f64]) {
    match numbers.iter().all(|number| number.abs() < MOST) {
        true => wide(
            #[inline(always)]
            || {
                for number in numbers {
                    *number = fast_cosine(*number);
                }
            },
        ),
        false => numbers.iter_mut().for_each(|number| *number = cos(*number)),
    }
}

/// cos x = (-1)^q cos(x - qπ), with q the nearest whole number to x/π, by its series.
#[inline(always)]
fn fast_cosine(x: f64) -> f64 {
    let shifted = x * std::f64::consts::FRAC_1_PI + WHOLE;
    let multiple = shifted - WHOLE;
    let rest = ((x - multiple * PI[0]) - multiple * PI[1]) - multiple * PI[2];
    let sum = horner(&COSINE, rest * rest);
    // The lowest bit of q is the sign.
    f64::from_bits(sum.to_bits() ^ (shifted.to_bits() << 63))
}

/// The hyperbolic tangent to 4·10⁻¹⁶. NaN stays NaN.
///
/// With 2z = k ln 2 + r, |r| ≤ (ln 2)/2, it is (2^k e^r - 1)/(2^k e^r + 1), and e^r is N(r)/N(-r) with
/// the sixth diagonal Padé polynomial N, to 2·10⁻¹⁹.
#[inline(always)]
pub(crate) fn fast_tanh(z: f64) -> f64 {
    /// In units of (ln 2)/2: beyond it, the tangent is ±1 to the last bit.
    const REACH: f64 = 64.0;
    /// Added to a number, it leaves the nearest whole number plus 1023 in the last bits, from where
    /// a shift makes it the exponent of a power of two.
    const SHIFT: f64 = WHOLE + 1023.0;
    let s = z * (2.0 * std::f64::consts::LOG2_E);
    let s = if s < -REACH { -REACH } else { s };
    let s = if s > REACH { REACH } else { s };
    let shifted = s + SHIFT;
    let power = f64::from_bits(shifted.to_bits() << 52);
    let r = (s - (shifted - SHIFT)) * std::f64::consts::LN_2;
    let r2 = r * r;
    let even = ((r2 + 840.0) * r2 + 75_600.0) * r2 + 665_280.0;
    let odd = ((42.0 * r2 + 10_080.0) * r2 + 332_640.0) * r;
    let (up, down) = (power * (even + odd), even - odd);
    (up - down) / (up + down)
}

#[cfg(test)]
mod tests {
    use super::super::recorded::spread;
    use super::*;

    #[test]
    fn they_are_cosines() {
        for reach in [1.0, 4.0, 100.0, 9e5, 1e12] {
            let xs: Vec<f64> = spread(-reach, reach, 40_001).collect();
            let mut found = xs.clone();
            fast_cosines(&mut found);
            for (x, found) in xs.iter().zip(&found) {
                assert!((found - x.cos()).abs() < 5e-16, "cos {x} = {found}");
            }
        }
    }

    #[test]
    fn the_tangent_is_the_tangent() {
        let worst = (-4_000_000..=4_000_000)
            .map(|i| f64::from(i) * 1e-5)
            .map(|z| (fast_tanh(z) - z.tanh()).abs())
            .fold(0.0, f64::max);
        assert!(worst < 4e-16, "{worst:e}");
        for z in [1e-300, 22.5, 30.0, 700.0, 1e300, f64::INFINITY] {
            assert!((fast_tanh(z) - z.tanh()).abs() < 4e-16, "{z}");
            assert_eq!(fast_tanh(-z), -fast_tanh(z));
        }
        assert!(fast_tanh(f64::NAN).is_nan());
    }

    #[test]
    fn vector_instructions_do_not_change_a_bit() {
        let xs: Vec<f64> = spread(-100.0, 271.0, 1003).collect();
        let mut found = xs.clone();
        fast_cosines(&mut found);
        let mut tangents = xs.clone();
        wide(
            #[inline(always)]
            || tangents.iter_mut().for_each(|z| *z = fast_tanh(*z)),
        );
        for ((x, cosine), tangent) in xs.iter().zip(&found).zip(&tangents) {
            assert_eq!(fast_cosine(*x).to_bits(), cosine.to_bits());
            assert_eq!(fast_tanh(*x).to_bits(), tangent.to_bits());
        }
    }
}
