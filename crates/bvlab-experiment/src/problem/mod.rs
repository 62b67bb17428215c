//! The problem of an experiment: inputs, noise and truth.

mod classes;
mod density;
mod discrete;
mod inputs;
mod noise;
mod table;
mod truth;

pub(crate) use table::check as check_table;

use std::ops::Range;
use std::sync::Arc;

use toml::Spanned;

use crate::bounds::Bounds;
use crate::raw::{Number, RawProblem, Value, whole};
use crate::source::SourceError;
use bvlab_core::data::Points;
use bvlab_core::maths::pow;
use bvlab_core::plan::Test;
use bvlab_core::problem::{ClassLaw, Expression, Inputs, Labels, NotFinite, Problem, grid, side};
use bvlab_core::stream::{Purpose, Stream};
use bvlab_core::words::thousands;

/// The most coordinates of all inputs of a training set.
const MOST_COORDINATES: usize = 100_000_000;

/// The problem as it is given; `train` is 0 where it is left to the sweep. Where the dimension is
/// swept, inputs have the most coordinates that it asks for.
pub(super) fn check_problem(
    raw: &Spanned<RawProblem>,
    swept_dimension: Option<usize>,
    seed: u64,
    bounds: &Bounds,
) -> Result<Problem, SourceError> {
    let span = raw.span();
    let raw = raw.get_ref();
    let [target, missing_values, resample] =
        [&raw.target, &raw.missing, &raw.resample].map(|key| key.as_ref().map(Spanned::span));
    for (name, span) in [
        ("target", target),
        ("columns", raw.columns.as_ref().map(Spanned::span)),
        ("missing", missing_values),
        ("test", raw.test.as_ref().map(Spanned::span)),
        ("resample", resample),
    ] {
        if let Some(span) = span {
            let message = format!("`{name}` needs `table`");
            return Err(SourceError::new(span, message).help(match name {
                "test" => "where the truth is known, set the test points under `[run]`: `test = { grid = 200 }`",
                _ => "as in `table = \"measurements.csv\"`, in place of `truth`, `inputs` and `noise`",
            }));
        }
    }
    if let Some(density) = &raw.density {
        return check_density(density, raw, bounds);
    }
    let given = match &raw.inputs {
        Some(inputs) => Some(inputs::check(inputs, swept_dimension, bounds)?),
        None => None,
    };
    let (labels, (inputs, dimension, fixed)) = match &raw.classes {
        Some(classes) => {
            let beside = raw.truth.as_ref().map(|truth| ("truth", truth.span()));
            let noise = raw.noise.as_ref().map(|noise| ("noise", noise.span()));
            if let Some((name, span)) = beside.or(noise) {
                let message = format!("`{name}` and `classes` exclude each other");
                return Err(SourceError::new(span, message).help(
                    "labels are numbers, with `truth` and `noise`, or `classes`, whose noise is in their probabilities",
                ));
            }
            let dimension = given.as_ref().map(|(_, dimension, _)| *dimension);
            let classes = classes::check(classes, dimension, bounds)?;
            let inputs = match (&classes.law, given) {
                (ClassLaw::Mixture(mixture), _) => {
                    let dimension = mixture.dimension();
                    (Inputs::Mixture(mixture.clone()), dimension, false)
                }
                (_, Some(given)) => given,
                (_, None) => return Err(missing("inputs", "{ uniform = [0, 15] }", span)),
            };
            (Labels::Classes(classes), inputs)
        }
        None => {
            let truth = raw.truth.as_ref();
            let truth = truth.ok_or_else(|| missing("truth", "\"sin(x)\"", span.clone()))?;
            let inputs =
                given.ok_or_else(|| missing("inputs", "{ uniform = [0, 15] }", span.clone()))?;
            let noise = raw.noise.as_ref();
            let noise = noise.ok_or_else(|| missing("noise", "{ normal = 0.5 }", span))?;
            let labels = Labels::Numbers {
                truth: truth::check(truth, inputs.1, seed)?,
                noise: noise::check(noise, inputs.1)?,
            };
            (labels, inputs)
        }
    };
    let train = match &raw.train {
        Some(train) => check_train(train, &inputs, dimension, bounds)?,
        None => 0,
    };
    Ok(Problem {
        labels,
        inputs,
        fixed,
        dimension,
        train,
    })
}

/// A density to be estimated, which has no labels.
fn check_density(
    density: &Spanned<Value>,
    raw: &RawProblem,
    bounds: &Bounds,
) -> Result<Problem, SourceError> {
    for (name, other) in [
        ("truth", &raw.truth),
        ("inputs", &raw.inputs),
        ("noise", &raw.noise),
        ("classes", &raw.classes),
    ] {
        if let Some(other) = other {
            let message = format!("`{name}` and `density` exclude each other");
            return Err(SourceError::new(other.span(), message)
                .help("training sets are values of the density, without labels"));
        }
    }
    let density = Arc::new(density::check(density)?);
    let inputs = Inputs::Density(density.clone());
    let train = match &raw.train {
        Some(train) => check_train(train, &inputs, 1, bounds)?,
        None => 0,
    };
    Ok(Problem {
        labels: Labels::Density(density),
        inputs,
        fixed: false,
        dimension: 1,
        train,
    })
}

fn missing(name: &str, form: &str, span: Range<usize>) -> SourceError {
    SourceError::new(span, format!("`{name}` is missing")).help(format!("as in `{name} = {form}`"))
}

/// A number of training points, given or swept.
pub(super) fn check_train(
    raw: &Spanned<Number>,
    inputs: &Inputs,
    dimension: usize,
    bounds: &Bounds,
) -> Result<usize, SourceError> {
    let train = whole(raw, "`train`", 1, bounds.train)? as usize;
    if train * dimension > MOST_COORDINATES {
        let message =
            format!("{train} points in {dimension} dimensions are more than memory can hold");
        return Err(SourceError::new(raw.span(), message));
    }
    if inputs.is_design() && side(train, dimension).is_none() {
        let root = pow(train as f64, 1.0 / dimension as f64).floor() as usize;
        let power = |side: usize| match side.checked_pow(dimension as u32) {
            Some(power) => thousands(power as u64),
            None => "more than can be counted".to_owned(),
        };
        let message = format!("a grid in {dimension} dimensions cannot have {train} points");
        return Err(SourceError::new(raw.span(), message).help(format!(
            "the nearest possible numbers are {} and {}",
            power(root.max(1)),
            power(root + 1)
        )));
    }
    Ok(train)
}

pub(super) fn expression(
    span: &Range<usize>,
    text: &str,
    dimension: usize,
) -> Result<Expression, SourceError> {
    Expression::parse(text, dimension).map_err(|error| {
        // The expression stands between quotes, or bare behind `--set`, unless something in it is
        // escaped; then all of it is shown.
        let start = match span.len().checked_sub(text.len()) {
            Some(2) => Some(span.start + 1),
            Some(0) => Some(span.start),
            _ => None,
        };
        let span = match start.filter(|_| !error.span.is_empty()) {
            Some(start) => start + error.span.start..start + error.span.end,
            None => span.clone(),
        };
        let trouble = SourceError::new(span, error.message);
        match error.help {
            Some(help) => trouble.help(help),
            None => trouble,
        }
    })
}

/// Truth and noise must be finite wherever an input can fall. That cannot be decided for every
/// expression, so it is tried: at the test points, at the first inputs to be drawn, and on a grid.
pub(super) fn check_finite(
    raw: &Spanned<RawProblem>,
    problem: &Problem,
    test: &Test,
    seed: u64,
) -> Result<(), SourceError> {
    let blame = |error: NotFinite| {
        let whole = raw.span();
        let raw = raw.get_ref();
        if let Some(classes) = &raw.classes {
            return SourceError::new(classes.span(), error.to_string()).help(
                "wherever an input can fall, a probability must be from 0 to 1, and weights not negative, finite and not all 0",
            );
        }
        let sd = raw.noise.as_ref().map(noise::sd_span);
        let span = match error.what {
            "the truth" => raw.truth.as_ref().map(Spanned::span),
            _ => sd,
        };
        SourceError::new(span.unwrap_or(whole), error.to_string())
            .help("it must be finite (and an sd not negative) wherever an input can fall")
    };
    let mut tried = Points::default();
    if !problem.inputs.is_design() {
        let mut stream = Stream::new(seed, Purpose::Inputs, 0);
        let (count, dimension) = (1000, problem.dimension);
        problem
            .inputs
            .draw(count, dimension, &mut stream, &mut tried);
    } else {
        problem.inputs.draw(
            problem.train,
            problem.dimension,
            &mut Stream::new(0, Purpose::Inputs, 0),
            &mut tried,
        );
    }
    let (from, to) = problem.inputs.range();
    let fine = match problem.dimension {
        1 => grid(from, to, 1000, 1),
        _ => Points::new(problem.dimension, Vec::new()),
    };
    let mut truth = vec![0.0; problem.outputs()];
    for x in test.points.rows().chain(tried.rows()).chain(fine.rows()) {
        problem.truth_at(x, &mut truth).map_err(blame)?;
        problem.sd_at(x).map_err(blame)?;
    }
    Ok(())
}
