//! Repeats that are recognised and answered wrongly, and effects that nobody asked for.

use idemspec::reference::Defect;

use crate::client::Answer;
use crate::fixture::{CHANGED, Fixture, ORDER, SLOW, number};

const CRASHING: &str = r#"{"product":"broken","quantity":2,"reference":"r"}"#;
const FAILING: &str = r#"{"product":"out-of-stock","quantity":2,"reference":"r"}"#;

/// An order and its repeat.
fn twice(target: &Fixture, key: &str, body: &str) -> (Answer, Answer) {
    (target.order(key, body), target.order(key, body))
}

/// What two answers have in common.
fn shared(first: &Answer, again: &Answer) -> [bool; 4] {
    let same = |name: &str| first.header(name) == again.header(name);
    [first.status == again.status, first.body == again.body, same("content-type"), same("location")]
}

#[test]
fn a_sound_replay_has_everything_of_the_first_answer_and_the_marker() {
    let target = Fixture::sound();
    let (first, again) = twice(&target, "k", ORDER);
    assert_eq!(first.header("location"), Some("/orders/1"));
    assert_eq!((shared(&first, &again), first.replayed(), again.replayed()), ([true; 4], false, true));
}

#[test]
fn each_unfaithful_replay_lacks_one_thing() {
    for (defect, expected) in [
        (Defect::ReplayAs200, [false, true, true, true]),
        (Defect::ReplayReserialised, [true, false, true, true]),
        (Defect::ReplayEmpty, [true, false, true, true]),
        (Defect::ReplayAsText, [true, true, false, true]),
        (Defect::ReplayWithoutLocation, [true, true, true, false]),
    ] {
        let target = Fixture::broken(defect);
        let (first, again) = twice(&target, "k", ORDER);
        assert_eq!((first.status, first.replayed(), again.replayed()), (201, false, true), "{defect}");
        assert_eq!(shared(&first, &again), expected, "{defect}");
        assert_eq!(target.count(), 1, "{defect}");
        assert_eq!(target.order("k", CHANGED).code(), "key-reused", "{defect}");
    }
}

#[test]
fn replay_reserialised_has_the_same_content_and_replay_empty_none() {
    let (first, again) = twice(&Fixture::broken(Defect::ReplayReserialised), "k", ORDER);
    assert_eq!(first.json(), again.json());
    let (_, again) = twice(&Fixture::broken(Defect::ReplayEmpty), "k", ORDER);
    assert_eq!(again.body, "");
}

#[test]
fn marker_on_everything_marks_what_was_carried_out() {
    let target = Fixture::broken(Defect::MarkerOnEverything);
    for (key, body) in [("k", ORDER), ("f", FAILING), ("c", CRASHING)] {
        let (first, again) = twice(&target, key, body);
        assert_eq!((first.replayed(), again.replayed(), &first.body), (true, true, &again.body));
    }
}

#[test]
fn crash_becomes_success_for_whoever_asks_again() {
    let target = Fixture::broken(Defect::CrashBecomesSuccess);
    let (first, again) = twice(&target, "c", CRASHING);
    assert_eq!((first.status, again.status, again.body.as_str()), (500, 200, "{}"));
    let (first, again) = twice(&target, "k", ORDER);
    assert_eq!(shared(&first, &again), [true; 4]);
}

#[test]
fn a_repeat_after_a_change_is_stale_when_sound_and_current_when_not() {
    for (defect, quantity) in [(None, 2), (Some(Defect::ReplayCurrentState), 7)] {
        let target = defect.map_or_else(Fixture::sound, Fixture::broken);
        target.order("k", ORDER);
        target.send("PATCH", "/orders/1", &[], Some(r#"{"quantity":7}"#));
        assert_eq!(target.order("k", ORDER).json()["quantity"], quantity);
        assert_eq!(target.count(), 1);
    }
}

#[test]
fn a_repeat_after_a_deletion_makes_again_or_finds_nothing() {
    for (defect, status, orders) in [(Defect::RecreateDeleted, 201, 1), (Defect::DeletedIsAnError, 404, 0)] {
        let target = Fixture::broken(defect);
        let (first, again) = twice(&target, "k", ORDER);
        assert_eq!(first.body, again.body, "{defect}: before the deletion");
        target.send("DELETE", "/orders/1", &[], None);
        let late = target.order("k", ORDER);
        assert_eq!((late.status, late.replayed(), target.count()), (status, false, orders), "{defect}");
    }
}

#[test]
fn repeats_are_recognised_and_refused() {
    for (defect, status, code) in [
        (Defect::DuplicateCrashes, 500, "key-used"),
        (Defect::FalseConflict, 409, "key-reused"),
        (Defect::RateLimitFirst, 429, "key-used"),
    ] {
        let target = Fixture::broken(defect);
        for body in [ORDER, FAILING] {
            let (_, again) = twice(&target, body, body);
            assert_eq!((again.status, again.code().as_str()), (status, code), "{defect}");
            assert_eq!(again.header("retry-after").is_some(), status == 429, "{defect}");
        }
        assert_eq!(target.count(), 1, "{defect}");
        assert_eq!(target.order(ORDER, CHANGED).code(), "key-reused", "{defect}");
    }
}

#[test]
fn replay_acts_again_behind_a_perfect_answer() {
    let target = Fixture::broken(Defect::ReplayActsAgain);
    let (first, again) = twice(&target, "k", ORDER);
    assert_eq!((shared(&first, &again), again.replayed()), ([true; 4], true));
    assert_eq!(target.count(), 2);
    twice(&target, "f", FAILING);
    assert_eq!(target.count(), 2, "a refusal has no effect, nor has its repeat");
}

#[test]
fn resent_when_slow_acts_twice_on_slow_requests_only() {
    let target = Fixture::broken(Defect::ResentWhenSlow);
    assert_eq!(number(&target.order("k", ORDER)), 1);
    assert_eq!(target.count(), 1);
    let (first, again) = twice(&target, "s", SLOW);
    assert_eq!(first.body, again.body);
    assert_eq!(target.count(), 3);
}
