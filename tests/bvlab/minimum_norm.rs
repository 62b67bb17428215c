//! Polynomials of degrees beyond the number of points, against a solution in twice the precision.

use std::ops::{Add, Mul, Sub};

use bvlab::data::{Points, Training};
use bvlab::interrupt::Interrupt;
use bvlab::learner::{Basis, Learner, Polynomial, PolynomialSetting};
use bvlab::stream::{Purpose, Stream};
use rand::RngExt;

use crate::setup::fit_predict;

/// A number of about 32 digits: the sum of two, the second below the rounding of the first.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Double(f64, f64);

impl Double {
    fn sum(a: f64, b: f64) -> Double {
        let s = a + b;
        let v = s - a;
        Double(s, (a - (s - v)) + (b - v))
    }

    fn inverse_times(self, a: Double) -> Double {
        let first = a.0 / self.0;
        let rest = a - self * Double(first, 0.0);
        let second = rest.0 / self.0;
        let rest = rest - self * Double(second, 0.0);
        Double::sum(first, second) + Double(rest.0 / self.0, 0.0)
    }
}

impl Add for Double {
    type Output = Double;
    fn add(self, other: Double) -> Double {
        let s = Double::sum(self.0, other.0);
        let t = Double::sum(self.1, other.1);
        let s = Double::sum(s.0, s.1 + t.0);
        Double::sum(s.0, s.1 + t.1)
    }
}

impl Sub for Double {
    type Output = Double;
    fn sub(self, other: Double) -> Double {
        self + Double(-other.0, -other.1)
    }
}

impl Mul for Double {
    type Output = Double;
    fn mul(self, other: Double) -> Double {
        let p = self.0 * other.0;
        let low = self.0.mul_add(other.0, -p) + (self.0 * other.1 + self.1 * other.0);
        Double::sum(p, low)
    }
}

const ZERO: Double = Double(0.0, 0.0);
const ONE: Double = Double(1.0, 0.0);

/// φ_1, …, φ_d at t.
fn row(basis: Basis, t: f64, degree: usize) -> Vec<Double> {
    let t = Double(t, 0.0);
    let mut values = vec![ONE, t];
    for k in 2..=degree {
        let (here, before) = (values[k - 1], values[k - 2]);
        let number = |x: usize| Double(x as f64, 0.0);
        values.push(match basis {
            Basis::Monomial => t * here,
            Basis::Chebyshev => t * here + t * here - before,
            Basis::Legendre => {
                let sum = number(2 * k - 1) * t * here - number(k - 1) * before;
                number(k).inverse_times(sum)
            }
        });
    }
    values[1..=degree].to_vec()
}

fn dot_double(a: &[Double], b: &[Double]) -> Double {
    a.iter().zip(b).fold(ZERO, |sum, (a, b)| sum + *a * *b)
}

/// Of all interpolants the one of minimum norm: w = Φᵀα with ΦΦᵀα + c = y and Σ α = 0, by elimination
/// with pivots.
fn reference(basis: Basis, t: &[f64], y: &[f64], degree: usize, at: &[f64]) -> Vec<f64> {
    let n = t.len();
    let rows: Vec<Vec<Double>> = t.iter().map(|t| row(basis, *t, degree)).collect();
    let mut system: Vec<Vec<Double>> = (0..=n)
        .map(|i| {
            let entry = |j: usize| match (i < n, j < n) {
                (true, true) => dot_double(&rows[i], &rows[j]),
                (false, false) => ZERO,
                _ => ONE,
            };
            let label = y.get(i).copied().unwrap_or(0.0);
            (0..=n).map(entry).chain([Double(label, 0.0)]).collect()
        })
        .collect();
    for k in 0..=n {
        let size = |i: &usize| system[*i][k].0.abs();
        let pivot = (k..=n).max_by(|a, b| size(a).total_cmp(&size(b))).unwrap();
        system.swap(k, pivot);
        for i in 0..=n {
            if i != k {
                let factor = system[k][k].inverse_times(system[i][k]);
                let pivot = system[k].clone();
                for (entry, pivot) in system[i].iter_mut().zip(&pivot).skip(k) {
                    *entry = *entry - factor * *pivot;
                }
            }
        }
    }
    let solution: Vec<Double> = (0..=n)
        .map(|k| system[k][k].inverse_times(system[k][n + 1]))
        .collect();
    let predict = |t: &f64| {
        let at = row(basis, *t, degree);
        let products = rows.iter().map(|row| dot_double(row, &at));
        let terms = products.zip(&solution);
        let sum = terms.fold(solution[n], |sum, (product, share)| sum + product * *share);
        sum.0
    };
    at.iter().map(predict).collect()
}

fn uniform(seed: u64, count: usize) -> Vec<f64> {
    let mut stream = Stream::new(seed, Purpose::Inputs, 0);
    (0..count)
        .map(|_| 2.0 * stream.random::<f64>() - 1.0)
        .collect()
}

fn training(seed: u64, n: usize) -> Training {
    Training {
        inputs: Points::new(1, uniform(seed, n)),
        labels: uniform(seed + 1000, n),
    }
}

fn path(degrees: &[usize], basis: Basis) -> Polynomial {
    let setting = |degree: &usize| PolynomialSetting {
        degree: *degree,
        lambda: 0.0,
    };
    Polynomial::new(degrees.iter().map(setting).collect(), basis, (-1.0, 1.0))
}

fn fit(learner: &mut Polynomial, data: &Training, at: &[f64]) -> Vec<Vec<f64>> {
    fit_predict(learner, data, &Points::new(1, at.to_vec()))
}

fn worst(got: &[f64], wanted: &[f64]) -> f64 {
    let size = wanted.iter().fold(1.0_f64, |size, x| size.max(x.abs()));
    let apart = got.iter().zip(wanted).map(|(a, b)| (a - b).abs() / size);
    apart.fold(0.0, |a, b| if b > a || b.is_nan() { b } else { a })
}

/// Uneven inputs, one in the middle half of every cell.
fn spread(seed: u64, n: usize) -> Training {
    let mut data = training(seed, n);
    let place = |(i, u): (usize, &f64)| (2.0 * i as f64 + 1.0 + 0.5 * u) / n as f64 - 1.0;
    let values = data.inputs.values().iter().enumerate().map(place);
    data.inputs = Points::new(1, values.collect());
    data
}

#[test]
fn minimum_norm_is_that_in_twice_the_precision() {
    let at = uniform(99, 40);
    let mut strict = 0;
    for basis in [Basis::Legendre, Basis::Chebyshev] {
        for n in [1, 2, 3, 8, 20] {
            for data in [spread(n as u64, n), training(n as u64, n)] {
                let degrees = [n, n + 1, n + 3, 2 * n + 1, 5 * n, 10 * n];
                let mut learner = path(&degrees, basis);
                let got = fit(&mut learner, &data, &at);
                let inside = fit(&mut learner, &data, data.inputs.values());
                let found = learner.diagnose(&data, &Interrupt::never());
                let found = found.unwrap().unwrap();
                for (c, degree) in degrees.iter().enumerate() {
                    // The data determine no more digits than their condition leaves.
                    let allowed = 1e-8_f64.max(1e-15 * found[c].condition);
                    strict += usize::from(allowed == 1e-8);
                    let wanted = reference(basis, data.inputs.values(), &data.labels, *degree, &at);
                    for apart in [worst(&got[c], &wanted), worst(&inside[c], &data.labels)] {
                        assert!(
                            apart < allowed,
                            "{basis:?}, n = {n}, degree {degree}: {apart:e}, condition {:e}",
                            found[c].condition
                        );
                    }
                }
            }
        }
    }
    assert!(strict >= 100, "{strict} of 120 are well conditioned");
}

#[test]
fn powers_agree_as_long_as_they_are_independent_and_lose_rank_after() {
    let at = uniform(98, 40);
    let (mut compared, mut lost) = (0, 0);
    for n in [3, 5, 8, 12, 40] {
        let data = training(n as u64, n);
        let degrees = [n, n + 2, 2 * n, 10 * n];
        let mut learner = path(&degrees, Basis::Monomial);
        let got = fit(&mut learner, &data, &at);
        let found = learner
            .diagnose(&data, &Interrupt::never())
            .unwrap()
            .unwrap();
        let remarks = learner.remarks().unwrap();
        for (c, degree) in degrees.iter().enumerate() {
            let full = found[c].rank == (n - 1) as f64;
            assert_eq!(remarks[c].is_none(), full, "n = {n}, degree {degree}");
            lost += usize::from(!full);
            if found[c].condition < 1e10 {
                let inputs = data.inputs.values();
                let wanted = reference(Basis::Monomial, inputs, &data.labels, *degree, &at);
                let apart = worst(&got[c], &wanted);
                let allowed = 1e-8_f64.max(1e-15 * found[c].condition);
                assert!(apart < allowed, "n = {n}, degree {degree}: {apart:e}");
                compared += 1;
            }
        }
    }
    assert!(
        compared >= 10 && lost >= 3,
        "{compared} compared, {lost} lost rank"
    );
}

#[test]
fn every_degree_of_the_path_is_a_fit_of_its_own() {
    let at = uniform(97, 30);
    let data = training(5, 12);
    for basis in [Basis::Legendre, Basis::Chebyshev, Basis::Monomial] {
        let degrees = [40, 3, 12, 11, 0, 13, 120, 24, 12];
        let together = fit(&mut path(&degrees, basis), &data, &at);
        for (degree, got) in degrees.iter().zip(&together) {
            let alone = fit(&mut path(&[*degree], basis), &data, &at);
            assert!(worst(got, &alone[0]) < 1e-9, "{basis:?}, degree {degree}");
        }
    }
}

/// Minimum norm is what ridge tends to, and its weights have the length that the report gives.
#[test]
fn ridge_tends_to_minimum_norm() {
    let at = uniform(96, 30);
    let data = training(6, 10);
    for basis in [Basis::Legendre, Basis::Chebyshev] {
        let settings = [0.0, 1e-9].map(|lambda| PolynomialSetting { degree: 30, lambda });
        let mut learner = Polynomial::new(settings.to_vec(), basis, (-1.0, 1.0));
        let got = fit(&mut learner, &data, &at);
        assert!(worst(&got[1], &got[0]) < 1e-6);
        let found = learner
            .diagnose(&data, &Interrupt::never())
            .unwrap()
            .unwrap();
        let [plain, ridge] = [0, 1].map(|c| found[c].weight_norm);
        assert!((plain / ridge - 1.0).abs() < 1e-6, "{plain} and {ridge}");
        assert_eq!(found[0].rank, 9.0);
        let mut leverages = vec![0.0; 20];
        let wrote = learner.try_leverages(&data, &mut leverages, &Interrupt::never());
        assert!(wrote.unwrap());
        assert!(leverages[..10].iter().all(|h| (h - 1.0).abs() < 1e-9));
    }
}
