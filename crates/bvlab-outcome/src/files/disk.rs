//! Files and folders: written whole, kept on disk, never reached through a link.

use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Component, Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use super::OutcomeError;
use crate::{Tables, columns};

/// How often something is tried again when another run got in between.
pub(super) const ATTEMPTS: usize = 1000;

/// The most that is read of a file of JSON, in bytes.
const MOST_JSON: u64 = 64 << 20;

/// A number that no other process has: process ids are equal in containers.
pub(super) fn random() -> u64 {
    // Seeded by the operating system, anew for every process and call.
    RandomState::new().build_hasher().finish()
}

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
    let hidden = format!(".{}-{:016x}", name.unwrap_or_default(), random());
    let hidden = path.with_file_name(hidden);
    let write = || -> io::Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        // Never through a link, never into a file that is there.
        let mut file = File::create_new(&hidden)?;
        let written = file
            .write_all(content)
            .and_then(|()| fs::rename(&hidden, path));
        written.inspect_err(|_| {
            let _ = fs::remove_file(&hidden);
        })
    };
    write().map_err(|source| {
        let path = path.to_owned();
        OutcomeError::Write { path, source }
    })
}

/// A value as the JSON of a file.
pub(super) fn to_json(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(value)?;
    text.push(b'\n');
    Ok(text)
}

/// Reads a file of JSON.
pub(super) fn read_json<T: DeserializeOwned>(path: PathBuf) -> Result<T, OutcomeError> {
    let read = || -> Result<T, String> {
        let found = fs::metadata(&path).map_err(|error| error.to_string())?;
        if !found.is_file() {
            return Err("it is not a file".to_owned());
        }
        let bytes = read_at_most(&path, MOST_JSON).map_err(|error| error.to_string())?;
        let bytes = bytes.ok_or("it is too large")?;
        serde_json::from_slice(&bytes).map_err(|error| error.to_string())
    };
    read().map_err(|reason| OutcomeError::Read { path, reason })
}

/// The content of a file; `None` if it has more bytes than `most`.
pub(super) fn read_at_most(path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let file = File::open(path)?;
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}

/// The SHA-256 of a file, in hexadecimal.
pub(super) fn digest(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => hash.update(&buffer[..count]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let hex = |byte: &u8| format!("{byte:02x}");
    Ok(hash.finalize().iter().map(hex).collect())
}

/// Waits until a file is on disk.
pub(super) fn sync_file(path: &Path) -> io::Result<()> {
    OpenOptions::new().write(true).open(path)?.sync_all()
}

/// Waits until the names in a folder are on disk.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    let folder = match path.as_os_str().is_empty() {
        true => Path::new("."),
        false => path,
    };
    match File::open(folder)?.sync_all() {
        // Some file systems have no such thing for folders.
        Err(error) if [ErrorKind::InvalidInput, ErrorKind::Unsupported].contains(&error.kind()) => {
            Ok(())
        }
        done => done,
    }
}

/// What has this name, links not followed; `None` if nothing has.
pub(super) fn look_at(path: &Path) -> io::Result<Option<fs::Metadata>> {
    match fs::symlink_metadata(path) {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Refuses a folder of bvlab's that is a link, or no folder: what is behind a link is not bvlab's.
///
/// # Errors
///
/// If it is one.
pub fn refuse_link(path: &Path) -> Result<(), OutcomeError> {
    match look_at(path) {
        Ok(Some(found)) if !found.is_dir() => Err(OutcomeError::Link {
            path: path.to_owned(),
        }),
        _ => Ok(()),
    }
}

/// The folders in a folder whose names begin with `prefix`, links left out; none in one that is not
/// there.
pub(super) fn folders(home: &Path, prefix: &str) -> Result<Vec<PathBuf>, OutcomeError> {
    let entries = match fs::read_dir(home) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.and_then(Iterator::collect::<io::Result<Vec<_>>>),
    };
    let entries = entries.map_err(|error| OutcomeError::Read {
        path: home.to_owned(),
        reason: error.to_string(),
    })?;
    let mut found: Vec<PathBuf> = entries
        .into_iter()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix))
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .collect();
    found.sort();
    Ok(found)
}

/// Removes the files of a folder, and the folder if nothing else is in it.
pub(super) fn remove_flat(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)?.flatten() {
        if entry.file_type().is_ok_and(|kind| !kind.is_dir()) {
            fs::remove_file(entry.path())?;
        }
    }
    fs::remove_dir(folder)
}

/// Whether a text is the name of something in a folder, and neither a path nor hidden.
pub fn is_plain_name(name: &str) -> bool {
    let mut components = Path::new(name).components();
    let normal = match components.next() {
        Some(Component::Normal(only)) => only == name,
        _ => false,
    };
    normal && components.next().is_none() && !name.starts_with('.') && !name.contains('\0')
}

/// Whether a file of a result can have this name.
pub(super) fn is_result_name(name: &str) -> bool {
    let Some((stem, ending)) = name.rsplit_once('.') else {
        return false;
    };
    // As the reader of experiments takes figures' names.
    let figure = |c: char| c.is_alphanumeric() || "-_".contains(c);
    is_table_name(name)
        || name == "page.html"
        || ["png", "svg", "pdf"].contains(&ending) && !stem.is_empty() && stem.chars().all(figure)
}

/// Whether a table of a result can have this name, or its copy of a table of real data.
pub(super) fn is_table_name(name: &str) -> bool {
    // The copy of a compressed table: `table.csv.gz`.
    let packed = name.starts_with("table.");
    let name = name.strip_suffix(".gz").filter(|_| packed).unwrap_or(name);
    match name.rsplit_once('.') {
        Some(("table", ending)) => !ending.is_empty() && ending.chars().all(char::is_alphanumeric),
        Some((stem, "csv")) => {
            [Tables::NAMES[0], Tables::SIMULATION, columns::CLAIMS].contains(&stem)
                || Tables::SELECTION_CSV.contains(&stem)
        }
        Some((stem, "parquet")) => {
            Tables::NAMES.contains(&stem)
                || Tables::SELECTION_NAMES.contains(&stem)
                || [
                    Tables::SIMULATION,
                    columns::CLAIMS,
                    columns::VARIANTS,
                    columns::SIMULATION_VARIANTS,
                ]
                .contains(&stem)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_elsewhere_are_not_names() {
        for name in ["curves.csv", "it's 100% mine", "é", "a b"] {
            assert!(is_plain_name(name), "{name}");
        }
        for name in [
            "", ".", "..", "../x", "a/b", "/x", "a/", "./a", ".x", "a\0b", "a/../b",
        ] {
            assert!(!is_plain_name(name), "{name}");
            assert!(!is_result_name(name), "{name}");
        }
    }

    #[test]
    fn only_files_of_results_have_their_names() {
        for name in [
            "curves.csv",
            "curves.parquet",
            "fits.parquet",
            "simulation.csv",
            "table.csv",
            "table.csv.gz",
            "page.html",
            "tradeoff.png",
            "my_figure-2.svg",
        ] {
            assert!(is_result_name(name), "{name}");
        }
        for name in [
            "notes.txt",
            "points.csv",
            "manifest.json",
            "index.html",
            ".png",
            "my photo.png",
            "../a.png",
            "a.b.png",
            "curves.csv.bak",
            "curves.csv.gz",
        ] {
            assert!(!is_result_name(name), "{name}");
        }
    }

    #[test]
    fn the_digest_is_that_of_sha256sum() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("abc");
        fs::write(&path, "abc").unwrap();
        assert_eq!(
            digest(&path).unwrap(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
