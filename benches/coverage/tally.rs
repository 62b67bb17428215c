//! Counts, and what is made of them.

use bvlab::decompose::Doubt;
use bvlab::outcome::Report;
use serde::{Deserialize, Serialize};

/// The normal quantile of a 99.9 % interval.
const QUANTILE: f64 = 3.290_527;

/// How often an alarm may come.
const FALSE_ALARMS: f64 = 0.001;

/// How often words may come where every interval holds.
const MOST_WORDS: f64 = 0.05;

pub const PARTS: [&str; 4] = ["bias²", "variance", "risk", "test risk"];

/// One kind of run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunKey {
    pub setup: usize,
    pub test: usize,
    pub resamples: u64,
}

/// One interval of one kind of run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CellKey {
    pub run: RunKey,
    pub learner: usize,
    pub part: usize,
}

/// What the runs of a cell came to.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub struct Cell {
    pub runs: u64,
    /// Intervals that lie below the true value, and above it.
    pub missed: [u64; 2],
    /// How many of those came with a doubt.
    pub missed_with_words: u64,
    /// Runs with a doubt, and by kind.
    pub words: u64,
    pub doubts: [u64; Doubt::ALL.len()],
    /// Sums of true values, of their standard errors, and of half the lengths of intervals.
    sums: [f64; 3],
}

/// What is made of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Holds,
    /// Too low, but words came with it.
    Excused,
    TooLow,
    TooHigh,
}

impl Cell {
    /// One interval, with the true value and its standard error.
    pub fn of([low, high]: [f64; 2], (value, error): (f64, f64), doubts: &[Doubt]) -> Self {
        let missed = [u64::from(high < value), u64::from(low > value)];
        let words = u64::from(!doubts.is_empty());
        Cell {
            runs: 1,
            missed,
            missed_with_words: words * (missed[0] + missed[1]),
            words,
            doubts: Doubt::ALL.map(|doubt| u64::from(doubts.contains(&doubt))),
            sums: [value, error, (high - low) / 2.0],
        }
    }

    pub fn add(&mut self, other: &Cell) {
        self.runs += other.runs;
        self.missed_with_words += other.missed_with_words;
        self.words += other.words;
        let pairs = self.missed.iter_mut().zip(other.missed);
        pairs.for_each(|(mine, theirs)| *mine += theirs);
        let pairs = self.doubts.iter_mut().zip(other.doubts);
        pairs.for_each(|(mine, theirs)| *mine += theirs);
        let pairs = self.sums.iter_mut().zip(other.sums);
        pairs.for_each(|(mine, theirs)| *mine += theirs);
    }

    /// The means of true values, of their standard errors, and of half the lengths of intervals.
    pub fn means(&self) -> [f64; 3] {
        self.sums.map(|sum| sum / self.runs as f64)
    }

    fn covered(&self) -> u64 {
        self.runs - self.missed[0] - self.missed[1]
    }

    pub fn coverage(&self) -> f64 {
        self.covered() as f64 / self.runs as f64
    }

    /// The coverage if misses that came with words are none.
    pub fn coverage_with_words(&self) -> f64 {
        (self.covered() + self.missed_with_words) as f64 / self.runs as f64
    }

    /// The 99.9 % interval of the coverage.
    pub fn interval(&self) -> [f64; 2] {
        wilson(self.covered(), self.runs)
    }

    pub fn share_of_words(&self) -> f64 {
        self.words as f64 / self.runs as f64
    }

    pub fn verdict(&self, part: usize) -> Verdict {
        let [least, most] = match part {
            0 => [0.93, 0.99],
            _ => [0.93, 0.97],
        };
        let [low, high] = self.interval();
        if low > most {
            return Verdict::TooHigh;
        }
        if high >= least {
            return Verdict::Holds;
        }
        let [_, high] = wilson(self.covered() + self.missed_with_words, self.runs);
        match high >= least {
            true => Verdict::Excused,
            false => Verdict::TooLow,
        }
    }

    /// Whether words came more often than they may where all intervals hold.
    pub fn too_many_words(&self) -> bool {
        wilson(self.words, self.runs)[0] > MOST_WORDS
    }
}

/// Alarms of the runs of one kind.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub struct Alarms {
    /// Runs whose identity was looked at, and those in which it failed.
    pub identity: [u64; 2],
    /// The same for exact forms.
    pub theory: [u64; 2],
    /// Of these, those that named bias².
    pub bias2: u64,
}

impl Alarms {
    pub fn of(report: &Report) -> Self {
        let identity = report.agreement.map_or([0, 0], |agreement| {
            [1, u64::from(agreement.largest > agreement.allowed)]
        });
        let agrees = report.text.contains("agree with theory");
        let warnings = &report.warnings;
        let fails = warnings.iter().any(|w| w.contains("DISAGREES with theory"));
        Alarms {
            identity,
            theory: [u64::from(agrees || fails), u64::from(fails)],
            bias2: u64::from(fails && warnings.iter().any(|w| w.starts_with("the bias²"))),
        }
    }

    pub fn add(&mut self, other: &Alarms) {
        for i in 0..2 {
            self.identity[i] += other.identity[i];
            self.theory[i] += other.theory[i];
        }
        self.bias2 += other.bias2;
    }
}

/// Whether alarms come more often than promised.
pub fn too_many_alarms([runs, alarms]: [u64; 2]) -> bool {
    runs > 0 && wilson(alarms, runs)[0] > FALSE_ALARMS
}

/// Wilson's 99.9 % interval of a share.
fn wilson(some: u64, all: u64) -> [f64; 2] {
    let (share, all) = (some as f64 / all as f64, all as f64);
    let square = QUANTILE * QUANTILE;
    let middle = share + square / (2.0 * all);
    let reach = QUANTILE * (share * (1.0 - share) / all + square / (4.0 * all * all)).sqrt();
    [middle - reach, middle + reach].map(|end| end / (1.0 + square / all))
}
