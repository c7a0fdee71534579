//! The step `repeat`: attempts until the key is no longer in flight.

use super::case::{CaseRun, Stop};
use super::send::says_in_flight;
use crate::plan::{pauses, repeat_limit};
use crate::scenario::{Repeat, Send};

impl CaseRun<'_> {
    /// Sends attempts, with growing pauses, until one is answered with something else than "in flight", or the limit
    /// has passed: then "in flight" has lasted too long, and the oracle will say so.
    pub(super) async fn repeat(&mut self, repeat: &Repeat) -> Result<(), Stop> {
        let send = Send { intent: repeat.intent.clone(), parameters: repeat.parameters.clone(), ..Send::default() };
        let limit = repeat_limit(&self.context.bound, repeat, self.context.max_wait);
        let begun = self.now();
        for pause in pauses(repeat) {
            let end = self.send(&send).await?;
            // Whether an earlier process went on shows in what it did next.
            match (self.past.is_over(), self.past.attempt_is_next()) {
                (false, true) => continue,
                (false, false) => return Ok(()),
                (true, _) => {}
            }
            let settled = !says_in_flight(&self.context.bound.profile().contract, &end.outcome);
            let left = limit.saturating_sub(self.context.recorder.elapsed().saturating_sub(begun));
            if settled || left.is_zero() {
                return Ok(());
            }
            // The last attempt falls on the limit itself: only then is it known whether "in flight" has ended in time.
            self.pause(pause.min(left)).await?;
        }
        Ok(())
    }
}
