//! The client for what is not under test: counts, cleanup, hooks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use reqwest::redirect::Policy;
use thiserror::Error;
use tokio_rustls::rustls::{self, ClientConfig};

use super::answer::Answer;
use super::attempt::{AttemptOptions, DEFAULT_BODY_LIMIT, DEFAULT_TIME_LIMIT, attempt};
use super::connector::Connector;
use super::fault::sentence;
use super::rendering::render;
use super::settings::{ConnectionSettings, HttpVersion, SettingsError};
use super::tls;
use crate::history::{Outcome, SocketError};
use crate::message::{Request, Response};
use crate::secret::Secrets;

/// How control requests are made.
#[derive(Clone, Debug)]
pub struct ControlOptions {
    /// How long a request may take, from connecting to the last byte of its answer.
    pub time_limit: Duration,
    /// How large the body of an answer may be, in bytes.
    pub body_limit: usize,
    /// Counts every request that is sent; several clients may share it.
    pub sent: Arc<AtomicU64>,
}

impl Default for ControlOptions {
    fn default() -> Self {
        Self { time_limit: DEFAULT_TIME_LIMIT, body_limit: DEFAULT_BODY_LIMIT, sent: Arc::default() }
    }
}

/// Why a control request has no answer. Secrets are replaced, and no message holds a URL.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ControlError {
    /// The client could not be set up.
    #[error("the client for counts and cleanup cannot be set up: {0}")]
    Setup(String),
    /// The request cannot be written as HTTP.
    #[error("the request cannot be sent: {0}")]
    Invalid(String),
    /// There is no token to send it with.
    #[error("nothing was sent: {0}")]
    Unauthorised(String),
    /// No connection came about.
    #[error("no connection: {0}")]
    Unreachable(String),
    /// The time limit passed.
    #[error("no complete answer within {0:?}")]
    TimedOut(Duration),
    /// The answer is over a limit.
    #[error("the answer is too large: {0}")]
    TooLarge(String),
    /// The exchange failed after a connection stood.
    #[error("the exchange failed: {0}")]
    Interrupted(String),
}

/// A client that sends what it is given, once, over a connection of its own, by the settings of the [`Connector`] that
/// it is given. It never sends again, follows redirects, decodes content or keeps connections.
///
/// It is reqwest, so that a mistake in the probes' own client cannot hide in the counts that judge them. Where reqwest
/// cannot be led the way that the probes take (`--connect-to`, HTTP/2 without TLS through a proxy), their client sends
/// the request: a count that takes another way may count at another server.
#[derive(Clone, Debug, Default)]
pub struct ControlClient {
    options: ControlOptions,
}

impl ControlClient {
    /// A client with the given limits.
    pub fn new(options: ControlOptions) -> Self {
        Self { options }
    }

    /// How many requests were sent by all clients that share the counter.
    pub fn requests_sent(&self) -> u64 {
        self.options.sent.load(Ordering::Relaxed)
    }

    /// Sends a request and reads the answer in full.
    ///
    /// # Errors
    /// Says why there is no answer. An answer with an error status is an answer.
    pub async fn send(
        &self,
        connector: &Connector,
        request: &Request,
        secrets: &Secrets,
    ) -> Result<Response, ControlError> {
        match connector.control() {
            Some(client) => {
                let client = client.map_err(|error| ControlError::Setup(error.to_string()))?;
                self.send_by(&client, connector, request, secrets).await
            }
            None => self.send_as_probe(connector, request, secrets).await,
        }
    }

    async fn send_by(
        &self,
        client: &reqwest::Client,
        connector: &Connector,
        request: &Request,
        secrets: &Secrets,
    ) -> Result<Response, ControlError> {
        let request = self.build(client, connector, request, secrets)?;
        self.options.sent.fetch_add(1, Ordering::Relaxed);
        let mut response = client.execute(request).await.map_err(|error| self.refused(error, secrets))?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.refused(error, secrets))? {
            if body.len() + chunk.len() > self.options.body_limit {
                let limit = self.options.body_limit;
                return Err(ControlError::TooLarge(format!("the body is larger than {limit} bytes")));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Answer::new(response.status(), response.headers().clone(), body).redacted(secrets))
    }

    fn build(
        &self,
        client: &reqwest::Client,
        connector: &Connector,
        request: &Request,
        secrets: &Secrets,
    ) -> Result<reqwest::Request, ControlError> {
        let target = request.target.sent();
        if !target.starts_with('/') {
            return Err(ControlError::Invalid("the request target must begin with `/`".into()));
        }
        let endpoint = connector.endpoint();
        let scheme = if endpoint.is_secure() { "https" } else { "http" };
        let url = format!("{scheme}://{}{target}", endpoint.authority());
        let mut builder = client.request(request.method.clone(), url).timeout(self.options.time_limit);
        for (name, value) in &request.headers {
            builder = builder.header(name, value.sent());
        }
        if let Some(body) = &request.body {
            builder = builder.body(body.sent().to_owned());
        }
        builder.build().map_err(|error| ControlError::Invalid(words(error, secrets)))
    }

    fn refused(&self, error: reqwest::Error, secrets: &Secrets) -> ControlError {
        if error.is_timeout() {
            ControlError::TimedOut(self.options.time_limit)
        } else if error.is_connect() {
            let advice = certificate_error(&error).map(|cause| format!("{}: ", tls::words(cause)));
            ControlError::Unreachable(advice.unwrap_or_default() + &words(error, secrets))
        } else {
            ControlError::Interrupted(words(error, secrets))
        }
    }

    async fn send_as_probe(
        &self,
        connector: &Connector,
        request: &Request,
        secrets: &Secrets,
    ) -> Result<Response, ControlError> {
        render(connector, request).map_err(|reason| ControlError::Invalid(secrets.redact(&reason)))?;
        self.options.sent.fetch_add(1, Ordering::Relaxed);
        let options = AttemptOptions {
            time_limit: self.options.time_limit,
            body_limit: self.options.body_limit,
            ..AttemptOptions::new(Instant::now(), secrets)
        };
        let attempted = attempt(connector, request, &options).await;
        match attempted.outcome {
            Outcome::Answered(response) | Outcome::Hidden(response) => Ok(response),
            Outcome::Failed { error, detail, .. } => Err(self.silence(error, detail, attempted.round_trip.is_some())),
            // Nothing is lost on purpose here, and this process still runs.
            Outcome::Lost { .. } | Outcome::Swallowed => {
                Err(ControlError::Interrupted("the exchange was broken off".into()))
            }
        }
    }

    fn silence(&self, error: SocketError, detail: String, connected: bool) -> ControlError {
        let words = format!("{} ({detail})", error.words());
        match error {
            SocketError::TimedOut => ControlError::TimedOut(self.options.time_limit),
            SocketError::TooLarge => ControlError::TooLarge(detail),
            SocketError::Unresolved
            | SocketError::Refused
            | SocketError::Reset
            | SocketError::ClosedEarly
            | SocketError::Tls
            | SocketError::Malformed
            | SocketError::Other => {
                if connected {
                    ControlError::Interrupted(words)
                } else {
                    ControlError::Unreachable(words)
                }
            }
        }
    }
}

/// Sets reqwest up by the settings that the probes' own connections have. The environment has no say in it.
pub(super) fn configure(
    settings: &ConnectionSettings,
    tls: Option<Arc<ClientConfig>>,
) -> Result<reqwest::Client, SettingsError> {
    let mut builder = reqwest::Client::builder()
        .retry(reqwest::retry::never())
        .redirect(Policy::none())
        .no_proxy()
        .pool_max_idle_per_host(0);
    builder = match tls {
        Some(config) => {
            let mut config = ClientConfig::clone(&config);
            config.alpn_protocols = tls::offered(settings.version);
            builder.tls_backend_preconfigured(config)
        }
        // Looking for the system's certificates fails where there are none, and none are needed.
        None => builder.tls_certs_only([]),
    };
    builder = match settings.version {
        HttpVersion::Auto => builder,
        HttpVersion::Http1 => builder.http1_only(),
        HttpVersion::Http2 => builder.http2_prior_knowledge(),
    };
    if let Some(agent) = settings.user_agent() {
        builder = builder.user_agent(agent);
    }
    let refused = |error: reqwest::Error| SettingsError::Control(sentence(&error.without_url()));
    if let Some(proxy) = &settings.proxy {
        let mut way = reqwest::Proxy::all(proxy.to_string()).map_err(refused)?;
        if let Some((user, password)) = proxy.credentials() {
            way = way.basic_auth(user, password);
        }
        builder = builder.proxy(way);
    }
    builder.build().map_err(refused)
}

/// The text of an error, without the URL, which holds the request target.
fn words(error: reqwest::Error, secrets: &Secrets) -> String {
    secrets.redact(&sentence(&error.without_url()))
}

/// What TLS has against the peer, if that is what an error is about.
fn certificate_error(error: &reqwest::Error) -> Option<&rustls::Error> {
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        if let Some(found) = inner.downcast_ref::<std::io::Error>().and_then(tls::cause) {
            return Some(found);
        }
        cause = inner.source();
    }
    None
}
