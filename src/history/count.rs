//! Counts of effects, read independently of the answers.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::attempt::nanoseconds;

/// One reading of one effect counter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Count {
    /// The marker whose effects were counted.
    pub marker: String,
    /// Which counter of the operation: an index into [`Subject::counters`](super::Subject).
    pub counter: usize,
    /// The account whose effects were counted; `default` for the profile's own.
    pub account: String,
    /// The operation whose effects were counted; `default` for the profile's own.
    pub operation: String,
    /// The number of the last attempt of the case that had been begun by then; 0 for none.
    pub after: u32,
    /// When the reading began.
    #[serde(with = "nanoseconds")]
    pub began: Duration,
    /// When the reading was complete.
    #[serde(with = "nanoseconds")]
    pub ended: Duration,
    /// What was listed.
    pub listing: Listing,
}

/// What a counter showed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Listing {
    /// One item per effect, in the order of the list.
    Items(Vec<Item>),
    /// The counter could not be read.
    Failed(CountFailure),
}

/// One listed effect.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Item {
    /// Its identity.
    pub identity: String,
    /// The item as it is listed, in compact JSON, where the list shows more than the identity. Tells whether the
    /// effect was altered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

/// Why a counter could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CountFailure {
    /// No answer.
    NoAnswer(String),
    /// An answer with a status other than 2xx.
    Status(u16),
    /// The answer is not what `each` expects, for example not JSON.
    Unreadable(String),
    /// The list is paged, so it shows a part only.
    Paged,
}

impl fmt::Display for CountFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoAnswer(detail) => {
                write!(formatter, "the effect counter gave no answer: {detail}")
            }
            Self::Status(status) => write!(formatter, "the effect counter answered {status}"),
            Self::Unreadable(detail) => write!(formatter, "the effect counter's answer cannot be read: {detail}"),
            Self::Paged => formatter.write_str("the effect counter's list is paged"),
        }
    }
}
