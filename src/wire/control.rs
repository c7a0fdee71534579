//! The client for what is not under test: counts, cleanup, hooks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use thiserror::Error;

use super::attempt::{AttemptOptions, DEFAULT_BODY_LIMIT, DEFAULT_TIME_LIMIT, attempt};
use super::connector::Connector;
use super::rendering::render;
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
    /// The request cannot be written as HTTP.
    #[error("the request cannot be sent: {0}")]
    Invalid(String),
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
/// it is given. It never sends again, follows redirects or decodes content.
///
/// It stands on the same ground as the probes: so a proxy, a certificate authority or another address that reaches the
/// target for them reaches it for counts and cleanup as well.
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
            // Nothing is lost on purpose here.
            Outcome::Lost { .. } => Err(ControlError::Interrupted("the exchange was broken off".into())),
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
