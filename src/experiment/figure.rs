//! What an experiment says of its figures. Drawing them is another module's work.

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::Curve;
use super::raw::{Num, Scale};
use super::source::Trouble;
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
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawTradeoff {
    /// The learners drawn, by name (default: all).
    #[schemars(with = "Option<Vec<String>>")]
    learners: Option<Vec<Spanned<String>>>,
    /// The curves drawn (default: noise, bias2, variance and risk).
    parts: Option<Vec<Part>>,
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
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawFits {
    /// The learners drawn, by name (default: all).
    #[schemars(with = "Option<Vec<String>>")]
    learners: Option<Vec<Spanned<String>>>,
    /// The sweep values drawn (default: the first, the best and the last).
    #[schemars(with = "Option<Vec<f64>>")]
    values: Option<Vec<Spanned<Num>>>,
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
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawPointwise {
    /// The learners drawn, by name (default: all).
    #[schemars(with = "Option<Vec<String>>")]
    learners: Option<Vec<Spanned<String>>>,
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
    /// The sweep values drawn; `None` for the first, the best and the last.
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
            Ok(("fits", Kind::Fits(check_fits(raw, curves)?)))
        }
        (None, None, Some(raw)) => {
            along_x("pointwise")?;
            Ok(("pointwise", Kind::Pointwise(check_pointwise(raw, curves)?)))
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
    span: &std::ops::Range<usize>,
) -> Result<Tradeoff, Trouble> {
    let learners = learners(&raw.learners, curves)?;
    let drawn = curves.iter().filter(|curve| learners.contains(&curve.name));
    let axes: Vec<_> = drawn.filter_map(|curve| curve.axis.as_ref()).collect();
    if axes.is_empty() {
        let message = "a trade-off needs a sweep, and nothing is swept here";
        let help = "add for example `[sweep]` with `depth = \"1..16\"`, or draw `pointwise = {}`";
        return Err(Trouble::new(span.clone(), message).help(help));
    }
    let y_max = match &raw.y_max {
        Some(most) if most.get_ref().0 > 0.0 => Some(most.get_ref().0),
        Some(most) => return Err(Trouble::new(most.span(), "`y-max` must be above 0")),
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
        parts: raw
            .parts
            .clone()
            .unwrap_or_else(|| vec![Part::Noise, Part::Bias2, Part::Variance, Part::Risk]),
        runs: count(&raw.runs, 0)?,
        overlay: raw.overlay,
        x_scale: raw.x_scale,
        y_scale: raw.y_scale.unwrap_or_default(),
        y_max,
    })
}

fn check_fits(raw: &RawFits, curves: &[Curve]) -> Result<Fits, Trouble> {
    let learners = learners(&raw.learners, curves)?;
    let values = match &raw.values {
        None => None,
        Some(values) => {
            let values = values.iter().map(|value| swept(value, &learners, curves));
            Some(values.collect::<Result<_, _>>()?)
        }
    };
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

fn learners(raw: &Option<Vec<Spanned<String>>>, curves: &[Curve]) -> Result<Vec<String>, Trouble> {
    let Some(raw) = raw else {
        return Ok(curves.iter().map(|curve| curve.name.clone()).collect());
    };
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

/// A value that the sweep of one of the learners has.
fn swept(value: &Spanned<Num>, learners: &[String], curves: &[Curve]) -> Result<f64, Trouble> {
    let wanted = value.get_ref().0;
    let axes: Vec<_> = curves
        .iter()
        .filter(|curve| learners.contains(&curve.name))
        .filter_map(|curve| curve.axis.as_ref())
        .collect();
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
