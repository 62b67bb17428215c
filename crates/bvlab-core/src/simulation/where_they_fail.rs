//! Data on which k-means, a mixture, or both fail.

use std::cell::OnceCell;

use rand::RngExt;

use super::em_steps::{POINTS, curves};
use super::kmeans_or_mixture::Found;
use super::scatter;
use super::{Moments, Row, Simulate, Simulation, SimulationPanel};
use crate::data::Points;
use crate::interrupt::{Interrupt, Interrupted, Interruptible};
use crate::maths::{cos, normal, sin};
use crate::stream::{Purpose, Stream};

pub(super) const SIMULATION: Simulation = Simulation {
    name: "where-they-fail",
    meaning: "k-means and Gaussian mixtures on stretched groups, uneven groups and rings",
    resamples: "data sets",
    theory: "none",
    identity: false,
    parameters: &[POINTS],
    build: |setup| {
        Box::new(WhereTheyFail {
            points: setup.whole("points"),
            seed: setup.seed,
            first: OnceCell::new(),
        })
    },
};

/// A resample is a data set of each kind:
///
/// - stretched: three parallel, long groups, which have one covariance,
/// - uneven: a large group of 80 % of the points, and two small ones,
/// - rings: two rings, one within the other, which are not Gaussian.
///
/// Observed: the share of points that k-means and a mixture with full covariances put in the wrong
/// group, each of which is matched with a true one so that as few points as possible are wrong. Both
/// know the number of groups.
struct WhereTheyFail {
    points: usize,
    seed: u64,
    first: OnceCell<Vec<Found>>,
}

const KINDS: [&str; 3] = ["stretched", "uneven", "rings"];
const GROUPS: [usize; 3] = [3, 3, 2];
const METHODS: [&str; 2] = ["k-means", "mixture"];

fn draw(kind: usize, count: usize, stream: &mut Stream) -> (Points, Vec<usize>) {
    let long = [3.0, 1.65, 1.0];
    match kind {
        0 => {
            let third = 1.0 / 3.0;
            let groups = [
                (third, [-2.2, 1.2], long),
                (third, [0.0, 0.0], long),
                (third, [2.2, -1.2], long),
            ];
            scatter::plane(&groups).draw(count, stream)
        }
        1 => {
            let groups = [
                (0.8, [0.0, 0.0], [2.2, 0.0, 2.2]),
                (0.1, [4.2, 1.2], [0.12, 0.0, 0.12]),
                (0.1, [3.4, -2.6], [0.12, 0.0, 0.12]),
            ];
            scatter::plane(&groups).draw(count, stream)
        }
        _ => {
            let mut labels = Vec::with_capacity(count);
            let mut values = Vec::with_capacity(2 * count);
            for _ in 0..count {
                let outer = stream.random::<f64>() < 0.6;
                let angle = std::f64::consts::TAU * stream.random::<f64>();
                let radius = if outer { 3.0 } else { 1.0 } + 0.2 * normal(stream);
                values.extend([radius * cos(angle), radius * sin(angle)]);
                labels.push(usize::from(outer));
            }
            (Points::new(2, values), labels)
        }
    }
}

impl WhereTheyFail {
    fn find(&self, kind: usize, resample: u64, interrupt: &Interrupt) -> Interruptible<Found> {
        let stream = |purpose| Stream::new(self.seed, purpose, resample).child(kind as u64);
        let drawn = draw(kind, self.points, &mut stream(Purpose::Inputs));
        Found::new(
            drawn,
            GROUPS[kind],
            3,
            &stream(Purpose::Algorithm),
            interrupt,
        )
    }

    fn first(&self) -> &[Found] {
        self.first.get_or_init(|| {
            let kinds = 0..KINDS.len();
            kinds
                .filter_map(|kind| self.find(kind, 0, &Interrupt::never()).ok())
                .collect()
        })
    }
}

impl Simulate for WhereTheyFail {
    fn panels(&self) -> Vec<SimulationPanel> {
        let mut panels = Vec::new();
        for method in METHODS {
            for (kind, found) in KINDS.iter().zip(self.first()) {
                let labels = match method {
                    "k-means" => &found.by_kmeans,
                    _ => &found.by_mixture,
                };
                let wrong = (found.wrong(labels) * self.points as f64).round();
                let title = format!("{kind}, {method}: {wrong} wrong");
                panels.push(scatter::panel(format!("{kind} {method}"), title));
            }
        }
        let x = "data (1 stretched, 2 uneven, 3 rings)";
        panels.push(curves(
            "errors",
            "over all data sets",
            x,
            "share in the wrong group",
        ));
        panels
    }

    fn observations(&self) -> usize {
        METHODS.len() * KINDS.len()
    }

    fn observe(
        &mut self,
        _: u64,
        resample: u64,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        for (kind, out) in out.chunks_exact_mut(2).enumerate() {
            let found = self.find(kind, resample, interrupt)?;
            out[0] = found.wrong(&found.by_kmeans);
            out[1] = found.wrong(&found.by_mixture);
        }
        Ok(())
    }

    fn operations(&self) -> f64 {
        KINDS.len() as f64 * 300.0 * self.points as f64 * 250.0
    }

    fn rows(&self, seen: &[Moments]) -> Vec<Row> {
        let mut rows = Vec::new();
        for (kind, found) in KINDS.iter().zip(self.first()) {
            let names = METHODS.map(|method| format!("{kind} {method}"));
            found.rows([&names[0], &names[1]], &mut rows);
        }
        for (k, method) in METHODS.iter().enumerate() {
            for kind in 0..KINDS.len() {
                let seen = seen[2 * kind + k].mean();
                rows.push(Row::new("errors", *method, (kind + 1) as f64, seen));
            }
        }
        rows
    }
}
