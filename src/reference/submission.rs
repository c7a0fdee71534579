//! A request that may carry a key, as the interpreter sees it, and what its parameters amount to.

use bytes::Bytes;
use serde_json::Value;

use super::answer::Answer;
use super::book::{Collection, Request};
use super::key::{PresentedDate, PresentedKey};

/// A request that may carry a key.
#[derive(Clone, Debug)]
pub(super) struct Submission {
    /// Which replica of the server took it.
    pub(super) replica: u16,
    /// Who sent it.
    pub(super) account: String,
    /// What it is to make.
    pub(super) collection: Collection,
    /// The request method.
    pub(super) method: String,
    /// What stands where a key belongs.
    pub(super) key: PresentedKey,
    /// What stands where the date of the key belongs.
    pub(super) first_sent: PresentedDate,
    /// The parameters that stand in the content.
    pub(super) body: Bytes,
    /// The parameters that stand in the request target, by name, in the order of their names.
    pub(super) target: Vec<(String, String)>,
    /// The name of the parameter variant that it is, where it is known to be one.
    pub(super) variant: Option<String>,
    /// What it gets instead of being looked at, if it is turned away.
    pub(super) turned_away: Option<Answer>,
    /// What it asks for, if that is acceptable; otherwise how it is refused.
    pub(super) request: Result<Request, Answer>,
}

/// What stands between the parameters of the content and those of the request target. No JSON has it, and no form.
pub(super) const BETWEEN: &str = "\n?";

impl Submission {
    /// All parameters, as they came.
    pub(super) fn parameters(&self) -> Vec<u8> {
        let mut all = self.body.to_vec();
        if !self.target.is_empty() {
            all.extend_from_slice(BETWEEN.as_bytes());
            all.extend_from_slice(form(self.target.iter().cloned()).as_bytes());
        }
        all
    }

    /// One parameter, wherever it stands.
    pub(super) fn parameter(&self, name: &str) -> Value {
        let in_target = || self.target.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        match serde_json::from_slice::<Value>(&self.body) {
            Ok(content) => content.get(name).cloned().or_else(|| in_target().map(Value::from)),
            Err(_) => form_urlencoded::parse(&self.body)
                .find(|(known, _)| known == name)
                .map(|(_, value)| value.into_owned())
                .or_else(in_target)
                .map(Value::from),
        }
        .unwrap_or_default()
    }
}

pub(super) fn form(pairs: impl Iterator<Item = (String, String)>) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}

/// The name of a parameter that stands in the path.
pub(super) fn path_parameter(name: &str) -> String {
    format!("{{{name}}}")
}

/// Whether a parameter of the request target stands in the path, and not in the query.
pub(super) fn is_in_path(name: &str) -> bool {
    name.starts_with('{')
}
