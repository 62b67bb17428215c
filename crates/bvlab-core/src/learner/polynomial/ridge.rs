//! Ridge over every degree and every λ.

use faer::MatRef;

use super::{Basis, PolynomialSetting};
use crate::interrupt::{Interrupt, Interrupted};
use crate::lanes::{combine, dot};
use crate::learner::spectrum::{Spectrum, length};
use crate::learner::{room, solving};

/// All settings with λ > 0.
///
/// With Φ the basis on the inputs less its means, the weights solve (ΦᵀΦ + λI) w = Φᵀy. Both the
/// matrix of a lower degree and its Cholesky factor L are the first rows and columns of those of a
/// higher one, and so is z = L⁻¹Φᵀy: what is left to do for a degree is to solve Lᵀw = z.
#[derive(Clone, Debug)]
pub(super) struct Ridge {
    /// By rising λ.
    settings: Vec<Penalised>,
    degree: usize,
    /// φ_1, φ_2, … on the inputs less their means, one after the other; the labels less theirs.
    columns: Vec<f64>,
    means: Vec<f64>,
    labels: Vec<f64>,
    /// ΦᵀΦ row by row, and Φᵀy.
    products: Vec<f64>,
    projections: Vec<f64>,
    /// Of one λ: L row by row, and z.
    factor: Vec<f64>,
    solved: Vec<f64>,
    /// By setting, `degree` numbers for each: the weights; and the constants.
    weights: Vec<f64>,
    constants: Vec<f64>,
    by_svd: Vec<usize>,
    lambdas: Vec<f64>,
    spectrum: Spectrum,
    at_points: Vec<f64>,
}

/// A setting, and its number on the path.
#[derive(Clone, Copy, Debug)]
struct Penalised {
    c: usize,
    degree: usize,
    lambda: f64,
}

/// The condition number of ΦᵀΦ + λI is at most 1 + tr(ΦᵀΦ)/λ, whatever the basis. Up to here
/// Cholesky loses six digits at worst; beyond, the SVD does not square the condition of Φ.
const CHOLESKY_CONDITION: f64 = 1e6;

impl Ridge {
    /// For those of the settings that are named.
    pub fn new(settings: &[PolynomialSetting], which: Vec<usize>) -> Self {
        let mut settings: Vec<Penalised> = which
            .into_iter()
            .map(|c| {
                let PolynomialSetting { degree, lambda } = settings[c];
                Penalised { c, degree, lambda }
            })
            .collect();
        settings.sort_by(|a, b| a.lambda.total_cmp(&b.lambda));
        Ridge {
            degree: settings.iter().map(|s| s.degree).max().unwrap_or(0),
            settings,
            columns: Vec::new(),
            means: Vec::new(),
            labels: Vec::new(),
            products: Vec::new(),
            projections: Vec::new(),
            factor: Vec::new(),
            solved: Vec::new(),
            weights: Vec::new(),
            constants: Vec::new(),
            by_svd: Vec::new(),
            lambdas: Vec::new(),
            spectrum: Spectrum::default(),
            at_points: Vec::new(),
        }
    }

    pub fn fit(
        &mut self,
        basis: Basis,
        t: &[f64],
        y: &[f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        if self.settings.is_empty() {
            return Ok(());
        }
        let mean_label = mean(y);
        self.labels.clear();
        self.labels.extend(y.iter().map(|y| y - mean_label));
        self.multiply(basis, t);
        room(&mut self.weights, self.settings.len() * self.degree);
        self.by_svd.clear();
        let mut start = 0;
        while let Some(&Penalised { lambda, .. }) = self.settings.get(start) {
            let same = self.settings[start..].partition_point(|s| s.lambda == lambda);
            interrupt.check(self.degree * self.degree * (self.degree + t.len()))?;
            self.solve(lambda, start..start + same);
            start += same;
        }
        self.solve_by_svd(t.len());
        self.constants.clear();
        for (which, setting) in self.settings.iter().enumerate() {
            let weights = &self.weights[which * self.degree..][..setting.degree];
            let means = &self.means[..setting.degree];
            self.constants.push(mean_label - dot(weights, means));
        }
        Ok(())
    }

    /// Φ, ΦᵀΦ and Φᵀy of the largest degree.
    fn multiply(&mut self, basis: Basis, t: &[f64]) {
        let (count, degree) = (t.len(), self.degree);
        let columns = room(&mut self.columns, degree * count);
        basis.columns(t, columns);
        let products = room(&mut self.products, degree * degree);
        self.means.clear();
        self.projections.clear();
        for i in 0..degree {
            let (before, rest) = columns.split_at_mut(i * count);
            let column = &mut rest[..count];
            let mean = mean(column);
            column.iter_mut().for_each(|value| *value -= mean);
            self.means.push(mean);
            self.projections.push(dot(column, &self.labels));
            let row = &mut products[i * degree..][..=i];
            for (product, other) in row.iter_mut().zip(before.chunks_exact(count)) {
                *product = dot(other, column);
            }
            row[i] = dot(column, column);
        }
    }

    /// The weights of all settings with one λ, as far as it is large enough for Cholesky.
    fn solve(&mut self, lambda: f64, settings: std::ops::Range<usize>) {
        let degree = self.degree;
        let wanted = self.settings[settings.clone()].iter();
        let highest = wanted.map(|setting| setting.degree).max().unwrap_or(0);
        let factor = room(&mut self.factor, degree * degree);
        self.solved.clear();
        let mut trace = 0.0;
        for i in 0..highest {
            let products = &self.products[i * degree..][..=i];
            trace += products[i];
            if trace > CHOLESKY_CONDITION * lambda {
                break;
            }
            let (above, rest) = factor.split_at_mut(i * degree);
            let row = &mut rest[..=i];
            for j in 0..i {
                let other = &above[j * degree..][..=j];
                row[j] = (products[j] - plain_dot(&row[..j], &other[..j])) / other[j];
            }
            let left = products[i] + lambda - plain_dot(&row[..i], &row[..i]);
            row[i] = left.sqrt();
            let known = plain_dot(&row[..i], &self.solved);
            self.solved.push((self.projections[i] - known) / row[i]);
        }
        for which in settings {
            let Penalised { degree: d, .. } = self.settings[which];
            if d > self.solved.len() {
                self.by_svd.push(which);
                continue;
            }
            let weights = &mut self.weights[which * degree..][..d];
            weights.copy_from_slice(&self.solved[..d]);
            for i in (0..d).rev() {
                let row = &self.factor[i * degree..][..=i];
                let weight = weights[i] / row[i];
                weights[i] = weight;
                for (left, along) in weights[..i].iter_mut().zip(row) {
                    *left -= weight * along;
                }
            }
        }
    }

    /// The weights of the other settings, by one SVD for every degree.
    fn solve_by_svd(&mut self, count: usize) {
        let settings = &self.settings;
        self.by_svd.sort_by_key(|&which| settings[which].degree);
        for same in self
            .by_svd
            .chunk_by(|a, b| settings[*a].degree == settings[*b].degree)
        {
            let degree = settings[same[0]].degree;
            let columns = &self.columns[..degree * count];
            let design = MatRef::from_column_major_slice(columns, count, degree);
            self.lambdas.clear();
            let lambdas = same.iter().map(|&which| settings[which].lambda);
            self.lambdas.extend(lambdas);
            let found = self.spectrum.ridge(design, &self.labels, &self.lambdas);
            for (&which, found) in same.iter().zip(found.chunks_exact(degree)) {
                self.weights[which * self.degree..][..degree].copy_from_slice(found);
            }
        }
    }

    /// Writes the leverages of the inputs of the last fit, by one SVD for every degree.
    pub fn leverages(
        &mut self,
        count: usize,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let mut by_degree: Vec<Penalised> = self.settings.clone();
        by_degree.sort_by_key(|setting| setting.degree);
        for same in by_degree.chunk_by(|a, b| a.degree == b.degree) {
            let degree = same[0].degree;
            interrupt.check(solving(count, degree))?;
            let columns = &self.columns[..degree * count];
            let design = MatRef::from_column_major_slice(columns, count, degree);
            let filter = |c: usize, s: f64| s / (s * s + same[c].lambda);
            let found = self.spectrum.leverages(design, same.len(), filter);
            for (setting, found) in same.iter().zip(found.chunks_exact(count)) {
                let out = &mut out[setting.c * count..][..count];
                let constant = 1.0 / count as f64;
                out.iter_mut()
                    .zip(found)
                    .for_each(|(out, h)| *out = constant + h);
            }
        }
        Ok(())
    }

    /// ‖w‖ of every setting.
    pub fn weight_norms(&self) -> impl Iterator<Item = (usize, f64)> {
        self.settings.iter().enumerate().map(|(which, setting)| {
            let weights = &self.weights[which * self.degree..][..setting.degree];
            (setting.c, length(weights))
        })
    }

    pub fn predict(&mut self, basis: Basis, t: &[f64], out: &mut [f64]) {
        if self.settings.is_empty() {
            return;
        }
        let columns = room(&mut self.at_points, self.degree * t.len());
        basis.columns(t, columns);
        for (which, setting) in self.settings.iter().enumerate() {
            let weights = &self.weights[which * self.degree..][..setting.degree];
            let out = &mut out[setting.c * t.len()..][..t.len()];
            combine(out, self.constants[which], columns, weights);
        }
    }
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

/// a·b of a few numbers.
fn plain_dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
