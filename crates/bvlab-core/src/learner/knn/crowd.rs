//! Neighbours in several dimensions, by their distances from all inputs.

use crate::data::Points;
use crate::lanes::wide;

/// The inputs in several dimensions, feature by feature, to be measured one and all.
#[derive(Clone, Debug, Default)]
pub(super) struct Crowd {
    columns: Vec<f64>,
    /// By input: its squared distance from a point, and most of that with the index in its lowest
    /// bits.
    distances: Vec<f64>,
    keys: Vec<u64>,
}

impl Crowd {
    /// Whether to measure all is faster than to search a tree: for few inputs, or in so many
    /// dimensions that a search would miss few of them. Without linfa there is no tree.
    pub fn suits(inputs: &Points) -> bool {
        !cfg!(feature = "linfa") || inputs.len() <= 2000 || inputs.dimension() >= 8
    }

    pub fn load(&mut self, inputs: &Points) {
        let (count, dimension) = (inputs.len(), inputs.dimension());
        self.columns.clear();
        for feature in 0..dimension {
            let x = inputs.values().iter().skip(feature).step_by(dimension);
            self.columns.extend(x);
        }
        self.distances.resize(count, 0.0);
        self.keys.clear();
        self.keys.reserve(count);
    }

    /// The indices of the nearest inputs, by (distance, index).
    pub fn nearest(&mut self, x: &[f64], count: usize) -> impl Iterator<Item = usize> {
        let Crowd {
            columns,
            distances,
            keys,
        } = self;
        let index = distances.len().next_power_of_two() as u64 - 1;
        wide(
            #[inline(always)]
            || {
                distances.fill(0.0);
                for (column, x) in columns.chunks_exact(distances.len()).zip(x) {
                    for (distance, input) in distances.iter_mut().zip(column) {
                        *distance += (input - x) * (input - x);
                    }
                }
                keys.clear();
                // The bits of numbers that are not negative rise as they do.
                let all = distances.iter().zip(0_u64..);
                keys.extend(all.map(|(distance, i)| distance.to_bits() & !index | i));
            },
        );
        // The nearest, and with them all whose keys cannot tell whether they are nearer.
        let mut taken = count;
        if (1..keys.len()).contains(&count) {
            let (_, last, _) = keys.select_nth_unstable(count - 1);
            let last = *last | index;
            for i in count..keys.len() {
                if keys[i] <= last {
                    keys.swap(i, taken);
                    taken += 1;
                }
            }
        }
        let nearest = &mut keys[..taken];
        nearest.sort_unstable();
        for alike in nearest.chunk_by_mut(|a, b| a | index == b | index) {
            if alike.len() > 1 {
                alike.sort_unstable_by(|a, b| {
                    let [a, b] = [a & index, b & index];
                    let [near, far] = [a, b].map(|i| distances[i as usize]);
                    near.total_cmp(&far).then(a.cmp(&b))
                });
            }
        }
        keys[..count].iter().map(move |key| (key & index) as usize)
    }
}
