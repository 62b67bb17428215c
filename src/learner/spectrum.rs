//! Ridge regression for every λ from one singular value decomposition.

use faer::Mat;

/// Weights that minimise ‖y - Φ w‖² + λ ‖w‖² for every λ of a list, one after the other in
/// `weights`. With Φ = U diag(s) Vᵀ they are Σ_k s_k/(s_k² + λ) (u_k·y) v_k. At λ = 0 singular
/// values up to max(n, p) ε s_max count as zero, which gives the solution of minimum norm.
///
/// Where the decomposition fails the weights are NaN, which the engine reports.
pub(super) fn ridge(design: &Mat<f64>, y: &[f64], lambdas: &[f64], weights: &mut Vec<f64>) {
    let (rows, columns) = (design.nrows(), design.ncols());
    weights.clear();
    weights.resize(columns * lambdas.len(), f64::NAN);
    if columns == 0 {
        return;
    }
    let Ok(svd) = design.thin_svd() else { return };
    let s = svd.S().column_vector();
    let projections: Vec<f64> = (0..s.nrows())
        .map(|k| svd.U().col(k).iter().zip(y).map(|(u, y)| u * y).sum())
        .collect();
    let cut = rows.max(columns) as f64 * f64::EPSILON * s[0];
    for (weights, &lambda) in weights.chunks_exact_mut(columns).zip(lambdas) {
        weights.fill(0.0);
        for (k, projection) in projections.iter().enumerate() {
            if lambda == 0.0 && s[k] <= cut {
                continue;
            }
            let shrunk = s[k] / (s[k] * s[k] + lambda) * projection;
            for (weight, v) in weights.iter_mut().zip(svd.V().col(k).iter()) {
                *weight += shrunk * v;
            }
        }
    }
}

/// Takes the mean off every column, and returns the means.
pub(super) fn centre(design: &mut Mat<f64>, means: &mut Vec<f64>) {
    means.clear();
    let rows = design.nrows() as f64;
    for j in 0..design.ncols() {
        let mean = design.col(j).iter().sum::<f64>() / rows;
        design
            .col_mut(j)
            .iter_mut()
            .for_each(|value| *value -= mean);
        means.push(mean);
    }
}
