//! The JSON schema of figures, from the kinds and their options.

use serde_json::{Map, Value, json};

use super::choice::ChoiceWord;
use super::group::{GROUPS, MOST_PARTS};
use super::option::{FigureOption, OptionForm};
use super::shared::MOST;
use super::{COMMON, FIGURE_KINDS, LOOK};
use crate::raw::parameter_schema;

/// Adds what the schema of an experiment refers to as `Figure` and `Look`.
pub(crate) fn add_definitions(schema: &mut Value) {
    let definitions = schema.as_object_mut().map(|schema| {
        let definitions = schema.entry("$defs");
        definitions.or_insert_with(|| Value::Object(Map::new()))
    });
    if let Some(Value::Object(definitions)) = definitions {
        definitions.insert("Figure".to_owned(), figure());
        let look = table(
            "The look of all figures, unless a figure sets its own.",
            LOOK,
        );
        definitions.insert("Look".to_owned(), look);
    }
}

fn figure() -> Value {
    let mut schema = table(
        "A figure: exactly one of the kinds, and what all kinds have.",
        COMMON,
    );
    let mut one_of = Vec::new();
    let mut add = |name: &str, rule: Value| {
        schema["properties"][name] = rule;
        one_of.push(json!({ "required": [name] }));
    };
    for kind in FIGURE_KINDS {
        add(
            kind.name,
            table(&format!("{}.", kind.meaning), kind.options),
        );
    }
    for (name, meaning, _) in GROUPS {
        add(
            name,
            json!({
                "type": "array", "minItems": 1, "maxItems": MOST_PARTS,
                "description": format!("{meaning}."),
                "items": { "$ref": "#/$defs/Figure" },
            }),
        );
    }
    schema["oneOf"] = one_of.into();
    schema
}

/// A table of options.
fn table(about: &str, options: &[FigureOption]) -> Value {
    let properties = options.iter().map(|option| {
        let mut schema = form(&option.form);
        let default = option.default_words();
        let default = default.map_or(String::new(), |words| format!(" (default: {words})"));
        schema["description"] = format!("{}{default}.", option.meaning).into();
        (option.name.to_owned(), schema)
    });
    let required = options.iter().filter(|option| option.required);
    let required: Vec<&str> = required.map(|option| option.name).collect();
    json!({
        "type": "object", "description": about, "required": required,
        "additionalProperties": false, "properties": properties.collect::<Map<_, _>>(),
    })
}

fn form(form: &OptionForm) -> Value {
    let list =
        |items: Value| json!({ "type": "array", "items": items, "minItems": 1, "maxItems": MOST });
    match form {
        OptionForm::Flag(default) => json!({ "type": "boolean", "default": default }),
        OptionForm::Number(parameter) => parameter_schema(parameter),
        OptionForm::Choice(words) => one_of(words),
        OptionForm::Choices(words) => list(one_of(words)),
        OptionForm::Text => json!({ "type": "string" }),
        OptionForm::Names => list(json!({ "type": "string" })),
        OptionForm::Value => json!({ "type": "number" }),
        OptionForm::Values => list(json!({ "type": "number" })),
        OptionForm::Pair => json!({
            "type": "array", "items": { "type": "number" }, "minItems": 2, "maxItems": 2,
        }),
        OptionForm::Labels => json!({
            "type": "object", "additionalProperties": { "type": "string" },
        }),
        OptionForm::Tables(options) => {
            json!({ "type": "array", "items": table("One of them.", options) })
        }
    }
}

fn one_of(words: &[ChoiceWord]) -> Value {
    let word = |word: &ChoiceWord| json!({ "const": word.name, "description": word.meaning });
    json!({ "type": "string", "oneOf": words.iter().map(word).collect::<Vec<_>>() })
}
