//! Several operations and several profiles: one run, one table, and a journal for each.

use idemspec::journal;

use crate::support::{run, write_file};

/// An API of three operations that are probed, as a mock serves it.
const SHOP: &str = r#"
profile: shop
title: Shop
target: {environment: sandbox, base_url: "https://api.example.com"}
operation:
  request: {method: POST, path: /orders, json: {reference: "{{marker}}", quantity: 1}}
  identity: {json: $.id}
  parameters: {changed: {json: {quantity: 2}}}
  effects:
    - request: {method: GET, path: /orders, query: {reference: "{{marker}}"}}
      each: {json: "$.data[*].id"}
operations:
  refunds:
    probe: true
    request: {method: POST, path: /refunds, json: {reason: "{{marker}}", amount: 1}}
    identity: {json: $.refund}
    parameters: {changed: {json: {amount: 2}}}
    effects:
      - request: {method: GET, path: /refunds, query: {reason: "{{marker}}"}}
        each: {json: "$.data[*].refund"}
  notes:
    request: {method: POST, path: /notes, json: {text: "{{marker}}"}}
    identity: {json: $.id}
    effects:
      - request: {method: GET, path: /notes, query: {text: "{{marker}}"}}
        each: {json: "$.data[*].id"}
contract:
  key: {carrier: {header: Idempotency-Key}, missing: executes}
  replay: {after_success: replays}
  conflict: {changed_parameters: {rejects: {status: 422}}}
  scope: {other_operation: executes}
"#;

fn probe(arguments: &[&str]) -> crate::support::Run {
    let folder = tempfile::tempdir().unwrap();
    let shop = write_file(folder.path(), "shop.yaml", SHOP);
    run(&[&[shop.as_str(), "--mock", "--only", "key-reuse,other-operation"], arguments].concat())
}

#[test]
fn every_operation_is_a_row_and_a_journal() {
    let run = probe(&[]);
    run.assert_code(0);
    let rows: Vec<&str> = run.stdout.lines().map(|line| line.split_whitespace().next().unwrap_or_default()).collect();
    assert_eq!(rows[..3], ["operation", "shop", "shop.refunds"], "{}", run.stdout);
    assert!(run.stdout.contains("2 operations: 2 holds"), "{}", run.stdout);
    let of = |name: &str| journal::read(&run.journal.with_file_name(name)).unwrap().history;
    assert_eq!(of("run.shop.jsonl").plan.unwrap().operation, None);
    let refunds = of("run.shop.refunds.jsonl");
    assert_eq!(refunds.plan.as_ref().unwrap().operation.as_deref(), Some("refunds"));
    let targets = |wanted: &str| {
        let attempts = refunds.cases.values().flat_map(|case| &case.attempts);
        attempts.filter(|attempt| attempt.start.request.target == wanted).count()
    };
    assert!(targets("/refunds") > 4, "the operation itself is probed");
    assert!(targets("/orders") > 0, "the profile's own is the other one now");
}

#[test]
fn what_is_broken_is_told_by_requirement() {
    let run = probe(&["--defect", "no-dedup"]);
    run.assert_code(1);
    assert!(run.stdout.contains("✗ replay.single-effect (2 of 2): shop, shop.refunds"), "{}", run.stdout);
    assert!(run.stdout.contains("Result: violated (exit 1)"), "{}", run.stdout);
}

#[test]
fn several_profiles_are_one_table() {
    let run = probe(&["stripe-v1", "--operation", "default"]);
    run.assert_code(0);
    assert!(run.stdout.contains("\nshop ") && run.stdout.contains("\nstripe-v1 "), "{}", run.stdout);
    assert!(!run.stdout.contains("shop.refunds"), "{}", run.stdout);
}

#[test]
fn an_operation_by_itself_is_reported_in_full() {
    let run = probe(&["--operation", "refunds"]);
    run.assert_code(0);
    assert!(
        run.stdout.contains("Result: holds (exit 0)") && run.stdout.contains("replay.after-success"),
        "{}",
        run.stdout
    );
    let unknown = probe(&["--operation", "refund"]);
    unknown.assert_code(2);
    assert!(unknown.stderr.contains("did you mean `refunds`?"), "{}", unknown.stderr);
    let twice = probe(&["stripe-v1", "stripe-v1"]);
    twice.assert_code(2);
    assert!(twice.stderr.contains("two profiles are called `stripe-v1`"), "{}", twice.stderr);
}

#[test]
fn a_mistake_in_one_operation_is_told_before_anything_is_sent() {
    let folder = tempfile::tempdir().unwrap();
    let text = SHOP.replace("/refunds, json: {", "/refunds, headers: {X: \"${NOT_SET_ANYWHERE}\"}, json: {");
    let shop = write_file(folder.path(), "shop.yaml", &text);
    let run = run(&[&shop, "--base-url", "http://127.0.0.1:9", "--only", "key-reuse"]);
    run.assert_code(2);
    let says = ["shop.refunds: ", "`NOT_SET_ANYWHERE` is not set", "shop.yaml:15:"];
    assert!(says.iter().all(|part| run.stderr.contains(part)), "{}", run.stderr);
    assert!(!run.journal.with_file_name("run.shop.jsonl").exists(), "something was begun");
}

#[test]
fn shards_are_parts_of_one_whole() {
    let ids = |arguments: &[&str]| -> Vec<String> {
        let run = run(&[&["--plan", "--only", "conflict,scope"], arguments].concat());
        run.assert_code(0);
        let cases = run.stdout.split("\nLeft out\n").next().unwrap().split("\nCases\n").nth(1).unwrap();
        let names = cases.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
        names.map(|line| line.trim().trim_end_matches("  (alone, last)").to_owned()).collect()
    };
    let whole = ids(&[]);
    let shards: Vec<Vec<String>> = (1..=3).map(|number| ids(&["--shard", &format!("{number}/3")])).collect();
    assert!(shards.iter().all(|shard| shard[0].starts_with("control")), "{shards:?}");
    let others = |shard: &[String]| shard.iter().filter(|id| !id.starts_with("control")).cloned().collect::<Vec<_>>();
    let mut union: Vec<String> = shards.iter().flat_map(|shard| others(shard)).collect();
    union.sort();
    let mut expected = others(&whole);
    expected.sort();
    assert_eq!(union, expected);
    let told = run(&["--only", "key-reuse,in-flight", "--shard", "2/2"]);
    told.assert_code(0);
    assert!(told.stdout.contains("in another shard"), "{}", told.stdout);
}
