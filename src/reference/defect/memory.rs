//! Outcomes that are kept although they should not be, or not kept although they should; and for how long.

use super::{Entry, FailureClass};
use crate::contract::{Matcher, Requirement, Situation, Treatment};
use crate::reference::disposition::Disposition;
use crate::reference::policy::{Hour, Memory, Policy, age};
use crate::reference::record::{Outcome, OutcomeKind, Record};

pub(super) const CACHE_SUCCESS_ONLY: Entry = Entry {
    id: "cache-success-only",
    title: "only successes are remembered",
    explanation: "The middleware stores an answer when its status is a 2xx and releases the key otherwise. A declined \
                  request is tried again behind the client's back, and one that crashed after its effect has a second \
                  one.",
    class: FailureClass::NotAtomic,
    breaks: |policy| {
        remember(policy, |outcome| match outcome.kind {
            OutcomeKind::Success => None,
            OutcomeKind::ValidationFailure
            | OutcomeKind::Failure
            | OutcomeKind::ServerError
            | OutcomeKind::TurnedAway => Some(Memory::Release),
        });
    },
    expected: &[
        Requirement::ReplaySingleEffect,
        Requirement::ReplayAfterFailure,
        Requirement::ReplayAfterServerError,
        Requirement::ConflictChangedParameters,
    ],
};

pub(super) const RELEASE_AFTER_CRASH: Entry = Entry {
    id: "release-after-crash",
    title: "a crash releases the key although it came after the effect",
    explanation: "The handler that catches exceptions rolls the record back and cannot roll back what another service \
                  has done by then. Refusals are remembered as they should be; a crash has a second effect.",
    class: FailureClass::NotAtomic,
    breaks: |policy| {
        remember(policy, |outcome| match outcome.kind {
            OutcomeKind::ServerError => Some(Memory::Release),
            OutcomeKind::Success | OutcomeKind::ValidationFailure | OutcomeKind::Failure | OutcomeKind::TurnedAway => {
                None
            }
        });
    },
    expected: &[
        Requirement::ReplaySingleEffect,
        Requirement::ReplayAfterServerError,
        Requirement::ConflictChangedParameters,
    ],
};

pub(super) const BURN_KEY_ON_VALIDATION_FAILURE: Entry = Entry {
    id: "burn-key-on-validation-failure",
    title: "a refused request uses its key up",
    explanation: "The key is bound to the parameters before they are validated, and the refusal is stored. The client \
                  that corrects its request and sends it again under the same key is told that the key was reused.",
    class: FailureClass::FrozenError,
    breaks: |policy| {
        remember(policy, |outcome| match outcome.kind {
            OutcomeKind::ValidationFailure => Some(Memory::Keep),
            OutcomeKind::Success | OutcomeKind::Failure | OutcomeKind::ServerError | OutcomeKind::TurnedAway => None,
        });
    },
    expected: &[Requirement::ReplayAfterValidationFailure],
};

pub(super) const IN_FLIGHT_FOR_EVER: Entry = Entry {
    id: "in-flight-for-ever",
    title: "a request that does not succeed stays in flight for ever",
    explanation: "The mark that a key is in use is cleared where the answer of a success is stored, and nowhere else. \
                  After an exception or a business refusal every repeat is told to wait, although nothing is running. \
                  The client need not go away for it, and has even seen the first answer.",
    class: FailureClass::NeverSettles,
    breaks: |policy| {
        // A refusal before execution is none of these: the key is marked as in use when execution begins.
        remember(policy, |outcome| match outcome.kind {
            OutcomeKind::Failure | OutcomeKind::ServerError => Some(Memory::StayInFlight),
            OutcomeKind::Success | OutcomeKind::ValidationFailure | OutcomeKind::TurnedAway => None,
        });
    },
    expected: &[Requirement::ReplaySettles],
};

pub(super) const STUCK_AFTER_REFUSAL: Entry = Entry {
    id: "stuck-after-refusal",
    title: "a request that is refused before execution stays in flight for ever",
    explanation: "The key is marked as in use before the parameters are validated, and a refusal leaves by another door \
                  than the one where the mark is cleared. The corrected request is told to wait for the refused one.",
    class: FailureClass::NeverSettles,
    breaks: |policy| {
        remember(policy, |outcome| match outcome.kind {
            OutcomeKind::ValidationFailure => Some(Memory::StayInFlight),
            OutcomeKind::Success | OutcomeKind::Failure | OutcomeKind::ServerError | OutcomeKind::TurnedAway => None,
        });
    },
    expected: &[Requirement::ReplaySettles],
};

pub(super) const REPLAY_ONCE: Entry = Entry {
    id: "replay-once",
    title: "a record serves one repeat and is gone",
    explanation: "The record is taken out of the store when it is read, or overwritten by the call that reads it, so that \
                  only the last call is remembered. One retry is safe and the next one executes.",
    class: FailureClass::Retention,
    breaks: |policy| policy.after_replay = Memory::Release,
    expected: &[
        Requirement::KeyLongest,
        Requirement::RetentionKept,
        Requirement::ReplaySingleEffect,
        Requirement::ReplayRateLimited,
        Requirement::ReplayAfterSuccess,
        Requirement::ReplayAfterFailure,
        Requirement::ReplayAfterServerError,
        Requirement::ReplayAfterLostExecution,
        Requirement::ReplayAfterLostResponse,
        Requirement::ConflictChangedParameters,
        Requirement::ConflictOriginalSurvives,
        Requirement::ScopeReplicas,
    ],
};

pub(super) const EXPIRE_EARLY: Entry = Entry {
    id: "expire-early",
    title: "keys are forgotten after half of the promised time",
    explanation: "The documents say a day, and the entry's time to live says something else, or the cache evicts what \
                  has not been used for a while. A client that retries within the promised time acts twice.",
    class: FailureClass::Retention,
    breaks: |policy| {
        policy.is_expired = Box::new(|contract, record, hour| {
            age(contract, record, *hour).is_some_and(|(age, retention)| age >= retention / 2)
        });
    },
    expected: &[Requirement::RetentionKept, Requirement::ReplaySingleEffect],
};

pub(super) const NEVER_EXPIRE: Entry = Entry {
    id: "never-expire",
    title: "keys are remembered for ever",
    explanation: "The record has no time to live, or the job that sweeps the table does not run. A client that may use \
                  its key again, because the documents say when, gets an answer from long ago.",
    class: FailureClass::Retention,
    breaks: |policy| policy.is_expired = Box::new(|_, _, _| false),
    expected: &[Requirement::RetentionExpired],
};

pub(super) const EXPIRE_BY_LAST_USE: Entry = Entry {
    id: "expire-by-last-use",
    title: "every use of a key makes it live longer",
    explanation: "The time to live is set anew whenever the record is read, as caches do, and the documents count from \
                  the first use. A client that asks now and then never gets its key back.",
    class: FailureClass::Retention,
    breaks: |policy| {
        policy.is_expired = Box::new(|contract, record, hour| {
            let last_used_first = Record { created: record.last_used, ..record.clone() };
            age(contract, &last_used_first, *hour).is_some_and(|(age, retention)| age >= retention)
        });
    },
    expected: &[Requirement::RetentionExpired],
};

pub(super) const EXPIRE_WHILE_IN_USE: Entry = Entry {
    id: "expire-while-in-use",
    title: "a key's time runs out although its resource lives",
    explanation: "The documents keep a key for as long as there is what it made, and for some time after that; the entry's \
                  time to live was set when it was written and knows nothing of the resource. A client that repeats \
                  itself while its order is open has a second one.",
    class: FailureClass::Retention,
    breaks: |policy| {
        policy.is_expired = Box::new(|contract, record, hour| {
            let from_first_use = Hour { resource_end: Some(record.created), ..*hour };
            age(contract, record, from_first_use).is_some_and(|(age, retention)| age >= retention)
        });
    },
    expected: &[Requirement::RetentionKept, Requirement::ReplaySingleEffect],
};

pub(super) const EXPIRED_IS_AN_ERROR: Entry = Entry {
    id: "expired-is-an-error",
    title: "an expired key is refused for ever",
    explanation: "The record is emptied when its time is over, and its row stays, so that the key is neither known nor \
                  free. The documents say that it can be used again.",
    class: FailureClass::Retention,
    breaks: |policy| {
        let sound = std::mem::replace(
            &mut policy.elsewhere,
            Box::new(|_, situation| Disposition { situation: *situation, treatment: Treatment::Executes }),
        );
        policy.elsewhere = Box::new(move |contract, situation| match situation {
            Situation::Expired => {
                Disposition { situation: *situation, treatment: Treatment::Rejects(Matcher::status(410)) }
            }
            _ => sound(contract, situation),
        });
    },
    expected: &[Requirement::RetentionExpired],
};

/// Replaces what becomes of some outcomes.
pub(super) fn remember(policy: &mut Policy, instead: impl Fn(&Outcome) -> Option<Memory> + Send + Sync + 'static) {
    let sound = std::mem::replace(&mut policy.after_outcome, Box::new(|_, _| Memory::Keep));
    policy.after_outcome =
        Box::new(move |contract, outcome| instead(outcome).unwrap_or_else(|| sound(contract, outcome)));
}
