//! How much of a data set a bootstrap has, and what several of them miss.

use rand::RngExt;

use super::{Moments, PanelStyle, Row, Simulate, Simulation, SimulationPanel, most};
use crate::interrupt::{Interrupt, Interrupted};
use crate::maths::{exp, ln_1p};
use crate::parameter::Parameter;
use crate::plan::Scale;
use crate::stream::{Purpose, Stream};

pub(super) const SIMULATION: Simulation = Simulation {
    name: "bootstrap-share",
    meaning: "share of a data set in its bootstrap, and the chance to be in none of several",
    resamples: "repetitions",
    theory: "exact",
    identity: false,
    parameters: &[
        Parameter::whole(
            "sizes",
            "numbers n of points, for the share of one bootstrap",
        )
        .least(1.0)
        .up_to(10_000.0)
        .list(
            100,
            &[1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0],
        ),
        Parameter::whole(
            "points",
            "number n of points, for the chance to be in none of several bootstraps",
        )
        .least(2.0)
        .up_to(10_000.0)
        .default(100.0)
        .usual(5.0, 500.0),
        Parameter::whole("bootstraps", "numbers M of bootstraps")
            .least(1.0)
            .up_to(100.0)
            .list(100, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]),
    ],
    build: |setup| {
        Box::new(BootstrapShare {
            sizes: setup.counts("sizes"),
            points: setup.whole("points"),
            bootstraps: setup.counts("bootstraps"),
            missed: Vec::new(),
        })
    },
};

/// A resample is one bootstrap of every size, and a row of bootstraps of one data set. Observed:
///
/// - the share of n points that are in their bootstrap, on average 1 − (1 − 1/n)^n, which falls to
///   1 − 1/e = 0.632,
/// - the share of n points that are in none of M bootstraps, on average (1 − 1/n)^(nM).
struct BootstrapShare {
    sizes: Vec<usize>,
    points: usize,
    bootstraps: Vec<usize>,
    missed: Vec<bool>,
}

/// About how many operations it takes to draw a point and to look at one.
const DRAW: usize = 10;

impl BootstrapShare {
    /// Draws a bootstrap of n points, and returns how many of them no bootstrap has had yet.
    fn draw(&mut self, points: usize, stream: &mut Stream) -> usize {
        for _ in 0..points {
            self.missed[stream.random_range(0..points)] = false;
        }
        self.missed.iter().filter(|missed| **missed).count()
    }

    fn fresh(&mut self, points: usize) {
        self.missed.clear();
        self.missed.resize(points, true);
    }
}

/// Mean and variance of the share of n points that are in none of m bootstraps: with
/// p = (1 − 1/n)^(nm) for one point and q = (1 − 2/n)^(nm) for two, p and (p + (n−1) q)/n − p².
fn missing(points: usize, bootstraps: usize) -> [f64; 2] {
    let n = points as f64;
    let none_of = |those: f64| match those < n {
        true => exp(n * bootstraps as f64 * ln_1p(-those / n)),
        false => 0.0,
    };
    let (one, two) = (none_of(1.0), none_of(2.0));
    let spread = (one + (n - 1.0) * two) / n - one * one;
    [one, spread.max(0.0)]
}

impl Simulate for BootstrapShare {
    fn panels(&self) -> Vec<SimulationPanel> {
        vec![
            SimulationPanel {
                name: "share".to_owned(),
                title: "in one bootstrap".to_owned(),
                x: "n (number of points)".to_owned(),
                y: "share of the points".to_owned(),
                x_scale: Scale::Log,
                y_scale: Scale::Linear,
                look: PanelStyle::Curves,
                levels: vec![(1.0 - exp(-1.0), "1 − 1/e".to_owned())],
            },
            SimulationPanel {
                name: "missed".to_owned(),
                title: format!("in none of M bootstraps, n = {}", self.points),
                x: "M (number of bootstraps)".to_owned(),
                y: "chance of being in none".to_owned(),
                x_scale: Scale::Linear,
                y_scale: Scale::Log,
                look: PanelStyle::Curves,
                levels: Vec::new(),
            },
        ]
    }

    fn observations(&self) -> usize {
        self.sizes.len() + self.bootstraps.len()
    }

    fn observe(
        &mut self,
        seed: u64,
        resample: u64,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let stream = Stream::new(seed, Purpose::Algorithm, resample);
        let (shares, chances) = out.split_at_mut(self.sizes.len());
        for (i, share) in shares.iter_mut().enumerate() {
            let size = self.sizes[i];
            self.fresh(size);
            // A size's own stream: its draws do not depend on which others are asked for.
            let missed = self.draw(size, &mut stream.child(size as u64));
            interrupt.check(DRAW * size)?;
            *share = (size - missed) as f64 / size as f64;
        }
        let mut stream = stream.child(0);
        self.fresh(self.points);
        for m in 1..=most(&self.bootstraps) {
            let missed = self.draw(self.points, &mut stream);
            interrupt.check(DRAW * self.points)?;
            if let Some(i) = self.bootstraps.iter().position(|wanted| *wanted == m) {
                chances[i] = missed as f64 / self.points as f64;
            }
        }
        Ok(())
    }

    fn operations(&self) -> f64 {
        let drawn = self.sizes.iter().sum::<usize>() + most(&self.bootstraps) * self.points;
        (DRAW * drawn) as f64
    }

    fn rows(&self, seen: &[Moments]) -> Vec<Row> {
        let (shares, chances) = seen.split_at(self.sizes.len());
        let shares = self.sizes.iter().zip(shares).map(|(&size, seen)| {
            let [missed, spread] = missing(size, 1);
            let se = (spread / seen.count()).sqrt();
            Row::new("share", "in the bootstrap", size as f64, seen.mean()).theory(1.0 - missed, se)
        });
        let chances = self.bootstraps.iter().zip(chances).map(|(&m, seen)| {
            let [missed, spread] = missing(self.points, m);
            let se = (spread / seen.count()).sqrt();
            Row::new("missed", "in none", m as f64, seen.mean()).theory(missed, se)
        });
        shares.chain(chances).collect()
    }
}
