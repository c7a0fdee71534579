//! Nothing that a contract can say is left out of the comparison: each field of a contract that has them all is changed
//! and taken away, one at a time, and each time a line must differ.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Agreement, Party, compare};
use crate::contract::Contract;

/// A contract that says everything that can be said.
const FULL: &str = r#"
key:
  carrier: {header: Idempotency-Key}
  encoding: quoted
  first_sent: {header: First-Sent, incomplete: {allow: {rejects: {status: 400}}, level: may, source: a, note: b}}
  generated_by: client
  recommended: uuid-v4
  min_length: 20
  max_length: 255
  with: [amount]
  ignores: [case]
  missing: {rejects: {status: 400}}
  empty: {rejects: {status: 400}}
  malformed: {rejects: {status: 400}}
  overlong: {rejects: {status: 400}}
  level: should
  source: a
retention: {at_least: 24h, at_most: 48h, anchor: first, expired: executes, level: should, source: a}
replay:
  after_success: replays
  after_failure: [{when: {status: 402}, allow: replays}, {allow: executes, level: may, effects: repeatable}]
  after_server_error: executes
  after_validation_failure: executes
  after_turning_away: executes
  after_change: refreshes
  rate_limited: {rejects: {status: 429}}
  settle: 1s
  fidelity: {status: [200, 201], body: json, volatile: ["$.at"], headers: [location], fresh: [set-cookie], level: may, source: a}
  marker: {header: Idempotent-Replayed, equals: "yes", first_answer: either, level: may, source: a}
  not_executed: {header: {Tracked: rejected}}
  client_waits: 1s
  client_retries_for: 12h
  level: should
  source: a
conflict:
  changed_parameters: {amount: {rejects: {status: [409, 4xx], json: {"$.code": reused, "$.at": {present: true}}}}, title: replays}
  equivalent_parameters: replays
  in_flight: {allow: {rejects: {status: 409, xml: {/error/code: busy}}}, ends_within: 30s, level: may, source: a, note: b}
  in_flight_changed: {rejects: {status: 409, header: {X-Code: {contains: busy}}}}
  level: should
  source: a
scope:
  methods: [POST]
  other_methods: executes
  other_account: executes
  other_operation: executes
  replicas: replays
  store_unavailable: {rejects: {status: 503}}
  level: should
  source: a
"#;

/// What is said for the reader alone.
const REMARKS: [&str; 2] = ["source", "note"];

fn full() -> Value {
    let contract: Contract = serde_json::from_value(serde_yaml::from_str(FULL).unwrap()).unwrap();
    serde_json::to_value(contract).unwrap()
}

fn is_seen(changed: &Contract) -> bool {
    let full: Contract = serde_json::from_value(full()).unwrap();
    let party = |contract| Party { profile: "a", title: "A", contract };
    let comparison = compare(party(&full), party(changed));
    comparison.lines.iter().any(|line| !line.is_silent() && line.agreement != Agreement::Same)
}

/// The pointers to everything below a value.
fn pointers(value: &Value, pointer: &str, found: &mut Vec<String>) {
    let below: Vec<(String, &Value)> = match value {
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.replace('~', "~0").replace('/', "~1"), value)).collect()
        }
        Value::Array(items) => items.iter().enumerate().map(|(index, value)| (index.to_string(), value)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    };
    for (name, value) in below {
        let pointer = format!("{pointer}/{name}");
        found.push(pointer.clone());
        pointers(value, &pointer, found);
    }
}

fn is_remark(pointer: &str) -> bool {
    REMARKS.iter().any(|remark| pointer.ends_with(&format!("/{remark}")))
}

/// Other values, of which at least one fits wherever a contract has a value.
fn others() -> Vec<Value> {
    let words = "executes replays refreshes quoted bare server client last-use bytes identity must should may once with \
                 PATCH quotes 72h other $.other";
    let words = words.split_whitespace().map(Value::from);
    words.chain([json!(418), json!(true), json!(false)]).collect()
}

fn without(document: &Value, pointer: &str) -> Value {
    let mut document = document.clone();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    match document.pointer_mut(parent).unwrap() {
        Value::Object(members) => drop(members.shift_remove(&name.replace("~1", "/").replace("~0", "~"))),
        Value::Array(items) => drop(items.remove(name.parse().unwrap())),
        other => panic!("nothing can be taken from {other}"),
    }
    document
}

#[test]
fn every_field_that_is_changed_is_seen() {
    let (document, mut all) = (full(), Vec::new());
    pointers(&document, "", &mut all);
    let mut changes = 0;
    for pointer in all.iter().filter(|pointer| !is_remark(pointer)) {
        let value = document.pointer(pointer).unwrap();
        if value.is_object() || value.is_array() {
            continue;
        }
        let mut changed_here = 0;
        for other in others().into_iter().filter(|other| other != value) {
            let mut changed = document.clone();
            *changed.pointer_mut(pointer).unwrap() = other.clone();
            let Ok(contract) = serde_json::from_value::<Contract>(changed) else { continue };
            if serde_json::to_value(&contract).unwrap() == document {
                continue;
            }
            assert!(is_seen(&contract), "{pointer} became {other}, and no line differs");
            changed_here += 1;
        }
        assert!(changed_here > 0, "nothing else fits at {pointer}");
        changes += changed_here;
    }
    assert!(changes > 200, "{changes}");
}

#[test]
fn every_field_that_is_taken_away_is_seen() {
    let (document, mut all) = (full(), Vec::new());
    pointers(&document, "", &mut all);
    let mut taken = 0;
    for pointer in all.iter().filter(|pointer| !is_remark(pointer)) {
        let Ok(contract) = serde_json::from_value::<Contract>(without(&document, pointer)) else { continue };
        if serde_json::to_value(&contract).unwrap() == document {
            continue;
        }
        assert!(is_seen(&contract), "{pointer} was taken away, and no line differs");
        taken += 1;
    }
    assert!(taken > 60, "{taken}");
}

#[test]
fn the_full_contract_has_every_field_that_there_is() {
    let schema = serde_json::to_value(schemars::schema_for!(Contract)).unwrap();
    let mut named = BTreeSet::new();
    properties(&schema, &mut named);
    let (document, mut all) = (full(), Vec::new());
    pointers(&document, "", &mut all);
    let present: BTreeSet<String> =
        all.iter().filter_map(|pointer| pointer.rsplit('/').next()).map(str::to_owned).collect();
    // What is one of several: no contract has two carriers.
    let alternatives = ["query", "form", "json", "header"].map(str::to_owned);
    let missing: Vec<&String> =
        named.iter().filter(|name| !present.contains(*name) && !alternatives.contains(*name)).collect();
    assert!(missing.is_empty(), "a contract can also say {missing:?}: add it, and see that the comparison looks at it");
}

/// The names of all members that a schema knows.
fn properties(schema: &Value, named: &mut BTreeSet<String>) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::Object(own)) = members.get("properties") {
                named.extend(own.keys().cloned());
            }
            members.values().for_each(|value| properties(value, named));
        }
        Value::Array(items) => items.iter().for_each(|value| properties(value, named)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
