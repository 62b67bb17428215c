//! Subscriptions to a run.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream::unfold;
use serde_json::Value;

use super::Scheduler;
use super::run::SharedRun;
use crate::scene::Refusal;
use bvlab_core::task::Outcome;

/// After how long without news a stream sends an empty line, so that nothing between client and server
/// takes the connection for dead.
const KEEP_ALIVE: Duration = Duration::from_secs(5);

/// A subscription to a run, which ends when it is dropped.
pub struct Listener {
    scheduler: Arc<Scheduler>,
    pub(super) run: Arc<SharedRun>,
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.scheduler.listener_left(&self.run);
    }
}

impl Listener {
    /// For a run that already counts this listener.
    pub(super) fn new(scheduler: Arc<Scheduler>, run: Arc<SharedRun>) -> Self {
        Listener { scheduler, run }
    }

    /// All messages from the first to the last, as they arrive.
    pub fn stream(self) -> impl Stream<Item = Result<Bytes, std::convert::Infallible>> {
        let news = self.run.news.subscribe();
        unfold((self, news, 0), |(listener, mut news, next)| async move {
            let line = loop {
                news.borrow_and_update();
                match listener.line(next) {
                    LogLine::Available(line) => break (line, next + 1),
                    LogLine::End => return None,
                    LogLine::Pending => {}
                }
                match tokio::time::timeout(KEEP_ALIVE, news.changed()).await {
                    Ok(Ok(())) => {}
                    Ok(Err(_)) => return None,
                    Err(_) => break (Bytes::from_static(b"\n"), next),
                }
            };
            let (line, next) = line;
            Some((Ok(line), (listener, news, next)))
        })
    }

    fn line(&self, index: usize) -> LogLine {
        let Ok(log) = self.run.log.read() else {
            return LogLine::End;
        };
        match (log.messages.get(index), log.finished) {
            (Some(line), _) => LogLine::Available(line.clone()),
            (None, true) => LogLine::End,
            (None, false) => LogLine::Pending,
        }
    }

    /// Waits until the run has ended.
    pub async fn finished(&self) {
        let mut news = self.run.news.subscribe();
        while !self.run.is_finished() {
            if news.changed().await.is_err() {
                break;
            }
        }
    }

    /// The result of a run that has ended, and those of its variants where they were computed.
    ///
    /// # Errors
    ///
    /// If it failed or was stopped: its final message.
    pub fn outcome(&self) -> Result<(&Outcome, &[Outcome]), Refusal> {
        match self.run.outcome.get() {
            Some((outcome, variants)) => Ok((outcome, variants)),
            None => Err(Refusal::Failed(self.final_message())),
        }
    }

    /// Of a simulation: the outcome after so many resamples, if it was kept.
    pub fn partial(&self, count: u64) -> Option<Outcome> {
        self.run.partial(count)
    }

    pub(super) fn final_message(&self) -> String {
        let log = self.run.log.read().ok();
        let last = log.and_then(|log| log.messages.last().cloned());
        let last: Value = last
            .and_then(|line| serde_json::from_slice(&line).ok())
            .unwrap_or_default();
        let message = last["message"].as_str().or(last["stopped"].as_str());
        message.unwrap_or("the run did not finish").to_owned()
    }
}

/// A line of a run's log.
enum LogLine {
    Available(Bytes),
    Pending,
    End,
}
