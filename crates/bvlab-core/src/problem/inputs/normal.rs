//! Normal inputs.

use super::{CoordinateRule, InputLaw};
use crate::maths::{exp, normal, square};
use crate::parameter::{NamedValues, Parameter};
use crate::problem::ProblemError;

/// How many standard deviations of a normal input count as its range.
pub const NORMAL_REACH: f64 = 3.0;

/// The probability that a normal input lies further out: P(|z| > 3).
const BEYOND_REACH: f64 = 0.002_699_796_063_260_19;

const PARAMETERS: &[Parameter] = &[
    Parameter::real("mean", "mean").unit("units of x"),
    Parameter::number("sd", "standard deviation")
        .unit("units of x")
        .above(0.0),
];

pub(super) const LAW: InputLaw = InputLaw::between(
    "normal",
    "normal at random",
    "normal",
    CoordinateRule::Random(|values, stream, draws| {
        let (mean, sd) = mean_and_sd(values);
        draws.fill_with(|| mean + sd * normal(stream));
    }),
)
.parameters(PARAMETERS, |values| {
    let (mean, sd) = mean_and_sd(values);
    (mean - NORMAL_REACH * sd, mean + NORMAL_REACH * sd)
})
.density(
    |values, x| {
        let (mean, sd) = mean_and_sd(values);
        exp(-0.5 * square((x - mean) / sd))
    },
    BEYOND_REACH,
)
.check(|values| {
    let (mean, sd) = mean_and_sd(values);
    if sd.is_nan() || sd <= 0.0 {
        return Err(ProblemError::NoSpread(sd));
    }
    // No draw is ever forty standard deviations out; a tiny sd must not be lost in rounding.
    let lost = mean + 1e-6 * sd == mean && mean != 0.0;
    match (mean - 40.0 * sd).is_finite() && (mean + 40.0 * sd).is_finite() && !lost {
        true => Ok(()),
        false => Err(ProblemError::NoRoom { mean, sd }),
    }
});

fn mean_and_sd(values: NamedValues) -> (f64, f64) {
    (values.number("mean"), values.number("sd"))
}
