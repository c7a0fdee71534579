//! Every loss by every ending over every kind of connection, each as the server saw it.

use std::time::Duration;

use idemspec::history::{Ending, Loss, LossPoint, Outcome, Protocol, SocketError};
use idemspec::wire::{Attempted, HttpVersion};

use crate::certificates::{own, speaking, tls};
use crate::frames::{self, CANCEL, DATA, END_STREAM, GOAWAY, HEADERS, PING, RST_STREAM, SeenFrame};
use crate::raw_server::{End, Peer, RawServer, Saw, Security, declared_length};
use crate::{post, send};

const BODY: &str = r#"{"quantity":42}"#;
const HALF: &str = r#"{"quant"#;
const SERVICE_TIME: Duration = Duration::from_millis(40);

/// What is lost, how, and over what.
#[derive(Clone, Copy, Debug)]
struct Cell {
    protocol: Protocol,
    secure: bool,
    at: LossPoint,
    by: Ending,
}

impl Cell {
    fn all() -> Vec<Self> {
        let mut cells = Vec::new();
        for protocol in [Protocol::Http1, Protocol::Http2] {
            for secure in [false, true] {
                for at in LossPoint::ALL {
                    cells.extend(Ending::ALL.map(|by| Self { protocol, secure, at, by }));
                }
            }
        }
        cells
    }

    /// HTTP/1.1 cannot cancel, and nothing can be cancelled before it began or after it ended.
    fn exists(self) -> bool {
        self.by != Ending::Cancelled
            || (self.protocol == Protocol::Http2 && !matches!(self.at, LossPoint::Connection | LossPoint::Response))
    }

    fn version(self) -> HttpVersion {
        match self.protocol {
            Protocol::Http1 => HttpVersion::Http1,
            Protocol::Http2 => HttpVersion::Http2,
        }
    }

    fn security(self) -> Security {
        if self.secure { tls(own(), &["h2", "http/1.1"]) } else { Security::Plain }
    }

    /// What the server does: it answers where the loss is one of the answer, and tries to when the client has gone.
    fn play(self, peer: &mut Peer) {
        match self.protocol {
            Protocol::Http1 => self.play_http1(peer),
            Protocol::Http2 => self.play_http2(peer),
        }
    }

    fn play_http1(self, peer: &mut Peer) {
        const ANSWER: &str = "HTTP/1.1 201 Created\r\nContent-Length: 10\r\n\r\n0123456789";
        match self.at {
            LossPoint::Connection | LossPoint::Head | LossPoint::Request => _ = peer.read_to_end(),
            LossPoint::Execution => _ = peer.read_to_end().write(ANSWER),
            LossPoint::PartialResponse => _ = peer.read_request().write(&ANSWER[..ANSWER.len() - 5]).read_to_end(),
            LossPoint::Response => _ = peer.read_request().write(ANSWER).read_to_end(),
        }
    }

    fn play_http2(self, peer: &mut Peer) {
        // In one piece: a client that has read the head may be gone when the content comes.
        let answer = |content: &[u8], flags| [frames::head(201, 0), frames::data(content, flags)].concat();
        peer.greet();
        match self.at {
            LossPoint::Connection | LossPoint::Head | LossPoint::Request => _ = peer.read_frames_to_end(),
            LossPoint::Execution => _ = peer.read_frames_to_end().write(answer(b"", END_STREAM)),
            LossPoint::PartialResponse => _ = peer.read_stream().write(answer(b"01234", 0)).read_frames_to_end(),
            LossPoint::Response => {
                peer.read_stream().write(answer(b"0123456789", END_STREAM)).read_frames_to_end();
            }
        }
    }

    async fn run(self) -> (Saw, Attempted) {
        let server = RawServer::start_with(self.security(), move |peer| self.play(peer));
        let connector = server.connector(speaking(self.version()));
        let attempted = send(&connector, &post(BODY), |options| {
            options.lose = Some(Loss { at: self.at, by: self.by });
            options.service_time = SERVICE_TIME;
        })
        .await;
        (server.saw(), attempted)
    }

    fn check(self, saw: &Saw, attempted: &Attempted) {
        let context = format!("{self:?}: {saw:?} {attempted:?}");
        assert_eq!(attempted.protocol, Some(self.protocol), "{context}");
        assert_eq!(saw.end, Some(if self.by == Ending::Reset { End::Reset } else { End::Fin }), "{context}");
        let in_order = matches!(self.by, Ending::Closed | Ending::Cancelled);
        assert_eq!(saw.close_notify, self.secure && in_order, "{context}");
        // Only a reset is noticed at once by a server that answers: a FIN alone lets it write.
        let noticed = self.at == LossPoint::Execution && self.by == Ending::Reset;
        assert_eq!(saw.write_failed, noticed, "{context}");
        let bytes_written = match self.protocol {
            Protocol::Http1 => self.check_http1(saw, &context),
            Protocol::Http2 => self.check_http2(saw, &context),
        };
        self.check_record(attempted, bytes_written, &context);
    }

    /// What arrived over HTTP/1.1; returns how many bytes of the request.
    fn check_http1(self, saw: &Saw, context: &str) -> u64 {
        match (self.at, saw.parts()) {
            (LossPoint::Connection, parts) => assert!(parts.is_none() && saw.received.is_empty(), "{context}"),
            (LossPoint::Head, Some((head, content))) => {
                assert_eq!((declared_length(head), content), (BODY.len(), ""), "{context}");
            }
            (LossPoint::Request, Some((head, content))) => {
                assert_eq!((declared_length(head), content), (BODY.len(), HALF), "{context}");
            }
            (LossPoint::Execution | LossPoint::PartialResponse | LossPoint::Response, Some((head, content))) => {
                assert_eq!((head.matches("POST ").count(), content), (1, BODY), "{context}");
            }
            (_, None) => panic!("no head: {context}"),
        }
        saw.received.len() as u64
    }

    /// What arrived over HTTP/2; returns how many bytes of the request.
    fn check_http2(self, saw: &Saw, context: &str) -> u64 {
        let frames = saw.frames();
        let of = |kind| frames.iter().filter(move |frame| frame.kind == kind);
        let content: Vec<u8> = of(DATA).flat_map(|frame| frame.payload.clone()).collect();
        let complete = frames.iter().any(SeenFrame::ends_stream);
        let (heads, expected, ends) = match self.at {
            LossPoint::Connection => (0, "", false),
            LossPoint::Head => (1, "", false),
            LossPoint::Request => (1, HALF, false),
            LossPoint::Execution | LossPoint::PartialResponse | LossPoint::Response => (1, BODY, true),
        };
        let arrived = (of(HEADERS).count(), String::from_utf8(content).unwrap(), complete);
        assert_eq!(arrived, (heads, expected.to_owned(), ends), "{context}");
        // What ends the exchange: the stream alone first, then the connection; the connection in good order; nothing.
        let last_words: Vec<u8> =
            frames.iter().map(|frame| frame.kind).filter(|kind| [RST_STREAM, PING, GOAWAY].contains(kind)).collect();
        let expected: &[u8] = match self.by {
            Ending::Closed => &[GOAWAY],
            Ending::Vanished | Ending::Reset => &[],
            Ending::Cancelled => &[RST_STREAM, PING, GOAWAY],
        };
        assert_eq!(last_words, expected, "{context}");
        assert!(of(RST_STREAM).all(|frame| frame.payload == CANCEL.to_be_bytes() && frame.stream == 1), "{context}");
        frames.iter().filter(|frame| frame.carries_request()).map(|frame| 9 + frame.payload.len() as u64).sum()
    }

    fn check_record(self, attempted: &Attempted, arrived: u64, context: &str) {
        match &attempted.outcome {
            Outcome::Lost { at, bytes_written, status } => {
                assert_eq!((*at, *bytes_written), (self.at, arrived), "{context}");
                assert_eq!(*status, (self.at == LossPoint::PartialResponse).then_some(201), "{context}");
            }
            Outcome::Hidden(response) => {
                assert_eq!((self.at, response.status), (LossPoint::Response, 201), "{context}");
                assert_eq!(response.body.bytes(), b"0123456789", "{context}");
            }
            Outcome::Answered(_) | Outcome::Failed { .. } | Outcome::Swallowed => panic!("{context}"),
        }
        assert_eq!(attempted.outcome.reached_nothing(), self.at == LossPoint::Connection, "{context}");
        let timing = attempted.timing;
        let answered = matches!(self.at, LossPoint::PartialResponse | LossPoint::Response);
        assert_eq!(timing.first_read.is_some(), answered, "{context}");
        assert_eq!(timing.first_written.is_some(), self.at != LossPoint::Connection, "{context}");
        let after_the_last_byte = timing.last_written.map(|written| timing.ended - written);
        // An answer that was read in full ends the attempt before the connection ends.
        if self.by == Ending::Reset && self.at != LossPoint::Response {
            assert!(after_the_last_byte.is_none_or(|pause| pause >= attempted.round_trip.unwrap()), "{context}");
        }
        if self.at == LossPoint::Execution {
            assert!(after_the_last_byte.unwrap() >= SERVICE_TIME / 2, "{context}");
        }
    }
}

#[tokio::test]
async fn every_cell_is_what_it_says() {
    let cells: Vec<Cell> = Cell::all().into_iter().filter(|cell| cell.exists()).collect();
    assert_eq!(cells.len(), 2 * 2 * 6 * 3 + 2 * 4);
    for cell in cells {
        let (saw, attempted) = cell.run().await;
        cell.check(&saw, &attempted);
    }
}

#[tokio::test]
async fn a_cell_that_does_not_exist_sends_nothing_and_says_why() {
    for cell in Cell::all().into_iter().filter(|cell| !cell.exists()) {
        let server = RawServer::start_with(cell.security(), move |peer| {
            if cell.protocol == Protocol::Http2 {
                peer.read_frames_to_end();
            } else {
                peer.read_to_end();
            }
        });
        let attempted = send(&server.connector(speaking(cell.version())), &post(BODY), |options| {
            options.lose = Some(Loss { at: cell.at, by: cell.by });
        })
        .await;
        let saw = server.saw();
        assert!(!saw.frames().iter().any(SeenFrame::carries_request), "{cell:?}: {saw:?}");
        assert!(!String::from_utf8_lossy(&saw.received).contains("POST"), "{cell:?}: {saw:?}");
        let Outcome::Failed { error, bytes_written, detail, .. } = &attempted.outcome else { panic!("{attempted:?}") };
        assert_eq!((*error, *bytes_written), (SocketError::Other, 0), "{cell:?}");
        assert!(detail.starts_with("nothing was sent"), "{detail}");
        assert_eq!(attempted.protocol, Some(cell.protocol), "{cell:?}");
    }
}
