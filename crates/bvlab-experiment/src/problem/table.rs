//! A problem that is a table of real data.

use std::sync::Arc;

use bvlab_core::problem::{Inputs, Labels, Problem, Resample, Rows};
use bvlab_core::words::{did_you_mean, thousands};
use toml::Spanned;

use super::check_train;
use crate::bounds::Bounds;
use crate::raw::{Block, RawProblem, RawRun, Value};
use crate::source::{Source, SourceError};
use crate::table::{
    Key, Missing, NoTables, NotFound, TableError, TableFile, TableSource, TableUse, TestRows,
    read_rows,
};

/// The problem of a table, and the table's file.
pub(crate) fn check(
    table: &Spanned<String>,
    raw: &Spanned<RawProblem>,
    source: &Source,
    (run, seed): (&RawRun, u64),
    bounds: &Bounds,
) -> Result<(Problem, Arc<TableFile>), SourceError> {
    let raw = raw.get_ref();
    let refuse = |error: NotFound| SourceError::new(table.span(), error.message).help(error.help);
    // Where there are no tables, that is the first thing to know.
    if !source.has_tables() {
        let nowhere = NoTables.read(table.get_ref());
        return Err(nowhere
            .err()
            .map_or_else(|| SourceError::new(table.span(), ""), refuse));
    }
    exclude(raw, run)?;
    let Some(target) = &raw.target else {
        return Err(SourceError::new(table.span(), "`target` is missing")
            .help("name the column to be predicted, as in `target = \"species\"`"));
    };
    let wanted = wanted(target, raw)?;
    let tables = source.tables();
    let file = tables.read(table.get_ref()).map_err(refuse)?;
    let parquet = |bytes: &[u8]| tables.parquet(bytes);
    let rows = read_rows(table.get_ref(), &file.bytes, &parquet, seed, &wanted);
    let rows = rows.map_err(|error| located(error, table, raw))?;
    check_size(&rows, table, raw, bounds)?;
    let dimension = rows.names.len();
    let rows = Arc::new(rows);
    let inputs = Inputs::Rows(rows.clone());
    let train = match &raw.train {
        Some(train) if rows.resample == Resample::Halves => {
            let message = "`train` and `resample = \"halves\"` exclude each other";
            return Err(SourceError::new(train.span(), message)
                .help("a half has half of the rows; a bootstrap can have any number of them"));
        }
        Some(train) => check_train(train, &inputs, dimension, bounds)?,
        None if rows.resample == Resample::Disjoint => {
            let resample = raw.resample.as_ref().map(Spanned::span);
            let message = "`resample = \"disjoint\"` needs `train`, the rows of a training set";
            return Err(
                SourceError::new(resample.unwrap_or(table.span()), message).help(
                    "as in `train = 100`: the rows are parted among training sets of that size",
                ),
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

/// Refuses keys that a table has no use for.
fn exclude(raw: &RawProblem, run: &RawRun) -> Result<(), SourceError> {
    for (name, span) in [
        ("truth", raw.truth.as_ref().map(Spanned::span)),
        ("inputs", raw.inputs.as_ref().map(Spanned::span)),
        ("noise", raw.noise.as_ref().map(Spanned::span)),
        ("density", raw.density.as_ref().map(Spanned::span)),
    ] {
        if let Some(span) = span {
            let message = format!("`{name}` and `table` exclude each other");
            return Err(SourceError::new(span, message)
                .help("a table has its own inputs and labels, and its truth is unknown"));
        }
    }
    if let Some(test) = &run.test {
        let message = "a table is tested on its own rows";
        return Err(SourceError::new(test.span(), message)
            .help("say which under `[problem]`, as in `test = 0.3`, and leave this out"));
    }
    if let Some(sources) = &run.sources
        && *sources.get_ref()
    {
        let message = "inputs and noise of a table cannot be drawn separately";
        return Err(SourceError::new(sources.span(), message).help("leave out `sources`"));
    }
    Ok(())
}

/// How the table is to be used.
fn wanted(target: &Spanned<String>, raw: &RawProblem) -> Result<TableUse, SourceError> {
    Ok(TableUse {
        target: target.get_ref().clone(),
        classes: match &raw.classes {
            None => None,
            Some(classes) => match classes.get_ref() {
                Value::Bool(classes) => Some(*classes),
                _ => {
                    let message = "with a table, `classes` is true or false";
                    return Err(SourceError::new(classes.span(), message)
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
                    ("disjoint", Resample::Disjoint),
                ],
            )?,
        },
    })
}

/// The place in the experiment that an error of a table is about.
fn located(error: TableError, table: &Spanned<String>, raw: &RawProblem) -> SourceError {
    let column = |place: usize| raw.columns.as_ref()?.get_ref().get(place);
    let span = match error.key {
        Key::File => None,
        Key::Target => raw.target.as_ref().map(Spanned::span),
        Key::Classes => raw.classes.as_ref().map(Spanned::span),
        Key::Columns(place) => match place.and_then(column) {
            Some(column) => Some(column.span()),
            None => raw.columns.as_ref().map(Spanned::span),
        },
        Key::Test => raw.test.as_ref().map(Spanned::span),
    };
    let trouble = SourceError::new(span.unwrap_or(table.span()), error.message);
    match error.help {
        Some(help) => trouble.help(help),
        None => trouble,
    }
}

/// Refuses a table that is too large.
fn check_size(
    rows: &Rows,
    table: &Spanned<String>,
    raw: &RawProblem,
    bounds: &Bounds,
) -> Result<(), SourceError> {
    if rows.names.len() as u64 > bounds.dimension {
        let message = format!(
            "there can be at most {} columns to predict from, not {}",
            bounds.dimension,
            rows.names.len()
        );
        return Err(SourceError::new(table.span(), message).help("name fewer in `columns`"));
    }
    if rows.test.len() as u64 > bounds.test {
        let message = format!(
            "there can be at most {} rows held out, not {}",
            thousands(bounds.test),
            thousands(rows.test.len() as u64)
        );
        let span = raw.test.as_ref().map_or(table.span(), Spanned::span);
        return Err(SourceError::new(span, message).help("hold out a smaller share: `test = 0.1`"));
    }
    if raw.train.is_none() && rows.size() as u64 > bounds.train {
        let message = format!(
            "a training set can have at most {} rows, not {}",
            thousands(bounds.train),
            thousands(rows.size() as u64)
        );
        return Err(
            SourceError::new(table.span(), message).help(match rows.resample {
                Resample::Bootstrap | Resample::Disjoint => {
                    "draw fewer of them, as in `train = 100`"
                }
                Resample::Halves => "draw fewer of them, as in `train = 100`, without `resample`",
            }),
        );
    }
    Ok(())
}

fn check_held(raw: &Spanned<Value>) -> Result<TestRows, SourceError> {
    match raw.get_ref() {
        Value::Number(share) if *share > 0.0 && *share < 1.0 => Ok(TestRows::Share(*share)),
        Value::Number(_) => {
            let message = "`test` must be between 0 and 1";
            Err(SourceError::new(raw.span(), message)
                .help("0.3 holds out three rows of ten, to measure the error on"))
        }
        Value::Table(Block(entries)) => match entries.as_slice() {
            [(key, value)] if key.get_ref() == "column" => match value.get_ref() {
                Value::Text(name) => Ok(TestRows::Column(name.clone())),
                other => Err(
                    SourceError::new(value.span(), "expected the name of a column")
                        .label(format!("this is {}", other.kind())),
                ),
            },
            _ => Err(held_form(raw)),
        },
        _ => Err(held_form(raw)),
    }
}

fn held_form(raw: &Spanned<Value>) -> SourceError {
    SourceError::new(raw.span(), "expected a share, or a column")
        .help("as in `test = 0.3`, or `test = { column = \"held-out\" }`")
}

fn one_of<T: Copy, const N: usize>(
    name: &Spanned<String>,
    known: [(&str, T); N],
) -> Result<T, SourceError> {
    let found = known.iter().find(|(known, _)| known == name.get_ref());
    found.map(|(_, value)| *value).ok_or_else(|| {
        let message = format!("`{}` is not known here", name.get_ref());
        let names = known.map(|(name, _)| name);
        SourceError::new(name.span(), message).help(did_you_mean(name.get_ref(), names))
    })
}
