//! The body of a request.

use serde_json::{Value, json};

use super::example::example;
use super::free_text::{FreeText, free_texts};
use super::identity::is_json;
use super::node::Node;
use super::schema::given;
use crate::document::Problems;

/// The kind of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MediaKind {
    /// JSON.
    Json,
    /// `application/x-www-form-urlencoded`.
    Form,
    /// `multipart/form-data`.
    Multipart,
    /// Text of this media type.
    Raw(String),
}

/// A body, with an example of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// Its kind.
    pub kind: MediaKind,
    /// An example: the document's own, or one that was made from the schema.
    pub example: Value,
    /// Whether the document gives the example.
    pub is_given: bool,
    /// Where free text can stand.
    pub free_texts: Vec<FreeText>,
    /// The members that are required.
    pub required: Vec<String>,
}

/// A body and its schema.
pub(super) type BodyWithSchema<'d> = (Body, Option<Node<'d>>);

/// The body of an operation; of several media types JSON is preferred, then forms.
pub(super) fn body<'d>(operation: &Node<'d>) -> Result<Option<BodyWithSchema<'d>>, Problems> {
    let Some(request) = operation.member("requestBody")? else { return Ok(None) };
    let Some(content) = request.member("content")? else { return Ok(None) };
    let mut media: Vec<(MediaKind, Node<'_>)> =
        content.members().map(|(name, media)| (of_media(name), media)).collect();
    media.sort_by_key(|(kind, _)| match kind {
        MediaKind::Json => 0,
        MediaKind::Form => 1,
        MediaKind::Multipart => 2,
        MediaKind::Raw(_) => 3,
    });
    let Some((kind, media)) = media.into_iter().next() else { return Ok(None) };
    let media = media.resolved()?;
    let schema = media.member("schema")?;
    let own = given(&media)?.cloned();
    let is_given = own.is_some();
    let example = match (own, &schema) {
        (Some(example), _) => example,
        (None, Some(schema)) => example(schema)?,
        (None, None) => json!({}),
    };
    let free_texts = schema.as_ref().map(free_texts).transpose()?.unwrap_or_default();
    let required = schema.as_ref().map(super::schema::required).unwrap_or_default();
    let required = required.into_iter().map(str::to_owned).collect();
    Ok(Some((Body { kind, example, is_given, free_texts, required }, schema)))
}

fn of_media(name: &str) -> MediaKind {
    match name.split(';').next().unwrap_or_default().trim() {
        media if is_json(media) => MediaKind::Json,
        "application/x-www-form-urlencoded" => MediaKind::Form,
        "multipart/form-data" => MediaKind::Multipart,
        media => MediaKind::Raw(media.to_owned()),
    }
}
