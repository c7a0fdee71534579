//! Which header fields of an answer a report shows. A report travels: into a CI's artefacts, into a pull request. So what
//! is shown is on a list, and what a server may hand a session out by is not.

use crate::contract::Contract;

/// Fields of answers that are known to be no credentials, in lower case.
const SHOWN: &[&str] = &[
    "age",
    "allow",
    "cache-control",
    "content-encoding",
    "content-language",
    "content-length",
    "content-location",
    "content-type",
    "date",
    "deprecation",
    "etag",
    "last-modified",
    "location",
    "request-id",
    "retry-after",
    "server",
    "sunset",
    "vary",
    "via",
    "x-correlation-id",
    "x-request-id",
];

/// Beginnings of the names of further such fields.
const SHOWN_FAMILIES: &[&str] = &["idempotency-", "idempotent-", "ratelimit", "x-ratelimit"];

/// Fields by which a server hands out what lets its holder in. They are never shown, whatever a contract says of them.
const NEVER: &[&str] = &["set-cookie", "set-cookie2", "authorization", "authentication-info", "proxy-authorization"];

/// Whether a field is shown under every contract.
pub(super) fn is_shown(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SHOWN.contains(&name.as_str()) || SHOWN_FAMILIES.iter().any(|family| name.starts_with(family))
}

/// The fields that a contract speaks of: its marker, and what a replay repeats.
pub(super) fn of_contract(contract: &Contract) -> impl Iterator<Item = &str> {
    let marker = contract.marker().map(|(marker, _, _)| marker.header.as_str());
    let fidelity = contract.fidelity().map(|(fidelity, _, _)| fidelity.headers.as_slice()).unwrap_or_default();
    let named = marker.into_iter().chain(fidelity.iter().map(String::as_str));
    named.filter(|name| !NEVER.iter().any(|never| never.eq_ignore_ascii_case(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hands_out_a_session_is_never_shown() {
        for name in NEVER {
            assert!(!is_shown(name), "{name}");
        }
        assert!(is_shown("Content-Type") && is_shown("Idempotent-Replayed") && is_shown("X-RateLimit-Remaining"));
        let yaml =
            "{replay: {after_success: replays, marker: {header: X-Again}, fidelity: {headers: [Set-Cookie, X-Own]}}}";
        let contract: Contract = serde_json::from_value(serde_yaml::from_str(yaml).unwrap()).unwrap();
        assert_eq!(of_contract(&contract).collect::<Vec<_>>(), ["X-Again", "X-Own"]);
    }
}
