//! Which inputs are chosen.

use super::super::design::Design;
use super::room;
use crate::interrupt::{Interrupt, Interrupted};
use crate::lanes::{add_scaled, dot};

/// A search for subsets; its memory is kept. Columns are scaled to length 1.
#[derive(Clone, Debug, Default)]
pub(super) struct SubsetSearch {
    /// By input: the length of its column, 0 where it is constant.
    pub lengths: Vec<f64>,
    /// The inputs chosen, those first that are in every larger subset.
    pub order: Vec<usize>,
    /// What the inputs chosen leave of the columns, and of the labels.
    columns: Vec<f64>,
    residual: Vec<f64>,
    chosen: Vec<f64>,
    /// Of backward search: the inverse of the products, and the weights.
    triangle: Vec<f64>,
    inverse: Vec<f64>,
    weights: Vec<f64>,
    inside: Vec<usize>,
    /// Of all subsets: by number of inputs, what remains of the products, and the best subset.
    levels: Vec<Vec<f64>>,
    best: Vec<BestSubset>,
    subset: Vec<usize>,
}

/// The best subset of a size so far, and how much of the labels' square it explains.
#[derive(Clone, Debug, Default)]
struct BestSubset {
    explained: f64,
    inputs: Vec<usize>,
}

/// A column of length 1 of which no more is left depends on those that were taken away.
const DEPENDENT: f64 = 1e-9;
/// The same of products, where squares lose half of the digits.
const DEPENDENT_SQUARE: f64 = 1e-12;
/// By this share of the labels' square a subset has to be better, so that rounding does not decide.
const MARGIN: f64 = 1e-13;

impl SubsetSearch {
    pub fn load(&mut self, design: &Design) {
        self.lengths.clear();
        let columns = (0..design.width()).map(|j| design.column(j));
        self.lengths.extend(columns.map(|x| dot(x, x).sqrt()));
        self.order.clear();
        self.order.reserve(design.width());
    }

    fn load_columns(&mut self, design: &Design) {
        let columns = room(&mut self.columns, design.columns().len());
        columns.copy_from_slice(design.columns());
        let all = columns.chunks_exact_mut(design.rows).zip(&self.lengths);
        for (column, length) in all.filter(|(_, length)| **length > 0.0) {
            column.iter_mut().for_each(|x| *x /= length);
        }
        self.residual.clone_from(&design.labels);
    }

    /// Adds up to `most` inputs, each the one that `worth` likes best, given what is left of its column, the
    /// square of that, and what is left of the labels.
    fn add(
        &mut self,
        design: &Design,
        most: usize,
        interrupt: &Interrupt,
        worth: impl Fn(&[f64], f64, &[f64]) -> f64,
    ) -> Result<(), Interrupted> {
        let rows = design.rows;
        self.load_columns(design);
        let columns = &mut self.columns[..rows * self.lengths.len()];
        while self.order.len() < most {
            interrupt.check(4 * columns.len())?;
            let mut best: Option<(f64, usize)> = None;
            for (j, column) in columns.chunks_exact(rows).enumerate() {
                let square = dot(column, column);
                if square <= DEPENDENT * DEPENDENT || self.order.contains(&j) {
                    continue;
                }
                let worth = worth(column, square, &self.residual);
                if best.is_none_or(|(most, _)| worth > most) {
                    best = Some((worth, j));
                }
            }
            let Some((_, next)) = best else {
                break;
            };
            self.order.push(next);
            let chosen = room(&mut self.chosen, rows);
            chosen.copy_from_slice(&columns[next * rows..][..rows]);
            let length = dot(chosen, chosen).sqrt();
            chosen.iter_mut().for_each(|x| *x /= length);
            let along = dot(chosen, &self.residual);
            add_scaled(&mut self.residual, -along, chosen);
            for column in columns.chunks_exact_mut(rows) {
                let along = dot(chosen, column);
                add_scaled(column, -along, chosen);
            }
        }
        Ok(())
    }

    /// One input after the other is added.
    pub fn forward(
        &mut self,
        design: &Design,
        most: usize,
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        self.add(design, most, interrupt, |column, square, residual| {
            let along = dot(column, residual);
            along * along / square
        })
    }

    /// One input after the other is dropped; the last to go comes first.
    pub fn backward(&mut self, design: &Design, interrupt: &Interrupt) -> Result<(), Interrupted> {
        let most = design.width().min(design.rows - 1);
        self.add(design, most, interrupt, |_, square, _| square)?;
        self.order.sort_unstable();
        self.inside.clone_from(&self.order);
        self.order.clear();
        self.invert(design);
        let size = self.inside.len();
        let (inverse, weights) = (&mut self.inverse, &mut self.weights);
        let mut left = size;
        while left > 0 {
            interrupt.check(size * size)?;
            // Without input i the sum of squares grows by w_i²/C_ii.
            let loss = |i: usize| weights[i] * weights[i] / inverse[i * size + i];
            let inside = (0..size).filter(|&i| self.inside[i] != usize::MAX);
            let Some(out) = inside.min_by(|&a, &b| loss(a).total_cmp(&loss(b))) else {
                break;
            };
            let chosen = room(&mut self.chosen, size);
            chosen.copy_from_slice(&inverse[out * size..][..size]);
            let pivot = chosen[out];
            let share = weights[out] / pivot;
            add_scaled(weights, -share, chosen);
            for (row, factor) in inverse.chunks_exact_mut(size).zip(&*chosen) {
                add_scaled(row, -factor / pivot, chosen);
            }
            self.order.push(self.inside[out]);
            self.inside[out] = usize::MAX;
            left -= 1;
        }
        self.order.reverse();
        Ok(())
    }

    /// The inverse of the products of the inputs inside, and their weights.
    fn invert(&mut self, design: &Design) {
        let (rows, size) = (design.rows, self.inside.len());
        self.load_columns(design);
        // R of QR, and then its inverse, column by column.
        let triangle = room(&mut self.triangle, size * size);
        triangle.fill(0.0);
        self.weights.clear();
        self.weights.resize(size, 0.0);
        let chosen = room(&mut self.chosen, rows.max(size));
        let mut z = std::mem::take(&mut self.residual);
        for (i, &feature) in self.inside.iter().enumerate() {
            let chosen = &mut chosen[..rows];
            chosen.copy_from_slice(&self.columns[feature * rows..][..rows]);
            let length = dot(chosen, chosen).sqrt();
            chosen.iter_mut().for_each(|x| *x /= length);
            triangle[i * size + i] = length;
            self.weights[i] = dot(chosen, &design.labels);
            for (j, &other) in self.inside.iter().enumerate().skip(i + 1) {
                let column = &mut self.columns[other * rows..][..rows];
                let along = dot(chosen, column);
                add_scaled(column, -along, chosen);
                triangle[i * size + j] = along;
            }
        }
        z.clear();
        z.extend_from_slice(&self.weights);
        // Row i of the inverse of R, from below.
        for i in (0..size).rev() {
            let row = &mut chosen[..size];
            row.fill(0.0);
            row[i] = 1.0;
            for j in i + 1..size {
                let (factor, below) = (triangle[i * size + j], &triangle[j * size..][..size]);
                add_scaled(&mut row[j..], -factor, &below[j..]);
            }
            let pivot = triangle[i * size + i];
            row.iter_mut().for_each(|x| *x /= pivot);
            triangle[i * size..][..size].copy_from_slice(row);
        }
        let inverse = room(&mut self.inverse, size * size);
        for i in 0..size {
            let row = &triangle[i * size..][..size];
            self.weights[i] = dot(row, &z);
            for j in 0..size {
                inverse[i * size + j] = dot(row, &triangle[j * size..][..size]);
            }
        }
        self.residual = z;
    }

    /// The best subsets of every size up to `most`.
    pub fn best(
        &mut self,
        design: &Design,
        most: usize,
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let width = design.width();
        self.load_columns(design);
        // A level holds for its inputs, those after the last one chosen, the products with each other
        // and, in the last column, with the labels.
        let stride = width + 1;
        self.levels.resize_with(most + 1, Vec::new);
        for level in &mut self.levels {
            room(level, width * stride);
        }
        let column = |j: usize| &self.columns[j * design.rows..][..design.rows];
        for i in 0..width {
            for j in i..width {
                self.levels[0][i * stride + j] = dot(column(i), column(j));
            }
            self.levels[0][i * stride + width] = dot(column(i), &design.labels);
        }
        let whole = dot(&design.labels, &design.labels);
        self.best.resize_with(most + 1, BestSubset::default);
        for best in &mut self.best {
            best.explained = f64::NEG_INFINITY;
            best.inputs.clear();
            best.inputs.reserve(width);
        }
        self.subset.clear();
        self.subset.reserve(width);
        let mut tour = Tour {
            width,
            most,
            margin: MARGIN * whole,
            best: &mut self.best,
            subset: &mut self.subset,
            interrupt,
        };
        tour.visit(&mut self.levels, 0, 0.0)
    }

    /// The best subset of a size; of a smaller one where there is none.
    pub fn best_of(&self, size: usize) -> &[usize] {
        let found = self.best[..=size.min(self.best.len() - 1)].iter().rev();
        let mut found = found.filter(|best| !best.inputs.is_empty());
        found.next().map_or(&[], |best| &best.inputs)
    }
}

/// The way through all subsets, each after the one that lacks its last input.
struct Tour<'a, 'b> {
    width: usize,
    most: usize,
    margin: f64,
    best: &'a mut [BestSubset],
    subset: &'a mut Vec<usize>,
    interrupt: &'a Interrupt<'b>,
}

impl Tour<'_, '_> {
    /// Visits all subsets that add inputs from `start` to the current one.
    fn visit(
        &mut self,
        levels: &mut [Vec<f64>],
        start: usize,
        explained: f64,
    ) -> Result<(), Interrupted> {
        let size = self.subset.len() + 1;
        let Some(([here], deeper)) = levels.split_at_mut_checked(1) else {
            return Ok(());
        };
        if size > self.most {
            return Ok(());
        }
        let (width, stride) = (self.width, self.width + 1);
        self.interrupt.check(20 * (width - start))?;
        for i in start..width {
            let row = &here[i * stride..][..stride];
            let pivot = row[i];
            if pivot <= DEPENDENT_SQUARE {
                continue;
            }
            let explained = explained + row[width] * row[width] / pivot;
            self.subset.push(i);
            let best = &mut self.best[size];
            if explained > best.explained + self.margin {
                best.explained = explained;
                best.inputs.clone_from(self.subset);
            }
            if let Some(next) = deeper
                .first_mut()
                .filter(|_| i + 1 < width && size < self.most)
            {
                let left = width - i;
                self.interrupt.check(left * left)?;
                for k in i + 1..width {
                    let factor = row[k] / pivot;
                    let from = &here[k * stride + k..(k + 1) * stride];
                    let to = &mut next[k * stride + k..(k + 1) * stride];
                    for ((to, from), x) in to.iter_mut().zip(from).zip(&row[k..]) {
                        *to = from - factor * x;
                    }
                }
                self.visit(deeper, i + 1, explained)?;
            }
            self.subset.pop();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::super::{Search, Subset};
    use super::*;
    use crate::data::{Points, Training};
    use crate::learner::Learner;
    use crate::stream::{Purpose, Stream};
    use rand::RngExt;

    /// A search of a million subsets asks whether to go on, and one that was stopped can be done again.
    #[test]
    fn long_searches_can_be_interrupted() {
        let mut stream = Stream::new(1, Purpose::Inputs, 0);
        let mut draw = |count: usize| (0..count).map(|_| stream.random()).collect::<Vec<f64>>();
        let data = Training {
            inputs: Points::new(20, draw(800)),
            labels: draw(40),
        };
        let stream = Stream::new(1, Purpose::Algorithm, 0);
        let asked = Cell::new(0);
        let count = |stop: bool| {
            asked.set(asked.get() + 1);
            stop
        };
        let mut subset = Subset::new(vec![10], Search::Best);
        let stops = || count(true);
        let stopped = subset.try_fit(&data, &stream, &Interrupt::new(&stops));
        assert_eq!((stopped, asked.get()), (Err(Interrupted), 1));
        let goes_on = || count(false);
        let done = subset.try_fit(&data, &stream, &Interrupt::new(&goes_on));
        assert!(done.is_ok() && asked.get() > 1);
        let mut fresh = Subset::new(vec![10], Search::Best);
        fresh.fit(&data, &stream);
        let [mut again, mut first] = [[0.0; 40]; 2];
        subset.predict(&data.inputs, &mut again);
        fresh.predict(&data.inputs, &mut first);
        assert_eq!(again, first);
    }
}
