//! Four structures of covariances: the shapes they allow, and the boundaries that follow.

use std::cell::OnceCell;

use super::em_steps::{POINTS, curves, settings};
use super::scatter::{self, SCATTER_FIELD, SCATTER_POINTS, ScatterRows};
use super::{Moments, Row, Simulate, Simulation, SimulationPanel};
use crate::data::Points;
use crate::interrupt::{Interrupt, Interrupted, Interruptible};
use crate::mixture_model::{
    GaussianMixture, GroupStart, MixtureCovariance, fit_mixture, hard_labels, matched,
};
use crate::parameter::Parameter;
use crate::stream::{Purpose, Stream};

pub(super) const SIMULATION: Simulation = Simulation {
    name: "covariance-shapes",
    meaning: "Gaussian mixtures with spherical, diagonal, full and tied covariances on the same data: contours, posteriors and log-likelihoods",
    resamples: "data sets",
    theory: "none",
    identity: false,
    parameters: &[
        POINTS,
        Parameter::whole(
            "grid",
            "cells of the picture of posteriors, along each side",
        )
        .least(2.0)
        .up_to(60.0)
        .default(28.0),
    ],
    build: |setup| {
        Box::new(CovarianceShapes {
            points: setup.whole("points"),
            grid: setup.whole("grid"),
            seed: setup.seed,
            first: OnceCell::new(),
        })
    },
};

/// A resample is a data set of three Gaussian groups, stretched in different directions, and a second
/// one of the same size, held out. Observed for every structure: the log-likelihood per point of the
/// mixture that is fitted to the first, the best of two starts by k-means++, in training and on
/// the data held out.
struct CovarianceShapes {
    points: usize,
    grid: usize,
    seed: u64,
    first: OnceCell<Vec<Shaped>>,
}

/// A data set, and the mixture fitted to it, its components in the order of the true ones.
struct Shaped {
    data: Points,
    shares: Vec<f64>,
    mixture: GaussianMixture,
    log_likelihood: f64,
}

const GROUPS: usize = 3;
const STARTS: usize = 2;
const MATRICES: [&str; 4] = ["σₖ² I", "a diagonal Σₖ", "a full Σₖ", "one Σ for all"];

fn truth() -> GaussianMixture {
    scatter::plane(&[
        (0.35, [-2.0, 0.8], [0.5, 0.0, 1.6]),
        (0.35, [1.2, 1.6], [1.5, 0.9, 0.8]),
        (0.30, [1.0, -1.7], [1.6, -0.5, 0.4]),
    ])
}

impl CovarianceShapes {
    fn fit(&self, form: usize, resample: u64, interrupt: &Interrupt) -> Interruptible<Shaped> {
        let stream = |purpose| Stream::new(self.seed, purpose, resample);
        let (data, classes) = truth().draw(self.points, &mut stream(Purpose::Inputs));
        let settings = settings(form + 1);
        let random = stream(Purpose::Algorithm);
        let start = GroupStart::PlusPlus;
        let em = fit_mixture(&data, GROUPS, &settings, &start, STARTS, &random, interrupt)?;
        let order = matched(&hard_labels(em.shares(), GROUPS), &classes, GROUPS);
        let parts = order.iter().map(|k| em.mixture().components[*k].clone());
        let mixture = GaussianMixture {
            components: parts.collect(),
        };
        let log_likelihood = em.log_likelihood();
        let own = em.shares().chunks_exact(GROUPS);
        let shares = own.flat_map(|own| order.iter().map(|k| own[*k]).collect::<Vec<f64>>());
        let shares = shares.collect();
        drop(em);
        Ok(Shaped {
            data,
            shares,
            mixture,
            log_likelihood,
        })
    }

    fn first(&self) -> &[Shaped] {
        self.first.get_or_init(|| {
            let forms = 0..MixtureCovariance::ALL.len();
            forms
                .filter_map(|form| self.fit(form, 0, &Interrupt::never()).ok())
                .collect()
        })
    }

    /// The places of the posteriors, row by row.
    fn field(&self, data: &Points) -> Points {
        let side = |k: usize| {
            let values = || data.rows().map(|x| x[k]);
            let low = values().fold(f64::INFINITY, f64::min);
            let high = values().fold(f64::NEG_INFINITY, f64::max);
            let step = (high - low) / (self.grid - 1) as f64;
            (0..self.grid)
                .map(|i| low + step * i as f64)
                .collect::<Vec<f64>>()
        };
        let (columns, rows) = (side(0), side(1));
        let places = rows
            .iter()
            .flat_map(|y| columns.iter().flat_map(move |x| [*x, *y]));
        Points::new(2, places.collect())
    }
}

impl Simulate for CovarianceShapes {
    fn panels(&self) -> Vec<SimulationPanel> {
        let forms = || MixtureCovariance::WORDS.iter().zip(MATRICES);
        let shapes =
            forms().map(|(word, matrix)| scatter::panel(*word, format!("{word}: {matrix}")));
        let fields = forms().map(|(word, matrix)| {
            scatter::panel(format!("{word} posteriors"), format!("{word}: {matrix}"))
        });
        let x = "1 spherical, 2 diagonal, 3 full, 4 tied";
        let likelihood = curves(
            "log-likelihood",
            "over all data sets",
            x,
            "log-likelihood per point",
        );
        shapes.chain(fields).chain([likelihood]).collect()
    }

    fn observations(&self) -> usize {
        2 * MixtureCovariance::ALL.len()
    }

    fn observe(
        &mut self,
        seed: u64,
        resample: u64,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let mut stream = Stream::new(seed, Purpose::Test, resample);
        let (fresh, _) = truth().draw(self.points, &mut stream);
        let n = self.points as f64;
        for (form, out) in out.chunks_exact_mut(2).enumerate() {
            let shaped = self.fit(form, resample, interrupt)?;
            out[0] = shaped.log_likelihood / n;
            let held_out = shaped.mixture.log_density(&fresh, interrupt)?;
            out[1] = held_out.iter().sum::<f64>() / n;
        }
        Ok(())
    }

    fn operations(&self) -> f64 {
        4.0 * STARTS as f64 * 100.0 * self.points as f64 * 250.0
    }

    fn rows(&self, seen: &[Moments]) -> Vec<Row> {
        let mut rows = Vec::new();
        let (mut shares, mut logs) = (Vec::new(), Vec::new());
        for (word, shaped) in MixtureCovariance::WORDS.iter().zip(self.first()) {
            let mut shape = ScatterRows {
                rows: &mut rows,
                panel: word,
            };
            shape.points(SCATTER_POINTS, &shaped.data, &shaped.shares, GROUPS);
            shape.mixture(&shaped.mixture);
            let field = self.field(&shaped.data);
            let interrupt = Interrupt::never();
            let done = shaped
                .mixture
                .expect(&field, &mut shares, &mut logs, &interrupt);
            if done.is_ok() {
                let mut posterior = ScatterRows {
                    rows: &mut rows,
                    panel: &format!("{word} posteriors"),
                };
                posterior.points(SCATTER_FIELD, &field, &shares, GROUPS);
                posterior.points(SCATTER_POINTS, &shaped.data, &shaped.shares, GROUPS);
            }
        }
        for (which, series) in ["training", "held out"].iter().enumerate() {
            for form in 0..MixtureCovariance::ALL.len() {
                let seen = seen[2 * form + which].mean();
                rows.push(Row::new("log-likelihood", *series, (form + 1) as f64, seen));
            }
        }
        rows
    }
}
