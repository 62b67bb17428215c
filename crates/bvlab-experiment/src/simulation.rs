//! From a simulation's name and numbers to its setup.

use std::ops::Range;

use toml::Spanned;

use super::raw::{Block, RawExperiment, RawSweep, Value};
use super::source::SourceError;
use super::sweep::Values;
use bvlab_core::parameter::{DataSize, Parameter};
use bvlab_core::plan::Run;
use bvlab_core::simulation::{SIMULATIONS, Setup, find};
use bvlab_core::words::did_you_mean;

/// Checks a simulation.
pub(super) fn check(
    name: &Spanned<String>,
    raw: &RawExperiment,
    run: &Run,
) -> Result<Setup, SourceError> {
    let names = SIMULATIONS.iter().map(|simulation| simulation.name);
    let Some(simulation) = find(name.get_ref()) else {
        let message = format!("no simulation is called `{}`", name.get_ref());
        return Err(
            SourceError::new(name.span(), message).help(did_you_mean(name.get_ref(), names))
        );
    };
    alone(raw)?;
    let mut setup = Setup {
        resamples: run.most_resamples(),
        seed: run.seed,
        ..Setup::new(simulation)
    };
    let entries = match &raw.with {
        Some(with) => with.get_ref().0.as_slice(),
        None => &[],
    };
    for (key, value) in entries {
        let known = simulation.parameters.iter().map(|parameter| parameter.name);
        let Some(index) = known.clone().position(|known| known == key.get_ref()) else {
            let message = format!("`{}` has no `{}`", simulation.name, key.get_ref());
            let listed = simulation.parameters.iter().map(describe);
            let listed = listed.collect::<Vec<_>>().join("; ");
            return Err(SourceError::new(key.span(), message)
                .label("unknown key")
                .help(format!("{}; {listed}", did_you_mean(key.get_ref(), known))));
        };
        setup.values[index] = values(&simulation.parameters[index], value)?;
    }
    Ok(setup)
}

/// A number with its range and default, in words.
fn describe(rule: &Parameter) -> String {
    format!("`{}`: {}", rule.name, rule.range())
}

/// A simulation has no problem and no learner, and is always of a given length.
fn alone(raw: &RawExperiment) -> Result<(), SourceError> {
    let first = |sweep: &RawSweep| sweep.0.first().map(|(name, _)| name.span());
    let run = &raw.run;
    let places: [(&str, Option<Range<usize>>); 9] = [
        ("problem", raw.problem.as_ref().map(Spanned::span)),
        (
            "sweep",
            raw.sweep.as_ref().map(|sweep| first(sweep).unwrap_or(0..0)),
        ),
        ("learner", raw.learner.first().map(Spanned::span)),
        ("precision", run.precision.as_ref().map(Spanned::span)),
        ("test", run.test.as_ref().map(Spanned::span)),
        ("keep", run.keep.as_ref().map(Spanned::span)),
        ("sources", run.sources.as_ref().map(Spanned::span)),
        ("select", run.select.as_ref().map(Spanned::span)),
        ("df", run.df.as_ref().map(Spanned::span)),
    ];
    for (key, place) in places {
        if let Some(span) = place {
            let message = format!("a simulation has no `{key}`");
            return Err(SourceError::new(span, message).help(
                "an experiment is either a `simulation`, with its numbers in `with`, or a problem with learners",
            ));
        }
    }
    Ok(())
}

/// The value or values of a parameter.
fn values(rule: &Parameter, given: &Spanned<Value>) -> Result<Vec<f64>, SourceError> {
    let placed = match (rule.list, given.get_ref()) {
        (None, Value::Number(value)) => vec![(*value, given.span())],
        (None, other) => {
            return Err(SourceError::new(given.span(), "expected a number")
                .label(format!("this is {}", Value::kind(other)))
                .help(describe(rule)));
        }
        (_, Value::Table(Block(_))) if rule.whole => Values::read(given)?.rounded().values,
        _ => Values::read(given)?.values,
    };
    for (value, span) in &placed {
        let checked = rule.check(*value, DataSize::UNKNOWN);
        checked.map_err(|error| {
            SourceError::new(span.clone(), error.to_string()).help(describe(rule))
        })?;
    }
    let values: Vec<f64> = placed.into_iter().map(|(value, _)| value).collect();
    let checked = rule.check_all(&values, DataSize::UNKNOWN);
    checked.map_err(|error| SourceError::new(given.span(), error.to_string()))?;
    Ok(values)
}
