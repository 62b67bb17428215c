//! Classes over two inputs: what a page needs to draw their regions and boundaries, and the clouds of
//! predicted probabilities.
//!
//! Labels at all test points are small, a bit or two each; probabilities are not, and are sent at some of
//! them: the marked points.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::numbers::{f4, f8};
use bvlab_core::decompose::{Decomposition, Loss};
use bvlab_core::engine::{KeptResample, Results};
use bvlab_core::plan::{Plan, TestKind};
use bvlab_core::probability::{Preference, SMOOTHING};
use bvlab_core::stream::{Purpose, Stream};
use bvlab_figure::PageLook;
use bvlab_outcome::columns;

/// The most bytes of fits that are sent, before they are written as text.
const MOST_SENT: usize = 512_000;

/// The most and the fewest marked points; as many as there is room for.
const MARKED: (usize, usize) = (400, 100);

/// The most true probabilities that are sent for the whole grid, so that Bayes' boundary is smooth.
const MOST_TRUTH: usize = 30_000;

/// The share of the inputs at either end of a coordinate that is not in sight.
const UNSEEN: f64 = 0.002;

/// The test points of a problem of classes as a grid in the plane.
pub struct Plane<'a> {
    plan: &'a Plan,
    classes: usize,
    /// How many test points are side by side; the second coordinate runs fastest.
    side: usize,
    /// The marked points.
    marked: Vec<usize>,
}

/// Why boundaries of classes cannot be drawn, if so.
pub fn refused(plan: &Plan) -> Option<String> {
    let why = match (plan.problem().dimension, plan.test.kind) {
        (2, TestKind::Grid) => return None,
        (2, _) => "The test points are no grid (`run.test = { grid = 2500 }`), which boundaries of classes are drawn on".to_owned(),
        (1, _) => "Boundaries of classes are drawn over two inputs, and here there is one".to_owned(),
        (inputs, _) => format!("Boundaries of classes are drawn over two inputs, and here there are {inputs}"),
    };
    Some(why)
}

impl<'a> Plane<'a> {
    /// That of a plan; `None` where there are no classes, or no plane.
    pub fn of(plan: &'a Plan) -> Option<Self> {
        let classes = plan.problem().classes();
        if classes == 0 || refused(plan).is_some() {
            return None;
        }
        let side = plan.test.points.len().isqrt();
        let mut plane = Plane {
            plan,
            classes,
            side,
            marked: Vec::new(),
        };
        let wanted = (plane.kept() as usize).max(1);
        let room = (MOST_SENT / wanted).saturating_sub(plane.bytes_of_labels());
        let along = (room / plane.bytes_of_point()).clamp(MARKED.1, MARKED.0);
        let along = along.isqrt().min(side);
        let place = |i: usize| (2 * i + 1) * side / (2 * along);
        let rows = (0..along).flat_map(|i| (0..along).map(move |j| place(i) * side + place(j)));
        plane.marked = rows.collect();
        Some(plane)
    }

    /// How many resamples are kept with their fits.
    fn kept(&self) -> u64 {
        let run = &self.plan.run;
        let kept = run.keep_fits.min(run.keep_data);
        kept.min(self.plan.most_resamples())
    }

    /// The bytes of the labels of one resample.
    fn bytes_of_labels(&self) -> usize {
        let labels = self.plan.settings() * self.plan.test.points.len();
        labels * bits(self.classes) / 8
    }

    /// The bytes of the probabilities of one resample at one point.
    fn bytes_of_point(&self) -> usize {
        4 * self.plan.settings().max(1) * (self.classes - 1)
    }

    /// How many resamples there is room for.
    pub fn room(&self) -> usize {
        MOST_SENT / (self.bytes_of_labels() + self.marked.len() * self.bytes_of_point()).max(1)
    }

    /// What the head says of it, in place of test points on a line.
    pub fn head(&self) -> Value {
        let test = &self.plan.test;
        let (problem, loss) = (self.plan.problem(), self.plan.run.loss);
        // Checked with the experiment.
        let truth = problem.truth_of(&test.points).unwrap_or_default();
        let [xs, ys] = self.axes();
        let marked = |values: &[f64], width: usize| -> Vec<f64> {
            let rows = self.marked.iter();
            let rows = rows.flat_map(|j| values.iter().skip(j * width).take(width));
            rows.copied().collect()
        };
        let least: Vec<f64> = truth
            .chunks_exact(self.classes)
            .map(|p| loss.least(p))
            .collect();
        json!({
            "classes": self.classes,
            "loss": {
                "name": loss.name(),
                "split": match loss {
                    Loss::ZeroOne(split) => Some(split.name()),
                    _ => None,
                },
                "smoothing": match loss {
                    Loss::CrossEntropy { smoothing } => smoothing,
                    _ => SMOOTHING,
                },
                "bias": loss.bias_name(),
                "error": PageLook::error(loss),
            },
            "plane": {
                "xs": f8(&xs),
                "ys": f8(&ys),
                "inSight": self.in_sight(&xs, &ys),
                "bayes": labels(self.classes, truth.chunks_exact(self.classes).map(first_largest)),
                "truth": (truth.len() <= MOST_TRUTH).then(|| {
                    let rows = truth.chunks_exact(self.classes);
                    f4(rows.flat_map(|p| p[1..].iter().copied()))
                }),
                "count": self.marked.len(),
            },
            "test": {
                "kind": "grid",
                "x": f8(&marked(test.points.values(), 2)),
                "truth": f8(&marked(&truth, self.classes)),
            },
            "noise": self.plan.problems.iter().map(|_| f8(&marked(&least, 1))).collect::<Vec<_>>(),
        })
    }

    /// The coordinates of the grid.
    fn axes(&self) -> [Vec<f64>; 2] {
        let rows = || self.plan.test.points.rows();
        let xs = rows().step_by(self.side).map(|x| x[0]);
        let ys = rows().take(self.side).map(|x| x[1]);
        [xs.collect(), ys.collect()]
    }

    /// From where to where nearly all inputs lie, by coordinate.
    fn in_sight(&self, xs: &[f64], ys: &[f64]) -> [[f64; 2]; 2] {
        let weights = &self.plan.test.weights;
        let along = |places: &[f64], weight: &dyn Fn(usize) -> f64| {
            let step = (places[places.len() - 1] - places[0]) / (places.len() - 1).max(1) as f64;
            // The first place with as much of the inputs before it, seen from either end.
            let end = |place: &dyn Fn(usize) -> usize| {
                let mut before = 0.0;
                let found = (0..places.len()).map(place).find(|i| {
                    before += weight(*i);
                    before > UNSEEN
                });
                found.unwrap_or(place(0))
            };
            let low = end(&|i| i);
            let high = end(&|i| places.len() - 1 - i);
            [places[low] - step / 2.0, places[high] + step / 2.0]
        };
        let column = |i: usize| weights.iter().skip(i * self.side).take(self.side).sum();
        let row = |j: usize| weights.iter().skip(j).step_by(self.side).sum();
        [along(xs, &column), along(ys, &row)]
    }

    /// The fits of a kept resample, by learner: labels at all test points, and at the marked ones the
    /// probabilities of all classes but the first.
    pub fn draw(&self, kept: &KeptResample) -> [Vec<Value>; 2] {
        let seed = self.plan.run.seed;
        let stream = Stream::new(seed, Purpose::Algorithm, kept.resample);
        let preference = Preference::of(&stream);
        let width = self.plan.test.points.len() * self.classes;
        let chosen = kept.fits.iter().map(|fit| {
            let rows = fit.predictions.chunks_exact(self.classes);
            labels(self.classes, rows.map(|row| preference.choose(row)))
        });
        let marked = kept.fits.iter().map(|fit| {
            let settings = fit.predictions.chunks_exact(width);
            let points = settings.flat_map(|all| {
                self.marked
                    .iter()
                    .map(move |j| &all[j * self.classes..][..self.classes])
            });
            f4(points.flat_map(|row| row[1..].iter().copied()))
        });
        [chosen.collect(), marked.collect()]
    }

    /// What most fits say at every test point, or what the mean that belongs to the loss does: the class by
    /// setting and point.
    pub fn main(&self, learner: &Decomposition) -> Value {
        let truth = match self.plan.run.loss {
            Loss::Squared => self
                .plan
                .problem()
                .truth_of(&self.plan.test.points)
                .unwrap_or_default(),
            _ => vec![0.0; self.plan.test.points.len() * self.classes],
        };
        let means = learner.mean.chunks_exact(self.classes);
        let rows = means.zip(truth.chunks_exact(self.classes).cycle());
        let mut row = vec![0.0; self.classes];
        let all = rows.map(|(mean, truth)| {
            row.copy_from_slice(mean);
            self.plan.run.loss.mean_prediction(truth, &mut row);
            first_largest(&row)
        });
        labels(self.classes, all)
    }

    /// At the marked points, from all training sets: the mean that belongs to the loss, and the parts.
    pub fn points(&self, results: &Results) -> Value {
        let points = self.plan.test.points.len();
        let learners = results
            .learners
            .iter()
            .zip(&self.plan.paths)
            .map(|(learner, path)| {
                let split = &learner.decomposition;
                let problems = path.problems();
                let at = |values: &[f64]| {
                    let settings = values.chunks_exact(points);
                    f4(settings.flat_map(|all| self.marked.iter().map(move |j| all[*j])))
                };
                let noise: Vec<f64> = match &split.noise {
                    Some(noise) => noise.clone(),
                    None => problems
                        .iter()
                        .flat_map(|problem| &results.noise[*problem])
                        .copied()
                        .collect(),
                };
                let settings = split.mean.chunks_exact(points * self.classes);
                let mean = settings.flat_map(|all| {
                    self.marked.iter().flat_map(move |j| {
                        let at = j * self.classes..(j + 1) * self.classes;
                        let mut row = all[at.clone()].to_vec();
                        self.plan
                            .run
                            .loss
                            .mean_prediction(&results.truth[at], &mut row);
                        row
                    })
                });
                json!({
                    (columns::MEAN): f4(mean),
                    (columns::NOISE): at(&noise),
                    (columns::BIAS2): at(&split.bias2),
                    (columns::VARIANCE): at(&split.variance),
                })
            });
        json!({ "is": "points", "learners": learners.collect::<Vec<_>>() })
    }
}

/// The class with the largest number, the first of equals.
fn first_largest(row: &[f64]) -> usize {
    (0..row.len())
        .rev()
        .max_by(|a, b| row[*a].total_cmp(&row[*b]))
        .unwrap_or(0)
}

/// How many bits a label takes: 1, 2, 4 or 8.
fn bits(classes: usize) -> usize {
    [1, 2, 4]
        .into_iter()
        .find(|bits| classes <= 1 << bits)
        .unwrap_or(8)
}

/// Labels of so many classes, packed into bytes from the lowest bit.
fn labels(classes: usize, labels: impl Iterator<Item = usize>) -> Value {
    let bits = bits(classes);
    let mut bytes = Vec::new();
    for (i, label) in labels.enumerate() {
        let place = i * bits % 8;
        if place == 0 {
            bytes.push(0);
        }
        if let Some(last) = bytes.last_mut() {
            *last |= (label as u8) << place;
        }
    }
    json!({ (format!("u{bits}")): STANDARD.encode(bytes) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_packed_from_the_lowest_bit() {
        let packed = |classes: usize, all: &[usize]| labels(classes, all.iter().copied());
        let base64 = |bytes: &[u8]| STANDARD.encode(bytes);
        let two = packed(2, &[1, 0, 1, 1, 0, 0, 0, 0, 1]);
        assert_eq!(two, json!({ "u1": base64(&[0b1101, 1]) }));
        assert_eq!(
            packed(3, &[2, 1, 0, 0, 2]),
            json!({ "u2": base64(&[0b0110, 2]) })
        );
        assert_eq!(packed(16, &[15, 3, 1]), json!({ "u4": base64(&[0x3f, 1]) }));
        assert_eq!(packed(17, &[16, 3]), json!({ "u8": base64(&[16, 3]) }));
    }

    #[test]
    fn the_first_of_equals_is_chosen() {
        assert_eq!(first_largest(&[0.4, 0.4, 0.2]), 0);
        assert_eq!(first_largest(&[0.1, 0.45, 0.45]), 1);
    }
}
