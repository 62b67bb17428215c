//! Results of experiments: plain columns in memory, what a run prints, and folders of results.
//!
//! - [`Table`], [`Column`]: columns of numbers and words, and CSV.
//! - [`Tables`]: all tables of a result.
//! - [`columns`]: the names, types and meanings of their columns.
//! - [`Bests`]: the best setting of every learner, and whether it can be called that.
//! - [`Evidence`]: the numbers that words and claims refer to, with their errors.
//! - [`Statements`]: words with their numbers in them, and what became of the claims.
//! - [`report`]: what a run prints, and what it warns of.
//! - [`files`] (feature `files`, default): folders with Parquet files and a manifest, written whole
//!   or not at all; saved parts of runs that go on; polars.

mod best;
mod claims;
pub mod columns;
mod evidence;
#[cfg(feature = "files")]
pub mod files;
mod report;
mod table;
mod tables;
mod words;

pub use best::{
    Best, BestLearner, BestStatus, Bests, LearnerBest, SelectionCriterion, SweptValue, spoiled,
};
pub use claims::{CheckedClaim, LEVEL, Verdict, check_claims, check_claims_at, claims_table};
pub use evidence::{Evidence, FormulaValue, RunEvidence, SavedValue, SavedValues};
pub use report::{Agreement, Report, report, study_report};
pub use table::{Column, Table};
pub use tables::{SettingNumber, Tables};
pub use words::{Statements, written};
