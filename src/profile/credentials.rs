//! The credentials of accounts: what stands in a header field, where tokens come from, and what is signed.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use base64::Engine;

use super::render::{RenderError, at};
use super::sites::{Purpose, sites};
use super::template::{Parsed, Place, TemplateError, Values, render};
use super::{Auth, AwsSignature, Bound, ClientAuthentication, DEFAULT, OAuth2, TokenCommand};
use crate::message::{ALGORITHM, Request, Signable, SigningScope};
use crate::secret::{SIGNATURE, Text};

/// What a request is rendered with while no token has been fetched: in a rehearsal, which sends nothing.
const NO_TOKEN: &str = "no-token-yet";

/// The header field in which most credentials stand.
const AUTHORIZATION: &str = "Authorization";

/// The tokens that were fetched, by account. Clones share them.
#[derive(Clone, Default)]
pub(super) struct Tokens(Arc<RwLock<BTreeMap<String, String>>>);

impl Tokens {
    fn get(&self, account: &str) -> Option<String> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(account).cloned()
    }

    fn set(&self, account: &str, token: &str) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(account.to_owned(), token.to_owned());
    }
}

/// Where an account's token comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenSource {
    /// A token endpoint.
    Endpoint {
        /// The URL that it is below, without a path; none where that is the target's base URL.
        origin: Option<String>,
        /// The request for a token.
        request: Request,
    },
    /// A program.
    Command {
        /// The program and its arguments.
        words: Vec<Text>,
        /// How long it may take.
        time_limit: Duration,
        /// How long its token counts, if that is known.
        valid_for: Option<Duration>,
    },
}

impl Bound {
    /// The credentials of an account; none where it has none.
    pub(super) fn auth(&self, account: &str) -> Result<Option<&Auth>, RenderError> {
        let target = &self.profile.target;
        if account == DEFAULT {
            return Ok(target.auth.as_ref());
        }
        let unknown = || RenderError::UnknownAccount { name: account.to_owned() };
        target.accounts.get(account).ok_or_else(unknown).map(Some)
    }

    /// The accounts whose credentials are tokens that have to be fetched.
    pub fn token_accounts(&self) -> Vec<String> {
        let own = self.profile.target.auth.iter().map(|auth| (DEFAULT, auth));
        let further = self.profile.target.accounts.iter().map(|(name, auth)| (name.as_str(), auth));
        own.chain(further).filter(|(_, auth)| auth.is_fetched()).map(|(name, _)| name.to_owned()).collect()
    }

    /// Those of them whose tokens come from an endpoint, which takes a request each time.
    pub fn token_endpoints(&self) -> Vec<String> {
        let asks = |account: &String| matches!(self.auth(account), Ok(Some(Auth::Oauth2(_))));
        self.token_accounts().into_iter().filter(asks).collect()
    }

    /// Where the token of an account comes from; none where it needs none.
    ///
    /// # Errors
    /// As [`Bound::request`].
    pub fn token_source(&self, account: &str) -> Result<Option<TokenSource>, RenderError> {
        match self.auth(account)? {
            Some(Auth::Oauth2(oauth2)) => self.token_endpoint(account, oauth2).map(Some),
            Some(Auth::Command(command)) => self.token_command(account, command).map(Some),
            Some(Auth::Bearer(_) | Auth::Basic { .. } | Auth::Header { .. } | Auth::AwsSigv4(_)) | None => Ok(None),
        }
    }

    /// Whether a request shows the credentials of its account, and not others in the same place.
    pub fn shows_own_credentials(&self, operation: &str, variant: &str) -> bool {
        let shows_others = |name: &String| name.eq_ignore_ascii_case(AUTHORIZATION);
        self.probe(operation, variant).is_ok_and(|(request, _)| !request.headers.keys().any(shows_others))
    }

    /// Takes a token for an account. It is a secret from now on.
    pub fn set_token(&self, account: &str, token: &str) {
        self.secrets.add(token, &shown_token(account));
        self.tokens.set(account, token);
    }

    /// The credential of an account as a header field; none where it shows none, or signs.
    pub(super) fn authorisation(&self, account: &str) -> Result<Option<(String, Text)>, RenderError> {
        let Some(auth) = self.auth(account)? else { return Ok(None) };
        let credential = match auth {
            Auth::Oauth2(_) | Auth::Command(_) => Some(self.token(account)),
            Auth::Bearer(_) | Auth::Basic { .. } | Auth::Header { .. } | Auth::AwsSigv4(_) => {
                at(&format!("credentials of account {account}"), self.credential(auth))?
            }
        };
        let scheme = match auth {
            Auth::Bearer(_) | Auth::Oauth2(_) | Auth::Command(_) => "Bearer ",
            Auth::Basic { .. } => "Basic ",
            Auth::Header { .. } | Auth::AwsSigv4(_) => "",
        };
        Ok(credential.map(|credential| (auth.field().to_owned(), after(scheme, &credential))))
    }

    fn token(&self, account: &str) -> Text {
        let token = self.tokens.get(account).unwrap_or_else(|| NO_TOKEN.to_owned());
        Text::new(token, shown_token(account))
    }

    fn token_endpoint(&self, account: &str, oauth2: &OAuth2) -> Result<TokenSource, RenderError> {
        let values = self.values(None, None);
        let place = format!("credentials of account {account}");
        let url = at(&place, render(&oauth2.token_url.0, &values, Place::Plain))?;
        let (origin, target) = match url::Url::parse(url.sent()) {
            Ok(whole) => (Some(whole.origin().ascii_serialization()), Text::plain(&whole[url::Position::BeforePath..])),
            Err(_) => (None, after(&self.base_path, &url)),
        };
        let form = |text: &str| at(&place, render(text, &values, Place::Form));
        let mut fields = vec![("grant_type".to_owned(), Text::plain("client_credentials"))];
        if !oauth2.scopes.is_empty() {
            fields.push(("scope".to_owned(), Text::plain(Place::Form.encode(&oauth2.scopes.join(" ")))));
        }
        for (name, value) in &oauth2.parameters {
            fields.push((Place::Form.encode(name), form(&value.0)?));
        }
        let plain = |name: &str, value: &str| (name.to_owned(), Text::plain(value));
        let mut headers =
            vec![plain("Accept", "application/json"), plain("Content-Type", "application/x-www-form-urlencoded")];
        match oauth2.client_authentication {
            ClientAuthentication::Basic => {
                let pair = at(&place, client_pair(oauth2, &values))?;
                headers.push((AUTHORIZATION.to_owned(), after("Basic ", &pair)));
            }
            ClientAuthentication::Body => {
                fields.push(("client_id".to_owned(), form(&oauth2.client_id.0)?));
                fields.push(("client_secret".to_owned(), form(&oauth2.client_secret.0)?));
            }
        }
        let mut body = Text::default();
        for (index, (name, value)) in fields.iter().enumerate() {
            body.push_plain(&format!("{}{name}=", if index == 0 { "" } else { "&" }));
            body.push(value);
        }
        let request = Request { method: http::Method::POST, target, headers, body: Some(body) };
        Ok(TokenSource::Endpoint { origin, request })
    }

    fn token_command(&self, account: &str, command: &TokenCommand) -> Result<TokenSource, RenderError> {
        let values = self.values(None, None);
        let place = format!("credentials of account {account}");
        let words = command.run.iter().map(|word| at(&place, render(&word.0, &values, Place::Plain)));
        Ok(TokenSource::Command {
            words: words.collect::<Result<_, _>>()?,
            time_limit: command.time_limit.duration(),
            valid_for: command.valid_for.map(|period| period.duration()),
        })
    }

    /// Signs a request that is sent to this base URL, where the account signs, and the request does not show other
    /// credentials itself.
    pub(super) fn signed(&self, mut request: Request, account: &str, base_url: &str) -> Result<Request, RenderError> {
        let Some(Auth::AwsSigv4(signature)) = self.auth(account)? else { return Ok(request) };
        if request.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(AUTHORIZATION)) {
            return Ok(request);
        }
        let place = format!("credentials of account {account}");
        at(&place, self.sign(&mut request, signature, base_url))?;
        Ok(request)
    }

    fn sign(&self, request: &mut Request, by: &AwsSignature, base_url: &str) -> Result<(), TemplateError> {
        let values = self.values(None, None);
        let plain = |text: &str| render(text, &values, Place::Plain);
        let (id, secret) = (plain(&by.access_key_id.0)?, plain(&by.secret_access_key.0)?);
        let region = plain(&by.region.0)?;
        let time = humantime::format_rfc3339_seconds(SystemTime::now()).to_string().replace(['-', ':'], "");
        request.headers.push(("X-Amz-Date".to_owned(), Text::plain(time.as_str())));
        let token = by.session_token.as_ref().map(|token| plain(&token.0)).transpose()?;
        if let Some(token) = token.filter(|token| !token.sent().is_empty()) {
            request.headers.push(("X-Amz-Security-Token".to_owned(), token));
        }
        let headers = signed_headers(request, base_url);
        let signable = Signable {
            method: request.method.as_str(),
            target: request.target.sent(),
            headers: &headers,
            content: request.body.as_ref().map_or("", Text::sent).as_bytes(),
        };
        let scope = SigningScope { time: &time, region: region.sent(), service: &by.service };
        let signature = scope.sign(secret.sent(), &signable);
        self.secrets.add_signature(&signature);
        let mut credentials = Text::plain(format!("{ALGORITHM} Credential="));
        credentials.push(&id);
        let rest = format!("/{}, SignedHeaders={}, Signature=", scope.written(), signable.signed_names());
        credentials.push_plain(&rest);
        credentials.push(&Text::new(signature, SIGNATURE));
        request.headers.push((AUTHORIZATION.to_owned(), credentials));
        Ok(())
    }
}

/// The fields that are signed: those that say where to, what kind of content, and whatever the signature itself needs.
fn signed_headers(request: &Request, base_url: &str) -> Vec<(String, String)> {
    let counts = |name: &str| name == "host" || name == "content-type" || name.starts_with("x-amz-");
    let mut headers: Vec<(String, String)> = request
        .headers
        .iter()
        .map(|(name, value)| (name.to_ascii_lowercase(), value.sent().to_owned()))
        .filter(|(name, _)| counts(name))
        .collect();
    if !headers.iter().any(|(name, _)| name == "host") {
        headers.push(("host".to_owned(), authority(base_url)));
    }
    headers
}

/// What the wire sends as `Host`: the port stands there only where it is not the usual one.
fn authority(base_url: &str) -> String {
    let Ok(url) = url::Url::parse(base_url) else { return String::new() };
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// How the token of an account is shown.
fn shown_token(account: &str) -> String {
    format!("${{token of {account}}}")
}

/// The credential that stands in a profile, without the name of its scheme; none where it is made elsewhere.
pub(super) fn credential(auth: &Auth, values: &Values<'_>) -> Result<Option<Text>, TemplateError> {
    let plain = |text: &str| render(text, values, Place::Plain);
    Ok(match auth {
        Auth::Bearer(token) => Some(plain(&token.0)?),
        Auth::Header { name: _, value } => Some(plain(&value.0)?),
        Auth::Basic { username, password } => Some(pair(&plain(&username.0)?, &plain(&password.0)?)),
        Auth::Oauth2(oauth2) => Some(client_pair(oauth2, values)?),
        Auth::AwsSigv4(_) | Auth::Command(_) => None,
    })
}

/// Name and secret of a client, each encoded before they are put together (RFC 6749 section 2.3.1).
fn client_pair(oauth2: &OAuth2, values: &Values<'_>) -> Result<Text, TemplateError> {
    let form = |text: &str| render(text, values, Place::Form);
    Ok(pair(&form(&oauth2.client_id.0)?, &form(&oauth2.client_secret.0)?))
}

fn pair(name: &Text, secret: &Text) -> Text {
    let mut pair = name.clone();
    pair.push_plain(":");
    pair.push(secret);
    let sent = base64::engine::general_purpose::STANDARD.encode(pair.sent());
    Text::new(sent, format!("base64({})", pair.shown()))
}

fn after(beginning: &str, text: &Text) -> Text {
    let mut whole = Text::plain(beginning);
    whole.push(text);
    whole
}

impl super::Profile {
    /// The names of the variables that its credentials use.
    pub fn credential_variables(&self) -> Vec<String> {
        let of_credentials =
            |purpose: &Purpose<'_>| matches!(purpose, Purpose::OwnAccount | Purpose::Account(_) | Purpose::Place(_));
        let used = sites(self).into_iter().filter(|site| of_credentials(&site.purpose));
        let parsed = used.filter_map(|site| Parsed::parse(site.text).ok());
        parsed.flat_map(|parsed| parsed.variables().map(|(name, _)| name.to_owned()).collect::<Vec<_>>()).collect()
    }
}
