//! A server for one connection, written against bare sockets, that records what really arrived.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use idemspec::wire::{Connector, Endpoint};

use crate::PATIENCE;

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

/// The server's end of the one connection.
pub(crate) struct Peer {
    stream: TcpStream,
    saw: Saw,
}

impl Peer {
    /// Reads one more piece; false when there is nothing more to come.
    fn read(&mut self) -> bool {
        let mut bytes = [0; 64 * 1024];
        match self.stream.read(&mut bytes) {
            Ok(0) => self.saw.end = Some(End::Fin),
            Ok(count) => self.saw.received.extend_from_slice(&bytes[..count]),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => self.saw.end = Some(End::Reset),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
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
        self.saw.write_failed |= self.stream.write_all(bytes.as_ref()).is_err();
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

    /// Sends FIN and goes on reading.
    pub(crate) fn finish_writing(&mut self) -> &mut Self {
        let _ = self.stream.shutdown(Shutdown::Write);
        self
    }

    /// Has the connection reset when this end is dropped.
    pub(crate) fn reset(&mut self) {
        socket2::SockRef::from(&self.stream).set_linger(Some(Duration::ZERO)).unwrap();
    }
}

pub(crate) struct RawServer {
    listener: TcpListener,
    saw: Receiver<Saw>,
}

impl RawServer {
    /// Accepts one connection and plays its part there.
    pub(crate) fn start(part: impl FnOnce(&mut Peer) + Send + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let accepting = listener.try_clone().unwrap();
        let (sender, saw) = channel();
        std::thread::spawn(move || {
            let (stream, _) = accepting.accept().unwrap();
            stream.set_nodelay(true).unwrap();
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
            let mut peer = Peer { stream, saw: Saw::default() };
            part(&mut peer);
            let Peer { stream, saw } = peer;
            drop(stream);
            let _ = sender.send(saw);
        });
        Self { listener, saw }
    }

    /// Answers one complete request and waits until the client is gone.
    pub(crate) fn answering(answer: impl AsRef<[u8]> + Send + 'static) -> Self {
        Self::start(move |peer| {
            peer.read_request().write(answer).read_to_end();
        })
    }

    pub(crate) fn endpoint(&self) -> Connector {
        Connector::new(Endpoint::parse(&format!("http://{}", self.address())).unwrap())
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
