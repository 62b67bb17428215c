//! What the run of a simulation prints.

use std::fmt::Write;

use super::Report;
use super::checks::{FALSE_ALARM, Finding};
use super::numbers::{plus_minus, table};
use bvlab_core::decompose::{Estimate, interval_factor};
use bvlab_core::simulation::{PanelStyle, Row, Setup, SimulationPanel, dependent_from};
use bvlab_core::words::{percent, short, thousands};

/// The most rows that a series has in the printed table.
const MOST_SHOWN: usize = 5;

/// The report of a simulation.
pub fn report(heading: &str, setup: &Setup, rows: &[Row], resamples: u64, seconds: f64) -> Report {
    let mut report = Report::default();
    let _ = writeln!(
        report.text,
        "{heading}\n{} {}, {seconds:.2} s\n",
        thousands(resamples),
        setup.simulation.resamples
    );
    let mut lines = vec![["panel", "series", "at", "simulated", "theory"].map(str::to_owned)];
    for panel in setup.panels() {
        lines.extend(panel_lines(&panel, rows, resamples));
    }
    let _ = table(&mut report.text, &lines);
    if let Some(finding) = agreement(setup, rows, resamples) {
        report.add(finding);
    }
    report
}

/// A few rows of every series of a panel, none of what is exact; of bars the sum of those that are
/// coloured, of correlations their mean.
fn panel_lines(panel: &SimulationPanel, rows: &[Row], resamples: u64) -> Vec<[String; 5]> {
    let factor = interval_factor(0.95, resamples as usize);
    let own: Vec<&Row> = rows.iter().filter(|row| row.panel == panel.name).collect();
    if let PanelStyle::Bars { from, text } = &panel.look {
        let tail = || own.iter().filter(|row| row.x >= *from);
        let value: f64 = tail().map(|row| row.value).sum();
        let theory: f64 = tail().map(|row| row.theory).sum();
        // Of a vote just one bar is true: the sum is a share like any other.
        let spread = value * (1.0 - value).max(0.0) / (resamples as f64 - 1.0);
        let hundredths = Estimate::new(100.0 * value, 100.0 * spread.sqrt());
        return vec![[
            panel.name.clone(),
            text.clone(),
            format!("{} or more", short(*from)),
            format!("{} %", plus_minus(hundredths, factor)),
            percent(theory),
        ]];
    }
    if let PanelStyle::Correlations { above, below } = &panel.look {
        return halves(panel, &own, [above, below], resamples);
    }
    if matches!(
        panel.look,
        PanelStyle::Lines | PanelStyle::Steps | PanelStyle::Cells | PanelStyle::Scatter
    ) {
        return Vec::new();
    }
    let mut lines = Vec::new();
    let mut start = 0;
    while start < own.len() {
        let series = &own[start].series;
        let length = own[start..]
            .iter()
            .take_while(|row| row.series == *series)
            .count();
        for i in spread_out(length) {
            let row = own[start + i];
            let seen = Estimate::new(row.value, row.se);
            let theory = match row.theory.is_finite() {
                true => short(row.theory).replace('-', "−"),
                false => "–".to_owned(),
            };
            let axis = panel.x.split(' ').next().unwrap_or_default();
            lines.push([
                panel.name.clone(),
                series.clone(),
                format!("{axis} = {}", short(row.x)),
                plus_minus(seen, factor),
                theory,
            ]);
        }
        start += length;
    }
    lines
}

/// Of the correlations above and below the diagonal, the mean and how many of them are more than
/// chance.
fn halves(
    panel: &SimulationPanel,
    own: &[&Row],
    names: [&String; 2],
    resamples: u64,
) -> Vec<[String; 5]> {
    let all: Vec<f64> = own.iter().map(|row| row.value).collect();
    let from = dependent_from(&all, resamples as f64);
    let side = (all.len() as f64).sqrt() as usize;
    let halves = names.iter().enumerate().map(|(below, name)| {
        // A row of the square has no cell on the diagonal.
        let cells = own.iter().enumerate().map(|(i, row)| (i / side + 1, row));
        let half = cells.filter(|(y, row)| (row.x > *y as f64) == (below == 1));
        let values: Vec<f64> = half.map(|(_, row)| row.value).collect();
        let known = values.iter().filter(|value| value.is_finite());
        let mean = known.clone().sum::<f64>() / known.clone().count().max(1) as f64;
        let dependent = known.filter(|value| value.abs() >= from).count();
        [
            panel.name.clone(),
            (*name).clone(),
            format!("all {} pairs", thousands(values.len() as u64)),
            format!(
                "{} on average, {} dependent",
                short(mean).replace('-', "−"),
                percent(dependent as f64 / values.len() as f64)
            ),
            "–".to_owned(),
        ]
    });
    halves.collect()
}

/// The first, the last and some between.
fn spread_out(length: usize) -> Vec<usize> {
    let shown = length.min(MOST_SHOWN);
    (0..shown)
        .map(|i| i * (length - 1) / (shown - 1).max(1))
        .collect()
}

/// Compares what was simulated with theory, everywhere.
fn agreement(setup: &Setup, rows: &[Row], resamples: u64) -> Option<Finding> {
    let known = rows.iter().filter(|row| row.theory.is_finite());
    let worst = known
        .clone()
        .max_by(|a, b| a.apart().total_cmp(&b.apart()))?;
    let (count, apart) = (known.count() as u64, worst.apart());
    let (limit, how) = match setup.simulation.identity {
        true => (1.0, "to rounding, in every resample".to_owned()),
        false => {
            let level = 1.0 - FALSE_ALARM / count as f64;
            let limit = interval_factor(level, resamples as usize);
            let how =
                format!("largest difference {apart:.1} standard errors, chance allows {limit:.1}");
            (limit, how)
        }
    };
    Some(match apart <= limit {
        true => Ok(format!(
            "simulation and theory ({}) agree at all {} values: {how}",
            setup.simulation.theory,
            thousands(count)
        )),
        false => Err(format!(
            "simulation and theory DISAGREE for `{}` of `{}` at {}: {} against {}, {apart:.1} \
             standard errors where chance allows {limit:.1}. Do not trust these numbers.",
            worst.series,
            worst.panel,
            short(worst.x),
            short(worst.value),
            short(worst.theory)
        )),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bvlab_core::engine::Unwatched;
    use bvlab_core::simulation::{SIMULATIONS, run};

    #[test]
    fn wrong_theory_is_called_wrong() {
        for simulation in SIMULATIONS {
            let resamples = 200;
            let setup = Setup {
                resamples,
                ..Setup::new(simulation)
            };
            let mut rows = run(&setup, &Unwatched).unwrap();
            if rows.iter().all(|row| row.theory.is_nan()) {
                assert_eq!(agreement(&setup, &rows, resamples), None);
                continue;
            }
            let good = agreement(&setup, &rows, resamples);
            assert!(matches!(good, Some(Ok(_))), "{}: {good:?}", simulation.name);
            let row = rows.iter_mut().rfind(|row| row.theory.is_finite()).unwrap();
            row.theory += 8.0 * row.chance;
            let Some(Err(doubt)) = agreement(&setup, &rows, resamples) else {
                panic!("{}: not called wrong", simulation.name);
            };
            assert!(doubt.contains("DISAGREE"), "{doubt}");
        }
    }

    #[test]
    fn few_rows_are_spread_over_all() {
        assert_eq!(spread_out(9), [0, 2, 4, 6, 8]);
        assert_eq!(spread_out(3), [0, 1, 2]);
        assert_eq!(spread_out(1), [0]);
    }
}
