//! Predictions at two test points as darts, one board per learner; the truth is the bull's eye.

use crate::axis::{Axis, room};
use crate::canvas::{Canvas, Place, Side, Stroke};
use crate::error::FigureError;
use crate::panel::Frame;
use crate::picture::{FigureData, Picture, sentence};
use crate::select::{Series, ShownAt, best, column, learners, rows_at};
use crate::text::{shortened, wrapped};
use crate::theme;
use bvlab_core::plan::{Scale, StudyDescription};
use bvlab_core::words::short;
use bvlab_experiment::Dartboard;
use bvlab_outcome::{Tables, columns};

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
            "Predictions after {} training sets of {} points, at x = {} (across) and x = {} (up)",
            study.keep_fits.min(data.resamples()),
            study.train_sizes(),
            short(self.at.0),
            short(self.at.1)
        ))
    }

    fn footer(&self, _: &FigureData) -> Result<Vec<String>, FigureError> {
        let said = [
            "dart: the predictions after one training set",
            "middle: the truth",
            "arrow: the bias, from the truth to the mean of all predictions",
        ];
        Ok(said.map(str::to_owned).to_vec())
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
        bottom: frame.bottom + 64.0,
        ..frame
    };
    // Two by two, or as near to that as there are boards.
    let columns = match boards.len() {
        1 => 1,
        2..=4 => 2,
        _ => 3,
    };
    let rows = boards.len().div_ceil(columns);
    let frames = frame.stack(rows, 14.0).into_iter();
    let frames = frames.flat_map(|row| row.columns(columns, 24.0));
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
        title: options
            .labels
            .of(&series.curve.name)
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

/// Boards with less room than that are smaller, and so are their words.
const NARROW: f64 = 420.0;

/// A board on the left, and what it shows on its right.
fn one(canvas: &Canvas, frame: Frame, board: &Board, reach: f64) -> Result<(), FigureError> {
    let (width, height) = (frame.right - frame.left, frame.bottom - frame.top);
    // On a narrow page the words need more of the room.
    let share = if width < NARROW { 0.23 } else { 0.29 };
    let radius = (0.5 * height).min(share * width) - 2.0;
    if radius < 30.0 {
        return Err(FigureError::Room);
    }
    let centre = (frame.left + radius + 2.0, (frame.top + frame.bottom) / 2.0);
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
    let axis = Axis::new(Scale::Linear, (-reach, reach), (-radius, radius));
    let place = |dart: (f64, f64)| (centre.0 + axis.place(dart.0), centre.1 - axis.place(dart.1));
    for dart in &board.darts {
        // What misses the board is not drawn; the reach leaves out one in fifty.
        if dart.0.hypot(dart.1) <= reach {
            canvas.dot(place(*dart), 3.8, theme::VARIANCE, theme::DART_ALPHA)?;
        }
    }
    let mean = place(board.mean);
    let paper = (255, 255, 255);
    let around = if canvas.page.dark { theme::INK } else { paper };
    canvas.dot(centre, 7.0, around, 1.0)?;
    canvas.dot(centre, 5.0, theme::TRUTH, 1.0)?;
    if (mean.0 - centre.0).hypot(mean.1 - centre.1) > 14.0 {
        canvas.arrow(centre, mean, Stroke::new(paper, 8.0).faint(0.9), 22.0)?;
        canvas.arrow(centre, mean, Stroke::new(theme::BIAS, 4.4), 18.0)?;
    } else {
        canvas.dot(mean, 6.0, paper, 1.0)?;
        canvas.dot(mean, 4.4, theme::BIAS, 1.0)?;
    }
    words(
        canvas,
        board,
        (centre.0 + radius + 18.0, centre.1),
        frame.right,
    )
}

/// The name and the numbers of a board.
fn words(
    canvas: &Canvas,
    board: &Board,
    (left, middle): Place,
    right: f64,
) -> Result<(), FigureError> {
    let room = right - left;
    let zoom = if room < 0.55 * NARROW { 0.8 } else { 1.0 };
    let [large, small] = [theme::LABEL, theme::CAPTION].map(|size| zoom * size);
    let mut lines: Vec<(String, (f64, bool), theme::Colour)> = Vec::new();
    for (i, title) in board.title.iter().enumerate() {
        let style = if i == 0 {
            (large, true)
        } else {
            (small, false)
        };
        for line in wrapped(title, style.0, style.1, room, 3) {
            lines.push((line, style, theme::INK));
        }
    }
    for (name, value, colour) in [
        ("bias²", board.bias2, theme::BIAS),
        ("variance", board.variance, theme::VARIANCE),
    ] {
        let text = format!("{name} {}", two_digits(value));
        let text = shortened(&text, large, true, room);
        lines.push((text, (large, true), colour));
    }
    let line = 29.0 * zoom;
    let top = middle - line * lines.len() as f64 / 2.0;
    for (i, (text, style, colour)) in lines.iter().enumerate() {
        let place = (left, top + line * (i as f64 + 0.5));
        canvas.label(place, text, *style, *colour, Side::Right)?;
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
