//! Figures as bitmaps.

use resvg::tiny_skia;

use super::canvas::Drawing;
use super::error::FigureError;
use super::theme::Page;

impl Drawing {
    /// As PNG.
    ///
    /// # Errors
    ///
    /// If the drawing cannot be rendered, which would be a mistake in the program.
    pub fn to_png(&self) -> Result<Vec<u8>, FigureError> {
        let Page {
            width,
            height,
            pixels,
            ..
        } = self.page;
        let size = |units: f64| (units as f32 * pixels).round() as u32;
        let mut image = tiny_skia::Pixmap::new(size(width), size(height))
            .ok_or_else(|| FigureError::draw("no room for the picture"))?;
        let scale = tiny_skia::Transform::from_scale(pixels, pixels);
        resvg::render(&self.tree()?, scale, &mut image.as_mut());
        encode(&image)
    }
}

/// The smallest PNG: figures fill their paper, so no transparency is kept.
fn encode(image: &tiny_skia::Pixmap) -> Result<Vec<u8>, FigureError> {
    let colours = image.data().chunks_exact(4).flat_map(|pixel| &pixel[..3]);
    let colours: Vec<u8> = colours.copied().collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, image.width(), image.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::High);
    // Line drawings on white pack best as they are.
    encoder.set_filter(png::Filter::NoFilter);
    let mut writer = encoder.write_header().map_err(FigureError::draw)?;
    writer
        .write_image_data(&colours)
        .map_err(FigureError::draw)?;
    writer.finish().map_err(FigureError::draw)?;
    Ok(bytes)
}
