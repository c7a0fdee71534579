//! What becomes of a key after a request that was not carried out.

use super::parameters::conflict_leaves;
use super::replay::redirect;
use super::{Entry, FailureClass, memory};
use crate::contract::{Requirement, Treatment};
use crate::reference::disposition::Disposition;
use crate::reference::limits::Cost;
use crate::reference::policy::{Memory, Policy, Survivor};
use crate::reference::record::OutcomeKind;

pub(super) const CONFLICT_BREAKS_KEY: Entry = Entry {
    id: "conflict-breaks-key",
    title: "a refused conflict breaks the key",
    explanation: "The conflict is refused as it should be, and the lock on the record that it was compared with is never \
                  given back. Whoever repeats the original request is told to come back later, for ever.",
    class: FailureClass::WrongAnswer,
    breaks: |policy| conflict_leaves(policy, Survivor::Broken),
    expected: &[Requirement::ReplayNoServerError],
};

pub(super) const DENIES_ITS_EFFECT: Entry = Entry {
    id: "denies-its-effect",
    title: "an error after the effect says that nothing was done",
    explanation: "One handler at the edge writes \"not executed\" on every error, also on one that was thrown when the order \
                  stood already. A client that believes it starts over with a new key.",
    class: FailureClass::NotAtomic,
    breaks: |policy| {
        let sound = std::mem::replace(&mut policy.first_answer, Box::new(|_, answer| answer.clone()));
        policy.first_answer = Box::new(move |contract, answer| match contract.not_executed() {
            Some((matcher, _, _)) if answer.status >= 500 => sound(contract, answer).fitting(matcher, None),
            Some(_) | None => sound(contract, answer),
        });
    },
    expected: &[Requirement::ReplayNotExecuted],
};

pub(super) const FROZEN_401: Entry = Entry {
    id: "frozen-401",
    title: "a 401 is kept under its key",
    explanation: "The layer that stores answers stands in front of the one that checks tokens. A client whose token has \
                  expired gets a new one, repeats its request, and is told that its token has expired.",
    class: FailureClass::FrozenError,
    breaks: |policy| freeze(policy, 401),
    expected: &[Requirement::ReplayAfterTurningAway],
};

pub(super) const FROZEN_429: Entry = Entry {
    id: "frozen-429",
    title: "a 429 is kept under its key",
    explanation: "The rate limiter is part of the handler whose answers are stored. A client that waits as long as it was \
                  asked to, and comes back, is told to wait, until its key expires.",
    class: FailureClass::FrozenError,
    breaks: |policy| freeze(policy, 429),
    expected: &[Requirement::ReplayAfterTurningAway],
};

pub(super) const FROZEN_503: Entry = Entry {
    id: "frozen-503",
    title: "a 503 is kept under its key",
    explanation: "A service behind the API was restarted, and the answer that says so is stored like any other. The outage \
                  lasts a second, and for the requests that fell into it a day.",
    class: FailureClass::FrozenError,
    breaks: |policy| freeze(policy, 503),
    expected: &[Requirement::ReplayAfterTurningAway],
};

pub(super) const STUCK_AFTER_TURNING_AWAY: Entry = Entry {
    id: "stuck-after-turning-away",
    title: "a request that is turned away stays in flight for ever",
    explanation: "The key is marked as in use before tokens and limits are checked, and whoever is turned away there leaves \
                  the mark behind. The repeat is told to wait for something that never began.",
    class: FailureClass::NeverSettles,
    breaks: |policy| {
        memory::remember(policy, |outcome| (outcome.kind == OutcomeKind::TurnedAway).then_some(Memory::StayInFlight));
    },
    expected: &[Requirement::ReplaySettles],
};

pub(super) const REPLAY_COSTS_A_TOKEN: Entry = Entry {
    id: "replay-costs-a-token",
    title: "a replay costs a token of the rate limit",
    explanation: "The rate limiter stands in front of the key store and counts every request. A client whose last token went \
                  into a request whose answer was lost cannot learn what became of it.",
    class: FailureClass::CheckedBefore,
    breaks: |policy| policy.limits.cost = Cost::Request,
    expected: &[Requirement::ReplayRateLimited],
};

pub(super) const LAST_KEY_ONLY: Entry = Entry {
    id: "last-key-only",
    title: "only the last key of a customer is remembered",
    explanation: "The key is a column of the customer's own row, so that the next key takes its place. As long as one \
                  request is repeated at once, all is well; whoever has two under way acts twice.",
    class: FailureClass::Retention,
    breaks: |policy| policy.limits.room = Some(1),
    expected: &[
        Requirement::KeyLongest,
        Requirement::RetentionKept,
        Requirement::ReplaySingleEffect,
        Requirement::ReplayAfterSuccess,
        Requirement::ReplayAfterLostResponse,
        Requirement::ConflictChangedParameters,
        Requirement::ConflictOriginalSurvives,
    ],
};

/// How many keys of one customer `forgotten-under-pressure` has room for.
const ROOM: usize = 16;

pub(super) const FORGOTTEN_UNDER_PRESSURE: Entry = Entry {
    id: "forgotten-under-pressure",
    title: "a key is forgotten once many others were used",
    explanation: "Records are kept in a cache of a fixed size, and the oldest make room for the newest long before their \
                  time is over. What was tested on a quiet afternoon does not hold on a busy morning.",
    class: FailureClass::Retention,
    breaks: |policy| policy.limits.room = Some(ROOM),
    expected: &[Requirement::RetentionKept, Requirement::ReplaySingleEffect],
};

pub(super) const REPLAY_WITH_COOKIE: Entry = Entry {
    id: "replay-with-cookie",
    title: "a replay sets the cookie of the first answer again",
    explanation: "The answer is stored as it left the server, with all its header fields. Whoever repeats the request is given \
                  the session of whoever sent it first.",
    class: FailureClass::UnfaithfulReplay,
    breaks: |policy| {
        let sound = std::mem::replace(&mut policy.replay, Box::new(|_, first| first.clone()));
        policy.replay = Box::new(move |contract, first| {
            let cookies = first.headers.iter().filter(|(name, _)| name == "set-cookie");
            let again = sound(contract, first).without_header("set-cookie");
            cookies.fold(again, |again, (name, value)| again.with_header(name, value))
        });
    },
    expected: &[Requirement::ReplayFidelity],
};

pub(super) const STALE_REPLAY: Entry = Entry {
    id: "stale-replay",
    title: "a repeat that is promised the current state gets the first answer",
    explanation: "The documents say that a repeat shows the resource as it is, and a cache in front of the handler repeats \
                  what it was. A client goes on with an order that has been changed since. Under a contract that promises \
                  the first answer it breaks nothing.",
    class: FailureClass::AfterChange,
    breaks: |policy| {
        redirect(policy, |_, _, _, disposition| match disposition.treatment {
            Treatment::Refreshes => Disposition { treatment: Treatment::Replays, ..disposition },
            Treatment::Executes | Treatment::Replays | Treatment::Rejects(_) => disposition,
        });
    },
    expected: &[Requirement::ReplayAfterChange],
};

/// Keeps what turned a request away with this status, and repeats it.
fn freeze(policy: &mut Policy, status: u16) {
    memory::remember(policy, move |outcome| {
        (outcome.kind == OutcomeKind::TurnedAway && outcome.answer.status == status).then_some(Memory::Keep)
    });
    redirect(policy, |_, outcome, _, disposition| match outcome.kind {
        OutcomeKind::TurnedAway => Disposition { treatment: Treatment::Replays, ..disposition },
        OutcomeKind::Success | OutcomeKind::ValidationFailure | OutcomeKind::Failure | OutcomeKind::ServerError => {
            disposition
        }
    });
}
