//! Figures: tables -> pictures. One file per kind of plot, one theme.
//!
//! A figure is drawn from a result's tables alone, so it can be redrawn without being recomputed.

// Pictures may differ in the last digit between platforms; tables may not.
#![allow(clippy::disallowed_methods)]

mod axis;
mod boundaries;
mod canvas;
mod dartboard;
mod error;
mod fits;
mod heatmap;
mod panel;
#[cfg(feature = "pdf")]
mod pdf;
#[cfg(feature = "png")]
mod png;
mod pointwise;
mod select;
mod simulation;
mod sources;
mod text;
mod theme;
mod tradeoff;
#[cfg(any(feature = "pdf", feature = "png"))]
mod tree;

pub use canvas::Drawing;
pub use error::FigureError;
pub use text::{REGULAR, SEMIBOLD};

use bvlab_core::plan::{Scale, StudyDescription};
use bvlab_core::task::Description;
use bvlab_core::words::{short, thousands};
use bvlab_experiment::{Figure, Kind, Part};
use bvlab_outcome::{SettingNumber, Tables, columns};
use canvas::{Canvas, Side};
use panel::Frame;
use text::{shortened, text_width};
use theme::Page;

/// The margin on the left of everything.
const MARGIN: f64 = 36.0;

/// Draws one figure of a result from its tables. `title` stands above it unless it has a title of
/// its own.
///
/// # Errors
///
/// If the tables do not hold what the figure shows.
pub fn draw(
    title: &str,
    description: &Description,
    figure: &Figure,
    tables: &Tables,
) -> Result<Drawing, FigureError> {
    Drawing::new(Page::of(figure.look), |canvas| {
        let title = figure.title.as_deref().unwrap_or(title);
        let caption = caption(description, &figure.kind, tables);
        let frame = heading(canvas, title, &caption)?;
        draw_kind(canvas, frame, description, &figure.kind, tables)
    })
}

/// The study that a figure needs.
fn of_study(description: &Description) -> Result<&StudyDescription, FigureError> {
    let study = description.study();
    study.ok_or_else(|| FigureError::Missing("a study".to_owned()))
}

/// The settings at which figures look at single test points or fits, in the order of the tables;
/// the table of curves says which is best.
pub fn looked_at(
    description: &Description,
    figures: &[Figure],
    tables: &Tables,
) -> Vec<SettingNumber> {
    let Some(study) = description.study() else {
        return Vec::new();
    };
    let mut places = Vec::new();
    for figure in figures {
        look(study, &figure.kind, tables, &mut places);
    }
    places.sort_unstable();
    places.dedup();
    places
}

fn look(study: &StudyDescription, kind: &Kind, tables: &Tables, places: &mut Vec<SettingNumber>) {
    let shown = match kind {
        Kind::Fits(options) | Kind::Boundaries(options) => fits::shown(study, options, tables),
        Kind::Pointwise(options) => pointwise::shown(study, options, tables),
        Kind::Dartboard(options) => dartboard::shown(study, options, tables),
        Kind::Group(group) => {
            let parts = group.parts.iter();
            return parts.for_each(|part| look(study, &part.kind, tables, places));
        }
        Kind::Tradeoff(_) | Kind::Heatmap(_) | Kind::Sources(_) | Kind::Simulation(_) => return,
    };
    // What cannot be found is missed when it is drawn.
    for (series, value) in shown.unwrap_or_default() {
        let mut curves = study.curves.iter();
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
    description: &Description,
    kind: &Kind,
    tables: &Tables,
) -> Result<(), FigureError> {
    let study = || of_study(description);
    match kind {
        Kind::Tradeoff(options) => tradeoff::draw(canvas, frame, study()?, options, tables),
        Kind::Fits(options) => fits::draw(canvas, frame, study()?, options, tables),
        Kind::Boundaries(options) => boundaries::draw(canvas, frame, study()?, options, tables),
        Kind::Pointwise(options) => pointwise::draw(canvas, frame, study()?, options, tables),
        Kind::Heatmap(options) => heatmap::draw(canvas, frame, study()?, options, tables),
        Kind::Sources(options) => sources::draw(canvas, frame, study()?, options, tables),
        Kind::Dartboard(options) => dartboard::draw(canvas, frame, study()?, options, tables),
        Kind::Simulation(options) => {
            let simulation = description.simulation();
            let missing = || FigureError::Missing("a simulation".to_owned());
            let simulation = simulation.ok_or_else(missing)?;
            simulation::draw(canvas, frame, simulation, options, tables)
        }
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
                draw_kind(canvas, frame, description, &part.kind, tables)?;
            }
            Ok(())
        }
    }
}

/// What was drawn how often, and what the bands are.
fn caption(description: &Description, kind: &Kind, tables: &Tables) -> String {
    match description {
        Description::Study(study) => study_caption(study, kind, tables),
        Description::Simulation(simulation) => simulation::caption(simulation),
    }
}

fn study_caption(study: &StudyDescription, kind: &Kind, tables: &Tables) -> String {
    let resamples = tables
        .curves
        .wholes(columns::RESAMPLES)
        .first()
        .copied()
        .unwrap_or(0);
    let sets = study.drawn(resamples);
    let kept = study.keep.min(resamples) as usize;
    match kind {
        Kind::Tradeoff(options) => {
            let shown = match tradeoff::theory(study, options, tables) {
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
            let theory = tradeoff::theory(study, options, tables).is_some();
            let heavy = match tradeoff::has_doubt(study, options, tables) {
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
            options.refits.min(study.keep_fits.min(resamples) as usize),
            thousands(resamples),
            study.train_sizes(),
            if options.data {
                "; dots and rings: the first of them"
            } else {
                ""
            }
        ),
        Kind::Fits(options) if options.refits <= 1 && !options.mean => {
            format!("One training set of {} points", study.train_sizes())
        }
        Kind::Fits(options) => format!(
            "{} of {} refits, each to its own {} points{}",
            options.refits.min(study.keep_fits.min(resamples) as usize),
            thousands(resamples),
            study.train_sizes(),
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
            study.keep_fits.min(resamples),
            study.train_sizes(),
            short(options.at.0),
            short(options.at.1)
        ),
        Kind::Simulation(_) => String::new(),
        Kind::Group(group) => {
            // What all parts have in common is said once.
            let mut said: Vec<String> = Vec::new();
            for part in &group.parts {
                let caption = study_caption(study, &part.kind, tables);
                let new = caption.split("; ").map(str::to_owned);
                let new: Vec<String> = new.filter(|words| !said.contains(words)).collect();
                said.extend(new);
            }
            said.join("; ")
        }
        Kind::Heatmap(options) => heatmap::caption(&sets, study, options, tables),
        Kind::Sources(options) => {
            let gap = match sources::has_gap(study, options, tables) {
                true => "; gap: heavy tail, no mean",
                false => "",
            };
            let negative = match sources::has_negative(study, options, tables) {
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
