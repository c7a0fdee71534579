//! Keys that are chosen to be odd.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What was chosen to be odd about the key of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeyKind {
    /// It has no characters.
    Empty,
    /// It has characters, or a spelling, that no key has.
    Malformed,
    /// It has exactly the maximum length.
    Longest,
    /// It differs from the longest key of its action in the last character only.
    LongestSibling,
    /// It is one character longer than the maximum length.
    Overlong,
    /// It differs from the key of its action in the case of its letters only.
    OtherCase,
    /// It is the key of its action in double quotes, where keys are written without.
    Quoted,
}

impl KeyKind {
    /// All kinds.
    pub const ALL: [Self; 7] = [
        Self::Empty,
        Self::Malformed,
        Self::Longest,
        Self::LongestSibling,
        Self::Overlong,
        Self::OtherCase,
        Self::Quoted,
    ];

    /// The name in scenarios and reports.
    pub fn id(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Malformed => "malformed",
            Self::Longest => "longest",
            Self::LongestSibling => "longest-sibling",
            Self::Overlong => "overlong",
            Self::OtherCase => "other-case",
            Self::Quoted => "quoted",
        }
    }
}

impl fmt::Display for KeyKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.id())
    }
}
