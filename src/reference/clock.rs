//! The clock that retention is counted by. It can be moved forwards, so that a day passes in an instant.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A point in time: the distance from the start of the server, as its clock shows it.
pub(super) type Moment = Duration;

/// A clock that runs on its own and can be moved forwards.
#[derive(Debug)]
pub(super) struct Clock {
    started: Instant,
    moved: Mutex<Duration>,
}

impl Clock {
    /// A clock that starts now.
    pub(super) fn new() -> Self {
        Self { started: Instant::now(), moved: Mutex::new(Duration::ZERO) }
    }

    /// What the clock shows.
    pub(super) fn now(&self) -> Moment {
        self.started.elapsed().saturating_add(*self.moved.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Moves the clock forwards.
    pub(super) fn advance(&self, by: Duration) {
        let mut moved = self.moved.lock().unwrap_or_else(PoisonError::into_inner);
        *moved = moved.saturating_add(by);
    }
}
