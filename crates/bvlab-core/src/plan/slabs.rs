//! Large two-way sweeps, a few values of the second axis at a time.

use std::collections::HashMap;
use std::ops::Range;

use super::{CapacityPath, Curve, Plan, PlanParts, Stage};
use crate::problem::Problem;

/// A part of a plan that is computed at a time: some of its settings, over all resamples.
pub struct Slab {
    /// The same plan with these settings only, and without training sets to keep.
    pub plan: Plan,
    /// Which of the whole plan's learners it has.
    pub paths: Range<usize>,
}

/// Which values of the second axis of which learner a slab has.
type SlabRows = Vec<(usize, Range<usize>)>;

impl Curve {
    /// How many values of the second axis are computed at a time, if a slab has so many settings.
    pub fn rows_at_once(&self, slab: usize) -> usize {
        (slab / self.row()).max(1)
    }
}

impl CapacityPath {
    /// The path at some values of its second axis.
    fn rows(&self, rows: &Range<usize>) -> CapacityPath {
        let mut curve = self.curve.clone();
        if let Some(axis) = curve.axes.get_mut(1) {
            axis.values = axis.values[rows.clone()].to_vec();
        }
        let row = self.curve.row();
        let settings = rows.start * row..rows.end * row;
        let inside = |stage: &&Stage| stage.settings.iter().all(|s| settings.contains(s));
        let mut stages: Vec<Stage> = self.stages.iter().filter(inside).cloned().collect();
        for setting in stages.iter_mut().flat_map(|stage| &mut stage.settings) {
            *setting -= settings.start;
        }
        CapacityPath { curve, stages }
    }

    /// Whether no stage has settings of two slabs.
    pub(super) fn fits_slabs(&self, slab: usize) -> bool {
        let at_once = self.curve.row() * self.curve.rows_at_once(slab);
        self.stages.iter().all(|stage| {
            let mut slabs = stage.settings.iter().map(|setting| setting / at_once);
            let first = slabs.next();
            slabs.all(|slab| Some(slab) == first)
        })
    }
}

impl Plan {
    /// The number of parts that it is computed in; one where all fits in memory.
    pub fn slab_count(&self) -> usize {
        self.slab_rows().len()
    }

    /// The parts that it is computed in, in the order of its learners and of their second axes.
    ///
    /// They follow from the plan alone, never from the machine. A learner gives the same with fewer
    /// values of the second axis, so that tables do not depend on them either, but for rounding
    /// where random features are swept on the second axis.
    pub fn slabs(&self) -> impl ExactSizeIterator<Item = Slab> {
        self.slab_rows().into_iter().map(|rows| self.slab(&rows))
    }

    fn slab_rows(&self) -> Vec<SlabRows> {
        let most = self.run.slab.unwrap_or(usize::MAX);
        let mut slabs: Vec<SlabRows> = Vec::new();
        let mut room = 0;
        for (which, curve) in self.curves().enumerate() {
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
        slabs
    }

    fn slab(&self, rows: &SlabRows) -> Slab {
        let paths = rows
            .iter()
            .map(|(which, rows)| self.paths[*which].rows(rows));
        let mut paths: Vec<CapacityPath> = paths.collect();
        // Only the problems that are needed are drawn.
        let mut known: HashMap<usize, usize> = HashMap::new();
        let mut problems: Vec<Problem> = Vec::new();
        for stage in paths.iter_mut().flat_map(|path| &mut path.stages) {
            stage.problem = *known.entry(stage.problem).or_insert_with(|| {
                problems.push(self.problems[stage.problem].clone());
                problems.len() - 1
            });
        }
        let mut run = self.run.clone();
        run.keep_data = 0;
        let first = rows.first().map_or(0, |(which, _)| *which);
        let end = rows.last().map_or(0, |(which, _)| which + 1);
        let parts = PlanParts {
            problems,
            test: self.test.clone(),
            paths,
            run,
            keep_asked: self.keep_asked,
        };
        Slab {
            plan: Plan { parts },
            paths: first..end,
        }
    }
}
