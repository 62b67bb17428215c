//! Results of experiments: plain columns in memory, what a run prints, and folders of results.
//!
//! - [`Table`], [`Column`]: columns of numbers and words, and CSV.
//! - [`Tables`]: all tables of a result.
//! - [`report`]: what a run prints, and what it warns of.
//! - [`files`] (feature `files`, default): folders with Parquet files and a manifest, written whole
//!   or not at all; saved parts of runs that go on; polars.

#[cfg(feature = "files")]
pub mod files;
mod report;
mod table;
mod tables;

pub use report::{Agreement, Report, report, study_report};
pub use table::{Column, Table};
pub use tables::{Place, Tables};
