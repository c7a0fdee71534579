//! Tokens: fetched once for each account, again before they expire or when one is refused, and shown to nobody.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::Mutex;

use super::pace::CapReached;
use super::{Context, Recorder, command};
use crate::history::EventKind;
use crate::journal::WriteError;
use crate::message::{Request, Response};
use crate::profile::{Bound, DEFAULT, RenderError, TokenSource};
use crate::secret::Secrets;
use crate::wire::{ControlError, Endpoint};

/// A token is renewed so long before it expires, or at half of its time where that is later.
const LONGEST_MARGIN: Duration = Duration::from_secs(60);

/// How often a token endpoint is asked that may be busy.
const MOST_TRIES: u32 = 3;

/// How long it is waited before the first further try.
const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// How much of what a program or an endpoint says is repeated.
const LONGEST_QUOTE: usize = 300;

/// Tells one token of an account from the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TokenNumber(u64);

/// A token that an account has.
#[derive(Clone, Copy, Debug)]
struct Held {
    number: TokenNumber,
    /// When it is to be renewed, if that is known.
    until: Option<Instant>,
}

/// The tokens of a run's accounts.
#[derive(Debug, Default)]
pub struct Tokens {
    /// Whoever fetches a token holds the lock of its account: all others wait for that token.
    accounts: BTreeMap<String, Mutex<(u64, Option<Held>)>>,
    /// Where the credentials stand in the profile's file, by account.
    places: BTreeMap<String, String>,
    /// Requests that tokens took and that are not yet written down.
    requests: AtomicU64,
}

/// Why an account has no token. Secrets are replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenError {
    /// Where the credentials stand.
    place: String,
    account: String,
    reason: String,
    /// What to check.
    advice: &'static str,
    /// Whether nobody was asked, because the cap on requests is reached.
    capped: bool,
}

impl TokenError {
    /// Whether nobody was asked, because the cap on requests is reached.
    pub(super) fn is_of_the_cap(&self) -> bool {
        self.capped
    }
}

impl fmt::Display for TokenError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, account, reason, advice, capped: _ } = self;
        write!(formatter, "{place}: account `{account}` has no token: {reason}\n   {advice}")
    }
}

impl std::error::Error for TokenError {}

/// A token that was given.
struct Given {
    token: String,
    lifetime: Option<Duration>,
}

/// Why none was given.
struct Refusal {
    reason: String,
    advice: &'static str,
    /// Whether it may be given a moment later.
    passes: bool,
    /// Whether nobody was asked, because the cap on requests is reached.
    capped: bool,
}

impl Tokens {
    /// No tokens yet, for every account that needs one. `place` says where in the profile something stands, by its JSON
    /// pointer.
    pub fn of(bound: &Bound, place: impl Fn(&str) -> Option<String>) -> Self {
        let accounts = bound.token_accounts();
        let placed = accounts.iter().map(|account| {
            let at = if account == DEFAULT { "/target/auth".to_owned() } else { format!("/target/accounts/{account}") };
            let name = at.trim_start_matches('/').replace('/', ".");
            let whole = place(&at).map_or_else(|| name.clone(), |file| format!("{file} ({name})"));
            (account.clone(), whole)
        });
        Self {
            places: placed.collect(),
            accounts: accounts.into_iter().map(|name| (name, Mutex::default())).collect(),
            requests: AtomicU64::new(0),
        }
    }

    /// Fetches a token for every account that needs one, and sets one request aside for each that comes from an endpoint:
    /// whoever removes effects may need another.
    ///
    /// # Errors
    /// The first that is not to be had.
    pub async fn fetch_all(context: &Context) -> Result<(), TokenError> {
        for account in context.tokens.accounts.keys() {
            context.tokens.held(context, account).await?;
        }
        for account in context.bound.token_endpoints().iter().filter(|_| context.clean_up) {
            let refused = |CapReached| context.tokens.error(context, account, capped());
            context.pace.set_aside().map_err(refused)?;
        }
        Ok(())
    }

    /// Counts a request: one to a token endpoint, or one that is sent again because its token was refused.
    pub(super) fn count(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
    }

    /// Writes down how many requests tokens took since this was written down last.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn note(&self, recorder: &Recorder) -> Result<(), WriteError> {
        match self.requests.swap(0, Ordering::Relaxed) {
            0 => Ok(()),
            requests => recorder.record(None, EventKind::TokensTook { requests }),
        }
    }

    /// Sees to it that an account has a token that counts, and writes down what that took. `None` where it needs none.
    pub(super) async fn ready(&self, context: &Context, account: &str) -> Result<Option<TokenNumber>, TokenError> {
        let held = self.held(context, account).await;
        // Whatever the token is for is written down next. If that cannot be done, it is said then.
        drop(self.note(&context.recorder));
        held
    }

    async fn held(&self, context: &Context, account: &str) -> Result<Option<TokenNumber>, TokenError> {
        let Some(account_lock) = self.accounts.get(account) else { return Ok(None) };
        let mut state = account_lock.lock().await;
        let counts = |held: &Held| held.until.is_none_or(|until| Instant::now() < until);
        if let Some(held) = state.1.filter(counts) {
            return Ok(Some(held.number));
        }
        // Behind a pointer: every attempt would carry the room for it otherwise.
        let given = Box::pin(self.fetch(context, account)).await?;
        context.bound.set_token(account, &given.token);
        let number = TokenNumber(state.0 + 1);
        let until = given.lifetime.map(|lifetime| Instant::now() + lifetime - margin(lifetime));
        *state = (number.0, Some(Held { number, until }));
        Ok(Some(number))
    }

    /// Gives up a token that was refused, unless there is already another.
    pub(super) async fn give_up(&self, account: &str, refused: TokenNumber) {
        if let Some(account) = self.accounts.get(account) {
            let mut state = account.lock().await;
            state.1 = state.1.filter(|held| held.number != refused);
        }
    }

    /// Notes that the target's clock was moved: its tokens are older by that.
    pub(super) async fn age(&self, by: Duration) {
        for account in self.accounts.values() {
            let mut state = account.lock().await;
            if let Some(held) = &mut state.1 {
                held.until = held.until.map(|until| until.checked_sub(by).unwrap_or_else(Instant::now));
            }
        }
    }

    async fn fetch(&self, context: &Context, account: &str) -> Result<Given, TokenError> {
        let mut pause = FIRST_PAUSE;
        let mut tries = 1;
        loop {
            match given(context, account).await {
                Ok(given) => return Ok(given),
                Err(refusal) if refusal.passes && tries < MOST_TRIES => {
                    tokio::time::sleep(pause).await;
                    (pause, tries) = (pause * 2, tries + 1);
                }
                Err(refusal) => return Err(self.error(context, account, refusal)),
            }
        }
    }

    fn error(&self, context: &Context, account: &str, refusal: Refusal) -> TokenError {
        TokenError {
            place: self.places.get(account).cloned().unwrap_or_default(),
            account: account.to_owned(),
            reason: context.bound.secrets().redact(&refusal.reason),
            advice: refusal.advice,
            capped: refusal.capped,
        }
    }
}

fn margin(lifetime: Duration) -> Duration {
    LONGEST_MARGIN.min(lifetime / 2)
}

async fn given(context: &Context, account: &str) -> Result<Given, Refusal> {
    let unrendered = |error: RenderError| refusal(error.to_string(), "check the credentials of the profile");
    match context.bound.token_source(account).map_err(unrendered)? {
        Some(TokenSource::Endpoint { origin, request }) => ask(context, origin.as_deref(), &request).await,
        Some(TokenSource::Command { words, time_limit, valid_for }) => {
            let advice = "check the `command`: it must print the token alone, and end with status 0";
            let printed = command::print(&words, time_limit, "time_limit", &context.interrupt).await;
            let printed = printed.map_err(|reason| refusal(reason, advice))?;
            let token =
                sendable(printed.trim()).map_err(|reason| refusal(format!("what it printed {reason}"), advice))?;
            Ok(Given { token, lifetime: valid_for })
        }
        None => Err(refusal("the account needs no token".to_owned(), "this is a mistake of the program")),
    }
}

fn refusal(reason: String, advice: &'static str) -> Refusal {
    Refusal { reason, advice, passes: false, capped: false }
}

/// The cap on requests leaves no room for the one that asks for a token.
fn capped() -> Refusal {
    let reason = "the cap of --max-requests leaves no request for it".to_owned();
    Refusal {
        capped: true,
        ..refusal(reason, "raise `--max-requests`: tokens count, and may be needed for the cleanup")
    }
}

/// What to check where an endpoint is not the right one.
const CHECK_URL: &str = "check `token_url`: it must be the token endpoint of the same environment as the credentials";

/// Asks a token endpoint. What it answers is the token, which is no secret to be replaced before it is known.
async fn ask(context: &Context, origin: Option<&str>, request: &Request) -> Result<Given, Refusal> {
    let connector = match origin {
        None => context.connector.clone(),
        Some(origin) => {
            let endpoint = Endpoint::parse(origin).map_err(|error| refusal(error.to_string(), CHECK_URL))?;
            context.connector.to(endpoint)
        }
    };
    let whole = format!("{}{}", connector.endpoint().authority(), request.target.shown());
    context.pace.take_for_token().map_err(|CapReached| capped())?;
    context.pace.turn(1).await;
    context.tokens.count();
    match context.control.send(&connector, request, &Secrets::new()).await {
        Ok(response) => read(&response).map_err(|refusal| Refusal {
            reason: format!("the token endpoint {whole} answered {}", refusal.reason),
            ..refusal
        }),
        Err(error) => Err(Refusal {
            reason: format!("the token endpoint {whole} did not answer: {error}"),
            passes: matches!(error, ControlError::Unreachable(_) | ControlError::Interrupted(_)),
            ..refusal(String::new(), CHECK_URL)
        }),
    }
}

/// Reads the answer of a token endpoint (RFC 6749 section 5).
fn read(response: &Response) -> Result<Given, Refusal> {
    let status = response.status;
    let Some(Value::Object(said)) = response.json() else {
        let kind = response.header("content-type").unwrap_or("no content type");
        return Err(Refusal {
            passes: matches!(status, 429 | 502..=504),
            ..refusal(format!("{status} with something that is not JSON ({kind})"), CHECK_URL)
        });
    };
    let text = |name: &str| said.get(name).and_then(Value::as_str);
    if !(200..300).contains(&status) {
        let words: Vec<&str> = ["error", "error_description"].into_iter().filter_map(text).collect();
        let words = if words.is_empty() { "without saying why".to_owned() } else { words.join(": ") };
        let advice = "check `client_id`, `client_secret`, `scopes`, and that `token_url` is of the same environment; some \
                      endpoints take `client_authentication: body` only";
        let passes = matches!(status, 429 | 502..=504);
        return Err(Refusal { passes, ..refusal(format!("{status}: {}", quoted(&words)), advice) });
    }
    let Some(token) = text("access_token").filter(|token| !token.is_empty()) else {
        return Err(refusal(format!("{status} without an `access_token`"), CHECK_URL));
    };
    if let Some(kind) = text("token_type").filter(|kind| !kind.eq_ignore_ascii_case("bearer")) {
        return Err(refusal(
            format!("{status} with a token of type `{}`", quoted(kind)),
            "only bearer tokens can be shown",
        ));
    }
    let token = sendable(token).map_err(|reason| refusal(format!("{status} with a token that {reason}"), CHECK_URL))?;
    let seconds = said.get("expires_in").and_then(|value| match value {
        Value::String(text) => text.trim().parse::<f64>().ok(),
        other => other.as_f64(),
    });
    let lifetime = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    Ok(Given { token, lifetime })
}

/// A token that can stand in a header field.
fn sendable(token: &str) -> Result<String, &'static str> {
    if token.is_empty() {
        return Err("is empty");
    }
    if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err("has blanks or other characters that cannot stand in a header field");
    }
    Ok(token.to_owned())
}

fn quoted(words: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(LONGEST_QUOTE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, body: &str) -> Response {
        Response { status, headers: vec![("content-type".into(), "text/html".into())], body: body.into() }
    }

    fn reason(status: u16, body: &str) -> String {
        read(&answer(status, body)).map_or_else(|refusal| refusal.reason, |given| given.token)
    }

    #[test]
    fn a_token_is_read_with_its_lifetime() {
        for expires in ["7200", "\"7200\"", "7.2e3"] {
            let body = format!(r#"{{"access_token":"t-1","token_type":"bearer","expires_in":{expires}}}"#);
            let given = read(&answer(200, &body)).unwrap_or_else(|refusal| panic!("{}", refusal.reason));
            assert_eq!((given.token.as_str(), given.lifetime), ("t-1", Some(Duration::from_secs(7200))));
        }
        assert!(read(&answer(200, r#"{"access_token":"t"}"#)).is_ok_and(|given| given.lifetime.is_none()));
    }

    #[test]
    fn what_is_no_token_says_why() {
        assert_eq!(
            reason(401, r#"{"error":"invalid_client","error_description":"no  such\nclient"}"#),
            "401: invalid_client: no such client"
        );
        assert_eq!(reason(200, "<html>"), "200 with something that is not JSON (text/html)");
        assert_eq!(reason(200, "{}"), "200 without an `access_token`");
        assert!(reason(200, r#"{"access_token":"t","token_type":"mac"}"#).contains("`mac`"));
        assert!(reason(200, r#"{"access_token":"a b"}"#).contains("blanks"));
    }

    #[test]
    fn tokens_are_renewed_before_they_expire() {
        assert_eq!(margin(Duration::from_secs(3600)), LONGEST_MARGIN);
        assert_eq!(margin(Duration::from_secs(20)), Duration::from_secs(10));
    }
}
