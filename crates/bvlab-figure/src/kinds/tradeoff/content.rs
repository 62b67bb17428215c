//! What stands in the panels of a trade-off, and how high they reach.

use super::lines::{
    Line, LowerLine, Runs, flat_line, floor, line, lower_lines, paired, single_runs,
};
use crate::axis::room;
use crate::error::FigureError;
use crate::select::{Series, best_of, setting};
use crate::theme;
use bvlab_core::decompose::Loss;
use bvlab_core::plan::Scale;
use bvlab_experiment::{Bands, Lower, Part, Tradeoff};
use bvlab_outcome::{BestStatus, Tables};

/// A panel's content.
pub struct TradeoffContent<'a> {
    pub title: Vec<String>,
    /// What it shows; in an overlay, the first.
    pub series: Series<'a>,
    pub lines: Vec<Line>,
    pub runs: Vec<Runs>,
    pub lowest: Option<BestMark>,
    /// In the panel below.
    pub lower: Vec<LowerLine>,
}

/// The best setting of a curve, where there is one to claim.
pub struct BestMark {
    pub at: (f64, f64),
    /// The words for it, and the same without `best at`.
    pub words: [String; 2],
}

/// One learner's panel; references are flat lines of their risk.
pub fn single<'a>(
    (series, loss): (Series<'a>, Loss),
    flat: &[Series],
    options: &Tradeoff,
    tables: &Tables,
    several: bool,
) -> Result<TradeoffContent<'a>, FigureError> {
    let mut lines = Vec::new();
    // The noise of a table of real data is unknown, and part of the bias.
    let noise = line(series, Part::Noise, "", theme::NOISE, tables)?;
    let unknown = noise.values.iter().all(|value| value.is_nan());
    for &part in &options.parts {
        let colour = theme::colour(part);
        let name = match (part, options.labels.given(part.name())) {
            (Part::Noise, _) if unknown => continue,
            (_, Some(label)) => label.to_owned(),
            (Part::Bias2, _) if unknown => format!("{} + noise", theme::name(part, loss)),
            (part, _) => theme::name(part, loss).to_owned(),
        };
        let line = line(series, part, &name, colour, tables)?;
        lines.push(match options.bands {
            Bands::Paired => paired(line, series, tables)?,
            _ => line,
        });
    }
    lines.extend(floor(series, options, tables)?);
    for (i, reference) in flat.iter().enumerate() {
        let colour = theme::LEARNERS[i % theme::LEARNERS.len()];
        let part = headline(options);
        let name = options.labels.of(&reference.curve.name);
        let label = match part {
            Part::Risk | Part::Test => name.to_owned(),
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
    let label = |lower: Lower, words: &str| {
        let given = options.labels.given(lower.name());
        given.unwrap_or(words).to_owned()
    };
    Ok(TradeoffContent {
        title: names(&series, several, options),
        lowest: lowest(&lines, series, options, tables)?,
        series,
        lines,
        runs,
        lower: lower_lines(series, &options.below, label, colour, tables)?,
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
) -> Result<TradeoffContent<'a>, FigureError> {
    let part = headline(options);
    // A learner's own colour, but not for several curves of one learner.
    let single = swept.iter().all(|series| series.second.is_nan());
    let own = |series: &Series| series.curve.colour.filter(|_| single);
    // Values of a second parameter are ordered, and so are their colours.
    let ordered = !single && !several;
    let next = |i: usize| match ordered {
        true => theme::ramp(i, swept.len()),
        false => theme::LEARNERS[i % theme::LEARNERS.len()],
    };
    let all = swept.iter().chain(flat).map(own).collect::<Vec<_>>();
    let colour = |i: usize| all.get(i).copied().flatten().unwrap_or(next(i));
    let (mut lines, mut runs, mut lower) = (Vec::new(), Vec::new(), Vec::new());
    for (i, series) in swept.iter().enumerate() {
        let label = match names(series, several, options).join(", ") {
            label if label.is_empty() => options.labels.of(&series.curve.name).to_owned(),
            label => label,
        };
        let line = line(*series, part, &label, colour(i), tables)?;
        lines.push(match options.bands {
            Bands::Paired => paired(line, *series, tables)?,
            _ => line,
        });
        runs.extend(single_runs(*series, part, colour(i), options, tables)?);
        let below = &options.below[..options.below.len().min(1)];
        let named = |lower: Lower, words: &str| match i {
            0 => options
                .labels
                .given(lower.name())
                .unwrap_or(words)
                .to_owned(),
            _ => String::new(),
        };
        lower.extend(lower_lines(*series, below, named, |_| colour(i), tables)?);
    }
    for (i, reference) in flat.iter().enumerate() {
        let colour = colour(i + swept.len());
        let name = options.labels.of(&reference.curve.name);
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
    Ok(TradeoffContent {
        title: Vec::new(),
        series: swept[0],
        lines,
        runs,
        lowest: None,
        lower,
    })
}

/// What a curve is called among others.
pub fn names(series: &Series, several: bool, options: &Tradeoff) -> Vec<String> {
    let name = several.then(|| options.labels.of(&series.curve.name).to_owned());
    name.into_iter().chain(series.second_setting()).collect()
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
        Part::Optimism,
    ];
    let drawn = preferred.into_iter().find(|part| parts.contains(part));
    drawn.unwrap_or(Part::Risk)
}

/// The best setting of a curve, on the line of its risk.
fn lowest(
    lines: &[Line],
    series: Series,
    options: &Tradeoff,
    tables: &Tables,
) -> Result<Option<BestMark>, FigureError> {
    let drawn = [Part::Risk, Part::Test, Part::Median].into_iter();
    let mut drawn = drawn.filter_map(|part| lines.iter().find(|line| line.part == part));
    let (Some(line), Some(_)) = (drawn.next(), series.axis()) else {
        return Ok(None);
    };
    let all = best_of(tables, series.curve)?;
    let best = all.at_second(series.curve, series.second);
    // At an end of the sweep, or among ties, there is nothing to point at.
    if !matches!(best.standing, BestStatus::Claimed | BestStatus::Uncompared) {
        return Ok(None);
    }
    let values = match line.exact.is_empty() {
        true => &line.values,
        false => &line.exact,
    };
    let x = series.curve.value(best.setting);
    let place = line.xs.iter().position(|value| *value == x);
    let y = place.and_then(|place| values.get(place));
    let category = place.and_then(|place| options.categories.get(place));
    let words = match category {
        Some(name) => name.clone(),
        None => setting(series, x).unwrap_or_default(),
    };
    let at = match (category, best.standing) {
        (Some(_), _) => "best:",
        (None, BestStatus::Claimed) => "best at",
        // A result of an earlier version: nothing was compared.
        (None, _) => "lowest at",
    };
    Ok(y.map(|y| BestMark {
        at: (x, *y),
        words: [format!("{at} {words}"), words],
    }))
}

/// The range of the vertical axis.
pub fn heights(contents: &[TradeoffContent], options: &Tradeoff) -> (f64, f64) {
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
            let low = options.y_min.unwrap_or(low / 1.3);
            match (high > 0.0, low < high) {
                (true, true) => (low, high),
                (true, false) => (high * 1e-3, high),
                (false, _) => (1e-3, 1.0),
            }
        }
    }
}

/// The range of the axis of the panels below; `None` if there are none.
pub fn lower_range(contents: &[TradeoffContent]) -> Option<(f64, f64)> {
    let lines = contents.iter().flat_map(|content| &content.lower);
    let values: Vec<f64> = lines
        .flat_map(|line| line.values.iter().copied())
        .filter(|value| *value > 0.0 && value.is_finite())
        .collect();
    (!values.is_empty()).then(|| room(values.into_iter(), Scale::Log, 0.06))
}
