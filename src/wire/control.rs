//! The client for what is not under test: counts, cleanup, hooks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use reqwest::redirect::Policy;
use thiserror::Error;

use super::answer::Answer;
use super::attempt::{DEFAULT_BODY_LIMIT, DEFAULT_TIME_LIMIT};
use super::connector::Connector;
use super::fault::sentence;
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
    #[error("the control client cannot be set up: {0}")]
    Setup(String),
    /// The request cannot be written as HTTP.
    #[error("the request cannot be sent: {0}")]
    Invalid(String),
    /// No connection came about.
    #[error("no connection: {0}")]
    Unreachable(String),
    /// The time limit passed.
    #[error("no complete answer within {0:?}")]
    TimedOut(Duration),
    /// The answer's body is over the limit.
    #[error("the body of the answer is larger than {0} bytes")]
    TooLarge(usize),
    /// The exchange failed after a connection stood.
    #[error("the exchange failed: {0}")]
    Interrupted(String),
}

/// A client that sends what it is given, once. It never retries, follows redirects, uses a proxy, decodes content or
/// keeps connections.
#[derive(Clone, Debug)]
pub struct ControlClient {
    client: reqwest::Client,
    options: ControlOptions,
}

impl ControlClient {
    /// A client with the given limits.
    ///
    /// # Errors
    /// [`ControlError::Setup`] where the system does not let one be set up.
    pub fn new(options: ControlOptions) -> Result<Self, ControlError> {
        let client = reqwest::Client::builder()
            .retry(reqwest::retry::never())
            .redirect(Policy::none())
            .no_proxy()
            .pool_max_idle_per_host(0)
            .timeout(options.time_limit)
            .user_agent(concat!("idemspec/", env!("CARGO_PKG_VERSION")))
            // Endpoints have no TLS yet, and looking for the system's certificates fails where there are none.
            .tls_certs_only([])
            .build()
            .map_err(|error| ControlError::Setup(sentence(&error)))?;
        Ok(Self { client, options })
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
        let request = self.build(connector, request, secrets)?;
        self.options.sent.fetch_add(1, Ordering::Relaxed);
        let mut response = self.client.execute(request).await.map_err(|error| self.refused(error, secrets))?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.refused(error, secrets))? {
            if body.len() + chunk.len() > self.options.body_limit {
                return Err(ControlError::TooLarge(self.options.body_limit));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Answer::new(response.status(), response.headers().clone(), body).redacted(secrets))
    }

    fn build(
        &self,
        connector: &Connector,
        request: &Request,
        secrets: &Secrets,
    ) -> Result<reqwest::Request, ControlError> {
        let target = request.target.sent();
        if !target.starts_with('/') {
            return Err(ControlError::Invalid("the request target must begin with `/`".into()));
        }
        let url = format!("http://{}{target}", connector.endpoint().authority());
        let mut builder = self.client.request(request.method.clone(), url);
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
            ControlError::Unreachable(words(error, secrets))
        } else {
            ControlError::Interrupted(words(error, secrets))
        }
    }
}

/// The text of an error, without the URL, which holds the request target.
fn words(error: reqwest::Error, secrets: &Secrets) -> String {
    secrets.redact(&sentence(&error.without_url()))
}
