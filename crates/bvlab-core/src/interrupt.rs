//! How work that may take long asks whether to go on.

use std::cell::Cell;
use std::fmt;

/// A question that long work, such as a fit, asks every so often: whether to go on.
///
/// The work tells roughly how many operations it does; the question is put once in every
/// [`Interrupt::EVERY`] of them, which is a few milliseconds of computing. Whoever asked for the work
/// gives the answer, and may take its time: work that waits for its turn waits here. The work itself
/// knows nothing of clocks or clients.
///
/// ```
/// use bvlab_core::interrupt::{Interrupt, Interrupted};
///
/// fn count(to: u64, interrupt: &Interrupt) -> Result<u64, Interrupted> {
///     let mut sum = 0;
///     for i in 0..to {
///         interrupt.check(1_000_000)?; // for a step that takes so many operations
///         sum += i;
///     }
///     Ok(sum)
/// }
/// assert_eq!(count(100, &Interrupt::never()), Ok(4950));
/// assert_eq!(count(5, &Interrupt::new(&|| true)), Ok(10)); // too short to be asked
/// assert_eq!(count(100, &Interrupt::new(&|| true)), Err(Interrupted));
/// ```
pub struct Interrupt<'a> {
    stopped: &'a dyn Fn() -> bool,
    /// The operations until the next question.
    left: Cell<u64>,
}

/// The work was stopped. Its unfinished results must not be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// The result of work that can be stopped.
pub type Interruptible<T = ()> = Result<T, Interrupted>;

impl<'a> Interrupt<'a> {
    /// The question is put once in so many operations.
    pub const EVERY: u64 = 10_000_000;

    /// `stopped` is the question: whether the work is to stop.
    pub fn new(stopped: &'a dyn Fn() -> bool) -> Self {
        Interrupt {
            stopped,
            left: Cell::new(Self::EVERY),
        }
    }

    /// For work that is always to be finished.
    pub fn never() -> Self {
        Interrupt::new(&|| false)
    }

    /// Counts operations that were done or are about to be done, and puts the question if it is time.
    ///
    /// # Errors
    ///
    /// If the work is to stop.
    #[inline(always)]
    pub fn check(&self, operations: usize) -> Result<(), Interrupted> {
        match self.left.get().checked_sub(operations as u64) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => self.ask(),
        }
    }

    #[cold]
    fn ask(&self) -> Result<(), Interrupted> {
        self.left.set(Self::EVERY);
        match (self.stopped)() {
            true => Err(Interrupted),
            false => Ok(()),
        }
    }
}

impl fmt::Debug for Interrupt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interrupt").finish_non_exhaustive()
    }
}
