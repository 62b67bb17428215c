//! The JSON schema of an experiment: that of the raw types, and what registries add to it.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use super::{RawExperiment, RawSweep};
use bvlab_core::learner::{Choice, Family, Registry};
use bvlab_core::parameter::{Most, Parameter};
use bvlab_core::simulation::SIMULATIONS;

/// A learner's table, without the model families.
pub(super) struct LearnerForm;

impl JsonSchema for LearnerForm {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Learner".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let sweep = generator.subschema_for::<RawSweep>();
        json_schema!({
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "name": { "type": "string", "description": "What it is called in tables and figures." },
                "colour": { "type": "string", "pattern": "^#[0-9a-fA-F]{6}$", "description": "Its colour where several learners share a panel." },
                "reference": { "type": "boolean", "description": "A flat line: this learner does not have the swept parameter." },
                "sweep": sweep
            }
        })
    }
}

/// The JSON schema of an experiment file with these model families.
pub fn schema(registry: &Registry) -> Value {
    let mut schema = schemars::schema_for!(RawExperiment).to_value();
    schema["oneOf"] = forms().into();
    let mut base = json!({
        "type": "object", "additionalProperties": false, "properties": {},
        "description": "The learner that an ensemble is made of."
    });
    add_families(&mut base, registry);
    schema["$defs"]["Base"] = base;
    add_families(&mut schema["$defs"]["Learner"], registry);
    schema
}

/// The forms of an experiment: a problem, or one of the simulations with its parameters.
fn forms() -> Vec<Value> {
    let mut forms = vec![json!({ "required": ["problem"] })];
    for simulation in SIMULATIONS {
        let parameters = simulation.parameters.iter();
        let properties: Map<String, Value> = parameters
            .map(|parameter| (parameter.name.to_owned(), parameter_schema(parameter)))
            .collect();
        forms.push(json!({
            "required": ["simulation"],
            "properties": {
                "simulation": { "const": simulation.name },
                "with": {
                    "type": "object", "description": simulation.meaning,
                    "additionalProperties": false, "properties": properties,
                },
            },
        }));
    }
    forms
}

/// Adds one property per model family, and that exactly one of them is there.
fn add_families(schema: &mut Value, registry: &Registry) {
    let required = registry.names().map(|name| json!({ "required": [name] }));
    schema["oneOf"] = required.collect::<Vec<_>>().into();
    for family in registry.families() {
        schema["properties"][family.name] = family_schema(family);
    }
}

fn family_schema(family: &Family) -> Value {
    let mut properties = Map::new();
    for parameter in family.parameters {
        properties.insert(parameter.name.to_owned(), parameter_schema(parameter));
    }
    for choice in family.choices {
        properties.insert(choice.name.to_owned(), choice_schema(choice));
    }
    if family.has_base {
        properties.insert("base".to_owned(), json!({ "$ref": "#/$defs/Base" }));
    }
    let required: &[&str] = if family.has_base { &["base"] } else { &[] };
    json!({
        "type": "object", "description": family.meaning, "required": required,
        "additionalProperties": false, "properties": properties,
    })
}

/// A parameter as an editor checks it: a number, or a list and the other ways to write one.
pub fn parameter_schema(parameter: &Parameter) -> Value {
    let mut one = json!({ "type": if parameter.whole { "integer" } else { "number" } });
    let least = match parameter.exclusive {
        true => "exclusiveMinimum",
        false => "minimum",
    };
    if parameter.least.is_finite() {
        one[least] = parameter.least.into();
    }
    if let Most::Value(most) = parameter.most
        && most < f64::MAX
    {
        one["maximum"] = most.into();
    }
    let mut schema = match parameter.list {
        None => one,
        Some(list) => json!({
            "anyOf": [
                { "type": "array", "items": one, "minItems": 1, "maxItems": list.longest },
                { "type": ["number", "string", "object"] }
            ],
            "default": list.default,
        }),
    };
    if let Some(default) = parameter.default.filter(|value| value.is_finite()) {
        schema["default"] = default.into();
    }
    schema["description"] = parameter.meaning.into();
    schema
}

fn choice_schema(choice: &Choice) -> Value {
    match choice.is_flag() {
        true => json!({ "type": "boolean", "description": choice.meaning, "default": true }),
        false => json!({
            "enum": choice.options, "description": choice.meaning, "default": choice.options[0],
        }),
    }
}
