//! Labels beside the ends of curves.

use super::canvas::{Canvas, Place, Side, Stroke};
use super::error::FigureError;
use super::notes::{Area, Obstacles, edge};
use super::panel::{Frame, Panel};
use super::text::{balanced, text_width};
use super::theme;

/// A longer label is broken into two lines, and cut where they are not enough.
const LONGEST_LABEL: f64 = 250.0;

/// The same on a narrow page, as a share of its width.
const LARGEST_SHARE: f64 = 0.24;

/// A label beside the end of a curve.
#[derive(Clone, Debug)]
pub struct Label {
    /// The text.
    pub text: String,
    /// Its colour.
    pub colour: theme::Colour,
    /// The height of the curve's end.
    pub y: f64,
}

/// The height of a line.
const LINE: f64 = theme::LABEL * 1.16;

/// The lines of a label.
fn lines(canvas: &Canvas, text: &str) -> Vec<String> {
    let most = LONGEST_LABEL.min(LARGEST_SHARE * canvas.page.width);
    balanced(text, theme::LABEL, true, most, 3)
}

/// Writes labels to the right of a frame, each as near to its curve's end as the others allow.
pub fn write_labels(canvas: &Canvas, frame: Frame, labels: Vec<Label>) -> Result<(), FigureError> {
    let led = |label: Label| {
        let end = (frame.right, label.y);
        (label, end)
    };
    write_led(canvas, frame, labels.into_iter().map(led).collect())
}

/// The same for curves that end at some places.
pub fn write_led(
    canvas: &Canvas,
    frame: Frame,
    mut labels: Vec<(Label, Place)>,
) -> Result<(), FigureError> {
    labels.retain(|(label, _)| !label.text.trim().is_empty());
    labels.sort_by(|(a, _), (b, _)| a.y.total_cmp(&b.y));
    let texts: Vec<Vec<String>> = labels
        .iter()
        .map(|(label, _)| lines(canvas, &label.text))
        .collect();
    let wanted: Vec<f64> = labels
        .iter()
        .map(|(label, _)| label.y.clamp(frame.top, frame.bottom))
        .collect();
    let high: Vec<f64> = texts.iter().map(|text| LINE * text.len() as f64).collect();
    let needed: f64 = high.iter().sum();
    let page = &canvas.page;
    if page.slim > 0.0 && page.least > theme::LEAST && needed > frame.bottom - frame.top + 30.0 {
        return Err(FigureError::Room);
    }
    let heights = spread(&wanted, &high, frame.top, frame.bottom);
    for (((label, end), text), y) in labels.iter().zip(&texts).zip(heights) {
        let height = label.y.clamp(frame.top, frame.bottom);
        let far = end.0 < frame.right - FAR;
        let start = if far { end.0 + 3.0 } else { frame.right + 2.0 };
        let ends = [(start, height), (frame.right + 11.0, y)];
        if far || (height - y).abs() > 3.0 {
            canvas.line(&ends, Stroke::new(label.colour, 1.2).faint(0.6))?;
        }
        let style = (theme::LABEL, true);
        for (i, line) in text.iter().enumerate() {
            let down = LINE * (i as f64 - (text.len() - 1) as f64 / 2.0);
            let place = (frame.right + 14.0, y + down);
            canvas.label(place, line, style, label.colour, Side::Right)?;
        }
    }
    Ok(())
}

/// How far a label may stand from the end of its curve without a leader to it.
const FAR: f64 = 30.0;

/// What a label may cover of curves, as a cost, to stand in the panel.
const CROWDED: f64 = 90.0;

/// Writes the labels of curves at their ends where there is room; returns those that stand beside
/// the panel.
pub fn write_at_ends(
    panel: &Panel,
    ends: Vec<(Label, Place)>,
    crowd: &mut Obstacles,
    page_right: f64,
) -> Result<Vec<(Label, Place)>, FigureError> {
    let mut outside = Vec::new();
    let right = panel.frame.right;
    for (label, end) in ends {
        match at_end(panel, &label.text, end, crowd, page_right) {
            // Those beside the panel keep clear of each other.
            Some(area) if area[0] < right => {
                let from = edge(area, end);
                if (from.0 - end.0).hypot(from.1 - end.1) > FAR - 5.0 {
                    let stroke = Stroke::new(label.colour, 1.2).faint(0.6);
                    panel.canvas.line(&[from, end], stroke)?;
                    crowd.add_line(from, end);
                }
                let place = (area[0], (area[1] + area[3]) / 2.0);
                let (text, style) = (&label.text, (theme::LABEL, true));
                panel
                    .canvas
                    .label(place, text, style, label.colour, Side::Right)?;
                crowd.texts.push(area);
            }
            _ => outside.push((label, end)),
        }
    }
    Ok(outside)
}

/// Where a label stands at the end of its curve: beside it if there is room, else above, below or
/// before it.
fn at_end(
    panel: &Panel,
    text: &str,
    (x, y): Place,
    crowd: &Obstacles,
    page_right: f64,
) -> Option<Area> {
    let Frame {
        left,
        top,
        right,
        bottom,
    } = panel.frame;
    if text.trim().is_empty() {
        return None;
    }
    let half = text_width(text, theme::LABEL, true) / 2.0;
    let aside = half + 14.0;
    let asides = [aside, half, 0.0, -half, -aside, half + 50.0, -half - 50.0];
    let places = asides.iter().zip(0_u32..).flat_map(|(dx, rank)| {
        let downs = [0.0, 16.0, 28.0, 44.0, 64.0, 90.0];
        let both = downs.into_iter().flat_map(|down| [down, -down]);
        both.map(move |dy| (*dx, dy, 3.0 * f64::from(rank) + 0.4 * f64::abs(dy)))
    });
    let areas = places.map(|(dx, dy, away)| {
        let (middle, height) = ((x + dx, y + dy), theme::LABEL * 0.5);
        let area = [
            middle.0 - half,
            middle.1 - height,
            middle.0 + half,
            middle.1 + height,
        ];
        let leader = (edge(area, (x, y)), (x, y));
        let [alone, led] = [None, Some(leader)].map(|leader| crowd.cost(area, leader));
        // A thin leader across a curve is better than one to the edge.
        (alone + away, 0.6 * alone + 0.4 * led + away, area)
    });
    let inside = |(alone, _, area): &(f64, f64, Area)| {
        *alone < CROWDED
            && area[0] > left + 8.0
            && area[2] < page_right
            && area[1] > top
            && area[3] < bottom - 6.0
            // A text across the edge would belong to neither side.
            && (area[2] < right || area[0] > right)
    };
    let best = areas.filter(inside).min_by(|a, b| a.1.total_cmp(&b.1));
    best.map(|(_, _, area)| area)
}

/// How wide the widest label is, with the room around it.
pub fn labels_width<'a>(canvas: &Canvas, texts: impl Iterator<Item = &'a str>) -> f64 {
    let lines = texts.flat_map(|text| lines(canvas, text));
    let widths = lines.map(|line| text_width(&line, theme::LABEL, true));
    widths.fold(0.0, f64::max) + 26.0
}

/// Rising heights near the wanted ones, between the ends, so far apart that labels of those heights
/// do not meet.
fn spread(wanted: &[f64], high: &[f64], top: f64, bottom: f64) -> Vec<f64> {
    // Where there is no room for all of them, they reach beyond both ends.
    let needed: f64 = high.iter().sum();
    let beyond = ((needed - (bottom - top)) / 2.0).max(0.0);
    let (top, bottom) = (top - beyond, bottom + beyond);
    let mut heights = wanted.to_vec();
    for _ in 0..200 {
        let mut moved = false;
        for i in 1..heights.len() {
            let apart = (high[i - 1] + high[i]) / 2.0;
            let missing = apart - (heights[i] - heights[i - 1]);
            if missing > 0.01 {
                heights[i - 1] -= missing / 2.0;
                heights[i] += missing / 2.0;
                moved = true;
            }
        }
        for height in &mut heights {
            *height = height.clamp(top, bottom.max(top));
        }
        if !moved {
            break;
        }
    }
    heights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_clear_of_each_other() {
        let high = [20.0, 40.0, 20.0];
        let heights = spread(&[50.0, 50.0, 50.0], &high, 0.0, 100.0);
        assert!(heights[1] - heights[0] > 29.9 && heights[2] - heights[1] > 29.9);
        assert_eq!(spread(&[10.0, 90.0], &high[..2], 0.0, 100.0), [10.0, 90.0]);
        let heights = spread(&[50.0, 50.0, 50.0], &high, 40.0, 60.0);
        assert!(heights[1] - heights[0] > 29.0 && heights[2] - heights[1] > 29.0);
    }
}
