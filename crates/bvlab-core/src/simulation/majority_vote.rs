//! Independent voters who err: how often the majority does.

use rand::RngExt;

use super::{Moments, PanelStyle, Row, Simulate, Simulation, SimulationPanel, most};
use crate::interrupt::{Interrupt, Interrupted};
use crate::maths::binomial;
use crate::parameter::Parameter;
use crate::plan::Scale;
use crate::stream::{Purpose, Stream};

pub(super) const SIMULATION: Simulation = Simulation {
    name: "majority-vote",
    meaning: "how many of M independent voters err, and how often their majority does",
    resamples: "votes",
    theory: "binomial",
    identity: false,
    parameters: &[
        Parameter::number("error", "chance that a voter errs")
            .above(0.0)
            .up_to(0.99)
            .default(0.3)
            .usual(0.05, 0.95),
        Parameter::whole(
            "voters",
            "numbers M of voters whose errors are counted, a panel each",
        )
        .least(1.0)
        .up_to(100.0)
        .list(4, &[11.0, 21.0]),
        Parameter::whole("sizes", "numbers M of voters, for the error of the vote")
            .least(1.0)
            .up_to(1000.0)
            .list(
                100,
                &[
                    1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 15.0, 21.0, 27.0, 33.0, 41.0, 51.0,
                ],
            ),
    ],
    build: |setup| {
        Box::new(MajorityVote {
            error: setup.number("error"),
            voters: setup.counts("voters"),
            sizes: setup.counts("sizes"),
            wrong: Vec::new(),
        })
    },
};

/// A resample is a vote: voters err independently with probability ε, and the first M of them are
/// a vote of M. Observed: whether exactly k of M err, on average C(M, k) ε^k (1−ε)^(M−k), and
/// whether at least half of them do, which makes the vote wrong: the tail of the same binomial. A
/// tie counts as wrong.
struct MajorityVote {
    error: f64,
    voters: Vec<usize>,
    sizes: Vec<usize>,
    /// By number of voters, how many of them err.
    wrong: Vec<usize>,
}

/// The fewest errors among M voters that make the vote wrong.
pub(super) fn half(voters: usize) -> usize {
    voters.div_ceil(2)
}

fn panel_name(voters: usize) -> String {
    format!("{voters} voters")
}

impl Simulate for MajorityVote {
    fn panels(&self) -> Vec<SimulationPanel> {
        let counted = self.voters.iter().map(|&voters| SimulationPanel {
            name: panel_name(voters),
            title: panel_name(voters),
            x: "voters who err".to_owned(),
            y: "probability".to_owned(),
            x_scale: Scale::Linear,
            y_scale: Scale::Linear,
            look: PanelStyle::Bars {
                from: half(voters) as f64,
                text: "vote wrong".to_owned(),
            },
            levels: Vec::new(),
        });
        let vote = SimulationPanel {
            name: "vote".to_owned(),
            title: "error of the vote".to_owned(),
            x: "M (number of voters)".to_owned(),
            y: "error".to_owned(),
            x_scale: Scale::Linear,
            y_scale: Scale::Log,
            look: PanelStyle::Curves,
            levels: Vec::new(),
        };
        counted.chain([vote]).collect()
    }

    fn observations(&self) -> usize {
        let counted: usize = self.voters.iter().map(|voters| voters + 1).sum();
        counted + self.sizes.len()
    }

    fn observe(
        &mut self,
        seed: u64,
        resample: u64,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let mut stream = Stream::new(seed, Purpose::Algorithm, resample);
        let all = most(&self.voters).max(most(&self.sizes));
        self.wrong.clear();
        self.wrong.push(0);
        for i in 0..all {
            let errs = stream.random::<f64>() < self.error;
            self.wrong.push(self.wrong[i] + usize::from(errs));
        }
        out.fill(0.0);
        let mut rest = out;
        for &voters in &self.voters {
            let (counted, next) = rest.split_at_mut(voters + 1);
            counted[self.wrong[voters]] = 1.0;
            rest = next;
        }
        for (&voters, out) in self.sizes.iter().zip(rest) {
            *out = f64::from(u8::from(self.wrong[voters] >= half(voters)));
        }
        interrupt.check(10 * all)
    }

    fn operations(&self) -> f64 {
        let all = most(&self.voters).max(most(&self.sizes));
        10.0 * (all + self.observations()) as f64
    }

    fn rows(&self, seen: &[Moments]) -> Vec<Row> {
        let mut rows = Vec::new();
        let mut rest = seen;
        for &voters in &self.voters {
            let (counted, next) = rest.split_at(voters + 1);
            let (panel, law) = (panel_name(voters), binomial(voters, self.error));
            for (wrong, (seen, chance)) in counted.iter().zip(law).enumerate() {
                rows.push(Row::share(&panel, "votes", wrong as f64, seen, chance));
            }
            rest = next;
        }
        for (&voters, seen) in self.sizes.iter().zip(rest) {
            let law = binomial(voters, self.error);
            let tail: f64 = law[half(voters)..].iter().rev().sum();
            rows.push(Row::share("vote", "vote", voters as f64, seen, tail));
        }
        rows
    }
}
