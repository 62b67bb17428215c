//! The true risk beside estimates of it, and how often each value is chosen.

use std::borrow::Cow;
use std::ops::Range;

use crate::axis::{Axis, room};
use crate::canvas::{Canvas, Side, Stroke};
use crate::error::FigureError;
use crate::labels::labels_width;
use crate::notes::{NoteCurve, write_notes};
use crate::panel::{BELOW, Frame, Panel, Surroundings, TITLE, axis_title, is_whole, y_room};
use crate::picture::{FigureData, Picture, course, sentence};
use crate::select::{Series, column, doubtful, rows_at, rows_of, series};
use crate::theme;
use bvlab_core::plan::{MethodDescription, Scale, SweepAxis};
use bvlab_core::words::short;
use bvlab_experiment::SelectionFigure;
use bvlab_outcome::{Table, columns};

/// The colours of methods, which differ from those of the parts of the error.
const METHODS: [theme::Colour; 6] = [
    (178, 130, 0),
    (196, 48, 112),
    (0, 144, 152),
    (92, 102, 140),
    (96, 56, 28),
    (214, 140, 160),
];

/// How much of the width shows the estimates; the rest shows the choices.
const ESTIMATES: f64 = 0.62;

/// More bars of one method cannot be told apart.
const MOST_BARS: usize = 12;

/// One method on one curve.
struct MethodCurve<'a> {
    method: &'a MethodDescription,
    label: String,
    colour: theme::Colour,
    /// The mean estimate, and its standard deviation over training sets; empty where it is not drawn.
    means: Vec<f64>,
    spreads: Vec<f64>,
    chosen: Vec<f64>,
}

/// One curve: a row of two panels.
struct Content<'a> {
    series: Series<'a>,
    xs: Vec<f64>,
    risk: Vec<f64>,
    shown: Vec<MethodCurve<'a>>,
    /// Estimates from single training sets, of one of the methods.
    single: Vec<Vec<f64>>,
    single_colour: theme::Colour,
    /// The training error; empty where it is not drawn.
    train: Vec<f64>,
    /// Of one training set alone: what is chosen, its estimate, and the true risk of that fit.
    choice: Option<(f64, f64, f64)>,
}

/// The rows of one method and curve, which stand together.
fn rows_of_method(
    table: &Table,
    series: Series,
    method: &str,
) -> Result<Range<usize>, FigureError> {
    let missing = || FigureError::Missing(format!("`{method}` of `{}`", series.curve.name));
    let (learners, methods) = (table.texts(columns::LEARNER), table.texts(columns::METHOD));
    let seconds = table.numbers(columns::VALUE2);
    let of = |i: usize| {
        let second = seconds.get(i).copied().unwrap_or(f64::NAN);
        *learners[i] == *series.curve.name
            && *methods[i] == *method
            && (series.second.is_nan() || second == series.second)
    };
    let count = learners.len().min(methods.len());
    let start = (0..count).find(|i| of(*i)).ok_or_else(missing)?;
    let end = (start..count).find(|i| !of(*i)).unwrap_or(count);
    Ok(start..end)
}

/// Whether a method is a rule of thumb, whose numbers say only how far a setting lies from its own.
fn is_rule(method: &MethodDescription) -> bool {
    matches!(method.name.as_str(), "scott" | "silverman" | "sturges")
}

/// Where the values lie on average that are chosen with some shares.
fn mean_place(panel: &Panel, xs: &[f64], shares: &[f64]) -> f64 {
    let places = xs.iter().zip(shares);
    let sum: f64 = places.map(|(x, share)| share * panel.x.place(*x)).sum();
    sum / shares.iter().sum::<f64>()
}

/// What a curve lies above its best value, as a share of how much it varies.
fn excess(values: &[f64], large: bool) -> Vec<f64> {
    let turned: Vec<f64> = values.iter().map(|v| if large { -v } else { *v }).collect();
    let finite = || turned.iter().copied().filter(|value| value.is_finite());
    let least = finite().fold(f64::INFINITY, f64::min);
    let range = finite().fold(f64::NEG_INFINITY, f64::max) - least;
    let unit = if range > 0.0 { range } else { 1.0 };
    turned.iter().map(|value| (value - least) / unit).collect()
}

impl Picture for SelectionFigure {
    fn caption(&self, data: &FigureData) -> Result<String, FigureError> {
        data.drawn()
    }

    fn footer(&self, data: &FigureData) -> Result<Vec<String>, FigureError> {
        let contents = Plot(self).contents(data)?;
        let shown = match (self.excess, self.runs) {
            (true, _) => "every curve above its own best value, as a share of its range",
            (false, 1) => "solid: means over training sets",
            (false, _) => "bars: one standard deviation over training sets",
        };
        let mut said = vec![shown.to_owned()];
        let mut methods = contents.iter().flat_map(|content| &content.shown);
        if self.excess && methods.any(|shown| is_rule(shown.method)) {
            said.push("upright: mean choice of a rule".to_owned());
        }
        match contents.first().map_or(0, |content| content.single.len()) {
            0 => {}
            1 => {
                said.push("thin dashes: one training set".to_owned());
                if contents.iter().any(|content| content.choice.is_some()) {
                    said.push("ring: its choice".to_owned());
                    said.push("dot: the true risk of it".to_owned());
                }
            }
            runs => said.push(format!("faint: {runs} single training sets")),
        }
        Ok(said)
    }

    fn draw(&self, canvas: &Canvas, frame: Frame, data: &FigureData) -> Result<(), FigureError> {
        let contents = Plot(self).contents(data)?;
        let several = self.learners.len() > 1;
        let mut whole = Frame {
            bottom: frame.bottom + BELOW,
            ..frame
        };
        let names = contents.iter().flat_map(|content| &content.shown);
        let names = names.map(|shown| shown.label.as_str());
        let plot = Plot(self);
        let [risk, train] = plot.words();
        let others = [risk, if self.train { train } else { "" }];
        whole.right -= labels_width(canvas, names.chain(others));
        let mut noted = vec![false; self.notes.len()];
        for (content, mut frame) in contents.iter().zip(whole.stack(contents.len(), 14.0)) {
            let title = Plot(self).title(content.series, several);
            frame.bottom -= BELOW;
            frame.top += TITLE * title.len() as f64;
            Plot(self).draw_row(canvas, frame, (content, &title), data, &mut noted)?;
        }
        Ok(())
    }

    fn describe(&self, data: &FigureData) -> Result<Vec<String>, FigureError> {
        let several = self.learners.len() > 1;
        let mut sentences = Vec::new();
        for content in Plot(self).contents(data)? {
            let axis = content.series.axis().map_or("", |axis| axis.name.as_str());
            let mut said = Vec::new();
            said.extend(course("true risk", axis, &content.xs, &content.risk));
            said.extend(course("training error", axis, &content.xs, &content.train));
            for shown in &content.shown {
                let name = format!("mean of {}", shown.method.label);
                said.extend(course(&name, axis, &content.xs, &shown.means));
                let most = (0..shown.chosen.len())
                    .max_by(|a, b| shown.chosen[*a].total_cmp(&shown.chosen[*b]));
                said.extend(most.map(|most| {
                    let share = (100.0 * shown.chosen[most]).round();
                    format!(
                        "{} chooses {axis} = {} most often ({} %)",
                        shown.method.label,
                        short(content.xs[most]),
                        short(share)
                    )
                }));
            }
            sentences.push(sentence(&content.series.names(several), &said));
        }
        Ok(sentences)
    }
}

/// The options, with what is drawn by them.
struct Plot<'o>(&'o SelectionFigure);

impl Plot<'_> {
    /// What the risk and the training error are called.
    fn words(&self) -> [&str; 2] {
        let usual = [("risk", "true risk"), ("train", "training error")];
        usual.map(|(name, usual)| self.0.labels.given(name).unwrap_or(usual))
    }

    /// What stands above a row.
    fn title(&self, series: Series, several: bool) -> Vec<String> {
        let mut lines = series.names(several);
        if let (true, Some(first)) = (several, lines.first_mut()) {
            *first = self.0.labels.of(&series.curve.name).to_owned();
        }
        lines
    }

    /// The notes of the panel of the risk.
    fn write_notes(
        &self,
        panel: &Panel,
        content: &Content,
        noted: &mut [bool],
    ) -> Result<(), FigureError> {
        let curve = |names, ys: &'_ [f64]| NoteCurve {
            names,
            xs: &content.xs,
            ys: Cow::Owned(ys.to_vec()),
        };
        let [risk, train] = self.words();
        let methods = content.shown.iter();
        let methods = methods.map(|shown| {
            let names = vec![shown.label.as_str(), shown.method.name.as_str()];
            curve(names, &shown.means)
        });
        let mut curves: Vec<NoteCurve> = methods.collect();
        curves.push(curve(vec!["risk", risk], &content.risk));
        curves.push(curve(vec!["train", train], &content.train));
        let name = content.series.curve.name.as_str();
        write_notes(panel, &[name], &self.0.notes, &curves, noted)
    }

    fn contents<'a>(&self, data: &FigureData<'a>) -> Result<Vec<Content<'a>>, FigureError> {
        let all = series(data.study()?, &self.0.learners, self.0.second.as_deref());
        let swept = all.into_iter().filter(|series| series.axis().is_some());
        swept.map(|series| self.content(series, data)).collect()
    }

    fn content<'a>(
        &self,
        series: Series<'a>,
        data: &FigureData<'a>,
    ) -> Result<Content<'a>, FigureError> {
        let (study, tables) = (data.study()?, data.tables);
        let rows = rows_of(&tables.curves, series)?;
        let xs = column(&tables.curves, columns::VALUE, &rows).to_vec();
        let mut risk = column(&tables.curves, columns::RISK, &rows).to_vec();
        let spoiled = doubtful(series, tables);
        let pairs = risk.iter_mut().zip(spoiled);
        pairs
            .filter(|(_, spoiled)| *spoiled)
            .for_each(|(risk, _)| *risk = f64::NAN);
        let named = |name: &String| study.select.iter().find(|method| method.name == *name);
        let mut shown = Vec::new();
        for (i, method) in self.0.methods.iter().filter_map(named).enumerate() {
            let rows = rows_of_method(&tables.selection, series, &method.name)?;
            let get = |name: &str| column(&tables.selection, name, &rows).to_vec();
            let (means, spreads) = match (self.0.excess, method.estimates_risk) {
                (true, _) if is_rule(method) => (Vec::new(), Vec::new()),
                (true, _) => {
                    let means = get(columns::ESTIMATE);
                    (excess(&means, method.prefers_large), Vec::new())
                }
                // The bars would hide a single training set.
                (false, true) if self.0.runs == 1 => (get(columns::ESTIMATE), Vec::new()),
                (false, true) => (get(columns::ESTIMATE), get(columns::SPREAD)),
                (false, false) => (Vec::new(), Vec::new()),
            };
            shown.push(MethodCurve {
                method,
                label: match self.0.labels.given(&method.name) {
                    Some(label) => label.to_owned(),
                    None => method.label.clone(),
                },
                colour: METHODS[i % METHODS.len()],
                means,
                spreads,
                chosen: get(columns::CHOSEN),
            });
        }
        let estimating = shown.iter().find(|shown| shown.method.estimates_risk);
        let (single, single_colour) = match estimating.filter(|_| !self.0.excess) {
            Some(shown) => (self.single(series, &shown.method.name, data)?, shown.colour),
            None => (Vec::new(), theme::RISK),
        };
        let choice = match (&single[..], estimating) {
            ([one], Some(shown)) => self.choice(series, &shown.method.name, one, data)?,
            _ => None,
        };
        Ok(Content {
            series,
            choice,
            train: match self.0.train {
                true => column(&tables.curves, columns::TRAIN_RISK, &rows).to_vec(),
                false => Vec::new(),
            },
            risk: match self.0.excess {
                true => excess(&risk, false),
                false => risk,
            },
            xs,
            shown,
            single,
            single_colour,
        })
    }

    /// The estimates of a method from single training sets, one curve each.
    fn single(
        &self,
        series: Series,
        method: &str,
        data: &FigureData,
    ) -> Result<Vec<Vec<f64>>, FigureError> {
        let table = &data.tables.estimates;
        let rows = rows_of_method(table, series, method)?;
        let estimates = column(table, columns::ESTIMATE, &rows);
        let values = series.axis().map_or(1, |axis| axis.values.len()).max(1);
        let kept = estimates.len() / values;
        let curve = |run: usize| (0..values).map(|i| estimates[i * kept + run]).collect();
        Ok((0..self.0.runs.min(kept)).map(curve).collect())
    }

    /// What one training set chooses, its estimate there, and the true risk of that fit.
    fn choice(
        &self,
        series: Series,
        method: &str,
        estimates: &[f64],
        data: &FigureData,
    ) -> Result<Option<(f64, f64, f64)>, FigureError> {
        let table = &data.tables.estimates;
        let rows = rows_of_method(table, series, method)?;
        let kept = rows.len() / estimates.len().max(1);
        let chosen = table.wholes(columns::CHOSEN).get(rows).unwrap_or(&[]);
        let place = (0..estimates.len()).find(|i| chosen.get(i * kept) == Some(&1));
        let (Some(place), Some(axis)) = (place, series.axis()) else {
            return Ok(None);
        };
        let value = axis.values[place];
        let rows = rows_at(&data.tables.runs, series, value)?;
        let risks = column(&data.tables.runs, columns::RISK, &rows);
        let first = risks.first();
        Ok(first.map(|risk| (value, estimates[place], *risk)))
    }

    fn highest(&self, content: &Content) -> f64 {
        let mut all: Vec<f64> = content.risk.clone();
        if let [one] = &content.single[..] {
            all.extend(one);
        }
        for shown in &content.shown {
            let spreads = shown.spreads.iter().chain(std::iter::repeat(&0.0));
            all.extend(shown.means.iter().zip(spreads).map(|(mean, sd)| mean + sd));
        }
        all.retain(|value| value.is_finite());
        let top = all.iter().copied().fold(0.0, f64::max);
        // An estimate that explodes at one end must not squeeze the rest.
        let risk = content.risk.iter().copied().filter(|risk| risk.is_finite());
        let top = top.min(2.0 * risk.fold(0.0, f64::max));
        self.0
            .y_max
            .unwrap_or(if top > 0.0 { 1.06 * top } else { 1.0 })
    }

    fn draw_row(
        &self,
        canvas: &Canvas,
        frame: Frame,
        (content, title): (&Content, &[String]),
        data: &FigureData,
        noted: &mut [bool],
    ) -> Result<(), FigureError> {
        let swept = content.series.axis();
        let swept = swept.expect("only swept learners have a panel");
        let scale = self.0.x_scale.unwrap_or(swept.scale);
        let range = room(swept.values.iter().copied(), scale, 0.03);
        let high = self.highest(content);
        let top = content.shown.iter().flat_map(|shown| &shown.chosen);
        let top = (1.1 * top.copied().fold(0.0, f64::max)).clamp(0.05, 1.0);
        let y_axis = |frame: Frame, high: f64| {
            Axis::new(Scale::Linear, (0.0, high), (frame.bottom, frame.top))
        };
        let [room_left, room_right] = [high, top].map(|high| y_room(&y_axis(frame, high)));
        let width = frame.right - frame.left - room_left - room_right - 20.0;
        let (left, right) = if width * (1.0 - ESTIMATES) >= canvas.page.slim {
            let middle = frame.left + room_left + width * ESTIMATES;
            let left = Frame {
                left: frame.left + room_left,
                right: middle,
                ..frame
            };
            let right = Frame {
                left: middle + 20.0 + room_right,
                ..frame
            };
            (left, right)
        } else if canvas.page.is_tall() {
            // One above the other.
            let inner = Frame {
                left: frame.left + room_left.max(room_right),
                ..frame
            };
            let [above, below] = inner.rows(0.56, BELOW + 24.0);
            (above, below)
        } else {
            return Err(FigureError::Room);
        };
        let x_axis = |frame: Frame| Axis::new(scale, range, (frame.left, frame.right));
        let error = match (&self.0.labels.y, self.0.excess) {
            (Some(title), _) => title,
            (None, true) => "above the best",
            (None, false) => theme::error_of(data.study()?),
        };
        let own = self.0.labels.x.as_deref();
        let panel = Panel::new(canvas, left, x_axis(left), y_axis(left, high));
        surround(&panel, title, error, (own, swept))?;
        self.fill(canvas, &panel, content)?;
        self.write_notes(&panel, content, noted)?;
        let panel = Panel::new(canvas, right, x_axis(right), y_axis(right, top));
        surround(&panel, &[], "share of training sets", (own, swept))?;
        histogram(canvas, &panel, content)?;
        let methods = content.shown.iter();
        let methods = methods.map(|shown| (shown.label.as_str(), shown.colour));
        let [risk, train] = self.words();
        let train = (!content.train.is_empty()).then_some((train, theme::TRAIN));
        let all = std::iter::once((risk, theme::RISK));
        let all = all.chain(methods).chain(train);
        for (line, (name, colour)) in all.enumerate() {
            let y = frame.top + theme::LABEL * (0.6 + 1.3 * line as f64);
            let place = (right.right + 14.0, y);
            canvas.label(place, name, (theme::LABEL, true), colour, Side::Right)?;
        }
        Ok(())
    }

    fn fill(&self, canvas: &Canvas, panel: &Panel, content: &Content) -> Result<(), FigureError> {
        let (width, alpha) = match content.single.len() {
            1 => (2.0, 1.0),
            _ => (theme::RUN, 0.3),
        };
        for run in &content.single {
            let stroke = Stroke::new(content.single_colour, width).faint(alpha);
            let stroke = match content.single.len() {
                1 => stroke.dashed(),
                _ => stroke,
            };
            panel.curve(&content.xs, run, stroke)?;
        }
        // A single training set stands out among the means.
        let faint = if content.single.len() == 1 { 0.6 } else { 1.0 };
        // An estimate that follows the risk lies on it.
        let thick = if self.0.excess { 1.9 } else { 1.0 };
        let stroke = Stroke::new(theme::RISK, thick * theme::CURVE).faint(faint);
        panel.curve(&content.xs, &content.risk, stroke)?;
        let train = Stroke::new(theme::TRAIN, theme::CURVE).dashed();
        panel.curve(&content.xs, &content.train, train)?;
        let count = content.shown.len() as f64;
        for (i, shown) in content.shown.iter().enumerate() {
            let stroke = Stroke::new(shown.colour, theme::CURVE);
            panel.curve(&content.xs, &shown.means, stroke.faint(faint))?;
            if self.0.excess && is_rule(shown.method) {
                let x = mean_place(panel, &content.xs, &shown.chosen);
                let Frame { top, bottom, .. } = panel.frame;
                canvas.line(&[(x, top), (x, bottom)], stroke)?;
            }
            // Bars of several methods stand side by side.
            let aside = 5.0 * (i as f64 - (count - 1.0) / 2.0);
            let (start, end) = panel.x.ends();
            let x = Axis::new(
                panel.x.scale,
                (panel.x.from, panel.x.to),
                (start + aside, end + aside),
            );
            let moved = Panel::new(canvas, panel.frame, x, panel.y);
            let step = content.xs.len().div_ceil(MOST_BARS).max(1);
            let bars = shown.means.iter().zip(&shown.spreads).enumerate();
            for (j, (mean, sd)) in bars.step_by(step) {
                let stroke = Stroke::new(shown.colour, theme::BAR_LINE).faint(0.8);
                if mean.is_finite() && sd.is_finite() {
                    moved.bar(content.xs[j], mean - sd, mean + sd, stroke)?;
                }
            }
        }
        if let Some((x, estimate, risk)) = content.choice {
            let ends = [panel.at(x, estimate), panel.at(x, risk)];
            let stroke = Stroke::new(content.single_colour, theme::RING_LINE);
            canvas.ring(ends[0], 11.0, stroke)?;
            if panel.shows(ends[1]) {
                canvas.line(&ends, Stroke::new(theme::RISK, theme::BAR_LINE).dashed())?;
                canvas.dot(ends[1], 8.0, theme::RISK, 1.0)?;
            }
        }
        Ok(())
    }
}

fn surround(
    panel: &Panel,
    title: &[String],
    y_title: &str,
    (own, swept): (Option<&str>, &SweepAxis),
) -> Result<(), FigureError> {
    let x_title = match own {
        Some(title) => title.to_owned(),
        None => axis_title(swept, panel.frame.right - panel.frame.left),
    };
    panel.surround(&Surroundings {
        title,
        above: 0.0,
        x_title: Some(&x_title),
        y_title: Some(y_title),
        y_numbers: true,
        x_numbers: true,
        x_whole: is_whole(swept),
        named: &[],
        joined: [false; 2],
        plain: false,
    })
}

/// How often every value is chosen: bars of all methods side by side.
fn histogram(canvas: &Canvas, panel: &Panel, content: &Content) -> Result<(), FigureError> {
    let places: Vec<f64> = content.xs.iter().map(|x| panel.x.place(*x)).collect();
    let gaps = places.windows(2).map(|pair| (pair[1] - pair[0]).abs());
    let width = panel.frame.right - panel.frame.left;
    let gap = gaps.fold(width / 3.0, f64::min).max(1.0);
    let bar = (0.86 * gap / content.shown.len().max(1) as f64).clamp(3.4, 26.0);
    let bottom = panel.frame.bottom;
    for (i, shown) in content.shown.iter().enumerate() {
        let start = bar * (i as f64 - content.shown.len() as f64 / 2.0);
        for (place, share) in places.iter().zip(&shown.chosen) {
            let (left, top) = (place + start, panel.y.place(*share));
            if *share > 0.0 && top.is_finite() {
                let top = top.max(panel.frame.top);
                let right = left + bar;
                let corners = [(left, bottom), (left, top), (right, top), (right, bottom)];
                canvas.fill(&corners, shown.colour, 0.85)?;
            }
        }
    }
    Ok(())
}
