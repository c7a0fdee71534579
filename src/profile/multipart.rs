//! Multipart bodies (RFC 7578): fields and small files, and the boundary between them.

use aws_lc_rs::digest::{SHA256, digest};
use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::Spelling;
use super::render::{RenderError, at};
use super::template::{Place, Values, render};
use crate::secret::Text;

/// The members of a part that is a file.
pub(super) const FILE: [&str; 3] = ["content", "filename", "content_type"];

/// One part of a multipart body.
#[derive(Clone, Debug)]
pub(super) struct Part {
    name: String,
    filename: Option<Text>,
    media_type: Option<Text>,
    content: Text,
}

/// Renders named values as parts: one part for a value, one with a name and a type for a file, several for a list.
pub(super) fn parts(members: &IndexMap<String, Value>, values: &Values<'_>) -> Result<Vec<Part>, RenderError> {
    let mut parts = Vec::new();
    for (name, value) in members {
        add(&mut parts, name, value, values)?;
    }
    Ok(parts)
}

fn add(parts: &mut Vec<Part>, name: &str, value: &Value, values: &Values<'_>) -> Result<(), RenderError> {
    match value {
        Value::Array(items) => items.iter().try_for_each(|item| add(parts, name, item, values)),
        Value::Object(file) => {
            let [content, filename, media_type] = FILE.map(|member| file.get(member));
            let text = |value: &Value| text(name, value, values);
            parts.push(Part {
                name: name.to_owned(),
                filename: filename.map(text).transpose()?,
                media_type: media_type.map(text).transpose()?,
                content: content.map(text).transpose()?.unwrap_or_default(),
            });
            Ok(())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            let content = text(name, value, values)?;
            parts.push(Part { name: name.to_owned(), filename: None, media_type: None, content });
            Ok(())
        }
    }
}

fn text(name: &str, value: &Value, values: &Values<'_>) -> Result<Text, RenderError> {
    match value {
        Value::String(written) => at(&format!("part {name}"), render(written, values, Place::Plain)),
        Value::Null => Ok(Text::default()),
        other => Ok(Text::plain(other.to_string())),
    }
}

/// Sets the part of this name to a value without a secret.
pub(super) fn set(parts: &mut Vec<Part>, name: &str, value: &str) {
    parts.retain(|part| part.name != name);
    parts.push(Part { name: name.to_owned(), filename: None, media_type: None, content: Text::plain(value) });
}

/// The boundary between the parts. The same parts have the same, so that a retry has the same bytes; and it is made from
/// what may be shown of them, because a digest of secrets would be a way to guess them.
pub(super) fn boundary(parts: &[Part], spelling: Option<Spelling>) -> String {
    let mut shown = String::new();
    for part in parts {
        let more = [part.filename.as_ref(), part.media_type.as_ref(), Some(&part.content)];
        shown.push_str(&part.name);
        more.into_iter().flatten().for_each(|text| shown.push_str(text.shown()));
        shown.push('\n');
    }
    let begin = if spelling == Some(Spelling::Spaced) { "idemspec-another" } else { "idemspec" };
    let hash = digest(&SHA256, shown.as_bytes());
    let digits: String = hash.as_ref().iter().take(12).map(|byte| format!("{byte:02x}")).collect();
    format!("{begin}-{digits}")
}

/// The body.
pub(super) fn written(parts: &[Part], spelling: Option<Spelling>) -> Text {
    let boundary = boundary(parts, spelling);
    let mut body = Text::default();
    for part in parts {
        body.push_plain(&format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{}\"", escaped(&part.name)));
        if let Some(filename) = &part.filename {
            body.push_plain("; filename=\"");
            body.push(&filename.map(escaped));
            body.push_plain("\"");
        }
        if let Some(media_type) = &part.media_type {
            body.push_plain("\r\nContent-Type: ");
            body.push(&media_type.map(|text| text.replace(['\r', '\n'], " ")));
        }
        body.push_plain("\r\n\r\n");
        body.push(&part.content);
        body.push_plain("\r\n");
    }
    body.push_plain(&format!("--{boundary}--\r\n"));
    body
}

/// A name as it can stand in quotes (RFC 7578 section 2 refers to the encoding that browsers use).
fn escaped(name: &str) -> String {
    name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}

/// What is wrong with the value of a part, if anything: a fragment, with the member that it is about.
pub(super) fn fault(value: &Value) -> Option<(String, &'static str)> {
    match value {
        Value::Object(file) => file_fault(file),
        Value::Array(items) => {
            let fault = |(index, item)| fault(item).map(|(at, message)| (format!("/{index}{at}"), message));
            items.iter().enumerate().find_map(fault)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

fn file_fault(file: &Map<String, Value>) -> Option<(String, &'static str)> {
    if let Some(name) = file.keys().find(|name| !FILE.contains(&name.as_str())) {
        return Some((format!("/{name}"), "a part is a value, or a file: `content`, `filename`, `content_type`"));
    }
    if !file.contains_key(FILE[0]) {
        return Some((String::new(), "a part that is a file has its text under `content`"));
    }
    let is_plain = |value: &Value| !value.is_object() && !value.is_array();
    let nested = file.iter().find(|(_, value)| !is_plain(value));
    nested.map(|(name, _)| (format!("/{name}"), "a text stands here"))
}
