//! Words with the numbers of a run in them.

mod number;

pub use number::written;

use std::cell::RefCell;
use std::collections::BTreeSet;

use crate::claims::{CheckedClaim, check_claims};
use crate::evidence::{Evidence, SavedValue, SavedValues};
use bvlab_core::task::Outcome;
use bvlab_experiment::words::{Formula, NumberStyle};
use bvlab_experiment::{Experiment, ExperimentText, Figure, Texts};

/// What stands in the place of a number that is not known.
const UNKNOWN: &str = "…";

/// Words and figures with their numbers in them, and what became of the claims.
#[derive(Clone, Debug, Default)]
pub struct Statements {
    /// The words.
    pub words: ExperimentText,
    /// The figures, whose titles and notes are finished.
    pub figures: Vec<Figure>,
    /// The claims.
    pub claims: Vec<CheckedClaim>,
    /// The values of expressions that saved tables do not tell.
    pub values: SavedValues,
    /// Reasons to doubt a number in the words.
    pub warnings: Vec<String>,
    /// An expression whose error only a run can tell, where only saved tables were looked at.
    pub needs_run: Option<String>,
}

impl Statements {
    /// What an experiment says of a finished run and of its variants. Where the variants were not
    /// computed, an ellipsis stands for their numbers.
    pub fn of(experiment: &Experiment, outcome: &Outcome, variants: &[Outcome]) -> Self {
        if !experiment.speaks() {
            return Statements {
                words: experiment.words.clone(),
                figures: experiment.figures.clone(),
                ..Statements::default()
            };
        }
        let evidence = Evidence::of(experiment, outcome, variants);
        let mut found = Statements::from(&experiment.texts, &experiment.figures, &evidence);
        found.claims = check_claims(&experiment.claims, &evidence);
        found
    }

    /// Words and figures alone, from what is known.
    pub fn from(texts: &Texts, figures: &[Figure], evidence: &Evidence) -> Self {
        let values: RefCell<SavedValues> = RefCell::default();
        let warnings: RefCell<BTreeSet<String>> = RefCell::default();
        let needs_run: RefCell<Option<String>> = RefCell::default();
        let number = |formula: &Formula, style: NumberStyle| {
            let found = evidence.value(formula);
            if found.needs_run {
                *needs_run.borrow_mut() = Some(formula.text.clone());
            }
            if formula.single().is_none() && !formula.references.is_empty() {
                let known = |value: f64| Some(value).filter(|value| value.is_finite());
                let saved = SavedValue {
                    value: known(found.value),
                    se: known(found.se),
                };
                values.borrow_mut().insert(formula.text.clone(), saved);
            }
            if let Some(doubt) = &found.doubt {
                let warning = format!("`{{{}}}` in the words: {doubt}", formula.text);
                warnings.borrow_mut().insert(warning);
            }
            match found.value.is_nan() {
                true => UNKNOWN.to_owned(),
                false => written(found.value, found.se, style),
            }
        };
        Statements {
            words: texts.words(number),
            figures: texts.figures(figures, number),
            claims: Vec::new(),
            values: values.into_inner(),
            warnings: warnings.into_inner().into_iter().collect(),
            needs_run: needs_run.into_inner(),
        }
    }

    /// The title, or a name where there is none.
    pub fn heading<'a>(&'a self, name: &'a str) -> &'a str {
        self.words.title.as_deref().unwrap_or(name)
    }
}
