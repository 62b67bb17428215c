//! A part of the error over a measure of capacity that learners share, in place of the swept parameter.

use std::borrow::Cow;

use super::content::{headline, names};
use crate::axis::{Axis, room};
use crate::canvas::{Canvas, Place, Stroke};
use crate::error::FigureError;
use crate::labels::{Label, labels_width, write_at_ends, write_led};
use crate::notes::{NoteCurve, Obstacles, write_among};
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
    /// The place of the largest x that a panel shows, where its label stands.
    fn end(&self, panel: &Panel) -> Option<Place> {
        let places = self.xs.iter().zip(&self.values);
        let places = places.map(|(x, y)| panel.at(*x, *y));
        places
            .filter(|place| panel.shows(*place))
            .max_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// The curve as notes find it.
    fn note_curve(&self) -> NoteCurve<'_> {
        NoteCurve {
            names: vec![&self.label, &self.series.curve.name],
            xs: &self.xs,
            ys: Cow::Borrowed(&self.values),
        }
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

/// What the dots are.
pub fn footer() -> Vec<String> {
    let words = "dots: the values of the sweep, with 95 % intervals";
    vec![words.to_owned()]
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
        let label = match names(&series, several, options).join(", ") {
            label if label.is_empty() => options.labels.of(&series.curve.name).to_owned(),
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
    let part = theme::name(headline(options), study.loss);
    let page_right = frame.right;
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
        Scale::Log if options.y_min.is_some_and(|least| least < high) => {
            options.y_min.unwrap_or(least)
        }
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
        x_title: Some(options.labels.x.as_deref().unwrap_or(measure(x).1)),
        y_title: Some(options.labels.y.as_deref().unwrap_or(part)),
        y_numbers: true,
        x_numbers: true,
        x_whole: false,
        named: &[],
        joined: [false; 2],
        plain: false,
    })?;
    let mut ends = Vec::new();
    if let Some((name, start, slope)) = theory {
        let line = [from, to].map(|x| start + slope * x);
        let stroke = Stroke::new(theme::NOISE, theme::EXACT).dashed();
        panel.curve(&[from, to], &line, stroke)?;
        ends.push(label(name, theme::NOISE, panel.y.place(line[1])));
    }
    for trail in &trails {
        draw_trail(&panel, trail, factor(data.tables))?;
    }
    let curves: Vec<NoteCurve> = trails.iter().map(Trail::note_curve).collect();
    let mut crowd = Obstacles::of(&panel, &curves);
    if let Some((_, start, slope)) = theory {
        let [low, high] = [from, to].map(|x| panel.at(x, start + slope * x));
        crowd.add_line(low, high);
    }
    for end in &ends {
        let high = theme::LABEL * 0.6;
        crowd
            .texts
            .push([frame.right, end.y - high, page_right, end.y + high]);
    }
    let mut drawn = vec![false; options.notes.len()];
    let names: Vec<&str> = trails
        .iter()
        .map(|t| t.series.curve.name.as_str())
        .collect();
    let among = (&mut crowd, &mut drawn[..]);
    write_among(&panel, &names, &options.notes, &curves, among)?;
    let labels = trails.iter().map(|trail| {
        let end = trail.end(&panel).unwrap_or((frame.right, frame.bottom));
        (label(&trail.label, trail.colour, end.1), end)
    });
    let beside = write_at_ends(&panel, labels.collect(), &mut crowd, page_right)?;
    let flat = ends.into_iter().map(|end| {
        let place = (frame.right, end.y);
        (end, place)
    });
    write_led(canvas, frame, flat.chain(beside).collect())
}

fn label(text: &str, colour: theme::Colour, y: f64) -> Label {
    Label {
        text: text.to_owned(),
        colour,
        y,
    }
}

/// A curve with a dot and an interval for every value of the sweep.
fn draw_trail(panel: &Panel, trail: &Trail, reach: f64) -> Result<(), FigureError> {
    let stroke = Stroke::new(trail.colour, theme::EXACT);
    panel.curve(&trail.xs, &trail.values, stroke)?;
    let points = trail.xs.iter().zip(&trail.values).zip(&trail.errors);
    for ((x, value), se) in points {
        let bar = Stroke::new(trail.colour, theme::BAR_LINE).faint(0.7);
        let (low, high) = (value - reach * se, value + reach * se);
        if low.is_finite() && high.is_finite() && panel.spans(*x) {
            panel.bar(*x, low, high, bar)?;
        }
    }
    panel.dots(&trail.xs, &trail.values, 4.4, trail.colour, 0.9)
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
