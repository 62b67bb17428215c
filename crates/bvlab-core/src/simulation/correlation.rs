//! The correlation of two things that happen or not, and which correlations chance does not explain.

use crate::decompose::Estimate;
use crate::maths::{erfc, square};

/// The share of discoveries that may be false, on average.
const FALSE_DISCOVERIES: f64 = 0.05;

/// The correlation φ of two events with the shares a and b, both of which happened in a share of n
/// cases; NaN where one of them happened never or always.
///
/// φ = (both − ab) / √(a(1−a) b(1−b)). With both events standardised to u and v, a case contributes
/// uv − φ(u² + v²)/2 to its error, which is what the standard error is made of.
pub(super) fn phi([a, b]: [f64; 2], both: f64, n: f64) -> Estimate {
    let [sd_a, sd_b] = [a, b].map(|share| (share * (1.0 - share)).sqrt());
    let value = (both - a * b) / (sd_a * sd_b);
    let cells = [
        (both, 1.0, 1.0),
        (a - both, 1.0, 0.0),
        (b - both, 0.0, 1.0),
        (1.0 - a - b + both, 0.0, 0.0),
    ];
    let spread: f64 = cells
        .iter()
        .map(|(share, first, second)| {
            let (u, v) = ((first - a) / sd_a, (second - b) / sd_b);
            share * square(u * v - value * (u * u + v * v) / 2.0)
        })
        .sum();
    let known = value.is_finite();
    match known {
        true => Estimate::new(value, (spread.max(0.0) / (n - 1.0)).sqrt()),
        false => Estimate::new(f64::NAN, f64::NAN),
    }
}

/// From which size on correlations φ of n cases count as dependence: of those that do, at most 5 %
/// are due to chance, on average. Infinite where none does.
///
/// Of independent events nφ² is χ² with one degree of freedom; the m probabilities of as much are
/// compared with 5 % · k/m, k = 1 … m, in rising order.
///
/// **Reference**: Benjamini and Hochberg, *Controlling the false discovery rate*, Journal of the
/// Royal Statistical Society B 57 (1995).
pub fn dependent_from(correlations: &[f64], n: f64) -> f64 {
    let known = correlations.iter().filter(|value| value.is_finite());
    let mut sizes: Vec<f64> = known.map(|value| value.abs()).collect();
    sizes.sort_by(|a, b| b.total_cmp(a));
    let step = FALSE_DISCOVERIES / sizes.len().max(1) as f64;
    let by_chance = |size: f64| erfc(size * (n / 2.0).sqrt());
    let ranked = sizes.iter().enumerate().rev();
    let mut found = ranked.filter(|(i, size)| by_chance(**size) <= step * (i + 1) as f64);
    found.next().map_or(f64::INFINITY, |(_, size)| *size)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// φ of events in cases, all at once.
    fn of_cases(cases: &[(bool, bool)]) -> Estimate {
        let n = cases.len() as f64;
        let share = |which: fn(&(bool, bool)) -> bool| {
            cases.iter().filter(|case| which(case)).count() as f64 / n
        };
        phi(
            [share(|(a, _)| *a), share(|(_, b)| *b)],
            share(|(a, b)| *a && *b),
            n,
        )
    }

    #[test]
    fn phi_is_pearsons_correlation_and_its_error_the_jackknifes() {
        let cases: Vec<(bool, bool)> = (0..400)
            .map(|i| (i * i % 7 < 3, (i * i % 7 < 3) != (i % 5 == 0)))
            .collect();
        let n = cases.len() as f64;
        let pairs = || {
            let number = |event| f64::from(u8::from(event));
            cases.iter().map(move |(a, b)| (number(*a), number(*b)))
        };
        let mean = |of: &dyn Fn((f64, f64)) -> f64| pairs().map(of).sum::<f64>() / n;
        let (a, b) = (mean(&|(a, _)| a), mean(&|(_, b)| b));
        let covariance = mean(&|(x, y)| (x - a) * (y - b));
        let spread = mean(&|(x, _)| (x - a).powi(2)) * mean(&|(_, y)| (y - b).powi(2));
        let found = of_cases(&cases);
        assert!((found.value - covariance / spread.sqrt()).abs() < 1e-12);
        let without: Vec<f64> = (0..cases.len())
            .map(|i| of_cases(&[&cases[..i], &cases[i + 1..]].concat()).value)
            .collect();
        let middle = without.iter().sum::<f64>() / n;
        let squares: f64 = without.iter().map(|value| (value - middle).powi(2)).sum();
        let jackknife = (squares * (n - 1.0) / n).sqrt();
        assert!((found.se / jackknife - 1.0).abs() < 0.01, "{found:?}");
        // Events that always come together, and one that never comes.
        let same: Vec<(bool, bool)> = (0..10).map(|i| (i < 4, i < 4)).collect();
        let found = of_cases(&same);
        assert!((found.value - 1.0).abs() < 1e-12 && found.se < 1e-7);
        assert!(of_cases(&[(true, false); 5]).value.is_nan());
    }

    #[test]
    fn correlations_are_called_dependence_as_benjamini_and_hochberg_do() {
        // The 15 probabilities of their section 3.2, of which 4 are discoveries at 5 %: 3 to Bonferroni.
        let known = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262,
            0.5719, 0.6528, 0.7590, 1.0,
        ];
        let n = 500.0;
        let sizes: Vec<f64> = known
            .iter()
            .map(|p| {
                // The size whose probability is p, by halving.
                let (mut low, mut high) = (0.0, 1.0);
                for _ in 0..60 {
                    let middle: f64 = (low + high) / 2.0;
                    match erfc(middle * (n / 2.0_f64).sqrt()) > *p {
                        true => low = middle,
                        false => high = middle,
                    }
                }
                high
            })
            .collect();
        let mut shuffled: Vec<f64> = sizes.iter().map(|size| -size).collect();
        shuffled.reverse();
        shuffled.push(f64::NAN);
        let from = dependent_from(&shuffled, n);
        let found = sizes.iter().filter(|size| **size >= from).count();
        assert_eq!(found, 4);
        assert_eq!(dependent_from(&[0.01, -0.02], n), f64::INFINITY);
        assert_eq!(dependent_from(&[], n), f64::INFINITY);
    }
}
