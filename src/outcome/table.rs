//! A table in memory: named columns. The only place that knows polars.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use polars::io::{SerReader, SerWriter};
use polars::prelude::{
    Column as PolarsColumn, CsvWriter, DataFrame, DataType, NamedFrom, ParquetCompression,
    ParquetReader, ParquetWriter, PolarsError, Series,
};

use super::OutcomeError;
use crate::parquet;

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
}

/// Named columns of equal length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    columns: Vec<(String, Column)>,
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

    fn frame(&self) -> Result<DataFrame, PolarsError> {
        let columns = self.columns.iter().map(|(name, column)| {
            let name = name.as_str().into();
            PolarsColumn::from(match column {
                Column::Text(values) => {
                    let words = values.iter().map(|word| match &**word {
                        "" => None,
                        word => Some(word),
                    });
                    Series::new(name, words.collect::<Vec<Option<&str>>>())
                }
                Column::Number(values) => {
                    let numbers = values
                        .iter()
                        .map(|value| (!value.is_nan()).then_some(*value));
                    Series::new(name, numbers.collect::<Vec<Option<f64>>>())
                }
                Column::Whole(values) => Series::new(name, values),
            })
        });
        DataFrame::new(self.rows(), columns.collect())
    }

    /// Writes it as CSV: numbers in the shortest form that reads back to the same bits.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn write_csv(&self, path: &Path) -> Result<(), OutcomeError> {
        self.write(path, |frame, file| CsvWriter::new(file).finish(frame))
    }

    /// What [`Table::write_csv`] writes.
    ///
    /// # Errors
    ///
    /// If the columns do not fit together, which they do.
    pub fn to_csv(&self) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        let mut frame = self.frame().map_err(|error| error.to_string())?;
        let written = CsvWriter::new(&mut bytes).finish(&mut frame);
        written.map_err(|error| error.to_string())?;
        Ok(bytes)
    }

    /// Writes it as Parquet.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn write_parquet(&self, path: &Path) -> Result<(), OutcomeError> {
        self.write(path, |frame, file| {
            ParquetWriter::new(file)
                .with_compression(ParquetCompression::Zstd(None))
                .finish(frame)
                .map(|_| ())
        })
    }

    /// Writes the rows of several tables with the same columns as one Parquet file, a row group
    /// each: only one of them is in memory at a time.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn write_row_groups(
        first: Table,
        more: impl Iterator<Item = Table>,
        path: &Path,
    ) -> Result<(), OutcomeError> {
        write(path, |file| {
            let first = first.frame()?;
            let writer = ParquetWriter::new(file);
            let writer = writer.with_compression(ParquetCompression::Zstd(None));
            let mut writer = writer.batched(first.schema())?;
            writer.write_batch(&first)?;
            drop(first);
            for table in more {
                writer.write_batch(&table.frame()?)?;
            }
            writer.finish().map(|_| ())
        })
    }

    fn write(
        &self,
        path: &Path,
        finish: impl FnOnce(&mut DataFrame, &mut BufWriter<File>) -> Result<(), PolarsError>,
    ) -> Result<(), OutcomeError> {
        write(path, |file| finish(&mut self.frame()?, file))
    }

    /// Reads a Parquet file that [`Table::write_parquet`] wrote.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn read_parquet(path: &Path) -> Result<Self, OutcomeError> {
        read(path, |reader| Table::of(&reader.finish()?))
    }

    /// Reads some stretches of rows of a Parquet file, one behind the other.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn read_parquet_rows(path: &Path, rows: &[Range<usize>]) -> Result<Self, OutcomeError> {
        let mut all = Table::default();
        for rows in rows {
            let part = read(path, |reader| {
                let reader = reader.with_slice(Some((rows.start, rows.len())));
                Table::of(&reader.finish()?)
            })?;
            match all.columns.is_empty() {
                true => all = part,
                false => all.append(part),
            }
        }
        Ok(all)
    }

    /// How many rows a Parquet file has, from its end alone.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn rows_of_parquet(path: &Path) -> Result<usize, OutcomeError> {
        read(path, |mut reader| reader.num_rows())
    }

    fn of(frame: &DataFrame) -> Result<Self, PolarsError> {
        let mut table = Table::default();
        for column in frame.columns() {
            let values = read_column(column)?;
            table.columns.push((column.name().to_string(), values));
        }
        Ok(table)
    }

    /// Adds the rows of a table with the same columns.
    fn append(&mut self, more: Table) {
        for ((_, column), (_, more)) in self.columns.iter_mut().zip(more.columns) {
            match (column, more) {
                (Column::Text(values), Column::Text(mut more)) => values.append(&mut more),
                (Column::Number(values), Column::Number(mut more)) => values.append(&mut more),
                (Column::Whole(values), Column::Whole(mut more)) => values.append(&mut more),
                _ => {}
            }
        }
    }
}

fn read<T>(
    path: &Path,
    finish: impl FnOnce(ParquetReader<File>) -> Result<T, PolarsError>,
) -> Result<T, OutcomeError> {
    let failed = |reason: String| OutcomeError::Read {
        path: path.to_owned(),
        reason,
    };
    let file = File::open(path).map_err(|error| failed(error.to_string()))?;
    parquet::read(file, finish).map_err(failed)
}

fn write(
    path: &Path,
    finish: impl FnOnce(&mut BufWriter<File>) -> Result<(), PolarsError>,
) -> Result<(), OutcomeError> {
    let failed = |source: std::io::Error| OutcomeError::Write {
        path: path.to_owned(),
        source,
    };
    let mut file = BufWriter::new(File::create(path).map_err(failed)?);
    finish(&mut file).map_err(|error| match error {
        PolarsError::IO { error, .. } => failed(std::io::Error::new(error.kind(), error)),
        other => failed(std::io::Error::other(other)),
    })?;
    file.flush().map_err(failed)
}

fn read_column(column: &PolarsColumn) -> Result<Column, PolarsError> {
    Ok(match column.dtype() {
        DataType::String => {
            let words = column.str()?.iter();
            Column::Text(words.map(|word| word.unwrap_or("").into()).collect())
        }
        DataType::UInt64 => {
            let counts = column.u64()?.iter();
            Column::Whole(counts.map(Option::unwrap_or_default).collect())
        }
        _ => {
            let column = column.cast(&DataType::Float64)?;
            let numbers = column.f64()?.iter();
            Column::Number(numbers.map(|value| value.unwrap_or(f64::NAN)).collect())
        }
    })
}
