//! What each defect remembers, compares and sends again that it should not, or does not although it should.

use std::time::Duration;

use idemspec::reference::Defect;

use crate::client::Answer;
use crate::fixture::{CHANGED, FOR_EVER, Fixture, INVALID, ORDER, contract, number, parse};

const FAILING: &str = r#"{"product":"out-of-stock","quantity":2,"reference":"r"}"#;
const CRASHING: &str = r#"{"product":"broken","quantity":2,"reference":"r"}"#;
const REORDERED: &str = r#"{ "quantity":2, "reference":"r", "product":"notebook" }"#;

fn advance(target: &Fixture, by: &str) {
    let body = format!(r#"{{"advance":"{by}"}}"#);
    assert_eq!(target.send("POST", "/clock", &[], Some(&body)).status, 200);
}

/// What a finished order can rely on, whatever else is broken: its replay, and the refusal of other parameters.
#[track_caller]
fn assert_protected(target: &Fixture, key: &str) {
    let orders = target.count();
    let first = target.order(key, ORDER);
    assert_eq!((first.status, first.replayed()), (201, false));
    let again = target.order(key, ORDER);
    assert_eq!((again.status, again.replayed(), &again.body), (201, true, &first.body));
    assert_eq!(target.order(key, CHANGED).code(), "key-reused");
    assert!(target.order(key, ORDER).replayed());
    assert_eq!(target.count(), orders + 1);
}

#[test]
fn cache_success_only_forgets_failures_and_crashes() {
    let target = Fixture::broken(Defect::CacheSuccessOnly);
    assert_eq!(target.order("f", FAILING).status, 422);
    let again = target.order("f", FAILING);
    assert_eq!((again.status, again.replayed()), (201, false));
    assert!(target.order("f", FAILING).replayed(), "a success is remembered");
    assert_eq!(target.count(), 1);
    for effects in 2..=3 {
        let crash = target.order("c", CRASHING);
        assert_eq!((crash.status, crash.replayed()), (500, false));
        assert_eq!(target.count(), effects);
    }
    assert_protected(&target, "k");
}

#[test]
fn conflict_overwrites_loses_the_original() {
    let target = Fixture::broken(Defect::ConflictOverwrites);
    let first = target.order("k", ORDER);
    assert!(target.order("k", ORDER).replayed());
    let conflict = target.order("k", CHANGED);
    assert_eq!((conflict.status, conflict.code().as_str()), (409, "key-reused"));
    for _ in 0..3 {
        assert_eq!(target.order("k", ORDER).code(), "key-reused", "the original is gone");
    }
    assert_eq!(target.order("k", CHANGED).code(), "key-reused", "and the intruder gets nothing either");
    assert_eq!(target.count(), 1);
    assert_eq!(target.send("GET", "/orders/1", &[], None).body, first.body);
    assert_eq!(target.order("k2", INVALID).status, 400);
    assert_eq!(target.order("k2", ORDER).status, 201);
}

#[test]
fn fingerprint_raw_bytes_takes_another_spelling_for_a_conflict() {
    let target = Fixture::broken(Defect::FingerprintRawBytes);
    target.order("k", ORDER);
    for spelled in [REORDERED, &format!("{ORDER} ")] {
        assert_eq!(target.order("k", spelled).code(), "key-reused");
    }
    assert!(target.order("k", ORDER).replayed());
    assert_protected(&target, "k2");
}

#[test]
fn burn_key_on_validation_failure_binds_the_key_to_what_was_refused() {
    let target = Fixture::broken(Defect::BurnKeyOnValidationFailure);
    assert_eq!(target.order("k", INVALID).status, 400);
    for _ in 0..2 {
        assert_eq!(target.order("k", ORDER).code(), "key-reused");
    }
    assert_eq!(target.order("k", INVALID).status, 400);
    assert_eq!(target.count(), 0);
    assert_protected(&target, "k2");
}

#[test]
fn expire_early_forgets_after_half_of_the_time() {
    let target = Fixture::broken(Defect::ExpireEarly);
    assert_eq!(number(&target.order("k", ORDER)), 1);
    advance(&target, "11h 59m");
    assert!(target.order("k", ORDER).replayed());
    advance(&target, "1m");
    let anew = target.order("k", ORDER);
    assert_eq!((anew.status, anew.replayed(), number(&anew)), (201, false, 2));
    assert_eq!(target.count(), 2);
    assert_protected(&target, "k2");
}

#[test]
fn never_expire_remembers_for_ever() {
    let target = Fixture::broken(Defect::NeverExpire);
    let first = target.order("k", ORDER);
    advance(&target, "10years");
    let again = target.order("k", ORDER);
    assert_eq!((again.replayed(), &again.body), (true, &first.body));
    assert_eq!(target.order("k", CHANGED).code(), "key-reused");
    assert_eq!(target.count(), 1);
    assert_protected(&target, "k2");
}

#[test]
fn in_flight_for_ever_never_ends_what_did_not_succeed() {
    let target = Fixture::broken(Defect::InFlightForEver);
    for (key, body, status) in [("f", FAILING, 422), ("c", CRASHING, 500)] {
        let first = target.order(key, body);
        assert_eq!((first.status, first.replayed()), (status, false));
        for other in [body, body, CHANGED] {
            let refused = target.order(key, other);
            assert_eq!((refused.status, refused.code().as_str()), (409, "in-flight"), "{other}");
        }
    }
    advance(&target, "48h");
    assert_eq!(target.order("f", FAILING).code(), "in-flight", "not even when its time is over");
    assert_eq!(target.count(), 1, "the crash came after its effect");
    assert_eq!(target.order("k", INVALID).status, 400);
    assert_protected(&target, "k");
}

#[test]
fn in_flight_for_ever_leaves_those_waiting_who_would_wait() {
    let contract = parse("conflict: {in_flight: replays}");
    let target = Fixture::start(contract, Duration::from_millis(5), &[Defect::InFlightForEver]);
    assert_eq!(target.order("f", FAILING).status, 422);
    let copy = crate::client::request("POST", "/orders", &[("Idempotency-Key", "f")], Some(FAILING));
    let mut waiting = crate::client::connect(target.server.address());
    std::io::Write::write_all(&mut waiting, &copy).unwrap();
    waiting.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let silence = std::io::Read::read(&mut waiting, &mut [0; 16]).unwrap_err();
    assert!(matches!(silence.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut), "{silence}");
    assert_eq!(target.order("k", ORDER).status, 201, "others are served");
}

#[test]
fn blind_to_operation_answers_with_what_another_operation_made() {
    let target = Fixture::broken(Defect::BlindToOperation);
    let first = target.order("k", ORDER);
    let reserve = |key: &str, body: &str| target.send("POST", "/reservations", &[("Idempotency-Key", key)], Some(body));
    let reserved = reserve("k", ORDER);
    assert_eq!((reserved.status, reserved.replayed(), &reserved.body), (201, true, &first.body));
    assert_eq!(reserve("k", CHANGED).code(), "key-reused");
    assert_eq!(target.send("GET", "/reservations", &[], None).body, r#"{"reservations":[]}"#);
    assert_eq!(number(&as_account(&target, "ada", "k", ORDER)), 2, "another account is told apart");
    assert_protected(&target, "k2");
}

fn as_account(target: &Fixture, account: &str, key: &str, body: &str) -> Answer {
    let credentials = format!("Bearer {account}");
    target.send("POST", "/orders", &[("Idempotency-Key", key), ("Authorization", &credentials)], Some(body))
}

#[test]
fn blind_to_account_shows_the_order_of_another_account() {
    let target = Fixture::broken(Defect::BlindToAccount);
    let first = target.order("k", ORDER);
    let leaked = as_account(&target, "ada", "k", ORDER);
    assert_eq!((leaked.status, leaked.replayed(), &leaked.body), (201, true, &first.body));
    assert_eq!(as_account(&target, "ada", "k", CHANGED).code(), "key-reused");
    let listed = target.send("GET", "/orders", &[("Authorization", "Bearer ada")], None);
    assert_eq!(listed.body, r#"{"orders":[]}"#, "the lists are kept apart");
    let reserved = target.send("POST", "/reservations", &[("Idempotency-Key", "k")], Some(ORDER));
    assert_eq!(reserved.json()["reservation_id"], 2, "another operation is told apart");
    assert_protected(&target, "k2");
}

#[test]
fn truncate_key_merges_long_keys_that_begin_alike() {
    let target = Fixture::broken(Defect::TruncateKey);
    let longest = |last: &str| format!("{}{last}", "x".repeat(254));
    let first = target.order(&longest("a"), ORDER);
    let other = target.order(&longest("b"), ORDER);
    assert_eq!((other.replayed(), &other.body), (true, &first.body));
    assert_eq!(target.order(&longest("c"), CHANGED).code(), "key-reused");
    assert_eq!(target.order(&"x".repeat(256), ORDER).code(), "key-invalid");
    assert_eq!(target.count(), 1);
    assert_eq!(number(&target.order(&format!("{}a", "y".repeat(63)), ORDER)), 2);
    assert_eq!(number(&target.order(&format!("{}b", "y".repeat(63)), ORDER)), 3);
    assert_protected(&target, "k");
}

#[test]
fn replay_without_marker_looks_like_a_first_answer() {
    let target = Fixture::broken(Defect::ReplayWithoutMarker);
    for (key, body) in [("k", ORDER), ("f", FAILING), ("c", CRASHING)] {
        let first = target.order(key, body);
        let again = target.order(key, body);
        assert_eq!((again.status, &again.body), (first.status, &first.body));
        assert_eq!(again.header("idempotent-replayed"), None);
        assert_eq!(again.header("content-type"), first.header("content-type"));
    }
    assert_eq!(target.order("k", CHANGED).code(), "key-reused");
    assert_eq!(target.count(), 2);
}

#[test]
fn replay_as_200_keeps_the_body_and_not_the_status() {
    let target = Fixture::broken(Defect::ReplayAs200);
    for (key, body, status) in [("k", ORDER, 201), ("f", FAILING, 422), ("c", CRASHING, 500)] {
        let first = target.order(key, body);
        assert_eq!(first.status, status);
        let again = target.order(key, body);
        assert_eq!((again.status, again.replayed(), &again.body), (200, true, &first.body));
    }
    assert_eq!(target.order("k", CHANGED).status, 409);
    assert_eq!(target.count(), 2);
}

#[test]
fn every_defect_serves_a_request_that_nothing_came_before() {
    for defect in Defect::ALL {
        let target = Fixture::broken(*defect);
        assert_eq!(target.order("k", ORDER).status, 201, "{defect}");
        assert_eq!(target.order("k2", INVALID).status, 400, "{defect}");
        let (empty, missing) = (target.order("", ORDER), target.send("POST", "/orders", &[], Some(ORDER)));
        assert_eq!(empty.code() == "key-invalid", *defect != Defect::EmptyIsAKey, "{defect}");
        assert_eq!(missing.code() == "key-missing", *defect != Defect::KeyOptional, "{defect}");
    }
}

#[test]
fn what_is_in_flight_is_told_under_every_defect_that_goes_by_the_key() {
    // The others find records by more than the key, or have none of what is running, or answer otherwise.
    let otherwise = [
        Defect::NoDedup,
        Defect::DedupeByBody,
        Defect::KeyAndBody,
        Defect::KeyAndBytes,
        Defect::RecordAtTheEnd,
        Defect::InFlightCrashes,
        Defect::InFlightAccepted,
    ];
    let by_key = |defect: &&Defect| !otherwise.contains(defect) && !matches!(defect, Defect::LeaseStolen(_));
    for defect in Defect::ALL.iter().filter(by_key) {
        let target = Fixture::start(contract(), FOR_EVER, &[*defect]);
        let _first = target.begin("k", ORDER);
        assert_eq!(target.order("k", ORDER).code(), "in-flight", "{defect}");
        assert_eq!(target.count() == 0, *defect != Defect::EffectBeforeRecord, "{defect}");
    }
}
