//! Keys that are not taken as the contract has them, and keys that are mistaken for others.

use super::{Entry, FailureClass};
use crate::contract::{Contract, Requirement};
use crate::reference::answer::Answer;
use crate::reference::book::Collection;
use crate::reference::key::{self, Fault};
use crate::reference::policy::{Admission, Policy, Submission, admit_method};

/// How much of a key is left where keys are cut off: enough for every usual key.
const WIDTH_OF_THE_COLUMN: usize = 64;

pub(super) const NO_DEDUP: Entry = Entry {
    id: "no-dedup",
    title: "keys are accepted and ignored",
    explanation: "The endpoint takes the key, and perhaps checks its form, but nothing looks it up: the middleware is \
                  not mounted on this route, or the feature is off in this environment. Every attempt executes.",
    class: FailureClass::NotHonoured,
    breaks: |policy| ignore_keys(policy, |_| true),
    expected: &[
        Requirement::KeyLongest,
        Requirement::RetentionKept,
        Requirement::ReplaySingleEffect,
        Requirement::ReplayRateLimited,
        Requirement::ReplayAfterSuccess,
        Requirement::ReplayAfterFailure,
        Requirement::ReplayAfterServerError,
        Requirement::ReplayAfterLostConnection,
        Requirement::ReplayAfterLostRequest,
        Requirement::ReplayAfterLostExecution,
        Requirement::ReplayAfterLostResponse,
        Requirement::ReplayAfterChange,
        Requirement::ConflictChangedParameters,
        Requirement::ConflictEquivalentParameters,
        Requirement::ConflictInFlight,
        Requirement::ConflictInFlightChanged,
        Requirement::ScopeReplicas,
        Requirement::ScopeStoreUnavailable,
    ],
};

pub(super) const UNPROTECTED_OPERATION: Entry = Entry {
    id: "unprotected-operation",
    title: "one of the operations takes keys and ignores them",
    explanation: "The middleware is mounted route by route, and the route for reservations was added later. The \
                  documents promise keys for every operation, and the first one that anybody tries keeps the promise.",
    class: FailureClass::NotHonoured,
    breaks: |policy| ignore_keys(policy, |submission| submission.collection != Collection::MAIN),
    expected: &[Requirement::ReplaySingleEffect, Requirement::ReplayAfterSuccess],
};

pub(super) const KEY_OPTIONAL: Entry = Entry {
    id: "key-optional",
    title: "a request without a key is carried out",
    explanation: "The documents require a key, and the code asks whether there is one and goes on without it. A client \
                  that loses the header on the way, to a proxy or a typing mistake, works unprotected and never learns.",
    class: FailureClass::NotHonoured,
    breaks: |policy| instead_of(policy, Fault::Missing, |_, _| Admission::Unprotected("no key")),
    expected: &[Requirement::KeyMissing],
};

pub(super) const TRUNCATE_KEY: Entry = Entry {
    id: "truncate-key",
    title: "long keys are cut off before they are compared",
    explanation: "The column is narrower than the longest key that is taken, and the database cuts without a word. Two \
                  keys that begin alike become one, and the second action is never carried out.",
    class: FailureClass::KeyFormat,
    breaks: |policy| spell(policy, |key| key.chars().take(WIDTH_OF_THE_COLUMN).collect()),
    expected: &[Requirement::KeyLongest, Requirement::KeyFresh],
};

pub(super) const FOLD_CASE: Entry = Entry {
    id: "fold-case",
    title: "keys that differ in the case of their letters are one",
    explanation: "The column has a collation that does not tell cases apart, as is usual in some databases. Keys of a \
                  generator that uses both cases collide, rarely, and the second action is never carried out.",
    class: FailureClass::KeyFormat,
    breaks: |policy| spell(policy, str::to_lowercase),
    expected: &[Requirement::KeyFresh],
};

pub(super) const STRIP_WHITE_SPACE: Entry = Entry {
    id: "strip-white-space",
    title: "white space in and around a key does not count",
    explanation: "What cleans the fields of forms cleans keys as well. Spaces around the value of a header field are none \
                  of it, but those in quotes, in a body, or within a key are, and two keys become one.",
    class: FailureClass::KeyFormat,
    breaks: |policy| spell(policy, |key| key.split_whitespace().collect()),
    expected: &[Requirement::KeyFresh],
};

pub(super) const STRIP_QUOTES: Entry = Entry {
    id: "strip-quotes",
    title: "a quoted key and a bare one are the same",
    explanation: "The key is a structured field to one of the libraries on the way and plain text to another, so quotes \
                  are taken off wherever they stand. What the contract calls two keys is one.",
    class: FailureClass::KeyFormat,
    breaks: |policy| spell(policy, |key| key.trim_matches('"').to_owned()),
    expected: &[Requirement::KeyFresh],
};

pub(super) const OVERLONG_UNPROTECTED: Entry = Entry {
    id: "overlong-unprotected",
    title: "a request with an overlong key is carried out without protection",
    explanation: "A key that does not fit the column cannot be stored, the error is logged, and the request goes on: \
                  the layer was meant never to stand in the way. The client believes that it is protected.",
    class: FailureClass::KeyFormat,
    breaks: |policy| instead_of(policy, Fault::Overlong, |_, _| Admission::Unprotected("an overlong key")),
    expected: &[Requirement::KeyOverlong, Requirement::ReplaySingleEffect],
};

pub(super) const OVERLONG_CUT: Entry = Entry {
    id: "overlong-cut",
    title: "an overlong key is cut to the longest length",
    explanation: "Instead of being refused as documented, a key that is too long is cut until it fits. It works, until \
                  two clients put what makes their keys different at the end.",
    class: FailureClass::KeyFormat,
    breaks: |policy| {
        instead_of(policy, Fault::Overlong, |contract, key| {
            let longest = contract.key.as_ref().and_then(|clause| clause.max_length).unwrap_or(key.len());
            Admission::Protected(key.chars().take(longest).collect())
        });
    },
    expected: &[Requirement::KeyOverlong],
};

pub(super) const OVERLONG_CRASHES: Entry = Entry {
    id: "overlong-crashes",
    title: "an overlong key draws a server error",
    explanation: "Nobody checks the length, the database refuses the row, and nobody catches that either. A client that \
                  sees a 500 tries again, with the same key.",
    class: FailureClass::KeyFormat,
    breaks: |policy| {
        instead_of(policy, Fault::Overlong, |_, _| {
            Admission::Refused("an overlong key", Answer::error(500, "internal error"))
        });
    },
    expected: &[Requirement::ReplayNoServerError],
};

pub(super) const EMPTY_IS_A_KEY: Entry = Entry {
    id: "empty-is-a-key",
    title: "the empty key is a key like any other",
    explanation: "The code asks whether the header is there and not whether anything stands in it. Every client whose \
                  variable is not set shares one key with all the others.",
    class: FailureClass::KeyFormat,
    breaks: |policy| instead_of(policy, Fault::Empty, |_, _| Admission::Protected(String::new())),
    expected: &[Requirement::KeyEmpty],
};

pub(super) const MALFORMED_ACCEPTED: Entry = Entry {
    id: "malformed-accepted",
    title: "whatever stands where a key belongs is a key",
    explanation: "The documents say what a key looks like, and nothing checks it. Control characters and the like reach \
                  the store, and from there logs, file names and other stores that take them for something else.",
    class: FailureClass::KeyFormat,
    breaks: |policy| instead_of(policy, Fault::Malformed, |_, key| Admission::Protected(key.to_owned())),
    expected: &[Requirement::KeyMalformed],
};

pub(super) const DATE_OPTIONAL: Entry = Entry {
    id: "date-optional",
    title: "a key without its date, and a date without its key, are carried out",
    explanation: "The date is read where an old key is looked for, and nobody asks whether it is there. A client that lost it \
                  is never told.",
    class: FailureClass::KeyFormat,
    breaks: |policy| policy.admit_date = Box::new(|_, _| None),
    expected: &[Requirement::KeyFirstSent],
};

pub(super) const DATE_IGNORED: Entry = Entry {
    id: "date-ignored",
    title: "a request of long ago is carried out",
    explanation: "The date beside the key is checked for its form and then forgotten. A request whose key was thrown away long \
                  ago comes out of some queue, and is taken for a new one.",
    class: FailureClass::Retention,
    breaks: |policy| policy.is_outdated = Box::new(|_, _| false),
    expected: &[Requirement::RetentionExpired],
};

pub(super) const READ_FROM_THE_RECORD: Entry = Entry {
    id: "read-from-the-record",
    title: "a GET that carries a key is answered from the record",
    explanation: "The layer looks keys up before it looks at the method, and a client that sets the header on everything \
                  it sends asks for a list and gets the answer to its POST.",
    class: FailureClass::OtherOperation,
    breaks: |policy| policy.reads_from_record = true,
    expected: &[Requirement::ScopeMethods],
};

pub(super) const BLIND_TO_METHOD: Entry = Entry {
    id: "blind-to-method",
    title: "a key reaches across methods",
    explanation: "The method is not part of what a record is found by. A request that means something else, because its \
                  method does, is answered with what another one made.",
    class: FailureClass::OtherOperation,
    breaks: |policy| {
        let sound = std::mem::replace(&mut policy.admit_key, Box::new(|_, _| Admission::Unprotected("no key")));
        policy.admit_key = Box::new(move |contract, submission| {
            let counting = contract.scope.as_ref().and_then(|scope| scope.methods.first());
            let method = counting.unwrap_or(&submission.method).clone();
            sound(contract, &Submission { method, ..submission.clone() })
        });
    },
    expected: &[Requirement::ScopeMethods],
};

/// A key that would be accepted protects nothing where this is so; one that would be refused is refused all the same.
fn ignore_keys(policy: &mut Policy, ignored: fn(&Submission) -> bool) {
    let sound = std::mem::replace(&mut policy.admit_key, Box::new(|_, _| Admission::Unprotected("no key")));
    policy.admit_key = Box::new(move |contract, submission| match sound(contract, submission) {
        Admission::Protected(_) if ignored(submission) => Admission::Unprotected("a key that is ignored"),
        otherwise => otherwise,
    });
}

/// Stores keys in another spelling than the one they came in.
fn spell(policy: &mut Policy, spelled: fn(&str) -> String) {
    let sound = std::mem::replace(&mut policy.name_record, Box::new(|_, key, _| key.to_owned()));
    policy.name_record = Box::new(move |contract, key, submission| sound(contract, &spelled(key), submission));
}

/// Decides otherwise about one kind of odd key, by what can be read of it.
fn instead_of(policy: &mut Policy, odd: Fault, admission: fn(&Contract, &str) -> Admission) {
    let sound = std::mem::replace(&mut policy.admit_key, Box::new(|_, _| Admission::Unprotected("no key")));
    policy.admit_key = Box::new(move |contract, submission| match key::read(contract, &submission.key) {
        Err((fault, readable)) if fault == odd && admit_method(contract, &submission.method).is_none() => {
            admission(contract, &readable)
        }
        Ok(_) | Err(_) => sound(contract, submission),
    });
}
