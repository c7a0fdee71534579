//! Every kind of silence has a name.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use idemspec::history::{Outcome, SocketError};
use idemspec::wire::{AttemptOptions, Attempted, Connector, Endpoint};

use crate::raw_server::{Peer, RawServer};
use crate::{post, send};

const BODY: &str = r#"{"quantity":42}"#;

/// Long enough to connect and write on a busy machine, short enough to wait for.
const SHORT: Duration = Duration::from_millis(500);

struct Silence {
    error: SocketError,
    bytes_written: u64,
    request_written: bool,
    detail: String,
}

fn silence(attempted: &Attempted) -> Silence {
    match &attempted.outcome {
        Outcome::Failed { error, bytes_written, request_written, detail } => Silence {
            error: *error,
            bytes_written: *bytes_written,
            request_written: *request_written,
            detail: detail.clone(),
        },
        other => panic!("not silence: {other:?}"),
    }
}

/// The name of what a server does after it has read the whole request.
async fn after_request(
    part: impl FnOnce(&mut Peer) + Send + 'static,
    change: impl FnOnce(&mut AttemptOptions<'_>),
) -> SocketError {
    let server = RawServer::start(move |peer| part(peer.read_request()));
    let attempted = send(&server.endpoint(), &post(BODY), change).await;
    let saw = server.saw();
    assert!(saw.request_complete(), "{saw:?}");
    let silence = silence(&attempted);
    assert!(silence.request_written, "{attempted:?}");
    assert_eq!(silence.bytes_written, saw.received.len() as u64, "{attempted:?}");
    assert!(!silence.detail.is_empty());
    silence.error
}

/// The name of an answer that is not one, from a server that then waits.
async fn after_answer(answer: impl AsRef<[u8]> + Send + 'static) -> SocketError {
    after_request(move |peer| _ = peer.write(answer).read_to_end(), |_| {}).await
}

/// The name of an answer that ends too early.
async fn after_cut(answer: &'static str) -> SocketError {
    after_request(move |peer| _ = peer.write(answer), |_| {}).await
}

#[tokio::test]
async fn refused() {
    // Bound and not listening: nobody else can get the port, and nobody answers there.
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into()).unwrap();
    let port = socket.local_addr().unwrap().as_socket().unwrap().port();
    let endpoint = Connector::new(Endpoint::parse(&format!("http://127.0.0.1:{port}")).unwrap());
    let attempted = send(&endpoint, &post(BODY), |_| {}).await;
    let silence = silence(&attempted);
    assert_eq!((silence.error, silence.bytes_written, silence.request_written), (SocketError::Refused, 0, false));
    assert!(attempted.outcome.reached_nothing());
    assert_eq!((attempted.round_trip, attempted.timing.connected), (None, None));
}

#[tokio::test]
async fn unresolved() {
    // A label of more than 63 characters cannot be asked for, so no name server is.
    let endpoint = Connector::new(Endpoint::parse(&format!("http://{}.invalid", "a".repeat(64))).unwrap());
    let attempted = send(&endpoint, &post(BODY), |_| {}).await;
    let silence = silence(&attempted);
    assert_eq!((silence.error, silence.bytes_written), (SocketError::Unresolved, 0), "{}", silence.detail);
}

#[tokio::test]
async fn reset_after_the_request() {
    assert_eq!(after_request(Peer::reset, |_| {}).await, SocketError::Reset);
}

#[tokio::test]
async fn closed_after_the_request() {
    assert_eq!(after_request(|_| {}, |_| {}).await, SocketError::ClosedEarly);
}

#[tokio::test]
async fn closed_in_the_middle_of_an_answer() {
    assert_eq!(after_cut("HTTP/1.1 20").await, SocketError::ClosedEarly);
    assert_eq!(after_cut("HTTP/1.1 200 OK\r\nContent-Le").await, SocketError::ClosedEarly);
    assert_eq!(after_cut("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf").await, SocketError::ClosedEarly);
    assert_eq!(
        after_cut("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel").await,
        SocketError::ClosedEarly
    );
    assert_eq!(after_cut("HTTP/1.1 100 Continue\r\n\r\n").await, SocketError::ClosedEarly);
}

#[tokio::test]
async fn reset_in_the_middle_of_an_answer() {
    let server = RawServer::start(|peer| {
        peer.read_request().write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf").reset();
    });
    let attempted = send(&server.endpoint(), &post(BODY), |_| {}).await;
    let silence = silence(&attempted);
    assert_eq!((silence.error, silence.request_written), (SocketError::Reset, true));
}

#[tokio::test]
async fn closed_before_the_request_was_read() {
    // Whether FIN or RST is noticed first is the network's choice; that nothing is sent again is ours.
    let server = RawServer::start(|_| {});
    let attempted = send(&server.endpoint(), &post(BODY), |_| {}).await;
    server.saw();
    let error = silence(&attempted).error;
    assert!(matches!(error, SocketError::Reset | SocketError::ClosedEarly), "{error:?}");
}

#[tokio::test]
async fn reset_before_the_request_was_read() {
    let server = RawServer::start(Peer::reset);
    let attempted = send(&server.endpoint(), &post(BODY), |_| {}).await;
    server.saw();
    assert_eq!(silence(&attempted).error, SocketError::Reset);
}

#[tokio::test]
async fn timed_out_after_the_request() {
    let error = after_request(|peer| _ = peer.read_to_end(), |options| options.time_limit = SHORT).await;
    assert_eq!(error, SocketError::TimedOut);
}

#[tokio::test]
async fn timed_out_in_the_middle_of_an_answer() {
    let begun = |peer: &mut Peer| _ = peer.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf").read_to_end();
    let error = after_request(begun, |options| options.time_limit = SHORT).await;
    assert_eq!(error, SocketError::TimedOut);
}

#[tokio::test]
async fn timed_out_before_the_request_was_written() {
    let (done, wait) = std::sync::mpsc::channel::<()>();
    let server = RawServer::start(move |_| _ = wait.recv());
    let body = "x".repeat(64 * 1024 * 1024);
    let attempted = send(&server.endpoint(), &post(&body), |options| options.time_limit = SHORT * 2).await;
    drop(done);
    let silence = silence(&attempted);
    assert_eq!((silence.error, silence.request_written), (SocketError::TimedOut, false));
    assert!(silence.bytes_written > 0 && silence.bytes_written < body.len() as u64, "{}", silence.bytes_written);
}

#[tokio::test]
async fn malformed() {
    for garbage in [
        "SSH-2.0-OpenSSH_9.6\r\n",
        "<html>it works</html>\r\n\r\n",
        "HTTP/1.1 two hundred\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno field\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ] {
        assert_eq!(after_answer(garbage).await, SocketError::Malformed, "{garbage:?}");
    }
}

#[tokio::test]
async fn too_large() {
    let body = |peer: &mut Peer| {
        peer.write("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n").write_for_ever(&[b'x'; 8192]);
    };
    assert_eq!(after_request(body, |options| options.body_limit = 100_000).await, SocketError::TooLarge);
    let head = |peer: &mut Peer| {
        peer.write("HTTP/1.1 200 OK\r\n").write_for_ever("X-Filler: xxxxxxxxxxxxxxxx\r\n".repeat(99).as_bytes());
    };
    assert_eq!(after_request(head, |_| {}).await, SocketError::TooLarge);
    let fits = RawServer::answering("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
    let attempted = send(&fits.endpoint(), &post(BODY), |options| options.body_limit = 5).await;
    assert!(matches!(attempted.outcome, Outcome::Answered(_)), "{attempted:?}");
}
