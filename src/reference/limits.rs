//! What stands in front of the key store, and how much that store has room for: requests that are turned away before
//! anybody looks at them, the rate limit, and the records that make room for others.

use super::answer::Answer;
use super::interpreter::{Interpreter, Reply, Step};
use super::policy::{Admission, Memory, Submission};
use super::record::{Outcome, OutcomeKind, Progress, Record};
use super::state::State;

/// The limits that the server has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Limits {
    /// What costs a token of the rate limit.
    pub(super) cost: Cost,
    /// For how many keys of one customer, told by the reference, the store has room. `None` for as many as there are.
    pub(super) room: Option<usize>,
}

/// What costs a token of the rate limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Cost {
    /// Every execution.
    #[default]
    Execution,
    /// Every request.
    Request,
}

impl State {
    /// Takes a token of the rate limit, if there is one.
    pub(super) fn take_token(&mut self) -> bool {
        match &mut self.tokens {
            None => true,
            Some(0) => false,
            Some(left) => {
                *left -= 1;
                true
            }
        }
    }
}

impl Interpreter {
    /// Limits how many more requests are carried out, or lifts that limit.
    pub(super) fn limit(&self, requests: Option<u64>) {
        self.state().tokens = requests;
    }

    /// Turns a request away, whatever is known of its key. Nothing is kept of that unless the policy says so.
    pub(super) fn turn_away(&self, state: &mut State, submission: &Submission, answer: Answer) -> Step {
        let outcome = Outcome::without_effect(OutcomeKind::TurnedAway, answer.clone());
        let memory = (self.policy.after_outcome)(&self.contract, &outcome);
        if memory != Memory::Release
            && let Admission::Protected(key) = (self.policy.admit_key)(&self.contract, submission)
        {
            let place = self.place(&key, submission);
            let relate = |record: &Record| (self.policy.relate)(record, submission);
            let known = state.books.records.find(&place.name, &place.fingerprint, relate).is_some();
            match memory {
                Memory::Keep if !known => {
                    self.remember(state, submission, place, Progress::Finished { outcome, at: self.clock.now() });
                }
                Memory::StayInFlight if !known => self.remember_in_flight(state, submission, place),
                Memory::Keep | Memory::StayInFlight | Memory::Release => {}
            }
        }
        Step::Answer(Reply { answer, note: "turned away".to_owned(), looked_up_after: None, lost: false })
    }

    /// Forgets the oldest records of a customer where there is room for some only.
    pub(super) fn make_room(&self, state: &mut State, submission: &Submission, name: &str) {
        let customer = submission.request.as_ref().ok().and_then(|request| request.reference.clone());
        let (Some(room), Some(customer)) = (self.policy.limits.room, customer) else {
            return;
        };
        let latest = state.latest_of.entry(customer).or_default();
        latest.retain(|known| known != name);
        latest.push_back(name.to_owned());
        while latest.len() > room {
            let oldest = latest.pop_front().unwrap_or_default();
            state.books.records.remove(&oldest, |_| true);
        }
    }
}

/// The answer where no token is left.
pub(super) fn reached() -> Answer {
    Answer::busy(429, "the limit is reached; nothing was done")
}
