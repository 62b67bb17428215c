//! Gaussian classifiers: from the nearest mean to quadratic discriminant analysis.

use super::cholesky::{factorise, forward};
use super::family::{Blueprint, Family, LabelKind};
use super::{Learner, Size, class_label, room, softmax};
use crate::data::{Points, Training};
use crate::interrupt::{Interrupt, Interrupted};
use crate::lanes::squared_distance;
use crate::maths::ln;
use crate::parameter::Parameter;
use crate::stream::Stream;

pub(super) const FAMILY: Family = Family::new(
    "discriminant",
    "a Gaussian for every class: nearest mean, naive Bayes, linear or quadratic discriminant",
    build,
)
.parameters(&[
    Parameter::whole(
        "rung",
        "covariance: 1 shared spherical, 2 shared diagonal, 3 shared full, 4 one full per class",
    )
    .least(1.0)
    .up_to(4.0)
    .default(3.0),
    Parameter::number(
        "shrink",
        "share of the spherical covariance that is mixed in",
    )
    .symbol("γ")
    .up_to(1.0)
    .default(0.0),
])
.labels(LabelKind::Classes)
.one_fit("every covariance structure, from one set of sums");

fn build(blueprint: Blueprint) -> Box<dyn Learner> {
    let settings = blueprint.settings().map(|setting| DiscriminantSetting {
        rung: [
            CovarianceForm::Spherical,
            CovarianceForm::Diagonal,
            CovarianceForm::Full,
            CovarianceForm::Separate,
        ][setting.whole("rung").clamp(1, 4) - 1],
        shrink: setting.number("shrink"),
    });
    Box::new(Discriminant::new(settings.collect(), blueprint.classes))
}

/// The covariances of a [`Discriminant`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CovarianceForm {
    /// σ²I, the same for all classes.
    Spherical,
    /// A diagonal one, the same for all classes.
    Diagonal,
    /// A full one, the same for all classes.
    Full,
    /// A full one for every class.
    Separate,
}

/// One setting of [`Discriminant`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiscriminantSetting {
    /// The covariances.
    pub rung: CovarianceForm,
    /// The share γ of the spherical covariance that is mixed in, from 0 to 1.
    pub shrink: f64,
}

/// Gaussian discriminant analysis: p_k(x) ∝ π_k N(x; μ_k, Σ_k), with the class's share
/// π_k = n_k/n, its mean μ_k and a covariance Σ_k on one of four rungs:
///
/// | `rung` | Σ_k | name | boundaries |
/// |---|---|---|---|
/// | 1 | (tr S/d) I | nearest mean, except for the shares | linear |
/// | 2 | the diagonal of S | naive Bayes with shared variances | linear |
/// | 3 | S | linear discriminant analysis | linear |
/// | 4 | S_k | quadratic discriminant analysis | quadratic |
///
/// where S_k = Σ_{i in k} (x_i - μ_k)(x_i - μ_k)ᵀ/(n_k - 1), and the pooled S has the sums of all
/// classes, divided by n less the number of classes that are present.
///
/// | number | meaning | range | default |
/// |---|---|---|---|
/// | `rung` | the covariances | 1 to 4 | 3 |
/// | `shrink` | γ: Σ becomes (1 - γ) Σ + γ (tr Σ/d) I | 0 to 1 | 0 |
///
/// At γ = 1 rungs 1, 2 and 3 are one, and rung 4 has a sphere of its own for every class.
///
/// Every Σ gets 10⁻¹⁰ of the inputs' own variance, averaged over the coordinates, added to its
/// diagonal, so that it can be inverted. On rung 4 a class takes S where its points determine
/// no S_k: at γ = 0 where there are not more of them than coordinates, otherwise where there is only
/// one. Where every class has one point, S is 0. A class without points has
/// probability 0.
///
/// **Cost** of a whole path: the sums of products, O(n d²), serve every setting; each takes O(d³) to
/// factor its covariance, or K of them, and O(d²) for a prediction.
///
/// **Reference**: Fisher, *The use of multiple measurements in taxonomic problems*, Annals of Eugenics
/// 7 (1936); Friedman, *Regularized discriminant analysis*, Journal of the American Statistical
/// Association 84 (1989), for γ.
///
/// ```
/// use bvlab_core::learner::{Discriminant, DiscriminantSetting, Learner, CovarianceForm};
/// use bvlab_core::data::{Points, Training};
/// use bvlab_core::stream::{Purpose, Stream};
///
/// let data = Training {
///     inputs: Points::new(1, vec![-1.0, 1.0, -4.0, 4.0]),
///     labels: vec![0.0, 0.0, 1.0, 1.0],
/// };
/// let path = [CovarianceForm::Full, CovarianceForm::Separate].map(|rung| DiscriminantSetting { rung, shrink: 0.0 });
/// let mut gaussians = Discriminant::new(path.to_vec(), 2);
/// gaussians.fit(&data, &Stream::new(1, Purpose::Algorithm, 0));
/// let mut out = [0.0; 4];
/// gaussians.predict(&Points::new(1, vec![0.0]), &mut out);
/// assert!((out[0] - 0.5).abs() < 1e-9); // both means are 0
/// assert!((out[2] - 0.8).abs() < 1e-9); // but the sd of class 1 is four times as large
/// ```
#[derive(Clone, Debug)]
pub struct Discriminant {
    settings: Vec<DiscriminantSetting>,
    classes: usize,
    /// The inputs' mean and largest distance from it: the units that everything is in.
    centre: Vec<f64>,
    unit: f64,
    sizes: Vec<usize>,
    /// The means and the sums of products, class by class; these pooled.
    means: Vec<f64>,
    products: Vec<f64>,
    pooled: Vec<f64>,
    covariance: Vec<f64>,
    /// By setting.
    models: Vec<Covariances>,
    row: Vec<f64>,
    whitened: Vec<f64>,
    scores: Vec<f64>,
}

/// A setting's covariances, one or one per class.
#[derive(Clone, Debug, Default)]
struct Covariances {
    /// L of Σ = LLᵀ, row by row.
    factors: Vec<f64>,
    /// L⁻¹μ_k.
    means: Vec<f64>,
    /// ln π_k - ½ ln |Σ_k|; -∞ where there are no points.
    constants: Vec<f64>,
}

/// What is added to a diagonal, against the inputs' variance.
const FLOOR: f64 = 1e-10;

impl Discriminant {
    /// A path over `settings`, in any order, for this many classes.
    pub fn new(settings: Vec<DiscriminantSetting>, classes: usize) -> Self {
        Discriminant {
            models: vec![Covariances::default(); settings.len()],
            settings,
            classes,
            centre: Vec::new(),
            unit: 1.0,
            sizes: Vec::new(),
            means: Vec::new(),
            products: Vec::new(),
            pooled: Vec::new(),
            covariance: Vec::new(),
            row: Vec::new(),
            whitened: Vec::new(),
            scores: Vec::new(),
        }
    }

    /// Counts, means and sums of products of every class; the inputs' variance.
    fn sum_up(&mut self, data: &Training) -> f64 {
        let (dimension, count) = (data.inputs.dimension(), data.len() as f64);
        self.centre.clear();
        let mean = |k: usize| data.inputs.rows().map(|x| x[k] / count).sum::<f64>();
        self.centre.extend((0..dimension).map(mean));
        let far = |x: &[f64]| {
            let apart = x.iter().zip(&self.centre);
            apart.map(|(x, mean)| (x - mean).abs()).fold(0.0, f64::max)
        };
        let unit = data.inputs.rows().map(far).fold(0.0, f64::max);
        self.unit = if unit > 0.0 { unit } else { 1.0 };

        self.sizes.clear();
        self.sizes.resize(self.classes, 0);
        let square = dimension * dimension;
        for (sums, length) in [
            (&mut self.means, self.classes * dimension),
            (&mut self.products, self.classes * square),
            (&mut self.pooled, square),
        ] {
            sums.clear();
            sums.resize(length, 0.0);
        }
        let each = || data.inputs.rows().zip(&data.labels);
        let mut variance = 0.0;
        for (x, label) in each() {
            let class = class_label(*label);
            self.sizes[class] += 1;
            scale(x, &self.centre, self.unit, &mut self.row);
            let means = &mut self.means[class * dimension..][..dimension];
            for (mean, x) in means.iter_mut().zip(&self.row) {
                *mean += x;
                variance += x * x;
            }
        }
        for (class, size) in self.sizes.iter().enumerate() {
            let means = &mut self.means[class * dimension..][..dimension];
            let size = (*size).max(1) as f64;
            means.iter_mut().for_each(|mean| *mean /= size);
        }
        for (x, label) in each() {
            let class = class_label(*label);
            scale(x, &self.centre, self.unit, &mut self.row);
            let means = &self.means[class * dimension..][..dimension];
            self.row
                .iter_mut()
                .zip(means)
                .for_each(|(x, mean)| *x -= mean);
            let products = &mut self.products[class * square..][..square];
            for (i, a) in self.row.iter().enumerate() {
                let sums = &mut products[i * dimension..][..=i];
                for (sum, b) in sums.iter_mut().zip(&self.row) {
                    *sum += a * b;
                }
            }
        }
        for products in self.products.chunks_exact(square) {
            let sums = self.pooled.iter_mut().zip(products);
            sums.for_each(|(sum, product)| *sum += product);
        }
        variance / (count * dimension as f64)
    }
}

/// x less the centre, in units.
fn scale(x: &[f64], centre: &[f64], unit: f64, row: &mut Vec<f64>) {
    row.clear();
    row.extend(x.iter().zip(centre).map(|(x, mean)| (x - mean) / unit));
}

/// The covariance from sums of products, as a rung has it, shrunk and with the floor added; only its
/// lower half.
fn covariance(
    products: &[f64],
    divisor: usize,
    dimension: usize,
    setting: &DiscriminantSetting,
    floor: f64,
    out: &mut [f64],
) {
    let DiscriminantSetting { rung, shrink } = *setting;
    let divisor = divisor.max(1) as f64;
    let variances = (0..dimension).map(|i| products[i * dimension + i] / divisor);
    let sphere = variances.sum::<f64>() / dimension as f64;
    for i in 0..dimension {
        for j in 0..=i {
            let own = match rung {
                CovarianceForm::Spherical if i == j => sphere,
                CovarianceForm::Diagonal if i != j => 0.0,
                CovarianceForm::Spherical => 0.0,
                _ => products[i * dimension + j] / divisor,
            };
            out[i * dimension + j] = (1.0 - shrink) * own;
        }
        out[i * dimension + i] += shrink * sphere + floor;
    }
}

impl Learner for Discriminant {
    fn capacities(&self) -> usize {
        self.settings.len()
    }

    fn try_fit(
        &mut self,
        data: &Training,
        _: &Stream,
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let (dimension, count) = (data.inputs.dimension(), data.len());
        let variance = self.sum_up(data);
        // Without any variance, every distance between points is 0.
        let floor = if variance > 0.0 {
            FLOOR * variance
        } else {
            1.0
        };
        let present = self.sizes.iter().filter(|size| **size > 0).count();
        let square = dimension * dimension;
        for (setting, model) in self.settings.iter().zip(&mut self.models) {
            model.factors.clear();
            model.means.clear();
            model.constants.clear();
            let own = setting.rung == CovarianceForm::Separate;
            let enough = if setting.shrink > 0.0 {
                2
            } else {
                dimension + 1
            };
            let out = room(&mut self.covariance, square);
            let mut log_determinant = 0.0;
            for (class, &size) in self.sizes.iter().enumerate() {
                if own || class == 0 {
                    interrupt.check(dimension * square)?;
                    let (products, divisor) = match own && size >= enough.max(2) {
                        true => (&self.products[class * square..][..square], size - 1),
                        false => (&self.pooled[..], count - present),
                    };
                    covariance(products, divisor, dimension, setting, floor, out);
                    factorise(out, dimension, |_| floor);
                    model.factors.extend_from_slice(out);
                    let roots = (0..dimension).map(|i| out[i * dimension + i]);
                    log_determinant = 2.0 * roots.map(ln).sum::<f64>();
                }
                self.whitened.clear();
                self.whitened
                    .extend_from_slice(&self.means[class * dimension..][..dimension]);
                forward(out, &mut self.whitened);
                model.means.extend_from_slice(&self.whitened);
                let share = size as f64 / count as f64;
                model.constants.push(ln(share) - 0.5 * log_determinant);
            }
        }
        Ok(())
    }

    fn try_predict(
        &mut self,
        points: &Points,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let (dimension, classes) = (points.dimension(), self.classes);
        let square = dimension * dimension;
        for (c, model) in self.models.iter().enumerate() {
            let out = &mut out[c * points.len() * classes..][..points.len() * classes];
            let step = model.factors.len() + classes * dimension;
            for (x, out) in points.rows().zip(out.chunks_exact_mut(classes)) {
                interrupt.check(step)?;
                scale(x, &self.centre, self.unit, &mut self.row);
                self.scores.clear();
                for class in 0..classes {
                    if let Some(factor) = model.factors.chunks_exact(square).nth(class) {
                        self.whitened.clone_from(&self.row);
                        forward(factor, &mut self.whitened);
                    }
                    let mean = &model.means[class * dimension..][..dimension];
                    let distance = squared_distance(&self.whitened, mean);
                    self.scores.push(model.constants[class] - 0.5 * distance);
                }
                softmax(&self.scores, out);
            }
        }
        Ok(())
    }

    fn operations(&self, size: Size) -> f64 {
        let square = size.dimension * size.dimension;
        let each = |setting: &DiscriminantSetting| {
            let covariances = match setting.rung {
                CovarianceForm::Separate => self.classes as f64,
                _ => 1.0,
            };
            let distances = self.classes as f64 * size.dimension;
            covariances * square * (size.dimension + size.predictions())
                + distances * size.predictions()
        };
        size.train * square + self.settings.iter().map(each).sum::<f64>()
    }

    fn numbers_held(&self, size: Size) -> f64 {
        let square = size.dimension * size.dimension;
        (1.0 + self.settings.len() as f64) * self.classes as f64 * (square + size.dimension)
    }
}
