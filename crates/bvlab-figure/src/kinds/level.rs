//! Lines in the plane where a function of the points of a grid is zero.

/// The line with its corners cut off, by the method of Chaikin: the stairs of a grid are none of the
/// boundary's.
pub fn rounded(line: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let (Some(&first), Some(&last), true) = (line.first(), line.last(), line.len() > 2) else {
        return line;
    };
    let mut cut = vec![first];
    for pair in line.windows(2) {
        let at = |share: f64| {
            let between = |a: f64, b: f64| a + share * (b - a);
            (between(pair[0].0, pair[1].0), between(pair[0].1, pair[1].1))
        };
        cut.extend([at(0.25), at(0.75)]);
    }
    // A line that closes has no ends.
    if first == last {
        cut.remove(0);
        cut.push(cut[0]);
    } else {
        cut.push(last);
    }
    cut
}

/// Points on a square grid, the second coordinate running fastest.
pub struct Grid {
    xs: Vec<f64>,
    ys: Vec<f64>,
}

/// A crossing of a level and an edge between neighbours: the edge by its lower end, and whether it
/// runs along the second coordinate.
type Edge = (usize, bool);

impl Grid {
    pub fn new(x1: &[f64], x2: &[f64]) -> Option<Self> {
        let side = x1.len().isqrt();
        if side < 2 || side * side != x1.len() || x2.len() != x1.len() {
            return None;
        }
        Some(Grid {
            xs: x1.iter().step_by(side).copied().collect(),
            ys: x2[..side].to_vec(),
        })
    }

    pub fn len(&self) -> usize {
        self.xs.len() * self.ys.len()
    }

    /// The lines where a function of the points is zero: marching squares, straight between the
    /// crossings of the cells' edges, joined to lines as long as they go.
    pub fn level(&self, value: impl Fn(usize) -> f64) -> Vec<Vec<(f64, f64)>> {
        let (columns, rows) = (self.xs.len(), self.ys.len());
        // A tie goes to the other class: a value of zero is as good as one below.
        let values: Vec<f64> = (0..self.len()).map(value).collect();
        let above = |i: usize| values[i] > 0.0;
        let mut pieces: Vec<(Edge, Edge)> = Vec::new();
        for i in 0..columns - 1 {
            for j in 0..rows - 1 {
                let [a, b, c, d] = [
                    i * rows + j,
                    (i + 1) * rows + j,
                    (i + 1) * rows + j + 1,
                    i * rows + j + 1,
                ];
                let [bottom, right, top, left] = [(a, false), (b, true), (d, false), (a, true)];
                let centre = (values[a] + values[b] + values[c] + values[d]) > 0.0;
                let corners = [a, b, c, d].map(above);
                match corners {
                    [true, false, true, false] | [false, true, false, true] => {
                        // A saddle: what the middle belongs to is connected.
                        match corners[0] == centre {
                            true => pieces.extend([(bottom, right), (top, left)]),
                            false => pieces.extend([(bottom, left), (right, top)]),
                        }
                    }
                    _ => {
                        let crossed = [
                            (bottom, corners[0] != corners[1]),
                            (right, corners[1] != corners[2]),
                            (top, corners[2] != corners[3]),
                            (left, corners[3] != corners[0]),
                        ];
                        let crossed: Vec<Edge> = crossed
                            .iter()
                            .filter(|(_, crossed)| *crossed)
                            .map(|(edge, _)| *edge)
                            .collect();
                        if let [from, to] = crossed[..] {
                            pieces.push((from, to));
                        }
                    }
                }
            }
        }
        let place = |(low, along): Edge| {
            let high = if along { low + 1 } else { low + rows };
            let share = values[low] / (values[low] - values[high]);
            let share = if share.is_finite() {
                share.clamp(0.0, 1.0)
            } else {
                0.5
            };
            let at = |i: usize| (self.xs[i / rows], self.ys[i % rows]);
            let ((x, y), (u, v)) = (at(low), at(high));
            (x + share * (u - x), y + share * (v - y))
        };
        joined(pieces)
            .into_iter()
            .map(|line| line.into_iter().map(place).collect())
            .collect()
    }
}

/// Joins pieces that meet into lines.
fn joined(pieces: Vec<(Edge, Edge)>) -> Vec<Vec<Edge>> {
    use std::collections::HashMap;
    let mut at: HashMap<Edge, Vec<usize>> = HashMap::new();
    for (i, (from, to)) in pieces.iter().enumerate() {
        at.entry(*from).or_default().push(i);
        at.entry(*to).or_default().push(i);
    }
    let mut used = vec![false; pieces.len()];
    let mut lines = Vec::new();
    // Lines that end at the border first, then those that close.
    let open = |edge: &Edge| at[edge].len() == 1;
    let starts = pieces.iter().enumerate();
    let starts = starts.flat_map(|(i, (from, to))| {
        let ends = [(i, *from), (i, *to)];
        ends.into_iter().filter(|(_, end)| open(end))
    });
    let closed = pieces.iter().enumerate().map(|(i, (from, _))| (i, *from));
    for (first, start) in starts.chain(closed) {
        if used[first] {
            continue;
        }
        let (mut next, mut end) = (Some(first), start);
        let mut line = vec![start];
        while let Some(i) = next {
            used[i] = true;
            let (from, to) = pieces[i];
            end = if from == end { to } else { from };
            line.push(end);
            next = at[&end].iter().copied().find(|i| !used[*i]);
        }
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(side: usize) -> Grid {
        let places = |_| (0..side).map(|i| i as f64).collect::<Vec<f64>>();
        let [xs, ys] = [0, 1].map(places);
        Grid { xs, ys }
    }

    #[test]
    fn a_circle_is_one_closed_line() {
        let grid = grid(41);
        let away = |i: usize| {
            let (x, y) = ((i / 41) as f64 - 20.0, (i % 41) as f64 - 20.0);
            13.0 - x.hypot(y)
        };
        let lines = grid.level(away);
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].first(), lines[0].last());
        for (x, y) in &lines[0] {
            assert!(((x - 20.0).hypot(y - 20.0) - 13.0).abs() < 0.03);
        }
    }

    #[test]
    fn a_straight_line_runs_from_border_to_border() {
        let grid = grid(11);
        let lines = grid.level(|i| (i / 11) as f64 - 3.25);
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].len(), 11);
        assert!(lines[0].iter().all(|(x, _)| (x - 3.25).abs() < 1e-12));
        assert!(grid.level(|_| 1.0).is_empty() && grid.level(|_| 0.0).is_empty());
    }

    #[test]
    fn a_rounded_line_keeps_its_ends_and_stays_closed() {
        let open = rounded(vec![(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)]);
        assert_eq!((open[0], open[open.len() - 1]), ((0.0, 0.0), (1.0, 1.0)));
        assert!(open.iter().all(|(x, y)| x - y < 1.0));
        let square = vec![(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.0, 0.0)];
        let closed = rounded(square);
        assert_eq!(closed.first(), closed.last());
        assert_eq!(closed.len(), 9);
    }

    #[test]
    fn points_that_are_no_square_are_no_grid() {
        assert!(Grid::new(&[0.0; 5], &[0.0; 5]).is_none());
        let grid = Grid::new(&[0.0, 0.0, 1.0, 1.0], &[5.0, 6.0, 5.0, 6.0]).unwrap();
        assert_eq!((grid.xs, grid.ys), (vec![0.0, 1.0], vec![5.0, 6.0]));
    }
}
