//! Silence over HTTP/2 and over TLS: its names, and what the sentences beside them say.

use std::time::Duration;

use idemspec::history::{Outcome, SocketError};
use idemspec::wire::{Attempted, ConnectionSettings, HttpVersion};
use rcgen::{DnType, date_time_ymd};

use crate::certificates::{mutual_tls, odd, own, speaking, tls, trusting};
use crate::frames::{self, END_STREAM, HEADERS, STREAM, frame};
use crate::raw_server::{Peer, RawServer, Security};
use crate::{PATIENCE, post, send};

const BODY: &str = r#"{"quantity":42}"#;
const SHORT: Duration = Duration::from_millis(700);

fn silence(attempted: &Attempted) -> (SocketError, bool, String) {
    match &attempted.outcome {
        Outcome::Failed { error, request_written, detail, .. } => (*error, *request_written, detail.clone()),
        other => panic!("not silence: {other:?}"),
    }
}

/// The name of what a server does over HTTP/2 after it has read the whole request, the same with TLS and without.
async fn after_request(part: fn(&mut Peer), time_limit: Duration) -> SocketError {
    let mut names = Vec::new();
    for security in [Security::Plain, tls(own(), &["h2"])] {
        let server = RawServer::start_with(security, move |peer| part(peer.greet().read_stream()));
        let connector = server.connector(speaking(HttpVersion::Http2));
        let attempted = send(&connector, &post(BODY), |options| options.time_limit = time_limit).await;
        server.saw();
        let (error, request_written, detail) = silence(&attempted);
        assert!(request_written && !detail.is_empty(), "{attempted:?}");
        names.push(error);
    }
    assert_eq!(names[0], names[1]);
    names[0]
}

#[tokio::test]
async fn silence_over_http2_has_the_same_names() {
    let cut = |peer: &mut Peer| _ = peer.write(frames::head(200, 0)).write(frames::data(b"half", 0));
    assert_eq!(after_request(|peer| _ = peer.finish_writing().read_to_end(), PATIENCE).await, SocketError::ClosedEarly);
    assert_eq!(after_request(Peer::reset, PATIENCE).await, SocketError::Reset);
    assert_eq!(after_request(|peer| _ = peer.read_frames_to_end(), SHORT).await, SocketError::TimedOut);
    let closed = |peer: &mut Peer| {
        peer.write(frames::head(200, 0)).write(frames::data(b"half", 0)).finish_writing().read_to_end();
    };
    assert_eq!(after_request(closed, PATIENCE).await, SocketError::ClosedEarly);
    let interim = |peer: &mut Peer| _ = peer.write(frames::head(103, 0)).finish_writing().read_to_end();
    assert_eq!(after_request(interim, PATIENCE).await, SocketError::ClosedEarly);
    let server = RawServer::start(move |peer| {
        peer.greet().read_stream();
        cut(peer);
        peer.reset();
    });
    let attempted = send(&server.connector(speaking(HttpVersion::Http2)), &post(BODY), |_| {}).await;
    assert_eq!(silence(&attempted).0, SocketError::Reset);
}

#[tokio::test]
async fn what_breaks_the_rules_of_http2_is_malformed() {
    let parts: [fn(&mut Peer); 6] = [
        |peer| _ = peer.write("HTTP/1.1 400 Bad Request\r\n\r\n").read_to_end(),
        // A status that is none.
        |peer| {
            _ = peer
                .write(frame(HEADERS, frames::END_HEADERS, STREAM, &[0x08, 3, b'2', b'x', b'0']))
                .read_frames_to_end()
        },
        // No status at all.
        |peer| {
            let block = frames::field("x-a", "1");
            _ = peer.write(frame(HEADERS, frames::END_HEADERS, STREAM, &block)).read_frames_to_end();
        },
        // Content before a head.
        |peer| _ = peer.write(frames::data(b"x", 0)).read_frames_to_end(),
        // A block that cannot be decoded.
        |peer| _ = peer.write(frame(HEADERS, frames::END_HEADERS, STREAM, &[0x80])).read_frames_to_end(),
        // Less content than the head promises.
        |peer| {
            let block = [&[0x88_u8][..], &frames::field("content-length", "9")].concat();
            peer.write(frame(HEADERS, frames::END_HEADERS, STREAM, &block)).write(frames::data(b"x", END_STREAM));
            peer.read_frames_to_end();
        },
    ];
    for (number, part) in parts.into_iter().enumerate() {
        assert_eq!(after_request(part, PATIENCE).await, SocketError::Malformed, "{number}");
    }
}

#[tokio::test]
async fn a_server_of_http1_that_is_spoken_to_in_http2_is_malformed_and_gets_no_request() {
    let server = RawServer::start(|peer| _ = peer.write("HTTP/1.1 400 Bad Request\r\n\r\n").read_to_end());
    let attempted = send(&server.connector(speaking(HttpVersion::Http2)), &post(BODY), |_| {}).await;
    let saw = server.saw();
    assert!(!saw.frames().iter().any(frames::SeenFrame::carries_request), "{saw:?}");
    assert_eq!(silence(&attempted).0, SocketError::Malformed, "{attempted:?}");
    assert!(attempted.outcome.reached_nothing());
}

#[tokio::test]
async fn a_request_that_the_peer_does_not_take_is_timed_out_before_it_was_written() {
    for security in [Security::Plain, tls(own(), &["h2"])] {
        // No window is ever opened beyond the first.
        let server = RawServer::start_with(security, |peer| _ = peer.greet().read_frames_to_end());
        let connector = server.connector(speaking(HttpVersion::Http2));
        let body = "x".repeat(1_000_000);
        let attempted = send(&connector, &post(&body), |options| options.time_limit = SHORT).await;
        let saw = server.saw();
        let arrived: u64 = saw
            .frames()
            .iter()
            .filter(|frame| frame.carries_request())
            .map(|frame| 9 + frame.payload.len() as u64)
            .sum();
        let Outcome::Failed { error, bytes_written, request_written, .. } = attempted.outcome else { panic!() };
        assert_eq!((error, request_written, bytes_written), (SocketError::TimedOut, false, arrived));
        assert!(arrived > 65_535, "{arrived}");
    }
}

#[tokio::test]
async fn over_tls_a_part_of_a_large_request_counts_as_what_it_is() {
    let (done, wait) = std::sync::mpsc::channel::<()>();
    let server = RawServer::start_with(tls(own(), &["http/1.1"]), move |peer| {
        peer.read_head();
        let _ = wait.recv();
    });
    let body = "x".repeat(64 * 1024 * 1024);
    let attempted = send(&server.connector(speaking(HttpVersion::Http1)), &post(&body), |options| {
        options.time_limit = SHORT * 3;
    })
    .await;
    drop(done);
    let Outcome::Failed { error, bytes_written, request_written, .. } = attempted.outcome else { panic!() };
    assert_eq!((error, request_written), (SocketError::TimedOut, false));
    assert!(bytes_written > 0 && bytes_written < body.len() as u64, "{bytes_written}");
}

/// What a handshake that fails says.
async fn refused_handshake(security: Security, settings: ConnectionSettings) -> String {
    let server = RawServer::start_with(security, |peer| _ = peer.read_to_end());
    let attempted = send(&server.connector(settings), &post(BODY), |_| {}).await;
    let saw = server.saw();
    assert!(saw.received.is_empty(), "{saw:?}");
    assert!(attempted.outcome.reached_nothing());
    let (error, request_written, detail) = silence(&attempted);
    assert_eq!((error, request_written), (SocketError::Tls, false), "{detail}");
    detail
}

#[tokio::test]
async fn a_certificate_that_is_not_accepted_is_told_by_its_fault() {
    let none = ConnectionSettings::default;
    let other = odd(|parameters| parameters.distinguished_name.push(DnType::CommonName, "other"), "127.0.0.1");
    let detail = refused_handshake(tls(own(), &[]), trusting(&other)).await;
    assert!(detail.contains("unknown issuer") && detail.contains("--cacert"), "{detail}");
    let namesake = odd(|_| {}, "127.0.0.1");
    let detail = refused_handshake(tls(own(), &[]), trusting(&namesake)).await;
    assert!(detail.contains("not signed by the issuer"), "{detail}");

    let misnamed = odd(|_| {}, "other.example");
    let detail = refused_handshake(tls(&misnamed, &[]), trusting(&misnamed)).await;
    assert!(detail.contains("for another name"), "{detail}");

    let expired = odd(|parameters| parameters.not_after = date_time_ymd(2001, 1, 1), "127.0.0.1");
    let detail = refused_handshake(tls(&expired, &[]), trusting(&expired)).await;
    assert!(detail.contains("has expired"), "{detail}");

    let early = odd(|parameters| parameters.not_before = date_time_ymd(4000, 1, 1), "127.0.0.1");
    let detail = refused_handshake(tls(&early, &[]), trusting(&early)).await;
    assert!(detail.contains("not valid yet"), "{detail}");

    for certified in [own(), &misnamed, &expired, &early] {
        let server = RawServer::start_with(tls(certified, &[]), |peer| {
            peer.read_request().write("HTTP/1.1 204 No Content\r\n\r\n").read_to_end();
        });
        let attempted =
            send(&server.connector(ConnectionSettings { insecure: true, ..none() }), &post(BODY), |_| {}).await;
        assert!(matches!(attempted.outcome, Outcome::Answered(_)), "{attempted:?}");
    }
}

#[tokio::test]
async fn a_peer_without_tls_is_told_as_such() {
    type Part = fn(&mut Peer);
    let parts: [(Part, &str); 2] = [
        (|peer| _ = peer.write("HTTP/1.1 400 Bad Request\r\n\r\n").read_to_end(), "does not speak TLS"),
        (|_| {}, "during the handshake"),
    ];
    for (part, words) in parts {
        let server = RawServer::start(move |peer| {
            peer.read();
            part(peer);
        });
        let url = server.url().replace("http:", "https:");
        let endpoint = idemspec::wire::Endpoint::parse(&url).unwrap();
        let connector = idemspec::wire::Connector::with(endpoint, trusting(own()));
        let attempted = send(&connector, &post(BODY), |_| {}).await;
        let (error, _, detail) = silence(&attempted);
        assert_eq!(error, SocketError::Tls, "{detail}");
        assert!(detail.contains(words), "{detail}");
    }
}

#[tokio::test]
async fn a_client_without_the_certificate_that_is_asked_for_is_turned_away() {
    let client = odd(|_| {}, "client.example");
    for version in [HttpVersion::Http1, HttpVersion::Http2] {
        let server = RawServer::start_with(mutual_tls(&client, &["h2", "http/1.1"]), |peer| _ = peer.read_to_end());
        let attempted = send(&server.connector(speaking(version)), &post(BODY), |_| {}).await;
        assert!(server.saw().received.is_empty());
        let (error, _, detail) = silence(&attempted);
        assert_eq!(error, SocketError::Tls, "{detail}");
        assert!(detail.contains("CertificateRequired"), "{detail}");
    }
}

#[tokio::test]
async fn a_server_that_does_not_agree_to_http2_is_told_as_such() {
    for agreed in [&["http/1.1"][..], &[]] {
        let detail = refused_handshake(tls(own(), agreed), speaking(HttpVersion::Http2)).await;
        assert!(detail.contains("ALPN") || detail.contains("NoApplicationProtocol"), "{detail}");
    }
}

#[tokio::test]
async fn an_end_without_close_notify_does_not_complete_an_answer() {
    let server = RawServer::start_with(tls(own(), &[]), |peer| {
        peer.read_request().write("HTTP/1.1 200 OK\r\n\r\nto the en");
        let _ = peer.socket().shutdown(std::net::Shutdown::Write);
        peer.read_to_end();
    });
    let attempted = send(&server.connector(trusting(own())), &post(BODY), |_| {}).await;
    assert_eq!(silence(&attempted).0, SocketError::ClosedEarly, "{attempted:?}");
}
