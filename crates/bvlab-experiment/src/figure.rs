//! What an experiment says of its figures. Drawing them is another module's work.

use std::ops::Range;

use toml::Spanned;

pub use super::raw::figure::{Lower, Part, Sample, Shape, Theme};
use super::raw::figure::{
    RawDartboard, RawFigure, RawFits, RawHeatmap, RawLook, RawMark, RawNote, RawPointwise,
    RawSources, RawTradeoff,
};
use super::raw::{Num, Pair};
use super::source::Trouble;
use bvlab_core::plan::{Axis, Curve, Scale, StudyDescription, TestKind};
use bvlab_core::simulation::Panel;
use bvlab_core::words::{choice, did_you_mean, number, printable};

/// An upright line with a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Where on the horizontal axis.
    pub at: f64,
    /// What is written there.
    pub text: String,
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

/// How a figure looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// The page.
    pub shape: Shape,
    /// Its colours.
    pub theme: Theme,
    /// How much larger than usual text and lines are.
    pub font_scale: f64,
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
    /// How it looks.
    pub look: Look,
}

/// The kinds of figure.
#[derive(Clone, Debug)]
pub enum Kind {
    /// The parts of the error over the sweep.
    Tradeoff(Tradeoff),
    /// Refits at chosen sweep values.
    Fits(Fits),
    /// Decision boundaries at chosen sweep values.
    Boundaries(Fits),
    /// The parts of the error along x.
    Pointwise(Pointwise),
    /// Parts of the error over both axes of a two-way sweep.
    Heatmap(Heatmap),
    /// The variance by source.
    Sources(SourcesFigure),
    /// Predictions at two test points.
    Dartboard(Dartboard),
    /// The panels of a simulation.
    Simulation(SimulationFigure),
    /// Several figures on one page.
    Group(Group),
}

/// Several figures on one page.
#[derive(Clone, Debug)]
pub struct Group {
    /// Whether one above the other, rather than side by side.
    pub stacked: bool,
    /// The figures.
    pub parts: Vec<GroupPart>,
}

/// One of several figures on a page.
#[derive(Clone, Debug)]
pub struct GroupPart {
    /// Its own heading.
    pub title: Option<String>,
    /// What is drawn.
    pub kind: Kind,
}

/// Predictions at two test points as darts.
#[derive(Clone, Debug)]
pub struct Dartboard {
    /// The learners drawn.
    pub learners: Vec<String>,
    /// The test points.
    pub at: (f64, f64),
}

/// Panels of a simulation, side by side.
#[derive(Clone, Debug)]
pub struct SimulationFigure {
    /// The names of the panels drawn.
    pub panels: Vec<String>,
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

/// Parts of the error over both axes of a two-way sweep, as colours.
#[derive(Clone, Debug)]
pub struct Heatmap {
    /// The learners drawn.
    pub learners: Vec<String>,
    /// What is drawn.
    pub parts: Vec<Part>,
    /// The horizontal axis; `None` for as the sweep is spread.
    pub x_scale: Option<Scale>,
    /// The vertical axis; `None` for as the sweep is spread.
    pub y_scale: Option<Scale>,
    /// How colours are spread; `None` for as the values suggest.
    pub scale: Option<Scale>,
    /// Where the colours end.
    pub max: Option<f64>,
    /// Upright lines.
    pub marks: Vec<Mark>,
}

/// The variance by source over the sweep.
#[derive(Clone, Debug)]
pub struct SourcesFigure {
    /// The learners drawn.
    pub learners: Vec<String>,
    /// The values of the second axis that are drawn; `None` for all.
    pub second: Option<Vec<f64>>,
    /// Whether shares of the variance are drawn.
    pub share: bool,
    /// The horizontal axis; `None` for as the sweep is spread.
    pub x_scale: Option<Scale>,
    /// Where the vertical axis ends.
    pub y_max: Option<f64>,
    /// Upright lines.
    pub marks: Vec<Mark>,
}

/// Data, truth, refits and their mean.
#[derive(Clone, Debug)]
pub struct Fits {
    /// The learners drawn.
    pub learners: Vec<String>,
    /// The sweep values drawn; `None` for the first, the best and the last of a single learner,
    /// for the best of each of several.
    pub values: Option<Vec<f64>>,
    /// The value of the second axis; `None` for the best.
    pub second: Option<f64>,
    /// How many refits are drawn.
    pub refits: usize,
    /// Whether the mean of all refits is drawn.
    pub mean: bool,
    /// Whether the first training set is drawn.
    pub data: bool,
    /// Whether refits are drawn above and their mean below.
    pub split: bool,
    /// A panel before all fits.
    pub sample: Option<Sample>,
}

/// The parts of the error along x.
#[derive(Clone, Debug)]
pub struct Pointwise {
    /// The learners drawn.
    pub learners: Vec<String>,
    /// The sweep value drawn; `None` for the best.
    pub value: Option<f64>,
    /// The value of the second axis; `None` for the best.
    pub second: Option<f64>,
    /// How many refits are drawn above.
    pub refits: usize,
}

const KINDS: [&str; 9] = [
    "tradeoff",
    "fits",
    "boundaries",
    "pointwise",
    "heatmap",
    "sources",
    "dartboard",
    "stack",
    "beside",
];

pub(super) fn check(
    raw: &[Spanned<RawFigure>],
    all: &RawLook,
    study: &StudyDescription,
) -> Result<Vec<Figure>, Trouble> {
    named(raw, all, |raw| kind(raw, study))
}

/// The figures of a simulation with these panels.
pub(super) fn check_simulation(
    raw: &[Spanned<RawFigure>],
    all: &RawLook,
    panels: &[Panel],
) -> Result<Vec<Figure>, Trouble> {
    named(raw, all, |raw| {
        let figure = raw.get_ref();
        let others = [
            figure.tradeoff.is_some(),
            figure.fits.is_some(),
            figure.boundaries.is_some(),
            figure.pointwise.is_some(),
            figure.heatmap.is_some(),
            figure.sources.is_some(),
            figure.dartboard.is_some(),
            figure.stack.is_some(),
            figure.beside.is_some(),
        ];
        let (Some(options), false) = (&figure.simulation, others.contains(&true)) else {
            let message = "a simulation is drawn by `simulation = {}` alone";
            return Err(Trouble::new(raw.span(), message));
        };
        let names = || panels.iter().map(|panel| panel.name.as_str());
        let chosen = match &options.panels {
            None => names().map(str::to_owned).collect(),
            Some(chosen) => {
                listed(chosen.get_ref(), &chosen.span(), "panels")?;
                for name in chosen.get_ref() {
                    if !names().any(|known| known == name.get_ref()) {
                        let message = format!("no panel is called `{}`", name.get_ref());
                        let known: Vec<&str> = names().collect();
                        return Err(Trouble::new(name.span(), message)
                            .help(did_you_mean(name.get_ref(), known)));
                    }
                }
                let chosen = chosen.get_ref().iter();
                chosen.map(|name| name.get_ref().clone()).collect()
            }
        };
        let figure = SimulationFigure { panels: chosen };
        Ok(("simulation", Kind::Simulation(figure)))
    })
}

/// The most bytes of a figure's name. That of a file has at most 255, its ending included.
const LONGEST_NAME: usize = 200;

/// Figures with their names.
fn named(
    raw: &[Spanned<RawFigure>],
    all: &RawLook,
    kind: impl Fn(&Spanned<RawFigure>) -> Result<(&'static str, Kind), Trouble>,
) -> Result<Vec<Figure>, Trouble> {
    let plain = Look {
        shape: Shape::Slide,
        theme: Theme::Light,
        font_scale: 1.0,
    };
    let all = look(all.shape, all.theme, &all.font_scale, &plain)?;
    if let Some(figure) = raw.get(MOST) {
        let message = format!("there can be at most {MOST} figures");
        return Err(Trouble::new(figure.span(), message)
            .help("draw the others in an experiment of their own"));
    }
    let mut figures: Vec<Figure> = Vec::new();
    for raw in raw {
        let (kind_name, kind) = kind(raw)?;
        // Some file systems take `A` and `a` for the same name.
        let taken = |figures: &[Figure], name: &str| {
            let name = name.to_lowercase();
            figures.iter().any(|f| f.name.to_lowercase() == name)
        };
        let name = match &raw.get_ref().name {
            Some(name) => {
                let text = name.get_ref();
                let plain = |c: char| c.is_alphanumeric() || "-_".contains(c);
                if text.is_empty() || text.len() > LONGEST_NAME || !text.chars().all(plain) {
                    let message = format!(
                        "a figure's name is made of letters, digits, - and _, in at most {LONGEST_NAME} bytes"
                    );
                    return Err(Trouble::new(name.span(), message).help("it is the name of a file"));
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
            title: raw
                .get_ref()
                .title
                .as_ref()
                .map(|title| printable(title).into_owned()),
            kind,
            look: look(
                raw.get_ref().shape,
                raw.get_ref().theme,
                &raw.get_ref().font_scale,
                &all,
            )?,
        });
    }
    Ok(figures)
}

fn kind(
    raw: &Spanned<RawFigure>,
    study: &StudyDescription,
) -> Result<(&'static str, Kind), Trouble> {
    let span = raw.span();
    let curves = study.curves.as_slice();
    let along_x = |name: &str| match (study.dimension, study.classes) {
        _ if !study.knows_truth() => {
            let message = format!("`{name}` draws the truth, and of a table nobody knows it");
            Err(Trouble::new(span.clone(), message).help("`tradeoff` draws what is known"))
        }
        (1, 0..=2) => Ok(()),
        (1, classes) => {
            let message =
                format!("`{name}` draws one probability, and there are {classes} classes");
            Err(Trouble::new(span.clone(), message))
        }
        _ => {
            let message = format!("`{name}` draws along x and needs one-dimensional inputs");
            Err(Trouble::new(span.clone(), message))
        }
    };
    let RawFigure {
        tradeoff,
        fits,
        boundaries,
        pointwise,
        heatmap,
        sources,
        dartboard,
        simulation,
        stack,
        beside,
        ..
    } = raw.get_ref();
    if simulation.is_some() {
        let message = "`simulation` draws a simulation, and this experiment is none";
        return Err(Trouble::new(span, message).help(format!("draw {}", choice(KINDS))));
    }
    let given = [
        tradeoff.is_some(),
        fits.is_some(),
        boundaries.is_some(),
        pointwise.is_some(),
        heatmap.is_some(),
        sources.is_some(),
        dartboard.is_some(),
        stack.is_some(),
        beside.is_some(),
    ];
    if given.into_iter().filter(|given| *given).count() != 1 {
        let message = "a figure has exactly one kind";
        return Err(Trouble::new(span, message).help(format!(
            "give it one of {}, as in `tradeoff = {{}}`",
            choice(KINDS)
        )));
    }
    let group = |stacked: bool, raw: &[Spanned<RawFigure>]| {
        let parts = raw
            .iter()
            .map(|raw| {
                let inner = raw.get_ref();
                let outer = [
                    ("name", inner.name.is_some()),
                    ("shape", inner.shape.is_some()),
                    ("theme", inner.theme.is_some()),
                    ("font-scale", inner.font_scale.is_some()),
                    ("stack", inner.stack.is_some() && stacked),
                    ("beside", inner.beside.is_some() && !stacked),
                ];
                if let Some((name, _)) = outer.iter().find(|(_, given)| *given) {
                    let message = format!("`{name}` cannot be given to a part of a figure");
                    return Err(
                        Trouble::new(raw.span(), message).help("give it to the whole figure")
                    );
                }
                Ok(GroupPart {
                    title: inner.title.clone(),
                    kind: kind(raw, study)?.1,
                })
            })
            .collect::<Result<Vec<_>, _>>()?;
        match parts.len() {
            0 => Err(Trouble::new(
                span.clone(),
                "a figure needs at least one part",
            )),
            5.. => Err(Trouble::new(
                span.clone(),
                "more than four parts cannot be read",
            )),
            _ => Ok(Kind::Group(Group { stacked, parts })),
        }
    };
    if let Some(raw) = tradeoff {
        let options = check_tradeoff(raw, study, &span)?;
        return Ok(("tradeoff", Kind::Tradeoff(options)));
    }
    if let Some(raw) = fits {
        along_x("fits")?;
        return Ok(("fits", Kind::Fits(check_fits(raw, curves, &span)?)));
    }
    if let Some(raw) = boundaries {
        if study.classes == 0 || study.dimension != 2 || study.test != TestKind::Grid {
            let message = "`boundaries` draws classes in two dimensions, on a grid of test points";
            return Err(Trouble::new(span, message)
                .help("as with `classes = { moons = 0.2 }` and `test = { grid = 2500 }`"));
        }
        let raw = raw.as_fits();
        return Ok((
            "boundaries",
            Kind::Boundaries(check_fits(&raw, curves, &span)?),
        ));
    }
    if let Some(raw) = pointwise {
        along_x("pointwise")?;
        let options = check_pointwise(raw, curves)?;
        few_panels(options.learners.len(), &span)?;
        return Ok(("pointwise", Kind::Pointwise(options)));
    }
    if let Some(raw) = heatmap {
        let options = check_heatmap(raw, study, &span)?;
        return Ok(("heatmap", Kind::Heatmap(options)));
    }
    if let Some(raw) = sources {
        if !study.sources {
            let message = "`sources` draws what `run.sources = true` computes";
            return Err(Trouble::new(span, message).help(
                "add `sources = true` under `[run]`; eight fits then take the place of one",
            ));
        }
        return Ok(("sources", Kind::Sources(check_sources(raw, curves, &span)?)));
    }
    if let Some(raw) = dartboard {
        along_x("dartboard")?;
        if study.classes > 0 {
            let message = "`dartboard` draws predictions of numbers, and the labels are classes";
            return Err(Trouble::new(span, message));
        }
        let options = check_dartboard(raw, study)?;
        few_panels(options.learners.len(), &span)?;
        return Ok(("dartboard", Kind::Dartboard(options)));
    }
    match (stack, beside) {
        (Some(raw), _) => Ok(("stack", group(true, raw)?)),
        (None, raw) => Ok(("beside", group(false, raw.as_deref().unwrap_or_default())?)),
    }
}

fn check_dartboard(raw: &RawDartboard, study: &StudyDescription) -> Result<Dartboard, Trouble> {
    let Pair(first, second) = *raw.at.get_ref();
    let (from, to) = study.range;
    let within = |x: f64| (from..=to).contains(&x);
    if !(within(first) && within(second)) || first == second {
        let message = "`at` needs two different test points within the range of the inputs";
        return Err(Trouble::new(raw.at.span(), message).help(format!(
            "from {} to {}",
            number(from),
            number(to)
        )));
    }
    Ok(Dartboard {
        learners: learners(&raw.learners, &study.curves)?,
        at: (first, second),
    })
}

/// The look of a figure: its own, else that of all.
fn look(
    shape: Option<Shape>,
    theme: Option<Theme>,
    font_scale: &Option<Spanned<Num>>,
    all: &Look,
) -> Result<Look, Trouble> {
    let font_scale = match font_scale {
        None => all.font_scale,
        Some(scale) if (0.5..=2.0).contains(&scale.get_ref().0) => scale.get_ref().0,
        Some(scale) => {
            let message = "`font-scale` must be between 0.5 and 2";
            return Err(Trouble::new(scale.span(), message));
        }
    };
    Ok(Look {
        shape: shape.unwrap_or(all.shape),
        theme: theme.unwrap_or(all.theme),
        font_scale,
    })
}

/// Refuses parts of ensembles' members where nobody looked at them.
fn computed(study: &StudyDescription, parts: &Spanned<Vec<Part>>) -> Result<(), Trouble> {
    let of_members = |part: &Part| {
        matches!(
            part,
            Part::MemberRisk | Part::AverageBias | Part::AverageVariance | Part::Diversity
        )
    };
    if study.diversity || !parts.get_ref().iter().any(of_members) {
        return Ok(());
    }
    let message = "what members of ensembles do is computed with `run.diversity = true`";
    Err(Trouble::new(parts.span(), message).help("add `diversity = true` under `[run]`"))
}

fn check_tradeoff(
    raw: &RawTradeoff,
    study: &StudyDescription,
    span: &Range<usize>,
) -> Result<Tradeoff, Trouble> {
    let curves = study.curves.as_slice();
    let learners = learners(&raw.learners, curves)?;
    let (axes, second, lines) = over_sweep(&learners, &raw.second, curves, span)?;
    let parts = match &raw.parts {
        None => vec![Part::Noise, Part::Bias2, Part::Variance, Part::Risk],
        Some(parts) => {
            listed(parts.get_ref(), &parts.span(), "parts")?;
            computed(study, parts)?;
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
        let flat = learners.len() - axes.len();
        if lines + flat > PANELS {
            let message = format!(
                "an overlay can tell {PANELS} curves apart, not {}",
                lines + flat
            );
            return Err(Trouble::new(span.clone(), message)
                .help("choose some with `learners = [\"…\"]` or `second = […]`"));
        }
    } else {
        few_panels(lines, span)?;
    }
    log_axis(raw.x_scale, axes.iter().copied(), span)?;
    let below = match &raw.below {
        None => Vec::new(),
        Some(below) => {
            listed(below.get_ref(), &below.span(), "below")?;
            if raw.overlay && below.get_ref().len() > 1 {
                let message = "below an overlay there is room for one";
                return Err(Trouble::new(below.span(), message));
            }
            let mut shown = curves.iter().zip(&study.solves);
            if !shown.any(|(curve, solves)| *solves && learners.contains(&curve.name)) {
                let message = "none of these learners solves for weights";
                return Err(Trouble::new(below.span(), message).help("`fourier` and `linear` do"));
            }
            below.get_ref().clone()
        }
    };
    let y_min = above_zero(&raw.y_min, "y-min")?;
    if let (Some(y_min), Some(given)) = (y_min, &raw.y_min) {
        if raw.y_scale != Some(Scale::Log) {
            let message = "`y-min` is for a log axis: a linear one begins at 0";
            return Err(Trouble::new(given.span(), message).help("add `y-scale = \"log\"`"));
        }
        if raw
            .y_max
            .as_ref()
            .is_some_and(|most| most.get_ref().0 <= y_min)
        {
            let message = "`y-min` must be below `y-max`";
            return Err(Trouble::new(given.span(), message));
        }
    }
    Ok(Tradeoff {
        learners,
        parts,
        runs: count(&raw.runs, 0)?,
        overlay: raw.overlay,
        x_scale: raw.x_scale,
        y_scale: raw.y_scale.unwrap_or_default(),
        y_max: above_zero(&raw.y_max, "y-max")?,
        y_min,
        second,
        below,
        marks: marks(&raw.marks, axes.iter().copied())?,
        notes: raw.notes.iter().map(note).collect::<Result<_, _>>()?,
    })
}

/// A logarithmic axis shows numbers above 0 only.
fn log_axis<'a>(
    scale: Option<Scale>,
    axes: impl Iterator<Item = &'a Axis>,
    span: &Range<usize>,
) -> Result<(), Trouble> {
    let lowest = axes.flat_map(|axis| &axis.values).copied();
    let lowest = lowest.fold(f64::INFINITY, f64::min);
    if scale == Some(Scale::Log) && lowest <= 0.0 {
        let lowest = number(lowest);
        let message = format!("the sweep starts at {lowest}, which no log axis shows");
        return Err(
            Trouble::new(span.clone(), message).help("start it above 0, or leave it linear")
        );
    }
    Ok(())
}

/// What a figure over the sweep needs: the axes of the learners, the chosen values of second axes,
/// and how many curves that makes.
type OverSweep<'a> = (Vec<&'a Axis>, Option<Vec<f64>>, usize);

fn over_sweep<'a>(
    learners: &[String],
    second: &Option<Spanned<Vec<Spanned<Num>>>>,
    curves: &'a [Curve],
    span: &Range<usize>,
) -> Result<OverSweep<'a>, Trouble> {
    let swept: Vec<&Curve> = curves
        .iter()
        .filter(|curve| learners.contains(&curve.name) && !curve.axes.is_empty())
        .collect();
    if swept.is_empty() {
        let message = "this figure needs a sweep, and nothing is swept here";
        let help = "add for example `[sweep]` with `depth = \"1..16\"`, or draw `pointwise = {}`";
        return Err(Trouble::new(span.clone(), message).help(help));
    }
    let chosen = match second {
        None => None,
        Some(values) => {
            listed(values.get_ref(), &values.span(), "second")?;
            let values = values.get_ref().iter();
            let values = values.map(|value| among(value, learners, curves, 1));
            Some(values.collect::<Result<Vec<f64>, _>>()?)
        }
    };
    let lines = swept
        .iter()
        .map(|curve| match (curve.axes.get(1), &chosen) {
            (None, _) => 1,
            (Some(axis), None) => axis.values.len(),
            (Some(axis), Some(chosen)) => chosen.iter().filter(|v| axis.values.contains(v)).count(),
        });
    let lines = lines.sum();
    let axes = swept.into_iter().map(|curve| &curve.axes[0]).collect();
    Ok((axes, chosen, lines))
}

fn above_zero(raw: &Option<Spanned<Num>>, name: &str) -> Result<Option<f64>, Trouble> {
    match raw {
        Some(value) if value.get_ref().0 > 0.0 && value.get_ref().0.is_finite() => {
            Ok(Some(value.get_ref().0))
        }
        Some(value) => Err(Trouble::new(
            value.span(),
            format!("`{name}` must be a finite number above 0"),
        )),
        None => Ok(None),
    }
}

fn marks<'a>(
    raw: &[Spanned<RawMark>],
    axes: impl Iterator<Item = &'a Axis>,
) -> Result<Vec<Mark>, Trouble> {
    let values = axes.flat_map(|axis| axis.values.iter().copied());
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    let mark = |raw: &Spanned<RawMark>| {
        let RawMark { at, text } = raw.get_ref();
        let place = at.get_ref().0;
        if place.is_finite() && !(low..=high).contains(&place) {
            let message = format!("{} lies outside the sweep", number(place));
            let help = format!("it goes from {} to {}", number(low), number(high));
            return Err(Trouble::new(at.span(), message).help(help));
        }
        match place.is_finite() {
            true => Ok(Mark {
                at: at.get_ref().0,
                text: text
                    .clone()
                    .unwrap_or_default()
                    .replace(char::is_control, " "),
            }),
            false => Err(Trouble::new(at.span(), "a mark needs a finite place")),
        }
    };
    raw.iter().map(mark).collect()
}

fn note(raw: &Spanned<RawNote>) -> Result<Note, Trouble> {
    let RawNote { text, at, to } = raw.get_ref();
    let place = |pair: &Spanned<Pair>| {
        let Pair(x, y) = *pair.get_ref();
        match x.is_finite() && y.is_finite() {
            true => Ok((x, y)),
            false => Err(Trouble::new(pair.span(), "a note needs a finite place")),
        }
    };
    Ok(Note {
        text: text.replace(char::is_control, " "),
        at: place(at)?,
        to: to.as_ref().map(place).transpose()?,
    })
}

fn check_heatmap(
    raw: &RawHeatmap,
    study: &StudyDescription,
    span: &Range<usize>,
) -> Result<Heatmap, Trouble> {
    let curves = study.curves.as_slice();
    let mut learners = learners(&raw.learners, curves)?;
    let two = |name: &String| {
        curves
            .iter()
            .any(|curve| curve.name == *name && curve.axes.len() == 2)
    };
    if raw.learners.is_none() {
        learners.retain(two);
    }
    if learners.is_empty() || !learners.iter().all(two) {
        let message = "a heat map needs a sweep over two numbers";
        return Err(Trouble::new(span.clone(), message)
            .help("as in `[sweep]` with `features = […]` and `lambda = […]`"));
    }
    let drawn = || curves.iter().filter(|curve| learners.contains(&curve.name));
    let second = |curve: &&Curve| (curve.axes[1].name.clone(), curve.axes[1].values.clone());
    if drawn().any(|curve| drawn().any(|other| second(&curve) != second(&other))) {
        let message = "the learners of a heat map need the same second number and values";
        return Err(Trouble::new(span.clone(), message)
            .help("draw one heat map for each, with `learners = [\"…\"]`"));
    }
    let parts = match &raw.parts {
        None => vec![Part::Risk],
        Some(parts) => {
            listed(parts.get_ref(), &parts.span(), "parts")?;
            computed(study, parts)?;
            parts.get_ref().clone()
        }
    };
    if learners.len() * parts.len() > 3 {
        let message = "a heat map can have three panels, no more";
        return Err(Trouble::new(span.clone(), message)
            .help("choose with `learners = [\"…\"]` or `parts = [\"…\"]`; draw several figures"));
    }
    for (which, scale) in [raw.x_scale, raw.y_scale].into_iter().enumerate() {
        let axes = drawn().filter_map(|curve| curve.axes.get(which));
        log_axis(scale, axes, span)?;
    }
    let first_axes = curves
        .iter()
        .filter(|curve| learners.contains(&curve.name))
        .filter_map(|curve| curve.axes.first());
    let first_axes = first_axes.collect::<Vec<_>>().into_iter();
    Ok(Heatmap {
        learners,
        parts,
        x_scale: raw.x_scale,
        y_scale: raw.y_scale,
        scale: raw.scale,
        max: above_zero(&raw.max, "max")?,
        marks: marks(&raw.marks, first_axes)?,
    })
}

fn check_sources(
    raw: &RawSources,
    curves: &[Curve],
    span: &Range<usize>,
) -> Result<SourcesFigure, Trouble> {
    let learners = learners(&raw.learners, curves)?;
    let (axes, second, lines) = over_sweep(&learners, &raw.second, curves, span)?;
    few_panels(lines, span)?;
    log_axis(raw.x_scale, axes.iter().copied(), span)?;
    Ok(SourcesFigure {
        learners,
        second,
        share: raw.share,
        x_scale: raw.x_scale,
        y_max: above_zero(&raw.y_max, "y-max")?,
        marks: marks(&raw.marks, axes.iter().copied())?,
    })
}

fn check_fits(raw: &RawFits, curves: &[Curve], span: &Range<usize>) -> Result<Fits, Trouble> {
    let learners = learners(&raw.learners, curves)?;
    let values = match &raw.values {
        None => None,
        Some(values) => {
            listed(values.get_ref(), &values.span(), "values")?;
            let values = values.get_ref().iter();
            let values = values.map(|value| among(value, &learners, curves, 0));
            Some(values.collect::<Result<Vec<f64>, _>>()?)
        }
    };
    let drawn = curves.iter().filter(|curve| learners.contains(&curve.name));
    let panels = drawn.map(|curve| match (curve.axes.first(), &values) {
        (None, _) => 1,
        (Some(axis), Some(values)) => values
            .iter()
            .filter(|value| axis.values.contains(value))
            .count(),
        // The first, the best and the last; of several learners the best alone.
        (Some(axis), None) if learners.len() == 1 => axis.values.len().min(3),
        (Some(_), None) => 1,
    });
    few_panels(
        panels.sum::<usize>() + usize::from(raw.sample.is_some()),
        span,
    )?;
    let second = raw.second.as_ref();
    Ok(Fits {
        second: second
            .map(|value| among(value, &learners, curves, 1))
            .transpose()?,
        learners,
        values,
        refits: count(&raw.refits, 20)?,
        mean: raw.mean,
        data: raw.data,
        split: raw.split,
        sample: raw.sample,
    })
}

fn check_pointwise(raw: &RawPointwise, curves: &[Curve]) -> Result<Pointwise, Trouble> {
    let learners = learners(&raw.learners, curves)?;
    let [value, second] = [&raw.value, &raw.second].map(Option::as_ref);
    Ok(Pointwise {
        value: value
            .map(|value| among(value, &learners, curves, 0))
            .transpose()?,
        second: second
            .map(|value| among(value, &learners, curves, 1))
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
    listed(raw.get_ref(), &raw.span(), "learners")?;
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

/// The most figures, and the most that one of their lists may name.
const MOST: usize = 100;

/// Whether a list has something in it, and not too much.
fn listed<T>(list: &[T], span: &Range<usize>, name: &str) -> Result<(), Trouble> {
    let (message, help) = match list.len() {
        0 => (format!("`{name}` is empty"), "leave it out for the default"),
        1..=MOST => return Ok(()),
        count => (
            format!("`{name}` has {count} entries, and {MOST} are the most"),
            "name each of them once",
        ),
    };
    Err(Trouble::new(span.clone(), message).help(help))
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
        .help("choose some with `learners`, `values` or `second`; draw several figures")),
        false => Ok(()),
    }
}

/// A value that the sweep of one of the learners has on its first or second axis.
fn among(
    value: &Spanned<Num>,
    learners: &[String],
    curves: &[Curve],
    which: usize,
) -> Result<f64, Trouble> {
    let wanted = value.get_ref().0;
    let drawn = curves.iter().filter(|curve| learners.contains(&curve.name));
    let axes: Vec<&Axis> = drawn.filter_map(|curve| curve.axes.get(which)).collect();
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
    Err(match (near, which) {
        (Some((name, near)), _) => {
            trouble.help(format!("the nearest is {name} = {}", number(near)))
        }
        (None, 0) => trouble.help("nothing is swept here: leave it out"),
        (None, _) => trouble.help("no second number is swept here: leave it out"),
    })
}

fn count(raw: &Option<Spanned<Num>>, default: usize) -> Result<usize, Trouble> {
    match raw {
        None => Ok(default),
        Some(value) => super::raw::whole(value, "this", 0, 1_000_000).map(|value| value as usize),
    }
}
