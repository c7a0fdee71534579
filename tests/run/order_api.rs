//! A small order API that keeps a small contract, with a place for everything that may go wrong.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::support::{Answer, Asked, Run, Stub, run, write_file};

const PROFILE: &str = r#"
profile: small
title: A small order API
target: {environment: local, base_url: "http://127.0.0.1:1"}
operation:
  request: {method: POST, path: /orders, json: {reference: "{{marker}}"}}
  identity: {json: "$.order_id"}
  parameters:
    changed: {json: {quantity: 2}}
  effects:
    - request: {method: GET, path: /orders, query: {reference: "{{marker}}"}}
      each: {json: "$.orders[*].order_id"}
  cleanup: {method: DELETE, path: "/orders/{{identity}}"}
contract:
  key: {carrier: {header: Idempotency-Key}}
  replay: {after_success: replays}
  conflict: {in_flight: {allow: {rejects: {status: 409}}, ends_within: 2s}}
"#;

/// What it knows.
#[derive(Default)]
pub(crate) struct Orders {
    /// Orders, with the reference that each was made for.
    made: BTreeMap<u64, String>,
    /// Keys, with the order that each stands for.
    pub(crate) keys: HashMap<String, u64>,
    /// How often each key was used.
    pub(crate) uses: HashMap<String, usize>,
    /// When which method was asked for.
    pub(crate) asked: Vec<(Instant, String)>,
}

impl Orders {
    pub(crate) fn make(&mut self, asked: &Asked) -> u64 {
        let body: serde_json::Value = serde_json::from_str(&asked.body).unwrap();
        let id = self.made.len() as u64 + 1;
        self.made.insert(id, body["reference"].as_str().unwrap().to_owned());
        id
    }

    fn list(&self, asked: &Asked) -> String {
        let reference = asked.target.split_once("reference=").map_or("", |(_, reference)| reference);
        let own = self.made.iter().filter(|(_, marker)| *marker == reference);
        let listed: Vec<String> = own.map(|(id, _)| format!(r#"{{"order_id":{id}}}"#)).collect();
        format!(r#"{{"orders":[{}]}}"#, listed.join(","))
    }
}

/// The answer that names an order.
pub(crate) fn made(id: u64) -> Answer {
    (201, "application/json", format!(r#"{{"order_id":{id}}}"#))
}

/// The API, which takes orders as `order` says. What it turns away, `before` answers.
pub(crate) fn start(
    before: impl Fn(&Asked, &Orders) -> Option<Answer> + Send + Sync + 'static,
    order: impl Fn(&Asked, &Arc<Mutex<Orders>>) -> Answer + Send + Sync + 'static,
) -> (Stub, Arc<Mutex<Orders>>) {
    let orders = Arc::new(Mutex::new(Orders::default()));
    let shared = Arc::clone(&orders);
    let stub = Stub::start(move |asked| {
        {
            let mut orders = shared.lock().unwrap();
            orders.asked.push((Instant::now(), asked.method.clone()));
            if let Some(answer) = before(asked, &orders) {
                return answer;
            }
        }
        match asked.method.as_str() {
            "POST" => order(asked, &shared),
            "GET" => (200, "application/json", shared.lock().unwrap().list(asked)),
            _ => (204, "application/json", String::new()),
        }
    });
    (stub, orders)
}

/// Takes an order as the contract says.
pub(crate) fn soundly(asked: &Asked, orders: &Arc<Mutex<Orders>>) -> Answer {
    let mut orders = orders.lock().unwrap();
    let key = asked.header("idempotency-key").unwrap().to_owned();
    if let Some(known) = orders.keys.get(&key) {
        return made(*known);
    }
    let id = orders.make(asked);
    orders.keys.insert(key, id);
    made(id)
}

/// Runs the program against the API.
pub(crate) fn against(stub: &Stub, more: &[&str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let profile = write_file(folder.path(), "small.yaml", PROFILE);
    let base_url = stub.base_url();
    run(&[&[profile.as_str(), "--base-url", &base_url], more].concat())
}

/// The times between one request and the next.
pub(crate) fn pauses(orders: &Mutex<Orders>, method: &str) -> Vec<Duration> {
    let orders = orders.lock().unwrap();
    let times: Vec<Instant> = orders.asked.iter().filter(|(_, asked)| asked == method).map(|(at, _)| *at).collect();
    times.windows(2).map(|pair| pair[1] - pair[0]).collect()
}
