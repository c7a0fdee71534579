//! The window between look-up and claim: what falls into it executes, and without a window nothing does.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use idemspec::reference::Defect;

use crate::client::{Answer, connect, read, request};
use crate::fixture::{Fixture, ORDER, PATIENCE, contract, number};

const LATENCY: Duration = Duration::from_millis(5);

fn with_window(window: &str) -> Fixture {
    let defect = Defect::parse(&format!("check-then-act={window}")).unwrap();
    Fixture::start(contract(), LATENCY, &[defect])
}

/// Sends copies of an order at once: all but their last byte first, then the last bytes one after the other.
fn burst(target: &Fixture, key: &str, copies: usize) -> Vec<Answer> {
    let copy = request("POST", "/orders", &[("Idempotency-Key", key)], Some(ORDER));
    let (head, tail) = copy.split_at(copy.len() - 1);
    let mut streams: Vec<TcpStream> = (0..copies).map(|_| connect(target.server.address())).collect();
    for stream in &mut streams {
        stream.write_all(head).unwrap();
    }
    for stream in &mut streams {
        stream.write_all(tail).unwrap();
    }
    streams.iter_mut().map(read).collect()
}

#[test]
fn two_requests_inside_the_window_both_execute() {
    let target = with_window("200ms");
    let answers = burst(&target, "k", 2);
    let mut numbers: Vec<u64> = answers.iter().map(number).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [1, 2]);
    assert!(answers.iter().all(|answer| answer.status == 201 && !answer.replayed()));
    assert_eq!(target.count(), 2);
    assert!(target.order("k", ORDER).replayed());
    assert_eq!(target.count(), 2);
}

#[test]
fn after_the_claim_a_duplicate_is_protected() {
    let target = Fixture::start(contract(), PATIENCE, &[Defect::parse("check-then-act=20ms").unwrap()]);
    let _first = target.begin("k", ORDER);
    for _ in 0..10 {
        assert_eq!(target.order("k", ORDER).code(), "in-flight");
    }
}

#[test]
fn without_a_window_nothing_slips_through() {
    let target = with_window("0us");
    for round in 1..=200 {
        let answers = burst(&target, &format!("k{round}"), 2);
        let executed = answers.iter().filter(|answer| answer.status == 201 && !answer.replayed()).count();
        assert_eq!(executed, 1, "round {round}: {answers:?}");
        let other = answers.iter().all(|answer| answer.status == 201 || answer.code() == "in-flight");
        assert!(other, "round {round}: {answers:?}");
    }
    assert_eq!(target.count(), 200);
}

/// What the test before rests on: where there is a window, these bursts find it.
#[test]
fn a_burst_finds_a_window_of_a_millisecond() {
    let target = with_window("1ms");
    let twice = |round: &usize| {
        burst(&target, &format!("k{round}"), 2).iter().all(|answer| !answer.replayed() && answer.status == 201)
    };
    assert!((0..50).any(|round| twice(&round)));
}

#[test]
fn it_is_measured_how_long_after_the_first_a_key_is_looked_up() {
    let target = with_window("300us");
    target.order("k", ORDER);
    let line = target.line(|_| true);
    assert_eq!(line.looked_up_after, Some(Duration::ZERO));
    let told = "nothing earlier reached the server → executes, looked up 0 µs after the first with its key";
    assert_eq!(line.to_string(), format!("POST /orders 201 {told}"));

    let pause = Duration::from_millis(30);
    std::thread::sleep(pause);
    target.order("k", ORDER);
    let after = target.line(|_| true).looked_up_after.unwrap();
    assert!((pause..pause + PATIENCE).contains(&after), "{after:?}");

    target.order("another", ORDER);
    assert_eq!(target.line(|_| true).looked_up_after, Some(Duration::ZERO));
}

/// Nothing but the clock decides: who is looked up inside the window is carried out, who is looked up after it is not.
#[test]
fn a_window_is_as_long_as_it_says() {
    let window = Duration::from_millis(2);
    let target = with_window("2ms");
    let (mut inside, mut outside) = (0, 0);
    for round in 0..100 {
        burst(&target, &format!("k{round}"), 12);
        // On a fast machine all of the burst are looked up inside the window.
        std::thread::sleep(window);
        target.order(&format!("k{round}"), ORDER);
        for _ in 0..13 {
            let line = target.line(|_| true);
            let after = line.looked_up_after.unwrap();
            let executes = line.note.contains("executes");
            assert_eq!(executes, after < window, "{line}");
            inside += usize::from(executes && !after.is_zero());
            outside += usize::from(!executes);
        }
        if inside > 0 && outside > 0 {
            return;
        }
    }
    panic!("{inside} inside, {outside} outside");
}

#[test]
fn a_sound_server_has_no_window() {
    let target = Fixture::sound();
    target.order("k", ORDER);
    assert_eq!(target.line(|_| true).looked_up_after, None);
}

#[test]
fn a_client_that_leaves_inside_the_window_leaves_no_trace() {
    let target = with_window("300ms");
    let mut stream = connect(target.server.address());
    stream.write_all(&request("POST", "/orders", &[("Idempotency-Key", "k")], Some(ORDER))).unwrap();
    std::thread::sleep(Duration::from_millis(20));
    drop(stream);
    let line = target.line(|_| true);
    assert_eq!((line.status, line.looked_up_after), (None, None));
    assert_eq!(number(&target.order("k", ORDER)), 1);
    assert_eq!(target.count(), 1);
}

#[test]
fn others_are_served_while_a_window_is_open() {
    let target = with_window("400ms");
    let started = Instant::now();
    let mut stream = connect(target.server.address());
    stream.write_all(&request("POST", "/orders", &[("Idempotency-Key", "k")], Some(ORDER))).unwrap();
    while started.elapsed() < Duration::from_millis(400) {
        assert_eq!(target.send("GET", "/orders", &[], None).status, 200);
    }
    assert_eq!(read(&mut stream).status, 201);
}
