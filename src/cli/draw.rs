//! `bvlab draw`: figures from saved tables.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::load::read_text;
use super::options::Output;
use super::progress::uninterrupted;
use super::run::files_line;
use super::{Failure, Format};
use crate::experiment::{Bounds, Described, Experiment, ExperimentError, Presentation, Source};
use crate::figure;
use crate::learner::Registry;
use crate::make::{FigureSet, draw_all};
use crate::outcome::Statements;
use crate::outcome::files::{self, Manifest, Staging};
use crate::tables::FolderTables;

/// Redraw the figures of finished results without computing anything.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct DrawCommand {
    /// Folders of results, such as results/tree-tradeoff
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,

    /// Set a key of a figure, as in --set figure.0.tradeoff.y-scale=log
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

impl DrawCommand {
    /// Redraws every folder.
    pub fn execute(&self, registry: &Registry) -> Result<(), Failure> {
        let allowed = |set: &&String| {
            let free = ["figure", "title", "look"];
            !free.iter().any(|key| set.trim_start().starts_with(key))
        };
        if let Some(set) = self.set.iter().find(allowed) {
            return Err(Failure::wrong(miette::miette!(
                help = "to change anything else, run the experiment again: bvlab run --set …",
                "`--set {set}`: `bvlab draw` can only change `title`, `look` and `figure` keys"
            )));
        }
        self.folders
            .iter()
            .try_for_each(|home| self.draw(home, registry))
    }

    fn draw(&self, home: &Path, registry: &Registry) -> Result<(), Failure> {
        let below = Path::new("results").join(home);
        if !home.exists() && below.is_dir() {
            return Err(Failure::wrong(miette::miette!(
                help = format!("did you mean {}?", below.display()),
                "there is no folder {}",
                home.display()
            )));
        }
        let (mut manifest, mut tables) = files::read(home).map_err(Failure::wrong)?;
        warn_of_altered(home, &manifest)?;
        let source = self.source(home, &manifest)?;
        let wrong = |error: Box<ExperimentError>| Failure::wrong(*error);
        let description = match manifest.description.clone() {
            Some(description) => description,
            // Results of earlier versions do not describe themselves.
            None => {
                let source = source.clone().with_tables(FolderTables::kept(home));
                let experiment =
                    Experiment::read_with(&manifest.name, source, registry, &Bounds::default())
                        .map_err(wrong)?;
                experiment.task.describe()
            }
        };
        let variants = manifest.variants.iter();
        let variants: Vec<_> = variants
            .map(|note| (note.name.as_str(), &note.description))
            .collect();
        let described = Described {
            description: &description,
            variants: &variants,
            resamples: manifest.resamples,
            seed: manifest.seed,
        };
        let Presentation { texts, figures } =
            Presentation::read(&source, described).map_err(wrong)?;
        let statements = {
            let evidence = manifest.evidence(&description, &tables);
            Statements::from(&texts, &figures, &evidence)
        };
        if let Some(formula) = &statements.needs_run {
            return Err(Failure::wrong(miette::miette!(
                help = "run the experiment again with these words",
                "the error of `{formula}` does not follow from the tables of {}",
                home.display()
            )));
        }
        if figures.is_empty() {
            return Err(Failure::wrong(miette::miette!(
                help = "add for example `[[figure]]` with `tradeoff = {{}}`, and draw with --figures FILE",
                "the experiment of {} has no figure",
                home.display()
            )));
        }
        let places = figure::looked_at(&description, &figures, &tables);
        if let Some(study) = description.study() {
            files::read_places(home, study, &places, &mut tables).map_err(Failure::failed)?;
        }
        let formats = &self.output.format;
        let drawn: Vec<String> = Format::files(formats, &figures).collect();
        let staging = Staging::open(home, &drawn, self.output.overwrite);
        let mut staging = staging.map_err(Failure::failed)?;
        let shown = FigureSet {
            title: statements.heading(&manifest.name),
            description: &description,
            figures: &statements.figures,
        };
        draw_all(shown, &tables, formats, &mut staging)?;
        let before = manifest.clone();
        manifest.description = Some(description);
        if manifest.figure_hash != source.figure_hash() {
            // Now some may show one thing and some another.
            manifest.figure_hash = None;
        }
        let files = uninterrupted(|| staging.beside(&before, manifest)).map_err(Failure::failed)?;
        if !self.output.quiet {
            io::stdout().write_all(files_line(home, &files).as_bytes())?;
        }
        Ok(())
    }

    /// The experiment that made a result, with the keys or the file that were given; of the same run.
    fn source(&self, home: &Path, manifest: &Manifest) -> Result<Source, Failure> {
        let source = match &self.figures {
            None => manifest.source(&self.set),
            Some(file) => {
                let text = read_text(file).map_err(|unread| {
                    let reason = unread.reason;
                    let help = unread
                        .help
                        .unwrap_or("--figures takes an edited copy of the experiment");
                    let file = file.display();
                    Failure::wrong(miette::miette!(help = help, "cannot read {file}: {reason}"))
                })?;
                let sets: Vec<String> = manifest.set.iter().chain(&self.set).cloned().collect();
                Source::new(&file.display().to_string(), &text, &sets)
            }
        };
        // A text that is no TOML is told below, with its place.
        if source.merged().is_some() && !manifest.source(&[]).same_run(&source) {
            return Err(Failure::wrong(miette::miette!(
                help = "only [[figure]] and the texts may differ; run the experiment again",
                "{} was made by an experiment with another problem, sweep, learner, simulation or run",
                home.display()
            )));
        }
        Ok(source)
    }
}

/// Tables of a result that were altered after the run are drawn, but not in silence.
fn warn_of_altered(home: &Path, manifest: &Manifest) -> Result<(), Failure> {
    for file in files::altered(home, manifest).map_err(Failure::failed)? {
        if !manifest.is_figure(&file) {
            let home = home.display();
            writeln!(
                io::stderr(),
                "warning: {home}: {file} was altered after the run"
            )?;
        }
    }
    Ok(())
}
