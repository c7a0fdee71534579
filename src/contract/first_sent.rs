//! The date that travels beside a key.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Promise;

/// The date that travels beside a key: when its request was first created, as an HTTP date (IMF-fixdate, RFC 9110 section
/// 5.6.7). Every retry has the same. By it a server can tell a key that it has forgotten from one that is new.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FirstSent {
    /// The header field that carries it.
    pub header: String,
    /// A request with one of the two and not the other, or with something that is no date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<Promise>,
}
