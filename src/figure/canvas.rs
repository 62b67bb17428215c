//! Drawing with plotters, once, as SVG; PNG and PDF are made from the same drawing.
//!
//! plotters rounds coordinates to whole pixels, which makes curves look like stairs. So everything
//! is drawn ten times too large, and the SVG's view box scales it down again.

use std::sync::{Arc, Once};

use base64::Engine;
use krilla_svg::{SurfaceExt, SvgSettings};
use plotters::coord::Shift;
use plotters::prelude::{
    Circle, DrawingArea, FontDesc, FontFamily, FontStyle, FontTransform, IntoDrawingArea,
    PathElement, Polygon, RGBColor, SVGBackend, Text,
};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, TextStyle};
use resvg::{tiny_skia, usvg};

use super::FigureError;
use super::theme::{Colour, Page};

const FINE: f64 = 10.0;
const FAMILY: &str = "Inter";
static REGULAR: &[u8] = include_bytes!("font/Inter-Regular.otf");
static SEMIBOLD: &[u8] = include_bytes!("font/Inter-SemiBold.otf");

/// A place in drawing units, from the top left.
pub type Place = (f64, f64);

/// Where a text lies relative to its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Side {
    /// The text begins there.
    Right,
    /// The text is centred there.
    Middle,
    /// The text ends there.
    Left,
}

/// A stroke.
#[derive(Clone, Copy, Debug)]
pub struct Stroke {
    /// Its colour.
    pub colour: Colour,
    /// Its opacity, from 0 to 1.
    pub alpha: f64,
    /// Its width.
    pub width: f64,
    /// Whether it is broken into dashes.
    pub dashed: bool,
}

impl Stroke {
    /// A full line.
    pub fn new(colour: Colour, width: f64) -> Self {
        Stroke {
            colour,
            alpha: 1.0,
            width,
            dashed: false,
        }
    }

    /// The same, but see-through.
    pub fn faint(self, alpha: f64) -> Self {
        Stroke { alpha, ..self }
    }

    /// The same, but dashed.
    pub fn dashed(self) -> Self {
        Stroke {
            dashed: true,
            ..self
        }
    }
}

/// A drawing being made.
pub struct Canvas<'a> {
    area: DrawingArea<SVGBackend<'a>, Shift>,
    /// What it is drawn on.
    pub page: Page,
}

fn fine((x, y): Place) -> Result<(i32, i32), FigureError> {
    // Far outside, a place is still a place; what is no number is a mistake in the program.
    let fits = |value: f64| value.abs() < 1e7;
    match fits(x) && fits(y) {
        true => Ok(((x * FINE).round() as i32, (y * FINE).round() as i32)),
        false => Err(FigureError::draw(format!(
            "({x}, {y}) is no place on the page"
        ))),
    }
}

fn all_fine(places: &[Place]) -> Result<Vec<(i32, i32)>, FigureError> {
    places.iter().copied().map(fine).collect()
}

fn rgb((r, g, b): Colour) -> RGBColor {
    RGBColor(r, g, b)
}

/// A font size in plotters' own measure, which is 1.24 times what others call the size.
fn font(size: f64, bold: bool) -> FontDesc<'static> {
    let style = match bold {
        true => FontStyle::Bold,
        false => FontStyle::Normal,
    };
    FontDesc::new(FontFamily::Name(FAMILY), size * FINE * 1.24, style)
}

fn register_fonts() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Both are part of the program; a font that cannot be read shows as text without width.
        let _ = plotters::style::register_font(FAMILY, FontStyle::Normal, REGULAR);
        let _ = plotters::style::register_font(FAMILY, FontStyle::Bold, SEMIBOLD);
    });
}

/// How wide a text is.
pub fn text_width(text: &str, size: f64, bold: bool) -> f64 {
    register_fonts();
    let width = font(size, bold)
        .box_size(text)
        .map_or(0, |(width, _)| width);
    f64::from(width) / FINE
}

/// The text cut to a width, with an ellipsis where something was cut.
pub fn shortened(text: &str, size: f64, bold: bool, width: f64) -> String {
    if text_width(text, size, bold) <= width {
        return text.to_owned();
    }
    let chars: Vec<char> = text.chars().collect();
    let cut = |kept: usize| {
        let kept: String = chars[..kept].iter().collect();
        kept.trim_end().to_owned() + "…"
    };
    // The most characters that fit, by bisection.
    let (mut fits, mut too_many) = (0, chars.len());
    while too_many - fits > 1 {
        let middle = (fits + too_many) / 2;
        match text_width(&cut(middle), size, bold) <= width {
            true => fits = middle,
            false => too_many = middle,
        }
    }
    cut(fits)
}

impl Canvas<'_> {
    /// A line through some places.
    pub fn line(&self, places: &[Place], stroke: Stroke) -> Result<(), FigureError> {
        if places.len() < 2 {
            return Ok(());
        }
        let style = self
            .rgb(stroke.colour)
            .mix(stroke.alpha)
            .stroke_width((stroke.width * FINE).round() as u32);
        if !stroke.dashed {
            let path = PathElement::new(all_fine(places)?, style);
            return self.area.draw(&path).map_err(FigureError::draw);
        }
        for dash in dashes(places, 3.2 * stroke.width + 3.0, 2.0 * stroke.width + 3.0) {
            let path = PathElement::new(all_fine(&dash)?, style);
            self.area.draw(&path).map_err(FigureError::draw)?;
        }
        Ok(())
    }

    /// A filled shape.
    pub fn fill(&self, places: &[Place], colour: Colour, alpha: f64) -> Result<(), FigureError> {
        let shape = Polygon::new(all_fine(places)?, self.rgb(colour).mix(alpha));
        self.area.draw(&shape).map_err(FigureError::draw)
    }

    /// A filled shape in a colour that is the same on any page.
    pub fn fill_as_is(&self, places: &[Place], colour: Colour) -> Result<(), FigureError> {
        let shape = Polygon::new(all_fine(places)?, rgb(colour).filled());
        self.area.draw(&shape).map_err(FigureError::draw)
    }

    fn rgb(&self, colour: Colour) -> RGBColor {
        rgb(self.page.paint(colour))
    }

    /// A disc.
    pub fn dot(
        &self,
        place: Place,
        radius: f64,
        colour: Colour,
        alpha: f64,
    ) -> Result<(), FigureError> {
        let style = self.rgb(colour).mix(alpha).filled();
        let shape = Circle::new(fine(place)?, (radius * FINE) as i32, style);
        self.area.draw(&shape).map_err(FigureError::draw)
    }

    /// A circle.
    pub fn ring(&self, place: Place, radius: f64, stroke: Stroke) -> Result<(), FigureError> {
        let style = self
            .rgb(stroke.colour)
            .mix(stroke.alpha)
            .stroke_width((stroke.width * FINE) as u32);
        let shape = Circle::new(fine(place)?, (radius * FINE) as i32, style);
        self.area.draw(&shape).map_err(FigureError::draw)
    }

    /// A text, its middle height at the place.
    pub fn text(
        &self,
        place: Place,
        text: &str,
        (size, bold): (f64, bool),
        colour: Colour,
        side: Side,
    ) -> Result<(), FigureError> {
        self.write(place, text, font(size, bold), colour, side)
    }

    /// A text that reads upwards, its middle height at the place.
    pub fn text_up(
        &self,
        place: Place,
        text: &str,
        size: f64,
        colour: Colour,
    ) -> Result<(), FigureError> {
        let font = font(size, false).transform(FontTransform::Rotate270);
        self.write(place, text, font, colour, Side::Middle)
    }

    fn write(
        &self,
        place: Place,
        text: &str,
        font: FontDesc<'static>,
        colour: Colour,
        side: Side,
    ) -> Result<(), FigureError> {
        let side = match side {
            Side::Right => HPos::Left,
            Side::Middle => HPos::Center,
            Side::Left => HPos::Right,
        };
        let colour = self.rgb(colour);
        let style = TextStyle::from(font)
            .color(&colour)
            .pos(Pos::new(side, VPos::Center));
        let element = Text::new(text.to_owned(), fine(place)?, style);
        self.area.draw(&element).map_err(FigureError::draw)
    }
}

/// The pieces of a dashed line.
fn dashes(places: &[Place], dash: f64, gap: f64) -> Vec<Vec<Place>> {
    let mut pieces = Vec::new();
    let mut current = vec![places[0]];
    let (mut drawing, mut left) = (true, dash);
    for pair in places.windows(2) {
        let [mut from, to] = [pair[0], pair[1]];
        loop {
            let length = (to.0 - from.0).hypot(to.1 - from.1);
            if length <= left {
                left -= length;
                if drawing {
                    current.push(to);
                }
                break;
            }
            let share = left / length;
            from = (
                from.0 + (to.0 - from.0) * share,
                from.1 + (to.1 - from.1) * share,
            );
            if drawing {
                current.push(from);
                pieces.push(std::mem::take(&mut current));
            } else {
                current = vec![from];
            }
            drawing = !drawing;
            left = if drawing { dash } else { gap };
        }
    }
    if drawing && current.len() > 1 {
        pieces.push(current);
    }
    pieces
}

/// A finished drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    svg: String,
    page: Page,
}

impl Drawing {
    /// Makes a drawing.
    pub(super) fn new(
        page: Page,
        draw: impl FnOnce(&Canvas) -> Result<(), FigureError>,
    ) -> Result<Drawing, FigureError> {
        register_fonts();
        let mut svg = String::new();
        let (width, height) = ((page.width * FINE) as u32, (page.height * FINE) as u32);
        {
            let area = SVGBackend::with_string(&mut svg, (width, height)).into_drawing_area();
            area.fill(&rgb(page.paper())).map_err(FigureError::draw)?;
            let canvas = Canvas { area, page };
            draw(&canvas)?;
            canvas.area.present().map_err(FigureError::draw)?;
        }
        // The opening tag gets its real size, and rounded joints and ends for all lines.
        let (_, content) = svg.split_once('>').unwrap_or(("", &svg));
        let head = format!(
            "<svg width=\"{}\" height=\"{}\" viewBox=\"0 0 {width} {height}\" \
             stroke-linejoin=\"round\" stroke-linecap=\"round\" \
             xmlns=\"http://www.w3.org/2000/svg\">",
            page.width, page.height
        );
        Ok(Drawing {
            svg: head + content,
            page,
        })
    }

    /// As SVG that carries its fonts, so that it looks the same on a machine without them.
    pub fn to_svg(&self) -> String {
        let face = |weight: &str, bytes: &[u8]| {
            let data = base64::engine::general_purpose::STANDARD.encode(bytes);
            format!(
                "@font-face{{font-family:{FAMILY};font-weight:{weight};\
                 src:url(data:font/otf;base64,{data})}}"
            )
        };
        let style = format!(
            "<defs><style>{}{}</style></defs>",
            face("normal", REGULAR),
            face("bold", SEMIBOLD)
        );
        let (head, content) = self.svg.split_once('>').unwrap_or(("", &self.svg));
        format!("{head}>{style}{content}")
    }

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

    fn tree(&self) -> Result<usvg::Tree, FigureError> {
        let mut fonts = usvg::fontdb::Database::new();
        fonts.load_font_data(REGULAR.to_vec());
        fonts.load_font_data(SEMIBOLD.to_vec());
        let options = usvg::Options {
            font_family: FAMILY.to_owned(),
            fontdb: Arc::new(fonts),
            ..usvg::Options::default()
        };
        usvg::Tree::from_str(&self.svg, &options).map_err(FigureError::draw)
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
