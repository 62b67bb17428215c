//! What is wrong with a problem.

use super::ExpressionError;
use crate::parameter::ParameterError;

/// Why training sets cannot be drawn from a problem.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// The truth is no expression.
    #[error("the truth: {0}")]
    Truth(ExpressionError),
    /// The noise's standard deviation is negative or not finite.
    #[error("the noise's sd must be at least 0 and finite, not {0}")]
    Sd(f64),
    /// A parameter of the noise's law is not allowed.
    #[error("the noise: {0}")]
    Noise(ParameterError),
    /// A parameter of the inputs' law is not allowed.
    #[error("the inputs: {0}")]
    Inputs(ParameterError),
    /// Training sets without points.
    #[error("a training set needs at least one point")]
    NoTraining,
    /// Inputs without coordinates.
    #[error("an input needs at least one coordinate")]
    NoDimension,
    /// A range whose lower end is not below its upper end.
    #[error("the range is empty: {from} is not below {to}")]
    EmptyRange {
        /// The lower end.
        from: f64,
        /// The upper end.
        to: f64,
    },
    /// A range that is infinite, or too wide to be computed with.
    #[error("the range is not finite: from {from} to {to}")]
    InfiniteRange {
        /// The lower end.
        from: f64,
        /// The upper end.
        to: f64,
    },
    /// Normal inputs that do not vary.
    #[error("the sd must be above 0, not {0}")]
    NoSpread(f64),
    /// Normal inputs whose draws would overflow, or all be rounded to the mean.
    #[error("normal inputs with mean {mean} and sd {sd} exceed the precision of 64-bit numbers")]
    NoRoom {
        /// The mean.
        mean: f64,
        /// The standard deviation.
        sd: f64,
    },
    /// A grid that is drawn anew.
    #[error("inputs on a grid are fixed")]
    GridNotFixed,
    /// A grid that is no square, cube and so on.
    #[error("a grid in {dimension} dimensions cannot have {train} points")]
    GridCount {
        /// How many points.
        train: usize,
        /// In how many dimensions.
        dimension: usize,
    },
    /// A density without parts, with too many, or with shares that are not above 0.
    #[error(
        "a density needs 1 to {} parts, each with a share above 0",
        super::MOST_PARTS
    )]
    NoDensity,
    /// More rows without replacement than a table has.
    #[error("a training set of {train} rows cannot be drawn from {rows} without replacement")]
    FewRows {
        /// How many rows were asked for.
        train: usize,
        /// How many there are.
        rows: usize,
    },
    /// Truth or noise of more coordinates than the inputs have.
    #[error("truth and noise need inputs of {needed} dimensions, not {dimension}")]
    TruthDimension {
        /// How many they need.
        needed: usize,
        /// How many there are.
        dimension: usize,
    },
    /// Another dimension than that of the inputs.
    #[error("the problem has {given} dimensions, but its inputs have {inputs}")]
    Dimension {
        /// What the problem says.
        given: usize,
        /// What its inputs have.
        inputs: usize,
    },
}
