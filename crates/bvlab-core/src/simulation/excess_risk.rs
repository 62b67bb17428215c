//! Approximation, estimation and optimisation error of polynomials, beside bias and variance.

use rand::RngExt;

use super::{Moments, PanelStyle, Row, Simulate, Simulation, SimulationPanel, most};
use crate::decompose::Estimate;
use crate::interrupt::{Interrupt, Interrupted};
use crate::learner::cholesky;
use crate::maths::{cos, fill_normal, sin, square};
use crate::parameter::Parameter;
use crate::plan::Scale;
use crate::stream::{Purpose, Stream};

pub(super) const SIMULATION: Simulation = Simulation {
    name: "excess-risk",
    meaning: "approximation, estimation and optimisation error of polynomials, over their degree and over epochs",
    resamples: "training sets",
    theory: "the sum of the parts",
    identity: true,
    parameters: &[
        Parameter::whole("degrees", "degrees m of the polynomials")
            .symbol("m")
            .least(0.0)
            .up_to(15.0)
            .list(
                16,
                &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0],
            ),
        Parameter::whole("sizes", "numbers n of training points")
            .least(40.0)
            .up_to(10_000.0)
            .list(5, &[50.0, 500.0, 5000.0]),
        Parameter::number("noise", "standard deviation of the noise")
            .symbol("σ")
            .least(0.0)
            .up_to(10.0)
            .default(0.5)
            .usual(0.0, 2.0),
        Parameter::whole("degree", "degree m, for the error over epochs")
            .symbol("m")
            .least(0.0)
            .up_to(15.0)
            .default(9.0),
        Parameter::whole(
            "train",
            "number n of training points, for the error over epochs",
        )
        .symbol("n")
        .least(40.0)
        .up_to(10_000.0)
        .default(50.0)
        .usual(40.0, 1_000.0),
        Parameter::whole("epochs", "numbers t of steps of gradient descent")
            .symbol("t")
            .least(1.0)
            .up_to(20_000.0)
            .list(
                30,
                &[
                    1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0,
                ],
            ),
    ],
    build: |setup| {
        let degree = setup.whole("degree");
        Box::new(ExcessRisk {
            degrees: setup.counts("degrees"),
            sizes: setup.counts("sizes"),
            noise: setup.number("noise"),
            degree,
            train: setup.whole("train"),
            epochs: setup.counts("epochs"),
            truth: coefficients(),
            nodes: GaussRule::new(NODES, degree + 1),
        })
    },
};

/// Inputs are uniform on [−1, 1], y = sin(5x + 1) + σe. A class is all polynomials of degree m, in
/// the basis φ_j = √(2j+1) P_j of Legendre polynomials, orthonormal under the inputs' distribution.
/// The truth has the coefficients c_j = √(2j+1) j_j(5) sin(1 + jπ/2) with spherical Bessel functions
/// j_j, so the best member of a class is known: its first m + 1 terms. With coefficients w of a fit,
///
/// - approximation error Σ_{j>m} c_j², of the best member: R(f*) − R(f),
/// - estimation error Σ_{j≤m} (ŵ_j − c_j)², of the least-squares fit: R(f̂) − R(f*),
/// - optimisation error R(f_t) − R(f̂), after t steps of gradient descent from 0 on the mean squared
///   error, each of 1/tr(ΦᵀΦ/n): negative where stopping early helps.
///
/// The excess risk over that of the truth is also integrated by Gauss and Legendre's rule, which the
/// sum of the parts must equal.
///
/// With the mean fit f̄ over training sets, bias² is R(f̄) − R(f) and variance the rest: bias² is
/// the approximation error and what keeps f̄ from the best member, such as steps not yet taken.
///
/// **Reference**: Brown and Ali, *Bias/variance is not the same as approximation/estimation*,
/// Transactions on Machine Learning Research (2024).
struct ExcessRisk {
    degrees: Vec<usize>,
    sizes: Vec<usize>,
    noise: f64,
    degree: usize,
    train: usize,
    epochs: Vec<usize>,
    truth: Vec<f64>,
    nodes: GaussRule,
}

const FREQUENCY: f64 = 5.0;
const PHASE: f64 = 1.0;
/// Terms of the truth: those beyond are below rounding.
const TERMS: usize = 40;
const NODES: usize = 40;

fn truth_at(x: f64) -> f64 {
    sin(FREQUENCY * x + PHASE)
}

/// The truth's coefficients in the orthonormal basis.
fn coefficients() -> Vec<f64> {
    // Spherical Bessel functions by their recurrence downwards, then scaled by j_0 = sin(w)/w.
    let start = TERMS + 20;
    let mut bessel = vec![0.0; start + 2];
    bessel[start] = 1e-200;
    for l in (1..=start).rev() {
        bessel[l - 1] = (2 * l + 1) as f64 / FREQUENCY * bessel[l] - bessel[l + 1];
    }
    let scale = sin(FREQUENCY) / FREQUENCY / bessel[0];
    let phases = [sin(PHASE), cos(PHASE), -sin(PHASE), -cos(PHASE)];
    let term = |j: usize| ((2 * j + 1) as f64).sqrt() * scale * bessel[j] * phases[j % 4];
    (0..TERMS).map(term).collect()
}

/// The first orthonormal Legendre polynomials at x.
fn legendre(x: f64, out: &mut [f64]) {
    let (mut before, mut now) = (0.0, 1.0);
    for (k, out) in out.iter_mut().enumerate() {
        let k = k as f64;
        *out = (2.0 * k + 1.0).sqrt() * now;
        (before, now) = (now, ((2.0 * k + 1.0) * x * now - k * before) / (k + 1.0));
    }
}

/// Gauss and Legendre's rule: places and weights, and basis and truth at the places.
struct GaussRule {
    weights: Vec<f64>,
    basis: Vec<Vec<f64>>,
    truth: Vec<f64>,
}

impl GaussRule {
    fn new(count: usize, terms: usize) -> Self {
        let n = count as f64;
        let (mut weights, mut basis, mut truth) = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..count {
            let mut x = cos(std::f64::consts::PI * (i as f64 + 0.75) / (n + 0.5));
            let mut slope = 1.0;
            for _ in 0..20 {
                let (mut before, mut now) = (1.0, x);
                for k in 1..count {
                    let k = k as f64;
                    (before, now) = (now, ((2.0 * k + 1.0) * x * now - k * before) / (k + 1.0));
                }
                slope = n * (x * now - before) / (x * x - 1.0);
                x -= now / slope;
            }
            // Half of the usual weight, for a density of one half.
            weights.push(1.0 / ((1.0 - x * x) * slope * slope));
            let mut row = vec![0.0; terms];
            legendre(x, &mut row);
            basis.push(row);
            truth.push(truth_at(x));
        }
        GaussRule {
            weights,
            basis,
            truth,
        }
    }

    /// The mean squared distance of a polynomial from the truth.
    fn distance(&self, w: &[f64]) -> f64 {
        let rows = self.basis.iter().zip(&self.truth).zip(&self.weights);
        rows.map(|((row, truth), weight)| {
            let value: f64 = row.iter().zip(w).map(|(phi, w)| phi * w).sum();
            weight * square(value - truth)
        })
        .sum()
    }
}

/// ΦᵀΦ/n and Φᵀy/n of some training points, of which more can be added.
struct NormalEquations {
    size: usize,
    count: usize,
    gram: Vec<f64>,
    sums: Vec<f64>,
    row: Vec<f64>,
}

impl NormalEquations {
    fn new(size: usize) -> Self {
        NormalEquations {
            size,
            count: 0,
            gram: vec![0.0; size * size],
            sums: vec![0.0; size],
            row: vec![0.0; size],
        }
    }

    fn add(&mut self, x: f64, y: f64) {
        legendre(x, &mut self.row);
        for (i, a) in self.row.iter().enumerate() {
            self.sums[i] += a * y;
            let gram = &mut self.gram[i * self.size..][..=i];
            for (gram, b) in gram.iter_mut().zip(&self.row) {
                *gram += a * b;
            }
        }
        self.count += 1;
    }

    /// The coefficients of the least-squares polynomial with so many terms.
    fn fit(&self, terms: usize) -> Vec<f64> {
        let rows = self.gram.chunks_exact(self.size).take(terms);
        let mut factor: Vec<f64> = rows.flat_map(|row| row[..terms].to_vec()).collect();
        let least = 1e-12 * self.count as f64;
        cholesky::factorise(&mut factor, terms, |_| least);
        let mut w = self.sums[..terms].to_vec();
        cholesky::solve(&factor, &mut w);
        w
    }

    /// One step of gradient descent with all terms.
    fn step(&self, w: &mut [f64], gradient: &mut [f64], rate: f64) {
        let size = self.size;
        for (i, out) in gradient.iter_mut().enumerate() {
            let below = &self.gram[i * size..][..=i];
            let mut sum: f64 = below.iter().zip(&*w).map(|(g, w)| g * w).sum();
            for (j, w) in w.iter().enumerate().skip(i + 1) {
                sum += self.gram[j * size + i] * w;
            }
            *out = sum - self.sums[i];
        }
        for (w, gradient) in w.iter_mut().zip(&*gradient) {
            *w -= rate * gradient;
        }
    }

    fn trace(&self) -> f64 {
        (0..self.size).map(|i| self.gram[i * (self.size + 1)]).sum()
    }
}

impl ExcessRisk {
    fn approximation(&self, degree: usize) -> f64 {
        self.truth[degree + 1..].iter().rev().map(|c| c * c).sum()
    }

    /// The squared distance from the best member of the class.
    fn estimation(&self, w: &[f64]) -> f64 {
        let pairs = w.iter().zip(&self.truth);
        pairs.map(|(w, c)| square(w - c)).sum()
    }

    /// The numbers observed at an epoch: optimisation error, excess risk and the coefficients.
    fn per_epoch(&self) -> usize {
        self.degree + 3
    }

    /// Where the numbers of the epochs begin; before them is the estimation error there.
    fn epochs_from(&self) -> usize {
        self.sizes.len() * self.degrees.len() + 1
    }

    /// Bias² and variance of a fit, from the moments of its coefficients. Their errors are bounds:
    /// those of the coefficients, added up.
    fn bias_and_variance(&self, coefficients: &[Moments]) -> [Estimate; 2] {
        let mut bias = Estimate::new(self.approximation(self.degree), 0.0);
        let mut variance = Estimate::new(0.0, 0.0);
        for (seen, c) in coefficients.iter().zip(&self.truth) {
            let (mean, spread) = (seen.mean(), seen.variance());
            let away = mean.value - c;
            bias.value += square(away) - square(mean.se);
            bias.se += 2.0 * away.abs() * mean.se + square(mean.se);
            variance.value += spread.value;
            variance.se += spread.se;
        }
        [bias, variance]
    }
}

impl Simulate for ExcessRisk {
    fn panels(&self) -> Vec<SimulationPanel> {
        let panel = |name: &str, title: String, x: &str, x_scale, y_scale| SimulationPanel {
            name: name.to_owned(),
            title,
            x: x.to_owned(),
            y: "squared error".to_owned(),
            x_scale,
            y_scale,
            look: PanelStyle::Curves,
            levels: Vec::new(),
        };
        let (linear, log) = (Scale::Linear, Scale::Log);
        let [m, t] = ["m (degree)", "t (steps of gradient descent)"];
        let Self { degree, train, .. } = self;
        let parts = format!("degree {degree}, {train} points");
        let two = "approximation and estimation".to_owned();
        let split = "the same, split otherwise".to_owned();
        vec![
            panel("capacity", two, m, linear, log),
            panel(
                "excess",
                "their sum: excess risk".to_owned(),
                m,
                linear,
                log,
            ),
            panel("epochs", parts, t, log, linear),
            panel("split", split, t, log, linear),
        ]
    }

    fn observations(&self) -> usize {
        self.epochs_from() + self.epochs.len() * self.per_epoch()
    }

    fn observe(
        &mut self,
        seed: u64,
        resample: u64,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let largest = most(&self.sizes).max(self.train);
        let mut inputs = Stream::new(seed, Purpose::Inputs, resample);
        let mut noise = vec![0.0; largest];
        fill_normal(&mut Stream::new(seed, Purpose::Noise, resample), &mut noise);
        let mut normal = NormalEquations::new(most(&self.degrees).max(self.degree) + 1);
        let mut wide = None;
        let mut sizes: Vec<usize> = self.sizes.iter().copied().chain([self.train]).collect();
        sizes.sort_unstable();
        sizes.dedup();
        // Sizes rise: each training set goes on where the one before ended.
        for size in sizes {
            while normal.count < size {
                let x = 2.0 * inputs.random::<f64>() - 1.0;
                normal.add(x, truth_at(x) + self.noise * noise[normal.count]);
            }
            interrupt.check(200 * size)?;
            if let Some(place) = self.sizes.iter().position(|own| *own == size) {
                let out = &mut out[place * self.degrees.len()..];
                for (degree, out) in self.degrees.iter().zip(out) {
                    *out = self.estimation(&normal.fit(degree + 1));
                }
            }
            if size == self.train {
                let terms = self.degree + 1;
                let mut own = NormalEquations::new(terms);
                for i in 0..terms {
                    let row = &normal.gram[i * normal.size..][..terms];
                    own.gram[i * terms..][..terms].copy_from_slice(row);
                }
                own.sums.copy_from_slice(&normal.sums[..terms]);
                own.count = normal.count;
                wide = Some(own);
            }
        }
        let Some(own) = wide else { return Ok(()) };
        let (from, each) = (self.epochs_from(), self.per_epoch());
        let fitted = self.estimation(&own.fit(own.size));
        out[from - 1] = fitted;
        let rate = 1.0 / own.trace();
        let mut w = vec![0.0; own.size];
        let mut gradient = w.clone();
        let mut done = 0;
        for (&epochs, out) in self.epochs.iter().zip(out[from..].chunks_exact_mut(each)) {
            interrupt.check(4 * own.size * own.size * (epochs - done))?;
            while done < epochs {
                own.step(&mut w, &mut gradient, rate);
                done += 1;
            }
            out[0] = self.estimation(&w) - fitted;
            out[1] = self.nodes.distance(&w);
            out[2..].copy_from_slice(&w);
        }
        Ok(())
    }

    fn operations(&self) -> f64 {
        let terms = (most(&self.degrees).max(self.degree) + 1) as f64;
        let fits = (self.sizes.len() * self.degrees.len()) as f64 * terms * terms;
        let points = most(&self.sizes).max(self.train) as f64;
        terms * terms * (points + 2.0 * most(&self.epochs) as f64) + terms * fits
    }

    fn rows(&self, seen: &[Moments]) -> Vec<Row> {
        let mut rows = Vec::new();
        let own = |size: usize| &seen[size * self.degrees.len()..][..self.degrees.len()];
        for &degree in &self.degrees {
            let value = self.approximation(degree);
            rows.push(Row::exact(
                "capacity",
                "approximation",
                degree as f64,
                value,
            ));
        }
        for (panel, name) in [("capacity", "estimation, n"), ("excess", "n")] {
            for (size, n) in self.sizes.iter().enumerate() {
                for (&degree, seen) in self.degrees.iter().zip(own(size)) {
                    let mut found = seen.mean();
                    if panel == "excess" {
                        found.value += self.approximation(degree);
                    }
                    let series = format!("{name} = {n}");
                    rows.push(Row::new(panel, series, degree as f64, found));
                }
            }
        }
        let approximation = self.approximation(self.degree);
        let fitted = seen[self.epochs_from() - 1].mean();
        let at = || {
            let seen = seen[self.epochs_from()..].chunks_exact(self.per_epoch());
            let epochs = self.epochs.iter().map(|epochs| *epochs as f64);
            epochs.zip(seen)
        };
        for (t, _) in at() {
            rows.push(Row::exact("epochs", "approximation", t, approximation));
        }
        for (t, _) in at() {
            rows.push(Row::new("epochs", "estimation", t, fitted));
        }
        for (t, seen) in at() {
            rows.push(Row::new("epochs", "optimisation", t, seen[0].mean()));
        }
        for panel in ["epochs", "split"] {
            for (t, seen) in at() {
                let sum = approximation + fitted.value + seen[0].mean().value;
                let row = Row::new(panel, "excess risk", t, seen[1].mean());
                rows.push(row.identity(sum, 1.0 + sum));
            }
        }
        for (which, name) in ["bias²", "variance"].into_iter().enumerate() {
            for (t, seen) in at() {
                let parts = self.bias_and_variance(&seen[2..]);
                rows.push(Row::new("split", name, t, parts[which]));
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// E f² is known, and the series of the truth is the truth.
    #[test]
    fn the_coefficients_are_those_of_the_truth() {
        let c = coefficients();
        let total: f64 = c.iter().map(|c| c * c).sum();
        let known = 0.5 * (1.0 - cos(2.0 * PHASE) * sin(2.0 * FREQUENCY) / (2.0 * FREQUENCY));
        assert!((total - known).abs() < 1e-13, "{total} {known}");
        let mut basis = vec![0.0; TERMS];
        for x in [-1.0, -0.3, 0.0, 0.77, 1.0] {
            legendre(x, &mut basis);
            let sum: f64 = basis.iter().zip(&c).map(|(phi, c)| phi * c).sum();
            assert!((sum - truth_at(x)).abs() < 1e-12, "{x}: {sum}");
        }
    }

    #[test]
    fn the_basis_is_orthonormal_under_the_rule() {
        let nodes = GaussRule::new(NODES, 16);
        for i in 0..16 {
            for j in 0..16 {
                let rows = nodes.basis.iter().zip(&nodes.weights);
                let product: f64 = rows.map(|(row, weight)| weight * row[i] * row[j]).sum();
                let known = f64::from(u8::from(i == j));
                assert!((product - known).abs() < 1e-12, "{i} {j}: {product}");
            }
        }
        // The distance of no polynomial is E f², of the best member the approximation error.
        let c = coefficients();
        let total: f64 = c.iter().map(|c| c * c).sum();
        assert!((nodes.distance(&[]) - total).abs() < 1e-12);
        let tail: f64 = c[6..].iter().map(|c| c * c).sum();
        assert!((nodes.distance(&c[..6]) - tail).abs() < 1e-12);
    }

    /// The gradient of the fit is zero, and gradient descent ends at it.
    #[test]
    fn the_fit_is_that_of_least_squares() {
        let mut normal = NormalEquations::new(4);
        let points: Vec<(f64, f64)> = (0..30)
            .map(|i| (f64::from(i) / 15.0 - 0.97, f64::from(i * i % 7)))
            .collect();
        points.iter().for_each(|(x, y)| normal.add(*x, *y));
        let fit = normal.fit(4);
        let mut basis = vec![0.0; 4];
        for k in 0..4 {
            let mut sum = 0.0;
            for (x, y) in &points {
                legendre(*x, &mut basis);
                let value: f64 = basis.iter().zip(&fit).map(|(phi, w)| phi * w).sum();
                sum += (y - value) * basis[k];
            }
            assert!(sum.abs() < 1e-10, "{k}: {sum}");
        }
        let (mut w, mut gradient) = (vec![0.0; 4], vec![0.0; 4]);
        (0..5000).for_each(|_| normal.step(&mut w, &mut gradient, 1.0 / normal.trace()));
        let apart = w.iter().zip(&fit).map(|(a, b)| (a - b).abs());
        assert!(apart.fold(0.0, f64::max) < 1e-10);
    }
}
