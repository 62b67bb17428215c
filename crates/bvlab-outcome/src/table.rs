//! A table in memory: named columns, and how they are written as CSV.

use std::collections::HashSet;
use std::io::{self, Write};
use std::sync::Arc;

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Words; an empty one is a missing value.
    Text(Vec<Arc<str>>),
    /// Numbers; NaN is a missing value.
    Number(Vec<f64>),
    /// Counts.
    Whole(Vec<u64>),
}

impl Column {
    /// How many rows it has.
    pub fn len(&self) -> usize {
        match self {
            Column::Text(values) => values.len(),
            Column::Number(values) => values.len(),
            Column::Whole(values) => values.len(),
        }
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A column of the same type with so many missing values.
    fn missing(&self, rows: usize) -> Column {
        match self {
            Column::Text(_) => Column::Text(vec!["".into(); rows]),
            Column::Number(_) => Column::Number(vec![f64::NAN; rows]),
            Column::Whole(_) => Column::Whole(vec![0; rows]),
        }
    }

    /// Adds the rows of another; those of one with another type are missing.
    fn append(&mut self, more: &Column, rows: usize) {
        match (&mut *self, more) {
            (Column::Text(own), Column::Text(more)) => own.extend(more.iter().cloned()),
            (Column::Number(own), Column::Number(more)) => own.extend(more),
            (Column::Whole(own), Column::Whole(more)) => own.extend(more),
            (Column::Text(own), _) => own.extend(std::iter::repeat_n("".into(), rows)),
            (Column::Number(own), _) => own.extend(std::iter::repeat_n(f64::NAN, rows)),
            (Column::Whole(own), _) => own.extend(std::iter::repeat_n(0, rows)),
        }
    }

    /// The rows that are kept.
    fn only(&self, kept: &[bool]) -> Column {
        fn filtered<T: Clone>(values: &[T], kept: &[bool]) -> Vec<T> {
            let pairs = values.iter().zip(kept);
            pairs
                .filter(|(_, kept)| **kept)
                .map(|(value, _)| value.clone())
                .collect()
        }
        match self {
            Column::Text(values) => Column::Text(filtered(values, kept)),
            Column::Number(values) => Column::Number(filtered(values, kept)),
            Column::Whole(values) => Column::Whole(filtered(values, kept)),
        }
    }
}

/// Named columns of equal length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    pub(crate) columns: Vec<(String, Column)>,
}

impl Table {
    /// Adds a column of words.
    pub fn text(mut self, name: &str, values: Vec<Arc<str>>) -> Self {
        self.columns.push((name.to_owned(), Column::Text(values)));
        self
    }

    /// Adds a column of numbers.
    pub fn number(mut self, name: impl Into<String>, values: Vec<f64>) -> Self {
        self.columns.push((name.into(), Column::Number(values)));
        self
    }

    /// Adds a column of counts.
    pub fn whole(mut self, name: &str, values: Vec<u64>) -> Self {
        self.columns.push((name.to_owned(), Column::Whole(values)));
        self
    }

    /// Tables of one kind below each other, after a column that names them. Cells of columns that not
    /// all of them have are missing; columns stand in the order of `order`.
    pub(crate) fn joined(called: &str, parts: &[(&str, Table)], order: &[String]) -> Table {
        let names = parts.iter().flat_map(|(name, table)| {
            let name: Arc<str> = (*name).into();
            std::iter::repeat_n(name, table.rows())
        });
        let mut all = Table::default().text(called, names.collect());
        for name in order {
            let mut column: Option<Column> = None;
            let mut before = 0;
            for (_, part) in parts {
                if let Some(found) = part.get(name) {
                    let column = column.get_or_insert_with(|| found.missing(before));
                    column.append(found, part.rows());
                } else if let Some(column) = &mut column {
                    column.append(&column.missing(part.rows()), part.rows());
                }
                before += part.rows();
            }
            all.columns
                .extend(column.map(|column| (name.clone(), column)));
        }
        all
    }

    /// The rows in which a column of words has one of them, without that column.
    pub fn rows_with(&self, column: &str, word: &str) -> Table {
        let kept: Vec<bool> = self
            .texts(column)
            .iter()
            .map(|found| &**found == word)
            .collect();
        let columns = self.columns.iter().filter(|(name, _)| name != column);
        let columns = columns.map(|(name, values)| (name.clone(), values.only(&kept)));
        Table {
            columns: columns.collect(),
        }
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, column)| column.len())
    }

    /// The names of its columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(name, _)| name.as_str())
    }

    fn get(&self, name: &str) -> Option<&Column> {
        let mut columns = self.columns.iter();
        columns
            .find(|(known, _)| known == name)
            .map(|(_, column)| column)
    }

    /// A column of numbers; empty if there is none of that name.
    pub fn numbers(&self, name: &str) -> &[f64] {
        match self.get(name) {
            Some(Column::Number(values)) => values,
            _ => &[],
        }
    }

    /// A column of counts; empty if there is none of that name.
    pub fn wholes(&self, name: &str) -> &[u64] {
        match self.get(name) {
            Some(Column::Whole(values)) => values,
            _ => &[],
        }
    }

    /// A column of words; empty if there is none of that name.
    pub fn texts(&self, name: &str) -> &[Arc<str>] {
        match self.get(name) {
            Some(Column::Text(values)) => values,
            _ => &[],
        }
    }

    /// The table as CSV.
    ///
    /// # Errors
    ///
    /// If two columns share a name, or their lengths differ.
    pub fn to_csv(&self) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        self.csv(&mut bytes).map_err(|error| error.to_string())?;
        Ok(bytes)
    }

    /// By hand: the crate csv writes a missing value that is alone in its row as `""`.
    pub(crate) fn csv(&self, out: &mut impl Write) -> io::Result<()> {
        self.check().map_err(io::Error::other)?;
        let separator = |i: usize| if i == 0 { "" } else { "," };
        for (i, name) in self.names().enumerate() {
            out.write_all(separator(i).as_bytes())?;
            match name {
                "" => out.write_all(b"\"\"")?,
                name => write_text(name, out)?,
            }
        }
        out.write_all(b"\n")?;
        let mut digits = zmij::Buffer::new();
        for row in 0..self.rows() {
            for (i, (_, column)) in self.columns.iter().enumerate() {
                out.write_all(separator(i).as_bytes())?;
                match column {
                    Column::Text(values) => write_text(&values[row], out)?,
                    Column::Number(values) if values[row].is_nan() => {}
                    Column::Number(values) => {
                        out.write_all(digits.format(values[row]).as_bytes())?
                    }
                    Column::Whole(values) => write!(out, "{}", values[row])?,
                }
            }
            out.write_all(b"\n")?;
        }
        Ok(())
    }

    /// Whether every row has a cell in every column, and every column a name of its own.
    fn check(&self) -> Result<(), String> {
        let mut known = HashSet::new();
        for (name, column) in &self.columns {
            if !known.insert(name) {
                return Err(format!("two columns are called `{name}`"));
            }
            if column.len() != self.rows() {
                let (found, rows) = (column.len(), self.rows());
                return Err(format!("column `{name}` has {found} rows, not {rows}"));
            }
        }
        Ok(())
    }
}

/// Writes a cell of CSV, between quotes only if it has to be.
fn write_text(text: &str, out: &mut impl Write) -> io::Result<()> {
    match text.contains([',', '"', '\n', '\r']) {
        true => write!(out, "\"{}\"", text.replace('"', "\"\"")),
        false => out.write_all(text.as_bytes()),
    }
}
