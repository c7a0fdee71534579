//! The token endpoint of a mock: it gives tokens to clients, and knows them again until they expire.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_lc_rs::hmac;
use axum::http::Method;
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::json;

use super::Asked;
use super::account::Values;
use crate::contract::Period;
use crate::profile::{Auth, OAuth2};
use crate::reference::answer::Answer;

/// How long a token counts, unless the profile says otherwise: short, so that its renewal is exercised.
const LIFETIME: Duration = Duration::from_secs(20);

/// Gives tokens, and knows them again.
///
/// A token says whose it is and until when, and is signed by a key that nobody else has. So there is nothing to remember,
/// and after a restart every token is void.
#[derive(Clone, Debug)]
pub(super) struct Issuer {
    /// The paths of the token endpoints.
    paths: Vec<String>,
    /// The clients whose name and secret are known. Any others will do.
    clients: Vec<(String, String)>,
    lifetime: Duration,
    key: hmac::Key,
}

impl Issuer {
    /// What issues the tokens of these accounts.
    pub(super) fn of<'a>(
        accounts: impl Iterator<Item = &'a Auth>,
        values: &Values<'_>,
        base_path: &str,
        lifetime: Option<Period>,
    ) -> Self {
        let oauth2: Vec<&OAuth2> = accounts
            .filter_map(|auth| match auth {
                Auth::Oauth2(oauth2) => Some(oauth2),
                Auth::Bearer(_) | Auth::Basic { .. } | Auth::Header { .. } | Auth::AwsSigv4(_) | Auth::Command(_) => {
                    None
                }
            })
            .collect();
        let client = |oauth2: &&OAuth2| Some((values.known(&oauth2.client_id)?, values.known(&oauth2.client_secret)?));
        Self {
            clients: oauth2.iter().filter_map(client).collect(),
            paths: oauth2.iter().flat_map(|oauth2| paths(&values.any(&oauth2.token_url), base_path)).collect(),
            lifetime: lifetime.map_or(LIFETIME, Period::duration),
            key: hmac::Key::new(hmac::HMAC_SHA256, &rand::random::<[u8; 32]>()),
        }
    }

    /// Whether there are accounts that it gives tokens to.
    pub(super) fn issues(&self) -> bool {
        !self.paths.is_empty()
    }

    /// Answers a request for a token (RFC 6749 section 4.4), if it is one.
    pub(super) fn answer(&self, asked: &Asked<'_>) -> Option<Answer> {
        let is_asked = self.paths.iter().any(|path| path == asked.parts.uri.path());
        if !is_asked {
            return None;
        }
        if asked.parts.method != Method::POST {
            return Some(Answer::method_not_allowed("POST"));
        }
        let fields: Vec<(String, String)> = form_urlencoded::parse(&asked.body).into_owned().collect();
        let field = |name: &str| fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        if field("grant_type").as_deref() != Some("client_credentials") {
            return Some(refused(400, "unsupported_grant_type"));
        }
        let in_body = || Some((field("client_id")?, field("client_secret")?));
        let client = in_header(asked).or_else(in_body).filter(|client| self.admits(client));
        Some(match client {
            Some((name, _)) => self.given(&name),
            None => refused(401, "invalid_client").with_header(WWW_AUTHENTICATE.as_str(), "Basic"),
        })
    }

    /// Whether a client shows what is known of it.
    fn admits(&self, (name, secret): &(String, String)) -> bool {
        let known = self.clients.iter().find(|(known, _)| known == name);
        match known {
            Some((_, known)) => known == secret,
            None => self.clients.is_empty() && !name.is_empty() && !secret.is_empty(),
        }
    }

    fn given(&self, client: &str) -> Answer {
        let until = now() + self.lifetime;
        let said = format!("{}.{}.{:016x}", URL_SAFE_NO_PAD.encode(client), until.as_millis(), rand::random::<u64>());
        let token = format!("{said}.{}", self.signature(&said));
        let content = json!({
            "access_token": token,
            "token_type": "Bearer",
            "expires_in": self.lifetime.as_secs(),
        });
        Answer::json(200, &content).with_header("cache-control", "no-store")
    }

    fn signature(&self, said: &str) -> String {
        URL_SAFE_NO_PAD.encode(hmac::sign(&self.key, said.as_bytes()))
    }

    /// The account of a token that was given here; an answer if it does not count. `None` for what is no such token.
    pub(super) fn account(&self, authorization: &str) -> Option<Result<String, Answer>> {
        let token = authorization.strip_prefix("Bearer ").filter(|_| self.issues())?;
        let parts: Vec<&str> = token.split('.').collect();
        let [client, until, number, signature] = parts.as_slice() else { return None };
        let said = format!("{client}.{until}.{number}");
        let is_ours = *signature == self.signature(&said);
        let until = until.parse().ok().map(Duration::from_millis);
        let counts = is_ours && until.is_some_and(|until| now() < until);
        let void =
            || refused(401, "invalid_token").with_header(WWW_AUTHENTICATE.as_str(), "Bearer error=\"invalid_token\"");
        Some(if counts { Ok(format!("client {client}")) } else { Err(void()) })
    }
}

/// The paths of a token endpoint, with the path of the base URL and without.
fn paths(token_url: &str, base_path: &str) -> Vec<String> {
    match url::Url::parse(token_url) {
        Ok(url) => vec![url.path().to_owned()],
        Err(_) => {
            let path = token_url.split('?').next().unwrap_or_default();
            vec![path.to_owned(), format!("{base_path}{path}")]
        }
    }
}

/// Name and secret of a client, as RFC 6749 section 2.3.1 puts them into a header field.
fn in_header(asked: &Asked<'_>) -> Option<(String, String)> {
    let field = asked.parts.headers.get(AUTHORIZATION)?.to_str().ok()?;
    let pair = String::from_utf8(STANDARD.decode(field.strip_prefix("Basic ")?).ok()?).ok()?;
    let (name, secret) = pair.split_once(':')?;
    let decoded = |text: &str| {
        let spaced = text.replace('+', " ");
        percent_encoding::percent_decode_str(&spaced).decode_utf8_lossy().into_owned()
    };
    Some((decoded(name), decoded(secret)))
}

fn refused(status: u16, error: &str) -> Answer {
    Answer::json(status, &json!({"error": error}))
}

fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}
