//! The number of groups: which criteria find it.

use super::em_steps::{COVARIANCE, POINTS, curves, mixture_labels, settings, three_groups};
use super::{Moments, Row, Simulate, Simulation, SimulationPanel, most};
use crate::interrupt::{Interrupt, Interrupted};
use crate::mixture_model::{GaussianMixture, GroupStart, aic, bic, fit_mixture, silhouette};
use crate::parameter::Parameter;
use crate::stream::{Purpose, Stream};

pub(super) const SIMULATION: Simulation = Simulation {
    name: "how-many-groups",
    meaning: "log-likelihood, AIC, BIC, held-out log-likelihood and silhouette over the number of components, and how often each chooses which",
    resamples: "data sets",
    theory: "none",
    identity: false,
    parameters: &[
        POINTS,
        COVARIANCE,
        Parameter::number(
            "separation",
            "distance of the groups, as a multiple of the usual one",
        )
        .above(0.0)
        .up_to(10.0)
        .default(1.0)
        .usual(0.3, 2.0),
        Parameter::whole("components", "numbers K of components")
            .least(1.0)
            .up_to(12.0)
            .list(12, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
    ],
    build: |setup| {
        let mut truth = three_groups();
        let separation = setup.number("separation");
        for part in &mut truth.components {
            part.mean.iter_mut().for_each(|x| *x *= separation);
        }
        Box::new(HowManyGroups {
            points: setup.whole("points"),
            covariance: setup.whole("covariance"),
            components: setup.counts("components"),
            truth,
        })
    },
};

/// A resample is a data set of three Gaussian groups and a second one of the same size, held out.
/// Mixtures of K components are fitted to the first, the best of two starts by k-means++. Observed for
/// every K, all per point and smaller for better:
///
/// - −2 ln L, AIC = 2p − 2 ln L and BIC = p ln n − 2 ln L of p parameters, and −2 ln L of the data held out,
/// - the silhouette of the most probable groups, of which the largest is best,
///
/// and which K each of them chooses.
struct HowManyGroups {
    points: usize,
    covariance: usize,
    components: Vec<usize>,
    truth: GaussianMixture,
}

const CRITERIA: [&str; 5] = ["log-likelihood", "AIC", "BIC", "held out", "silhouette"];
const STARTS: usize = 2;

impl Simulate for HowManyGroups {
    fn panels(&self) -> Vec<SimulationPanel> {
        let k = "K (number of components)";
        vec![
            curves(
                "criteria",
                "smaller is better",
                k,
                "−2 × log-likelihood per point",
            ),
            curves("silhouette", "larger is better", k, "silhouette"),
            curves("chosen", "how often it chooses K", k, "share of data sets"),
        ]
    }

    fn observations(&self) -> usize {
        2 * CRITERIA.len() * self.components.len()
    }

    fn observe(
        &mut self,
        seed: u64,
        resample: u64,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let stream = |purpose| Stream::new(seed, purpose, resample);
        let (data, _) = self.truth.draw(self.points, &mut stream(Purpose::Inputs));
        let (fresh, _) = self.truth.draw(self.points, &mut stream(Purpose::Test));
        let n = self.points as f64;
        let settings = settings(self.covariance);
        let (values, chosen) = out.split_at_mut(CRITERIA.len() * self.components.len());
        let random = stream(Purpose::Algorithm);
        for (&k, out) in self
            .components
            .iter()
            .zip(values.chunks_exact_mut(CRITERIA.len()))
        {
            let start = GroupStart::PlusPlus;
            let random = random.child(k as u64);
            let em = fit_mixture(&data, k, &settings, &start, STARTS, &random, interrupt)?;
            let log = em.log_likelihood();
            let parameters = settings.covariance.parameters(k, 2);
            let held_out: f64 = em.mixture().log_density(&fresh, interrupt)?.iter().sum();
            out[0] = -2.0 * log / n;
            out[1] = aic(log, parameters) / n;
            out[2] = bic(log, parameters, self.points) / n;
            out[3] = -2.0 * held_out / n;
            out[4] = match k {
                1 => f64::NAN,
                _ => silhouette(&data, &mixture_labels(&em, k), interrupt)?,
            };
        }
        for criterion in 0..CRITERIA.len() {
            let sign = if CRITERIA[criterion] == "silhouette" {
                -1.0
            } else {
                1.0
            };
            let value = |place: &usize| {
                let value = sign * values[place * CRITERIA.len() + criterion];
                if value.is_nan() { f64::INFINITY } else { value }
            };
            let places = 0..self.components.len();
            let best = places.min_by(|a, b| value(a).total_cmp(&value(b)));
            for place in 0..self.components.len() {
                let is_best = f64::from(u8::from(best == Some(place)));
                chosen[place * CRITERIA.len() + criterion] = is_best;
            }
        }
        // One component has no silhouette.
        values
            .iter_mut()
            .filter(|value| value.is_nan())
            .for_each(|value| *value = 0.0);
        Ok(())
    }

    fn operations(&self) -> f64 {
        let steps = 100.0 * STARTS as f64 * self.points as f64 * 80.0;
        let pairs = 12.0 * (self.points * self.points) as f64;
        self.components.len() as f64 * (steps * most(&self.components) as f64 + pairs)
    }

    fn rows(&self, seen: &[Moments]) -> Vec<Row> {
        let mut rows = Vec::new();
        let count = CRITERIA.len();
        let (values, chosen) = seen.split_at(count * self.components.len());
        for (c, criterion) in CRITERIA.iter().enumerate() {
            let panel = if c == 4 { "silhouette" } else { "criteria" };
            for (i, &k) in self.components.iter().enumerate() {
                if c < 4 || k > 1 {
                    let seen = values[i * count + c].mean();
                    rows.push(Row::new(panel, *criterion, k as f64, seen));
                }
            }
        }
        for (c, criterion) in CRITERIA.iter().enumerate() {
            for (i, &k) in self.components.iter().enumerate() {
                let seen = chosen[i * count + c].mean();
                rows.push(Row::new("chosen", *criterion, k as f64, seen));
            }
        }
        rows
    }
}
