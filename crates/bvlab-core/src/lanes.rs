//! Sums over slices, several lanes at a time.
//!
//! The compiler may not reorder a floating-point sum, so a plain loop waits for every addition. Here
//! a sum runs in [`LANES`] partial sums, number i in lane i mod 8, which are joined in a fixed
//! order: the processor adds many numbers at once, and the result is the same on every processor,
//! whatever vector instructions [`wide`] finds there.

use std::ops::{Add, Mul, Sub};

use pulp::Arch;

/// How many partial sums there are.
pub(crate) const LANES: usize = 8;

/// Runs a task compiled for the widest vector instructions of this processor. The task and what it
/// calls have to be `#[inline(always)]`.
#[inline(always)]
pub(crate) fn wide<R>(task: impl FnOnce() -> R) -> R {
    Arch::new().dispatch(task)
}

/// Numbers side by side, with the arithmetic of numbers: lane by lane.
#[derive(Clone, Copy)]
pub(crate) struct Lanes(pub [f64; LANES]);

impl Lanes {
    /// The same number in every lane.
    #[inline(always)]
    pub fn all(number: f64) -> Self {
        Lanes([number; LANES])
    }

    /// The numbers of a slice that is too short for all lanes, and zeros.
    #[inline(always)]
    pub fn padded(numbers: &[f64]) -> Self {
        // Lane by lane: a copy of unknown length would be a call.
        Lanes(std::array::from_fn(
            #[inline(always)]
            |lane| numbers.get(lane).copied().unwrap_or(0.0),
        ))
    }

    #[inline(always)]
    fn each(self, other: Lanes, operation: impl Fn(f64, f64) -> f64) -> Self {
        let (a, b) = (self.0, other.0);
        Lanes(std::array::from_fn(
            #[inline(always)]
            |lane| operation(a[lane], b[lane]),
        ))
    }

    /// The sum of all lanes, in a fixed order.
    #[inline(always)]
    pub fn total(self) -> f64 {
        let [a, b, c, d, e, f, g, h] = self.0;
        ((a + e) + (c + g)) + ((b + f) + (d + h))
    }
}

impl Add for Lanes {
    type Output = Lanes;

    #[inline(always)]
    fn add(self, other: Lanes) -> Lanes {
        self.each(other, |a, b| a + b)
    }
}

impl Sub for Lanes {
    type Output = Lanes;

    #[inline(always)]
    fn sub(self, other: Lanes) -> Lanes {
        self.each(other, |a, b| a - b)
    }
}

impl Mul for Lanes {
    type Output = Lanes;

    #[inline(always)]
    fn mul(self, other: Lanes) -> Lanes {
        self.each(other, |a, b| a * b)
    }
}

/// Σ term(a_i, b_i), where term(0, 0) = 0.
#[inline(always)]
fn sum(a: &[f64], b: &[f64], term: impl Fn(Lanes, Lanes) -> Lanes) -> f64 {
    let (whole_a, rest_a) = a.as_chunks();
    let (whole_b, rest_b) = b.as_chunks();
    let mut sums = Lanes::all(0.0);
    for (a, b) in whole_a.iter().zip(whole_b) {
        sums = sums + term(Lanes(*a), Lanes(*b));
    }
    (sums + term(Lanes::padded(rest_a), Lanes::padded(rest_b))).total()
}

/// a·b = Σ a_i b_i, of slices of one length.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    wide(
        #[inline(always)]
        || sum(a, b, |a, b| a * b),
    )
}

/// ‖a - b‖² = Σ (a_i - b_i)², of slices of one length.
pub(crate) fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    wide(
        #[inline(always)]
        || sum(a, b, |a, b| (a - b) * (a - b)),
    )
}

/// a += factor · b
pub(crate) fn add_scaled(a: &mut [f64], factor: f64, b: &[f64]) {
    wide(
        #[inline(always)]
        || {
            for (a, b) in a.iter_mut().zip(b) {
                *a += factor * b;
            }
        },
    );
}

/// How many lanes [`combine`] keeps at work: enough to hide that an addition takes several cycles.
pub(crate) const BLOCK: usize = 4 * LANES;

/// out = start + Σ_j weights_j · column_j, where the columns stand one after the other.
pub(crate) fn combine(out: &mut [f64], start: f64, columns: &[f64], weights: &[f64]) {
    let length = out.len();
    wide(
        #[inline(always)]
        || {
            let (blocks, rest) = out.as_chunks_mut::<BLOCK>();
            for (which, block) in blocks.iter_mut().enumerate() {
                let mut sums = [start; BLOCK];
                for (column, weight) in columns.chunks_exact(length).zip(weights) {
                    let column: &[f64; BLOCK] = &column.as_chunks().0[which];
                    for (sum, value) in sums.iter_mut().zip(column) {
                        *sum += weight * value;
                    }
                }
                *block = sums;
            }
            let done = length - rest.len();
            rest.fill(start);
            for (column, weight) in columns.chunks_exact(length.max(1)).zip(weights) {
                for (sum, value) in rest.iter_mut().zip(&column[done..]) {
                    *sum += weight * value;
                }
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_any_length_are_sums() {
        for length in 0..40 {
            let a: Vec<f64> = (0..length).map(f64::from).collect();
            let b: Vec<f64> = a.iter().map(|a| 3.0 - a).collect();
            let plain = |term: fn(f64, f64) -> f64| -> f64 {
                a.iter().zip(&b).map(|(a, b)| term(*a, *b)).sum()
            };
            assert_eq!(dot(&a, &b), plain(|a, b| a * b));
            assert_eq!(squared_distance(&a, &b), plain(|a, b| (a - b) * (a - b)));
            let mut sum = a.clone();
            add_scaled(&mut sum, 2.0, &b);
            assert!(sum.iter().zip(&a).all(|(sum, a)| *sum == 6.0 - a));
        }
    }

    #[test]
    fn a_combination_is_the_sum_of_its_columns() {
        for length in [0, 1, 31, 32, 71] {
            let columns: Vec<f64> = (0..3 * length).map(|i| f64::from(i as u32)).collect();
            let mut out = vec![f64::NAN; length];
            combine(&mut out, 5.0, &columns, &[1.0, -2.0, 3.0]);
            for (i, out) in out.iter().enumerate() {
                let [a, b, c] = [0, 1, 2].map(|j| columns[j * length + i]);
                assert_eq!(*out, 5.0 + a - 2.0 * b + 3.0 * c);
            }
        }
    }

    #[test]
    fn vector_instructions_do_not_change_a_bit() {
        let a: Vec<f64> = (0..203).map(|i| (0.37 * f64::from(i)).sin()).collect();
        let b: Vec<f64> = (0..203).map(|i| (0.53 * f64::from(i)).cos()).collect();
        assert_eq!(dot(&a, &b), sum(&a, &b, |a, b| a * b));
    }
}
