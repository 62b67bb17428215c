//! Small symmetric systems, by Cholesky in place.

use crate::lanes::{add_scaled, dot};

/// L of LLᵀ = A, both row by row, of which only the lower halves are read and written. A pivot below
/// its `least` is replaced by it, so that there is a factor of every matrix.
pub(crate) fn factorise(matrix: &mut [f64], size: usize, least: impl Fn(usize) -> f64) {
    for i in 0..size {
        let (above, rest) = matrix.split_at_mut(i * size);
        let row = &mut rest[..=i];
        for j in 0..i {
            let other = &above[j * size..][..=j];
            row[j] = (row[j] - dot(&row[..j], &other[..j])) / other[j];
        }
        let pivot = row[i] - dot(&row[..i], &row[..i]);
        row[i] = pivot.max(least(i)).sqrt();
    }
}

/// Solves Lx = y in place.
pub(crate) fn forward(factor: &[f64], y: &mut [f64]) {
    let size = y.len();
    for i in 0..size {
        let row = &factor[i * size..][..=i];
        y[i] = (y[i] - dot(&row[..i], &y[..i])) / row[i];
    }
}

/// Solves LLᵀx = y in place.
pub(crate) fn solve(factor: &[f64], y: &mut [f64]) {
    forward(factor, y);
    let size = y.len();
    for i in (0..size).rev() {
        let row = &factor[i * size..][..=i];
        y[i] /= row[i];
        let known = y[i];
        add_scaled(&mut y[..i], -known, &row[..i]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_is_solved() {
        let matrix = [4.0, f64::NAN, f64::NAN, 2.0, 5.0, f64::NAN, -1.0, 3.0, 9.0];
        let mut factor = matrix;
        factorise(&mut factor, 3, |_| 0.0);
        let mut x = [3.0, -1.0, 7.0];
        solve(&factor, &mut x);
        let at = |i: usize, j: usize| matrix[3 * i.max(j) + i.min(j)];
        for (i, y) in [3.0, -1.0, 7.0].iter().enumerate() {
            let sum: f64 = (0..3).map(|j| at(i, j) * x[j]).sum();
            assert!((sum - y).abs() < 1e-12, "{sum} {y}");
        }
    }

    #[test]
    fn a_singular_matrix_has_a_factor() {
        let mut factor = [1.0, 0.0, 1.0, 1.0];
        factorise(&mut factor, 2, |_| 1e-8);
        assert_eq!(factor, [1.0, 0.0, 1.0, 1e-4]);
    }
}
