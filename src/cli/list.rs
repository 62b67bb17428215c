//! `bvlab list`: what ships with the program.

use std::io::{self, Write};

use clap::Args;

use super::Failure;
use crate::experiment::{Bounds, Course, Experiment, Source, shipped};
use crate::learner::{LabelKind, Registry};
use crate::parameter::Parameter;
use crate::simulation::SIMULATIONS;
use bvlab_core::words::did_you_mean;

/// List the experiments and courses that ship with bvlab; or its learners, or its simulations, with their parameters.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  bvlab list\n  bvlab list --learners\n  bvlab list --simulations\n  bvlab list --show tree-tradeoff > mine.toml"
)]
pub struct ListCommand {
    /// List the learners and the parameters that can be set and swept
    #[arg(long, conflicts_with = "show")]
    learners: bool,

    /// List the simulations and their parameters
    #[arg(long, conflicts_with_all = ["show", "learners"])]
    simulations: bool,

    /// Print the text of an experiment
    #[arg(long, value_name = "NAME")]
    show: Option<String>,
}

impl ListCommand {
    /// Prints the list.
    pub fn execute(&self, registry: &Registry) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        if let Some(name) = &self.show {
            let Some(text) = shipped::text(name) else {
                let names = shipped::names();
                let names = names.iter().map(String::as_str);
                return Err(Failure::wrong(miette::miette!(
                    help = did_you_mean(name, names),
                    "no experiment that ships with bvlab is called `{name}`"
                )));
            };
            out.write_all(text.as_bytes())?;
        } else if self.learners {
            learners(&mut out, registry)?;
        } else if self.simulations {
            simulations(&mut out)?;
        } else {
            experiments(&mut out, registry)?;
        }
        Ok(())
    }
}

/// The experiments in the order of the course, then the other courses.
fn experiments(out: &mut impl Write, registry: &Registry) -> io::Result<()> {
    let mut names = shipped::names();
    let width = names.iter().map(String::len).max().unwrap_or(0);
    let line = |out: &mut dyn Write, name: &str| {
        let source = Source::shipped(name, &[]);
        let experiment =
            source.map(|source| Experiment::read_with(name, source, registry, &Bounds::default()));
        let experiment = experiment.and_then(Result::ok);
        let title = experiment.and_then(|experiment| experiment.words.title);
        writeln!(out, "{name:<width$}  {}", title.unwrap_or_default())
    };
    let courses = Course::all_shipped();
    for (i, unit) in courses
        .iter()
        .take(1)
        .flat_map(|course| course.units.iter().enumerate())
    {
        let about = unit.about.as_deref().unwrap_or_default();
        let gap = if i == 0 { "" } else { "\n" };
        writeln!(out, "{gap}# {}. {}: {about}", i + 1, unit.title)?;
        for lesson in &unit.lessons {
            line(out, &lesson.name)?;
            names.retain(|name| *name != lesson.name);
        }
    }
    for name in names {
        line(out, &name)?;
    }
    writeln!(
        out,
        "\n# Courses, for `bvlab lab --course` and `bvlab site --course`:"
    )?;
    for course in &courses {
        let minutes = course.minutes();
        let count = course.lessons().count();
        let title = &course.title;
        writeln!(
            out,
            "{:<width$}  {title} ({count} lessons, {minutes} minutes)",
            course.name
        )?;
    }
    Ok(())
}

fn simulations(out: &mut impl Write) -> io::Result<()> {
    for simulation in SIMULATIONS {
        writeln!(out, "{}: {}", simulation.name, simulation.meaning)?;
        parameters(out, simulation.parameters)?;
    }
    Ok(())
}

fn parameters(out: &mut impl Write, parameters: &[Parameter]) -> io::Result<()> {
    for parameter in parameters {
        let Parameter { name, meaning, .. } = parameter;
        writeln!(out, "  {name:<10} {meaning} ({})", parameter.range())?;
    }
    Ok(())
}

fn learners(out: &mut impl Write, registry: &Registry) -> io::Result<()> {
    for family in registry.families() {
        let labels = match family.labels {
            LabelKind::Numbers => "",
            LabelKind::Classes => " [classes]",
            LabelKind::Both => " [numbers and classes]",
            LabelKind::Density => " [densities]",
        };
        writeln!(out, "{}: {}{labels}", family.name, family.meaning)?;
        parameters(out, family.parameters)?;
        for choice in family.choices {
            let options = choice.options.join(" or ");
            let only = match choice.classes_only {
                true => "; for classes",
                false => "",
            };
            let (name, meaning) = (choice.name, choice.meaning);
            writeln!(out, "  {name:<10} {meaning} ({options}{only})")?;
        }
        if family.has_base {
            let example = "as in base = { tree = {} }";
            writeln!(out, "  {:<10} the learner it is made of, {example}", "base")?;
        }
    }
    Ok(())
}
