//! The text of an experiment, and errors that point into it.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use miette::{Diagnostic, SourceSpan};
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::excerpt::Excerpt;
use super::hash::hash;
use super::table::{HeldTables, NoTables, TableFile, TableSource};
use bvlab_core::words::{self, did_you_mean, quoted, shortened, thousands};

/// Something wrong with an experiment: shows the file, the line and the token.
#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("{message}")]
pub struct ExperimentError {
    message: String,
    #[help]
    help: Option<String>,
    #[source_code]
    excerpt: Excerpt,
    #[label("{label}")]
    span: SourceSpan,
    label: String,
    token: String,
}

impl ExperimentError {
    /// What is wrong, in a sentence.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do about it.
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// The line that it is in, counted from 1; `None` if a key that was set on top of the text is
    /// to blame.
    pub fn line(&self) -> Option<usize> {
        (self.excerpt.name != SET).then_some(1 + self.excerpt.line)
    }

    /// The token that is to blame.
    pub fn token(&self) -> &str {
        &self.token
    }
}

/// What a key that was set on top of a text is called.
const SET: &str = "--set";

/// The most bytes of an experiment's text.
pub const LONGEST_TEXT: usize = 1 << 20;
/// The most keys that can be set on top of it.
const MOST_SETS: usize = 100;
/// The most bytes of such a key, with all the keys that lead to it, and of its value.
const LONGEST_KEY: usize = 1000;
const LONGEST_VALUE: usize = 64 << 10;
/// The most levels of lists and tables in a value, and the most keys that lead to one.
const DEEPEST: usize = 16;

/// How a key is set.
const FORM: &str = "write a key and its value, as in `--set problem.train=50`";

/// Something wrong at a place of the text, before it is known which file that is.
#[derive(Clone, Debug)]
pub(super) struct Trouble {
    pub message: String,
    pub label: String,
    pub help: Option<String>,
    pub span: Range<usize>,
}

impl Trouble {
    pub fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Trouble {
            message: message.into(),
            label: "here".to_owned(),
            help: None,
            span,
        }
    }

    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

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

    /// Reads the text as a `T`.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Result<T, Trouble> {
        self.bounded()?;
        let root = DeTable::parse(self.file_text()).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            Trouble::new(span, first_upper(error.message())).help("this is not valid TOML")
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
    fn bounded(&self) -> Result<(), Trouble> {
        if self.file_length > LONGEST_TEXT {
            let message = format!(
                "the text has {} bytes, and {} are the most",
                thousands(self.file_length as u64),
                thousands(LONGEST_TEXT as u64)
            );
            return Err(Trouble::new(0..0, message)
                .help("an experiment is a page of text; data belong in a table of their own"));
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
            return Err(Trouble::new(span, wrong).help(FORM));
        }
        Ok(())
    }

    /// The text with all keys that were set in their places: an experiment of its own, without the
    /// comments. `None` if it cannot be read.
    pub fn merged(&self) -> Option<&toml::Table> {
        self.merged.get_or_init(|| self.read().ok()).as_ref()
    }

    /// [`Source::merged`] as it is written to a file: a heading for every table, what is in it on
    /// one line each.
    pub fn merged_text(&self) -> Option<String> {
        let (mut text, mut sections) = (String::new(), String::new());
        let mut section = |heading: String, table: &toml::Table| {
            sections.push_str(&format!("\n{heading}\n"));
            for (key, value) in table {
                sections.push_str(&format!("{} = {value}\n", key_text(key)));
            }
        };
        for (key, value) in self.merged()? {
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
        Some(text + &sections)
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
        let all = self.merged()?.clone();
        let shown = ["title", "look-for", "question", "answer", "look", "figure"];
        let (shown, run) = all
            .into_iter()
            .partition(|(key, _)| shown.contains(&key.as_str()));
        Some((run, shown))
    }

    /// Turns trouble at a place into an error that shows the place.
    pub(super) fn explain(&self, trouble: Trouble) -> Box<ExperimentError> {
        let Trouble {
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

/// A key as it stands in a file: in quotes where it must.
fn key_text(key: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match !key.is_empty() && key.chars().all(plain) {
        true => key.to_owned(),
        false => toml::Value::String(key.to_owned()).to_string(),
    }
}

/// A table as a text that is the same for all ways to write it, and for no other table.
fn canonical(table: &toml::Table) -> String {
    fn write(value: &toml::Value, in_order: bool, text: &mut String) {
        match value {
            // Words with their length, so that none can be taken for what follows it.
            toml::Value::String(words) => text.push_str(&format!("s{}:{words}", words.len())),
            toml::Value::Integer(number) => text.push_str(&format!("i{number};")),
            toml::Value::Float(number) => text.push_str(&format!("f{:x};", number.to_bits())),
            toml::Value::Boolean(yes) => text.push_str(&format!("b{yes};")),
            toml::Value::Datetime(time) => text.push_str(&format!("d{time};")),
            toml::Value::Array(items) => {
                text.push('[');
                items.iter().for_each(|item| write(item, false, text));
                text.push(']');
            }
            toml::Value::Table(table) => {
                let mut entries: Vec<(&String, &toml::Value)> = table.iter().collect();
                if !in_order {
                    entries.sort_by_key(|(key, _)| *key);
                }
                text.push('{');
                for (key, value) in entries {
                    text.push_str(&format!("k{}:{key}", key.len()));
                    write(value, key == "sweep", text);
                }
                text.push('}');
            }
        }
    }
    let mut text = String::new();
    write(&toml::Value::Table(table.clone()), false, &mut text);
    text
}

/// One bracket for what there is one of, two for what there can be several of.
fn shape(root: &DeTable<'_>) -> Result<(), Trouble> {
    for (key, value) in root {
        let name: &str = key.get_ref();
        let wrong = match value.get_ref() {
            DeValue::Array(_) => ["problem", "sweep", "run"]
                .contains(&name)
                .then_some(("[", "]")),
            DeValue::Table(_) => ["learner", "figure"]
                .contains(&name)
                .then_some(("[[", "]]")),
            _ => None,
        };
        if let Some((open, close)) = wrong {
            let message = format!("`{name}` is written with {open}{name}{close}");
            return Err(Trouble::new(key.span(), message));
        }
    }
    Ok(())
}

/// Puts `key=value` into the table.
fn set<'i>(root: &mut DeTable<'i>, offset: usize, line: &'i str) -> Result<(), Trouble> {
    let Some((path, text)) = line.split_once('=') else {
        let span = offset..offset + line.len();
        return Err(Trouble::new(span, "`--set` needs a `=`").help(FORM));
    };
    let lead = text.len() - text.trim_start().len();
    let value_offset = offset + path.len() + 1 + lead;
    let text = text.trim();
    let span = value_offset..value_offset + text.len();
    // What is not TOML is taken as a string, so that the shell's quotes are enough.
    let value = match DeValue::parse(text) {
        Ok(value) => shifted(
            checked(value).map_err(|trouble| Trouble {
                span: span.clone(),
                ..trouble
            })?,
            value_offset,
        ),
        Err(_) => Spanned::new(span, DeValue::String(text.into())),
    };
    let mut keys = Vec::new();
    let mut start = offset;
    for key in path.split('.') {
        let trimmed = key.trim();
        let lead = key.len() - key.trim_start().len();
        let span = start + lead..start + lead + trimmed.len();
        if trimmed.is_empty() {
            return Err(Trouble::new(span, "`--set` needs a key").help(FORM));
        }
        keys.push((trimmed, span));
        start += key.len() + 1;
    }
    put(root, &keys, value)
}

/// A key of a path, and where it stands.
type Key<'i> = (&'i str, Range<usize>);

/// Puts a value where a path of keys leads, and makes the tables on the way that are missing.
fn put<'i>(
    root: &mut DeTable<'i>,
    keys: &[Key<'i>],
    value: Spanned<DeValue<'i>>,
) -> Result<(), Trouble> {
    let (first, rest) = keys.split_first().expect("there is at least one key");
    let Some((last, between)) = rest.split_last() else {
        insert(root, first, value);
        return Ok(());
    };
    let (mut place, mut holder) = (entry(root, first), first);
    for key in between {
        place = match place {
            DeValue::Table(table) => entry(table, key),
            DeValue::Array(array) => item(array, holder, key)?.get_mut(),
            _ => return Err(single(holder)),
        };
        holder = key;
    }
    match place {
        DeValue::Table(table) => insert(table, last, value),
        DeValue::Array(array) => *item(array, holder, last)? = value,
        _ => return Err(single(holder)),
    }
    Ok(())
}

fn insert<'i>(table: &mut DeTable<'i>, (key, span): &Key<'i>, value: Spanned<DeValue<'i>>) {
    table.remove(*key);
    table.insert(Spanned::new(span.clone(), (*key).into()), value);
}

/// What a table has under a key: an empty table where it had nothing.
fn entry<'t, 'i>(table: &'t mut DeTable<'i>, (key, span): &Key<'i>) -> &'t mut DeValue<'i> {
    if !table.contains_key(*key) {
        let fresh = Spanned::new(span.clone(), DeValue::Table(DeTable::new()));
        table.insert(Spanned::new(span.clone(), (*key).into()), fresh);
    }
    let found = table.get_mut(*key).expect("it was just made sure of");
    found.get_mut()
}

/// An item of a list, by its number.
fn item<'a, 'i>(
    array: &'a mut DeArray<'i>,
    (holder, _): &Key<'i>,
    (index, span): &Key<'i>,
) -> Result<&'a mut Spanned<DeValue<'i>>, Trouble> {
    let length = array.len();
    let number = index.parse::<usize>().ok();
    number
        .and_then(|number| array.get_mut(number))
        .ok_or_else(|| {
            let message = format!("`{holder}` has no item `{index}`");
            let help = format!("`{holder}` is a list of {length}, counted from 0");
            Trouble::new(span.clone(), message).help(help)
        })
}

fn single((key, span): &Key) -> Trouble {
    let message = format!("`{key}` is a single value: nothing can be set inside it");
    Trouble::new(span.clone(), message).help("leave out what follows it")
}

/// A value that has no more than [`DEEPEST`] levels, and no whole number that takes more than 64 bits.
/// Any other is taken apart here, level by level: dropping it as a whole would recurse as deeply as it
/// is nested, and so would everything that reads it.
fn checked(value: Spanned<DeValue<'_>>) -> Result<Spanned<DeValue<'_>>, Trouble> {
    let mut waiting = vec![(&value, 0)];
    let mut wrong = None;
    while wrong.is_none()
        && let Some((value, depth)) = waiting.pop()
    {
        match value.get_ref() {
            _ if depth > DEEPEST => {
                let message = format!("lists and tables are nested in more than {DEEPEST} levels");
                let help = "no key of an experiment lies so deep";
                wrong = Some(Trouble::new(value.span(), message).help(help));
            }
            DeValue::Array(array) => waiting.extend(array.iter().map(|item| (item, depth + 1))),
            DeValue::Table(table) => waiting.extend(table.values().map(|item| (item, depth + 1))),
            DeValue::Integer(number)
                if i64::from_str_radix(number.as_str(), number.radix()).is_err() =>
            {
                let message = format!("a whole number can be at most {}", i64::MAX);
                let help = "write a larger number with a power of ten, as in 1e20";
                wrong = Some(Trouble::new(value.span(), message).help(help));
            }
            _ => {}
        }
    }
    let Some(wrong) = wrong else {
        return Ok(value);
    };
    let mut waiting = vec![value.into_inner()];
    while let Some(value) = waiting.pop() {
        match value {
            DeValue::Array(array) => waiting.extend(array.into_iter().map(Spanned::into_inner)),
            DeValue::Table(table) => {
                waiting.extend(table.into_iter().map(|(_, item)| item.into_inner()));
            }
            _ => {}
        }
    }
    Err(wrong)
}

/// The same value with its places moved by `offset`.
fn shifted(value: Spanned<DeValue<'_>>, offset: usize) -> Spanned<DeValue<'_>> {
    let move_span = |span: Range<usize>| span.start + offset..span.end + offset;
    let span = move_span(value.span());
    let inner = match value.into_inner() {
        DeValue::Array(array) => DeValue::Array(
            array
                .into_iter()
                .map(|item| shifted(item, offset))
                .collect(),
        ),
        DeValue::Table(table) => DeValue::Table(
            table
                .into_iter()
                .map(|(key, item)| {
                    let span = move_span(key.span());
                    (Spanned::new(span, key.into_inner()), shifted(item, offset))
                })
                .collect(),
        ),
        other => other,
    };
    Spanned::new(span, inner)
}

/// Serde's words in ours.
fn from_serde(error: toml::de::Error) -> Trouble {
    let span = error.span().unwrap_or(0..0);
    let message = error.message();
    // The way in which a date reaches serde is nobody's business.
    if message.contains("__toml_private_datetime") {
        return Trouble::new(span, "a date or a time has no place here");
    }
    let between: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    match (message, between.split_first()) {
        (text, Some((name, known))) if text.starts_with("unknown field") => {
            Trouble::new(span, format!("{} is not known here", quoted(name)))
                .label("unknown key")
                .help(did_you_mean(name, known.iter().copied()))
        }
        (text, Some((name, known))) if text.starts_with("unknown variant") => {
            Trouble::new(span, format!("{} is not known here", quoted(name)))
                .help(did_you_mean(name, known.iter().copied()))
        }
        (text, Some((name, _))) if text.starts_with("missing field") => {
            Trouble::new(span, format!("`{name}` is missing"))
                .label("from this table")
                .help("`bvlab new NAME` writes an example with every key")
        }
        (text, _) => match text.split_once(", expected ") {
            Some((found, expected)) => {
                let found = found.strip_prefix("invalid type: ").unwrap_or(found);
                let found = found.strip_prefix("invalid value: ").unwrap_or(found);
                let plain = |words: &str| match words {
                    "a sequence" => "a list, as in [\"a\", \"b\"]".to_owned(),
                    "map" => "table".to_owned(),
                    "sequence" => "list".to_owned(),
                    other => other.to_owned(),
                };
                Trouble::new(span, format!("expected {}", plain(expected)))
                    .label(format!("this is {}", article(&plain(&shortened(found)))))
            }
            None => Trouble::new(span, first_upper(text)),
        },
    }
}

fn article(noun: &str) -> String {
    let an = noun.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {noun}", if an { "an" } else { "a" })
}

fn first_upper(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string());
    first.unwrap_or_default() + chars.as_str()
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
