//! Fingerprints that leave a part of the parameters out, or tell spellings apart that are the same.

use serde_json::Value;

use super::{Entry, FailureClass};
use crate::contract::Requirement;
use crate::reference::policy::{Policy, Sameness, Submission, changed_parameters, is_in_path};

pub(super) const FINGERPRINT_TOP_LEVEL: Entry = Entry {
    id: "fingerprint-top-level",
    title: "only the top level of the body is compared",
    explanation: "The fingerprint is made of the members of the body that are plain values. What stands further down, the \
                  address, the lines of an order, can be anything: it gets the first answer.",
    class: FailureClass::ChangedAccepted,
    breaks: |policy| {
        compare(policy, |submission| Submission { body: top_level(&submission.body), ..submission.clone() })
    },
    expected: &[Requirement::ConflictChangedParameters],
};

pub(super) const FINGERPRINT_WITHOUT_QUERY: Entry = Entry {
    id: "fingerprint-without-query",
    title: "the query is not compared",
    explanation: "The fingerprint is made of the body, because that is where parameters stand. The same body with another \
                  query is another request, and gets the first answer.",
    class: FailureClass::ChangedAccepted,
    breaks: |policy| compare(policy, |submission| with_target(submission, is_in_path)),
    expected: &[Requirement::ConflictChangedParameters],
};

pub(super) const FINGERPRINT_WITHOUT_PATH: Entry = Entry {
    id: "fingerprint-without-path",
    title: "the path is not compared",
    explanation: "The record knows the operation and not the resource that it is about. A client that sends the same body \
                  for another account, order or branch under a known key is told that it was done, there as well.",
    class: FailureClass::ChangedAccepted,
    breaks: |policy| compare(policy, |submission| with_target(submission, |name| !is_in_path(name))),
    expected: &[Requirement::ConflictChangedParameters],
};

pub(super) const ESCAPES_ARE_A_CHANGE: Entry = Entry {
    id: "escapes-are-a-change",
    title: "a character and its escape are taken for different ones",
    explanation: "Members are put in order and white space is taken out before the body is hashed, as text: what stands \
                  in quotes stays as it came. A client whose next version escapes other characters meets a conflict.",
    class: FailureClass::EqualRefused,
    breaks: |policy| {
        tell_apart(policy, |sameness, submission| {
            let mut print = sameness.canonical(&submission.parameters());
            if submission.body.contains(&b'\\') {
                print.extend_from_slice(&submission.body);
            }
            print
        });
    },
    expected: &[Requirement::ConflictEquivalentParameters],
};

pub(super) const NUMBERS_ARE_TEXT: Entry = Entry {
    id: "numbers-are-text",
    title: "2 and 2.0 are taken for different numbers",
    explanation: "Numbers are hashed as they are written. The documents say that amounts are compared by value, and a \
                  client in a language with one kind of number meets a conflict after its next release.",
    class: FailureClass::EqualRefused,
    breaks: |policy| except(policy, |sameness| Sameness { numbers: false, ..sameness }),
    expected: &[Requirement::ConflictEquivalentParameters],
};

pub(super) const NULL_IS_A_CHANGE: Entry = Entry {
    id: "null-is-a-change",
    title: "a member that is null and one that is absent are taken for different ones",
    explanation: "The body is hashed with its nulls. The documents say that null is the same as nothing, and a client \
                  whose serialiser leaves nulls out meets a conflict with itself.",
    class: FailureClass::EqualRefused,
    breaks: |policy| except(policy, |sameness| Sameness { nulls: false, ..sameness }),
    expected: &[Requirement::ConflictEquivalentParameters],
};

pub(super) const UNICODE_FORM_IS_A_CHANGE: Entry = Entry {
    id: "unicode-form-is-a-change",
    title: "the Unicode forms of one text are taken for different texts",
    explanation: "Texts are hashed as their bytes. The documents say that they are compared in a normal form, and the same \
                  name, typed on another system, meets a conflict.",
    class: FailureClass::EqualRefused,
    breaks: |policy| except(policy, |sameness| Sameness { forms: false, ..sameness }),
    expected: &[Requirement::ConflictEquivalentParameters],
};

/// Compares something else than the submission.
fn compare(policy: &mut Policy, seen: fn(&Submission) -> Submission) {
    let sound = std::mem::replace(&mut policy.fingerprint, Box::new(|_, _| Vec::new()));
    policy.fingerprint = Box::new(move |contract, submission| sound(contract, &seen(submission)));
}

/// The submission with some of the parameters in its target.
fn with_target(submission: &Submission, kept: fn(&str) -> bool) -> Submission {
    let mut seen = submission.clone();
    seen.target.retain(|(name, _)| kept(name));
    seen
}

/// The members of a JSON object that are plain values; other content as it is.
fn top_level(body: &bytes::Bytes) -> bytes::Bytes {
    match serde_json::from_slice::<Value>(body) {
        Ok(Value::Object(mut members)) => {
            members.retain(|_, member| !member.is_object() && !member.is_array());
            Value::Object(members).to_string().into()
        }
        Ok(_) | Err(_) => body.clone(),
    }
}

/// Tells parameters apart that are the same, and takes them for changed ones.
fn tell_apart(policy: &mut Policy, print: fn(Sameness, &Submission) -> Vec<u8>) {
    policy.fingerprint = Box::new(move |contract, submission| print(Sameness::of(contract), submission));
    policy.on_conflict =
        Box::new(|contract, _, submission| changed_parameters(contract, submission.variant.as_deref()));
}

/// Tells one kind of spelling apart.
fn except(policy: &mut Policy, less: fn(Sameness) -> Sameness) {
    policy.fingerprint =
        Box::new(move |contract, submission| less(Sameness::of(contract)).canonical(&submission.parameters()));
    policy.on_conflict =
        Box::new(|contract, _, submission| changed_parameters(contract, submission.variant.as_deref()));
}
