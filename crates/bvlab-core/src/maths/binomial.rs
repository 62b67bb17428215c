//! The binomial distribution.

/// The probability C(n, k) p^k (1-p)^(n-k) of every count k = 0, …, n of n independent events of
/// probability p in [0, 1].
///
/// From the most probable count outwards by the ratio of neighbours, divided by the sum: nothing
/// overflows, and no logarithm is taken.
///
/// ```
/// use bvlab_core::maths::binomial;
///
/// assert_eq!(binomial(2, 0.5), [0.25, 0.5, 0.25]);
/// ```
pub fn binomial(n: usize, p: f64) -> Vec<f64> {
    let mut law = vec![0.0; n + 1];
    let mode = (((n + 1) as f64 * p) as usize).min(n);
    law[mode] = 1.0;
    for k in mode..n {
        law[k + 1] = law[k] * ((n - k) as f64 * p) / ((k + 1) as f64 * (1.0 - p));
    }
    for k in (0..mode).rev() {
        law[k] = law[k + 1] * ((k + 1) as f64 * (1.0 - p)) / ((n - k) as f64 * p);
    }
    let sum: f64 = law.iter().sum();
    law.iter_mut().for_each(|chance| *chance /= sum);
    law
}

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::distribution::{Binomial, Discrete};

    #[test]
    fn it_is_that_of_statrs() {
        for n in [1, 2, 11, 100, 1000] {
            for p in [1e-6, 0.3, 0.5, 0.99] {
                let known = Binomial::new(p, n as u64).unwrap();
                for (k, chance) in binomial(n, p).iter().enumerate() {
                    let known = known.pmf(k as u64);
                    let close = (chance - known).abs() <= 1e-11 * known + 1e-300;
                    assert!(close, "n {n}, p {p}, k {k}: {chance} {known}");
                }
            }
        }
    }

    #[test]
    fn certain_events_always_happen() {
        assert_eq!(binomial(3, 0.0), [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(binomial(3, 1.0), [0.0, 0.0, 0.0, 1.0]);
        assert_eq!(binomial(0, 0.4), [1.0]);
    }
}
