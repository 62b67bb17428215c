//! Panels of points in the plane: the series that a figure draws them from.

use super::{PanelStyle, Row, SimulationPanel};
use crate::data::Points;
use crate::mixture_model::{GaussianMixture, MixtureComponent};
use crate::plan::Scale;

/// The series of the points: x and value are their coordinates.
pub const SCATTER_POINTS: &str = "points";
/// The series of the points that are in the wrong group.
pub const SCATTER_WRONG: &str = "wrong";
/// The series of a grid of places whose colour is that of the groups there.
pub const SCATTER_FIELD: &str = "field";

/// The series of the shares that the points of another series have of a group, counted from 0, in
/// the same order.
pub fn scatter_share(of: &str, group: usize) -> String {
    format!("{of}: share of group {}", group + 1)
}

/// The series of a line in the colour of a group, counted from 0.
pub fn scatter_line(group: usize, what: &str) -> String {
    format!("group {}: {what}", group + 1)
}

/// The group that a line's series names.
pub fn scatter_group(series: &str) -> Option<usize> {
    let (group, _) = series.strip_prefix("group ")?.split_once(": ")?;
    group
        .parse()
        .ok()
        .and_then(|group: usize| group.checked_sub(1))
}

/// How many places an ellipse is drawn through.
const AROUND: usize = 48;

/// A panel of points.
pub(super) fn panel(name: impl Into<String>, title: impl Into<String>) -> SimulationPanel {
    SimulationPanel {
        name: name.into(),
        title: title.into(),
        x: "x₁".to_owned(),
        y: "x₂".to_owned(),
        x_scale: Scale::Linear,
        y_scale: Scale::Linear,
        look: PanelStyle::Scatter,
        levels: Vec::new(),
    }
}

/// Writes the rows of a panel of points.
pub(super) struct ScatterRows<'a> {
    pub rows: &'a mut Vec<Row>,
    pub panel: &'a str,
}

impl ScatterRows<'_> {
    fn series(&mut self, name: &str, places: impl Iterator<Item = [f64; 2]>) {
        let rows = places.map(|[x, y]| Row::exact(self.panel, name, x, y));
        self.rows.extend(rows);
    }

    /// Points, and the shares that they have of some groups, point by point.
    pub fn points(&mut self, name: &str, points: &Points, shares: &[f64], groups: usize) {
        self.series(name, points.rows().map(|x| [x[0], x[1]]));
        for k in 0..groups {
            let own = shares.iter().skip(k).step_by(groups);
            let places = points.rows().zip(own).map(|(x, share)| [x[0], *share]);
            self.series(&scatter_share(name, k), places);
        }
    }

    /// Points of groups that do not overlap.
    pub fn labelled(&mut self, points: &Points, labels: &[usize], groups: usize) {
        self.points(SCATTER_POINTS, points, &hard_shares(labels, groups), groups);
    }

    /// Marks the points whose labels are not their classes.
    pub fn wrong(&mut self, points: &Points, labels: &[usize], classes: &[usize]) {
        let each = points.rows().zip(labels.iter().zip(classes));
        let wrong = each.filter(|(_, (label, class))| label != class);
        self.series(SCATTER_WRONG, wrong.map(|(x, _)| [x[0], x[1]]));
    }

    /// The centres of groups, row by row.
    pub fn centres(&mut self, centres: &[f64]) {
        for (k, centre) in centres.chunks_exact(2).enumerate() {
            self.series(
                &scatter_line(k, "centre"),
                [[centre[0], centre[1]]].into_iter(),
            );
        }
    }

    /// The means of a mixture, and ellipses at one and two standard deviations.
    pub fn mixture(&mut self, mixture: &GaussianMixture) {
        let alive = |part: &&MixtureComponent| part.weight > 0.0;
        for (k, part) in mixture.components.iter().filter(alive).enumerate() {
            for (radius, what) in [(1.0, "1σ"), (2.0, "2σ")] {
                let places = part.ellipse(radius, AROUND);
                self.series(&scatter_line(k, what), places.into_iter());
            }
        }
        let means = mixture.components.iter().filter(alive);
        let means: Vec<f64> = means.flat_map(|part| part.mean.clone()).collect();
        self.centres(&means);
    }

    /// A line in the colour of a group.
    pub fn line(&mut self, group: usize, what: &str, places: &[[f64; 2]]) {
        self.series(&scatter_line(group, what), places.iter().copied());
    }
}

/// Shares of 1 in the group of a point, and 0 in the others.
pub(super) fn hard_shares(labels: &[usize], groups: usize) -> Vec<f64> {
    let shares = labels.iter().flat_map(|label| {
        let share = |k: usize| f64::from(u8::from(k == *label));
        (0..groups).map(share).collect::<Vec<f64>>()
    });
    shares.collect()
}

/// Components in the plane from weight, mean and covariance [a, b, c] for the matrix (a b; b c).
pub(super) fn plane(parts: &[(f64, [f64; 2], [f64; 3])]) -> GaussianMixture {
    let component = |(weight, mean, [a, b, c]): &(f64, [f64; 2], [f64; 3])| {
        MixtureComponent::new(*weight, mean.to_vec(), &[*a, *b, *b, *c], 0.0)
    };
    GaussianMixture {
        components: parts.iter().map(component).collect(),
    }
}
