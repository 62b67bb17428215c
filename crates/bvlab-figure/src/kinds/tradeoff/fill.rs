//! Drawing the curves of a trade-off.

use super::content::{BestMark, TradeoffContent};
use super::lines::Line;
use crate::canvas::{Side, Stroke};
use crate::error::FigureError;
use crate::labels::Label;
use crate::notes::{NoteCurve, Obstacles};
use crate::panel::{Frame, MARKED, Panel};
use crate::select::stretches;
use crate::text::{shortened, text_width};
use crate::theme;
use bvlab_experiment::{Bands, Mark, Part, Tradeoff};

/// More dots than that hide the curve that they lie on.
const MOST_DOTS: usize = 15;

/// The numbers of the values that have a dot.
fn dotted(count: usize) -> impl Iterator<Item = usize> {
    (0..count).step_by(count.div_ceil(MOST_DOTS).max(1))
}

/// Draws everything between the axes.
pub fn fill(
    panel: &Panel,
    content: &TradeoffContent,
    options: &Tradeoff,
) -> Result<(), FigureError> {
    shade(panel, content, options)?;
    for runs in &content.runs {
        let alpha = match runs.part {
            Part::Train => 0.16,
            _ => theme::RUN_ALPHA,
        };
        for run in &runs.curves {
            let stroke = Stroke::new(runs.colour, theme::RUN).faint(alpha);
            panel.curve(&runs.xs, run, stroke)?;
        }
    }
    for i in banded(&content.lines, options) {
        band(panel, &content.lines[i])?;
    }
    let both = |part| options.parts.contains(&part);
    for line in &content.lines {
        let measured = line.part == Part::Test && both(Part::Risk) && !options.overlay;
        if !line.exact.is_empty() {
            theory(panel, line)?;
        } else if measured {
            for i in dotted(line.xs.len()) {
                let (x, value) = (&line.xs[i..=i], &line.values[i..=i]);
                panel.dots(x, value, 5.0, line.colour, 1.0)?;
            }
        } else if !options.categories.is_empty() {
            category_dots(panel, line)?;
        } else {
            curve(panel, line)?;
        }
    }
    Ok(())
}

/// What texts in a panel keep clear of.
pub fn crowd(
    panel: &Panel,
    content: &TradeoffContent,
    options: &Tradeoff,
    curves: &[NoteCurve],
) -> Obstacles {
    let mut crowd = Obstacles::of(panel, curves);
    for runs in &content.runs {
        let weight = 0.8 / runs.curves.len().max(4) as f64;
        for run in &runs.curves {
            crowd.add_faint(panel, &runs.xs, run, weight);
        }
    }
    for i in banded(&content.lines, options) {
        let line = &content.lines[i];
        crowd.add_band(panel, &line.xs, &line.low, &line.high);
    }
    if let Some((one, other)) = shaded(content, options) {
        crowd.add_band(panel, &one.xs, &one.values, &other.values);
    }
    let best = content.lowest.iter().map(|lowest| lowest.at.0);
    for x in best.chain(options.marks.iter().map(|mark| mark.at)) {
        crowd.add_mark(panel, x);
    }
    crowd
}

/// Over kinds there is nothing between the values: dots, and faint lines that lead from one to the
/// next.
fn category_dots(panel: &Panel, line: &Line) -> Result<(), FigureError> {
    let stroke = Stroke::new(line.colour, 1.6).faint(0.5);
    panel.curve(&line.xs, &line.values, stroke)?;
    for (i, (x, value)) in line.xs.iter().zip(&line.values).enumerate() {
        if let (Some(low), Some(high)) = (line.low.get(i), line.high.get(i)) {
            let bar = Stroke::new(line.colour, theme::BAR_LINE);
            panel.bar(*x, *low, *high, bar)?;
        }
        panel.dots(&[*x], &[*value], 6.5, line.colour, 1.0)?;
    }
    Ok(())
}

/// The two curves between which the gap is shaded.
pub fn shaded<'c>(
    content: &'c TradeoffContent,
    options: &Tradeoff,
) -> Option<(&'c Line, &'c Line)> {
    let (one, other) = options.shade?;
    let of = |part: Part| content.lines.iter().find(|line| line.part == part);
    of(one).zip(of(other))
}

/// The gap between two curves.
fn shade(panel: &Panel, content: &TradeoffContent, options: &Tradeoff) -> Result<(), FigureError> {
    if let Some((one, other)) = shaded(content, options) {
        let colour = theme::colour(Part::Diversity);
        panel.band(
            &one.xs,
            &one.values,
            &other.values,
            colour,
            theme::GAP_ALPHA,
        )?;
    }
    Ok(())
}

/// The lines that have a band: no three of them overlap anywhere, the risk's first.
fn banded(lines: &[Line], options: &Tradeoff) -> Vec<usize> {
    if options.bands == Bands::None || !options.categories.is_empty() {
        return Vec::new();
    }
    let mut order: Vec<usize> = (0..lines.len()).collect();
    let first = |line: &Line| !matches!(line.part, Part::Risk | Part::Test | Part::Median);
    order.sort_by_key(|i| first(&lines[*i]));
    let mut kept: Vec<usize> = Vec::new();
    for i in order {
        let line = &lines[i];
        if line.exact.is_empty() && !line.low.is_empty() && !crowded(line, &kept, lines) {
            kept.push(i);
        }
    }
    kept
}

/// Whether the band of a line would meet two others at some value.
fn crowded(line: &Line, kept: &[usize], lines: &[Line]) -> bool {
    let ends = |line: &Line, i: usize| Some((*line.low.get(i)?, *line.high.get(i)?));
    let overlaps = |i: usize, x: f64, other: &Line| {
        let place = other.xs.iter().position(|value| *value == x);
        let others = place.and_then(|place| ends(other, place));
        let pair = ends(line, i).zip(others);
        pair.is_some_and(|((low, high), (least, most))| low < most && least < high)
    };
    line.xs.iter().enumerate().any(|(i, x)| {
        let met = kept.iter().filter(|k| overlaps(i, *x, &lines[**k]));
        met.count() >= 2
    })
}

fn band(panel: &Panel, line: &Line) -> Result<(), FigureError> {
    for (range, believed) in stretches(&line.doubtful, line.xs.len()) {
        let of = |values: &[f64]| values.get(range.clone()).unwrap_or(&[]).to_vec();
        if believed {
            let (xs, low, high) = (of(&line.xs), of(&line.low), of(&line.high));
            panel.band(&xs, &low, &high, line.colour, theme::BAND_ALPHA)?;
        }
    }
    Ok(())
}

/// What theory says as a thin line, and what was simulated as open dots on it.
fn theory(panel: &Panel, line: &Line) -> Result<(), FigureError> {
    let stroke = Stroke::new(line.colour, theme::EXACT);
    panel.curve(&line.xs, &line.course(), stroke)?;
    let believed = |i: &usize| !line.doubtful.get(*i).copied().unwrap_or(false);
    for i in dotted(line.xs.len()).filter(believed) {
        let (x, value) = (line.xs[i], line.values[i]);
        if let (Some(low), Some(high)) = (line.low.get(i), line.high.get(i)) {
            let bar = Stroke::new(line.colour, theme::BAR_LINE);
            panel.bar(x, *low, *high, bar)?;
        }
        let place = panel.at(x, value);
        if panel.shows(place) {
            let stroke = Stroke::new(line.colour, 2.2);
            panel.canvas.open_dot(place, 4.6, stroke)?;
        }
    }
    Ok(())
}

fn curve(panel: &Panel, line: &Line) -> Result<(), FigureError> {
    let stroke = Stroke::new(line.colour, theme::CURVE);
    let stroke = match theme::is_dashed(line.part) {
        true => stroke.dashed(),
        false => stroke,
    };
    for (range, believed) in stretches(&line.doubtful, line.xs.len()) {
        let of = |values: &[f64]| values.get(range.clone()).unwrap_or(&[]).to_vec();
        let (xs, values) = (of(&line.xs), of(&line.values));
        match (believed, xs.len()) {
            (false, _) => {
                let stroke = Stroke::new(line.colour, 1.6).dashed().faint(0.55);
                panel.curve(&xs, &values, stroke)?;
            }
            (true, 1) => panel.dots(&xs, &values, 3.6, line.colour, 1.0)?,
            (true, _) => panel.curve(&xs, &values, stroke)?,
        }
    }
    Ok(())
}

/// Draws what stands in the panel below, and returns the labels of its curves' ends.
pub fn fill_lower(panel: &Panel, content: &TradeoffContent) -> Result<Vec<Label>, FigureError> {
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

/// An upright line behind the curves where the risk is lowest.
pub fn guide(panel: &Panel, content: &TradeoffContent) -> Result<(), FigureError> {
    let Frame { top, bottom, .. } = panel.frame;
    if let Some(BestMark { at, .. }) = &content.lowest
        && panel.shows(panel.at(at.0, at.1))
    {
        let x = panel.x.place(at.0);
        let stroke = Stroke::new(theme::MARK, theme::MARK_LINE);
        panel.canvas.line(&[(x, top - 4.0), (x, bottom)], stroke)?;
    }
    Ok(())
}

/// Marks where the risk is lowest, and writes that and the texts of the marks above the panel.
pub fn above(panel: &Panel, content: &TradeoffContent, marks: &[Mark]) -> Result<(), FigureError> {
    let Frame {
        left, right, top, ..
    } = panel.frame;
    let style = (theme::CAPTION, false);
    let place = content
        .lowest
        .as_ref()
        .map(|lowest| panel.at(lowest.at.0, lowest.at.1));
    let (Some(lowest), Some(place)) = (&content.lowest, place.filter(|at| panel.shows(*at))) else {
        return panel.mark_texts(marks);
    };
    let ring = Stroke::new(theme::RISK, theme::RING_LINE);
    panel.canvas.ring(place, 8.0, ring)?;
    let fits = |text: &&String| text_width(text, style.0, style.1) <= right - left;
    let text = match lowest.words.iter().find(fits) {
        Some(text) => text.clone(),
        None => shortened(&lowest.words[1], style.0, style.1, right - left + 20.0),
    };
    let half = text_width(&text, style.0, style.1) / 2.0;
    let middle = place
        .0
        .max(left + half)
        .min((right - half).max(left + half));
    let at = (middle, top - 0.6 * MARKED);
    panel
        .canvas
        .text(at, &text, style, theme::INK, Side::Middle)?;
    // The texts of marks that would lie under it are left out: their lines are there.
    let clear = |mark: &&Mark| {
        let half_mark = text_width(&mark.text, style.0, style.1) / 2.0;
        (panel.x.place(mark.at) - middle).abs() > half + half_mark + 12.0
    };
    let marks: Vec<Mark> = marks.iter().filter(clear).cloned().collect();
    panel.mark_texts(&marks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_fifteen_values_have_a_dot() {
        for count in 0..200 {
            let dots: Vec<usize> = dotted(count).collect();
            assert!(dots.len() <= MOST_DOTS && dots.first().is_none_or(|first| *first == 0));
            assert_eq!(dots.len() == count, count <= MOST_DOTS);
        }
    }
}
