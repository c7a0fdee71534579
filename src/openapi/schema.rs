//! Looking into schemas: their properties, with those of `allOf`, and their types.

use serde_json::Value;

use super::node::Node;
use crate::document::Problems;

/// A schema, the same behind `allOf`, `oneOf` and `anyOf`: of alternatives the first counts.
pub(super) fn parts<'d>(schema: &Node<'d>, depth: usize) -> Result<Vec<Node<'d>>, Problems> {
    let mut parts = vec![schema.clone()];
    if depth == 0 {
        return Ok(parts);
    }
    let alternatives = ["oneOf", "anyOf"].into_iter().map(|name| schema.items_of(name));
    let all = schema.items_of("allOf")?;
    let mut first = Vec::new();
    for alternative in alternatives {
        first.extend(alternative?.into_iter().next());
    }
    for part in all.into_iter().chain(first) {
        parts.extend(self::parts(&part, depth - 1)?);
    }
    Ok(parts)
}

/// How deep `allOf` is followed: deeper nesting is nobody's schema.
pub(super) const DEEPEST: usize = 8;

/// The properties of a schema by name, each behind its `$ref`, with those of `allOf`. The first of a name counts.
pub(super) fn properties<'d>(schema: &Node<'d>) -> Result<Vec<(&'d str, Node<'d>)>, Problems> {
    let mut found: Vec<(&str, Node<'_>)> = Vec::new();
    for part in parts(schema, DEEPEST)? {
        let Some(properties) = part.written("properties") else { continue };
        for (name, property) in properties.members() {
            if !found.iter().any(|(known, _)| *known == name) {
                found.push((name, property.resolved()?));
            }
        }
    }
    Ok(found)
}

/// The type of a schema; of several (OpenAPI 3.1) the first that is not `null`.
pub(super) fn kind<'d>(schema: &Node<'d>) -> Option<&'d str> {
    match schema.value.get("type")? {
        Value::String(kind) => Some(kind),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null"),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

/// The names that a schema requires.
pub(super) fn required<'d>(schema: &Node<'d>) -> Vec<&'d str> {
    let names = schema.value.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str).collect()
}

/// The value that a schema, a parameter or a media type gives as an example of itself.
pub(super) fn given<'d>(node: &Node<'d>) -> Result<Option<&'d Value>, Problems> {
    if let Some(example) = node.value.get("example") {
        return Ok(Some(example));
    }
    match node.written("examples") {
        // A schema of 3.1 has a list of values, everything else a map of examples that have one.
        Some(examples) if examples.value.is_array() => Ok(examples.value.get(0)),
        Some(examples) => match examples.members().next() {
            Some((_, example)) => Ok(example.resolved()?.value.get("value")),
            None => Ok(None),
        },
        None => Ok(None),
    }
}
