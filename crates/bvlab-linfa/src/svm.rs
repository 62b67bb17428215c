//! linfa-svm: support vector machines, for two classes and for numbers.

use std::sync::Arc;

use bvlab_core::learner::{
    Blueprint, Choice, Family, FromLinfa, LabelKind, Learner, LinfaModel, LinfaTraining, Size,
};
use bvlab_core::parameter::{DataSize, Parameter, UnsuitableData};
use linfa::Dataset;
use linfa::traits::Fit;
use linfa_svm::{Svm, SvmParams};
use ndarray::{Array1, Array2};

/// linfa holds the kernel of all pairs of training points: 200 MB for so many.
const MOST_TRAIN: usize = 5000;

const C: Parameter = Parameter::number("c", "penalty on points beyond the margin")
    .symbol("C")
    .above(0.0)
    .up_to(1e6)
    .default(1.0)
    .usual(1e-2, 100.0);
const WIDTH: Parameter = Parameter::number(
    "width",
    "standard deviation of the Gaussian kernel; without effect for the linear one",
)
.unit("units of x")
.above(0.0)
.default(1.0);
const TOLERANCE: Parameter = Parameter::number("tolerance", "violation of optimality to stop at")
    .least(1e-9)
    .up_to(0.1)
    .default(1e-3);
const KERNEL: Choice = Choice::new(
    "kernel",
    "whether points are compared by exp(-‖x - x′‖²/(2 width²)) or by x·x′",
    &["gaussian", "linear"],
);

/// linfa's C-SVC: the sign of Σ α_i y_i K(x_i, x) - ρ, with the α that minimise
///
///   Σ_ij α_i α_j y_i y_j K(x_i, x_j) / 2 - Σ_i α_i   for   0 ≤ α_i ≤ C,  Σ_i α_i y_i = 0
///
/// by sequential minimal optimisation. It predicts a class, whose probability is 1. Where a training
/// set has one class alone, that class is predicted everywhere.
///
/// **Cost** of a setting: O(n²) memory, and about O(n²) to O(n³) operations, the more the larger C is.
/// A fit cannot be interrupted.
///
/// **Reference**: Cortes and Vapnik, *Support-vector networks* (1995); Fan, Chen and Lin, *Working set
/// selection using second order information for training support vector machines* (2005).
pub(crate) const CLASSIFIER: Family = Family::new(
    "linfa-svm",
    "linfa's support vector machine for two classes",
    |blueprint| build(blueprint, classifier),
)
.parameters(&[C, WIDTH, TOLERANCE])
.choices(&[KERNEL])
.labels(LabelKind::Classes)
.suits(suits);

/// linfa's ε-SVR: Σ β_i K(x_i, x) - ρ, where residuals up to ε cost nothing and others C for every unit
/// beyond.
///
/// **Cost** and **reference**: as for `linfa-svm`, with twice as many variables; Drucker, Burges,
/// Kaufman, Smola and Vapnik, *Support vector regression machines* (1997).
pub(crate) const REGRESSION: Family = Family::new(
    "linfa-svr",
    "linfa's support vector machine for numbers",
    |blueprint| build(blueprint, regression),
)
.parameters(&[
    C,
    Parameter::number("epsilon", "size of residuals that cost nothing")
        .symbol("ε")
        .unit("units of y")
        .above(0.0)
        .default(0.1),
    WIDTH,
    TOLERANCE,
])
.choices(&[KERNEL])
.suits(suits);

fn suits(size: DataSize, classes: usize) -> Result<(), UnsuitableData> {
    if classes > 2 {
        return Err(UnsuitableData {
            message: format!("`linfa-svm` learns two classes, but there are {classes}"),
            help: "use `linfa-tree`, `linfa-bayes` or `linfa-knn`, or a problem with two classes"
                .to_owned(),
        });
    }
    if size.train > MOST_TRAIN {
        let name = if classes > 0 {
            CLASSIFIER.name
        } else {
            REGRESSION.name
        };
        return Err(UnsuitableData {
            message: format!(
                "`{name}` takes at most {MOST_TRAIN} training points, not {}",
                size.train
            ),
            help: "linfa keeps a kernel for every pair of them; use fewer in `train`".to_owned(),
        });
    }
    Ok(())
}

/// One setting.
#[derive(Clone, Copy)]
struct SvmSetting {
    c: f64,
    /// Of regression alone.
    epsilon: f64,
    /// Of the Gaussian kernel; `None` for the linear one.
    width: Option<f64>,
    tolerance: f64,
}

impl SvmSetting {
    /// linfa's parameters, except for `c` and `epsilon`.
    fn parameters<T>(self) -> SvmParams<f64, T> {
        let parameters = Svm::params().eps(self.tolerance);
        match self.width {
            // linfa divides the squared distance by its own parameter.
            Some(width) => parameters.gaussian_kernel(2.0 * width * width),
            None => parameters.linear_kernel(),
        }
    }
}

type Fitting = fn(SvmSetting, &LinfaTraining) -> Result<LinfaModel, String>;

fn build(blueprint: Blueprint, fit: Fitting) -> Box<dyn Learner> {
    let gaussian = blueprint.chosen("kernel", &[("gaussian", true), ("linear", false)]);
    let classes = blueprint.classes;
    let settings = blueprint.settings().map(|setting| SvmSetting {
        c: setting.number("c"),
        epsilon: match classes {
            0 => setting.number("epsilon"),
            _ => 0.0,
        },
        width: gaussian.then(|| setting.number("width")),
        tolerance: setting.number("tolerance"),
    });
    let fits = settings.map(|setting| move |training: &LinfaTraining| fit(setting, training));
    let learner = FromLinfa::by(fits, classes);
    let count = learner.capacities() as f64;
    let pairs = |size: Size| size.train * (size.train + size.points);
    let learner =
        learner.with_operations(move |size: Size| count * pairs(size) * (size.dimension + 100.0));
    Box::new(learner.with_numbers_held(move |size: Size| {
        size.train * size.train + count * size.train * (size.dimension + 1.0)
    }))
}

/// Gradients are sums of n terms of at most C times a kernel. Where their rounding alone can exceed the
/// tolerance linfa may go on for its ten million steps, which nothing can interrupt.
fn check_scale(setting: SvmSetting, inputs: &Array2<f64>) -> Result<(), String> {
    let largest = match setting.width {
        Some(_) => 1.0,
        None => inputs
            .rows()
            .into_iter()
            .map(|row| row.dot(&row))
            .fold(0.0, f64::max),
    };
    let rounding = setting.c * largest * inputs.nrows() as f64 * f64::EPSILON;
    match rounding <= setting.tolerance {
        true => Ok(()),
        false => Err(
            "the inputs are too large for `c` and `tolerance`: linfa-svm would not converge"
                .to_owned(),
        ),
    }
}

fn classifier(setting: SvmSetting, training: &LinfaTraining) -> Result<LinfaModel, String> {
    let labels: Array1<bool> = training.classes().map(|class| class == 1).collect();
    let ones = labels.iter().filter(|label| **label).count();
    if ones == 0 || ones == labels.len() {
        let class = usize::from(ones > 0);
        return Ok(Arc::new(move |_, out| {
            out.fill(0.0);
            out.iter_mut().skip(class).step_by(2).for_each(|p| *p = 1.0);
        }));
    }
    check_scale(setting, &training.inputs)?;
    let parameters = setting.parameters::<bool>();
    let model = parameters
        .pos_neg_weights(setting.c, setting.c)
        .fit(&Dataset::new(training.inputs.clone(), labels))
        .map_err(|error| error.to_string())?;
    converged(&model)?;
    Ok(Arc::new(move |inputs, out| {
        let rows = out.chunks_exact_mut(2);
        for (row, value) in rows.zip(decisions(&model, inputs)) {
            // linfa itself would give class 0 to what is not a number.
            let one = match value.is_nan() {
                true => f64::NAN,
                false => f64::from(u8::from(value >= 0.0)),
            };
            row.copy_from_slice(&[1.0 - one, one]);
        }
    }))
}

fn regression(setting: SvmSetting, training: &LinfaTraining) -> Result<LinfaModel, String> {
    check_scale(setting, &training.inputs)?;
    let labels = Array1::from_vec(training.labels.to_vec());
    let parameters = setting.parameters::<f64>();
    let model = parameters
        .c_svr(setting.c, Some(setting.epsilon))
        .fit(&Dataset::new(training.inputs.clone(), labels))
        .map_err(|error| error.to_string())?;
    converged(&model)?;
    Ok(Arc::new(move |inputs, out| {
        let values = decisions(&model, inputs);
        out.iter_mut()
            .zip(values)
            .for_each(|(out, value)| *out = value);
    }))
}

fn decisions<T>(model: &Svm<f64, T>, inputs: &Array2<f64>) -> impl Iterator<Item = f64> {
    let rows = inputs.rows().into_iter();
    rows.map(|row| model.weighted_sum(&row) - model.rho)
}

/// linfa stops after ten million steps, which it tells in words alone.
fn converged<T>(model: &Svm<f64, T>) -> Result<(), String> {
    match model.to_string().starts_with("Reached maximal iterations") {
        true => Err(
            "linfa-svm did not converge; a smaller `c` or a larger `tolerance` helps".to_owned(),
        ),
        false => Ok(()),
    }
}
