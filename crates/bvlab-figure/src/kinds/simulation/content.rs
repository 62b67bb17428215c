//! What stands in the panels of a simulation, read from its table.

use crate::axis::room;
use crate::error::FigureError;
use crate::theme;
use bvlab_core::decompose::interval_factor;
use bvlab_core::plan::Scale;
use bvlab_core::simulation::{PanelStyle, SimulationDescription, SimulationPanel, dependent_from};
use bvlab_experiment::{PanelBy, SimulationFigure};
use bvlab_outcome::{Tables, columns};

/// One series of a panel.
#[derive(Clone)]
pub struct SimulationCurve {
    /// The name in the table.
    pub name: String,
    /// What it is called.
    pub label: String,
    pub colour: theme::Colour,
    pub xs: Vec<f64>,
    pub values: Vec<f64>,
    /// The ends of a 95 % interval.
    pub low: Vec<f64>,
    pub high: Vec<f64>,
    pub theory: Vec<f64>,
}

impl SimulationCurve {
    pub fn has_theory(&self) -> bool {
        self.theory.iter().any(|value| value.is_finite())
    }

    /// Whether theory is known at most places, so that it makes a line.
    pub fn follows_theory(&self) -> bool {
        let known = self.theory.iter().filter(|value| value.is_finite());
        2 * known.count() > self.theory.len()
    }

    /// What stands after the name of the series that it belongs to, as in `mean: bound`.
    pub fn addition(&self) -> Option<&str> {
        self.name.split_once(": ").map(|(_, addition)| addition)
    }

    /// Whether it is a dashed line: a bound, or what belongs to another series.
    pub fn is_dashed(&self) -> bool {
        let belongs = self.addition().is_some() || self.name.ends_with("bound");
        belongs && self.xs.len() > 1 && self.is_exact()
    }

    /// The heights of the line that is drawn.
    pub fn line(&self) -> &[f64] {
        match self.follows_theory() {
            true => &self.theory,
            false => &self.values,
        }
    }

    /// Whether nothing changes along x, so that it is one estimate.
    pub fn is_constant(&self) -> bool {
        let same = self.values.windows(2).all(|pair| pair[0] == pair[1]);
        self.values.len() > 2 && same && !self.has_theory()
    }

    /// Whether its values are exact themselves, as those of a bound are.
    pub fn is_exact(&self) -> bool {
        !self.has_theory() && self.low == self.high
    }

    /// The same of squared values: the interval of the square is that of the number, squared.
    fn squared(self) -> Self {
        let square = |values: &[f64]| values.iter().map(|v| v * v).collect::<Vec<f64>>();
        let ends = || self.low.iter().zip(&self.high);
        let low = ends().map(|(low, high)| match low * high > 0.0 {
            true => (low * low).min(high * high),
            false => 0.0,
        });
        let high = ends().map(|(low, high)| (low * low).max(high * high));
        SimulationCurve {
            low: low.collect(),
            high: high.collect(),
            values: square(&self.values),
            theory: square(&self.theory),
            ..self
        }
    }
}

/// A panel and what it shows.
pub struct SimulationContent {
    /// The names by which notes find it.
    pub names: Vec<String>,
    pub panel: SimulationPanel,
    pub curves: Vec<SimulationCurve>,
    /// The range of its vertical axis.
    pub range: (f64, f64),
    /// Whether its vertical axis is that of the panel on its left.
    pub shared: bool,
    /// Whether its curves have labels.
    pub labelled: bool,
    /// Of correlations, how many pairs have which.
    pub pairs: Option<Pairs>,
}

impl SimulationContent {
    /// Whether there is more than one thing to name.
    pub fn has_names(&self) -> bool {
        self.curves.len() + self.panel.levels.len() > 1 && self.pairs.is_none()
    }

    /// Whether the interval of a curve that is constant can be seen.
    pub fn has_band(&self) -> bool {
        let (low, high) = self.range;
        let wide = |curve: &SimulationCurve| {
            let mut ends = curve.low.iter().zip(&curve.high);
            curve.is_constant() && ends.any(|(a, b)| b - a > 0.02 * (high - low))
        };
        self.panel.look == PanelStyle::Curves && self.curves.iter().any(wide)
    }
}

/// Histograms of the correlations of pairs.
pub struct Pairs {
    /// Smaller ones are no more than chance.
    pub dependent_from: f64,
    /// Where the first bin begins, and how wide each is.
    from: f64,
    width: f64,
    pub kinds: Vec<PairKind>,
}

/// The pairs of one kind.
pub struct PairKind {
    pub name: String,
    pub colour: theme::Colour,
    pub counts: Vec<f64>,
    pub mean: f64,
}

/// About how many bins a histogram has.
const BINS: f64 = 40.0;

impl Pairs {
    /// The lower edge of a bin.
    pub fn edge(&self, bin: usize) -> f64 {
        self.from + self.width * bin as f64
    }

    /// The range of the correlations.
    pub fn range(&self) -> (f64, f64) {
        let bins = self.kinds.first().map_or(0, |kind| kind.counts.len());
        (self.from.min(-0.02), self.edge(bins))
    }

    fn of(
        look: &PanelStyle,
        curves: &[SimulationCurve],
        resamples: u64,
        colour: &mut dyn FnMut(&str) -> (String, theme::Colour),
    ) -> Option<Self> {
        let PanelStyle::Correlations { above, below } = look else {
            return None;
        };
        // A curve is a row of a square, whose halves are the two kinds.
        let half = |is_above: bool| -> Vec<f64> {
            let rows = curves.iter().enumerate();
            let cells = rows.flat_map(|(row, curve)| {
                let places = curve.xs.iter().zip(&curve.values);
                let own = places.filter(move |(x, _)| (**x < (row + 1) as f64) == is_above);
                own.map(|(_, value)| *value).collect::<Vec<f64>>()
            });
            cells.filter(|value| value.is_finite()).collect()
        };
        let halves = [(below, half(false)), (above, half(true))];
        let all: Vec<f64> = halves.iter().flat_map(|(_, half)| half.clone()).collect();
        let (low, high) = room(all.iter().copied(), Scale::Linear, 0.0);
        let width = (high - low) / BINS;
        let bins = BINS as usize + 1;
        let kinds = halves.iter().map(|(name, values)| {
            let mut counts = vec![0.0; bins];
            for value in values {
                let bin = ((value - low) / width) as usize;
                counts[bin.min(bins - 1)] += 1.0;
            }
            let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
            let (name, colour) = colour(name);
            PairKind {
                name,
                colour,
                counts,
                mean,
            }
        });
        Some(Pairs {
            dependent_from: dependent_from(&all, resamples as f64),
            from: low,
            width,
            kinds: kinds.collect(),
        })
    }
}

/// Labels and colours of series, each in the same everywhere.
struct SeriesColours<'a> {
    options: &'a SimulationFigure,
    known: Vec<String>,
}

impl SeriesColours<'_> {
    /// Those of a series in a panel: what is given for `panel.series` goes before `series`.
    fn of(&mut self, panel: &str, name: &str) -> (String, theme::Colour) {
        let labels = &self.options.labels;
        let own = labels.given(&format!("{panel}.{name}"));
        let label = own.unwrap_or(labels.of(name)).to_owned();
        if let Some(meant) = theme::meant(&label) {
            return (label, meant);
        }
        if is_ground(name) {
            return (label, theme::MARK);
        }
        // What belongs to a series, such as its bound, has its colour.
        let name = name.split(": ").next().unwrap_or(name);
        let known = self.known.iter().position(|known| *known == name);
        let index = known.unwrap_or_else(|| {
            self.known.push(name.to_owned());
            self.known.len() - 1
        });
        (label, theme::LEARNERS[index % theme::LEARNERS.len()])
    }
}

/// The panels that are drawn, with their rows of the table.
pub fn contents(
    simulation: &SimulationDescription,
    options: &SimulationFigure,
    tables: &Tables,
) -> Result<Vec<SimulationContent>, FigureError> {
    let mut colours = SeriesColours {
        options,
        known: Vec::new(),
    };
    let mut contents = Vec::new();
    for name in &options.panels {
        let missing = || FigureError::Missing(format!("the panel `{name}`"));
        let panel = simulation.panels.iter().find(|panel| panel.name == *name);
        let panel = worded(panel.ok_or_else(missing)?.clone(), options);
        let square = options.square.contains(name);
        let mut curves = curves(name, square, simulation.resamples, tables);
        if panel.y_scale == Scale::Log {
            leave_out_zeros(&mut curves);
        }
        if curves.is_empty() {
            return Err(missing());
        }
        contents.push((panel, curves));
    }
    check_names(options, &contents)?;
    let contents = match options.by {
        PanelBy::Panel => contents,
        PanelBy::Series => by_series(contents, options),
    };
    let contents = contents.into_iter().map(|(panel, mut curves)| {
        let pairs = Pairs::of(&panel.look, &curves, simulation.resamples, &mut |name| {
            colours.of(&panel.name, name)
        });
        if pairs.is_none() && panel.look != PanelStyle::Scatter {
            let ramp = ramp(&curves);
            // The first colour of series is one of the ramp's.
            if colours.known.is_empty() && ramp.iter().any(Option::is_some) {
                colours.known.push(String::new());
            }
            for (curve, ordered) in curves.iter_mut().zip(ramp) {
                (curve.label, curve.colour) = colours.of(&panel.name, &curve.name);
                curve.colour = ordered.unwrap_or(curve.colour);
            }
        }
        SimulationContent {
            range: heights(&panel, &curves, pairs.as_ref()),
            names: vec![panel.name.clone()],
            pairs,
            panel,
            curves,
            shared: false,
            labelled: false,
        }
    });
    Ok(contents.collect())
}

/// Leaves out series that are zero by theory except for rounding, with what belongs to them: a log
/// axis would show the rounding.
fn leave_out_zeros(curves: &mut Vec<SimulationCurve>) {
    let known = |curve: &SimulationCurve| {
        let theory = curve.theory.iter().filter(|value| value.is_finite());
        theory.fold(None, |most: Option<f64>, value| {
            Some(most.unwrap_or(0.0).max(value.abs()))
        })
    };
    let largest = curves.iter().filter_map(known).fold(0.0, f64::max);
    let is_zero = |curve: &SimulationCurve| {
        known(curve).is_some_and(|most| most > 0.0 && most < 1e-10 * largest)
    };
    let zeros = curves.iter().filter(|curve| is_zero(curve));
    let zeros: Vec<String> = zeros.map(|curve| curve.name.clone()).collect();
    curves.retain(|curve| {
        let belongs = |zero: &String| curve.name.split(": ").next() == Some(zero.as_str());
        !zeros.iter().any(belongs)
    });
}

/// Colours of series that differ in one number: those whose names end in `= 10`, `= 100` and so on,
/// where there are three or more. What belongs to a series has its colour.
fn ramp(curves: &[SimulationCurve]) -> Vec<Option<theme::Colour>> {
    let parts = |curve: &SimulationCurve| -> Option<(String, f64)> {
        let name = curve.name.split(": ").next().unwrap_or_default();
        let (before, number) = name.rsplit_once(" = ")?;
        Some((before.to_owned(), number.parse().ok()?))
    };
    let all: Vec<Option<(String, f64)>> = curves.iter().map(parts).collect();
    let colour = |own: &Option<(String, f64)>| {
        let (name, value) = own.as_ref()?;
        let mut values: Vec<f64> = all
            .iter()
            .flatten()
            .filter(|(other, _)| other == name)
            .map(|(_, value)| *value)
            .collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let place = values.iter().position(|other| other == value)?;
        (values.len() > 2).then(|| theme::ramp(place, values.len()))
    };
    all.iter().map(colour).collect()
}

/// Names that nothing has are a mistake.
fn check_names(
    options: &SimulationFigure,
    contents: &[(SimulationPanel, Vec<SimulationCurve>)],
) -> Result<(), FigureError> {
    let mut known: Vec<String> = Vec::new();
    for (panel, curves) in contents {
        let series: Vec<&str> = match &panel.look {
            PanelStyle::Correlations { above, below } => vec![above, below],
            _ => curves.iter().map(|curve| curve.name.as_str()).collect(),
        };
        known.push(panel.name.clone());
        for name in series {
            known.extend([name.to_owned(), format!("{}.{name}", panel.name)]);
        }
    }
    let labels = options.labels.names.iter().chain(&options.titles);
    let labels = labels.map(|(name, _)| name);
    let shaded = options.shade.iter().flat_map(|(one, other)| [one, other]);
    for name in labels.chain(shaded) {
        if !known.contains(name) {
            let known = known.join("`, `");
            let message = format!("no series is called `{name}`; there are `{known}`");
            return Err(FigureError::draw(message));
        }
    }
    Ok(())
}

/// The panel with the figure's own words.
fn worded(panel: SimulationPanel, options: &SimulationFigure) -> SimulationPanel {
    let mut titles = options.titles.iter();
    let title = titles.find(|(name, _)| *name == panel.name);
    let labels = &options.labels;
    SimulationPanel {
        title: title.map_or(panel.title, |(_, title)| title.clone()),
        x: labels.x.clone().unwrap_or_else(|| symbol_last(&panel.x)),
        y: labels.y.clone().unwrap_or(panel.y),
        y_scale: options.y_scale.unwrap_or(panel.y_scale),
        ..panel
    }
}

/// `number of points, N` for `N (number of points)`.
fn symbol_last(title: &str) -> String {
    match title.split_once(" (") {
        Some((symbol, about)) if symbol.chars().count() <= 3 => {
            format!("{}, {symbol}", about.trim_end_matches(')'))
        }
        _ => title.to_owned(),
    }
}

/// The series of a panel.
fn curves(name: &str, square: bool, resamples: u64, tables: &Tables) -> Vec<SimulationCurve> {
    let factor = interval_factor(0.95, resamples as usize);
    let table = &tables.simulation;
    let [in_panel, in_series] = [columns::PANEL, columns::SERIES].map(|name| table.texts(name));
    let get = |name: &str, rows: &[usize]| -> Vec<f64> {
        let column = table.numbers(name);
        rows.iter().map(|row| column[*row]).collect()
    };
    let mut series: Vec<(String, Vec<usize>)> = Vec::new();
    for row in (0..table.rows()).filter(|row| *in_panel[*row] == *name) {
        match series.last_mut() {
            Some((last, rows)) if *last == *in_series[row] => rows.push(row),
            _ => series.push((in_series[row].to_string(), vec![row])),
        }
    }
    let curve = |(name, rows): (String, Vec<usize>)| {
        let (values, errors) = (get(columns::VALUE, &rows), get(columns::SE, &rows));
        let ends = |sign: f64| {
            let pairs = values.iter().zip(&errors);
            let end = |(value, se): (&f64, &f64)| value + sign * factor * se;
            pairs.map(end).collect::<Vec<f64>>()
        };
        let curve = SimulationCurve {
            label: name.clone(),
            name,
            colour: theme::INK,
            xs: get(columns::X, &rows),
            low: ends(-1.0),
            high: ends(1.0),
            theory: get(columns::THEORY, &rows),
            values,
        };
        if square { curve.squared() } else { curve }
    };
    series.into_iter().map(curve).collect()
}

/// One panel for every series, whose curves are the quantities.
fn by_series(
    contents: Vec<(SimulationPanel, Vec<SimulationCurve>)>,
    options: &SimulationFigure,
) -> Vec<(SimulationPanel, Vec<SimulationCurve>)> {
    let mut turned: Vec<(SimulationPanel, Vec<SimulationCurve>)> = Vec::new();
    for (panel, curves) in contents {
        for curve in curves {
            // What belongs to a series, such as its bound, shares its panel.
            let (series, name) = match curve.name.split_once(": ") {
                Some((series, addition)) => {
                    (series.to_owned(), format!("{}: {addition}", panel.name))
                }
                None => (curve.name.clone(), panel.name.clone()),
            };
            let named = SimulationCurve {
                label: name.clone(),
                name,
                ..curve
            };
            match turned.iter_mut().find(|(panel, _)| panel.name == series) {
                Some((_, curves)) => curves.push(named),
                None => {
                    let mut titles = options.titles.iter();
                    let title = titles.find(|(name, _)| *name == series);
                    let title = title.map_or(series.clone(), |(_, title)| title.clone());
                    let panel = SimulationPanel {
                        name: series,
                        title,
                        ..panel.clone()
                    };
                    turned.push((panel, vec![named]));
                }
            }
        }
    }
    turned
}

/// Whether a series of an algorithm's steps is a line of equal loss, which does not set the range.
pub fn is_contour(name: &str) -> bool {
    name.starts_with("contour")
}

/// Whether a series is what an algorithm's steps go over.
pub fn is_ground(name: &str) -> bool {
    name == "loss" || is_contour(name)
}

/// The range of the vertical axis.
fn heights(
    panel: &SimulationPanel,
    curves: &[SimulationCurve],
    pairs: Option<&Pairs>,
) -> (f64, f64) {
    if let Some(pairs) = pairs {
        let counts = pairs
            .kinds
            .iter()
            .flat_map(|kind| kind.counts.iter().copied());
        // Above the bars there are two lines of text.
        return (0.0, 1.25 * counts.fold(1.0, f64::max));
    }
    if panel.look == PanelStyle::Cells {
        return (0.0, curves.len() as f64);
    }
    let shown = || curves.iter().filter(|curve| !is_contour(&curve.name));
    // On a log axis theory needs no room where it is too rare to be seen.
    let known = shown().flat_map(|curve| {
        let places = curve.theory.iter().zip(&curve.values);
        let shown = places.filter(|(_, value)| panel.y_scale == Scale::Linear || **value > 0.0);
        shown.map(|(theory, _)| *theory).collect::<Vec<f64>>()
    });
    let levels = panel.levels.iter().map(|(value, _)| *value);
    let seen = shown().flat_map(|curve| match panel.y_scale {
        // The lower end of an interval may have no logarithm; where theory has none, there is no dot.
        Scale::Log => {
            let theory = curve
                .theory
                .iter()
                .copied()
                .chain(std::iter::repeat(f64::NAN));
            let seen = curve.values.iter().zip(theory);
            let shown = seen.filter(|(_, theory)| theory.is_nan() || *theory > 0.0);
            shown.map(|(value, _)| *value).collect()
        }
        Scale::Linear => [curve.low.clone(), curve.high.clone()].concat(),
    });
    let values = known.chain(levels).chain(seen).filter(|v| v.is_finite());
    match (&panel.look, panel.y_scale) {
        (_, Scale::Log) => {
            let (low, high) = room(values.filter(|value| *value > 0.0), Scale::Log, 0.05);
            if low > 0.0 { (low, high) } else { (0.1, 1.0) }
        }
        // Above the bars there is a line of text.
        (PanelStyle::Bars { .. }, Scale::Linear) => {
            let most = values.fold(0.0, f64::max);
            (0.0, 1.2 * if most > 0.0 { most } else { 1.0 })
        }
        (_, Scale::Linear) => {
            let values: Vec<f64> = values.collect();
            let (low, high) = room(values.iter().copied(), Scale::Linear, 0.06);
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            // What is zero but for chance begins at zero, too.
            let from_zero = least >= -0.02 * high && least < 0.5 * high;
            (if from_zero { 0.0 } else { low }, high)
        }
    }
}

/// Neighbouring panels of bars share their vertical axis, and all do where that is asked for. Curves
/// have labels where there are several, once where panels have the same ones.
pub fn arrange(contents: &mut [SimulationContent], options: &SimulationFigure) {
    let is_bars =
        |content: &SimulationContent| matches!(content.panel.look, PanelStyle::Bars { .. });
    let highest = |contents: &[SimulationContent], which: &dyn Fn(&SimulationContent) -> bool| {
        let chosen = contents.iter().filter(|content| which(content));
        let ranges = chosen.map(|content| content.range);
        ranges.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), range| {
            (low.min(range.0), high.max(range.1))
        })
    };
    let (_, bars) = highest(contents, &is_bars);
    let whole = highest(contents, &|_| true);
    // What belongs to a series has no label of its own.
    let labels = |content: &SimulationContent| -> Vec<String> {
        let own = |curve: &&SimulationCurve| {
            let series = curve.name.split_once(": ").map(|(series, _)| series);
            let mut others = content.curves.iter();
            series.is_none_or(|series| others.all(|other| other.name != series))
        };
        let curves = content.curves.iter().filter(own);
        curves.map(|curve| curve.label.clone()).collect()
    };
    let all: Vec<Vec<String>> = contents.iter().map(labels).collect();
    // Four panels and more stand in two rows.
    let count = contents.len();
    let begins = |i: usize| i == 0 || (count > 3 && i == count.div_ceil(2));
    for i in 0..count {
        // The name of a level alone would seem to be that of a curve.
        let level = !contents[i].panel.levels.is_empty();
        let beside = !begins(i + 1) && !level && all.get(i + 1) == Some(&all[i]);
        contents[i].labelled = contents[i].has_names() && !beside;
        if options.same_y {
            contents[i].range = whole;
            contents[i].shared = !begins(i);
        } else if is_bars(&contents[i]) {
            contents[i].range = (0.0, bars);
            contents[i].shared = !begins(i) && is_bars(&contents[i - 1]);
        }
    }
}
