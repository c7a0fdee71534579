//! Races: every head is there before any last byte, every copy is one request on a connection of its own, and what
//! happens to one copy is that copy's outcome alone.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use idemspec::history::{Outcome, SocketError};
use idemspec::message::Request;
use idemspec::wire::{AttemptOptions, Connector, Endpoint, RaceCopy, Raced, Start, Synchronisation, race};

use crate::raw_server::declared_length;
use crate::{PATIENCE, get, post, secrets};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// A connection as the server sees it.
struct Connection {
    stream: TcpStream,
    received: Vec<u8>,
    /// The client's side has ended.
    over: bool,
    /// It has been answered.
    answered: bool,
}

impl Connection {
    /// Takes what is there, and waits for nothing.
    fn take(&mut self) {
        let mut bytes = [0; 64 * 1024];
        loop {
            match self.stream.read(&mut bytes) {
                Ok(0) => self.over = true,
                Ok(count) => self.received.extend_from_slice(&bytes[..count]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => self.over = true,
            }
            if self.over {
                return;
            }
        }
    }

    /// How many bytes are missing, once the head tells how many there must be. A head that lacks its last byte is
    /// complete but for one.
    fn missing(&self) -> Option<i64> {
        let text = String::from_utf8_lossy(&self.received);
        match text.find("\r\n\r\n") {
            Some(end) => {
                let length = end + 4 + declared_length(&text[..end + 4]);
                Some(length as i64 - self.received.len() as i64)
            }
            None => text.ends_with("\r\n\r").then_some(1),
        }
    }

    fn answer(&mut self) {
        self.answered = true;
        self.stream.set_nonblocking(false).unwrap();
        // A client that is gone does not need its answer.
        let _ = self.stream.write_all(OK.as_bytes());
        self.stream.set_nonblocking(true).unwrap();
    }
}

/// A server for a crowd: one thread that looks at all connections at once, so that it can say what was there when.
struct Crowd {
    listener: TcpListener,
    done: Receiver<Vec<Connection>>,
}

impl Crowd {
    fn start(size: usize, part: impl FnOnce(&mut Vec<Connection>) + Send + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let accepting = listener.try_clone().unwrap();
        let (sender, done) = channel();
        std::thread::spawn(move || {
            let mut connections: Vec<Connection> = (0..size)
                .map(|_| {
                    let (stream, _) = accepting.accept().unwrap();
                    stream.set_nonblocking(true).unwrap();
                    Connection { stream, received: Vec::new(), over: false, answered: false }
                })
                .collect();
            part(&mut connections);
            until(|| {
                connections.iter_mut().for_each(Connection::take);
                connections.iter().all(|connection| connection.over)
            });
            sender.send(connections).unwrap();
        });
        Self { listener, done }
    }

    fn endpoint(&self) -> Connector {
        Connector::new(Endpoint::parse(&format!("http://{}", self.listener.local_addr().unwrap())).unwrap())
    }

    /// What came over each connection, once all are over; and there was no further connection.
    fn received(self) -> Vec<String> {
        let connections = self.done.recv_timeout(PATIENCE).expect("the server's part came to an end");
        self.listener.set_nonblocking(true).unwrap();
        assert_eq!(self.listener.accept().map(|_| ()).map_err(|error| error.kind()), Err(ErrorKind::WouldBlock));
        connections.into_iter().map(|connection| String::from_utf8(connection.received).unwrap()).collect()
    }
}

fn until(mut reached: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !reached() {
        assert!(begun.elapsed() < PATIENCE, "it never came");
        std::thread::yield_now();
    }
}

fn all_complete(connections: &mut [Connection]) -> bool {
    connections.iter_mut().for_each(Connection::take);
    connections.iter().all(|connection| connection.missing() == Some(0))
}

async fn send_all(endpoint: &Connector, copies: &[(Request, Duration)]) -> Raced {
    let secrets = secrets();
    let options = AttemptOptions { time_limit: PATIENCE, ..AttemptOptions::new(Instant::now(), &secrets) };
    let copies: Vec<RaceCopy<'_>> =
        copies.iter().map(|(request, delay)| RaceCopy { request, start: Start::from(*delay) }).collect();
    race(endpoint, &copies, Synchronisation::LastByte, &options).await.unwrap()
}

fn burst(requests: impl IntoIterator<Item = Request>) -> Vec<(Request, Duration)> {
    requests.into_iter().map(|request| (request, Duration::ZERO)).collect()
}

fn statuses(raced: &Raced) -> Vec<Option<u16>> {
    raced.copies.iter().map(|copy| copy.outcome.answer().map(|answer| answer.status)).collect()
}

#[tokio::test]
async fn every_head_is_there_before_any_last_byte() {
    for request in [post(r#"{"quantity":2}"#), get()] {
        let (tell, lacking) = channel();
        let crowd = Crowd::start(20, move |connections| {
            until(|| {
                connections.iter_mut().for_each(Connection::take);
                connections.iter().any(|connection| connection.missing() == Some(0))
            });
            // The first request is complete in this moment: what the others have sent by now is here as well.
            connections.iter_mut().for_each(Connection::take);
            tell.send(connections.iter().map(Connection::missing).collect::<Vec<_>>()).unwrap();
            until(|| all_complete(connections));
            connections.iter_mut().for_each(Connection::answer);
        });
        let raced = send_all(&crowd.endpoint(), &burst(vec![request.clone(); 20])).await;
        let lacking = lacking.recv_timeout(PATIENCE).unwrap();
        assert!(lacking.iter().all(|missing| matches!(missing, Some(0 | 1))), "{lacking:?}");
        let heads = raced.copies.iter().map(|copy| copy.timing.first_written.unwrap()).max().unwrap();
        let released: Vec<Duration> = raced.copies.iter().map(|copy| copy.timing.last_written.unwrap()).collect();
        let (first, last) = (*released.iter().min().unwrap(), *released.iter().max().unwrap());
        let slowest = raced.copies.iter().filter_map(|copy| copy.round_trip).max().unwrap();
        assert!(first >= heads + slowest, "the release did not wait for the heads to arrive");
        assert_eq!(raced.spread, last - first);
        assert_eq!(statuses(&raced), vec![Some(200); 20]);
    }
}

#[tokio::test]
async fn every_copy_is_one_request_on_a_connection_of_its_own() {
    let crowd = Crowd::start(5, |connections| {
        until(|| all_complete(connections));
        connections.iter_mut().for_each(Connection::answer);
    });
    let bodies: Vec<String> = (0..5).map(|number| format!(r#"{{"quantity":{number}}}"#)).collect();
    let raced = send_all(&crowd.endpoint(), &burst(bodies.iter().map(|body| post(body)))).await;
    assert_eq!(statuses(&raced), [Some(200); 5]);
    let received = crowd.received();
    for body in &bodies {
        let carriers: Vec<&String> = received.iter().filter(|text| text.ends_with(body.as_str())).collect();
        assert_eq!(carriers.len(), 1, "{body} in {received:?}");
        assert_eq!(carriers[0].matches("HTTP/1.1").count(), 1);
    }
}

#[tokio::test]
async fn copies_overlap_when_none_is_answered_before_all_have_arrived() {
    let crowd = Crowd::start(3, |connections| {
        until(|| all_complete(connections));
        std::thread::sleep(Duration::from_millis(400));
        connections.iter_mut().for_each(Connection::answer);
    });
    let raced = send_all(&crowd.endpoint(), &burst(vec![post("{}"); 3])).await;
    assert!(raced.overlapped, "{raced:?}");
}

#[tokio::test]
async fn a_delayed_copy_sends_nothing_before_its_time() {
    let crowd = Crowd::start(2, |connections| {
        until(|| all_complete(connections));
        std::thread::sleep(Duration::from_millis(400));
        connections.iter_mut().for_each(Connection::answer);
    });
    let delay = Duration::from_millis(60);
    let copies = [(post("{}"), delay), (post("[]"), Duration::ZERO)];
    let raced = send_all(&crowd.endpoint(), &copies).await;
    let [late, first] = raced.copies.as_slice() else { panic!("{raced:?}") };
    assert!(late.timing.first_written.unwrap() >= first.timing.last_written.unwrap() + delay, "{raced:?}");
    assert!(late.timing.connected.unwrap() < first.timing.last_written.unwrap(), "it was connected beforehand");
    assert!(raced.overlapped, "the first was still running");
    assert_eq!(raced.spread, Duration::ZERO, "a delay is no spread");
}

#[tokio::test]
async fn a_delayed_copy_that_finds_everything_answered_does_not_overlap() {
    let crowd = Crowd::start(2, |connections| {
        let mut answered = [false; 2];
        until(|| {
            for (connection, answered) in connections.iter_mut().zip(&mut answered) {
                connection.take();
                if connection.missing() == Some(0) && !std::mem::replace(answered, true) {
                    connection.answer();
                }
            }
            answered == [true; 2]
        });
    });
    // The delayed copy waits for as long as it takes the first to be answered on a busy machine.
    let copies = [(post("{}"), Duration::ZERO), (post("{}"), Duration::from_secs(1))];
    let raced = send_all(&crowd.endpoint(), &copies).await;
    assert_eq!(statuses(&raced), [Some(200); 2]);
    assert!(!raced.overlapped, "{raced:?}");
}

#[tokio::test]
async fn a_copy_follows_the_first_answer_on_a_connection_that_stands_already() {
    let crowd = Crowd::start(2, |connections| {
        until(|| {
            connections.iter_mut().for_each(Connection::take);
            connections.iter().any(|connection| connection.missing() == Some(0))
        });
        std::thread::sleep(Duration::from_millis(100));
        assert_eq!(connections.iter().filter(|connection| !connection.received.is_empty()).count(), 1);
        for _ in 0..2 {
            until(|| {
                connections.iter_mut().for_each(Connection::take);
                connections.iter().any(|connection| connection.missing() == Some(0) && !connection.answered)
            });
            connections
                .iter_mut()
                .filter(|connection| connection.missing() == Some(0) && !connection.answered)
                .for_each(Connection::answer);
        }
    });
    let secrets = secrets();
    let options = AttemptOptions { time_limit: PATIENCE, ..AttemptOptions::new(Instant::now(), &secrets) };
    let request = post("{}");
    let copies = [Start::Together, Start::Answered].map(|start| RaceCopy { request: &request, start });
    let raced = race(&crowd.endpoint(), &copies, Synchronisation::LastByte, &options).await.unwrap();
    assert_eq!(statuses(&raced), [Some(200); 2]);
    let [first, next] = raced.copies.as_slice() else { panic!("{raced:?}") };
    assert!(next.timing.connected.unwrap() < first.timing.last_written.unwrap(), "{raced:?}");
    assert!(next.timing.first_written.unwrap() >= first.timing.ended, "one after the other: {raced:?}");
    assert!(!raced.overlapped, "nothing was to meet: {raced:?}");
}

#[tokio::test]
async fn an_answer_that_waited_for_nobody_shows_no_overlap_unless_it_came_late() {
    let crowd = Crowd::start(2, |connections| {
        // One is answered without having been heard out: before the release, or whenever this thread gets its turn.
        connections[0].answer();
        until(|| all_complete(connections));
        std::thread::sleep(Duration::from_millis(400));
        connections[1].answer();
    });
    let raced = send_all(&crowd.endpoint(), &burst(vec![post("{}"); 2])).await;
    assert_eq!(statuses(&raced), [Some(200); 2]);
    let released = raced.copies.iter().filter_map(|copy| copy.timing.last_written).max().unwrap();
    let slowest = raced.copies.iter().filter_map(|copy| copy.round_trip).max().unwrap();
    let earliest = raced.copies.iter().filter_map(|copy| copy.timing.first_read).min().unwrap();
    assert!(!raced.overlapped || earliest > released + slowest, "{raced:?}");
}

#[tokio::test]
async fn a_copy_whose_connection_fails_is_an_outcome_and_the_others_go_on() {
    let crowd = Crowd::start(4, |connections| {
        let broken = connections.remove(0);
        socket2::SockRef::from(&broken.stream).set_linger(Some(Duration::ZERO)).unwrap();
        drop(broken);
        until(|| all_complete(connections));
        connections.iter_mut().for_each(Connection::answer);
    });
    let raced = send_all(&crowd.endpoint(), &burst(vec![post("{}"); 4])).await;
    let answered = statuses(&raced).iter().filter(|status| **status == Some(200)).count();
    assert_eq!(answered, 3, "{raced:?}");
    let failed = raced.copies.iter().filter(|copy| {
        matches!(copy.outcome, Outcome::Failed { error: SocketError::Reset | SocketError::ClosedEarly, .. })
    });
    assert_eq!(failed.count(), 1, "{raced:?}");
}

#[tokio::test]
async fn a_target_that_is_down_refuses_every_copy() {
    let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
    let endpoint = Connector::new(Endpoint::parse(&format!("http://{address}")).unwrap());
    let raced = send_all(&endpoint, &burst(vec![post("{}"); 3])).await;
    for copy in &raced.copies {
        assert!(matches!(copy.outcome, Outcome::Failed { error: SocketError::Refused, bytes_written: 0, .. }));
        assert!(copy.outcome.reached_nothing());
    }
    assert!(!raced.overlapped);
    assert_eq!((raced.copies.len(), raced.spread), (3, Duration::ZERO));
}

#[tokio::test]
async fn a_copy_that_cannot_be_written_is_an_outcome_too() {
    let crowd = Crowd::start(1, |connections| {
        until(|| all_complete(connections));
        connections.iter_mut().for_each(Connection::answer);
    });
    let mut unwritable = post("{}");
    unwritable.headers.push(("X Y".into(), idemspec::secret::Text::plain("1")));
    let raced = send_all(&crowd.endpoint(), &burst([unwritable, post("{}")])).await;
    assert_eq!(statuses(&raced), [None, Some(200)]);
}
