//! Noise, bias², variance and risk over the sweep.

mod along;
mod caption;
mod content;
mod fill;
mod lines;

use std::borrow::Cow;

use crate::axis::{Axis, room};
use crate::canvas::{Canvas, Place};
use crate::error::FigureError;
use crate::labels::{Label, labels_width, write_at_ends, write_labels, write_led};
use crate::notes::{NoteCurve, Obstacles, write_among};
use crate::panel::{
    BELOW, Frame, MARKED, Panel, Surroundings, TITLE, axis_title, broken_titles, is_whole,
    side_by_side, y_room,
};
use crate::picture::{FigureData, Picture};
use crate::select::{Series, series};
use crate::theme;
use bvlab_core::plan::{Scale, StudyDescription, SweepAxis};
use bvlab_experiment::{Part, Tradeoff};
use content::{TradeoffContent, headline, heights, lower_range, overlay, single};
use fill::{above, crowd, fill, fill_lower, guide};
use lines::Line;

/// The room between panels that stand side by side.
const GAP: f64 = 46.0;

impl Picture for Tradeoff {
    fn caption(&self, data: &FigureData) -> Result<String, FigureError> {
        data.drawn()
    }

    fn footer(&self, data: &FigureData) -> Result<Vec<String>, FigureError> {
        match self.x {
            Some(_) => Ok(along::footer()),
            None => caption::footer(self, data),
        }
    }

    fn insets(
        &self,
        canvas: &Canvas,
        frame: Frame,
        data: &FigureData,
    ) -> Result<Option<(f64, f64)>, FigureError> {
        if self.x.is_some() {
            return Ok(None);
        }
        let shown = TradeoffDrawing::new(self, data)?;
        Ok(Some(shown.insets(canvas, frame)))
    }

    fn axis(&self, data: &FigureData) -> Result<Option<String>, FigureError> {
        if self.x.is_some() {
            return Ok(None);
        }
        let shown = TradeoffDrawing::new(self, data)?;
        Ok(match shown.contents.as_slice() {
            [content] => content.series.axis().map(|axis| {
                let scale = self.x_scale.unwrap_or(axis.scale);
                format!("{} {scale:?} {:?}", axis.name, axis.values)
            }),
            _ => None,
        })
    }

    fn draw(&self, canvas: &Canvas, frame: Frame, data: &FigureData) -> Result<(), FigureError> {
        match self.x {
            Some(x) => along::draw(canvas, frame, x, self, data),
            None => TradeoffDrawing::new(self, data)?.draw(canvas, frame, data),
        }
    }

    fn describe(&self, data: &FigureData) -> Result<Vec<String>, FigureError> {
        match self.x {
            Some(x) => along::describe(x, self, data),
            None => caption::describe(self, data),
        }
    }
}

/// Where a panel stands, and what is written around it.
struct PanelPlace<'a> {
    frame: Frame,
    /// The lines above it, and the room between them and it.
    titles: &'a [String],
    above: f64,
    /// Whether it is the first and the last of its row, and whether its axis has numbers.
    leftmost: bool,
    rightmost: bool,
    lowest: bool,
}

/// A trade-off with its panels' content.
struct TradeoffDrawing<'a> {
    study: &'a StudyDescription,
    options: &'a Tradeoff,
    swept: Vec<Series<'a>>,
    contents: Vec<TradeoffContent<'a>>,
    heights: (f64, f64),
    /// The range of the panels below.
    lower: Option<(f64, f64)>,
}

impl<'a> TradeoffDrawing<'a> {
    fn new(options: &'a Tradeoff, data: &FigureData<'a>) -> Result<Self, FigureError> {
        let study = data.study()?;
        let all = series(study, &options.learners, options.second.as_deref());
        let (swept, flat): (Vec<Series>, Vec<Series>) =
            all.into_iter().partition(|series| series.axis().is_some());
        let several = options.learners.len() > 1;
        let contents = match options.overlay {
            true => vec![overlay(&swept, &flat, options, data.tables, several)?],
            false => {
                let one = |series: &Series<'a>| {
                    single((*series, study.loss), &flat, options, data.tables, several)
                };
                swept.iter().map(one).collect::<Result<_, _>>()?
            }
        };
        Ok(TradeoffDrawing {
            heights: heights(&contents, options),
            lower: lower_range(&contents),
            study,
            options,
            swept,
            contents,
        })
    }

    fn y_axis(&self, frame: Frame) -> Axis {
        let ends = (frame.bottom, frame.top);
        Axis::new(self.options.y_scale, self.heights, ends)
    }

    fn lower_axis(&self, frame: Frame, range: (f64, f64)) -> Axis {
        Axis::new(Scale::Log, range, (frame.bottom, frame.top))
    }

    /// The upper panel, and the lower one where there is one.
    fn cut(&self, frame: Frame) -> (Frame, Option<Frame>) {
        match self.lower {
            Some(_) => {
                let [upper, lower] = frame.rows(0.64, 34.0);
                (upper, Some(lower))
            }
            None => (frame, None),
        }
    }

    fn insets(&self, canvas: &Canvas, frame: Frame) -> (f64, f64) {
        let (upper, below) = self.cut(frame);
        let lower_room = match (below, self.lower) {
            (Some(below), Some(range)) => y_room(&self.lower_axis(below, range)),
            _ => 0.0,
        };
        let labels = self.contents.iter().flat_map(|content| {
            let lines = content.lines.iter().map(|line| line.label.as_str());
            lines.chain(content.lower.iter().map(|line| line.label.as_str()))
        });
        let left = y_room(&self.y_axis(upper)).max(lower_room);
        (left, labels_width(canvas, labels))
    }

    /// The lines above the panels, so many of which stand side by side.
    fn titles(&self, frame: Frame, columns: usize) -> Vec<Vec<String>> {
        let titles = self.contents.iter().map(|content| match self.options.join {
            // What follows each other is named below.
            true => Vec::new(),
            false => content.title.clone(),
        });
        broken_titles(titles.collect(), frame, columns)
    }

    fn is_marked(&self) -> bool {
        let lowest = |content: &TradeoffContent| content.lowest.is_some();
        !self.options.marks.is_empty() || self.contents.iter().any(lowest)
    }

    fn draw(
        &self,
        canvas: &Canvas,
        mut frame: Frame,
        data: &FigureData,
    ) -> Result<(), FigureError> {
        // Above the panels, lines for their titles and one for marks.
        let (left, right) = self.insets(canvas, frame);
        let inner = Frame {
            left: frame.left + left,
            right: frame.right - right,
            ..frame
        };
        let count = self.contents.len();
        let columns = match self.options.join {
            true => count,
            false => side_by_side(&canvas.page, inner.right - inner.left, GAP, count)?,
        };
        let titles = self.titles(inner, columns);
        let above = if self.is_marked() { MARKED } else { 0.0 };
        let lines = titles.iter().map(Vec::len).max().unwrap_or(0);
        let heading = TITLE * lines as f64 + above;
        frame.top += heading;
        let own = self.insets(canvas, frame);
        frame.left += own.0.max(data.within.insets.0);
        frame.right -= own.1.max(data.within.insets.1);
        let gap = if self.options.join { 0.0 } else { GAP };
        // Rows with the same axis have its numbers below the last one.
        let shared = self.has_one_axis();
        let between = heading + if shared { 18.0 } else { BELOW + 8.0 };
        let frames = frame.grid(count, columns, (gap, between));
        let mut noted = vec![false; self.options.notes.len()];
        for (i, frame) in frames.into_iter().enumerate() {
            let marked = !self.options.marks.is_empty() || self.contents[i].lowest.is_some();
            let cell = PanelPlace {
                frame,
                titles: &titles[i],
                // Titles that stand in a row keep to one height.
                above: if marked || columns > 1 { above } else { 0.0 },
                leftmost: i % columns == 0,
                rightmost: (i + 1) % columns == 0,
                lowest: !data.within.shares_axis && (!shared || i + columns >= count),
            };
            self.panel(canvas, i, &cell, &mut noted)?;
        }
        Ok(())
    }

    /// Whether all panels have the same horizontal axis.
    fn has_one_axis(&self) -> bool {
        let axes = self.contents.iter().map(|content| content.series.axis());
        let mut axes = axes.map(|axis| axis.map(|axis| (&axis.name, &axis.values)));
        let first = axes.next();
        axes.all(|axis| Some(axis) == first)
    }

    /// The range of a panel's horizontal axis: with a little room, but not where curves are joined.
    fn x_axis(&self, i: usize, axis: &SweepAxis, frame: Frame) -> Axis {
        let scale = self.options.x_scale.unwrap_or(axis.scale);
        let shown = match self.options.overlay {
            true => &self.swept[..],
            false => &self.swept[i..=i],
        };
        let values = || {
            let axes = shown.iter().filter_map(|series| series.axis());
            axes.flat_map(|axis| axis.values.iter().copied())
        };
        // Names need room on both sides.
        let margin = match self.options.categories.len() {
            0 => 0.02,
            count => 0.5 / count as f64,
        };
        let (mut low, mut high) = room(values(), scale, margin);
        let ends = room(values(), scale, 0.0);
        let [left, right] = self.joined(i);
        if left && ends.0 < high {
            low = ends.0;
        }
        if right && ends.1 > low {
            high = ends.1;
        }
        Axis::new(scale, (low, high), (frame.left, frame.right))
    }

    fn joined(&self, i: usize) -> [bool; 2] {
        match self.options.join {
            true => [i > 0, i + 1 < self.contents.len()],
            false => [false; 2],
        }
    }

    fn panel(
        &self,
        canvas: &Canvas,
        i: usize,
        cell: &PanelPlace,
        noted: &mut [bool],
    ) -> Result<(), FigureError> {
        let (content, options) = (&self.contents[i], self.options);
        let PanelPlace { frame, lowest, .. } = *cell;
        let axis = content.series.axis();
        let axis = axis.expect("only swept learners have a panel");
        let (upper, below) = self.cut(frame);
        let x = self.x_axis(i, axis, frame);
        let panel = Panel::new(canvas, upper, x, self.y_axis(upper));
        let x_title = self.x_title(axis, content, frame.right - frame.left);
        let named: Vec<(f64, String)> = axis
            .values
            .iter()
            .copied()
            .zip(options.categories.iter().cloned())
            .collect();
        let around = Surroundings {
            named: &named,
            title: cell.titles,
            above: cell.above,
            x_title: (lowest && below.is_none()).then_some(x_title.as_str()),
            y_title: cell.leftmost.then(|| self.y_title()),
            y_numbers: cell.leftmost,
            x_numbers: lowest && below.is_none(),
            x_whole: is_whole(axis),
            joined: self.joined(i),
            plain: false,
        };
        panel.surround(&around)?;
        panel.marks(&options.marks)?;
        guide(&panel, content)?;
        fill(&panel, content, options)?;
        above(&panel, content, &options.marks)?;
        let curves: Vec<NoteCurve> = content.lines.iter().map(note_curve).collect();
        let name = content.series.curve.name.as_str();
        let mut crowd = crowd(&panel, content, options, &curves);
        let among = (&mut crowd, noted);
        write_among(&panel, &[name], &options.notes, &curves, among)?;
        if cell.rightmost {
            write_ends(&panel, &content.lines, &curves, &mut crowd)?;
        }
        if let (Some(below), Some(range)) = (below, self.lower) {
            let panel = Panel::new(canvas, below, x, self.lower_axis(below, range));
            panel.surround(&Surroundings {
                title: &[],
                above: 0.0,
                x_title: lowest.then_some(x_title.as_str()),
                y_title: None,
                x_numbers: lowest,
                ..around
            })?;
            panel.marks(&options.marks)?;
            let ends = fill_lower(&panel, content)?;
            if cell.rightmost {
                write_labels(canvas, below, ends)?;
            }
        }
        Ok(())
    }

    /// What stands below a panel.
    fn x_title(&self, axis: &SweepAxis, content: &TradeoffContent, room: f64) -> String {
        let labels = &self.options.labels;
        match (&labels.x, self.options.join) {
            // Each of the axes that follow each other has its learner's name.
            (_, true) => labels.of(&content.series.curve.name).to_owned(),
            (Some(title), false) => title.clone(),
            (None, false) => axis_title(axis, room),
        }
    }

    /// What stands beside the vertical axis.
    fn y_title(&self) -> &str {
        match (&self.options.labels.y, self.options.overlay) {
            (Some(title), _) => title,
            (None, true) => theme::name(headline(self.options), self.study.loss),
            (None, false) => theme::error_of(self.study),
        }
    }
}

fn note_curve<'a>(line: &'a Line) -> NoteCurve<'a> {
    let mut names = vec![line.label.as_str(), line.learner.as_str()];
    if line.part != Part::Noise || line.label.contains("noise") {
        names.push(line.part.name());
    }
    NoteCurve {
        names,
        xs: &line.xs,
        ys: match line.exact.is_empty() {
            true => Cow::Borrowed(&line.values),
            false => Cow::Owned(line.course()),
        },
    }
}

/// How much of the width a curve must run through to have its label beside the panel.
const LONG: f64 = 0.85;

/// Writes the labels of curves: beside the panel, or where they end or leave it before.
fn write_ends(
    panel: &Panel,
    lines: &[Line],
    curves: &[NoteCurve],
    crowd: &mut Obstacles,
) -> Result<(), FigureError> {
    let Frame {
        left,
        right,
        bottom,
        ..
    } = panel.frame;
    let ends = lines.iter().zip(curves).map(|(line, curve)| {
        let end = visible_end(panel, curve).unwrap_or((right, bottom));
        let label = Label {
            text: line.label.clone(),
            colour: line.colour,
            y: end.1,
        };
        (label, end)
    });
    let (early, mut beside): (Vec<_>, Vec<_>) =
        ends.partition(|(_, end)| end.0 < left + LONG * (right - left));
    beside.extend(write_at_ends(panel, early, crowd, right)?);
    write_led(panel.canvas, panel.frame, beside)
}

/// The last place of a curve that a panel shows: where it ends, or leaves the panel.
fn visible_end(panel: &Panel, curve: &NoteCurve) -> Option<Place> {
    // What has no logarithm is not drawn.
    let drawn = |y: f64| y.is_finite() && (panel.y.scale == Scale::Linear || y > 0.0);
    let places = curve.xs.iter().zip(&*curve.ys);
    let places: Vec<Option<Place>> = places
        .map(|(x, y)| drawn(*y).then(|| panel.at(*x, *y)))
        .collect();
    let last = places
        .iter()
        .rposition(|place| place.is_some_and(|place| panel.shows(place)))?;
    let mut seen = places[last]?;
    let Some(mut hidden) = places.get(last + 1).copied().flatten() else {
        return Some(seen);
    };
    // Half-way again and again to where it leaves.
    for _ in 0..24 {
        let middle = ((seen.0 + hidden.0) / 2.0, (seen.1 + hidden.1) / 2.0);
        match panel.shows(middle) {
            true => seen = middle,
            false => hidden = middle,
        }
    }
    Some(seen)
}
