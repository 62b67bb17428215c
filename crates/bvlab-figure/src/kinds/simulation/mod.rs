//! The panels of a simulation, side by side: what was seen with its intervals, theory through it.

mod bars;
mod cells;
mod content;
mod ends;
mod scatter;

use std::borrow::Cow;

use crate::axis::{Axis, room};
use crate::canvas::{Canvas, Stroke};
use crate::error::FigureError;
use crate::labels::{labels_width, write_labels};
use crate::notes::{NoteCurve, Obstacles, write_among, write_notes};
use crate::panel::{self, Frame, Surroundings, TITLE, broken_titles, y_room};
use crate::picture::{FigureData, Picture, course, sentence};
use crate::theme::{self, Page};
use bars::{draw_bars, draw_pairs};
use bvlab_core::plan::Scale;
use bvlab_core::simulation::{PanelStyle, SimulationDescription};
use bvlab_core::words::thousands;
use bvlab_experiment::SimulationFigure;
use bvlab_outcome::Tables;
use cells::{draw_cells, draw_steps};
use content::{SimulationContent, SimulationCurve, arrange, contents, is_contour};
use ends::{at_peaks, beside, name_peaks, names, with_headroom, write_early};
use scatter::{described, divided, draw_scatters, is_scatter, said as scatter_said, ungrouped};

/// The room between two panels.
const GAP: f64 = 34.0;

/// On a page of this width four panels stand in two rows.
const WIDE: f64 = 600.0;

/// The least width of a panel of points that has notes.
const LEAST_NOTED: f64 = 340.0;

/// Panels that would be narrower stand one above the other.
const NARROWEST: f64 = 110.0;

impl Picture for SimulationFigure {
    fn caption(&self, data: &FigureData) -> Result<String, FigureError> {
        let simulation = simulated(data)?;
        let contents = contents(simulation, self, data.tables)?;
        let all = |which: &dyn Fn(&SimulationContent) -> bool| contents.iter().all(which);
        let exact = |content: &SimulationContent| {
            matches!(content.panel.look, PanelStyle::Curves | PanelStyle::Steps)
                && content.curves.iter().all(SimulationCurve::is_exact)
        };
        if all(&exact) {
            return Ok(String::new());
        }
        let count = thousands(simulation.resamples);
        // Points without groups are a resample each, the others are the data of one.
        let one = simulation.resamples > 1 && all(&is_scatter);
        let shown = contents.iter().map(ungrouped).max().unwrap_or(0);
        let of = match (one, shown) {
            (false, _) => String::new(),
            (true, 0) => "one of ".to_owned(),
            (true, points) => format!("{} of ", thousands(points as u64)),
        };
        Ok(format!("{of}{count} {}", simulation.drawn))
    }

    fn footer(&self, data: &FigureData) -> Result<Vec<String>, FigureError> {
        let simulation = simulated(data)?;
        let contents = contents(simulation, self, data.tables)?;
        let any = |which: &dyn Fn(&PanelStyle) -> bool| {
            let mut looks = contents.iter().map(|content| &content.panel.look);
            looks.any(which)
        };
        let mut said = Vec::new();
        let bars = any(&|look| matches!(look, PanelStyle::Bars { .. }));
        let dots = contents.iter().any(|content| {
            let curves = content.panel.look == PanelStyle::Curves;
            let dotted = |curve: &SimulationCurve| !curve.is_exact() && !curve.is_constant();
            curves && content.curves.iter().any(dotted)
        });
        let exact = contents.iter().any(|content| {
            let curves = content.panel.look == PanelStyle::Curves;
            curves && content.curves.iter().any(SimulationCurve::follows_theory)
        });
        match (bars, dots) {
            (true, true) => {
                said.push("bars, and dots without bars: simulated, with 95 % intervals".to_owned());
                said.push(format!("dots on bars, and lines: {}", simulation.theory));
            }
            (true, false) => {
                said.push("bars: simulated, with 95 % intervals".to_owned());
                said.push(format!("dots: {}", simulation.theory));
            }
            (false, true) => said.push("dots: simulated, with 95 % intervals".to_owned()),
            (false, false) => {}
        }
        if contents.iter().any(SimulationContent::has_band) {
            said.push("band: 95 % interval".to_owned());
        }
        if exact && !bars {
            said.push(format!("lines through open dots: {}", simulation.theory));
        }
        said.extend(dashed(&contents));
        if self.y_scale == Some(Scale::Log) && has_zero(&contents) {
            said.push("0 is off the axis".to_owned());
        }
        if any(&|look| *look == PanelStyle::Cells) {
            said.push("white: always wrong, dark: always right".to_owned());
        }
        if any(&|look| *look == PanelStyle::Steps) {
            said.push("dots: steps, from the ring on".to_owned());
        }
        if contents.iter().any(|content| content.pairs.is_some()) {
            said.push("grey: no more than chance".to_owned());
        }
        said.extend(scatter_said(&contents));
        Ok(said)
    }

    fn draw(&self, canvas: &Canvas, frame: Frame, data: &FigureData) -> Result<(), FigureError> {
        draw(canvas, frame, simulated(data)?, self, data.tables)
    }

    fn describe(&self, data: &FigureData) -> Result<Vec<String>, FigureError> {
        let panel = |content: &SimulationContent| {
            let said: Vec<String> = match &content.pairs {
                _ if is_scatter(content) => described(content),
                Some(pairs) => {
                    let kinds = pairs.kinds.iter();
                    let mean = |mean: f64| format!("{mean:.2}").replace('-', "−");
                    kinds
                        .map(|kind| format!("{}, mean {}", kind.name, mean(kind.mean)))
                        .collect()
                }
                None => {
                    let curves = content.curves.iter();
                    let axis = axis_name(&content.panel.x);
                    let course = |c: &SimulationCurve| course(&c.label, axis, &c.xs, &c.values);
                    curves.filter_map(course).collect()
                }
            };
            sentence(std::slice::from_ref(&content.panel.title), &said)
        };
        let contents = contents(simulated(data)?, self, data.tables)?;
        Ok(contents.iter().map(panel).collect())
    }
}

/// What the dashed lines are.
fn dashed(contents: &[SimulationContent]) -> Vec<String> {
    let curves = contents.iter().filter(|content| {
        let look = &content.panel.look;
        *look == PanelStyle::Curves
    });
    let curves = curves.flat_map(|content| &content.curves);
    let mut said = Vec::new();
    for curve in curves.filter(|curve| curve.is_dashed()) {
        let words = match curve.addition().unwrap_or("bound") {
            words if words.starts_with("in ") => format!("dashed: {words}"),
            name => format!("dashed: the {name}"),
        };
        if !said.contains(&words) {
            said.push(words);
        }
    }
    said
}

/// The symbol of an axis, or its name: `N` of `number of points, N`.
fn axis_name(title: &str) -> &str {
    title.rsplit_once(", ").map_or(title, |(_, symbol)| symbol)
}

/// Whether theory is zero somewhere, which a log axis does not show.
fn has_zero(contents: &[SimulationContent]) -> bool {
    let curves = contents.iter().flat_map(|content| &content.curves);
    let mut theory = curves.flat_map(|curve| &curve.theory);
    theory.any(|value| *value == 0.0)
}

/// The simulation that the figure needs.
fn simulated<'a>(data: &FigureData<'a>) -> Result<&'a SimulationDescription, FigureError> {
    let simulation = data.description.simulation();
    simulation.ok_or_else(|| FigureError::Missing("a simulation".to_owned()))
}

fn draw(
    canvas: &Canvas,
    frame: Frame,
    simulation: &SimulationDescription,
    options: &SimulationFigure,
    tables: &Tables,
) -> Result<(), FigureError> {
    let mut contents = contents(simulation, options, tables)?;
    let mut noted = vec![false; options.notes.len()];
    let (above, frame) = divided(&canvas.page, &contents, frame);
    let scatters = draw_scatters(canvas, above, &contents)?;
    for (place, panel) in scatters {
        let names: Vec<&str> = contents[place].names.iter().map(String::as_str).collect();
        // In a small panel they would lie on the points.
        if panel.frame.right - panel.frame.left > LEAST_NOTED {
            write_notes(&panel, &names, &options.notes, &[], &mut noted)?;
        }
    }
    let several = contents.len() > 1;
    contents.retain(|content| !is_scatter(content));
    if contents.is_empty() {
        return Ok(());
    }
    arrange(&mut contents, options);
    let rooms: Vec<(f64, f64)> = contents
        .iter()
        .map(|content| {
            let left = match content.shared {
                true => 0.0,
                false => y_room(&y_axis(content, frame)),
            };
            let names = names(content);
            let right = match names.is_empty() {
                true => 0.0,
                false => labels_width(canvas, names.iter().map(|name| name.text.as_str())),
            };
            (left, right)
        })
        .collect();
    let frames = places(&canvas.page, &mut contents, frame, &rooms, several)?;
    for (content, (place, title)) in contents.iter().zip(&frames) {
        let y = y_axis(content, *place);
        let panel = draw_panel(canvas, *place, (content, title), y, options)?;
        let curves: Vec<NoteCurve> = content.curves.iter().map(note_curve).collect();
        let called: Vec<&str> = content.names.iter().map(String::as_str).collect();
        let mut crowd = Obstacles::of(&panel, &curves);
        let among = (&mut crowd, &mut noted[..]);
        write_among(&panel, &called, &options.notes, &curves, among)?;
        let others = write_early(&panel, names(content), &mut crowd)?;
        write_labels(canvas, *place, beside(&panel, &others))?;
    }
    Ok(())
}

/// Where the panels stand, and what is written above each. Rooms are what they need on their left
/// and right.
fn places(
    page: &Page,
    contents: &mut [SimulationContent],
    mut frame: Frame,
    rooms: &[(f64, f64)],
    several: bool,
) -> Result<Vec<(Frame, Vec<String>)>, FigureError> {
    let count = contents.len();
    if count > 3 && page.slim == 0.0 && frame.right - frame.left > WIDE {
        // Two rows of panels.
        let (first, second) = contents.split_at_mut(count.div_ceil(2));
        let (own, others) = rooms.split_at(first.len());
        let [above, below] = frame.stack(2, panel::BELOW + 20.0)[..] else {
            return Ok(Vec::new());
        };
        let mut both = places(page, first, above, own, several)?;
        both.extend(places(page, second, below, others, several)?);
        return Ok(both);
    }
    let taken: f64 = rooms.iter().map(|(left, right)| left + right).sum();
    let gaps = GAP * (count as f64 - 1.0);
    let width = (frame.right - frame.left - taken - gaps) / count as f64;
    // A single panel is named by the heading.
    let titles = contents.iter().map(|content| match several {
        false => Vec::new(),
        true => vec![content.panel.title.clone()],
    });
    let titles: Vec<Vec<String>> = titles.collect();
    if width < page.slim.max(NARROWEST) && count > 1 {
        // On a narrow page, one above the other.
        if page.slim > 0.0 && !page.is_tall() {
            return Err(FigureError::Room);
        }
        for content in contents.iter_mut() {
            content.shared = false;
            content.labelled = content.has_names();
        }
        let left = contents
            .iter()
            .map(|content| y_room(&y_axis(content, frame)));
        let left = left.fold(0.0, f64::max);
        let right = rooms.iter().map(|(_, right)| *right).fold(0.0, f64::max);
        frame.top += TITLE;
        let inner = Frame {
            left: frame.left + left,
            right: frame.right - right,
            ..frame
        };
        let rows = inner.stack(count, panel::BELOW + TITLE + 16.0).into_iter();
        return Ok(rows.zip(titles).collect());
    }
    let inner = Frame {
        right: frame.left + width * count as f64 + gaps,
        ..frame
    };
    let titles = broken_titles(titles, inner, count);
    let lines = titles.iter().map(Vec::len).max().unwrap_or(1);
    frame.top += TITLE * lines as f64;
    let mut left = frame.left;
    let mut places = Vec::new();
    for ((before, after), title) in rooms.iter().zip(titles) {
        left += before;
        let place = Frame {
            left,
            right: left + width,
            ..frame
        };
        left += width + after + GAP;
        places.push((place, title));
    }
    Ok(places)
}

/// The vertical axis of a panel.
fn y_axis(content: &SimulationContent, frame: Frame) -> Axis {
    let scale = content.panel.y_scale;
    let range = with_headroom(content, frame);
    Axis::new(scale, range, (frame.bottom, frame.top))
}

fn note_curve(curve: &SimulationCurve) -> NoteCurve<'_> {
    NoteCurve {
        names: vec![&curve.name, &curve.label],
        xs: &curve.xs,
        ys: Cow::Borrowed(&curve.values),
    }
}

/// The names of values in an axis's title that is nothing but a list of them, as in `1 spherical,
/// 2 diagonal`; empty for another title.
fn value_names(title: &str) -> Vec<(f64, String)> {
    let one = |piece: &str| {
        let (value, name) = piece.split_once(' ')?;
        Some((value.parse().ok()?, name.to_owned()))
    };
    let names: Option<Vec<(f64, String)>> = title.split(", ").map(one).collect();
    names.filter(|names| names.len() > 1).unwrap_or_default()
}

/// The values of x that a panel reaches to.
fn breadth(content: &SimulationContent) -> (f64, f64) {
    if let Some(pairs) = &content.pairs {
        return pairs.range();
    }
    let shown = content.curves.iter();
    let shown = shown.filter(|curve| !is_contour(&curve.name));
    let xs = shown.flat_map(|curve| &curve.xs).copied();
    match content.panel.look {
        // Bars that nobody can see need no room.
        PanelStyle::Bars { .. } => {
            let seen = content.curves.iter().flat_map(|curve| {
                let bars = curve.xs.iter().zip(&curve.values).zip(&curve.theory);
                bars.filter(|((_, value), theory)| value.max(**theory) > 5e-4)
                    .map(|((x, _), _)| *x)
            });
            let (low, high) = seen.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
                (low.min(x), high.max(x))
            });
            match low <= high {
                true => (low - 0.7, high + 0.7),
                false => (-0.7, 0.7),
            }
        }
        PanelStyle::Cells => {
            let (low, high) = room(xs, Scale::Linear, 0.0);
            (low - 0.5, high + 0.5)
        }
        // Names need more room than numbers.
        _ if !value_names(&content.panel.x).is_empty() => room(xs, content.panel.x_scale, 0.12),
        _ => room(xs, content.panel.x_scale, 0.03),
    }
}

fn draw_panel<'a, 'b>(
    canvas: &'a Canvas<'b>,
    frame: Frame,
    (content, title): (&SimulationContent, &[String]),
    y: Axis,
    options: &SimulationFigure,
) -> Result<panel::Panel<'a, 'b>, FigureError> {
    let SimulationContent { panel: spec, .. } = content;
    let x = Axis::new(spec.x_scale, breadth(content), (frame.left, frame.right));
    let panel = panel::Panel::new(canvas, frame, x, y);
    let whole = |curve: &SimulationCurve| curve.xs.iter().all(|x| x.fract() == 0.0);
    let (x_title, y_title) = match &content.pairs {
        Some(_) => ("correlation of their errors", "number of pairs"),
        None => (spec.x.as_str(), spec.y.as_str()),
    };
    let cells = spec.look == PanelStyle::Cells;
    let named = value_names(x_title);
    panel.surround(&Surroundings {
        title,
        named: &named,
        x_title: Some(x_title).filter(|_| named.is_empty()),
        y_title: (!content.shared && !cells).then_some(y_title),
        y_numbers: !content.shared && !cells,
        x_numbers: true,
        x_whole: content.pairs.is_none() && content.curves.iter().all(whole),
        plain: cells,
        ..Surroundings::default()
    })?;
    for (level, text) in &spec.levels {
        let y = panel.y.place(*level);
        let colour = theme::meant(text).unwrap_or(theme::MARK);
        canvas.line(
            &[(frame.left, y), (frame.right, y)],
            Stroke::new(colour, 2.0),
        )?;
    }
    if let Some(pairs) = &content.pairs {
        draw_pairs(canvas, &panel, pairs)?;
        return Ok(panel);
    }
    if cells {
        draw_cells(&panel, &content.curves)?;
    }
    shade(&panel, content, options)?;
    for curve in &content.curves {
        match &spec.look {
            PanelStyle::Curves => draw_curve(&panel, curve)?,
            PanelStyle::Lines => {
                panel.curve(&curve.xs, &curve.values, Stroke::new(curve.colour, 3.4))?
            }
            PanelStyle::Bars { from, text } => draw_bars(canvas, &panel, curve, *from, text)?,
            PanelStyle::Steps => draw_steps(&panel, curve)?,
            PanelStyle::Correlations { .. } | PanelStyle::Cells | PanelStyle::Scatter => {}
        }
    }
    if content.labelled && at_peaks(content) {
        name_peaks(&panel, content)?;
    }
    Ok(panel)
}

/// The gap between two series.
fn shade(
    panel: &panel::Panel,
    content: &SimulationContent,
    options: &SimulationFigure,
) -> Result<(), FigureError> {
    let Some((one, other)) = &options.shade else {
        return Ok(());
    };
    let of = |name: &String| content.curves.iter().find(|curve| curve.name == *name);
    match (of(one), of(other)) {
        (Some(one), Some(other)) => panel.band(
            &one.xs,
            &one.values,
            &other.values,
            theme::LEARNERS[0],
            theme::GAP_ALPHA,
        ),
        _ => Ok(()),
    }
}

/// Dots with intervals: open ones on the line of theory, or full ones on a line of their own.
fn draw_curve(panel: &panel::Panel, curve: &SimulationCurve) -> Result<(), FigureError> {
    if curve.is_exact() {
        return match (curve.xs.as_slice(), curve.is_dashed()) {
            ([x], _) => panel.dots(&[*x], &curve.values, 6.0, curve.colour, 1.0),
            (_, true) => {
                let stroke = Stroke::new(curve.colour, theme::EXACT).dashed();
                panel.curve(&curve.xs, &curve.values, stroke)
            }
            (_, false) => panel.curve(&curve.xs, &curve.values, Stroke::new(curve.colour, 2.8)),
        };
    }
    let exact = curve.follows_theory();
    if curve.is_constant() {
        // Dots would say that something happens along x.
        let (low, high) = (&curve.low, &curve.high);
        panel.band(&curve.xs, low, high, curve.colour, theme::BAND_ALPHA)?;
        return panel.curve(&curve.xs, &curve.values, Stroke::new(curve.colour, 2.8));
    }
    match exact {
        true => {
            let stroke = Stroke::new(curve.colour, theme::EXACT);
            panel.curve(&curve.xs, &curve.theory, stroke)?;
        }
        false => {
            let stroke = Stroke::new(curve.colour, 2.8);
            panel.curve(&curve.xs, &curve.values, stroke)?;
        }
    }
    for i in 0..curve.xs.len().min(curve.values.len()) {
        let (x, value) = (curve.xs[i], curve.values[i]);
        let place = panel.at(x, value);
        // Chance around a zero that a log axis does not show is not shown either.
        let off = panel.y.scale == Scale::Log && curve.theory.get(i) == Some(&0.0);
        if off || !panel.touches(place) {
            continue;
        }
        let stroke = Stroke::new(curve.colour, 2.2);
        panel.bar_about(place, [curve.low[i], curve.high[i]], stroke.faint(0.75))?;
        match exact {
            true => panel.canvas.open_dot(place, 4.8, stroke)?,
            false => panel.canvas.dot(place, 5.0, curve.colour, 1.0)?,
        }
    }
    Ok(())
}
