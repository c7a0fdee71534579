//! Other contracts than the shipped one, kept as well.

use std::time::Duration;

use crate::client::read;
use crate::fixture::{CHANGED, Fixture, INVALID, ORDER, number, parse};

fn serving(contract: &str) -> Fixture {
    Fixture::start(parse(contract), Duration::from_millis(40), &[])
}

#[test]
fn a_duplicate_can_wait_for_the_first_answer() {
    let target = serving(
        "{conflict: {in_flight: replays, in_flight_changed: {rejects: {status: 409}}},
          replay: {marker: {header: Idempotent-Replayed}}}",
    );
    for round in 1..=20 {
        let key = format!("k{round}");
        let mut first = target.begin(&key, ORDER);
        let second = target.order(&key, ORDER);
        let first = read(&mut first);
        assert_eq!((first.status, first.replayed()), (201, false));
        assert_eq!((second.status, second.replayed(), &second.body), (201, true, &first.body));
        assert_eq!(target.count(), round);
        if target.line(|line| line.note.ends_with("replays")).note.contains("may still be running → waits; ") {
            return;
        }
    }
    panic!("the second never came while the first was running");
}

#[test]
fn a_duplicate_can_get_the_current_state() {
    let target = serving("replay: {after_success: refreshes, after_change: refreshes}");
    target.order("k", ORDER);
    target.send("PATCH", "/orders/1", &[], Some(r#"{"quantity":9}"#));
    assert_eq!(target.order("k", ORDER).json()["quantity"], 9);
    assert_eq!(target.count(), 1);
}

#[test]
fn a_duplicate_can_be_refused_with_a_pointer_to_the_order() {
    let target =
        serving(r#"replay: {after_success: {rejects: {status: 409, json: {"$.links.order": "{{identity}}"}}}}"#);
    let first = number(&target.order("k", ORDER));
    let again = target.order("k", ORDER);
    assert_eq!((again.status, &again.json()["links"]["order"]), (409, &first.to_string().into()));
}

#[test]
fn a_refusal_before_execution_can_be_saved() {
    let target = serving("{replay: {after_validation_failure: replays, marker: {header: Idempotent-Replayed}}}");
    assert_eq!(target.order("k", INVALID).status, 400);
    assert!(target.order("k", INVALID).replayed());
    assert_eq!(target.order("k", ORDER).code(), "key-reused");
}

#[test]
fn a_failure_can_be_tried_again() {
    let target = serving("replay: {after_failure: executes, after_server_error: executes}");
    for product in ["out-of-stock", "broken"] {
        let failing = format!(r#"{{"product":"{product}","quantity":2,"reference":"r"}}"#);
        assert!(target.order(product, &failing).status >= 422);
        assert_eq!(target.order(product, ORDER).status, 201);
    }
    assert_eq!(target.count(), 2);
}

#[test]
fn a_failure_that_is_carried_out_again_may_succeed_and_a_crash_comes_before_its_effect() {
    let target = serving("replay: {after_failure: executes, after_server_error: executes}");
    let failing = r#"{"product":"out-of-stock","quantity":2,"reference":"r"}"#;
    assert_eq!(target.order("f", failing).status, 422);
    assert_eq!(target.order("f", failing).status, 201);
    assert_eq!(target.order("g", r#"{"product":"out-of-stock","quantity":2,"reference":"s"}"#).status, 422);
    assert_eq!(target.count(), 1);
    for _ in 0..2 {
        assert_eq!(target.order("c", r#"{"product":"broken","quantity":2,"reference":"r"}"#).status, 500);
    }
    assert_eq!(target.count(), 1);
}

#[test]
fn changed_parameters_can_execute_or_replay() {
    let executes = serving("conflict: {changed_parameters: executes}");
    assert_eq!(number(&executes.order("k", ORDER)), 1);
    assert_eq!(number(&executes.order("k", CHANGED)), 2);
    assert_eq!(number(&executes.order("k", ORDER)), 1);
    let replays = serving("conflict: {changed_parameters: replays}");
    assert_eq!(number(&replays.order("k", ORDER)), 1);
    assert_eq!(number(&replays.order("k", CHANGED)), 1);
}

#[test]
fn keys_can_reach_beyond_their_account_and_operation() {
    let target = serving("scope: {other_account: {rejects: {status: 403}}, other_operation: replays}");
    assert_eq!(number(&target.order("k", ORDER)), 1);
    let ada = [("Idempotency-Key", "k"), ("Authorization", "Bearer ada")];
    assert_eq!(target.send("POST", "/orders", &ada, Some(ORDER)).status, 403);
    let reserved = target.send("POST", "/reservations", &[("Idempotency-Key", "k")], Some(ORDER));
    assert_eq!(number(&reserved), 1);
}

#[test]
fn a_request_without_a_key_can_execute() {
    let target = serving("key: {carrier: {header: Idempotency-Key}, missing: executes}");
    for expected in 1..=2 {
        assert_eq!(number(&target.send("POST", "/orders", &[], Some(ORDER))), expected);
    }
}

#[test]
fn keys_travel_where_the_contract_says() {
    let quoted = serving("key: {carrier: {header: Idempotency-Key}, encoding: quoted, missing: {rejects: {}}}");
    assert_eq!(quoted.order("k", ORDER).code(), "key-invalid");
    assert_eq!(number(&quoted.order("\"k\"", ORDER)), 1);
    assert_eq!(number(&quoted.order("\"k\"", ORDER)), 1);

    let query = serving("key: {carrier: {query: token}, missing: {rejects: {}}}");
    assert_eq!(query.order("k", ORDER).code(), "key-missing");
    let send = |path| number(&query.send("POST", path, &[], Some(ORDER)));
    assert_eq!([send("/orders?token=a"), send("/orders?token=b"), send("/orders?token=a")], [1, 2, 1]);

    let json = serving("key: {carrier: {json: /token}, missing: {rejects: {}}}");
    assert_eq!(json.order("k", ORDER).code(), "key-missing");
    let send = |body| number(&json.send("POST", "/orders", &[], Some(body)));
    let first = send(r#"{"token":"a","product":"n","quantity":1}"#);
    let fresh = send(r#"{"token":"b","product":"n","quantity":1}"#);
    let again = send(r#"{"product":"n","quantity":1,"token":"a"}"#);
    assert_eq!([first, fresh, again], [1, 2, 1]);
}

#[test]
fn an_expired_key_can_be_refused() {
    let target = serving("retention: {at_most: 1h, expired: {rejects: {status: 410}}}");
    target.order("k", ORDER);
    target.send("POST", "/clock", &[], Some(r#"{"advance":"1h"}"#));
    let refused = target.order("k", ORDER);
    assert_eq!((refused.status, refused.code().as_str()), (410, "key-expired"));
    assert_eq!(target.count(), 1);
}

#[test]
fn where_the_contract_is_silent_a_key_still_protects() {
    let target = serving("{}");
    assert_eq!(target.order("k", INVALID).status, 400);
    let first = target.order("k", ORDER);
    assert_eq!(first.status, 201);
    assert_eq!(target.order("k", ORDER).body, first.body);
    assert_eq!(target.order("k", CHANGED).code(), "key-reused");
    for (product, status) in [("out-of-stock", 422), ("broken", 500)] {
        let failing = format!(r#"{{"product":"{product}","quantity":2}}"#);
        assert_eq!(target.order(product, &failing).status, status);
        assert_eq!(target.order(product, ORDER).code(), "key-reused", "{product}: kept");
    }
    assert_eq!(target.send("POST", "/orders", &[], Some(ORDER)).status, 201);
    assert_eq!(target.count(), 2);
}
