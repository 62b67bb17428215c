//! What is said of a trade-off in words.

use super::TradeoffDrawing;
use super::content::headline;
use super::fill::shaded;
use super::lines::{Line, line};
use crate::error::FigureError;
use crate::picture::{FigureData, course, sentence};
use crate::select::{Series, best_of, column, is_mean, rows_of, series};
use crate::theme;
use bvlab_core::plan::Scale;
use bvlab_experiment::{Bands, Part, Tradeoff};
use bvlab_outcome::{Tables, columns};

/// What dots, dashes and bands are.
pub fn footer(options: &Tradeoff, data: &FigureData) -> Result<Vec<String>, FigureError> {
    let (study, drawing) = (data.study()?, TradeoffDrawing::new(options, data)?);
    let lines = || drawing.contents.iter().flat_map(|content| &content.lines);
    let theory = theory(&drawing, data.tables);
    // What could have a theory, but has none.
    let measured = |line: &&Line| {
        let swept = |series: &Series| series.curve.name == line.learner;
        matches!(line.part, Part::Bias2 | Part::Variance | Part::Risk)
            && line.exact.is_empty()
            && drawing.swept.iter().any(swept)
    };
    let banded = lines().filter(measured).any(|line| !line.low.is_empty());
    let bands = bands(options).filter(|_| theory.is_none() || banded);
    let mut said = Vec::new();
    if let Some(theory) = theory {
        let dots = match bands {
            Some(OWN) => "dots: simulated",
            _ => "dots: simulated, with 95 % intervals",
        };
        said.push(dots.to_owned());
        let through = match lines().any(|line| measured(&line)) {
            true => "lines through dots",
            false => "lines",
        };
        said.push(format!("{through}: {theory}"));
    }
    said.extend(bands.map(|words| match theory {
        Some(_) if words == OWN => format!("bars and {words}"),
        _ if options.categories.is_empty() => words.to_owned(),
        _ => words.replace("band", "bar"),
    }));
    let both = [Part::Risk, Part::Test]
        .iter()
        .all(|part| options.parts.contains(part));
    if both && !options.overlay && theory.is_none() {
        said.push("dots: measured on fresh labels".to_owned());
    }
    let gap = |content| shaded(content, options);
    if let Some((one, other)) = drawing.contents.iter().find_map(gap) {
        let [one, other] = [one, other].map(|line| line.label.as_str());
        said.push(format!("shaded: between {one} and {other}"));
    }
    let kept = study.keep.min(data.resamples()) as usize;
    match options.runs.min(kept) {
        0 => {}
        1 => said.push("faint: a single training set".to_owned()),
        runs => said.push(format!("faint: {runs} single training sets")),
    }
    // What is zero but for rounding lies as far below.
    let least = drawing.heights.0 * 1e-6;
    let off = |line: &Line| line.values.iter().any(|value| *value <= least);
    if options.y_scale == Scale::Log && lines().any(off) {
        said.push("0 is off the axis".to_owned());
    }
    let doubted = |exact: bool| {
        let doubted = |line: &Line| {
            is_mean(line.part) && line.exact.is_empty() != exact && line.doubtful.contains(&true)
        };
        lines().any(doubted)
    };
    let what = match (doubted(true), doubted(false)) {
        (true, true) => "no dot, thin dashes",
        (true, false) => "no dot",
        (false, true) => "thin dashes",
        (false, false) => return Ok(said),
    };
    said.push(format!("{what}: heavy tail, the mean may not exist"));
    Ok(said)
}

/// What bands are most often.
const OWN: &str = "bands: 95 % intervals";

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
        Bands::Own => Some(OWN),
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
fn theory(drawing: &TradeoffDrawing, tables: &Tables) -> Option<&'static str> {
    let lines = drawing.contents.iter().flat_map(|content| &content.lines);
    let mut exact = lines.filter(|line| !line.exact.is_empty()).peekable();
    exact.peek()?;
    let from_members = |series: &Series| {
        rows_of(&tables.curves, *series).is_ok_and(|rows| {
            let formula = column(&tables.curves, columns::VARIANCE_FROM_MEMBERS, &rows);
            formula.iter().any(|value| value.is_finite())
        })
    };
    Some(match drawing.swept.iter().any(from_members) {
        true => "ρt² + (1 − ρ)t²/M, t² the variance of a member, ρ the correlation of two",
        false if exact.any(Line::is_partly_exact) => "exact where that is known",
        false => "exact",
    })
}
