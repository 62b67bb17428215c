//! `bvlab draw`: figures from saved tables.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::load::read_text;
use super::options::Output;
use super::progress::uninterrupted;
use super::{Failure, Format, run};
use crate::experiment::{Experiment, Files, Source};
use crate::figure;
use crate::outcome::{self, Staging, report};

/// Redraw the figures of finished results, without computing anything anew.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Draw {
    /// Folders of results, such as results/tree-tradeoff
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,

    /// Set a key of a figure: --set figure.0.tradeoff.y-scale=log
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// Take the figures (and titles) from this file, an edited copy of the experiment
    #[arg(long, value_name = "FILE")]
    figures: Option<PathBuf>,

    #[command(flatten)]
    output: Output,
}

const EXAMPLES: &str = "\
Examples:
  bvlab draw results/tree-tradeoff --format svg
  bvlab draw results/* --set figure.0.title='Trees'
  bvlab draw results/mine --figures mine.toml      after editing [[figure]] in mine.toml";

impl Draw {
    /// Redraws every folder.
    pub fn execute(&self) -> Result<(), Failure> {
        let allowed = |set: &&String| {
            let free = ["figure", "title", "look"];
            !free.iter().any(|key| set.trim_start().starts_with(key))
        };
        if let Some(set) = self.set.iter().find(allowed) {
            return Err(Failure::wrong(miette::miette!(
                help = "to change anything else, run the experiment again: bvlab run --set …",
                "`--set {set}`: drawing can only change `title`, `look` and `figure` keys"
            )));
        }
        self.folders.iter().try_for_each(|home| self.draw(home))
    }

    fn draw(&self, home: &Path) -> Result<(), Failure> {
        let below = Path::new("results").join(home);
        if !home.exists() && below.is_dir() {
            return Err(Failure::wrong(miette::miette!(
                help = format!("did you mean {}?", below.display()),
                "there is no folder {}",
                home.display()
            )));
        }
        let (mut manifest, mut tables) = outcome::read(home).map_err(Failure::wrong)?;
        for file in outcome::altered(home, &manifest).map_err(Failure::failed)? {
            if !manifest.is_figure(&file) {
                let home = home.display();
                writeln!(
                    io::stderr(),
                    "warning: {home}: {file} was altered after the run"
                )?;
            }
        }
        let read = |source: Source| {
            let source = source.with_files(Files::Kept(home.to_owned()));
            Experiment::read(&manifest.name, source).map_err(|error| Failure::wrong(*error))
        };
        let experiment = match &self.figures {
            None => read(manifest.source(&self.set))?,
            Some(file) => {
                let text = read_text(file).map_err(|unread| {
                    let reason = unread.reason;
                    let help = unread
                        .help
                        .unwrap_or("--figures names an edited copy of the experiment");
                    let file = file.display();
                    Failure::wrong(miette::miette!(help = help, "cannot read {file}: {reason}"))
                })?;
                let sets: Vec<String> = manifest.set.iter().chain(&self.set).cloned().collect();
                read(Source::new(&file.display().to_string(), &text, &sets))?
            }
        };
        if !manifest.source(&[]).same_run(&experiment.source) {
            return Err(Failure::wrong(miette::miette!(
                help = "only [[figure]] and the texts may differ; run the experiment again",
                "{} was made by an experiment with another problem, sweep, learner, simulation or run",
                home.display()
            )));
        }
        if experiment.figures.is_empty() {
            return Err(Failure::wrong(miette::miette!(
                help = "add for example `[[figure]]` with `tradeoff = {{}}`, and draw with --figures FILE",
                "the experiment of {} has no figure",
                home.display()
            )));
        }
        let places = figure::looked_at(&experiment, &experiment.figures, &tables);
        outcome::read_places(home, &experiment, &places, &mut tables).map_err(Failure::failed)?;
        let formats = &self.output.format;
        let files: Vec<String> = Format::files(formats, &experiment.figures).collect();
        let staging = Staging::open(home, &files, self.output.overwrite);
        let mut staging = staging.map_err(Failure::failed)?;
        run::draw_all(
            &experiment,
            &experiment.figures,
            &tables,
            formats,
            &mut staging,
        )?;
        let before = manifest.clone();
        if manifest.figure_hash != experiment.source.figure_hash() {
            // Now some may show one thing and some another.
            manifest.figure_hash = None;
        }
        let files = uninterrupted(|| staging.beside(&before, manifest)).map_err(Failure::failed)?;
        if !self.output.quiet {
            io::stdout().write_all(report::files(home, &files).as_bytes())?;
        }
        Ok(())
    }
}
