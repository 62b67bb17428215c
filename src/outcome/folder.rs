//! The folder of a result.

use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use super::tables::{Place, write_fits, write_points};
use super::{OutcomeError, Table, Tables, read_json};
use crate::engine::Results;
use crate::experiment::{Curve, Experiment, Source};

/// How a result came about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of bvlab.
    pub bvlab: String,
    /// The experiment's name.
    pub name: String,
    /// The text of its file.
    pub experiment: String,
    /// Keys that were set on top of the file, as `run.seed=2`.
    pub set: Vec<String>,
    /// All random numbers follow from it.
    pub seed: u64,
    /// How many training sets were drawn; in a simulation, resamples.
    pub resamples: u64,
    /// How many groups of resamples the standard errors come from.
    pub groups: usize,
    /// An interval of 95 % is the estimate ± so many standard errors: Student's t.
    pub t95: f64,
    /// With a wanted precision: the largest standard error of a risk, as a share of it.
    pub precision: Option<f64>,
    /// When the run began, in UTC.
    pub started: String,
    /// How long it took.
    pub seconds: f64,
    /// On how many threads.
    pub threads: usize,
    /// The files of the result.
    pub files: Vec<String>,
    /// The table of real data that the experiment is about, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<TableNote>,
    /// A hash of what the numbers follow from, besides the version: see [`Source::run_hash`].
    #[serde(default)]
    pub run_hash: Option<String>,
    /// A hash of what the figures show: see [`Source::figure_hash`]. None where they were drawn
    /// otherwise.
    #[serde(default)]
    pub figure_hash: Option<String>,
}

/// How a table of real data was used; the result has a copy of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableNote {
    /// What the experiment calls its file.
    pub file: String,
    /// The file's copy in the result.
    pub copy: String,
    /// A hash of its content.
    pub hash: String,
    /// The column that is predicted.
    pub target: String,
    /// The columns it is predicted from: x1, x2, … of the tables, or x.
    pub columns: Vec<String>,
    /// The names of the classes 0, 1, …; none where the target is a number.
    pub classes: Vec<String>,
    /// How many rows training sets are drawn from.
    pub train_rows: usize,
    /// How many rows are held out, to measure the error on.
    pub test_rows: usize,
    /// How many missing inputs were made up.
    pub imputed: usize,
    /// What the numbers mean.
    pub noise: String,
}

impl TableNote {
    /// What is to be noted of an experiment; `None` if it has no table.
    pub fn of(experiment: &Experiment) -> Option<Self> {
        let file = experiment.source.table()?;
        let rows = experiment.problems.first()?.rows()?;
        Some(TableNote {
            file: file.name.clone(),
            copy: file.copy_name(),
            hash: file.hash.clone(),
            target: rows.target.clone(),
            columns: rows.names.clone(),
            classes: rows.classes.clone(),
            train_rows: rows.train.len(),
            test_rows: rows.test.len(),
            imputed: rows.imputed,
            noise: "unknown: bias2 contains it".to_owned(),
        })
    }
}

impl Tables {
    /// The files that the tables of a result are kept in, its copy of a table of real data included.
    fn files(manifest: &Manifest) -> Vec<String> {
        let parquet = Tables::NAMES.map(|name| format!("{name}.parquet"));
        let copy = manifest.table.iter().map(|table| table.copy.clone());
        ["curves.csv".to_owned()]
            .into_iter()
            .chain(parquet)
            .chain(copy)
            .collect()
    }
}

impl Manifest {
    const FILE: &str = "manifest.json";

    /// The experiment's text, as it was run.
    pub fn source(&self, more: &[String]) -> Source {
        let sets: Vec<String> = self.set.iter().chain(more).cloned().collect();
        Source::new(&format!("{} (as run)", self.name), &self.experiment, &sets)
    }
}

/// Reads a finished result: all tables but `points` and `fits`, which may be very large; of these
/// [`read_places`] reads what is to be looked at.
///
/// # Errors
///
/// If the manifest or a table is missing or damaged.
pub fn read(home: &Path) -> Result<(Manifest, Tables), OutcomeError> {
    let manifest = read_manifest(home)?;
    let simulation = format!("{}.parquet", Tables::SIMULATION);
    if manifest.files.contains(&simulation) {
        let tables = Tables {
            simulation: Table::read_parquet(&home.join(simulation))?,
            ..Tables::default()
        };
        return Ok((manifest, tables));
    }
    let path = |name: &str| home.join(format!("{name}.parquet"));
    for name in ["points", "fits"] {
        Table::rows_of_parquet(&path(name))?;
    }
    let tables = Tables {
        curves: Table::read_parquet(&path("curves"))?,
        training: Table::read_parquet(&path("training"))?,
        runs: Table::read_parquet(&path("runs"))?,
        ..Tables::default()
    };
    Ok((manifest, tables))
}

/// Reads the rows of `points` and `fits` for some settings.
///
/// # Errors
///
/// If a table is missing or damaged.
pub fn read_places(
    home: &Path,
    experiment: &Experiment,
    places: &[Place],
    tables: &mut Tables,
) -> Result<(), OutcomeError> {
    let settings: Vec<usize> = experiment.curves.iter().map(Curve::settings).collect();
    let number = |(which, setting): &Place| settings[..*which].iter().sum::<usize>() + setting;
    for (table, name) in [(&mut tables.points, "points"), (&mut tables.fits, "fits")] {
        if places.is_empty() {
            continue;
        }
        let path = home.join(format!("{name}.parquet"));
        // Every setting has as many rows as any other.
        let each = Table::rows_of_parquet(&path)? / settings.iter().sum::<usize>().max(1);
        let rows = places.iter().map(|place| number(place) * each);
        let rows: Vec<_> = rows.map(|start| start..start + each).collect();
        *table = Table::read_parquet_rows(&path, &rows)?;
    }
    Ok(())
}

fn read_manifest(home: &Path) -> Result<Manifest, OutcomeError> {
    read_json(home.join(Manifest::FILE))
}

/// Removes what killed runs left in a folder of results.
fn clear_remains(home: &Path) {
    for entry in fs::read_dir(home).into_iter().flatten().flatten() {
        let hidden = entry.file_name().to_string_lossy().starts_with(HIDDEN);
        let place = entry.path().join(LOCK);
        // Held until the folder is gone, and only if it is still this folder's: another run may have
        // cleared it and its owner made it anew.
        if hidden
            && let Ok(lock) = File::open(&place)
            && lock.try_lock().is_ok()
            && is_at(&lock, &place)
        {
            // Out of the way first: what is made in its place is then not removed with it.
            static GONE: AtomicU64 = AtomicU64::new(0);
            let count = GONE.fetch_add(1, Ordering::Relaxed);
            let gone = home.join(format!("{HIDDEN}gone-{}-{count}", std::process::id()));
            if fs::rename(entry.path(), &gone).is_ok() {
                let _ = fs::remove_dir_all(gone);
            }
        }
    }
}

/// Whether an open file is the one that has this name.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(named)) => (open.dev(), open.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

/// Where files have no numbers to tell them by, a name that is there is trusted.
#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

/// How often a hidden folder is made again before that is called an error.
const ATTEMPTS: usize = 1000;

/// Makes a hidden folder and locks it. Until it is locked, another run may take it for the remains
/// of a killed one and clear it away; then it is made again.
fn claim(hidden: &Path) -> std::io::Result<File> {
    let place = hidden.join(LOCK);
    let attempt = || {
        fs::create_dir_all(hidden)?;
        // A folder that can be made but not written to is found out before the run, not after it.
        let lock = File::create(&place)?;
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => Err(ErrorKind::NotFound.into()),
            // Where files cannot be locked, nothing is ever taken for the remains of a killed run.
            Ok(()) | Err(TryLockError::Error(_)) if is_at(&lock, &place) => Ok(lock),
            Ok(()) | Err(TryLockError::Error(_)) => Err(ErrorKind::NotFound.into()),
        }
    };
    let mut last: std::io::Result<File> = attempt();
    for _ in 1..ATTEMPTS {
        match &last {
            // Gone while it was made, or while it was found to be there.
            Err(error)
                if [ErrorKind::NotFound, ErrorKind::AlreadyExists].contains(&error.kind()) =>
            {
                // Whoever clears it may be waiting for its turn on the processor.
                std::thread::sleep(std::time::Duration::from_millis(1));
                last = attempt();
            }
            _ => break,
        }
    }
    last
}

/// A result being written: all of it goes to a hidden folder first, and takes its place only when
/// it is complete. Dropped before that, it leaves nothing behind; killed before that, what it leaves
/// is cleared away by the next.
pub struct Staging {
    home: PathBuf,
    hidden: PathBuf,
    /// Held as long as this process lives: tells a run that goes on from one that was killed.
    _lock: File,
    made: Vec<PathBuf>,
    files: Vec<String>,
}

/// What the hidden folders' names begin with.
const HIDDEN: &str = ".new-";

/// The file in a hidden folder that is locked while its run goes on.
const LOCK: &str = ".lock";

impl Staging {
    /// Prepares a result in the folder `home`, which is made where it does not exist.
    ///
    /// # Errors
    ///
    /// If nothing can be written there.
    pub fn open(home: &Path) -> Result<Self, OutcomeError> {
        let cannot = |source| OutcomeError::Write {
            path: home.to_owned(),
            source,
        };
        clear_remains(home);
        let hidden = home.join(format!("{HIDDEN}{}", std::process::id()));
        let missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let made = hidden.ancestors().take_while(missing).map(Path::to_owned);
        let made: Vec<PathBuf> = made.collect();
        let lock = claim(&hidden).map_err(cannot)?;
        Ok(Staging {
            home: home.to_owned(),
            hidden,
            _lock: lock,
            made,
            files: Vec::new(),
        })
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
    /// If it cannot be written.
    pub fn write(&mut self, file: &str, content: &[u8]) -> Result<(), OutcomeError> {
        let path = self.path(file);
        fs::write(&path, content).map_err(|source| OutcomeError::Write { path, source })
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
        experiment: &Experiment,
        results: &Results,
    ) -> Result<Tables, OutcomeError> {
        let tables = Tables::small(experiment, results);
        let path = self.path("curves.csv");
        tables.curves.write_csv(&path)?;
        for name in Tables::NAMES {
            let path = self.path(&format!("{name}.parquet"));
            match name {
                "points" => write_points(experiment, results, &path)?,
                "fits" => write_fits(experiment, results, &path)?,
                "curves" => tables.curves.write_parquet(&path)?,
                "training" => tables.training.write_parquet(&path)?,
                _ => tables.runs.write_parquet(&path)?,
            }
        }
        Ok(tables)
    }

    /// Puts a finished result in its place. Files of an earlier result that the new one does not
    /// have are removed, so that no old figure stands beside new tables; other files in the folder
    /// are left alone. Returns the files' names.
    ///
    /// # Errors
    ///
    /// If a file cannot be moved.
    pub fn finish(mut self, mut manifest: Manifest) -> Result<Vec<String>, OutcomeError> {
        let _held = self.hold();
        let before = read_manifest(&self.home).map_or(Vec::new(), |manifest| manifest.files);
        manifest.files = self.files.clone();
        self.put(&manifest)?;
        self.remove_others(&before, &manifest);
        Ok(manifest.files)
    }

    /// Puts figures in the place of those of an existing result, which are removed. Returns the
    /// new ones' names.
    ///
    /// # Errors
    ///
    /// If a file cannot be moved.
    pub fn instead(mut self, mut manifest: Manifest) -> Result<Vec<String>, OutcomeError> {
        let _held = self.hold();
        let figures = self.files.clone();
        let before = manifest.files.clone();
        let tables = Tables::files(&manifest);
        manifest.files.retain(|file| tables.contains(file));
        manifest.files.extend(figures.iter().cloned());
        self.put(&manifest)?;
        self.remove_others(&before, &manifest);
        Ok(figures)
    }

    /// Removes the files of an earlier result that a new one does not have.
    fn remove_others(&self, before: &[String], manifest: &Manifest) {
        for old in before.iter().filter(|file| !manifest.files.contains(file)) {
            // Only names that a result can have: the manifest is a file that anyone may edit.
            let plain = Path::new(old)
                .file_name()
                .is_some_and(|name| name == old.as_str());
            if plain && old != Manifest::FILE {
                let _ = fs::remove_file(self.home.join(old));
            }
        }
    }

    /// Puts figures beside an existing result. Returns their names.
    ///
    /// # Errors
    ///
    /// If a file cannot be moved.
    pub fn beside(mut self, mut manifest: Manifest) -> Result<Vec<String>, OutcomeError> {
        let _held = self.hold();
        let figures = self.files.clone();
        for file in &figures {
            if !manifest.files.contains(file) {
                manifest.files.push(file.clone());
            }
        }
        self.put(&manifest)?;
        Ok(figures)
    }

    /// Holds the folder until the guard is dropped: of two runs that end at once, one waits, so that
    /// the files of a result are all of one run.
    fn hold(&self) -> Option<File> {
        // Where a folder cannot be opened or locked, a run is trusted to be alone.
        let folder = File::open(&self.home).ok()?;
        folder.lock().ok()?;
        Some(folder)
    }

    /// Moves every file to its place, the manifest last. The earlier manifest is the first to go:
    /// whoever finds a manifest finds the files of its run, also when this run is killed in between.
    fn put(&mut self, manifest: &Manifest) -> Result<(), OutcomeError> {
        let text = serde_json::to_string_pretty(manifest).map_err(|error| OutcomeError::Write {
            path: self.home.join(Manifest::FILE),
            source: error.into(),
        })?;
        self.write(Manifest::FILE, (text + "\n").as_bytes())?;
        let place = self.home.join(Manifest::FILE);
        if place.is_file() {
            let gone = fs::rename(&place, self.aside(Manifest::FILE));
            gone.map_err(|source| OutcomeError::Write {
                path: place.clone(),
                source,
            })?;
        }
        let mut moved = Vec::new();
        for file in &self.files {
            if let Err(source) = self.put_one(file) {
                // All or nothing: what was there before comes back.
                for file in moved {
                    let _ = fs::rename(self.aside(file), self.home.join(file));
                }
                let _ = fs::rename(self.aside(Manifest::FILE), &place);
                let path = self.home.join(file);
                return Err(OutcomeError::Write { path, source });
            }
            moved.push(file);
        }
        self.made.clear();
        Ok(())
    }

    /// Moves one file to its place, and what was there aside.
    fn put_one(&self, file: &str) -> std::io::Result<()> {
        let place = self.home.join(file);
        if place.is_dir() {
            return Err(std::io::Error::other("a folder of that name is in the way"));
        }
        let had_one = place.exists();
        if had_one {
            fs::rename(&place, self.aside(file))?;
        }
        let put = fs::rename(self.hidden.join(file), &place);
        if put.is_err() && had_one {
            let _ = fs::rename(self.aside(file), &place);
        }
        put
    }

    fn aside(&self, file: &str) -> PathBuf {
        self.hidden.join(format!(".old-{file}"))
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.hidden);
        // Folders that were made for a result that did not come about.
        for folder in &self.made {
            let _ = fs::remove_dir(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_was_claimed_is_never_cleared_away() {
        let home = std::env::temp_dir().join(format!("bvlab-claims-{}", std::process::id()));
        let claims = |run: usize| {
            for turn in 0..300 {
                let hidden = home.join(format!("{HIDDEN}{run}"));
                let lock = claim(&hidden).expect("it can be claimed");
                std::thread::yield_now();
                fs::write(hidden.join("table"), b"1")
                    .unwrap_or_else(|error| panic!("run {run}, turn {turn}: {error}"));
                drop(lock);
                clear_remains(&home);
            }
        };
        std::thread::scope(|scope| {
            for run in 0..4 {
                let claims = &claims;
                scope.spawn(move || claims(run));
            }
        });
        let _ = fs::remove_dir_all(&home);
    }
}
