//! What is swept: parameters of the learner or of its bases, or the size of the data.

use toml::Spanned;

use super::spec::{Spec, check_value};
use crate::bounds::Bounds;
use crate::problem::check_train;
use crate::raw::{Block, Number, RawSweep, Value, whole};
use crate::source::SourceError;
use crate::sweep::Values;
use bvlab_core::learner::DATA_AXES;
use bvlab_core::plan::SweepAxis;
use bvlab_core::problem::{ClassLaw, Expression, Inputs, Labels, Problem, Resample, Truth};
use bvlab_core::words::{did_you_mean, number};

/// What an axis of a sweep changes.
#[derive(Clone, Copy, PartialEq)]
pub enum Target {
    /// A parameter of the learner.
    Parameter(ParameterPlace),
    /// The number of training points.
    Train,
    /// The noise's standard deviation.
    Noise,
    /// The number of coordinates of an input.
    Dimension,
}

/// A parameter of the learner: at which level of bases it is, and which of the family's.
#[derive(Clone, Copy, PartialEq)]
pub struct ParameterPlace {
    pub level: usize,
    pub index: usize,
}

/// A learner that is asked for its axes.
pub struct AxisRequest<'a> {
    pub spec: &'a Spec,
    pub raw: &'a Spanned<Block>,
    pub reference: bool,
    /// Whether the sweep is that of all learners.
    pub shared: bool,
    pub problem: &'a Problem,
    pub bounds: &'a Bounds,
}

impl AxisRequest<'_> {
    /// The axes that the learner has; a reference may lack some or all.
    pub fn axes(
        &self,
        RawSweep(entries): &RawSweep,
    ) -> Result<Vec<(SweepAxis, Target)>, SourceError> {
        let few = "a sweep is over one parameter, or over two";
        if let Some((name, _)) = entries.get(2) {
            return Err(SourceError::new(name.span(), few));
        }
        if entries.is_empty() {
            return Err(SourceError::new(self.raw.span(), few).help("as in `depth = \"1..16\"`"));
        }
        let mut axes: Vec<(SweepAxis, Target)> = Vec::new();
        for (name, values) in entries {
            let Some(axis) = self.axis(name, values)? else {
                continue;
            };
            if axes.iter().any(|(_, target)| *target == axis.1) {
                let message = format!("`{}` is swept twice", axis.0.name);
                return Err(SourceError::new(name.span(), message));
            }
            axes.push(axis);
        }
        if self.reference && axes.len() == entries.len() {
            let names = axes.iter().map(|(axis, _)| format!("`{}`", axis.name));
            let names = names.collect::<Vec<_>>().join(" and ");
            let message = format!(
                "`{}` has the swept parameter {names}",
                self.spec.family.name
            );
            return Err(SourceError::new(self.spec.span.clone(), message)
                .help("leave out `reference = true`, or sweep another parameter"));
        }
        Ok(axes)
    }

    /// One axis, or `None` for a reference that does not have the swept parameter.
    fn axis(
        &self,
        name: &Spanned<String>,
        values: &Spanned<Value>,
    ) -> Result<Option<(SweepAxis, Target)>, SourceError> {
        let axis = |name: &str, symbol: Option<&str>, about: &str, values: Values| SweepAxis {
            name: name.to_owned(),
            symbol: symbol.unwrap_or_default().to_owned(),
            about: about.to_owned(),
            scale: values.scale(),
            values: values.values.into_iter().map(|(value, _)| value).collect(),
        };
        match name.get_ref().as_str() {
            "train" => {
                let values = train_values(values, self.problem, self.bounds)?;
                let axis = axis("train", Some("n"), "points in a training set", values);
                return Ok(Some((axis, Target::Train)));
            }
            "noise" => {
                let values = noise_values(values, self.problem)?;
                let axis = axis(
                    "noise",
                    Some("σ"),
                    "standard deviation of the noise",
                    values,
                );
                return Ok(Some((axis, Target::Noise)));
            }
            "dimension" => {
                let values = dimension_values(values, self.problem, self.bounds)?;
                let axis = axis("dimension", Some("d"), "coordinates of an input", values);
                return Ok(Some((axis, Target::Dimension)));
            }
            _ => {}
        }
        let (path, values) = inner_path(name, values);
        let path = path.as_str();
        let inner = path.trim_start_matches("base.");
        let skipped = (path.len() - inner.len()) / "base.".len();
        let levels = self.spec.levels().enumerate().skip(skipped);
        let mut found = levels.filter_map(|(level, spec)| {
            let parameters = spec.family.parameters;
            let index = parameters.iter().position(|one| one.name == inner)?;
            Some((ParameterPlace { level, index }, &parameters[index], spec))
        });
        let found = found.next();
        let Some((place, rule, level)) = found else {
            if self.reference && self.shared {
                return Ok(None);
            }
            return Err(no_such_parameter(name, self.spec, self.shared, self.raw));
        };
        if level.given[place.index].is_some() {
            let message = format!("`{inner}` is both given and swept");
            return Err(SourceError::new(level.span.clone(), message)
                .help("leave it out here, or take it out of the sweep"));
        }
        let is_spread = matches!(values.get_ref(), Value::Table(_));
        let mut values = Values::read(values)?;
        if rule.whole && is_spread {
            values = values.rounded();
        }
        for (value, span) in &values.values {
            check_value(rule, *value, span, self.problem)?;
        }
        let axis = axis(path, rule.symbol, rule.meaning, values);
        Ok(Some((axis, Target::Parameter(place))))
    }
}

/// The values of a sweep over the number of training points.
pub fn train_values(
    raw: &Spanned<Value>,
    problem: &Problem,
    bounds: &Bounds,
) -> Result<Values, SourceError> {
    if problem
        .rows()
        .is_some_and(|rows| rows.resample == Resample::Halves)
    {
        let message = "halves of a table all have the same size";
        return Err(SourceError::new(raw.span(), message)
            .help("`resample = \"bootstrap\"` allows training sets of any size"));
    }
    let mut values = Values::read(raw)?;
    if matches!(raw.get_ref(), Value::Table(_)) {
        values = values.rounded();
    }
    for (value, span) in &values.values {
        let value = Spanned::new(span.clone(), Number(*value));
        check_train(&value, &problem.inputs, problem.dimension, bounds)?;
    }
    Ok(values)
}

/// The values of a sweep over the noise's sd, which must not depend on x then.
fn noise_values(raw: &Spanned<Value>, problem: &Problem) -> Result<Values, SourceError> {
    let values = Values::read(raw)?;
    if problem.rows().is_some() {
        let message = "the noise of a table is unknown, and cannot be swept";
        return Err(SourceError::new(raw.span(), message));
    }
    if problem.density().is_some() {
        let message = "values of a density have no noise to sweep";
        return Err(SourceError::new(raw.span(), message));
    }
    let Some(noise) = problem.noise() else {
        let message = "the labels are classes, whose noise has no sd";
        return Err(SourceError::new(raw.span(), message)
            .help("the noise of classes is set by their probabilities and by `flip`"));
    };
    if !noise.sd.is_constant() {
        let message = "a noise that varies with x cannot be swept";
        return Err(SourceError::new(raw.span(), message)
            .help("the swept values are its sd: write a number in `noise`, as in { normal = 1 }"));
    }
    for (value, span) in &values.values {
        if *value < 0.0 {
            let message = format!("the noise's sd must be at least 0, not {}", number(*value));
            return Err(SourceError::new(span.clone(), message));
        }
    }
    Ok(values)
}

/// The whole numbers of a sweep over the dimension.
pub fn dimensions(raw: &Spanned<Value>, bounds: &Bounds) -> Result<Values, SourceError> {
    let mut values = Values::read(raw)?;
    if matches!(raw.get_ref(), Value::Table(_)) {
        values = values.rounded();
    }
    for (value, span) in &values.values {
        let value = Spanned::new(span.clone(), Number(*value));
        whole(&value, "`dimension`", 1, bounds.dimension)?;
    }
    Ok(values)
}

/// The values of a sweep over the dimension. The learner sees the first coordinates of inputs that
/// have the most of them, so coordinates must be independent, and the labels depend on the first
/// ones only.
fn dimension_values(
    raw: &Spanned<Value>,
    problem: &Problem,
    bounds: &Bounds,
) -> Result<Values, SourceError> {
    let refuse = |message: &str, help: &str| Err(SourceError::new(raw.span(), message).help(help));
    match &problem.inputs {
        Inputs::Law(_) if !problem.inputs.is_design() => {}
        Inputs::Law(_) => {
            return refuse(
                "the dimension of a grid cannot be swept",
                "use `uniform` inputs: their coordinates are drawn one by one",
            );
        }
        Inputs::Mixture(_) => {
            return refuse(
                "the classes fix the dimension, which cannot be swept",
                "give the classes by `probability`, an expression in x1, with `uniform` inputs",
            );
        }
        Inputs::Density(_) => {
            return refuse(
                "a density has one dimension, which cannot be swept",
                "sweep over `train`, or over a parameter of the learner",
            );
        }
        Inputs::Rows(_) => {
            return refuse(
                "the columns of a table fix the dimension, which cannot be swept",
                "`columns` chooses among them",
            );
        }
    }
    let needed = match &problem.labels {
        Labels::Numbers {
            truth: Truth::Expression(truth),
            noise,
        } => truth.dimension().max(noise.sd.dimension()),
        Labels::Classes(classes) => match &classes.law {
            ClassLaw::Probability(one) => one.dimension(),
            ClassLaw::Weights(all) => all.iter().map(Expression::dimension).max().unwrap_or(0),
            ClassLaw::Mixture(_) => 0,
        },
        Labels::Numbers { .. } | Labels::Rows(_) | Labels::Density(_) => {
            return refuse(
                "the truth changes with the dimension, which cannot be swept",
                "write it as an expression in the first coordinates, as in `\"sin(x1)\"`",
            );
        }
    };
    let values = dimensions(raw, bounds)?;
    match values.values.first() {
        Some((least, span)) if *least < needed as f64 => {
            let message =
                format!("the labels depend on x{needed}: the dimension cannot be {least}");
            Err(SourceError::new(span.clone(), message)
                .help(format!("sweep over values of at least {needed}")))
        }
        _ => Ok(values),
    }
}

/// `base.base.depth = …` is a table in a table to TOML; here it is a path.
fn inner_path<'a>(
    name: &Spanned<String>,
    mut values: &'a Spanned<Value>,
) -> (String, &'a Spanned<Value>) {
    let mut path = name.get_ref().clone();
    while path.split('.').next_back() == Some("base")
        && let Value::Table(Block(entries)) = values.get_ref()
        && let [(inner, inner_values)] = entries.as_slice()
    {
        path = format!("{path}.{}", inner.get_ref());
        values = inner_values;
    }
    (path, values)
}

fn no_such_parameter(
    name: &Spanned<String>,
    spec: &Spec,
    shared: bool,
    raw: &Spanned<Block>,
) -> SourceError {
    let parameters = spec.levels().flat_map(|spec| spec.family.parameters);
    let known: Vec<&str> = parameters.map(|one| one.name).chain(DATA_AXES).collect();
    let message = format!(
        "`{}` has no parameter `{}` to sweep",
        spec.family.name,
        name.get_ref()
    );
    let near = did_you_mean(name.get_ref(), known);
    // A misspelt name is best shown in the sweep, a learner that does not fit at the learner.
    if !shared || near.starts_with("did") {
        return SourceError::new(name.span(), message).help(near);
    }
    let help = format!(
        "{near} there; or give this learner a `sweep` of its own, or `reference = true` to draw it as a flat line"
    );
    let span = match raw.get_ref().0.is_empty() {
        true => raw.span(),
        false => spec.span.clone(),
    };
    SourceError::new(span, message).help(help)
}
