//! A learner of your own, run through the engine: the mean of the labels, shrunk towards zero.
//!
//! ```sh
//! cargo run --release --example own_learner
//! ```

use bvlab::engine::{self, Unwatched};
use bvlab::experiment::{Axis, Curve, Experiment, Source};
use bvlab::interrupt::{Interrupt, Interrupted};
use bvlab::learner::Learner;
use bvlab::problem::{Points, Training};
use bvlab::stream::Stream;

const SHARES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

#[derive(Clone)]
struct Shrunk {
    mean: f64,
}

impl Learner for Shrunk {
    fn capacities(&self) -> usize {
        SHARES.len()
    }

    fn try_fit(&mut self, data: &Training, _: &Stream, _: &Interrupt) -> Result<(), Interrupted> {
        self.mean = data.labels.iter().sum::<f64>() / data.len() as f64;
        Ok(())
    }

    fn try_predict(
        &mut self,
        points: &Points,
        out: &mut [f64],
        _: &Interrupt,
    ) -> Result<(), Interrupted> {
        for (share, out) in SHARES.iter().zip(out.chunks_exact_mut(points.len())) {
            out.fill(share * self.mean);
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let text = r#"
        problem = { truth = "0.3", inputs = { uniform = [0, 1] }, noise = { normal = 1 }, train = 10 }
        learner = [{ tree = { depth = 0 } }]
    "#;
    let mut experiment = Experiment::read("own", Source::new("own.toml", text, &[]))?;
    let axis = Axis::new("share", &SHARES);
    experiment.curves = vec![Curve::new("own", axis, Box::new(Shrunk { mean: 0.0 }))];
    let results = engine::run(&experiment, 2, &Unwatched)?;
    println!("share  bias²   variance  risk");
    for (share, p) in SHARES.iter().zip(&results.learners[0].decomposition.parts) {
        let (bias2, variance, risk) = (p.bias2.value, p.variance.value, p.risk.value);
        println!("{share:<5}  {bias2:.4}  {variance:.4}    {risk:.4}");
    }
    Ok(())
}
