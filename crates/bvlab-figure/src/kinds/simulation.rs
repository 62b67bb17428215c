//! The panels of a simulation, side by side: what was seen with its intervals, theory through it.

use super::heatmap::{self, Colours};
use crate::axis::{Axis, room};
use crate::canvas::{Canvas, Side, Stroke};
use crate::error::FigureError;
use crate::panel::{self, Frame, Label, Surroundings, TITLE, labels_width, write_labels, y_room};
use crate::picture::{FigureData, Picture, course, sentence};
use crate::text::text_width;
use crate::theme;
use bvlab_core::decompose::interval_factor;
use bvlab_core::plan::Scale;
use bvlab_core::simulation::SimulationDescription;
use bvlab_core::simulation::{Look, Panel, dependent_from};
use bvlab_core::words::percent;
use bvlab_core::words::thousands;
use bvlab_experiment::SimulationFigure;
use bvlab_outcome::{Tables, columns};

/// The room between two panels.
const GAP: f64 = 34.0;

/// How far the cells of a square reach under those beside them.
const SEAM: f64 = 0.6;

/// One series of a panel.
struct Curve {
    name: String,
    colour: theme::Colour,
    xs: Vec<f64>,
    values: Vec<f64>,
    /// Half of a 95 % interval.
    reach: Vec<f64>,
    theory: Vec<f64>,
}

impl Curve {
    fn ends(&self, sign: f64) -> Vec<f64> {
        let pairs = self.values.iter().zip(&self.reach);
        pairs.map(|(value, reach)| value + sign * reach).collect()
    }

    fn has_theory(&self) -> bool {
        self.theory.iter().any(|value| value.is_finite())
    }
}

/// A panel and what it shows.
struct Content {
    panel: Panel,
    curves: Vec<Curve>,
    /// The range of its vertical axis.
    range: (f64, f64),
    /// Whether its vertical axis is that of the panel on its left.
    shared: bool,
    /// Whether its curves have labels.
    labelled: bool,
    /// Of correlations, how they are coloured.
    matrix: Option<Matrix>,
}

/// How a square of correlations is drawn.
struct Matrix {
    colours: Colours,
    /// Smaller ones are no more than chance.
    dependent_from: f64,
    /// What the halves above and below the diagonal are, and their means.
    lines: [String; 2],
}

impl Matrix {
    /// That of the curves, each a row of the square.
    fn of(look: &Look, curves: &[Curve], resamples: u64) -> Option<Self> {
        let Look::Correlations { above, below } = look else {
            return None;
        };
        let values: Vec<f64> = curves.iter().flat_map(|c| c.values.clone()).collect();
        let dependent_from = dependent_from(&values, resamples as f64);
        let dependent = |value: &f64| value.abs() >= dependent_from;
        let shown = || values.iter().copied().filter(dependent);
        let line = |side: &str, name: &str, is_above: bool| {
            let cells =
                cells(curves).filter(|(x, y, value)| (x < y) == is_above && value.is_finite());
            let (sum, count) =
                cells.fold((0.0, 0.0), |(sum, count), cell| (sum + cell.2, count + 1.0));
            let mean = format!("{:.2}", sum / f64::max(count, 1.0)).replace('-', "−");
            format!("{side}: {name}, mean {mean}")
        };
        Some(Matrix {
            colours: Colours::spanning(
                Scale::Linear,
                shown().fold(0.0, f64::min),
                shown().fold(0.0, f64::max),
            ),
            dependent_from,
            lines: [line("above", above, true), line("below", below, false)],
        })
    }
}

/// The cells of a square: column, row and value. A curve is a row, from below.
fn cells(curves: &[Curve]) -> impl Iterator<Item = (f64, f64, f64)> {
    curves.iter().enumerate().flat_map(|(row, curve)| {
        let places = curve.xs.iter().zip(&curve.values);
        places.map(move |(x, value)| (*x, (row + 1) as f64, *value))
    })
}

/// What was drawn how often, and what is theory.
fn caption(simulation: &SimulationDescription) -> String {
    let bars = |panel: &Panel| matches!(panel.look, Look::Bars { .. });
    let seen = match simulation.panels.iter().any(bars) {
        true => "bars and dots: simulated, with 95 % intervals",
        false => "dots: simulated, with 95 % intervals",
    };
    let correlations = |panel: &Panel| matches!(panel.look, Look::Correlations { .. });
    let grey = match simulation.panels.iter().any(correlations) {
        true => "; grey: no more than chance",
        false => "",
    };
    format!(
        "{} {}; {seen}; dashed: {}{grey}",
        thousands(simulation.resamples),
        simulation.drawn,
        simulation.theory
    )
}

impl Picture for SimulationFigure {
    fn caption(&self, data: &FigureData) -> Result<String, FigureError> {
        simulated(data).map(caption)
    }

    fn draw(&self, canvas: &Canvas, frame: Frame, data: &FigureData) -> Result<(), FigureError> {
        draw(canvas, frame, simulated(data)?, self, data.tables)
    }

    fn describe(&self, data: &FigureData) -> Result<Vec<String>, FigureError> {
        let panel = |content: &Content| {
            let said = match &content.matrix {
                Some(matrix) => matrix.lines.to_vec(),
                None => {
                    let curves = content.curves.iter();
                    let course = |c: &Curve| course(&c.name, &content.panel.x, &c.xs, &c.values);
                    curves.filter_map(course).collect()
                }
            };
            sentence(std::slice::from_ref(&content.panel.title), &said)
        };
        let contents = contents(simulated(data)?, self, data.tables)?;
        Ok(contents.iter().map(panel).collect())
    }
}

/// The simulation that the figure needs.
fn simulated<'a>(data: &FigureData<'a>) -> Result<&'a SimulationDescription, FigureError> {
    let simulation = data.description.simulation();
    simulation.ok_or_else(|| FigureError::Missing("a simulation".to_owned()))
}

fn draw(
    canvas: &Canvas,
    mut frame: Frame,
    simulation: &SimulationDescription,
    options: &SimulationFigure,
    tables: &Tables,
) -> Result<(), FigureError> {
    let mut contents = contents(simulation, options, tables)?;
    arrange(&mut contents);
    let lines = contents.iter().map(|content| titles(content).len());
    frame.top += TITLE * lines.max().unwrap_or(1) as f64;
    let y_axis = |content: &Content| {
        let scale = content.panel.y_scale;
        Axis::new(scale, content.range, (frame.bottom, frame.top))
    };
    let rooms: Vec<(f64, f64)> = contents
        .iter()
        .map(|content| {
            let left = if content.shared {
                0.0
            } else {
                y_room(&y_axis(content))
            };
            let labels = labels(content);
            let right = match (&content.matrix, labels.is_empty()) {
                (Some(matrix), _) => matrix.colours.room(),
                (None, true) => 0.0,
                (None, false) => labels_width(labels.iter().map(|(text, ..)| text.as_str())),
            };
            (left, right)
        })
        .collect();
    let taken: f64 = rooms.iter().map(|(left, right)| left + right).sum();
    let count = contents.len() as f64;
    let width = (frame.right - frame.left - taken - GAP * (count - 1.0)) / count;
    let mut left = frame.left;
    for (content, (before, after)) in contents.iter().zip(rooms) {
        left += before;
        let place = Frame {
            left,
            right: left + width,
            ..frame
        };
        draw_panel(canvas, place, content, y_axis(content))?;
        left += width + after + GAP;
    }
    Ok(())
}

/// The panels that are drawn, with their rows of the table.
fn contents(
    simulation: &SimulationDescription,
    options: &SimulationFigure,
    tables: &Tables,
) -> Result<Vec<Content>, FigureError> {
    let panels = &simulation.panels;
    let factor = interval_factor(0.95, simulation.resamples as usize);
    let table = &tables.simulation;
    let [in_panel, in_series] = [columns::PANEL, columns::SERIES].map(|name| table.texts(name));
    let get = |name: &str, rows: &[usize]| -> Vec<f64> {
        let column = table.numbers(name);
        rows.iter().map(|row| column[*row]).collect()
    };
    let mut known: Vec<String> = Vec::new();
    let mut contents = Vec::new();
    for name in &options.panels {
        let missing = || FigureError::Missing(format!("the panel `{name}`"));
        let panel = panels.iter().find(|panel| panel.name == *name);
        let panel = panel.ok_or_else(missing)?.clone();
        let rows = (0..table.rows()).filter(|row| *in_panel[*row] == **name);
        let mut series: Vec<(String, Vec<usize>)> = Vec::new();
        for row in rows {
            match series.last_mut() {
                Some((last, rows)) if *last == *in_series[row] => rows.push(row),
                _ => series.push((in_series[row].to_string(), vec![row])),
            }
        }
        if series.is_empty() {
            return Err(missing());
        }
        let square = matches!(panel.look, Look::Correlations { .. });
        let curves = series.into_iter().map(|(name, rows)| {
            let index = known.iter().position(|known| *known == name);
            // The rows of a square have no colours of their own.
            let index = if square { Some(0) } else { index };
            let index = index.unwrap_or_else(|| {
                known.push(name.clone());
                known.len() - 1
            });
            Curve {
                name,
                colour: theme::LEARNERS[index % theme::LEARNERS.len()],
                xs: get(columns::X, &rows),
                values: get(columns::VALUE, &rows),
                reach: get(columns::SE, &rows)
                    .iter()
                    .map(|se| factor * se)
                    .collect(),
                theory: get(columns::THEORY, &rows),
            }
        });
        let curves: Vec<Curve> = curves.collect();
        contents.push(Content {
            range: heights(&panel, &curves),
            matrix: Matrix::of(&panel.look, &curves, simulation.resamples),
            panel,
            curves,
            shared: false,
            labelled: false,
        });
    }
    Ok(contents)
}

/// Neighbouring panels of bars share their vertical axis. Curves have labels where there are
/// several, once where panels have the same ones.
fn arrange(contents: &mut [Content]) {
    let is_bars = |content: &Content| matches!(content.panel.look, Look::Bars { .. });
    let bars = contents.iter().filter(|content| is_bars(content));
    let highest = bars.map(|content| content.range.1).fold(0.0, f64::max);
    let names = |content: &Content| -> Vec<String> {
        content
            .curves
            .iter()
            .map(|curve| curve.name.clone())
            .collect()
    };
    let all: Vec<Vec<String>> = contents.iter().map(names).collect();
    for i in 0..contents.len() {
        let several = all[i].len() > 1 && contents[i].matrix.is_none();
        contents[i].labelled = several && all.get(i + 1) != Some(&all[i]);
        if is_bars(&contents[i]) {
            contents[i].range = (0.0, highest);
            contents[i].shared = i > 0 && is_bars(&contents[i - 1]);
        }
    }
}

/// What is written above a panel, line by line.
fn titles(content: &Content) -> Vec<String> {
    let halves = content
        .matrix
        .iter()
        .flat_map(|matrix| matrix.lines.clone());
    std::iter::once(content.panel.title.clone())
        .chain(halves)
        .collect()
}

/// What is written on the right of a panel: text, colour and the value that it belongs to.
fn labels(content: &Content) -> Vec<(String, theme::Colour, f64)> {
    let curves = content.curves.iter().filter(|_| content.labelled);
    let curves = curves.map(|curve| {
        let end = curve.values.last().copied().unwrap_or(f64::NAN);
        (curve.name.clone(), curve.colour, end)
    });
    let levels = content.panel.levels.iter();
    let levels = levels.map(|(value, text)| (text.clone(), theme::SOFT, *value));
    curves.chain(levels).collect()
}

/// The range of the vertical axis.
fn heights(panel: &Panel, curves: &[Curve]) -> (f64, f64) {
    let known = curves.iter().flat_map(|curve| curve.theory.iter().copied());
    let levels = panel.levels.iter().map(|(value, _)| *value);
    let seen = curves.iter().flat_map(|curve| match panel.y_scale {
        // The lower end of an interval may have no logarithm.
        Scale::Log => curve.values.clone(),
        Scale::Linear => [curve.ends(-1.0), curve.ends(1.0)].concat(),
    });
    let values = known.chain(levels).chain(seen).filter(|v| v.is_finite());
    match (&panel.look, panel.y_scale) {
        (Look::Correlations { .. }, _) => (0.5, curves.len() as f64 + 0.5),
        (_, Scale::Log) => {
            let (low, high) = room(values.filter(|value| *value > 0.0), Scale::Log, 0.05);
            if low > 0.0 { (low, high) } else { (0.1, 1.0) }
        }
        // Above the bars there is a line of text.
        (Look::Bars { .. }, Scale::Linear) => {
            let most = values.fold(0.0, f64::max);
            (0.0, 1.2 * if most > 0.0 { most } else { 1.0 })
        }
        (Look::Curves | Look::Lines, Scale::Linear) => {
            let values: Vec<f64> = values.collect();
            let (low, high) = room(values.iter().copied(), Scale::Linear, 0.06);
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            let from_zero = least >= 0.0 && least < 0.5 * high;
            (if from_zero { 0.0 } else { low }, high)
        }
    }
}

/// The values of x that a panel reaches to.
fn breadth(content: &Content) -> (f64, f64) {
    let xs = content.curves.iter().flat_map(|curve| &curve.xs).copied();
    match content.panel.look {
        Look::Correlations { .. } => content.range,
        Look::Curves | Look::Lines => room(xs, content.panel.x_scale, 0.03),
        // Bars that nobody can see need no room.
        Look::Bars { .. } => {
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
    }
}

fn draw_panel(
    canvas: &Canvas,
    frame: Frame,
    content: &Content,
    y: Axis,
) -> Result<(), FigureError> {
    let Content { panel: spec, .. } = content;
    let x = Axis::new(spec.x_scale, breadth(content), (frame.left, frame.right));
    let panel = panel::Panel::new(canvas, frame, x, y);
    let whole = |curve: &Curve| curve.xs.iter().all(|x| x.fract() == 0.0);
    panel.surround(&Surroundings {
        title: &titles(content),
        above: 0.0,
        x_title: Some(&spec.x),
        y_title: (!content.shared).then_some(spec.y.as_str()),
        y_numbers: !content.shared,
        x_numbers: true,
        x_whole: content.curves.iter().all(whole),
    })?;
    for (level, _) in &spec.levels {
        let y = panel.y.place(*level);
        let stroke = Stroke::new(theme::SOFT, 1.8);
        canvas.line(&[(frame.left, y), (frame.right, y)], stroke)?;
    }
    if let Some(matrix) = &content.matrix {
        draw_matrix(canvas, &panel, &content.curves, matrix)?;
        return heatmap::bar(canvas, frame, &matrix.colours);
    }
    for curve in &content.curves {
        match &spec.look {
            Look::Curves => draw_curve(&panel, curve)?,
            Look::Lines => panel.curve(&curve.xs, &curve.values, Stroke::new(curve.colour, 3.4))?,
            Look::Bars { from, text } => draw_bars(canvas, &panel, curve, *from, text)?,
            Look::Correlations { .. } => {}
        }
    }
    let labels = labels(content).into_iter().map(|(text, colour, value)| {
        let y = panel.y.place(value);
        Label {
            text,
            colour,
            y: if y.is_finite() { y } else { frame.bottom },
        }
    });
    write_labels(canvas, frame, labels.collect())
}

fn draw_curve(panel: &panel::Panel, curve: &Curve) -> Result<(), FigureError> {
    let (low, high) = (curve.ends(-1.0), curve.ends(1.0));
    if !curve.has_theory() {
        let stroke = Stroke::new(curve.colour, 2.6);
        panel.curve(&curve.xs, &curve.values, stroke)?;
    }
    for (i, (&x, &value)) in curve.xs.iter().zip(&curve.values).enumerate() {
        if panel.shows(panel.at(x, value)) {
            let stroke = Stroke::new(curve.colour, 2.2).faint(0.75);
            panel.bar(x, low[i], high[i], stroke)?;
            panel.dots(&[x], &[value], 5.0, curve.colour, 0.8)?;
        }
    }
    let stroke = Stroke::new(curve.colour, theme::EXACT).dashed();
    panel.curve(&curve.xs, &curve.theory, stroke)
}

/// Cells in the colours of their correlations, grey where they are no more than chance.
fn draw_matrix(
    canvas: &Canvas,
    panel: &panel::Panel,
    curves: &[Curve],
    matrix: &Matrix,
) -> Result<(), FigureError> {
    for (x, y, value) in cells(curves) {
        let (left, bottom) = panel.at(x - 0.5, y - 0.5);
        let (right, top) = panel.at(x + 0.5, y + 0.5);
        // A little overlap, so that no seam shows.
        let (right, top) = (right + SEAM, top - SEAM);
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
        match value.abs() >= matrix.dependent_from {
            true => canvas.fill_as_is(&corners, matrix.colours.colour(value))?,
            false => canvas.fill(&corners, theme::GRID, 1.0)?,
        }
    }
    Ok(())
}

/// Bars, those from `from` on in colour and what they sum up to above, and theory as rings on a
/// dashed line.
fn draw_bars(
    canvas: &Canvas,
    panel: &panel::Panel,
    curve: &Curve,
    from: f64,
    text: &str,
) -> Result<(), FigureError> {
    let shown = |x: f64| panel.spans(x - 0.5) && panel.spans(x + 0.5);
    let places: Vec<usize> = (0..curve.xs.len())
        .filter(|i| shown(curve.xs[*i]))
        .collect();
    let pick = |values: &[f64]| -> Vec<f64> { places.iter().map(|i| values[*i]).collect() };
    let (low, high) = (curve.ends(-1.0), curve.ends(1.0));
    let ink = |width: f64| Stroke::new(theme::INK, width);
    for &i in &places {
        let (x, value) = (curve.xs[i], curve.values[i]);
        let colour = match x >= from {
            true => theme::VARIANCE,
            false => theme::NOISE,
        };
        let corners = [
            panel.at(x - 0.4, 0.0),
            panel.at(x - 0.4, value),
            panel.at(x + 0.4, value),
            panel.at(x + 0.4, 0.0),
        ];
        canvas.fill(&corners, colour, 0.62)?;
        panel.bar(x, low[i].max(0.0), high[i], ink(1.8))?;
    }
    let (xs, theory) = (pick(&curve.xs), pick(&curve.theory));
    panel.curve(&xs, &theory, ink(1.6).dashed().faint(0.8))?;
    for (x, theory) in xs.iter().zip(&theory) {
        canvas.ring(panel.at(*x, *theory), 4.6, ink(1.8))?;
    }
    // The sum is that of theory, where there is any: chance does not change its last digit.
    let heights = match curve.has_theory() {
        true => &curve.theory,
        false => &curve.values,
    };
    let tail = curve.xs.iter().zip(heights);
    let tail: f64 = tail.filter(|(x, _)| **x >= from).map(|(_, v)| *v).sum();
    let long = format!("{text}: {}", percent(tail));
    // In a narrow panel the number alone.
    let room = panel.frame.right - panel.frame.left;
    let text = match text_width(&long, theme::LABEL, true) < room {
        true => long,
        false => percent(tail),
    };
    let style = (theme::LABEL, true);
    let place = (panel.frame.right - 6.0, panel.frame.top + 18.0);
    // White behind the text hides the line of the grid that may run there.
    let width = text_width(&text, style.0, style.1);
    let (left, right) = (place.0 - width - 6.0, place.0 + 4.0);
    let (above, below) = (place.1 - 15.0, place.1 + 15.0);
    let corners = [(left, above), (right, above), (right, below), (left, below)];
    canvas.fill(&corners, (255, 255, 255), 1.0)?;
    let colour = theme::darker(theme::VARIANCE);
    canvas.text(place, &text, style, colour, Side::Left)
}
