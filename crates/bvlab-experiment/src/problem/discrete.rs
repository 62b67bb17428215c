//! Classes of inputs that are 0 or 1, or counts.

use toml::Spanned;

use super::classes::{count_of_classes, numbers_of, share_of_inputs};
use crate::bounds::Bounds;
use crate::raw::{Block, Value, expected, unknown};
use crate::source::SourceError;
use bvlab_core::problem::{Bernoulli, Cloud, Component, Mixture, Multinomial};
use bvlab_core::words::number;

/// The most trials of counts.
const MOST_TRIALS: f64 = 1000.0;

/// Zeros and ones: the probability of a one, by class and coordinate.
pub(super) fn bernoulli(value: &Spanned<Value>, bounds: &Bounds) -> Result<Mixture, SourceError> {
    let classes = "a list of classes, as in [{ ones = [0.2, 0.5] }, { ones = [0.6, 0.5] }]";
    mixture(value, bounds, classes, "ones", |at, ones| {
        let cloud = Bernoulli::new(ones).map(Cloud::Bernoulli);
        cloud.ok_or_else(|| {
            SourceError::new(at.span(), "the probability of a 1 lies between 0 and 1").help(
                "0 and 1 themselves are not allowed: a coordinate that never varies says nothing",
            )
        })
    })
}

/// Counts: how many are expected, by class and coordinate.
pub(super) fn multinomial(value: &Spanned<Value>, bounds: &Bounds) -> Result<Mixture, SourceError> {
    let classes = "a list of classes, as in [{ counts = [5, 3, 2] }, { counts = [2, 3, 5] }]";
    let mut first = None;
    mixture(value, bounds, classes, "counts", |at, counts| {
        let sum: f64 = counts.iter().sum();
        let trials = sum.round();
        let whole = (sum - trials).abs() <= 1e-9 * trials;
        if !whole || !(1.0..=MOST_TRIALS).contains(&trials) {
            let message = format!(
                "the sum of `counts` is a whole number from 1 to {}, not {}",
                number(MOST_TRIALS),
                number(sum)
            );
            return Err(SourceError::new(at.span(), message).help("it is the number of trials"));
        }
        let wanted = *first.get_or_insert(trials);
        if trials != wanted {
            let message = format!(
                "the counts of class 0 sum to {}, these to {}",
                number(wanted),
                number(trials)
            );
            let help = "the sum, which is the number of trials, is the same for all classes";
            return Err(SourceError::new(at.span(), message).help(help));
        }
        let cloud = Multinomial::new(counts, trials as usize).map(Cloud::Multinomial);
        cloud.ok_or_else(|| SourceError::new(at.span(), "every count is above 0"))
    })
}

/// A class for every item of a list, with the numbers of one key and a share.
fn mixture(
    value: &Spanned<Value>,
    bounds: &Bounds,
    form: &'static str,
    name: &'static str,
    mut cloud: impl FnMut(&Spanned<Value>, Vec<f64>) -> Result<Cloud, SourceError>,
) -> Result<Mixture, SourceError> {
    let Value::List(items) = value.get_ref() else {
        return Err(expected(form, value));
    };
    count_of_classes(value, items.len())?;
    let most = bounds.dimension.min(100) as usize;
    let mut components: Vec<Component> = Vec::new();
    let mut dimension = None;
    for (class, item) in items.iter().enumerate() {
        let Value::Table(Block(entries)) = item.get_ref() else {
            return Err(expected("a table, as in that list", item).help(format!("write {form}")));
        };
        let (mut found, mut share) = (None, 1.0);
        for (key, value) in entries {
            match key.get_ref().as_str() {
                key if key == name => {
                    found = Some((value, numbers_of(value, "a list of numbers")?));
                }
                "share" => share = share_of_inputs(value)?,
                _ => return Err(unknown(key, [name, "share"])),
            }
        }
        let Some((at, numbers)) = found else {
            let message = format!("`{name}` is missing");
            return Err(SourceError::new(item.span(), message).help(format!("write {form}")));
        };
        let wanted = *dimension.get_or_insert(numbers.len());
        if numbers.len() != wanted || !(1..=most).contains(&wanted) {
            let message = match class {
                0 => format!("an input has 1 to {most} coordinates, not {wanted}"),
                _ => format!(
                    "inputs of class 0 have {wanted} coordinates, these {}",
                    numbers.len()
                ),
            };
            return Err(SourceError::new(at.span(), message));
        }
        let cloud = cloud(at, numbers)?;
        components.push(Component {
            class,
            share,
            cloud,
        });
    }
    Ok(Mixture::new(components, dimension.unwrap_or(1)))
}
