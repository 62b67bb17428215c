//! How fast EM converges: the fraction of missing information.

use super::em_steps::curves;
use super::{Moments, Row, Simulate, Simulation, SimulationPanel};
use crate::data::Points;
use crate::eigen::diagonalise;
use crate::interrupt::{Interrupt, Interrupted, Interruptible};
use crate::maths::{normal, power};
use crate::mixture_model::{Em, EmSettings, GaussianMixture, MixtureComponent};
use crate::parameter::Parameter;
use crate::plan::Scale;
use crate::stream::{Purpose, Stream};
use crate::words::number;

pub(super) const SIMULATION: Simulation = Simulation {
    name: "em-rate",
    meaning: "EM's distance from its limit over steps, and its rate beside the fraction of missing information",
    resamples: "data sets",
    theory: "the fraction of missing information",
    identity: false,
    parameters: &[
        Parameter::whole("points", "number n of points")
            .symbol("n")
            .least(50.0)
            .up_to(2000.0)
            .default(300.0)
            .usual(50.0, 600.0),
        Parameter::number(
            "separations",
            "distances of the two means, in standard deviations",
        )
        .least(1.0)
        .up_to(8.0)
        .list(8, &[2.5, 3.0, 4.0, 5.0, 6.0]),
        Parameter::whole("steps", "the number of steps that are shown")
            .least(2.0)
            .up_to(500.0)
            .default(60.0)
            .usual(20.0, 200.0),
    ],
    build: |setup| {
        Box::new(EmRate {
            points: setup.whole("points"),
            separations: setup.list("separations").to_vec(),
            steps: setup.whole("steps"),
            seed: setup.seed,
        })
    },
};

/// A resample is for every separation d a data set from ½N(−d/2, 1) + ½N(d/2, 1). EM estimates
/// θ = (π, μ₁, μ₂, σ₁, σ₂) and begins at weights of ½, means 0 and d, and standard deviations of 1.
/// Observed: its rate, the ratio of the last two changes of θ that rounding does not disturb, and the
/// fraction of missing information at its limit: the largest eigenvalue of I_c⁻¹ I_m, where
///
/// - the complete information I_c, if it were known which point is from which component, is the
///   diagonal of n/(π(1 − π)), N_k/σ_k² and 2N_k/σ_k²,
/// - the missing information is I_m = Σ_i r_i (1 − r_i)(a_i − b_i)(a_i − b_i)ᵀ, with the responsibility
///   r_i of the first component and the scores a_i and b_i of a point of the first and of the second.
///
/// Both are the same in every data set. The distance ‖θ_t − θ_∞‖ over steps is that of the first data
/// set; the line beside it falls by the fraction of missing information in every step.
///
/// **Reference**: Dempster, Laird & Rubin, *Maximum likelihood from incomplete data via the EM
/// algorithm* (1977); Louis, *Finding the observed information matrix when using the EM algorithm*, both
/// in the Journal of the Royal Statistical Society B, 39 and 44 (1982).
struct EmRate {
    points: usize,
    separations: Vec<f64>,
    steps: usize,
    seed: u64,
}

/// Weight, means and standard deviations.
type Theta = [f64; 5];

/// EM stops where θ changes by less.
const SMALL: f64 = 1e-10;
const MOST_STEPS: usize = 10_000;

fn theta(em: &Em) -> Theta {
    let [a, b] = [0, 1].map(|k| &em.mixture().components[k]);
    let sds = [a, b].map(|part| part.variances[0].sqrt());
    [a.weight, a.mean[0], b.mean[0], sds[0], sds[1]]
}

fn apart(a: &Theta, b: &Theta) -> f64 {
    let squares = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b));
    squares.sum::<f64>().sqrt()
}

/// The largest eigenvalue of I_c⁻¹ I_m.
fn missing(em: &Em, data: &Points) -> f64 {
    const SIZE: usize = 5;
    let [weight, m1, m2, s1, s2] = theta(em);
    let n = data.len() as f64;
    let totals = [n * weight, n * (1.0 - weight)];
    let complete = [
        n / (weight * (1.0 - weight)),
        totals[0] / (s1 * s1),
        totals[1] / (s2 * s2),
        2.0 * totals[0] / (s1 * s1),
        2.0 * totals[1] / (s2 * s2),
    ];
    let mut matrix = vec![0.0; SIZE * SIZE];
    for (x, shares) in data.values().iter().zip(em.shares().chunks_exact(2)) {
        let [z1, z2] = [(x - m1) / s1, (x - m2) / s2];
        let scores = [
            1.0 / weight + 1.0 / (1.0 - weight),
            z1 / s1,
            -z2 / s2,
            (z1 * z1 - 1.0) / s1,
            -(z2 * z2 - 1.0) / s2,
        ];
        for (place, sum) in matrix.iter_mut().enumerate() {
            let (i, j) = (place / SIZE, place % SIZE);
            let unit = (complete[i] * complete[j]).sqrt();
            *sum += shares[0] * shares[1] * scores[i] * scores[j] / unit;
        }
    }
    diagonalise(&mut matrix, &mut [0.0; SIZE * SIZE], SIZE);
    (0..SIZE).map(|i| matrix[i * SIZE + i]).fold(0.0, f64::max)
}

/// The course of EM on a data set, and the fraction of missing information at its end.
struct Convergence {
    course: Vec<Theta>,
    missing: f64,
}

impl EmRate {
    fn follow(
        &self,
        separation: f64,
        resample: u64,
        interrupt: &Interrupt,
    ) -> Interruptible<Convergence> {
        let mut stream = Stream::new(self.seed, Purpose::Inputs, resample);
        let half = separation / 2.0;
        let mut draw = |i: usize| {
            let side = if i.is_multiple_of(2) { half } else { -half };
            normal(&mut stream) + side
        };
        let data = Points::new(1, (0..self.points).map(&mut draw).collect());
        let part = |mean: f64| MixtureComponent::new(0.5, vec![mean], &[1.0], 0.0);
        let start = GaussianMixture {
            components: vec![part(0.0), part(separation)],
        };
        let mut em = Em::new(&data, start, &EmSettings::default(), interrupt)?;
        let mut course = vec![theta(&em)];
        for _ in 0..MOST_STEPS {
            em.step(interrupt)?;
            let next = theta(&em);
            let change = apart(&next, &course[course.len() - 1]);
            course.push(next);
            if change < SMALL {
                break;
            }
        }
        let missing = missing(&em, &data);
        drop(em);
        Ok(Convergence { course, missing })
    }
}

fn name(separation: f64) -> String {
    format!("d = {}", number(separation))
}

impl Simulate for EmRate {
    fn panels(&self) -> Vec<SimulationPanel> {
        let distance = "distance";
        let steps = SimulationPanel {
            y_scale: Scale::Log,
            ..curves("distance", "distance from the limit", "step", distance)
        };
        let x = "d (distance of the means in sd)";
        let rate = "rate";
        vec![
            steps,
            curves("rate", "left of the distance after a step", x, rate),
        ]
    }

    fn observations(&self) -> usize {
        2 * self.separations.len()
    }

    fn observe(
        &mut self,
        _: u64,
        resample: u64,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        for (separation, out) in self.separations.iter().zip(out.chunks_exact_mut(2)) {
            let Convergence { course, missing } = self.follow(*separation, resample, interrupt)?;
            let changes = course.windows(2).map(|pair| apart(&pair[0], &pair[1]));
            let changes: Vec<f64> = changes.collect();
            let mut pairs = changes.windows(2);
            let usable = pairs.rfind(|pair| pair[1] > 100.0 * SMALL);
            out[0] = usable.map_or(missing, |pair| pair[1] / pair[0]);
            out[1] = missing;
        }
        Ok(())
    }

    fn operations(&self) -> f64 {
        self.separations.len() as f64 * 500.0 * 120.0 * self.points as f64
    }

    fn rows(&self, seen: &[Moments]) -> Vec<Row> {
        let mut rows = Vec::new();
        for separation in &self.separations {
            let Ok(first) = self.follow(*separation, 0, &Interrupt::never()) else {
                continue;
            };
            let Convergence { course, missing } = first;
            let limit = course[course.len() - 1];
            let distances: Vec<f64> = course.iter().map(|at| apart(at, &limit)).collect();
            let shown = distances.iter().take(self.steps + 1);
            let shown: Vec<f64> = shown.copied().take_while(|d| *d > 1e4 * SMALL).collect();
            let series = name(*separation);
            for (step, distance) in shown.iter().enumerate() {
                rows.push(Row::exact(
                    "distance",
                    series.as_str(),
                    step as f64,
                    *distance,
                ));
            }
            // The line of the rate meets the course where it ends.
            let last = shown.len().saturating_sub(1);
            for step in 0..=last {
                let factor = power(1.0 / missing.max(1e-6), (last - step) as u32);
                let value = shown.get(last).copied().unwrap_or(f64::NAN) * factor;
                if value < 2.0 * shown[0] {
                    let series = format!("{series}: rate");
                    rows.push(Row::exact("distance", series, step as f64, value));
                }
            }
        }
        for (separation, seen) in self.separations.iter().zip(seen.chunks_exact(2)) {
            let row = Row::new("rate", "rate of EM", *separation, seen[0].mean());
            let missing = seen[1].mean().value;
            rows.push(Row {
                theory: missing,
                chance: 1e-3,
                ..row
            });
        }
        rows
    }
}
