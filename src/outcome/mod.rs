//! Results: tables and a manifest in a folder, written whole or not at all.

mod folder;
mod parts;
mod table;
mod tables;

pub use folder::{Manifest, Staging, read};
pub use parts::{Parts, ShardNote};
pub use table::{Column, Table};
pub use tables::Tables;

use std::path::PathBuf;

/// What can go wrong with a folder of results.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum OutcomeError {
    /// Something could not be written.
    #[error("cannot write {}", path.display())]
    #[diagnostic(help(
        "is the folder yours to write to, and the disk not full? `bvlab run --out DIR` takes another; what was there before is unchanged"
    ))]
    Write {
        /// What.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// Something could not be read.
    #[error("cannot read {}: {reason}", path.display())]
    #[diagnostic(help("a folder of results is made by `bvlab run`"))]
    Read {
        /// What.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
}
