//! Standardised inputs and labels, in blocks for vector instructions.

use crate::data::Points;

/// Mean and standard deviation of a coordinate or of the labels.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Standardisation {
    pub mean: f64,
    pub sd: f64,
}

impl Standardisation {
    pub fn of(values: impl Iterator<Item = f64> + Clone) -> Self {
        let count = values.clone().count() as f64;
        // Taken from the first value on, so that constant values have exactly no spread.
        let first = values.clone().next().unwrap_or(0.0);
        let mean = first + values.clone().map(|x| x - first).sum::<f64>() / count;
        let variance = values.map(|x| (x - mean) * (x - mean)).sum::<f64>() / count;
        let sd = if variance == 0.0 {
            1.0
        } else {
            variance.sqrt()
        };
        Standardisation { mean, sd }
    }

    pub fn standard(&self, value: f64) -> f64 {
        (value - self.mean) / self.sd
    }
}

/// How many numbers are computed side by side. It is fixed because it decides the order of sums:
/// processors with narrower and wider vectors produce the same bits.
pub(super) const LANES: usize = 8;
pub(super) type LaneBlock = [f64; LANES];

/// Standardised points: all their first coordinates, then all their second ones, and so on, each in
/// blocks of lanes, the last of which is filled up with zeros.
#[derive(Clone, Debug, Default)]
pub(super) struct InputBlocks {
    pub dimension: usize,
    pub count: usize,
    pub values: Vec<LaneBlock>,
}

impl InputBlocks {
    pub fn fill(&mut self, points: &Points, scales: &[Standardisation]) {
        self.dimension = points.dimension();
        self.count = points.len();
        self.values.clear();
        self.values
            .resize(self.len() * self.dimension, [0.0; LANES]);
        let blocks = self.len();
        let columns = self.values.chunks_exact_mut(blocks);
        for (k, (column, scale)) in columns.zip(scales).enumerate() {
            for (x, row) in column.as_flattened_mut().iter_mut().zip(points.rows()) {
                *x = scale.standard(row[k]);
            }
        }
    }

    /// Some of the points of another.
    pub fn pick(&mut self, from: &InputBlocks, which: &[u32]) {
        self.dimension = from.dimension;
        self.count = which.len();
        let blocks = self.len();
        self.values.resize(blocks * self.dimension, [0.0; LANES]);
        for (column, all) in self.values.chunks_exact_mut(blocks).zip(from.columns()) {
            pick(all, which, column);
        }
    }

    /// The points' coordinates, one after the other.
    #[inline(always)]
    pub fn columns(&self) -> std::slice::ChunksExact<'_, LaneBlock> {
        self.values.chunks_exact(self.len())
    }

    /// How many blocks there are.
    pub fn len(&self) -> usize {
        self.count.div_ceil(LANES)
    }
}

/// Some numbers of blocks, with zeros to fill the last block.
pub(super) fn pick(from: &[LaneBlock], which: &[u32], to: &mut [LaneBlock]) {
    let from = from.as_flattened();
    let (to, rest) = to.as_flattened_mut().split_at_mut(which.len());
    to.iter_mut()
        .zip(which)
        .for_each(|(to, i)| *to = from[*i as usize]);
    rest.fill(0.0);
}

/// Memory kept between fits.
#[derive(Clone, Debug, Default)]
pub(super) struct TrainingBuffers {
    pub labels: Vec<LaneBlock>,
    pub parameters: Vec<f64>,
    pub gradient: Vec<f64>,
    /// Adam's running means of the gradient and of its square.
    pub means: Vec<f64>,
    pub squares: Vec<f64>,
    /// act(w_h·x + b_h), unit by unit.
    pub hidden: Vec<LaneBlock>,
    /// f(x), and in training then the objective's slopes with respect to it; output by output.
    pub outputs: Vec<LaneBlock>,
    /// The objective's slopes with respect to w_h·x + b_h, of one unit.
    pub slopes: Vec<LaneBlock>,
    /// What every lane has of that unit's gradient.
    pub parts: Vec<LaneBlock>,
    /// With two hidden layers: the activations of the first, and the objective's slopes with respect to
    /// them.
    pub first: InputBlocks,
    pub first_slopes: Vec<LaneBlock>,
    /// A mini-batch, and the order that batches are taken in.
    pub batch: (InputBlocks, Vec<LaneBlock>),
    pub order: Vec<u32>,
}

impl TrainingBuffers {
    /// Makes room for so many blocks of points and so many parameters, and for the last hidden layer: the
    /// number of its inputs, of its units and of the outputs.
    pub fn make_room(
        &mut self,
        blocks: usize,
        [dimension, units, outputs]: [usize; 3],
        parameters: usize,
    ) {
        for (lanes, length) in [
            (&mut self.hidden, units * blocks),
            (&mut self.outputs, outputs * blocks),
            (&mut self.slopes, blocks),
            (&mut self.parts, dimension + 1 + outputs),
        ] {
            lanes.resize(length, [0.0; LANES]);
        }
        for numbers in [&mut self.gradient, &mut self.means, &mut self.squares] {
            numbers.clear();
            numbers.resize(parameters, 0.0);
        }
    }
}
