//! Parameters that are compared too little, too much, or in the place of the key; and conflicts that do harm.

use bytes::Bytes;
use serde_json::Value;

use super::{Entry, FailureClass};
use crate::contract::{Requirement, Situation};
use crate::reference::answer::Answer;
use crate::reference::policy::{Policy, Sameness, Submission, Survivor, changed_parameters, refusal};
use crate::reference::record::Progress;

pub(super) const IGNORE_PARAMETERS: Entry = Entry {
    id: "ignore-parameters",
    title: "other parameters under a known key get the first answer",
    explanation: "The record holds no fingerprint of the parameters, or compares too few of them. A client that reuses \
                  a key by mistake is told that its new request succeeded, although it was never carried out.",
    class: FailureClass::ChangedAccepted,
    breaks: |policy| policy.fingerprint = Box::new(|_, _| Vec::new()),
    expected: &[Requirement::ReplayNoServerError, Requirement::ConflictChangedParameters],
};

pub(super) const FINGERPRINT_SOME_FIELDS: Entry = Entry {
    id: "fingerprint-some-fields",
    title: "only some of the parameters are compared",
    explanation: "Somebody listed the fields that make a request what it is, and the list is older than the API. Another \
                  product is refused as it should be; another quantity gets the first answer.",
    class: FailureClass::ChangedAccepted,
    breaks: |policy| {
        policy.fingerprint = Box::new(|_, submission| submission.parameter("product").to_string().into_bytes());
    },
    expected: &[Requirement::ConflictChangedParameters],
};

pub(super) const KEY_AND_BODY: Entry = Entry {
    id: "key-and-body",
    title: "the body is part of the key",
    explanation: "Requests are recognised by the key and a hash of the parameters together, so other parameters under a \
                  known key are simply another request. The mistake that the contract promises to catch executes.",
    class: FailureClass::ChangedAccepted,
    breaks: |policy| extend_name(policy, |submission| Sameness::JSON.canonical(&submission.parameters())),
    expected: &[
        Requirement::ReplaySingleEffect,
        Requirement::ConflictChangedParameters,
        Requirement::ConflictEquivalentParameters,
        Requirement::ConflictInFlightChanged,
    ],
};

pub(super) const KEY_AND_BYTES: Entry = Entry {
    id: "key-and-bytes",
    title: "the bytes of the body are part of the key",
    explanation: "Requests are recognised by the key and a hash of the body as it came. A retry whose serialiser puts \
                  the members in another order is another request, and executes again.",
    class: FailureClass::EqualRefused,
    breaks: |policy| extend_name(policy, |submission| submission.parameters()),
    expected: &[
        Requirement::ReplaySingleEffect,
        Requirement::ConflictChangedParameters,
        Requirement::ConflictEquivalentParameters,
        Requirement::ConflictInFlightChanged,
    ],
};

pub(super) const DEDUPE_BY_BODY: Entry = Entry {
    id: "dedupe-by-body",
    title: "the body takes the place of the key",
    explanation: "Requests are recognised by a hash of their body. A customer who orders the same thing again gets \
                  nothing, whatever key is sent; and the same key with another body executes.",
    class: FailureClass::Collapsed,
    breaks: |policy| {
        policy.name_record = Box::new(|_, _, submission| {
            String::from_utf8_lossy(&Sameness::JSON.canonical(&submission.parameters())).into_owned()
        });
    },
    expected: &[
        Requirement::KeyLongest,
        Requirement::KeyFresh,
        Requirement::ReplaySingleEffect,
        Requirement::ReplayAfterValidationFailure,
        Requirement::ReplayAfterTurningAway,
        Requirement::ConflictChangedParameters,
        Requirement::ConflictEquivalentParameters,
        Requirement::ConflictInFlightChanged,
    ],
};

pub(super) const FINGERPRINT_RAW_BYTES: Entry = Entry {
    id: "fingerprint-raw-bytes",
    title: "the same parameters in other bytes are taken for a conflict",
    explanation: "The fingerprint is a hash of the body as it came. A client whose serialiser orders members \
                  differently after a restart, or that puts white space elsewhere, is told that it reused its key.",
    class: FailureClass::EqualRefused,
    breaks: |policy| {
        // Nobody asks whether different bytes mean the same.
        policy.fingerprint = Box::new(|_, submission| submission.parameters());
        policy.on_conflict =
            Box::new(|contract, _, submission| changed_parameters(contract, submission.variant.as_deref()));
    },
    expected: &[Requirement::ConflictEquivalentParameters],
};

pub(super) const CONFLICT_OVERWRITES: Entry = Entry {
    id: "conflict-overwrites",
    title: "a refused conflict takes the place of the original",
    explanation: "Other parameters under a known key are refused as they should be, but the refusal passes through the \
                  code that stores answers, and overwrites the record. The client that made the original request gets \
                  the refusal from then on.",
    class: FailureClass::ChangedAccepted,
    breaks: |policy| conflict_leaves(policy, Survivor::Intruder),
    expected: &[Requirement::ConflictOriginalSurvives],
};

pub(super) const CONFLICT_FREES_KEY: Entry = Entry {
    id: "conflict-frees-key",
    title: "a refused conflict frees the key",
    explanation: "Whatever ends in an error releases the key, and a conflict is an error. The client that made the \
                  original request and tries again, because it never saw the answer, acts twice.",
    class: FailureClass::ChangedAccepted,
    breaks: |policy| conflict_leaves(policy, Survivor::Nobody),
    expected: &[
        Requirement::ReplaySingleEffect,
        Requirement::ConflictChangedParameters,
        Requirement::ConflictOriginalSurvives,
    ],
};

pub(super) const CONFLICT_LEAKS: Entry = Entry {
    id: "conflict-leaks",
    title: "the refusal of a conflict tells the stored answer",
    explanation: "To be helpful, the refusal quotes what the key was used for. Whoever guesses a key, and sends any \
                  parameters with it, reads an answer that was meant for somebody else.",
    class: FailureClass::TenantLeak,
    breaks: |policy| {
        let sound = std::mem::replace(&mut policy.refuse, Box::new(|_, _, _| Answer::no_content()));
        policy.refuse = Box::new(move |situation, matcher, record| {
            let mut answer = sound(situation, matcher, record);
            let in_conflict = matches!(situation, Situation::ChangedParameters | Situation::EquivalentParameters);
            if let Progress::Finished { outcome, .. } = &record.progress
                && in_conflict
            {
                let stored = String::from_utf8_lossy(&outcome.answer.body);
                answer.body = Bytes::from(quoting(&String::from_utf8_lossy(&answer.body), &stored));
            }
            answer
        });
    },
    expected: &[Requirement::ConflictNoLeak],
};

/// A refusal that quotes what is stored: as a member of an object, or else within the last element.
fn quoting(refusal: &str, stored: &str) -> String {
    if let Ok(Value::Object(mut members)) = serde_json::from_str(refusal) {
        let stored = serde_json::from_str(stored).unwrap_or_else(|_| Value::from(stored));
        members.insert("original".into(), stored);
        return Value::Object(members).to_string();
    }
    let (before, after) = refusal.split_at(refusal.rfind("</").unwrap_or(refusal.len()));
    format!("{before}<original><![CDATA[{stored}]]></original>{after}")
}

pub(super) const POINTS_ASTRAY: Entry = Entry {
    id: "points-astray",
    title: "a refusal points at something that nobody made",
    explanation: "The refusal of a used key names a resource for the client to go to, and takes its number from the attempt \
                  that was just turned back instead of from the record. The client looks there, finds nothing or something of \
                  somebody else's, and takes its own action for lost.",
    class: FailureClass::WrongAnswer,
    breaks: |policy| {
        let sound = std::mem::replace(&mut policy.refuse, Box::new(|_, _, _| Answer::no_content()));
        policy.refuse = Box::new(move |situation, matcher, record| match matcher.names_identity() {
            true => refusal(*situation).answer(matcher, Some(NOBODY)),
            false => sound(situation, matcher, record),
        });
    },
    expected: &[Requirement::ConflictChangedParameters],
};

/// What no resource is called.
const NOBODY: &str = "0";

/// Finds records by more than the key.
fn extend_name(policy: &mut Policy, by: fn(&Submission) -> Vec<u8>) {
    let sound = std::mem::replace(&mut policy.name_record, Box::new(|_, key, _| key.to_owned()));
    policy.name_record = Box::new(move |contract, key, submission| {
        let name = sound(contract, key, submission);
        format!("{name} {}", String::from_utf8_lossy(&by(submission)))
    });
}

pub(super) fn conflict_leaves(policy: &mut Policy, survivor: Survivor) {
    let sound = std::mem::replace(&mut policy.survivor, Box::new(|_| Survivor::Original));
    policy.survivor = Box::new(move |situation| match situation {
        Situation::ChangedParameters | Situation::EquivalentParameters => survivor,
        _ => sound(situation),
    });
}
