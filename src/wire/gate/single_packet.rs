//! Release in a single packet: all copies are streams of one HTTP/2 connection.
//!
//! Of each request that takes part in the burst everything is written but its tail: the last byte of its content, or an
//! empty frame where it has none, with the mark that ends the stream. The acknowledgement of a PING sent after all of
//! that says that it has arrived. Then all tails leave in one write, and so, where they fit, in one segment: whatever
//! delays that segment delays all of them alike.
//!
//! A copy with a delay of its own is another stream of the same connection, sent as a whole when its time has come: the
//! connection stands already, its round trip is known, and the copies differ in nothing but their time. What cannot be a
//! stream because the server permits no more of them is not sent, and has that as its outcome.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use h2::client::{Connection, ResponseFuture, SendRequest};
use h2::{Ping, PingPong, SendStream};
use tokio::time::{sleep_until, timeout};

use super::{Lap, RaceCopy, together};
use crate::history::{Ending, Outcome, Protocol, SocketError, Timing};
use crate::wire::answer::Answer;
use crate::wire::attempt::{AttemptOptions, Attempted, failed, unconnected};
use crate::wire::connector::Connector;
use crate::wire::cork::{Cork, Corked, cork};
use crate::wire::fault::Fault;
use crate::wire::frames::Trace;
use crate::wire::socket::Socket;

/// The largest head of an answer, in bytes.
const HEAD_LIMIT: u32 = 64 * 1024;

/// The connection that all copies share.
struct Line {
    began: Instant,
    connected: Instant,
    round_trip: Duration,
    cork: Cork<Socket>,
    /// Absent once it is over.
    connection: Option<Connection<Corked<Socket>, Bytes>>,
    sender: SendRequest<Bytes>,
    ping: Option<PingPong>,
}

/// A copy before its end.
enum Lane {
    /// It is not sent, for this reason.
    Out(Fault),
    /// It will be sent when its time has come.
    Later(http::Request<()>, Bytes),
    /// It is a stream, of which the tail is still here.
    Held(Box<Held>),
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

/// What became of a copy, before it is put on record.
struct Run {
    stream: Option<u32>,
    result: Result<Answer, Fault>,
    ended: Instant,
}

/// Sends all copies over a connection that was just opened, those without a delay in one burst.
pub(super) async fn race(
    connector: &Connector,
    socket: Socket,
    began: Instant,
    copies: &[RaceCopy<'_>],
    options: &AttemptOptions<'_>,
) -> Vec<Lap> {
    let mut line = match timeout(options.time_limit, Line::open(socket, began)).await {
        Ok(Ok(line)) => line,
        Ok(Err(fault)) => return copies.iter().map(|copy| unopened(copy, began, fault.clone(), options)).collect(),
        Err(_) => {
            let fault = Fault::timed_out(options.time_limit, "no HTTP/2 connection");
            return copies.iter().map(|copy| unopened(copy, began, fault.clone(), options)).collect();
        }
    };
    let mut lanes = line.enter(connector, copies);
    line.hold(&mut lanes, options.time_limit).await;
    let first = line.release(&mut lanes).await;
    let sender = line.sender.clone();
    let runs = lanes.into_iter().zip(copies).map(|(lane, copy)| run(lane, &sender, first + copy.delay, options));
    let runs = line.during(together(runs)).await;
    let laps = runs.into_iter().zip(copies).map(|(run, copy)| line.lap(run, copy, options)).collect();
    line.end().await;
    laps
}

impl Line {
    /// Begins to speak HTTP/2, and waits for the server's settings.
    async fn open(socket: Socket, began: Instant) -> Result<Self, Fault> {
        let (connected, round_trip) = (socket.connected(), socket.round_trip());
        let (corked, cork) = cork(socket);
        let mut builder = h2::client::Builder::new();
        builder.enable_push(false).max_header_list_size(HEAD_LIMIT);
        let (sender, mut connection) = builder.handshake(corked).await.map_err(|error| fault(&error))?;
        let ping = connection.ping_pong();
        let mut line = Self { began, connected, round_trip, cork, connection: Some(connection), sender, ping };
        // A server's settings are its first frame, so they are here when a PING comes back.
        line.round_trip().await?;
        Ok(line)
    }

    /// Waits until everything that was sent has arrived: the server takes frames in their order.
    async fn round_trip(&mut self) -> Result<(), Fault> {
        let Some(mut ping) = self.ping.take() else { return Ok(()) };
        let pong = self.during(ping.ping(Ping::opaque())).await;
        self.ping = Some(ping);
        pong.map(|_| ()).map_err(|error| fault(&error))
    }

    /// Waits for something while the connection is driven, on this task.
    async fn during<F: Future>(&mut self, awaited: F) -> F::Output {
        let mut awaited = pin!(awaited);
        poll_fn(|context| {
            self.drive(context);
            awaited.as_mut().poll(context)
        })
        .await
    }

    /// Lets the connection read and write what it can. Its end is told to every stream.
    fn drive(&mut self, context: &mut Context<'_>) {
        let over = self.connection.as_mut().is_some_and(|connection| Pin::new(connection).poll(context).is_ready());
        if over {
            self.connection = None;
        }
    }

    /// Makes a stream of every copy of the burst that finds a place, and gives it all of its request but the tail.
    fn enter(&mut self, connector: &Connector, copies: &[RaceCopy<'_>]) -> Vec<Lane> {
        let places = self.sender.current_max_send_streams();
        let mut taken = 0;
        let mut lanes = Vec::with_capacity(copies.len());
        for copy in copies {
            let content = copy.request.body.as_ref().map(|body| Bytes::copy_from_slice(body.sent().as_bytes()));
            let content = content.unwrap_or_default();
            let lane = match head(connector, copy.request) {
                Err(reason) => Lane::Out(Fault::new(SocketError::Other, reason)),
                Ok(head) if !copy.delay.is_zero() => Lane::Later(head, content),
                Ok(_) if taken == places => Lane::Out(no_place(places)),
                Ok(head) => {
                    taken += 1;
                    Held::open(&mut self.sender, head, content)
                        .map_or_else(Lane::Out, |held| Lane::Held(Box::new(held)))
                }
            };
            lanes.push(lane);
        }
        lanes
    }

    /// Waits until everything but the tails has arrived, and every tail may leave.
    async fn hold(&mut self, lanes: &mut [Lane], time_limit: Duration) {
        let mut held: Vec<&mut Held> = lanes.iter_mut().filter_map(Lane::held).collect();
        let cork = self.cork.clone();
        let written = timeout(time_limit, self.during(written(&cork, &mut held))).await;
        let arrived = timeout(time_limit, self.round_trip()).await;
        for lane in held {
            if written.is_err() && !lane.is_written(&cork) {
                lane.fault = Some(Fault::timed_out(time_limit, "the server did not take the request"));
            } else if arrived.is_err() {
                lane.fault = Some(Fault::timed_out(time_limit, "no acknowledgement of a PING"));
            }
        }
    }

    /// Lets all tails go in one write, and says when that was.
    async fn release(&mut self, lanes: &mut [Lane]) -> Instant {
        self.cork.hold();
        for lane in lanes.iter_mut().filter_map(Lane::held).filter(|lane| lane.fault.is_none()) {
            // A stream that is over already says so where its answer is awaited.
            let _ = lane.stream.send_data(std::mem::take(&mut lane.tail), true);
        }
        poll_fn(|context| Poll::Ready(self.drive(context))).await;
        let now = Instant::now();
        self.cork.release();
        let sent = lanes.iter_mut().filter_map(Lane::held).map(|lane| self.cork.sent(lane.stream.stream_id().as_u32()));
        sent.filter(|sent| sent.ended).filter_map(|sent| sent.last).min().unwrap_or(now)
    }

    /// Puts a copy on record.
    fn lap(&self, run: Run, copy: &RaceCopy<'_>, options: &AttemptOptions<'_>) -> Lap {
        let trace = |direction: fn(&Cork<Socket>, u32) -> Trace| {
            run.stream.map(|stream| direction(&self.cork, stream)).unwrap_or_default()
        };
        let (sent, received) = (trace(Cork::sent), trace(Cork::received));
        let since = |moment: Instant| moment.saturating_duration_since(options.started);
        let timing = Timing {
            began: since(self.began),
            connected: Some(since(self.connected)),
            first_written: sent.first.map(since),
            last_written: sent.last.map(since),
            first_read: received.first.map(since),
            ended: since(run.ended),
        };
        let outcome = match run.result {
            Ok(answer) => Outcome::Answered(answer.redacted(options.secrets)),
            Err(fault) => failed(fault, sent.bytes, sent.ended, options),
        };
        let heard = [received.first, received.reset].into_iter().flatten().min().unwrap_or(run.ended);
        Lap {
            attempted: Attempted {
                outcome,
                timing,
                round_trip: Some(self.round_trip),
                protocol: Some(Protocol::Http2),
            },
            delay: copy.delay,
            released: sent.last.filter(|_| sent.ended).map(since),
            unanswered_until: since(heard),
        }
    }

    /// Closes the connection.
    async fn end(self) {
        let Self { cork, connection, sender, ping, .. } = self;
        drop((connection, sender, ping));
        if let Some(socket) = cork.into_stream() {
            socket.end(Ending::Closed).await;
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
        let (response, mut stream) = sender.send_request(head, false).map_err(|error| fault(&error))?;
        let before_tail = content.len().saturating_sub(1);
        let tail = content.slice(before_tail..);
        let given = if before_tail == 0 { Ok(()) } else { stream.send_data(content.slice(..before_tail), false) };
        stream.reserve_capacity(tail.len());
        Ok(Self { response, stream, before_tail, tail, fault: given.err().map(|error| fault(&error)) })
    }

    /// Whether everything but the tail was written.
    fn is_written(&self, cork: &Cork<Socket>) -> bool {
        let sent = cork.sent(self.stream.stream_id().as_u32());
        sent.fields && sent.content == self.before_tail
    }

    /// Whether there is nothing to wait for: everything but the tail was written, and flow control has room for that;
    /// or the stream is over.
    fn is_ready(&mut self, cork: &Cork<Socket>, context: &mut Context<'_>) -> bool {
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
        self.is_written(cork)
    }
}

/// Waits until no stream has to be waited for. The connection must be driven meanwhile.
async fn written(cork: &Cork<Socket>, lanes: &mut [&mut Held]) {
    poll_fn(|context| {
        let waiting = lanes.iter_mut().map(|lane| lane.is_ready(cork, context)).filter(|ready| !ready).count();
        if waiting == 0 { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

/// Takes a copy to its end. The connection must be driven meanwhile.
async fn run(lane: Lane, sender: &SendRequest<Bytes>, due: Instant, options: &AttemptOptions<'_>) -> Run {
    let (stream, result) = match lane {
        Lane::Out(fault) => (None, Err(fault)),
        Lane::Held(held) => {
            let Held { response, stream, fault, .. } = *held;
            let number = Some(stream.stream_id().as_u32());
            match fault {
                Some(fault) => (number, Err(fault)),
                None => (number, read(response, options).await),
            }
        }
        Lane::Later(head, content) => {
            sleep_until(due.into()).await;
            match send(sender.clone(), head, content) {
                Ok((response, number)) => (Some(number), read(response, options).await),
                Err(fault) => (None, Err(fault)),
            }
        }
    };
    Run { stream, result, ended: Instant::now() }
}

/// Sends a whole request. Where the server has no place for another stream, it leaves when there is one.
fn send(
    mut sender: SendRequest<Bytes>,
    head: http::Request<()>,
    content: Bytes,
) -> Result<(ResponseFuture, u32), Fault> {
    let (response, mut stream) = sender.send_request(head, content.is_empty()).map_err(|error| fault(&error))?;
    if !content.is_empty() {
        stream.send_data(content, true).map_err(|error| fault(&error))?;
    }
    Ok((response, stream.stream_id().as_u32()))
}

async fn read(response: ResponseFuture, options: &AttemptOptions<'_>) -> Result<Answer, Fault> {
    let late = |_| Err(Fault::timed_out(options.time_limit, "no complete answer"));
    timeout(options.time_limit, collect(response, options.body_limit)).await.unwrap_or_else(late)
}

async fn collect(response: ResponseFuture, body_limit: usize) -> Result<Answer, Fault> {
    let (head, mut incoming) = response.await.map_err(|error| fault(&error))?.into_parts();
    let mut body = Vec::new();
    while let Some(data) = incoming.data().await {
        let data = data.map_err(|error| fault(&error))?;
        if body.len() + data.len() > body_limit {
            return Err(Fault::too_large("the body", body_limit));
        }
        body.extend_from_slice(&data);
        // Without room for more, the server could not go on. A stream that is over needs none.
        let _ = incoming.flow_control().release_capacity(data.len());
    }
    Ok(Answer::new(head.status, head.headers, body))
}

/// The record of a copy whose connection speaks no HTTP/2.
fn unopened(copy: &RaceCopy<'_>, began: Instant, fault: Fault, options: &AttemptOptions<'_>) -> Lap {
    let attempted = unconnected(began, fault, options);
    let over = attempted.timing.ended;
    Lap { attempted, delay: copy.delay, released: None, unanswered_until: over }
}

fn no_place(places: usize) -> Fault {
    Fault::new(SocketError::Other, format!("not sent: the server takes {places} requests at a time on a connection"))
}

/// TEMPORARY
fn fault(error: &h2::Error) -> Fault {
    if let Some(io) = error.get_io() {
        return Fault::from_io(io);
    }
    let name = if error.is_reset() {
        SocketError::Reset
    } else if error.is_go_away() && error.is_remote() {
        SocketError::ClosedEarly
    } else {
        SocketError::Malformed
    };
    Fault::new(name, error.to_string())
}

/// TEMPORARY
fn head(connector: &Connector, request: &crate::message::Request) -> Result<http::Request<()>, String> {
    let endpoint = connector.endpoint();
    let uri = format!("http://{}{}", endpoint.authority(), request.target.sent());
    let mut head = http::Request::builder().method(request.method.clone()).uri(uri).version(http::Version::HTTP_2);
    for (name, value) in &request.headers {
        head = head.header(name.to_ascii_lowercase(), value.sent());
    }
    if let Some(body) = &request.body {
        head = head.header("content-length", body.sent().len());
    }
    head.body(()).map_err(|error| error.to_string())
}
