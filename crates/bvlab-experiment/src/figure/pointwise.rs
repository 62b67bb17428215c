//! The parts of the error along x.

use super::kind::{FigureKind, Subject};
use super::option::{FigureOption, Given, OptionForm};
use super::shared::{LEARNERS, REFITS, SECOND, along_x, few_panels, learners, swept_value};
use crate::source::Trouble;

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
    const OPTIONS: &'static [FigureOption] = &[LEARNERS, VALUE, SECOND, REFITS];

    fn check(given: &Given, subject: Subject) -> Result<Self, Trouble> {
        let study = subject.study(&given.span)?;
        along_x(study, Self::NAME, &given.span)?;
        let curves = &study.curves;
        let learners = learners(given, curves)?;
        let value = swept_value(given, &VALUE, &learners, curves, 0)?;
        let second = swept_value(given, &SECOND, &learners, curves, 1)?;
        let refits = given.count(&REFITS)?;
        few_panels(learners.len(), &given.span)?;
        Ok(Pointwise {
            learners,
            value,
            second,
            refits,
        })
    }
}
