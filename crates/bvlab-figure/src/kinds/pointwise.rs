//! The parts of the error along x, with the fits above: one column per learner.

use super::fits::{self, FitsContent};
use crate::axis::{Axis, room};
use crate::canvas::{Canvas, Stroke};
use crate::error::FigureError;
use crate::labels::{Label, labels_width, write_labels};
use crate::panel::{Frame, Panel, Surroundings, TITLE, broken_titles, y_room};
use crate::picture::{FigureData, Picture, mean, sentence};
use crate::select::{Series, ShownAt, best, column, learners, rows_at};
use crate::theme;
use bvlab_core::plan::{Scale, StudyDescription};
use bvlab_core::words::short;
use bvlab_experiment::{Part, Pointwise};
use bvlab_outcome::{Tables, columns};

const PARTS: [Part; 4] = [Part::Noise, Part::Bias2, Part::Variance, Part::Risk];

/// How many of the parts, from the first, are not drawn: values of a density have no noise.
fn without(study: &StudyDescription) -> usize {
    usize::from(study.density)
}

impl Picture for Pointwise {
    fn caption(&self, data: &FigureData) -> Result<String, FigureError> {
        data.drawn()
    }

    fn draw(&self, canvas: &Canvas, frame: Frame, data: &FigureData) -> Result<(), FigureError> {
        draw(canvas, frame, data.study()?, self, data.tables)
    }

    fn settings<'a>(&self, data: &FigureData<'a>) -> Result<ShownAt<'a>, FigureError> {
        shown(data.study()?, self, data.tables)
    }

    fn describe(&self, data: &FigureData) -> Result<Vec<String>, FigureError> {
        let study = data.study()?;
        let mut sentences = Vec::new();
        for (series, value) in self.settings(data)? {
            let rows = rows_at(&data.tables.points, series, value)?;
            let xs = column(&data.tables.points, columns::X, &rows);
            let said = PARTS.into_iter().zip(parts(series, value, data.tables)?);
            let said = said.skip(without(study));
            let said = said.filter_map(|(part, values)| {
                let name = theme::name(part, study.loss);
                let highest = (0..values.len()).max_by(|a, b| values[*a].total_cmp(&values[*b]))?;
                let (mean, most) = (short(mean(&values)), short(values[highest]));
                Some(match mean == most {
                    true => format!("{name} {mean}"),
                    false => format!(
                        "{name} {mean} on average, {most} at most, at x = {}",
                        short(*xs.get(highest)?)
                    ),
                })
            });
            let said: Vec<String> = said.collect();
            sentences.push(sentence(&fits::lines(series, value, true), &said));
        }
        Ok(sentences)
    }
}

fn draw(
    canvas: &Canvas,
    mut frame: Frame,
    study: &StudyDescription,
    options: &Pointwise,
    tables: &Tables,
) -> Result<(), FigureError> {
    let mut shown = Vec::new();
    for (series, value) in self::shown(study, options, tables)? {
        shown.push(FitsContent {
            series,
            value,
            refits: options.refits,
            mean: true,
            data: false,
            truth: true,
            first: 0,
            labels: &options.labels,
        });
    }
    let [truth, _, refits, mean] = fits::curve_names(study);
    let texts = [("truth", truth), ("refits", refits), ("mean", mean)];
    let texts = texts.map(|(key, usual)| options.labels.given(key).unwrap_or(usual));
    let name = |part| theme::name(part, study.loss);
    frame.right -= labels_width(canvas, PARTS.map(name).into_iter().chain(texts));
    let titles: Vec<Vec<String>> = shown.iter().map(|shown| fits::title(shown, true)).collect();
    let titles = broken_titles(titles, frame, shown.len());
    let lines = titles.iter().map(Vec::len).max().unwrap_or(0);
    frame.top += TITLE * lines as f64;
    let fit_heights = fits::heights(&shown, study, tables)?;
    let mut most: f64 = 0.0;
    for shown in &shown {
        let curves = parts(shown.series, shown.value, tables)?;
        most = curves.iter().flatten().copied().fold(most, f64::max);
    }
    let (_, most) = room([0.0, most].into_iter(), Scale::Linear, 0.05);
    let part_axis = |frame: Frame| Axis::new(Scale::Linear, (0.0, most), (frame.bottom, frame.top));
    let fit_axis = Axis::new(Scale::Linear, fit_heights, (frame.bottom, frame.top));
    frame.left += y_room(&part_axis(frame)).max(y_room(&fit_axis));
    let count = shown.len();
    let y_title = options.labels.y.as_deref();
    let y_title = y_title.unwrap_or(theme::error(study.loss));
    for (i, (shown, whole)) in shown.iter().zip(frame.columns(count, 46.0)).enumerate() {
        let mut below = whole;
        if shown.refits > 0 {
            let above;
            [above, below] = whole.rows(0.47, 40.0);
            let panel = fits::panel(canvas, above, study, fit_heights);
            panel.surround(&Surroundings {
                title: &titles[i],
                y_title: (i == 0).then_some(fits::upwards(study)),
                y_numbers: i == 0,
                ..Surroundings::default()
            })?;
            let ends = fits::fill(&panel, shown, study, tables)?;
            if i + 1 == count {
                write_labels(canvas, above, ends)?;
            }
        }
        let x = Axis::new(Scale::Linear, study.range, (below.left, below.right));
        let panel = Panel::new(canvas, below, x, part_axis(below));
        panel.surround(&Surroundings {
            title: if shown.refits == 0 { &titles[i] } else { &[] },
            x_title: Some(options.labels.x.as_deref().unwrap_or("x")),
            y_title: (i == 0).then_some(y_title),
            y_numbers: i == 0,
            x_numbers: true,
            ..Surroundings::default()
        })?;
        let rows = rows_at(&tables.points, shown.series, shown.value)?;
        let xs = column(&tables.points, columns::X, &rows);
        let mut ends = Vec::new();
        for (part, values) in PARTS
            .into_iter()
            .zip(parts(shown.series, shown.value, tables)?)
            .skip(without(study))
        {
            panel.curve(xs, &values, Stroke::new(theme::colour(part), 3.0))?;
            ends.push(Label {
                text: name(part).to_owned(),
                colour: theme::colour(part),
                y: values
                    .last()
                    .map_or(below.bottom, |value| panel.y.place(*value)),
            });
        }
        if i + 1 == count {
            write_labels(canvas, below, ends)?;
        }
    }
    Ok(())
}

/// Every learner at the chosen value, or at its best.
fn shown<'a>(
    study: &'a StudyDescription,
    options: &Pointwise,
    tables: &Tables,
) -> Result<ShownAt<'a>, FigureError> {
    let curves = learners(study, &options.learners).into_iter();
    let shown = curves.map(|curve| {
        let (series, best) = best(tables, curve, options.second)?;
        Ok(match (series.axis(), options.value) {
            (Some(axis), Some(value)) if axis.values.contains(&value) => (series, value),
            _ => (series, best),
        })
    });
    shown.collect()
}

/// Noise, bias², variance and risk at every test point.
fn parts(series: Series, value: f64, tables: &Tables) -> Result<[Vec<f64>; 4], FigureError> {
    let rows = rows_at(&tables.points, series, value)?;
    let get = |name: &str| column(&tables.points, name, &rows).to_vec();
    let [noise, bias2, variance] = [columns::NOISE, columns::BIAS2, columns::VARIANCE].map(get);
    let risk = noise.iter().zip(&bias2).zip(&variance);
    let risk = risk
        .map(|((noise, bias2), variance)| noise + bias2 + variance)
        .collect();
    Ok([noise, bias2, variance, risk])
}
