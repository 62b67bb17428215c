//! Data, truth, refits and their mean at chosen sweep values.

use super::choice::{FigureChoice, Sample};
use super::kind::{FigureKind, Subject};
use super::option::{FigureOption, Given, OptionForm};
use super::shared::{
    LEARNERS, REFITS, SECOND, along_x, few_panels, learners, swept_value, swept_values,
};
use crate::source::Trouble;
use bvlab_core::plan::Curve;

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

pub(super) const VALUES: FigureOption = FigureOption::new(
    "values",
    OptionForm::Values,
    "the first, the best and the last; of several learners the best of each",
    "The sweep values drawn, one panel each",
);
const MEAN: FigureOption = FigureOption::new(
    "mean",
    OptionForm::Flag(true),
    "",
    "Whether the mean of all refits is drawn",
);
pub(super) const DATA: FigureOption = FigureOption::new(
    "data",
    OptionForm::Flag(true),
    "",
    "Whether the first training set is drawn",
);
const SPLIT: FigureOption = FigureOption::new(
    "split",
    OptionForm::Flag(false),
    "",
    "Whether the refits are drawn above and their mean below, rather than in one panel",
);
const SAMPLE: FigureOption = FigureOption::new(
    "sample",
    OptionForm::Choice(Sample::WORDS),
    "none",
    "A panel before all fits, with the first training set alone or with the truth",
);

impl FigureKind for Fits {
    const NAME: &'static str = "fits";
    const MEANING: &'static str = "Data, truth, refits and their mean, one panel per sweep value";
    const NEEDS: &'static str =
        "It needs a known truth and one-dimensional inputs; of classes, at most two.";
    const EXAMPLE: &'static str = "fits = {}";
    const OPTIONS: &'static [FigureOption] =
        &[LEARNERS, VALUES, REFITS, SECOND, MEAN, DATA, SPLIT, SAMPLE];

    fn check(given: &Given, subject: Subject) -> Result<Self, Trouble> {
        let study = subject.study(&given.span)?;
        along_x(study, Self::NAME, &given.span)?;
        let sample = given.choice(&SAMPLE);
        let fits = Fits::at_values(given, &study.curves, usize::from(sample.is_some()))?;
        Ok(Fits {
            split: given.flag(&SPLIT),
            sample,
            ..fits
        })
    }
}

impl Fits {
    /// What is drawn of each learner, with some panels before it.
    pub(super) fn at_values(
        given: &Given,
        curves: &[Curve],
        before: usize,
    ) -> Result<Self, Trouble> {
        let learners = learners(given, curves)?;
        let values = swept_values(given, &VALUES, &learners, curves, 0)?;
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
        few_panels(panels.sum::<usize>() + before, &given.span)?;
        Ok(Fits {
            second: swept_value(given, &SECOND, &learners, curves, 1)?,
            learners,
            values,
            refits: given.count(&REFITS)?,
            mean: given.flag(&MEAN),
            data: given.flag(&DATA),
            split: false,
            sample: None,
        })
    }
}
