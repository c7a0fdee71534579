//! An answer, as it was read from the wire.

use std::fmt;

use base64::Engine;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An HTTP response. Secrets in it have been replaced by their names before it becomes a value of this type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// Header fields in the order in which they came, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The content.
    #[serde(default, skip_serializing_if = "Body::is_empty")]
    pub body: Body,
}

impl Response {
    /// The first value of a header field; names are compared without regard to case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The content as JSON, if it is JSON.
    pub fn json(&self) -> Option<serde_json::Value> {
        self.body.json()
    }
}

/// The content of an answer. In files it stands as text, or as `base64:…` where it is not UTF-8.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Body(Vec<u8>);

impl Body {
    /// Wraps bytes.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }

    /// The bytes as they came (secrets replaced).
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether there is no content at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The content as JSON, if it is JSON.
    pub fn json(&self) -> Option<serde_json::Value> {
        serde_json::from_slice(&self.0).ok()
    }

    /// The content as text; bytes that are not UTF-8 are replaced.
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }
}

impl From<&str> for Body {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text(), formatter)
    }
}

const BASE64_PREFIX: &str = "base64:";

impl Serialize for Body {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(&self.0) {
            Ok(text) if !text.starts_with(BASE64_PREFIX) => serializer.serialize_str(text),
            _ => {
                let encoded = base64::engine::general_purpose::STANDARD.encode(&self.0);
                serializer.serialize_str(&format!("{BASE64_PREFIX}{encoded}"))
            }
        }
    }
}

impl<'de> Deserialize<'de> for Body {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.strip_prefix(BASE64_PREFIX) {
            Some(encoded) => {
                base64::engine::general_purpose::STANDARD.decode(encoded).map(Self).map_err(serde::de::Error::custom)
            }
            None => Ok(Self(text.into_bytes())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_body_survives_a_round_trip_through_json() {
        for bytes in [&b"plain"[..], b"", b"\xff\x00\xfe", b"base64:AAAA"] {
            let body = Body::new(bytes);
            let written = serde_json::to_string(&body).unwrap();
            assert_eq!(serde_json::from_str::<Body>(&written).unwrap(), body, "{written}");
        }
    }
}
