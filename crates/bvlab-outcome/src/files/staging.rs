//! A result being written.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::commit::{self, COMMITTED, Journal};
use super::disk::{
    ATTEMPTS, digest, folders, is_result_name, is_table_name, look_at, random, read_json,
    remove_flat, sync_file, sync_folder, to_json,
};
use super::folder::read_manifest;
use super::hold::{Hold, InUseFile, Owner};
use super::{Manifest, OutcomeError};
use crate::{CheckedClaim, Table, Tables, claims_table, columns};
use bvlab_core::engine::Results;
use bvlab_core::plan::Plan;
use bvlab_core::task::Outcome;
use bvlab_experiment::Variant;

/// What the hidden folders' names begin with.
const HIDDEN: &str = ".bvlab-new-";

/// A result being written: all of it goes to a hidden folder first, and takes its place only when
/// it is complete. Dropped before that, it leaves nothing behind; killed before that, what it leaves
/// is cleared away by the next; killed after that, the next puts it in its place.
pub struct Staging {
    home: PathBuf,
    hidden: PathBuf,
    /// Held as long as this process lives: tells a run that goes on from one that was killed.
    _lock: File,
    /// Where there are no locks.
    mark: Option<InUseFile>,
    made: NewFolders,
    /// Those that are to be written, and those that have been.
    wanted: Vec<String>,
    files: Vec<String>,
    overwrite: bool,
}

/// Folders that were made for a result, innermost first; removed if it does not come about.
struct NewFolders {
    home: PathBuf,
    folders: Vec<PathBuf>,
}

impl NewFolders {
    fn new(home: &Path) -> Self {
        let missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let folders = home.ancestors().take_while(missing).map(Path::to_owned);
        NewFolders {
            home: home.to_owned(),
            folders: folders.collect(),
        }
    }

    /// They stay; their own names go to disk.
    fn keep(&mut self) -> io::Result<()> {
        for folder in self.folders.drain(..) {
            sync_folder(folder.parent().unwrap_or(Path::new("")))?;
        }
        Ok(())
    }
}

impl Drop for NewFolders {
    fn drop(&mut self) {
        if self.folders.is_empty() {
            return;
        }
        // Another run may be about to write there.
        let _held = Hold::take(&self.home, false);
        for folder in &self.folders {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Makes a hidden folder, in a folder that is held, and locks it unless there are no locks.
fn claim(home: &Path, locked: bool) -> io::Result<(PathBuf, File)> {
    let mut attempts = 0;
    let hidden = loop {
        let hidden = home.join(format!("{HIDDEN}{:016x}", random()));
        match fs::create_dir(&hidden) {
            Ok(()) => break hidden,
            Err(error) if error.kind() == ErrorKind::AlreadyExists && attempts < ATTEMPTS => {
                attempts += 1;
            }
            Err(error) => return Err(error),
        }
    };
    // A folder that can be made but not written to is found out before the run, not after it.
    let owner = Owner::here(locked).create(&hidden.join(Owner::FILE));
    let owner = owner.and_then(|file| match locked {
        true => file.try_lock().map_err(io::Error::from).map(|()| file),
        false => Ok(file),
    });
    match owner {
        Ok(file) => Ok((hidden, file)),
        Err(error) => {
            let _ = remove_flat(&hidden);
            Err(error)
        }
    }
}

/// Removes what killed runs left in a folder that is held.
///
/// # Errors
///
/// If nothing tells whether a run was killed or goes on.
fn clear_remains(home: &Path, hold: &Hold) -> Result<(), OutcomeError> {
    for hidden in folders(home, HIDDEN)? {
        let place = hidden.join(Owner::FILE);
        let dead = match (File::open(&place), hold) {
            // Folders are made and locked while their home is held: this one was cut off in between.
            (Err(error), _) => error.kind() == ErrorKind::NotFound,
            (Ok(owner), Hold::Locked { .. }) => match owner.try_lock() {
                Ok(()) => true,
                Err(TryLockError::WouldBlock | TryLockError::Error(_)) => false,
            },
            // One that had no locks either had the mark that is ours now.
            (Ok(_), Hold::Marked(_)) => {
                match read_json::<Owner>(place.clone()).is_ok_and(|owner| owner.locked) {
                    true => return Err(Owner::refusal(home, hidden, place)),
                    false => true,
                }
            }
        };
        if dead {
            // A run without locks has marked the folder before it made its own.
            if matches!(hold, Hold::Locked { .. }) {
                InUseFile::refuse(home)?;
            }
            let _ = remove_flat(&hidden);
        }
    }
    Ok(())
}

/// Refuses to replace files that bvlab did not make, which are those that no manifest lists.
fn refuse_foreign(
    home: &Path,
    before: Option<&Manifest>,
    files: &[String],
    overwrite: bool,
) -> Result<(), OutcomeError> {
    let mut foreign = Vec::new();
    let manifest = Manifest::FILE.to_owned();
    for file in files.iter().chain([&manifest]) {
        let path = home.join(file);
        let found = look_at(&path).map_err(|source| OutcomeError::Write {
            path: path.clone(),
            source,
        })?;
        let listed = match before {
            Some(before) => before.files.contains(file) || *file == manifest,
            None => false,
        };
        match found {
            None => {}
            Some(found) if found.is_dir() => {
                let source = io::Error::other("a folder with that name already exists");
                return Err(OutcomeError::Write { path, source });
            }
            Some(_) if listed || overwrite => {}
            Some(_) => foreign.push(file.clone()),
        }
    }
    match foreign.is_empty() {
        true => Ok(()),
        false => Err(OutcomeError::Foreign {
            home: home.to_owned(),
            files: foreign.join(", "),
        }),
    }
}

impl Staging {
    /// Prepares a result in the folder `home`, which is made where it does not exist. `files` are
    /// those that will be written; where one of them is there already and bvlab did not make it,
    /// that is found out now, unless they may be overwritten.
    ///
    /// # Errors
    ///
    /// If nothing can be written there.
    pub fn open(home: &Path, files: &[String], overwrite: bool) -> Result<Self, OutcomeError> {
        let made = NewFolders::new(home);
        let hold = Hold::make(home)?;
        commit::repair(home, Some(&hold))?;
        clear_remains(home, &hold)?;
        refuse_foreign(home, read_manifest(home).ok().as_ref(), files, overwrite)?;
        let locked = matches!(hold, Hold::Locked { .. });
        let (hidden, lock) = claim(home, locked).map_err(|source| OutcomeError::Write {
            path: home.to_owned(),
            source,
        })?;
        let mut staging = Staging {
            home: home.to_owned(),
            hidden,
            _lock: lock,
            mark: None,
            made,
            wanted: files.to_vec(),
            files: Vec::new(),
            overwrite,
        };
        match hold {
            // Looked for after the hidden folder is there, as the other looks for it after the mark.
            Hold::Locked { folder } => {
                let alone = InUseFile::refuse(home);
                // Free before a refused folder is removed again, which waits for it.
                drop(folder);
                alone?;
            }
            Hold::Marked(mark) => staging.mark = Some(mark),
        }
        Ok(staging)
    }

    /// Where a file is to be written; it becomes part of the result.
    pub fn path(&mut self, file: &str) -> PathBuf {
        self.files.push(file.to_owned());
        self.hidden.join(file)
    }

    /// Writes a file.
    ///
    /// # Errors
    ///
    /// If it cannot be written whole; then it is not part of the result.
    pub fn write(&mut self, file: &str, content: &[u8]) -> Result<(), OutcomeError> {
        let path = self.hidden.join(file);
        match fs::write(&path, content) {
            Ok(()) => {
                self.files.push(file.to_owned());
                Ok(())
            }
            Err(source) => {
                // What is left of it goes with the hidden folder, at the latest.
                let _ = fs::remove_file(&path);
                Err(OutcomeError::Write { path, source })
            }
        }
    }

    /// Writes the table of a simulation.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn write_simulation(&mut self, tables: &Tables) -> Result<(), OutcomeError> {
        let path = self.path(&format!("{}.csv", Tables::SIMULATION));
        tables.simulation.write_csv(&path)?;
        let path = self.path(&format!("{}.parquet", Tables::SIMULATION));
        tables.simulation.write_parquet(&path)
    }

    /// Writes all tables of a run. They are handed back without the rows of `points` and `fits`,
    /// which go to disk a row group at a time.
    ///
    /// # Errors
    ///
    /// If one cannot be written.
    pub fn write_results(
        &mut self,
        plan: &Plan,
        results: &Results,
    ) -> Result<Tables, OutcomeError> {
        let tables = Tables::small(plan, results);
        let path = self.path(&format!("{}.csv", columns::CURVES));
        tables.curves.write_csv(&path)?;
        for name in Tables::NAMES {
            let path = self.path(&format!("{name}.parquet"));
            match name {
                columns::POINTS => {
                    let (first, more) = Tables::points_in_pieces(plan, results);
                    Table::write_row_groups(first, more, &path)?;
                }
                columns::FITS => {
                    let (first, more) = Tables::fits_in_pieces(plan, results);
                    Table::write_row_groups(first, more, &path)?;
                }
                columns::CURVES => tables.curves.write_parquet(&path)?,
                columns::TRAINING => tables.training.write_parquet(&path)?,
                _ => tables.runs.write_parquet(&path)?,
            }
        }
        if !plan.run.select.is_empty() {
            for name in Tables::SELECTION_NAMES {
                let Some(table) = tables.of_selection(name) else {
                    continue;
                };
                table.write_parquet(&self.path(&format!("{name}.parquet")))?;
                if Tables::SELECTION_CSV.contains(&name) {
                    table.write_csv(&self.path(&format!("{name}.csv")))?;
                }
            }
        }
        Ok(tables)
    }

    /// Writes what became of claims.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn write_claims(&mut self, claims: &[CheckedClaim]) -> Result<(), OutcomeError> {
        let table = claims_table(claims);
        let path = self.path(&format!("{}.csv", columns::CLAIMS));
        table.write_csv(&path)?;
        let path = self.path(&format!("{}.parquet", columns::CLAIMS));
        table.write_parquet(&path)
    }

    /// Writes the tables of variants.
    ///
    /// # Errors
    ///
    /// If they cannot be written.
    pub fn write_variants(
        &mut self,
        variants: &[Variant],
        outcomes: &[Outcome],
    ) -> Result<(), OutcomeError> {
        let (name, table) = Tables::of_variants(variants, outcomes);
        let path = self.path(&format!("{name}.parquet"));
        table.write_parquet(&path)
    }

    /// Puts a finished result in its place. Files of an earlier result that the new one does not
    /// have are removed, so that no old figure stands beside new tables; other files in the folder
    /// are left alone. Returns the files' names.
    ///
    /// # Errors
    ///
    /// If that fails; then the earlier result is still there, unless the error says otherwise.
    pub fn finish(self, mut manifest: Manifest) -> Result<Vec<String>, OutcomeError> {
        manifest.files = self.files.clone();
        let undrawn = self.wanted.iter().filter(|file| !self.files.contains(file));
        manifest.undrawn = undrawn.cloned().collect();
        manifest.sha256 = self.sync()?;
        self.place(None, &manifest)?;
        Ok(manifest.files)
    }

    /// Puts figures in the place of those of an existing result, `before`, which are removed.
    /// Returns the new ones' names.
    ///
    /// # Errors
    ///
    /// As [`Staging::finish`], and if the result has changed meanwhile.
    pub fn instead(
        self,
        before: &Manifest,
        mut manifest: Manifest,
    ) -> Result<Vec<String>, OutcomeError> {
        manifest.files.retain(|file| is_table_name(file));
        manifest.sha256.retain(|file, _| is_table_name(file));
        manifest.undrawn.clear();
        self.beside(before, manifest)
    }

    /// Puts figures beside an existing result, `before`. Returns their names.
    ///
    /// # Errors
    ///
    /// As [`Staging::finish`], and if the result has changed meanwhile.
    pub fn beside(
        self,
        before: &Manifest,
        mut manifest: Manifest,
    ) -> Result<Vec<String>, OutcomeError> {
        let figures = self.files.clone();
        // The manifest that was read may have been edited.
        manifest.files.retain(|file| is_result_name(file));
        manifest.sha256.retain(|file, _| is_result_name(file));
        for file in &figures {
            if !manifest.files.contains(file) {
                manifest.files.push(file.clone());
            }
        }
        manifest.undrawn.retain(|file| !figures.contains(file));
        manifest.sha256.extend(self.sync()?);
        self.place(Some(before), &manifest)?;
        Ok(figures)
    }

    /// Waits until all files are on disk; returns their hashes.
    fn sync(&self) -> Result<BTreeMap<String, String>, OutcomeError> {
        let mut hashes = BTreeMap::new();
        for file in &self.files {
            let path = self.hidden.join(file);
            let hash = sync_file(&path).and_then(|()| digest(&path));
            let hash = hash.map_err(|source| OutcomeError::Write { path, source })?;
            hashes.insert(file.clone(), hash);
        }
        Ok(hashes)
    }

    /// Puts all files in their places, the manifest last: see [`commit`]. Where they join a result
    /// that is there already, that must be the one they were made for.
    fn place(mut self, joined: Option<&Manifest>, manifest: &Manifest) -> Result<(), OutcomeError> {
        let home = self.home.clone();
        let held = match &self.mark {
            Some(_) => None,
            None => Hold::take(&home, false)?,
        };
        if held.is_none() && self.mark.is_none() {
            let source = io::Error::other("the folder is gone, or can no longer be locked");
            return Err(OutcomeError::Write { path: home, source });
        }
        commit::repair(&home, held.as_ref())?;
        let before = read_manifest(&home).ok();
        if joined.is_some() && joined != before.as_ref() {
            return Err(OutcomeError::Changed { home });
        }
        refuse_foreign(&home, before.as_ref(), &self.files, self.overwrite)?;
        let journal = Journal::between(before.as_ref(), manifest);
        let committed = self.commit(&journal, manifest);
        let committed = committed.map_err(|source| OutcomeError::Write {
            path: home.clone(),
            source,
        })?;
        commit::put(&home, &committed)
    }

    /// Makes the result certain: from here on it is put in its place, by the next run if need be.
    fn commit(&mut self, journal: &Journal, manifest: &Manifest) -> io::Result<PathBuf> {
        for (file, content) in [
            (Journal::FILE, to_json(journal)?),
            (Manifest::FILE, to_json(manifest)?),
        ] {
            let path = self.hidden.join(file);
            fs::write(&path, content)?;
            sync_file(&path)?;
        }
        sync_folder(&self.hidden)?;
        let committed = self.home.join(format!("{COMMITTED}{:016x}", random()));
        fs::rename(&self.hidden, &committed)?;
        self.hidden = PathBuf::new();
        // The folders' names may be late on disk, but not the result later than its parts.
        let _ = self.made.keep();
        let _ = sync_folder(&self.home);
        Ok(committed)
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if !self.hidden.as_os_str().is_empty() {
            let _ = remove_flat(&self.hidden);
        }
    }
}
