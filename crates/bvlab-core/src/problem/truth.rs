//! The function to be learned.

use super::Expression;
use crate::data::Points;
use crate::maths::fill_normal;
use crate::stream::{Purpose, Stream};

/// The function f to be learned.
///
/// | truth | f(x) | dimensions |
/// |---|---|---|
/// | expression | as written | any |
/// | linear | β·x = Σ_i β_i x_i | any |
/// | points | y_i + (y_{i+1} - y_i)(x - x_i)/(x_{i+1} - x_i) for x between x_i and x_{i+1}; the first or last y beyond the ends | one |
///
/// ```
/// use bvlab_core::problem::{Expression, Truth};
///
/// let wave = Truth::Expression(Expression::parse("x^2", 1).unwrap());
/// assert_eq!(wave.at(&[3.0]), 9.0);
///
/// let plane = Truth::direction(2.0, 24, 1);
/// let Truth::Linear(beta) = &plane else { unreachable!() };
/// let norm = beta.iter().map(|b| b * b).sum::<f64>().sqrt();
/// assert!((norm - 2.0).abs() < 1e-12);
/// assert!((plane.at(beta) - 4.0).abs() < 1e-12);
///
/// let drawn = Truth::through(vec![(2.0, 5.0), (0.0, 1.0), (4.0, 5.0)]);
/// assert_eq!(drawn.at(&[0.5]), 2.0);
/// assert_eq!(drawn.at(&[-7.0]), 1.0);
/// ```
#[derive(Clone, Debug)]
pub enum Truth {
    /// An expression in x.
    Expression(Expression),
    /// β·x, by its coefficients β.
    Linear(Vec<f64>),
    /// A curve through points (x, y) of rising x, straight between them.
    Points(Vec<(f64, f64)>),
}

impl Truth {
    /// β·x with β uniform on the sphere of radius `norm`, drawn once for a whole experiment: a
    /// standard normal vector, made to length.
    pub fn direction(norm: f64, dimension: usize, seed: u64) -> Self {
        let mut stream = Stream::new(seed, Purpose::Truth, 0);
        let mut normal = vec![0.0; dimension];
        fill_normal(&mut stream, &mut normal);
        let length = normal.iter().map(|z| z * z).sum::<f64>().sqrt();
        Truth::Linear(normal.iter().map(|z| norm * (z / length)).collect())
    }

    /// A curve through points (x, y), in any order but of different x.
    pub fn through(mut points: Vec<(f64, f64)>) -> Self {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Truth::Points(points)
    }

    /// f(x).
    pub fn at(&self, x: &[f64]) -> f64 {
        match self {
            Truth::Expression(expression) => expression.at(x),
            Truth::Linear(coefficients) => coefficients.iter().zip(x).map(|(b, x)| b * x).sum(),
            Truth::Points(points) => between(points, x[0]),
        }
    }

    /// Calls `tell` with the index of every point and f there, which has the bits of [`Truth::at`].
    pub fn at_all(&self, points: &Points, mut tell: impl FnMut(usize, f64)) {
        match self {
            Truth::Expression(expression) => expression.at_all(points, tell),
            _ => points
                .rows()
                .enumerate()
                .for_each(|(i, x)| tell(i, self.at(x))),
        }
    }
}

fn between(points: &[(f64, f64)], x: f64) -> f64 {
    let next = points.partition_point(|&(place, _)| place <= x);
    let below = next.checked_sub(1).and_then(|i| points.get(i));
    match (below, points.get(next)) {
        (Some((x0, y0)), Some((x1, y1))) => {
            // Weights that sum to 1: exact at both ends, and no overflow in between.
            let share = (x - x0) / (x1 - x0);
            (1.0 - share) * y0 + share * y1
        }
        (Some((_, y)), None) | (None, Some((_, y))) => *y,
        (None, None) => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beta(dimension: usize, seed: u64) -> Vec<f64> {
        match Truth::direction(1.0, dimension, seed) {
            Truth::Linear(beta) => beta,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_direction_has_the_norm_that_was_asked_for() {
        for (norm, dimension) in [(0.0, 3), (1.0, 1), (2.5, 2), (1e-9, 60), (1e9, 1000)] {
            let truth = Truth::direction(norm, dimension, 7);
            let Truth::Linear(beta) = &truth else {
                panic!("{truth:?}")
            };
            assert_eq!(beta.len(), dimension);
            let length = beta.iter().map(|b| b * b).sum::<f64>().sqrt();
            assert!((length - norm).abs() <= 1e-12 * norm, "{length}");
        }
    }

    #[test]
    fn another_seed_gives_another_direction() {
        assert_eq!(beta(20, 1), beta(20, 1));
        assert_ne!(beta(20, 1), beta(20, 2));
    }

    /// Over many seeds: mean 0 and E β_i β_j = 1/d where i = j, else 0.
    #[test]
    fn no_direction_is_preferred() {
        let (dimension, count) = (3, 20_000);
        let draws: Vec<Vec<f64>> = (0..count).map(|seed| beta(dimension, seed)).collect();
        let mean = |f: &dyn Fn(&[f64]) -> f64| {
            draws.iter().map(|beta| f(beta)).sum::<f64>() / count as f64
        };
        // Four standard errors of a mean of numbers of size below 1.
        let chance = 4.0 / (count as f64).sqrt();
        for i in 0..dimension {
            assert!(mean(&|beta| beta[i]).abs() < chance);
            for j in 0..dimension {
                let expected = if i == j { 1.0 / 3.0 } else { 0.0 };
                assert!((mean(&|beta| beta[i] * beta[j]) - expected).abs() < chance);
            }
        }
    }

    #[test]
    fn a_curve_goes_through_its_points_and_stays_level_beyond_them() {
        let points = [(3.0, -1.0), (0.1, 0.7), (1.0, 0.3), (7.0, 11.0)];
        let curve = Truth::through(points.to_vec());
        for (x, y) in points {
            assert_eq!(curve.at(&[x]), y);
        }
        assert_eq!(curve.at(&[2.0]), -0.35);
        assert_eq!(curve.at(&[4.0]), 2.0);
        assert_eq!(curve.at(&[0.0]), 0.7);
        assert_eq!(curve.at(&[-1e300]), 0.7);
        assert_eq!(curve.at(&[7.1]), 11.0);
    }
}
