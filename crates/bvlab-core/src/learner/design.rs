//! Inputs and labels as linear models take them: centred, and in units in which squares stay numbers.

use super::family::{Blueprint, Choice};
use super::kernel::unit_of;
use super::room;
use crate::data::{Points, Training};
use crate::lanes::dot;

/// What the inputs of a linear model are measured in.
pub(super) const SCALE: Choice = Choice::new(
    "scale",
    "whether inputs are taken as they are, or divided by their standard deviations",
    &["none", "sd"],
);

/// What the inputs of a linear model are divided by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InputScale {
    /// Nothing: they are taken as they are.
    #[default]
    None,
    /// Every input by its standard deviation √(Σ (x - mean)²/n) in the training set; one that does not vary
    /// is left out.
    Sd,
}

impl InputScale {
    /// That of a family with the choice [`SCALE`].
    pub(super) fn chosen(blueprint: &Blueprint) -> Self {
        blueprint.chosen(
            SCALE.name,
            &[("none", InputScale::None), ("sd", InputScale::Sd)],
        )
    }
}

/// A training set as a linear model takes it; its memory is kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Design {
    pub rows: usize,
    /// The inputs, column by column, less `means` and divided by `scales`. Those that do not vary
    /// are zero.
    columns: Vec<f64>,
    pub means: Vec<f64>,
    pub scales: Vec<f64>,
    /// The labels, less `mean_label` and divided by `unit`.
    pub labels: Vec<f64>,
    pub mean_label: f64,
    pub unit: f64,
    row: Vec<f64>,
}

impl Design {
    /// Takes in a training set; without intercept no means are taken off.
    pub fn load(&mut self, data: &Training, intercept: bool, scale: InputScale) {
        let inputs = &data.inputs;
        let (rows, dimension) = (inputs.len(), inputs.dimension());
        self.rows = rows;
        let common = unit_of(inputs.values(), &[]);
        let columns = room(&mut self.columns, rows * dimension);
        self.means.clear();
        self.scales.clear();
        for (feature, column) in columns.chunks_exact_mut(rows).enumerate() {
            for (value, row) in column.iter_mut().zip(inputs.rows()) {
                *value = row[feature] / common;
            }
            let size = largest(column);
            let mean = mean_of(column, intercept);
            column.iter_mut().for_each(|value| *value -= mean);
            // What is left of a constant is rounding.
            let varies = largest(column) > 1e-14 * size;
            let sd = (dot(column, column) / rows as f64).sqrt();
            let divisor = match scale {
                InputScale::Sd if varies && sd > 0.0 => sd,
                _ => 1.0,
            };
            match varies {
                true => column.iter_mut().for_each(|value| *value /= divisor),
                false => column.fill(0.0),
            }
            self.means.push(mean * common);
            self.scales.push(divisor * common);
        }
        self.unit = unit_of(&data.labels, &[]);
        self.labels.clear();
        self.labels
            .extend(data.labels.iter().map(|y| y / self.unit));
        self.mean_label = mean_of(&self.labels, intercept);
        let mean = self.mean_label;
        self.labels.iter_mut().for_each(|y| *y -= mean);
        self.mean_label *= self.unit;
    }

    /// How many columns there are.
    pub fn width(&self) -> usize {
        self.means.len()
    }

    /// All columns, one after the other.
    pub fn columns(&self) -> &[f64] {
        &self.columns[..self.rows * self.width()]
    }

    /// One column.
    pub fn column(&self, feature: usize) -> &[f64] {
        &self.columns[feature * self.rows..][..self.rows]
    }

    /// The predictions of weights, so many as there are columns for every setting:
    /// `out[c * points.len() + j]` is that of setting c at point j.
    pub fn predict(&mut self, weights: &[f64], points: &Points, out: &mut [f64]) {
        let Design {
            means, scales, row, ..
        } = self;
        let width = means.len();
        for (j, x) in points.rows().enumerate() {
            row.clear();
            let of_x = x.iter().zip(&*means).zip(&*scales);
            row.extend(of_x.map(|((x, mean), scale)| (x - mean) / scale));
            for (c, weights) in weights.chunks_exact(width).enumerate() {
                let sum = dot(row, weights);
                out[c * points.len() + j] = self.mean_label + self.unit * sum;
            }
        }
    }
}

/// The mean, relative to the first so that equal numbers have exactly that mean; 0 where none is asked
/// for.
fn mean_of(numbers: &[f64], wanted: bool) -> f64 {
    let Some(first) = numbers.first().filter(|_| wanted) else {
        return 0.0;
    };
    let away: f64 = numbers.iter().map(|number| number - first).sum();
    first + away / numbers.len() as f64
}

fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0, |most, x| x.abs().max(most))
}
