//! Points in the plane, coloured by group, with the ellipses of a mixture.

use super::content::{SimulationContent, SimulationCurve};
use crate::axis::{Axis, room};
use crate::canvas::{Canvas, Place, Side, Stroke};
use crate::error::FigureError;
use crate::panel::{BELOW, Frame, Panel, Surroundings, TITLE, y_room};
use crate::text::{balanced, fitted, text_width};
use crate::theme::{self, Colour, LEAST, Page};
use bvlab_core::plan::Scale;
use bvlab_core::simulation::{
    PanelStyle, SCATTER_FIELD, SCATTER_POINTS, SCATTER_WRONG, SimulationPanel, scatter_group,
    scatter_share,
};

/// The room between two panels.
const GAP: f64 = 30.0;
/// The room between two rows, without their titles.
const BETWEEN: f64 = 22.0;
/// What stands in a triangle of probabilities, and the colour that it has there.
const CENTRES: [(&str, &str); 3] = [
    ("truth", "green"),
    ("geometric mean", "pink"),
    ("arithmetic mean", "ochre"),
];
/// More rings around points are small ones.
const MOST_RINGS: usize = 60;
/// The most groups that a figure looks for.
const MOST_GROUPS: usize = 16;

/// Whether a panel shows points in the plane.
pub fn is_scatter(content: &SimulationContent) -> bool {
    content.panel.look == PanelStyle::Scatter
}

/// The colour of a group.
fn group_colour(group: usize) -> Colour {
    theme::LEARNERS[group % theme::LEARNERS.len()]
}

fn series<'a>(content: &'a SimulationContent, name: &str) -> Option<&'a SimulationCurve> {
    content.curves.iter().find(|curve| curve.name == name)
}

/// The colours of the points of a series: those of the groups, mixed as the shares are; grey where
/// there are none.
fn blended(content: &SimulationContent, points: &SimulationCurve) -> Vec<Colour> {
    let shares = (0..MOST_GROUPS).map_while(|k| series(content, &scatter_share(&points.name, k)));
    let shares: Vec<&SimulationCurve> = shares.collect();
    let colour = |i: usize| {
        if shares.is_empty() {
            return theme::DATA;
        }
        let mut sum = [0.0; 3];
        for (k, share) in shares.iter().enumerate() {
            let share = share.values.get(i).copied().unwrap_or(0.0);
            let (r, g, b) = group_colour(k);
            for (sum, part) in sum.iter_mut().zip([r, g, b]) {
                *sum += share * f64::from(part);
            }
        }
        let [r, g, b] = sum.map(|part| part.round().clamp(0.0, 255.0) as u8);
        (r, g, b)
    };
    (0..points.xs.len()).map(colour).collect()
}

/// How many points without groups a panel shows.
pub fn ungrouped(content: &SimulationContent) -> usize {
    let grouped = series(content, &scatter_share(SCATTER_POINTS, 0)).is_some();
    let points = series(content, SCATTER_POINTS).filter(|_| !grouped);
    points.map_or(0, |points| points.xs.len())
}

/// What is said below a figure with such panels.
pub fn said(contents: &[SimulationContent]) -> Vec<String> {
    let any = |which: &dyn Fn(&SimulationCurve) -> bool| {
        let scatters = contents.iter().filter(|content| is_scatter(content));
        scatters.flat_map(|content| &content.curves).any(which)
    };
    let mut said = Vec::new();
    if any(&|curve| curve.name.ends_with("2σ")) {
        said.push("ellipses: one and two standard deviations".to_owned());
    }
    if any(&|curve| curve.name == SCATTER_WRONG) {
        said.push("circled: points in the wrong group".to_owned());
    }
    if any(&|curve| is_level(&curve.name)) {
        said.push("rounded lines: equal loss".to_owned());
        let seen = |(name, _): &&(&str, &str)| any(&|curve| line_name(curve) == *name);
        let centres = CENTRES.iter().filter(seen);
        let centres = centres.map(|(name, colour)| format!("{name} ({colour})"));
        let centres = centres.collect::<Vec<String>>().join(", ");
        said.push(format!("large dots: {centres}"));
    }
    said
}

/// What a panel shows, for screen readers.
pub fn described(content: &SimulationContent) -> Vec<String> {
    let count = |name: &str| series(content, name).map_or(0, |curve| curve.xs.len());
    let groups = (0..MOST_GROUPS).take_while(|k| {
        let share = scatter_share(SCATTER_POINTS, *k);
        series(content, &share).is_some()
    });
    let mut said = vec![format!("{} points", count(SCATTER_POINTS))];
    match groups.count() {
        0 => {}
        groups => said.push(format!("{groups} groups")),
    }
    if let wrong @ 1.. = count(SCATTER_WRONG) {
        said.push(format!("{wrong} in the wrong group"));
    }
    said
}

/// The ranges of both coordinates, those of all panels.
fn ranges(contents: &[SimulationContent]) -> [(f64, f64); 2] {
    let scatters = contents.iter().filter(|content| is_scatter(content));
    let shown = scatters
        .flat_map(|content| &content.curves)
        .filter(|curve| {
            let name = curve.name.as_str();
            let line = scatter_group(name).is_some() && !name.ends_with('σ');
            name == SCATTER_POINTS || name == SCATTER_FIELD || line
        });
    let shown: Vec<&SimulationCurve> = shown.collect();
    let of = |values: &dyn Fn(&SimulationCurve) -> &[f64]| {
        let all = shown.iter().flat_map(|curve| values(curve).iter().copied());
        room(all.filter(|value| value.is_finite()), Scale::Linear, 0.03)
    };
    [of(&|curve| &curve.xs), of(&|curve| &curve.values)]
}

/// What a line shows, as in `group 1: truth`.
fn line_name(curve: &SimulationCurve) -> &str {
    curve.name.split_once(": ").map_or("", |(_, name)| name)
}

/// Whether a panel shows probabilities of three classes in a triangle.
fn is_simplex(content: &SimulationContent) -> bool {
    let mut names = content.curves.iter().map(line_name);
    names.any(|name| name == "simplex")
}

/// Names the corners of a triangle of probabilities, which has no axes.
fn name_corners(panel: &Panel, content: &SimulationContent) -> Result<(), FigureError> {
    let SimulationPanel { x, y, .. } = &content.panel;
    let (left, right) = x.split_once(" … ").unwrap_or((x, ""));
    let top = panel.at(0.5, 0.75_f64.sqrt());
    let [one, other] = [0.0, 1.0].map(|x| panel.at(x, 0.0));
    let style = (theme::CAPTION, false);
    for (name, place, side) in [
        (left, (one.0, one.1 + 18.0), Side::Right),
        (right, (other.0, other.1 + 18.0), Side::Left),
        (y.as_str(), (top.0 + 14.0, top.1 + 8.0), Side::Right),
    ] {
        panel.canvas.text(place, name, style, theme::INK, side)?;
    }
    Ok(())
}

/// Whether a line is one of equal loss.
fn is_level(name: &str) -> bool {
    name.split_once(": ")
        .is_some_and(|(_, name)| name.starts_with("KL"))
}

/// The drawing units per unit of the axes, the same on both, of panels below titles of some height.
fn unit(
    frame: Frame,
    (count, columns): (usize, usize),
    ranges: [(f64, f64); 2],
    above: f64,
) -> f64 {
    let [across, up] = ranges.map(|(low, high)| (high - low).max(f64::MIN_POSITIVE));
    let (width, height) = (frame.right - frame.left, frame.bottom - frame.top);
    let rows = count.div_ceil(columns) as f64;
    let columns = columns as f64;
    let wide = (width - GAP * (columns - 1.0)) / columns / across;
    let high = (height - above - (above + BETWEEN) * (rows - 1.0)) / rows / up;
    wide.min(high).max(0.0)
}

/// How many panels stand in a row where they are largest. Rows have equal length; on a page for print
/// five and seven panels may have a shorter last row.
fn best_columns(page: &Page, frame: Frame, count: usize, ranges: [(f64, f64); 2]) -> usize {
    let uneven = page.slim > 0.0 && [5, 7].contains(&count);
    let even = |columns: &usize| uneven || count.is_multiple_of(*columns);
    let unit = |columns: &usize| unit(frame, (count, *columns), ranges, TITLE);
    let columns = (1..=count).filter(even);
    let columns = columns.max_by(|a, b| unit(a).total_cmp(&unit(b)));
    columns.unwrap_or(1)
}

/// So many panels below titles of some height, in rows of that length.
fn cells(
    frame: Frame,
    (count, columns): (usize, usize),
    ranges: [(f64, f64); 2],
    above: f64,
) -> Vec<Frame> {
    let between = above + BETWEEN;
    let [across, up] = ranges.map(|(low, high)| (high - low).max(f64::MIN_POSITIVE));
    let (width, height) = (frame.right - frame.left, frame.bottom - frame.top);
    let scale = unit(frame, (count, columns), ranges, above);
    // What is left of the page is shared by both sides.
    let used = columns as f64 * (scale * across + GAP) - GAP;
    let start = frame.left + ((width - used) / 2.0).max(0.0);
    let rows = count.div_ceil(columns) as f64;
    let used = above + rows * (scale * up + between) - between;
    let upper = frame.top + ((height - used) / 2.0).max(0.0);
    let cell = |i: usize| {
        let left = start + (i % columns) as f64 * (scale * across + GAP);
        let top = upper + above + (i / columns) as f64 * (scale * up + between);
        Frame {
            left,
            right: left + scale * across,
            top,
            bottom: top + scale * up,
        }
    };
    (0..count).map(cell).collect()
}

/// Cuts the frame into that of the points, above, and that of the other panels.
pub fn divided(page: &Page, contents: &[SimulationContent], frame: Frame) -> (Frame, Frame) {
    let scatters = contents
        .iter()
        .filter(|content| is_scatter(content))
        .count();
    if scatters == 0 || scatters == contents.len() {
        return (frame, frame);
    }
    let share = match scatters {
        0..=3 => 0.55,
        4..=5 if page.slim == 0.0 => 0.55,
        _ => 0.64,
    };
    let [mut above, mut below] = frame.rows(share, BELOW + 20.0);
    // What points do not need is the others'.
    let ranges = ranges(contents);
    let inner = Frame {
        left: above.left + y_room(&y_axis(ranges, above)),
        ..above
    };
    let columns = best_columns(page, inner, scatters, ranges);
    let title = 2.0 * TITLE;
    let scale = unit(inner, (scatters, columns), ranges, title);
    let row = title + scale * (ranges[1].1 - ranges[1].0) + BETWEEN;
    let needed = scatters.div_ceil(columns) as f64 * row - BETWEEN;
    let spare = (above.bottom - above.top - needed).max(0.0);
    above.bottom -= spare;
    below.top -= spare;
    (above, below)
}

/// The vertical axis of all panels.
fn y_axis(ranges: [(f64, f64); 2], frame: Frame) -> Axis {
    Axis::new(Scale::Linear, ranges[1], (frame.bottom, frame.top))
}

/// Panels in another order if the second half shows the data of the first, by another method: in two
/// columns both methods stand side by side.
fn paired(places: Vec<usize>, contents: &[SimulationContent]) -> Vec<usize> {
    let data = |place: usize| contents[place].panel.name.split(' ').next();
    let (first, second) = places.split_at(places.len() / 2);
    let pairs = || first.iter().zip(second);
    let same = pairs().all(|(one, other)| data(*one) == data(*other));
    match same
        && first.len() > 1
        && data(first[0]) != data(first[1])
        && places.len().is_multiple_of(2)
    {
        true => pairs().flat_map(|(one, other)| [*one, *other]).collect(),
        false => places,
    }
}

/// Draws the panels of points; returns each with its place among the contents.
pub fn draw_scatters<'a, 'b>(
    canvas: &'a Canvas<'b>,
    mut frame: Frame,
    contents: &[SimulationContent],
) -> Result<Vec<(usize, Panel<'a, 'b>)>, FigureError> {
    let places = (0..contents.len()).filter(|i| is_scatter(&contents[*i]));
    let places: Vec<usize> = places.collect();
    if places.is_empty() {
        return Ok(Vec::new());
    }
    let ranges = ranges(contents);
    let plain = places.iter().all(|place| is_simplex(&contents[*place]));
    match plain {
        true => frame.bottom += BELOW / 2.0,
        false => frame.left += y_room(&y_axis(ranges, frame)),
    }
    let (page, count) = (&canvas.page, places.len());
    let columns = best_columns(page, frame, count, ranges);
    let places = match columns {
        2 => paired(places, contents),
        _ => places,
    };
    let of = |lines: f64| cells(frame, (count, columns), ranges, TITLE * lines);
    let mut frames = of(1.0);
    let narrow = |frames: &[Frame]| frames.first().map_or(0.0, |cell| cell.right - cell.left);
    let least = page.slim * if count > 2 { 0.84 } else { 1.3 };
    if narrow(&frames) < least && page.least > LEAST {
        return Err(FigureError::Room);
    }
    // Long titles are broken where one line would be small.
    let broken = |width: f64| -> Vec<Vec<String>> {
        let title = |place: &usize| {
            let title = contents[*place].panel.title.as_str();
            match text_width(title, theme::LABEL, true) <= (width + 20.0) / 0.85 {
                true => vec![title.to_owned()],
                false => balanced(title, theme::LABEL, true, 1.3 * (width + 20.0), 2),
            }
        };
        places.iter().map(title).collect()
    };
    let mut titles = broken(narrow(&frames));
    if titles.iter().any(|title| title.len() > 1) {
        frames = of(2.0);
        titles = broken(narrow(&frames));
    }
    let size = |line: &String| fitted(line, theme::LABEL, true, narrow(&frames) + 20.0).1;
    let title_size = titles
        .iter()
        .flatten()
        .map(size)
        .fold(theme::LABEL, f64::min);
    let mut panels = Vec::new();
    for (i, (place, frame)) in places.iter().zip(&frames).enumerate() {
        let content = &contents[*place];
        let x = Axis::new(Scale::Linear, ranges[0], (frame.left, frame.right));
        let y = Axis::new(Scale::Linear, ranges[1], (frame.bottom, frame.top));
        let panel = Panel::new(canvas, *frame, x, y);
        let lowest = i + columns >= places.len();
        let title = Surroundings {
            title: &titles[i],
            ..Surroundings::default()
        };
        panel.titles(&title, title_size)?;
        if plain {
            fill(canvas, &panel, content)?;
            name_corners(&panel, content)?;
            panels.push((*place, panel));
            continue;
        }
        panel.surround(&Surroundings {
            x_title: lowest.then_some(content.panel.x.as_str()),
            y_title: (i % columns == 0).then_some(content.panel.y.as_str()),
            y_numbers: i % columns == 0,
            x_numbers: lowest,
            ..Surroundings::default()
        })?;
        fill(canvas, &panel, content)?;
        panels.push((*place, panel));
    }
    Ok(panels)
}

fn fill(canvas: &Canvas, panel: &Panel, content: &SimulationContent) -> Result<(), FigureError> {
    if let Some(field) = series(content, SCATTER_FIELD) {
        fill_field(canvas, panel, content, field)?;
    }
    if let Some(points) = series(content, SCATTER_POINTS) {
        let width = panel.frame.right - panel.frame.left;
        let radius = if width > 320.0 { 4.4 } else { 3.2 };
        for (i, colour) in blended(content, points).iter().enumerate() {
            let place = panel.at(points.xs[i], points.values[i]);
            if panel.shows(place) {
                canvas.dot(place, radius, *colour, 0.75)?;
            }
        }
    }
    if let Some(wrong) = series(content, SCATTER_WRONG) {
        // Many rings would hide the points.
        let (radius, stroke) = match wrong.xs.len() > MOST_RINGS {
            true => (5.0, Stroke::new(theme::INK, 1.0).faint(0.5)),
            false => (6.4, Stroke::new(theme::INK, 1.8)),
        };
        for (x, y) in wrong.xs.iter().zip(&wrong.values) {
            let place = panel.at(*x, *y);
            if panel.shows(place) {
                canvas.ring(place, radius, stroke)?;
            }
        }
    }
    for curve in &content.curves {
        let Some(group) = scatter_group(&curve.name) else {
            continue;
        };
        // A line may have a meaning, too, as the truth has.
        let colour = match theme::meant(line_name(curve)) {
            Some(meant) => meant,
            None if is_level(&curve.name) => theme::MARK,
            None => group_colour(group),
        };
        if let ([x], [y]) = (curve.xs.as_slice(), curve.values.as_slice()) {
            let place = panel.at(*x, *y);
            if panel.shows(place) {
                canvas.dot(place, 8.0, canvas.page.paper(), 1.0)?;
                canvas.dot(place, 6.6, theme::INK, 1.0)?;
                canvas.dot(place, 4.6, colour, 1.0)?;
            }
            continue;
        }
        let width = if curve.name.ends_with("2σ") {
            1.8
        } else {
            3.0
        };
        line(canvas, panel, curve, Stroke::new(colour, width))?;
    }
    Ok(())
}

/// A line through places, as far as the panel shows them.
fn line(
    canvas: &Canvas,
    panel: &Panel,
    curve: &SimulationCurve,
    stroke: Stroke,
) -> Result<(), FigureError> {
    let mut piece = Vec::new();
    for (x, y) in curve.xs.iter().zip(&curve.values) {
        let place = panel.at(*x, *y);
        match panel.shows(place) {
            true => piece.push(place),
            false => canvas.line(&std::mem::take(&mut piece), stroke)?,
        }
    }
    canvas.line(&piece, stroke)
}

/// Cells in the mixed colours of the groups, and lines where the most probable one changes.
fn fill_field(
    canvas: &Canvas,
    panel: &Panel,
    content: &SimulationContent,
    field: &SimulationCurve,
) -> Result<(), FigureError> {
    let sides = |values: &[f64]| {
        let mut values = values.to_vec();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values
    };
    let (columns, rows) = (sides(&field.xs), sides(&field.values));
    let step = |values: &[f64]| match values {
        [first, .., last] => (last - first) / (values.len() - 1) as f64,
        _ => 0.0,
    };
    let half = [step(&columns) / 2.0, step(&rows) / 2.0];
    let corner = |x: f64, y: f64| {
        let (x, y) = panel.at(x, y);
        let frame = panel.frame;
        (
            x.clamp(frame.left, frame.right),
            y.clamp(frame.top, frame.bottom),
        )
    };
    let colours = blended(content, field);
    for (i, colour) in colours.iter().enumerate() {
        let (x, y) = (field.xs[i], field.values[i]);
        let corners = [
            corner(x - half[0], y - half[1]),
            corner(x + half[0], y - half[1]),
            corner(x + half[0], y + half[1]),
            corner(x - half[0], y + half[1]),
        ];
        canvas.fill(&corners, *colour, 0.35)?;
    }
    // Row by row: the neighbours of a cell are the next one and the one above. Places that are no
    // whole rows have no neighbours.
    if field.xs.len() != columns.len() * rows.len() {
        return Ok(());
    }
    let shares = (0..MOST_GROUPS).map_while(|k| series(content, &scatter_share(SCATTER_FIELD, k)));
    let shares: Vec<&SimulationCurve> = shares.collect();
    let wide = columns.len();
    let stroke = Stroke::new(theme::INK, 2.0);
    for i in 0..field.xs.len().saturating_sub(wide) {
        if (i + 1) % wide == 0 {
            continue;
        }
        // Each square between the centres of four cells is two triangles.
        for corners in [[i, i + 1, i + wide], [i + 1, i + wide, i + wide + 1]] {
            let corners = corners.map(|i| (panel.at(field.xs[i], field.values[i]), i));
            for ends in boundaries(corners, &shares) {
                canvas.line(&ends, stroke)?;
            }
        }
    }
    Ok(())
}

/// Where the most probable group changes within a triangle: a line between two of its sides, or
/// three that meet in the middle.
fn boundaries(corners: [(Place, usize); 3], shares: &[&SimulationCurve]) -> Vec<[Place; 2]> {
    let share = |group: usize, i: usize| {
        let share = shares[group].values.get(i).copied().unwrap_or(0.0);
        share.max(f64::MIN_POSITIVE)
    };
    let best = |i: usize| {
        let groups = (0..shares.len()).rev();
        groups.max_by(|a, b| share(*a, i).total_cmp(&share(*b, i)))
    };
    let crossing = |(from, i): (Place, usize), (to, j): (Place, usize)| -> Option<Place> {
        let (one, other) = (best(i)?, best(j)?);
        if one == other {
            return None;
        }
        // The logarithms of shares change evenly, nearly.
        let ahead = |i: usize| (share(one, i) / share(other, i)).ln();
        let (start, end) = (ahead(i), ahead(j));
        let along = start / (start - end);
        let along = if along.is_finite() { along } else { 0.5 };
        let between = |a: f64, b: f64| a + along.clamp(0.0, 1.0) * (b - a);
        Some((between(from.0, to.0), between(from.1, to.1)))
    };
    let sides = [(0, 1), (1, 2), (2, 0)];
    let crossings = sides.map(|(a, b)| crossing(corners[a], corners[b]));
    let crossings: Vec<Place> = crossings.into_iter().flatten().collect();
    match crossings.as_slice() {
        [one, other] => vec![[*one, *other]],
        [a, b, c] => {
            let middle = ((a.0 + b.0 + c.0) / 3.0, (a.1 + b.1 + c.1) / 3.0);
            [a, b, c].map(|end| [*end, middle]).to_vec()
        }
        _ => Vec::new(),
    }
}
