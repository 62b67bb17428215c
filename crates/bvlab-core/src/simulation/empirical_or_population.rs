//! The empirical risk of a few samples and the population risk, over one parameter.

use rand::RngExt;

use super::{Moments, PanelStyle, Row, Simulate, Simulation, SimulationPanel, most};
use crate::interrupt::{Interrupt, Interrupted};
use crate::parameter::Parameter;
use crate::plan::Scale;
use crate::stream::{Purpose, Stream};

pub(super) const SIMULATION: Simulation = Simulation {
    name: "empirical-or-population",
    meaning: "empirical risk of three samples and population risk of a threshold, and their minima",
    resamples: "samples",
    theory: "exact",
    identity: false,
    parameters: &[
        Parameter::number("noise", "chance that a label is not its class")
            .least(0.0)
            .up_to(0.49)
            .default(0.2)
            .usual(0.0, 0.45),
        Parameter::whole("train", "number n of points of the three samples")
            .symbol("n")
            .least(1.0)
            .up_to(1000.0)
            .default(30.0)
            .usual(5.0, 300.0),
        Parameter::whole("sizes", "numbers n of points")
            .least(1.0)
            .up_to(10_000.0)
            .list(30, &[5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0]),
    ],
    build: |setup| {
        Box::new(EmpiricalOrPopulation {
            noise: setup.number("noise"),
            train: setup.whole("train"),
            sizes: setup.counts("sizes"),
            seed: setup.seed,
            points: Vec::new(),
        })
    },
};

/// Inputs are uniform on [0, 1], the class is 1 above ½, and a label differs from its class with
/// probability η. A threshold t predicts 1 above t: its population risk is η + (1−2η)|t − ½|, its
/// empirical risk on n points a step function. Observed, for every n: the least empirical risk, and
/// the population risk of the threshold that has it. On average the first is too low and the second
/// too high, and both approach η.
///
/// Of several thresholds with the least empirical risk, the middle of the longest interval of such
/// thresholds is taken.
struct EmpiricalOrPopulation {
    noise: f64,
    train: usize,
    sizes: Vec<usize>,
    seed: u64,
    /// Inputs and labels, by input.
    points: Vec<(f64, bool)>,
}

const SAMPLES: u64 = 3;
const PLACES: usize = 401;
const POPULATION: &str = "population risk";

impl EmpiricalOrPopulation {
    fn draw(&mut self, seed: u64, resample: u64, size: usize) {
        let [mut inputs, mut noise] =
            [Purpose::Inputs, Purpose::Noise].map(|purpose| Stream::new(seed, purpose, resample));
        self.points.clear();
        for _ in 0..size {
            let x: f64 = inputs.random();
            let flipped = noise.random::<f64>() < self.noise;
            self.points.push((x, (x > 0.5) != flipped));
        }
        self.points.sort_by(|a, b| a.0.total_cmp(&b.0));
    }

    fn population_risk(&self, threshold: f64) -> f64 {
        self.noise + (1.0 - 2.0 * self.noise) * (threshold - 0.5).abs()
    }

    fn empirical_risk(points: &[(f64, bool)], threshold: f64) -> f64 {
        let wrong = points
            .iter()
            .filter(|(x, label)| (*x > threshold) != *label);
        wrong.count() as f64 / points.len() as f64
    }

    /// The threshold with the least empirical risk, and that risk.
    fn minimum(points: &[(f64, bool)]) -> (f64, f64) {
        // A threshold below all points predicts 1 everywhere and errs on the zeros.
        let mut errors = points.iter().filter(|(_, label)| !label).count();
        let ends = points.iter().map(|(x, _)| *x).chain([1.0]);
        let (mut best, mut longest, mut place, mut from) = (usize::MAX, 0.0, 0.0, 0.0);
        for (i, to) in ends.enumerate() {
            if errors < best || (errors == best && to - from > longest) {
                (best, longest, place) = (errors, to - from, 0.5 * (from + to));
            }
            if let Some((_, label)) = points.get(i) {
                // The point comes to lie below the threshold, where 0 is predicted.
                errors = if *label { errors + 1 } else { errors - 1 };
            }
            from = to;
        }
        (place, best as f64 / points.len() as f64)
    }

    /// The empirical risk of the first samples, and the population risk.
    fn risks(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        let places = || (0..PLACES).map(|i| i as f64 / (PLACES - 1) as f64);
        let mut own = EmpiricalOrPopulation {
            points: Vec::new(),
            sizes: Vec::new(),
            ..*self
        };
        for t in places() {
            rows.push(Row::exact("risks", POPULATION, t, self.population_risk(t)));
        }
        rows.push(Row::exact(
            "risks",
            "population risk: minimum",
            0.5,
            self.noise,
        ));
        for sample in 0..SAMPLES {
            own.draw(self.seed, sample, self.train);
            let name = format!("sample {}", sample + 1);
            for t in places() {
                let risk = Self::empirical_risk(&own.points, t);
                rows.push(Row::exact("risks", &name, t, risk));
            }
            let (place, risk) = Self::minimum(&own.points);
            rows.push(Row::exact("risks", format!("{name}: minimum"), place, risk));
        }
        rows
    }
}

impl Simulate for EmpiricalOrPopulation {
    fn panels(&self) -> Vec<SimulationPanel> {
        let panel = |name: &str, title: String, x: &str, x_scale, levels| SimulationPanel {
            name: name.to_owned(),
            title,
            x: x.to_owned(),
            y: "error rate".to_owned(),
            x_scale,
            y_scale: Scale::Linear,
            look: PanelStyle::Curves,
            levels,
        };
        vec![
            panel(
                "risks",
                format!("three samples, n = {}", self.train),
                "t (threshold)",
                Scale::Linear,
                Vec::new(),
            ),
            panel(
                "minima",
                "at the threshold chosen".to_owned(),
                "n (number of points)",
                Scale::Log,
                vec![(self.noise, "least possible".to_owned())],
            ),
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
        for (i, out) in out.chunks_exact_mut(2).enumerate() {
            let size = self.sizes[i];
            self.draw(seed, resample, size);
            let (place, risk) = Self::minimum(&self.points);
            out.copy_from_slice(&[risk, self.population_risk(place)]);
            interrupt.check(100 * size)?;
        }
        Ok(())
    }

    fn operations(&self) -> f64 {
        100.0 * self.sizes.iter().sum::<usize>() as f64
    }

    fn numbers_held(&self) -> f64 {
        2.0 * most(&self.sizes) as f64
    }

    fn rows(&self, seen: &[Moments]) -> Vec<Row> {
        let mut rows = self.risks();
        for (series, which) in [("empirical risk", 0), ("population risk", 1)] {
            for (&size, seen) in self.sizes.iter().zip(seen.chunks_exact(2)) {
                let found = seen[which].mean();
                rows.push(Row::new("minima", series, size as f64, found));
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minimum_is_that_of_all_thresholds() {
        let mut own = EmpiricalOrPopulation {
            noise: 0.3,
            train: 9,
            sizes: Vec::new(),
            seed: 1,
            points: Vec::new(),
        };
        for resample in 0..200 {
            own.draw(5, resample, 9);
            let (place, least) = EmpiricalOrPopulation::minimum(&own.points);
            assert_eq!(
                EmpiricalOrPopulation::empirical_risk(&own.points, place),
                least
            );
            let thresholds = own.points.iter().map(|(x, _)| *x).chain([0.0]);
            for t in thresholds {
                assert!(EmpiricalOrPopulation::empirical_risk(&own.points, t) >= least);
            }
        }
        assert!((own.population_risk(0.5) - 0.3).abs() < 1e-15);
    }
}
