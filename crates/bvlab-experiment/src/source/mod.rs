//! The text of an experiment, and errors that point into it.

mod error;
mod keys;
mod text;

pub use error::ExperimentError;
pub(super) use error::SourceError;

use std::sync::{Arc, OnceLock};

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::excerpt::Excerpt;
use super::hash::hash;
use super::table::{HeldTables, NoTables, TableFile, TableSource};
use bvlab_core::words::{self, thousands};
use error::{SET, first_upper, from_serde};
use keys::{DEEPEST, FORM, checked, set, shape};
use text::{canonical, key_text, without_numbers};

/// The most bytes of an experiment's text.
pub const LONGEST_TEXT: usize = 1 << 20;
/// The most keys that can be set on top of it.
const MOST_SETS: usize = 100;
/// The most bytes of such a key, with all the keys that lead to it, and of its value.
const LONGEST_KEY: usize = 1000;
const LONGEST_VALUE: usize = 64 << 10;
/// The text of an experiment: a file, and the keys that were set on top of it.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    /// The file's text, then one line for every key that was set.
    text: String,
    file_length: usize,
    /// Where a table is found that the text names, and the table once it is read.
    tables: Option<Arc<dyn TableSource>>,
    pub(super) table: Option<Arc<TableFile>>,
    /// The keys with what is set on top, once they were asked for.
    merged: Arc<OnceLock<Option<toml::Table>>>,
}

impl Source {
    /// A text under the name it is to be called by in errors, with keys set on top of it, each as
    /// `problem.train=50`. The text between the brackets of a list is reached by its number:
    /// `learner.0.tree.depth=3`.
    pub fn new(name: &str, text: &str, sets: &[String]) -> Self {
        let mut whole = text.to_owned();
        for set in sets {
            whole.push('\n');
            whole.push_str(&set.replace(['\n', '\r'], " "));
        }
        Source {
            name: name.to_owned(),
            text: whole,
            file_length: text.len(),
            tables: None,
            table: None,
            merged: Arc::default(),
        }
    }

    /// An experiment that ships with bvlab, with keys that are set on top.
    #[cfg(feature = "shipped")]
    pub fn shipped(name: &str, sets: &[String]) -> Option<Self> {
        let source = Source::new(name, &crate::shipped::text(name)?, sets);
        Some(source.with_tables(Arc::new(crate::table::ShippedTables)))
    }

    /// The same, with tables that it may name.
    pub fn with_tables(self, tables: Arc<dyn TableSource>) -> Self {
        Source {
            tables: Some(tables),
            ..self
        }
    }

    /// Whether it may name tables.
    pub(super) fn has_tables(&self) -> bool {
        self.tables.is_some()
    }

    /// The tables that it may name.
    pub(super) fn tables(&self) -> Arc<dyn TableSource> {
        let tables = self.tables.clone();
        tables.unwrap_or_else(|| Arc::new(NoTables))
    }

    /// The table that the experiment is about, once it was read.
    pub fn table(&self) -> Option<&TableFile> {
        self.table.as_deref()
    }

    /// Its table in memory, for reading it again without a file.
    pub fn held(&self) -> HeldTables {
        HeldTables::new(self.table.iter().cloned().collect(), self.tables())
    }

    /// The file's own text.
    pub fn file_text(&self) -> &str {
        &self.text[..self.file_length]
    }

    /// The keys that were set on top of the file.
    pub fn sets(&self) -> Vec<String> {
        self.set_lines().map(|(_, line)| line.to_owned()).collect()
    }

    fn set_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut offset = self.file_length;
        let lines = self.text[self.file_length..].split('\n').skip(1);
        lines.map(move |line| {
            let start = offset + 1;
            offset = start + line.len();
            (start, line)
        })
    }

    /// What stands at a place of the text, or of the keys that were set on top of it.
    pub(super) fn slice(&self, span: std::ops::Range<usize>) -> &str {
        self.text.get(span).unwrap_or("")
    }

    /// Which of the keys that were set on top of the text a place is in.
    pub(super) fn set_number(&self, place: usize) -> Option<usize> {
        let holds = |(start, line): (usize, &str)| (start..=start + line.len()).contains(&place);
        self.set_lines().position(holds)
    }

    /// Whether keys were set on top of the text.
    pub(super) fn has_sets(&self) -> bool {
        self.file_length < self.text.len()
    }

    /// The same text and tables with more keys set on top.
    pub(super) fn with_sets(&self, more: &[String]) -> Self {
        let sets: Vec<String> = self
            .sets()
            .into_iter()
            .chain(more.iter().cloned())
            .collect();
        Source {
            tables: self.tables.clone(),
            ..Source::new(&self.name, self.file_text(), &sets)
        }
    }

    /// Reads the text as a `T`.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Result<T, SourceError> {
        self.bounded()?;
        let root = DeTable::parse(self.file_text()).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            SourceError::new(span, first_upper(error.message())).help("this is not valid TOML")
        })?;
        let span = root.span();
        let root = checked(Spanned::new(
            span.clone(),
            DeValue::Table(root.into_inner()),
        ))?;
        let DeValue::Table(mut root) = root.into_inner() else {
            unreachable!("it is the table that was parsed");
        };
        for (offset, line) in self.set_lines() {
            set(&mut root, offset, line)?;
        }
        shape(&root)?;
        let root = toml::de::Deserializer::from(Spanned::new(span, root));
        T::deserialize(root).map_err(from_serde)
    }

    /// Whether text, keys and values are of a size that can be looked at.
    fn bounded(&self) -> Result<(), SourceError> {
        if self.file_length > LONGEST_TEXT {
            let message = format!(
                "the text has {} bytes; the maximum is {}",
                thousands(self.file_length as u64),
                thousands(LONGEST_TEXT as u64)
            );
            return Err(SourceError::new(0..0, message)
                .help("an experiment is a short text; put data into a table: `problem.table`"));
        }
        for (place, (offset, line)) in self.set_lines().enumerate() {
            let (path, value) = line.split_once('=').unwrap_or((line, ""));
            let levels = path.split('.').count();
            let wrong = if place >= MOST_SETS {
                format!("at most {MOST_SETS} keys can be set on top of an experiment")
            } else if path.len() > LONGEST_KEY {
                let length = thousands(path.len() as u64);
                format!("a key has at most {LONGEST_KEY} bytes, not {length}")
            } else if levels > DEEPEST {
                format!("a key can be set at most {DEEPEST} levels deep, not {levels}")
            } else if value.len() > LONGEST_VALUE {
                let [length, most] = [value.len(), LONGEST_VALUE].map(|n| thousands(n as u64));
                format!("a value that is set has at most {most} bytes, not {length}")
            } else {
                continue;
            };
            let span = offset..offset + path.len();
            return Err(SourceError::new(span, wrong).help(FORM));
        }
        Ok(())
    }

    /// The text with all keys that were set in their places: an experiment of its own, without the
    /// comments. `None` if it cannot be read.
    pub fn merged(&self) -> Option<&toml::Table> {
        self.merged.get_or_init(|| self.read().ok()).as_ref()
    }

    /// [`Source::merged`] as it is written to a file: a heading for every table, what is in it on
    /// one line each. Claims, variants and computed numbers are about the experiment as it was: where
    /// keys were set, claims and variants are left out, and an ellipsis stands for the numbers.
    pub fn merged_text(&self) -> Option<String> {
        let mut merged = self.merged()?.clone();
        if !self.sets().is_empty() {
            forget_opening(&mut merged);
        }
        Some(file_of(&merged))
    }

    /// The same without some keys of the top level.
    pub fn merged_text_without(&self, keys: &[&str]) -> Option<String> {
        let mut merged = self.merged()?.clone();
        merged.retain(|key, _| !keys.contains(&key));
        Some(file_of(&merged))
    }

    /// Whether two texts describe the same run: they may differ in figures and in what is only
    /// told to people.
    pub fn same_run(&self, other: &Source) -> bool {
        let run = |source: &Source| source.parts().map(|(run, _)| canonical(&run));
        run(self).is_some() && run(self) == run(other)
    }

    /// A hash of what the numbers follow from: everything but figures and what is only told to
    /// people. Comments, spacing and the order of keys do not change it, but for the order of the
    /// numbers of a sweep, whose first is the first axis. The content of a table is part of it.
    /// `None` if the text, or the table, cannot be read.
    pub fn run_hash(&self) -> Option<String> {
        let (run, _) = self.parts()?;
        let mut text = canonical(&run);
        let table = run.get("problem").and_then(|problem| problem.get("table"));
        if let Some(name) = table.and_then(toml::Value::as_str) {
            text.push_str(&match &self.table {
                Some(table) => table.hash.clone(),
                None => self.tables().read(name).ok()?.hash.clone(),
            });
        }
        Some(hash(text.as_bytes()))
    }

    /// A hash of the rest: the figures, and what is told to people.
    pub fn figure_hash(&self) -> Option<String> {
        self.parts()
            .map(|(_, shown)| hash(canonical(&shown).as_bytes()))
    }

    /// What the numbers follow from, and the rest.
    fn parts(&self) -> Option<(toml::Table, toml::Table)> {
        let mut all = self.merged()?.clone();
        // How a lesson begins changes neither.
        all.remove("lab");
        let shown = [
            "title", "look-for", "question", "answer", "choices", "correct", "guess", "look",
            "figure",
        ];
        let (shown, run) = all
            .into_iter()
            .partition(|(key, _)| shown.contains(&key.as_str()));
        Some((run, shown))
    }

    /// Turns trouble at a place into an error that shows the place.
    pub(super) fn explain(&self, trouble: SourceError) -> Box<ExperimentError> {
        let SourceError {
            message,
            label,
            help,
            span,
        } = trouble;
        let set = self
            .set_lines()
            .find(|(start, line)| span.start >= *start && span.end <= start + line.len());
        let (name, text, span) = match set {
            Some((start, line)) => (SET, line, span.start - start..span.end - start),
            None => {
                let text = self.file_text();
                let end = span.end.min(text.len());
                // A span that covers several lines (a whole table) is shown by its first.
                let start = span.start.min(end);
                let shown = text.get(start..end).unwrap_or("");
                let length = shown.find('\n').unwrap_or(end - start);
                (self.name.as_str(), text, start..start + length)
            }
        };
        let token = text.get(span.clone()).unwrap_or("");
        let excerpt = Excerpt::new(name, text, span);
        Box::new(ExperimentError {
            message: words::message(&message),
            help: help.map(|help| words::message(&help)),
            span: excerpt.span,
            label: words::message(&label),
            token: token.to_owned(),
            excerpt,
        })
    }
}

/// An experiment as it is written to a file.
fn file_of(merged: &toml::Table) -> String {
    let (mut text, mut sections) = (String::new(), String::new());
    let mut section = |heading: String, table: &toml::Table| {
        sections.push_str(&format!("\n{heading}\n"));
        for (key, value) in table {
            sections.push_str(&format!("{} = {value}\n", key_text(key)));
        }
    };
    for (key, value) in merged {
        match value {
            toml::Value::Table(table) => section(format!("[{}]", key_text(key)), table),
            toml::Value::Array(items)
                if !items.is_empty() && items.iter().all(toml::Value::is_table) =>
            {
                let tables = items.iter().filter_map(toml::Value::as_table);
                tables.for_each(|table| section(format!("[[{}]]", key_text(key)), table));
            }
            value => text.push_str(&format!("{} = {value}\n", key_text(key))),
        }
    }
    text + &sections
}

/// Takes out of an experiment what is about its settings as they were: claims, variants, the answers
/// that its question offers, and numbers in texts.
fn forget_opening(merged: &mut toml::Table) {
    for key in ["claim", "variant", "lab", "choices", "correct", "guess"] {
        merged.remove(key);
    }
    let texts = ["title", "look-for", "question", "answer", "text"];
    let mut waiting: Vec<&mut toml::Table> = vec![merged];
    while let Some(table) = waiting.pop() {
        for (key, value) in table.iter_mut() {
            match value {
                toml::Value::String(text) if texts.contains(&key.as_str()) => {
                    *text = without_numbers(text);
                }
                toml::Value::Table(inner) => waiting.push(inner),
                toml::Value::Array(items) => {
                    waiting.extend(items.iter_mut().filter_map(toml::Value::as_table_mut));
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source::new("", text, &[])
    }

    #[test]
    fn hashes_see_what_is_said_and_not_how() {
        let text = "title = 'A'\n[problem]\ntrain = 10\nnoise = { normal = 0.5 }\n[sweep]\nk = [1, 2]\ntrain = [5, 9]\n[[figure]]\ntradeoff = {}";
        let first = source(text);
        let other = source(
            "[[figure]] # the only one\n[figure.tradeoff]\n[sweep]\nk = [ 1,\n 2 ]\ntrain = [5, 9]\n[problem]\nnoise.normal = 5e-1\ntrain = 1_0\n",
        );
        assert_eq!(first.run_hash(), other.run_hash());
        assert_ne!(first.figure_hash(), other.figure_hash());
        let titled = Source::new("", other.file_text(), &["title=A".to_owned()]);
        assert_eq!(first.figure_hash(), titled.figure_hash());
        for (what, changed) in [
            ("a number", text.replace("train = 10", "train = 11")),
            ("a name", text.replace("normal", "uniform")),
            (
                "the order of axes",
                text.replace("k = [1, 2]\ntrain = [5, 9]", "train = [5, 9]\nk = [1, 2]"),
            ),
        ] {
            let changed = source(&changed);
            assert_ne!(first.run_hash(), changed.run_hash(), "{what}");
            assert!(!first.same_run(&changed), "{what}");
            assert_eq!(first.figure_hash(), changed.figure_hash(), "{what}");
        }
        assert_eq!(source("title =").run_hash(), None);
        // Numbers that a table cannot hold would leave a run without a hash.
        for number in [
            "9223372036854775808",
            "-9223372036854775809",
            "0xFFFFFFFFFFFFFFFF",
        ] {
            let set = format!("problem.noise.normal={number}");
            let wrong = Source::new("", text, &[set]).read::<toml::Table>();
            let wrong = wrong.unwrap_err();
            assert!(
                wrong.message.contains("9223372036854775807"),
                "{}",
                wrong.message
            );
            assert_eq!(wrong.span.len(), number.len());
        }
    }
}
