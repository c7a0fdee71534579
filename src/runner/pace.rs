//! Counting requests, stopping at the cap, and waiting when the target asks for it.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use crate::message::Response;

/// Counts requests, and stops them at a hard cap. Every attempt sets one request aside for the cleanup of its effect, so
/// that the cap never stands in the way of cleaning up.
#[derive(Debug)]
pub struct Pace {
    cap: u64,
    reserve_per_attempt: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    sent: u64,
    reserved: u64,
}

/// The cap of `--max-requests` is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapReached;

impl Pace {
    /// A pace with a cap on all requests together. `cleans_up` tells whether effects will be removed.
    pub fn new(cap: u64, cleans_up: bool) -> Self {
        Self { cap, reserve_per_attempt: u64::from(cleans_up), state: Mutex::default() }
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

    /// Asks to send a cleanup request, which uses up what was set aside.
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

/// How often an attempt that was turned away is sent again.
pub(super) const MOST_RETRIES: u32 = 3;

const DEFAULT_PAUSE: Duration = Duration::from_secs(1);

/// How long the target asks to wait (`Retry-After`, RFC 9110 section 10.2.3): seconds or a date.
pub(super) fn retry_after(response: &Response) -> Duration {
    let Some(written) = response.header("retry-after").map(str::trim) else { return DEFAULT_PAUSE };
    if let Ok(seconds) = written.parse::<u64>() {
        return Duration::from_secs(seconds);
    }
    match httpdate::parse_http_date(written) {
        Ok(date) => date.duration_since(std::time::SystemTime::now()).unwrap_or_default(),
        Err(_) => DEFAULT_PAUSE,
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
    fn a_race_fits_under_the_cap_as_a_whole_or_not_at_all() {
        let pace = Pace::new(7, true);
        assert_eq!(pace.take_attempts(4), Err(CapReached));
        assert_eq!(pace.take_attempts(3), Ok(()));
        assert_eq!(pace.sent(), 3);
        assert_eq!(pace.take_control(), Ok(()));
        assert_eq!(pace.take_attempts(1), Err(CapReached));
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let answer = |value: &str| Response {
            status: 503,
            headers: vec![("retry-after".into(), value.into())],
            ..Response::default()
        };
        assert_eq!(retry_after(&answer("7")), Duration::from_secs(7));
        assert_eq!(retry_after(&answer("Sun, 06 Nov 1994 08:49:37 GMT")), Duration::ZERO);
        assert!(retry_after(&answer("Fri, 06 Nov 2099 08:49:37 GMT")) > Duration::from_secs(3600));
        assert_eq!(retry_after(&answer("soon")), DEFAULT_PAUSE);
    }
}
