//! The rows that trees were grown on, sorted by every feature.

use crate::problem::{Points, Training};

/// Rows of inputs, sorted by every feature, and which of them the loaded training set has.
///
/// Trees that are grown one after another mostly see the same rows: bootstraps of one data set,
/// inputs that are fixed, the rounds of boosting. So rows are kept, and a training set that has its
/// rows among them, in the same order, need not be sorted. What a tree makes of a training set does
/// not depend on which rows were known: only on the order of its own.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    dimension: usize,
    values: Vec<f64>,
    /// By feature: the rows by rising x, equal ones by row.
    orders: Vec<u32>,
    /// By feature and row: its place among the different values of x.
    ranks: Vec<u32>,
    /// By feature: whether no two rows are equal.
    distinct: Vec<bool>,
    /// The loaded set.
    sites: Vec<Site>,
    present: Vec<bool>,
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

/// How many rows ahead a row is looked for.
const REACH: usize = 64;

/// The row of a site that is not in the table.
const UNKNOWN: u32 = u32::MAX;

/// Whether two rows are equal. Most differ in the first number; the others are compared all at once.
#[inline(always)]
fn same(a: &[f64], b: &[f64]) -> bool {
    let differ = |(a, b): (&f64, &f64)| u32::from(a != b);
    a.first() == b.first() && a.iter().zip(b).map(differ).sum::<u32>() == 0
}

impl Table {
    /// How many rows are known.
    pub fn rows(&self) -> usize {
        self.present.len()
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

    /// Writes the loaded rows by rising x.
    pub fn sorted(&self, feature: usize, column: &mut [u32]) {
        let rows = self.rows();
        let mut next = 0;
        for &row in &self.orders[feature * rows..][..rows] {
            // Written in any case: the next row overwrites one that is not present.
            if let Some(place) = column.get_mut(next) {
                *place = row;
            }
            next += usize::from(self.present[row as usize]);
        }
    }

    /// Takes in a training set.
    pub fn load(&mut self, data: &Training) {
        let inputs = &data.inputs;
        self.reserve(data);
        if self.dimension != inputs.dimension() {
            self.dimension = inputs.dimension();
            self.values.clear();
        }
        self.gather(data);
        let unknown = self.look_up(inputs);
        if unknown > 0 {
            self.learn(inputs, unknown, 2 * data.len());
        }
        let rows = self.values.len() / self.dimension.max(1);
        self.present.clear();
        self.present.resize(rows, false);
        for site in &self.sites {
            self.present[site.row as usize] = true;
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
        self.present.reserve(rows);
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
                    row: UNKNOWN,
                    count: 1,
                    label,
                    first: i,
                }),
            }
            last = x;
        }
    }

    /// Finds the sites among the known rows, each behind the one before it, and tells how many are
    /// not there.
    fn look_up(&mut self, inputs: &Points) -> usize {
        let (mut next, mut found, mut unknown) = (0, 0, 0);
        for site in &mut self.sites {
            let x = inputs.row(site.first as usize);
            let ahead = self.values[next * self.dimension..].chunks_exact(self.dimension);
            match ahead.take(REACH).position(|known| same(known, x)) {
                Some(skipped) => {
                    next += skipped;
                    site.row = next as u32;
                    next += 1;
                    found += 1;
                }
                None => unknown += 1,
            }
            if unknown > REACH && unknown > found {
                return self.sites.len();
            }
        }
        unknown
    }

    /// Takes in what is unknown, in its place between the known rows; or the loaded rows alone where
    /// few of them were known or all would be more than `most`.
    fn learn(&mut self, inputs: &Points, unknown: usize, most: usize) {
        let dimension = self.dimension;
        let known = self.values.len() / dimension;
        let keeps = 2 * unknown <= self.sites.len() && known + unknown <= most;
        self.merged.clear();
        let mut copied = 0;
        for site in &mut self.sites {
            let row = self.merged.len() / dimension;
            if keeps && site.row != UNKNOWN {
                let next = (site.row as usize + 1) * dimension;
                self.merged.extend_from_slice(&self.values[copied..next]);
                site.row = (row + (next - copied) / dimension - 1) as u32;
                copied = next;
            } else {
                let x = inputs.row(site.first as usize);
                self.merged.extend_from_slice(x);
                site.row = row as u32;
            }
        }
        if keeps {
            self.merged.extend_from_slice(&self.values[copied..]);
        }
        std::mem::swap(&mut self.values, &mut self.merged);
        self.sort();
    }

    /// Sorts all rows by every feature.
    fn sort(&mut self) {
        let dimension = self.dimension;
        let rows = self.values.len() / dimension;
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
