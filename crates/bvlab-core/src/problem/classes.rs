//! Labels that are classes: the probability of every class at every input is known.

use std::sync::Arc;

use super::{Expression, Mixture};

/// The most classes of a problem.
pub const MOST_CLASSES: usize = 100;

/// Classes 0, 1, …, K - 1 with known probabilities p(k|x), so that the best possible prediction is
/// known at every x, and noise is exact.
#[derive(Clone, Debug)]
pub struct Classes {
    /// Where the probabilities come from, before labels are flipped.
    pub law: ClassLaw,
    /// With this probability a label is replaced by one of the others, each as likely:
    /// p becomes (1 - e) p + e (1 - p)/(K - 1).
    pub flip: f64,
}

/// Where the probabilities of classes come from.
#[derive(Clone, Debug)]
pub enum ClassLaw {
    /// The probability of class 1 of two.
    Probability(Expression),
    /// Weights of all classes, which are divided by their sum.
    Weights(Vec<Expression>),
    /// Inputs of every class have a distribution of their own; Bayes' rule gives the rest.
    Mixture(Arc<Mixture>),
}

impl Classes {
    /// How many classes there are.
    pub fn count(&self) -> usize {
        match &self.law {
            ClassLaw::Probability(_) => 2,
            ClassLaw::Weights(weights) => weights.len(),
            ClassLaw::Mixture(mixture) => mixture.classes(),
        }
    }

    /// Writes the probability of every class at x.
    ///
    /// # Errors
    ///
    /// The value that is no probability, or no weight.
    pub fn at(&self, x: &[f64], out: &mut [f64]) -> Result<(), f64> {
        match &self.law {
            ClassLaw::Probability(one) => {
                let one = one.at(x);
                if !(0.0..=1.0).contains(&one) {
                    return Err(one);
                }
                out[0] = 1.0 - one;
                out[1] = one;
            }
            ClassLaw::Weights(weights) => {
                for (out, weight) in out.iter_mut().zip(weights) {
                    *out = weight.at(x);
                    if !(*out >= 0.0 && out.is_finite()) {
                        return Err(*out);
                    }
                }
                let sum: f64 = out.iter().sum();
                if !(sum > 0.0 && sum.is_finite()) {
                    return Err(sum);
                }
                out.iter_mut().for_each(|weight| *weight /= sum);
            }
            ClassLaw::Mixture(mixture) => mixture.posterior(x, out),
        }
        if self.flip > 0.0 {
            let others = (out.len() - 1) as f64;
            for p in out {
                *p = (1.0 - self.flip) * *p + self.flip * (1.0 - *p) / others;
            }
        }
        Ok(())
    }
}

/// The class that a number drawn evenly from 0 to 1 picks.
pub fn class_at(probabilities: &[f64], even: f64) -> usize {
    let mut below = 0.0;
    for (class, p) in probabilities.iter().enumerate() {
        below += p;
        if even < below {
            return class;
        }
    }
    // Rounding may leave the sum a hair below 1: the last class that can occur.
    let possible = probabilities.iter().rposition(|p| *p > 0.0);
    possible.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flipped_labels_still_sum_to_one() {
        let weights = ["1", "x", "x^2"].map(|text| Expression::parse(text, 1).unwrap());
        let mut classes = Classes {
            law: ClassLaw::Weights(weights.to_vec()),
            flip: 0.0,
        };
        let mut p = [0.0; 3];
        classes.at(&[2.0], &mut p).unwrap();
        assert_eq!(p, [1.0 / 7.0, 2.0 / 7.0, 4.0 / 7.0]);
        classes.flip = 0.2;
        let mut flipped = [0.0; 3];
        classes.at(&[2.0], &mut flipped).unwrap();
        // Told by cases: kept, or one of the two others flipped to this one.
        for (class, q) in flipped.iter().enumerate() {
            let others: f64 = (0..3).filter(|k| *k != class).map(|k| p[k]).sum();
            assert!((q - (0.8 * p[class] + 0.1 * others)).abs() < 1e-15);
        }
        assert!((flipped.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        assert_eq!(classes.at(&[-1.0], &mut p), Err(-1.0));
    }

    #[test]
    fn an_even_number_picks_a_class_by_its_share() {
        let p = [0.25, 0.0, 0.75];
        let picked = [0.0, 0.2, 0.25, 0.3, 0.999, 1.0].map(|even| class_at(&p, even));
        assert_eq!(picked, [0, 0, 2, 2, 2, 2]);
        assert_eq!(class_at(&[1.0, 0.0], 1.0), 0);
    }
}
