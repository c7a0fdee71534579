//! The contracts of providers and specifications that say more than whether a repeat is recognised: each is served soundly,
//! and broken where it says so.

use std::collections::BTreeSet;

use idemspec::contract::Requirement;
use idemspec::oracle::Judgement;
use idemspec::profile::{self, Loaded};
use idemspec::reference::{self, Defect, ReferenceOptions};

use crate::profiles::judged;
use crate::support::{Run, run_with, write_file};

/// What the profiles take from the environment. Whoever serves them takes any credential, each for an account of its own.
const VARIABLES: [(&str, &str); 8] = [
    ("ADYEN_API_KEY", "key-of-one"),
    ("ADYEN_OTHER_API_KEY", "key-of-a-colleague"),
    ("ADYEN_MERCHANT_ACCOUNT", "ShopECOM"),
    ("GOCARDLESS_ACCESS_TOKEN", "token-of-one-account"),
    ("MODERN_TREASURY_BASE_URL", "https://treasury.example"),
    ("MODERN_TREASURY_ORGANIZATION_ID", "one-organization"),
    ("MODERN_TREASURY_API_KEY", "key-of-this-organization"),
    ("MODERN_TREASURY_OTHER_API_KEY", "another-key-of-it"),
];

fn probe(profile: &str, defects: &[&str], more: &[&str]) -> (Loaded, Run) {
    let loaded = profile::load(profile).unwrap();
    let defects: Vec<Defect> = defects.iter().map(|defect| defect.parse().unwrap()).collect();
    let server =
        reference::start(ReferenceOptions { defects, ..ReferenceOptions::of(loaded.profile.clone()) }).unwrap();
    let base_url = server.base_url();
    let run = run_with(&[&[profile, "--base-url", &base_url, "--level", "should"], more].concat(), |command| {
        command.envs(VARIABLES);
    });
    (loaded, run)
}

/// What a run leaves undecided, by the signs of its report.
fn undecided(run: &Run) -> BTreeSet<&str> {
    let lines = run.stdout.lines().filter_map(|line| line.strip_prefix("  ? "));
    lines.filter_map(|line| line.split_whitespace().next()).collect()
}

/// Serves a profile soundly: nothing is violated, these hold, and nothing but these is left undecided.
#[track_caller]
fn assert_sound(profile: &str, held: &[Requirement], open: &[&str]) {
    let (loaded, run) = probe(profile, &[], &[]);
    assert_eq!(judged(&loaded, &run, Judgement::Violated), BTreeSet::new(), "{}", run.stdout);
    assert_eq!(undecided(&run), open.iter().copied().collect(), "{}", run.stdout);
    run.assert_code(if open.is_empty() { 0 } else { 3 });
    let found = judged(&loaded, &run, Judgement::Holds);
    let missing: Vec<_> = held.iter().filter(|requirement| !found.contains(requirement)).collect();
    assert!(missing.is_empty(), "{missing:?}\n{}", run.stdout);
}

/// Asserts that a profile is violated in exactly this by a defect.
#[track_caller]
fn assert_broken(profile: &str, defect: &str, scenarios: &str, violated: &[Requirement]) {
    let (loaded, run) = probe(profile, &[defect], &["--only", scenarios]);
    let found = judged(&loaded, &run, Judgement::Violated);
    assert_eq!(found, violated.iter().copied().collect(), "{defect}\n{}", run.stdout);
}

/// What a contract leaves undecided that gives no bound for how long a request may be in flight.
const WITHOUT_BOUND: [&str; 2] = ["replay.after-lost-execution", "replay.after-lost-request"];

#[test]
fn repeatable_requests_are_two_header_fields_and_an_answer_that_says_if_it_is_tracked() {
    let held = [
        Requirement::KeyFirstSent,
        Requirement::RetentionExpired,
        Requirement::ReplaySingleEffect,
        Requirement::ReplayAfterSuccess,
        Requirement::ReplayMarker,
        Requirement::ReplayNotExecuted,
        Requirement::ConflictChangedParameters,
    ];
    assert_sound("oasis-repeatable-requests", &held, &WITHOUT_BOUND);
    let more = [Requirement::ReplayFidelity, Requirement::ConflictInFlight, Requirement::KeyMalformed];
    assert_sound("azure-communication", &[&held[..], &more].concat(), &WITHOUT_BOUND);
}

#[test]
fn a_date_or_a_mark_that_is_not_kept_is_seen_in_the_profiles_that_promise_it() {
    for profile in ["oasis-repeatable-requests", "azure-communication"] {
        assert_broken(profile, "date-optional", "first-sent", &[Requirement::KeyFirstSent]);
        assert_broken(profile, "date-ignored", "first-sent", &[Requirement::RetentionExpired]);
        assert_broken(profile, "replay-without-marker", "key-reuse[reuse=base]", &[Requirement::ReplayMarker]);
    }
}

#[test]
fn a_refusal_that_points_at_the_resource_must_point_at_the_right_one() {
    let held = [Requirement::ReplaySingleEffect, Requirement::ReplayAfterSuccess, Requirement::ReplayAfterLostResponse];
    assert_sound("gocardless", &held, &WITHOUT_BOUND);
    assert_broken("gocardless", "points-astray", "key-reuse[reuse=base]", &[Requirement::ReplayAfterSuccess]);
}

#[test]
fn keys_that_reach_across_routes_and_credentials() {
    let held = [Requirement::ReplayAfterSuccess, Requirement::ScopeOtherOperation, Requirement::ScopeOtherAccount];
    assert_sound("modern-treasury", &[&held[..], &[Requirement::ConflictInFlight]].concat(), &WITHOUT_BOUND);
    let held = [Requirement::ReplayAfterSuccess, Requirement::ReplayMarker, Requirement::ScopeOtherAccount];
    assert_sound("adyen", &held, &WITHOUT_BOUND);
    let twice = [Requirement::ReplaySingleEffect, Requirement::ScopeOtherOperation];
    assert_broken("modern-treasury", "unprotected-operation", "other-operation", &twice);
    assert_broken("modern-treasury", "blind-to-account", "other-account", &[Requirement::ScopeOtherAccount]);
}

#[test]
fn a_client_that_waits_finds_the_current_state_under_one_status() {
    let held = [
        Requirement::ReplayAfterSuccess,
        Requirement::ReplayFidelity,
        Requirement::KeyOverlong,
        Requirement::ScopeOtherAccount,
    ];
    assert_sound("open-banking-uk", &held, &WITHOUT_BOUND);
    assert_broken("open-banking-uk", "replay-as-200", "key-reuse[reuse=base]", &[Requirement::ReplayFidelity]);
}

#[test]
fn what_leaves_most_open_is_served_as_well() {
    assert_sound("google-aip-155", &[Requirement::KeyMissing, Requirement::ReplayAfterSuccess], &WITHOUT_BOUND);
    assert_sound("worldpay", &[Requirement::ReplayAfterSuccess], &WITHOUT_BOUND);
}

/// What a profile says of a store that is down is exercised where somebody can take it down.
#[test]
fn a_store_that_is_down_refuses_or_lets_everything_through() {
    let hooks = "hooks:\n  store-down: {request: {method: POST, path: /store/down}}\n  \
                 store-up: {request: {method: POST, path: /store/up}}\n";
    for (name, closed) in [("adyen", true), ("worldpay", false)] {
        let folder = tempfile::tempdir().unwrap();
        let mine = format!("profile: mine\ntitle: T\nextends: {name}\n{hooks}");
        let mine = write_file(folder.path(), "mine.yaml", &mine);
        let violated = |defect: &[&str]| {
            let (loaded, run) = probe(&mine, defect, &["--only", "store-outage"]);
            assert!(!run.stdout.contains("hook store-down failed"), "{}", run.stdout);
            let held = judged(&loaded, &run, Judgement::Holds).contains(&Requirement::ScopeStoreUnavailable);
            (judged(&loaded, &run, Judgement::Violated), held)
        };
        assert_eq!(violated(&[]), ([].into(), true), "{name}");
        let (unguarded, _) = violated(&["store-down-unguarded"]);
        assert_eq!(unguarded.contains(&Requirement::ScopeStoreUnavailable), closed, "{name}");
    }
}

/// Where a key counts in one region only, another region executes it, and has one effect for it as well.
#[test]
fn regions_that_share_no_keys_must_not_know_them() {
    let folder = tempfile::tempdir().unwrap();
    let regions = "profile: regions\ntitle: T\nextends: reference\ncontract: {scope: {replicas: executes}}\n";
    let regions = write_file(folder.path(), "regions.yaml", regions);
    let loaded = profile::load(&regions).unwrap();
    let judge = |served: &str, wanted| {
        let server = reference::start(ReferenceOptions::of(profile::load(served).unwrap().profile)).unwrap();
        let run = run_with(&[&regions, "--base-url", &server.base_url(), "--only", "replicas"], |_| {});
        judged(&loaded, &run, wanted)
    };
    assert_eq!(judge(&regions, Judgement::Violated), [].into());
    let held = judge(&regions, Judgement::Holds);
    assert!(held.contains(&Requirement::ScopeReplicas) && held.contains(&Requirement::ReplaySingleEffect), "{held:?}");
    assert_eq!(judge("reference", Judgement::Violated), [Requirement::ScopeReplicas].into());
}
