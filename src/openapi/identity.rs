//! What names the effect in a successful answer: a guess.

use super::node::Node;
use super::schema::{kind, properties};
use crate::document::Problems;

/// Where the identity of what was made seems to stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// In the JSON content, at this JSONPath.
    Json(String),
    /// In this header field.
    Header(String),
}

/// What the success of an operation, which has this path, names what it made by.
pub(super) fn identity(success: &Node<'_>, path: &str) -> Result<Option<Identity>, Problems> {
    if let Some(schema) = content_schema(success)?
        && let Some(path) = in_schema(&schema, "$", &singular(path), 1)?
    {
        return Ok(Some(Identity::Json(path)));
    }
    let headers = success.member("headers")?;
    let location = headers.iter().flat_map(Node::members).find(|(name, _)| name.eq_ignore_ascii_case("location"));
    Ok(location.map(|(name, _)| Identity::Header(name.to_lowercase())))
}

/// The step from an item of a list to its identity.
pub(super) fn of_item(schema: &Node<'_>, path: &str) -> Result<Option<String>, Problems> {
    in_schema(schema, "", &singular(path), 0)
}

/// The schema of the JSON content of an answer.
pub(super) fn content_schema<'d>(answer: &Node<'d>) -> Result<Option<Node<'d>>, Problems> {
    let Some(content) = answer.member("content")? else { return Ok(None) };
    let json = content.members().find(|(media, _)| is_json(media));
    json.map_or(Ok(None), |(_, media)| media.resolved()?.member("schema"))
}

/// Whether a media type is JSON.
pub(super) fn is_json(media: &str) -> bool {
    let media = media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    media == "application/json" || media.ends_with("+json") || media == "*/*"
}

/// `id`; the id of the resource that the path is about; any other id; the same inside an object that wraps it.
fn in_schema(schema: &Node<'_>, at: &str, resource: &str, depth: usize) -> Result<Option<String>, Problems> {
    let properties = properties(schema)?;
    let own = [format!("{resource}_id"), format!("{resource}id"), "id".into(), "uuid".into()];
    let named = |wanted: &String| properties.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
    let plain = properties.iter().find(|(name, _)| *name == "id");
    let found = plain.or_else(|| own.iter().find_map(named));
    if let Some((name, _)) = found {
        return Ok(Some(step(at, name)));
    }
    if depth > 0 {
        for (name, property) in properties.iter().filter(|(_, property)| is_object(property)) {
            if let Some(path) = in_schema(property, &step(at, name), resource, depth - 1)? {
                return Ok(Some(path));
            }
        }
    }
    let any = properties.iter().find(|(name, _)| name.ends_with("_id") || name.ends_with("Id"));
    Ok(any.map(|(name, _)| step(at, name)))
}

fn is_object(schema: &Node<'_>) -> bool {
    kind(schema) == Some("object") || schema.value.get("properties").is_some() || schema.value.get("allOf").is_some()
}

/// One more step of a JSONPath.
pub(super) fn step(at: &str, name: &str) -> String {
    let is_plain = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        && !name.starts_with(|letter: char| letter.is_ascii_digit());
    match is_plain {
        true => format!("{at}.{name}"),
        false => format!("{at}['{}']", name.replace('\\', "\\\\").replace('\'', "\\'")),
    }
}

/// What a path is about: `order` for `/v1/orders`.
fn singular(path: &str) -> String {
    let last = path.rsplit('/').find(|part| !part.is_empty() && !part.starts_with('{')).unwrap_or_default();
    let last = last.to_lowercase().replace('-', "_");
    match last.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => last.strip_suffix('s').unwrap_or(&last).to_owned(),
    }
}
