//! The live page: a server for a classroom, on the same engine and the same experiments.
//!
//! A page asks for a *scene*, that is an experiment and keys set on top of it, just as `bvlab run
//! --set` does, and hears of the run as it goes: training sets and fits, the estimates from the first
//! 4, 5, … 48, 96, 192, … training sets, exact forms, and an end. Everything it shows can therefore be
//! saved as an experiment, and everything an experiment says can be shown.
//!
//! - `scene`: what is asked for; `limits`: how much of it.
//! - `jobs`: runs for many clients, fairly; `messages`: what they say.
//! - `server`, `guard`, `patience`: the way in from the network; `identity`: who asks; `places`,
//!   `turns`, `priority`: how connections, reading, drawing and cores are shared.
//! - `assets`: the page itself, plain ES modules in `page/`; `record`: the page in one file, with a
//!   finished run in place of the server.

mod assets;
pub mod code;
mod guard;
mod identity;
mod jobs;
mod lessons;
mod limits;
mod messages;
mod patience;
mod places;
mod priority;
mod record;
mod scene;
mod sequence;
mod server;
mod turns;

pub use identity::{Door, DoorError};
pub use lessons::Lessons;
pub use record::Recorder;
pub use server::{Lab, serve};
