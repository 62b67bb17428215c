//! Cells of a matrix, and steps of an algorithm.

use super::content::{SimulationCurve, is_contour};
use crate::canvas::{Side, Stroke};
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
    write_key(panel)
}

/// What the colours of cells mean, below the names of the rows.
fn write_key(panel: &Panel) -> Result<(), FigureError> {
    let (left, top) = (panel.frame.right + 14.0, panel.frame.bottom + 10.0);
    for step in 0..10_u32 {
        let from = left + 15.0 * f64::from(step);
        let (to, bottom) = (from + 15.0, top + 16.0);
        let corners = [(from, top), (to, top), (to, bottom), (from, bottom)];
        let colour = theme::mixed(&CELLS, f64::from(step) / 9.0);
        panel.canvas.fill_as_is(&corners, colour)?;
    }
    let style = (theme::FOOTER, false);
    for (text, x, side) in [
        ("wrong", left, Side::Right),
        ("right", left + 150.0, Side::Left),
    ] {
        let place = (x, top + 30.0);
        panel.canvas.text(place, text, style, theme::INK, side)?;
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
