//! Many cosines at once.
//!
//! Random Fourier features spend most of their time here. The library's cosine takes one number
//! after the other; this one is arithmetic without branches, which the compiler turns into vector
//! instructions, chosen at run time by `pulp`. No crate on stable Rust does both.

use pulp::{Arch, Simd, WithSimd};

/// The numbers that the reduction is exact for.
const MOST: f64 = 1e6;

/// π in three parts of 33 bits each, so that a multiple of the first two below 2²⁰ is exact.
const PI: [f64; 3] = [
    2.0 * 1.570_796_326_734_125_6,
    2.0 * 6.077_100_506_303_966e-11,
    2.0 * 2.022_266_248_795_950_7e-21,
];

/// Added to a number below 2⁵¹, it leaves the nearest whole number in the lowest bits.
const WHOLE: f64 = 6_755_399_441_055_744.0;

/// (-1)^k/(2k)! for k = 10, 9, …, 0.
const SERIES: [f64; 11] = {
    let mut series = [1.0; 11];
    let (mut factorial, mut k) = (1.0, 1);
    while k < 11 {
        factorial *= ((2 * k - 1) * (2 * k)) as f64;
        series[10 - k] = if k % 2 == 0 { 1.0 } else { -1.0 } / factorial;
        k += 1;
    }
    series
};

/// Replaces every number by its cosine, to 5·10⁻¹⁶.
pub(super) fn cosines(numbers: &mut [f64]) {
    struct Task<'a>(&'a mut [f64]);

    impl WithSimd for Task<'_> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) {
            for number in self.0 {
                *number = cosine(*number);
            }
        }
    }

    match numbers.iter().all(|number| number.abs() < MOST) {
        true => Arch::new().dispatch(Task(numbers)),
        false => numbers.iter_mut().for_each(|number| *number = number.cos()),
    }
}

/// cos x = (-1)^q cos(x - qπ), with q the nearest whole number to x/π, by its series.
#[inline(always)]
fn cosine(x: f64) -> f64 {
    let shifted = x * std::f64::consts::FRAC_1_PI + WHOLE;
    let multiple = shifted - WHOLE;
    let rest = ((x - multiple * PI[0]) - multiple * PI[1]) - multiple * PI[2];
    let square = rest * rest;
    let mut sum = SERIES[0];
    for term in &SERIES[1..] {
        sum = sum * square + term;
    }
    // The lowest bit of q is the sign.
    f64::from_bits(sum.to_bits() ^ (shifted.to_bits() << 63))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_cosines() {
        for reach in [1.0, 4.0, 100.0, 9e5, 1e12] {
            let xs: Vec<f64> = (-20_000..=20_000)
                .map(|i| reach * f64::from(i) / 20_000.0)
                .collect();
            let mut found = xs.clone();
            cosines(&mut found);
            for (x, found) in xs.iter().zip(&found) {
                assert!((found - x.cos()).abs() < 5e-16, "cos {x} = {found}");
            }
        }
    }

    #[test]
    fn vectors_do_not_change_a_bit() {
        let xs: Vec<f64> = (0..1003).map(|i| 0.37 * f64::from(i) - 100.0).collect();
        let mut found = xs.clone();
        cosines(&mut found);
        assert!(xs.iter().zip(&found).all(|(x, found)| cosine(*x) == *found));
    }
}
