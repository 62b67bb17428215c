//! Notes: short texts that lead the eye to a place of a panel.

use std::ops::Range;

use toml::Spanned;

use super::labels::plain;
use super::option::{FigureOption, GivenOptions, OptionForm};
use crate::source::SourceError;
use bvlab_core::words::{did_you_mean, number};

/// A short text at a place of a panel, with a leader or a bracket.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// What is written.
    pub text: String,
    /// What it points at.
    pub anchor: Anchor,
    /// Where the text stands, in values of the axes; `None` for where there is room.
    pub at: Option<(f64, f64)>,
    /// The panel that it belongs to, by learner or name; `None` for the first that has the place.
    pub panel: Option<String>,
}

/// What a note points at.
#[derive(Clone, Debug, PartialEq)]
pub enum Anchor {
    /// Nothing: the text stands by itself.
    None,
    /// A place, in values of the axes.
    Place(f64, f64),
    /// A curve at a value of the horizontal axis.
    Curve(f64, String),
    /// The gap between two curves there.
    Gap(f64, String, String),
}

/// Notes in a panel.
pub(super) const NOTES: FigureOption = FigureOption::new(
    "notes",
    OptionForm::Tables(&[TEXT, X, ON, BETWEEN, AT, TO, PANEL]),
    "none",
    "Short texts with a leader to a curve, as in `[{ text = \"over-fits\", x = 12, on = \"risk\" }]`, or a \
     bracket between two, as in `[{ text = \"gap\", x = 8, between = [\"train\", \"test\"] }]`",
);
const TEXT: FigureOption =
    FigureOption::new("text", OptionForm::Text, "", "What is written").required();
const X: FigureOption = FigureOption::new(
    "x",
    OptionForm::Value,
    "none",
    "Where on the horizontal axis it points",
);
const ON: FigureOption = FigureOption::new(
    "on",
    OptionForm::Text,
    "none",
    "The curve that it points at: a part, a learner or a series",
);
const BETWEEN: FigureOption = FigureOption::new(
    "between",
    OptionForm::Names,
    "none",
    "The two curves that a bracket joins",
);
const AT: FigureOption = FigureOption::new(
    "at",
    OptionForm::Pair,
    "where there is room",
    "Where the text stands: `[x, y]`",
);
const TO: FigureOption = FigureOption::new(
    "to",
    OptionForm::Pair,
    "no leader",
    "A place that it points at: `[x, y]`",
);
const PANEL: FigureOption = FigureOption::new(
    "panel",
    OptionForm::Text,
    "the first that has the place",
    "The panel: a learner, or a simulation's panel",
);

/// What notes can point at.
pub(super) struct Targets<'a> {
    /// The curves, by all their names; empty where these are not known yet.
    pub curves: Vec<&'a str>,
    /// The panels.
    pub panels: Vec<&'a str>,
    /// The values of the horizontal axis, where they are known.
    pub range: Option<(f64, f64)>,
}

/// The notes of a figure.
pub(super) fn notes(given: &GivenOptions, targets: &Targets) -> Result<Vec<Note>, SourceError> {
    let tables = given.tables(&NOTES)?;
    tables.iter().map(|given| note(given, targets)).collect()
}

fn note(given: &GivenOptions, targets: &Targets) -> Result<Note, SourceError> {
    let place = |option| match given.pair(option).map(Spanned::into_inner) {
        Some((x, y)) if x.is_finite() && y.is_finite() => Ok(Some((x, y))),
        None => Ok(None),
        Some(_) => Err(SourceError::new(
            given.place(option),
            "a note needs a finite place",
        )),
    };
    let (at, to) = (place(&AT)?, place(&TO)?);
    let panel = given.text(&PANEL);
    if let Some(panel) = &panel {
        known(panel.get_ref(), panel.span(), "panel", &targets.panels)?;
    }
    let text = given.text(&TEXT).map(Spanned::into_inner);
    Ok(Note {
        text: plain(&text.unwrap_or_default()),
        anchor: anchor(given, targets, at, to)?,
        at,
        panel: panel.map(Spanned::into_inner),
    })
}

fn anchor(
    given: &GivenOptions,
    targets: &Targets,
    at: Option<(f64, f64)>,
    to: Option<(f64, f64)>,
) -> Result<Anchor, SourceError> {
    let wrong = |message: &str| {
        let help = "as in `{ text = \"over-fits\", x = 12, on = \"risk\" }`";
        Err(SourceError::new(given.span.clone(), message).help(help))
    };
    let between = given.names(&BETWEEN);
    let x = match given.value(&X) {
        None => None,
        Some(x) => Some(within(*x.get_ref(), x.span(), targets)?),
    };
    match (x, given.text(&ON), between, to) {
        (Some(x), Some(on), None, None) => {
            known(on.get_ref(), on.span(), "curve", &targets.curves)?;
            Ok(Anchor::Curve(x, on.into_inner()))
        }
        (Some(x), None, Some(between), None) => match between.get_ref().as_slice() {
            [one, other] => {
                for name in [one, other] {
                    known(name.get_ref(), name.span(), "curve", &targets.curves)?;
                }
                let [one, other] = [one, other].map(|name| name.get_ref().clone());
                Ok(Anchor::Gap(x, one, other))
            }
            _ => {
                let message = "`between` needs two curves, as in [\"train\", \"test\"]";
                Err(SourceError::new(between.span(), message))
            }
        },
        (None, None, None, Some((x, y))) => Ok(Anchor::Place(x, y)),
        (None, None, None, None) if at.is_some() => Ok(Anchor::None),
        (None, None, None, None) => wrong("a note needs a place: `x` and `on`, or `at`"),
        (None, ..) => wrong("`on` and `between` need `x`"),
        (Some(_), None, None, _) => wrong("`x` needs `on` or `between`"),
        _ => wrong("a note points at one thing: `on`, `between` or `to`"),
    }
}

fn within(x: f64, span: Range<usize>, targets: &Targets) -> Result<f64, SourceError> {
    if !x.is_finite() {
        return Err(SourceError::new(span, "a note needs a finite place"));
    }
    match targets.range {
        Some((low, high)) if !(low..=high).contains(&x) => {
            let message = format!("{} lies outside the sweep", number(x));
            let help = format!("it goes from {} to {}", number(low), number(high));
            Err(SourceError::new(span, message).help(help))
        }
        _ => Ok(x),
    }
}

/// A name that must be among those known, if any are.
fn known(name: &str, span: Range<usize>, what: &str, among: &[&str]) -> Result<(), SourceError> {
    if among.is_empty() || among.contains(&name) {
        return Ok(());
    }
    let message = format!("no {what} here is called `{name}`");
    let help = did_you_mean(name, among.iter().copied());
    Err(SourceError::new(span, message).help(help))
}
