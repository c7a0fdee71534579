//! The signatures that a mock checks: AWS Signature Version 4, over what has arrived.

use std::time::{Duration, SystemTime};

use axum::http::header::HOST;

use super::Asked;
use super::account::Values;
use crate::message::{ALGORITHM, Signable, SigningScope};
use crate::profile::Auth;
use crate::reference::answer::Answer;

/// How far the date of a signature may be from now.
const LONGEST_SKEW: Duration = Duration::from_secs(300);

/// The field that bears the date of a signature.
const DATE: &str = "x-amz-date";

/// An access key.
#[derive(Clone, Debug, PartialEq, Eq)]
struct AccessKey {
    id: String,
    secret: String,
    /// Where it counts: region and service.
    region: String,
    service: String,
}

/// The access keys of the accounts.
#[derive(Clone, Debug)]
pub(super) struct Signers(Vec<AccessKey>);

/// What stands in a signed request beside its content.
struct Claim<'c> {
    id: &'c str,
    region: &'c str,
    service: &'c str,
    day: &'c str,
    names: Vec<&'c str>,
    signature: &'c str,
}

impl Signers {
    /// The access keys of these accounts. A key that is not known was made up, for whoever signs as well.
    pub(super) fn of<'a>(accounts: impl Iterator<Item = &'a Auth>, values: &Values<'_>) -> Self {
        let key = |auth: &Auth| match auth {
            Auth::AwsSigv4(signature) => Some(AccessKey {
                id: values.any(&signature.access_key_id),
                secret: values.any(&signature.secret_access_key),
                region: values.any(&signature.region),
                service: signature.service.clone(),
            }),
            Auth::Bearer(_) | Auth::Basic { .. } | Auth::Header { .. } | Auth::Oauth2(_) | Auth::Command(_) => None,
        };
        Self(accounts.filter_map(key).collect())
    }

    /// Whether there are accounts that sign.
    pub(super) fn sign(&self) -> bool {
        !self.0.is_empty()
    }

    /// The account that has signed a request; an answer if it is not signed as it should be. `None` where nothing is signed.
    /// Without its content, a request counts as signed by whoever it says.
    pub(super) fn account(
        &self,
        asked: &Asked<'_>,
        authorization: &str,
        is_whole: bool,
    ) -> Option<Result<String, Answer>> {
        let written = authorization.strip_prefix(ALGORITHM).filter(|_| self.sign())?;
        let Some(claim) = Claim::read(written) else {
            return Some(Err(Answer::coded(400, "the signature cannot be read", "IncompleteSignature")));
        };
        let mut keys = self.0.iter().filter(|key| key.id == claim.id).peekable();
        if keys.peek().is_none() {
            return Some(Err(Answer::coded(401, "there is no such access key", "AuthFailure")));
        }
        let Some(key) = keys.find(|key| key.region == claim.region && key.service == claim.service) else {
            let sentence = "the signature is scoped to another region or service than are served here";
            return Some(Err(Answer::coded(403, sentence, "SignatureDoesNotMatch")));
        };
        let refused = if is_whole { claim.fault(asked, &key.secret) } else { None };
        Some(refused.map_or_else(|| Ok(format!("access key {}", key.id)), Err))
    }
}

impl<'c> Claim<'c> {
    /// `Credential=ID/DAY/REGION/SERVICE/aws4_request, SignedHeaders=a;b, Signature=…`
    fn read(written: &'c str) -> Option<Self> {
        let part = |name: &str| {
            let mut parts = written.split(',').map(str::trim);
            parts.find_map(|part| part.strip_prefix(name)?.strip_prefix('='))
        };
        let scope: Vec<&str> = part("Credential")?.split('/').collect();
        let [id, day, region, service, "aws4_request"] = scope.as_slice() else { return None };
        Some(Self {
            id,
            day,
            region,
            service,
            names: part("SignedHeaders")?.split(';').collect(),
            signature: part("Signature")?,
        })
    }

    /// What is wrong with the signature of a request, if anything.
    fn fault(&self, asked: &Asked<'_>, secret: &str) -> Option<Answer> {
        let time = asked.parts.headers.get(DATE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if !time.starts_with(self.day) || !is_recent(time) {
            return Some(Answer::coded(
                403,
                "the date of the signature is not that of today, or too long ago",
                "RequestExpired",
            ));
        }
        if !["host", DATE].iter().all(|name| self.names.contains(name)) {
            return Some(Answer::coded(403, "host and date must be signed", "SignatureDoesNotMatch"));
        }
        let headers: Vec<(String, String)> = self.names.iter().flat_map(|name| values(asked, name)).collect();
        let scope = SigningScope { time, region: self.region, service: self.service };
        let is_signed = |target: &str| {
            let method = asked.parts.method.as_str();
            let request = Signable { method, target, headers: &headers, content: &asked.body };
            scope.sign(secret, &request) == self.signature
        };
        let target = asked.parts.uri.path_and_query().map_or("/", |target| target.as_str());
        let fits = is_signed(target) || is_signed(&format!("{}{target}", super::SECOND_REPLICA));
        (!fits).then(|| {
            Answer::coded(403, "the signature is another one than is calculated here", "SignatureDoesNotMatch")
        })
    }
}

/// A signed field as it arrived. Over HTTP/2 the host stands in the request target.
fn values(asked: &Asked<'_>, name: &str) -> Vec<(String, String)> {
    let of_name = asked.parts.headers.get_all(name).iter();
    let mut values: Vec<(String, String)> =
        of_name.map(|value| (name.to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())).collect();
    if values.is_empty()
        && name == HOST.as_str()
        && let Some(authority) = asked.parts.uri.authority()
    {
        values.push((name.to_owned(), authority.to_string()));
    }
    values
}

/// Whether a date such as `20150830T123600Z` is near enough to now, by the clock of the machine: signatures are of the
/// client's time, and what a hook has moved is the clock of the target alone.
fn is_recent(time: &str) -> bool {
    let part = |range: std::ops::Range<usize>| time.get(range).unwrap_or_default().to_owned();
    let date = format!("{}-{}-{}", part(0..4), part(4..6), part(6..8));
    let written = format!("{date}T{}:{}:{}Z", part(9..11), part(11..13), part(13..15));
    let Ok(signed) = humantime::parse_rfc3339(&written) else { return false };
    let now = SystemTime::now();
    let skew = now.duration_since(signed).or_else(|_| signed.duration_since(now)).unwrap_or(Duration::MAX);
    skew <= LONGEST_SKEW
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_read_as_it_is_written() {
        let claim = Claim::read(" Credential=K/20150830/r/ec2/aws4_request, SignedHeaders=a;b,Signature=s").unwrap();
        assert_eq!((claim.id, claim.region, claim.service, claim.signature), ("K", "r", "ec2", "s"));
        assert_eq!(claim.names, ["a", "b"]);
        assert!(Claim::read(" Credential=K/20150830/r/ec2, SignedHeaders=a, Signature=s").is_none());
    }

    #[test]
    fn a_date_counts_for_five_minutes() {
        let at = |time: SystemTime| humantime::format_rfc3339_seconds(time).to_string().replace(['-', ':'], "");
        let now = SystemTime::now();
        assert!(is_recent(&at(now)) && is_recent(&at(now + Duration::from_secs(60))));
        assert!(!is_recent(&at(now - Duration::from_secs(400))) && !is_recent("20150830T123600Z"));
        assert!(!is_recent("today"));
    }
}
