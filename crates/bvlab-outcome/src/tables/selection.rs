//! The tables of what methods of selection did.

use std::sync::Arc;

use super::{LearnerNames, Settings};
use crate::columns;
use crate::table::Table;
use bvlab_core::decompose::{ChoiceSummary, Estimate, MethodSummary, ValueSummary};
use bvlab_core::engine::{KeptResample, Results};
use bvlab_core::plan::{Curve, Plan};

/// Columns of numbers, filled row by row.
#[derive(Default)]
struct Numbers(Vec<(String, Vec<f64>)>);

impl Numbers {
    fn push(&mut self, row: Vec<(String, f64)>) {
        if self.0.is_empty() {
            self.0 = row
                .iter()
                .map(|(name, _)| (name.clone(), Vec::new()))
                .collect();
        }
        for ((_, column), (_, value)) in self.0.iter_mut().zip(row) {
            column.push(value);
        }
    }

    fn add_to(self, table: Table) -> Table {
        let columns = self.0.into_iter();
        columns.fold(table, |table, (name, column)| table.number(name, column))
    }
}

/// An estimate as two cells.
fn cells(name: &str, estimate: Estimate) -> [(String, f64); 2] {
    [
        (name.to_owned(), estimate.value),
        (columns::se_of(name), estimate.se),
    ]
}

/// Every learner with its summaries, by method: those of a run without selection have none.
fn summaries<'a>(
    plan: &'a Plan,
    results: &'a Results,
) -> impl Iterator<Item = (&'a Curve, &'a str, &'a MethodSummary)> {
    let learners = plan.curves().zip(&results.learners);
    learners.flat_map(|(curve, learner)| {
        let found = learner.decomposition.selection.iter().flatten();
        let methods = plan.run.select.iter().zip(found);
        methods.map(move |(method, summary)| (curve, method.name(), summary))
    })
}

/// Puts the column of methods behind that of learners.
fn with_methods(table: Table, methods: Vec<Arc<str>>) -> Table {
    let mut table = table.text(columns::METHOD, methods);
    let method = table.columns.pop();
    method
        .into_iter()
        .for_each(|method| table.columns.insert(1, method));
    table
}

/// One row per learner, method and setting.
pub(super) fn selection(plan: &Plan, results: &Results) -> Table {
    let (mut settings, mut methods) = (Settings::default(), Vec::new());
    let mut numbers = Numbers::default();
    for (curve, method, summary) in summaries(plan, results) {
        let (names, method): (LearnerNames, Arc<str>) = (LearnerNames::of(curve), method.into());
        for (setting, value) in summary.values.iter().enumerate() {
            settings.push(&names, curve, setting);
            methods.push(method.clone());
            numbers.push(of_value(value));
        }
    }
    match methods.is_empty() {
        true => Table::default(),
        false => numbers.add_to(with_methods(settings.table(plan, true), methods)),
    }
}

fn of_value(value: &ValueSummary) -> Vec<(String, f64)> {
    let alone = |name: &str, value: f64| [(name.to_owned(), value)];
    let mut row = Vec::new();
    row.extend(cells(columns::ESTIMATE, value.estimate));
    row.extend(alone(columns::SPREAD, value.spread));
    row.extend(cells(columns::BIAS, value.bias));
    row.extend(alone(columns::CHOSEN, value.chosen));
    row.extend(alone(columns::CHOSEN_ONE_SE, value.chosen_one_se));
    row.extend(cells(columns::CORRELATION_FIT, value.correlation_fit));
    row.extend(cells(columns::CORRELATION_INPUTS, value.correlation_inputs));
    row.extend(cells(columns::DISTANCE_FIT, value.distance_fit));
    row.extend(cells(columns::DISTANCE_EXPECTED, value.distance_expected));
    row.extend(cells(columns::COVERAGE, value.coverage));
    row
}

/// One row per learner, value of a second axis and method.
pub(super) fn choices(plan: &Plan, results: &Results) -> Table {
    let (mut learners, mut methods) = (Vec::new(), Vec::new());
    let (mut axes, mut values) = (Vec::new(), Vec::new());
    let mut numbers = Numbers::default();
    for (curve, method, summary) in summaries(plan, results) {
        let (names, method): (LearnerNames, Arc<str>) = (LearnerNames::of(curve), method.into());
        for (row, choice) in summary.choices.iter().enumerate() {
            learners.push(names.learner.clone());
            methods.push(method.clone());
            axes.push(names.axes[1].clone());
            values.push(curve.second(row * curve.row()));
            numbers.push(of_choice(choice));
        }
    }
    if methods.is_empty() {
        return Table::default();
    }
    let mut table = Table::default()
        .text(columns::LEARNER, learners)
        .text(columns::METHOD, methods);
    if plan.curves().any(|curve| curve.axes.len() > 1) {
        table = table
            .text(columns::AXIS2, axes)
            .number(columns::VALUE2, values);
    }
    numbers.add_to(table)
}

fn of_choice(choice: &ChoiceSummary) -> Vec<(String, f64)> {
    let all = [
        (columns::RISK, choice.risk),
        (columns::REGRET, choice.regret),
        (columns::REGRET_OWN, choice.regret_own),
        (columns::CLAIMED, choice.claimed),
        (columns::CLAIMED_BIAS, choice.claimed_bias),
        (columns::CLAIMED_DISTANCE, choice.claimed_distance),
        (columns::CLAIMED_CORRELATION, choice.claimed_correlation),
        (columns::CLAIMED_COVERAGE, choice.claimed_coverage),
        (columns::ONE_SE_RISK, choice.one_se_risk),
        (columns::ONE_SE_REGRET, choice.one_se_regret),
    ];
    let cells = all
        .into_iter()
        .flat_map(|(name, estimate)| cells(name, estimate));
    cells.collect()
}

/// One row per learner, method, setting and kept training set.
pub(super) fn estimates(plan: &Plan, results: &Results) -> Table {
    let methods = plan.run.select.len();
    if methods == 0 {
        return Table::default();
    }
    let (mut settings, mut names_of, mut resample) = (Settings::default(), Vec::new(), Vec::new());
    let (mut estimates, mut chosen) = (Vec::new(), Vec::new());
    let with_risk = |kept: &&KeptResample| kept.resample < plan.run.keep;
    for (which, curve) in plan.curves().enumerate() {
        let names = LearnerNames::of(curve);
        for (number, method) in plan.run.select.iter().enumerate() {
            let method: Arc<str> = method.name().into();
            for setting in 0..curve.settings() {
                for kept in results.kept.iter().filter(with_risk) {
                    let fit = &kept.fits[which];
                    settings.push(&names, curve, setting);
                    names_of.push(method.clone());
                    resample.push(kept.resample);
                    estimates.push(fit.estimates[setting * methods + number]);
                    let place = fit.chosen[setting / curve.row() * methods + number] as usize;
                    chosen.push(u64::from(place == setting % curve.row()));
                }
            }
        }
    }
    with_methods(settings.table(plan, false), names_of)
        .whole(columns::RESAMPLE, resample)
        .number(columns::ESTIMATE, estimates)
        .whole(columns::CHOSEN, chosen)
}
