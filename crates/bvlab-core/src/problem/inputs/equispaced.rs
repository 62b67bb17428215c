//! Evenly spaced inputs, a fixed design.

use super::{CoordinateRule, InputLaw, ends};

pub(super) const LAW: InputLaw = InputLaw::between(
    "grid",
    "evenly spaced",
    "the midpoints of equal cells of the range, the same in every resample",
    CoordinateRule::Design(|values, cell, cells| {
        let (from, to) = ends(values);
        midpoint(from, to, cell, cells)
    }),
);

/// The midpoint of a cell, of `cells` equal ones between two ends.
pub(super) fn midpoint(from: f64, to: f64, cell: usize, cells: usize) -> f64 {
    from + (to - from) * ((cell as f64 + 0.5) / cells as f64)
}
