//! The curves of a trade-off, read from the tables.

use crate::error::FigureError;
use crate::select::{Series, column, column_name, doubtful, factor, is_mean, rows_at, rows_of};
use crate::theme;
use bvlab_experiment::{Lower, Part, Tradeoff};
use bvlab_outcome::{Tables, columns};

/// One line of a panel with its error bars.
pub struct Line {
    pub part: Part,
    /// The learner's name.
    pub learner: String,
    pub label: String,
    pub colour: theme::Colour,
    pub xs: Vec<f64>,
    pub values: Vec<f64>,
    /// The band around it: a 95 % interval, or from quartile to quartile. Empty for none.
    pub low: Vec<f64>,
    pub high: Vec<f64>,
    /// What theory says, through the dots. Empty for nothing.
    pub exact: Vec<f64>,
    /// Where the tail is too heavy for the mean to be believed.
    pub doubtful: Vec<bool>,
}

impl Line {
    /// Its course where there is a theory: that, and what was simulated where it says nothing and
    /// the mean can be believed.
    pub fn course(&self) -> Vec<f64> {
        let doubtful = self.doubtful.iter().chain(std::iter::repeat(&false));
        let places = self.exact.iter().zip(&self.values).zip(doubtful);
        let at = |((exact, value), doubtful): ((&f64, &f64), &bool)| match exact.is_nan() {
            true if !doubtful => *value,
            _ => *exact,
        };
        places.map(at).collect()
    }

    /// Whether theory says nothing where something was simulated.
    pub fn is_partly_exact(&self) -> bool {
        let mut course = self.exact.iter().zip(self.course());
        course.any(|(exact, shown)| exact.is_nan() && shown.is_finite())
    }
}

/// A part of one curve.
pub fn line(
    series: Series,
    part: Part,
    label: &str,
    colour: theme::Colour,
    tables: &Tables,
) -> Result<Line, FigureError> {
    let rows = rows_of(&tables.curves, series)?;
    let get = |name: &str| column(&tables.curves, name, &rows).to_vec();
    let xs = get(columns::VALUE);
    let name = column_name(part);
    let values = get(name);
    let (low, high) = match part {
        Part::Median => (get(columns::RISK_Q25), get(columns::RISK_Q75)),
        _ => {
            let ends = [columns::low_of(name), columns::high_of(name)].map(|name| get(&name));
            let reach = factor(tables);
            let errors = get(&columns::se_of(name));
            let shifted = |sign: f64| -> Vec<f64> {
                let pairs = values.iter().zip(&errors);
                pairs.map(|(value, se)| value + sign * reach * se).collect()
            };
            // What has no interval of its own, and results of earlier versions, have ± t errors.
            match ends {
                [low, high] if !low.is_empty() => (low, high),
                _ => (shifted(-1.0), shifted(1.0)),
            }
        }
    };
    let formula = get(columns::VARIANCE_FROM_MEMBERS);
    let exact = match part {
        Part::Variance if formula.iter().any(|value| value.is_finite()) => formula,
        Part::Bias2 => get(columns::BIAS2_EXACT),
        Part::Variance => get(columns::VARIANCE_EXACT),
        Part::Risk => {
            let parts = [
                columns::NOISE,
                columns::BIAS2_EXACT,
                columns::VARIANCE_EXACT,
            ]
            .map(get);
            let [noise, bias2, variance] = &parts;
            let sum = noise.iter().zip(bias2).zip(variance);
            sum.map(|((noise, bias2), variance)| noise + bias2 + variance)
                .collect()
        }
        _ => Vec::new(),
    };
    // Near a threshold the exact form may be infinite: a gap in the curve.
    let exact = match exact.iter().any(|value| value.is_finite()) {
        true => exact,
        false => Vec::new(),
    };
    let doubtful = match is_mean(part) {
        true => doubtful(series, tables),
        false => Vec::new(),
    };
    Ok(Line {
        part,
        learner: series.curve.name.clone(),
        label: label.to_owned(),
        colour,
        xs,
        values,
        low,
        high,
        exact,
        doubtful,
    })
}

/// A learner without the swept number, as a flat line over another's axis.
pub fn flat_line(
    reference: Series,
    over: Series,
    part: Part,
    label: &str,
    colour: theme::Colour,
    tables: &Tables,
) -> Result<Line, FigureError> {
    let one = line(reference, part, label, colour, tables)?;
    let xs = over.axis().map_or(Vec::new(), |axis| axis.values.clone());
    let stretch = |values: &[f64]| match values.first() {
        Some(value) => vec![*value; xs.len()],
        None => Vec::new(),
    };
    Ok(Line {
        values: stretch(&one.values),
        low: stretch(&one.low),
        high: stretch(&one.high),
        exact: Vec::new(),
        doubtful: Vec::new(),
        xs,
        ..one
    })
}

/// The line with the interval of its difference from the best setting around its risk, and no band
/// around anything else: settings share their training sets and test points.
pub fn paired(line: Line, series: Series, tables: &Tables) -> Result<Line, FigureError> {
    let rows = rows_of(&tables.curves, series)?;
    let errors = column(&tables.curves, columns::RISK_ABOVE_BEST_SE, &rows);
    let risk = matches!(line.part, Part::Risk | Part::Test);
    if !risk || errors.len() != line.values.len() {
        return Ok(Line {
            low: Vec::new(),
            high: Vec::new(),
            ..line
        });
    }
    let reach = factor(tables);
    let shifted = |sign: f64| -> Vec<f64> {
        let pairs = line.values.iter().zip(errors);
        // The best has no difference from itself.
        let shift = |(value, se): (&f64, &f64)| value + sign * reach * se.max(0.0);
        pairs.map(shift).collect()
    };
    let (low, high) = (shifted(-1.0), shifted(1.0));
    Ok(Line { low, high, ..line })
}

/// What the members of an ensemble share, below which no number of them gets the variance.
pub fn floor(
    series: Series,
    options: &Tradeoff,
    tables: &Tables,
) -> Result<Option<Line>, FigureError> {
    let rows = rows_of(&tables.curves, series)?;
    let values = column(&tables.curves, columns::VARIANCE_SHARED, &rows).to_vec();
    let drawn = options.parts.contains(&Part::Variance);
    if !drawn || !values.iter().any(|value| value.is_finite()) {
        return Ok(None);
    }
    Ok(Some(Line {
        label: "floor ρt²".to_owned(),
        low: Vec::new(),
        high: Vec::new(),
        exact: Vec::new(),
        // Drawn as thin dashes.
        doubtful: vec![true; values.len()],
        values,
        ..line(series, Part::Noise, "", theme::VARIANCE, tables)?
    }))
}

/// Single resamples of one part: one curve over the sweep values each.
pub struct Runs {
    pub part: Part,
    pub colour: theme::Colour,
    pub xs: Vec<f64>,
    pub curves: Vec<Vec<f64>>,
}

/// The single resamples of a part, if some are drawn.
pub fn single_runs(
    series: Series,
    part: Part,
    colour: theme::Colour,
    options: &Tradeoff,
    tables: &Tables,
) -> Result<Option<Runs>, FigureError> {
    let name = match part {
        Part::Risk | Part::Test | Part::Median => columns::RISK,
        Part::Train => columns::TRAIN_RISK,
        _ => return Ok(None),
    };
    let Some(axis) = series.axis().filter(|_| options.runs > 0) else {
        return Ok(None);
    };
    let mut runs: Vec<Vec<f64>> = Vec::new();
    for &value in &axis.values {
        let rows = rows_at(&tables.runs, series, value)?;
        let risks = column(&tables.runs, name, &rows);
        runs.resize(options.runs.min(risks.len()), Vec::new());
        for (run, risk) in runs.iter_mut().zip(risks) {
            run.push(*risk);
        }
    }
    Ok(Some(Runs {
        part,
        colour,
        xs: axis.values.clone(),
        curves: runs,
    }))
}

/// What the solving for weights met with, along the sweep.
pub struct LowerLine {
    pub label: String,
    pub colour: theme::Colour,
    pub xs: Vec<f64>,
    pub values: Vec<f64>,
}

/// What is drawn below, of one curve.
pub fn lower_lines(
    series: Series,
    below: &[Lower],
    label: impl Fn(Lower, &'static str) -> String,
    colour: impl Fn(usize) -> theme::Colour,
    tables: &Tables,
) -> Result<Vec<LowerLine>, FigureError> {
    let rows = rows_of(&tables.curves, series)?;
    let get = |name: &str| column(&tables.curves, name, &rows).to_vec();
    let line = |(i, lower): (usize, &Lower)| {
        let (name, words) = match lower {
            Lower::WeightNorm => (columns::WEIGHT_NORM, "weight norm"),
            Lower::Condition => (columns::CONDITION, "condition number"),
            Lower::Rank => (columns::RANK, "rank"),
        };
        LowerLine {
            label: label(*lower, words),
            colour: colour(i),
            xs: get(columns::VALUE),
            values: get(name),
        }
    };
    Ok(below.iter().enumerate().map(line).collect())
}
