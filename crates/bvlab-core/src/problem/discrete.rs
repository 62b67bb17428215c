//! Inputs that are 0 or 1, or counts.

use rand::RngExt;

use super::class_at;
use crate::maths::ln;
use crate::stream::Stream;

/// Inputs that are 1 with probabilities of their own, independent of each other, and else 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Bernoulli {
    ones: Vec<f64>,
    /// ln of the probabilities of 0 and of 1.
    logs: Vec<[f64; 2]>,
}

impl Bernoulli {
    /// The probability of a 1 in every coordinate; `None` if one is not between 0 and 1.
    pub fn new(ones: Vec<f64>) -> Option<Self> {
        let inside = ones.iter().all(|p| *p > 0.0 && *p < 1.0);
        let logs = ones.iter().map(|p| [ln(1.0 - p), ln(*p)]).collect();
        inside.then_some(Bernoulli { ones, logs })
    }

    /// ln of the probability of x, linear between 0 and 1.
    pub(super) fn log_mass(&self, x: &[f64]) -> f64 {
        let terms = x.iter().zip(&self.logs);
        terms.map(|(x, [no, yes])| x * yes + (1.0 - x) * no).sum()
    }

    pub(super) fn draw(&self, stream: &mut Stream, values: &mut Vec<f64>) {
        let bits = self.ones.iter();
        values.extend(bits.map(|p| f64::from(stream.random::<f64>() < *p)));
    }
}

/// How often each of several things occurs in a number of independent trials.
#[derive(Clone, Debug, PartialEq)]
pub struct Multinomial {
    shares: Vec<f64>,
    logs: Vec<f64>,
    trials: usize,
}

impl Multinomial {
    /// The shares of all things, which are divided by their sum, and the number of trials; `None` if a
    /// share is not above 0 and finite.
    pub fn new(shares: Vec<f64>, trials: usize) -> Option<Self> {
        let sum: f64 = shares.iter().sum();
        let shares: Vec<f64> = shares.iter().map(|share| share / sum).collect();
        let fine = shares.iter().all(|share| *share > 0.0 && share.is_finite());
        let logs = shares.iter().map(|share| ln(*share)).collect();
        fine.then_some(Multinomial {
            shares,
            logs,
            trials,
        })
    }

    /// ln of the probability of x, without the number of orders in which the things can occur, which
    /// is the same whatever the shares.
    pub(super) fn log_mass(&self, x: &[f64]) -> f64 {
        x.iter().zip(&self.logs).map(|(x, log)| x * log).sum()
    }

    /// The number of trials.
    pub fn trials(&self) -> usize {
        self.trials
    }

    pub(super) fn draw(&self, stream: &mut Stream, values: &mut Vec<f64>) {
        let start = values.len();
        values.resize(start + self.shares.len(), 0.0);
        for _ in 0..self.trials {
            values[start + class_at(&self.shares, stream.random())] += 1.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Purpose;

    /// Means and covariances of both laws.
    #[test]
    fn draws_have_the_moments_of_their_law() {
        let count = 100_000;
        let mut stream = Stream::new(1, Purpose::Inputs, 0);
        let p = [0.2, 0.7, 0.1];
        let bits = Bernoulli::new(p.to_vec()).unwrap();
        let counts = Multinomial::new(vec![2.0, 7.0, 1.0], 5).unwrap();
        let (mut ones, mut tallies) = (Vec::new(), Vec::new());
        for _ in 0..count {
            bits.draw(&mut stream, &mut ones);
            counts.draw(&mut stream, &mut tallies);
        }
        let mean = |values: &[f64], of: &dyn Fn(&[f64]) -> f64| {
            values.chunks_exact(3).map(of).sum::<f64>() / f64::from(count)
        };
        for (k, p) in p.iter().enumerate() {
            // Standard errors are at most 0.0016 and 0.0035.
            assert!((mean(&ones, &|x| x[k]) - p).abs() < 0.007);
            assert!((mean(&tallies, &|x| x[k]) - 5.0 * p).abs() < 0.015);
        }
        let [a, b] = [p[0], p[1]];
        let product = mean(&ones, &|x| x[0] * x[1]);
        assert!((product - a * b).abs() < 0.007);
        let product = mean(&tallies, &|x| (x[0] - 5.0 * a) * (x[1] - 5.0 * b));
        assert!((product + 5.0 * a * b).abs() < 0.02);
        assert!(
            tallies
                .chunks_exact(3)
                .all(|x| x.iter().sum::<f64>() == 5.0)
        );
    }

    #[test]
    fn probabilities_sum_to_one() {
        let bits = Bernoulli::new(vec![0.2, 0.7]).unwrap();
        let all = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
        let sum: f64 = all.iter().map(|x| bits.log_mass(x).exp()).sum();
        assert!((sum - 1.0).abs() < 1e-14);
        assert_eq!(Bernoulli::new(vec![0.5, 1.0]), None);
        assert_eq!(Multinomial::new(vec![0.5, -1.0], 3), None);
        assert_eq!(Multinomial::new(vec![0.0, 1.0], 3), None);
    }
}
