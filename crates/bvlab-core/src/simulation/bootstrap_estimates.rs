//! What bias and variance look like to someone who has one sample, and resamples it.

use super::sine::Sine;
use super::{Moments, PanelStyle, Row, Simulate, Simulation, SimulationPanel};
use crate::data::Training;
use crate::interrupt::{Interrupt, Interrupted};
use crate::learner::{Learner, Size, Tree, TreeSetting};
use crate::maths::square;
use crate::parameter::Parameter;
use crate::plan::Scale;
use crate::problem::{Resample, Rows};
use crate::stream::{Purpose, Stream};

pub(super) const SIMULATION: Simulation = Simulation {
    name: "bootstrap-estimates",
    meaning: "bias and variance of trees on a noisy sine, and their estimates by resampling a single sample",
    resamples: "pairs of samples",
    theory: "noise + bias² + variance of the mean tree",
    identity: true,
    parameters: &[
        Parameter::whole("depths", "depths of the trees")
            .least(1.0)
            .up_to(100.0)
            .list(
                100,
                &[
                    1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0,
                ],
            ),
        Parameter::whole("train", "number of points in a sample")
            .least(2.0)
            .up_to(10_000.0)
            .default(100.0)
            .usual(20.0, 500.0),
        Parameter::number("noise", "standard deviation of the noise")
            .up_to(1e6)
            .default(0.5)
            .usual(0.0, 2.0),
        Parameter::whole("rounds", "resamples of every sample")
            .least(2.0)
            .up_to(1000.0)
            .default(50.0)
            .usual(10.0, 200.0),
    ],
    build: |setup| {
        let noise = setup.number("noise");
        let depths = setup.counts("depths");
        let settings = depths.iter().map(|&depth| TreeSetting {
            depth,
            ..TreeSetting::default()
        });
        let table = |resample: Resample| Rows {
            target: "y".to_owned(),
            names: vec!["x".to_owned()],
            classes: Vec::new(),
            train: Training::default(),
            test: Training::default(),
            resample,
            imputed: 0,
        };
        Box::new(BootstrapEstimates {
            tree: Tree::new(settings.collect()),
            depths,
            noise: noise * noise,
            rounds: setup.whole("rounds"),
            sine: Sine::new(setup.whole("train"), noise),
            tables: [Resample::Bootstrap, Resample::Halves].map(table),
        })
    },
};

/// A resample is two samples of the noisy sine, S and S', a tree on each, and trees on resamples of
/// each, drawn as from a table. With f the truth, t and t' the two trees, and means over x,
///
/// - bias² = (t − f)(t' − f) and variance = ½(t − t')², which are unbiased,
/// - from one sample, with m the mean of its K resampled trees and s² their unbiased variance:
///   variance is taken for s², and bias² for (m − y)² − s²/K with a fresh label y.
///
/// The mean m of a sample has a bias² and, from sample to sample, a variance of its own, and on
/// average (m − y)² is noise + that bias² + that variance. So what is called bias² has the noise in
/// it, and the part of the variance that resampling one sample cannot show. Of a full tree, which
/// predicts by the nearest point, that is Σ_k p_k² of the noise, where p_k is the chance that the
/// k-th nearest point is the first that a resample has: 0.46 for the bootstrap, 1/3 for halves.
struct BootstrapEstimates {
    depths: Vec<usize>,
    noise: f64,
    rounds: usize,
    sine: Sine,
    tree: Tree,
    tables: [Rows; 2],
}

/// Of one depth: bias² and variance; what the bootstrap and what halves take for them; bias² and
/// variance of the bootstrap's mean tree.
const OBSERVED: usize = 8;

/// What resampling one sample gives, by depth and test point.
struct BootstrapMoments {
    mean: Vec<f64>,
    variance: Vec<f64>,
}

impl BootstrapEstimates {
    fn fit(&mut self, data: &Training, interrupt: &Interrupt) -> Result<Vec<f64>, Interrupted> {
        let mut predictions = vec![0.0; self.depths.len() * self.sine.test.len()];
        // A full tree draws nothing.
        let stream = Stream::new(0, Purpose::Algorithm, 0);
        self.tree.try_fit(data, &stream, interrupt)?;
        self.tree
            .try_predict(&self.sine.test, &mut predictions, interrupt)?;
        Ok(predictions)
    }

    fn resample(
        &mut self,
        which: usize,
        sample: &Training,
        stream: &Stream,
        interrupt: &Interrupt,
    ) -> Result<BootstrapMoments, Interrupted> {
        let length = self.depths.len() * self.sine.test.len();
        let (mut mean, mut squares) = (vec![0.0; length], vec![0.0; length]);
        let mut data = Training::default();
        self.tables[which].train.clone_from(sample);
        for round in 0..self.rounds {
            let table = &self.tables[which];
            table.draw(table.size(), &mut stream.child(round as u64), &mut data);
            let count = (round + 1) as f64;
            let predictions = self.fit(&data, interrupt)?;
            for ((mean, squares), p) in mean.iter_mut().zip(&mut squares).zip(predictions) {
                let away = p - *mean;
                *mean += away / count;
                *squares += away * (p - *mean);
            }
        }
        squares
            .iter_mut()
            .for_each(|sum| *sum /= (self.rounds - 1) as f64);
        Ok(BootstrapMoments {
            mean,
            variance: squares,
        })
    }
}

impl Simulate for BootstrapEstimates {
    fn panels(&self) -> Vec<SimulationPanel> {
        let panel = |name: &str, title: &str, y: &str, noise: bool| SimulationPanel {
            name: name.to_owned(),
            title: title.to_owned(),
            x: "depth".to_owned(),
            y: y.to_owned(),
            x_scale: Scale::Linear,
            y_scale: Scale::Linear,
            look: PanelStyle::Curves,
            levels: match noise {
                true => vec![(self.noise, "noise".to_owned())],
                false => Vec::new(),
            },
        };
        vec![
            panel("bias", "bias²", "squared error", true),
            panel("variance", "variance", "squared error", false),
            panel(
                "inside",
                "noise, and bias² and variance of the mean tree",
                "squared error",
                true,
            ),
        ]
    }

    fn observations(&self) -> usize {
        OBSERVED * self.depths.len()
    }

    fn observe(
        &mut self,
        seed: u64,
        resample: u64,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let stream = Stream::new(seed, Purpose::Algorithm, resample);
        let mut samples = [Training::default(), Training::default()];
        for (sample, which) in samples.iter_mut().zip([0, 1]) {
            self.sine
                .problem
                .draw(seed, 2 * resample + which, sample)
                .expect("a sine with constant noise is finite everywhere");
        }
        let [first, second] = &samples;
        let trees = [self.fit(first, interrupt)?, self.fit(second, interrupt)?];
        let mut of_both = |which: usize| {
            let mut of = |i: usize, sample: &Training| {
                let stream = stream.child((2 * which + i) as u64);
                self.resample(which, sample, &stream, interrupt)
            };
            Ok([of(0, first)?, of(1, second)?])
        };
        let resampled = [of_both(0)?, of_both(1)?];
        let points = self.sine.test.len();
        let rounds = self.rounds as f64;
        for (d, out) in out.chunks_exact_mut(OBSERVED).enumerate() {
            out.fill(0.0);
            for (j, truth) in self.sine.truth.iter().enumerate() {
                let at = d * points + j;
                let [a, b] = [0, 1].map(|i: usize| trees[i][at] - truth);
                let mut add = |i: usize, value: f64| out[i] += value / points as f64;
                add(0, a * b);
                add(1, 0.5 * square(a - b));
                for (which, both) in resampled.iter().enumerate() {
                    let [a, b] = [0, 1].map(|i: usize| both[i].mean[at] - truth);
                    let variance = 0.5 * (both[0].variance[at] + both[1].variance[at]);
                    let bias = self.noise + 0.5 * (a * a + b * b) - variance / rounds;
                    add(2 + 2 * which, bias);
                    add(3 + 2 * which, variance);
                    if which == 0 {
                        add(6, a * b);
                        // Of a mean of endless rounds.
                        add(7, 0.5 * square(a - b) - variance / rounds);
                    }
                }
            }
        }
        Ok(())
    }

    fn operations(&self) -> f64 {
        let size = Size::of(&self.sine.problem, self.sine.test.len());
        let sums = 5.0 * (self.depths.len() * self.sine.test.len()) as f64;
        let trees = (2 + 4 * self.rounds) as f64;
        trees * (self.tree.operations(size) + 10.0 * size.train + sums)
    }

    fn numbers_held(&self) -> f64 {
        10.0 * (self.depths.len() * self.sine.test.len()) as f64
    }

    fn rows(&self, seen: &[Moments]) -> Vec<Row> {
        let at = |d: usize, which: usize| seen[OBSERVED * d + which].mean();
        let mut rows = Vec::new();
        let mut series = |panel: &str, name: &str, which: usize| {
            for (d, depth) in self.depths.iter().enumerate() {
                rows.push(Row::new(panel, name, *depth as f64, at(d, which)));
            }
        };
        for (panel, which) in [("bias", 0), ("variance", 1)] {
            series(panel, "true", which);
            series(panel, "by bootstrap", 2 + which);
            series(panel, "by halves", 4 + which);
        }
        series("inside", "bias² of the mean tree", 6);
        series("inside", "its variance", 7);
        for (d, depth) in self.depths.iter().enumerate() {
            let sum = self.noise + at(d, 6).value + at(d, 7).value;
            let row = Row::new("inside", "taken for bias²", *depth as f64, at(d, 2));
            rows.push(row.identity(sum, sum.abs().max(1.0)));
        }
        rows
    }
}
