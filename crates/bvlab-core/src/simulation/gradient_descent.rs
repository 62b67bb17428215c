//! Gradient descent: where it ends, what mini-batches do to its path, and which interpolant it finds.

use rand::RngExt;

use super::{Moments, PanelStyle, Row, Simulate, Simulation, SimulationPanel, most};
use crate::interrupt::{Interrupt, Interrupted};
use crate::learner::cholesky;
use crate::maths::{cos, fill_normal, sin, square};
use crate::parameter::Parameter;
use crate::plan::Scale;
use crate::stream::{Purpose, Stream};
use crate::words::number;

pub(super) const SIMULATION: Simulation = Simulation {
    name: "gradient-descent",
    meaning: "paths of gradient descent on a bowl and on a bumpy loss, with batches of several sizes, and to an interpolant",
    resamples: "repetitions",
    theory: "exact",
    identity: false,
    parameters: &[
        Parameter::number(
            "starts",
            "where descent on the bowl and on the bumpy loss starts",
        )
        .least(-7.0)
        .up_to(7.0)
        .list(4, &[-5.5, 2.9, 3.6]),
        Parameter::whole(
            "batches",
            "numbers of points per step of stochastic descent",
        )
        .least(1.0)
        .up_to(20.0)
        .list(3, &[1.0, 5.0]),
        Parameter::number("rate", "size of a step with batches")
            .symbol("η")
            .above(0.0)
            .up_to(0.2)
            .default(0.1)
            .usual(0.005, 0.2),
        Parameter::whole("steps", "numbers of steps at which the loss is shown")
            .least(1.0)
            .up_to(1000.0)
            .list(20, &[1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 320.0]),
        Parameter::whole("train", "number n of training points of the interpolant")
            .symbol("n")
            .least(1.0)
            .up_to(50.0)
            .default(10.0)
            .usual(2.0, 20.0),
        Parameter::whole("weights", "number p of weights of the interpolant")
            .symbol("p")
            .least(2.0)
            .up_to(200.0)
            .default(40.0)
            .usual(5.0, 80.0),
        Parameter::whole("epochs", "numbers t of steps towards the interpolant")
            .symbol("t")
            .least(1.0)
            .up_to(5000.0)
            .list(20, &[1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0]),
    ],
    build: |setup| {
        let weights = setup.whole("weights");
        Box::new(GradientDescent {
            starts: setup.list("starts").to_vec(),
            batches: setup.counts("batches"),
            rate: setup.number("rate"),
            steps: setup.counts("steps"),
            // Fewer points than weights: else there is one least-squares fit.
            train: setup.whole("train").min(weights - 1),
            weights,
            epochs: setup.counts("epochs"),
            seed: setup.seed,
            data: Pairs2::new(setup.seed),
        })
    },
};

/// Three things:
///
/// - Descent w ← w − η L'(w) on L(w) = w²/4 and on L(w) = 1 + w²/20 + cos 2w, from several starts.
/// - Least squares with two weights on twenty points, with gradients of all points, or of b points
///   drawn anew in every step. A resample is one order of the points. Because the gradient is linear
///   in w, mean and second moment of w follow a recursion, and the expected loss is exact.
/// - Least squares with p weights on n < p points, from 0 and from another start w_0 of length 2.
///   Steps stay in the span of the points: descent from 0 ends at the interpolant of minimum norm
///   X⁺y, from w_0 at that plus what of w_0 is orthogonal to the points, on average a share 1 − n/p
///   of its squared length. A resample draws new points, standard normal.
struct GradientDescent {
    starts: Vec<f64>,
    batches: Vec<usize>,
    rate: f64,
    steps: Vec<usize>,
    train: usize,
    weights: usize,
    epochs: Vec<usize>,
    seed: u64,
    data: Pairs2,
}

/// The steps of a path that is drawn, and the size of a step there.
const SHOWN: usize = 25;
const PATH_RATE: f64 = 0.15;
/// Steps of the paths with batches that are drawn.
const PLANE: usize = 60;
const PLACES: usize = 201;
const REACH: f64 = 6.2;
/// The length of the other start of the interpolant.
const LENGTH: f64 = 2.0;

type Loss1 = (&'static str, fn(f64) -> f64, fn(f64) -> f64);

const LOSSES: [Loss1; 2] = [
    ("bowl", |w| square(w) / 4.0, |w| w / 2.0),
    (
        "bumpy",
        |w| 1.0 + square(w) / 20.0 + cos(2.0 * w),
        |w| w / 10.0 - 2.0 * sin(2.0 * w),
    ),
];

/// The places of a path.
fn path(start: f64, slope: fn(f64) -> f64) -> Vec<f64> {
    let mut w = start;
    let step = |_| {
        let here = w;
        w -= PATH_RATE * slope(w);
        here
    };
    (0..=SHOWN).map(step).collect()
}

/// A point with two inputs and a label.
type LabelledPair = ([f64; 2], f64);

/// Points with two inputs and a label, and the least-squares fit to them.
struct Pairs2 {
    points: Vec<LabelledPair>,
    /// E xxᵀ over the points: xx, xy, yy.
    gram: [f64; 3],
    fit: [f64; 2],
}

const POINTS: usize = 20;
const START: [f64; 2] = [-2.5, -3.0];

impl Pairs2 {
    fn new(seed: u64) -> Self {
        let mut noise = [0.0; 3 * POINTS];
        fill_normal(&mut Stream::new(seed, Purpose::Truth, 0), &mut noise);
        let points: Vec<LabelledPair> = noise
            .chunks_exact(3)
            .map(|z| {
                let x = [z[0], 0.6 * z[0] + 0.6 * z[1]];
                (x, x[0] + 2.0 * x[1] + z[2])
            })
            .collect();
        let mean =
            |of: &dyn Fn(&LabelledPair) -> f64| points.iter().map(of).sum::<f64>() / POINTS as f64;
        let gram = [
            mean(&|(x, _)| x[0] * x[0]),
            mean(&|(x, _)| x[0] * x[1]),
            mean(&|(x, _)| x[1] * x[1]),
        ];
        let sums = [mean(&|(x, y)| x[0] * y), mean(&|(x, y)| x[1] * y)];
        let determinant = gram[0] * gram[2] - square(gram[1]);
        let fit = [
            (gram[2] * sums[0] - gram[1] * sums[1]) / determinant,
            (gram[0] * sums[1] - gram[1] * sums[0]) / determinant,
        ];
        Pairs2 { points, gram, fit }
    }

    /// A e for the distance e from the fit: the gradient of the mean loss.
    fn gradient(&self, e: [f64; 2]) -> [f64; 2] {
        let [a, b, c] = self.gram;
        [a * e[0] + b * e[1], b * e[0] + c * e[1]]
    }

    /// The loss ½ mean (y − w·x)² above its minimum.
    fn excess(&self, e: [f64; 2]) -> f64 {
        let g = self.gradient(e);
        0.5 * (e[0] * g[0] + e[1] * g[1])
    }

    /// The distance from the fit after a step with b points, or with all.
    fn step(&self, e: [f64; 2], rate: f64, batch: Option<usize>, stream: &mut Stream) -> [f64; 2] {
        let g = match batch {
            None => self.gradient(e),
            Some(batch) => {
                let mut g = [0.0; 2];
                for _ in 0..batch {
                    let (x, y) = self.points[stream.random_range(0..POINTS as u32) as usize];
                    let w = [self.fit[0] + e[0], self.fit[1] + e[1]];
                    let away = (w[0] * x[0] + w[1] * x[1] - y) / batch as f64;
                    g = [g[0] + away * x[0], g[1] + away * x[1]];
                }
                g
            }
        };
        [e[0] - rate * g[0], e[1] - rate * g[1]]
    }

    /// The expected excess loss after every step up to the last, by the recursion of mean m and second
    /// moment M of the distance e: with g_i = x_i (x_i·e − r_i) of a point, r_i its residual,
    /// E ee' = M − η(AM + MA) + η² (E g_i g_iᵀ / b + (1 − 1/b) A M A).
    fn expected(&self, rate: f64, batch: Option<usize>, last: usize) -> Vec<f64> {
        let share = batch.map_or(0.0, |batch| 1.0 / batch as f64);
        let mut m = [START[0] - self.fit[0], START[1] - self.fit[1]];
        // M: xx, xy, yy.
        let mut second = [m[0] * m[0], m[0] * m[1], m[1] * m[1]];
        let [a, b, c] = self.gram;
        let mut losses = Vec::with_capacity(last + 1);
        for _ in 0..=last {
            losses.push(0.5 * (a * second[0] + 2.0 * b * second[1] + c * second[2]));
            let [xx, xy, yy] = second;
            // AM, not symmetric, and AMA.
            let am = [
                a * xx + b * xy,
                a * xy + b * yy,
                b * xx + c * xy,
                b * xy + c * yy,
            ];
            let ama = [
                am[0] * a + am[1] * b,
                am[0] * b + am[1] * c,
                am[2] * b + am[3] * c,
            ];
            let mut noise = [0.0; 3];
            for (x, y) in &self.points {
                let r = y - self.fit[0] * x[0] - self.fit[1] * x[1];
                let along = x[0] * x[0] * xx + 2.0 * x[0] * x[1] * xy + x[1] * x[1] * yy;
                let size = along - 2.0 * r * (x[0] * m[0] + x[1] * m[1]) + r * r;
                let size = size / POINTS as f64;
                let each = [x[0] * x[0], x[0] * x[1], x[1] * x[1]];
                noise.iter_mut().zip(each).for_each(|(n, e)| *n += size * e);
            }
            let crossed = [2.0 * am[0], am[1] + am[2], 2.0 * am[3]];
            for i in 0..3 {
                second[i] +=
                    rate * (rate * (share * noise[i] + (1.0 - share) * ama[i]) - crossed[i]);
            }
            let g = self.gradient(m);
            m = [m[0] - rate * g[0], m[1] - rate * g[1]];
        }
        losses
    }

    /// A level line of the loss through the place at a share of the way from the fit to the start.
    fn contour(&self, share: f64) -> Vec<[f64; 2]> {
        let e = [START[0] - self.fit[0], START[1] - self.fit[1]];
        let radius = share * (2.0 * self.excess(e)).sqrt();
        // A = LLᵀ: with Lᵀe on a circle the loss is constant.
        let [a, b, c] = self.gram;
        let l = [a.sqrt(), b / a.sqrt()];
        let low = (c - square(l[1])).max(f64::MIN_POSITIVE).sqrt();
        let place = |i: usize| {
            let angle = std::f64::consts::TAU * i as f64 / 80.0;
            let y = radius * sin(angle) / low;
            let x = (radius * cos(angle) - l[1] * y) / l[0];
            [self.fit[0] + x, self.fit[1] + y]
        };
        (0..=80).map(place).collect()
    }
}

impl GradientDescent {
    /// The ways to take a step: with all points, and with some.
    fn ways(&self) -> Vec<(String, Option<usize>)> {
        let name = |batch: &usize| match batch {
            1 => "1 point per step".to_owned(),
            batch => format!("{batch} points per step"),
        };
        let some = self.batches.iter().map(|batch| (name(batch), Some(*batch)));
        [("all points".to_owned(), None)]
            .into_iter()
            .chain(some)
            .collect()
    }

    /// Losses along a path with batches, at the steps that are shown.
    fn losses(&self, batch: usize, stream: &mut Stream, out: &mut [f64]) {
        let data = &self.data;
        let mut e = [START[0] - data.fit[0], START[1] - data.fit[1]];
        let mut done = 0;
        for (&steps, out) in self.steps.iter().zip(out) {
            while done < steps {
                e = data.step(e, self.rate, Some(batch), stream);
                done += 1;
            }
            *out = data.excess(e);
        }
    }

    /// Descent with p weights on n points: by epoch, the training error and the squared distance from
    /// the interpolant of minimum norm, from 0 and from another start.
    fn interpolate(
        &self,
        seed: u64,
        resample: u64,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let (n, p) = (self.train, self.weights);
        let mut drawn = vec![0.0; n * p + n + p];
        fill_normal(
            &mut Stream::new(seed, Purpose::Inputs, resample),
            &mut drawn,
        );
        let (x, rest) = drawn.split_at(n * p);
        let (noise, other) = rest.split_at(n);
        let rows = || x.chunks_exact(p);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        // The truth is the first coordinate.
        let y: Vec<f64> = rows().zip(noise).map(|(x, e)| x[0] + 0.5 * e).collect();
        let mut gram: Vec<f64> = rows()
            .flat_map(|a| rows().map(move |b| dot(a, b)))
            .collect();
        let trace: f64 = (0..n).map(|i| gram[i * (n + 1)]).sum();
        cholesky::factorise(&mut gram, n, |_| 1e-12 * trace);
        let mut dual = y.clone();
        cholesky::solve(&gram, &mut dual);
        let mut shortest = vec![0.0; p];
        for (row, dual) in rows().zip(&dual) {
            shortest
                .iter_mut()
                .zip(row)
                .for_each(|(w, x)| *w += dual * x);
        }
        let scale = LENGTH / dot(other, other).sqrt().max(f64::MIN_POSITIVE);
        let other: Vec<f64> = other.iter().map(|z| scale * z).collect();
        for (start, mut w) in [vec![0.0; p], other].into_iter().enumerate() {
            let mut done = 0;
            for (&epochs, out) in self.epochs.iter().zip(out.chunks_exact_mut(3)) {
                while done < epochs {
                    interrupt.check(4 * n * p)?;
                    for (away, (row, y)) in dual.iter_mut().zip(rows().zip(&y)) {
                        *away = (dot(row, &w) - y) / trace;
                    }
                    for (row, away) in rows().zip(&dual) {
                        w.iter_mut().zip(row).for_each(|(w, x)| *w -= away * x);
                    }
                    done += 1;
                }
                if start == 0 {
                    let errors = rows().zip(&y).map(|(row, y)| square(dot(row, &w) - y));
                    out[2] = errors.sum::<f64>() / n as f64;
                }
                out[start] = w.iter().zip(&shortest).map(|(a, b)| square(a - b)).sum();
            }
        }
        Ok(())
    }

    /// Paths on the two losses, over w and over steps.
    fn paths(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        for (panel, loss, slope) in LOSSES {
            for i in 0..PLACES {
                let w = REACH * (2.0 * i as f64 / (PLACES - 1) as f64 - 1.0);
                rows.push(Row::exact(panel, "loss", w, loss(w)));
            }
            for start in &self.starts {
                let name = format!("from {}", number(*start));
                let places = path(*start, slope).into_iter();
                rows.extend(places.map(|w| Row::exact(panel, &name, w, loss(w))));
            }
            for start in &self.starts {
                let name = format!("{panel}, from {}", number(*start));
                let places = (0..).zip(path(*start, slope));
                let row = |(t, w): (u32, f64)| Row::exact("steps", &name, f64::from(t), loss(w));
                rows.extend(places.map(row));
            }
        }
        // A panel's rows stand together.
        rows.sort_by_key(|row| row.panel == "steps");
        rows
    }

    /// The plane of the two weights: level lines, and the paths of the first resample.
    fn plane(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        for (i, share) in [1.0, 0.7, 0.4, 0.15].into_iter().enumerate() {
            let name = format!("contour {}", i + 1);
            let places = self.data.contour(share).into_iter();
            rows.extend(places.map(|[x, y]| Row::exact("batches", &name, x, y)));
        }
        let fit = self.data.fit;
        for (name, batch) in self.ways().into_iter().rev() {
            let mut stream = Stream::new(self.seed, Purpose::Algorithm, 0);
            let mut e = [START[0] - fit[0], START[1] - fit[1]];
            for _ in 0..=PLANE {
                rows.push(Row::exact("batches", &name, fit[0] + e[0], fit[1] + e[1]));
                e = self.data.step(e, self.rate, batch, &mut stream);
            }
        }
        rows
    }
}

impl Simulate for GradientDescent {
    fn panels(&self) -> Vec<SimulationPanel> {
        let panel = |name: &str, title: String, x: &str, y: &str, look| SimulationPanel {
            name: name.to_owned(),
            title,
            x: x.to_owned(),
            y: y.to_owned(),
            x_scale: Scale::Linear,
            y_scale: Scale::Linear,
            look,
            levels: Vec::new(),
        };
        let steps = || PanelStyle::Steps;
        let Self { train, weights, .. } = self;
        let share = 1.0 - *train as f64 / *weights as f64;
        vec![
            panel("bowl", "a bowl".to_owned(), "w (weight)", "loss", steps()),
            panel(
                "bumpy",
                "a bumpy loss".to_owned(),
                "w (weight)",
                "loss",
                steps(),
            ),
            panel(
                "steps",
                "loss over steps".to_owned(),
                "t (step)",
                "loss",
                PanelStyle::Lines,
            ),
            panel(
                "batches",
                "one path of each kind".to_owned(),
                "w₁",
                "w₂",
                steps(),
            ),
            SimulationPanel {
                x_scale: Scale::Log,
                y_scale: Scale::Log,
                ..panel(
                    "loss",
                    "mean loss above the minimum".to_owned(),
                    "t (step)",
                    "excess loss",
                    PanelStyle::Curves,
                )
            },
            SimulationPanel {
                x_scale: Scale::Log,
                levels: vec![(square(LENGTH) * share, "limit".to_owned())],
                ..panel(
                    "interpolant",
                    format!("{weights} weights, {train} points"),
                    "t (step)",
                    "squared distance",
                    PanelStyle::Curves,
                )
            },
        ]
    }

    fn observations(&self) -> usize {
        self.batches.len() * self.steps.len() + 3 * self.epochs.len()
    }

    fn observe(
        &mut self,
        seed: u64,
        resample: u64,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let (losses, distances) = out.split_at_mut(self.batches.len() * self.steps.len());
        for (&batch, out) in self
            .batches
            .iter()
            .zip(losses.chunks_exact_mut(self.steps.len()))
        {
            let mut stream = Stream::new(seed, Purpose::Algorithm, resample);
            self.losses(batch, &mut stream, out);
            interrupt.check(20 * batch * most(&self.steps))?;
        }
        self.interpolate(seed, resample, distances, interrupt)
    }

    fn operations(&self) -> f64 {
        let batches = self.batches.iter().sum::<usize>() as f64;
        let steps = 20.0 * batches * most(&self.steps) as f64;
        steps + 8.0 * (self.train * self.weights) as f64 * most(&self.epochs) as f64
    }

    fn rows(&self, seen: &[Moments]) -> Vec<Row> {
        let mut rows = self.paths();
        rows.extend(self.plane());
        let (losses, distances) = seen.split_at(self.batches.len() * self.steps.len());
        let mut losses = losses.chunks_exact(self.steps.len());
        for (name, batch) in self.ways() {
            let expected = self.data.expected(self.rate, batch, most(&self.steps));
            let seen = batch.and_then(|_| losses.next());
            for (i, &steps) in self.steps.iter().enumerate() {
                let (t, exact) = (steps as f64, expected[steps]);
                rows.push(match seen {
                    Some(seen) => Row::new("loss", &name, t, seen[i].mean()).theory(exact, 0.0),
                    None => Row::exact("loss", &name, t, exact),
                });
            }
        }
        let names = ["from 0", "from elsewhere", "training error"];
        for (which, name) in names.into_iter().enumerate() {
            for (&epochs, seen) in self.epochs.iter().zip(distances.chunks_exact(3)) {
                let found = seen[which].mean();
                rows.push(Row::new("interpolant", name, epochs as f64, found));
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_those_of_the_losses() {
        for (name, loss, slope) in LOSSES {
            for w in [-3.3, -0.2, 0.9, 4.4] {
                let by_difference = (loss(w + 1e-6) - loss(w - 1e-6)) / 2e-6;
                assert!((by_difference - slope(w)).abs() < 1e-8, "{name} {w}");
            }
        }
        // On the bowl w shrinks by 1 − η/2 in every step.
        let end = path(3.0, LOSSES[0].2)[SHOWN];
        let known = 3.0 * crate::maths::power(1.0 - PATH_RATE / 2.0, SHOWN as u32);
        assert!((end - known).abs() < 1e-14);
    }

    /// With one point per step, the expectation over all orders of two steps, one by one.
    #[test]
    fn expected_losses_are_those_of_all_orders() {
        let data = Pairs2::new(3);
        let start = [START[0] - data.fit[0], START[1] - data.fit[1]];
        let one = |e: [f64; 2], i: usize| {
            let (x, y) = data.points[i];
            let w = [data.fit[0] + e[0], data.fit[1] + e[1]];
            let away = w[0] * x[0] + w[1] * x[1] - y;
            [e[0] - 0.1 * away * x[0], e[1] - 0.1 * away * x[1]]
        };
        let mut sum = 0.0;
        for i in 0..POINTS {
            for j in 0..POINTS {
                sum += data.excess(one(one(start, i), j));
            }
        }
        let expected = data.expected(0.1, Some(1), 2);
        let all = (POINTS * POINTS) as f64;
        assert!((expected[2] - sum / all).abs() < 1e-12 * expected[0]);
        assert!((expected[0] - data.excess(start)).abs() < 1e-12);
        // With all points there is no chance.
        let mut stream = Stream::new(1, Purpose::Algorithm, 0);
        let twice = data.step(
            data.step(start, 0.1, None, &mut stream),
            0.1,
            None,
            &mut stream,
        );
        assert!((data.expected(0.1, None, 2)[2] - data.excess(twice)).abs() < 1e-12);
    }

    #[test]
    fn contours_have_one_loss() {
        let data = Pairs2::new(1);
        let losses = data.contour(0.5).into_iter();
        let losses = losses.map(|w| data.excess([w[0] - data.fit[0], w[1] - data.fit[1]]));
        let losses: Vec<f64> = losses.collect();
        let start = data.excess([START[0] - data.fit[0], START[1] - data.fit[1]]);
        assert!(
            losses
                .iter()
                .all(|loss| (loss - 0.25 * start).abs() < 1e-12 * start)
        );
    }
}
