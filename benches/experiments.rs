//! One benchmark per whole experiment that ships with bvlab: 48 resamples of each, on one thread,
//! from the text to the estimates. Simulations are left out.
//!
//!     cargo bench --bench experiments                     # all
//!     cargo bench --bench experiments -- tree-tradeoff    # one

use bvlab::engine::{self, Unwatched};
use bvlab::experiment::shipped;
use bvlab::experiment::{Experiment, Source};
use divan::Bencher;

fn main() {
    divan::main();
}

fn names() -> Vec<String> {
    let text = |name: &String| shipped::text(name).unwrap_or_default();
    let mut names = shipped::names();
    names.retain(|name| !text(name).contains("simulation ="));
    names
}

#[divan::bench(args = names(), sample_count = 5, sample_size = 1)]
fn shipped_experiment(bencher: Bencher, name: &str) {
    bencher.bench_local(|| {
        let source = Source::shipped(name, &["run.resamples=48".to_owned()]);
        let source = source.expect("the name is that of a shipped experiment");
        let experiment = Experiment::read(name, source).expect("what ships is right");
        let plan = experiment.plan().expect("simulations are left out");
        engine::run(plan, 1, &Unwatched)
    });
}
