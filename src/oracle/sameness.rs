//! Comparing the content of two answers as `replay.fidelity` says.

use serde_json::Value;

use crate::contract::{BodyFidelity, Fidelity};
use crate::message::{ContentPath, Element, Response};

/// Whether two answers have the same content: the same bytes, or JSON or XML that means the same apart from volatile
/// values, unless the contract says that replays have the very bytes.
pub(super) fn same_content(fidelity: Option<&Fidelity>, one: &Response, other: &Response) -> bool {
    if one.body == other.body {
        return true;
    }
    let volatile = match fidelity {
        Some(Fidelity { body: BodyFidelity::Bytes, .. }) => return false,
        Some(fidelity) => fidelity.volatile.as_slice(),
        None => &[],
    };
    same_json(volatile, one, other) || same_xml(volatile, one, other)
}

fn same_json(volatile: &[ContentPath], one: &Response, other: &Response) -> bool {
    match (one.json(), other.json()) {
        (Some(one), Some(other)) => without(one, volatile) == without(other, volatile),
        _ => false,
    }
}

fn same_xml(volatile: &[ContentPath], one: &Response, other: &Response) -> bool {
    match (one.xml(), other.xml()) {
        (Ok(one), Ok(other)) => blanked(one, volatile) == blanked(other, volatile),
        _ => false,
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

    fn answer(body: &str) -> Response {
        Response { status: 200, headers: Vec::new(), body: body.into() }
    }

    fn same(fidelity: &str, one: &str, other: &str) -> bool {
        let fidelity: Fidelity = serde_yaml::from_str(fidelity).unwrap();
        same_content(Some(&fidelity), &answer(one), &answer(other))
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
        assert!(same_content(None, &answer(layout.0), &answer(layout.1)));
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
