//! Races in a single packet: all ends of requests come in one read, nothing ends before, and every copy that cannot take
//! part, is refused, or is lost with its connection has exactly one outcome.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio_rustls::rustls::{ServerConnection, StreamOwned};

use idemspec::history::{Outcome, Protocol, Release, SocketError};
use idemspec::message::Request;
use idemspec::wire::{AttemptOptions, Connector, NoHttp2, RaceCopy, Raced, Start, Synchronisation, race};

use crate::raw_http2::{
    DATA, FIRST_WINDOW, Frame, GO_AWAY, HEADERS, MOST_STREAMS, PING, Peer, RESET, RawHttp2, WINDOW_UPDATE, insecure,
    server_config,
};
use crate::{PATIENCE, get, post, secrets};

const REFUSED_STREAM: [u8; 4] = [0, 0, 0, 7];
const A_WHILE: Duration = Duration::from_millis(400);

async fn send_within(
    connector: &Connector,
    copies: impl IntoIterator<Item = (Request, Duration)>,
    time_limit: Duration,
) -> Raced {
    let secrets = secrets();
    let options = AttemptOptions { time_limit, ..AttemptOptions::new(Instant::now(), &secrets) };
    let copies: Vec<(Request, Duration)> = copies.into_iter().collect();
    let copies: Vec<RaceCopy<'_>> =
        copies.iter().map(|(request, delay)| RaceCopy { request, start: Start::from(*delay) }).collect();
    let raced = race(connector, &copies, Synchronisation::Auto, &options).await.unwrap();
    assert_eq!((raced.copies.len(), raced.release), (copies.len(), Release::SinglePacket));
    raced
}

async fn send(server: &RawHttp2, copies: impl IntoIterator<Item = Request>) -> Raced {
    let copies = copies.into_iter().map(|request| (request, Duration::ZERO));
    send_within(&server.endpoint(), copies, PATIENCE).await
}

fn statuses(raced: &Raced) -> Vec<Option<u16>> {
    raced.copies.iter().map(|copy| copy.outcome.answer().map(|answer| answer.status)).collect()
}

/// How the copies that have no answer failed, and how many of their bytes had left.
fn failures(raced: &Raced) -> Vec<(SocketError, u64)> {
    let failed = raced.copies.iter().filter_map(|copy| match &copy.outcome {
        Outcome::Failed { error, bytes_written, .. } => Some((*error, *bytes_written)),
        Outcome::Answered(_) | Outcome::Swallowed | Outcome::Hidden(_) | Outcome::Lost { .. } => None,
    });
    failed.collect()
}

fn requests(frames: &[Frame]) -> usize {
    frames.iter().filter(|frame| frame.is(HEADERS)).count()
}

#[tokio::test]
async fn all_requests_end_in_one_read_and_only_after_the_rest_has_arrived() {
    let kinds = [post(r#"{"quantity":2}"#), post("x"), post(""), get()];
    for (request, secure) in kinds.iter().flat_map(|request| [(request, false), (request, true)]) {
        let start = |part| if secure { RawHttp2::start_secure(part) } else { RawHttp2::start(&[], part) };
        let server = start(|peer: &mut Peer| {
            let ping = peer.until(|frame| frame.is(PING));
            assert!(peer.is_silent_for(Duration::from_millis(100)), "something came before the acknowledgement");
            peer.send(PING, 1, 0, &ping.payload);
            let streams = peer.complete(20);
            std::thread::sleep(A_WHILE);
            streams.into_iter().for_each(|stream| peer.answer(stream));
            peer.read_to_end();
        });
        let raced = send(&server, vec![request.clone(); 20]).await;
        assert_eq!(statuses(&raced), vec![Some(200); 20]);
        assert!(raced.overlapped, "{raced:?}");
        assert_eq!(raced.spread, Duration::ZERO);
        let frames = server.frames();
        let held = frames.iter().rposition(|frame| frame.is(PING)).unwrap();
        assert_eq!(requests(&frames[..held]), 20);
        assert!(!frames[..held].iter().any(Frame::ends));
        let ends: Vec<&Frame> = frames.iter().filter(|frame| frame.ends()).collect();
        assert_eq!(ends.len(), 20);
        assert!(ends.iter().all(|frame| frame.read == ends[0].read && frame.payload.len() <= 1), "{ends:?}");
        let content = |stream| -> Vec<u8> {
            let data = frames.iter().filter(|frame| frame.kind == DATA && frame.stream == stream);
            data.flat_map(|frame| frame.payload.clone()).collect()
        };
        let body = request.body.as_ref().map_or("", |body| body.sent());
        assert!(ends.iter().all(|end| content(end.stream) == body.as_bytes()));
    }
}

#[tokio::test]
async fn a_copy_tells_what_left_and_when() {
    let server = RawHttp2::start(&[], |peer| {
        peer.pong();
        peer.complete(2).into_iter().for_each(|stream| peer.answer(stream));
        peer.read_to_end();
    });
    let raced = send(&server, [post("12345"), get()]).await;
    for copy in &raced.copies {
        let timing = copy.timing;
        let moments =
            [timing.connected, timing.first_written, timing.last_written, timing.first_read, Some(timing.ended)];
        assert!(moments.iter().all(Option::is_some) && moments.is_sorted(), "{timing:?}");
        assert_eq!((copy.protocol, copy.round_trip.is_some()), (Some(Protocol::Http2), true));
    }
    let heads = raced.copies.iter().filter_map(|copy| copy.timing.first_written).max();
    assert!(raced.copies.iter().all(|copy| copy.timing.last_written > heads), "{raced:?}");
}

#[tokio::test]
async fn a_refused_stream_is_an_outcome_and_is_not_sent_again() {
    for early in [true, false] {
        let server = RawHttp2::start(&[], move |peer| {
            if early {
                peer.until(|frame| frame.is(HEADERS) && frame.stream == 3);
                peer.send(RESET, 0, 3, &REFUSED_STREAM);
            }
            peer.pong();
            if early {
                peer.complete(2);
            } else {
                peer.complete(3);
                peer.send(RESET, 0, 3, &REFUSED_STREAM);
            }
            peer.answer(1);
            peer.answer(5);
            peer.read_to_end();
        });
        let raced = send(&server, vec![post("{}"); 3]).await;
        assert_eq!(statuses(&raced), [Some(200), None, Some(200)], "{raced:?}");
        assert!(matches!(failures(&raced)[..], [(SocketError::Reset, 1..)]), "{raced:?}");
        assert_eq!(requests(&server.frames()), 3);
    }
}

#[tokio::test]
async fn a_copy_without_a_place_is_not_sent_and_says_so() {
    let server = RawHttp2::start(&[(MOST_STREAMS, 3)], |peer| {
        peer.pong();
        peer.complete(3).into_iter().for_each(|stream| peer.answer(stream));
        peer.read_to_end();
    });
    let raced = send(&server, vec![post("{}"); 5]).await;
    assert_eq!(statuses(&raced), [Some(200), Some(200), Some(200), None, None]);
    assert_eq!(failures(&raced), [(SocketError::Other, 0); 2]);
    let Outcome::Failed { detail, .. } = &raced.copies[4].outcome else { panic!("{raced:?}") };
    assert!(detail.contains("3 requests at a time"), "{detail}");
    assert_eq!(requests(&server.frames()), 3);
}

#[tokio::test]
async fn a_server_that_goes_away_answers_what_it_took_and_gets_nothing_again() {
    let server = RawHttp2::start(&[], |peer| {
        peer.pong();
        peer.complete(3);
        let (last_stream, no_error) = ([0, 0, 0, 3], [0; 4]);
        peer.send(GO_AWAY, 0, 0, &[last_stream, no_error].concat());
        peer.answer(1);
        peer.answer(3);
        peer.read_to_end();
    });
    let raced = send(&server, vec![post("{}"); 3]).await;
    assert_eq!(statuses(&raced), [Some(200), Some(200), None], "{raced:?}");
    assert!(matches!(failures(&raced)[..], [(SocketError::ClosedEarly, 1..)]), "{raced:?}");
    assert_eq!(requests(&server.frames()), 3);
}

#[tokio::test]
async fn a_connection_that_ends_is_the_outcome_of_every_copy() {
    for after_release in [false, true] {
        let server = RawHttp2::start(&[], move |peer| {
            peer.until(|frame| frame.is(HEADERS));
            if after_release {
                peer.pong();
                peer.complete(2);
            }
        });
        let raced = send(&server, vec![post("{}"); 2]).await;
        let gone = |(error, _): &(SocketError, u64)| [SocketError::ClosedEarly, SocketError::Reset].contains(error);
        assert_eq!(failures(&raced).len(), 2);
        assert!(failures(&raced).iter().all(gone), "{raced:?}");
        assert!(!raced.overlapped || after_release);
        server.frames();
    }
}

#[tokio::test]
async fn a_delayed_copy_is_another_stream_and_sends_nothing_before_its_time() {
    let server = RawHttp2::start(&[], |peer| {
        peer.pong();
        let streams = peer.complete(3);
        std::thread::sleep(A_WHILE);
        streams.into_iter().for_each(|stream| peer.answer(stream));
        peer.read_to_end();
    });
    let delay = Duration::from_millis(60);
    let copies = [(post("{}"), Duration::ZERO), (post("[]"), delay), (get(), delay * 2)];
    let raced = send_within(&server.endpoint(), copies, PATIENCE).await;
    assert_eq!(statuses(&raced), [Some(200); 3]);
    let written = |copy: usize| raced.copies[copy].timing.first_written.unwrap();
    let released = raced.copies[0].timing.last_written.unwrap();
    assert!(written(1) >= released + delay && written(2) >= released + delay * 2, "{raced:?}");
    assert!(raced.overlapped, "{raced:?}");
    let frames = server.frames();
    let ends: Vec<u32> = frames.iter().filter(|frame| frame.ends()).map(|frame| frame.stream).collect();
    assert_eq!(ends, [1, 3, 5]);
}

#[tokio::test]
async fn content_waits_for_its_window_and_the_release_for_all_content() {
    let server = RawHttp2::start(&[(FIRST_WINDOW, 0)], |peer| {
        peer.until(|frame| frame.is(HEADERS) && frame.stream == 3);
        for stream in [1, 3] {
            peer.send(WINDOW_UPDATE, 0, stream, &[0, 0, 0, 5]);
        }
        peer.pong();
        assert_eq!(peer.frames.iter().filter(|frame| frame.kind == DATA && frame.payload == b"1234").count(), 2);
        peer.complete(2).into_iter().for_each(|stream| peer.answer(stream));
        peer.read_to_end();
    });
    let raced = send(&server, vec![post("12345"); 2]).await;
    assert_eq!(statuses(&raced), [Some(200); 2], "{raced:?}");
    let ends: Vec<Frame> = server.frames().into_iter().filter(Frame::ends).collect();
    assert!(ends.iter().all(|end| end.payload == b"5" && end.read == ends[0].read), "{ends:?}");
}

#[tokio::test]
async fn a_copy_that_never_gets_a_window_times_out_and_the_others_go_on() {
    let server = RawHttp2::start(&[(FIRST_WINDOW, 0)], |peer| {
        peer.until(|frame| frame.is(HEADERS) && frame.stream == 3);
        peer.send(WINDOW_UPDATE, 0, 1, &[0, 0, 0, 5]);
        peer.pong();
        peer.complete(1);
        peer.answer(1);
        peer.read_to_end();
    });
    let copies = vec![(post("12345"), Duration::ZERO); 2];
    let raced = send_within(&server.endpoint(), copies, Duration::from_secs(2)).await;
    assert_eq!(statuses(&raced), [Some(200), None], "{raced:?}");
    assert!(matches!(failures(&raced)[..], [(SocketError::TimedOut, 1..)]), "{raced:?}");
    assert!(!server.frames().iter().any(|frame| frame.ends() && frame.stream == 3));
}

#[tokio::test]
async fn an_answer_before_the_release_is_no_overlap() {
    let server = RawHttp2::start(&[], |peer| {
        peer.until(|frame| frame.is(HEADERS));
        peer.answer(1);
        peer.pong();
        peer.complete(2);
        std::thread::sleep(A_WHILE);
        peer.answer(3);
        peer.answer(5);
        peer.read_to_end();
    });
    let raced = send(&server, vec![post("{}"); 3]).await;
    assert_eq!(statuses(&raced), [Some(200); 3], "{raced:?}");
    assert!(!raced.overlapped, "{raced:?}");
}

/// A server that speaks HTTP/1.1 only, over TLS, and answers so many requests.
fn secure_http1(requests: usize) -> (Connector, JoinHandle<usize>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let connector = insecure(&format!("https://{}", listener.local_addr().unwrap()));
    let config = server_config(&[b"http/1.1"]);
    let serving = std::thread::spawn(move || {
        let serve = |mut stream: StreamOwned<ServerConnection, TcpStream>| {
            let (mut bytes, mut heard) = ([0; 4096], String::new());
            while !heard.ends_with("{}") {
                match stream.read(&mut bytes) {
                    Ok(count @ 1..) => heard.push_str(std::str::from_utf8(&bytes[..count]).unwrap()),
                    Ok(0) | Err(_) => return 0,
                }
            }
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").unwrap();
            stream.flush().unwrap();
            1
        };
        let accept = |_| {
            let (socket, _) = listener.accept().unwrap();
            socket.set_read_timeout(Some(PATIENCE)).unwrap();
            let stream = StreamOwned::new(ServerConnection::new(Arc::clone(&config)).unwrap(), socket);
            std::thread::spawn(move || serve(stream))
        };
        let serving: Vec<_> = (0..requests.max(1)).map(accept).collect();
        let answered = serving.into_iter().map(|serving| serving.join().unwrap()).sum();
        listener.set_nonblocking(true).unwrap();
        assert!(listener.accept().is_err(), "there was another connection");
        answered
    });
    (connector, serving)
}

async fn race_over(connector: &Connector, synchronisation: Synchronisation) -> Result<Raced, NoHttp2> {
    let secrets = secrets();
    let options = AttemptOptions { time_limit: PATIENCE, ..AttemptOptions::new(Instant::now(), &secrets) };
    let request = post("{}");
    let copies = vec![RaceCopy { request: &request, start: Start::Together }; 3];
    race(connector, &copies, synchronisation, &options).await
}

#[tokio::test]
async fn without_http2_the_last_byte_takes_the_place_of_the_packet_also_over_tls() {
    for synchronisation in [Synchronisation::Auto, Synchronisation::LastByte] {
        let (connector, serving) = secure_http1(3);
        let raced = race_over(&connector, synchronisation).await.unwrap();
        assert_eq!(raced.release, Release::LastByte);
        assert_eq!(statuses(&raced), [Some(200); 3], "{raced:?}");
        assert!(raced.copies.iter().all(|copy| copy.protocol == Some(Protocol::Http1)));
        assert_eq!(serving.join().unwrap(), 3);
    }
}

#[tokio::test]
async fn a_packet_that_was_asked_for_is_never_replaced() {
    let (connector, serving) = secure_http1(0);
    let NoHttp2 { copies } = race_over(&connector, Synchronisation::SinglePacket).await.unwrap_err();
    assert_eq!(copies.len(), 3);
    for copy in copies {
        let Outcome::Failed { error, bytes_written, detail, .. } = copy.outcome else { panic!("{copy:?}") };
        assert_eq!((error, bytes_written), (SocketError::Other, 0));
        assert!(detail.contains("needs HTTP/2"), "{detail}");
    }
    assert_eq!(serving.join().unwrap(), 0, "nothing was sent");
}

#[tokio::test]
async fn unsynchronised_copies_are_attempts_like_any_other() {
    let (connector, serving) = secure_http1(3);
    let raced = race_over(&connector, Synchronisation::None).await.unwrap();
    assert_eq!(raced.release, Release::Unsynchronised);
    assert_eq!(statuses(&raced), [Some(200); 3], "{raced:?}");
    assert_eq!(serving.join().unwrap(), 3);
}
