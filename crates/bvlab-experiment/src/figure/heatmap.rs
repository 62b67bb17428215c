//! Parts of the error over both axes of a two-way sweep.

use super::choice::{FigureChoice, Part};
use super::kind::{FigureKind, FigureSubject};
use super::labels::{FigureLabels, LABELS, X_LABEL, Y_LABEL};
use super::option::{FigureOption, GivenOptions, OptionForm};
use super::shared::{LEARNERS, MARKS, Mark, X_SCALE, learners, log_axis, marks, parts};
use crate::source::SourceError;
use bvlab_core::plan::{Curve, Scale};

/// Parts of the error over both axes of a two-way sweep, as colours.
#[derive(Clone, Debug)]
pub struct Heatmap {
    /// The learners drawn.
    pub learners: Vec<String>,
    /// What is drawn.
    pub parts: Vec<Part>,
    /// The horizontal axis; `None` for as in the sweep.
    pub x_scale: Option<Scale>,
    /// The vertical axis; `None` for as in the sweep.
    pub y_scale: Option<Scale>,
    /// The colour scale; `None` for as the values suggest.
    pub scale: Option<Scale>,
    /// Where the colours end.
    pub max: Option<f64>,
    /// Upright lines.
    pub marks: Vec<Mark>,
    /// Words of one's own.
    pub labels: FigureLabels,
}

const TWO_WAY: FigureOption = FigureOption::new(
    LEARNERS.name,
    LEARNERS.form,
    "all with a two-way sweep",
    LEARNERS.meaning,
);
const PARTS: FigureOption = FigureOption::new(
    "parts",
    OptionForm::Choices(Part::WORDS),
    "risk",
    "What is drawn, a panel each",
);
const Y_SCALE: FigureOption = FigureOption::new(
    "y-scale",
    OptionForm::Choice(Scale::WORDS),
    "as in the sweep",
    "The vertical axis",
);
const SCALE: FigureOption = FigureOption::new(
    "scale",
    OptionForm::Choice(Scale::WORDS),
    "log where values differ by more than a factor of 30",
    "The colour scale",
);
const MAX: FigureOption = FigureOption::positive(
    "max",
    "at the largest value",
    "The value at which the colours end; larger values have the last colour",
);

/// The most panels: each has a colour bar of its own.
const MOST_MAPS: usize = 3;

impl FigureKind for Heatmap {
    const NAME: &'static str = "heatmap";
    const MEANING: &'static str =
        "A part of the error over both axes of a two-way sweep, as colours";
    const NEEDS: &'static str = "It needs a sweep over two parameters.";
    const EXAMPLE: &'static str = "heatmap = {}";
    const OPTIONS: &'static [FigureOption] = &[
        TWO_WAY, PARTS, X_SCALE, Y_SCALE, SCALE, MAX, MARKS, X_LABEL, Y_LABEL, LABELS,
    ];

    fn check(given: &GivenOptions, subject: FigureSubject) -> Result<Self, SourceError> {
        let study = subject.study(&given.span)?;
        let curves = &study.curves;
        let mut learners = learners(given, curves)?;
        let two = |name: &String| {
            curves
                .iter()
                .any(|curve| curve.name == *name && curve.axes.len() == 2)
        };
        if !given.has(&LEARNERS) {
            learners.retain(two);
        }
        if learners.is_empty() || !learners.iter().all(two) {
            let message = "a heat map needs a sweep over two parameters";
            return Err(SourceError::new(given.span.clone(), message)
                .help("as in `[sweep]` with `features = […]` and `lambda = […]`"));
        }
        let drawn = || curves.iter().filter(|curve| learners.contains(&curve.name));
        let second = |curve: &&Curve| (curve.axes[1].name.clone(), curve.axes[1].values.clone());
        if drawn().any(|curve| drawn().any(|other| second(&curve) != second(&other))) {
            let message = "the learners of a heat map need the same second parameter and values";
            return Err(SourceError::new(given.span.clone(), message)
                .help("draw one heat map for each, with `learners = [\"…\"]`"));
        }
        let parts = parts(given, &PARTS, study)?.unwrap_or_else(|| vec![Part::Risk]);
        if learners.len() * parts.len() > MOST_MAPS {
            let message = "a heat map can have at most three panels";
            return Err(SourceError::new(given.span.clone(), message).help(
                "choose with `learners = [\"…\"]` or `parts = [\"…\"]`; draw several figures",
            ));
        }
        let [x_scale, y_scale] = [&X_SCALE, &Y_SCALE].map(|option| given.choice(option));
        for (which, scale) in [x_scale, y_scale].into_iter().enumerate() {
            let axes = drawn().filter_map(|curve| curve.axes.get(which));
            log_axis(scale, axes, &given.span)?;
        }
        let marks = marks(given, drawn().filter_map(|curve| curve.axes.first()))?;
        let named = parts.iter().map(|part| part.name());
        let named: Vec<&str> = named.chain(learners.iter().map(String::as_str)).collect();
        let labels = FigureLabels::read(given, named.into_iter())?;
        Ok(Heatmap {
            labels,
            parts,
            x_scale,
            y_scale,
            scale: given.choice(&SCALE),
            max: given.number(&MAX)?,
            marks,
            learners,
        })
    }
}
