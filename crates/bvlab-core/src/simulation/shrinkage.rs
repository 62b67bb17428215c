//! James and Stein's estimator of a mean against the mean itself.

use super::{Moments, PanelStyle, Row, Simulate, Simulation, SimulationPanel};
use crate::interrupt::{Interrupt, Interrupted};
use crate::maths::{exp, fill_normal, square};
use crate::parameter::Parameter;
use crate::plan::Scale;
use crate::stream::{Purpose, Stream};

pub(super) const SIMULATION: Simulation = Simulation {
    name: "shrinkage",
    meaning: "risk of James and Stein's estimator and of the mean over the length of θ",
    resamples: "observations",
    theory: "exact",
    identity: false,
    parameters: &[
        Parameter::whole("dimension", "number d of coordinates of θ")
            .symbol("d")
            .least(3.0)
            .up_to(1000.0)
            .default(10.0)
            .usual(3.0, 100.0),
        Parameter::number("lengths", "lengths ‖θ‖")
            .least(0.0)
            .up_to(50.0)
            .list(
                100,
                &[
                    0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0,
                ],
            ),
    ],
    build: |setup| {
        let dimension = setup.whole("dimension");
        Box::new(Shrinkage {
            dimension,
            lengths: setup.list("lengths").to_vec(),
            noise: vec![0.0; dimension],
        })
    },
};

/// A resample is one observation x = θ + z of a mean θ in d ≥ 3 dimensions, with z standard normal;
/// the same z for every θ. Observed, the squared distances from θ of
///
/// - x itself, the mean of one observation: risk d at every θ,
/// - James and Stein's (1 − (d−2)/‖x‖²) x: risk d − (d−2)² E[1/(d−2+2K)], K Poisson with mean
///   ‖θ‖²/2, below d at every θ, and 2 at θ = 0,
/// - the same with a factor that is never negative.
///
/// **Reference**: James and Stein, *Estimation with quadratic loss*, Fourth Berkeley Symposium (1961).
struct Shrinkage {
    dimension: usize,
    lengths: Vec<f64>,
    noise: Vec<f64>,
}

const SERIES: [&str; 3] = ["mean", "James–Stein", "positive part"];

/// E[1/(d−2+2K)] for K Poisson with this mean: the sum from the most probable K outwards.
fn mean_inverse(dimension: f64, mean: f64) -> f64 {
    let term = |k: f64| 1.0 / (dimension - 2.0 + 2.0 * k);
    if mean < 600.0 {
        let (mut chance, mut sum, mut k) = (exp(-mean), 0.0, 0.0);
        let mut rest = 1.0;
        while rest > 1e-17 && k < mean + 50.0 + 20.0 * mean.sqrt() {
            sum += chance * term(k);
            rest -= chance;
            k += 1.0;
            chance *= mean / k;
        }
        return sum;
    }
    // e^−mean would be 0: probabilities relative to that of the most probable count.
    let mode = mean.floor();
    let (mut weights, mut sum) = (1.0, term(mode));
    let (mut up, mut down) = (1.0, 1.0);
    for step in 1..=(20.0 * mean.sqrt()) as u32 {
        let step = f64::from(step);
        up *= mean / (mode + step);
        down *= (mode - step + 1.0) / mean;
        weights += up + down;
        sum += up * term(mode + step) + down * term((mode - step).max(0.0));
    }
    sum / weights
}

/// The exact risk of James and Stein's estimator.
fn james_stein_risk(dimension: f64, length: f64) -> f64 {
    dimension - square(dimension - 2.0) * mean_inverse(dimension, square(length) / 2.0)
}

impl Simulate for Shrinkage {
    fn panels(&self) -> Vec<SimulationPanel> {
        vec![SimulationPanel {
            name: "risk".to_owned(),
            title: format!("d = {}", self.dimension),
            x: "|θ| (length of the mean)".to_owned(),
            y: "squared error".to_owned(),
            x_scale: Scale::Linear,
            y_scale: Scale::Linear,
            look: PanelStyle::Curves,
            levels: Vec::new(),
        }]
    }

    fn observations(&self) -> usize {
        SERIES.len() * self.lengths.len()
    }

    fn observe(
        &mut self,
        seed: u64,
        resample: u64,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let mut stream = Stream::new(seed, Purpose::Noise, resample);
        fill_normal(&mut stream, &mut self.noise);
        let first = self.noise[0];
        let rest: f64 = self.noise[1..].iter().map(|z| z * z).sum();
        let d = self.dimension as f64;
        for (&length, out) in self.lengths.iter().zip(out.chunks_exact_mut(SERIES.len())) {
            // θ lies along the first axis: risks depend on its length alone.
            let along = length + first;
            let squared = along * along + rest;
            let error = |factor: f64| square(factor * along - length) + factor * factor * rest;
            let factor = 1.0 - (d - 2.0) / squared;
            out.copy_from_slice(&[error(1.0), error(factor), error(factor.max(0.0))]);
        }
        interrupt.check(10 * (self.dimension + self.lengths.len()))
    }

    fn operations(&self) -> f64 {
        10.0 * (self.dimension + self.lengths.len()) as f64
    }

    fn rows(&self, seen: &[Moments]) -> Vec<Row> {
        let d = self.dimension as f64;
        let mut rows = Vec::new();
        for (series, name) in SERIES.into_iter().enumerate() {
            for (i, &length) in self.lengths.iter().enumerate() {
                let moments = &seen[i * SERIES.len() + series];
                let row = Row::new("risk", name, length, moments.mean());
                rows.push(match series {
                    0 => row.theory(d, (2.0 * d / moments.count()).sqrt()),
                    1 => row.theory(james_stein_risk(d, length), 0.0),
                    _ => row,
                });
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exact_risk_is_2_at_zero_and_approaches_d() {
        for d in [3.0, 4.0, 10.0, 500.0] {
            assert!((james_stein_risk(d, 0.0) - 2.0).abs() < 1e-9, "{d}");
            assert!(james_stein_risk(d, 50.0) < d);
            // For long θ the risk is about d − (d−2)²/‖θ‖².
            let far = d - square(d - 2.0) / (2500.0 + d - 2.0);
            assert!((james_stein_risk(d, 50.0) - far).abs() < 0.01 * d, "{d}");
        }
    }

    #[test]
    fn both_ways_to_sum_agree_where_they_meet() {
        let [below, above] = [599.999_999, 600.000_001].map(|mean| mean_inverse(10.0, mean));
        // The means themselves differ by 3e-9 of them.
        assert!((below - above).abs() < 5e-9 * above);
    }
}
