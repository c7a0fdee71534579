//! Losses beyond their cells: large requests, none at all, and servers that are faster.

use std::time::Duration;

use idemspec::history::{Ending, Loss, LossPoint, Outcome, SocketError};
use idemspec::message::Request;
use idemspec::secret::Text;
use idemspec::wire::HttpVersion;

use crate::certificates::{kinds, speaking};
use crate::frames::{self, DATA, END_STREAM, GOAWAY, HEADERS, RST_STREAM};
use crate::raw_server::{Peer, RawServer, Saw};
use crate::{PATIENCE, get, post, send};

const BODY: &str = r#"{"quantity":42}"#;
const SERVICE_TIME: Duration = Duration::from_millis(40);
const SOCKET_ENDINGS: [Ending; 3] = [Ending::Closed, Ending::Vanished, Ending::Reset];

/// A loss of a request over plain HTTP/1.1, from a server that never answers.
async fn lose(request: &Request, at: LossPoint, by: Ending) -> (Saw, Outcome) {
    let server = RawServer::start(|peer| _ = peer.read_to_end());
    let attempted = send(&server.endpoint(), request, |options| {
        options.lose = Some(Loss { at, by });
        options.service_time = SERVICE_TIME;
    })
    .await;
    (server.saw(), attempted.outcome)
}

/// Reads a whole request in whichever version of HTTP.
fn read_whole(version: HttpVersion, peer: &mut Peer) -> &mut Peer {
    match version {
        HttpVersion::Auto | HttpVersion::Http1 => peer.read_request(),
        HttpVersion::Http2 => peer.greet().read_stream(),
    }
}

fn read_on(version: HttpVersion, peer: &mut Peer) {
    match version {
        HttpVersion::Auto | HttpVersion::Http1 => peer.read_to_end(),
        HttpVersion::Http2 => peer.read_frames_to_end(),
    };
}

/// How many bytes of the content arrived.
fn content(version: HttpVersion, saw: &Saw) -> usize {
    match version {
        HttpVersion::Auto | HttpVersion::Http1 => saw.parts().unwrap().1.len(),
        HttpVersion::Http2 => {
            saw.frames().iter().filter(|frame| frame.kind == DATA).map(|frame| frame.payload.len()).sum()
        }
    }
}

#[tokio::test]
async fn a_lost_execution_delivers_the_whole_request() {
    for by in SOCKET_ENDINGS {
        for request in [post(BODY), get()] {
            let (saw, outcome) = lose(&request, LossPoint::Execution, by).await;
            assert!(saw.request_complete(), "{saw:?}");
            assert!(matches!(outcome, Outcome::Lost { at: LossPoint::Execution, .. }), "{outcome:?}");
        }
    }
}

#[tokio::test]
async fn without_content_the_head_never_becomes_complete() {
    let whole = {
        let (saw, _) = lose(&get(), LossPoint::Execution, Ending::Closed).await;
        saw.text().to_owned()
    };
    let port_free = |text: &str| text.split("Host: ").next().unwrap().to_owned();
    for by in SOCKET_ENDINGS {
        let (saw, _) = lose(&get(), LossPoint::Head, by).await;
        assert!(!saw.head_complete() && saw.text().ends_with("Connection: close\r\n"), "{saw:?}");
        let (saw, _) = lose(&get(), LossPoint::Request, by).await;
        assert!(!saw.head_complete() && saw.received.len() < whole.len() * 2 / 3, "{saw:?}");
        assert!(!saw.received.is_empty() && whole.starts_with(&port_free(saw.text())), "{saw:?}");
    }
}

#[tokio::test]
async fn a_secret_is_sent_as_it_is() {
    let mut request = post(BODY);
    request.headers.push(("Authorization".into(), Text::new("Bearer hunter2-hunter2", "Bearer ${TOKEN}")));
    let (saw, _) = lose(&request, LossPoint::Head, Ending::Closed).await;
    assert!(saw.text().contains("\r\nAuthorization: Bearer hunter2-hunter2\r\n"), "{saw:?}");
}

#[tokio::test]
async fn a_reset_throws_no_written_byte_away() {
    let body = "x".repeat(40_000);
    for (version, security) in kinds() {
        for (at, expected) in [(LossPoint::Request, 20_000), (LossPoint::Execution, 40_000)] {
            let server = RawServer::start_with(security.clone(), move |peer| match version {
                HttpVersion::Auto | HttpVersion::Http1 => _ = peer.read_to_end(),
                HttpVersion::Http2 => _ = peer.greet().read_frames_to_end(),
            });
            let attempted = send(&server.connector(speaking(version)), &post(&body), |options| {
                options.lose = Some(Loss { at, by: Ending::Reset });
                options.service_time = SERVICE_TIME;
            })
            .await;
            let saw = server.saw();
            assert!(matches!(attempted.outcome, Outcome::Lost { .. }), "{attempted:?}");
            assert_eq!(content(version, &saw), expected, "{version:?} {at:?}");
        }
    }
}

#[tokio::test]
async fn an_answer_that_comes_before_the_loss_is_recorded_as_what_was_lost() {
    for (version, security) in kinds() {
        for by in Ending::ALL {
            if by == Ending::Cancelled && version == HttpVersion::Http1 {
                continue;
            }
            let server = RawServer::start_with(security.clone(), move |peer| {
                read_whole(version, peer);
                match version {
                    HttpVersion::Auto | HttpVersion::Http1 => {
                        peer.write("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 409 Conflict\r\n\r\n")
                    }
                    HttpVersion::Http2 => peer.write([frames::head(103, 0), frames::head(409, END_STREAM)].concat()),
                };
                read_on(version, peer);
            });
            let attempted = send(&server.connector(speaking(version)), &post(BODY), |options| {
                options.lose = Some(Loss { at: LossPoint::Execution, by });
                options.service_time = PATIENCE * 100;
            })
            .await;
            let saw = server.saw();
            let context = format!("{version:?} {by:?} {saw:?} {attempted:?}");
            assert_eq!(content(version, &saw), BODY.len(), "{context}");
            let Outcome::Lost { at, status, .. } = attempted.outcome else { panic!("{context}") };
            assert_eq!((at, status), (LossPoint::PartialResponse, Some(409)), "{context}");
            assert!(attempted.timing.first_read.is_some(), "{context}");
            // What is over cannot be cancelled any more.
            assert!(!saw.frames().iter().any(|frame| frame.kind == RST_STREAM), "{context}");
        }
    }
}

#[tokio::test]
async fn an_answer_that_has_begun_can_still_be_cancelled() {
    let server = RawServer::start(|peer| {
        peer.greet().read_stream().write([frames::head(201, 0), frames::data(b"x", 0)].concat()).read_frames_to_end();
    });
    let attempted = send(&server.connector(speaking(HttpVersion::Http2)), &post(BODY), |options| {
        options.lose = Some(Loss { at: LossPoint::Execution, by: Ending::Cancelled });
        options.service_time = PATIENCE * 100;
    })
    .await;
    let saw = server.saw();
    assert!(matches!(attempted.outcome, Outcome::Lost { at: LossPoint::PartialResponse, .. }), "{attempted:?}");
    assert!(saw.frames().iter().any(|frame| frame.kind == RST_STREAM), "{saw:?}");
}

#[tokio::test]
async fn an_interim_response_is_no_answer() {
    for (version, security) in kinds() {
        let server = RawServer::start_with(security, move |peer| {
            read_whole(version, peer);
            match version {
                HttpVersion::Auto | HttpVersion::Http1 => peer.write("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
                HttpVersion::Http2 => peer.write(frames::head(103, 0)),
            };
            read_on(version, peer);
        });
        let attempted = send(&server.connector(speaking(version)), &post(BODY), |options| {
            options.lose = Some(Loss { at: LossPoint::Execution, by: Ending::Closed });
            options.service_time = SERVICE_TIME * 5;
        })
        .await;
        server.saw();
        let expected = matches!(attempted.outcome, Outcome::Lost { at: LossPoint::Execution, status: None, .. });
        assert!(expected && attempted.timing.first_read.is_none(), "{version:?} {attempted:?}");
    }
}

#[tokio::test]
async fn an_answer_begins_after_the_interim_ones() {
    for (version, security) in kinds() {
        // When the last byte left is noted a little later than the server may have read it.
        let pause = Duration::from_millis(200);
        let server = RawServer::start_with(security, move |peer| {
            read_whole(version, peer);
            let (interim, answer) = match version {
                HttpVersion::Auto | HttpVersion::Http1 => (
                    b"HTTP/1.1 103 Early Hints\r\n\r\n".to_vec(),
                    b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n".to_vec(),
                ),
                HttpVersion::Http2 => (frames::head(103, 0), frames::head(201, END_STREAM)),
            };
            peer.write(interim);
            std::thread::sleep(pause);
            peer.write(answer);
            read_on(version, peer);
        });
        let attempted = send(&server.connector(speaking(version)), &post(BODY), |_| {}).await;
        server.saw();
        let (written, read) = (attempted.timing.last_written.unwrap(), attempted.timing.first_read.unwrap());
        assert!(read - written >= pause / 2, "{version:?} {attempted:?}");
        assert!(matches!(&attempted.outcome, Outcome::Answered(response) if response.status == 201), "{attempted:?}");
    }
}

#[tokio::test]
async fn a_server_that_goes_first_is_not_recorded_as_our_loss() {
    for (version, security) in kinds() {
        for at in [LossPoint::Execution, LossPoint::PartialResponse, LossPoint::Response] {
            for reset in [false, true] {
                let server = RawServer::start_with(security.clone(), move |peer| {
                    read_whole(version, peer);
                    if reset {
                        peer.reset();
                    }
                });
                let attempted = send(&server.connector(speaking(version)), &post(BODY), |options| {
                    options.lose = Some(Loss { at, by: Ending::Closed });
                    options.service_time = PATIENCE * 100;
                })
                .await;
                assert_eq!(content(version, &server.saw()), BODY.len());
                let Outcome::Failed { error, request_written, .. } = attempted.outcome else { panic!("{attempted:?}") };
                let expected = if reset { SocketError::Reset } else { SocketError::ClosedEarly };
                assert_eq!((error, request_written), (expected, true), "{version:?} {at:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_loss_that_is_due_after_the_time_limit_is_a_time_out() {
    for (version, security) in kinds() {
        let server = RawServer::start_with(security, move |peer| {
            read_whole(version, peer);
            read_on(version, peer);
        });
        let attempted = send(&server.connector(speaking(version)), &post(BODY), |options| {
            options.lose = Some(Loss { at: LossPoint::Execution, by: Ending::Closed });
            options.service_time = PATIENCE * 100;
            options.time_limit = Duration::from_millis(700);
        })
        .await;
        assert_eq!(content(version, &server.saw()), BODY.len());
        let Outcome::Failed { error, request_written, .. } = attempted.outcome else { panic!("{attempted:?}") };
        assert_eq!((error, request_written), (SocketError::TimedOut, true));
    }
}

#[tokio::test]
async fn over_http2_a_request_without_content_lacks_its_end_when_it_is_lost() {
    for (at, ends) in [(LossPoint::Head, false), (LossPoint::Request, false), (LossPoint::Execution, true)] {
        let server = RawServer::start(|peer| _ = peer.greet().read_frames_to_end());
        let attempted = send(&server.connector(speaking(HttpVersion::Http2)), &get(), |options| {
            options.lose = Some(Loss { at, by: Ending::Closed });
        })
        .await;
        let saw = server.saw();
        let heads: Vec<_> = saw.frames().into_iter().filter(|frame| frame.carries_request()).collect();
        assert_eq!((heads.len(), heads[0].kind, heads[0].ends_stream()), (1, HEADERS, ends), "{saw:?}");
        let bytes = 9 + heads[0].payload.len() as u64;
        assert_eq!(attempted.outcome, Outcome::Lost { at, bytes_written: bytes, status: None });
    }
}

#[tokio::test]
async fn a_peer_that_never_answers_a_ping_does_not_keep_a_cancelled_exchange() {
    let server = RawServer::start(|peer| _ = peer.greet().read_stream().read_to_end());
    let attempted = send(&server.connector(speaking(HttpVersion::Http2)), &post(BODY), |options| {
        options.lose = Some(Loss { at: LossPoint::Execution, by: Ending::Cancelled });
    })
    .await;
    let kinds: Vec<u8> = server.saw().frames().iter().map(|frame| frame.kind).collect();
    assert!(kinds.contains(&RST_STREAM) && kinds.last() == Some(&GOAWAY), "{kinds:?}");
    assert!(matches!(attempted.outcome, Outcome::Lost { at: LossPoint::Execution, .. }), "{attempted:?}");
}
