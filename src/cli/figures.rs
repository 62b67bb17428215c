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
use crate::make::{Computed, Finished, Format, Shown, Teller, VERSION, Wanted, compute, draw_all};
use crate::outcome::Tables;
use crate::outcome::files::{self, Manifest, Staging};
use bvlab_core::words::message;

/// Make the figures of all experiments, or of those that are named.
///
/// The experiments are those that ship with bvlab and those in the folder experiments/, which
/// replace shipped ones of the same name. What is missing or altered or was made by another
/// experiment or version is run; where only a figure or a text has changed it is drawn anew from
/// saved tables; the rest is left as it is. An experiment that fails does not stop the others.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Figures {
    /// Names of experiments, patterns such as 'descent-*', or files (default: all)
    #[arg(value_name = "NAME")]
    names: Vec<String>,

    /// The folder of your own experiments (default: experiments, if there is one)
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,

    /// Make everything anew
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
  bvlab figures                             all experiments: what is missing or stale is made
  bvlab figures 'descent-*' tree-tradeoff   some of them
  bvlab figures --page                      and results/index.html, a page to hand out
  bvlab figures mine.toml --format png,svg --out slides
  bvlab figures --resamples 100 --out draft --page";

/// How it went with an experiment.
#[derive(Debug)]
pub enum Ending {
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
pub struct Entry {
    /// Its name.
    pub name: String,
    /// The experiment, if it could be read.
    pub experiment: Option<Experiment>,
    /// The folder of its results.
    pub home: PathBuf,
    /// How it went.
    pub ending: Ending,
}

/// What is to be done for an experiment.
enum Plan {
    Make,
    Redraw(Box<Saved>),
    Reuse,
}

/// A saved result whose figures are to be drawn.
struct Saved {
    manifest: Manifest,
    tables: Tables,
    /// Those that are asked for, and those of figures that were altered.
    formats: Vec<Format>,
}

/// What is done beside the engine.
enum Job<'a> {
    Write(Box<Computed<'a>>),
    Redraw(&'a Experiment, &'a Path, Box<Saved>),
}

impl Figures {
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
                Ok(experiment) => (Some(experiment), Ending::Stopped),
                Err(Failure::Wrong(report)) => {
                    let reason = report.to_string();
                    unread.push(report);
                    (None, Ending::Failed(reason))
                }
                Err(other) => return Err(other),
            };
            let home = self.work.out.join(&name);
            entries.push(Entry {
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
            |which: fn(&Ending) -> bool| entries.iter().filter(|e| which(&e.ending)).count();
        let stopped = count(|ending| matches!(ending, Ending::Stopped));
        let failed = count(|ending| matches!(ending, Ending::Failed(_)));
        if stopped > 0 {
            return Err(Failure::Stopped(miette::miette!(
                help = "the same command goes on from here",
                "stopped; {stopped} of {} experiments are not made",
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
        entries: &[Entry],
        formats: &[Format],
        progress: &Progress,
    ) -> Vec<Option<Ending>> {
        let mut endings: Vec<Option<Ending>> = entries.iter().map(|_| None).collect();
        let wanted = Wanted {
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
                done.collect::<Vec<(usize, Ending)>>()
            });
            for (at, entry) in entries.iter().enumerate() {
                if interrupted() {
                    break;
                }
                let Some(experiment) = &entry.experiment else {
                    continue;
                };
                let job = match self.plan(experiment, &entry.home, formats, progress) {
                    Plan::Reuse => {
                        tell(&entry.name, &Ending::Reused, progress);
                        endings[at] = Some(Ending::Reused);
                        continue;
                    }
                    Plan::Redraw(saved) => Job::Redraw(experiment, &entry.home, saved),
                    Plan::Make => {
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
    ) -> Plan {
        if self.force {
            return Plan::Make;
        }
        // Whatever cannot be read is as good as missing.
        let Ok((manifest, mut tables)) = files::read(home) else {
            return Plan::Make;
        };
        let there = |file: &str| fs::metadata(home.join(file)).is_ok_and(|meta| meta.len() > 0);
        let same_numbers = manifest.bvlab == VERSION
            && manifest.run_hash.is_some()
            && manifest.run_hash == experiment.source.run_hash();
        let numbers = format!("{}.csv", Tables::main(&experiment.task));
        if !same_numbers || !there(&numbers) {
            return Plan::Make;
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
                return Plan::Make;
            }
        }
        let all_there = Format::files(formats, &experiment.figures)
            .all(|file| there(&file) && manifest.files.contains(&file));
        let same = manifest.figure_hash == experiment.source.figure_hash();
        if all_there && same && altered.is_empty() {
            return Plan::Reuse;
        }
        let mut formats = formats.to_vec();
        for format in Format::ALL {
            let drawn = |file: &String| file.ends_with(&format!(".{}", format.ending()));
            if !formats.contains(&format) && altered.iter().any(drawn) {
                formats.push(format);
            }
        }
        let description = experiment.task.describe();
        let places = figure::looked_at(&description, &experiment.figures, &tables);
        let read = match description.study() {
            Some(study) => files::read_places(home, study, &places, &mut tables),
            None => Ok(()),
        };
        match read {
            Ok(()) => Plan::Redraw(Box::new(Saved {
                manifest,
                tables,
                formats,
            })),
            Err(_) => Plan::Make,
        }
    }
}

/// Writes and draws.
fn perform(name: &str, job: Job, wanted: Wanted, progress: &Progress) -> Result<Ending, Failure> {
    match job {
        Job::Write(computed) => {
            let Finished { report, .. } = computed.write(wanted.formats, None, progress)?;
            for warning in &report.warnings {
                progress.say(&format!("warning: {name}: {warning}"));
            }
            Ok(Ending::Made)
        }
        Job::Redraw(experiment, home, saved) => {
            let Saved {
                mut manifest,
                tables,
                formats,
            } = *saved;
            let figures = &experiment.figures;
            let files: Vec<String> = Format::files(&formats, figures).collect();
            let staging = Staging::open(home, &files, wanted.overwrite);
            let mut staging = staging.map_err(Failure::failed)?;
            let description = experiment.task.describe();
            let shown = Shown {
                title: experiment.heading(),
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
            manifest.figure_hash = source.figure_hash();
            uninterrupted(|| match same {
                true => staging.beside(&before, manifest),
                false => staging.instead(&before, manifest),
            })
            .map_err(Failure::failed)?;
            Ok(Ending::Redrawn)
        }
    }
}

/// How it went; a failure is shown in full.
fn settle(name: &str, done: Result<Ending, Failure>, progress: &Progress) -> Ending {
    match done {
        Ok(ending) => ending,
        Err(_) if interrupted() => Ending::Stopped,
        Err(Failure::Wrong(report) | Failure::Failed(report) | Failure::Stopped(report)) => {
            progress.say(format!("{name} failed:\n{report:?}").trim_end());
            Ending::Failed(report.to_string())
        }
        Err(Failure::Unread) => Ending::Failed("nobody reads the output".to_owned()),
    }
}

/// A line for an experiment that is done with.
fn tell(name: &str, ending: &Ending, progress: &Progress) {
    progress.note(&format!("{} {name}", word(ending)));
}

fn word(ending: &Ending) -> &'static str {
    match ending {
        Ending::Made => "made",
        Ending::Redrawn => "redrawn",
        Ending::Reused => "reused",
        Ending::Failed(_) => "failed",
        Ending::Stopped => "stopped",
    }
}

/// What became of every experiment.
fn summary(entries: &[Entry], page: Option<&Path>, seconds: f64) -> String {
    let mut text = String::new();
    let width = entries.iter().map(|entry| entry.name.chars().count()).max();
    let width = width.unwrap_or(0);
    for entry in entries {
        let (word, name) = (word(&entry.ending), &entry.name);
        let rest = match &entry.ending {
            Ending::Failed(reason) => reason.clone(),
            Ending::Stopped => String::new(),
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
