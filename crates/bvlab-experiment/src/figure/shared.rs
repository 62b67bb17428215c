//! Options that several kinds of figure have, and their checks.

use std::ops::Range;

use toml::Spanned;

use super::choice::{FigureChoice, Part};
use super::option::{FigureOption, GivenOptions, OptionForm};
use crate::source::SourceError;
use bvlab_core::plan::{Curve, Scale, StudyDescription, SweepAxis};
use bvlab_core::words::{did_you_mean, number};

/// The learners that are drawn.
pub(super) const LEARNERS: FigureOption = FigureOption::new(
    "learners",
    OptionForm::Names,
    "all",
    "The learners drawn, by name",
);

/// The values of the second axis that are drawn.
pub(super) const SECONDS: FigureOption = FigureOption::new(
    "second",
    OptionForm::Values,
    "all",
    "In a two-way sweep: the values of the second parameter that are drawn, a panel each",
);

/// The value of the second axis that is drawn.
pub(super) const SECOND: FigureOption = FigureOption::new(
    "second",
    OptionForm::Value,
    "the best",
    "In a two-way sweep: the value of the second parameter",
);

/// How many refits are drawn.
pub(super) const REFITS: FigureOption = FigureOption::count(
    "refits",
    20.0,
    "How many refits are drawn; 0 leaves them out",
);

/// The scale of the horizontal axis.
pub(super) const X_SCALE: FigureOption = FigureOption::new(
    "x-scale",
    OptionForm::Choice(Scale::WORDS),
    "as in the sweep",
    "The horizontal axis",
);

/// The end of the vertical axis.
pub(super) const Y_MAX: FigureOption = FigureOption::positive(
    "y-max",
    "where the curves end",
    "Where the vertical axis ends",
);

/// Upright lines.
pub(super) const MARKS: FigureOption = FigureOption::new(
    "marks",
    OptionForm::Tables(&[AT, TEXT]),
    "none",
    "Vertical lines with a label, as in `[{ at = 40, text = \"p = n\" }]`",
);

const AT: FigureOption =
    FigureOption::new("at", OptionForm::Value, "", "Where on the horizontal axis").required();

const TEXT: FigureOption =
    FigureOption::new("text", OptionForm::Text, "none", "What is written there");

/// An upright line with a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Where on the horizontal axis.
    pub at: f64,
    /// What is written there.
    pub text: String,
}

/// The least and the largest value of some axes.
pub(super) fn ends<'a>(axes: impl Iterator<Item = &'a SweepAxis>) -> (f64, f64) {
    let values = axes.flat_map(|axis| axis.values.iter().copied());
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    })
}

/// The marks, each within the sweep.
pub(super) fn marks<'a>(
    given: &GivenOptions,
    axes: impl Iterator<Item = &'a SweepAxis>,
) -> Result<Vec<Mark>, SourceError> {
    let (low, high) = ends(axes);
    let mark = |given: GivenOptions| {
        let span = given.place(&AT);
        let place = given.value(&AT).map_or(f64::NAN, Spanned::into_inner);
        if !place.is_finite() {
            return Err(SourceError::new(
                span,
                "the position of a mark must be finite",
            ));
        }
        if !(low..=high).contains(&place) {
            let message = format!("{} lies outside the sweep", number(place));
            let help = format!("it goes from {} to {}", number(low), number(high));
            return Err(SourceError::new(span, message).help(help));
        }
        let text = given.text(&TEXT).map(Spanned::into_inner);
        Ok(Mark {
            at: place,
            text: text.unwrap_or_default().replace(char::is_control, " "),
        })
    };
    given.tables(&MARKS)?.into_iter().map(mark).collect()
}

/// The learners that are drawn: those named, or all.
pub(super) fn learners(given: &GivenOptions, curves: &[Curve]) -> Result<Vec<String>, SourceError> {
    let Some(chosen) = given.names(&LEARNERS) else {
        return Ok(curves.iter().map(|curve| curve.name.clone()).collect());
    };
    let known = || curves.iter().map(|curve| curve.name.as_str());
    named(&chosen, &LEARNERS, "learner", known)
}

/// Names that must be among those known.
pub(super) fn named<'a, I: Iterator<Item = &'a str> + Clone>(
    chosen: &Spanned<Vec<Spanned<String>>>,
    option: &FigureOption,
    what: &str,
    known: impl Fn() -> I,
) -> Result<Vec<String>, SourceError> {
    listed(chosen, option)?;
    for name in chosen.get_ref() {
        if !known().any(|known| known == name.get_ref()) {
            let message = format!("no {what} is called `{}`", name.get_ref());
            return Err(
                SourceError::new(name.span(), message).help(did_you_mean(name.get_ref(), known()))
            );
        }
    }
    let names = chosen.get_ref().iter();
    Ok(names.map(|name| name.get_ref().clone()).collect())
}

/// The parts that are drawn; those of ensembles' members only where they were computed.
pub(super) fn parts(
    given: &GivenOptions,
    option: &FigureOption,
    study: &StudyDescription,
) -> Result<Option<Vec<Part>>, SourceError> {
    let Some(parts) = given.choices::<Part>(option) else {
        return Ok(None);
    };
    listed(&parts, option)?;
    let of_members = |part: &Part| {
        matches!(
            part,
            Part::MemberRisk | Part::AverageBias | Part::AverageVariance | Part::Diversity
        )
    };
    if !study.diversity && parts.get_ref().iter().any(of_members) {
        let message = "parts of ensemble members need `run.diversity = true`";
        return Err(
            SourceError::new(parts.span(), message).help("add `diversity = true` under `[run]`")
        );
    }
    if study.bounds.is_empty() && parts.get_ref().contains(&Part::NoiseBound) {
        let message = "none of the learners has a known bound on the label noise's part";
        return Err(SourceError::new(parts.span(), message).help(
            "it is known for `linear` without intercept on normal inputs, for `fourier` and for projections by \
             `features`, at λ = 0, with drawn inputs, constant noise and drawn test points",
        ));
    }
    if !study.df && parts.get_ref().contains(&Part::Optimism) {
        let message = "the optimism is computed with `run.df = true`";
        return Err(SourceError::new(parts.span(), message).help("add `df = true` under `[run]`"));
    }
    Ok(Some(parts.into_inner()))
}

/// A logarithmic axis shows numbers above 0 only.
pub(super) fn log_axis<'a>(
    scale: Option<Scale>,
    axes: impl Iterator<Item = &'a SweepAxis>,
    span: &Range<usize>,
) -> Result<(), SourceError> {
    let lowest = axes.flat_map(|axis| &axis.values).copied();
    let lowest = lowest.fold(f64::INFINITY, f64::min);
    if scale == Some(Scale::Log) && lowest <= 0.0 {
        let lowest = number(lowest);
        let message =
            format!("the sweep starts at {lowest}, and a log axis cannot show values ≤ 0");
        return Err(
            SourceError::new(span.clone(), message).help("start it above 0, or leave it linear")
        );
    }
    Ok(())
}

/// What a figure over the sweep needs.
pub(super) struct OverSweep<'a> {
    /// The first axes of the learners that have one.
    pub axes: Vec<&'a SweepAxis>,
    /// The chosen values of second axes.
    pub seconds: Option<Vec<f64>>,
    /// How many curves that makes.
    pub lines: usize,
}

/// What the learners are swept over.
pub(super) fn over_sweep<'a>(
    learners: &[String],
    given: &GivenOptions,
    curves: &'a [Curve],
) -> Result<OverSweep<'a>, SourceError> {
    let swept: Vec<&Curve> = curves
        .iter()
        .filter(|curve| learners.contains(&curve.name) && !curve.axes.is_empty())
        .collect();
    if swept.is_empty() {
        let message = "this figure needs a sweep, but nothing is swept here";
        let help = "add for example `[sweep]` with `depth = \"1..16\"`, or draw `pointwise = {}`";
        return Err(SourceError::new(given.span.clone(), message).help(help));
    }
    let seconds = swept_values(given, &SECONDS, learners, curves, 1)?;
    let lines = swept
        .iter()
        .map(|curve| match (curve.axes.get(1), &seconds) {
            (None, _) => 1,
            (Some(axis), None) => axis.values.len(),
            (Some(axis), Some(chosen)) => chosen.iter().filter(|v| axis.values.contains(v)).count(),
        });
    Ok(OverSweep {
        lines: lines.sum(),
        axes: swept.into_iter().map(|curve| &curve.axes[0]).collect(),
        seconds,
    })
}

/// Values that the sweep of one of the learners has on its first or second axis.
pub(super) fn swept_values(
    given: &GivenOptions,
    option: &FigureOption,
    learners: &[String],
    curves: &[Curve],
    which: usize,
) -> Result<Option<Vec<f64>>, SourceError> {
    let Some(values) = given.values(option) else {
        return Ok(None);
    };
    listed(&values, option)?;
    let values = values.get_ref().iter();
    let values = values.map(|value| among(value, learners, curves, which));
    values.collect::<Result<_, _>>().map(Some)
}

/// A single such value.
pub(super) fn swept_value(
    given: &GivenOptions,
    option: &FigureOption,
    learners: &[String],
    curves: &[Curve],
    which: usize,
) -> Result<Option<f64>, SourceError> {
    let value = given.value(option);
    value
        .map(|value| among(&value, learners, curves, which))
        .transpose()
}

fn among(
    value: &Spanned<f64>,
    learners: &[String],
    curves: &[Curve],
    which: usize,
) -> Result<f64, SourceError> {
    let wanted = *value.get_ref();
    let drawn = curves.iter().filter(|curve| learners.contains(&curve.name));
    let axes: Vec<&SweepAxis> = drawn.filter_map(|curve| curve.axes.get(which)).collect();
    if axes.iter().any(|axis| axis.values.contains(&wanted)) {
        return Ok(wanted);
    }
    let near = axes
        .iter()
        .flat_map(|axis| axis.values.iter().map(|value| (axis.name.as_str(), *value)))
        .min_by(|a, b| (a.1 - wanted).abs().total_cmp(&(b.1 - wanted).abs()));
    let trouble = SourceError::new(
        value.span(),
        format!("{} is not a value of the sweep", number(wanted)),
    );
    Err(match (near, which) {
        (Some((name, near)), _) => {
            trouble.help(format!("the nearest is {name} = {}", number(near)))
        }
        (None, 0) => trouble.help("nothing is swept here: leave it out"),
        (None, _) => trouble.help("no second parameter is swept here: leave it out"),
    })
}

/// The most figures, and the most that one of their lists may name.
pub(super) const MOST: usize = 100;

/// Whether a list has something in it, and not too much.
pub(super) fn listed<T>(list: &Spanned<Vec<T>>, option: &FigureOption) -> Result<(), SourceError> {
    let name = option.name;
    let (message, help) = match list.get_ref().len() {
        0 => (format!("`{name}` is empty"), "leave it out for the default"),
        1..=MOST => return Ok(()),
        count => (
            format!("`{name}` has {count} entries; the maximum is {MOST}"),
            "name each of them once",
        ),
    };
    Err(SourceError::new(list.span(), message).help(help))
}

/// More panels than that are too narrow to read.
pub(super) const PANELS: usize = 6;

/// Refuses more panels than can be read.
pub(super) fn few_panels(count: usize, span: &Range<usize>) -> Result<(), SourceError> {
    match count > PANELS {
        true => Err(SourceError::new(
            span.clone(),
            format!("the figure would have {count} panels; the maximum is {PANELS}"),
        )
        .help("choose some with `learners`, `values` or `second`; draw several figures")),
        false => Ok(()),
    }
}

/// Whether predictions can be drawn along x.
pub(super) fn along_x(
    study: &StudyDescription,
    kind: &str,
    span: &Range<usize>,
) -> Result<(), SourceError> {
    let wrong = |message: String| SourceError::new(span.clone(), message);
    match (study.dimension, study.classes) {
        _ if !study.knows_truth() => Err(wrong(format!(
            "`{kind}` draws the truth, which is not known for a table"
        ))
        .help("draw `tradeoff` instead, which does not need it")),
        (1, 0..=2) => Ok(()),
        (1, classes) => Err(wrong(format!(
            "`{kind}` draws one probability, but there are {classes} classes"
        ))),
        _ => Err(wrong(format!(
            "`{kind}` draws along x and needs one-dimensional inputs"
        ))),
    }
}
