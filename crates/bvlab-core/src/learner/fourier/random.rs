//! What random features are, and how they are drawn.

use std::ops::Range;

use rand::RngExt;

use crate::data::Points;
use crate::lanes::wide;
use crate::learner::room;
use crate::maths::{fast_cosines, normal};
use crate::stream::Stream;

/// What a random feature computes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FeatureKind {
    /// √(2/p) cos(ω·x + b).
    #[default]
    Cosine,
    /// √(2/p) max(0, w·x + b).
    Relu,
    /// √(1/p) (w·x + b).
    Projection,
}

impl FeatureKind {
    /// The factor of p features, with which their squares sum to about that of w·x + b, or to 1.
    pub(super) fn norm(self, p: usize) -> f64 {
        match self {
            FeatureKind::Cosine | FeatureKind::Relu => (2.0 / p as f64).sqrt(),
            FeatureKind::Projection => (1.0 / p as f64).sqrt(),
        }
    }
}

/// The random features as they were drawn last.
#[derive(Clone, Debug, Default)]
pub(super) struct RandomFeatures {
    pub(super) kind: FeatureKind,
    /// At scale 1, feature by feature.
    frequencies: Vec<f64>,
    phases: Vec<f64>,
    /// Coordinate by coordinate, so that loops run over points.
    coordinates: Vec<f64>,
}

impl RandomFeatures {
    pub(super) fn of(kind: FeatureKind) -> Self {
        RandomFeatures {
            kind,
            ..RandomFeatures::default()
        }
    }

    pub(super) fn draw(&mut self, count: usize, dimension: usize, stream: &Stream) {
        let mut stream = stream.child(0);
        self.frequencies.clear();
        self.phases.clear();
        for _ in 0..count {
            for _ in 0..dimension {
                self.frequencies.push(normal(&mut stream));
            }
            self.phases.push(match self.kind {
                FeatureKind::Cosine => std::f64::consts::TAU * stream.random::<f64>(),
                _ => normal(&mut stream),
            });
        }
    }

    /// Without their factor: cos(ω_j·x + b_j), max(0, w_j·x + b_j) or w_j·x + b_j of the first `count`
    /// features at some of the points, a column per feature, one after the other.
    pub(super) fn cosines(
        &mut self,
        points: &Points,
        which: Range<usize>,
        count: usize,
        scale: f64,
        columns: &mut Vec<f64>,
    ) {
        let (length, dimension) = (which.len(), points.dimension());
        let rows = which.map(|i| points.row(i));
        self.coordinates.clear();
        for k in 0..dimension {
            self.coordinates.extend(rows.clone().map(|row| row[k]));
        }
        let columns = room(columns, count * length);
        if length == 0 {
            return;
        }
        // The scale is that of the frequencies, or of the constants.
        let (scale, shift) = match self.kind {
            FeatureKind::Cosine => (scale, 1.0),
            _ => (1.0 / (dimension as f64).sqrt(), scale),
        };
        wide(
            #[inline(always)]
            || {
                let frequencies = self.frequencies.chunks_exact(dimension);
                let features = frequencies.zip(&self.phases);
                for (column, (frequency, phase)) in columns.chunks_exact_mut(length).zip(features) {
                    column.fill(shift * *phase);
                    for (x, w) in self.coordinates.chunks_exact(length).zip(frequency) {
                        let w = scale * w;
                        for (sum, x) in column.iter_mut().zip(x) {
                            *sum += w * x;
                        }
                    }
                }
            },
        );
        match self.kind {
            FeatureKind::Cosine => fast_cosines(columns),
            FeatureKind::Relu => columns.iter_mut().for_each(|value| *value = value.max(0.0)),
            FeatureKind::Projection => {}
        }
    }
}
