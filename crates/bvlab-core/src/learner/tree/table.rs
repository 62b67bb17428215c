//! The rows that trees were grown on, sorted by every feature.

use crate::data::{Points, Training};

/// Rows of inputs, sorted by every feature, and which of them the loaded training set has.
///
/// Trees that are grown one after another mostly see the same rows: bootstraps of one data set,
/// inputs that are fixed, the rounds of boosting. So rows are kept, and a training set whose rows are
/// among them need not be sorted. What a tree makes of a training set does not depend on which rows
/// were known: equal inputs stand in the order of the training set, whatever that of the table is.
#[derive(Clone, Debug, Default)]
pub(super) struct RowTable {
    dimension: usize,
    values: Vec<f64>,
    /// By feature: the rows by rising x, equal ones by row.
    orders: Vec<u32>,
    /// By feature and row: its place among the different values of x.
    ranks: Vec<u32>,
    /// By feature: whether no two rows are equal.
    distinct: Vec<bool>,
    /// The loaded set, and by row which of its sites that is.
    sites: Vec<Site>,
    places: Vec<u32>,
    merged: Vec<f64>,
    column: Points,
    room: usize,
}

/// A pair of a training set, and how often it stands there in a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    /// Its row in the table.
    pub row: u32,
    pub count: u32,
    pub label: f64,
    /// Where it first stands in the training set.
    first: u32,
}

/// The row of a site that is not in the table, and the site of a row that is not in the set.
const NONE: u32 = u32::MAX;

/// So many rows may be unknown before most have to be known.
const PATIENCE: usize = 32;

/// The result of a look-up.
#[derive(Clone, Copy, Default)]
struct LookUp {
    /// How many sites are in no row.
    unknown: usize,
    /// How many are in a row before that of the site before.
    out_of_turn: usize,
}

/// Whether two rows are equal. Most differ in the first number; the others are compared all at once.
#[inline(always)]
fn same(a: &[f64], b: &[f64]) -> bool {
    let differ = |(a, b): (&f64, &f64)| u32::from(a != b);
    a.first() == b.first() && a.iter().zip(b).map(differ).sum::<u32>() == 0
}

impl RowTable {
    /// How many rows are known.
    pub fn rows(&self) -> usize {
        self.places.len()
    }

    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The pairs of the loaded set.
    pub fn sites(&self) -> &[Site] {
        &self.sites
    }

    pub fn x(&self, row: u32, feature: usize) -> f64 {
        self.values[row as usize * self.dimension + feature]
    }

    /// By row the place of its x among the different ones.
    pub fn ranks(&self, feature: usize) -> &[u32] {
        let rows = self.rows();
        &self.ranks[feature * rows..][..rows]
    }

    /// Whether no two known rows have the same x.
    pub fn is_distinct(&self, feature: usize) -> bool {
        self.distinct[feature]
    }

    /// Writes the loaded rows by rising x, equal ones in the order of the training set.
    pub fn sorted(&self, feature: usize, column: &mut [u32]) {
        let rows = self.rows();
        let mut next = 0;
        for &row in &self.orders[feature * rows..][..rows] {
            // Written in any case: the next row overwrites one that is not of the set.
            if let Some(place) = column.get_mut(next) {
                *place = row;
            }
            next += usize::from(self.places[row as usize] != NONE);
        }
        if !self.distinct[feature] {
            let ranks = self.ranks(feature);
            let rank = |row: &u32| ranks[*row as usize];
            for equal in column.chunk_by_mut(|a, b| rank(a) == rank(b)) {
                equal.sort_unstable_by_key(|row| self.places[*row as usize]);
            }
        }
    }

    /// Takes in a training set.
    pub fn load(&mut self, data: &Training) {
        let inputs = &data.inputs;
        self.reserve(data);
        if self.dimension != inputs.dimension() {
            self.dimension = inputs.dimension();
            self.values.clear();
            self.places.clear();
        }
        self.gather(data);
        let found = self.look_up(inputs);
        // A few rows out of turn cost less than a new sort.
        if found.unknown > 0 || found.out_of_turn > 4 {
            self.learn(inputs, found.unknown, 2 * data.len());
        }
    }

    /// Room for twice as many rows as a training set has, so that to learn more of them does not
    /// allocate.
    fn reserve(&mut self, data: &Training) {
        let rows = 2 * data.len();
        let numbers = rows * data.inputs.dimension();
        if numbers <= self.room {
            return;
        }
        self.room = numbers;
        for values in [&mut self.values, &mut self.merged] {
            values.reserve(numbers.saturating_sub(values.len()));
        }
        self.sites.reserve(rows);
        self.places.reserve(rows);
        // Falling, because a sort that has nothing to do takes no memory.
        let falling = (0..rows).rev().map(|row| row as f64);
        self.column.refill(1, |values| values.extend(falling));
    }

    /// Joins pairs that stand in a row, as a bootstrap's do.
    fn gather(&mut self, data: &Training) {
        self.sites.clear();
        let mut last: &[f64] = &[];
        for ((i, x), &label) in (0..).zip(data.inputs.rows()).zip(&data.labels) {
            match self.sites.last_mut() {
                Some(site) if site.label == label && same(last, x) => site.count += 1,
                _ => self.sites.push(Site {
                    row: NONE,
                    count: 1,
                    label,
                    first: i,
                }),
            }
            last = x;
        }
    }

    /// Finds the sites among the known rows, mostly a little behind the one before.
    fn look_up(&mut self, inputs: &Points) -> LookUp {
        let mut found = LookUp::default();
        self.places.fill(NONE);
        let mut next = 0;
        for (place, site) in (0..).zip(&mut self.sites) {
            let x = inputs.row(site.first as usize);
            let from = next * self.dimension;
            let free = |row: usize, known: &[f64]| same(known, x) && self.places[row] == NONE;
            let rows = |from: usize| self.values[from..].chunks_exact(self.dimension);
            let ahead = (next..).zip(rows(from)).find(|(row, x)| free(*row, x));
            let row = match ahead {
                Some((row, _)) => row,
                None => match (0..next).zip(rows(0)).find(|(row, x)| free(*row, x)) {
                    Some((row, _)) => {
                        found.out_of_turn += 1;
                        row
                    }
                    None => {
                        found.unknown += 1;
                        if found.unknown > PATIENCE && 2 * found.unknown > place as usize {
                            found.unknown = self.sites.len();
                            break;
                        }
                        continue;
                    }
                },
            };
            site.row = row as u32;
            self.places[row] = place;
            next = row + 1;
        }
        found
    }

    /// Puts the rows of the set in its order and takes in those that are unknown; a row that is not
    /// of the set stays behind the one before it. Where few were known, or all would be more than
    /// `most`, the table begins anew.
    fn learn(&mut self, inputs: &Points, unknown: usize, most: usize) {
        let dimension = self.dimension;
        let keeps = 2 * unknown <= self.sites.len() && self.rows() + unknown <= most;
        if !keeps {
            self.values.clear();
            self.places.clear();
        }
        let absent = |from: usize| {
            let places = self.places[from..].iter();
            let end = from + places.take_while(|place| **place == NONE).count();
            &self.values[from * dimension..end * dimension]
        };
        self.merged.clear();
        self.merged.extend_from_slice(absent(0));
        for site in &mut self.sites {
            let row = (self.merged.len() / dimension) as u32;
            self.merged
                .extend_from_slice(inputs.row(site.first as usize));
            if keeps && site.row != NONE {
                self.merged.extend_from_slice(absent(site.row as usize + 1));
            }
            site.row = row;
        }
        std::mem::swap(&mut self.values, &mut self.merged);
        self.places.clear();
        self.places.resize(self.values.len() / dimension, NONE);
        for (place, site) in (0..).zip(&self.sites) {
            self.places[site.row as usize] = place;
        }
        self.sort();
    }

    /// Sorts all rows by every feature.
    fn sort(&mut self) {
        let dimension = self.dimension;
        let rows = self.rows();
        self.orders.clear();
        self.orders.reserve(self.room);
        self.ranks.clear();
        self.ranks.reserve(self.room);
        self.ranks.resize(rows * dimension, 0);
        self.distinct.clear();
        for feature in 0..dimension {
            let x = self.values.iter().skip(feature).step_by(dimension);
            self.column.refill(1, |column| column.extend(x));
            let (order, x) = (self.column.order(), self.column.values());
            self.orders.extend_from_slice(order);
            let ranks = &mut self.ranks[feature * rows..][..rows];
            let (mut rank, mut last) = (0, f64::NAN);
            for &row in order {
                let x = x[row as usize];
                rank += u32::from(x != last);
                ranks[row as usize] = rank;
                last = x;
            }
            self.distinct.push(rank as usize == rows);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::{Purpose, Stream};
    use rand::RngExt;

    fn columns(table: &RowTable) -> Vec<Vec<u32>> {
        let sorted = |feature| {
            let mut column = vec![0; table.sites().len()];
            table.sorted(feature, &mut column);
            let sites = column.iter().map(|row| table.places[*row as usize]);
            sites.collect()
        };
        (0..table.dimension()).map(sorted).collect()
    }

    /// Columns and sites are those of a table that never saw anything else; and in the end nothing
    /// is sorted any more.
    #[test]
    fn what_was_known_before_does_not_matter() {
        for values in [3, 1000] {
            let mut stream = Stream::new(1, Purpose::Inputs, 0);
            let mut draw = |most: u32| f64::from(stream.random_range(0..most));
            let all = Training {
                inputs: Points::new(2, (0..80).map(|_| draw(values)).collect()),
                labels: (0..40).map(|_| draw(3)).collect(),
            };
            let (mut table, mut sample) = (RowTable::default(), Training::default());
            let mut sorts = Vec::new();
            for round in 0..60 {
                let mut counts = vec![0; 40];
                (0..40).for_each(|_| counts[draw(40) as usize] += 1);
                all.repeat_into(&counts, &mut sample);
                let before = table.values.clone();
                table.load(&sample);
                sorts.push(table.values != before);
                let mut fresh = RowTable::default();
                fresh.load(&sample);
                assert_eq!(columns(&table), columns(&fresh), "round {round}");
                for (a, b) in table.sites().iter().zip(fresh.sites()) {
                    assert_eq!((a.label, a.count), (b.label, b.count));
                    for feature in 0..2 {
                        assert_eq!(table.x(a.row, feature), fresh.x(b.row, feature));
                    }
                }
            }
            if values == 1000 {
                assert_eq!(table.rows(), 40);
                assert!(sorts[30..].iter().all(|sorted| !sorted), "{sorts:?}");
            }
        }
    }
}
