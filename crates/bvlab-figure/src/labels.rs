//! Labels beside the ends of curves.

use super::canvas::{Canvas, Side, Stroke};
use super::error::FigureError;
use super::panel::Frame;
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
pub fn write_labels(
    canvas: &Canvas,
    frame: Frame,
    mut labels: Vec<Label>,
) -> Result<(), FigureError> {
    labels.retain(|label| !label.text.trim().is_empty());
    labels.sort_by(|a, b| a.y.total_cmp(&b.y));
    let texts: Vec<Vec<String>> = labels
        .iter()
        .map(|label| lines(canvas, &label.text))
        .collect();
    let wanted: Vec<f64> = labels
        .iter()
        .map(|label| label.y.clamp(frame.top, frame.bottom))
        .collect();
    let high: Vec<f64> = texts.iter().map(|text| LINE * text.len() as f64).collect();
    let needed: f64 = high.iter().sum();
    let page = &canvas.page;
    if page.slim > 0.0 && page.least > theme::LEAST && needed > frame.bottom - frame.top + 30.0 {
        return Err(FigureError::Room);
    }
    let heights = spread(&wanted, &high, frame.top, frame.bottom);
    for ((label, text), y) in labels.iter().zip(&texts).zip(heights) {
        let ends = [
            (frame.right + 2.0, label.y.clamp(frame.top, frame.bottom)),
            (frame.right + 11.0, y),
        ];
        if (ends[0].1 - y).abs() > 3.0 {
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
