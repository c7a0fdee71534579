//! Every profile can be served, and whoever serves it is blamed for nothing: the shipped profiles, and some that say
//! things in other ways.

use std::collections::BTreeSet;

use idemspec::contract::Requirement;
use idemspec::journal;
use idemspec::oracle::{self, Judgement};
use idemspec::profile::{self, Loaded};
use idemspec::reference::{self, Defect, ReferenceOptions};

use crate::support::{Run, run_with, write_file};

/// Credentials that the shipped profiles take from the environment.
const CREDENTIALS: [(&str, &str); 7] = [
    ("STRIPE_SECRET_KEY", "sk_test_of_one_account"),
    ("STRIPE_OTHER_SECRET_KEY", "sk_test_of_another_one"),
    ("PAYPAL_CLIENT_ID", "client-of-a-sandbox"),
    ("PAYPAL_CLIENT_SECRET", "secret-of-a-sandbox"),
    // Whoever serves the profile makes up the same key, as nobody told it another.
    ("AWS_ACCESS_KEY_ID", "mock-AWS_ACCESS_KEY_ID"),
    ("AWS_SECRET_ACCESS_KEY", "mock-AWS_SECRET_ACCESS_KEY"),
    ("AWS_VPC_ID", "vpc-of-a-mock"),
];

pub(crate) fn written(name: &str) -> String {
    format!("{}/tests/profiles/{name}.yaml", env!("CARGO_MANIFEST_DIR"))
}

/// Serves a profile, and runs the program against what is served.
pub(crate) fn probe(profile: &str, defects: &[Defect], more: &[&str]) -> (Loaded, Run) {
    let loaded = profile::load(profile).unwrap();
    let options = ReferenceOptions { defects: defects.to_vec(), ..ReferenceOptions::of(loaded.profile.clone()) };
    let server = reference::start(options).unwrap();
    let base_url = server.base_url();
    let arguments = [&[profile, "--base-url", &base_url, "--level", "should"], more].concat();
    let run = run_with(&arguments, |command| {
        command.envs(CREDENTIALS);
    });
    (loaded, run)
}

pub(crate) fn judged(loaded: &Loaded, run: &Run, wanted: Judgement) -> BTreeSet<Requirement> {
    let recording = journal::read(&run.journal).unwrap();
    let findings = oracle::judge(&loaded.profile.contract, &recording.history);
    findings.iter().filter(|finding| finding.judgement == wanted).map(|finding| finding.requirement).collect()
}

/// What a contract leaves undecided that gives no bound for how long a request may be in flight.
const WITHOUT_BOUND: [&str; 2] = ["replay.after-lost-request", "replay.after-lost-execution"];

/// What stays undecided where a repeat waits: an answer that comes late does not show when its request arrived.
const WHILE_WAITING: [&str; 2] = ["conflict.in-flight", "conflict.in-flight-changed"];

/// The requirements that the report calls inconclusive.
fn undecided(run: &Run) -> Vec<&str> {
    let lines = run.stdout.lines().filter_map(|line| line.strip_prefix("  ? "));
    lines.filter_map(|line| line.split_whitespace().next()).collect()
}

/// Serves a profile soundly, and asserts that nothing is violated, that these requirements hold, and that no other
/// than those is left undecided.
#[track_caller]
pub(crate) fn assert_sound(profile: &str, held: &[Requirement], open: &[&str]) {
    let (loaded, run) = probe(profile, &[], &[]);
    run.assert_code(if undecided(&run).is_empty() { 0 } else { 3 });
    assert!(undecided(&run).iter().all(|id| open.contains(id)), "{}", run.stdout);
    assert_eq!(judged(&loaded, &run, Judgement::Violated), BTreeSet::new(), "{}", run.stdout);
    let found = judged(&loaded, &run, Judgement::Holds);
    let missing: Vec<_> = held.iter().filter(|requirement| !found.contains(requirement)).collect();
    assert!(missing.is_empty(), "{missing:?}\n{}", run.stdout);
}

/// What every contract here promises.
const USUAL: [Requirement; 4] = [
    Requirement::KeyFresh,
    Requirement::ReplaySingleEffect,
    Requirement::ReplayAfterSuccess,
    Requirement::ConflictChangedParameters,
];

#[test]
fn the_reference_profile_can_be_served_as_any_other() {
    let more = [
        Requirement::KeyMissing,
        Requirement::RetentionExpired,
        Requirement::ReplayAfterFailure,
        Requirement::ReplayAfterServerError,
        Requirement::ReplayAfterValidationFailure,
        Requirement::ReplayFidelity,
        Requirement::ReplayMarker,
        Requirement::ReplayAfterChange,
        Requirement::ConflictEquivalentParameters,
        Requirement::ConflictInFlight,
        Requirement::ScopeMethods,
        Requirement::ScopeOtherAccount,
        Requirement::ScopeOtherOperation,
    ];
    assert_sound("reference", &[&USUAL[..], &more].concat(), &[]);
}

#[test]
fn the_stripe_profile_is_served_soundly() {
    let more = [
        Requirement::ReplayAfterValidationFailure,
        Requirement::ReplayMarker,
        Requirement::ReplayFidelity,
        Requirement::ScopeOtherAccount,
    ];
    assert_sound("stripe-v1", &[&USUAL[..], &more].concat(), &WITHOUT_BOUND);
}

#[test]
fn the_profile_of_the_draft_is_served_soundly() {
    let more = [Requirement::KeyMissing, Requirement::ConflictInFlight];
    assert_sound("ietf-draft-07", &[&USUAL[..], &more].concat(), &WITHOUT_BOUND);
}

#[test]
fn a_form_with_a_quoted_key_whose_repeat_gets_the_current_state() {
    let more = [Requirement::ReplayAfterChange, Requirement::ConflictEquivalentParameters, Requirement::KeyMissing];
    assert_sound(&written("form-refreshes"), &[&USUAL[..], &more].concat(), &[]);
}

#[test]
fn a_key_in_the_json_body() {
    let more = [Requirement::ReplayAfterFailure, Requirement::RetentionExpired];
    // Nothing is made by a crash, so a repeat of it that is carried out looks as one that is not.
    assert_sound(&written("key-in-json"), &[&USUAL[..], &more].concat(), &["replay.after-server-error"]);
}

#[test]
fn a_key_in_the_query_of_an_interface_with_one_path() {
    assert_sound(&written("key-in-query"), &USUAL, &WHILE_WAITING);
}

#[test]
fn a_key_in_the_form_whose_repeat_is_refused_with_what_was_made() {
    let more = [Requirement::ReplayAfterServerError];
    assert_sound(&written("rejects-duplicates"), &[&USUAL[..], &more].concat(), &[]);
}

#[test]
fn a_repeat_that_waits_for_the_first() {
    let more = [Requirement::ScopeOtherOperation, Requirement::ConflictEquivalentParameters];
    assert_sound(&written("waits"), &[&USUAL[..], &more].concat(), &WHILE_WAITING);
}

#[test]
fn defects_break_any_profile() {
    for (profile, name, scenario, expected) in [
        ("stripe-v1", "no-dedup", "key-reuse", Requirement::ReplayAfterSuccess),
        ("stripe-v1", "double-effect", "key-reuse", Requirement::ReplaySingleEffect),
        ("stripe-v1", "blind-to-account", "other-account", Requirement::ScopeOtherAccount),
        ("stripe-v1", "ignore-parameters", "key-reuse", Requirement::ConflictChangedParameters),
    ] {
        let (loaded, run) = probe(profile, &[name.parse().unwrap()], &["--only", scenario]);
        run.assert_code(1);
        assert!(judged(&loaded, &run, Judgement::Violated).contains(&expected), "{profile} {name}\n{}", run.stdout);
    }
}

#[test]
fn spaces_around_a_key_count_where_its_carrier_keeps_them() {
    let defect = "strip-white-space".parse().unwrap();
    let (loaded, run) = probe(&written("key-in-json"), &[defect], &["--only", "key-distinct"]);
    run.assert_code(1);
    assert_eq!(judged(&loaded, &run, Judgement::Violated), BTreeSet::from([Requirement::KeyFresh]), "{}", run.stdout);
    assert!(run.stdout.contains("case        key-distinct[key=padded]"), "{}", run.stdout);
}

#[test]
fn a_repeat_that_is_promised_the_current_state_does_not_get_the_first_answer() {
    let folder = tempfile::tempdir().unwrap();
    let current = "profile: current\ntitle: T\nextends: reference\ncontract: {replay: {after_change: refreshes}}\n";
    let profile = write_file(folder.path(), "current.yaml", current);
    let judge = |defects: &[Defect], wanted| {
        let (loaded, run) = probe(&profile, defects, &["--only", "after-change"]);
        judged(&loaded, &run, wanted)
    };
    assert_eq!(judge(&[], Judgement::Violated), BTreeSet::new());
    assert!(judge(&[], Judgement::Holds).contains(&Requirement::ReplayAfterChange));
    let violated = judge(&["stale-replay".parse().unwrap()], Judgement::Violated);
    assert_eq!(violated, [Requirement::ReplayAfterChange].into());
}
