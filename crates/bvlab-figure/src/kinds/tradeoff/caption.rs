//! What is said of a trade-off in words.

use super::content::headline;
use super::lines::{Line, line};
use crate::error::FigureError;
use crate::picture::{FigureData, course, sentence};
use crate::select::{Series, best_of, column, column_name, doubtful, is_mean, rows_of, series};
use crate::theme;
use bvlab_core::plan::{Scale, StudyDescription};
use bvlab_experiment::{Bands, Part, Tradeoff};
use bvlab_outcome::{Tables, columns};

/// What dots, dashes and bands are.
pub fn footer(options: &Tradeoff, data: &FigureData) -> Result<Vec<String>, FigureError> {
    let (study, tables) = (data.study()?, data.tables);
    let theory = theory(study, options, tables);
    let mut said = Vec::new();
    match theory {
        Some(theory) => {
            said.push("dots: simulated, with 95 % intervals".to_owned());
            said.push(theory.to_owned());
        }
        None => said.extend(
            bands(options).map(|words| match options.categories.is_empty() {
                true => words.to_owned(),
                false => words.replace("band", "bar"),
            }),
        ),
    }
    let both = [Part::Risk, Part::Test]
        .iter()
        .all(|part| options.parts.contains(part));
    if both && !options.overlay && theory.is_none() {
        said.push("dots: measured on fresh labels".to_owned());
    }
    let kept = study.keep.min(data.resamples()) as usize;
    match options.runs.min(kept) {
        0 => {}
        1 => said.push("faint: a single training set".to_owned()),
        runs => said.push(format!("faint: {runs} single training sets")),
    }
    if options.y_scale == Scale::Log && has_zero(options, tables) {
        said.push("0 is off the axis".to_owned());
    }
    if has_doubt(study, options, tables) {
        let what = if theory.is_some() {
            "no dot"
        } else {
            "thin dashes"
        };
        said.push(format!("{what}: heavy tail, the mean may not exist"));
    }
    Ok(said)
}

/// What the bands are, if there are any.
fn bands(options: &Tradeoff) -> Option<&'static str> {
    let median = |part: &Part| *part == Part::Median;
    match options.bands {
        Bands::None => None,
        Bands::Paired => {
            let risk = |part: &Part| matches!(part, Part::Risk | Part::Test);
            let drawn = options.parts.iter().any(risk);
            drawn.then_some("band: 95 % interval of the difference from the best, paired")
        }
        Bands::Own if options.parts.iter().all(median) => Some("bands: from quartile to quartile"),
        Bands::Own if options.parts.iter().any(median) => {
            Some("bands: 95 % intervals (median: quartiles)")
        }
        Bands::Own => Some("bands: 95 % intervals"),
    }
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
            let mut best = best.at_second(series.curve, series.second).clone();
            // By its symbol, as in the picture.
            for (at, axis) in best.at.iter_mut().zip(&series.curve.axes) {
                at.axis.clone_from(&axis.name);
            }
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
    let any = |series: &Series, which: &dyn Fn(&Line) -> bool| {
        let exact = |part: &Part| line(*series, *part, "", theme::INK, tables);
        let mut exact = parts.iter().map(exact);
        exact.any(|line| line.is_ok_and(|line| which(&line)))
    };
    let drawn = |series: &Series| any(series, &|line| !line.exact.is_empty());
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
        Some(_) if swept.iter().any(|series| from_members(&series)) => Some(
            "lines: ρt² + (1 − ρ)t²/M, with t² the variance of a member and ρ the correlation of two",
        ),
        Some(_)
            if swept
                .iter()
                .any(|series| any(series, &Line::is_partly_exact)) =>
        {
            Some("lines: exact where that is known")
        }
        Some(_) => Some("lines: exact"),
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
