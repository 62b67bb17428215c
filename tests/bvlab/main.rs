//! All integration tests, in one binary: polars is slow to link.

mod allocations;
mod bad_input;
mod bagging;
mod command_line;
mod coverage;
mod ensembles;
mod exact;
mod figures;
mod figures_command;
mod fourier;
mod going_on;
mod knn;
mod linear;
mod linfa;
mod network;
mod paths;
mod pictures;
mod polynomial;
mod reproducible;
mod schema;
mod setup;
mod simulations;
mod smoothers;
mod sources;
mod sweeps;
mod tree;
