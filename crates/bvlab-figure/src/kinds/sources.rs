//! The variance by source over the sweep, stacked.

use std::borrow::Cow;

use crate::axis::{Axis, room};
use crate::canvas::{Canvas, Place, Stroke};
use crate::error::FigureError;
use crate::notes::{NoteCurve, write_notes};
use crate::panel::{
    Frame, MARKED, Panel, Surroundings, TITLE, axis_title, broken_titles, is_whole, y_room,
};
use crate::picture::{FigureData, Picture, course, sentence};
use crate::select::{Series, column, doubtful, rows_of, series, stretches};
use crate::text::text_width;
use crate::theme;
use bvlab_core::decompose::SOURCES;
use bvlab_core::plan::{Scale, StudyDescription};
use bvlab_experiment::{Anchor, FigureLabels, Note, SourcesFigure};
use bvlab_outcome::{Tables, columns};

/// The share of a layer's greatest thickness that is nearly as thick.
const NEARLY: f64 = 0.6;

/// What the parts are called, in the order of [`SOURCES`]. Those that act together are called by the
/// last words of the single ones.
fn names(labels: &FigureLabels) -> [String; 7] {
    let single = [
        ("inputs", "inputs"),
        ("noise", "label noise"),
        ("algorithm", "algorithm"),
    ];
    let [inputs, noise, algorithm] = single.map(|(key, usual)| labels.given(key).unwrap_or(usual));
    let last = |name: &str| name.rsplit(' ').next().unwrap_or(name).to_owned();
    let both = |a: &str, b: &str| format!("{} × {}", last(a), last(b));
    [
        inputs.to_owned(),
        noise.to_owned(),
        algorithm.to_owned(),
        both(inputs, noise),
        both(inputs, algorithm),
        both(noise, algorithm),
        "all three".to_owned(),
    ]
}

/// One panel: the parts as layers, each from the sum of those before it to its own.
struct SourcesContent<'a> {
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
        data.drawn()
    }

    fn footer(&self, data: &FigureData) -> Result<Vec<String>, FigureError> {
        let (study, tables) = (data.study()?, data.tables);
        let mut said = vec!["×: acting together".to_owned()];
        if has_gap(study, self, tables) {
            said.push("gap: heavy tail, the mean may not exist".to_owned());
        }
        if has_negative(study, self, tables) {
            said.push("parts that are estimated below 0 are not drawn".to_owned());
        }
        Ok(said)
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
            for (layer, name) in content.layers.iter().zip(names(&self.labels)) {
                let Some((low, high)) = layer else { continue };
                let heights = low.iter().zip(high).map(|(low, high)| high - low);
                let name = match self.share {
                    true => format!("share of {name}"),
                    false => name,
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
) -> Result<Vec<SourcesContent<'a>>, FigureError> {
    let swept = series(study, &options.learners, options.second.as_deref());
    let swept = swept.into_iter().filter(|series| series.axis().is_some());
    swept
        .map(|series| content(series, options, tables))
        .collect()
}

/// Where the vertical axis ends.
fn highest(contents: &[SourcesContent], options: &SourcesFigure) -> f64 {
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
    let titles: Vec<Vec<String>> = contents
        .iter()
        .map(|content| content.series.names(several))
        .collect();
    let titles = broken_titles(titles, frame, contents.len());
    let above = if options.marks.is_empty() {
        0.0
    } else {
        MARKED
    };
    let lines = titles.iter().map(Vec::len).max().unwrap_or(0);
    frame.top += TITLE * lines as f64 + above;
    let high = highest(&contents, options);
    let y_axis = |frame: Frame| Axis::new(Scale::Linear, (0.0, high), (frame.bottom, frame.top));
    frame.left += y_room(&y_axis(frame));
    frame.right -= 14.0;
    let frames = frame.columns(contents.len(), 46.0);
    let y_title = options.labels.y.as_deref().unwrap_or(match options.share {
        true => "share of the variance",
        false => "variance",
    });
    for (i, (content, frame)) in contents.iter().zip(frames).enumerate() {
        let axis = content
            .series
            .axis()
            .expect("only swept learners have a panel");
        let scale = options.x_scale.unwrap_or(axis.scale);
        let range = room(axis.values.iter().copied(), scale, 0.0);
        let x = Axis::new(scale, range, (frame.left, frame.right));
        let panel = Panel::new(canvas, frame, x, y_axis(frame));
        let x_title = options.labels.x.clone();
        let x_title = x_title.unwrap_or_else(|| axis_title(axis, frame.right - frame.left));
        panel.surround(&Surroundings {
            title: &titles[i],
            above,
            x_title: Some(&x_title),
            y_title: (i == 0).then_some(y_title),
            y_numbers: i == 0,
            x_numbers: true,
            x_whole: is_whole(axis),
            ..Surroundings::default()
        })?;
        panel.marks(&options.marks)?;
        fill(&panel, content, options)?;
        panel.mark_texts(&options.marks)?;
        write_names(&panel, content, options)?;
    }
    Ok(())
}

/// Draws the layers and their sum.
fn fill(
    panel: &Panel,
    content: &SourcesContent,
    options: &SourcesFigure,
) -> Result<(), FigureError> {
    let believed = || {
        let all = stretches(&content.doubtful, content.xs.len()).into_iter();
        // Means that are not to be believed leave a gap.
        all.filter_map(|(range, believed)| believed.then_some(range))
    };
    for (part, layer) in content.layers.iter().enumerate() {
        let Some((low, high)) = layer else { continue };
        for range in believed() {
            let xs = &content.xs[range.clone()];
            let (low, high) = (&low[range.clone()], &high[range]);
            panel.band(xs, low, high, theme::SOURCES[part], 1.0)?;
            panel.curve(xs, high, Stroke::new((255, 255, 255), 1.2))?;
        }
    }
    if !options.share {
        for range in believed() {
            let (xs, total) = (&content.xs[range.clone()], &content.total[range]);
            panel.curve(xs, total, Stroke::new(theme::INK, 2.6))?;
        }
    }
    Ok(())
}

/// Names the layers: inside where they are thick enough, else beside them with a leader.
fn write_names(
    panel: &Panel,
    content: &SourcesContent,
    options: &SourcesFigure,
) -> Result<(), FigureError> {
    let mut beside = Vec::new();
    let names = names(&options.labels);
    for (part, layer) in content.layers.iter().enumerate() {
        let Some((low, high)) = layer else { continue };
        let style = (theme::CAPTION, false);
        let width = text_width(&names[part], style.0, style.1) + 10.0;
        let edges = Edges::of(panel, content, low, high);
        match edges.inside(width) {
            Some(place) => {
                let ground = theme::SOURCES[part];
                panel.canvas.text_on(place, &names[part], style, ground)?;
            }
            None => beside.extend(edges.thickest().map(|(x, y)| Note {
                text: names[part].clone(),
                anchor: Anchor::Place(x, y),
                at: None,
                panel: None,
            })),
        }
    }
    // Texts beside the layers keep clear of all of them, where there is room.
    let levels: Vec<Vec<f64>> = (0..=12)
        .map(|level| {
            let share = f64::from(level) / 12.0;
            let heights = content.heights.iter();
            heights
                .map(|height| if options.share { share } else { share * height })
                .collect()
        })
        .collect();
    let curve = |ys| NoteCurve {
        names: Vec::new(),
        xs: &content.xs,
        ys,
    };
    let curves: Vec<NoteCurve> = levels
        .iter()
        .map(|level| curve(Cow::Borrowed(level.as_slice())))
        .collect();
    let mut drawn = vec![false; beside.len()];
    write_notes(panel, &[], &beside, &curves, &mut drawn)?;
    // On dark paper the tip of an arrow can hardly be seen in a pale layer.
    let dark = panel.canvas.page.dark;
    for (note, drawn) in beside.iter().zip(drawn) {
        if let (true, true, Anchor::Place(x, y)) = (dark, drawn, &note.anchor) {
            let place = panel.at(*x, *y);
            panel.canvas.dot(place, 5.0, (255, 255, 255), 1.0)?;
        }
    }
    Ok(())
}

/// The lower and upper edge of a layer.
struct Edges {
    points: Vec<EdgePoint>,
}

/// Both edges at one value.
struct EdgePoint {
    /// The value, and the one half-way up.
    at: (f64, f64),
    x: f64,
    low: f64,
    high: f64,
    /// Whether the layer is drawn there.
    drawn: bool,
}

impl Edges {
    fn of(panel: &Panel, content: &SourcesContent, low: &[f64], high: &[f64]) -> Self {
        let (top, bottom) = (panel.frame.top, panel.frame.bottom);
        let place = |value: f64| panel.y.place(value).clamp(top, bottom);
        let point = |i: usize| EdgePoint {
            at: (content.xs[i], (low[i] + high[i]) / 2.0),
            x: panel.x.place(content.xs[i]),
            low: place(low[i]),
            high: place(high[i]),
            drawn: !content.doubtful.get(i).copied().unwrap_or(false),
        };
        Edges {
            points: (0..content.xs.len()).map(point).collect(),
        }
    }

    /// Both edges at a place, straight between the values; `None` in a gap or beyond the ends.
    fn at(&self, place: f64) -> Option<(f64, f64)> {
        let mut pairs = self.points.windows(2);
        let pair = pairs.find(|pair| (pair[0].x..=pair[1].x).contains(&place))?;
        let share = (place - pair[0].x) / (pair[1].x - pair[0].x).max(1e-9);
        let between = |a: f64, b: f64| a + share * (b - a);
        let edges = (
            between(pair[0].low, pair[1].low),
            between(pair[0].high, pair[1].high),
        );
        (pair[0].drawn && pair[1].drawn).then_some(edges)
    }

    /// The middle of the roomiest place for a text of that width.
    fn inside(&self, width: f64) -> Option<Place> {
        let (first, last) = (self.points.first()?.x, self.points.last()?.x);
        let mut best: Option<(f64, Place)> = None;
        let mut centre = first + width / 2.0;
        while centre + width / 2.0 <= last {
            let steps = (0..=8).map(|i| centre + width * (f64::from(i) / 8.0 - 0.5));
            let edges: Option<Vec<(f64, f64)>> = steps.map(|place| self.at(place)).collect();
            if let Some(edges) = edges {
                let floor = edges
                    .iter()
                    .map(|edge| edge.0)
                    .fold(f64::INFINITY, f64::min);
                let roof = edges.iter().map(|edge| edge.1).fold(0.0, f64::max);
                let room = floor - roof;
                if room > best.map_or(theme::CAPTION * 1.2, |(most, _)| most) {
                    best = Some((room, (centre, (floor + roof) / 2.0)));
                }
            }
            centre += 5.0;
        }
        best.map(|(_, place)| place)
    }

    /// The middle of the widest stretch where the layer is nearly as thick as anywhere, in values of the
    /// axes: the edge of a gap is a bad end of a leader.
    fn thickest(&self) -> Option<(f64, f64)> {
        let thick = |point: &EdgePoint| match point.drawn {
            true => point.low - point.high,
            false => 0.0,
        };
        let most = self.points.iter().map(thick).fold(0.0, f64::max);
        // What can hardly be seen needs no name.
        if most <= 7.0 {
            return None;
        }
        let stretches = self
            .points
            .chunk_by(|a, b| (thick(a) >= NEARLY * most) == (thick(b) >= NEARLY * most))
            .filter(|stretch| thick(&stretch[0]) >= NEARLY * most);
        let ends = |stretch: &[EdgePoint]| (stretch[0].x, stretch[stretch.len() - 1].x);
        let width = |stretch: &[EdgePoint]| ends(stretch).1 - ends(stretch).0;
        let widest = stretches.max_by(|a, b| width(a).total_cmp(&width(b)))?;
        let middle = (ends(widest).0 + ends(widest).1) / 2.0;
        let away = |point: &EdgePoint| (point.x - middle).abs();
        let nearest = widest.iter().min_by(|a, b| away(a).total_cmp(&away(b)));
        nearest.map(|point| point.at)
    }
}

/// The layers of one curve. A part that chance makes negative has no height; with shares, heights
/// are shares of their sum.
fn content<'a>(
    series: Series<'a>,
    options: &SourcesFigure,
    tables: &Tables,
) -> Result<SourcesContent<'a>, FigureError> {
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
    Ok(SourcesContent {
        series,
        layers: layers.collect(),
        total: get(columns::VARIANCE).to_vec(),
        heights: sums.clone(),
        doubtful: doubtful(series, tables),
        xs,
    })
}
