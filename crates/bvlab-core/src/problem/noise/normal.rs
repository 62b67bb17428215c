//! Gaussian noise.

use super::NoiseLaw;
use crate::maths::fill_normal;

pub(super) const LAW: NoiseLaw =
    NoiseLaw::new("normal", "normal", "Gaussian noise", |_, stream, draws| {
        fill_normal(stream, draws);
    });
