//! The same key elsewhere: every account and operation is counted, and cleaned up, by itself.

use std::collections::BTreeSet;

use idemspec::contract::Requirement;
use idemspec::history::{History, KeyKind, Listing};
use idemspec::journal;

use crate::support::{Run, run, run_with};

fn history(run: &Run) -> History {
    journal::read(&run.journal).unwrap().history
}

/// What the last count of a place in a case listed.
fn listed(history: &History, case: &str, account: &str, operation: &str) -> usize {
    let case = history.cases.values().find(|known| known.id.0 == case).unwrap();
    let mut counts = case.counts.iter().filter(|count| count.account == account && count.operation == operation);
    match &counts.next_back().unwrap().listing {
        Listing::Items(items) => items.len(),
        Listing::Failed(failure) => panic!("{failure}"),
    }
}

#[test]
fn each_account_and_operation_is_counted_by_itself() {
    let run = run(&["--only", "scope"]);
    run.assert_code(0);
    let scope = [Requirement::ScopeMethods, Requirement::ScopeOtherAccount, Requirement::ScopeOtherOperation];
    assert!(run.held().is_superset(&BTreeSet::from(scope)), "{}", run.stdout);
    let history = history(&run);
    for (case, account, operation) in [("other-account", "other", "default"), ("other-operation", "default", "other")] {
        assert_eq!(listed(&history, case, "default", "default"), 1);
        assert_eq!(listed(&history, case, account, operation), 1);
    }
    let methods = history.cases.values().find(|case| case.id.0 == "other-method").unwrap();
    let methods: Vec<&str> = methods.attempts.iter().map(|attempt| attempt.start.method.as_str()).collect();
    assert_eq!(methods, ["POST", "PUT", "POST"]);
    assert!(history.cleanups.iter().all(|cleanup| cleanup.error.is_none()), "{:?}", history.cleanups);
    assert!(history.cleanups.iter().any(|cleanup| cleanup.operation.as_deref() == Some("other")));
    assert!(run.stdout.contains("0 left behind"), "{}", run.stdout);
}

#[test]
fn odd_keys_are_carried_as_they_were_chosen() {
    let run = run(&["--only", "key"]);
    run.assert_code(0);
    let history = history(&run);
    let mut lengths: Vec<(KeyKind, usize)> = Vec::new();
    for attempt in history.cases.values().flat_map(|case| &case.attempts) {
        if let (Some(kind), Some(key)) = (attempt.start.key_kind, &attempt.start.key) {
            lengths.push((kind, key.len()));
        }
    }
    let kinds: BTreeSet<KeyKind> = lengths.iter().map(|(kind, _)| *kind).collect();
    // What a header field cannot carry is left out.
    let cannot = [KeyKind::Padded, KeyKind::Accented];
    let named = KeyKind::NAMED
        .into_iter()
        .map(|(_, kind)| kind)
        .filter(|kind| !cannot.contains(kind) && !kind.is_incomplete() && *kind != KeyKind::Outdated);
    let sized = [65, 129, 256].into_iter().flat_map(|length| [KeyKind::Long(length), KeyKind::LongSibling(length)]);
    assert_eq!(kinds, named.chain(sized).collect());
    for (kind, length) in
        [(KeyKind::Empty, 0), (KeyKind::Longest, 255), (KeyKind::LongestSibling, 255), (KeyKind::Overlong, 256)]
    {
        assert!(lengths.iter().filter(|(known, _)| *known == kind).all(|(_, known)| *known == length), "{kind}");
    }
}

#[test]
fn a_profile_of_a_provider_asks_for_its_credentials_and_refuses_the_real_ones() {
    let without = run_with(&["stripe-v1"], |command| {
        command.env_remove("STRIPE_SECRET_KEY");
    });
    without.assert_code(2);
    assert!(without.stderr.contains("`STRIPE_SECRET_KEY` is not set"), "{}", without.stderr);
    assert!(without.stderr.contains("export STRIPE_SECRET_KEY="), "{}", without.stderr);
    for hint in ["stripe-v1 (shipped):", "https://dashboard.stripe.com/", "idemspec run stripe-v1 --mock"] {
        assert!(without.stderr.contains(hint), "{hint}: {}", without.stderr);
    }
    let real = run_with(&["stripe-v1"], |command| {
        command.env("STRIPE_SECRET_KEY", "sk_live_0123456789");
    });
    real.assert_code(2);
    assert!(real.stderr.contains("refuses such credentials"), "{}", real.stderr);
    assert!(!real.stderr.contains("0123456789"), "{}", real.stderr);
}
