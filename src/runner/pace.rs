//! Counting requests, stopping at the cap, and keeping them apart.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::contract::Rate;

/// Counts requests, and stops them at a hard cap. Every attempt sets one request aside for the cleanup of its effect, so
/// that the cap never stands in the way of cleaning up.
#[derive(Debug)]
pub struct Pace {
    cap: u64,
    reserve_per_attempt: u64,
    state: Mutex<State>,
    limit: Option<Rate>,
    started: Instant,
    turns: Mutex<Turns>,
    /// Whether effects are being removed.
    cleans: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    sent: u64,
    reserved: u64,
}

/// When the next request may be sent, as time since the run began.
#[derive(Debug, Default)]
struct Turns {
    next: Duration,
}

impl Turns {
    /// Takes so many turns, and says when the last of them comes. A burst waits for all of them in advance.
    fn take(&mut self, interval: Duration, now: Duration, number: u32) -> Duration {
        let last = self.next.max(now).saturating_add(interval.saturating_mul(number.saturating_sub(1)));
        self.next = last.saturating_add(interval);
        last
    }
}

/// The cap of `--max-requests` is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapReached;

impl Pace {
    /// A pace with a cap on all requests together. `cleans_up` tells whether effects will be removed.
    pub fn new(cap: u64, cleans_up: bool) -> Self {
        Self {
            cap,
            reserve_per_attempt: u64::from(cleans_up),
            state: Mutex::default(),
            limit: None,
            started: Instant::now(),
            turns: Mutex::default(),
            cleans: AtomicBool::new(false),
        }
    }

    /// The same, after so many requests of an earlier process, among them so many attempts whose effects are not yet
    /// removed.
    pub fn after(self, sent: u64, attempts: u64) -> Self {
        *self.state() = State { sent, reserved: attempts * self.reserve_per_attempt };
        self
    }

    /// The same, with a limit on how many requests are sent in a time.
    pub fn limited_to(self, limit: Option<Rate>) -> Self {
        Self { limit, ..self }
    }

    /// Waits until so many requests may be sent at once.
    pub(super) async fn turn(&self, number: u32) {
        let Some(limit) = self.limit else { return };
        let due = {
            let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
            turns.take(limit.interval(), self.started.elapsed(), number)
        };
        tokio::time::sleep_until((self.started + due).into()).await;
    }

    /// Asks to send an attempt.
    ///
    /// # Errors
    /// When the cap is reached.
    pub fn take_attempt(&self) -> Result<(), CapReached> {
        self.take(1, self.reserve_per_attempt)
    }

    /// Asks to send several attempts at once: all of them, or none.
    ///
    /// # Errors
    /// When not all of them fit under the cap.
    pub fn take_attempts(&self, number: u64) -> Result<(), CapReached> {
        self.take(number, number * self.reserve_per_attempt)
    }

    /// Asks to send a count or to run a hook.
    ///
    /// # Errors
    /// When the cap is reached.
    pub fn take_control(&self) -> Result<(), CapReached> {
        self.take(1, 0)
    }

    /// Notes that effects are being removed from now on.
    pub(super) fn begin_cleanup(&self) {
        self.cleans.store(true, Ordering::Relaxed);
    }

    /// Asks to fetch a token, or to send something again because its token was refused. While effects are removed, that uses
    /// up what was set aside for it.
    ///
    /// # Errors
    /// When the cap is reached.
    pub fn take_for_token(&self) -> Result<(), CapReached> {
        if self.cleans.load(Ordering::Relaxed) { self.take_cleanup() } else { self.take_control() }
    }

    /// Asks to set one request aside for undoing something.
    ///
    /// # Errors
    /// When the cap is reached.
    pub fn set_aside(&self) -> Result<(), CapReached> {
        self.take(0, 1)
    }

    /// Asks to send a cleanup request, or one that undoes something: it uses up what was set aside.
    ///
    /// # Errors
    /// When the cap is reached: the target made more effects than attempts were sent.
    pub fn take_cleanup(&self) -> Result<(), CapReached> {
        let mut state = self.state();
        state.reserved = state.reserved.saturating_sub(1);
        drop(state);
        self.take(1, 0)
    }

    /// All requests that were sent.
    pub fn sent(&self) -> u64 {
        self.state().sent
    }

    fn take(&self, number: u64, reserve: u64) -> Result<(), CapReached> {
        let mut state = self.state();
        if state.sent + state.reserved + number + reserve > self.cap {
            return Err(CapReached);
        }
        state.sent += number;
        state.reserved += reserve;
        Ok(())
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cap_leaves_room_for_the_cleanup() {
        let pace = Pace::new(5, true);
        assert_eq!(pace.take_attempt(), Ok(()));
        assert_eq!(pace.take_attempt(), Ok(()));
        assert_eq!(pace.take_attempt(), Err(CapReached));
        assert_eq!(pace.take_control(), Ok(()));
        assert_eq!(pace.take_control(), Err(CapReached));
        assert_eq!(pace.take_cleanup(), Ok(()));
        assert_eq!(pace.take_cleanup(), Ok(()));
        assert_eq!(pace.take_cleanup(), Err(CapReached));
        assert_eq!(pace.sent(), 5);
    }

    #[test]
    fn the_cap_leaves_room_for_what_must_be_undone() {
        let pace = Pace::new(2, false);
        assert_eq!(pace.set_aside(), Ok(()));
        assert_eq!(pace.take_control(), Ok(()));
        assert_eq!(pace.take_control(), Err(CapReached));
        assert_eq!(pace.take_cleanup(), Ok(()));
    }

    #[test]
    fn the_cap_leaves_room_for_the_token_that_the_cleanup_needs() {
        let pace = Pace::new(4, true);
        assert_eq!(pace.take_for_token(), Ok(()));
        assert_eq!(pace.set_aside(), Ok(()));
        assert_eq!(pace.take_attempt(), Ok(()));
        assert_eq!(pace.take_for_token(), Err(CapReached));
        pace.begin_cleanup();
        assert_eq!((pace.take_for_token(), pace.take_cleanup()), (Ok(()), Ok(())));
        assert_eq!((pace.take_for_token(), pace.sent()), (Err(CapReached), 4));
    }

    #[test]
    fn a_race_fits_under_the_cap_as_a_whole_or_not_at_all() {
        let pace = Pace::new(7, true);
        assert_eq!(pace.take_attempts(4), Err(CapReached));
        assert_eq!(pace.take_attempts(3), Ok(()));
        assert_eq!(pace.sent(), 3);
        assert_eq!(pace.take_control(), Ok(()));
        assert_eq!(pace.take_attempts(1), Err(CapReached));
    }

    #[test]
    fn requests_keep_their_distance_and_a_burst_waits_for_all_of_its_turns() {
        let interval = Duration::from_millis(100);
        let mut turns = Turns::default();
        let at = |milliseconds| Duration::from_millis(milliseconds);
        assert_eq!(turns.take(interval, at(50), 1), at(50), "the first has no one to wait for");
        assert_eq!(turns.take(interval, at(60), 1), at(150));
        assert_eq!(turns.take(interval, at(60), 1), at(250));
        assert_eq!(turns.take(interval, at(60), 20), at(2250), "twenty turns, saved up");
        assert_eq!(turns.take(interval, at(60), 1), at(2350));
        assert_eq!(turns.take(interval, at(9000), 1), at(9000), "turns that nobody took are gone");
    }
}
