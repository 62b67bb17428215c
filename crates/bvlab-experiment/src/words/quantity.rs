//! The columns of `curves` that a text can refer to.

use bvlab_core::decompose::Loss;
use bvlab_core::plan::{StudyDescription, TestKind};
use bvlab_core::words::{did_you_mean, quoted};

/// Which columns go with one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnErrors {
    /// None.
    None,
    /// A standard error, `_se`.
    Error,
    /// A standard error, and the ends `_low` and `_high` of an interval.
    Interval,
}

/// When a table has a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    Always,
    /// Where the truth is known.
    Truth,
    Grid,
    CrossEntropy,
    ZeroOne,
    Diversity,
    Degrees,
    Sources,
    Members,
    Weights,
    Bound,
}

use ColumnErrors::{Error, Interval, None as Alone};

const COLUMNS: &[(&str, ColumnErrors, When)] = &[
    ("train", Alone, When::Always),
    ("resamples", Alone, When::Always),
    ("noise", Error, When::Truth),
    ("bias2", Interval, When::Always),
    ("variance", Interval, When::Always),
    ("risk", Interval, When::Always),
    ("train_risk", Interval, When::Always),
    ("test_risk", Interval, When::Always),
    ("risk_q25", Alone, When::Always),
    ("risk_median", Error, When::Always),
    ("risk_q75", Alone, When::Always),
    ("largest_share", Alone, When::Always),
    ("left_out", Alone, When::Grid),
    ("zero_share", Alone, When::CrossEntropy),
    ("bayes_error", Error, When::ZeroOne),
    ("domingos_noise", Error, When::ZeroOne),
    ("domingos_bias", Error, When::ZeroOne),
    ("domingos_variance", Error, When::ZeroOne),
    ("domingos_variance_right", Error, When::ZeroOne),
    ("domingos_variance_wrong", Error, When::ZeroOne),
    ("domingos_noise_effect", Error, When::ZeroOne),
    ("domingos_variance_effect", Error, When::ZeroOne),
    ("kw_noise", Error, When::ZeroOne),
    ("kw_bias2", Error, When::ZeroOne),
    ("kw_variance", Error, When::ZeroOne),
    ("effect_noise", Error, When::ZeroOne),
    ("effect_bias", Error, When::ZeroOne),
    ("effect_variance", Error, When::ZeroOne),
    ("member_risk", Error, When::Diversity),
    ("average_bias", Error, When::Diversity),
    ("average_variance", Error, When::Diversity),
    ("diversity", Error, When::Diversity),
    ("diversity_gap", Error, When::Diversity),
    ("df", Error, When::Degrees),
    ("optimism", Error, When::Degrees),
    ("effective_parameters", Error, When::Degrees),
    ("bias2_exact", Alone, When::Truth),
    ("variance_exact", Alone, When::Truth),
    ("label_noise_bound", Alone, When::Bound),
    ("rank", Alone, When::Weights),
    ("condition", Alone, When::Weights),
    ("weight_norm", Alone, When::Weights),
    ("variance_inputs", Error, When::Sources),
    ("variance_noise", Error, When::Sources),
    ("variance_algorithm", Error, When::Sources),
    ("variance_inputs_noise", Error, When::Sources),
    ("variance_inputs_algorithm", Error, When::Sources),
    ("variance_noise_algorithm", Error, When::Sources),
    ("variance_inputs_noise_algorithm", Error, When::Sources),
    ("member_correlation", Error, When::Members),
    ("variance_shared", Alone, When::Sources),
    ("variance_from_members", Alone, When::Sources),
    ("risk_above_best", Error, When::Always),
];

/// The columns of `curves` that are numbers, and which columns go with each.
pub fn quantities() -> impl Iterator<Item = (&'static str, ColumnErrors)> {
    COLUMNS.iter().map(|(name, errors, _)| (*name, *errors))
}

/// The columns of `selection`, and whether each has a standard error.
const SELECTION: &[(&str, bool)] = &[
    ("estimate", true),
    ("spread", false),
    ("bias", true),
    ("chosen", false),
    ("chosen_one_se", false),
    ("correlation_fit", true),
    ("correlation_inputs", true),
    ("distance_fit", true),
    ("distance_expected", true),
    ("coverage", true),
];

/// The columns of `choices`, which have standard errors.
const CHOICES: &[&str] = &[
    "risk",
    "regret",
    "regret_own",
    "claimed",
    "claimed_bias",
    "claimed_distance",
    "claimed_correlation",
    "claimed_coverage",
    "one_se_risk",
    "one_se_regret",
];

/// Of a column of `selection` or `choices`: whether it is of the former; what is wrong, and what to do,
/// where there is no such column.
pub(super) fn of_method(name: &str) -> Result<bool, (String, String)> {
    let is = |known: &str, error: bool| {
        let end = name.strip_prefix(known);
        end.is_some_and(|end| end.is_empty() || error && end == "_se")
    };
    if SELECTION.iter().any(|(known, error)| is(known, *error)) {
        return Ok(true);
    }
    if CHOICES.iter().any(|known| is(known, true)) {
        return Ok(false);
    }
    let message = format!(
        "no column of `selection` or `choices` is called {}",
        quoted(name)
    );
    let known = SELECTION.iter().map(|(name, _)| *name);
    Err((
        message,
        did_you_mean(name, known.chain(CHOICES.iter().copied())),
    ))
}

/// The quantity whose column, error or end of an interval has this name.
fn find(name: &str) -> Option<When> {
    let mut columns = COLUMNS.iter();
    let found = columns.find(|(known, errors, _)| {
        name.strip_prefix(known).is_some_and(|end| match end {
            "" => true,
            "_se" => *errors != Alone,
            "_low" | "_high" => *errors == Interval,
            _ => false,
        })
    });
    found.map(|(_, _, when)| *when)
}

/// Whether a study has a column; what is wrong, and what to do, where it has not.
pub(super) fn check(name: &str, study: &StudyDescription) -> Result<(), (String, String)> {
    let Some(when) = find(name) else {
        if let (Ok(_), Some(method)) = (of_method(name), study.select.first()) {
            let message = format!("`{name}` by which method of selection?");
            return Err((
                message,
                format!("add `{}` or another after the `@`", method.name),
            ));
        }
        let known = COLUMNS.iter().map(|(name, ..)| *name);
        let message = format!("no column of `curves` is called {}", quoted(name));
        return Err((message, did_you_mean(name, known)));
    };
    let (present, needs) = match when {
        When::Always => (true, ""),
        When::Truth => (
            study.knows_truth(),
            "the truth of a table of real data is unknown",
        ),
        When::Grid => (
            study.test == TestKind::Grid,
            "it is known for test grids over normal inputs",
        ),
        When::CrossEntropy => (
            matches!(study.loss, Loss::CrossEntropy { .. }),
            "it needs `run.loss = \"cross-entropy\"`",
        ),
        When::ZeroOne => (
            matches!(study.loss, Loss::ZeroOne(_)),
            "it needs `run.loss = \"zero-one\"`",
        ),
        When::Diversity => (study.diversity, "it needs `run.diversity = true`"),
        When::Degrees => (study.df, "it needs `run.df = true`"),
        When::Sources => (study.sources, "it needs `run.sources = true`"),
        When::Members => (
            study.sources || study.diversity,
            "it needs `run.sources = true` or `run.diversity = true`",
        ),
        When::Bound => (
            !study.bounds.is_empty(),
            "it is known for minimum norm at drawn inputs of constant noise, tested on drawn points",
        ),
        When::Weights => (
            study.solves.contains(&true),
            "it needs a learner that solves for weights, such as `fourier`",
        ),
    };
    match present {
        true => Ok(()),
        false => Err((
            format!("this experiment has no column `{name}`"),
            needs.to_owned(),
        )),
    }
}
