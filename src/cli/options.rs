//! Options that several commands have.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use clap::builder::RangedI64ValueParser;

use super::Format;
use super::load::Changes;

/// What an experiment is run with, and where its results go.
#[derive(Debug, Args)]
pub struct Work {
    /// Folder for the results
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub out: PathBuf,

    #[command(flatten)]
    pub changes: Changes,

    #[command(flatten)]
    pub threads: Threads,
}

/// How many threads to use.
#[derive(Debug, Args)]
pub struct Threads {
    /// Number of threads (default: all cores)
    #[arg(long = "threads", value_name = "N", value_parser = thread_count())]
    given: Option<u16>,
}

impl Threads {
    /// As many as are given, or as the machine has cores.
    pub fn count(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        self.given.map_or_else(cores, usize::from)
    }
}

/// Reads a number of threads.
pub fn thread_count() -> RangedI64ValueParser<u16> {
    clap::value_parser!(u16).range(1..=1024)
}

/// How figures are written, and whether that is told.
#[derive(Debug, Args)]
pub struct Output {
    /// The formats of figures
    #[arg(long, value_delimiter = ',', default_value = "png")]
    pub format: Vec<Format>,

    /// Replace files of the same names that bvlab did not make
    #[arg(long)]
    pub overwrite: bool,

    /// Print only errors
    #[arg(long, short)]
    pub quiet: bool,
}
