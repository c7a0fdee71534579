//! A recorded run is judged again, without its target: by its own contract as before, by another one as that says.

use std::process::Output;

use idemspec::profile;
use idemspec::reference::{self, Api, ReferenceOptions};

use crate::support::{program, run, run_with, verdicts, write_file};

fn judge(arguments: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = program().arg("judge").args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

#[test]
fn a_recording_is_judged_as_the_run_was() {
    for arguments in [&["--only", "key-reuse,validation-failure"][..], &["--only", "key-reuse", "--defect", "no-dedup"]]
    {
        let run = run(arguments);
        let (code, stdout, stderr) = judge(&[run.journal.to_str().unwrap()]);
        assert_eq!((code, stdout.as_str(), stderr.as_str()), (run.code, run.stdout.as_str(), ""));
    }
}

#[test]
fn what_decides_the_exit_status_is_asked_for_anew() {
    let run = run(&["--only", "key-reuse"]);
    run.assert_code(0);
    assert_eq!(judge(&[run.journal.to_str().unwrap(), "--strict"]).0, 3);
}

/// A contract that promises what PayPal does, as far as it matters here.
const CURRENT_STATE: &str = r#"
profile: current-state
title: Answers with the current state
target: {environment: sandbox, base_url: "https://api.example.com"}
operation:
  request: {method: POST, path: /v1/orders, json: {reference: "{{marker}}"}}
  identity: {json: "$.id"}
  effects: identity
contract:
  key: {carrier: {header: PayPal-Request-Id}, max_length: 108, missing: {rejects: {status: 400}}}
  retention: {at_least: 6h}
  replay: {after_success: refreshes, after_validation_failure: executes}
  conflict:
    changed_parameters: {rejects: {status: 422, json: {"$.name": UNPROCESSABLE_ENTITY}}}
  scope: {methods: [POST], other_operation: executes}
"#;

#[test]
fn another_contract_is_broken_where_the_two_differ_and_nowhere_else() {
    let stripe = profile::load("stripe-v1").unwrap().profile;
    let options = ReferenceOptions { api: Api::Of(Box::new(stripe.clone())), ..ReferenceOptions::new(stripe.contract) };
    let target = reference::start(options).unwrap();
    let only = "key-format,key-reuse,validation-failure,lost-response";
    let run = run_with(&["stripe-v1", "--base-url", &target.base_url(), "--only", only], |command| {
        command.env("STRIPE_SECRET_KEY", "sk_test_of_nobody");
    });
    let own = verdicts(&run.stdout);
    assert!(!own.values().any(|verdict| verdict == "violated"), "{}", run.stdout);
    drop(target);
    let folder = tempfile::tempdir().unwrap();
    let other = write_file(folder.path(), "other.yaml", CURRENT_STATE);
    let (code, stdout, stderr) = judge(&[run.journal.to_str().unwrap(), "--profile", &other]);
    assert_eq!(code, 1, "{stdout}\n{stderr}");
    let judged = verdicts(&stdout);
    let broken: Vec<&str> =
        judged.iter().filter(|(_, verdict)| *verdict == "violated").map(|(name, _)| name.as_str()).collect();
    assert_eq!(broken, ["conflict.changed-parameters", "key.missing"], "{stdout}");
    for clause in ["key", "retention", "replay", "conflict", "scope"] {
        let row = stdout.lines().find(|line| line.starts_with(&format!("│ {clause} "))).unwrap();
        assert_eq!(row.contains("✗ violated"), ["key", "conflict"].contains(&clause), "{row}");
    }
    assert_eq!(judged["replay.after-success"], "holds");
    for declared in ["scope.other-operation", "retention.kept"] {
        assert!(judged[declared].starts_with("untested"), "it is declared, and was not exercised: {judged:?}");
    }
}

#[test]
fn a_profile_that_was_changed_in_the_journal_is_noticed() {
    let run = run(&["--only", "key-reuse"]);
    let text = std::fs::read_to_string(&run.journal).unwrap();
    std::fs::write(&run.journal, text.replacen("\"max_length\":255", "\"max_length\":25", 1)).unwrap();
    let (code, _, stderr) = judge(&[run.journal.to_str().unwrap()]);
    assert_eq!(code, 2);
    assert!(stderr.contains("line 1 of the journal was changed"), "{stderr}");
}
