//! How long keys are kept: by moving the target's clock, and by waiting where the time is short.

use std::time::Duration;

use idemspec::contract::{Cause, Contract, Requirement};
use idemspec::journal;
use idemspec::oracle::{self, Judgement};
use idemspec::profile;
use idemspec::reference::{self, ReferenceOptions, RunningReference};

use crate::support::{Run, run, write_file};

/// The line of a report about one requirement.
#[track_caller]
fn line(run: &Run, requirement: Requirement) -> &str {
    let found = run.stdout.lines().find(|line| line.contains(requirement.id()));
    found.unwrap_or_else(|| panic!("{requirement} is missing in\n{}", run.stdout))
}

/// A target that keeps its keys for four seconds, and a profile that says so and the rest of what is given.
fn short_lived(rest: &str) -> (RunningReference, tempfile::TempDir, String) {
    let mut contract: Contract = profile::load("reference").unwrap().profile.contract;
    let retention = contract.retention.as_mut().unwrap();
    retention.at_least = Some("4s".parse().unwrap());
    retention.at_most = retention.at_least;
    let target = reference::start(ReferenceOptions::new(contract)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let text = format!(
        "profile: mine\nextends: reference\ntitle: Mine\ntarget: {{base_url: \"{}\"}}\n{rest}\
         contract: {{retention: {{at_least: 4s, at_most: 4s}}}}\n",
        target.base_url()
    );
    let path = write_file(folder.path(), "mine.yaml", &text);
    (target, folder, path)
}

#[test]
fn the_clock_is_moved_and_seen_to_have_moved() {
    let run = run(&["--only", "retention-expiry"]);
    run.assert_code(0);
    assert!(run.held().is_superset(&[Requirement::RetentionKept, Requirement::RetentionExpired].into()));
    let history = journal::read(&run.journal).unwrap().history;
    let hooks: Vec<_> = history.cases.values().flat_map(|case| &case.hooks).map(|(_, _, hook)| hook).collect();
    let moved: Vec<u64> = hooks.iter().map(|hook| hook.advanced.as_secs()).collect();
    assert_eq!(moved, [12 * 3600, 24 * 3600 + 3]);
    for hook in hooks {
        let difference = hook.confirmed.unwrap().abs_diff(hook.advanced);
        assert!(difference < Duration::from_secs(1), "{hook:?}");
        assert_eq!((hook.error.as_deref(), hook.changed.as_deref()), (None, None));
    }
}

#[test]
fn a_hook_that_fails_is_named_with_its_error() {
    let hook = "hooks: {advance-clock: {request: {method: POST, path: /nowhere, json: {by: \"{{seconds}}\"}}}}\n";
    let (_target, _folder, path) = short_lived(hook);
    let run = run(&[&path, "--only", "retention-expiry"]);
    assert_eq!(run.violated(), [].into(), "{}", run.stdout);
    let said = "hook advance-clock failed in retention-expiry: the hook was answered 404";
    assert!(run.stdout.contains(said), "{}", run.stdout);
    let expired = line(&run, Requirement::RetentionExpired);
    assert!(!expired.contains("not exercised") && !expired.contains("holds"), "{expired}");
}

#[test]
fn a_clock_that_was_not_moved_leaves_retention_inconclusive() {
    // The hook is answered with a success, and the clock stays where it is.
    let hook = "hooks: {advance-clock: {request: {method: GET, path: \"/clock\", json: null, query: {by: \"{{seconds}}\"}}}}\n";
    let (_target, _folder, path) = short_lived(hook);
    let run = run(&[&path, "--only", "retention-expiry"]);
    assert_eq!(run.violated(), [].into(), "{}", run.stdout);
    for requirement in [Requirement::RetentionKept, Requirement::RetentionExpired] {
        assert!(!line(&run, requirement).contains("holds"), "{}", run.stdout);
    }
    let history = journal::read(&run.journal).unwrap().history;
    let findings = oracle::judge(&profile::load("reference").unwrap().profile.contract, &history);
    let cause = Judgement::Inconclusive(Cause::Ambiguous);
    assert!(
        findings
            .iter()
            .any(|finding| { finding.requirement == Requirement::RetentionExpired && finding.judgement == cause })
    );
}

#[test]
fn a_short_time_is_waited_for() {
    let (_target, _folder, path) = short_lived("");
    let run = run(&[&path, "--only", "retention-wait"]);
    run.assert_code(0);
    for requirement in [Requirement::RetentionKept, Requirement::RetentionExpired] {
        assert!(line(&run, requirement).contains("holds"), "{}", run.stdout);
    }
}

#[test]
fn a_time_that_is_too_long_is_not_waited_for() {
    let (_target, _folder, path) = short_lived("");
    let run = run(&[&path, "--only", "retention-wait", "--max-wait", "1s"]);
    run.assert_code(4);
    let plan = crate::support::run(&[&path, "--only", "retention-wait", "--max-wait", "1s", "--plan"]);
    for case in ["half-expiry", "before-expiry", "after-expiry"] {
        let expected = format!("retention-wait[wait={case}]: needs longer than --max-wait");
        assert!(plan.stdout.contains(&expected), "{}", plan.stdout);
    }
}

/// `forgotten-under-pressure` has room for sixteen keys.
#[test]
fn a_store_that_is_larger_than_usual_is_filled_when_asked() {
    let broken = ["--only", "pressure", "--defect", "forgotten-under-pressure"];
    let few = run(&[&broken[..], &["--pressure", "12"]].concat());
    few.assert_code(0);
    assert!(line(&few, Requirement::RetentionKept).contains("holds"), "{}", few.stdout);
    let many = run(&[&broken[..], &["--pressure", "20"]].concat());
    many.assert_code(1);
    assert!(many.violated().contains(&Requirement::RetentionKept), "{}", many.stdout);
    let none = run(&["--pressure", "9"]);
    none.assert_code(2);
    assert!(none.stderr.contains("10"), "{}", none.stderr);
}
