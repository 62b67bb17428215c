//! The problems that benchmarks share.

use bvlab::experiment::{Experiment, Source};

/// y = sin x on 100 points.
pub const LINE: &str = r#"
    truth  = "sin(x)"
    inputs = { uniform = [0, 15] }
    noise  = { normal = 0.5 }
    train  = 100
"#;

/// A period of a sine on 50 points.
pub const UNIT: &str = r#"
    truth  = "sin(2*pi*x)"
    inputs = { uniform = [0, 1] }
    noise  = { normal = 0.3 }
    train  = 50
"#;

/// Three inputs, 100 points.
pub const SPACE: &str = r#"
    truth  = "sin(3*x1) + x2*x3"
    inputs = { uniform = [-1, 1], dimension = 3 }
    noise  = { normal = 0.3 }
    train  = 100
"#;

/// An experiment of one learner, with 200 test points.
pub fn experiment(problem: &str, sweep: &str, learner: &str, resamples: u64) -> Experiment {
    let test = match problem == SPACE {
        true => "draw",
        false => "grid",
    };
    let text = format!(
        "[problem]\n{problem}\n[sweep]\n{sweep}\n[[learner]]\n{learner}\n\
         [run]\nresamples = {resamples}\nkeep = 1\ntest = {{ {test} = 200 }}\n"
    );
    read("benchmark", &text, &[])
}

/// Reads an experiment that is known to be right.
pub fn read(name: &str, text: &str, sets: &[String]) -> Experiment {
    match Experiment::read(name, Source::new(name, text, sets)) {
        Ok(experiment) => experiment,
        Err(error) => panic!("{name}: {error:?}"),
    }
}
