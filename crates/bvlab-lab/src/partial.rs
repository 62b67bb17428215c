//! The tables of a simulation on its way, for pictures of its first resamples.

use std::collections::VecDeque;

use bvlab_core::simulation::Row;
use bvlab_core::task::Outcome;

/// The most rows that are kept, some megabytes. A picture of fewer resamples is computed anew.
const MOST_ROWS: usize = 40_000;

/// About how many bytes a row takes with its texts.
const ROW_BYTES: usize = size_of::<Row>() + 32;

/// The tables after some numbers of resamples, the newest ones.
#[derive(Default)]
pub struct PartialTables {
    tables: VecDeque<(u64, Vec<Row>)>,
    rows: usize,
}

impl PartialTables {
    /// The most bytes that they take, about.
    pub const MOST_BYTES: usize = MOST_ROWS * ROW_BYTES;

    /// Keeps the table after so many resamples, and forgets the oldest where that becomes too much.
    pub fn keep(&mut self, count: u64, rows: &[Row]) {
        if rows.len() > MOST_ROWS {
            return;
        }
        self.rows += rows.len();
        self.tables.push_back((count, rows.to_vec()));
        while self.rows > MOST_ROWS {
            let oldest = self.tables.pop_front();
            self.rows -= oldest.map_or(self.rows, |(_, rows)| rows.len());
        }
    }

    /// The outcome of a run of so many resamples, if its table is kept.
    pub fn outcome(&self, count: u64) -> Option<Outcome> {
        let (_, rows) = self.tables.iter().find(|(known, _)| *known == count)?;
        Some(Outcome::Simulation {
            rows: rows.clone(),
            resamples: count,
        })
    }

    /// The numbers of resamples whose tables are kept.
    pub fn counts(&self) -> impl Iterator<Item = u64> {
        self.tables.iter().map(|(count, _)| *count)
    }

    /// About how many bytes they take.
    pub fn size(&self) -> usize {
        self.rows * ROW_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_tables_are_forgotten() {
        let rows = |count: usize| {
            let row = Row {
                panel: String::new(),
                series: String::new(),
                x: 1.0,
                value: 0.0,
                se: 0.0,
                theory: 0.0,
                chance: 0.0,
            };
            vec![row; count]
        };
        let mut partial = PartialTables::default();
        for (count, many) in [(4, 30_000), (6, 5_000), (8, 10_000), (12, 50_000)] {
            partial.keep(count, &rows(many));
        }
        assert_eq!(partial.counts().collect::<Vec<_>>(), [6, 8]);
        assert_eq!(partial.outcome(8).map(|found| found.counts().0), Some(8));
        assert!(partial.outcome(4).is_none() && partial.outcome(12).is_none());
        assert!(partial.size() > 15_000 * 100);
    }
}
