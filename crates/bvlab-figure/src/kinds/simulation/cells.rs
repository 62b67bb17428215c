//! Cells of a matrix, and steps of an algorithm.

use super::content::{SimulationCurve, is_contour};
use crate::canvas::Stroke;
use crate::error::FigureError;
use crate::panel::Panel;
use crate::theme;

/// The colours of cells, from 0 to 1.
const CELLS: [theme::Colour; 3] = [(248, 248, 248), (112, 178, 190), (12, 62, 96)];

/// A row of cells for every curve, the first at the top.
pub fn draw_cells(panel: &Panel, curves: &[SimulationCurve]) -> Result<(), FigureError> {
    for (row, curve) in curves.iter().enumerate() {
        let [top, bottom] = [0.06, 0.94].map(|part| (curves.len() - row) as f64 - part);
        for (i, (x, value)) in curve.xs.iter().zip(&curve.values).enumerate() {
            // Cells reach under those that are drawn after them, so that no seam shows.
            let right = if i + 1 < curve.xs.len() { 0.9 } else { 0.5 };
            let corners = [(-0.5, top), (right, top), (right, bottom), (-0.5, bottom)];
            let corners = corners.map(|(dx, y)| panel.at(x + dx, y));
            panel
                .canvas
                .fill_as_is(&corners, theme::mixed(&CELLS, *value))?;
        }
    }
    Ok(())
}

/// The most steps that have a dot each.
const MOST_DOTS: usize = 100;

/// A path with a dot for every step and a ring at its start; the loss as a line, contours as thin
/// ones.
pub fn draw_steps(panel: &Panel, curve: &SimulationCurve) -> Result<(), FigureError> {
    let SimulationCurve { xs, values, .. } = curve;
    if curve.name == "loss" {
        return panel.curve(xs, values, Stroke::new(theme::MARK, 3.0));
    }
    if is_contour(&curve.name) {
        return panel.curve(xs, values, Stroke::new(theme::MARK, 1.6));
    }
    panel.curve(xs, values, Stroke::new(curve.colour, 2.0).faint(0.75))?;
    if xs.len() <= MOST_DOTS {
        panel.dots(xs, values, 4.0, curve.colour, 0.9)?;
    }
    match (xs.first(), values.first()) {
        (Some(x), Some(y)) => {
            let stroke = Stroke::new(curve.colour, 3.0);
            panel.canvas.open_dot(panel.at(*x, *y), 8.0, stroke)
        }
        _ => Ok(()),
    }
}
