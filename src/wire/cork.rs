//! A stream that can be corked: what is written into it is kept, and leaves in one write when the cork is drawn.
//!
//! The h2 crate owns the stream of its connection. This one is shared, so that whoever races can hold it, release it,
//! and ask what of each stream has really left or arrived.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use std::time::Instant;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::frames::{Frames, Trace};

/// The end of a corked stream that reads and writes.
#[derive(Debug)]
pub(super) struct Corked<S>(Arc<Mutex<Bottle<S>>>);

/// The other handle to it.
#[derive(Debug)]
pub(super) struct Cork<S>(Arc<Mutex<Bottle<S>>>);

impl<S> Clone for Cork<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

#[derive(Debug)]
struct Bottle<S> {
    stream: S,
    held: bool,
    kept: Vec<u8>,
    sent: Frames,
    received: Frames,
}

/// A stream and the cork in it, not yet pushed in.
pub(super) fn cork<S>(stream: S) -> (Corked<S>, Cork<S>) {
    let bottle =
        Bottle { stream, held: false, kept: Vec::new(), sent: Frames::of_client(), received: Frames::of_server() };
    let shared = Arc::new(Mutex::new(bottle));
    (Corked(Arc::clone(&shared)), Cork(shared))
}

impl<S: AsyncWrite + Unpin> Cork<S> {
    /// From now on, what is written is kept.
    pub(super) fn hold(&self) {
        self.bottle().held = true;
    }

    /// Writes everything that was kept, at once. What the operating system does not take now follows when the stream
    /// is driven, and so does a failure.
    pub(super) fn release(&self) {
        let mut bottle = self.bottle();
        bottle.held = false;
        let _ = bottle.poll_kept(&mut Context::from_waker(Waker::noop()));
    }

    /// What of a stream has left.
    pub(super) fn sent(&self, stream: u32) -> Trace {
        self.bottle().sent.stream(stream)
    }

    /// What of a stream has arrived.
    pub(super) fn received(&self, stream: u32) -> Trace {
        self.bottle().received.stream(stream)
    }

    /// The stream itself, once nobody else has it.
    pub(super) fn into_stream(self) -> Option<S> {
        let bottle = Arc::try_unwrap(self.0).ok()?;
        Some(bottle.into_inner().unwrap_or_else(PoisonError::into_inner).stream)
    }

    fn bottle(&self) -> MutexGuard<'_, Bottle<S>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: AsyncWrite + Unpin> Bottle<S> {
    fn poll_kept(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.kept.is_empty() {
            let count = ready!(Pin::new(&mut self.stream).poll_write(context, &self.kept))?;
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.sent.feed(&self.kept[..count], Instant::now());
            self.kept.drain(..count);
        }
        Pin::new(&mut self.stream).poll_flush(context)
    }
}

impl<S> Corked<S> {
    fn bottle(&self) -> MutexGuard<'_, Bottle<S>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Corked<S> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let mut bottle = self.bottle();
        let before = buffer.filled().len();
        ready!(Pin::new(&mut bottle.stream).poll_read(context, buffer))?;
        bottle.received.feed(&buffer.filled()[before..], Instant::now());
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Corked<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let mut bottle = self.bottle();
        if bottle.held {
            bottle.kept.extend_from_slice(bytes);
            return Poll::Ready(Ok(bytes.len()));
        }
        ready!(bottle.poll_kept(context))?;
        let count = ready!(Pin::new(&mut bottle.stream).poll_write(context, bytes))?;
        bottle.sent.feed(&bytes[..count], Instant::now());
        Poll::Ready(Ok(count))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut bottle = self.bottle();
        if bottle.held { Poll::Ready(Ok(())) } else { bottle.poll_kept(context) }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut bottle = self.bottle();
        ready!(bottle.poll_kept(context))?;
        Pin::new(&mut bottle.stream).poll_shutdown(context)
    }
}
