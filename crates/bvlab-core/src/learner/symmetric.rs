//! Small symmetric systems of any rank, by the solution of least norm.

use super::cholesky;
use super::room;
use crate::eigen::{LEAST, diagonalise};
use crate::lanes::{add_scaled, dot};

/// Solves Ax = b for positive semidefinite A; its memory is kept.
#[derive(Clone, Debug, Default)]
pub(super) struct SymmetricSolver {
    factor: Vec<f64>,
    vectors: Vec<f64>,
    solution: Vec<f64>,
}

/// Eigenvalues up to this share of the largest count as zero.
const LEAST_SHARE: f64 = 1e-13;
/// Cholesky serves where every pivot is at least this share of its diagonal element.
const WELL_CONDITIONED: f64 = 1e-6;

impl SymmetricSolver {
    /// Replaces b by the x of least norm among those with the smallest ‖Ax - b‖. A is overwritten.
    pub fn solve(&mut self, matrix: &mut [f64], b: &mut [f64]) {
        let size = b.len();
        if let ([a], [b]) = (&*matrix, &mut *b) {
            *b = if *a > LEAST { *b / a } else { 0.0 };
            return;
        }
        let factor = room(&mut self.factor, size * size);
        factor.copy_from_slice(matrix);
        cholesky::factorise(factor, size, |_| 0.0);
        let pivots = (0..size).map(|i| (factor[i * size + i], matrix[i * size + i]));
        let good =
            |(root, whole): (f64, f64)| whole > LEAST && root * root > WELL_CONDITIONED * whole;
        if pivots.into_iter().all(good) {
            cholesky::solve(factor, b);
            return;
        }
        let vectors = room(&mut self.vectors, size * size);
        diagonalise(matrix, vectors, size);
        let largest = (0..size).fold(0.0_f64, |most, i| most.max(matrix[i * size + i]));
        let cut = LEAST.max(LEAST_SHARE * largest);
        let solution = room(&mut self.solution, size);
        solution.fill(0.0);
        for (k, vector) in vectors.chunks_exact(size).enumerate() {
            let value = matrix[k * size + k];
            if value > cut {
                add_scaled(solution, dot(vector, b) / value, vector);
            }
        }
        b.copy_from_slice(solution);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A = Σ x xᵀ over some vectors, b = Ax₀: a solution is found, and none that is shorter.
    #[test]
    fn solutions_have_the_least_norm() {
        let vectors = [
            [1.0, 2.0, -1.0, 0.5],
            [0.3, -1.0, 2.0, 4.0],
            [2.0, 4.0, -2.0, 1.0],
        ];
        for rank in [0, 1, 2] {
            let mut matrix = [0.0; 16];
            for v in &vectors[..rank] {
                for (place, value) in matrix.iter_mut().enumerate() {
                    *value += v[place / 4] * v[place % 4];
                }
            }
            // In the span of the vectors, and so the shortest.
            let wanted = [0, 1, 2, 3].map(|k| vectors[..rank].iter().map(|v| v[k]).sum::<f64>());
            let mut b = [0, 1, 2, 3].map(|i| (0..4).map(|j| matrix[4 * i + j] * wanted[j]).sum());
            SymmetricSolver::default().solve(&mut matrix, &mut b);
            for (found, wanted) in b.iter().zip(&wanted) {
                assert!((found - wanted).abs() < 1e-12, "{rank}: {b:?}");
            }
        }
    }
}
