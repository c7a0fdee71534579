//! Comparing the content of answers as `replay.fidelity` says.

use std::collections::HashMap;

use serde_json::Value;

use crate::contract::{BodyFidelity, Contract};
use crate::message::{Body, JsonPath};

/// Numbers for contents, and what each is.
pub(super) struct Contents<'h> {
    by_bytes: HashMap<&'h Body, usize>,
    by_value: HashMap<Value, usize>,
    all: Vec<Content>,
    texts: HashMap<&'h str, usize>,
    /// What is volatile; none where the very bytes count.
    volatile: Option<&'h [JsonPath]>,
}

/// One content.
#[derive(Debug)]
pub(super) struct Content {
    /// Two have the same class if they are the same bytes, or the same JSON apart from volatile values, unless the contract
    /// says that replays have the very bytes.
    class: usize,
    /// As JSON, if it is JSON.
    pub(super) document: Option<Value>,
}

impl<'h> Contents<'h> {
    pub(super) fn new(contract: &'h Contract) -> Self {
        let volatile = match contract.fidelity() {
            Some((fidelity, _, _)) if fidelity.body == BodyFidelity::Bytes => None,
            Some((fidelity, _, _)) => Some(fidelity.volatile.as_slice()),
            None => Some(&[][..]),
        };
        Self { by_bytes: HashMap::new(), by_value: HashMap::new(), all: Vec::new(), texts: HashMap::new(), volatile }
    }

    /// The number of a content among those that are different bytes.
    pub(super) fn number(&mut self, body: &'h Body) -> usize {
        if let Some(known) = self.by_bytes.get(body) {
            return *known;
        }
        let number = self.all.len();
        let document = body.json();
        let compared = self.volatile.and_then(|volatile| Some(without(document.clone()?, volatile)));
        let class = compared.map_or(number, |document| *self.by_value.entry(document).or_insert(number));
        self.all.push(Content { class, document });
        self.by_bytes.insert(body, number);
        number
    }

    /// A number for a text: an identity, or the value of a header field.
    pub(super) fn text(&mut self, text: &'h str) -> usize {
        let fresh = self.texts.len();
        *self.texts.entry(text).or_insert(fresh)
    }

    /// The class of a content.
    pub(super) fn class(&self, number: usize) -> usize {
        self.all[number].class
    }

    /// A content as JSON, if it is JSON.
    pub(super) fn document(&self, number: usize) -> Option<&Value> {
        self.all[number].document.as_ref()
    }

    /// All of them.
    pub(super) fn into_all(self) -> Vec<Content> {
        self.all
    }
}

/// The document with every volatile value replaced by null.
fn without(mut document: Value, volatile: &[JsonPath]) -> Value {
    for path in volatile {
        for pointer in path.pointers(&document) {
            if let Some(value) = document.pointer_mut(&pointer) {
                *value = Value::Null;
            }
        }
    }
    document
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(fidelity: &str, one: &str, other: &str) -> bool {
        let fidelity: serde_json::Value = serde_yaml::from_str(fidelity).unwrap();
        let contract = serde_json::from_value(serde_json::json!({"replay": {"fidelity": fidelity}})).unwrap();
        let (one, other) = (Body::from(one), Body::from(other));
        let mut contents = Contents::new(&contract);
        let (one, other) = (contents.number(&one), contents.number(&other));
        contents.class(one) == contents.class(other)
    }

    #[test]
    fn volatile_values_and_member_order_do_not_count_in_json() {
        assert!(same("{}", r#"{"a": 1, "b": 2}"#, r#"{"b": 2, "a": 1}"#));
        assert!(!same("{}", r#"{"a": 1}"#, r#"{"a": 2}"#));
        assert!(same(
            r#"volatile: ["$.a", "$.list[*].t"]"#,
            r#"{"a": 1, "list": [{"t": 1}]}"#,
            r#"{"a": 2, "list": [{"t": 5}]}"#
        ));
        assert!(!same(r#"volatile: ["$.a"]"#, r#"{"a": 1, "b": 1}"#, r#"{"a": 2, "b": 2}"#));
    }

    #[test]
    fn bytes_are_bytes() {
        assert!(!same("body: bytes", r#"{"a": 1}"#, r#"{"a":1}"#));
        assert!(same("body: bytes", "x", "x"));
        assert!(!same("{}", "x", "y"));
    }
}
