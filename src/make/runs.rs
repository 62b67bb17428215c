//! Running experiments and their variants, with what is done saved as they go.

use std::path::Path;

use super::{MakeError, Reporter, save_every};
use bvlab_core::decompose::Tally;
use bvlab_core::engine::{self, GroupState, Observer, Options, RunError, Shard};
use bvlab_core::plan::Plan;
use bvlab_core::task::Outcome;
use bvlab_core::words::thousands;
use bvlab_experiment::Experiment;
use bvlab_outcome::files::{OutcomeError, SavedGroups, Saving};

/// Passes on how far a variant is and whether to stop, and nothing of its numbers: pages and
/// recordings show the experiment itself.
pub struct SavedRun<'a>(pub &'a dyn Observer);

impl Observer for SavedRun<'_> {
    fn progress(&self, done: u64, total: u64) {
        self.0.progress(done, total);
    }

    fn wait_turn(&self) {
        self.0.wait_turn();
    }

    fn stopped(&self) -> bool {
        self.0.stopped()
    }
}

/// Why a shard was not computed.
pub(super) enum ShardError {
    Run(RunError),
    Outcome(OutcomeError),
}

impl ShardError {
    pub fn or_of_run(self, home: &Path) -> MakeError {
        match self {
            ShardError::Run(error) => MakeError::of_run(error, home),
            ShardError::Outcome(error) => error.into(),
        }
    }
}

/// Runs an experiment or a variant; groups are saved in `parts`, and gone on from, where there are
/// any.
pub(super) fn run_saving(
    experiment: &Experiment,
    parts: Option<&SavedGroups>,
    threads: usize,
    teller: &dyn Reporter,
    observer: &dyn Observer,
) -> Result<Outcome, RunError> {
    let Some(parts) = parts else {
        return experiment.task.run(Options::new(threads, observer));
    };
    let begun = |slab: usize| go_on(experiment, &parts.of_slab(slab), slab, teller);
    let name = &experiment.name;
    let warn = |error: &OutcomeError| teller.say(&format!("warning: {name}: {error}"));
    let saving = Saving::new(observer, parts, save_every(), &warn);
    experiment.task.run(Options {
        threads,
        observer: &saving,
        begun: Some(&begun),
    })
}

/// Runs a shard of an experiment or a variant. One that could not be saved is no shard.
pub(super) fn run_shard_saving(
    (experiment, plan): (&Experiment, &Plan),
    shard: Shard,
    parts: &SavedGroups,
    threads: usize,
    (teller, observer): (&dyn Reporter, &dyn Observer),
) -> Result<(), ShardError> {
    let begun = |slab: usize| go_on(experiment, &parts.of_slab(slab), slab, teller);
    let saving = Saving::new(observer, parts, save_every(), &|_| {});
    let options = Options {
        threads,
        observer: &saving,
        begun: Some(&begun),
    };
    engine::run_shard(plan, shard, options).map_err(ShardError::Run)?;
    match saving.into_failure() {
        Some(error) => Err(ShardError::Outcome(error)),
        None => Ok(()),
    }
}

/// What an earlier run of the same experiment had done of a slab; says so.
fn go_on(
    experiment: &Experiment,
    parts: &SavedGroups,
    slab: usize,
    teller: &dyn Reporter,
) -> Vec<GroupState> {
    let name = &experiment.name;
    let found = parts.find();
    if !found.damaged.is_empty() {
        let damaged = found.damaged.len();
        teller.say(&format!(
            "{name}: {damaged} saved groups are damaged and will be computed again"
        ));
    }
    // The first slab shows what the others are of, too.
    if found.foreign > 0 && slab == 0 {
        teller.say(&format!(
            "{name}: saved progress belongs to a different experiment or version; starting afresh"
        ));
        parts.remove();
    }
    let done = found
        .states
        .iter()
        .filter_map(|state| state.tallies.first());
    // What a file says is not to be trusted with a sum.
    let done = done.map(Tally::count).fold(0, u64::saturating_add);
    let total = experiment.task.most_resamples();
    if slab > 0 && done > 0 && done < total {
        teller.say(&format!(
            "{name}: continuing after {slab} slabs and {} of {} resamples",
            thousands(done),
            thousands(total)
        ));
    } else if slab == 0 && done > 0 {
        teller.say(&format!(
            "{name}: continuing after {} of {} resamples",
            thousands(done),
            thousands(total)
        ));
    }
    found.states
}
