//! Trouble for clients to be tested by: answers that are lost, and errors that come before anything is done.
//!
//! None of it breaks the contract. A client that keeps its half acts once, whatever it meets here.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::Response;
use axum::http::header::RETRY_AFTER;
use hyper::body::Frame;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::answer::Answer;

/// The trouble that a client is to meet. It concerns requests to operations alone: lists, hooks and the clock are left in
/// peace.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Trouble {
    /// So many requests are carried out, and their answers lost: the connection is closed instead.
    pub lose_first: u64,
    /// The share of requests, from 0 to 1, that get a 500 or a 503 instead of being carried out.
    pub error_rate: f64,
    /// What decides which requests these are, in the order in which they come.
    pub seed: u64,
}

/// What is left of the trouble.
#[derive(Debug)]
pub(super) struct Ahead {
    error_rate: f64,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    to_lose: u64,
    random: StdRng,
}

impl Ahead {
    /// All of it.
    pub(super) fn new(trouble: Trouble) -> Self {
        let state = State { to_lose: trouble.lose_first, random: StdRng::seed_from_u64(trouble.seed) };
        Self { error_rate: trouble.error_rate, state: Mutex::new(state) }
    }

    /// What a request gets instead of being carried out, if it is one of those.
    pub(super) fn error(&self) -> Option<Answer> {
        if self.error_rate <= 0.0 {
            return None;
        }
        let mut state = self.state();
        let (drawn, busy): (f64, bool) = (state.random.random(), state.random.random());
        (drawn < self.error_rate).then(|| match busy {
            true => Answer::error(503, "busy; nothing was done").with_header(RETRY_AFTER.as_str(), "1"),
            false => Answer::error(500, "internal error; nothing was done"),
        })
    }

    /// Whether the answer to a request that was carried out is to be lost.
    pub(super) fn loses(&self) -> bool {
        let mut state = self.state();
        let loses = state.to_lose > 0;
        state.to_lose -= u64::from(loses);
        loses
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An answer of which nothing arrives: its content fails before its head is written out, and with it the connection, or
/// the stream where there are several on one connection.
pub(super) fn lost() -> Response<Body> {
    Response::new(Body::new(Broken))
}

/// Content that fails at once.
struct Broken;

impl HttpBody for Broken {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        std::task::Poll::Ready(Some(Err(io::Error::other("the answer is lost"))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(trouble: Trouble) -> Vec<Option<u16>> {
        let ahead = Ahead::new(trouble);
        (0..200).map(|_| ahead.error().map(|answer| answer.status)).collect()
    }

    #[test]
    fn the_same_seed_brings_the_same_errors() {
        let some = Trouble { error_rate: 0.5, seed: 7, ..Trouble::default() };
        assert_eq!(drawn(some), drawn(some));
        assert_ne!(drawn(some), drawn(Trouble { seed: 8, ..some }));
        for expected in [None, Some(500), Some(503)] {
            assert!(drawn(some).contains(&expected), "{expected:?}");
        }
        assert!(drawn(Trouble { error_rate: 0.0, ..some }).iter().all(Option::is_none));
        assert!(drawn(Trouble { error_rate: 1.0, ..some }).iter().all(Option::is_some));
    }

    #[test]
    fn only_the_first_answers_are_lost() {
        let ahead = Ahead::new(Trouble { lose_first: 2, ..Trouble::default() });
        assert_eq!([ahead.loses(), ahead.loses(), ahead.loses()], [true, true, false]);
    }
}
