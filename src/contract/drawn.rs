//! What a server that executes a request makes of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kind of outcome that a parameter variant draws from a server that executes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Drawn {
    /// A success with an identity.
    #[default]
    Success,
    /// A refusal before execution.
    ValidationFailure,
    /// A failure after execution began.
    Failure,
    /// A 5xx after execution began.
    ServerError,
    /// Turned away before anybody looked at the parameters: not authenticated, too many requests, not available.
    TurnedAway,
}
