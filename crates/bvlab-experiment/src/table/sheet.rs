//! A file of columns, as it is written: CSV or Parquet.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;

use csv::{ReaderBuilder, StringRecord, Terminator};
use serde::{Deserialize, Serialize};

use bvlab_core::words::thousands;

use super::gzip::inflate;
use super::rows::{Key, TableError};

/// The largest file that is read, in bytes.
pub const MOST_BYTES: u64 = 1 << 28;

/// The most cells of a table.
pub const MOST_CELLS: usize = 20_000_000;

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
pub enum Cell {
    /// Nothing.
    Missing,
    /// A number that is not NaN.
    Number(f64),
    /// True or false.
    Truth(bool),
    /// Any other text.
    Word(String),
}

impl Cell {
    /// A cell of a text file.
    fn read(text: &str) -> Cell {
        let text = text.trim();
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

    /// A number, or nothing where it is NaN.
    pub fn of(number: f64) -> Cell {
        match number.is_nan() {
            true => Cell::Missing,
            false => Cell::Number(number),
        }
    }
}

impl Sheet {
    /// Reads a file's content. What its name ends with tells what it is.
    pub fn read(
        file: &str,
        bytes: &[u8],
        parquet: &dyn Fn(&[u8]) -> Result<Contents, ParquetError>,
    ) -> Result<Sheet, TableError> {
        if bytes.len() as u64 > MOST_BYTES {
            return Err(too_large(file));
        }
        let (name, bytes) = match file.to_lowercase().strip_suffix(".gz") {
            None => (file.to_lowercase(), Cow::Borrowed(bytes)),
            Some(name) => {
                let whole = inflate(bytes, MOST_BYTES as usize).ok_or_else(|| {
                    let most = MOST_BYTES >> 20;
                    let reason = format!("it is not a whole gzip file of at most {most} MB");
                    unreadable(file, reason).help("compress it again, or unpack it: `gunzip FILE`")
                })?;
                (name.to_owned(), Cow::Owned(whole))
            }
        };
        let ending = Path::new(&name).extension().unwrap_or_default();
        let sheet = match &*ending.to_string_lossy() {
            "csv" | "tsv" | "txt" => csv(file, &bytes),
            "parquet" | "pq" => of_parquet(file, parquet(&bytes)),
            _ => Err(
                TableError::new(Key::File, format!("{file} is neither CSV nor Parquet"))
                    .help("a table's name ends with .csv, .csv.gz or .parquet"),
            ),
        }?;
        let mut known = HashSet::new();
        for (i, name) in sheet.names.iter().enumerate() {
            if name.is_empty() {
                let message = format!("column {} of {file} has no name", i + 1);
                return Err(TableError::new(Key::File, message).help(
                    "give it a name in the first line; pandas writes such a column for its index, unless called with `index=False`",
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
        .help("save the file again in UTF-8")
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
            .help("every line must have as many cells as the first, which names the columns"));
    }
    if width.saturating_mul(rows.len()) > MOST_CELLS {
        return Err(too_large(file));
    }
    if let Some(record) = records.iter().find(|record| !record.balanced) {
        let reason = format!("the quotes of line {} do not match", record.line);
        return Err(unreadable(file, reason).help(
            "put quotes around a cell that contains a separator, a line break or quotes, and double the quotes inside it",
        ));
    }
    // Lines of nothing but spaces are left out: they are no rows.
    let mut filled = String::with_capacity(text.len());
    for record in &records {
        filled.push_str(record.text);
        filled.push('\n');
    }
    let mut reader = ReaderBuilder::new()
        .delimiter(separator)
        .terminator(Terminator::Any(b'\n'))
        .from_reader(filled.as_bytes());
    let failed = |error: csv::Error| unreadable(file, error);
    let names = reader.headers().map_err(failed)?.iter();
    let names = names.map(|name| name.trim().to_owned()).collect();
    let mut columns: Vec<Vec<Cell>> = vec![Vec::new(); width];
    let mut row = StringRecord::new();
    while reader.read_record(&mut row).map_err(failed)? {
        for (column, text) in columns.iter_mut().zip(&row) {
            column.push(Cell::read(text));
        }
    }
    Ok(Sheet {
        file: file.to_owned(),
        names,
        columns: columns.into_iter().map(Ok).collect(),
        rows: rows.len(),
        lines: Some(rows.iter().map(|row| row.line).collect()),
    })
}

/// A line of a CSV file that is not empty; several, where line breaks stand between quotes.
struct Record<'a> {
    line: usize,
    text: &'a str,
    cells: usize,
    /// Whether quotes enclose whole cells, or stand in pairs within a cell. Otherwise it is not clear
    /// where cells end.
    balanced: bool,
}

fn records(text: &str, separator: u8) -> Vec<Record<'_>> {
    let bytes = text.as_bytes();
    let mut records = Vec::new();
    let (mut start, mut start_line, mut line) = (0, 1, 1);
    let (mut quoted, mut cells, mut balanced) = (false, 1, true);
    // Where the cell begins.
    let mut cell = 0;
    let ends = text.bytes().chain(std::iter::once(b'\n')).enumerate();
    for (i, byte) in ends {
        let last = i == text.len();
        let enclosed = bytes.get(cell) == Some(&b'"');
        match byte {
            b'"' => quoted = !quoted,
            b'\n' if quoted && !last => {
                line += 1;
                balanced &= enclosed;
            }
            b'\n' => {
                let record = &text[start..i];
                let record = record.strip_suffix('\r').unwrap_or(record);
                if !record.trim().is_empty() {
                    records.push(Record {
                        line: start_line,
                        text: record,
                        cells,
                        balanced: balanced && !quoted,
                    });
                }
                line += 1;
                (start, start_line, cells, balanced) = (i + 1, line, 1, true);
                cell = start;
            }
            _ if byte == separator && quoted => balanced &= enclosed,
            _ if byte == separator => {
                cells += 1;
                cell = i + 1;
            }
            b'\r' if matches!(bytes.get(i + 1), None | Some(b'\n')) => {}
            // The quote that closes a cell is its end.
            _ => balanced &= quoted || !enclosed,
        }
    }
    records
}

/// The columns of a Parquet file.
#[derive(Serialize, Deserialize)]
pub struct Contents {
    /// The columns' names.
    pub names: Vec<String>,
    /// The columns; one that cannot be read is told by its type.
    pub columns: Vec<Result<Vec<Cell>, String>>,
    /// How many rows there are.
    pub rows: usize,
}

/// Why a Parquet file is not read.
#[derive(Serialize, Deserialize)]
pub enum ParquetError {
    /// It has no rows.
    WithoutRows,
    /// It has too many cells.
    TooLarge,
    /// As the end of a sentence: `cannot read FILE: …`.
    Unreadable(String),
}

fn of_parquet(file: &str, contents: Result<Contents, ParquetError>) -> Result<Sheet, TableError> {
    let contents = contents.map_err(|refusal| match refusal {
        ParquetError::WithoutRows => without_rows(file),
        ParquetError::TooLarge => too_large(file),
        ParquetError::Unreadable(reason) => {
            unreadable(file, reason).help("write the file again, or save the table as CSV")
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
