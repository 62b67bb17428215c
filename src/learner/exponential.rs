//! Many exponentials at once, for the Gaussian kernel: as for the cosines, arithmetic without
//! branches that becomes vector instructions.

use crate::lanes::{LANES, Lanes, wide};

/// ln 2 in two parts; a multiple of the first below 2²⁰ is exact.
const LN_2: [f64; 2] = [6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10];

/// Added to a number below 2⁵¹, it leaves the nearest whole number in the lowest bits.
const WHOLE: f64 = 6_755_399_441_055_744.0;

/// 1/k! for k = 13, 12, …, 0.
const SERIES: [f64; 14] = {
    let mut series = [1.0; 14];
    let (mut factorial, mut k) = (1.0, 1);
    while k < 14 {
        factorial *= k as f64;
        series[13 - k] = 1.0 / factorial;
        k += 1;
    }
    series
};

/// The smallest number whose exponential is told from 0.
pub(super) const LEAST: f64 = -700.0;

/// Σ w and Σ w y over the points, with weights w = exp(-scale · (d² - least)) at squared distances
/// d² ≥ least and labels y. A weight is right to 3·10⁻¹⁶ of itself, and 0 below e^[`LEAST`].
pub(super) fn weighted(squares: &[f64], labels: &[f64], least: f64, scale: f64) -> [f64; 2] {
    wide(
        #[inline(always)]
        || {
            let (mut totals, mut sums) = (Lanes::all(0.0), Lanes::all(0.0));
            let (whole, rest) = squares.as_chunks::<LANES>();
            let (whole_labels, rest_labels) = labels.as_chunks::<LANES>();
            for (squares, labels) in whole.iter().zip(whole_labels) {
                let mut weights = *squares;
                for weight in &mut weights {
                    *weight = exponential((least - *weight) * scale);
                }
                totals = totals + Lanes(weights);
                sums = sums + Lanes(weights) * Lanes(*labels);
            }
            let mut weights = [0.0; LANES];
            for (weight, square) in weights.iter_mut().zip(rest) {
                *weight = exponential((least - square) * scale);
            }
            totals = totals + Lanes(weights);
            sums = sums + Lanes(weights) * Lanes::padded(rest_labels);
            [totals, sums].map(Lanes::total)
        },
    )
}

/// e^x = 2^q e^(x - q ln 2), with q the nearest whole number to x/ln 2, by its series.
#[inline(always)]
pub(super) fn exponential(x: f64) -> f64 {
    // Further down q would have no place in the exponent; the comparison chooses without a branch.
    let near = if x < LEAST { LEAST } else { x };
    let shifted = near * std::f64::consts::LOG2_E + WHOLE;
    let multiple = shifted - WHOLE;
    let rest = (near - multiple * LN_2[0]) - multiple * LN_2[1];
    let mut sum = SERIES[0];
    for term in &SERIES[1..] {
        sum = sum * rest + term;
    }
    // q stands in the lowest bits: moved to where a number's exponent is, it is 2^q.
    let power = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1.0_f64.to_bits()));
    let found = sum * power;
    if x < LEAST { 0.0 } else { found }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_exponentials() {
        for reach in [1e-300, 1e-9, 1.0, 40.0, 699.0] {
            for i in 0..=20_000 {
                let x = -reach * f64::from(i) / 20_000.0;
                let (found, right) = (exponential(x), x.exp());
                assert!((found - right).abs() <= 3e-16 * right, "exp {x} = {found}");
            }
        }
        let far = [-700.5, -1e9, f64::NEG_INFINITY, 0.0, -0.0];
        assert_eq!(far.map(exponential), [0.0, 0.0, 0.0, 1.0, 1.0]);
    }

    #[test]
    fn sums_are_those_of_the_plain_loop() {
        for count in [1, 7, 8, 9, 100, 1003] {
            let squares: Vec<f64> = (0..count).map(|i| 0.5 + 0.37 * f64::from(i)).collect();
            let labels: Vec<f64> = squares.iter().map(|square| square.sin() + 2.0).collect();
            let weights = squares.iter().map(|square| (-0.1 * (square - 0.5)).exp());
            let total: f64 = weights.clone().sum();
            let sum: f64 = weights
                .zip(&labels)
                .map(|(weight, label)| weight * label)
                .sum();
            let found = weighted(&squares, &labels, 0.5, 0.1);
            assert!((found[0] - total).abs() < 1e-14 * total, "{count}");
            assert!((found[1] - sum).abs() < 1e-14 * sum, "{count}");
        }
    }
}
