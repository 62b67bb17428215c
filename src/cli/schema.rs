//! `bvlab schema`: the JSON schema of an experiment.

use std::io::{self, Write};

use clap::Args;

use super::Failure;
use crate::experiment;
use crate::learner::Registry;

/// Print the JSON schema of an experiment, for editors that complete and check TOML.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  bvlab schema > bvlab.schema.json\nthen put this into the first line of an experiment:\n  #:schema ./bvlab.schema.json"
)]
pub struct SchemaCommand {}

impl SchemaCommand {
    /// Prints the schema.
    pub fn execute(&self, registry: &Registry) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(&experiment::schema(registry))
            .map_err(|error| Failure::failed(miette::miette!("{error}")))?;
        writeln!(io::stdout(), "{text}")?;
        Ok(())
    }
}
