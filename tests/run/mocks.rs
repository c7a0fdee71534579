//! A run against a mock of its own profile: nothing is needed for it, nothing leaves the machine, and the report says so.

use std::collections::BTreeSet;
use std::time::Duration;

use idemspec::contract::{Period, Reason, Requirement};
use idemspec::plan::{Plan, PlanOptions, Selection};
use idemspec::profile::{self, BindOptions, Bound};
use idemspec::reference::Defect;
use idemspec::scenario;

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

/// Every profile in the folder, whoever put it there.
fn profiles() -> Vec<String> {
    let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/profiles")).unwrap();
    let names = folder.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.map(|name| name.trim_end_matches(".yaml").to_owned()).collect();
    names.sort();
    names
}

/// What a mock of a profile cannot show, with the reasons. It is written down, so that no profile can be made to look more
/// complete than it is: whoever declares more, or takes a variant away, sees it here.
#[test]
fn what_a_mock_of_a_profile_leaves_untested_is_written_down() {
    let mut text = String::new();
    for name in profiles() {
        let loaded = profile::load(&name).unwrap().staged().unwrap().loaded;
        let contract = loaded.profile.contract.clone();
        let values = loaded.profile.made_up_values();
        let options =
            BindOptions { base_url: Some("http://127.0.0.1:1"), allow_production: true, ..BindOptions::default() };
        let bound = Bound::new(loaded.profile, &|name| values.get(name).cloned(), &options).unwrap();
        let max_wait = Period(Duration::from_secs(60));
        let options = PlanOptions {
            selection: Selection::default(),
            max_wait,
            may_speak_http2: false,
            suspends: false,
            pressure: None,
        };
        let plan = Plan::new(&bound, &scenario::load_shipped(), &options);
        text.push_str(&format!("{name}\n"));
        let declared =
            |requirement: &Requirement| requirement.row().is_none_or(|row| !contract.rulings(row).is_empty());
        for (requirement, reason) in plan.untested.iter().filter(|(requirement, _)| declared(requirement)) {
            if *reason != Reason::NotExercised {
                text.push_str(&format!("  {requirement}: {reason}\n"));
            }
        }
    }
    insta::assert_snapshot!(text);
}

/// A few of the profiles prove themselves here; all of them do in the selftest.
#[test]
fn a_mock_with_a_defect_is_blamed_for_exactly_that() {
    for (profile, defect, only) in [
        ("mollie", "replay-without-marker", "key-reuse"),
        ("razorpay", "key-optional", "key-format,key-reuse"),
        ("increase", "fold-case", "key-distinct,key-reuse"),
    ] {
        let broken = run(&[profile, "--mock", "--defect", defect, "--only", only]);
        broken.assert_code(1);
        let declared: BTreeSet<Requirement> = defect.parse::<Defect>().unwrap().expected().iter().copied().collect();
        assert_eq!(broken.violated(), declared, "{profile} {defect}\n{}", broken.stdout);
        let sound = run(&[profile, "--mock", "--only", only]);
        sound.assert_code(0);
        assert!(sound.held().is_superset(&declared), "{profile}\n{}", sound.stdout);
    }
}
