//! What the numbers of a study are about, without its learners.

use serde::{Deserialize, Serialize};

use super::{CapacityPath, Curve, Plan, TestKind};
use crate::decompose::Loss;
use crate::problem::Resample;
use crate::words::thousands;

/// What the tables of a study contain: enough to draw and label them.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct StudyDescription {
    /// The learners' names and axes.
    pub curves: Vec<Curve>,
    /// By curve and setting: which of the problems it was fitted to; absent where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<Vec<usize>>>,
    /// By curve: whether the learner solves for weights, so that their rank, condition and norm are
    /// known.
    pub solves: Vec<bool>,
    /// By curve: whether a lower bound on the label noise's part of the variance is known; absent where
    /// there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bounds: Vec<bool>,
    /// By problem: how many points a training set has.
    pub train: Vec<usize>,
    /// How many coordinates an input has.
    pub dimension: usize,
    /// The range of the inputs.
    pub range: (f64, f64),
    /// How many classes there are; 0 where labels are numbers.
    pub classes: usize,
    /// Whether a density is estimated, and errors are integrated over x; then there are no labels.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub density: bool,
    /// The table that rows were drawn from, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<TableDescription>,
    /// Where test points come from.
    pub test: TestKind,
    /// The loss.
    pub loss: Loss,
    /// Whether the variance is split by source.
    pub sources: bool,
    /// Whether the diversity of ensembles is measured.
    pub diversity: bool,
    /// The methods that select a setting.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub select: Vec<MethodDescription>,
    /// Whether degrees of freedom and optimism are measured.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub df: bool,
    /// By curve: whether the learner is a smoother, whose effective parameters are then known with
    /// `df`; absent without.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub smooths: Vec<bool>,
    /// How many resamples' risks are kept.
    pub keep: u64,
    /// How many resamples' fits are kept.
    pub keep_fits: u64,
}

/// The description of a method of selection.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct MethodDescription {
    /// Its name.
    pub name: String,
    /// What figures call it.
    pub label: String,
    /// Whether it estimates the risk, in units of the loss; else it only ranks settings.
    pub estimates_risk: bool,
    /// Whether its largest value is the best.
    pub prefers_large: bool,
}

/// The description of a table of real data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct TableDescription {
    /// How training sets are drawn from its rows.
    pub resample: Resample,
    /// How many rows there are to train on.
    pub rows: usize,
}

impl StudyDescription {
    /// Whether the truth is known: a table has rows in its place.
    pub fn knows_truth(&self) -> bool {
        self.table.is_none()
    }

    /// The problem that a curve's setting was fitted to.
    pub fn problem_of(&self, curve: &Curve, setting: usize) -> usize {
        let which = self
            .curves
            .iter()
            .position(|other| other.name == curve.name);
        let problems = self.problems.as_ref().zip(which);
        let found = problems.and_then(|(all, which)| all.get(which)?.get(setting).copied());
        found.unwrap_or(0)
    }

    /// The number of points in a training set, in words: `100`, or `10 to 500` where it is swept.
    pub fn train_sizes(&self) -> String {
        let sizes = || self.train.iter().map(|size| *size as u64);
        let [least, most] = [sizes().min(), sizes().max()].map(|size| size.unwrap_or(0));
        match least == most {
            true => thousands(most),
            false => format!("{} to {}", thousands(least), thousands(most)),
        }
    }

    /// What was drawn, in words: `1000 training sets of 40 points`.
    pub fn drawn(&self, resamples: u64) -> String {
        let sizes = self.train_sizes();
        let count = thousands(resamples);
        if let Some(table) = self.table {
            let most = self.train.iter().max().copied().unwrap_or(1).max(1);
            let how = match table.resample {
                Resample::Bootstrap => "bootstraps",
                Resample::Halves => "random halves",
                Resample::Disjoint => match resamples <= (table.rows / most) as u64 {
                    true => "disjoint training sets",
                    false => "training sets, disjoint until the rows are used up",
                },
            };
            let rows = thousands(table.rows as u64);
            return match sizes == rows {
                true => format!("{count} {how} of {rows} rows"),
                false => format!("{count} {how}, {sizes} of {rows} rows"),
            };
        }
        let points = if sizes == "1" { "point" } else { "points" };
        match self.sources {
            true => {
                format!("{count} resamples of 8 crossed fits to training sets of {sizes} {points}")
            }
            false => format!("{count} training sets of {sizes} {points}"),
        }
    }
}

impl Plan {
    /// By setting of a learner, the lower bound on the label noise's part of the variance, NaN where it
    /// has none; `None` where no setting has one, or test points are not drawn from the inputs' law.
    pub fn label_noise_bounds(&self, path: &CapacityPath) -> Option<Vec<f64>> {
        if self.test.kind != TestKind::Drawn {
            return None;
        }
        let mut all = vec![f64::NAN; path.curve.settings()];
        // Of some stages no setting may have one.
        let mut any = false;
        for stage in &path.stages {
            let problem = &self.problems[stage.problem];
            let bounds = stage.learner.label_noise_bound(problem);
            for (bound, &setting) in bounds.into_iter().flatten().zip(&stage.settings) {
                all[setting] = bound;
                any = true;
            }
        }
        any.then_some(all)
    }

    /// What its numbers are about.
    pub fn describe(&self) -> StudyDescription {
        let problem = self.problem();
        let problems = (self.problems.len() > 1)
            .then(|| self.paths.iter().map(|path| path.problems()).collect());
        StudyDescription {
            curves: self.curves().cloned().collect(),
            problems,
            solves: self
                .paths
                .iter()
                .map(|path| {
                    let mut stages = path.stages.iter();
                    stages.any(|stage| stage.learner.solves_for(&self.problems[stage.problem]))
                })
                .collect(),
            bounds: {
                let bounds = |path: &CapacityPath| self.label_noise_bounds(path).is_some();
                let bounds: Vec<bool> = self.paths.iter().map(bounds).collect();
                match bounds.contains(&true) {
                    true => bounds,
                    false => Vec::new(),
                }
            },
            train: self.problems.iter().map(|problem| problem.train).collect(),
            dimension: problem.dimension,
            range: problem.inputs.range(),
            classes: problem.classes(),
            density: problem.density().is_some(),
            table: problem.rows().map(|rows| TableDescription {
                resample: rows.resample,
                rows: rows.train.len(),
            }),
            test: self.test.kind,
            loss: self.run.loss,
            sources: self.run.sources,
            diversity: self.run.diversity,
            select: self
                .run
                .select
                .iter()
                .map(|method| MethodDescription {
                    name: method.name().to_owned(),
                    label: method.label().to_owned(),
                    estimates_risk: method.estimates_risk(),
                    prefers_large: method.prefers_large(),
                })
                .collect(),
            df: self.run.df,
            smooths: match self.run.df && problem.classes() == 0 {
                true => self.paths.iter().map(CapacityPath::is_smoother).collect(),
                false => Vec::new(),
            },
            keep: self.run.keep,
            keep_fits: self.run.keep_fits,
        }
    }
}
