//! Finished groups on disk: what a killed run goes on from, and what shards are merged from.
//!
//! A part file holds one group of a run: a line that says what it is, a checksum, and the group's
//! sums. It is written under another name first, so it is there whole or not at all; one that was
//! torn or altered does not match its checksum and counts as missing.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::OutcomeError;
use super::disk::{
    is_plain_name, look_at, read_at_most, read_json, refuse_link, to_json, write_whole,
};
use bvlab_core::decompose::GROUPS;
use bvlab_core::engine::GroupState;
use bvlab_experiment::{Experiment, MOST_VARIANTS};

/// What a part file begins with; the number is that of its format.
const MAGIC: &[u8] = b"bvlab part 3\n";

/// The folder of a run that goes on, in its folder of results.
const GOING_ON: &str = ".parts";

/// Groups of one run in a folder.
#[derive(Clone, Debug)]
pub struct SavedGroups {
    folder: PathBuf,
    stamp: Stamp,
    /// More bytes than any part of the run can have.
    most: u64,
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
struct SavedGroup {
    stamp: Stamp,
    state: GroupState,
}

/// What a folder of parts holds.
#[derive(Debug, Default)]
pub struct SavedStates {
    /// The groups of this run.
    pub states: Vec<GroupState>,
    /// How many parts are of another experiment, seed or version.
    pub foreign: usize,
    /// The names of those that are damaged.
    pub damaged: Vec<String>,
}

impl SavedGroups {
    /// The parts of an experiment that is run by a version of the program, in a folder; `None` for
    /// an experiment without a hash, which nothing can be compared with.
    pub fn new(folder: &Path, experiment: &Experiment, version: &str) -> Option<Self> {
        Some(SavedGroups {
            folder: folder.to_owned(),
            stamp: Stamp {
                version: version.to_owned(),
                run: experiment.source.run_hash()?,
                slab: 0,
            },
            most: (1 << 16) + experiment.task.most_group_bytes(),
        })
    }

    /// Those of a run that goes on, or was killed, in its folder of results.
    pub fn going_on(home: &Path, experiment: &Experiment, version: &str) -> Option<Self> {
        SavedGroups::new(&home.join(GOING_ON), experiment, version)
    }

    /// Those of a variant of the experiment, in a folder within; its number counts from 0.
    pub fn of_variant(&self, number: usize, variant: &Experiment) -> Option<Self> {
        SavedGroups::new(&self.variant_folder(number), variant, &self.stamp.version)
    }

    fn variant_folder(&self, number: usize) -> PathBuf {
        self.folder.join(format!("variant-{}", number + 1))
    }

    /// Refuses a folder of parts that is a link: what is behind one is not bvlab's to change.
    ///
    /// # Errors
    ///
    /// If it is one.
    pub fn refuse_link(&self) -> Result<(), OutcomeError> {
        refuse_link(&self.folder)
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
    pub fn find(&self) -> SavedStates {
        let mut found = SavedStates::default();
        let prefix = self.prefix();
        let mut names: Vec<String> = self.names().collect();
        names.retain(|name| name.starts_with(&prefix));
        names.sort();
        for name in names {
            match self.read(&name) {
                Some(part) if part.stamp == self.stamp => found.states.push(part.state),
                Some(_) => found.foreign += 1,
                None => found.damaged.push(name),
            }
        }
        found
    }

    /// The names of all parts in the folder, also of those that were being written.
    fn names(&self) -> impl Iterator<Item = String> {
        let real = refuse_link(&self.folder).is_ok();
        let entries = real.then(|| fs::read_dir(&self.folder));
        let entries = entries.into_iter().flatten().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.filter(|name| is_part_name(name))
    }

    /// A part; `None` if it is damaged.
    fn read(&self, name: &str) -> Option<SavedGroup> {
        let path = self.folder.join(name);
        let file = look_at(&path).ok()??;
        if !file.is_file() {
            return None;
        }
        decode(&read_at_most(&path, self.most).ok()??)
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
        self.refuse_link()?;
        match encode(&self.stamp, state) {
            Ok(bytes) => write_whole(&path, &bytes),
            Err(source) => Err(OutcomeError::Write { path, source }),
        }
    }

    /// Removes all parts, those of variants included, once a run is complete.
    pub fn remove(&self) {
        if self.refuse_link().is_err() {
            return;
        }
        for number in 0..MOST_VARIANTS {
            let mut variant = self.clone();
            variant.folder = self.variant_folder(number);
            if look_at(&variant.folder).is_ok_and(|found| found.is_some()) {
                variant.remove_own();
            }
        }
        self.remove_own();
    }

    fn remove_own(&self) {
        if self.refuse_link().is_err() {
            return;
        }
        for name in self.names() {
            let _ = fs::remove_file(self.folder.join(name));
        }
        // Only where nothing else is in it.
        let _ = fs::remove_dir(&self.folder);
    }
}

/// Whether a part has this name, `group-0003` or `slab-0001-group-0003`, or has it while it is
/// written: `.group-0003-` and a number.
fn is_part_name(name: &str) -> bool {
    let number = |text: &str| text.len() >= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    let group = |text: &str| text.strip_prefix("group-").is_some_and(number);
    let whole = |text: &str| {
        let slab = text
            .strip_prefix("slab-")
            .and_then(|rest| rest.split_once('-'));
        group(text) || slab.is_some_and(|(slab, rest)| number(slab) && group(rest))
    };
    let written = name
        .strip_prefix('.')
        .and_then(|rest| rest.rsplit_once('-'));
    whole(name)
        || written.is_some_and(|(name, unique)| {
            whole(name) && unique.bytes().all(|byte| byte.is_ascii_hexdigit())
        })
}

fn encode(stamp: &Stamp, state: &GroupState) -> io::Result<Vec<u8>> {
    #[derive(Serialize)]
    struct SavedGroupRef<'a> {
        stamp: &'a Stamp,
        state: &'a GroupState,
    }
    let content = postcard::to_stdvec(&SavedGroupRef { stamp, state }).map_err(io::Error::other)?;
    let mut bytes = MAGIC.to_vec();
    bytes.extend(crc32fast::hash(&content).to_le_bytes());
    bytes.extend(content);
    Ok(bytes)
}

fn decode(bytes: &[u8]) -> Option<SavedGroup> {
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
    /// If it is missing or no note, or its name or numbers cannot be.
    pub fn read(folder: &Path) -> Result<Self, OutcomeError> {
        let path = folder.join(Self::FILE);
        let note: ShardNote = read_json(path.clone())?;
        let wrong = |reason: String| OutcomeError::Read { path, reason };
        // It becomes the name of a folder.
        if !is_plain_name(&note.name) {
            let name = note.name;
            return Err(wrong(format!(
                "its name {name:?} is not the name of an experiment: expected no path, and no dot at the beginning"
            )));
        }
        if !(1..=GROUPS).contains(&note.of) || !(1..=note.of).contains(&note.shard) {
            return Err(wrong(format!(
                "invalid shard {} of {}: expected numbers from 1 to {GROUPS}",
                note.shard, note.of
            )));
        }
        Ok(note)
    }

    /// Refuses a folder for a shard that is a link, or holds files of the names of a shard's that no
    /// note says are bvlab's; `files` are such names.
    ///
    /// # Errors
    ///
    /// If it does.
    pub fn refuse_foreign(
        folder: &Path,
        files: &[String],
        overwrite: bool,
    ) -> Result<(), OutcomeError> {
        refuse_link(folder)?;
        if overwrite || ShardNote::read(folder).is_ok() {
            return Ok(());
        }
        let there = |file: &&String| matches!(look_at(&folder.join(file)), Ok(Some(_)));
        let note = Self::FILE.to_owned();
        let foreign: Vec<&str> = files
            .iter()
            .chain([&note])
            .filter(there)
            .map(String::as_str)
            .collect();
        match foreign.is_empty() {
            true => Ok(()),
            false => Err(OutcomeError::Foreign {
                home: folder.to_owned(),
                files: foreign.join(", "),
            }),
        }
    }

    /// Writes the note into a folder.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), OutcomeError> {
        let path = folder.join(Self::FILE);
        match to_json(self) {
            Ok(text) => write_whole(&path, &text),
            Err(source) => Err(OutcomeError::Write { path, source }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bvlab_core::decompose::Tally;

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
    fn only_parts_have_their_names() {
        for name in [
            "group-0003",
            "slab-0001-group-0020",
            "group-12345",
            ".group-0003-0123456789abcdef",
            ".slab-0001-group-0020-4711",
        ] {
            assert!(is_part_name(name), "{name}");
        }
        for name in [
            "group-",
            "group-3",
            "group-notes",
            "slab-1-group-0003",
            "group-0003.txt",
            ".group-0003",
            "slab-0001",
            "my-group-0003",
            ".group-0003-notes",
        ] {
            assert!(!is_part_name(name), "{name}");
        }
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
