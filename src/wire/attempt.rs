//! One attempt, from opening the connection to ending it.

use std::io;
use std::time::{Duration, Instant};

use tokio::time::timeout;

use super::answer::{self, Answer};
use super::connector::Connector;
use super::fault::Fault;
use super::loss;
use super::rendering::render;
use super::socket::Socket;
use super::transport::Transport;
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
    let rendered = match render(connector.endpoint(), request) {
        Ok(rendered) => rendered,
        Err(reason) => return unconnected(began, Fault::new(SocketError::Other, reason), options),
    };
    let socket = match timeout(options.time_limit, open(connector)).await {
        Ok(Ok(socket)) => socket,
        Ok(Err(fault)) => return unconnected(began, fault, options),
        Err(_) => {
            let fault = Fault::timed_out(options.time_limit, "no connection");
            return unconnected(began, fault, options);
        }
    };
    let mut transport = Transport::new(socket, rendered);
    let remaining = options.time_limit.saturating_sub(began.elapsed());
    let exchanged = match timeout(remaining, exchange(&mut transport, request, options)).await {
        Ok(exchanged) => exchanged,
        Err(_) => Exchanged::Failed(Fault::timed_out(options.time_limit, "no complete answer")),
    };
    finish(transport, exchanged, began, options).await
}

async fn exchange(transport: &mut Transport, request: &Request, options: &AttemptOptions<'_>) -> Exchanged {
    match options.lose.map(|loss| loss.at) {
        None | Some(LossPoint::Response) => match answer::read(transport, &request.method, options.body_limit).await {
            Ok(answer) => Exchanged::Answered(answer),
            Err(fault) => Exchanged::Failed(fault),
        },
        Some(at) => match loss::drive(transport, at, options).await {
            Ok(at) => Exchanged::Lost(at),
            Err(fault) => Exchanged::Failed(fault),
        },
    }
}

/// Ends the connection and puts the record together.
pub(super) async fn finish(
    transport: Transport,
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
    let outcome = outcome(&transport, exchanged, options);
    let since = |moment: Instant| moment.saturating_duration_since(options.started);
    let socket = transport.socket();
    let round_trip = Some(socket.round_trip());
    let timing = Timing {
        began: since(began),
        connected: Some(since(socket.connected())),
        first_written: socket.first_written().map(since),
        last_written: socket.last_written().map(since),
        first_read: transport.first_read().map(since),
        ended: Duration::ZERO,
    };
    transport.end(by).await;
    Attempted {
        outcome,
        timing: Timing { ended: complete.unwrap_or_else(|| options.started.elapsed()), ..timing },
        round_trip,
        protocol: Some(Protocol::Http1),
    }
}

fn outcome(transport: &Transport, exchanged: Exchanged, options: &AttemptOptions<'_>) -> Outcome {
    let bytes_written = transport.bytes_written();
    match exchanged {
        Exchanged::Answered(answer) => {
            let response = answer.redacted(options.secrets);
            if options.lose.is_some() { Outcome::Hidden(response) } else { Outcome::Answered(response) }
        }
        Exchanged::Lost(at) => Outcome::Lost { at, bytes_written, status: transport.status() },
        Exchanged::Failed(fault) => failed(fault, bytes_written, transport.request_written(), options),
    }
}

fn failed(fault: Fault, bytes_written: u64, request_written: bool, options: &AttemptOptions<'_>) -> Outcome {
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

/// Opens a connection to the first address of the endpoint that takes one.
pub(super) async fn open(connector: &Connector) -> Result<Socket, Fault> {
    let endpoint = connector.endpoint();
    let unresolved = |reason: String| Fault::new(SocketError::Unresolved, reason);
    let addresses = tokio::net::lookup_host((endpoint.host(), endpoint.port()))
        .await
        .map_err(|error| unresolved(error.to_string()))?;
    let mut last_error: Option<io::Error> = None;
    for address in addresses {
        match Socket::open(address).await {
            Ok(socket) => return Ok(socket),
            Err(error) => last_error = Some(error),
        }
    }
    Err(last_error
        .map(|error| Fault::from_io(&error))
        .unwrap_or_else(|| unresolved(format!("`{}` has no address", endpoint.host()))))
}
