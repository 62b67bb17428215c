//! Figures: tables -> pictures. One file per kind of plot, one theme.
//!
//! A figure is drawn from a result's tables alone, so it can be redrawn without being recomputed.

mod axis;
mod canvas;
mod fits;
mod heatmap;
mod panel;
mod pointwise;
mod select;
mod simulation;
mod sources;
mod theme;
mod tradeoff;

pub use canvas::Drawing;
pub(crate) use simulation::percent;

use crate::experiment::{Experiment, Figure, Kind, Part, Scale};
use crate::outcome::Tables;
use crate::words::thousands;
use canvas::{Canvas, Side, shortened};
use panel::Frame;

/// The margin on the left of everything.
const MARGIN: f64 = 36.0;

/// Why a figure could not be drawn.
#[derive(Debug, thiserror::Error)]
pub enum FigureError {
    /// The tables do not hold what is to be drawn.
    #[error("the tables hold nothing of {0}: run the experiment again")]
    Missing(String),
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
    Drawing::new(|canvas| {
        let title = figure.title.as_ref().or(experiment.title.as_ref());
        let frame = heading(
            canvas,
            title.map_or(&experiment.name, |title| title),
            &caption(experiment, figure, tables),
        )?;
        match &figure.kind {
            Kind::Tradeoff(options) => tradeoff::draw(canvas, frame, experiment, options, tables),
            Kind::Fits(options) => fits::draw(canvas, frame, experiment, options, tables),
            Kind::Pointwise(options) => pointwise::draw(canvas, frame, experiment, options, tables),
            Kind::Heatmap(options) => heatmap::draw(canvas, frame, experiment, options, tables),
            Kind::Sources(options) => sources::draw(canvas, frame, experiment, options, tables),
            Kind::Simulation(options) => {
                simulation::draw(canvas, frame, experiment, options, tables)
            }
        }
    })
}

/// What was drawn how often, and what the bands are.
fn caption(experiment: &Experiment, figure: &Figure, tables: &Tables) -> String {
    let resamples = tables
        .curves
        .wholes("resamples")
        .first()
        .copied()
        .unwrap_or(0);
    let sets = format!(
        "{} training sets of {} points",
        thousands(resamples),
        experiment.train_sizes()
    );
    let kept = experiment.run.keep.min(resamples) as usize;
    match &figure.kind {
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
                runs => format!("; faint: {runs} single training sets"),
            };
            let cut = match options.y_scale == Scale::Log && tradeoff::has_zero(options, tables) {
                true => "; ≤ 0 is off the axis",
                false => "",
            };
            let heavy = match tradeoff::has_doubt(experiment, options, tables) {
                true => "; thin dashes: heavy tail, no mean",
                false => "",
            };
            format!("{sets}; {shown}{runs}{cut}{heavy}")
        }
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
        Kind::Heatmap(options) => heatmap::caption(&sets, experiment, options, tables),
        Kind::Simulation(_) => simulation::caption(experiment),
        Kind::Sources(_) => format!(
            "{} cubes of 8 training sets of {} points: inputs, noise and the algorithm’s draws crossed",
            thousands(resamples),
            experiment.train_sizes()
        ),
    }
}

/// Writes the heading and the line below it, and returns the frame that is left.
fn heading(canvas: &Canvas, title: &str, caption: &str) -> Result<Frame, FigureError> {
    let (width, height) = theme::SIZE;
    let left = MARGIN;
    let title = shortened(title, theme::HEADING, true, width - 2.0 * left);
    let caption = shortened(caption, theme::CAPTION, false, width - 2.0 * left);
    canvas.text(
        (left, 40.0),
        &title,
        (theme::HEADING, true),
        theme::INK,
        Side::Right,
    )?;
    canvas.text(
        (left, 78.0),
        &caption,
        (theme::CAPTION, false),
        theme::SOFT,
        Side::Right,
    )?;
    Ok(Frame {
        left: MARGIN,
        top: 116.0,
        right: width - 40.0,
        bottom: height - 84.0,
    })
}
