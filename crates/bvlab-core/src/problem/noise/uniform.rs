//! Uniform noise.

use rand::RngExt;

use super::NoiseLaw;

pub(super) const LAW: NoiseLaw = NoiseLaw::new(
    "uniform",
    "uniform",
    "uniform noise, on ±√3 sd",
    |_, stream, draws| {
        draws.fill_with(|| 3.0_f64.sqrt() * (2.0 * stream.random::<f64>() - 1.0));
    },
);
