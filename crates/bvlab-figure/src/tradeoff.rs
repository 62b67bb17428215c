//! Noise, bias², variance and risk over the sweep.

use super::axis::{Axis, room};
use super::canvas::{Canvas, Side, Stroke};
use super::error::FigureError;
use super::panel::{Frame, Label, Panel, Surroundings, TITLE, labels_width, write_labels, y_room};
use super::select::{
    Series, best_of, column, column_name, doubtful, factor, is_mean, rows_at, rows_of, series,
    stretches,
};
use super::text::{shortened, text_width};
use super::theme;
use bvlab_core::decompose::Loss;
use bvlab_core::plan::{Scale, StudyDescription};
use bvlab_experiment::{Lower, Mark, Part, Tradeoff};
use bvlab_outcome::{Tables, columns};

/// The height of the line that says where the risk is lowest.
const MINIMUM: f64 = 30.0;

/// One line of a panel with its error bars.
struct Line {
    part: Part,
    label: String,
    colour: theme::Colour,
    xs: Vec<f64>,
    values: Vec<f64>,
    /// The band around it: a 95 % interval, or from quartile to quartile. Empty for none.
    low: Vec<f64>,
    high: Vec<f64>,
    /// What theory says, through the dots. Empty for nothing.
    exact: Vec<f64>,
    /// Where the tail is too heavy for the mean to be believed.
    doubtful: Vec<bool>,
}

/// A panel's content.
struct Content<'a> {
    title: Vec<String>,
    /// What it shows; in an overlay, the first.
    series: Series<'a>,
    lines: Vec<Line>,
    runs: Vec<Runs>,
    lowest: Option<Lowest>,
    /// In the panel below.
    lower: Vec<LowerLine>,
}

/// The best setting of a curve, as report and manifest name it.
struct Lowest {
    at: (f64, f64),
    /// What is known of it, in ever fewer words.
    words: [String; 3],
}

/// What the solving for weights met with, along the sweep.
struct LowerLine {
    label: String,
    colour: theme::Colour,
    xs: Vec<f64>,
    values: Vec<f64>,
}

/// The theory that a figure draws through its dots, in words.
pub fn theory(
    study: &StudyDescription,
    options: &Tradeoff,
    tables: &Tables,
) -> Option<&'static str> {
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

/// Whether some mean of the figure is not to be believed.
pub fn has_doubt(study: &StudyDescription, options: &Tradeoff, tables: &Tables) -> bool {
    let all = series(study, &options.learners, options.second.as_deref());
    let mean = |part: &&Part| is_mean(**part);
    options.parts.iter().any(|part| mean(&part))
        && all
            .iter()
            .any(|series| doubtful(*series, tables).contains(&true))
}

/// Whether a curve of the figure touches zero.
pub fn has_zero(options: &Tradeoff, tables: &Tables) -> bool {
    let zero = |part: &Part| {
        tables
            .curves
            .numbers(column_name(*part))
            .iter()
            .any(|v| *v <= 0.0)
    };
    options.parts.iter().any(zero)
}

pub fn draw(
    canvas: &Canvas,
    frame: Frame,
    study: &StudyDescription,
    options: &Tradeoff,
    tables: &Tables,
) -> Result<(), FigureError> {
    let all = series(study, &options.learners, options.second.as_deref());
    let (swept, flat): (Vec<Series>, Vec<Series>) =
        all.into_iter().partition(|series| series.axis().is_some());
    let several = options.learners.len() > 1;
    let mut contents = Vec::new();
    if options.overlay {
        contents.push(overlay(&swept, &flat, options, tables, several)?);
    } else {
        for series in &swept {
            contents.push(single(
                (*series, study.loss),
                &flat,
                options,
                tables,
                several,
            )?);
        }
    }
    let mut frame = frame;
    let labels = contents.iter().flat_map(|content| {
        let lines = content.lines.iter().map(|line| line.label.as_str());
        lines.chain(content.lower.iter().map(|line| line.label.as_str()))
    });
    frame.right -= labels_width(labels);
    let (low, high) = heights(&contents, options);
    // Above the panels, lines for their titles and one for where the risk is lowest.
    let titles = contents.iter().map(|content| content.title.len()).max();
    frame.top += TITLE * titles.unwrap_or(0) as f64;
    let marked =
        !options.marks.is_empty() || contents.iter().any(|content| content.lowest.is_some());
    if marked {
        frame.top += MINIMUM;
    }
    let y_axis = |frame: Frame| Axis::new(options.y_scale, (low, high), (frame.bottom, frame.top));
    let lower = lower_range(&contents);
    let lower_axis = |frame: Frame, range| Axis::new(Scale::Log, range, (frame.bottom, frame.top));
    let cut = |frame: Frame| match lower {
        Some(_) => {
            let [upper, lower] = frame.rows(0.64, 34.0);
            (upper, Some(lower))
        }
        None => (frame, None),
    };
    let (upper, below) = cut(frame);
    let lower_room = match (below, lower) {
        (Some(below), Some(range)) => y_room(&lower_axis(below, range)),
        _ => 0.0,
    };
    frame.left += y_room(&y_axis(upper)).max(lower_room);
    let y_title = match (options.overlay, headline(options)) {
        (true, part) => theme::name(part, study.loss),
        (false, _) => theme::error(study.loss),
    };
    let frames = frame.columns(contents.len(), 46.0);
    let last = contents.len() - 1;
    for (i, (content, frame)) in contents.iter().zip(frames).enumerate() {
        let axis = content.series.axis();
        let axis = axis.expect("only swept learners have a panel");
        let scale = options.x_scale.unwrap_or(axis.scale);
        let shown = match options.overlay {
            true => &swept[..],
            false => &swept[i..=i],
        };
        let axes = shown.iter().filter_map(|series| series.axis());
        let range = room(axes.flat_map(|axis| &axis.values).copied(), scale, 0.02);
        let (upper, below) = cut(frame);
        let x = Axis::new(scale, range, (frame.left, frame.right));
        let panel = Panel::new(canvas, upper, x, y_axis(upper));
        let long = format!("{} ({})", axis.name, axis.about);
        let fits = text_width(&long, theme::AXIS, false) < frame.right - frame.left;
        let x_title = Some(if fits { long.as_str() } else { &axis.name });
        let around = Surroundings {
            title: &content.title,
            above: if marked { MINIMUM } else { 0.0 },
            x_title: if below.is_none() { x_title } else { None },
            y_title: (i == 0).then_some(y_title),
            y_numbers: i == 0,
            x_numbers: below.is_none(),
            x_whole: axis.values.iter().all(|value| value.fract() == 0.0),
        };
        panel.surround(&around)?;
        marks(canvas, &panel, &options.marks)?;
        fill(&panel, content, options)?;
        above(canvas, &panel, content, &options.marks)?;
        for note in &options.notes {
            panel.note(note)?;
        }
        if i == last {
            let ends = content.lines.iter().map(|line| end_label(&panel, line));
            write_labels(canvas, upper, ends.collect())?;
        }
        if let (Some(below), Some(range)) = (below, lower) {
            let panel = Panel::new(canvas, below, x, lower_axis(below, range));
            panel.surround(&Surroundings {
                title: &[],
                above: 0.0,
                x_title,
                y_title: None,
                x_numbers: true,
                ..around
            })?;
            marks(canvas, &panel, &options.marks)?;
            let mut ends = Vec::new();
            for line in &content.lower {
                panel.curve(&line.xs, &line.values, Stroke::new(line.colour, 3.0))?;
                let finite = line.values.iter().rev().find(|value| value.is_finite());
                ends.push(Label {
                    text: line.label.clone(),
                    colour: line.colour,
                    y: finite.map_or(below.bottom, |value| panel.y.place(*value)),
                });
            }
            if i == last {
                write_labels(canvas, below, ends)?;
            }
        }
    }
    Ok(())
}

/// The range of the axis of the panels below; `None` if there are none.
fn lower_range(contents: &[Content]) -> Option<(f64, f64)> {
    let lines = contents.iter().flat_map(|content| &content.lower);
    let values: Vec<f64> = lines
        .flat_map(|line| line.values.iter().copied())
        .filter(|value| *value > 0.0 && value.is_finite())
        .collect();
    (!values.is_empty()).then(|| room(values.into_iter(), Scale::Log, 0.06))
}

/// What is drawn below, of one curve.
fn lower_lines(
    series: Series,
    below: &[Lower],
    label: impl Fn(&'static str) -> String,
    colour: impl Fn(usize) -> theme::Colour,
    tables: &Tables,
) -> Result<Vec<LowerLine>, FigureError> {
    let rows = rows_of(&tables.curves, series)?;
    let get = |name: &str| column(&tables.curves, name, &rows).to_vec();
    let line = |(i, lower): (usize, &Lower)| {
        let (name, words) = match lower {
            Lower::WeightNorm => (columns::WEIGHT_NORM, "weights’ norm"),
            Lower::Condition => (columns::CONDITION, "condition"),
            Lower::Rank => (columns::RANK, "rank"),
        };
        LowerLine {
            label: label(words),
            colour: colour(i),
            xs: get(columns::VALUE),
            values: get(name),
        }
    };
    Ok(below.iter().enumerate().map(line).collect())
}

/// One learner's panel; references are flat lines of their risk.
fn single<'a>(
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
fn overlay<'a>(
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
fn headline(options: &Tradeoff) -> Part {
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

fn line(
    series: Series,
    part: Part,
    label: &str,
    colour: theme::Colour,
    tables: &Tables,
) -> Result<Line, FigureError> {
    let rows = rows_of(&tables.curves, series)?;
    let get = |name: &str| column(&tables.curves, name, &rows).to_vec();
    let xs = get(columns::VALUE);
    let name = column_name(part);
    let values = get(name);
    let (low, high) = match part {
        Part::Median => (get(columns::RISK_Q25), get(columns::RISK_Q75)),
        _ => {
            let ends = [columns::low_of(name), columns::high_of(name)].map(|name| get(&name));
            let reach = factor(tables);
            let errors = get(&columns::se_of(name));
            let shifted = |sign: f64| -> Vec<f64> {
                let pairs = values.iter().zip(&errors);
                pairs.map(|(value, se)| value + sign * reach * se).collect()
            };
            // What has no interval of its own, and results of earlier versions, have ± t errors.
            match ends {
                [low, high] if !low.is_empty() => (low, high),
                _ => (shifted(-1.0), shifted(1.0)),
            }
        }
    };
    let formula = get(columns::VARIANCE_FROM_MEMBERS);
    let exact = match part {
        Part::Variance if formula.iter().any(|value| value.is_finite()) => formula,
        Part::Bias2 => get(columns::BIAS2_EXACT),
        Part::Variance => get(columns::VARIANCE_EXACT),
        Part::Risk => {
            let parts = [
                columns::NOISE,
                columns::BIAS2_EXACT,
                columns::VARIANCE_EXACT,
            ]
            .map(get);
            let [noise, bias2, variance] = &parts;
            let sum = noise.iter().zip(bias2).zip(variance);
            sum.map(|((noise, bias2), variance)| noise + bias2 + variance)
                .collect()
        }
        _ => Vec::new(),
    };
    // Near a threshold the exact form may be infinite: a gap in the curve.
    let exact = match exact.iter().any(|value| value.is_finite()) {
        true => exact,
        false => Vec::new(),
    };
    let doubtful = match is_mean(part) {
        true => doubtful(series, tables),
        false => Vec::new(),
    };
    Ok(Line {
        part,
        label: label.to_owned(),
        colour,
        xs,
        values,
        low,
        high,
        exact,
        doubtful,
    })
}

/// A learner without the swept number, as a flat line over another's axis.
fn flat_line(
    reference: Series,
    over: Series,
    part: Part,
    label: &str,
    colour: theme::Colour,
    tables: &Tables,
) -> Result<Line, FigureError> {
    let one = line(reference, part, label, colour, tables)?;
    let xs = over.axis().map_or(Vec::new(), |axis| axis.values.clone());
    let stretch = |values: &[f64]| match values.first() {
        Some(value) => vec![*value; xs.len()],
        None => Vec::new(),
    };
    Ok(Line {
        values: stretch(&one.values),
        low: stretch(&one.low),
        high: stretch(&one.high),
        exact: Vec::new(),
        doubtful: Vec::new(),
        xs,
        ..one
    })
}

/// What the members of an ensemble share, below which no number of them gets the variance.
fn floor(series: Series, options: &Tradeoff, tables: &Tables) -> Result<Option<Line>, FigureError> {
    let rows = rows_of(&tables.curves, series)?;
    let values = column(&tables.curves, columns::VARIANCE_SHARED, &rows).to_vec();
    let drawn = options.parts.contains(&Part::Variance);
    if !drawn || !values.iter().any(|value| value.is_finite()) {
        return Ok(None);
    }
    Ok(Some(Line {
        label: "floor ρt²".to_owned(),
        low: Vec::new(),
        high: Vec::new(),
        exact: Vec::new(),
        // Drawn as thin dashes.
        doubtful: vec![true; values.len()],
        values,
        ..line(series, Part::Noise, "", theme::VARIANCE, tables)?
    }))
}

/// Single resamples of one part: one curve over the sweep values each.
struct Runs {
    part: Part,
    colour: theme::Colour,
    xs: Vec<f64>,
    curves: Vec<Vec<f64>>,
}

fn single_runs(
    series: Series,
    part: Part,
    colour: theme::Colour,
    options: &Tradeoff,
    tables: &Tables,
) -> Result<Option<Runs>, FigureError> {
    let name = match part {
        Part::Risk | Part::Test | Part::Median => columns::RISK,
        Part::Train => columns::TRAIN_RISK,
        _ => return Ok(None),
    };
    let Some(axis) = series.axis().filter(|_| options.runs > 0) else {
        return Ok(None);
    };
    let mut runs: Vec<Vec<f64>> = Vec::new();
    for &value in &axis.values {
        let rows = rows_at(&tables.runs, series, value)?;
        let risks = column(&tables.runs, name, &rows);
        runs.resize(options.runs.min(risks.len()), Vec::new());
        for (run, risk) in runs.iter_mut().zip(risks) {
            run.push(*risk);
        }
    }
    Ok(Some(Runs {
        part,
        colour,
        xs: axis.values.clone(),
        curves: runs,
    }))
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
fn heights(contents: &[Content], options: &Tradeoff) -> (f64, f64) {
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

fn fill(panel: &Panel, content: &Content, options: &Tradeoff) -> Result<(), FigureError> {
    for runs in &content.runs {
        let alpha = if runs.part == Part::Train { 0.16 } else { 0.14 };
        for run in &runs.curves {
            panel.curve(&runs.xs, run, Stroke::new(runs.colour, 1.2).faint(alpha))?;
        }
    }
    let both = |part| options.parts.contains(&part);
    for line in &content.lines {
        let measured = line.part == Part::Test && both(Part::Risk) && !options.overlay;
        if !line.exact.is_empty() {
            let (_, end) = panel.x.ends();
            let spacing = (end - panel.frame.left) / line.xs.len() as f64;
            let radius = (spacing / 3.0).clamp(2.2, 5.0);
            let believed = |i: usize| !line.doubtful.get(i).copied().unwrap_or(false);
            for i in (0..line.xs.len()).filter(|i| believed(*i)) {
                let (x, value) = (&line.xs[i..=i], &line.values[i..=i]);
                if let (Some(low), Some(high)) = (line.low.get(i), line.high.get(i)) {
                    let bar = Stroke::new(line.colour, 2.0).faint(0.7);
                    panel.bar(x[0], *low, *high, bar)?;
                }
                panel.dots(x, value, radius, line.colour, 0.75)?;
            }
            panel.curve(
                &line.xs,
                &line.exact,
                Stroke::new(line.colour, 2.6).dashed(),
            )?;
        } else if measured {
            panel.dots(&line.xs, &line.values, 5.0, line.colour, 1.0)?;
        } else {
            let stroke = Stroke::new(line.colour, 3.6);
            let stroke = match line.part {
                Part::Train => stroke.dashed(),
                _ => stroke,
            };
            for (range, believed) in stretches(&line.doubtful, line.xs.len()) {
                let of = |values: &[f64]| values.get(range.clone()).unwrap_or(&[]).to_vec();
                let (xs, values) = (of(&line.xs), of(&line.values));
                if !believed {
                    let stroke = Stroke::new(line.colour, 1.6).dashed().faint(0.55);
                    panel.curve(&xs, &values, stroke)?;
                    continue;
                }
                panel.band(&xs, &of(&line.low), &of(&line.high), line.colour, 0.2)?;
                match xs.len() {
                    1 => panel.dots(&xs, &values, 3.6, line.colour, 1.0)?,
                    _ => panel.curve(&xs, &values, stroke)?,
                }
            }
        }
    }
    Ok(())
}

/// The upright lines of the marks.
fn marks(canvas: &Canvas, panel: &Panel, marks: &[Mark]) -> Result<(), FigureError> {
    let Frame { top, bottom, .. } = panel.frame;
    for mark in marks.iter().filter(|mark| panel.spans(mark.at)) {
        let x = panel.x.place(mark.at);
        let stroke = Stroke::new(theme::SOFT, 1.8).dashed();
        canvas.line(&[(x, top), (x, bottom)], stroke)?;
    }
    Ok(())
}

/// Marks where the risk is lowest, and writes that and the texts of the marks above the panel.
fn above(
    canvas: &Canvas,
    panel: &Panel,
    content: &Content,
    marks: &[Mark],
) -> Result<(), FigureError> {
    let Frame {
        left,
        right,
        top,
        bottom,
    } = panel.frame;
    let style = (theme::CAPTION, false);
    let mut texts: Vec<(f64, String, theme::Colour)> = Vec::new();
    for mark in marks.iter().filter(|mark| panel.spans(mark.at)) {
        texts.push((panel.x.place(mark.at), mark.text.clone(), theme::SOFT));
    }
    if let Some(Lowest { at, words }) = &content.lowest
        && panel.shows(panel.at(at.0, at.1))
    {
        let place = panel.at(at.0, at.1);
        let guide = Stroke::new(theme::SOFT, 1.4).dashed();
        canvas.line(&[(place.0, top - 6.0), (place.0, bottom)], guide)?;
        canvas.ring(place, 8.0, Stroke::new(theme::RISK, 2.4))?;
        let fits = |text: &&String| text_width(text, style.0, style.1) <= right - left;
        let text = match words.iter().find(fits) {
            Some(text) => text.clone(),
            None => shortened(&words[2], style.0, style.1, right - left + 20.0),
        };
        texts.insert(0, (place.0, text, theme::INK));
    }
    let mut taken: Vec<(f64, f64)> = Vec::new();
    for (x, text, colour) in texts {
        let half = text_width(&text, style.0, style.1) / 2.0;
        let middle = x.max(left + half).min((right - half).max(left + half));
        let (from, to) = (middle - half - 12.0, middle + half + 12.0);
        let free = taken.iter().all(|(start, end)| to < *start || from > *end);
        let (place, side) = match free {
            true => ((middle, top - MINIMUM * 0.6), Side::Middle),
            // Where another text stands already, inside the panel.
            false if x + 2.0 * half + 8.0 < right => ((x + 8.0, top + 14.0), Side::Right),
            false => ((x - 8.0, top + 14.0), Side::Left),
        };
        taken.push((from, to));
        canvas.text(place, &text, style, colour, side)?;
    }
    Ok(())
}

fn end_label(panel: &Panel, line: &Line) -> Label {
    let y = line
        .values
        .last()
        .map_or(f64::NAN, |value| panel.y.place(*value));
    Label {
        text: line.label.clone(),
        colour: line.colour,
        y: if y.is_finite() { y } else { panel.frame.bottom },
    }
}
