//! Which setting an estimate of the risk chooses.

use crate::decompose::{Chosen, ClaimedRisk};

use super::{Method, RiskEstimates};

/// The setting of a row with the lowest finite number, or the largest where `large`. Of equal ones it
/// is that with the largest training error, which fits the data least closely; `None` where no number
/// is finite.
pub(crate) fn choose(
    row: &[usize],
    estimate: impl Fn(usize) -> f64,
    train_error: &[f64],
    large: bool,
) -> Option<usize> {
    let rank = |c: usize| if large { -estimate(c) } else { estimate(c) };
    let finite = row.iter().copied().filter(|c| rank(*c).is_finite());
    finite.reduce(|best, c| {
        let simpler = rank(c) == rank(best) && train_error[c] > train_error[best];
        match rank(c) < rank(best) || simpler {
            true => c,
            false => best,
        }
    })
}

/// The setting of a row that fits the data least closely.
fn simplest(row: impl Iterator<Item = usize>, train_error: &[f64]) -> Option<usize> {
    row.reduce(|best, c| match train_error[c] > train_error[best] {
        true => c,
        false => best,
    })
}

impl Method {
    /// What it chooses among the settings of a row; where it says nothing of any, the one that fits the
    /// data least closely.
    pub(crate) fn choice(
        &self,
        estimates: &RiskEstimates,
        place: usize,
        row: &[usize],
        train_error: &[f64],
    ) -> Chosen {
        let claim = |c: usize| estimates.claims[c];
        let estimate = |c: usize| claim(c).estimate;
        let found = choose(row, estimate, train_error, self.prefers_large());
        let setting = found.or_else(|| simplest(row.iter().copied(), train_error));
        let setting = setting.unwrap_or(0);
        let best = claim(setting);
        // The simplest setting that is not worse than the best by more than its standard error.
        let within = |c: &usize| estimate(*c) <= best.estimate + best.se;
        let near = row.iter().copied().filter(within);
        let of_choice: Option<&ClaimedRisk> = estimates.of_choice.get(place);
        Chosen {
            setting,
            one_se: simplest(near, train_error),
            claim: of_choice.copied().unwrap_or(best),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_simplest_within_one_standard_error_is_taken() {
        let method = Method::named("5-fold").unwrap();
        let claim = |estimate: f64| ClaimedRisk { estimate, se: 0.5 };
        let estimates = RiskEstimates {
            claims: [9.0, 3.4, 3.6, 3.0, 3.4, f64::NAN].map(claim).to_vec(),
            of_choice: Vec::new(),
        };
        let train = [5.0, 4.0, 3.0, 2.0, 1.0, 0.0];
        let chosen = method.choice(&estimates, 0, &[0, 1, 2, 3, 4, 5], &train);
        assert_eq!((chosen.setting, chosen.one_se), (3, Some(1)));
        // Only what competes counts.
        let chosen = method.choice(&estimates, 0, &[4, 5], &train);
        assert_eq!((chosen.setting, chosen.one_se), (4, Some(4)));
        let chosen = method.choice(&estimates, 0, &[5], &train);
        assert_eq!((chosen.setting, chosen.one_se), (5, None));
    }
}
