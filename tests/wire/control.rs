//! The control client sends once, follows nothing, shows no secret.
//!
//! Its connections end on a task of their own, which must go on while a test waits for what the server saw.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use idemspec::secret::Text;
use idemspec::wire::{Connector, ControlClient, ControlError, ControlOptions, Endpoint};

use crate::raw_server::RawServer;
use crate::{PATIENCE, get, post, secrets};

fn client() -> ControlClient {
    ControlClient::new(ControlOptions { time_limit: PATIENCE, ..ControlOptions::default() })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_is_sent_once_and_its_answer_is_returned() {
    for (status, answer) in [
        (200, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
        (307, "HTTP/1.1 307 Temporary Redirect\r\nLocation: /orders\r\nContent-Length: 0\r\n\r\n"),
        (503, "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n"),
    ] {
        let server = RawServer::answering(answer);
        let client = client();
        let response = client.send(&server.endpoint(), &post("{}"), &secrets()).await.unwrap();
        assert_eq!((response.status, client.requests_sent()), (status, 1));
        let saw = server.saw();
        let (head, body) = saw.parts().unwrap();
        assert!(head.starts_with("POST /orders?source=probe HTTP/1.1\r\n"), "{head}");
        assert!(head.to_lowercase().contains("idempotency-key: 6f1c\r\n"), "{head}");
        assert_eq!((body, head.matches("POST").count()), ("{}", 1));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_breaks_is_not_opened_again() {
    for reset in [false, true] {
        let server = RawServer::start(move |peer| {
            peer.read_head();
            if reset {
                peer.reset();
            }
        });
        let client = client();
        let error = client.send(&server.endpoint(), &get(), &secrets()).await.unwrap_err();
        server.saw();
        assert!(matches!(error, ControlError::Interrupted(_)), "{error}");
        assert_eq!(client.requests_sent(), 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_are_not_kept_and_the_counter_is_shared() {
    let options = ControlOptions { time_limit: PATIENCE, ..ControlOptions::default() };
    let (one, other) = (ControlClient::new(options.clone()), ControlClient::new(options));
    for client in [&one, &one, &other] {
        let server = RawServer::answering("HTTP/1.1 204 No Content\r\n\r\n");
        client.send(&server.endpoint(), &get(), &secrets()).await.unwrap();
        server.saw();
    }
    assert_eq!((one.requests_sent(), other.requests_sent()), (3, 3));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn content_is_not_decoded_and_secrets_are_replaced() {
    let server = RawServer::answering(
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nX-Echo: hunter2-hunter2\r\nContent-Length: 17\r\n\r\n[hunter2-hunter2]",
    );
    let response = client().send(&server.endpoint(), &get(), &secrets()).await.unwrap();
    assert_eq!((response.body.text().as_ref(), response.header("x-echo")), ("[${TOKEN}]", Some("${TOKEN}")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_hold() {
    let server = RawServer::start(|peer| {
        peer.read_request().write("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n").write_for_ever(b"xxxxxxxx");
    });
    let options = ControlOptions { body_limit: 1000, time_limit: PATIENCE, ..ControlOptions::default() };
    let error = ControlClient::new(options).send(&server.endpoint(), &get(), &secrets()).await.unwrap_err();
    assert_eq!(error, ControlError::TooLarge("the body is larger than 1000 bytes".into()));

    let server = RawServer::start(|peer| {
        peer.read_to_end();
    });
    let limit = Duration::from_millis(300);
    let options = ControlOptions { time_limit: limit, ..ControlOptions::default() };
    let error = ControlClient::new(options).send(&server.endpoint(), &get(), &secrets()).await.unwrap_err();
    assert_eq!(error, ControlError::TimedOut(limit));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_error_text_shows_a_target() {
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into()).unwrap();
    let port = socket.local_addr().unwrap().as_socket().unwrap().port();
    let endpoint = Connector::new(Endpoint::parse(&format!("http://127.0.0.1:{port}")).unwrap());
    let mut request = get();
    // Shorter than what is searched for: only leaving the URL out keeps it hidden.
    request.target = Text::new("/orders?pin=h2nter", "/orders?pin=${PIN}");
    let error = client().send(&endpoint, &request, &secrets()).await.unwrap_err();
    assert!(matches!(error, ControlError::Unreachable(_)), "{error}");
    assert!(!format!("{error} {error:?}").contains("h2nter"), "{error:?}");

    let client = client();
    request.headers.push(("X-Token".into(), Text::new("h2nter\n", "${PIN}")));
    let error = client.send(&endpoint, &request, &secrets()).await.unwrap_err();
    assert!(matches!(error, ControlError::Invalid(_)), "{error}");
    assert!(!format!("{error} {error:?}").contains("h2nter"), "{error:?}");
    assert_eq!(client.requests_sent(), 0);
}
