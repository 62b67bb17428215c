//! What an experiment says of its figures. Drawing them is another module's work.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::raw::{Num, Scale};
use super::source::Trouble;
use super::{Axis, Curve};
use crate::words::{choice, did_you_mean, number};

/// A figure: exactly one of the kinds, and what all kinds have.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawFigure {
    /// The file's name, without ending (default: the kind).
    #[schemars(with = "Option<String>")]
    pub name: Option<Spanned<String>>,
    /// The heading (default: the experiment's title).
    pub title: Option<String>,
    /// Noise, bias², variance and risk over the sweep.
    pub tradeoff: Option<RawTradeoff>,
    /// Data, truth, refits and their mean, one panel per sweep value.
    pub fits: Option<RawFits>,
    /// The parts of the error along x, fits above.
    pub pointwise: Option<RawPointwise>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a table, as in `tradeoff = {}`"
)]
pub(super) struct RawTradeoff {
    /// The learners drawn, by name (default: all).
    #[schemars(with = "Option<Vec<String>>")]
    learners: Option<Spanned<Vec<Spanned<String>>>>,
    /// The curves drawn (default: noise, bias2, variance and risk).
    #[schemars(with = "Option<Vec<Part>>")]
    parts: Option<Spanned<Vec<Part>>>,
    /// How many single resamples are drawn faintly behind the means (default 0).
    #[schemars(with = "Option<u64>")]
    runs: Option<Spanned<Num>>,
    /// All learners in one panel, one colour each, rather than one panel each (default false).
    #[serde(default)]
    overlay: bool,
    /// The horizontal axis (default: as the sweep is spread).
    x_scale: Option<Scale>,
    /// The vertical axis (default linear).
    y_scale: Option<Scale>,
    /// Where the vertical axis ends (default: where the curves do).
    #[schemars(with = "Option<f64>")]
    y_max: Option<Spanned<Num>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a table, as in `tradeoff = {}`"
)]
pub(super) struct RawFits {
    /// The learners drawn, by name (default: all).
    #[schemars(with = "Option<Vec<String>>")]
    learners: Option<Spanned<Vec<Spanned<String>>>>,
    /// The sweep values drawn (default: the first, the best and the last; of several learners the
    /// best of each).
    #[schemars(with = "Option<Vec<f64>>")]
    values: Option<Spanned<Vec<Spanned<Num>>>>,
    /// How many refits are drawn (default 20).
    #[schemars(with = "Option<u64>")]
    refits: Option<Spanned<Num>>,
    /// Whether the mean of all refits is drawn (default true).
    #[serde(default = "yes")]
    mean: bool,
    /// Whether the first training set is drawn (default true).
    #[serde(default = "yes")]
    data: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a table, as in `tradeoff = {}`"
)]
pub(super) struct RawPointwise {
    /// The learners drawn, by name (default: all).
    #[schemars(with = "Option<Vec<String>>")]
    learners: Option<Spanned<Vec<Spanned<String>>>>,
    /// The sweep value drawn (default: the best).
    #[schemars(with = "Option<f64>")]
    value: Option<Spanned<Num>>,
    /// How many refits are drawn above (default 20; 0 leaves them out).
    #[schemars(with = "Option<u64>")]
    refits: Option<Spanned<Num>>,
}

fn yes() -> bool {
    true
}

/// A curve of a trade-off figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// The noise's variance, which no learner can avoid.
    Noise,
    /// The squared distance of the mean prediction from the truth.
    Bias2,
    /// The spread of the predictions over training sets.
    Variance,
    /// noise + bias² + variance.
    Risk,
    /// The error measured on fresh labels.
    Test,
    /// The error on the training set itself.
    Train,
}

/// A figure to draw.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The file's name, without ending.
    pub name: String,
    /// The heading.
    pub title: Option<String>,
    /// What is drawn.
    pub kind: Kind,
}

/// The kinds of figure.
#[derive(Clone, Debug)]
pub enum Kind {
    /// The parts of the error over the sweep.
    Tradeoff(Tradeoff),
    /// Refits at chosen sweep values.
    Fits(Fits),
    /// The parts of the error along x.
    Pointwise(Pointwise),
}

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
}

/// Data, truth, refits and their mean.
#[derive(Clone, Debug)]
pub struct Fits {
    /// The learners drawn.
    pub learners: Vec<String>,
    /// The sweep values drawn; `None` for the first, the best and the last of a single learner,
    /// for the best of each of several.
    pub values: Option<Vec<f64>>,
    /// How many refits are drawn.
    pub refits: usize,
    /// Whether the mean of all refits is drawn.
    pub mean: bool,
    /// Whether the first training set is drawn.
    pub data: bool,
}

/// The parts of the error along x.
#[derive(Clone, Debug)]
pub struct Pointwise {
    /// The learners drawn.
    pub learners: Vec<String>,
    /// The sweep value drawn; `None` for the best.
    pub value: Option<f64>,
    /// How many refits are drawn above.
    pub refits: usize,
}

const KINDS: [&str; 3] = ["tradeoff", "fits", "pointwise"];

pub(super) fn check(
    raw: &[Spanned<RawFigure>],
    curves: &[Curve],
    dimension: usize,
) -> Result<Vec<Figure>, Trouble> {
    let mut figures: Vec<Figure> = Vec::new();
    for raw in raw {
        let (kind_name, kind) = kind(raw, curves, dimension)?;
        let taken = |figures: &[Figure], name: &str| figures.iter().any(|f| f.name == name);
        let name = match &raw.get_ref().name {
            Some(name) => {
                let text = name.get_ref();
                let plain = |c: char| c.is_alphanumeric() || "-_".contains(c);
                if text.is_empty() || !text.chars().all(plain) {
                    let message = "a figure's name is made of letters, digits, - and _";
                    return Err(Trouble::new(name.span(), message));
                }
                if taken(&figures, text) {
                    let message = format!("two figures are called `{text}`");
                    return Err(Trouble::new(name.span(), message));
                }
                text.clone()
            }
            None => std::iter::once(kind_name.to_owned())
                .chain((2..).map(|i| format!("{kind_name}-{i}")))
                .find(|name| !taken(&figures, name))
                .expect("there is always a next number"),
        };
        figures.push(Figure {
            name,
            title: raw.get_ref().title.clone(),
            kind,
        });
    }
    Ok(figures)
}

fn kind(
    raw: &Spanned<RawFigure>,
    curves: &[Curve],
    dimension: usize,
) -> Result<(&'static str, Kind), Trouble> {
    let span = raw.span();
    let along_x = |name: &str| match dimension {
        1 => Ok(()),
        _ => {
            let message = format!("`{name}` draws along x and needs one-dimensional inputs");
            Err(Trouble::new(span.clone(), message))
        }
    };
    let RawFigure {
        tradeoff,
        fits,
        pointwise,
        ..
    } = raw.get_ref();
    match (tradeoff, fits, pointwise) {
        (Some(raw), None, None) => Ok((
            "tradeoff",
            Kind::Tradeoff(check_tradeoff(raw, curves, &span)?),
        )),
        (None, Some(raw), None) => {
            along_x("fits")?;
            Ok(("fits", Kind::Fits(check_fits(raw, curves, &span)?)))
        }
        (None, None, Some(raw)) => {
            along_x("pointwise")?;
            let options = check_pointwise(raw, curves)?;
            few_panels(options.learners.len(), &span)?;
            Ok(("pointwise", Kind::Pointwise(options)))
        }
        _ => Err(
            Trouble::new(span, "a figure has exactly one kind").help(format!(
                "give it one of {}, as in `tradeoff = {{}}`",
                choice(KINDS)
            )),
        ),
    }
}

fn check_tradeoff(
    raw: &RawTradeoff,
    curves: &[Curve],
    span: &Range<usize>,
) -> Result<Tradeoff, Trouble> {
    let learners = learners(&raw.learners, curves)?;
    let axes = axes(&learners, curves);
    if axes.is_empty() {
        let message = "a trade-off needs a sweep, and nothing is swept here";
        let help = "add for example `[sweep]` with `depth = \"1..16\"`, or draw `pointwise = {}`";
        return Err(Trouble::new(span.clone(), message).help(help));
    }
    let parts = match &raw.parts {
        None => vec![Part::Noise, Part::Bias2, Part::Variance, Part::Risk],
        Some(parts) => {
            not_empty(parts.get_ref(), &parts.span(), "parts")?;
            let main = parts.get_ref().iter().filter(|part| **part != Part::Noise);
            if raw.overlay && main.count() > 1 {
                let message = "an overlay draws one part of every learner, beside the noise";
                return Err(Trouble::new(parts.span(), message)
                    .help("as in `parts = [\"noise\", \"variance\"]`"));
            }
            parts.get_ref().clone()
        }
    };
    if raw.overlay {
        if let Some(other) = axes.iter().find(|axis| axis.name != axes[0].name) {
            let message = format!(
                "an overlay needs one axis, and these are swept over `{}` and `{}`",
                axes[0].name, other.name
            );
            return Err(Trouble::new(span.clone(), message)
                .help("leave out `overlay = true` for one panel each"));
        }
        if learners.len() > PANELS {
            let message = format!(
                "an overlay can tell {PANELS} learners apart, not {}",
                learners.len()
            );
            return Err(
                Trouble::new(span.clone(), message).help("choose some with `learners = [\"…\"]`")
            );
        }
    } else {
        few_panels(axes.len(), span)?;
    }
    let y_max = match &raw.y_max {
        Some(most) if most.get_ref().0 > 0.0 && most.get_ref().0.is_finite() => {
            Some(most.get_ref().0)
        }
        Some(most) => {
            return Err(Trouble::new(
                most.span(),
                "`y-max` must be a finite number above 0",
            ));
        }
        None => None,
    };
    let values = axes.iter().flat_map(|axis| &axis.values);
    let lowest = values.copied().fold(f64::INFINITY, f64::min);
    if raw.x_scale == Some(Scale::Log) && lowest <= 0.0 {
        let message = format!(
            "the sweep starts at {}, which no log axis shows",
            number(lowest)
        );
        return Err(Trouble::new(span.clone(), message));
    }
    Ok(Tradeoff {
        learners,
        parts,
        runs: count(&raw.runs, 0)?,
        overlay: raw.overlay,
        x_scale: raw.x_scale,
        y_scale: raw.y_scale.unwrap_or_default(),
        y_max,
    })
}

fn check_fits(raw: &RawFits, curves: &[Curve], span: &Range<usize>) -> Result<Fits, Trouble> {
    let learners = learners(&raw.learners, curves)?;
    let values = match &raw.values {
        None => None,
        Some(values) => {
            not_empty(values.get_ref(), &values.span(), "values")?;
            let values = values.get_ref().iter();
            let values = values.map(|value| swept(value, &learners, curves));
            Some(values.collect::<Result<Vec<f64>, _>>()?)
        }
    };
    let drawn = curves.iter().filter(|curve| learners.contains(&curve.name));
    let panels = drawn.map(|curve| match (&curve.axis, &values) {
        (None, _) => 1,
        (Some(axis), Some(values)) => values
            .iter()
            .filter(|value| axis.values.contains(value))
            .count(),
        // The first, the best and the last; of several learners the best alone.
        (Some(axis), None) if learners.len() == 1 => axis.values.len().min(3),
        (Some(_), None) => 1,
    });
    few_panels(panels.sum(), span)?;
    Ok(Fits {
        learners,
        values,
        refits: count(&raw.refits, 20)?,
        mean: raw.mean,
        data: raw.data,
    })
}

fn check_pointwise(raw: &RawPointwise, curves: &[Curve]) -> Result<Pointwise, Trouble> {
    let learners = learners(&raw.learners, curves)?;
    let value = raw.value.as_ref();
    Ok(Pointwise {
        value: value
            .map(|value| swept(value, &learners, curves))
            .transpose()?,
        learners,
        refits: count(&raw.refits, 20)?,
    })
}

fn learners(
    raw: &Option<Spanned<Vec<Spanned<String>>>>,
    curves: &[Curve],
) -> Result<Vec<String>, Trouble> {
    let Some(raw) = raw else {
        return Ok(curves.iter().map(|curve| curve.name.clone()).collect());
    };
    not_empty(raw.get_ref(), &raw.span(), "learners")?;
    let raw = raw.get_ref();
    let names = || curves.iter().map(|curve| curve.name.as_str());
    for name in raw {
        if !names().any(|known| known == name.get_ref()) {
            let message = format!("no learner is called `{}`", name.get_ref());
            return Err(Trouble::new(name.span(), message)
                .help(did_you_mean(name.get_ref(), names().collect::<Vec<_>>())));
        }
    }
    Ok(raw.iter().map(|name| name.get_ref().clone()).collect())
}

fn not_empty<T>(list: &[T], span: &Range<usize>, name: &str) -> Result<(), Trouble> {
    match list.is_empty() {
        true => Err(Trouble::new(span.clone(), format!("`{name}` is empty"))
            .help("leave it out for the default")),
        false => Ok(()),
    }
}

/// More panels than that are too narrow to read.
const PANELS: usize = 6;

fn few_panels(count: usize, span: &Range<usize>) -> Result<(), Trouble> {
    match count > PANELS {
        true => Err(Trouble::new(
            span.clone(),
            format!(
                "the figure would have {count} panels, and {PANELS} are the most that can be read"
            ),
        )
        .help("choose some with `learners = [\"…\"]` or `values = […]`; draw several figures")),
        false => Ok(()),
    }
}

/// What is swept by the learners of those names.
fn axes<'a>(learners: &[String], curves: &'a [Curve]) -> Vec<&'a Axis> {
    let drawn = curves.iter().filter(|curve| learners.contains(&curve.name));
    drawn.filter_map(|curve| curve.axis.as_ref()).collect()
}

/// A value that the sweep of one of the learners has.
fn swept(value: &Spanned<Num>, learners: &[String], curves: &[Curve]) -> Result<f64, Trouble> {
    let wanted = value.get_ref().0;
    let axes = axes(learners, curves);
    if axes.iter().any(|axis| axis.values.contains(&wanted)) {
        return Ok(wanted);
    }
    let near = axes
        .iter()
        .flat_map(|axis| axis.values.iter().map(|value| (axis.name.as_str(), *value)))
        .min_by(|a, b| (a.1 - wanted).abs().total_cmp(&(b.1 - wanted).abs()));
    let trouble = Trouble::new(
        value.span(),
        format!("{} is not a value of the sweep", number(wanted)),
    );
    Err(match near {
        Some((name, near)) => trouble.help(format!("the nearest is {name} = {}", number(near))),
        None => trouble.help("nothing is swept here: leave it out"),
    })
}

fn count(raw: &Option<Spanned<Num>>, default: usize) -> Result<usize, Trouble> {
    match raw {
        None => Ok(default),
        Some(value) => super::whole(value, "this", 0, 1_000_000).map(|value| value as usize),
    }
}
