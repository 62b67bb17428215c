//! Classes over two inputs: what a page needs to draw their regions and boundaries, and the clouds of
//! predicted probabilities.
//!
//! The marked points are spread over the grid.

use serde_json::{Value, json};

use super::classes::{MarkedClasses, first_largest};
use super::numbers::{f4, f8, labels};
use bvlab_core::plan::{Plan, TestKind};

/// The most and the fewest marked points; as many as there is room for.
const MARKED: (usize, usize) = (400, 100);

/// The most true probabilities that are sent for the whole grid, so that Bayes' boundary is smooth.
const MOST_TRUTH: usize = 30_000;

/// The share of the inputs at either end of a coordinate that is not in sight.
const UNSEEN: f64 = 0.002;

/// The test points of a problem of classes as a grid in the plane.
pub struct Plane<'a> {
    plan: &'a Plan,
    /// The labels there, and the probabilities at the marked points.
    pub classes: MarkedClasses<'a>,
    /// How many test points are side by side; the second coordinate runs fastest.
    side: usize,
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
        let mut classes = MarkedClasses::of(plan)?;
        if refused(plan).is_some() {
            return None;
        }
        let side = plan.test.points.len().isqrt();
        let along = classes.points_for(classes.kept()).clamp(MARKED.1, MARKED.0);
        let along = along.isqrt().min(side);
        let place = |i: usize| (2 * i + 1) * side / (2 * along);
        let rows = (0..along).flat_map(|i| (0..along).map(move |j| place(i) * side + place(j)));
        classes.marked = rows.collect();
        Some(Plane {
            plan,
            classes,
            side,
        })
    }

    /// What the head says of it, in place of test points on a line.
    pub fn head(&self) -> Value {
        let test = &self.plan.test;
        let (problem, loss) = (self.plan.problem(), self.plan.run.loss);
        // Checked with the experiment.
        let truth = problem.truth_of(&test.points).unwrap_or_default();
        let [xs, ys] = self.axes();
        let classes = self.classes.classes;
        let least: Vec<f64> = truth.chunks_exact(classes).map(|p| loss.least(p)).collect();
        let marked = |values: &[f64], width: usize| f8(&self.classes.at_marked(values, width));
        json!({
            "classes": classes,
            "loss": self.classes.loss(),
            "plane": {
                "xs": f8(&xs),
                "ys": f8(&ys),
                "inSight": self.in_sight(&xs, &ys),
                "bayes": labels(classes, truth.chunks_exact(classes).map(first_largest)),
                "truth": (truth.len() <= MOST_TRUTH).then(|| {
                    let rows = truth.chunks_exact(classes);
                    f4(rows.flat_map(|p| p[1..].iter().copied()))
                }),
                "count": self.classes.marked.len(),
            },
            "test": {
                "kind": "grid",
                "x": marked(test.points.values(), 2),
                "truth": marked(&truth, classes),
            },
            "noise": self.plan.problems.iter().map(|_| marked(&least, 1)).collect::<Vec<_>>(),
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
}
