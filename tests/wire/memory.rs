//! What a server may make the tool read is bounded, by the size of an answer and by time.

use std::time::Duration;

use idemspec::history::{Outcome, SocketError};
use idemspec::wire::{ConnectionSettings, ControlClient, ControlError, ControlOptions, HttpVersion};

use crate::certificates::{kinds, speaking};
use crate::frames::{self, CONTINUATION, END_HEADERS, END_STREAM, HEADERS, STREAM, WINDOW_UPDATE, field};
use crate::raw_server::{Peer, RawServer, Saw};
use crate::{PATIENCE, post, secrets, send};

const BODY_LIMIT: usize = 256 * 1024;

/// What the buffers of both operating systems and of TLS hold at most, with room to spare.
const IN_BETWEEN: u64 = 24 * 1024 * 1024;

const GIGABYTE: u64 = 1 << 30;

/// Sends pieces until the client is gone, or a gigabyte has left.
fn flood(peer: &mut Peer, piece: &[u8]) {
    while !peer.saw.write_failed && peer.saw.bytes_sent < GIGABYTE {
        peer.write(piece);
    }
}

/// The same over HTTP/2, as fast as the client asks for more of the connection.
fn flood_frames(peer: &mut Peer, piece: &[u8]) {
    let mut sent = 0;
    while !peer.saw.write_failed && peer.saw.bytes_sent < GIGABYTE {
        while granted(&peer.saw.frames(), 0) >= sent + piece.len() {
            peer.write(frames::data(piece, 0));
            sent += piece.len();
        }
        if !peer.read() {
            return;
        }
    }
}

/// How much a client has asked for in all (RFC 9113, section 5.2): of the connection, or of a stream.
fn granted(seen: &[frames::SeenFrame], stream: u32) -> usize {
    let updates = seen.iter().filter(|frame| frame.kind == WINDOW_UPDATE && frame.stream == stream);
    let increments = updates.map(|frame| u32::from_be_bytes(frame.payload[..4].try_into().unwrap()) as usize);
    65_535 + increments.sum::<usize>()
}

fn endless(version: HttpVersion, length: &'static str) -> impl Fn(&mut Peer) + Send + Copy + 'static {
    move |peer| match version {
        HttpVersion::Auto | HttpVersion::Http1 => {
            let framing = if length.is_empty() { "Transfer-Encoding: chunked" } else { length };
            peer.read_request().write(format!("HTTP/1.1 200 OK\r\n{framing}\r\n\r\n"));
            let chunk = if length.is_empty() { format!("2000\r\n{}\r\n", "x".repeat(8192)) } else { "x".repeat(8192) };
            flood(peer, chunk.as_bytes());
        }
        HttpVersion::Http2 => {
            peer.greet().read_stream().write(frames::head(200, 0));
            flood_frames(peer, &[b'x'; 8192]);
        }
    }
}

fn assert_bounded(saw: &Saw, bound: u64, context: &str) {
    assert!(saw.bytes_sent < bound + IN_BETWEEN, "the server got rid of {} bytes: {context}", saw.bytes_sent);
}

#[tokio::test]
async fn an_answer_without_end_is_too_large_soon() {
    for (version, security) in kinds() {
        for length in ["Content-Length: 1073741824", ""] {
            let server = RawServer::start_with(security.clone(), endless(version, length));
            let attempted = send(&server.connector(speaking(version)), &post("{}"), |options| {
                options.body_limit = BODY_LIMIT;
            })
            .await;
            let context = format!("{version:?} {length} {attempted:?}");
            assert_bounded(&server.saw(), BODY_LIMIT as u64, &context);
            let Outcome::Failed { error, request_written, .. } = attempted.outcome else { panic!("{context}") };
            assert_eq!((error, request_written), (SocketError::TooLarge, true), "{context}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_control_client_is_bounded_as_well() {
    for (version, security) in kinds() {
        let server = RawServer::start_with(security, endless(version, ""));
        let options = ControlOptions { body_limit: BODY_LIMIT, time_limit: PATIENCE, ..ControlOptions::default() };
        let connector = server.connector(speaking(version));
        let error = ControlClient::new(options).send(&connector, &post("{}"), &secrets()).await.unwrap_err();
        assert_bounded(&server.saw(), BODY_LIMIT as u64, &format!("{version:?}"));
        assert!(matches!(error, ControlError::TooLarge(_)), "{version:?}: {error}");
    }
}

/// Header fields without end: one block, in as many pieces as it takes.
fn header_flood(version: HttpVersion) -> impl Fn(&mut Peer) + Send + Copy + 'static {
    move |peer| match version {
        HttpVersion::Auto | HttpVersion::Http1 => {
            peer.read_request().write("HTTP/1.1 200 OK\r\n");
            flood(peer, "X-Filler: xxxxxxxxxxxxxxxx\r\n".repeat(300).as_bytes());
        }
        HttpVersion::Http2 => {
            peer.greet().read_stream().write(frames::frame(HEADERS, 0, STREAM, &[0x88]));
            let block: Vec<u8> = (0..300).flat_map(|_| field("x-filler", "xxxxxxxxxxxxxxxx")).collect();
            flood(peer, &frames::frame(CONTINUATION, 0, STREAM, &block));
        }
    }
}

#[tokio::test]
async fn a_flood_of_header_fields_is_too_large_soon() {
    for (version, security) in kinds() {
        let server = RawServer::start_with(security, header_flood(version));
        let attempted = send(&server.connector(speaking(version)), &post("{}"), |_| {}).await;
        let context = format!("{version:?} {attempted:?}");
        assert_bounded(&server.saw(), 1024 * 1024, &context);
        let Outcome::Failed { error, .. } = attempted.outcome else { panic!("{context}") };
        assert_eq!(error, SocketError::TooLarge, "{context}");
    }
}

#[tokio::test]
async fn a_large_head_is_too_large_also_when_it_ends() {
    let server = RawServer::start(|peer| {
        let block: Vec<u8> = (0..500).flat_map(|_| field("x-filler", &"x".repeat(100))).collect();
        peer.greet().read_stream().write(frames::frame(HEADERS, 0, STREAM, &[0x88]));
        let mut pieces = block.chunks(16_000).peekable();
        while let Some(piece) = pieces.next() {
            let flags = if pieces.peek().is_none() { END_HEADERS } else { 0 };
            peer.write(frames::frame(CONTINUATION, flags, STREAM, piece));
        }
        peer.write(frames::data(b"ok", END_STREAM)).read_frames_to_end();
    });
    // 55 kB are within the limit of a head.
    let attempted = send(&server.connector(speaking(HttpVersion::Http2)), &post("{}"), |_| {}).await;
    let Outcome::Answered(response) = &attempted.outcome else { panic!("{attempted:?}") };
    assert_eq!(response.headers.len(), 500);

    let server = RawServer::start(|peer| {
        peer.greet().read_stream();
        let fields: Vec<u8> = (0..100).flat_map(|_| field("x-filler", &"x".repeat(100))).collect();
        // The same again and again costs a byte each, from the table of both sides.
        let mut block = vec![0x88, 0x40];
        block.extend(&field("x-filler", &"x".repeat(100))[1..]);
        block.extend(fields);
        block.extend([0xbe; 700]);
        peer.write(frames::frame(HEADERS, END_HEADERS | END_STREAM, STREAM, &block));
        peer.read_frames_to_end();
    });
    let attempted = send(&server.connector(speaking(HttpVersion::Http2)), &post("{}"), |_| {}).await;
    let Outcome::Failed { error, .. } = &attempted.outcome else { panic!("{attempted:?}") };
    assert_eq!(*error, SocketError::TooLarge, "{attempted:?}");
}

#[tokio::test]
async fn an_answer_that_trickles_is_a_time_out() {
    for (version, security) in kinds() {
        let server = RawServer::start_with(security, move |peer| {
            match version {
                HttpVersion::Auto | HttpVersion::Http1 => {
                    peer.read_request().write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
                }
                HttpVersion::Http2 => _ = peer.greet().read_stream().write(frames::head(200, 0)),
            }
            while !peer.saw.write_failed {
                std::thread::sleep(Duration::from_millis(20));
                match version {
                    HttpVersion::Auto | HttpVersion::Http1 => peer.write("x"),
                    HttpVersion::Http2 => peer.write(frames::data(b"x", 0)),
                };
            }
        });
        let attempted = send(&server.connector(speaking(version)), &post("{}"), |options| {
            options.time_limit = Duration::from_millis(700);
        })
        .await;
        server.saw();
        let Outcome::Failed { error, request_written, .. } = attempted.outcome else { panic!("{attempted:?}") };
        assert_eq!((error, request_written), (SocketError::TimedOut, true), "{version:?}");
    }
}

#[tokio::test]
async fn an_answer_of_exactly_the_limit_is_an_answer() {
    let settings = || ConnectionSettings { version: HttpVersion::Http2, ..ConnectionSettings::default() };
    for (length, fits) in [(200_000_usize, true), (200_001, false)] {
        let server = RawServer::start(move |peer| {
            peer.greet().read_stream().write(frames::head(200, 0));
            let mut sent = 0;
            while sent < length {
                let piece = (length - sent).min(8192);
                sent += piece;
                // Not a byte more than the client has asked for, of the connection and of the stream.
                peer.read_frames(|seen| granted(seen, 0) >= sent && granted(seen, STREAM) >= sent);
                peer.write(frames::data(&vec![b'x'; piece], if sent == length { END_STREAM } else { 0 }));
            }
            peer.read_frames_to_end();
        });
        let attempted = send(&server.connector(settings()), &post("{}"), |options| options.body_limit = 200_000).await;
        assert_eq!(matches!(attempted.outcome, Outcome::Answered(_)), fits, "{length}");
        server.saw();
    }
}
