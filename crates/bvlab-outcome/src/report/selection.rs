//! What a study prints of selection: what the methods' choices are worth.

use std::fmt::Write;

use super::numbers::{plus_minus, table};
use bvlab_core::decompose::{Estimate, interval_factor};
use bvlab_core::engine::Results;
use bvlab_core::plan::Plan;
use bvlab_core::words::short;

/// Writes one row per learner, value of a second axis and method.
pub fn write(text: &mut String, plan: &Plan, results: &Results) -> std::fmt::Result {
    let head = [
        "learner",
        "chosen by",
        "most often",
        "risk of the choice",
        "regret",
        "claimed − risk",
    ];
    let mut lines = vec![head.map(str::to_owned)];
    for (curve, learner) in plan.curves().zip(&results.learners) {
        let all = &learner.decomposition;
        let t = interval_factor(0.95, all.groups);
        let cell = |estimate: Estimate| match estimate.value.is_nan() {
            true => "–".to_owned(),
            false => plus_minus(estimate, t),
        };
        let summaries = all.selection.iter().flatten();
        for (method, summary) in plan.run.select.iter().zip(summaries) {
            for (row, choice) in summary.choices.iter().enumerate() {
                let places = row * curve.row()..(row + 1) * curve.row();
                let share = |setting: &usize| summary.values[*setting].chosen;
                let often = places.max_by(|a, b| share(a).total_cmp(&share(b)));
                let often = often.unwrap_or(0);
                let percent = (100.0 * share(&often)).round();
                lines.push([
                    curve.name.clone(),
                    method.name().to_owned(),
                    match curve.describe(often) {
                        at if at.is_empty() => "–".to_owned(),
                        at => format!("{at} ({} %)", short(percent)),
                    },
                    cell(choice.risk),
                    cell(choice.regret),
                    cell(choice.claimed_bias),
                ]);
            }
        }
    }
    match lines.len() {
        1 => Ok(()),
        _ => {
            table(text, &lines)?;
            writeln!(
                text,
                "regret: the risk of the choice minus that of the best fixed setting; claimed − risk: what the \
                 method says of its choice, minus the truth"
            )
        }
    }
}
