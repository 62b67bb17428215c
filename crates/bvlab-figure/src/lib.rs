//! Figures: tables -> pictures. One theme, and one file per kind of figure: what is drawn, the
//! caption, the settings that are looked at, and words for those who do not see it.
//!
//! A figure is drawn from a result's tables alone, so it can be redrawn without being recomputed.

// Pictures may differ in the last digit between platforms; tables may not.
#![allow(clippy::disallowed_methods)]

mod axis;
mod canvas;
mod error;
mod frame;
mod kinds;
mod labels;
mod look;
mod notes;
mod panel;
#[cfg(feature = "pdf")]
mod pdf;
mod picture;
#[cfg(feature = "png")]
mod png;
mod select;
mod symbols;
mod text;
mod theme;
#[cfg(any(feature = "pdf", feature = "png"))]
mod tree;

pub use canvas::Drawing;
pub use error::FigureError;
pub use look::{LookPart, PageLook};
#[cfg(feature = "fonts")]
pub use text::{REGULAR, SEMIBOLD};
pub use theme::Colour;

use bvlab_core::task::Description;
use bvlab_experiment::Figure;
use bvlab_outcome::{SettingNumber, Tables};
use canvas::{Canvas, Side};
use kinds::picture;
use panel::{BELOW, Frame};
use picture::{FigureData, Within};
use text::wrapped;
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
    let data = FigureData {
        description: &symbols::symbolic(description),
        tables,
        within: Within::default(),
    };
    let picture = picture(&figure.kind)?;
    let title = figure.title.as_deref().unwrap_or(title);
    let caption = capital(&picture.caption(&data)?);
    let footer = picture.footer(&data)?.join("  ·  ");
    let on = |page| {
        Drawing::new(page, |canvas| {
            let frame = heading(canvas, title, &caption, &footer)?;
            picture.draw(canvas, frame, &data)
        })
    };
    let mut drawing = on(Page::of(figure.look));
    for page in Page::taller(figure.look) {
        if matches!(drawing, Err(FigureError::Room)) {
            drawing = on(page);
        }
    }
    let drawing = drawing?;
    let mut sentences = Vec::new();
    if !caption.is_empty() {
        sentences.push(format!("{caption}."));
    }
    if !footer.is_empty() {
        sentences.push(format!("{}.", capital(&footer.replace("  ·  ", "; "))));
    }
    sentences.extend(picture.describe(&data)?);
    Ok(drawing.described(title, &sentences.join(" ")))
}

/// The settings at which figures look at single test points or fits, in the order of the tables;
/// the table of curves says which is best.
pub fn looked_at(
    description: &Description,
    figures: &[Figure],
    tables: &Tables,
) -> Vec<SettingNumber> {
    let data = FigureData {
        description,
        tables,
        within: Within::default(),
    };
    let Some(study) = description.study() else {
        return Vec::new();
    };
    let mut places = Vec::new();
    for figure in figures {
        let shown = picture(&figure.kind).and_then(|picture| picture.settings(&data));
        // What cannot be found is missed when it is drawn.
        for (series, value) in shown.unwrap_or_default() {
            let mut curves = study.curves.iter();
            let which = curves.position(|curve| curve.name == series.curve.name);
            places.extend(which.zip(series.setting_at(value)));
        }
    }
    places.sort_unstable();
    places.dedup();
    places
}

/// A sentence's beginning.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first: Option<String> = letters.next().map(|first| first.to_uppercase().collect());
    first.unwrap_or_default() + letters.as_str()
}

/// Writes the heading, the setting below it and what the marks mean at the bottom, and returns the
/// frame that is left. An empty title leaves all of them out, as for a figure whose caption is
/// elsewhere.
fn heading(
    canvas: &Canvas,
    title: &str,
    caption: &str,
    footer: &str,
) -> Result<Frame, FigureError> {
    let Page { width, height, .. } = canvas.page;
    let mut frame = Frame {
        left: MARGIN,
        top: 28.0,
        right: width - 40.0,
        bottom: height - BELOW - 14.0,
    };
    if title.trim().is_empty() {
        return Ok(frame);
    }
    let room = width - 2.0 * MARGIN;
    let mut y = 40.0;
    // On a narrow page the heading needs more lines.
    let lines = if width < 1000.0 { 3 } else { 2 };
    for line in wrapped(title, theme::HEADING, true, room, lines) {
        let style = (theme::HEADING, true);
        canvas.text((MARGIN, y), &line, style, theme::INK, Side::Right)?;
        y += 38.0;
    }
    for line in wrapped(caption, theme::CAPTION, false, room, lines) {
        let style = (theme::CAPTION, false);
        canvas.text((MARGIN, y), &line, style, theme::SOFT, Side::Right)?;
        y += 28.0;
    }
    frame.top = y + 10.0;
    let footer = wrapped(footer, theme::FOOTER, false, room, lines);
    for (i, line) in footer.iter().rev().enumerate() {
        let place = (MARGIN, height - 18.0 - FOOT_LINE * i as f64);
        let style = (theme::FOOTER, false);
        canvas.text(place, line, style, theme::SOFT, Side::Right)?;
    }
    frame.bottom -= FOOT_LINE * footer.len() as f64;
    Ok(frame)
}

/// The height of a line at the bottom.
const FOOT_LINE: f64 = 24.0;
