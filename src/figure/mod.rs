//! Figures: tables -> pictures. One file per kind of plot, one theme.
//!
//! A figure is drawn from a result's tables alone, so it can be redrawn without being recomputed.

// Pictures may differ in the last digit between platforms; tables may not.
#![allow(clippy::disallowed_methods)]

mod axis;
mod boundaries;
mod canvas;
mod dartboard;
mod fits;
mod heatmap;
mod panel;
mod pdf;
mod png;
mod pointwise;
mod select;
mod simulation;
mod sources;
mod text;
mod theme;
mod tradeoff;
mod tree;

pub use canvas::Drawing;
pub(crate) use simulation::percent;

use crate::experiment::{Experiment, Figure, Kind, Part, Scale};
use crate::outcome::{Place, Tables};
use crate::words::{short, thousands};
use canvas::{Canvas, Side};
use panel::Frame;
use text::{shortened, text_width};
use theme::Page;

/// The margin on the left of everything.
const MARGIN: f64 = 36.0;

/// Why a figure could not be drawn.
#[derive(Debug, thiserror::Error)]
pub enum FigureError {
    /// The tables do not hold what is to be drawn.
    #[error("the tables hold nothing of {0}: run the experiment again")]
    Missing(String),
    /// A panel would have no room.
    #[error(
        "there is no room for its panels: take fewer of them, a larger shape or a smaller font-scale"
    )]
    Room,
    /// The picture could not be made.
    #[error("the picture cannot be made: {0}")]
    Draw(String),
}

impl FigureError {
    fn draw(error: impl std::fmt::Display) -> Self {
        FigureError::Draw(error.to_string())
    }
}

/// Draws one figure of an experiment from its tables.
///
/// # Errors
///
/// If the tables do not hold what the figure shows.
pub fn draw(
    experiment: &Experiment,
    figure: &Figure,
    tables: &Tables,
) -> Result<Drawing, FigureError> {
    Drawing::new(Page::of(figure.look), |canvas| {
        let title = figure.title.as_ref().or(experiment.title.as_ref());
        let title = title.map_or(experiment.name.as_str(), |title| title);
        let caption = caption(experiment, &figure.kind, tables);
        let frame = heading(canvas, title, &caption)?;
        draw_kind(canvas, frame, experiment, &figure.kind, tables)
    })
}

/// The settings at which figures look at single test points or fits, in the order of the tables;
/// the table of curves says which is best.
pub fn looked_at(experiment: &Experiment, figures: &[Figure], tables: &Tables) -> Vec<Place> {
    let mut places = Vec::new();
    for figure in figures {
        look(experiment, &figure.kind, tables, &mut places);
    }
    places.sort_unstable();
    places.dedup();
    places
}

fn look(experiment: &Experiment, kind: &Kind, tables: &Tables, places: &mut Vec<Place>) {
    let shown = match kind {
        Kind::Fits(options) | Kind::Boundaries(options) => fits::shown(experiment, options, tables),
        Kind::Pointwise(options) => pointwise::shown(experiment, options, tables),
        Kind::Dartboard(options) => dartboard::shown(experiment, options, tables),
        Kind::Group(group) => {
            let parts = group.parts.iter();
            return parts.for_each(|part| look(experiment, &part.kind, tables, places));
        }
        Kind::Tradeoff(_) | Kind::Heatmap(_) | Kind::Sources(_) | Kind::Simulation(_) => return,
    };
    // What cannot be found is missed when it is drawn.
    for (series, value) in shown.unwrap_or_default() {
        let mut curves = experiment.curves.iter();
        let which = curves.position(|curve| curve.name == series.curve.name);
        places.extend(which.zip(series.setting_at(value)));
    }
}

/// The room below a frame for the numbers and the title of its horizontal axis.
const BELOW: f64 = 64.0;

/// The height of a panel's own heading in a group.
const PART: f64 = 34.0;

fn draw_kind(
    canvas: &Canvas,
    frame: Frame,
    experiment: &Experiment,
    kind: &Kind,
    tables: &Tables,
) -> Result<(), FigureError> {
    match kind {
        Kind::Tradeoff(options) => tradeoff::draw(canvas, frame, experiment, options, tables),
        Kind::Fits(options) => fits::draw(canvas, frame, experiment, options, tables),
        Kind::Boundaries(options) => boundaries::draw(canvas, frame, experiment, options, tables),
        Kind::Pointwise(options) => pointwise::draw(canvas, frame, experiment, options, tables),
        Kind::Heatmap(options) => heatmap::draw(canvas, frame, experiment, options, tables),
        Kind::Sources(options) => sources::draw(canvas, frame, experiment, options, tables),
        Kind::Dartboard(options) => dartboard::draw(canvas, frame, experiment, options, tables),
        Kind::Simulation(options) => simulation::draw(canvas, frame, experiment, options, tables),
        Kind::Group(group) => {
            let whole = Frame {
                bottom: frame.bottom + BELOW,
                ..frame
            };
            let count = group.parts.len();
            let frames = match group.stacked {
                true => whole.stack(count, 14.0),
                false => whole.columns(count, 24.0),
            };
            for (part, mut frame) in group.parts.iter().zip(frames) {
                frame.bottom -= BELOW;
                if let Some(title) = &part.title {
                    let width = frame.right - frame.left;
                    let title = shortened(title, theme::LABEL, true, width);
                    let (place, style) = ((frame.left, frame.top + 10.0), (theme::LABEL, true));
                    canvas.text(place, &title, style, theme::INK, Side::Right)?;
                    frame.top += PART;
                }
                draw_kind(canvas, frame, experiment, &part.kind, tables)?;
            }
            Ok(())
        }
    }
}

/// What was drawn how often, and what the bands are.
fn caption(experiment: &Experiment, kind: &Kind, tables: &Tables) -> String {
    let resamples = tables
        .curves
        .wholes("resamples")
        .first()
        .copied()
        .unwrap_or(0);
    let sets = experiment.drawn(resamples);
    let kept = experiment.run.keep.min(resamples) as usize;
    match kind {
        Kind::Tradeoff(options) => {
            let shown = match tradeoff::theory(experiment, options, tables) {
                Some(theory) => format!("dots: simulated, with 95 % intervals; {theory}"),
                None if options.parts.iter().all(|part| *part == Part::Median) => {
                    "bands: from quartile to quartile".to_owned()
                }
                None if options.parts.contains(&Part::Median) => {
                    "bands: 95 % (median: quartiles)".to_owned()
                }
                None => "bands: 95 % intervals".to_owned(),
            };
            let runs = match options.runs.min(kept) {
                0 => String::new(),
                1 => "; faint: a single training set".to_owned(),
                runs => format!("; faint: {runs} single training sets"),
            };
            let cut = match options.y_scale == Scale::Log && tradeoff::has_zero(options, tables) {
                true => "; ≤ 0 is off the axis",
                false => "",
            };
            let theory = tradeoff::theory(experiment, options, tables).is_some();
            let heavy = match tradeoff::has_doubt(experiment, options, tables) {
                true if theory => "; no dot: heavy tail, no mean",
                true => "; thin dashes: heavy tail, no mean",
                false => "",
            };
            let both = [Part::Risk, Part::Test]
                .iter()
                .all(|part| options.parts.contains(part));
            let measured = match both && !options.overlay && !theory {
                true => "; dots: measured on fresh labels",
                false => "",
            };
            format!("{sets}; {shown}{measured}{runs}{cut}{heavy}")
        }
        Kind::Boundaries(options) => format!(
            "where the most probable class changes, for {} of {} refits, each to its own {} points{}",
            options
                .refits
                .min(experiment.run.keep_fits.min(resamples) as usize),
            thousands(resamples),
            experiment.train_sizes(),
            if options.data {
                "; dots and rings: the first of them"
            } else {
                ""
            }
        ),
        Kind::Fits(options) if options.refits <= 1 && !options.mean => {
            format!("One training set of {} points", experiment.train_sizes())
        }
        Kind::Fits(options) => format!(
            "{} of {} refits, each to its own {} points{}",
            options
                .refits
                .min(experiment.run.keep_fits.min(resamples) as usize),
            thousands(resamples),
            experiment.train_sizes(),
            if options.mean {
                "; mean over all of them"
            } else {
                ""
            }
        ),
        Kind::Pointwise(_) => sets,
        Kind::Dartboard(options) => format!(
            "a dart is one of {} training sets of {} points; across: its prediction at x = {}, \
             up: at x = {}; cross: their mean",
            experiment.run.keep_fits.min(resamples),
            experiment.train_sizes(),
            short(options.at.0),
            short(options.at.1)
        ),
        Kind::Simulation(_) => simulation::caption(experiment),
        Kind::Group(group) => {
            // What all parts have in common is said once.
            let mut said: Vec<String> = Vec::new();
            for part in &group.parts {
                let caption = caption(experiment, &part.kind, tables);
                let new = caption.split("; ").map(str::to_owned);
                let new: Vec<String> = new.filter(|words| !said.contains(words)).collect();
                said.extend(new);
            }
            said.join("; ")
        }
        Kind::Heatmap(options) => heatmap::caption(&sets, experiment, options, tables),
        Kind::Sources(options) => {
            let gap = match sources::has_gap(experiment, options, tables) {
                true => "; gap: heavy tail, no mean",
                false => "",
            };
            let negative = match sources::has_negative(experiment, options, tables) {
                true => "; negative estimates of a part are not drawn",
                false => "",
            };
            format!("{sets}{gap}{negative}")
        }
    }
}

/// Writes the heading and the lines below it, and returns the frame that is left. An empty title
/// leaves all of them out, as for a figure whose caption is elsewhere.
fn heading(canvas: &Canvas, title: &str, caption: &str) -> Result<Frame, FigureError> {
    let Page { width, height, .. } = canvas.page;
    let mut frame = Frame {
        left: MARGIN,
        top: 28.0,
        right: width - 40.0,
        bottom: height - BELOW - 20.0,
    };
    if title.trim().is_empty() {
        return Ok(frame);
    }
    let room = width - 2.0 * MARGIN;
    let mut y = 40.0;
    for line in wrapped(title, theme::HEADING, true, room) {
        let style = (theme::HEADING, true);
        canvas.text((MARGIN, y), &line, style, theme::INK, Side::Right)?;
        y += 38.0;
    }
    for line in wrapped(caption, theme::CAPTION, false, room) {
        let style = (theme::CAPTION, false);
        canvas.text((MARGIN, y), &line, style, theme::SOFT, Side::Right)?;
        y += 25.0;
    }
    frame.top = y + 13.0;
    Ok(frame)
}

/// A text in two lines at most, broken between words.
fn wrapped(text: &str, size: f64, bold: bool, width: f64) -> Vec<String> {
    if text_width(text, size, bold) <= width {
        return vec![text.to_owned()];
    }
    let fits = |end: &usize| text_width(text[..*end].trim_end(), size, bold) <= width;
    let spaces = text.char_indices().filter(|(_, c)| *c == ' ');
    let last = spaces.map(|(at, _)| at).rfind(fits);
    match last {
        None => vec![shortened(text, size, bold, width)],
        Some(at) => vec![
            text[..at].trim_end().to_owned(),
            shortened(text[at..].trim_start(), size, bold, width),
        ],
    }
}
