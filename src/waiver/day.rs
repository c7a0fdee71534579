//! A day, in UTC.

use std::fmt;
use std::str::FromStr;
use std::time::SystemTime;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A day of the calendar, in UTC, written like `2027-03-31`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(String);

impl Day {
    /// The day that it is now.
    pub fn today() -> Self {
        Self::of(SystemTime::now())
    }

    /// The day of a moment.
    pub fn of(moment: SystemTime) -> Self {
        Self(humantime::format_rfc3339_seconds(moment).to_string().chars().take(LENGTH).collect())
    }
}

/// The number of characters of a day. So written, the earlier day is the lesser text.
const LENGTH: usize = 10;

impl FromStr for Day {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, Self::Err> {
        let midnight = humantime::parse_rfc3339(&format!("{written}T00:00:00Z"));
        let day = midnight.ok().map(Self::of).filter(|day| day.0 == written);
        day.ok_or_else(|| format!("`{written}` is no day: a day is written like `2027-03-31`"))
    }
}

impl fmt::Display for Day {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}
