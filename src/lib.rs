//! bvlab: a laboratory for bias and variance.
//!
//! Data go one way, and Cargo sees to it:
//!
//! ```text
//! experiment (TOML, checked) ─► task: a plan or a simulation
//!     ─► engine: for every resample   problem ─► learner ─► decompose
//!     ─► outcome (columns, report, folders of results)
//!     ─► figure (SVG, PNG, PDF)   lab (the live page)
//! ```
//!
//! Each part is a crate of its own, here under its short name:
//!
//! - [`problem`], [`learner`], [`decompose`], [`plan`], [`engine`], [`simulation`], [`task`] and what
//!   they stand on: `bvlab-core`, arithmetic without files, clocks or threads of its own.
//! - [`experiment`]: `bvlab-experiment`, what the user asked for, read and checked once.
//! - [`outcome`]: `bvlab-outcome`, results as columns and as folders.
//! - [`figure`]: `bvlab-figure`, tables in, pictures out.
//! - [`lab`]: `bvlab-lab`, the live page and its server.
//!
//! This crate joins them: [`registry`] has all model families, also those of `bvlab-linfa`, [`make`] takes
//! an experiment all the way to a folder of results, [`tables`]
//! finds tables of real data in files, and the program is in `cli`.
//!
//! A learner knows nothing of TOML, of files or of plots.
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
//! let plan = experiment.plan().expect("it is no simulation");
//! let results = engine::run(plan, 1, &Unwatched)?;
//! for parts in &results.learners[0].decomposition.parts {
//!     // noise + bias² + variance is the error measured on fresh labels, but for chance.
//!     assert!((parts.test.value - parts.risk.value).abs() < 5.0 * parts.gap.se);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// Tests compare with the standard library's functions; see `clippy.toml`.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub use bvlab_core::{
    data, decompose, engine, interrupt, learner, maths, mixture_model, parameter, plan,
    probability, problem, simulation, stream, task,
};
pub use {
    bvlab_experiment as experiment, bvlab_figure as figure, bvlab_lab as lab,
    bvlab_outcome as outcome,
};

pub mod cli;
pub mod make;
pub mod tables;

/// The model families of the program: the standard ones and, with the feature `linfa`, those of linfa.
///
/// ```
/// let registry = bvlab::registry();
/// assert!(registry.family("tree").is_some());
/// assert_eq!(registry.family("linfa-tree").is_some(), cfg!(feature = "linfa"));
/// ```
pub fn registry() -> learner::Registry {
    let registry = learner::Registry::standard();
    #[cfg(feature = "linfa")]
    let registry = bvlab_linfa::register(registry).expect("no two families have one name");
    registry
}
