//! Taking connections: plain ones, and ones over TLS.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::serve::{Listener, ListenerExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// How long a handshake may take. A client that opens a connection and says nothing occupies nothing for longer.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// How many connections may wait to be served after their handshake.
const BACKLOG: usize = 64;

/// Takes plain connections.
pub(super) fn plain(listener: TcpListener) -> impl Listener<Io = TcpStream, Addr = SocketAddr> {
    // An answer is small and complete: there is nothing to wait for before it is sent.
    listener.tap_io(|connection| drop(connection.set_nodelay(true)))
}

/// Takes connections over TLS. Each handshake is a task of its own, so that a slow client keeps nobody else waiting,
/// and connections are served in the order in which their handshakes end.
pub(super) struct TlsListener {
    shaken: mpsc::Receiver<(TlsStream<TcpStream>, SocketAddr)>,
    address: SocketAddr,
}

impl TlsListener {
    /// Starts to take connections. Needs a running runtime, and ends with it.
    pub(super) fn new(listener: TcpListener, acceptor: TlsAcceptor) -> io::Result<Self> {
        let address = listener.local_addr()?;
        let (sender, shaken) = mpsc::channel(BACKLOG);
        tokio::spawn(take(plain(listener), acceptor, sender));
        Ok(Self { shaken, address })
    }
}

impl Listener for TlsListener {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        match self.shaken.recv().await {
            Some(connection) => connection,
            // Nobody takes connections any more, which is so only when the runtime ends.
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        Ok(self.address)
    }
}

async fn take(
    mut listener: impl Listener<Io = TcpStream, Addr = SocketAddr>,
    acceptor: TlsAcceptor,
    sender: mpsc::Sender<(TlsStream<TcpStream>, SocketAddr)>,
) {
    loop {
        let (connection, address) = listener.accept().await;
        let (acceptor, sender) = (acceptor.clone(), sender.clone());
        tokio::spawn(async move {
            // A handshake that fails or takes too long has told its client so; there is nothing to serve.
            if let Ok(Ok(stream)) = tokio::time::timeout(HANDSHAKE, acceptor.accept(connection)).await {
                let _ = sender.send((stream, address)).await;
            }
        });
    }
}
