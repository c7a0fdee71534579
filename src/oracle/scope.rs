//! What a key reaches: the scope in which attempts with one key belong to one action.

use indexmap::IndexSet;

use crate::contract::{Case, Contract, Row};
use crate::history::AttemptStart;
use crate::message::ShownRequest;

/// A key as it was carried. Comparing two is comparing their numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key<'h> {
    pub(super) text: &'h str,
    /// Its number within the case.
    pub(super) number: usize,
}

impl PartialEq for Key<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for Key<'_> {}

/// The scope in which attempts with one key belong together.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Scope<'h> {
    key: usize,
    account: &'h str,
    operation: &'h str,
    method: &'h str,
    /// Set where each replica has keys of its own.
    replica: Option<&'h str>,
    with: usize,
    /// Set where parameters of another meaning are an action of their own under the same key.
    meaning: Option<usize>,
}

/// Numbers for keys and scopes, so that comparing them is comparing numbers.
#[derive(Debug, Default)]
pub(super) struct Scopes<'h> {
    keys: IndexSet<&'h str>,
    with: IndexSet<String>,
    scopes: IndexSet<Scope<'h>>,
}

/// Where an attempt belongs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'h> {
    pub(super) key: Option<Key<'h>>,
    /// Equal for attempts for which the parameters that the contract counts into the key have the same values.
    pub(super) with: usize,
    /// Equal for attempts that belong to one action as long as their key is kept. Means nothing without a key.
    pub(super) scope: usize,
}

impl<'h> Scopes<'h> {
    /// The place of an attempt whose parameters have this meaning.
    pub(super) fn place(&mut self, contract: &Contract, start: &'h AttemptStart, meaning: usize) -> Place<'h> {
        let with = self.with.insert_full(key_parameters(contract, &start.request)).0;
        let Some(text) = start.key.as_deref() else {
            return Place { key: None, with, scope: 0 };
        };
        let key = Key { text, number: self.keys.insert_full(text).0 };
        let scope = Scope {
            key: key.number,
            account: start.account.as_str(),
            operation: &start.operation,
            method: &start.method,
            replica: start.replica.as_deref().filter(|_| replicas_apart(contract)),
            with,
            meaning: has_own_parameters(contract, &start.parameters).then_some(meaning),
        };
        Place { key: Some(key), with, scope: self.scopes.insert_full(scope).0 }
    }

    /// How many keys and scopes there are.
    pub(super) fn count(&self) -> (usize, usize) {
        (self.keys.len(), self.scopes.len())
    }
}

/// Whether a key that was used on one replica begins an action of its own on another one.
pub(super) fn replicas_apart(contract: &Contract) -> bool {
    contract.rulings(Row::Replicas).iter().any(|ruling| ruling.case.allows_executing())
}

/// Whether parameters of another meaning are an action of their own under the same key.
fn has_own_parameters(contract: &Contract, variant: &str) -> bool {
    let promise = contract.promise(Row::ChangedParameters, variant);
    promise.is_some_and(|promise| promise.cases.iter().any(Case::allows_executing))
}

/// The values of the parameters that the contract counts into the key, as one comparable text. Empty where it counts
/// none.
fn key_parameters(contract: &Contract, request: &ShownRequest) -> String {
    let names = match &contract.key {
        Some(key) => key.with.as_slice(),
        None => &[],
    };
    let mut values = String::new();
    for name in names {
        values.push_str(&parameter(request, name).unwrap_or_default());
        values.push('\u{0}');
    }
    values
}

/// A parameter of a request: a JSON pointer or a top-level member of a JSON body, a form field, a query parameter.
fn parameter(request: &ShownRequest, name: &str) -> Option<String> {
    let body = request.body.as_deref().unwrap_or_default();
    if let Ok(document) = serde_json::from_str::<serde_json::Value>(body) {
        let found = if name.starts_with('/') { document.pointer(name) } else { document.get(name) };
        if let Some(value) = found {
            return Some(value.to_string());
        }
    }
    let query = request.target.split_once('?').map_or("", |(_, query)| query);
    [body, query]
        .into_iter()
        .flat_map(|pairs| form_urlencoded::parse(pairs.as_bytes()))
        .find(|(field, _)| field == name)
        .map(|(_, value)| value.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(body: &str) -> String {
        let contract: Contract = serde_json::from_value(serde_json::json!({
            "key": {"carrier": {"header": "Key"}, "with": ["type", "/card/number"]}
        }))
        .unwrap();
        let request = ShownRequest { target: "/x?type=query".into(), body: Some(body.into()), ..Default::default() };
        key_parameters(&contract, &request)
    }

    #[test]
    fn parameters_of_the_key_are_found_in_json_form_and_query() {
        assert_eq!(values(r#"{"type": "a", "card": {"number": 4}}"#), "\"a\"\u{0}4\u{0}");
        assert_eq!(values("type=form&x=y"), "form\u{0}\u{0}");
        assert_eq!(values("x=y"), "query\u{0}\u{0}");
    }
}
