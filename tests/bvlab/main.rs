//! All integration tests, in one binary: polars is slow to link.

// Tests compare with the standard library's functions.
#![allow(clippy::disallowed_methods)]

mod adaboost;
mod allocations;
mod bad_input;
mod bagging;
mod bounds;
mod browser;
mod class_problems;
mod classes;
mod classifiers;
mod command_line;
mod coverage;
mod degenerate;
mod discriminant;
mod diversity;
mod doubts;
mod ensembles;
mod exact;
mod figures;
mod figures_command;
mod fourier;
mod fuzz;
mod going_on;
mod interruption;
mod knn;
mod lab;
mod linear;
mod linfa;
mod logistic;
mod losses;
mod network;
mod network_classes;
mod order;
mod paths;
mod pictures;
mod polynomial;
mod properties;
mod recorded;
mod reproducible;
mod schema;
mod setup;
mod simulations;
mod slabs;
mod smoothers;
mod sources;
mod submit;
mod survival;
mod sweeps;
mod symmetry;
mod table;
mod tree;
