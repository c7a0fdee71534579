//! Values that a regular expression finds.

use std::borrow::Cow;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Response;

/// What a regular expression finds in the content of an answer, or in a header field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PatternExtractor {
    /// The regular expression. The value is what its first group finds; without groups, all that it finds.
    pub find: Regex,
    /// The header field; the content where it is not given.
    #[serde(default, rename = "in", skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
}

impl PatternExtractor {
    /// Every value that is found, in its order.
    pub(super) fn texts(&self, response: &Response) -> Vec<String> {
        let text = match &self.within {
            Some(name) => Cow::Borrowed(response.header(name).unwrap_or_default()),
            None => String::from_utf8_lossy(response.body.bytes()),
        };
        let found = self.find.parsed.captures_iter(&text);
        found.filter_map(|found| Some(found.get(1).or_else(|| found.get(0))?.as_str().to_owned())).collect()
    }
}

/// A regular expression that was checked when it was read.
#[derive(Clone, Debug)]
pub struct Regex {
    written: String,
    parsed: regex::Regex,
}

impl Regex {
    /// Parses a regular expression such as `/orders/([0-9]+)$`.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn parse(written: &str) -> Result<Self, String> {
        let reason = |error: regex::Error| {
            let last = error.to_string().lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            format!("`{written}` is not a regular expression: {last}")
        };
        Ok(Self { written: written.to_owned(), parsed: regex::Regex::new(written).map_err(reason)? })
    }
}

impl fmt::Display for Regex {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.written)
    }
}

impl PartialEq for Regex {
    fn eq(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

impl Eq for Regex {}

impl Serialize for Regex {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.written)
    }
}

impl<'de> Deserialize<'de> for Regex {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = String::deserialize(deserializer)?;
        Self::parse(&written).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Regex {
    fn schema_name() -> Cow<'static, str> {
        "Regex".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "format": "regular-expression",
            "description": "A regular expression, for example `/orders/([0-9]+)$`."
        })
    }
}
