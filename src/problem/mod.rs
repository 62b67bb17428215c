//! Where data come from: y = f(x) + s(x)·e with inputs x of a known distribution, the truth f and
//! noise e of unit variance. Because all three are known, noise, bias and variance can be told apart.

mod expression;
mod inputs;
mod noise;
mod points;
mod sheet;
mod table;
mod truth;

pub use expression::{Expression, ExpressionError, LONGEST};
pub use inputs::{Inputs, NORMAL_REACH, grid, side};
pub use noise::{Noise, Shape};
pub use points::{Points, Training};
pub use sheet::{MOST_BYTES, MOST_CELLS};
pub use table::{Key, MOST_CLASSES, Missing, Resample, Rows, TableError, TableUse, TestRows};
pub use truth::Truth;

use crate::stream::{Purpose, Stream};

/// A problem: the distribution that every training set is drawn from.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The function f to be learned.
    pub truth: Truth,
    /// The distribution of the inputs.
    pub inputs: Inputs,
    /// Whether all resamples share one draw of the inputs. Always true for a grid.
    pub fixed: bool,
    /// How many coordinates an input has.
    pub dimension: usize,
    /// The noise in the labels.
    pub noise: Noise,
    /// How many points a training set has.
    pub train: usize,
}

/// A function of the problem that has no finite value, or a negative sd, at some point.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{what} is {value} at {place}")]
pub struct NotFinite {
    /// Which function: the truth or the noise's sd.
    pub what: &'static str,
    /// What it gave.
    pub value: f64,
    /// Where, as text: `x = 0.5`.
    pub place: String,
}

impl Problem {
    /// Draws the training set of one resample into `data`. With fixed inputs only the labels are
    /// drawn anew.
    ///
    /// # Errors
    ///
    /// If truth or noise has no finite value at an input.
    pub fn draw(&self, seed: u64, resample: u64, data: &mut Training) -> Result<(), NotFinite> {
        self.draw_crossed(seed, [resample; 2], data)
    }

    /// Draws a training set with the inputs of one resample and the noise of another. Both are
    /// drawn point by point: a smaller training set is the beginning of a larger one, and noise of
    /// another sd is the same noise made to another size.
    ///
    /// # Errors
    ///
    /// If truth or noise has no finite value at an input.
    pub fn draw_crossed(
        &self,
        seed: u64,
        [inputs, noise]: [u64; 2],
        data: &mut Training,
    ) -> Result<(), NotFinite> {
        let drawn = if self.fixed { 0 } else { inputs };
        let mut stream = Stream::new(seed, Purpose::Inputs, drawn);
        self.inputs
            .draw(self.train, self.dimension, &mut stream, &mut data.inputs);
        data.labels.resize(self.train, 0.0);
        let mut stream = Stream::new(seed, Purpose::Noise, noise);
        self.noise.draw_unit(&mut stream, &mut data.labels);
        let everywhere = match data.inputs.rows().next() {
            Some(x) if self.noise.sd.is_constant() => Some(self.sd_at(x)?),
            _ => None,
        };
        let Training { inputs, labels } = data;
        let mut finish = |i: usize| {
            let x = inputs.row(i);
            let sd = everywhere.map_or_else(|| self.sd_at(x), Ok)?;
            labels[i] = self.truth_at(x)? + sd * labels[i];
            Ok(())
        };
        // By rising x where that is known: a function like the sine takes another turn from time to
        // time, and a processor foresees turns that come in order.
        match self.dimension {
            1 => inputs.order().iter().try_for_each(|&i| finish(i as usize)),
            _ => (0..inputs.len()).try_for_each(finish),
        }
    }

    /// How many classes there are; 0 where labels are numbers.
    pub fn classes(&self) -> usize {
        0
    }

    /// The truth f(x).
    ///
    /// # Errors
    ///
    /// If it is not finite.
    pub fn truth_at(&self, x: &[f64]) -> Result<f64, NotFinite> {
        let value = self.truth.at(x);
        match value.is_finite() {
            true => Ok(value),
            false => Err(not_finite("the truth", value, x)),
        }
    }

    /// The standard deviation s(x) of the noise.
    ///
    /// # Errors
    ///
    /// If it is negative or not finite.
    pub fn sd_at(&self, x: &[f64]) -> Result<f64, NotFinite> {
        let value = self.noise.sd.at(x);
        match value >= 0.0 && value.is_finite() {
            true => Ok(value),
            false => Err(not_finite("the noise's sd", value, x)),
        }
    }
}

fn not_finite(what: &'static str, value: f64, x: &[f64]) -> NotFinite {
    let place = match x {
        [x] => format!("x = {x}"),
        _ => (1..)
            .zip(x)
            .map(|(i, x)| format!("x{i} = {x}"))
            .collect::<Vec<_>>()
            .join(", "),
    };
    NotFinite { what, value, place }
}
