//! The variance by source over the sweep.

use super::kind::{FigureKind, FigureSubject};
use super::labels::{FigureLabels, LABELS, X_LABEL, Y_LABEL};
use super::option::{FigureOption, GivenOptions, OptionForm};
use super::shared::{
    LEARNERS, MARKS, Mark, SECONDS, X_SCALE, Y_MAX, few_panels, learners, log_axis, marks,
    over_sweep,
};
use crate::source::SourceError;
use bvlab_core::plan::Scale;

/// The variance by source over the sweep.
#[derive(Clone, Debug)]
pub struct SourcesFigure {
    /// The learners drawn.
    pub learners: Vec<String>,
    /// The values of the second axis that are drawn; `None` for all.
    pub second: Option<Vec<f64>>,
    /// Whether shares of the variance are drawn.
    pub share: bool,
    /// The horizontal axis; `None` for as in the sweep.
    pub x_scale: Option<Scale>,
    /// Where the vertical axis ends.
    pub y_max: Option<f64>,
    /// Upright lines.
    pub marks: Vec<Mark>,
    /// Words of one's own.
    pub labels: FigureLabels,
}

const SHARE: FigureOption = FigureOption::new(
    "share",
    OptionForm::Flag(false),
    "",
    "Shares of the variance rather than the variance itself",
);

/// The sources that act alone, whose names make those that act together.
const SINGLE: [&str; 3] = ["inputs", "noise", "algorithm"];

impl FigureKind for SourcesFigure {
    const NAME: &'static str = "sources";
    const MEANING: &'static str = "The variance by source over the sweep, stacked";
    const NEEDS: &'static str = "It needs a sweep and `run.sources = true`.";
    const EXAMPLE: &'static str = "sources = {}";
    const OPTIONS: &'static [FigureOption] = &[
        LEARNERS, SECONDS, SHARE, X_SCALE, Y_MAX, MARKS, X_LABEL, Y_LABEL, LABELS,
    ];

    fn check(given: &GivenOptions, subject: FigureSubject) -> Result<Self, SourceError> {
        let study = subject.study(&given.span)?;
        if !study.sources {
            let message = "`sources` needs `run.sources = true`";
            return Err(SourceError::new(given.span.clone(), message).help(
                "add `sources = true` under `[run]`; every resample then needs eight fits instead of one",
            ));
        }
        let learners = learners(given, &study.curves)?;
        let swept = over_sweep(&learners, given, &study.curves)?;
        few_panels(swept.lines, &given.span)?;
        let x_scale = given.choice(&X_SCALE);
        log_axis(x_scale, swept.axes.iter().copied(), &given.span)?;
        let named = learners.iter().map(String::as_str).chain(SINGLE);
        let labels = FigureLabels::read(given, named)?;
        Ok(SourcesFigure {
            labels,
            learners,
            share: given.flag(&SHARE),
            x_scale,
            y_max: given.number(&Y_MAX)?,
            marks: marks(given, swept.axes.iter().copied())?,
            second: swept.seconds,
        })
    }
}
