//! The fields of a request: what stands in its query, its header and its content, one by one.

use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use indexmap::IndexMap;
use serde_json::Value;

use super::pattern::{Captures, Pattern};
use crate::profile::{RequestTemplate, Template};
use crate::reference::multipart::{self, Part};

/// Where a field stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Spot {
    /// A query parameter.
    Query(String),
    /// A header field, in lower case.
    Header(String),
    /// A form field.
    Form(String),
    /// A JSON value without members, by its pointer.
    Json(String),
    /// A body that is text.
    Raw,
}

/// What a template wants to stand somewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    /// Where.
    pub(super) spot: Spot,
    what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    Text(Pattern),
    Value(Value),
}

impl Wanted {
    /// What stands in the holes, if the field fits.
    pub(super) fn capture(&self, found: &Found) -> Option<Captures> {
        if self.spot != found.spot {
            return None;
        }
        match (&self.what, &found.value) {
            (What::Text(pattern), Value::String(text)) => pattern.capture(text),
            (What::Text(_), _) => None,
            (What::Value(wanted), value) => (wanted == value).then(Captures::new),
        }
    }

    /// How much it prescribes.
    pub(super) fn weight(&self) -> usize {
        match &self.what {
            What::Text(pattern) => pattern.weight(),
            What::Value(_) => 1,
        }
    }
}

/// What stands somewhere.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Found {
    /// Where.
    pub(super) spot: Spot,
    /// What; text apart from JSON.
    pub(super) value: Value,
}

/// How the content of a request is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// There is none.
    None,
    /// As JSON.
    Json,
    /// As a form.
    Form,
    /// As parts.
    Multipart,
    /// As text of another kind.
    Raw,
}

impl Format {
    /// What a template has.
    pub(super) fn of(template: &RequestTemplate) -> Self {
        match template {
            RequestTemplate { json: Some(_), .. } => Self::Json,
            RequestTemplate { form: Some(_), .. } => Self::Form,
            RequestTemplate { multipart: Some(_), .. } => Self::Multipart,
            RequestTemplate { raw: Some(_), .. } => Self::Raw,
            _ => Self::None,
        }
    }

    /// What a request says it has.
    pub(super) fn declared(parts: &Parts) -> Self {
        let media_type = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match essence.as_str() {
            "application/x-www-form-urlencoded" => Self::Form,
            "multipart/form-data" => Self::Multipart,
            json if json == "application/json" || json.ends_with("+json") => Self::Json,
            _ => Self::None,
        }
    }
}

/// Everything that a template wants, apart from the path.
///
/// # Errors
/// Names what cannot be read back.
pub(super) fn wanted(template: &RequestTemplate) -> Result<Vec<Wanted>, String> {
    let mut all = Vec::new();
    for (name, value) in named(&template.query) {
        all.push(text(Spot::Query(name), &value)?);
    }
    for (name, value) in &template.headers {
        all.push(text(Spot::Header(name.to_ascii_lowercase()), &value.0)?);
    }
    for (name, value) in template.form.iter().flat_map(named) {
        all.push(text(Spot::Form(name), &value)?);
    }
    for (name, value) in template.multipart.iter().flatten() {
        for (spot, value) in of_part(name, value) {
            all.push(text(spot, &value)?);
        }
    }
    if let Some(raw) = &template.raw {
        all.push(text(Spot::Raw, &raw.content.0)?);
    }
    for Found { spot, value } in template.json.iter().flat_map(leaves) {
        all.push(match value {
            Value::String(written) => text(spot, &written)?,
            value => Wanted { spot, what: What::Value(value) },
        });
    }
    Ok(all)
}

/// The fields of a part: its content, and the name of its file.
fn of_part(name: &str, value: &Value) -> Vec<(Spot, String)> {
    match value {
        Value::Array(items) => items.iter().flat_map(|item| of_part(name, item)).collect(),
        Value::Object(file) => {
            let text = |member: &str| file.get(member).map(plain);
            let content = (Spot::Form(name.to_owned()), text("content").unwrap_or_default());
            std::iter::once(content).chain(text("filename").map(|file| (filename(name), file))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            vec![(Spot::Form(name.to_owned()), plain(value))]
        }
    }
}

/// Where the name of a file stands.
fn filename(part: &str) -> Spot {
    Spot::Form(format!("{part}; filename"))
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn text(spot: Spot, written: &str) -> Result<Wanted, String> {
    Ok(Wanted { spot, what: What::Text(Pattern::read(&Template(written.to_owned()))?) })
}

/// Everything in the query and the header of a request.
pub(super) fn of_head(parts: &Parts) -> Vec<Found> {
    let query = parts.uri.query().unwrap_or_default();
    let in_query = form_urlencoded::parse(query.as_bytes())
        .map(|(name, value)| Found { spot: Spot::Query(name.into_owned()), value: Value::from(value.into_owned()) });
    let in_header = parts.headers.iter().map(|(name, value)| Found {
        spot: Spot::Header(name.as_str().to_owned()),
        value: Value::from(String::from_utf8_lossy(value.as_bytes()).into_owned()),
    });
    in_query.chain(in_header).collect()
}

/// Everything in the content of a request; `None` if it is not what it is declared to be.
pub(super) fn of_content(format: Format, body: &[u8]) -> Option<Vec<Found>> {
    match format {
        Format::None => Some(Vec::new()),
        Format::Raw => {
            let text = std::str::from_utf8(body).ok()?;
            Some(vec![Found { spot: Spot::Raw, value: Value::from(text) }])
        }
        Format::Multipart => multipart::parts(body).map(|parts| parts.into_iter().flat_map(found_in).collect()),
        Format::Json => serde_json::from_slice(body).ok().map(|content| leaves(&content)),
        Format::Form => std::str::from_utf8(body).ok().map(|body| {
            form_urlencoded::parse(body.as_bytes())
                .map(|(name, value)| Found {
                    spot: Spot::Form(name.into_owned()),
                    value: Value::from(value.into_owned()),
                })
                .collect()
        }),
    }
}

/// What stands in a part.
fn found_in(part: Part) -> Vec<Found> {
    let named = part.filename.map(|name| Found { spot: filename(&part.name), value: Value::from(name) });
    std::iter::once(Found { spot: Spot::Form(part.name), value: Value::from(part.content) }).chain(named).collect()
}

/// Fields with nested names: `a: {b: c}` is `a[b]=c`, the items of a list are `a[0]`, `a[1]`, …, and the items of a list
/// under a name that ends in `[]` all have that name.
fn named(members: &IndexMap<String, Value>) -> Vec<(String, String)> {
    members.iter().flat_map(|(name, value)| named_within(name, value)).collect()
}

fn named_within(name: &str, value: &Value) -> Vec<(String, String)> {
    match value {
        Value::Object(members) => {
            members.iter().flat_map(|(member, value)| named_within(&format!("{name}[{member}]"), value)).collect()
        }
        Value::Array(items) if name.ends_with("[]") => items.iter().flat_map(|item| named_within(name, item)).collect(),
        Value::Array(items) => {
            let item = |(index, item)| named_within(&format!("{name}[{index}]"), item);
            items.iter().enumerate().flat_map(item).collect()
        }
        Value::String(written) => vec![(name.to_owned(), written.clone())],
        Value::Null => vec![(name.to_owned(), String::new())],
        Value::Bool(_) | Value::Number(_) => vec![(name.to_owned(), value.to_string())],
    }
}

/// Every value of a JSON document that has no members, in its order.
fn leaves(document: &Value) -> Vec<Found> {
    let mut found = Vec::new();
    add_leaves(&mut found, String::new(), document);
    found
}

fn add_leaves(found: &mut Vec<Found>, pointer: String, value: &Value) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (name, member) in members {
                add_leaves(found, format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1")), member);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (index, item) in items.iter().enumerate() {
                add_leaves(found, format!("{pointer}/{index}"), item);
            }
        }
        other => found.push(Found { spot: Spot::Json(pointer), value: other.clone() }),
    }
}
