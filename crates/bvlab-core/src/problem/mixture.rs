//! Inputs of several classes, each with a distribution of its own: Gaussian clouds, clouds around arcs,
//! and discrete ones.

use rand::RngExt;

use super::discrete::{Bernoulli, Multinomial};
use super::inputs::NORMAL_REACH;
use crate::maths::{cos, exp, ln, normal, sin};
use crate::stream::Stream;

/// Components with their classes and shares.
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture {
    components: Vec<Component>,
    dimension: usize,
    classes: usize,
}

/// One part of a mixture.
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// The class of its inputs.
    pub class: usize,
    /// Its share of all inputs; the shares of a mixture sum to 1.
    pub share: f64,
    /// The distribution of its inputs.
    pub cloud: Cloud,
}

/// The distribution of the inputs of a component.
#[derive(Clone, Debug, PartialEq)]
pub enum Cloud {
    /// Normal.
    Gaussian(Gaussian),
    /// Even along an arc, with normal noise around it.
    Arc(Arc),
    /// Zeros and ones.
    Bernoulli(Bernoulli),
    /// Counts.
    Multinomial(Multinomial),
}

/// A normal distribution in several dimensions.
#[derive(Clone, Debug, PartialEq)]
pub struct Gaussian {
    mean: Vec<f64>,
    /// The lower triangle L of the covariance L Lᵀ, row by row.
    root: Vec<f64>,
    /// ln of the density at the mean.
    log_peak: f64,
}

/// Inputs centre + radius (cos t, sin t) + noise, t even between two ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Arc {
    centre: [f64; 2],
    radius: f64,
    ends: [f64; 2],
    sd: f64,
    /// Places on the arc and ln of their weights: the density is an integral along the arc.
    nodes: Vec<([f64; 2], f64)>,
}

impl Gaussian {
    /// Mean and covariance, row by row; `None` if that is not positive definite.
    pub fn new(mean: Vec<f64>, covariance: &[f64]) -> Option<Self> {
        let d = mean.len();
        let mut root = vec![0.0; d * d];
        for i in 0..d {
            for j in 0..=i {
                let known: f64 = (0..j).map(|k| root[i * d + k] * root[j * d + k]).sum();
                let rest = covariance[i * d + j] - known;
                root[i * d + j] = match i == j {
                    // What rounding leaves of a singular matrix does not count.
                    true if rest > 1e-12 * covariance[i * d + i] => rest.sqrt(),
                    true => return None,
                    false => rest / root[j * d + j],
                };
            }
        }
        let log_root: f64 = (0..d).map(|i| ln(root[i * d + i])).sum();
        let log_peak = -0.5 * d as f64 * ln(std::f64::consts::TAU) - log_root;
        (log_peak.is_finite() && mean.iter().all(|m| m.is_finite())).then_some(Gaussian {
            mean,
            root,
            log_peak,
        })
    }

    /// The same in every direction.
    pub fn spherical(mean: Vec<f64>, sd: f64) -> Option<Self> {
        let d = mean.len();
        let mut covariance = vec![0.0; d * d];
        (0..d).for_each(|i| covariance[i * d + i] = sd * sd);
        Gaussian::new(mean, &covariance)
    }

    /// ln of the density: -½ (x-μ)ᵀ Σ⁻¹ (x-μ) - ½ ln |2πΣ|.
    fn log_density(&self, x: &[f64]) -> f64 {
        let d = self.mean.len();
        // Forward substitution L z = x - μ; few dimensions need no memory of their own.
        let mut few = [0.0; 8];
        let mut many = Vec::new();
        let z: &mut [f64] = match d <= few.len() {
            true => &mut few[..d],
            false => {
                many.resize(d, 0.0);
                &mut many
            }
        };
        let mut squares = 0.0;
        for i in 0..d {
            let row = &self.root[i * d..];
            let known: f64 = row.iter().zip(&z[..i]).map(|(l, z)| l * z).sum();
            z[i] = (x[i] - self.mean[i] - known) / row[i];
            squares += z[i] * z[i];
        }
        self.log_peak - 0.5 * squares
    }

    fn draw(&self, stream: &mut Stream, values: &mut Vec<f64>) {
        let d = self.mean.len();
        let start = values.len();
        values.extend((0..d).map(|_| normal(stream)));
        // From the last coordinate on, so that those it needs are still there.
        for i in (0..d).rev() {
            let row = &self.root[i * d..=i * d + i];
            let sum: f64 = row.iter().zip(&values[start..]).map(|(l, z)| l * z).sum();
            values[start + i] = self.mean[i] + sum;
        }
    }

    fn range(&self) -> (f64, f64) {
        let d = self.mean.len();
        let reach = |i: usize| {
            let variance: f64 = self.root[i * d..=i * d + i].iter().map(|l| l * l).sum();
            NORMAL_REACH * variance.sqrt()
        };
        let ends = (0..d).map(|i| (self.mean[i] - reach(i), self.mean[i] + reach(i)));
        ends.reduce(wider).unwrap_or((0.0, 1.0))
    }
}

/// Nodes and weights of Gauss and Legendre's rule of order 8 on [-1, 1]: its positive half.
const LEGENDRE: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_47),
    (0.960_289_856_497_536_3, 0.101_228_536_290_376_26),
];

impl Arc {
    /// An arc from angle `ends[0]` to `ends[1]`, with noise of this sd in both coordinates.
    pub fn new(centre: [f64; 2], radius: f64, ends: [f64; 2], sd: f64) -> Self {
        let angle = ends[1] - ends[0];
        // Seen from 8 sd outside, the noise is a bump of this width in t.
        let width = sd / (radius * (radius + 8.0 * sd)).sqrt();
        let panels = (angle / (2.0 * width)).ceil().max(4.0);
        let panel = angle / panels;
        let mut nodes = Vec::new();
        for i in 0..panels as usize {
            let middle = ends[0] + (i as f64 + 0.5) * panel;
            for (place, weight) in LEGENDRE {
                for t in [middle - place * panel / 2.0, middle + place * panel / 2.0] {
                    let at = [centre[0] + radius * cos(t), centre[1] + radius * sin(t)];
                    nodes.push((at, ln(weight / (2.0 * panels))));
                }
            }
        }
        Arc {
            centre,
            radius,
            ends,
            sd,
            nodes,
        }
    }

    /// ln of the density: that of the noise, averaged along the arc.
    fn log_density(&self, x: &[f64]) -> f64 {
        let scale = -0.5 / (self.sd * self.sd);
        let term = |(at, weight): &([f64; 2], f64)| {
            let (a, b) = (x[0] - at[0], x[1] - at[1]);
            weight + scale * (a * a + b * b)
        };
        let most = self
            .nodes
            .iter()
            .map(term)
            .fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = self.nodes.iter().map(|node| exp(term(node) - most)).sum();
        most + ln(sum) - ln(std::f64::consts::TAU * self.sd * self.sd)
    }

    fn draw(&self, stream: &mut Stream, values: &mut Vec<f64>) {
        let t = self.ends[0] + (self.ends[1] - self.ends[0]) * stream.random::<f64>();
        for (centre, along) in self.centre.into_iter().zip([cos(t), sin(t)]) {
            let z = normal(stream);
            values.push(centre + self.radius * along + self.sd * z);
        }
    }

    fn range(&self) -> (f64, f64) {
        let places = self.nodes.iter().flat_map(|(at, _)| at);
        let reach = NORMAL_REACH * self.sd;
        let ends = places.map(|x| (x - reach, x + reach));
        ends.reduce(wider).unwrap_or((0.0, 1.0))
    }
}

fn wider(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0.min(b.0), a.1.max(b.1))
}

impl Cloud {
    fn log_density(&self, x: &[f64]) -> f64 {
        match self {
            Cloud::Gaussian(gaussian) => gaussian.log_density(x),
            Cloud::Arc(arc) => arc.log_density(x),
            Cloud::Bernoulli(bits) => bits.log_mass(x),
            Cloud::Multinomial(counts) => counts.log_mass(x),
        }
    }

    fn range(&self) -> (f64, f64) {
        match self {
            Cloud::Gaussian(gaussian) => gaussian.range(),
            Cloud::Arc(arc) => arc.range(),
            Cloud::Bernoulli(_) => (0.0, 1.0),
            Cloud::Multinomial(counts) => (0.0, counts.trials() as f64),
        }
    }

    fn is_discrete(&self) -> bool {
        match self {
            Cloud::Gaussian(_) | Cloud::Arc(_) => false,
            Cloud::Bernoulli(_) | Cloud::Multinomial(_) => true,
        }
    }
}

impl Mixture {
    /// A mixture in so many dimensions; shares are divided by their sum.
    pub fn new(mut components: Vec<Component>, dimension: usize) -> Self {
        let sum: f64 = components.iter().map(|component| component.share).sum();
        for component in &mut components {
            component.share /= sum;
        }
        let classes = components.iter().map(|component| component.class + 1);
        Mixture {
            classes: classes.max().unwrap_or(0),
            components,
            dimension,
        }
    }

    /// Two interleaved half circles of radius 1, after scikit-learn's `make_moons`: the upper one
    /// around the origin, the lower one around (1, ½).
    pub fn moons(sd: f64) -> Self {
        use std::f64::consts::{PI, TAU};
        let arcs = [
            Arc::new([0.0, 0.0], 1.0, [0.0, PI], sd),
            Arc::new([1.0, 0.5], 1.0, [PI, TAU], sd),
        ];
        Mixture::even(arcs.map(Cloud::Arc).into_iter().enumerate())
    }

    /// Two circles around the origin, of radius 1 and 2.
    pub fn rings(sd: f64) -> Self {
        let ring =
            |radius| Cloud::Arc(Arc::new([0.0; 2], radius, [0.0, std::f64::consts::TAU], sd));
        Mixture::even([1.0, 2.0].map(ring).into_iter().enumerate())
    }

    /// Clouds around (±1, ±1): class 1 where exactly one coordinate is positive.
    pub fn xor(sd: f64) -> Self {
        let corners = [
            (0, [1.0, 1.0]),
            (0, [-1.0, -1.0]),
            (1, [1.0, -1.0]),
            (1, [-1.0, 1.0]),
        ];
        let cloud = |(class, corner): (usize, [f64; 2])| {
            Some((
                class,
                Cloud::Gaussian(Gaussian::spherical(corner.to_vec(), sd)?),
            ))
        };
        Mixture::even(corners.into_iter().filter_map(cloud))
    }

    fn even(clouds: impl Iterator<Item = (usize, Cloud)>) -> Self {
        let component = |(class, cloud)| Component {
            class,
            share: 1.0,
            cloud,
        };
        Mixture::new(clouds.map(component).collect(), 2)
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// How many coordinates an input has.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Whether inputs are whole numbers, which no grid stands for.
    pub fn is_discrete(&self) -> bool {
        let mut parts = self.components.iter();
        parts.any(|part| part.cloud.is_discrete())
    }

    /// The components.
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// The range of all coordinates.
    pub fn range(&self) -> (f64, f64) {
        let ranges = self
            .components
            .iter()
            .map(|component| component.cloud.range());
        ranges.reduce(wider).unwrap_or((0.0, 1.0))
    }

    /// The density of the inputs, of whatever class; of discrete ones their probability, up to a factor.
    pub fn density(&self, x: &[f64]) -> f64 {
        let parts = self.components.iter();
        parts
            .map(|part| part.share * exp(part.cloud.log_density(x)))
            .sum()
    }

    /// Writes the probability of every class at x, by Bayes' rule.
    pub fn posterior(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        // Relative to the largest density, which far from everything is too small for a number.
        let mut most = f64::NEG_INFINITY;
        for part in &self.components {
            let log = ln(part.share) + part.cloud.log_density(x);
            if log > most {
                let shrink = exp(most - log);
                out.iter_mut().for_each(|p| *p *= shrink);
                most = log;
            }
            out[part.class] += exp(log - most);
        }
        let sum: f64 = out.iter().sum();
        out.iter_mut().for_each(|p| *p /= sum);
    }

    /// Draws one input behind others.
    pub(super) fn draw(&self, stream: &mut Stream, values: &mut Vec<f64>) {
        let mut even: f64 = stream.random();
        let mut parts = self.components.iter();
        let mut part = parts.next();
        for next in parts {
            match part {
                Some(this) if even >= this.share => even -= this.share,
                _ => break,
            }
            part = Some(next);
        }
        match part.map(|part| &part.cloud) {
            Some(Cloud::Gaussian(gaussian)) => gaussian.draw(stream, values),
            Some(Cloud::Arc(arc)) => arc.draw(stream, values),
            Some(Cloud::Bernoulli(bits)) => bits.draw(stream, values),
            Some(Cloud::Multinomial(counts)) => counts.draw(stream, values),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Purpose;

    #[test]
    fn a_normal_density_is_the_formula() {
        let (a, b, c) = (2.0, 0.6, 0.5);
        let gaussian = Gaussian::new(vec![1.0, -1.0], &[a, b, b, c]).unwrap();
        let determinant: f64 = a * c - b * b;
        let (u, v) = (0.3 - 1.0, 0.2 + 1.0);
        let squares = (c * u * u - 2.0 * b * u * v + a * v * v) / determinant;
        let log = -0.5 * squares - std::f64::consts::TAU.ln() - 0.5 * determinant.ln();
        assert!((gaussian.log_density(&[0.3, 0.2]) - log).abs() < 1e-13);
        assert_eq!(Gaussian::new(vec![0.0; 2], &[1.0, 1.0, 1.0, 1.0]), None);
        assert_eq!(Gaussian::new(vec![0.0; 2], &[1.0, 2.0, 2.0, 1.0]), None);
    }

    #[test]
    fn draws_have_the_covariance() {
        let gaussian = Gaussian::new(vec![1.0, -1.0], &[2.0, 0.6, 0.6, 0.5]).unwrap();
        let mut stream = Stream::new(1, Purpose::Inputs, 0);
        let mut values = Vec::new();
        let count = 200_000;
        (0..count).for_each(|_| gaussian.draw(&mut stream, &mut values));
        let mean = |of: &dyn Fn(&[f64]) -> f64| {
            values.chunks_exact(2).map(of).sum::<f64>() / f64::from(count)
        };
        // Standard errors: sqrt(2 a²/n) for a variance, about 0.0063 here.
        assert!((mean(&|x| x[0]) - 1.0).abs() < 0.02);
        assert!((mean(&|x| (x[0] - 1.0).powi(2)) - 2.0).abs() < 0.03);
        assert!((mean(&|x| (x[0] - 1.0) * (x[1] + 1.0)) - 0.6).abs() < 0.015);
        assert!((mean(&|x| (x[1] + 1.0).powi(2)) - 0.5).abs() < 0.008);
    }

    /// The integral along the arc by many midpoints.
    fn by_hand(arc: &Arc, x: [f64; 2]) -> f64 {
        let count = 200_000;
        let step = (arc.ends[1] - arc.ends[0]) / f64::from(count);
        let sum: f64 = (0..count)
            .map(|i| {
                let t = arc.ends[0] + (f64::from(i) + 0.5) * step;
                let a = x[0] - arc.centre[0] - arc.radius * t.cos();
                let b = x[1] - arc.centre[1] - arc.radius * t.sin();
                (-0.5 * (a * a + b * b) / (arc.sd * arc.sd)).exp()
            })
            .sum();
        sum / f64::from(count) / (std::f64::consts::TAU * arc.sd * arc.sd)
    }

    #[test]
    fn the_density_around_an_arc_is_the_integral() {
        use std::f64::consts::{PI, TAU};
        for sd in [0.05, 0.2, 1.0] {
            for ends in [[0.0, PI], [PI, TAU], [0.0, TAU]] {
                let arc = Arc::new([1.0, 0.5], 2.0, ends, sd);
                for place in [[1.0, 0.5], [3.0, 0.5], [1.0, 2.5], [2.9, 0.3], [-1.4, 1.0]] {
                    let log = by_hand(&arc, place).ln();
                    let apart = (arc.log_density(&place) - log).abs();
                    // Nothing is ever drawn eight standard deviations out.
                    let near = log > -30.0;
                    assert!(!near || apart < 1e-6, "sd {sd}, {place:?}: {apart}");
                }
            }
        }
    }

    #[test]
    fn the_shares_of_classes_near_a_place_are_the_posterior() {
        for mixture in [Mixture::moons(0.3), Mixture::rings(0.4), Mixture::xor(0.7)] {
            let mut stream = Stream::new(3, Purpose::Inputs, 0);
            let mut expected = 0.0;
            let mut values = Vec::new();
            let count = 40_000;
            let mut found = 0.0;
            for _ in 0..count {
                // Which component is drawn from is not told; class 1 is drawn on its own instead.
                values.clear();
                mixture.draw(&mut stream, &mut values);
                let mut p = [0.0; 2];
                mixture.posterior(&values, &mut p);
                expected += p[1];
                found += p[1] * (1.0 - p[1]);
            }
            // E p(1|x) is the share of class 1, a half; its error is at most that of a coin.
            let n = f64::from(count);
            assert!((expected / n - 0.5).abs() < 4.0 * 0.5 / n.sqrt());
            assert!(found / n > 0.0 && found / n < 0.25);
        }
    }

    #[test]
    fn far_from_everything_probabilities_are_still_numbers() {
        let mut p = [0.0; 2];
        Mixture::xor(0.1).posterior(&[1e3, 1.1e3], &mut p);
        assert_eq!(p, [1.0, 0.0]);
        Mixture::moons(0.01).posterior(&[-50.0, 80.0], &mut p);
        assert!((p[0] + p[1] - 1.0).abs() < 1e-12);
    }
}
