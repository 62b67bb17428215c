//! Random projections and random ReLU features.

use super::Learner;
use super::family::{Blueprint, Choice, Family, LAMBDA, LabelKind, rate};
use super::fourier::{FeatureKind, Fourier, FourierSetting};
use crate::parameter::Parameter;

/// Regression on random features of inputs with d coordinates: φ_j(x) = √(2/p) max(0, w_j·x + b_j), or
/// projections φ_j(x) = √(1/p) (w_j·x + b_j), with w_j ~ N(0, 1/d) in every coordinate and
/// b_j ~ N(0, bias²). The learner is [`Fourier`] with another [`FeatureKind`]: weights, paths and costs are
/// the same.
///
/// **Reference**: Lin and Dobriban, *What causes the test error? Going beyond bias-variance via ANOVA*,
/// JMLR 22 (2021), for projections; Mei and Montanari, *The generalization error of random features
/// regression*, Communications on Pure and Applied Mathematics 75 (2022), for ReLU.
pub(super) const FAMILY: Family = Family::new(
    "features",
    "regression on random projections of the inputs, or on their positive parts (ReLU)",
    build,
)
.parameters(&[
    Parameter::whole("features", "number of random features")
        .symbol("p")
        .least(1.0)
        .up_to(100_000.0),
    Parameter::number(
        "bias",
        "sd of the constant within every feature; without it, ReLU features of one input have rank 2",
    )
    .up_to(1e12)
    .default(0.0)
    .usual(0.0, 2.0),
    LAMBDA,
    Parameter::whole("epochs", "steps of gradient descent")
        .symbol("t")
        .up_to(1e15)
        .default(f64::INFINITY)
        .usual(10.0, 2000.0),
    rate(
        "step of gradient descent on half the mean squared error",
        1e12,
        0.1,
    ),
])
.choices(&[Choice::new(
    "kind",
    "what a feature is: max(0, w·x + b), or w·x + b",
    &["relu", "projection"],
)])
.labels(LabelKind::Both)
.one_fit("every p from one QR and a growing Gram matrix; every λ and epoch of a p, from one SVD");

fn build(blueprint: Blueprint) -> Box<dyn Learner> {
    let settings = blueprint.settings().map(|setting| FourierSetting {
        features: setting.whole("features"),
        scale: setting.number("bias"),
        lambda: setting.number("lambda"),
        epochs: setting.number("epochs"),
        rate: setting.number("rate"),
    });
    let settings = settings.collect();
    let kinds = [
        ("relu", FeatureKind::Relu),
        ("projection", FeatureKind::Projection),
    ];
    let kind = blueprint.chosen("kind", &kinds);
    Box::new(Fourier::of(kind, settings, blueprint.classes))
}
