//! The experiments that the page offers, and what a page is told when it opens.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::limits::Limits;
use super::messages::{guessed, pictured};
use super::registry;
use bvlab_core::learner::Registry;
#[cfg(feature = "shipped")]
use bvlab_experiment::shipped;
use bvlab_experiment::table::{HeldTables, NoTables, TableFile};
#[cfg(feature = "shipped")]
use bvlab_experiment::{Bounds, Source};
use bvlab_experiment::{Course, Experiment};

/// Experiments by name, in the order of the menu.
#[derive(Clone, Debug, Default)]
pub struct Lessons {
    lessons: Vec<Lesson>,
    registry: Registry,
    /// Tables for texts that are no lessons.
    given: HeldTables,
    /// The orders in which they are taught; the first is followed.
    courses: Vec<Course>,
}

/// The group of experiments that do not ship with bvlab, and of those that are in no course.
const YOURS: &str = "Yours";
#[cfg(feature = "shipped")]
const OTHERS: &str = "Other lessons";

/// What of a lesson gives away the answer to a question that a class votes on: keys of its text, and of
/// what the menu knows of it.
#[cfg(feature = "server")]
const ANSWERS: [&str; 5] = ["answer", "look-for", "choices", "correct", "claim"];
#[cfg(feature = "server")]
const TOLD_ANSWERS: [&str; 3] = ["answer", "lookFor", "correct"];

/// An experiment's text without the answer to a question that a class can vote on; as it is where there is
/// no such question.
#[cfg(feature = "server")]
pub fn text_without_answers(text: &str) -> String {
    let source = Source::new("", text, &[]);
    let asks = |merged: &toml::Table| {
        ["choices", "guess"]
            .iter()
            .any(|key| merged.contains_key(*key))
    };
    let stripped = match source.merged() {
        Some(merged) if asks(merged) => source.merged_text_without(&ANSWERS),
        _ => None,
    };
    stripped.unwrap_or_else(|| text.to_owned())
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

#[cfg(feature = "server")]
impl Lesson {
    fn options(&self) -> usize {
        let count = |list: &Value| list.as_array().map_or(0, Vec::len);
        count(&self.told["choices"]).max(count(&self.told["guess"]["values"]))
    }
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

    /// The same for students: without the answers to questions that a class votes on.
    #[cfg(feature = "server")]
    pub fn without_answers(&self) -> Self {
        let mut lessons = self.clone();
        let asked = |lesson: &&mut Lesson| lesson.options() > 0;
        for lesson in lessons.lessons.iter_mut().filter(asked) {
            let source = Source::new(&lesson.name, &lesson.text, &[]);
            // It was read before.
            lesson.text = source.merged_text_without(&ANSWERS).unwrap_or_default();
            for key in TOLD_ANSWERS {
                lesson.told[key] = Value::Null;
            }
            lesson.told["withheld"] = json!(true);
        }
        lessons
    }

    /// What the menu knows of a lesson.
    #[cfg(feature = "server")]
    pub fn told_of(&self, name: &str) -> Option<&Value> {
        let found = self.lessons.iter().find(|lesson| lesson.name == name)?;
        Some(&found.told)
    }

    /// How many answers the question of a lesson has: choices, or values to guess; 0 where it is not one
    /// to vote on.
    #[cfg(feature = "server")]
    pub fn options(&self, name: &str) -> usize {
        let mut lessons = self.lessons.iter();
        let found = lessons.find(|lesson| lesson.name == name);
        found.map_or(0, Lesson::options)
    }

    /// The experiments that ship with bvlab, after those that are given, in the order of the course that
    /// ships with it. Whatever a page asks for is read with the model families of the registry.
    #[cfg(feature = "shipped")]
    pub fn new(given: &[Experiment], registry: &Registry) -> Self {
        Lessons::with_courses(given, registry, Course::all_shipped())
    }

    /// The same in the order of the first of some courses.
    #[cfg(feature = "shipped")]
    pub fn with_courses(given: &[Experiment], registry: &Registry, courses: Vec<Course>) -> Self {
        let mut lessons = Lessons {
            registry: registry.clone(),
            courses,
            ..Lessons::default()
        };
        for experiment in given {
            lessons.add(experiment, YOURS);
        }
        for name in shipped::names() {
            if lessons.find(&name).is_some() {
                continue;
            }
            // One that cannot be read is no lesson.
            let read = Source::shipped(&name, &[])
                .map(|source| Experiment::read_with(&name, source, registry, &Bounds::default()));
            if let Some(Ok(experiment)) = read {
                lessons.add(&experiment, OTHERS);
            }
        }
        lessons.in_order()
    }

    /// These experiments in the order of the first of some courses, those that are in none first.
    #[cfg(feature = "shipped")]
    pub fn of(experiments: &[Experiment], courses: Vec<Course>) -> Self {
        let mut lessons = Lessons {
            courses,
            ..Lessons::default()
        };
        for one in experiments {
            let ships = shipped::text(&one.name).is_some_and(|text| text == one.source.file_text());
            lessons.add(one, if ships { OTHERS } else { YOURS });
        }
        lessons.in_order()
    }

    /// One's own come first, then those of the course, then the others.
    #[cfg(feature = "shipped")]
    fn in_order(mut self) -> Self {
        let course = self.courses.first();
        self.lessons.sort_by_key(|lesson| {
            let place = course.and_then(|course| course.find(&lesson.name));
            match place {
                Some((place, _)) => (1, place),
                None if lesson.told["group"] == YOURS => (0, 0),
                None => (2, 0),
            }
        });
        self
    }

    /// A single experiment.
    pub fn only(experiment: &Experiment) -> Self {
        let mut lessons = Lessons {
            registry: experiment.registry.clone(),
            ..Lessons::default()
        };
        lessons.add(experiment, YOURS);
        lessons
    }

    /// Adds one to its unit of the course, or else to a group.
    fn add(&mut self, experiment: &Experiment, group: &str) {
        let Experiment { name, source, .. } = experiment;
        let course = self.courses.first();
        let unit = course.and_then(|course| course.find(name));
        let group = unit.map_or(group.to_owned(), |(_, unit)| unit.title.clone());
        let merged = match source.sets().is_empty() {
            true => None,
            false => source.merged_text(),
        };
        // Rows of a table are points, whatever their number of columns.
        let problem = experiment.plan().map(|plan| plan.problem());
        let problem = problem.filter(|problem| problem.rows().is_none());
        let dimension = problem.map(|problem| problem.dimension);
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
                "opening": experiment.opening,
                "lookFor": experiment.words.look_for,
                "question": experiment.words.question,
                "answer": experiment.words.answer,
                "choices": experiment.words.choices,
                "correct": experiment.texts.ballot.correct,
                "guess": guessed(experiment),
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

    /// The courses, with what only the lecturer is to see if that is who asks.
    pub fn courses(&self, lecturer: bool) -> Vec<Course> {
        let courses = self.courses.iter();
        let told = courses.map(|course| match lecturer {
            true => course.clone(),
            false => course.without_notes(),
        });
        told.collect()
    }

    /// What the menu shows.
    pub fn told(&self) -> Vec<&Value> {
        self.lessons.iter().map(|lesson| &lesson.told).collect()
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
        "courses": lessons.courses(lecturer),
        "families": registry::families(lessons.registry()),
        "noise": registry::noise(),
        "inputs": registry::inputs(),
        "simulations": registry::simulations(),
        "limits": {
            "resamples": limits.bounds.resamples,
            "train": limits.bounds.train,
            "words": limits.words(),
        },
    })
}
