//! The marker of an answer: a header field by which a server says that it knows the key.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Level;
use crate::message::Response;

/// What stands for the key of the request in the value of a marker.
const KEY: &str = "{{key}}";

/// A header field that marks the answers to requests whose key is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Marker {
    /// The header field.
    pub header: String,
    /// Its value; any value where this is not given. Compared without regard to case. `{{key}}` stands for the key of the
    /// request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equals: Option<Value>,
    /// Whether a first answer has it as well. Only a marker that first answers do not have tells a replay from one.
    #[serde(default, skip_serializing_if = "FirstAnswer::is_without")]
    pub first_answer: FirstAnswer,
    /// How binding; the clause's level where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// The source; the clause's source where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Whether a first answer has the marker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FirstAnswer {
    /// It has not: the marker says "this is a replay".
    #[default]
    Without,
    /// It has: the marker says "this key is looked after", on whatever answer.
    With,
    /// Nobody says: the marker must stand on a replay, and proves nothing.
    Either,
}

impl FirstAnswer {
    /// Whether a first answer has no marker, so that the marker tells a replay from one.
    pub fn is_without(&self) -> bool {
        *self == Self::Without
    }
}

impl Marker {
    /// Whether the answer to a request with this key is marked.
    pub fn marks(&self, response: &Response, key: Option<&str>) -> bool {
        response.header(&self.header).is_some_and(|found| match self.value(key) {
            Some(wanted) => wanted.eq_ignore_ascii_case(found.trim()),
            None => true,
        })
    }

    /// Its value on the answer to a request with this key, where that is given.
    pub fn value(&self, key: Option<&str>) -> Option<Cow<'_, str>> {
        Some(match self.equals.as_ref()? {
            Value::String(text) if text.contains(KEY) => text.replace(KEY, key.unwrap_or_default()).into(),
            Value::String(text) => text.as_str().into(),
            other => other.to_string().into(),
        })
    }

    /// Whether it tells a replay from a first answer.
    pub fn tells_replays(&self) -> bool {
        self.first_answer.is_without()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(marker: &str, value: &str, key: Option<&str>) -> bool {
        let marker: Marker = serde_yaml::from_str(marker).unwrap();
        let response = Response { status: 200, headers: vec![("x".into(), value.into())], ..Response::default() };
        marker.marks(&response, key)
    }

    #[test]
    fn a_value_may_be_the_key() {
        assert!(marks("{header: X, equals: true}", " TRUE ", None));
        assert!(marks("{header: X}", "anything", None));
        assert!(marks(r#"{header: X, equals: "{{key}}"}"#, "K-1", Some("k-1")));
        assert!(!marks(r#"{header: X, equals: "{{key}}"}"#, "K-1", Some("k-2")));
        assert!(!marks("{header: Y}", "anything", None));
    }
}
