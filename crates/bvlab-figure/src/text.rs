//! Texts: the fonts, and how wide a text is in them.
//!
//! The fonts are part of the program, and their widths are known without the feature `fonts`, too, so
//! that a figure is the same on every machine and in a browser's worker.

use std::convert::Infallible;
use std::sync::LazyLock;

use plotters_backend::text_anchor::Pos;
use plotters_backend::{
    BackendColor, BackendCoord, BackendTextStyle, FontFamily, FontStyle, FontTransform,
};
use ttf_parser::Face;

use super::theme::Colour;
use super::theme::FINE;

/// The name of the fonts.
pub const FAMILY: &str = "Inter";
/// The font of ordinary text.
#[cfg(feature = "fonts")]
pub static REGULAR: &[u8] = include_bytes!("font/Inter-Regular.otf");
/// The font of bold text.
#[cfg(feature = "fonts")]
pub static SEMIBOLD: &[u8] = include_bytes!("font/Inter-SemiBold.otf");

/// The widths of their letters: the same fonts without outlines, ordinary and bold.
static METRICS: [&[u8]; 2] = [
    include_bytes!("font/Inter-Regular.metrics"),
    include_bytes!("font/Inter-SemiBold.metrics"),
];

/// A font size in plotters' own measure, which is 1.24 times what others call the size.
fn plotters_size(size: f64) -> f64 {
    size * FINE * 1.24
}

/// The width of a text in the backend's pixels, cut to a whole number.
///
/// ```text
/// width = size · Σ advance(glyph) / (ascender − descender)
/// ```
///
/// with plotters' size; added up in single precision, as plotters does. There is no kerning: the
/// fonts have no `kern` table.
fn pixels(text: &str, size: f64, bold: bool) -> i32 {
    static FACES: LazyLock<[Option<Face<'static>>; 2]> =
        LazyLock::new(|| METRICS.map(|font| Face::parse(font, 0).ok()));
    // Both are part of the program; a font that cannot be read shows as text without width.
    let Some(face) = &FACES[usize::from(bold)] else {
        return 0;
    };
    let height = f32::from(face.ascender()) - f32::from(face.descender());
    let scale = plotters_size(size) as f32 / height;
    let advance = |letter| {
        let glyph = face.glyph_index(letter).unwrap_or_default();
        f32::from(face.glyph_hor_advance(glyph).unwrap_or_default())
    };
    let sum = |width, letter| width + scale * advance(letter);
    text.chars().fold(0.0_f32, sum) as i32
}

/// How wide a text is.
pub fn text_width(text: &str, size: f64, bold: bool) -> f64 {
    f64::from(pixels(text, size, bold)) / FINE
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

/// The text and a size at which it fits, not below 0.72 of the usual one; what is longer is cut.
pub fn fitted(text: &str, size: f64, bold: bool, width: f64) -> (String, f64) {
    let share = width / text_width(text, size, bold).max(1.0);
    let size = size * share.clamp(0.72, 1.0);
    (shortened(text, size, bold, width + 1.0), size)
}

/// A text in so many lines at most, broken between words; what is too long is cut.
pub fn wrapped(text: &str, size: f64, bold: bool, width: f64, lines: usize) -> Vec<String> {
    let mut rest = text.trim();
    let mut all = Vec::new();
    while !rest.is_empty() {
        let fits = |end: &usize| text_width(rest[..*end].trim_end(), size, bold) <= width;
        let spaces = rest.char_indices().filter(|(_, c)| *c == ' ');
        let break_at = match text_width(rest, size, bold) <= width {
            true => None,
            false => spaces.map(|(at, _)| at).rfind(fits),
        };
        match break_at {
            Some(at) if all.len() + 1 < lines => {
                all.push(rest[..at].trim_end().to_owned());
                rest = rest[at..].trim_start();
            }
            _ => {
                all.push(shortened(rest, size, bold, width));
                break;
            }
        }
    }
    all
}

/// A text in as many lines as it needs at that width, as even as they can be.
pub fn balanced(text: &str, size: f64, bold: bool, width: f64, lines: usize) -> Vec<String> {
    let mut best = wrapped(text, size, bold, width, lines);
    let whole = best.join(" ");
    let mut narrower = width - 6.0;
    while best.len() > 1 && narrower > 0.4 * width {
        let broken = wrapped(text, size, bold, narrower, lines);
        if broken.len() > best.len() || broken.join(" ") != whole {
            break;
        }
        // A break after a comma stays.
        let stops = |lines: &[String]| {
            lines[..lines.len() - 1]
                .iter()
                .any(|l| l.ends_with([',', ':']))
        };
        if stops(&best) && !stops(&broken) {
            break;
        }
        best = broken;
        narrower -= 6.0;
    }
    best
}

/// The style of a text, as the backend asks for it.
pub struct TextStyle {
    /// The size of the font in drawing units.
    pub size: f64,
    /// Whether the font is the bold one.
    pub bold: bool,
    /// The colour as painted.
    pub colour: Colour,
    /// Which point of the text lies at its place.
    pub anchor: Pos,
    /// How the text is turned about its place.
    pub transform: FontTransform,
}

impl BackendTextStyle for TextStyle {
    type FontError = Infallible;

    fn color(&self) -> BackendColor {
        let rgb = self.colour;
        BackendColor { alpha: 1.0, rgb }
    }

    fn size(&self) -> f64 {
        plotters_size(self.size)
    }

    fn transform(&self) -> FontTransform {
        self.transform.clone()
    }

    fn style(&self) -> FontStyle {
        match self.bold {
            true => FontStyle::Bold,
            false => FontStyle::Normal,
        }
    }

    fn anchor(&self) -> Pos {
        self.anchor
    }

    fn family(&self) -> FontFamily<'_> {
        FontFamily::Name(FAMILY)
    }

    fn layout_box(&self, text: &str) -> Result<(BackendCoord, BackendCoord), Infallible> {
        let height = (self.size * FINE) as i32;
        Ok(((0, 0), (pixels(text, self.size, self.bold), height)))
    }

    /// Draws nothing: SVG keeps text as text, and its backend never asks for pixels.
    fn draw<E, DrawFunc: FnMut(i32, i32, BackendColor) -> Result<(), E>>(
        &self,
        _: &str,
        _: BackendCoord,
        _: DrawFunc,
    ) -> Result<Result<(), E>, Infallible> {
        Ok(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_text_breaks_between_words_and_is_cut_at_the_end() {
        let text = "one two three four";
        let width = text_width("one two ", 20.0, false);
        assert_eq!(wrapped(text, 20.0, false, 1e3, 2), [text]);
        assert_eq!(
            wrapped(text, 20.0, false, width, 3),
            ["one two", "three", "four"]
        );
        let cut = wrapped(text, 20.0, false, width, 2);
        assert!(cut[0] == "one two" && cut[1].ends_with('…'), "{cut:?}");
        assert!(wrapped("  ", 20.0, false, width, 2).is_empty());
    }

    #[test]
    fn balanced_lines_are_about_as_long_as_each_other() {
        let width = text_width("one two three", 20.0, false) + 1.0;
        let lines = |text: &str| balanced(text, 20.0, false, width, 3);
        assert_eq!(lines("one two three four"), ["one two", "three four"]);
        assert_eq!(lines("one two"), ["one two"]);
    }

    use plotters::style::{FontDesc, register_font};

    use super::*;

    /// plotters' own measure of a text, in the same fonts.
    fn plotters_pixels(text: &str, size: f64, bold: bool) -> i32 {
        let style = match bold {
            true => FontStyle::Bold,
            false => FontStyle::Normal,
        };
        let font = FontDesc::new(FontFamily::Name(FAMILY), plotters_size(size), style);
        font.layout_box(text).unwrap().1.0
    }

    #[test]
    fn a_text_is_as_wide_as_plotters_measures_it() {
        assert!(register_font(FAMILY, FontStyle::Normal, REGULAR).is_ok());
        assert!(register_font(FAMILY, FontStyle::Bold, SEMIBOLD).is_ok());
        let same = |text: &str, size: f64| {
            for bold in [false, true] {
                let (ours, theirs) = (pixels(text, size, bold), plotters_pixels(text, size, bold));
                assert_eq!(ours, theirs, "{text:?} of size {size}, bold: {bold}");
            }
        };
        for letter in '\0'..='\u{ffff}' {
            same(&letter.to_string(), 13.0);
        }
        let texts = [
            "",
            "AV To LT Wa. fi ffl",
            "bias² + variance + noise = 0.0123 ± 0.0045",
            "training sets of 1 000 – λ = 10⁻³, σ² ≤ ½",
            "e\u{301} 日本語 🦀 عربي",
            "a caption so long that rounding in single precision shows in its sum: the error of a \
             deep tree is nearly all variance, the error of a shallow one nearly all bias",
        ];
        for text in texts {
            for size in [1.0, 11.5, 13.0, 17.333, 40.0] {
                same(text, size);
            }
        }
    }
}
