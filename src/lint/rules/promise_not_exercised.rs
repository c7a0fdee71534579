//! A promise that the profile gives no way to try.

use crate::contract::{Drawn, Level, Row};
use crate::lint::row;
use crate::lint::rule::{Rule, Severity, Trouble};
use crate::lint::subject::Subject;
use crate::profile::Profile;

pub(super) const RULE: Rule = Rule {
    id: "promise-not-exercised",
    severity: Severity::Warning,
    finds: "The contract promises something that nothing in the profile can bring about.",
    matters: "A run reports such a promise as untested, and its clause as partial: it is on paper, and nobody knows whether it \
              is kept.",
    check,
};

/// What it takes to try the promise in a row.
struct Need {
    row: Row,
    is_met: fn(&Profile) -> bool,
    lacks: &'static str,
    fix: &'static str,
}

const NEEDS: &[Need] = &[
    Need {
        row: Row::Overlong,
        is_met: |profile| profile.contract.key.as_ref().is_some_and(|key| key.max_length.is_some()),
        lacks: "a greatest length",
        fix: "add `key.max_length`",
    },
    Need {
        row: Row::AfterFailure,
        is_met: |profile| draws(profile, Drawn::Failure),
        lacks: "a parameter variant that fails once it is being carried out",
        fix: "add `failing` to `operation.parameters`: what is declined, and the answer that this draws",
    },
    Need {
        row: Row::AfterServerError,
        is_met: |profile| draws(profile, Drawn::ServerError),
        lacks: "a parameter variant that draws a 5xx",
        fix: "add `crashing` to `operation.parameters`, if the deployment can be made to fail",
    },
    Need {
        row: Row::AfterValidationFailure,
        is_met: |profile| draws(profile, Drawn::ValidationFailure),
        lacks: "a parameter variant that is refused",
        fix: "add `invalid` to `operation.parameters`: what is refused before execution, and the answer that this draws",
    },
    Need {
        row: Row::AfterTurningAway,
        is_met: |profile| draws(profile, Drawn::TurnedAway),
        lacks: "a parameter variant that is turned away",
        fix: "add `unauthenticated` to `operation.parameters`: `{headers: {Authorization: nobody}, draws: {status: 401}}`",
    },
    Need {
        row: Row::AfterChange,
        is_met: |profile| has_hook(profile, "change") || has_hook(profile, "delete"),
        lacks: "a hook that changes or deletes what was made",
        fix: "add `change` or `delete` to `hooks`",
    },
    Need {
        row: Row::RateLimited,
        is_met: |profile| has_hook(profile, "last-token") && has_hook(profile, "lift-limit"),
        lacks: "hooks that use up the rate limit and lift it",
        fix: "add `last-token` and `lift-limit` to `hooks`",
    },
    Need {
        row: Row::ChangedParameters,
        is_met: |profile| profile.operation.parameters.contains_key("changed"),
        lacks: "a parameter variant `changed`",
        fix: "add `changed` to `operation.parameters`: other parameters that are acceptable under a fresh key",
    },
    Need {
        row: Row::InFlight,
        is_met: |profile| races_are_not_sent(profile) || has_slow(profile),
        lacks: "a parameter variant `slow`",
        fix: "add `slow` to `operation.parameters`: what keeps the target busy, so that a copy certainly meets it in flight",
    },
    Need {
        row: Row::InFlightChanged,
        is_met: |profile| {
            races_are_not_sent(profile) || has_slow(profile) && profile.operation.parameters.contains_key("changed")
        },
        lacks: "parameter variants `slow` and `changed`",
        fix: "add both to `operation.parameters`",
    },
    Need {
        row: Row::OtherAccount,
        is_met: |profile| profile.target.accounts.contains_key("other"),
        lacks: "a second account",
        fix: "add `other` to `target.accounts`",
    },
    Need {
        row: Row::OtherOperation,
        is_met: |profile| profile.operations.contains_key("other"),
        lacks: "a second operation",
        fix: "add `other` to `operations`",
    },
    Need {
        row: Row::Replicas,
        is_met: |profile| !profile.target.replicas.is_empty(),
        lacks: "a second replica",
        fix: "add its URL to `target.replicas`",
    },
    Need {
        row: Row::StoreUnavailable,
        is_met: |profile| has_hook(profile, "store-down") && has_hook(profile, "store-up"),
        lacks: "hooks that take the key store down and bring it up",
        fix: "add `store-down` and `store-up` to `hooks`",
    },
];

fn check(subject: &Subject<'_>) -> Vec<Trouble> {
    // What is only a may is never judged, so nothing is lost where it is not tried.
    let promised = |need: &&Need| subject.level(need.row).is_some_and(|level| level > Level::May);
    let unmet = NEEDS.iter().filter(promised).filter(|need| !(need.is_met)(subject.profile));
    let trouble = |need: &Need| {
        let says = format!(
            "`{}` is promised, and the profile has not what it takes to try it: {}",
            row::name(need.row),
            need.lacks
        );
        Trouble::with_row(need.row, says, need.fix)
    };
    unmet.map(trouble).collect()
}

fn draws(profile: &Profile, outcome: Drawn) -> bool {
    profile.operation.declared_variants().iter().any(|variant| variant.outcome == outcome)
}

fn has_hook(profile: &Profile, name: &str) -> bool {
    profile.hooks.contains_key(name)
}

fn has_slow(profile: &Profile) -> bool {
    profile.operation.parameters.contains_key("slow")
}

/// A contract that has clients wait forbids races, and so nothing is lost without them.
fn races_are_not_sent(profile: &Profile) -> bool {
    profile.contract.client_waits().is_some()
}

#[cfg(test)]
mod tests {
    use super::{NEEDS, RULE};
    use crate::contract::Row;
    use crate::lint::fixtures::{finds, finds_nothing, found};

    #[test]
    fn every_promise_that_lacks_its_means_is_found() {
        for (without, line, lacks) in [
            ("    failing: {json: {product: none-left}, draws: {status: 402}}\n", "after_failure:", "fails once"),
            ("    crashing: {json: {product: broken}, draws: {status: 500}}\n", "after_server_error:", "5xx"),
            ("    invalid: {json: {product: null}, draws: {status: 400}}\n", "after_validation_failure:", "is refused"),
            ("    throttled: {headers: {Busy: \"1\"}, draws: {status: 429}}\n", "after_turning_away:", "turned away"),
            ("  accounts: {other: {bearer: other}}\n", "other_account:", "a second account"),
            ("  replicas: {second: http://127.0.0.1:8081}\n", "replicas:", "a second replica"),
            ("  delete: {request: {method: DELETE, path: \"/orders/{{identity}}\"}}\n", "after_change:", "deletes"),
            ("  store-up: {command: [store, up]}\n", "store_unavailable:", "bring it up"),
            ("  lift-limit: {command: [limit, none]}\n", "rate_limited:", "lift it"),
            (", max_length: 255", "key:", "a greatest length"),
        ] {
            finds(RULE.id, &[(without, "")], line, lacks);
        }
    }

    #[test]
    fn what_two_promises_need_is_found_twice() {
        for (without, rows) in [
            ("    slow: {json: {product: handmade}}\n", ["conflict.in_flight", "conflict.in_flight_changed"]),
            ("    changed: {json: {product: pencil}}\n", ["conflict.changed_parameters", "conflict.in_flight_changed"]),
        ] {
            let found = found(&[(without, "")]);
            assert_eq!(found.len(), 2, "{found:#?}");
            for (line, row) in found.iter().zip(rows) {
                assert!(line.starts_with(RULE.id) && line.contains(&format!("`{row}`")), "{line}");
            }
        }
        let operation = "operations:
  other:
    request: {method: POST, path: /refunds, json: {reference: \"{{marker}}\"}}
    identity: {json: \"$.id\"}
";
        finds(RULE.id, &[(operation, "")], "other_operation:", "a second operation");
    }

    #[test]
    fn what_is_only_a_may_or_must_not_be_sent_is_not() {
        let slow = ("    slow: {json: {product: handmade}}\n", "");
        finds_nothing(&[slow, ("client_retries_for: 12h", "client_waits: 1s")]);
        let accounts = ("  accounts: {other: {bearer: other}}\n", "");
        finds_nothing(&[accounts, ("other_account: executes", "other_account: {allow: executes, level: may}")]);
    }

    #[test]
    fn no_row_is_needed_twice() {
        let rows: std::collections::BTreeSet<Row> = NEEDS.iter().map(|need| need.row).collect();
        assert_eq!(rows.len(), NEEDS.len());
    }
}
