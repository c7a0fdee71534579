//! An API that refuses a second thing of the same name, whatever its key.

use std::collections::BTreeSet;
use std::sync::Mutex;

use idemspec::contract::Requirement;
use serde_json::{Value, json};

use crate::support::{Answer, Asked, Run, Stub, run, write_file};

const PROFILE: &str = r#"
profile: names
title: Things with names
target: {environment: local, base_url: "http://127.0.0.1:1"}
operation:
  request:
    method: POST
    path: /things
    json: {name: "NAME", reference: "{{marker}}", size: 1}
  identity: {json: "$.id"}
  parameters:
    changed: {json: {size: 2}}
  effects:
    - request: {method: GET, path: /things, query: {reference: "{{marker}}"}}
      each: {json: "$.things[*].id"}
contract:
  key: {carrier: {header: Idempotency-Key}, max_length: 64}
  replay: {after_success: replays, fidelity: {status: same, body: json}}
  conflict: {changed_parameters: {rejects: {status: 409}}}
"#;

/// What was made: the key that made it, and what was asked for.
type Things = Vec<(Option<String>, Value)>;

fn shown(number: usize, asked: &Value) -> Value {
    json!({"id": number, "name": asked["name"]})
}

fn serve(asked: &Asked, things: &mut Things, keeps_keys: bool) -> Answer {
    let answer = |status, content: Value| (status, "application/json", content.to_string());
    if asked.method == "GET" {
        let reference = asked.target.split("reference=").nth(1).unwrap_or_default();
        let items = things.iter().enumerate().filter(|(_, (_, thing))| thing["reference"] == reference);
        let items: Value = items.map(|(number, (_, thing))| shown(number, thing)).collect();
        return answer(200, json!({"things": items}));
    }
    let thing: Value = serde_json::from_str(&asked.body).unwrap();
    let key = asked.header("idempotency-key").map(str::to_owned);
    if key.as_ref().is_some_and(|key| key.len() > 64) {
        return answer(400, json!({"error": "the key is too long"}));
    }
    let known = things.iter().position(|(known, _)| keeps_keys && key.is_some() && *known == key);
    match known {
        Some(number) if things[number].1 == thing => answer(201, shown(number, &thing)),
        Some(_) => answer(409, json!({"error": "the key is used"})),
        None if things.iter().any(|(_, known)| known["name"] == thing["name"]) => {
            answer(422, json!({"error": "the name is taken"}))
        }
        None => {
            things.push((key, thing.clone()));
            answer(201, shown(things.len() - 1, &thing))
        }
    }
}

fn probe(name: &str, keeps_keys: bool) -> Run {
    let things = Mutex::new(Things::new());
    let target = Stub::start(move |asked| serve(asked, &mut things.lock().unwrap(), keeps_keys));
    let folder = tempfile::tempdir().unwrap();
    let profile = write_file(folder.path(), "names.yaml", &PROFILE.replace("NAME", name));
    run(&[&profile, "--base-url", &target.base_url(), "--only", "key-reuse,key-distinct,key-format,pressure"])
}

#[test]
fn every_action_has_a_name_of_its_own_and_its_repeats_have_the_same() {
    let sound = probe("{{marker}}/{{action}}", true);
    sound.assert_code(0);
    assert_eq!(sound.violated(), BTreeSet::new(), "{}", sound.stdout);
    for requirement in [
        Requirement::KeyFresh,
        Requirement::KeyOverlong,
        Requirement::ReplayAfterSuccess,
        Requirement::ReplaySingleEffect,
        Requirement::ConflictChangedParameters,
        Requirement::ConflictOriginalSurvives,
    ] {
        assert!(sound.held().contains(&requirement), "{requirement}\n{}", sound.stdout);
    }
}

/// A name that actions share shows nothing but that names are unique.
#[test]
fn a_name_that_actions_share_is_no_way_to_probe_such_an_api() {
    assert_ne!(probe("{{marker}}", true).code, 0);
}

/// Unique names keep a second effect away. That keys are not known is seen all the same.
#[test]
fn a_name_does_not_stand_in_for_a_key() {
    let broken = probe("{{marker}}/{{action}}", false);
    broken.assert_code(1);
    assert!(broken.violated().contains(&Requirement::ReplayAfterSuccess), "{}", broken.stdout);
    assert!(!broken.violated().contains(&Requirement::ReplaySingleEffect), "{}", broken.stdout);
}
