//! The key that an operation takes, if it looks as if it took one.

use super::node::Node;
use super::schema::properties;
use crate::document::Problems;

/// Where a key seems to travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyPlace {
    /// In a header field.
    Header,
    /// In a query parameter.
    Query,
    /// In a member of the body.
    Body,
}

/// What looks like a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyGuess {
    /// Where it travels.
    pub place: KeyPlace,
    /// The name of the field, the parameter or the member.
    pub name: String,
    /// Whether name or description speak of idempotency. Otherwise it may serve for tracing alone.
    pub is_sure: bool,
    /// Whether it is required.
    pub is_required: bool,
    /// The least number of characters, if it is declared.
    pub min_length: Option<u64>,
    /// The greatest number of characters, if it is declared.
    pub max_length: Option<u64>,
    /// Whether it is declared to be a UUID.
    pub is_uuid: bool,
}

/// The key among the parameters of an operation and the members of its body.
pub(super) fn key(parameters: &[Node<'_>], body: Option<&Node<'_>>) -> Result<Option<KeyGuess>, Problems> {
    let mut guesses = Vec::new();
    for parameter in parameters {
        let place = match parameter.text("in") {
            Some("header") => KeyPlace::Header,
            Some("query") => KeyPlace::Query,
            Some(_) | None => continue,
        };
        let Some(name) = parameter.text("name").filter(|name| looks_like_a_key(name)) else { continue };
        let schema = parameter.member("schema")?;
        let is_required = parameter.is_true("required");
        guesses.push(guess(place, name, is_required, parameter, schema.as_ref().unwrap_or(parameter)));
    }
    if let Some(body) = body {
        let required = super::schema::required(body);
        for (name, property) in properties(body)?.iter().filter(|(name, _)| speaks_of_it(name)) {
            guesses.push(guess(KeyPlace::Body, name, required.contains(name), property, property));
        }
    }
    guesses.sort_by_key(|guess| !guess.is_sure);
    Ok(guesses.into_iter().next())
}

fn guess(place: KeyPlace, name: &str, is_required: bool, described: &Node<'_>, schema: &Node<'_>) -> KeyGuess {
    let length = |member: &str| schema.value.get(member).and_then(serde_json::Value::as_u64);
    KeyGuess {
        place,
        name: name.to_owned(),
        is_sure: speaks_of_it(name) || described.text("description").is_some_and(speaks_of_it),
        is_required,
        min_length: length("minLength").filter(|least| *least > 1),
        max_length: length("maxLength"),
        is_uuid: schema.text("format") == Some("uuid"),
    }
}

fn speaks_of_it(text: &str) -> bool {
    let text = text.to_lowercase();
    text.contains("idempot") || text.contains("repeatability")
}

/// Names that providers have given to such keys.
fn looks_like_a_key(name: &str) -> bool {
    let name = name.to_lowercase().replace(['-', '_'], "");
    speaks_of_it(&name) || name.ends_with("requestid") || name == "clienttoken"
}
