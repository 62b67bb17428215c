//! Logistic regression on polynomials of the inputs, for two classes and for many.

mod features;
mod newton;

use super::family::{Blueprint, Family, LabelKind};
use super::{Learner, Remark, Size, room, softmax};
use crate::data::{Points, Training};
use crate::interrupt::{Interrupt, Interrupted};
use crate::lanes::combine;
use crate::parameter::Parameter;
use crate::stream::Stream;
use features::PolynomialFeatures;
use newton::Newton;

pub(super) const FAMILY: Family = Family::new(
    "logistic",
    "logistic regression on polynomials of the inputs, with a ridge",
    build,
)
.parameters(&[
    Parameter::whole("degree", "degree of the polynomials")
        .up_to(9.0)
        .default(1.0),
    Parameter::number(
        "lambda",
        "penalty on the squared weights, against the sum of the losses",
    )
    .symbol("λ")
    .default(0.0)
    .usual(1e-4, 100.0),
])
.labels(LabelKind::Classes)
.one_fit("every λ and degree, one Newton iteration after the other");

fn build(blueprint: Blueprint) -> Box<dyn Learner> {
    let settings = blueprint.settings().map(|setting| LogisticSetting {
        degree: setting.whole("degree"),
        lambda: setting.number("lambda"),
    });
    let settings = settings.collect();
    Box::new(Logistic::new(settings, blueprint.classes, blueprint.range))
}

/// One setting of [`Logistic`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogisticSetting {
    /// The degree of the polynomials.
    pub degree: usize,
    /// The penalty λ on the squared weights.
    pub lambda: f64,
}

/// Multinomial logistic regression: p_k(x) ∝ exp(c_k + w_k·φ(x)), where constants and weights
/// minimise Σ_i -ln p_{y_i}(x_i) + λ Σ_k ‖w_k‖².
///
/// The features φ are all products P_a(t_1) P_b(t_2) ⋯ of Legendre polynomials with a + b + ⋯ from 1
/// to `degree`, where t is x mapped from the inputs' range (mean ± 3 sd for normal inputs) to
/// \[-1, 1\] in every coordinate: they span the polynomials of that degree, and the penalty lives on
/// their weights. The constants c_k are not penalised. Degree 0 predicts the classes' shares.
///
/// Two classes have one weight vector w, p_1(x) = 1/(1 + exp(-c - w·φ(x))), with the penalty λ ‖w‖²:
/// that of the general form with 2λ, whose w_1 = -w_0 is half of w.
///
/// | number | meaning | range | default |
/// |---|---|---|---|
/// | `degree` | degree of the polynomials | 0 to 9 | 1 |
/// | `lambda` | λ, against the *sum* of the losses | from 0 | 0 |
///
/// A λ below 10⁻¹⁰ n is replaced by 10⁻¹⁰ n, and the run reports in how many training sets this
/// mattered because the classes were separable. It is far below what the data determine, but without it
/// separable classes would have infinite weights, and more features than points would leave the weights
/// undetermined. A class that is missing from the training set has probability 0 and is left out of the
/// fit.
///
/// **Cost**: Newton's method with a line search, from the classes' shares on, until a step promises
/// less than 10⁻¹⁰ of the objective, and at most 200 steps: some six where the classes overlap, up to
/// thirty where they do not. A step is O(n q² + q³) with q = (K - 1)(d + `degree` over d)
/// parameters. Every setting is fitted on its own, because a start from another's weights would change
/// the last digits; the features are shared. With more than 4000 parameters the predictions are NaN,
/// which the engine reports.
///
/// **Reference**: Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning* (2009),
/// section 4.4; Böhning, *Multinomial logistic regression algorithm*, Annals of the Institute of
/// Statistical Mathematics 44 (1992).
///
/// ```
/// use bvlab_core::learner::{Learner, Logistic, LogisticSetting};
/// use bvlab_core::data::{Points, Training};
/// use bvlab_core::stream::{Purpose, Stream};
///
/// let data = Training {
///     inputs: Points::new(1, vec![0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]),
///     labels: vec![0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0],
/// };
/// let path = [0, 1].map(|degree| LogisticSetting { degree, lambda: 0.0 });
/// let mut logistic = Logistic::new(path.to_vec(), 2, (0.0, 1.0));
/// logistic.fit(&data, &Stream::new(1, Purpose::Algorithm, 0));
/// let mut out = [0.0; 4];
/// logistic.predict(&Points::new(1, vec![1.0]), &mut out);
/// assert!((out[1] - 4.0 / 7.0).abs() < 1e-9); // the share of class 1
/// assert!((out[3] - 3.0 / 4.0).abs() < 1e-6); // and its share where x = 1
/// ```
#[derive(Clone, Debug)]
pub struct Logistic {
    settings: Vec<LogisticSetting>,
    classes: usize,
    range: (f64, f64),
    features: PolynomialFeatures,
    newton: Newton,
    /// The classes that the training set had.
    present: Vec<usize>,
    /// By setting: the weights of every class present but the first, less those of the first.
    weights: Vec<Vec<f64>>,
    /// By setting: whether the fit separates the classes, so that only the least penalty keeps its
    /// weights finite.
    separated: Vec<bool>,
    scores: Vec<f64>,
    row: Vec<f64>,
}

/// The least λ, for every training point.
const LEAST_PENALTY: f64 = 1e-10;

/// The most parameters: their Hessian takes 128 MB.
const MOST: f64 = 4000.0;

impl Logistic {
    /// A path over `settings`, in any order, for this many classes and for inputs of that range.
    pub fn new(settings: Vec<LogisticSetting>, classes: usize, range: (f64, f64)) -> Self {
        Logistic {
            weights: vec![Vec::new(); settings.len()],
            separated: vec![false; settings.len()],
            settings,
            classes,
            range,
            features: PolynomialFeatures::default(),
            newton: Newton::default(),
            present: Vec::new(),
            scores: Vec::new(),
            row: Vec::new(),
        }
    }

    /// The features of the largest degree at some points.
    fn fill(&mut self, points: &Points) {
        let dimension = points.dimension() as f64;
        let allowed = |degree: &usize| parameters(self.classes, dimension, *degree) <= MOST;
        let degrees = self.settings.iter().map(|setting| setting.degree);
        let degree = degrees.filter(allowed).max().unwrap_or(0);
        self.features.fill(points, degree, self.range);
    }
}

impl Learner for Logistic {
    fn capacities(&self) -> usize {
        self.settings.len()
    }

    fn try_fit(
        &mut self,
        data: &Training,
        _: &Stream,
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        self.fill(&data.inputs);
        self.newton.load(&data.labels, &mut self.present);
        // In the form of the present classes, less the first, two classes would have half of it.
        let factor = if self.classes == 2 { 2.0 } else { 1.0 };
        let least = LEAST_PENALTY * data.len() as f64;
        let found = self.weights.iter_mut().zip(&mut self.separated);
        for (setting, (weights, separated)) in self.settings.iter().zip(found) {
            weights.clear();
            *separated = false;
            if let Some(columns) = self.features.up_to(setting.degree) {
                let lambda = setting.lambda.max(least);
                self.newton
                    .fit(columns, factor * lambda, weights, interrupt)?;
                *separated = setting.lambda < least && self.newton.separates();
            }
        }
        Ok(())
    }

    fn remarks(&self) -> Option<Vec<Option<Remark>>> {
        let remark = |separated: &bool| separated.then_some(Remark::Separated);
        Some(self.separated.iter().map(remark).collect())
    }

    fn try_predict(
        &mut self,
        points: &Points,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        self.fill(points);
        let (count, classes) = (points.len(), self.classes);
        let vectors = self.present.len().saturating_sub(1);
        let scores = room(&mut self.scores, vectors * count);
        self.row.resize(classes, 0.0);
        for (c, (setting, weights)) in self.settings.iter().zip(&self.weights).enumerate() {
            let out = &mut out[c * count * classes..][..count * classes];
            let Some(columns) = self.features.up_to(setting.degree) else {
                out.fill(f64::NAN);
                continue;
            };
            let each = weights.len() / vectors.max(1);
            interrupt.check(weights.len() * count)?;
            for (k, scores) in scores.chunks_exact_mut(count).enumerate() {
                combine(scores, 0.0, columns, &weights[k * each..][..each]);
            }
            for (j, out) in out.chunks_exact_mut(classes).enumerate() {
                self.row.fill(f64::NEG_INFINITY);
                for (place, &k) in self.present.iter().enumerate() {
                    self.row[k] = match place {
                        0 => 0.0,
                        _ => scores[(place - 1) * count + j],
                    };
                }
                softmax(&self.row, out);
            }
        }
        Ok(())
    }

    fn operations(&self, size: Size) -> f64 {
        let each = |setting: &LogisticSetting| {
            let all = parameters(self.classes, size.dimension, setting.degree);
            let step = all * all * (size.train + all / 3.0);
            12.0 * step + all * size.predictions()
        };
        self.settings.iter().map(each).sum()
    }

    fn numbers_held(&self, size: Size) -> f64 {
        let degrees = self.settings.iter().map(|setting| setting.degree);
        let all = degrees.map(|degree| parameters(self.classes, size.dimension, degree));
        let all = all.fold(0.0, f64::max).min(MOST);
        // The Hessian; features at all points, and twice at those of the training set; scores,
        // shares and the like.
        let features = all / (self.classes as f64 - 1.0).max(1.0);
        all * (all + self.settings.len() as f64)
            + size.predictions() * (2.0 * features + 6.0 * size.outputs)
    }
}

/// K - 1 for each of the d + degree over d polynomials of d variables.
fn parameters(classes: usize, dimension: f64, degree: usize) -> f64 {
    let factors = (1..=degree).map(|i| (dimension + i as f64) / i as f64);
    (classes as f64 - 1.0) * factors.product::<f64>()
}
