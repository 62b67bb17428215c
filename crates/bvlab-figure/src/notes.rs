//! Notes in a panel: a short text where there is room, with a leader or a bracket.

use std::borrow::Cow;

use super::canvas::{Place, Side, Stroke};
use super::error::FigureError;
use super::panel::{Frame, Panel};
use super::text::{balanced, text_width};
use super::theme;
use bvlab_experiment::{Anchor, Note};

/// A longer text is broken into lines.
const LONGEST: f64 = 260.0;
/// The height of a line.
const LINE: f64 = theme::CAPTION * 1.18;
/// How far a text may lie from what it points at.
const REACHES: [f64; 6] = [26.0, 40.0, 58.0, 80.0, 110.0, 150.0];
/// In how many directions a place is looked for.
const DIRECTIONS: u32 = 24;

/// A curve that notes can point at, and that their texts keep clear of.
pub struct NoteCurve<'a> {
    /// What notes may call it.
    pub names: Vec<&'a str>,
    /// Its values.
    pub xs: &'a [f64],
    /// Its values.
    pub ys: Cow<'a, [f64]>,
}

impl NoteCurve<'_> {
    /// The value at x, along straight lines in the panel's own scales; `None` beyond its ends.
    fn place(&self, panel: &Panel, x: f64) -> Option<Place> {
        let at = panel.x.place(x);
        let known = self.xs.iter().zip(&*self.ys);
        let known = known.map(|(x, y)| panel.at(*x, *y));
        let known: Vec<Place> = known
            .filter(|(x, y)| x.is_finite() && y.is_finite())
            .collect();
        if let Some(exact) = known.iter().find(|place| (place.0 - at).abs() < 1e-6) {
            return Some(*exact);
        }
        let between = known
            .windows(2)
            .find(|pair| (pair[0].0..=pair[1].0).contains(&at))?;
        let share = (at - between[0].0) / (between[1].0 - between[0].0);
        Some((at, between[0].1 + share * (between[1].1 - between[0].1)))
    }
}

/// The corners of a text: left, top, right, bottom.
pub type Area = [f64; 4];

/// What texts keep clear of.
pub struct Obstacles {
    points: Vec<Place>,
    /// The areas of texts that are written.
    pub texts: Vec<Area>,
}

impl Obstacles {
    /// Curves as points that stand close together.
    pub fn of(panel: &Panel, curves: &[NoteCurve]) -> Self {
        let mut crowd = Obstacles {
            points: Vec::new(),
            texts: Vec::new(),
        };
        for curve in curves {
            let places = curve.xs.iter().zip(&*curve.ys);
            let places: Vec<Place> = places.map(|(x, y)| panel.at(*x, *y)).collect();
            for pair in places.windows(2) {
                crowd.add_line(pair[0], pair[1]);
            }
        }
        crowd.points.retain(|place| panel.shows(*place));
        crowd
    }

    /// A line that later texts keep clear of.
    pub fn add_line(&mut self, from: Place, to: Place) {
        let length = (to.0 - from.0).hypot(to.1 - from.1);
        if !length.is_finite() || length > 5000.0 {
            return;
        }
        let steps = (length / 5.0).ceil().max(1.0) as u32;
        self.points.extend((0..=steps).map(|step| {
            let share = f64::from(step) / f64::from(steps);
            let along = |a: f64, b: f64| a + share * (b - a);
            (along(from.0, to.0), along(from.1, to.1))
        }));
    }

    /// How much a text would cover.
    pub fn cost(&self, area: Area, leader: Option<(Place, Place)>) -> f64 {
        let [left, top, right, bottom] = area;
        let margin = 7.0;
        let covers = |(x, y): &&Place| {
            (left - margin..=right + margin).contains(x)
                && (top - margin..=bottom + margin).contains(y)
        };
        let covered = self.points.iter().filter(covers).count() as f64;
        let meets = |other: &&Area| {
            left < other[2] + 8.0
                && right > other[0] - 8.0
                && top < other[3] + 6.0
                && bottom > other[1] - 6.0
        };
        let met = self.texts.iter().filter(meets).count() as f64;
        // What a leader crosses on its way; its end touches its own curve.
        let crossed = leader.map_or(0, |(from, to)| {
            let near = |(x, y): &&Place| {
                let length = (to.0 - from.0).hypot(to.1 - from.1).max(1.0);
                let along =
                    ((x - from.0) * (to.0 - from.0) + (y - from.1) * (to.1 - from.1)) / length;
                let away =
                    ((x - from.0) * (to.1 - from.1) - (y - from.1) * (to.0 - from.0)) / length;
                (0.0..length - 12.0).contains(&along) && away.abs() < 4.0
            };
            self.points.iter().filter(near).count()
        });
        10.0 * covered + 400.0 * met + 7.0 * crossed as f64
    }
}

/// Draws the notes of a panel. A note is drawn in the first panel that has its place; those that
/// this one drew are marked.
pub fn write_notes(
    panel: &Panel,
    called: &[&str],
    notes: &[Note],
    curves: &[NoteCurve],
    drawn: &mut [bool],
) -> Result<(), FigureError> {
    write_among(
        panel,
        called,
        notes,
        curves,
        (&mut Obstacles::of(panel, curves), drawn),
    )
}

/// The same among texts that are written, to which it adds its own.
pub fn write_among(
    panel: &Panel,
    called: &[&str],
    notes: &[Note],
    curves: &[NoteCurve],
    (crowd, drawn): (&mut Obstacles, &mut [bool]),
) -> Result<(), FigureError> {
    // On a small page a note goes where it would be in the way; names of what is drawn stay.
    let small = panel.canvas.page.slim > 0.0 && !called.is_empty();
    for (note, drawn) in notes.iter().zip(drawn) {
        let here = match &note.panel {
            Some(name) => called.contains(&name.as_str()),
            None => !*drawn,
        };
        if here && write(panel, note, curves, crowd, small)? {
            *drawn = true;
        }
    }
    Ok(())
}

/// Draws one note, if the panel has its place.
fn write(
    panel: &Panel,
    note: &Note,
    curves: &[NoteCurve],
    crowd: &mut Obstacles,
    small: bool,
) -> Result<bool, FigureError> {
    let on = |name: &str, x: f64| {
        let mut named = curves.iter().filter(|curve| curve.names.contains(&name));
        named.find_map(|curve| curve.place(panel, x))
    };
    let (target, bracket) = match &note.anchor {
        Anchor::None => (None, None),
        Anchor::Place(x, y) => (Some(panel.at(*x, *y)), None),
        Anchor::Curve(x, name) => match on(name, *x) {
            Some(place) => (Some(place), None),
            None => return Ok(false),
        },
        Anchor::Gap(x, one, other) => match (on(one, *x), on(other, *x)) {
            (Some(one), Some(other)) => {
                let middle = (one.0, (one.1 + other.1) / 2.0);
                (Some(middle), Some([one, other]))
            }
            _ => return Ok(false),
        },
    };
    if target.is_some_and(|place| !panel.shows(place)) {
        return Ok(false);
    }
    let width = panel.frame.right - panel.frame.left - 2.0 * MARGIN;
    let lines = balanced(&note.text, theme::CAPTION, false, LONGEST.min(width), 3);
    let size = size(&lines);
    // A bracket is as much in the way as a curve.
    if let Some([one, other]) = bracket {
        let along = |step: u32| {
            let share = f64::from(step) / 20.0;
            (one.0, one.1 + share * (other.1 - one.1))
        };
        crowd.points.extend((0..=20).map(along));
    }
    let too_much = if small { CROWDED } else { TOO_MUCH };
    let found = target.and_then(|target| free(panel, target, bracket, size, crowd));
    let area = match (note.at, found) {
        (Some((x, y)), found) => {
            let area = within(panel, panel.at(x, y), size);
            let area = bracket.map_or(area, |ends| beside(panel, area, ends));
            // A text that would lie on curves stands elsewhere, where there is a better place.
            let cost = crowd.cost(area, None);
            let (cost, area) = match found.filter(|(other, _)| other + BUSY < cost) {
                Some(found) => found,
                None => (cost, area),
            };
            if small && cost > too_much {
                return Ok(false);
            }
            area
        }
        (None, Some((cost, area))) if cost < too_much => area,
        (None, _) => return Ok(false),
    };
    let [left, top, right, bottom] = area;
    if !panel.shows(((left + right) / 2.0, (top + bottom) / 2.0)) {
        return Ok(false);
    }
    if let Some(ends) = bracket {
        draw_bracket(panel, ends)?;
    } else if let Some(target) = target {
        draw_leader(panel, area, target)?;
        crowd.add_line(edge(area, target), target);
    }
    panel
        .canvas
        .clear([left - 4.0, top - 1.0, right + 4.0, bottom + 1.0], 0.75)?;
    for (i, line) in lines.iter().enumerate() {
        let place = ((left + right) / 2.0, top + LINE * (i as f64 + 0.5));
        let style = (theme::CAPTION, false);
        panel
            .canvas
            .text(place, line, style, theme::INK, Side::Middle)?;
    }
    crowd.texts.push(area);
    Ok(true)
}

/// The width and height of some lines.
fn size(lines: &[String]) -> (f64, f64) {
    let widths = lines
        .iter()
        .map(|line| text_width(line, theme::CAPTION, false));
    (widths.fold(0.0, f64::max), LINE * lines.len() as f64)
}

fn centred((x, y): Place, (width, height): (f64, f64)) -> Area {
    [
        x - width / 2.0,
        y - height / 2.0,
        x + width / 2.0,
        y + height / 2.0,
    ]
}

/// The room between a text and the edges of its panel, so that it does not cover the axes.
const MARGIN: f64 = 10.0;

/// The area of a text about a place, moved into the panel as far as that is large enough.
fn within(panel: &Panel, (x, y): Place, size: (f64, f64)) -> Area {
    let Frame {
        left,
        top,
        right,
        bottom,
    } = panel.frame;
    let keep = |at: f64, half: f64, from: f64, to: f64, margin: f64| {
        at.min(to - half - 4.0).max(from + half + margin)
    };
    let x = keep(x, size.0 / 2.0, left, right, MARGIN);
    // Upwards from the axis below.
    let y = -keep(-y, size.1 / 2.0, -bottom, -top, MARGIN - 4.0);
    centred((x, y), size)
}

/// Whether a text lies on a bracket.
fn meets([left, top, right, bottom]: Area, [one, other]: [Place; 2]) -> bool {
    let (high, low) = (one.1.min(other.1), one.1.max(other.1));
    (left - ARM..=right + ARM).contains(&one.0) && top < low + 4.0 && bottom > high - 4.0
}

/// The same area, moved to a side of a bracket that it lies on, to the nearer one that has room.
fn beside(panel: &Panel, area: Area, ends: [Place; 2]) -> Area {
    if !meets(area, ends) {
        return area;
    }
    let [left, top, right, bottom] = area;
    let moves = [ends[0].0 + ARM + 6.0 - left, ends[0].0 - ARM - 6.0 - right];
    let fits = |by: &f64| left + by >= panel.frame.left && right + by <= panel.frame.right;
    let moves = moves.into_iter().filter(fits);
    let by = moves.min_by(|a, b| a.abs().total_cmp(&b.abs()));
    let by = by.unwrap_or(0.0);
    [left + by, top, right + by, bottom]
}

/// A text that would cover more than that is left out.
const TOO_MUCH: f64 = 220.0;

/// The same on a small page.
const CROWDED: f64 = 58.0;

/// How much more than elsewhere a text may cover at the place that is asked for.
const BUSY: f64 = 24.0;

/// A place near the target where the text covers as little as possible, and how much that is.
fn free(
    panel: &Panel,
    target: Place,
    bracket: Option<[Place; 2]>,
    size: (f64, f64),
    crowd: &Obstacles,
) -> Option<(f64, Area)> {
    let mut best: Option<(f64, Area)> = None;
    let mut consider = |middle: Place, reach: f64, leads: bool| {
        let area = within(panel, middle, size);
        let leader = leads.then(|| (edge(area, target), target));
        let apart = leader.map_or(0.0, |(from, to)| (to.0 - from.0).hypot(to.1 - from.1));
        // A text on its own target says nothing.
        let on_it = if leads && apart < 14.0 { 300.0 } else { 0.0 };
        let on_it = match bracket {
            Some(ends) if meets(area, ends) => 150.0,
            _ => on_it,
        };
        let cost = crowd.cost(area, leader) + on_it + 0.35 * reach;
        if best.is_none_or(|(least, _)| cost < least) {
            best = Some((cost, area));
        }
    };
    match bracket {
        // Beside the bracket.
        Some(_) => {
            for side in [1.0, -1.0] {
                for away in [16.0, 26.0, 40.0, 70.0] {
                    for down in [0.0, -20.0, 20.0, -44.0, 44.0, -70.0, 70.0] {
                        let x = target.0 + side * (away + size.0 / 2.0);
                        consider((x, target.1 + down), away + f64::abs(down), false);
                    }
                }
            }
        }
        None => {
            for reach in REACHES {
                for turn in 0..DIRECTIONS {
                    let angle = f64::from(turn) * std::f64::consts::TAU / f64::from(DIRECTIONS);
                    let (along, up) = (angle.cos(), angle.sin());
                    let x = target.0 + along * (reach + size.0 / 2.0);
                    let y = target.1 - up * (reach + size.1 / 2.0);
                    consider((x, y), reach, true);
                }
            }
        }
    }
    best
}

/// The point on the edge of a text that is nearest to a target.
fn edge([left, top, right, bottom]: Area, (x, y): Place) -> Place {
    let margin = 5.0;
    (
        x.clamp(left - margin, right + margin),
        y.clamp(top - margin / 2.0, bottom + margin / 2.0),
    )
}

fn draw_leader(panel: &Panel, area: Area, target: Place) -> Result<(), FigureError> {
    let from = edge(area, target);
    let length = (target.0 - from.0).hypot(target.1 - from.1);
    if length < 12.0 {
        return Ok(());
    }
    // It stops short of the curve.
    let stop = 1.0 - 5.0 / length;
    let to = (
        from.0 + stop * (target.0 - from.0),
        from.1 + stop * (target.1 - from.1),
    );
    let stroke = Stroke::new(theme::INK, 1.7);
    panel.canvas.arrow(from, to, stroke, 10.0)
}

/// Half the length of a bracket's ends.
const ARM: f64 = 7.0;

fn draw_bracket(panel: &Panel, [one, other]: [Place; 2]) -> Result<(), FigureError> {
    let stroke = Stroke::new(theme::INK, 2.0);
    for end in [one, other] {
        let ends = [(end.0 - ARM, end.1), (end.0 + ARM, end.1)];
        panel.canvas.line(&ends, stroke)?;
    }
    panel.canvas.line(&[one, other], stroke)
}
