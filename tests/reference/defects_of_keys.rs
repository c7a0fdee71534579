//! Keys that are taken for others or not taken as documented, parameters that are compared wrongly, scopes that are too
//! wide or too narrow: each defect shown by what it alone does.

use idemspec::reference::Defect;

use crate::client::Answer;
use crate::fixture::{CHANGED, Fixture, INVALID, ORDER, number};

const REORDERED: &str = r#"{ "quantity":2, "reference":"r", "product":"notebook" }"#;
const OTHER_PRODUCT: &str = r#"{"product":"pen","quantity":2,"reference":"r"}"#;

/// The order was carried out, and not replayed.
#[track_caller]
fn assert_executed(answer: &Answer) {
    assert_eq!((answer.status, answer.replayed()), (201, false), "{answer:?}");
}

#[track_caller]
fn assert_replays(answer: &Answer, first: &Answer) {
    assert_eq!((answer.status, answer.replayed(), &answer.body), (201, true, &first.body));
}

fn overlong(last: &str) -> String {
    format!("{}{last}", "x".repeat(255))
}

#[test]
fn unprotected_operation_ignores_the_keys_of_reservations() {
    let target = Fixture::broken(Defect::UnprotectedOperation);
    let reserve = || target.send("POST", "/reservations", &[("Idempotency-Key", "k")], Some(ORDER));
    for number in 1..=2 {
        assert_eq!(reserve().json()["reservation_id"], number);
    }
    let first = target.order("k", ORDER);
    assert_replays(&target.order("k", ORDER), &first);
    assert_eq!(target.send("POST", "/reservations", &[], Some(ORDER)).code(), "key-missing");
}

#[test]
fn key_optional_carries_out_what_has_no_key() {
    let target = Fixture::broken(Defect::KeyOptional);
    for expected in 1..=2 {
        assert_eq!(number(&target.send("POST", "/orders", &[], Some(ORDER))), expected);
    }
    assert_eq!(target.order("", ORDER).code(), "key-invalid");
    let first = target.order("k", ORDER);
    assert_replays(&target.order("k", ORDER), &first);
}

#[test]
fn fold_case_and_strip_quotes_merge_keys() {
    for (defect, key, other) in
        [(Defect::FoldCase, "Key", "kEY"), (Defect::StripQuotes, "k", "\"k\""), (Defect::StripQuotes, "\"k\"", "k")]
    {
        let target = Fixture::broken(defect);
        let first = target.order(key, ORDER);
        assert_replays(&target.order(other, ORDER), &first);
        assert_eq!(target.order(other, CHANGED).code(), "key-reused");
        assert_executed(&target.order("another", ORDER));
        let sound = Fixture::sound();
        sound.order(key, ORDER);
        assert_executed(&sound.order(other, ORDER));
    }
}

#[test]
fn overlong_keys_are_ignored_cut_or_fatal() {
    let target = Fixture::broken(Defect::OverlongUnprotected);
    for expected in 1..=2 {
        assert_eq!(number(&target.order(&overlong("a"), ORDER)), expected);
    }
    let target = Fixture::broken(Defect::OverlongCut);
    let first = target.order(&overlong("a"), ORDER);
    assert_replays(&target.order(&overlong("b"), ORDER), &first);
    let target = Fixture::broken(Defect::OverlongCrashes);
    assert_eq!(target.order(&overlong("a"), ORDER).status, 500);
    assert_eq!(target.count(), 0);
    for defect in [Defect::OverlongUnprotected, Defect::OverlongCut, Defect::OverlongCrashes] {
        let target = Fixture::broken(defect);
        let first = target.order(&"x".repeat(255), ORDER);
        assert_replays(&target.order(&"x".repeat(255), ORDER), &first);
    }
}

#[test]
fn empty_is_a_key_and_malformed_accepted_take_what_is_no_key() {
    for (defect, odd, still_refused) in [(Defect::EmptyIsAKey, "", "a\tb"), (Defect::MalformedAccepted, "a\tb", "")] {
        let target = Fixture::broken(defect);
        let first = target.order(odd, ORDER);
        assert_executed(&first);
        assert_replays(&target.order(odd, ORDER), &first);
        assert_eq!(target.order(odd, CHANGED).code(), "key-reused");
        assert_eq!(target.order(still_refused, ORDER).code(), "key-invalid", "{defect}");
    }
}

#[test]
fn blind_to_method_replays_for_another_method() {
    let target = Fixture::broken(Defect::BlindToMethod);
    let put = |key: &str| target.send("PUT", "/orders", &[("Idempotency-Key", key)], Some(ORDER));
    let first = target.order("k", ORDER);
    assert_replays(&put("k"), &first);
    assert_executed(&put("k2"));
    assert_eq!(target.send("PUT", "/orders", &[], Some(ORDER)).code(), "key-missing");
    assert_eq!(target.count(), 2);
}

#[test]
fn fingerprint_some_fields_sees_another_product_and_no_other_quantity() {
    let target = Fixture::broken(Defect::FingerprintSomeFields);
    let first = target.order("k", ORDER);
    assert_replays(&target.order("k", CHANGED), &first);
    assert_replays(&target.order("k", INVALID), &first);
    assert_eq!(target.order("k", OTHER_PRODUCT).code(), "key-reused");
}

#[test]
fn key_and_body_and_key_and_bytes_execute_what_looks_different() {
    for defect in [Defect::KeyAndBody, Defect::KeyAndBytes] {
        let target = Fixture::broken(defect);
        let first = target.order("k", ORDER);
        assert_replays(&target.order("k", ORDER), &first);
        assert_executed(&target.order("k", CHANGED));
        assert_executed(&target.order("k2", ORDER));
        let reordered = target.order("k", REORDERED);
        assert_eq!(reordered.replayed(), defect == Defect::KeyAndBody, "{defect}");
        assert_replays(&target.order("k", ORDER), &first);
    }
}

#[test]
fn conflict_frees_key_lets_the_original_act_again() {
    let target = Fixture::broken(Defect::ConflictFreesKey);
    let first = target.order("k", ORDER);
    assert_replays(&target.order("k", ORDER), &first);
    assert_eq!(target.order("k", CHANGED).code(), "key-reused");
    let again = target.order("k", ORDER);
    assert_executed(&again);
    assert_replays(&target.order("k", ORDER), &again);
    assert_eq!(target.count(), 2);
}

#[test]
fn conflict_leaks_quotes_the_stored_answer() {
    let target = Fixture::broken(Defect::ConflictLeaks);
    let first = target.order("k", ORDER);
    let refused = target.order("k", CHANGED);
    assert_eq!((refused.status, refused.code().as_str()), (409, "key-reused"));
    assert_eq!(refused.json()["original"], first.json());
    assert_replays(&target.order("k", ORDER), &first);
}

#[test]
fn squatted_keys_are_lost_to_others() {
    for (defect, account, path) in [
        (Defect::SquattedAcrossAccounts, "Bearer ada", "/orders"),
        (Defect::SquattedAcrossOperations, "Bearer default", "/reservations"),
    ] {
        let target = Fixture::broken(defect);
        let first = target.order("k", ORDER);
        let other =
            |key| target.send("POST", path, &[("Idempotency-Key", key), ("Authorization", account)], Some(ORDER));
        assert_eq!(other("k").code(), "key-used-elsewhere", "{defect}");
        assert_eq!(other("k2").status, 201);
        assert_replays(&target.order("k", ORDER), &first);
    }
}
