//! What the server looks like from the outside: routes, errors, log, start and stop.

use std::net::TcpListener;
use std::time::Duration;

use idemspec::reference::{ReferenceError, ReferenceOptions, start};

use crate::fixture::{CHANGED, Fixture, INVALID, ORDER, contract, number, parse};

#[test]
fn orders_are_listed_shown_and_deleted() {
    let target = Fixture::sound();
    target.order("a", ORDER);
    target.order("b", r#"{"product":"pen","quantity":1}"#);
    let list = target.send("GET", "/orders", &[], None);
    let pen = r#"{"order_id":2,"product":"pen","quantity":1}"#;
    let notebook = r#"{"order_id":1,"product":"notebook","quantity":2,"reference":"r"}"#;
    assert_eq!(list.body, format!(r#"{{"orders":[{notebook},{pen}]}}"#));
    assert_eq!(target.send("GET", "/orders?reference=r", &[], None).body, format!(r#"{{"orders":[{notebook}]}}"#));
    assert_eq!(target.send("GET", "/orders?reference=", &[], None).body, r#"{"orders":[]}"#);
    assert_eq!(target.send("GET", "/orders/2", &[], None).body, pen);
    let deleted = target.send("DELETE", "/orders/2", &[], None);
    assert_eq!((deleted.status, deleted.body.as_str()), (204, ""));
    assert_eq!(target.send("GET", "/orders/2", &[], None).status, 404);
    assert_eq!(number(&target.order("c", ORDER)), 3);
}

#[test]
fn every_error_is_json() {
    let target = Fixture::sound();
    let key = ("Idempotency-Key", "k");
    let long = format!(r#"{{"product":"{}","quantity":1}}"#, "x".repeat(70_000));
    type Case<'c> = (&'c str, &'c str, &'c [(&'c str, &'c str)], Option<&'c str>, u16);
    let cases: [Case<'_>; 14] = [
        ("GET", "/", &[], None, 404),
        ("GET", "/orders/", &[], None, 404),
        ("GET", "/orders/x", &[], None, 404),
        ("GET", "/orders/%ff", &[], None, 404),
        ("DELETE", "/orders/7", &[], None, 404),
        ("PATCH", "/orders", &[], Some("{}"), 405),
        ("POST", "/orders/1", &[], Some("{}"), 405),
        ("DELETE", "/clock", &[], None, 405),
        ("GET", "/orders?status=open", &[], None, 400),
        ("POST", "/clock", &[], Some(r#"{"advance":"soon"}"#), 400),
        ("POST", "/orders", &[key, ("Content-Type", "text/plain")], Some(ORDER), 415),
        ("POST", "/orders", &[key], None, 415),
        ("POST", "/orders", &[key], Some(&long), 413),
        ("GET", "/orders", &[("Authorization", "Basic YTpi")], None, 401),
    ];
    for (method, path, headers, body, status) in cases {
        let answer = target.send(method, path, headers, body);
        assert_eq!(answer.status, status, "{method} {path}");
        assert_eq!(answer.header("content-type"), Some("application/json"), "{method} {path}");
        assert!(answer.json()["error"].is_string(), "{method} {path}: {answer:?}");
        assert_eq!(answer.header("allow").is_some(), status == 405, "{method} {path}");
    }
    assert_eq!(number(&target.order("k", ORDER)), 1);
}

#[test]
fn the_log_tells_how_each_request_met_the_server() {
    let target = Fixture::sound();
    target.order("k", INVALID);
    target.order("k", ORDER);
    target.order("k", ORDER);
    target.order("k", CHANGED);
    target.order("", ORDER);
    target.send("GET", "/orders?reference=secret", &[("Authorization", "Bearer secret")], None);
    let lines: Vec<String> = (0..6).map(|_| target.line(|_| true).to_string()).collect();
    assert_eq!(
        lines,
        [
            "POST /orders 400 nothing earlier reached the server → executes",
            "POST /orders 201 nothing earlier reached the server → executes",
            "POST /orders 201 the first attempt succeeded → replays",
            "POST /orders 409 the key is bound to other parameters → rejects",
            "POST /orders 400 an empty key → rejects",
            "GET /orders 200",
        ]
    );
}

#[test]
fn a_log_that_nobody_reads_stops_nothing() {
    let Fixture { server, log } = Fixture::sound();
    drop(log);
    let request = crate::client::request("GET", "/orders", &[], None);
    assert_eq!(crate::client::exchange(server.address(), &request).status, 200);
}

#[test]
fn a_port_that_is_taken_is_named() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let error = start(ReferenceOptions { port, ..ReferenceOptions::new(contract()) }).unwrap_err();
    assert!(matches!(error, ReferenceError::Listen { .. }));
    assert_eq!(error.to_string(), format!("cannot listen on 127.0.0.1:{port}"));
}

#[test]
fn a_promise_that_cannot_be_kept_is_refused_at_the_start() {
    for unservable in
        ["key: {carrier: {form: key}}", r#"conflict: {changed_parameters: {rejects: {json: {"$..code": reused}}}}"#]
    {
        let error = start(ReferenceOptions::new(parse(unservable))).unwrap_err();
        assert!(matches!(error, ReferenceError::Unservable(_)), "{error}");
    }
}

#[test]
fn servers_do_not_share_anything() {
    let (one, other) = (Fixture::sound(), Fixture::sound());
    assert_ne!(one.server.base_url(), other.server.base_url());
    one.order("k", ORDER);
    assert_eq!(number(&other.order("k", ORDER)), 1);
    assert!(ReferenceOptions::new(contract()).latency == Duration::from_millis(25));
}

#[tokio::test]
async fn a_server_runs_beside_the_runtime_that_started_it() {
    let target = Fixture::sound();
    assert_eq!(target.order("k", ORDER).status, 201);
    drop(target);
}
