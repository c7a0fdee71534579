//! A loss that was to hit the execution and came too late is void: kept, cleaned up, not judged, and tried again.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use idemspec::contract::Requirement;
use idemspec::journal;

use crate::support::{Stub, run};

/// Takes its time for every order but the first after the four of the control, whose answer is faster than any loss.
const FAST_ORDER: usize = 5;

#[test]
fn a_loss_that_came_too_late_is_tried_again_with_a_fresh_action() {
    let (next, alive) = (AtomicUsize::new(1), Arc::new(Mutex::new(Vec::<(usize, String)>::new())));
    let orders = Arc::clone(&alive);
    let stub = Stub::start(move |asked| match asked.method.as_str() {
        "POST" => {
            let id = next.fetch_add(1, Ordering::SeqCst);
            let body: serde_json::Value = serde_json::from_str(&asked.body).unwrap();
            orders.lock().unwrap().push((id, body["reference"].as_str().unwrap().to_owned()));
            std::thread::sleep(Duration::from_millis(if id == FAST_ORDER { 0 } else { 120 }));
            (201, "application/json", format!(r#"{{"order_id":{id}}}"#))
        }
        "DELETE" => {
            let id: usize = asked.target.rsplit('/').next().unwrap().parse().unwrap();
            orders.lock().unwrap().retain(|(alive, _)| *alive != id);
            (204, "application/json", String::new())
        }
        _ => {
            let reference = asked.target.split_once("reference=").unwrap().1.to_owned();
            let orders = orders.lock().unwrap();
            let listed = orders.iter().filter(|(_, marker)| *marker == reference);
            let listed: Vec<String> = listed.map(|(id, _)| format!(r#"{{"order_id":{id}}}"#)).collect();
            (200, "application/json", format!(r#"{{"orders":[{}]}}"#, listed.join(",")))
        }
    });
    let case = "lost-response[lose=execution]";
    let run = run(&["reference", "--base-url", &stub.base_url(), "--only", case]);
    run.assert_code(1);
    let history = journal::read(&run.journal).unwrap().history;
    let case = history.cases.iter().find(|(id, _)| id.0 == case).unwrap().1;
    assert_eq!(case.voided.len(), 1, "the fast order came before its loss");
    assert!(case.attempts.iter().all(|attempt| attempt.start.intent != case.voided[0].start.intent));
    // The target has no keys, so the retry makes a second order: the loss that was tried again did hit the execution.
    assert!(run.violated().contains(&Requirement::ReplayAfterLostExecution), "{}", run.stdout);
    assert_eq!(*alive.lock().unwrap(), Vec::new(), "orders that were left behind");
}
