//! How each defect decides, where it takes more than a word to say.
//!
//! What a defect does not mean to break it leaves to the decision that it replaces, so that defects can be combined.

use crate::reference::answer::Answer;
use crate::reference::policy::{Admission, Memory, Policy, Submission, age, canonical, changed_parameters};
use crate::reference::record::{OutcomeKind, Relation};

/// How much of a key is left where keys are cut off: enough for every usual key.
const WIDTH_OF_THE_COLUMN: usize = 64;

/// A key that would be accepted protects nothing; one that would be refused is refused all the same.
pub(super) fn ignore_keys(policy: &mut Policy) {
    let sound = std::mem::replace(&mut policy.admit_key, Box::new(|_, _| Admission::Unprotected("no key")));
    policy.admit_key = Box::new(move |contract, submission| match sound(contract, submission) {
        Admission::Protected(_) => Admission::Unprotected("a key that is ignored"),
        otherwise => otherwise,
    });
}

pub(super) fn ignore_parameters(policy: &mut Policy) {
    policy.fingerprint = Box::new(|_, _| Vec::new());
}

pub(super) fn make_effects_twice(policy: &mut Policy) {
    let sound = std::mem::replace(&mut policy.make_effects, Box::new(|_, _, _| 0));
    policy.make_effects = Box::new(move |book, submission, request| {
        let answered = sound(book, submission, request);
        sound(book, submission, request);
        answered
    });
}

pub(super) fn name_by_body(policy: &mut Policy) {
    policy.name_record =
        Box::new(|_, _, submission| String::from_utf8_lossy(&canonical(&submission.body)).into_owned());
}

pub(super) fn remember_successes_only(policy: &mut Policy) {
    remember(policy, |kind| match kind {
        OutcomeKind::Success => None,
        OutcomeKind::ValidationFailure | OutcomeKind::Failure | OutcomeKind::ServerError => Some(Memory::Release),
    });
}

pub(super) fn remember_refusals(policy: &mut Policy) {
    remember(policy, |kind| match kind {
        OutcomeKind::ValidationFailure => Some(Memory::Keep),
        OutcomeKind::Success | OutcomeKind::Failure | OutcomeKind::ServerError => None,
    });
}

/// A refusal before execution is none of these: the key is marked as in use when execution begins.
pub(super) fn end_successes_only(policy: &mut Policy) {
    remember(policy, |kind| match kind {
        OutcomeKind::Failure | OutcomeKind::ServerError => Some(Memory::StayInFlight),
        OutcomeKind::Success | OutcomeKind::ValidationFailure => None,
    });
}

/// Replaces what becomes of some outcomes.
fn remember(policy: &mut Policy, instead: impl Fn(OutcomeKind) -> Option<Memory> + Send + Sync + 'static) {
    let sound = std::mem::replace(&mut policy.after_outcome, Box::new(|_, _| Memory::Keep));
    policy.after_outcome =
        Box::new(move |contract, outcome| instead(outcome.kind).unwrap_or_else(|| sound(contract, outcome)));
}

/// Bytes are compared as they came, and nobody asks whether different ones mean the same.
pub(super) fn compare_raw_bytes(policy: &mut Policy) {
    policy.fingerprint = Box::new(|_, submission| submission.body.to_vec());
    policy.on_conflict = Box::new(|contract, _, _| changed_parameters(contract));
}

pub(super) fn expire_early(policy: &mut Policy) {
    policy.is_expired = Box::new(|contract, record, now| {
        age(contract, record, *now).is_some_and(|(age, retention)| age >= retention / 2)
    });
}

pub(super) fn never_expire(policy: &mut Policy) {
    policy.is_expired = Box::new(|_, _, _| false);
}

pub(super) fn overlook_operation(policy: &mut Policy) {
    let sound = std::mem::replace(&mut policy.relate, Box::new(|_, _| Relation::SameScope));
    policy.relate = Box::new(move |record, submission| match sound(record, submission) {
        Relation::OtherOperation => Relation::SameScope,
        otherwise => otherwise,
    });
}

pub(super) fn overlook_account(policy: &mut Policy) {
    let sound = std::mem::replace(&mut policy.relate, Box::new(|_, _| Relation::SameScope));
    policy.relate = Box::new(move |record, submission| {
        let submission = Submission { account: record.account.clone(), ..submission.clone() };
        sound(record, &submission)
    });
}

pub(super) fn truncate_keys(policy: &mut Policy) {
    let sound = std::mem::replace(&mut policy.name_record, Box::new(|_, key, _| key.to_owned()));
    policy.name_record = Box::new(move |contract, key, submission| {
        let stored: String = key.chars().take(WIDTH_OF_THE_COLUMN).collect();
        sound(contract, &stored, submission)
    });
}

pub(super) fn leave_marker_out(policy: &mut Policy) {
    let sound = std::mem::replace(&mut policy.replay, Box::new(|_, first| first.clone()));
    policy.replay = Box::new(move |contract, first| {
        let answer = sound(contract, first);
        match contract.marker() {
            Some((marker, _, _)) => answer.without_header(&marker.header),
            None => answer,
        }
    });
}

pub(super) fn forget_status(policy: &mut Policy) {
    let sound = std::mem::replace(&mut policy.replay, Box::new(|_, first| first.clone()));
    policy.replay = Box::new(move |contract, first| Answer { status: 200, ..sound(contract, first) });
}
