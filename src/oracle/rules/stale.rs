//! `replay.after-change`, where the contract promises the current state alone: an answer that still tells what the
//! resource was before it was changed is the first answer again, and stale.

use serde_json::{Map, Value};

use super::super::docket::Docket;
use super::super::situation::World;
use super::super::terms::Terms;
use crate::contract::Situation;

/// Whether the answer tells a value that the listed resource had before its change, and has no more.
pub(super) fn is_stale(docket: &Docket<'_, '_>, attempt: usize, world: &World, terms: &Terms<'_>) -> bool {
    let current_alone = terms.allows_refreshing() && !terms.allows_replaying() && !terms.allows_executing();
    let Some(first) = world.first.filter(|_| world.situation == Situation::AfterChange && current_alone) else {
        return false;
    };
    let content = |index: usize| docket.facts[index].answer().and_then(|answer| docket.document(answer));
    let (Some(was), Some(is)) = (content(first), content(attempt)) else {
        return false;
    };
    let listed = listed(docket, first, attempt);
    let Some(names) = listed.last().map(|latest| latest.keys()) else {
        return false;
    };
    names.into_iter().any(|name| {
        let values: Vec<Option<&Value>> = listed.iter().map(|item| item.get(name)).collect();
        let before = changed_from(&values);
        before.is_some() && only(was, name) == before && only(is, name) == before
    })
}

/// The resource of the first attempt as it was listed from then until an attempt, as far as it was.
fn listed(docket: &Docket<'_, '_>, first: usize, attempt: usize) -> Vec<Map<String, Value>> {
    let (from, to) = (docket.facts[first].id.0, docket.facts[attempt].id.0);
    let identity = docket.facts[first].success_identity();
    let reads = docket.effects.group(first).series.first().map_or(&[][..], |series| series.reads.as_slice());
    reads
        .iter()
        .filter(|read| (from..to).contains(&read.after) && read.failure.is_none())
        .filter_map(|read| read.items.iter().find(|item| Some(item.identity.as_str()) == identity))
        .filter_map(|item| serde_json::from_str(item.content.as_deref()?).ok())
        .collect()
}

/// The value before the one change in a series of values that stood still before it and after it.
fn changed_from<'v>(values: &[Option<&'v Value>]) -> Option<&'v Value> {
    let change = values.windows(2).position(|pair| pair[0] != pair[1])?;
    let (before, since) = values.split_at(change + 1);
    let still = before.len() >= 2 && since.len() >= 2 && since.iter().all(|value| *value == since[0]);
    before[0].filter(|_| still && since[0].is_some())
}

/// The value of the only member with this name, however deep it stands.
fn only<'v>(content: &'v Value, name: &str) -> Option<&'v Value> {
    let mut found = Vec::new();
    collect(content, name, &mut found);
    match found.as_slice() {
        [value] => Some(*value),
        _ => None,
    }
}

fn collect<'v>(content: &'v Value, name: &str, found: &mut Vec<&'v Value>) {
    match content {
        Value::Object(members) => {
            found.extend(members.get(name));
            members.values().for_each(|member| collect(member, name, found));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, name, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
