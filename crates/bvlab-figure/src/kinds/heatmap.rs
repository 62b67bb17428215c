//! Parts of the error over both axes of a two-way sweep, as colours.

use crate::axis::{Axis, tick_label};
use crate::canvas::{Canvas, Side, Stroke};
use crate::error::FigureError;
use crate::panel::{
    BELOW, Frame, MARKED, Panel, Surroundings, TITLE, axis_title, is_whole, side_by_side, y_room,
};
use crate::picture::{FigureData, Picture, sentence};
use crate::select::{Series, best_of, column, column_name, doubtful, is_mean, learners, rows_of};
use crate::text::{shortened, text_width};
use crate::theme;
use bvlab_core::plan::{Curve, Scale, StudyDescription, SweepAxis};
use bvlab_core::words::short;
use bvlab_experiment::{FigureLabels, Heatmap, Part};
use bvlab_outcome::Tables;

/// The width of the bar that explains the colours, and the gap before it.
const BAR: f64 = 26.0;
const GAP: f64 = 24.0;

/// Colours that run from this factor between the largest and the smallest value on are spread by
/// the logarithm.
const WIDE: f64 = 30.0;

/// The values of one panel, by setting.
struct HeatmapContent<'a> {
    curve: &'a Curve,
    part: Part,
    values: Vec<f64>,
    doubtful: Vec<bool>,
    /// The setting with a ring around it.
    ringed: Option<usize>,
}

impl Picture for Heatmap {
    fn caption(&self, data: &FigureData) -> Result<String, FigureError> {
        data.drawn()
    }

    fn footer(&self, data: &FigureData) -> Result<Vec<String>, FigureError> {
        let contents = contents(data.study()?, self, data.tables)?;
        let mut said = Vec::new();
        if contents.iter().any(|c| c.ringed.is_some()) {
            said.push("ring: the lowest".to_owned());
        }
        if contents.iter().any(|c| c.doubtful.contains(&true)) {
            said.push("crossed out: heavy tail, the mean may not exist".to_owned());
        }
        Ok(said)
    }

    fn draw(&self, canvas: &Canvas, frame: Frame, data: &FigureData) -> Result<(), FigureError> {
        draw(canvas, frame, data.study()?, self, data.tables)
    }

    fn describe(&self, data: &FigureData) -> Result<Vec<String>, FigureError> {
        let study = data.study()?;
        let several = self.learners.len() > 1;
        let panel = |content: &HeatmapContent| {
            let believed = content.values.iter().enumerate();
            let believed = believed.filter(|(i, v)| v.is_finite() && !content.doubtful[*i]);
            let at = |(setting, value): (usize, &f64)| {
                let setting = content.curve.describe(setting);
                format!("{} at {setting}", short(*value))
            };
            let ends = [
                ("lowest", believed.clone().min_by(|a, b| a.1.total_cmp(b.1))),
                ("highest", believed.max_by(|a, b| a.1.total_cmp(b.1))),
            ];
            let said = ends
                .into_iter()
                .filter_map(|(word, end)| Some(format!("{word} {}", at(end?))));
            let ring = content
                .ringed
                .map(|setting| content.curve.describe(setting));
            let ring = ring.map(|setting| format!("ring at {setting}"));
            let said: Vec<String> = said.chain(ring).collect();
            sentence(&title(content, several, study, &self.labels), &said)
        };
        let contents = contents(study, self, data.tables)?;
        Ok(contents.iter().map(panel).collect())
    }
}

/// Every learner's parts, a panel each.
fn contents<'a>(
    study: &'a StudyDescription,
    options: &Heatmap,
    tables: &Tables,
) -> Result<Vec<HeatmapContent<'a>>, FigureError> {
    let curves = learners(study, &options.learners).into_iter();
    let panels = curves.flat_map(|curve| options.parts.iter().map(move |part| (curve, *part)));
    panels
        .map(|(curve, part)| content(curve, part, tables))
        .collect()
}

/// The lines above a panel.
fn title(
    content: &HeatmapContent,
    several: bool,
    study: &StudyDescription,
    labels: &FigureLabels,
) -> Vec<String> {
    let name = several.then(|| labels.of(&content.curve.name).to_owned());
    let part = labels.given(content.part.name());
    let part = part.unwrap_or(theme::name(content.part, study.loss));
    name.into_iter().chain([part.to_owned()]).collect()
}

fn draw(
    canvas: &Canvas,
    mut frame: Frame,
    study: &StudyDescription,
    options: &Heatmap,
    tables: &Tables,
) -> Result<(), FigureError> {
    let contents = contents(study, options, tables)?;
    let several = options.learners.len() > 1;
    let above = if options.marks.is_empty() {
        0.0
    } else {
        MARKED + 6.0
    };
    frame.top += TITLE * if several { 2.0 } else { 1.0 } + above;
    let second = contents[0].curve.axes.get(1);
    let second = second.ok_or_else(|| FigureError::Missing("a second axis".to_owned()))?;
    let y_scale = options.y_scale.unwrap_or(second.scale);
    let (_, y) = laid_out(second, y_scale, (frame.bottom, frame.top));
    frame.left += y_room(&y);
    // Every panel has a colour bar of its own: a risk and a training error share no range.
    let bars: Vec<Colours> = contents.iter().map(|c| Colours::of(c, options)).collect();
    let room = bars.iter().map(Colours::room).fold(0.0, f64::max);
    let (gap, count) = (40.0, contents.len());
    let width = frame.right - frame.left;
    // A colour bar needs room, too.
    let columns = side_by_side(&canvas.page, width, gap + room, count)?;
    let heading = TITLE * if several { 2.0 } else { 1.0 } + above;
    let frames = frame.grid(count, columns, (gap, BELOW + heading + 12.0));
    for (i, ((content, colours), mut frame)) in contents.iter().zip(&bars).zip(frames).enumerate() {
        frame.right -= room;
        let width = frame.right - frame.left;
        let (y_edges, y) = laid_out(second, y_scale, (frame.bottom, frame.top));
        let first = &content.curve.axes[0];
        let x_scale = options.x_scale.unwrap_or(first.scale);
        let (x_edges, x) = laid_out(first, x_scale, (frame.left, frame.right));
        let panel = Panel::new(canvas, frame, x, y);
        let y_title = options.labels.y.clone();
        let y_title = y_title.unwrap_or_else(|| axis_title(second, frame.bottom - frame.top));
        let x_title = options.labels.x.clone();
        let x_title = x_title.unwrap_or_else(|| axis_title(first, width + 40.0));
        panel.surround(&Surroundings {
            title: &title(content, several, study, &options.labels),
            above,
            x_title: Some(&x_title),
            y_title: (i % columns == 0).then_some(y_title.as_str()),
            y_numbers: i % columns == 0,
            x_numbers: true,
            x_whole: is_whole(first),
            ..Surroundings::default()
        })?;
        cells(canvas, content, colours, &x_edges, &y_edges)?;
        lowest(canvas, content, (&x, &y))?;
        panel.notches(&options.marks)?;
        bar(canvas, frame, colours)?;
    }
    Ok(())
}

fn content<'a>(
    curve: &'a Curve,
    part: Part,
    tables: &Tables,
) -> Result<HeatmapContent<'a>, FigureError> {
    let whole = Series {
        curve,
        second: f64::NAN,
    };
    let rows = rows_of(&tables.curves, whole)?;
    let values = column(&tables.curves, column_name(part), &rows).to_vec();
    let doubtful = match is_mean(part) {
        true => doubtful(whole, tables),
        false => vec![false; rows.len()],
    };
    let lowest = || {
        let settings = (0..values.len()).filter(|setting| !doubtful[*setting]);
        settings.min_by(|a, b| values[*a].total_cmp(&values[*b]))
    };
    let ringed: Option<usize> = match part {
        Part::Train | Part::Noise | Part::NoiseBound => None,
        // Of the risk, the setting that report and manifest name.
        Part::Risk | Part::Test => Some(best_of(tables, curve)?.best.setting),
        _ => lowest(),
    };
    Ok(HeatmapContent {
        curve,
        part,
        values,
        doubtful,
        ringed: ringed.filter(|setting| !at_end(curve, *setting)),
    })
}

/// Whether a setting lies at an end of a sweep, beyond which lower values may be.
fn at_end(curve: &Curve, setting: usize) -> bool {
    let value = curve.value(setting);
    curve.axes.first().is_some_and(|axis| {
        let ends = [axis.values.first(), axis.values.last()];
        axis.values.len() > 2 && ends.contains(&Some(&value))
    })
}

/// The edges of an axis's cells, half-way between neighbours, and the axis through them.
fn laid_out(swept: &SweepAxis, scale: Scale, ends: (f64, f64)) -> (Vec<f64>, Axis) {
    let [to, from]: [fn(f64) -> f64; 2] = match scale {
        Scale::Linear => [|v| v, |v| v],
        Scale::Log => [f64::ln, f64::exp],
    };
    let places: Vec<f64> = swept.values.iter().map(|value| to(*value)).collect();
    let half = |a: f64, b: f64| (a + b) / 2.0;
    let mut edges: Vec<f64> = places
        .windows(2)
        .map(|pair| half(pair[0], pair[1]))
        .collect();
    let (first, last) = (places[0], places[places.len() - 1]);
    let step = |edge: Option<&f64>, end: f64| edge.map_or(0.5, |edge| (edge - end).abs());
    let (before, after) = (step(edges.first(), first), step(edges.last(), last));
    // What begins at 0 or above has no cell below 0.
    let start = match scale == Scale::Linear && first >= 0.0 {
        true => (first - before).max(0.0),
        false => first - before,
    };
    edges.insert(0, start);
    edges.push(last + after);
    let range = (from(edges[0]), from(edges[edges.len() - 1]));
    let axis = Axis::new(scale, range, ends);
    let edges = edges
        .into_iter()
        .map(|edge| axis.place(from(edge)))
        .collect();
    (edges, axis)
}

fn cells(
    canvas: &Canvas,
    content: &HeatmapContent,
    colours: &Colours,
    x_edges: &[f64],
    y_edges: &[f64],
) -> Result<(), FigureError> {
    let columns = x_edges.len() - 1;
    for (setting, value) in content.values.iter().enumerate() {
        let (i, j) = (setting % columns, setting / columns);
        let (left, right) = (x_edges[i], x_edges[i + 1]);
        let (bottom, top) = (y_edges[j], y_edges[j + 1]);
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
        // Cells reach under those that are drawn after them, so that no seam shows.
        let over = f64::from(u8::from(i + 1 < columns));
        let up = f64::from(u8::from(j + 2 < y_edges.len()));
        let reach = [
            (left, top - up),
            (right + over, top - up),
            (right + over, bottom),
            (left, bottom),
        ];
        canvas.fill_as_is(&reach, colours.colour(*value))?;
        if content.doubtful[setting] {
            let stroke = Stroke::new((255, 255, 255), 1.0).faint(0.8);
            canvas.line(&[corners[0], corners[2]], stroke)?;
            canvas.line(&[corners[1], corners[3]], stroke)?;
        }
    }
    Ok(())
}

/// A ring around the best setting, or around the lowest value of another part.
fn lowest(
    canvas: &Canvas,
    content: &HeatmapContent,
    (x, y): (&Axis, &Axis),
) -> Result<(), FigureError> {
    let Some(setting) = content.ringed else {
        return Ok(());
    };
    let curve = content.curve;
    let place = (
        x.place(curve.value(setting)),
        y.place(curve.second(setting)),
    );
    canvas.ring(place, 9.0, Stroke::new((255, 255, 255), 4.6))?;
    canvas.ring(place, 9.0, Stroke::new(theme::INK, 2.0))
}

/// The bar that explains the colours.
fn bar(canvas: &Canvas, frame: Frame, colours: &Colours) -> Result<(), FigureError> {
    let (left, right) = (frame.right + GAP, frame.right + GAP + BAR);
    let axis = colours.axis((frame.bottom, frame.top));
    let steps = 120;
    let height = (frame.bottom - frame.top) / f64::from(steps);
    for step in 0..steps {
        let bottom = frame.bottom - f64::from(step) * height;
        // A little overlap, so that no seam shows.
        let top = (bottom - height - 1.0).max(frame.top);
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
        canvas.fill_as_is(&corners, shade((f64::from(step) + 0.5) / f64::from(steps)))?;
    }
    let edge = [
        (left, frame.top),
        (right, frame.top),
        (right, frame.bottom),
        (left, frame.bottom),
        (left, frame.top),
    ];
    canvas.line(&edge, Stroke::new(theme::FRAME, theme::FRAME_LINE))?;
    let ticks = axis.ticks(7, false);
    for tick in &ticks {
        let y = axis.place(*tick);
        canvas.line(
            &[(right, y), (right + 5.0, y)],
            Stroke::new(theme::FRAME, theme::FRAME_LINE),
        )?;
        let label = tick_label(*tick, &ticks, axis.scale);
        let label = shortened(&label, theme::AXIS, false, 90.0);
        let style = (theme::AXIS, false);
        canvas.text((right + 9.0, y), &label, style, theme::INK, Side::Right)?;
    }
    Ok(())
}

/// From values to colours.
#[derive(Clone, Copy, Debug)]
struct Colours {
    scale: Scale,
    low: f64,
    high: f64,
}

impl Colours {
    fn of(content: &HeatmapContent, options: &Heatmap) -> Self {
        let believed = content.values.iter().zip(&content.doubtful);
        let values: Vec<f64> = believed
            .filter(|(value, doubtful)| value.is_finite() && !**doubtful)
            .map(|(value, _)| *value)
            .collect();
        // Where nothing is to be believed, the colours are at least there.
        let values = match values.is_empty() {
            true => content
                .values
                .iter()
                .copied()
                .filter(|v| v.is_finite())
                .collect(),
            false => values,
        };
        let most = values.iter().copied().fold(f64::MIN, f64::max);
        let least = values.iter().copied().fold(f64::MAX, f64::min);
        let high = options.max.unwrap_or(most);
        let wide = least > 0.0 && high / least > WIDE;
        let scale = options.scale.unwrap_or(match wide {
            true => Scale::Log,
            false => Scale::Linear,
        });
        let low = match scale {
            Scale::Linear => least,
            // Rounding alone may leave a training error of 10⁻³⁰: six decades are enough.
            Scale::Log => least.max(high * 1e-6),
        };
        Colours::spanning(scale, low, high)
    }

    /// Colours between two values, or around them where they are the same.
    fn spanning(scale: Scale, low: f64, high: f64) -> Self {
        match low < high {
            true => Colours { scale, low, high },
            false => Colours {
                scale: Scale::Linear,
                low: low.min(high) - 0.5,
                high: low.max(high) + 0.5,
            },
        }
    }

    fn axis(&self, ends: (f64, f64)) -> Axis {
        Axis::new(self.scale, (self.low, self.high), ends)
    }

    fn colour(&self, value: f64) -> theme::Colour {
        match value.is_nan() {
            true => theme::GRID,
            false => shade(self.axis((0.0, 1.0)).place(value)),
        }
    }

    /// The room that the bar needs beside a panel.
    fn room(&self) -> f64 {
        GAP + BAR + self.width() + 14.0
    }

    /// How wide the widest number beside the bar is.
    fn width(&self) -> f64 {
        let axis = self.axis((0.0, 1.0));
        let ticks = axis.ticks(7, false);
        let labels = ticks
            .iter()
            .map(|tick| tick_label(*tick, &ticks, axis.scale));
        let widths = labels.map(|label| text_width(&label, theme::AXIS, false));
        widths.fold(0.0, f64::max)
    }
}

/// A colour between dark blue for 0 and light yellow for 1, evenly lighter all the way, so that it
/// reads in grey and with any eyes.
fn shade(share: f64) -> theme::Colour {
    theme::mixed(&theme::SHADES, share)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How light a colour looks (CIE L* from linear sRGB).
    fn lightness((r, g, b): theme::Colour) -> f64 {
        let linear = |c: u8| {
            let c = f64::from(c) / 255.0;
            match c <= 0.04045 {
                true => c / 12.92,
                false => ((c + 0.055) / 1.055).powf(2.4),
            }
        };
        let y = 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
        116.0 * y.cbrt() - 16.0
    }

    #[test]
    fn colours_get_lighter_in_even_steps() {
        let steps: Vec<f64> = (0..=20)
            .map(|i| lightness(shade(f64::from(i) / 20.0)))
            .collect();
        let rise = (steps[20] - steps[0]) / 20.0;
        for pair in steps.windows(2) {
            let step = pair[1] - pair[0];
            assert!(step > 0.4 * rise && step < 1.8 * rise, "{steps:?}");
        }
        assert!(steps[20] - steps[0] > 60.0);
    }

    #[test]
    fn cells_end_half_way_to_their_neighbours() {
        let (edges, axis) = laid_out(
            &SweepAxis::new("", &[1.0, 2.0, 4.0]),
            Scale::Linear,
            (0.0, 1.0),
        );
        assert_eq!((axis.from, axis.to), (0.5, 5.0));
        assert!((edges[1] - axis.place(1.5)).abs() < 1e-12);
        let (edges, axis) = laid_out(&SweepAxis::new("", &[1.0, 100.0]), Scale::Log, (0.0, 1.0));
        assert!((edges[1] - axis.place(10.0)).abs() < 1e-12);
        assert!((axis.from - 0.1).abs() < 1e-12);
    }
}
