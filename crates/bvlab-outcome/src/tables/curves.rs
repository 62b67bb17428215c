//! The table of averages.

use std::sync::Arc;

use super::{LearnerNames, Settings};
use crate::best::{Best, BestStatus, Bests, above_best, exact_parts};
use crate::columns;
use crate::table::Table;
use bvlab_core::decompose::{Estimate, Loss, Parts, SOURCES, Sources};
use bvlab_core::engine::{LearnerResults, Results};
use bvlab_core::learner::Diagnosis;
use bvlab_core::plan::{CapacityPath, Plan};

/// A row's numbers by name.
type Cells = Vec<(String, f64)>;

/// Which columns there are besides those that are always there.
struct OptionalColumns {
    exact: bool,
    diagnosed: bool,
    /// The lower bounds on the label noise's part.
    bounded: bool,
    /// The effective parameters of smoothers.
    effective: bool,
    /// Of ensembles, with crossed draws.
    averaged: bool,
}

impl OptionalColumns {
    fn new(plan: &Plan, results: &Results) -> Self {
        let members = |result: &LearnerResults| {
            let sources = result.decomposition.parts.first()?.sources.as_ref()?;
            sources.correlation
        };
        let any = |has: &dyn Fn(&LearnerResults) -> bool| results.learners.iter().any(has);
        OptionalColumns {
            exact: any(&|result| result.exact.is_some() || result.expected.is_some()),
            bounded: plan
                .paths
                .iter()
                .any(|path| plan.label_noise_bounds(path).is_some()),
            diagnosed: any(&|result| result.diagnoses.is_some()),
            effective: any(&|result| result.effective.is_some()),
            averaged: any(&|result| members(result).is_some()),
        }
    }
}

pub(super) fn curves(plan: &Plan, results: &Results, best: &Bests) -> Table {
    let mut settings = Settings::default();
    let mut train: Vec<u64> = Vec::new();
    let (mut doubts, mut marks) = (Vec::new(), Vec::new());
    let mut above: Vec<[f64; 2]> = Vec::new();
    // The columns of numbers, in the order in which the first row names them.
    let mut numbers: Vec<(String, Vec<f64>)> = Vec::new();
    let present = OptionalColumns::new(plan, results);
    let learners = plan.paths.iter().zip(&results.learners).zip(&best.learners);
    for ((path, result), best) in learners {
        let best = &best.best;
        let (names, problems) = (LearnerNames::of(&path.curve), path.problems());
        let members = FromMembers::new(path, result);
        let bounds = plan.label_noise_bounds(path);
        above.extend(above_best(plan, result, best));
        for (setting, parts) in result.decomposition.parts.iter().enumerate() {
            settings.push(&names, &path.curve, setting);
            train.push(plan.problems[problems[setting]].train as u64);
            let names_of = parts.doubts.iter().map(|doubt| doubt.name());
            doubts.push(names_of.collect::<Vec<_>>().join(" ").into());
            marks.push(mark(best, setting));
            let mut row = estimates(plan, parts);
            if present.exact {
                row.extend(exact(plan, result, setting));
            }
            if present.bounded {
                let bound = bounds.as_ref().map_or(f64::NAN, |bounds| bounds[setting]);
                row.push((columns::LABEL_NOISE_BOUND.to_owned(), bound));
            }
            if present.diagnosed {
                let found = result.diagnoses.as_ref().map(|found| found[setting]);
                row.extend(diagnosis(found));
            }
            if present.effective {
                let none = Estimate::new(f64::NAN, f64::NAN);
                let found = result.effective.as_ref().map_or(none, |all| all[setting]);
                let name = columns::EFFECTIVE_PARAMETERS;
                row.push((name.to_owned(), found.value));
                row.push((columns::se_of(name), found.se));
            }
            if let Some(sources) = &parts.sources {
                row.extend(variance_by_source(sources));
                if present.averaged {
                    row.extend(members.cells(sources, setting));
                }
            }
            if numbers.is_empty() {
                numbers.extend(row.iter().map(|(name, _)| (name.clone(), Vec::new())));
            }
            for ((_, column), (_, value)) in numbers.iter_mut().zip(row) {
                column.push(value);
            }
        }
    }
    let rows = train.len();
    let mut table = settings
        .table(plan, true)
        .whole(columns::TRAIN, train)
        .whole(columns::RESAMPLES, vec![results.resamples; rows]);
    for (name, column) in numbers {
        table = table.number(name, column);
    }
    let apart = |which: usize| above.iter().map(|above| above[which]).collect();
    table
        .text(columns::DOUBT, doubts)
        .text(columns::BEST, marks)
        .number(columns::RISK_ABOVE_BEST, apart(0))
        .number(columns::RISK_ABOVE_BEST_SE, apart(1))
}

/// How a setting stands beside the best.
fn mark(best: &Best, setting: usize) -> Arc<str> {
    let claimed = matches!(best.standing, BestStatus::Claimed | BestStatus::Single);
    match setting == best.setting {
        true if claimed => "best".into(),
        true => "lowest".into(),
        false if best.tied.contains(&setting) => "tied".into(),
        false => "".into(),
    }
}

/// What every learner has under a loss.
fn estimates(plan: &Plan, parts: &Parts) -> Cells {
    let mut row: Cells = Vec::new();
    let mut add = |name: &str, value: f64| row.push((name.to_owned(), value));
    add(columns::NOISE, parts.noise);
    add(columns::NOISE_SE, parts.noise_se);
    for (name, estimate) in [
        (columns::BIAS2, parts.bias2),
        (columns::VARIANCE, parts.variance),
        (columns::RISK, parts.risk),
        (columns::TRAIN_RISK, parts.train),
        (columns::TEST_RISK, parts.test),
    ] {
        add(name, estimate.value);
        add(&columns::se_of(name), estimate.se);
        let [low, high] = estimate.interval.unwrap_or([f64::NAN; 2]);
        add(&columns::low_of(name), low);
        add(&columns::high_of(name), high);
    }
    let [lower, median, upper] = parts.risk_quartiles;
    add(columns::RISK_Q25, lower);
    add(columns::RISK_MEDIAN, median);
    add(columns::RISK_MEDIAN_SE, parts.risk_median_se);
    add(columns::RISK_Q75, upper);
    add(columns::LARGEST_SHARE, parts.largest_share);
    if plan.test.left_out > 0.0 {
        add(columns::LEFT_OUT, plan.test.left_out);
    }
    if let Loss::CrossEntropy { .. } = plan.run.loss {
        add(columns::ZERO_SHARE, parts.zeros);
    }
    for (name, estimate) in &parts.extra {
        add(name, estimate.value);
        add(&columns::se_of(name), estimate.se);
    }
    row
}

fn exact(plan: &Plan, result: &LearnerResults, setting: usize) -> Cells {
    let exact = exact_parts(result, &plan.test.weights, setting);
    let [bias2, variance] = exact.unwrap_or([f64::NAN; 2]);
    vec![
        (columns::BIAS2_EXACT.to_owned(), bias2),
        (columns::VARIANCE_EXACT.to_owned(), variance),
    ]
}

fn diagnosis(found: Option<Diagnosis>) -> Cells {
    let number = |get: fn(&Diagnosis) -> f64| found.as_ref().map_or(f64::NAN, get);
    vec![
        (columns::RANK.to_owned(), number(|found| found.rank)),
        (
            columns::CONDITION.to_owned(),
            number(|found| found.condition),
        ),
        (
            columns::WEIGHT_NORM.to_owned(),
            number(|found| found.weight_norm),
        ),
    ]
}

fn variance_by_source(sources: &Sources) -> Cells {
    let parts = SOURCES.iter().zip(&sources.parts);
    let cells = parts.flat_map(|((_, source), part)| {
        let name = columns::variance_of_source(source);
        [(columns::se_of(&name), part.se), (name, part.value)]
    });
    // The value stands before its error.
    let mut cells: Cells = cells.collect();
    cells.chunks_exact_mut(2).for_each(<[_]>::reverse);
    cells
}

/// What the largest ensemble of a sweep over members, with crossed draws, says of all others.
struct FromMembers {
    /// The variance ρ t² + (1-ρ) t²/M by setting; empty for other sweeps.
    variance: Vec<f64>,
    /// What the members share: ρ t².
    shared: f64,
}

impl FromMembers {
    fn new(path: &CapacityPath, result: &LearnerResults) -> Self {
        let last = result.decomposition.parts.last();
        let largest = last.and_then(|parts| parts.sources.as_ref());
        let variance = from_members(path, largest);
        FromMembers {
            shared: match largest {
                Some(sources) if !variance.is_empty() => sources.data(),
                _ => f64::NAN,
            },
            variance,
        }
    }

    fn cells(&self, sources: &Sources, setting: usize) -> Cells {
        let none = Estimate::new(f64::NAN, f64::NAN);
        let correlation = sources.correlation.unwrap_or(none);
        let variance = self.variance.get(setting).copied().unwrap_or(f64::NAN);
        let name = columns::MEMBER_CORRELATION;
        vec![
            (name.to_owned(), correlation.value),
            (columns::se_of(name), correlation.se),
            (columns::VARIANCE_SHARED.to_owned(), self.shared),
            (columns::VARIANCE_FROM_MEMBERS.to_owned(), variance),
        ]
    }
}

fn from_members(path: &CapacityPath, largest: Option<&Sources>) -> Vec<f64> {
    let ([axis], [stage]) = (path.curve.axes.as_slice(), path.stages.as_slice()) else {
        return Vec::new();
    };
    let Some(members) = stage.learner.members() else {
        return Vec::new();
    };
    let mut pairs = axis.values.iter().zip(&members);
    let same = pairs.all(|(value, members)| *value == *members as f64);
    match (same, largest, members.last()) {
        (true, Some(sources), Some(&most)) => {
            let one = sources.algorithm() * most as f64;
            let variance = |members: &usize| sources.data() + one / *members as f64;
            members.iter().map(variance).collect()
        }
        _ => Vec::new(),
    }
}
