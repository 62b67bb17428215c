//! Tables of data from Parquet.

use std::io::Cursor;

use polars::io::SerReader;
use polars::prelude::{ArrowDataType, Column, DataType, PolarsError};

use bvlab_experiment::table::{Cell, Contents, MOST_CELLS, ParquetError};

/// The most bytes of all texts of a table.
const MOST_TEXT: usize = 1 << 29;

/// Reads a Parquet file in this process.
pub fn contents(bytes: &[u8]) -> Result<Contents, ParquetError> {
    let read = super::read(Cursor::new(bytes), |mut reader| {
        let schema = reader.schema()?;
        let rows = reader.num_rows()?;
        if rows == 0 || schema.is_empty() {
            return Ok(Err(ParquetError::WithoutRows));
        }
        if schema.len().saturating_mul(rows) > MOST_CELLS {
            return Ok(Err(ParquetError::TooLarge));
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
            return Ok(Err(ParquetError::TooLarge));
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
    let contents = read.map_err(ParquetError::Unreadable)??;
    // What follows counts on it.
    let mut columns = contents.columns.iter().flatten();
    match columns.all(|column| column.len() == contents.rows) {
        true => Ok(contents),
        false => Err(ParquetError::Unreadable("it is damaged".to_owned())),
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
