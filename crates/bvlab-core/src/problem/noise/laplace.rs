//! Laplace noise.

use super::NoiseLaw;
use crate::maths::fill_laplace;

pub(super) const LAW: NoiseLaw = NoiseLaw::new(
    "laplace",
    "Laplace",
    "Laplace noise, of scale sd/√2",
    |_, stream, draws| fill_laplace(stream, draws),
);
