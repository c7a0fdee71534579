//! One attempt is one request on one connection, whatever comes back: from the probes and from the control client.

use std::net::TcpListener;

use idemspec::history::{Outcome, SocketError};
use idemspec::wire::{Attempted, Connector, ControlClient, ControlOptions, HttpVersion};

use crate::certificates::{own, speaking, tls};
use crate::frames::{self, END_STREAM, HEADERS, REFUSED_STREAM, field, go_away, reset_stream};
use crate::raw_server::{Peer, RawServer, Saw, Security};
use crate::{PATIENCE, post, secrets, send};

const BODY: &str = r#"{"quantity":42}"#;

/// Something that tempts a client to send again.
struct Temptation {
    name: &'static str,
    http1: fn(&mut Peer),
    http2: fn(&mut Peer),
}

const TEMPTATIONS: [Temptation; 8] = [
    Temptation {
        name: "307",
        http1: |peer| answer(peer, "HTTP/1.1 307 Temporary Redirect\r\nLocation: /orders\r\nContent-Length: 0\r\n\r\n"),
        http2: |peer| answer2(peer, 307, &[("location", "/orders")]),
    },
    Temptation {
        name: "308",
        http1: |peer| answer(peer, "HTTP/1.1 308 Permanent Redirect\r\nLocation: /orders\r\nContent-Length: 0\r\n\r\n"),
        http2: |peer| answer2(peer, 308, &[("location", "/orders")]),
    },
    Temptation {
        name: "503",
        http1: |peer| answer(peer, "HTTP/1.1 503 Unavailable\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n"),
        http2: |peer| answer2(peer, 503, &[("retry-after", "0")]),
    },
    Temptation {
        name: "401",
        http1: |peer| answer(peer, "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n"),
        http2: |peer| answer2(peer, 401, &[("www-authenticate", "Basic")]),
    },
    Temptation {
        name: "408",
        http1: |peer| answer(peer, "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"),
        http2: |peer| answer2(peer, 408, &[]),
    },
    Temptation {
        name: "closed without an answer",
        http1: |peer| _ = peer.read_request().finish_writing().read_to_end(),
        http2: |peer| _ = peer.greet().read_stream().finish_writing().read_to_end(),
    },
    Temptation {
        name: "reset",
        http1: |peer| peer.read_request().reset(),
        http2: |peer| peer.greet().read_stream().reset(),
    },
    Temptation {
        name: "refused by the protocol",
        http1: |peer| answer(peer, "HTTP/1.1 425 Too Early\r\nContent-Length: 0\r\n\r\n"),
        http2: |peer| _ = peer.greet().read_stream().write(reset_stream(REFUSED_STREAM)).read_frames_to_end(),
    },
];

fn answer(peer: &mut Peer, text: &str) {
    peer.read_request().write(text).read_to_end();
}

fn answer2(peer: &mut Peer, status: u16, fields: &[(&str, &str)]) {
    let mut block = vec![0x08, 3];
    block.extend(status.to_string().bytes());
    block.extend(fields.iter().flat_map(|(name, value)| field(name, value)));
    peer.greet().read_stream();
    peer.write(frames::frame(HEADERS, frames::END_HEADERS | END_STREAM, frames::STREAM, &block)).read_frames_to_end();
}

/// How many requests arrived over the one connection.
fn requests(saw: &Saw) -> usize {
    let heads = saw.frames().iter().filter(|frame| frame.kind == HEADERS).count();
    heads + String::from_utf8_lossy(&saw.received).matches("POST /orders").count()
}

#[derive(Clone, Copy, Debug)]
enum Client {
    Probe,
    Control,
}

async fn once(client: Client, connector: &Connector) {
    match client {
        Client::Probe => _ = send(connector, &post(BODY), |_| {}).await,
        Client::Control => {
            let client = ControlClient::new(ControlOptions { time_limit: PATIENCE, ..ControlOptions::default() });
            let _ = client.send(connector, &post(BODY), &secrets()).await;
            assert_eq!(client.requests_sent(), 1);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_makes_a_client_send_again() {
    for temptation in &TEMPTATIONS {
        for client in [Client::Probe, Client::Control] {
            for version in [HttpVersion::Http1, HttpVersion::Http2] {
                for security in [Security::Plain, tls(own(), &["h2", "http/1.1"])] {
                    let part = if version == HttpVersion::Http1 { temptation.http1 } else { temptation.http2 };
                    let server = RawServer::start_with(security, part);
                    once(client, &server.connector(speaking(version))).await;
                    // That there is no second connection is asserted there.
                    let saw = server.saw();
                    assert_eq!(requests(&saw), 1, "{}, {client:?}, {version:?}: {saw:?}", temptation.name);
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_that_stood_idle_are_not_used_again() {
    let listener = TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0)).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let answer = "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nKeep-Alive: timeout=60\r\nContent-Length: 0\r\n\r\n";
        let mut requests = Vec::new();
        for _ in 0..4 {
            let (mut socket, _) = listener.accept().unwrap();
            let mut received = Vec::new();
            let mut bytes = [0; 4096];
            while !received.ends_with(BODY.as_bytes()) {
                let read = std::io::Read::read(&mut socket, &mut bytes).unwrap();
                received.extend_from_slice(&bytes[..read]);
            }
            std::io::Write::write_all(&mut socket, answer.as_bytes()).unwrap();
            while let Ok(read @ 1..) = std::io::Read::read(&mut socket, &mut bytes) {
                received.extend_from_slice(&bytes[..read]);
            }
            requests.push(String::from_utf8(received).unwrap().matches("POST").count());
        }
        requests
    });
    let connector = Connector::new(idemspec::wire::Endpoint::parse(&url).unwrap());
    for client in [Client::Probe, Client::Probe, Client::Control, Client::Control] {
        once(client, &connector).await;
    }
    assert_eq!(server.join().unwrap(), [1, 1, 1, 1]);
}

fn silence(attempted: &Attempted) -> (SocketError, bool, &str) {
    match &attempted.outcome {
        Outcome::Failed { error, request_written, detail, .. } => (*error, *request_written, detail),
        other => panic!("not silence: {other:?}"),
    }
}

#[tokio::test]
async fn a_peer_that_has_not_processed_the_request_is_quoted_and_not_asked_again() {
    type Part = fn(&mut Peer);
    let cases: [(Part, SocketError, &str); 5] = [
        (
            |peer| _ = peer.greet().read_stream().write(reset_stream(REFUSED_STREAM)).read_frames_to_end(),
            SocketError::Reset,
            "refused the stream before it processed anything",
        ),
        (
            |peer| _ = peer.greet().read_stream().write(go_away(0, 0)).read_frames_to_end(),
            SocketError::ClosedEarly,
            "has not processed the request (GOAWAY, NO_ERROR, last stream 0)",
        ),
        (
            |peer| _ = peer.greet().read_stream().write(go_away(1, 2)).finish_writing().read_frames_to_end(),
            SocketError::ClosedEarly,
            "GOAWAY, INTERNAL_ERROR",
        ),
        (
            |peer| _ = peer.greet().read_stream().write(reset_stream(2)).read_frames_to_end(),
            SocketError::Reset,
            "gave the stream up (RST_STREAM, INTERNAL_ERROR)",
        ),
        (
            |peer| _ = peer.greet().read_stream().write(reset_stream(13)).read_frames_to_end(),
            SocketError::Reset,
            "HTTP_1_1_REQUIRED",
        ),
    ];
    for (part, expected, words) in cases {
        let server = RawServer::start(part);
        let attempted = send(&server.connector(speaking(HttpVersion::Http2)), &post(BODY), |_| {}).await;
        assert_eq!(requests(&server.saw()), 1);
        let (error, request_written, detail) = silence(&attempted);
        assert_eq!((error, request_written), (expected, true), "{detail}");
        assert!(detail.contains(words), "{detail}");
    }
}

#[tokio::test]
async fn a_go_away_that_lets_the_request_through_is_no_failure() {
    let server = RawServer::start(|peer| {
        peer.greet().read_stream().write([go_away(1, 0), frames::head(201, END_STREAM)].concat()).read_frames_to_end();
    });
    let attempted = send(&server.connector(speaking(HttpVersion::Http2)), &post(BODY), |_| {}).await;
    server.saw();
    assert!(matches!(&attempted.outcome, Outcome::Answered(response) if response.status == 201), "{attempted:?}");
}
