//! Describing an answer: status, values in JSON or XML, header fields.

use std::borrow::Cow;
use std::fmt;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::message::{JsonPath, Response, XmlPath};

/// A description of answers. Everything that is named must fit; an empty matcher fits every answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Matcher {
    /// The status codes that fit: `409`, `4xx`, or a list of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<StatusSet>,
    /// JSONPath → what must stand there.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    #[schemars(
        with = "std::collections::BTreeMap<String, Expected>",
        extend("propertyNames" = {"format": "json-path"})
    )]
    pub json: IndexMap<JsonPath, Expected>,
    /// Path into XML → what must stand there.
    // Boxed because it is rare, and a promise should not be large for it.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    #[schemars(with = "std::collections::BTreeMap<String, Expected>", extend("propertyNames" = {"format": "xml-path"}))]
    pub xml: Box<IndexMap<XmlPath, Expected>>,
    /// Header field name → what its value must be.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    #[schemars(with = "std::collections::BTreeMap<String, Expected>")]
    pub header: IndexMap<String, Expected>,
}

impl Matcher {
    /// A matcher for one status code and nothing else.
    pub fn status(code: u16) -> Self {
        Self { status: Some(StatusSet(vec![StatusPattern::Code(code)])), ..Self::default() }
    }

    /// Whether the answer fits. `identity` stands for `{{identity}}` in expected values; where it is not known,
    /// an expectation that names it does not fit.
    pub fn fits(&self, response: &Response, identity: Option<&str>) -> bool {
        self.head_fits(response, identity)
            && (self.json.is_empty() || self.json_fits(&response.json().unwrap_or(Value::Null), identity))
            && self.xml_fits(response, identity)
    }

    /// The same for an answer the content of which was parsed as JSON before; none where it is no JSON.
    pub fn fits_parsed(&self, response: &Response, json: Option<&Value>, identity: Option<&str>) -> bool {
        self.head_fits(response, identity)
            && self.json_fits(json.unwrap_or(&Value::Null), identity)
            && self.xml_fits(response, identity)
    }

    /// Whether it depends on the identity which answers it fits.
    pub fn names_identity(&self) -> bool {
        self.json.values().chain(self.header.values()).chain(self.xml.values()).any(Expected::names_identity)
    }

    /// Whether the answer fits as far as it does not depend on the identity: where that stands, anything may.
    pub fn fits_pointing_anywhere(&self, response: &Response) -> bool {
        let mut open = self.clone();
        let expected = open.json.values_mut().chain(open.header.values_mut()).chain(open.xml.values_mut());
        expected.filter(|expected| expected.names_identity()).for_each(|expected| {
            *expected = Expected::Condition(Condition::Present(true));
        });
        open.fits(response, None)
    }

    fn head_fits(&self, response: &Response, identity: Option<&str>) -> bool {
        self.status.as_ref().is_none_or(|set| set.contains(response.status))
            && self
                .header
                .iter()
                .all(|(name, expected)| expected.fits(response.header(name).map(Value::from).as_ref(), identity))
    }

    fn json_fits(&self, document: &Value, identity: Option<&str>) -> bool {
        self.json.iter().all(|(path, expected)| {
            let selected = path.select(document);
            if selected.is_empty() {
                expected.fits(None, identity)
            } else {
                selected.iter().any(|value| expected.fits(Some(value), identity))
            }
        })
    }

    fn xml_fits(&self, response: &Response, identity: Option<&str>) -> bool {
        if self.xml.is_empty() {
            return true;
        }
        let root = response.xml().unwrap_or_default();
        self.xml.iter().all(|(path, expected)| match path.select(&root).as_slice() {
            [] => expected.fits(None, identity),
            selected => selected.iter().any(|text| expected.fits(Some(&Value::from(*text)), identity)),
        })
    }
}

impl fmt::Display for Matcher {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let status = self.status.iter().map(|set| format!("status {set}"));
        let json = self.json.iter().map(|(path, expected)| format!("{path} {expected}"));
        let header = self.header.iter().map(|(name, expected)| format!("header {name} {expected}"));
        let xml = self.xml.iter().map(|(path, expected)| format!("{path} {expected}"));
        let parts: Vec<String> = status.chain(json).chain(xml).chain(header).collect();
        formatter.write_str(if parts.is_empty() { "any answer" } else { "" })?;
        formatter.write_str(&parts.join(" and "))
    }
}

/// What must stand at one place of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Expected {
    /// A condition other than equality.
    Condition(Condition),
    /// One of these values.
    OneOf(Vec<Value>),
    /// This value. Text may contain `{{identity}}`. Text also fits a number or a truth value that reads the same.
    Equals(Value),
}

/// A condition on a value other than equality.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum Condition {
    /// Whether something stands there at all.
    Present(bool),
    /// The value is text that contains this. May contain `{{identity}}`.
    Contains(String),
}

const IDENTITY: &str = "{{identity}}";

impl Expected {
    fn names_identity(&self) -> bool {
        let names = |value: &Value| value.as_str().is_some_and(|written| written.contains(IDENTITY));
        match self {
            Self::Condition(Condition::Present(_)) => false,
            Self::Condition(Condition::Contains(part)) => part.contains(IDENTITY),
            Self::OneOf(values) => values.iter().any(names),
            Self::Equals(value) => names(value),
        }
    }

    fn fits(&self, found: Option<&Value>, identity: Option<&str>) -> bool {
        match self {
            Self::Condition(Condition::Present(present)) => found.is_some_and(|value| !value.is_null()) == *present,
            Self::Condition(Condition::Contains(part)) => match (found, with_identity(part, identity)) {
                (Some(value), Some(part)) => text(value).contains(part.as_ref()),
                _ => false,
            },
            Self::OneOf(values) => values.iter().any(|value| equals(found, value, identity)),
            Self::Equals(value) => equals(found, value, identity),
        }
    }
}

fn equals(found: Option<&Value>, wanted: &Value, identity: Option<&str>) -> bool {
    let Some(found) = found else {
        return wanted.is_null();
    };
    match wanted {
        Value::String(wanted) => with_identity(wanted, identity).is_some_and(|wanted| text(found) == wanted),
        // Header values are always text, so `true` and `1` in YAML must fit the text `true` and `1`.
        Value::Bool(_) | Value::Number(_) => found == wanted || found.as_str() == Some(wanted.to_string().as_str()),
        Value::Null | Value::Array(_) | Value::Object(_) => found == wanted,
    }
}

fn with_identity<'t>(written: &'t str, identity: Option<&str>) -> Option<Cow<'t, str>> {
    if !written.contains(IDENTITY) {
        return Some(Cow::Borrowed(written));
    }
    identity.map(|identity| Cow::Owned(written.replace(IDENTITY, identity)))
}

fn text(value: &Value) -> Cow<'_, str> {
    value.as_str().map_or_else(|| Cow::Owned(value.to_string()), Cow::Borrowed)
}

impl fmt::Display for Expected {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Condition(Condition::Present(true)) => formatter.write_str("is present"),
            Self::Condition(Condition::Present(false)) => formatter.write_str("is absent"),
            Self::Condition(Condition::Contains(part)) => write!(formatter, "contains `{part}`"),
            Self::OneOf(values) => {
                let values: Vec<String> = values.iter().map(|value| format!("`{}`", text(value))).collect();
                write!(formatter, "is one of {}", values.join(", "))
            }
            Self::Equals(value) => write!(formatter, "is `{}`", text(value)),
        }
    }
}

/// A set of status codes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusSet(pub Vec<StatusPattern>);

/// One status code, or all of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusPattern {
    /// Exactly this code, for example `409`.
    Code(u16),
    /// All codes of a class: 4 stands for `4xx`.
    Class(u16),
}

impl StatusSet {
    /// Whether the code belongs to the set.
    pub fn contains(&self, code: u16) -> bool {
        self.0.iter().any(|pattern| match pattern {
            StatusPattern::Code(wanted) => *wanted == code,
            StatusPattern::Class(class) => code / 100 == *class,
        })
    }
}

impl fmt::Display for StatusSet {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let patterns: Vec<String> = self.0.iter().map(StatusPattern::to_string).collect();
        formatter.write_str(&patterns.join(" or "))
    }
}

impl fmt::Display for StatusPattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(formatter, "{code}"),
            Self::Class(class) => write!(formatter, "{class}xx"),
        }
    }
}

impl StatusPattern {
    fn parse(value: &Value) -> Result<Self, String> {
        let written = text(value);
        let class =
            written.strip_suffix("xx").and_then(|class| class.parse().ok()).filter(|class| (1..=5).contains(class));
        let code = written.parse().ok().filter(|code| (100..=599).contains(code));
        class
            .map(Self::Class)
            .or(code.map(Self::Code))
            .ok_or_else(|| format!("`{written}` is neither a status code such as `409` nor a class such as `4xx`"))
    }

    fn to_value(self) -> Value {
        match self {
            Self::Code(code) => Value::from(code),
            Self::Class(_) => Value::from(self.to_string()),
        }
    }
}

impl Serialize for StatusSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.as_slice() {
            [single] => single.to_value().serialize(serializer),
            many => many.iter().map(|pattern| pattern.to_value()).collect::<Vec<_>>().serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for StatusSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let patterns = match Value::deserialize(deserializer)? {
            Value::Array(values) => values.iter().map(StatusPattern::parse).collect(),
            single => StatusPattern::parse(&single).map(|pattern| vec![pattern]),
        };
        patterns.map(Self).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for StatusSet {
    fn schema_name() -> Cow<'static, str> {
        "StatusSet".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let one = serde_json::json!({"anyOf": [
            {"type": "integer", "minimum": 100, "maximum": 599},
            {"type": "string", "pattern": "^([1-5]xx|[1-5][0-9][0-9])$"}
        ]});
        schemars::json_schema!({
            "description": "A status code such as `409`, a class such as `4xx`, or a list of these.",
            "anyOf": [one, {"type": "array", "items": one, "minItems": 1}]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matcher(yaml: &str) -> Matcher {
        serde_yaml::from_str(yaml).unwrap()
    }

    fn answer(status: u16, body: &str) -> Response {
        Response { status, headers: vec![("idempotent-replayed".into(), "true".into())], body: body.into() }
    }

    #[test]
    fn everything_named_must_fit() {
        let conflict = matcher(r#"{status: [409, 4xx], json: {"$.error.type": idempotency_error}}"#);
        assert!(conflict.fits(&answer(400, r#"{"error":{"type":"idempotency_error"}}"#), None));
        assert!(!conflict.fits(&answer(500, r#"{"error":{"type":"idempotency_error"}}"#), None));
        assert!(!conflict.fits(&answer(400, r#"{"error":{"type":"other"}}"#), None));
        assert!(!conflict.fits(&answer(400, "<html>"), None));
    }

    #[test]
    fn values_in_xml_are_text_whatever_their_prefix() {
        let mismatch =
            matcher(r#"{xml: {"/Response/Errors/Error/Code": IdempotentParameterMismatch, "/Response/@n": 7}}"#);
        let body = |code: &str| {
            format!("<Response n='7' xmlns='urn:x'><Errors><Error><Code> {code} </Code></Error></Errors></Response>")
        };
        assert!(mismatch.fits(&answer(400, &body("IdempotentParameterMismatch")), None));
        assert!(!mismatch.fits(&answer(400, &body("Other")), None));
        assert!(!mismatch.fits(&answer(400, "<Response n='7'>"), None));
        assert!(matcher(r#"xml: {"/Response/Errors": {present: false}}"#).fits(&answer(200, "<Response/>"), None));
        assert_eq!(matcher(r#"xml: {"/r/code": gone}"#).to_string(), "/r/code is `gone`");
    }

    #[test]
    fn yaml_truth_values_fit_header_text() {
        assert!(matcher("header: {Idempotent-Replayed: true}").fits(&answer(200, ""), None));
        assert!(!matcher("header: {Idempotent-Replayed: false}").fits(&answer(200, ""), None));
    }

    #[test]
    fn an_identity_that_is_not_known_does_not_fit() {
        let pointer = matcher(r#"json: {"$.links.resource": "{{identity}}"}"#);
        let body = r#"{"links":{"resource":"PM1"}}"#;
        assert!(pointer.fits(&answer(409, body), Some("PM1")));
        assert!(!pointer.fits(&answer(409, body), Some("PM2")));
        assert!(!pointer.fits(&answer(409, body), None));
        assert!(pointer.fits_pointing_anywhere(&answer(409, body)));
        assert!(!pointer.fits_pointing_anywhere(&answer(409, "{}")));
    }

    #[test]
    fn conditions_read_as_sentences() {
        let shown =
            matcher(r#"{status: 409, json: {"$.code": {present: true}}, header: {X: {contains: a}}}"#).to_string();
        assert_eq!(shown, "status 409 and $.code is present and header X contains `a`");
    }

    #[test]
    fn a_number_that_is_no_status_is_refused() {
        assert!(serde_yaml::from_str::<Matcher>("status: 6xx").unwrap_err().to_string().contains("6xx"));
    }
}
