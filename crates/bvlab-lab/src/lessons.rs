//! The experiments that the page offers, and what a page is told when it opens.

use serde_json::{Value, json};

use super::limits::Limits;
use super::messages::pictured;
use super::registry;
use bvlab_core::learner::Registry;
use bvlab_experiment::shipped;
use bvlab_experiment::table::HeldTables;
use bvlab_experiment::{Bounds, Experiment, Source};

/// Experiments by name, in the order of the menu.
#[derive(Clone, Debug, Default)]
pub struct Lessons {
    lessons: Vec<Lesson>,
    registry: Registry,
}

#[derive(Clone, Debug)]
struct Lesson {
    name: String,
    text: String,
    /// Where its table is: in memory.
    tables: HeldTables,
    /// What the menu shows of it.
    told: Value,
}

impl Lessons {
    /// The experiments that ship with bvlab, after those that are given. Whatever a page asks for is
    /// read with the model families of the registry.
    pub fn new(given: &[Experiment], registry: &Registry) -> Self {
        let mut lessons = Lessons {
            lessons: Vec::new(),
            registry: registry.clone(),
        };
        for experiment in given {
            lessons.add(experiment, "Yours");
        }
        for name in shipped::names() {
            if lessons.find(&name).is_some() {
                continue;
            }
            // One that cannot be read is no lesson.
            let read = Source::shipped(&name, &[])
                .map(|source| Experiment::read_with(&name, source, registry, &Bounds::default()));
            if let Some(Ok(experiment)) = read {
                lessons.add(&experiment, group_of(&experiment));
            }
        }
        // The course begins with labels that are numbers.
        let later = |group: &Value| ["Classes", "Real data"].iter().position(|one| group == one);
        lessons
            .lessons
            .sort_by_key(|lesson| later(&lesson.told["group"]));
        lessons
    }

    /// A single experiment.
    pub fn only(experiment: &Experiment) -> Self {
        let mut lessons = Lessons {
            lessons: Vec::new(),
            registry: experiment.registry.clone(),
        };
        lessons.add(experiment, "Yours");
        lessons
    }

    fn add(&mut self, experiment: &Experiment, group: &str) {
        let Experiment { name, source, .. } = experiment;
        let merged = match source.sets().is_empty() {
            true => None,
            false => source.merged_text(),
        };
        let dimension = experiment.plan().map(|plan| plan.problem().dimension);
        self.lessons.push(Lesson {
            name: name.clone(),
            text: merged.unwrap_or_else(|| source.file_text().to_owned()),
            tables: source.held(),
            told: json!({
                "name": name,
                "title": experiment.heading(),
                "group": group,
                "pictured": pictured(experiment),
                "dimension": dimension,
                "lookFor": experiment.words.look_for,
                "question": experiment.words.question,
                "answer": experiment.words.answer,
            }),
        });
    }

    /// The model families that experiments of the page can use.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The text of one, and where its table is.
    pub fn find(&self, name: &str) -> Option<(&str, HeldTables)> {
        let found = self.lessons.iter().find(|lesson| lesson.name == name)?;
        Some((&found.text, found.tables.clone()))
    }

    /// Where the tables of all lessons are, for a text that was made from one of them.
    pub fn tables(&self) -> HeldTables {
        HeldTables::joined(self.lessons.iter().map(|lesson| &lesson.tables))
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
    let merged = experiment.source.merged();
    let learners = merged.and_then(|merged| merged.get("learner")?.as_array());
    let named = |family: &str| {
        let learners = learners.into_iter().flatten();
        let mut tables = learners.filter_map(toml::Value::as_table);
        tables.any(|table| table.contains_key(family))
    };
    let ensembles = ["bagging", "forest", "boosting"];
    let votes = ["bootstrap-share", "majority-vote", "ambiguity"];
    let simulation = experiment.task.simulation();
    let simulation = simulation.map(|setup| setup.simulation.name);
    let problem = experiment.plan().map(|plan| plan.problem());
    if experiment.name.starts_with("descent-") {
        "Double descent"
    } else if problem.is_some_and(|problem| problem.classes() > 0) {
        "Classes"
    } else if problem.is_some_and(|problem| problem.rows().is_some()) {
        "Real data"
    } else if ensembles.into_iter().any(named) || simulation.is_some_and(|s| votes.contains(&s)) {
        "Ensembles"
    } else {
        "Bias and variance"
    }
}

/// What a page is told of the lab when it opens; a server adds where it is.
pub fn welcome(lessons: &Lessons, open: &str, lecturer: bool, limits: &Limits) -> Value {
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "lecturer": lecturer,
        "address": null,
        "qr": null,
        "open": open,
        "lessons": lessons.told(),
        "families": registry::families(lessons.registry()),
        "noise": registry::noise(),
        "inputs": registry::inputs(),
        "limits": {
            "resamples": limits.bounds.resamples,
            "train": limits.bounds.train,
            "words": limits.words(),
        },
    })
}
