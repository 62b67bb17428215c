//! Bars and histograms of a simulation.

use super::content::{Pairs, SimulationCurve};
use crate::canvas::{Canvas, Side, Stroke};
use crate::error::FigureError;
use crate::panel::Panel;
use crate::text::text_width;
use crate::theme;
use bvlab_core::words::percent;

/// The colour of bars that count.
const COUNTED: theme::Colour = theme::LEARNERS[1];

/// Bars, those from `from` on in colour and what they sum up to above, and theory as rings on a
/// dashed line.
pub fn draw_bars(
    canvas: &Canvas,
    panel: &Panel,
    curve: &SimulationCurve,
    from: f64,
    text: &str,
) -> Result<(), FigureError> {
    let shown = |x: f64| panel.spans(x - 0.5) && panel.spans(x + 0.5);
    let places: Vec<usize> = (0..curve.xs.len())
        .filter(|i| shown(curve.xs[*i]))
        .collect();
    let pick = |values: &[f64]| -> Vec<f64> { places.iter().map(|i| values[*i]).collect() };
    let (low, high) = (&curve.low, &curve.high);
    let ink = |width: f64| Stroke::new(theme::INK, width);
    for &i in &places {
        let (x, value) = (curve.xs[i], curve.values[i]);
        let colour = match x >= from {
            true => COUNTED,
            false => theme::NOISE,
        };
        let corners = [
            panel.at(x - 0.4, 0.0),
            panel.at(x - 0.4, value),
            panel.at(x + 0.4, value),
            panel.at(x + 0.4, 0.0),
        ];
        canvas.fill(&corners, colour, 0.62)?;
        panel.bar(x, low[i].max(0.0), high[i], ink(1.8))?;
    }
    let (xs, theory) = (pick(&curve.xs), pick(&curve.theory));
    panel.curve(&xs, &theory, ink(1.6).faint(0.6))?;
    for (x, theory) in xs.iter().zip(&theory) {
        canvas.open_dot(panel.at(*x, *theory), 4.2, ink(1.8))?;
    }
    // The sum is that of theory, where there is any: chance does not change its last digit.
    let heights = match curve.has_theory() {
        true => &curve.theory,
        false => &curve.values,
    };
    let tail = curve.xs.iter().zip(heights);
    let tail: f64 = tail.filter(|(x, _)| **x >= from).map(|(_, v)| *v).sum();
    let long = format!("{text}: {}", percent(tail));
    // In a narrow panel the number alone.
    let room = panel.frame.right - panel.frame.left;
    let text = match text_width(&long, theme::LABEL, true) < room {
        true => long,
        false => percent(tail),
    };
    let style = (theme::LABEL, true);
    let place = (panel.frame.right - 6.0, panel.frame.top + 18.0);
    // Paper behind the text hides the line of the grid that may run there.
    let width = text_width(&text, style.0, style.1);
    let area = [
        place.0 - width - 6.0,
        place.1 - 15.0,
        place.0 + 4.0,
        place.1 + 15.0,
    ];
    canvas.clear(area, 1.0)?;
    canvas.label(place, &text, style, COUNTED, Side::Left)
}

/// Histograms of the correlations of pairs, one over the other, with their means.
pub fn draw_pairs(canvas: &Canvas, panel: &Panel, pairs: &Pairs) -> Result<(), FigureError> {
    let chance = pairs.dependent_from;
    if chance.is_finite() {
        let [top, bottom] = [panel.frame.top, panel.frame.bottom];
        let left = panel.x.place(-chance).max(panel.frame.left);
        let right = panel.x.place(chance).min(panel.frame.right);
        if left < right {
            let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
            canvas.fill(&corners, theme::GRID, 0.8)?;
        }
    }
    for kind in &pairs.kinds {
        let mut outline = Vec::new();
        for (i, count) in kind.counts.iter().enumerate() {
            let (from, to) = (pairs.edge(i), pairs.edge(i + 1));
            outline.extend([panel.at(from, *count), panel.at(to, *count)]);
        }
        let (Some(first), Some(last)) = (outline.first(), outline.last()) else {
            continue;
        };
        let closed = [(first.0, panel.frame.bottom)].into_iter();
        let closed = closed.chain(outline.iter().copied());
        let closed: Vec<_> = closed.chain([(last.0, panel.frame.bottom)]).collect();
        canvas.fill(&closed, kind.colour, 0.3)?;
        canvas.line(&closed, Stroke::new(kind.colour, 2.4))?;
    }
    // Their names stand in the corner, above the bars.
    for (i, kind) in pairs.kinds.iter().enumerate() {
        let mean = format!("{:.2}", kind.mean).replace('-', "−");
        let text = format!("{}: mean {mean}", kind.name);
        let place = (
            panel.frame.right - 4.0,
            panel.frame.top + 16.0 + 30.0 * i as f64,
        );
        let style = (theme::LABEL, true);
        canvas.label(place, &text, style, kind.colour, Side::Left)?;
    }
    Ok(())
}
