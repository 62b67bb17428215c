//! `bvlab value`: a number of a finished result.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::Failure;
use crate::experiment::words::{NumberStyle, Scope, read_formula};
use crate::outcome::files;
use crate::outcome::written;
use bvlab_core::words::short;

/// Print a number of a finished result, with its error.
///
/// REFERENCE is written as in the words of an experiment: a column of curves.csv at a setting, the
/// best value of a swept parameter, or an expression of such numbers. See docs/claims.md.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ValueCommand {
    /// The name of an experiment, or its folder of results
    #[arg(value_name = "NAME")]
    name: String,

    /// What to print, as in 'risk@depth=5' or best.depth
    #[arg(value_name = "REFERENCE")]
    reference: String,

    /// The folder that results are in
    #[arg(long, value_name = "DIR", default_value = "results")]
    out: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  bvlab value tree-tradeoff 'risk@depth=5'
  bvlab value tree-tradeoff best.depth
  bvlab value results/tree-tradeoff 'variance@1000 points: depth=5'";

impl ValueCommand {
    /// Prints it.
    pub fn execute(&self) -> Result<(), Failure> {
        let below = self.out.join(&self.name);
        let home = match Path::new(&self.name).join("manifest.json").exists() {
            true => PathBuf::from(&self.name),
            false => below,
        };
        let (manifest, tables) = files::read(&home).map_err(Failure::wrong)?;
        let Some(description) = &manifest.description else {
            return Err(Failure::wrong(miette::miette!(
                help = "run the experiment again",
                "{} is a result of an earlier version, which does not describe its tables",
                home.display()
            )));
        };
        let source = manifest.source(&[]);
        let variants = manifest.variants.iter();
        let variants: Vec<_> = variants
            .map(|note| (note.name.as_str(), &note.description))
            .collect();
        let scope = Scope::of_result(
            description,
            &variants,
            source.merged(),
            (manifest.resamples, manifest.seed),
        );
        let formula = read_formula(&self.reference, &scope).map_err(|(message, help)| {
            let help = help.unwrap_or_default();
            Failure::wrong(miette::miette!(
                help = help,
                "`{}`: {message}",
                self.reference
            ))
        })?;
        let found = manifest.evidence(description, &tables).value(&formula);
        let value = written(found.value, found.se, NumberStyle::Plain);
        let text = match found.value.is_nan() {
            true => "unknown".to_owned(),
            false if found.needs_run => format!("{value} (its error needs a run)"),
            false if found.se > 0.0 => {
                let se = short(found.se);
                format!("{value} (standard error {se})")
            }
            false => value,
        };
        writeln!(io::stdout(), "{text}")?;
        if let Some(doubt) = &found.doubt {
            writeln!(io::stderr(), "warning: {doubt}")?;
        }
        Ok(())
    }
}
