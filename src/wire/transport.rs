//! One HTTP/1.1 exchange on a socket: the bytes of the request, up to any position, and the answer as it comes.
//!
//! hyper reads the answer. It believes that it writes the request as well, but what it writes is dropped and the
//! rendered bytes leave in its place: so a request is on the wire exactly as it was rendered, and there is one count
//! of what has left, whoever drives the exchange.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};
use std::time::Instant;

use hyper::rt::ReadBufCursor;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::beginning::Beginning;
use super::channel::Channel;
use super::fault::Fault;
use super::rendering::Rendered;
use super::socket::Socket;
use crate::history::{Ending, SocketError};

const READ_SIZE: usize = 8 * 1024;

/// A connection with a request to send.
#[derive(Debug)]
pub(super) struct Transport {
    channel: Channel,
    request: Rendered,
    position: usize,
    read: u64,
    beginning: Beginning,
    write_fault: Option<Fault>,
    reading: Reading,
}

/// hyper takes bytes that come before its request for a mistake, but a server may well answer or close early: hyper
/// reads once it has written.
#[derive(Debug)]
enum Reading {
    NotYet(Option<Waker>),
    Allowed,
}

impl Transport {
    /// A connection over which nothing has been sent.
    pub(super) fn new(channel: Channel, request: Rendered) -> Self {
        Self {
            channel,
            request,
            position: 0,
            read: 0,
            beginning: Beginning::default(),
            write_fault: None,
            reading: Reading::NotYet(None),
        }
    }

    /// The request that is to be sent.
    pub(super) fn request(&self) -> &Rendered {
        &self.request
    }

    /// The connection below, for the times of what was written.
    pub(super) fn channel(&self) -> &Channel {
        &self.channel
    }

    /// The socket at the bottom.
    pub(super) fn socket(&self) -> &Socket {
        self.channel.socket()
    }

    /// Whether there is something to read, or the peer has gone. Takes nothing away.
    pub(super) fn has_news(&mut self) -> bool {
        self.channel.has_news()
    }

    /// How many bytes of the request were written.
    pub(super) fn bytes_written(&self) -> u64 {
        self.position as u64
    }

    /// Whether all bytes of the request were written.
    pub(super) fn request_written(&self) -> bool {
        self.position == self.request.end()
    }

    /// How many bytes came back.
    pub(super) fn bytes_read(&self) -> u64 {
        self.read
    }

    /// When the first byte of the answer was read.
    pub(super) fn first_read(&self) -> Option<Instant> {
        self.beginning.begun()
    }

    /// The status of the answer, as soon as its status line has been read.
    pub(super) fn status(&self) -> Option<u16> {
        self.beginning.status()
    }

    /// Writes the request up to a position and no further. What is left can be written later.
    pub(super) async fn write_until(&mut self, position: usize) -> Result<(), Fault> {
        poll_fn(|context| self.poll_send(context, position)).await.map_err(|error| Fault::from_io(&error))
    }

    /// Writes the rest of the request in this very moment. What does not go through at once is left to the reading of
    /// the answer, and so is a failure: there may be an answer all the same.
    pub(super) fn write_rest_now(&mut self) {
        while self.position < self.request.end() {
            match self.channel.write_now(&self.request.bytes()[self.position..]) {
                Ok(0) => return,
                Ok(count) => self.position += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) => {
                    self.write_fault = Some(Fault::from_io(&error));
                    return;
                }
            }
        }
    }

    /// Reads the beginning of the answer: interim responses, the status, and not a byte more. Can be cancelled at any
    /// time without losing what was read.
    pub(super) async fn read_beginning(&mut self) -> Result<(), Fault> {
        let mut bytes = [0; 16];
        while !self.beginning.seen() {
            let wanted = self.beginning.wanted().min(bytes.len());
            let mut buffer = ReadBuf::new(&mut bytes[..wanted]);
            let read = poll_fn(|context| self.poll_receive(context, &mut buffer)).await;
            match read {
                Ok(()) if buffer.filled().is_empty() => return Err(Fault::closed_early()),
                Ok(()) => {}
                Err(error) => return Err(Fault::from_io(&error)),
            }
        }
        Ok(())
    }

    /// The better explanation of a failed read: a peer that resets the connection while it is written to is often
    /// seen by the reader only as gone.
    pub(super) fn explain(&self, fault: Fault) -> Fault {
        match (&self.write_fault, fault.error) {
            (Some(write_fault), SocketError::ClosedEarly | SocketError::Other) => write_fault.clone(),
            _ => fault,
        }
    }

    /// Goes away.
    pub(super) async fn end(self, by: Ending) {
        self.channel.end(by).await;
    }

    fn poll_send(&mut self, context: &mut Context<'_>, until: usize) -> Poll<io::Result<()>> {
        let until = until.min(self.request.end());
        while self.position < until {
            let bytes = &self.request.bytes()[self.position..until];
            let count = ready!(Pin::new(&mut self.channel).poll_write(context, bytes))?;
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.position += count;
        }
        Poll::Ready(Ok(()))
    }

    fn poll_receive(&mut self, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.channel).poll_read(context, buffer))?;
        let now = Instant::now();
        let fresh = &buffer.filled()[before..];
        self.read += fresh.len() as u64;
        self.beginning.feed(fresh, now);
        Poll::Ready(Ok(()))
    }
}

impl hyper::rt::Read for Transport {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        mut cursor: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let transport = self.get_mut();
        if let Reading::NotYet(waiting) = &mut transport.reading {
            *waiting = Some(context.waker().clone());
            return Poll::Pending;
        }
        let mut bytes = [0; READ_SIZE];
        let room = cursor.remaining().min(READ_SIZE);
        let mut buffer = ReadBuf::new(&mut bytes[..room]);
        ready!(transport.poll_receive(context, &mut buffer))?;
        cursor.put_slice(buffer.filled());
        Poll::Ready(Ok(()))
    }
}

impl hyper::rt::Write for Transport {
    /// Drops hyper's own bytes, and takes them as the sign that it is ready for an answer.
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let transport = self.get_mut();
        if let Reading::NotYet(Some(waiting)) = std::mem::replace(&mut transport.reading, Reading::Allowed) {
            waiting.wake();
        }
        Poll::Ready(Ok(bytes.len()))
    }

    /// Sends the rendered bytes. A failure to write does not end the exchange: the answer may be there already, and
    /// if there is none, reading says so.
    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let transport = self.get_mut();
        if transport.write_fault.is_none()
            && let Err(error) = ready!(transport.poll_send(context, usize::MAX))
        {
            transport.write_fault = Some(Fault::from_io(&error));
        }
        Poll::Ready(Ok(()))
    }

    /// hyper does not end our connections: see [`Transport::end`].
    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
