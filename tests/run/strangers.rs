//! Sound servers of another kind than the reference API: they are blamed for nothing that they never promised.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use idemspec::contract::Requirement;
use idemspec::oracle::Judgement;
use idemspec::profile;

use crate::order_api::{soundly, start};
use crate::profiles::judged;
use crate::support::{Answer, Asked, run, write_file};

const PROFILE: &str = r#"
profile: stranger
title: An API that looks at tokens and limits before it looks at keys
target: {environment: local, base_url: "http://127.0.0.1:1", auth: {bearer: good}}
operation:
  request: {method: POST, path: /orders, json: {reference: "{{marker}}"}}
  identity: {json: "$.order_id"}
  parameters:
    unauthenticated: {headers: {Authorization: "Bearer expired"}, draws: {status: 401}}
    throttled: {headers: {X-Too-Many: "yes"}, draws: {status: 429}}
    unavailable: {headers: {X-Outage: "yes"}, draws: {status: 503}}
  effects:
    - request: {method: GET, path: /orders, query: {reference: "{{marker}}"}}
      each: {json: "$.orders[*].order_id"}
  cleanup: {method: DELETE, path: "/orders/{{identity}}"}
contract:
  key: {carrier: {header: Idempotency-Key}}
  retention: {at_least: 24h}
  replay:
    after_success: replays
    after_turning_away: executes
    fidelity: {status: same, body: json, fresh: [set-cookie]}
  conflict: {in_flight: {allow: {rejects: {status: 409}}, ends_within: 2s}}
"#;

/// Turns away what has a bad token, and what asks for it, whatever is known of its key; and orders without a key.
fn guard(asked: &Asked) -> Option<Answer> {
    let turned_away = |status| Some((status, "application/json", format!(r#"{{"turned_away":{status}}}"#)));
    match (asked.header("authorization"), asked.header("x-too-many"), asked.header("x-outage")) {
        (Some("Bearer good"), None, None) if asked.method == "POST" && asked.header("idempotency-key").is_none() => {
            turned_away(400)
        }
        (Some("Bearer good"), None, None) => None,
        (Some("Bearer good"), Some(_), _) => turned_away(429),
        (Some("Bearer good"), None, Some(_)) => turned_away(503),
        _ => turned_away(401),
    }
}

/// The answer with a session and a request number of its own.
fn with_session((status, media_type, body): Answer, number: u64) -> Answer {
    let fields = format!("{media_type}\r\nSet-Cookie: session={number}\r\nX-Request-Id: {number}");
    (status, Box::leak(fields.into_boxed_str()), body)
}

#[test]
fn tokens_before_keys_and_a_new_session_for_every_answer() {
    let number = AtomicU64::new(1);
    let (stub, _) = start(
        |asked, _| guard(asked),
        move |asked, orders| with_session(soundly(asked, orders), number.fetch_add(1, Ordering::SeqCst)),
    );
    let folder = tempfile::tempdir().unwrap();
    let path = write_file(folder.path(), "stranger.yaml", PROFILE);
    let run = run(&[
        &path,
        "--base-url",
        &stub.base_url(),
        "--only",
        "turned-away",
        "--only",
        "status-table",
        "--only",
        "pressure",
    ]);
    let loaded = profile::load(&path).unwrap();
    assert_eq!(judged(&loaded, &run, Judgement::Violated), BTreeSet::new(), "{}", run.stdout);
    let held = judged(&loaded, &run, Judgement::Holds);
    for requirement in [
        Requirement::RetentionKept,
        Requirement::ReplayAfterSuccess,
        Requirement::ReplayAfterTurningAway,
        Requirement::ReplayFidelity,
    ] {
        assert!(held.contains(&requirement), "{requirement}: {}", run.stdout);
    }
}
