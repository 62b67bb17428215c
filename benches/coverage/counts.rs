//! Counts of a study that is made over several days, or on several machines.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::design::Setup;
use super::tally::{Alarms, Cell, CellKey, RunKey};

/// All counts of a study.
#[derive(Default)]
pub struct Counts {
    pub cells: BTreeMap<CellKey, Cell>,
    pub alarms: BTreeMap<RunKey, Alarms>,
}

/// The same in a file, by name: setups have other numbers where some are left out.
#[derive(Default, Deserialize, Serialize)]
struct Saved {
    /// The first seed that was not used.
    next_seed: u64,
    cells: BTreeMap<String, Cell>,
    alarms: BTreeMap<String, Alarms>,
}

impl Counts {
    pub fn add(&mut self, other: Counts) {
        for (key, cell) in other.cells {
            self.cells.entry(key).or_default().add(&cell);
        }
        for (key, alarms) in other.alarms {
            self.alarms.entry(key).or_default().add(&alarms);
        }
    }
}

fn name(setups: &[Setup], key: &RunKey) -> String {
    let setup = &setups[key.setup];
    let test = setup.tests[key.test].name();
    format!("{}|{test}|{}", setup.name(), key.resamples)
}

fn cell_name(setups: &[Setup], key: &CellKey) -> String {
    let learner = setups[key.run.setup].learner(key.learner);
    format!("{}|{learner}|{}", name(setups, &key.run), key.part)
}

/// The counts in a file, for these setups, and the first seed that they do not hold; nothing, and
/// the first seed that is asked for, where there is no file yet.
pub fn read(path: &Path, setups: &[Setup], first_seed: u64) -> Result<(Counts, u64), String> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok((Counts::default(), first_seed));
        }
        Err(error) => return Err(error.to_string()),
    };
    let saved: Saved = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let mut counts = Counts::default();
    for (setup, design) in setups.iter().enumerate() {
        for test in 0..design.tests.len() {
            for &resamples in &design.resamples {
                let run = RunKey {
                    setup,
                    test,
                    resamples,
                };
                if let Some(alarms) = saved.alarms.get(&name(setups, &run)) {
                    counts.alarms.insert(run, *alarms);
                }
                for learner in 0..design.learners() {
                    for part in 0..super::tally::PARTS.len() {
                        let key = CellKey { run, learner, part };
                        if let Some(cell) = saved.cells.get(&cell_name(setups, &key)) {
                            counts.cells.insert(key, *cell);
                        }
                    }
                }
            }
        }
    }
    Ok((counts, saved.next_seed.max(first_seed)))
}

/// Writes counts of all seeds before `next_seed`.
pub fn write(path: &Path, setups: &[Setup], counts: &Counts, next_seed: u64) -> Result<(), String> {
    let cells = counts.cells.iter();
    let alarms = counts.alarms.iter();
    let saved = Saved {
        next_seed,
        cells: cells
            .map(|(key, cell)| (cell_name(setups, key), *cell))
            .collect(),
        alarms: alarms
            .map(|(key, alarms)| (name(setups, key), *alarms))
            .collect(),
    };
    let text = serde_json::to_string(&saved).map_err(|error| error.to_string())?;
    let unfinished = path.with_extension("new");
    fs::write(&unfinished, text).map_err(|error| error.to_string())?;
    fs::rename(&unfinished, path).map_err(|error| error.to_string())
}
