//! Our end of a TCP connection: it counts, takes the time, and goes away as it is told to.

use std::io;
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

/// A connected socket.
///
/// Times are taken here, right after the call to the operating system, because everything above may be delayed.
#[derive(Debug)]
pub(super) struct Socket {
    stream: TcpStream,
    connected: Instant,
    round_trip: Duration,
    written: u64,
    first_written: Option<Instant>,
    last_written: Option<Instant>,
}

impl Socket {
    /// Opens a connection and measures how long that took: one round trip.
    pub(super) async fn open(address: SocketAddr) -> io::Result<Self> {
        let before = Instant::now();
        let stream = TcpStream::connect(address).await?;
        let connected = Instant::now();
        stream.set_nodelay(true)?;
        let round_trip = connected - before;
        Ok(Self { stream, connected, round_trip, written: 0, first_written: None, last_written: None })
    }

    /// When the connection stood.
    pub(super) fn connected(&self) -> Instant {
        self.connected
    }

    /// How long it took to open the connection.
    pub(super) fn round_trip(&self) -> Duration {
        self.round_trip
    }

    /// When the first byte was written.
    pub(super) fn first_written(&self) -> Option<Instant> {
        self.first_written
    }

    /// When the last byte so far was written.
    pub(super) fn last_written(&self) -> Option<Instant> {
        self.last_written
    }

    /// Writes at once as much as the operating system takes.
    pub(super) fn write_now(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.stream.try_write(bytes)?;
        self.wrote(count);
        Ok(count)
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
            // A connection of HTTP/1.1 carries one exchange, so cancelling that ends it.
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
        while matches!(self.stream.try_read(&mut waste), Ok(read) if read > 0) {}
    }

    /// Sends RST, which throws away what has not left yet: so it waits until that must have arrived.
    async fn reset(self) {
        if let Some(last_written) = self.last_written {
            let arrived = last_written + self.round_trip * flights(self.written);
            tokio::time::sleep_until(arrived.into()).await;
        }
        // Where the option cannot be set, the connection is gone already.
        let _ = SockRef::from(&self.stream).set_linger(Some(Duration::ZERO));
    }

    fn wrote(&mut self, count: usize) {
        if count > 0 {
            let now = Instant::now();
            self.first_written = self.first_written.or(Some(now));
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
        let count = ready!(Pin::new(&mut socket.stream).poll_write(context, bytes))?;
        socket.wrote(count);
        Poll::Ready(Ok(count))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
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
