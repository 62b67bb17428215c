//! Models of [linfa](https://github.com/rust-ml/linfa) as model families of bvlab.
//!
//! [`register`] adds them to a registry; experiments, sweeps, lists, the schema and errors then know
//! them by name. Each is made through [`FromLinfa`](bvlab_core::learner::FromLinfa), as any other
//! model of linfa could be.
//!
//! | family | model | labels |
//! |---|---|---|
//! | `linfa-tree` | linfa-trees' decision tree | classes |
//! | `linfa-elasticnet` | linfa-elasticnet | numbers |
//! | `linfa-bayes` | linfa-bayes' Gaussian naive Bayes | classes |
//! | `linfa-svm` | linfa-svm's C-SVC | two classes |
//! | `linfa-svr` | linfa-svm's ε-SVR | numbers |
//! | `linfa-knn` | the mean over linfa-nn's nearest neighbours | numbers and classes |
//!
//! The same training set gives the same fit, on any thread and in any process. What linfa refuses to
//! fit, or fits with numbers that are not finite, ends the run with an error that names learner,
//! setting and resample. linfa's linear algebra is not the same on every processor, so the last
//! digits may differ between machines.
//!
//! ```
//! use bvlab_core::learner::Registry;
//!
//! let registry = bvlab_linfa::register(Registry::standard())?;
//! assert!(registry.family("linfa-tree").is_some());
//! assert!(registry.family("tree").is_some());
//! # Ok::<(), bvlab_core::learner::RegistryError>(())
//! ```

mod bayes;
mod elastic_net;
mod label;
mod nearest;
mod svm;
mod tree;

use bvlab_core::learner::{Family, Registry, RegistryError};

/// All families of this crate.
pub const FAMILIES: [Family; 6] = [
    tree::FAMILY,
    elastic_net::FAMILY,
    bayes::FAMILY,
    svm::CLASSIFIER,
    svm::REGRESSION,
    nearest::FAMILY,
];

/// Adds all families of this crate.
///
/// # Errors
///
/// If a family of the registry has one of their names.
pub fn register(registry: Registry) -> Result<Registry, RegistryError> {
    FAMILIES.into_iter().try_fold(registry, Registry::with)
}

#[cfg(test)]
mod tests;
