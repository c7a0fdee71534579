//! A request, rendered once, in the form that is sent and the form that may be shown.

use serde::{Deserialize, Serialize};

use crate::secret::Text;

/// A fully rendered request. A retry re-sends the very same value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The request method, for example `POST`.
    pub method: http::Method,
    /// The request target in origin form: path and query.
    pub target: Text,
    /// Header fields in the order in which they are sent, without `Host` and `Content-Length`, which the wire adds.
    pub headers: Vec<(String, Text)>,
    /// The content, if there is any.
    pub body: Option<Text>,
}

impl Request {
    /// Whether target or content hold something that is never written down. Header fields do not count: servers tell
    /// callers by them, and not what is asked for.
    pub fn asks_with_secrets(&self) -> bool {
        let hides = |text: &Text| text.sent() != text.shown();
        hides(&self.target) || self.body.as_ref().is_some_and(hides)
    }

    /// The form that may be written down.
    pub fn shown(&self) -> ShownRequest {
        ShownRequest {
            method: self.method.to_string(),
            target: self.target.shown().to_owned(),
            headers: self.headers.iter().map(|(name, value)| (name.clone(), value.shown().to_owned())).collect(),
            body: self.body.as_ref().map(|body| body.shown().to_owned()),
        }
    }
}

/// A request as it may be written down: secrets stand as the names of their variables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ShownRequest {
    /// The request method.
    pub method: String,
    /// The request target in origin form: path and query.
    pub target: String,
    /// Header fields in the order in which they were sent.
    pub headers: Vec<(String, String)>,
    /// The content, if there was any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
}
