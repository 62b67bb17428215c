//! What a page has to know of learners, noise, inputs and simulations to offer controls: names, meanings,
//! ranges.

use serde_json::{Value, json};

use super::numbers::number;
use bvlab_core::learner::{Family, Registry};
use bvlab_core::parameter::{Most, Parameter};
use bvlab_core::problem::{INPUT_LAWS, NOISE_LAWS};
use bvlab_core::simulation::SIMULATIONS;

/// The model families for labels that are numbers or classes, which the page has controls for.
pub fn families(registry: &Registry) -> Vec<Value> {
    let families = registry.families().iter();
    let labelled = families.filter(|family| {
        [false, true]
            .iter()
            .any(|classes| family.labels.includes(*classes))
    });
    labelled.map(family).collect()
}

fn family(family: &Family) -> Value {
    let choices = family.choices.iter().map(|choice| {
        json!({
            "name": choice.name,
            "meaning": choice.meaning,
            "options": choice.options,
            "classesOnly": choice.classes_only,
        })
    });
    let first = family.parameters.first().map(|parameter| parameter.name);
    json!({
        "name": family.name,
        "meaning": family.meaning,
        "numbers": family.labels.includes(false),
        "classes": family.labels.includes(true),
        "oneDimensional": family.one_dimensional,
        "base": family.has_base,
        "capacity": family.capacity.or(first),
        "parameters": parameters(family.parameters),
        "choices": choices.collect::<Vec<_>>(),
    })
}

/// The laws of the noise.
pub fn noise() -> Vec<Value> {
    let laws = NOISE_LAWS.iter().map(|law| {
        json!({
            "name": law.name,
            "title": law.title,
            "meaning": law.meaning,
            "parameters": parameters(law.parameters),
        })
    });
    laws.collect()
}

/// The laws of the inputs.
pub fn inputs() -> Vec<Value> {
    let laws = INPUT_LAWS.iter().map(|law| {
        json!({
            "name": law.name,
            "title": law.title,
            "meaning": law.meaning,
            "fixed": law.is_design(),
            "parameters": parameters(law.parameters),
        })
    });
    laws.collect()
}

/// The simulations.
pub fn simulations() -> Vec<Value> {
    let simulations = SIMULATIONS.iter().map(|simulation| {
        json!({
            "name": simulation.name,
            "meaning": simulation.meaning,
            "resamples": simulation.resamples,
            "parameters": parameters(simulation.parameters),
        })
    });
    simulations.collect()
}

fn parameters(parameters: &[Parameter]) -> Vec<Value> {
    parameters.iter().map(parameter).collect()
}

fn parameter(parameter: &Parameter) -> Value {
    let (most, by) = match parameter.most {
        Most::Value(most) => (Some(most).filter(|most| *most < f64::MAX), None),
        Most::Train => (None, Some("train")),
        Most::Dimension => (None, Some("dimension")),
        Most::BelowTrain(most) => (Some(most), Some("below-train")),
    };
    json!({
        "name": parameter.name,
        "symbol": parameter.symbol,
        "meaning": parameter.meaning,
        "unit": parameter.unit,
        "least": Some(parameter.least).filter(|least| least.is_finite()),
        "exclusive": parameter.exclusive,
        "most": most,
        "mostBy": by,
        "whole": parameter.whole,
        "default": parameter.default.map(number),
        "usual": parameter.usual.map(|(from, to)| [from, to]),
        "list": parameter.list.map(|list| json!({ "longest": list.longest, "default": list.default })),
    })
}
