//! What stands in the panels of a trade-off, and how high they reach.

use super::lines::{Line, LowerLine, Runs, flat_line, floor, line, lower_lines, single_runs};
use crate::axis::room;
use crate::error::FigureError;
use crate::select::{Series, best_of};
use crate::theme;
use bvlab_core::decompose::Loss;
use bvlab_core::plan::Scale;
use bvlab_experiment::{Part, Tradeoff};
use bvlab_outcome::Tables;

/// A panel's content.
pub struct Content<'a> {
    pub title: Vec<String>,
    /// What it shows; in an overlay, the first.
    pub series: Series<'a>,
    pub lines: Vec<Line>,
    pub runs: Vec<Runs>,
    pub lowest: Option<Lowest>,
    /// In the panel below.
    pub lower: Vec<LowerLine>,
}

/// The best setting of a curve, as report and manifest name it.
pub struct Lowest {
    pub at: (f64, f64),
    /// What is known of it, in ever fewer words.
    pub words: [String; 3],
}

/// One learner's panel; references are flat lines of their risk.
pub fn single<'a>(
    (series, loss): (Series<'a>, Loss),
    flat: &[Series],
    options: &Tradeoff,
    tables: &Tables,
    several: bool,
) -> Result<Content<'a>, FigureError> {
    let mut lines = Vec::new();
    // The noise of a table of real data is unknown, and part of the bias.
    let noise = line(series, Part::Noise, "", theme::NOISE, tables)?;
    let unknown = noise.values.iter().all(|value| value.is_nan());
    for &part in &options.parts {
        let colour = theme::colour(part);
        let name = match part {
            Part::Noise if unknown => continue,
            Part::Bias2 if unknown => format!("{} + noise", theme::name(part, loss)),
            part => theme::name(part, loss).to_owned(),
        };
        lines.push(line(series, part, &name, colour, tables)?);
    }
    lines.extend(floor(series, options, tables)?);
    for (i, reference) in flat.iter().enumerate() {
        let colour = theme::LEARNERS[(i + 2) % theme::LEARNERS.len()];
        let part = headline(options);
        let name = &reference.curve.name;
        let label = match part {
            Part::Risk | Part::Test => name.clone(),
            part => format!("{name}: {}", theme::name(part, loss)),
        };
        lines.push(flat_line(*reference, series, part, &label, colour, tables)?);
    }
    let mut runs = Vec::new();
    for &part in &options.parts {
        runs.extend(single_runs(
            series,
            part,
            theme::colour(part),
            options,
            tables,
        )?);
    }
    let colour = |i: usize| theme::LEARNERS[(i + 3) % theme::LEARNERS.len()];
    Ok(Content {
        title: series.names(several),
        lowest: lowest(&lines, series, tables)?,
        series,
        lines,
        runs,
        lower: lower_lines(series, &options.below, str::to_owned, colour, tables)?,
    })
}

/// All learners in one panel, one colour each, by their risk (or the first part that is asked
/// for).
pub fn overlay<'a>(
    swept: &[Series<'a>],
    flat: &[Series],
    options: &Tradeoff,
    tables: &Tables,
    several: bool,
) -> Result<Content<'a>, FigureError> {
    let part = headline(options);
    // A learner's own colour, but not for several curves of one learner.
    let single = swept.iter().all(|series| series.second.is_nan());
    let own = |series: &Series| series.curve.colour.filter(|_| single);
    let next = |i: usize| theme::LEARNERS[i % theme::LEARNERS.len()];
    let all = swept.iter().chain(flat).map(own).collect::<Vec<_>>();
    let colour = |i: usize| all.get(i).copied().flatten().unwrap_or(next(i));
    let (mut lines, mut runs, mut lower) = (Vec::new(), Vec::new(), Vec::new());
    for (i, series) in swept.iter().enumerate() {
        let label = match series.names(several).join(", ") {
            label if label.is_empty() => series.curve.name.clone(),
            label => label,
        };
        lines.push(line(*series, part, &label, colour(i), tables)?);
        runs.extend(single_runs(*series, part, colour(i), options, tables)?);
        let below = &options.below[..options.below.len().min(1)];
        let named = |words: &'static str| match i {
            0 => words.to_owned(),
            _ => String::new(),
        };
        lower.extend(lower_lines(*series, below, named, |_| colour(i), tables)?);
    }
    for (i, reference) in flat.iter().enumerate() {
        let colour = colour(i + swept.len());
        let name = &reference.curve.name;
        lines.push(flat_line(*reference, swept[0], part, name, colour, tables)?);
    }
    // Where noise is swept there is no one line for it.
    let noises = swept
        .iter()
        .map(|series| line(*series, Part::Noise, "", theme::NOISE, tables));
    let noises: Vec<Line> = noises.collect::<Result<_, _>>()?;
    let one = noises
        .iter()
        .all(|line| line.values.first() == noises[0].values.first());
    if options.parts.contains(&Part::Noise) && one {
        lines.push(line(swept[0], Part::Noise, "noise", theme::NOISE, tables)?);
    }
    Ok(Content {
        title: Vec::new(),
        series: swept[0],
        lines,
        runs,
        lowest: None,
        lower,
    })
}

/// The part that stands for a learner: its risk if that is drawn.
pub fn headline(options: &Tradeoff) -> Part {
    let parts = &options.parts;
    let preferred = [
        Part::Risk,
        Part::Test,
        Part::Variance,
        Part::Bias2,
        Part::Median,
        Part::Train,
    ];
    let drawn = preferred.into_iter().find(|part| parts.contains(part));
    drawn.unwrap_or(Part::Risk)
}

/// The best setting of a curve, on the line of its risk.
fn lowest(lines: &[Line], series: Series, tables: &Tables) -> Result<Option<Lowest>, FigureError> {
    let drawn = [Part::Risk, Part::Test, Part::Median].into_iter();
    let mut drawn = drawn.filter_map(|part| lines.iter().find(|line| line.part == part));
    let (Some(line), Some(_)) = (drawn.next(), series.axis()) else {
        return Ok(None);
    };
    let all = best_of(tables, series.curve)?;
    let along = !series.second.is_nan();
    let best = all.at_second(series.curve, series.second);
    let values = match line.exact.is_empty() {
        true => &line.values,
        false => &line.exact,
    };
    let x = series.curve.value(best.setting);
    let place = line.xs.iter().position(|value| *value == x);
    let y = place.and_then(|place| values.get(place));
    Ok(y.map(|y| Lowest {
        at: (x, *y),
        words: [
            best.words(series.curve, along),
            best.label(series.curve, along),
            best.place(series.curve, along),
        ],
    }))
}

/// The range of the vertical axis.
pub fn heights(contents: &[Content], options: &Tradeoff) -> (f64, f64) {
    let lines = || contents.iter().flat_map(|content| &content.lines);
    let runs = contents.iter().flat_map(|content| &content.runs);
    // What is not to be believed must not squeeze the rest.
    let tops = lines().flat_map(|line| {
        let tops = if line.high.is_empty() {
            &line.values
        } else {
            &line.high
        };
        let doubtful = line.doubtful.iter().chain(std::iter::repeat(&false));
        let tops = tops.iter().zip(doubtful);
        tops.filter(|(_, doubtful)| !**doubtful)
            .map(|(top, _)| *top)
    });
    // A single bad resample must not squeeze the means: faint lines reach to their 95th percentile.
    let mut single: Vec<f64> = runs
        .flat_map(|runs| runs.curves.iter().flatten().copied())
        .collect();
    single.sort_by(f64::total_cmp);
    let most = single.get(single.len() * 95 / 100).copied().unwrap_or(0.0);
    let high = options
        .y_max
        .unwrap_or_else(|| 1.06 * tops.filter(|top| top.is_finite()).fold(most, f64::max));
    match options.y_scale {
        Scale::Linear => (0.0, if high > 0.0 { high } else { 1.0 }),
        Scale::Log => {
            let falls = |part: Part| matches!(part, Part::Bias2 | Part::Train);
            let lowest = |falling: bool| {
                let lines = lines().filter(|line| falls(line.part) == falling);
                let values = lines.flat_map(|line| &line.values).copied();
                values
                    .filter(|value| *value > 0.0)
                    .fold(f64::INFINITY, f64::min)
            };
            // Bias² and training error may come arbitrarily near to zero: three decades are enough.
            let (falling, other) = (lowest(true), lowest(false));
            let low = match other.is_finite() {
                true => other.min(falling.max(other * 1e-3)),
                false => falling.max(high * 1e-6),
            };
            let low = options.y_min.map_or(low, |least| 1.3 * least);
            match (high > 0.0, low < high) {
                (true, true) => (low / 1.3, high),
                (true, false) => (high * 1e-3, high),
                (false, _) => (1e-3, 1.0),
            }
        }
    }
}

/// The range of the axis of the panels below; `None` if there are none.
pub fn lower_range(contents: &[Content]) -> Option<(f64, f64)> {
    let lines = contents.iter().flat_map(|content| &content.lower);
    let values: Vec<f64> = lines
        .flat_map(|line| line.values.iter().copied())
        .filter(|value| *value > 0.0 && value.is_finite())
        .collect();
    (!values.is_empty()).then(|| room(values.into_iter(), Scale::Log, 0.06))
}
