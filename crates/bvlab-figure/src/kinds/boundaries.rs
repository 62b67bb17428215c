//! Decision boundaries in the plane: of several refits, of all of them together, and of Bayes' rule.

use super::fits;
use crate::axis::{Axis, room};
use crate::canvas::{Canvas, Stroke};
use crate::error::FigureError;
use crate::labels::{Label, labels_width, write_labels};
use crate::panel::{Frame, Panel, Surroundings, TITLE, y_room};
use crate::picture::{FigureData, Picture, sentence};
use crate::select::{Series, ShownAt, column, output_columns, rows_at};
use crate::symbols::coordinate;
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
            "{} of {} refits, each to its own {} points",
            fits::drawn_refits(options, data)?,
            thousands(data.resamples()),
            data.study()?.train_sizes(),
        ))
    }

    fn footer(&self, _: &FigureData) -> Result<Vec<String>, FigureError> {
        let mut said = vec!["lines: where the most probable class changes".to_owned()];
        if self.0.data {
            said.push("points: a training set".to_owned());
        }
        Ok(said)
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
    frame.right -= labels_width(canvas, labels.iter().map(|(text, _)| text.as_str()));
    let lines = titles.iter().map(Vec::len).max().unwrap_or(0);
    let ranges = cropped(study, tables);
    frame.left += y_room(&Axis::new(
        Scale::Linear,
        ranges[1],
        (frame.bottom, frame.top),
    ));
    let above = TITLE * lines as f64;
    let (frames, columns) = cells(frame, panels.len(), ranges, above);
    let [x1, x2] = [1, 2].map(coordinate);
    let x_title = options.labels.x.as_deref().unwrap_or(&x1);
    let y_title = options.labels.y.as_deref().unwrap_or(&x2);
    for (i, ((series, value), frame)) in panels.iter().zip(&frames).enumerate() {
        let x = Axis::new(Scale::Linear, ranges[0], (frame.left, frame.right));
        let y = Axis::new(Scale::Linear, ranges[1], (frame.bottom, frame.top));
        let panel = Panel::new(canvas, *frame, x, y);
        let lowest = i + columns >= panels.len();
        panel.surround(&Surroundings {
            title: &titles[i],
            x_title: lowest.then_some(x_title),
            y_title: (i % columns == 0).then_some(y_title),
            y_numbers: i % columns == 0,
            x_numbers: lowest,
            ..Surroundings::default()
        })?;
        fill(&panel, canvas, (*series, *value), options, study, tables)?;
    }
    if let (Some(first), Some(last)) = (frames.first(), frames.get(columns - 1)) {
        let legend = Frame {
            right: last.right,
            ..*first
        };
        let step = 34.0;
        let ends = labels.iter().enumerate().map(|(i, (text, colour))| Label {
            text: text.clone(),
            colour: *colour,
            y: legend.top + 14.0 + step * i as f64,
        });
        write_labels(canvas, legend, ends.collect())?;
    }
    Ok(())
}

/// The ranges of both coordinates in which nearly all training points lie, with a little room.
fn cropped(study: &StudyDescription, tables: &Tables) -> [(f64, f64); 2] {
    [0, 1].map(|coordinate| {
        let values = tables.training.numbers(&columns::input(2, coordinate));
        let mut values: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        let at = |share: f64| values.get(((values.len() as f64 - 1.0) * share) as usize);
        let ((Some(low), Some(high)), true) = ((at(0.003), at(0.997)), values.len() > 1) else {
            return study.range;
        };
        let (low, high) = room([*low, *high].into_iter(), Scale::Linear, 0.05);
        let (low, high) = (low.max(study.range.0), high.min(study.range.1));
        if low < high { (low, high) } else { study.range }
    })
}

/// Panels with the same scale on both axes, in as many rows as make them largest, and how many stand
/// in a row.
fn cells(frame: Frame, count: usize, ranges: [(f64, f64); 2], above: f64) -> (Vec<Frame>, usize) {
    let (gap, between) = (34.0, above + 14.0);
    let [across, up] = ranges.map(|(low, high)| high - low);
    let (width, height) = (frame.right - frame.left, frame.bottom - frame.top);
    // Pixels per unit with so many columns.
    let scale = |columns: usize| {
        let rows = count.div_ceil(columns) as f64;
        let columns = columns as f64;
        let wide = (width - gap * (columns - 1.0)) / columns / across;
        let high = (height - above - between * (rows - 1.0)) / rows / up;
        wide.min(high)
    };
    let columns = (1..=count.max(1)).max_by(|a, b| scale(*a).total_cmp(&scale(*b)));
    let columns = columns.unwrap_or(1);
    let scale = scale(columns).max(0.0);
    // What is left of the page is shared by both sides.
    let rows = count.div_ceil(columns) as f64;
    let used = (
        columns as f64 * (scale * across + gap) - gap,
        above + rows * (scale * up + between) - between,
    );
    let spare = |room: f64, used: f64| ((room - used) / 2.0).max(0.0);
    let (left, upper) = (
        frame.left + spare(width, used.0),
        frame.top + spare(height, used.1),
    );
    let cell = |i: usize| {
        let left = left + (i % columns) as f64 * (scale * across + gap);
        let top = upper + above + (i / columns) as f64 * (scale * up + between);
        Frame {
            left,
            right: left + scale * across,
            top,
            bottom: top + scale * up,
        }
    };
    ((0..count).map(cell).collect(), columns)
}

/// What the lines and points are called.
fn labels(study: &StudyDescription, options: &Fits) -> Vec<(String, theme::Colour)> {
    let together = match study.loss {
        Loss::ZeroOne(_) => "vote of all refits",
        _ => "mean of all refits",
    };
    let named = |key: &str, usual: &str| {
        let given = options.labels.given(key);
        given.unwrap_or(usual).to_owned()
    };
    let mean = options.mean.then(|| (named("mean", together), theme::BIAS));
    let refits = match options.refits {
        0 => None,
        1 => Some((named("refits", "a fit"), theme::VARIANCE)),
        _ => Some((named("refits", "refits"), theme::VARIANCE)),
    };
    let truth = Some((named("truth", "Bayes’ rule"), theme::TRUTH));
    let classes = (0..study.classes).filter(|_| options.data);
    let classes = classes.map(|class| {
        let shape = if class == 0 { "rings" } else { "dots" };
        (format!("{shape}: class {class}"), class_colour(class))
    });
    let lines = [truth, mean, refits].into_iter().flatten();
    lines.chain(classes).collect()
}

/// The colour of a class's points.
fn class_colour(class: usize) -> theme::Colour {
    let further = theme::LEARNERS[class % theme::LEARNERS.len()];
    theme::CLASSES.get(class).copied().unwrap_or(further)
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
    let predictions: Vec<&[f64]> = names_of(columns::PREDICTION)
        .iter()
        .map(|name| column(&tables.fits, name, &rows))
        .collect();
    let (width, alpha) = match options.refits {
        0..=1 => (3.0, 1.0),
        2..=6 => (2.0, 0.75),
        _ => (1.5, 0.5),
    };
    let kept = predictions.first().map_or(0, |all| all.len() / grid.len());
    let last = options.first.saturating_add(options.refits).min(kept);
    for refit in options.first.min(last)..last {
        let at = refit * grid.len()..(refit + 1) * grid.len();
        let fit: Vec<&[f64]> = predictions.iter().map(|all| &all[at.clone()]).collect();
        let stroke = Stroke::new(theme::VARIANCE, width).faint(alpha);
        lines(panel, &grid, &fit, stroke)?;
    }
    let get = |what: &str| -> Vec<&[f64]> {
        let names = names_of(what);
        let all = names.iter();
        all.map(|name| column(&tables.points, name, &points))
            .collect()
    };
    let bayes = Stroke::new(theme::TRUTH, 3.6);
    lines(panel, &grid, &get(columns::TRUTH), bayes)?;
    if options.mean {
        lines(
            panel,
            &grid,
            &get(columns::MEAN),
            Stroke::new(theme::BIAS, 3.4),
        )?;
    }
    // Points lie above the lines.
    match options.data {
        true => dots(panel, canvas, options, study, tables),
        false => Ok(()),
    }
}

/// A training set, every class in its colour.
fn dots(
    panel: &Panel,
    canvas: &Canvas,
    options: &Fits,
    study: &StudyDescription,
    tables: &Tables,
) -> Result<(), FigureError> {
    let size = study.train.first().copied().unwrap_or(0);
    let start = options.first * study.train.iter().sum::<usize>();
    let rows = start..start + size;
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
        let colour = class_colour(*class as usize);
        match *class as usize {
            0 => canvas.open_dot(place, 4.4, Stroke::new(colour, 2.2))?,
            _ => {
                canvas.dot(place, 5.8, (255, 255, 255), 1.0)?;
                canvas.dot(place, 4.8, colour, 1.0)?;
            }
        }
    }
    Ok(())
}

/// Draws where the most probable class changes.
fn lines(
    panel: &Panel,
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
            let (xs, ys): (Vec<f64>, Vec<f64>) = rounded(rounded(line)).into_iter().unzip();
            panel.curve(&xs, &ys, stroke)?;
        }
    }
    Ok(())
}

/// The line with its corners cut off, by the method of Chaikin: the stairs of a grid are none of the
/// boundary's.
fn rounded(line: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let (Some(&first), Some(&last), true) = (line.first(), line.last(), line.len() > 2) else {
        return line;
    };
    let mut cut = vec![first];
    for pair in line.windows(2) {
        let at = |share: f64| {
            let between = |a: f64, b: f64| a + share * (b - a);
            (between(pair[0].0, pair[1].0), between(pair[0].1, pair[1].1))
        };
        cut.extend([at(0.25), at(0.75)]);
    }
    // A line that closes has no ends.
    if first == last {
        cut.remove(0);
        cut.push(cut[0]);
    } else {
        cut.push(last);
    }
    cut
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
    fn a_rounded_line_keeps_its_ends_and_stays_closed() {
        let open = rounded(vec![(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)]);
        assert_eq!((open[0], open[open.len() - 1]), ((0.0, 0.0), (1.0, 1.0)));
        assert!(open.iter().all(|(x, y)| x - y < 1.0));
        let square = vec![(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.0, 0.0)];
        let closed = rounded(square);
        assert_eq!(closed.first(), closed.last());
        assert_eq!(closed.len(), 9);
    }

    #[test]
    fn points_that_are_no_square_are_no_grid() {
        assert!(Grid::new(&[0.0; 5], &[0.0; 5]).is_none());
        let grid = Grid::new(&[0.0, 0.0, 1.0, 1.0], &[5.0, 6.0, 5.0, 6.0]).unwrap();
        assert_eq!((grid.xs, grid.ys), (vec![0.0, 1.0], vec![5.0, 6.0]));
    }
}
