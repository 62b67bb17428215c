//! What happens to volumes, distances and neighbours as the dimension grows.

use std::f64::consts::PI;

use rand::RngExt;

use super::{Moments, PanelStyle, Row, Simulate, Simulation, SimulationPanel, most};
use crate::decompose::Estimate;
use crate::interrupt::{Interrupt, Interrupted};
use crate::maths::{exp, ln, pow, square};
use crate::parameter::Parameter;
use crate::plan::Scale;
use crate::stream::{Purpose, Stream};
use crate::words::number;

pub(super) const SIMULATION: Simulation = Simulation {
    name: "curse-of-dimension",
    meaning: "shells, radii, cubes and the nearest neighbour as the dimension grows",
    resamples: "training sets",
    theory: "exact",
    identity: false,
    parameters: &[
        Parameter::number("shell", "thickness of the shell, as a share of the radius")
            .symbol("ε")
            .above(0.0)
            .up_to(0.99)
            .list(4, &[0.01, 0.05, 0.2]),
        Parameter::whole("radii", "dimensions whose radius is shown")
            .least(1.0)
            .up_to(1000.0)
            .list(6, &[1.0, 2.0, 10.0, 100.0]),
        Parameter::whole("cubes", "dimensions whose cubes are shown")
            .least(1.0)
            .up_to(1000.0)
            .list(6, &[1.0, 2.0, 3.0, 10.0]),
        Parameter::whole("dimensions", "dimensions D of the nearest neighbour")
            .symbol("D")
            .least(1.0)
            .up_to(100.0)
            .list(30, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]),
        Parameter::whole("train", "number of training points")
            .symbol("n")
            .least(1.0)
            .up_to(10_000.0)
            .default(1000.0)
            .usual(10.0, 3_000.0),
    ],
    build: |setup| {
        Box::new(CurseOfDimension {
            shells: setup.list("shell").to_vec(),
            radii: setup.counts("radii"),
            cubes: setup.counts("cubes"),
            dimensions: setup.counts("dimensions"),
            train: setup.whole("train"),
        })
    },
};

/// Three things that are known exactly, and one that is simulated:
///
/// - the share 1 − (1−ε)^D of a ball's volume in its outer shell of relative thickness ε,
/// - the density r^(D−1) e^(−r²/2) / (2^(D/2−1) Γ(D/2)) of the radius of a standard normal vector,
/// - the edge s^(1/D) of a cube that holds a share s of the unit cube,
/// - the nearest of n uniform points of [−1, 1]^D to the origin, and what it predicts there for
///   exp(−8‖x‖²) without noise: the truth is 1, and all of the error is the distance's doing.
///
/// A resample is one training set; its first D coordinates are the training set in D dimensions.
///
/// **Reference**: Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*, section 2.5
/// (the nearest neighbour); Bishop, *Pattern Recognition and Machine Learning*, section 1.4.
struct CurseOfDimension {
    shells: Vec<f64>,
    radii: Vec<usize>,
    cubes: Vec<usize>,
    dimensions: Vec<usize>,
    train: usize,
}

/// The numbers of places at which exact curves are drawn.
const PLACES: usize = 121;

/// The shares of a cube at which edges are computed: evenly from 0 to 1, and close together where edges
/// grow fast.
fn shares() -> Vec<f64> {
    let even = (0..PLACES).map(|i| i as f64 / (PLACES - 1) as f64);
    let close = (1..20).map(|i| square(square(f64::from(i) / 20.0)) / 200.0);
    rising(even.chain(close))
}

/// Places in rising order.
fn rising(places: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut places: Vec<f64> = places.collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    places
}

/// ln Γ(D/2).
fn ln_gamma_half(dimension: usize) -> f64 {
    // Γ(1/2) = √π, Γ(1) = 1, Γ(x + 1) = x Γ(x).
    let (mut x, mut sum) = match dimension % 2 {
        0 => (1.0, 0.0),
        _ => (0.5, 0.5 * ln(PI)),
    };
    while x + 0.5 < 0.5 * dimension as f64 + 0.25 {
        sum += ln(x);
        x += 1.0;
    }
    sum
}

/// The density of the radius of a standard normal vector.
fn radius_density(dimension: usize, r: f64) -> f64 {
    let d = dimension as f64;
    let constant = (0.5 * d - 1.0) * std::f64::consts::LN_2 + ln_gamma_half(dimension);
    match (r > 0.0, dimension) {
        (true, _) => exp((d - 1.0) * ln(r) - 0.5 * square(r) - constant),
        (false, 1) => exp(-constant),
        (false, _) => 0.0,
    }
}

impl CurseOfDimension {
    fn largest(&self) -> usize {
        most(&self.dimensions)
    }
}

impl Simulate for CurseOfDimension {
    fn panels(&self) -> Vec<SimulationPanel> {
        let panel = |name: &str, title: &str, x: &str, y: &str, x_scale| SimulationPanel {
            name: name.to_owned(),
            title: title.to_owned(),
            x: x.to_owned(),
            y: y.to_owned(),
            x_scale,
            y_scale: Scale::Linear,
            look: PanelStyle::Curves,
            levels: Vec::new(),
        };
        let (linear, log) = (Scale::Linear, Scale::Log);
        let nearest = format!("nearest of {} points", self.train);
        vec![
            panel(
                "shell",
                "volume near the surface",
                "D (dimension)",
                "share of the ball",
                log,
            ),
            panel(
                "radius",
                "radius of a normal vector",
                "r",
                "density",
                linear,
            ),
            panel(
                "edge",
                "cube that holds a share",
                "share of the volume",
                "edge",
                linear,
            ),
            panel(
                "neighbour",
                &nearest,
                "D (dimension)",
                "squared error",
                linear,
            ),
        ]
    }

    fn observations(&self) -> usize {
        self.dimensions.len()
    }

    fn observe(
        &mut self,
        seed: u64,
        resample: u64,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let mut stream = Stream::new(seed, Purpose::Inputs, resample);
        out.fill(f64::INFINITY);
        for _ in 0..self.train {
            let mut squared = 0.0;
            let mut wanted = self.dimensions.iter().zip(&mut *out).peekable();
            for dimension in 1..=self.largest() {
                squared += square(2.0 * stream.random::<f64>() - 1.0);
                while let Some((_, nearest)) = wanted.next_if(|(wanted, _)| **wanted == dimension) {
                    *nearest = nearest.min(squared);
                }
            }
            interrupt.check(10 * self.largest())?;
        }
        // What the nearest point predicts, less the truth at the origin.
        out.iter_mut()
            .for_each(|squared| *squared = exp(-8.0 * *squared) - 1.0);
        Ok(())
    }

    fn operations(&self) -> f64 {
        10.0 * (self.train * self.largest()) as f64
    }

    fn rows(&self, seen: &[Moments]) -> Vec<Row> {
        let mut rows = Vec::new();
        for &shell in &self.shells {
            for d in 1..=100 {
                let d = f64::from(d);
                let share = 1.0 - pow(1.0 - shell, d);
                rows.push(Row::exact(
                    "shell",
                    format!("ε = {}", number(shell)),
                    d,
                    share,
                ));
            }
        }
        let longest = (most(&self.radii) as f64).sqrt() + 3.5;
        let places = || (0..PLACES).map(|i| i as f64 / (PLACES - 1) as f64);
        for &dimension in &self.radii {
            let peak = (dimension as f64 - 1.0).sqrt();
            // Closer together within four standard deviations of the peak, which are at most 1.
            let (from, to) = ((peak - 4.0).max(0.0), (peak + 4.0).min(longest));
            let close = places().map(|place| from + (to - from) * place);
            for r in rising(places().map(|place| longest * place).chain(close)) {
                let name = format!("D = {dimension}");
                rows.push(Row::exact("radius", name, r, radius_density(dimension, r)));
            }
        }
        for &dimension in &self.cubes {
            for share in shares() {
                let edge = pow(share, 1.0 / dimension as f64);
                rows.push(Row::exact("edge", format!("D = {dimension}"), share, edge));
            }
        }
        type Summary = fn(&Moments) -> Estimate;
        let parts: [(&str, Summary); 3] = [
            ("bias²", |seen| {
                let mean = seen.mean();
                let squared = square(mean.value) - square(mean.se);
                Estimate::new(squared, 2.0 * mean.value.abs() * mean.se)
            }),
            ("variance", |seen| seen.variance()),
            ("risk", |seen| {
                let (mean, variance) = (seen.mean(), seen.variance());
                let squared = square(mean.value) - square(mean.se);
                // The delta method, without the covariance of mean and variance.
                let se = crate::maths::hypot(2.0 * mean.value * mean.se, variance.se);
                Estimate::new(squared + variance.value, se)
            }),
        ];
        for (series, part) in parts {
            for (&dimension, seen) in self.dimensions.iter().zip(seen) {
                rows.push(Row::new("neighbour", series, dimension as f64, part(seen)));
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::distribution::{Chi, Continuous};

    #[test]
    fn the_radius_has_the_chi_distribution() {
        for dimension in [1, 2, 3, 10, 101] {
            let known = Chi::new(dimension as u64).unwrap();
            for r in [0.1, 1.0, 2.5, 10.0] {
                let density = radius_density(dimension, r);
                let known = known.pdf(r);
                assert!((density - known).abs() <= 1e-10 * known, "{dimension} {r}");
            }
        }
    }
}
