//! Who may change a folder of results.
//!
//! Runs into the same folder are kept apart by a lock on the folder, held while a result is put in
//! its place and while remains are looked at. Where the file system has no locks, a run marks the
//! folder from its beginning to its end with a file that only one process can create; whoever finds
//! the mark is refused, because nothing tells whether the run behind it is still going.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::OutcomeError;
use super::disk::{ATTEMPTS, look_at, read_json, to_json};

/// The file that says that a run writes to a folder without locks.
const MARK: &str = ".bvlab-in-use";

/// How often the file that says who came first is looked at again while it says nothing.
const PATIENCE: usize = 30;

/// Which run something belongs to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Owner {
    host: String,
    process: u32,
    started: String,
    /// Whether its files are locked while it goes on.
    pub locked: bool,
}

impl Owner {
    /// The file in a hidden folder that says whose it is, locked while its run goes on.
    pub const FILE: &str = "owner.json";

    /// This process.
    pub fn here(locked: bool) -> Self {
        let host = fs::read_to_string("/proc/sys/kernel/hostname").ok();
        let host = host.or_else(|| std::env::var("HOSTNAME").ok());
        let host = host.or_else(|| std::env::var("COMPUTERNAME").ok());
        let now = chrono::DateTime::<chrono::Utc>::from(SystemTime::now());
        Owner {
            host: host.unwrap_or_default().trim().to_owned(),
            process: std::process::id(),
            started: now.format("%Y-%m-%dT%H:%M:%SZ").to_string(),
            locked,
        }
    }

    /// Creates a file with it, which must not be there yet.
    pub fn create(&self, path: &Path) -> io::Result<File> {
        let mut file = File::create_new(path)?;
        let written = to_json(self).and_then(|text| file.write_all(&text));
        match written {
            Ok(()) => Ok(file),
            Err(error) => {
                let _ = fs::remove_file(path);
                Err(error)
            }
        }
    }

    /// The error of whoever comes second; `path` is what the first has left.
    pub fn refusal(home: &Path, path: PathBuf, file: PathBuf) -> OutcomeError {
        let mut owner = read_json::<Owner>(file.clone());
        // It may just have been created, and not be written yet.
        for _ in 0..PATIENCE {
            if owner.is_ok() {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
            owner = read_json(file.clone());
        }
        let owner = match owner {
            Ok(owner) => format!(
                "process {} on {}, since {}",
                owner.process,
                match owner.host.as_str() {
                    "" => "an unknown machine",
                    host => host,
                },
                owner.started
            ),
            Err(_) => "it does not say which".to_owned(),
        };
        OutcomeError::InUse {
            home: home.to_owned(),
            path,
            owner,
        }
    }
}

/// The right to change a folder, until it is dropped.
pub(super) enum Hold {
    /// The folder is locked.
    Locked { folder: File },
    /// The folder is marked.
    Marked(InUseFile),
}

/// The mark of this process, removed when it is dropped.
pub(super) struct InUseFile(PathBuf);

impl Drop for InUseFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

impl Hold {
    /// Waits for a folder, which is made where there is none.
    ///
    /// # Errors
    ///
    /// If it cannot be made, or there are no locks and another run may be there.
    pub fn make(home: &Path) -> Result<Self, OutcomeError> {
        let cannot = |source| OutcomeError::Write {
            path: home.to_owned(),
            source,
        };
        let mut last = None;
        for _ in 0..ATTEMPTS {
            let made = fs::create_dir_all(home).and_then(|()| lock(home));
            match made {
                Ok(Some(folder)) => return Ok(Hold::Locked { folder }),
                Ok(None) => return InUseFile::make(home).map(Hold::Marked),
                // Another run that had made the folder has removed it again.
                Err(error) if error.kind() == ErrorKind::NotFound => last = Some(error),
                Err(error) => return Err(cannot(error)),
            }
        }
        Err(cannot(last.unwrap_or_else(|| ErrorKind::NotFound.into())))
    }

    /// Waits for a folder that is there; `None` if it is not, or if it has no locks and need not be
    /// marked because nothing is to be changed in it.
    ///
    /// # Errors
    ///
    /// If there are no locks and another run may be there.
    pub fn take(home: &Path, change: bool) -> Result<Option<Self>, OutcomeError> {
        match lock(home) {
            Ok(Some(folder)) => Ok(Some(Hold::Locked { folder })),
            Ok(None) if change => InUseFile::make(home).map(Hold::Marked).map(Some),
            _ => Ok(None),
        }
    }
}

/// Locks a folder; `None` where that is not possible.
fn lock(home: &Path) -> io::Result<Option<File>> {
    let folder = match File::open(home) {
        Ok(folder) => folder,
        // Where folders cannot be opened, they cannot be locked.
        Err(_) if !cfg!(unix) && home.is_dir() => return Ok(None),
        Err(error) => return Err(error),
    };
    loop {
        match folder.lock() {
            Ok(()) if is_at(&folder, home) => return Ok(Some(folder)),
            Ok(()) => return Err(ErrorKind::NotFound.into()),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return Ok(None),
        }
    }
}

/// Whether an open folder is the one that has this name.
#[cfg(unix)]
fn is_at(folder: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (folder.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(named)) => (open.dev(), open.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

/// Where folders have no numbers to tell them by, a name that is there is trusted.
#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

impl InUseFile {
    fn make(home: &Path) -> Result<Self, OutcomeError> {
        let path = home.join(MARK);
        match Owner::here(false).create(&path) {
            Ok(_) => Ok(InUseFile(path)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                Err(Owner::refusal(home, path.clone(), path))
            }
            Err(source) => Err(OutcomeError::Write { path, source }),
        }
    }

    /// Refuses a folder that a run without locks has marked.
    pub fn refuse(home: &Path) -> Result<(), OutcomeError> {
        let path = home.join(MARK);
        match look_at(&path) {
            Ok(None) => Ok(()),
            _ => Err(Owner::refusal(home, path.clone(), path)),
        }
    }
}
