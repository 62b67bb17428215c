//! Results of experiments: plain columns in memory, what a run prints, and folders of results.
//!
//! - [`Table`], [`Column`]: columns of numbers and words, and CSV.
//! - [`Tables`]: all tables of a result.
//! - [`columns`]: the names, types and meanings of their columns.
//! - [`Bests`]: the best setting of every learner, and whether it can be called that.
//! - [`report`]: what a run prints, and what it warns of.
//! - [`files`] (feature `files`, default): folders with Parquet files and a manifest, written whole
//!   or not at all; saved parts of runs that go on; polars.

mod best;
pub mod columns;
#[cfg(feature = "files")]
pub mod files;
mod report;
mod table;
mod tables;

pub use best::{Best, BestLearner, Bests, Criterion, LearnerBest, Standing, SweptValue, spoiled};
pub use report::{Agreement, Report, report, study_report};
pub use table::{Column, Table};
pub use tables::{SettingNumber, Tables};
