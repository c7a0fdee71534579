//! Six losses and three endings, each as the server saw it.

use std::time::Duration;

use idemspec::history::{Ending, Loss, LossPoint, Outcome, SocketError};
use idemspec::message::Request;
use idemspec::secret::Text;

use crate::raw_server::{End, Peer, RawServer, Saw, declared_length};
use crate::{PATIENCE, get, post, send};

const BODY: &str = r#"{"quantity":42}"#;
const BEGUN: &str = "HTTP/1.1 201 Created\r\nContent-Length: 10\r\n\r\n01234";
const ANSWER: &str = "HTTP/1.1 201 Created\r\nContent-Length: 10\r\n\r\n0123456789";
const SERVICE_TIME: Duration = Duration::from_millis(40);

fn part(at: LossPoint) -> impl FnOnce(&mut Peer) + Send + 'static {
    move |peer| match at {
        LossPoint::Connection | LossPoint::Head | LossPoint::Request | LossPoint::Execution => {
            peer.read_to_end();
        }
        LossPoint::PartialResponse => {
            peer.read_request().write(BEGUN).read_to_end();
        }
        LossPoint::Response => {
            peer.read_request().write(ANSWER).read_to_end();
        }
    }
}

async fn lose(request: &Request, at: LossPoint, by: Ending) -> (Saw, Outcome) {
    let server = RawServer::start(part(at));
    let attempted = send(&server.endpoint(), request, |options| {
        options.lose = Some(Loss { at, by });
        options.service_time = SERVICE_TIME;
    })
    .await;
    let saw = server.saw();
    let context = format!("{at:?} by {by:?}: {saw:?} {attempted:?}");
    let expected_end = if by == Ending::Reset { End::Reset } else { End::Fin };
    assert_eq!(saw.end, Some(expected_end), "{context}");
    assert!(!saw.write_failed, "{context}");

    let timing = attempted.timing;
    let answered = matches!(at, LossPoint::PartialResponse | LossPoint::Response);
    assert_eq!(timing.first_read.is_some(), answered, "{context}");
    assert_eq!(timing.first_written.is_some(), at != LossPoint::Connection, "{context}");
    if let (Ending::Reset, Some(last_written)) = (by, timing.last_written) {
        assert!(timing.ended - last_written >= attempted.round_trip.unwrap(), "{context}");
    }
    if at == LossPoint::Execution {
        assert!(timing.ended - timing.last_written.unwrap() >= SERVICE_TIME / 2, "{context}");
    }
    if let Outcome::Lost { at: recorded, bytes_written, status } = &attempted.outcome {
        assert_eq!(*recorded, at, "{context}");
        assert_eq!(*bytes_written, saw.received.len() as u64, "{context}");
        assert_eq!(*status, (at == LossPoint::PartialResponse).then_some(201), "{context}");
    }
    (saw, attempted.outcome)
}

#[tokio::test]
async fn a_lost_connection_carries_nothing() {
    for by in [Ending::Closed, Ending::Vanished, Ending::Reset] {
        let (saw, outcome) = lose(&post(BODY), LossPoint::Connection, by).await;
        assert_eq!(saw.received, b"");
        assert!(outcome.reached_nothing(), "{outcome:?}");
    }
}

#[tokio::test]
async fn a_lost_head_is_complete_and_promises_content_that_never_comes() {
    for by in [Ending::Closed, Ending::Vanished, Ending::Reset] {
        let (saw, _) = lose(&post(BODY), LossPoint::Head, by).await;
        let (head, body) = saw.parts().unwrap();
        assert_eq!((declared_length(head), body), (BODY.len(), ""));
    }
}

#[tokio::test]
async fn a_lost_request_stops_half_way_through_its_content() {
    for by in [Ending::Closed, Ending::Vanished, Ending::Reset] {
        let (saw, _) = lose(&post(BODY), LossPoint::Request, by).await;
        let (head, body) = saw.parts().unwrap();
        assert_eq!((declared_length(head), body), (BODY.len(), &BODY[..BODY.len() / 2]));
    }
}

#[tokio::test]
async fn a_reset_throws_no_written_byte_away() {
    let body = "x".repeat(40_000);
    for at in [LossPoint::Request, LossPoint::Execution] {
        let (saw, outcome) = lose(&post(&body), at, Ending::Reset).await;
        assert!(matches!(outcome, Outcome::Lost { .. }), "{outcome:?}");
        assert!(saw.received.len() > 20_000);
    }
}

#[tokio::test]
async fn a_lost_execution_delivers_the_whole_request() {
    for by in [Ending::Closed, Ending::Vanished, Ending::Reset] {
        for request in [post(BODY), get()] {
            let (saw, outcome) = lose(&request, LossPoint::Execution, by).await;
            assert!(saw.request_complete(), "{saw:?}");
            assert!(matches!(outcome, Outcome::Lost { at: LossPoint::Execution, .. }), "{outcome:?}");
        }
    }
}

#[tokio::test]
async fn a_partial_response_is_left_after_its_status() {
    for by in [Ending::Closed, Ending::Vanished, Ending::Reset] {
        let (saw, outcome) = lose(&post(BODY), LossPoint::PartialResponse, by).await;
        assert!(saw.request_complete(), "{saw:?}");
        assert!(matches!(outcome, Outcome::Lost { .. }), "{outcome:?}");
    }
}

#[tokio::test]
async fn a_lost_response_is_read_in_full_and_hidden() {
    for by in [Ending::Closed, Ending::Vanished, Ending::Reset] {
        let (saw, outcome) = lose(&post(BODY), LossPoint::Response, by).await;
        assert!(saw.request_complete(), "{saw:?}");
        let Outcome::Hidden(response) = outcome else { panic!("{outcome:?}") };
        assert_eq!((response.status, response.body.bytes()), (201, &b"0123456789"[..]));
    }
}

#[tokio::test]
async fn without_content_the_head_never_becomes_complete() {
    let whole = {
        let (saw, _) = lose(&get(), LossPoint::Execution, Ending::Closed).await;
        saw.text().to_owned()
    };
    let port_free = |text: &str| text.split("Host: ").next().unwrap().to_owned();
    for by in [Ending::Closed, Ending::Vanished, Ending::Reset] {
        let (saw, _) = lose(&get(), LossPoint::Head, by).await;
        assert!(!saw.head_complete() && saw.text().ends_with("Connection: close\r\n"), "{saw:?}");
        let (saw, _) = lose(&get(), LossPoint::Request, by).await;
        assert!(!saw.head_complete() && saw.received.len() < whole.len() * 2 / 3, "{saw:?}");
        assert!(!saw.received.is_empty() && whole.starts_with(&port_free(saw.text())), "{saw:?}");
    }
}

#[tokio::test]
async fn an_answer_that_comes_before_the_loss_is_recorded_as_what_was_lost() {
    for by in [Ending::Closed, Ending::Vanished, Ending::Reset] {
        let server = RawServer::answering("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 409 Conflict\r\n\r\n");
        let attempted = send(&server.endpoint(), &post(BODY), |options| {
            options.lose = Some(Loss { at: LossPoint::Execution, by });
            options.service_time = PATIENCE * 100;
        })
        .await;
        let saw = server.saw();
        assert!(saw.request_complete() && saw.end.is_some(), "{saw:?}");
        let bytes_written = saw.received.len() as u64;
        let expected = Outcome::Lost { at: LossPoint::PartialResponse, bytes_written, status: Some(409) };
        assert_eq!(attempted.outcome, expected);
        assert!(attempted.timing.first_read.is_some());
    }
}

#[tokio::test]
async fn a_server_that_goes_first_is_not_recorded_as_our_loss() {
    let losses = [LossPoint::Execution, LossPoint::PartialResponse, LossPoint::Response];
    for at in losses {
        for reset in [false, true] {
            let server = RawServer::start(move |peer| {
                peer.read_request();
                if reset {
                    peer.reset();
                }
            });
            let attempted = send(&server.endpoint(), &post(BODY), |options| {
                options.lose = Some(Loss { at, by: Ending::Closed });
                options.service_time = PATIENCE * 100;
            })
            .await;
            assert!(server.saw().request_complete());
            let Outcome::Failed { error, request_written, .. } = attempted.outcome else { panic!("{attempted:?}") };
            let expected = if reset { SocketError::Reset } else { SocketError::ClosedEarly };
            assert_eq!((error, request_written), (expected, true), "{at:?}");
        }
    }
}

#[tokio::test]
async fn a_loss_that_is_due_after_the_time_limit_is_a_time_out() {
    let server = RawServer::start(|peer| {
        peer.read_to_end();
    });
    let attempted = send(&server.endpoint(), &post(BODY), |options| {
        options.lose = Some(Loss { at: LossPoint::Execution, by: Ending::Closed });
        options.service_time = PATIENCE * 100;
        options.time_limit = Duration::from_millis(500);
    })
    .await;
    assert!(server.saw().request_complete());
    let Outcome::Failed { error, request_written, .. } = attempted.outcome else { panic!("{attempted:?}") };
    assert_eq!((error, request_written), (SocketError::TimedOut, true));
}

#[tokio::test]
async fn a_secret_is_sent_as_it_is() {
    let mut request = post(BODY);
    request.headers.push(("Authorization".into(), Text::new("Bearer hunter2-hunter2", "Bearer ${TOKEN}")));
    let (saw, _) = lose(&request, LossPoint::Head, Ending::Closed).await;
    assert!(saw.text().contains("\r\nAuthorization: Bearer hunter2-hunter2\r\n"), "{saw:?}");
}
