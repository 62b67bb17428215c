//! A part of the error over a measure of capacity that learners share, in place of the swept parameter.

use super::content::headline;
use crate::axis::{Axis, room};
use crate::canvas::{Canvas, Stroke};
use crate::error::FigureError;
use crate::labels::{Label, labels_width, write_labels};
use crate::notes::write_notes;
use crate::panel::{Frame, Panel, Surroundings, y_room};
use crate::picture::{FigureData, course, sentence};
use crate::select::{Series, column, column_name, doubtful, factor, rows_of, series};
use crate::theme;
use bvlab_core::plan::Scale;
use bvlab_experiment::{CapacityMeasure, Part, Tradeoff};
use bvlab_outcome::{Tables, columns};

/// One learner's curve, in the order of its sweep.
struct Trail<'a> {
    series: Series<'a>,
    label: String,
    colour: theme::Colour,
    xs: Vec<f64>,
    values: Vec<f64>,
    errors: Vec<f64>,
}

impl Trail<'_> {
    /// The value at the largest x, where its label stands.
    fn end(&self) -> Option<f64> {
        let points = self.xs.iter().zip(&self.values);
        let finite = points.filter(|(x, y)| x.is_finite() && y.is_finite());
        finite
            .max_by(|a, b| a.0.total_cmp(b.0))
            .map(|(_, value)| *value)
    }
}

/// Where a measure stands in the table of curves, and what its axis is called.
fn measure(x: CapacityMeasure) -> (&'static str, &'static str) {
    match x {
        CapacityMeasure::Df => (columns::DF, "degrees of freedom"),
        CapacityMeasure::EffectiveParameters => (
            columns::EFFECTIVE_PARAMETERS,
            "effective parameters at the test points",
        ),
        CapacityMeasure::WeightNorm => (columns::WEIGHT_NORM, "norm of the weights"),
        CapacityMeasure::TrainRisk => (columns::TRAIN_RISK, "training error"),
    }
}

pub fn caption(x: CapacityMeasure, data: &FigureData) -> Result<String, FigureError> {
    let (_, name) = measure(x);
    let sets = data.drawn()?;
    Ok(format!(
        "{sets}; over {name}, a dot for every value of the sweep, with 95 % intervals"
    ))
}

/// The curves of all learners that have the measure; means that may not exist are left out.
fn trails<'a>(
    x: CapacityMeasure,
    options: &Tradeoff,
    data: &FigureData<'a>,
) -> Result<Vec<Trail<'a>>, FigureError> {
    let tables: &Tables = data.tables;
    let several = options.learners.len() > 1;
    let all = series(data.study()?, &options.learners, options.second.as_deref());
    let part = column_name(headline(options));
    let mut trails = Vec::new();
    for series in all.into_iter().filter(|series| series.axis().is_some()) {
        let rows = rows_of(&tables.curves, series)?;
        let get = |name: &str| column(&tables.curves, name, &rows).to_vec();
        let xs = get(measure(x).0);
        if !xs.iter().any(|x| x.is_finite()) {
            continue;
        }
        let mut values = get(part);
        let spoiled = doubtful(series, tables);
        for (value, _) in values.iter_mut().zip(spoiled).filter(|(_, bad)| *bad) {
            *value = f64::NAN;
        }
        let label = match series.names(several).join(", ") {
            label if label.is_empty() => series.curve.name.clone(),
            label => label,
        };
        let next = theme::LEARNERS[trails.len() % theme::LEARNERS.len()];
        trails.push(Trail {
            colour: series.curve.colour.unwrap_or(next),
            series,
            label,
            xs,
            values,
            errors: get(&columns::se_of(part)),
        });
    }
    match trails.is_empty() {
        true => Err(FigureError::Missing(format!("`{}`", measure(x).0))),
        false => Ok(trails),
    }
}

/// A flat or rising line of theory: the noise below the risk, or 2σ²/n times the degrees of freedom.
fn theory(
    x: CapacityMeasure,
    options: &Tradeoff,
    tables: &Tables,
) -> Option<(&'static str, f64, f64)> {
    let noise = tables.curves.numbers(columns::NOISE);
    let train = tables.curves.wholes(columns::TRAIN);
    let same = |noise: &&f64| noise.is_finite();
    let first = *noise.first().filter(same)?;
    let even = noise
        .iter()
        .all(|other| (other - first).abs() <= 1e-9 * first);
    let train = train
        .first()
        .filter(|n| train.iter().all(|other| other == *n))?;
    match (headline(options), x) {
        _ if !even => None,
        (Part::Optimism, CapacityMeasure::Df) => {
            Some(("2σ²df/n", 0.0, 2.0 * first / *train as f64))
        }
        (Part::Risk | Part::Test, _) if options.parts.contains(&Part::Noise) => {
            Some(("noise", first, 0.0))
        }
        _ => None,
    }
}

pub fn draw(
    canvas: &Canvas,
    mut frame: Frame,
    x: CapacityMeasure,
    options: &Tradeoff,
    data: &FigureData,
) -> Result<(), FigureError> {
    let study = data.study()?;
    let trails = trails(x, options, data)?;
    let theory = theory(x, options, data.tables);
    let labels = trails.iter().map(|trail| trail.label.as_str());
    frame.right -= labels_width(canvas, labels.chain(theory.map(|(name, ..)| name)));
    let scale = options.x_scale.unwrap_or(Scale::Linear);
    let finite = |value: &f64| value.is_finite() && (scale == Scale::Linear || *value > 0.0);
    let xs = trails.iter().flat_map(|trail| trail.xs.iter().copied());
    let (from, to) = room(xs.filter(finite), scale, 0.02);
    let from = if scale == Scale::Linear {
        from.min(0.0)
    } else {
        from
    };
    let values = || trails.iter().flat_map(|trail| trail.values.iter().copied());
    let top = values()
        .filter(|value| value.is_finite())
        .fold(0.0, f64::max);
    let high = options
        .y_max
        .unwrap_or(if top > 0.0 { 1.06 * top } else { 1.0 });
    let least = values().filter(|value| *value > 0.0).fold(high, f64::min);
    let low = match options.y_scale {
        Scale::Linear => 0.0,
        Scale::Log if least < high => least / 1.3,
        Scale::Log => high / 10.0,
    };
    let y_axis = |frame: Frame| Axis::new(options.y_scale, (low, high), (frame.bottom, frame.top));
    frame.left += y_room(&y_axis(frame));
    let axis = Axis::new(scale, (from, to), (frame.left, frame.right));
    let panel = Panel::new(canvas, frame, axis, y_axis(frame));
    panel.surround(&Surroundings {
        title: &[],
        above: 0.0,
        x_title: Some(measure(x).1),
        y_title: Some(theme::name(headline(options), study.loss)),
        y_numbers: true,
        x_numbers: true,
        x_whole: false,
        named: &[],
        joined: [false; 2],
    })?;
    let mut ends = Vec::new();
    if let Some((name, start, slope)) = theory {
        let line = [from, to].map(|x| start + slope * x);
        let stroke = Stroke::new(theme::NOISE, theme::EXACT).dashed();
        panel.curve(&[from, to], &line, stroke)?;
        ends.push(Label {
            text: name.to_owned(),
            colour: theme::NOISE,
            y: panel.y.place(line[1]),
        });
    }
    let reach = factor(data.tables);
    for trail in &trails {
        panel.curve(
            &trail.xs,
            &trail.values,
            Stroke::new(trail.colour, theme::EXACT),
        )?;
        let points = trail.xs.iter().zip(&trail.values).zip(&trail.errors);
        for ((x, value), se) in points.filter(|((x, _), _)| finite(x)) {
            let bar = Stroke::new(trail.colour, theme::BAR_LINE).faint(0.7);
            let (low, high) = (value - reach * se, value + reach * se);
            if low.is_finite() && high.is_finite() && panel.spans(*x) {
                panel.bar(*x, low, high, bar)?;
            }
        }
        panel.dots(&trail.xs, &trail.values, 4.4, trail.colour, 0.9)?;
        ends.push(Label {
            text: trail.label.clone(),
            colour: trail.colour,
            y: trail
                .end()
                .map_or(frame.bottom, |value| panel.y.place(value)),
        });
    }
    let mut drawn = vec![false; options.notes.len()];
    write_notes(&panel, &[], &options.notes, &[], &mut drawn)?;
    write_labels(canvas, frame, ends)
}

pub fn describe(
    x: CapacityMeasure,
    options: &Tradeoff,
    data: &FigureData,
) -> Result<Vec<String>, FigureError> {
    let study = data.study()?;
    let part = theme::name(headline(options), study.loss);
    let mut said = Vec::new();
    for trail in trails(x, options, data)? {
        let along = course(part, measure(x).1, &trail.xs, &trail.values);
        let heading = match trail.series.names(options.learners.len() > 1) {
            names if names.is_empty() => vec![trail.label],
            names => names,
        };
        said.extend(along.map(|along| sentence(&heading, &[along])));
    }
    Ok(said)
}
