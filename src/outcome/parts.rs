//! Finished groups on disk: what a killed run goes on from, and what shards are merged from.
//!
//! A part file holds one group of a run: a line that says what it is, a checksum, and the group's
//! sums. It is written under another name first, so it is there whole or not at all; one that was
//! torn or altered does not match its checksum and counts as missing.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{OutcomeError, read_json, write_whole};
use crate::engine::GroupState;
use crate::experiment::Experiment;

/// What a part file begins with; the number is that of its format.
const MAGIC: &[u8] = b"bvlab part 3\n";

/// The folder of a run that goes on, in its folder of results.
const GOING_ON: &str = ".parts";

/// Groups of one run in a folder.
#[derive(Clone, Debug)]
pub struct Parts {
    folder: PathBuf,
    stamp: Stamp,
}

/// Which run a part belongs to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Stamp {
    version: String,
    run: String,
    /// Of which slab of the settings.
    slab: usize,
}

#[derive(Serialize, Deserialize)]
struct Part {
    stamp: Stamp,
    state: GroupState,
}

/// What a folder of parts holds.
#[derive(Debug, Default)]
pub struct Found {
    /// The groups of this run.
    pub states: Vec<GroupState>,
    /// How many parts are of another experiment, seed or version.
    pub foreign: usize,
    /// The names of those that are damaged.
    pub damaged: Vec<String>,
}

impl Parts {
    /// The parts of an experiment that is run by a version of the program, in a folder; `None` for
    /// an experiment without a hash, which nothing can be compared with.
    pub fn new(folder: &Path, experiment: &Experiment, version: &str) -> Option<Self> {
        Some(Parts {
            folder: folder.to_owned(),
            stamp: Stamp {
                version: version.to_owned(),
                run: experiment.source.run_hash()?,
                slab: 0,
            },
        })
    }

    /// Those of a run that goes on, or was killed, in its folder of results.
    pub fn going_on(home: &Path, experiment: &Experiment, version: &str) -> Option<Self> {
        Parts::new(&home.join(GOING_ON), experiment, version)
    }

    /// Those of another slab of the settings.
    pub fn of_slab(&self, slab: usize) -> Self {
        let mut parts = self.clone();
        parts.stamp.slab = slab;
        parts
    }

    /// What the names of a slab's parts begin with.
    fn prefix(&self) -> String {
        match self.stamp.slab {
            0 => "group-".to_owned(),
            slab => format!("slab-{slab:04}-group-"),
        }
    }

    /// Everything that is there of this slab.
    pub fn find(&self) -> Found {
        let mut found = Found::default();
        let prefix = self.prefix();
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut names: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        names.sort();
        for path in names {
            let name = path
                .file_name()
                .map(|name| name.to_string_lossy().into_owned());
            let name = name.unwrap_or_default();
            if !name.starts_with(&prefix) {
                continue;
            }
            match fs::read(&path).ok().and_then(|bytes| decode(&bytes)) {
                Some(part) if part.stamp == self.stamp => found.states.push(part.state),
                Some(_) => found.foreign += 1,
                None => found.damaged.push(name),
            }
        }
        found
    }

    /// Saves a group.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn save(&self, state: &GroupState) -> Result<(), OutcomeError> {
        let path = self
            .folder
            .join(format!("{}{:04}", self.prefix(), state.group));
        match encode(&self.stamp, state) {
            Ok(bytes) => write_whole(&path, &bytes),
            Err(source) => Err(OutcomeError::Write { path, source }),
        }
    }

    /// Removes all parts, once a run is complete.
    pub fn remove(&self) {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        for entry in entries {
            // Also what a run that was killed while it wrote has left.
            let name = entry.file_name().to_string_lossy().into_owned();
            let name = name.trim_start_matches('.');
            if name.starts_with("group-") || name.starts_with("slab-") {
                let _ = fs::remove_file(entry.path());
            }
        }
        // Only where nothing else is in it.
        let _ = fs::remove_dir(&self.folder);
    }
}

fn encode(stamp: &Stamp, state: &GroupState) -> io::Result<Vec<u8>> {
    #[derive(Serialize)]
    struct Borrowed<'a> {
        stamp: &'a Stamp,
        state: &'a GroupState,
    }
    let content = postcard::to_stdvec(&Borrowed { stamp, state }).map_err(io::Error::other)?;
    let mut bytes = MAGIC.to_vec();
    bytes.extend(crc32fast::hash(&content).to_le_bytes());
    bytes.extend(content);
    Ok(bytes)
}

fn decode(bytes: &[u8]) -> Option<Part> {
    let (sum, content) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<4>()?;
    match u32::from_le_bytes(*sum) == crc32fast::hash(content) {
        true => postcard::from_bytes(content).ok(),
        false => None,
    }
}

/// What a folder of a shard says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShardNote {
    /// The version that made it.
    pub bvlab: String,
    /// The experiment's name.
    pub name: String,
    /// Its text.
    pub experiment: String,
    /// What was set from outside.
    pub set: Vec<String>,
    /// Which shard it is, from 1.
    pub shard: usize,
    /// Of how many.
    pub of: usize,
    /// Whether all its groups are complete.
    pub complete: bool,
}

impl ShardNote {
    /// The note's file.
    pub const FILE: &'static str = "shard.json";

    /// Reads the note of a folder.
    ///
    /// # Errors
    ///
    /// If it is missing or no note.
    pub fn read(folder: &Path) -> Result<Self, OutcomeError> {
        read_json(folder.join(Self::FILE))
    }

    /// Writes the note into a folder.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), OutcomeError> {
        let path = folder.join(Self::FILE);
        match serde_json::to_string_pretty(self).map_err(io::Error::other) {
            Ok(text) => write_whole(&path, (text + "\n").as_bytes()),
            Err(source) => Err(OutcomeError::Write { path, source }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decompose::Tally;

    fn part() -> (Stamp, GroupState) {
        let mut tally = Tally::new(1, 3, false);
        tally.begin();
        tally.add(
            0,
            &[1.0, 2.0, 3.0],
            &[0.0; 3],
            &[0.1; 3],
            &[0.2, 0.3, 0.5],
            0.7,
        );
        let stamp = Stamp {
            version: "1".to_owned(),
            run: "abc".to_owned(),
            slab: 0,
        };
        let state = GroupState {
            group: 3,
            blocks: 2,
            tallies: vec![tally],
        };
        (stamp, state)
    }

    #[test]
    fn a_part_comes_back_as_it_was() {
        let (stamp, state) = part();
        let back = decode(&encode(&stamp, &state).unwrap()).unwrap();
        assert_eq!((back.stamp, back.state), (stamp, state));
    }

    #[test]
    fn every_torn_or_altered_part_is_found_out() {
        let (stamp, state) = part();
        let bytes = encode(&stamp, &state).unwrap();
        for length in 0..bytes.len() {
            assert!(decode(&bytes[..length]).is_none(), "cut at {length}");
        }
        for place in 0..bytes.len() {
            let mut altered = bytes.clone();
            altered[place] ^= 4;
            assert!(decode(&altered).is_none(), "altered at {place}");
        }
    }
}
