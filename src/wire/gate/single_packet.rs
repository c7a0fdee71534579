//! Release in a single packet: all copies are streams of one HTTP/2 connection.
//!
//! Of each request that takes part in the burst everything is written but its tail: the last byte of its content, or an
//! empty frame where it has none, with the mark that ends the stream. The acknowledgement of a PING sent after all of
//! that says that it has arrived. Then all tails leave in one write, and so, where they fit, in one segment: whatever
//! delays that segment delays all of them alike.
//!
//! A copy with a time of its own is another stream of the same connection, sent as a whole when that has come: the
//! connection stands already, its round trip is known, and the copies differ in nothing but their time. What cannot be a
//! stream because the server permits no more of them is not sent, and has that as its outcome.

use std::future::poll_fn;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use h2::SendStream;
use h2::client::{ResponseFuture, SendRequest};
use tokio::time::timeout;

use super::start::{Baton, Start, leader};
use super::stream::{Run, read};
use super::{Lap, RaceCopy, together};
use crate::history::{Ending, Outcome, Protocol, SocketError, Timing};
use crate::wire::attempt::{AttemptOptions, Attempted, failed, unconnected};
use crate::wire::channel::Channel;
use crate::wire::connector::Connector;
use crate::wire::fault::Fault;
use crate::wire::http2::{Conversation, Line, message};

/// The connection that all copies share, and when it began.
struct Track {
    began: Instant,
    conversation: Conversation,
}

/// A copy before its end.
enum Lane {
    /// It is not sent, for this reason.
    Out(Fault),
    /// It will be sent when its time has come.
    Later(Box<http::Request<()>>, Bytes),
    /// It is a stream, of which the tail is still here.
    Held(Box<Held>),
}

/// What tells a copy that its time has come.
struct Turn<'t> {
    baton: &'t Baton,
    start: Start,
    first: Instant,
}

/// A stream that waits for its release.
struct Held {
    response: ResponseFuture,
    stream: SendStream<Bytes>,
    /// How many bytes of the content come before the tail.
    before_tail: usize,
    tail: Bytes,
    /// Why it cannot go on, if it cannot.
    fault: Option<Fault>,
}

/// Sends all copies over a connection that was just opened, those that start together in one burst.
pub(super) async fn race(
    connector: &Connector,
    channel: Channel,
    began: Instant,
    copies: &[RaceCopy<'_>],
    options: &AttemptOptions<'_>,
) -> Vec<Lap> {
    let mut track = Track { began, conversation: Conversation::new(channel) };
    let greeted = timeout(options.time_limit, track.conversation.greet()).await;
    let late = |_| Err(Fault::timed_out(options.time_limit, "no settings of an HTTP/2 server"));
    let mut lanes = match greeted.unwrap_or_else(late).and_then(|()| track.enter(connector, copies)) {
        Ok(lanes) => lanes,
        Err(fault) => {
            track.conversation.end(Ending::Closed).await;
            return unopened(began, &fault, copies, options);
        }
    };
    track.hold(&mut lanes, options.time_limit).await;
    let first = track.release(&mut lanes).await;
    let (line, sender) = (track.conversation.line(), track.conversation.sender());
    let leader = leader(copies);
    let baton = Baton::new(leader);
    let course = |(index, (lane, copy)): (usize, (Lane, &RaceCopy<'_>))| {
        let turn = Turn { baton: &baton, start: copy.start, first };
        let course = run(lane, &line, sender.as_ref(), turn, options);
        let baton = &baton;
        async move {
            let run = course.await;
            if leader == Some(index) {
                baton.pass(run.result.is_ok());
            }
            run
        }
    };
    let runs = lanes.into_iter().zip(copies).enumerate().map(course);
    let runs = track.conversation.drive(together(runs)).await;
    let laps = runs.into_iter().zip(copies).map(|(run, copy)| track.lap(run, copy, options)).collect();
    drop((line, sender));
    track.conversation.end(Ending::Closed).await;
    laps
}

/// The record of a race whose connection came to nothing.
pub(super) fn unopened(
    began: Instant,
    fault: &Fault,
    copies: &[RaceCopy<'_>],
    options: &AttemptOptions<'_>,
) -> Vec<Lap> {
    let unopened = |copy: &RaceCopy<'_>| {
        let attempted = unconnected(began, fault.clone(), options);
        let over = attempted.timing.ended;
        Lap { attempted, start: copy.start, released: None, unanswered_until: over }
    };
    copies.iter().map(unopened).collect()
}

impl Track {
    /// Makes a stream of every copy of the burst that finds a place, and gives it all of its request but the tail.
    fn enter(&mut self, connector: &Connector, copies: &[RaceCopy<'_>]) -> Result<Vec<Lane>, Fault> {
        let mut sender = self.conversation.sender().ok_or_else(Fault::closed_early)?;
        let places = sender.current_max_send_streams();
        let mut taken = 0;
        let mut lanes = Vec::with_capacity(copies.len());
        for copy in copies {
            let lane = match message(connector, copy.request) {
                Err(reason) => Lane::Out(Fault::new(SocketError::Other, reason)),
                Ok((head, content)) if copy.start != Start::Together => {
                    Lane::Later(Box::new(head), content.unwrap_or_default())
                }
                Ok(_) if taken == places => Lane::Out(no_place(places)),
                Ok((head, content)) => {
                    taken += 1;
                    let held = Held::open(&mut sender, head, content.unwrap_or_default());
                    held.map_or_else(Lane::Out, |held| Lane::Held(Box::new(held)))
                }
            };
            lanes.push(lane);
        }
        Ok(lanes)
    }

    /// Waits until everything but the tails has arrived, and every tail may leave.
    async fn hold(&mut self, lanes: &mut [Lane], time_limit: Duration) {
        let mut held: Vec<&mut Held> = lanes.iter_mut().filter_map(Lane::held).collect();
        let line = self.conversation.line();
        let written = timeout(time_limit, self.conversation.drive(written(&line, &mut held))).await;
        // What ends the connection meanwhile is told where the answers are awaited.
        let arrived = timeout(time_limit, self.conversation.ping()).await;
        for lane in held {
            if written.is_err() && !lane.may_leave(&line) {
                lane.fault = Some(Fault::timed_out(time_limit, "the server did not take the request"));
            } else if arrived.is_err() {
                lane.fault = Some(Fault::timed_out(time_limit, "no acknowledgement of a PING"));
            }
        }
    }

    /// Lets all tails go in one write, and says when that was.
    async fn release(&mut self, lanes: &mut [Lane]) -> Instant {
        self.conversation.tapped().hold();
        for lane in lanes.iter_mut().filter_map(Lane::held).filter(|lane| lane.fault.is_none()) {
            // A stream that is over already says so where its answer is awaited.
            let _ = lane.stream.send_data(std::mem::take(&mut lane.tail), true);
        }
        self.conversation.flush().await;
        let now = Instant::now();
        let mut tapped = self.conversation.tapped();
        // A connection that is broken says so to every stream.
        let _ = tapped.release();
        let sent = lanes.iter_mut().filter_map(Lane::held).map(|lane| tapped.stream(lane.id()));
        sent.filter(|sent| sent.all_written).filter_map(|sent| sent.last_written).min().unwrap_or(now)
    }

    /// Puts a copy on record.
    fn lap(&self, run: Run, copy: &RaceCopy<'_>, options: &AttemptOptions<'_>) -> Lap {
        let tapped = self.conversation.tapped();
        let socket = tapped.channel().socket();
        let record = run.stream.map(|id| tapped.stream(id)).unwrap_or_default();
        let since = |moment: Instant| moment.saturating_duration_since(options.started);
        let first_read = record.heads_read.front().copied();
        let timing = Timing {
            began: since(self.began),
            connected: Some(since(socket.connected())),
            first_written: record.first_written.map(since),
            last_written: record.last_written.map(since),
            first_read: first_read.map(since),
            ended: since(run.ended),
        };
        let outcome = match run.result {
            Ok(answer) => Outcome::Answered(answer.redacted(options.secrets)),
            Err(fault) => failed(fault, record.written, record.all_written, options),
        };
        let (round_trip, protocol) = (Some(socket.round_trip()), Some(Protocol::Http2));
        Lap {
            attempted: Attempted { outcome, timing, round_trip, protocol },
            start: copy.start,
            released: record.last_written.filter(|_| record.all_written).map(since),
            unanswered_until: since(first_read.unwrap_or(run.ended)),
        }
    }
}

impl Lane {
    fn held(&mut self) -> Option<&mut Held> {
        match self {
            Self::Held(held) => Some(held),
            Self::Out(_) | Self::Later(..) => None,
        }
    }
}

impl Held {
    /// Opens a stream and gives it everything but the tail.
    fn open(sender: &mut SendRequest<Bytes>, head: http::Request<()>, content: Bytes) -> Result<Self, Fault> {
        let (response, mut stream) = sender.send_request(head, false).map_err(|error| Fault::from_h2(&error))?;
        let before_tail = content.len().saturating_sub(1);
        let tail = content.slice(before_tail..);
        let given = if before_tail == 0 { Ok(()) } else { stream.send_data(content.slice(..before_tail), false) };
        stream.reserve_capacity(tail.len());
        Ok(Self { response, stream, before_tail, tail, fault: given.err().map(|error| Fault::from_h2(&error)) })
    }

    fn id(&self) -> u32 {
        self.stream.stream_id().as_u32()
    }

    /// Whether everything but the tail was written, and flow control has room for that.
    fn may_leave(&self, line: &Line) -> bool {
        let sent = line.tapped().stream(self.id());
        sent.head_written
            && sent.content_written == self.before_tail as u64
            && self.stream.capacity() >= self.tail.len()
    }

    /// Whether there is nothing to wait for: the tail may leave, or the stream is over.
    fn is_ready(&mut self, line: &Line, context: &mut Context<'_>) -> bool {
        if self.fault.is_some() || self.stream.poll_reset(context).is_ready() {
            return true;
        }
        while self.stream.capacity() < self.tail.len() {
            match self.stream.poll_capacity(context) {
                Poll::Ready(Some(Ok(_))) => {}
                Poll::Ready(Some(Err(_)) | None) => return true,
                Poll::Pending => return false,
            }
        }
        self.may_leave(line)
    }
}

/// Waits until no stream has to be waited for. The connection must be driven meanwhile.
async fn written(line: &Line, lanes: &mut [&mut Held]) {
    poll_fn(|context| {
        let waiting = lanes.iter_mut().map(|lane| lane.is_ready(line, context)).filter(|ready| !ready).count();
        if waiting == 0 { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

/// Takes a copy to its end. The connection must be driven meanwhile.
async fn run(
    lane: Lane,
    line: &Line,
    sender: Option<&SendRequest<Bytes>>,
    turn: Turn<'_>,
    options: &AttemptOptions<'_>,
) -> Run {
    match lane {
        Lane::Out(fault) => Run::over(None, Err(fault)),
        Lane::Held(held) => {
            let id = held.id();
            let Held { response, stream, fault, .. } = *held;
            let result = match fault {
                Some(fault) => Err(fault),
                None => read(response, id, line, options).await,
            };
            drop(stream);
            Run::over(Some(id), result)
        }
        Lane::Later(head, content) => {
            if let Err(fault) = turn.baton.wait(turn.start, turn.first).await {
                return Run::over(None, Err(fault));
            }
            match sender.ok_or_else(Fault::closed_early).and_then(|sender| send(sender.clone(), *head, content)) {
                Ok((response, id)) => Run::over(Some(id), read(response, id, line, options).await),
                Err(fault) => Run::over(None, Err(fault)),
            }
        }
    }
}

/// Sends a whole request. Where the server has no place for another stream, it leaves when there is one.
fn send(
    mut sender: SendRequest<Bytes>,
    head: http::Request<()>,
    content: Bytes,
) -> Result<(ResponseFuture, u32), Fault> {
    let explain = |error: h2::Error| Fault::from_h2(&error);
    let (response, mut stream) = sender.send_request(head, content.is_empty()).map_err(explain)?;
    if !content.is_empty() {
        stream.send_data(content, true).map_err(explain)?;
    }
    Ok((response, stream.stream_id().as_u32()))
}

fn no_place(places: usize) -> Fault {
    Fault::new(SocketError::Other, format!("not sent: the server takes {places} requests at a time on a connection"))
}
