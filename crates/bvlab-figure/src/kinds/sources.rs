//! The variance by source over the sweep, stacked.

use crate::axis::{Axis, room};
use crate::canvas::{Canvas, Stroke};
use crate::error::FigureError;
use crate::panel::{
    Frame, Label, Panel, Surroundings, TITLE, axis_title, is_whole, labels_width, write_labels,
    y_room,
};
use crate::picture::{FigureData, Picture, course, sentence};
use crate::select::{Series, column, doubtful, rows_of, series, stretches};
use crate::theme;
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

impl Picture for SourcesFigure {
    fn caption(&self, data: &FigureData) -> Result<String, FigureError> {
        let (study, tables) = (data.study()?, data.tables);
        let gap = match has_gap(study, self, tables) {
            true => "; gap: heavy tail, no mean",
            false => "",
        };
        let negative = match has_negative(study, self, tables) {
            true => "; negative estimates of a part are not drawn",
            false => "",
        };
        Ok(format!("{}{gap}{negative}", data.drawn()?))
    }

    fn draw(&self, canvas: &Canvas, frame: Frame, data: &FigureData) -> Result<(), FigureError> {
        draw(canvas, frame, data.study()?, self, data.tables)
    }

    fn describe(&self, data: &FigureData) -> Result<Vec<String>, FigureError> {
        let several = self.learners.len() > 1;
        let mut sentences = Vec::new();
        for content in contents(data.study()?, self, data.tables)? {
            let believed = |heights: &[f64]| -> Vec<f64> {
                let pairs = heights.iter().zip(&content.doubtful);
                pairs
                    .map(|(value, doubtful)| if *doubtful { f64::NAN } else { *value })
                    .collect()
            };
            let axis = content.series.axis().map_or("", |axis| axis.name.as_str());
            let said =
                |name: &str, values: &[f64]| course(name, axis, &content.xs, &believed(values));
            let mut parts = Vec::new();
            if !self.share {
                parts.extend(said("variance", &content.total));
            }
            for (layer, name) in content.layers.iter().zip(NAMES) {
                let Some((low, high)) = layer else { continue };
                let heights = low.iter().zip(high).map(|(low, high)| high - low);
                let name = match self.share {
                    true => format!("share of {name}"),
                    false => name.to_owned(),
                };
                parts.extend(said(&name, &heights.collect::<Vec<f64>>()));
            }
            sentences.push(sentence(&content.series.names(several), &parts));
        }
        Ok(sentences)
    }
}

/// A panel for every curve.
fn contents<'a>(
    study: &'a StudyDescription,
    options: &SourcesFigure,
    tables: &Tables,
) -> Result<Vec<Content<'a>>, FigureError> {
    let swept = series(study, &options.learners, options.second.as_deref());
    let swept = swept.into_iter().filter(|series| series.axis().is_some());
    swept
        .map(|series| content(series, options, tables))
        .collect()
}

/// Where the vertical axis ends.
fn highest(contents: &[Content], options: &SourcesFigure) -> f64 {
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
    match (options.share, options.y_max) {
        (true, _) => 1.0,
        (false, Some(most)) => most,
        (false, None) if most > 0.0 => 1.06 * most,
        (false, None) => 1.0,
    }
}

/// Whether chance makes an estimate of a part negative.
fn has_negative(study: &StudyDescription, options: &SourcesFigure, tables: &Tables) -> bool {
    let drawn = series(study, &options.learners, options.second.as_deref());
    drawn.into_iter().any(|series| {
        let rows = rows_of(&tables.curves, series).unwrap_or(0..0);
        SOURCES.iter().any(|(_, name)| {
            let part = column(&tables.curves, &columns::variance_of_source(name), &rows);
            part.iter().any(|value| *value < 0.0)
        })
    })
}

/// Whether the tail of some mean is too heavy for it to be drawn.
fn has_gap(study: &StudyDescription, options: &SourcesFigure, tables: &Tables) -> bool {
    let drawn = series(study, &options.learners, options.second.as_deref());
    drawn
        .into_iter()
        .any(|series| doubtful(series, tables).contains(&true))
}

fn draw(
    canvas: &Canvas,
    mut frame: Frame,
    study: &StudyDescription,
    options: &SourcesFigure,
    tables: &Tables,
) -> Result<(), FigureError> {
    let contents = contents(study, options, tables)?;
    let several = options.learners.len() > 1;
    let drawn = |part: &usize| contents.iter().any(|c| c.layers[*part].is_some());
    let names = (0..NAMES.len()).filter(drawn).map(|part| NAMES[part]);
    frame.right -= labels_width(names.chain(["variance"]));
    let titles = contents
        .iter()
        .map(|content| content.series.names(several).len());
    frame.top += TITLE * titles.max().unwrap_or(0) as f64;
    let high = highest(&contents, options);
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
        panel.surround(&Surroundings {
            title: &content.series.names(several),
            above: 0.0,
            x_title: Some(&axis_title(axis, frame.right - frame.left)),
            y_title: (i == 0).then_some(match options.share {
                true => "share of the variance",
                false => "variance",
            }),
            y_numbers: i == 0,
            x_numbers: true,
            x_whole: is_whole(axis),
        })?;
        let mut ends = fill(&panel, content, options)?;
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

/// Draws the layers and their sum, and returns their labels.
fn fill(
    panel: &Panel,
    content: &Content,
    options: &SourcesFigure,
) -> Result<Vec<Label>, FigureError> {
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
    Ok(ends)
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
