//! A learner of your own, run through the engine: the mean of the labels, shrunk towards zero.
//!
//! ```sh
//! cargo run --release --example own_learner
//! ```

use bvlab::data::{Points, Training};
use bvlab::engine::{self, Unwatched};
use bvlab::interrupt::{Interrupt, Interruptible};
use bvlab::learner::Learner;
use bvlab::plan::{Plan, SweepAxis};
use bvlab::problem::{Inputs, Noise, Problem};
use bvlab::stream::Stream;

const SHARES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

#[derive(Clone)]
struct Shrunk(f64);

impl Learner for Shrunk {
    fn capacities(&self) -> usize {
        SHARES.len()
    }

    fn try_fit(&mut self, data: &Training, _: &Stream, _: &Interrupt) -> Interruptible {
        self.0 = data.labels.iter().sum::<f64>() / data.len() as f64;
        Ok(())
    }

    fn try_predict(&mut self, at: &Points, out: &mut [f64], _: &Interrupt) -> Interruptible {
        for (out, share) in out.chunks_exact_mut(at.len()).zip(SHARES) {
            out.fill(share * self.0);
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let problem = Problem::numbers("0.3", Inputs::uniform(0.0, 1.0), Noise::normal(1.0)?, 10)?;
    let axis = SweepAxis::new("share", &SHARES);
    let plan = Plan::builder(problem).learner("own", axis, Shrunk(0.0));
    let results = engine::run(&plan.build()?, 2, &Unwatched)?;
    for (share, p) in SHARES.iter().zip(results.parts(0)) {
        let (bias2, variance, risk) = (p.bias2.value, p.variance.value, p.risk.value);
        println!("share {share:<4}  bias² {bias2:.4}  variance {variance:.4}  risk {risk:.4}");
    }
    Ok(())
}
