//! A contract without any fault, and what becomes of it: for the tests of the rules.

use super::{Finding, Review, review};
use crate::profile;

/// A whole profile in which no rule finds anything.
pub(super) const SOUND: &str = r#"profile: mine
title: My API
target:
  environment: local
  base_url: http://127.0.0.1:8080
  replicas: {second: http://127.0.0.1:8081}
  accounts: {other: {bearer: other}}
operation:
  request: {method: POST, path: /orders, json: {product: notebook, reference: "{{marker}}"}}
  identity: {json: "$.id"}
  parameters:
    changed: {json: {product: pencil}}
    invalid: {json: {product: null}, draws: {status: 400}}
    failing: {json: {product: none-left}, draws: {status: 402}}
    crashing: {json: {product: broken}, draws: {status: 500}}
    slow: {json: {product: handmade}}
    throttled: {headers: {Busy: "1"}, draws: {status: 429}}
  effects:
    - request: {method: GET, path: /orders, query: {reference: "{{marker}}"}}
      each: {json: "$.data[*].id"}
operations:
  other:
    request: {method: POST, path: /refunds, json: {reference: "{{marker}}"}}
    identity: {json: "$.id"}
hooks:
  delete: {request: {method: DELETE, path: "/orders/{{identity}}"}}
  store-down: {command: [store, down]}
  store-up: {command: [store, up]}
  last-token: {command: [limit, "1"]}
  lift-limit: {command: [limit, none]}
contract:
  key: {carrier: {header: Idempotency-Key}, generated_by: client, recommended: uuid-v4, max_length: 255, missing: executes, overlong: {rejects: {status: 400}}}
  retention: {at_least: 24h, at_most: 48h, anchor: first, expired: executes}
  replay:
    after_success: replays
    after_failure: replays
    after_server_error: executes
    after_validation_failure: executes
    after_turning_away: executes
    after_change: replays
    rate_limited: replays
    fidelity: {status: same, body: json, headers: [location]}
    marker: {header: Idempotent-Replayed, equals: "true"}
    client_retries_for: 12h
  conflict:
    changed_parameters: {rejects: {status: 422}}
    in_flight: {allow: {rejects: {status: 409, header: {Retry-After: {present: true}}}}, ends_within: 60s}
    in_flight_changed: {rejects: {status: 409}}
  scope:
    methods: [POST]
    other_account: executes
    other_operation: executes
    replicas: replays
    store_unavailable: {rejects: {status: 503}}
"#;

/// A review of the sound profile with every text replaced by another one.
pub(super) fn reviewed<T>(changes: &[(&str, &str)], look: impl FnOnce(&Review<'_>) -> T) -> T {
    let mut text = SOUND.to_owned();
    for (from, to) in changes {
        assert_eq!(text.matches(from).count(), 1, "{from:?} stands not once in the sound profile");
        text = text.replace(from, to);
    }
    let (profile, located) = profile::written_text("mine.yaml", &text).unwrap_or_else(|problems| panic!("{problems}"));
    look(&review(&profile, &located))
}

/// What the rules find in it: ids, places, and what is said.
pub(super) fn found(changes: &[(&str, &str)]) -> Vec<String> {
    let told = |finding: &Finding| format!("{} at {}: {}", finding.rule.id, finding.place(), finding.says);
    reviewed(changes, |review| review.findings.iter().map(told).collect())
}

/// Asserts that a rule, and no other, finds something in the changed profile, at this line and with these words.
pub(super) fn finds(rule: &str, changes: &[(&str, &str)], line: &str, words: &str) {
    let found = found(changes);
    let [only] = found.as_slice() else { panic!("{changes:?} gave {found:#?}") };
    assert!(only.starts_with(&format!("{rule} at mine.yaml:")) && only.contains(words), "{only}");
    let mut text = SOUND.to_owned();
    changes.iter().for_each(|(from, to)| text = text.replace(from, to));
    let number: usize = only.split(':').nth(1).and_then(|number| number.parse().ok()).unwrap_or_default();
    let there = text.lines().nth(number.saturating_sub(1)).unwrap_or_default();
    assert!(there.contains(line), "line {number} is {there:?}");
}

/// Asserts that nothing is found in the changed profile.
pub(super) fn finds_nothing(changes: &[(&str, &str)]) {
    assert_eq!(found(changes), Vec::<String>::new(), "{changes:?}");
}

#[test]
fn nothing_is_found_in_the_sound_profile() {
    finds_nothing(&[]);
}
