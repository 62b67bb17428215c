//! EM and k-means, step by step on the same data.

use std::cell::OnceCell;

use super::scatter::{self, SCATTER_POINTS, ScatterRows};
use super::{Moments, PanelStyle, Row, Simulate, Simulation, SimulationPanel, most};
use crate::data::Points;
use crate::interrupt::{Interrupt, Interrupted, Interruptible};
use crate::mixture_model::{
    Em, EmSettings, GaussianMixture, GroupStart, KMeans, MixtureCovariance, hard_labels,
};
use crate::parameter::Parameter;
use crate::plan::Scale;
use crate::stream::{Purpose, Stream};

pub(super) const SIMULATION: Simulation = Simulation {
    name: "em-steps",
    meaning: "EM for a mixture of three Gaussians and k-means from the same start, step by step",
    resamples: "data sets",
    theory: "exact",
    identity: true,
    parameters: &[
        POINTS,
        COVARIANCE,
        Parameter::whole("shown", "the steps that are shown")
            .least(0.0)
            .up_to(200.0)
            .list(8, &[0.0, 1.0, 2.0, 5.0, 20.0]),
    ],
    build: |setup| {
        Box::new(EmSteps {
            points: setup.whole("points"),
            settings: settings(setup.whole("covariance")),
            shown: setup.counts("shown"),
            seed: setup.seed,
            first: OnceCell::new(),
        })
    },
};

/// The number of points, of simulations of groups.
pub(super) const POINTS: Parameter = Parameter::whole("points", "number n of points")
    .symbol("n")
    .least(10.0)
    .up_to(2000.0)
    .default(200.0)
    .usual(30.0, 400.0);

/// The covariances of a mixture.
pub(super) const COVARIANCE: Parameter = Parameter::whole(
    "covariance",
    "covariances: 1 spherical, 2 diagonal, 3 full, 4 one full for all components",
)
.least(1.0)
.up_to(4.0)
.default(3.0);

/// EM with the covariances of that number. No variance is below 10⁻⁴, which is far below those of the
/// data.
pub(super) fn settings(covariance: usize) -> EmSettings {
    EmSettings {
        covariance: MixtureCovariance::ALL[covariance.clamp(1, 4) - 1],
        floor: 1e-4,
        ..EmSettings::default()
    }
}

/// Three groups in the plane.
pub(super) fn three_groups() -> GaussianMixture {
    scatter::plane(&[
        (0.40, [-1.9, 0.3], [0.9, 0.55, 0.6]),
        (0.35, [1.4, 1.7], [1.0, -0.6, 0.6]),
        (0.25, [1.3, -1.6], [0.5, 0.15, 0.35]),
    ])
}

/// A resample is a data set of three Gaussian groups, and three of its points, at which the centres
/// begin; EM begins there with equal weights and equal spheres. Observed: after every step the
/// log-likelihood per point and the objective of k-means per point, and how often the first has fallen
/// or the second has risen, by more than rounding: never. The first data set is drawn.
struct EmSteps {
    points: usize,
    settings: EmSettings,
    shown: Vec<usize>,
    seed: u64,
    first: OnceCell<EmCourse>,
}

/// What happened to one data set.
struct EmCourse {
    data: Points,
    /// At the steps that are shown: mixture and responsibilities, centres and labels.
    mixtures: Vec<(GaussianMixture, Vec<f64>)>,
    centres: Vec<(Vec<f64>, Vec<usize>)>,
    /// After every step, per point.
    log_likelihood: Vec<f64>,
    objective: Vec<f64>,
}

const GROUPS: usize = 3;

impl EmSteps {
    fn follow(&self, resample: u64, interrupt: &Interrupt) -> Interruptible<EmCourse> {
        let mut stream = Stream::new(self.seed, Purpose::Inputs, resample);
        let (data, _) = three_groups().draw(self.points, &mut stream);
        let mut stream = Stream::new(self.seed, Purpose::Algorithm, resample);
        let centres = GroupStart::Random.centres(&data, GROUPS, &mut stream);
        let start = GaussianMixture::around(&data, &centres, 0.2);
        let mut em = Em::new(&data, start, &self.settings, interrupt)?;
        let mut means = KMeans::new(&data, centres, interrupt)?;
        let n = self.points as f64;
        let (mut mixtures, mut groups) = (Vec::new(), Vec::new());
        let (mut log_likelihood, mut objective) = (Vec::new(), Vec::new());
        for step in 0..=most(&self.shown) {
            if step > 0 {
                em.step(interrupt)?;
                means.step(interrupt)?;
            }
            log_likelihood.push(em.log_likelihood() / n);
            objective.push(means.objective() / n);
            if self.shown.contains(&step) {
                mixtures.push((em.mixture().clone(), em.shares().to_vec()));
                groups.push((means.centres().to_vec(), means.labels().to_vec()));
            }
        }
        drop((em, means));
        Ok(EmCourse {
            data,
            mixtures,
            centres: groups,
            log_likelihood,
            objective,
        })
    }

    /// The data set that is drawn.
    fn first(&self) -> Option<&EmCourse> {
        if self.first.get().is_none() {
            let first = self.follow(0, &Interrupt::never()).ok()?;
            let _ = self.first.set(first);
        }
        self.first.get()
    }

    fn steps(&self) -> usize {
        most(&self.shown) + 1
    }
}

/// How often numbers per point fall, rounding aside.
fn falls(values: &[f64], sign: f64) -> f64 {
    let falls = values
        .windows(2)
        .filter(|pair| sign * (pair[1] - pair[0]) < -1e-9);
    falls.count() as f64
}

/// The panel of a curve over steps or whatever x is.
pub(super) fn curves(name: &str, title: &str, x: &str, y: &str) -> SimulationPanel {
    SimulationPanel {
        name: name.to_owned(),
        title: title.to_owned(),
        x: x.to_owned(),
        y: y.to_owned(),
        x_scale: Scale::Linear,
        y_scale: Scale::Linear,
        look: PanelStyle::Curves,
        levels: Vec::new(),
    }
}

impl Simulate for EmSteps {
    fn panels(&self) -> Vec<SimulationPanel> {
        let mut panels = Vec::new();
        for method in ["EM", "k-means"] {
            for step in &self.shown {
                let title = match step {
                    0 => format!("{method}: start"),
                    1 => "1 step".to_owned(),
                    _ => format!("{step} steps"),
                };
                panels.push(scatter::panel(format!("{method} {step}"), title));
            }
        }
        panels.push(curves(
            "log-likelihood",
            "EM: the log-likelihood never falls",
            "step",
            "per point",
        ));
        panels.push(curves(
            "objective",
            "k-means: the objective never rises",
            "step",
            "per point",
        ));
        panels.push(curves(
            "wrong way",
            "steps in the wrong direction",
            "step",
            "steps",
        ));
        panels
    }

    fn observations(&self) -> usize {
        2 * self.steps() + 2
    }

    fn observe(
        &mut self,
        _: u64,
        resample: u64,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let course = self.follow(resample, interrupt)?;
        let steps = self.steps();
        out[..steps].copy_from_slice(&course.log_likelihood);
        out[steps..2 * steps].copy_from_slice(&course.objective);
        out[2 * steps] = falls(&course.log_likelihood, 1.0);
        out[2 * steps + 1] = falls(&course.objective, -1.0);
        Ok(())
    }

    fn operations(&self) -> f64 {
        self.steps() as f64 * self.points as f64 * 250.0
    }

    fn numbers_held(&self) -> f64 {
        2.0 * 5.0 * self.points as f64 * self.shown.len() as f64
    }

    fn rows(&self, seen: &[Moments]) -> Vec<Row> {
        let mut rows = Vec::new();
        let Some(course) = self.first() else {
            return rows;
        };
        for (step, (mixture, shares)) in self.shown.iter().zip(&course.mixtures) {
            let panel = &format!("EM {step}");
            let rows = &mut rows;
            let mut scatter = ScatterRows { rows, panel };
            scatter.points(SCATTER_POINTS, &course.data, shares, GROUPS);
            scatter.mixture(mixture);
        }
        for (step, (centres, labels)) in self.shown.iter().zip(&course.centres) {
            let panel = &format!("k-means {step}");
            let rows = &mut rows;
            let mut scatter = ScatterRows { rows, panel };
            scatter.labelled(&course.data, labels, GROUPS);
            scatter.centres(centres);
        }
        let steps = self.steps();
        let both = [
            ("log-likelihood", &course.log_likelihood, 0),
            ("objective", &course.objective, steps),
        ];
        for (panel, own, from) in both {
            for (step, value) in own.iter().enumerate() {
                rows.push(Row::exact(panel, "this data set", step as f64, *value));
            }
            for step in &self.shown {
                let seen = seen[from + step].mean();
                rows.push(Row::new(panel, "all data sets", *step as f64, seen));
            }
        }
        for (series, place) in [("EM", 2 * steps), ("k-means", 2 * steps + 1)] {
            let row = Row::new("wrong way", series, steps as f64 - 1.0, seen[place].mean());
            rows.push(row.identity(0.0, 1.0));
        }
        rows
    }
}

/// The groups of a mixture, each the most probable one of a point.
pub(super) fn mixture_labels(em: &Em, groups: usize) -> Vec<usize> {
    hard_labels(em.shares(), groups)
}
