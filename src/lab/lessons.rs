//! The experiments that the page offers, and what it has to know of learners to offer controls.

use serde_json::{Value, json};

use super::messages::number;
use crate::experiment::{Experiment, Source};
use crate::learner::{FAMILIES, Family, Most};
use crate::shipped;

/// Experiments by name, in the order of the menu.
#[derive(Clone, Debug, Default)]
pub struct Lessons {
    lessons: Vec<Lesson>,
}

#[derive(Clone, Debug)]
struct Lesson {
    name: String,
    text: String,
    /// What the menu shows of it.
    told: Value,
}

impl Lessons {
    /// The experiments that ship with bvlab, after those that are given by name and text.
    pub fn new(given: &[(String, String)]) -> Self {
        let mut lessons = Lessons::default();
        for (name, text) in given {
            lessons.add(name, text, Some("Yours"));
        }
        for name in shipped::names() {
            if lessons.text(&name).is_none() {
                let text = shipped::text(&name).unwrap_or_default();
                lessons.add(&name, &text, None);
            }
        }
        lessons
    }

    /// A single experiment.
    pub fn only(name: &str, text: &str) -> Self {
        let mut lessons = Lessons::default();
        lessons.add(name, text, Some("Yours"));
        lessons
    }

    fn add(&mut self, name: &str, text: &str, group: Option<&str>) {
        let read = Experiment::read(name, Source::new(name, text, &[]));
        // One that cannot be read is no lesson.
        let Ok(experiment) = read else { return };
        let group = group.unwrap_or_else(|| group_of(&experiment));
        let dimension = experiment.problems.first().map(|problem| problem.dimension);
        self.lessons.push(Lesson {
            name: name.to_owned(),
            text: text.to_owned(),
            told: json!({
                "name": name,
                "title": experiment.title.as_deref().unwrap_or(name),
                "group": group,
                "simulation": experiment.simulation.is_some(),
                "dimension": dimension,
                "lookFor": experiment.look_for,
                "question": experiment.question,
                "answer": experiment.answer,
            }),
        });
    }

    /// The text of one.
    pub fn text(&self, name: &str) -> Option<&str> {
        let found = self.lessons.iter().find(|lesson| lesson.name == name)?;
        Some(&found.text)
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.lessons.iter().map(|lesson| lesson.name.as_str())
    }

    /// What the menu shows.
    pub fn told(&self) -> Vec<&Value> {
        self.lessons.iter().map(|lesson| &lesson.told).collect()
    }
}

/// Which part of the course an experiment belongs to.
fn group_of(experiment: &Experiment) -> &'static str {
    let merged = experiment.source.merged().unwrap_or_default();
    let learners = merged.get("learner").and_then(toml::Value::as_array);
    let named = |family: &str| {
        let learners = learners.into_iter().flatten();
        let mut tables = learners.filter_map(toml::Value::as_table);
        tables.any(|table| table.contains_key(family))
    };
    let ensembles = ["bagging", "forest", "boosting"];
    let votes = ["bootstrap-share", "majority-vote", "ambiguity"];
    let simulation = experiment.simulation.as_ref();
    let simulation = simulation.map(|setup| setup.simulation.name);
    if experiment.name.starts_with("descent-") {
        "Double descent"
    } else if ensembles.into_iter().any(named) || simulation.is_some_and(|s| votes.contains(&s)) {
        "Ensembles"
    } else {
        "Bias and variance"
    }
}

/// What the page has to know of learners.
pub fn families() -> Vec<Value> {
    let family = |family: &&Family| {
        let numbers = family.numbers.iter().map(|rule| {
            let most = match rule.most {
                Most::Value(most) if most < 1e9 => Some(most),
                _ => None,
            };
            json!({
                "name": rule.name,
                "about": rule.about,
                "least": rule.least,
                "above": rule.above,
                "most": most,
                "whole": rule.whole,
                "default": rule.default.map(number),
            })
        });
        let choices = family.choices.iter().map(|choice| {
            json!({ "name": choice.name, "about": choice.about, "options": choice.options })
        });
        json!({
            "name": family.name,
            "about": family.about,
            "oneDimensional": family.one_dimensional,
            "base": family.has_base,
            "numbers": numbers.collect::<Vec<_>>(),
            "choices": choices.collect::<Vec<_>>(),
        })
    };
    FAMILIES.iter().map(family).collect()
}
