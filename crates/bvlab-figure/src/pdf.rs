//! Figures as pages of their own, for LaTeX.

use krilla_svg::{SurfaceExt, SvgSettings};

use super::canvas::Drawing;
use super::error::FigureError;
use super::theme::Page;

impl Drawing {
    /// As PDF, in which text stays text.
    ///
    /// # Errors
    ///
    /// If the drawing cannot be written, which would be a mistake in the program.
    pub fn to_pdf(&self) -> Result<Vec<u8>, FigureError> {
        let Page {
            width,
            height,
            points,
            ..
        } = self.page;
        let none = || FigureError::draw("no room for the page");
        let [width, height] = [width, height].map(|units| units as f32 * points);
        let size = krilla::geom::Size::from_wh(width, height).ok_or_else(none)?;
        let settings = krilla::page::PageSettings::from_wh(width, height).ok_or_else(none)?;
        let mut document = krilla::Document::new();
        let mut page = document.start_page_with(settings);
        let mut surface = page.surface();
        surface
            .draw_svg(&self.tree()?, size, SvgSettings::default())
            .ok_or_else(none)?;
        surface.finish();
        page.finish();
        let failed = |error| FigureError::draw(format!("{error:?}"));
        document.finish().map_err(failed)
    }
}
