//! Parts of a length of time.

use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The largest multiple that makes sense of anything that a scenario measures.
const MOST: u16 = 400;

/// A part of a whole, written like `50%`, or a multiple of it, like `150%`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Percent(pub u16);

impl Percent {
    /// The whole.
    pub const WHOLE: Self = Self(100);

    /// This part of a length of time.
    pub fn of(self, whole: Duration) -> Duration {
        whole * u32::from(self.0) / 100
    }
}

impl Serialize for Percent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}%", self.0)
    }
}

impl std::str::FromStr for Percent {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, Self::Err> {
        let number = written.strip_suffix('%').and_then(|number| number.trim().parse().ok());
        number
            .filter(|number| *number <= MOST)
            .map(Self)
            .ok_or_else(|| format!("`{written}` is not a part such as `50%`, from 0% to {MOST}%"))
    }
}

impl<'de> Deserialize<'de> for Percent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// When a copy of a race is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Moment {
    /// So long after the first release: a part, or a multiple, of the latency that was learned.
    After(Percent),
    /// As soon as the answer to the first copy has been read.
    Answered,
}

impl Moment {
    const ANSWERED: &str = "answered";

    /// Whether it belongs to those that leave together.
    pub fn is_at_once(self) -> bool {
        self == Self::default()
    }
}

impl Default for Moment {
    fn default() -> Self {
        Self::After(Percent(0))
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::After(part) => part.fmt(formatter),
            Self::Answered => formatter.write_str(Self::ANSWERED),
        }
    }
}

impl std::str::FromStr for Moment {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, Self::Err> {
        if written == Self::ANSWERED {
            return Ok(Self::Answered);
        }
        written.parse().map(Self::After).map_err(|reason: String| format!("{reason}, nor `{}`", Self::ANSWERED))
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Moment {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Moment".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "format": "moment",
            "description": "A part, or a multiple, of a latency such as `50%` or `150%`, or `answered`: as soon as the \
                            answer to the first copy has been read."
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_as_they_are_read() {
        for written in ["0%", "50%", "150%", "400%", "answered"] {
            assert_eq!(written.parse::<Moment>().unwrap().to_string(), written);
        }
        for (written, says) in [("401%", "from 0% to 400%"), ("soon", "nor `answered`"), ("-1%", "such as `50%`")] {
            assert!(written.parse::<Moment>().unwrap_err().contains(says));
        }
        assert_eq!(Percent(150).of(Duration::from_millis(200)), Duration::from_millis(300));
    }
}
