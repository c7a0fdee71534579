//! The clock that retention is counted by. It can be moved forwards, so that a day passes in an instant.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A point in time: the distance from the start of the server, or from when its books were begun, as its clock shows it.
pub(super) type Moment = Duration;

/// The last second that a `Date` field can tell, at the end of the year 9999, counted from 1970.
const LAST_SECOND: Duration = Duration::from_secs(253_402_300_799);

/// A clock that runs on its own and can be moved forwards.
#[derive(Debug)]
pub(super) struct Clock {
    /// The time that it showed when it was started.
    showed: Duration,
    started: Instant,
    moved: Mutex<Duration>,
}

impl Clock {
    /// A clock that starts now.
    pub(super) fn new() -> Self {
        Self::resumed(Duration::ZERO, Duration::ZERO)
    }

    /// A clock that was started so long ago, in another process, and was moved so far since.
    pub(super) fn resumed(age: Duration, moved: Duration) -> Self {
        Self { showed: age, started: Instant::now(), moved: Mutex::new(moved) }
    }

    /// What the clock shows.
    pub(super) fn now(&self) -> Moment {
        self.started.elapsed().saturating_add(self.showed).saturating_add(self.moved())
    }

    /// What the clock shows, as a date. It is the date of the machine, moved forwards as far as the clock was.
    pub(super) fn date(&self) -> SystemTime {
        let date = UNIX_EPOCH.elapsed().unwrap_or_default().saturating_add(self.moved()).min(LAST_SECOND);
        UNIX_EPOCH.checked_add(date).unwrap_or(UNIX_EPOCH)
    }

    /// Moves the clock forwards.
    pub(super) fn advance(&self, by: Duration) {
        let mut moved = self.moved.lock().unwrap_or_else(PoisonError::into_inner);
        *moved = moved.saturating_add(by);
    }

    /// How far it was moved.
    pub(super) fn moved(&self) -> Duration {
        *self.moved.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_date_moves_with_the_clock_and_stays_a_date() {
        let clock = Clock::new();
        let (moment, date) = (clock.now(), clock.date());
        clock.advance(Duration::from_secs(90_000));
        assert!(clock.now() - moment >= Duration::from_secs(90_000));
        let moved = clock.date().duration_since(date).unwrap();
        assert!((90_000..90_060).contains(&moved.as_secs()), "{moved:?}");
        clock.advance(Duration::MAX);
        assert_eq!(clock.now(), Duration::MAX);
        assert_eq!(httpdate::fmt_http_date(clock.date()), "Fri, 31 Dec 9999 23:59:59 GMT");
    }
}
