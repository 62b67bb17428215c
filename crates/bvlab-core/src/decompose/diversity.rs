//! Ensembles: how good their members are, and what their disagreement is worth.
//!
//! With a loss and its own centroid as combiner (the mean under squared loss, the normalised
//! geometric mean under cross-entropy), the risk of an ensemble of members p₁ … p_M is
//!
//! noise + average bias + average variance - diversity, diversity = E meanᵢ loss(ensemble, pᵢ),
//!
//! exactly (Wood et al., *A unified theory of diversity in ensemble learning*, JMLR 24, 2023). With
//! another combiner, such as averaged probabilities under cross-entropy, a gap remains, which is told
//! too. Under zero-one loss the terms are effects: diversity is what the members' mean risk lies
//! above the ensemble's, may be negative, and leaves no gap.
//!
//! Members differ by chance alone, so their average bias is that of any one: of the centroid of all
//! members of all training sets.

use serde::{Deserialize, Serialize};

use super::estimate::TestSetup;
use super::jackknife::{LeaveGroupOut, PointsError, jackknife};
use super::loss::most;
use super::{Estimate, Loss, Tally};
use crate::maths::{exp, hypot, ln};
use crate::probability::{Preference, largest};

/// Sums over the members of ensembles, for one learner.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemberTally {
    /// By setting: how many members an ensemble has; 0 where it is none.
    members: Vec<usize>,
    /// By setting, test point and output: the mean score of a member.
    mean: Vec<f64>,
    /// By setting and test point: the mean of a member's risk above the least.
    excess: Vec<f64>,
    /// By setting and test point: the mean diversity.
    diversity: Vec<f64>,
}

/// The members of one ensemble, in one resample: sums over them.
#[derive(Clone, Debug, Default)]
pub struct Members {
    /// How many were seen.
    pub count: usize,
    /// By test point and output: the sum of scores.
    pub scores: Vec<f64>,
    /// By test point: the sum of risks above the least.
    pub excess: Vec<f64>,
    /// By test point: the sum of the losses of members where the ensemble is right.
    pub apart: Vec<f64>,
}

impl Members {
    /// Begins an ensemble, at that many points.
    pub fn begin(&mut self, points: usize, outputs: usize) {
        self.count = 0;
        for (list, length) in [
            (&mut self.scores, points * outputs),
            (&mut self.excess, points),
            (&mut self.apart, points),
        ] {
            list.clear();
            list.resize(length, 0.0);
        }
    }

    /// Adds a member's predictions to those of its ensemble, each with its preference among equally
    /// probable classes. `room` is memory for two scores.
    pub fn add(
        &mut self,
        loss: Loss,
        (prediction, own): (&[f64], Preference),
        (ensemble, common): (&[f64], Preference),
        truth: &[f64],
        room: &mut [f64],
    ) {
        self.count += 1;
        let outputs = truth.len() / self.excess.len().max(1);
        let (score, whole) = room.split_at_mut(outputs);
        for j in 0..self.excess.len() {
            let at = j * outputs..(j + 1) * outputs;
            let truth = &truth[at.clone()];
            loss.score(&prediction[at.clone()], own, score);
            loss.score(&ensemble[at.clone()], common, &mut whole[..outputs]);
            for (sum, score) in self.scores[at].iter_mut().zip(&*score) {
                *sum += score;
            }
            let excess = loss.excess(score, truth);
            self.excess[j] += excess;
            self.apart[j] += loss.between(&whole[..outputs], score, truth);
        }
    }

    /// The diversity of this ensemble, averaged over x.
    pub fn diversity(&self, weights: &[f64]) -> f64 {
        let sum: f64 = self.apart.iter().zip(weights).map(|(d, w)| d * w).sum();
        sum / self.count.max(1) as f64
    }
}

impl Loss {
    /// How wrong a member is where the ensemble is right; under zero-one loss, by how much its risk
    /// is above the ensemble's.
    fn between(self, ensemble: &[f64], member: &[f64], truth: &[f64]) -> f64 {
        let both = ensemble.iter().zip(member);
        match self {
            Loss::Squared => both.map(|(q, p)| (q - p) * (q - p)).sum(),
            Loss::CrossEntropy { .. } => both.map(|(q, p)| exp(*q) * (q - p)).sum(),
            Loss::ZeroOne(_) | Loss::Log => {
                self.excess(member, truth) - self.excess(ensemble, truth)
            }
        }
    }

    /// The average bias at a point, from the mean score of all members.
    fn centroid_bias(self, mean: &[f64], truth: &[f64]) -> f64 {
        match self {
            Loss::Squared | Loss::Log => self.excess(mean, truth),
            Loss::CrossEntropy { .. } => {
                let most = mean.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let sum: f64 = mean.iter().map(|m| exp(m - most)).sum();
                self.excess(mean, truth) + most + ln(sum)
            }
            Loss::ZeroOne(_) => {
                // The mean over all main predictions where there are several.
                let mains = largest(mean);
                let sum: f64 = mains.clone().map(|main| truth[main]).sum();
                most(truth) - sum / mains.count() as f64
            }
        }
    }
}

impl MemberTally {
    pub(super) fn new(settings: usize, points: usize, outputs: usize) -> Self {
        MemberTally {
            members: vec![0; settings],
            mean: vec![0.0; settings * points * outputs],
            excess: vec![0.0; settings * points],
            diversity: vec![0.0; settings * points],
        }
    }

    pub(super) fn clear(&mut self) {
        for list in [&mut self.mean, &mut self.excess, &mut self.diversity] {
            list.fill(0.0);
        }
        self.members.fill(0);
    }

    pub(super) fn sizes(&self) -> ([usize; 3], usize) {
        let sums = [&self.mean, &self.excess, &self.diversity];
        (sums.map(Vec::len), self.members.len())
    }

    /// Adds one setting's ensemble of the latest of so many resamples.
    pub(super) fn add(&mut self, setting: usize, members: &Members, resamples: u64) {
        self.members[setting] = members.count;
        if members.count == 0 {
            return;
        }
        let share = 1.0 / resamples as f64;
        let each = 1.0 / members.count as f64;
        for (means, sums) in [
            (&mut self.mean, &members.scores),
            (&mut self.excess, &members.excess),
            (&mut self.diversity, &members.apart),
        ] {
            let means = &mut means[setting * sums.len()..][..sums.len()];
            for (mean, sum) in means.iter_mut().zip(sums) {
                *mean += (sum * each - *mean) * share;
            }
        }
    }

    /// Joins the means of `here` and `there` resamples.
    pub(super) fn join(&mut self, other: &MemberTally, here: f64, there: f64) {
        let share = there / (here + there);
        for (means, others) in [
            (&mut self.mean, &other.mean),
            (&mut self.excess, &other.excess),
            (&mut self.diversity, &other.diversity),
        ] {
            for (mean, other) in means.iter_mut().zip(others) {
                *mean += (other - *mean) * share;
            }
        }
        for (count, other) in self.members.iter_mut().zip(&other.members) {
            *count = (*count).max(*other);
        }
    }
}

/// The names of the quantities of an ensemble.
pub const NAMES: [&str; 6] = [
    "member_risk",
    "average_bias",
    "average_variance",
    "diversity",
    "diversity_gap",
    "member_correlation",
];

/// Averages over x, in the order of the names, without the correlation.
type Averages = [f64; 5];

/// The quantities of the ensemble of one setting; `variance` is that of the ensemble, whole and with
/// each group left out, and `least` the least risk.
pub(super) fn of_setting(
    setting: usize,
    all: &Tally,
    groups: &[&Tally],
    tested: TestSetup,
    variance: (f64, &[f64]),
    least: f64,
) -> Vec<(&'static str, Estimate)> {
    let none = Estimate::without_error(f64::NAN);
    let Some(member_tally) = &all.member_tally else {
        return Vec::new();
    };
    let members = member_tally.members[setting];
    if members == 0 {
        return NAMES.map(|name| (name, none)).to_vec();
    }
    let TestSetup {
        loss,
        weights,
        drawn,
        ..
    } = tested;
    let (at_points, left_out) = averages(setting, all, member_tally, groups, tested);
    let points_error = PointsError {
        weights: weights.to_vec(),
        drawn,
    };
    let estimate = |i: usize| {
        let along: Vec<f64> = at_points.iter().map(|parts| parts[i]).collect();
        let value = along.iter().zip(weights).map(|(v, w)| v * w).sum::<f64>();
        let se = jackknife(left_out.iter().map(|parts| parts[i]));
        Estimate::new(value, hypot(se, points_error.of(&along, value)))
    };
    let mut quantities: Vec<(&'static str, Estimate)> = Vec::new();
    for (i, name) in NAMES.into_iter().enumerate().take(5) {
        let mut found = estimate(i);
        if i == 0 {
            found.value += least;
        }
        quantities.push((name, found));
    }
    // Var of a mean of M alike members: ρ t² + (1-ρ) t²/M.
    let correlation = |of_ensemble: f64, of_member: f64| {
        let m = members as f64;
        (m * of_ensemble / of_member - 1.0) / (m - 1.0)
    };
    let mean_combines =
        loss == Loss::Squared && quantities[4].1.value.abs() < 1e-9 * quantities[0].1.value;
    quantities.push((
        NAMES[5],
        match mean_combines && members > 1 {
            true => {
                let without = left_out.iter().zip(variance.1);
                let without = without.map(|(parts, variance)| correlation(*variance, parts[2]));
                let value = correlation(variance.0, quantities[2].1.value);
                Estimate::new(value, jackknife(without))
            }
            false => none,
        },
    ));
    quantities
}

/// The averages at every point, and those over x with each group left out.
fn averages(
    setting: usize,
    all: &Tally,
    member_tally: &MemberTally,
    groups: &[&Tally],
    tested: TestSetup,
) -> (Vec<Averages>, Vec<Averages>) {
    let TestSetup {
        loss,
        truth,
        weights,
        outputs,
        ..
    } = tested;
    let points = weights.len();
    let count = all.count as f64;
    let mut at_points: Vec<Averages> = Vec::new();
    let mut left_out: Vec<Averages> = vec![[0.0; 5]; groups.len()];
    let mut mean = vec![0.0; outputs];
    for j in 0..points {
        let p = &truth[j * outputs..][..outputs];
        let at = (setting * points + j) * outputs..(setting * points + j + 1) * outputs;
        let whole = &member_tally.mean[at.clone()];
        let ensemble = ensemble_excess(all, setting, j, tested);
        let plain = loss.centroid_bias(whole, p);
        let mut bias = plain;
        for (group, left_out) in groups.iter().zip(&mut left_out) {
            let Some(theirs) = &group.member_tally else {
                continue;
            };
            let rest = LeaveGroupOut::new(count, group.count as f64);
            for ((mean, m), g) in mean.iter_mut().zip(whole).zip(&theirs.mean[at.clone()]) {
                *mean = rest.mean_without(*m, *g);
            }
            let without = loss.centroid_bias(&mean, p);
            let share = rest.count() / count;
            // The main prediction of a vote is not corrected: see `classes`.
            if !matches!(loss, Loss::ZeroOne(_)) {
                bias += share * (plain - without);
            }
            let of = |list: fn(&MemberTally) -> &[f64]| {
                let place = setting * points + j;
                rest.mean_without(list(member_tally)[place], list(theirs)[place])
            };
            let excess = of(|member_tally| &member_tally.excess);
            let diversity = of(|member_tally| &member_tally.diversity);
            let ensemble = rest.mean_without(ensemble, ensemble_excess(group, setting, j, tested));
            let parts = five(excess, without, diversity, ensemble);
            for (sum, part) in left_out.iter_mut().zip(parts) {
                *sum += weights[j] * part;
            }
        }
        let place = setting * points + j;
        let parts = five(
            member_tally.excess[place],
            bias,
            member_tally.diversity[place],
            ensemble,
        );
        at_points.push(parts);
    }
    (at_points, left_out)
}

/// Risk of a member above the least, its bias and variance, diversity, and what they leave of the
/// ensemble's risk.
fn five(excess: f64, bias: f64, diversity: f64, ensemble: f64) -> Averages {
    [
        excess,
        bias,
        excess - bias,
        diversity,
        ensemble - (excess - diversity),
    ]
}

/// The mean of the ensemble's risk above the least at a point.
fn ensemble_excess(tally: &Tally, setting: usize, j: usize, tested: TestSetup) -> f64 {
    let TestSetup {
        loss,
        truth,
        outputs,
        weights,
        ..
    } = tested;
    let start = (setting * weights.len() + j) * outputs;
    let mean = &tally.mean[start..start + outputs];
    match loss {
        // The mean is that of prediction - truth.
        Loss::Squared => {
            let squares = &tally.squares[start..start + outputs];
            let both = mean.iter().zip(squares);
            both.map(|(m, s)| m * m + s / tally.count as f64).sum()
        }
        _ => loss.excess(mean, &truth[j * outputs..][..outputs]),
    }
}
