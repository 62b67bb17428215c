//! Data, truth, refits and their mean at chosen sweep values.

use super::choice::{FigureChoice, Sample};
use super::kind::{FigureKind, FigureSubject};
use super::labels::{FigureLabels, LABELS, X_LABEL, Y_LABEL};
use super::option::{FigureOption, GivenOptions, OptionForm};
use super::shared::{
    LEARNERS, REFITS, SECOND, along_x, few_panels, learners, swept_value, swept_values,
};
use crate::source::SourceError;
use bvlab_core::parameter::Parameter;
use bvlab_core::plan::StudyDescription;

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
    /// The first of the kept training sets that is drawn, from 0.
    pub first: usize,
    /// Words of one's own.
    pub labels: FigureLabels,
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
    "An extra first panel that shows the first training set, alone or with the truth",
);

pub(super) const SET: FigureOption = FigureOption::number(
    Parameter::whole(
        "set",
        "Which of the kept training sets is drawn, with its refit; further refits follow it",
    )
    .least(1.0)
    .up_to(1e6)
    .default(1.0),
    "",
);
/// What the curves along x are called where nothing else is said.
pub(super) const ALONG_X: [&str; 3] = ["truth", "refits", "mean"];

impl FigureKind for Fits {
    const NAME: &'static str = "fits";
    const MEANING: &'static str = "Data, truth, refits and their mean, one panel per sweep value";
    const NEEDS: &'static str =
        "It needs a known truth and one-dimensional inputs; of classes, at most two.";
    const EXAMPLE: &'static str = "fits = {}";
    const OPTIONS: &'static [FigureOption] = &[
        LEARNERS, VALUES, REFITS, SET, SECOND, MEAN, DATA, SPLIT, SAMPLE, X_LABEL, Y_LABEL, LABELS,
    ];

    fn check(given: &GivenOptions, subject: FigureSubject) -> Result<Self, SourceError> {
        let study = subject.study(&given.span)?;
        along_x(study, Self::NAME, &given.span)?;
        let sample = given.choice(&SAMPLE);
        let fits = Fits::at_values(given, study, usize::from(sample.is_some()))?;
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
        given: &GivenOptions,
        study: &StudyDescription,
        before: usize,
    ) -> Result<Self, SourceError> {
        let curves = &study.curves;
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
        let set = given.count(&SET)?;
        if set as u64 > study.keep_fits.max(1) {
            let message = format!("{} training sets are kept, not {set}", study.keep_fits);
            let help = "`run.keep` says how many";
            return Err(SourceError::new(given.place(&SET), message).help(help));
        }
        let named = learners.iter().map(String::as_str).chain(ALONG_X);
        let labels = FigureLabels::read(given, named)?;
        Ok(Fits {
            first: set.saturating_sub(1),
            labels,
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
