//! The ways in which the reference server can be made to break its contract.
//!
//! Each defect replaces decisions of a sound [`Policy`] and nothing else. What it breaks is declared beside it, so
//! that a test can hold the verdicts of a run against the declaration.

use std::fmt;
use std::str::FromStr;

use super::policy::{Admission, Departure, Policy, canonical};
use crate::contract::Requirement;

/// A way to break the contract, each seen in the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Defect {
    /// Keys are accepted and ignored.
    NoDedup,
    /// Parameters play no part: whatever is sent under a known key gets the first answer.
    IgnoreParameters,
    /// One request, one answer, two effects.
    DoubleEffect,
    /// The body takes the place of the key.
    DedupeByBody,
    /// A request whose client has gone stays in flight for ever.
    StuckAfterDisconnect,
    /// A request whose client has gone is rolled back after its effect.
    CancelOnDisconnect,
}

/// What is to be said about a defect.
struct Entry {
    id: &'static str,
    title: &'static str,
    explanation: &'static str,
    failure_class: &'static str,
    expected: &'static [Requirement],
}

impl Defect {
    /// All defects; of those that take a value, one example each.
    pub const ALL: &'static [Self] = &[
        Self::NoDedup,
        Self::IgnoreParameters,
        Self::DoubleEffect,
        Self::DedupeByBody,
        Self::StuckAfterDisconnect,
        Self::CancelOnDisconnect,
    ];

    /// Reads a defect as it is named on the command line: `name`, or `name=value` where it takes a value.
    ///
    /// # Errors
    /// Names the defects that there are, or says that this one takes no value.
    pub fn parse(written: &str) -> Result<Self, DefectError> {
        let (name, value) = written.split_once('=').map_or((written, None), |(name, value)| (name, Some(value)));
        let defect = Self::ALL.iter().copied().find(|defect| defect.id() == name);
        match (defect, value) {
            (Some(defect), None) => Ok(defect),
            (Some(defect), Some(_)) => Err(DefectError::NoValue { id: defect.id() }),
            (None, _) => Err(DefectError::Unknown { written: name.to_owned() }),
        }
    }

    /// The name, for example `no-dedup`.
    pub fn id(self) -> &'static str {
        self.entry().id
    }

    /// What it does, in a phrase.
    pub fn title(self) -> &'static str {
        self.entry().title
    }

    /// How it comes about in the field.
    pub fn explanation(self) -> &'static str {
        self.entry().explanation
    }

    /// The class of failure that it belongs to, for example `C01`.
    pub fn failure_class(self) -> &'static str {
        self.entry().failure_class
    }

    /// Exactly the requirements that a run against a server with this defect calls *violated*.
    pub fn expected(self) -> &'static [Requirement] {
        self.entry().expected
    }

    fn entry(self) -> &'static Entry {
        match self {
            Self::NoDedup => &NO_DEDUP,
            Self::IgnoreParameters => &IGNORE_PARAMETERS,
            Self::DoubleEffect => &DOUBLE_EFFECT,
            Self::DedupeByBody => &DEDUPE_BY_BODY,
            Self::StuckAfterDisconnect => &STUCK_AFTER_DISCONNECT,
            Self::CancelOnDisconnect => &CANCEL_ON_DISCONNECT,
        }
    }

    /// Replaces the decisions that it breaks.
    pub(super) fn apply(self, policy: &mut Policy) {
        match self {
            Self::NoDedup => ignore_keys(policy),
            Self::IgnoreParameters => policy.fingerprint = Box::new(|_, _| Vec::new()),
            Self::DoubleEffect => make_effects_twice(policy),
            Self::DedupeByBody => {
                policy.name_record =
                    Box::new(|_, _, submission| String::from_utf8_lossy(&canonical(&submission.body)).into_owned());
            }
            Self::StuckAfterDisconnect => policy.on_disconnect = Departure::GiveUpInFlight,
            Self::CancelOnDisconnect => policy.on_disconnect = Departure::GiveUpAfterEffect,
        }
    }
}

/// A key that would be accepted protects nothing; one that would be refused is refused all the same.
fn ignore_keys(policy: &mut Policy) {
    let sound = std::mem::replace(&mut policy.admit_key, Box::new(|_, _| Admission::Unprotected("no key")));
    policy.admit_key = Box::new(move |contract, presented| match sound(contract, presented) {
        Admission::Protected(_) => Admission::Unprotected("a key that is ignored"),
        otherwise => otherwise,
    });
}

fn make_effects_twice(policy: &mut Policy) {
    let sound = std::mem::replace(&mut policy.make_effects, Box::new(|_, _, _| 0));
    policy.make_effects = Box::new(move |book, submission, request| {
        let answered = sound(book, submission, request);
        sound(book, submission, request);
        answered
    });
}

impl fmt::Display for Defect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.id())
    }
}

impl FromStr for Defect {
    type Err = DefectError;

    fn from_str(written: &str) -> Result<Self, Self::Err> {
        Self::parse(written)
    }
}

/// What is wrong with the name of a defect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DefectError {
    /// There is no defect of this name.
    #[error("`{written}` is not a defect; there are: {}", known())]
    Unknown {
        /// What was written.
        written: String,
    },
    /// The defect is there, and takes no value.
    #[error("the defect `{id}` takes no value")]
    NoValue {
        /// The name of the defect.
        id: &'static str,
    },
}

fn known() -> String {
    let names: Vec<&str> = Defect::ALL.iter().map(|defect| defect.id()).collect();
    names.join(", ")
}

const NO_DEDUP: Entry = Entry {
    id: "no-dedup",
    title: "keys are accepted and ignored",
    explanation: "The endpoint takes the key, and perhaps checks its form, but nothing looks it up: the middleware is \
                  not mounted on this route, or the feature is off in this environment. Every attempt executes.",
    failure_class: "C01",
    expected: &[
        Requirement::ReplaySingleEffect,
        Requirement::ReplayAfterSuccess,
        Requirement::ReplayAfterLostConnection,
        Requirement::ReplayAfterLostRequest,
        Requirement::ReplayAfterLostExecution,
        Requirement::ReplayAfterLostResponse,
        Requirement::ConflictChangedParameters,
        Requirement::ConflictEquivalentParameters,
        Requirement::ConflictInFlight,
        Requirement::ConflictInFlightChanged,
    ],
};

const IGNORE_PARAMETERS: Entry = Entry {
    id: "ignore-parameters",
    title: "other parameters under a known key get the first answer",
    explanation: "The record holds no fingerprint of the parameters, or compares too few of them. A client that reuses \
                  a key by mistake is told that its new request succeeded, although it was never carried out.",
    failure_class: "C06",
    expected: &[Requirement::ConflictChangedParameters],
};

const DOUBLE_EFFECT: Entry = Entry {
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

const DEDUPE_BY_BODY: Entry = Entry {
    id: "dedupe-by-body",
    title: "the body takes the place of the key",
    explanation: "Requests are recognised by a hash of their body. A customer who orders the same thing again gets \
                  nothing, whatever key is sent; and the same key with another body executes.",
    failure_class: "C20",
    expected: &[
        Requirement::KeyFresh,
        Requirement::ReplaySingleEffect,
        Requirement::ConflictChangedParameters,
        Requirement::ConflictInFlightChanged,
    ],
};

const STUCK_AFTER_DISCONNECT: Entry = Entry {
    id: "stuck-after-disconnect",
    title: "a request whose client has gone stays in flight for ever",
    explanation: "The framework cancels the handler when the connection closes, after the key was marked as in use and \
                  before anything was done. Nothing clears the mark, so every retry is told to wait.",
    failure_class: "C03",
    expected: &[Requirement::ReplayAfterLostExecution, Requirement::ReplaySettles],
};

const CANCEL_ON_DISCONNECT: Entry = Entry {
    id: "cancel-on-disconnect",
    title: "a request whose client has gone is forgotten after its effect",
    explanation: "The framework cancels the handler when the connection closes, after the effect was made and before \
                  the record was written. The rollback releases the key, so a retry executes again.",
    failure_class: "C17",
    expected: &[Requirement::ReplaySingleEffect, Requirement::ReplayAfterLostExecution],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_defect_is_found_by_its_name() {
        for defect in Defect::ALL {
            assert_eq!(Defect::parse(defect.id()), Ok(*defect));
            assert!(!defect.expected().is_empty(), "{defect} breaks something");
            assert!(defect.expected().is_sorted(), "{defect}: in the order of the checklist");
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_known_ones() {
        let message = Defect::parse("no-dedupe").unwrap_err().to_string();
        assert!(
            message.starts_with("`no-dedupe` is not a defect; there are: no-dedup, ignore-parameters,"),
            "{message}"
        );
    }
}
