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
        height(&known, at).map(|y| (at, y))
    }
}

/// How high a curve runs at a place of the horizontal axis; `None` beyond its ends.
fn height(known: &[Place], at: f64) -> Option<f64> {
    if let Some(exact) = known.iter().find(|place| (place.0 - at).abs() < 1e-6) {
        return Some(exact.1);
    }
    let between = known
        .windows(2)
        .find(|pair| (pair[0].0..=pair[1].0).contains(&at))?;
    let share = (at - between[0].0) / (between[1].0 - between[0].0);
    Some(between[0].1 + share * (between[1].1 - between[0].1))
}

/// The corners of a text: left, top, right, bottom.
pub type Area = [f64; 4];

/// A line that texts keep clear of, as points that stand close together.
struct SoftLine {
    points: Vec<Place>,
    /// How much it matters, compared with a curve.
    weight: f64,
    /// What a leader across it costs, apart from how long it runs there.
    across: f64,
}

impl SoftLine {
    /// What a leader costs where it meets the line. Its end touches its own curve.
    fn crossed(&self, (from, to): (Place, Place)) -> f64 {
        let run = (to.0 - from.0, to.1 - from.1);
        let length = run.0.hypot(run.1).max(1.0);
        let touches = |(x, y): &Place| (x - to.0).hypot(y - to.1) < 4.0;
        let own = self.points.iter().any(touches);
        let end = length - if own { 12.0 } else { 4.0 };
        let near = |(x, y): &&Place| {
            let along = ((x - from.0) * run.0 + (y - from.1) * run.1) / length;
            let away = ((x - from.0) * run.1 - (y - from.1) * run.0) / length;
            (0.0..end).contains(&along) && away.abs() < 4.0
        };
        match self.points.iter().filter(near).count() {
            0 => 0.0,
            met => self.weight * (7.0 * met as f64 + self.across),
        }
    }
}

/// What a leader across a curve costs.
const ACROSS: f64 = 70.0;

/// What texts keep clear of.
pub struct Obstacles {
    lines: Vec<SoftLine>,
    /// The lower and upper edges of shaded areas.
    shaded: Vec<[Vec<Place>; 2]>,
    /// The areas of texts that are written.
    pub texts: Vec<Area>,
}

impl Obstacles {
    /// The curves of a panel.
    pub fn of(panel: &Panel, curves: &[NoteCurve]) -> Self {
        let mut crowd = Obstacles {
            lines: Vec::new(),
            shaded: Vec::new(),
            texts: Vec::new(),
        };
        for curve in curves {
            // What has no name only fills an area.
            let across = if curve.names.is_empty() { 0.0 } else { ACROSS };
            crowd.add(panel, (curve.xs, &curve.ys), 1.0, across);
        }
        crowd
    }

    /// A further curve, which matters less.
    pub fn add_faint(&mut self, panel: &Panel, xs: &[f64], ys: &[f64], weight: f64) {
        self.add(panel, (xs, ys), weight, 0.0);
    }

    /// A shaded area: a text may lie in it or beside it, rather than on its edge.
    pub fn add_band(&mut self, panel: &Panel, xs: &[f64], low: &[f64], high: &[f64]) {
        let edge = |ys: &[f64]| xs.iter().zip(ys).map(|(x, y)| panel.at(*x, *y)).collect();
        self.shaded.push([edge(low), edge(high)]);
        for ys in [low, high] {
            self.add_faint(panel, xs, ys, 0.25);
        }
    }

    /// An upright line.
    pub fn add_mark(&mut self, panel: &Panel, x: f64) {
        let x = panel.x.place(x);
        let Frame { top, bottom, .. } = panel.frame;
        self.push(stepped((x, top), (x, bottom)), 0.5, 20.0);
    }

    fn add(&mut self, panel: &Panel, (xs, ys): (&[f64], &[f64]), weight: f64, across: f64) {
        let places: Vec<Place> = xs.iter().zip(ys).map(|(x, y)| panel.at(*x, *y)).collect();
        let pairs = places.windows(2);
        let mut points: Vec<Place> = pairs.flat_map(|pair| stepped(pair[0], pair[1])).collect();
        points.retain(|place| panel.shows(*place));
        self.push(points, weight, across);
    }

    fn push(&mut self, points: Vec<Place>, weight: f64, across: f64) {
        self.lines.push(SoftLine {
            points,
            weight,
            across,
        });
    }

    /// A line that later texts keep clear of.
    pub fn add_line(&mut self, from: Place, to: Place) {
        self.push(stepped(from, to), 1.0, ACROSS);
    }

    /// How much a text would cover, and its leader cross.
    pub fn cost(&self, area: Area, leader: Option<(Place, Place)>) -> f64 {
        let crossed = |ends| self.lines.iter().map(|line| line.crossed(ends)).sum();
        self.covered(area, 0.0) + leader.map_or(0.0, crossed)
    }

    /// How much a text would cover of texts, and of lines of at least some weight.
    fn covered(&self, area: Area, least: f64) -> f64 {
        let [left, top, right, bottom] = area;
        let within = |(x, y): &Place, margin: f64| {
            (left - margin..=right + margin).contains(x)
                && (top - margin..=bottom + margin).contains(y)
        };
        // What lies under a text is worse than what is near it.
        let cover = |place: &Place| match within(place, 7.0) {
            true if within(place, 3.0) => 1.5,
            true => 1.0,
            false => 0.0,
        };
        let lines = self.lines.iter().filter(|line| line.weight >= least);
        let covered = lines.map(|line| line.weight * line.points.iter().map(cover).sum::<f64>());
        let covered: f64 = covered.sum();
        let meets = |other: &&Area| {
            left < other[2] + 8.0
                && right > other[0] - 8.0
                && top < other[3] + 6.0
                && bottom > other[1] - 6.0
        };
        let met = self.texts.iter().filter(meets).count() as f64;
        10.0 * covered + 400.0 * met
    }

    /// Whether a text lies in a shaded area, but for its ends at most.
    fn shades(&self, [left, top, right, bottom]: Area) -> bool {
        let within = |[low, high]: &[Vec<Place>; 2], x: f64| {
            let edges = height(low, x).zip(height(high, x));
            edges.is_some_and(|(one, other)| one.min(other) < top && one.max(other) > bottom)
        };
        let mut areas = self.shaded.iter();
        areas.any(|area| {
            let mut across = [left + 10.0, (left + right) / 2.0, right - 10.0].into_iter();
            across.all(|x| within(area, x))
        })
    }
}

/// Points that stand close together from one place to another; none for what lies too far apart.
fn stepped(from: Place, to: Place) -> Vec<Place> {
    let length = (to.0 - from.0).hypot(to.1 - from.1);
    if !length.is_finite() || length > 5000.0 {
        return Vec::new();
    }
    let steps = (length / 5.0).ceil().max(1.0) as u32;
    let along = |a: f64, b: f64, step: u32| a + f64::from(step) / f64::from(steps) * (b - a);
    let place = |step: u32| (along(from.0, to.0, step), along(from.1, to.1, step));
    (0..=steps).map(place).collect()
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
        crowd.push(stepped(one, other), 0.5, ACROSS);
    }
    let (too_much, at_most) = match small {
        true => (CROWDED, 2.0 * CROWDED),
        false => (TOO_MUCH, ON_IT),
    };
    let found = target.and_then(|target| free(panel, target, bracket, size, crowd));
    let area = match (note.at, found) {
        (Some((x, y)), found) => {
            let area = within(panel, panel.at(x, y), size);
            let area = bracket.map_or(area, |ends| beside(panel, area, ends));
            // A text that would lie on curves, or point across them, stands elsewhere, where there
            // is a better place.
            let leader = target.filter(|_| bracket.is_none());
            let leader = leader.map(|target| (edge(area, target), target));
            let cost = crowd.cost(area, leader);
            let found = found.filter(|(other, _)| other + BUSY < cost);
            let (cost, area) = found.unwrap_or((cost, area));
            if small && (cost > at_most || crowd.covered(area, 1.0) > CROWDED) {
                return Ok(false);
            }
            area
        }
        (None, Some((cost, area))) if cost < at_most && crowd.covered(area, 1.0) < too_much => area,
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
    if !crowd.shades(area) {
        let around = [left - 4.0, top - 1.0, right + 4.0, bottom + 1.0];
        panel.canvas.clear(around, 0.75)?;
    }
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
const TOO_MUCH: f64 = 300.0;

/// The same on a small page.
const CROWDED: f64 = 75.0;

/// How much more than elsewhere a text may cover at the place that is asked for.
const BUSY: f64 = 50.0;

/// What it costs that a text lies on its own target, of which it then says nothing.
const ON_IT: f64 = 1000.0;

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
        let on_it = if leads && apart < 14.0 { ON_IT } else { 0.0 };
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
pub fn edge([left, top, right, bottom]: Area, (x, y): Place) -> Place {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leader_pays_for_what_it_crosses_but_not_for_its_own_curve() {
        let line = |y: f64| SoftLine {
            points: stepped((0.0, y), (100.0, y)),
            weight: 1.0,
            across: ACROSS,
        };
        let leader = ((50.0, 0.0), (50.0, 60.0));
        assert_eq!(line(60.0).crossed(leader), 0.0);
        assert!(line(52.0).crossed(leader) > ACROSS);
        assert!(line(30.0).crossed(leader) > ACROSS);
        assert_eq!(line(80.0).crossed(leader), 0.0);
    }
}
