//! `bvlab figures`: every figure of a course, made where it is missing or stale.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use clap::Args;

use super::Failure;
use super::catalogue::Catalogue;
use super::options::{Output, Work};
use super::page;
use super::progress::{Progress, interrupted, uninterrupted, watch_interrupts};
use crate::experiment::Experiment;
use crate::figure;
use crate::learner::Registry;
use crate::make::{
    ComputedRun, FigureSet, FinishedResult, Format, Reporter, RequestedFiles, VERSION, compute,
    draw_all,
};
use crate::outcome::files::{self, Manifest, Staging};
use crate::outcome::{Statements, Tables};
use bvlab_core::words::message;

/// Make the figures of all experiments, or of those you name.
///
/// The experiments are those that ship with bvlab and those in the folder experiments/, which
/// replace shipped ones of the same name. An experiment is run if its result is missing, altered, or
/// from other settings or another version; if only a figure or a text has changed, the figure is
/// redrawn from saved tables; otherwise nothing is done. If one experiment fails, the others still
/// run.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct FiguresCommand {
    /// Names of experiments, patterns such as 'descent-*', or files (default: all)
    #[arg(value_name = "NAME")]
    names: Vec<String>,

    /// The folder of your own experiments (default: experiments, if there is one)
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,

    /// Remake everything
    #[arg(long)]
    force: bool,

    /// Also write DIR/index.html, a page in one file with all figures, questions and tables
    #[arg(long)]
    page: bool,

    #[command(flatten)]
    work: Work,

    #[command(flatten)]
    output: Output,
}

const EXAMPLES: &str = "\
Examples:
  bvlab figures                             all experiments whose results are missing or out of date
  bvlab figures 'descent-*' tree-tradeoff   some of them
  bvlab figures --page                      and results/index.html, a page to hand out
  bvlab figures mine.toml --format png,svg --out slides
  bvlab figures --resamples 100 --out draft --page";

/// How it went with an experiment.
#[derive(Debug)]
pub enum RunStatus {
    /// It was run.
    Made,
    /// Its figures were drawn from saved tables.
    Redrawn,
    /// Nothing was to be done.
    Reused,
    /// It could not be made, for this reason.
    Failed(String),
    /// It was stopped, or not begun.
    Stopped,
}

/// An experiment that was asked for.
pub struct RunEntry {
    /// Its name.
    pub name: String,
    /// The experiment, if it could be read.
    pub experiment: Option<Experiment>,
    /// The folder of its results.
    pub home: PathBuf,
    /// How it went.
    pub ending: RunStatus,
}

/// What is to be done for an experiment.
enum NextStep {
    Make,
    Redraw(Box<SavedResult>),
    Reuse,
}

/// A saved result whose figures are to be drawn.
struct SavedResult {
    manifest: Manifest,
    tables: Tables,
    statements: Statements,
    /// Those that are asked for, and those of figures that were altered.
    formats: Vec<Format>,
}

/// What is done beside the engine.
enum Job<'a> {
    Write(Box<ComputedRun<'a>>),
    Redraw(&'a Experiment, &'a Path, Box<SavedResult>),
}

impl FiguresCommand {
    /// Makes what is to be made, and says what that was.
    pub fn execute(&self, registry: &Registry) -> Result<(), Failure> {
        let clock = Instant::now();
        let default = Path::new("experiments");
        let folder = self.from.as_deref().or(default.is_dir().then_some(default));
        let chosen = Catalogue::new(folder)?.choose(&self.names)?;
        let mut formats = self.output.format.clone();
        if self.page && !formats.contains(&Format::Png) {
            formats.push(Format::Png);
        }
        let progress = Progress::new(self.output.quiet);
        let mut entries = Vec::new();
        let mut unread = Vec::new();
        for (name, place) in chosen {
            let (experiment, ending) = match place.load(&name, &self.work.changes, registry) {
                Ok(experiment) => (Some(experiment), RunStatus::Stopped),
                Err(Failure::Wrong(report)) => {
                    let reason = report.to_string();
                    unread.push(report);
                    (None, RunStatus::Failed(reason))
                }
                Err(other) => return Err(other),
            };
            let home = self.work.out.join(&name);
            entries.push(RunEntry {
                name,
                experiment,
                home,
                ending,
            });
        }
        if entries.len() == 1
            && let Some(report) = unread.pop()
        {
            return Err(Failure::Wrong(report));
        }
        for report in &unread {
            progress.say(format!("{report:?}").trim_end());
        }
        if unread.len() == entries.len() {
            return Err(Failure::wrong(miette::miette!(
                "none of the {} experiments can be read",
                entries.len()
            )));
        }
        watch_interrupts();
        let endings = self.make_all(&entries, &formats, &progress);
        progress.finish();
        for (entry, ending) in entries.iter_mut().zip(endings) {
            if let Some(ending) = ending {
                entry.ending = ending;
            }
        }
        let path = self.work.out.join("index.html");
        let wanted = self.page && !interrupted();
        let overwrite = self.output.overwrite;
        let page = wanted
            .then(|| page::write(&path, &entries, overwrite))
            .transpose();
        if !self.output.quiet {
            let page = page.as_ref().is_ok_and(Option::is_some).then_some(&*path);
            let text = summary(&entries, page, clock.elapsed().as_secs_f64());
            io::stdout().write_all(text.as_bytes())?;
        }
        page?;
        let count =
            |which: fn(&RunStatus) -> bool| entries.iter().filter(|e| which(&e.ending)).count();
        let stopped = count(|ending| matches!(ending, RunStatus::Stopped));
        let failed = count(|ending| matches!(ending, RunStatus::Failed(_)));
        if stopped > 0 {
            return Err(Failure::Stopped(miette::miette!(
                help = "run the same command again to continue",
                "stopped; {stopped} of {} experiments are not finished",
                entries.len()
            )));
        }
        match (failed, entries.len()) {
            (0, _) => Ok(()),
            (_, 1) => Err(Failure::failed(miette::miette!("the experiment failed"))),
            (failed, all) => Err(Failure::failed(miette::miette!(
                "{failed} of {all} experiments failed"
            ))),
        }
    }

    /// Runs one experiment after another on all threads, while what the one before gave is
    /// written and drawn. An ending for each, but for those not begun.
    fn make_all(
        &self,
        entries: &[RunEntry],
        formats: &[Format],
        progress: &Progress,
    ) -> Vec<Option<RunStatus>> {
        let mut endings: Vec<Option<RunStatus>> = entries.iter().map(|_| None).collect();
        let wanted = RequestedFiles {
            formats,
            page: false,
            overwrite: self.output.overwrite,
        };
        thread::scope(|scope| {
            // One may wait: results can be large.
            let (sender, jobs) = mpsc::sync_channel::<(usize, Job)>(1);
            let writer = scope.spawn(move || {
                let done = jobs.into_iter().map(|(at, job)| {
                    let name = &entries[at].name;
                    let ending = settle(name, perform(name, job, wanted, progress), progress);
                    tell(name, &ending, progress);
                    (at, ending)
                });
                done.collect::<Vec<(usize, RunStatus)>>()
            });
            for (at, entry) in entries.iter().enumerate() {
                if interrupted() {
                    break;
                }
                let Some(experiment) = &entry.experiment else {
                    continue;
                };
                let job = match self.plan(experiment, &entry.home, formats, progress) {
                    NextStep::Reuse => {
                        tell(&entry.name, &RunStatus::Reused, progress);
                        endings[at] = Some(RunStatus::Reused);
                        continue;
                    }
                    NextStep::Redraw(saved) => Job::Redraw(experiment, &entry.home, saved),
                    NextStep::Make => {
                        let name = format!("{}/{} {}", at + 1, entries.len(), entry.name);
                        progress.begin(&name, experiment.task.most_resamples());
                        let threads = self.work.threads.count();
                        let home = &entry.home;
                        match compute(experiment, home, threads, wanted, progress, progress) {
                            Ok(computed) => Job::Write(Box::new(computed)),
                            Err(error) => {
                                let ending = settle(&entry.name, Err(error.into()), progress);
                                tell(&entry.name, &ending, progress);
                                endings[at] = Some(ending);
                                continue;
                            }
                        }
                    }
                };
                if sender.send((at, job)).is_err() {
                    break;
                }
            }
            drop(sender);
            match writer.join() {
                Ok(done) => done.into_iter().for_each(|(at, e)| endings[at] = Some(e)),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        });
        endings
    }

    /// What is to be done for an experiment.
    fn plan(
        &self,
        experiment: &Experiment,
        home: &Path,
        formats: &[Format],
        progress: &Progress,
    ) -> NextStep {
        if self.force {
            return NextStep::Make;
        }
        // Whatever cannot be read is as good as missing.
        let Ok((manifest, mut tables)) = files::read(home) else {
            return NextStep::Make;
        };
        let there = |file: &str| fs::metadata(home.join(file)).is_ok_and(|meta| meta.len() > 0);
        let same_numbers = manifest.bvlab == VERSION
            && manifest.run_hash.is_some()
            && manifest.run_hash == experiment.source.run_hash();
        let numbers = format!("{}.csv", Tables::main(&experiment.task));
        if !same_numbers || !there(&numbers) {
            return NextStep::Make;
        }
        // What cannot be compared is as good as altered.
        let altered = files::altered(home, &manifest).unwrap_or_else(|_| manifest.files.clone());
        if !altered.is_empty() {
            let figures = altered.iter().all(|file| manifest.is_figure(file));
            let name = &experiment.name;
            progress.say(&format!(
                "{name}: {} not as written; {}",
                match &altered[..] {
                    [one] => format!("{one} is"),
                    several => format!("{} are", several.join(", ")),
                },
                match figures {
                    true => "drawing anew",
                    false => "making anew",
                }
            ));
            if !figures {
                return NextStep::Make;
            }
        }
        let all_there = Format::files(formats, &experiment.figures)
            .all(|file| there(&file) && manifest.files.contains(&file));
        let same = manifest.figure_hash == experiment.source.figure_hash();
        if all_there && same && altered.is_empty() {
            return NextStep::Reuse;
        }
        let mut formats = formats.to_vec();
        for format in Format::ALL {
            let drawn = |file: &String| file.ends_with(&format!(".{}", format.ending()));
            if !formats.contains(&format) && altered.iter().any(drawn) {
                formats.push(format);
            }
        }
        let description = experiment.task.describe();
        let statements = {
            let evidence = manifest.evidence(&description, &tables);
            Statements::from(&experiment.texts, &experiment.figures, &evidence)
        };
        // New words may compare numbers whose difference was not looked at.
        if statements.needs_run.is_some() {
            return NextStep::Make;
        }
        let places = figure::looked_at(&description, &experiment.figures, &tables);
        let read = match description.study() {
            Some(study) => files::read_places(home, study, &places, &mut tables),
            None => Ok(()),
        };
        match read {
            Ok(()) => NextStep::Redraw(Box::new(SavedResult {
                manifest,
                tables,
                statements,
                formats,
            })),
            Err(_) => NextStep::Make,
        }
    }
}

/// Writes and draws.
fn perform(
    name: &str,
    job: Job,
    wanted: RequestedFiles,
    progress: &Progress,
) -> Result<RunStatus, Failure> {
    match job {
        Job::Write(computed) => {
            let FinishedResult { report, .. } = computed.write(wanted.formats, None, progress)?;
            for warning in &report.warnings {
                progress.say(&format!("warning: {name}: {warning}"));
            }
            Ok(RunStatus::Made)
        }
        Job::Redraw(experiment, home, saved) => {
            let SavedResult {
                mut manifest,
                tables,
                statements,
                formats,
            } = *saved;
            let figures = &statements.figures;
            let files: Vec<String> = Format::files(&formats, figures).collect();
            let staging = Staging::open(home, &files, wanted.overwrite);
            let mut staging = staging.map_err(Failure::failed)?;
            let description = experiment.task.describe();
            let shown = FigureSet {
                title: statements.heading(&experiment.name),
                description: &description,
                figures,
            };
            draw_all(shown, &tables, &formats, &mut staging)?;
            let before = manifest.clone();
            let source = &experiment.source;
            // What shows the same may stay, in other formats.
            let same = manifest.figure_hash == source.figure_hash();
            manifest.experiment = source.file_text().to_owned();
            manifest.set = source.sets();
            manifest.words = experiment.speaks().then(|| statements.words.clone());
            manifest.figure_hash = source.figure_hash();
            uninterrupted(|| match same {
                true => staging.beside(&before, manifest),
                false => staging.instead(&before, manifest),
            })
            .map_err(Failure::failed)?;
            Ok(RunStatus::Redrawn)
        }
    }
}

/// How it went; a failure is shown in full.
fn settle(name: &str, done: Result<RunStatus, Failure>, progress: &Progress) -> RunStatus {
    match done {
        Ok(ending) => ending,
        Err(_) if interrupted() => RunStatus::Stopped,
        Err(Failure::Wrong(report) | Failure::Failed(report) | Failure::Stopped(report)) => {
            progress.say(format!("{name} failed:\n{report:?}").trim_end());
            RunStatus::Failed(report.to_string())
        }
        Err(Failure::Unread) => RunStatus::Failed("nobody reads the output".to_owned()),
    }
}

/// A line for an experiment that is done with.
fn tell(name: &str, ending: &RunStatus, progress: &Progress) {
    progress.note(&format!("{} {name}", word(ending)));
}

fn word(ending: &RunStatus) -> &'static str {
    match ending {
        RunStatus::Made => "made",
        RunStatus::Redrawn => "redrawn",
        RunStatus::Reused => "reused",
        RunStatus::Failed(_) => "failed",
        RunStatus::Stopped => "stopped",
    }
}

/// What became of every experiment.
fn summary(entries: &[RunEntry], page: Option<&Path>, seconds: f64) -> String {
    let mut text = String::new();
    let width = entries.iter().map(|entry| entry.name.chars().count()).max();
    let width = width.unwrap_or(0);
    for entry in entries {
        let (word, name) = (word(&entry.ending), &entry.name);
        let rest = match &entry.ending {
            RunStatus::Failed(reason) => reason.clone(),
            RunStatus::Stopped => String::new(),
            _ => format!("→ {}/", entry.home.display()),
        };
        text.push_str(&message(
            format!("{word:<8} {name:<width$}  {rest}").trim_end(),
        ));
        text.push('\n');
    }
    let counts = ["made", "redrawn", "reused", "failed", "stopped"].map(|kind| {
        let count = entries.iter().filter(|e| word(&e.ending) == kind).count();
        (kind, count)
    });
    let counts = counts.iter().filter(|(_, count)| *count > 0);
    let counts: Vec<String> = counts.map(|(kind, n)| format!("{n} {kind}")).collect();
    let noun = match entries.len() {
        1 => "experiment",
        _ => "experiments",
    };
    text.push_str(&format!(
        "{} {noun} in {seconds:.1} s: {}\n",
        entries.len(),
        counts.join(", ")
    ));
    if let Some(page) = page {
        text.push_str(&format!("→ {}\n", page.display()));
    }
    text
}
