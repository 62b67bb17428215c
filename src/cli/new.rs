//! `bvlab new`: an experiment to start from.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use clap::Args;

use super::Failure;

/// Write a commented experiment to start from, NAME.toml.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bvlab new mine && bvlab run mine.toml")]
pub struct NewCommand {
    /// The experiment's name; the file is NAME.toml
    name: String,
}

const TEMPLATE: &str = include_str!("new.toml");

impl NewCommand {
    /// Writes the file, unless there is one of that name.
    pub fn execute(&self) -> Result<(), Failure> {
        let stem = self.name.strip_suffix(".toml").unwrap_or(&self.name);
        let file = format!("{stem}.toml");
        if Path::new(stem).file_name().is_none() {
            return Err(Failure::wrong(miette::miette!(
                help = "as in `bvlab new mine`",
                "`{}` is not a name for a file",
                self.name
            )));
        }
        let cannot = |error: io::Error| {
            let help = match error.kind() {
                io::ErrorKind::AlreadyExists => {
                    "the file exists and was not changed; choose another name"
                }
                _ => "choose an existing folder that you can write to",
            };
            Failure::wrong(miette::miette!(help = help, "cannot write {file}: {error}"))
        };
        let mut created = File::create_new(&file).map_err(cannot)?;
        created.write_all(TEMPLATE.as_bytes()).map_err(cannot)?;
        writeln!(io::stdout(), "wrote {file}; run it with: bvlab run {file}")?;
        Ok(())
    }
}
