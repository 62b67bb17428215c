//! Where the inputs of a training set come from.

use std::sync::Arc;

use rand::RngExt;

use super::{Mixture, Points, Rows};
use crate::maths::{exp, normal, pow, square};
use crate::stream::Stream;

/// How many standard deviations of a normal input count as its range.
pub const NORMAL_REACH: f64 = 3.0;

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

impl Inputs {
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
