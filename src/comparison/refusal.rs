//! Whether a client knows a refusal that it meets.

use indexmap::IndexMap;
use serde_json::Value;

use crate::contract::{Condition, Expected, Matcher, Row, StatusPattern, StatusSet};

/// What a client looks for that knows one refusal, and what another one does not have. Empty where it has everything.
pub(super) fn missed(known: &Matcher, met: &Matcher) -> Vec<String> {
    let status = known.status.iter().filter(|set| !met.status.as_ref().is_some_and(|met| within(met, set)));
    let json = known.json.iter().filter(|(path, expected)| !has(&met.json, path, expected));
    let xml = known.xml.iter().filter(|(path, expected)| !has(&met.xml, path, expected));
    let header = known.header.iter().filter(|(name, expected)| {
        !met.header.iter().any(|(other, found)| other.eq_ignore_ascii_case(name) && implies(found, expected))
    });
    status
        .map(|set| format!("status {set}"))
        .chain(json.map(|(path, expected)| format!("{path} {expected}")))
        .chain(xml.map(|(path, expected)| format!("{path} {expected}")))
        .chain(header.map(|(name, expected)| format!("header {name} {expected}")))
        .collect()
}

fn has<P: std::hash::Hash + Eq>(met: &IndexMap<P, Expected>, path: &P, expected: &Expected) -> bool {
    met.get(path).is_some_and(|found| implies(found, expected))
}

/// Whether every status of the one set is in the other.
pub(super) fn within(part: &StatusSet, whole: &StatusSet) -> bool {
    part.0.iter().all(|pattern| match pattern {
        StatusPattern::Code(code) => whole.contains(*code),
        StatusPattern::Class(_) => whole.0.contains(pattern),
    })
}

/// Whether what fits the one certainly fits the other.
fn implies(found: &Expected, wanted: &Expected) -> bool {
    let values = |expected: &Expected| -> Vec<Value> {
        match expected {
            Expected::Equals(value) => vec![value.clone()],
            Expected::OneOf(values) => values.clone(),
            Expected::Condition(_) => Vec::new(),
        }
    };
    if found == wanted {
        return true;
    }
    let found = values(found);
    let all = |fits: &dyn Fn(&Value) -> bool| !found.is_empty() && found.iter().all(fits);
    match wanted {
        Expected::Condition(Condition::Present(true)) => all(&|value| !value.is_null()),
        Expected::Condition(Condition::Present(false)) => false,
        Expected::Condition(Condition::Contains(part)) => {
            all(&|value| value.as_str().is_some_and(|text| text.contains(part)))
        }
        Expected::Equals(_) | Expected::OneOf(_) => {
            let wanted = values(wanted);
            all(&|value| wanted.contains(value))
        }
    }
}

/// What a client does not do that takes a refusal for another error.
pub(super) fn unnoticed(row: Row) -> &'static str {
    match row {
        Row::InFlight => "does not wait and ask again",
        Row::ChangedParameters | Row::InFlightChanged => "does not see that its key stands for something else",
        Row::AfterSuccess => "does not see that the action is done",
        Row::Missing | Row::Empty | Row::Malformed | Row::Overlong | Row::Incomplete => {
            "does not see that its key is at fault"
        }
        Row::Expired => "does not see that its key is too old",
        Row::StoreUnavailable | Row::RateLimited | Row::AfterTurningAway => "does not try again later",
        Row::AfterFailure
        | Row::AfterServerError
        | Row::AfterValidationFailure
        | Row::AfterChange
        | Row::EquivalentParameters
        | Row::OtherMethods
        | Row::OtherAccount
        | Row::OtherOperation
        | Row::Replicas => "does not see that its key was used before",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn misses(known: &str, met: &str) -> Vec<String> {
        missed(&serde_yaml::from_str(known).unwrap(), &serde_yaml::from_str(met).unwrap())
    }

    #[test]
    fn a_refusal_is_known_by_what_the_client_looks_for_and_by_nothing_else() {
        let detailed = r#"{status: 409, json: {"$.code": in-flight}, header: {X-Code: "1"}}"#;
        assert_eq!(misses("{status: [409, 422]}", detailed), Vec::<String>::new());
        assert_eq!(misses("{status: 4xx, header: {x-code: {present: true}}}", detailed), Vec::<String>::new());
        assert_eq!(misses(r#"{json: {"$.code": {contains: flight}}}"#, detailed), Vec::<String>::new());
        assert_eq!(misses("{status: 409}", "{status: 4xx}"), ["status 409"]);
        assert_eq!(misses(detailed, "{status: 409}"), ["$.code is `in-flight`", "header X-Code is `1`"]);
        assert_eq!(misses(r#"{json: {"$.code": a}}"#, r#"{json: {"$.code": [a, b]}}"#), ["$.code is `a`"]);
    }
}
