//! Random Fourier features.

mod random;

pub use random::FeatureKind;

use faer::{Mat, MatRef};

use random::RandomFeatures;

use super::family::{Blueprint, Family, LAMBDA, LabelKind, rate};
use super::grouping::group_of;
use super::minimum_norm::MinimumNorm;
use super::spectrum::{DescentFilter, Spectrum, diagnose_growing, length};
use super::{Diagnosis, Learner, Remark, Size, label_noise_bound, solving};
use crate::data::{Points, Training};
use crate::interrupt::{Interrupt, Interrupted};
use crate::lanes::{BLOCK, combine};
use crate::parameter::Parameter;
use crate::problem::{Inputs, Problem};
use crate::stream::Stream;

pub(super) const FAMILY: Family = Family::new(
    "fourier",
    "regression on cosines of random frequency and phase",
    build,
)
.parameters(&[
    Parameter::whole("features", "number of random cosines")
        .symbol("p")
        .least(1.0)
        .up_to(100_000.0),
    Parameter::number("scale", "standard deviation of the frequencies")
        .unit("radians per unit of x")
        .above(0.0)
        .up_to(1e12)
        .usual(1.0, 100.0),
    LAMBDA,
    Parameter::whole("epochs", "steps of gradient descent")
        .symbol("t")
        .up_to(1e15)
        .default(f64::INFINITY)
        .usual(10.0, 2000.0),
    rate(
        "step of gradient descent on the mean squared error",
        1.0,
        0.5,
    ),
])
.labels(LabelKind::Both)
.one_fit("every p from one QR and a growing Gram matrix; every λ and epoch of a p, from one SVD");

fn build(blueprint: Blueprint) -> Box<dyn Learner> {
    let settings = blueprint.settings().map(|setting| FourierSetting {
        features: setting.whole("features"),
        scale: setting.number("scale"),
        lambda: setting.number("lambda"),
        epochs: setting.number("epochs"),
        rate: setting.number("rate"),
    });
    Box::new(Fourier::classifier(settings.collect(), blueprint.classes))
}

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
/// their ratio alone. [`Fourier::of`] takes features of another [`FeatureKind`].
///
/// K classes are learned by the same squared loss on one-hot labels: the label of class k is the k-th
/// unit vector, every class has weights of its own, and all of them come from one factorisation. The
/// K predictions are scores, of which the largest is the class. They need not be between 0 and 1, nor
/// sum to 1, so that cross-entropy is refused.
///
/// | number | meaning | range | default |
/// |---|---|---|---|
/// | `features` | p, the number of cosines | 1 to 100 000 | must be given |
/// | `scale` | sd of the frequencies | above 0 | must be given |
/// | `lambda` | λ, against the *sum* of squared residuals | from 0 | 0 |
/// | `epochs` | t, steps of gradient descent | from 0 | no limit: the exact minimum |
/// | `rate` | η, the step on the mean squared error | above 0, to 1 | 0.5 |
///
/// Since ‖φ(x)‖² is at most 2, a rate of up to 1 never diverges without a penalty, nor with one of
/// λ ≤ 2n (1/η - 1). Beyond, the run says where it diverges.
///
/// **Cost** of a whole path over p at λ = 0: one QR of the first n features gives every p ≤ n by a
/// triangular solve each; beyond, the n × n matrix ΦΦᵀ grows from p to p and is factored by
/// Cholesky, its solution refined until it interpolates. Both only while a look at the factors'
/// diagonals says that Φ is far from losing rank: else an SVD of that p is taken, with singular
/// values up to max(n, p) ε s_max as zero. Ridge and gradient descent take one SVD per p for every
/// λ and every epoch.
///
/// **Reference**: Rahimi and Recht, *Random features for large-scale kernel machines* (2007);
/// Belkin, Hsu, Ma and Mandal, *Reconciling modern machine-learning practice and the classical
/// bias–variance trade-off*, PNAS 116 (2019).
///
/// ```
/// use bvlab_core::learner::{Fourier, FourierSetting, Learner};
/// use bvlab_core::data::{Points, Training};
/// use bvlab_core::stream::{Purpose, Stream};
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
    /// 0 for numbers.
    classes: usize,
    /// Of classes: the one-hot labels, class by class.
    targets: Vec<f64>,
    /// Of classes: the scores of one class at some points.
    scores: Vec<f64>,
    /// The distinct scales, each with its settings by rising number of features.
    scales: Vec<(f64, Vec<usize>)>,
    features: RandomFeatures,
    /// By setting: the weights of cos(ω·x + b), the factor √(2/p) taken in; of classes, one class after
    /// the other.
    weights: Vec<Vec<f64>>,
    /// By scale: the cosines at the inputs of the last fit.
    at_inputs: Vec<Vec<f64>>,
    /// The cosines at a block of test points.
    at_points: Vec<f64>,
    exact: MinimumNorm,
    spectrum: Spectrum,
    design: Vec<f64>,
    /// By setting: whether gradient descent diverged.
    diverged: Vec<bool>,
    /// By setting, of features that are not cosines: whether they lost rank.
    lost_rank: Vec<bool>,
}

impl Fourier {
    /// A path over `settings`, in any order, for labels that are numbers.
    pub fn new(settings: Vec<FourierSetting>) -> Self {
        Fourier::of(FeatureKind::Cosine, settings, 0)
    }

    /// The same for this many classes; 0 where labels are numbers.
    pub fn classifier(settings: Vec<FourierSetting>, classes: usize) -> Self {
        Fourier::of(FeatureKind::Cosine, settings, classes)
    }

    /// The same with features of a kind; for those that are not cosines, `scale` is the sd of the
    /// constants.
    pub fn of(kind: FeatureKind, settings: Vec<FourierSetting>, classes: usize) -> Self {
        let mut scales: Vec<(f64, Vec<usize>)> = Vec::new();
        for (c, setting) in settings.iter().enumerate() {
            let same = |(scale, _): &(f64, Vec<usize>)| *scale == setting.scale;
            let (_, settings) = group_of(&mut scales, same, || (setting.scale, Vec::new()));
            settings.push(c);
        }
        for (_, same) in &mut scales {
            same.sort_by_key(|&c| settings[c].features);
        }
        Fourier {
            weights: vec![Vec::new(); settings.len()],
            diverged: vec![false; settings.len()],
            lost_rank: vec![false; settings.len()],
            at_inputs: vec![Vec::new(); scales.len()],
            settings,
            classes,
            targets: Vec::new(),
            scores: Vec::new(),
            scales,
            features: RandomFeatures::of(kind),
            at_points: Vec::new(),
            exact: MinimumNorm::default(),
            spectrum: Spectrum::default(),
            design: Vec::new(),
        }
    }

    /// The features of a setting as they were drawn for the last fit: a row of
    /// √(2/p) cos(ω_j·x + b_j) for every point.
    pub fn features(&self, points: &Points, setting: usize) -> Vec<Vec<f64>> {
        let FourierSetting {
            features, scale, ..
        } = self.settings[setting];
        let norm = self.features.kind.norm(features);
        let mut cosines = Vec::new();
        let all = 0..points.len();
        let mut drawn = self.features.clone();
        drawn.cosines(points, all, features, scale, &mut cosines);
        let row = |i: usize| {
            let values = cosines.iter().skip(i).step_by(points.len());
            values.map(|cosine| norm * cosine).collect()
        };
        (0..points.len()).map(row).collect()
    }

    /// What the columns are to be combined to: the labels, or one-hot labels class by class.
    fn fill_targets(&mut self, labels: &[f64]) {
        self.targets.clear();
        if self.classes == 0 {
            self.targets.extend_from_slice(labels);
        }
        for class in 0..self.classes {
            let hot = |label: &f64| f64::from(u8::from(*label == class as f64));
            self.targets.extend(labels.iter().map(hot));
        }
    }

    /// The largest number of features of some settings.
    fn most(&self, settings: &[usize]) -> usize {
        let counts = settings.iter().map(|&c| self.settings[c].features);
        counts.max().unwrap_or(0)
    }
}

impl Learner for Fourier {
    fn capacities(&self) -> usize {
        self.settings.len()
    }

    fn try_fit(
        &mut self,
        data: &Training,
        stream: &Stream,
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let (n, dimension) = (data.len(), data.inputs.dimension());
        let most = self.settings.iter().map(|s| s.features).max().unwrap_or(0);
        self.features.draw(most, dimension, stream);
        self.fill_targets(&data.labels);
        for which in 0..self.scales.len() {
            let (scale, settings) = &self.scales[which];
            let most = self.most(settings);
            let columns = &mut self.at_inputs[which];
            interrupt.check(most * n * (dimension + 10))?;
            self.features
                .cosines(&data.inputs, 0..n, most, *scale, columns);
            let columns = &columns[..most * n];
            let kind = self.features.kind;
            self.exact.begin(match kind {
                FeatureKind::Cosine => 1.0,
                _ => columns
                    .iter()
                    .fold(0.0, |size: f64, value| size.max(value.abs())),
            });
            let path = &self.settings;
            for same in settings.chunk_by(|a, b| path[*a].features == path[*b].features) {
                let p = path[same[0]].features;
                interrupt.check(solving(n, p))?;
                if same.iter().any(|&c| path[c].is_plain()) {
                    self.exact.weights(columns, &self.targets, n, p);
                    let (weights, lost) = (self.exact.last(), self.exact.lost_rank());
                    for &c in same.iter().filter(|&&c| path[c].is_plain()) {
                        self.weights[c].clear();
                        self.weights[c].extend_from_slice(weights);
                        self.lost_rank[c] = lost && kind != FeatureKind::Cosine;
                    }
                }
                if !same.iter().all(|&c| path[c].is_plain()) {
                    let norm = kind.norm(p);
                    self.design.clear();
                    self.design
                        .extend(columns[..p * n].iter().map(|cosine| norm * cosine));
                    let design = MatRef::from_column_major_slice(&self.design, n, p);
                    let filter = |c: usize, s: f64| path[same[c]].descent().of(s, n);
                    let all = self
                        .spectrum
                        .filtered(design, &self.targets, same.len(), filter);
                    let each = p * self.classes.max(1);
                    for (&c, found) in same.iter().zip(all.chunks_exact(each)) {
                        if !path[c].is_plain() {
                            self.weights[c].clear();
                            self.weights[c].extend(found.iter().map(|weight| norm * weight));
                        }
                    }
                    let largest = self.spectrum.largest();
                    for &c in same {
                        self.diverged[c] = path[c].descent().diverges(largest, n);
                    }
                }
            }
        }
        Ok(())
    }

    fn remarks(&self) -> Option<Vec<Option<Remark>>> {
        let remark = |(diverged, lost): (&bool, &bool)| match (diverged, lost) {
            (true, _) => Some(Remark::Diverged),
            (_, true) => Some(Remark::LostRank),
            _ => None,
        };
        let both = self.diverged.iter().zip(&self.lost_rank);
        Some(both.map(remark).collect())
    }

    fn try_predict(
        &mut self,
        points: &Points,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let (count, each) = (points.len(), self.classes.max(1));
        for (scale, settings) in &self.scales {
            let most = self.most(settings);
            // Block by block, so that the cosines stay near while every setting needs them.
            for start in (0..count).step_by(BLOCK) {
                let block = start..(start + BLOCK).min(count);
                let length = block.len();
                interrupt.check(length * most * (points.dimension() + 10))?;
                self.features
                    .cosines(points, block, most, *scale, &mut self.at_points);
                for &c in settings {
                    let weights = &self.weights[c];
                    interrupt.check(length * weights.len())?;
                    let out = &mut out[(c * count + start) * each..][..length * each];
                    scores(
                        &mut self.scores,
                        out,
                        &self.at_points,
                        weights,
                        self.classes,
                    );
                }
            }
        }
        Ok(())
    }

    fn try_predict_training(
        &mut self,
        data: &Training,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let length = data.len() * self.classes.max(1);
        for ((_, settings), cosines) in self.scales.iter().zip(&self.at_inputs) {
            for &c in settings {
                let weights = &self.weights[c];
                interrupt.check(data.len() * weights.len())?;
                let out = &mut out[c * length..][..length];
                scores(&mut self.scores, out, cosines, weights, self.classes);
            }
        }
        Ok(())
    }

    /// The features do not depend on the labels.
    fn is_smoother(&self) -> bool {
        true
    }

    /// Of an interpolant all are 1; else they follow from the singular vectors of the features.
    fn try_leverages(
        &mut self,
        data: &Training,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<bool, Interrupted> {
        let n = data.len();
        for ((_, settings), cosines) in self.scales.iter().zip(&self.at_inputs) {
            let path = &self.settings;
            let most = self.most(settings);
            let cosines = MatRef::from_column_major_slice(&cosines[..most * n], n, most);
            let (mut gram, mut summed) = (Mat::zeros(n, n), 0);
            for same in settings.chunk_by(|a, b| path[*a].features == path[*b].features) {
                let p = path[same[0]].features;
                interrupt.check(solving(n, p))?;
                if p > n && same.iter().all(|&c| path[c].is_plain()) {
                    let more = cosines.subcols(summed, p - summed);
                    gram += more * more.transpose();
                    summed = p;
                    if is_well_conditioned(&gram) {
                        for &c in same {
                            out[c * n..][..n].fill(1.0);
                        }
                        continue;
                    }
                }
                let scale = faer::Scale(self.features.kind.norm(p));
                let design = scale * cosines.subcols(0, p);
                let filter = |c: usize, s: f64| match path[same[c]].is_plain() {
                    true => 1.0 / s,
                    false => path[same[c]].descent().of(s, n),
                };
                let found = self.spectrum.leverages(design.as_ref(), same.len(), filter);
                for (found, &c) in found.chunks_exact(n).zip(same) {
                    out[c * n..][..n].copy_from_slice(found);
                }
            }
        }
        Ok(true)
    }

    /// Cosines have full rank with probability 1 whatever the inputs' density, and so have projections
    /// of normal inputs as long as there are no more of them than coordinates. ReLU features need not: all
    /// of them may be zero at an input.
    fn label_noise_bound(&self, problem: &Problem) -> Option<Vec<f64>> {
        let Inputs::Law(_) = problem.inputs else {
            return None;
        };
        let kind = self.features.kind;
        label_noise_bound(
            problem,
            self.settings.iter().map(|setting| {
                let full = match kind {
                    FeatureKind::Cosine => true,
                    FeatureKind::Relu => false,
                    FeatureKind::Projection => setting.features <= problem.dimension,
                };
                (full && setting.is_plain()).then_some(setting.features)
            }),
        )
    }

    fn predicts_scores(&self) -> bool {
        self.classes > 0
    }

    fn solves(&self) -> bool {
        true
    }

    fn diagnose(
        &mut self,
        data: &Training,
        interrupt: &Interrupt,
    ) -> Result<Option<Vec<Diagnosis>>, Interrupted> {
        let n = data.len();
        let mut found = vec![None; self.settings.len()];
        for ((_, settings), cosines) in self.scales.iter().zip(&self.at_inputs) {
            let path = &self.settings;
            let most = self.most(settings);
            let cosines = MatRef::from_column_major_slice(&cosines[..most * n], n, most);
            let mut groups = settings.chunk_by(|a, b| path[*a].features == path[*b].features);
            let counts = groups.clone().map(|same| path[same[0]].features);
            diagnose_growing(cosines, counts, interrupt, |p, matrix| {
                // Condition and rank do not depend on the features' factor; weights do.
                for &c in groups.next().unwrap_or_default() {
                    let weight_norm = length(&self.weights[c]) / self.features.kind.norm(p);
                    found[c] = Some(Diagnosis {
                        weight_norm,
                        ..matrix
                    });
                }
            })?;
        }
        Ok(found.into_iter().collect())
    }

    fn operations(&self, size: Size) -> f64 {
        let each = |setting: &FourierSetting| {
            let columns = setting.features as f64;
            let penalised = setting.lambda > 0.0 || setting.epochs.is_finite();
            let solve = match penalised {
                true => size.solve(columns),
                false => 10.0 * size.train * size.train * columns.min(size.train),
            };
            solve + columns.min(size.train) * size.predictions() * size.outputs
        };
        let most = self.settings.iter().map(|setting| setting.features).max();
        let features = most.unwrap_or(0) as f64 * (size.dimension + 10.0 + size.train);
        let scales = self.scales.len() as f64;
        self.settings.iter().map(each).sum::<f64>() + scales * features * size.predictions()
    }

    fn numbers_held(&self, size: Size) -> f64 {
        let inputs = size.train * (size.dimension + 2.0);
        let weights = |setting: &FourierSetting| setting.features as f64 * self.classes as f64;
        inputs + self.settings.iter().map(weights).sum::<f64>()
    }
}

/// Σ_j w_j column_j at some points: of numbers, or by point and class with the weights of one class
/// after the other and room for the scores of a class.
fn scores(room: &mut Vec<f64>, out: &mut [f64], columns: &[f64], weights: &[f64], classes: usize) {
    if classes == 0 {
        return combine(out, 0.0, columns, weights);
    }
    room.resize(out.len() / classes, 0.0);
    for (class, weights) in weights.chunks_exact(weights.len() / classes).enumerate() {
        combine(room, 0.0, columns, weights);
        let out = out.iter_mut().skip(class).step_by(classes);
        out.zip(&*room).for_each(|(out, score)| *out = *score);
    }
}

/// Whether a matrix ΦΦᵀ has full rank beyond doubt.
fn is_well_conditioned(gram: &Mat<f64>) -> bool {
    let Ok(factor) = gram.llt(faer::Side::Lower) else {
        return false;
    };
    let diagonal = factor.L().diagonal().column_vector();
    let (least, most) = diagonal
        .iter()
        .fold((f64::INFINITY, 0.0_f64), |(least, most), d| {
            (least.min(*d), most.max(*d))
        });
    least > 1e-6 * most
}

impl FourierSetting {
    fn descent(&self) -> DescentFilter {
        DescentFilter {
            lambda: self.lambda,
            epochs: self.epochs,
            rate: self.rate,
        }
    }

    /// Whether the weights are the exact minimum without a penalty.
    fn is_plain(&self) -> bool {
        self.descent().is_plain()
    }
}
