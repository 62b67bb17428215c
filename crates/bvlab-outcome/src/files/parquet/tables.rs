//! Tables of results as Parquet.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::Path;

use polars::io::SerReader;
use polars::prelude::{
    Column as PolarsColumn, DataFrame, DataType, NamedFrom, ParquetCompression, ParquetReader,
    ParquetWriter, PolarsError, Series,
};

use super::super::OutcomeError;
use crate::{Column, Table};

impl Table {
    /// Writes it as CSV: numbers in the shortest form that reads back to the same bits.
    ///
    /// # Errors
    ///
    /// If the file cannot be written, two columns share a name, or their lengths differ.
    pub fn write_csv(&self, path: &Path) -> Result<(), OutcomeError> {
        write_file(path, |file| self.csv(file))
    }

    /// Writes it as Parquet.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn write_parquet(&self, path: &Path) -> Result<(), OutcomeError> {
        write(path, |file| {
            ParquetWriter::new(file)
                .with_compression(ParquetCompression::Zstd(None))
                .finish(&mut frame(self)?)
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
            let first = frame(&first)?;
            let writer = ParquetWriter::new(file);
            let writer = writer.with_compression(ParquetCompression::Zstd(None));
            let mut writer = writer.batched(first.schema())?;
            writer.write_batch(&first)?;
            drop(first);
            for table in more {
                writer.write_batch(&frame(&table)?)?;
            }
            writer.finish().map(|_| ())
        })
    }

    /// Reads a Parquet file that [`Table::write_parquet`] wrote.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn read_parquet(path: &Path) -> Result<Self, OutcomeError> {
        read(path, |reader| table(&reader.finish()?))
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
                table(&reader.finish()?)
            })?;
            match all.columns.is_empty() {
                true => all = part,
                false => append(&mut all, part),
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
}

/// Adds the rows of a table with the same columns.
fn append(table: &mut Table, more: Table) {
    for ((_, column), (_, more)) in table.columns.iter_mut().zip(more.columns) {
        match (column, more) {
            (Column::Text(values), Column::Text(mut more)) => values.append(&mut more),
            (Column::Number(values), Column::Number(mut more)) => values.append(&mut more),
            (Column::Whole(values), Column::Whole(mut more)) => values.append(&mut more),
            _ => {}
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
    super::read(file, finish).map_err(failed)
}

fn write(
    path: &Path,
    finish: impl FnOnce(&mut BufWriter<File>) -> Result<(), PolarsError>,
) -> Result<(), OutcomeError> {
    write_file(path, |file| {
        finish(file).map_err(|error| match error {
            PolarsError::IO { error, .. } => io::Error::new(error.kind(), error),
            other => io::Error::other(other),
        })
    })
}

fn frame(table: &Table) -> Result<DataFrame, PolarsError> {
    let columns = table.columns.iter().map(|(name, column)| {
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
    DataFrame::new(table.rows(), columns.collect())
}

fn table(frame: &DataFrame) -> Result<Table, PolarsError> {
    let mut table = Table::default();
    for column in frame.columns() {
        let values = read_column(column)?;
        table.columns.push((column.name().to_string(), values));
    }
    Ok(table)
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

/// Creates a file, or replaces what is in it.
fn write_file(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), OutcomeError> {
    let failed = |source: io::Error| OutcomeError::Write {
        path: path.to_owned(),
        source,
    };
    let mut file = BufWriter::new(File::create(path).map_err(failed)?);
    write(&mut file).map_err(failed)?;
    file.flush().map_err(failed)
}
