//! What a page asks for: an experiment and the keys that are set on top of it.

use serde::Deserialize;
use serde_json::{Value, json};

use super::Lessons;
use super::limits::Limits;
use crate::experiment::{Experiment, ExperimentError, Source};
use crate::words::did_you_mean;

/// The most keys that can be set on top of an experiment.
const MOST_SETS: usize = 100;

/// An experiment as a page asks for it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// The name of a lesson.
    pub lesson: Option<String>,
    /// In its place: the text of an experiment.
    pub toml: Option<String>,
    /// Keys set on top, as `problem.train=50`.
    #[serde(default)]
    pub set: Vec<String>,
}

/// Why a request is not carried out.
#[derive(Debug)]
pub enum Refusal {
    /// The experiment is wrong.
    Wrong(Box<ExperimentError>),
    /// What is asked for cannot be, or is too much.
    Asked(String),
    /// There is no such thing.
    Missing(String),
    /// The client has not given the lab's code.
    NotJoined(String),
    /// The client has too much under way.
    TooMany(String),
    /// The lab has too much under way.
    Busy(String),
    /// It was tried, and failed.
    Failed(String),
}

impl Refusal {
    /// The status, and what the page is told.
    pub fn parts(&self) -> (u16, Value) {
        let plain = |message: &str| json!({ "message": message, "help": null, "token": null, "line": null });
        let (status, error) = match self {
            Refusal::Wrong(error) => (
                400,
                json!({
                    "message": error.message(),
                    "help": error.help(),
                    "token": error.token(),
                    "line": error.line(),
                }),
            ),
            Refusal::Asked(message) => (400, plain(message)),
            Refusal::Missing(message) => (404, plain(message)),
            Refusal::NotJoined(message) => (401, plain(message)),
            Refusal::TooMany(message) => (429, plain(message)),
            Refusal::Busy(message) => (503, plain(message)),
            Refusal::Failed(message) => (500, plain(message)),
        };
        (status, json!({ "error": error }))
    }
}

impl Scene {
    /// Reads the experiment and holds it to the limits.
    pub fn read(&self, lessons: &Lessons, limits: &Limits) -> Result<Experiment, Refusal> {
        if self.set.len() > MOST_SETS {
            let message = format!("at most {MOST_SETS} keys can be set on top of an experiment");
            return Err(Refusal::Asked(message));
        }
        // Whatever is asked for, no file is read: tables are in memory since the lab was opened.
        let (name, text, files) = match (&self.lesson, &self.toml) {
            (Some(name), None) => match lessons.find(name) {
                Some((text, files)) => (name.as_str(), text, files),
                None => {
                    let help = did_you_mean(name, lessons.names());
                    return Err(Refusal::Missing(format!(
                        "no lesson is called `{name}`; {help}"
                    )));
                }
            },
            (None, Some(text)) => ("yours", text.as_str(), lessons.files()),
            _ => {
                let message =
                    "a scene names either a `lesson` or the text of an experiment, `toml`";
                return Err(Refusal::Asked(message.to_owned()));
            }
        };
        let source = Source::new(name, text, &self.set).with_files(files);
        let read = Experiment::read_within(name, source, &limits.bounds);
        let experiment = read.map_err(Refusal::Wrong)?;
        limits.allow(&experiment).map_err(Refusal::Asked)?;
        Ok(experiment)
    }
}
