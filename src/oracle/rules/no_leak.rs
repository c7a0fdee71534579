//! `conflict.no-leak`: a rejected conflict does not show the stored answer.

use super::super::Judgement;
use super::super::action::ActionIndex;
use super::super::answer::Answer;
use super::super::docket::Docket;
use super::super::facts::Fact;
use super::super::situation::World;
use super::super::terms::Terms;
use super::super::trial::Trial;
use crate::contract::{Requirement, Situation};
use crate::message::Response;
use serde_json::Value;

const WORDS: (&str, &str) = ("a conflict does not show the stored answer", "a rejection without the stored content");

/// Judges a rejection of other parameters, where the contract does not let the first answer be shown.
pub(super) fn judge(trial: &mut Trial<'_, '_>, action: ActionIndex, attempt: usize, world: &World, terms: &Terms<'_>) {
    let docket = trial.docket;
    let facts = &docket.facts;
    let shown = terms.allows_replaying() || terms.allows_refreshing();
    if world.situation != Situation::ChangedParameters || shown {
        return;
    }
    let Some((first, answer)) = world.first.and_then(|first| facts[first].answer()).zip(facts[attempt].answer()) else {
        return;
    };
    if answer.succeeded || !first.succeeded || first.response.body.is_empty() {
        return;
    }
    let leaked = first.content == answer.content
        || holds_whole(docket, first, answer)
        || holds_own_value(docket, attempt, first, answer);
    let judgement = if leaked { Judgement::Violated } else { Judgement::Holds };
    trial.sink.universal(action, (world.first, attempt), Requirement::ConflictNoLeak, judgement, WORDS);
}

/// A shorter content may stand in any text by accident.
const SHORTEST_CONTENT: usize = 16;
/// The same for a single value.
const SHORTEST_VALUE: usize = 8;

/// Whether the whole first content stands somewhere in the conflict: as text, as a JSON value, in a header field.
fn holds_whole(docket: &Docket<'_, '_>, first: &Answer<'_>, conflict: &Answer<'_>) -> bool {
    let content = first.response.body.text();
    if content.len() < SHORTEST_CONTENT {
        return false;
    }
    let whole = docket.document(first).filter(|value| value.as_object().is_some_and(|members| members.len() > 1));
    let within = || whole.zip(docket.document(conflict)).is_some_and(|(whole, document)| contains(document, whole));
    let escaped = || {
        let escaped = Value::from(content.as_ref()).to_string();
        shows(conflict.response, escaped.trim_matches('"'))
    };
    shows(conflict.response, &content) || escaped() || within()
}

fn contains(document: &Value, wanted: &Value) -> bool {
    document == wanted
        || match document {
            Value::Array(values) => values.iter().any(|value| contains(value, wanted)),
            Value::Object(members) => members.values().any(|value| contains(value, wanted)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
        }
}

/// Whether a value that belongs to this action alone stands in the conflict. Such values are those of the first answer
/// that another action's answer does not have, and that no request has. The identity is none of them: many contracts
/// point at the resource.
fn holds_own_value(docket: &Docket<'_, '_>, attempt: usize, first: &Answer<'_>, conflict: &Answer<'_>) -> bool {
    let mut values = Vec::new();
    if let Some(document) = docket.document(first) {
        leaves(document, &mut values);
    }
    // What the conflict does not show, nobody need look for elsewhere.
    values.into_iter().any(|value| {
        value.len() >= SHORTEST_VALUE
            && !is_time(value)
            && shows(conflict.response, value)
            && belongs_to_one(docket, attempt, value)
    })
}

/// Whether a value stands in no answer to another key, of which there are some, nor in a request.
fn belongs_to_one(docket: &Docket<'_, '_>, attempt: usize, value: &str) -> bool {
    let facts = &docket.facts;
    let mut others = facts
        .iter()
        .filter(|fact| fact.key != facts[attempt].key)
        .filter_map(|fact| fact.answer().filter(|answer| answer.succeeded))
        .map(|answer| answer.response.body.text())
        .peekable();
    let mut requests = docket.case.attempts.iter().filter_map(|sent| sent.start.request.body.as_deref());
    let mut identities = facts.iter().filter_map(Fact::success_identity);
    others.peek().is_some()
        && !identities.any(|identity| value == identity || names(value, identity))
        && !others.any(|other| other.contains(value))
        && !requests.any(|request| request.contains(value))
}

fn leaves<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(values) => values.iter().for_each(|value| leaves(value, found)),
        Value::Object(members) => members.values().for_each(|value| leaves(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Whether a value is a pointer at the resource, for example its URL. A short identity stands in any text by accident.
fn names(value: &str, identity: &str) -> bool {
    value.rsplit('/').next() == Some(identity) || (identity.len() >= SHORTEST_VALUE && value.contains(identity))
}

/// Two answers of the same second have the same time in them.
fn is_time(value: &str) -> bool {
    let digits = value.chars().take_while(char::is_ascii_digit).count();
    digits == value.len() || (digits == 4 && value[digits..].starts_with('-'))
}

/// Whether a text stands in the content of an answer or in a header field.
fn shows(response: &Response, wanted: &str) -> bool {
    response.headers.iter().any(|(_, value)| value.contains(wanted)) || response.body.text().contains(wanted)
}
