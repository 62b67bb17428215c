//! Results: tables and a manifest in a folder, written whole or not at all.

mod done;
mod folder;
mod parts;
pub(crate) mod report;
mod simulated;
mod table;
mod tables;

pub use done::Done;
pub use folder::{Manifest, Staging, TableNote, read, read_places};
pub use parts::{Parts, ShardNote};
pub use report::{Agreement, Report, report};
pub use table::{Column, Table};
pub use tables::{Place, Tables};

use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::de::DeserializeOwned;

/// Writes a file under another name first, so that it is there whole or not at all; its folder is
/// made where there is none.
///
/// # Errors
///
/// If it cannot be written.
pub fn write_whole(path: &Path, content: &[u8]) -> Result<(), OutcomeError> {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    let hidden = format!(".{}-{}", name.unwrap_or_default(), std::process::id());
    let hidden = path.with_file_name(hidden);
    let write = || -> io::Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&hidden, content)?;
        fs::rename(&hidden, path)
    };
    write().map_err(|source| {
        let _ = fs::remove_file(&hidden);
        let path = path.to_owned();
        OutcomeError::Write { path, source }
    })
}

/// Reads a file of JSON.
fn read_json<T: DeserializeOwned>(path: PathBuf) -> Result<T, OutcomeError> {
    let text = fs::read_to_string(&path).map_err(|error| error.to_string());
    let read = text.and_then(|text| serde_json::from_str(&text).map_err(|e| e.to_string()));
    read.map_err(|reason| OutcomeError::Read { path, reason })
}

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
    #[diagnostic(help(
        "results are made by `bvlab run`; if the file is damaged, run the experiment again"
    ))]
    Read {
        /// What.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
}
