//! The parts of the error along x.

use super::fits::ALONG_X;
use super::kind::{FigureKind, FigureSubject};
use super::labels::{FigureLabels, LABELS, X_LABEL, Y_LABEL};
use super::option::{FigureOption, GivenOptions, OptionForm};
use super::shared::{LEARNERS, REFITS, SECOND, along_x, few_panels, learners, swept_value};
use crate::source::SourceError;

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
    /// Words of one's own.
    pub labels: FigureLabels,
}

const VALUE: FigureOption = FigureOption::new(
    "value",
    OptionForm::Value,
    "the best",
    "The sweep value drawn",
);

impl FigureKind for Pointwise {
    const NAME: &'static str = "pointwise";
    const MEANING: &'static str = "The parts of the error along x, fits above";
    const NEEDS: &'static str =
        "It needs a known truth and one-dimensional inputs; of classes, at most two.";
    const EXAMPLE: &'static str = "pointwise = {}";
    const OPTIONS: &'static [FigureOption] =
        &[LEARNERS, VALUE, SECOND, REFITS, X_LABEL, Y_LABEL, LABELS];

    fn check(given: &GivenOptions, subject: FigureSubject) -> Result<Self, SourceError> {
        let study = subject.study(&given.span)?;
        along_x(study, Self::NAME, &given.span)?;
        let curves = &study.curves;
        let learners = learners(given, curves)?;
        let value = swept_value(given, &VALUE, &learners, curves, 0)?;
        let second = swept_value(given, &SECOND, &learners, curves, 1)?;
        let refits = given.count(&REFITS)?;
        few_panels(learners.len(), &given.span)?;
        let named = learners.iter().map(String::as_str).chain(ALONG_X);
        let labels = FigureLabels::read(given, named)?;
        Ok(Pointwise {
            labels,
            learners,
            value,
            second,
            refits,
        })
    }
}
