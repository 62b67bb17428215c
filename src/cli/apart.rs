//! A command that only the program itself gives: see [`crate::tables::apart`].

use std::io::{self, stdin, stdout};

use clap::Args;

use super::Failure;
use crate::tables::apart;

/// Reads a Parquet file from stdin.
#[derive(Debug, Args)]
pub struct ReadParquet {}

impl ReadParquet {
    /// What the command is called.
    pub const NAME: &str = "read-parquet";

    /// From now on this program reads Parquet in a process apart.
    pub fn prepare() {
        if let Ok(program) = std::env::current_exe() {
            apart::read_with(program, Self::NAME);
        }
    }

    /// Reads the file.
    pub fn execute(&self) -> Result<(), Failure> {
        limit()?;
        apart::answer(stdin().lock(), stdout().lock())?;
        Ok(())
    }
}

/// Bounds memory to 4 GB and time to a minute, unless the limits are lower already. A process that
/// exceeds them leaves no core file.
#[cfg(unix)]
fn limit() -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    for (resource, most) in [
        (Resource::As, 4 << 30),
        (Resource::Cpu, 60),
        (Resource::Core, 0),
    ] {
        let least = |now: Option<u64>| Some(now.map_or(most, |now| now.min(most)));
        let now = getrlimit(resource);
        setrlimit(
            resource,
            Rlimit {
                current: least(now.current),
                maximum: least(now.maximum),
            },
        )?;
    }
    Ok(())
}

/// There are no such limits here: a file that takes too much memory still only ends this process.
#[cfg(not(unix))]
fn limit() -> io::Result<()> {
    Ok(())
}
