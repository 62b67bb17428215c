//! Many regularised fits from one singular value decomposition.

use std::mem::MaybeUninit;

use faer::diag::DiagMut;
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::svd::{self, ComputeSvdVectors};
use faer::{Mat, MatMut, MatRef, Par, Side};

use super::{Diagnosis, room, solving};
use crate::interrupt::{Interrupt, Interrupted};
use crate::lanes::{add_scaled, dot};
use crate::maths::{exp_m1, ln_1p, pow};

/// Memory for one matrix decomposition after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory(Vec<MaybeUninit<u8>>);

impl Memory {
    /// As much as was asked for.
    pub fn stack(&mut self, needed: StackReq) -> &mut MemStack {
        let bytes = needed.unaligned_bytes_required();
        if self.0.len() < bytes {
            self.0.resize(bytes, MaybeUninit::uninit());
        }
        MemStack::new(&mut self.0)
    }
}

/// A singular value decomposition Φ = U diag(s) Vᵀ, and weights from it. All its memory is kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Spectrum {
    u: Vec<f64>,
    v: Vec<f64>,
    s: Vec<f64>,
    weights: Vec<f64>,
    memory: Memory,
}

impl Spectrum {
    /// Weights Σ_k filter(c, s_k) (u_k·y) v_k for every setting c, one after the other. Singular
    /// values up to max(n, p) ε s_max count as zero; the filter sees none of them. Where y is several
    /// right-hand sides, one after the other, a setting has the weights of each in turn.
    ///
    /// Where the decomposition fails the weights are NaN, which the engine reports.
    pub fn filtered(
        &mut self,
        design: MatRef<f64>,
        y: &[f64],
        settings: usize,
        filter: impl Fn(usize, f64) -> f64,
    ) -> &[f64] {
        self.combined(design, y, settings, |c, _, s| filter(c, s))
    }

    /// Weights from the first so many directions of every setting, those of the largest singular values.
    pub fn leading(&mut self, design: MatRef<f64>, y: &[f64], directions: &[usize]) -> &[f64] {
        let inverse = |c: usize, k: usize, s: f64| match k < directions[c] {
            true => 1.0 / s,
            false => 0.0,
        };
        self.combined(design, y, directions.len(), inverse)
    }

    /// As [`Spectrum::filtered`]; the filter also sees k.
    fn combined(
        &mut self,
        design: MatRef<f64>,
        y: &[f64],
        settings: usize,
        filter: impl Fn(usize, usize, f64) -> f64,
    ) -> &[f64] {
        let (rows, columns) = design.shape();
        let sides = (y.len() / rows.max(1)).max(1);
        self.weights.clear();
        self.weights.resize(columns * settings * sides, f64::NAN);
        if columns == 0 || !self.decompose(design) {
            return &self.weights;
        }
        let cut = rank_cut(rows, columns, self.s[0]);
        self.weights.fill(0.0);
        let directions = self.u.chunks_exact(rows).zip(self.v.chunks_exact(columns));
        for (k, (&s, (u, v))) in self.s.iter().zip(directions).enumerate() {
            if s <= cut {
                break;
            }
            for (side, y) in y.chunks_exact(rows).enumerate() {
                let projection = dot(u, y);
                let of_side = self.weights.chunks_exact_mut(columns).skip(side);
                for (c, weights) in of_side.step_by(sides).enumerate() {
                    add_scaled(weights, filter(c, k, s) * projection, v);
                }
            }
        }
        &self.weights
    }

    /// Leverages Σ_k filter(c, s_k) s_k u_ik² of every row i for every setting c, the settings one after
    /// the other, with the filter of [`Spectrum::filtered`]. NaN where the decomposition fails.
    pub fn leverages(
        &mut self,
        design: MatRef<f64>,
        settings: usize,
        filter: impl Fn(usize, f64) -> f64,
    ) -> &[f64] {
        let (rows, columns) = design.shape();
        self.weights.clear();
        self.weights.resize(rows * settings, 0.0);
        if columns == 0 {
            return &self.weights;
        }
        if !self.decompose(design) {
            self.weights.fill(f64::NAN);
            return &self.weights;
        }
        let cut = rank_cut(rows, columns, self.s[0]);
        for (&s, u) in self.s.iter().zip(self.u.chunks_exact(rows)) {
            if s <= cut {
                break;
            }
            for (c, leverages) in self.weights.chunks_exact_mut(rows).enumerate() {
                let share = filter(c, s) * s;
                for (leverage, u) in leverages.iter_mut().zip(u) {
                    *leverage += share * u * u;
                }
            }
        }
        &self.weights
    }

    /// How many singular values of the last matrix, of this shape, do not count as zero.
    pub fn rank(&self, rows: usize, columns: usize) -> usize {
        let cut = rank_cut(rows, columns, self.largest());
        self.s.iter().filter(|s| **s > cut).count()
    }

    /// The largest singular value of the last matrix.
    pub fn largest(&self) -> f64 {
        self.s.first().copied().unwrap_or(0.0)
    }

    /// Weights that minimise ‖y - Φ w‖² + λ ‖w‖² for every λ of a list: the filter s/(s² + λ). At
    /// λ = 0 this is the solution of minimum norm.
    pub fn ridge(&mut self, design: MatRef<f64>, y: &[f64], lambdas: &[f64]) -> &[f64] {
        let filter = |c: usize, s: f64| s / (s * s + lambdas[c]);
        self.filtered(design, y, lambdas.len(), filter)
    }

    /// Whether it succeeded.
    fn decompose(&mut self, design: MatRef<f64>) -> bool {
        let (rows, columns) = design.shape();
        let size = rows.min(columns);
        self.s.clear();
        self.s.resize(size, 0.0);
        let u = room(&mut self.u, rows * size);
        let v = room(&mut self.v, columns * size);
        let thin = ComputeSvdVectors::Thin;
        let parameters = Default::default();
        let needed = svd::svd_scratch::<f64>(rows, columns, thin, thin, Par::Seq, parameters);
        svd::svd(
            design,
            DiagMut::from_slice_mut(&mut self.s),
            Some(MatMut::from_column_major_slice_mut(u, rows, size)),
            Some(MatMut::from_column_major_slice_mut(v, columns, size)),
            Par::Seq,
            self.memory.stack(needed),
            parameters,
        )
        .is_ok()
    }
}

/// Gradient descent from 0 on (‖y - Φw‖² + λ ‖w‖²)/(2n), which is linear in y: what it has done of every
/// direction after t steps follows from the singular values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DescentFilter {
    /// The penalty λ.
    pub lambda: f64,
    /// The steps t; infinite for the minimum itself.
    pub epochs: f64,
    /// The step η.
    pub rate: f64,
}

impl DescentFilter {
    /// Whether the weights are the exact minimum without a penalty.
    pub fn is_plain(self) -> bool {
        self.lambda == 0.0 && self.epochs.is_infinite()
    }

    /// Whether it moves away from the minimum along the direction of the largest singular value:
    /// η (s² + λ)/n is above 2.
    pub fn diverges(self, s: f64, n: usize) -> bool {
        self.epochs.is_finite() && self.rate * (s * s + self.lambda) / n as f64 > 2.0
    }

    /// What becomes of a direction with singular value s: s/(s² + λ), times what gradient descent
    /// has done of it.
    pub fn of(self, s: f64, n: usize) -> f64 {
        let curvature = s * s + self.lambda;
        if self.epochs.is_infinite() {
            return s / curvature;
        }
        // What is left of a direction after t steps: (1 - η (s² + λ)/n)^t.
        let step = self.rate * curvature / n as f64;
        let done = match step < 1.0 {
            true => -exp_m1(self.epochs * ln_1p(-step)),
            false => 1.0 - pow(1.0 - step, self.epochs),
        };
        s / curvature * done
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

/// The same for the first so many columns, which rise, of a matrix; `visit` is given their number.
pub(super) fn diagnose_growing(
    columns: MatRef<f64>,
    counts: impl Iterator<Item = usize>,
    interrupt: &Interrupt,
    mut visit: impl FnMut(usize, Diagnosis),
) -> Result<(), Interrupted> {
    let n = columns.nrows();
    let mut gram = Mat::zeros(n, n);
    let mut summed = 0;
    for p in counts {
        interrupt.check(solving(n, p))?;
        let more = columns.subcols(summed, p - summed);
        gram += more * more.transpose();
        summed = p;
        let gram = (p > n).then_some(&gram);
        visit(p, diagnose(columns.subcols(0, p), gram, n));
    }
    Ok(())
}

/// The length of a vector.
pub(super) fn length(vector: &[f64]) -> f64 {
    vector.iter().map(|value| value * value).sum::<f64>().sqrt()
}
