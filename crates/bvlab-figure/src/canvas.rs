//! Drawing with plotters' SVG backend.
//!
//! The backend takes whole pixels, which would make curves look like stairs. So everything is drawn
//! ten times too large, and the SVG's view box scales it down again.
//!
//! The backend is called directly: in a browser, the rest of plotters asks the page for the widths
//! of texts and so needs a window, which a worker does not have. See `text.rs`.

use std::cell::RefCell;

#[cfg(feature = "fonts")]
use base64::Engine;
use plotters_backend::text_anchor::{HPos, Pos, VPos};
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, DrawingBackend, FontTransform};
use plotters_svg::SVGBackend;

use super::error::FigureError;
use super::text::{FAMILY, TextStyle};
#[cfg(feature = "fonts")]
use super::text::{REGULAR, SEMIBOLD};
use super::theme::{Colour, FINE, Page, contrast, dash, legible};

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
    backend: RefCell<SVGBackend<'a>>,
    /// What it is drawn on.
    pub page: Page,
}

/// The style of a line or a shape, as the backend asks for it.
struct Paint {
    colour: BackendColor,
    width: u32,
}

impl Paint {
    fn new(rgb: Colour, alpha: f64) -> Self {
        let colour = BackendColor { alpha, rgb };
        Paint { colour, width: 1 }
    }
}

impl BackendStyle for Paint {
    fn color(&self) -> BackendColor {
        self.colour
    }

    fn stroke_width(&self) -> u32 {
        self.width
    }
}

/// The size of a page in pixels of the backend.
fn size(page: &Page) -> (u32, u32) {
    ((page.width * FINE) as u32, (page.height * FINE) as u32)
}

impl Canvas<'_> {
    /// The pixel of a place; for a place beyond the page, one on its edge.
    fn fine(&self, (x, y): Place) -> Result<BackendCoord, FigureError> {
        // Far outside, a place is still a place; what is no number is a mistake in the program.
        let fits = |value: f64| value.abs() < 1e7;
        if !(fits(x) && fits(y)) {
            let message = format!("({x}, {y}) is not a position on the page");
            return Err(FigureError::draw(message));
        }
        let pixel = |value: f64, end: u32| ((value * FINE).round() as i32).clamp(0, end as i32);
        let (width, height) = size(&self.page);
        Ok((pixel(x, width), pixel(y, height)))
    }

    fn all_fine(&self, places: &[Place]) -> Result<Vec<BackendCoord>, FigureError> {
        places.iter().map(|place| self.fine(*place)).collect()
    }

    /// A line through some places.
    pub fn line(&self, places: &[Place], stroke: Stroke) -> Result<(), FigureError> {
        if places.len() < 2 {
            return Ok(());
        }
        let paint = Paint {
            width: (stroke.width * FINE).round() as u32,
            ..self.paint(stroke.colour, stroke.alpha)
        };
        let path = |places: &[Place]| {
            let places = self.all_fine(places)?;
            let mut backend = self.backend.borrow_mut();
            backend.draw_path(places, &paint).map_err(FigureError::draw)
        };
        if !stroke.dashed {
            return path(places);
        }
        let (dash, gap) = dash(stroke.width);
        let dashes = dashes(places, dash, gap);
        dashes.iter().try_for_each(|dash| path(dash))
    }

    /// A filled shape.
    pub fn fill(&self, places: &[Place], colour: Colour, alpha: f64) -> Result<(), FigureError> {
        self.polygon(places, &self.paint(colour, alpha))
    }

    /// A filled shape in a colour that is the same on any page.
    pub fn fill_as_is(&self, places: &[Place], colour: Colour) -> Result<(), FigureError> {
        self.polygon(places, &Paint::new(colour, 1.0))
    }

    fn polygon(&self, places: &[Place], paint: &Paint) -> Result<(), FigureError> {
        let places = self.all_fine(places)?;
        let mut backend = self.backend.borrow_mut();
        backend
            .fill_polygon(places, paint)
            .map_err(FigureError::draw)
    }

    fn paint(&self, colour: Colour, alpha: f64) -> Paint {
        Paint::new(self.page.paint(colour), alpha)
    }

    /// A disc.
    pub fn dot(
        &self,
        place: Place,
        radius: f64,
        colour: Colour,
        alpha: f64,
    ) -> Result<(), FigureError> {
        self.circle(place, radius, &self.paint(colour, alpha), true)
    }

    /// A circle.
    pub fn ring(&self, place: Place, radius: f64, stroke: Stroke) -> Result<(), FigureError> {
        let paint = Paint {
            width: (stroke.width * FINE) as u32,
            ..self.paint(stroke.colour, stroke.alpha)
        };
        self.circle(place, radius, &paint, false)
    }

    fn circle(
        &self,
        place: Place,
        radius: f64,
        paint: &Paint,
        filled: bool,
    ) -> Result<(), FigureError> {
        let (place, radius) = (self.fine(place)?, (radius * FINE) as u32);
        let mut backend = self.backend.borrow_mut();
        backend
            .draw_circle(place, radius, paint, filled)
            .map_err(FigureError::draw)
    }

    /// A text, its middle height at the place.
    pub fn text(
        &self,
        place: Place,
        text: &str,
        style: (f64, bool),
        colour: Colour,
        side: Side,
    ) -> Result<(), FigureError> {
        self.text_as_is(place, text, style, self.page.paint(colour), side)
    }

    /// A text in the colour of what it names, as far from the paper as text must be.
    pub fn label(
        &self,
        place: Place,
        text: &str,
        style: (f64, bool),
        colour: Colour,
        side: Side,
    ) -> Result<(), FigureError> {
        let colour = legible(self.page.paint(colour), self.page.paper());
        self.text_as_is(place, text, style, colour, side)
    }

    /// A text on a ground of some colour, dark or light as that asks for.
    pub fn text_on(
        &self,
        place: Place,
        text: &str,
        style: (f64, bool),
        ground: Colour,
    ) -> Result<(), FigureError> {
        let ground = self.page.paint(ground);
        let [dark, light] = [(20, 20, 20), (255, 255, 255)];
        let colour = match contrast(dark, ground) >= contrast(light, ground) {
            true => dark,
            false => light,
        };
        self.text_as_is(place, text, style, colour, Side::Middle)
    }

    /// A circle filled with paper: an open dot.
    pub fn open_dot(&self, place: Place, radius: f64, stroke: Stroke) -> Result<(), FigureError> {
        self.circle(place, radius, &Paint::new(self.page.paper(), 1.0), true)?;
        self.ring(place, radius, stroke)
    }

    /// A line that ends in a tip.
    pub fn arrow(
        &self,
        from: Place,
        to: Place,
        stroke: Stroke,
        tip: f64,
    ) -> Result<(), FigureError> {
        let length = (to.0 - from.0).hypot(to.1 - from.1);
        if length < 1e-6 {
            return Ok(());
        }
        let along = ((to.0 - from.0) / length, (to.1 - from.1) / length);
        let tip = tip.min(length);
        let back = (to.0 - tip * along.0, to.1 - tip * along.1);
        self.line(&[from, back], stroke)?;
        let corner = |side: f64| {
            let half = side * 0.46 * tip;
            (back.0 - half * along.1, back.1 + half * along.0)
        };
        self.fill(
            &[to, corner(1.0), corner(-1.0)],
            stroke.colour,
            stroke.alpha,
        )
    }

    /// A rectangle in the colour of the paper, so that what is written on it can be read.
    pub fn clear(
        &self,
        [left, top, right, bottom]: [f64; 4],
        alpha: f64,
    ) -> Result<(), FigureError> {
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
        self.polygon(&corners, &Paint::new(self.page.paper(), alpha))
    }

    fn text_as_is(
        &self,
        place: Place,
        text: &str,
        (size, bold): (f64, bool),
        colour: Colour,
        side: Side,
    ) -> Result<(), FigureError> {
        let side = match side {
            Side::Right => HPos::Left,
            Side::Middle => HPos::Center,
            Side::Left => HPos::Right,
        };
        let style = TextStyle {
            size,
            bold,
            colour,
            anchor: Pos::new(side, VPos::Center),
            transform: FontTransform::None,
        };
        self.write(place, text, &style)
    }

    /// A text that reads upwards, its middle height at the place.
    pub fn text_up(
        &self,
        place: Place,
        text: &str,
        size: f64,
        colour: Colour,
    ) -> Result<(), FigureError> {
        let style = TextStyle {
            size,
            bold: false,
            colour: self.page.paint(colour),
            anchor: Pos::new(HPos::Center, VPos::Center),
            transform: FontTransform::Rotate270,
        };
        self.write(place, text, &style)
    }

    fn write(&self, place: Place, text: &str, style: &TextStyle) -> Result<(), FigureError> {
        let place = self.fine(place)?;
        let mut backend = self.backend.borrow_mut();
        backend
            .draw_text(text, style, place)
            .map_err(FigureError::draw)
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

/// A text as it stands in XML.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace(char::is_control, " ")
}

/// A finished drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// The SVG without its fonts and words.
    pub(super) svg: String,
    pub(super) page: Page,
    title: String,
    description: String,
}

impl Drawing {
    /// Makes a drawing.
    pub(super) fn new(
        page: Page,
        draw: impl FnOnce(&Canvas) -> Result<(), FigureError>,
    ) -> Result<Drawing, FigureError> {
        let mut svg = String::new();
        let (width, height) = size(&page);
        {
            let mut backend = SVGBackend::with_string(&mut svg, (width, height));
            let corner = (width as i32, height as i32);
            backend
                .draw_rect((0, 0), corner, &Paint::new(page.paper(), 1.0), true)
                .map_err(FigureError::draw)?;
            let backend = RefCell::new(backend);
            let canvas = Canvas { backend, page };
            draw(&canvas)?;
            let mut backend = canvas.backend.borrow_mut();
            backend.present().map_err(FigureError::draw)?;
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
            title: String::new(),
            description: String::new(),
        })
    }

    /// The same with words for those who do not see it.
    pub(super) fn described(self, title: &str, description: &str) -> Drawing {
        Drawing {
            title: title.to_owned(),
            description: description.to_owned(),
            ..self
        }
    }

    /// Its heading.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// What there is to see, in sentences with the numbers that matter: a text alternative.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// As SVG with its title and description, which screen readers read. It carries its fonts, so that
    /// it looks the same on a machine without them; without the feature `fonts` it names them instead,
    /// as `bvlab-font:Inter-Regular.otf` and `bvlab-font:Inter-SemiBold.otf`, for whoever has them to put
    /// their addresses there.
    pub fn to_svg(&self) -> String {
        let style = format!(
            "<defs><style>{}{}</style></defs>",
            face("normal", &font_address(false)),
            face("bold", &font_address(true))
        );
        let (head, content) = self.svg.split_once('>').unwrap_or(("", &self.svg));
        let words = [("title", &self.title), ("desc", &self.description)];
        let words = words
            .into_iter()
            .filter(|(_, text)| !text.trim().is_empty());
        let words = words.map(|(tag, text)| format!("<{tag}>{}</{tag}>\n", escaped(text)));
        let words: String = words.collect();
        format!("{head} role=\"img\">\n{words}{style}{content}")
    }
}

fn face(weight: &str, address: &str) -> String {
    format!("@font-face{{font-family:{FAMILY};font-weight:{weight};src:url({address})}}")
}

/// Where the ordinary or the bold font is found: within the file.
#[cfg(feature = "fonts")]
fn font_address(bold: bool) -> String {
    let font = if bold { SEMIBOLD } else { REGULAR };
    let data = base64::engine::general_purpose::STANDARD.encode(font);
    format!("data:font/otf;base64,{data}")
}

/// The name of the ordinary or the bold font.
#[cfg(not(feature = "fonts"))]
fn font_address(bold: bool) -> String {
    let name = if bold { "SemiBold" } else { "Regular" };
    format!("bvlab-font:{FAMILY}-{name}.otf")
}
