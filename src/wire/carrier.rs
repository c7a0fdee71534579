//! What carries an exchange: either version of HTTP, seen from above.

use std::time::{Duration, Instant};

use http::Method;

use super::AttemptOptions;
use super::answer::{self, Answer};
use super::channel::Channel;
use super::connector::Connector;
use super::fault::Fault;
use super::http2::{self, Exchange};
use super::loss;
use super::rendering::render;
use super::transport::Transport;
use crate::history::{Ending, LossPoint, Protocol};
use crate::message::Request;

/// An exchange on a connection of its own.
pub(super) enum Carrier {
    Http1(Box<Transport>),
    Http2(Box<Exchange>),
}

/// What is known about an exchange from its own connection.
#[derive(Clone, Debug)]
pub(super) struct Evidence {
    pub(super) protocol: Protocol,
    pub(super) connected: Instant,
    pub(super) round_trip: Duration,
    /// Bytes of the request, without those of TLS; over HTTP/2 of the frames that carry it.
    pub(super) bytes_written: u64,
    pub(super) request_written: bool,
    pub(super) first_written: Option<Instant>,
    pub(super) last_written: Option<Instant>,
    /// When the answer began; interim responses are none.
    pub(super) first_read: Option<Instant>,
    pub(super) status: Option<u16>,
}

impl Carrier {
    /// An exchange in the version of HTTP that the connection speaks.
    ///
    /// # Errors
    /// Says which part of the request cannot be sent.
    pub(super) fn new(connector: &Connector, request: &Request, channel: Channel) -> Result<Self, String> {
        Ok(match channel.protocol() {
            Protocol::Http1 => Self::Http1(Box::new(Transport::new(channel, render(connector, request)?))),
            Protocol::Http2 => {
                let (head, content) = http2::message(connector, request)?;
                Self::Http2(Box::new(Exchange::new(channel, head, content)))
            }
        })
    }

    pub(super) fn protocol(&self) -> Protocol {
        match self {
            Self::Http1(_) => Protocol::Http1,
            Self::Http2(_) => Protocol::Http2,
        }
    }

    /// Sends the request and reads the answer to its end.
    pub(super) async fn read(&mut self, method: &Method, body_limit: usize) -> Result<Answer, Fault> {
        match self {
            Self::Http1(transport) => answer::read(transport, method, body_limit).await,
            Self::Http2(exchange) => exchange.read(body_limit).await,
        }
    }

    /// Drives the exchange to the point where it is to be broken off, and says which point that was.
    pub(super) async fn lose(&mut self, at: LossPoint, options: &AttemptOptions<'_>) -> Result<LossPoint, Fault> {
        match self {
            Self::Http1(transport) => loss::drive_http1(transport, at, options).await,
            Self::Http2(exchange) => loss::drive_http2(exchange, at, options).await,
        }
    }

    pub(super) fn evidence(&self) -> Evidence {
        match self {
            Self::Http1(transport) => Evidence {
                protocol: Protocol::Http1,
                connected: transport.socket().connected(),
                round_trip: transport.socket().round_trip(),
                bytes_written: transport.bytes_written(),
                request_written: transport.request_written(),
                first_written: transport.channel().first_written(),
                last_written: transport.channel().last_written(),
                first_read: transport.first_read(),
                status: transport.status(),
            },
            Self::Http2(exchange) => exchange.evidence(),
        }
    }

    /// Goes away.
    pub(super) async fn end(self, by: Ending) {
        match self {
            Self::Http1(transport) => transport.end(by).await,
            Self::Http2(exchange) => exchange.end(by).await,
        }
    }
}
