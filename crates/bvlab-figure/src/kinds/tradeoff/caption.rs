//! What is said of a trade-off in words.

use super::content::headline;
use super::lines::line;
use crate::error::FigureError;
use crate::picture::{FigureData, course, sentence};
use crate::select::{Series, best_of, column, column_name, doubtful, is_mean, rows_of, series};
use crate::theme;
use bvlab_core::plan::{Scale, StudyDescription};
use bvlab_experiment::{Part, Tradeoff};
use bvlab_outcome::{Tables, columns};

/// What was drawn how often, and what dots, dashes and bands are.
pub fn caption(options: &Tradeoff, data: &FigureData) -> Result<String, FigureError> {
    let (study, tables) = (data.study()?, data.tables);
    let theory = theory(study, options, tables);
    let shown = match theory {
        Some(theory) => format!("dots: simulated, with 95 % intervals; {theory}"),
        None if options.parts.iter().all(|part| *part == Part::Median) => {
            "bands: from quartile to quartile".to_owned()
        }
        None if options.parts.contains(&Part::Median) => {
            "bands: 95 % (median: quartiles)".to_owned()
        }
        None => "bands: 95 % intervals".to_owned(),
    };
    let kept = study.keep.min(data.resamples()) as usize;
    let runs = match options.runs.min(kept) {
        0 => String::new(),
        1 => "; faint: a single training set".to_owned(),
        runs => format!("; faint: {runs} single training sets"),
    };
    let cut = match options.y_scale == Scale::Log && has_zero(options, tables) {
        true => "; ≤ 0 is off the axis",
        false => "",
    };
    let heavy = match has_doubt(study, options, tables) {
        true if theory.is_some() => "; no dot: heavy tail, no mean",
        true => "; thin dashes: heavy tail, no mean",
        false => "",
    };
    let both = [Part::Risk, Part::Test]
        .iter()
        .all(|part| options.parts.contains(part));
    let measured = match both && !options.overlay && theory.is_none() {
        true => "; dots: measured on fresh labels",
        false => "",
    };
    let sets = data.drawn()?;
    Ok(format!("{sets}; {shown}{measured}{runs}{cut}{heavy}"))
}

/// The course of every curve.
pub fn describe(options: &Tradeoff, data: &FigureData) -> Result<Vec<String>, FigureError> {
    let (study, tables) = (data.study()?, data.tables);
    let all = series(study, &options.learners, options.second.as_deref());
    let several = options.learners.len() > 1;
    let parts = match options.overlay {
        true => vec![headline(options)],
        false => options.parts.clone(),
    };
    let mut sentences = Vec::new();
    for series in all {
        let axis = series.axis().map_or("", |axis| axis.name.as_str());
        let mut said = Vec::new();
        for &part in &parts {
            let name = theme::name(part, study.loss);
            let line = line(series, part, name, theme::INK, tables)?;
            let believed = line.values.iter().enumerate().map(|(i, value)| {
                let doubtful = line.doubtful.get(i).copied().unwrap_or(false);
                if doubtful { f64::NAN } else { *value }
            });
            let believed: Vec<f64> = believed.collect();
            said.extend(course(name, axis, &line.xs, &believed));
        }
        let ringed = [Part::Risk, Part::Test, Part::Median];
        if !options.overlay && !axis.is_empty() && ringed.iter().any(|part| parts.contains(part)) {
            let best = best_of(tables, series.curve)?;
            let along = !series.second.is_nan();
            let best = best.at_second(series.curve, series.second);
            said.push(best.words(series.curve, along));
        }
        said.retain(|words| !words.is_empty());
        if !said.is_empty() {
            sentences.push(sentence(&series.names(several), &said));
        }
    }
    Ok(sentences)
}

/// The theory that a figure draws through its dots, in words.
fn theory(study: &StudyDescription, options: &Tradeoff, tables: &Tables) -> Option<&'static str> {
    let parts: &[Part] = match options.overlay {
        true => &[headline(options)],
        false => &options.parts,
    };
    let drawn = |series: &Series| {
        let exact = |part: &Part| line(*series, *part, "", theme::INK, tables);
        let mut exact = parts.iter().map(exact);
        exact.any(|line| line.is_ok_and(|line| !line.exact.is_empty()))
    };
    let swept = series(study, &options.learners, options.second.as_deref());
    let swept: Vec<Series> = swept.into_iter().filter(|s| s.axis().is_some()).collect();
    let from_members = |series: &&Series| {
        rows_of(&tables.curves, **series).is_ok_and(|rows| {
            let formula = column(&tables.curves, columns::VARIANCE_FROM_MEMBERS, &rows);
            formula.iter().any(|value| value.is_finite())
        })
    };
    match swept.iter().find(|series| drawn(series)) {
        None => None,
        Some(_) if swept.iter().any(|series| from_members(&series)) => {
            Some("dashed: ρt² + (1−ρ)t²/M")
        }
        Some(_) => Some("dashed: exact"),
    }
}

/// Whether some mean of the figure has too heavy a tail.
fn has_doubt(study: &StudyDescription, options: &Tradeoff, tables: &Tables) -> bool {
    let all = series(study, &options.learners, options.second.as_deref());
    let mean = |part: &&Part| is_mean(**part);
    options.parts.iter().any(|part| mean(&part))
        && all
            .iter()
            .any(|series| doubtful(*series, tables).contains(&true))
}

/// Whether a curve of the figure touches zero.
fn has_zero(options: &Tradeoff, tables: &Tables) -> bool {
    let zero = |part: &Part| {
        tables
            .curves
            .numbers(column_name(*part))
            .iter()
            .any(|v| *v <= 0.0)
    };
    options.parts.iter().any(zero)
}
