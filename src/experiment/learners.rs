//! From a learner's table to a learner with its capacity path.

use std::ops::Range;

use toml::Spanned;

use super::raw::{Block, RawSweep, Value};
use super::source::Trouble;
use super::sweep::Values;
use super::{Axis, Curve};
use crate::learner::{Blueprint, FAMILIES, Family, Learner, Most, Number, family};
use crate::problem::Problem;
use crate::words::{choice, did_you_mean, number};

/// A model family as the file sets it: checked, but for the number that is swept.
struct Spec {
    family: &'static Family,
    span: Range<usize>,
    /// The family's numbers, where given.
    numbers: Vec<Option<f64>>,
    choices: Vec<usize>,
    base: Option<Box<Spec>>,
}

/// The number that is swept: at which level of bases it is, and which of the family's.
struct Place {
    level: usize,
    index: usize,
}

pub(super) fn check(
    raw: &[Spanned<Block>],
    sweep: Option<&RawSweep>,
    problem: &Problem,
) -> Result<Vec<Curve>, Trouble> {
    let mut curves: Vec<Curve> = Vec::new();
    let mut sweep_used = false;
    for raw in raw {
        let (curve, used) = check_one(raw, sweep, problem)?;
        sweep_used |= used;
        if curves.iter().any(|other| other.name == curve.name) {
            let message = format!("two learners are called `{}`", curve.name);
            return Err(Trouble::new(raw.span(), message)
                .help("give one of them another name, as in `name = \"deep tree\"`"));
        }
        curves.push(curve);
    }
    if let Some(RawSweep(entries)) = sweep
        && let Some((name, _)) = entries.first()
        && !sweep_used
    {
        let message = format!(
            "no learner takes part in the sweep over `{}`",
            name.get_ref()
        );
        return Err(Trouble::new(name.span(), message));
    }
    Ok(curves)
}

fn check_one(
    raw: &Spanned<Block>,
    sweep: Option<&RawSweep>,
    problem: &Problem,
) -> Result<(Curve, bool), Trouble> {
    let Block(entries) = raw.get_ref();
    let (mut name, mut reference, mut own_sweep) = (None, false, None);
    let mut families = Vec::new();
    for (key, value) in entries {
        match (key.get_ref().as_str(), value.get_ref()) {
            ("name", Value::Text(text)) => {
                let length = text.chars().count();
                if text.trim().is_empty() || length > 60 || text.chars().any(char::is_control) {
                    let message = "a learner's name has 1 to 60 characters, on one line";
                    return Err(Trouble::new(value.span(), message));
                }
                name = Some(text.clone());
            }
            ("name", _) => return Err(expected("a string", value)),
            ("reference", Value::Bool(flag)) => reference = *flag,
            ("reference", _) => return Err(expected("true or false", value)),
            ("sweep", Value::Table(Block(entries))) => {
                own_sweep = Some(RawSweep(entries.clone()));
            }
            ("sweep", _) => return Err(expected("a table, as in { k = \"1..50\" }", value)),
            _ => families.push((key, value)),
        }
    }
    let known = ["name", "reference", "sweep"];
    let spec = spec_of(&families, &raw.span(), &known, problem)?;
    let shared = own_sweep.is_none();
    let axis = match own_sweep.as_ref().or(sweep) {
        None => None,
        Some(sweep) => axis_of(sweep, &spec, reference, shared, raw, problem)?,
    };
    let used = shared && axis.is_some();
    let name = name.unwrap_or_else(|| spec.family.name.to_owned());
    let values: Vec<f64> = match &axis {
        Some((axis, _)) => axis.values.clone(),
        None => vec![f64::NAN],
    };
    let place = axis.as_ref().map(|(_, place)| place);
    check_members(&spec, place, &values, problem)?;
    let learner = build(&spec, 0, place, &values, problem)?;
    let axis = axis.map(|(axis, _)| axis);
    Ok((
        Curve {
            name,
            axis,
            learner,
        },
        used,
    ))
}

/// The one model family among the keys of a table.
fn spec_of(
    families: &[(&Spanned<String>, &Spanned<Value>)],
    span: &Range<usize>,
    other_keys: &[&str],
    problem: &Problem,
) -> Result<Spec, Trouble> {
    let names = || FAMILIES.iter().map(|family| family.name);
    for (key, _) in families {
        if family(key.get_ref()).is_none() {
            let known: Vec<&str> = names().chain(other_keys.iter().copied()).collect();
            return Err(
                Trouble::new(key.span(), format!("`{}` is not known here", key.get_ref()))
                    .label("neither a learner nor one of its keys")
                    .help(did_you_mean(key.get_ref(), known)),
            );
        }
    }
    let [(key, value)] = families else {
        let span = families.get(1).map_or(span.clone(), |(key, _)| key.span());
        return Err(
            Trouble::new(span, "a learner is exactly one model family").help(format!(
                "write one of {}, as in `tree = {{}}`",
                choice(names())
            )),
        );
    };
    let family = family(key.get_ref()).expect("it was just looked up");
    let Value::Table(Block(entries)) = value.get_ref() else {
        return Err(expected("a table, as in `tree = { depth = 3 }`", value));
    };
    if family.one_dimensional && problem.dimension > 1 {
        let message = format!("`{}` needs one-dimensional inputs", family.name);
        return Err(Trouble::new(key.span(), message)
            .label(format!("the inputs have {} dimensions", problem.dimension)));
    }
    let mut spec = Spec {
        family,
        span: key.span(),
        numbers: vec![None; family.numbers.len()],
        choices: vec![0; family.choices.len()],
        base: None,
    };
    for (key, value) in entries {
        let name = key.get_ref().as_str();
        let numbered = family.numbers.iter().position(|number| number.name == name);
        let chosen = family.choices.iter().position(|choice| choice.name == name);
        if let Some(index) = numbered {
            let Value::Number(given) = value.get_ref() else {
                return Err(expected("a number", value));
            };
            check_number(&family.numbers[index], *given, &value.span(), problem)?;
            spec.numbers[index] = Some(*given);
        } else if let Some(index) = chosen {
            let options = family.choices[index].options;
            let word = match value.get_ref() {
                Value::Text(word) => word.as_str(),
                Value::Bool(true) => "true",
                Value::Bool(false) => "false",
                _ => return Err(expected(&choice(options.iter().copied()), value)),
            };
            let Some(option) = options.iter().position(|option| *option == word) else {
                let message = format!("`{word}` is not known here");
                return Err(Trouble::new(value.span(), message)
                    .help(format!("expected {}", choice(options.iter().copied()))));
            };
            spec.choices[index] = option;
        } else if name == "base" && family.has_base {
            let Value::Table(Block(entries)) = value.get_ref() else {
                return Err(expected("a table, as in `base = { tree = {} }`", value));
            };
            let families: Vec<_> = entries.iter().map(|(key, value)| (key, value)).collect();
            spec.base = Some(Box::new(spec_of(&families, &value.span(), &[], problem)?));
        } else {
            let numbers = family.numbers.iter().map(|number| number.name);
            let choices = family.choices.iter().map(|choice| choice.name);
            let base = family.has_base.then_some("base");
            let known: Vec<&str> = numbers.chain(choices).chain(base).collect();
            return Err(
                Trouble::new(key.span(), format!("`{}` has no `{name}`", family.name))
                    .label("unknown key")
                    .help(did_you_mean(name, known)),
            );
        }
    }
    if family.has_base && spec.base.is_none() {
        let message = format!("`{}` needs a `base`", family.name);
        return Err(Trouble::new(key.span(), message)
            .help("say what it is made of, as in `base = { tree = {} }`"));
    }
    Ok(spec)
}

fn check_number(
    rule: &Number,
    value: f64,
    span: &Range<usize>,
    problem: &Problem,
) -> Result<(), Trouble> {
    let name = rule.name;
    let trouble = |message: String| Err(Trouble::new(span.clone(), message));
    if !value.is_finite() {
        return trouble(format!("`{name}` must be finite"));
    }
    if rule.whole && value.fract() != 0.0 {
        return trouble(format!(
            "`{name}` must be a whole number, not {}",
            number(value)
        ));
    }
    if rule.above && value <= rule.least {
        return trouble(format!(
            "`{name}` must be above {}, not {}",
            rule.least,
            number(value)
        ));
    }
    if value < rule.least {
        return trouble(format!(
            "`{name}` must be at least {}, not {}",
            rule.least,
            number(value)
        ));
    }
    let train = problem.train as f64;
    let (most, reason) = match rule.most {
        Most::Value(most) => (most, String::new()),
        Most::Train => (train, format!(": there are {train} training points")),
        Most::Dimension => {
            let inputs = problem.dimension as f64;
            (inputs, format!(": the inputs have {inputs} coordinates"))
        }
        Most::BelowTrain(most) if train - 1.0 > most => (most, String::new()),
        Most::BelowTrain(_) => (
            train - 1.0,
            format!(": {train} training points determine no more"),
        ),
    };
    if value > most {
        let value = number(value);
        return trouble(format!(
            "`{name}` can be at most {}, not {value}{reason}",
            number(most)
        ));
    }
    Ok(())
}

/// The learner's axis, or `None` for a reference that does not have the swept number.
fn axis_of(
    RawSweep(entries): &RawSweep,
    spec: &Spec,
    reference: bool,
    shared: bool,
    raw: &Spanned<Block>,
    problem: &Problem,
) -> Result<Option<(Axis, Place)>, Trouble> {
    let [(name, values)] = entries.as_slice() else {
        let span = entries.get(1).map_or(raw.span(), |(name, _)| name.span());
        return Err(Trouble::new(span, "a sweep is over exactly one number"));
    };
    let (path, values) = inner_path(name, values);
    let mut level = spec;
    let mut places = Vec::new();
    let path = path.as_str();
    let inner = path.trim_start_matches("base.");
    let skipped = (path.len() - inner.len()) / "base.".len();
    for depth in 0.. {
        let numbers = level.family.numbers;
        if let Some(index) = numbers.iter().position(|number| number.name == inner) {
            places.push((
                Place {
                    level: depth,
                    index,
                },
                &numbers[index],
                level,
            ));
        }
        match &level.base {
            Some(base) => level = base,
            None => break,
        }
    }
    let found = places
        .into_iter()
        .find(|(place, ..)| place.level >= skipped);
    let Some((place, rule, level)) = found else {
        if reference && shared {
            return Ok(None);
        }
        return Err(no_such_number(name, spec, shared, raw));
    };
    if reference {
        let message = format!("`{}` has the swept number `{path}`", spec.family.name);
        return Err(Trouble::new(spec.span.clone(), message)
            .help("leave out `reference = true`, or sweep another number"));
    }
    if level.numbers[place.index].is_some() {
        let message = format!("`{inner}` is both given and swept");
        return Err(Trouble::new(level.span.clone(), message)
            .help("leave it out here, or take it out of the sweep"));
    }
    let is_spread = matches!(values.get_ref(), Value::Table(_));
    let mut values = Values::read(values)?;
    if rule.whole && is_spread {
        values = values.rounded();
    }
    for (value, span) in &values.values {
        check_number(rule, *value, span, problem)?;
    }
    Ok(Some((
        Axis {
            name: path.to_owned(),
            about: rule.about.to_owned(),
            scale: values.scale(),
            values: values.values.into_iter().map(|(value, _)| value).collect(),
        },
        place,
    )))
}

/// `base.base.depth = …` is a table in a table to TOML; here it is a path.
fn inner_path<'a>(
    name: &Spanned<String>,
    mut values: &'a Spanned<Value>,
) -> (String, &'a Spanned<Value>) {
    let mut path = name.get_ref().clone();
    while path.split('.').next_back() == Some("base")
        && let Value::Table(Block(entries)) = values.get_ref()
        && let [(inner, inner_values)] = entries.as_slice()
    {
        path = format!("{path}.{}", inner.get_ref());
        values = inner_values;
    }
    (path, values)
}

fn no_such_number(
    name: &Spanned<String>,
    spec: &Spec,
    shared: bool,
    raw: &Spanned<Block>,
) -> Trouble {
    let mut known: Vec<&str> = Vec::new();
    let mut level = Some(spec);
    while let Some(spec) = level {
        known.extend(spec.family.numbers.iter().map(|number| number.name));
        level = spec.base.as_deref();
    }
    let message = format!(
        "`{}` has no number `{}` to sweep",
        spec.family.name,
        name.get_ref()
    );
    let near = did_you_mean(name.get_ref(), known);
    // A misspelt name is best shown in the sweep, a learner that does not fit at the learner.
    if !shared || near.starts_with("did") {
        return Trouble::new(name.span(), message).help(near);
    }
    let help = format!(
        "{near} there; or give this learner a `sweep` of its own, or `reference = true` to draw it as a flat line"
    );
    let span = match raw.get_ref().0.is_empty() {
        true => raw.span(),
        false => spec.span.clone(),
    };
    Trouble::new(span, message).help(help)
}

/// The most training points that all members of an ensemble may hold together.
const MOST_HELD: f64 = 50_000_000.0;

/// Ensembles keep a copy of every member; nested ones multiply.
fn check_members(
    spec: &Spec,
    place: Option<&Place>,
    values: &[f64],
    problem: &Problem,
) -> Result<(), Trouble> {
    let (mut held, mut depth) = (problem.train as f64, 0);
    let mut next = Some(spec);
    while let Some(spec) = next {
        if let Some(index) = spec
            .family
            .numbers
            .iter()
            .position(|n| n.name == "members" || n.name == "trees")
        {
            let swept = place.is_some_and(|place| place.level == depth && place.index == index);
            held *= match spec.numbers[index].or(spec.family.numbers[index].default) {
                _ if swept => values.iter().copied().fold(1.0, f64::max),
                Some(members) => members,
                None => 1.0,
            };
        }
        (next, depth) = (spec.base.as_deref(), depth + 1);
    }
    if held > MOST_HELD {
        let message = "so many members are more than memory can hold";
        return Err(Trouble::new(spec.span.clone(), message).help(format!(
            "members × training points can be at most {}",
            number(MOST_HELD)
        )));
    }
    Ok(())
}

/// Makes the learner whose setting c has the swept number at `values[c]`.
fn build(
    spec: &Spec,
    level: usize,
    place: Option<&Place>,
    values: &[f64],
    problem: &Problem,
) -> Result<Box<dyn Learner>, Trouble> {
    let here = place.filter(|place| place.level == level);
    let numbers = spec.family.numbers;
    let mut settings = Vec::with_capacity(values.len());
    for &value in values {
        let mut setting = Vec::with_capacity(numbers.len());
        for (index, rule) in numbers.iter().enumerate() {
            let swept = here.is_some_and(|place| place.index == index);
            match spec.numbers[index].or(rule.default) {
                _ if swept => setting.push(value),
                Some(given) => setting.push(given),
                None => {
                    let message = format!("`{}` needs `{}`", spec.family.name, rule.name);
                    return Err(Trouble::new(spec.span.clone(), message)
                        .help(format!("give it ({}), or sweep over it", rule.about)));
                }
            }
        }
        settings.push(setting);
    }
    let base = match &spec.base {
        None => None,
        // Settings that do not differ in the base share one of the base's.
        Some(base) if here.is_some() => Some((
            build(base, level + 1, None, &[f64::NAN], problem)?,
            vec![0; values.len()],
        )),
        Some(base) => {
            let wants = (0..values.len()).collect();
            Some((build(base, level + 1, place, values, problem)?, wants))
        }
    };
    Ok((spec.family.build)(Blueprint {
        settings,
        choices: spec.choices.clone(),
        base,
        range: problem.inputs.range(),
    }))
}

fn expected(what: &str, value: &Spanned<Value>) -> Trouble {
    Trouble::new(value.span(), format!("expected {what}"))
        .label(format!("this is {}", value.get_ref().kind()))
}
