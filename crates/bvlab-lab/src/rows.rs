//! The rows of a table: what a page needs to draw them over two columns, the rows of every training set by
//! their weights, and those that are held out.

use serde_json::{Value, json};

use super::classes::MarkedClasses;
use super::numbers::{counts, f4, f8};
use bvlab_core::engine::KeptResample;
use bvlab_core::plan::Plan;
use bvlab_core::problem::{Problem, Rows};

/// The most columns that are sent.
const MOST_COLUMNS: usize = 12;

/// The most numbers of rows that are sent, about 0.6 MB of text.
const MOST_VALUES: usize = 120_000;

/// For so many training sets all held-out rows have their probabilities sent, if there is room;
const DRAWN: usize = 50;

/// of many rows and classes for at least so many rows.
const FEWEST_MARKED: usize = 20;

/// The most numbers of fits, and of weights in units of four bytes, that are sent.
const MOST_SENT: usize = 128_000;

/// The rows of a plan about a table.
pub struct ShownRows<'a> {
    plan: &'a Plan,
    rows: &'a Rows,
    /// Where labels are classes.
    pub classes: Option<MarkedClasses<'a>>,
}

/// Why the rows of a plan cannot be drawn, if so.
pub fn refused(plan: &Plan) -> Option<String> {
    let rows = plan.problem().rows()?;
    let count = rows.train.len() + rows.test.len();
    (2 * count > MOST_VALUES).then(|| {
        let most = MOST_VALUES / 2;
        format!("The table has {count} rows, and the page draws at most {most}")
    })
}

impl<'a> ShownRows<'a> {
    /// Those of a plan; `None` where it is about no table, or about one that cannot be drawn.
    pub fn of(plan: &'a Plan) -> Option<Self> {
        let rows = plan.problem().rows()?;
        if refused(plan).is_some() {
            return None;
        }
        let classes = MarkedClasses::of(plan).map(|mut classes| {
            let held = rows.test.len();
            let wanted = classes.kept().clamp(DRAWN / 5, DRAWN);
            let room = classes.points_for(wanted).max(FEWEST_MARKED).min(held);
            classes.marked = (0..room).map(|i| (2 * i + 1) * held / (2 * room)).collect();
            classes
        });
        Some(ShownRows {
            plan,
            rows,
            classes,
        })
    }

    /// How many resamples there is room for.
    pub fn room(&self) -> usize {
        let weights = self.plan.problems.len() * self.rows.train.len() / 4;
        let cells = self.plan.settings() * self.rows.test.len();
        match &self.classes {
            Some(classes) => classes.room().min(MOST_SENT / weights.max(1)),
            None => MOST_SENT / (cells + weights).max(1),
        }
    }

    /// What the head says of them, in place of test points with a truth.
    pub fn head(&self) -> Value {
        let rows = self.rows;
        let columns = self.columns();
        let both = || [&rows.train, &rows.test].into_iter();
        let values = |column: usize| {
            let parts = both().flat_map(move |part| part.inputs.rows().map(move |x| x[column]));
            json!({ "name": rows.names[column], "values": f4(parts) })
        };
        let truth = rows.truth();
        let unknown: Vec<f64> = vec![f64::NAN; rows.test.len()];
        let labels = both().flat_map(|part| part.labels.iter().copied());
        let mut head = json!({
            "rows": {
                "target": rows.target,
                "columns": columns.iter().map(|column| values(*column)).collect::<Vec<_>>(),
                "of": rows.names.len(),
                "first": self.first(&columns),
                "labels": f4(labels),
                "classes": rows.classes,
                "drawn": rows.train.len(),
                "held": rows.test.len(),
                "marked": self.classes.as_ref().map(|classes| &classes.marked),
            },
        });
        let test = match &self.classes {
            Some(classes) => {
                head["classes"] = json!(classes.classes);
                head["loss"] = classes.loss();
                json!({ "kind": "rows", "truth": f8(&classes.at_marked(&truth, classes.classes)) })
            }
            None => json!({
                "kind": "rows",
                "truth": f8(&truth),
                "weights": f8(&self.plan.test.weights),
            }),
        };
        head["test"] = test;
        head["noise"] = self.plan.problems.iter().map(|_| f8(&unknown)).collect();
        head
    }

    /// The columns that are sent: all of them, or those that tell most of the labels, in their order.
    fn columns(&self) -> Vec<usize> {
        let rows = self.rows.train.len() + self.rows.test.len();
        let most = MOST_COLUMNS.min(MOST_VALUES / rows.max(1)).max(1);
        let all = 0..self.rows.names.len();
        match all.len() <= most {
            true => all.collect(),
            false => self.telling(all, most),
        }
    }

    /// Which of the columns that are sent are drawn first.
    fn first(&self, columns: &[usize]) -> Vec<usize> {
        let place = |column| columns.iter().position(|other| *other == column);
        let two = self.telling(columns.iter().copied(), 2);
        two.into_iter().filter_map(place).collect()
    }

    /// Of some columns those that tell most of the labels, in their order.
    fn telling(&self, columns: impl Iterator<Item = usize>, most: usize) -> Vec<usize> {
        let mut told: Vec<(usize, f64)> = columns
            .map(|column| (column, self.told_by(column)))
            .collect();
        told.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut found: Vec<usize> = told
            .into_iter()
            .take(most)
            .map(|(column, _)| column)
            .collect();
        found.sort_unstable();
        found
    }

    /// The share of a column's variance between classes; of numbers the squared correlation with them.
    fn told_by(&self, column: usize) -> f64 {
        let data = &self.rows.train;
        let count = data.len() as f64;
        let x = || data.inputs.rows().map(|row| row[column]);
        let mean = x().sum::<f64>() / count;
        let all: f64 = x().map(|x| (x - mean) * (x - mean)).sum();
        let share = match self.rows.classes.len() {
            0 => {
                let centre = data.labels.iter().sum::<f64>() / count;
                let squares: f64 = data
                    .labels
                    .iter()
                    .map(|y| (y - centre) * (y - centre))
                    .sum();
                let both: f64 = x()
                    .zip(&data.labels)
                    .map(|(x, y)| (x - mean) * (y - centre))
                    .sum();
                both * both / (all * squares)
            }
            classes => {
                let mut sums = vec![(0.0, 0.0); classes];
                for (x, label) in x().zip(&data.labels) {
                    let (sum, count) = &mut sums[*label as usize];
                    *sum += x - mean;
                    *count += 1.0;
                }
                let between = sums.iter().filter(|(_, count)| *count > 0.0);
                between.map(|(sum, count)| sum * sum / count).sum::<f64>() / all
            }
        };
        // A column that is the same in all rows tells nothing.
        if share.is_nan() { 0.0 } else { share }
    }

    /// How many times every row that can be drawn is in a training set, by problem.
    pub fn weights(&self, kept: &KeptResample) -> Value {
        let seed = self.plan.run.seed;
        let counted = |problem: &Problem| problem.row_counts(seed, kept.resample);
        let each = self.plan.problems.iter().filter_map(counted);
        each.map(|weights| counts(&weights)).collect()
    }
}
