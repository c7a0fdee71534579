//! Taking values out of an answer.

use std::borrow::Cow;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{PatternExtractor, Response, XmlPath};

/// Where a value stands in an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Extractor {
    /// A JSONPath (RFC 9535) into the JSON content, for example `$.id` or `$.data[*].id`.
    Json(JsonPath),
    /// A path into the XML content by local names, for example `/order/id` or `/orders/order/@number`.
    Xml(XmlPath),
    /// The value of a header field, for example `location`.
    Header(String),
    /// What a regular expression finds in the content, or in a header field.
    Pattern(PatternExtractor),
}

impl Extractor {
    /// All values that stand there, as text: strings without quotes, other JSON values in compact form; nulls are
    /// left out, and so is XML that says nothing. Empty where the answer has none (wrong type, other shape, no such
    /// content).
    pub fn extract(&self, response: &Response) -> Vec<String> {
        match self {
            Self::Json(path) => response.json().map(|value| path.texts(&value)).unwrap_or_default(),
            Self::Xml(path) => match response.xml() {
                Ok(root) => path.with_parents(&root).into_iter().map(|(value, _)| value.to_owned()).collect(),
                Err(_) => Vec::new(),
            },
            Self::Header(name) => response.header(name).map(|value| vec![value.to_owned()]).unwrap_or_default(),
            Self::Pattern(pattern) => pattern.texts(response),
        }
    }
}

impl fmt::Display for Extractor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(path) => write!(formatter, "{path}"),
            Self::Xml(path) => write!(formatter, "{path}"),
            Self::Header(name) => write!(formatter, "header {name}"),
            Self::Pattern(PatternExtractor { find, within: None }) => write!(formatter, "`{find}`"),
            Self::Pattern(PatternExtractor { find, within: Some(name) }) => {
                write!(formatter, "`{find}` in header {name}")
            }
        }
    }
}

/// A JSONPath (RFC 9535) that was checked when it was read.
#[derive(Clone, Debug)]
pub struct JsonPath {
    written: String,
    parsed: serde_json_path::JsonPath,
}

impl JsonPath {
    /// Parses a path such as `$.error.type`.
    ///
    /// # Errors
    /// Says what is wrong with the path and where.
    pub fn parse(written: &str) -> Result<Self, String> {
        let parsed = serde_json_path::JsonPath::parse(written).map_err(|error| match written.starts_with('$') {
            true => format!("`{written}` is not a JSONPath (RFC 9535): {error}"),
            false => format!("`{written}` is not a JSONPath (RFC 9535): it begins with `$`, as in `$.{written}`"),
        })?;
        Ok(Self { written: written.to_owned(), parsed })
    }

    /// Every node that the path selects, in document order.
    pub fn select<'v>(&self, value: &'v serde_json::Value) -> Vec<&'v serde_json::Value> {
        self.parsed.query(value).all()
    }

    /// Where the selected nodes stand, as JSON pointers (RFC 6901).
    pub fn pointers(&self, value: &serde_json::Value) -> Vec<String> {
        self.parsed.query_located(value).locations().map(|path| path.to_json_pointer()).collect()
    }

    /// Every selected value as text, nulls left out.
    pub fn texts(&self, value: &serde_json::Value) -> Vec<String> {
        self.select(value).into_iter().filter(|selected| !selected.is_null()).map(text).collect()
    }

    /// Every selected value as text, each with the object or list that it stands in; nulls left out.
    pub fn with_parents<'v>(&self, document: &'v serde_json::Value) -> Vec<(String, Option<&'v serde_json::Value>)> {
        self.parsed
            .query_located(document)
            .iter()
            .filter(|located| !located.node().is_null())
            .map(|located| {
                let pointer = located.location().to_json_pointer();
                let parent = pointer.rsplit_once('/').and_then(|(parent, _)| document.pointer(parent));
                (text(located.node()), parent)
            })
            .collect()
    }
}

fn text(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

impl fmt::Display for JsonPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.written)
    }
}

impl PartialEq for JsonPath {
    fn eq(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

impl Eq for JsonPath {}

impl std::hash::Hash for JsonPath {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.written.hash(state);
    }
}

impl Serialize for JsonPath {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.written)
    }
}

impl<'de> Deserialize<'de> for JsonPath {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = String::deserialize(deserializer)?;
        Self::parse(&written).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for JsonPath {
    fn schema_name() -> Cow<'static, str> {
        "JsonPath".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "format": "json-path",
            "pattern": "^\\$",
            "description": "A JSONPath (RFC 9535), for example `$.id` or `$.data[*].id`."
        })
    }
}

/// A path into JSON or XML content, told from one another by how they begin: `$.id`, `/order/id`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContentPath {
    /// A JSONPath.
    Json(JsonPath),
    /// A path into XML.
    Xml(XmlPath),
}

impl ContentPath {
    /// Parses a path of either kind.
    ///
    /// # Errors
    /// Says what is wrong with the path.
    pub fn parse(written: &str) -> Result<Self, String> {
        match written.starts_with('/') {
            true => XmlPath::parse(written).map(Self::Xml),
            false => JsonPath::parse(written).map(Self::Json),
        }
    }
}

impl Serialize for ContentPath {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Json(path) => path.serialize(serializer),
            Self::Xml(path) => path.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ContentPath {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = String::deserialize(deserializer)?;
        Self::parse(&written).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for ContentPath {
    fn schema_name() -> Cow<'static, str> {
        "ContentPath".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "format": "content-path",
            "pattern": "^[$/]",
            "description": "A JSONPath such as `$.requested_at`, or a path into XML such as `/order/requestId`."
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Regex;
    use super::*;

    #[test]
    fn a_pattern_finds_what_stands_in_its_group() {
        let pattern = |written: &str| serde_json::from_str::<Extractor>(written).unwrap();
        let number = pattern(r#"{"pattern": {"find": "/orders/([0-9]+)$", "in": "location"}}"#);
        assert_eq!(number.extract(&answer("")), ["7"]);
        let words = pattern(r#"{"pattern": {"find": "id=[a-z]+"}}"#);
        assert_eq!(words.extract(&answer("id=a\nid=b id=7")), ["id=a", "id=b"]);
        assert_eq!(
            (number.to_string(), words.to_string()),
            ("`/orders/([0-9]+)$` in header location".into(), "`id=[a-z]+`".into())
        );
        assert!(Regex::parse("(").unwrap_err().contains("regular expression"));
    }

    fn answer(body: &str) -> Response {
        Response { status: 200, headers: vec![("location".into(), "/orders/7".into())], body: body.into() }
    }

    #[test]
    fn values_come_out_as_text() {
        let ids = Extractor::Json(JsonPath::parse("$.data[*].id").unwrap());
        let response = answer(r#"{"data":[{"id":"a"},{"id":7},{"id":null},{}]}"#);
        assert_eq!(ids.extract(&response), ["a", "7"]);
        assert_eq!(Extractor::Header("Location".into()).extract(&response), ["/orders/7"]);
    }

    #[test]
    fn an_error_page_holds_no_values() {
        let id = Extractor::Json(JsonPath::parse("$.id").unwrap());
        assert!(id.extract(&answer("<html>502</html>")).is_empty());
    }

    #[test]
    fn values_come_out_of_xml_and_what_is_no_xml_has_none() {
        let ids = Extractor::Xml(XmlPath::parse("/orders/order/id").unwrap());
        let list =
            "<o:orders xmlns:o='urn:o'><o:order><o:id>a</o:id></o:order><o:order><o:id> 7 </o:id></o:order></o:orders>";
        assert_eq!(ids.extract(&answer(list)), ["a", "7"]);
        for other in ["<orders><order><id>a</id></order>", "<orders><order><id/></order></orders>", "{}", ""] {
            assert!(ids.extract(&answer(other)).is_empty(), "{other}");
        }
    }

    #[test]
    fn a_path_is_told_by_how_it_begins() {
        assert!(matches!(ContentPath::parse("$.a"), Ok(ContentPath::Json(_))));
        assert!(matches!(ContentPath::parse("/a/b"), Ok(ContentPath::Xml(_))));
        assert!(ContentPath::parse("a").is_err());
    }

    #[test]
    fn a_broken_path_is_refused() {
        assert!(JsonPath::parse("$.data[").unwrap_err().contains("RFC 9535"));
    }
}
