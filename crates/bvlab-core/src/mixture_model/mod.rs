//! Gaussian mixtures by EM, and k-means: groups without labels.
//!
//! A [`GaussianMixture`] is a density Σ_k π_k N(x; μ_k, Σ_k). [`Em`] fits one step by step, [`KMeans`] finds
//! groups in the same way with hard assignments, and [`fit_mixture`] and [`fit_kmeans`] keep the best of several
//! starts. Every number has the same bits on every platform.
//!
//! ```
//! use bvlab_core::data::Points;
//! use bvlab_core::interrupt::Interrupt;
//! use bvlab_core::mixture_model::{EmSettings, GroupStart, fit_mixture};
//! use bvlab_core::stream::{Purpose, Stream};
//!
//! let points = Points::new(1, vec![-5.1, -5.0, -4.9, 4.8, 5.0, 5.2]);
//! let stream = Stream::new(1, Purpose::Algorithm, 0);
//! let settings = EmSettings { floor: 1e-4, ..EmSettings::default() };
//! let fit = fit_mixture(&points, 2, &settings, &GroupStart::PlusPlus, 3, &stream, &Interrupt::never())?;
//! let mut means: Vec<f64> = fit.mixture().components.iter().map(|part| part.mean[0]).collect();
//! means.sort_by(f64::total_cmp);
//! assert!((means[0] + 5.0).abs() < 1e-6 && (means[1] - 5.0).abs() < 1e-6);
//! # Ok::<(), bvlab_core::interrupt::Interrupted>(())
//! ```

mod em;
mod kmeans;
mod scores;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use rand::RngExt;

use crate::data::Points;
use crate::eigen::diagonalise;
use crate::interrupt::{Interrupt, Interruptible};
use crate::maths::{exp, ln, normal};
use crate::stream::Stream;

pub use em::{Em, EmSettings, fit_mixture};
pub use kmeans::{GroupStart, KMeans, fit_kmeans};
pub use scores::{Scatter, aic, bic, matched, silhouette};

/// Which covariances the components of a mixture may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MixtureCovariance {
    /// σ_k² I.
    Spherical,
    /// A diagonal one per component.
    Diagonal,
    /// A full one per component.
    #[default]
    Full,
    /// One full covariance for all components.
    Tied,
}

impl MixtureCovariance {
    /// All of them, from the fewest parameters of one component on.
    pub const ALL: [MixtureCovariance; 4] = [
        MixtureCovariance::Spherical,
        MixtureCovariance::Diagonal,
        MixtureCovariance::Full,
        MixtureCovariance::Tied,
    ];

    /// Their names, in the same order.
    pub const WORDS: [&str; 4] = ["spherical", "diagonal", "full", "tied"];

    /// The number of free parameters of a mixture: weights, means and covariances.
    pub fn parameters(self, components: usize, dimension: usize) -> f64 {
        let (k, d) = (components as f64, dimension as f64);
        let covariances = match self {
            MixtureCovariance::Spherical => k,
            MixtureCovariance::Diagonal => k * d,
            MixtureCovariance::Full => k * d * (d + 1.0) / 2.0,
            MixtureCovariance::Tied => d * (d + 1.0) / 2.0,
        };
        k - 1.0 + k * d + covariances
    }
}

/// One component π N(x; μ, Σ) of a mixture, its covariance by axes and the variances along them.
#[derive(Clone, Debug, PartialEq)]
pub struct MixtureComponent {
    /// The weight π, from 0 to 1.
    pub weight: f64,
    /// The mean μ.
    pub mean: Vec<f64>,
    /// The eigenvalues of Σ, above 0.
    pub variances: Vec<f64>,
    /// Its eigenvectors, row by row; empty where they are the coordinate axes.
    pub axes: Vec<f64>,
}

/// Variances are at least this, however small the floor, so that nothing overflows.
const LEAST_VARIANCE: f64 = 1e-100;
/// Coordinates count as no further away than this, for the same reason.
const FURTHEST: f64 = 1e100;
/// ln 2π.
const LN_TAU: f64 = 1.837_877_066_409_345_3;

impl MixtureComponent {
    /// A component from its covariance, row by row; eigenvalues below the floor are raised to it.
    ///
    /// # Panics
    ///
    /// If the covariance is not a square of the mean's size.
    pub fn new(weight: f64, mean: Vec<f64>, covariance: &[f64], floor: f64) -> Self {
        let size = mean.len();
        assert_eq!(covariance.len(), size * size, "a covariance is a square");
        let mut matrix = covariance.to_vec();
        let mut axes = vec![0.0; size * size];
        diagonalise(&mut matrix, &mut axes, size);
        let variances = (0..size).map(|i| clipped(matrix[i * size + i], floor));
        MixtureComponent {
            weight,
            variances: variances.collect(),
            mean,
            axes,
        }
    }

    /// The covariance Σ, row by row.
    pub fn covariance(&self) -> Vec<f64> {
        let size = self.mean.len();
        let mut covariance = vec![0.0; size * size];
        for (k, variance) in self.variances.iter().enumerate() {
            if self.axes.is_empty() {
                covariance[k * size + k] = *variance;
                continue;
            }
            let axis = &self.axes[k * size..][..size];
            for (place, value) in covariance.iter_mut().enumerate() {
                *value += variance * axis[place / size] * axis[place % size];
            }
        }
        covariance
    }

    /// ln π - ½ ln |2πΣ|.
    fn log_constant(&self) -> f64 {
        let logs: f64 = self.variances.iter().map(|v| LN_TAU + ln(*v)).sum();
        ln(self.weight) - 0.5 * logs
    }

    /// (x - μ)ᵀ Σ⁻¹ (x - μ).
    fn distance(&self, x: &[f64]) -> f64 {
        let away = || x.iter().zip(&self.mean).map(|(x, mean)| x - mean);
        let sum: f64 = match self.axes.is_empty() {
            true => away().zip(&self.variances).map(|(a, v)| a * a / v).sum(),
            false => {
                let axes = self.axes.chunks_exact(x.len());
                let along = |axis: &[f64]| axis.iter().zip(away()).map(|(e, a)| e * a).sum();
                let squares = axes.map(along).zip(&self.variances);
                squares.map(|(a, v): (f64, _)| a * a / v).sum()
            }
        };
        sum.min(1e300)
    }

    /// The points μ + r Σ^½ u, for unit vectors u around a circle: where the density of a component in the plane is
    /// e^(-r²/2) of its highest.
    pub fn ellipse(&self, radius: f64, count: usize) -> Vec<[f64; 2]> {
        let turn = std::f64::consts::TAU / count.max(1) as f64;
        let place = |i: usize| {
            let angle = turn * i as f64;
            let u = [crate::maths::cos(angle), crate::maths::sin(angle)];
            let mut out = vec![0.0; 2];
            self.place(&u.map(|u| radius * u), &mut out);
            [out[0], out[1]]
        };
        (0..=count).map(place).collect()
    }

    /// μ + Σ^½ z, in the component's own axes.
    fn place(&self, z: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&self.mean);
        let size = out.len();
        for (k, (z, variance)) in z.iter().zip(&self.variances).enumerate() {
            let away = z * variance.sqrt();
            match self.axes.is_empty() {
                true => out[k] += away,
                false => {
                    let axis = &self.axes[k * size..][..size];
                    out.iter_mut().zip(axis).for_each(|(x, e)| *x += e * away);
                }
            }
        }
    }
}

/// A variance that is at least the floor, whatever the arithmetic gave.
fn clipped(variance: f64, floor: f64) -> f64 {
    variance.max(floor).max(LEAST_VARIANCE)
}

/// A Gaussian mixture. The weights sum to 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GaussianMixture {
    /// Its components.
    pub components: Vec<MixtureComponent>,
}

impl GaussianMixture {
    /// Draws points, and which component each is from.
    pub fn draw(&self, count: usize, stream: &mut Stream) -> (Points, Vec<usize>) {
        let size = self.components.first().map_or(1, |part| part.mean.len());
        let (mut values, mut labels) = (vec![0.0; count * size], Vec::with_capacity(count));
        let mut z = vec![0.0; size];
        for x in values.chunks_exact_mut(size) {
            let mut left: f64 = stream.random();
            let parts = self.components.iter();
            let chosen = parts.take_while(|part| {
                left -= part.weight;
                left >= 0.0
            });
            let label = chosen.count().min(self.components.len().saturating_sub(1));
            z.iter_mut().for_each(|z| *z = normal(stream));
            if let Some(part) = self.components.get(label) {
                part.place(&z, x);
            }
            labels.push(label);
        }
        (Points::new(size, values), labels)
    }

    /// The responsibilities r_ik = π_k N(x_i; μ_k, Σ_k)/p(x_i), point by point, and ln p(x_i); returns their sum, the
    /// log-likelihood. Coordinates beyond ±10¹⁰⁰ count as ±10¹⁰⁰.
    ///
    /// # Errors
    ///
    /// If it was interrupted.
    pub fn expect(
        &self,
        points: &Points,
        shares: &mut Vec<f64>,
        logs: &mut Vec<f64>,
        interrupt: &Interrupt,
    ) -> Interruptible<f64> {
        let points = bounded(points);
        let constants = self.components.iter().map(MixtureComponent::log_constant);
        let constants: Vec<f64> = constants.collect();
        let (count, size) = (self.components.len(), points.dimension());
        shares.clear();
        logs.clear();
        let mut total = 0.0;
        for x in points.rows() {
            interrupt.check(count * (20 + 4 * size * size))?;
            let start = shares.len();
            let parts = self.components.iter().zip(&constants);
            shares.extend(parts.map(|(part, constant)| constant - 0.5 * part.distance(x)));
            let own = &mut shares[start..];
            let log = to_shares(own);
            logs.push(log);
            total += log;
        }
        Ok(total)
    }

    /// ln p(x) at some points.
    ///
    /// # Errors
    ///
    /// If it was interrupted.
    pub fn log_density(&self, points: &Points, interrupt: &Interrupt) -> Interruptible<Vec<f64>> {
        let (mut shares, mut logs) = (Vec::new(), Vec::new());
        self.expect(points, &mut shares, &mut logs, interrupt)?;
        Ok(logs)
    }
}

/// From logarithms to shares that sum to 1; returns the logarithm of what they summed to.
fn to_shares(logs: &mut [f64]) -> f64 {
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY {
        return most;
    }
    let mut sum = 0.0;
    for log in logs.iter_mut() {
        *log = exp(*log - most);
        sum += *log;
    }
    logs.iter_mut().for_each(|share| *share /= sum);
    most + ln(sum)
}

/// For every point the component with the largest share, the first of equals.
pub fn hard_labels(shares: &[f64], components: usize) -> Vec<usize> {
    let best = |own: &[f64]| {
        let places = (0..own.len()).rev();
        places
            .max_by(|a, b| own[*a].total_cmp(&own[*b]))
            .unwrap_or(0)
    };
    shares.chunks_exact(components.max(1)).map(best).collect()
}

/// The points, no coordinate of which is beyond what arithmetic can square.
fn bounded(points: &Points) -> Cow<'_, Points> {
    let good = |x: &f64| x.abs() <= FURTHEST;
    if points.values().iter().all(good) {
        return Cow::Borrowed(points);
    }
    let near = |x: &f64| match x.is_nan() {
        true => 0.0,
        false => x.clamp(-FURTHEST, FURTHEST),
    };
    let values = points.values().iter().map(near).collect();
    Cow::Owned(Points::new(points.dimension(), values))
}
