//! Values of a step that are chosen by a word.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::contract::Period;
use crate::history::KeyKind;

/// Another key than the action's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyChoice {
    /// No key at all.
    None,
    /// A key that is odd in this way.
    Odd(KeyKind),
}

impl KeyChoice {
    const NONE: &'static str = "none";

    /// What is odd about the key; nothing where there is none.
    pub fn kind(self) -> Option<KeyKind> {
        match self {
            Self::None => None,
            Self::Odd(kind) => Some(kind),
        }
    }
}

impl fmt::Display for KeyChoice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => formatter.write_str(Self::NONE),
            Self::Odd(kind) => kind.fmt(formatter),
        }
    }
}

impl FromStr for KeyChoice {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, Self::Err> {
        if written == Self::NONE {
            return Ok(Self::None);
        }
        written.parse().map(Self::Odd).map_err(|_| {
            let known: Vec<&str> = KeyKind::NAMED.into_iter().map(|(name, _)| name).collect();
            format!(
                "`{written}` is not a choice of a key: write one of {}, {}; or `long-65`, `long-65-sibling`, for whatever \
                 length",
                Self::NONE,
                known.join(", ")
            )
        })
    }
}

/// How far a hook moves the target's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// Half of the time for which a key is kept at least.
    Half,
    /// Most of the time for which a key is kept at least.
    BeforeExpiry,
    /// What is left after [`Self::BeforeExpiry`] until a key is forgotten at the latest, and a little more.
    Rest,
    /// A little more than the time after which a key is forgotten at the latest.
    Expiry,
    /// A fixed time.
    For(Period),
}

impl fmt::Display for Advance {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Half => formatter.write_str("half"),
            Self::BeforeExpiry => formatter.write_str("before-expiry"),
            Self::Rest => formatter.write_str("rest"),
            Self::Expiry => formatter.write_str("expiry"),
            Self::For(period) => period.fmt(formatter),
        }
    }
}

impl FromStr for Advance {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, Self::Err> {
        match written {
            "half" => Ok(Self::Half),
            "before-expiry" => Ok(Self::BeforeExpiry),
            "rest" => Ok(Self::Rest),
            "expiry" => Ok(Self::Expiry),
            other => other.parse().map(Self::For).map_err(|_| {
                format!(
                    "`{written}` is no way to move a clock: write `half`, `before-expiry`, `rest`, `expiry`, or a length \
                     of time such as `25h`"
                )
            }),
        }
    }
}

/// Text in a file, by way of `Display` and `FromStr`.
macro_rules! written_as_text {
    ($kind:ty) => {
        impl Serialize for $kind {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $kind {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

written_as_text!(KeyChoice);
written_as_text!(Advance);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_written_as_they_are_read() {
        for written in ["none", "empty", "longest-sibling", "other-case", "long-65-sibling"] {
            assert_eq!(written.parse::<KeyChoice>().unwrap().to_string(), written);
        }
        for written in ["half", "before-expiry", "rest", "expiry", "25m"] {
            assert_eq!(written.parse::<Advance>().unwrap().to_string(), written);
        }
        assert!("long".parse::<KeyChoice>().unwrap_err().contains("longest, longest-sibling"));
        assert!("soon".parse::<Advance>().unwrap_err().contains("`25h`"));
    }
}
