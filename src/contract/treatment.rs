//! What a server does with a request.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Matcher;

/// What a server does with a request that carries a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Treatment {
    /// Processed on its merits, anew or from where it stopped, with an outcome of its own.
    Executes,
    /// Not processed; the saved first outcome is returned. While the first is in flight: waits, then replays.
    Replays,
    /// Not processed; the current state of the first action is returned.
    Refreshes,
    /// Not processed; an error that the matcher describes.
    Rejects(Matcher),
}

impl fmt::Display for Treatment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Executes => formatter.write_str("executes"),
            Self::Replays => formatter.write_str("replays"),
            Self::Refreshes => formatter.write_str("refreshes"),
            Self::Rejects(matcher) => write!(formatter, "rejects with {matcher}"),
        }
    }
}
