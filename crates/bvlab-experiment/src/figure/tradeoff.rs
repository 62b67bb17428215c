//! The parts of the error over the sweep.

use toml::Spanned;

use super::choice::{FigureChoice, Lower, Part};
use super::kind::{FigureKind, Subject};
use super::option::{FigureOption, Given, OptionForm};
use super::shared::{
    LEARNERS, MARKS, Mark, OverSweep, PANELS, SECONDS, X_SCALE, Y_MAX, few_panels, learners,
    listed, log_axis, marks, over_sweep, parts,
};
use crate::source::Trouble;
use bvlab_core::plan::{Scale, StudyDescription};

/// Noise, bias², variance and risk over the sweep.
#[derive(Clone, Debug)]
pub struct Tradeoff {
    /// The learners drawn.
    pub learners: Vec<String>,
    /// The curves drawn.
    pub parts: Vec<Part>,
    /// How many single resamples are drawn faintly.
    pub runs: usize,
    /// Whether all learners share one panel.
    pub overlay: bool,
    /// The horizontal axis; `None` for as each sweep is spread.
    pub x_scale: Option<Scale>,
    /// The vertical axis.
    pub y_scale: Scale,
    /// Where the vertical axis ends.
    pub y_max: Option<f64>,
    /// Where a logarithmic one begins.
    pub y_min: Option<f64>,
    /// The values of the second axis that are drawn; `None` for all.
    pub second: Option<Vec<f64>>,
    /// What is drawn in a panel below.
    pub below: Vec<Lower>,
    /// Upright lines.
    pub marks: Vec<Mark>,
    /// Texts with arrows.
    pub notes: Vec<Note>,
}

/// A text with an arrow.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// What is written.
    pub text: String,
    /// Where, in values of the axes.
    pub at: (f64, f64),
    /// Where an arrow leads from there.
    pub to: Option<(f64, f64)>,
}

const PARTS: FigureOption = FigureOption::new(
    "parts",
    OptionForm::Choices(Part::WORDS),
    "noise, bias2, variance and risk",
    "The curves drawn",
);
const RUNS: FigureOption = FigureOption::count(
    "runs",
    0.0,
    "How many single training sets are drawn faintly behind the means",
);
const OVERLAY: FigureOption = FigureOption::new(
    "overlay",
    OptionForm::Flag(false),
    "",
    "All learners in one panel, one colour and one part each, rather than one panel each",
);
const Y_SCALE: FigureOption = FigureOption::new(
    "y-scale",
    OptionForm::Choice(Scale::WORDS),
    "linear",
    "The vertical axis",
);
const Y_MIN: FigureOption = FigureOption::positive(
    "y-min",
    "where the curves begin, within limits",
    "Where a log axis begins",
);
const BELOW: FigureOption = FigureOption::new(
    "below",
    OptionForm::Choices(Lower::WORDS),
    "none",
    "Diagnostics of solving for the weights, in a panel below",
);
const NOTES: FigureOption = FigureOption::new(
    "notes",
    OptionForm::Tables(&[NOTE_TEXT, NOTE_AT, NOTE_TO]),
    "none",
    "Texts with an arrow, as in `[{ text = \"over-fit\", at = [12, 0.6], to = [14, 0.5] }]`",
);
const NOTE_TEXT: FigureOption =
    FigureOption::new("text", OptionForm::Text, "", "What is written").required();
const NOTE_AT: FigureOption =
    FigureOption::new("at", OptionForm::Pair, "", "Where: `[x, y]`").required();
const NOTE_TO: FigureOption = FigureOption::new(
    "to",
    OptionForm::Pair,
    "no arrow",
    "Where an arrow leads from there: `[x, y]`",
);

impl FigureKind for Tradeoff {
    const NAME: &'static str = "tradeoff";
    const MEANING: &'static str =
        "Noise, bias², variance and risk over the sweep, one panel per learner";
    const NEEDS: &'static str = "It needs a sweep.";
    const EXAMPLE: &'static str = "tradeoff = {}";
    const OPTIONS: &'static [FigureOption] = &[
        LEARNERS, PARTS, RUNS, OVERLAY, X_SCALE, Y_SCALE, Y_MAX, Y_MIN, SECONDS, BELOW, MARKS,
        NOTES,
    ];

    fn check(given: &Given, subject: Subject) -> Result<Self, Trouble> {
        let study = subject.study(&given.span)?;
        let learners = learners(given, &study.curves)?;
        let swept = over_sweep(&learners, given, &study.curves)?;
        let parts = checked_parts(given, study)?;
        match given.flag(&OVERLAY) {
            true => check_overlay(given, &swept, learners.len() - swept.axes.len())?,
            false => few_panels(swept.lines, &given.span)?,
        }
        let x_scale = given.choice(&X_SCALE);
        log_axis(x_scale, swept.axes.iter().copied(), &given.span)?;
        let below = checked_below(given, study, &learners)?;
        let y_min = checked_y_min(given)?;
        Ok(Tradeoff {
            learners,
            parts,
            runs: given.count(&RUNS)?,
            overlay: given.flag(&OVERLAY),
            x_scale,
            y_scale: given.choice(&Y_SCALE).unwrap_or_default(),
            y_max: given.number(&Y_MAX)?,
            y_min,
            below,
            marks: marks(given, swept.axes.iter().copied())?,
            notes: given
                .tables(&NOTES)?
                .iter()
                .map(note)
                .collect::<Result<_, _>>()?,
            second: swept.seconds,
        })
    }
}

fn checked_parts(given: &Given, study: &StudyDescription) -> Result<Vec<Part>, Trouble> {
    let Some(parts) = parts(given, &PARTS, study)? else {
        return Ok(vec![Part::Noise, Part::Bias2, Part::Variance, Part::Risk]);
    };
    let main = parts.iter().filter(|part| **part != Part::Noise);
    if given.flag(&OVERLAY) && main.count() > 1 {
        let message = "an overlay draws one part of every learner, beside the noise";
        return Err(Trouble::new(given.place(&PARTS), message)
            .help("as in `parts = [\"noise\", \"variance\"]`"));
    }
    Ok(parts)
}

/// Curves in one panel need one axis, and must be few enough to be told apart.
fn check_overlay(given: &Given, swept: &OverSweep, flat: usize) -> Result<(), Trouble> {
    let OverSweep { axes, lines, .. } = swept;
    if let Some(other) = axes.iter().find(|axis| axis.name != axes[0].name) {
        let message = format!(
            "an overlay needs one axis, and these are swept over `{}` and `{}`",
            axes[0].name, other.name
        );
        return Err(Trouble::new(given.span.clone(), message)
            .help("leave out `overlay = true` for one panel each"));
    }
    if lines + flat > PANELS {
        let message = format!(
            "an overlay can tell {PANELS} curves apart, not {}",
            lines + flat
        );
        return Err(Trouble::new(given.span.clone(), message)
            .help("choose some with `learners = [\"…\"]` or `second = […]`"));
    }
    Ok(())
}

fn checked_below(
    given: &Given,
    study: &StudyDescription,
    learners: &[String],
) -> Result<Vec<Lower>, Trouble> {
    let Some(below) = given.choices(&BELOW) else {
        return Ok(Vec::new());
    };
    listed(&below, &BELOW)?;
    if given.flag(&OVERLAY) && below.get_ref().len() > 1 {
        let message = "below an overlay there is room for one";
        return Err(Trouble::new(below.span(), message));
    }
    let mut shown = study.curves.iter().zip(&study.solves);
    if !shown.any(|(curve, solves)| *solves && learners.contains(&curve.name)) {
        let message = "none of these learners solves for weights";
        return Err(Trouble::new(below.span(), message).help("`fourier` and `linear` do"));
    }
    Ok(below.into_inner())
}

fn checked_y_min(given: &Given) -> Result<Option<f64>, Trouble> {
    let Some(y_min) = given.number(&Y_MIN)? else {
        return Ok(None);
    };
    if given.choice(&Y_SCALE) != Some(Scale::Log) {
        let message = "`y-min` is for a log axis: a linear one begins at 0";
        return Err(Trouble::new(given.place(&Y_MIN), message).help("add `y-scale = \"log\"`"));
    }
    let y_max = given.value(&Y_MAX).map(Spanned::into_inner);
    if y_max.is_some_and(|most| most <= y_min) {
        let message = "`y-min` must be below `y-max`";
        return Err(Trouble::new(given.place(&Y_MIN), message));
    }
    Ok(Some(y_min))
}

fn note(given: &Given) -> Result<Note, Trouble> {
    let place = |option| match given.pair(option).map(Spanned::into_inner) {
        Some((x, y)) if x.is_finite() && y.is_finite() => Ok(Some((x, y))),
        None => Ok(None),
        Some(_) => Err(Trouble::new(
            given.place(option),
            "a note needs a finite place",
        )),
    };
    let text = given.text(&NOTE_TEXT).map(Spanned::into_inner);
    Ok(Note {
        text: text.unwrap_or_default().replace(char::is_control, " "),
        at: place(&NOTE_AT)?.unwrap_or_default(),
        to: place(&NOTE_TO)?,
    })
}
