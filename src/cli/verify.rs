//! `bvlab verify`: whether results are as they were written.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::Failure;
use crate::outcome::files::{self, Condition, OutcomeError, Verification};

/// Compare results with the hashes in their manifests.
///
/// Lists every file that is altered or missing, and also files that bvlab did not make, which do no
/// harm. The exit code is 1 if a file is altered or missing or if a folder contains no result. If a
/// killed run had completed its result, the result is first moved into place.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bvlab verify results/tree-tradeoff\n  bvlab verify results/*/")]
pub struct VerifyCommand {
    /// Folders of results, such as results/tree-tradeoff
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,

    /// Print only what is altered or missing
    #[arg(long, short)]
    quiet: bool,
}

impl VerifyCommand {
    /// Verifies every folder, and says how it is.
    pub fn execute(&self) -> Result<(), Failure> {
        let mut faults = 0;
        let mut out = io::stdout().lock();
        for home in &self.folders {
            let verified = files::verify(home);
            faults += usize::from(!is_whole(&verified));
            if !self.quiet || !is_whole(&verified) {
                out.write_all(described(home, &verified).as_bytes())?;
            }
        }
        match (faults, self.folders.len()) {
            (0, _) => Ok(()),
            (faults, all) => Err(Failure::failed(miette::miette!(
                help = "`bvlab run` or `bvlab figures` remakes a result, `bvlab draw` its figures",
                "{faults} of {all} folders {} not as written",
                match faults {
                    1 => "is",
                    _ => "are",
                }
            ))),
        }
    }
}

/// Whether nothing is altered or missing.
fn is_whole(verified: &Result<Verification, OutcomeError>) -> bool {
    let fine = [Condition::Whole, Condition::Unrecorded];
    verified.as_ref().is_ok_and(|verified| {
        let mut files = verified.files.iter();
        files.all(|(_, condition)| fine.contains(condition))
    })
}

/// A line for a result, and one for each file that is not as it was written.
fn described(home: &Path, verified: &Result<Verification, OutcomeError>) -> String {
    let home = home.display();
    let found = match verified {
        Ok(found) => found,
        Err(error) => return format!("{home}: no result: {error}\n"),
    };
    let unrecorded = |(_, condition): &&(String, Condition)| *condition == Condition::Unrecorded;
    let unrecorded = found.files.iter().filter(unrecorded).count();
    let files = match found.files.len() {
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    };
    let words = match (is_whole(verified), unrecorded) {
        (true, 0) => format!("as written, {files}"),
        (true, some) if some == found.files.len() => {
            format!(
                "{files}, no hashes recorded (made by bvlab {})",
                found.manifest.bvlab
            )
        }
        (true, some) => format!("as written, {files}, {some} of them without a recorded hash"),
        (false, _) => "not as written".to_owned(),
    };
    let mut text = format!("{home}: {words}\n");
    if found.repaired {
        text.push_str("  finished a replacement that was interrupted\n");
    }
    for (file, condition) in &found.files {
        let word = match condition {
            Condition::Whole | Condition::Unrecorded => continue,
            Condition::Altered => "altered",
            Condition::Missing => "missing",
            Condition::Outside => "outside the folder, not looked at:",
        };
        text.push_str(&format!("  {word} {}\n", file.escape_debug()));
    }
    for file in &found.foreign {
        text.push_str(&format!("  foreign {}\n", file.escape_debug()));
    }
    text
}
