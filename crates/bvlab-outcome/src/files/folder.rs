//! The folder of a result.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::OutcomeError;
use super::commit::settle;
use super::disk::{digest, is_plain_name, look_at, read_json};
use crate::{
    Bests, CheckedClaim, Evidence, RunEvidence, SavedValues, SettingNumber, Table, Tables, columns,
};
use bvlab_core::plan::{Curve, StudyDescription};
use bvlab_core::task::{Description, Outcome, Task};
use bvlab_experiment::{Experiment, ExperimentText, Source, Variant};

/// How a result came about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of bvlab.
    pub bvlab: String,
    /// The experiment's name.
    pub name: String,
    /// The text of its file.
    pub experiment: String,
    /// Keys that were set on top of the file, as `run.seed=2`.
    pub set: Vec<String>,
    /// All random numbers follow from it.
    pub seed: u64,
    /// How many training sets were drawn; in a simulation, resamples.
    pub resamples: u64,
    /// How many groups of resamples the standard errors come from.
    pub groups: usize,
    /// An interval of 95 % is the estimate ± so many standard errors: Student's t.
    pub t95: f64,
    /// With a wanted precision: the largest standard error of a risk, as a share of it.
    pub precision: Option<f64>,
    /// When the run began, in UTC.
    pub started: String,
    /// How long it took.
    pub seconds: f64,
    /// On how many threads.
    pub threads: usize,
    /// The files of the result.
    pub files: Vec<String>,
    /// The SHA-256 of each file, in hexadecimal. Results of earlier versions have none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sha256: BTreeMap<String, String>,
    /// Figures that were asked for and could not be drawn or written: they are not among the files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undrawn: Vec<String>,
    /// The table of real data that the experiment is about, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<TableNote>,
    /// What the tables are about, for drawing them. Results of earlier versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<Description>,
    /// The best settings, which figures mark and reports name. A simulation has none, nor have results
    /// of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<Bests>,
    /// The words with the numbers of the run in them; none where the experiment refers to none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<ExperimentText>,
    /// What became of the experiment's claims.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<CheckedClaim>,
    /// The values of expressions in the words, by their text, for writing the same words again.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: SavedValues,
    /// What was computed beside the experiment.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<VariantNote>,
    /// A hash of what the numbers follow from, besides the version: see [`Source::run_hash`].
    #[serde(default)]
    pub run_hash: Option<String>,
    /// A hash of what the figures show: see [`Source::figure_hash`]. None where they were drawn
    /// otherwise.
    #[serde(default)]
    pub figure_hash: Option<String>,
}

/// How a variant came about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VariantNote {
    /// Its name.
    pub name: String,
    /// The keys that it sets.
    pub set: Vec<String>,
    /// How many training sets were drawn; in a simulation, resamples.
    pub resamples: u64,
    /// What its rows of the table are about.
    pub description: Description,
    /// Its best settings; none of a simulation.
    #[serde(default)]
    pub best: Bests,
}

impl VariantNote {
    /// What is to be noted of a variant that was computed.
    pub fn of(variant: &Variant, outcome: &Outcome) -> Self {
        let task = &variant.experiment.task;
        VariantNote {
            name: variant.name.clone(),
            set: variant.set.clone(),
            resamples: outcome.counts().0,
            description: task.describe(),
            best: match (task, outcome) {
                (Task::Study(plan), Outcome::Study(results)) => Bests::of(plan, results),
                _ => Bests::default(),
            },
        }
    }
}

/// How a table of real data was used; the result has a copy of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableNote {
    /// What the experiment calls its file.
    pub file: String,
    /// The file's copy in the result.
    pub copy: String,
    /// A hash of its content.
    pub hash: String,
    /// The column that is predicted.
    pub target: String,
    /// The columns it is predicted from: x1, x2, … of the tables, or x.
    pub columns: Vec<String>,
    /// The names of the classes 0, 1, …; none where the target is a number.
    pub classes: Vec<String>,
    /// How many rows training sets are drawn from.
    pub train_rows: usize,
    /// How many rows are held out, to measure the error on.
    pub test_rows: usize,
    /// How many missing inputs were made up.
    pub imputed: usize,
    /// What the numbers mean.
    pub noise: String,
}

impl TableNote {
    /// What is to be noted of an experiment; `None` if it has no table.
    pub fn of(experiment: &Experiment) -> Option<Self> {
        let file = experiment.source.table()?;
        let rows = experiment.plan()?.problem().rows()?;
        Some(TableNote {
            file: file.name.clone(),
            copy: file.copy_name(),
            hash: file.hash.clone(),
            target: rows.target.clone(),
            columns: rows.names.clone(),
            classes: rows.classes.clone(),
            train_rows: rows.train.len(),
            test_rows: rows.test.len(),
            imputed: rows.imputed,
            noise: "unknown: bias2 contains it".to_owned(),
        })
    }
}

impl Tables {
    /// The files that the tables of an experiment are kept in, its copy of a table of real data
    /// included.
    pub fn files(experiment: &Experiment) -> Vec<String> {
        let copy = experiment.source.table().map(|table| table.copy_name());
        let names: &[&str] = match experiment.plan() {
            None => &[Tables::SIMULATION],
            Some(_) => &Tables::NAMES,
        };
        let (selected, selected_csv): (&[&str], &[&str]) = match experiment.plan() {
            Some(plan) if !plan.run.select.is_empty() => {
                (&Tables::SELECTION_NAMES, &Tables::SELECTION_CSV)
            }
            _ => (&[], &[]),
        };
        let parquet = names.iter().chain(selected);
        let parquet = parquet.map(|name| format!("{name}.parquet"));
        let csv = [Tables::main(&experiment.task)];
        let csv = csv.iter().chain(selected_csv);
        let csv = csv.map(|name| format!("{name}.csv"));
        let mut files: Vec<String> = csv.chain(parquet).chain(copy).collect();
        if !experiment.variants.is_empty() {
            let (name, _) = Tables::of_variants(&experiment.variants, &[]);
            files.push(format!("{name}.parquet"));
        }
        if !experiment.claims.is_empty() {
            let name = columns::CLAIMS;
            files.extend(["csv", "parquet"].map(|ending| format!("{name}.{ending}")));
        }
        files
    }
}

impl Manifest {
    /// The manifest's file.
    pub(super) const FILE: &str = "manifest.json";

    /// Whether a file is a figure, which can be drawn again from the tables.
    pub fn is_figure(&self, file: &str) -> bool {
        let ending = Path::new(file).extension().and_then(OsStr::to_str);
        let mut known = self.files.iter().chain(&self.undrawn);
        known.any(|known| known == file)
            && ending.is_some_and(|ending| ["png", "svg", "pdf"].contains(&ending))
    }

    /// The numbers that words refer to, as far as the tables tell; `description` is what they contain.
    pub fn evidence<'a>(
        &'a self,
        description: &'a Description,
        tables: &'a Tables,
    ) -> Evidence<'a> {
        let main = match description {
            Description::Study(_) => &tables.curves,
            Description::Simulation(_) => &tables.simulation,
        };
        let main = Cow::Borrowed(main);
        let main = RunEvidence::saved(description, main, &tables.best, self.resamples)
            .with_selection(&tables.selection, &tables.choices);
        let variants = self.variants.iter().map(|note| {
            let table = tables.variants.rows_with(columns::VARIANT, &note.name);
            let table = Cow::Owned(table);
            RunEvidence::saved(&note.description, table, &note.best, note.resamples)
        });
        Evidence::saved([main].into_iter().chain(variants).collect(), &self.values)
    }

    /// The experiment's text, as it was run.
    pub fn source(&self, more: &[String]) -> Source {
        let sets: Vec<String> = self.set.iter().chain(more).cloned().collect();
        Source::new(&format!("{} (as run)", self.name), &self.experiment, &sets)
    }
}

/// Reads a finished result: all tables but `points` and `fits`, which may be very large; of these
/// [`read_places`] reads what is to be looked at.
///
/// # Errors
///
/// If the manifest or a table is missing or damaged.
pub fn read(home: &Path) -> Result<(Manifest, Tables), OutcomeError> {
    settle(home)?;
    let manifest = read_manifest(home)?;
    let simulation = format!("{}.parquet", Tables::SIMULATION);
    let variants = |name: &str| {
        let file = format!("{name}.parquet");
        match manifest.files.contains(&file) {
            true => Table::read_parquet(&home.join(file)),
            false => Ok(Table::default()),
        }
    };
    if manifest.files.contains(&simulation) {
        let tables = Tables {
            simulation: Table::read_parquet(&home.join(simulation))?,
            variants: variants(columns::SIMULATION_VARIANTS)?,
            ..Tables::default()
        };
        return Ok((manifest, tables));
    }
    let path = |name: &str| home.join(format!("{name}.parquet"));
    for name in [columns::POINTS, columns::FITS] {
        Table::rows_of_parquet(&path(name))?;
    }
    let tables = Tables {
        curves: Table::read_parquet(&path(columns::CURVES))?,
        training: Table::read_parquet(&path(columns::TRAINING))?,
        runs: Table::read_parquet(&path(columns::RUNS))?,
        best: manifest.best.clone().unwrap_or_default(),
        variants: variants(columns::VARIANTS)?,
        ..Tables::default()
    };
    let read = |name: &str| match manifest.files.contains(&format!("{name}.parquet")) {
        true => Table::read_parquet(&path(name)),
        false => Ok(Table::default()),
    };
    let tables = Tables {
        selection: read(columns::SELECTION)?,
        choices: read(columns::CHOICES)?,
        estimates: read(columns::ESTIMATES)?,
        ..tables
    };
    Ok((manifest, tables))
}

/// Reads the words of a result, with the numbers of the run in them; `None` where the experiment
/// refers to none.
///
/// # Errors
///
/// If the manifest is missing or damaged.
pub fn read_words(home: &Path) -> Result<Option<ExperimentText>, OutcomeError> {
    Ok(read_manifest(home)?.words)
}

/// Reads the rows of `points` and `fits` for some settings.
///
/// # Errors
///
/// If a table is missing or damaged.
pub fn read_places(
    home: &Path,
    study: &StudyDescription,
    places: &[SettingNumber],
    tables: &mut Tables,
) -> Result<(), OutcomeError> {
    let settings: Vec<usize> = study.curves.iter().map(Curve::settings).collect();
    let number =
        |(which, setting): &SettingNumber| settings[..*which].iter().sum::<usize>() + setting;
    let large = [
        (&mut tables.points, columns::POINTS),
        (&mut tables.fits, columns::FITS),
    ];
    for (table, name) in large {
        if places.is_empty() {
            continue;
        }
        let path = home.join(format!("{name}.parquet"));
        // Every setting has as many rows as any other.
        let each = Table::rows_of_parquet(&path)? / settings.iter().sum::<usize>().max(1);
        let rows = places.iter().map(|place| number(place) * each);
        let rows: Vec<_> = rows.map(|start| start..start + each).collect();
        *table = Table::read_parquet_rows(&path, &rows)?;
    }
    Ok(())
}

pub(super) fn read_manifest(home: &Path) -> Result<Manifest, OutcomeError> {
    read_json(home.join(Manifest::FILE))
}

/// How a file of a result is, compared with what its manifest says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// As it was written.
    Whole,
    /// Its content is another, or it is not a file.
    Altered,
    /// It is not there, or could not be drawn when the result was written.
    Missing,
    /// It is there, and its manifest has no hash of it.
    Unrecorded,
    /// The manifest's name for it leads out of the folder; nothing was looked at.
    Outside,
}

/// Compares every file of a result with the hash in its manifest, links not followed. Figures that
/// could not be drawn are missing.
///
/// # Errors
///
/// If a file that is there cannot be read.
fn conditions(home: &Path, manifest: &Manifest) -> Result<Vec<(String, Condition)>, OutcomeError> {
    let condition = |file: &String| {
        if !is_plain_name(file) {
            return Ok((file.clone(), Condition::Outside));
        }
        let path = home.join(file);
        let compared = look_at(&path).and_then(|found| match (found, manifest.sha256.get(file)) {
            (None, _) => Ok(Condition::Missing),
            (Some(found), _) if !found.is_file() => Ok(Condition::Altered),
            (Some(_), None) => Ok(Condition::Unrecorded),
            (Some(_), Some(hash)) => digest(&path).map(|now| match now == *hash {
                true => Condition::Whole,
                false => Condition::Altered,
            }),
        });
        compared
            .map(|condition| (file.clone(), condition))
            .map_err(|error| OutcomeError::Read {
                path,
                reason: error.to_string(),
            })
    };
    let undrawn = manifest.undrawn.iter();
    let undrawn = undrawn.map(|file| Ok((file.clone(), Condition::Missing)));
    let files = manifest.files.iter().map(condition);
    files.chain(undrawn).collect()
}

/// The files of a result that are altered or missing.
///
/// # Errors
///
/// If a file that is there cannot be read.
pub fn altered(home: &Path, manifest: &Manifest) -> Result<Vec<String>, OutcomeError> {
    let fine = [Condition::Whole, Condition::Unrecorded];
    let files = conditions(home, manifest)?.into_iter();
    let files = files.filter(|(_, condition)| !fine.contains(condition));
    Ok(files.map(|(file, _)| file).collect())
}

/// What a folder of results holds, compared with its manifest.
#[derive(Clone, Debug)]
pub struct Verification {
    /// The manifest.
    pub manifest: Manifest,
    /// Its files.
    pub files: Vec<(String, Condition)>,
    /// What is in the folder besides, and not bvlab's own working folders.
    pub foreign: Vec<String>,
    /// Whether a result that a killed run had completed was put in its place first.
    pub repaired: bool,
}

/// Compares a folder of results with its manifest.
///
/// # Errors
///
/// If there is no manifest, or something cannot be read.
pub fn verify(home: &Path) -> Result<Verification, OutcomeError> {
    let repaired = settle(home)?;
    let manifest = read_manifest(home)?;
    let files = conditions(home, &manifest)?;
    let entries = fs::read_dir(home).map_err(|error| OutcomeError::Read {
        path: home.to_owned(),
        reason: error.to_string(),
    })?;
    let names = entries.flatten().map(|entry| entry.file_name());
    let names = names.map(|name| name.to_string_lossy().into_owned());
    let working = |name: &str| {
        name == "slurm"
            || [".parts", ".bvlab-", "shard-"]
                .iter()
                .any(|p| name.starts_with(p))
    };
    let mut foreign: Vec<String> = names
        .filter(|name| name != Manifest::FILE && !manifest.files.contains(name) && !working(name))
        .collect();
    foreign.sort();
    Ok(Verification {
        manifest,
        files,
        foreign,
        repaired,
    })
}
