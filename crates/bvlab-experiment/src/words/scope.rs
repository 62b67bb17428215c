//! What a text can refer to.

use std::ops::Range;

use super::parser::Flaw;
use super::quantity;
use super::reference::{HeldAxis, Reference, Referent, SelectionPlace, SettingPlace};
use bvlab_core::plan::{Curve, StudyDescription, SweepAxis};
use bvlab_core::simulation::SimulationDescription;
use bvlab_core::task::Description;
use bvlab_core::words::{did_you_mean, nearest, number, quoted, short};

/// What a text can refer to: the tables of a run and of its variants, and the experiment's keys.
pub struct Scope<'a> {
    /// The runs, by name: the experiment's own, whose name is empty, and its variants.
    pub(crate) runs: Vec<(&'a str, &'a Description)>,
    /// The experiment's keys, with those that were set on top.
    pub(crate) settings: Option<&'a toml::Table>,
    /// The number of resamples and the seed, which an experiment need not give.
    pub(crate) defaults: [f64; 2],
    /// Whether references to what is not there are let pass: keys that are set on top of an
    /// experiment may take away what its words are about.
    pub(crate) lenient: bool,
}

/// The first half of a reference.
pub(super) struct Quantity {
    pub name: String,
    pub theory: bool,
    pub is_quoted: bool,
    pub span: Range<usize>,
}

/// The second half: where a quantity is read.
#[derive(Default)]
pub(super) struct ReferencePlace {
    pub variant: Option<(String, Range<usize>)>,
    pub names: Vec<(String, Range<usize>)>,
    pub values: Vec<(String, f64, Range<usize>)>,
    pub best: Option<Range<usize>>,
}

/// What an unqualified key begins with.
const RUN_DEFAULTS: [&str; 2] = ["run.resamples", "run.seed"];

impl<'a> Scope<'a> {
    /// What can be referred to of a finished result, from what its tables contain, its variants by
    /// name, the experiment's keys, and its resamples and seed.
    pub fn of_result(
        description: &'a Description,
        variants: &[(&'a str, &'a Description)],
        settings: Option<&'a toml::Table>,
        (resamples, seed): (u64, u64),
    ) -> Self {
        let main = [("", description)];
        Scope {
            runs: main.into_iter().chain(variants.iter().copied()).collect(),
            settings,
            defaults: [resamples as f64, seed as f64],
            lenient: false,
        }
    }
}

impl Scope<'_> {
    /// The names of a simulation's curves; none of a study.
    pub(super) fn series_names(&self) -> Vec<&str> {
        let simulations = self.runs.iter().filter_map(|(_, run)| run.simulation());
        let series = simulations.flat_map(|simulation| &simulation.series);
        series.map(|series| series.name.as_str()).collect()
    }

    pub(super) fn variant_names(&self) -> Vec<&str> {
        let variants = self.runs.iter().skip(1);
        variants.map(|(name, _)| *name).collect()
    }

    /// Which run a place is of.
    fn run_of(&self, place: &ReferencePlace) -> Option<usize> {
        match &place.variant {
            None => Some(0),
            Some((name, _)) => {
                let mut variants = self.runs.iter().skip(1);
                variants.position(|(known, _)| known == name).map(|i| i + 1)
            }
        }
    }

    /// The names that can be parts of a place: learners and methods of selection, or panels of a
    /// simulation.
    pub(super) fn place_names(&self, place: &ReferencePlace) -> Vec<&str> {
        let run = self.run_of(place).and_then(|run| self.runs.get(run));
        match run.map(|(_, run)| run) {
            Some(Description::Study(study)) => {
                let learners = study.curves.iter().map(|curve| curve.name.as_str());
                let methods = study.select.iter().map(|method| method.name.as_str());
                learners.chain(methods).collect()
            }
            Some(Description::Simulation(simulation)) => {
                let panels = simulation.panels.iter();
                panels.map(|panel| panel.name.as_str()).collect()
            }
            None => Vec::new(),
        }
    }

    /// What a part of a place can be, for a suggestion.
    pub(super) fn part_examples(&self, place: &ReferencePlace) -> Vec<String> {
        let mut known: Vec<String> = self
            .place_names(place)
            .iter()
            .map(|&n| n.to_owned())
            .collect();
        if let Some((_, Description::Study(study))) =
            self.run_of(place).and_then(|run| self.runs.get(run))
        {
            let axes = study.curves.iter().flat_map(|curve| &curve.axes);
            for axis in axes {
                let example = axis.values.first().map_or(0.0, |value| *value);
                let part = format!("{}={}", axis.name, short(example));
                if !known.contains(&part) {
                    known.push(part);
                }
            }
            known.push("best".to_owned());
        } else {
            known.push("x=1".to_owned());
        }
        known
    }

    /// The number that a reference stands for.
    pub(super) fn resolve(
        &self,
        quantity: &Quantity,
        place: Option<ReferencePlace>,
        text: String,
        span: Range<usize>,
    ) -> Result<Reference, Flaw> {
        let is_setting = place.is_none()
            && !quantity.is_quoted
            && quantity.name.contains('.')
            && !quantity.name.starts_with("best.");
        let found = match is_setting {
            true => self.setting(quantity).map(|what| (0, what)),
            false => self.of_run(quantity, &place.unwrap_or_default(), span),
        };
        match found {
            Ok((run, what)) => Ok(Reference { text, run, what }),
            Err(flaw) if self.lenient => Ok(Reference {
                text,
                run: 0,
                what: Referent::Missing(flaw.message),
            }),
            Err(flaw) => Err(flaw),
        }
    }

    /// A key of the experiment.
    fn setting(&self, quantity: &Quantity) -> Result<Referent, Flaw> {
        let name = quantity.name.as_str();
        let wrong = |message: String, help: String| {
            Err(Flaw::new(quantity.span.clone(), message).help(help))
        };
        let mut keys = name.split('.');
        let mut found = keys
            .next()
            .and_then(|key| self.settings.and_then(|all| all.get(key)));
        for key in keys {
            found = found.and_then(|found| match found {
                toml::Value::Table(table) => table.get(key),
                toml::Value::Array(items) => items.get(key.parse::<usize>().ok()?),
                _ => None,
            });
        }
        match found {
            Some(toml::Value::Integer(value)) => Ok(Referent::Setting(*value as f64)),
            Some(toml::Value::Float(value)) if value.is_finite() => Ok(Referent::Setting(*value)),
            Some(_) => wrong(
                format!("`{name}` is not a number"),
                "a text can refer to keys that are single numbers".to_owned(),
            ),
            None => match RUN_DEFAULTS.iter().position(|known| *known == name) {
                Some(which) => Ok(Referent::Setting(self.defaults[which])),
                None => wrong(
                    format!("the experiment has no key {}", quoted(name)),
                    self.similar_key(name),
                ),
            },
        }
    }

    /// Keys of the experiment that are numbers, for a suggestion.
    fn similar_key(&self, name: &str) -> String {
        let mut keys = RUN_DEFAULTS.map(str::to_owned).to_vec();
        let tables = self.settings.into_iter().flatten();
        let mut waiting: Vec<(String, &toml::Value)> =
            tables.map(|(key, value)| (key.clone(), value)).collect();
        while let Some((path, value)) = waiting.pop() {
            let deeper = |key: &str| format!("{path}.{key}");
            match value {
                toml::Value::Table(table) => {
                    waiting.extend(table.iter().map(|(key, value)| (deeper(key), value)));
                }
                toml::Value::Array(items) => {
                    let items = items.iter().enumerate().take(100);
                    waiting.extend(items.map(|(i, value)| (deeper(&i.to_string()), value)));
                }
                toml::Value::Integer(_) | toml::Value::Float(_) => keys.push(path),
                _ => {}
            }
            if keys.len() > 1000 {
                break;
            }
        }
        match nearest(name, keys.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                "a key is written with dots, as in `problem.train`; a column needs a place, as \
                     in `risk@depth=5`"
                    .to_owned()
            }
        }
    }

    /// What is said of a variant that there is not.
    pub(super) fn unknown_variant(&self, name: &str, span: Range<usize>) -> Flaw {
        let message = format!("no variant is called {}", quoted(name));
        let known = self.variant_names();
        Flaw::new(span, message).help(match known.is_empty() {
            true => "the experiment has no `[[variant]]`".to_owned(),
            false => did_you_mean(name, known.iter().copied()),
        })
    }

    fn of_run(
        &self,
        quantity: &Quantity,
        place: &ReferencePlace,
        span: Range<usize>,
    ) -> Result<(usize, Referent), Flaw> {
        let Some(run) = self.run_of(place) else {
            let (name, span) = place.variant.clone().unwrap_or_default();
            return Err(self.unknown_variant(&name, span));
        };
        let what = match self.runs[run].1 {
            Description::Study(study) => match method(study, place)? {
                Some(method) if run > 0 => {
                    let message =
                        "what methods select is kept of the experiment itself, not of variants";
                    return Err(Flaw::new(method.1, message));
                }
                Some(method) => of_method(study, quantity, place, (method, span)),
                None => of_study(study, quantity, place, span),
            },
            Description::Simulation(simulation) => of_simulation(simulation, quantity, place, span),
        };
        what.map(|what| (run, what))
    }
}

/// The method of selection that a place names, if any.
fn method(
    study: &StudyDescription,
    place: &ReferencePlace,
) -> Result<Option<(String, Range<usize>)>, Flaw> {
    let is_method = |name: &str| {
        study.select.iter().any(|method| method.name == name)
            && study.curves.iter().all(|curve| curve.name != name)
    };
    let mut methods = place.names.iter().filter(|(name, _)| is_method(name));
    let first = methods.next().cloned();
    match methods.next() {
        None => Ok(first),
        Some((_, span)) => Err(Flaw::new(
            span.clone(),
            "a place has one method of selection",
        )),
    }
}

/// A column of `selection` or of `choices`.
fn of_method(
    study: &StudyDescription,
    quantity: &Quantity,
    place: &ReferencePlace,
    ((method, at_method), span): ((String, Range<usize>), Range<usize>),
) -> Result<Referent, Flaw> {
    let wrong =
        |(message, help): (String, String)| Flaw::new(quantity.span.clone(), message).help(help);
    let is_selection = quantity::of_method(&quantity.name).map_err(wrong)?;
    if let Some(best) = &place.best {
        let message = "`best` is not known to a method of selection";
        return Err(Flaw::new(best.clone(), message).help("give a value, or leave it out"));
    }
    let rest = ReferencePlace {
        names: place
            .names
            .iter()
            .filter(|(_, span)| *span != at_method)
            .cloned()
            .collect(),
        ..ReferencePlace::default()
    };
    let learner = learner(study, &rest, &span)?;
    let curve = &study.curves[learner];
    let at = values_at(study, curve, place)?;
    let needs = |axis: usize| {
        let name = &curve.axes[axis].name;
        let message = format!("`{}` at which {name}?", quantity.name);
        Flaw::new(span.clone(), message).help(format!("add `{name}=…` after the `@`"))
    };
    let second = match (curve.axes.len(), at[1]) {
        (2, None) => return Err(needs(1)),
        (_, second) => second.unwrap_or(0),
    };
    let at = match (is_selection, at[0], curve.axes.is_empty()) {
        (true, None, false) => return Err(needs(0)),
        (true, first, _) => SelectionPlace::Setting(first.unwrap_or(0) + second * curve.row()),
        (false, None, _) => SelectionPlace::Choice(second),
        (false, Some(_), _) => {
            let name = &curve.axes[0].name;
            let message = format!(
                "`{}` is of the choice among all values of `{name}`",
                quantity.name
            );
            let help = format!("leave `{name}=…` out");
            return Err(Flaw::new(span, message).help(help));
        }
    };
    Ok(Referent::Selection {
        name: quantity.name.clone(),
        learner,
        method,
        at,
    })
}

/// By axis: the number of the value that a place gives.
fn values_at(
    study: &StudyDescription,
    curve: &Curve,
    place: &ReferencePlace,
) -> Result<[Option<usize>; 2], Flaw> {
    let mut at: [Option<usize>; 2] = [None; 2];
    for (name, value, span) in &place.values {
        let axes = &curve.axes;
        let Some(axis) = axes.iter().position(|axis| axis.name == *name) else {
            let message = match study.curves.len() {
                1 => format!("{} is not swept", quoted(name)),
                _ => format!("`{}` is not swept over {}", curve.name, quoted(name)),
            };
            let known = axes.iter().map(|axis| axis.name.as_str());
            return Err(
                Flaw::new(span.clone(), message).help(match axes.is_empty() {
                    true => "nothing is swept: leave it out".to_owned(),
                    false => did_you_mean(name, known),
                }),
            );
        };
        if at[axis].is_some() {
            let message = format!("`{name}` is given twice");
            return Err(Flaw::new(span.clone(), message));
        }
        at[axis] = Some(value_number(&axes[axis], *value, span)?);
    }
    Ok(at)
}

/// A column of a study, or its best setting.
fn of_study(
    study: &StudyDescription,
    quantity: &Quantity,
    place: &ReferencePlace,
    span: Range<usize>,
) -> Result<Referent, Flaw> {
    let best_axis = match quantity.is_quoted {
        true => None,
        false => quantity.name.strip_prefix("best."),
    };
    if best_axis.is_none() {
        quantity::check(&quantity.name, study)
            .map_err(|(message, help)| Flaw::new(quantity.span.clone(), message).help(help))?;
    }
    let learner = learner(study, place, &span)?;
    let curve = &study.curves[learner];
    let at = values_at(study, curve, place)?;
    let held = (0..2).find_map(|axis| {
        Some(HeldAxis {
            axis,
            value: at[axis]?,
        })
    });
    let given = at.iter().flatten().count();
    if let Some(name) = best_axis {
        return best(curve, learner, name, place, (held, given), quantity);
    }
    let at = match (&place.best, curve.axes.len()) {
        (None, axes) if axes == given => {
            let [first, second] = at.map(|value| value.unwrap_or(0));
            SettingPlace::Number(first + second * curve.row())
        }
        (Some(_), axes) if given < axes => SettingPlace::Best(held),
        (Some(span), 0) => {
            let message = "nothing is swept: there is no best setting".to_owned();
            return Err(Flaw::new(span.clone(), message).help("leave `best` out"));
        }
        (Some(span), _) => {
            let message = "`best` chooses what is already given".to_owned();
            return Err(Flaw::new(span.clone(), message).help("leave `best` out, or a value"));
        }
        (None, _) => {
            let axes = curve.axes.iter().enumerate();
            let missing = axes.filter(|(axis, _)| at[*axis].is_none());
            let missing: Vec<&str> = missing.map(|(_, axis)| axis.name.as_str()).collect();
            let examples = missing.iter().map(|name| format!("{name}=…"));
            let message = format!("which {}?", missing.join(" and "));
            let help = format!(
                "add `{}` after the `@`, or `best`",
                examples.collect::<Vec<_>>().join(", ")
            );
            return Err(Flaw::new(span, message).help(help));
        }
    };
    Ok(Referent::Column {
        name: quantity.name.clone(),
        learner,
        at,
    })
}

/// The value of a swept parameter at the best setting.
fn best(
    curve: &Curve,
    learner: usize,
    name: &str,
    place: &ReferencePlace,
    (held, given): (Option<HeldAxis>, usize),
    quantity: &Quantity,
) -> Result<Referent, Flaw> {
    let axes = curve.axes.iter();
    let Some(axis) = axes.clone().position(|axis| axis.name == name) else {
        let message = format!("`{}` is not swept over {}", curve.name, quoted(name));
        let known: Vec<String> = axes.map(|axis| format!("best.{}", axis.name)).collect();
        let help = match known.is_empty() {
            true => "nothing is swept".to_owned(),
            false => did_you_mean(&quantity.name, known.iter().map(String::as_str)),
        };
        return Err(Flaw::new(quantity.span.clone(), message).help(help));
    };
    let holds = held.is_some_and(|held| held.axis == axis);
    if holds || given >= curve.axes.len() {
        let message = format!("`{name}` is asked for and given");
        let span = place.values.iter().find(|value| value.0 == name);
        let span = span.map_or(quantity.span.clone(), |value| value.2.clone());
        return Err(Flaw::new(span, message).help("leave it out after the `@`"));
    }
    Ok(Referent::Best {
        learner,
        axis,
        held,
    })
}

/// The learner that a place names, or the only one.
fn learner(
    study: &StudyDescription,
    place: &ReferencePlace,
    span: &Range<usize>,
) -> Result<usize, Flaw> {
    let names = || study.curves.iter().map(|curve| curve.name.as_str());
    match place.names.as_slice() {
        [] if study.curves.len() == 1 => Ok(0),
        [] => {
            let message = "there are several learners: which one?";
            let help = format!("add {} after the `@`", bvlab_core::words::choice(names()));
            Err(Flaw::new(span.clone(), message).help(help))
        }
        [(name, span)] => names().position(|known| known == name).ok_or_else(|| {
            let message = format!("no learner is called {}", quoted(name));
            Flaw::new(span.clone(), message).help(did_you_mean(name, names()))
        }),
        [_, (_, span), ..] => {
            let message = "a place has one learner";
            Err(Flaw::new(span.clone(), message))
        }
    }
}

/// The number of a value on an axis: the one that is given, or the one that is shown so in three
/// digits.
fn value_number(axis: &SweepAxis, value: f64, span: &Range<usize>) -> Result<usize, Flaw> {
    let values = || axis.values.iter();
    let near = |known: &f64| (known - value).abs() <= 1e-9 * known.abs().max(value.abs());
    let shown = |known: &f64| short(*known).parse() == Ok(value);
    let found = values().position(near).or_else(|| values().position(shown));
    found.ok_or_else(|| {
        let distance = |known: &&f64| (*known - value).abs();
        let nearest = values().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        let message = format!("`{}` does not have the value {}", axis.name, number(value));
        let listed = values().take(20).map(|value| short(*value));
        let more = if axis.values.len() > 20 { ", …" } else { "" };
        let help = format!(
            "the nearest is {}; its values are {}{more}",
            nearest.map_or(String::new(), |nearest| short(*nearest)),
            listed.collect::<Vec<_>>().join(", ")
        );
        Flaw::new(span.clone(), message).help(help)
    })
}

/// A row of a simulation's table.
fn of_simulation(
    simulation: &SimulationDescription,
    quantity: &Quantity,
    place: &ReferencePlace,
    span: Range<usize>,
) -> Result<Referent, Flaw> {
    let wrong = |span: &Range<usize>, message: String, help: String| {
        Err(Flaw::new(span.clone(), message).help(help))
    };
    let name = quantity.name.as_str();
    let named = simulation
        .series
        .iter()
        .filter(|series| series.name == name);
    let named: Vec<_> = named.collect();
    if named.is_empty() {
        let mut known: Vec<&str> = simulation.series.iter().map(|s| s.name.as_str()).collect();
        known.dedup();
        let message = format!("the simulation has no series {}", quoted(name));
        return wrong(
            &quantity.span,
            message,
            did_you_mean(name, known.iter().copied()),
        );
    }
    if let Some(best) = &place.best {
        let message = "a simulation has no best setting".to_owned();
        return wrong(best, message, "give a place, as in `x=11`".to_owned());
    }
    let in_panel = match place.names.as_slice() {
        [] => named,
        [(panel, span)] => {
            let kept = named
                .iter()
                .copied()
                .filter(|series| series.panel == *panel);
            let kept: Vec<_> = kept.collect();
            if kept.is_empty() {
                let message = format!("panel {} has no series {}", quoted(panel), quoted(name));
                let panels = named.iter().map(|series| series.panel.as_str());
                return wrong(span, message, did_you_mean(panel, panels));
            }
            kept
        }
        [_, (_, span), ..] => {
            return wrong(span, "a place has one panel".to_owned(), String::new());
        }
    };
    let [series] = in_panel.as_slice() else {
        let panels = in_panel.iter().map(|series| series.panel.as_str());
        let message = format!("several panels have a series {}", quoted(name));
        let help = format!("add {} after the `@`", bvlab_core::words::choice(panels));
        return wrong(&span, message, help);
    };
    let x = match place.values.as_slice() {
        [] if series.x.len() == 1 => series.x[0],
        [] => {
            let message = "at which x?".to_owned();
            return wrong(&span, message, "add `x=…` after the `@`".to_owned());
        }
        [(axis, value, span)] => {
            let panel = simulation
                .panels
                .iter()
                .find(|panel| panel.name == series.panel);
            let own = panel.map_or("", |panel| panel.x.as_str());
            if axis != "x" && axis != own {
                let message = format!("the horizontal axis is not called {}", quoted(axis));
                return wrong(span, message, "write `x=…`".to_owned());
            }
            let places = SweepAxis::new("x", &series.x);
            series.x[value_number(&places, *value, span)?]
        }
        [_, (_, _, span), ..] => {
            return wrong(span, "a row has one x".to_owned(), String::new());
        }
    };
    Ok(Referent::Series {
        panel: series.panel.clone(),
        series: series.name.clone(),
        x,
        theory: quantity.theory,
    })
}
