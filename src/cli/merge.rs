//! `bvlab merge`: joins the shards of a run.

use std::path::{Path, PathBuf};

use clap::Args;

use super::Failure;
use super::options::{Output, Threads};
use super::progress::{Progress, watch_interrupts};
use super::run::tell;
use crate::decompose::groups_for;
use crate::engine::{GroupState, Options};
use crate::experiment::{Bounds, Experiment, Source};
use crate::learner::Registry;
use crate::make::{RequestedFiles, VERSION, compute_with};
use crate::outcome::files::{SavedGroups, ShardNote};
use crate::tables::FolderTables;
use bvlab_core::words::thousands;

/// Join the shards of a run: the tables are those of a single run, to the last bit.
///
/// A DIR is a folder that `bvlab run --shard I/N` made. All shards must have the same experiment,
/// seed and version, and together make up the whole run.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  bvlab run mine.toml --shard 1/2   on one machine\n  bvlab run mine.toml --shard 2/2   on another\n  bvlab merge results/mine/shard-*"
)]
pub struct MergeCommand {
    /// The folders of the shards
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,

    /// Folder for the results
    #[arg(long, value_name = "DIR", default_value = "results")]
    out: PathBuf,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    output: Output,
}

impl MergeCommand {
    /// Joins the shards.
    pub fn execute(&self, registry: &Registry) -> Result<(), Failure> {
        let mut notes = Vec::new();
        for folder in &self.folders {
            notes.push(ShardNote::read(folder).map_err(Failure::wrong)?);
        }
        let first = &notes[0];
        let source = source_of(first, &self.folders[0]);
        let experiment = Experiment::read_with(&first.name, source, registry, &Bounds::default());
        let experiment = experiment.map_err(|error| Failure::wrong(*error))?;
        let of_run = |which: Option<usize>| match which {
            None => &experiment,
            Some(number) => &experiment.variants[number].experiment,
        };
        let states = |which: Option<usize>, slab: usize| {
            let mut states: Vec<(GroupState, &Path)> = Vec::new();
            for (folder, note) in self.folders.iter().zip(&notes) {
                states.extend(self.shard(folder, note, first, &experiment, (which, slab))?);
            }
            whole(states, of_run(which), first.of)
        };
        // All is looked at before the first is joined, but one slab at a time.
        let variants = (0..experiment.variants.len()).map(Some);
        for which in [None].into_iter().chain(variants) {
            for slab in 0..of_run(which).task.slab_count() {
                states(which, slab)?;
            }
        }
        watch_interrupts();
        let home = self.out.join(&experiment.name);
        let progress = Progress::new(self.output.quiet);
        let threads = self.threads.count();
        let wanted = RequestedFiles {
            formats: &self.output.format,
            page: false,
            overwrite: self.output.overwrite,
        };
        let computed = compute_with(&experiment, &home, wanted, threads, &|which| {
            let begun = |slab: usize| states(which, slab).unwrap_or_default();
            of_run(which).task.run(Options {
                threads,
                observer: &progress,
                begun: Some(&begun),
            })
        });
        progress.finish();
        let finished = computed?.write(&self.output.format, None, &progress)?;
        tell(&finished, &experiment.name, &home, self.output.quiet)
    }

    /// The groups of one shard, which must belong to the same run as the first.
    fn shard<'a>(
        &self,
        folder: &'a Path,
        note: &ShardNote,
        first: &ShardNote,
        experiment: &Experiment,
        (which, slab): (Option<usize>, usize),
    ) -> Result<Vec<(GroupState, &'a Path)>, Failure> {
        let wrong = |words: String, help: &str| {
            let help = help.to_owned();
            Failure::wrong(miette::miette!(
                help = help,
                "{}: {words}",
                folder.display()
            ))
        };
        if note.bvlab != VERSION {
            let words = format!("made by bvlab {}, but this is {VERSION}", note.bvlab);
            return Err(wrong(words, "make all shards with the same version"));
        }
        let source = source_of(note, folder);
        if note.name != first.name || source.run_hash() != experiment.source.run_hash() {
            let words = format!(
                "a shard of another experiment or seed than {}",
                self.folders[0].display()
            );
            return Err(wrong(words, "merge the shards of one run only"));
        }
        if note.of != first.of {
            let words = format!(
                "one of {} shards, but the first is one of {}",
                note.of, first.of
            );
            return Err(wrong(words, "merge the shards of one run only"));
        }
        if !note.complete {
            let again = format!("run it again with --shard {}/{}", note.shard, note.of);
            return Err(wrong("this shard is not complete".to_owned(), &again));
        }
        let parts = SavedGroups::new(folder, experiment, VERSION);
        let parts = parts.and_then(|parts| match which {
            None => Some(parts),
            Some(number) => parts.of_variant(number, &experiment.variants[number].experiment),
        });
        let found = parts
            .map(|parts| parts.of_slab(slab).find())
            .unwrap_or_default();
        if let Some(name) = found.damaged.first() {
            let again = format!("run it again with --shard {}/{}", note.shard, note.of);
            return Err(wrong(format!("{name} is damaged"), &again));
        }
        if found.foreign > 0 {
            let words = "it contains groups of another experiment, seed or version".to_owned();
            return Err(wrong(words, "remove the folder, and run the shard again"));
        }
        Ok(found
            .states
            .into_iter()
            .map(|state| (state, folder))
            .collect())
    }
}

/// The experiment of a shard, whose folder has a copy of its table.
fn source_of(note: &ShardNote, folder: &Path) -> Source {
    let source = Source::new(&note.name, &note.experiment, &note.set);
    source.with_tables(FolderTables::kept(folder))
}

/// All groups, each once and complete.
fn whole(
    states: Vec<(GroupState, &Path)>,
    experiment: &Experiment,
    shards: usize,
) -> Result<Vec<GroupState>, Failure> {
    let total = experiment.task.most_resamples();
    let groups = groups_for(total);
    let mut found: Vec<Option<(GroupState, &Path)>> = (0..groups).map(|_| None).collect();
    for (state, folder) in states {
        let Some(place) = found.get_mut(state.group) else {
            continue;
        };
        if let Some((_, other)) = place {
            return Err(Failure::wrong(miette::miette!(
                help = "list every shard once",
                "{} and {} contain the same groups",
                other.display(),
                folder.display()
            )));
        }
        *place = Some((state, folder));
    }
    let missing = |group: &usize| found[*group].is_none();
    let mut lacking: Vec<usize> = (0..groups)
        .filter(missing)
        .map(|g| g % shards + 1)
        .collect();
    lacking.sort_unstable();
    lacking.dedup();
    if !lacking.is_empty() {
        let names = lacking.iter().map(|shard| format!("{shard}/{shards}"));
        let names = names.collect::<Vec<_>>().join(", ");
        return Err(Failure::wrong(miette::miette!(
            help = format!("run them with --shard {names}, and list their folders as well"),
            "shards are missing: {names}"
        )));
    }
    let states: Vec<GroupState> = found
        .into_iter()
        .flatten()
        .map(|(state, _)| state)
        .collect();
    let done = states.iter().filter_map(|state| state.tallies.first());
    let done = done.map(|tally| tally.count()).fold(0, u64::saturating_add);
    match done == total {
        true => Ok(states),
        false => Err(Failure::wrong(miette::miette!(
            help = "run the shards again",
            "the shards contain {} of {} resamples",
            thousands(done),
            thousands(total)
        ))),
    }
}
