//! Test points on a grid.

use super::{Inputs, side};
use crate::data::Points;

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
            moves: inputs.is_design(),
        }
    }

    /// The test points, the last coordinate running fastest.
    pub fn points(&self) -> Points {
        let count = self.side.pow(self.dimension as u32);
        let mut values = Vec::with_capacity(count * self.dimension);
        for cell in 0..count {
            values.extend(self.within(cell, &self.place(cell)));
        }
        Points::new(self.dimension, values)
    }

    /// Whether the place of test points moves from cell to cell.
    pub fn moves(&self) -> bool {
        self.moves
    }

    /// Where in its cell a test point stands.
    pub fn place(&self, cell: usize) -> Vec<f64> {
        let axes = 0..self.dimension;
        let place = axes.map(|axis| match self.moves {
            true => (0.5 + cell as f64 * GOLDEN[axis % 2]).fract(),
            false => 0.5,
        });
        place.collect()
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

    /// The number of coordinates.
    pub(super) fn dimension(&self) -> usize {
        self.dimension
    }

    /// The volume of a cell.
    pub(super) fn volume(&self) -> f64 {
        let width = (self.to - self.from) / self.side as f64;
        (0..self.dimension).map(|_| width).product()
    }
}
