//! The command line: one file per command. A program of one's own has all of it by [`run_with`].

mod apart;
mod catalogue;
mod check;
mod course;
mod draw;
mod figures;
mod lab;
mod list;
mod load;
mod merge;
mod new;
mod options;
mod page;
mod progress;
#[cfg(test)]
mod reference;
mod run;
mod schema;
mod shards;
mod site;
mod submit;
mod terminal;
mod value;
mod verify;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::learner::Registry;
use crate::make::{Format, MakeError};

/// A laboratory for bias and variance.
///
/// An experiment is a short TOML file: a problem, some learners, and the parameter to sweep.
/// bvlab draws many training sets, fits every learner to each, and splits the error into noise,
/// bias² and variance, with error bars.
#[derive(Debug, Parser)]
#[command(version, after_help = EXAMPLES, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  bvlab list                           the experiments that ship with bvlab
  bvlab run tree-tradeoff              run one of them: tables and figure in results/
  bvlab run tree-tradeoff --set problem.train=1000
  bvlab figures --page                 all of them, and a page that shows them
  bvlab lab                            the live page: drag the capacity, see the error split
  bvlab site public                    the live page for any static host
  bvlab new mine && bvlab run mine.toml

Exit codes:
  0 success; 1 failure; 2 wrong usage or an invalid file; 130 stopped by Ctrl-C";

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::RunCommand),
    Figures(figures::FiguresCommand),
    Draw(draw::DrawCommand),
    Lab(lab::LabCommand),
    Site(site::SiteCommand),
    Merge(merge::MergeCommand),
    Submit(submit::SubmitCommand),
    Verify(verify::VerifyCommand),
    Value(value::ValueCommand),
    Check(check::CheckCommand),
    List(list::ListCommand),
    New(new::NewCommand),
    Schema(schema::SchemaCommand),
    #[command(name = apart::ReadParquet::NAME, hide = true)]
    ReadParquet(apart::ReadParquet),
}

/// Why a command did not succeed.
#[derive(Debug)]
enum Failure {
    /// The user asked for something that cannot be: exit code 2.
    Wrong(miette::Report),
    /// Something went wrong on the way: exit code 1.
    Failed(miette::Report),
    /// Ctrl-C was pressed: exit code 130, as shells have it.
    Stopped(miette::Report),
    /// Nobody reads the output any more, which is no failure.
    Unread,
}

impl Failure {
    fn wrong(error: impl Into<miette::Report>) -> Self {
        Failure::Wrong(error.into())
    }

    fn failed(error: impl Into<miette::Report>) -> Self {
        Failure::Failed(error.into())
    }
}

impl From<MakeError> for Failure {
    fn from(error: MakeError) -> Self {
        match error.is_stopped() {
            true => Failure::Stopped(error.into()),
            false => Failure::Failed(error.into()),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Unread,
            _ => Failure::failed(miette::miette!("cannot write the output: {error}")),
        }
    }
}

/// Runs the command that the arguments name.
pub fn main() -> ExitCode {
    run_with(&crate::registry())
}

/// The same with model families of one's own: the whole command line, in a program of a few lines.
///
/// ```no_run
/// use bvlab::learner::{Family, Knn, Registry};
/// use bvlab::parameter::{Most, Parameter};
///
/// const NEAREST: Family = Family::new("nearest", "the mean label of the nearest points", |blueprint| {
///     let ks = blueprint.settings().map(|setting| setting.whole("k"));
///     Box::new(Knn::new(ks.collect()))
/// })
/// .parameters(&[Parameter::whole("k", "number of neighbours").least(1.0).most(Most::Train)]);
///
/// fn main() -> std::process::ExitCode {
///     let registry = Registry::standard().with(NEAREST).expect("the name is free");
///     bvlab::cli::run_with(&registry)
/// }
/// ```
pub fn run_with(registry: &Registry) -> ExitCode {
    let arguments = Arguments::parse();
    apart::ReadParquet::prepare();
    terminal::prepare();
    let done = match arguments.command {
        Command::Run(run) => run.execute(registry),
        Command::Figures(figures) => figures.execute(registry),
        Command::Draw(draw) => draw.execute(registry),
        Command::Lab(lab) => lab.execute(registry),
        Command::Site(site) => site.execute(),
        Command::Merge(merge) => merge.execute(registry),
        Command::Submit(submit) => submit.execute(registry),
        Command::Verify(verify) => verify.execute(),
        Command::Value(value) => value.execute(),
        Command::Check(check) => check.execute(registry),
        Command::List(list) => list.execute(registry),
        Command::New(new) => new.execute(),
        Command::Schema(schema) => schema.execute(registry),
        Command::ReadParquet(read) => read.execute(),
    };
    let (report, code) = match done {
        Ok(()) | Err(Failure::Unread) => return ExitCode::SUCCESS,
        Err(Failure::Failed(report)) => (report, 1),
        Err(Failure::Wrong(report)) => (report, 2),
        Err(Failure::Stopped(report)) => (report, 130),
    };
    let _ = writeln!(io::stderr(), "{report:?}");
    ExitCode::from(code)
}
