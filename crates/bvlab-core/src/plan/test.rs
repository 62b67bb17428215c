//! Where the error is measured.

use rand::RngExt;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use super::PlanError;
use crate::data::Points;
use crate::decompose::{MOST_PROBES, Probe};
use crate::problem::{Problem, TestGrid, side};
use crate::stream::{Purpose, Stream};

/// Which test points to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestPoints {
    /// So many cell midpoints over the range of the inputs, in one or two dimensions.
    Grid(usize),
    /// A random sample of inputs, with this many points.
    Draw(usize),
    /// The training inputs, which must be fixed.
    Inputs,
}

impl TestPoints {
    /// What is taken where nothing is asked for.
    pub fn default_for(problem: &Problem) -> Self {
        match problem.dimension {
            _ if problem.inputs.is_discrete() => TestPoints::Draw(1000),
            3.. if problem.inputs.is_design() => TestPoints::Inputs,
            1 => TestPoints::Grid(200),
            2 => TestPoints::Grid(400),
            _ => TestPoints::Draw(1000),
        }
    }
}

/// Where the error is measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    /// The test points.
    pub points: Points,
    /// How much each counts in an average over the inputs' distribution; they sum to 1. For densities
    /// they sum to the length of the range, and averages are integrals over x.
    pub weights: Vec<f64>,
    /// Where they come from.
    pub kind: TestKind,
    /// Other points, to judge how far averages over these may be off; none where the test points
    /// are all that counts, or all there are.
    pub probe: Option<Probe>,
    /// Which share of the inputs' distribution lies beyond a grid.
    pub left_out: f64,
}

/// Where test points come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TestKind {
    /// Cell midpoints over the range of the inputs, weighted by their distribution.
    Grid,
    /// A random sample of the inputs, drawn once; averages over it have an error of their own.
    Drawn,
    /// The training inputs, which are fixed.
    Inputs,
    /// The rows of a table that are held out: a sample, with labels in place of the truth.
    Rows,
}

impl Test {
    /// The test points of some problems, which differ in their size and noise at most; those of a
    /// table are its rows that are held out, whatever is asked for.
    ///
    /// # Errors
    ///
    /// If the problems do not have such points.
    pub fn new(wanted: TestPoints, problems: &[Problem], seed: u64) -> Result<Test, PlanError> {
        let largest = problems.iter().max_by_key(|problem| problem.train);
        let problem = largest.ok_or(PlanError::NoProblem)?;
        if let Some(rows) = problem.rows() {
            let count = rows.test.len();
            return Ok(Test {
                points: rows.test.inputs.clone(),
                weights: vec![1.0 / count as f64; count],
                kind: TestKind::Rows,
                probe: None,
                left_out: 0.0,
            });
        }
        if problem.density().is_some() && !matches!(wanted, TestPoints::Grid(_)) {
            return Err(PlanError::TestOfDensity);
        }
        match wanted {
            TestPoints::Grid(count) => Test::grid(count, problem, seed),
            TestPoints::Draw(count) => Test::drawn(count, problem, seed),
            TestPoints::Inputs => {
                if !problem.fixed {
                    return Err(PlanError::TestInputsNotFixed);
                }
                if problems.iter().any(|other| other.train != problem.train) {
                    return Err(PlanError::TestInputsOfSeveralSizes);
                }
                Ok(Test::at_inputs(problem, seed))
            }
        }
    }

    fn grid(count: usize, problem: &Problem, seed: u64) -> Result<Test, PlanError> {
        let dimension = problem.dimension;
        if dimension > 2 {
            return Err(PlanError::TestGridDimension);
        }
        if problem.inputs.is_discrete() {
            return Err(PlanError::TestGridDiscrete);
        }
        if count == 0 || side(count, dimension).is_none() {
            return Err(PlanError::TestGridCount(count));
        }
        let grid = TestGrid::new(&problem.inputs, count, dimension);
        let points = grid.points();
        let densities: Vec<f64> = points.rows().map(|x| problem.inputs.weight(x)).collect();
        let total: f64 = densities.iter().sum();
        let weights: Vec<f64> = densities.iter().map(|density| density / total).collect();
        let probe = probe_of(&grid, &points, &weights, seed);
        let measure = problem.measure();
        Ok(Test {
            points,
            weights: weights.iter().map(|weight| measure * weight).collect(),
            kind: TestKind::Grid,
            probe: Some(probe),
            left_out: problem.inputs.beyond(&grid, total),
        })
    }

    fn drawn(count: usize, problem: &Problem, seed: u64) -> Result<Test, PlanError> {
        if count < 2 {
            return Err(PlanError::TestDrawCount);
        }
        let (inputs, dimension) = (&problem.inputs, problem.dimension);
        if inputs.is_design() {
            return Err(PlanError::TestDrawFromGrid);
        }
        let mut points = Points::default();
        let mut stream = Stream::new(seed, Purpose::TestPoints, 0);
        inputs.draw(count, dimension, &mut stream, &mut points);
        if dimension == 1 {
            // In rising order, so that curves along x can be drawn through them.
            let sorted = points.order().iter().map(|&i| points.values()[i as usize]);
            points = Points::new(1, sorted.collect());
        }
        let mut more = Points::default();
        let mut stream = Stream::new(seed, Purpose::Probe, 0);
        inputs.draw(MOST_PROBES, dimension, &mut stream, &mut more);
        Ok(Test {
            points,
            weights: vec![1.0 / count as f64; count],
            kind: TestKind::Drawn,
            probe: Some(Probe::of_sample(more, count)),
            left_out: 0.0,
        })
    }

    fn at_inputs(problem: &Problem, seed: u64) -> Test {
        let (count, dimension) = (problem.train, problem.dimension);
        let mut points = Points::default();
        let mut stream = Stream::new(seed, Purpose::Inputs, 0);
        let inputs = &problem.inputs;
        inputs.draw(count, dimension, &mut stream, &mut points);
        Test {
            points,
            weights: vec![1.0 / count as f64; count],
            kind: TestKind::Inputs,
            probe: None,
            left_out: 0.0,
        }
    }
}

/// The points at which a grid is judged: of every cell, or of a random part of them where they are
/// many, its test point, a random place and that place's mirror image.
fn probe_of(grid: &TestGrid, points: &Points, weights: &[f64], seed: u64) -> Probe {
    let mut stream = Stream::new(seed, Purpose::Probe, 0);
    let most = MOST_PROBES / 2;
    let mut cells: Vec<usize> = (0..points.len()).collect();
    if cells.len() > most {
        cells.shuffle(&mut stream);
        cells.truncate(most);
        cells.sort_unstable();
    }
    let mut values = Vec::new();
    let mut lean = Vec::new();
    for &cell in &cells {
        values.extend_from_slice(points.row(cell));
        let place: Vec<f64> = (0..points.dimension()).map(|_| stream.random()).collect();
        // Along two axes two points do not tell both slopes; and slopes differ from cell to cell, which
        // counts where some stand for all.
        let away = match points.dimension() == 1 && cells.len() == points.len() {
            true => grid.place(cell)[0] - 0.5,
            false => 0.0,
        };
        lean.push(match away == 0.0 {
            true => 0.0,
            false => away / (1.0 - 2.0 * place[0]),
        });
        values.extend(grid.within(cell, &place));
        let mirrored: Vec<f64> = place.iter().map(|along| 1.0 - along).collect();
        values.extend(grid.within(cell, &mirrored));
    }
    let total: f64 = cells.iter().map(|&cell| weights[cell]).sum();
    let counts = cells.iter().map(|&cell| weights[cell] / total).collect();
    // Midpoints have next to no error of their own, and beside slopes that are not known nothing can be said
    // of the rest.
    let has_own = grid.moves() && points.dimension() == 1 && cells.len() == points.len();
    let points = Points::new(points.dimension(), values);
    Probe::of_grid(points, counts, lean, has_own, grid.moves())
}
