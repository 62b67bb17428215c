//! Least squares, or the interpolant of minimum norm, for ever more columns.

use faer::linalg::cholesky::llt::factor as cholesky;
use faer::linalg::householder;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::qr::no_pivoting::factor as qr;
use faer::{Accum, Conj, MatMut, MatRef, Par};

use super::room;
use super::spectrum::{Memory, Spectrum, length};
use crate::lanes::{add_scaled, combine, dot};

/// The first p columns of a matrix for rising p. All its memory is kept.
#[derive(Clone, Debug, Default)]
pub(super) struct MinimumNorm {
    /// What no entry of the present matrix exceeds by much.
    size: f64,
    /// Whether the last weights lack a direction that counts as zero.
    lost_rank: bool,
    /// Whether `triangle` is that of the present matrix.
    factored: bool,
    /// R of the first n columns (and below it what Q is made of), and Qᵀy of every right-hand side.
    triangle: Vec<f64>,
    reflectors: Vec<f64>,
    projections: Vec<f64>,
    /// ΦΦᵀ of the first so many columns, its lower half.
    gram: Vec<f64>,
    summed: usize,
    factor: Vec<f64>,
    shares: Vec<f64>,
    residual: Vec<f64>,
    weights: Vec<f64>,
    memory: Memory,
    spectrum: Spectrum,
}

/// R is trusted up to this condition number: far below the 10¹³ or so from where singular values
/// count as zero, which a triangle does not tell.
const QR_CONDITION: f64 = 1e12;

/// A factor by Cholesky is trusted as long as its diagonal spans less than this: ΦΦᵀ is then just above
/// its rounding, and Φ again far from losing rank.
const CHOLESKY_SPAN: f64 = 1e6;

/// How often a solution is refined before it is given up. Every step shrinks its error by the
/// rounding times the squared condition number, so where Cholesky succeeds two or three are enough.
const REFINEMENTS: usize = 5;

impl MinimumNorm {
    /// Begins with another matrix, whose entries are of this size at most.
    pub fn begin(&mut self, size: f64) {
        self.size = size;
        self.factored = false;
        self.summed = 0;
    }

    /// The weights with the first p of the columns, of n numbers each, which stand one after the
    /// other; p never falls from call to call. `y` is one right-hand side or several, one after the
    /// other, and so are the weights: all come from one factorisation.
    pub fn weights(&mut self, columns: &[f64], y: &[f64], n: usize, p: usize) -> &[f64] {
        let design = &columns[..p * n];
        self.weights.clear();
        self.weights.resize(y.len() / n * p, 0.0);
        let solved = match p <= n {
            true => self.by_triangle(columns, y, n, p),
            false => self.by_gram(design, y, n),
        };
        self.lost_rank = false;
        if !solved {
            let design = MatRef::from_column_major_slice(design, n, p);
            let found = self.spectrum.filtered(design, y, 1, |_, s| 1.0 / s);
            self.weights.clear();
            self.weights.extend_from_slice(found);
            self.lost_rank = self.spectrum.rank(n, p) < n.min(p);
        }
        &self.weights
    }

    /// The last weights.
    pub fn last(&self) -> &[f64] {
        &self.weights
    }

    /// Whether the matrix of the last weights has a lower rank than its shape allows.
    pub fn lost_rank(&self) -> bool {
        self.lost_rank
    }

    /// R w = Qᵀy by back substitution, where R is far from singular.
    fn by_triangle(&mut self, columns: &[f64], y: &[f64], n: usize, p: usize) -> bool {
        if !self.factored {
            self.factor_first(columns, y, n);
        }
        let column = |k: usize| self.triangle[k * n..][..=k].split_at(k);
        if span((0..p).map(|k| column(k).1[0])) > QR_CONDITION {
            return false;
        }
        let largest = self.size * ((n * p) as f64).sqrt();
        let sides = self.projections.chunks_exact(n);
        for (weights, projections) in self.weights.chunks_exact_mut(p).zip(sides) {
            weights.copy_from_slice(&projections[..p]);
            for k in (0..p).rev() {
                let (above, diagonal) = column(k);
                let weight = weights[k] / diagonal[0];
                weights[k] = weight;
                add_scaled(&mut weights[..k], -weight, above);
            }
            // The weights are mostly the direction that R shrinks most. With v along them, ‖R⁻ᵀ v‖ is
            // one over the smallest singular value, to a small factor; the largest is at most √(np)
            // times the largest entry.
            self.shares.clear();
            self.shares.extend_from_slice(weights);
            for k in 0..p {
                let (above, diagonal) = column(k);
                self.shares[k] = (self.shares[k] - dot(above, &self.shares[..k])) / diagonal[0];
            }
            let good = largest * length(&self.shares) <= QR_CONDITION * length(weights);
            if !good {
                return false;
            }
        }
        true
    }

    /// R and Qᵀy of the first n columns.
    fn factor_first(&mut self, columns: &[f64], y: &[f64], n: usize) {
        let sides = y.len() / n.max(1);
        let wide = n.min(columns.len() / n.max(1));
        self.triangle.clear();
        self.triangle.extend_from_slice(&columns[..wide * n]);
        self.projections.clear();
        self.projections.extend_from_slice(y);
        let block = qr::recommended_block_size::<f64>(n, wide);
        let reflectors = room(&mut self.reflectors, block * wide);
        let mut reflectors = MatMut::from_column_major_slice_mut(reflectors, block, wide);
        let mut triangle = MatMut::from_column_major_slice_mut(&mut self.triangle, n, wide);
        let needed = qr::qr_in_place_scratch::<f64>(n, wide, block, Par::Seq, Default::default());
        qr::qr_in_place(
            triangle.as_mut(),
            reflectors.as_mut(),
            Par::Seq,
            self.memory.stack(needed),
            Default::default(),
        );
        let needed =
            householder::apply_block_householder_sequence_transpose_on_the_left_in_place_scratch::<
                f64,
            >(n, block, sides);
        householder::apply_block_householder_sequence_transpose_on_the_left_in_place_with_conj(
            triangle.as_ref(),
            reflectors.as_ref(),
            Conj::No,
            MatMut::from_column_major_slice_mut(&mut self.projections, n, sides),
            Par::Seq,
            self.memory.stack(needed),
        );
        self.factored = true;
    }

    /// w = Φᵀ (ΦΦᵀ)⁻¹ y by Cholesky, where ΦΦᵀ is far enough from singular. It squares the condition
    /// number; but the weights are combinations of the rows of Φ in any case, so that they are
    /// those of minimum norm as soon as they interpolate. What they miss is solved for again.
    fn by_gram(&mut self, design: &[f64], y: &[f64], n: usize) -> bool {
        self.grow_gram(design, n);
        let lower = room(&mut self.factor, n * n);
        lower.copy_from_slice(&self.gram[..n * n]);
        let needed = cholesky::cholesky_in_place_scratch::<f64>(n, Par::Seq, Default::default());
        let done = cholesky::cholesky_in_place(
            MatMut::from_column_major_slice_mut(lower, n, n),
            Default::default(),
            Par::Seq,
            self.memory.stack(needed),
            Default::default(),
        );
        let span = span((0..n).map(|k| lower[k * n + k]));
        if done.is_err() || span > CHOLESKY_SPAN {
            return false;
        }
        // What rounding alone leaves.
        let rounding = self.size * f64::EPSILON * (design.len() as f64).sqrt();
        let sides = self.weights.chunks_exact_mut(design.len() / n);
        for (weights, y) in sides.zip(y.chunks_exact(n)) {
            self.residual.clear();
            self.residual.extend_from_slice(y);
            let mut refined = 0;
            loop {
                self.shares.clone_from(&self.residual);
                solve(&self.factor, &mut self.shares);
                for (weight, column) in weights.iter_mut().zip(design.chunks_exact(n)) {
                    *weight += dot(column, &self.shares);
                }
                combine(&mut self.residual, 0.0, design, weights);
                self.residual
                    .iter_mut()
                    .zip(y)
                    .for_each(|(miss, y)| *miss = y - *miss);
                if length(&self.residual) <= rounding * length(weights) {
                    break;
                }
                if refined == REFINEMENTS {
                    return false;
                }
                refined += 1;
            }
        }
        true
    }

    /// Adds to ΦΦᵀ the columns that are new.
    fn grow_gram(&mut self, design: &[f64], n: usize) {
        let gram = room(&mut self.gram, n * n);
        let more = &design[self.summed * n..];
        let more = MatRef::from_column_major_slice(more, n, more.len() / n);
        let accumulate = match self.summed {
            0 => Accum::Replace,
            _ => Accum::Add,
        };
        triangular::matmul(
            MatMut::from_column_major_slice_mut(gram, n, n),
            BlockStructure::TriangularLower,
            accumulate,
            more,
            BlockStructure::Rectangular,
            more.transpose(),
            BlockStructure::Rectangular,
            1.0,
            Par::Seq,
        );
        self.summed = design.len() / n;
    }
}

/// Solves LLᵀ x = y in place, with L column by column.
fn solve(factor: &[f64], y: &mut [f64]) {
    let n = y.len();
    let column = |k: usize| {
        factor[k * n..][k..n]
            .split_first()
            .expect("a column is not empty")
    };
    for k in 0..n {
        let (diagonal, below) = column(k);
        let (known, left) = y[k..].split_first_mut().expect("k is below n");
        *known /= diagonal;
        add_scaled(left, -*known, below);
    }
    for k in (0..n).rev() {
        let (diagonal, below) = column(k);
        y[k] = (y[k] - dot(below, &y[k + 1..])) / diagonal;
    }
}

/// The largest over the smallest size of some numbers.
fn span(numbers: impl Iterator<Item = f64>) -> f64 {
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    for number in numbers {
        (least, most) = (least.min(number.abs()), most.max(number.abs()));
    }
    match least > 0.0 {
        true => most / least,
        false => f64::INFINITY,
    }
}
