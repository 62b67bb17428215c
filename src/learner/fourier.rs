//! Random Fourier features.

use faer::prelude::Solve;
use faer::{Mat, Side};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

use super::cosine::cosines;
use super::family::{Blueprint, Family, LAMBDA, Most, Number, whole};
use super::spectrum::{diagnose, filtered, length};
use super::{Diagnosis, Learner};
use crate::problem::{Points, Training};
use crate::stream::Stream;

pub(super) const FAMILY: Family = Family {
    name: "fourier",
    about: "regression on cosines of random frequency and phase",
    numbers: &[
        Number {
            name: "features",
            about: "number of random cosines",
            least: 1.0,
            above: false,
            most: Most::Value(100_000.0),
            whole: true,
            default: None,
        },
        Number {
            name: "scale",
            about: "standard deviation of the frequencies",
            least: 0.0,
            above: true,
            most: Most::Value(1e12),
            whole: false,
            default: None,
        },
        LAMBDA,
        Number {
            name: "epochs",
            about: "steps of gradient descent",
            least: 0.0,
            above: false,
            most: Most::Value(1e15),
            whole: true,
            default: Some(f64::INFINITY),
        },
        Number {
            name: "rate",
            about: "step of gradient descent on the mean squared error",
            least: 0.0,
            above: true,
            most: Most::Value(1.0),
            whole: false,
            default: Some(0.5),
        },
    ],
    choices: &[],
    has_base: false,
    one_dimensional: false,
    build: |Blueprint { settings, .. }| {
        let settings = settings.iter().map(|numbers| FourierSetting {
            features: whole(numbers[0]),
            scale: numbers[1],
            lambda: numbers[2],
            epochs: numbers[3],
            rate: numbers[4],
        });
        Box::new(Fourier::new(settings.collect()))
    },
};

/// One setting of [`Fourier`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FourierSetting {
    /// p, the number of cosines.
    pub features: usize,
    /// The standard deviation of the frequencies.
    pub scale: f64,
    /// The penalty λ on the squared weights.
    pub lambda: f64,
    /// Steps of gradient descent; infinite for the end of it.
    pub epochs: f64,
    /// The step η of gradient descent.
    pub rate: f64,
}

/// Regression on random Fourier features φ_j(x) = √(2/p) cos(ω_j·x + b_j), with frequencies
/// ω_j ~ N(0, scale²) in every coordinate and phases b_j ~ U(0, 2π).
///
/// The weights minimise Σ (y - Σ_j w_j φ_j(x))² + λ ‖w‖²; at λ = 0 with more features than points
/// they are the interpolant of minimum norm. With `epochs` they are those after t steps of gradient
/// descent from zero on (‖y - Φw‖² + λ ‖w‖²)/(2n). There is no constant. Features are nested: the
/// first p are the same whatever the largest p is, and the frequencies of two scales differ by
/// their ratio alone.
///
/// | number | meaning | range | default |
/// |---|---|---|---|
/// | `features` | p, the number of cosines | 1 to 100 000 | must be given |
/// | `scale` | sd of the frequencies | above 0 | must be given |
/// | `lambda` | λ, against the *sum* of squared residuals | from 0 | 0 |
/// | `epochs` | t, steps of gradient descent | from 0 | no limit: the exact minimum |
/// | `rate` | η, the step on the mean squared error | above 0, to 1 | 0.5 |
///
/// Since ‖φ(x)‖² is at most 2, a rate of up to 1 never diverges without a penalty.
///
/// **Cost** of a whole path over p at λ = 0: one QR of the first n features gives every p ≤ n by a
/// triangular solve each; beyond, the n × n matrix ΦΦᵀ grows from p to p and is factored by
/// Cholesky. Both only while a look at the factors' diagonals says that they are well conditioned:
/// else an SVD of that p is taken, with singular values up to max(n, p) ε s_max as zero. Ridge and
/// gradient descent take one SVD per p for every λ and every epoch.
///
/// **Reference**: Rahimi and Recht, *Random features for large-scale kernel machines* (2007);
/// Belkin, Hsu, Ma and Mandal, *Reconciling modern machine-learning practice and the classical
/// bias–variance trade-off*, PNAS 116 (2019).
///
/// ```
/// use bvlab::learner::{Fourier, FourierSetting, Learner};
/// use bvlab::problem::{Points, Training};
/// use bvlab::stream::{Purpose, Stream};
///
/// let data = Training {
///     inputs: Points::new(1, vec![0.1, 0.5, 0.9]),
///     labels: vec![1.0, -2.0, 3.0],
/// };
/// let setting = FourierSetting { features: 50, scale: 10.0, lambda: 0.0, epochs: f64::INFINITY, rate: 0.5 };
/// let mut learner = Fourier::new(vec![setting]);
/// learner.fit(&data, &Stream::new(1, Purpose::Algorithm, 0));
/// let mut out = [0.0; 3];
/// learner.predict(&data.inputs, &mut out);
/// assert!(out.iter().zip(&data.labels).all(|(p, y)| (p - y).abs() < 1e-9)); // it interpolates
/// ```
#[derive(Clone, Debug)]
pub struct Fourier {
    settings: Vec<FourierSetting>,
    /// The distinct scales, each with its settings by rising number of features.
    scales: Vec<(f64, Vec<usize>)>,
    /// Frequencies at scale 1, feature by feature, and phases.
    frequencies: Vec<f64>,
    phases: Vec<f64>,
    /// By setting: the weights of cos(ω·x + b), the factor √(2/p) taken in.
    weights: Vec<Vec<f64>>,
}

/// QR is trusted as long as the diagonal of R spans less than this.
const QR_SPAN: f64 = 1e5;

/// The normal equations square the condition number: they are trusted for much less.
const CHOLESKY_SPAN: f64 = 300.0;

impl Fourier {
    /// A path over `settings`, in any order.
    pub fn new(settings: Vec<FourierSetting>) -> Self {
        let mut scales: Vec<(f64, Vec<usize>)> = Vec::new();
        for (c, setting) in settings.iter().enumerate() {
            match scales.iter_mut().find(|(scale, _)| *scale == setting.scale) {
                Some((_, same)) => same.push(c),
                None => scales.push((setting.scale, vec![c])),
            }
        }
        for (_, same) in &mut scales {
            same.sort_by_key(|&c| settings[c].features);
        }
        Fourier {
            weights: vec![Vec::new(); settings.len()],
            settings,
            scales,
            frequencies: Vec::new(),
            phases: Vec::new(),
        }
    }

    /// The features of a setting as they were drawn for the last fit: a row of
    /// √(2/p) cos(ω_j·x + b_j) for every point.
    pub fn features(&self, points: &Points, setting: usize) -> Vec<Vec<f64>> {
        let FourierSetting {
            features, scale, ..
        } = self.settings[setting];
        let norm = (2.0 / features as f64).sqrt();
        let cosines = self.cosines(points, features, scale);
        let row = |i: usize| (0..features).map(|j| norm * cosines[(i, j)]).collect();
        (0..points.len()).map(row).collect()
    }

    fn draw(&mut self, dimension: usize, stream: &Stream) {
        let most = self.settings.iter().map(|s| s.features).max().unwrap_or(0);
        let mut stream = stream.child(0);
        self.frequencies.clear();
        self.phases.clear();
        for _ in 0..most {
            for _ in 0..dimension {
                self.frequencies.push(StandardNormal.sample(&mut stream));
            }
            self.phases
                .push(std::f64::consts::TAU * stream.random::<f64>());
        }
    }

    /// cos(ω_j·x + b_j) of the first `count` features at every point, a column per feature.
    fn cosines(&self, points: &Points, count: usize, scale: f64) -> Mat<f64> {
        let (length, dimension) = (points.len(), points.dimension());
        // Coordinate by coordinate, so that the loops run over points.
        let across: Vec<f64> = (0..dimension)
            .flat_map(|k| (0..length).map(move |i| points.get(i, k)))
            .collect();
        let mut column = vec![0.0; length];
        let mut all = Mat::zeros(length, count);
        for j in 0..count {
            column.fill(self.phases[j]);
            let frequency = &self.frequencies[j * dimension..][..dimension];
            for (x, w) in across.chunks_exact(length.max(1)).zip(frequency) {
                let w = scale * w;
                for (sum, x) in column.iter_mut().zip(x) {
                    *sum += w * x;
                }
            }
            cosines(&mut column);
            for (place, cosine) in all.col_mut(j).iter_mut().zip(&column) {
                *place = *cosine;
            }
        }
        all
    }
}

impl Learner for Fourier {
    fn capacities(&self) -> usize {
        self.settings.len()
    }

    fn fit(&mut self, data: &Training, stream: &Stream) {
        self.draw(data.inputs.dimension(), stream);
        for (scale, settings) in &self.scales {
            let path = &self.settings;
            let most = settings.last().map_or(0, |&c| path[c].features);
            let cosines = self.cosines(&data.inputs, most, *scale);
            let mut exact = MinimumNorm::new(&cosines, &data.labels);
            for same in settings.chunk_by(|a, b| path[*a].features == path[*b].features) {
                let p = path[same[0]].features;
                let (plain, filters): (Vec<usize>, Vec<usize>) = same
                    .iter()
                    .partition(|&&c| path[c].lambda == 0.0 && path[c].epochs.is_infinite());
                if !plain.is_empty() {
                    let weights = exact.weights(p);
                    for c in plain {
                        self.weights[c].clone_from(&weights);
                    }
                }
                if !filters.is_empty() {
                    let all = spectral(
                        &cosines,
                        &data.labels,
                        p,
                        |which| path[filters[which]],
                        filters.len(),
                    );
                    for (&c, weights) in filters.iter().zip(all.chunks_exact(p)) {
                        self.weights[c].clear();
                        self.weights[c].extend_from_slice(weights);
                    }
                }
            }
        }
    }

    fn predict(&mut self, points: &Points, out: &mut [f64]) {
        let count = points.len();
        for (scale, settings) in &self.scales {
            let most = settings.last().map_or(0, |&c| self.settings[c].features);
            let cosines = self.cosines(points, most, *scale);
            for &c in settings {
                let out = &mut out[c * count..][..count];
                out.fill(0.0);
                for (j, weight) in self.weights[c].iter().enumerate() {
                    for (sum, cosine) in out.iter_mut().zip(cosines.col(j).iter()) {
                        *sum += weight * cosine;
                    }
                }
            }
        }
    }

    fn solves(&self) -> bool {
        true
    }

    fn diagnose(&mut self, data: &Training) -> Option<Vec<Diagnosis>> {
        let mut found = vec![None; self.settings.len()];
        for (scale, settings) in &self.scales {
            let path = &self.settings;
            let most = settings.last().map_or(0, |&c| path[c].features);
            let cosines = self.cosines(&data.inputs, most, *scale);
            let mut gram = Mat::zeros(data.len(), data.len());
            let mut summed = 0;
            for same in settings.chunk_by(|a, b| path[*a].features == path[*b].features) {
                let p = path[same[0]].features;
                let more = cosines.subcols(summed, p - summed);
                gram += more * more.transpose();
                summed = p;
                let gram = (p > data.len()).then_some(&gram);
                // Condition and rank do not depend on the factor √(2/p); weights do.
                let matrix = diagnose(cosines.subcols(0, p), gram, data.len());
                for &c in same {
                    let weight_norm = length(&self.weights[c]) / (2.0 / p as f64).sqrt();
                    found[c] = Some(Diagnosis {
                        weight_norm,
                        ..matrix
                    });
                }
            }
        }
        found.into_iter().collect()
    }
}

/// Ridge and gradient descent: the weights of every setting with p features, one after the other,
/// from one SVD.
fn spectral(
    cosines: &Mat<f64>,
    y: &[f64],
    p: usize,
    setting: impl Fn(usize) -> FourierSetting,
    settings: usize,
) -> Vec<f64> {
    let norm = (2.0 / p as f64).sqrt();
    let n = y.len() as f64;
    let design = Mat::from_fn(y.len(), p, |i, j| norm * cosines[(i, j)]);
    let filter = |which: usize, s: f64| {
        let FourierSetting {
            lambda,
            epochs,
            rate,
            ..
        } = setting(which);
        let curvature = s * s + lambda;
        if epochs.is_infinite() {
            return s / curvature;
        }
        // What is left of a direction after t steps: (1 - η (s² + λ)/n)^t.
        let step = rate * curvature / n;
        let done = match step < 1.0 {
            true => -(epochs * (-step).ln_1p()).exp_m1(),
            false => 1.0 - (1.0 - step).powf(epochs),
        };
        s / curvature * done
    };
    let mut weights = Vec::new();
    filtered(design.as_ref(), y, settings, filter, &mut weights);
    weights.iter_mut().for_each(|weight| *weight *= norm);
    weights
}

/// Least squares, or the interpolant of minimum norm, on the first p columns for rising p.
struct MinimumNorm<'a> {
    design: &'a Mat<f64>,
    y: &'a [f64],
    /// R and Qᵀy of the first n columns.
    triangle: Mat<f64>,
    projections: Vec<f64>,
    /// ΦΦᵀ of the first so many columns.
    gram: Mat<f64>,
    summed: usize,
}

impl<'a> MinimumNorm<'a> {
    fn new(design: &'a Mat<f64>, y: &'a [f64]) -> Self {
        let n = y.len();
        let first = design.subcols(0, n.min(design.ncols()));
        let qr = first.qr();
        let q = qr.compute_thin_Q();
        let projection = |k: usize| q.col(k).iter().zip(y).map(|(q, y)| q * y).sum();
        MinimumNorm {
            design,
            y,
            triangle: qr.thin_R().to_owned(),
            projections: (0..q.ncols()).map(projection).collect(),
            gram: Mat::zeros(n, n),
            summed: 0,
        }
    }

    /// The weights with p columns; p never falls from call to call.
    fn weights(&mut self, p: usize) -> Vec<f64> {
        let fast = match p <= self.y.len() {
            true => self.by_triangle(p),
            false => self.by_gram(p),
        };
        fast.unwrap_or_else(|| {
            let design = self.design.subcols(0, p).to_owned();
            let mut weights = Vec::new();
            filtered(design.as_ref(), self.y, 1, |_, s| 1.0 / s, &mut weights);
            weights
        })
    }

    /// R w = Qᵀy by back substitution, where R is far from singular.
    fn by_triangle(&self, p: usize) -> Option<Vec<f64>> {
        let r = &self.triangle;
        if span((0..p).map(|k| r[(k, k)])) > QR_SPAN {
            return None;
        }
        let mut weights = self.projections[..p].to_vec();
        for k in (0..p).rev() {
            weights[k] /= r[(k, k)];
            let weight = weights[k];
            for (left, r) in weights[..k].iter_mut().zip(r.col(k).iter()) {
                *left -= r * weight;
            }
        }
        Some(weights)
    }

    /// w = Φᵀ (ΦΦᵀ)⁻¹ y by Cholesky, where ΦΦᵀ is far from singular.
    fn by_gram(&mut self, p: usize) -> Option<Vec<f64>> {
        let more = self.design.subcols(self.summed, p - self.summed);
        self.gram += more * more.transpose();
        self.summed = p;
        let cholesky = self.gram.llt(Side::Lower).ok()?;
        let l = cholesky.L();
        if span((0..self.y.len()).map(|k| l[(k, k)])) > CHOLESKY_SPAN {
            return None;
        }
        let y = Mat::from_fn(self.y.len(), 1, |i, _| self.y[i]);
        let shares = cholesky.solve(&y);
        let weight = |j: usize| {
            let column = self.design.col(j);
            column
                .iter()
                .zip(shares.col(0).iter())
                .map(|(x, a)| x * a)
                .sum()
        };
        Some((0..p).map(weight).collect())
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
