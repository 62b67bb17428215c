//! Where the inputs of a training set come from.

use std::sync::Arc;

use rand::RngExt;

use super::{Mixture, ProblemError, Rows};
use crate::data::Points;
use crate::maths::{exp, normal, pow, square};
use crate::parameter::{DataSize, NamedValues, Parameter, ParameterError};
use crate::stream::Stream;

/// How many standard deviations of a normal input count as its range.
pub const NORMAL_REACH: f64 = 3.0;

/// The probability that a normal input lies further out.
const BEYOND_REACH: f64 = 0.002_699_796_063_260_19;

/// The distribution of the inputs: that of one coordinate, all having the same independently, or a
/// mixture of the classes' own.
#[derive(Clone, Debug, PartialEq)]
pub enum Inputs {
    /// Uniform between two ends.
    Uniform {
        /// The lower end.
        from: f64,
        /// The upper end.
        to: f64,
    },
    /// Normal.
    Normal {
        /// The mean.
        mean: f64,
        /// The standard deviation.
        sd: f64,
    },
    /// A fixed design: the midpoints of equal cells, (i + ½)/n of the range.
    Grid {
        /// The lower end.
        from: f64,
        /// The upper end.
        to: f64,
    },
    /// Every class has a distribution of its own.
    Mixture(Arc<Mixture>),
    /// The training rows of a table, each as likely.
    Rows(Arc<Rows>),
}

/// A law of inputs that an experiment can name.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct InputLaw {
    /// Its name in an experiment, such as `uniform`.
    pub name: &'static str,
    /// Its name in a menu.
    pub title: &'static str,
    /// What it is, in a line.
    pub meaning: &'static str,
    /// Its parameters, which an experiment gives as a list in this order.
    pub parameters: &'static [Parameter],
    /// Whether the inputs are the same in every resample.
    pub fixed: bool,
    build: fn(NamedValues) -> Inputs,
}

const ENDS: &[Parameter] = &[
    Parameter::real("from", "lower end").unit("units of x"),
    Parameter::real("to", "upper end").unit("units of x"),
];

/// Every law of inputs that an experiment can name.
pub const INPUT_LAWS: &[InputLaw] = &[
    InputLaw {
        name: "uniform",
        title: "uniform at random",
        meaning: "uniform between two ends",
        parameters: ENDS,
        fixed: false,
        build: |values| Inputs::uniform(values.number("from"), values.number("to")),
    },
    InputLaw {
        name: "normal",
        title: "normal at random",
        meaning: "normal",
        parameters: &[
            Parameter::real("mean", "mean").unit("units of x"),
            Parameter::number("sd", "standard deviation")
                .unit("units of x")
                .above(0.0),
        ],
        fixed: false,
        build: |values| Inputs::Normal {
            mean: values.number("mean"),
            sd: values.number("sd"),
        },
    },
    InputLaw {
        name: "grid",
        title: "evenly spaced",
        meaning: "the midpoints of equal cells of the range, the same in every resample",
        parameters: ENDS,
        fixed: true,
        build: |values| Inputs::Grid {
            from: values.number("from"),
            to: values.number("to"),
        },
    },
];

impl InputLaw {
    /// The law of that name.
    pub fn find(name: &str) -> Option<&'static InputLaw> {
        INPUT_LAWS.iter().find(|law| law.name == name)
    }

    /// Inputs of that law, with values of its parameters in their order.
    ///
    /// # Errors
    ///
    /// If a value is missing or not allowed, or they leave nothing to draw.
    pub fn inputs(&self, values: &[f64]) -> Result<Inputs, ProblemError> {
        for (i, parameter) in self.parameters.iter().enumerate() {
            let name = parameter.name;
            let value = values.get(i).copied();
            let value = value.ok_or(ProblemError::Inputs(ParameterError::Missing { name }))?;
            let checked = parameter.check(value, DataSize::UNKNOWN);
            checked.map_err(ProblemError::Inputs)?;
        }
        let inputs = (self.build)(NamedValues::new(self.parameters, values));
        inputs.check()?;
        Ok(inputs)
    }
}

impl Inputs {
    /// Checks that inputs can be drawn.
    ///
    /// # Errors
    ///
    /// If the range is empty or not finite, or normal inputs have no room to vary.
    pub(super) fn check(&self) -> Result<(), ProblemError> {
        if let Inputs::Normal { mean, sd } = *self {
            if sd.is_nan() || sd <= 0.0 {
                return Err(ProblemError::NoSpread(sd));
            }
            // No draw is ever forty standard deviations out; a tiny sd must not be lost in rounding.
            if !(mean - 40.0 * sd).is_finite()
                || !(mean + 40.0 * sd).is_finite()
                || mean + 1e-6 * sd == mean && mean != 0.0
            {
                return Err(ProblemError::NoRoom { mean, sd });
            }
        }
        let (from, to) = match self {
            Inputs::Mixture(_) | Inputs::Rows(_) => return Ok(()),
            _ => self.range(),
        };
        if !(from.is_finite() && to.is_finite() && (to - from).is_finite()) {
            return Err(ProblemError::InfiniteRange { from, to });
        }
        match from < to {
            true => Ok(()),
            false => Err(ProblemError::EmptyRange { from, to }),
        }
    }

    /// Uniform inputs, the same range for every coordinate.
    pub fn uniform(from: f64, to: f64) -> Self {
        Inputs::Uniform { from, to }
    }

    /// The range of a coordinate: its ends, or mean ± [`NORMAL_REACH`] sd; of a mixture or a
    /// table, what holds that of every class and coordinate.
    pub fn range(&self) -> (f64, f64) {
        match self {
            Inputs::Uniform { from, to } | Inputs::Grid { from, to } => (*from, *to),
            Inputs::Normal { mean, sd } => (mean - NORMAL_REACH * sd, mean + NORMAL_REACH * sd),
            Inputs::Mixture(mixture) => mixture.range(),
            Inputs::Rows(rows) => rows.range(),
        }
    }

    /// Fills `points` with `count` points. Drawn one after the other, so that a longer sample
    /// begins with the shorter one.
    ///
    /// # Panics
    ///
    /// If the design is a grid and `count` is no whole number to the power of the dimension;
    /// [`side`] tells.
    pub fn draw(&self, count: usize, dimension: usize, stream: &mut Stream, points: &mut Points) {
        points.refill(dimension, |values| match self {
            Inputs::Uniform { from, to } => values.extend(
                (0..count * dimension).map(|_| from + (to - from) * stream.random::<f64>()),
            ),
            Inputs::Normal { mean, sd } => {
                values.extend((0..count * dimension).map(|_| mean + sd * normal(stream)));
            }
            Inputs::Grid { from, to } => fill_grid(*from, *to, count, dimension, values),
            Inputs::Mixture(mixture) => (0..count).for_each(|_| mixture.draw(stream, values)),
            Inputs::Rows(rows) => {
                let inputs = &rows.train.inputs;
                for _ in 0..count {
                    values.extend_from_slice(inputs.row(stream.random_range(0..inputs.len())));
                }
            }
        });
    }

    /// The density at a point up to a factor: how much a test point on a grid counts when errors are
    /// averaged over the inputs' distribution.
    pub fn weight(&self, x: &[f64]) -> f64 {
        match self {
            Inputs::Uniform { .. } | Inputs::Grid { .. } | Inputs::Rows(_) => 1.0,
            Inputs::Normal { mean, sd } => {
                let density = |x: &f64| exp(-0.5 * square((x - mean) / sd));
                x.iter().map(density).product()
            }
            Inputs::Mixture(mixture) => mixture.density(x),
        }
    }
}

/// The number of cells along each axis of a grid of `count` points, where it is whole.
pub fn side(count: usize, dimension: usize) -> Option<usize> {
    let guess = pow(count as f64, 1.0 / dimension as f64).round() as usize;
    (u32::try_from(dimension)
        .ok()
        .and_then(|d| guess.checked_pow(d))
        == Some(count))
    .then_some(guess)
}

/// The midpoints of a grid of `count` cells over the range, the last coordinate running fastest.
pub fn grid(from: f64, to: f64, count: usize, dimension: usize) -> Points {
    let mut values = Vec::new();
    fill_grid(from, to, count, dimension, &mut values);
    Points::new(dimension, values)
}

/// A grid of test points over the range of the inputs: one in every cell, at its midpoint. Where the
/// training inputs are a grid, too, test points at the same place of every cell would see one phase
/// of it only: there the place moves from cell to cell by the golden section of a cell, which comes
/// near every phase.
#[derive(Clone, Debug, PartialEq)]
pub struct TestGrid {
    from: f64,
    to: f64,
    side: usize,
    dimension: usize,
    moves: bool,
}

/// (√5 - 1)/2 and its square: shifts by these fill a cell evenly, and differ between two axes.
const GOLDEN: [f64; 2] = [0.618_033_988_749_894_9, 0.381_966_011_250_105_1];

impl TestGrid {
    /// A grid of `count` cells, which [`side`] tells to be possible, in one or two dimensions.
    ///
    /// # Panics
    ///
    /// If `count` is no whole number to the power of the dimension.
    pub fn new(inputs: &Inputs, count: usize, dimension: usize) -> Self {
        let (from, to) = inputs.range();
        TestGrid {
            from,
            to,
            side: side(count, dimension).expect("a grid's size is checked with the experiment"),
            dimension,
            moves: matches!(inputs, Inputs::Grid { .. }),
        }
    }

    /// The test points, the last coordinate running fastest.
    pub fn points(&self) -> Points {
        let count = self.side.pow(self.dimension as u32);
        let mut values = Vec::with_capacity(count * self.dimension);
        for cell in 0..count {
            let place: Vec<f64> = (0..self.dimension)
                .map(|axis| match self.moves {
                    true => (0.5 + cell as f64 * GOLDEN[axis % 2]).fract(),
                    false => 0.5,
                })
                .collect();
            values.extend(self.within(cell, &place));
        }
        Points::new(self.dimension, values)
    }

    /// A place within a cell, given in shares of the cell along every axis.
    pub fn within(&self, cell: usize, place: &[f64]) -> Vec<f64> {
        let axes = (0..self.dimension).rev().zip(place);
        let along = axes.map(|(axis, place)| {
            let index = cell / self.side.pow(axis as u32) % self.side;
            self.from + (self.to - self.from) * ((index as f64 + place) / self.side as f64)
        });
        along.collect()
    }

    /// The volume of a cell.
    fn volume(&self) -> f64 {
        let width = (self.to - self.from) / self.side as f64;
        (0..self.dimension).map(|_| width).product()
    }
}

impl Inputs {
    /// Which share of the distribution lies beyond a grid, on which the densities sum to `total`.
    pub fn beyond(&self, grid: &TestGrid, total: f64) -> f64 {
        match self {
            // P(|z| > 3), for every coordinate.
            Inputs::Normal { .. } => {
                let inside = 1.0 - BEYOND_REACH;
                1.0 - (0..grid.dimension).map(|_| inside).product::<f64>()
            }
            Inputs::Mixture(_) => (1.0 - total * grid.volume()).max(0.0),
            Inputs::Uniform { .. } | Inputs::Grid { .. } | Inputs::Rows(_) => 0.0,
        }
    }
}

fn fill_grid(from: f64, to: f64, count: usize, dimension: usize, values: &mut Vec<f64>) {
    let side = side(count, dimension).expect("a grid's size is checked with the experiment");
    let midpoint = |cell: usize| from + (to - from) * ((cell as f64 + 0.5) / side as f64);
    for point in 0..count {
        for axis in (0..dimension).rev() {
            values.push(midpoint(point / side.pow(axis as u32) % side));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Purpose;

    #[test]
    fn a_grid_is_made_of_cell_midpoints() {
        assert_eq!(grid(0.0, 4.0, 4, 1).values(), [0.5, 1.5, 2.5, 3.5]);
        let square = grid(0.0, 2.0, 4, 2);
        assert_eq!(square.values(), [0.5, 0.5, 0.5, 1.5, 1.5, 0.5, 1.5, 1.5]);
        assert_eq!(side(27, 3), Some(3));
        assert_eq!(side(28, 3), None);
    }

    #[test]
    fn test_points_meet_every_phase_of_a_grid_of_inputs() {
        let inputs = Inputs::Grid { from: 0.0, to: 1.0 };
        // As many as there are inputs: midpoints would be the inputs themselves.
        let points = TestGrid::new(&inputs, 200, 1).points();
        let mut phases: Vec<f64> = points
            .values()
            .iter()
            .map(|x| (200.0 * x).fract())
            .collect();
        phases.sort_by(f64::total_cmp);
        let largest = phases.windows(2).map(|pair| pair[1] - pair[0]);
        assert!(largest.fold(phases[0], f64::max) < 0.02);
        assert!(points.is_sorted());
        let uniform = Inputs::Uniform { from: 0.0, to: 2.0 };
        let square = TestGrid::new(&uniform, 4, 2).points();
        assert_eq!(square, grid(0.0, 2.0, 4, 2));
    }

    #[test]
    fn a_longer_sample_begins_with_the_shorter_one() {
        for inputs in [
            Inputs::Uniform {
                from: -1.0,
                to: 2.0,
            },
            Inputs::Normal { mean: 1.0, sd: 2.0 },
        ] {
            let draw = |count| {
                let mut points = Points::default();
                inputs.draw(
                    count,
                    2,
                    &mut Stream::new(1, Purpose::Inputs, 0),
                    &mut points,
                );
                points.values().to_vec()
            };
            assert_eq!(draw(10)[..], draw(25)[..20]);
        }
    }
}
