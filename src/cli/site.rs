//! `bvlab site`: the live page as a folder for any static host.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;

use super::Failure;
use super::catalogue::Catalogue;
use super::course::LoadedCourse;
use super::load::Changes;
use super::options::Threads;
use super::page::{escape, thumbnail};
use super::progress::{Progress, watch_interrupts};
use crate::engine::Options;
use crate::experiment::{Course, Experiment};
use crate::lab::{Lessons, Recorder, site};
use crate::learner::Registry;
use crate::make::MakeError;
use crate::outcome::files::write_whole;
use crate::outcome::{Statements, Tables};

const TEMPLATE: &str = include_str!("site.html");

/// The file that only a site of bvlab's holds.
const MARK: &str = "bvlab.wasm.gz";

/// The lesson that the lab of a site begins with.
const FIRST: &str = "tree-tradeoff";

/// Write the live page as a folder for any static host: lab, lessons, figures, TOML.
///
/// The pages compute in the reader's browser, with the same numbers as `bvlab run`. Any web
/// server can serve them from any folder, for example `python3 -m http.server`. Each lesson is run
/// once, for the picture that its page shows first.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct SiteCommand {
    /// The folder to write to: new, empty, or a site that bvlab wrote
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// A folder of your own experiments, which come first and replace shipped ones of the same name
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,

    /// Only these experiments: names, or patterns such as 'descent-*' (default: all)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,

    /// Only the lessons of a course, in its order: a file, or the name of one that ships with bvlab
    #[arg(long, value_name = "FILE", conflicts_with = "only")]
    course: Option<String>,

    #[command(flatten)]
    changes: Changes,

    #[command(flatten)]
    threads: Threads,

    /// Write into a folder that contains other files; those of the same names are replaced
    #[arg(long)]
    overwrite: bool,

    /// Print only errors
    #[arg(long, short)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  bvlab site public                           all lessons
  bvlab site public --from experiments        with your own
  bvlab site public --only 'tree-*'           some of them
  bvlab site public --course sixty-minutes    the lessons of a course
  bvlab site public --course my-course.toml   those of your own course
  cd public && python3 -m http.server         look at it";

/// A lesson of the site, as the gallery shows it.
struct LessonCard {
    name: String,
    title: String,
    look_for: Option<String>,
    pictured: bool,
}

impl SiteCommand {
    /// Runs every lesson and writes the folder.
    pub fn execute(&self) -> Result<(), Failure> {
        if !site::can_compute() {
            return Err(Failure::failed(miette::miette!(
                help = "build it with crates/bvlab-wasm/build.sh, then rebuild bvlab",
                "this bvlab was built without the module that computes in browsers"
            )));
        }
        self.check_folder()?;
        // The module that computes in browsers has the learners that ship with bvlab.
        let registry = Registry::standard();
        let (experiments, courses) = self.experiments(&registry)?;
        watch_interrupts();
        let progress = Progress::new(self.quiet);
        let mut cards = Vec::new();
        for experiment in &experiments {
            progress.begin(&experiment.name, experiment.task.most_resamples());
            let card = self.lesson(experiment, &progress);
            progress.finish();
            cards.push(card?);
        }
        let lessons = Lessons::of(&experiments, courses.clone());
        let open = cards.iter().find(|card| card.name == FIRST);
        let open = open.or(cards.first()).map_or("", |card| &card.name);
        for (name, bytes) in site::shared_files() {
            self.write(&name, &bytes)?;
        }
        self.write(
            "lab/index.html",
            site::page("../", "The lab", false).as_bytes(),
        )?;
        let page = gallery(&cards, courses.first());
        self.write("index.html", page.as_bytes())?;
        self.write("lab.json", site::lab(&lessons, open).as_bytes())?;
        if !self.quiet {
            let folder = self.folder.display();
            writeln!(
                io::stdout(),
                "→ {folder}/index.html: {} lessons",
                cards.len()
            )?;
        }
        Ok(())
    }

    /// The experiments of the site, and the courses that they are shown in.
    fn experiments(&self, registry: &Registry) -> Result<(Vec<Experiment>, Vec<Course>), Failure> {
        let catalogue = Catalogue::new(self.from.as_deref())?;
        let Some(file) = &self.course else {
            let chosen = catalogue.choose(&self.only)?.into_iter();
            let read = chosen.map(|(name, place)| place.load(&name, &self.changes, registry));
            return Ok((read.collect::<Result<_, _>>()?, Course::all_shipped()));
        };
        let loaded = LoadedCourse::load(file, &self.changes, registry)?;
        let mut experiments = Vec::new();
        for lesson in loaded.course.lessons() {
            let own = loaded.own.iter().find(|own| own.name == lesson.name);
            if let (Some(own), Some(_)) = (own, &lesson.file) {
                experiments.push(own.clone());
                continue;
            }
            for (name, place) in catalogue.choose(std::slice::from_ref(&lesson.name))? {
                experiments.push(place.load(&name, &self.changes, registry)?);
            }
        }
        Ok((experiments, vec![loaded.course]))
    }

    /// Refuses a folder with files of somebody else's.
    fn check_folder(&self) -> Result<(), Failure> {
        let others = fs::read_dir(&self.folder).is_ok_and(|mut files| files.next().is_some());
        if others && !self.folder.join(MARK).is_file() && !self.overwrite {
            return Err(Failure::wrong(miette::miette!(
                help = "choose a new folder, or write into this one with --overwrite",
                "{} contains files, but not a site that bvlab wrote",
                self.folder.display()
            )));
        }
        Ok(())
    }

    /// Runs a lesson and writes its page, record, TOML and figures.
    fn lesson(&self, experiment: &Experiment, progress: &Progress) -> Result<LessonCard, Failure> {
        let name = &experiment.name;
        let clock = Instant::now();
        let recorder = Recorder::new(experiment, progress);
        let options = Options::new(self.threads.count(), &recorder);
        let outcome = experiment.task.run(options);
        let home = self.folder.join("lessons").join(name);
        let outcome = outcome.map_err(|error| Failure::from(MakeError::of_run(error, &home)))?;
        let variants = experiment.variants.iter().map(|variant| {
            let options = Options::new(self.threads.count(), progress);
            let outcome = variant.experiment.task.run(options);
            outcome.map_err(|error| Failure::from(MakeError::of_run(error, &home)))
        });
        let variants = variants.collect::<Result<Vec<_>, _>>()?;
        let statements = Statements::of(experiment, &outcome, &variants);
        let tables = Tables::of(&experiment.task, &outcome);
        let seconds = clock.elapsed().as_secs_f64();
        let record = recorder.recording(experiment, (&outcome, &statements), &tables, seconds);
        let path = |file: &str| format!("lessons/{name}/{file}");
        let text = experiment.source.merged_text();
        let text = match experiment.source.sets().is_empty() {
            true => experiment.source.file_text().to_owned(),
            false => text.unwrap_or_default(),
        };
        self.write(&path(&format!("{name}.toml")), text.as_bytes())?;
        if let Some(table) = experiment.source.table() {
            // Beside the TOML, as that names it; never outside of the folder.
            let inside =
                |part: std::path::Component| matches!(part, std::path::Component::Normal(_));
            if Path::new(&table.name).components().all(inside) {
                self.write(&path(&table.name), &table.bytes)?;
            }
        }
        let description = experiment.task.describe();
        let heading = statements.heading(name);
        for (i, figure) in statements.figures.iter().enumerate() {
            let drawing = crate::figure::draw(heading, &description, figure, &tables)
                .map_err(|error| Failure::failed(miette::miette!("{name}: {error}")))?;
            let png = drawing
                .to_png()
                .map_err(|error| Failure::failed(miette::miette!("{name}: {error}")))?;
            if i == 0 {
                let small = thumbnail(&png);
                self.write(&path("thumbnail.png"), small.as_deref().unwrap_or(&png))?;
            }
            self.write(
                &path(&format!("{}.svg", figure.name)),
                drawing.to_svg().as_bytes(),
            )?;
        }
        self.write(&path("record.json"), record.to_string().as_bytes())?;
        let page = site::page("../../", heading, true);
        self.write(&path("index.html"), page.as_bytes())?;
        Ok(LessonCard {
            name: name.clone(),
            title: heading.to_owned(),
            look_for: statements.words.look_for.clone(),
            pictured: !experiment.figures.is_empty(),
        })
    }

    fn write(&self, file: &str, bytes: &[u8]) -> Result<(), Failure> {
        write_whole(&self.folder.join(file), bytes).map_err(Failure::failed)
    }
}

/// A lesson in the gallery.
fn card_html(card: &LessonCard) -> String {
    let (name, title) = (escape(&card.name), escape(&card.title));
    let about = card.look_for.as_deref().map(escape).unwrap_or_default();
    let picture = match card.pictured {
        true => format!("<img src=\"lessons/{name}/thumbnail.png\" alt=\"\" loading=\"lazy\">"),
        false => String::new(),
    };
    format!(
        "<li><a class=\"card\" href=\"lessons/{name}/\"><span class=\"thumbnail\">{picture}</span><b>{title}</b></a>\n<p>{about}</p>\n<p class=\"files\"><code>{name}</code> <a href=\"lessons/{name}/{name}.toml\" download>TOML</a></p></li>\n"
    )
}

/// A part of the gallery: a unit of the course, or lessons outside of it.
fn section(heading: &str, about: &str, cards: &[&LessonCard]) -> String {
    let cards: String = cards.iter().map(|card| card_html(card)).collect();
    let heading = escape(heading);
    let about = match about {
        "" => String::new(),
        about => format!("<p class=\"about\">{}</p>\n", escape(about)),
    };
    format!("<section>\n<h2>{heading}</h2>\n{about}<ul>\n{cards}</ul>\n</section>\n")
}

/// The page that shows all lessons: those of one's own, then by unit of the course.
fn gallery(cards: &[LessonCard], course: Option<&Course>) -> String {
    let (mut text, mut others) = (String::new(), Vec::new());
    let taught = |card: &LessonCard| course.is_some_and(|course| course.find(&card.name).is_some());
    others.extend(cards.iter().filter(|card| !taught(card)));
    if !others.is_empty() {
        text.push_str(&section("Other lessons", "", &others));
    }
    for (i, unit) in course
        .iter()
        .flat_map(|course| course.units.iter().enumerate())
    {
        let lessons = unit.lessons.iter();
        let found = lessons.filter_map(|one| cards.iter().find(|card| card.name == one.name));
        let found: Vec<&LessonCard> = found.collect();
        if found.is_empty() {
            continue;
        }
        let minutes = unit.minutes.map(|minutes| format!("{minutes} minutes."));
        let about = [unit.about.clone(), minutes];
        let about: Vec<String> = about.into_iter().flatten().collect();
        let heading = format!("{}. {}", i + 1, unit.title);
        text.push_str(&section(&heading, &about.join(" "), &found));
    }
    let about = format!(
        "{} experiments that run in your browser, made with bvlab {}.",
        cards.len(),
        env!("CARGO_PKG_VERSION")
    );
    let title = course.map_or("Bias and variance: the lab", |course| &course.title);
    // Filled from the back, so that nothing filled in is searched for marks.
    let mut page = TEMPLATE.to_owned();
    for (mark, filling) in [
        ("{{lessons}}", text),
        ("{{about}}", escape(&about)),
        ("{{heading}}", escape(title)),
        ("{{title}}", escape(title)),
    ] {
        if let Some(at) = page.find(mark) {
            page.replace_range(at..at + mark.len(), &filling);
        }
    }
    page
}
