//! An example of a value, made from its schema where the schema gives none.

use serde_json::{Map, Number, Value, json};

use super::node::Node;
use super::schema::{given, kind, required};
use crate::document::{Problems, merge};

/// An example of a schema.
///
/// # Errors
/// When a `$ref` in it leads nowhere, or the schema requires itself without end.
pub(super) fn example(schema: &Node<'_>) -> Result<Value, Problems> {
    match of_schema(schema, &mut Vec::new())? {
        Some(value) => Ok(value),
        None => Err(schema.problem("this schema requires itself without end, so nothing is an example of it").into()),
    }
}

/// `None`: the schema is one of those that are being worked out, so this would not end.
fn of_schema(schema: &Node<'_>, open: &mut Vec<String>) -> Result<Option<Value>, Problems> {
    let schema = schema.clone().resolved()?;
    if let Some(value) = stated(&schema)? {
        return Ok(Some(value.clone()));
    }
    if open.contains(&schema.at) {
        return Ok(None);
    }
    open.push(schema.at.clone());
    let made = composed(&schema, open);
    open.pop();
    made
}

/// The value that the schema itself states.
fn stated<'d>(schema: &Node<'d>) -> Result<Option<&'d Value>, Problems> {
    let stated = given(schema)?.or_else(|| schema.value.get("const")).or_else(|| schema.value.get("default"));
    Ok(stated.or_else(|| schema.value.get("enum")?.get(0)))
}

fn composed(schema: &Node<'_>, open: &mut Vec<String>) -> Result<Option<Value>, Problems> {
    let mut composed = own(schema, open)?;
    let mut parts = schema.items_of("allOf")?;
    for alternatives in ["oneOf", "anyOf"] {
        parts.extend(schema.items_of(alternatives)?.into_iter().next());
    }
    for part in parts {
        let Some(value) = of_schema(&part, open)? else { return Ok(None) };
        match &mut composed {
            Some(known) if known.is_object() && value.is_object() => merge(known, value),
            known => *known = Some(value),
        }
    }
    Ok(composed)
}

/// What the schema says by itself. `None` where it says nothing but `allOf` and its like, or would not end.
fn own(schema: &Node<'_>, open: &mut Vec<String>) -> Result<Option<Value>, Problems> {
    let composes = ["allOf", "oneOf", "anyOf"].into_iter().any(|name| schema.value.get(name).is_some());
    let has = |name: &str| schema.value.get(name).is_some();
    let kind = match kind(schema) {
        Some(kind) => kind,
        None if has("properties") => "object",
        None if has("items") => "array",
        None if composes => return Ok(None),
        None => "string",
    };
    Ok(match kind {
        "object" => object(schema, open)?,
        "array" => array(schema, open)?,
        "integer" => Some(number(schema, true)),
        "number" => Some(number(schema, false)),
        "boolean" => Some(Value::Bool(true)),
        "null" => Some(Value::Null),
        _ => Some(Value::String(text(schema))),
    })
}

/// The required members; all that can be sent where the schema does not say which are required.
fn object(schema: &Node<'_>, open: &mut Vec<String>) -> Result<Option<Value>, Problems> {
    let mut members = Map::new();
    let required = required(schema);
    let Some(properties) = schema.written("properties") else { return Ok(Some(Value::Object(members))) };
    for (name, property) in properties.members() {
        let is_required = required.contains(&name);
        let property = property.resolved()?;
        let is_sent = !property.is_true("readOnly") && (is_required || required.is_empty());
        if !is_sent || name.contains("{{") || name.contains("${") {
            continue;
        }
        match of_schema(&property, open)? {
            Some(value) => {
                members.insert(name.to_owned(), value);
            }
            None if is_required => return Ok(None),
            None => {}
        }
    }
    Ok(Some(Value::Object(members)))
}

fn array(schema: &Node<'_>, open: &mut Vec<String>) -> Result<Option<Value>, Problems> {
    let least = schema.value.get("minItems").and_then(Value::as_u64).unwrap_or_default();
    let item = match schema.member("items")? {
        Some(items) => of_schema(&items, open)?,
        None => Some(Value::String("text".into())),
    };
    Ok(match item {
        Some(item) => Some(Value::Array(vec![item])),
        None if least > 0 => None,
        None => Some(Value::Array(Vec::new())),
    })
}

fn number(schema: &Node<'_>, whole: bool) -> Value {
    let bound = |name: &str| schema.value.get(name).and_then(Value::as_f64);
    // A truth value beside `minimum` in 3.0, a bound of its own in 3.1.
    let above = bound("exclusiveMinimum").or(bound("minimum").filter(|_| schema.is_true("exclusiveMinimum")));
    let least = above.map(|above| above + 1.0).or(bound("minimum")).unwrap_or(1.0);
    let least = bound("maximum").map_or(least, |most| least.min(most));
    let step = bound("multipleOf").filter(|step| *step > 0.0);
    let chosen = step.map_or(least, |step| (least / step).ceil() * step);
    #[expect(clippy::cast_possible_truncation, reason = "what is cut off is what makes it whole")]
    let number =
        if whole || chosen.fract() == 0.0 { Some(Number::from(chosen as i64)) } else { Number::from_f64(chosen) };
    number.map_or(json!(1), Value::Number)
}

fn text(schema: &Node<'_>) -> String {
    let length = |name: &str| schema.value.get(name).and_then(Value::as_u64).and_then(|it| usize::try_from(it).ok());
    let plain = match schema.text("format") {
        Some("uuid") => "3f2b8c1e-5d7a-4c69-9b0f-6a1d2e3c4b5a",
        Some("date") => "2030-01-31",
        Some("date-time") => "2030-01-31T12:00:00Z",
        Some("time") => "12:00:00Z",
        Some("email") => "somebody@example.com",
        Some("uri" | "url" | "uri-reference") => "https://example.com/",
        Some("hostname") => "example.com",
        Some("ipv4") => "192.0.2.1",
        Some("ipv6") => "2001:db8::1",
        Some("byte") => "dGV4dA==",
        Some(_) | None => "text",
    };
    let wanted = length("minLength").unwrap_or_default().min(1000);
    let padded: String = plain.chars().chain(std::iter::repeat_n('x', wanted.saturating_sub(plain.len()))).collect();
    padded.chars().take(length("maxLength").unwrap_or(usize::MAX)).collect()
}
