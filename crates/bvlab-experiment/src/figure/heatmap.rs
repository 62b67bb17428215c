//! Parts of the error over both axes of a two-way sweep.

use super::choice::{FigureChoice, Part};
use super::kind::{FigureKind, Subject};
use super::option::{FigureOption, Given, OptionForm};
use super::shared::{LEARNERS, MARKS, Mark, X_SCALE, learners, log_axis, marks, parts};
use crate::source::Trouble;
use bvlab_core::plan::{Curve, Scale};

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
    "as the sweep is spread",
    "The vertical axis",
);
const SCALE: FigureOption = FigureOption::new(
    "scale",
    OptionForm::Choice(Scale::WORDS),
    "log where values differ by more than a factor of 30",
    "How colours are spread",
);
const MAX: FigureOption = FigureOption::positive(
    "max",
    "at the largest value",
    "Where the colours end: everything above has the last one",
);

/// The most panels: each has a colour bar of its own.
const MOST_MAPS: usize = 3;

impl FigureKind for Heatmap {
    const NAME: &'static str = "heatmap";
    const MEANING: &'static str =
        "A part of the error over both axes of a two-way sweep, as colours";
    const NEEDS: &'static str = "It needs a sweep over two parameters.";
    const EXAMPLE: &'static str = "heatmap = {}";
    const OPTIONS: &'static [FigureOption] = &[TWO_WAY, PARTS, X_SCALE, Y_SCALE, SCALE, MAX, MARKS];

    fn check(given: &Given, subject: Subject) -> Result<Self, Trouble> {
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
            return Err(Trouble::new(given.span.clone(), message)
                .help("as in `[sweep]` with `features = […]` and `lambda = […]`"));
        }
        let drawn = || curves.iter().filter(|curve| learners.contains(&curve.name));
        let second = |curve: &&Curve| (curve.axes[1].name.clone(), curve.axes[1].values.clone());
        if drawn().any(|curve| drawn().any(|other| second(&curve) != second(&other))) {
            let message = "the learners of a heat map need the same second parameter and values";
            return Err(Trouble::new(given.span.clone(), message)
                .help("draw one heat map for each, with `learners = [\"…\"]`"));
        }
        let parts = parts(given, &PARTS, study)?.unwrap_or_else(|| vec![Part::Risk]);
        if learners.len() * parts.len() > MOST_MAPS {
            let message = "a heat map can have three panels, no more";
            return Err(Trouble::new(given.span.clone(), message).help(
                "choose with `learners = [\"…\"]` or `parts = [\"…\"]`; draw several figures",
            ));
        }
        let [x_scale, y_scale] = [&X_SCALE, &Y_SCALE].map(|option| given.choice(option));
        for (which, scale) in [x_scale, y_scale].into_iter().enumerate() {
            let axes = drawn().filter_map(|curve| curve.axes.get(which));
            log_axis(scale, axes, &given.span)?;
        }
        let marks = marks(given, drawn().filter_map(|curve| curve.axes.first()))?;
        Ok(Heatmap {
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
