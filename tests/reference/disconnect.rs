//! Clients that go away: by FIN and by RST, in the middle of the execution and in the middle of the request.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use idemspec::reference::Defect;
use socket2::SockRef;

use crate::client::{connect, read, request};
use crate::fixture::{FOR_EVER, Fixture, ORDER, contract, number};

/// Long enough that a client has nearly always gone before the end; where it has not, the test tries again.
const LATENCY: Duration = Duration::from_millis(250);

#[derive(Clone, Copy, Debug)]
enum Way {
    Fin,
    Rst,
}

const WAYS: [Way; 2] = [Way::Fin, Way::Rst];

fn leave(stream: TcpStream, way: Way) {
    if let Way::Rst = way {
        SockRef::from(&stream).set_linger(Some(Duration::ZERO)).unwrap();
    }
    drop(stream);
}

/// Leaves while an order is being carried out, and returns the key once the server has noticed.
fn leave_in_the_middle(target: &Fixture, way: Way) -> String {
    let left = target.left(|key| leave(target.begin(key, ORDER), way));
    assert_eq!(left.line.to_string(), "POST /orders - the client has gone");
    left.key
}

#[test]
fn a_sound_server_finishes_what_it_has_begun() {
    for way in WAYS {
        let target = Fixture::start(contract(), LATENCY, &[]);
        let before = target.count();
        let key = leave_in_the_middle(&target, way);
        let answer = target.settle(&key);
        assert_eq!((answer.status, answer.replayed()), (201, true), "{way:?}");
        assert_eq!(target.settle(&key).body, answer.body);
        assert_eq!(target.count() - before, usize::try_from(number(&answer)).unwrap(), "{way:?}: one order a key");
    }
}

#[test]
fn stuck_after_disconnect_stays_in_flight_and_does_nothing() {
    for way in WAYS {
        let target = Fixture::start(contract(), LATENCY, &[Defect::StuckAfterDisconnect]);
        let key = leave_in_the_middle(&target, way);
        let before = target.count();
        std::thread::sleep(LATENCY * 3);
        for _ in 0..3 {
            let answer = target.order(&key, ORDER);
            assert_eq!((answer.status, answer.code().as_str()), (409, "in-flight"), "{way:?}");
        }
        assert_eq!(target.count(), before, "{way:?}");
        assert_eq!(target.order("another", ORDER).status, 201);
        assert!(target.order("another", ORDER).replayed());
    }
}

#[test]
fn cancel_on_disconnect_leaves_the_effect_and_forgets_the_key() {
    for way in WAYS {
        let target = Fixture::start(contract(), LATENCY, &[Defect::CancelOnDisconnect]);
        let key = leave_in_the_middle(&target, way);
        let before = target.count();
        assert!(before >= 1, "{way:?}: the effect was made");
        let retry = target.order(&key, ORDER);
        assert_eq!((retry.status, retry.replayed()), (201, false), "{way:?}");
        assert_eq!(target.count(), before + 1, "{way:?}");
        let third = target.order(&key, ORDER);
        assert_eq!((third.replayed(), &third.body), (true, &retry.body), "{way:?}");
        assert_eq!(target.count(), before + 1, "{way:?}");
    }
}

#[test]
fn a_client_that_stays_is_not_taken_for_one_that_has_gone() {
    for defect in [Defect::StuckAfterDisconnect, Defect::CancelOnDisconnect] {
        let target = Fixture::start(contract(), Duration::from_millis(40), &[defect]);
        let mut first = target.begin("k", ORDER);
        let first = read(&mut first);
        assert_eq!(first.status, 201, "{defect}");
        assert_eq!(target.order("k", ORDER).body, first.body, "{defect}");
        assert_eq!(target.count(), 1, "{defect}");
    }
}

#[test]
fn half_a_request_is_not_carried_out() {
    let whole = request("POST", "/orders", &[("Idempotency-Key", "k")], Some(ORDER));
    for defect in [None, Some(Defect::StuckAfterDisconnect), Some(Defect::CancelOnDisconnect)] {
        for way in WAYS {
            for missing in [1, ORDER.len() / 2, ORDER.len()] {
                let target = Fixture::start(contract(), Duration::from_millis(1), defect.as_slice());
                let mut stream = connect(target.server.address());
                stream.write_all(&whole[..whole.len() - missing]).unwrap();
                leave(stream, way);
                assert_ne!(target.line(|_| true).status, Some(201));
                let answer = target.order("k", ORDER);
                assert_eq!((answer.status, answer.replayed(), number(&answer)), (201, false, 1));
                assert_eq!(target.count(), 1, "{defect:?} {way:?} {missing}");
            }
        }
    }
}

#[test]
fn a_connection_without_a_request_leaves_no_trace() {
    let target = Fixture::sound();
    for way in WAYS {
        leave(connect(target.server.address()), way);
    }
    assert_eq!(number(&target.order("k", ORDER)), 1);
}

#[test]
fn a_server_can_be_stopped_while_it_works() {
    let target = Fixture::start(contract(), FOR_EVER, &[]);
    let _first = target.begin("k", ORDER);
    let address = target.server.address();
    drop(target);
    assert!(TcpStream::connect(address).is_err());
}
