//! What is to be said about each defect: what it is in the field, and what a run against it finds.

use super::Entry;
use crate::contract::Requirement;

pub(super) const NO_DEDUP: Entry = Entry {
    id: "no-dedup",
    title: "keys are accepted and ignored",
    explanation: "The endpoint takes the key, and perhaps checks its form, but nothing looks it up: the middleware is \
                  not mounted on this route, or the feature is off in this environment. Every attempt executes.",
    failure_class: "C01",
    expected: &[
        Requirement::KeyLongest,
        Requirement::RetentionKept,
        Requirement::ReplaySingleEffect,
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
    ],
};

pub(super) const IGNORE_PARAMETERS: Entry = Entry {
    id: "ignore-parameters",
    title: "other parameters under a known key get the first answer",
    explanation: "The record holds no fingerprint of the parameters, or compares too few of them. A client that reuses \
                  a key by mistake is told that its new request succeeded, although it was never carried out.",
    failure_class: "C06",
    expected: &[Requirement::ConflictChangedParameters],
};

pub(super) const DOUBLE_EFFECT: Entry = Entry {
    id: "double-effect",
    title: "one request has two effects, and one answer",
    explanation: "Behind a clean record the work is done twice: a queue delivers twice, a proxy or client library \
                  sends the inner request again, two workers take the same job. The answers alone look perfect.",
    failure_class: "C10",
    expected: &[
        Requirement::ReplaySingleEffect,
        Requirement::ReplayAfterLostConnection,
        Requirement::ReplayAfterLostRequest,
        Requirement::ReplayAfterLostExecution,
        Requirement::ReplayAfterLostResponse,
    ],
};

pub(super) const DEDUPE_BY_BODY: Entry = Entry {
    id: "dedupe-by-body",
    title: "the body takes the place of the key",
    explanation: "Requests are recognised by a hash of their body. A customer who orders the same thing again gets \
                  nothing, whatever key is sent; and the same key with another body executes.",
    failure_class: "C20",
    expected: &[
        Requirement::KeyLongest,
        Requirement::KeyFresh,
        Requirement::ReplaySingleEffect,
        Requirement::ConflictChangedParameters,
        Requirement::ConflictInFlightChanged,
    ],
};

pub(super) const STUCK_AFTER_DISCONNECT: Entry = Entry {
    id: "stuck-after-disconnect",
    title: "a request whose client has gone stays in flight for ever",
    explanation: "The framework cancels the handler when the connection closes, after the key was marked as in use and \
                  before anything was done. Nothing clears the mark, so every retry is told to wait.",
    failure_class: "C03",
    expected: &[Requirement::ReplayAfterLostExecution, Requirement::ReplaySettles],
};

pub(super) const CANCEL_ON_DISCONNECT: Entry = Entry {
    id: "cancel-on-disconnect",
    title: "a request whose client has gone is forgotten after its effect",
    explanation: "The framework cancels the handler when the connection closes, after the effect was made and before \
                  the record was written. The rollback releases the key, so a retry executes again.",
    failure_class: "C17",
    expected: &[Requirement::ReplaySingleEffect, Requirement::ReplayAfterLostExecution],
};

pub(super) const CHECK_THEN_ACT: Entry = Entry {
    id: "check-then-act",
    title: "the key is looked up first and claimed a while later",
    explanation: "The handler asks whether the key is known, and writes it only afterwards, without a unique index or a \
                  lock to stop a second writer. Duplicates that arrive inside the window all find nothing, and all \
                  execute. The value is the window: `check-then-act=20ms`; with 0 the two steps are one.",
    failure_class: "C02",
    expected: &[Requirement::ReplaySingleEffect, Requirement::ConflictInFlight],
};

pub(super) const CACHE_SUCCESS_ONLY: Entry = Entry {
    id: "cache-success-only",
    title: "only successes are remembered",
    explanation: "The middleware stores an answer when its status is a 2xx and releases the key otherwise. A declined \
                  request is tried again behind the client's back, and one that crashed after its effect has a second \
                  one.",
    failure_class: "C16",
    expected: &[Requirement::ReplaySingleEffect, Requirement::ReplayAfterFailure, Requirement::ReplayAfterServerError],
};

pub(super) const CONFLICT_OVERWRITES: Entry = Entry {
    id: "conflict-overwrites",
    title: "a refused conflict takes the place of the original",
    explanation: "Other parameters under a known key are refused as they should be, but the refusal passes through the \
                  code that stores answers, and overwrites the record. The client that made the original request gets \
                  the refusal from then on.",
    failure_class: "C06",
    expected: &[Requirement::ConflictOriginalSurvives],
};

pub(super) const FINGERPRINT_RAW_BYTES: Entry = Entry {
    id: "fingerprint-raw-bytes",
    title: "the same parameters in other bytes are taken for a conflict",
    explanation: "The fingerprint is a hash of the body as it came. A client whose serialiser orders members \
                  differently after a restart, or that puts white space elsewhere, is told that it reused its key.",
    failure_class: "C11",
    expected: &[Requirement::ConflictEquivalentParameters],
};

pub(super) const BURN_KEY_ON_VALIDATION_FAILURE: Entry = Entry {
    id: "burn-key-on-validation-failure",
    title: "a refused request uses its key up",
    explanation: "The key is bound to the parameters before they are validated, and the refusal is stored. The client \
                  that corrects its request and sends it again under the same key is told that the key was reused.",
    failure_class: "C07",
    expected: &[Requirement::ReplayAfterValidationFailure],
};

pub(super) const EXPIRE_EARLY: Entry = Entry {
    id: "expire-early",
    title: "keys are forgotten after half of the promised time",
    explanation: "The documents say a day, and the entry's time to live says something else, or the cache evicts what \
                  has not been used for a while. A client that retries within the promised time acts twice.",
    failure_class: "C13",
    expected: &[Requirement::RetentionKept, Requirement::ReplaySingleEffect],
};

pub(super) const NEVER_EXPIRE: Entry = Entry {
    id: "never-expire",
    title: "keys are remembered for ever",
    explanation: "The record has no time to live, or the job that sweeps the table does not run. A client that may use \
                  its key again, because the documents say when, gets an answer from long ago.",
    failure_class: "C13",
    expected: &[Requirement::RetentionExpired],
};

pub(super) const IN_FLIGHT_FOR_EVER: Entry = Entry {
    id: "in-flight-for-ever",
    title: "a request that does not succeed stays in flight for ever",
    explanation: "The mark that a key is in use is cleared where the answer of a success is stored, and nowhere else. \
                  After an exception or a business refusal every repeat is told to wait, although nothing is running. \
                  The client need not go away for it, and has even seen the first answer.",
    failure_class: "C03",
    expected: &[Requirement::ReplaySettles],
};

pub(super) const BLIND_TO_OPERATION: Entry = Entry {
    id: "blind-to-operation",
    title: "a key reaches across operations",
    explanation: "The key alone is the primary key of the store; the endpoint is not part of it. A client that derives \
                  the keys of two steps from one number gets the answer of the first step for the second.",
    failure_class: "C14",
    expected: &[Requirement::ScopeOtherOperation],
};

pub(super) const BLIND_TO_ACCOUNT: Entry = Entry {
    id: "blind-to-account",
    title: "a key reaches across accounts",
    explanation: "The store does not know whose key it holds. An account that happens to use, or guesses, the key of \
                  another one is shown the other's answer, and its own request is never carried out.",
    failure_class: "C09",
    expected: &[Requirement::ScopeOtherAccount],
};

pub(super) const TRUNCATE_KEY: Entry = Entry {
    id: "truncate-key",
    title: "long keys are cut off before they are compared",
    explanation: "The column is narrower than the longest key that is taken, and the database cuts without a word. Two \
                  keys that begin alike become one, and the second action is never carried out.",
    failure_class: "C08",
    expected: &[Requirement::KeyLongest],
};

pub(super) const REPLAY_WITHOUT_MARKER: Entry = Entry {
    id: "replay-without-marker",
    title: "a replay looks like a first answer",
    explanation: "The stored answer is sent as it is, without the header field that the documents promise; or a proxy on \
                  the way takes it off. A client cannot tell whether its request was carried out now or before.",
    failure_class: "C05",
    expected: &[Requirement::ReplayMarker],
};

pub(super) const REPLAY_AS_200: Entry = Entry {
    id: "replay-as-200",
    title: "every replay has the status 200",
    explanation: "The record holds the body of the first answer and not its status, so the framework's default is sent. \
                  A client that looks at the status takes a stored refusal for a success.",
    failure_class: "C05",
    expected: &[Requirement::ReplayFidelity],
};
