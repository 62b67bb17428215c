//! A panel: a frame with axes that curves are drawn into.

use super::axis::{Axis, tick_label};
use super::canvas::{Canvas, Place, Side, Stroke};
use super::error::FigureError;
use super::text::{shortened, text_width};
use super::theme;
use bvlab_core::plan::{Axis as Swept, Scale};
use bvlab_experiment::{Mark, Note};

/// The corners of a rectangle.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Left edge.
    pub left: f64,
    /// Upper edge.
    pub top: f64,
    /// Right edge.
    pub right: f64,
    /// Lower edge.
    pub bottom: f64,
}

impl Frame {
    /// Cuts the frame in two, one above the other, with a gap between them.
    pub fn rows(&self, share: f64, gap: f64) -> [Frame; 2] {
        let middle = self.top + (self.bottom - self.top) * share;
        [
            Frame {
                bottom: middle - gap / 2.0,
                ..*self
            },
            Frame {
                top: middle + gap / 2.0,
                ..*self
            },
        ]
    }

    /// Cuts the frame into rows with a gap between them.
    pub fn stack(&self, count: usize, gap: f64) -> Vec<Frame> {
        let row = |(top, bottom)| Frame {
            top,
            bottom,
            ..*self
        };
        cut_evenly(self.top, self.bottom, count, gap)
            .map(row)
            .collect()
    }

    /// Cuts the frame into columns with a gap between them.
    pub fn columns(&self, count: usize, gap: f64) -> Vec<Frame> {
        let column = |(left, right)| Frame {
            left,
            right,
            ..*self
        };
        cut_evenly(self.left, self.right, count, gap)
            .map(column)
            .collect()
    }
}

/// Equal pieces of a length, with a gap between them: where each begins and ends.
fn cut_evenly(from: f64, to: f64, count: usize, gap: f64) -> impl Iterator<Item = (f64, f64)> {
    let size = (to - from - gap * (count - 1) as f64) / count as f64;
    (0..count).map(move |i| {
        let start = from + i as f64 * (size + gap);
        (start, start + size)
    })
}

/// The smallest panel that can be read, its width and height.
const SMALLEST: (f64, f64) = (70.0, 44.0);

/// The numbers on a vertical axis: about one in 58 units, but two at least.
fn y_ticks(y: &Axis) -> Vec<f64> {
    let (bottom, top) = y.ends();
    let wanted = ((bottom - top) / 58.0) as usize;
    let mut ticks = y.ticks(wanted, false);
    for more in 1..6 {
        if ticks.len() >= 2 {
            break;
        }
        ticks = y.ticks(wanted + more, false);
    }
    ticks
}

/// The room that a vertical axis needs on its left, for its numbers and its title.
pub fn y_room(y: &Axis) -> f64 {
    let ticks = y_ticks(y);
    let widths = ticks
        .iter()
        .map(|tick| text_width(&tick_label(*tick, &ticks, y.scale), theme::AXIS, false));
    widths.fold(0.0, f64::max) + 58.0
}

/// A frame with its axes.
pub struct Panel<'a, 'b> {
    canvas: &'a Canvas<'b>,
    /// The frame.
    pub frame: Frame,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
}

/// The room below a frame for the numbers and the title of its horizontal axis.
pub const BELOW: f64 = 64.0;

/// An axis's title: its name and what it is, or the name alone where that is too long.
pub fn axis_title(axis: &Swept, room: f64) -> String {
    let long = format!("{} ({})", axis.name, axis.about);
    match text_width(&long, theme::AXIS, false) < room {
        true => long,
        false => axis.name.clone(),
    }
}

/// Whether all values of an axis are whole.
pub fn is_whole(axis: &Swept) -> bool {
    axis.values.iter().all(|value| value.fract() == 0.0)
}

/// The height of a line of a panel's title.
pub const TITLE: f64 = 28.0;

/// What is written around a panel.
pub struct Surroundings<'a> {
    /// Above it, line by line.
    pub title: &'a [String],
    /// The room between the frame and the title.
    pub above: f64,
    /// Below it.
    pub x_title: Option<&'a str>,
    /// Beside it.
    pub y_title: Option<&'a str>,
    /// Whether the vertical axis has numbers.
    pub y_numbers: bool,
    /// Whether the horizontal axis has numbers.
    pub x_numbers: bool,
    /// Whether the horizontal axis counts.
    pub x_whole: bool,
}

impl<'a, 'b> Panel<'a, 'b> {
    /// A panel.
    pub fn new(canvas: &'a Canvas<'b>, frame: Frame, x: Axis, y: Axis) -> Self {
        Panel {
            canvas,
            frame,
            x,
            y,
        }
    }

    /// The place of a pair of values.
    pub fn at(&self, x: f64, y: f64) -> Place {
        (self.x.place(x), self.y.place(y))
    }

    /// Draws the frame, the grid, the numbers and the titles.
    pub fn surround(&self, with: &Surroundings) -> Result<(), FigureError> {
        let Frame {
            left,
            top,
            right,
            bottom,
        } = self.frame;
        let width = right - left;
        if width < SMALLEST.0 || bottom - top < SMALLEST.1 {
            return Err(FigureError::Room);
        }
        let numbers = (theme::AXIS, false);
        let y_ticks = y_ticks(&self.y);
        for &tick in &y_ticks {
            let y = self.y.place(tick);
            self.canvas.line(
                &[(left, y), (right, y)],
                Stroke::new(theme::GRID, theme::GRID_LINE),
            )?;
            if with.y_numbers {
                let label = tick_label(tick, &y_ticks, self.y.scale);
                self.canvas
                    .text((left - 11.0, y), &label, numbers, theme::INK, Side::Left)?;
            }
        }
        let frame = Stroke::new(theme::FRAME, theme::FRAME_LINE);
        self.canvas
            .line(&[(left, top), (left, bottom), (right, bottom)], frame)?;
        let x_ticks = self.spaced_ticks(with.x_whole, width);
        for &tick in &x_ticks {
            let x = self.x.place(tick);
            self.canvas.line(&[(x, bottom), (x, bottom + 6.0)], frame)?;
            if with.x_numbers {
                let label = tick_label(tick, &x_ticks, self.x.scale);
                self.canvas.text(
                    (x, bottom + 23.0),
                    &label,
                    numbers,
                    theme::INK,
                    Side::Middle,
                )?;
            }
        }
        if let Some(title) = with.x_title {
            // What stands in brackets is the first to go.
            let fits = text_width(title, theme::AXIS, false) <= width + 60.0;
            let title = match title.split_once(" (") {
                Some((name, _)) if !fits => name,
                _ => title,
            };
            let title = shortened(title, theme::AXIS, false, width + 60.0);
            let place = ((left + right) / 2.0, bottom + 54.0);
            self.canvas
                .text(place, &title, numbers, theme::INK, Side::Middle)?;
        }
        if let Some(title) = with.y_title {
            let place = (left - y_room(&self.y) + 24.0, (top + bottom) / 2.0);
            self.canvas.text_up(place, title, theme::AXIS, theme::INK)?;
        }
        for (line, title) in with.title.iter().rev().enumerate() {
            // Where there is no room for a number's name, its value says most.
            let fits = text_width(title, theme::LABEL, true) <= width + 20.0;
            let title = match title.rsplit_once("= ") {
                Some((_, value)) if !fits => value,
                _ => title,
            };
            let title = shortened(title, theme::LABEL, true, width + 20.0);
            let place = (
                (left + right) / 2.0,
                top - with.above - TITLE * (line as f64 + 0.75),
            );
            let style = (theme::LABEL, true);
            self.canvas
                .text(place, &title, style, theme::INK, Side::Middle)?;
        }
        Ok(())
    }

    /// Whether the horizontal axis reaches a value.
    pub fn spans(&self, x: f64) -> bool {
        (self.frame.left..=self.frame.right).contains(&self.x.place(x))
    }

    /// An upright line over a picture, with a text at its upper end on the side that has room; both
    /// can be seen on any colour.
    pub fn mark(&self, mark: &Mark) -> Result<(), FigureError> {
        let Frame {
            left,
            top,
            right,
            bottom,
        } = self.frame;
        if !self.spans(mark.at) {
            return Ok(());
        }
        let x = self.x.place(mark.at);
        let light = (255, 255, 255);
        self.canvas.line(
            &[(x, top), (x, bottom)],
            Stroke::new(theme::INK, 3.0).faint(0.5),
        )?;
        self.canvas
            .line(&[(x, top), (x, bottom)], Stroke::new(light, 1.6).dashed())?;
        if mark.text.is_empty() {
            return Ok(());
        }
        let (room_left, room_right) = (x - left - 22.0, right - x - 22.0);
        let width = text_width(&mark.text, theme::CAPTION, false);
        let on_the_right = width <= room_right || room_right >= room_left;
        let room = if on_the_right { room_right } else { room_left };
        let text = shortened(&mark.text, theme::CAPTION, false, room);
        let width = text_width(&text, theme::CAPTION, false);
        let start = if on_the_right {
            x + 10.0
        } else {
            x - 10.0 - width
        };
        let (above, below) = (top + 4.0, top + 30.0);
        let box_left = start - 6.0;
        let box_right = start + width + 6.0;
        let corners = [
            (box_left, above),
            (box_right, above),
            (box_right, below),
            (box_left, below),
        ];
        self.canvas.fill(&corners, theme::INK, 0.6)?;
        let style = (theme::CAPTION, false);
        let place = (start, (above + below) / 2.0);
        self.canvas.text(place, &text, style, light, Side::Right)
    }

    /// A text with an arrow to a place.
    pub fn note(&self, note: &Note) -> Result<(), FigureError> {
        let style = (theme::CAPTION, false);
        let text = self.at(note.at.0, note.at.1);
        let half = text_width(&note.text, style.0, style.1) / 2.0;
        if let Some(to) = note.to {
            let to = self.at(to.0, to.1);
            // From the edge of the text that is nearest to the arrow's end.
            let from = (
                to.0.clamp(text.0 - half, text.0 + half),
                match to.1 < text.1 {
                    true => text.1 - 13.0,
                    false => text.1 + 13.0,
                },
            );
            let stroke = Stroke::new(theme::INK, 2.0);
            let length = (to.0 - from.0).hypot(to.1 - from.1);
            if length > 1.0 && self.shows(to) {
                self.canvas.line(&[from, to], stroke)?;
                let along = ((to.0 - from.0) / length, (to.1 - from.1) / length);
                let tip = |side: f64| {
                    let back = (to.0 - 13.0 * along.0, to.1 - 13.0 * along.1);
                    (back.0 - side * 5.5 * along.1, back.1 + side * 5.5 * along.0)
                };
                self.canvas
                    .fill(&[to, tip(1.0), tip(-1.0)], theme::INK, 1.0)?;
            }
        }
        match self.shows(text) {
            true => self
                .canvas
                .text(text, &note.text, style, theme::INK, Side::Middle),
            false => Ok(()),
        }
    }

    /// As many numbers as fit side by side.
    fn spaced_ticks(&self, whole: bool, width: f64) -> Vec<f64> {
        for wanted in (2..=((width / 45.0) as usize).clamp(2, 16)).rev() {
            let ticks = self.x.ticks(wanted, whole);
            let labels: Vec<(f64, f64)> = ticks
                .iter()
                .map(|tick| {
                    let label = tick_label(*tick, &ticks, self.x.scale);
                    (self.x.place(*tick), text_width(&label, theme::AXIS, false))
                })
                .collect();
            let clear =
                |pair: &[(f64, f64)]| pair[1].0 - pair[0].0 > (pair[0].1 + pair[1].1) / 2.0 + 16.0;
            if labels.windows(2).all(clear) {
                return ticks;
            }
        }
        self.x.ticks(2, whole)
    }

    /// A curve, cut where it leaves the panel.
    pub fn curve(&self, xs: &[f64], ys: &[f64], stroke: Stroke) -> Result<(), FigureError> {
        // What has no logarithm, and what is infinite, leaves a gap.
        let gap = |y: f64| !y.is_finite() || (self.y.scale == Scale::Log && y <= 0.0);
        let place = |(x, y): (&f64, &f64)| match gap(*y) {
            true => (self.x.place(*x), f64::NAN),
            false => self.at(*x, *y),
        };
        let places: Vec<Place> = xs.iter().zip(ys).map(place).collect();
        let mut piece: Vec<Place> = Vec::new();
        for pair in places.windows(2) {
            match self.clip(pair[0], pair[1]) {
                Some((from, to)) => {
                    if piece.last() != Some(&from) {
                        self.canvas.line(&piece, stroke)?;
                        piece = vec![from];
                    }
                    piece.push(to);
                }
                None => {
                    self.canvas.line(&piece, stroke)?;
                    piece.clear();
                }
            }
        }
        self.canvas.line(&piece, stroke)
    }

    /// The part of a line between the panel's upper and lower edge.
    fn clip(&self, from: Place, to: Place) -> Option<(Place, Place)> {
        if !(from.1.is_finite() && to.1.is_finite()) {
            return None;
        }
        // A curve that lies on the axis but for rounding or chance is drawn, not cut to shreds.
        let [top, bottom] = [self.frame.top - 2.5, self.frame.bottom + 2.5];
        let (mut start, mut end): (f64, f64) = (0.0, 1.0);
        let rise = to.1 - from.1;
        for (edge, sign) in [(top, -1.0), (bottom, 1.0)] {
            let (ahead, room) = (sign * rise, sign * (edge - from.1));
            if ahead == 0.0 {
                if room < 0.0 {
                    return None;
                }
            } else if ahead > 0.0 {
                end = end.min(room / ahead);
            } else {
                start = start.max(room / ahead);
            }
        }
        let at = |share: f64| {
            let place = |a: f64, b: f64| match share {
                0.0 => a,
                1.0 => b,
                _ => a + (b - a) * share,
            };
            // Far outside, rounding would miss the edge.
            (place(from.0, to.0), place(from.1, to.1).clamp(top, bottom))
        };
        (start <= end).then(|| (at(start), at(end)))
    }

    /// An upright bar from one value to another, cut at the panel's edges.
    pub fn bar(&self, x: f64, low: f64, high: f64, stroke: Stroke) -> Result<(), FigureError> {
        match self.clip(self.at(x, low), self.at(x, high)) {
            Some((from, to)) => self.canvas.line(&[from, to], stroke),
            None => Ok(()),
        }
    }

    /// A band between two curves, cut at the panel's edges.
    pub fn band(
        &self,
        xs: &[f64],
        low: &[f64],
        high: &[f64],
        colour: theme::Colour,
        alpha: f64,
    ) -> Result<(), FigureError> {
        // What has no logarithm lies far below; so does what is no number.
        let floor = self.frame.bottom + 1e4;
        let place = |(x, y): (&f64, &f64)| {
            let y = self.y.place(*y);
            let y = if y.is_nan() {
                floor
            } else {
                y.clamp(-1e5, 1e5)
            };
            (self.x.place(*x), y)
        };
        let mut shape: Vec<Place> = xs.iter().zip(high).map(place).collect();
        shape.extend(xs.iter().zip(low).map(place).rev());
        let shape = cut(&shape, self.frame.top, 1.0);
        let shape = cut(&shape, self.frame.bottom, -1.0);
        match shape.len() {
            0..=2 => Ok(()),
            _ => self.canvas.fill(&shape, colour, alpha),
        }
    }

    /// Dots where a curve lies within the panel.
    pub fn dots(
        &self,
        xs: &[f64],
        ys: &[f64],
        radius: f64,
        colour: theme::Colour,
        alpha: f64,
    ) -> Result<(), FigureError> {
        for (x, y) in xs.iter().zip(ys) {
            let place = self.at(*x, *y);
            if self.shows(place) {
                self.canvas.dot(place, radius, colour, alpha)?;
            }
        }
        Ok(())
    }

    /// Whether a place lies within the panel.
    pub fn shows(&self, (x, y): Place) -> bool {
        let Frame {
            left,
            top,
            right,
            bottom,
        } = self.frame;
        (left - 0.5..=right + 0.5).contains(&x) && (top - 0.5..=bottom + 0.5).contains(&y)
    }
}

/// The part of a shape below a height (`side` 1) or above it (`side` -1), by the method of
/// Sutherland and Hodgman.
fn cut(shape: &[Place], height: f64, side: f64) -> Vec<Place> {
    let inside = |place: Place| side * (place.1 - height) >= 0.0;
    let mut kept = Vec::new();
    for (i, &to) in shape.iter().enumerate() {
        let from = shape[(i + shape.len() - 1) % shape.len()];
        if inside(from) != inside(to) {
            let share = (height - from.1) / (to.1 - from.1);
            kept.push((from.0 + (to.0 - from.0) * share, height));
        }
        if inside(to) {
            kept.push(to);
        }
    }
    kept
}

/// A longer label is cut.
const LONGEST_LABEL: f64 = 300.0;

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

/// Writes labels to the right of a frame, each as near to its curve's end as the others allow.
pub fn write_labels(
    canvas: &Canvas,
    frame: Frame,
    mut labels: Vec<Label>,
) -> Result<(), FigureError> {
    labels.sort_by(|a, b| a.y.total_cmp(&b.y));
    let line = theme::LABEL * 1.16;
    let wanted: Vec<f64> = labels
        .iter()
        .map(|label| label.y.clamp(frame.top, frame.bottom))
        .collect();
    let heights = spread(&wanted, line, frame.top, frame.bottom);
    for (label, y) in labels.iter().zip(heights) {
        let place = (frame.right + 14.0, y);
        let ends = [
            (frame.right + 2.0, label.y.clamp(frame.top, frame.bottom)),
            (frame.right + 11.0, y),
        ];
        if (ends[0].1 - y).abs() > 3.0 {
            canvas.line(&ends, Stroke::new(label.colour, 1.2).faint(0.6))?;
        }
        let text = shortened(&label.text, theme::LABEL, true, LONGEST_LABEL);
        canvas.label(place, &text, (theme::LABEL, true), label.colour)?;
    }
    Ok(())
}

/// How wide the widest label is, with the room around it.
pub fn labels_width<'a>(texts: impl Iterator<Item = &'a str>) -> f64 {
    let widths = texts.map(|text| text_width(text, theme::LABEL, true));
    widths.fold(0.0, f64::max).min(LONGEST_LABEL) + 26.0
}

/// Rising heights at least `line` apart, between the ends, near the wanted ones.
fn spread(wanted: &[f64], line: f64, top: f64, bottom: f64) -> Vec<f64> {
    let mut heights = wanted.to_vec();
    for _ in 0..200 {
        let mut moved = false;
        for i in 1..heights.len() {
            let missing = line - (heights[i] - heights[i - 1]);
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
