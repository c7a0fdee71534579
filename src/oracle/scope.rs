//! What a key reaches: the scope in which attempts with one key belong to one action.

use crate::contract::Contract;
use crate::message::ShownRequest;

/// The values of the parameters that the contract counts into the key, as one comparable text. Empty where it counts
/// none.
pub(super) fn key_parameters(contract: &Contract, request: &ShownRequest) -> String {
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
