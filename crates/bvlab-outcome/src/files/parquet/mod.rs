//! Parquet: tables of results, written and read, and tables of data, read. Only this module uses
//! polars.
//!
//! Files may be damaged, or made to do harm. polars was not written for such files: of 3000 with one
//! bit flipped, 16 made it panic and 2 made it ask for more memory than there is, which ends the
//! process. So
//!
//! 1. what a file announces is compared with its length before polars sees it: see [`outline`];
//! 2. a panic of polars becomes an error, and its message is not printed: see [`quietly`];
//! 3. the program reads tables that people bring in a process of its own with little memory, since
//!    running out of memory cannot be caught: see [`bvlab_core::problem::apart`]. A program that uses
//!    bvlab as a library has the first two.

mod outline;
mod sheet;
mod tables;

pub use sheet::contents;

use std::cell::Cell;
use std::io::SeekFrom;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use polars::io::SerReader;
use polars::io::mmap::MmapBytesReader;
use polars::prelude::{ParallelStrategy, ParquetReader, PolarsError};

/// Reads a Parquet file.
///
/// # Errors
///
/// Why it cannot be read, as the end of a sentence: `cannot read FILE: …`.
fn read<R: MmapBytesReader, T>(
    mut file: R,
    read: impl FnOnce(ParquetReader<R>) -> Result<T, PolarsError>,
) -> Result<T, String> {
    outline::check(&mut file)?;
    let start = file.seek(SeekFrom::Start(0));
    start.map_err(|error| error.to_string())?;
    // On this thread alone, so that a panic on another cannot print its message.
    let reader = ParquetReader::new(file).read_parallel(ParallelStrategy::None);
    match quietly(|| read(reader)) {
        Some(read) => read.map_err(|error| error.to_string()),
        None => Err("it is damaged".to_owned()),
    }
}

thread_local! {
    /// Whether a panic on this thread is expected, and told by an error.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Does something that may panic; `None` if it did. Nothing is printed.
fn quietly<T>(work: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                before(panic);
            }
        }));
    });
    let before = QUIET.replace(true);
    // What was half done is not looked at: the reader and its columns are dropped.
    let done = catch_unwind(AssertUnwindSafe(work));
    QUIET.set(before);
    done.ok()
}
