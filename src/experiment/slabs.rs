//! Large two-way sweeps, a few values of the second axis at a time.

use std::collections::HashMap;
use std::ops::Range;

use super::{Curve, Experiment, Stage};
use crate::problem::Problem;

/// A part of an experiment that is computed at a time: some of its settings, over all resamples.
pub struct Slab {
    /// The same experiment with these settings only, and without training sets to keep.
    pub experiment: Experiment,
    /// Which of the whole experiment's learners it has.
    pub curves: Range<usize>,
}

impl Curve {
    /// How many settings there are for one value of the second axis: those of the first.
    pub(super) fn row(&self) -> usize {
        self.axes.first().map_or(1, |axis| axis.values.len()).max(1)
    }

    /// How many values of the second axis are computed at a time, if a slab has so many settings.
    pub(super) fn rows_at_once(&self, slab: usize) -> usize {
        (slab / self.row()).max(1)
    }

    /// The curve at some values of its second axis.
    fn rows(&self, rows: &Range<usize>) -> Curve {
        let mut part = self.clone();
        if let Some(axis) = part.axes.get_mut(1) {
            axis.values = axis.values[rows.clone()].to_vec();
        }
        let settings = rows.start * self.row()..rows.end * self.row();
        let inside = |stage: &&Stage| stage.settings.iter().all(|s| settings.contains(s));
        part.stages = self.stages.iter().filter(inside).cloned().collect();
        for setting in part.stages.iter_mut().flat_map(|stage| &mut stage.settings) {
            *setting -= settings.start;
        }
        part
    }
}

impl Experiment {
    /// The parts that it is computed in, in the order of its learners and of their second axes; one
    /// where all fits in memory.
    ///
    /// They follow from the experiment alone, never from the machine. A learner gives the same with
    /// fewer values of the second axis, so that tables do not depend on them either, but for
    /// rounding where random features are swept on the second axis.
    pub fn slabs(&self) -> Vec<Slab> {
        let most = self.run.slab.unwrap_or(usize::MAX);
        // For every slab: the learners, and the rows of the first and of the last.
        let mut slabs: Vec<Vec<(usize, Range<usize>)>> = Vec::new();
        let mut room = 0;
        for (which, curve) in self.curves.iter().enumerate() {
            let all = curve.axes.get(1).map_or(1, |axis| axis.values.len());
            let step = curve.rows_at_once(most);
            for start in (0..all).step_by(step) {
                let rows = start..(start + step).min(all);
                let size = rows.len() * curve.row();
                if size > room || slabs.is_empty() {
                    slabs.push(Vec::new());
                    room = most;
                }
                room = room.saturating_sub(size);
                let slab = slabs.last_mut().expect("one was just made");
                match slab.last_mut() {
                    Some((last, before)) if *last == which => before.end = rows.end,
                    _ => slab.push((which, rows)),
                }
            }
        }
        slabs.iter().map(|parts| self.slab(parts)).collect()
    }

    fn slab(&self, parts: &[(usize, Range<usize>)]) -> Slab {
        let curves = parts
            .iter()
            .map(|(which, rows)| self.curves[*which].rows(rows));
        let mut experiment = Experiment {
            curves: curves.collect(),
            problems: Vec::new(),
            figures: Vec::new(),
            ..self.clone()
        };
        experiment.run.keep_data = 0;
        // Only the problems that are needed are drawn.
        let mut known: HashMap<usize, usize> = HashMap::new();
        let mut problems: Vec<Problem> = Vec::new();
        let stages = experiment
            .curves
            .iter_mut()
            .flat_map(|curve| &mut curve.stages);
        for stage in stages {
            stage.problem = *known.entry(stage.problem).or_insert_with(|| {
                problems.push(self.problems[stage.problem].clone());
                problems.len() - 1
            });
        }
        experiment.problems = problems;
        let first = parts.first().map_or(0, |(which, _)| *which);
        let end = parts.last().map_or(0, |(which, _)| which + 1);
        Slab {
            experiment,
            curves: first..end,
        }
    }
}
