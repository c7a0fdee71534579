//! An API that is idempotent by method: a PUT to a name that the client has chosen, and no key.

use std::collections::BTreeMap;
use std::sync::Mutex;

use idemspec::contract::Requirement;
use serde_json::{Value, json};

use crate::support::{Answer, Asked, Stub, run, verdicts};

/// Keeps orders by the names that clients give them. A sloppy one makes another order each time.
fn orders(sloppy: bool) -> impl Fn(&Asked) -> Answer + Send + Sync + 'static {
    let kept: Mutex<BTreeMap<String, Value>> = Mutex::default();
    move |asked| {
        let mut kept = kept.lock().unwrap();
        let (path, query) = asked.target.split_once('?').unwrap_or((&asked.target, ""));
        let name = path.trim_start_matches("/orders").trim_start_matches('/').to_owned();
        let answer = |status, value: Value| (status, "application/json", value.to_string());
        match asked.method.as_str() {
            "GET" => {
                let reference = query.trim_start_matches("reference=");
                let listed: Vec<Value> =
                    kept.values().filter(|order| order["reference"] == reference).cloned().collect();
                answer(200, json!({"orders": listed}))
            }
            "DELETE" => match kept.remove(&name) {
                Some(_) => answer(200, json!({})),
                None => answer(404, json!({})),
            },
            "PUT" => {
                let mut order: Value = serde_json::from_str(&asked.body).unwrap();
                if order["quantity"] == 0 {
                    return answer(400, json!({"error": "nothing is ordered"}));
                }
                let name = if sloppy { format!("{name}-{}", kept.len()) } else { name };
                order["order_id"] = name.clone().into();
                let status = if kept.insert(name, order.clone()).is_some() { 200 } else { 201 };
                answer(status, order)
            }
            _ => answer(405, json!({})),
        }
    }
}

const ONLY: &str = "key-reuse,validation-failure,field-sweep,lost-response[lose=response],mistaken-retry,key-format";

#[test]
fn without_a_key_the_name_in_the_uri_tells_one_action_from_another() {
    let stub = Stub::start(orders(false));
    let run = run(&["rfc9110-methods", "--base-url", &stub.base_url(), "--only", ONLY]);
    run.assert_code(0);
    let said = verdicts(&run.stdout);
    for id in ["key.fresh", "replay.single-effect", "replay.after-success", "conflict.changed-parameters"] {
        assert_eq!(said[id], "holds", "{id}\n{}", run.stdout);
    }
    let clause = run.stdout.lines().find(|line| line.starts_with("│ key ")).unwrap();
    assert!(clause.contains("undeclared"), "{clause}");
    assert!(run.stdout.contains("needs key"), "{}", run.stdout);
    assert!(!run.stdout.contains("Idempotency-Key"), "{}", run.stdout);
}

#[test]
fn a_put_that_makes_something_each_time_is_found_out() {
    let stub = Stub::start(orders(true));
    let run = run(&["rfc9110-methods", "--base-url", &stub.base_url(), "--only", ONLY]);
    run.assert_code(1);
    assert!(run.violated().contains(&Requirement::ReplaySingleEffect), "{}", run.stdout);
}
