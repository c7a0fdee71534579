//! Races: requests that meet at the server.
//!
//! Every connection is opened first. Of each request that takes part in the burst all bytes but the last are written,
//! and one slowest round trip later, when they must have arrived, the last bytes leave in one loop without a pause. So
//! neither the handshakes nor the sizes of the requests spread the copies. A copy with a time of its own is sent as a
//! whole when that has come: some servers claim a key as soon as they have read the head, so a head that waits
//! would already be a part of the race.

use std::future::{Future, poll_fn};
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio::time::{sleep_until, timeout};

use super::answer;
use super::attempt::{AttemptOptions, Attempted, Exchanged, finish, unconnected};
use super::carrier::Carrier;
use super::connector::Connector;
use super::fault::Fault;
use super::rendering::render;
use super::settings::HttpVersion;
use super::transport::Transport;
use crate::history::{Release, SocketError};
use crate::message::Request;

/// One copy of a race.
#[derive(Clone, Debug)]
pub struct RaceCopy<'r> {
    /// The request, sent once and on a connection of its own.
    pub request: &'r Request,
    /// When it is sent.
    pub start: Start,
}

/// When a copy of a race is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Start {
    /// In the burst.
    #[default]
    Together,
    /// So long after the first release, and while an earlier copy is still unanswered: else the round did not overlap.
    After(Duration),
    /// So long after the first release, whether or not anything is still unanswered by then.
    Late(Duration),
    /// As soon as the answer to the first copy of the burst has been read to its end. Its connection stands by then.
    Answered,
}

/// What became of a race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raced {
    /// What became of each copy, in the order in which they were given.
    pub copies: Vec<Attempted>,
    /// Whether the copies were under way at the same time, as far as this side can tell.
    pub overlapped: bool,
    /// The time between the first and the last release of the burst.
    pub spread: Duration,
    /// How they were released.
    pub release: Release,
}

/// Sends all copies, each once and over a connection of its own, those that start together in one burst.
///
/// Trouble with one copy is its outcome and does not stop the others. The time limit counts for opening a connection,
/// for writing a request, and from its release on; `lose` plays no part.
pub async fn race(connector: &Connector, copies: &[RaceCopy<'_>], options: &AttemptOptions<'_>) -> Raced {
    let options = &AttemptOptions { lose: None, ..*options };
    let mut lanes = together(copies.iter().map(|copy| enter(connector, copy, options))).await;
    hold(&lanes).await;
    let first = release(&mut lanes);
    let leader = copies.iter().position(|copy| copy.start == Start::Together);
    let signal = watch::Sender::new(None);
    let courses = lanes.into_iter().enumerate().map(|(index, lane)| {
        let signal = &signal;
        async move {
            let leads = leader == Some(index);
            let lap = run(lane, first, leads, signal, options).await;
            if leads {
                // Without an answer to the first there is none to follow.
                signal.send_if_modified(|answered| answered.is_none() && answered.replace(false).is_none());
            }
            lap
        }
    });
    let laps = together(courses).await;
    let overlapped = overlapped(&laps);
    let spread = spread(&laps);
    Raced {
        copies: laps.into_iter().map(|lap| lap.attempted).collect(),
        overlapped,
        spread,
        release: Release::LastByte,
    }
}

/// A copy on its way to the gate, or one that never got a connection.
enum Lane<'r> {
    Ready(Box<Ready<'r>>),
    Out(Attempted),
}

/// A copy whose connection stands.
struct Ready<'r> {
    request: &'r Request,
    start: Start,
    began: Instant,
    transport: Transport,
    /// Why it cannot go on, if it cannot.
    fault: Option<Fault>,
    /// Whether the server answered, or hung up, before the request was complete.
    answered_early: bool,
}

/// A copy that is over.
struct Lap {
    attempted: Attempted,
    start: Start,
    /// When its last byte was written, since the beginning of the run; absent where that never happened.
    released: Option<Duration>,
    /// Until when it was certainly not answered.
    unanswered_until: Duration,
}

/// Opens the connection of a copy and, if it belongs to the burst, writes all of its request but the last byte.
async fn enter<'r>(connector: &Connector, copy: &RaceCopy<'r>, options: &AttemptOptions<'_>) -> Lane<'r> {
    let began = Instant::now();
    let rendered = match render(connector, copy.request) {
        Ok(rendered) => rendered,
        Err(reason) => return Lane::Out(unconnected(began, Fault::new(SocketError::Other, reason), options)),
    };
    let channel = match timeout(options.time_limit, connector.open_for(HttpVersion::Http1)).await {
        Ok(Ok(channel)) => channel,
        Ok(Err(fault)) => return Lane::Out(unconnected(began, fault, options)),
        Err(_) => {
            let fault = Fault::timed_out(options.time_limit, "no connection");
            return Lane::Out(unconnected(began, fault, options));
        }
    };
    let mut transport = Transport::new(channel, rendered);
    let mut fault = None;
    if copy.start == Start::Together {
        let all_but_one = transport.request().end().saturating_sub(1);
        fault = match timeout(options.time_limit, transport.write_until(all_but_one)).await {
            Ok(written) => written.err(),
            Err(_) => Some(Fault::timed_out(options.time_limit, "the request could not be written")),
        };
    }
    let (request, start) = (copy.request, copy.start);
    Lane::Ready(Box::new(Ready { request, start, began, transport, fault, answered_early: false }))
}

/// Waits until everything that was written must have arrived: one slowest round trip after the last of it.
async fn hold(lanes: &[Lane<'_>]) {
    let sockets = || lanes.iter().filter_map(Lane::ready).map(|ready| ready.transport.socket());
    let slowest = sockets().map(|socket| socket.round_trip()).max().unwrap_or_default();
    if let Some(last) = sockets().filter_map(|socket| socket.last_written()).max() {
        sleep_until((last + slowest).into()).await;
    }
}

/// Writes the last bytes of the burst, and nothing else happens in between. Returns when the first of them left.
fn release(lanes: &mut [Lane<'_>]) -> Instant {
    let mut burst: Vec<&mut Ready<'_>> =
        lanes.iter_mut().filter_map(Lane::ready_mut).filter(|ready| ready.start == Start::Together).collect();
    for ready in &mut burst {
        ready.answered_early = ready.transport.has_news();
    }
    let now = Instant::now();
    for ready in &mut burst {
        if ready.fault.is_none() {
            ready.transport.write_rest_now();
        }
    }
    let released = burst.iter().filter(|ready| ready.transport.request_written());
    released.filter_map(|ready| ready.transport.channel().last_written()).min().unwrap_or(now)
}

/// Takes a copy through the gate to its end. If it leads, it says when its answer has been read.
async fn run(
    lane: Lane<'_>,
    first: Instant,
    leads: bool,
    signal: &watch::Sender<Option<bool>>,
    options: &AttemptOptions<'_>,
) -> Lap {
    let ready = match lane {
        Lane::Ready(ready) => ready,
        Lane::Out(attempted) => {
            let over = attempted.timing.ended;
            return Lap { attempted, start: Start::Together, released: None, unanswered_until: over };
        }
    };
    let Ready { request, start, began, mut transport, fault, answered_early } = *ready;
    let fault = match (fault, wait_for(start, first, signal).await) {
        (Some(fault), _) | (None, Err(fault)) => Some(fault),
        (None, Ok(())) => None,
    };
    let exchanged = match fault {
        Some(fault) => Exchanged::Failed(fault),
        None => {
            match timeout(options.time_limit, answer::read(&mut transport, &request.method, options.body_limit)).await {
                Ok(Ok(answer)) => Exchanged::Answered(answer),
                Ok(Err(fault)) => Exchanged::Failed(fault),
                Err(_) => Exchanged::Failed(Fault::timed_out(options.time_limit, "no complete answer")),
            }
        }
    };
    if leads {
        signal.send_replace(Some(matches!(exchanged, Exchanged::Answered(_))));
    }
    let complete = transport.request_written();
    let attempted = finish(Carrier::Http1(Box::new(transport)), exchanged, began, options).await;
    let released = attempted.timing.last_written.filter(|_| complete);
    let read = attempted.timing.first_read.unwrap_or(attempted.timing.ended);
    let unanswered_until = if answered_early { Duration::ZERO } else { read };
    Lap { attempted, start, released, unanswered_until }
}

/// Waits until the time of a copy has come. A copy that is to follow an answer fails where there is none.
async fn wait_for(start: Start, first: Instant, signal: &watch::Sender<Option<bool>>) -> Result<(), Fault> {
    match start {
        Start::Together => Ok(()),
        Start::After(delay) | Start::Late(delay) => {
            sleep_until((first + delay).into()).await;
            Ok(())
        }
        Start::Answered => {
            let mut signal = signal.subscribe();
            match signal.wait_for(Option::is_some).await.map(|answered| *answered) {
                Ok(Some(true)) => Ok(()),
                Ok(_) | Err(_) => {
                    Err(Fault::new(SocketError::Other, "nothing was sent: the first copy was not answered"))
                }
            }
        }
    }
}

impl<'r> Lane<'r> {
    fn ready(&self) -> Option<&Ready<'r>> {
        match self {
            Self::Ready(ready) => Some(ready),
            Self::Out(_) => None,
        }
    }

    fn ready_mut(&mut self) -> Option<&mut Ready<'r>> {
        match self {
            Self::Ready(ready) => Some(ready),
            Self::Out(_) => None,
        }
    }
}

/// Whether the copies were under way at the same time.
///
/// The last copy of the burst has arrived one slowest round trip after its release at the latest, on its way there
/// and back: a first byte of any copy's answer that comes later was sent after every copy had arrived. A delayed copy
/// must in the same way have arrived before the answer of one that was released before it. Copies that need not meet
/// any other have no part in this.
fn overlapped(laps: &[Lap]) -> bool {
    let sent: Vec<(&Lap, Duration)> = laps.iter().filter_map(|lap| Some((lap, lap.released?))).collect();
    let slowest = sent.iter().filter_map(|(lap, _)| lap.attempted.round_trip).max().unwrap_or_default();
    let burst = || sent.iter().filter(|(lap, _)| lap.start == Start::Together);
    let last = burst().map(|(_, released)| *released).max().unwrap_or_default();
    let burst_overlaps = burst().count() == 1 || burst().all(|(lap, _)| lap.unanswered_until > last + slowest);
    let delayed_overlap = sent
        .iter()
        .filter(|(lap, _)| matches!(lap.start, Start::After(_)))
        .all(|(_, own)| sent.iter().any(|(other, released)| released < own && other.unanswered_until > *own + slowest));
    let to_meet = sent.iter().filter(|(lap, _)| matches!(lap.start, Start::Together | Start::After(_)));
    to_meet.count() >= 2 && burst_overlaps && delayed_overlap
}

fn spread(laps: &[Lap]) -> Duration {
    let released = || laps.iter().filter(|lap| lap.start == Start::Together).filter_map(|lap| lap.released);
    released().max().unwrap_or_default().saturating_sub(released().min().unwrap_or_default())
}

/// Waits for several futures on this task, and returns what they return in their order.
async fn together<F: Future>(futures: impl IntoIterator<Item = F>) -> Vec<F::Output> {
    let mut waiting: Vec<_> = futures.into_iter().map(|future| (Box::pin(future), None)).collect();
    poll_fn(|context| {
        let mut complete = true;
        for (future, output) in &mut waiting {
            if output.is_none() {
                match future.as_mut().poll(context) {
                    Poll::Ready(ready) => *output = Some(ready),
                    Poll::Pending => complete = false,
                }
            }
        }
        if complete { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    waiting.into_iter().filter_map(|(_, output)| output).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{Outcome, Timing};
    use crate::message::Response;

    const ROUND_TRIP: u64 = 10;

    fn milliseconds(number: u64) -> Duration {
        Duration::from_millis(number)
    }

    /// A copy with a delay, released and answered at these moments.
    fn lap(delay: u64, released: u64, read: u64) -> Lap {
        let start = if delay == 0 { Start::Together } else { Start::After(milliseconds(delay)) };
        started(start, released, read)
    }

    fn started(start: Start, released: u64, read: u64) -> Lap {
        let attempted = Attempted {
            outcome: Outcome::Answered(Response::default()),
            timing: Timing::default(),
            round_trip: Some(milliseconds(ROUND_TRIP)),
            protocol: None,
        };
        let released = Some(milliseconds(released));
        Lap { attempted, start, released, unanswered_until: milliseconds(read) }
    }

    #[test]
    fn a_burst_overlaps_if_no_answer_can_have_left_before_the_last_copy_arrived() {
        assert!(overlapped(&[lap(0, 100, 116), lap(0, 105, 116)]));
        assert!(!overlapped(&[lap(0, 100, 115), lap(0, 105, 200)]), "within a round trip of the last release");
        assert!(!overlapped(&[lap(0, 100, 200)]), "one copy is no race");
        let slow_connection = Lap {
            attempted: Attempted { round_trip: Some(milliseconds(50)), ..lap(0, 0, 0).attempted },
            ..lap(0, 100, 500)
        };
        assert!(!overlapped(&[lap(0, 100, 140), slow_connection]), "the slowest connection counts");
    }

    #[test]
    fn a_copy_that_was_never_sent_overlaps_nothing() {
        let unsent = || Lap { released: None, ..lap(0, 0, 0) };
        assert!(!overlapped(&[lap(0, 100, 200), unsent()]));
        assert!(overlapped(&[lap(0, 100, 200), unsent(), lap(0, 100, 200)]));
        assert_eq!(spread(&[lap(0, 100, 200), unsent(), lap(0, 103, 200), lap(50, 150, 200)]), milliseconds(3));
    }

    #[test]
    fn a_delayed_copy_overlaps_one_that_is_still_running() {
        assert!(overlapped(&[lap(0, 100, 300), lap(50, 150, 170), lap(100, 200, 220)]));
        assert!(!overlapped(&[lap(0, 100, 205), lap(50, 150, 170), lap(100, 200, 220)]), "the last came too late");
    }

    #[test]
    fn a_copy_that_need_not_meet_another_says_nothing_about_overlap() {
        let afterwards = || [started(Start::Late(milliseconds(150)), 250, 260), started(Start::Answered, 206, 216)];
        let with = |laps: [Lap; 2]| overlapped(&laps.into_iter().chain(afterwards()).collect::<Vec<_>>());
        assert!(with([lap(0, 100, 205), lap(50, 150, 170)]));
        assert!(!with([lap(0, 100, 205), lap(100, 200, 220)]), "the second came too late");
        let [late, answered] = afterwards();
        assert!(!overlapped(&[lap(0, 100, 205), late, answered]), "nothing was to meet");
    }
}
