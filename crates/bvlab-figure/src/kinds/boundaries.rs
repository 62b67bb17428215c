//! Decision boundaries in the plane: of several refits, of all of them together, and of Bayes' rule.

use super::fits;
use crate::axis::Axis;
use crate::canvas::{Canvas, Place, Stroke};
use crate::error::FigureError;
use crate::panel::{Frame, Label, Panel, Surroundings, TITLE, labels_width, write_labels, y_room};
use crate::picture::{FigureData, Picture, sentence};
use crate::select::{Series, ShownAt, column, output_columns, rows_at};
use crate::theme;
use bvlab_core::decompose::Loss;
use bvlab_core::plan::{Scale, StudyDescription};
use bvlab_core::words::{percent, thousands};
use bvlab_experiment::{Boundaries, Fits};
use bvlab_outcome::{Tables, columns};

impl Picture for Boundaries {
    fn caption(&self, data: &FigureData) -> Result<String, FigureError> {
        let Boundaries(options) = self;
        Ok(format!(
            "where the most probable class changes, for {} of {} refits, each to its own {} points{}",
            fits::drawn_refits(options, data)?,
            thousands(data.resamples()),
            data.study()?.train_sizes(),
            if options.data {
                "; dots and rings: the first of them"
            } else {
                ""
            }
        ))
    }

    fn draw(&self, canvas: &Canvas, frame: Frame, data: &FigureData) -> Result<(), FigureError> {
        draw(canvas, frame, data.study()?, &self.0, data.tables)
    }

    fn settings<'a>(&self, data: &FigureData<'a>) -> Result<ShownAt<'a>, FigureError> {
        fits::shown(data.study()?, &self.0, data.tables)
    }

    fn describe(&self, data: &FigureData) -> Result<Vec<String>, FigureError> {
        let study = data.study()?;
        let several = study.curves.len() > 1;
        let together = together(study);
        let mut sentences = Vec::new();
        for (series, value) in self.settings(data)? {
            let rows = rows_at(&data.tables.points, series, value)?;
            let chosen = |what: &str| {
                let columns = output_columns(study, what);
                let columns = columns.iter();
                most_probable(
                    &columns
                        .map(|name| column(&data.tables.points, name, &rows))
                        .collect::<Vec<_>>(),
                )
            };
            let (truth, mean) = (chosen(columns::TRUTH), chosen(columns::MEAN));
            let apart = truth.iter().zip(&mean).filter(|(a, b)| a != b).count();
            let share = apart as f64 / truth.len().max(1) as f64;
            let said = format!(
                "{together} of the refits chooses another class than Bayes at {} of the test points",
                percent(share)
            );
            sentences.push(sentence(&fits::lines(series, value, several), &[said]));
        }
        Ok(sentences)
    }
}

/// What all refits together do.
fn together(study: &StudyDescription) -> &'static str {
    match study.loss {
        Loss::ZeroOne(_) => "the vote",
        _ => "the mean",
    }
}

/// The most probable class at every point, the first of equals.
fn most_probable(probabilities: &[&[f64]]) -> Vec<usize> {
    let points = probabilities.first().map_or(0, |first| first.len());
    let class = |i: usize| {
        let classes = (0..probabilities.len()).rev();
        classes.max_by(|a, b| probabilities[*a][i].total_cmp(&probabilities[*b][i]))
    };
    (0..points).filter_map(class).collect()
}

fn draw(
    canvas: &Canvas,
    mut frame: Frame,
    study: &StudyDescription,
    options: &Fits,
    tables: &Tables,
) -> Result<(), FigureError> {
    let panels = fits::shown(study, options, tables)?;
    let several = study.curves.len() > 1;
    let titles: Vec<Vec<String>> = panels
        .iter()
        .map(|(series, value)| fits::lines(*series, *value, several))
        .collect();
    let labels = labels(study, options);
    frame.right -= labels_width(labels.iter().map(|(text, _)| *text));
    let lines = titles.iter().map(Vec::len).max().unwrap_or(0);
    frame.top += TITLE * lines as f64;
    let range = study.range;
    frame.left += y_room(&Axis::new(Scale::Linear, range, (frame.bottom, frame.top)));
    let frames = squares(frame, panels.len());
    for (i, ((series, value), frame)) in panels.iter().zip(&frames).enumerate() {
        let x = Axis::new(Scale::Linear, range, (frame.left, frame.right));
        let y = Axis::new(Scale::Linear, range, (frame.bottom, frame.top));
        let panel = Panel::new(canvas, *frame, x, y);
        panel.surround(&Surroundings {
            title: &titles[i],
            above: 0.0,
            x_title: Some("x1"),
            y_title: (i == 0).then_some("x2"),
            y_numbers: i == 0,
            x_numbers: true,
            x_whole: false,
        })?;
        fill(&panel, canvas, (*series, *value), options, study, tables)?;
    }
    if let Some(last) = frames.last() {
        let step = (last.bottom - last.top) / (labels.len() + 1) as f64;
        let ends = labels.iter().enumerate().map(|(i, (text, colour))| Label {
            text: (*text).to_owned(),
            colour: *colour,
            y: last.top + step * (i + 1) as f64,
        });
        write_labels(canvas, *last, ends.collect())?;
    }
    Ok(())
}

/// Panels as square as the room allows: both axes have one range.
fn squares(frame: Frame, count: usize) -> Vec<Frame> {
    let gap = 46.0;
    let frames = frame.columns(count, gap);
    let side = frames.first().map_or(0.0, |first| {
        (first.right - first.left).min(first.bottom - first.top)
    });
    let top = frame.top + ((frame.bottom - frame.top) - side) / 2.0;
    let spare = frame.right - frame.left - side * count as f64 - gap * (count as f64 - 1.0);
    (0..count)
        .map(|i| {
            let left = frame.left + spare / 2.0 + i as f64 * (side + gap);
            Frame {
                left,
                right: left + side,
                top,
                bottom: top + side,
            }
        })
        .collect()
}

/// What the lines are called.
fn labels(study: &StudyDescription, options: &Fits) -> Vec<(&'static str, theme::Colour)> {
    let together = match study.loss {
        Loss::ZeroOne(_) => "their vote",
        _ => "their mean",
    };
    let mean = options.mean.then_some((together, theme::BIAS));
    let refits = match options.refits {
        0 => None,
        1 => Some(("a fit", theme::VARIANCE)),
        _ => Some(("refits", theme::VARIANCE)),
    };
    let all = [refits, mean, Some(("Bayes", theme::TRUTH))];
    all.into_iter().flatten().collect()
}

fn fill(
    panel: &Panel,
    canvas: &Canvas,
    (series, value): (Series, f64),
    options: &Fits,
    study: &StudyDescription,
    tables: &Tables,
) -> Result<(), FigureError> {
    let points = rows_at(&tables.points, series, value)?;
    let rows = rows_at(&tables.fits, series, value)?;
    let grid = Grid::new(
        column(&tables.points, &columns::input(2, 0), &points),
        column(&tables.points, &columns::input(2, 1), &points),
    );
    let Some(grid) = grid else {
        return Err(FigureError::Missing("a grid of test points".to_owned()));
    };
    let names_of = |what: &str| output_columns(study, what);
    if options.data {
        dots(panel, canvas, study, tables)?;
    }
    let predictions: Vec<&[f64]> = names_of(columns::PREDICTION)
        .iter()
        .map(|name| column(&tables.fits, name, &rows))
        .collect();
    let (width, alpha) = match options.refits {
        0..=1 => (3.0, 1.0),
        2..=6 => (2.0, 0.7),
        _ => (1.5, 0.4),
    };
    let kept = predictions.first().map_or(0, |all| all.len() / grid.len());
    for refit in 0..options.refits.min(kept) {
        let at = refit * grid.len()..(refit + 1) * grid.len();
        let fit: Vec<&[f64]> = predictions.iter().map(|all| &all[at.clone()]).collect();
        let stroke = Stroke::new(theme::VARIANCE, width).faint(alpha);
        lines(panel, canvas, &grid, &fit, stroke)?;
    }
    let get = |what: &str| -> Vec<&[f64]> {
        let names = names_of(what);
        let all = names.iter();
        all.map(|name| column(&tables.points, name, &points))
            .collect()
    };
    let bayes = Stroke::new(theme::TRUTH, 3.6);
    lines(panel, canvas, &grid, &get(columns::TRUTH), bayes)?;
    if options.mean {
        lines(
            panel,
            canvas,
            &grid,
            &get(columns::MEAN),
            Stroke::new(theme::BIAS, 3.4),
        )?;
    }
    Ok(())
}

/// The first training set, every class in its colour.
fn dots(
    panel: &Panel,
    canvas: &Canvas,
    study: &StudyDescription,
    tables: &Tables,
) -> Result<(), FigureError> {
    let rows = 0..study.train.first().copied().unwrap_or(0);
    let get = |name: &str| column(&tables.training, name, &rows);
    let (x1, x2, classes) = (
        get(&columns::input(2, 0)),
        get(&columns::input(2, 1)),
        get(columns::Y),
    );
    for ((x1, x2), class) in x1.iter().zip(x2).zip(classes) {
        let place = panel.at(*x1, *x2);
        if !panel.shows(place) {
            continue;
        }
        // Classes differ in shape, too: rings and dots.
        match *class as usize {
            0 => canvas.ring(place, 4.2, Stroke::new(theme::DATA, 1.6).faint(0.75))?,
            1 => canvas.dot(place, 4.4, theme::DATA, 0.6)?,
            other => {
                let colour = theme::LEARNERS[(other + 1) % theme::LEARNERS.len()];
                canvas.dot(place, 4.4, colour, 0.7)?;
            }
        }
    }
    Ok(())
}

/// Draws where the most probable class changes.
fn lines(
    panel: &Panel,
    canvas: &Canvas,
    grid: &Grid,
    probabilities: &[&[f64]],
    stroke: Stroke,
) -> Result<(), FigureError> {
    let classes = match probabilities.len() {
        // Of two classes one line says it all.
        2 => 1,
        more => more,
    };
    for class in 0..classes {
        let ahead = |i: usize| {
            let others = probabilities.iter().enumerate();
            let others = others.filter(|(other, _)| *other != class);
            let best = others.map(|(_, p)| p[i]).fold(f64::NEG_INFINITY, f64::max);
            probabilities[class][i] - best
        };
        for line in grid.level(ahead) {
            let places: Vec<Place> = line.iter().map(|(x, y)| panel.at(*x, *y)).collect();
            canvas.line(&places, stroke)?;
        }
    }
    Ok(())
}

/// Points on a square grid, the second coordinate running fastest.
struct Grid {
    xs: Vec<f64>,
    ys: Vec<f64>,
}

/// A crossing of a level and an edge between neighbours: the edge by its lower end, and whether it
/// runs along the second coordinate.
type Edge = (usize, bool);

impl Grid {
    fn new(x1: &[f64], x2: &[f64]) -> Option<Self> {
        let side = x1.len().isqrt();
        if side < 2 || side * side != x1.len() || x2.len() != x1.len() {
            return None;
        }
        Some(Grid {
            xs: x1.iter().step_by(side).copied().collect(),
            ys: x2[..side].to_vec(),
        })
    }

    fn len(&self) -> usize {
        self.xs.len() * self.ys.len()
    }

    /// The lines where a function of the points is zero: marching squares, straight between the
    /// crossings of the cells' edges, joined to lines as long as they go.
    fn level(&self, value: impl Fn(usize) -> f64) -> Vec<Vec<(f64, f64)>> {
        let (columns, rows) = (self.xs.len(), self.ys.len());
        // A tie goes to the other class: a value of zero is as good as one below.
        let values: Vec<f64> = (0..self.len()).map(value).collect();
        let above = |i: usize| values[i] > 0.0;
        let mut pieces: Vec<(Edge, Edge)> = Vec::new();
        for i in 0..columns - 1 {
            for j in 0..rows - 1 {
                let [a, b, c, d] = [
                    i * rows + j,
                    (i + 1) * rows + j,
                    (i + 1) * rows + j + 1,
                    i * rows + j + 1,
                ];
                let [bottom, right, top, left] = [(a, false), (b, true), (d, false), (a, true)];
                let centre = (values[a] + values[b] + values[c] + values[d]) > 0.0;
                let corners = [a, b, c, d].map(above);
                match corners {
                    [true, false, true, false] | [false, true, false, true] => {
                        // A saddle: what the middle belongs to is connected.
                        match corners[0] == centre {
                            true => pieces.extend([(bottom, right), (top, left)]),
                            false => pieces.extend([(bottom, left), (right, top)]),
                        }
                    }
                    _ => {
                        let crossed = [
                            (bottom, corners[0] != corners[1]),
                            (right, corners[1] != corners[2]),
                            (top, corners[2] != corners[3]),
                            (left, corners[3] != corners[0]),
                        ];
                        let crossed: Vec<Edge> = crossed
                            .iter()
                            .filter(|(_, crossed)| *crossed)
                            .map(|(edge, _)| *edge)
                            .collect();
                        if let [from, to] = crossed[..] {
                            pieces.push((from, to));
                        }
                    }
                }
            }
        }
        let place = |(low, along): Edge| {
            let high = if along { low + 1 } else { low + rows };
            let share = values[low] / (values[low] - values[high]);
            let share = if share.is_finite() {
                share.clamp(0.0, 1.0)
            } else {
                0.5
            };
            let at = |i: usize| (self.xs[i / rows], self.ys[i % rows]);
            let ((x, y), (u, v)) = (at(low), at(high));
            (x + share * (u - x), y + share * (v - y))
        };
        joined(pieces)
            .into_iter()
            .map(|line| line.into_iter().map(place).collect())
            .collect()
    }
}

/// Joins pieces that meet into lines.
fn joined(pieces: Vec<(Edge, Edge)>) -> Vec<Vec<Edge>> {
    use std::collections::HashMap;
    let mut at: HashMap<Edge, Vec<usize>> = HashMap::new();
    for (i, (from, to)) in pieces.iter().enumerate() {
        at.entry(*from).or_default().push(i);
        at.entry(*to).or_default().push(i);
    }
    let mut used = vec![false; pieces.len()];
    let mut lines = Vec::new();
    // Lines that end at the border first, then those that close.
    let open = |edge: &Edge| at[edge].len() == 1;
    let starts = pieces.iter().enumerate();
    let starts = starts.flat_map(|(i, (from, to))| {
        let ends = [(i, *from), (i, *to)];
        ends.into_iter().filter(|(_, end)| open(end))
    });
    let closed = pieces.iter().enumerate().map(|(i, (from, _))| (i, *from));
    for (first, start) in starts.chain(closed) {
        if used[first] {
            continue;
        }
        let (mut next, mut end) = (Some(first), start);
        let mut line = vec![start];
        while let Some(i) = next {
            used[i] = true;
            let (from, to) = pieces[i];
            end = if from == end { to } else { from };
            line.push(end);
            next = at[&end].iter().copied().find(|i| !used[*i]);
        }
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(side: usize) -> Grid {
        let places = |_| (0..side).map(|i| i as f64).collect::<Vec<f64>>();
        let [xs, ys] = [0, 1].map(places);
        Grid { xs, ys }
    }

    #[test]
    fn a_circle_is_one_closed_line() {
        let grid = grid(41);
        let away = |i: usize| {
            let (x, y) = ((i / 41) as f64 - 20.0, (i % 41) as f64 - 20.0);
            13.0 - x.hypot(y)
        };
        let lines = grid.level(away);
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].first(), lines[0].last());
        for (x, y) in &lines[0] {
            assert!(((x - 20.0).hypot(y - 20.0) - 13.0).abs() < 0.03);
        }
    }

    #[test]
    fn a_straight_line_runs_from_border_to_border() {
        let grid = grid(11);
        let lines = grid.level(|i| (i / 11) as f64 - 3.25);
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].len(), 11);
        assert!(lines[0].iter().all(|(x, _)| (x - 3.25).abs() < 1e-12));
        assert!(grid.level(|_| 1.0).is_empty() && grid.level(|_| 0.0).is_empty());
    }

    #[test]
    fn points_that_are_no_square_are_no_grid() {
        assert!(Grid::new(&[0.0; 5], &[0.0; 5]).is_none());
        let grid = Grid::new(&[0.0, 0.0, 1.0, 1.0], &[5.0, 6.0, 5.0, 6.0]).unwrap();
        assert_eq!((grid.xs, grid.ys), (vec![0.0, 1.0], vec![5.0, 6.0]));
    }
}
