//! Release by the last byte, each request on a connection of its own.
//!
//! Every connection is opened first. Of each request that takes part in the burst all bytes but the last are written,
//! and one slowest round trip later, when they must have arrived, the last bytes leave in one loop without a pause. So
//! neither the handshakes nor the sizes of the requests spread the copies. A copy with a time of its own is sent as a
//! whole when that has come: some servers claim a key as soon as they have read the head, so a head that waits
//! would already be a part of the race.

use std::time::{Duration, Instant};

use tokio::time::{sleep_until, timeout};

use super::start::{Baton, Start, leader};
use super::{Lap, RaceCopy, together};
use crate::history::SocketError;
use crate::message::Request;
use crate::wire::answer;
use crate::wire::attempt::{AttemptOptions, Attempted, Exchanged, finish, unconnected};
use crate::wire::carrier::Carrier;
use crate::wire::channel::Channel;
use crate::wire::connector::Connector;
use crate::wire::fault::Fault;
use crate::wire::rendering::render;
use crate::wire::settings::HttpVersion;
use crate::wire::transport::Transport;

/// Sends all copies, each once and over a connection of its own, those that start together in one burst. The first takes a
/// connection that stands already, if there is one.
pub(super) async fn race(
    connector: &Connector,
    mut channel: Option<Channel>,
    copies: &[RaceCopy<'_>],
    options: &AttemptOptions<'_>,
) -> Vec<Lap> {
    let mut lanes = together(copies.iter().map(|copy| enter(connector, channel.take(), copy, options))).await;
    hold(&lanes).await;
    let first = release(&mut lanes);
    let leader = leader(copies);
    let baton = Baton::new(leader);
    let course = |(index, lane)| {
        let baton = &baton;
        async move {
            let leads = leader == Some(index);
            let lap = run(lane, first, leads, baton, options).await;
            if leads {
                // Without an answer to the first there is none to follow.
                baton.pass(false);
            }
            lap
        }
    };
    together(lanes.into_iter().enumerate().map(course)).await
}

/// A copy on its way to the gate, or one that never got a connection.
enum Lane<'r> {
    Ready(Box<Ready<'r>>),
    Out(Attempted),
}

/// A copy whose connection stands.
struct Ready<'r> {
    request: &'r Request,
    start: Start,
    began: Instant,
    transport: Transport,
    /// Why it cannot go on, if it cannot.
    fault: Option<Fault>,
    /// Whether the server answered, or hung up, before the request was complete.
    answered_early: bool,
}

/// Opens the connection of a copy and, if it belongs to the burst, writes all of its request but the last byte.
async fn enter<'r>(
    connector: &Connector,
    channel: Option<Channel>,
    copy: &RaceCopy<'r>,
    options: &AttemptOptions<'_>,
) -> Lane<'r> {
    let began = Instant::now();
    let rendered = match render(connector, copy.request) {
        Ok(rendered) => rendered,
        Err(reason) => return Lane::Out(unconnected(began, Fault::new(SocketError::Other, reason), options)),
    };
    let late = |_| Err(Fault::timed_out(options.time_limit, "no connection"));
    let opened = match channel {
        Some(channel) => Ok(channel),
        None => timeout(options.time_limit, connector.open_for(HttpVersion::Http1)).await.unwrap_or_else(late),
    };
    let channel = match opened {
        Ok(channel) => channel,
        Err(fault) => return Lane::Out(unconnected(began, fault, options)),
    };
    let mut transport = Transport::new(channel, rendered);
    let mut fault = None;
    if copy.start == Start::Together {
        let all_but_one = transport.request().end().saturating_sub(1);
        fault = match timeout(options.time_limit, transport.write_until(all_but_one)).await {
            Ok(written) => written.err(),
            Err(_) => Some(Fault::timed_out(options.time_limit, "the request could not be written")),
        };
    }
    let (request, start) = (copy.request, copy.start);
    Lane::Ready(Box::new(Ready { request, start, began, transport, fault, answered_early: false }))
}

/// Waits until everything that was written must have arrived: one slowest round trip after the last of it.
async fn hold(lanes: &[Lane<'_>]) {
    let sockets = || lanes.iter().filter_map(Lane::ready).map(|ready| ready.transport.socket());
    let slowest = sockets().map(|socket| socket.round_trip()).max().unwrap_or_default();
    if let Some(last) = sockets().filter_map(|socket| socket.last_written()).max() {
        sleep_until((last + slowest).into()).await;
    }
}

/// Writes the last bytes of the burst, and nothing else happens in between. Returns when the first of them left.
fn release(lanes: &mut [Lane<'_>]) -> Instant {
    let mut burst: Vec<&mut Ready<'_>> =
        lanes.iter_mut().filter_map(Lane::ready_mut).filter(|ready| ready.start == Start::Together).collect();
    for ready in &mut burst {
        ready.answered_early = ready.transport.has_news();
    }
    let now = Instant::now();
    for ready in &mut burst {
        if ready.fault.is_none() {
            ready.transport.write_rest_now();
        }
    }
    let released = burst.iter().filter(|ready| ready.transport.request_written());
    released.filter_map(|ready| ready.transport.channel().last_written()).min().unwrap_or(now)
}

/// Takes a copy through the gate to its end. If it leads, it says when its answer has been read.
async fn run(lane: Lane<'_>, first: Instant, leads: bool, baton: &Baton, options: &AttemptOptions<'_>) -> Lap {
    let ready = match lane {
        Lane::Ready(ready) => ready,
        Lane::Out(attempted) => {
            let over = attempted.timing.ended;
            return Lap { attempted, start: Start::Together, released: None, unanswered_until: over };
        }
    };
    let Ready { request, start, began, mut transport, fault, answered_early } = *ready;
    let fault = match (fault, baton.wait(start, first).await) {
        (Some(fault), _) | (None, Err(fault)) => Some(fault),
        (None, Ok(())) => None,
    };
    let exchanged = match fault {
        Some(fault) => Exchanged::Failed(fault),
        None => {
            match timeout(options.time_limit, answer::read(&mut transport, &request.method, options.body_limit)).await {
                Ok(Ok(answer)) => Exchanged::Answered(answer),
                Ok(Err(fault)) => Exchanged::Failed(fault),
                Err(_) => Exchanged::Failed(Fault::timed_out(options.time_limit, "no complete answer")),
            }
        }
    };
    if leads {
        baton.pass(matches!(exchanged, Exchanged::Answered(_)));
    }
    let complete = transport.request_written();
    let attempted = finish(Carrier::Http1(Box::new(transport)), exchanged, began, options).await;
    let released = attempted.timing.last_written.filter(|_| complete);
    let read = attempted.timing.first_read.unwrap_or(attempted.timing.ended);
    let unanswered_until = if answered_early { Duration::ZERO } else { read };
    Lap { attempted, start, released, unanswered_until }
}

impl<'r> Lane<'r> {
    fn ready(&self) -> Option<&Ready<'r>> {
        match self {
            Self::Ready(ready) => Some(ready),
            Self::Out(_) => None,
        }
    }

    fn ready_mut(&mut self) -> Option<&mut Ready<'r>> {
        match self {
            Self::Ready(ready) => Some(ready),
            Self::Out(_) => None,
        }
    }
}
