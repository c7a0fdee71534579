//! HTTP/1.1 and HTTP/2, plain and over TLS: the contract is the same, and so is what becomes of a client that leaves.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use idemspec::reference::{Defect, ReferenceOptions};
use tokio_rustls::rustls;

use crate::client::{connect, connect_over_tls, read, request};
use crate::fixture::{CHANGED, Fixture, INVALID, ORDER, contract, number};
use crate::http2::{Http2, LEAVINGS, Leaving};

/// Long enough that a client has nearly always gone before the end; where it has not, the test tries again.
const LATENCY: Duration = Duration::from_millis(250);

fn serving(tls: bool, latency: Duration, defects: &[Defect]) -> Fixture {
    Fixture::with(ReferenceOptions { tls, latency, defects: defects.to_vec(), ..ReferenceOptions::new(contract()) })
}

#[test]
fn the_contract_is_kept_over_every_protocol() {
    for tls in [false, true] {
        let target = serving(tls, Duration::from_millis(5), &[]);
        assert_eq!(target.server.base_url().starts_with("https://127.0.0.1:"), tls);
        let mut http2 = Http2::connect(&target.server);
        let first = http2.order("k", ORDER);
        assert_eq!((first.status, first.replayed(), number(&first)), (201, false, 1));
        assert!(first.header("date").is_some());
        let by_http1 = target.order("k", ORDER);
        let by_http2 = http2.order("k", ORDER);
        for again in [&by_http1, &by_http2] {
            assert_eq!((again.status, again.replayed(), &again.body), (201, true, &first.body), "TLS: {tls}");
        }
        assert_eq!(http2.order("k", CHANGED).code(), "key-reused");
        assert_eq!(http2.order("k2", INVALID).status, 400);
        assert_eq!(target.count(), 1);
    }
}

/// Leaves while an order is being carried out, and returns the key once the server has noticed.
fn leave_in_the_middle(target: &Fixture, leaving: Option<Leaving>) -> String {
    let leave = |key: &str| match leaving {
        Some(leaving) => {
            let mut client = Http2::connect(&target.server);
            let open = client.begin(key, ORDER);
            target.await_in_flight(key);
            client.leave(open, leaving);
        }
        None => {
            let certificate = target.server.certificate().unwrap();
            let mut client = connect_over_tls(target.server.address(), certificate);
            client.write_all(&request("POST", "/orders", &[("Idempotency-Key", key)], Some(ORDER))).unwrap();
            target.await_in_flight(key);
            drop(client);
        }
    };
    target.left(leave).key
}

/// Every way to leave that the plain HTTP/1.1 of other tests does not have: whether over TLS, and by which means.
fn departures() -> Vec<(bool, Option<Leaving>)> {
    let http2 = LEAVINGS.iter().flat_map(|leaving| [(false, Some(*leaving)), (true, Some(*leaving))]);
    http2.chain([(true, None)]).collect()
}

#[test]
fn a_sound_server_finishes_what_it_has_begun_whatever_it_was_asked_over() {
    for (tls, leaving) in departures() {
        let target = serving(tls, LATENCY, &[]);
        let key = leave_in_the_middle(&target, leaving);
        let answer = target.settle(&key);
        assert_eq!((answer.status, answer.replayed()), (201, true), "TLS: {tls}, {leaving:?}");
        assert_eq!(target.count(), usize::try_from(number(&answer)).unwrap(), "one order a key");
    }
}

#[test]
fn stuck_after_disconnect_shows_over_every_protocol() {
    for (tls, leaving) in departures() {
        let target = serving(tls, LATENCY, &[Defect::StuckAfterDisconnect]);
        let key = leave_in_the_middle(&target, leaving);
        let before = target.count();
        std::thread::sleep(LATENCY * 2);
        assert_eq!(target.order(&key, ORDER).code(), "in-flight", "TLS: {tls}, {leaving:?}");
        assert_eq!(target.count(), before, "TLS: {tls}, {leaving:?}");
    }
}

#[test]
fn cancel_on_disconnect_shows_over_every_protocol() {
    for (tls, leaving) in departures() {
        let target = serving(tls, LATENCY, &[Defect::CancelOnDisconnect]);
        let key = leave_in_the_middle(&target, leaving);
        let before = target.count();
        assert!(before >= 1, "TLS: {tls}, {leaving:?}: the effect was made");
        let retry = target.order(&key, ORDER);
        assert_eq!((retry.status, retry.replayed()), (201, false), "TLS: {tls}, {leaving:?}");
        assert_eq!(target.count(), before + 1, "TLS: {tls}, {leaving:?}");
    }
}

#[test]
fn a_handshake_that_never_comes_keeps_nobody_waiting() {
    let target = serving(true, Duration::from_millis(1), &[]);
    let silent: Vec<TcpStream> = (0..100).map(|_| connect(target.server.address())).collect();
    let mut nonsense = connect(target.server.address());
    nonsense.write_all(&request("GET", "/orders", &[], None)).unwrap();
    let begun = Instant::now();
    assert_eq!(target.order("k", ORDER).status, 201);
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    drop(silent);
}

#[test]
fn the_certificate_is_that_of_this_server_alone() {
    let (one, other) = (serving(true, LATENCY, &[]), serving(true, LATENCY, &[]));
    let own = one.server.certificate().unwrap();
    assert_ne!(own.der(), other.server.certificate().unwrap().der());
    assert!(own.pem().starts_with("-----BEGIN CERTIFICATE-----"), "{}", own.pem());
    assert!(!own.pem().contains("PRIVATE"));
    assert!(Fixture::sound().server.certificate().is_none());
    let mut misled = connect_over_tls(other.server.address(), own);
    let refused = misled.write_all(&request("GET", "/orders", &[], None)).unwrap_err();
    let refused = refused.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    assert!(matches!(refused, Some(rustls::Error::InvalidCertificate(_))), "{refused:?}");
    let mut client = connect_over_tls(one.server.address(), own);
    client.write_all(&request("GET", "/orders", &[], None)).unwrap();
    assert_eq!(read(&mut client).status, 200);
}
