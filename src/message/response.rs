//! An answer, as it was read from the wire.

use std::fmt;

use base64::Engine;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Element, XmlError};

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

    /// The content as XML.
    ///
    /// # Errors
    /// Says why it cannot be read as that.
    pub fn xml(&self) -> Result<Element, XmlError> {
        Element::read(self.body.bytes())
    }

    /// Whether the content looks like XML, or like HTML.
    pub fn is_marked_up(&self) -> bool {
        self.body.bytes().trim_ascii_start().starts_with(b"<")
    }

    /// Why the content cannot be read as XML, although the answer says that it is, or the content begins as XML does.
    pub fn broken_xml(&self) -> Option<XmlError> {
        let media_type = self.header("content-type").unwrap_or_default().to_ascii_lowercase();
        let is_declared = media_type.contains("xml") && !media_type.contains("html");
        let begins = || self.body.bytes().trim_ascii_start().starts_with(b"<?xml");
        if is_declared || begins() { self.xml().err() } else { None }
    }

    /// The values of the content by their names, if it is JSON or XML.
    pub fn document(&self) -> Option<serde_json::Value> {
        if self.is_marked_up() { self.xml().ok().map(|root| root.to_value()) } else { self.json() }
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
    fn values_are_found_by_their_names_in_json_and_in_xml() {
        let read = |body: &str| Response { status: 200, headers: Vec::new(), body: body.into() }.document();
        assert_eq!(read(r#"{"a": "1"}"#), read("<r><a>1</a></r>"));
        assert_eq!(read("<html><p>502"), None);
    }

    #[test]
    fn only_what_is_to_be_xml_can_be_broken_xml() {
        let broken = |media_type: &str, body: &str| {
            let headers = vec![("content-type".to_owned(), media_type.to_owned())];
            Response { status: 200, headers, body: body.into() }.broken_xml().is_some()
        };
        assert!(broken("text/xml;charset=UTF-8", "<a><b></a>") && broken("", "<?xml version='1.0'?><a>"));
        assert!(broken("application/soap+xml", ""));
        assert!(!broken("application/xml", "<a/>") && !broken("text/html", "<p>one<p>two") && !broken("", "<a>"));
        assert!(!broken("application/xhtml+xml", "<p>one<p>two"));
    }

    #[test]
    fn any_body_survives_a_round_trip_through_json() {
        for bytes in [&b"plain"[..], b"", b"\xff\x00\xfe", b"base64:AAAA"] {
            let body = Body::new(bytes);
            let written = serde_json::to_string(&body).unwrap();
            assert_eq!(serde_json::from_str::<Body>(&written).unwrap(), body, "{written}");
        }
    }
}
