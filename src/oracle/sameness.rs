//! Comparing the content of two answers as `replay.fidelity` says.

use serde_json::Value;

use crate::contract::{BodyFidelity, Fidelity};
use crate::message::{JsonPath, Response};

/// Whether two answers have the same content: the same bytes, or the same JSON apart from volatile values, unless the
/// contract says that replays have the very bytes.
pub(super) fn same_content(fidelity: Option<&Fidelity>, one: &Response, other: &Response) -> bool {
    if one.body == other.body {
        return true;
    }
    let volatile = match fidelity {
        Some(Fidelity { body: BodyFidelity::Bytes, .. }) => return false,
        Some(fidelity) => fidelity.volatile.as_slice(),
        None => &[],
    };
    match (one.json(), other.json()) {
        (Some(one), Some(other)) => without(one, volatile) == without(other, volatile),
        _ => false,
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
    fn bytes_are_bytes() {
        assert!(!same("body: bytes", r#"{"a": 1}"#, r#"{"a":1}"#));
        assert!(same("body: bytes", "x", "x"));
        assert!(!same("{}", "x", "y"));
    }
}
