//! The variance by source over the sweep.

use super::kind::{FigureKind, Subject};
use super::option::{FigureOption, Given, OptionForm};
use super::shared::{
    LEARNERS, MARKS, Mark, SECONDS, X_SCALE, Y_MAX, few_panels, learners, log_axis, marks,
    over_sweep,
};
use crate::source::Trouble;
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
    /// The horizontal axis; `None` for as the sweep is spread.
    pub x_scale: Option<Scale>,
    /// Where the vertical axis ends.
    pub y_max: Option<f64>,
    /// Upright lines.
    pub marks: Vec<Mark>,
}

const SHARE: FigureOption = FigureOption::new(
    "share",
    OptionForm::Flag(false),
    "",
    "Shares of the variance rather than the variance itself",
);

impl FigureKind for SourcesFigure {
    const NAME: &'static str = "sources";
    const MEANING: &'static str = "The variance by source over the sweep, stacked";
    const NEEDS: &'static str = "It needs a sweep and `run.sources = true`.";
    const EXAMPLE: &'static str = "sources = {}";
    const OPTIONS: &'static [FigureOption] = &[LEARNERS, SECONDS, SHARE, X_SCALE, Y_MAX, MARKS];

    fn check(given: &Given, subject: Subject) -> Result<Self, Trouble> {
        let study = subject.study(&given.span)?;
        if !study.sources {
            let message = "`sources` draws what `run.sources = true` computes";
            return Err(Trouble::new(given.span.clone(), message).help(
                "add `sources = true` under `[run]`; eight fits then take the place of one",
            ));
        }
        let learners = learners(given, &study.curves)?;
        let swept = over_sweep(&learners, given, &study.curves)?;
        few_panels(swept.lines, &given.span)?;
        let x_scale = given.choice(&X_SCALE);
        log_axis(x_scale, swept.axes.iter().copied(), &given.span)?;
        Ok(SourcesFigure {
            learners,
            share: given.flag(&SHARE),
            x_scale,
            y_max: given.number(&Y_MAX)?,
            marks: marks(given, swept.axes.iter().copied())?,
            second: swept.seconds,
        })
    }
}
