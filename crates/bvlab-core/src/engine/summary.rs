//! From the tallies and fits of a run to what it says of every learner.

use super::exact::{self, Exact};
use super::executor::Executor;
use super::probe::ProbedSettings;
use super::{KeptFit, RemarkCount, worker};
use crate::decompose::{self, Decomposition, Estimate, Loss, Tally, TestSetup};
use crate::learner::{Diagnosis, Expected};
use crate::plan::{CapacityPath, Plan, Stage, TestKind};
use crate::problem::{Noise, NotFinite};
use crate::selection::Method;

/// The exact forms of all stages of a learner, or `None` where one has none.
pub(super) fn exact_forms(
    plan: &Plan,
    path: &CapacityPath,
    executor: &Executor,
    stopped: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Exact>, NotFinite> {
    // What is known is squared error.
    if plan.run.loss == Loss::Log {
        return Ok(None);
    }
    let points = &plan.test.points;
    let length = points.len();
    let none = || vec![f64::NAN; path.curve.settings() * length];
    let mut all = Exact {
        bias2: none(),
        variance: none(),
    };
    for stage in &path.stages {
        let problem = &plan.problems[stage.problem];
        let seed = plan.run.seed;
        let learner = &*stage.learner;
        let exact = exact::exact_on(executor, learner, problem, seed, points, stopped)?;
        let Some(exact) = exact else {
            return Ok(None);
        };
        for (c, &setting) in stage.settings.iter().enumerate() {
            let (from, to) = (c * length, setting * length);
            all.bias2[to..to + length].copy_from_slice(&exact.bias2[from..from + length]);
            all.variance[to..to + length].copy_from_slice(&exact.variance[from..from + length]);
        }
    }
    Ok(Some(all))
}

/// Puts what the stages of a learner give into the order of the curve's settings; `None` where one
/// stage gives nothing.
fn by_setting<T: Clone>(
    path: &CapacityPath,
    of: impl Fn(&Stage) -> Option<Vec<T>>,
) -> Option<Vec<T>> {
    let mut all: Vec<Option<T>> = vec![None; path.curve.settings()];
    for stage in &path.stages {
        for (one, &setting) in of(stage)?.into_iter().zip(&stage.settings) {
            all[setting] = Some(one);
        }
    }
    all.into_iter().collect()
}

/// The exact averages of a learner over the distribution of the inputs; only drawn test points
/// represent it.
pub(super) fn expected(plan: &Plan, path: &CapacityPath) -> Option<Vec<Expected>> {
    match plan.test.kind {
        TestKind::Drawn => by_setting(path, |stage| {
            stage.learner.expected(&plan.problems[stage.problem])
        }),
        TestKind::Grid | TestKind::Inputs | TestKind::Rows => None,
    }
}

/// By setting, the remark on the first training sets.
pub(super) fn remarked<'a>(
    fits: impl Iterator<Item = &'a KeptFit> + Clone,
    settings: usize,
) -> Vec<Option<RemarkCount>> {
    let first = fits.take(worker::DIAGNOSED as usize);
    let of = first.clone().count();
    let each = (0..settings).map(|setting| {
        let found = first.clone().filter_map(|fit| fit.remarks[setting]);
        let remark = found.clone().next()?;
        let count = found.filter(|other| *other == remark).count();
        Some(RemarkCount { remark, count, of })
    });
    each.collect()
}

/// By setting, the medians of the diagnoses.
pub(super) fn medians<'a>(
    fits: impl Iterator<Item = &'a KeptFit> + Clone,
    settings: usize,
) -> Option<Vec<Diagnosis>> {
    let median = |setting: usize, number: fn(&Diagnosis) -> f64| {
        let found = fits
            .clone()
            .filter_map(|fit| fit.diagnoses[setting].as_ref());
        let mut found: Vec<f64> = found.map(number).collect();
        found.sort_by(f64::total_cmp);
        let middle = found.len().checked_sub(1)? / 2;
        Some((found[middle] + found[found.len() / 2]) / 2.0)
    };
    let all = (0..settings).map(|setting| {
        Some(Diagnosis {
            rank: median(setting, |found| found.rank)?,
            condition: median(setting, |found| found.condition)?,
            weight_norm: median(setting, |found| found.weight_norm)?,
        })
    });
    all.collect()
}

/// By setting, the mean of the effective parameters and its standard error; `None` where a setting has
/// none.
pub(super) fn effective<'a>(
    fits: impl Iterator<Item = &'a KeptFit> + Clone,
    settings: usize,
) -> Option<Vec<Estimate>> {
    let all = (0..settings).map(|setting| {
        let each = fits.clone().filter_map(|fit| fit.effective.get(setting));
        let found: Vec<f64> = each.copied().filter(|value| !value.is_nan()).collect();
        let count = found.len() as f64;
        let mean = found.iter().sum::<f64>() / count;
        let squares = found.iter().map(|value| (value - mean) * (value - mean));
        let se = match found.len() {
            0 => return None,
            // Fixed inputs: all training sets have the same.
            1 => 0.0,
            _ => (squares.sum::<f64>() / (count - 1.0) / count).sqrt(),
        };
        Some(Estimate::new(mean, se))
    });
    all.collect()
}

/// Splits the error of every learner, from the tallies of all groups.
pub(super) fn decompose_groups(
    plan: &Plan,
    truth: &[f64],
    noise: &[Vec<f64>],
    groups: &[&[Tally]],
    probed: Option<&ProbedSettings>,
) -> Vec<Decomposition> {
    let test = &plan.test;
    let decompose = |(which, path): (usize, &CapacityPath)| {
        let tallies: Vec<&Tally> = groups.iter().map(|tallies| &tallies[which]).collect();
        let problems = path.problems();
        let noise: Vec<&[f64]> = problems.iter().map(|p| noise[*p].as_slice()).collect();
        let mut split = decompose::decompose(
            &tallies,
            TestSetup {
                loss: plan.run.loss,
                outputs: plan.problem().outputs(),
                truth,
                noise: &noise,
                weights: &test.weights,
                drawn: matches!(test.kind, TestKind::Drawn | TestKind::Rows),
                members: by_setting(path, |stage| stage.learner.members()).as_deref(),
                moments: by_setting(path, |stage| {
                    stage.learner.moments(&plan.problems[stage.problem])
                })
                .as_deref(),
                noise_degrees: plan.problem().noise().and_then(Noise::degrees),
                probed: probed.map(|probed| &*probed[which]),
            },
        );
        if plan.problem().rows().is_some() {
            split.forget_noise();
        }
        if plan.problem().density().is_some() {
            split.forget_training();
        }
        split.add_degrees(&tallies, plan.problem().classes() > 0);
        let methods = plan.run.select.iter();
        let is_risk: Vec<bool> = methods.map(Method::estimates_risk).collect();
        split.add_selection(&tallies, &is_risk);
        split
    };
    plan.paths.iter().enumerate().map(decompose).collect()
}
