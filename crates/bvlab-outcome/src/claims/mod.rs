//! What became of an experiment's claims.
//!
//! A claim *holds* or is *refuted* where a test says so at a level of .001 divided by the number of
//! claims of the run, with Student's t on (groups - 1) degrees of freedom; else it is *undecided*.

mod best_in;

use serde::{Deserialize, Serialize};

use crate::columns;
use crate::evidence::{Evidence, FormulaValue};
use crate::table::Table;
use bvlab_core::decompose::student_quantile;
use bvlab_core::maths::hypot;
use bvlab_experiment::words::{Claim, Formula, Statement};

/// The level of all claims of a run together: how often a true one may be refuted, or a false one hold.
pub const LEVEL: f64 = 0.001;

/// Differences below this share of the numbers are rounding.
const ROUNDING: f64 = 1e-12;

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The run shows it.
    Holds,
    /// The run shows that it is wrong.
    Refuted,
    /// The run shows neither.
    Undecided,
}

impl Verdict {
    /// Its name in tables and reports.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Refuted => "refuted",
            Verdict::Undecided => "undecided",
        }
    }
}

/// A claim and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckedClaim {
    /// The claim, as it is written.
    pub claim: String,
    /// The number on its left; `None` where it is not known. Of a chain the numbers are those of its
    /// weakest link; of a best setting the lowest risk inside, and the risk outside that comes nearest.
    pub left: Option<f64>,
    /// The number on its right.
    pub right: Option<f64>,
    /// The standard error of their difference.
    pub se: Option<f64>,
    /// What became of it.
    pub verdict: Verdict,
    /// Why nothing can be decided, where that is not for want of resamples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Where a published value comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Two numbers, the error of their difference, and what follows.
#[derive(Clone, Debug)]
struct ClaimFinding {
    left: f64,
    right: f64,
    se: f64,
    verdict: Verdict,
    reason: Option<String>,
}

impl ClaimFinding {
    fn undecided(left: f64, right: f64, se: f64, reason: impl Into<String>) -> Self {
        ClaimFinding {
            left,
            right,
            se,
            verdict: Verdict::Undecided,
            reason: Some(reason.into()),
        }
    }
}

/// Checks all claims at the level of [`LEVEL`].
pub fn check_claims(claims: &[Claim], evidence: &Evidence) -> Vec<CheckedClaim> {
    check_claims_at(LEVEL, claims, evidence)
}

/// Checks all claims at a level, which they share.
pub fn check_claims_at(level: f64, claims: &[Claim], evidence: &Evidence) -> Vec<CheckedClaim> {
    let test = ClaimTest {
        level: level / claims.len().max(1) as f64,
        degrees: evidence.groups().saturating_sub(1).max(1) as f64,
        evidence,
    };
    let checked = claims.iter().map(|claim| {
        let found = test.check(&claim.statement);
        let known = |value: f64| Some(value).filter(|value| value.is_finite());
        CheckedClaim {
            claim: claim.text.clone(),
            left: known(found.left),
            right: known(found.right),
            se: known(found.se),
            verdict: found.verdict,
            reason: found.reason,
            source: claim.source.clone(),
        }
    });
    checked.collect()
}

/// The table `claims`.
pub fn claims_table(claims: &[CheckedClaim]) -> Table {
    let number = |get: fn(&CheckedClaim) -> Option<f64>| {
        let numbers = claims.iter().map(|claim| get(claim).unwrap_or(f64::NAN));
        numbers.collect()
    };
    Table::default()
        .text(
            columns::CLAIM,
            claims.iter().map(|one| one.claim.as_str().into()).collect(),
        )
        .number(columns::LEFT, number(|one| one.left))
        .number(columns::RIGHT, number(|one| one.right))
        .number(columns::SE, number(|one| one.se))
        .text(
            columns::VERDICT,
            claims.iter().map(|one| one.verdict.name().into()).collect(),
        )
}

/// Decides claims.
struct ClaimTest<'a> {
    level: f64,
    degrees: f64,
    evidence: &'a Evidence<'a>,
}

impl ClaimTest<'_> {
    /// How many standard errors a one-sided test needs, where the level is shared by so many.
    fn reach(&self, shared: usize) -> f64 {
        student_quantile(1.0 - self.level / shared.max(1) as f64, self.degrees)
    }

    fn check(&self, statement: &Statement) -> ClaimFinding {
        match statement {
            Statement::Ordered { terms, rising } => self.ordered(terms, *rising),
            Statement::Equal { sides, margin } => {
                self.within(&sides[0], &sides[1], [-*margin, *margin])
            }
            Statement::Between { value, ends } => self.between(value, *ends),
            Statement::BestIn {
                run,
                learner,
                axis,
                held,
                inside,
            } => self.best_in(*run, *learner, *axis, *held, inside),
            Statement::Published {
                value,
                published,
                half_digit,
                se,
            } => self.published(value, *published, *half_digit, se.unwrap_or(0.0)),
            Statement::Moot(why) => {
                ClaimFinding::undecided(f64::NAN, f64::NAN, f64::NAN, why.clone())
            }
        }
    }

    /// Two sides and their difference, or why nothing can be said of it.
    fn difference(&self, left: &Formula, right: &Formula) -> Result<Compared, ClaimFinding> {
        let sides = [left, right].map(|side| self.evidence.value(side));
        let apart = self.evidence.value(&left.minus(right));
        let [a, b] = [&sides[0], &sides[1]].map(|side| side.value);
        let wrong = |why: String| Err(ClaimFinding::undecided(a, b, apart.se, why));
        let doubt = [&sides[0], &sides[1], &apart];
        if let Some(why) = doubt
            .iter()
            .find_map(|one: &&FormulaValue| one.doubt.clone())
        {
            return wrong(why);
        }
        if !apart.value.is_finite() {
            return wrong("the numbers are not finite".to_owned());
        }
        if !apart.se.is_finite() {
            return wrong("no standard error is known".to_owned());
        }
        let rounding = ROUNDING * a.abs().max(b.abs());
        Ok(Compared {
            left: a,
            right: b,
            apart: match apart.value.abs() <= rounding {
                true => 0.0,
                false => apart.value,
            },
            se: match apart.se <= rounding {
                true => 0.0,
                false => apart.se,
            },
        })
    }

    /// Every link must hold, and the first that is refuted refutes the chain.
    fn ordered(&self, terms: &[Formula], rising: bool) -> ClaimFinding {
        let links = terms.len() - 1;
        let mut found: Vec<(f64, ClaimFinding)> = Vec::new();
        for pair in terms.windows(2) {
            let compared = match self.difference(&pair[0], &pair[1]) {
                Ok(compared) => compared,
                Err(finding) => {
                    found.push((f64::NEG_INFINITY, finding));
                    continue;
                }
            };
            let gain = if rising {
                -compared.apart
            } else {
                compared.apart
            };
            // Each link must hold at the full level; any of them may refute the chain.
            let verdict = match gain {
                gain if gain > self.reach(1) * compared.se => Verdict::Holds,
                gain if gain < -self.reach(links) * compared.se => Verdict::Refuted,
                gain if gain == 0.0 && compared.se == 0.0 => Verdict::Refuted,
                _ => Verdict::Undecided,
            };
            let strength = gain / compared.se.max(f64::MIN_POSITIVE);
            found.push((strength, compared.finding(verdict)));
        }
        let refuted = found
            .iter()
            .position(|(_, one)| one.verdict == Verdict::Refuted);
        let strengths = found.iter().enumerate();
        let weakest = strengths
            .min_by(|a, b| a.1.0.total_cmp(&b.1.0))
            .map(|(i, _)| i);
        let (_, finding) = found.swap_remove(refuted.or(weakest).unwrap_or(0));
        finding
    }

    /// Whether left - right lies between two ends: both one-sided tests say so, or one of them that
    /// it does not.
    fn within(&self, left: &Formula, right: &Formula, [low, high]: [f64; 2]) -> ClaimFinding {
        let compared = match self.difference(left, right) {
            Ok(compared) => compared,
            Err(finding) => return finding,
        };
        let [holds, refuted] = [1, 2].map(|shared| self.reach(shared) * compared.se);
        let apart = compared.apart;
        let verdict = if apart - holds >= low && apart + holds <= high {
            Verdict::Holds
        } else if apart - refuted > high || apart + refuted < low {
            Verdict::Refuted
        } else {
            Verdict::Undecided
        };
        compared.finding(verdict)
    }

    fn between(&self, value: &Formula, [low, high]: [f64; 2]) -> ClaimFinding {
        let mut found = self.within(value, &Formula::number(0.0), [low, high]);
        let nearer = (found.left - low).abs() <= (found.left - high).abs();
        found.right = if nearer { low } else { high };
        found
    }

    /// A published value is met if it is as near as its digits and both intervals allow.
    fn published(
        &self,
        value: &Formula,
        published: f64,
        half_digit: f64,
        their_se: f64,
    ) -> ClaimFinding {
        let compared = match self.difference(value, &Formula::number(published)) {
            Ok(compared) => compared,
            Err(finding) => return finding,
        };
        let se = hypot(compared.se, their_se);
        let allowed = half_digit + self.reach(2) * se;
        // The half digit itself is read from decimals.
        let verdict = match compared.apart.abs() <= allowed * (1.0 + 1e-9) {
            true => Verdict::Holds,
            false => Verdict::Refuted,
        };
        Compared { se, ..compared }.finding(verdict)
    }
}

/// Two numbers and their difference.
struct Compared {
    left: f64,
    right: f64,
    apart: f64,
    se: f64,
}

impl Compared {
    fn finding(&self, verdict: Verdict) -> ClaimFinding {
        ClaimFinding {
            left: self.left,
            right: self.right,
            se: self.se,
            verdict,
            reason: None,
        }
    }
}
