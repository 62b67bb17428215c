//! What can go wrong with a folder of results.

use std::path::PathBuf;

/// What can go wrong with a folder of results.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum OutcomeError {
    /// Something could not be written.
    #[error("cannot write {}", path.display())]
    #[diagnostic(help(
        "check write permission and free disk space, or choose another folder with `--out DIR`. Existing files are unchanged"
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
    /// A complete result could not be put in its place.
    #[error("cannot move the new result to {}", home.display())]
    #[diagnostic(help(
        "it is complete in {}; when the disk works again, `bvlab verify {}` finishes the move",
        committed.display(),
        home.display()
    ))]
    Unplaced {
        /// The folder of results.
        home: PathBuf,
        /// The folder in it that holds what is not in its place yet.
        committed: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// Files are there that bvlab did not make.
    #[error("{} holds files that bvlab did not make: {files}", home.display())]
    #[diagnostic(help(
        "no manifest.json lists them, and the new result would replace them. Move them elsewhere, choose another folder with `--out DIR`, or replace them with `--overwrite`"
    ))]
    Foreign {
        /// The folder of results.
        home: PathBuf,
        /// Their names.
        files: String,
    },
    /// Another run may be writing to a folder without locks.
    #[error("another run may be writing to {}: {owner}", home.display())]
    #[diagnostic(help(
        "files cannot be locked here, so bvlab cannot tell whether that run is still active. Wait for it or choose another folder with `--out DIR`; if it has ended, remove {} and try again",
        path.display()
    ))]
    InUse {
        /// The folder of results.
        home: PathBuf,
        /// What that run has left there.
        path: PathBuf,
        /// Which run.
        owner: String,
    },
    /// A result was replaced while figures were drawn from it.
    #[error("another run has replaced the result in {} in the meantime", home.display())]
    #[diagnostic(help("the same command draws the figures of the new one"))]
    Changed {
        /// The folder of results.
        home: PathBuf,
    },
    /// A folder of bvlab's own is a link.
    #[error("{} is not a folder, or is a link to one", path.display())]
    #[diagnostic(help(
        "bvlab creates this folder itself and does not follow links, which may lead to files that are not its own. Remove it, or choose another folder with `--out DIR`, which may be a link"
    ))]
    Link {
        /// What.
        path: PathBuf,
    },
}
