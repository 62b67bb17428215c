//! What a page asks for: an experiment and the keys that are set on top of it.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::lessons::Lessons;
use super::limits::Limits;
use bvlab_core::words::{did_you_mean, quoted};
use bvlab_experiment::{Experiment, ExperimentError, Source};

/// The most bytes of a lesson's name.
const LONGEST_NAME: usize = 1000;

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
    /// The client may not do that.
    Forbidden(String),
    /// It is too late for that, or too early.
    Conflict(String),
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
            Refusal::Forbidden(message) => (403, plain(message)),
            Refusal::Conflict(message) => (409, plain(message)),
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
        if self
            .lesson
            .as_ref()
            .is_some_and(|name| name.len() > LONGEST_NAME)
        {
            let message = format!("the name of a lesson has at most {LONGEST_NAME} bytes");
            return Err(Refusal::Asked(message));
        }
        // Whatever is asked for, no file is read: tables are in memory since the lab was opened.
        let (name, text, tables) = match (&self.lesson, &self.toml) {
            (Some(name), None) => match lessons.find(name) {
                Some((text, tables)) => (name.as_str(), text, tables),
                None => {
                    let help = did_you_mean(name, lessons.names());
                    let name = quoted(name);
                    return Err(Refusal::Missing(format!(
                        "no lesson is called {name}; {help}"
                    )));
                }
            },
            (None, Some(text)) => ("yours", text.as_str(), lessons.tables()),
            _ => {
                let message =
                    "a scene names either a `lesson` or the text of an experiment, `toml`";
                return Err(Refusal::Asked(message.to_owned()));
            }
        };
        let source = Source::new(name, text, &self.set).with_tables(Arc::new(tables));
        let read = Experiment::read_with(name, source, lessons.registry(), &limits.bounds);
        let experiment = read.map_err(Refusal::Wrong)?;
        limits.allow(&experiment).map_err(Refusal::Asked)?;
        Ok(experiment)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use rand::RngExt;

    use super::*;
    use crate::limits::memory;
    use bvlab_core::learner::Registry;
    use bvlab_core::stream::{Purpose, Stream};
    use bvlab_experiment::shipped;

    fn pick<'a>(random: &mut Stream, from: &[&'a str]) -> &'a str {
        from[random.random_range(0..from.len())]
    }

    /// A key that an experiment may have, or something like it.
    fn key(random: &mut Stream) -> String {
        const KEYS: [&str; 28] = [
            "problem",
            "train",
            "truth",
            "inputs",
            "noise",
            "normal",
            "uniform",
            "dimension",
            "sweep",
            "depth",
            "k",
            "learner",
            "0",
            "1",
            "tree",
            "min-leaf",
            "bagging",
            "members",
            "base",
            "run",
            "resamples",
            "seed",
            "test",
            "grid",
            "keep",
            "with",
            "rounds",
            "\"a b\"",
        ];
        let levels = match random.random_range(0..20) {
            0 => random.random_range(0..5000),
            1 => 17,
            _ => random.random_range(1..4),
        };
        let keys: Vec<&str> = (0..levels).map(|_| pick(random, &KEYS)).collect();
        keys.join(pick(random, &[".", ".", ".", " . ", ".."]))
    }

    fn value(random: &mut Stream) -> String {
        const VALUES: [&str; 40] = [
            "0",
            "-1",
            "1",
            "7",
            "50",
            "2000",
            "1_000_000",
            "1e308",
            "1e-320",
            "nan",
            "inf",
            "-inf",
            "99999999999999999999",
            "\"\"",
            "\"x\"",
            "\"1..5\"",
            "\"1..1e9\"",
            "true",
            "[]",
            "[1]",
            "[[0, 1], [2, 3]]",
            "{}",
            "{ grid = 3 }",
            "{ draw = 7 }",
            "\"inputs\"",
            "{ normal = 0 }",
            "{ uniform = [0, 1], dimension = 3 }",
            "{ linear = 1 }",
            "1979-05-27",
            "\"sin(x)\"",
            "\"1/x\"",
            "sin(x)",
            "[{ tree = {} }]",
            "[{ knn = {} }, { kernel = {} }]",
            "[{ forest = { trees = 10_000 } }]",
            "{ depth = \"1..20\" }",
            "{ k = [1, 2, 3] }",
            "{ from = 1, to = 1e9, count = 2000 }",
            "[{ network = { width = 9, epochs = 1e9 } }]",
            "\u{0}\u{feff}∞",
        ];
        match random.random_range(0..30) {
            0 => {
                let open = pick(random, &["[", "{ a = ", "(", "a = { b.c.d = "]);
                open.repeat(random.random_range(0..3000))
            }
            1 => pick(random, &["a", "é", "9", "("]).repeat(random.random_range(0..100_000)),
            _ => pick(random, &VALUES).to_owned(),
        }
    }

    /// Changes some bytes of a text.
    fn damaged(random: &mut Stream, text: String) -> Vec<u8> {
        let mut bytes = text.into_bytes();
        for _ in 0..random.random_range(1..6) {
            if bytes.is_empty() {
                break;
            }
            let at = random.random_range(0..bytes.len());
            match random.random_range(0..5) {
                0 => bytes[at] = random.random(),
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, *b"\"{}[],:\\0e-.".get(at % 13).unwrap_or(&0)),
                3 => bytes.truncate(at),
                _ => {
                    let end = (at + 20).min(bytes.len());
                    let part = bytes[at..end].to_vec();
                    bytes.splice(at..at, part);
                }
            }
        }
        bytes
    }

    /// A request that a page would not send, or would.
    fn request(random: &mut Stream, names: &[String]) -> Vec<u8> {
        let name = &names[random.random_range(0..names.len())];
        let set: Vec<String> = (0..random.random_range(0..4))
            .map(|_| format!("{}={}", key(random), value(random)))
            .collect();
        let mut scene = match random.random_range(0..10) {
            0 => {
                json!({ "lesson": pick(random, &["a", "é", " "]).repeat(random.random_range(0..200_000)), "set": set })
            }
            1 => json!({ "lesson": format!("{name}e"), "set": set }),
            2..6 => {
                let text = shipped::text(name).unwrap_or_default();
                let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
                for _ in 0..random.random_range(0..4) {
                    let (at, other) = (
                        random.random_range(0..lines.len()),
                        random.random_range(0..lines.len()),
                    );
                    match random.random_range(0..4) {
                        0 => lines.swap(at, other),
                        1 => lines.insert(at, lines[other].clone()),
                        2 => lines[at] = format!("{} = {}", key(random), value(random)),
                        _ => {
                            if let Some((key, _)) = lines[at].split_once('=') {
                                lines[at] = format!("{key}= {}", value(random));
                            }
                        }
                    }
                }
                json!({ "toml": lines.join("\n"), "set": set })
            }
            _ => json!({ "lesson": name, "set": set }),
        };
        if random.random_range(0..30) == 0 {
            scene["more"] = json!(value(random));
        }
        let text = scene.to_string();
        match random.random_range(0..5) {
            0 => damaged(random, text),
            _ => text.into_bytes(),
        }
    }

    /// 5000 requests; as many as `BVLAB_FUZZ_CASES` says for a longer look.
    #[test]
    fn fuzzed_scenes_are_answered_or_refused() {
        let cases = std::env::var("BVLAB_FUZZ_CASES").ok();
        let cases = cases.map_or(5000, |cases| cases.parse().unwrap());
        let lessons = Lessons::new(&[], &Registry::standard());
        let names = shipped::names();
        let mut random = Stream::new(31, Purpose::Algorithm, 0);
        let [mut answered, mut refused, mut unread] = [0_u64; 3];
        for case in 0..cases {
            let request = request(&mut random, &names);
            let limits = match case % 2 {
                0 => &Limits::STUDENT,
                _ => &Limits::LECTURER,
            };
            let started = Instant::now();
            match serde_json::from_slice::<Scene>(&request) {
                Err(error) => {
                    unread += 1;
                    assert!(!error.to_string().is_empty());
                }
                Ok(scene) => match scene.read(&lessons, limits) {
                    Ok(experiment) => {
                        answered += 1;
                        assert!(limits.allow(&experiment).is_ok());
                        assert!(memory(&experiment, 1) > 0);
                        assert!(experiment.source.run_hash().is_some());
                    }
                    Err(refusal) => {
                        refused += 1;
                        let (status, told) = refusal.parts();
                        assert!((400..500).contains(&status), "{told}");
                        let message = told["error"]["message"].as_str();
                        assert!(message.is_some_and(|words| !words.is_empty()), "{told}");
                    }
                },
            }
            // A hang guard.
            let request = String::from_utf8_lossy(&request);
            assert!(started.elapsed() < Duration::from_secs(60), "{request}");
        }
        println!("{answered} answered, {refused} refused, {unread} not read");
        assert!(answered > cases / 50 && refused > cases / 5 && unread > cases / 50);
    }

    #[test]
    fn a_long_name_is_refused_without_a_search() {
        let lessons = Lessons::new(&[], &Registry::standard());
        let read = |lesson: String| {
            let scene = Scene {
                lesson: Some(lesson),
                ..Scene::default()
            };
            scene.read(&lessons, &Limits::STUDENT).err().unwrap()
        };
        let refused = read("a".repeat(250_000));
        assert!(matches!(&refused, Refusal::Asked(words) if words.contains("1000 bytes")));
        let missing = read("tree-tradeof".to_owned());
        assert!(matches!(&missing, Refusal::Missing(words) if words.contains("`tree-tradeoff`")));
        let missing = read("tree-tradeoff".repeat(70));
        let Refusal::Missing(words) = missing else {
            panic!("it is not there");
        };
        assert!(
            words.contains("…`; expected") && words.len() < 3000,
            "{words}"
        );
    }
}
