//! A run that several workers share without sharing memory.
//!
//! A [`Share`] computes the groups of one shard, a resample at a time, and gives their states away
//! whenever a round is complete. A [`JoinedShares`] takes the states of all shares and makes of them what a
//! run gives, to the last bit that of one worker alone. Neither knows how the states travel.

use std::sync::Arc;

use super::blocks::{self, ResampleBlock, boundary};
use super::executor::Executor;
use super::pass::{Estimates, largest_share};
use super::pool::GroupProgress;
use super::probe::Probes;
use super::summary::decompose_groups;
use super::worker::{self, Unfinished, Worker};
use super::{
    BestPredictions, GroupState, KeptResample, Observer, Results, RunError, Shard, at_test_points,
};
use crate::decompose::{Decomposition, Tally, groups_for};
use crate::interrupt::Interrupt;
use crate::plan::{Length, Plan};

/// How many resamples there are after so many rounds, which all end where every group has finished
/// the same block.
fn round_end(plan: &Plan, round: usize) -> u64 {
    let total = plan.most_resamples();
    boundary(round)
        .saturating_mul(groups_for(total) as u64)
        .min(total)
}

/// Some groups of a run in one piece (see [`Plan::slab_count`]), a resample at a time.
pub struct Share {
    worker: Worker<Arc<Plan>>,
    plan: Arc<Plan>,
    /// The groups of the shard, in order.
    own: Vec<(usize, GroupProgress)>,
    round: usize,
    /// The place among the own groups of the one whose block is computed, and how many of its
    /// resamples are done.
    place: usize,
    done: u64,
    complete: bool,
}

/// What a share has done in one step.
#[derive(Debug)]
pub enum ShareStep {
    /// A resample, which may be one that is kept.
    Resample(Option<Box<KeptResample>>),
    /// The last of a round.
    Round {
        /// How many resamples all shares together have then.
        count: u64,
        /// The groups of this share.
        groups: Vec<GroupState>,
    },
    /// Nothing: all rounds are complete.
    Complete,
}

impl Share {
    /// Nothing computed yet.
    ///
    /// # Errors
    ///
    /// If truth or noise has no finite value at a test point.
    pub fn new(plan: Arc<Plan>, shard: Shard) -> Result<Self, RunError> {
        let (truth, noise) = at_test_points(&plan)?;
        let groups = groups_for(plan.most_resamples());
        let own = (0..groups).filter(|group| shard.owns(*group));
        let empty = || GroupProgress::new(worker::tallies(&plan));
        Ok(Share {
            worker: Worker::new(plan.clone(), &truth, &noise),
            own: own.map(|group| (group, empty())).collect(),
            plan,
            round: 0,
            place: 0,
            done: 0,
            complete: false,
        })
    }

    /// The next resample, or the end of a round.
    ///
    /// # Errors
    ///
    /// If the problem or a learner gives a value that is not finite.
    pub fn step(&mut self) -> Result<ShareStep, RunError> {
        let groups = groups_for(self.plan.most_resamples()) as u64;
        while let Some(block) = self.block(groups) {
            let mut rest = block.resamples(groups).skip(self.done as usize);
            if self.done == 0 {
                self.worker.begin();
            }
            if let Some(resample) = rest.next() {
                self.done += 1;
                let kept = self.worker.resample(resample, &Interrupt::never());
                return match kept {
                    Ok(kept) => Ok(ShareStep::Resample(kept.map(Box::new))),
                    Err(Unfinished::Failed(error)) => Err(error),
                    Err(Unfinished::Interrupted) => Ok(ShareStep::Resample(None)),
                };
            }
            let (_, group) = &mut self.own[self.place];
            group.join(&block, &self.worker.tallies);
            self.place += 1;
            self.done = 0;
        }
        if self.complete {
            return Ok(ShareStep::Complete);
        }
        let count = round_end(&self.plan, self.round);
        self.complete = count >= self.plan.most_resamples();
        if !self.complete {
            self.round += 1;
            self.place = 0;
        }
        let states = self.own.iter().map(|(group, state)| state.state(*group));
        Ok(ShareStep::Round {
            count,
            groups: states.collect(),
        })
    }

    /// The block that is computed now; `None` at the end of a round.
    fn block(&self, groups: u64) -> Option<ResampleBlock> {
        let (group, _) = self.own.get(self.place)?;
        let end = round_end(&self.plan, self.round);
        blocks::block(self.round, *group as u64, end, groups)
    }
}

/// All groups of a run in one piece, as shares give them.
pub struct JoinedShares {
    plan: Arc<Plan>,
    at_test: BestPredictions,
    empty: Vec<Tally>,
    groups: Vec<Option<GroupState>>,
    kept: Vec<KeptResample>,
    probes: Probes,
    round: usize,
}

/// What follows from a complete round.
pub struct RoundEstimates {
    /// How many resamples there are.
    pub count: u64,
    /// One per learner.
    pub learners: Vec<Decomposition>,
    /// Whether these are all resamples that there are to be.
    pub is_last: bool,
    reached: Option<f64>,
}

impl JoinedShares {
    /// Nothing joined yet.
    ///
    /// # Errors
    ///
    /// If truth or noise has no finite value at a test point.
    pub fn new(plan: Arc<Plan>) -> Result<Self, RunError> {
        let groups = groups_for(plan.most_resamples());
        Ok(JoinedShares {
            at_test: at_test_points(&plan)?,
            empty: worker::tallies(&plan),
            groups: vec![None; groups],
            kept: Vec::new(),
            probes: Probes::new(&plan),
            plan,
            round: 0,
        })
    }

    /// Adds a resample that is kept, in any order, before the round that it belongs to.
    pub fn keep(&mut self, kept: KeptResample) {
        self.kept.push(kept);
    }

    /// Adds a group as it is at the end of the present round. Returns whether it can be of this run;
    /// if not it is left out.
    pub fn add(&mut self, state: GroupState) -> bool {
        let fits =
            state.blocks == self.round + 1 && state.fits(&self.empty, self.plan.most_resamples());
        match self.groups.get_mut(state.group) {
            Some(group) if fits => {
                *group = Some(state);
                true
            }
            _ => false,
        }
    }

    /// The estimates from the present round, once all its groups are there. The next round begins.
    pub fn round(&mut self) -> Option<RoundEstimates> {
        let complete = |group: &Option<GroupState>| {
            group
                .as_ref()
                .is_some_and(|state| state.blocks == self.round + 1)
        };
        if !self.groups.iter().all(complete) {
            return None;
        }
        let count = round_end(&self.plan, self.round);
        let groups = self.groups.iter().flatten();
        let tallies: Vec<&[Tally]> = groups.map(|group| &*group.tallies).collect();
        let probed = self.probes.judge(&self.plan, &self.kept, count);
        let (truth, noise) = &self.at_test;
        let learners = decompose_groups(&self.plan, truth, noise, &tallies, probed);
        let all = count >= self.plan.most_resamples();
        let (is_last, reached) = match self.plan.run.length {
            Length::Resamples(_) => (all, None),
            Length::Precision { share, .. } => {
                let reached = largest_share(&learners);
                (all || reached.is_some_and(|worst| worst <= share), reached)
            }
        };
        self.round += 1;
        Some(RoundEstimates {
            count,
            learners,
            is_last,
            reached,
        })
    }

    /// The results, from the last round.
    ///
    /// # Errors
    ///
    /// If the problem gives a value that is not finite, or the observer stops the exact forms.
    pub fn complete(
        self,
        last: RoundEstimates,
        observer: &dyn Observer,
    ) -> Result<Results, RunError> {
        let estimated = Estimates {
            resamples: last.count,
            at_test: self.at_test,
            decompositions: last.learners,
            kept: self.kept,
            reached: last.reached,
        };
        estimated.complete(&self.plan, &Executor::new(1)?, observer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Unwatched, run};
    use crate::learner::Knn;
    use crate::plan::{SweepAxis, TestPoints};
    use crate::problem::{Inputs, Noise, Problem};

    fn plan(length: Length) -> Arc<Plan> {
        let inputs = Inputs::uniform(0.0, 9.0);
        let noise = Noise::normal(0.5).expect("0.5 is an sd");
        let problem = Problem::numbers("sin(x)", inputs, noise, 30).expect("the problem is right");
        let axis = SweepAxis::new("k", &[1.0, 3.0, 9.0]);
        let plan = Plan::builder(problem)
            .learner("knn", axis, Knn::new(vec![1, 3, 9]))
            .test(TestPoints::Grid(20))
            .keep(5)
            .build()
            .expect("the plan is right");
        let mut parts = plan.into_parts();
        parts.run.length = length;
        Arc::new(Plan::new(parts).expect("the plan is right"))
    }

    fn shared(plan: &Arc<Plan>, of: usize) -> Results {
        let share = |index| Share::new(plan.clone(), Shard { index, of }).expect("it is finite");
        let mut shares: Vec<Share> = (1..=of).map(share).collect();
        let mut all = JoinedShares::new(plan.clone()).expect("it is finite");
        loop {
            assert!(all.round().is_none(), "no group is there");
            for share in &mut shares {
                let groups = loop {
                    match share.step().expect("all is finite") {
                        ShareStep::Resample(kept) => kept.into_iter().for_each(|k| all.keep(*k)),
                        ShareStep::Round { groups, .. } => break groups,
                        ShareStep::Complete => panic!("there is another round"),
                    }
                };
                for state in groups {
                    let mut early = state.clone();
                    early.blocks += 1;
                    assert!(!all.add(early), "of another round");
                    assert!(all.add(state));
                }
            }
            let round = all.round().expect("all groups are there");
            if round.is_last {
                return all.complete(round, &Unwatched).expect("nothing fails");
            }
        }
    }

    #[test]
    fn any_number_of_shares_gives_the_same_results() {
        for length in [
            Length::Resamples(5),
            Length::Resamples(48),
            Length::Resamples(1001),
            Length::Precision {
                share: 0.02,
                most: 5000,
            },
        ] {
            let plan = plan(length);
            let alone = format!("{:?}", run(&plan, 2, &Unwatched).expect("nothing fails"));
            for of in [1, 2, 4, 7] {
                assert!(format!("{:?}", shared(&plan, of)) == alone, "{of} shares");
            }
        }
    }
}
