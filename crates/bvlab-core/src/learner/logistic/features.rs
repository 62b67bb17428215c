//! Products of Legendre polynomials.

use crate::data::Points;
use crate::learner::{Basis, room};

/// The constant and the products of Legendre polynomials at some points, by rising degree: those of
/// a lower degree are the first ones.
#[derive(Clone, Debug, Default)]
pub(super) struct PolynomialFeatures {
    dimension: usize,
    degree: usize,
    /// All but the constant.
    terms: Vec<Term>,
    /// By degree: how many columns there are up to it.
    ends: Vec<usize>,
    count: usize,
    /// P_1, P_2, … of the first coordinate, of the second, and so on.
    factors: Vec<f64>,
    places: Vec<f64>,
    columns: Vec<f64>,
}

/// A column is an earlier one times P_power of a coordinate that comes after all of that one's.
#[derive(Clone, Copy, Debug)]
struct Term {
    parent: usize,
    coordinate: usize,
    power: usize,
}

impl PolynomialFeatures {
    fn list(&mut self, dimension: usize, degree: usize) {
        (self.dimension, self.degree) = (dimension, degree);
        self.terms.clear();
        self.ends.clear();
        self.ends.push(1);
        for total in 1..=degree {
            for power in 1..=total {
                let before = total - power;
                let start = before.checked_sub(1).map_or(0, |below| self.ends[below]);
                for parent in start..self.ends[before] {
                    let free = match parent {
                        0 => 0,
                        _ => self.terms[parent - 1].coordinate + 1,
                    };
                    self.terms.extend((free..dimension).map(|coordinate| Term {
                        parent,
                        coordinate,
                        power,
                    }));
                }
            }
            self.ends.push(self.terms.len() + 1);
        }
    }

    pub fn fill(&mut self, points: &Points, degree: usize, (from, to): (f64, f64)) {
        let (dimension, count) = (points.dimension(), points.len());
        if self.ends.is_empty() || (dimension, degree) != (self.dimension, self.degree) {
            self.list(dimension, degree);
        }
        self.count = count;
        let factors = room(&mut self.factors, dimension * degree * count);
        for (coordinate, factors) in factors
            .chunks_exact_mut((degree * count).max(1))
            .enumerate()
        {
            let place = |row: &[f64]| (2.0 * row[coordinate] - from - to) / (to - from);
            self.places.clear();
            self.places.extend(points.rows().map(place));
            Basis::Legendre.columns(&self.places, factors);
        }
        let columns = room(&mut self.columns, (self.terms.len() + 1) * count);
        columns[..count].fill(1.0);
        for (i, term) in self.terms.iter().enumerate() {
            let (done, rest) = columns.split_at_mut((i + 1) * count);
            let parent = &done[term.parent * count..][..count];
            let which = term.coordinate * degree + term.power - 1;
            let factor = &factors[which * count..][..count];
            for ((product, a), b) in rest[..count].iter_mut().zip(parent).zip(factor) {
                *product = a * b;
            }
        }
    }

    /// The columns up to a degree, where that was not too much.
    pub fn up_to(&self, degree: usize) -> Option<&[f64]> {
        let end = *self.ends.get(degree)?;
        Some(&self.columns[..end * self.count])
    }
}
