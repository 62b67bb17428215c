//! linfa-elasticnet: linear models with an L1 and an L2 penalty.

use bvlab_core::learner::{Blueprint, Choice, Family, FromLinfa, Learner, Size};
use bvlab_core::parameter::Parameter;
use linfa_elasticnet::ElasticNet;

/// linfa's elastic net: b + w·x, with w that minimises
///
///   ‖y - b - Xw‖² / (2n) + penalty · (l1-ratio ‖w‖₁ + (1 - l1-ratio) ‖w‖² / 2)
///
/// by coordinate descent. `l1-ratio = 1` is the lasso, 0 ridge regression.
///
/// linfa takes the mean label for the constant b, which is its best value only if the inputs have mean
/// 0: centre them, or use `intercept = false` where none is needed.
///
/// **Cost** of a setting: O(steps · d n), and O(d² n) for the variances that linfa computes.
///
/// **Reference**: Zou and Hastie, *Regularization and variable selection via the elastic net* (2005);
/// Friedman, Hastie and Tibshirani, *Regularization paths for generalized linear models via coordinate
/// descent* (2010).
pub(crate) const FAMILY: Family = Family::new(
    "linfa-elasticnet",
    "linfa's elastic net: a linear model with an L1 and an L2 penalty",
    build,
)
.parameters(&[
    Parameter::number(
        "penalty",
        "penalty on the weights, against half the mean squared residual",
    )
    .symbol("λ")
    .usual(1e-3, 10.0),
    Parameter::number(
        "l1-ratio",
        "share of the L1 penalty: 1 is the lasso, 0 ridge regression",
    )
    .up_to(1.0)
    .default(0.5)
    .usual(0.0, 1.0),
    Parameter::number(
        "tolerance",
        "duality gap to stop at, relative to the labels' sum of squares",
    )
    .above(0.0)
    .up_to(1.0)
    .default(1e-4),
    Parameter::whole("steps", "most passes over all coordinates")
        .least(1.0)
        .up_to(1e6)
        .default(1000.0),
])
.choices(&[Choice::flag(
    "intercept",
    "whether the mean label is the constant; otherwise there is none",
)]);

fn build(blueprint: Blueprint) -> Box<dyn Learner> {
    let intercept = blueprint.flag("intercept");
    let settings = blueprint.settings().map(|setting| {
        ElasticNet::params()
            .penalty(setting.number("penalty"))
            .l1_ratio(setting.number("l1-ratio"))
            .tolerance(setting.number("tolerance"))
            .max_iterations(setting.whole("steps") as u32)
            .with_intercept(intercept)
    });
    let learner = FromLinfa::new(settings);
    let count = learner.capacities() as f64;
    Box::new(learner.with_operations(move |size: Size| {
        // Convergence takes tens of passes rather than all that are allowed.
        count * size.train * size.dimension * (50.0 + size.dimension)
    }))
}
