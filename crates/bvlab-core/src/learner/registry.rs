//! The registry: the model families that experiments can use.

use std::sync::Arc;

use super::family::Family;
use super::{
    adaboost, bagging, boosting, components, discriminant, features, forest, fourier, gaussians,
    histogram, kernel, kernel_density, knn, lasso, linear, local, logistic, mixture, naive_bayes,
    network, polynomial, spline, subset, tree,
};
use crate::parameter::DataSize;

/// The families that come with the crate.
const STANDARD: &[Family] = &[
    knn::FAMILY,
    tree::FAMILY,
    kernel::FAMILY,
    local::FAMILY,
    spline::FAMILY,
    polynomial::FAMILY,
    gaussians::FAMILY,
    linear::FAMILY,
    lasso::FAMILY,
    components::FAMILY,
    subset::FAMILY,
    fourier::FAMILY,
    features::FAMILY,
    network::FAMILY,
    bagging::FAMILY,
    forest::FAMILY,
    boosting::FAMILY,
    logistic::FAMILY,
    discriminant::FAMILY,
    naive_bayes::FAMILY,
    adaboost::FAMILY,
    histogram::FAMILY,
    kernel_density::FAMILY,
    mixture::FAMILY,
];

/// The model families that experiments can use: those that come with the crate, and one's own.
///
/// Whatever is in the registry that an experiment is read with works in its text, in sweeps, in
/// errors, in the schema and in lists.
///
/// ```
/// use bvlab_core::learner::{Family, Knn, Registry};
/// use bvlab_core::parameter::{Most, Parameter};
///
/// const NEAREST: Family = Family::new("nearest", "the mean label of the nearest points", |blueprint| {
///     let ks = blueprint.settings().map(|setting| setting.whole("k"));
///     Box::new(Knn::new(ks.collect()))
/// })
/// .parameters(&[Parameter::whole("k", "number of neighbours").least(1.0).most(Most::Train)]);
///
/// let registry = Registry::standard().with(NEAREST)?;
/// assert!(registry.family("nearest").is_some());
/// assert!(registry.family("tree").is_some());
/// assert!(registry.with(NEAREST).is_err()); // a name stands for one family
/// # Ok::<(), bvlab_core::learner::RegistryError>(())
/// ```
///
/// A copy is cheap, and does not see what is added later.
#[derive(Clone, Debug)]
pub struct Registry {
    families: Arc<Vec<Family>>,
}

/// Why a family cannot be registered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// Another family has its name.
    #[error("two model families are called `{0}`")]
    Taken(&'static str),
    /// It has a name that a learner's table uses for something else, or that is not a bare key.
    #[error("a model family cannot be called `{0}`: {1}")]
    Name(&'static str, &'static str),
    /// Two of its keys have one name, or one that is not a bare key.
    #[error("family `{family}`: {reason} `{key}`")]
    Key {
        /// The family.
        family: &'static str,
        /// The key.
        key: &'static str,
        /// What is wrong.
        reason: &'static str,
    },
    /// The parameter that it names as its capacity is none of its own.
    #[error("family `{family}` has no parameter `{name}`, which it names as its capacity")]
    Capacity {
        /// The family.
        family: &'static str,
        /// The name.
        name: &'static str,
    },
    /// A default that is not allowed itself.
    #[error("family `{family}`: the default of {error}")]
    Default {
        /// The family.
        family: &'static str,
        /// Why not.
        error: String,
    },
}

/// Keys of a learner's table that are not families.
pub const LEARNER_KEYS: [&str; 4] = ["name", "colour", "reference", "sweep"];

/// What every sweep can be over, whatever the learner.
pub const DATA_AXES: [&str; 3] = ["train", "noise", "dimension"];

impl Registry {
    /// The families that come with the crate.
    pub fn standard() -> Self {
        Registry {
            families: Arc::new(STANDARD.to_vec()),
        }
    }

    /// All families, in the order of registration.
    pub fn families(&self) -> &[Family] {
        &self.families
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + Clone {
        self.families.iter().map(|family| family.name)
    }

    /// The family of that name.
    pub fn family(&self, name: &str) -> Option<&Family> {
        self.families.iter().find(|family| family.name == name)
    }

    /// Adds a family.
    ///
    /// Names that its `build` function asks for are not known before it runs. A test that builds it
    /// once, as by [`Family::learner`], finds one that is wrong.
    ///
    /// # Errors
    ///
    /// If a name is taken or cannot be written as a key, or a default is not allowed.
    pub fn add(&mut self, family: Family) -> Result<(), RegistryError> {
        let name = family.name;
        if self.family(name).is_some() {
            return Err(RegistryError::Taken(name));
        }
        if LEARNER_KEYS.contains(&name) {
            return Err(RegistryError::Name(name, "it is a key of every learner"));
        }
        if !is_bare(name) {
            return Err(RegistryError::Name(name, BARE));
        }
        check_keys(&family)?;
        Arc::make_mut(&mut self.families).push(family);
        Ok(())
    }

    /// The same with one family more.
    ///
    /// # Errors
    ///
    /// As [`Registry::add`].
    pub fn with(mut self, family: Family) -> Result<Self, RegistryError> {
        self.add(family)?;
        Ok(self)
    }
}

impl Default for Registry {
    fn default() -> Self {
        Registry::standard()
    }
}

const BARE: &str = "a name has lower-case letters, digits and `-`, and begins with a letter";

fn is_bare(name: &str) -> bool {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(inner)
}

fn check_keys(family: &Family) -> Result<(), RegistryError> {
    let mut seen: Vec<&'static str> = Vec::new();
    for key in family.keys() {
        let reason = match key {
            _ if !is_bare(key) => Some("this name is not made of lower-case letters:"),
            _ if seen.contains(&key) => Some("two keys are called"),
            "base" if !family.has_base => Some("this name stands for another learner:"),
            _ if DATA_AXES.contains(&key) => Some("this name stands for an axis of the data:"),
            _ => None,
        };
        if let Some(reason) = reason {
            let family = family.name;
            return Err(RegistryError::Key {
                family,
                key,
                reason,
            });
        }
        seen.push(key);
    }
    let mut names = family.parameters.iter().map(|parameter| parameter.name);
    if let Some(name) = family.capacity
        && !names.any(|known| known == name)
    {
        let family = family.name;
        return Err(RegistryError::Capacity { family, name });
    }
    for parameter in family.parameters {
        let default = parameter.default.filter(|value| value.is_finite());
        let checked = default.map_or(Ok(()), |value| parameter.check(value, DataSize::UNKNOWN));
        checked.map_err(|error| RegistryError::Default {
            family: family.name,
            error: error.to_string(),
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learner::{Choice, Knn, LabelKind, Learner};
    use crate::parameter::Parameter;

    /// Every name that a `build` function asks for exists, and every option stands for something.
    #[test]
    fn every_family_can_be_built_with_every_option() {
        for family in Registry::standard().families() {
            let value = |parameter: &Parameter| {
                let least = parameter.least + if parameter.exclusive { 1.0 } else { 0.0 };
                parameter.default.unwrap_or(least)
            };
            let values: Vec<f64> = family.parameters.iter().map(value).collect();
            let kinds = [0, 3].map(|classes| (classes, family.labels.includes(classes > 0)));
            let kinds = kinds.into_iter().filter(|(_, learns)| *learns);
            for (classes, _) in kinds {
                let build = |choice: &str, option: &str| {
                    let mut blueprint = family.blueprint(vec![values.clone()]).classes(classes);
                    if !choice.is_empty() {
                        blueprint = blueprint.with(choice, option).unwrap();
                    }
                    if family.has_base {
                        blueprint =
                            blueprint.base(Box::new(Knn::for_labels(vec![1], classes)), vec![0]);
                    }
                    let size = DataSize {
                        train: 9,
                        dimension: 1,
                    };
                    let learner = family.learner(blueprint, size).unwrap();
                    assert_eq!(learner.capacities(), 1, "{}", family.name);
                };
                build("", "");
                for choice in family.choices {
                    choice
                        .options
                        .iter()
                        .for_each(|option| build(choice.name, option));
                }
            }
        }
    }

    #[test]
    fn the_standard_families_keep_the_rules_for_ones_own() {
        let mut registry = Registry {
            families: Arc::default(),
        };
        for family in STANDARD {
            registry.add(*family).unwrap();
        }
        assert_eq!(registry.names().count(), STANDARD.len());
    }

    fn nearest(_: crate::learner::Blueprint) -> Box<dyn Learner> {
        Box::new(Knn::new(vec![1]))
    }

    #[test]
    fn families_that_could_not_be_used_are_refused() {
        const FINE: Family = Family::new("mine", "", nearest).labels(LabelKind::Both);
        const K: Parameter = Parameter::whole("k", "").least(1.0);
        const TWICE: Family = FINE.parameters(&[K]).choices(&[Choice::flag("k", "")]);
        const NOISE: Family = FINE.parameters(&[Parameter::number("noise", "")]);
        const BASE: Family = FINE.parameters(&[Parameter::number("base", "")]);
        const NONE: Family = FINE.parameters(&[K.default(0.0)]);
        let refused = |family: Family| Registry::standard().with(family).unwrap_err();
        assert!(Registry::standard().with(FINE.parameters(&[K])).is_ok());
        for (family, words) in [
            (
                Family {
                    name: "tree",
                    ..FINE
                },
                "two model families are called `tree`",
            ),
            (
                Family {
                    name: "sweep",
                    ..FINE
                },
                "it is a key of every learner",
            ),
            (
                Family {
                    name: "my learner",
                    ..FINE
                },
                "lower-case letters",
            ),
            (Family { name: "", ..FINE }, "lower-case letters"),
            (FINE.parameters(&[K, K]), "two keys are called `k`"),
            (TWICE, "two keys are called `k`"),
            (NOISE, "an axis of the data: `noise`"),
            (BASE, "another learner: `base`"),
            (FINE.capacity("depth"), "no parameter `depth`"),
            (NONE, "`k` must be at least 1"),
        ] {
            let told = refused(family).to_string();
            assert!(told.contains(words), "{told}");
        }
    }
}
