//! A connection of HTTP/2, driven only while somebody waits for something on it.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::sync::MutexGuard;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use h2::client::{Builder, Connection, ResponseFuture, SendRequest};
use h2::{Ping, PingPong, SendStream};
use tokio::io::AsyncReadExt;

use super::line::{Line, Tapped};
use crate::history::{Ending, SocketError};
use crate::wire::answer::HEAD_LIMIT;
use crate::wire::channel::Channel;
use crate::wire::fault::Fault;

/// What the peer may send before it is asked for more, per stream and in all: it bounds what is held here unread.
const WINDOW: u32 = 64 * 1024;

/// How much larger than the limit a head may be for h2, which does not say why it refuses one. Sizes are checked again
/// afterwards.
const HEAD_SLACK: u32 = 16;

/// How long the last words of a peer are waited for: they are there already, or they never come.
const LAST_WORDS: Duration = Duration::from_millis(50);

/// How long a cancelled exchange keeps its connection, if the peer does not acknowledge that it has read so far.
const CANCEL_PATIENCE: Duration = Duration::from_secs(1);

/// GOAWAY: no stream of the peer's was processed, no error (RFC 9113, section 6.8).
const GO_AWAY: [u8; 17] = [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/// A connection of HTTP/2.
pub(in crate::wire) struct Conversation {
    line: Line,
    live: Option<Live>,
}

/// h2's part of it, once the preface has left.
struct Live {
    sender: SendRequest<Bytes>,
    connection: Connection<Line, Bytes>,
    ping: Option<PingPong>,
    /// Why the connection goes no further, if it does not.
    over: Option<Fault>,
}

impl Live {
    /// Moves everything that can move on the connection.
    fn poll(&mut self, context: &mut Context<'_>) {
        if self.over.is_none()
            && let Poll::Ready(result) = Pin::new(&mut self.connection).poll(context)
        {
            self.over = Some(result.map_or_else(|error| Fault::from_h2(&error), |()| Fault::closed_early()));
        }
    }
}

impl Conversation {
    /// A connection over which nothing has been sent.
    pub(in crate::wire) fn new(channel: Channel) -> Self {
        Self { line: Line::new(channel), live: None }
    }

    /// A handle to the connection, for futures that are driven on it.
    pub(in crate::wire) fn line(&self) -> Line {
        self.line.clone()
    }

    /// What has passed over the connection.
    pub(in crate::wire) fn tapped(&self) -> MutexGuard<'_, Tapped> {
        self.line.tapped()
    }

    /// Exchanges settings with the peer, and waits until both sides know each other's. Then nothing passes that is not
    /// asked for: what is broken off afterwards is broken off at a known place.
    ///
    /// # Errors
    /// Says why there is no conversation.
    pub(in crate::wire) async fn greet(&mut self) -> Result<(), Fault> {
        let Err(fault) = self.exchange_settings().await else { return Ok(()) };
        // A peer that closes the connection as soon as it stands may have said why, and that is still to be read.
        let line = &mut self.line;
        let last_words = async {
            let mut waste = [0; 1024];
            while matches!(line.read(&mut waste).await, Ok(1..)) {}
        };
        let _ = tokio::time::timeout(LAST_WORDS, last_words).await;
        let refused = self.line.tapped().fault().filter(|known| known.error == SocketError::Tls);
        Err(refused.unwrap_or(fault))
    }

    async fn exchange_settings(&mut self) -> Result<(), Fault> {
        let mut builder = Builder::new();
        builder
            .enable_push(false)
            .initial_window_size(WINDOW)
            .max_header_list_size(HEAD_LIMIT as u32 * HEAD_SLACK)
            // How small the pieces of an answer are is the server's affair; how long it takes is limited elsewhere.
            .data_frame_budget(u32::MAX as usize);
        let (sender, mut connection) =
            builder.handshake(self.line.clone()).await.map_err(|error| Fault::from_h2(&error))?;
        let ping = connection.ping_pong();
        self.live = Some(Live { sender, connection, ping, over: None });
        self.until(Tapped::settled).await
    }

    /// What opens streams on the connection; absent before the preface has left.
    pub(in crate::wire) fn sender(&self) -> Option<SendRequest<Bytes>> {
        self.live.as_ref().map(|live| live.sender.clone())
    }

    /// Lets everything leave that can leave now.
    pub(in crate::wire) async fn flush(&mut self) {
        let mut driven = false;
        let once = poll_fn(|_| if std::mem::replace(&mut driven, true) { Poll::Ready(()) } else { Poll::Pending });
        self.drive(once).await;
    }

    /// Begins a request. It leaves when the connection is driven.
    pub(in crate::wire) async fn start(
        &mut self,
        head: http::Request<()>,
        ends_with_head: bool,
    ) -> Result<(ResponseFuture, SendStream<Bytes>), Fault> {
        poll_fn(|context| {
            let Some(live) = &mut self.live else { return Poll::Ready(Err(Fault::closed_early())) };
            for _ in 0..2 {
                if let Poll::Ready(ready) = live.sender.poll_ready(context) {
                    return Poll::Ready(ready.map_err(|error| Fault::from_h2(&error)));
                }
                live.poll(context);
            }
            Poll::Pending
        })
        .await?;
        let live = self.live.as_mut().ok_or_else(Fault::closed_early)?;
        live.sender.send_request(head, ends_with_head).map_err(|error| Fault::from_h2(&error))
    }

    /// Drives the connection until something has passed over it.
    pub(in crate::wire) async fn until(&mut self, reached: impl Fn(&Tapped) -> bool) -> Result<(), Fault> {
        poll_fn(|context| {
            if reached(&self.line.tapped()) {
                return Poll::Ready(Ok(()));
            }
            let Some(live) = &mut self.live else { return Poll::Ready(Err(Fault::closed_early())) };
            live.poll(context);
            if reached(&self.line.tapped()) {
                return Poll::Ready(Ok(()));
            }
            match &live.over {
                Some(fault) => Poll::Ready(Err(self.line.tapped().fault().unwrap_or_else(|| fault.clone()))),
                None => Poll::Pending,
            }
        })
        .await
    }

    /// Drives the connection until a future is done that waits for something from it.
    pub(in crate::wire) async fn drive<F: Future>(&mut self, future: F) -> F::Output {
        let mut future = pin!(future);
        poll_fn(|context| {
            if let Poll::Ready(output) = future.as_mut().poll(context) {
                return Poll::Ready(output);
            }
            if let Some(live) = &mut self.live {
                live.poll(context);
            }
            // What the connection did may be what the future waits for, or what it has still to be told.
            future.as_mut().poll(context)
        })
        .await
    }

    /// Asks the peer whether it has read everything so far, and waits for its answer.
    pub(in crate::wire) async fn ping(&mut self) -> Result<(), Fault> {
        let Some(mut ping) = self.live.as_mut().and_then(|live| live.ping.take()) else {
            return Err(Fault::closed_early());
        };
        let asked = ping.send_ping(Ping::opaque()).map_err(|error| Fault::from_h2(&error));
        let answered = match asked {
            Ok(()) => poll_fn(|context| self.poll_pong(&mut ping, context)).await,
            Err(fault) => Err(fault),
        };
        if let Some(live) = &mut self.live {
            live.ping = Some(ping);
        }
        answered
    }

    /// h2 does not tell whoever waits for a PONG that the connection is over.
    fn poll_pong(&mut self, ping: &mut PingPong, context: &mut Context<'_>) -> Poll<Result<(), Fault>> {
        let Some(live) = &mut self.live else { return Poll::Ready(Err(Fault::closed_early())) };
        for _ in 0..2 {
            if let Poll::Ready(pong) = ping.poll_pong(context) {
                return Poll::Ready(pong.map(|_| ()).map_err(|error| Fault::from_h2(&error)));
            }
            live.poll(context);
        }
        live.over.clone().map_or(Poll::Pending, |fault| Poll::Ready(Err(fault)))
    }

    /// Writes RST_STREAM for an exchange that is under way, and lets the connection stand until the peer has read it.
    pub(in crate::wire) async fn cancel(&mut self, mut stream: SendStream<Bytes>) {
        let id = stream.stream_id().as_u32();
        if self.tapped().stream(id).all_read {
            // The exchange is over: there is nothing left to cancel.
            return;
        }
        stream.send_reset(h2::Reason::CANCEL);
        let read = async {
            self.until(|tapped| tapped.stream(id).cancelled).await?;
            self.ping().await
        };
        // A peer that is gone, or never answers a PING, cannot say that it has read anything.
        let _ = tokio::time::timeout(CANCEL_PATIENCE, read).await;
    }

    /// Goes away. Where that happens in good order, the peer is told first.
    pub(in crate::wire) async fn end(self, by: Ending) {
        let Self { line, live } = self;
        drop(live);
        let Some((mut channel, between_frames)) = line.into_channel() else { return };
        let says_so = match by {
            Ending::Closed | Ending::Cancelled => true,
            Ending::Vanished | Ending::Reset => false,
        };
        if says_so && between_frames {
            // A peer that takes no more bytes cannot be told that none will come.
            let _: io::Result<usize> = channel.write_now(&GO_AWAY);
        }
        channel.end(by).await;
    }
}
