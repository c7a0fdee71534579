//! Keys that are chosen to be odd.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What was chosen to be odd about the key of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum KeyKind {
    /// It has no characters.
    Empty,
    /// It has characters, or a spelling, that no key has.
    Malformed,
    /// It has exactly the maximum length.
    Longest,
    /// It differs from the longest key of its action in the last character only.
    LongestSibling,
    /// It differs from the longest key of its action in the case of its letters only.
    LongestOtherCase,
    /// It is one character longer than the maximum length.
    Overlong,
    /// It differs from the overlong key of its action in the last character only.
    OverlongSibling,
    /// It differs from the key of its action in the case of its letters only.
    OtherCase,
    /// It is the key of its action in double quotes, where keys are written without.
    Quoted,
    /// It is the key of its action between spaces.
    Padded,
    /// It is the key of its action with a space in it.
    Spaced,
    /// It is the key of its action and a letter that is not ASCII.
    Accented,
    /// It comes without the date that belongs to it.
    Undated,
    /// The date comes alone, without the key.
    DateAlone,
    /// What comes beside it is no date.
    Misdated,
    /// The date beside it is older than any key that is kept.
    Outdated,
    /// It has so many characters.
    Long(u16),
    /// It differs from the key of so many characters of its action in the last of them only.
    LongSibling(u16),
}

/// What the names of keys of a given length begin and end with.
const LONG: &str = "long-";
const SIBLING: &str = "-sibling";

impl KeyKind {
    /// All kinds that have a name of their own, with it.
    pub const NAMED: [(&'static str, Self); 16] = [
        ("empty", Self::Empty),
        ("malformed", Self::Malformed),
        ("longest", Self::Longest),
        ("longest-sibling", Self::LongestSibling),
        ("longest-other-case", Self::LongestOtherCase),
        ("overlong", Self::Overlong),
        ("overlong-sibling", Self::OverlongSibling),
        ("other-case", Self::OtherCase),
        ("quoted", Self::Quoted),
        ("padded", Self::Padded),
        ("spaced", Self::Spaced),
        ("accented", Self::Accented),
        ("undated", Self::Undated),
        ("date-alone", Self::DateAlone),
        ("misdated", Self::Misdated),
        ("outdated", Self::Outdated),
    ];

    /// Whether key and date do not come together, or what comes is no date.
    pub fn is_incomplete(self) -> bool {
        matches!(self, Self::Undated | Self::DateAlone | Self::Misdated)
    }

    /// Whether such a key resembles the key of its action so much that it may be taken for it.
    pub fn is_twin(self) -> bool {
        match self {
            Self::LongestOtherCase
            | Self::OtherCase
            | Self::Quoted
            | Self::Padded
            | Self::Spaced
            | Self::LongSibling(_) => true,
            Self::Empty
            | Self::Malformed
            | Self::Longest
            | Self::LongestSibling
            | Self::Overlong
            | Self::OverlongSibling
            | Self::Accented
            | Self::Undated
            | Self::DateAlone
            | Self::Misdated
            | Self::Outdated
            | Self::Long(_) => false,
        }
    }
}

/// The name in scenarios and reports.
impl fmt::Display for KeyKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Long(length) => write!(formatter, "{LONG}{length}"),
            Self::LongSibling(length) => write!(formatter, "{LONG}{length}{SIBLING}"),
            named => {
                formatter.write_str(Self::NAMED.iter().find(|(_, kind)| kind == named).map_or("", |(name, _)| name))
            }
        }
    }
}

impl FromStr for KeyKind {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, Self::Err> {
        if let Some((_, kind)) = Self::NAMED.iter().find(|(name, _)| *name == written) {
            return Ok(*kind);
        }
        let sized = written.strip_prefix(LONG).map(|rest| (rest.strip_suffix(SIBLING).unwrap_or(rest), rest));
        match sized.map(|(length, rest)| (length.parse::<u16>(), length != rest)) {
            Some((Ok(length), false)) if length > 0 => Ok(Self::Long(length)),
            Some((Ok(length), true)) if length > 0 => Ok(Self::LongSibling(length)),
            _ => Err(format!("`{written}` is not a kind of key")),
        }
    }
}

impl Serialize for KeyKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for KeyKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_read_as_they_are_written() {
        let sized = [KeyKind::Long(65), KeyKind::LongSibling(65535)];
        for kind in KeyKind::NAMED.into_iter().map(|(_, kind)| kind).chain(sized) {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        for wrong in ["long-0", "long-", "long-65-cousin", "long-65536", "-sibling", ""] {
            assert!(wrong.parse::<KeyKind>().is_err(), "{wrong}");
        }
    }
}
