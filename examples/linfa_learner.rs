//! A model of linfa, run through the engine: the lasso, over its penalty.
//!
//! ```sh
//! cargo run --release --example linfa_learner
//! ```

use bvlab::engine::{self, Unwatched};
use bvlab::experiment::{Axis, Curve, Experiment, Source};
use bvlab::learner::FromLinfa;
use linfa_elasticnet::ElasticNet;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let text = r#"
        [problem]
        truth  = "x1 - 0.5*x2"
        inputs = { normal = [0, 1], dimension = 20 }
        noise  = { normal = 1 }
        train  = 30
        [[learner]]
        linear = {}
    "#;
    let mut experiment = Experiment::read("lasso", Source::new("lasso.toml", text, &[]))?;
    let penalties = [0.001, 0.01, 0.03, 0.1, 0.2, 0.3, 1.0];
    let lassos = penalties.map(|penalty| ElasticNet::lasso().penalty(penalty));
    let (axis, lasso) = (Axis::new("penalty", &penalties), FromLinfa::new(lassos));
    experiment.curves = vec![Curve::new("lasso", axis, Box::new(lasso))];
    let results = engine::run(&experiment, 2, &Unwatched)?;
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
