//! The step `wait`, and every other pause. All of them end at once when the run is interrupted.

use std::time::{Duration, SystemTime};

use super::case::{CaseRun, Stop};
use crate::contract::Period;
use crate::history::{EventKind, Intent, Waiting};
use crate::plan;
use crate::scenario::Wait;

/// What a wait for the end of "in flight" is longer than the declared bound: clocks and timers are not exact.
const MARGIN: Duration = Duration::from_millis(50);

impl CaseRun<'_> {
    pub(super) async fn wait(&mut self, wait: Wait) -> Result<(), Stop> {
        match wait {
            Wait::For(period) => self.wait_for(period.duration()).await,
            Wait::Settle => self.pause(self.longest_settle()).await,
            Wait::Handler => self.pause(self.calibration.latency * 2).await,
            Wait::InFlight => self.wait_until_finished().await.map(|_| ()),
            Wait::HalfExpiry | Wait::BeforeExpiry | Wait::AfterExpiry => {
                let contract = &self.context.bound.profile().contract;
                self.wait_for(plan::wait_for_age(contract, wait).unwrap_or_default()).await
            }
        }
    }

    /// Waits so long, from when the wait began, in whatever process that was. What is left may be too long for this one:
    /// then the case is suspended.
    async fn wait_for(&mut self, time: Duration) -> Result<(), Stop> {
        let (waiting, suspended) = match self.past.take_wait() {
            Some(taken) => taken,
            None => (self.begin_wait(time)?, false),
        };
        if !self.past.is_over() {
            return Ok(());
        }
        let left = waiting.until.saturating_sub(self.context.recorder.elapsed());
        if left <= self.context.max_wait.duration() {
            return self.rest(left).await;
        }
        if !suspended {
            self.context.recorder.record_synced(Some(&self.case.id), EventKind::Suspended(waiting)).await?;
        }
        Err(Stop::Suspended)
    }

    fn begin_wait(&self, time: Duration) -> Result<Waiting, Stop> {
        self.go_live()?;
        let until = self.context.recorder.elapsed().saturating_add(time);
        let waiting = Waiting { until, due: due(self.context.recorder.began(), until) };
        self.context.recorder.record(Some(&self.case.id), EventKind::Waiting(waiting.clone()))?;
        Ok(waiting)
    }

    /// Waits until no attempt can still be running at the server, if that is known and not too far away. Tells
    /// whether it waited.
    pub(super) async fn wait_until_finished(&mut self) -> Result<bool, Stop> {
        let Some(until) = self.unfinished_until else { return Ok(false) };
        if !self.past.is_over() {
            // An earlier process waited, if it counted again or did something else after that.
            self.unfinished_until = None;
            return Ok(self.past.count_is_next());
        }
        let left = (until + MARGIN).saturating_sub(self.context.recorder.elapsed());
        if left > self.context.max_wait.duration() {
            return Ok(false);
        }
        self.unfinished_until = None;
        self.rest(left).await?;
        Ok(true)
    }

    /// Waits for as long as the contract has a client wait before it sends the same key again.
    pub(super) async fn wait_as_client(&mut self, intent: &Intent) -> Result<(), Stop> {
        let Some(waits) = self.context.bound.profile().contract.client_waits() else { return Ok(()) };
        let until = self.last_ends.get(&intent.name).map_or(Duration::ZERO, |ended| *ended + waits);
        let left = until.saturating_sub(self.context.recorder.elapsed());
        if left.is_zero() { Ok(()) } else { self.rest(left).await }
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

    /// Lets time pass, unless the run is interrupted. What an earlier process did is not waited for again.
    pub(super) async fn pause(&self, pause: Duration) -> Result<(), Stop> {
        if !self.past.is_over() {
            return Ok(());
        }
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

/// The date of a time of the run, in whole seconds: not earlier than that.
fn due(began: SystemTime, until: Duration) -> String {
    let exact = began.checked_add(until + Duration::from_millis(999)).unwrap_or(began);
    humantime::format_rfc3339_seconds(exact).to_string()
}
