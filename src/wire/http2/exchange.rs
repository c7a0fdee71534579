//! One HTTP/2 exchange on a connection of its own: the request, up to any point, and the answer as it comes.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;
use std::time::{Duration, Instant};

use bytes::Bytes;
use h2::client::ResponseFuture;
use h2::{RecvStream, SendStream};
use http::{HeaderMap, StatusCode};

use super::conversation::Conversation;
use super::line::{GoAway, StreamRecord, Tapped};
use crate::history::{Ending, LossPoint, Protocol, SocketError};
use crate::wire::answer::{Answer, HEAD_LIMIT};
use crate::wire::carrier::Evidence;
use crate::wire::channel::Channel;
use crate::wire::fault::Fault;

/// The first stream of a client.
const FIRST_STREAM: u32 = 1;

/// One exchange.
pub(in crate::wire) struct Exchange {
    conversation: Conversation,
    head: Option<http::Request<()>>,
    content: Option<Bytes>,
    stream: Option<SendStream<Bytes>>,
    answering: Answering,
    first_read: Option<Instant>,
}

/// How far the answer is.
enum Answering {
    NotYet,
    Awaited(Box<ResponseFuture>),
    Begun(StatusCode, HeaderMap, RecvStream),
}

impl Exchange {
    /// An exchange on a connection over which nothing has been sent.
    pub(in crate::wire) fn new(channel: Channel, head: http::Request<()>, content: Option<Bytes>) -> Self {
        Self {
            conversation: Conversation::new(channel),
            head: Some(head),
            content,
            stream: None,
            answering: Answering::NotYet,
            first_read: None,
        }
    }

    /// Sends the request and reads the answer to its end.
    pub(in crate::wire) async fn read(&mut self, body_limit: usize) -> Result<Answer, Fault> {
        self.conversation.greet().await?;
        let content = self.content.take();
        self.start(content.is_none()).await?;
        if let (Some(stream), Some(content)) = (&mut self.stream, content) {
            // A failure to send is not the end: there may be an answer all the same.
            let _ = stream.send_data(content, true);
        }
        self.read_head().await?;
        self.read_content(body_limit).await
    }

    /// Sends the request up to a point and no further; a loss of the answer is driven to the answer's beginning.
    ///
    /// Half of no content is none, so that without content a lost request is a lost head: every field has arrived, and
    /// the end of the request has not.
    pub(in crate::wire) async fn send_until(&mut self, at: LossPoint) -> Result<(), Fault> {
        self.conversation.greet().await?;
        match at {
            LossPoint::Connection => Ok(()),
            LossPoint::Head => self.send_head(false).await,
            LossPoint::Request => {
                self.send_head(false).await?;
                let half = self.content.as_ref().map(|content| content.slice(..content.len() / 2));
                match half.filter(|half| !half.is_empty()) {
                    Some(half) => self.send_content(half, false).await,
                    None => Ok(()),
                }
            }
            LossPoint::Execution | LossPoint::PartialResponse | LossPoint::Response => match self.content.take() {
                Some(content) => {
                    self.send_head(false).await?;
                    self.send_content(content, true).await
                }
                None => self.send_head(true).await,
            },
        }
    }

    /// Reads the beginning of the answer: interim responses, and its head. Can be cancelled at any time.
    pub(in crate::wire) async fn read_head(&mut self) -> Result<(), Fault> {
        let line = self.conversation.line();
        let Answering::Awaited(response) = &mut self.answering else { return Ok(()) };
        let answer = self.conversation.drive(poll_fn(|context| {
            while let Poll::Ready(Some(Ok(_))) = response.poll_informational(context) {
                line.tapped().forget_interim(FIRST_STREAM);
            }
            Pin::new(&mut **response).poll(context)
        }));
        let (head, incoming) = match answer.await {
            Ok(answer) => answer.into_parts(),
            Err(error) => return Err(self.explain(&error)),
        };
        self.first_read = self.record().heads_read.front().copied();
        let size: usize = head.headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
        self.answering = Answering::Begun(head.status, head.headers, incoming);
        if size > HEAD_LIMIT { Err(Fault::too_large("the head", HEAD_LIMIT)) } else { Ok(()) }
    }

    /// What is known about the exchange.
    pub(in crate::wire) fn evidence(&self) -> Evidence {
        let record = self.record();
        let tapped = self.conversation.tapped();
        let socket = tapped.channel().socket();
        let status = match &self.answering {
            Answering::NotYet | Answering::Awaited(_) => None,
            Answering::Begun(status, ..) => Some(status.as_u16()),
        };
        Evidence {
            protocol: Protocol::Http2,
            connected: socket.connected(),
            round_trip: socket.round_trip(),
            bytes_written: record.written,
            request_written: record.all_written,
            first_written: record.first_written,
            last_written: record.last_written,
            first_read: self.first_read,
            status,
        }
    }

    /// When the last byte of the request so far was written, and how long a round trip takes.
    pub(in crate::wire) fn written(&self) -> (Option<Instant>, Duration) {
        let evidence = self.evidence();
        (evidence.last_written, evidence.round_trip)
    }

    /// Goes away.
    pub(in crate::wire) async fn end(mut self, by: Ending) {
        if let (Ending::Cancelled, Some(stream)) = (by, self.stream.take()) {
            self.conversation.cancel(stream).await;
        }
        self.conversation.end(by).await;
    }

    async fn start(&mut self, ends_with_head: bool) -> Result<(), Fault> {
        let Some(head) = self.head.take() else { return Ok(()) };
        let (response, stream) = self.conversation.start(head, ends_with_head).await?;
        self.stream = Some(stream);
        self.answering = Answering::Awaited(Box::new(response));
        Ok(())
    }

    async fn send_head(&mut self, ends_with_head: bool) -> Result<(), Fault> {
        self.start(ends_with_head).await?;
        self.until(move |record| if ends_with_head { record.all_written } else { record.head_written }).await
    }

    async fn send_content(&mut self, content: Bytes, ends: bool) -> Result<(), Fault> {
        let length = content.len() as u64;
        if let Some(stream) = &mut self.stream {
            stream.send_data(content, ends).map_err(|error| self.explain(&error))?;
        }
        self.until(move |record| if ends { record.all_written } else { record.content_written >= length }).await
    }

    /// Drives the connection until something has been written, or the peer has refused it.
    async fn until(&mut self, written: impl Fn(&StreamRecord) -> bool) -> Result<(), Fault> {
        self.conversation
            .until(|tapped| {
                let record = tapped.stream(FIRST_STREAM);
                written(&record) || refusal(&record, FIRST_STREAM, tapped.go_away()).is_some()
            })
            .await?;
        let refusal = refusal(&self.record(), FIRST_STREAM, self.conversation.tapped().go_away());
        match refusal {
            Some(refusal) if !written(&self.record()) => Err(refusal),
            Some(_) | None => Ok(()),
        }
    }

    async fn read_content(&mut self, body_limit: usize) -> Result<Answer, Fault> {
        let Answering::Begun(status, headers, incoming) = &mut self.answering else {
            return Err(Fault::closed_early());
        };
        let collected = self.conversation.drive(collect(incoming, body_limit)).await;
        match collected {
            Ok(body) => Ok(Answer::new(*status, std::mem::take(headers), body)),
            Err(Unread::TooLarge) => Err(Fault::too_large("the body", body_limit)),
            Err(Unread::Broken(error)) => Err(self.explain(&error)),
        }
    }

    fn record(&self) -> StreamRecord {
        self.conversation.tapped().stream(FIRST_STREAM)
    }

    fn explain(&self, error: &h2::Error) -> Fault {
        explain(&self.conversation.tapped(), FIRST_STREAM, error)
    }
}

/// The best explanation of a failure: what the peer said about the stream, before what h2 makes of it.
pub(in crate::wire) fn explain(tapped: &Tapped, stream: u32, error: &h2::Error) -> Fault {
    let record = tapped.stream(stream);
    if error.is_library() {
        // h2 does not say so when it refuses a head for its size.
        let large = record.head_bytes_read >= HEAD_LIMIT as u64 / 2;
        return if large { Fault::too_large("the head", HEAD_LIMIT) } else { Fault::from_h2(error) };
    }
    refusal(&record, stream, tapped.go_away()).or_else(|| tapped.fault()).unwrap_or_else(|| Fault::from_h2(error))
}

/// Why there is no content.
enum Unread {
    TooLarge,
    Broken(h2::Error),
}

/// Reads content to its end.
async fn collect(incoming: &mut RecvStream, body_limit: usize) -> Result<Vec<u8>, Unread> {
    let mut body = Vec::new();
    while let Some(data) = incoming.data().await {
        let data = data.map_err(Unread::Broken)?;
        if body.len() + data.len() > body_limit {
            return Err(Unread::TooLarge);
        }
        body.extend_from_slice(&data);
        // The peer may send as much again.
        incoming.flow_control().release_capacity(data.len()).map_err(Unread::Broken)?;
    }
    Ok(body)
}

/// What the peer said when it refused or gave up the exchange.
fn refusal(record: &StreamRecord, stream: u32, go_away: Option<GoAway>) -> Option<Fault> {
    if let Some(code) = record.reset {
        let reason = h2::Reason::from(code);
        let words = match reason {
            h2::Reason::REFUSED_STREAM => {
                "the peer refused the stream before it processed anything of it (RST_STREAM, REFUSED_STREAM)".to_owned()
            }
            h2::Reason::HTTP_1_1_REQUIRED => {
                "the peer wants HTTP/1.1 for this (RST_STREAM, HTTP_1_1_REQUIRED): `--http1` speaks it".to_owned()
            }
            other => format!("the peer gave the stream up (RST_STREAM, {other:?})"),
        };
        return Some(Fault::new(SocketError::Reset, words));
    }
    let go_away = go_away?;
    let reason = h2::Reason::from(go_away.code);
    if go_away.last_stream < stream {
        let last = go_away.last_stream;
        let words =
            format!("the peer goes away and has not processed the request (GOAWAY, {reason:?}, last stream {last})");
        return Some(Fault::new(SocketError::ClosedEarly, words));
    }
    (reason != h2::Reason::NO_ERROR)
        .then(|| Fault::new(SocketError::ClosedEarly, format!("the peer goes away (GOAWAY, {reason:?})")))
}
