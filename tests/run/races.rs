//! Races against whole targets: what a sound one shows, what a hole between check and act looks like, and a target
//! that handles one request after the other, which cannot show anything about being in flight.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use idemspec::history::CaseHistory;
use idemspec::journal;

use crate::support::{Asked, Run, Stub, run, write_file};

const PROFILE: &str = r#"
profile: plain
title: An order API with a few promises
target: {environment: local, base_url: "http://127.0.0.1:1"}
operation:
  request: {method: POST, path: /orders, json: {reference: "{{marker}}", product: notebook, quantity: 1}}
  identity: {json: "$.order_id"}
  parameters:
    changed: {json: {quantity: 2}}
    slow: {json: {product: handmade}}
  effects:
    - request: {method: GET, path: /orders, query: {reference: "{{marker}}"}}
      each: {json: "$.orders[*].order_id"}
  cleanup: {method: DELETE, path: "/orders/{{identity}}"}
contract:
  key: {carrier: {header: Idempotency-Key}}
  replay: {after_success: replays}
  conflict:
    changed_parameters: {rejects: {status: 422}}
    in_flight: {allow: {rejects: {status: 409}}, ends_within: 2s}
    in_flight_changed: {rejects: {status: [409, 422]}}
"#;

/// An order API that looks a key up, does its work, and then writes the key down.
#[derive(Default)]
struct Target {
    /// Whether it takes one request after the other, which closes the hole.
    serial: bool,
    turn: Mutex<()>,
    orders: Mutex<Orders>,
}

#[derive(Default)]
struct Orders {
    made: BTreeMap<u64, String>,
    keys: HashMap<String, (String, u64)>,
}

impl Target {
    fn start(serial: bool) -> Stub {
        let target = Arc::new(Self { serial, ..Self::default() });
        Stub::start(move |asked| target.answer(asked))
    }

    fn answer(&self, asked: &Asked) -> (u16, &'static str, String) {
        let json = "application/json";
        match asked.method.as_str() {
            "POST" => {
                let (status, body) = self.order(asked);
                (status, json, body)
            }
            "GET" => (200, json, self.list(asked)),
            _ => (204, json, String::new()),
        }
    }

    fn order(&self, asked: &Asked) -> (u16, String) {
        let _turn = self.serial.then(|| self.turn.lock().unwrap_or_else(PoisonError::into_inner));
        let key = asked.header("idempotency-key").unwrap_or_default().to_owned();
        let known = self.orders.lock().unwrap().keys.get(&key).cloned();
        if let Some((body, id)) = known {
            return if body == asked.body { made(id) } else { (422, "{}".into()) };
        }
        std::thread::sleep(Duration::from_millis(if asked.body.contains("handmade") { 150 } else { 10 }));
        let body: serde_json::Value = serde_json::from_str(&asked.body).unwrap();
        let mut orders = self.orders.lock().unwrap();
        let id = orders.made.len() as u64 + 1;
        orders.made.insert(id, body["reference"].as_str().unwrap_or_default().to_owned());
        orders.keys.insert(key, (asked.body.clone(), id));
        made(id)
    }

    fn list(&self, asked: &Asked) -> String {
        let reference = asked.target.split_once("reference=").map_or("", |(_, reference)| reference);
        let orders = self.orders.lock().unwrap();
        let listed: Vec<String> = orders
            .made
            .iter()
            .filter(|(_, marker)| marker.as_str() == reference)
            .map(|(id, _)| format!(r#"{{"order_id":{id}}}"#))
            .collect();
        format!(r#"{{"orders":[{}]}}"#, listed.join(","))
    }
}

fn made(id: u64) -> (u16, String) {
    (201, format!(r#"{{"order_id":{id}}}"#))
}

fn against(stub: &Stub, more: &[&str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let profile = write_file(folder.path(), "plain.yaml", PROFILE);
    let base_url = stub.base_url();
    run(&[&[profile.as_str(), "--base-url", &base_url], more].concat())
}

/// The line of the report about a requirement.
fn line<'r>(run: &'r Run, requirement: &str) -> &'r str {
    let found = run.stdout.lines().find(|line| line.contains(&format!(" {requirement} ")));
    found.unwrap_or_else(|| panic!("{requirement} is missing in\n{}", run.stdout))
}

fn cases(run: &Run, scenario: &str) -> Vec<CaseHistory> {
    let recording = journal::read(&run.journal).unwrap();
    recording.history.cases.into_values().filter(|case| case.info.scenario == scenario).collect()
}

#[test]
fn a_hole_between_check_and_act_is_found() {
    let run = against(&Target::start(false), &["--only", "in-flight,in-flight-inside"]);
    run.assert_code(1);
    for requirement in ["conflict.in-flight", "conflict.in-flight-changed", "replay.single-effect"] {
        assert!(line(&run, requirement).contains("violated"), "{}", run.stdout);
    }
    assert!(run.stdout.contains(" released within "), "{}", run.stdout);
}

#[test]
fn a_target_that_takes_one_request_after_the_other_is_not_blamed() {
    let run = against(&Target::start(true), &[]);
    for requirement in ["conflict.in-flight", "conflict.in-flight-changed"] {
        assert!(line(&run, requirement).contains("untested (target serialises)"), "{}", run.stdout);
    }
    for requirement in ["replay.single-effect", "conflict.changed-parameters", "replay.after-success"] {
        assert!(line(&run, requirement).contains("holds"), "{}", run.stdout);
    }
    assert!(!run.stdout.contains("violated"), "{}", run.stdout);
    run.assert_code(0);
}

#[test]
fn the_control_learns_that_the_target_overlaps_and_how_long_a_slow_request_takes() {
    let run = run(&["--only", "in-flight"]);
    let calibration = journal::read(&run.journal).unwrap().history.calibration.unwrap();
    assert_eq!(calibration.overlaps, Some(true), "{calibration:?}");
    let slow = calibration.slow_latency.unwrap();
    assert!(slow >= calibration.latency * 2, "{calibration:?}");
    assert!(calibration.jitter < slow, "{calibration:?}");
}

#[test]
fn every_round_has_an_action_of_its_own_and_every_copy_stands_in_the_journal() {
    let run = run(&["--only", "in-flight"]);
    run.assert_code(0);
    let cases = cases(&run, "in-flight");
    assert_eq!(cases.len(), 2);
    for case in &cases {
        let names: Vec<&str> = case.intents.iter().map(|intent| intent.name.as_str()).collect();
        assert_eq!(names, ["burst", "burst 2", "burst 3"]);
        let distinct = |of: fn(&idemspec::history::Intent) -> &str| -> usize {
            case.intents.iter().map(of).collect::<BTreeSet<_>>().len()
        };
        assert_eq!((distinct(|intent| &intent.key), distinct(|intent| &intent.marker)), (3, 3));
        let copies: Vec<usize> = case.races.iter().map(|race| race.attempts.len()).collect();
        assert_eq!(copies, [20, 20, 20]);
        for race in &case.races {
            for id in &race.attempts {
                let attempt = case.attempt(*id).unwrap();
                let timing = attempt.end.as_ref().unwrap().timing;
                assert!(attempt.recorded <= timing.first_written.unwrap(), "on disk before its first byte");
            }
        }
        assert_eq!(case.attempts.len(), 20 * 3);
    }
    assert!(run.stdout.contains("  in-flight[first=slow]  3 rounds of 20 copies, "), "{}", run.stdout);
}

#[test]
fn duplicates_arrive_inside_the_slow_request() {
    let run = run(&["--only", "in-flight-inside"]);
    let cases = cases(&run, "in-flight-inside");
    let case = &cases[0];
    let slow = journal::read(&run.journal).unwrap().history.calibration.unwrap().slow_latency.unwrap();
    let written = |id| case.attempt(id).unwrap().end.as_ref().unwrap().timing.last_written.unwrap();
    let [order, altered] = case.races.as_slice() else { panic!("{:?}", case.races) };
    let first = written(order.attempts[0]);
    for (copy, quarter) in order.attempts.iter().zip(0..) {
        assert!(written(*copy) >= first + slow * quarter / 4, "{quarter}");
    }
    assert!(written(altered.attempts[1]) >= written(altered.attempts[0]) + slow / 2);
    assert_eq!(case.attempt(altered.attempts[1]).unwrap().start.parameters, "changed");
}

#[test]
fn a_race_that_does_not_fit_under_the_cap_is_not_begun() {
    let run = run(&["--only", "in-flight", "--max-requests", "70"]);
    run.assert_code(3);
    assert!(run.stdout.contains("the cap of --max-requests broke the run off"), "{}", run.stdout);
    let recording = journal::read(&run.journal).unwrap();
    assert!(recording.history.requests.unwrap() <= 70);
    for case in cases(&run, "in-flight") {
        let whole: usize = case.races.iter().map(|race| race.attempts.len()).sum();
        assert_eq!(case.attempts.len(), whole, "no copy without its race");
    }
}
