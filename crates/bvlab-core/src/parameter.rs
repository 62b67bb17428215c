//! Parameters: the numbers that learners, simulations, noise laws and input laws have.
//!
//! Whatever has a [`Parameter`] can be set and swept in an experiment, is listed, documented and
//! offered by the live page, and is checked by the same rule everywhere: [`Parameter::check`].
//!
//! ```
//! use bvlab_core::parameter::{DataSize, Most, NamedValues, Parameter};
//!
//! const PARAMETERS: &[Parameter] = &[
//!     Parameter::whole("k", "number of neighbours").least(1.0).most(Most::Train),
//!     Parameter::number("bandwidth", "reach of the kernel").symbol("h").above(0.0).default(0.5),
//! ];
//!
//! let size = DataSize { train: 50, dimension: 1 };
//! assert!(PARAMETERS[0].check(8.0, size).is_ok());
//! let error = PARAMETERS[0].check(51.0, size).unwrap_err();
//! assert_eq!(error.to_string(), "`k` can be at most 50, not 51: there are 50 training points");
//! assert_eq!(PARAMETERS[1].range(), "above 0; default 0.5");
//!
//! let values = NamedValues::new(PARAMETERS, &[8.0, 0.1]);
//! assert_eq!((values.whole("k"), values.number("bandwidth")), (8, 0.1));
//! ```

use crate::words::{did_you_mean, number};

/// A parameter: a number, or a list of numbers, with its meaning and range.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Parameter {
    /// Its name in an experiment, such as `lambda`.
    pub name: &'static str,
    /// What formulas call it, such as `λ`.
    pub symbol: Option<&'static str>,
    /// What it is, in a few words.
    pub meaning: &'static str,
    /// What it is measured in, such as `units of x`.
    pub unit: Option<&'static str>,
    /// The smallest value allowed.
    pub least: f64,
    /// Whether it must lie above that value.
    pub exclusive: bool,
    /// The largest value allowed.
    pub most: Most,
    /// Whether only whole numbers are allowed.
    pub whole: bool,
    /// Its value where none is given; `None` if one must be given or swept. Infinity means no limit.
    pub default: Option<f64>,
    /// For a list of numbers: how long it may be, and the values where none are given.
    pub list: Option<ListRule>,
    /// Between which values it is most instructive, for controls; `None` where that depends on the
    /// data.
    pub usual: Option<(f64, f64)>,
}

/// The largest value that a parameter may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Most {
    /// A fixed one; infinity for none.
    Value(f64),
    /// The number of training points.
    Train,
    /// The number of coordinates of an input.
    Dimension,
    /// One less than the number of training points, and at most this.
    BelowTrain(f64),
}

/// What holds for a parameter that is a list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListRule {
    /// The most values.
    pub longest: usize,
    /// The values where none are given.
    pub default: &'static [f64],
}

/// The size of the data that a parameter's range may depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataSize {
    /// The number of training points.
    pub train: usize,
    /// The number of coordinates of an input.
    pub dimension: usize,
}

impl DataSize {
    /// Where the data are not known, and bound nothing.
    pub const UNKNOWN: DataSize = DataSize {
        train: usize::MAX,
        dimension: usize::MAX,
    };
}

/// Why a learner cannot be fitted to the data of a problem, whatever its parameters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}; {help}")]
pub struct UnsuitableData {
    /// What does not fit.
    pub message: String,
    /// What to do.
    pub help: String,
}

/// Why a value is not allowed. Every variant names its parameter, except where the data are the reason.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// Infinite, or not a number.
    #[error("`{name}` must be finite, not {value}")]
    NotFinite {
        /// The parameter.
        name: &'static str,
        /// What was given.
        value: f64,
    },
    /// A fraction where only whole numbers are allowed.
    #[error("`{name}` must be a whole number, not {}", number(*value))]
    NotWhole {
        /// The parameter.
        name: &'static str,
        /// What was given.
        value: f64,
    },
    /// At or below a bound that is not allowed itself.
    #[error("`{name}` must be above {}, not {}", number(*least), number(*value))]
    NotAbove {
        /// The parameter.
        name: &'static str,
        /// The bound.
        least: f64,
        /// What was given.
        value: f64,
    },
    /// Below the smallest value.
    #[error("`{name}` must be at least {}, not {}", number(*least), number(*value))]
    TooSmall {
        /// The parameter.
        name: &'static str,
        /// The smallest value.
        least: f64,
        /// What was given.
        value: f64,
    },
    /// Above the largest value.
    #[error("`{name}` can be at most {}, not {}{}", number(*most), number(*value), reason(*rule, *size))]
    TooLarge {
        /// The parameter.
        name: &'static str,
        /// The largest value.
        most: f64,
        /// What was given.
        value: f64,
        /// Where the largest value comes from.
        rule: Most,
        /// The data that it was checked against.
        size: DataSize,
    },
    /// A list that is empty or too long.
    #[error("`{name}` has {given} values; the maximum is {longest}")]
    Length {
        /// The parameter.
        name: &'static str,
        /// The most values.
        longest: usize,
        /// How many were given.
        given: usize,
    },
    /// No value was given, and there is no default.
    #[error("`{name}` must be given")]
    Missing {
        /// The parameter.
        name: &'static str,
    },
    /// The data do not suit the learner.
    #[error(transparent)]
    Unsuitable(#[from] UnsuitableData),
    /// There is no such parameter.
    #[error("there is no parameter `{name}`; {help}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// A name that looks like it, or all names.
        help: String,
    },
}

/// Why a value is too large, where the data are the reason.
fn reason(rule: Most, DataSize { train, dimension }: DataSize) -> String {
    match rule {
        Most::Train => format!(": there are {train} training points"),
        Most::Dimension => format!(": the inputs have {dimension} coordinates"),
        Most::BelowTrain(most) if train as f64 - 1.0 <= most => {
            format!(": {train} training points determine no more")
        }
        Most::Value(_) | Most::BelowTrain(_) => String::new(),
    }
}

impl Parameter {
    /// A number, 0 or more, which must be given.
    pub const fn number(name: &'static str, meaning: &'static str) -> Self {
        Parameter {
            name,
            symbol: None,
            meaning,
            unit: None,
            least: 0.0,
            exclusive: false,
            most: Most::Value(f64::MAX),
            whole: false,
            default: None,
            list: None,
            usual: None,
        }
    }

    /// A whole number, 0 or more, which must be given.
    pub const fn whole(name: &'static str, meaning: &'static str) -> Self {
        let mut parameter = Parameter::number(name, meaning);
        parameter.most = Most::Value(f64::INFINITY);
        parameter.whole = true;
        parameter
    }

    /// Any finite number, which must be given.
    pub const fn real(name: &'static str, meaning: &'static str) -> Self {
        Parameter::number(name, meaning).least(f64::NEG_INFINITY)
    }

    /// The same with a symbol.
    pub const fn symbol(mut self, symbol: &'static str) -> Self {
        self.symbol = Some(symbol);
        self
    }

    /// The same with a unit.
    pub const fn unit(mut self, unit: &'static str) -> Self {
        self.unit = Some(unit);
        self
    }

    /// The same from this value up.
    pub const fn least(mut self, least: f64) -> Self {
        self.least = least;
        self.exclusive = false;
        self
    }

    /// The same above this value, which itself is not allowed.
    pub const fn above(mut self, least: f64) -> Self {
        self.least = least;
        self.exclusive = true;
        self
    }

    /// The same with a largest value, fixed or given by the data.
    pub const fn most(mut self, most: Most) -> Self {
        self.most = most;
        self
    }

    /// The same with a fixed largest value.
    pub const fn up_to(self, most: f64) -> Self {
        self.most(Most::Value(most))
    }

    /// The same with a value for where none is given; infinity for no limit.
    pub const fn default(mut self, value: f64) -> Self {
        self.default = Some(value);
        self
    }

    /// The same as a list of at most so many values.
    pub const fn list(mut self, longest: usize, default: &'static [f64]) -> Self {
        self.list = Some(ListRule { longest, default });
        self
    }

    /// The same with the values between which it is most instructive.
    pub const fn usual(mut self, from: f64, to: f64) -> Self {
        self.usual = Some((from, to));
        self
    }

    /// The value or values where none are given; empty if some must be given.
    pub fn defaults(&self) -> Vec<f64> {
        match (self.list, self.default) {
            (Some(list), _) => list.default.to_vec(),
            (None, default) => default.into_iter().collect(),
        }
    }

    /// The largest value for data of a size; infinite if there is none.
    pub fn largest(&self, size: DataSize) -> f64 {
        match self.most {
            Most::Value(most) => most,
            Most::Train => size.train as f64,
            Most::Dimension => size.dimension as f64,
            Most::BelowTrain(most) => most.min(size.train as f64 - 1.0),
        }
    }

    /// Checks a value.
    ///
    /// # Errors
    ///
    /// If it lies outside the range, or is not whole where it must be.
    pub fn check(&self, value: f64, size: DataSize) -> Result<(), ParameterError> {
        let Parameter { name, least, .. } = *self;
        let most = self.largest(size);
        Err(match value {
            _ if !value.is_finite() => ParameterError::NotFinite { name, value },
            _ if self.whole && value.fract() != 0.0 => ParameterError::NotWhole { name, value },
            _ if self.exclusive && value <= least => {
                ParameterError::NotAbove { name, least, value }
            }
            _ if value < least => ParameterError::TooSmall { name, least, value },
            _ if value > most => ParameterError::TooLarge {
                name,
                most,
                value,
                rule: self.most,
                size,
            },
            _ => return Ok(()),
        })
    }

    /// Checks how many values there are, and every one.
    ///
    /// # Errors
    ///
    /// If there are none, or too many; or the first value that is not allowed.
    pub fn check_all(&self, values: &[f64], size: DataSize) -> Result<(), ParameterError> {
        let longest = self.list.map_or(1, |list| list.longest);
        let given = values.len();
        if given == 0 || given > longest {
            let name = self.name;
            return Err(ParameterError::Length {
                name,
                longest,
                given,
            });
        }
        values.iter().try_for_each(|value| self.check(*value, size))
    }

    /// The range in words, such as `whole, from 1 to the number of training points`.
    pub fn bounds(&self) -> String {
        let list = if self.list.is_some() { "a list, " } else { "" };
        let kind = if self.whole { "whole, " } else { "" };
        if self.least == f64::NEG_INFINITY && self.most == Most::Value(f64::MAX) {
            let kind = if self.whole { "whole " } else { "" };
            return format!("{list}any {kind}number");
        }
        let least = number(self.least);
        let most = match self.most {
            Most::Value(most) if most < f64::MAX => format!("to {}", number(most)),
            Most::Value(_) if self.exclusive => return format!("{list}{kind}above {least}"),
            Most::Value(_) => return format!("{list}{kind}{least} or more"),
            Most::Dimension => "to the number of inputs".to_owned(),
            Most::Train => "to the number of training points".to_owned(),
            Most::BelowTrain(most) => format!(
                "to one less than the training points, at most {}",
                number(most)
            ),
        };
        let from = if self.exclusive { "above" } else { "from" };
        format!("{list}{kind}{from} {least} {most}")
    }

    /// Its default in words: `0.5`, `[1, 2, 3]`, `no limit`; `None` if it must be given.
    pub fn default_words(&self) -> Option<String> {
        let words = |value: f64| match value.is_infinite() {
            true => "no limit".to_owned(),
            false => number(value),
        };
        match (self.list, self.default) {
            (Some(list), _) => {
                let values: Vec<String> = list.default.iter().map(|value| words(*value)).collect();
                Some(format!("[{}]", values.join(", ")))
            }
            (None, default) => default.map(words),
        }
    }

    /// Range and default in words, such as `whole, 1 or more; default 50`.
    pub fn range(&self) -> String {
        let bounds = self.bounds();
        match self.default_words() {
            Some(default) if default == "no limit" => format!("{bounds}; default: no limit"),
            Some(default) => format!("{bounds}; default {default}"),
            None => format!("{bounds}; must be given or swept"),
        }
    }
}

/// The values of parameters, read by name: one for each, in their order.
#[derive(Clone, Copy, Debug)]
pub struct NamedValues<'a> {
    parameters: &'static [Parameter],
    values: &'a [f64],
}

impl<'a> NamedValues<'a> {
    /// Values in the order of their parameters.
    pub fn new(parameters: &'static [Parameter], values: &'a [f64]) -> Self {
        NamedValues { parameters, values }
    }

    /// The value of a parameter.
    ///
    /// # Panics
    ///
    /// If there is no parameter of that name: a mistake in the code that asks.
    pub fn number(&self, name: &str) -> f64 {
        self.values[place(self.parameters, name)]
    }

    /// The value of a parameter that counts; infinity becomes the largest.
    ///
    /// # Panics
    ///
    /// As [`NamedValues::number`].
    pub fn whole(&self, name: &str) -> usize {
        self.number(name) as usize
    }
}

/// Where a parameter stands in a list that must have it.
pub(crate) fn place(parameters: &[Parameter], name: &str) -> usize {
    match find(parameters, name) {
        Ok(place) => place,
        Err(error) => panic!("{error}"),
    }
}

/// Where a parameter stands in a list.
///
/// # Errors
///
/// If there is none of that name.
pub fn find(parameters: &[Parameter], name: &str) -> Result<usize, ParameterError> {
    let names = parameters.iter().map(|parameter| parameter.name);
    let found = names.clone().position(|known| known == name);
    found.ok_or_else(|| ParameterError::Unknown {
        name: name.to_owned(),
        help: match parameters {
            [] => "there are none".to_owned(),
            _ => did_you_mean(name, names),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: DataSize = DataSize {
        train: 20,
        dimension: 3,
    };

    #[test]
    fn every_bound_is_kept_and_named() {
        let whole = Parameter::whole("k", "").least(1.0);
        let open = Parameter::number("rate", "").above(0.0).up_to(1.0);
        for (parameter, value, words) in [
            (whole, f64::NAN, "`k` must be finite, not NaN"),
            (whole, f64::INFINITY, "`k` must be finite, not inf"),
            (whole, 1.5, "`k` must be a whole number, not 1.5"),
            (whole, 0.0, "`k` must be at least 1, not 0"),
            (
                whole.most(Most::Train),
                21.0,
                "`k` can be at most 20, not 21: there are 20 training points",
            ),
            (
                whole.most(Most::Dimension),
                4.0,
                "`k` can be at most 3, not 4: the inputs have 3 coordinates",
            ),
            (
                whole.most(Most::BelowTrain(100.0)),
                20.0,
                "`k` can be at most 19, not 20: 20 training points determine no more",
            ),
            (
                whole.most(Most::BelowTrain(9.0)),
                10.0,
                "`k` can be at most 9, not 10",
            ),
            (open, 0.0, "`rate` must be above 0, not 0"),
            (open, 1.5, "`rate` can be at most 1, not 1.5"),
        ] {
            let error = parameter.check(value, SIZE).unwrap_err();
            assert_eq!(error.to_string(), words);
        }
        assert_eq!(open.check(1.0, SIZE), Ok(()));
        assert_eq!(whole.most(Most::Train).check(20.0, SIZE), Ok(()));
        assert_eq!(
            whole.most(Most::Train).check(1e9, DataSize::UNKNOWN),
            Ok(())
        );
    }

    #[test]
    fn lists_have_a_length_and_every_value_is_checked() {
        let sizes = Parameter::whole("sizes", "")
            .least(2.0)
            .list(3, &[2.0, 3.0]);
        assert_eq!(sizes.check_all(&sizes.defaults(), SIZE), Ok(()));
        for wrong in [&[][..], &[2.0; 4], &[2.0, 1.0]] {
            assert!(sizes.check_all(wrong, SIZE).is_err(), "{wrong:?}");
        }
        assert_eq!(sizes.range(), "a list, whole, 2 or more; default [2, 3]");
    }

    #[test]
    #[should_panic(expected = "there is no parameter `dept`; did you mean `depth`?")]
    fn a_name_that_is_wrong_in_the_code_is_said() {
        const DEPTH: &[Parameter] = &[Parameter::whole("depth", "")];
        NamedValues::new(DEPTH, &[1.0]).whole("dept");
    }
}
