//! Every promise of the shipped contract, kept.

use std::time::{Duration, Instant};

use idemspec::reference::SLOW_FACTOR;

use crate::client::{exchange, read, request};
use crate::fixture::{CHANGED, FOR_EVER, Fixture, INVALID, ORDER, SLOW, contract, number};

#[test]
fn a_repeat_of_a_success_is_the_first_answer_with_a_marker() {
    let target = Fixture::sound();
    let first = target.order("k", ORDER);
    assert_eq!(first.status, 201);
    assert_eq!(first.body, r#"{"order_id":1,"product":"notebook","quantity":2,"reference":"r"}"#);
    assert_eq!(first.header("idempotent-replayed"), None);
    for _ in 0..3 {
        let again = target.order("k", ORDER);
        assert_eq!((again.status, &again.body), (201, &first.body));
        assert_eq!(again.header("content-type"), first.header("content-type"));
        assert!(again.replayed());
    }
    assert_eq!(target.count(), 1);
}

#[test]
fn a_fresh_key_is_a_new_action() {
    let target = Fixture::sound();
    assert_eq!(number(&target.order("k", ORDER)), 1);
    assert_eq!(number(&target.order("K", ORDER)), 2);
    assert_eq!(number(&target.order("\"k\"", ORDER)), 3);
    assert_eq!(target.count(), 3);
}

#[test]
fn a_refusal_before_execution_is_not_saved() {
    let target = Fixture::sound();
    for _ in 0..2 {
        let refused = target.order("k", INVALID);
        assert_eq!((refused.status, refused.body.as_str()), (400, r#"{"error":"invalid parameters"}"#));
        assert!(!refused.replayed());
    }
    assert_eq!(target.count(), 0);
    assert_eq!(target.order("k", ORDER).status, 201);
    assert_eq!(target.count(), 1);
}

#[test]
fn a_failure_and_a_crash_are_saved() {
    let target = Fixture::sound();
    for (key, product, status, left_behind) in [("f", "out-of-stock", 422, 0), ("c", "broken", 500, 1)] {
        let body = format!(r#"{{"product":"{product}","quantity":2,"reference":"r"}}"#);
        let first = target.order(key, &body);
        let again = target.order(key, &body);
        assert_eq!((first.status, first.replayed()), (status, false));
        assert_eq!((again.status, again.replayed()), (status, true));
        assert_eq!(first.body, again.body);
        assert_eq!(target.order(key, ORDER).code(), "key-reused");
        assert_eq!(target.count(), left_behind, "{product}");
    }
}

#[test]
fn changed_parameters_conflict_and_the_original_survives() {
    let target = Fixture::sound();
    let first = target.order("k", ORDER);
    for other in [CHANGED, INVALID, "{", r#"{"product":"notebook","quantity":2}"#] {
        let conflict = target.order("k", other);
        assert_eq!(conflict.status, 409, "{other}");
        assert_eq!(conflict.body, r#"{"error":"key reused with other parameters","code":"key-reused"}"#);
    }
    let again = target.order("k", ORDER);
    assert_eq!((again.status, &again.body), (201, &first.body));
    assert_eq!(target.count(), 1);
}

#[test]
fn the_order_of_members_and_white_space_mean_nothing() {
    let target = Fixture::sound();
    let first = target.order("k", ORDER);
    let again = target.order("k", " {\"reference\": \"r\",\n \"quantity\": 2, \"product\": \"notebook\"} ");
    assert_eq!((again.status, again.replayed()), (201, true));
    assert_eq!(again.body, first.body);
}

#[test]
fn a_duplicate_in_flight_is_refused_at_once() {
    let target = Fixture::start(contract(), FOR_EVER, &[]);
    let _first = target.begin("k", ORDER);
    for body in [ORDER, CHANGED] {
        let refused = target.order("k", body);
        assert_eq!((refused.status, refused.code().as_str()), (409, "in-flight"));
    }
    assert_eq!(target.count(), 0);
}

#[test]
fn in_flight_ends_with_the_answer() {
    let target = Fixture::start(contract(), Duration::from_millis(60), &[]);
    let mut first = target.begin("k", ORDER);
    let first = read(&mut first);
    assert_eq!(first.status, 201);
    let again = target.order("k", ORDER);
    assert_eq!((again.status, again.replayed(), &again.body), (201, true, &first.body));
}

#[test]
fn of_many_copies_at_once_one_executes() {
    let target = Fixture::start(contract(), Duration::from_millis(30), &[]);
    let (address, copy) =
        (target.server.address(), request("POST", "/orders", &[("Idempotency-Key", "k")], Some(ORDER)));
    let answers: Vec<_> = std::thread::scope(|scope| {
        let copies: Vec<_> = (0..20).map(|_| scope.spawn(|| exchange(address, &copy))).collect();
        copies.into_iter().map(|copy| copy.join().unwrap()).collect()
    });
    let firsts = answers.iter().filter(|answer| answer.status == 201 && !answer.replayed()).count();
    assert_eq!(firsts, 1);
    assert!(answers.iter().all(|answer| answer.status == 201 || answer.code() == "in-flight"), "{answers:?}");
    assert_eq!(target.count(), 1);
}

#[test]
fn odd_keys_are_refused() {
    let target = Fixture::sound();
    let missing = target.send("POST", "/orders", &[], Some(ORDER));
    assert_eq!((missing.status, missing.code().as_str()), (400, "key-missing"));
    let overlong = "x".repeat(256);
    for key in ["", "a\tb", "caf\u{e9}", &overlong] {
        let refused = target.order(key, ORDER);
        assert_eq!((refused.status, refused.code().as_str()), (400, "key-invalid"), "{key:?}");
    }
    let twice = [("Idempotency-Key", "a"), ("Idempotency-Key", "b")];
    assert_eq!(target.send("POST", "/orders", &twice, Some(ORDER)).code(), "key-invalid");
    assert_eq!(target.count(), 0);
}

#[test]
fn the_longest_keys_are_told_apart_by_their_last_character() {
    let target = Fixture::sound();
    let longest = |last: &str| format!("{}{last}", "x".repeat(254));
    assert_eq!(number(&target.order(&longest("a"), ORDER)), 1);
    assert_eq!(number(&target.order(&longest("b"), ORDER)), 2);
    assert!(target.order(&longest("a"), ORDER).replayed());
}

#[test]
fn a_key_is_remembered_for_a_day() {
    let target = Fixture::sound();
    let advance = |by: &str| {
        let moved = target.send("POST", "/clock", &[], Some(&format!(r#"{{"advance":"{by}"}}"#)));
        assert_eq!(moved.status, 200);
        moved.json()["elapsed_ms"].as_u64().unwrap()
    };
    assert_eq!(number(&target.order("k", ORDER)), 1);
    let before = advance("23h");
    assert!(target.order("k", ORDER).replayed());
    assert!(advance("1h") >= before + 3_600_000);
    let anew = target.order("k", CHANGED);
    assert_eq!((anew.status, anew.replayed(), number(&anew)), (201, false, 2));
    assert!(target.order("k", CHANGED).replayed());
    assert_eq!(target.order("k", ORDER).code(), "key-reused");
}

#[test]
fn a_replay_does_not_care_what_became_of_the_order() {
    let target = Fixture::sound();
    let first = target.order("k", ORDER);
    assert_eq!(target.send("PATCH", "/orders/1", &[], Some(r#"{"quantity":9}"#)).json()["quantity"], 9);
    assert_eq!(target.order("k", ORDER).body, first.body);
    assert_eq!(target.send("DELETE", "/orders/1", &[], None).status, 204);
    let again = target.order("k", ORDER);
    assert_eq!((again.status, again.replayed(), &again.body), (201, true, &first.body));
    assert_eq!(target.count(), 0);
}

#[test]
fn accounts_have_keys_and_orders_of_their_own() {
    let target = Fixture::sound();
    let as_ada = |method, path, body| {
        target.send(method, path, &[("Idempotency-Key", "k"), ("Authorization", "Bearer ada")], body)
    };
    assert_eq!(number(&target.order("k", ORDER)), 1);
    let other = as_ada("POST", "/orders", Some(CHANGED));
    assert_eq!((number(&other), other.replayed()), (2, false));
    assert!(as_ada("POST", "/orders", Some(CHANGED)).replayed());
    assert!(target.order("k", ORDER).replayed());
    assert_eq!(as_ada("GET", "/orders/1", None).status, 404);
    assert_eq!(as_ada("DELETE", "/orders/1", None).status, 404);
    assert_eq!(as_ada("GET", "/orders", None).json()["orders"].as_array().unwrap().len(), 1);
    assert_eq!(target.count(), 1);
}

#[test]
fn operations_have_keys_of_their_own() {
    let target = Fixture::sound();
    assert_eq!(number(&target.order("k", ORDER)), 1);
    let reserve = || target.send("POST", "/reservations", &[("Idempotency-Key", "k")], Some(ORDER));
    let reserved = reserve();
    assert_eq!((reserved.status, reserved.replayed(), &reserved.json()["reservation_id"]), (201, false, &2.into()));
    assert_eq!(reserve().body, reserved.body);
    assert!(target.order("k", ORDER).replayed());
    assert_eq!(target.count(), 1);
}

#[test]
fn a_key_on_another_method_plays_no_part() {
    let target = Fixture::sound();
    let first = target.order("k", ORDER);
    assert_eq!(number(&first), 1);
    for expected in 2..=3 {
        let put = target.send("PUT", "/orders", &[("Idempotency-Key", "k")], Some(ORDER));
        assert_eq!((put.status, put.replayed(), number(&put)), (201, false, expected));
    }
    assert_eq!(target.order("k", ORDER).body, first.body);
    assert_eq!(number(&target.send("PUT", "/orders", &[], Some(ORDER))), 4);
    let delete = |path| target.send("DELETE", path, &[("Idempotency-Key", "k")], None).status;
    assert_eq!(delete("/orders/1"), 204);
    assert_eq!(delete("/orders/1"), 404);
}

#[test]
fn two_slow_requests_overlap() {
    let target = Fixture::start(contract(), FOR_EVER, &[]);
    let _first = target.begin("a", ORDER);
    let _second = target.begin("b", ORDER);
    assert_eq!(target.order("a", ORDER).code(), "in-flight");
}

#[test]
fn a_slow_order_takes_a_multiple_of_the_latency() {
    let latency = Duration::from_millis(40);
    let target = Fixture::start(contract(), latency, &[]);
    let started = Instant::now();
    assert_eq!(target.order("k", SLOW).status, 201);
    assert!(started.elapsed() >= latency * SLOW_FACTOR);
}
