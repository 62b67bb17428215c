//! A learner that is given only the first coordinates of every input.

use super::{Diagnosis, Expected, Learner, Remark, RiskMoments, Size};
use crate::data::{Points, Training};
use crate::interrupt::{Interrupt, Interrupted};
use crate::problem::Problem;
use crate::stream::Stream;

/// A learner that sees the first d coordinates of inputs that have more.
///
/// Coordinates are drawn independently, so the first d of them are an input in d dimensions: a sweep
/// over the dimension shows all of its dimensions the same training sets and test points.
///
/// ```
/// use bvlab_core::data::{Points, Training};
/// use bvlab_core::learner::{FirstInputs, Knn, Learner};
/// use bvlab_core::stream::{Purpose, Stream};
///
/// let data = Training {
///     inputs: Points::new(2, vec![0.0, 0.0, 1.0, 9.0]),
///     labels: vec![5.0, 7.0],
/// };
/// let mut learner = FirstInputs::new(Box::new(Knn::new(vec![1])), 1);
/// learner.fit(&data, &Stream::new(1, Purpose::Algorithm, 0));
/// let mut out = [0.0];
/// // Near the second point by the first coordinate, near the first by both.
/// learner.predict(&Points::new(2, vec![0.9, 0.0]), &mut out);
/// assert_eq!(out, [7.0]);
/// ```
#[derive(Clone)]
pub struct FirstInputs {
    learner: Box<dyn Learner>,
    count: usize,
    data: Training,
    points: Points,
}

impl FirstInputs {
    /// The learner, with the first `count` coordinates; with all where inputs have no more.
    pub fn new(learner: Box<dyn Learner>, count: usize) -> Self {
        FirstInputs {
            learner,
            count,
            data: Training::default(),
            points: Points::default(),
        }
    }

    /// The problem with inputs of this dimension.
    fn of(&self, problem: &Problem) -> Problem {
        Problem {
            dimension: self.count,
            ..problem.clone()
        }
    }

    fn size(&self, size: Size) -> Size {
        Size {
            dimension: self.count as f64,
            ..size
        }
    }
}

/// The first coordinates of points.
fn keep_first(points: &Points, count: usize, out: &mut Points) {
    let count = count.min(points.dimension());
    out.refill(count, |values| {
        values.extend(points.rows().flat_map(|row| &row[..count]));
    });
}

impl Learner for FirstInputs {
    fn capacities(&self) -> usize {
        self.learner.capacities()
    }

    fn try_fit(
        &mut self,
        data: &Training,
        stream: &Stream,
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        keep_first(&data.inputs, self.count, &mut self.data.inputs);
        self.data.labels.clone_from(&data.labels);
        self.learner.try_fit(&self.data, stream, interrupt)
    }

    fn try_predict(
        &mut self,
        points: &Points,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        keep_first(points, self.count, &mut self.points);
        self.learner.try_predict(&self.points, out, interrupt)
    }

    fn try_predict_training(
        &mut self,
        _: &Training,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        self.learner
            .try_predict_training(&self.data, out, interrupt)
    }

    fn is_linear(&self) -> bool {
        self.learner.is_linear()
    }

    fn is_smoother(&self) -> bool {
        self.learner.is_smoother()
    }

    fn try_leverages(
        &mut self,
        _: &Training,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<bool, Interrupted> {
        self.learner.try_leverages(&self.data, out, interrupt)
    }

    fn residuals_leave_one_out(&self) -> bool {
        self.learner.residuals_leave_one_out()
    }

    fn try_leave_one_out(
        &mut self,
        _: &Training,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<bool, Interrupted> {
        self.learner.try_leave_one_out(&self.data, out, interrupt)
    }

    fn members(&self) -> Option<Vec<usize>> {
        self.learner.members()
    }

    fn predict_members(
        &mut self,
        points: &Points,
        interrupt: &Interrupt,
        visit: &mut dyn FnMut(usize, usize, &[f64]),
    ) -> Result<bool, Interrupted> {
        keep_first(points, self.count, &mut self.points);
        self.learner.predict_members(&self.points, interrupt, visit)
    }

    fn expected(&self, problem: &Problem) -> Option<Vec<Expected>> {
        self.learner.expected(&self.of(problem))
    }

    fn moments(&self, problem: &Problem) -> Option<Vec<RiskMoments>> {
        self.learner.moments(&self.of(problem))
    }

    fn operations(&self, size: Size) -> f64 {
        self.learner.operations(self.size(size)) + size.predictions() * size.dimension
    }

    fn numbers_held(&self, size: Size) -> f64 {
        self.learner.numbers_held(self.size(size)) + size.predictions() * (self.count as f64 + 2.0)
    }

    fn remarks(&self) -> Option<Vec<Option<Remark>>> {
        self.learner.remarks()
    }

    fn refusal(&self, setting: usize) -> Option<&str> {
        self.learner.refusal(setting)
    }

    fn solves(&self) -> bool {
        self.learner.solves()
    }

    fn diagnose(
        &mut self,
        _: &Training,
        interrupt: &Interrupt,
    ) -> Result<Option<Vec<Diagnosis>>, Interrupted> {
        self.learner.diagnose(&self.data, interrupt)
    }
}
