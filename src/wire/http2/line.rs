//! A connection of HTTP/2 as h2 gets to see it, and what passes over it.
//!
//! h2 does not tell when a frame has left or come. So the frames are followed here, right above the connection, in both
//! directions.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Instant;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::frames::{Frames, Kind, Piece};
use crate::history::SocketError;
use crate::wire::channel::Channel;
use crate::wire::fault::Fault;

/// The length of what a client sends before its first frame (RFC 9113, section 3.4).
const PREFACE: usize = 24;

/// What is known about one stream.
#[derive(Clone, Debug, Default)]
pub(in crate::wire) struct StreamRecord {
    /// Bytes of its HEADERS, CONTINUATION and DATA frames that were written.
    pub(in crate::wire) written: u64,
    /// Bytes of its content that were written.
    pub(in crate::wire) content_written: u64,
    /// When the first byte of them was written.
    pub(in crate::wire) first_written: Option<Instant>,
    /// When the last byte of them so far was written.
    pub(in crate::wire) last_written: Option<Instant>,
    /// Whether the head was written completely.
    pub(in crate::wire) head_written: bool,
    /// Whether everything was written, END_STREAM included.
    pub(in crate::wire) all_written: bool,
    /// Whether RST_STREAM was written.
    pub(in crate::wire) cancelled: bool,
    /// When heads of answers, interim ones included, began to come.
    pub(in crate::wire) heads_read: VecDeque<Instant>,
    /// How many bytes of heads came, as they are on the wire.
    pub(in crate::wire) head_bytes_read: u64,
    /// Whether the peer has said everything.
    pub(in crate::wire) all_read: bool,
    /// The error code of the peer's RST_STREAM.
    pub(in crate::wire) reset: Option<u32>,
    /// Whether the frame that ends the stream waits for the end of its header block.
    ends_with_head: bool,
}

/// The peer's GOAWAY.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::wire) struct GoAway {
    /// The last stream that the peer may have processed.
    pub(in crate::wire) last_stream: u32,
    /// Its error code.
    pub(in crate::wire) code: u32,
}

/// A connection with everything that has passed over it.
#[derive(Debug)]
pub(in crate::wire) struct Tapped {
    channel: Channel,
    outgoing: Frames,
    incoming: Frames,
    streams: BTreeMap<u32, StreamRecord>,
    settings_read: bool,
    settings_acknowledged: bool,
    acknowledgement_written: bool,
    go_away: Option<GoAway>,
    held_since: Option<Instant>,
    fault: Option<Fault>,
}

impl Tapped {
    /// What went wrong below HTTP/2, if something did. h2 does not pass all of it on.
    pub(in crate::wire) fn fault(&self) -> Option<Fault> {
        self.fault.clone()
    }

    /// What is known about a stream.
    pub(in crate::wire) fn stream(&self, id: u32) -> StreamRecord {
        self.streams.get(&id).cloned().unwrap_or_default()
    }

    /// The peer's last GOAWAY.
    pub(in crate::wire) fn go_away(&self) -> Option<GoAway> {
        self.go_away
    }

    /// Whether both sides have told their settings and know that the other has read them. From then on nothing passes
    /// that is not asked for.
    pub(in crate::wire) fn settled(&self) -> bool {
        self.settings_read && self.settings_acknowledged && self.acknowledgement_written
    }

    /// The connection.
    pub(in crate::wire) fn channel(&self) -> &Channel {
        &self.channel
    }

    /// From now on whatever is written waits in this process, so that it can leave in one piece.
    pub(in crate::wire) fn hold(&mut self) {
        self.held_since = Some(Instant::now());
        self.channel.socket_mut().hold();
    }

    /// Writes in this very moment, in one call, what was held.
    ///
    /// # Errors
    /// When the connection is broken.
    pub(in crate::wire) fn release(&mut self) -> io::Result<()> {
        self.channel.socket_mut().release()?;
        let left = self.channel.socket().last_written();
        if let (Some(since), Some(left)) = (self.held_since.take(), left) {
            for stream in self.streams.values_mut().filter(|stream| stream.last_written >= Some(since)) {
                stream.first_written = stream.first_written.map(|first| if first >= since { left } else { first });
                stream.last_written = Some(left);
            }
        }
        Ok(())
    }

    /// Forgets the earliest head of an answer: it was an interim one.
    pub(in crate::wire) fn forget_interim(&mut self, id: u32) {
        if let Some(stream) = self.streams.get_mut(&id) {
            stream.heads_read.pop_front();
        }
    }

    fn broke(&mut self, error: io::Error) -> io::Error {
        self.note(Fault::from_io(&error));
        error
    }

    /// Keeps the first fault; but that the peer has gone says less than how it went.
    fn note(&mut self, fault: Fault) {
        let vague = |fault: &Fault| matches!(fault.error, SocketError::ClosedEarly | SocketError::Other);
        if self.fault.as_ref().is_none_or(|known| vague(known) && !vague(&fault)) {
            self.fault = Some(fault);
        }
    }

    fn sent(&mut self, bytes: &[u8]) {
        let Self { outgoing, streams, channel, acknowledgement_written, held_since, .. } = self;
        // What is held has not left; releasing it corrects the time.
        let now = match held_since {
            Some(_) => Instant::now(),
            None => channel.last_written().unwrap_or_else(Instant::now),
        };
        outgoing.feed(bytes, |piece| {
            *acknowledgement_written |= piece.complete && piece.frame.acknowledges();
            if piece.frame.stream != 0 {
                streams.entry(piece.frame.stream).or_default().sent(piece, now);
            }
        });
    }

    fn received(&mut self, bytes: &[u8], now: Instant) {
        let Self { incoming, streams, settings_read, settings_acknowledged, go_away, .. } = self;
        incoming.feed(bytes, |piece| match piece.frame.kind {
            Kind::Settings if piece.complete => match piece.frame.acknowledges() {
                true => *settings_acknowledged = true,
                false => *settings_read = true,
            },
            Kind::GoAway if piece.complete => {
                let last_stream = piece.frame.first_number() & 0x7fff_ffff;
                *go_away = Some(GoAway { last_stream, code: piece.frame.second_number() });
            }
            _ => {
                if let Some(stream) = streams.get_mut(&piece.frame.stream) {
                    stream.received(piece, now);
                }
            }
        });
    }
}

impl StreamRecord {
    fn sent(&mut self, piece: Piece, now: Instant) {
        let frame = piece.frame;
        match frame.kind {
            Kind::Headers | Kind::Continuation | Kind::Data => {
                self.written += piece.bytes as u64;
                self.first_written = self.first_written.or(Some(now));
                self.last_written = Some(now);
            }
            Kind::RstStream => self.cancelled |= piece.complete,
            Kind::Settings | Kind::GoAway | Kind::Other => {}
        }
        if frame.kind == Kind::Data {
            self.content_written += piece.payload as u64;
        }
        if piece.complete {
            self.head_written |= frame.ends_headers();
            self.ends_with_head |= frame.kind == Kind::Headers && frame.ends_stream();
            let ended = frame.ends_stream() && frame.kind == Kind::Data;
            self.all_written |= ended || (self.ends_with_head && frame.ends_headers());
        }
    }

    fn received(&mut self, piece: Piece, now: Instant) {
        let frame = piece.frame;
        // The head of a frame counts once, when it is complete.
        let begins = piece.bytes > piece.payload;
        if frame.kind == Kind::Headers && begins && !self.all_read {
            self.heads_read.push_back(now);
        }
        if matches!(frame.kind, Kind::Headers | Kind::Continuation) {
            self.head_bytes_read += piece.payload as u64;
        }
        if piece.complete {
            self.all_read |= frame.ends_stream();
            if frame.kind == Kind::RstStream {
                self.reset = Some(frame.first_number());
            }
        }
    }
}

/// A handle to a connection: h2 holds one, and this side another.
#[derive(Clone, Debug)]
pub(in crate::wire) struct Line(Arc<Mutex<Tapped>>);

impl Line {
    /// A connection over which no byte of HTTP/2 has passed.
    pub(in crate::wire) fn new(channel: Channel) -> Self {
        Self(Arc::new(Mutex::new(Tapped {
            channel,
            outgoing: Frames::after_preface(PREFACE),
            incoming: Frames::default(),
            streams: BTreeMap::new(),
            settings_read: false,
            settings_acknowledged: false,
            acknowledgement_written: false,
            go_away: None,
            held_since: None,
            fault: None,
        })))
    }

    /// What has passed so far.
    pub(in crate::wire) fn tapped(&self) -> MutexGuard<'_, Tapped> {
        // Whatever is recorded is true, even if another holder panicked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection, and whether a frame could be put on it now; once nobody else holds it.
    pub(super) fn into_channel(self) -> Option<(Channel, bool)> {
        let tapped = Arc::into_inner(self.0)?.into_inner().unwrap_or_else(PoisonError::into_inner);
        let between_frames = tapped.outgoing.between_frames();
        Some((tapped.channel, between_frames))
    }
}

impl AsyncRead for Line {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let mut tapped = self.tapped();
        let before = buffer.filled().len();
        ready!(Pin::new(&mut tapped.channel).poll_read(context, buffer)).map_err(|error| tapped.broke(error))?;
        let now = Instant::now();
        if buffer.filled().len() == before && buffer.remaining() > 0 {
            tapped.note(Fault::closed_early());
        }
        tapped.received(&buffer.filled()[before..], now);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Line {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let mut tapped = self.tapped();
        let count =
            ready!(Pin::new(&mut tapped.channel).poll_write(context, bytes)).map_err(|error| tapped.broke(error))?;
        tapped.sent(&bytes[..count]);
        Poll::Ready(Ok(count))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tapped().channel).poll_flush(context)
    }

    /// h2 does not end our connections: see [`Channel::end`].
    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
