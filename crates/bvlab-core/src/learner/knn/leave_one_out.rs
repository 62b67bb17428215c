//! Leverages of neighbours, and predictions without the point itself.

use super::Knn;
use crate::data::Training;
use crate::interrupt::{Interrupt, Interrupted};
use crate::learner::Learner;
use crate::stream::{Purpose, Stream};

impl Knn {
    /// 1/k: the nearest of different inputs is the input itself. Returns whether it wrote them.
    pub(super) fn leverages(&self, data: &Training, out: &mut [f64]) -> bool {
        if !self.is_linear() || data.inputs.has_repeats() {
            return false;
        }
        for (leverages, k) in out.chunks_exact_mut(data.len()).zip(&self.path.ks) {
            leverages.fill(1.0 / (*k).min(data.len()) as f64);
        }
        true
    }

    /// Without the pair itself the k + 1 nearest of its input are k. Among equal inputs the pair may
    /// not be one of them: then nothing is written.
    pub(super) fn leave_one_out(
        &self,
        data: &Training,
        out: &mut [f64],
        interrupt: &Interrupt,
    ) -> Result<bool, Interrupted> {
        let count = data.len();
        if count < 2 || data.inputs.has_repeats() {
            return Ok(false);
        }
        let more = self.path.ks.iter().map(|k| k + 1).collect();
        let mut wider = Knn::for_labels(more, self.path.classes);
        wider.try_fit(data, &Stream::new(0, Purpose::Algorithm, 0), interrupt)?;
        wider.try_predict(&data.inputs, out, interrupt)?;
        let outputs = self.path.classes.max(1);
        for (means, k) in out.chunks_exact_mut(count * outputs).zip(&self.path.ks) {
            let neighbours = (k + 1).min(count) as f64;
            for (means, label) in means.chunks_exact_mut(outputs).zip(&data.labels) {
                for (class, mean) in means.iter_mut().enumerate() {
                    *mean = match self.path.classes {
                        0 => (neighbours * *mean - label) / (neighbours - 1.0),
                        _ => {
                            let own = f64::from(u8::from(*label == class as f64));
                            // Votes are whole numbers.
                            (neighbours * *mean - own).round() / (neighbours - 1.0)
                        }
                    };
                }
            }
        }
        Ok(true)
    }
}
