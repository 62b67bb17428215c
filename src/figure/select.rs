//! Reading rows of the tables back as curves.

use std::ops::Range;

use crate::experiment::{Axis, Curve, Experiment};
use crate::outcome::{Table, Tables};
use crate::words::short;

use super::FigureError;

/// The learners of those names, in that order.
pub fn learners<'a>(experiment: &'a Experiment, names: &[String]) -> Vec<&'a Curve> {
    let find = |name: &String| experiment.curves.iter().find(|curve| curve.name == *name);
    names.iter().filter_map(find).collect()
}

/// The rows of one learner, which stand together.
pub fn rows_of(table: &Table, learner: &str) -> Result<Range<usize>, FigureError> {
    let names = table.texts("learner");
    let missing = || FigureError::Missing(format!("`{learner}`"));
    let start = names
        .iter()
        .position(|name| **name == *learner)
        .ok_or_else(missing)?;
    let length = names[start..]
        .iter()
        .take_while(|name| ***name == *learner)
        .count();
    Ok(start..start + length)
}

/// The rows of one learner at one sweep value (NaN where nothing is swept).
pub fn rows_at(table: &Table, learner: &str, value: f64) -> Result<Range<usize>, FigureError> {
    let rows = rows_of(table, learner)?;
    let values = column(table, "value", &rows);
    let same = |other: &f64| *other == value || (other.is_nan() && value.is_nan());
    let missing = || FigureError::Missing(format!("`{learner}` at {value}"));
    let start = values.iter().position(same).ok_or_else(missing)?;
    let length = values[start..]
        .iter()
        .take_while(|other| same(other))
        .count();
    Ok(rows.start + start..rows.start + start + length)
}

/// One column of some rows.
pub fn column<'a>(table: &'a Table, name: &str, rows: &Range<usize>) -> &'a [f64] {
    table.numbers(name).get(rows.clone()).unwrap_or(&[])
}

/// The sweep value with the lowest risk; NaN where nothing is swept.
pub fn best(tables: &Tables, curve: &Curve) -> Result<f64, FigureError> {
    let rows = rows_of(&tables.curves, &curve.name)?;
    let values = column(&tables.curves, "value", &rows);
    let risks = column(&tables.curves, "risk", &rows);
    let lowest = risks.iter().zip(values).min_by(|a, b| a.0.total_cmp(b.0));
    Ok(lowest.map_or(f64::NAN, |(_, value)| *value))
}

/// `depth = 5`, or nothing where nothing is swept.
pub fn setting(curve: &Curve, value: f64) -> Option<String> {
    let Axis { name, .. } = curve.axis.as_ref()?;
    Some(format!("{name} = {}", short(value)))
}

/// The factor of a 95 % interval, from the number of resamples.
pub fn factor(tables: &Tables) -> f64 {
    let resamples = tables
        .curves
        .wholes("resamples")
        .first()
        .copied()
        .unwrap_or(2);
    crate::decompose::interval_factor(0.95, crate::decompose::groups_for(resamples))
}
