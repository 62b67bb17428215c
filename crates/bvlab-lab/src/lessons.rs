//! The experiments that the page offers, and what a page is told when it opens.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::limits::Limits;
use super::messages::pictured;
use super::registry;
use bvlab_core::learner::Registry;
use bvlab_experiment::Experiment;
#[cfg(feature = "shipped")]
use bvlab_experiment::shipped;
use bvlab_experiment::table::{HeldTables, NoTables, TableFile};
#[cfg(feature = "shipped")]
use bvlab_experiment::{Bounds, Source};

/// Experiments by name, in the order of the menu.
#[derive(Clone, Debug, Default)]
pub struct Lessons {
    lessons: Vec<Lesson>,
    registry: Registry,
    /// Tables for texts that are no lessons.
    given: HeldTables,
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

/// A lesson as it is handed to whoever computes it elsewhere: its text, and the tables that it names.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LessonFiles {
    /// Its name.
    pub name: String,
    /// Its TOML.
    pub text: String,
    /// Its tables.
    #[serde(default)]
    pub tables: Vec<LessonTable>,
}

/// A table as it is handed on.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LessonTable {
    /// Its name, as the experiment says it.
    pub name: String,
    /// Its content in base64.
    pub base64: String,
}

impl LessonTable {
    fn held(&self) -> Option<Arc<TableFile>> {
        let bytes = STANDARD.decode(&self.base64).ok()?;
        Some(Arc::new(TableFile::new(&self.name, bytes)))
    }
}

impl Lessons {
    /// Lessons that are handed in. A table that is not base64 is left out.
    pub fn handed_in(given: Vec<LessonFiles>) -> Self {
        let lessons = given.into_iter().map(|one| {
            let tables = one.tables.iter().filter_map(LessonTable::held);
            Lesson {
                tables: HeldTables::new(tables.collect(), Arc::new(NoTables)),
                name: one.name,
                text: one.text,
                told: Value::Null,
            }
        });
        Lessons {
            lessons: lessons.collect(),
            ..Lessons::default()
        }
    }

    /// Adds a table for texts that are no lessons; it replaces an earlier one of its name.
    pub fn add_table(&mut self, name: &str, bytes: Vec<u8>) {
        let table = Arc::new(TableFile::new(name, bytes));
        let others = |held: &Arc<TableFile>| held.name != name;
        let held = self.given.files().iter().filter(|held| others(held));
        let all = std::iter::once(table).chain(held.cloned());
        self.given = HeldTables::new(all.collect(), Arc::new(NoTables)).in_any_folder();
    }

    /// The same lessons for whoever computes them elsewhere.
    pub fn handed_out(&self) -> Vec<LessonFiles> {
        let lessons = self.lessons.iter().map(|lesson| {
            let tables = lesson.tables.files().iter().map(|table| LessonTable {
                name: table.name.clone(),
                base64: STANDARD.encode(&table.bytes),
            });
            LessonFiles {
                name: lesson.name.clone(),
                text: lesson.text.clone(),
                tables: tables.collect(),
            }
        });
        lessons.collect()
    }

    /// The experiments that ship with bvlab, after those that are given. Whatever a page asks for is
    /// read with the model families of the registry.
    #[cfg(feature = "shipped")]
    pub fn new(given: &[Experiment], registry: &Registry) -> Self {
        let mut lessons = Lessons {
            registry: registry.clone(),
            ..Lessons::default()
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
        lessons.in_order()
    }

    /// These experiments, those that do not ship with bvlab first.
    #[cfg(feature = "shipped")]
    pub fn of(experiments: &[Experiment]) -> Self {
        let mut lessons = Lessons::default();
        let ships = |one: &&Experiment| {
            shipped::text(&one.name).is_some_and(|text| text == one.source.file_text())
        };
        let own = experiments.iter().filter(|one| !ships(one));
        own.for_each(|one| lessons.add(one, "Yours"));
        let others = experiments.iter().filter(ships);
        others.for_each(|one| lessons.add(one, group_of(one)));
        lessons.in_order()
    }

    #[cfg(feature = "shipped")]
    fn in_order(mut self) -> Self {
        // The course begins with labels that are numbers.
        let later = |group: &Value| ["Classes", "Real data"].iter().position(|one| group == one);
        self.lessons
            .sort_by_key(|lesson| later(&lesson.told["group"]));
        self
    }

    /// A single experiment.
    pub fn only(experiment: &Experiment) -> Self {
        let mut lessons = Lessons {
            registry: experiment.registry.clone(),
            ..Lessons::default()
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
        let lessons = self.lessons.iter().map(|lesson| &lesson.tables);
        HeldTables::joined(std::iter::once(&self.given).chain(lessons))
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
#[cfg(feature = "shipped")]
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
