//! What one worker of a page holds: lessons, a share of a run, and the run that it joins.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;

use bvlab_core::decompose::Decomposition;
use bvlab_core::engine::{
    GroupState, JoinedShares, KeptResample, Observer, Options, Shard, Share, ShareStep, Unwatched,
};
use bvlab_core::interrupt::Interrupt;
use bvlab_core::plan::Plan;
use bvlab_core::simulation::Sampling;
use bvlab_core::task::{Outcome, Task};
use bvlab_experiment::Experiment;
use bvlab_lab::{
    LessonFiles, Lessons, Limits, PartialTables, Refusal, Scene, Sequence, memory, messages,
};
use bvlab_outcome::{Statements, Tables, report};

use crate::export::{ExportKind, ExportRequest, make};

/// How many finished runs are remembered, for exports.
const REMEMBERED: usize = 3;

/// Where messages go, one line at a time.
pub type MessageSink<'a> = &'a (dyn Fn(&str) + Sync);

/// How a run is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunMode {
    /// By shares.
    Shared = 1,
    /// By [`Session::run_whole`]: a simulation, or a sweep that outgrows memory.
    Whole = 2,
}

/// What came of a step of a share.
#[derive(Debug)]
pub enum ShareProgress {
    /// A resample.
    Resample,
    /// One that is kept, for [`Session::keep`].
    Kept(Vec<u8>),
    /// The end of a round: its groups, for [`Session::join`].
    Round(Vec<u8>),
    /// All rounds are complete.
    Complete,
    /// It failed; the last message of the run.
    Failed(String),
}

/// What came of joining a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoundResult {
    /// Some of its groups are missing, or belong to another run.
    Incomplete = 0,
    /// There are more rounds.
    More = 1,
    /// It was the last; [`Session::end`] says so.
    Last = 2,
    /// The run failed, which was said.
    Failed = 3,
}

/// What came of a request for an export.
#[derive(Debug)]
pub enum ExportResult {
    /// The file.
    Made(Vec<u8>),
    /// The run of the scene is not remembered: it must be run first.
    NotRun,
}

/// The run that is joined here.
struct JoinedRun {
    experiment: Experiment,
    shared: Option<JoinedShares>,
    first: Option<Sequence>,
    sent: u64,
    simulated: Option<RunningSimulation>,
}

/// A simulation that is run here, one resample after the other.
struct RunningSimulation {
    sampling: Sampling,
    key: String,
    partial: PartialTables,
    /// How much of it was said to be done.
    hundredths: u64,
}

/// A run that ended.
struct FinishedRun {
    key: String,
    experiment: Experiment,
    outcome: Outcome,
    /// Those of its variants, where they were computed.
    variants: Vec<Outcome>,
    /// Of a simulation: its tables on the way.
    partial: PartialTables,
}

/// What a worker holds between calls.
#[derive(Default)]
pub struct Session {
    lessons: Lessons,
    share: Option<Share>,
    joining: Option<JoinedRun>,
    ended: VecDeque<FinishedRun>,
}

impl Session {
    /// Takes the lessons in place of earlier ones: a list of [`LessonFiles`] in JSON.
    ///
    /// # Errors
    ///
    /// If it is no such list.
    pub fn hand_in(&mut self, lessons: &[u8]) -> Result<(), Refusal> {
        let lessons: Vec<LessonFiles> = serde_json::from_slice(lessons).map_err(unreadable)?;
        self.lessons = Lessons::handed_in(lessons);
        Ok(())
    }

    /// Takes a table for texts that are no lessons.
    pub fn hand_in_table(&mut self, name: &str, bytes: Vec<u8>) {
        self.lessons.add_table(name, bytes);
    }

    /// Reads a scene that is to be joined here, and says what is run.
    ///
    /// # Errors
    ///
    /// If it is wrong, or too much for a browser.
    pub fn begin(&mut self, scene: &[u8], say: MessageSink) -> Result<RunMode, Refusal> {
        self.joining = None;
        let experiment = self.read(scene)?;
        say(&messages::head(&experiment).to_string());
        let way = way(&experiment);
        let shared = match (&experiment.task, way) {
            (Task::Study(plan), RunMode::Shared) => Some(JoinedShares::new(plan.clone())),
            _ => None,
        };
        let shared = shared
            .transpose()
            .map_err(|error| Refusal::Failed(error.to_string()))?;
        let simulated = match &experiment.task {
            Task::Simulation(setup) => {
                let sampling = Sampling::new(setup);
                Some(RunningSimulation {
                    sampling: sampling.map_err(|error| Refusal::Failed(error.to_string()))?,
                    key: key(&experiment),
                    partial: PartialTables::default(),
                    hundredths: 0,
                })
            }
            Task::Study(_) => None,
        };
        self.joining = Some(JoinedRun {
            simulated,
            first: Sequence::new(&experiment),
            sent: messages::sent(&experiment) as u64,
            experiment,
            shared,
        });
        Ok(way)
    }

    /// About how many bytes the run that is joined here takes in every worker; 0 if there is none.
    pub fn memory(&self) -> usize {
        let joining = self.joining.as_ref();
        joining.map_or(0, |joining| memory(&joining.experiment, 1))
    }

    /// Reads a scene of which this worker computes every `of`-th group.
    ///
    /// # Errors
    ///
    /// As [`Session::begin`].
    pub fn share(&mut self, scene: &[u8], index: usize, of: usize) -> Result<(), Refusal> {
        self.share = None;
        let experiment = self.read(scene)?;
        let Task::Study(plan) = &experiment.task else {
            let message = "a simulation has no groups to share";
            return Err(Refusal::Asked(message.to_owned()));
        };
        let share = Share::new(plan.clone(), Shard { index, of });
        self.share = Some(share.map_err(|error| Refusal::Failed(error.to_string()))?);
        Ok(())
    }

    /// Computes the next resample of the share.
    pub fn step(&mut self) -> ShareProgress {
        let Some(share) = &mut self.share else {
            return ShareProgress::Complete;
        };
        match share.step() {
            Ok(ShareStep::Resample(None)) => ShareProgress::Resample,
            Ok(ShareStep::Resample(Some(kept))) => ShareProgress::Kept(encoded(&*kept)),
            Ok(ShareStep::Round { groups, .. }) => ShareProgress::Round(encoded(&groups)),
            Ok(ShareStep::Complete) => ShareProgress::Complete,
            Err(error) => {
                self.share = None;
                ShareProgress::Failed(messages::error(&error).to_string())
            }
        }
    }

    /// Adds a resample that a share kept, and says it if it is one of those that are shown.
    pub fn keep(&mut self, kept: &[u8], say: MessageSink) {
        let Some(joining) = &mut self.joining else {
            return;
        };
        let Ok(kept) = postcard::from_bytes::<KeptResample>(kept) else {
            return;
        };
        if let (Some(plan), true) = (joining.experiment.plan(), kept.resample < joining.sent) {
            say(&messages::draw(plan, &kept).to_string());
            if let Some(first) = &mut joining.first {
                first.add(&kept);
            }
        }
        if let Some(shared) = &mut joining.shared {
            shared.keep(kept);
        }
    }

    /// Says the frames of the first resamples as far as these are there, for a run that takes long.
    pub fn catch_up(&mut self, say: MessageSink) {
        let first = self.joining.as_mut().and_then(|run| run.first.as_mut());
        let frames = first.map(Sequence::frames).unwrap_or_default();
        frames.iter().for_each(|frame| say(&frame.to_string()));
    }

    /// Adds the groups of one share at the end of a round.
    pub fn join(&mut self, groups: &[u8]) {
        let shared = self.joining.as_mut().and_then(|run| run.shared.as_mut());
        let groups = postcard::from_bytes::<Vec<GroupState>>(groups);
        if let (Some(shared), Ok(groups)) = (shared, groups) {
            for group in groups {
                shared.add(group);
            }
        }
    }

    /// Says the frame of a round whose groups are all there; after the last also what follows from
    /// all resamples.
    pub fn round(&mut self, say: MessageSink) -> RoundResult {
        let Some(joining) = &mut self.joining else {
            return RoundResult::Incomplete;
        };
        let Some(round) = joining.shared.as_mut().and_then(JoinedShares::round) else {
            return RoundResult::Incomplete;
        };
        let shown = messages::pictured(&joining.experiment).is_none();
        match joining.experiment.plan().filter(|_| shown) {
            Some(plan) => {
                say(&messages::frame(round.count, plan, &round.learners, true).to_string());
            }
            None => say(&messages::progress(round.count).to_string()),
        }
        if !round.is_last {
            return RoundResult::More;
        }
        let (Some(joining), Some(shared)) = self
            .joining
            .take()
            .map(|mut joining| {
                let shared = joining.shared.take();
                (Some(joining), shared)
            })
            .unwrap_or_default()
        else {
            return RoundResult::Incomplete;
        };
        match shared.complete(round, &Unwatched) {
            Ok(results) => {
                let outcome = Outcome::Study(Box::new(results));
                self.finish(joining.experiment, outcome, PartialTables::default(), say);
                RoundResult::Last
            }
            Err(error) => {
                say(&messages::error(&error).to_string());
                RoundResult::Failed
            }
        }
    }

    /// Computes a run that is not shared: all of it, or the next resample of a simulation.
    pub fn run_whole(&mut self, say: MessageSink) -> RoundResult {
        if let Some(running) = self.joining.as_mut().and_then(|run| run.simulated.as_mut())
            && let result @ (RoundResult::More | RoundResult::Failed) = running.step(say)
        {
            return result;
        }
        let Some(joining) = self.joining.take() else {
            return RoundResult::Incomplete;
        };
        if let Some(RunningSimulation {
            sampling, partial, ..
        }) = joining.simulated
        {
            let outcome = Outcome::Simulation {
                rows: sampling.rows(),
                resamples: sampling.done(),
            };
            self.finish(joining.experiment, outcome, partial, say);
            return RoundResult::Last;
        }
        let experiment = joining.experiment;
        let watch = MessageObserver {
            plan: match messages::pictured(&experiment) {
                None => experiment.plan(),
                Some(_) => None,
            },
            sent: joining.sent,
            hundredths: AtomicU64::new(0),
            say,
        };
        let outcome = experiment.task.run(Options::new(1, &watch));
        match outcome {
            Ok(outcome) => {
                self.finish(experiment, outcome, PartialTables::default(), say);
                RoundResult::Last
            }
            Err(error) => {
                say(&messages::error(&error).to_string());
                RoundResult::Failed
            }
        }
    }

    /// The last message of the run that ended last, which took so many seconds.
    pub fn end(&self, seconds: f64, say: MessageSink) {
        if let Some(FinishedRun {
            experiment,
            outcome,
            ..
        }) = self.ended.back()
        {
            let report = report(experiment.heading(), &experiment.task, outcome, seconds);
            say(&messages::end(outcome.counts().0, seconds, &report).to_string());
        }
    }

    /// Gives up what is under way.
    pub fn stop(&mut self) {
        self.share = None;
        self.joining = None;
    }

    /// Makes a file of a finished run.
    ///
    /// # Errors
    ///
    /// If the scene is wrong, or has no such figure, or the figure cannot be drawn.
    pub fn export(&mut self, request: &[u8]) -> Result<ExportResult, Refusal> {
        let request: ExportRequest = serde_json::from_slice(request).map_err(unreadable)?;
        let experiment = self.read_scene(&request.scene(true))?;
        if request.what == ExportKind::Toml {
            let text = experiment.source.merged_text().unwrap_or_default();
            return Ok(ExportResult::Made(text.into_bytes()));
        }
        if request.what == ExportKind::Refit {
            return request.refit(&experiment).map(ExportResult::Made);
        }
        if request.what == ExportKind::Svg && experiment.figures.get(request.figure).is_none() {
            let message = "the experiment has no such figure";
            return Err(Refusal::Missing(message.to_owned()));
        }
        if let (None, Some(count)) = (experiment.plan(), request.count)
            && let Some(outcome) = self.partial(&request.scene(false), count)?
        {
            return make(&experiment, (&outcome, &[]), &request).map(ExportResult::Made);
        }
        let key = key(&experiment);
        let Some(ended) = self.ended.iter().find(|ended| ended.key == key) else {
            return Ok(ExportResult::NotRun);
        };
        let outcomes = (&ended.outcome, &*ended.variants);
        make(&experiment, outcomes, &request).map(ExportResult::Made)
    }

    /// What a simulation, which may be under way, had after so many resamples, if that was kept.
    fn partial(&self, scene: &Scene, count: u64) -> Result<Option<Outcome>, Refusal> {
        let whole = key(&self.read_scene(scene)?);
        let running = self.joining.iter().filter_map(|run| run.simulated.as_ref());
        let running = running.map(|run| (&run.key, &run.partial));
        let ended = self.ended.iter().map(|run| (&run.key, &run.partial));
        let mut alike = running.chain(ended).filter(|(key, _)| **key == whole);
        Ok(alike.find_map(|(_, partial)| partial.outcome(count)))
    }

    /// Says what follows from all resamples, and remembers the run.
    fn finish(
        &mut self,
        experiment: Experiment,
        outcome: Outcome,
        partial: PartialTables,
        say: MessageSink,
    ) {
        if let (Task::Study(plan), Outcome::Study(results), None) =
            (&experiment.task, &outcome, messages::pictured(&experiment))
        {
            let curves = Tables::main_table(&experiment.task, &outcome);
            let last = [
                Some(messages::best(plan, results)),
                messages::theory(&experiment, &curves),
                messages::solving(&experiment, &curves),
                messages::points(&experiment, results),
            ];
            let all = last.iter().flatten();
            all.for_each(|message| say(&message.to_string()));
        }
        let variants = Limits::BROWSER.variants(&experiment).iter();
        let variants = variants.map(|one| one.experiment.task.run(Options::new(1, &Unwatched)));
        let variants: Vec<Outcome> = variants.collect::<Result<_, _>>().unwrap_or_default();
        if experiment.speaks() {
            let statements = Statements::of(&experiment, &outcome, &variants);
            say(&messages::words(&statements).to_string());
        }
        let key = key(&experiment);
        self.ended.retain(|ended| ended.key != key);
        if self.ended.len() == REMEMBERED {
            self.ended.pop_front();
        }
        self.ended.push_back(FinishedRun {
            key,
            experiment,
            outcome,
            variants,
            partial,
        });
    }

    fn read(&self, scene: &[u8]) -> Result<Experiment, Refusal> {
        self.read_scene(&serde_json::from_slice(scene).map_err(unreadable)?)
    }

    fn read_scene(&self, scene: &Scene) -> Result<Experiment, Refusal> {
        let experiment = scene.read(&self.lessons, &Limits::BROWSER)?;
        let memory = memory(&experiment, 1);
        if memory > Limits::BROWSER_MEMORY {
            return Err(Refusal::Asked(format!(
                "this run would take about {} MB of memory; the limit of a page is {} MB: keep fewer fits, sweep fewer values, or test at fewer points",
                memory >> 20,
                Limits::BROWSER_MEMORY >> 20
            )));
        }
        Ok(experiment)
    }
}

fn unreadable(error: serde_json::Error) -> Refusal {
    Refusal::Asked(format!("the request is not valid: {error}"))
}

/// Groups of slabs cannot be joined before the last slab is done.
fn way(experiment: &Experiment) -> RunMode {
    match experiment.plan() {
        Some(plan) if plan.slab_count() == 1 => RunMode::Shared,
        _ => RunMode::Whole,
    }
}

/// What a run is called: the same for scenes that differ at most in how figures look.
fn key(experiment: &Experiment) -> String {
    let hash = experiment.source.run_hash().unwrap_or_default();
    format!("{} {hash}", experiment.name)
}

fn encoded<T: serde::Serialize>(value: &T) -> Vec<u8> {
    // Lists of numbers can always be written.
    postcard::to_allocvec(value).unwrap_or_default()
}

impl RunningSimulation {
    /// The next resample; says how far it is, and where its table is shown on the way.
    fn step(&mut self, say: MessageSink) -> RoundResult {
        if let Err(error) = self.sampling.step(&Interrupt::never()) {
            say(&messages::error(&error).to_string());
            return RoundResult::Failed;
        }
        let done = self.sampling.done();
        if self.sampling.is_at_partial_count() {
            self.partial.keep(done, &self.sampling.rows());
            say(&messages::partial(done).to_string());
        }
        let hundredths = 100 * done / self.sampling.total();
        if hundredths > self.hundredths {
            self.hundredths = hundredths;
            say(&messages::progress(done).to_string());
        }
        match self.sampling.is_complete() {
            true => RoundResult::Last,
            false => RoundResult::More,
        }
    }
}

/// Passes on what a run in one piece has as it goes.
struct MessageObserver<'a> {
    /// What frames are about; `None` where the page shows figures.
    plan: Option<&'a Plan>,
    sent: u64,
    /// How much of it was said to be done.
    hundredths: AtomicU64,
    say: MessageSink<'a>,
}

impl Observer for MessageObserver<'_> {
    fn progress(&self, done: u64, total: u64) {
        let hundredths = 100 * done / total.max(1);
        if self.plan.is_none() && self.hundredths.swap(hundredths, Ordering::Relaxed) != hundredths
        {
            (self.say)(&messages::progress(done).to_string());
        }
    }

    fn watches(&self) -> bool {
        self.plan.is_some()
    }

    fn kept(&self, kept: &KeptResample) {
        if let (Some(plan), true) = (self.plan, kept.resample < self.sent) {
            (self.say)(&messages::draw(plan, kept).to_string());
        }
    }

    fn frame(&self, count: u64, learners: &[Decomposition]) {
        if let Some(plan) = self.plan {
            (self.say)(&messages::frame(count, plan, learners, true).to_string());
        }
    }
}

/// What a page is told of a refusal.
pub fn refused(refusal: &Refusal) -> String {
    let (status, mut told) = refusal.parts();
    told["status"] = Value::from(status);
    told.to_string()
}
