//! Tables of real data in files.

pub mod apart;

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bvlab_core::words::nearest;
use bvlab_experiment::table::{
    Contents, MOST_BYTES, NotFound, ParquetError, TableFile, TableSource, copy_name,
};
use bvlab_outcome::files::parquet_contents;

/// Tables in a folder: those beside an experiment's file, or the copy in a folder of results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderTables {
    folder: PathBuf,
    copy: bool,
}

impl FolderTables {
    /// The tables beside an experiment's file.
    pub fn beside(experiment: &Path) -> Arc<Self> {
        let folder = experiment.parent().unwrap_or(Path::new(""));
        Arc::new(FolderTables {
            folder: folder.to_owned(),
            copy: false,
        })
    }

    /// The copy of a table in a folder of results, whatever the experiment calls it.
    pub fn kept(home: &Path) -> Arc<Self> {
        Arc::new(FolderTables {
            folder: home.to_owned(),
            copy: true,
        })
    }
}

impl TableSource for FolderTables {
    fn read(&self, name: &str) -> Result<Arc<TableFile>, NotFound> {
        let path = match self.copy {
            true => self.folder.join(copy_name(name)),
            false => self.folder.join(name),
        };
        let failed = |error: std::io::Error| {
            let help = suggestion(&path).unwrap_or_else(|| {
                "the path of a table is relative to the folder of the experiment".to_owned()
            });
            NotFound::new(name, &error.to_string(), help)
        };
        let found = fs::metadata(&path).map_err(failed)?;
        if !found.is_file() {
            let help = "name a CSV or Parquet file";
            return Err(NotFound::new(name, "it is not a file", help));
        }
        let mut bytes = Vec::new();
        // One byte more than may be, so that what is too large is known to be.
        let opened = File::open(&path).map_err(failed)?;
        let read = opened.take(MOST_BYTES + 1).read_to_end(&mut bytes);
        read.map_err(failed)?;
        Ok(Arc::new(TableFile::new(name, bytes)))
    }

    fn parquet(&self, bytes: &[u8]) -> Result<Contents, ParquetError> {
        apart::ask(bytes).unwrap_or_else(|| parquet_contents(bytes))
    }
}

/// A file whose name the user may have meant.
fn suggestion(path: &Path) -> Option<String> {
    let folder = path.parent()?;
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    let entries = fs::read_dir(folder).ok()?.flatten();
    let names: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    let wanted = path.file_name()?.to_string_lossy().into_owned();
    let near = nearest(&wanted, names.iter().map(String::as_str))?;
    Some(format!("did you mean `{near}`?"))
}
