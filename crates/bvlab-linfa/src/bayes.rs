//! linfa-bayes: Gaussian naive Bayes.

use std::sync::Arc;

use bvlab_core::learner::{
    Blueprint, Family, FromLinfa, LabelKind, Learner, LinfaModel, LinfaTraining, Size,
};
use bvlab_core::parameter::Parameter;
use bvlab_core::probability::{normalise, softmax};
use linfa::Dataset;
use linfa::traits::Fit;
use linfa_bayes::{GaussianNb, NaiveBayes};
use ndarray::{Array1, Array2};

/// linfa's Gaussian naive Bayes: the probability of class k at x is proportional to
///
///   (n_k / n) Π_j N(x_j; m_kj, s²_kj + smoothing · max_j s²_j)
///
/// with the mean and variance (dividing by n_k) of every input in every class, and s²_j the variance of
/// an input over all classes. A class that a training set does not have gets probability 0. Where all
/// inputs of a training set are equal they tell nothing, and the probabilities are the classes' shares.
///
/// linfa's logarithms of these products are used, not its probabilities, which are not numbers far
/// from all classes.
///
/// **Cost** of a setting: O(d n) for the fit, O(K d) for a prediction.
pub(crate) const FAMILY: Family = Family::new(
    "linfa-bayes",
    "linfa's Gaussian naive Bayes: independent normal inputs in every class",
    build,
)
.parameters(&[Parameter::number(
    "smoothing",
    "added to all variances, in units of the largest variance of an input",
)
.above(0.0)
.default(1e-9)
.usual(1e-9, 1.0)])
.labels(LabelKind::Classes);

fn build(blueprint: Blueprint) -> Box<dyn Learner> {
    let classes = blueprint.classes;
    let settings = blueprint
        .settings()
        .map(|setting| setting.number("smoothing"));
    let fits =
        settings.map(|smoothing| move |training: &LinfaTraining| fit(smoothing, classes, training));
    let learner = FromLinfa::by(fits, classes);
    let count = learner.capacities() as f64;
    Box::new(learner.with_operations(move |size: Size| {
        count * size.dimension * (size.train + 4.0 * size.outputs * size.predictions())
    }))
}

fn fit(smoothing: f64, classes: usize, training: &LinfaTraining) -> Result<LinfaModel, String> {
    let labels: Array1<usize> = training.classes().collect();
    if all_rows_equal(&training.inputs) {
        let mut shares = vec![0.0; classes];
        labels.iter().for_each(|class| shares[*class] += 1.0);
        normalise(&mut shares);
        return Ok(Arc::new(move |_, out| {
            for row in out.chunks_exact_mut(classes) {
                row.copy_from_slice(&shares);
            }
        }));
    }
    let model = GaussianNb::params()
        .var_smoothing(smoothing)
        .fit(&Dataset::new(training.inputs.clone(), labels))
        .map_err(|error| error.to_string())?;
    Ok(Arc::new(move |inputs, out| {
        out.fill(f64::NEG_INFINITY);
        for (class, logs) in model.joint_log_likelihood(inputs.view()) {
            for (row, log) in out.chunks_exact_mut(classes).zip(&logs) {
                row[*class] = *log;
            }
        }
        out.chunks_exact_mut(classes).for_each(softmax);
    }))
}

fn all_rows_equal(inputs: &Array2<f64>) -> bool {
    inputs.columns().into_iter().all(|column| {
        let mut values = column.iter();
        let first = values.next();
        values.all(|value| Some(value) == first)
    })
}
