//! The numbers of one run.

use std::borrow::Cow;
use std::ops::Range;

use super::{EvidenceCell, Origin};
use crate::best::{Bests, LearnerBest, spoiled};
use crate::columns::{
    BIAS2, BIAS2_EXACT, DOUBT, LEARNER, METHOD, NOISE, PANEL, RISK, RISK_MEDIAN, SE, SERIES,
    TEST_RISK, THEORY, TRAIN_RISK, VALUE, VARIANCE, VARIANCE_EXACT, X, se_of,
};
use crate::table::Table;
use crate::tables::Tables;
use bvlab_core::decompose::{Averaged, Decomposition, groups_for};
use bvlab_core::engine::Results;
use bvlab_core::plan::{Curve, Plan};
use bvlab_core::task::{Description, Outcome, Task};
use bvlab_experiment::words::{HeldAxis, SelectionPlace, SettingPlace};

/// The averages that are known with each group left out, by column.
const AVERAGES: [(&str, Averaged); 6] = [
    (NOISE, Averaged::Noise),
    (BIAS2, Averaged::Bias2),
    (VARIANCE, Averaged::Variance),
    (RISK, Averaged::Risk),
    (TRAIN_RISK, Averaged::Train),
    (TEST_RISK, Averaged::Test),
];

/// What the names of columns begin with that are means over training sets.
const MEANS: [&str; 8] = [
    "bias2",
    "variance",
    "risk",
    "test_risk",
    "member_risk",
    "average_",
    "diversity",
    "risk_above_best",
];

/// What the names of columns begin with that are not, although the list above says so.
const NO_MEANS: [&str; 5] = [
    "risk_median",
    "risk_q",
    "bias2_exact",
    "variance_exact",
    "variance_shared",
];

/// The numbers of one run: its main table, its best settings and, of a run that has just ended, what
/// its errors follow from.
pub struct RunEvidence<'a> {
    description: Cow<'a, Description>,
    table: Cow<'a, Table>,
    best: Cow<'a, Bests>,
    /// The tables `selection` and `choices`, of a run with methods of selection.
    selection: [Cow<'a, Table>; 2],
    pub(super) results: Option<(&'a Plan, &'a Results)>,
    pub(super) resamples: u64,
    pub(super) groups: usize,
}

impl<'a> RunEvidence<'a> {
    /// Of a run that has just ended.
    pub fn of(task: &'a Task, outcome: &'a Outcome) -> Self {
        let results = match (task, outcome) {
            (Task::Study(plan), Outcome::Study(results)) => Some((&**plan, &**results)),
            _ => None,
        };
        let best = results.map(|(plan, results)| Bests::of(plan, results));
        let (resamples, groups) = outcome.counts();
        RunEvidence {
            description: Cow::Owned(task.describe()),
            table: Cow::Owned(Tables::main_table(task, outcome)),
            best: Cow::Owned(best.unwrap_or_default()),
            selection: match results {
                Some((plan, results)) => {
                    Tables::selection_and_choices(plan, results).map(Cow::Owned)
                }
                None => [Cow::default(), Cow::default()],
            },
            results,
            resamples,
            groups,
        }
    }

    /// Of saved tables.
    pub fn saved(
        description: &'a Description,
        table: Cow<'a, Table>,
        best: &'a Bests,
        resamples: u64,
    ) -> Self {
        RunEvidence {
            groups: match description {
                Description::Study(_) => groups_for(resamples),
                Description::Simulation(_) => resamples as usize,
            },
            description: Cow::Borrowed(description),
            table,
            best: Cow::Borrowed(best),
            selection: [Cow::default(), Cow::default()],
            results: None,
            resamples,
        }
    }

    /// The same with what methods of selection did.
    pub fn with_selection(self, selection: &'a Table, choices: &'a Table) -> Self {
        RunEvidence {
            selection: [selection, choices].map(Cow::Borrowed),
            ..self
        }
    }

    /// A number of a method of selection.
    pub(super) fn selection(
        &self,
        name: &str,
        learner: usize,
        method: &str,
        at: SelectionPlace,
    ) -> EvidenceCell {
        let Some((curve, _)) = self.curve(learner) else {
            return EvidenceCell::missing("the learner was not computed");
        };
        let (table, place) = match at {
            SelectionPlace::Setting(setting) => (&self.selection[0], setting),
            SelectionPlace::Choice(row) => (&self.selection[1], row),
        };
        let (learners, methods) = (table.texts(LEARNER), table.texts(METHOD));
        let own = learners.iter().zip(methods).enumerate();
        let own = own.filter(|(_, (l, m))| ***l == *curve.name && ***m == *method);
        let row = own.map(|(row, _)| row).nth(place);
        let number = |name: &str| table.numbers(name).get(row?).copied();
        match number(name).filter(|value| !value.is_nan()) {
            Some(value) => EvidenceCell {
                value,
                se: number(&se_of(name)),
                doubt: None,
                origin: None,
            },
            None => EvidenceCell::missing(format!("`{name}` is not known of `{method}`")),
        }
    }

    /// The curve of a learner, and its rows in the table.
    fn curve(&self, learner: usize) -> Option<(&Curve, Range<usize>)> {
        let curves = &self.description.study()?.curves;
        let start: usize = curves.iter().take(learner).map(Curve::settings).sum();
        let curve = curves.get(learner)?;
        Some((curve, start..start + curve.settings()))
    }

    /// The plan and the estimates of a learner, of a run that has just ended.
    pub(crate) fn learner(
        &self,
        learner: usize,
    ) -> Option<(&'a Plan, &'a Results, &'a Decomposition)> {
        let (plan, results) = self.results?;
        let found = results.learners.get(learner)?;
        Some((plan, results, &found.decomposition))
    }

    pub(super) fn column(
        &self,
        run: usize,
        name: &str,
        learner: usize,
        at: SettingPlace,
    ) -> EvidenceCell {
        let Some((curve, rows)) = self.curve(learner) else {
            return EvidenceCell::missing("the learner was not computed");
        };
        let setting = match at {
            SettingPlace::Number(setting) => Some(setting),
            SettingPlace::Best(held) => self.best_setting(learner, held),
        };
        let Some(setting) = setting.filter(|setting| *setting < rows.len()) else {
            return EvidenceCell::missing("no setting is the best");
        };
        let row = rows.start + setting;
        let numbers = self.table.numbers(name).get(row).copied();
        let wholes = || self.table.wholes(name).get(row).map(|count| *count as f64);
        let Some(value) = numbers.or_else(wholes) else {
            return EvidenceCell::missing(format!("the table has no column `{name}`"));
        };
        let se = self.table.numbers(&se_of(name)).get(row).copied();
        let average = AVERAGES.iter().find(|(known, _)| *known == name);
        EvidenceCell {
            value,
            se,
            doubt: self.doubt(name, curve, &rows, setting, value),
            origin: average.map(|(_, average)| Origin {
                run,
                learner,
                setting,
                average: *average,
            }),
        }
    }

    /// Why a number of a setting cannot be trusted.
    fn doubt(
        &self,
        name: &str,
        curve: &Curve,
        rows: &Range<usize>,
        setting: usize,
        value: f64,
    ) -> Option<String> {
        let begins = |list: &[&str]| list.iter().any(|known| name.starts_with(known));
        let row = rows.start + setting;
        let at = match curve.describe(setting) {
            at if at.is_empty() => String::new(),
            at => format!(" at {at}"),
        };
        if begins(&MEANS) && !begins(&NO_MEANS) && spoiled(&self.table, &(row..row + 1)) == [true] {
            let doubts = self.table.texts(DOUBT).get(row);
            let doubts = doubts.map_or("heavy-tail", |names| names.split(' ').next().unwrap_or(""));
            return Some(format!("the mean may not exist{at} ({doubts})"));
        }
        value.is_nan().then(|| format!("`{name}` is not known{at}"))
    }

    /// The number of the best setting, of all or of those at one value of an axis.
    fn best_setting(&self, learner: usize, held: Option<HeldAxis>) -> Option<usize> {
        let (curve, rows) = self.curve(learner)?;
        let found = self.best.of_learner(&curve.name);
        let found = found.filter(|found| found.fits(curve)).cloned();
        let found = match found {
            Some(found) => found,
            None => LearnerBest::from_table(&self.table, curve, rows.clone())?,
        };
        match held {
            None => Some(found.best.setting),
            Some(HeldAxis { axis: 1, value }) => found.along.get(value).map(|best| best.setting),
            Some(HeldAxis { value, .. }) => {
                let row = curve.row();
                let settings = (0..curve.settings() / row).map(|line| value + line * row);
                self.lowest(&rows, settings.collect())
            }
        }
    }

    /// Which of some settings has the lowest risk: by exact risks where all have one, else by
    /// estimates whose mean exists, else by medians.
    fn lowest(&self, rows: &Range<usize>, settings: Vec<usize>) -> Option<usize> {
        let column = |name: &str| self.table.numbers(name).get(rows.clone());
        let spoiled = spoiled(&self.table, rows);
        let [noise, bias2, variance] = [NOISE, BIAS2_EXACT, VARIANCE_EXACT].map(column);
        let exact = |setting: &usize| {
            let risk = noise?.get(*setting)? + bias2?.get(*setting)? + variance?.get(*setting)?;
            (!risk.is_nan()).then_some(risk)
        };
        let all_exact = settings.iter().all(|setting| exact(setting).is_some());
        let risk = |setting: &usize| match all_exact {
            true => exact(setting),
            false => column(RISK)?.get(*setting).copied(),
        };
        let least = |sound: bool, number: &dyn Fn(&usize) -> Option<f64>| {
            let kept = settings
                .iter()
                .filter(|setting| !sound || !spoiled.get(**setting).copied().unwrap_or(true));
            let numbers = kept.filter_map(|setting| Some((*setting, number(setting)?)));
            let numbers = numbers.filter(|(_, number)| !number.is_nan());
            numbers
                .min_by(|a, b| a.1.total_cmp(&b.1))
                .map(|(setting, _)| setting)
        };
        let median = |setting: &usize| column(RISK_MEDIAN)?.get(*setting).copied();
        least(true, &risk).or_else(|| least(false, &median))
    }

    pub(super) fn best_value(
        &self,
        learner: usize,
        axis: usize,
        held: Option<HeldAxis>,
    ) -> EvidenceCell {
        let setting = self.best_setting(learner, held);
        let found = self.curve(learner).zip(setting);
        match found {
            Some(((curve, _), setting)) if setting < curve.settings() => {
                EvidenceCell::exact(match axis {
                    0 => curve.value(setting),
                    _ => curve.second(setting),
                })
            }
            _ => EvidenceCell::missing("no setting is the best"),
        }
    }

    /// A row of a simulation.
    pub(super) fn series(&self, panel: &str, series: &str, x: f64, theory: bool) -> EvidenceCell {
        let places = self.table.texts(PANEL).iter().zip(self.table.texts(SERIES));
        let mut places = places.zip(self.table.numbers(X));
        let row = places.position(|((p, s), at)| &**p == panel && &**s == series && *at == x);
        let number = |name: &str| self.table.numbers(name).get(row?).copied();
        let (value, se) = match theory {
            true => (number(THEORY), None),
            false => (number(VALUE), number(SE)),
        };
        match value.filter(|value| !value.is_nan()) {
            Some(value) => EvidenceCell {
                value,
                se,
                doubt: None,
                origin: None,
            },
            None if theory => EvidenceCell::missing(format!("theory says nothing of `{series}`")),
            None => EvidenceCell::missing(format!("`{series}` was not simulated at x = {x}")),
        }
    }

    /// What an average is the average of, by test point.
    pub(super) fn at_points(&self, all: &Decomposition, origin: Origin) -> Option<Vec<f64>> {
        let (plan, results) = self.results?;
        let problem = *plan
            .paths
            .get(origin.learner)?
            .problems()
            .get(origin.setting)?;
        let noise = results.noise.get(problem)?;
        all.at_points(origin.setting, origin.average, noise)
    }
}
