//! The theme as a page beside the figures uses it: the same colours, widths and words.

use super::select::column_name;
use super::theme::{self, Colour};
use bvlab_core::decompose::Loss;
use bvlab_experiment::Part;
use bvlab_outcome::columns;

/// The look of a page, on light or on dark paper.
#[derive(Clone, Debug)]
pub struct PageLook {
    /// Colours by name. Those that begin with `ink-` are the same hues for text.
    pub colours: Vec<(&'static str, Colour)>,
    /// The colours of learners, and the same for text.
    pub learners: Vec<(Colour, Colour)>,
}

/// A part of the error as a page draws it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LookPart {
    /// Its column in the table of curves.
    pub column: &'static str,
    /// The name of its colour.
    pub colour: &'static str,
    /// What it is called.
    pub label: &'static str,
    /// The same where there is little room.
    pub brief: &'static str,
    /// The column of its exact form, if it has one.
    pub exact: Option<&'static str>,
    /// Whether its curve is dashed.
    pub dashed: bool,
}

/// The colours that figures and page share, and whether they are text colours as they are.
const SHARED: [(&str, Colour); 13] = [
    ("ink", theme::INK),
    ("soft", theme::SOFT),
    ("frame", theme::FRAME),
    ("grid", theme::GRID),
    ("data", theme::DATA),
    ("truth", theme::TRUTH),
    ("bias", theme::BIAS),
    ("variance", theme::VARIANCE),
    ("noise", theme::NOISE),
    ("risk", theme::RISK),
    ("train", theme::TRAIN),
    ("median", theme::MEDIAN),
    ("weights", theme::LEARNERS[4]),
];

/// Those of them that texts are written in, too.
const WRITTEN: [(&str, &str); 9] = [
    ("data", "ink-data"),
    ("truth", "ink-truth"),
    ("bias", "ink-bias"),
    ("variance", "ink-variance"),
    ("noise", "ink-noise"),
    ("risk", "ink-risk"),
    ("train", "ink-train"),
    ("median", "ink-median"),
    ("weights", "ink-weights"),
];

/// The parts of the error that stand in bars, with words on them.
const FILLED: [(&str, &str); 3] = [
    ("noise", "fill-noise"),
    ("bias", "fill-bias"),
    ("variance", "fill-variance"),
];

/// What only a page has: buttons and what is pressed, lines between parts, what is chosen, what
/// went wrong, and text on a bar of colour; on light and on dark paper. None of them has the hue of a
/// colour with a meaning, except what went wrong.
const CHROME: [(&str, Colour, Colour); 7] = [
    ("raised", (246, 246, 247), (36, 39, 44)),
    ("pressed", (226, 227, 232), (60, 64, 72)),
    ("line", (205, 205, 208), (66, 70, 76)),
    ("edge", (120, 120, 120), (150, 150, 150)),
    ("accent", (58, 60, 70), (206, 208, 216)),
    ("alarm", (176, 30, 20), (255, 140, 125)),
    ("inside", (255, 255, 255), (14, 15, 18)),
];

impl PageLook {
    /// The look on light or on dark paper.
    pub fn new(dark: bool) -> Self {
        let paper = theme::paper(dark);
        let painted = |colour: Colour| theme::painted(colour, dark);
        let mut colours = vec![("paper", paper)];
        colours.extend(SHARED.map(|(name, colour)| (name, painted(colour))));
        // Text also stands on what is raised from the paper, or pressed into it.
        let [raised, pressed] = [CHROME[0], CHROME[1]].map(|(_, light, night)| match dark {
            true => night,
            false => light,
        });
        let text = |colour: Colour| {
            let grounds = [paper, raised, pressed].into_iter();
            grounds.fold(painted(colour), theme::legible)
        };
        for (name, written) in WRITTEN {
            let colour = SHARED.iter().find(|(shared, _)| *shared == name);
            colours.extend(colour.map(|(_, colour)| (written, text(*colour))));
        }
        // What is written on a bar must be legible, which is the same the other way round.
        let (_, light, night) = CHROME[CHROME.len() - 1];
        for (name, filled) in FILLED {
            let colour = SHARED.iter().find(|(shared, _)| *shared == name);
            let inside = if dark { night } else { light };
            colours.extend(colour.map(|(_, c)| (filled, theme::legible(painted(*c), inside))));
        }
        colours.extend(CHROME.map(|(name, light, night)| (name, if dark { night } else { light })));
        PageLook {
            colours,
            learners: theme::LEARNERS.map(|c| (painted(c), text(c))).to_vec(),
        }
    }

    /// Widths of lines by name, as multiples of the height of the page's text.
    pub fn widths() -> Vec<(&'static str, f64)> {
        let widths = [
            ("curve", theme::CURVE),
            ("exact", theme::EXACT),
            ("single", theme::RUN),
            ("refit", theme::REFIT),
            ("grid", theme::GRID_LINE),
            ("frame", theme::FRAME_LINE),
            ("mark", theme::MARK_LINE),
            ("ring", theme::RING_LINE),
            ("bar", theme::BAR_LINE),
        ];
        widths.map(|(name, width)| (name, in_text(width))).to_vec()
    }

    /// Dashes of lines by name, and the gaps between them, in the same measure.
    pub fn dashes() -> Vec<(&'static str, f64, f64)> {
        let dashed = [
            ("curve", theme::CURVE),
            ("exact", theme::EXACT),
            ("mark", theme::MARK_LINE),
        ];
        let dash = |(name, width)| {
            let (dash, gap) = theme::dash(width);
            (name, in_text(dash), in_text(gap))
        };
        dashed.map(dash).to_vec()
    }

    /// How much can be seen, by name, of what lies behind other things.
    pub fn opacities() -> Vec<(&'static str, f64)> {
        vec![
            ("single", theme::RUN_ALPHA),
            ("band", theme::BAND_ALPHA),
            ("data", theme::DATA_ALPHA),
            ("dart", theme::DART_ALPHA),
            ("board", theme::BOARD_ALPHA),
        ]
    }

    /// The parts of the error that a page draws, from below.
    pub fn parts() -> Vec<LookPart> {
        let part = |part: Part, colour, brief, exact| LookPart {
            column: column_name(part),
            colour,
            label: theme::name(part, Loss::Squared),
            brief,
            exact,
            dashed: theme::is_dashed(part),
        };
        vec![
            part(Part::Noise, "noise", "noise", None),
            part(Part::Bias2, "bias", "bias²", Some(columns::BIAS2_EXACT)),
            part(
                Part::Variance,
                "variance",
                "variance",
                Some(columns::VARIANCE_EXACT),
            ),
            part(Part::Risk, "risk", "risk", None),
            part(Part::Train, "train", "training", None),
            part(Part::Median, "median", "median", None),
        ]
    }

    /// What runs up a panel of errors.
    pub fn error(loss: Loss) -> &'static str {
        theme::error(loss)
    }

    /// How a colour is painted on dark paper, for colours that come from elsewhere: the share that
    /// it keeps of itself (the rest is white), the values of black and white, and the largest
    /// difference between the parts of a grey.
    pub fn on_dark() -> (f64, (f64, f64), u8) {
        (theme::DARK_SHARE, theme::DARK_ENDS, theme::GREY)
    }
}

/// The numbers of an axis on a page, in the units of the theme.
const PAGE_TEXT: f64 = 21.0;

fn in_text(width: f64) -> f64 {
    width / PAGE_TEXT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_can_be_read_on_every_ground() {
        for dark in [false, true] {
            let look = PageLook::new(dark);
            let get = |name: &str| {
                let found = look.colours.iter().find(|(known, _)| *known == name);
                found.map(|(_, colour)| *colour).unwrap()
            };
            let written = look
                .colours
                .iter()
                .filter(|(name, _)| name.starts_with("ink"));
            let mut inks: Vec<(&str, Colour)> = written.copied().collect();
            inks.extend(look.learners.iter().map(|(_, text)| ("learner", *text)));
            inks.extend(["soft", "accent", "alarm"].map(|name| (name, get(name))));
            assert!(inks.len() > 12);
            for ground in ["paper", "raised"] {
                for (name, ink) in &inks {
                    let contrast = theme::contrast(*ink, get(ground));
                    assert!(
                        contrast >= theme::LEGIBLE,
                        "{name} on {ground}: {contrast}, dark: {dark}"
                    );
                }
            }
            // On a bar of colour.
            for bar in ["fill-bias", "fill-variance", "fill-noise"] {
                let contrast = theme::contrast(get("inside"), get(bar));
                assert!(
                    contrast >= theme::LEGIBLE,
                    "{bar}: {contrast}, dark: {dark}"
                );
            }
            // The edge of a button.
            for ground in ["paper", "raised", "pressed"] {
                let contrast = theme::contrast(get("edge"), get(ground));
                assert!(
                    contrast >= 3.0,
                    "edge on {ground}: {contrast}, dark: {dark}"
                );
            }
            // What is chosen, and the marker, have no hue.
            for name in ["accent", "pressed", "raised", "line"] {
                let (r, g, b) = get(name);
                assert!(r.max(g).max(b) - r.min(g).min(b) <= 12, "{name}");
            }
        }
    }

    #[test]
    fn every_part_has_a_colour() {
        let look = PageLook::new(false);
        for part in PageLook::parts() {
            assert!(look.colours.iter().any(|(name, _)| *name == part.colour));
        }
    }
}
