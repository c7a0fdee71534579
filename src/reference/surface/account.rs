//! Who sent a request: whoever shows the same credentials is the same account.

use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};

use crate::profile::{Auth, Target};
use crate::reference::answer::Answer;

/// Whose requests bear no credentials.
const NOBODY: &str = "default";

/// The header fields in which accounts show who they are.
#[derive(Clone, Debug)]
pub(super) struct Credentials {
    fields: Vec<String>,
    /// Whether the profile's own account shows any.
    required: bool,
}

impl Credentials {
    /// Those that the accounts of a profile show.
    pub(super) fn of(target: &Target) -> Self {
        let mut fields: Vec<String> = target.auth.iter().chain(target.accounts.values()).map(field).collect();
        fields.sort();
        fields.dedup();
        Self { fields, required: target.auth.is_some() }
    }

    /// The account of a request. Credentials are not checked: any will do, and other ones are another account.
    pub(super) fn account(&self, headers: &HeaderMap) -> Result<String, Answer> {
        let shown: Vec<String> = self
            .fields
            .iter()
            .flat_map(|name| headers.get_all(name).iter().map(move |value| (name, value)))
            .map(|(name, value)| format!("{name}: {}", String::from_utf8_lossy(value.as_bytes()).trim()))
            .collect();
        match (shown.is_empty(), self.required) {
            (true, false) => Ok(NOBODY.to_owned()),
            (true, true) => {
                let scheme = if self.fields.iter().any(|name| name == AUTHORIZATION.as_str()) { "Bearer" } else { "" };
                let refused = Answer::error(401, &format!("credentials are required: {}", self.fields.join(", ")));
                Err(if scheme.is_empty() { refused } else { refused.with_header(WWW_AUTHENTICATE.as_str(), scheme) })
            }
            (false, _) => Ok(shown.join("\n")),
        }
    }
}

fn field(auth: &Auth) -> String {
    match auth {
        Auth::Bearer(_) | Auth::Basic { .. } => AUTHORIZATION.as_str().to_owned(),
        Auth::Header { name, value: _ } => name.to_ascii_lowercase(),
    }
}
