//! How often a mean of n coin tosses is off by ε or more, and what Hoeffding's inequality promises.

use rand::RngExt;

use super::{Moments, PanelStyle, Row, Simulate, Simulation, SimulationPanel, most};
use crate::interrupt::{Interrupt, Interrupted};
use crate::maths::{binomial, exp, ln, square};
use crate::parameter::Parameter;
use crate::plan::Scale;
use crate::stream::{Purpose, Stream};
use crate::words::number;

pub(super) const SIMULATION: Simulation = Simulation {
    name: "hoeffding",
    meaning: "how often the mean of n tosses of a coin is off by ε or more, below Hoeffding's bound",
    resamples: "samples",
    theory: "binomial",
    identity: false,
    parameters: &[
        Parameter::number("chance", "chance p of heads")
            .symbol("p")
            .above(0.0)
            .up_to(0.99)
            .default(0.1)
            .usual(0.02, 0.95),
        Parameter::number("tolerance", "how far off the mean may be")
            .symbol("ε")
            .above(0.0)
            .up_to(0.5)
            .default(0.05)
            .usual(0.02, 0.2),
        Parameter::whole("sizes", "numbers n of tosses")
            .least(1.0)
            .up_to(10_000.0)
            .list(
                100,
                &[
                    50.0, 100.0, 200.0, 400.0, 700.0, 1000.0, 1500.0, 2000.0, 3000.0,
                ],
            ),
        Parameter::number(
            "deltas",
            "chances δ of failure, for the tolerance that n tosses allow and the tosses that a tolerance needs",
        )
        .above(0.0)
        .up_to(0.5)
        .list(3, &[0.01, 0.05]),
        Parameter::number("tolerances", "tolerances ε, for the tosses that they need")
            .above(0.0)
            .up_to(0.5)
            .list(100, &[0.01, 0.015, 0.02, 0.03, 0.05, 0.07, 0.1]),
    ],
    build: |setup| {
        Box::new(Hoeffding {
            chance: setup.number("chance"),
            tolerance: setup.number("tolerance"),
            sizes: setup.counts("sizes"),
            deltas: setup.list("deltas").to_vec(),
            tolerances: setup.list("tolerances").to_vec(),
        })
    },
};

/// A resample is a row of tosses, of which the first n are a sample of n. Observed, for every n:
/// whether the mean differs from p by at least ε. Its chance is a sum of the binomial law, and by
/// Hoeffding's inequality at most 2 exp(−2nε²), whatever p is.
///
/// Turned around, a mean of n is within ε = √(ln(2/δ)/(2n)) with a chance of at least 1 − δ, and a
/// tolerance ε needs at most n = ln(2/δ)/(2ε²) tosses.
///
/// **Reference**: Hoeffding, *Probability inequalities for sums of bounded random variables*, Journal
/// of the American Statistical Association 58 (1963).
struct Hoeffding {
    chance: f64,
    tolerance: f64,
    sizes: Vec<usize>,
    deltas: Vec<f64>,
    tolerances: Vec<f64>,
}

const BOUND: &str = "Hoeffding's bound";

/// Hoeffding's bound on the chance that a mean of n is off by ε or more; a chance is at most 1.
fn bound(n: f64, tolerance: f64) -> f64 {
    (2.0 * exp(-2.0 * n * square(tolerance))).min(1.0)
}

/// The tosses that a tolerance needs by the bound.
fn needed(tolerance: f64, delta: f64) -> f64 {
    ln(2.0 / delta) / (2.0 * square(tolerance))
}

impl Hoeffding {
    /// Whether a mean of `heads` among n is off by `tolerance` or more, rounding aside.
    fn is_off(&self, heads: usize, size: usize, tolerance: f64) -> bool {
        let n = size as f64;
        (heads as f64 - n * self.chance).abs() >= n * tolerance * (1.0 - 1e-12)
    }

    /// The chance of that.
    fn failure(&self, law: &[f64], size: usize, tolerance: f64) -> f64 {
        let counts = law.iter().enumerate();
        let off = counts.filter(|(heads, _)| self.is_off(*heads, size, tolerance));
        off.map(|(_, chance)| chance).sum::<f64>().min(1.0)
    }

    /// The least tolerance that a mean of n exceeds with a chance of at most δ.
    fn least_tolerance(&self, law: &[f64], delta: f64) -> f64 {
        let n = law.len() as f64 - 1.0;
        let distance = |heads: usize| (heads as f64 / n - self.chance).abs();
        let mut counts: Vec<usize> = (0..law.len()).collect();
        counts.sort_by(|a, b| distance(*b).total_cmp(&distance(*a)));
        let mut beyond = 0.0;
        for heads in counts {
            beyond += law[heads];
            if beyond > delta {
                return distance(heads);
            }
        }
        0.0
    }
}

impl Simulate for Hoeffding {
    fn panels(&self) -> Vec<SimulationPanel> {
        let panel =
            |name: &str, title: String, x: &str, y: &str, x_scale, y_scale| SimulationPanel {
                name: name.to_owned(),
                title,
                x: x.to_owned(),
                y: y.to_owned(),
                x_scale,
                y_scale,
                look: PanelStyle::Curves,
                levels: Vec::new(),
            };
        let n = "n (number of tosses)";
        let off = format!("off by ε = {} or more", number(self.tolerance));
        let (linear, log) = (Scale::Linear, Scale::Log);
        vec![
            panel("failure", off, n, "chance", linear, log),
            panel(
                "tolerance",
                "within ε, except with chance δ".to_owned(),
                n,
                "ε",
                log,
                log,
            ),
            panel(
                "points",
                "tosses that suffice".to_owned(),
                "ε (tolerance)",
                "n",
                log,
                log,
            ),
        ]
    }

    fn observations(&self) -> usize {
        self.sizes.len()
    }

    fn observe(
        &mut self,
        seed: u64,
        resample: u64,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let mut stream = Stream::new(seed, Purpose::Algorithm, resample);
        let (mut heads, mut tossed) = (0, 0);
        // Sizes rise: each sample goes on where the one before ended.
        for (&size, out) in self.sizes.iter().zip(out) {
            while tossed < size {
                heads += usize::from(stream.random::<f64>() < self.chance);
                tossed += 1;
            }
            *out = f64::from(u8::from(self.is_off(heads, size, self.tolerance)));
            interrupt.check(5 * size)?;
        }
        Ok(())
    }

    fn operations(&self) -> f64 {
        5.0 * most(&self.sizes) as f64
    }

    fn rows(&self, seen: &[Moments]) -> Vec<Row> {
        let laws: Vec<Vec<f64>> = self
            .sizes
            .iter()
            .map(|size| binomial(*size, self.chance))
            .collect();
        let mut rows = Vec::new();
        for ((&size, law), seen) in self.sizes.iter().zip(&laws).zip(seen) {
            let failure = self.failure(law, size, self.tolerance);
            rows.push(Row::share("failure", "samples", size as f64, seen, failure));
        }
        for &size in &self.sizes {
            let n = size as f64;
            rows.push(Row::exact("failure", BOUND, n, bound(n, self.tolerance)));
        }
        for &delta in &self.deltas {
            let name = format!("δ = {}", number(delta));
            let bound_name = format!("{name}: bound");
            for (&size, law) in self.sizes.iter().zip(&laws) {
                let least = self.least_tolerance(law, delta);
                rows.push(Row::exact("tolerance", &name, size as f64, least));
            }
            for &size in &self.sizes {
                let n = size as f64;
                let promised = (ln(2.0 / delta) / (2.0 * n)).sqrt();
                rows.push(Row::exact("tolerance", &bound_name, n, promised));
            }
        }
        for &delta in &self.deltas {
            for &tolerance in &self.tolerances {
                let name = format!("δ = {}: bound", number(delta));
                rows.push(Row::exact(
                    "points",
                    name,
                    tolerance,
                    needed(tolerance, delta),
                ));
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of the lecture: P(off by .05) at n = 1000 and 2000, and n at ε = .02, δ = .05.
    #[test]
    fn the_bound_has_known_values() {
        assert!((bound(1000.0, 0.05) - 0.01348).abs() < 5e-6);
        assert!((bound(2000.0, 0.05) - 0.00009).abs() < 5e-6);
        assert_eq!(needed(0.02, 0.05).ceil(), 4612.0);
        assert_eq!(bound(1.0, 0.1), 1.0);
        assert!((square(bound(100.0, 0.1)) - 4.0 * exp(-4.0)).abs() < 1e-15);
    }
}
