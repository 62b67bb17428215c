//! Figures: tables -> pictures. One theme, and one file per kind of figure: what is drawn, the
//! caption, the settings that are looked at, and words for those who do not see it.
//!
//! A figure is drawn from a result's tables alone, so it can be redrawn without being recomputed.

// Pictures may differ in the last digit between platforms; tables may not.
#![allow(clippy::disallowed_methods)]

mod axis;
mod canvas;
mod error;
mod kinds;
mod look;
mod panel;
#[cfg(feature = "pdf")]
mod pdf;
mod picture;
#[cfg(feature = "png")]
mod png;
mod select;
mod text;
mod theme;
#[cfg(any(feature = "pdf", feature = "png"))]
mod tree;

pub use canvas::Drawing;
pub use error::FigureError;
pub use look::{LookPart, PageLook};
pub use text::{REGULAR, SEMIBOLD};
pub use theme::Colour;

use bvlab_core::task::Description;
use bvlab_experiment::Figure;
use bvlab_outcome::{SettingNumber, Tables};
use canvas::{Canvas, Side};
use kinds::picture;
use panel::{BELOW, Frame};
use picture::FigureData;
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
    let data = FigureData {
        description,
        tables,
    };
    let picture = picture(&figure.kind)?;
    let title = figure.title.as_deref().unwrap_or(title);
    let caption = picture.caption(&data)?;
    let drawing = Drawing::new(Page::of(figure.look), |canvas| {
        let frame = heading(canvas, title, &caption)?;
        picture.draw(canvas, frame, &data)
    })?;
    let mut sentences = vec![format!("{caption}.")];
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
