//! A server that knows just enough of HTTP/1.1 and HTTP/2 to say when a request was complete. One thread to a
//! connection, no library.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
/// On DATA and HEADERS: the end of the request. On SETTINGS and PING: an acknowledgement.
const FIRST_FLAG: u8 = 1;
const END_HEADERS: u8 = 4;
/// `:status: 200`, compressed.
const STATUS_200: u8 = 0x88;

/// A running server, with the moments at which requests were complete.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    arrivals: Arc<Mutex<Vec<Instant>>>,
}

impl Server {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let arrivals = Arc::default();
        let noted = Arc::clone(&arrivals);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (Ok(stream), noted) = (stream, Arc::clone(&noted)) else { return };
                stream.set_nodelay(true).unwrap();
                // Clients that go away early are no failure.
                thread::spawn(move || serve(stream, &noted));
            }
        });
        Self { address, arrivals }
    }

    /// When requests were complete, since this was asked last.
    pub(crate) fn arrivals(&self) -> Vec<Instant> {
        std::mem::take(&mut self.arrivals.lock().unwrap())
    }
}

fn serve(mut stream: TcpStream, arrivals: &Mutex<Vec<Instant>>) -> Option<()> {
    let mut bytes = Vec::new();
    read(&mut stream, &mut bytes)?;
    if bytes.starts_with(&PREFACE[..bytes.len().min(PREFACE.len())]) {
        serve_http2(stream, bytes, arrivals)
    } else {
        serve_http1(stream, bytes, arrivals)
    }
}

fn serve_http1(mut stream: TcpStream, mut bytes: Vec<u8>, arrivals: &Mutex<Vec<Instant>>) -> Option<()> {
    while !is_complete(&bytes) {
        read(&mut stream, &mut bytes)?;
    }
    arrivals.lock().unwrap().push(Instant::now());
    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok").ok()
}

fn is_complete(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes).to_ascii_lowercase();
    let Some((head, content)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    content.len() >= length.and_then(|length| length.parse().ok()).unwrap_or(0)
}

fn serve_http2(mut stream: TcpStream, mut bytes: Vec<u8>, arrivals: &Mutex<Vec<Instant>>) -> Option<()> {
    while bytes.len() < PREFACE.len() {
        read(&mut stream, &mut bytes)?;
    }
    bytes.drain(..PREFACE.len());
    stream.write_all(&frame(SETTINGS, 0, 0, &[])).ok()?;
    loop {
        let mut answers = Vec::new();
        while let Some((kind, flags, id, payload)) = take_frame(&mut bytes) {
            match (kind, flags & FIRST_FLAG != 0) {
                (SETTINGS, false) => answers.extend(frame(SETTINGS, FIRST_FLAG, 0, &[])),
                (PING, false) => answers.extend(frame(PING, FIRST_FLAG, 0, &payload)),
                (HEADERS | DATA, true) => {
                    arrivals.lock().unwrap().push(Instant::now());
                    answers.extend(frame(HEADERS, END_HEADERS, id, &[STATUS_200]));
                    answers.extend(frame(DATA, FIRST_FLAG, id, b"ok"));
                }
                _ => {}
            }
        }
        stream.write_all(&answers).ok()?;
        read(&mut stream, &mut bytes)?;
    }
}

fn frame(kind: u8, flags: u8, id: u32, payload: &[u8]) -> Vec<u8> {
    let mut frame = u32::try_from(payload.len()).unwrap().to_be_bytes()[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(id.to_be_bytes());
    frame.extend(payload);
    frame
}

fn take_frame(bytes: &mut Vec<u8>) -> Option<(u8, u8, u32, Vec<u8>)> {
    let [high, middle, low, kind, flags, id @ ..] = *bytes.first_chunk::<9>()?;
    let end = 9 + u32::from_be_bytes([0, high, middle, low]) as usize;
    if bytes.len() < end {
        return None;
    }
    let payload = bytes.drain(..end).skip(9).collect();
    Some((kind, flags, u32::from_be_bytes(id), payload))
}

/// Reads one piece more; nothing where there is none.
fn read(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> Option<()> {
    let mut piece = [0; 64 * 1024];
    match stream.read(&mut piece) {
        Ok(count @ 1..) => {
            bytes.extend_from_slice(&piece[..count]);
            Some(())
        }
        Ok(_) | Err(_) => None,
    }
}
