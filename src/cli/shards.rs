//! What `run --shard`, `submit` and `merge` know of shards.

use std::path::{Path, PathBuf};

use super::Failure;
use crate::decompose::GROUPS;
use crate::engine::Shard;
use crate::experiment::Experiment;
use crate::plan::Length;

/// `2/4`: the second of four.
pub fn parse(text: &str) -> Result<Shard, String> {
    let parts = text
        .split_once('/')
        .and_then(|(index, of)| Some((index.trim().parse().ok()?, of.trim().parse().ok()?)));
    match parts {
        Some((index, of)) if (1..=of).contains(&index) && of <= GROUPS => Ok(Shard { index, of }),
        Some((_, of)) if of > GROUPS => Err(format!(
            "a run has {GROUPS} groups, so there are at most {GROUPS} shards"
        )),
        _ => Err("expected two numbers, as in 2/4 for the second of four".to_owned()),
    }
}

/// Refuses an experiment that cannot be shared out.
pub fn shareable(experiment: &Experiment) -> Result<(), Failure> {
    let Some(plan) = experiment.plan() else {
        return Err(Failure::wrong(miette::miette!(
            "`{}` is a simulation, which cannot be divided into shards",
            experiment.name
        )));
    };
    if let Length::Precision { .. } = plan.run.length {
        return Err(Failure::wrong(miette::miette!(
            help = "give it a number of `resamples`",
            "`{}` runs to a precision, which takes all resamples together, so it cannot be divided into shards",
            experiment.name
        )));
    }
    Ok(())
}

/// The folder of a shard, in the experiment's.
pub fn folder(home: &Path, shard: Shard) -> PathBuf {
    home.join(format!("shard-{}-of-{}", shard.index, shard.of))
}
