//! The whole command line with a model family of your own: the mean of the labels, shrunk towards
//! zero. The family works in experiments, sweeps, `list`, `schema`, the live page and errors.
//!
//! ```sh
//! cargo run --release --example own_program -- list --learners
//! cargo run --release --example own_program -- run mine.toml
//! ```
//!
//! with mine.toml:
//!
//! ```toml
//! problem = { truth = "0.3", inputs = { uniform = [0, 1] }, noise = { normal = 1 }, train = 10 }
//! sweep   = { share = { from = 0, to = 1, count = 11 } }
//! learner = [{ shrunk = {} }]
//! figure  = [{ tradeoff = {} }]
//! ```

use std::process::ExitCode;

use bvlab::data::{Points, Training};
use bvlab::interrupt::{Interrupt, Interruptible};
use bvlab::learner::{Family, Learner, Registry};
use bvlab::parameter::Parameter;
use bvlab::stream::Stream;

const SHRUNK: Family = Family::new("shrunk", "a share of the mean label", |blueprint| {
    let shares = blueprint.settings().map(|setting| setting.number("share"));
    Box::new(Shrunk {
        shares: shares.collect(),
        mean: 0.0,
    })
})
.parameters(&[Parameter::number("share", "share of the mean").up_to(1.0)]);

#[derive(Clone)]
struct Shrunk {
    shares: Vec<f64>,
    mean: f64,
}

impl Learner for Shrunk {
    fn capacities(&self) -> usize {
        self.shares.len()
    }

    fn try_fit(&mut self, data: &Training, _: &Stream, _: &Interrupt) -> Interruptible {
        self.mean = data.labels.iter().sum::<f64>() / data.len() as f64;
        Ok(())
    }

    fn try_predict(&mut self, at: &Points, out: &mut [f64], _: &Interrupt) -> Interruptible {
        for (out, share) in out.chunks_exact_mut(at.len()).zip(&self.shares) {
            out.fill(share * self.mean);
        }
        Ok(())
    }
}

fn main() -> ExitCode {
    let registry = Registry::standard().with(SHRUNK);
    bvlab::cli::run_with(&registry.expect("no other family has its name"))
}
