//! A panel: a frame with axes that curves are drawn into.

use super::axis::{Axis, tick_label};
use super::canvas::{Canvas, Place, Side, Stroke};
use super::error::FigureError;
pub use super::frame::{Frame, side_by_side};
use super::text::{fitted, shortened, text_width, wrapped};
use super::theme;
use bvlab_core::plan::{Scale, SweepAxis};
use bvlab_experiment::Mark;

/// The width of the smallest panel that can be read.
const NARROWEST: f64 = 70.0;

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
    /// What it is drawn on.
    pub canvas: &'a Canvas<'b>,
    /// The frame.
    pub frame: Frame,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
}

/// The length of an arrow that stands for the half of a bar that has no end.
const ENDLESS: f64 = 27.0;

/// The room below a frame for the numbers and the title of its horizontal axis.
pub const BELOW: f64 = 70.0;

/// The room above a frame for the texts of its marks.
pub const MARKED: f64 = 32.0;

/// An axis's title: what it is and its symbol, or that or the name alone where it is too long.
pub fn axis_title(axis: &SweepAxis, room: f64) -> String {
    let [name, symbol, about] = [&axis.name, &axis.symbol, &axis.about].map(String::as_str);
    let long = match (about, symbol) {
        ("", _) => name.to_owned(),
        (about, "") if says(about, name) => about.to_owned(),
        (about, "") => format!("{name} ({about})"),
        (about, symbol) => format!("{about}, {symbol}"),
    };
    match text_width(&long, theme::AXIS, false) < room {
        true => long,
        false => name.to_owned(),
    }
}

/// Whether what an axis is says its name already, as in `number of trees`.
fn says(about: &str, name: &str) -> bool {
    about
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| word == name)
}

/// Whether all values of an axis are whole.
pub fn is_whole(axis: &SweepAxis) -> bool {
    axis.values.iter().all(|value| value.fract() == 0.0)
}

/// The height of a line of a panel's title.
pub const TITLE: f64 = 28.0;

/// Panels' titles, broken into as many lines as their columns ask for, three at most.
pub fn broken_titles(titles: Vec<Vec<String>>, frame: Frame, columns: usize) -> Vec<Vec<String>> {
    let columns = columns.max(1) as f64;
    // The gaps between the panels take some of the width.
    let width = (frame.right - frame.left) / columns - 44.0;
    let line = |line: &String| match text_width(line, theme::LABEL, true) <= width + 20.0 {
        true => vec![line.clone()],
        // A setting breaks before its value, if at all.
        false if line.contains(" = ") => vec![line.clone()],
        false => wrapped(line, theme::LABEL, true, width.max(60.0), 3),
    };
    let broken = |title: &Vec<String>| title.iter().flat_map(line).collect();
    titles.iter().map(broken).collect()
}

/// What is written around a panel.
#[derive(Clone, Copy, Default)]
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
    /// Names of values on the horizontal axis, in place of numbers.
    pub named: &'a [(f64, String)],
    /// Whether another panel's axis goes on at the left and at the right edge.
    pub joined: [bool; 2],
    /// Whether there are no lines behind what is drawn, and no numbers below it.
    pub plain: bool,
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
        if width < NARROWEST || bottom - top < self.canvas.page.least {
            return Err(FigureError::Room);
        }
        let numbers = (theme::AXIS, false);
        let y_ticks = y_ticks(&self.y);
        for &tick in &y_ticks {
            let y = self.y.place(tick);
            if !with.plain {
                let stroke = Stroke::new(theme::GRID, theme::GRID_LINE);
                self.canvas.line(&[(left, y), (right, y)], stroke)?;
            }
            if with.y_numbers {
                let label = tick_label(tick, &y_ticks, self.y.scale);
                self.canvas
                    .text((left - 11.0, y), &label, numbers, theme::INK, Side::Left)?;
            }
        }
        let frame = Stroke::new(theme::FRAME, theme::FRAME_LINE);
        let edge = match with.joined[0] {
            true => &[(left, bottom), (right, bottom)][..],
            false => &[(left, top), (left, bottom), (right, bottom)],
        };
        self.canvas.line(edge, frame)?;
        self.x_axis(with)?;
        if let Some(title) = with.y_title {
            let room = bottom - top + 60.0;
            // Where there is little room, what stands in brackets goes.
            let long = text_width(title, theme::AXIS, false) > 1.2 * room;
            let title = match title.split_once(" (") {
                Some((name, _)) if long => name,
                _ => title,
            };
            let (title, size) = fitted(title, theme::AXIS, false, room);
            // Above the panel there is less room than below.
            let half = text_width(&title, size, false) / 2.0;
            let middle = ((top + bottom) / 2.0).max(top - 16.0 + half);
            let place = (left - y_room(&self.y) + 24.0, middle);
            self.canvas.text_up(place, &title, size, theme::INK)?;
        }
        self.titles(with, theme::LABEL)
    }

    /// The numbers below, and what they are.
    fn x_axis(&self, with: &Surroundings) -> Result<(), FigureError> {
        let Frame {
            left,
            right,
            bottom,
            ..
        } = self.frame;
        let (width, numbers) = (right - left, (theme::AXIS, false));
        let frame = Stroke::new(theme::FRAME, theme::FRAME_LINE);
        let ticks = match with.named.is_empty() && !with.plain {
            true => self.spaced_ticks(with.x_whole, width),
            false => Vec::new(),
        };
        let share = width / with.named.len().max(1) as f64 - 10.0;
        for (value, name) in with.named {
            let x = self.x.place(*value);
            self.canvas.line(&[(x, bottom), (x, bottom + 6.0)], frame)?;
            if with.x_numbers {
                self.name(name, x, share)?;
            }
        }
        let mut taken = f64::INFINITY;
        for &tick in ticks.iter().rev() {
            let x = self.x.place(tick);
            self.canvas.line(&[(x, bottom), (x, bottom + 6.0)], frame)?;
            if !with.x_numbers {
                continue;
            }
            let label = tick_label(tick, &ticks, self.x.scale);
            // Where two axes meet, their numbers keep clear of each other.
            let half = text_width(&label, theme::AXIS, false) / 2.0 + 8.0;
            let x = match with.joined {
                [true, _] if x < left + half => left + half,
                [_, true] if x > right - half => right - half,
                _ => x,
            };
            if x + half > taken {
                continue;
            }
            taken = x - half + 8.0;
            let place = (x, bottom + 24.0);
            self.canvas
                .text(place, &label, numbers, theme::INK, Side::Middle)?;
        }
        if let Some(title) = with.x_title {
            // Where there is little room, what stands in brackets goes, or all but the symbol.
            let room = match with.joined {
                [false, false] => width + 22.0,
                _ => width - 12.0,
            };
            let long = text_width(title, theme::AXIS, false) > 1.25 * room;
            let title = match (title.split_once(" ("), title.rsplit_once(", ")) {
                (Some((name, _)), _) if long => name,
                (None, Some((_, symbol))) if long => symbol,
                _ => title,
            };
            let (title, size) = fitted(title, theme::AXIS, false, room);
            let place = ((left + right) / 2.0, bottom + 57.0);
            self.canvas
                .text(place, &title, (size, false), theme::INK, Side::Middle)?;
        }
        Ok(())
    }

    /// The name of a value on the horizontal axis: in two lines where one is too short.
    fn name(&self, name: &str, x: f64, room: f64) -> Result<(), FigureError> {
        let bottom = self.frame.bottom;
        let one = text_width(name, theme::AXIS, false) < 1.2 * room;
        let lines = match one {
            true => vec![name.to_owned()],
            false => wrapped(name, 0.78 * theme::AXIS, false, room, 2),
        };
        for (i, line) in lines.iter().enumerate() {
            let (line, size) = fitted(line, theme::AXIS, false, room);
            let (down, size) = match lines.len() {
                1 => (24.0, size),
                _ => (17.0 + 19.0 * i as f64, size.min(0.78 * theme::AXIS)),
            };
            let style = (size, false);
            self.canvas
                .text((x, bottom + down), &line, style, theme::INK, Side::Middle)?;
        }
        Ok(())
    }

    /// What stands above, in letters of that size at most.
    pub fn titles(&self, with: &Surroundings, most: f64) -> Result<(), FigureError> {
        let Frame {
            left, right, top, ..
        } = self.frame;
        let width = right - left;
        for (line, title) in with.title.iter().rev().enumerate() {
            // Where there is no room for a number's name, its value says most.
            let fits = text_width(title, theme::LABEL, true) <= 1.3 * (width + 20.0);
            let title = match title.rsplit_once("= ") {
                Some((_, value)) if !fits => value,
                _ => title,
            };
            let (title, size) = fitted(title, most, true, width + 20.0);
            let place = (
                (left + right) / 2.0,
                top - with.above - TITLE * (line as f64 + 0.75),
            );
            let style = (size, true);
            self.canvas
                .text(place, &title, style, theme::INK, Side::Middle)?;
        }
        Ok(())
    }

    /// Whether the horizontal axis reaches a value.
    pub fn spans(&self, x: f64) -> bool {
        (self.frame.left..=self.frame.right).contains(&self.x.place(x))
    }

    /// Upright lines in light grey, for curves to be drawn over.
    pub fn marks(&self, marks: &[Mark]) -> Result<(), FigureError> {
        let Frame { top, bottom, .. } = self.frame;
        for mark in marks.iter().filter(|mark| self.spans(mark.at)) {
            let x = self.x.place(mark.at);
            let stroke = Stroke::new(theme::MARK, theme::MARK_LINE);
            self.canvas.line(&[(x, top - 4.0), (x, bottom)], stroke)?;
        }
        Ok(())
    }

    /// The texts of marks above the panel, in their places but not over each other.
    pub fn mark_texts(&self, marks: &[Mark]) -> Result<(), FigureError> {
        let Frame {
            left, right, top, ..
        } = self.frame;
        let style = (theme::CAPTION, false);
        let mut taken = f64::NEG_INFINITY;
        let mut shown: Vec<&Mark> = marks.iter().filter(|mark| self.spans(mark.at)).collect();
        shown.sort_by(|a, b| a.at.total_cmp(&b.at));
        for mark in shown {
            let text = shortened(&mark.text, style.0, style.1, right - left);
            let half = text_width(&text, style.0, style.1) / 2.0;
            let middle = self.x.place(mark.at).min(right - half).max(left + half);
            let middle = middle.max(taken + half);
            taken = middle + half + 14.0;
            let place = (middle, top - 0.6 * MARKED);
            self.canvas
                .text(place, &text, style, theme::SOFT, Side::Middle)?;
        }
        Ok(())
    }

    /// Where an upright line would cover what it marks: a notch above and one below.
    pub fn notches(&self, marks: &[Mark]) -> Result<(), FigureError> {
        let Frame { top, bottom, .. } = self.frame;
        for mark in marks.iter().filter(|mark| self.spans(mark.at)) {
            let x = self.x.place(mark.at);
            for (edge, away) in [(top, -10.0), (bottom, 10.0)] {
                let corners = [(x, edge), (x - 7.0, edge + away), (x + 7.0, edge + away)];
                self.canvas.fill(&corners, theme::INK, 1.0)?;
            }
        }
        self.mark_texts(marks)
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

    /// The part of a line within the panel, by the method of Liang and Barsky.
    fn clip(&self, from: Place, to: Place) -> Option<(Place, Place)> {
        if ![from.0, from.1, to.0, to.1].iter().all(|v| v.is_finite()) {
            return None;
        }
        // A curve that lies on the axis but for rounding or chance is drawn, not cut to shreds.
        let [top, bottom] = [self.frame.top - 1.5, self.frame.bottom + 1.5];
        let [left, right] = [self.frame.left - 0.5, self.frame.right + 0.5];
        let (mut start, mut end): (f64, f64) = (0.0, 1.0);
        let (run, rise) = (to.0 - from.0, to.1 - from.1);
        let edges = [
            (-rise, from.1 - top),
            (rise, bottom - from.1),
            (-run, from.0 - left),
            (run, right - from.0),
        ];
        for (ahead, room) in edges {
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
            (
                place(from.0, to.0).clamp(left, right),
                place(from.1, to.1).clamp(top, bottom),
            )
        };
        (start <= end).then(|| (at(start), at(end)))
    }

    /// An upright bar from one value to another, cut at the panel's edges.
    pub fn bar(&self, x: f64, low: f64, high: f64, stroke: Stroke) -> Result<(), FigureError> {
        self.bar_about(self.at(x, (low + high) / 2.0), [low, high], stroke)
    }

    /// The same about a place. Where its lower end has no logarithm, an arrow stands for its lower
    /// half.
    pub fn bar_about(
        &self,
        (x, middle): Place,
        [low, high]: [f64; 2],
        stroke: Stroke,
    ) -> Result<(), FigureError> {
        let endless = self.y.scale == Scale::Log && low <= 0.0;
        let low = match endless {
            true => middle,
            false => self.y.place(low),
        };
        if let Some((from, to)) = self.clip((x, low), (x, self.y.place(high))) {
            self.canvas.line(&[from, to], stroke)?;
        }
        let end = (x, (middle + ENDLESS).min(self.frame.bottom));
        match endless && middle + ENDLESS / 2.0 < end.1 {
            true => self.canvas.arrow((x, middle), end, stroke, ENDLESS / 3.0),
            false => Ok(()),
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

    /// Whether a place lies within the panel, or so near that what is drawn there touches it.
    pub fn touches(&self, (x, y): Place) -> bool {
        let y = match (self.frame.top - 5.0..=self.frame.bottom + 5.0).contains(&y) {
            true => y.clamp(self.frame.top, self.frame.bottom),
            false => y,
        };
        self.shows((x, y))
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
