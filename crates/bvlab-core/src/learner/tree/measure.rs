//! What splits are judged by.

use super::table::Site;
use crate::maths::{ln, square};

/// What a split gains, and what a node predicts.
pub(super) trait Measure {
    /// Takes in a training set of that many points, whose sites have rows below `rows`.
    fn load(&mut self, sites: &[Site], rows: usize, points: usize);

    /// How many points the sites of a node have, and whether their labels are all equal. Appends
    /// what the node predicts to `values`.
    fn summarise(&mut self, sites: &[u32], values: &mut Vec<f64>) -> NodeSummary;

    /// Begins to split a node that was looked at and predicts `value`; returns what a split would
    /// gain that leaves nothing to gain.
    fn enter(&mut self, sites: &[u32], points: u32, value: &[f64]) -> f64;

    /// Moves the sites of the node from right to left, one by one: returns after each how many points
    /// are on the left, and the gain of a split there.
    fn walk(&mut self) -> impl FnMut(u32) -> (u32, f64);
}

pub(super) struct NodeSummary {
    pub points: u32,
    pub pure: bool,
}

/// The fall of the sum of squared errors. With labels centred at the node's mean and s the sum of
/// the left ones, that is s² (1/n_left + 1/n_right). On labels 0 and 1 it is that of Gini impurity,
/// up to a factor.
#[derive(Clone, Debug, Default)]
pub(super) struct Squares {
    /// By row: label and number of points.
    labels: Vec<(f64, u32)>,
    /// By row of the node: the sum of its centred labels, and the number of points.
    away: Vec<(f64, u32)>,
    /// 1/k, and in a node of n points 1/k + 1/(n-k).
    inverse: Vec<f64>,
    factors: Vec<f64>,
}

impl Measure for Squares {
    fn load(&mut self, sites: &[Site], rows: usize, points: usize) {
        self.labels.resize(rows, (0.0, 0));
        self.away.resize(rows, (0.0, 0));
        for site in sites {
            self.labels[site.row as usize] = (site.label, site.count);
        }
        lengthen(&mut self.inverse, points, |k| 1.0 / k);
        self.factors.reserve(points + 1);
    }

    fn summarise(&mut self, sites: &[u32], values: &mut Vec<f64>) -> NodeSummary {
        // Relative to one label, so that equal labels give back exactly that label.
        let (first, _) = self.labels[sites[0] as usize];
        let (mut sum, mut points, mut pure) = (0.0, 0, true);
        for &site in sites {
            let (label, count) = self.labels[site as usize];
            sum += f64::from(count) * (label - first);
            points += count;
            pure &= label == first;
        }
        values.push(first + sum / f64::from(points));
        NodeSummary { points, pure }
    }

    fn enter(&mut self, sites: &[u32], points: u32, value: &[f64]) -> f64 {
        let mut squares = 0.0;
        for &site in sites {
            let (label, count) = self.labels[site as usize];
            let away = label - value[0];
            let sum = f64::from(count) * away;
            squares += sum * away;
            self.away[site as usize] = (sum, count);
        }
        pair(&self.inverse[..=points as usize], &mut self.factors);
        squares
    }

    #[inline(always)]
    fn walk(&mut self) -> impl FnMut(u32) -> (u32, f64) {
        let (sites, factors) = (self.away.as_slice(), self.factors.as_slice());
        let (mut sum, mut left) = (0.0, 0);
        #[inline(always)]
        move |site| {
            let (away, count) = sites[site as usize];
            sum += away;
            left += count;
            (left, sum * sum * factors[left as usize])
        }
    }
}

/// The fall of n times the impurity of a node in which n_k of n points are of class k: Gini's
/// 1 - Σ_k (n_k/n)², or with `ENTROPY` -Σ_k (n_k/n) ln(n_k/n).
#[derive(Clone, Debug, Default)]
pub(super) struct ClassImpurity<const ENTROPY: bool> {
    classes: usize,
    /// By row: class and number of points.
    labels: Vec<(u32, u32)>,
    /// By class: how many points the node has, and how many are on the left.
    totals: Vec<u32>,
    left: Vec<u32>,
    points: f64,
    /// Σ_k n_k² of the node, or Σ_k n_k ln n_k.
    sum: f64,
    /// By number k: 1/k, or k ln k.
    table: Vec<f64>,
    /// By number of points on the left: 1/k + 1/(n-k) over n², or n ln n - k ln k - (n-k) ln(n-k).
    factors: Vec<f64>,
}

impl<const ENTROPY: bool> ClassImpurity<ENTROPY> {
    pub fn of(&mut self, classes: usize) -> &mut Self {
        self.classes = classes;
        self.totals.resize(classes, 0);
        self.left.resize(classes, 0);
        self
    }

    fn count(&mut self, sites: &[u32]) -> u32 {
        self.totals.fill(0);
        let mut points = 0;
        for &site in sites {
            let (class, count) = self.labels[site as usize];
            self.totals[class as usize] += count;
            points += count;
        }
        points
    }
}

/// A fall of entropy in multiples of 2⁻³⁰: what is less is rounding, and must not decide between
/// equal gains.
#[inline(always)]
fn coarse(fall: f64) -> f64 {
    const LARGE: f64 = 1.5 * (1_u64 << 22) as f64;
    (fall + LARGE - LARGE).max(0.0)
}

impl<const ENTROPY: bool> Measure for ClassImpurity<ENTROPY> {
    fn load(&mut self, sites: &[Site], rows: usize, points: usize) {
        self.labels.resize(rows, (0, 0));
        for site in sites {
            self.labels[site.row as usize] = (site.label as u32, site.count);
        }
        lengthen(&mut self.table, points, |k| match ENTROPY {
            true if k == 0.0 => 0.0,
            true => k * ln(k),
            false => 1.0 / k,
        });
        self.factors.reserve(points + 1);
    }

    fn summarise(&mut self, sites: &[u32], values: &mut Vec<f64>) -> NodeSummary {
        let points = self.count(sites);
        let share = |count: &u32| f64::from(*count) / f64::from(points);
        match *self.totals {
            [_, one] => values.push(share(&one)),
            _ => values.extend(self.totals.iter().map(share)),
        }
        let pure = self.totals.contains(&points);
        NodeSummary { points, pure }
    }

    fn enter(&mut self, sites: &[u32], points: u32, _: &[f64]) -> f64 {
        self.count(sites);
        self.points = f64::from(points);
        pair(&self.table[..=points as usize], &mut self.factors);
        let totals = self.totals.iter();
        let (mass, all) = (&mut self.sum, self.points * self.points);
        if ENTROPY {
            *mass = totals.map(|&k| self.table[k as usize]).sum();
            let whole = self.table[points as usize];
            self.factors.iter_mut().for_each(|f| *f = whole - *f);
            coarse(whole - *mass)
        } else {
            *mass = totals.map(|&k| square(f64::from(k))).sum();
            self.factors.iter_mut().for_each(|f| *f /= all);
            self.points - *mass / self.points
        }
    }

    #[inline(always)]
    fn walk(&mut self) -> impl FnMut(u32) -> (u32, f64) {
        let ClassImpurity {
            labels,
            totals,
            left,
            points,
            sum,
            table,
            factors,
            ..
        } = self;
        left.fill(0);
        let (points, sum) = (*points, *sum);
        let mut below = 0;
        // Of the left side Σ l_k² and Σ l_k n_k; or of both sides the change of Σ n_k ln n_k.
        let (mut squares, mut products, mut change) = (0.0, 0.0, 0.0);
        #[inline(always)]
        move |site| {
            let (class, count) = labels[site as usize];
            let class = class as usize;
            let (total, before) = (totals[class], left[class]);
            let after = before + count;
            left[class] = after;
            below += count;
            let factor = factors[below as usize];
            let gain = if ENTROPY {
                let of = |k: u32| table[k as usize];
                change += (of(after) - of(before)) + (of(total - after) - of(total - before));
                coarse(factor + change)
            } else {
                // Σ_k (n l_k - n_left n_k)², of whole numbers: without rounding up to n = 9000.
                let [count, before, total] = [count, before, total].map(f64::from);
                squares += count * (2.0 * before + count);
                products += count * total;
                let left = f64::from(below);
                let spread =
                    points * (points * squares - 2.0 * left * products) + left * left * sum;
                spread * factor
            };
            (below, gain)
        }
    }
}

/// Adds to a table of a function of 0, 1, 2, … what it lacks.
fn lengthen(table: &mut Vec<f64>, last: usize, function: impl Fn(f64) -> f64) {
    let more = table.len()..=last;
    table.extend(more.map(|k| function(k as f64)));
}

/// Adds up a table with itself backwards.
fn pair(table: &[f64], sums: &mut Vec<f64>) {
    sums.clear();
    sums.extend(table.iter().zip(table.iter().rev()).map(|(a, b)| a + b));
}
