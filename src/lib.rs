//! bvlab
pub mod learner;
pub mod problem;
pub mod stream;
mod words;
