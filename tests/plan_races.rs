//! Plans with races: what they need, what they may take, what they reach.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use idemspec::contract::Requirement;
use idemspec::plan::{Plan, PlanOptions, Selection, reach};
use idemspec::profile::{self, BindOptions, Bound};
use idemspec::scenario::{Scenario, parse};

fn bound(without_slow: bool) -> Bound {
    let mut profile = profile::load("reference").unwrap().profile;
    if without_slow {
        profile.operation.parameters.shift_remove("slow");
    }
    Bound::new(profile, &|_| None, &BindOptions::default()).unwrap()
}

fn scenario(steps: &str) -> Scenario {
    parse("mine.yaml", &format!("scenario: mine\ntitle: Mine\nsteps:\n{steps}")).unwrap()
}

fn plan(bound: &Bound, scenario: Scenario) -> Plan {
    let options = PlanOptions {
        selection: Selection::default(),
        max_wait: "60s".parse().unwrap(),
        may_speak_http2: true,
        suspends: true,
        pressure: None,
    };
    Plan::new(bound, &[scenario], &options)
}

fn reached(steps: &str) -> BTreeSet<&'static str> {
    let scenario = scenario(steps);
    reach(&bound(false), &scenario.cases[0].steps).into_iter().map(Requirement::id).collect()
}

#[test]
fn a_race_takes_its_copies_in_every_round() {
    let plan = plan(&bound(false), scenario("  - race: {intent: order, copies: 20, rounds: 3}\n"));
    let budget = plan.budget;
    assert_eq!((budget.attempts, budget.cleanups, budget.actions), (60, 60, 3));
    // Before each action, twice after each round, twice at the end.
    assert_eq!(budget.counts, 3 + 2 * 3 + 2);
}

#[test]
fn what_a_race_needs_is_what_its_copies_need() {
    let race = "  - race: {intent: order, copies: [{at: 0%}, {at: 50%, parameters: slow}]}\n";
    assert!(plan(&bound(false), scenario(race)).skipped.is_empty());
    let without = plan(&bound(true), scenario(race));
    assert_eq!(without.skipped[0].1.reason.to_string(), "needs parameters.slow");
    let optional = race.replace("intent: order,", "intent: order, if_offered: true,");
    assert!(plan(&bound(true), scenario(&optional)).skipped.is_empty());
}

#[test]
fn copies_of_one_action_meet_each_other_in_flight() {
    let same = reached("  - race: {intent: order, copies: 2}\n");
    assert!(same.contains("conflict.in-flight") && !same.contains("conflict.in-flight-changed"), "{same:?}");
    let changed = reached("  - race: {intent: order, copies: [{at: 0%}, {at: 50%, parameters: changed}]}\n");
    assert!(changed.contains("conflict.in-flight-changed") && !changed.contains("conflict.in-flight"), "{changed:?}");
    let apart = reached("  - race: {intent: order, copies: [{at: 0%}, {at: 0%, intent: other}]}\n");
    assert!(!apart.contains("conflict.in-flight"), "{apart:?}");
    let finished = reached("  - race: {intent: order, copies: 2}\n  - send: {intent: order}\n");
    assert!(finished.contains("replay.after-success"), "{finished:?}");
}
