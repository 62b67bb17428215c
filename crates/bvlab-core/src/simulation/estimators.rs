//! Bias and variance of two estimators as the number of points grows.

use super::{Moments, PanelStyle, Row, Simulate, Simulation, SimulationPanel, most};
use crate::decompose::Estimate;
use crate::interrupt::{Interrupt, Interrupted};
use crate::maths::{normal, power, square};
use crate::parameter::Parameter;
use crate::plan::Scale;
use crate::stream::{Purpose, Stream};

pub(super) const SIMULATION: Simulation = Simulation {
    name: "estimators",
    meaning: "bias and variance of the sample mean and of the maximum-likelihood variance (divisor N) of Gaussian data",
    resamples: "data sets",
    theory: "exact",
    identity: false,
    parameters: &[
        Parameter::number("sigma", "standard deviation of the data")
            .above(0.0)
            .up_to(1e6)
            .default(1.0)
            .usual(0.2, 5.0),
        Parameter::whole("sizes", "numbers N of points")
            .least(2.0)
            .up_to(10_000.0)
            .list(100, &[2.0, 3.0, 5.0, 8.0, 12.0, 20.0, 35.0, 60.0, 100.0]),
    ],
    build: |setup| {
        Box::new(Estimators {
            sigma: setup.number("sigma"),
            sizes: setup.counts("sizes"),
        })
    },
};

/// A resample is a data set x_1 … x_N of independent N(0, σ²), whose beginnings are the smaller
/// data sets. Observed, for every N: how far the estimators are from what they estimate,
///
/// - the sample mean x̄ = Σ x_i / N: bias 0, variance σ²/N,
/// - the variance Σ (x_i − x̄)² / N: bias −σ²/N, variance 2σ⁴(N−1)/N².
struct Estimators {
    sigma: f64,
    sizes: Vec<usize>,
}

const MEAN: &str = "sample mean";
const VARIANCE: &str = "1/N variance";

impl Simulate for Estimators {
    fn panels(&self) -> Vec<SimulationPanel> {
        let panel = |name: &str, y: &str, y_scale| SimulationPanel {
            name: name.to_owned(),
            title: name.to_owned(),
            x: "N (number of points)".to_owned(),
            y: y.to_owned(),
            x_scale: Scale::Log,
            y_scale,
            look: PanelStyle::Curves,
            levels: Vec::new(),
        };
        vec![
            panel("bias", "mean estimate − truth", Scale::Linear),
            panel("variance", "variance of the estimate", Scale::Log),
        ]
    }

    fn observations(&self) -> usize {
        2 * self.sizes.len()
    }

    fn observe(
        &mut self,
        seed: u64,
        resample: u64,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let mut stream = Stream::new(seed, Purpose::Inputs, resample);
        let (mut mean, mut squares, mut drawn) = (0.0, 0.0, 0);
        // Sizes rise: each data set goes on where the one before ended.
        for (&size, out) in self.sizes.iter().zip(out.chunks_exact_mut(2)) {
            while drawn < size {
                let x = self.sigma * normal(&mut stream);
                drawn += 1;
                let away = x - mean;
                mean += away / drawn as f64;
                squares += away * (x - mean);
            }
            out[0] = mean;
            out[1] = squares / size as f64 - square(self.sigma);
            interrupt.check(20 * size)?;
        }
        Ok(())
    }

    fn operations(&self) -> f64 {
        20.0 * most(&self.sizes) as f64
    }

    fn rows(&self, seen: &[Moments]) -> Vec<Row> {
        let variance = square(self.sigma);
        let mut rows = Vec::new();
        for (panel, which) in [("bias", 0), ("variance", 1)] {
            for (series, offset) in [(MEAN, 0), (VARIANCE, 1)] {
                for (i, &size) in self.sizes.iter().enumerate() {
                    let n = size as f64;
                    // Mean, variance and fourth cumulant of a normal, and of σ² χ²/N.
                    let [bias, spread, fourth] = match offset {
                        0 => [0.0, variance / n, 0.0],
                        _ => [
                            -variance / n,
                            2.0 * square(variance) * (n - 1.0) / (n * n),
                            48.0 * (n - 1.0) * power(variance / n, 4),
                        ],
                    };
                    let moments = &seen[2 * i + offset];
                    let count = moments.count();
                    let (estimate, theory): (Estimate, [f64; 2]) = match which {
                        0 => (moments.mean(), [bias, (spread / count).sqrt()]),
                        _ => {
                            let of_variance = fourth + 2.0 * square(spread) * count / (count - 1.0);
                            (moments.variance(), [spread, (of_variance / count).sqrt()])
                        }
                    };
                    rows.push(Row::new(panel, series, n, estimate).theory(theory[0], theory[1]));
                }
            }
        }
        rows
    }
}
