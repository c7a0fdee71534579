//! Repeats that are recognised, and answered with something else than the first answer.

use axum::http::header::{CONTENT_TYPE, LOCATION, RETRY_AFTER};
use bytes::Bytes;
use serde_json::Value;

use super::{Entry, FailureClass};
use crate::contract::{Contract, Expected, Matcher, Requirement, Situation, Treatment};
use crate::reference::answer::Answer;
use crate::reference::book::Book;
use crate::reference::disposition::Disposition;
use crate::reference::policy::{Policy, changed_parameters};
use crate::reference::record::Outcome;

pub(super) const REPLAY_WITHOUT_MARKER: Entry = Entry {
    id: "replay-without-marker",
    title: "a replay looks like a first answer",
    explanation: "The stored answer is sent as it is, without the header field that the documents promise; or a proxy on \
                  the way takes it off. A client cannot tell whether its request was carried out now or before.",
    class: FailureClass::UnfaithfulReplay,
    breaks: |policy| {
        reword(policy, |contract, answer| match contract.marker() {
            Some((marker, _, _)) => answer.without_header(&marker.header),
            None => answer,
        });
    },
    expected: &[Requirement::ReplayMarker],
};

pub(super) const MARKER_ON_EVERYTHING: Entry = Entry {
    id: "marker-on-everything",
    title: "a first answer looks like a replay",
    explanation: "The marker says that the layer was passed, not that it found something: it stands on every answer to a \
                  request with a key. A client that trusts it takes its own action for an old one.",
    class: FailureClass::UnfaithfulReplay,
    breaks: |policy| {
        policy.first_answer = Box::new(|contract, answer| match contract.marker() {
            Some((marker, _, _)) => {
                let value = marker.equals.as_ref().and_then(Value::as_str).unwrap_or("true");
                answer.clone().with_header(&marker.header, value)
            }
            None => answer.clone(),
        });
    },
    expected: &[Requirement::ReplayMarker],
};

pub(super) const REPLAY_AS_200: Entry = Entry {
    id: "replay-as-200",
    title: "every replay has the status 200",
    explanation: "The record holds the body of the first answer and not its status, so the framework's default is sent. \
                  A client that looks at the status takes a stored refusal for a success.",
    class: FailureClass::UnfaithfulReplay,
    breaks: |policy| {
        reword(policy, |_, answer| Answer { status: 200, ..answer });
        let sound = std::mem::replace(&mut policy.refresh, Box::new(|_, current| current.clone()));
        policy.refresh = Box::new(move |contract, current| Answer { status: 200, ..sound(contract, current) });
    },
    expected: &[Requirement::ReplayFidelity],
};

pub(super) const REPLAY_AS_TEXT: Entry = Entry {
    id: "replay-as-text",
    title: "a replay has lost its content type",
    explanation: "The record holds the body of the first answer as text and not what kind of content it is, so the \
                  framework guesses. A client that goes by the content type cannot read what it gets.",
    class: FailureClass::UnfaithfulReplay,
    breaks: |policy| {
        reword(policy, |_, answer| {
            answer.without_header(CONTENT_TYPE.as_str()).with_header(CONTENT_TYPE.as_str(), "text/plain")
        });
    },
    expected: &[Requirement::ReplayFidelity],
};

pub(super) const REPLAY_WITHOUT_LOCATION: Entry = Entry {
    id: "replay-without-location",
    title: "a replay has lost the header fields that the handler set",
    explanation: "Status, content and content type are stored, and what else the handler said is not. A client that goes \
                  where `Location` points works until the first time that it has to try again.",
    class: FailureClass::UnfaithfulReplay,
    breaks: |policy| reword(policy, |_, answer| answer.without_header(LOCATION.as_str())),
    expected: &[Requirement::ReplayFidelity],
};

pub(super) const REPLAY_RESERIALISED: Entry = Entry {
    id: "replay-reserialised",
    title: "a replay is written anew and looks different",
    explanation: "The record holds the content as JSON in a column that orders members by itself, and it is serialised \
                  again when it is sent. A signature or a checksum over the first answer does not fit the second.",
    class: FailureClass::UnfaithfulReplay,
    breaks: |policy| {
        reword(policy, |_, answer| match serde_json::from_slice::<Value>(&answer.body) {
            Ok(mut content) => {
                content.sort_all_objects();
                Answer { body: Bytes::from(format!("{content:#}")), ..answer }
            }
            Err(_) => answer,
        });
    },
    expected: &[Requirement::ReplayFidelity],
};

pub(super) const REPLAY_EMPTY: Entry = Entry {
    id: "replay-empty",
    title: "a replay has no content",
    explanation: "The status is stored, and the body was a stream that nobody could read twice. A client that needs the \
                  number of what it made never gets it.",
    class: FailureClass::UnfaithfulReplay,
    breaks: |policy| reword(policy, |_, answer| Answer { body: Bytes::new(), ..answer }),
    expected: &[
        Requirement::KeyLongest,
        Requirement::RetentionKept,
        Requirement::ReplayAfterSuccess,
        Requirement::ReplayAfterLostExecution,
        Requirement::ReplayAfterLostResponse,
        Requirement::ReplayFidelity,
        Requirement::ReplayAfterChange,
        Requirement::ConflictOriginalSurvives,
        Requirement::ConflictEquivalentParameters,
        Requirement::ScopeReplicas,
    ],
};

pub(super) const CRASH_BECOMES_SUCCESS: Entry = Entry {
    id: "crash-becomes-success",
    title: "the repeat of a crash is told that all is well",
    explanation: "The record of a crashed request is there and holds no answer, and what sends stored answers takes its \
                  default for it: 200, and an empty object.",
    class: FailureClass::UnfaithfulReplay,
    breaks: |policy| {
        reword(policy, |_, answer| match answer.status {
            500.. => Answer { status: 200, body: Bytes::from_static(b"{}"), ..answer },
            _ => answer,
        });
    },
    expected: &[Requirement::ReplayAfterServerError],
};

pub(super) const REPLAY_CURRENT_STATE: Entry = Entry {
    id: "replay-current-state",
    title: "a repeat gets the resource as it is now",
    explanation: "Only the number of what was made is stored, and a repeat reads it from the database. That is a promise \
                  of its own, and not the one that the documents make: the answer changes with the resource.",
    class: FailureClass::AfterChange,
    breaks: |policy| {
        redirect(policy, |_, _, _, disposition| match disposition.treatment {
            Treatment::Replays => Disposition { treatment: Treatment::Refreshes, ..disposition },
            Treatment::Executes | Treatment::Refreshes | Treatment::Rejects(_) => disposition,
        });
    },
    expected: &[Requirement::ReplayFidelity, Requirement::ReplayMarker],
};

pub(super) const RECREATE_DELETED: Entry = Entry {
    id: "recreate-deleted",
    title: "a repeat makes again what was deleted",
    explanation: "A repeat looks whether the resource is there instead of whether the key is known. A late copy of the \
                  request, from a queue or a proxy, brings back what somebody has deleted on purpose.",
    class: FailureClass::AfterChange,
    breaks: |policy| when_deleted(policy, Treatment::Executes),
    expected: &[Requirement::ReplaySingleEffect, Requirement::ReplayAfterChange],
};

pub(super) const DELETED_IS_AN_ERROR: Entry = Entry {
    id: "deleted-is-an-error",
    title: "a repeat is not found once the resource is deleted",
    explanation: "A repeat follows the stored number to the resource and reports what it finds there: nothing. To the \
                  client it looks as if its request had never been carried out.",
    class: FailureClass::AfterChange,
    breaks: |policy| when_deleted(policy, Treatment::Rejects(Matcher::status(404))),
    expected: &[Requirement::ReplayAfterChange],
};

pub(super) const DUPLICATE_CRASHES: Entry = Entry {
    id: "duplicate-crashes",
    title: "a repeat draws a server error",
    explanation: "A unique index stops the second row, and nobody catches the error of the database. There is one effect, \
                  and a client that sees a 500 tries again, for ever.",
    class: FailureClass::WrongAnswer,
    breaks: |policy| reject_duplicates(policy, Matcher::status(500)),
    expected: &[Requirement::ReplayNoServerError, Requirement::ReplayFidelity, Requirement::ReplayMarker],
};

pub(super) const FALSE_CONFLICT: Entry = Entry {
    id: "false-conflict",
    title: "an identical repeat is taken for a conflict",
    explanation: "Something that differs between two attempts is part of the fingerprint: a trace header, the time, the \
                  order of a hash map. Every retry is told that it reused its key.",
    class: FailureClass::WrongAnswer,
    breaks: |policy| redirect(policy, |contract, _, _, _| changed_parameters(contract, None)),
    expected: &[
        Requirement::KeyLongest,
        Requirement::RetentionKept,
        Requirement::ReplayAfterSuccess,
        Requirement::ReplayAfterFailure,
        Requirement::ReplayAfterServerError,
        Requirement::ReplayAfterLostExecution,
        Requirement::ReplayAfterLostResponse,
        Requirement::ReplayAfterChange,
        Requirement::ConflictOriginalSurvives,
        Requirement::ConflictEquivalentParameters,
        Requirement::ScopeReplicas,
    ],
};

pub(super) const RATE_LIMIT_FIRST: Entry = Entry {
    id: "rate-limit-first",
    title: "a repeat counts as a request and is turned away",
    explanation: "The rate limiter stands before the key store and counts by key, or its limit is used up by the first \
                  attempt. A repeat that would cost nothing is told to come later, and never learns what became of the \
                  first.",
    class: FailureClass::CheckedBefore,
    breaks: |policy| {
        let mut turned_away = Matcher::status(429);
        turned_away.header.insert(RETRY_AFTER.to_string(), Expected::Equals(Value::from("0")));
        reject_duplicates(policy, turned_away);
    },
    expected: &[Requirement::ReplayRateLimited],
};

/// Changes how the stored answer looks when it is sent again.
fn reword(policy: &mut Policy, reworded: fn(&Contract, Answer) -> Answer) {
    let sound = std::mem::replace(&mut policy.replay, Box::new(|_, first| first.clone()));
    policy.replay = Box::new(move |contract, first| reworded(contract, sound(contract, first)));
}

/// Changes what a repeat of a finished request gets.
pub(super) fn redirect(
    policy: &mut Policy,
    redirected: impl Fn(&Contract, &Outcome, &Book, Disposition) -> Disposition + Send + Sync + 'static,
) {
    let unused = |_: &Contract, outcome: &Outcome, _: &Book| Disposition {
        situation: outcome.kind.situation(),
        treatment: Treatment::Replays,
    };
    let sound = std::mem::replace(&mut policy.on_duplicate, Box::new(unused));
    policy.on_duplicate =
        Box::new(move |contract, outcome, book| redirected(contract, outcome, book, sound(contract, outcome, book)));
}

fn reject_duplicates(policy: &mut Policy, matcher: Matcher) {
    redirect(policy, move |_, _, _, disposition| Disposition {
        treatment: Treatment::Rejects(matcher.clone()),
        ..disposition
    });
}

fn when_deleted(policy: &mut Policy, treatment: Treatment) {
    redirect(policy, move |_, outcome, book, disposition| match &outcome.made {
        Some(made) if book.deleted(made.number) => {
            Disposition { situation: Situation::AfterChange, treatment: treatment.clone() }
        }
        _ => disposition,
    });
}
