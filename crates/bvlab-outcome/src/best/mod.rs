//! The best setting of every learner, decided once for report, tables, figures and pages.
//!
//! The best setting is the one with the lowest risk, among the settings whose mean over training
//! sets exists: by exact risks where all settings of the learner have one, else by estimated ones.
//! Where no mean can be trusted, it is the one with the lowest median.
//!
//! The lowest of some estimates is not always the best setting. [`BestStatus`] says what is known of
//! it. Two settings are compared by the difference of their risks on the same training sets: of
//! settings within one standard error of this paired difference none is called the best.

mod words;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::columns::{
    BIAS2_EXACT, DOUBT, LARGEST_SHARE, NOISE, RESAMPLES, RISK, RISK_MEDIAN, VARIANCE_EXACT,
};
use crate::table::Table;
use bvlab_core::decompose::{Decomposition, Doubt, Estimate, Parts, heavy_tail};
use bvlab_core::engine::{LearnerResults, Results};
use bvlab_core::plan::{CapacityPath, Curve, Plan};

/// Differences of risks below this share of them are rounding.
const ROUNDING: f64 = 1e-9;

/// By which numbers a setting is the lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SelectionCriterion {
    /// Exact risks.
    Exact,
    /// Estimated risks.
    Estimate,
    /// Medians over training sets, because no mean can be trusted.
    Median,
}

/// What is known of the setting with the lowest risk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BestStatus {
    /// It is the only setting.
    Single,
    /// It is the best: every other setting is more than one standard error worse.
    Claimed,
    /// It lies at an end of the sweep, beyond which the risk may be lower.
    AtEnd,
    /// Other settings are within one standard error.
    Tied,
    /// Heavy tails, of its own risk or of its neighbours', leave it open.
    Doubtful,
    /// It was not compared with the others: the result of an earlier version.
    Uncompared,
}

impl BestStatus {
    /// Its name in messages and manifests.
    pub fn name(self) -> &'static str {
        match self {
            BestStatus::Single => "single",
            BestStatus::Claimed => "claimed",
            BestStatus::AtEnd => "at-end",
            BestStatus::Tied => "tied",
            BestStatus::Doubtful => "doubtful",
            BestStatus::Uncompared => "uncompared",
        }
    }
}

/// A swept parameter and its value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweptValue {
    /// The parameter.
    pub axis: String,
    /// Its value.
    pub value: f64,
}

/// The setting with the lowest risk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Best {
    /// Its number, in the order of the table `curves`.
    pub setting: usize,
    /// The swept parameters there.
    pub at: Vec<SweptValue>,
    /// The number that decided: a risk, or with [`SelectionCriterion::Median`] a median. `None` if it is not
    /// finite.
    pub risk: Option<f64>,
    /// Which number that is.
    pub by: SelectionCriterion,
    /// What is known of it.
    pub standing: BestStatus,
    /// The numbers of the other settings within one standard error.
    pub tied: Vec<usize>,
}

/// The best of one learner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LearnerBest {
    /// The learner's name.
    pub learner: String,
    /// The best of all its settings.
    pub best: Best,
    /// In a two-way sweep, by value of the second axis: the best along the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub along: Vec<Best>,
}

/// The learner whose best setting has the lowest risk of all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BestLearner {
    /// The learner's name.
    pub learner: String,
    /// What is known of it: claimed, tied or doubtful.
    pub standing: BestStatus,
    /// The names of the other learners within one standard error.
    pub tied: Vec<String>,
}

/// The best settings of all learners of a study.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bests {
    /// By learner, in the plan's order.
    pub learners: Vec<LearnerBest>,
    /// Over all learners, where there are several and their best settings share a problem.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overall: Option<BestLearner>,
}

impl Bests {
    /// The best settings of a finished run.
    pub fn of(plan: &Plan, results: &Results) -> Self {
        let learners = plan.paths.iter().zip(&results.learners);
        let learners = learners.map(|(path, learner)| {
            let exact = exact_risks(plan, learner);
            Comparison::new(path, &learner.decomposition, exact)
        });
        Bests::of_all(learners.collect())
    }

    /// The best settings by the estimates from the first training sets of a run.
    pub fn of_estimates(plan: &Plan, learners: &[Decomposition]) -> Self {
        let learners = plan.paths.iter().zip(learners);
        let learners = learners.map(|(path, all)| Comparison::new(path, all, None));
        Bests::of_all(learners.collect())
    }

    fn of_all(learners: Vec<Comparison>) -> Self {
        let each = learners.iter().map(|learner| LearnerBest {
            learner: learner.path.curve.name.clone(),
            best: learner.best(),
            along: learner.along(),
        });
        let each: Vec<LearnerBest> = each.collect();
        let overall = overall(&learners, &each);
        Bests {
            learners: each,
            overall,
        }
    }

    /// The best of a learner.
    pub fn of_learner(&self, name: &str) -> Option<&LearnerBest> {
        self.learners.iter().find(|best| best.learner == name)
    }
}

impl LearnerBest {
    /// As far as the table of curves tells, for results of earlier versions: nothing is compared in
    /// pairs. `None` if the table does not have the learner's rows.
    pub fn from_table(curves: &Table, curve: &Curve, rows: Range<usize>) -> Option<Self> {
        let column = |name: &str| curves.numbers(name).get(rows.clone());
        let estimates = column(RISK)?.to_vec();
        if estimates.len() != curve.settings() || estimates.is_empty() {
            return None;
        }
        let exact = [NOISE, BIAS2_EXACT, VARIANCE_EXACT].map(column);
        let exact = match exact {
            [Some(noise), Some(bias2), Some(variance)] => {
                let sums = noise.iter().zip(bias2).zip(variance);
                let sums: Vec<f64> = sums.map(|((n, b), v)| n + b + v).collect();
                sums.iter().all(|risk| !risk.is_nan()).then_some(sums)
            }
            _ => None,
        };
        let risks = Risks {
            medians: column(RISK_MEDIAN).map_or_else(|| estimates.clone(), <[f64]>::to_vec),
            spoiled: spoiled(curves, &rows),
            uncertain: vec![false; estimates.len()],
            estimates,
            exact,
        };
        let decide = |within: Range<usize>| decide(curve, within, &risks, &|_, _| None);
        Some(LearnerBest {
            learner: curve.name.clone(),
            best: decide(0..curve.settings()),
            along: slices(curve).map(decide).collect(),
        })
    }

    /// Whether it can be of this curve: a file may say anything.
    pub fn fits(&self, curve: &Curve) -> bool {
        let settings = curve.settings();
        let mut all = self.along.iter().chain([&self.best]);
        all.all(|best| {
            let known = |setting: &usize| *setting < settings;
            best.at.len() == curve.axes.len() && known(&best.setting) && best.tied.iter().all(known)
        })
    }

    /// The best along the first axis at a value of the second, or of all settings where there is no
    /// second axis or it does not have the value.
    pub fn at_second(&self, curve: &Curve, second: f64) -> &Best {
        let axis = curve.axes.get(1);
        let place = axis.and_then(|axis| axis.values.iter().position(|value| *value == second));
        let along = place.and_then(|place| self.along.get(place));
        along.unwrap_or(&self.best)
    }
}

/// Where the mean of a risk may not exist, by rows of the table of curves.
pub fn spoiled(curves: &Table, rows: &Range<usize>) -> Vec<bool> {
    if let Some(doubts) = curves.texts(DOUBT).get(rows.clone()) {
        let spoils = |name: &str| {
            let mut known = Doubt::ALL.iter().filter(|doubt| doubt.spoils_mean());
            known.any(|doubt| doubt.name() == name)
        };
        let each = doubts.iter().map(|names| names.split(' ').any(spoils));
        return each.collect();
    }
    // Results of earlier versions do not name doubts.
    let column = |name: &str| curves.numbers(name).get(rows.clone()).unwrap_or(&[]);
    let resamples = curves.wholes(RESAMPLES).first().copied().unwrap_or(0);
    // Where the variance is known to be infinite, no estimate of it means anything.
    let exact = column(VARIANCE_EXACT);
    let infinite = |i: usize| exact.get(i).is_some_and(|exact| *exact == f64::INFINITY);
    let heavy = |(i, share): (usize, &f64)| heavy_tail(*share, resamples) || infinite(i);
    let shares = column(LARGEST_SHARE).iter().enumerate();
    shares.map(heavy).collect()
}

/// The exact risks of a learner by setting; `None` unless it has all of them.
pub(crate) fn exact_risks(plan: &Plan, learner: &LearnerResults) -> Option<Vec<f64>> {
    let parts = &learner.decomposition.parts;
    let risks = parts.iter().enumerate().map(|(setting, parts)| {
        let [bias2, variance] = exact_parts(learner, &plan.test.weights, setting)?;
        let risk = parts.noise + bias2 + variance;
        (!risk.is_nan()).then_some(risk)
    });
    risks.collect()
}

/// The averages over x of exact bias² and variance at a setting, where they are known.
pub(crate) fn exact_parts(
    learner: &LearnerResults,
    weights: &[f64],
    setting: usize,
) -> Option<[f64; 2]> {
    let average = |all: &[f64]| {
        let at = &all[setting * weights.len()..][..weights.len()];
        at.iter().zip(weights).map(|(v, w)| v * w).sum::<f64>()
    };
    match (&learner.exact, &learner.expected) {
        (Some(exact), _) => Some([&exact.bias2, &exact.variance].map(|all| average(all))),
        (None, Some(expected)) => Some([expected[setting].bias2, expected[setting].variance]),
        (None, None) => None,
    }
}

/// The settings at each value of the second axis.
fn slices(curve: &Curve) -> impl Iterator<Item = Range<usize>> {
    let (row, count) = match curve.axes.as_slice() {
        [first, second] => (first.values.len(), second.values.len()),
        _ => (0, 0),
    };
    (0..count).map(move |slice| slice * row..(slice + 1) * row)
}

/// What settings are compared by, in their order.
struct Risks {
    estimates: Vec<f64>,
    /// Of all settings, or `None`.
    exact: Option<Vec<f64>>,
    medians: Vec<f64>,
    /// Whether a mean may not exist.
    spoiled: Vec<bool>,
    /// Whether a standard error means nothing.
    uncertain: Vec<bool>,
}

/// A learner and what its settings are compared by.
struct Comparison<'a> {
    path: &'a CapacityPath,
    all: &'a Decomposition,
    risks: Risks,
}

impl<'a> Comparison<'a> {
    fn new(path: &'a CapacityPath, all: &'a Decomposition, exact: Option<Vec<f64>>) -> Self {
        let numbers = |of: fn(&Parts) -> f64| all.parts.iter().map(of).collect::<Vec<f64>>();
        let heavy_noise = |parts: &Parts| parts.doubts.contains(&Doubt::HeavyNoise);
        let risks = Risks {
            estimates: numbers(|parts| parts.risk.value),
            exact,
            medians: numbers(|parts| parts.risk_quartiles[1]),
            spoiled: all.parts.iter().map(Parts::is_spoiled).collect(),
            uncertain: all.parts.iter().map(heavy_noise).collect(),
        };
        Comparison { path, all, risks }
    }

    fn decide(&self, within: Range<usize>) -> Best {
        let difference = |a: usize, b: usize| Some(self.all.risk_minus(a, self.all, b));
        decide(&self.path.curve, within, &self.risks, &difference)
    }

    fn best(&self) -> Best {
        self.decide(0..self.all.parts.len())
    }

    fn along(&self) -> Vec<Best> {
        slices(&self.path.curve).map(|s| self.decide(s)).collect()
    }
}

/// Differences of estimated risks, the first minus the second; `None` where they are not known.
type Differences<'a> = &'a dyn Fn(usize, usize) -> Option<Estimate>;

/// The best of some settings: all, or those at one value of the second axis.
fn decide(curve: &Curve, within: Range<usize>, risks: &Risks, difference: Differences) -> Best {
    let lowest = |of: &[f64], any: bool| {
        let fit = |setting: &usize| !of[*setting].is_nan() && (any || !risks.spoiled[*setting]);
        let settings = within.clone().filter(fit);
        settings.min_by(|a, b| of[*a].total_cmp(&of[*b]))
    };
    let (by, means) = match &risks.exact {
        Some(exact) => (SelectionCriterion::Exact, exact),
        None => (SelectionCriterion::Estimate, &risks.estimates),
    };
    let (setting, by, numbers) = match lowest(means, false) {
        Some(setting) => (setting, by, means),
        None => {
            let setting = lowest(&risks.medians, true).unwrap_or(within.start);
            (setting, SelectionCriterion::Median, &risks.medians)
        }
    };
    let risk = numbers[setting];
    let is_tied = |other: usize| match by {
        _ if other == setting || risks.spoiled[other] => false,
        SelectionCriterion::Median => false,
        SelectionCriterion::Exact => (numbers[other] - risk).abs() <= ROUNDING * risk.abs(),
        SelectionCriterion::Estimate => difference(other, setting).is_some_and(|apart| {
            let reach = apart.se.max(ROUNDING * risk.abs());
            // What cannot be compared cannot be told apart.
            apart.value <= reach || reach.is_nan()
        }),
    };
    let tied: Vec<usize> = within.clone().filter(|other| is_tied(*other)).collect();
    let steps = steps(curve, &within, setting);
    let standing = match by {
        _ if within.len() == 1 => BestStatus::Single,
        SelectionCriterion::Median => BestStatus::Doubtful,
        SelectionCriterion::Estimate
            if risks.uncertain[setting] || steps.neighbours.iter().any(|n| risks.spoiled[*n]) =>
        {
            BestStatus::Doubtful
        }
        _ if steps.at_end => BestStatus::AtEnd,
        _ if !tied.is_empty() => BestStatus::Tied,
        SelectionCriterion::Estimate if difference(within.start, setting).is_none() => {
            BestStatus::Uncompared
        }
        _ => BestStatus::Claimed,
    };
    let values = [curve.value(setting), curve.second(setting)];
    let at = curve
        .axes
        .iter()
        .zip(values)
        .map(|(axis, value)| SweptValue {
            axis: axis.name.clone(),
            value,
        });
    Best {
        setting,
        at: at.collect(),
        risk: Some(risk).filter(|risk| risk.is_finite()),
        by,
        standing,
        tied,
    }
}

/// What lies around a setting.
struct Steps {
    /// The settings that are one value away.
    neighbours: Vec<usize>,
    /// Whether it is at an end of an axis with several values.
    at_end: bool,
}

/// What lies around a setting, along the axes that vary within some settings.
fn steps(curve: &Curve, within: &Range<usize>, setting: usize) -> Steps {
    let row = curve.row();
    let rows = within.len() / row;
    let (column, line) = (setting % row, (setting - within.start) / row);
    let mut found = Steps {
        neighbours: Vec::new(),
        at_end: false,
    };
    for (place, length, step) in [(column, row, 1), (line, rows, row)] {
        found.at_end |= length > 1 && (place == 0 || place + 1 == length);
        if place > 0 {
            found.neighbours.push(setting - step);
        }
        if place + 1 < length {
            found.neighbours.push(setting + step);
        }
    }
    found
}

/// The learner with the lowest risk, each at its best setting.
fn overall(learners: &[Comparison], bests: &[LearnerBest]) -> Option<BestLearner> {
    let problem = |i: usize| {
        let problems = learners[i].path.problems();
        problems.get(bests[i].best.setting).copied()
    };
    let same = (0..bests.len()).all(|i| problem(i) == problem(0));
    if bests.len() < 2 || !same {
        return None;
    }
    let sound = |i: &usize| bests[*i].best.by != SelectionCriterion::Median;
    let exact = bests
        .iter()
        .all(|one| one.best.by == SelectionCriterion::Exact);
    let risk = |i: usize| {
        let risks = &learners[i].risks;
        let of = risks.exact.as_ref().filter(|_| exact);
        of.unwrap_or(&risks.estimates)[bests[i].best.setting]
    };
    let candidates: Vec<usize> = (0..bests.len()).filter(sound).collect();
    let lowest = candidates.iter().copied();
    let lowest = lowest.min_by(|a, b| risk(*a).total_cmp(&risk(*b)))?;
    let is_tied = |other: usize| match exact {
        _ if other == lowest => false,
        true => (risk(other) - risk(lowest)).abs() <= ROUNDING * risk(lowest).abs(),
        false => {
            let [a, b] = [other, lowest].map(|i| (learners[i].all, bests[i].best.setting));
            let apart = a.0.risk_minus(a.1, b.0, b.1);
            let reach = apart.se.max(ROUNDING * risk(lowest).abs());
            apart.value.is_nan() || apart.value <= reach
        }
    };
    let tied: Vec<usize> = candidates.iter().copied().filter(|i| is_tied(*i)).collect();
    let doubtful = candidates.len() < bests.len()
        || bests
            .iter()
            .any(|one| one.best.standing == BestStatus::Doubtful);
    Some(BestLearner {
        learner: bests[lowest].learner.clone(),
        standing: match doubtful {
            true => BestStatus::Doubtful,
            false if tied.is_empty() => BestStatus::Claimed,
            false => BestStatus::Tied,
        },
        tied: tied.iter().map(|i| bests[*i].learner.clone()).collect(),
    })
}

/// By setting: its risk minus that of the best setting, and the standard error of this paired
/// difference. NaN where a mean may not exist.
pub(crate) fn above_best(plan: &Plan, learner: &LearnerResults, best: &Best) -> Vec<[f64; 2]> {
    let all = &learner.decomposition;
    let exact = match best.by {
        SelectionCriterion::Exact => exact_risks(plan, learner),
        _ => None,
    };
    let settings = all.parts.iter().enumerate();
    let apart = settings.map(|(setting, parts)| match (&exact, best.by) {
        (_, SelectionCriterion::Median) => [f64::NAN; 2],
        (Some(exact), _) => [exact[setting] - exact[best.setting], 0.0],
        _ if parts.is_spoiled() => [f64::NAN; 2],
        _ if setting == best.setting => [0.0; 2],
        _ => {
            let apart = all.risk_minus(setting, all, best.setting);
            [apart.value, apart.se]
        }
    });
    apart.collect()
}
