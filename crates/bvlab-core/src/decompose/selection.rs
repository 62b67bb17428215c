//! How well estimates of the risk choose a capacity: sums over training sets, and what follows.
//!
//! On every training set a method estimates the risk e of every setting, and chooses one. With r the
//! true risk of the fit to the same training set, and r' that of a fit to other labels at the same
//! inputs, sums of e, r, r' and their products give an estimate's bias and spread, and its correlation
//! with the risk of this very fit and with the risk averaged over labels: given the inputs, e and r'
//! are independent, so that Cov(e, r') = Cov(e, E[r | inputs]) and Cov(r, r') = Var E[r | inputs].
//!
//! **Reference**: Bates, Hastie and Tibshirani, *Cross-validation: what does it estimate and how well
//! does it do it?*, Journal of the American Statistical Association 119 (2024).

use serde::{Deserialize, Serialize};

use super::jackknife::jackknife;
use super::{Estimate, Parts};
use crate::maths::hypot;

/// What a method says of one setting on one training set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClaimedRisk {
    /// The estimate of the risk; NaN where there is none.
    pub estimate: f64,
    /// Its naive standard error; NaN where there is none.
    pub se: f64,
}

impl ClaimedRisk {
    /// Nothing known.
    pub const NONE: ClaimedRisk = ClaimedRisk {
        estimate: f64::NAN,
        se: f64::NAN,
    };

    /// Whether the naive 95 % interval contains a risk.
    fn covers(self, risk: f64) -> f64 {
        match self.se.is_nan() {
            true => f64::NAN,
            false => f64::from(u8::from(
                (self.estimate - risk).abs() <= NORMAL_95 * self.se,
            )),
        }
    }
}

/// The half-width of a normal 95 % interval, in standard errors.
const NORMAL_95: f64 = 1.959_963_984_540_054;

/// The choice of a method among the settings of one row of a sweep, on one training set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chosen {
    /// The setting with the best estimate.
    pub setting: usize,
    /// The setting that the one-standard-error rule takes, where there is a standard error.
    pub one_se: Option<usize>,
    /// What the method says of the risk of its choice.
    pub claim: ClaimedRisk,
}

/// The risks of a setting's fits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitRisk {
    /// Of the fit to the training set.
    pub risk: f64,
    /// Of the fit to other labels at the same inputs; NaN where they cannot be drawn.
    pub twin: f64,
}

/// Sums of one method's estimates of one setting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct ClaimSums {
    estimate: f64,
    square: f64,
    with_risk: f64,
    with_twin: f64,
    /// Squared distances from the risk of this fit.
    distance: f64,
    covered: f64,
    chosen: f64,
    one_se: f64,
}

/// Sums of the true risks of one setting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct RiskSums {
    risk: f64,
    square: f64,
    twin: f64,
    with_twin: f64,
}

/// Sums of one method's choices in one row of the sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct ChoiceSums {
    risk: f64,
    risk_square: f64,
    /// The risk of the training set's own best setting.
    own: f64,
    claim: f64,
    claim_square: f64,
    with_risk: f64,
    distance: f64,
    covered: f64,
    one_se: f64,
}

macro_rules! sums {
    ($name:ident: $($field:ident),*) => {
        impl $name {
            fn join(&mut self, other: &Self) {
                $(self.$field += other.$field;)*
            }

            fn take(&mut self, other: &Self) {
                $(self.$field -= other.$field;)*
            }
        }
    };
}

sums!(ClaimSums: estimate, square, with_risk, with_twin, distance, covered, chosen, one_se);
sums!(RiskSums: risk, square, twin, with_twin);
sums!(ChoiceSums: risk, risk_square, own, claim, claim_square, with_risk, distance, covered, one_se);

/// The sums of some training sets, for one learner.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SelectionTally {
    count: f64,
    /// How many settings compete with each other.
    row: usize,
    /// By setting.
    risks: Vec<RiskSums>,
    /// By method and setting.
    claims: Vec<ClaimSums>,
    /// By method and row.
    choices: Vec<ChoiceSums>,
}

impl SelectionTally {
    /// Nothing counted, of so many settings in rows of that length.
    pub fn new(settings: usize, row: usize, methods: usize) -> Self {
        let rows = settings / row.max(1);
        SelectionTally {
            count: 0.0,
            row,
            risks: vec![RiskSums::default(); settings],
            claims: vec![ClaimSums::default(); methods * settings],
            choices: vec![ChoiceSums::default(); methods * rows],
        }
    }

    /// Begins another training set.
    pub fn begin(&mut self) {
        self.count += 1.0;
    }

    /// Forgets everything but its size.
    pub(super) fn clear(&mut self) {
        self.count = 0.0;
        self.risks.fill(RiskSums::default());
        self.claims.fill(ClaimSums::default());
        self.choices.fill(ChoiceSums::default());
    }

    pub(super) fn sizes(&self) -> [usize; 4] {
        let [risks, claims, choices] = [self.risks.len(), self.claims.len(), self.choices.len()];
        [self.row, risks, claims, choices]
    }

    pub(super) fn join(&mut self, other: &SelectionTally) {
        self.count += other.count;
        let risks = self.risks.iter_mut().zip(&other.risks);
        risks.for_each(|(mine, theirs)| mine.join(theirs));
        let claims = self.claims.iter_mut().zip(&other.claims);
        claims.for_each(|(mine, theirs)| mine.join(theirs));
        let choices = self.choices.iter_mut().zip(&other.choices);
        choices.for_each(|(mine, theirs)| mine.join(theirs));
    }

    fn without(&self, group: &SelectionTally) -> Self {
        let mut rest = self.clone();
        rest.count -= group.count;
        let risks = rest.risks.iter_mut().zip(&group.risks);
        risks.for_each(|(mine, theirs)| mine.take(theirs));
        let claims = rest.claims.iter_mut().zip(&group.claims);
        claims.for_each(|(mine, theirs)| mine.take(theirs));
        let choices = rest.choices.iter_mut().zip(&group.choices);
        choices.for_each(|(mine, theirs)| mine.take(theirs));
        rest
    }

    /// Adds the true risks of one setting.
    pub fn add_risk(&mut self, setting: usize, fit: FitRisk) {
        let sums = &mut self.risks[setting];
        sums.risk += fit.risk;
        sums.square += fit.risk * fit.risk;
        sums.twin += fit.twin;
        sums.with_twin += fit.risk * fit.twin;
    }

    /// Adds what a method says of one setting.
    pub fn add_claim(&mut self, method: usize, setting: usize, claim: ClaimedRisk, fit: FitRisk) {
        let settings = self.risks.len();
        let sums = &mut self.claims[method * settings + setting];
        let apart = claim.estimate - fit.risk;
        sums.estimate += claim.estimate;
        sums.square += claim.estimate * claim.estimate;
        sums.with_risk += claim.estimate * fit.risk;
        sums.with_twin += claim.estimate * fit.twin;
        sums.distance += apart * apart;
        sums.covered += claim.covers(fit.risk);
    }

    /// Adds a method's choice in the row that its setting is in; `risk` gives the true risk of a
    /// setting.
    pub fn add_choice(&mut self, method: usize, chosen: Chosen, risk: impl Fn(usize) -> f64) {
        let settings = self.risks.len();
        let row = chosen.setting / self.row;
        self.claims[method * settings + chosen.setting].chosen += 1.0;
        let places = row * self.row..(row + 1) * self.row;
        let own = places.map(&risk).fold(f64::INFINITY, f64::min);
        let rows = settings / self.row;
        let sums = &mut self.choices[method * rows + row];
        let (here, claim) = (risk(chosen.setting), chosen.claim);
        let apart = claim.estimate - here;
        sums.risk += here;
        sums.risk_square += here * here;
        sums.own += own;
        sums.claim += claim.estimate;
        sums.claim_square += claim.estimate * claim.estimate;
        sums.with_risk += claim.estimate * here;
        sums.distance += apart * apart;
        sums.covered += claim.covers(here);
        sums.one_se += chosen.one_se.map_or(f64::NAN, &risk);
        if let Some(setting) = chosen.one_se {
            self.claims[method * settings + setting].one_se += 1.0;
        }
    }

    fn mean_risk(&self, setting: usize) -> f64 {
        self.risks[setting].risk / self.count
    }

    fn claim(&self, method: usize, setting: usize) -> &ClaimSums {
        &self.claims[method * self.risks.len() + setting]
    }

    fn choice(&self, method: usize, row: usize) -> &ChoiceSums {
        &self.choices[method * (self.risks.len() / self.row) + row]
    }

    /// The correlation of an estimate with the risk of this fit.
    fn with_fit(&self, method: usize, setting: usize) -> f64 {
        let (claim, risk) = (self.claim(method, setting), &self.risks[setting]);
        correlation(
            self.count,
            [claim.estimate, claim.square],
            [risk.risk, risk.square],
            claim.with_risk,
        )
    }

    /// The correlation of an estimate with the risk averaged over labels.
    fn with_inputs(&self, method: usize, setting: usize) -> f64 {
        let (claim, risk) = (self.claim(method, setting), &self.risks[setting]);
        let [estimate, fit, twin] =
            [claim.estimate, risk.risk, risk.twin].map(|sum| sum / self.count);
        let spread = claim.square / self.count - estimate * estimate;
        // Both fits have the same distribution: either may stand for the other.
        let shared = risk.with_twin / self.count - fit * twin;
        let along = claim.with_twin / self.count - estimate * twin;
        along / (spread * shared).sqrt()
    }
}

/// The correlation of two numbers from their sums, those of their squares and that of their products.
fn correlation(count: f64, a: [f64; 2], b: [f64; 2], product: f64) -> f64 {
    let [mean_a, mean_b] = [a[0] / count, b[0] / count];
    let spread = |square: f64, mean: f64| square / count - mean * mean;
    (product / count - mean_a * mean_b) / (spread(a[1], mean_a) * spread(b[1], mean_b)).sqrt()
}

/// What one method does with one setting, over training sets.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueSummary {
    /// The mean estimate.
    pub estimate: Estimate,
    /// Its standard deviation over training sets.
    pub spread: f64,
    /// The mean estimate minus the expected risk; NaN for a criterion that does not estimate it.
    pub bias: Estimate,
    /// The share of training sets that choose the setting.
    pub chosen: f64,
    /// The same by the one-standard-error rule; NaN where there is none.
    pub chosen_one_se: f64,
    /// The correlation with the risk of the fit to the same training set.
    pub correlation_fit: Estimate,
    /// The correlation with the risk averaged over labels at the same inputs.
    pub correlation_inputs: Estimate,
    /// The mean squared distance from the risk of the fit to the same training set.
    pub distance_fit: Estimate,
    /// The mean squared distance from the expected risk.
    pub distance_expected: Estimate,
    /// How often the naive 95 % interval contains the risk of the fit to the same training set.
    pub coverage: Estimate,
}

/// What one method's choices are worth, over training sets.
#[derive(Clone, Debug, PartialEq)]
pub struct ChoiceSummary {
    /// The setting with the lowest mean risk, which regret is measured from.
    pub best: usize,
    /// The mean true risk of the chosen setting, fitted to the whole training set.
    pub risk: Estimate,
    /// That risk minus the risk of the best setting; negative where choosing by training set pays.
    pub regret: Estimate,
    /// That risk minus the risk of every training set's own best setting.
    pub regret_own: Estimate,
    /// What the method says of the risk of its choice, on average.
    pub claimed: Estimate,
    /// The mean of this minus the true risk; NaN for a criterion that does not estimate it.
    pub claimed_bias: Estimate,
    /// The mean squared distance of the two.
    pub claimed_distance: Estimate,
    /// The correlation of the two over training sets.
    pub claimed_correlation: Estimate,
    /// How often the naive 95 % interval contains the true risk of the choice.
    pub claimed_coverage: Estimate,
    /// The mean true risk of what the one-standard-error rule takes.
    pub one_se_risk: Estimate,
    /// That risk minus the risk of the best setting.
    pub one_se_regret: Estimate,
}

/// All of one method: by setting, and by row of the sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodSummary {
    /// By setting.
    pub values: Vec<ValueSummary>,
    /// By row: one where a single parameter is swept.
    pub choices: Vec<ChoiceSummary>,
}

impl MethodSummary {
    /// Appends more rows of the same learner.
    pub(super) fn append(&mut self, more: MethodSummary) {
        let before = self.values.len();
        self.values.extend(more.values);
        let choices = more.choices.into_iter().map(|choice| ChoiceSummary {
            best: choice.best + before,
            ..choice
        });
        self.choices.extend(choices);
    }
}

/// Sums over all training sets, and over all but one group.
struct SelectionLeftOut {
    all: SelectionTally,
    rest: Vec<SelectionTally>,
}

impl SelectionLeftOut {
    fn estimate(&self, of: impl Fn(&SelectionTally) -> f64) -> Estimate {
        let se = jackknife(self.rest.iter().map(&of).collect::<Vec<_>>().into_iter());
        Estimate::new(of(&self.all), se)
    }

    /// The same for what estimates of the risk have alone.
    fn of_risk(&self, is_risk: bool, of: impl Fn(&SelectionTally) -> f64) -> Estimate {
        match is_risk {
            true => self.estimate(of),
            false => Estimate::new(f64::NAN, f64::NAN),
        }
    }

    fn value(&self, method: usize, setting: usize, is_risk: bool, points: f64) -> ValueSummary {
        let mean = |tally: &SelectionTally| tally.claim(method, setting).estimate / tally.count;
        let square = |tally: &SelectionTally| tally.claim(method, setting).square / tally.count;
        let (count, sums) = (self.all.count, self.all.claim(method, setting));
        let spread = (square(&self.all) - mean(&self.all) * mean(&self.all)).max(0.0);
        let bias = self.of_risk(is_risk, |tally| mean(tally) - tally.mean_risk(setting));
        let one_se = sums.covered.is_nan();
        ValueSummary {
            estimate: self.estimate(mean),
            spread: (spread * count / (count - 1.0)).sqrt(),
            bias: Estimate::new(bias.value, hypot(bias.se, points)),
            chosen: sums.chosen / count,
            chosen_one_se: if one_se {
                f64::NAN
            } else {
                sums.one_se / count
            },
            correlation_fit: self.of_risk(is_risk, |tally| tally.with_fit(method, setting)),
            correlation_inputs: self.of_risk(is_risk, |tally| tally.with_inputs(method, setting)),
            distance_fit: self.of_risk(is_risk, |tally| {
                tally.claim(method, setting).distance / tally.count
            }),
            distance_expected: self.of_risk(is_risk, |tally| {
                let (mean, risk) = (mean(tally), tally.mean_risk(setting));
                square(tally) - 2.0 * mean * risk + risk * risk
            }),
            coverage: self.of_risk(is_risk, |tally| {
                tally.claim(method, setting).covered / tally.count
            }),
        }
    }

    fn choice(&self, method: usize, row: usize, is_risk: bool, points: f64) -> ChoiceSummary {
        let places = row * self.all.row..(row + 1) * self.all.row;
        let risk_of = |setting: &usize| self.all.mean_risk(*setting);
        let lowest = places.min_by(|a, b| risk_of(a).total_cmp(&risk_of(b)));
        let best = lowest.unwrap_or(0);
        let mean = |of: fn(&ChoiceSums) -> f64| {
            move |tally: &SelectionTally| of(tally.choice(method, row)) / tally.count
        };
        let [risk, own, claim, one_se] = [
            mean(|sums| sums.risk),
            mean(|sums| sums.own),
            mean(|sums| sums.claim),
            mean(|sums| sums.one_se),
        ];
        let whole = self.estimate(risk);
        let one_se_risk = self.estimate(one_se);
        let with_points =
            |estimate: Estimate| Estimate::new(estimate.value, hypot(estimate.se, points));
        ChoiceSummary {
            best,
            risk: with_points(whole),
            regret: self.estimate(|tally| risk(tally) - tally.mean_risk(best)),
            regret_own: self.estimate(|tally| risk(tally) - own(tally)),
            claimed: self.estimate(claim),
            claimed_bias: with_points(self.of_risk(is_risk, |t| claim(t) - risk(t))),
            claimed_distance: self.of_risk(is_risk, mean(|sums| sums.distance)),
            claimed_correlation: self.of_risk(is_risk, |tally| {
                let sums = tally.choice(method, row);
                let claim = [sums.claim, sums.claim_square];
                let risk = [sums.risk, sums.risk_square];
                correlation(tally.count, claim, risk, sums.with_risk)
            }),
            claimed_coverage: self.of_risk(is_risk, mean(|sums| sums.covered)),
            one_se_risk: with_points(one_se_risk),
            one_se_regret: self.estimate(|tally| one_se(tally) - tally.mean_risk(best)),
        }
    }
}

/// What the methods did, from the sums of all groups; `is_risk` says of every method whether it
/// estimates the risk. The errors that drawn test points have are those of the risks in `parts`.
pub(super) fn summarise(
    groups: &[&SelectionTally],
    is_risk: &[bool],
    parts: &[Parts],
) -> Vec<MethodSummary> {
    let Some((first, others)) = groups.split_first() else {
        return Vec::new();
    };
    let mut all = (*first).clone();
    others.iter().for_each(|group| all.join(group));
    let rest = groups.iter().map(|group| all.without(group)).collect();
    let (settings, row) = (all.risks.len(), all.row.max(1));
    let left_out = SelectionLeftOut { all, rest };
    let points = |setting: usize| {
        let (whole, resampling) = (parts[setting].risk.se, parts[setting].risk_resampling_se);
        let square = whole * whole - resampling * resampling;
        square.max(0.0).sqrt()
    };
    let of_method = |(method, is_risk): (usize, &bool)| {
        let value = |setting| left_out.value(method, setting, *is_risk, points(setting));
        let choice = |place: usize| {
            let places = place * row..(place + 1) * row;
            let points = places.map(points).fold(f64::INFINITY, f64::min);
            left_out.choice(method, place, *is_risk, points)
        };
        MethodSummary {
            values: (0..settings).map(value).collect(),
            choices: (0..settings / row).map(choice).collect(),
        }
    };
    is_risk.iter().enumerate().map(of_method).collect()
}
