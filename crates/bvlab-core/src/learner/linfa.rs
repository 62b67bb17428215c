//! Models of linfa as learners.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use linfa::Dataset;
use linfa::traits::{Fit, Predict};
use ndarray::{Array1, Array2, Ix1};

use super::Learner;
use crate::data::{Points, Training};
use crate::interrupt::{Interrupt, Interrupted};
use crate::stream::Stream;

/// Fits one setting; the error is linfa's own message.
type Setting = Arc<dyn Fn(&Dataset<f64, f64, Ix1>) -> Result<FittedModel, String> + Send + Sync>;
type FittedModel = Arc<dyn Fn(&Array2<f64>) -> Array1<f64> + Send + Sync>;

/// Any model of [linfa](https://docs.rs/linfa) that predicts real numbers, as a learner: a list of
/// linfa's parameters, checked or not, one per setting.
///
/// **Cost**: one fit per setting, and a copy of the inputs. linfa's models have no capacity path.
///
/// A fit that linfa refuses predicts NaN, which the engine reports with learner, value and
/// resample; [`FromLinfa::refusal`] then returns linfa's own reason. A model that draws random
/// numbers draws them from the generator in its parameters, not from the resample's stream: give
/// that generator a seed, or no run can be repeated.
///
/// **Reference**: the linfa project, <https://github.com/rust-ml/linfa>.
///
/// ```
/// use bvlab_core::learner::{FromLinfa, Learner};
/// use bvlab_core::data::{Points, Training};
/// use bvlab_core::stream::{Purpose, Stream};
/// use linfa_elasticnet::ElasticNet;
///
/// let data = Training {
///     inputs: Points::new(1, vec![-1.0, 0.0, 1.0]),
///     labels: vec![-2.0, 0.0, 2.0],
/// };
/// // The lasso on one input: |x·y|/n = 4/3 less the penalty, over ‖x‖²/n = 2/3.
/// let penalties = [0.0, 1.0 / 3.0, 2.0];
/// let mut lasso = FromLinfa::new(penalties.map(|p| ElasticNet::lasso().penalty(p)));
/// lasso.fit(&data, &Stream::new(1, Purpose::Algorithm, 0));
/// let mut out = [f64::NAN; 3];
/// lasso.predict(&Points::new(1, vec![1.0]), &mut out);
/// assert!((out[0] - 2.0).abs() < 1e-9 && (out[1] - 1.5).abs() < 1e-9 && out[2] == 0.0);
/// ```
#[derive(Clone)]
pub struct FromLinfa {
    settings: Vec<Setting>,
    models: Vec<Result<FittedModel, String>>,
}

impl FromLinfa {
    /// A path over linfa's parameters.
    pub fn new<P, E>(settings: impl IntoIterator<Item = P>) -> Self
    where
        P: Fit<Array2<f64>, Array1<f64>, E> + Send + Sync + 'static,
        P::Object: for<'a> Predict<&'a Array2<f64>, Array1<f64>> + Send + Sync + 'static,
        E: Error + From<linfa::Error> + 'static,
    {
        let setting = |parameters: P| -> Setting {
            Arc::new(move |data| match parameters.fit(data) {
                Ok(model) => Ok(Arc::new(move |inputs| model.predict(inputs))),
                Err(error) => Err(error.to_string()),
            })
        };
        FromLinfa {
            settings: settings.into_iter().map(setting).collect(),
            models: Vec::new(),
        }
    }

    /// Why linfa refused to fit a setting to the last training set, if it did.
    ///
    /// The engine fits copies of the learner. To hear the reason for an error it reported, draw
    /// that resample again with [`Problem::draw`](crate::problem::Problem::draw) and fit it.
    pub fn refusal(&self, setting: usize) -> Option<&str> {
        let model = self.models.get(setting)?;
        model.as_ref().err().map(String::as_str)
    }
}

impl fmt::Debug for FromLinfa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let settings = self.settings.len();
        f.debug_struct("FromLinfa")
            .field("settings", &settings)
            .finish_non_exhaustive()
    }
}

impl Learner for FromLinfa {
    fn capacities(&self) -> usize {
        self.settings.len()
    }

    fn try_fit(
        &mut self,
        data: &Training,
        _: &Stream,
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let labels = Array1::from_vec(data.labels.clone());
        let data = Dataset::new(matrix(&data.inputs), labels);
        self.models.clear();
        for fit in &self.settings {
            // How long a model of linfa takes is not known.
            interrupt.check(Interrupt::EVERY as usize)?;
            self.models.push(fit(&data));
        }
        Ok(())
    }

    fn try_predict(
        &mut self,
        points: &Points,
        out: &mut [f64],
        _: &Interrupt,
    ) -> Result<(), Interrupted> {
        let inputs = matrix(points);
        for (model, out) in self.models.iter().zip(out.chunks_exact_mut(points.len())) {
            match model {
                Ok(model) => {
                    let predictions = model(&inputs);
                    out.iter_mut().zip(&predictions).for_each(|(o, p)| *o = *p);
                }
                Err(_) => out.fill(f64::NAN),
            }
        }
        Ok(())
    }
}

/// One row per point.
fn matrix(points: &Points) -> Array2<f64> {
    Array2::from_shape_vec((points.len(), points.dimension()), points.values().to_vec())
        .expect("points fill whole rows")
}
