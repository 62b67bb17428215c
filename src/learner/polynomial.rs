//! Polynomials in one input: least squares over every degree, ridge over every λ.

use faer::Mat;

use super::family::{Blueprint, Choice, Family, LAMBDA, Most, Number, whole};
use super::spectrum::{centre, ridge};
use super::{Learner, Size, room};
use crate::problem::{Points, Training};
use crate::stream::Stream;

pub(super) const FAMILY: Family = Family {
    name: "polynomial",
    about: "a polynomial in x by least squares, or by ridge where lambda is above 0",
    numbers: &[
        Number {
            name: "degree",
            about: "degree of the polynomial",
            least: 0.0,
            above: false,
            most: Most::BelowTrain(1000.0),
            whole: true,
            default: None,
        },
        LAMBDA,
    ],
    choices: &[Choice {
        name: "basis",
        about: "the basis whose weights lambda penalises",
        options: &["legendre", "monomial"],
    }],
    has_base: false,
    one_dimensional: true,
    build: |Blueprint {
                settings,
                choices,
                range,
                ..
            }| {
        let settings = settings.iter().map(|numbers| PolynomialSetting {
            degree: whole(numbers[0]),
            lambda: numbers[1],
        });
        let basis = [Basis::Legendre, Basis::Monomial][choices[0]];
        Box::new(Polynomial::new(settings.collect(), basis, range))
    },
};

/// One setting of [`Polynomial`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolynomialSetting {
    /// The degree.
    pub degree: usize,
    /// The penalty λ on the squared weights.
    pub lambda: f64,
}

/// The basis whose weights are penalised; it makes no difference where λ = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Basis {
    /// Legendre polynomials P_1, P_2, … of t.
    Legendre,
    /// Powers t, t², …
    Monomial,
}

/// A polynomial in x, with weights that minimise Σ (y - c - Σ_j w_j φ_j(t))² + λ ‖w‖².
///
/// t is x mapped from the inputs' range (mean ± 3 sd for normal inputs) to \[-1, 1\], and φ_j are
/// Legendre polynomials of t or its powers. The constant c is not penalised. For λ = 0 the basis
/// does not matter, and a degree at or beyond the number of distinct inputs (as in a bootstrap)
/// adds nothing to the interpolant that is already reached.
///
/// | number | meaning | range | default |
/// |---|---|---|---|
/// | `degree` | degree | 0 to n - 1, at most 1000 | must be given |
/// | `lambda` | λ, against the *sum* of squared residuals | from 0 | 0 |
/// | `basis` | `legendre` or `monomial` | | `legendre` |
///
/// **Cost** of a whole path: for λ = 0 one orthogonalisation of the polynomials on the inputs,
/// O(n d²), gives every degree, each one more term than the last. For λ > 0 one SVD per degree
/// gives every λ.
///
/// **Reference**: Forsythe (1957) for least squares in discrete orthonormal polynomials; Brubeck,
/// Nakatsukasa and Trefethen, *Vandermonde with Arnoldi*, SIAM Review 63 (2021), for doing it
/// stably; Hoerl and Kennard (1970) for ridge.
///
/// ```
/// use bvlab::learner::{Basis, Learner, Polynomial, PolynomialSetting};
/// use bvlab::problem::{Points, Training};
/// use bvlab::stream::{Purpose, Stream};
///
/// let data = Training {
///     inputs: Points::new(1, vec![0.0, 1.0, 2.0]),
///     labels: vec![1.0, 2.0, 5.0], // 1 + x²
/// };
/// let path = (0..3).map(|degree| PolynomialSetting { degree, lambda: 0.0 });
/// let mut fit = Polynomial::new(path.collect(), Basis::Legendre, (0.0, 2.0));
/// fit.fit(&data, &Stream::new(1, Purpose::Algorithm, 0));
/// let mut out = [0.0; 3];
/// fit.predict(&Points::new(1, vec![3.0]), &mut out);
/// assert!((out[2] - 10.0).abs() < 1e-12);
/// ```
#[derive(Clone, Debug)]
pub struct Polynomial {
    settings: Vec<PolynomialSetting>,
    basis: Basis,
    range: (f64, f64),
    plain: Orthonormal,
    ridge: Vec<Ridge>,
    places: Vec<f64>,
}

/// All ridge settings of one degree.
#[derive(Clone, Debug)]
struct Ridge {
    degree: usize,
    settings: Vec<usize>,
    mean_label: f64,
    means: Vec<f64>,
    /// The weights of one setting after the other.
    weights: Vec<f64>,
}

impl Polynomial {
    /// A path over `settings`, in any order, for inputs of that range.
    pub fn new(settings: Vec<PolynomialSetting>, basis: Basis, range: (f64, f64)) -> Self {
        let mut ridge: Vec<Ridge> = Vec::new();
        let mut degree = None;
        for (c, setting) in settings.iter().enumerate() {
            if setting.lambda == 0.0 {
                degree = degree.max(Some(setting.degree));
                continue;
            }
            match ridge
                .iter_mut()
                .find(|ridge| ridge.degree == setting.degree)
            {
                Some(ridge) => ridge.settings.push(c),
                None => ridge.push(Ridge {
                    degree: setting.degree,
                    settings: vec![c],
                    mean_label: 0.0,
                    means: Vec::new(),
                    weights: Vec::new(),
                }),
            }
        }
        Polynomial {
            settings,
            basis,
            range,
            plain: Orthonormal::new(degree),
            ridge,
            places: Vec::new(),
        }
    }

    fn scale(&mut self, points: &Points) {
        let (from, to) = self.range;
        let place = |x: &f64| (2.0 * x - from - to) / (to - from);
        self.places.clear();
        self.places.extend(points.values().iter().map(place));
    }
}

impl Learner for Polynomial {
    fn capacities(&self) -> usize {
        self.settings.len()
    }

    fn fit(&mut self, data: &Training, _: &Stream) {
        self.scale(&data.inputs);
        self.plain.fit(&self.places, &data.labels);
        for ridge in &mut self.ridge {
            ridge.fit(self.basis, &self.places, &data.labels, &self.settings);
        }
    }

    fn predict(&mut self, points: &Points, out: &mut [f64]) {
        self.scale(points);
        let total = points.len();
        let settings = &self.settings;
        self.plain.predict(&self.places, |degree, sums| {
            for (c, setting) in settings.iter().enumerate() {
                if setting.lambda == 0.0 && setting.degree == degree {
                    out[c * total..][..total].copy_from_slice(sums);
                }
            }
        });
        for ridge in &self.ridge {
            ridge.predict(self.basis, &self.places, out);
        }
    }

    fn is_linear(&self) -> bool {
        true
    }

    fn work(&self, size: Size) -> f64 {
        let columns = |ridge: &Ridge| ridge.degree as f64 + 1.0;
        let solves = self.ridge.iter().map(|ridge| size.solve(columns(ridge)));
        let degree = self.settings.iter().map(|setting| setting.degree).max();
        let columns = degree.unwrap_or(0) as f64 + self.capacities() as f64;
        solves.sum::<f64>() + size.predictions() * columns
    }
}

impl Ridge {
    fn fit(&mut self, basis: Basis, t: &[f64], y: &[f64], settings: &[PolynomialSetting]) {
        let (count, degree) = (t.len(), self.degree);
        self.mean_label = y.iter().sum::<f64>() / count as f64;
        let mut design = Mat::<f64>::zeros(count, degree);
        let mut row = vec![0.0; degree];
        for (i, &t) in t.iter().enumerate() {
            basis.row(t, &mut row);
            for (j, value) in row.iter().enumerate() {
                design[(i, j)] = *value;
            }
        }
        centre(&mut design, &mut self.means);
        let labels: Vec<f64> = y.iter().map(|y| y - self.mean_label).collect();
        let lambdas: Vec<f64> = self.settings.iter().map(|&c| settings[c].lambda).collect();
        ridge(&design, &labels, &lambdas, &mut self.weights);
    }

    fn predict(&self, basis: Basis, t: &[f64], out: &mut [f64]) {
        let mut row = vec![0.0; self.degree];
        for (j, &place) in t.iter().enumerate() {
            basis.row(place, &mut row);
            for (value, mean) in row.iter_mut().zip(&self.means) {
                *value -= mean;
            }
            for (i, &c) in self.settings.iter().enumerate() {
                let weights = &self.weights[i * self.degree..][..self.degree];
                let sum: f64 = row.iter().zip(weights).map(|(value, w)| value * w).sum();
                out[c * t.len() + j] = self.mean_label + sum;
            }
        }
    }
}

impl Basis {
    /// φ_1(t), φ_2(t), …
    fn row(self, t: f64, row: &mut [f64]) {
        let (mut before, mut here) = (1.0, t);
        for (k, value) in (1..).zip(row) {
            *value = here;
            let next = match self {
                Basis::Monomial => here * t,
                // (k + 1) P_{k+1} = (2k + 1) t P_k - k P_{k-1}
                Basis::Legendre => {
                    let k = f64::from(k);
                    ((2.0 * k + 1.0) * t * here - k * before) / (k + 1.0)
                }
            };
            (before, here) = (here, next);
        }
    }
}

/// Least squares in polynomials that are orthonormal on the inputs: with q_j orthonormal, the fit
/// of degree d is Σ_{j ≤ d} (q_j·y) q_j(x), so each degree adds one term to the last.
#[derive(Clone, Debug)]
struct Orthonormal {
    degree: Option<usize>,
    inputs: Vec<f64>,
    /// q_0, q_1, … on the inputs, one after the other.
    on_inputs: Vec<f64>,
    /// Column k holds the recurrence t q_k = Σ_{j ≤ k+1} h_j q_j, in k + 2 numbers.
    recurrence: Vec<Vec<f64>>,
    start: f64,
    coefficients: Vec<f64>,
    residual: Vec<f64>,
    values: Vec<f64>,
    sums: Vec<f64>,
}

/// A recurrence coefficient below this is rounding.
const NEGLIGIBLE: f64 = 1e-14;

/// A new direction shorter than this (all of them are at most 1 long before) is rounding: there
/// are no more distinct inputs than polynomials already.
const EXHAUSTED: f64 = 1e-11;

impl Orthonormal {
    fn new(degree: Option<usize>) -> Self {
        Orthonormal {
            degree,
            inputs: Vec::new(),
            on_inputs: Vec::new(),
            recurrence: vec![Vec::new(); degree.unwrap_or(0)],
            start: 0.0,
            coefficients: Vec::new(),
            residual: Vec::new(),
            values: Vec::new(),
            sums: Vec::new(),
        }
    }

    fn fit(&mut self, t: &[f64], y: &[f64]) {
        let Some(degree) = self.degree else { return };
        let count = t.len();
        self.inputs.clear();
        self.inputs.extend_from_slice(t);
        self.start = 1.0 / (count as f64).sqrt();
        self.coefficients.clear();
        self.residual.clear();
        self.residual.extend_from_slice(y);
        let basis = room(&mut self.on_inputs, (degree + 1) * count);
        basis[..count].fill(self.start);
        for k in 0..=degree {
            let (done, rest) = basis.split_at_mut((k + 1) * count);
            let newest = &done[k * count..];
            let coefficient = dot(newest, &self.residual);
            subtract(&mut self.residual, coefficient, newest);
            self.coefficients.push(coefficient);
            if k == degree {
                break;
            }
            let next = &mut rest[..count];
            for ((next, q), t) in next.iter_mut().zip(newest).zip(t) {
                *next = t * q;
            }
            let h = &mut self.recurrence[k];
            h.clear();
            h.resize(k + 2, 0.0);
            // Twice is enough to be orthogonal to rounding.
            for _ in 0..2 {
                for (j, q) in done.chunks_exact(count).enumerate() {
                    let along = dot(q, next);
                    subtract(next, along, q);
                    h[j] += along;
                }
            }
            let length = dot(next, next).sqrt();
            if length <= EXHAUSTED {
                break;
            }
            h[k + 1] = length;
            next.iter_mut().for_each(|value| *value /= length);
        }
    }

    /// Gives `reach` the predictions of every degree from 0 up.
    fn predict(&mut self, t: &[f64], mut reach: impl FnMut(usize, &[f64])) {
        let Some(degree) = self.degree else { return };
        let count = t.len();
        let sums = room(&mut self.sums, count);
        sums.fill(0.0);
        let values = room(&mut self.values, (degree + 1) * count);
        values[..count].fill(self.start);
        // On the inputs themselves the polynomials are known to rounding, however high the degree.
        let on_inputs = self.inputs == t;
        for (k, &coefficient) in self.coefficients.iter().enumerate() {
            if on_inputs {
                subtract(sums, -coefficient, &self.on_inputs[k * count..][..count]);
                reach(k, sums);
                continue;
            }
            let (done, rest) = values.split_at_mut((k + 1) * count);
            let newest = &done[k * count..];
            subtract(sums, -coefficient, newest);
            reach(k, sums);
            if k + 1 == self.coefficients.len() {
                break;
            }
            let next = &mut rest[..count];
            for ((next, q), t) in next.iter_mut().zip(newest).zip(t) {
                *next = t * q;
            }
            let (&length, along) = self.recurrence[k]
                .split_last()
                .expect("a recurrence has at least two numbers");
            for (q, &along) in done.chunks_exact(count).zip(along) {
                if along.abs() > NEGLIGIBLE {
                    subtract(next, along, q);
                }
            }
            next.iter_mut().for_each(|value| *value /= length);
        }
        for k in self.coefficients.len()..=degree {
            reach(k, sums);
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// a -= factor * b
fn subtract(a: &mut [f64], factor: f64, b: &[f64]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a -= factor * b;
    }
}
