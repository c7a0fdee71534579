//! When two requests have the same parameters: a form of them that is the same for every spelling.

use std::borrow::Cow;

use icu_normalizer::ComposingNormalizerBorrowed;
use serde_json::{Map, Number, Value};

use super::disposition::Disposition;
use super::multipart;
use super::policy::{in_conflict, promised};
use super::submission::{BETWEEN, Submission, form};
use crate::contract::{Contract, Row, Situation, Treatment};

/// What does not count when parameters are compared. White space, the order of members and escapes never do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sameness {
    /// How a number is written: `2.0` is `2`.
    pub(super) numbers: bool,
    /// Whether a member is null or absent.
    pub(super) nulls: bool,
    /// In which Unicode form a text is written.
    pub(super) forms: bool,
}

/// Every way to be less than exact, by the spelling that shows it.
pub(super) const LOOSE: [(&str, Sameness); 3] = [
    ("decimal", Sameness { numbers: true, ..Sameness::JSON }),
    ("without-nulls", Sameness { nulls: true, ..Sameness::JSON }),
    ("decomposed", Sameness { forms: true, ..Sameness::JSON }),
];

/// Beyond this a number with a point is not known to be whole.
const LARGEST_WHOLE: f64 = 9_007_199_254_740_992.0;

impl Sameness {
    /// What JSON itself calls the same.
    pub(super) const JSON: Self = Self { numbers: false, nulls: false, forms: false };

    /// What a contract calls the same: of the spellings that need not be, those that it names and lets pass.
    pub(super) fn of(contract: &Contract) -> Self {
        let passes = |(name, _): &(&str, Self)| {
            contract.names(Row::EquivalentParameters, name)
                && !matches!(promised_to(contract, name), None | Some(Treatment::Rejects(_)))
        };
        LOOSE.into_iter().filter(passes).fold(Self::JSON, |one, (_, other)| Self {
            numbers: one.numbers || other.numbers,
            nulls: one.nulls || other.nulls,
            forms: one.forms || other.forms,
        })
    }

    /// Parameters in a form that is the same for every spelling of the same JSON, or of the same form; others as they are.
    pub(super) fn canonical(self, parameters: &[u8]) -> Vec<u8> {
        let Ok(text) = std::str::from_utf8(parameters) else {
            return parameters.to_vec();
        };
        let (body, target) = text.rsplit_once(BETWEEN).map_or((text, None), |(body, target)| (body, Some(target)));
        let mut canonical = match serde_json::from_str::<Value>(body) {
            Ok(content) => {
                let mut content = self.value(content);
                content.sort_all_objects();
                content.to_string()
            }
            // Which boundary stands between the parts means nothing.
            Err(_) if body.starts_with("--") => match multipart::parts(body.as_bytes()) {
                Some(parts) => multipart::written(&parts, ""),
                None => body.to_owned(),
            },
            Err(_) if body.contains('=') && !body.starts_with(['{', '[']) => {
                let mut pairs: Vec<(String, String)> = form_urlencoded::parse(body.as_bytes()).into_owned().collect();
                pairs.sort();
                form(pairs.into_iter())
            }
            Err(_) => body.to_owned(),
        };
        canonical.extend(target.into_iter().flat_map(|target| [BETWEEN, target]));
        canonical.into_bytes()
    }

    fn value(self, value: Value) -> Value {
        match value {
            Value::Object(members) => {
                let kept = members.into_iter().filter(|(_, member)| !(self.nulls && member.is_null()));
                Value::Object(kept.map(|(name, member)| (name, self.value(member))).collect::<Map<_, _>>())
            }
            Value::Array(items) => Value::Array(items.into_iter().map(|item| self.value(item)).collect()),
            Value::String(text) if self.forms => {
                Value::from(match ComposingNormalizerBorrowed::new_nfc().normalize(&text) {
                    Cow::Borrowed(_) => text,
                    Cow::Owned(composed) => composed,
                })
            }
            Value::Number(number) if self.numbers => Value::from(shortest(number)),
            Value::Null | Value::Bool(_) | Value::String(_) | Value::Number(_) => value,
        }
    }
}

/// A number that is whole, without a point.
fn shortest(number: Number) -> Number {
    let whole = number.as_f64().filter(|real| number.is_f64() && real.fract() == 0.0 && real.abs() < LARGEST_WHOLE);
    #[expect(clippy::cast_possible_truncation, reason = "it is whole, and small enough")]
    whole.map_or(number, |real| Number::from(real as i64))
}

/// The parameters: without regard to what spellings need not have in common, unless the contract has another spelling
/// treated otherwise than a repeat.
pub(super) fn fingerprint(contract: &Contract, submission: &Submission) -> Vec<u8> {
    match promised(contract, Row::EquivalentParameters, None) {
        Some(promise) if Some(&promise) != promised(contract, Row::AfterSuccess, None).as_ref() => {
            submission.parameters()
        }
        Some(_) | None => Sameness::of(contract).canonical(&submission.parameters()),
    }
}

/// What other bytes under a known key get, where they are the same parameters, or are a spelling that the contract names
/// and does not let pass for the same.
pub(super) fn conflict(contract: &Contract, known: &[u8], submission: &Submission) -> Option<Disposition> {
    let parameters = submission.parameters();
    let is_same = |sameness: Sameness| sameness.canonical(known) == sameness.canonical(&parameters);
    if is_same(Sameness::JSON) {
        let promise = promised(contract, Row::EquivalentParameters, None);
        return Some(in_conflict(Situation::EquivalentParameters, promise));
    }
    let named = LOOSE
        .into_iter()
        .find(|(name, sameness)| contract.names(Row::EquivalentParameters, name) && is_same(*sameness));
    named.map(|(name, _)| in_conflict(Situation::EquivalentParameters, promised_to(contract, name)))
}

/// What the contract promises to a spelling of the same parameters, by its name.
fn promised_to(contract: &Contract, spelling: &str) -> Option<Treatment> {
    contract.promise(Row::EquivalentParameters, spelling)?.case(None)?.allow.first().cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::policy::tests::{contract, submission};

    #[test]
    fn spellings_of_the_same_json_have_one_fingerprint() {
        let usual = Contract::default();
        let print = |body| fingerprint(&usual, &submission(body));
        assert_eq!(print(r#"{"a":{"b":1,"c":[1,2]},"d":2}"#), print(r#" {"d":2, "a":{"c":[1,2],"b":1}} "#));
        assert_ne!(print(r#"{"a":[1,2]}"#), print(r#"{"a":[2,1]}"#));
        assert_ne!(print("{"), print("{ "));
        let strict = contract("conflict: {equivalent_parameters: {rejects: {status: 422}}}");
        let strictly = |body| fingerprint(&strict, &submission(body));
        assert_ne!(strictly(r#"{"a":1,"b":2}"#), strictly(r#"{"b":2,"a":1}"#));
    }

    fn same(sameness: Sameness, one: &str, other: &str) -> bool {
        sameness.canonical(one.as_bytes()) == sameness.canonical(other.as_bytes())
    }

    #[test]
    fn each_way_to_be_less_than_exact_is_one_of_its_own() {
        let pairs = [
            (r#"{"a":[2,1.5,1000]}"#, r#"{"a":[2.0,1.50,1e3]}"#),
            (r#"{"a":1,"b":{"c":null}}"#, r#"{"b":{},"a":1}"#),
            ("{\"a\":\"\u{fc}\"}", "{\"a\":\"u\u{308}\"}"),
        ];
        for (index, (one, other)) in pairs.into_iter().enumerate() {
            assert!(!same(Sameness::JSON, one, other), "{one}");
            for (way, (_, sameness)) in LOOSE.into_iter().enumerate() {
                assert_eq!(same(sameness, one, other), way == index, "{one} {sameness:?}");
            }
        }
        assert!(same(Sameness::JSON, r#"{"a":"A"}"#, r#" {"a": "\u0041"}"#));
    }

    #[test]
    fn a_contract_says_by_name_what_passes_for_the_same() {
        let of = |yaml: &str| {
            let conflict = format!("conflict: {{equivalent_parameters: {yaml}}}");
            Sameness::of(&serde_json::from_value(serde_yaml::from_str(&conflict).unwrap()).unwrap())
        };
        assert_eq!(of("replays"), Sameness::JSON);
        assert_eq!(
            of("{decimal: replays, without-nulls: {rejects: {status: 409}}}"),
            Sameness { numbers: true, ..Sameness::JSON }
        );
    }
}
