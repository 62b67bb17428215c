//! Bias and variance of the estimated parameters of a mixture.

use super::em_steps::curves;
use super::{Moments, Row, Simulate, Simulation, SimulationPanel, most};
use crate::data::Points;
use crate::eigen::diagonalise;
use crate::interrupt::{Interrupt, Interrupted};
use crate::maths::exp;
use crate::mixture_model::{Em, EmSettings, GaussianMixture, MixtureComponent};
use crate::parameter::Parameter;
use crate::plan::Scale;
use crate::stream::{Purpose, Stream};

pub(super) const SIMULATION: Simulation = Simulation {
    name: "mixture-estimates",
    meaning: "bias and variance of the maximum-likelihood estimates of a mixture's weight, mean and standard deviation",
    resamples: "data sets",
    theory: "the Cramér–Rao bound",
    identity: false,
    parameters: &[
        Parameter::number(
            "separation",
            "distance of the two means, in standard deviations",
        )
        .least(1.0)
        .up_to(20.0)
        .default(3.0)
        .usual(1.5, 8.0),
        Parameter::number("weight", "weight of the first component")
            .least(0.1)
            .up_to(0.9)
            .default(0.4),
        Parameter::whole("sizes", "numbers n of points")
            .least(10.0)
            .up_to(10_000.0)
            .list(12, &[25.0, 50.0, 100.0, 200.0, 400.0, 800.0]),
    ],
    build: |setup| {
        let half = setup.number("separation") / 2.0;
        let weight = setup.number("weight");
        let part = |weight: f64, mean: f64| MixtureComponent::new(weight, vec![mean], &[1.0], 0.0);
        Box::new(MixtureEstimates {
            truth: GaussianMixture {
                components: vec![part(weight, -half), part(1.0 - weight, half)],
            },
            sizes: setup.counts("sizes"),
        })
    },
};

/// A resample is a data set from πN(−d/2, 1) + (1 − π)N(d/2, 1), whose beginnings are the smaller data
/// sets. EM estimates weights, means and variances. Observed, for every n: how far the weight, the mean
/// and the standard deviation of the first component are from the truth, and the squares of these
/// errors around their mean, the variance, beside the Cramér–Rao bound for unbiased estimators.
///
/// The likelihood is the same with the components exchanged. Here EM begins at the true
/// parameters, and of what it finds the component with the smaller mean is the first. No variance
/// is below 10⁻³.
struct MixtureEstimates {
    truth: GaussianMixture,
    sizes: Vec<usize>,
}

const NAMES: [&str; 3] = ["weight", "mean", "standard deviation"];

/// The inverse of the Fisher information of one point on (π, μ₁, μ₂, σ₁, σ₂): its diagonal, without
/// that of the second component. Integrated by the trapezoidal rule.
fn information_bound(truth: &GaussianMixture) -> [f64; 3] {
    const SIZE: usize = 5;
    let [first, second] = [0, 1].map(|k| &truth.components[k]);
    let (low, high) = (first.mean[0] - 9.0, second.mean[0] + 9.0);
    let cells = 4000;
    let step = (high - low) / f64::from(cells);
    let mut information = vec![0.0; SIZE * SIZE];
    for i in 0..=cells {
        let x = low + step * f64::from(i);
        let [a, b] = [first, second].map(|part| {
            let z = x - part.mean[0];
            (z, exp(-z * z / 2.0) / std::f64::consts::TAU.sqrt())
        });
        let density = first.weight * a.1 + second.weight * b.1;
        if density < 1e-300 {
            continue;
        }
        let [r, s] = [first.weight * a.1 / density, second.weight * b.1 / density];
        let score = [
            (a.1 - b.1) / density,
            r * a.0,
            s * b.0,
            r * (a.0 * a.0 - 1.0),
            s * (b.0 * b.0 - 1.0),
        ];
        for (place, sum) in information.iter_mut().enumerate() {
            *sum += step * density * score[place / SIZE] * score[place % SIZE];
        }
    }
    let mut axes = vec![0.0; SIZE * SIZE];
    diagonalise(&mut information, &mut axes, SIZE);
    [0, 1, 3].map(|k| {
        let terms =
            (0..SIZE).map(|j| axes[j * SIZE + k] * axes[j * SIZE + k] / information[j * SIZE + j]);
        terms.sum()
    })
}

impl Simulate for MixtureEstimates {
    fn panels(&self) -> Vec<SimulationPanel> {
        let n = "n (number of points)";
        let bias = curves("bias", "bias", n, "mean estimate − truth");
        let variance = curves("variance", "variance", n, "variance of the estimate");
        vec![
            SimulationPanel {
                x_scale: Scale::Log,
                ..bias
            },
            SimulationPanel {
                x_scale: Scale::Log,
                y_scale: Scale::Log,
                ..variance
            },
        ]
    }

    fn observations(&self) -> usize {
        NAMES.len() * self.sizes.len()
    }

    fn observe(
        &mut self,
        seed: u64,
        resample: u64,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let mut stream = Stream::new(seed, Purpose::Inputs, resample);
        let (all, _) = self.truth.draw(most(&self.sizes), &mut stream);
        let settings = EmSettings {
            floor: 1e-3,
            steps: 2000,
            tolerance: 1e-9,
            ..EmSettings::default()
        };
        let truth = &self.truth.components[0];
        for (&size, out) in self.sizes.iter().zip(out.chunks_exact_mut(NAMES.len())) {
            let data = Points::new(1, all.values()[..size].to_vec());
            let mut em = Em::new(&data, self.truth.clone(), &settings, interrupt)?;
            em.run(interrupt)?;
            let parts = em.mixture().components.iter();
            let first = parts.min_by(|a, b| a.mean[0].total_cmp(&b.mean[0]));
            if let Some(first) = first {
                out[0] = first.weight - truth.weight;
                out[1] = first.mean[0] - truth.mean[0];
                out[2] = first.variances[0].sqrt() - 1.0;
            }
        }
        Ok(())
    }

    fn operations(&self) -> f64 {
        let sum: usize = self.sizes.iter().sum();
        200.0 * 150.0 * sum as f64
    }

    fn rows(&self, seen: &[Moments]) -> Vec<Row> {
        let mut rows = Vec::new();
        let bound = information_bound(&self.truth);
        for panel in ["bias", "variance"] {
            for (k, name) in NAMES.iter().enumerate() {
                for (i, &size) in self.sizes.iter().enumerate() {
                    let seen = &seen[i * NAMES.len() + k];
                    let estimate = match panel {
                        "bias" => seen.mean(),
                        _ => seen.variance(),
                    };
                    rows.push(Row::new(panel, *name, size as f64, estimate));
                }
            }
        }
        for (name, bound) in NAMES.iter().zip(bound) {
            for &size in &self.sizes {
                let n = size as f64;
                rows.push(Row::exact(
                    "variance",
                    format!("{name}: bound"),
                    n,
                    bound / n,
                ));
            }
        }
        rows
    }
}
