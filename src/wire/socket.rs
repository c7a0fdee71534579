//! Our end of a TCP connection: it counts, takes the time, and goes away as it is told to.

use std::io::{self, Read};
use std::mem::MaybeUninit;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::history::Ending;

/// What a connection may send in its first round trip, roughly: ten full segments.
const FIRST_FLIGHT: u64 = 14_600;

/// How many pieces of what nobody wants to know are read at most: a peer that sends without end does not keep us.
const MOST_WASTE: usize = 256;

/// A connected socket.
///
/// Times are taken here, right after the call to the operating system, because everything above may be delayed.
#[derive(Debug)]
pub(super) struct Socket {
    stream: TcpStream,
    connected: Instant,
    round_trip: Duration,
    /// How long the peer may need for what it gets, beyond the way there.
    digestion: Duration,
    written: u64,
    last_written: Option<Instant>,
    /// Whether writes wait here until they are released.
    holding: bool,
    /// What was held and has not left yet.
    held: Vec<u8>,
}

impl Socket {
    /// Opens a connection and measures how long that took: one round trip.
    pub(super) async fn open(address: SocketAddr) -> io::Result<Self> {
        let before = Instant::now();
        let stream = TcpStream::connect(address).await?;
        let connected = Instant::now();
        stream.set_nodelay(true)?;
        let round_trip = connected - before;
        Ok(Self {
            stream,
            connected,
            round_trip,
            digestion: Duration::ZERO,
            written: 0,
            last_written: None,
            holding: false,
            held: Vec::new(),
        })
    }

    /// Corrects the round trip: behind a proxy, connecting tells only how far the proxy is.
    pub(super) fn set_round_trip(&mut self, round_trip: Duration) {
        self.round_trip = round_trip;
    }

    /// Says how long the peer may need for what it gets. A handshake of TLS is not over there when it is over here, and
    /// a reset that comes in between takes everything with it.
    pub(super) fn set_digestion(&mut self, digestion: Duration) {
        self.digestion = digestion;
    }

    /// When the connection stood.
    pub(super) fn connected(&self) -> Instant {
        self.connected
    }

    /// How long it took to open the connection.
    pub(super) fn round_trip(&self) -> Duration {
        self.round_trip
    }

    /// When the last byte so far was written.
    pub(super) fn last_written(&self) -> Option<Instant> {
        self.last_written
    }

    /// From now on whatever is written waits in this process, so that it can leave in one piece.
    pub(super) fn hold(&mut self) {
        self.holding = true;
    }

    /// Ends the hold: writes in this very moment, in one call, what was held. What the operating system does not take
    /// at once leaves before anything that is written later.
    ///
    /// # Errors
    /// When the connection is broken.
    pub(super) fn release(&mut self) -> io::Result<()> {
        self.holding = false;
        let held = std::mem::take(&mut self.held);
        let result = self.write_now(&held);
        let left = result.as_ref().copied().unwrap_or_default();
        self.held = held.get(left..).unwrap_or_default().to_vec();
        match result {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Writes at once as much as the operating system takes.
    pub(super) fn write_now(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.holding {
            self.held.extend_from_slice(bytes);
            return Ok(bytes.len());
        }
        if !self.held.is_empty() {
            let count = self.stream.try_write(&self.held)?;
            self.wrote(count);
            self.held.drain(..count);
            if !self.held.is_empty() {
                return Err(io::ErrorKind::WouldBlock.into());
            }
        }
        if bytes.is_empty() {
            return Ok(0);
        }
        let count = self.stream.try_write(bytes)?;
        self.wrote(count);
        Ok(count)
    }

    /// Reads what is there, and waits for nothing.
    pub(super) fn read_now(&self, buffer: &mut [u8]) -> io::Result<usize> {
        (&*SockRef::from(&self.stream)).read(buffer)
    }

    /// Whether there is something to read, or the peer has gone. Asks the operating system and takes nothing away.
    pub(super) fn has_news(&self) -> bool {
        let mut one = [MaybeUninit::uninit()];
        match SockRef::from(&self.stream).peek(&mut one) {
            Ok(_) => true,
            Err(error) => error.kind() != io::ErrorKind::WouldBlock,
        }
    }

    /// Goes away. What was written reaches the peer first, as far as this side can see to that.
    pub(super) async fn end(self, by: Ending) {
        match by {
            // A cancelled exchange leaves its connection to be closed in good order.
            Ending::Closed | Ending::Vanished | Ending::Cancelled => self.close(),
            Ending::Reset => self.reset().await,
        }
    }

    /// Sends FIN. The kernel would send RST instead if the socket were closed with unread bytes in it, so FIN goes
    /// first and those bytes are thrown away. Whatever the peer sends afterwards meets a closed socket.
    fn close(self) {
        // Shutting down fails only if the peer has already torn the connection down: then there is nothing to end.
        let _ = SockRef::from(&self.stream).shutdown(std::net::Shutdown::Write);
        let mut waste = [0; 4096];
        for _ in 0..MOST_WASTE {
            if !matches!(self.stream.try_read(&mut waste), Ok(read) if read > 0) {
                break;
            }
        }
    }

    /// Sends RST, which throws away what has not left yet: so it waits until that must have arrived.
    async fn reset(self) {
        if let Some(last_written) = self.last_written {
            let arrived = last_written + self.round_trip * flights(self.written) + self.digestion;
            tokio::time::sleep_until(arrived.into()).await;
        }
        // Where the option cannot be set, the connection is gone already.
        let _ = SockRef::from(&self.stream).set_linger(Some(Duration::ZERO));
    }

    /// Writes what is left of what was held.
    fn poll_held(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.holding && !self.held.is_empty() {
            let count = ready!(Pin::new(&mut self.stream).poll_write(context, &self.held))?;
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.wrote(count);
            self.held.drain(..count);
        }
        Poll::Ready(Ok(()))
    }

    fn wrote(&mut self, count: usize) {
        if count > 0 {
            let now = Instant::now();
            self.last_written = Some(now);
            self.written += count as u64;
        }
    }
}

/// How many round trips it takes to get so many bytes across: a connection doubles what it sends in each.
fn flights(bytes: u64) -> u32 {
    (bytes / FIRST_FLIGHT + 1).ilog2() + 1
}

impl AsyncRead for Socket {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let socket = self.get_mut();
        if socket.holding {
            socket.held.extend_from_slice(bytes);
            return Poll::Ready(Ok(bytes.len()));
        }
        ready!(socket.poll_held(context))?;
        let count = ready!(Pin::new(&mut socket.stream).poll_write(context, bytes))?;
        socket.wrote(count);
        Poll::Ready(Ok(count))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let socket = self.get_mut();
        ready!(socket.poll_held(context))?;
        Pin::new(&mut socket.stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_requests_need_more_round_trips() {
        assert_eq!([0, 14_599, 14_600, 43_800, 1_000_000].map(flights), [1, 1, 2, 3, 7]);
    }
}
