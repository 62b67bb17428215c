//! Reading rows of the tables back as curves.

use std::borrow::Cow;
use std::ops::Range;

use bvlab_core::plan::{Curve, StudyDescription, SweepAxis};
use bvlab_core::words::short;
use bvlab_experiment::Part;
use bvlab_outcome::{LearnerBest, Table, Tables, columns, spoiled};

use super::error::FigureError;

/// The learners of those names, in that order.
pub fn learners<'a>(study: &'a StudyDescription, names: &[String]) -> Vec<&'a Curve> {
    let find = |name: &String| study.curves.iter().find(|curve| curve.name == *name);
    names.iter().filter_map(find).collect()
}

/// One curve of results: a learner, at one value of its second axis where it has two.
#[derive(Clone, Copy)]
pub struct Series<'a> {
    /// The learner.
    pub curve: &'a Curve,
    /// The value of the second axis; NaN where there is none.
    pub second: f64,
}

impl<'a> Series<'a> {
    /// What it runs along; `None` where nothing is swept.
    pub fn axis(&self) -> Option<&'a SweepAxis> {
        self.curve.axes.first()
    }

    /// The number of the learner's setting at a value of the first axis.
    pub fn setting_at(&self, value: f64) -> Option<usize> {
        let place = |axis: usize, value: f64| match self.curve.axes.get(axis) {
            Some(axis) => axis.values.iter().position(|other| *other == value),
            None => Some(0),
        };
        let row = self.axis().map_or(1, |axis| axis.values.len());
        Some(place(1, self.second)? * row + place(0, value)?)
    }

    /// `lambda = 0.1`, where there is a second axis.
    pub fn second_setting(&self) -> Option<String> {
        let axis = self.curve.axes.get(1)?;
        Some(format!("{} = {}", axis.name, short(self.second)))
    }

    /// Its name among others: the learner's if there are several, the value of the second axis.
    pub fn names(&self, several: bool) -> Vec<String> {
        let name = several.then(|| self.curve.name.clone());
        name.into_iter().chain(self.second_setting()).collect()
    }
}

/// The curves of those learners, one for every value of a second axis, or for the chosen ones.
pub fn series<'a>(
    study: &'a StudyDescription,
    names: &[String],
    chosen: Option<&[f64]>,
) -> Vec<Series<'a>> {
    let curves = learners(study, names).into_iter();
    let of = |curve: &'a Curve| {
        let all = curve
            .axes
            .get(1)
            .map_or(&[f64::NAN][..], |axis| &axis.values);
        let shown = all.iter().filter(move |value| {
            value.is_nan() || chosen.is_none_or(|chosen| chosen.contains(value))
        });
        shown.map(move |&second| Series { curve, second })
    };
    curves.flat_map(of).collect()
}

/// The rows of one curve, which stand together.
pub fn rows_of(table: &Table, series: Series) -> Result<Range<usize>, FigureError> {
    let learner = &series.curve.name;
    let names = table.texts(columns::LEARNER);
    let missing = || FigureError::Missing(format!("`{learner}`"));
    let start = names
        .iter()
        .position(|name| **name == **learner)
        .ok_or_else(missing)?;
    let length = names[start..]
        .iter()
        .take_while(|name| ***name == **learner)
        .count();
    let rows = start..start + length;
    match series.second.is_nan() {
        true => Ok(rows),
        false => stretch(table, columns::VALUE2, &rows, series.second).ok_or_else(missing),
    }
}

/// The rows of one curve at one sweep value (NaN where nothing is swept).
pub fn rows_at(table: &Table, series: Series, value: f64) -> Result<Range<usize>, FigureError> {
    let rows = rows_of(table, series)?;
    let missing = || FigureError::Missing(format!("`{}` at {value}", series.curve.name));
    stretch(table, columns::VALUE, &rows, value).ok_or_else(missing)
}

/// Those of some rows in which a column has a value; they stand together.
fn stretch(table: &Table, name: &str, rows: &Range<usize>, value: f64) -> Option<Range<usize>> {
    let same = |other: &f64| *other == value || (other.is_nan() && value.is_nan());
    let values = column(table, name, rows);
    let start = values.iter().position(same)?;
    let length = values[start..]
        .iter()
        .take_while(|other| same(other))
        .count();
    Some(rows.start + start..rows.start + start + length)
}

/// The columns of a prediction: one, or one for every class.
pub fn output_columns(study: &StudyDescription, what: &str) -> Vec<String> {
    columns::outputs(what, study.classes)
}

/// The column of a prediction that is drawn along x: of two classes, the probability of class 1.
pub fn output_column(study: &StudyDescription, what: &str) -> String {
    output_columns(study, what).swap_remove(usize::from(study.classes > 1))
}

/// One column of some rows.
pub fn column<'a>(table: &'a Table, name: &str, rows: &Range<usize>) -> &'a [f64] {
    table.numbers(name).get(rows.clone()).unwrap_or(&[])
}

/// The best settings of a learner: as they were decided after the run, or, in a result of an earlier
/// version, as far as the table tells.
pub fn best_of<'a>(tables: &'a Tables, curve: &Curve) -> Result<Cow<'a, LearnerBest>, FigureError> {
    if let Some(best) = tables.best.of_learner(&curve.name)
        && best.fits(curve)
    {
        return Ok(Cow::Borrowed(best));
    }
    let second = f64::NAN;
    let rows = rows_of(&tables.curves, Series { curve, second })?;
    let best = LearnerBest::from_table(&tables.curves, curve, rows);
    let missing = || FigureError::Missing(format!("`{}`", curve.name));
    best.map(Cow::Owned).ok_or_else(missing)
}

/// The curve through the best setting of a learner, or that at a chosen value of its second axis,
/// and the sweep value of the best setting there; NaN where nothing is swept.
pub fn best<'a>(
    tables: &Tables,
    curve: &'a Curve,
    second: Option<f64>,
) -> Result<(Series<'a>, f64), FigureError> {
    let best = best_of(tables, curve)?;
    // A learner that does not have the chosen value is shown at its best.
    let setting = best.at_second(curve, second.unwrap_or(f64::NAN)).setting;
    let second = curve.second(setting);
    Ok((Series { curve, second }, curve.value(setting)))
}

/// What a figure shows of single settings: curves, and a sweep value of each.
pub type ShownAt<'a> = Vec<(Series<'a>, f64)>;

/// `depth = 5`, or nothing where nothing is swept.
pub fn setting(series: Series, value: f64) -> Option<String> {
    let SweepAxis { name, .. } = series.axis()?;
    Some(format!("{name} = {}", short(value)))
}

/// The factor of a 95 % interval, from the number of resamples.
pub fn factor(tables: &Tables) -> f64 {
    let resamples = tables
        .curves
        .wholes(columns::RESAMPLES)
        .first()
        .copied()
        .unwrap_or(2);
    bvlab_core::decompose::interval_factor(0.95, bvlab_core::decompose::groups_for(resamples))
}

/// Whether a part is a mean over training sets that a heavy tail can spoil.
pub fn is_mean(part: Part) -> bool {
    matches!(part, Part::Bias2 | Part::Variance | Part::Risk | Part::Test)
}

/// Where the tail of a curve's risk is too heavy for a mean.
pub fn doubtful(series: Series, tables: &Tables) -> Vec<bool> {
    let rows = rows_of(&tables.curves, series).unwrap_or(0..0);
    spoiled(&tables.curves, &rows)
}

/// Where a part stands in the table of curves.
pub fn column_name(part: Part) -> &'static str {
    match part {
        Part::Noise => columns::NOISE,
        Part::Bias2 => columns::BIAS2,
        Part::Variance => columns::VARIANCE,
        Part::Risk => columns::RISK,
        Part::Test => columns::TEST_RISK,
        Part::Train => columns::TRAIN_RISK,
        Part::Median => columns::RISK_MEDIAN,
        Part::MemberRisk => columns::MEMBER_RISK,
        Part::AverageBias => columns::AVERAGE_BIAS,
        Part::AverageVariance => columns::AVERAGE_VARIANCE,
        Part::Diversity => columns::DIVERSITY,
        Part::Optimism => columns::OPTIMISM,
        Part::NoiseBound => columns::LABEL_NOISE_BOUND,
    }
}

/// The stretches of a curve that can be believed, and those between them that cannot, which reach
/// to their neighbours.
pub fn stretches(doubtful: &[bool], length: usize) -> Vec<(Range<usize>, bool)> {
    let doubt = |i: usize| doubtful.get(i).copied().unwrap_or(false);
    let mut stretches = Vec::new();
    let mut start = 0;
    while start < length {
        let same = |i: &usize| *i < length && doubt(*i) == doubt(start);
        let end = (start..).take_while(same).last().unwrap_or(start) + 1;
        stretches.push(match doubt(start) {
            false => (start..end, true),
            true => (start.saturating_sub(1)..(end + 1).min(length), false),
        });
        start = end;
    }
    stretches
}
