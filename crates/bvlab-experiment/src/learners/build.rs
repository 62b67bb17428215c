//! Learners from their specifications.

use std::collections::HashMap;

use super::axes::ParameterPlace;
use super::spec::Spec;
use crate::source::SourceError;
use bvlab_core::learner::Learner;
use bvlab_core::parameter::{DataSize, Parameter, UnsuitableData};
use bvlab_core::problem::Problem;
use bvlab_core::words::number;

/// The most training points that all members of an ensemble may hold together.
const MOST_HELD: f64 = 50_000_000.0;

/// Whether an ensemble divides the data among its members.
fn splits(spec: &Spec) -> bool {
    let mut choices = spec.family.choices.iter().zip(&spec.choices);
    choices.any(|(choice, chosen)| choice.options[*chosen] == "split")
}

/// Ensembles keep a copy of every member; nested ones multiply.
pub fn check_members(
    spec: &Spec,
    places: &[ParameterPlace],
    values: &[Vec<f64>],
    problem: &Problem,
) -> Result<(), SourceError> {
    let mut held = problem.train as f64;
    for (level, spec) in spec.levels().enumerate() {
        let parameters = spec.family.parameters;
        let counted = |parameter: &Parameter| ["members", "trees"].contains(&parameter.name);
        if let Some(index) = parameters.iter().position(counted) {
            let swept = places
                .iter()
                .position(|place| *place == ParameterPlace { level, index });
            let members = match (swept, spec.given[index].or(parameters[index].default)) {
                (Some(axis), _) => values.iter().map(|values| values[axis]).fold(1.0, f64::max),
                (None, Some(members)) => members,
                (None, None) => 1.0,
            };
            if level == 0 && splits(spec) && members > problem.train as f64 {
                let message = format!(
                    "{} training points cannot be divided among {} members",
                    problem.train,
                    number(members)
                );
                return Err(SourceError::new(spec.span.clone(), message).help(
                    "every member needs at least one: use fewer members, or `sample = \"bootstrap\"`",
                ));
            }
            held *= members;
        }
    }
    if held > MOST_HELD {
        let message = "this many members do not fit in memory";
        return Err(SourceError::new(spec.span.clone(), message).help(format!(
            "members × training points can be at most {}",
            number(MOST_HELD)
        )));
    }
    Ok(())
}

/// Makes the learner whose setting c has the swept numbers at `values[c]`.
pub fn build(
    spec: &Spec,
    level: usize,
    places: &[ParameterPlace],
    values: &[Vec<f64>],
    problem: &Problem,
) -> Result<Box<dyn Learner>, SourceError> {
    let parameters = spec.family.parameters;
    let size = DataSize {
        train: problem.train,
        dimension: problem.dimension,
    };
    let unsuitable =
        |why: UnsuitableData| SourceError::new(spec.span.clone(), why.message).help(why.help);
    (spec.family.suits)(size, problem.classes()).map_err(unsuitable)?;
    if spec.family.one_dimensional && problem.dimension > 1 {
        let message = format!("`{}` needs one-dimensional inputs", spec.family.name);
        let label = format!("the inputs have {} dimensions", problem.dimension);
        return Err(SourceError::new(spec.span.clone(), message).label(label));
    }
    let mut settings = Vec::with_capacity(values.len());
    for values in values {
        let mut setting = Vec::with_capacity(parameters.len());
        for (index, rule) in parameters.iter().enumerate() {
            let swept = places
                .iter()
                .position(|place| *place == ParameterPlace { level, index });
            match (swept, spec.given[index].or(rule.default)) {
                (Some(axis), _) => setting.push(values[axis]),
                (None, Some(given)) => setting.push(given),
                (None, None) => {
                    let message = format!("`{}` needs `{}`", spec.family.name, rule.name);
                    return Err(SourceError::new(spec.span.clone(), message)
                        .help(format!("give it ({}), or sweep over it", rule.meaning)));
                }
            }
        }
        settings.push(setting);
    }
    let base = spec.base.as_ref();
    let base = base.map(|base| build_base(base, level, places, values, problem));
    let mut blueprint = spec.family.blueprint(settings);
    blueprint.range = problem.inputs.range();
    blueprint.classes = problem.classes();
    for (choice, chosen) in spec.family.choices.iter().zip(&spec.choices) {
        let with = blueprint.with(choice.name, choice.options[*chosen]);
        blueprint = with.expect("options are looked up in their choice");
    }
    if let Some((base, wants)) = base.transpose()? {
        blueprint = blueprint.base(base, wants);
    }
    (spec.family.allows)(&blueprint, size).map_err(unsuitable)?;
    Ok((spec.family.build)(blueprint))
}

/// Makes the base of a learner at a level, and says which of its settings each setting takes.
fn build_base(
    base: &Spec,
    level: usize,
    places: &[ParameterPlace],
    values: &[Vec<f64>],
    problem: &Problem,
) -> Result<(Box<dyn Learner>, Vec<usize>), SourceError> {
    // Settings that do not differ in the base share one of the base's.
    let deeper = |axis: &usize| places[*axis].level > level;
    let axes: Vec<usize> = (0..places.len()).filter(deeper).collect();
    let mut distinct: Vec<Vec<f64>> = Vec::new();
    let mut known: HashMap<Vec<u64>, usize> = HashMap::new();
    let mut wants = Vec::with_capacity(values.len());
    for values in values {
        let inner: Vec<f64> = axes.iter().map(|&axis| values[axis]).collect();
        let key = inner.iter().map(|value| value.to_bits()).collect();
        let next = distinct.len();
        let which = *known.entry(key).or_insert(next);
        if which == next {
            distinct.push(inner);
        }
        wants.push(which);
    }
    let places: Vec<ParameterPlace> = axes.iter().map(|&axis| places[axis]).collect();
    let base = build(base, level + 1, &places, &distinct, problem)?;
    Ok((base, wants))
}
