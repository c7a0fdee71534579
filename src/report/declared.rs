//! What a contract promises in each clause, in a line for the table.

use crate::contract::{
    Anchor, BodyFidelity, Clause, Contract, Encoding, FirstAnswer, Key, KeyDifference, Level, Period, Row,
    StatusFidelity, VariantPromise,
};

/// What the contract promises in a clause; `None` where it is silent.
pub(super) fn summary(contract: &Contract, clause: Clause) -> Option<String> {
    let parts = parts(contract, clause);
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// What the contract promises, a line for each promise, by clause. Empty where it promises nothing.
pub fn promises(contract: &Contract) -> Vec<String> {
    let line = |clause: Clause| {
        let names = std::iter::once(clause.id()).chain(std::iter::repeat(""));
        let lines = names.zip(parts(contract, clause)).map(|(name, part)| format!("{name:<10} {part}"));
        lines.collect::<Vec<_>>()
    };
    Clause::ALL.into_iter().flat_map(line).collect()
}

/// The facts and promises of a clause.
pub(super) fn parts(contract: &Contract, clause: Clause) -> Vec<String> {
    let (facts, promises) = match clause {
        Clause::Key => (contract.key.as_ref().map(key).unwrap_or_default(), key_promises(contract)),
        Clause::Retention => (retention(contract), rows(contract, &[(Row::Expired, "expired")])),
        Clause::Replay => (Vec::new(), replay(contract)),
        Clause::Conflict => (Vec::new(), conflict(contract)),
        Clause::Scope => (methods(contract), rows(contract, SCOPE_ROWS)),
    };
    std::iter::once(facts.join(", ")).filter(|facts| !facts.is_empty()).chain(promises).collect()
}

const SCOPE_ROWS: &[(Row, &str)] = &[
    (Row::OtherMethods, "other methods"),
    (Row::OtherAccount, "other account"),
    (Row::OtherOperation, "other operation"),
    (Row::Replicas, "replicas"),
    (Row::StoreUnavailable, "store unavailable"),
];

fn key(key: &Key) -> Vec<String> {
    let carrier = match key.encoding {
        Encoding::Bare => key.carrier.to_string(),
        Encoding::Quoted => format!("{} (quoted)", key.carrier),
    };
    let length = match (key.min_length, key.max_length) {
        (None, None) => None,
        (Some(shortest), None) => Some(format!("≥ {shortest} characters")),
        (None, Some(longest)) => Some(format!("≤ {longest} characters")),
        (Some(shortest), Some(longest)) => Some(format!("{shortest} to {longest} characters")),
    };
    let with = (!key.with.is_empty()).then(|| format!("counts together with {}", key.with.join(", ")));
    let ignores: Vec<&str> = key
        .ignores
        .iter()
        .map(|difference| match difference {
            KeyDifference::Case => "case",
            KeyDifference::Quotes => "quotes",
            KeyDifference::WhiteSpace => "white space",
        })
        .collect();
    let ignores = (!ignores.is_empty()).then(|| format!("without regard to {}", ignores.join(", ")));
    let date = key.first_sent.as_ref().map(|first_sent| format!("date of the first request in {}", first_sent.header));
    std::iter::once(carrier)
        .chain(date)
        .chain(key.recommended.clone())
        .chain(length)
        .chain(with)
        .chain(ignores)
        .collect()
}

fn key_promises(contract: &Contract) -> Vec<String> {
    let order = [
        (Row::Missing, "missing"),
        (Row::Empty, "empty"),
        (Row::Malformed, "malformed"),
        (Row::Overlong, "overlong"),
        (Row::Incomplete, "key and date not together"),
    ];
    rows(contract, &order)
}

fn retention(contract: &Contract) -> Vec<String> {
    let Some(retention) = &contract.retention else {
        return Vec::new();
    };
    let anchor = retention.anchor.map(|anchor| match anchor {
        Anchor::First => "counted from the first use",
        Anchor::Completion => "counted from completion",
        Anchor::LastUse => "counted from the last use",
        Anchor::ResourceEnd => "counted from the end of the resource",
    });
    let at_least = retention.at_least.map(|period| format!("≥ {period}"));
    let at_most = retention.at_most.map(|period| format!("≤ {period}"));
    at_least.into_iter().chain(at_most).chain(anchor.map(str::to_owned)).collect()
}

fn replay(contract: &Contract) -> Vec<String> {
    let order = [
        (Row::AfterSuccess, "after success"),
        (Row::AfterFailure, "after failure"),
        (Row::AfterServerError, "after server error"),
        (Row::AfterValidationFailure, "after validation failure"),
        (Row::AfterTurningAway, "after turning away"),
        (Row::AfterChange, "after change"),
        (Row::RateLimited, "rate limited"),
    ];
    let fidelity = contract.fidelity().map(|(fidelity, level, _)| {
        let status = match &fidelity.status {
            StatusFidelity::Same => "the same status".to_owned(),
            StatusFidelity::OneOf(set) => format!("status {set}"),
        };
        let body = match fidelity.body {
            BodyFidelity::Bytes => "the same bytes",
            BodyFidelity::Json => "the same JSON",
            BodyFidelity::Xml => "the same XML",
            BodyFidelity::Identity => "the same identity",
        };
        format!("a replay has {status} and {body}{}", suffix(level))
    });
    let marker = contract.marker().map(|(marker, level, _)| {
        let says = match marker.first_answer {
            FirstAnswer::Without => "",
            FirstAnswer::With => " on every answer (says that the key is looked after, not that this is a replay)",
            FirstAnswer::Either => " (perhaps on first answers as well, so it proves no replay)",
        };
        format!("marker {}{says}{}", marker.header, suffix(level))
    });
    let not_executed =
        contract.not_executed().map(|(matcher, level, _)| format!("not executed where {matcher}{}", suffix(level)));
    let waits = contract.client_waits().map(|waits| format!("a client waits {} before a repeat", Period(waits)));
    let retries = contract.client_retries_for().map(|time| format!("a client retries for {time} at the most"));
    let facts = fidelity.into_iter().chain(marker).chain(not_executed).chain(waits).chain(retries);
    rows(contract, &order).into_iter().chain(facts).collect()
}

fn conflict(contract: &Contract) -> Vec<String> {
    let Some(conflict) = &contract.conflict else {
        return Vec::new();
    };
    let changed =
        by_variant(contract, conflict.changed_parameters.as_ref(), Row::ChangedParameters, "changed parameters");
    let equivalent = by_variant(
        contract,
        conflict.equivalent_parameters.as_ref(),
        Row::EquivalentParameters,
        "equivalent parameters",
    );
    let in_flight = row(contract, Row::InFlight, "in flight").map(|promise| match contract.ends_within() {
        Some(period) => format!("{promise}, ends within {period}"),
        None => promise,
    });
    let in_flight_changed = row(contract, Row::InFlightChanged, "in flight with other parameters");
    changed.into_iter().chain(equivalent).chain(in_flight).chain(in_flight_changed).collect()
}

fn by_variant(contract: &Contract, promises: Option<&VariantPromise>, own: Row, name: &str) -> Vec<String> {
    match promises {
        None => Vec::new(),
        Some(VariantPromise::Every(_)) => row(contract, own, name).into_iter().collect(),
        Some(VariantPromise::ByVariant(variants)) => {
            // Neighbours with one promise share it.
            let mut groups: Vec<(Vec<&str>, String)> = Vec::new();
            for (variant, promise) in variants {
                match groups.last_mut().filter(|(_, known)| *known == promise.to_string()) {
                    Some((names, _)) => names.push(variant),
                    None => groups.push((vec![variant], promise.to_string())),
                }
            }
            let groups: Vec<String> =
                groups.iter().map(|(names, promise)| format!("{} {promise}", names.join("/"))).collect();
            vec![format!("{name}: {}", groups.join(", "))]
        }
    }
}

fn methods(contract: &Contract) -> Vec<String> {
    let methods = contract.scope.as_ref().map(|scope| scope.methods.join(", ")).unwrap_or_default();
    if methods.is_empty() { Vec::new() } else { vec![methods] }
}

fn rows(contract: &Contract, order: &[(Row, &str)]) -> Vec<String> {
    order.iter().filter_map(|(own, name)| row(contract, *own, name)).collect()
}

fn row(contract: &Contract, row: Row, name: &str) -> Option<String> {
    let cases: Vec<String> =
        contract.rulings(row).iter().map(|ruling| format!("{}{}", ruling.case, suffix(ruling.level))).collect();
    (!cases.is_empty()).then(|| format!("{name}: {}", cases.join("; else ")))
}

/// A must needs no word.
fn suffix(level: Level) -> &'static str {
    match level {
        Level::Must => "",
        Level::Should => " (should)",
        Level::May => " (may)",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summaries(yaml: &str) -> Vec<Option<String>> {
        let contract: Contract = serde_json::from_value(serde_yaml::from_str(yaml).unwrap()).unwrap();
        Clause::ALL.into_iter().map(|clause| summary(&contract, clause)).collect()
    }

    #[test]
    fn a_silent_contract_promises_nothing() {
        assert_eq!(summaries("{}"), vec![None; 5]);
    }

    #[test]
    fn promises_read_as_a_line() {
        let yaml = r#"
key: {carrier: {header: Idempotency-Key}, encoding: quoted, recommended: uuid-v4, max_length: 255, missing: {rejects: {status: 400}}}
retention: {at_least: 24h, at_most: 48h, anchor: last-use, expired: executes}
replay:
  after_success: replays
  after_failure: [{when: {status: 402}, allow: replays}, {allow: executes, level: should}]
  fidelity: {status: [200, 201], body: json}
  marker: {header: Idempotent-Replayed, level: may}
conflict:
  changed_parameters: {amount: {rejects: {status: 422}}, note: replays, title: replays}
  in_flight: {allow: {rejects: {status: 409}}, ends_within: 60s}
scope: {methods: [POST, PATCH], other_account: executes}
"#;
        let lines: Vec<String> = summaries(yaml).into_iter().flatten().collect();
        assert_eq!(
            lines,
            [
                "header Idempotency-Key (quoted), uuid-v4, ≤ 255 characters; missing: rejects with status 400",
                "≥ 1day, ≤ 2days, counted from the last use; expired: executes",
                "after success: replays; after failure: replays when the first answer had status 402; else executes \
                 (should); a replay has status 200 or 201 and the same JSON; marker Idempotent-Replayed (may)",
                "changed parameters: amount rejects with status 422, note/title replays; in flight: rejects with status 409, \
                 ends within 1m",
                "POST, PATCH; other account: executes",
            ]
        );
    }
}
