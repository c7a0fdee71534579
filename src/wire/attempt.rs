//! One attempt, from opening the connection to ending it.

use std::time::{Duration, Instant};

use tokio::time::timeout;

use super::answer::Answer;
use super::carrier::{Carrier, Evidence};
use super::connector::Connector;
use super::fault::Fault;
use super::rendering::render;
use crate::history::{Ending, Loss, LossPoint, Outcome, Protocol, SocketError, Timing};
use crate::message::Request;
use crate::secret::Secrets;

/// How long a whole attempt may take, unless told otherwise.
pub const DEFAULT_TIME_LIMIT: Duration = Duration::from_secs(30);

/// How large the body of an answer may be, unless told otherwise.
pub const DEFAULT_BODY_LIMIT: usize = 4 * 1024 * 1024;

/// Where in the service time an execution loss strikes, unless told otherwise: in the middle.
pub const DEFAULT_FRACTION: f64 = 0.5;

/// How an attempt is made.
#[derive(Clone, Copy, Debug)]
pub struct AttemptOptions<'s> {
    /// The loss to inflict, if any.
    pub lose: Option<Loss>,
    /// How long the server is known to work on such a request: an execution loss strikes within this time.
    pub service_time: Duration,
    /// The fraction of the service time after which an execution loss strikes.
    pub fraction: f64,
    /// How long the whole attempt may take. Ending a connection by a reset may take a few round trips more.
    pub time_limit: Duration,
    /// How large the body of the answer may be, in bytes.
    pub body_limit: usize,
    /// When the run began: all times are counted from there.
    pub started: Instant,
    /// What must not show in an answer or an error text.
    pub secrets: &'s Secrets,
}

impl<'s> AttemptOptions<'s> {
    /// An attempt without a loss, within the usual limits.
    pub fn new(started: Instant, secrets: &'s Secrets) -> Self {
        Self {
            lose: None,
            service_time: Duration::ZERO,
            fraction: DEFAULT_FRACTION,
            time_limit: DEFAULT_TIME_LIMIT,
            body_limit: DEFAULT_BODY_LIMIT,
            started,
            secrets,
        }
    }
}

/// What became of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempted {
    /// What came back, or why nothing did.
    pub outcome: Outcome,
    /// When things happened at our socket.
    pub timing: Timing,
    /// How long it took to open the connection, if it opened: one round trip.
    pub round_trip: Option<Duration>,
    /// The version of HTTP that was spoken, if the connection opened.
    pub protocol: Option<Protocol>,
}

/// How an exchange came to its end.
pub(super) enum Exchanged {
    Answered(Answer),
    Lost(LossPoint),
    Failed(Fault),
}

/// Sends a request once, over a connection of its own, and reads the answer or breaks the exchange off.
///
/// Trouble on the network is an outcome, not an error, and so is a request that cannot be written as HTTP/1.1.
/// Nothing is sent a second time, no redirect is followed, nothing is decoded.
pub async fn attempt(connector: &Connector, request: &Request, options: &AttemptOptions<'_>) -> Attempted {
    let began = Instant::now();
    if let Err(reason) = render(connector, request) {
        return unconnected(began, Fault::new(SocketError::Other, reason), options);
    }
    let channel = match timeout(options.time_limit, connector.open()).await {
        Ok(Ok(channel)) => channel,
        Ok(Err(fault)) => return unconnected(began, fault, options),
        Err(_) => {
            let fault = Fault::timed_out(options.time_limit, "no connection");
            return unconnected(began, fault, options);
        }
    };
    let mut carrier = match Carrier::new(connector, request, channel) {
        Ok(carrier) => carrier,
        Err(reason) => return unconnected(began, Fault::new(SocketError::Other, reason), options),
    };
    let remaining = options.time_limit.saturating_sub(began.elapsed());
    let exchanged = match timeout(remaining, exchange(&mut carrier, request, options)).await {
        Ok(exchanged) => exchanged,
        Err(_) => Exchanged::Failed(Fault::timed_out(options.time_limit, "no complete answer")),
    };
    finish(carrier, exchanged, began, options).await
}

async fn exchange(carrier: &mut Carrier, request: &Request, options: &AttemptOptions<'_>) -> Exchanged {
    if let Some(reason) = options.lose.and_then(|loss| impossible(loss, carrier.protocol())) {
        return Exchanged::Failed(Fault::new(SocketError::Other, reason));
    }
    match options.lose.map(|loss| loss.at) {
        None | Some(LossPoint::Response) => match carrier.read(&request.method, options.body_limit).await {
            Ok(answer) => Exchanged::Answered(answer),
            Err(fault) => Exchanged::Failed(fault),
        },
        Some(at) => match carrier.lose(at, options).await {
            Ok(at) => Exchanged::Lost(at),
            Err(fault) => Exchanged::Failed(fault),
        },
    }
}

/// Why a loss does not exist, if it does not. Then nothing is sent: another loss in its place would tell a lie.
fn impossible(loss: Loss, protocol: Protocol) -> Option<&'static str> {
    match (loss.by, protocol) {
        (Ending::Closed | Ending::Vanished | Ending::Reset, _) => None,
        (Ending::Cancelled, Protocol::Http1) => {
            Some("nothing was sent: HTTP/1.1 cannot cancel an exchange and keep its connection, only HTTP/2 can")
        }
        (Ending::Cancelled, Protocol::Http2) => (!loss.exists())
            .then_some("nothing was sent: there is no exchange to cancel before its head or after its answer"),
    }
}

/// Ends the connection and puts the record together.
pub(super) async fn finish(
    carrier: Carrier,
    exchanged: Exchanged,
    began: Instant,
    options: &AttemptOptions<'_>,
) -> Attempted {
    let by = match (&exchanged, options.lose) {
        (Exchanged::Answered(_) | Exchanged::Lost(_), Some(loss)) => loss.by,
        (Exchanged::Answered(_) | Exchanged::Lost(_), None) | (Exchanged::Failed(_), _) => Ending::Closed,
    };
    // An answer that is complete ends the attempt, however long the farewell takes.
    let complete = matches!(exchanged, Exchanged::Answered(_)).then(|| options.started.elapsed());
    let evidence = carrier.evidence();
    let outcome = outcome(&evidence, exchanged, options);
    let since = |moment: Instant| moment.saturating_duration_since(options.started);
    let timing = Timing {
        began: since(began),
        connected: Some(since(evidence.connected)),
        first_written: evidence.first_written.map(since),
        last_written: evidence.last_written.map(since),
        first_read: evidence.first_read.map(since),
        ended: Duration::ZERO,
    };
    carrier.end(by).await;
    Attempted {
        outcome,
        timing: Timing { ended: complete.unwrap_or_else(|| options.started.elapsed()), ..timing },
        round_trip: Some(evidence.round_trip),
        protocol: Some(evidence.protocol),
    }
}

fn outcome(evidence: &Evidence, exchanged: Exchanged, options: &AttemptOptions<'_>) -> Outcome {
    let bytes_written = evidence.bytes_written;
    match exchanged {
        Exchanged::Answered(answer) => {
            let response = answer.redacted(options.secrets);
            if options.lose.is_some() { Outcome::Hidden(response) } else { Outcome::Answered(response) }
        }
        Exchanged::Lost(at) => Outcome::Lost { at, bytes_written, status: evidence.status },
        Exchanged::Failed(fault) => failed(fault, bytes_written, evidence.request_written, options),
    }
}

/// An exchange that failed.
pub(super) fn failed(fault: Fault, bytes_written: u64, request_written: bool, options: &AttemptOptions<'_>) -> Outcome {
    let detail = options.secrets.redact(&fault.detail);
    Outcome::Failed { error: fault.error, bytes_written, request_written, detail }
}

/// The record of an attempt that never had a connection.
pub(super) fn unconnected(began: Instant, fault: Fault, options: &AttemptOptions<'_>) -> Attempted {
    let timing = Timing {
        began: began.saturating_duration_since(options.started),
        ended: options.started.elapsed(),
        ..Timing::default()
    };
    Attempted { outcome: failed(fault, 0, false, options), timing, round_trip: None, protocol: None }
}
