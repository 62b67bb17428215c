//! Many regularised fits from one singular value decomposition.

use faer::Mat;

/// Weights Σ_k filter(c, s_k) (u_k·y) v_k for every setting c, one after the other in `weights`,
/// where Φ = U diag(s) Vᵀ. Singular values up to max(n, p) ε s_max count as zero; the filter sees
/// none of them.
///
/// Where the decomposition fails the weights are NaN, which the engine reports.
pub(super) fn filtered(
    design: &Mat<f64>,
    y: &[f64],
    settings: usize,
    filter: impl Fn(usize, f64) -> f64,
    weights: &mut Vec<f64>,
) {
    let (rows, columns) = (design.nrows(), design.ncols());
    weights.clear();
    weights.resize(columns * settings, f64::NAN);
    if columns == 0 {
        return;
    }
    let Ok(svd) = design.thin_svd() else { return };
    let s = svd.S().column_vector();
    let cut = rows.max(columns) as f64 * f64::EPSILON * s[0];
    weights.fill(0.0);
    for k in (0..s.nrows()).take_while(|k| s[*k] > cut) {
        let u = svd.U().col(k);
        let projection: f64 = u.iter().zip(y).map(|(u, y)| u * y).sum();
        for (c, weights) in weights.chunks_exact_mut(columns).enumerate() {
            let share = filter(c, s[k]) * projection;
            for (weight, v) in weights.iter_mut().zip(svd.V().col(k).iter()) {
                *weight += share * v;
            }
        }
    }
}

/// Weights that minimise ‖y - Φ w‖² + λ ‖w‖² for every λ of a list: the filter s/(s² + λ). At
/// λ = 0 this is the solution of minimum norm.
pub(super) fn ridge(design: &Mat<f64>, y: &[f64], lambdas: &[f64], weights: &mut Vec<f64>) {
    let filter = |c: usize, s: f64| s / (s * s + lambdas[c]);
    filtered(design, y, lambdas.len(), filter, weights);
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
