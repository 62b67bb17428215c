//! What one worker of a page holds: lessons, a share of a run, and the run that it joins.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Deserialize;
use serde_json::Value;

use bvlab_core::decompose::Decomposition;
use bvlab_core::engine::{
    GroupState, JoinedShares, KeptResample, Observer, Options, Shard, Share, ShareStep, Unwatched,
};
use bvlab_core::plan::Plan;
use bvlab_core::task::{Outcome, Task};
use bvlab_experiment::Experiment;
use bvlab_figure as figure;
use bvlab_lab::{LessonFiles, Lessons, Limits, Refusal, Scene, Sequence, memory, messages, steps};
use bvlab_outcome::{Statements, Tables, report};

/// How many finished runs are remembered, for exports.
const REMEMBERED: usize = 3;

/// Where messages go, one line at a time.
pub type MessageSink<'a> = &'a (dyn Fn(&str) + Sync);

/// How a run is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunMode {
    /// By shares.
    Shared = 1,
    /// In one call of [`Session::run_whole`]: a simulation, or a sweep that outgrows memory.
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

/// What is to be made of a finished run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExportRequest {
    lesson: Option<String>,
    toml: Option<String>,
    #[serde(default)]
    set: Vec<String>,
    what: ExportKind,
    #[serde(default)]
    figure: usize,
    count: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ExportKind {
    Csv,
    Toml,
    Svg,
    Steps,
}

impl ExportRequest {
    fn scene(&self) -> Scene {
        let count = self.count.map(|count| format!("run.resamples={count}"));
        Scene {
            lesson: self.lesson.clone(),
            toml: self.toml.clone(),
            set: self.set.iter().cloned().chain(count).collect(),
        }
    }
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
}

/// A run that ended.
struct FinishedRun {
    key: String,
    experiment: Experiment,
    outcome: Outcome,
    /// Those of its variants, where they were computed.
    variants: Vec<Outcome>,
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
        self.joining = Some(JoinedRun {
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
        if kept.resample < joining.sent {
            say(&messages::draw(&kept).to_string());
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
                self.finish(joining.experiment, Outcome::Study(Box::new(results)), say);
                RoundResult::Last
            }
            Err(error) => {
                say(&messages::error(&error).to_string());
                RoundResult::Failed
            }
        }
    }

    /// Computes all of a run that is not shared.
    pub fn run_whole(&mut self, say: MessageSink) -> RoundResult {
        let Some(joining) = self.joining.take() else {
            return RoundResult::Incomplete;
        };
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
                self.finish(experiment, outcome, say);
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
        let experiment = self.read_scene(&request.scene())?;
        if request.what == ExportKind::Toml {
            let text = experiment.source.merged_text().unwrap_or_default();
            return Ok(ExportResult::Made(text.into_bytes()));
        }
        if request.what == ExportKind::Svg && experiment.figures.get(request.figure).is_none() {
            let message = "the experiment has no such figure";
            return Err(Refusal::Missing(message.to_owned()));
        }
        let key = key(&experiment);
        let Some(ended) = self.ended.iter().find(|ended| ended.key == key) else {
            return Ok(ExportResult::NotRun);
        };
        make(&experiment, ended, &request).map(ExportResult::Made)
    }

    /// Says what follows from all resamples, and remembers the run.
    fn finish(&mut self, experiment: Experiment, outcome: Outcome, say: MessageSink) {
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

fn make(
    experiment: &Experiment,
    ended: &FinishedRun,
    request: &ExportRequest,
) -> Result<Vec<u8>, Refusal> {
    let outcome = &ended.outcome;
    let failed = |error: &dyn std::fmt::Display| Refusal::Failed(error.to_string());
    match request.what {
        ExportKind::Csv | ExportKind::Toml => {
            let table = Tables::main_table(&experiment.task, outcome);
            table.to_csv().map_err(|error| failed(&error))
        }
        ExportKind::Steps => {
            let steps = steps(experiment, outcome);
            let lines = steps.iter().map(|frame| format!("{frame}\n"));
            Ok(lines.collect::<String>().into_bytes())
        }
        ExportKind::Svg => {
            let tables = Tables::of(&experiment.task, outcome);
            let description = experiment.task.describe();
            let statements = Statements::of(experiment, outcome, &ended.variants);
            let figure = &statements.figures[request.figure];
            let heading = statements.heading(&experiment.name);
            let drawing = figure::draw(heading, &description, figure, &tables);
            let drawing = drawing.map_err(|error| failed(&error))?;
            Ok(drawing.to_svg().into_bytes())
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
        if kept.resample < self.sent {
            (self.say)(&messages::draw(kept).to_string());
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
