//! Comparing the content of answers as `replay.fidelity` says.

use std::collections::HashMap;

use serde_json::Value;

use crate::contract::{BodyFidelity, Contract};
use crate::message::{Body, ContentPath, Element, Response};

/// Numbers for contents, and what each is.
pub(super) struct Contents<'h> {
    by_bytes: HashMap<&'h Body, usize>,
    by_value: HashMap<Value, usize>,
    by_element: HashMap<Element, usize>,
    all: Vec<Content>,
    texts: HashMap<&'h str, usize>,
    /// What is volatile; none where the very bytes count.
    volatile: Option<&'h [ContentPath]>,
}

/// One content.
#[derive(Debug)]
pub(super) struct Content {
    /// Two have the same class if they are the same bytes, or JSON or XML that means the same apart from volatile values,
    /// unless the contract says that replays have the very bytes.
    class: usize,
    /// Its values by their names, if it is JSON or XML.
    pub(super) document: Option<Value>,
    is_json: bool,
}

impl<'h> Contents<'h> {
    pub(super) fn new(contract: &'h Contract) -> Self {
        let volatile = match contract.fidelity() {
            Some((fidelity, _, _)) if fidelity.body == BodyFidelity::Bytes => None,
            Some((fidelity, _, _)) => Some(fidelity.volatile.as_slice()),
            None => Some(&[][..]),
        };
        Self {
            by_bytes: HashMap::new(),
            by_value: HashMap::new(),
            by_element: HashMap::new(),
            all: Vec::new(),
            texts: HashMap::new(),
            volatile,
        }
    }

    /// The number of an answer's content among those that are different bytes.
    pub(super) fn number(&mut self, response: &'h Response) -> usize {
        if let Some(known) = self.by_bytes.get(&response.body) {
            return *known;
        }
        let number = self.all.len();
        let element = if response.is_marked_up() { response.xml().ok() } else { None };
        let is_json = element.is_none();
        let document = element.as_ref().map(Element::to_value).or_else(|| response.json());
        let class = match (self.volatile, element, &document) {
            (Some(volatile), Some(root), _) => *self.by_element.entry(blanked(root, volatile)).or_insert(number),
            (Some(volatile), None, Some(document)) => {
                *self.by_value.entry(without(document.clone(), volatile)).or_insert(number)
            }
            (None, _, _) | (Some(_), None, None) => number,
        };
        self.all.push(Content { class, document, is_json });
        self.by_bytes.insert(&response.body, number);
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
    pub(super) fn json(&self, number: usize) -> Option<&Value> {
        self.all[number].document.as_ref().filter(|_| self.all[number].is_json)
    }

    /// All of them.
    pub(super) fn into_all(self) -> Vec<Content> {
        self.all
    }
}

/// The document with every volatile value taken out of its place.
fn blanked(mut root: Element, volatile: &[ContentPath]) -> Element {
    for path in volatile {
        match path {
            ContentPath::Xml(path) => path.blank(&mut root),
            ContentPath::Json(_) => {}
        }
    }
    root
}

/// The document with every volatile value replaced by null.
fn without(mut document: Value, volatile: &[ContentPath]) -> Value {
    for path in volatile {
        let ContentPath::Json(path) = path else { continue };
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
        let answer = |body: &str| Response { status: 200, headers: Vec::new(), body: body.into() };
        let (one, other) = (answer(one), answer(other));
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
    fn xml_is_compared_by_what_it_means() {
        let (one, other) = ("<r><id>1</id><at>5</at></r>", "<r> <id>1</id>\n<at>7</at></r>");
        let layout = ("<r><id>1</id></r>", "<r>\n  <id>1</id>\n</r>");
        assert!(same("body: xml", layout.0, layout.1));
        assert!(same("{}", layout.0, layout.1));
        assert!(!same("body: bytes", layout.0, layout.1));
        assert!(!same("body: xml", one, other));
        assert!(same(r#"{body: xml, volatile: ["/r/at"]}"#, one, other));
        assert!(!same(r#"{body: xml, volatile: ["/r/at"]}"#, one, &other.replace("<id>1", "<id>2")));
        assert!(!same("body: xml", "<r>", "<r><r>"));
    }

    #[test]
    fn bytes_are_bytes() {
        assert!(!same("body: bytes", r#"{"a": 1}"#, r#"{"a":1}"#));
        assert!(same("body: bytes", "x", "x"));
        assert!(!same("{}", "x", "y"));
    }
}
