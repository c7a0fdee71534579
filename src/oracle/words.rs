//! Facts and promises in the words of a report.

use super::answer::{Answer, AnswerKind};
use super::effects::Rise;
use super::facts::{Fact, Reply};
use crate::contract::{Situation, Treatment};

/// A situation as the beginning of a promise.
pub(super) fn situation(situation: Situation) -> &'static str {
    match situation {
        Situation::NoKey => "without a key",
        Situation::Incomplete => "a key and its date that do not come together",
        Situation::StoreUnavailable => "while the key store is down",
        Situation::OtherAccount => "the same key from another account",
        Situation::OtherOperation => "the same key on another operation",
        Situation::OtherMethod => "the same key with another method",
        Situation::OtherReplica => "the same key on another replica",
        Situation::Expired => "after the retention",
        Situation::Fresh => "a fresh key",
        Situation::InFlight => "while the first is still running",
        Situation::InFlightChanged => "other parameters while the first is still running",
        Situation::ChangedParameters => "the same key with other parameters",
        Situation::EquivalentParameters => "the same parameters in other bytes",
        Situation::AfterChange => "after the resource was changed or deleted",
        Situation::OriginalSurvives => "the original again, after a conflict",
        Situation::AfterSuccess => "after a success",
        Situation::AfterFailure => "after a failure",
        Situation::AfterServerError => "after a server error",
        Situation::AfterValidationFailure => "after a validation failure",
        Situation::AfterTurningAway => "after a request was turned away",
    }
}

/// An acceptable outcome.
pub(super) fn treatment(treatment: &Treatment, first: Option<&Fact<'_>>) -> String {
    match treatment {
        Treatment::Executes => "an execution with an outcome of its own".into(),
        Treatment::Replays => match first.and_then(Fact::answer) {
            Some(answer) => format!("the first answer again: {}", self::answer(answer)),
            None => "the first answer again".into(),
        },
        Treatment::Refreshes => match first.and_then(Fact::success_identity) {
            Some(identity) => format!("the current state of identity {identity}"),
            None => "the current state of the first action".into(),
        },
        Treatment::Rejects(matcher) => format!("a rejection with {matcher}"),
    }
}

/// An answer in short.
pub(super) fn answer(answer: &Answer<'_>) -> String {
    let status = answer.response.status;
    match answer.identity {
        Some(identity) => format!("{status} with identity {identity}"),
        None if answer.kind == AnswerKind::Other && answer.response.body.is_empty() => {
            format!("{status} with an empty body")
        }
        None if answer.kind == AnswerKind::Other => match answer.response.broken_xml() {
            Some(error) => format!("{status} that names no identity ({error})"),
            None => format!("{status} that names no identity"),
        },
        None => status.to_string(),
    }
}

/// What an attempt got.
pub(super) fn reply(fact: &Fact<'_>) -> String {
    match &fact.reply {
        Reply::NotSent => "nothing was sent".into(),
        Reply::Silence => "no complete answer".into(),
        Reply::Answer(answer) => self::answer(answer),
    }
}

/// What an attempt got, and what the counters said about it.
pub(super) fn seen(fact: &Fact<'_>, rise: Rise) -> String {
    let reply = reply(fact);
    match rise {
        Rise::Of(1) => format!("{reply}; the effect count rose by 1"),
        Rise::Of(more) => format!("{reply}; the effect count rose by {more}"),
        Rise::Nothing => format!("{reply}; the effect count did not rise"),
        Rise::Unknown => reply,
    }
}

/// A number of effects.
pub(super) fn effects(number: usize) -> String {
    match number {
        0 => "no effect".into(),
        1 => "one effect".into(),
        more => format!("{more} effects"),
    }
}
