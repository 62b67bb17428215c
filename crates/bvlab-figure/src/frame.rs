//! Frames: the page cut into rows and columns.

use super::error::FigureError;
use super::theme::Page;

/// The corners of a rectangle.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Left edge.
    pub left: f64,
    /// Upper edge.
    pub top: f64,
    /// Right edge.
    pub right: f64,
    /// Lower edge.
    pub bottom: f64,
}

impl Frame {
    /// Cuts the frame in two, one above the other, with a gap between them.
    pub fn rows(&self, share: f64, gap: f64) -> [Frame; 2] {
        let middle = self.top + (self.bottom - self.top) * share;
        [
            Frame {
                bottom: middle - gap / 2.0,
                ..*self
            },
            Frame {
                top: middle + gap / 2.0,
                ..*self
            },
        ]
    }

    /// Cuts the frame into rows with a gap between them.
    pub fn stack(&self, count: usize, gap: f64) -> Vec<Frame> {
        let row = |(top, bottom)| Frame {
            top,
            bottom,
            ..*self
        };
        cut_evenly(self.top, self.bottom, count, gap)
            .map(row)
            .collect()
    }

    /// Cuts the frame into rows of heights in some proportion, with a gap between them.
    pub fn stack_by(&self, shares: &[f64], gap: f64) -> Vec<Frame> {
        let gaps = gap * (shares.len() as f64 - 1.0);
        let unit = (self.bottom - self.top - gaps) / shares.iter().sum::<f64>();
        let mut top = self.top;
        let row = |share: &f64| {
            let bottom = top + unit * share;
            let row = Frame {
                top,
                bottom,
                ..*self
            };
            top = bottom + gap;
            row
        };
        shares.iter().map(row).collect()
    }

    /// Cuts the frame into rows of cells.
    pub fn grid(&self, count: usize, columns: usize, (gap, between): (f64, f64)) -> Vec<Frame> {
        let rows = self.stack(count.div_ceil(columns), between).into_iter();
        let cells = rows.flat_map(|row| row.columns(columns, gap));
        cells.take(count).collect()
    }

    /// Cuts the frame into columns with a gap between them.
    pub fn columns(&self, count: usize, gap: f64) -> Vec<Frame> {
        let column = |(left, right)| Frame {
            left,
            right,
            ..*self
        };
        cut_evenly(self.left, self.right, count, gap)
            .map(column)
            .collect()
    }
}

/// Equal pieces of a length, with a gap between them: where each begins and ends.
fn cut_evenly(from: f64, to: f64, count: usize, gap: f64) -> impl Iterator<Item = (f64, f64)> {
    let size = (to - from - gap * (count - 1) as f64) / count as f64;
    (0..count).map(move |i| {
        let start = from + i as f64 * (size + gap);
        (start, start + size)
    })
}

/// How many of some panels stand side by side: all, or as many as are wide enough, in rows of equal
/// length.
///
/// # Errors
///
/// If they need rows, and the page is not tall enough for them.
pub fn side_by_side(page: &Page, width: f64, gap: f64, count: usize) -> Result<usize, FigureError> {
    let each = |columns: usize| (width + gap) / columns as f64 - gap;
    // Where there is room above each other, side by side needs more of it.
    let least = page.slim * if page.is_tall() { 1.2 } else { 1.0 };
    let fits = |columns: &usize| count.is_multiple_of(*columns) && each(*columns) >= least;
    let columns = (2..=count).rev().find(fits).unwrap_or(1);
    match columns < count && !page.is_tall() {
        true => Err(FigureError::Room),
        false => Ok(columns),
    }
}
