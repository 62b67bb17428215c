//! Uniform inputs.

use rand::RngExt;

use super::{CoordinateRule, InputLaw, ends};

pub(super) const LAW: InputLaw = InputLaw::between(
    "uniform",
    "uniform at random",
    "uniform between two ends",
    CoordinateRule::Random(|values, stream, draws| {
        let (from, to) = ends(values);
        draws.fill_with(|| from + (to - from) * stream.random::<f64>());
    }),
);
