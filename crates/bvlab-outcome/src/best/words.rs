//! What is known of a best setting, in words.

use super::{Best, BestLearner, BestStatus, SelectionCriterion};
use bvlab_core::plan::Curve;
use bvlab_core::words::short;

impl Best {
    /// One sentence, without a full stop; empty where there is only one setting. `along` where only
    /// the first axis was varied.
    ///
    /// `best near depth = 5; 4 to 6 are within one standard error`
    pub fn words(&self, curve: &Curve, along: bool) -> String {
        let at = self.place(curve, along);
        let heavy = "heavy tails leave the best setting open";
        let words = match (self.standing, self.by) {
            (BestStatus::Single, _) => return String::new(),
            (BestStatus::Claimed, _) => return format!("best at {at}"),
            (BestStatus::Uncompared, _) => return format!("lowest at {at}"),
            (BestStatus::Tied, _) => format!("best near {at}"),
            (BestStatus::AtEnd, _) if self.varied(along) > 1 => {
                format!("lowest at the edge of the sweep, {at}")
            }
            (BestStatus::AtEnd, _) => format!("lowest at the end of the sweep, {at}"),
            (BestStatus::Doubtful, SelectionCriterion::Median) => {
                return format!("lowest median at {at}; means may not exist");
            }
            (BestStatus::Doubtful, _) => return format!("lowest at {at}; {heavy}"),
        };
        match self.ties(curve, along) {
            Some(ties) => format!("{words}; {ties}"),
            None => words,
        }
    }

    /// The same in a few words, for a figure.
    pub fn label(&self, curve: &Curve, along: bool) -> String {
        let at = self.place(curve, along);
        match (self.standing, self.by) {
            (BestStatus::Single, _) => String::new(),
            (BestStatus::Claimed, _) => format!("best at {at}"),
            (BestStatus::Tied, _) => format!("best near {at}"),
            (BestStatus::AtEnd, _) => format!("lowest at the end, {at}"),
            (BestStatus::Uncompared, _) => format!("lowest at {at}"),
            (BestStatus::Doubtful, SelectionCriterion::Median) => format!("lowest median at {at}"),
            (BestStatus::Doubtful, _) => format!("lowest at {at}, uncertain"),
        }
    }

    /// The setting, as `depth = 5`; empty where nothing is swept.
    pub fn place(&self, curve: &Curve, along: bool) -> String {
        match (along, self.at.first()) {
            (true, Some(first)) => format!("{} = {}", first.axis, short(first.value)),
            _ => curve.describe(self.setting),
        }
    }

    /// How many axes were varied.
    fn varied(&self, along: bool) -> usize {
        match along {
            true => 1,
            false => self.at.len(),
        }
    }

    /// The settings that cannot be distinguished from this one.
    fn ties(&self, curve: &Curve, along: bool) -> Option<String> {
        let [is, are] = match self.by {
            SelectionCriterion::Exact => ["has the same risk", "have the same risk"],
            _ => [
                "is within one standard error",
                "are within one standard error",
            ],
        };
        let value = |setting: usize| short(curve.value(setting));
        let one_way = self.varied(along) == 1;
        Some(match (self.tied.as_slice(), one_way) {
            ([], _) => return None,
            ([other], true) => format!("{} {is}", value(*other)),
            ([other], false) => format!("({}) {is}", curve.describe(*other)),
            (others, false) => format!("{} other settings {are}", others.len()),
            (others, true) => {
                let (first, last) = (others[0], others[others.len() - 1]);
                let (first, last) = (first.min(self.setting), last.max(self.setting));
                match last - first == others.len() {
                    true => format!("{} to {} {are}", value(first), value(last)),
                    false => {
                        let values: Vec<String> = others.iter().map(|s| value(*s)).collect();
                        format!("{} {are}", listed(&values))
                    }
                }
            }
        })
    }
}

impl BestLearner {
    /// One sentence, without a full stop.
    ///
    /// `lowest risk of all learners: tree; knn is within one standard error`
    pub fn words(&self) -> String {
        let name = &self.learner;
        match self.standing {
            BestStatus::Doubtful => {
                format!("lowest risk of all learners: {name}; heavy tails leave the order open")
            }
            BestStatus::Tied => {
                let verb = match self.tied.len() {
                    1 => "is",
                    _ => "are",
                };
                format!(
                    "lowest risk of all learners: {name}; {} {verb} within one standard error",
                    listed(&self.tied)
                )
            }
            _ => format!("lowest risk of all learners: {name}"),
        }
    }
}

/// `a`, `a and b`, `a, b and c`.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::SweptValue;
    use super::*;
    use bvlab_core::plan::SweepAxis;

    fn curve(axes: &[(&str, &[f64])]) -> Curve {
        Curve {
            name: "tree".to_owned(),
            colour: None,
            axes: axes
                .iter()
                .map(|(name, v)| SweepAxis::new(name, v))
                .collect(),
        }
    }

    fn best(curve: &Curve, setting: usize, standing: BestStatus, tied: &[usize]) -> Best {
        let values = [curve.value(setting), curve.second(setting)];
        let at = curve.axes.iter().zip(values);
        Best {
            setting,
            at: at
                .map(|(axis, value)| SweptValue {
                    axis: axis.name.clone(),
                    value,
                })
                .collect(),
            risk: Some(1.0),
            by: SelectionCriterion::Estimate,
            standing,
            tied: tied.to_vec(),
        }
    }

    #[test]
    fn words_claim_no_more_than_is_known() {
        let one = curve(&[("depth", &[1.0, 2.0, 3.0, 4.0, 5.0])]);
        let words = |setting, standing, tied: &[usize]| {
            best(&one, setting, standing, tied).words(&one, false)
        };
        assert_eq!(words(2, BestStatus::Claimed, &[]), "best at depth = 3");
        assert_eq!(
            words(2, BestStatus::Tied, &[1, 3]),
            "best near depth = 3; 2 to 4 are within one standard error"
        );
        assert_eq!(
            words(2, BestStatus::Tied, &[3]),
            "best near depth = 3; 4 is within one standard error"
        );
        assert_eq!(
            words(1, BestStatus::Tied, &[0, 4]),
            "best near depth = 2; 1 and 5 are within one standard error"
        );
        assert_eq!(
            words(4, BestStatus::AtEnd, &[2, 3]),
            "lowest at the end of the sweep, depth = 5; 3 to 5 are within one standard error"
        );
        assert_eq!(words(0, BestStatus::Uncompared, &[]), "lowest at depth = 1");
        assert_eq!(words(0, BestStatus::Single, &[]), "");
    }

    #[test]
    fn a_slice_of_two_axes_is_named_by_the_first() {
        let two = curve(&[("degree", &[1.0, 2.0, 3.0]), ("lambda", &[0.0, 0.1])]);
        let best = best(&two, 4, BestStatus::Tied, &[3, 5]);
        assert_eq!(
            best.words(&two, true),
            "best near degree = 2; 1 to 3 are within one standard error"
        );
        assert_eq!(
            best.words(&two, false),
            "best near degree = 2, lambda = 0.1; 2 other settings are within one standard error"
        );
    }
}
