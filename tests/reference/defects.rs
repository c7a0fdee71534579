//! Each defect, shown to misbehave in the way that it describes and in no other that could be seen beside it.

use idemspec::reference::Defect;

use crate::fixture::{CHANGED, Fixture, INVALID, ORDER, number};

#[test]
fn no_dedup_executes_every_time() {
    let target = Fixture::broken(Defect::NoDedup);
    for expected in 1..=3 {
        let answer = target.order("k", ORDER);
        assert_eq!((answer.status, answer.replayed(), number(&answer)), (201, false, expected));
    }
    assert_eq!(number(&target.order("k", CHANGED)), 4);
    assert_eq!(target.count(), 4);
    assert_eq!(target.order("", ORDER).code(), "key-invalid");
    assert_eq!(target.send("POST", "/orders", &[], Some(ORDER)).code(), "key-missing");
}

#[test]
fn ignore_parameters_replays_for_other_parameters() {
    let target = Fixture::broken(Defect::IgnoreParameters);
    let first = target.order("k", ORDER);
    for other in [CHANGED, INVALID, ORDER] {
        let answer = target.order("k", other);
        assert_eq!((answer.status, answer.replayed(), &answer.body), (201, true, &first.body));
    }
    assert_eq!(target.count(), 1);
    assert_eq!(number(&target.order("k2", CHANGED)), 2);
    assert_eq!(target.order("k3", INVALID).status, 400);
    assert_eq!(target.order("k3", ORDER).status, 201);
}

#[test]
fn double_effect_answers_once_and_acts_twice() {
    let target = Fixture::broken(Defect::DoubleEffect);
    let first = target.order("k", ORDER);
    assert_eq!((first.status, number(&first)), (201, 1));
    assert_eq!(target.count(), 2);
    let again = target.order("k", ORDER);
    assert_eq!((again.replayed(), &again.body), (true, &first.body));
    assert_eq!(target.count(), 2);
    assert_eq!(target.order("k", CHANGED).code(), "key-reused");
    assert_eq!(target.order("k2", INVALID).status, 400);
    assert_eq!(target.count(), 2);
}

#[test]
fn dedupe_by_body_takes_the_body_for_the_key() {
    let target = Fixture::broken(Defect::DedupeByBody);
    let first = target.order("k", ORDER);
    let other_key = target.order("k2", ORDER);
    assert_eq!((other_key.replayed(), &other_key.body), (true, &first.body));
    assert_eq!(target.count(), 1);
    let other_body = target.order("k", CHANGED);
    assert_eq!((other_body.status, other_body.replayed(), number(&other_body)), (201, false, 2));
    assert_eq!(target.count(), 2);
    assert_eq!(target.order("k", ORDER).body, first.body);
    assert_eq!(target.send("POST", "/orders", &[], Some(ORDER)).code(), "key-missing");
}

#[test]
fn defects_can_be_combined() {
    let (contract, latency) = (crate::fixture::contract(), std::time::Duration::from_millis(5));
    let target = Fixture::start(contract, latency, &[Defect::DoubleEffect, Defect::IgnoreParameters]);
    let first = target.order("k", ORDER);
    assert_eq!(target.order("k", CHANGED).body, first.body);
    assert_eq!(target.count(), 2);
}
