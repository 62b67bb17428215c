//! `bvlab list`: what ships with the program.

use std::io::{self, Write};

use clap::Args;

use super::Failure;
use crate::experiment::{Experiment, Source, shipped};
use crate::learner::{FAMILIES, Most, Task};
use crate::simulation::SIMULATIONS;
use bvlab_core::words::{did_you_mean, number};

/// List the experiments that ship with bvlab, or its learners or simulations and their numbers.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  bvlab list\n  bvlab list --learners\n  bvlab list --simulations\n  bvlab list --show tree-tradeoff > mine.toml"
)]
pub struct List {
    /// List the learners and the numbers that can be set and swept
    #[arg(long, conflicts_with = "show")]
    learners: bool,

    /// List the simulations and their numbers
    #[arg(long, conflicts_with_all = ["show", "learners"])]
    simulations: bool,

    /// Print the text of an experiment
    #[arg(long, value_name = "NAME")]
    show: Option<String>,
}

impl List {
    /// Prints the list.
    pub fn execute(&self) -> Result<(), Failure> {
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
            learners(&mut out)?;
        } else if self.simulations {
            simulations(&mut out)?;
        } else {
            let names = shipped::names();
            let width = names.iter().map(String::len).max().unwrap_or(0);
            for name in names {
                let source = Source::shipped(&name, &[]);
                let experiment = source.map(|source| Experiment::read(&name, source));
                let experiment = experiment.and_then(Result::ok);
                let title = experiment.and_then(|experiment| experiment.words.title);
                writeln!(out, "{name:<width$}  {}", title.unwrap_or_default())?;
            }
        }
        Ok(())
    }
}

fn simulations(out: &mut impl Write) -> io::Result<()> {
    for simulation in SIMULATIONS {
        writeln!(out, "{}: {}", simulation.name, simulation.about)?;
        for rule in simulation.numbers {
            writeln!(out, "  {:<10} {} ({})", rule.name, rule.about, rule.range())?;
        }
    }
    Ok(())
}

fn learners(out: &mut impl Write) -> io::Result<()> {
    for family in FAMILIES {
        let task = match family.task {
            Task::Numbers => "",
            Task::Classes => " [classes]",
            Task::Both => " [numbers and classes]",
        };
        writeln!(out, "{}: {}{task}", family.name, family.about)?;
        for rule in family.numbers {
            let most = match rule.most {
                Most::Value(most) if most < f64::MAX => format!("to {}", number(most)),
                Most::Value(_) => "up".to_owned(),
                Most::Dimension => "to the number of inputs".to_owned(),
                Most::Train => "to the number of training points".to_owned(),
                Most::BelowTrain(most) => {
                    format!(
                        "to one less than the training points, at most {}",
                        number(most)
                    )
                }
            };
            let default = match rule.default {
                None => "must be given or swept".to_owned(),
                Some(value) if value.is_infinite() => "default: no limit".to_owned(),
                Some(value) => format!("default {}", number(value)),
            };
            let from = if rule.above { "above" } else { "from" };
            let kind = if rule.whole { "whole, " } else { "" };
            writeln!(
                out,
                "  {:<10} {} ({kind}{from} {} {most}; {default})",
                rule.name,
                rule.about,
                number(rule.least)
            )?;
        }
        for choice in family.choices {
            let options = choice.options.join(" or ");
            let only = if choice.classes_only {
                "; for classes"
            } else {
                ""
            };
            writeln!(
                out,
                "  {:<10} {} ({options}{only})",
                choice.name, choice.about
            )?;
        }
        if family.has_base {
            writeln!(
                out,
                "  {:<10} the learner it is made of, as in base = {{ tree = {{}} }}",
                "base"
            )?;
        }
    }
    Ok(())
}
