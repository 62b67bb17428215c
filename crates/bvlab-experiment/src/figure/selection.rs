//! Estimates of the risk beside the risk itself, and what they choose.

use super::kind::{FigureKind, FigureSubject};
use super::labels::{FigureLabels, LABELS, X_LABEL, Y_LABEL};
use super::note::{NOTES, Note, Targets, notes};
use super::option::{FigureOption, GivenOptions, OptionForm};
use super::shared::{
    LEARNERS, PANELS, SECONDS, X_SCALE, Y_MAX, few_panels, learners, log_axis, named, over_sweep,
};
use crate::source::SourceError;
use bvlab_core::plan::Scale;

/// The true risk, estimates of it, and how often each value is chosen.
#[derive(Clone, Debug)]
pub struct SelectionFigure {
    /// The learners drawn.
    pub learners: Vec<String>,
    /// The methods drawn.
    pub methods: Vec<String>,
    /// How many single training sets are drawn faintly.
    pub runs: usize,
    /// Whether the training error is drawn.
    pub train: bool,
    /// Whether every curve is drawn above its own lowest value.
    pub excess: bool,
    /// The values of the second axis that are drawn; `None` for all.
    pub second: Option<Vec<f64>>,
    /// The horizontal axis; `None` for as the sweep is spread.
    pub x_scale: Option<Scale>,
    /// Where the vertical axis ends.
    pub y_max: Option<f64>,
    /// Texts with leaders, in the panels of the risk.
    pub notes: Vec<Note>,
    /// Words of one's own; the vertical axis is that of the risk.
    pub labels: FigureLabels,
}

const METHODS: FigureOption = FigureOption::new(
    "methods",
    OptionForm::Names,
    "all of `run.select`",
    "The methods drawn, by name",
);
const RUNS: FigureOption = FigureOption::count(
    "runs",
    20.0,
    "How many single training sets are drawn faintly, for the first method that estimates the risk; with \
     1, also its choice and the true risk of that choice",
);
const TRAIN: FigureOption = FigureOption::new(
    "train",
    OptionForm::Flag(false),
    "",
    "The training error, too",
);
const EXCESS: FigureOption = FigureOption::new(
    "excess",
    OptionForm::Flag(false),
    "",
    "Every curve as what it lies above its own best value, as criteria on different scales need; each is \
     scaled to the same height",
);

impl FigureKind for SelectionFigure {
    const NAME: &'static str = "selection";
    const MEANING: &'static str = "The true risk and estimates of it from single training sets, and how \
        often each value is chosen";
    const NEEDS: &'static str = "It needs a sweep and `run.select`.";
    const EXAMPLE: &'static str = "selection = {}";
    const OPTIONS: &'static [FigureOption] = &[
        LEARNERS, METHODS, RUNS, TRAIN, EXCESS, SECONDS, X_SCALE, Y_MAX, NOTES, X_LABEL, Y_LABEL,
        LABELS,
    ];

    fn check(given: &GivenOptions, subject: FigureSubject) -> Result<Self, SourceError> {
        let study = subject.study(&given.span)?;
        if study.select.is_empty() {
            let message = "`selection` draws what `run.select` computes";
            return Err(SourceError::new(given.span.clone(), message)
                .help("add for example `select = [\"10-fold\"]` under `[run]`"));
        }
        let learners = learners(given, &study.curves)?;
        let swept = over_sweep(&learners, given, &study.curves)?;
        few_panels(swept.lines, &given.span)?;
        let known = || study.select.iter().map(|method| method.name.as_str());
        let methods = match given.names(&METHODS) {
            Some(chosen) => named(&chosen, &METHODS, "method of `run.select`", known)?,
            None => known().map(str::to_owned).collect(),
        };
        if methods.len() > PANELS {
            let message = format!("one panel can show {PANELS} methods, not {}", methods.len());
            return Err(SourceError::new(given.span.clone(), message)
                .help("choose some with `methods = [\"…\"]`"));
        }
        if given.flag(&EXCESS) && given.flag(&TRAIN) {
            let message = "`excess` draws criteria on different scales, and no training error";
            return Err(SourceError::new(given.place(&TRAIN), message).help("leave out `train`"));
        }
        let x_scale = given.choice(&X_SCALE);
        log_axis(x_scale, swept.axes.iter().copied(), &given.span)?;
        let curves = study.curves.iter().map(|curve| curve.name.as_str());
        let others = ["risk", "train"].into_iter();
        let labels =
            FigureLabels::read(given, curves.clone().chain(known()).chain(others.clone()))?;
        let targets = Targets {
            curves: known().chain(others).collect(),
            panels: curves.collect(),
            range: None,
        };
        let notes = notes(given, &targets)?;
        Ok(SelectionFigure {
            notes,
            labels,
            learners,
            methods,
            runs: given.count(&RUNS)?,
            train: given.flag(&TRAIN),
            excess: given.flag(&EXCESS),
            x_scale,
            y_max: given.number(&Y_MAX)?,
            second: swept.seconds,
        })
    }
}
