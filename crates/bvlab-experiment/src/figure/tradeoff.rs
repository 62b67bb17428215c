//! The parts of the error over the sweep.

use toml::Spanned;

use super::choice::{Bands, CapacityMeasure, FigureChoice, Lower, Part};
use super::kind::{FigureKind, FigureSubject};
use super::labels::{FigureLabels, LABELS, X_LABEL, Y_LABEL, plain};
use super::note::{NOTES, Note, Targets, notes};
use super::option::{FigureOption, GivenOptions, OptionForm};
use super::shared::{
    LEARNERS, MARKS, Mark, OverSweep, PANELS, SECONDS, X_SCALE, Y_MAX, ends, few_panels, learners,
    listed, log_axis, marks, over_sweep, parts,
};
use crate::source::SourceError;
use bvlab_core::plan::{Scale, StudyDescription, SweepAxis};

/// Noise, bias², variance and risk over the sweep.
#[derive(Clone, Debug)]
pub struct Tradeoff {
    /// The learners drawn.
    pub learners: Vec<String>,
    /// The curves drawn.
    pub parts: Vec<Part>,
    /// What the horizontal axis measures; `None` for the swept parameter.
    pub x: Option<CapacityMeasure>,
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
    /// Texts with leaders.
    pub notes: Vec<Note>,
    /// What the bands are.
    pub bands: Bands,
    /// Whether learners follow each other along one axis.
    pub join: bool,
    /// What the values of the horizontal axis are called, where they are kinds rather than numbers.
    pub categories: Vec<String>,
    /// Two parts between which the gap is shaded.
    pub shade: Option<(Part, Part)>,
    /// Words of one's own.
    pub labels: FigureLabels,
}

const PARTS: FigureOption = FigureOption::new(
    "parts",
    OptionForm::Choices(Part::WORDS),
    "noise, bias2, variance and risk",
    "The curves drawn",
);
const X: FigureOption = FigureOption::new(
    "x",
    OptionForm::Choice(CapacityMeasure::WORDS),
    "the swept parameter",
    "What the horizontal axis measures; anything but the swept parameter puts all learners in one panel",
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
const BANDS: FigureOption = FigureOption::new(
    "bands",
    OptionForm::Choice(Bands::WORDS),
    "own; paired for a table",
    "What the bands around the curves are",
);
const JOIN: FigureOption = FigureOption::new(
    "join",
    OptionForm::Flag(false),
    "",
    "One learner after the other along one axis, end to end, rather than one panel each",
);
const CATEGORIES: FigureOption = FigureOption::new(
    "categories",
    OptionForm::Names,
    "none",
    "What the values of the horizontal axis are called, where they are kinds rather than numbers",
);
const SHADE: FigureOption = FigureOption::new(
    "shade",
    OptionForm::Choices(Part::WORDS),
    "none",
    "Two parts between whose curves the gap is shaded",
);

impl FigureKind for Tradeoff {
    const NAME: &'static str = "tradeoff";
    const MEANING: &'static str =
        "Noise, bias², variance and risk over the sweep, one panel per learner";
    const NEEDS: &'static str = "It needs a sweep.";
    const EXAMPLE: &'static str = "tradeoff = {}";
    const OPTIONS: &'static [FigureOption] = &[
        LEARNERS, PARTS, X, RUNS, OVERLAY, JOIN, X_SCALE, Y_SCALE, Y_MAX, Y_MIN, CATEGORIES,
        SECONDS, BELOW, BANDS, SHADE, MARKS, NOTES, X_LABEL, Y_LABEL, LABELS,
    ];

    fn check(given: &GivenOptions, subject: FigureSubject) -> Result<Self, SourceError> {
        let study = subject.study(&given.span)?;
        let learners = learners(given, &study.curves)?;
        let swept = over_sweep(&learners, given, &study.curves)?;
        let parts = checked_parts(given, study)?;
        let x = checked_x(given, study, &learners)?;
        match given.flag(&OVERLAY) {
            _ if x.is_some() => few_curves(given, swept.lines)?,
            true => check_overlay(given, &swept, learners.len() - swept.axes.len())?,
            false => few_panels(swept.lines, &given.span)?,
        }
        let x_scale = given.choice(&X_SCALE);
        if x.is_none() {
            log_axis(x_scale, swept.axes.iter().copied(), &given.span)?;
        }
        let below = checked_below(given, study, &learners)?;
        let y_min = checked_y_min(given)?;
        check_join(given, &swept)?;
        let words = parts.iter().map(|part| part.name());
        let named: Vec<&str> = words
            .chain(learners.iter().map(String::as_str))
            .chain(below.iter().map(|lower| lower.name()))
            .collect();
        let targets = Targets {
            curves: named.clone(),
            panels: learners.iter().map(String::as_str).collect(),
            range: Some(ends(swept.axes.iter().copied())),
        };
        Ok(Tradeoff {
            x,
            runs: given.count(&RUNS)?,
            overlay: given.flag(&OVERLAY),
            x_scale,
            y_scale: given.choice(&Y_SCALE).unwrap_or_default(),
            y_max: given.number(&Y_MAX)?,
            y_min,
            below: below.clone(),
            marks: marks(given, swept.axes.iter().copied())?,
            notes: notes(given, &targets)?,
            bands: given.choice(&BANDS).unwrap_or(match study.knows_truth() {
                true => Bands::Own,
                false => Bands::Paired,
            }),
            join: given.flag(&JOIN),
            categories: checked_categories(given, &swept)?,
            shade: checked_shade(given, &parts)?,
            labels: FigureLabels::read(given, named.iter().copied())?,
            learners: learners.clone(),
            parts: parts.clone(),
            second: swept.seconds,
        })
    }
}

fn checked_parts(given: &GivenOptions, study: &StudyDescription) -> Result<Vec<Part>, SourceError> {
    let Some(parts) = parts(given, &PARTS, study)? else {
        let parts = [Part::Noise, Part::Bias2, Part::Variance, Part::Risk];
        // Values of a density have no noise.
        return Ok(parts[usize::from(study.density)..].to_vec());
    };
    let main = parts.iter().filter(|part| **part != Part::Noise);
    if given.flag(&OVERLAY) && main.count() > 1 {
        let message = "an overlay draws one part of every learner, beside the noise";
        return Err(SourceError::new(given.place(&PARTS), message)
            .help("as in `parts = [\"noise\", \"variance\"]`"));
    }
    Ok(parts)
}

/// Options that go with the swept parameter alone.
const OF_SWEEP: [&FigureOption; 5] = [&RUNS, &OVERLAY, &BELOW, &MARKS, &Y_MIN];

/// What the horizontal axis measures must have been computed.
fn checked_x(
    given: &GivenOptions,
    study: &StudyDescription,
    learners: &[String],
) -> Result<Option<CapacityMeasure>, SourceError> {
    let Some(x) = given.choice(&X) else {
        return Ok(None);
    };
    if let Some(other) = OF_SWEEP.into_iter().find(|option| given.has(option)) {
        let message = format!("`{}` goes with the swept parameter as `x`", other.name);
        return Err(SourceError::new(given.place(other), message).help("leave one of them out"));
    }
    let drawn = |known: &[bool]| {
        let mut pairs = study.curves.iter().zip(known);
        pairs.any(|(curve, known)| *known && learners.contains(&curve.name))
    };
    let wrong = |message: &str, help: &str| {
        Err(SourceError::new(given.place(&X), message).help(help.to_owned()))
    };
    match x {
        CapacityMeasure::Df if !study.df => wrong(
            "degrees of freedom are computed with `run.df = true`",
            "add `df = true` under `[run]`",
        ),
        CapacityMeasure::Df if study.classes > 0 => wrong(
            "degrees of freedom exist for labels that are numbers",
            "`x = \"train-risk\"` is known for classes too",
        ),
        CapacityMeasure::EffectiveParameters if !study.df => wrong(
            "effective parameters are computed with `run.df = true`",
            "add `df = true` under `[run]`",
        ),
        CapacityMeasure::EffectiveParameters if !drawn(&study.smooths) => wrong(
            "none of these learners is a linear smoother",
            "`knn`, `kernel`, `polynomial`, `gaussians`, `linear` and `fourier` are",
        ),
        CapacityMeasure::WeightNorm if !drawn(&study.solves) => wrong(
            "none of these learners solves for weights",
            "`fourier`, `features`, `linear` and `polynomial` do",
        ),
        x => Ok(Some(x)),
    }
}

/// Curves in one panel must be few enough to be distinguished.
fn few_curves(given: &GivenOptions, lines: usize) -> Result<(), SourceError> {
    match lines > PANELS {
        true => {
            let message = format!("one panel can show {PANELS} curves, not {lines}");
            Err(SourceError::new(given.place(&X), message)
                .help("choose some with `learners = [\"…\"]` or `second = […]`"))
        }
        false => Ok(()),
    }
}

/// Curves in one panel need one axis, and must be few enough to be told apart.
fn check_overlay(given: &GivenOptions, swept: &OverSweep, flat: usize) -> Result<(), SourceError> {
    let OverSweep { axes, lines, .. } = swept;
    if let Some(other) = axes.iter().find(|axis| axis.name != axes[0].name) {
        let message = format!(
            "an overlay needs one axis, but these learners are swept over `{}` and `{}`",
            axes[0].name, other.name
        );
        return Err(SourceError::new(given.span.clone(), message)
            .help("leave out `overlay = true` for one panel each"));
    }
    if lines + flat > PANELS {
        let message = format!(
            "an overlay can have at most {PANELS} curves, not {}",
            lines + flat
        );
        return Err(SourceError::new(given.span.clone(), message)
            .help("choose some with `learners = [\"…\"]` or `second = […]`"));
    }
    Ok(())
}

fn checked_below(
    given: &GivenOptions,
    study: &StudyDescription,
    learners: &[String],
) -> Result<Vec<Lower>, SourceError> {
    let Some(below) = given.choices(&BELOW) else {
        return Ok(Vec::new());
    };
    listed(&below, &BELOW)?;
    if given.flag(&OVERLAY) && below.get_ref().len() > 1 {
        let message = "an overlay has room for only one panel below it";
        return Err(SourceError::new(below.span(), message));
    }
    let mut shown = study.curves.iter().zip(&study.solves);
    if !shown.any(|(curve, solves)| *solves && learners.contains(&curve.name)) {
        let message = "none of these learners solves for weights";
        return Err(SourceError::new(below.span(), message)
            .help("`fourier`, `features`, `linear` and `polynomial` do"));
    }
    Ok(below.into_inner())
}

fn checked_y_min(given: &GivenOptions) -> Result<Option<f64>, SourceError> {
    let Some(y_min) = given.number(&Y_MIN)? else {
        return Ok(None);
    };
    if given.choice(&Y_SCALE) != Some(Scale::Log) {
        let message = "`y-min` is for a log axis: a linear one begins at 0";
        return Err(SourceError::new(given.place(&Y_MIN), message).help("add `y-scale = \"log\"`"));
    }
    let y_max = given.value(&Y_MAX).map(Spanned::into_inner);
    if y_max.is_some_and(|most| most <= y_min) {
        let message = "`y-min` must be below `y-max`";
        return Err(SourceError::new(given.place(&Y_MIN), message));
    }
    Ok(Some(y_min))
}

/// Curves that follow each other are few, and have one part each of the axis.
fn check_join(given: &GivenOptions, swept: &OverSweep) -> Result<(), SourceError> {
    if !given.flag(&JOIN) {
        return Ok(());
    }
    let wrong = |message: &str| {
        Err(SourceError::new(given.place(&JOIN), message).help("leave out `join = true`"))
    };
    match (swept.lines, given.flag(&OVERLAY), given.has(&BELOW)) {
        (_, true, _) => wrong("curves are joined end to end or laid over each other, not both"),
        (_, _, true) => wrong("below joined curves there is no room"),
        (0 | 1, ..) => wrong("`join` needs two curves, and there is one"),
        (2 | 3, ..) => Ok(()),
        _ => wrong("at most three curves can be joined"),
    }
}

/// A name for every value of the one axis.
fn checked_categories(given: &GivenOptions, swept: &OverSweep) -> Result<Vec<String>, SourceError> {
    let Some(names) = given.names(&CATEGORIES) else {
        return Ok(Vec::new());
    };
    listed(&names, &CATEGORIES)?;
    let count = names.get_ref().len();
    let same =
        |axis: &&SweepAxis| axis.values == swept.axes[0].values && axis.values.len() == count;
    if !swept.axes.iter().all(same) {
        let message = format!("{count} names do not fit the values of the sweep");
        return Err(
            SourceError::new(names.span(), message).help("name each of them, in their order")
        );
    }
    let names = names.get_ref().iter();
    Ok(names.map(|name| plain(name.get_ref())).collect())
}

fn checked_shade(
    given: &GivenOptions,
    parts: &[Part],
) -> Result<Option<(Part, Part)>, SourceError> {
    let Some(pair) = given.choices::<Part>(&SHADE) else {
        return Ok(None);
    };
    match pair.get_ref().as_slice() {
        [one, other] if one != other && [one, other].iter().all(|part| parts.contains(part)) => {
            Ok(Some((*one, *other)))
        }
        _ => {
            let message = "`shade` needs two of the parts that are drawn";
            let help = "as in `parts = [\"member-risk\", \"risk\"]` and the same for `shade`";
            Err(SourceError::new(pair.span(), message).help(help))
        }
    }
}
