//! Predictions at two test points as darts.

use toml::Spanned;

use super::kind::{FigureKind, FigureSubject};
use super::labels::{FigureLabels, LABELS};
use super::option::{FigureOption, GivenOptions, OptionForm};
use super::shared::{LEARNERS, along_x, few_panels, learners};
use crate::source::SourceError;
use bvlab_core::words::number;

/// Predictions at two test points as darts.
#[derive(Clone, Debug)]
pub struct Dartboard {
    /// The learners drawn.
    pub learners: Vec<String>,
    /// The test points.
    pub at: (f64, f64),
    /// Words of one's own.
    pub labels: FigureLabels,
}

const AT: FigureOption = FigureOption::new(
    "at",
    OptionForm::Pair,
    "",
    "The two test points whose predictions make up a dart, as in `[2, 9]`",
)
.required();

impl FigureKind for Dartboard {
    const NAME: &'static str = "dartboard";
    const MEANING: &'static str =
        "Predictions at two test points as darts, the truth as bull's eye, one board per learner";
    const NEEDS: &'static str =
        "It needs a known truth, one-dimensional inputs and labels that are numbers.";
    const EXAMPLE: &'static str = "dartboard = { at = [2, 9] }";
    const OPTIONS: &'static [FigureOption] = &[AT, LEARNERS, LABELS];

    fn check(given: &GivenOptions, subject: FigureSubject) -> Result<Self, SourceError> {
        let study = subject.study(&given.span)?;
        along_x(study, Self::NAME, &given.span)?;
        if study.classes > 0 {
            let message = "`dartboard` draws predictions of numbers, but the labels are classes";
            return Err(SourceError::new(given.span.clone(), message));
        }
        let at = given.pair(&AT).map_or((0.0, 0.0), Spanned::into_inner);
        let (from, to) = study.range;
        let within = |x: f64| (from..=to).contains(&x);
        if !(within(at.0) && within(at.1)) || at.0 == at.1 {
            let message = "`at` needs two different test points within the range of the inputs";
            return Err(SourceError::new(given.place(&AT), message).help(format!(
                "from {} to {}",
                number(from),
                number(to)
            )));
        }
        let learners = learners(given, &study.curves)?;
        few_panels(learners.len(), &given.span)?;
        let labels = FigureLabels::read(given, learners.iter().map(String::as_str))?;
        Ok(Dartboard {
            labels,
            learners,
            at,
        })
    }
}
