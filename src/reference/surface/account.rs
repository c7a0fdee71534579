//! Who sent a request: whoever shows the same credentials is the same account. What can be checked is: tokens that were
//! issued here, and signatures.

use std::collections::BTreeMap;

use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};

use super::Asked;
use super::issuer::Issuer;
use super::signer::Signers;
use crate::profile::{Auth, Mock, Profile, Template};
use crate::reference::answer::Answer;

/// Whose requests bear no credentials.
const NOBODY: &str = "default";

/// Whose token a program prints, where that is one account alone: each may be another token of it.
const COMMANDED: &str = "whose token a program prints";

/// The header fields in which accounts show who they are.
#[derive(Clone, Debug)]
pub(super) struct Credentials {
    fields: Vec<String>,
    /// Whether the profile's own account shows any.
    required: bool,
    /// What gives and checks tokens.
    issuer: Issuer,
    /// What checks signatures.
    signers: Signers,
    /// Whether some account shows a credential of its own in `Authorization`, which cannot be checked.
    takes_any: bool,
    /// Whether every credential in `Authorization` is that of one account, whose token a program prints.
    commanded: bool,
}

/// The values of the variables that credentials name, and how many of them are known and not made up.
pub(super) struct Values<'v> {
    /// Those that are known.
    pub(super) known: &'v BTreeMap<String, String>,
    /// Those that were made up for everybody.
    pub(super) made_up: BTreeMap<String, String>,
}

impl Values<'_> {
    /// What a template says; `None` if it rests on a value that was made up.
    pub(super) fn known(&self, template: &Template) -> Option<String> {
        template.filled(&|name| self.known.get(name).cloned())
    }

    /// What a template says, by values that were made up where none is known.
    pub(super) fn any(&self, template: &Template) -> String {
        template.filled(&|name| self.known.get(name).or_else(|| self.made_up.get(name)).cloned()).unwrap_or_default()
    }
}

impl Credentials {
    /// Those that the accounts of a profile show. Variables have these values; for others a value is made up.
    pub(super) fn of(profile: &Profile, known: &BTreeMap<String, String>, base_path: &str) -> Self {
        let target = &profile.target;
        let values = Values { known, made_up: profile.made_up_values() };
        let all = || target.auth.iter().chain(target.accounts.values());
        let mut fields: Vec<String> = all().map(|auth| auth.field().to_ascii_lowercase()).collect();
        fields.sort();
        fields.dedup();
        let lifetime = profile.mock.as_ref().and_then(|mock: &Mock| mock.token_lifetime);
        let commands = all().filter(|auth| matches!(auth, Auth::Command(_))).count();
        let takes_any = all().any(|auth| matches!(auth, Auth::Bearer(_) | Auth::Basic { .. }));
        Self {
            fields,
            required: target.auth.is_some(),
            issuer: Issuer::of(all(), &values, base_path, lifetime),
            signers: Signers::of(all(), &values),
            takes_any: takes_any || commands > 1,
            commanded: commands == 1 && !takes_any,
        }
    }

    /// Answers a request for a token, if it is one.
    pub(super) fn issued(&self, asked: &Asked<'_>) -> Option<Answer> {
        self.issuer.answer(asked)
    }

    /// The account of a request. What can be checked is checked, a signature only where the whole request is there; any
    /// other credentials will do, and other ones are another account.
    pub(super) fn account(&self, asked: &Asked<'_>, is_whole: bool) -> Result<String, Answer> {
        let headers = &asked.parts.headers;
        let shown = self.shown(headers);
        if shown.is_empty() {
            return if self.required { Err(self.missing()) } else { Ok(NOBODY.to_owned()) };
        }
        let Some(authorization) = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()) else {
            return Ok(shown.join("\n"));
        };
        if let Some(account) = self.signers.account(asked, authorization, is_whole) {
            return account;
        }
        if let Some(account) = self.issuer.account(authorization) {
            return account;
        }
        if self.commanded {
            return Ok(COMMANDED.to_owned());
        }
        let checks = !self.takes_any && (self.issuer.issues() || self.signers.sign());
        if checks { Err(self.missing()) } else { Ok(shown.join("\n")) }
    }

    fn shown(&self, headers: &HeaderMap) -> Vec<String> {
        self.fields
            .iter()
            .flat_map(|name| headers.get_all(name).iter().map(move |value| (name, value)))
            .map(|(name, value)| format!("{name}: {}", String::from_utf8_lossy(value.as_bytes()).trim()))
            .collect()
    }

    fn missing(&self) -> Answer {
        let refused = Answer::error(401, &format!("credentials are required: {}", self.fields.join(", ")));
        let by_scheme = self.fields.iter().any(|name| name == AUTHORIZATION.as_str());
        if by_scheme { refused.with_header(WWW_AUTHENTICATE.as_str(), "Bearer") } else { refused }
    }
}
