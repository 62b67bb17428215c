//! The lasso's path, from knot to knot.

use super::super::design::Design;
use crate::interrupt::{Interrupt, Interrupted};
use crate::lanes::{add_scaled, dot};

/// The weights that are not zero, and what follows from them; memory is kept.
///
/// With the products G = XᵀX/n and r = Xᵀy/n, the weights of the active inputs A with signs s are
/// w(λ) = u - λ v, where G_AA u = r_A and G_AA v = s; the others' gradients are
/// r_j - G_jA w(λ) = a_j + λ b_j. Both hold until the next knot.
#[derive(Clone, Debug, Default)]
pub(super) struct LassoPath {
    /// r, and by input where its column of G stands, if it is known.
    products: Vec<f64>,
    known: Vec<Option<usize>>,
    gram: Vec<f64>,
    active: Vec<usize>,
    signs: Vec<f64>,
    is_active: Vec<bool>,
    /// By input: whether it is a combination of the active ones.
    dependent: Vec<bool>,
    /// L of LLᵀ = G_AA: row i has i + 1 numbers, after those of the rows before.
    factor: Vec<f64>,
    constant: Vec<f64>,
    slope: Vec<f64>,
    gradient: Vec<f64>,
    gradient_slope: Vec<f64>,
}

/// What happens at a knot.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Knot {
    /// An active input's weight becomes zero: its place among the active ones.
    Leaves(usize),
    /// An input becomes active, with a sign.
    Enters(usize, f64),
}

/// An input whose part that the active ones do not explain is a smaller share of its square adds nothing.
const DEPENDENT: f64 = 1e-12;

impl LassoPath {
    /// Writes the weights for every (λ, setting), by falling λ.
    pub fn follow(
        &mut self,
        design: &Design,
        wanted: impl Iterator<Item = (f64, usize)>,
        weights: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        self.load(design);
        let width = design.width();
        let mut wanted = wanted.peekable();
        let steepest = self.products.iter().fold(0.0_f64, |m, r| m.max(r.abs()));
        let (mut lambda, mut left) = (f64::INFINITY, None);
        // Every set of signs is met at most once; far fewer are met in practice.
        let most = 20 * (width + design.rows) + 100;
        for step in 0..=most {
            interrupt.check(4 * (width + 10) * (self.active.len() + 1))?;
            self.solve();
            let (next, knot) = match step < most {
                true => self.next_knot(lambda, left),
                false => (0.0, None),
            };
            while let Some((at, c)) = wanted.next_if(|(at, _)| *at >= next) {
                let weights = &mut weights[c * width..][..width];
                for ((&j, u), v) in self.active.iter().zip(&self.constant).zip(&self.slope) {
                    weights[j] = if *v == 0.0 { *u } else { u - at * v };
                }
                if !self.is_optimal(at, weights, 1e-9 * steepest) {
                    self.descend(design, at, weights, interrupt)?;
                }
            }
            if wanted.peek().is_none() {
                break;
            }
            left = None;
            match knot {
                None => break,
                Some(Knot::Leaves(place)) => left = Some(self.remove(place)),
                Some(Knot::Enters(j, sign)) => {
                    interrupt.check(design.rows * width)?;
                    self.enter(design, j, sign);
                }
            }
            lambda = next;
        }
        Ok(())
    }

    fn load(&mut self, design: &Design) {
        let (width, rows) = (design.width(), design.rows as f64);
        self.products.clear();
        let columns = (0..width).map(|j| dot(design.column(j), &design.labels) / rows);
        self.products.extend(columns);
        self.known.clear();
        self.known.resize(width, None);
        self.gram.clear();
        self.gram.reserve(width * width.min(design.rows));
        let most = width.min(design.rows);
        for numbers in [&mut self.signs, &mut self.constant, &mut self.slope] {
            numbers.clear();
            numbers.reserve(most);
        }
        self.active.clear();
        self.active.reserve(most);
        self.factor.clear();
        self.factor.reserve(most * (most + 1) / 2);
        for flags in [&mut self.is_active, &mut self.dependent] {
            flags.clear();
            flags.resize(width, false);
        }
    }

    /// The column of G that belongs to an input.
    fn gram_column(&mut self, design: &Design, j: usize) -> usize {
        if let Some(start) = self.known[j] {
            return start;
        }
        let start = self.gram.len();
        let rows = design.rows as f64;
        let all = (0..design.width()).map(|l| dot(design.column(j), design.column(l)) / rows);
        self.gram.extend(all);
        self.known[j] = Some(start);
        start
    }

    /// G_jl, where one of the two has been active.
    fn product(&self, j: usize, l: usize) -> f64 {
        match (self.known[j], self.known[l]) {
            (Some(start), _) => self.gram[start + l],
            (None, Some(start)) => self.gram[start + j],
            (None, None) => 0.0,
        }
    }

    /// Appends a row to the factor for the active input at a place; returns whether it is not a combination
    /// of those before.
    fn append(&mut self, place: usize) -> bool {
        let j = self.active[place];
        let start = place * (place + 1) / 2;
        self.factor.truncate(start);
        for i in 0..place {
            let product = self.product(j, self.active[i]);
            let other = i * (i + 1) / 2;
            let done = dot(&self.factor[start..], &self.factor[other..other + i]);
            self.factor.push((product - done) / self.factor[other + i]);
        }
        let row = &self.factor[start..];
        let whole = self.product(j, j);
        let pivot = whole - dot(row, row);
        let independent = pivot > DEPENDENT * whole && whole > 0.0;
        self.factor.push(pivot.max(f64::MIN_POSITIVE).sqrt());
        independent
    }

    fn enter(&mut self, design: &Design, j: usize, sign: f64) {
        self.gram_column(design, j);
        self.active.push(j);
        if self.append(self.active.len() - 1) {
            self.signs.push(sign);
            self.is_active[j] = true;
        } else {
            self.active.pop();
            let size = self.active.len();
            self.factor.truncate(size * (size + 1) / 2);
            self.dependent[j] = true;
        }
    }

    fn remove(&mut self, place: usize) -> usize {
        let j = self.active.remove(place);
        self.signs.remove(place);
        self.is_active[j] = false;
        self.dependent.fill(false);
        for later in place..self.active.len() {
            self.append(later);
        }
        let size = self.active.len();
        self.factor.truncate(size * (size + 1) / 2);
        j
    }

    /// u, v, a and b of the active inputs.
    fn solve(&mut self) {
        let products = self.active.iter().map(|&j| self.products[j]);
        self.constant.clear();
        self.constant.extend(products);
        self.slope.clone_from(&self.signs);
        back_and_forth(&self.factor, &mut self.constant);
        back_and_forth(&self.factor, &mut self.slope);
        self.gradient.clone_from(&self.products);
        self.gradient_slope.clear();
        self.gradient_slope.resize(self.products.len(), 0.0);
        let width = self.products.len();
        for ((&j, u), v) in self.active.iter().zip(&self.constant).zip(&self.slope) {
            if let Some(start) = self.known[j] {
                let column = &self.gram[start..start + width];
                add_scaled(&mut self.gradient, -u, column);
                add_scaled(&mut self.gradient_slope, *v, column);
            }
        }
    }

    /// The largest λ up to `lambda` at which something happens. The input that has just left does not
    /// come back at once.
    fn next_knot(&self, lambda: f64, left: Option<usize>) -> (f64, Option<Knot>) {
        let mut next = (0.0, None);
        let weights = self.signs.iter().zip(&self.constant).zip(&self.slope);
        for (place, ((sign, u), v)) in weights.enumerate() {
            // Towards zero as λ falls.
            if sign * v < 0.0 {
                let at = (u / v).min(lambda);
                if at > next.0 {
                    next = (at, Some(Knot::Leaves(place)));
                }
            }
        }
        for (j, (a, b)) in self.gradient.iter().zip(&self.gradient_slope).enumerate() {
            if self.is_active[j] || self.dependent[j] {
                continue;
            }
            for sign in [1.0, -1.0] {
                let closing = 1.0 - sign * b;
                let at = sign * a / closing;
                if closing > 0.0 && at > 0.0 {
                    let at = at.min(lambda);
                    let back = left == Some(j) && at == lambda;
                    if at > next.0 && !back {
                        next = (at, Some(Knot::Enters(j, sign)));
                    }
                }
            }
        }
        next
    }

    /// Whether no gradient is steeper than λ, and the signs are those of the weights.
    fn is_optimal(&self, lambda: f64, weights: &[f64], slack: f64) -> bool {
        let mut active = self.active.iter().zip(&self.signs);
        let signed = active.all(|(&j, sign)| sign * weights[j] >= 0.0);
        let others = self.gradient.iter().zip(&self.gradient_slope);
        let mut others = others.zip(&self.is_active).filter(|(_, active)| !**active);
        let flat = |(a, b): (&f64, &f64)| {
            let moved = if *b == 0.0 { 0.0 } else { lambda * b };
            (a + moved).abs() <= lambda + slack
        };
        signed && others.all(|(of, _)| flat(of))
    }

    /// Coordinate descent from the weights given.
    fn descend(
        &mut self,
        design: &Design,
        lambda: f64,
        weights: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let width = weights.len();
        self.gradient.clone_from(&self.products);
        for (j, weight) in weights.iter().enumerate() {
            if *weight != 0.0 {
                let start = self.gram_column(design, j);
                add_scaled(
                    &mut self.gradient,
                    -weight,
                    &self.gram[start..start + width],
                );
            }
        }
        for _ in 0..10_000 {
            let (mut moved, mut largest) = (0.0_f64, 0.0_f64);
            for (j, current) in weights.iter_mut().enumerate() {
                let column = design.column(j);
                let own = match self.known[j] {
                    Some(start) => self.gram[start + j],
                    None => dot(column, column) / design.rows as f64,
                };
                if own == 0.0 {
                    continue;
                }
                let pull = self.gradient[j] + own * *current;
                let size = (pull.abs() - lambda).max(0.0) / own;
                let weight = if pull < 0.0 { -size } else { size };
                let change = weight - *current;
                if change != 0.0 {
                    interrupt.check(2 * width)?;
                    let start = self.gram_column(design, j);
                    let column = &self.gram[start..start + width];
                    add_scaled(&mut self.gradient, -change, column);
                    *current = weight;
                }
                moved = moved.max(change.abs() * own.sqrt());
                largest = largest.max(weight.abs() * own.sqrt());
            }
            interrupt.check(10 * width)?;
            if moved <= 1e-14 * largest {
                break;
            }
        }
        // What was computed of the path's own weights is overwritten.
        self.solve();
        Ok(())
    }
}

/// Solves LLᵀx = y in place, with L row by row.
fn back_and_forth(factor: &[f64], y: &mut [f64]) {
    let row = |i: usize| &factor[i * (i + 1) / 2..][..=i];
    for i in 0..y.len() {
        let row = row(i);
        y[i] = (y[i] - dot(&row[..i], &y[..i])) / row[i];
    }
    for i in (0..y.len()).rev() {
        let row = row(i);
        y[i] /= row[i];
        let known = y[i];
        add_scaled(&mut y[..i], -known, &row[..i]);
    }
}
