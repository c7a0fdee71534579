//! Lengths of time as people write them.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A length of time, written like `500ms`, `30s`, `24h` or `7days`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Period(pub Duration);

impl Period {
    /// The length of time.
    pub const fn duration(self) -> Duration {
        self.0
    }
}

impl fmt::Display for Period {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", humantime::format_duration(self.0))
    }
}

impl std::str::FromStr for Period {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, Self::Err> {
        humantime::parse_duration(written)
            .map(Self)
            .map_err(|error| format!("`{written}` is not a length of time such as `500ms`, `30s` or `24h`: {error}"))
    }
}

impl Serialize for Period {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_string())
    }
}

impl<'de> Deserialize<'de> for Period {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Period {
    fn schema_name() -> Cow<'static, str> {
        "Period".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "format": "period",
            "pattern": "^\\s*[0-9]+\\s*[a-z]+(\\s*[0-9]+\\s*[a-z]+)*\\s*$",
            "description": "A length of time such as `500ms`, `30s`, `24h` or `7days`."
        })
    }
}
