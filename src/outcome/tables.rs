//! The tables of a result, from what the engine gave.

use std::sync::Arc;

use super::Table;
use crate::decompose::Estimate;
use crate::engine::Results;
use crate::experiment::{Curve, Experiment};

/// All tables of a result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tables {
    /// One row per learner and sweep value: the parts of the error, averaged over x.
    pub curves: Table,
    /// One row per learner, value and test point: the parts of the error at that point.
    pub points: Table,
    /// The training sets of the resamples that were kept.
    pub training: Table,
    /// Their fits.
    pub fits: Table,
    /// Their risks.
    pub runs: Table,
}

impl Tables {
    /// The tables of a run.
    pub fn new(experiment: &Experiment, results: &Results) -> Self {
        Tables {
            curves: curves(experiment, results),
            points: points(experiment, results),
            training: training(experiment, results),
            fits: fits(experiment, results),
            runs: runs(experiment, results),
        }
    }

    /// Their names, as files are called.
    pub const NAMES: [&str; 5] = ["curves", "points", "training", "fits", "runs"];

    pub(super) fn each(&self) -> [&Table; 5] {
        [
            &self.curves,
            &self.points,
            &self.training,
            &self.fits,
            &self.runs,
        ]
    }
}

impl From<[Table; 5]> for Tables {
    fn from([curves, points, training, fits, runs]: [Table; 5]) -> Self {
        Tables {
            curves,
            points,
            training,
            fits,
            runs,
        }
    }
}

/// The value of a setting on the axis; missing for a single point.
fn value(curve: &Curve, setting: usize) -> f64 {
    curve
        .axis
        .as_ref()
        .map_or(f64::NAN, |axis| axis.values[setting])
}

fn axis_name(curve: &Curve) -> Arc<str> {
    curve.axis.as_ref().map_or("", |axis| &axis.name).into()
}

/// The columns of the test points or inputs: `x`, or `x1`, `x2`, … in several dimensions.
fn add_inputs(mut table: Table, dimension: usize, columns: Vec<Vec<f64>>) -> Table {
    for (i, column) in columns.into_iter().enumerate() {
        let name = match dimension {
            1 => "x".to_owned(),
            _ => format!("x{}", i + 1),
        };
        table = table.number(name, column);
    }
    table
}

fn curves(experiment: &Experiment, results: &Results) -> Table {
    let (mut learner, mut axis): (Vec<Arc<str>>, Vec<Arc<str>>) = (Vec::new(), Vec::new());
    let (mut values, mut noise) = (Vec::new(), Vec::new());
    let (mut bias2_exact, mut variance_exact) = (Vec::new(), Vec::new());
    let mut largest_share = Vec::new();
    let mut estimates: [Vec<Estimate>; 5] = Default::default();
    let weights = &experiment.test.weights;
    let points = weights.len();
    for (curve, result) in experiment.curves.iter().zip(&results.learners) {
        let name: Arc<str> = curve.name.as_str().into();
        for (setting, parts) in result.decomposition.parts.iter().enumerate() {
            learner.push(name.clone());
            axis.push(axis_name(curve));
            values.push(value(curve, setting));
            noise.push(parts.noise);
            largest_share.push(parts.largest_share);
            let row = [
                parts.bias2,
                parts.variance,
                parts.risk,
                parts.train,
                parts.test,
            ];
            for (column, estimate) in estimates.iter_mut().zip(row) {
                column.push(estimate);
            }
            let average = |all: &[f64]| {
                let at = &all[setting * points..][..points];
                at.iter().zip(weights).map(|(v, w)| v * w).sum::<f64>()
            };
            let exact = result.exact.as_ref();
            bias2_exact.push(exact.map_or(f64::NAN, |exact| average(&exact.bias2)));
            variance_exact.push(exact.map_or(f64::NAN, |exact| average(&exact.variance)));
        }
    }
    let rows = learner.len();
    let mut table = Table::default()
        .text("learner", learner)
        .text("axis", axis)
        .number("value", values)
        .whole("train", vec![experiment.problem.train as u64; rows])
        .whole("resamples", vec![results.resamples; rows])
        .number("noise", noise);
    let names = ["bias2", "variance", "risk", "train_risk", "test_risk"];
    for (name, column) in names.into_iter().zip(estimates) {
        table = table
            .number(name, column.iter().map(|estimate| estimate.value).collect())
            .number(
                format!("{name}_se"),
                column.iter().map(|estimate| estimate.se).collect(),
            );
    }
    table = table.number("largest_share", largest_share);
    if results.learners.iter().any(|result| result.exact.is_some()) {
        table = table
            .number("bias2_exact", bias2_exact)
            .number("variance_exact", variance_exact);
    }
    table
}

fn points(experiment: &Experiment, results: &Results) -> Table {
    let test = &experiment.test.points;
    let dimension = test.dimension();
    let (mut learner, mut axis): (Vec<Arc<str>>, Vec<Arc<str>>) = (Vec::new(), Vec::new());
    let mut inputs = vec![Vec::new(); dimension];
    let mut values = Vec::new();
    let mut numbers: [Vec<f64>; 5] = Default::default();
    for (curve, result) in experiment.curves.iter().zip(&results.learners) {
        let (name, axis_name): (Arc<str>, _) = (curve.name.as_str().into(), axis_name(curve));
        let split = &result.decomposition;
        for setting in 0..split.parts.len() {
            for (j, x) in test.rows().enumerate() {
                learner.push(name.clone());
                axis.push(axis_name.clone());
                values.push(value(curve, setting));
                for (column, x) in inputs.iter_mut().zip(x) {
                    column.push(*x);
                }
                let at = setting * test.len() + j;
                let truth = results.truth[j];
                let row = [
                    truth,
                    results.noise[j],
                    truth + split.mean[at],
                    split.bias2[at],
                    split.variance[at],
                ];
                for (column, number) in numbers.iter_mut().zip(row) {
                    column.push(number);
                }
            }
        }
    }
    let table = Table::default()
        .text("learner", learner)
        .text("axis", axis)
        .number("value", values);
    let mut table = add_inputs(table, dimension, inputs);
    for (name, column) in ["truth", "noise", "mean", "bias2", "variance"]
        .into_iter()
        .zip(numbers)
    {
        table = table.number(name, column);
    }
    table
}

fn training(experiment: &Experiment, results: &Results) -> Table {
    let dimension = experiment.problem.dimension;
    let (mut resample, mut labels) = (Vec::new(), Vec::new());
    let mut inputs = vec![Vec::new(); dimension];
    for kept in &results.kept {
        for (x, y) in kept.data.inputs.rows().zip(&kept.data.labels) {
            resample.push(kept.resample);
            labels.push(*y);
            for (column, x) in inputs.iter_mut().zip(x) {
                column.push(*x);
            }
        }
    }
    let table = Table::default().whole("resample", resample);
    add_inputs(table, dimension, inputs).number("y", labels)
}

fn fits(experiment: &Experiment, results: &Results) -> Table {
    let test = &experiment.test.points;
    let dimension = test.dimension();
    let mut learner: Vec<Arc<str>> = Vec::new();
    let (mut values, mut resample, mut predictions) = (Vec::new(), Vec::new(), Vec::new());
    let mut inputs = vec![Vec::new(); dimension];
    for (which, curve) in experiment.curves.iter().enumerate() {
        let name: Arc<str> = curve.name.as_str().into();
        for setting in 0..curve.learner.capacities() {
            for kept in &results.kept {
                let fit = &kept.fits[which].predictions[setting * test.len()..];
                for (x, prediction) in test.rows().zip(fit) {
                    learner.push(name.clone());
                    values.push(value(curve, setting));
                    resample.push(kept.resample);
                    predictions.push(*prediction);
                    for (column, x) in inputs.iter_mut().zip(x) {
                        column.push(*x);
                    }
                }
            }
        }
    }
    let table = Table::default()
        .text("learner", learner)
        .number("value", values)
        .whole("resample", resample);
    add_inputs(table, dimension, inputs).number("prediction", predictions)
}

fn runs(experiment: &Experiment, results: &Results) -> Table {
    let mut learner: Vec<Arc<str>> = Vec::new();
    let (mut values, mut resample) = (Vec::new(), Vec::new());
    let (mut risk, mut train) = (Vec::new(), Vec::new());
    for (which, curve) in experiment.curves.iter().enumerate() {
        let name: Arc<str> = curve.name.as_str().into();
        for setting in 0..curve.learner.capacities() {
            for kept in &results.kept {
                learner.push(name.clone());
                values.push(value(curve, setting));
                resample.push(kept.resample);
                risk.push(kept.fits[which].risk[setting]);
                train.push(kept.fits[which].train[setting]);
            }
        }
    }
    Table::default()
        .text("learner", learner)
        .number("value", values)
        .whole("resample", resample)
        .number("risk", risk)
        .number("train_risk", train)
}
