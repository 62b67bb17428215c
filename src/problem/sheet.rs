//! A file of columns, as it is written: CSV or Parquet, read by polars.

use std::collections::HashSet;
use std::io::Cursor;
use std::path::Path;

use polars::io::SerReader;
use polars::prelude::{
    ArrowDataType, Column, CsvParseOptions, CsvReadOptions, DataType, PolarsError,
};
use serde::{Deserialize, Serialize};

use super::apart;
use super::table::{Key, TableError};
use crate::parquet::{self, quietly};
use crate::words::thousands;

/// The largest file that is read, in bytes.
pub const MOST_BYTES: u64 = 1 << 28;

/// The most cells of a table.
pub const MOST_CELLS: usize = 20_000_000;

/// The most bytes of all texts of a table.
const MOST_TEXT: usize = 1 << 29;

/// Columns of a file, cell by cell, and where the rows stand in it.
pub(super) struct Sheet {
    /// The file, as messages call it.
    file: String,
    pub names: Vec<String>,
    /// What cannot be read is told by its type.
    columns: Vec<Result<Vec<Cell>, String>>,
    rows: usize,
    /// The line of every row, where the file is one of lines.
    lines: Option<Vec<usize>>,
}

/// What stands in one place of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Cell {
    Missing,
    Number(f64),
    Truth(bool),
    Word(String),
}

impl Cell {
    /// A cell of a text file.
    fn read(text: Option<&str>) -> Cell {
        let text = text.map_or("", str::trim);
        match text {
            "" | "NA" | "N/A" | "NULL" | "null" | "None" | "?" => Cell::Missing,
            "true" | "True" | "TRUE" => Cell::Truth(true),
            "false" | "False" | "FALSE" => Cell::Truth(false),
            _ => match text.parse::<f64>() {
                Ok(number) => Cell::of(number),
                Err(_) => Cell::Word(text.to_owned()),
            },
        }
    }

    fn of(number: f64) -> Cell {
        match number.is_nan() {
            true => Cell::Missing,
            false => Cell::Number(number),
        }
    }
}

impl Sheet {
    /// Reads a file's content. What its name ends with tells what it is.
    pub fn read(file: &str, bytes: &[u8]) -> Result<Sheet, TableError> {
        let ending = Path::new(file).extension().unwrap_or_default();
        let ending = ending.to_string_lossy().to_lowercase();
        if bytes.len() as u64 > MOST_BYTES {
            return Err(too_large(file));
        }
        let sheet = match ending.as_str() {
            "csv" | "tsv" | "txt" => csv(file, bytes),
            "parquet" | "pq" => parquet(file, bytes),
            _ => Err(
                TableError::new(Key::File, format!("{file} is neither CSV nor Parquet"))
                    .help("a table's name ends with .csv or .parquet"),
            ),
        }?;
        let mut known = HashSet::new();
        for (i, name) in sheet.names.iter().enumerate() {
            if name.is_empty() {
                let message = format!("column {} of {file} has no name", i + 1);
                return Err(TableError::new(Key::File, message).help(
                    "give it a name in the first line; pandas writes such a column for its index, unless told `index=False`",
                ));
            }
            if !known.insert(name) {
                let message = format!("{file} has two columns called `{name}`");
                return Err(TableError::new(Key::File, message).help("rename one of them"));
            }
        }
        Ok(sheet)
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The cells of a column.
    pub fn cells(&self, column: usize, key: Key) -> Result<&[Cell], TableError> {
        self.columns[column].as_deref().map_err(|kind| {
            let name = &self.names[column];
            let message = format!("`{name}` in {} is a column of type {kind}", self.file);
            TableError::new(key, message).help(format!(
                "save it as 64-bit numbers or as text, or leave `{name}` out: `columns = […]` lists the columns to use"
            ))
        })
    }

    /// Where a row stands, as an editor counts: `iris.csv, line 18`.
    pub fn place(&self, row: usize) -> String {
        match &self.lines {
            Some(lines) => format!("{}, line {}", self.file, lines[row]),
            None => format!("{}, row {}", self.file, row + 1),
        }
    }
}

/// The refusal of a table that is too large.
pub(super) fn too_large(file: &str) -> TableError {
    let message = format!("{file} is too large");
    TableError::new(Key::File, message).help(format!(
        "a table can have at most {} cells and {} MB",
        thousands(MOST_CELLS as u64),
        MOST_BYTES >> 20
    ))
}

fn unreadable(file: &str, reason: impl std::fmt::Display) -> TableError {
    TableError::new(Key::File, format!("cannot read {file}: {reason}"))
}

fn without_rows(file: &str) -> TableError {
    TableError::new(Key::File, format!("{file} has no rows"))
        .help("a table has a line of column names, and a line for every row")
}

/// All cells are read as words, so that what is not a number can be told with its line.
fn csv(file: &str, bytes: &[u8]) -> Result<Sheet, TableError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count();
        TableError::new(
            Key::File,
            format!("{file}, line {line} is not text in UTF-8"),
        )
        .help("save the file anew with the encoding UTF-8")
    })?;
    let first = text.trim_start().lines().next().unwrap_or("");
    let count = |separator: &u8| first.bytes().filter(|byte| byte == separator).count();
    // The last of equals is taken, which is the comma.
    let separator = [b'\t', b';', b','].into_iter().max_by_key(count);
    let separator = separator.unwrap_or(b',');
    let records = records(text, separator);
    let Some((header, rows)) = records.split_first().filter(|(_, rows)| !rows.is_empty()) else {
        return Err(without_rows(file));
    };
    let width = header.cells;
    if let Some(row) = rows.iter().find(|row| row.cells != width) {
        let message = format!(
            "{file}, line {} has {} cells, not {width}",
            row.line, row.cells
        );
        return Err(TableError::new(Key::File, message)
            .help("every line has as many cells as the first, which names the columns"));
    }
    if width.saturating_mul(rows.len()) > MOST_CELLS {
        return Err(too_large(file));
    }
    // Empty lines are left out: polars may take one for a row.
    let mut filled = String::with_capacity(text.len());
    for record in &records {
        filled.push_str(record.text);
        filled.push('\n');
    }
    let options = CsvReadOptions::default()
        .with_has_header(false)
        .with_infer_schema_length(Some(0))
        .with_n_threads(Some(1))
        .with_parse_options(CsvParseOptions::default().with_separator(separator));
    let reader = options.into_reader_with_file_handle(Cursor::new(filled));
    let frame = quietly(|| reader.finish());
    let frame = frame.ok_or_else(|| unreadable(file, "its quotes do not match"))?;
    let frame = frame.map_err(|error| unreadable(file, error))?;
    if frame.width() != width || frame.height() != records.len() {
        return Err(unreadable(file, "its quotes do not match"));
    }
    let mut names = Vec::new();
    let mut columns = Vec::new();
    for column in frame.columns() {
        let words = column.str().map_err(|error| unreadable(file, error))?;
        let mut words = words.iter();
        names.push(words.next().flatten().unwrap_or("").trim().to_owned());
        columns.push(Ok(words.map(Cell::read).collect()));
    }
    Ok(Sheet {
        file: file.to_owned(),
        names,
        columns,
        rows: rows.len(),
        lines: Some(rows.iter().map(|row| row.line).collect()),
    })
}

/// A line of a CSV file that is not empty; several, where line breaks stand between quotes.
struct Record<'a> {
    line: usize,
    text: &'a str,
    cells: usize,
}

fn records(text: &str, separator: u8) -> Vec<Record<'_>> {
    let mut records = Vec::new();
    let (mut start, mut start_line, mut line) = (0, 1, 1);
    let (mut quoted, mut cells) = (false, 1);
    let ends = text.bytes().chain(std::iter::once(b'\n')).enumerate();
    for (i, byte) in ends {
        let last = i == text.len();
        match byte {
            b'"' => quoted = !quoted,
            b'\n' if quoted && !last => line += 1,
            b'\n' => {
                let record = &text[start..i];
                let record = record.strip_suffix('\r').unwrap_or(record);
                if !record.trim().is_empty() {
                    records.push(Record {
                        line: start_line,
                        text: record,
                        cells,
                    });
                }
                line += 1;
                (start, start_line, cells) = (i + 1, line, 1);
            }
            _ if byte == separator && !quoted => cells += 1,
            _ => {}
        }
    }
    records
}

/// The columns of a Parquet file.
#[derive(Serialize, Deserialize)]
pub(super) struct Contents {
    names: Vec<String>,
    columns: Vec<Result<Vec<Cell>, String>>,
    rows: usize,
}

/// Why a Parquet file is not read.
#[derive(Serialize, Deserialize)]
pub(super) enum Refusal {
    WithoutRows,
    TooLarge,
    /// As the end of a sentence: `cannot read FILE: …`.
    Unreadable(String),
}

fn parquet(file: &str, bytes: &[u8]) -> Result<Sheet, TableError> {
    let contents = apart::ask(bytes).unwrap_or_else(|| contents(bytes));
    let contents = contents.map_err(|refusal| match refusal {
        Refusal::WithoutRows => without_rows(file),
        Refusal::TooLarge => too_large(file),
        Refusal::Unreadable(reason) => {
            unreadable(file, reason).help("write the file anew, or save the table as CSV")
        }
    })?;
    Ok(Sheet {
        file: file.to_owned(),
        names: contents.names,
        columns: contents.columns,
        rows: contents.rows,
        lines: None,
    })
}

/// Reads a Parquet file in this process.
pub(super) fn contents(bytes: &[u8]) -> Result<Contents, Refusal> {
    let read = parquet::read(Cursor::new(bytes), |mut reader| {
        let schema = reader.schema()?;
        let rows = reader.num_rows()?;
        if rows == 0 || schema.is_empty() {
            return Ok(Err(Refusal::WithoutRows));
        }
        if schema.len().saturating_mul(rows) > MOST_CELLS {
            return Ok(Err(Refusal::TooLarge));
        }
        let kinds = || schema.iter_values().map(|field| field.dtype());
        let known = (0..schema.len()).zip(kinds());
        let known = known.filter(|(_, kind)| is_known(kind)).map(|(i, _)| i);
        let frame = reader.with_projection(Some(known.collect())).finish()?;
        // A dictionary can make a long text many times as long as the file.
        let words = frame
            .columns()
            .iter()
            .filter_map(|column| column.str().ok());
        let lengths = words.map(|words| words.iter().flatten().map(str::len).sum::<usize>());
        if lengths.sum::<usize>() > MOST_TEXT {
            return Ok(Err(Refusal::TooLarge));
        }
        let mut found = frame.columns().iter();
        let mut columns = Vec::new();
        for kind in kinds() {
            columns.push(match is_known(kind) {
                true => Ok(cells(found.next(), rows)?),
                false => Err(format!("{kind:?}")),
            });
        }
        let names = schema.iter_names().map(|name| name.to_string()).collect();
        Ok(Ok(Contents {
            names,
            columns,
            rows,
        }))
    });
    let contents = read.map_err(Refusal::Unreadable)??;
    // What follows counts on it.
    let mut columns = contents.columns.iter().flatten();
    match columns.all(|column| column.len() == contents.rows) {
        true => Ok(contents),
        false => Err(Refusal::Unreadable("it is damaged".to_owned())),
    }
}

/// Whether the polars built in here reads a column of this type.
fn is_known(kind: &ArrowDataType) -> bool {
    use ArrowDataType::{
        Boolean, Float32, Float64, Int32, Int64, LargeUtf8, UInt32, UInt64, Utf8, Utf8View,
    };
    let numbers = matches!(kind, Int32 | Int64 | UInt32 | UInt64 | Float32 | Float64);
    numbers || matches!(kind, Boolean | Utf8 | LargeUtf8 | Utf8View)
}

fn cells(column: Option<&Column>, rows: usize) -> Result<Vec<Cell>, PolarsError> {
    let Some(column) = column else {
        return Ok(vec![Cell::Missing; rows]);
    };
    Ok(match column.dtype() {
        DataType::String => {
            let words = column.str()?.iter();
            let cell = |word: &str| Cell::Word(word.to_owned());
            words.map(|word| word.map_or(Cell::Missing, cell)).collect()
        }
        DataType::Boolean => {
            let truths = column.bool()?.iter();
            let cells = truths.map(|truth| truth.map_or(Cell::Missing, Cell::Truth));
            cells.collect()
        }
        _ => {
            let column = column.cast(&DataType::Float64)?;
            let numbers = column.f64()?.iter();
            let cells = numbers.map(|number| number.map_or(Cell::Missing, Cell::of));
            cells.collect()
        }
    })
}
