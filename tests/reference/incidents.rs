//! What is done to the server from outside: its key store goes down, and it is restarted.

use std::io::Read;
use std::time::Duration;

use idemspec::reference::{Defect, ReferenceOptions};

use crate::client::read;
use crate::fixture::{FOR_EVER, Fixture, INVALID, ORDER, SLOW, contract, parse};

fn happen(target: &Fixture, path: &str) {
    assert_eq!(target.send("POST", path, &[], None).status, 204, "{path}");
}

#[test]
fn without_its_key_store_a_server_refuses_and_does_nothing() {
    let target = Fixture::sound();
    let first = target.order("k", ORDER);
    happen(&target, "/store/down");
    for (key, body) in [("k", ORDER), ("new", ORDER), ("invalid", INVALID)] {
        let refused = target.order(key, body);
        assert_eq!((refused.status, refused.code().as_str()), (503, "store-unavailable"), "{key}");
    }
    assert_eq!(target.count(), 1);
    assert_eq!(target.order("", ORDER).code(), "key-invalid", "that needs no store");
    happen(&target, "/store/up");
    assert_eq!(target.order("k", ORDER).body, first.body);
    assert!(!target.order("new", ORDER).replayed());
    assert_eq!(target.count(), 2);
}

#[test]
fn without_its_key_store_a_server_does_what_the_contract_says() {
    let with = |promise: &str| {
        let key = "key: {carrier: {header: Idempotency-Key}}";
        let contract = parse(&format!("{{{key}, scope: {{{promise}}}}}"));
        let target = Fixture::start(contract, Duration::from_millis(5), &[]);
        target.order("k", ORDER);
        happen(&target, "/store/down");
        (target.order("k", ORDER).status, target.count())
    };
    assert_eq!(with("store_unavailable: executes"), (201, 2));
    assert_eq!(with("store_unavailable: {rejects: {status: 429}}"), (429, 1));
    assert_eq!(with("store_unavailable: replays"), (201, 1));
    assert_eq!(with(""), (503, 1), "where nothing is promised, nothing is risked");
}

#[test]
fn unguarded_means_that_every_request_acts() {
    let target = Fixture::broken(Defect::StoreDownUnguarded);
    target.order("k", ORDER);
    happen(&target, "/store/down");
    assert_eq!([target.order("k", ORDER).status, target.order("k", ORDER).status], [201, 201]);
    assert_eq!(target.count(), 3);
    happen(&target, "/store/up");
    assert!(target.order("k", ORDER).replayed());
}

#[test]
fn an_execution_that_ends_without_the_store_waits_for_it() {
    let target = Fixture::start(contract(), Duration::from_millis(40), &[]);
    let mut running = target.begin("k", SLOW);
    happen(&target, "/store/down");
    std::thread::sleep(Duration::from_millis(40 * 10));
    assert_eq!(target.count(), 0, "no effect without a record of it");
    happen(&target, "/store/up");
    let answer = read(&mut running);
    assert_eq!((answer.status, target.count()), (201, 1));
    assert_eq!(target.order("k", SLOW).body, answer.body);
}

#[test]
fn a_restart_leaves_what_is_finished_and_gives_up_what_is_not() {
    let target = Fixture::start(contract(), Duration::from_millis(40), &[]);
    let first = target.order("k", ORDER);
    let mut running = target.begin("slow", SLOW);
    happen(&target, "/restart");
    let mut rest = Vec::new();
    // Closed or reset: either way there is no answer.
    let _ = running.read_to_end(&mut rest);
    assert!(rest.is_empty(), "{}", String::from_utf8_lossy(&rest));
    let again = target.order("k", ORDER);
    assert_eq!((&again.body, again.replayed(), target.count()), (&first.body, true, 1));
    assert!(!target.order("slow", SLOW).replayed());
    assert_eq!(target.count(), 2);
}

#[test]
fn whoever_waits_for_an_execution_is_cut_off_as_well() {
    let contract = parse("{key: {carrier: {header: Idempotency-Key}}, conflict: {in_flight: replays}}");
    let target = Fixture::with(ReferenceOptions { latency: FOR_EVER, ..ReferenceOptions::new(contract) });
    let streams: Vec<_> = (0..2)
        .map(|_| {
            let mut stream = crate::client::connect(target.server.address());
            let order = crate::client::request("POST", "/orders", &[("Idempotency-Key", "k")], Some(ORDER));
            std::io::Write::write_all(&mut stream, &order).unwrap();
            stream
        })
        .collect();
    // Most likely both have come by now. One that comes after the restart gets no answer either.
    std::thread::sleep(Duration::from_millis(50));
    happen(&target, "/restart");
    for mut stream in streams {
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
        assert!(rest.is_empty(), "{}", String::from_utf8_lossy(&rest));
    }
    assert_eq!(target.count(), 0);
}

#[test]
fn every_defect_of_a_crash_breaks_what_it_says() {
    let restarted = |defect| {
        let target = Fixture::start(contract(), Duration::from_millis(40), &[defect]);
        target.order("k", ORDER);
        let _running = target.begin("slow", SLOW);
        happen(&target, "/restart");
        let (again, slow) = (target.order("k", ORDER), target.order("slow", SLOW));
        (again.replayed(), slow.status, target.count())
    };
    assert_eq!(restarted(Defect::ForgetsOnRestart), (false, 201, 3));
    assert_eq!(restarted(Defect::EffectBeforeRecord), (true, 201, 3));
    assert_eq!(restarted(Defect::StuckAfterRestart), (true, 409, 1));
}

#[test]
fn incidents_are_not_gotten_by_reading() {
    let target = Fixture::sound();
    for path in ["/store/down", "/store/up", "/restart"] {
        let refused = target.send("GET", path, &[], None);
        assert_eq!((refused.status, refused.header("allow")), (405, Some("POST")), "{path}");
    }
    assert_eq!(target.send("POST", "/store/sideways", &[], None).status, 404);
}
