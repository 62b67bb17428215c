//! Where the tables of experiments come from. Nothing is opened here: bytes are handed in.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use super::sheet::{Contents, ParquetError};
use crate::hash::hash;

/// Whoever has the tables that experiments name.
pub trait TableSource: fmt::Debug + Send + Sync {
    /// The table of that name.
    ///
    /// # Errors
    ///
    /// If there is none, or it cannot be read.
    fn read(&self, name: &str) -> Result<Arc<TableFile>, NotFound>;

    /// The columns of a Parquet file, of which only the bytes are known here.
    ///
    /// # Errors
    ///
    /// If it is no Parquet file, or none can be read.
    fn parquet(&self, bytes: &[u8]) -> Result<Contents, ParquetError> {
        let _ = bytes;
        Err(ParquetError::Unreadable(
            "Parquet cannot be read here".to_owned(),
        ))
    }
}

/// A table's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableFile {
    /// Its name, as the experiment says it.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
    /// A hash of its content.
    pub hash: String,
}

impl TableFile {
    /// A table with its content.
    pub fn new(name: &str, bytes: Vec<u8>) -> Self {
        TableFile {
            name: name.to_owned(),
            hash: hash(&bytes),
            bytes,
        }
    }

    /// What the copy in a folder of results is called.
    pub fn copy_name(&self) -> String {
        copy_name(&self.name)
    }
}

/// What the copy of a table in a folder of results is called.
pub fn copy_name(file: &str) -> String {
    let file = file.to_lowercase();
    let (inner, packed) = match file.strip_suffix(".gz") {
        Some(inner) => (inner, ".gz"),
        None => (&*file, ""),
    };
    let ending = Path::new(inner).extension().unwrap_or_default();
    format!("table.{}{packed}", ending.to_string_lossy())
}

/// Why a table was not found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct NotFound {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
}

impl NotFound {
    /// A table that cannot be read, for a reason.
    pub fn new(name: &str, reason: &str, help: impl Into<String>) -> Self {
        NotFound {
            message: format!("cannot read {name}: {reason}"),
            help: help.into(),
        }
    }
}

/// No tables at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoTables;

impl TableSource for NoTables {
    fn read(&self, _: &str) -> Result<Arc<TableFile>, NotFound> {
        Err(NotFound {
            message: "tables cannot be read here".to_owned(),
            help: "`bvlab run FILE` runs an experiment with a table".to_owned(),
        })
    }
}

/// Tables in memory, and those that ship with bvlab. Nothing else is read, whatever is asked for.
#[derive(Clone, Debug)]
pub struct HeldTables {
    tables: Vec<Arc<TableFile>>,
    parquet: Arc<dyn TableSource>,
    /// Whether a table is also found by a path that ends with its name.
    in_any_folder: bool,
}

impl Default for HeldTables {
    fn default() -> Self {
        HeldTables::new(Vec::new(), Arc::new(NoTables))
    }
}

impl HeldTables {
    /// Some tables; `parquet` reads those of them that are Parquet.
    pub fn new(tables: Vec<Arc<TableFile>>, parquet: Arc<dyn TableSource>) -> Self {
        HeldTables {
            tables,
            parquet,
            in_any_folder: false,
        }
    }

    /// The same for files without a folder, such as those that a page is given: whatever folder an
    /// experiment names, the file is found.
    pub fn in_any_folder(mut self) -> Self {
        self.in_any_folder = true;
        self
    }

    /// The tables in memory.
    pub fn files(&self) -> &[Arc<TableFile>] {
        &self.tables
    }

    /// The tables of all.
    pub fn joined<'a>(all: impl Iterator<Item = &'a HeldTables> + Clone) -> Self {
        let tables = all.clone().flat_map(|held| held.tables.iter().cloned());
        // They are read by whoever had the first of them.
        let parquet = all.clone().find(|held| !held.tables.is_empty());
        let parquet = parquet.map(|held| held.parquet.clone());
        HeldTables {
            tables: tables.collect(),
            parquet: parquet.unwrap_or_else(|| Arc::new(NoTables)),
            in_any_folder: all.clone().any(|held| held.in_any_folder),
        }
    }
}

impl TableSource for HeldTables {
    fn read(&self, name: &str) -> Result<Arc<TableFile>, NotFound> {
        if let Some(table) = self.tables.iter().find(|table| table.name == name) {
            return Ok(table.clone());
        }
        let last = Path::new(name).file_name().filter(|_| self.in_any_folder);
        let given = |table: &&Arc<TableFile>| last.is_some_and(|last| last == &*table.name);
        if let Some(table) = self.tables.iter().find(given) {
            return Ok(table.clone());
        }
        #[cfg(feature = "shipped")]
        if let Some(bytes) = crate::shipped::table(name) {
            return Ok(Arc::new(TableFile::new(name, bytes.into_owned())));
        }
        let help = "its tables are those that ship with bvlab, and that of the experiment it was opened with: `bvlab lab FILE`";
        Err(NotFound::new(name, "the live page reads no files", help))
    }

    fn parquet(&self, bytes: &[u8]) -> Result<Contents, ParquetError> {
        self.parquet.parquet(bytes)
    }
}

/// The tables that ship with bvlab.
#[cfg(feature = "shipped")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShippedTables;

#[cfg(feature = "shipped")]
impl TableSource for ShippedTables {
    fn read(&self, name: &str) -> Result<Arc<TableFile>, NotFound> {
        let bytes = crate::shipped::table(name).ok_or_else(|| {
            let help =
                "copy the experiment to a file of your own: `bvlab list --show NAME > mine.toml`";
            NotFound::new(name, "it does not ship with bvlab", help)
        })?;
        Ok(Arc::new(TableFile::new(name, bytes.into_owned())))
    }
}
