//! Tables of real data: where they come from, how a file's cells and rows are read.

mod files;
mod gzip;
mod rows;
mod sheet;

#[cfg(feature = "shipped")]
pub use files::ShippedTables;
pub use files::{HeldTables, NoTables, NotFound, TableFile, TableSource, copy_name};
pub use rows::{Key, Missing, TableError, TableUse, TestRows, read_rows};
pub use sheet::{Cell, Contents, MOST_BYTES, MOST_CELLS, ParquetError};
