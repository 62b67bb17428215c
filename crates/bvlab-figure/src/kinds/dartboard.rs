//! Predictions at two test points as darts, one board per learner; the truth is the bull's eye.

use crate::axis::{Axis, room};
use crate::canvas::{Canvas, Side, Stroke};
use crate::error::FigureError;
use crate::panel::{Frame, TITLE};
use crate::picture::{FigureData, Picture, sentence};
use crate::select::{Series, ShownAt, best, column, learners, rows_at};
use crate::text::{shortened, text_width};
use crate::theme;
use bvlab_core::plan::{Scale, StudyDescription};
use bvlab_core::words::short;
use bvlab_experiment::Dartboard;
use bvlab_outcome::{Tables, columns};

/// The room below a board for its numbers.
const BELOW: f64 = 40.0;

/// How many rings a board has.
const RINGS: u32 = 5;

/// A learner's darts: pairs of predictions minus the truth, their mean, and the parts of the error
/// over both test points together.
struct Board {
    title: Vec<String>,
    darts: Vec<(f64, f64)>,
    mean: (f64, f64),
    bias2: f64,
    variance: f64,
}

impl Picture for Dartboard {
    fn caption(&self, data: &FigureData) -> Result<String, FigureError> {
        let study = data.study()?;
        Ok(format!(
            "a dart is one of {} training sets of {} points; across: its prediction at x = {}, \
             up: at x = {}; cross: their mean",
            study.keep_fits.min(data.resamples()),
            study.train_sizes(),
            short(self.at.0),
            short(self.at.1)
        ))
    }

    fn draw(&self, canvas: &Canvas, frame: Frame, data: &FigureData) -> Result<(), FigureError> {
        draw(canvas, frame, data.study()?, self, data.tables)
    }

    fn settings<'a>(&self, data: &FigureData<'a>) -> Result<ShownAt<'a>, FigureError> {
        shown(data.study()?, self, data.tables)
    }

    fn describe(&self, data: &FigureData) -> Result<Vec<String>, FigureError> {
        let mut sentences = Vec::new();
        for (series, value) in self.settings(data)? {
            let board = board(series, value, self, data.tables)?;
            let said = format!(
                "bias² {}, variance {}, over both test points",
                two_digits(board.bias2),
                two_digits(board.variance)
            );
            sentences.push(sentence(&board.title, &[said]));
        }
        Ok(sentences)
    }
}

fn draw(
    canvas: &Canvas,
    frame: Frame,
    study: &StudyDescription,
    options: &Dartboard,
    tables: &Tables,
) -> Result<(), FigureError> {
    let mut boards = Vec::new();
    for (series, value) in shown(study, options, tables)? {
        boards.push(board(series, value, options, tables)?);
    }
    let reach = reach(&boards);
    let frame = Frame {
        bottom: frame.bottom + 50.0,
        ..frame
    };
    // In as many rows as make the boards largest.
    let (width, height) = (frame.right - frame.left, frame.bottom - frame.top);
    let size = |rows: &usize| {
        let columns = boards.len().div_ceil(*rows);
        let around = BELOW + 2.0 * TITLE;
        (width / columns as f64).min(height / *rows as f64 - around)
    };
    let rows = (1..=3)
        .max_by(|a, b| size(a).total_cmp(&size(b)))
        .unwrap_or(1);
    let columns = boards.len().div_ceil(rows);
    let frames = frame.stack(rows, 16.0).into_iter();
    let frames = frames.flat_map(|row| row.columns(columns, 30.0));
    for (board, frame) in boards.iter().zip(frames) {
        one(canvas, frame, board, reach)?;
    }
    Ok(())
}

/// Every learner at its best.
fn shown<'a>(
    study: &'a StudyDescription,
    options: &Dartboard,
    tables: &Tables,
) -> Result<ShownAt<'a>, FigureError> {
    let curves = learners(study, &options.learners).into_iter();
    curves.map(|curve| best(tables, curve, None)).collect()
}

fn board(
    series: Series,
    value: f64,
    options: &Dartboard,
    tables: &Tables,
) -> Result<Board, FigureError> {
    let rows = rows_at(&tables.points, series, value)?;
    let get = |name: &str| column(&tables.points, name, &rows);
    let (xs, truth) = (get(columns::X), get(columns::TRUTH));
    let nearest = |wanted: f64| {
        let away = |i: &usize| (xs[*i] - wanted).abs();
        (0..xs.len()).min_by(|a, b| away(a).total_cmp(&away(b)))
    };
    let missing = || FigureError::Missing("test points".to_owned());
    let first = nearest(options.at.0).ok_or_else(missing)?;
    let second = nearest(options.at.1).ok_or_else(missing)?;
    let fits = rows_at(&tables.fits, series, value)?;
    let predictions = column(&tables.fits, columns::PREDICTION, &fits);
    let darts = predictions
        .chunks_exact(xs.len())
        .map(|fit| (fit[first] - truth[first], fit[second] - truth[second]));
    let means = get(columns::MEAN);
    let both = |name: &str| get(name)[first] + get(name)[second];
    let setting = crate::select::setting(series, value);
    Ok(Board {
        // A long name breaks behind its colon.
        title: series
            .curve
            .name
            .split(": ")
            .map(str::to_owned)
            .chain(setting)
            .collect(),
        darts: darts.collect(),
        mean: (means[first] - truth[first], means[second] - truth[second]),
        bias2: both(columns::BIAS2),
        variance: both(columns::VARIANCE),
    })
}

/// How far a board reaches from its middle: all but the wildest darts are on it.
fn reach(boards: &[Board]) -> f64 {
    let darts = boards.iter().flat_map(|board| &board.darts);
    let mut away: Vec<f64> = darts.map(|dart| dart.0.hypot(dart.1)).collect();
    away.sort_by(f64::total_cmp);
    let most = away.get(away.len() * 98 / 100).copied().unwrap_or(1.0);
    let (_, reach) = room([0.0, most].into_iter(), Scale::Linear, 0.06);
    reach
}

fn one(canvas: &Canvas, frame: Frame, board: &Board, reach: f64) -> Result<(), FigureError> {
    let middle = (frame.left + frame.right) / 2.0;
    let width = frame.right - frame.left;
    let heading = TITLE * board.title.len() as f64;
    let room = frame.bottom - frame.top - heading - BELOW;
    let radius = width.min(room) / 2.0 - 4.0;
    if radius < 30.0 {
        return Err(FigureError::Room);
    }
    // What is left of the height is shared out, more of it below.
    let mut top = frame.top + 0.4 * (room - 2.0 * radius - 8.0).max(0.0);
    for line in &board.title {
        let text = shortened(line, theme::LABEL, true, width);
        let style = (theme::LABEL, true);
        canvas.text((middle, top + 8.0), &text, style, theme::INK, Side::Middle)?;
        top += TITLE;
    }
    let centre = (middle, top + radius + 4.0);
    // Rings from the outside in, alternately lighter.
    for ring in (1..=RINGS).rev() {
        let radius = radius * f64::from(ring) / f64::from(RINGS);
        let alpha = if ring % 2 == 0 { 0.05 } else { 0.13 };
        canvas.dot(centre, radius, theme::TRUTH, alpha)?;
        canvas.ring(
            centre,
            radius,
            Stroke::new(theme::TRUTH, 1.2).faint(theme::BOARD_ALPHA),
        )?;
    }
    canvas.dot(centre, 4.5, theme::TRUTH, 1.0)?;
    let axis = Axis::new(Scale::Linear, (-reach, reach), (-radius, radius));
    let place = |dart: (f64, f64)| (centre.0 + axis.place(dart.0), centre.1 - axis.place(dart.1));
    for dart in &board.darts {
        // What misses the board is not drawn; the reach leaves out one in fifty.
        if dart.0.hypot(dart.1) <= reach {
            canvas.dot(place(*dart), 4.2, theme::VARIANCE, theme::DART_ALPHA)?;
        }
    }
    let mean = place(board.mean);
    for turn in [-1.0, 1.0] {
        let arm = 10.0;
        let ends = [
            (mean.0 - arm, mean.1 - turn * arm),
            (mean.0 + arm, mean.1 + turn * arm),
        ];
        canvas.line(&ends, Stroke::new((255, 255, 255), 8.0))?;
        canvas.line(&ends, Stroke::new(theme::BIAS, 4.6))?;
    }
    let words = format!(
        "bias² {}, variance {}",
        two_digits(board.bias2),
        two_digits(board.variance)
    );
    let style = (theme::CAPTION, false);
    // In two lines where one is too long.
    let words = match text_width(&words, style.0, style.1) <= width + 10.0 {
        true => vec![words.as_str()],
        false => words.split(", ").collect(),
    };
    for (line, words) in words.into_iter().enumerate() {
        let place = (middle, centre.1 + radius + 22.0 + 24.0 * line as f64);
        canvas.text(place, words, style, theme::INK, Side::Middle)?;
    }
    Ok(())
}

/// A number in two digits; an estimate of bias² just below zero is zero.
fn two_digits(value: f64) -> String {
    match value.abs() < 5e-4 {
        true => "0.000".to_owned(),
        false => format!("{value:.3}").replace('-', "−"),
    }
}
