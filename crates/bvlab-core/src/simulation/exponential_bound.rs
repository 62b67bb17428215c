//! The exponential loss lies over the 0/1 loss, and so bounds AdaBoost's training error.

use super::adaboost::{BinaryAdaBoost, zero_one};
use super::disc::{self, Disc};
use super::{Moments, PanelStyle, Row, Simulate, Simulation, SimulationPanel, TRAIN, most};
use crate::data::Training;
use crate::decompose::Estimate;
use crate::interrupt::{Interrupt, Interrupted};
use crate::maths::{exp, ln_1p};
use crate::parameter::Parameter;
use crate::plan::Scale;
use crate::problem::grid;
use crate::stream::{Purpose, Stream};

pub(super) const SIMULATION: Simulation = Simulation {
    name: "exponential-bound",
    meaning: "exponential loss over 0/1 loss; AdaBoost's training error under its bound",
    resamples: "training sets",
    theory: "the bound ∏ 2√(ε(1 − ε))",
    identity: true,
    parameters: &[
        Parameter::whole("rounds", "numbers of rounds")
            .least(1.0)
            .up_to(10_000.0)
            .list(
                100,
                &[
                    1.0, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0, 30.0, 50.0, 80.0, 120.0, 200.0, 300.0,
                ],
            ),
        TRAIN,
        Parameter::number("noise", "chance that a label is flipped")
            .up_to(0.5)
            .default(0.1)
            .usual(0.0, 0.4),
    ],
    build: |setup| {
        let (from, to) = disc::SQUARE;
        Box::new(ExponentialBound {
            rounds: setup.counts("rounds"),
            problem: Disc {
                train: setup.whole("train"),
                noise: setup.number("noise"),
            },
            line: grid(from, to, SIDE, 1).values().to_vec(),
        })
    },
};

/// The testing error is that on a grid of so many points a side.
const SIDE: usize = 100;

/// A resample is a training set of the [`Disc`] and [`BinaryAdaBoost`] on it. Observed, for every number of
/// rounds:
///
/// - the mean exponential loss on the training set, (1/n) Σ exp(−y_i F(x_i)),
/// - the training error, that is the mean 0/1 loss,
/// - the testing error, on a grid, with the flipped labels in it: η + (1−2η) · share of wrong classes,
/// - the bound Π 2√(ε_t(1−ε_t)), which is the first in every resample. Where the training error were
///   larger, that is taken instead, and would show as a difference.
struct ExponentialBound {
    rounds: Vec<usize>,
    problem: Disc,
    /// The coordinates of the grid.
    line: Vec<f64>,
}

/// About how many operations a round takes for every point.
const ROUND: usize = 40;

/// How many numbers are observed after a round.
const SEEN: usize = 4;

const LOSSES: &str = "losses";
const BOOSTING: &str = "rounds";
const EXPONENTIAL: &str = "exponential";
const ZERO_ONE: &str = "0/1";

impl ExponentialBound {
    /// The share of the grid that gets the wrong class. F is a sum of functions of one coordinate
    /// each, whose values along the grid are given.
    fn misjudged(&self, along: &[Vec<f64>; 2]) -> f64 {
        let mut wrong = 0.0;
        for (x, first) in self.line.iter().zip(&along[0]) {
            for (y, second) in self.line.iter().zip(&along[1]) {
                wrong += zero_one(disc::class(&[*x, *y]) * (first + second));
            }
        }
        wrong / (self.line.len() * self.line.len()) as f64
    }
}

/// The curves of the losses over the margin, exact. The 0/1 loss has a step at 0, where it is 1: two
/// rows, its value and its limit from the right.
fn losses() -> Vec<Row> {
    let margins = || (-30..=40).map(|i| f64::from(i) / 20.0);
    let row = |series, margin, value| {
        let exact = Estimate::new(value, 0.0);
        Row::new(LOSSES, series, margin, exact)
    };
    let step = margins().flat_map(|margin| {
        let limit = (margin == 0.0).then(|| row(ZERO_ONE, margin, 0.0));
        [row(ZERO_ONE, margin, zero_one(margin))]
            .into_iter()
            .chain(limit)
    });
    let exponential = margins().map(|margin| row(EXPONENTIAL, margin, exp(-margin)));
    // To the base 2, so that it is 1 at 0 and lies over the 0/1 loss, too.
    let logistic = margins().map(|margin| {
        let value = ln_1p(exp(-margin)) / std::f64::consts::LN_2;
        row("logistic", margin, value)
    });
    exponential.chain(step).chain(logistic).collect()
}

impl Simulate for ExponentialBound {
    fn panels(&self) -> Vec<SimulationPanel> {
        vec![
            SimulationPanel {
                name: LOSSES.to_owned(),
                title: "one point".to_owned(),
                x: "margin y·F(x)".to_owned(),
                y: "loss".to_owned(),
                x_scale: Scale::Linear,
                y_scale: Scale::Linear,
                look: PanelStyle::Lines,
                levels: Vec::new(),
            },
            SimulationPanel {
                name: BOOSTING.to_owned(),
                title: "AdaBoost’s training set".to_owned(),
                x: "rounds".to_owned(),
                y: "mean loss".to_owned(),
                x_scale: Scale::Log,
                y_scale: Scale::Linear,
                look: PanelStyle::Curves,
                levels: vec![(self.problem.noise, "noise".to_owned())],
            },
        ]
    }

    fn observations(&self) -> usize {
        SEEN * self.rounds.len()
    }

    fn observe(
        &mut self,
        seed: u64,
        resample: u64,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let [mut inputs, mut noise] =
            [Purpose::Inputs, Purpose::Noise].map(|purpose| Stream::new(seed, purpose, resample));
        let mut data = Training::default();
        self.problem.draw([&mut inputs, &mut noise], &mut data);
        let algorithm = Stream::new(seed, Purpose::Algorithm, resample);
        let mut boost = BinaryAdaBoost::new(&data, &algorithm);
        let mut along = [0, 1].map(|_| vec![0.0; self.line.len()]);
        for round in 1..=most(&self.rounds) {
            interrupt.check(ROUND * data.len() + self.line.len())?;
            if let Some((stump, alpha)) = boost.round() {
                for (score, x) in along[stump.feature].iter_mut().zip(&self.line) {
                    *score += alpha * stump.class(*x);
                }
            }
            if let Some(i) = self.rounds.iter().position(|wanted| *wanted == round) {
                interrupt.check(4 * self.line.len() * self.line.len())?;
                let (noise, training) = (self.problem.noise, boost.training_error());
                let testing = noise + (1.0 - 2.0 * noise) * self.misjudged(&along);
                let bound = boost.bound();
                // A training error of exactly the bound is not above it for rounding.
                let above = training > bound * (1.0 + 1e-10);
                let held = if above { training } else { bound };
                out[SEEN * i..][..SEEN].copy_from_slice(&[
                    boost.exponential_loss(),
                    training,
                    testing,
                    held,
                ]);
            }
        }
        Ok(())
    }

    fn operations(&self) -> f64 {
        let side = self.line.len();
        let rounds = most(&self.rounds) * (ROUND * self.problem.train + side);
        (rounds + self.rounds.len() * 4 * side * side) as f64
    }

    fn rows(&self, seen: &[Moments]) -> Vec<Row> {
        let at = |i: usize, which: usize| seen[SEEN * i + which].mean();
        let places = || self.rounds.iter().map(|t| *t as f64).enumerate();
        let exponential = places().map(|(i, t)| {
            let bound = at(i, 3).value;
            Row::new(BOOSTING, EXPONENTIAL, t, at(i, 0)).identity(bound, bound)
        });
        let training = places().map(|(i, t)| Row::new(BOOSTING, ZERO_ONE, t, at(i, 1)));
        let testing = places().map(|(i, t)| Row::new(BOOSTING, "0/1, testing", t, at(i, 2)));
        losses()
            .into_iter()
            .chain(exponential)
            .chain(training)
            .chain(testing)
            .collect()
    }
}
