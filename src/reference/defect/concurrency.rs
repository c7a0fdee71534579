//! What goes wrong while a request is being carried out: with copies of it, and when its client goes away.

use super::{Entry, FailureClass};
use crate::contract::{Matcher, Period, Requirement, Situation, Treatment};
use crate::reference::disposition::Disposition;
use crate::reference::policy::{Claiming, Departure, Memory, Policy, Survivor};
use crate::reference::record::Progress;

pub(super) const CHECK_THEN_ACT: Entry = Entry {
    id: "check-then-act",
    title: "the key is looked up first and claimed a while later",
    explanation: "The handler asks whether the key is known, and writes it only afterwards, without a unique index or a \
                  lock to stop a second writer. Duplicates that arrive inside the window all find nothing, and all \
                  execute. The value is the window: `check-then-act=20ms`; with 0 the two steps are one.",
    class: FailureClass::ConcurrentCopies,
    breaks: |_| {},
    expected: &[Requirement::ReplaySingleEffect, Requirement::ConflictInFlight],
};

/// The window is the value of the defect.
pub(super) fn check_then_act(policy: &mut Policy, window: Period) {
    policy.claiming = Claiming::Later(window.duration());
}

pub(super) const RECORD_AT_THE_END: Entry = Entry {
    id: "record-at-the-end",
    title: "a key is written down when its request is over",
    explanation: "The middleware looks the key up, runs the handler and stores the answer: nothing says that the key is \
                  in use in between. Whoever tries again before the end, as clients do that have run into their time \
                  limit, executes as well.",
    class: FailureClass::ConcurrentCopies,
    breaks: |policy| policy.claiming = Claiming::AtTheEnd,
    expected: &[
        Requirement::ReplaySingleEffect,
        Requirement::ReplayAfterLostExecution,
        Requirement::ConflictInFlight,
        Requirement::ConflictInFlightChanged,
    ],
};

pub(super) const LEASE_STOLEN: Entry = Entry {
    id: "lease-stolen",
    title: "a key is free again after a while, although its request still runs",
    explanation: "The mark that a key is in use has a time to live, so that a crash does not leave it behind, and that is \
                  shorter than the slowest request. A duplicate that arrives later finds the key free and executes \
                  beside the original. The value is the time to live: `lease-stolen=100ms`.",
    class: FailureClass::LeaseStolen,
    breaks: |_| {},
    expected: &[Requirement::ReplaySingleEffect, Requirement::ConflictInFlight],
};

/// The time to live is the value of the defect.
pub(super) fn lease_stolen(policy: &mut Policy, lease: Period) {
    policy.lease_is_over = Box::new(move |record, now| {
        matches!(record.progress, Progress::InFlight { .. }) && now.saturating_sub(record.created) >= lease.duration()
    });
}

pub(super) const IN_FLIGHT_OVERWRITES: Entry = Entry {
    id: "in-flight-overwrites",
    title: "the refusal of a copy in flight is stored as the outcome",
    explanation: "A duplicate that comes while the first request runs is refused as it should be, but the refusal passes \
                  through the code that stores answers. The first request ends well and finds its record taken: from \
                  then on everybody is told to wait for it.",
    class: FailureClass::NeverSettles,
    breaks: |policy| {
        let sound = std::mem::replace(&mut policy.survivor, Box::new(|_| Survivor::Original));
        policy.survivor = Box::new(move |situation| match situation {
            Situation::InFlight => Survivor::Intruder,
            _ => sound(situation),
        });
    },
    expected: &[Requirement::ReplaySettles],
};

pub(super) const IN_FLIGHT_CRASHES: Entry = Entry {
    id: "in-flight-crashes",
    title: "a copy in flight draws a server error",
    explanation: "A unique index keeps the second copy out, and nobody catches the error of the database. There is one \
                  effect, and a client that sees a 500 cannot know it.",
    class: FailureClass::WrongAnswer,
    breaks: |policy| answer_in_flight(policy, 500),
    expected: &[Requirement::ReplayNoServerError],
};

pub(super) const IN_FLIGHT_ACCEPTED: Entry = Entry {
    id: "in-flight-accepted",
    title: "a copy in flight is told that all is well",
    explanation: "To a duplicate of a running request the layer says 202 and closes the matter. If the first request \
                  fails afterwards, its client has been told that it did not.",
    class: FailureClass::WrongAnswer,
    breaks: |policy| answer_in_flight(policy, 202),
    expected: &[Requirement::ConflictInFlight],
};

pub(super) const STUCK_AFTER_DISCONNECT: Entry = Entry {
    id: "stuck-after-disconnect",
    title: "a request whose client has gone stays in flight for ever",
    explanation: "The framework cancels the handler when the connection closes, after the key was marked as in use and \
                  before anything was done. Nothing clears the mark, so every retry is told to wait.",
    class: FailureClass::NeverSettles,
    breaks: |policy| policy.on_disconnect = Departure::GiveUpInFlight,
    expected: &[Requirement::ReplayAfterLostExecution, Requirement::ReplaySettles],
};

pub(super) const STUCK_AFTER_HALF_A_REQUEST: Entry = Entry {
    id: "stuck-after-half-a-request",
    title: "a request that breaks off stays in flight for ever",
    explanation: "The key is claimed when the head of a request is read, before its content has come. Where the content \
                  never comes, the handler ends in an error that nobody thought of, and the key stays in use.",
    class: FailureClass::NeverSettles,
    breaks: |policy| policy.on_broken_request = Memory::StayInFlight,
    expected: &[Requirement::ReplayAfterLostRequest, Requirement::ReplaySettles],
};

pub(super) const CANCEL_ON_DISCONNECT: Entry = Entry {
    id: "cancel-on-disconnect",
    title: "a request whose client has gone is forgotten after its effect",
    explanation: "The framework cancels the handler when the connection closes, after the effect was made and before \
                  the record was written. The rollback releases the key, so a retry executes again.",
    class: FailureClass::Disconnect,
    breaks: |policy| policy.on_disconnect = Departure::GiveUpAfterEffect,
    expected: &[Requirement::ReplaySingleEffect, Requirement::ReplayAfterLostExecution],
};

pub(super) const UNRECORDED_AFTER_DISCONNECT: Entry = Entry {
    id: "unrecorded-after-disconnect",
    title: "a request whose client has gone is carried out and never ends",
    explanation: "The work runs on a task of its own, and what writes its outcome down runs in the handler, which ends \
                  with the connection. The effect is there, and every retry is told to wait for it.",
    class: FailureClass::Disconnect,
    breaks: |policy| policy.on_disconnect = Departure::CarryOnUnrecorded,
    expected: &[Requirement::ReplayAfterLostExecution, Requirement::ReplaySettles],
};

pub(super) const EMPTY_SUCCESS_AFTER_DISCONNECT: Entry = Entry {
    id: "empty-success-after-disconnect",
    title: "a request whose client has gone is stored as a success without content",
    explanation: "The handler is cancelled, and the layer around it stores what it has of an answer by then: the default \
                  status and nothing else. The retry is told that all is well, although nothing was done.",
    class: FailureClass::Disconnect,
    breaks: |policy| policy.on_disconnect = Departure::StoreEmptySuccess,
    expected: &[Requirement::ReplayAfterLostExecution],
};

/// Answers copies that come while the first request runs with a status, whatever the contract promises them.
fn answer_in_flight(policy: &mut Policy, status: u16) {
    let sound = std::mem::replace(
        &mut policy.on_in_flight,
        Box::new(|_, _, _| Disposition { situation: Situation::InFlight, treatment: Treatment::Executes }),
    );
    policy.on_in_flight = Box::new(move |contract, record, fingerprint| {
        let disposition = sound(contract, record, fingerprint);
        match disposition.situation {
            Situation::InFlight => {
                Disposition { treatment: Treatment::Rejects(Matcher::status(status)), ..disposition }
            }
            _ => disposition,
        }
    });
}
