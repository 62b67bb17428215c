//! Sine and cosine, for one number or many.
//!
//! Written by hand for the same reason as the exponential: truths such as `sin(2*pi*x)` are
//! evaluated at all points of a training set, and arithmetic without branches does so several lanes
//! at a time.

use super::{WHOLE, horner, series};
use crate::lanes::wide;

/// π/2 in three parts of 33 bits each, so that a multiple of one below 2²⁰ is exact, and the rest.
const HALF_PI: [f64; 4] = [
    1.570_796_326_734_125_6,
    6.077_100_506_303_966e-11,
    2.022_266_248_711_166_5e-21,
    8.478_427_660_368_9e-32,
];

/// Numbers from here on are left to `libm`.
const MOST: f64 = 1e6;

/// Below, the sine of a number is the number.
const LEAST: f64 = 1.0 / (1 << 27) as f64;

/// (-1)^k/(2k+1)! for k = 8, …, 1, with the sign that k = 1 has first.
const SINE: [f64; 8] = series(3, 2, true);

/// (-1)^k/(2k)! for k = 8, …, 2.
const COSINE: [f64; 7] = series(4, 2, true);

/// sin x, with an error below 1 ulp.
///
/// ```
/// use bvlab_core::maths::sin;
///
/// assert_eq!(sin(0.0), 0.0);
/// assert!((sin(std::f64::consts::FRAC_PI_6) - 0.5).abs() < 1e-15);
/// ```
pub fn sin(x: f64) -> f64 {
    match x.abs() < MOST {
        true => kernel::<0>(x),
        false => libm::sin(x),
    }
}

/// cos x, with an error below 1 ulp.
///
/// ```
/// use bvlab_core::maths::cos;
///
/// assert_eq!(cos(0.0), 1.0);
/// assert!((cos(std::f64::consts::FRAC_PI_3) - 0.5).abs() < 1e-15);
/// ```
pub fn cos(x: f64) -> f64 {
    match x.abs() < MOST {
        true => kernel::<1>(x),
        false => libm::cos(x),
    }
}

/// Replaces every number by its sine, with the bits of [`sin`].
pub fn sin_all(numbers: &mut [f64]) {
    match within_reach(numbers) {
        true => all::<0>(numbers),
        false => numbers.iter_mut().for_each(|x| *x = sin(*x)),
    }
}

/// Replaces every number by its cosine, with the bits of [`cos`].
pub fn cos_all(numbers: &mut [f64]) {
    match within_reach(numbers) {
        true => all::<1>(numbers),
        false => numbers.iter_mut().for_each(|x| *x = cos(*x)),
    }
}

fn within_reach(numbers: &[f64]) -> bool {
    // All of them are looked at, which is faster than to stop at the first.
    numbers
        .iter()
        .fold(true, |near, number| near & (number.abs() < MOST))
}

fn all<const TURN: u64>(numbers: &mut [f64]) {
    wide(
        #[inline(always)]
        || {
            for number in numbers {
                *number = kernel::<TURN>(*number);
            }
        },
    );
}

/// sin(x + TURN·π/2), TURN being 0 or 1.
///
/// With n the nearest whole number to x/(π/2), the rest r = x - nπ/2 is known to twice the precision,
/// as r and what it was rounded by; n modulo 4 tells which of ±sin r, ±cos r it is.
#[inline(always)]
fn kernel<const TURN: u64>(x: f64) -> f64 {
    let shifted = x * std::f64::consts::FRAC_2_PI + WHOLE;
    let n = shifted - WHOLE;
    let first = x - n * HALF_PI[0];
    let (second, lost) = difference(first, n * HALF_PI[1]);
    let (third, more) = difference(second, n * HALF_PI[2]);
    let low = (lost + more) - n * HALF_PI[3];
    let r = third + low;
    let lost = (third - r) + low;

    let square = r * r;
    let sine = r + (square * r * -horner(&SINE, square) + lost * (1.0 - 0.5 * square));
    let half = 0.5 * square;
    let near = 1.0 - half;
    let cosine =
        near + (((1.0 - near) - half) + (square * square * horner(&COSINE, square) - r * lost));

    let quarter = shifted.to_bits().wrapping_add(TURN);
    let found = if quarter & 1 == 0 { sine } else { cosine };
    let found = f64::from_bits(found.to_bits() ^ ((quarter & 2) << 62));
    // It also keeps the sign of zero.
    match TURN == 0 && x.abs() < LEAST {
        true => x,
        false => found,
    }
}

/// a - b, and what it was rounded by (Knuth's two-sum).
#[inline(always)]
fn difference(a: f64, b: f64) -> (f64, f64) {
    let found = a - b;
    let back = a - found;
    (found, (a - (found + back)) + (back - b))
}

#[cfg(test)]
mod tests {
    use super::super::recorded::{spread, ulps_apart};
    use super::*;

    #[test]
    fn they_are_sine_and_cosine() {
        for reach in [1e-9, 1.0, 4.0, 100.0, 9.9e5, 1e9, 1e15, 1e300] {
            for x in spread(-reach, reach, 50_000) {
                assert!(ulps_apart(sin(x), x.sin()) <= 1, "sin {x}");
                assert!(ulps_apart(cos(x), x.cos()) <= 1, "cos {x}");
            }
        }
        // The worst there is: numbers next to a multiple of π/2, where nearly all digits cancel.
        for n in 1..600_000 {
            let x = f64::from(n) * std::f64::consts::FRAC_PI_2;
            assert!(ulps_apart(sin(x), x.sin()) <= 1, "sin {x}");
            assert!(ulps_apart(cos(x), x.cos()) <= 1, "cos {x}");
        }
        assert_eq!(sin(-0.0).to_bits(), (-0.0_f64).to_bits());
        assert_eq!(sin(0.0).to_bits(), 0.0_f64.to_bits());
        for tiny in [5e-324, 1e-310, 1e-20] {
            assert_eq!([sin(tiny), sin(-tiny), cos(tiny)], [tiny, -tiny, 1.0]);
        }
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(sin(bad).is_nan() && cos(bad).is_nan());
        }
    }

    #[test]
    fn vector_instructions_do_not_change_a_bit() {
        for reach in [1.0, 1e3, 1e6] {
            let xs: Vec<f64> = spread(-reach, reach, 10_003).collect();
            let (mut sines, mut cosines) = (xs.clone(), xs.clone());
            sin_all(&mut sines);
            cos_all(&mut cosines);
            for ((x, sine), cosine) in xs.iter().zip(&sines).zip(&cosines) {
                assert_eq!(sin(*x).to_bits(), sine.to_bits(), "sin {x}");
                assert_eq!(cos(*x).to_bits(), cosine.to_bits(), "cos {x}");
            }
        }
    }
}
