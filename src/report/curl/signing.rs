//! Signed requests: a signature counts for minutes, so curl makes its own.

use serde_json::Value;

use super::shell::Secrets;
use crate::history::Attempt;

/// How the credentials of a signed request begin.
const BEGINNING: &str = "AWS4-HMAC-SHA256 Credential=";

/// The fields that a signature brings.
const MADE: [&str; 2] = ["authorization", "x-amz-date"];

/// The name of the account that needs none.
const DEFAULT: &str = "default";

/// What a request was signed with, as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Signing {
    id: String,
    secret: String,
    region: String,
    service: String,
}

impl Signing {
    /// What an attempt was signed with, if it was signed.
    pub(super) fn of(document: &Value, attempt: &Attempt) -> Option<Self> {
        let mut fields = attempt.start.request.headers.iter();
        let (_, credentials) = fields.find(|(name, _)| name.eq_ignore_ascii_case("authorization"))?;
        let scope = credentials.strip_prefix(BEGINNING)?.split(',').next()?;
        let parts: Vec<&str> = scope.rsplitn(5, '/').collect();
        let [_, service, region, _, id] = parts.as_slice() else { return None };
        let target = document.get("target")?;
        let auth = match attempt.start.account.as_str() {
            DEFAULT => target.get("auth")?,
            account => target.get("accounts")?.get(account)?,
        };
        let secret = auth.get("aws-sigv4")?.get("secret_access_key")?.as_str()?;
        Some(Self {
            id: (*id).to_owned(),
            secret: secret.to_owned(),
            region: (*region).to_owned(),
            service: (*service).to_owned(),
        })
    }

    /// The options by which curl signs.
    pub(super) fn options(&self, secrets: &Secrets) -> String {
        let by = format!("aws:amz:{}:{}", self.region, self.service);
        let user = secrets.word(&format!("{}:{}", self.id, self.secret));
        format!("--aws-sigv4 {} --user {user}", secrets.word(&by))
    }

    /// Whether signing brings this field.
    pub(super) fn makes(&self, name: &str) -> bool {
        MADE.iter().any(|made| made.eq_ignore_ascii_case(name))
    }
}
