//! Answers in every shape, and what a client must not do with them.

use std::time::Instant;

use idemspec::history::{Outcome, SocketError};
use idemspec::message::Response;
use idemspec::secret::Text;
use idemspec::wire::{AttemptOptions, attempt};

use crate::raw_server::{End, RawServer};
use crate::{get, post, secrets, send};

const BODY: &str = r#"{"quantity":42}"#;

async fn answered(answer: &'static str) -> Response {
    let server = RawServer::answering(answer);
    answer_of(send(&server.endpoint(), &post(BODY), |_| {}).await.outcome)
}

fn answer_of(outcome: Outcome) -> Response {
    match outcome {
        Outcome::Answered(response) => response,
        other => panic!("no answer: {other:?}"),
    }
}

#[tokio::test]
async fn one_attempt_is_one_request_as_it_was_rendered() {
    let server = RawServer::answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    let address = server.address();
    send(&server.endpoint(), &post(BODY), |_| {}).await;
    let saw = server.saw();
    let expected = format!(
        "POST /orders?source=probe HTTP/1.1\r\nHost: {address}\r\nIdempotency-Key: 6f1c\r\n\
         content-type: application/json\r\nUser-Agent: idemspec/{}\r\nContent-Length: 15\r\n\
         Connection: close\r\n\r\n{BODY}",
        env!("CARGO_PKG_VERSION")
    );
    assert_eq!(saw.text(), expected);
    assert_eq!(saw.end, Some(End::Fin));
}

#[tokio::test]
async fn nothing_is_sent_again_or_followed() {
    let answers = [
        (307, "HTTP/1.1 307 Temporary Redirect\r\nLocation: /orders\r\nContent-Length: 0\r\n\r\n"),
        (303, "HTTP/1.1 303 See Other\r\nLocation: /orders\r\nContent-Length: 0\r\n\r\n"),
        (503, "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n"),
        (429, "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n"),
        (408, "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"),
        (401, "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n"),
    ];
    for (status, answer) in answers {
        let server = RawServer::answering(answer);
        let attempted = send(&server.endpoint(), &post(BODY), |_| {}).await;
        assert_eq!(answer_of(attempted.outcome).status, status);
        assert!(server.saw().request_complete());
    }
}

#[tokio::test]
async fn header_fields_come_with_lower_case_names_and_all_their_values() {
    let response = answered("HTTP/1.1 201 Created\r\nX-A: 1\r\nX-B: ä\r\nx-a: 2\r\nContent-Length: 0\r\n\r\n").await;
    let values: Vec<&str> =
        response.headers.iter().filter(|(name, _)| name == "x-a").map(|(_, value)| value.as_str()).collect();
    assert_eq!(values, ["1", "2"]);
    assert_eq!(response.header("X-B"), Some("ä"));
}

#[tokio::test]
async fn an_answer_may_come_drop_by_drop() {
    let server = RawServer::start(|peer| {
        peer.read_request();
        peer.write_bytewise("HTTP/1.1 201 Created\r\nContent-Length: 5\r\n\r\nhello").read_to_end();
    });
    let attempted = send(&server.endpoint(), &post(BODY), |_| {}).await;
    assert_eq!(answer_of(attempted.outcome).body.text(), "hello");
}

#[tokio::test]
async fn an_answer_may_come_in_chunks() {
    let response = answered(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nX-Trailer: t\r\n\r\n",
    )
    .await;
    assert_eq!(response.body.text(), "hello world");
}

#[tokio::test]
async fn interim_responses_are_skipped() {
    let server = RawServer::start(|peer| {
        peer.read_request().write("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
        peer.write("HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\nok").read_to_end();
    });
    let attempted = send(&server.endpoint(), &post(BODY), |_| {}).await;
    let response = answer_of(attempted.outcome);
    assert_eq!((response.status, response.body.text().as_ref()), (202, "ok"));
    assert!(response.header("link").is_none());
}

#[tokio::test]
async fn without_a_length_the_end_of_the_connection_ends_the_answer() {
    for head in ["HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.0 200 OK\r\n\r\n"] {
        let server = RawServer::start(move |peer| {
            peer.read_request().write(head).write("to the end").finish_writing().read_to_end();
        });
        let attempted = send(&server.endpoint(), &post(BODY), |_| {}).await;
        assert_eq!(answer_of(attempted.outcome).body.text(), "to the end");
    }
}

#[tokio::test]
async fn an_answer_without_content_is_complete_with_its_head() {
    assert!(answered("HTTP/1.1 204 No Content\r\n\r\n").await.body.is_empty());
    let server = RawServer::answering("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n");
    let mut request = get();
    request.method = http::Method::HEAD;
    let response = answer_of(send(&server.endpoint(), &request, |_| {}).await.outcome);
    assert_eq!((response.status, response.header("content-length")), (200, Some("99")));
}

#[tokio::test]
async fn a_switch_of_protocols_is_an_answer() {
    let response = answered("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n").await;
    assert_eq!((response.status, response.header("upgrade")), (101, Some("x")));
}

#[tokio::test]
async fn the_number_of_header_fields_is_limited_by_their_size_only() {
    let fields: String = (0..5_000).map(|number| format!("x{number}:\r\n")).collect();
    let server = RawServer::answering(format!("HTTP/1.1 200 OK\r\n{fields}Content-Length: 0\r\n\r\n"));
    let attempted = send(&server.endpoint(), &get(), |_| {}).await;
    assert_eq!(answer_of(attempted.outcome).headers.len(), 5_001);
    let server = RawServer::answering(format!("HTTP/1.1 204 No Content\r\n{}\r\n", "a:\r\n".repeat(15_000)));
    let attempted = send(&server.endpoint(), &get(), |_| {}).await;
    assert_eq!(answer_of(attempted.outcome).headers.len(), 15_000);
}

#[tokio::test]
async fn content_is_not_decoded() {
    let response = answered("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nplain").await;
    assert_eq!(response.body.text(), "plain");
}

#[tokio::test]
async fn a_server_may_answer_before_it_has_read_the_request() {
    let server = RawServer::start(|peer| {
        peer.read_head().write("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n").read_to_end();
    });
    let attempted = send(&server.endpoint(), &post(&"x".repeat(32 * 1024 * 1024)), |_| {}).await;
    assert_eq!(answer_of(attempted.outcome).status, 413);
    assert_eq!(server.saw().end, Some(End::Fin));
}

#[tokio::test]
async fn a_server_may_answer_before_it_has_read_anything() {
    let server = RawServer::start(|peer| {
        peer.write("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nbusy").read_to_end();
    });
    let attempted = send(&server.endpoint(), &post(BODY), |_| {}).await;
    assert_eq!(answer_of(attempted.outcome).body.text(), "busy");
}

#[tokio::test]
async fn secrets_that_come_back_are_replaced_in_header_and_body() {
    let response = answered(
        "HTTP/1.1 401 Unauthorized\r\nX-Echo: got hunter2-hunter2!\r\nContent-Length: 22\r\n\r\nno hunter2-hunter2 here",
    )
    .await;
    assert_eq!(response.header("x-echo"), Some("got ${TOKEN}!"));
    assert_eq!(response.body.text(), "no ${TOKEN} her");
}

#[tokio::test]
async fn secrets_do_not_show_in_an_error_text() {
    let server = RawServer::answering("");
    let mut request = post(BODY);
    request.headers.push(("X hunter2-hunter2".into(), Text::plain("1")));
    let Outcome::Failed { error, bytes_written, request_written, detail } =
        send(&server.endpoint(), &request, |_| {}).await.outcome
    else {
        panic!("such a field cannot be sent")
    };
    assert_eq!((error, bytes_written, request_written), (SocketError::Other, 0, false));
    assert!(detail.contains("X ${TOKEN}") && !detail.contains("hunter2"), "{detail}");
}

#[tokio::test]
async fn attempts_can_run_side_by_side_on_any_thread() {
    let server = RawServer::answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    let endpoint = server.endpoint();
    let task = tokio::spawn(async move {
        let secrets = secrets();
        attempt(&endpoint, &get(), &AttemptOptions::new(Instant::now(), &secrets)).await
    });
    assert_eq!(answer_of(task.await.unwrap().outcome).status, 200);
}
