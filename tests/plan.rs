//! What a plan says before anything is sent: what stimuli can reach, what they need, where they go, what they cost.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use idemspec::contract::{Period, Reason, Requirement};
use idemspec::plan::{Place, Plan, PlanOptions, Selection, method, places, reach};
use idemspec::profile::{self, BindOptions, Bound};
use idemspec::scenario::{self, Scenario, Step};

fn bound(rest: &str) -> Bound {
    with_replicas(rest, &[])
}

fn with_replicas(rest: &str, names: &[&str]) -> Bound {
    let urls: Vec<String> = names.iter().map(|name| format!("{name}: \"http://{name}.example\"")).collect();
    let target =
        if urls.is_empty() { String::new() } else { format!("target: {{replicas: {{{}}}}}\n", urls.join(", ")) };
    let text = format!("profile: mine\nextends: reference\n{target}{rest}");
    let mut loaded = profile::parse("mine.yaml", &text).unwrap_or_else(|problems| panic!("{problems}"));
    loaded.profile.target.replicas.retain(|name, _| names.contains(&name.as_str()));
    Bound::new(loaded.profile, &|_| None, &BindOptions::default()).unwrap()
}

fn steps(written: &str) -> Vec<Step> {
    let text = format!("scenario: mine\ntitle: t\nsteps: {written}\n");
    let scenario = scenario::parse("mine.yaml", &text).unwrap_or_else(|problems| panic!("{problems}"));
    scenario.cases[0].steps.clone()
}

fn plan(bound: &Bound, scenarios: &[Scenario], max_wait: &str) -> Plan {
    let max_wait: Period = max_wait.parse().unwrap();
    Plan::new(
        bound,
        scenarios,
        &PlanOptions {
            selection: Selection::default(),
            max_wait,
            may_speak_http2: true,
            suspends: true,
            pressure: None,
        },
    )
}

#[test]
fn reach_follows_from_the_stimuli() {
    use Requirement::{
        ConflictChangedParameters, ConflictEquivalentParameters, KeyDistinct, KeyEmpty, KeyFirstSent, KeyFresh,
        KeyLongest, KeyMalformed, KeyMissing, KeyOverlong, ReplayAfterChange, ReplayAfterFailure, ReplayAfterSuccess,
        ReplayAfterTurningAway, ReplayAfterValidationFailure, ReplayRateLimited, RetentionExpired, RetentionKept,
        ScopeMethods, ScopeOtherAccount, ScopeOtherOperation, ScopeStoreUnavailable,
    };
    let bound = bound("");
    let first = "send: {intent: a}";
    let cases: &[(&str, &[Requirement], &[Requirement])] = &[
        ("[send: {intent: a, key: none}]", &[KeyMissing], &[KeyFresh]),
        ("[send: {intent: a, key: empty}]", &[KeyEmpty], &[KeyMissing]),
        ("[send: {intent: a, key: undated}]", &[KeyFirstSent], &[KeyFresh]),
        ("[send: {intent: a, key: outdated}]", &[RetentionExpired], &[KeyFresh, KeyFirstSent]),
        ("[send: {intent: a, key: malformed}]", &[KeyMalformed], &[KeyOverlong]),
        ("[send: {intent: a, key: overlong}]", &[KeyOverlong], &[KeyLongest]),
        ("[send: {intent: a, key: longest-sibling}]", &[KeyLongest], &[KeyOverlong]),
        ("[F, send: {intent: a, key: other-case}]", &[KeyDistinct, KeyFresh], &[ReplayAfterSuccess]),
        ("[F, send: {intent: a, account: other}]", &[ScopeOtherAccount], &[ReplayAfterSuccess, ScopeMethods]),
        ("[F, send: {intent: a, operation: other}]", &[ScopeOtherOperation], &[ReplayAfterSuccess]),
        ("[F, send: {intent: a, method: other}]", &[ScopeMethods], &[ReplayAfterSuccess, ScopeOtherAccount]),
        ("[send: {intent: a, account: other}]", &[KeyFresh], &[ScopeOtherAccount]),
        ("[F, hook: {name: advance-clock, by: half}, F]", &[RetentionKept], &[RetentionExpired, ReplayAfterSuccess]),
        ("[F, hook: {name: advance-clock, by: expiry}, F]", &[RetentionExpired], &[RetentionKept]),
        ("[F, hook: {name: advance-clock, by: 1h}, F]", &[ReplayAfterSuccess], &[RetentionKept, RetentionExpired]),
        ("[F, wait: after-expiry, F]", &[RetentionExpired], &[RetentionKept]),
        ("[F, wait: before-expiry, F]", &[RetentionKept], &[RetentionExpired]),
        ("[F, hook: {name: change, intent: a}, F]", &[ReplayAfterChange], &[ReplayAfterSuccess]),
        ("[F, hook: {name: restart}, F]", &[ReplayAfterSuccess], &[ReplayAfterChange]),
        ("[F, hook: {name: store-down}, F]", &[ScopeStoreUnavailable], &[ReplayAfterSuccess]),
        (
            "[F, hook: {name: store-down}, F, hook: {name: store-up}, F]",
            &[ScopeStoreUnavailable, ReplayAfterSuccess],
            &[],
        ),
        ("[F, send: {intent: a, parameters: changed}]", &[ConflictChangedParameters], &[ReplayAfterChange]),
        (
            "[send: {intent: a, parameters: failing}, send: {intent: a, parameters: failing}]",
            &[ReplayAfterFailure],
            &[ReplayAfterSuccess],
        ),
        ("[send: {intent: a, parameters: invalid}, F]", &[ReplayAfterValidationFailure], &[ReplayAfterSuccess]),
        ("[send: {intent: a, parameters: throttled}, F]", &[ReplayAfterTurningAway], &[ConflictEquivalentParameters]),
        ("[F, send: {intent: a, parameters: throttled}]", &[KeyFresh], &[ConflictEquivalentParameters]),
        ("[F, pressure: {intent: b, keys: 10}, F]", &[RetentionKept], &[ReplayAfterSuccess]),
        ("[F, pressure: {intent: b, keys: 9}, F]", &[ReplayAfterSuccess], &[RetentionKept]),
        (
            "[F, hook: {name: advance-clock, by: before-expiry}, F, hook: {name: advance-clock, by: rest}, F]",
            &[RetentionKept, RetentionExpired],
            &[],
        ),
        ("[hook: {name: last-token}, F, F]", &[ReplayRateLimited], &[ReplayAfterChange]),
        ("[hook: {name: last-token}, F, hook: {name: lift-limit}, F]", &[ReplayAfterSuccess], &[ReplayRateLimited]),
    ];
    for (written, reached, not_reached) in cases {
        let found = reach(&bound, &steps(&written.replace('F', first)));
        assert!(reached.iter().all(|requirement| found.contains(requirement)), "{written}: {found:?}");
        assert!(!not_reached.iter().any(|requirement| found.contains(requirement)), "{written}: {found:?}");
    }
}

#[test]
fn the_reference_profile_offers_what_every_shipped_scenario_needs() {
    let plan = plan(&with_replicas("", &["second"]), &scenario::load_shipped(), "25h");
    // Its keys are counted from their first use. A header field carries neither spaces around a key nor letters that are
    // not ASCII.
    let skipped: Vec<String> = plan.skipped.iter().map(|(id, skipped)| format!("{id}: {}", skipped.reason)).collect();
    let by_resource = "needs retention.anchor.resource-end";
    let expected = [
        format!("retention-resource-end: {by_resource}"),
        format!("retention-resource-end-wait[wait=half-expiry]: {by_resource}"),
        format!("retention-resource-end-wait[wait=after-expiry]: {by_resource}"),
        "key-format[key=accented]: needs key.unicode".into(),
        "first-sent[key=undated]: needs key.first_sent".into(),
        "first-sent[key=date-alone]: needs key.first_sent".into(),
        "first-sent[key=misdated]: needs key.first_sent".into(),
        "first-sent[key=outdated]: needs key.first_sent".into(),
        "key-distinct[key=padded]: needs key.spaces".into(),
    ];
    assert_eq!(skipped, expected);
    let alone: BTreeSet<&str> =
        plan.cases.iter().filter(|case| case.alone).map(|case| case.scenario.as_str()).collect();
    let expected = [
        "after-change",
        "last-token",
        "restart",
        "restart-inside",
        "retention-edges",
        "retention-expired-keys",
        "retention-expiry",
        "retention-least",
        "store-outage",
    ]
    .into();
    assert_eq!(alone, expected);
    assert!(plan.cases.iter().rev().take(alone.len()).all(|case| case.alone), "hooks run last");
    let unexercised: Vec<&Requirement> =
        plan.untested.iter().filter(|(_, reason)| **reason != Reason::NotExercised).map(|(found, _)| found).collect();
    let expected = [
        // It has no date beside its keys, and no answer that says what was not executed.
        Requirement::KeyFirstSent,
        Requirement::ReplayNotExecuted,
        Requirement::ConflictInFlight,
        Requirement::ConflictInFlightChanged,
        Requirement::ScopeReplicas,
        Requirement::ScopeStoreUnavailable,
    ];
    assert!(unexercised.iter().all(|requirement| expected.contains(requirement)), "{unexercised:?}");
}

#[test]
fn what_a_profile_does_not_offer_is_named() {
    let bare = bound(
        "contract: {key: {max_length: null, encoding: quoted}, retention: null, scope: null}\nhooks: null\noperations: null\n\
         target: {accounts: null}\n",
    );
    let plan = plan(&bare, &scenario::load_shipped(), "25h");
    let reason = |case: &str| {
        let skipped = plan.skipped.iter().find(|(id, _)| id.0 == case);
        skipped.map(|(_, skipped)| skipped.reason.to_string()).unwrap_or_default()
    };
    for (case, expected) in [
        ("longest-key", "needs key.max_length"),
        ("key-format[key=overlong]", "needs key.max_length"),
        ("key-distinct[key=quoted]", "needs key.encoding.bare"),
        ("retention-expiry", "needs clock"),
        ("retention-wait[wait=after-expiry]", "needs retention.at_most"),
        ("after-change[hook=delete]", "needs hooks.delete"),
        ("last-token", "needs hooks.lift-limit"),
        ("other-operation", "needs operations.other"),
        ("other-account", "needs accounts.other"),
        ("other-method", "needs scope.methods"),
        ("replicas", "needs target.replicas"),
        ("key-distinct[key=padded]", ""),
        ("key-format[key=accented]", "needs key.unicode"),
        ("other-account-first", "needs accounts.other"),
        ("read-with-key", "needs scope.methods"),
        ("store-outage", "needs hooks.store-down"),
        ("restart", "needs hooks.restart"),
        ("key-format[key=malformed]", ""),
    ] {
        assert_eq!(reason(case), expected, "{case}");
    }
    assert_eq!(plan.untested[&Requirement::ScopeStoreUnavailable].to_string(), "needs hooks.store-down");
}

#[test]
fn places_are_counted_and_budgeted() {
    let bound = bound("");
    let steps = steps("[send: {intent: a}, send: {intent: a, account: other}, count: {intent: a, operation: other}]");
    let other = |account: Option<&str>, operation: Option<&str>| Place::new(account, operation);
    assert_eq!(places(&steps), [other(None, None), other(Some("other"), None), other(None, Some("other"))]);
    let text = |steps: &str| format!("scenario: mine\ntitle: t\nsteps: {steps}\n");
    let budget = |steps: &str| plan(&bound, &[scenario::parse("mine.yaml", &text(steps)).unwrap()], "25h").budget;
    let one = budget("[send: {intent: a}, send: {intent: a}]");
    let two = budget("[send: {intent: a}, send: {intent: a, account: other}]");
    assert_eq!((one.actions, two.actions), (1, 2));
    assert_eq!(two.counts, one.counts * 2);
    let sweep = budget("[sweep: {intent: a}]");
    let fields = bound.fields();
    assert_eq!(fields, ["/product", "/quantity", "/delivery/city", "?channel"], "what holds the marker is none");
    assert_eq!((sweep.attempts, sweep.actions), (3 * fields.len() as u64, fields.len() as u64));
    assert_eq!(sweep.counts, 2 * 12 + 4 + 2, "two reads after every attempt and at the end, one before every marker");
    assert_eq!(budget("[hook: {name: advance-clock, by: half}]").hooks, 3, "the hook, and a reading on either side");
}

#[test]
fn a_fan_out_goes_to_every_replica_at_each_of_its_times() {
    let bound = with_replicas("", &["second", "third"]);
    let fan_out = |more: &str| steps(&format!("[fan-out: {{intent: a, again: [0ms, 5ms, 100ms]{more}}}]"));
    let of = |steps: &[Step]| {
        let scenario = scenario::parse("mine.yaml", "scenario: mine\ntitle: t\nsteps: [count: {intent: a}]\n");
        let mut scenario = scenario.unwrap();
        scenario.cases[0].steps = steps.to_vec();
        plan(&bound, &[scenario], "25h").budget
    };
    let (here, everywhere) = (fan_out(""), fan_out(", each_replica: true"));
    assert_eq!((of(&here).attempts, of(&everywhere).attempts), (1 + 3, 1 + 3 * 2));
    assert_eq!((of(&here).actions, of(&everywhere).actions), (1, 1));
    let (here, everywhere) = (reach(&bound, &here), reach(&bound, &everywhere));
    assert!(here.contains(&Requirement::ReplayAfterSuccess) && !here.contains(&Requirement::ScopeReplicas));
    assert!(everywhere.contains(&Requirement::ScopeReplicas) && !everywhere.contains(&Requirement::ReplayAfterSuccess));
}

#[test]
fn a_replica_that_the_profile_lacks_is_named() {
    let scenario = |step: &str| {
        let text = format!("scenario: mine\ntitle: t\nsteps: [send: {{intent: a}}, {step}]\n");
        scenario::parse("mine.yaml", &text).unwrap()
    };
    let bound = with_replicas("", &["second"]);
    let reason =
        |step: &str| plan(&bound, &[scenario(step)], "25h").skipped.first().map(|(_, one)| one.reason.to_string());
    assert_eq!(reason("send: {intent: a, replica: second}"), None);
    assert_eq!(reason("send: {intent: a, replica: third}").as_deref(), Some("needs replicas.third"));
    let alone = plan(&self::bound("contract: {scope: {replicas: replays}}"), &[scenario("send: {intent: a}")], "25h");
    assert_eq!(alone.untested[&Requirement::ScopeReplicas].to_string(), "needs target.replicas");
}

#[test]
fn another_method_is_one_that_the_contract_does_not_name() {
    assert_eq!(method(&bound(""), "other"), "PUT");
    assert_eq!(method(&bound("contract: {scope: {methods: [POST, PUT]}}\n"), "other"), "PATCH");
    assert_eq!(method(&bound(""), "DELETE"), "DELETE");
}
