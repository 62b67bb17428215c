//! Degrees at or beyond the number of points: the interpolant whose weights are smallest.

use faer::MatRef;

use super::{Basis, PolynomialSetting};
use crate::interrupt::{Interrupt, Interrupted};
use crate::lanes::combine;
use crate::learner::minimum_norm::MinimumNorm;
use crate::learner::spectrum::{Spectrum, diagnose_growing, length};
use crate::learner::{Diagnosis, room, solving};

/// The settings with λ = 0 and a degree d ≥ n: of all c and w with c + Σ_j w_j φ_j(t_i) = y_i for
/// every i, those with the smallest ‖w‖.
///
/// The constant costs nothing, so it may be taken out first: a reflection turns the vector of ones
/// to the first axis, and what is left of columns and labels are their other n - 1 coordinates.
#[derive(Clone, Debug, Default)]
pub(super) struct Beyond {
    /// Setting and degree, by rising degree.
    settings: Vec<(usize, usize)>,
    /// φ_1, φ_2, … on the inputs, one after the other: first as they are, then n - 1 numbers each.
    columns: Vec<f64>,
    means: Vec<f64>,
    labels: Vec<f64>,
    mean_label: f64,
    /// By setting of `settings`: the weights, the constant, and whether rank was lost.
    weights: Vec<Vec<f64>>,
    constants: Vec<f64>,
    lost_rank: Vec<bool>,
    exact: MinimumNorm,
    spectrum: Spectrum,
    at_points: Vec<f64>,
}

impl Beyond {
    /// Fits the settings, which are those with degrees of at least n, by rising degree.
    pub fn fit(
        &mut self,
        settings: impl Iterator<Item = (usize, usize)>,
        basis: Basis,
        t: &[f64],
        y: &[f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        self.settings.clear();
        self.settings.extend(settings);
        self.constants.clear();
        self.lost_rank.clear();
        self.weights.resize(self.settings.len(), Vec::new());
        let Some(&(_, most)) = self.settings.last() else {
            return Ok(());
        };
        self.reduce(basis, t, y, most, interrupt)?;
        let rows = t.len() - 1;
        for (&(_, degree), weights) in self.settings.iter().zip(&mut self.weights) {
            interrupt.check(solving(rows, degree))?;
            weights.clear();
            match rows {
                0 => weights.resize(degree, 0.0),
                _ => weights.extend(
                    self.exact
                        .weights(&self.columns, &self.labels, rows, degree),
                ),
            }
            let means = weights.iter().zip(&self.means).map(|(w, mean)| w * mean);
            self.constants.push(self.mean_label - means.sum::<f64>());
            self.lost_rank.push(rows > 0 && self.exact.lost_rank());
        }
        Ok(())
    }

    /// Columns and labels without their means, in n - 1 coordinates.
    fn reduce(
        &mut self,
        basis: Basis,
        t: &[f64],
        y: &[f64],
        degree: usize,
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let n = t.len();
        interrupt.check(degree * n)?;
        basis.columns(t, room(&mut self.columns, degree * n));
        self.means.clear();
        let mut size = 1.0_f64;
        for k in 0..degree {
            let column = &self.columns[k * n..][..n];
            size = column
                .iter()
                .fold(size, |size, value| size.max(value.abs()));
            self.means.push(column.iter().sum::<f64>() / n as f64);
            reflect(&mut self.columns, k * n, n, k * (n - 1));
        }
        self.labels.clear();
        self.labels.extend_from_slice(y);
        self.mean_label = y.iter().sum::<f64>() / n as f64;
        reflect(&mut self.labels, 0, n, 0);
        self.labels.truncate(n - 1);
        self.columns.truncate(degree * (n - 1));
        self.exact.begin(size);
        Ok(())
    }

    /// Whether a setting is one of them.
    pub fn includes(&self, setting: usize) -> bool {
        self.settings.iter().any(|&(c, _)| c == setting)
    }

    /// The settings that lost rank.
    pub fn without_rank(&self) -> impl Iterator<Item = usize> {
        let both = self.settings.iter().zip(&self.lost_rank);
        both.filter(|(_, lost)| **lost).map(|(&(c, _), _)| c)
    }

    pub fn predict(&mut self, basis: Basis, t: &[f64], out: &mut [f64]) {
        let Some(&(_, most)) = self.settings.last() else {
            return;
        };
        let columns = room(&mut self.at_points, most * t.len());
        basis.columns(t, columns);
        let fits = self.weights.iter().zip(&self.constants);
        for (&(c, _), (weights, constant)) in self.settings.iter().zip(fits) {
            combine(
                &mut out[c * t.len()..][..t.len()],
                *constant,
                columns,
                weights,
            );
        }
    }

    /// Writes the leverages of the inputs, by one SVD for every degree: 1 for each where no rank was
    /// lost.
    pub fn leverages(
        &mut self,
        basis: Basis,
        t: &[f64],
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let n = t.len();
        let Some(&(_, most)) = self.settings.last() else {
            return Ok(());
        };
        let columns = room(&mut self.at_points, most * n);
        basis.columns(t, columns);
        for column in columns.chunks_exact_mut(n) {
            let mean = column.iter().sum::<f64>() / n as f64;
            column.iter_mut().for_each(|value| *value -= mean);
        }
        for &(c, degree) in &self.settings {
            interrupt.check(solving(n, degree))?;
            let design = MatRef::from_column_major_slice(&columns[..degree * n], n, degree);
            let found = self.spectrum.leverages(design, 1, |_, s| 1.0 / s);
            let out = out[c * n..][..n].iter_mut().zip(found);
            out.for_each(|(out, h)| *out = 1.0 / n as f64 + h);
        }
        Ok(())
    }

    /// Rank and condition of φ_1, …, φ_d less their means, and the length of the weights of least
    /// squares, for every setting of a path, whatever its degree; and its λ.
    pub fn diagnose(
        &mut self,
        basis: Basis,
        path: &[PolynomialSetting],
        (t, y): (&[f64], &[f64]),
        interrupt: &Interrupt,
    ) -> Result<Vec<Diagnosis>, Interrupted> {
        let mut order: Vec<usize> = (0..path.len()).collect();
        order.sort_by_key(|&c| path[c].degree);
        let most = order.last().map_or(0, |&c| path[c].degree);
        self.reduce(basis, t, y, most, interrupt)?;
        let rows = t.len() - 1;
        // A constant alone, or one point, leaves nothing to solve for.
        let nothing = Diagnosis {
            rank: 0.0,
            condition: 1.0,
            weight_norm: 0.0,
        };
        let mut found = vec![nothing; path.len()];
        order.retain(|&c| path[c].degree > 0 && rows > 0);
        let columns = MatRef::from_column_major_slice(&self.columns, rows, most);
        let mut groups = order.chunk_by(|a, b| path[*a].degree == path[*b].degree);
        let counts = groups.clone().map(|same| path[same[0]].degree);
        diagnose_growing(columns, counts, interrupt, |degree, matrix| {
            let same = groups.next().unwrap_or_default();
            let plain = same.iter().any(|&c| path[c].lambda == 0.0);
            let weight_norm = match plain {
                true => length(
                    self.exact
                        .weights(&self.columns, &self.labels, rows, degree),
                ),
                false => f64::NAN,
            };
            for &c in same {
                found[c] = Diagnosis {
                    weight_norm,
                    ..matrix
                };
            }
        })?;
        Ok(found)
    }
}

/// Reflects the n numbers at `from` so that the vector of ones has only a first coordinate, and writes
/// the other coordinates at `to`, which is not beyond `from`.
fn reflect(numbers: &mut [f64], from: usize, n: usize, to: usize) {
    let root = (n as f64).sqrt();
    let column = &numbers[from..][..n];
    // H = I - f v vᵀ with v = 1/√n + e_1, and f = 2/‖v‖².
    let along = column.iter().sum::<f64>() / root + column[0];
    let shift = along / (1.0 + 1.0 / root) / root;
    for i in 1..n {
        numbers[to + i - 1] = numbers[from + i] - shift;
    }
}
