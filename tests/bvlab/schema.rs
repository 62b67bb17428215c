//! The JSON schema says yes to good experiments and no to bad ones.
//!
//! The validator below knows just the keywords that the schema uses, and fails on any other. (A
//! ready-made one would have polars compiled twice, for features of a crate that both use.)

use bvlab::experiment::shipped;
use bvlab::experiment::{self, Experiment, Source};
use bvlab::learner::Registry;
use serde_json::Value;

/// Whether a value satisfies a schema.
fn valid(value: &Value, schema: &Value, root: &Value) -> bool {
    let Value::Object(rules) = schema else {
        return schema != &Value::Bool(false);
    };
    rules.iter().all(|(keyword, rule)| match keyword.as_str() {
        "$schema" | "title" | "description" | "$defs" | "default" | "format" => true,
        "$ref" => {
            let path = rule.as_str().unwrap().strip_prefix('#').unwrap();
            valid(value, root.pointer(path).unwrap(), root)
        }
        "type" => match rule {
            Value::Array(types) => types.iter().any(|rule| is(value, rule.as_str().unwrap())),
            rule => is(value, rule.as_str().unwrap()),
        },
        "const" => value == rule,
        "enum" => rule.as_array().unwrap().contains(value),
        "exclusiveMinimum" => value.as_f64().is_none_or(|v| v > rule.as_f64().unwrap()),
        "exclusiveMaximum" => value.as_f64().is_none_or(|v| v < rule.as_f64().unwrap()),
        "minimum" => value.as_f64().is_none_or(|v| v >= rule.as_f64().unwrap()),
        "maximum" => value.as_f64().is_none_or(|v| v <= rule.as_f64().unwrap()),
        "minItems" => value
            .as_array()
            .is_none_or(|v| v.len() as u64 >= rule.as_u64().unwrap()),
        "maxItems" => value
            .as_array()
            .is_none_or(|v| v.len() as u64 <= rule.as_u64().unwrap()),
        // The one pattern is that of a range.
        "maxLength" => value
            .as_str()
            .is_none_or(|text| text.chars().count() as u64 <= rule.as_u64().unwrap()),
        "minLength" => value
            .as_str()
            .is_none_or(|text| text.chars().count() as u64 >= rule.as_u64().unwrap()),
        "pattern" => value.as_str().is_none_or(|text| text.contains("..")),
        "items" => value
            .as_array()
            .is_none_or(|v| v.iter().all(|item| valid(item, rule, root))),
        "required" => value.as_object().is_none_or(|v| {
            let mut names = rule.as_array().unwrap().iter();
            names.all(|name| v.contains_key(name.as_str().unwrap()))
        }),
        "properties" => value.as_object().is_none_or(|v| {
            let known = |name: &str| rule.get(name);
            v.iter()
                .all(|(name, v)| known(name).is_none_or(|rule| valid(v, rule, root)))
        }),
        "additionalProperties" => value.as_object().is_none_or(|v| {
            let known = rules.get("properties").and_then(Value::as_object);
            let other = |name: &String| known.is_none_or(|known| !known.contains_key(name));
            v.iter()
                .filter(|(name, _)| other(name))
                .all(|(_, v)| valid(v, rule, root))
        }),
        "oneOf" => count(value, rule, root) == 1,
        "anyOf" => count(value, rule, root) > 0,
        other => panic!("the schema uses `{other}`, which this test does not know"),
    })
}

fn count(value: &Value, rules: &Value, root: &Value) -> usize {
    let rules = rules.as_array().unwrap().iter();
    rules.filter(|rule| valid(value, rule, root)).count()
}

fn is(value: &Value, kind: &str) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|v| v.fract() == 0.0),
        other => panic!("no such type: {other}"),
    }
}

fn accepts(text: &str) -> bool {
    accepts_by(&experiment::schema(&Registry::standard()), text)
}

/// Whether an experiment satisfies a schema.
pub fn accepts_by(schema: &Value, text: &str) -> bool {
    let table: toml::Table = toml::from_str(text).unwrap();
    valid(&serde_json::to_value(table).unwrap(), schema, schema)
}

#[test]
fn it_accepts_every_shipped_experiment_and_the_template() {
    for name in shipped::names() {
        assert!(accepts(&shipped::text(&name).unwrap()), "{name}");
    }
    assert!(accepts(include_str!("../../src/cli/new.toml")));
}

const GOOD: &str = r#"
[problem]
truth  = "sin(x)"
inputs = { uniform = [0, 10], fixed = true }
noise  = { student-t = "0.1*x", degrees = 4 }
train  = 20
[[learner]]
knn = {}
sweep = { k = { from = 1, to = 10, count = 4, scale = "log" } }
[[learner]]
name = "line"
bagging = { members = 5, base = { bagging = { base = { polynomial = { degree = 1 } } } } }
[run]
precision = 0.1
max-resamples = 1000
test = "inputs"
[[figure]]
tradeoff = { parts = ["risk", "train"], y-scale = "log" }
"#;

#[test]
fn it_knows_every_form_of_the_truth() {
    for (truth, good) in [
        ("{ linear = 1.5 }", true),
        ("{ linear = 0 }", true),
        ("{ points = [[0, 1], [2.5, -3]] }", true),
        ("3", false),
        ("{}", false),
        ("{ linear = -1 }", false),
        ("{ linear = 1, points = [[0, 1], [2, 3]] }", false),
        ("{ points = [[0, 1]] }", false),
        ("{ points = [[0, 1], [2, 3, 4]] }", false),
        ("{ points = [[0, 1], [2, \"3\"]] }", false),
    ] {
        let text = GOOD.replace("\"sin(x)\"", truth);
        assert_eq!(accepts(&text), good, "{truth}");
        let read = Experiment::read("truth", Source::new("truth.toml", &text, &[]));
        assert_eq!(read.is_ok(), good, "the reader: {truth}");
    }
}

#[test]
fn it_refuses_what_the_reader_refuses() {
    assert!(accepts(GOOD));
    assert!(Experiment::read("good", Source::new("good.toml", GOOD, &[])).is_ok());
    for (from, to) in [
        ("knn = {}", "knn = { kk = 3 }"),
        ("knn = {}", "knn = {}\ntree = {}"),
        ("train ", "trian "),
        ("\"risk\"", "\"risc\""),
        ("\"inputs\"", "\"input\""),
        ("members = 5", "members = 0"),
        ("base = { bagging", "bse = { bagging"),
        ("degree = 1", "degree = \"one\""),
        ("scale = \"log\"", "scale = \"lag\""),
    ] {
        assert!(GOOD.contains(from));
        let text = GOOD.replace(from, to);
        assert!(!accepts(&text), "{to} was accepted");
        let read = Experiment::read("bad", Source::new("bad.toml", &text, &[]));
        assert!(read.is_err(), "the reader accepts {to}");
    }
}

#[test]
fn it_knows_the_numbers_of_every_simulation() {
    for (text, good) in [
        ("simulation = \"majority-vote\"", true),
        (
            "simulation = \"majority-vote\"\nwith = { error = 0.2, voters = [5] }",
            true,
        ),
        (
            "simulation = \"estimators\"\nwith = { sizes = \"2..9\" }",
            true,
        ),
        ("simulation = \"estimators\"\nwith = { error = 0.2 }", false),
        ("simulation = \"estimators\"\nwith = { sigma = 0 }", false),
        (
            "simulation = \"majority-vote\"\nwith = { voters = [5, 101] }",
            false,
        ),
        ("simulation = \"banana\"", false),
        ("title = \"nothing\"", false),
    ] {
        assert_eq!(accepts(text), good, "{text}");
        let read = Experiment::read("simulation", Source::new("simulation.toml", text, &[]));
        assert_eq!(read.is_ok(), good, "the reader: {text}");
    }
    let both = format!("simulation = \"estimators\"\n{GOOD}");
    assert!(!accepts(&both));
}
