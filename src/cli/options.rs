//! Options that several commands have.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;

use super::Format;
use super::load::Changes;

/// What an experiment is run with, and where its results go.
#[derive(Debug, Args)]
pub struct Work {
    /// The folder that results go to
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub out: PathBuf,

    #[command(flatten)]
    pub changes: Changes,

    /// How many threads to use (default: all cores)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl Work {
    /// How many threads to use.
    pub fn threads(&self) -> usize {
        self.threads.map_or_else(cores, usize::from)
    }
}

/// How many cores the machine has.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// How figures are written, and whether that is told.
#[derive(Debug, Args)]
pub struct Output {
    /// The formats of figures
    #[arg(long, value_delimiter = ',', default_value = "png")]
    pub format: Vec<Format>,

    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}
