//! Decision boundaries at chosen sweep values.

use super::fits::{DATA, Fits, SET, VALUES};
use super::kind::{FigureKind, FigureSubject};
use super::labels::{LABELS, X_LABEL, Y_LABEL};
use super::option::{FigureOption, GivenOptions, OptionForm};
use super::shared::{LEARNERS, REFITS, SECOND};
use crate::source::SourceError;
use bvlab_core::plan::TestKind;

/// Decision boundaries of what `fits` would draw along x.
#[derive(Clone, Debug)]
pub struct Boundaries(pub Fits);

const MEAN: FigureOption = FigureOption::new(
    "mean",
    OptionForm::Flag(true),
    "",
    "Whether the boundary of all refits together is drawn",
);

impl FigureKind for Boundaries {
    const NAME: &'static str = "boundaries";
    const MEANING: &'static str = "Where the most probable class changes in the plane, for single refits, all of them together, and Bayes' rule";
    const NEEDS: &'static str =
        "It needs classes, two-dimensional inputs and a grid of test points.";
    const EXAMPLE: &'static str = "boundaries = {}";
    const OPTIONS: &'static [FigureOption] = &[
        LEARNERS, VALUES, REFITS, SET, SECOND, MEAN, DATA, X_LABEL, Y_LABEL, LABELS,
    ];

    fn check(given: &GivenOptions, subject: FigureSubject) -> Result<Self, SourceError> {
        let study = subject.study(&given.span)?;
        if study.classes == 0 || study.dimension != 2 || study.test != TestKind::Grid {
            let message = "`boundaries` draws classes in two dimensions, on a grid of test points";
            return Err(SourceError::new(given.span.clone(), message)
                .help("as with `classes = { moons = 0.2 }` and `test = { grid = 2500 }`"));
        }
        Ok(Boundaries(Fits::at_values(given, study, 0)?))
    }
}
