//! Where free text can stand in a body, so that a marker can.

use super::node::Node;
use super::schema::{properties, required};
use crate::document::{Problems, pointer};

/// A place for free text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FreeText {
    /// Where it stands in the body, as a JSON pointer.
    pub pointer: String,
    /// The name of the member.
    pub name: String,
    /// Whether it must be the address of a mailbox.
    pub is_address: bool,
    /// Whether the schema requires it.
    pub is_required: bool,
}

/// A marker has not more characters.
const MARKER_LENGTH: u64 = 40;

/// Members further inside are not looked at.
const DEEPEST: usize = 2;

/// Every place for free text in a body of this schema.
pub(super) fn free_texts(schema: &Node<'_>) -> Result<Vec<FreeText>, Problems> {
    let mut found = Vec::new();
    collect(schema, "", DEEPEST, &mut found)?;
    Ok(found)
}

fn collect(schema: &Node<'_>, at: &str, depth: usize, found: &mut Vec<FreeText>) -> Result<(), Problems> {
    let required = required(schema);
    for (name, property) in properties(schema)? {
        if property.is_true("readOnly") {
            continue;
        }
        let at = pointer(at, name);
        if is_free_text(&property) {
            let is_address = property.text("format") == Some("email");
            let is_required = required.contains(&name);
            found.push(FreeText { pointer: at, name: name.to_owned(), is_address, is_required });
        } else if depth > 0 {
            collect(&property, &at, depth - 1, found)?;
        }
    }
    Ok(())
}

fn is_free_text(schema: &Node<'_>) -> bool {
    let has = |name: &str| schema.value.get(name).is_some();
    let most = schema.value.get("maxLength").and_then(serde_json::Value::as_u64).unwrap_or(u64::MAX);
    super::schema::kind(schema) == Some("string")
        && matches!(schema.text("format"), None | Some("email"))
        && !["enum", "const", "pattern"].into_iter().any(has)
        && most >= MARKER_LENGTH
}
