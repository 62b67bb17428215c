//! A table of real data in place of a known truth.

use std::collections::{BTreeSet, HashMap, HashSet};

use rand::seq::SliceRandom;

use bvlab_core::data::{Points, Training};
use bvlab_core::problem::{MOST_CLASSES, Resample, Rows};
use bvlab_core::stream::{Purpose, Stream};
use bvlab_core::words::{did_you_mean, number};

use super::sheet::{Cell, Contents, ParquetError, Sheet};

/// How a table is read and used.
#[derive(Clone, Debug, PartialEq)]
pub struct TableUse {
    /// The column to be predicted.
    pub target: String,
    /// Whether its values are classes; by default words and truth values are.
    pub classes: Option<bool>,
    /// The columns to predict it from; by default all others.
    pub columns: Option<Vec<String>>,
    /// What is done about inputs that are missing.
    pub missing: Missing,
    /// Which rows are held out to measure the error on.
    pub test: TestRows,
    /// How training sets are made from the others.
    pub resample: Resample,
}

/// What is done about inputs that are missing. A target is never made up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// They are an error.
    #[default]
    Refuse,
    /// They become the mean of their column over the training rows.
    Mean,
    /// They become the median of their column over the training rows.
    Median,
}

/// Which rows are held out to measure the error on.
#[derive(Clone, Debug, PartialEq)]
pub enum TestRows {
    /// This share of them, drawn once for a whole experiment.
    Share(f64),
    /// Those that a column marks by 1 or true.
    Column(String),
}

/// Why a table cannot be used, and which key of the experiment is to blame.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct TableError {
    /// What is wrong, with the file, the line and the column.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// The key to blame.
    pub key: Key,
}

/// A key of the experiment that says how a table is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// The file.
    File,
    /// The column to be predicted.
    Target,
    /// Whether its values are classes.
    Classes,
    /// The columns to predict from; one of them, where its number is known.
    Columns(Option<usize>),
    /// The rows held out.
    Test,
}

impl TableError {
    pub(super) fn new(key: Key, message: impl Into<String>) -> Self {
        TableError {
            message: message.into(),
            help: None,
            key,
        }
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Reads a table from the content of a file, which errors call `file`; its ending tells CSV from
/// Parquet, whose columns `parquet` finds. Rows that are held out by their share follow from the
/// seed.
///
/// ```
/// use bvlab_core::problem::Resample;
/// use bvlab_experiment::table::{Missing, ParquetError, TableUse, TestRows, read_rows};
///
/// let text = "size,colour,held\n1,red,0\n2,blue,0\n,red,0\n4,blue,1\n";
/// let rows = read_rows("stones.csv", text.as_bytes(), &|_| Err(ParquetError::WithoutRows), 1, &TableUse {
///     target: "colour".to_owned(),
///     classes: None,
///     columns: None,
///     missing: Missing::Mean,
///     test: TestRows::Column("held".to_owned()),
///     resample: Resample::Bootstrap,
/// }).unwrap();
/// assert_eq!(rows.names, ["size"]);
/// assert_eq!(rows.classes, ["blue", "red"]);
/// assert_eq!(rows.train.inputs.values(), [1.0, 2.0, 1.5]);
/// assert_eq!(rows.train.labels, [1.0, 0.0, 1.0]);
/// assert_eq!(rows.test.labels, [0.0]);
/// ```
///
/// # Errors
///
/// What is wrong with the file or with how it is to be used.
pub fn read_rows(
    file: &str,
    bytes: &[u8],
    parquet: &dyn Fn(&[u8]) -> Result<Contents, ParquetError>,
    seed: u64,
    wanted: &TableUse,
) -> Result<Rows, TableError> {
    let sheet = Sheet::read(file, bytes, parquet)?;
    let places = sheet.names.iter().enumerate();
    let places: HashMap<&str, usize> = places.map(|(i, name)| (name.as_str(), i)).collect();
    let find = |name: &str, key: Key| {
        places.get(name).copied().ok_or_else(|| {
            TableError::new(key, format!("{file} has no column `{name}`"))
                .help(did_you_mean(name, sheet.names.iter().map(String::as_str)))
        })
    };
    let target = find(&wanted.target, Key::Target)?;
    let marks = match &wanted.test {
        TestRows::Column(name) => Some(find(name, Key::Test)?),
        TestRows::Share(_) => None,
    };
    if marks == Some(target) {
        let message = format!("`{}` is the target", wanted.target);
        return Err(TableError::new(Key::Test, message)
            .help("mark the held-out rows in a separate column, by 0 and 1"));
    }
    let inputs = match &wanted.columns {
        None => {
            let others = (0..sheet.names.len()).filter(|i| *i != target && Some(*i) != marks);
            others.collect::<Vec<_>>()
        }
        Some(names) => named_columns(names, find, target, marks)?,
    };
    if inputs.is_empty() {
        let message = format!("{file} has no column to predict `{}` from", wanted.target);
        return Err(TableError::new(Key::Columns(None), message)
            .help("a table needs a column of numbers beside the target"));
    }
    let (labels, classes) = read_target(&sheet, target, wanted.classes)?;
    let held = match marks {
        Some(column) => read_marks(&sheet, column)?,
        None => draw_held(file, &sheet, &wanted.test, seed)?,
    };
    let count = held.iter().filter(|held| **held).count();
    if count == 0 || sheet.rows() - count < 2 {
        let message = format!(
            "{file} has {} rows to train on and {count} to test on",
            sheet.rows() - count
        );
        return Err(TableError::new(Key::Test, message)
            .help("at least 2 are needed to train on, and 1 to test on"));
    }
    check_not_constant(file, &wanted.target, &labels, &held)?;
    let mut values = vec![0.0; sheet.rows() * inputs.len()];
    let mut imputed = 0;
    for (place, &column) in inputs.iter().enumerate() {
        let key = Key::Columns(wanted.columns.as_ref().map(|_| place));
        let mut numbers = read_numbers(&sheet, column, key)?;
        imputed += impute(&sheet, column, &mut numbers, &held, wanted.missing)?;
        let cells = values.iter_mut().skip(place).step_by(inputs.len());
        cells.zip(numbers).for_each(|(cell, number)| *cell = number);
    }
    let part = |test: bool| {
        let rows = values.chunks_exact(inputs.len()).zip(&labels).zip(&held);
        let rows = rows.filter(|(_, held)| **held == test);
        let (mut values, mut kept) = (Vec::new(), Vec::new());
        for ((row, label), _) in rows {
            values.extend_from_slice(row);
            kept.push(*label);
        }
        Training {
            inputs: Points::new(inputs.len(), values),
            labels: kept,
        }
    };
    let rows = Rows {
        target: wanted.target.clone(),
        names: inputs.iter().map(|&i| sheet.names[i].clone()).collect(),
        classes,
        train: part(false),
        test: part(true),
        resample: wanted.resample,
        imputed,
    };
    let (least, most) = rows.range();
    if least == most {
        let message = format!("the columns of {file} to predict from are the same in every row");
        return Err(TableError::new(Key::Columns(None), message)
            .help("there is nothing to learn from them"));
    }
    Ok(rows)
}

/// The columns of these names, each once, and none that is the target or marks the rows held out.
fn named_columns(
    names: &[String],
    find: impl Fn(&str, Key) -> Result<usize, TableError>,
    target: usize,
    marks: Option<usize>,
) -> Result<Vec<usize>, TableError> {
    let mut inputs = Vec::new();
    let mut taken = HashSet::new();
    for (place, name) in names.iter().enumerate() {
        let key = Key::Columns(Some(place));
        let column = find(name, key)?;
        let refusal = if column == target {
            Some("is the target")
        } else if Some(column) == marks {
            Some("marks the rows held out")
        } else if !taken.insert(column) {
            Some("is named twice")
        } else {
            None
        };
        if let Some(refusal) = refusal {
            return Err(TableError::new(key, format!("`{name}` {refusal}"))
                .help("leave it out of `columns`"));
        }
        inputs.push(column);
    }
    Ok(inputs)
}

/// The labels, and the names of the classes if they are classes.
fn read_target(
    sheet: &Sheet,
    column: usize,
    classes: Option<bool>,
) -> Result<(Vec<f64>, Vec<String>), TableError> {
    let name = &sheet.names[column];
    let cells = sheet.cells(column, Key::Target)?;
    if let Some(row) = cells.iter().position(|cell| *cell == Cell::Missing) {
        let message = format!("{}: the target `{name}` is missing", sheet.place(row));
        return Err(TableError::new(Key::Target, message)
            .help("a missing target cannot be imputed: fill it in, or remove the row"));
    }
    let is_number = |cell: &Cell| matches!(cell, Cell::Number(_));
    let words = cells.iter().position(|cell| !is_number(cell));
    let numbers = cells.iter().any(is_number);
    if let Some(row) = words
        && (classes == Some(false) || numbers && classes.is_none())
    {
        let message = format!(
            "{}: `{name}` is {}, not a number",
            sheet.place(row),
            shown(&cells[row])
        );
        return Err(TableError::new(Key::Target, message)
            .help("correct it; or, if every value is the name of a class, set `classes = true`"));
    }
    if words.is_none() && classes != Some(true) {
        return Ok((read_numbers(sheet, column, Key::Target)?, Vec::new()));
    }
    if words.is_none() {
        let whole =
            |cell: &Cell| matches!(cell, Cell::Number(n) if n.fract() == 0.0 && n.abs() < 1e15);
        if let Some(row) = cells.iter().position(|cell| !whole(cell)) {
            let message = format!(
                "{}: `{name}` is {}, which is not a class",
                sheet.place(row),
                shown(&cells[row])
            );
            return Err(TableError::new(Key::Classes, message).help(
                "classes are words or whole numbers; a number to be predicted needs no `classes`",
            ));
        }
    }
    // Whole numbers stand in their own order, words in that of the alphabet.
    let order = |cell: &Cell| match cell {
        Cell::Number(value) if words.is_none() => (*value as i64, String::new()),
        cell => (0, class_name(cell)),
    };
    let known: BTreeSet<_> = cells.iter().map(order).collect();
    if known.len() > MOST_CLASSES {
        let message = format!("`{name}` has {} classes", known.len());
        return Err(TableError::new(Key::Target, message).help(format!(
            "there can be at most {MOST_CLASSES}; a column that is a number needs no `classes`"
        )));
    }
    let known: Vec<_> = known.into_iter().collect();
    let labels: Vec<usize> = cells
        .iter()
        .map(|cell| known.binary_search(&order(cell)).unwrap_or(0))
        .collect();
    let mut names = vec![String::new(); known.len()];
    for (cell, &label) in cells.iter().zip(&labels) {
        if names[label].is_empty() {
            names[label] = class_name(cell);
        }
    }
    Ok((
        labels.into_iter().map(|label| label as f64).collect(),
        names,
    ))
}

fn class_name(cell: &Cell) -> String {
    match cell {
        Cell::Missing => String::new(),
        Cell::Number(value) => number(*value),
        Cell::Truth(truth) => truth.to_string(),
        Cell::Word(word) => word.clone(),
    }
}

/// A cell within a sentence.
fn shown(cell: &Cell) -> String {
    const LONG: usize = 40;
    match cell {
        Cell::Missing => "missing".to_owned(),
        Cell::Word(word) if word.chars().count() > LONG => {
            format!("`{}…`", word.chars().take(LONG).collect::<String>())
        }
        cell => format!("`{}`", class_name(cell)),
    }
}

/// A column of numbers, NaN where one is missing.
fn read_numbers(sheet: &Sheet, column: usize, key: Key) -> Result<Vec<f64>, TableError> {
    let name = &sheet.names[column];
    let cells = sheet.cells(column, key)?.iter().enumerate();
    let numbers = cells.map(|(row, cell)| match cell {
        Cell::Number(value) if value.is_finite() => Ok(*value),
        Cell::Number(value) => {
            let message = format!("{}: `{name}` is {value}", sheet.place(row));
            Err(TableError::new(key, message).help("a number must be finite"))
        }
        Cell::Truth(truth) => Ok(f64::from(*truth)),
        Cell::Missing => Ok(f64::NAN),
        Cell::Word(_) => {
            let message = format!(
                "{}: `{name}` is {}, not a number",
                sheet.place(row),
                shown(cell)
            );
            Err(TableError::new(key, message).help(format!(
                "correct it, or leave `{name}` out: `columns = […]` lists the columns to use"
            )))
        }
    });
    numbers.collect()
}

/// Which rows a column marks.
fn read_marks(sheet: &Sheet, column: usize) -> Result<Vec<bool>, TableError> {
    let cells = sheet.cells(column, Key::Test)?.iter().enumerate();
    let marks = cells.map(|(row, cell)| match cell {
        Cell::Truth(held) => Ok(*held),
        Cell::Number(value) if [0.0, 1.0].contains(value) => Ok(*value == 1.0),
        other => {
            let (place, name) = (sheet.place(row), &sheet.names[column]);
            let message = format!("{place}: `{name}` is {}, not 0 or 1", shown(other));
            Err(TableError::new(Key::Test, message)
                .help("1 marks a row to test on, 0 a row to train on"))
        }
    });
    marks.collect()
}

fn draw_held(
    file: &str,
    sheet: &Sheet,
    test: &TestRows,
    seed: u64,
) -> Result<Vec<bool>, TableError> {
    let rows = sheet.rows();
    let TestRows::Share(share) = test else {
        return Ok(vec![false; rows]);
    };
    if rows < 3 {
        let plural = if rows == 1 { "row" } else { "rows" };
        return Err(
            TableError::new(Key::File, format!("{file} has only {rows} {plural}"))
                .help("at least 2 are needed to train on, and 1 to test on"),
        );
    }
    let count = (share * rows as f64).round().clamp(1.0, (rows - 2) as f64) as usize;
    let mut order: Vec<usize> = (0..rows).collect();
    order.shuffle(&mut Stream::new(seed, Purpose::TestPoints, 0));
    let mut held = vec![false; rows];
    order[..count].iter().for_each(|&row| held[row] = true);
    Ok(held)
}

fn check_not_constant(
    file: &str,
    target: &str,
    labels: &[f64],
    held: &[bool],
) -> Result<(), TableError> {
    let constant = |mut labels: Box<dyn Iterator<Item = &f64> + '_>| {
        let first = labels.next();
        labels.all(|label| Some(label) == first)
    };
    let train = labels.iter().zip(held).filter(|(_, held)| !**held);
    let (key, which) = if constant(Box::new(labels.iter())) {
        (Key::Target, "row")
    } else if constant(Box::new(train.map(|(label, _)| label))) {
        (Key::Test, "row to train on")
    } else {
        return Ok(());
    };
    let message = format!("`{target}` is the same in every {which} of {file}");
    Err(TableError::new(key, message).help("there is nothing to learn from it"))
}

/// Makes up what is missing in a column, from its training rows; the number of such cells.
fn impute(
    sheet: &Sheet,
    column: usize,
    numbers: &mut [f64],
    held: &[bool],
    missing: Missing,
) -> Result<usize, TableError> {
    let name = &sheet.names[column];
    let Some(row) = numbers.iter().position(|value| value.is_nan()) else {
        return Ok(0);
    };
    if missing == Missing::Refuse {
        let message = format!("{}: `{name}` is missing", sheet.place(row));
        return Err(TableError::new(Key::File, message).help(format!(
            "fill it in, leave `{name}` out of `columns`, or set `missing = \"mean\"` or `\"median\"`"
        )));
    }
    let known = numbers.iter().zip(held);
    let known = known.filter(|(value, held)| !**held && !value.is_nan());
    let mut known: Vec<f64> = known.map(|(value, _)| *value).collect();
    if known.is_empty() {
        let message = format!("`{name}` is missing in every row to train on");
        return Err(TableError::new(Key::File, message).help(format!(
            "leave `{name}` out: `columns = […]` lists the columns to use"
        )));
    }
    let count = known.len();
    let value = match missing {
        Missing::Median => {
            known.sort_by(f64::total_cmp);
            known[(count - 1) / 2] / 2.0 + known[count / 2] / 2.0
        }
        // Divided first, so that large numbers do not add up to infinity.
        _ => known.iter().map(|value| value / count as f64).sum(),
    };
    let gaps = numbers.iter_mut().filter(|value| value.is_nan());
    Ok(gaps.map(|gap| *gap = value).count())
}
