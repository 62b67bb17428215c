//! Noise, bias², variance and risk over the sweep.

mod caption;
mod content;
mod lines;

use crate::axis::{Axis, room};
use crate::canvas::{Canvas, Side, Stroke};
use crate::error::FigureError;
use crate::panel::{
    Frame, Label, Panel, Surroundings, TITLE, axis_title, is_whole, labels_width, write_labels,
    y_room,
};
use crate::picture::{FigureData, Picture};
use crate::select::{Series, series, stretches};
use crate::text::{shortened, text_width};
use crate::theme;
use bvlab_core::plan::{Scale, StudyDescription};
use bvlab_experiment::{Mark, Part, Tradeoff};
use bvlab_outcome::Tables;
use content::{Content, Lowest, headline, heights, lower_range, overlay, single};
use lines::Line;

/// The height of the line that says where the risk is lowest.
const MINIMUM: f64 = 30.0;

impl Picture for Tradeoff {
    fn caption(&self, data: &FigureData) -> Result<String, FigureError> {
        caption::caption(self, data)
    }

    fn draw(&self, canvas: &Canvas, frame: Frame, data: &FigureData) -> Result<(), FigureError> {
        draw(canvas, frame, data.study()?, self, data.tables)
    }

    fn describe(&self, data: &FigureData) -> Result<Vec<String>, FigureError> {
        caption::describe(self, data)
    }
}

fn draw(
    canvas: &Canvas,
    frame: Frame,
    study: &StudyDescription,
    options: &Tradeoff,
    tables: &Tables,
) -> Result<(), FigureError> {
    let all = series(study, &options.learners, options.second.as_deref());
    let (swept, flat): (Vec<Series>, Vec<Series>) =
        all.into_iter().partition(|series| series.axis().is_some());
    let contents = contents(&swept, &flat, study, options, tables)?;
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
    let y_title = y_title(study, options);
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
        let x_title = axis_title(axis, frame.right - frame.left);
        let x_title = Some(x_title.as_str());
        let around = Surroundings {
            title: &content.title,
            above: if marked { MINIMUM } else { 0.0 },
            x_title: if below.is_none() { x_title } else { None },
            y_title: (i == 0).then_some(y_title),
            y_numbers: i == 0,
            x_numbers: below.is_none(),
            x_whole: is_whole(axis),
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
            let ends = fill_lower(&panel, content)?;
            if i == last {
                write_labels(canvas, below, ends)?;
            }
        }
    }
    Ok(())
}

/// What stands beside the vertical axis.
fn y_title(study: &StudyDescription, options: &Tradeoff) -> &'static str {
    match (options.overlay, headline(options)) {
        (true, part) => theme::name(part, study.loss),
        (false, _) => theme::error(study.loss),
    }
}

/// The panels' content, one for every curve, or one for all.
fn contents<'a>(
    swept: &[Series<'a>],
    flat: &[Series],
    study: &StudyDescription,
    options: &Tradeoff,
    tables: &Tables,
) -> Result<Vec<Content<'a>>, FigureError> {
    let several = options.learners.len() > 1;
    if options.overlay {
        return Ok(vec![overlay(swept, flat, options, tables, several)?]);
    }
    let one = |series: &Series<'a>| single((*series, study.loss), flat, options, tables, several);
    swept.iter().map(one).collect()
}

fn fill(panel: &Panel, content: &Content, options: &Tradeoff) -> Result<(), FigureError> {
    for runs in &content.runs {
        let alpha = match runs.part {
            Part::Train => 0.16,
            _ => theme::RUN_ALPHA,
        };
        for run in &runs.curves {
            panel.curve(
                &runs.xs,
                run,
                Stroke::new(runs.colour, theme::RUN).faint(alpha),
            )?;
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
                    let bar = Stroke::new(line.colour, theme::BAR_LINE).faint(0.7);
                    panel.bar(x[0], *low, *high, bar)?;
                }
                panel.dots(x, value, radius, line.colour, 0.75)?;
            }
            panel.curve(
                &line.xs,
                &line.exact,
                Stroke::new(line.colour, theme::EXACT).dashed(),
            )?;
        } else if measured {
            panel.dots(&line.xs, &line.values, 5.0, line.colour, 1.0)?;
        } else {
            let stroke = Stroke::new(line.colour, theme::CURVE);
            let stroke = match theme::is_dashed(line.part) {
                true => stroke.dashed(),
                false => stroke,
            };
            for (range, believed) in stretches(&line.doubtful, line.xs.len()) {
                let of = |values: &[f64]| values.get(range.clone()).unwrap_or(&[]).to_vec();
                let (xs, values) = (of(&line.xs), of(&line.values));
                if !believed {
                    let stroke = Stroke::new(line.colour, 1.6).dashed().faint(0.55);
                    panel.curve(&xs, &values, stroke)?;
                    continue;
                }
                panel.band(
                    &xs,
                    &of(&line.low),
                    &of(&line.high),
                    line.colour,
                    theme::BAND_ALPHA,
                )?;
                match xs.len() {
                    1 => panel.dots(&xs, &values, 3.6, line.colour, 1.0)?,
                    _ => panel.curve(&xs, &values, stroke)?,
                }
            }
        }
    }
    Ok(())
}

/// Draws what stands in the panel below, and returns the labels of its curves' ends.
fn fill_lower(panel: &Panel, content: &Content) -> Result<Vec<Label>, FigureError> {
    let mut ends = Vec::new();
    for line in &content.lower {
        panel.curve(&line.xs, &line.values, Stroke::new(line.colour, 3.0))?;
        let finite = line.values.iter().rev().find(|value| value.is_finite());
        ends.push(Label {
            text: line.label.clone(),
            colour: line.colour,
            y: finite.map_or(panel.frame.bottom, |value| panel.y.place(*value)),
        });
    }
    Ok(ends)
}

/// The upright lines of the marks.
fn marks(canvas: &Canvas, panel: &Panel, marks: &[Mark]) -> Result<(), FigureError> {
    let Frame { top, bottom, .. } = panel.frame;
    for mark in marks.iter().filter(|mark| panel.spans(mark.at)) {
        let x = panel.x.place(mark.at);
        let stroke = Stroke::new(theme::SOFT, theme::MARK_LINE).dashed();
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
        canvas.ring(place, 8.0, Stroke::new(theme::RISK, theme::RING_LINE))?;
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
