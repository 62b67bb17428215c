//! How an experiment is run and where its error is measured, within what memory can hold.

use bvlab_core::decompose::{Loss, Split};
use bvlab_core::plan::{
    FEWEST_RESAMPLES, LOSS_OF_LABELS, Length, MOST_SEED, Plan, PlanError, PlanParts, Run, Subject,
    Test, TestPoints,
};
use bvlab_core::probability::SMOOTHING;
use bvlab_core::problem::Problem;
use bvlab_core::selection::Method;
use bvlab_core::words::did_you_mean;
use toml::Spanned;

use super::bounds::Bounds;
use super::raw::{Number, RawExperiment, RawRun, RawTest, whole};
use super::source::SourceError;

pub(super) fn check_run(raw: &RawRun, bounds: &Bounds) -> Result<Run, SourceError> {
    let length = match (&raw.precision, &raw.max_resamples) {
        (None, None) => Length::Resamples(match &raw.resamples {
            Some(value) => whole(value, "`resamples`", FEWEST_RESAMPLES, bounds.resamples)?,
            None => 1000,
        }),
        (None, Some(most)) => {
            return Err(
                SourceError::new(most.span(), "`max-resamples` needs `precision`")
                    .help("for a fixed number write `resamples`"),
            );
        }
        (Some(precision), None) => {
            return Err(
                SourceError::new(precision.span(), "`precision` needs `max-resamples`")
                    .help("limit the number of training sets, as in `max-resamples = 100_000`"),
            );
        }
        (Some(precision), Some(most)) => {
            if let Some(resamples) = &raw.resamples {
                let message = "`resamples` and `precision` exclude each other";
                return Err(
                    SourceError::new(resamples.span(), message).help("leave one of them out")
                );
            }
            let share = precision.get_ref().0;
            if !(share > 0.0 && share < 1.0) {
                let message = "`precision` must be between 0 and 1";
                return Err(SourceError::new(precision.span(), message)
                    .help("0.02 asks for standard errors below 2 % of the risk"));
            }
            let most = whole(most, "`max-resamples`", FEWEST_RESAMPLES, bounds.resamples)?;
            Length::Precision { share, most }
        }
    };
    let seed = match &raw.seed {
        Some(value) => whole(value, "`seed`", 0, MOST_SEED)?,
        None => 1,
    };
    let slab = match (&raw.slab, length) {
        (Some(slab), Length::Precision { .. }) => {
            let message = "`slab` and `precision` exclude each other";
            return Err(SourceError::new(slab.span(), message)
                .help("all slabs together decide when to stop: give a number of `resamples`"));
        }
        (Some(slab), _) => {
            let slab = whole(slab, "`slab`", 1, 1 << 32)?;
            Some(usize::try_from(slab).unwrap_or(usize::MAX))
        }
        (None, _) => None,
    };
    let keep = match &raw.keep {
        Some(value) => whole(value, "`keep`", 1, bounds.keep)?,
        None => 50.min(bounds.keep),
    };
    Ok(Run {
        length,
        seed,
        keep,
        keep_data: keep,
        keep_fits: keep,
        loss: Loss::Squared,
        diversity: raw
            .diversity
            .as_ref()
            .is_some_and(|diversity| *diversity.get_ref()),
        sources: raw
            .sources
            .as_ref()
            .is_some_and(|sources| *sources.get_ref()),
        slab,
        select: methods(raw)?,
        df: raw.df.as_ref().is_some_and(|df| *df.get_ref()),
    })
}

/// The methods of selection.
fn methods(raw: &RawRun) -> Result<Vec<Method>, SourceError> {
    let Some(select) = &raw.select else {
        return Ok(Vec::new());
    };
    if select.get_ref().is_empty() {
        return Err(SourceError::new(select.span(), "`select` is empty")
            .help("leave it out, or name a method, as in `select = [\"10-fold\"]`"));
    }
    let method = |name: &Spanned<String>| {
        Method::named(name.get_ref()).map_err(|help| {
            let message = format!("unknown method of selection `{}`", name.get_ref());
            SourceError::new(name.span(), message).help(help)
        })
    };
    select.get_ref().iter().map(method).collect()
}

/// The loss, which for labels that are numbers is squared, and for densities squared or log.
pub(super) fn check_loss(raw: &RawRun, problem: &Problem) -> Result<Loss, SourceError> {
    let mut loss = match &raw.loss {
        None => Loss::Squared,
        Some(name) => match name.get_ref().as_str() {
            "squared" => Loss::Squared,
            "cross-entropy" => Loss::CrossEntropy {
                smoothing: SMOOTHING,
            },
            "zero-one" => Loss::ZeroOne(Split::default()),
            "log" => Loss::Log,
            other => {
                let message = format!("unknown loss `{other}`");
                let known = ["squared", "cross-entropy", "zero-one", "log"];
                return Err(SourceError::new(name.span(), message).help(did_you_mean(other, known)));
            }
        },
    };
    if let Some(name) = &raw.loss {
        check_loss_here(name, loss, problem)?;
    }
    if let Some(name) = &raw.split {
        let splits = [Split::Domingos, Split::KohaviWolpert, Split::Effects];
        let found = splits
            .into_iter()
            .find(|split| split.name() == name.get_ref());
        loss = match (found, loss) {
            (Some(split), Loss::ZeroOne(_)) => Loss::ZeroOne(split),
            (Some(_), _) => {
                let message = "`split` needs `loss = \"zero-one\"`";
                return Err(SourceError::new(name.span(), message));
            }
            (None, _) => {
                let message = format!("`{}` is not known here", name.get_ref());
                let known = splits.map(Split::name);
                return Err(SourceError::new(name.span(), message)
                    .help(did_you_mean(name.get_ref(), known)));
            }
        };
    }
    if let Some(given) = &raw.smoothing {
        let Number(smoothing) = *given.get_ref();
        if !matches!(loss, Loss::CrossEntropy { .. }) {
            let message = "`smoothing` needs `loss = \"cross-entropy\"`";
            let error = SourceError::new(given.span(), message);
            return Err(match loss {
                Loss::Log => error.help(
                    "a histogram is smoothed itself, as in `histogram = { smoothing = 0.5 }`",
                ),
                _ => error,
            });
        }
        if !(1e-300..=1.0).contains(&smoothing) {
            let message = "`smoothing` must be above 0 and at most 1";
            return Err(SourceError::new(given.span(), message).help(
                "without it, a class that was given probability 0 would have an infinite loss; 1e-6 makes that loss 14",
            ));
        }
        loss = Loss::CrossEntropy { smoothing };
    }
    if let (Some(sources), Some(diversity)) = (&raw.sources, &raw.diversity)
        && *sources.get_ref()
        && *diversity.get_ref()
    {
        let message = "`diversity` and `sources` exclude each other";
        return Err(SourceError::new(diversity.span(), message).help("run the experiment twice"));
    }
    if let Some(sources) = &raw.sources
        && *sources.get_ref()
        && loss != Loss::Squared
    {
        let message = format!(
            "sources of variance can be separated only under squared loss, not {}",
            loss.name()
        );
        return Err(SourceError::new(sources.span(), message));
    }
    Ok(loss)
}

/// Checks that a loss suits the labels, or that there are none.
fn check_loss_here(
    name: &Spanned<String>,
    loss: Loss,
    problem: &Problem,
) -> Result<(), SourceError> {
    let here = match (problem.density(), problem.classes()) {
        (Some(_), _) => "a density is estimated",
        (None, 0) => "the labels are numbers",
        (None, _) => "the labels are classes",
    };
    let (needs, help) = match loss {
        Loss::Squared => return Ok(()),
        Loss::Log if problem.density().is_some() => return Ok(()),
        Loss::Log => ("a density to be estimated", LOSS_OF_LABELS),
        _ if problem.classes() > 0 => return Ok(()),
        _ if problem.density().is_some() => {
            ("classes", "write `loss = \"squared\"` or `loss = \"log\"`")
        }
        _ => (
            "classes",
            "write `loss = \"squared\"`, or a problem with `classes` in place of `truth` and `noise`",
        ),
    };
    let message = format!("{} loss needs {needs}, but {here}", loss.name());
    Err(SourceError::new(name.span(), message).help(help))
}

/// The test points that an experiment asks for.
pub(super) fn check_test(
    raw: Option<&Spanned<RawTest>>,
    problems: &[Problem],
    seed: u64,
    bounds: &Bounds,
) -> Result<Test, SourceError> {
    let wanted = match raw {
        None => problems.iter().map(TestPoints::default_for).next(),
        Some(test) => {
            let count = |count: &Number| {
                let given = Spanned::new(test.span(), *count);
                let count = whole(&given, "the number of test points", 1, bounds.test)?;
                Ok::<usize, SourceError>(count as usize)
            };
            Some(match test.get_ref() {
                RawTest::Grid(number) => TestPoints::Grid(count(number)?),
                RawTest::Draw(number) => TestPoints::Draw(count(number)?),
                RawTest::Inputs => TestPoints::Inputs,
            })
        }
    };
    let wanted = wanted.unwrap_or(TestPoints::Inputs);
    Test::new(wanted, problems, seed).map_err(|error| {
        let span = raw.map_or(0..0, Spanned::span);
        trouble(span, &error)
    })
}

/// A plan, or what is wrong with it and where that is written.
pub(super) fn check_plan(parts: PlanParts, raw: &RawExperiment) -> Result<Plan, SourceError> {
    Plan::new(parts).map_err(|error| {
        let span = match error.subject() {
            Subject::Problem => raw.problem.as_ref().map(Spanned::span),
            Subject::Test => raw.run.test.as_ref().map(Spanned::span),
            Subject::Keep => raw.run.keep.as_ref().map(Spanned::span),
            Subject::Learners => raw.learner.first().map(Spanned::span),
            Subject::Learner(which) => raw.learner.get(which).map(Spanned::span),
            Subject::Select(which) => raw.run.select.as_ref().map(|select| {
                let one = which.and_then(|which| select.get_ref().get(which));
                one.map_or(select.span(), Spanned::span)
            }),
            Subject::Diversity => raw.run.diversity.as_ref().map(Spanned::span),
            Subject::Degrees => raw.run.df.as_ref().map(Spanned::span),
            _ => None,
        };
        trouble(span.unwrap_or(0..0), &error)
    })
}

fn trouble(span: std::ops::Range<usize>, error: &PlanError) -> SourceError {
    let trouble = SourceError::new(span, error.to_string());
    match error.help() {
        Some(help) => trouble.help(help),
        None => trouble,
    }
}
