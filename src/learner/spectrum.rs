//! Many regularised fits from one singular value decomposition.

use faer::{Mat, MatRef, Side};

use super::Diagnosis;

/// Weights Σ_k filter(c, s_k) (u_k·y) v_k for every setting c, one after the other in `weights`,
/// where Φ = U diag(s) Vᵀ. Singular values up to max(n, p) ε s_max count as zero; the filter sees
/// none of them.
///
/// Where the decomposition fails the weights are NaN, which the engine reports.
pub(super) fn filtered(
    design: MatRef<f64>,
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
    let cut = rank_cut(rows, columns, s[0]);
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

/// Singular values up to here count as zero.
fn rank_cut(rows: usize, columns: usize, largest: f64) -> f64 {
    rows.max(columns) as f64 * f64::EPSILON * largest
}

/// The singular values of a matrix may be taken from its Gram matrix, which squares them, as long
/// as their condition number stays below this.
const GRAM_CONDITION: f64 = 1e5;

/// What solving with a design matrix meets with, but for the weights. `gram` is ΦΦᵀ, which is
/// smaller than Φ and good enough where Φ is well conditioned; `full` is the rank that so many rows
/// can have.
pub(super) fn diagnose(design: MatRef<f64>, gram: Option<&Mat<f64>>, full: usize) -> Diagnosis {
    let (rows, columns) = (design.nrows(), design.ncols());
    let norm = f64::NAN;
    let of = |most: f64, least: f64| match least > 0.0 {
        true => most / least,
        false => f64::INFINITY,
    };
    if let Some(gram) = gram
        && let Ok(squares) = gram.self_adjoint_eigenvalues(Side::Lower)
    {
        let size = |square: Option<&f64>| square.map_or(0.0, |square| square.max(0.0).sqrt());
        let condition = of(size(squares.last()), size(squares.first()));
        if condition < GRAM_CONDITION {
            return Diagnosis {
                rank: rows.min(columns) as f64,
                condition,
                weight_norm: norm,
            };
        }
    }
    let Ok(values) = design.singular_values() else {
        return Diagnosis {
            rank: f64::NAN,
            condition: f64::NAN,
            weight_norm: norm,
        };
    };
    let (most, least) = (
        values.first().copied().unwrap_or(0.0),
        values
            .get(full.min(columns).saturating_sub(1))
            .copied()
            .unwrap_or(0.0),
    );
    let cut = rank_cut(rows, columns, most);
    Diagnosis {
        rank: values.iter().filter(|value| **value > cut).count() as f64,
        condition: of(most, least),
        weight_norm: norm,
    }
}

/// The length of a vector.
pub(super) fn length(vector: &[f64]) -> f64 {
    vector.iter().map(|value| value * value).sum::<f64>().sqrt()
}

/// Weights that minimise ‖y - Φ w‖² + λ ‖w‖² for every λ of a list: the filter s/(s² + λ). At
/// λ = 0 this is the solution of minimum norm.
pub(super) fn ridge(design: MatRef<f64>, y: &[f64], lambdas: &[f64], weights: &mut Vec<f64>) {
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
