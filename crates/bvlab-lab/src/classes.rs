//! Classes on a page: labels at all test points, and the predicted probabilities at some of them.
//!
//! Labels are small, a bit or two each; probabilities are not, and are sent at the marked points alone.

use serde_json::{Value, json};

use super::numbers::{bits, f4, labels};
use bvlab_core::decompose::{Decomposition, Loss};
use bvlab_core::engine::{KeptResample, Results};
use bvlab_core::plan::Plan;
use bvlab_core::probability::{Preference, SMOOTHING};
use bvlab_core::stream::{Purpose, Stream};
use bvlab_figure::PageLook;
use bvlab_outcome::columns;

/// The most bytes of fits that are sent, before they are written as text.
const MOST_SENT: usize = 512_000;

/// The labels and probabilities of a plan of classes.
pub struct MarkedClasses<'a> {
    plan: &'a Plan,
    /// How many there are.
    pub classes: usize,
    /// The test points whose probabilities are sent.
    pub marked: Vec<usize>,
}

impl<'a> MarkedClasses<'a> {
    /// Those of a plan, without any marked point; `None` where there are no classes.
    pub fn of(plan: &'a Plan) -> Option<Self> {
        let classes = plan.problem().classes();
        (classes > 0).then_some(MarkedClasses {
            plan,
            classes,
            marked: Vec::new(),
        })
    }

    /// How many resamples are kept with their fits.
    pub fn kept(&self) -> usize {
        let run = &self.plan.run;
        let kept = run.keep_fits.min(run.keep_data);
        kept.min(self.plan.most_resamples()) as usize
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

    /// How many points can be marked if so many resamples are to be sent.
    pub fn points_for(&self, resamples: usize) -> usize {
        let room = MOST_SENT / resamples.max(1);
        room.saturating_sub(self.bytes_of_labels()) / self.bytes_of_point()
    }

    /// How many resamples there is room for.
    pub fn room(&self) -> usize {
        MOST_SENT / (self.bytes_of_labels() + self.marked.len() * self.bytes_of_point()).max(1)
    }

    /// The loss, and what its parts are called.
    pub fn loss(&self) -> Value {
        let loss = self.plan.run.loss;
        json!({
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
        })
    }

    /// What of numbers at all test points, so many each, belongs to the marked ones.
    pub fn at_marked(&self, values: &[f64], width: usize) -> Vec<f64> {
        let rows = self.marked.iter();
        let rows = rows.flat_map(|j| values.iter().skip(j * width).take(width));
        rows.copied().collect()
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
                    // Nobody knows that of a table.
                    _ if self.plan.problem().rows().is_some() => vec![f64::NAN; split.bias2.len()],
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
pub fn first_largest(row: &[f64]) -> usize {
    (0..row.len())
        .rev()
        .max_by(|a, b| row[*a].total_cmp(&row[*b]))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_equals_is_chosen() {
        assert_eq!(first_largest(&[0.4, 0.4, 0.2]), 0);
        assert_eq!(first_largest(&[0.1, 0.45, 0.45]), 1);
    }
}
