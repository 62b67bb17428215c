//! A problem that is a table of real data, and where its file is found.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use toml::Spanned;

use super::raw::{Block, RawProblem, RawRun, Value};
use super::source::{Source, Trouble, hash};
use super::{Bounds, Test, TestKind, problem, run};
use crate::problem::{
    Inputs, Key, Labels, MOST_BYTES, Missing, Problem, Resample, Rows, TableUse, TestRows,
};
use crate::shipped;
use crate::words::{did_you_mean, nearest, thousands};

/// Where the table that an experiment names is found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Files {
    /// Nowhere: a text that came from elsewhere names no file of this machine.
    #[default]
    Nowhere,
    /// Among those that ship inside the program.
    Shipped,
    /// On disk; paths begin at this folder.
    Folder(PathBuf),
    /// In a folder of results, which keeps a copy.
    Kept(PathBuf),
    /// In memory: these, which were read before, then those that ship. No file is ever read.
    Held(Vec<Arc<TableFile>>),
}

/// A table as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableFile {
    /// What the experiment calls it.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
    /// A hash of the content.
    pub hash: String,
}

impl TableFile {
    /// What its copy in a folder of results is called: `table.csv` or `table.parquet`.
    pub fn copy_name(&self) -> String {
        copy_name(&self.name)
    }
}

fn copy_name(file: &str) -> String {
    let ending = Path::new(file).extension().unwrap_or_default();
    format!("table.{}", ending.to_string_lossy().to_lowercase())
}

/// What is said of every table where none is read, whether or not there is such a file.
const NOWHERE: (&str, &str) = (
    "tables cannot be read here",
    "`bvlab run FILE` runs an experiment with a table",
);

/// Why a table is not found, and what to do.
pub(super) struct NotFound {
    message: String,
    help: String,
}

impl Files {
    /// The files beside an experiment's own.
    pub fn beside(experiment: &Path) -> Self {
        Files::Folder(experiment.parent().unwrap_or(Path::new("")).to_owned())
    }

    pub(super) fn read(&self, name: &str) -> Result<Arc<TableFile>, NotFound> {
        let refuse = |reason: &str, help: String| NotFound {
            message: format!("cannot read {name}: {reason}"),
            help,
        };
        let path = match self {
            Files::Nowhere => {
                return Err(NotFound {
                    message: NOWHERE.0.to_owned(),
                    help: NOWHERE.1.to_owned(),
                });
            }
            Files::Shipped => {
                let bytes = shipped::table(name).ok_or_else(|| {
                    let help = "copy the experiment to a file of your own: `bvlab list --show NAME > mine.toml`";
                    refuse("it does not ship with bvlab", help.to_owned())
                })?;
                return Ok(file(name, bytes.into_owned()));
            }
            Files::Held(tables) => {
                if let Some(table) = tables.iter().find(|table| table.name == name) {
                    return Ok(table.clone());
                }
                let bytes = shipped::table(name).ok_or_else(|| {
                    let help = "its tables are those that ship with bvlab, and that of the experiment it was opened with: `bvlab lab FILE`";
                    refuse("the live page reads no files", help.to_owned())
                })?;
                return Ok(file(name, bytes.into_owned()));
            }
            Files::Folder(folder) => folder.join(name),
            Files::Kept(home) => home.join(copy_name(name)),
        };
        let failed = |error: std::io::Error| {
            let help = suggestion(&path).unwrap_or_else(|| {
                "the path of a table begins where the experiment's file is".to_owned()
            });
            refuse(&error.to_string(), help)
        };
        let found = fs::metadata(&path).map_err(failed)?;
        if !found.is_file() {
            let help = "name a CSV or Parquet file".to_owned();
            return Err(refuse("it is not a file", help));
        }
        let mut bytes = Vec::new();
        // One byte more than may be, so that what is too large is known to be.
        let opened = File::open(&path).map_err(failed)?;
        let read = opened.take(MOST_BYTES + 1).read_to_end(&mut bytes);
        read.map_err(failed)?;
        Ok(file(name, bytes))
    }
}

fn file(name: &str, bytes: Vec<u8>) -> Arc<TableFile> {
    Arc::new(TableFile {
        name: name.to_owned(),
        hash: hash(&bytes),
        bytes,
    })
}

/// A file that the user may have meant.
fn suggestion(path: &Path) -> Option<String> {
    let folder = path.parent()?;
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    let entries = fs::read_dir(folder).ok()?.flatten();
    let names: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    let wanted = path.file_name()?.to_string_lossy().into_owned();
    let near = nearest(&wanted, names.iter().map(String::as_str))?;
    Some(format!("did you mean `{near}`?"))
}

/// The problem of a table, and the table's file.
pub(super) fn check(
    table: &Spanned<String>,
    raw: &Spanned<RawProblem>,
    source: &Source,
    run: &RawRun,
    bounds: &Bounds,
) -> Result<(Problem, Arc<TableFile>), Trouble> {
    let seed = run::check_run(run, bounds)?.seed;
    let raw = raw.get_ref();
    if source.files == Files::Nowhere {
        return Err(Trouble::new(table.span(), NOWHERE.0).help(NOWHERE.1));
    }
    for (name, span) in [
        ("truth", raw.truth.as_ref().map(Spanned::span)),
        ("inputs", raw.inputs.as_ref().map(Spanned::span)),
        ("noise", raw.noise.as_ref().map(Spanned::span)),
    ] {
        if let Some(span) = span {
            let message = format!("`{name}` and `table` exclude each other");
            return Err(Trouble::new(span, message).help(
                "a table brings its own inputs and labels, and nobody knows the truth behind them",
            ));
        }
    }
    if let Some(test) = &run.test {
        let message = "a table is tested on its own rows";
        return Err(Trouble::new(test.span(), message)
            .help("say which under `[problem]`, as in `test = 0.3`, and leave this out"));
    }
    if let Some(sources) = &run.sources
        && *sources.get_ref()
    {
        let message = "inputs and noise of a table cannot be drawn apart";
        return Err(Trouble::new(sources.span(), message).help("leave out `sources`"));
    }
    let Some(target) = &raw.target else {
        return Err(Trouble::new(table.span(), "`target` is missing")
            .help("name the column to be predicted, as in `target = \"species\"`"));
    };
    let wanted = TableUse {
        target: target.get_ref().clone(),
        classes: match &raw.classes {
            None => None,
            Some(classes) => match classes.get_ref() {
                Value::Bool(classes) => Some(*classes),
                _ => {
                    let message = "with a table, `classes` is true or false";
                    return Err(Trouble::new(classes.span(), message)
                        .help("the classes are the values of the target"));
                }
            },
        },
        columns: raw.columns.as_ref().map(|columns| {
            let names = columns.get_ref().iter();
            names.map(|name| name.get_ref().clone()).collect()
        }),
        missing: match &raw.missing {
            None => Missing::Refuse,
            Some(name) => one_of(
                name,
                [
                    ("refuse", Missing::Refuse),
                    ("mean", Missing::Mean),
                    ("median", Missing::Median),
                ],
            )?,
        },
        test: match &raw.test {
            None => TestRows::Share(0.3),
            Some(test) => check_held(test)?,
        },
        resample: match &raw.resample {
            None => Resample::Bootstrap,
            Some(name) => one_of(
                name,
                [
                    ("bootstrap", Resample::Bootstrap),
                    ("halves", Resample::Halves),
                ],
            )?,
        },
    };
    let file = source.files.read(table.get_ref());
    let file = file.map_err(|error| Trouble::new(table.span(), error.message).help(error.help))?;
    let rows = Rows::read(table.get_ref(), &file.bytes, seed, &wanted).map_err(|error| {
        let column = |place: usize| raw.columns.as_ref()?.get_ref().get(place);
        let span = match error.key {
            Key::File => None,
            Key::Target => Some(target.span()),
            Key::Classes => raw.classes.as_ref().map(Spanned::span),
            Key::Columns(place) => match place.and_then(column) {
                Some(column) => Some(column.span()),
                None => raw.columns.as_ref().map(Spanned::span),
            },
            Key::Test => raw.test.as_ref().map(Spanned::span),
        };
        let trouble = Trouble::new(span.unwrap_or(table.span()), error.message);
        match error.help {
            Some(help) => trouble.help(help),
            None => trouble,
        }
    })?;
    if rows.names.len() as u64 > bounds.dimension {
        let message = format!(
            "there can be at most {} columns to predict from, not {}",
            bounds.dimension,
            rows.names.len()
        );
        return Err(Trouble::new(table.span(), message).help("name fewer in `columns`"));
    }
    if rows.test.len() as u64 > bounds.test {
        let message = format!(
            "there can be at most {} rows held out, not {}",
            thousands(bounds.test),
            thousands(rows.test.len() as u64)
        );
        let span = raw.test.as_ref().map_or(table.span(), Spanned::span);
        return Err(Trouble::new(span, message).help("hold out a smaller share: `test = 0.1`"));
    }
    let dimension = rows.names.len();
    let rows = Arc::new(rows);
    let inputs = Inputs::Rows(rows.clone());
    let train = match &raw.train {
        Some(train) if rows.resample == Resample::Halves => {
            let message = "`train` and `resample = \"halves\"` exclude each other";
            return Err(Trouble::new(train.span(), message)
                .help("a half has half of the rows; a bootstrap can have any number of them"));
        }
        Some(train) => problem::check_train(train, &inputs, dimension, bounds)?,
        None if rows.size() as u64 > bounds.train => {
            let message = format!(
                "a training set can have at most {} rows, not {}",
                thousands(bounds.train),
                thousands(rows.size() as u64)
            );
            return Err(
                Trouble::new(table.span(), message).help(match rows.resample {
                    Resample::Bootstrap => "draw fewer of them, as in `train = 100`",
                    Resample::Halves => {
                        "draw fewer of them, as in `train = 100`, without `resample`"
                    }
                }),
            );
        }
        None => rows.size(),
    };
    let problem = Problem {
        labels: Labels::Rows(rows),
        inputs,
        fixed: false,
        dimension,
        train,
    };
    Ok((problem, file))
}

/// The rows held out, as test points.
pub(super) fn test(rows: &Rows) -> Test {
    let count = rows.test.len();
    Test {
        points: rows.test.inputs.clone(),
        weights: vec![1.0 / count as f64; count],
        kind: TestKind::Rows,
        probe: None,
        left_out: 0.0,
    }
}

fn check_held(raw: &Spanned<Value>) -> Result<TestRows, Trouble> {
    match raw.get_ref() {
        Value::Number(share) if *share > 0.0 && *share < 1.0 => Ok(TestRows::Share(*share)),
        Value::Number(_) => {
            let message = "`test` must be between 0 and 1";
            Err(Trouble::new(raw.span(), message)
                .help("0.3 holds out three rows of ten, to measure the error on"))
        }
        Value::Table(Block(entries)) => match entries.as_slice() {
            [(key, value)] if key.get_ref() == "column" => match value.get_ref() {
                Value::Text(name) => Ok(TestRows::Column(name.clone())),
                other => Err(Trouble::new(value.span(), "expected the name of a column")
                    .label(format!("this is {}", other.kind()))),
            },
            _ => Err(held_form(raw)),
        },
        _ => Err(held_form(raw)),
    }
}

fn held_form(raw: &Spanned<Value>) -> Trouble {
    Trouble::new(raw.span(), "expected a share, or a column")
        .help("as in `test = 0.3`, or `test = { column = \"held-out\" }`")
}

fn one_of<T: Copy, const N: usize>(
    name: &Spanned<String>,
    known: [(&str, T); N],
) -> Result<T, Trouble> {
    let found = known.iter().find(|(known, _)| known == name.get_ref());
    found.map(|(_, value)| *value).ok_or_else(|| {
        let message = format!("`{}` is not known here", name.get_ref());
        let names = known.map(|(name, _)| name);
        Trouble::new(name.span(), message).help(did_you_mean(name.get_ref(), names))
    })
}

/// The form of `missing`, for the schema.
pub(super) struct MissingForm;

/// The form of `test`, for the schema.
pub(super) struct HeldForm;

/// The form of `resample`, for the schema.
pub(super) struct ResampleForm;

impl JsonSchema for MissingForm {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Missing".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "enum": ["refuse", "mean", "median"] })
    }
}

impl JsonSchema for ResampleForm {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Resample".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "enum": ["bootstrap", "halves"] })
    }
}

impl JsonSchema for HeldForm {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "HeldOut".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "oneOf": [
            { "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1 },
            {
                "type": "object", "required": ["column"], "additionalProperties": false,
                "properties": { "column": { "type": "string" } }
            }
        ] })
    }
}
