//! The least-squares problem of a smoothing spline, solved from left to right.
//!
//! A cubic on an interval of length h with values v, v' and slopes s, s' at its ends has
//! ∫ f''² = (s' - s)²/h + 12 (v' - v - h (s + s')/2)²/h³. So the spline minimises a sum of squares: two
//! for every interval, times λ, and one for every site, times its number of points. Each couples one
//! site, or two neighbours; rotations of rows remove one site's unknowns after the other.

use super::room;
use crate::maths::{exp, ln};

/// Solves for the values and slopes at the sites; its memory is kept.
#[derive(Clone, Debug, Default)]
pub(super) struct SplineSolver {
    rows: Vec<SiteRows>,
    weights: Vec<f64>,
    slopes: Vec<f64>,
}

/// Two rows of the triangular factor, by site: those of its own unknowns, those of the next site's, and
/// the right side.
#[derive(Clone, Copy, Debug, Default)]
struct SiteRows {
    own: [[f64; 2]; 2],
    next: [[f64; 2]; 2],
    right: [f64; 2],
}

/// One row: own unknowns, the next site's, right side.
type BandRow = [f64; 5];

/// Turns two rows so that the second has a zero in a column.
#[inline(always)]
fn rotate(first: &mut BandRow, second: &mut BandRow, column: usize) {
    let (a, b) = (first[column], second[column]);
    if b == 0.0 {
        return;
    }
    let length = (a * a + b * b).sqrt();
    let (c, s) = (a / length, b / length);
    for (a, b) in first.iter_mut().zip(second.iter_mut()) {
        (*a, *b) = (c * *a + s * *b, c * *b - s * *a);
    }
    second[column] = 0.0;
}

/// Between which penalties the spline differs from the interpolant and from the line by more than
/// rounding.
fn limits(at: &[f64], count: &[f64]) -> [f64; 2] {
    let gaps = at.windows(2).map(|pair| pair[1] - pair[0]);
    let narrow = gaps.fold(f64::INFINITY, f64::min);
    let points: f64 = count.iter().sum();
    [1e-23 * narrow * narrow * narrow, 1e18 * points]
}

impl SplineSolver {
    /// Appends value and slope at every site, for the penalty λ.
    pub fn solve(
        &mut self,
        at: &[f64],
        count: &[f64],
        label: &[f64],
        lambda: f64,
        knots: &mut Vec<[f64; 2]>,
    ) {
        let [low, high] = limits(at, count);
        match at.len() {
            1 => knots.push([label[0], 0.0]),
            2 => line(at, count, label, knots),
            _ if lambda > high => line(at, count, label, knots),
            _ if lambda < low => self.interpolate(at, label, knots),
            _ => {
                self.factorise(at, count, label, lambda);
                let first = knots.len();
                knots.resize(first + at.len(), [0.0; 2]);
                let mut after = [0.0; 2];
                for (rows, knot) in self.rows.iter().zip(&mut knots[first..]).rev() {
                    *knot = rows.solve(after);
                    after = *knot;
                }
            }
        }
    }

    /// Fills in the variance of the value at every site, in units of the variance of a label.
    pub fn variances(&mut self, at: &[f64], count: &[f64], lambda: f64, out: &mut [f64]) {
        let [low, high] = limits(at, count);
        let points: f64 = count.iter().sum();
        match at.len() {
            1 => out.fill(1.0 / points),
            sites if sites == 2 || lambda > high => {
                let mean = |of: &dyn Fn(f64) -> f64| {
                    let terms = at.iter().zip(count).map(|(t, count)| count * of(*t));
                    terms.sum::<f64>() / points
                };
                let middle = mean(&|t| t);
                let spread = mean(&|t| (t - middle) * (t - middle));
                for (out, t) in out.iter_mut().zip(at) {
                    *out = (1.0 + (t - middle) * (t - middle) / spread) / points;
                }
            }
            _ if lambda < low => {
                for (out, count) in out.iter_mut().zip(count) {
                    *out = 1.0 / count;
                }
            }
            _ => {
                self.factorise(at, count, at, lambda);
                let mut after = [[0.0; 2]; 2];
                for (rows, out) in self.rows.iter().zip(out).rev() {
                    after = rows.covariance(after);
                    *out = after[0][0];
                }
            }
        }
    }

    /// The penalty at which the trace of the smoother's matrix is `df`, of three sites or more.
    pub fn penalty(&mut self, at: &[f64], count: &[f64], df: f64) -> f64 {
        let [low, high] = limits(at, count);
        if df <= 2.0 {
            return 2.0 * high;
        }
        // In logarithms of both, the curve is nearly a line in the middle: the method of false
        // position, after Illinois, ends after a few steps.
        let mut height = |u: f64| {
            self.factorise(at, count, at, exp(u));
            ln((self.trace(count) - 2.0).max(1e-300) / (df - 2.0))
        };
        let (mut left, mut right) = (ln(low), ln(high));
        let (mut above, mut below) = (height(left), height(right));
        if above <= 0.0 {
            return 0.0;
        }
        if below >= 0.0 {
            return high;
        }
        let mut last = 0.0;
        for _ in 0..100 {
            let middle = right - below * (right - left) / (below - above);
            let found = height(middle);
            if found.abs() < 1e-13 || right - left < 1e-13 {
                return exp(middle);
            }
            // Where one end stays twice, it counts half.
            if found > 0.0 {
                (left, above) = (middle, found);
                below *= if last > 0.0 { 0.5 } else { 1.0 };
            } else {
                (right, below) = (middle, found);
                above *= if last < 0.0 { 0.5 } else { 1.0 };
            }
            last = found;
        }
        exp(0.5 * (left + right))
    }

    /// The triangular factor and the rotated right side.
    fn factorise(&mut self, at: &[f64], count: &[f64], label: &[f64], lambda: f64) {
        let root = lambda.sqrt();
        let weights = room(&mut self.weights, count.len());
        for (weight, count) in weights.iter_mut().zip(count) {
            *weight = count.sqrt();
        }
        self.rows.clear();
        self.rows.reserve(at.len());
        // What the sites on the left say of this one.
        let mut known: [BandRow; 2] = [[0.0; 5]; 2];
        for i in 0..at.len() {
            let mut datum = [weights[i], 0.0, 0.0, 0.0, weights[i] * label[i]];
            let [first, second] = &mut known;
            rotate(first, &mut datum, 0);
            rotate(second, &mut datum, 1);
            if let Some(next) = at.get(i + 1) {
                let h = next - at[i];
                let bend = root / h.sqrt();
                let twist = 12.0_f64.sqrt() * bend / h;
                let half = 0.5 * h * twist;
                let mut bend = [0.0, -bend, 0.0, bend, 0.0];
                let mut twist = [-twist, -half, twist, -half, 0.0];
                rotate(first, &mut twist, 0);
                rotate(second, &mut bend, 1);
                rotate(second, &mut twist, 1);
                self.rows.push(SiteRows::new(first, second));
                rotate(&mut twist, &mut bend, 2);
                let moved = |row: BandRow| [row[2], row[3], 0.0, 0.0, row[4]];
                known = [moved(twist), moved(bend)];
            } else {
                self.rows.push(SiteRows::new(first, second));
            }
        }
    }

    /// Σ_i n_i C_ii over the values, C being the inverse of the normal equations' matrix.
    fn trace(&self, count: &[f64]) -> f64 {
        let mut trace = 0.0;
        let mut after = [[0.0; 2]; 2];
        for (rows, count) in self.rows.iter().zip(count).rev() {
            after = rows.covariance(after);
            trace += count * after[0][0];
        }
        trace
    }

    /// The natural spline through all labels: its slopes, from a system that is diagonally dominant.
    fn interpolate(&mut self, at: &[f64], label: &[f64], knots: &mut Vec<[f64; 2]>) {
        let last = at.len() - 1;
        let factors = room(&mut self.weights, at.len());
        let slopes = room(&mut self.slopes, at.len());
        let (mut before, mut rise_before) = (0.0, 0.0);
        for i in 0..=last {
            let (after, rise) = match i < last {
                true => {
                    let inverse = 1.0 / (at[i + 1] - at[i]);
                    (inverse, (label[i + 1] - label[i]) * inverse * inverse)
                }
                false => (0.0, 0.0),
            };
            let (mut diagonal, mut right) = (2.0 * (before + after), 3.0 * (rise_before + rise));
            if i > 0 {
                diagonal -= before * factors[i - 1];
                right -= before * slopes[i - 1];
            }
            factors[i] = after / diagonal;
            slopes[i] = right / diagonal;
            (before, rise_before) = (after, rise);
        }
        for i in (0..last).rev() {
            slopes[i] -= factors[i] * slopes[i + 1];
        }
        let all = label.iter().zip(&*slopes);
        knots.extend(all.map(|(value, slope)| [*value, *slope]));
    }
}

impl SiteRows {
    fn new(first: &BandRow, second: &BandRow) -> Self {
        SiteRows {
            own: [[first[0], first[1]], [0.0, second[1]]],
            next: [[first[2], first[3]], [second[2], second[3]]],
            right: [first[4], second[4]],
        }
    }

    /// Value and slope, given those of the next site.
    fn solve(&self, after: [f64; 2]) -> [f64; 2] {
        let rest = |row: usize| {
            let next = self.next[row];
            self.right[row] - (next[0] * after[0] + next[1] * after[1])
        };
        let slope = rest(1) / self.own[1][1];
        [(rest(0) - self.own[0][1] * slope) / self.own[0][0], slope]
    }

    /// This site's block of the inverse, given the next one's: B (I + N C Nᵀ) Bᵀ with the inverse B of
    /// the own rows.
    fn covariance(&self, after: [[f64; 2]; 2]) -> [[f64; 2]; 2] {
        let next = self.next;
        let along = |a: [f64; 2], b: [f64; 2]| {
            let image = [0, 1].map(|k| after[k][0] * b[0] + after[k][1] * b[1]);
            a[0] * image[0] + a[1] * image[1]
        };
        let corner = along(next[0], next[1]);
        let inner = [
            1.0 + along(next[0], next[0]),
            corner,
            1.0 + along(next[1], next[1]),
        ];
        let [[a, b], [_, d]] = self.own;
        // The rows of B.
        let (top, low) = ([1.0 / a, -b / (a * d)], 1.0 / d);
        let cross = (top[0] * inner[1] + top[1] * inner[2]) * low;
        let first =
            top[0] * (top[0] * inner[0] + 2.0 * top[1] * inner[1]) + top[1] * top[1] * inner[2];
        [[first, cross], [cross, low * low * inner[2]]]
    }
}

/// The line of least squares through the sites' means.
fn line(at: &[f64], count: &[f64], label: &[f64], knots: &mut Vec<[f64; 2]>) {
    let points: f64 = count.iter().sum();
    let mean = |values: &[f64]| {
        let first = values[0];
        let away = values.iter().zip(count);
        first
            + away
                .map(|(value, count)| count * (value - first))
                .sum::<f64>()
                / points
    };
    let (x, y) = (mean(at), mean(label));
    let (mut square, mut product) = (0.0, 0.0);
    for ((t, count), label) in at.iter().zip(count).zip(label) {
        square += count * (t - x) * (t - x);
        product += count * (t - x) * (label - y);
    }
    let slope = product / square;
    knots.extend(at.iter().map(|t| [y + slope * (t - x), slope]));
}
