//! Running a simulation, one resample after the other, with its table on the way.

use super::{Moments, Row, Setup, Simulate};
use crate::engine::{Observer, RunError};
use crate::interrupt::{Interrupt, Interrupted};

/// The fewest resamples that a table on the way is made of.
const FEWEST: u64 = 4;

/// Whether a run shows its table after so many resamples: 4, 6, 8, 12, 16, 24, 32, 48, 64, 96 and so
/// on, two to every doubling.
pub fn is_partial_count(count: u64) -> bool {
    let odd = count >> count.trailing_zeros().min(63);
    count >= FEWEST && (odd == 1 || odd == 3)
}

/// A simulation on its way: its resamples are drawn one by one, and its table can be had after any of
/// them.
///
/// ```
/// use bvlab_core::interrupt::Interrupt;
/// use bvlab_core::simulation::{self, Sampling, Setup};
///
/// let setup = Setup {
///     resamples: 100,
///     ..Setup::new(simulation::find("estimators").unwrap())
/// };
/// let mut sampling = Sampling::new(&setup)?;
/// while !sampling.is_complete() {
///     sampling.step(&Interrupt::never())?;
/// }
/// assert_eq!(sampling.rows(), simulation::run(&setup, &bvlab_core::engine::Unwatched)?);
/// # Ok::<(), bvlab_core::engine::RunError>(())
/// ```
pub struct Sampling {
    simulation: Box<dyn Simulate>,
    seen: Vec<Moments>,
    observed: Vec<f64>,
    seed: u64,
    done: u64,
    total: u64,
}

impl Sampling {
    /// Before the first resample.
    ///
    /// # Errors
    ///
    /// If the values are not allowed.
    pub fn new(setup: &Setup) -> Result<Self, RunError> {
        setup.check().map_err(RunError::Setup)?;
        let simulation = (setup.simulation.build)(setup);
        let count = simulation.observations();
        Ok(Sampling {
            simulation,
            seen: vec![Moments::default(); count],
            observed: vec![0.0; count],
            seed: setup.seed,
            done: 0,
            total: setup.resamples,
        })
    }

    /// Draws the next resample.
    ///
    /// # Errors
    ///
    /// If it was interrupted; what was drawn before can still be used.
    pub fn step(&mut self, interrupt: &Interrupt) -> Result<(), RunError> {
        let drawn = self
            .simulation
            .observe(self.seed, self.done, &mut self.observed, interrupt);
        drawn.map_err(|Interrupted| self.stopped())?;
        for (moments, value) in self.seen.iter_mut().zip(&self.observed) {
            moments.add(*value);
        }
        self.done += 1;
        Ok(())
    }

    /// How many resamples are drawn.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// How many there will be.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Whether all are drawn.
    pub fn is_complete(&self) -> bool {
        self.done >= self.total
    }

    /// Whether its table is shown now, on the way.
    pub fn is_at_partial_count(&self) -> bool {
        !self.is_complete() && is_partial_count(self.done)
    }

    /// The table of the resamples so far.
    pub fn rows(&self) -> Vec<Row> {
        self.simulation.rows(&self.seen)
    }

    fn stopped(&self) -> RunError {
        RunError::Stopped {
            done: self.done,
            total: self.total,
        }
    }
}

/// Runs a simulation.
///
/// # Errors
///
/// If it is stopped, or its values are not allowed.
pub fn run(setup: &Setup, observer: &dyn Observer) -> Result<Vec<Row>, RunError> {
    let mut sampling = Sampling::new(setup)?;
    let stopped = || {
        observer.wait_turn();
        observer.stopped()
    };
    let watched = observer.watches();
    while !sampling.is_complete() {
        sampling.step(&Interrupt::new(&stopped))?;
        observer.progress(sampling.done, sampling.total);
        if watched && sampling.is_at_partial_count() {
            observer.table(sampling.done, &sampling.rows());
        }
        if !sampling.is_complete() && stopped() {
            return Err(sampling.stopped());
        }
    }
    Ok(sampling.rows())
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::simulation::SIMULATIONS;

    #[test]
    fn tables_come_twice_in_every_doubling() {
        let counts: Vec<u64> = (0..200).filter(|count| is_partial_count(*count)).collect();
        let wanted = [4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192];
        assert_eq!(counts, wanted);
        assert!(is_partial_count(1 << 63) && !is_partial_count(u64::MAX));
    }

    #[test]
    fn a_table_on_the_way_is_that_of_a_shorter_run() {
        struct Tables(Mutex<Vec<(u64, Vec<Row>)>>);
        impl Observer for Tables {
            fn watches(&self) -> bool {
                true
            }

            fn table(&self, count: u64, rows: &[Row]) {
                self.0.lock().unwrap().push((count, rows.to_vec()));
            }
        }
        let bits = |rows: &[Row]| -> Vec<(String, [u64; 5])> {
            let each = rows.iter().map(|row| {
                let Row {
                    panel, series, x, ..
                } = row;
                let numbers = [*x, row.value, row.se, row.theory, row.chance];
                (format!("{panel}/{series}"), numbers.map(f64::to_bits))
            });
            each.collect()
        };
        for simulation in SIMULATIONS {
            let run = |resamples: u64, observer: &dyn Observer| {
                let setup = Setup {
                    resamples,
                    seed: 5,
                    ..Setup::new(simulation)
                };
                run(&setup, observer).unwrap()
            };
            let tables = Tables(Mutex::default());
            run(9, &tables);
            let tables = tables.0.into_inner().unwrap();
            let counts: Vec<u64> = tables.iter().map(|(count, _)| *count).collect();
            assert_eq!(counts, [4, 6, 8], "{}", simulation.name);
            for (count, rows) in &tables {
                let alone = run(*count, &crate::engine::Unwatched);
                assert_eq!(bits(rows), bits(&alone), "{} {count}", simulation.name);
            }
        }
    }
}
