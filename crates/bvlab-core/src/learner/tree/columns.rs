//! Points sorted by every feature, as the nodes of a growing tree see them.

use std::hint::select_unpredictable;

/// By feature, the points by rising x. A node owns the same range of all columns: a split parts the
/// range, and each side keeps its order, so that nothing is sorted again.
///
/// Nodes of even depth see one copy of the columns, their children the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct SortedColumns {
    copies: [Vec<u32>; 2],
    length: usize,
    goes_left: Vec<bool>,
}

/// How a node is split: its range of columns is parted at `middle`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColumnSplit {
    pub feature: usize,
    /// Points up to it go left.
    pub threshold: f64,
    pub middle: usize,
}

impl SortedColumns {
    /// Makes room for columns of `length` points with indices below `points`, in as many features;
    /// and for later ones of up to `most` points, so that they do not allocate.
    pub fn resize(&mut self, features: usize, length: usize, points: usize, most: usize) {
        self.length = length;
        for copy in &mut self.copies {
            copy.reserve((most * features).saturating_sub(copy.len()));
            copy.resize(length * features, 0);
        }
        let points = self.goes_left.len().max(points);
        self.goes_left.resize(points, false);
    }

    /// The length of every column.
    pub fn len(&self) -> usize {
        self.length
    }

    /// The columns that the root sees, feature by feature.
    pub fn root_mut(&mut self) -> impl Iterator<Item = &mut [u32]> {
        self.copies[0].chunks_exact_mut(self.length.max(1))
    }

    /// A range of the points by one feature, as nodes of that depth see them.
    pub fn range(&self, depth: usize, feature: usize, start: usize, end: usize) -> &[u32] {
        &self.copies[depth % 2][feature * self.length..][start..end]
    }

    /// Parts the range of a node for its children, each side keeping its order.
    pub fn part(&mut self, depth: usize, start: usize, end: usize, split: &ColumnSplit) {
        let [even, odd] = &mut self.copies;
        let (from, to) = match depth % 2 {
            0 => (even, odd),
            _ => (odd, even),
        };
        let split_column = &from[split.feature * self.length..][start..end];
        for (place, &point) in (start..).zip(split_column) {
            self.goes_left[point as usize] = place < split.middle;
        }
        let columns = from
            .chunks_exact(self.length)
            .zip(to.chunks_exact_mut(self.length));
        for (from, to) in columns {
            let to = &mut to[start..end];
            let (mut left, mut right) = (0, split.middle - start);
            for &point in &from[start..end] {
                // No branch depends on the data.
                let goes_left = self.goes_left[point as usize];
                to[select_unpredictable(goes_left, left, right)] = point;
                left += usize::from(goes_left);
                right += usize::from(!goes_left);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_of_a_split_keep_their_order_in_every_column() {
        let mut columns = SortedColumns::default();
        columns.resize(2, 5, 8, 5);
        let orders = [[1, 3, 0, 7, 4], [7, 0, 1, 4, 3]];
        for (column, order) in columns.root_mut().zip(orders) {
            column.copy_from_slice(&order);
        }
        let split = ColumnSplit {
            feature: 0,
            threshold: 0.0,
            middle: 2,
        };
        columns.part(0, 0, 5, &split);
        assert_eq!(columns.range(1, 0, 0, 5), [1, 3, 0, 7, 4]);
        assert_eq!(columns.range(1, 1, 0, 5), [1, 3, 7, 0, 4]);
        // The right child is split again; the left one's range is not touched.
        let split = ColumnSplit {
            feature: 1,
            middle: 3,
            ..split
        };
        columns.part(1, 2, 5, &split);
        assert_eq!(columns.range(2, 0, 2, 5), [7, 0, 4]);
        assert_eq!(columns.range(1, 1, 0, 2), [1, 3]);
        // The parent still sees its own order.
        assert_eq!(columns.range(0, 1, 0, 2), [7, 0]);
    }
}
