//! Putting a result in its place: the old one or the new one, never a mixture that lasts.
//!
//! A result is complete and on disk in a hidden folder before anything else is touched. One rename
//! of that folder, to a name that begins with [`COMMITTED`], decides: before it the earlier result
//! is untouched, after it the new one is certain. Then the earlier manifest goes, every file takes
//! its place, files that only the earlier result had go, and the new manifest comes last. All of
//! that can be done again from whatever point it had reached, and the next command that opens the
//! folder does so if a run was killed there or the machine lost power.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::disk::{
    digest, folders, is_result_name, is_table_name, look_at, read_json, remove_flat, sync_folder,
};
use super::hold::{Hold, InUseFile, Owner};
use super::{Manifest, OutcomeError};

/// What the name of a complete result begins with that is being put in its place.
pub(super) const COMMITTED: &str = ".bvlab-commit-";

/// How often a step is tried before that is called an error.
const TRIES: usize = 3;

/// What is to be removed once the new files are in their places.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Journal {
    /// Files of the earlier result that the new one does not have, with their SHA-256 where it is
    /// known. A file with other content is not bvlab's, and stays.
    remove: BTreeMap<String, Option<String>>,
}

impl Journal {
    pub const FILE: &str = "commit.json";

    /// What goes when one result takes the place of another. The manifest is a file that anyone may
    /// edit: only names that a result can have count, and where no hash was recorded only tables.
    pub fn between(before: Option<&Manifest>, after: &Manifest) -> Self {
        let old = before.into_iter().flat_map(|before| {
            let hash = move |file: &String| before.sha256.get(file).cloned();
            before
                .files
                .iter()
                .map(move |file| (file.clone(), hash(file)))
        });
        let gone = old.filter(|(file, hash)| {
            let known = match hash {
                Some(_) => is_result_name(file),
                None => is_table_name(file),
            };
            known && !after.files.contains(file)
        });
        Journal {
            remove: gone.collect(),
        }
    }
}

/// Waits for a run that is putting its result in its place, and finishes what a killed one began.
/// Returns whether there was something to finish.
///
/// # Errors
///
/// If that fails, or if another run may be at it.
pub(super) fn settle(home: &Path) -> Result<bool, OutcomeError> {
    let pending = !folders(home, COMMITTED)?.is_empty();
    match Hold::take(home, pending)? {
        Some(held) => repair(home, Some(&held)),
        None => Ok(false),
    }
}

/// Finishes what killed runs began, in a folder that is held; by the mark of this run if not by
/// `hold`.
pub(super) fn repair(home: &Path, hold: Option<&Hold>) -> Result<bool, OutcomeError> {
    let locked = matches!(hold, Some(Hold::Locked { .. }));
    let committed = folders(home, COMMITTED)?;
    for folder in &committed {
        let place = folder.join(Owner::FILE);
        // One that locks its files is not kept away by a mark, nor one with a mark by a lock.
        match locked {
            true => InUseFile::refuse(home)?,
            false if read_json::<Owner>(place.clone()).is_ok_and(|owner| owner.locked) => {
                return Err(Owner::refusal(home, folder.clone(), place));
            }
            false => {}
        }
        put(home, folder)?;
    }
    Ok(!committed.is_empty())
}

/// Puts a committed result in its place, in a folder that is held.
///
/// # Errors
///
/// If a step fails again and again; the next command goes on from there.
pub(super) fn put(home: &Path, committed: &Path) -> Result<(), OutcomeError> {
    let mut done = step(home, committed);
    for _ in 1..TRIES {
        if done.is_ok() {
            break;
        }
        done = step(home, committed);
    }
    done.map_err(|source| OutcomeError::Unplaced {
        home: home.to_owned(),
        committed: committed.to_owned(),
        source,
    })?;
    // What is left is empty of anything that counts; the next command tries again.
    let _ = remove_flat(committed);
    Ok(())
}

/// All of it, from wherever it was left.
fn step(home: &Path, committed: &Path) -> io::Result<()> {
    let (from, to) = (committed.join(Manifest::FILE), home.join(Manifest::FILE));
    if look_at(&from)?.is_none() {
        // The manifest is the last to go.
        return Ok(());
    }
    let damaged = |error: OutcomeError| io::Error::new(ErrorKind::InvalidData, error.to_string());
    let manifest: Manifest = read_json(from.clone()).map_err(damaged)?;
    let journal: Journal = read_json(committed.join(Journal::FILE)).map_err(damaged)?;
    let names = manifest.files.iter().chain(journal.remove.keys());
    if let Some(name) = names.into_iter().find(|name| !is_result_name(name)) {
        let words = format!("`{name}` is not the name of a file of results");
        return Err(io::Error::new(ErrorKind::InvalidData, words));
    }
    match fs::remove_file(&to) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    for file in &manifest.files {
        let from = committed.join(file);
        if look_at(&from)?.is_some_and(|found| found.is_file()) {
            fs::rename(from, home.join(file))?;
        }
    }
    for (file, hash) in &journal.remove {
        let path = home.join(file);
        if look_at(&path)?.is_some_and(|found| found.is_file())
            && hash
                .as_ref()
                .map_or(Ok(true), |hash| digest(&path).map(|now| now == *hash))?
        {
            fs::remove_file(path)?;
        }
    }
    // On disk before the manifest is.
    sync_folder(home)?;
    fs::rename(from, to)?;
    sync_folder(home)
}
