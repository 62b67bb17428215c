//! Noise, bias², variance and risk over the sweep.

use super::axis::{Axis, room};
use super::canvas::{Canvas, Side, Stroke, shortened, text_width};
use super::panel::{Frame, Label, Panel, Surroundings, TITLE, labels_width, write_labels, y_room};
use super::select::{column, factor, learners, rows_at, rows_of};
use super::{FigureError, MARGIN, theme};
use crate::decompose::heavy_tail;
use crate::experiment::{Curve, Experiment, Part, Scale, Tradeoff};
use crate::outcome::Tables;
use crate::words::short;

/// The height of the line that says where the risk is lowest.
const MINIMUM: f64 = 30.0;

/// One line of a panel with its error bars.
struct Line {
    part: Part,
    label: String,
    colour: theme::Colour,
    xs: Vec<f64>,
    values: Vec<f64>,
    /// Half the width of the 95 % interval.
    reach: Vec<f64>,
    exact: Vec<f64>,
}

/// A panel's content.
struct Content {
    title: Vec<String>,
    lines: Vec<Line>,
    runs: Vec<Runs>,
    minimum: Option<(f64, f64, String)>,
}

/// Whether a curve of the figure has an exact form beside it.
pub fn draws_exact(experiment: &Experiment, options: &Tradeoff, tables: &Tables) -> bool {
    let parts: &[Part] = match options.overlay {
        true => &[headline(options)],
        false => &options.parts,
    };
    let swept = learners(experiment, &options.learners);
    let mut swept = swept.into_iter().filter(|curve| curve.axis.is_some());
    swept.any(|curve| {
        let exact = |part: &Part| line(curve, *part, "", theme::INK, tables);
        parts
            .iter()
            .any(|part| exact(part).is_ok_and(|line| !line.exact.is_empty()))
    })
}

/// How many values of the figure's curves have too heavy a tail for a mean.
pub fn heavy(experiment: &Experiment, options: &Tradeoff, tables: &Tables) -> usize {
    let resamples = tables
        .curves
        .wholes("resamples")
        .first()
        .copied()
        .unwrap_or(0);
    let curves = learners(experiment, &options.learners);
    let count = |curve: &Curve| {
        let rows = rows_of(&tables.curves, &curve.name).unwrap_or(0..0);
        let shares = column(&tables.curves, "largest_share", &rows);
        shares
            .iter()
            .filter(|share| heavy_tail(**share, resamples))
            .count()
    };
    curves.into_iter().map(count).sum()
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
    experiment: &Experiment,
    options: &Tradeoff,
    tables: &Tables,
) -> Result<(), FigureError> {
    let curves = learners(experiment, &options.learners);
    let swept: Vec<&Curve> = curves
        .iter()
        .copied()
        .filter(|c| c.axis.is_some())
        .collect();
    let flat: Vec<&Curve> = curves
        .iter()
        .copied()
        .filter(|c| c.axis.is_none())
        .collect();
    let mut contents = Vec::new();
    if options.overlay {
        contents.push(overlay(&swept, &flat, options, tables)?);
    } else {
        for curve in &swept {
            contents.push(single(curve, &flat, options, tables, curves.len() > 1)?);
        }
    }
    let labels = contents.iter().flat_map(|content| content.lines.iter());
    let mut frame = frame;
    frame.right -= labels_width(labels.map(|line| line.label.as_str()));
    let (low, high) = heights(&contents, options);
    // Above the panels, a line for their titles and one for where the risk is lowest.
    if contents.iter().any(|content| !content.title.is_empty()) {
        frame.top += TITLE;
    }
    let marked = contents.iter().any(|content| content.minimum.is_some());
    if marked {
        frame.top += MINIMUM;
    }
    let y_axis = |frame: Frame| Axis::new(options.y_scale, (low, high), (frame.bottom, frame.top));
    frame.left = MARGIN + y_room(&y_axis(frame));
    let y_title = match (options.overlay, headline(options)) {
        (true, part) => theme::name(part),
        (false, _) => "squared error",
    };
    let frames = frame.columns(contents.len(), 46.0);
    let last = contents.len() - 1;
    for (i, (content, frame)) in contents.iter().zip(frames).enumerate() {
        let axis = swept[if options.overlay { 0 } else { i }].axis.as_ref();
        let axis = axis.expect("only swept learners have a panel");
        let scale = options.x_scale.unwrap_or(axis.scale);
        let shown = match options.overlay {
            true => &swept[..],
            false => &swept[i..=i],
        };
        let axes = shown.iter().filter_map(|curve| curve.axis.as_ref());
        let range = room(axes.flat_map(|axis| &axis.values).copied(), scale, 0.02);
        let x = Axis::new(scale, range, (frame.left, frame.right));
        let panel = Panel::new(canvas, frame, x, y_axis(frame));
        let long = format!("{} ({})", axis.name, axis.about);
        let fits = text_width(&long, theme::AXIS, false) < frame.right - frame.left;
        panel.surround(&Surroundings {
            title: &content.title,
            above: if marked { MINIMUM } else { 0.0 },
            x_title: Some(if fits { &long } else { &axis.name }),
            y_title: (i == 0).then_some(y_title),
            y_numbers: i == 0,
            x_numbers: true,
            x_whole: axis.values.iter().all(|value| value.fract() == 0.0),
        })?;
        fill(&panel, content, options)?;
        mark(canvas, &panel, content)?;
        if i == last {
            let ends = content.lines.iter().map(|line| end_label(&panel, line));
            write_labels(canvas, frame, ends.collect())?;
        }
    }
    Ok(())
}

/// One learner's panel; references are flat lines of their risk.
fn single(
    curve: &Curve,
    flat: &[&Curve],
    options: &Tradeoff,
    tables: &Tables,
    titled: bool,
) -> Result<Content, FigureError> {
    let mut lines = Vec::new();
    for &part in &options.parts {
        lines.push(line(
            curve,
            part,
            theme::name(part),
            theme::colour(part),
            tables,
        )?);
    }
    for (i, reference) in flat.iter().enumerate() {
        let colour = theme::LEARNERS[(i + 2) % theme::LEARNERS.len()];
        let part = headline(options);
        let label = match part {
            Part::Risk | Part::Test => reference.name.clone(),
            part => format!("{}: {}", reference.name, theme::name(part)),
        };
        lines.push(flat_line(reference, curve, part, &label, colour, tables)?);
    }
    let mut runs = Vec::new();
    for &part in &options.parts {
        if let Some(run) = single_runs(curve, part, theme::colour(part), options, tables)? {
            runs.push(run);
        }
    }
    Ok(Content {
        title: titled.then(|| curve.name.clone()).into_iter().collect(),
        minimum: minimum(&lines, curve),
        lines,
        runs,
    })
}

/// All learners in one panel, one colour each, by their risk (or the first part that is asked
/// for).
fn overlay(
    swept: &[&Curve],
    flat: &[&Curve],
    options: &Tradeoff,
    tables: &Tables,
) -> Result<Content, FigureError> {
    let part = headline(options);
    let colour = |i: usize| theme::LEARNERS[i % theme::LEARNERS.len()];
    let (mut lines, mut runs) = (Vec::new(), Vec::new());
    for (i, curve) in swept.iter().enumerate() {
        lines.push(line(curve, part, &curve.name, colour(i), tables)?);
        runs.extend(single_runs(curve, part, colour(i), options, tables)?);
    }
    for (i, reference) in flat.iter().enumerate() {
        let colour = colour(i + swept.len());
        lines.push(flat_line(
            reference,
            swept[0],
            part,
            &reference.name,
            colour,
            tables,
        )?);
    }
    if options.parts.contains(&Part::Noise) {
        lines.push(line(swept[0], Part::Noise, "noise", theme::NOISE, tables)?);
    }
    Ok(Content {
        title: Vec::new(),
        lines,
        runs,
        minimum: None,
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
        Part::Train,
    ];
    let drawn = preferred.into_iter().find(|part| parts.contains(part));
    drawn.unwrap_or(Part::Risk)
}

fn line(
    curve: &Curve,
    part: Part,
    label: &str,
    colour: theme::Colour,
    tables: &Tables,
) -> Result<Line, FigureError> {
    let rows = rows_of(&tables.curves, &curve.name)?;
    let get = |name: &str| column(&tables.curves, name, &rows).to_vec();
    let xs = get("value");
    let name = column_name(part);
    let factor = factor(tables);
    let reach = get(&format!("{name}_se"))
        .iter()
        .map(|se| factor * se)
        .collect();
    let exact = match part {
        Part::Bias2 | Part::Variance => get(&format!("{name}_exact")),
        Part::Risk => {
            let parts = [get("noise"), get("bias2_exact"), get("variance_exact")];
            let [noise, bias2, variance] = &parts;
            let sum = noise.iter().zip(bias2).zip(variance);
            sum.map(|((noise, bias2), variance)| noise + bias2 + variance)
                .collect()
        }
        _ => Vec::new(),
    };
    let exact = match exact.iter().all(|value| value.is_finite()) {
        true => exact,
        false => Vec::new(),
    };
    Ok(Line {
        part,
        label: label.to_owned(),
        colour,
        xs,
        values: get(name),
        reach,
        exact,
    })
}

/// Where a part stands in the table of curves.
fn column_name(part: Part) -> &'static str {
    match part {
        Part::Noise => "noise",
        Part::Bias2 => "bias2",
        Part::Variance => "variance",
        Part::Risk => "risk",
        Part::Test => "test_risk",
        Part::Train => "train_risk",
    }
}

/// A learner without the swept number, as a flat line over another's axis.
fn flat_line(
    reference: &Curve,
    over: &Curve,
    part: Part,
    label: &str,
    colour: theme::Colour,
    tables: &Tables,
) -> Result<Line, FigureError> {
    let one = line(reference, part, label, colour, tables)?;
    let xs = over
        .axis
        .as_ref()
        .map_or(Vec::new(), |axis| axis.values.clone());
    let stretch = |values: &[f64]| match values.first() {
        Some(value) => vec![*value; xs.len()],
        None => Vec::new(),
    };
    Ok(Line {
        values: stretch(&one.values),
        reach: stretch(&one.reach),
        exact: Vec::new(),
        xs,
        ..one
    })
}

/// Single resamples of one part: one curve over the sweep values each.
struct Runs {
    part: Part,
    colour: theme::Colour,
    xs: Vec<f64>,
    curves: Vec<Vec<f64>>,
}

fn single_runs(
    curve: &Curve,
    part: Part,
    colour: theme::Colour,
    options: &Tradeoff,
    tables: &Tables,
) -> Result<Option<Runs>, FigureError> {
    let name = match part {
        Part::Risk | Part::Test => "risk",
        Part::Train => "train_risk",
        _ => return Ok(None),
    };
    let Some(axis) = curve.axis.as_ref().filter(|_| options.runs > 0) else {
        return Ok(None);
    };
    let mut runs: Vec<Vec<f64>> = Vec::new();
    for &value in &axis.values {
        let rows = rows_at(&tables.runs, &curve.name, value)?;
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

/// Where the risk is lowest.
fn minimum(lines: &[Line], curve: &Curve) -> Option<(f64, f64, String)> {
    let find = |part: Part| lines.iter().find(|line| line.part == part);
    let line = find(Part::Risk).or_else(|| find(Part::Test))?;
    let values = match line.exact.is_empty() {
        true => &line.values,
        false => &line.exact,
    };
    let (x, y) = line
        .xs
        .iter()
        .zip(values)
        .min_by(|a, b| a.1.total_cmp(b.1))
        .map(|(x, y)| (*x, *y))?;
    let name = &curve.axis.as_ref()?.name;
    Some((x, y, format!("{name} = {}", short(x))))
}

/// The range of the vertical axis.
fn heights(contents: &[Content], options: &Tradeoff) -> (f64, f64) {
    let lines = || contents.iter().flat_map(|content| &content.lines);
    let runs = contents.iter().flat_map(|content| &content.runs);
    let tops = lines().flat_map(|line| {
        let reach = line.reach.iter().chain(std::iter::repeat(&0.0));
        line.values
            .iter()
            .zip(reach)
            .map(|(value, reach)| value + reach)
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
            let lowest = |bias: bool| {
                let lines = lines().filter(|line| (line.part == Part::Bias2) == bias);
                let values = lines.flat_map(|line| &line.values).copied();
                values
                    .filter(|value| *value > 0.0)
                    .fold(f64::INFINITY, f64::min)
            };
            // An estimate of bias² may come arbitrarily near to zero: three decades are enough.
            let (bias, other) = (lowest(true), lowest(false));
            let low = match other.is_finite() {
                true => other.min(bias.max(other * 1e-3)),
                false => bias,
            };
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
        let shifted = |sign: f64| -> Vec<f64> {
            let reach = line.reach.iter().chain(std::iter::repeat(&0.0));
            line.values
                .iter()
                .zip(reach)
                .map(|(v, r)| v + sign * r)
                .collect()
        };
        let (low, high) = (shifted(-1.0), shifted(1.0));
        let measured = line.part == Part::Test && both(Part::Risk) && !options.overlay;
        if !line.exact.is_empty() {
            let (_, end) = panel.x.ends();
            let spacing = (end - panel.frame.left) / line.xs.len() as f64;
            let radius = (spacing / 3.0).clamp(2.2, 5.0);
            for ((x, low), high) in line.xs.iter().zip(&low).zip(&high) {
                panel.bar(*x, *low, *high, Stroke::new(line.colour, 2.0).faint(0.7))?;
            }
            panel.dots(&line.xs, &line.values, radius, line.colour, 0.75)?;
            panel.curve(
                &line.xs,
                &line.exact,
                Stroke::new(line.colour, 2.6).dashed(),
            )?;
        } else if measured {
            panel.dots(&line.xs, &line.values, 5.0, line.colour, 1.0)?;
        } else {
            if !line.reach.is_empty() {
                panel.band(&line.xs, &low, &high, line.colour, 0.2)?;
            }
            let stroke = Stroke::new(line.colour, 3.6);
            let stroke = if line.part == Part::Train {
                stroke.dashed()
            } else {
                stroke
            };
            panel.curve(&line.xs, &line.values, stroke)?;
        }
    }
    Ok(())
}

/// Marks where the risk is lowest.
fn mark(canvas: &Canvas, panel: &Panel, content: &Content) -> Result<(), FigureError> {
    let Some((x, y, setting)) = &content.minimum else {
        return Ok(());
    };
    let text = &format!("lowest at {setting}");
    let place = panel.at(*x, *y);
    if !panel.shows(place) {
        return Ok(());
    }
    let Frame {
        left,
        right,
        top,
        bottom,
    } = panel.frame;
    let guide = Stroke::new(theme::SOFT, 1.4).dashed();
    canvas.line(&[(place.0, top - 6.0), (place.0, bottom)], guide)?;
    canvas.ring(place, 8.0, Stroke::new(theme::RISK, 2.4))?;
    let style = (theme::CAPTION, false);
    let text = match text_width(text, style.0, style.1) <= right - left {
        true => text.clone(),
        false => shortened(setting, style.0, style.1, right - left + 20.0),
    };
    let half = text_width(&text, style.0, style.1) / 2.0;
    let middle = place
        .0
        .max(left + half)
        .min((right - half).max(left + half));
    let above = (middle, top - MINIMUM * 0.6);
    canvas.text(above, &text, style, theme::INK, Side::Middle)
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
