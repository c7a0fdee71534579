//! Several replicas: one store behind all of them when sound, one behind each when not.

use std::num::NonZeroU16;
use std::time::Duration;

use idemspec::reference::{Defect, ReferenceError, ReferenceOptions, RunningReference, start};

use crate::client::{Answer, exchange, request};
use crate::fixture::{CHANGED, ORDER, contract, number};

const THREE: NonZeroU16 = NonZeroU16::new(3).unwrap();

fn serving(defects: &[Defect]) -> RunningReference {
    let latency = Duration::from_millis(2);
    start(ReferenceOptions { replicas: THREE, latency, defects: defects.to_vec(), ..ReferenceOptions::new(contract()) })
        .unwrap()
}

/// Sends a request to each of the replicas, one after the other.
fn each(server: &RunningReference, method: &str, key: &str, body: Option<&str>) -> Vec<Answer> {
    let bytes = request(method, "/orders", &[("Idempotency-Key", key)], body);
    let address = |url: String| url.strip_prefix("http://").unwrap().parse().unwrap();
    server.replica_urls().into_iter().map(|url| exchange(address(url), &bytes)).collect()
}

fn orders(server: &RunningReference) -> Vec<usize> {
    let count = |list: Answer| list.json()["orders"].as_array().unwrap().len();
    each(server, "GET", "", None).into_iter().map(count).collect()
}

#[test]
fn sound_replicas_share_keys_and_orders() {
    let server = serving(&[]);
    assert_eq!(server.replica_urls().len(), 3);
    assert_eq!(server.replica_urls()[0], server.base_url());
    let answers = each(&server, "POST", "k", Some(ORDER));
    assert_eq!(answers.iter().map(Answer::replayed).collect::<Vec<_>>(), [false, true, true]);
    assert!(answers.iter().all(|answer| answer.body == answers[0].body));
    assert_eq!(orders(&server), [1, 1, 1]);
    assert!(each(&server, "POST", "k", Some(CHANGED)).iter().all(|answer| answer.code() == "key-reused"));
}

#[test]
fn replicas_apart_share_orders_and_no_keys() {
    let server = serving(&[Defect::ReplicasApart]);
    let first = each(&server, "POST", "k", Some(ORDER));
    assert_eq!(first.iter().map(number).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(orders(&server), [3, 3, 3]);
    let again = each(&server, "POST", "k", Some(ORDER));
    assert!(again.iter().zip(&first).all(|(again, first)| again.replayed() && again.body == first.body));
}

#[test]
fn replicas_listen_on_the_ports_that_follow() {
    let options = |port| ReferenceOptions { port, replicas: THREE, ..ReferenceOptions::new(contract()) };
    let beyond = start(options(u16::MAX - 1)).unwrap_err();
    assert!(matches!(beyond, ReferenceError::Listen { port: u16::MAX, .. }), "{beyond}");
    // Ports that are free next to each other have to be found; nobody else need be on them for long.
    let found = (0..50).find_map(|_| {
        let port = serving(&[]).address().port();
        start(options(port)).ok().map(|server| (port, server))
    });
    let (port, server) = found.unwrap();
    let expected: Vec<String> = (port..port + 3).map(|port| format!("http://127.0.0.1:{port}")).collect();
    assert_eq!(server.replica_urls(), expected);
}
