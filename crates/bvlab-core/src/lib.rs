//! The arithmetic of [bvlab](https://docs.rs/bvlab), a laboratory for bias and variance.
//!
//! ```text
//! plan ─► engine: for every resample   problem ─► learner ─► decompose
//! ```
//!
//! - [`problem`]: where data come from: truth, inputs and noise, or the rows of a table.
//! - [`learner`]: model families behind one trait, each giving its whole capacity path.
//! - [`decompose`]: from predictions to noise, bias² and variance with error bars.
//! - [`selection`]: the risk estimated, and capacity chosen, from one training set alone.
//! - [`plan`]: what is to be run, checked once.
//! - [`engine`]: resamples × threads, with the same answer on any number of them.
//! - [`simulation`]: small experiments without a learner or a problem of the usual kind.
//! - [`task`]: a plan or a simulation, and how either is run.
//!
//! Below them: [`data`] (points and training sets), [`probability`], [`mixture_model`] (Gaussian mixtures by EM, and
//! k-means), [`maths`] (functions and draws
//! with the same bits on every platform), [`stream`] (random numbers by seed, purpose and resample),
//! [`interrupt`] (how long work asks whether to go on), [`parameter`] (names, meanings and ranges of
//! what can be set), [`words`] (numbers and names in messages).
//!
//! A module imports only modules that stand before it in this order: `words`, `parameter`, `interrupt`,
//! `lanes`, `stream`, `maths`, `data`, `probability`, `eigen`, `mixture_model`, `problem`, `learner`, `decompose`, `selection`,
//! `plan`, `row`, `engine`, `simulation`, `task`. Nothing here reads a file or a clock, or knows of TOML, figures or servers.
//!
//! # Features
//!
//! - `threads` (default): runs on several threads, by rayon; otherwise one resample after the other.
//! - `linfa` (default): neighbour search by linfa-nn, and models of linfa as learners.
//!
//! Neither changes a digit.
//!
//! ```
//! use bvlab_core::engine::{self, Unwatched};
//! use bvlab_core::learner::Knn;
//! use bvlab_core::plan::{SweepAxis, Plan};
//! use bvlab_core::problem::{Inputs, Noise, Problem};
//!
//! let problem = Problem::numbers("sin(x)", Inputs::uniform(0.0, 15.0), Noise::normal(0.5)?, 50)?;
//! let plan = Plan::builder(problem)
//!     .learner("knn", SweepAxis::new("k", &[1.0, 5.0, 20.0]), Knn::new(vec![1, 5, 20]))
//!     .resamples(100)
//!     .build()?;
//! let results = engine::run(&plan, 1, &Unwatched)?;
//! for parts in results.parts(0) {
//!     // noise + bias² + variance is the error measured on fresh labels, but for chance.
//!     assert!((parts.test.value - parts.risk.value).abs() < 5.0 * parts.gap.se);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// Tests compare with the standard library's functions; see `clippy.toml`.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod data;
pub mod decompose;
mod eigen;
pub mod engine;
pub mod interrupt;
mod lanes;
pub mod learner;
pub mod maths;
pub mod mixture_model;
pub mod parameter;
pub mod plan;
pub mod probability;
pub mod problem;
mod row;
pub mod selection;
pub mod simulation;
pub mod stream;
pub mod task;
pub mod words;
