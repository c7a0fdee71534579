//! A server for one connection, written against bare sockets, that records what really arrived.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use idemspec::wire::{ConnectionSettings, Connector, Endpoint};
use tokio_rustls::rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::PATIENCE;
use crate::frames::{self, SeenFrame};

/// How the client's side of the connection ended, as the server's reads told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Fin,
    Reset,
}

/// What the server saw.
#[derive(Debug, Default)]
pub(crate) struct Saw {
    pub(crate) received: Vec<u8>,
    pub(crate) end: Option<End>,
    /// A write of the server failed, because the client had gone.
    pub(crate) write_failed: bool,
    /// The client ended TLS in good order.
    pub(crate) close_notify: bool,
    /// The handshake failed on this side.
    pub(crate) handshake_failed: bool,
    /// How many bytes the server got rid of.
    pub(crate) bytes_sent: u64,
}

impl Saw {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.received).unwrap()
    }

    /// The head with its empty line, if it arrived in full, and what arrived after it.
    pub(crate) fn parts(&self) -> Option<(&str, &str)> {
        let end = self.text().find("\r\n\r\n")? + 4;
        Some(self.text().split_at(end))
    }

    pub(crate) fn head_complete(&self) -> bool {
        self.parts().is_some()
    }

    /// The frames of HTTP/2 that arrived in full.
    pub(crate) fn frames(&self) -> Vec<SeenFrame> {
        frames::parse(&self.received)
    }

    /// Exactly one request arrived: neither less nor more.
    pub(crate) fn request_complete(&self) -> bool {
        self.parts().is_some_and(|(head, body)| body.len() == declared_length(head))
    }
}

pub(crate) fn declared_length(head: &str) -> usize {
    let fields = head.lines().filter_map(|line| line.split_once(": "));
    let length = fields.filter(|(name, _)| name.eq_ignore_ascii_case("content-length")).map(|(_, value)| value).next();
    length.map_or(0, |length| length.parse().unwrap())
}

enum Stream {
    Plain(TcpStream),
    Secure(Box<StreamOwned<ServerConnection, TcpStream>>),
}

/// The server's end of the one connection.
pub(crate) struct Peer {
    stream: Stream,
    pub(crate) saw: Saw,
    /// How many frames of HTTP/2 were acknowledged, where they have to be.
    pub(crate) acknowledged: usize,
}

impl Peer {
    pub(crate) fn socket(&self) -> &TcpStream {
        match &self.stream {
            Stream::Plain(socket) => socket,
            Stream::Secure(stream) => stream.get_ref(),
        }
    }

    /// Reads one more piece; false when there is nothing more to come.
    pub(crate) fn read(&mut self) -> bool {
        let mut bytes = [0; 64 * 1024];
        let read = match &mut self.stream {
            Stream::Plain(socket) => socket.read(&mut bytes),
            Stream::Secure(stream) => match stream.read(&mut bytes) {
                Ok(0) => {
                    self.saw.close_notify = true;
                    stream.get_mut().read(&mut bytes)
                }
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(0),
                read => read,
            },
        };
        match read {
            Ok(0) => self.saw.end = Some(End::Fin),
            Ok(_) if self.saw.close_notify => panic!("bytes after close_notify"),
            Ok(count) => self.saw.received.extend_from_slice(&bytes[..count]),
            // TLS may have something to say before it reads, and find nobody there.
            Err(error) if matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe) => {
                self.saw.end = Some(End::Reset);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                self.saw.handshake_failed = true;
                self.saw.end = Some(End::Fin);
            }
            Err(error) => panic!("the server cannot read: {error}"),
        }
        self.saw.end.is_none()
    }

    pub(crate) fn read_head(&mut self) -> &mut Self {
        while !self.saw.head_complete() && self.read() {}
        self
    }

    pub(crate) fn read_request(&mut self) -> &mut Self {
        while !self.saw.request_complete() && self.read() {}
        self
    }

    /// Reads until the client is gone, and says how it went.
    pub(crate) fn read_to_end(&mut self) -> &mut Self {
        while self.read() {}
        self
    }

    pub(crate) fn write(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        for piece in bytes.as_ref().chunks(16 * 1024) {
            let written = match &mut self.stream {
                Stream::Plain(socket) => socket.write_all(piece),
                Stream::Secure(stream) => stream.write_all(piece).and_then(|()| stream.flush()),
            };
            self.saw.write_failed |= written.is_err();
            if self.saw.write_failed {
                break;
            }
            self.saw.bytes_sent += piece.len() as u64;
        }
        self
    }

    pub(crate) fn write_bytewise(&mut self, bytes: &str) -> &mut Self {
        for byte in bytes.bytes() {
            self.write([byte]);
        }
        self
    }

    /// Writes until the client is gone.
    pub(crate) fn write_for_ever(&mut self, piece: &[u8]) -> &mut Self {
        while !self.saw.write_failed {
            self.write(piece);
        }
        self
    }

    /// Sends FIN, over TLS after close_notify, and goes on reading.
    pub(crate) fn finish_writing(&mut self) -> &mut Self {
        if let Stream::Secure(stream) = &mut self.stream {
            stream.conn.send_close_notify();
            let _ = stream.flush();
        }
        let _ = self.socket().shutdown(Shutdown::Write);
        self
    }

    /// Has the connection reset when this end is dropped.
    pub(crate) fn reset(&mut self) {
        socket2::SockRef::from(self.socket()).set_linger(Some(Duration::ZERO)).unwrap();
    }
}

/// What a raw server speaks below HTTP.
#[derive(Clone, Debug)]
pub(crate) enum Security {
    Plain,
    Tls(Arc<ServerConfig>),
}

impl Security {
    fn around(&self, socket: TcpStream) -> Stream {
        match self {
            Self::Plain => Stream::Plain(socket),
            Self::Tls(config) => {
                let session = ServerConnection::new(Arc::clone(config)).unwrap();
                Stream::Secure(Box::new(StreamOwned::new(session, socket)))
            }
        }
    }
}

pub(crate) struct RawServer {
    listener: TcpListener,
    security: Security,
    saw: Receiver<Saw>,
}

impl RawServer {
    /// Accepts one connection and plays its part there.
    pub(crate) fn start(part: impl FnOnce(&mut Peer) + Send + 'static) -> Self {
        Self::start_with(Security::Plain, part)
    }

    /// The same, over TLS or not.
    pub(crate) fn start_with(security: Security, part: impl FnOnce(&mut Peer) + Send + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let accepting = listener.try_clone().unwrap();
        let (sender, saw) = channel();
        let around = security.clone();
        std::thread::spawn(move || {
            let (stream, _) = accepting.accept().unwrap();
            stream.set_nodelay(true).unwrap();
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
            let mut peer = Peer { stream: around.around(stream), saw: Saw::default(), acknowledged: 0 };
            part(&mut peer);
            let Peer { stream, saw, .. } = peer;
            drop(stream);
            let _ = sender.send(saw);
        });
        Self { listener, security, saw }
    }

    /// Answers one complete request and waits until the client is gone.
    pub(crate) fn answering(answer: impl AsRef<[u8]> + Send + 'static) -> Self {
        Self::start(move |peer| {
            peer.read_request().write(answer).read_to_end();
        })
    }

    /// A way to this server by the usual settings.
    pub(crate) fn endpoint(&self) -> Connector {
        self.connector(ConnectionSettings::default())
    }

    /// A way to this server.
    pub(crate) fn connector(&self, settings: ConnectionSettings) -> Connector {
        Connector::with(Endpoint::parse(&self.url()).unwrap(), settings)
    }

    pub(crate) fn url(&self) -> String {
        let scheme = match self.security {
            Security::Plain => "http",
            Security::Tls(_) => "https",
        };
        format!("{scheme}://{}", self.address())
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.listener.local_addr().unwrap()
    }

    /// What was seen, once the part is played: over this one connection, and no other was ever opened. The client must
    /// be done by now. A connection stands in the queue as soon as it is open, so nothing has to be waited for.
    pub(crate) fn saw(self) -> Saw {
        let saw = self.saw.recv_timeout(PATIENCE).expect("the server's part came to an end");
        self.listener.set_nonblocking(true).unwrap();
        let further = self.listener.accept().map(|_| "a second connection").map_err(|error| error.kind());
        assert_eq!(further, Err(ErrorKind::WouldBlock));
        saw
    }
}
