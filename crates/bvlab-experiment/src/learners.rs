//! From a learner's table to a learner with its capacity path.

use std::collections::HashMap;
use std::ops::Range;

use toml::Spanned;

use super::bounds::Bounds;
use super::problem::check_train;
use super::raw::{Block, Num, RawExperiment, RawSweep, Value};
use super::source::Trouble;
use super::sweep::Values;
use bvlab_core::learner::{Family, LEARNER_KEYS, Learner, Registry};
use bvlab_core::parameter::{DataSize, Parameter};
use bvlab_core::plan::{Axis, CapacityPath, Curve, Stage};
use bvlab_core::problem::{Expression, Labels, Problem, Resample};
use bvlab_core::words::{choice, did_you_mean, number, thousands, visible};

/// A model family as the file sets it: checked, but for the numbers that are swept.
struct Spec {
    family: Family,
    span: Range<usize>,
    /// The family's numbers, where given.
    numbers: Vec<Option<f64>>,
    choices: Vec<usize>,
    base: Option<Box<Spec>>,
}

/// What an axis of a sweep changes.
#[derive(Clone, Copy, PartialEq)]
enum Target {
    /// A number of the learner.
    Number(Place),
    /// The number of training points.
    Train,
    /// The noise's standard deviation.
    Noise,
}

/// A number of the learner: at which level of bases it is, and which of the family's.
#[derive(Clone, Copy, PartialEq)]
struct Place {
    level: usize,
    index: usize,
}

/// The problems that learners are fitted to, each once.
struct Problems<'a> {
    given: &'a Problem,
    bounds: &'a Bounds,
    span: Range<usize>,
    made: Vec<Problem>,
    /// By number of points and swept sd.
    known: HashMap<(usize, Option<u64>), usize>,
}

impl Problems<'_> {
    /// The number of training points that is given.
    fn known_size(&self) -> Result<usize, Trouble> {
        match self.given.train {
            0 => Err(
                Trouble::new(self.span.clone(), "`train` is missing").help(
                    "say how many points a training set has, as in `train = 100`, or sweep over `train`",
                ),
            ),
            train => Ok(train),
        }
    }

    /// The problem with so many points, or the given number, and noise of that sd, or the given.
    fn find(&mut self, train: Option<f64>, sd: Option<f64>) -> Result<usize, Trouble> {
        let train = match train {
            Some(train) => train as usize,
            None => self.known_size()?,
        };
        let next = self.made.len();
        let key = (train, sd.map(f64::to_bits));
        let found = *self.known.entry(key).or_insert(next);
        if found == next {
            let mut problem = Problem {
                train,
                ..self.given.clone()
            };
            if let (Some(sd), Labels::Numbers { noise, .. }) = (sd, &mut problem.labels) {
                noise.sd = Expression::constant(sd);
            }
            self.made.push(problem);
        }
        Ok(found)
    }
}

/// Checks the learners and what is swept; also returns the problems that they are fitted to. With a
/// slab, no stage has settings of more values of the second axis than go into one.
pub(super) fn check(
    raw: &RawExperiment,
    span: Range<usize>,
    problem: &Problem,
    bounds: &Bounds,
    slab: Option<usize>,
    registry: &Registry,
) -> Result<(Vec<CapacityPath>, Vec<Problem>), Trouble> {
    let mut paths: Vec<CapacityPath> = Vec::new();
    let mut problems = Problems {
        given: problem,
        bounds,
        span,
        made: Vec::new(),
        known: HashMap::new(),
    };
    let mut sweep_used = false;
    for learner in &raw.learner {
        let (path, used) = check_one(learner, raw.sweep.as_ref(), &mut problems, slab, registry)?;
        sweep_used |= used;
        let name = &path.curve.name;
        if paths.iter().any(|other| other.curve.name == *name) {
            let message = format!("two learners are called `{name}`");
            return Err(Trouble::new(learner.span(), message)
                .help("give one of them another name, as in `name = \"deep tree\"`"));
        }
        paths.push(path);
    }
    if let Some(RawSweep(entries)) = &raw.sweep
        && let Some((name, _)) = entries.first()
        && !sweep_used
    {
        let message = format!(
            "no learner takes part in the sweep over `{}`",
            name.get_ref()
        );
        return Err(Trouble::new(name.span(), message));
    }
    Ok((paths, problems.made))
}

/// The sign for which a spreadsheet takes a cell of a CSV file for a formula, if it would. Where
/// semicolons separate cells, what follows one begins a cell.
fn formula(name: &str) -> Option<char> {
    let mut cells = name.split(';').map(str::trim_start);
    cells.find_map(|cell| cell.chars().next().filter(|c| "=+-@".contains(*c)))
}

fn check_one(
    raw: &Spanned<Block>,
    sweep: Option<&RawSweep>,
    problems: &mut Problems,
    slab: Option<usize>,
    registry: &Registry,
) -> Result<(CapacityPath, bool), Trouble> {
    let Block(entries) = raw.get_ref();
    let (mut name, mut reference, mut own_sweep) = (None, false, None);
    let mut colour = None;
    let mut families = Vec::new();
    for (key, value) in entries {
        match (key.get_ref().as_str(), value.get_ref()) {
            ("name", Value::Text(text)) => {
                let length = text.chars().count();
                let odd = |c: char| c.is_control() || visible(c).is_some();
                if text.trim().is_empty() || length > 60 || text.chars().any(odd) {
                    let message = "a learner's name has 1 to 60 characters, on one line";
                    return Err(Trouble::new(value.span(), message));
                }
                if let Some(sign) = formula(text) {
                    let message = format!("a learner's name cannot begin with `{sign}`");
                    return Err(Trouble::new(value.span(), message).help(
                        "a spreadsheet would take it for a formula when it opens curves.csv; begin with a letter",
                    ));
                }
                name = Some(text.clone());
            }
            ("name", _) => return Err(expected("a string", value)),
            ("colour", Value::Text(text)) => colour = Some(hex(text, value)?),
            ("colour", _) => return Err(expected("a colour, as in \"#d55400\"", value)),
            ("reference", Value::Bool(flag)) => reference = *flag,
            ("reference", _) => return Err(expected("true or false", value)),
            ("sweep", Value::Table(Block(entries))) => {
                own_sweep = Some(RawSweep(entries.clone()));
            }
            ("sweep", _) => return Err(expected("a table, as in { k = \"1..50\" }", value)),
            _ => families.push((key, value)),
        }
    }
    let shared = own_sweep.is_none();
    let sweep = own_sweep.as_ref().or(sweep);
    // What the data must allow is asked of the smallest training sets.
    let trains = match sweep.and_then(|RawSweep(entries)| {
        let mut entries = entries.iter();
        entries.find(|(name, _)| name.get_ref() == "train")
    }) {
        Some((_, values)) => Some(train_values(values, problems.given, problems.bounds)?),
        None => None,
    };
    if trains.is_none() {
        problems.known_size()?;
    }
    let mut smallest = problems.given.clone();
    if let Some(trains) = &trains {
        smallest.train = trains
            .values
            .first()
            .map_or(1, |(value, _)| *value as usize);
    }
    let spec = spec_of(registry, &families, &raw.span(), &LEARNER_KEYS, &smallest)?;
    let asked = Asked {
        spec: &spec,
        raw,
        reference,
        shared,
        problem: &smallest,
        bounds: problems.bounds,
    };
    let swept = match sweep {
        None => Vec::new(),
        Some(sweep) => asked.axes(sweep)?,
    };
    let used = shared && !swept.is_empty();
    let name = name.unwrap_or_else(|| spec.family.name.to_owned());
    let (axes, targets): (Vec<Axis>, Vec<Target>) = swept.into_iter().unzip();
    let curve = Curve { name, colour, axes };
    let most = problems.bounds.settings;
    if curve.settings() as u64 > most {
        let message = format!(
            "the sweep has {} settings, and {} are the most",
            thousands(curve.settings() as u64),
            thousands(most)
        );
        let span = sweep.and_then(|RawSweep(entries)| Some(entries.first()?.0.span()));
        return Err(Trouble::new(span.unwrap_or(raw.span()), message));
    }
    // Settings by the problem that they are fitted to, and by slab.
    let mut stages: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut stage_of: HashMap<(usize, usize), usize> = HashMap::new();
    let at_once = slab.map_or(usize::MAX, |slab| curve.rows_at_once(slab) * curve.row());
    let value = |setting: usize, target: Target| {
        let axis = targets.iter().position(|other| *other == target)?;
        Some([curve.value(setting), curve.second(setting)][axis])
    };
    for setting in 0..curve.settings() {
        let problem =
            problems.find(value(setting, Target::Train), value(setting, Target::Noise))?;
        let key = (problem, setting / at_once);
        let stage = *stage_of.entry(key).or_insert(stages.len());
        if stage == stages.len() {
            stages.push((problem, Vec::new()));
        }
        stages[stage].1.push(setting);
    }
    let places: Vec<Place> = targets
        .iter()
        .filter_map(|target| match target {
            Target::Number(place) => Some(*place),
            Target::Train | Target::Noise => None,
        })
        .collect();
    let mut built = Vec::new();
    for (problem, settings) in stages {
        let values: Vec<Vec<f64>> = settings
            .iter()
            .map(|&setting| {
                let values = places
                    .iter()
                    .map(|place| value(setting, Target::Number(*place)));
                values.flatten().collect()
            })
            .collect();
        let of = &problems.made[problem];
        check_members(&spec, &places, &values, of)?;
        built.push(Stage {
            problem,
            learner: build(&spec, 0, &places, &values, of)?,
            settings,
        });
    }
    let path = CapacityPath {
        curve,
        stages: built,
    };
    Ok((path, used))
}

/// The one model family among the keys of a table.
fn spec_of(
    registry: &Registry,
    families: &[(&Spanned<String>, &Spanned<Value>)],
    span: &Range<usize>,
    other_keys: &[&str],
    problem: &Problem,
) -> Result<Spec, Trouble> {
    let names = || registry.names().map(|name| -> &str { name });
    for (key, _) in families {
        if registry.family(key.get_ref()).is_none() {
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
    let family = *registry
        .family(key.get_ref())
        .expect("it was just looked up");
    let Value::Table(Block(entries)) = value.get_ref() else {
        return Err(expected("a table, as in `tree = { depth = 3 }`", value));
    };
    let classes = problem.classes() > 0;
    if !family.labels.includes(classes) {
        let families = registry.families().iter();
        let fit = families.filter(|family| family.labels.includes(classes));
        let fit = choice(fit.map(|family| family.name));
        let (learns, here) = match classes {
            true => ("numbers", "classes"),
            false => ("classes", "numbers"),
        };
        let message = format!(
            "`{}` learns {learns}, and the labels are {here}",
            family.name
        );
        return Err(Trouble::new(key.span(), message).help(format!("for {here} there are {fit}")));
    }
    if family.one_dimensional && problem.dimension > 1 {
        let message = format!("`{}` needs one-dimensional inputs", family.name);
        return Err(Trouble::new(key.span(), message)
            .label(format!("the inputs have {} dimensions", problem.dimension)));
    }
    let mut spec = Spec {
        family,
        span: key.span(),
        numbers: vec![None; family.parameters.len()],
        choices: vec![0; family.choices.len()],
        base: None,
    };
    for (key, value) in entries {
        let name = key.get_ref().as_str();
        let numbered = family
            .parameters
            .iter()
            .position(|number| number.name == name);
        let chosen = family.choices.iter().position(|choice| choice.name == name);
        if let Some(index) = numbered {
            let Value::Number(given) = value.get_ref() else {
                return Err(expected("a number", value));
            };
            check_value(&family.parameters[index], *given, &value.span(), problem)?;
            spec.numbers[index] = Some(*given);
        } else if let Some(index) = chosen {
            let options = family.choices[index].options;
            if family.choices[index].classes_only && !classes {
                let message = format!("`{name}` is for classes, and the labels are numbers");
                return Err(Trouble::new(key.span(), message));
            }
            let word = match value.get_ref() {
                Value::Text(word) => word.as_str(),
                Value::Bool(true) => "true",
                Value::Bool(false) => "false",
                _ => return Err(expected(&choice(options.iter().copied()), value)),
            };
            let option = family.choices[index].option(word).map_err(|_| {
                Trouble::new(value.span(), format!("`{word}` is not known here"))
                    .help(format!("expected {}", choice(options.iter().copied())))
            })?;
            spec.choices[index] = option;
        } else if name == "base" && family.has_base {
            let Value::Table(Block(entries)) = value.get_ref() else {
                return Err(expected("a table, as in `base = { tree = {} }`", value));
            };
            let families: Vec<_> = entries.iter().map(|(key, value)| (key, value)).collect();
            spec.base = Some(Box::new(spec_of(
                registry,
                &families,
                &value.span(),
                &[],
                problem,
            )?));
        } else {
            return Err(
                Trouble::new(key.span(), format!("`{}` has no `{name}`", family.name))
                    .label("unknown key")
                    .help(did_you_mean(name, family.keys())),
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

fn check_value(
    parameter: &Parameter,
    value: f64,
    span: &Range<usize>,
    problem: &Problem,
) -> Result<(), Trouble> {
    let size = DataSize {
        train: problem.train,
        dimension: problem.dimension,
    };
    let checked = parameter.check(value, size);
    checked.map_err(|error| Trouble::new(span.clone(), error.to_string()))
}

/// A learner that is asked for its axes.
struct Asked<'a> {
    spec: &'a Spec,
    raw: &'a Spanned<Block>,
    reference: bool,
    /// Whether the sweep is that of all learners.
    shared: bool,
    problem: &'a Problem,
    bounds: &'a Bounds,
}

impl Asked<'_> {
    /// The axes that the learner has; a reference may lack some or all.
    fn axes(&self, RawSweep(entries): &RawSweep) -> Result<Vec<(Axis, Target)>, Trouble> {
        let few = "a sweep is over one number, or over two";
        if let Some((name, _)) = entries.get(2) {
            return Err(Trouble::new(name.span(), few));
        }
        if entries.is_empty() {
            return Err(Trouble::new(self.raw.span(), few).help("as in `depth = \"1..16\"`"));
        }
        let mut axes: Vec<(Axis, Target)> = Vec::new();
        for (name, values) in entries {
            let Some(axis) = self.axis(name, values)? else {
                continue;
            };
            if axes.iter().any(|(_, target)| *target == axis.1) {
                let message = format!("`{}` is swept twice", axis.0.name);
                return Err(Trouble::new(name.span(), message));
            }
            axes.push(axis);
        }
        if self.reference && axes.len() == entries.len() {
            let names = axes.iter().map(|(axis, _)| format!("`{}`", axis.name));
            let names = names.collect::<Vec<_>>().join(" and ");
            let message = format!("`{}` has the swept number {names}", self.spec.family.name);
            return Err(Trouble::new(self.spec.span.clone(), message)
                .help("leave out `reference = true`, or sweep another number"));
        }
        Ok(axes)
    }

    /// One axis, or `None` for a reference that does not have the swept number.
    fn axis(
        &self,
        name: &Spanned<String>,
        values: &Spanned<Value>,
    ) -> Result<Option<(Axis, Target)>, Trouble> {
        let axis = |name: &str, about: &str, values: Values| Axis {
            name: name.to_owned(),
            about: about.to_owned(),
            scale: values.scale(),
            values: values.values.into_iter().map(|(value, _)| value).collect(),
        };
        match name.get_ref().as_str() {
            "train" => {
                let values = train_values(values, self.problem, self.bounds)?;
                let axis = axis("train", "points in a training set", values);
                return Ok(Some((axis, Target::Train)));
            }
            "noise" => {
                let values = noise_values(values, self.problem)?;
                let axis = axis("noise", "standard deviation of the noise", values);
                return Ok(Some((axis, Target::Noise)));
            }
            _ => {}
        }
        let (path, values) = inner_path(name, values);
        let spec = self.spec;
        let mut level = spec;
        let mut places = Vec::new();
        let path = path.as_str();
        let inner = path.trim_start_matches("base.");
        let skipped = (path.len() - inner.len()) / "base.".len();
        for depth in 0.. {
            let numbers = level.family.parameters;
            if let Some(index) = numbers.iter().position(|number| number.name == inner) {
                let place = Place {
                    level: depth,
                    index,
                };
                places.push((place, &numbers[index], level));
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
            if self.reference && self.shared {
                return Ok(None);
            }
            return Err(no_such_number(name, spec, self.shared, self.raw));
        };
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
            check_value(rule, *value, span, self.problem)?;
        }
        let axis = axis(path, rule.meaning, values);
        Ok(Some((axis, Target::Number(place))))
    }
}

/// The values of a sweep over the number of training points.
fn train_values(
    raw: &Spanned<Value>,
    problem: &Problem,
    bounds: &Bounds,
) -> Result<Values, Trouble> {
    if problem
        .rows()
        .is_some_and(|rows| rows.resample == Resample::Halves)
    {
        let message = "halves of a table are all of one size";
        return Err(Trouble::new(raw.span(), message)
            .help("`resample = \"bootstrap\"` takes training sets of any size"));
    }
    let mut values = Values::read(raw)?;
    if matches!(raw.get_ref(), Value::Table(_)) {
        values = values.rounded();
    }
    for (value, span) in &values.values {
        let value = Spanned::new(span.clone(), Num(*value));
        check_train(&value, &problem.inputs, problem.dimension, bounds)?;
    }
    Ok(values)
}

/// The values of a sweep over the noise's sd, which must not depend on x then.
fn noise_values(raw: &Spanned<Value>, problem: &Problem) -> Result<Values, Trouble> {
    let values = Values::read(raw)?;
    if problem.rows().is_some() {
        let message = "the noise of a table is unknown, and cannot be swept";
        return Err(Trouble::new(raw.span(), message));
    }
    let Some(noise) = problem.noise() else {
        let message = "the labels are classes, and have no noise with an sd";
        return Err(Trouble::new(raw.span(), message)
            .help("noise in classes is in their probabilities, and `flip`"));
    };
    if !noise.sd.is_constant() {
        let message = "a noise that varies with x cannot be swept";
        return Err(Trouble::new(raw.span(), message)
            .help("the swept values are its sd: write a number in `noise`, as in { normal = 1 }"));
    }
    for (value, span) in &values.values {
        if *value < 0.0 {
            let message = format!("the noise's sd must be at least 0, not {}", number(*value));
            return Err(Trouble::new(span.clone(), message));
        }
    }
    Ok(values)
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
        known.extend(spec.family.parameters.iter().map(|number| number.name));
        level = spec.base.as_deref();
    }
    known.extend(["train", "noise"]);
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

/// Whether an ensemble divides the data among its members.
fn splits(spec: &Spec) -> bool {
    let mut choices = spec.family.choices.iter().zip(&spec.choices);
    choices.any(|(choice, chosen)| choice.options[*chosen] == "split")
}

/// Ensembles keep a copy of every member; nested ones multiply.
fn check_members(
    spec: &Spec,
    places: &[Place],
    values: &[Vec<f64>],
    problem: &Problem,
) -> Result<(), Trouble> {
    let (mut held, mut level) = (problem.train as f64, 0);
    let mut next = Some(spec);
    while let Some(spec) = next {
        let numbers = spec.family.parameters;
        let counted = |number: &Parameter| ["members", "trees"].contains(&number.name);
        if let Some(index) = numbers.iter().position(counted) {
            let swept = places
                .iter()
                .position(|place| *place == Place { level, index });
            let members = match (swept, spec.numbers[index].or(numbers[index].default)) {
                (Some(axis), _) => values.iter().map(|values| values[axis]).fold(1.0, f64::max),
                (None, Some(members)) => members,
                (None, None) => 1.0,
            };
            if level == 0 && splits(spec) && members > problem.train as f64 {
                let message = format!(
                    "{} training points cannot be divided among {} members",
                    problem.train,
                    number(members)
                );
                return Err(Trouble::new(spec.span.clone(), message).help(
                    "every member needs at least one: take fewer, or `sample = \"bootstrap\"`",
                ));
            }
            held *= members;
        }
        (next, level) = (spec.base.as_deref(), level + 1);
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

/// Makes the learner whose setting c has the swept numbers at `values[c]`.
fn build(
    spec: &Spec,
    level: usize,
    places: &[Place],
    values: &[Vec<f64>],
    problem: &Problem,
) -> Result<Box<dyn Learner>, Trouble> {
    let numbers = spec.family.parameters;
    let size = DataSize {
        train: problem.train,
        dimension: problem.dimension,
    };
    (spec.family.suits)(size, problem.classes()).map_err(|unsuitable| {
        Trouble::new(spec.span.clone(), unsuitable.message).help(unsuitable.help)
    })?;
    let mut settings = Vec::with_capacity(values.len());
    for values in values {
        let mut setting = Vec::with_capacity(numbers.len());
        for (index, rule) in numbers.iter().enumerate() {
            let swept = places
                .iter()
                .position(|place| *place == Place { level, index });
            match (swept, spec.numbers[index].or(rule.default)) {
                (Some(axis), _) => setting.push(values[axis]),
                (None, Some(given)) => setting.push(given),
                (None, None) => {
                    let message = format!("`{}` needs `{}`", spec.family.name, rule.name);
                    return Err(Trouble::new(spec.span.clone(), message)
                        .help(format!("give it ({}), or sweep over it", rule.meaning)));
                }
            }
        }
        settings.push(setting);
    }
    let base = match &spec.base {
        None => None,
        Some(base) => {
            // Settings that do not differ in the base share one of the base's.
            let deeper = |axis: &usize| places[*axis].level > level;
            let axes: Vec<usize> = (0..places.len()).filter(deeper).collect();
            let mut distinct: Vec<Vec<f64>> = Vec::new();
            let mut known: HashMap<Vec<u64>, usize> = HashMap::new();
            let mut wants = Vec::with_capacity(values.len());
            for values in values {
                let inner: Vec<f64> = axes.iter().map(|&axis| values[axis]).collect();
                let key = inner.iter().map(|value| value.to_bits()).collect();
                let next = distinct.len();
                let which = *known.entry(key).or_insert(next);
                if which == next {
                    distinct.push(inner);
                }
                wants.push(which);
            }
            let places: Vec<Place> = axes.iter().map(|&axis| places[axis]).collect();
            let base = build(base, level + 1, &places, &distinct, problem)?;
            Some((base, wants))
        }
    };
    let mut blueprint = spec.family.blueprint(settings);
    blueprint.range = problem.inputs.range();
    blueprint.classes = problem.classes();
    for (choice, chosen) in spec.family.choices.iter().zip(&spec.choices) {
        let with = blueprint.with(choice.name, choice.options[*chosen]);
        blueprint = with.expect("options are looked up in their choice");
    }
    if let Some((base, wants)) = base {
        blueprint = blueprint.base(base, wants);
    }
    Ok((spec.family.build)(blueprint))
}

/// A colour as `#rrggbb`.
fn hex(text: &str, value: &Spanned<Value>) -> Result<(u8, u8, u8), Trouble> {
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6);
    let number = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
    match number {
        Some(number) => {
            let [_, r, g, b] = number.to_be_bytes();
            Ok((r, g, b))
        }
        None => Err(Trouble::new(value.span(), "this is not a colour")
            .help("write red, green and blue in two digits each, as in \"#d55400\"")),
    }
}

fn expected(what: &str, value: &Spanned<Value>) -> Trouble {
    Trouble::new(value.span(), format!("expected {what}"))
        .label(format!("this is {}", value.get_ref().kind()))
}
