//! Finding and reading the experiments that the user names.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use clap::Args;

use super::Failure;
use crate::experiment::table::{ShippedTables, TableSource};
use crate::experiment::{Bounds, Experiment, LONGEST_TEXT, Source, shipped};
use crate::learner::Registry;
use crate::tables::FolderTables;
use bvlab_core::words::{nearest, visible};

/// Changes to an experiment from the command line.
#[derive(Debug, Args)]
pub struct Changes {
    /// Set any key of the experiment, as in --set problem.train=50 --set learner.0.tree.min-leaf=5
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// Number of training sets to draw; short for --set run.resamples=N
    #[arg(long, value_name = "N")]
    resamples: Option<String>,

    /// Seed of all random numbers; short for --set run.seed=N
    #[arg(long, value_name = "N")]
    seed: Option<String>,
}

impl Changes {
    /// No changes.
    pub fn none() -> Self {
        Changes {
            set: Vec::new(),
            resamples: None,
            seed: None,
        }
    }

    /// All changes as keys to set.
    pub fn all(&self) -> Vec<String> {
        let resamples = self.resamples.iter().map(|n| format!("run.resamples={n}"));
        let seed = self.seed.iter().map(|n| format!("run.seed={n}"));
        self.set
            .iter()
            .cloned()
            .chain(resamples)
            .chain(seed)
            .collect()
    }

    /// Reads an experiment: a file, or one that ships inside the program.
    pub fn load(&self, file: &str, registry: &Registry) -> Result<Experiment, Failure> {
        let (name, text, tables) = find(file)?;
        self.read(&name, file, &text, tables, registry)
    }

    /// Reads an experiment from its text; `file` is what errors call it.
    pub fn read(
        &self,
        name: &str,
        file: &str,
        text: &str,
        tables: Arc<dyn TableSource>,
        registry: &Registry,
    ) -> Result<Experiment, Failure> {
        let source = Source::new(file, text, &self.all()).with_tables(tables);
        Experiment::read_with(name, source, registry, &Bounds::default())
            .map_err(|error| Failure::wrong(*error))
    }
}

/// The most bytes of an experiment's name, which is that of a folder.
const LONGEST_NAME: usize = 200;

/// Why a text is not read, and what to do.
pub struct LoadError {
    /// As the end of a sentence: `cannot read FILE: …`.
    pub reason: String,
    /// What to do, if more can be said than the reason.
    pub help: Option<&'static str>,
}

/// Reads a text of bounded length. Devices and pipes, which may have no end, are not read.
pub fn read_text(path: &Path) -> Result<String, LoadError> {
    let refuse = |reason: &str, help| LoadError {
        reason: reason.to_owned(),
        help: Some(help),
    };
    let failed = |error: std::io::Error| LoadError {
        reason: error.to_string(),
        help: None,
    };
    let found = fs::metadata(path).map_err(failed)?;
    if found.is_dir() {
        return Err(refuse(
            "it is a folder",
            "name the experiment's file; to redraw a folder of results: bvlab draw",
        ));
    }
    if !found.is_file() {
        return Err(refuse(
            "it is a device or a pipe",
            "write the experiment to a file first",
        ));
    }
    let file = File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    let read = file.take(LONGEST_TEXT as u64 + 1).read_to_end(&mut bytes);
    read.map_err(failed)?;
    if bytes.len() > LONGEST_TEXT {
        return Err(refuse(
            "it is too large",
            "an experiment has at most 1 MB; put data into a table: `problem.table`",
        ));
    }
    String::from_utf8(bytes)
        .map_err(|_| refuse("it is not text", "an experiment is a TOML file, in UTF-8"))
}

/// What is wrong with an experiment's name, which becomes that of a folder of results.
fn name_fault(name: &str) -> Option<&'static str> {
    if name.is_empty() || name.starts_with('.') {
        Some("an experiment's name cannot begin with a dot")
    } else if name.len() > LONGEST_NAME {
        Some("an experiment's name has at most 200 bytes")
    } else if name
        .chars()
        .any(|c| c == '\n' || c == '\t' || visible(c).is_some())
    {
        Some("an experiment's name cannot contain control characters")
    } else {
        None
    }
}

/// The name and text of an experiment, and where its table is found.
pub fn find(file: &str) -> Result<(String, String, Arc<dyn TableSource>), Failure> {
    let path = Path::new(file);
    if !path.is_file()
        && let Some(text) = shipped::text(file)
    {
        return Ok((file.to_owned(), text, Arc::new(ShippedTables)));
    }
    let name = path
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned());
    let refuse = |reason: String, help: String| {
        Failure::wrong(miette::miette!(help = help, "cannot read {file}: {reason}"))
    };
    match read_text(path) {
        Ok(text) => {
            let name = name.unwrap_or_default();
            match name_fault(&name) {
                None => Ok((name, text, FolderTables::beside(path))),
                Some(fault) => Err(refuse(
                    fault.to_owned(),
                    "rename the file, as in mine.toml".to_owned(),
                )),
            }
        }
        Err(unread) => {
            let help = unread.help.map(str::to_owned);
            let help = help.unwrap_or_else(|| suggestion(path, name.as_deref()));
            Err(refuse(unread.reason, help))
        }
    }
}

/// A file or an experiment that the user may have meant.
pub fn suggestion(path: &Path, name: Option<&str>) -> String {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|file| file.ends_with(".toml") && Some(file.as_ref()) != path.file_name())
        .collect();
    let with_ending = path.with_extension("toml");
    if with_ending != path && with_ending.is_file() {
        return format!("did you mean {}?", with_ending.display());
    }
    let wanted = path
        .file_name()
        .map_or_else(String::new, |f| f.to_string_lossy().into_owned());
    if let Some(near) = nearest(&wanted, files.iter().map(String::as_str)) {
        return format!("did you mean {}?", folder.join(near).display());
    }
    let names = shipped::names();
    match nearest(name.unwrap_or(&wanted), names.iter().map(String::as_str)) {
        Some(near) => format!("did you mean {near}, which ships with bvlab?"),
        None => "`bvlab list` shows the experiments that ship with bvlab, `bvlab new NAME` writes one to start from".to_owned(),
    }
}
