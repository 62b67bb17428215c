//! bvlab: a laboratory for bias and variance.
//!
//! Data go one way:
//!
//! ```text
//! experiment (TOML, checked)
//!     -> engine: for every resample   problem -> learner -> decompose
//!     -> outcome (tables and a manifest)
//!     -> figure (PNG, SVG, PDF)   or   lab (the live page)
//! ```
//!
//! - [`experiment`]: what the user asked for, read and checked once.
//! - [`problem`]: where data come from: truth, inputs and noise.
//! - [`learner`]: model families behind one trait, each giving its whole capacity path.
//! - [`decompose`]: from predictions to noise, bias² and variance with error bars.
//! - [`engine`]: resamples × threads, with the same answer on any number of them.
//! - [`simulation`]: small experiments without a learner or a problem of the usual kind.
//! - [`outcome`]: results as tables and a manifest.
//! - [`interrupt`]: how long work asks whether to go on.
//! - [`maths`]: functions and draws with the same bits on every platform.
//! - [`figure`]: tables -> pictures.
//! - [`lab`]: the live page and its server.
//!
//! Nothing downstream is imported upstream: a learner knows nothing of TOML, of files or of plots.
//!
//! ```
//! use bvlab::engine::{self, Unwatched};
//! use bvlab::experiment::{Experiment, Source};
//!
//! let text = r#"
//!     problem = { truth = "sin(x)", inputs = { uniform = [0, 15] }, noise = { normal = 0.5 }, train = 50 }
//!     sweep   = { k = "1..20" }
//!     learner = [{ knn = {} }]
//!     run     = { resamples = 100 }
//! "#;
//! let experiment = Experiment::read("example", Source::new("example.toml", text, &[]))?;
//! let results = engine::run(&experiment, 1, &Unwatched)?;
//! for parts in &results.learners[0].decomposition.parts {
//!     // noise + bias² + variance is the error measured on fresh labels, but for chance.
//!     assert!((parts.test.value - parts.risk.value).abs() < 5.0 * parts.gap.se);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// Tests compare with the standard library's functions; see `clippy.toml`.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

#[doc(hidden)]
pub mod cli;
pub mod decompose;
pub mod engine;
pub mod experiment;
pub mod figure;
pub mod interrupt;
pub mod lab;
mod lanes;
pub mod learner;
pub mod maths;
pub mod outcome;
mod parquet;
pub mod problem;
pub mod shipped;
pub mod simulation;
pub mod stream;
mod words;
