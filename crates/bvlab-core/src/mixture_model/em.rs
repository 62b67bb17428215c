//! EM for Gaussian mixtures, one step at a time.

use std::borrow::Cow;

use super::kmeans::{GroupStart, fit_kmeans};
use super::{GaussianMixture, MixtureComponent, MixtureCovariance, bounded, clipped};
use crate::data::Points;
use crate::interrupt::{Interrupt, Interruptible};
use crate::stream::Stream;

/// What [`Em`] fits, and when it stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EmSettings {
    /// The covariances.
    pub covariance: MixtureCovariance,
    /// The least variance of a component along any axis, in squared units of the data. It counts as
    /// at least 10⁻¹² of the points' own variance, averaged over the coordinates.
    pub floor: f64,
    /// The largest number of steps of [`Em::run`].
    pub steps: usize,
    /// [`Em::run`] stops when a step raises the log-likelihood per point by no more than this.
    pub tolerance: f64,
}

impl Default for EmSettings {
    fn default() -> Self {
        EmSettings {
            covariance: MixtureCovariance::Full,
            floor: 1e-6,
            steps: 200,
            tolerance: 1e-6,
        }
    }
}

/// EM at work: a mixture, the responsibilities that it gives to the points, and their log-likelihood.
///
/// A step replaces the mixture by the one that maximises Σ_ik r_ik ln(π_k N(x_i; μ_k, Σ_k)) under the responsibilities
/// r: π_k = N_k/n with N_k = Σ_i r_ik, μ_k = Σ_i r_ik x_i/N_k, and Σ_k = Σ_i r_ik (x_i - μ_k)(x_i - μ_k)ᵀ/N_k with the
/// form of `covariance`; then it computes the responsibilities anew. So the log-likelihood never falls.
///
/// A component on a single point would make the likelihood infinite. Therefore no eigenvalue of a covariance is below
/// `floor`: those of Σ_k that are get raised to it, which is the exact maximum under this constraint (adding a ridge to
/// Σ_k is not). A component that no point belongs to keeps mean and covariance, with weight 0.
///
/// **Cost** of a step: O(n K d²), and O(K d³) for the eigenvalues.
///
/// **Reference**: Dempster, Laird & Rubin, *Maximum likelihood from incomplete data via the EM algorithm*, Journal of the
/// Royal Statistical Society B 39 (1977).
#[derive(Clone, Debug)]
pub struct Em<'a> {
    points: Cow<'a, Points>,
    settings: EmSettings,
    mixture: GaussianMixture,
    shares: Vec<f64>,
    logs: Vec<f64>,
    log_likelihood: f64,
    steps: usize,
}

impl<'a> Em<'a> {
    /// EM that begins with a mixture, whose covariances get the floor.
    ///
    /// # Errors
    ///
    /// If it was interrupted.
    pub fn new(
        points: &'a Points,
        mut mixture: GaussianMixture,
        settings: &EmSettings,
        interrupt: &Interrupt,
    ) -> Interruptible<Self> {
        let points = bounded(points);
        let settings = settled(settings, &points);
        for part in &mut mixture.components {
            let variances = part.variances.iter_mut();
            variances.for_each(|variance| *variance = clipped(*variance, settings.floor));
        }
        let mut em = Em {
            points,
            settings,
            mixture,
            shares: Vec::new(),
            logs: Vec::new(),
            log_likelihood: f64::NEG_INFINITY,
            steps: 0,
        };
        em.expect(interrupt)?;
        Ok(em)
    }

    /// EM that begins with groups: the mixture is the best one for these labels. Groups without points have the given
    /// centres, row by row, and weight 0.
    ///
    /// # Errors
    ///
    /// If it was interrupted.
    pub fn from_groups(
        points: &'a Points,
        labels: &[usize],
        centres: &[f64],
        settings: &EmSettings,
        interrupt: &Interrupt,
    ) -> Interruptible<Self> {
        let size = points.dimension();
        let mut mixture = GaussianMixture::around(points, centres, 1.0);
        let groups = centres.len() / size.max(1);
        let mut shares = vec![0.0; labels.len() * groups];
        for (own, label) in shares.chunks_exact_mut(groups.max(1)).zip(labels) {
            own[*label] = 1.0;
        }
        let points = bounded(points);
        let settings = settled(settings, &points);
        mixture = maximised(&points, &shares, mixture, &settings, interrupt)?;
        let mut em = Em {
            points,
            settings,
            mixture,
            shares,
            logs: Vec::new(),
            log_likelihood: f64::NEG_INFINITY,
            steps: 0,
        };
        em.expect(interrupt)?;
        Ok(em)
    }

    fn expect(&mut self, interrupt: &Interrupt) -> Interruptible {
        let Em {
            points,
            mixture,
            shares,
            logs,
            ..
        } = self;
        self.log_likelihood = mixture.expect(points, shares, logs, interrupt)?;
        Ok(())
    }

    /// One step; returns by how much the log-likelihood has risen.
    ///
    /// # Errors
    ///
    /// If it was interrupted.
    pub fn step(&mut self, interrupt: &Interrupt) -> Interruptible<f64> {
        if self.points.is_empty() || self.mixture.components.is_empty() {
            return Ok(0.0);
        }
        let mixture = std::mem::take(&mut self.mixture);
        let Em {
            points, settings, ..
        } = self;
        self.mixture = maximised(points, &self.shares, mixture, settings, interrupt)?;
        let before = self.log_likelihood;
        self.expect(interrupt)?;
        self.steps += 1;
        Ok(self.log_likelihood - before)
    }

    /// Steps until one of them hardly changes anything, or there were as many as the settings allow.
    ///
    /// # Errors
    ///
    /// If it was interrupted.
    pub fn run(&mut self, interrupt: &Interrupt) -> Interruptible {
        let least = self.settings.tolerance * self.points.len() as f64;
        for _ in 0..self.settings.steps {
            if self.step(interrupt)? <= least {
                break;
            }
        }
        Ok(())
    }

    /// The mixture.
    pub fn mixture(&self) -> &GaussianMixture {
        &self.mixture
    }

    /// The responsibilities, point by point.
    pub fn shares(&self) -> &[f64] {
        &self.shares
    }

    /// Σ_i ln p(x_i).
    pub fn log_likelihood(&self) -> f64 {
        self.log_likelihood
    }

    /// How many steps there were.
    pub fn steps(&self) -> usize {
        self.steps
    }
}

/// The points' variance, averaged over the coordinates.
fn spread(points: &Points) -> f64 {
    let (size, count) = (points.dimension().max(1), points.len().max(1) as f64);
    let variance = |k: usize| {
        let mean = points.rows().map(|x| x[k] / count).sum::<f64>();
        let squares = points.rows().map(|x| (x[k] - mean) * (x[k] - mean));
        squares.sum::<f64>() / count
    };
    (0..size).map(variance).sum::<f64>() / size as f64
}

/// The settings with a floor that rounding does not reach.
fn settled(settings: &EmSettings, points: &Points) -> EmSettings {
    EmSettings {
        floor: settings.floor.max(LEAST_SHARE * spread(points)),
        ..*settings
    }
}

/// The least share of the points' variance that a variance of a component can be.
const LEAST_SHARE: f64 = 1e-12;

/// Equal weights, spheres of some share of the points' variance around centres.
fn around(points: &Points, centres: &[f64], share: f64) -> GaussianMixture {
    let size = points.dimension().max(1);
    let sphere = spread(points);
    let groups = centres.len() / size;
    let component = |centre: &[f64]| MixtureComponent {
        weight: 1.0 / groups as f64,
        mean: centre.to_vec(),
        variances: vec![clipped(share * sphere, 0.0).min(1e200); size],
        axes: Vec::new(),
    };
    GaussianMixture {
        components: centres.chunks_exact(size).map(component).collect(),
    }
}

impl GaussianMixture {
    /// A start for [`Em`]: equal weights, and spheres of a share of the points' variance around centres, which stand
    /// row by row.
    pub fn around(points: &Points, centres: &[f64], share: f64) -> Self {
        around(&bounded(points), centres, share)
    }
}

/// A component with a smaller share of the points counts as empty.
const EMPTY: f64 = 1e-150;

/// The mixture that is most probable under the responsibilities.
fn maximised(
    points: &Points,
    shares: &[f64],
    mut mixture: GaussianMixture,
    settings: &EmSettings,
    interrupt: &Interrupt,
) -> Interruptible<GaussianMixture> {
    let (size, groups) = (points.dimension(), mixture.components.len());
    let mut pooled = vec![0.0; size * size];
    let mut sums = vec![0.0; size * size];
    let mut away = vec![0.0; size];
    let whole = settings.covariance == MixtureCovariance::Full
        || settings.covariance == MixtureCovariance::Tied;
    let count = points.len() as f64;
    for (k, part) in mixture.components.iter_mut().enumerate() {
        interrupt.check(points.len() * (size * size + 4 * size + 4))?;
        let own = || shares.iter().skip(k).step_by(groups);
        let total: f64 = own().sum();
        part.weight = if total > EMPTY * count {
            total / count
        } else {
            0.0
        };
        if part.weight == 0.0 {
            continue;
        }
        part.mean.fill(0.0);
        for (x, share) in points.rows().zip(own()) {
            let mean = part.mean.iter_mut().zip(x);
            mean.for_each(|(mean, x)| *mean += share / total * x);
        }
        sums.fill(0.0);
        for (x, share) in points.rows().zip(own()) {
            for (away, (x, mean)) in away.iter_mut().zip(x.iter().zip(&part.mean)) {
                *away = x - mean;
            }
            for i in 0..size {
                let weighted = share / total * away[i];
                let from = if whole { 0 } else { i };
                let row = &mut sums[i * size..][from..=i];
                row.iter_mut()
                    .zip(&away[from..=i])
                    .for_each(|(sum, a)| *sum += weighted * a);
            }
        }
        match settings.covariance {
            MixtureCovariance::Tied => {
                let weight = part.weight;
                let both = pooled.iter_mut().zip(&sums);
                both.for_each(|(all, own)| *all += weight * own);
            }
            _ => shape(part, &sums, settings),
        }
    }
    if settings.covariance == MixtureCovariance::Tied {
        for part in &mut mixture.components {
            shape(part, &pooled, settings);
        }
    }
    Ok(mixture)
}

/// Gives a component the covariance of which this is the lower half, in its form and with the floor.
fn shape(part: &mut MixtureComponent, lower: &[f64], settings: &EmSettings) {
    let size = part.mean.len();
    let diagonal = (0..size).map(|i| lower[i * size + i]);
    match settings.covariance {
        MixtureCovariance::Spherical => {
            let mean = diagonal.sum::<f64>() / size as f64;
            part.variances.fill(clipped(mean, settings.floor));
            part.axes.clear();
        }
        MixtureCovariance::Diagonal => {
            part.variances.clear();
            let clip = |variance| clipped(variance, settings.floor);
            part.variances.extend(diagonal.map(clip));
            part.axes.clear();
        }
        MixtureCovariance::Full | MixtureCovariance::Tied => {
            let at = |place: usize| {
                let (i, j) = (place / size, place % size);
                lower[i.max(j) * size + i.min(j)]
            };
            let covariance: Vec<f64> = (0..size * size).map(at).collect();
            let mean = std::mem::take(&mut part.mean);
            *part = MixtureComponent::new(part.weight, mean, &covariance, settings.floor);
        }
    }
}

/// The mixture with the largest log-likelihood among several starts: groups by k-means, then EM from the groups'
/// own weights, means and covariances. Start r draws from the r-th child of the stream.
///
/// # Errors
///
/// If it was interrupted.
pub fn fit_mixture<'a>(
    points: &'a Points,
    components: usize,
    settings: &EmSettings,
    start: &GroupStart,
    starts: usize,
    stream: &Stream,
    interrupt: &Interrupt,
) -> Interruptible<Em<'a>> {
    let mut best: Option<Em<'a>> = None;
    for r in 0..starts.max(1) {
        let stream = stream.child(r as u64);
        let groups = fit_kmeans(points, components, start, 1, &stream, interrupt)?;
        let (labels, centres) = (groups.labels(), groups.centres());
        let mut em = Em::from_groups(points, labels, centres, settings, interrupt)?;
        em.run(interrupt)?;
        let better = |known: &Em| em.log_likelihood > known.log_likelihood;
        if best.as_ref().is_none_or(better) {
            best = Some(em);
        }
    }
    match best {
        Some(best) => Ok(best),
        None => Em::new(points, GaussianMixture::default(), settings, interrupt),
    }
}
