//! Models of linfa as learners.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use linfa::Dataset;
use linfa::traits::{Fit, Predict};
use ndarray::{Array1, Array2};

use super::{Learner, Size, class_label};
use crate::data::{Points, Training};
use crate::interrupt::{Interrupt, Interrupted};
use crate::stream::Stream;

/// Fits one setting; what linfa refuses comes back as its own words.
type FitFunction = Arc<dyn Fn(&LinfaTraining) -> Result<LinfaModel, String> + Send + Sync>;

/// A fitted model: writes its predictions at every row of a matrix, one number each, or as many as
/// there are classes.
pub type LinfaModel = Arc<dyn Fn(&Array2<f64>, &mut [f64]) + Send + Sync>;

/// A rough measure of time or memory; see [`Learner::operations`].
type CostFunction = Arc<dyn Fn(Size) -> f64 + Send + Sync>;

/// A training set as linfa takes it.
#[derive(Debug)]
pub struct LinfaTraining<'a> {
    /// One row per training point.
    pub inputs: Array2<f64>,
    /// The labels; a class is its number.
    pub labels: &'a [f64],
    /// Where a model's random numbers should come from.
    pub stream: &'a Stream,
}

impl LinfaTraining<'_> {
    /// The labels as classes.
    pub fn classes(&self) -> impl Iterator<Item = usize> + '_ {
        self.labels.iter().map(|label| class_label(*label))
    }
}

/// Any model of [linfa](https://docs.rs/linfa) that predicts real numbers or classes, as a learner: a
/// list of linfa's parameters, checked or not, one per setting.
///
/// **Cost**: one fit per setting, and a copy of the inputs. linfa's models have no capacity path.
///
/// A fit that linfa refuses predicts NaN, and the run ends with an error that has learner, value,
/// resample and linfa's own reason ([`Learner::refusal`]). A model that draws random numbers draws
/// them from the generator in its parameters, not from the resample's stream: give that generator a
/// seed, or no run can be repeated.
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
    settings: Vec<FitFunction>,
    models: Vec<Result<LinfaModel, String>>,
    /// How many numbers a prediction has.
    outputs: usize,
    operations: Option<CostFunction>,
    numbers_held: Option<CostFunction>,
}

impl FromLinfa {
    /// A path over linfa's parameters, for labels that are numbers.
    pub fn new<P, E>(settings: impl IntoIterator<Item = P>) -> Self
    where
        P: Fit<Array2<f64>, Array1<f64>, E> + Send + Sync + 'static,
        P::Object: for<'a> Predict<&'a Array2<f64>, Array1<f64>> + Send + Sync + 'static,
        E: Error + From<linfa::Error> + 'static,
    {
        let fit = |parameters: P| {
            move |training: &LinfaTraining| -> Result<LinfaModel, String> {
                let labels = Array1::from_vec(training.labels.to_vec());
                let data = Dataset::new(training.inputs.clone(), labels);
                let model = parameters.fit(&data).map_err(|error| error.to_string())?;
                Ok(Arc::new(move |inputs, out| {
                    let predictions = model.predict(inputs);
                    out.iter_mut().zip(&predictions).for_each(|(o, p)| *o = *p);
                }))
            }
        };
        FromLinfa::by(settings.into_iter().map(fit), 0)
    }

    /// A path over linfa's parameters, for labels that are classes 0, 1, …: the class that the model
    /// predicts has probability 1.
    ///
    /// ```
    /// use bvlab_core::learner::{FromLinfa, Learner};
    /// use bvlab_core::data::{Points, Training};
    /// use bvlab_core::stream::{Purpose, Stream};
    /// use linfa_trees::DecisionTree;
    ///
    /// let data = Training {
    ///     inputs: Points::new(1, vec![0.0, 1.0, 2.0]),
    ///     labels: vec![2.0, 2.0, 0.0],
    /// };
    /// let depths = [0, 1].map(|depth| DecisionTree::params().max_depth(Some(depth)));
    /// let mut tree = FromLinfa::classifier(depths, 3);
    /// tree.fit(&data, &Stream::new(1, Purpose::Algorithm, 0));
    /// let mut out = [f64::NAN; 6];
    /// tree.predict(&Points::new(1, vec![1.9]), &mut out);
    /// assert_eq!(out, [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
    /// ```
    pub fn classifier<P, E>(settings: impl IntoIterator<Item = P>, classes: usize) -> Self
    where
        P: Fit<Array2<f64>, Array1<usize>, E> + Send + Sync + 'static,
        P::Object: for<'a> Predict<&'a Array2<f64>, Array1<usize>> + Send + Sync + 'static,
        E: Error + From<linfa::Error> + 'static,
    {
        let fit = |parameters: P| {
            move |training: &LinfaTraining| -> Result<LinfaModel, String> {
                let labels = training.classes().collect::<Array1<usize>>();
                let data = Dataset::new(training.inputs.clone(), labels);
                let model = parameters.fit(&data).map_err(|error| error.to_string())?;
                Ok(Arc::new(move |inputs, out| {
                    out.fill(0.0);
                    let rows = out.chunks_exact_mut(classes);
                    for (row, class) in rows.zip(&model.predict(inputs)) {
                        row[*class] = 1.0;
                    }
                }))
            }
        };
        FromLinfa::by(settings.into_iter().map(fit), classes)
    }

    /// A path over functions that fit a model, for models that need more than parameters: labels of
    /// another type, or probabilities. `classes` is 0 where labels are numbers. What a function
    /// refuses, it says in words.
    pub fn by<F>(fits: impl IntoIterator<Item = F>, classes: usize) -> Self
    where
        F: Fn(&LinfaTraining) -> Result<LinfaModel, String> + Send + Sync + 'static,
    {
        let setting = |fit: F| -> FitFunction { Arc::new(fit) };
        FromLinfa {
            settings: fits.into_iter().map(setting).collect(),
            models: Vec::new(),
            outputs: classes.max(1),
            operations: None,
            numbers_held: None,
        }
    }

    /// The same with a measure of its time, [`Learner::operations`].
    pub fn with_operations(
        mut self,
        operations: impl Fn(Size) -> f64 + Send + Sync + 'static,
    ) -> Self {
        self.operations = Some(Arc::new(operations));
        self
    }

    /// The same with a measure of its memory, [`Learner::numbers_held`].
    pub fn with_numbers_held(
        mut self,
        numbers: impl Fn(Size) -> f64 + Send + Sync + 'static,
    ) -> Self {
        self.numbers_held = Some(Arc::new(numbers));
        self
    }
}

impl fmt::Debug for FromLinfa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let settings = self.settings.len();
        f.debug_struct("FromLinfa")
            .field("settings", &settings)
            .field("outputs", &self.outputs)
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
        stream: &Stream,
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let training = LinfaTraining {
            inputs: matrix(&data.inputs),
            labels: &data.labels,
            stream,
        };
        self.models.clear();
        for fit in &self.settings {
            // How long a model of linfa takes is not known.
            interrupt.check(Interrupt::EVERY as usize)?;
            self.models.push(fit(&training));
        }
        Ok(())
    }

    fn try_predict(
        &mut self,
        points: &Points,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<(), Interrupted> {
        let inputs = matrix(points);
        let each = points.len() * self.outputs;
        for (model, out) in self.models.iter().zip(out.chunks_exact_mut(each.max(1))) {
            interrupt.check(out.len())?;
            match model {
                Ok(model) => model(&inputs, out),
                Err(_) => out.fill(f64::NAN),
            }
        }
        Ok(())
    }

    /// linfa's own words.
    ///
    /// The engine fits copies of the learner. To learn more about an error that it reported, draw that
    /// resample again with [`Problem::draw`](crate::problem::Problem::draw) and fit it.
    fn refusal(&self, setting: usize) -> Option<&str> {
        let model = self.models.get(setting)?;
        model.as_ref().err().map(String::as_str)
    }

    fn operations(&self, size: Size) -> f64 {
        let predictions = self.capacities() as f64 * size.predictions() * size.outputs;
        predictions
            + self
                .operations
                .as_ref()
                .map_or(0.0, |measure| measure(size))
    }

    fn numbers_held(&self, size: Size) -> f64 {
        let copies = 2.0 * size.train * (size.dimension + 2.0);
        copies
            + self
                .numbers_held
                .as_ref()
                .map_or(0.0, |measure| measure(size))
    }
}

/// One row per point.
fn matrix(points: &Points) -> Array2<f64> {
    Array2::from_shape_vec((points.len(), points.dimension()), points.values().to_vec())
        .expect("points fill whole rows")
}
