//! The mouse: groups of different size, by k-means and by a mixture.

use std::cell::OnceCell;

use super::em_steps::{POINTS, curves, mixture_labels, settings};
use super::scatter::{self, ScatterRows};
use super::{Moments, Row, Simulate, Simulation, SimulationPanel};
use crate::data::Points;
use crate::interrupt::{Interrupt, Interrupted, Interruptible};
use crate::mixture_model::{
    GaussianMixture, GroupStart, fit_kmeans, fit_mixture, hard_labels, matched,
};
use crate::parameter::Parameter;
use crate::stream::{Purpose, Stream};

pub(super) const SIMULATION: Simulation = Simulation {
    name: "kmeans-or-mixture",
    meaning: "how many points k-means and a Gaussian mixture put in the wrong group, for groups of different size",
    resamples: "data sets",
    theory: "none",
    identity: false,
    parameters: &[
        POINTS,
        Parameter::number(
            "ears",
            "standard deviation of the small groups, for the picture; that of the large one is 1",
        )
        .above(0.0)
        .up_to(1.0)
        .default(0.3)
        .usual(0.1, 1.0),
        Parameter::number("sizes", "standard deviations of the small groups")
            .above(0.0)
            .up_to(1.0)
            .list(12, &[0.2, 0.3, 0.45, 0.7, 1.0]),
    ],
    build: |setup| {
        Box::new(KMeansOrMixture {
            points: setup.whole("points"),
            ears: setup.number("ears"),
            sizes: setup.list("sizes").to_vec(),
            seed: setup.seed,
            first: OnceCell::new(),
        })
    },
};

/// A resample is for every size a data set of three groups: a head N(0, I) of half of the points, and
/// two ears N((±2, 2), s²I) of a quarter each. Observed: the share of points that k-means, a mixture
/// with full covariances, and Bayes' rule, which knows the groups, put in the wrong group. Groups
/// found have no names: each is matched with a true one so that as few points as possible are
/// wrong.
struct KMeansOrMixture {
    points: usize,
    ears: f64,
    sizes: Vec<f64>,
    seed: u64,
    first: OnceCell<Found>,
}

/// Groups that were found in a data set, in the order of the true ones.
pub(super) struct Found {
    pub data: Points,
    pub classes: Vec<usize>,
    pub by_kmeans: Vec<usize>,
    pub centres: Vec<f64>,
    pub by_mixture: Vec<usize>,
    pub shares: Vec<f64>,
    pub mixture: GaussianMixture,
}

/// How often each method starts.
const STARTS: usize = 3;

impl Found {
    /// Looks for the groups of points whose classes are known.
    pub fn new(
        (data, classes): (Points, Vec<usize>),
        groups: usize,
        covariance: usize,
        stream: &Stream,
        interrupt: &Interrupt,
    ) -> Interruptible<Self> {
        let start = GroupStart::PlusPlus;
        let means = fit_kmeans(&data, groups, &start, STARTS, &stream.child(0), interrupt)?;
        let settings = settings(covariance);
        let stream = stream.child(1);
        let em = fit_mixture(&data, groups, &settings, &start, STARTS, &stream, interrupt)?;
        let named = |labels: &[usize], order: &[usize]| -> Vec<usize> {
            let class = |label: &usize| order.iter().position(|group| group == label);
            labels
                .iter()
                .map(|label| class(label).unwrap_or(0))
                .collect()
        };
        let order = matched(means.labels(), &classes, groups);
        let by_kmeans = named(means.labels(), &order);
        let row = |group: &usize| means.centres()[group * 2..][..2].to_vec();
        let centres = order.iter().flat_map(row).collect();
        let labels = mixture_labels(&em, groups);
        let order = matched(&labels, &classes, groups);
        let by_mixture = named(&labels, &order);
        let own = em.shares().chunks_exact(groups);
        let shares =
            own.flat_map(|own| order.iter().map(|group| own[*group]).collect::<Vec<f64>>());
        let shares = shares.collect();
        let parts = order
            .iter()
            .map(|group| em.mixture().components[*group].clone());
        let mixture = GaussianMixture {
            components: parts.collect(),
        };
        Ok(Found {
            data,
            classes,
            by_kmeans,
            centres,
            by_mixture,
            shares,
            mixture,
        })
    }

    /// The share of points in the wrong group.
    pub fn wrong(&self, labels: &[usize]) -> f64 {
        let pairs = labels.iter().zip(&self.classes);
        let wrong = pairs.filter(|(label, class)| label != class).count();
        wrong as f64 / labels.len().max(1) as f64
    }

    /// A panel's heading: how many points are wrong.
    pub fn heading(&self, method: &str, labels: &[usize]) -> String {
        let wrong = (self.wrong(labels) * labels.len() as f64).round();
        format!("{method}: {wrong} wrong")
    }

    /// The panels of both methods.
    pub fn rows(&self, [kmeans, mixture]: [&str; 2], rows: &mut Vec<Row>) {
        let groups = self.mixture.components.len();
        let mut scatter = ScatterRows {
            rows,
            panel: kmeans,
        };
        scatter.labelled(&self.data, &self.by_kmeans, groups);
        scatter.wrong(&self.data, &self.by_kmeans, &self.classes);
        scatter.centres(&self.centres);
        scatter.panel = mixture;
        scatter.points(super::SCATTER_POINTS, &self.data, &self.shares, groups);
        scatter.wrong(&self.data, &self.by_mixture, &self.classes);
        scatter.mixture(&self.mixture);
    }
}

const GROUPS: usize = 3;

fn mouse(ears: f64) -> GaussianMixture {
    let ear = [ears * ears, 0.0, ears * ears];
    scatter::plane(&[
        (0.5, [0.0, 0.0], [1.0, 0.0, 1.0]),
        (0.25, [-2.0, 2.0], ear),
        (0.25, [2.0, 2.0], ear),
    ])
}

impl KMeansOrMixture {
    fn find(&self, ears: f64, resample: u64, interrupt: &Interrupt) -> Interruptible<Found> {
        let mut stream = Stream::new(self.seed, Purpose::Inputs, resample);
        let drawn = mouse(ears).draw(self.points, &mut stream);
        let stream = Stream::new(self.seed, Purpose::Algorithm, resample);
        Found::new(drawn, GROUPS, 3, &stream, interrupt)
    }

    fn first(&self) -> Option<&Found> {
        if self.first.get().is_none() {
            let first = self.find(self.ears, 0, &Interrupt::never()).ok()?;
            let _ = self.first.set(first);
        }
        self.first.get()
    }
}

const METHODS: [&str; 3] = ["k-means", "mixture", "Bayes’ rule"];

impl Simulate for KMeansOrMixture {
    fn panels(&self) -> Vec<SimulationPanel> {
        let heading = |method: &str, labels: &dyn Fn(&Found) -> Vec<usize>| {
            let first = self.first();
            first.map_or(method.to_owned(), |first| {
                first.heading(method, &labels(first))
            })
        };
        vec![
            scatter::panel("truth", "the groups"),
            scatter::panel(
                "k-means",
                heading("k-means", &|first| first.by_kmeans.clone()),
            ),
            scatter::panel(
                "mixture",
                heading("mixture", &|first| first.by_mixture.clone()),
            ),
            curves(
                "errors",
                "share of points in the wrong group, over all data sets",
                "standard deviation of the ears (head: 1)",
                "share wrong",
            ),
        ]
    }

    fn observations(&self) -> usize {
        METHODS.len() * self.sizes.len()
    }

    fn observe(
        &mut self,
        _: u64,
        resample: u64,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let (mut shares, mut logs) = (Vec::new(), Vec::new());
        for (ears, out) in self.sizes.iter().zip(out.chunks_exact_mut(METHODS.len())) {
            let found = self.find(*ears, resample, interrupt)?;
            out[0] = found.wrong(&found.by_kmeans);
            out[1] = found.wrong(&found.by_mixture);
            mouse(*ears).expect(&found.data, &mut shares, &mut logs, interrupt)?;
            out[2] = found.wrong(&hard_labels(&shares, GROUPS));
        }
        Ok(())
    }

    fn operations(&self) -> f64 {
        self.sizes.len() as f64 * STARTS as f64 * 100.0 * self.points as f64 * 250.0
    }

    fn rows(&self, seen: &[Moments]) -> Vec<Row> {
        let mut rows = Vec::new();
        if let Some(first) = self.first() {
            let mut truth = ScatterRows {
                rows: &mut rows,
                panel: "truth",
            };
            truth.labelled(&first.data, &first.classes, GROUPS);
            truth.mixture(&mouse(self.ears));
            first.rows(["k-means", "mixture"], &mut rows);
        }
        for (k, method) in METHODS.iter().enumerate() {
            for (i, size) in self.sizes.iter().enumerate() {
                let seen = seen[i * METHODS.len() + k].mean();
                rows.push(Row::new("errors", *method, *size, seen));
            }
        }
        rows
    }
}
