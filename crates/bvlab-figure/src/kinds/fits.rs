//! Data, truth, refits and their mean, one panel per learner and sweep value.

use crate::axis::{Axis, room};
use crate::canvas::{Canvas, Side, Stroke};
use crate::error::FigureError;
use crate::labels::{Label, labels_width, write_labels};
use crate::panel::{Frame, Panel, Surroundings, TITLE, broken_titles, side_by_side, y_room};
use crate::picture::{FigureData, Picture, mean, sentence};
use crate::select::{
    Series, ShownAt, best, column, column_name, doubtful, learners, output_column, rows_at, setting,
};
use crate::theme;
use bvlab_core::decompose::Loss;
use bvlab_core::plan::{Curve, Scale, StudyDescription};
use bvlab_core::words::{short, thousands};
use bvlab_experiment::{FigureLabels, Fits, Part, Sample};
use bvlab_outcome::{Tables, columns};

/// What a panel of fits shows.
#[derive(Clone, Copy)]
pub struct FitsContent<'a> {
    /// The learner, at a value of its second axis where it has two.
    pub series: Series<'a>,
    /// The sweep value; NaN where nothing is swept.
    pub value: f64,
    /// How many refits.
    pub refits: usize,
    /// Whether their mean.
    pub mean: bool,
    /// Whether the first training set.
    pub data: bool,
    /// Whether the truth.
    pub truth: bool,
    /// The first of the kept training sets that is drawn.
    pub first: usize,
    /// Words for the curves.
    pub labels: &'a FigureLabels,
}

impl Picture for Fits {
    fn caption(&self, data: &FigureData) -> Result<String, FigureError> {
        let study = data.study()?;
        let (refits, to) = words_of_refits(study);
        if self.refits <= 1 && !self.mean {
            return Ok(format!(
                "One training set of {} points",
                study.train_sizes()
            ));
        }
        Ok(format!(
            "{} of {} {refits}, each {to} its own {} points",
            drawn_refits(self, data)?,
            thousands(data.resamples()),
            study.train_sizes(),
        ))
    }

    fn footer(&self, data: &FigureData) -> Result<Vec<String>, FigureError> {
        let mut said = Vec::new();
        if self.data && self.refits + usize::from(self.mean) > 0 {
            said.push(match data.study()?.density {
                true => "points on the axis: a training set".to_owned(),
                false => "points: a training set".to_owned(),
            });
        }
        if self.mean {
            let resamples = thousands(data.resamples());
            let (refits, _) = words_of_refits(data.study()?);
            said.push(format!("mean: over all {resamples} {refits}"));
        }
        Ok(said)
    }

    fn insets(
        &self,
        canvas: &Canvas,
        frame: Frame,
        data: &FigureData,
    ) -> Result<Option<(f64, f64)>, FigureError> {
        let (panels, _) = panels(data.study()?, self, data.tables)?;
        insets(canvas, frame, &panels, data).map(Some)
    }

    fn rows(&self, canvas: &Canvas, frame: Frame, data: &FigureData) -> Result<usize, FigureError> {
        let (panels, _) = panels(data.study()?, self, data.tables)?;
        let (left, right) = insets(canvas, frame, &panels, data)?;
        let width = frame.right - frame.left - left - right;
        Ok(panels.len() / side_by_side(&canvas.page, width, GAP, panels.len())?)
    }

    fn draw(&self, canvas: &Canvas, frame: Frame, data: &FigureData) -> Result<(), FigureError> {
        draw(canvas, frame, data, self)
    }

    fn settings<'a>(&self, data: &FigureData<'a>) -> Result<ShownAt<'a>, FigureError> {
        shown(data.study()?, self, data.tables)
    }

    fn describe(&self, data: &FigureData) -> Result<Vec<String>, FigureError> {
        let study = data.study()?;
        let several = study.curves.len() > 1;
        let mut sentences = Vec::new();
        if self.refits == 0 && !self.mean {
            return Ok(sentences);
        }
        for (series, value) in self.settings(data)? {
            let setting = series.axis().map_or(Some(0), |axis| {
                axis.values.iter().position(|other| *other == value)
            });
            let doubtful = doubtful(series, data.tables);
            if setting.and_then(|setting| doubtful.get(setting)) == Some(&true) {
                let said = ["a heavy tail, no mean".to_owned()];
                sentences.push(sentence(&lines(series, value, several), &said));
                continue;
            }
            let rows = rows_at(&data.tables.points, series, value)?;
            let said = [Part::Bias2, Part::Variance].map(|part| {
                let values = column(&data.tables.points, column_name(part), &rows);
                let name = theme::name(part, study.loss);
                format!("{name} {} on average over x", short(mean(values)))
            });
            sentences.push(sentence(&lines(series, value, several), &said));
        }
        Ok(sentences)
    }
}

/// What refits are called, and how they come from their data.
fn words_of_refits(study: &StudyDescription) -> (&'static str, &'static str) {
    match study.density {
        true => ("estimates", "from"),
        false => ("refits", "to"),
    }
}

/// How many refits are drawn at most: no more than were kept.
pub fn drawn_refits(options: &Fits, data: &FigureData) -> Result<usize, FigureError> {
    let kept = data.study()?.keep_fits.min(data.resamples());
    Ok(options.refits.min(kept as usize))
}

/// The panels, and what stands above each.
fn panels<'a>(
    study: &'a StudyDescription,
    options: &'a Fits,
    tables: &Tables,
) -> Result<(Vec<FitsContent<'a>>, Vec<Vec<String>>), FigureError> {
    let panels = shown(study, options, tables)?.into_iter();
    let mut panels: Vec<FitsContent> = panels
        .map(|(series, value)| FitsContent {
            series,
            value,
            refits: options.refits,
            mean: options.mean,
            data: options.data,
            truth: true,
            first: options.first,
            labels: &options.labels,
        })
        .collect();
    let several = study.curves.len() > 1;
    let mut titles: Vec<Vec<String>> = panels.iter().map(|shown| title(shown, several)).collect();
    // Before all fits, the data by themselves.
    let both = match study.density {
        true => "data and true density",
        false => "data and truth",
    };
    if let Some(sample) = options.sample {
        for (shown, title) in panels.iter().zip(&mut titles) {
            if shown.refits == 0 && !shown.mean && title.is_empty() {
                title.push(both.to_owned());
            }
        }
        let truth = sample == Sample::Truth;
        let words = if truth { both } else { "data" };
        titles.insert(0, vec![words.to_owned()]);
        panels.insert(
            0,
            FitsContent {
                refits: 0,
                mean: false,
                data: true,
                truth,
                ..panels[0]
            },
        );
    }
    Ok((panels, titles))
}

/// The room left and right of the panels.
fn insets(
    canvas: &Canvas,
    frame: Frame,
    panels: &[FitsContent],
    data: &FigureData,
) -> Result<(f64, f64), FigureError> {
    let study = data.study()?;
    let range = heights(panels, study, data.tables)?;
    let left = y_room(&Axis::new(Scale::Linear, range, (frame.bottom, frame.top)));
    let texts: Vec<String> = panels
        .iter()
        .flat_map(|shown| labels(shown, study))
        .flatten()
        .map(|(text, _)| text)
        .collect();
    let right = labels_width(canvas, texts.iter().map(String::as_str));
    Ok((left, right))
}

/// The room between panels that stand side by side.
const GAP: f64 = 54.0;

fn draw(
    canvas: &Canvas,
    mut frame: Frame,
    data: &FigureData,
    options: &Fits,
) -> Result<(), FigureError> {
    let (study, tables) = (data.study()?, data.tables);
    let (panels, titles) = panels(study, options, tables)?;
    let range = heights(&panels, study, tables)?;
    let (left, right) = insets(canvas, frame, &panels, data)?;
    let inner = Frame {
        left: frame.left + left,
        right: frame.right - right,
        ..frame
    };
    let count = panels.len();
    let columns = side_by_side(&canvas.page, inner.right - inner.left, GAP, count)?;
    // Where refits and means stand above each other, they stand side by side in a row of their own.
    let turned = options.split && columns < count;
    let columns = if turned { 1 } else { columns };
    let titles = broken_titles(titles, inner, columns);
    let lines = titles.iter().map(Vec::len).max().unwrap_or(0);
    let heading = TITLE * lines as f64;
    frame.top += heading;
    if turned {
        frame.top += TITLE;
    }
    let own = insets(canvas, frame, &panels, data)?;
    frame.left += own.0.max(data.within.insets.0);
    frame.right -= own.1.max(data.within.insets.1);
    let x_title = options.labels.x.as_deref().unwrap_or("x");
    let y_title = options.labels.y.as_deref().unwrap_or(upwards(study));
    let frames = frame.grid(count, columns, (GAP, heading + 18.0));
    for (i, (shown, frame)) in panels.iter().zip(frames).enumerate() {
        // Refits and their mean in panels of their own, or both in one panel.
        let cells = match options.split {
            false => vec![(frame, *shown)],
            true => {
                let apart = match turned {
                    true => frame.columns(2, GAP),
                    false => frame.stack(2, 40.0),
                };
                let refits = FitsContent {
                    mean: false,
                    ..*shown
                };
                let mean = FitsContent {
                    refits: 0,
                    data: false,
                    ..*shown
                };
                apart.into_iter().zip([refits, mean]).collect()
            }
        };
        if turned {
            write_above(canvas, frame, (&titles[i], lines), theme::INK)?;
        }
        let last = cells.len() - 1;
        for (cell, (frame, shown)) in cells.into_iter().enumerate() {
            let panel = panel(canvas, frame, study, range);
            let lowest = i + columns >= count && (turned || cell == last);
            let leftmost = i % columns == 0 && (!turned || cell == 0);
            if turned && i == 0 {
                // What its refits or its mean are called, in their colour.
                let own = labels(&shown, study).into_iter().skip(1).flatten().next();
                if let Some((name, colour)) = own {
                    let name = match (cell, shown.labels.given("refits")) {
                        (0, None) => format!("{} {name}", drawn_refits(options, data)?),
                        _ => name,
                    };
                    write_above(canvas, frame, (&[name], lines + 1), colour)?;
                }
            }
            let titled = cell == 0 && !turned;
            panel.surround(&Surroundings {
                title: if titled { &titles[i] } else { &[] },
                x_title: lowest.then_some(x_title),
                y_title: leftmost.then_some(y_title),
                y_numbers: leftmost,
                x_numbers: lowest,
                ..Surroundings::default()
            })?;
            let ends = fill(&panel, &shown, study, tables)?;
            if (i + 1) % columns == 0 && (!turned || cell == last) {
                write_labels(canvas, frame, ends)?;
            }
        }
    }
    Ok(())
}

/// Lines above the middle of a frame, the first of them in some line from below.
fn write_above(
    canvas: &Canvas,
    frame: Frame,
    (lines, from): (&[String], usize),
    colour: theme::Colour,
) -> Result<(), FigureError> {
    for (i, line) in lines.iter().enumerate() {
        let place = (
            (frame.left + frame.right) / 2.0,
            frame.top - TITLE * (from as f64 - i as f64 - 0.25),
        );
        canvas.label(place, line, (theme::LABEL, true), colour, Side::Middle)?;
    }
    Ok(())
}

/// The lines above a panel: which learner, if there are several, and at which value.
pub fn title(shown: &FitsContent, several: bool) -> Vec<String> {
    let mut lines = lines(shown.series, shown.value, several);
    if several && let Some(first) = lines.first_mut() {
        *first = shown.labels.of(first).to_owned();
    }
    lines
}

/// The same for a curve and one of its values.
pub fn lines(series: Series, value: f64, several: bool) -> Vec<String> {
    let names = series.names(several).into_iter();
    names.chain(setting(series, value)).collect()
}

/// What runs up a panel along x.
pub fn upwards(study: &StudyDescription) -> &'static str {
    match study.classes {
        0 if study.density => "density",
        0 => "y",
        _ => "probability of class 1",
    }
}

/// Every learner at the chosen values.
pub fn shown<'a>(
    study: &'a StudyDescription,
    options: &Fits,
    tables: &Tables,
) -> Result<ShownAt<'a>, FigureError> {
    let mut shown = Vec::new();
    for curve in learners(study, &options.learners) {
        let (series, best) = best(tables, curve, options.second)?;
        let values = values(curve, options, best).into_iter();
        shown.extend(values.map(|value| (series, value)));
    }
    Ok(shown)
}

/// The sweep values to draw of a learner.
fn values(curve: &Curve, options: &Fits, best: f64) -> Vec<f64> {
    let Some(axis) = curve.axes.first() else {
        return vec![f64::NAN];
    };
    let mut values = match &options.values {
        Some(values) => values.clone(),
        None if options.learners.len() > 1 => vec![best],
        None => {
            let ends = [axis.values.first(), axis.values.last()].map(|v| v.copied());
            let [first, last] = ends.map(|value| value.unwrap_or(f64::NAN));
            vec![first, best, last]
        }
    };
    values.retain(|value| axis.values.contains(value));
    values.dedup();
    values
}

/// A panel along x.
pub fn panel<'a, 'b>(
    canvas: &'a Canvas<'b>,
    frame: Frame,
    study: &StudyDescription,
    heights: (f64, f64),
) -> Panel<'a, 'b> {
    let x = Axis::new(Scale::Linear, study.range, (frame.left, frame.right));
    let y = Axis::new(Scale::Linear, heights, (frame.bottom, frame.top));
    Panel::new(canvas, frame, x, y)
}

/// A range that shows the truth, the data, and the refits unless they are wild.
pub fn heights(
    panels: &[FitsContent],
    study: &StudyDescription,
    tables: &Tables,
) -> Result<(f64, f64), FigureError> {
    let (mut firm, mut loose): (Vec<f64>, Vec<f64>) = Default::default();
    for shown in panels {
        if shown.data {
            firm.extend(first_data(shown, study, tables).1);
        }
        let rows = rows_at(&tables.points, shown.series, shown.value)?;
        firm.extend(column(
            &tables.points,
            &output_column(study, columns::TRUTH),
            &rows,
        ));
        loose.extend(column(
            &tables.points,
            &output_column(study, columns::MEAN),
            &rows,
        ));
        let points = rows.len();
        let rows = rows_at(&tables.fits, shown.series, shown.value)?;
        let predictions = column(
            &tables.fits,
            &output_column(study, columns::PREDICTION),
            &rows,
        );
        let from = (points * shown.first).min(predictions.len());
        let to = (from + points * shown.refits).min(predictions.len());
        let mut sorted = predictions[from..to].to_vec();
        sorted.sort_by(f64::total_cmp);
        let tail = sorted.len() / 40;
        loose.extend_from_slice(&sorted[tail..sorted.len() - tail]);
    }
    // Wild fits are cut rather than truth and data squeezed.
    let ends = |values: &[f64]| {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (low, high)
    };
    let ((low, high), (loose_low, loose_high)) = (ends(&firm), ends(&loose));
    let reach = 0.6 * (high - low);
    if reach > 0.0 {
        firm.push(loose_low.clamp(low - reach, low));
        firm.push(loose_high.clamp(high, high + reach));
    } else {
        firm.extend([loose_low, loose_high]);
    }
    Ok(room(firm.into_iter(), Scale::Linear, 0.08))
}

/// What the truth, one fit, several, and their mean are called.
pub fn curve_names(study: &StudyDescription) -> [&'static str; 4] {
    let mean = match study.loss {
        Loss::Log => "geometric mean",
        _ => "mean estimate",
    };
    match study.density {
        true => ["true density", "estimate", "estimates", mean],
        false => ["truth", "fit", "refits", "mean fit"],
    }
}

/// The labels of what a panel shows, with their colours.
fn labels(shown: &FitsContent, study: &StudyDescription) -> [Option<(String, theme::Colour)>; 3] {
    let [truth, fit, refits, mean_fit] = curve_names(study);
    let name = |key: &str, usual: &str| {
        let given = shown.labels.given(key);
        given.unwrap_or(usual).to_owned()
    };
    let refits = match shown.refits {
        0 => None,
        1 => Some((name("refits", fit), theme::VARIANCE)),
        _ => Some((name("refits", refits), theme::VARIANCE)),
    };
    let mean = shown.mean.then(|| (name("mean", mean_fit), theme::BIAS));
    let truth = shown.truth.then(|| (name("truth", truth), theme::TRUTH));
    [truth, refits, mean]
}

/// Draws the panel's content and returns the labels of its curves' ends.
pub fn fill(
    panel: &Panel,
    shown: &FitsContent,
    study: &StudyDescription,
    tables: &Tables,
) -> Result<Vec<Label>, FigureError> {
    let rows = rows_at(&tables.points, shown.series, shown.value)?;
    let xs = column(&tables.points, columns::X, &rows);
    let truth = column(&tables.points, &output_column(study, columns::TRUTH), &rows);
    let mean = column(&tables.points, &output_column(study, columns::MEAN), &rows);
    let fits = rows_at(&tables.fits, shown.series, shown.value)?;
    let predictions = column(
        &tables.fits,
        &output_column(study, columns::PREDICTION),
        &fits,
    );
    let refits: Vec<&[f64]> = match xs.len() {
        0 => Vec::new(),
        points => predictions
            .chunks_exact(points)
            .skip(shown.first)
            .take(shown.refits)
            .collect(),
    };
    let (width, alpha) = match refits.len() {
        0..=1 => (3.4, 1.0),
        2..=6 => (2.2, 0.65),
        _ => (theme::REFIT, 0.3),
    };
    if refits.len() <= 1 && shown.truth {
        panel.curve(xs, truth, Stroke::new(theme::TRUTH, 3.2))?;
    }
    for fit in &refits {
        panel.curve(xs, fit, Stroke::new(theme::VARIANCE, width).faint(alpha))?;
    }
    if refits.len() > 1 && shown.truth {
        panel.curve(xs, truth, Stroke::new(theme::TRUTH, theme::CURVE))?;
    }
    if shown.mean {
        panel.curve(xs, mean, Stroke::new(theme::BIAS, theme::CURVE))?;
    }
    // Points lie above the curves, or a fit that hits them would hide them.
    if shown.data {
        let (x, y) = first_data(shown, study, tables);
        // Few points can be larger.
        let radius = if x.len() <= 40 { 5.0 } else { 3.6 };
        panel.dots(x, y, radius + 1.0, (255, 255, 255), 0.8)?;
        panel.dots(x, y, radius, theme::DATA, 0.9)?;
    }
    let ends = [
        truth.last(),
        refits.first().and_then(|fit| fit.last()),
        mean.last(),
    ];
    let ends = labels(shown, study).into_iter().zip(ends);
    Ok(ends
        .filter_map(|(label, end)| {
            let ((text, colour), end) = label.zip(end)?;
            Some(Label {
                text,
                colour,
                y: panel.y.place(*end),
            })
        })
        .collect())
}

/// The training set that a panel's first refit was fitted to: inputs and labels. Within a
/// resample, the training sets stand problem after problem.
fn first_data<'a>(
    shown: &FitsContent,
    study: &StudyDescription,
    tables: &'a Tables,
) -> (&'a [f64], &'a [f64]) {
    let curve = shown.series.curve;
    let same = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan());
    let setting = (0..curve.settings()).find(|&setting| {
        same(curve.value(setting), shown.value) && same(curve.second(setting), shown.series.second)
    });
    let problem = setting.map_or(0, |setting| study.problem_of(curve, setting));
    let sizes = study.train.iter().copied();
    let before: usize = sizes.clone().take(problem).sum();
    let start = shown.first * sizes.clone().sum::<usize>() + before;
    let rows = start..start + sizes.clone().nth(problem).unwrap_or(0);
    let get = |name: &str| column(&tables.training, name, &rows);
    (get(columns::X), get(columns::Y))
}
