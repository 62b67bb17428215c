//! A pool of threads, or the calling thread alone without the feature `threads`.

use super::RunError;

/// Threads to compute on.
pub(super) struct Executor {
    #[cfg(feature = "threads")]
    pool: rayon::ThreadPool,
}

#[cfg(feature = "threads")]
impl Executor {
    /// A pool of that many threads.
    pub fn new(threads: usize) -> Result<Self, RunError> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| RunError::Threads(error.to_string()))?;
        Ok(Executor { pool })
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Calls `work` on every thread, with the number of the thread.
    pub fn broadcast(&self, work: impl Fn(usize) + Sync) {
        self.pool.broadcast(|context| work(context.index()));
    }

    /// The results of `work` for 0, 1, …, in this order.
    pub fn map<T: Send>(&self, count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
        use rayon::prelude::*;
        self.pool
            .install(|| (0..count).into_par_iter().map(&work).collect())
    }
}

#[cfg(not(feature = "threads"))]
impl Executor {
    /// The calling thread alone, however many threads are asked for.
    pub fn new(_: usize) -> Result<Self, RunError> {
        Ok(Executor {})
    }

    /// One.
    pub fn threads(&self) -> usize {
        1
    }

    /// Calls `work` once, as thread 0.
    pub fn broadcast(&self, work: impl Fn(usize) + Sync) {
        work(0);
    }

    /// The results of `work` for 0, 1, …, in this order.
    pub fn map<T: Send>(&self, count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
        (0..count).map(work).collect()
    }
}
