//! A connection that carries HTTP: a socket, with TLS around it or without.
//!
//! Whatever is above counts plain bytes here, and a byte counts as written when the operating system has taken all of
//! the record that carries it: a server cannot decrypt a part of a record.

use std::io::{self, Read, Write};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::client::TlsStream;

use super::socket::Socket;
use crate::history::{Ending, Protocol};

/// The most plain bytes that a record of TLS carries (RFC 8446, section 5.1).
const RECORD: usize = 16 * 1024;

/// A connection, ready for a request.
#[derive(Debug)]
pub(super) struct Channel {
    stream: Stream,
    protocol: Protocol,
    /// How many plain bytes are in the record that has not left completely.
    unfinished: usize,
    first_written: Option<Instant>,
    last_written: Option<Instant>,
}

#[derive(Debug)]
enum Stream {
    Plain(Socket),
    Secure(Box<TlsStream<Socket>>),
}

impl Channel {
    /// A connection without TLS.
    pub(super) fn plain(socket: Socket, protocol: Protocol) -> Self {
        Self::new(Stream::Plain(socket), protocol)
    }

    /// A connection whose handshake is over.
    pub(super) fn secure(stream: TlsStream<Socket>, protocol: Protocol) -> Self {
        Self::new(Stream::Secure(Box::new(stream)), protocol)
    }

    fn new(stream: Stream, protocol: Protocol) -> Self {
        Self { stream, protocol, unfinished: 0, first_written: None, last_written: None }
    }

    /// The version of HTTP that both sides speak on it.
    pub(super) fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// The socket below. Its counts and times are those of the bytes of TCP, handshakes included.
    pub(super) fn socket(&self) -> &Socket {
        match &self.stream {
            Stream::Plain(socket) => socket,
            Stream::Secure(stream) => stream.get_ref().0,
        }
    }

    /// The socket below, for holding writes back.
    pub(super) fn socket_mut(&mut self) -> &mut Socket {
        match &mut self.stream {
            Stream::Plain(socket) => socket,
            Stream::Secure(stream) => stream.get_mut().0,
        }
    }

    /// When the first plain byte was written.
    pub(super) fn first_written(&self) -> Option<Instant> {
        self.first_written
    }

    /// When the last plain byte so far was written.
    pub(super) fn last_written(&self) -> Option<Instant> {
        self.last_written
    }

    /// Writes at once as much as the operating system takes. After an error of the kind `WouldBlock` the same bytes
    /// have to be offered again.
    pub(super) fn write_now(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = match &mut self.stream {
            Stream::Plain(socket) => socket.write_now(bytes)?,
            Stream::Secure(stream) => {
                let (socket, session) = stream.get_mut();
                if self.unfinished == 0 {
                    self.unfinished = session.writer().write(&bytes[..bytes.len().min(RECORD)])?;
                }
                while session.wants_write() {
                    session.write_tls(&mut Now(socket))?;
                }
                std::mem::take(&mut self.unfinished)
            }
        };
        self.wrote(count);
        Ok(count)
    }

    /// Whether there is something to read, or the peer has gone. Takes nothing away from a later reader, and is not
    /// misled by what TLS says on its own behalf, such as session tickets.
    pub(super) fn has_news(&mut self) -> bool {
        match &mut self.stream {
            Stream::Plain(socket) => socket.has_news(),
            Stream::Secure(stream) => {
                let (socket, session) = stream.get_mut();
                while session.wants_read() && socket.has_news() {
                    let Ok(read) = session.read_tls(&mut Now(socket)) else { return true };
                    let Ok(state) = session.process_new_packets() else { return true };
                    if read == 0 || state.plaintext_bytes_to_read() > 0 || state.peer_has_closed() {
                        return true;
                    }
                }
                !session.wants_read()
            }
        }
    }

    /// Goes away. What was written reaches the peer first, as far as this side can see to that.
    pub(super) async fn end(self, by: Ending) {
        let says_so = match by {
            Ending::Closed | Ending::Cancelled => true,
            Ending::Vanished | Ending::Reset => false,
        };
        let socket = match self.stream {
            Stream::Plain(socket) => socket,
            Stream::Secure(stream) => {
                let (mut socket, mut session) = stream.into_inner();
                if says_so {
                    session.send_close_notify();
                }
                while says_so && session.wants_write() {
                    // A peer that takes no more bytes cannot be told that none will come.
                    if session.write_tls(&mut Now(&mut socket)).is_err() {
                        break;
                    }
                }
                socket
            }
        };
        socket.end(by).await;
    }

    fn wrote(&mut self, count: usize) {
        if count > 0 {
            let now = self.socket().last_written().unwrap_or_else(Instant::now);
            self.first_written = self.first_written.or(Some(now));
            self.last_written = Some(now);
        }
    }
}

/// A socket for callers that cannot wait.
struct Now<'s>(&'s mut Socket);

impl Read for Now<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read_now(buffer)
    }
}

impl Write for Now<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_now(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl AsyncRead for Channel {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().stream {
            Stream::Plain(socket) => Pin::new(socket).poll_read(context, buffer),
            Stream::Secure(stream) => Pin::new(stream.as_mut()).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Channel {
    /// Is done when the operating system has taken the bytes: over TLS, the whole record. Until then the same bytes
    /// have to be offered.
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let channel = self.get_mut();
        let count = match &mut channel.stream {
            Stream::Plain(socket) => ready!(Pin::new(socket).poll_write(context, bytes))?,
            Stream::Secure(stream) => {
                let mut stream = Pin::new(stream.as_mut());
                if channel.unfinished == 0 {
                    let record = &bytes[..bytes.len().min(RECORD)];
                    channel.unfinished = ready!(stream.as_mut().poll_write(context, record))?;
                }
                ready!(stream.poll_flush(context))?;
                std::mem::take(&mut channel.unfinished)
            }
        };
        channel.wrote(count);
        Poll::Ready(Ok(count))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().stream {
            Stream::Plain(socket) => Pin::new(socket).poll_flush(context),
            Stream::Secure(stream) => Pin::new(stream.as_mut()).poll_flush(context),
        }
    }

    /// Nothing above ends a connection: see [`Channel::end`].
    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
