//! A model of linfa, run through the engine: the lasso, over its penalty.
//!
//! ```sh
//! cargo run --release --example linfa_learner
//! ```

use bvlab::engine::{self, Unwatched};
use bvlab::learner::FromLinfa;
use bvlab::plan::{Plan, SweepAxis};
use bvlab::problem::{Expression, Inputs, Labels, Noise, Problem, Truth};
use linfa_elasticnet::ElasticNet;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let problem = Problem {
        labels: Labels::Numbers {
            truth: Truth::Expression(Expression::parse("x1 - 0.5*x2", 20)?),
            noise: Noise::normal(1.0)?,
        },
        inputs: Inputs::normal(0.0, 1.0),
        fixed: false,
        dimension: 20,
        train: 30,
    };
    let penalties = [0.001, 0.01, 0.03, 0.1, 0.2, 0.3, 1.0];
    let lassos = penalties.map(|penalty| ElasticNet::lasso().penalty(penalty));
    let axis = SweepAxis::new("penalty", &penalties);
    let plan = Plan::builder(problem)
        .learner("lasso", axis, FromLinfa::new(lassos))
        .build()?;
    let results = engine::run(&plan, 2, &Unwatched)?;
    println!("penalty  bias²   variance  risk");
    for (penalty, p) in penalties
        .iter()
        .zip(&results.learners[0].decomposition.parts)
    {
        let (bias2, variance, risk) = (p.bias2.value, p.variance.value, p.risk.value);
        println!("{penalty:<7}  {bias2:.4}  {variance:.4}    {risk:.4}");
    }
    Ok(())
}
