//! The window between a look-up and the claim that follows it, kept to the microsecond.
//!
//! The server has one thread, and timers are good to a millisecond or two. If a claim were made when its task has its
//! turn, every window would grow with the load. So claims that are due are made before anybody looks a key up, whoever
//! does that: what a look-up finds depends on the clock alone.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::execution::Begun;
use super::interpreter::{Claim, Interpreter};
use super::policy::{Admission, Claiming, Submission};
use super::state::State;

/// The windows of a server, by the number of their requests.
#[derive(Default)]
pub(super) struct Windows {
    latest: u64,
    /// Those that are open, in the order in which they close: all are equally long.
    open: VecDeque<Open>,
    /// What became of those that were closed by another request's look-up.
    closed: HashMap<u64, Begun>,
    /// When each key was first looked up, by the name of its record.
    first: HashMap<String, Instant>,
}

impl Windows {
    /// Forgets those that are open: nobody is left to make a claim. Their numbers are not given again.
    pub(super) fn abandon(&mut self) {
        *self = Self { latest: self.latest, ..Self::default() };
    }
}

struct Open {
    number: u64,
    closes: Instant,
    submission: Arc<Submission>,
    claim: Claim,
}

impl Interpreter {
    /// Opens a window: the request claims its key when that has passed.
    pub(super) fn open_window(
        &self,
        state: &mut State,
        submission: &Arc<Submission>,
        claim: Claim,
        closes: Instant,
    ) -> u64 {
        let windows = &mut state.windows;
        windows.latest += 1;
        windows.open.push_back(Open { number: windows.latest, closes, submission: Arc::clone(submission), claim });
        windows.latest
    }

    /// How long ago the key of a request was looked up first, if this server has windows and the request a key.
    pub(super) fn since_first_look_up(
        &self,
        state: &mut State,
        submission: &Submission,
        now: Instant,
    ) -> Option<Duration> {
        let Claiming::Later(_) = self.policy.claiming else { return None };
        let Admission::Protected(key) = (self.policy.admit_key)(&self.contract, submission) else { return None };
        let name = (self.policy.name_record)(&self.contract, &key, submission);
        let first = state.windows.first.entry(name).or_insert(now);
        Some(now - *first)
    }

    /// Makes the claims whose window has passed.
    pub(super) fn close_windows(self: &Arc<Self>, state: &mut State, now: Instant) {
        while state.windows.open.front().is_some_and(|open| open.closes <= now) {
            if let Some(Open { number, submission, claim, .. }) = state.windows.open.pop_front() {
                let begun = self.begin(state, &submission, claim);
                state.windows.closed.insert(number, begun);
            }
        }
    }

    /// Waits for the end of a request's window. Whoever leaves inside of it has claimed nothing.
    pub(super) async fn await_claim(self: &Arc<Self>, number: u64, window: Duration) -> Option<Begun> {
        let stay = Stay { interpreter: self, number };
        tokio::time::sleep(window).await;
        let mut state = self.state();
        self.close_windows(&mut state, Instant::now());
        let begun = state.windows.closed.remove(&number);
        drop(state);
        drop(stay);
        begun
    }
}

/// The stay of a client inside its window.
struct Stay<'i> {
    interpreter: &'i Arc<Interpreter>,
    number: u64,
}

impl Drop for Stay<'_> {
    fn drop(&mut self) {
        let mut state = self.interpreter.state();
        state.windows.open.retain(|open| open.number != self.number);
        let claimed = state.windows.closed.remove(&self.number);
        drop(state);
        if let Some(begun) = claimed {
            self.interpreter.depart(begun.number);
        }
    }
}
