//! One look for all figures: colours that mean the same everywhere and sizes that can be read
//! from the last row.

use bvlab_core::decompose::Loss;
use bvlab_experiment::{Look, Part, Shape, Theme};

/// Pixels of the backend per drawing unit.
pub(super) const FINE: f64 = 10.0;

/// A colour, red, green and blue.
pub type Colour = (u8, u8, u8);

/// The page that a figure is drawn on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Page {
    /// Its width in drawing units, in which text has fixed sizes.
    pub width: f64,
    /// Its height in drawing units.
    pub height: f64,
    /// How many pixels of a PNG a drawing unit has.
    pub pixels: f32,
    /// How many points (1/72 inch) of a PDF a drawing unit has.
    pub points: f32,
    /// Whether it is dark.
    pub dark: bool,
}

impl Page {
    /// The page of a look. Larger text is a smaller page, enlarged.
    pub fn of(look: Look) -> Self {
        let (width, height, pixels, points) = match look.shape {
            // 13⅓ × 7½ inches, as slides are.
            Shape::Slide => (1280.0, 720.0, 1.5, 0.75),
            // A column of 3.4 inches, in print at 600 dots per inch.
            Shape::Paper => (720.0, 540.0, 17.0 / 6.0, 0.34),
            Shape::Square => (900.0, 900.0, 1.5, 0.6),
        };
        let zoom = look.font_scale;
        Page {
            width: width / zoom,
            height: height / zoom,
            pixels: pixels * zoom as f32,
            points: points * zoom as f32,
            dark: look.theme == Theme::Dark,
        }
    }

    /// The colour of the paper.
    pub fn paper(&self) -> Colour {
        match self.dark {
            true => (24, 26, 30),
            false => (255, 255, 255),
        }
    }

    /// A colour of the light theme as it is on this page: on dark paper greys change places, and
    /// colours get lighter.
    pub fn paint(&self, colour: Colour) -> Colour {
        if !self.dark {
            return colour;
        }
        let (r, g, b) = colour;
        let grey = r.abs_diff(g) < 6 && g.abs_diff(b) < 6;
        match grey {
            // From 24 for white to 240 for black.
            true => {
                let turned = 240.0 - f64::from(r) * (240.0 - 26.0) / 255.0;
                let turned = turned as u8;
                (turned, turned, turned)
            }
            false => {
                let lift = |part: u8| (f64::from(part) * 0.72 + 255.0 * 0.28) as u8;
                (lift(r), lift(g), lift(b))
            }
        }
    }
}

/// Text sizes: no text is smaller than 1/40 of the figure's height.
pub const HEADING: f64 = 32.0;
/// Panel titles and labels of curves.
pub const LABEL: f64 = 23.0;
/// Axis titles and numbers.
pub const AXIS: f64 = 21.0;
/// The line below the heading.
pub const CAPTION: f64 = 19.0;

// Okabe and Ito's palette, which stays apart for colour-blind eyes, but for noise and risk.
/// The true function.
pub const TRUTH: Colour = (0, 145, 105);
/// The parts.
pub const BIAS: Colour = (0, 104, 172);
/// Variance, and the refits that make it.
pub const VARIANCE: Colour = (213, 84, 0);
/// Noise.
pub const NOISE: Colour = (130, 130, 130);
/// Risk and testing error.
pub const RISK: Colour = (20, 20, 20);
/// Training error.
pub const TRAIN: Colour = (140, 60, 140);
/// The median risk of single training sets.
pub const MEDIAN: Colour = (118, 78, 20);
/// Text.
pub const INK: Colour = (35, 35, 35);
/// Text of lesser weight.
pub const SOFT: Colour = (95, 95, 95);
/// Lines of the frame.
pub const FRAME: Colour = (120, 120, 120);
/// Lines behind the curves.
pub const GRID: Colour = (228, 228, 228);
/// The training points.
pub const DATA: Colour = (60, 60, 60);

/// The colours of learners that share a panel.
pub const LEARNERS: [Colour; 6] = [
    (0, 104, 172),
    (213, 84, 0),
    (0, 145, 105),
    (190, 90, 150),
    (178, 130, 0),
    (80, 160, 210),
];

/// The colours of the variance's sources: single ones in the learners' colours, those that act
/// together in between.
pub const SOURCES: [Colour; 7] = [
    (0, 104, 172),
    (130, 130, 130),
    (213, 84, 0),
    (110, 170, 215),
    (222, 160, 60),
    (180, 120, 170),
    (90, 60, 90),
];

/// The steps of a heat map, from low to high: from dark blue over green to light yellow, the
/// lightness rising evenly.
pub const SHADES: [Colour; 7] = [
    (48, 18, 84),
    (58, 62, 136),
    (42, 104, 142),
    (32, 144, 140),
    (76, 184, 116),
    (164, 216, 72),
    (252, 238, 120),
];

/// The same colour, dark enough for text.
pub fn darker((r, g, b): Colour) -> Colour {
    let dark = |part: u8| (f64::from(part) * 0.72) as u8;
    (dark(r), dark(g), dark(b))
}

/// The colour of a part.
pub fn colour(part: Part) -> Colour {
    match part {
        Part::Noise => NOISE,
        Part::Bias2 => BIAS,
        Part::Variance => VARIANCE,
        Part::Risk | Part::Test => RISK,
        Part::Train => TRAIN,
        Part::Median => MEDIAN,
        Part::MemberRisk => LEARNERS[3],
        Part::AverageBias => LEARNERS[5],
        Part::AverageVariance => LEARNERS[4],
        Part::Diversity => LEARNERS[2],
    }
}

/// What runs up a panel of errors.
pub fn error(loss: Loss) -> &'static str {
    match loss {
        Loss::Squared => "squared error",
        Loss::CrossEntropy { .. } => "cross-entropy",
        Loss::ZeroOne(_) => "share of errors",
    }
}

/// What a part is called.
pub fn name(part: Part, loss: Loss) -> &'static str {
    match part {
        Part::Noise => "noise",
        Part::Bias2 => loss.bias_name(),
        Part::Variance => "variance",
        Part::Risk => "risk",
        Part::Test => "testing error",
        Part::Train => "training error",
        Part::Median => "median risk",
        Part::MemberRisk => "risk of a member",
        Part::AverageBias => match loss.bias_name() {
            "bias²" => "average bias²",
            _ => "average bias",
        },
        Part::AverageVariance => "average variance",
        Part::Diversity => "diversity",
    }
}
