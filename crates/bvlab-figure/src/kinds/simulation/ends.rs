//! The names of curves: beside the panel, at their ends, or at their highest places.

use super::breadth;
use super::content::{SimulationContent, SimulationCurve, is_ground};
use crate::axis::Axis;
use crate::canvas::Side;
use crate::error::FigureError;
use crate::labels::Label;
use crate::notes::Obstacles;
use crate::panel::{Frame, Panel};
use crate::text::text_width;
use crate::theme::{self, Colour};
use bvlab_core::plan::Scale;
use bvlab_core::simulation::PanelStyle;
use bvlab_core::words::number;

/// A curve whose last place lies before this share of the panel has its name there.
const EARLY: f64 = 0.8;

/// Ends that are nearer to each other are at one height.
const LEVEL: f64 = 7.0;

/// Where the heights of curves that all end at one place are compared.
const COMPARED: f64 = 0.7;

/// What a name may cover of curves, as a cost, to stand in the panel.
const CROWDED: f64 = 330.0;

/// The name of a curve or of a level.
pub struct EndName<'a> {
    pub text: String,
    pub colour: Colour,
    /// The value that it belongs to.
    value: f64,
    /// The curve, and its last place, of one that ends early.
    curve: Option<&'a SimulationCurve>,
    early: Option<f64>,
}

/// The last place of a curve that can be seen, and how far across the panel that is.
fn last_seen(content: &SimulationContent, curve: &SimulationCurve) -> Option<(f64, f64, f64)> {
    let x = Axis::new(content.panel.x_scale, breadth(content), (0.0, 1.0));
    let y = Axis::new(content.panel.y_scale, content.range, (0.0, 1.0));
    let places = curve.xs.iter().zip(curve.line());
    places.rev().find_map(|(at, value)| {
        let (across, up) = (x.place(*at), y.place(*value));
        let seen = (-0.01..1.01).contains(&across) && (-0.03..1.03).contains(&up);
        (seen && value.is_finite()).then_some((*at, *value, across))
    })
}

/// What is written on the right of a panel.
pub fn names(content: &SimulationContent) -> Vec<EndName<'_>> {
    let named = |name: &str| content.curves.iter().any(|curve| curve.name == name);
    // What belongs to a series, such as its bound, has its colour and needs no label.
    let belongs = |name: &str| {
        name.split_once(": ")
            .is_some_and(|(series, _)| named(series))
    };
    let count = content.curves.len() as f64;
    if content.panel.look == PanelStyle::Cells {
        let rows = content.curves.iter().zip(0_u32..);
        return rows
            .map(|(curve, row)| {
                let mean = curve.values.iter().sum::<f64>() / curve.values.len().max(1) as f64;
                EndName {
                    text: format!("{}: mean {}", curve.label, number(round(mean))),
                    colour: theme::INK,
                    value: count - f64::from(row) - 0.5,
                    curve: None,
                    early: None,
                }
            })
            .collect();
    }
    let steps = content.panel.look == PanelStyle::Steps;
    let unnamed = |name: &str| steps && is_ground(name);
    let curves = content
        .curves
        .iter()
        .filter(|_| content.labelled && !at_peaks(content));
    let curves = curves.filter(|curve| !belongs(&curve.name) && !unnamed(&curve.name));
    // What a log axis does not show has no name.
    let curves = curves.filter_map(|curve| {
        let (x, value, across) = last_seen(content, curve)?;
        Some(EndName {
            text: curve.label.clone(),
            colour: curve.colour,
            value,
            curve: Some(curve),
            early: (!steps && across < EARLY).then_some(x),
        })
    });
    let levels = content.panel.levels.iter();
    let levels = levels.map(|(value, text)| EndName {
        text: text.clone(),
        colour: theme::meant(text).unwrap_or(theme::SOFT),
        value: *value,
        curve: None,
        early: None,
    });
    curves.chain(levels).collect()
}

/// Three decimals are enough for a mean.
fn round(value: f64) -> f64 {
    (1000.0 * value).round() / 1000.0
}

/// The labels beside a panel. Those of curves that end at one height stand as the curves did before.
pub fn beside(panel: &Panel, names: &[EndName]) -> Vec<Label> {
    let Frame { left, right, .. } = panel.frame;
    let compared = left + COMPARED * (right - left);
    let before = |name: &EndName| {
        let places = name.curve.into_iter();
        let places = places.flat_map(|curve| curve.xs.iter().zip(curve.line()));
        let places = places.map(|(x, y)| panel.at(*x, *y));
        let away = |place: &(f64, f64)| (place.0 - compared).abs();
        let nearest = places.min_by(|a, b| away(a).total_cmp(&away(b)));
        nearest.map_or(panel.y.place(name.value), |(_, y)| y)
    };
    let end = |name: &EndName| panel.y.place(name.value);
    let mut sorted: Vec<&EndName> = names.iter().collect();
    sorted.sort_by(|a, b| end(a).total_cmp(&end(b)));
    let mut labels = Vec::new();
    for level in sorted.chunk_by_mut(|a, b| end(b) - end(a) < LEVEL) {
        let y = level.iter().map(|name| end(name)).sum::<f64>() / level.len() as f64;
        level.sort_by(|a, b| before(a).total_cmp(&before(b)));
        labels.extend(level.iter().map(|name| Label {
            text: name.text.clone(),
            colour: name.colour,
            y,
        }));
    }
    labels
}

/// Writes the names of curves that end early at their ends, where there is room; returns the others.
pub fn write_early<'a>(
    panel: &Panel,
    names: Vec<EndName<'a>>,
    crowd: &mut Obstacles,
) -> Result<Vec<EndName<'a>>, FigureError> {
    let mut others = Vec::new();
    for name in names {
        let area = name
            .early
            .and_then(|x| room_at(panel, &name.text, panel.at(x, name.value), crowd));
        match area {
            Some(area) => {
                let style = (theme::LABEL, true);
                let canvas = panel.canvas;
                crowd.texts.push(area);
                canvas.clear(area, 0.75)?;
                let place = (area[0], (area[1] + area[3]) / 2.0);
                canvas.label(place, &name.text, style, name.colour, Side::Right)?;
            }
            None => others.push(name),
        }
    }
    Ok(others)
}

/// Where a name stands near the end of its curve: beside it if there is room, else above, below or
/// before it.
fn room_at(panel: &Panel, text: &str, (x, y): (f64, f64), crowd: &Obstacles) -> Option<[f64; 4]> {
    let frame = panel.frame;
    let half = text_width(text, theme::LABEL, true) / 2.0;
    let high = theme::LABEL * 0.5;
    let asides = [half + 14.0, half, 0.0, -half, -half - 14.0];
    let areas = asides.iter().zip(0_u32..).flat_map(|(dx, rank)| {
        let downs = [0.0, -16.0, 16.0, -28.0, 28.0, -44.0, 44.0];
        downs.map(|dy| {
            let (x, y) = (x + dx, y + dy);
            let area = [x - half, y - high, x + half, y + high];
            let away = 3.0 * f64::from(rank) + 0.4 * f64::abs(dy);
            (crowd.cost(area, None) + away, area)
        })
    });
    let inside = |(cost, area): &(f64, [f64; 4])| {
        *cost < CROWDED
            && area[0] > frame.left + 8.0
            && area[2] < frame.right
            && area[1] > frame.top
            && area[3] < frame.bottom - 6.0
    };
    let best = areas.filter(inside).min_by(|a, b| a.0.total_cmp(&b.0));
    best.map(|(_, area)| area)
}

/// Whether curves are named at their highest places: lines that all end at one height below it.
pub fn at_peaks(content: &SimulationContent) -> bool {
    let (low, high) = content.range;
    let ends = content
        .curves
        .iter()
        .filter_map(|curve| curve.values.last());
    let near = |end: &f64| (end - low).abs() < 0.03 * (high - low);
    content.panel.look == PanelStyle::Curves
        && content.panel.y_scale == Scale::Linear
        && content.curves.len() > 2
        && content.curves.iter().all(SimulationCurve::is_exact)
        && ends.clone().count() == content.curves.len()
        && ends.clone().all(near)
}

/// The room that names need above the highest place.
const ABOVE_PEAKS: f64 = 30.0;

/// The range of the vertical axis with room for names at peaks.
pub fn with_headroom(content: &SimulationContent, frame: Frame) -> (f64, f64) {
    let (low, high) = content.range;
    if !content.labelled || !at_peaks(content) {
        return (low, high);
    }
    let values = content.curves.iter().flat_map(|curve| &curve.values);
    let most = values.copied().fold(low, f64::max);
    let share = 1.0 - ABOVE_PEAKS / (frame.bottom - frame.top).max(2.0 * ABOVE_PEAKS);
    (low, high.max(low + (most - low) / share))
}

/// Writes the names of curves at their highest places, each above those that it would meet.
pub fn name_peaks(panel: &Panel, content: &SimulationContent) -> Result<(), FigureError> {
    let mut taken: Vec<(f64, f64)> = Vec::new();
    for curve in &content.curves {
        let places = curve.xs.iter().zip(&curve.values);
        let Some((x, y)) = places.max_by(|a, b| a.1.total_cmp(b.1)) else {
            continue;
        };
        let (x, mut y) = panel.at(*x, *y);
        y -= 14.0;
        let width = text_width(&curve.label, theme::LABEL, true);
        let mut left = (x + 4.0).min(panel.frame.right + 20.0 - width);
        let meets = |left: f64, y: f64| {
            let mut others = taken.iter();
            others.any(|(right, other)| left < *right && (y - other).abs() < 28.0)
        };
        // A step to the right keeps it near its peak; else it goes up.
        while meets(left, y) && left < x + 24.0 {
            left += 4.0;
        }
        while meets(left, y) {
            y -= 4.0;
        }
        taken.push((left + width + 12.0, y));
        let style = (theme::LABEL, true);
        let place = (left, y);
        panel
            .canvas
            .label(place, &curve.label, style, curve.colour, Side::Right)?;
    }
    Ok(())
}
