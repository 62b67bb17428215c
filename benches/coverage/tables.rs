//! The tables of a study, in Markdown, and its CSV file.

use std::collections::BTreeMap;
use std::fmt::Write;

use bvlab::decompose::Doubt;

use super::design::Setup;
use super::tally::{Alarms, Cell, CellKey, PARTS, RunKey, Verdict, too_many_alarms};

type Cells = BTreeMap<CellKey, Cell>;

/// Prints everything; whether anything failed.
pub fn print(setups: &[Setup], cells: &Cells, alarms: &BTreeMap<RunKey, Alarms>) -> bool {
    summary(setups, cells);
    let failing = failures(setups, cells);
    let wordy = needless_words(setups, cells);
    let alarming = alarm_table(setups, alarms);
    let count = |verdict: Verdict| {
        let found = cells
            .iter()
            .filter(|(key, cell)| cell.verdict(key.part) == verdict);
        found.count()
    };
    println!(
        "{} cells: {} hold, {} excused by doubts, {} too low, {} too high; \
         {wordy} learners with needless doubts; {alarming} kinds of runs with too many alarms",
        cells.len(),
        count(Verdict::Holds),
        count(Verdict::Excused),
        count(Verdict::TooLow),
        count(Verdict::TooHigh),
    );
    let ratios = cells.iter().map(|(key, cell)| {
        let [_, error, half] = cell.means();
        (1.96 * error / half, key)
    });
    if let Some((ratio, key)) = ratios.max_by(|a, b| a.0.total_cmp(&b.0)) {
        println!(
            "The error of a true value is at most {:.0} % of the interval ({}).",
            100.0 * ratio,
            name(setups, key)
        );
    }
    failing + wordy + alarming > 0
}

fn percent(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}

fn name(setups: &[Setup], key: &CellKey) -> String {
    let setup = &setups[key.run.setup];
    format!(
        "{}, {}, R = {}, {}, {}",
        setup.name(),
        setup.tests[key.run.test].name(),
        key.run.resamples,
        setup.learner(key.learner),
        PARTS[key.part]
    )
}

/// Lowest and highest coverage over the learners, for every kind of run.
fn summary(setups: &[Setup], cells: &Cells) {
    println!(
        "Coverage in %, lowest to highest over the learners; * holds only with a doubt named, ! fails.\n"
    );
    println!(
        "| noise or loss | inputs | test points | R | bias² | variance | risk | test risk | doubt | seeds |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let mut runs: Vec<RunKey> = cells.keys().map(|key| key.run).collect();
    runs.dedup();
    for run in runs {
        let here: Vec<_> = cells.iter().filter(|(key, _)| key.run == run).collect();
        let mut row = String::new();
        for part in 0..PARTS.len() {
            let of_part = || here.iter().filter(|(key, _)| key.part == part);
            let lowest = of_part().map(|(_, cell)| cell.coverage());
            let lowest = lowest.fold(f64::INFINITY, f64::min);
            let highest = of_part().map(|(_, cell)| cell.coverage());
            let highest = highest.fold(0.0, f64::max);
            let any = |wanted: &[Verdict]| {
                of_part().any(|(key, cell)| wanted.contains(&cell.verdict(key.part)))
            };
            let mark = match () {
                () if any(&[Verdict::TooLow, Verdict::TooHigh]) => "!",
                () if any(&[Verdict::Excused]) => "*",
                () => "",
            };
            let _ = match of_part().next() {
                Some(_) => write!(row, "{}–{}{mark} | ", percent(lowest), percent(highest)),
                None => write!(row, "– | "),
            };
        }
        let words = here.iter().map(|(_, cell)| cell.share_of_words());
        let setup = &setups[run.setup];
        println!(
            "| {} | {} | {} | {} | {row}{} | {} |",
            setup.noise,
            setup.inputs,
            setup.tests[run.test].name(),
            run.resamples,
            percent(words.fold(0.0, f64::max)),
            here.first().map_or(0, |(_, cell)| cell.runs)
        );
    }
    println!();
}

/// Lists the cells that fail, and counts them.
fn failures(setups: &[Setup], cells: &Cells) -> usize {
    let mut count = 0;
    for (key, cell) in cells {
        let verdict = match cell.verdict(key.part) {
            Verdict::TooLow => "too low",
            Verdict::TooHigh => "too high",
            Verdict::Holds | Verdict::Excused => continue,
        };
        if count == 0 {
            println!("Cells that fail:\n");
        }
        count += 1;
        let [low, high] = cell.interval();
        println!(
            "- {verdict}: {}: {} % ({} to {}), with doubts {} %; {} intervals below, {} above; doubts in {} %",
            name(setups, key),
            percent(cell.coverage()),
            percent(low),
            percent(high),
            percent(cell.coverage_with_words()),
            cell.missed[0],
            cell.missed[1],
            percent(cell.share_of_words()),
        );
    }
    if count > 0 {
        println!();
    }
    count
}

/// Lists learners all of whose intervals hold, and that say all the same that they do not.
fn needless_words(setups: &[Setup], cells: &Cells) -> usize {
    let mut by_learner: BTreeMap<(RunKey, usize), Vec<(&CellKey, &Cell)>> = BTreeMap::new();
    for (key, cell) in cells {
        let all = by_learner.entry((key.run, key.learner)).or_default();
        all.push((key, cell));
    }
    let mut count = 0;
    for parts in by_learner.values() {
        let hold = parts
            .iter()
            .all(|(key, cell)| cell.verdict(key.part) == Verdict::Holds);
        let (key, cell) = parts[0];
        if hold && cell.too_many_words() {
            if count == 0 {
                println!("Doubts although all intervals hold:\n");
            }
            count += 1;
            let covered: Vec<String> = parts.iter().map(|(_, c)| percent(c.coverage())).collect();
            let doubts = Doubt::ALL.iter().zip(cell.doubts);
            let doubts: Vec<String> = doubts
                .filter(|(_, times)| *times > 0)
                .map(|(doubt, times)| {
                    let share = percent(times as f64 / cell.runs as f64);
                    format!("{} {share} %", doubt.name())
                })
                .collect();
            println!(
                "- {}: {}; coverage {}",
                name(setups, key),
                doubts.join(", "),
                covered.join(", ")
            );
        }
    }
    if count > 0 {
        println!();
    }
    count
}

/// Alarms by noise or loss and number of resamples; how many come too often.
fn alarm_table(setups: &[Setup], alarms: &BTreeMap<RunKey, Alarms>) -> usize {
    println!("False alarms, one in 1000 runs allowed:\n");
    println!(
        "| noise or loss | R | runs | identity fails | runs with exact forms | theory fails | in bias² |"
    );
    println!("|---|---|---|---|---|---|---|");
    let mut groups: Vec<((&str, u64), Alarms)> = Vec::new();
    for (key, alarms) in alarms {
        let group = (setups[key.setup].noise, key.resamples);
        match groups.iter_mut().find(|(known, _)| *known == group) {
            Some((_, sum)) => sum.add(alarms),
            None => groups.push((group, *alarms)),
        }
    }
    let mut count = 0;
    for ((noise, resamples), found) in groups {
        let Alarms {
            identity,
            theory,
            bias2,
        } = found;
        let marks = [identity, theory].map(|counts| match too_many_alarms(counts) {
            true => {
                count += 1;
                "!"
            }
            false => "",
        });
        println!(
            "| {noise} | {resamples} | {} | {}{} | {} | {}{} | {bias2} |",
            identity[0], identity[1], marks[0], theory[0], theory[1], marks[1]
        );
    }
    println!();
    count
}

/// One row per cell.
pub fn csv(setups: &[Setup], cells: &Cells) -> String {
    let mut text = String::from(
        "noise,inputs,test,resamples,learner,part,runs,coverage,low,high,intervals_below,\
         intervals_above,coverage_with_words,words,true_value,true_value_se,half_length,verdict",
    );
    for doubt in Doubt::ALL {
        let _ = write!(text, ",{}", doubt.name());
    }
    text.push('\n');
    for (key, cell) in cells {
        let setup = &setups[key.run.setup];
        let [low, high] = cell.interval();
        let [value, error, half] = cell.means();
        let _ = write!(
            text,
            "\"{}\",{},{},{},\"{}\",{},{},{:.5},{low:.5},{high:.5},{},{},{:.5},{:.5},{value:e},{error:e},{half:e},{:?}",
            setup.noise,
            setup.inputs,
            setup.tests[key.run.test].name(),
            key.run.resamples,
            setup.learner(key.learner),
            PARTS[key.part],
            cell.runs,
            cell.coverage(),
            cell.missed[0],
            cell.missed[1],
            cell.coverage_with_words(),
            cell.share_of_words(),
            cell.verdict(key.part)
        );
        for times in cell.doubts {
            let _ = write!(text, ",{times}");
        }
        text.push('\n');
    }
    text
}
