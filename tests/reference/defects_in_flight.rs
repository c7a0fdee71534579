//! What goes wrong while a request is carried out, when its client goes away, and in what is kept of it afterwards.

use std::io::Write;
use std::time::{Duration, Instant};

use idemspec::reference::Defect;

use crate::client::{Answer, connect, read, request};
use crate::fixture::{CHANGED, FOR_EVER, Fixture, INVALID, ORDER, PATIENCE, contract, number};

const CRASHING: &str = r#"{"product":"broken","quantity":2,"reference":"r"}"#;
const FAILING: &str = r#"{"product":"out-of-stock","quantity":2,"reference":"r"}"#;

fn advance(target: &Fixture, by: &str) {
    let body = format!(r#"{{"advance":"{by}"}}"#);
    assert_eq!(target.send("POST", "/clock", &[], Some(&body)).status, 200);
}

#[track_caller]
fn assert_replays(answer: &Answer, first: &Answer) {
    assert_eq!((answer.status, answer.replayed(), &answer.body), (201, true, &first.body));
}

#[test]
fn lease_stolen_lets_a_late_copy_execute_beside_the_original() {
    let lease: Defect = "lease-stolen=1h".parse().unwrap();
    let latency = Duration::from_millis(400);
    let target = Fixture::start(contract(), latency, &[lease]);
    let mut first = target.begin("k", ORDER);
    assert_eq!(target.order("k", ORDER).code(), "in-flight");
    // The lease is counted by the clock of the server, so that the test need not hurry.
    advance(&target, "1h");
    let second = target.order("k", ORDER);
    assert_eq!((second.status, second.replayed()), (201, false));
    let first = read(&mut first);
    assert_eq!((first.status, first.replayed()), (201, false));
    assert_ne!(number(&first), number(&second));
    assert_replays(&target.order("k", ORDER), &second);
    assert_eq!(target.count(), 2);
}

#[test]
fn lease_stolen_is_no_matter_to_a_request_that_is_over() {
    let target = Fixture::broken("lease-stolen=1h".parse().unwrap());
    let first = target.order("k", ORDER);
    advance(&target, "2h");
    assert_replays(&target.order("k", ORDER), &first);
}

#[test]
fn record_at_the_end_executes_every_copy_that_comes_before() {
    let target = Fixture::start(contract(), Duration::from_millis(200), &[Defect::RecordAtTheEnd]);
    let bytes = request("POST", "/orders", &[("Idempotency-Key", "k")], Some(ORDER));
    let mut copies: Vec<_> = (0..3).map(|_| connect(target.server.address())).collect();
    copies.iter_mut().for_each(|copy| copy.write_all(&bytes).unwrap());
    let answers: Vec<Answer> = copies.iter_mut().map(read).collect();
    assert!(answers.iter().all(|answer| answer.status == 201 && !answer.replayed()), "{answers:?}");
    assert_eq!(target.count(), 3);
    let again = target.order("k", ORDER);
    assert!(again.replayed() && answers.iter().any(|answer| answer.body == again.body));
    assert_eq!(target.order("k", CHANGED).code(), "key-reused");
}

#[test]
fn in_flight_overwrites_stores_the_refusal_of_the_copy() {
    let target = Fixture::start(contract(), Duration::from_millis(150), &[Defect::InFlightOverwrites]);
    let mut first = target.begin("k", ORDER);
    assert_eq!(target.order("k", ORDER).code(), "in-flight");
    assert_eq!(read(&mut first).status, 201);
    for _ in 0..3 {
        assert_eq!(target.order("k", ORDER).code(), "in-flight", "nothing is running any more");
    }
    assert_eq!(target.count(), 1);
    let undisturbed = target.order("k2", ORDER);
    assert_replays(&target.order("k2", ORDER), &undisturbed);
}

#[test]
fn in_flight_crashes_and_in_flight_accepted_answer_copies_in_their_own_way() {
    for (defect, status) in [(Defect::InFlightCrashes, 500), (Defect::InFlightAccepted, 202)] {
        let target = Fixture::start(contract(), FOR_EVER, &[defect]);
        let _first = target.begin("k", ORDER);
        assert_eq!(target.order("k", ORDER).status, status);
        assert_eq!(target.order("k", CHANGED).code(), "in-flight");
        assert_eq!(target.count(), 0);
    }
}

/// Leaves in the middle of an order, and waits until the server has noticed.
fn leave_in_the_middle(target: &Fixture) {
    drop(target.begin("k", ORDER));
    let line = target.line(|line| line.method == "POST" && !matches!(line.status, Some(400 | 409)));
    assert_eq!(line.status, None, "the client has gone long before the end");
}

#[test]
fn unrecorded_after_disconnect_acts_and_stays_in_flight() {
    let latency = Duration::from_millis(700);
    let target = Fixture::start(contract(), latency, &[Defect::UnrecordedAfterDisconnect]);
    leave_in_the_middle(&target);
    let begun = Instant::now();
    while target.count() == 0 {
        assert!(begun.elapsed() < PATIENCE, "the order was never made");
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(target.order("k", ORDER).code(), "in-flight");
    assert_eq!(target.count(), 1);
    let first = target.order("k2", ORDER);
    assert_replays(&target.order("k2", ORDER), &first);
}

#[test]
fn empty_success_after_disconnect_says_yes_and_does_nothing() {
    let latency = Duration::from_millis(700);
    let target = Fixture::start(contract(), latency, &[Defect::EmptySuccessAfterDisconnect]);
    leave_in_the_middle(&target);
    let again = target.order("k", ORDER);
    assert_eq!((again.status, again.replayed(), again.body.as_str()), (200, true, ""));
    std::thread::sleep(latency);
    assert_eq!(target.count(), 0);
}

#[test]
fn stuck_after_half_a_request_claims_the_key_at_the_head() {
    let bytes = request("POST", "/orders", &[("Idempotency-Key", "k")], Some(ORDER));
    for missing in [1, ORDER.len()] {
        let target = Fixture::broken(Defect::StuckAfterHalfARequest);
        let mut half = connect(target.server.address());
        half.write_all(&bytes[..bytes.len() - missing]).unwrap();
        drop(half);
        target.line(|_| true);
        assert_eq!(target.order("k", ORDER).code(), "in-flight", "{missing}");
        assert_eq!(target.order("k", INVALID).code(), "in-flight", "{missing}");
        assert_eq!(target.count(), 0);
        assert_eq!(target.order("k2", ORDER).status, 201);
    }
}

#[test]
fn stuck_after_refusal_waits_for_what_was_refused() {
    let target = Fixture::broken(Defect::StuckAfterRefusal);
    assert_eq!(target.order("k", INVALID).status, 400);
    for body in [INVALID, ORDER] {
        assert_eq!(target.order("k", body).code(), "in-flight");
    }
    assert_eq!(target.order("f", FAILING).status, 422);
    assert_eq!(target.order("f", FAILING).status, 422);
}

#[test]
fn release_after_crash_forgets_crashes_and_nothing_else() {
    let target = Fixture::broken(Defect::ReleaseAfterCrash);
    for effects in 1..=2 {
        let crash = target.order("c", CRASHING);
        assert_eq!((crash.status, crash.replayed()), (500, false));
        assert_eq!(target.count(), effects);
    }
    assert_eq!(target.order("f", FAILING).status, 422);
    let again = target.order("f", FAILING);
    assert_eq!((again.status, again.replayed()), (422, true));
}

#[test]
fn replay_once_serves_one_repeat() {
    let target = Fixture::broken(Defect::ReplayOnce);
    let first = target.order("k", ORDER);
    assert_replays(&target.order("k", ORDER), &first);
    let third = target.order("k", ORDER);
    assert_eq!((third.status, third.replayed(), number(&third)), (201, false, 2));
    assert_replays(&target.order("k", ORDER), &third);
}

#[test]
fn expire_by_last_use_never_gives_a_key_back_that_is_in_use() {
    let target = Fixture::broken(Defect::ExpireByLastUse);
    let first = target.order("k", ORDER);
    for _ in 0..3 {
        advance(&target, "23h");
        assert_replays(&target.order("k", ORDER), &first);
    }
    advance(&target, "24h");
    assert_eq!(number(&target.order("k", ORDER)), 2);
}

#[test]
fn expired_is_an_error_neither_knows_the_key_nor_frees_it() {
    let target = Fixture::broken(Defect::ExpiredIsAnError);
    let first = target.order("k", ORDER);
    advance(&target, "23h");
    assert_replays(&target.order("k", ORDER), &first);
    advance(&target, "1h");
    for _ in 0..2 {
        assert_eq!(target.order("k", ORDER).status, 410);
    }
    assert_eq!(target.count(), 1);
}
