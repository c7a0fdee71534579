//! A server for one HTTP/2 connection that knows frames and nothing above them, and tells what came with which read.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use idemspec::wire::{ConnectionSettings, Connector, Endpoint, HttpVersion};
use rustls_pki_types::PrivateKeyDer;
use tokio_rustls::rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::PATIENCE;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const ACKNOWLEDGED: u8 = 1;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

pub(crate) const DATA: u8 = 0;
pub(crate) const HEADERS: u8 = 1;
pub(crate) const RESET: u8 = 3;
pub(crate) const SETTINGS: u8 = 4;
pub(crate) const PING: u8 = 6;
pub(crate) const GO_AWAY: u8 = 7;
pub(crate) const WINDOW_UPDATE: u8 = 8;

/// The numbers of settings.
pub(crate) const MOST_STREAMS: u16 = 3;
pub(crate) const FIRST_WINDOW: u16 = 4;

#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) kind: u8,
    pub(crate) flags: u8,
    pub(crate) stream: u32,
    pub(crate) payload: Vec<u8>,
    /// The number of the read that brought its last byte.
    pub(crate) read: usize,
}

impl Frame {
    /// Whether it ends a request.
    pub(crate) fn ends(&self) -> bool {
        [DATA, HEADERS].contains(&self.kind) && self.flags & END_STREAM != 0
    }

    pub(crate) fn is(&self, kind: u8) -> bool {
        self.kind == kind && (![SETTINGS, PING].contains(&kind) || self.flags & ACKNOWLEDGED == 0)
    }
}

/// A socket that counts what comes in one piece.
struct Counting {
    socket: TcpStream,
    reads: Arc<AtomicUsize>,
}

impl Read for Counting {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        self.socket.read(bytes)
    }
}

impl Write for Counting {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.socket.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.socket.flush()
    }
}

trait Stream: Read + Write + Send {}

impl<S: Read + Write + Send> Stream for S {}

/// The server's end of the connection. It acknowledges settings by itself, and nothing else.
pub(crate) struct Peer {
    stream: Box<dyn Stream>,
    /// The same socket, to set it.
    socket: TcpStream,
    bytes: VecDeque<u8>,
    reads: Arc<AtomicUsize>,
    over: bool,
    pub(crate) frames: Vec<Frame>,
}

impl Peer {
    /// The next frame; none when the client is gone.
    pub(crate) fn next(&mut self) -> Option<Frame> {
        loop {
            if let Some(frame) = self.take() {
                if frame.is(SETTINGS) {
                    self.send(SETTINGS, ACKNOWLEDGED, 0, &[]);
                }
                self.frames.push(frame.clone());
                return Some(frame);
            }
            if self.over {
                return None;
            }
            self.read();
        }
    }

    /// Reads frames up to and with one that is wanted.
    pub(crate) fn until(&mut self, wanted: impl Fn(&Frame) -> bool) -> Frame {
        loop {
            let frame = self.next().unwrap_or_else(|| panic!("it never came: {:?}", self.frames));
            if wanted(&frame) {
                return frame;
            }
        }
    }

    /// Acknowledges the next PING.
    pub(crate) fn pong(&mut self) {
        let ping = self.until(|frame| frame.is(PING));
        self.send(PING, ACKNOWLEDGED, 0, &ping.payload);
    }

    /// Reads until so many requests are complete, and says which streams they are.
    pub(crate) fn complete(&mut self, number: usize) -> Vec<u32> {
        (0..number).map(|_| self.until(Frame::ends).stream).collect()
    }

    /// Whether nothing comes for this long.
    pub(crate) fn is_silent_for(&mut self, time: Duration) -> bool {
        assert!(self.bytes.is_empty(), "there is something already");
        self.socket.set_read_timeout(Some(time)).unwrap();
        let silent = self.stream.read(&mut [0]).map_err(|error| error.kind()) == Err(ErrorKind::WouldBlock);
        self.socket.set_read_timeout(Some(PATIENCE)).unwrap();
        silent
    }

    pub(crate) fn send(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
        let mut frame = u32::try_from(payload.len()).unwrap().to_be_bytes()[1..].to_vec();
        frame.extend([kind, flags]);
        frame.extend(stream.to_be_bytes());
        frame.extend(payload);
        // A client that is gone does not need it.
        let _ = self.stream.write_all(&frame).and_then(|()| self.stream.flush());
    }

    /// Answers a stream: 200, `ok`.
    pub(crate) fn answer(&mut self, stream: u32) {
        let indexed_status_200 = [0x88];
        self.send(HEADERS, END_HEADERS, stream, &indexed_status_200);
        self.send(DATA, END_STREAM, stream, b"ok");
    }

    /// Reads until the client is gone.
    pub(crate) fn read_to_end(&mut self) {
        while self.next().is_some() {}
    }

    fn read(&mut self) {
        let mut bytes = [0; 64 * 1024];
        match self.stream.read(&mut bytes) {
            Ok(0) => self.over = true,
            Ok(count) => self.bytes.extend(&bytes[..count]),
            Err(error) if [ErrorKind::ConnectionReset, ErrorKind::BrokenPipe].contains(&error.kind()) => {
                self.over = true;
            }
            Err(error) => panic!("the server cannot read: {error}"),
        }
    }

    fn take(&mut self) -> Option<Frame> {
        let head: Vec<u8> = self.bytes.iter().take(9).copied().collect();
        let [high, middle, low, kind, flags, stream @ ..] = <[u8; 9]>::try_from(head).ok()?;
        let length = u32::from_be_bytes([0, high, middle, low]) as usize;
        if self.bytes.len() < 9 + length {
            return None;
        }
        let payload = self.bytes.drain(..9 + length).skip(9).collect();
        Some(Frame {
            kind,
            flags,
            stream: u32::from_be_bytes(stream),
            payload,
            read: self.reads.load(Ordering::SeqCst),
        })
    }
}

/// TLS for a server that speaks these protocols.
pub(crate) fn server_config(protocols: &[&[u8]]) -> Arc<ServerConfig> {
    let certified = rcgen::generate_simple_self_signed(vec!["127.0.0.1".into()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(certified.signing_key.serialize_der().into());
    let provider = Arc::new(tokio_rustls::rustls::crypto::aws_lc_rs::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certified.cert.der().clone()], key)
        .unwrap();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    Arc::new(config)
}

/// Connects to a server whose certificate nobody vouches for; the version of HTTP is agreed upon.
pub(crate) fn insecure(base_url: &str) -> Connector {
    let settings = ConnectionSettings { insecure: true, ..ConnectionSettings::default() };
    Connector::with(Endpoint::parse(base_url).unwrap(), settings)
}

pub(crate) struct RawHttp2 {
    secure: bool,
    listener: TcpListener,
    saw: Receiver<Vec<Frame>>,
}

impl RawHttp2 {
    /// Accepts one connection, sends these settings and plays its part.
    pub(crate) fn start(settings: &[(u16, u32)], part: impl FnOnce(&mut Peer) + Send + 'static) -> Self {
        Self::start_on(None, settings, part)
    }

    /// The same over TLS.
    pub(crate) fn start_secure(part: impl FnOnce(&mut Peer) + Send + 'static) -> Self {
        Self::start_on(Some(server_config(&[b"h2"])), &[], part)
    }

    fn start_on(
        tls: Option<Arc<ServerConfig>>,
        settings: &[(u16, u32)],
        part: impl FnOnce(&mut Peer) + Send + 'static,
    ) -> Self {
        let secure = tls.is_some();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let accepting = listener.try_clone().unwrap();
        let (sender, saw) = channel();
        let settings: Vec<u8> = settings
            .iter()
            .flat_map(|(setting, value)| [&setting.to_be_bytes()[..], &value.to_be_bytes()[..]].concat())
            .collect();
        std::thread::spawn(move || {
            let (socket, _) = accepting.accept().unwrap();
            socket.set_nodelay(true).unwrap();
            socket.set_read_timeout(Some(PATIENCE)).unwrap();
            let reads = Arc::new(AtomicUsize::new(0));
            let counting = Counting { socket: socket.try_clone().unwrap(), reads: Arc::clone(&reads) };
            let stream: Box<dyn Stream> = match tls {
                Some(config) => Box::new(StreamOwned::new(ServerConnection::new(config).unwrap(), counting)),
                None => Box::new(counting),
            };
            let mut peer = Peer { stream, socket, bytes: VecDeque::new(), reads, over: false, frames: Vec::new() };
            while peer.bytes.len() < PREFACE.len() {
                peer.read();
            }
            assert!(peer.bytes.drain(..PREFACE.len()).eq(PREFACE.iter().copied()));
            peer.send(SETTINGS, 0, 0, &settings);
            part(&mut peer);
            let frames = std::mem::take(&mut peer.frames);
            drop(peer);
            let _ = sender.send(frames);
        });
        Self { secure, listener, saw }
    }

    pub(crate) fn endpoint(&self) -> Connector {
        let address = self.listener.local_addr().unwrap();
        if self.secure {
            return insecure(&format!("https://{address}"));
        }
        let settings = ConnectionSettings { version: HttpVersion::Http2, ..ConnectionSettings::default() };
        Connector::with(Endpoint::parse(&format!("http://{address}")).unwrap(), settings)
    }

    /// All frames that came, once the part is played: over this one connection, and no other was ever opened.
    pub(crate) fn frames(self) -> Vec<Frame> {
        let frames = self.saw.recv_timeout(PATIENCE).expect("the server's part came to an end");
        self.listener.set_nonblocking(true).unwrap();
        assert_eq!(self.listener.accept().map(|_| ()).map_err(|error| error.kind()), Err(ErrorKind::WouldBlock));
        frames
    }
}
