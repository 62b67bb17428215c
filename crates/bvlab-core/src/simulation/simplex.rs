//! Predicted probabilities of three classes as darts on the simplex: the dartboard of cross-entropy.

use super::em_steps::curves;
use super::scatter::{self, SCATTER_POINTS, ScatterRows};
use super::{Moments, Row, Simulate, Simulation, SimulationPanel, most};
use crate::data::{Points, Training};
use crate::decompose::Estimate;
use crate::interrupt::{Interrupt, Interrupted};
use crate::learner::{CovarianceForm, Discriminant, DiscriminantSetting, Learner};
use crate::maths::{cos, exp, ln, sin};
use crate::mixture_model::GaussianMixture;
use crate::parameter::Parameter;
use crate::plan::Scale;
use crate::stream::{Purpose, Stream};

pub(super) const SIMULATION: Simulation = Simulation {
    name: "simplex",
    meaning: "predicted probabilities of three classes at one point as darts on the simplex, with bias and variance in cross-entropy",
    resamples: "training sets",
    theory: "bias + variance, to rounding",
    identity: false,
    parameters: &[Parameter::whole("sizes", "numbers n of training points")
        .least(12.0)
        .up_to(5000.0)
        .list(6, &[20.0, 60.0, 200.0])],
    build: |setup| {
        let sizes = setup.counts("sizes");
        Box::new(Simplex {
            darts: vec![Vec::new(); sizes.len()],
            sizes,
        })
    },
};

/// A resample is for every n a training set of three Gaussian classes, to which linear discriminant
/// analysis is fitted; observed is what it predicts at one point, where the true probabilities p
/// are known. With q the prediction and q̊ the normalised geometric mean of all of them, the average
/// excess cross-entropy is
///
/// E KL(p‖q) = KL(p‖q̊) + E KL(q̊‖q), bias + variance,
///
/// while the arithmetic mean has no such role. Probabilities count as at least 10⁻⁹. The first 150
/// darts are drawn.
///
/// **Reference**: Heskes, *Bias/variance decompositions for likelihood-based estimators*, Neural
/// Computation 10 (1998).
struct Simplex {
    sizes: Vec<usize>,
    darts: Vec<Vec<[f64; 3]>>,
}

const CLASSES: usize = 3;
const DARTS: usize = 150;
/// What is observed of a prediction: its logarithms, its probabilities, and the products of two
/// logarithms; after these, the divergence.
const SEEN: usize = 2 * CLASSES + CLASSES * CLASSES;
/// Where predictions are asked for.
const PLACE: [f64; 2] = [0.15, 0.35];

fn truth() -> GaussianMixture {
    let third = 1.0 / 3.0;
    let sphere = [1.0, 0.0, 1.0];
    scatter::plane(&[
        (third, [0.0, 1.2], sphere),
        (third, [-1.1, -0.6], sphere),
        (third, [1.1, -0.6], sphere),
    ])
}

/// The true probabilities at the place.
fn known() -> [f64; 3] {
    let (mut shares, mut logs) = (Vec::new(), Vec::new());
    let place = Points::new(2, PLACE.to_vec());
    let done = truth().expect(&place, &mut shares, &mut logs, &Interrupt::never());
    match (done, shares.as_slice()) {
        (Ok(_), [a, b, c]) => [*a, *b, *c],
        _ => [1.0 / 3.0; 3],
    }
}

/// Σ p ln(p/q).
fn divergence(p: &[f64; 3], q: &[f64; 3]) -> f64 {
    p.iter().zip(q).map(|(p, q)| p * ln(p / q)).sum()
}

/// Where probabilities lie in a triangle with corners at (0, 0), (1, 0) and (½, √3/2).
fn place(p: &[f64; 3]) -> [f64; 2] {
    [p[1] + p[2] / 2.0, p[2] * 3.0_f64.sqrt() / 2.0]
}

fn panel_name(size: usize) -> String {
    format!("n = {size}")
}

/// The places where KL(p‖q) has a value: outward from p in every direction, by bisection.
fn level(p: &[f64; 3], value: f64) -> Vec<[f64; 2]> {
    let turns = 72;
    let at = |i: usize| {
        let angle = std::f64::consts::TAU * i as f64 / turns as f64;
        let step = [cos(angle), sin(angle)];
        // The same step in probabilities.
        let up = 2.0 * step[1] / 3.0_f64.sqrt();
        let step = [-step[0] - up / 2.0, step[0] - up / 2.0, up];
        let along = |t: f64| [0, 1, 2].map(|k| p[k] + t * step[k]);
        let (mut low, mut high) = (0.0, 2.0);
        for _ in 0..50 {
            let middle = (low + high) / 2.0;
            let q = along(middle);
            let inside = q.iter().all(|q| *q > 0.0) && divergence(p, &q) < value;
            if inside { low = middle } else { high = middle }
        }
        place(&along(low))
    };
    (0..=turns).map(at).collect()
}

impl Simulate for Simplex {
    fn panels(&self) -> Vec<SimulationPanel> {
        let boards = self.sizes.iter().map(|size| SimulationPanel {
            x: "class 1 … class 2".to_owned(),
            y: "class 3".to_owned(),
            ..scatter::panel(panel_name(*size), format!("{size} training points"))
        });
        let n = "n (number of training points)";
        let parts = SimulationPanel {
            x_scale: Scale::Log,
            y_scale: Scale::Log,
            ..curves("parts", "excess cross-entropy", n, "excess")
        };
        boards.chain([parts]).collect()
    }

    fn observations(&self) -> usize {
        (SEEN + 1) * self.sizes.len()
    }

    fn observe(
        &mut self,
        seed: u64,
        resample: u64,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let mut stream = Stream::new(seed, Purpose::Inputs, resample);
        let (all, classes) = truth().draw(most(&self.sizes), &mut stream);
        let setting = DiscriminantSetting {
            rung: CovarianceForm::Full,
            shrink: 0.0,
        };
        let mut learner = Discriminant::new(vec![setting], CLASSES);
        let place = Points::new(2, PLACE.to_vec());
        let p = known();
        let outs = out.chunks_exact_mut(SEEN + 1);
        for ((&size, darts), out) in self.sizes.iter().zip(&mut self.darts).zip(outs) {
            let data = Training {
                inputs: Points::new(2, all.values()[..2 * size].to_vec()),
                labels: classes[..size].iter().map(|class| *class as f64).collect(),
            };
            learner.try_fit(&data, &stream, interrupt)?;
            let mut q = [0.0; CLASSES];
            learner.try_predict(&place, &mut q, interrupt)?;
            let q = q.map(|q| q.max(1e-9));
            let total: f64 = q.iter().sum();
            let q = q.map(|q| q / total);
            if darts.len() < DARTS && resample < DARTS as u64 {
                darts.push(q);
            }
            out[..CLASSES].copy_from_slice(&q.map(ln));
            out[CLASSES..2 * CLASSES].copy_from_slice(&q);
            for (place, out) in out[2 * CLASSES..SEEN].iter_mut().enumerate() {
                *out = ln(q[place / CLASSES]) * ln(q[place % CLASSES]);
            }
            out[SEEN] = divergence(&p, &q);
        }
        Ok(())
    }

    fn operations(&self) -> f64 {
        self.sizes.iter().map(|size| 60.0 * *size as f64).sum()
    }

    fn numbers_held(&self) -> f64 {
        (self.sizes.len() * DARTS * CLASSES) as f64
    }

    fn rows(&self, seen: &[Moments]) -> Vec<Row> {
        let mut rows = Vec::new();
        let p = known();
        let mut parts: [Vec<Row>; 3] = Default::default();
        for (i, &size) in self.sizes.iter().enumerate() {
            let seen = &seen[i * (SEEN + 1)..][..SEEN + 1];
            let mean = |k: usize| seen[k].mean().value;
            let geometric = [0, 1, 2].map(|k| exp(mean(k)));
            let total: f64 = geometric.iter().sum();
            let geometric = geometric.map(|q| q / total);
            let arithmetic = [0, 1, 2].map(|k| mean(CLASSES + k));
            let name = panel_name(size);
            let mut board = ScatterRows {
                rows: &mut rows,
                panel: &name,
            };
            let darts = self.darts[i].iter().flat_map(place);
            board.points(SCATTER_POINTS, &Points::new(2, darts.collect()), &[], 0);
            let corners = [
                [1.0, 0.0, 0.0],
                [0.0, 1.0, 0.0],
                [0.0, 0.0, 1.0],
                [1.0, 0.0, 0.0],
            ];
            board.line(3, "simplex", &corners.map(|corner| place(&corner)));
            for value in [0.02, 0.1, 0.4] {
                board.line(3, &format!("KL = {value}"), &level(&p, value));
            }
            board.line(0, "truth", &[place(&p)]);
            board.line(1, "geometric mean", &[place(&geometric)]);
            board.line(2, "arithmetic mean", &[place(&arithmetic)]);
            // ln q̊ = E ln q − ln Σ exp(E ln q): the variance is the logarithm that normalises.
            let (bias, variance) = (divergence(&p, &geometric), -ln(total));
            let n = size as f64;
            let excess = Row::new("parts", "risk", n, seen[SEEN].mean());
            parts[0].push(excess.identity(bias + variance, 1.0));
            // To first order: the variance of the mean logarithms along the gradient.
            let error = |gradient: [f64; 3]| {
                let term = |place: usize| {
                    let (a, b) = (place / CLASSES, place % CLASSES);
                    let covariance = mean(2 * CLASSES + place) - mean(a) * mean(b);
                    gradient[a] * gradient[b] * covariance
                };
                let sum: f64 = (0..CLASSES * CLASSES).map(term).sum();
                (sum.max(0.0) / (seen[0].count() - 1.0)).sqrt()
            };
            let of_bias = error([0, 1, 2].map(|k| geometric[k] - p[k]));
            let of_variance = error(geometric);
            parts[1].push(Row::new("parts", "bias", n, Estimate::new(bias, of_bias)));
            let variance = Estimate::new(variance, of_variance);
            parts[2].push(Row::new("parts", "variance", n, variance));
        }
        rows.extend(parts.into_iter().flatten());
        rows
    }
}
