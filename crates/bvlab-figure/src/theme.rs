//! One look for all figures: colours that mean the same everywhere and sizes that can be read
//! from the last row.

use bvlab_core::decompose::Loss;
use bvlab_core::plan::StudyDescription;
use bvlab_experiment::{Look, Part, Shape, Theme};

/// Pixels of the backend per drawing unit.
pub(super) const FINE: f64 = 10.0;

/// The least height of a panel that can be read.
pub const LEAST: f64 = 44.0;

/// The least width of panels that stand side by side on a page for print.
const SLIM: f64 = 204.0;

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
    /// The least height of a panel in drawing units.
    pub least: f64,
    /// Panels that would be narrower stand one above the other.
    pub slim: f64,
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
            least: match look.shape {
                // Stacked panels get a taller page rather than less.
                Shape::Paper => 100.0,
                Shape::Slide | Shape::Square => LEAST,
            },
            slim: match look.shape {
                Shape::Paper => SLIM,
                Shape::Slide | Shape::Square => 0.0,
            },
        }
    }

    /// The taller pages of a look, for panels that stand one above the other; none where pages have
    /// one height.
    pub fn taller(look: Look) -> Vec<Self> {
        let page = Page::of(look);
        let heights = match look.shape {
            Shape::Paper => &[(820.0, 104.0), (1060.0, LEAST)][..],
            Shape::Slide | Shape::Square => &[],
        };
        let tall = |(height, least): &(f64, f64)| Page {
            height: page.height * height / 540.0,
            least: *least,
            ..page
        };
        heights.iter().map(tall).collect()
    }

    /// Whether panels may stand one above the other.
    pub fn is_tall(&self) -> bool {
        self.height > self.width
    }

    /// The colour of the paper.
    pub fn paper(&self) -> Colour {
        paper(self.dark)
    }

    /// A colour of the light theme as it is on this page.
    pub fn paint(&self, colour: Colour) -> Colour {
        painted(colour, self.dark)
    }
}

/// The colour of light or dark paper.
pub fn paper(dark: bool) -> Colour {
    match dark {
        true => (24, 26, 30),
        false => (255, 255, 255),
    }
}

/// A colour of the light theme as it is on light or dark paper.
pub fn painted(colour: Colour, dark: bool) -> Colour {
    match dark {
        true => on_dark(colour),
        false => colour,
    }
}

/// On dark paper greys change places: black becomes `DARK_ENDS.0`, white `DARK_ENDS.1`.
pub const DARK_ENDS: (f64, f64) = (240.0, 26.0);
/// Parts of a colour that differ by less are a grey.
pub const GREY: u8 = 6;
/// On dark paper colours keep this share of themselves, and the rest is white.
pub const DARK_SHARE: f64 = 0.72;

/// A colour of the light theme as it is on dark paper.
fn on_dark((r, g, b): Colour) -> Colour {
    if r.abs_diff(g) < GREY && g.abs_diff(b) < GREY {
        let turned = DARK_ENDS.0 - f64::from(r) * (DARK_ENDS.0 - DARK_ENDS.1) / 255.0;
        let turned = turned as u8;
        return (turned, turned, turned);
    }
    let lift = |part: u8| (f64::from(part) * DARK_SHARE + 255.0 * (1.0 - DARK_SHARE)) as u8;
    (lift(r), lift(g), lift(b))
}

/// Text sizes: no text is smaller than 1/40 of the figure's height.
pub const HEADING: f64 = 32.0;
/// Panel titles and labels of curves.
pub const LABEL: f64 = 23.0;
/// Axis titles and numbers.
pub const AXIS: f64 = 24.0;
/// The line below the heading, and notes.
pub const CAPTION: f64 = 22.0;
/// The line at the bottom: what dots, dashes and bands are.
pub const FOOTER: f64 = 18.0;

// Blue, orange, green, black and purple mean bias², variance, truth, risk and training error, and
// nothing else. They are near Okabe and Ito's, which stay apart for colour-blind eyes.
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
/// Upright lines behind the curves that mark a value.
pub const MARK: Colour = (178, 178, 178);
/// The points of the first two classes.
pub const CLASSES: [Colour; 2] = [(196, 48, 112), (0, 144, 152)];

// Widths of lines, in drawing units, in which the numbers of an axis are 24 high.
/// A curve.
pub const CURVE: f64 = 3.6;
/// Theory through the dots.
pub const EXACT: f64 = 2.0;
/// A single training set's curve behind the means.
pub const RUN: f64 = 1.2;
/// One of many refits.
pub const REFIT: f64 = 1.7;
/// A line of the grid.
pub const GRID_LINE: f64 = 1.3;
/// The frame of a panel.
pub const FRAME_LINE: f64 = 1.6;
/// An upright line that marks a value.
pub const MARK_LINE: f64 = 1.8;
/// The ring where the risk is lowest.
pub const RING_LINE: f64 = 2.4;
/// An error bar.
pub const BAR_LINE: f64 = 2.0;

// How much can be seen of what lies behind other things.
/// A single training set's curve behind the means.
pub const RUN_ALPHA: f64 = 0.14;
/// A band around a curve.
pub const BAND_ALPHA: f64 = 0.12;
/// The gap between two curves.
pub const GAP_ALPHA: f64 = 0.2;
/// The training points.
pub const DATA_ALPHA: f64 = 0.6;
/// A dart.
pub const DART_ALPHA: f64 = 0.65;
/// The rings of a dartboard.
pub const BOARD_ALPHA: f64 = 0.45;

/// How long the dashes of a line are, and the gaps between them.
pub fn dash(width: f64) -> (f64, f64) {
    (3.2 * width + 3.0, 2.0 * width + 3.0)
}

/// The colours of learners and series that share a panel: none of those with a meaning.
pub const LEARNERS: [Colour; 6] = [
    (0, 144, 152),
    (196, 48, 112),
    (166, 120, 0),
    (92, 102, 140),
    (132, 84, 52),
    (96, 176, 200),
];

/// The ends and the middle of the ramp for ordered values, from light to dark.
const RAMP: [Colour; 3] = [(112, 198, 190), (0, 128, 150), (62, 66, 158)];

/// The colour of the i-th of some ordered values: darker from each to the next.
pub fn ramp(i: usize, count: usize) -> Colour {
    let share = match count {
        0 | 1 => 0.5,
        _ => i as f64 / (count - 1) as f64,
    };
    mixed(&RAMP, share)
}

/// A colour on the way through some others, from 0 to 1.
pub fn mixed(through: &[Colour], share: f64) -> Colour {
    let share = share.clamp(0.0, 1.0) * (through.len() - 1) as f64;
    let low = (share as usize).min(through.len() - 2);
    let part = share - low as f64;
    let mix = |a: u8, b: u8| (f64::from(a) + part * (f64::from(b) - f64::from(a))).round() as u8;
    let (a, b) = (through[low], through[low + 1]);
    (mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
}

/// The colours of the variance's sources: inputs, label noise and algorithm, then those that act
/// together.
pub const SOURCES: [Colour; 7] = [
    (0, 144, 152),
    (150, 150, 150),
    (196, 48, 112),
    (140, 196, 200),
    (222, 176, 70),
    (226, 158, 186),
    (92, 102, 140),
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

/// How light a colour is, from 0 to 1 (relative luminance of WCAG).
fn luminance((r, g, b): Colour) -> f64 {
    let linear = |part: u8| {
        let part = f64::from(part) / 255.0;
        match part <= 0.04045 {
            true => part / 12.92,
            false => ((part + 0.055) / 1.055).powf(2.4),
        }
    };
    0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}

/// How much two colours differ in lightness, from 1 to 21 (contrast ratio of WCAG).
pub fn contrast(a: Colour, b: Colour) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// The contrast that text needs with its ground (WCAG level AA).
pub const LEGIBLE: f64 = 4.5;

/// The same hue, as far from the ground as text must be: darker on light ground, lighter on dark.
pub fn legible(colour: Colour, ground: Colour) -> Colour {
    let end = if luminance(ground) > 0.18 { 0.0 } else { 255.0 };
    let mixed = |share: f64| {
        let mix = |part: u8| (f64::from(part) * (1.0 - share) + end * share).round() as u8;
        (mix(colour.0), mix(colour.1), mix(colour.2))
    };
    let steps = (0..=100).map(|step| mixed(f64::from(step) / 100.0));
    let mut steps = steps.filter(|colour| contrast(*colour, ground) >= LEGIBLE);
    steps.next().unwrap_or(mixed(1.0))
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
        Part::MemberRisk => LEARNERS[1],
        // Lighter than those of the ensemble.
        Part::AverageBias => (86, 156, 214),
        Part::AverageVariance => (236, 142, 72),
        Part::Diversity => LEARNERS[0],
        Part::Optimism => LEARNERS[4],
        Part::NoiseBound => LEARNERS[2],
    }
}

/// Whether the curve of a part is dashed.
pub fn is_dashed(part: Part) -> bool {
    matches!(part, Part::Train | Part::NoiseBound)
}

/// What runs up a panel of errors.
pub fn error(loss: Loss) -> &'static str {
    match loss {
        Loss::Squared => "squared error",
        Loss::CrossEntropy { .. } => "cross-entropy",
        Loss::ZeroOne(_) => "share of errors",
        Loss::Log => "excess log-loss",
    }
}

/// What the error of a study is called.
pub fn error_of(study: &StudyDescription) -> &'static str {
    match study.loss {
        Loss::Squared if study.density => "integrated squared error",
        Loss::Log => "excess log-loss (KL divergence)",
        loss => error(loss),
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
        Part::Optimism => "optimism",
        Part::NoiseBound => "lower bound",
    }
}

/// The colour of a series that is called like a part of the error, or like the truth.
pub fn meant(label: &str) -> Option<Colour> {
    let known = [
        ("noise", NOISE),
        ("bias", BIAS),
        ("variance", VARIANCE),
        ("risk", RISK),
        ("testing error", RISK),
        ("training error", TRAIN),
        ("tru", TRUTH),
        ("population risk", RISK),
        ("excess risk", RISK),
        ("its true error", RISK),
        ("empirical risk", TRAIN),
        ("its training error", TRAIN),
    ];
    let found = known.iter().find(|(name, _)| label.starts_with(name));
    found.map(|(_, colour)| *colour)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hue of a colour, in degrees.
    fn hue((r, g, b): Colour) -> f64 {
        let [r, g, b] = [r, g, b].map(f64::from);
        let angle = (3_f64.sqrt() * (g - b)).atan2(2.0 * r - g - b);
        angle.to_degrees().rem_euclid(360.0)
    }

    #[test]
    fn colours_with_a_meaning_are_no_learners_colours() {
        for learner in LEARNERS {
            for reserved in [BIAS, VARIANCE, TRUTH, TRAIN] {
                let apart = [learner.0, learner.1, learner.2].map(f64::from);
                let other = [reserved.0, reserved.1, reserved.2].map(f64::from);
                let away: f64 = apart.iter().zip(other).map(|(a, b)| (a - b).powi(2)).sum();
                let turned = (hue(learner) - hue(reserved)).abs();
                let turned = turned.min(360.0 - turned);
                assert!(
                    away.sqrt() > 40.0 && (turned > 8.0 || away.sqrt() > 90.0),
                    "{learner:?} looks like {reserved:?}"
                );
            }
        }
        assert_eq!(meant("bias² of the mean tree"), Some(BIAS));
        assert_eq!(meant("by bootstrap"), None);
    }

    #[test]
    fn the_ramp_gets_darker_from_each_value_to_the_next() {
        for count in 2..7 {
            let shades: Vec<f64> = (0..count).map(|i| luminance(ramp(i, count))).collect();
            assert!(
                shades.windows(2).all(|pair| pair[1] < pair[0]),
                "{shades:?}"
            );
            assert!((0..count).all(|i| contrast(ramp(i, count), (255, 255, 255)) > 1.9));
        }
        assert_eq!(ramp(0, 1), ramp(1, 3));
    }

    #[test]
    fn contrast_is_that_of_wcag() {
        assert!((contrast((0, 0, 0), (255, 255, 255)) - 21.0).abs() < 1e-9);
        assert!((contrast((118, 118, 118), (255, 255, 255)) - 4.54).abs() < 0.01);
        assert!((contrast((9, 9, 9), (9, 9, 9)) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn text_in_any_colour_can_be_read() {
        for (ground, dark) in [((255, 255, 255), false), ((24, 26, 30), true)] {
            for colour in LEARNERS.into_iter().chain(SOURCES) {
                let colour = if dark { on_dark(colour) } else { colour };
                let text = legible(colour, ground);
                assert!(
                    contrast(text, ground) >= LEGIBLE,
                    "{colour:?} on {ground:?}"
                );
                if contrast(colour, ground) >= LEGIBLE {
                    assert_eq!(text, colour);
                }
            }
        }
    }
}
