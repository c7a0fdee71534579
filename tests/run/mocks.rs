//! A run against a mock of its own profile: nothing is needed for it, nothing leaves the machine, and the report says so.

use std::collections::BTreeSet;

use idemspec::contract::Requirement;
use idemspec::profile;

use crate::support::{run, run_with, verdicts, write_file};

#[test]
fn a_mock_needs_no_credentials_and_is_shown_none() {
    let only = "key-reuse,retention-least,lost-response[lose=request],other-account";
    let run = run_with(&["stripe-v1", "--mock", "--only", only], |command| {
        // The profile refuses this one, so it would be noticed if it were so much as looked at.
        command.env("STRIPE_SECRET_KEY", "sk_live_of_somebody");
    });
    run.assert_code(0);
    let said = verdicts(&run.stdout);
    for id in ["replay.after-success", "retention.kept", "replay.after-lost-request", "scope.other-account"] {
        assert_eq!(said[id], "holds", "{}", run.stdout);
    }
    for words in [
        "THIS WAS A MOCK, NOT THE REAL API",
        "advance-clock (its clock was moved)",
        "the mock's own bound, 2s, was taken",
    ] {
        assert!(run.stdout.split_whitespace().collect::<Vec<_>>().join(" ").contains(words), "{words}\n{}", run.stdout);
    }
    let journal = std::fs::read_to_string(&run.journal).unwrap();
    assert!(!journal.contains("of_somebody"), "it is written down");
}

#[test]
fn a_mock_can_be_broken() {
    let run = run(&["stripe-v1", "--mock", "--defect", "no-dedup", "--only", "key-reuse"]);
    run.assert_code(1);
    assert!(run.violated().is_superset(&BTreeSet::from([Requirement::ReplayAfterSuccess])), "{}", run.stdout);
}

#[test]
fn without_a_mock_there_is_nothing_to_break() {
    let run = run(&["stripe-v1", "--defect", "no-dedup"]);
    run.assert_code(2);
    assert!(run.stderr.contains("add --mock"), "{}", run.stderr);
    let both = crate::support::run(&["stripe-v1", "--mock", "--base-url", "http://127.0.0.1:1"]);
    both.assert_code(2);
}

#[test]
fn a_mock_starts_no_program_of_its_profile() {
    let folder = tempfile::tempdir().unwrap();
    let started = folder.path().join("started");
    let program = format!("{{command: [touch, {:?}]}}", started.to_str().unwrap());
    let text = profile::shipped().iter().find(|(name, _)| *name == "reference").unwrap().1;
    let text = text
        .replace("profile: reference\n", "profile: with-a-program\n")
        .replace(
            "expire-keys: {request: {method: POST, path: /clock, json: {advance: 25h}}}",
            &format!("expire-keys: {program}"),
        )
        .replace("store-down: {request: {method: POST, path: /store/down}}", &format!("store-down: {program}"))
        .replace("store-up: {request: {method: POST, path: /store/up}}", &format!("store-up: {program}"));
    assert_eq!(text.matches("touch").count(), 3, "{text}");
    let profile = write_file(folder.path(), "with-a-program.yaml", &text);
    let run = run(&[&profile, "--mock", "--only", "store-outage,key-reuse"]);
    run.assert_code(0);
    assert!(!started.exists(), "{}", run.stdout);
    assert!(run.stdout.contains("store-down"), "{}", run.stdout);
    assert!(run.stdout.contains("expire-keys"), "{}", run.stdout);
}
