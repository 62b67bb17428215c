//! What a run prints: the best capacity of every learner, the identity, and paired differences.

use std::fmt::Write;
use std::path::Path;

use crate::decompose::{Estimate, Parts, interval_factor};
use crate::engine::Results;
use crate::experiment::{Curve, Experiment, Length};
use crate::words::{number, thousands};

/// How often a correct program may say that the identity fails: once in a thousand runs.
const FALSE_ALARM: f64 = 0.001;

/// The report of a run.
pub fn report(experiment: &Experiment, results: &Results, seconds: f64) -> String {
    let mut text = String::new();
    let _ = write(&mut text, experiment, results, seconds);
    text
}

fn write(
    text: &mut String,
    experiment: &Experiment,
    results: &Results,
    seconds: f64,
) -> std::fmt::Result {
    let title = experiment.title.as_deref();
    writeln!(text, "{}", title.unwrap_or(&experiment.name))?;
    writeln!(
        text,
        "{} training sets of {} points, {} test points, {:.2} s\n",
        thousands(results.resamples),
        thousands(experiment.problem.train as u64),
        thousands(experiment.test.points.len() as u64),
        seconds
    )?;
    let groups = results
        .learners
        .first()
        .map_or(2, |learner| learner.decomposition.groups);
    let factor = interval_factor(0.95, groups);
    let best: Vec<(&Curve, usize, &Parts)> = experiment
        .curves
        .iter()
        .zip(&results.learners)
        .filter_map(|(curve, learner)| {
            let parts = learner.decomposition.parts.iter().enumerate();
            let lowest = parts.min_by(|a, b| a.1.risk.value.total_cmp(&b.1.risk.value));
            lowest.map(|(setting, parts)| (curve, setting, parts))
        })
        .collect();
    table(text, &best, factor)?;
    identity(text, experiment, results, groups)?;
    for (i, (curve, _, parts)) in best.iter().enumerate() {
        for (other, _, other_parts) in &best[..i] {
            let difference = parts.risk_minus(other_parts);
            writeln!(
                text,
                "{} − {}, both at their best: risk differs by {} (paired, 95 %)",
                curve.name,
                other.name,
                plus_minus(difference, factor)
            )?;
        }
    }
    precision(text, experiment, results)
}

/// One row per learner, at its best.
fn table(text: &mut String, best: &[(&Curve, usize, &Parts)], factor: f64) -> std::fmt::Result {
    let head = [
        "learner",
        "best at",
        "noise",
        "bias²",
        "variance",
        "risk",
        "testing error",
        "training error",
    ];
    let mut rows = vec![head.map(str::to_owned)];
    for (curve, setting, parts) in best {
        let at = curve.axis.as_ref().map_or("–".to_owned(), |axis| {
            format!("{} = {}", axis.name, short(axis.values[*setting]))
        });
        let cell = |estimate: Estimate| plus_minus(estimate, factor);
        rows.push([
            curve.name.clone(),
            at,
            rounded(parts.noise, decimals(factor * parts.risk.se, parts.noise)),
            cell(parts.bias2),
            cell(parts.variance),
            cell(parts.risk),
            cell(parts.test),
            cell(parts.train),
        ]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..head.len())
        .map(|column| width(column).unwrap_or(0))
        .collect();
    for row in &rows {
        let cells = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:<width$}"));
        writeln!(text, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    writeln!(text, "± is half of a 95 % interval\n")
}

/// Compares noise + bias² + variance with the error measured on fresh labels, everywhere.
fn identity(
    text: &mut String,
    experiment: &Experiment,
    results: &Results,
    groups: usize,
) -> std::fmt::Result {
    let mut looked_at = 0;
    let mut worst: Option<(f64, &Curve, usize, &Parts)> = None;
    for (curve, learner) in experiment.curves.iter().zip(&results.learners) {
        for (setting, parts) in learner.decomposition.parts.iter().enumerate() {
            looked_at += 1;
            // Without noise the two are the same number but for rounding.
            let rounding = 1e-9 * parts.risk.value.abs();
            let apart = parts.gap.value.abs() / parts.gap.se.max(rounding).max(f64::MIN_POSITIVE);
            if worst.as_ref().is_none_or(|(most, ..)| apart > *most) {
                worst = Some((apart, curve, setting, parts));
            }
        }
    }
    let Some((apart, curve, setting, parts)) = worst else {
        return Ok(());
    };
    let limit = interval_factor(1.0 - FALSE_ALARM / looked_at as f64, groups);
    let values = match looked_at {
        1 => "the one value".to_owned(),
        n => format!("all {} values", thousands(n)),
    };
    if apart <= limit {
        return writeln!(
            text,
            "risk = noise + bias² + variance agrees with the testing error at {values}: \
             largest difference {apart:.1} standard errors, chance allows {limit:.1}"
        );
    }
    let place = curve.axis.as_ref().map_or(String::new(), |axis| {
        format!(" at {} = {}", axis.name, short(axis.values[setting]))
    });
    writeln!(
        text,
        "WARNING: risk = noise + bias² + variance DISAGREES with the testing error for `{}`{place}: \
         {} against {}, {apart:.1} standard errors where chance allows {limit:.1}. \
         Do not trust these numbers; a heavy tail or a mistake is at work.",
        curve.name,
        number(parts.risk.value),
        number(parts.test.value)
    )
}

fn precision(text: &mut String, experiment: &Experiment, results: &Results) -> std::fmt::Result {
    let (Length::Precision { share, most }, Some(reached)) =
        (experiment.run.length, results.reached)
    else {
        return Ok(());
    };
    let percent = |share: f64| format!("{} %", short(100.0 * share));
    match reached <= share {
        true => writeln!(
            text,
            "every risk is known to {} of itself (wanted {}), after {} training sets",
            percent(reached),
            percent(share),
            thousands(results.resamples)
        ),
        false => writeln!(
            text,
            "WARNING: the wanted precision was not reached: the worst risk is known to {} of itself \
             (wanted {}) after max-resamples = {most}",
            percent(reached),
            percent(share)
        ),
    }
}

/// Where the files are.
pub fn files(home: &Path, files: &[String]) -> String {
    format!("→ {}/: {}\n", home.display(), files.join(", "))
}

/// `0.1234 ± 0.0056`, with as many digits as the error has to say.
fn plus_minus(estimate: Estimate, factor: f64) -> String {
    let reach = factor * estimate.se;
    let digits = decimals(reach, estimate.value);
    format!(
        "{} ± {}",
        rounded(estimate.value, digits),
        rounded(reach, digits)
    )
}

/// Decimals that show two digits of the error.
fn decimals(reach: f64, value: f64) -> usize {
    let scale = match reach > 0.0 && reach.is_finite() {
        true => reach / 10.0,
        false => value.abs() / 1000.0,
    };
    match scale > 0.0 {
        true => (-scale.log10().floor()).clamp(0.0, 12.0) as usize,
        false => 1,
    }
}

fn rounded(value: f64, decimals: usize) -> String {
    if value.abs() >= 1e9 {
        return format!("{value:.3e}");
    }
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        // Rounded to zero, a negative number keeps no sign.
        Some(digits) if digits.chars().all(|c| c == '0' || c == '.') => digits.to_owned(),
        _ => text.replace('-', "−"),
    }
}

/// A sweep value in few digits.
fn short(value: f64) -> String {
    match value.fract() == 0.0 {
        true => number(value),
        false => number(format!("{value:.3e}").parse().unwrap_or(value)),
    }
}
