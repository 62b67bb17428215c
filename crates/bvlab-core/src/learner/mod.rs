//! Learners: one file per model family, behind one trait.
//!
//! A learner is asked for its whole *capacity path*: it holds a list of settings (every depth,
//! every k, every λ), is fitted once to a training set, and predicts for all settings at once.
//! Most families share nearly all work between settings, which is where the lab's speed comes from.
//!
//! A new family is one new file with a [`Family`] in it, and one line in the list of those that a
//! [`Registry`] begins with. A family of one's own is added to a registry from outside. A model of
//! linfa becomes a learner by `FromLinfa`, with the feature `linfa`.

mod adaboost;
mod bagging;
mod boosting;
pub(crate) mod cholesky;
mod components;
mod density;
mod design;
mod discriminant;
mod family;
mod features;
mod first_inputs;
mod forest;
mod fourier;
mod gaussians;
mod grouping;
mod histogram;
mod kernel;
mod kernel_density;
mod knn;
mod lasso;
mod linear;
#[cfg(feature = "linfa")]
mod linfa;
mod local;
mod logistic;
mod minimum_norm;
mod mixture;
mod naive_bayes;
mod network;
mod polynomial;
mod registry;
mod spectrum;
mod spline;
mod subset;
mod symmetric;
mod tree;

#[cfg(feature = "linfa")]
pub use self::linfa::{FromLinfa, LinfaModel, LinfaTraining};
#[cfg(test)]
pub(crate) use adaboost::gini;
pub use adaboost::{AdaBoost, AdaBoostSample, AdaBoostSetting};
pub(crate) use adaboost::{ClassNode, Impurity, Rounds, minority};
pub(crate) use bagging::bootstrap;
pub use bagging::{Bagging, BaggingSample, BaggingSetting, Combine};
pub use boosting::{Boosting, BoostingSetting};
pub use components::Components;
pub use density::{DensityEstimator, Smoothing};
pub use design::InputScale;
pub use discriminant::{CovarianceForm, Discriminant, DiscriminantSetting};
pub use family::{Blueprint, Choice, ChoiceError, Family, LabelKind};
pub use first_inputs::FirstInputs;
pub use forest::{forest, forest_classifier};
pub use fourier::{FeatureKind, Fourier, FourierSetting};
pub use gaussians::{Gaussians, GaussiansSetting};
pub use histogram::{CellSetting, HistogramDensity};
pub use kernel::{Kernel, KernelShape};
pub use kernel_density::{DensityKernel, KernelDensity};
pub use knn::Knn;
pub use lasso::Lasso;
pub use linear::{GradientSteps, Linear, LinearSetting};
pub use local::Local;
pub use logistic::{Logistic, LogisticSetting};
pub use mixture::{MixtureDensity, MixtureSetting};
pub use naive_bayes::{CountLaw, NaiveBayes};
pub use network::{Activation, Network, NetworkSetting, Optimiser};
pub use polynomial::{Basis, Polynomial, PolynomialSetting};
pub use registry::{DATA_AXES, LEARNER_KEYS, Registry, RegistryError};
pub use spline::{Spline, SplineSetting};
pub use subset::{Search, Subset};
pub(crate) use tree::{ColumnSplit, FeatureOrder, SortedColumns, between, child_key};
pub use tree::{Criterion, Tree, TreeSetting};

use serde::{Deserialize, Serialize};

use crate::data::{Points, Training};
use crate::interrupt::{Interrupt, Interrupted};
use crate::maths::{exp, log2, square};
use crate::problem::{Labels, Problem};
use crate::stream::Stream;

/// A model family with a list of settings, its capacity path.
///
/// A learner may keep whatever memory it likes between calls, so that the inner loop does not
/// allocate; the engine gives each worker a copy of its own.
pub trait Learner: Replicate + Send + Sync {
    /// How many settings the path has.
    fn capacities(&self) -> usize;

    /// Fits every setting to `data`. All randomness comes from `stream`, which depends on the
    /// resample alone: the same bootstrap is drawn whatever else is in the experiment. A fit that may
    /// take more than a few milliseconds checks `interrupt` as it goes.
    ///
    /// # Errors
    ///
    /// If it was interrupted. The learner then holds no fit, and can be fitted again.
    fn try_fit(
        &mut self,
        data: &Training,
        stream: &Stream,
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted>;

    /// Predicts with every setting: `out[c * points.len() + j]` is that of setting c at point j.
    ///
    /// A classifier of K classes, whose labels are 0, 1, …, K - 1, gives the probability of every
    /// class: `out[(c * points.len() + j) * K + k]` is that of class k. They are not negative and
    /// sum to 1, unless it [`Learner::predicts_scores`].
    ///
    /// # Errors
    ///
    /// If it was interrupted. Part of `out` is then not filled in.
    fn try_predict(
        &mut self,
        points: &Points,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted>;

    /// Predicts at the inputs of `data`, the training set that it was fitted to last. Many learners
    /// know these fitted values from the fit.
    ///
    /// # Errors
    ///
    /// As [`Learner::try_predict`].
    fn try_predict_training(
        &mut self,
        data: &Training,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        self.try_predict(&data.inputs, out, interrupt)
    }

    /// [`Learner::try_fit`] without interruption.
    fn fit(&mut self, data: &Training, stream: &Stream) {
        let fitted = self.try_fit(data, stream, &Interrupt::never());
        fitted.expect(UNINTERRUPTED);
    }

    /// [`Learner::try_predict`] without interruption.
    fn predict(&mut self, points: &Points, out: &mut [f64]) {
        let predicted = self.try_predict(points, out, &Interrupt::never());
        predicted.expect(UNINTERRUPTED);
    }

    /// [`Learner::try_predict_training`] without interruption.
    fn predict_training(&mut self, data: &Training, out: &mut [f64]) {
        let predicted = self.try_predict_training(data, out, &Interrupt::never());
        predicted.expect(UNINTERRUPTED);
    }

    /// Of a classifier: whether its predictions are scores, of which the largest is the class, instead of
    /// probabilities, as those of least squares on one-hot labels. They have a squared and a zero-one
    /// loss, but no cross-entropy.
    fn predicts_scores(&self) -> bool {
        false
    }

    /// Whether every prediction is a weighted sum of the labels, with weights that depend on the
    /// inputs alone. Then bias and variance on fixed inputs are known exactly.
    fn is_linear(&self) -> bool {
        false
    }

    /// Whether every prediction is a weighted sum of the labels, with weights that depend on the
    /// inputs and on the learner's own draws alone, such as random features.
    fn is_smoother(&self) -> bool {
        self.is_linear()
    }

    /// For a smoother: the leverages in the data that it was fitted to last. The leverage of a pair is
    /// the weight of its label in the prediction at its own input; `out[c * data.len() + i]` is that of
    /// pair i with setting c. Their sum over the pairs is the setting's degrees of freedom. Returns
    /// whether it wrote them; if not, they are found by fits to unit vectors.
    ///
    /// # Errors
    ///
    /// If it was interrupted.
    fn try_leverages(
        &mut self,
        data: &Training,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<bool, Interrupted> {
        let _ = (data, out, interrupt);
        Ok(false)
    }

    /// Whether the residual at a pair that is left out of the fit is e/(1 - h), with e its residual
    /// and h its leverage in the fit to all pairs, wherever h is below 1.
    fn residuals_leave_one_out(&self) -> bool {
        false
    }

    /// Predicts at every input of `data`, the training set that it was fitted to last, from all other
    /// pairs; written as by [`Learner::try_predict_training`]. Returns whether it wrote them: a
    /// learner does so only where they equal those of a fit without the pair.
    ///
    /// # Errors
    ///
    /// If it was interrupted.
    fn try_leave_one_out(
        &mut self,
        data: &Training,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<bool, Interrupted> {
        let _ = (data, out, interrupt);
        Ok(false)
    }

    /// For a learner that predicts the mean of members which differ by chance alone: how many
    /// members every setting has. Their correlation then gives the variance for any other number.
    fn members(&self) -> Option<Vec<usize>> {
        None
    }

    /// For an ensemble that combines members of equal standing: calls `visit` with every setting,
    /// each of its members in turn, and what that member predicts at all points, as
    /// [`Learner::predict`] would for one setting. Returns whether it is such an ensemble.
    ///
    /// # Errors
    ///
    /// If it was interrupted.
    fn predict_members(
        &mut self,
        points: &Points,
        interrupt: &Interrupt,
        visit: &mut dyn FnMut(usize, usize, &[f64]),
    ) -> Result<bool, Interrupted> {
        let _ = (points, interrupt, visit);
        Ok(false)
    }

    /// For problems where they are known although the inputs are drawn anew: the exact bias² and
    /// variance of every setting, averaged over the inputs' distribution.
    fn expected(&self, problem: &Problem) -> Option<Vec<Expected>> {
        let _ = problem;
        None
    }

    /// What theory says of the moments of every setting's risk over training sets, for problems where a
    /// mean or its error bar does not exist; `None` where nothing is known.
    fn moments(&self, problem: &Problem) -> Option<Vec<RiskMoments>> {
        let _ = problem;
        None
    }

    /// By setting, a lower bound on the part of the variance that the noise in the labels causes; NaN for
    /// a setting without one, `None` where no setting has one.
    ///
    /// For weights of minimum norm on features that have full rank with probability 1, at independent
    /// inputs, and test inputs of the same distribution: σ² n/(p + 1 - n) for p ≥ n, σ² p/(n + 1 - p) for
    /// p ≤ n, where σ² is the least variance of the noise (Holzmüller, *On the universality of the double
    /// descent peak in ridgeless regression*, 2021; Mourtada 2022).
    fn label_noise_bound(&self, problem: &Problem) -> Option<Vec<f64>> {
        let _ = problem;
        None
    }

    /// For a learner that estimates the density of the inputs and not labels: what is known of it as
    /// such.
    fn as_density(&self) -> Option<&dyn DensityEstimator> {
        None
    }

    /// About how many operations a fit and its predictions take, as a rough measure of their time.
    fn operations(&self, size: Size) -> f64 {
        self.capacities() as f64 * size.predictions() * size.outputs
    }

    /// About how many numbers it holds between a fit and the next, as a rough measure of memory.
    fn numbers_held(&self, size: Size) -> f64 {
        size.train * (size.dimension + 2.0)
    }

    /// By setting, a remark on its fit to the last training set; `None` for a learner that never has
    /// one.
    fn remarks(&self) -> Option<Vec<Option<Remark>>> {
        None
    }

    /// Why a setting could not be fitted to the last training set, where the learner knows: its
    /// predictions are then not numbers, and the run ends with this reason.
    fn refusal(&self, setting: usize) -> Option<&str> {
        let _ = setting;
        None
    }

    /// Whether it solves for weights, and can be asked to [`Learner::diagnose`] that.
    fn solves(&self) -> bool {
        false
    }

    /// The same for training sets of a problem.
    fn solves_for(&self, problem: &Problem) -> bool {
        let _ = problem;
        self.solves()
    }

    /// By setting: rank, condition and length of the weights, for the data that it was fitted to last;
    /// `None` for a learner that does not solve for weights.
    ///
    /// # Errors
    ///
    /// If it was interrupted.
    fn diagnose(
        &mut self,
        data: &Training,
        interrupt: &Interrupt,
    ) -> Result<Option<Vec<Diagnosis>>, Interrupted> {
        let _ = (data, interrupt);
        Ok(None)
    }
}

const UNINTERRUPTED: &str = "nothing interrupts it";

/// The size of a fit and its predictions, for [`Learner::operations`] and [`Learner::numbers_held`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// The number of training points.
    pub train: f64,
    /// The number of coordinates of an input.
    pub dimension: f64,
    /// The number of test points.
    pub points: f64,
    /// The numbers of one prediction: as many as there are classes.
    pub outputs: f64,
    /// Whether the members of ensembles predict one by one.
    pub members: bool,
}

impl Size {
    /// For training sets of a problem and this many test points, without members.
    pub fn of(problem: &Problem, points: usize) -> Self {
        Size {
            train: problem.train as f64,
            dimension: problem.dimension as f64,
            points: points as f64,
            outputs: problem.outputs() as f64,
            members: false,
        }
    }

    /// How many inputs are predicted at: the test points and the training points.
    pub fn predictions(self) -> f64 {
        self.train + self.points
    }

    /// The growing of a tree: every coordinate is sorted, and looked through at every level; and in
    /// every node classes are counted.
    fn tree(self) -> f64 {
        let look = 10.0 * log2(self.train.max(2.0)) + 2.0 * self.outputs;
        self.dimension * self.train * look
    }

    /// A singular value decomposition of a design matrix with this many columns.
    fn solve(self, columns: f64) -> f64 {
        20.0 * self.train * columns * columns.min(self.train)
    }
}

/// Exact bias² and variance, averaged over the inputs' distribution.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Expected {
    /// Bias².
    pub bias2: f64,
    /// Variance; infinite where it does not exist.
    pub variance: f64,
}

/// What theory says of the moments of a fit's risk over training sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RiskMoments {
    /// Mean and variance are not known to be infinite.
    #[default]
    Enough,
    /// The mean exists, the variance is infinite.
    NoSpread,
    /// The mean is infinite.
    NoMean,
}

/// How well determined the weights of a fit are.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct Diagnosis {
    /// The numerical rank of the design matrix Φ: singular values above max(n, p) ε s_max.
    pub rank: f64,
    /// Its condition number, the largest over the smallest of its min(n, p) singular values, or of
    /// min(n - 1, p) where the means of the columns are taken off; infinite where one is zero.
    pub condition: f64,
    /// ‖w‖, the length of the weights.
    pub weight_norm: f64,
}

/// Something about a fit that its user should know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum Remark {
    /// Gradient descent diverged: a step is more than twice the inverse of the largest curvature.
    Diverged,
    /// The features are so nearly dependent that the fit of minimum norm leaves directions out.
    LostRank,
    /// The classes of the training set are separable, and no penalty was asked for: without the small
    /// one that was used instead, the weights would be infinite.
    Separated,
}

/// Copies a learner behind the trait; implemented for every learner that is [`Clone`].
pub trait Replicate {
    /// A copy of its own.
    fn replicate(&self) -> Box<dyn Learner>;
}

impl<T: Learner + Clone + 'static> Replicate for T {
    fn replicate(&self) -> Box<dyn Learner> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Learner> {
    fn clone(&self) -> Self {
        (**self).replicate()
    }
}

/// The lower bound of [`Learner::label_noise_bound`] by setting, from p, or `None` for settings without
/// one.
fn label_noise_bound(
    problem: &Problem,
    counts: impl Iterator<Item = Option<usize>>,
) -> Option<Vec<f64>> {
    let Labels::Numbers { noise, .. } = &problem.labels else {
        return None;
    };
    if problem.fixed || !noise.sd.is_constant() {
        return None;
    }
    let (noise, n) = (square(noise.sd.at(&[])), problem.train as f64);
    let bound = |p: usize| noise * n.min(p as f64) / (1.0 + (n - p as f64).abs());
    let bounds: Vec<f64> = counts.map(|p| p.map_or(f64::NAN, bound)).collect();
    bounds.iter().any(|bound| !bound.is_nan()).then_some(bounds)
}

/// About how many operations a singular value decomposition takes.
fn solving(rows: usize, columns: usize) -> usize {
    20 * rows * columns * rows.min(columns)
}

/// Room for `length` numbers, kept between calls.
fn room(buffer: &mut Vec<f64>, length: usize) -> &mut [f64] {
    if buffer.len() < length {
        buffer.resize(length, 0.0);
    }
    &mut buffer[..length]
}

/// Probabilities e^z_k / Σ_j e^z_j from scores z; 0 for a score of -∞, 1 for one of ∞.
fn softmax(scores: &[f64], out: &mut [f64]) {
    let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut total = 0.0;
    for (out, score) in out.iter_mut().zip(scores) {
        *out = if *score == top { 1.0 } else { exp(score - top) };
        total += *out;
    }
    out.iter_mut().for_each(|share| *share /= total);
}

/// The class that a label stands for.
fn class_label(label: f64) -> usize {
    label as usize
}
