//! The messages of a run to the page, as JSON, one a line.

use serde_json::{Map, Value, json};

use super::classes::MarkedClasses;
use super::numbers::{f4, f8, number};
use super::plane::{self, Plane};
use super::rows::{self, ShownRows};
use bvlab_core::decompose::{Decomposition, Estimate, Parts, interval_factor};
use bvlab_core::engine::{KeptFit, KeptResample, Replay, Results, RunError};
use bvlab_core::plan::{CapacityPath, Length, Plan, Scale, TestKind};
use bvlab_experiment::Experiment;
use bvlab_outcome::{Best, BestLearner, Bests, Report, Statements, Table, columns};

/// The most numbers of fits that are sent, about 0.7 MB of text.
const MOST_SENT: usize = 128_000;

/// The most numbers of points that are sent.
const MOST_POINTS: usize = 60_000;

/// Why the page shows the figures of an experiment and nothing that moves, if so.
pub fn pictured(experiment: &Experiment) -> Option<String> {
    let Some(plan) = experiment.plan() else {
        let words = "A simulation: its figures follow as the resamples come in, its numbers are in the controls.";
        return Some(words.to_owned());
    };
    let data = match (experiment.source.table(), plan.problem().classes()) {
        (Some(_), _) => rows::refused(plan)?,
        _ if plan.problem().density().is_some() => "A density is estimated".to_owned(),
        (None, 0) => return None,
        (None, _) => plane::refused(plan)?,
    };
    Some(format!(
        "{data}: the page shows the figures. Problem and learners are changed in the TOML."
    ))
}

/// How many of the first resamples are sent with their fits.
pub fn sent(experiment: &Experiment) -> usize {
    let (Some(plan), None) = (experiment.plan(), pictured(experiment)) else {
        return 0;
    };
    let kept = plan.run.keep_fits.min(plan.run.keep_data);
    let kept = kept.min(plan.most_resamples()) as usize;
    let room = match (ShownRows::of(plan), Plane::of(plan)) {
        (Some(rows), _) => rows.room(),
        (None, Some(plane)) => plane.classes.room(),
        (None, None) => MOST_SENT / cells(experiment).max(1),
    };
    match room {
        // A handful is no pile of fits, and a pile of so many settings is too large.
        0..4 => 0,
        most => kept.min(most).min(Replay::MOST),
    }
}

/// What is sent of the classes of a plan, where it has any.
fn classes(plan: &Plan) -> Option<MarkedClasses<'_>> {
    match ShownRows::of(plan) {
        Some(rows) => rows.classes,
        None => Plane::of(plan).map(|plane| plane.classes),
    }
}

/// The numbers of one resample's fits.
pub(crate) fn cells(experiment: &Experiment) -> usize {
    let plan = experiment.plan();
    plan.map_or(0, |plan| {
        plan.settings() * plan.test.points.len() * plan.problem().outputs()
    })
}

/// The numbers of one prediction: as many as there are classes.
pub(crate) fn outputs(experiment: &Experiment) -> usize {
    experiment.plan().map_or(1, |plan| plan.problem().outputs())
}

/// What is run: the first message.
pub fn head(experiment: &Experiment) -> Value {
    let merged = experiment
        .source
        .merged()
        .and_then(|table| serde_json::to_value(table).ok());
    let words = &experiment.words;
    let mut head = json!({
        "is": "head",
        "name": experiment.name,
        "title": words.title,
        "lookFor": words.look_for,
        "question": words.question,
        "answer": words.answer,
        "choices": words.choices,
        "correct": experiment.texts.ballot.correct,
        "guess": guessed(experiment),
        "simulation": experiment.plan().is_none(),
        "pictured": pictured(experiment),
        "experiment": merged,
        "resamples": experiment.task.most_resamples(),
        "precision": match experiment.plan().map(|plan| plan.run.length) {
            Some(Length::Precision { share, .. }) => Some(share),
            _ => None,
        },
        "seed": experiment.task.seed(),
        "variants": variants(experiment),
        "opening": experiment.opening,
        "figures": figures(experiment),
    });
    let (Some(plan), true) = (experiment.plan(), head["pictured"].is_null()) else {
        return head;
    };
    let problem = plan.problem();
    let (from, to) = problem.inputs.range();
    let test = match (ShownRows::of(plan), Plane::of(plan)) {
        (Some(rows), _) => rows.head(),
        (None, Some(plane)) => plane.head(),
        (None, None) => test_points(plan),
    };
    let families = head["experiment"]["learner"].as_array().cloned();
    let families = families.unwrap_or_default();
    let learners = plan.paths.iter().enumerate().map(|(which, path)| {
        let keys = families.get(which).and_then(Value::as_object);
        let is_family = |key: &&String| experiment.registry.family(key).is_some();
        let name = keys.and_then(|keys| keys.keys().find(is_family));
        learner(path, name.map(String::as_str))
    });
    let rest = json!({
        "dimension": problem.dimension,
        "range": [from, to],
        "train": plan.describe().train_sizes(),
        "learners": learners.collect::<Vec<_>>(),
        "keep": sent(experiment),
        "threshold": threshold(plan),
    });
    for more in [rest, test] {
        if let (Value::Object(head), Value::Object(mut more)) = (&mut head, more) {
            head.append(&mut more);
        }
    }
    head
}

/// The test points with truth, weights and noise.
fn test_points(plan: &Plan) -> Value {
    let (problem, test) = (plan.problem(), &plan.test);
    // Checked with the experiment.
    let truth = problem.truth_of(&test.points).unwrap_or_default();
    let noise = plan.problems.iter().map(|problem| {
        let sd = test
            .points
            .rows()
            .map(|x| problem.sd_at(x).unwrap_or(f64::NAN));
        f8(&sd.map(|sd| sd * sd).collect::<Vec<f64>>())
    });
    json!({
        "test": {
            "kind": match test.kind {
                TestKind::Grid => "grid",
                TestKind::Drawn => "drawn",
                TestKind::Inputs => "inputs",
                // Those are drawn over columns of their table.
                TestKind::Rows => "rows",
            },
            "x": f8(test.points.values()),
            "truth": f8(&truth),
            "weights": f8(&test.weights),
        },
        "noise": noise.collect::<Vec<_>>(),
    })
}

/// What a class is to guess: the axis of a learner, whose best value the run knows.
pub(crate) fn guessed(experiment: &Experiment) -> Value {
    let guess = experiment.texts.ballot.guess;
    let axis = guess.and_then(|guess| {
        let curve = experiment.plan()?.curves().nth(guess.learner)?;
        Some((guess, curve.axes.get(guess.axis)?))
    });
    axis.map_or(Value::Null, |(guess, axis)| {
        json!({
            "learner": guess.learner,
            "axis": guess.axis,
            "name": axis.name,
            "about": axis.about,
            "log": axis.scale == Scale::Log,
            "values": axis.values.iter().copied().map(number).collect::<Vec<_>>(),
        })
    })
}

/// What a page can try: names of variants, and the keys that they set.
fn variants(experiment: &Experiment) -> Vec<Value> {
    let variants = experiment.variants.iter();
    variants
        .map(|variant| json!({ "name": variant.name, "set": variant.set }))
        .collect()
}

fn figures(experiment: &Experiment) -> Vec<Value> {
    let figures = experiment.figures.iter();
    figures
        .map(|figure| json!({ "name": figure.name }))
        .collect()
}

fn learner(path: &CapacityPath, family: Option<&str>) -> Value {
    let curve = &path.curve;
    let axes = curve.axes.iter().map(|axis| {
        json!({
            "name": axis.name,
            "about": axis.about,
            "scale": match axis.scale {
                Scale::Linear => "linear",
                Scale::Log => "log",
            },
            "values": f8(&axis.values),
        })
    });
    let colour = curve
        .colour
        .map(|(r, g, b)| format!("#{r:02x}{g:02x}{b:02x}"));
    json!({
        "name": curve.name,
        "colour": colour,
        "family": family,
        "settings": curve.settings(),
        "axes": axes.collect::<Vec<_>>(),
        "problem": path.problems(),
    })
}

/// Where on the first axis a model has as many features as there are training points.
fn threshold(plan: &Plan) -> Option<usize> {
    let axis = plan.curves().next()?.axes.first()?;
    let [problem] = plan.problems.as_slice() else {
        return None;
    };
    (axis.name == "features").then_some(problem.train)
}

/// A kept resample: its data and fits.
pub fn draw(plan: &Plan, kept: &KeptResample) -> Value {
    let by_learner = |numbers: fn(&KeptFit) -> &Vec<f64>| {
        let fits = kept.fits.iter();
        let each = fits.map(|fit| f4(numbers(fit).iter().copied()));
        each.collect::<Vec<_>>()
    };
    let mut draw = json!({
        "is": "draw",
        "resample": kept.resample,
        "risk": by_learner(|fit| &fit.risk),
        "train": by_learner(|fit| &fit.train),
    });
    match ShownRows::of(plan) {
        Some(rows) => draw["weights"] = rows.weights(kept),
        None => {
            let data = kept.data.iter().map(|data| {
                let x = data.inputs.values().iter().copied();
                json!({ "x": f4(x), "y": f4(data.labels.iter().copied()) })
            });
            draw["data"] = data.collect();
        }
    }
    match classes(plan) {
        Some(classes) => {
            let [labels, fits] = classes.draw(kept);
            draw["labels"] = labels.into();
            draw["fits"] = fits.into();
        }
        None => draw["fits"] = by_learner(|fit| &fit.predictions).into(),
    }
    draw
}

/// Picks an estimate from the parts of a setting.
type Pick = fn(&Parts) -> Estimate;

/// Picks a number from the parts of a setting.
type PickNumber = fn(&Parts) -> f64;

/// The estimates that have a standard error and an interval, by their names in curves.csv.
const ESTIMATES: [(&str, Pick); 5] = [
    (columns::BIAS2, |parts| parts.bias2),
    (columns::VARIANCE, |parts| parts.variance),
    (columns::RISK, |parts| parts.risk),
    (columns::TRAIN_RISK, |parts| parts.train),
    (columns::TEST_RISK, |parts| parts.test),
];

/// The other numbers of a setting, by their names in curves.csv.
const NUMBERS: [(&str, PickNumber); 6] = [
    (columns::NOISE, |parts| parts.noise),
    (columns::RISK_Q25, |parts| parts.risk_quartiles[0]),
    (columns::RISK_MEDIAN, |parts| parts.risk_quartiles[1]),
    (columns::RISK_MEDIAN_SE, |parts| parts.risk_median_se),
    (columns::RISK_Q75, |parts| parts.risk_quartiles[2]),
    (columns::LARGEST_SHARE, |parts| parts.largest_share),
];

/// The estimates from the first `count` resamples; in full, or for drawing.
pub fn frame(count: u64, plan: &Plan, learners: &[Decomposition], in_full: bool) -> Value {
    let numbers = |values: Vec<f64>| match in_full {
        true => f8(&values),
        false => f4(values.into_iter()),
    };
    let classes = classes(plan);
    let each = learners.iter().map(|learner| {
        let mut found = Map::new();
        let mut add = |name: String, value: &dyn Fn(&Parts) -> f64| {
            let values = learner.parts.iter().map(value).collect();
            found.insert(name, numbers(values));
        };
        for (name, value) in NUMBERS {
            add(name.to_owned(), &value);
        }
        for (name, estimate) in ESTIMATES {
            add(name.to_owned(), &|parts| estimate(parts).value);
            add(columns::se_of(name), &|parts| estimate(parts).se);
            let end = |parts: &Parts, which: usize| {
                let interval = estimate(parts).interval;
                interval.map_or(f64::NAN, |interval| interval[which])
            };
            add(columns::low_of(name), &|parts| end(parts, 0));
            add(columns::high_of(name), &|parts| end(parts, 1));
        }
        let heavy = learner.parts.iter().map(Parts::is_spoiled);
        found.insert("heavy".to_owned(), heavy.collect());
        if let Some(classes) = &classes {
            found.insert("main".to_owned(), classes.main(learner));
        }
        Value::Object(found)
    });
    let groups = learners.first().map_or(2, |learner| learner.groups);
    json!({
        "is": "frame",
        "count": count,
        "t95": interval_factor(0.95, groups),
        "learners": each.collect::<Vec<_>>(),
        "best": bests(plan, &Bests::of_estimates(plan, learners)),
    })
}

/// That a simulation has come so far: its figures and its table can be asked for with this `count`.
pub fn partial(count: u64) -> Value {
    json!({ "is": "frame", "count": count })
}

/// The best settings by learner: of all settings and, in a two-way sweep, along the first axis.
fn bests(plan: &Plan, bests: &Bests) -> Vec<Value> {
    let each = plan.curves().zip(&bests.learners).map(|(curve, one)| {
        let of = |best: &Best, along: bool| {
            json!({
                "setting": best.setting,
                "standing": best.standing.name(),
                "tied": best.tied,
                "words": best.words(curve, along),
            })
        };
        let mut found = of(&one.best, false);
        let along = one.along.iter().map(|best| of(best, true));
        found["along"] = along.collect();
        found
    });
    each.collect()
}

/// The best settings of a finished run, as report, figures and manifest name them.
pub fn best(plan: &Plan, results: &Results) -> Value {
    let found = Bests::of(plan, results);
    json!({
        "is": "best",
        "count": results.resamples,
        "learners": bests(plan, &found),
        "overall": found.overall.as_ref().map(BestLearner::words),
    })
}

/// The columns of some names of every learner, where its table has any number in them.
fn by_learner(experiment: &Experiment, curves: &Table, names: &[&str]) -> Option<Value> {
    let known = names
        .iter()
        .all(|name| curves.names().any(|known| known == *name));
    if !known {
        return None;
    }
    let mut from = 0;
    let each = experiment.plan()?.curves().map(|curve| {
        let rows = from..from + curve.settings();
        from = rows.end;
        let column = |name: &&str| &curves.numbers(name)[rows.clone()];
        let empty = names.iter().flat_map(column).all(|value| value.is_nan());
        let pairs = names
            .iter()
            .map(|name| ((*name).to_owned(), f8(column(name))));
        (!empty).then(|| Value::Object(pairs.collect()))
    });
    let each: Vec<Option<Value>> = each.collect();
    Some(json!(each))
}

/// The exact forms, where there are any.
pub fn theory(experiment: &Experiment, curves: &Table) -> Option<Value> {
    let learners = by_learner(
        experiment,
        curves,
        &[columns::BIAS2_EXACT, columns::VARIANCE_EXACT],
    )?;
    Some(json!({ "is": "theory", "learners": learners }))
}

/// What the solving for weights met with, where there is any.
pub fn solving(experiment: &Experiment, curves: &Table) -> Option<Value> {
    let names = [columns::RANK, columns::CONDITION, columns::WEIGHT_NORM];
    let learners = by_learner(experiment, curves, &names)?;
    Some(json!({ "is": "solving", "learners": learners }))
}

/// The parts at every test point, from all resamples; `None` where that is too much to send.
pub fn points(experiment: &Experiment, results: &Results) -> Option<Value> {
    if let Some(classes) = experiment.plan().and_then(classes) {
        return Some(classes.points(results));
    }
    if cells(experiment) > MOST_POINTS {
        return None;
    }
    let learners = results.learners.iter().map(|learner| {
        let split = &learner.decomposition;
        let truth = results.truth.iter().cycle();
        let mean = split
            .mean
            .iter()
            .zip(truth)
            .map(|(mean, truth)| mean + truth);
        json!({
            (columns::MEAN): f4(mean),
            (columns::BIAS2): f4(split.bias2.iter().copied()),
            (columns::VARIANCE): f4(split.variance.iter().copied()),
        })
    });
    Some(json!({ "is": "points", "learners": learners.collect::<Vec<_>>() }))
}

/// The words with the numbers of the run in them, and what became of its claims.
pub fn words(statements: &Statements) -> Value {
    let words = &statements.words;
    json!({
        "is": "words",
        "title": words.title,
        "lookFor": words.look_for,
        "question": words.question,
        "answer": words.answer,
        "choices": words.choices,
        "claims": statements.claims,
    })
}

/// How far a run is that shows nothing as it goes.
pub fn progress(count: u64) -> Value {
    json!({ "is": "progress", "count": count })
}

/// The last message of a run that ended.
pub fn end(count: u64, seconds: f64, report: &Report) -> Value {
    let identity = report.agreement.map(|agreement| {
        json!({
            "largest": number(agreement.largest),
            "allowed": number(agreement.allowed),
            "values": agreement.values,
        })
    });
    json!({
        "is": "end",
        "count": count,
        "seconds": seconds,
        "identity": identity,
        "warnings": report.warnings,
        "stopped": null,
    })
}

/// The last message of a run that was cut off by a limit.
pub fn stopped(count: u64, seconds: f64, why: &str) -> Value {
    json!({
        "is": "end",
        "count": count,
        "seconds": seconds,
        "identity": null,
        "warnings": [],
        "stopped": why,
    })
}

/// The last message of a run that had to make room for others, and may be asked for again.
pub fn busy(message: &str) -> Value {
    json!({ "is": "error", "message": message, "help": null, "passing": true })
}

/// The last message of a run that failed.
pub fn error(error: &RunError) -> Value {
    let help = match error {
        RunError::Problem(..) => Some("make truth and noise finite wherever an input can fall"),
        RunError::Learner { .. } => {
            Some("try a less extreme setting, or another scale of the data")
        }
        RunError::Setup(_) => Some("choose other values in `with`"),
        RunError::Stopped { .. } | RunError::Threads(_) => None,
    };
    json!({ "is": "error", "message": error.to_string(), "help": help })
}
