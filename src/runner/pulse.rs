//! How fast the target executes, learned anew from every execution of the run.
//!
//! The control sees two or three executions only, and on a busy machine it sees slow ones. A connection that is to break
//! *while the server works* must break earlier than the fastest execution ends.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::history::{Attempt, History, Timing};

/// The fastest execution that was seen.
#[derive(Debug)]
pub struct Pulse {
    nanoseconds: AtomicU64,
}

impl Default for Pulse {
    fn default() -> Self {
        Self { nanoseconds: AtomicU64::new(u64::MAX) }
    }
}

impl Pulse {
    /// Notes the time of an execution that was answered.
    pub(super) fn learn(&self, timing: &Timing) {
        if let (Some(written), Some(read)) = (timing.last_written, timing.first_read) {
            let took = u64::try_from(read.saturating_sub(written).as_nanos()).unwrap_or(u64::MAX);
            self.nanoseconds.fetch_min(took, Ordering::Relaxed);
        }
    }

    /// Notes every execution of a history. A first attempt that succeeded was executed; what comes later may be a replay,
    /// which tells nothing.
    pub(super) fn learn_from(&self, history: &History) {
        for case in history.cases.values() {
            for intent in case.intents.iter().filter(|intent| intent.like.is_none()) {
                let first = case.attempts.iter().find(|attempt| attempt.start.intent == intent.id);
                let alone =
                    |attempt: &&Attempt| !case.races.iter().any(|race| race.attempts.contains(&attempt.start.id));
                let end = first.filter(alone).and_then(|attempt| attempt.end.as_ref());
                if let Some(end) = end.filter(|end| end.success && end.outcome.answer().is_some()) {
                    self.learn(&end.timing);
                }
            }
        }
    }

    /// The fastest execution, from the last byte of the request to the first of the answer; not slower than what was
    /// calibrated.
    pub(super) fn fastest(&self, calibrated: Duration) -> Duration {
        calibrated.min(self.seen())
    }

    /// Whether an exchange was over before even the fastest execution would have been.
    pub(super) fn still_works(&self, timing: &Timing) -> bool {
        timing.last_written.is_none_or(|written| timing.ended.saturating_sub(written) < self.seen())
    }

    /// Whether the target was seen to execute anything.
    pub(super) fn beats(&self) -> bool {
        self.nanoseconds.load(Ordering::Relaxed) < u64::MAX
    }

    fn seen(&self) -> Duration {
        Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timing(written: u64, read: Option<u64>, ended: u64) -> Timing {
        Timing {
            last_written: Some(Duration::from_millis(written)),
            first_read: read.map(Duration::from_millis),
            ended: Duration::from_millis(ended),
            ..Timing::default()
        }
    }

    #[test]
    fn the_fastest_execution_counts() {
        let pulse = Pulse::default();
        assert_eq!(pulse.fastest(Duration::from_millis(44)), Duration::from_millis(44));
        assert!(pulse.still_works(&timing(0, None, 1000)), "nothing was seen yet");
        pulse.learn(&timing(10, Some(40), 41));
        pulse.learn(&timing(100, Some(190), 191));
        assert_eq!(pulse.fastest(Duration::from_millis(44)), Duration::from_millis(30));
        assert!(pulse.still_works(&timing(10, None, 39)));
        assert!(!pulse.still_works(&timing(10, None, 41)));
    }
}
