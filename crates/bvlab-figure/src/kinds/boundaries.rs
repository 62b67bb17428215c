//! Decision boundaries in the plane: of several refits, of all of them together, and of Bayes' rule.

use super::fits;
use super::level::{Grid, rounded};
use crate::axis::{Axis, room};
use crate::canvas::{Canvas, Side, Stroke};
use crate::error::FigureError;
use crate::labels::{Label, labels_width, write_labels};
use crate::panel::{Frame, Panel, Surroundings, TITLE, y_room};
use crate::picture::{FigureData, Picture, sentence};
use crate::select::{Series, ShownAt, column, output_columns, rows_at};
use crate::symbols::coordinate;
use crate::text::text_width;
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
    let lines = titles.iter().map(Vec::len).max().unwrap_or(0);
    let ranges = cropped(study, tables);
    frame.left += y_room(&Axis::new(
        Scale::Linear,
        ranges[1],
        (frame.bottom, frame.top),
    ));
    let above = TITLE * lines as f64;
    // The legend stands on the right, or in a row where that leaves the panels more room.
    let texts = labels.iter().map(|(text, _)| text.as_str());
    let beside = Frame {
        right: frame.right - labels_width(canvas, texts),
        ..frame
    };
    let over = Frame {
        top: frame.top + ROW,
        ..frame
    };
    let [right, row] = [beside, over].map(|frame| cells(frame, panels.len(), ranges, above));
    let size = |(frames, _): &(Vec<Frame>, usize)| {
        let first = frames.first();
        first.map_or(0.0, |frame| frame.right - frame.left)
    };
    let in_row = row_width(&labels) <= frame.right - frame.left && size(&row) > 1.08 * size(&right);
    let (frames, columns) = if in_row { row } else { right };
    let narrow = frames
        .iter()
        .any(|frame| frame.right - frame.left < canvas.page.slim);
    if narrow && !canvas.page.is_tall() {
        return Err(FigureError::Room);
    }
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
    if let (true, Some(first), Some(last)) = (in_row, frames.first(), frames.get(columns - 1)) {
        let middle = (first.left + last.right) / 2.0;
        let mut left = (middle - row_width(&labels) / 2.0).max(frame.left);
        let style = (theme::LABEL, true);
        for (text, colour) in &labels {
            let place = (left, first.top - above - 0.65 * ROW);
            canvas.label(place, text, style, *colour, Side::Right)?;
            left += text_width(text, style.0, style.1) + BETWEEN;
        }
    } else if let (Some(first), Some(last)) = (frames.first(), frames.get(columns - 1)) {
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

/// The height of a legend in a row, and the room between what stands in it.
const ROW: f64 = 52.0;
const BETWEEN: f64 = 36.0;

/// How wide a legend in a row is.
fn row_width(labels: &[(String, theme::Colour)]) -> f64 {
    let widths = labels.iter();
    let widths = widths.map(|(text, _)| text_width(text, theme::LABEL, true) + BETWEEN);
    widths.sum::<f64>() - BETWEEN
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
