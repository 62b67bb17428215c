//! The live page: a laboratory for a classroom, on the same engine and the same experiments.
//!
//! A page asks for a *scene*, that is an experiment and keys set on top of it, just as `bvlab run
//! --set` does, and hears of the run as it goes: training sets and fits, the estimates from the first
//! 4, 5, … 48, 96, 192, … training sets, exact forms, and an end. Everything it shows can therefore be
//! saved as an experiment, and everything an experiment says can be shown.
//!
//! - [`Scene`]: what is asked for; [`Limits`]: how much of it.
//! - [`messages`]: what a run says; [`Sequence`]: its first frames; [`PartialTables`]: those of a
//!   simulation.
//! - `assets` (feature `page`, default): the page itself, plain ES modules in `page/`, with the look of
//!   the figures; `Recorder`: the page in one file, with a finished run.
//! - `server` (feature `server`, default): the way in from the network.

#[cfg(feature = "page")]
mod assets;
mod classes;
mod lessons;
mod limits;
#[cfg(feature = "page")]
mod look;
pub mod messages;
mod numbers;
mod partial;
mod plane;
#[cfg(feature = "page")]
mod record;
mod refit;
mod registry;
mod rows;
mod scene;
mod sequence;
#[cfg(feature = "server")]
pub mod server;
#[cfg(feature = "page")]
pub mod site;

pub use lessons::{LessonFiles, LessonTable, Lessons, welcome};
pub use limits::{Limits, memory};
pub use partial::PartialTables;
#[cfg(feature = "page")]
pub use record::Recorder;
pub use refit::HandMadeData;
pub use scene::{Refusal, Scene};
pub use sequence::{Sequence, steps};
