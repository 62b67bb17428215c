//! Eigenvalues of small symmetric matrices, with the same bits on every platform.

/// Eigenvalues and elements up to here count as zero.
pub(crate) const LEAST: f64 = 1e-280;

/// Turns the matrix into a diagonal of its eigenvalues by Jacobi's rotations; the vectors stand row by
/// row.
pub(crate) fn diagonalise(matrix: &mut [f64], vectors: &mut [f64], size: usize) {
    vectors.fill(0.0);
    (0..size).for_each(|i| vectors[i * size + i] = 1.0);
    for _ in 0..60 {
        let mut turned = false;
        for i in 1..size {
            for j in 0..i {
                turned |= turn(matrix, vectors, size, i, j);
            }
        }
        if !turned {
            break;
        }
    }
}

/// Makes element (i, j) zero, unless it is next to nothing; returns whether it was not.
fn turn(matrix: &mut [f64], vectors: &mut [f64], size: usize, i: usize, j: usize) -> bool {
    let (a, b) = (matrix[i * size + i], matrix[j * size + j]);
    let off = matrix[i * size + j];
    if off.abs() <= 1e-17 * a.abs().max(b.abs()) || off.abs() < LEAST {
        return false;
    }
    let ratio = (b - a) / (2.0 * off);
    let tangent = 1.0 / (ratio.abs() + (1.0 + ratio * ratio).sqrt());
    let tangent = if ratio < 0.0 { -tangent } else { tangent };
    let c = 1.0 / (1.0 + tangent * tangent).sqrt();
    let s = c * tangent;
    let rotated = |x: f64, y: f64| (c * x - s * y, s * x + c * y);
    for k in 0..size {
        let [x, y] = [matrix[k * size + i], matrix[k * size + j]];
        (matrix[k * size + i], matrix[k * size + j]) = rotated(x, y);
    }
    for k in 0..size {
        let [x, y] = [matrix[i * size + k], matrix[j * size + k]];
        (matrix[i * size + k], matrix[j * size + k]) = rotated(x, y);
        let [x, y] = [vectors[i * size + k], vectors[j * size + k]];
        (vectors[i * size + k], vectors[j * size + k]) = rotated(x, y);
    }
    matrix[i * size + j] = 0.0;
    matrix[j * size + i] = 0.0;
    true
}
