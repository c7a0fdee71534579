//! The fields of a request that can be changed one at a time: the leaves of its body, and its query parameters.

use serde_json::{Number, Value};

use super::{Bound, Profile, RequestTemplate};
use crate::contract::Carrier;
use crate::document::pointer;

/// What the name of a query parameter begins with, where that of a leaf of the body begins with a slash.
const QUERY: &str = "?";

impl Bound {
    /// The fields that can be changed, each under the name of the parameter variant that does so: the JSON pointer of a
    /// leaf of the body, for example `/amount/currency`; `?` and its name for a query parameter. What holds a template
    /// is none of them, and neither is the key.
    pub fn fields(&self) -> Vec<String> {
        names(&self.profile)
    }
}

/// The names of the fields of a profile's request that can be changed.
pub(super) fn names(profile: &Profile) -> Vec<String> {
    let request = &profile.operation.request;
    let mut found = Vec::new();
    for (part, value) in parts(request) {
        leaves(part, &value, &mut found);
    }
    let key = profile.contract.key.as_ref().map(|clause| match &clause.carrier {
        Carrier::Header(_) => String::new(),
        Carrier::Query(name) => pointer(QUERY, name).replacen('/', "", 1),
        Carrier::Form(name) => pointer("", name),
        Carrier::Json(pointer) => pointer.clone(),
    });
    found.retain(|name| Some(name) != key.as_ref());
    found
}

/// The request with one field changed; `None` if it has no such field.
pub(super) fn changed(request: &RequestTemplate, name: &str) -> Option<RequestTemplate> {
    let mut request = request.clone();
    let (query, rest) = match name.strip_prefix(QUERY) {
        Some(name) => (true, name),
        None => (false, name.strip_prefix('/')?),
    };
    let change = |value: &mut Value| other(value).map(|other| *value = other);
    let (first, below) = rest.split_once('/').map_or((rest, ""), |(first, _)| (first, &rest[first.len()..]));
    let first = first.replace("~1", "/").replace("~0", "~");
    if query {
        change(request.query.get_mut(&first)?.pointer_mut(below)?)?;
    } else if let Some(json) = &mut request.json {
        change(json.pointer_mut(name)?)?;
    } else if let Some(parts) = &mut request.multipart {
        change(parts.get_mut(&first)?.pointer_mut(below)?)?;
    } else {
        change(request.form.as_mut()?.get_mut(&first)?.pointer_mut(below)?)?;
    }
    Some(request)
}

/// The parts of a request that have fields, each with the beginning of their names.
fn parts(request: &RequestTemplate) -> Vec<(&'static str, Value)> {
    let object = |members: &indexmap::IndexMap<String, Value>| Value::Object(members.clone().into_iter().collect());
    let fields = request.form.as_ref().or(request.multipart.as_ref());
    let body = request.json.clone().or_else(|| fields.map(object));
    body.map(|body| ("", body)).into_iter().chain([(QUERY, object(&request.query))]).collect()
}

fn leaves(at: &str, value: &Value, found: &mut Vec<String>) {
    let below = |name: &str| if at == QUERY { pointer(at, name).replacen('/', "", 1) } else { pointer(at, name) };
    match value {
        Value::Object(members) => members.iter().for_each(|(name, member)| leaves(&below(name), member, found)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| leaves(&below(&index.to_string()), item, found));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            found.extend(other(value).map(|_| at.to_owned()));
        }
    }
}

/// Another value of the same kind, as near as can be, so that it has a chance to be acceptable. `None` for what nothing
/// is known to be like, and for what a template decides.
fn other(value: &Value) -> Option<Value> {
    match value {
        Value::Bool(truth) => Some(Value::from(!truth)),
        Value::Number(number) => next(number),
        Value::String(text) if !text.contains("{{") && !text.contains("${") => other_text(text).map(Value::from),
        Value::Null | Value::String(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn next(number: &Number) -> Option<Value> {
    match number.as_i64() {
        Some(whole) => whole.checked_add(1).map(Value::from),
        None => number.as_f64().map(|real| Value::from(real + 1.0)).filter(Value::is_number),
    }
}

/// The text with its last letter or digit replaced by a neighbour.
fn other_text(text: &str) -> Option<String> {
    let (at, last) = text.char_indices().rev().find(|(_, letter)| letter.is_ascii_alphanumeric())?;
    let code = u8::try_from(last).ok()?;
    let neighbour = char::from(if matches!(last, '0' | 'a' | 'A') { code + 1 } else { code - 1 });
    let (before, after) = text.split_at(at);
    Some(format!("{before}{neighbour}{}", after.strip_prefix(last).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(yaml: &str) -> RequestTemplate {
        let whole = format!("{{method: POST, path: /x, {yaml}}}");
        serde_json::from_value(serde_yaml::from_str(&whole).unwrap()).unwrap()
    }

    fn found(request: &RequestTemplate) -> Vec<String> {
        let mut found = Vec::new();
        parts(request).iter().for_each(|(part, value)| leaves(part, value, &mut found));
        found
    }

    #[test]
    fn every_leaf_has_a_name_and_another_value() {
        let request = request(
            "json: {a: {b/c: EUR, d: [1, 2.5, true]}, m: \"{{marker}}\", n: null, e: [], f: \"\"}, query: {q: a1, s: {t: 9}}",
        );
        let names = found(&request);
        assert_eq!(names, ["/a/b~1c", "/a/d/0", "/a/d/1", "/a/d/2", "?q", "?s/t"]);
        let one_by_one: Vec<String> = names
            .iter()
            .map(|name| changed(&request, name).unwrap())
            .map(|other| {
                let text = other.json.unwrap()["a"].to_string();
                format!("{text} {}", serde_json::to_string(&other.query).unwrap())
            })
            .collect();
        assert_eq!(
            one_by_one,
            [
                r#"{"b/c":"EUQ","d":[1,2.5,true]} {"q":"a1","s":{"t":9}}"#,
                r#"{"b/c":"EUR","d":[2,2.5,true]} {"q":"a1","s":{"t":9}}"#,
                r#"{"b/c":"EUR","d":[1,3.5,true]} {"q":"a1","s":{"t":9}}"#,
                r#"{"b/c":"EUR","d":[1,2.5,false]} {"q":"a1","s":{"t":9}}"#,
                r#"{"b/c":"EUR","d":[1,2.5,true]} {"q":"a0","s":{"t":9}}"#,
                r#"{"b/c":"EUR","d":[1,2.5,true]} {"q":"a1","s":{"t":10}}"#,
            ]
        );
        for none in ["/m", "/n", "/a", "/z", "a", "?z", ""] {
            assert_eq!(changed(&request, none), None, "{none}");
        }
    }

    #[test]
    fn the_fields_of_a_form_are_named_like_those_of_json() {
        let request = request("form: {amount: 10, card: {number: \"4242\"}}");
        assert_eq!(found(&request), ["/amount", "/card/number"]);
        let changed = changed(&request, "/card/number").unwrap();
        assert_eq!(changed.form.unwrap()["card"]["number"], "4241");
    }

    #[test]
    fn texts_become_their_neighbours() {
        let other = |text: &str| other_text(text).unwrap_or_default();
        assert_eq!(
            [other("web"), other("Zürich!"), other("10"), other("a"), other("--")],
            ["wea", "Züricg!", "11", "b", ""]
        );
    }
}
