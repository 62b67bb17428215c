//! The variance by source over the sweep, stacked.

use super::axis::{Axis, room};
use super::canvas::{Canvas, Stroke};
use super::error::FigureError;
use super::panel::{Frame, Label, Panel, Surroundings, TITLE, labels_width, write_labels, y_room};
use super::select::{Series, column, doubtful, rows_of, series, stretches};
use super::text::text_width;
use super::theme;
use bvlab_core::decompose::SOURCES;
use bvlab_core::plan::{Scale, StudyDescription};
use bvlab_experiment::SourcesFigure;
use bvlab_outcome::{Tables, columns};

/// What the parts are called, in the order of [`SOURCES`].
const NAMES: [&str; 7] = [
    "inputs",
    "label noise",
    "algorithm",
    "inputs × noise",
    "inputs × algorithm",
    "noise × algorithm",
    "all three",
];

/// One panel: the parts as layers, each from the sum of those before it to its own.
struct Content<'a> {
    series: Series<'a>,
    xs: Vec<f64>,
    /// By part: empty where a source has none.
    layers: Vec<Option<(Vec<f64>, Vec<f64>)>>,
    total: Vec<f64>,
    /// How high the layers reach together.
    heights: Vec<f64>,
    /// Where the tail is too heavy for a mean.
    doubtful: Vec<bool>,
}

/// Whether chance makes an estimate of a part negative.
pub fn has_negative(study: &StudyDescription, options: &SourcesFigure, tables: &Tables) -> bool {
    let drawn = series(study, &options.learners, options.second.as_deref());
    drawn.into_iter().any(|series| {
        let rows = rows_of(&tables.curves, series).unwrap_or(0..0);
        SOURCES.iter().any(|(_, name)| {
            let part = column(&tables.curves, &format!("variance_{name}"), &rows);
            part.iter().any(|value| *value < 0.0)
        })
    })
}

/// Whether some mean is not to be believed, and left out.
pub fn has_gap(study: &StudyDescription, options: &SourcesFigure, tables: &Tables) -> bool {
    let drawn = series(study, &options.learners, options.second.as_deref());
    drawn
        .into_iter()
        .any(|series| doubtful(series, tables).contains(&true))
}

pub fn draw(
    canvas: &Canvas,
    mut frame: Frame,
    study: &StudyDescription,
    options: &SourcesFigure,
    tables: &Tables,
) -> Result<(), FigureError> {
    let swept = series(study, &options.learners, options.second.as_deref());
    let mut contents = Vec::new();
    for series in swept.into_iter().filter(|series| series.axis().is_some()) {
        contents.push(content(series, options, tables)?);
    }
    let several = options.learners.len() > 1;
    let drawn = |part: &usize| contents.iter().any(|c| c.layers[*part].is_some());
    let names = (0..NAMES.len()).filter(drawn).map(|part| NAMES[part]);
    frame.right -= labels_width(names.chain(["variance"]));
    let titles = contents
        .iter()
        .map(|content| content.series.names(several).len());
    frame.top += TITLE * titles.max().unwrap_or(0) as f64;
    let believed = contents.iter().flat_map(|content| {
        let heights = content.total.iter().zip(&content.heights);
        let heights = heights.map(|(total, height)| total.max(*height));
        let heights = heights.zip(&content.doubtful);
        heights
            .filter(|(_, doubtful)| !**doubtful)
            .map(|(height, _)| height)
    });
    let most = believed
        .filter(|value| value.is_finite())
        .fold(0.0, f64::max);
    let high = match (options.share, options.y_max) {
        (true, _) => 1.0,
        (false, Some(most)) => most,
        (false, None) if most > 0.0 => 1.06 * most,
        (false, None) => 1.0,
    };
    let y_axis = |frame: Frame| Axis::new(Scale::Linear, (0.0, high), (frame.bottom, frame.top));
    frame.left += y_room(&y_axis(frame));
    let frames = frame.columns(contents.len(), 46.0);
    let last = contents.len() - 1;
    for (i, (content, frame)) in contents.iter().zip(frames).enumerate() {
        let axis = content
            .series
            .axis()
            .expect("only swept learners have a panel");
        let scale = options.x_scale.unwrap_or(axis.scale);
        let range = room(axis.values.iter().copied(), scale, 0.0);
        let x = Axis::new(scale, range, (frame.left, frame.right));
        let panel = Panel::new(canvas, frame, x, y_axis(frame));
        let long = format!("{} ({})", axis.name, axis.about);
        let fits = text_width(&long, theme::AXIS, false) < frame.right - frame.left;
        panel.surround(&Surroundings {
            title: &content.series.names(several),
            above: 0.0,
            x_title: Some(if fits { &long } else { &axis.name }),
            y_title: (i == 0).then_some(match options.share {
                true => "share of the variance",
                false => "variance",
            }),
            y_numbers: i == 0,
            x_numbers: true,
            x_whole: axis.values.iter().all(|value| value.fract() == 0.0),
        })?;
        let mut ends = Vec::new();
        for (part, layer) in content.layers.iter().enumerate() {
            let Some((low, high)) = layer else { continue };
            let colour = theme::SOURCES[part];
            // Means that are not to be believed leave a gap.
            for (range, _) in stretches(&content.doubtful, content.xs.len())
                .into_iter()
                .filter(|(_, believed)| *believed)
            {
                let xs = &content.xs[range.clone()];
                let (low, high) = (&low[range.clone()], &high[range]);
                panel.band(xs, low, high, colour, 0.92)?;
                panel.curve(xs, high, Stroke::new((255, 255, 255), 1.2))?;
            }
            let middle = low.last().zip(high.last());
            let middle = middle.map_or(0.0, |(low, high)| (low + high) / 2.0);
            ends.push(Label {
                text: NAMES[part].to_owned(),
                colour: theme::darker(colour),
                y: panel.y.place(middle),
            });
        }
        if !options.share {
            for (range, believed) in stretches(&content.doubtful, content.xs.len()) {
                if believed {
                    let (xs, total) = (&content.xs[range.clone()], &content.total[range]);
                    panel.curve(xs, total, Stroke::new(theme::INK, 2.6))?;
                }
            }
            let end = content.total.last().copied().unwrap_or(0.0);
            ends.push(Label {
                text: "variance".to_owned(),
                colour: theme::INK,
                y: panel.y.place(end) - 4.0,
            });
        }
        // What only other panels have is named too.
        for part in (0..NAMES.len()).filter(|part| drawn(part) && content.layers[*part].is_none()) {
            ends.push(Label {
                text: NAMES[part].to_owned(),
                colour: theme::darker(theme::SOURCES[part]),
                y: frame.top,
            });
        }
        for mark in &options.marks {
            panel.mark(mark)?;
        }
        if i == last {
            write_labels(canvas, frame, ends)?;
        }
    }
    Ok(())
}

/// The layers of one curve. A part that chance makes negative has no height; with shares, heights
/// are shares of their sum.
fn content<'a>(
    series: Series<'a>,
    options: &SourcesFigure,
    tables: &Tables,
) -> Result<Content<'a>, FigureError> {
    let rows = rows_of(&tables.curves, series)?;
    let get = |name: &str| column(&tables.curves, name, &rows);
    let parts: Vec<&[f64]> = SOURCES
        .iter()
        .map(|(_, name)| get(&columns::variance_of_source(name)))
        .collect();
    let xs = get(columns::VALUE).to_vec();
    let sums: Vec<f64> = (0..xs.len())
        .map(|i| parts.iter().map(|part| part[i].max(0.0)).sum())
        .collect();
    let mut below = vec![0.0; xs.len()];
    let shares = sums.clone();
    let layers = parts.iter().map(|part| {
        if part.iter().all(|value| *value == 0.0) {
            return None;
        }
        let low = below.clone();
        for (i, below) in below.iter_mut().enumerate() {
            *below += match options.share && shares[i] > 0.0 {
                true => part[i].max(0.0) / shares[i],
                false => part[i].max(0.0),
            };
        }
        Some((low, below.clone()))
    });
    Ok(Content {
        series,
        layers: layers.collect(),
        total: get(columns::VARIANCE).to_vec(),
        heights: sums.clone(),
        doubtful: doubtful(series, tables),
        xs,
    })
}
