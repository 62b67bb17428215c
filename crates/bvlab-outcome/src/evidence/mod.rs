//! The numbers that words and claims refer to, with their errors.
//!
//! A reference stands for a cell of a table and the standard error beside it. An expression of
//! several is evaluated with each group of training sets left out in turn: all learners, settings and
//! variants share their training sets, so that what they have in common drops out of a difference.
//! Drawn test points add an error of their own, to first order: that of the average over the points
//! of what the expression's gradient makes of the parts there. Columns without values left out
//! count as independent; columns without an error as exact.

mod run;

pub use run::RunEvidence;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use bvlab_core::decompose::{Averaged, Decomposition, jackknife_error};
use bvlab_core::maths::hypot;
use bvlab_core::task::Outcome;
use bvlab_experiment::Experiment;
use bvlab_experiment::words::{Formula, Reference, Referent};

/// The numbers of a run and of its variants.
pub struct Evidence<'a> {
    /// The experiment's own run first.
    runs: Vec<RunEvidence<'a>>,
    /// Expressions that were computed with the run, where only its tables are left.
    saved: Option<&'a SavedValues>,
}

/// The value of an expression as it was computed with a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedValue {
    /// The value; `None` where it is not a finite number.
    pub value: Option<f64>,
    /// Its standard error; `None` where none is known.
    pub se: Option<f64>,
}

/// Expressions of several numbers by their text, for writing the same words again.
pub type SavedValues = BTreeMap<String, SavedValue>;

/// The value of an expression.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FormulaValue {
    /// The value; NaN where it is not known.
    pub value: f64,
    /// Its standard error: 0 for what is exact, NaN where none is known.
    pub se: f64,
    /// Why it cannot be trusted or is not known, if so.
    pub doubt: Option<String>,
    /// Whether its error needs numbers that are not in the saved tables.
    pub needs_run: bool,
}

/// A number that a reference stands for.
#[derive(Clone, Debug)]
struct EvidenceCell {
    value: f64,
    /// `None` for what is exact, NaN where no error is known.
    se: Option<f64>,
    doubt: Option<String>,
    /// Where it comes from, if its values with groups left out are known.
    origin: Option<Origin>,
}

/// An average of a run.
#[derive(Clone, Copy, Debug)]
struct Origin {
    run: usize,
    learner: usize,
    setting: usize,
    average: Averaged,
}

impl EvidenceCell {
    fn exact(value: f64) -> Self {
        EvidenceCell {
            value,
            se: None,
            doubt: None,
            origin: None,
        }
    }

    fn missing(why: impl Into<String>) -> Self {
        EvidenceCell {
            doubt: Some(why.into()),
            ..EvidenceCell::exact(f64::NAN)
        }
    }
}

/// An uncertain number in an expression: which reference, its value, its error and its gradient.
struct Uncertain<'a> {
    which: usize,
    se: f64,
    gradient: f64,
    /// The values with each group left out, where they are paired with the others'.
    left_out: Option<Vec<f64>>,
    origin: Option<(&'a Decomposition, Origin)>,
}

impl<'a> Evidence<'a> {
    /// What a finished run and its variants gave. `variants` may be empty where they were not
    /// computed.
    pub fn of(experiment: &'a Experiment, outcome: &'a Outcome, variants: &'a [Outcome]) -> Self {
        let main = RunEvidence::of(&experiment.task, outcome);
        let others = experiment.variants.iter().zip(variants);
        let others = others.map(|(one, outcome)| RunEvidence::of(&one.experiment.task, outcome));
        Evidence {
            runs: [main].into_iter().chain(others).collect(),
            saved: None,
        }
    }

    /// What saved tables tell; `saved` are the expressions that were computed with the run.
    pub fn saved(runs: Vec<RunEvidence<'a>>, saved: &'a SavedValues) -> Self {
        Evidence {
            runs,
            saved: Some(saved),
        }
    }

    /// The run of a number.
    pub(crate) fn run(&self, which: usize) -> Option<&RunEvidence<'a>> {
        self.runs.get(which)
    }

    /// The number of groups, or of resamples, that errors come from.
    pub(crate) fn groups(&self) -> usize {
        self.runs.first().map_or(0, |run| run.groups)
    }

    fn cell(&self, reference: &Reference) -> EvidenceCell {
        match &reference.what {
            Referent::Setting(value) => return EvidenceCell::exact(*value),
            Referent::Missing(why) => return EvidenceCell::missing(why.clone()),
            _ => {}
        }
        let Some(run) = self.runs.get(reference.run) else {
            return EvidenceCell::missing("the variant was not computed");
        };
        match &reference.what {
            Referent::Column { name, learner, at } => {
                run.column(reference.run, name, *learner, *at)
            }
            Referent::Selection {
                name,
                learner,
                method,
                at,
            } => run.selection(name, *learner, method, *at),
            Referent::Best {
                learner,
                axis,
                held,
            } => run.best_value(*learner, *axis, *held),
            Referent::Series {
                panel,
                series,
                x,
                theory,
            } => run.series(panel, series, *x, *theory),
            Referent::Setting(_) | Referent::Missing(_) => {
                EvidenceCell::missing("it is not of a run")
            }
        }
    }

    /// The value of an expression, with its standard error.
    pub fn value(&self, formula: &Formula) -> FormulaValue {
        let cells: Vec<EvidenceCell> = formula.references.iter().map(|r| self.cell(r)).collect();
        let values: Vec<f64> = cells.iter().map(|cell| cell.value).collect();
        let value = formula.at(&values);
        let doubt = cells.iter().find_map(|cell| cell.doubt.clone());
        let mut found = FormulaValue {
            value,
            se: 0.0,
            doubt,
            needs_run: false,
        };
        let uncertain = cells.iter().filter(|cell| cell.se.is_some()).count();
        if formula.single().is_some() || uncertain == 0 {
            let se = cells.first().and_then(|cell| cell.se);
            found.se = se.filter(|_| uncertain > 0).unwrap_or(0.0);
            return found;
        }
        if let Some(saved) = self.saved {
            return match saved.get(&formula.text) {
                Some(saved) => FormulaValue {
                    value: saved.value.unwrap_or(f64::NAN),
                    se: saved.se.unwrap_or(f64::NAN),
                    ..found
                },
                None => FormulaValue {
                    needs_run: true,
                    ..found
                },
            };
        }
        found.se = self.error(formula, &cells, &values);
        found
    }

    /// The standard error of an expression.
    fn error(&self, formula: &Formula, cells: &[EvidenceCell], values: &[f64]) -> f64 {
        let uncertain = cells.iter().enumerate().filter_map(|(which, cell)| {
            let se = cell.se?;
            let origin = cell.origin.and_then(|origin| {
                let (_, results) = self.runs.get(origin.run)?.results?;
                let learner = results.learners.get(origin.learner)?;
                Some((&learner.decomposition, origin))
            });
            let paired = origin.filter(|(_, origin)| self.is_paired(origin.run));
            let left_out = paired.map(|(all, origin)| all.left_out(origin.setting, origin.average));
            Some(Uncertain {
                which,
                se,
                gradient: gradient(formula, values, which, se),
                left_out,
                origin,
            })
        });
        let uncertain: Vec<Uncertain> = uncertain.collect();
        let alone = uncertain.iter().filter(|one| one.left_out.is_none());
        let alone = alone.map(|one| match one.gradient == 0.0 {
            true => 0.0,
            false => one.gradient * one.se,
        });
        let alone = alone.fold(0.0, hypot);
        let of_groups = self.jackknife(formula, &uncertain, values);
        let of_points = match uncertain.as_slice() {
            // The error beside the number knows more of its test points than the points tell.
            [one] => {
                let own = one.left_out.as_deref().map_or(0.0, jackknife_error);
                return match own > 0.0 {
                    true => of_groups * (one.se / own),
                    false => (one.gradient * one.se).abs(),
                };
            }
            several => self.points_error(several),
        };
        hypot(hypot(of_groups, of_points), alone)
    }

    /// Whether the groups of a run are those of the experiment's own.
    fn is_paired(&self, run: usize) -> bool {
        let counts = |which: usize| self.runs.get(which).map(|run| (run.resamples, run.groups));
        counts(run) == counts(0)
    }

    /// The standard error of an expression from its values with each group left out.
    fn jackknife(&self, formula: &Formula, uncertain: &[Uncertain], values: &[f64]) -> f64 {
        let paired = || {
            uncertain
                .iter()
                .filter_map(|one| Some((one.which, one.left_out.as_ref()?)))
        };
        let groups = paired().map(|(_, left_out)| left_out.len()).min();
        let Some(groups) = groups.filter(|groups| *groups > 1) else {
            return if paired().next().is_some() {
                f64::NAN
            } else {
                0.0
            };
        };
        let mut without = values.to_vec();
        let left_out = (0..groups).map(|group| {
            for (which, left_out) in paired() {
                without[which] = left_out[group];
            }
            formula.at(&without)
        });
        jackknife_error(&left_out.collect::<Vec<f64>>())
    }

    /// What drawn test points add, to first order. Numbers at the same points are taken together.
    fn points_error(&self, uncertain: &[Uncertain]) -> f64 {
        // By set of test points: a decomposition that knows them, and the combination there.
        let mut sets: Vec<(usize, &Decomposition, Vec<f64>)> = Vec::new();
        for one in uncertain.iter().filter(|one| one.left_out.is_some()) {
            let Some((all, origin)) = one.origin else {
                continue;
            };
            let Some(at) = self.runs[origin.run].at_points(all, origin) else {
                continue;
            };
            let mean: f64 = at.iter().zip(all.weights()).map(|(v, w)| v * w).sum();
            let moved = at.iter().map(|value| one.gradient * (value - mean));
            let same = sets.iter_mut().find(|(run, _, sums)| {
                sums.len() == at.len() && self.same_points(*run, origin.run)
            });
            match same {
                Some((_, _, sums)) => sums.iter_mut().zip(moved).for_each(|(sum, v)| *sum += v),
                None => sets.push((origin.run, all, moved.collect())),
            }
        }
        let errors = sets
            .iter()
            .map(|(_, all, sums)| all.points_error(sums, 0.0));
        errors.fold(0.0, hypot)
    }

    /// Whether two runs are tested at the same points.
    fn same_points(&self, a: usize, b: usize) -> bool {
        let points = |run: usize| {
            let (plan, _) = self.runs.get(run)?.results?;
            Some((plan.test.points.values(), &plan.test.weights))
        };
        a == b || points(a) == points(b)
    }
}

/// The derivative of an expression by one of its numbers.
fn gradient(formula: &Formula, values: &[f64], which: usize, se: f64) -> f64 {
    let size = values[which]
        .abs()
        .max(if se.is_finite() { se } else { 0.0 });
    let step = match size > 0.0 {
        true => 1e-6 * size,
        false => 1e-9,
    };
    let at = |moved: f64| {
        let mut values = values.to_vec();
        values[which] += moved;
        formula.at(&values)
    };
    (at(step) - at(-step)) / (2.0 * step)
}
