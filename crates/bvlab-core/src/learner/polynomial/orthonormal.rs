//! Least squares over every degree.

use crate::interrupt::{Interrupt, Interrupted};
use crate::lanes::{add_scaled, dot, wide};
use crate::learner::room;

/// Least squares in polynomials that are orthonormal on the inputs: with q_j orthonormal, the fit
/// of degree d is Σ_{j ≤ d} (q_j·y) q_j(x), so each degree adds one term to the last.
#[derive(Clone, Debug)]
pub(super) struct Orthonormal {
    degree: Option<usize>,
    /// The largest degree of the last fit: below its number of points.
    reached: usize,
    inputs: Vec<f64>,
    /// q_0, q_1, … on the inputs, one after the other.
    on_inputs: Vec<f64>,
    /// Column k holds the recurrence t q_k = Σ_{j ≤ k+1} h_j q_j, in k + 2 numbers. In exact
    /// arithmetic only the last three are not zero.
    recurrence: Vec<Vec<f64>>,
    start: f64,
    coefficients: Vec<f64>,
    residual: Vec<f64>,
    values: Vec<f64>,
    sums: Vec<f64>,
}

/// A recurrence coefficient below this is rounding.
const NEGLIGIBLE: f64 = 1e-14;

/// A new direction shorter than this (all of them are at most 1 long before) is rounding: there
/// are no more distinct inputs than polynomials already.
const EXHAUSTED: f64 = 1e-11;

impl Orthonormal {
    /// For degrees up to this one, as far as they are below the number of points; `None` where none is
    /// asked for.
    pub fn new(degree: Option<usize>) -> Self {
        Orthonormal {
            degree,
            reached: 0,
            inputs: Vec::new(),
            on_inputs: Vec::new(),
            recurrence: vec![Vec::new(); degree.unwrap_or(0)],
            start: 0.0,
            coefficients: Vec::new(),
            residual: Vec::new(),
            values: Vec::new(),
            sums: Vec::new(),
        }
    }

    pub fn fit(&mut self, t: &[f64], y: &[f64], interrupt: &Interrupt) -> Result<(), Interrupted> {
        let Some(degree) = self.degree else {
            return Ok(());
        };
        let count = t.len();
        let degree = degree.min(count.saturating_sub(1));
        self.reached = degree;
        self.inputs.clear();
        self.inputs.extend_from_slice(t);
        self.start = 1.0 / (count as f64).sqrt();
        self.coefficients.clear();
        self.residual.clear();
        self.residual.extend_from_slice(y);
        let basis = room(&mut self.on_inputs, (degree + 1) * count);
        basis[..count].fill(self.start);
        for k in 0..=degree {
            interrupt.check(4 * k * count)?;
            let (done, rest) = basis.split_at_mut((k + 1) * count);
            let newest = &done[k * count..];
            let coefficient = dot(newest, &self.residual);
            add_scaled(&mut self.residual, -coefficient, newest);
            self.coefficients.push(coefficient);
            if k == degree {
                break;
            }
            let next = &mut rest[..count];
            multiply(next, t, newest);
            let h = &mut self.recurrence[k];
            h.clear();
            h.resize(k + 2, 0.0);
            // In exact arithmetic t q_k has parts along q_k and q_{k-1} alone. A second look at all
            // of them makes it orthogonal to rounding.
            let all = || done.chunks_exact(count).enumerate();
            for (j, q) in all().rev().take(2).chain(all()) {
                let along = dot(q, next);
                add_scaled(next, -along, q);
                h[j] += along;
            }
            let length = dot(next, next).sqrt();
            if length <= EXHAUSTED {
                break;
            }
            h[k + 1] = length;
            scale(next, 1.0 / length);
        }
        Ok(())
    }

    /// Gives `reach` the leverages Σ_{j ≤ d} q_j(x_i)² of the inputs for every degree d from 0
    /// up.
    pub fn leverages(&mut self, mut reach: impl FnMut(usize, &[f64])) {
        if self.degree.is_none() {
            return;
        }
        let degree = self.reached;
        let count = self.inputs.len();
        let sums = room(&mut self.sums, count);
        sums.fill(0.0);
        for k in 0..=degree {
            if k < self.coefficients.len() {
                let q = &self.on_inputs[k * count..][..count];
                sums.iter_mut().zip(q).for_each(|(sum, q)| *sum += q * q);
            }
            reach(k, sums);
        }
    }

    /// Gives `reach` the predictions of every degree from 0 up.
    pub fn predict(&mut self, t: &[f64], mut reach: impl FnMut(usize, &[f64])) {
        if self.degree.is_none() {
            return;
        }
        let degree = self.reached;
        let count = t.len();
        let sums = room(&mut self.sums, count);
        sums.fill(0.0);
        let values = room(&mut self.values, (degree + 1) * count);
        values[..count].fill(self.start);
        // On the inputs themselves the polynomials are known to rounding, however high the degree.
        let on_inputs = self.inputs == t;
        for (k, &coefficient) in self.coefficients.iter().enumerate() {
            if on_inputs {
                add_scaled(sums, coefficient, &self.on_inputs[k * count..][..count]);
                reach(k, sums);
                continue;
            }
            let (done, rest) = values.split_at_mut((k + 1) * count);
            let newest = &done[k * count..];
            add_scaled(sums, coefficient, newest);
            reach(k, sums);
            if k + 1 == self.coefficients.len() {
                break;
            }
            let next = &mut rest[..count];
            multiply(next, t, newest);
            let (&length, along) = self.recurrence[k]
                .split_last()
                .expect("a recurrence has at least two numbers");
            for (q, &along) in done.chunks_exact(count).zip(along) {
                if along.abs() > NEGLIGIBLE {
                    add_scaled(next, -along, q);
                }
            }
            scale(next, 1.0 / length);
        }
        for k in self.coefficients.len()..=degree {
            reach(k, sums);
        }
    }
}

/// product = a b, number by number.
fn multiply(product: &mut [f64], a: &[f64], b: &[f64]) {
    wide(
        #[inline(always)]
        || {
            for ((product, a), b) in product.iter_mut().zip(a).zip(b) {
                *product = a * b;
            }
        },
    );
}

/// numbers *= factor
fn scale(numbers: &mut [f64], factor: f64) {
    wide(
        #[inline(always)]
        || numbers.iter_mut().for_each(|number| *number *= factor),
    );
}
