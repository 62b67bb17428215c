//! From a learner's table to a learner with its capacity path.

mod axes;
mod build;
mod spec;

use std::collections::HashMap;
use std::ops::Range;

use toml::Spanned;

use super::bounds::Bounds;
use super::raw::{Block, RawExperiment, RawSweep, Value, expected};
use super::source::SourceError;
use axes::{AxisRequest, ParameterPlace, Target, dimensions, train_values};
use bvlab_core::learner::{FirstInputs, LEARNER_KEYS, Registry};
use bvlab_core::plan::{CapacityPath, Curve, Stage, SweepAxis};
use bvlab_core::problem::{Expression, Labels, Problem};
use bvlab_core::words::{thousands, visible};
use spec::{KeyValue, Spec, SpecReader};

/// The problems that learners are fitted to, each once.
struct Problems<'a> {
    given: &'a Problem,
    bounds: &'a Bounds,
    span: Range<usize>,
    made: Vec<Problem>,
    /// By number of points and swept sd.
    known: HashMap<(usize, Option<u64>), usize>,
    registry: &'a Registry,
    /// The most settings of a stage that goes into one slab.
    slab: Option<usize>,
}

impl Problems<'_> {
    /// The number of training points that is given.
    fn known_size(&self) -> Result<usize, SourceError> {
        match self.given.train {
            0 => Err(
                SourceError::new(self.span.clone(), "`train` is missing").help(
                    "say how many points a training set has, as in `train = 100`, or sweep over `train`",
                ),
            ),
            train => Ok(train),
        }
    }

    /// The problem with so many points, or the given number, and noise of that sd, or the given.
    fn find(&mut self, train: Option<f64>, sd: Option<f64>) -> Result<usize, SourceError> {
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
) -> Result<(Vec<CapacityPath>, Vec<Problem>), SourceError> {
    let mut paths: Vec<CapacityPath> = Vec::new();
    let mut problems = Problems {
        given: problem,
        bounds,
        span,
        made: Vec::new(),
        known: HashMap::new(),
        registry,
        slab,
    };
    let mut sweep_used = false;
    for learner in &raw.learner {
        let (path, used) = check_one(learner, raw.sweep.as_ref(), &mut problems)?;
        sweep_used |= used;
        let name = &path.curve.name;
        if paths.iter().any(|other| other.curve.name == *name) {
            let message = format!("two learners are called `{name}`");
            return Err(SourceError::new(learner.span(), message)
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
        return Err(SourceError::new(name.span(), message));
    }
    Ok((paths, problems.made))
}

/// The sign for which a spreadsheet takes a cell of a CSV file for a formula, if it would. Where
/// semicolons separate cells, what follows one begins a cell.
fn formula(name: &str) -> Option<char> {
    let mut cells = name.split(';').map(str::trim_start);
    cells.find_map(|cell| cell.chars().next().filter(|c| "=+-@".contains(*c)))
}

/// The keys of a learner's table.
struct LearnerTable<'a> {
    name: Option<String>,
    colour: Option<(u8, u8, u8)>,
    reference: bool,
    sweep: Option<RawSweep>,
    /// All others.
    rest: Vec<KeyValue<'a>>,
}

impl<'a> LearnerTable<'a> {
    fn read(Block(entries): &'a Block) -> Result<Self, SourceError> {
        let mut table = LearnerTable {
            name: None,
            colour: None,
            reference: false,
            sweep: None,
            rest: Vec::new(),
        };
        for (key, value) in entries {
            match (key.get_ref().as_str(), value.get_ref()) {
                ("name", Value::Text(text)) => table.name = Some(name_of(text, value)?),
                ("name", _) => return Err(expected("a string", value)),
                ("colour", Value::Text(text)) => table.colour = Some(hex(text, value)?),
                ("colour", _) => return Err(expected("a colour, as in \"#d55400\"", value)),
                ("reference", Value::Bool(flag)) => table.reference = *flag,
                ("reference", _) => return Err(expected("true or false", value)),
                ("sweep", Value::Table(Block(entries))) => {
                    table.sweep = Some(RawSweep(entries.clone()));
                }
                ("sweep", _) => return Err(expected("a table, as in { k = \"1..50\" }", value)),
                _ => table.rest.push((key, value)),
            }
        }
        Ok(table)
    }
}

fn name_of(text: &str, value: &Spanned<Value>) -> Result<String, SourceError> {
    let length = text.chars().count();
    let odd = |c: char| c.is_control() || visible(c).is_some();
    if text.trim().is_empty() || length > 60 || text.chars().any(odd) {
        let message = "a learner's name has 1 to 60 characters, on one line";
        return Err(SourceError::new(value.span(), message));
    }
    match formula(text) {
        None => Ok(text.to_owned()),
        Some(sign) => {
            let message = format!("a learner's name cannot begin with `{sign}`");
            Err(SourceError::new(value.span(), message).help(
                "a spreadsheet would take it for a formula when it opens curves.csv; begin with a letter",
            ))
        }
    }
}

/// A learner's path, and whether it takes part in the sweep of all learners.
fn check_one(
    raw: &Spanned<Block>,
    sweep: Option<&RawSweep>,
    problems: &mut Problems,
) -> Result<(CapacityPath, bool), SourceError> {
    let table = LearnerTable::read(raw.get_ref())?;
    let shared = table.sweep.is_none();
    let sweep = table.sweep.as_ref().or(sweep);
    let smallest = smallest(sweep, problems)?;
    let reader = SpecReader {
        registry: problems.registry,
        problem: &smallest,
    };
    let spec = reader.read(&table.rest, &raw.span(), &LEARNER_KEYS)?;
    let asked = AxisRequest {
        spec: &spec,
        raw,
        reference: table.reference,
        shared,
        problem: &smallest,
        bounds: problems.bounds,
    };
    let swept = match sweep {
        None => Vec::new(),
        Some(sweep) => asked.axes(sweep)?,
    };
    let used = shared && !swept.is_empty();
    let name = table.name.unwrap_or_else(|| spec.family.name.to_owned());
    let (axes, targets): (Vec<SweepAxis>, Vec<Target>) = swept.into_iter().unzip();
    let curve = Curve {
        name,
        colour: table.colour,
        axes,
    };
    let most = problems.bounds.settings;
    if curve.settings() as u64 > most {
        let message = format!(
            "the sweep has {} settings; the maximum is {}",
            thousands(curve.settings() as u64),
            thousands(most)
        );
        let span = sweep.and_then(|RawSweep(entries)| Some(entries.first()?.0.span()));
        return Err(SourceError::new(span.unwrap_or(raw.span()), message));
    }
    let stages = stages(&curve, &targets, &spec, problems)?;
    Ok((CapacityPath { curve, stages }, used))
}

/// The largest dimension that is swept over, if any: inputs have as many coordinates.
pub(super) fn largest_dimension(
    raw: &RawExperiment,
    bounds: &Bounds,
) -> Result<Option<usize>, SourceError> {
    let own = raw.learner.iter().flat_map(|learner| &learner.get_ref().0);
    let own = own.filter(|(key, _)| key.get_ref() == "sweep");
    let own = own.filter_map(|(_, sweep)| match sweep.get_ref() {
        Value::Table(Block(entries)) => Some(entries),
        _ => None,
    });
    let all = raw.sweep.iter().map(|RawSweep(entries)| entries).chain(own);
    let mut largest = None;
    for (name, values) in all.flatten() {
        if name.get_ref() == "dimension" {
            let values = dimensions(values, bounds)?.values;
            let last = values.last().map(|(value, _)| *value as usize);
            largest = largest.max(last);
        }
    }
    Ok(largest)
}

/// The entry of a sweep with that name.
fn swept<'a>(sweep: Option<&'a RawSweep>, name: &str) -> Option<&'a Spanned<Value>> {
    let mut entries = sweep?.0.iter();
    let found = entries.find(|(key, _)| key.get_ref() == name);
    found.map(|(_, values)| values)
}

/// The problem with the smallest training sets and the fewest coordinates of a sweep: what the data
/// must allow is asked of them.
fn smallest(sweep: Option<&RawSweep>, problems: &Problems) -> Result<Problem, SourceError> {
    let mut smallest = problems.given.clone();
    match swept(sweep, "train") {
        None => {
            problems.known_size()?;
        }
        Some(values) => {
            let trains = train_values(values, problems.given, problems.bounds)?;
            let first = trains.values.first();
            smallest.train = first.map_or(1, |(value, _)| *value as usize);
        }
    }
    if let Some(values) = swept(sweep, "dimension") {
        let values = dimensions(values, problems.bounds)?.values;
        smallest.dimension = values.first().map_or(1, |(value, _)| *value as usize);
    }
    Ok(smallest)
}

/// The settings of a curve by the problem that they are fitted to, and by slab.
fn stages(
    curve: &Curve,
    targets: &[Target],
    spec: &Spec,
    problems: &mut Problems,
) -> Result<Vec<Stage>, SourceError> {
    let most = problems.given.dimension;
    let mut stages: Vec<(usize, usize, Vec<usize>)> = Vec::new();
    let mut stage_of: HashMap<(usize, usize, usize), usize> = HashMap::new();
    let slab = problems.slab;
    let at_once = slab.map_or(usize::MAX, |slab| curve.rows_at_once(slab) * curve.row());
    let value = |setting: usize, target: Target| {
        let axis = targets.iter().position(|other| *other == target)?;
        Some([curve.value(setting), curve.second(setting)][axis])
    };
    for setting in 0..curve.settings() {
        let problem =
            problems.find(value(setting, Target::Train), value(setting, Target::Noise))?;
        let dimension = value(setting, Target::Dimension).map_or(most, |value| value as usize);
        let key = (problem, dimension, setting / at_once);
        let stage = *stage_of.entry(key).or_insert(stages.len());
        if stage == stages.len() {
            stages.push((problem, dimension, Vec::new()));
        }
        stages[stage].2.push(setting);
    }
    let places: Vec<ParameterPlace> = targets
        .iter()
        .filter_map(|target| match target {
            Target::Parameter(place) => Some(*place),
            Target::Train | Target::Noise | Target::Dimension => None,
        })
        .collect();
    let mut built = Vec::new();
    for (problem, dimension, settings) in stages {
        let swept = |setting: &usize| -> Vec<f64> {
            let places = places.iter();
            let values = places.map(|place| value(*setting, Target::Parameter(*place)));
            values.flatten().collect()
        };
        let values: Vec<Vec<f64>> = settings.iter().map(swept).collect();
        let of = &Problem {
            dimension,
            ..problems.made[problem].clone()
        };
        build::check_members(spec, &places, &values, of)?;
        let learner = build::build(spec, 0, &places, &values, of)?;
        built.push(Stage {
            problem,
            learner: match dimension < most {
                true => Box::new(FirstInputs::new(learner, dimension)),
                false => learner,
            },
            settings,
        });
    }
    Ok(built)
}

/// A colour as `#rrggbb`.
fn hex(text: &str, value: &Spanned<Value>) -> Result<(u8, u8, u8), SourceError> {
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6);
    let number = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
    match number {
        Some(number) => {
            let [_, r, g, b] = number.to_be_bytes();
            Ok((r, g, b))
        }
        None => Err(SourceError::new(value.span(), "this is not a colour")
            .help("write red, green and blue in two digits each, as in \"#d55400\"")),
    }
}
