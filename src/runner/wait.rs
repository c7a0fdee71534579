//! The step `wait`, and every other pause. All of them end at once when the run is interrupted.

use std::time::Duration;

use super::case::{CaseRun, Stop};
use crate::contract::Period;
use crate::plan;
use crate::scenario::Wait;

/// What a wait for the end of "in flight" is longer than the declared bound: clocks and timers are not exact.
const MARGIN: Duration = Duration::from_millis(50);

impl CaseRun<'_> {
    pub(super) async fn wait(&mut self, wait: Wait) -> Result<(), Stop> {
        match wait {
            Wait::For(period) => self.pause(period.duration()).await,
            Wait::Settle => self.pause(self.longest_settle()).await,
            Wait::Handler => self.pause(self.calibration.latency * 2).await,
            Wait::InFlight => self.wait_until_finished().await.map(|_| ()),
            Wait::BeforeExpiry | Wait::AfterExpiry => {
                let contract = &self.context.bound.profile().contract;
                self.pause(plan::wait_for_age(contract, wait).unwrap_or_default()).await
            }
        }
    }

    /// Waits until no attempt can still be running at the server, if that is known and not too far away. Tells
    /// whether it waited.
    pub(super) async fn wait_until_finished(&mut self) -> Result<bool, Stop> {
        let Some(until) = self.unfinished_until else { return Ok(false) };
        let left = (until + MARGIN).saturating_sub(self.context.recorder.elapsed());
        if left > self.context.max_wait.duration() {
            return Ok(false);
        }
        self.unfinished_until = None;
        self.rest(left).await?;
        Ok(true)
    }

    /// Lets time pass in which this case has nothing to do, so that another one can have its slot.
    async fn rest(&mut self, pause: Duration) -> Result<(), Stop> {
        if let Some(slot) = &mut self.slot {
            slot.give_up();
        }
        let rested = self.pause(pause).await;
        if let Some(slot) = &mut self.slot {
            slot.take_again().await;
        }
        rested
    }

    /// Waits until so many requests may be sent at once, unless the run is interrupted.
    pub(super) async fn turn(&self, number: u32) -> Result<(), Stop> {
        tokio::select! {
            () = self.context.pace.turn(number) => Ok(()),
            () = self.context.interrupt.wait() => Err(Stop::Interrupted),
        }
    }

    /// Lets time pass, unless the run is interrupted.
    pub(super) async fn pause(&self, pause: Duration) -> Result<(), Stop> {
        tokio::select! {
            () = tokio::time::sleep(pause) => Ok(()),
            () = self.context.interrupt.wait() => Err(Stop::Interrupted),
        }
    }

    /// The longest time that an effect may take to show in any counter of the case.
    pub(super) fn longest_settle(&self) -> Duration {
        let counters = self.places.iter().flat_map(|place| self.context.bound.counters(&place.operation));
        counters.map(|counter| counter.settle).max().map_or(Duration::ZERO, Period::duration)
    }
}
